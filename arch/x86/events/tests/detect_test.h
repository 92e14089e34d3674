/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The real machines of detect_machines.h, for other tests.
 */
#ifndef _X86_EVENTS_DETECT_TEST_H
#define _X86_EVENTS_DETECT_TEST_H

struct kunit;
struct x86_core_pmu;

struct x86_core_pmu *x86_detect_machine(struct kunit *test, unsigned int n, const char **name);

#endif /* _X86_EVENTS_DETECT_TEST_H */
