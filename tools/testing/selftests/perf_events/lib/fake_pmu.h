/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU made of memory, CONFIG_PERF_EVENTS_FAKE_PMU: its events by their names in
 * sysfs, its counters, and the file that makes them count.
 */
#ifndef PERF_TEST_FAKE_PMU_H
#define PERF_TEST_FAKE_PMU_H

#include <unistd.h>
#include <linux/perf_event.h>

#define FAKE_DEVICE	"/sys/bus/event_source/devices/fake"
#define FAKE_PARAMETER	"/sys/module/fake_pmu/parameters/"
#define FAKE_COUNTERS	4	/* after fake_prepare() */
#define FAKE_DEBUGFS	"/sys/kernel/debug"

#define SKIP_WITHOUT_FAKE()						\
	do {								\
		if (access(FAKE_DEVICE, F_OK))				\
			SKIP(return, "no fake PMU: CONFIG_PERF_EVENTS_FAKE_PMU"); \
		if (fake_prepare())					\
			SKIP(return, "no debugfs, or not root");	\
	} while (0)

int fake_set(const char *name, const char *value);
int fake_prepare(void);
struct perf_event_attr fake_attr(const char *name);
int fake_poke(unsigned long count);
long fake_faults(void);

#endif /* PERF_TEST_FAKE_PMU_H */
