/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs: affinity and hotplug.
 */
#ifndef PERF_TEST_CPU_H
#define PERF_TEST_CPU_H

#include <stdbool.h>
#include <sys/types.h>

int pin_pid_to_cpu(pid_t pid, int cpu);
int pin_to_cpu(int cpu);
int nth_cpu(int index);
int list_cpus(int *cpus, int max);
int cpu_set_online(int cpu, bool online);
int hotplug_cpu(void);

#endif /* PERF_TEST_CPU_H */
