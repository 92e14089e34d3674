// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"

/**
 * pin_pid_to_cpu() - Let a task run on one CPU only
 * @pid: The task, 0 for the caller.
 * @cpu: The CPU.
 *
 * Return: 0, or a negative errno.
 */
int pin_pid_to_cpu(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

/**
 * pin_to_cpu() - Let the caller run on one CPU only
 * @cpu: The CPU.
 *
 * Return: 0, or a negative errno.
 */
int pin_to_cpu(int cpu)
{
	return pin_pid_to_cpu(0, cpu);
}

/**
 * nth_cpu() - Find a CPU that the caller may run on
 * @index: Which of them, counted from 0.
 *
 * After pin_to_cpu() there is only one. A caller that moves lists them before, with list_cpus().
 *
 * Return: The CPU, or -1 if the caller may run on no more than @index CPUs.
 */
int nth_cpu(int index)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && index-- == 0)
			return cpu;
	return -1;
}

/**
 * list_cpus() - List the CPUs that the caller may run on
 * @cpus: Output.
 * @max: The most CPUs that are listed.
 *
 * Return: The number of CPUs in the list, at least 1.
 */
int list_cpus(int *cpus, int max)
{
	int cpu, nr = 0;

	while (nr < max && (cpu = nth_cpu(nr)) >= 0)
		cpus[nr++] = cpu;
	if (!nr)
		cpus[nr++] = sched_getcpu();
	return nr;
}

/**
 * cpu_set_online() - Take a CPU online or offline
 * @cpu: The CPU.
 * @online: True for online.
 *
 * Return: 0, or a negative errno.
 */
int cpu_set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return file_write(path, online ? "1" : "0");
}

/**
 * hotplug_cpu() - Find a CPU that can be taken offline
 *
 * Return: The highest such CPU that the caller may run on, or -1.
 */
int hotplug_cpu(void)
{
	char path[64];
	long online;
	int cpu, last = -1, i;

	for (i = 0; (cpu = nth_cpu(i)) >= 0; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (!file_read_long(path, &online) && online == 1)
			last = cpu;
	}
	return last;
}
