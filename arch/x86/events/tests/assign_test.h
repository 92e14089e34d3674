/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exhaustive search with which tests compare the counter assignment.
 */
#ifndef _X86_EVENTS_ASSIGN_TEST_H
#define _X86_EVENTS_ASSIGN_TEST_H

#include <linux/types.h>

/* Largest group that x86_assign_expect() compares. */
#define X86_ASSIGN_MAX	8

struct kunit;

bool x86_assign_search(const u64 *allowed, unsigned int nr, u64 taken);
void x86_assign_expect(struct kunit *test, const char *name, const u64 *allowed,
		       unsigned int nr);

#endif /* _X86_EVENTS_ASSIGN_TEST_H */
