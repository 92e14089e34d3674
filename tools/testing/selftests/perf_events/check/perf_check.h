/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of perf_check share. */
#ifndef PERF_CHECK_H
#define PERF_CHECK_H

#include <stdarg.h>
#include <stdbool.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

/* No more CPUs than that are used, nor those with higher numbers. */
#define CHECK_CPUS	1024

/* How a check ends; ABSENT: this machine does not have what it is about. */
enum state { PASS, FAIL, ABSENT };

/**
 * struct options - What the caller has requested, and the CPUs it may use
 * @seconds: Length of the check for lost and unclaimed interrupts.
 * @hotplug: A CPU may be taken offline.
 * @cpus: CPUs that the caller may use. The checks run on the first one.
 * @nr_cpus: Number of these.
 * @hotplug_cpu: One that can be taken offline, or -1.
 */
struct options {
	int	seconds;
	bool	hotplug;
	int	cpus[CHECK_CPUS];
	int	nr_cpus;
	int	hotplug_cpu;
};

__attribute__((format(printf, 3, 4)))
void result(enum state state, const char *name, const char *format, ...);

void check_interrupts(const struct options *options);
void check_energy(const struct options *options);
void check_idle(const struct options *options);

#endif /* PERF_CHECK_H */
