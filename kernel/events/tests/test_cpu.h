/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: a second CPU, and a CPU that goes offline.
 */
#ifndef _KERNEL_EVENTS_TEST_CPU_H
#define _KERNEL_EVENTS_TEST_CPU_H

#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/perf_event_test.h>

/* two minutes, in sleeps of 20 ms */
#define TEST_REMOVE_TRIES	6000

/* Return: the next CPU that is online. The test is skipped if there is none. */
static inline int test_next_cpu(struct kunit *test, int cpu)
{
	int next = cpumask_next(cpu, cpu_online_mask);

	if (next >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	return next;
}

/*
 * Take a CPU offline; add_cpu() undoes it. At boot, threads that probe devices forbid that for a
 * moment.
 *
 * Return: 0, or an errno if the CPU cannot go offline.
 */
static inline int test_remove_cpu(int cpu)
{
	int err;

	for (unsigned int i = 0; i < TEST_REMOVE_TRIES; i++) {
		err = remove_cpu(cpu);
		if (err != -EBUSY)
			return err;
		msleep(20);
	}
	return err;
}

#endif /* _KERNEL_EVENTS_TEST_CPU_H */
