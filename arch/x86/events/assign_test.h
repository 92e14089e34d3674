/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests compare the constraint solver with.
 */
#ifndef _X86_EVENTS_ASSIGN_TEST_H
#define _X86_EVENTS_ASSIGN_TEST_H

#include <linux/types.h>

bool x86_seat_search(const u64 *allowed, unsigned int nr, u64 taken);

#endif /* _X86_EVENTS_ASSIGN_TEST_H */
