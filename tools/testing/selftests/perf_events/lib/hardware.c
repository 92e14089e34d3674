// SPDX-License-Identifier: GPL-2.0
#include "hardware.h"
#include "perf_test.h"

/**
 * spin_and_call() - Run in user mode and in the kernel
 * @calls: Number of system calls.
 */
void spin_and_call(int calls)
{
	while (calls--) {
		spin(2000);
		getppid();
	}
}

/**
 * stay_where_it_counts() - Bind the caller to the CPUs on which an event counts
 * @attr: Attributes of the event.
 *
 * With several kinds of cores these are the CPUs of one kind. Elsewhere the event of a task stands
 * still, and its time_running, too.
 *
 * Return: 0, or a negative errno; -ENODEV if it counts on no CPU of the caller's.
 */
int stay_where_it_counts(struct perf_event_attr attr)
{
	cpu_set_t may, counts;
	__u64 before;
	int fd, cpu;

	attr.read_format = PERF_ALL_TIMES;
	attr.sample_period = 0;
	attr.disabled = 0;
	fd = perf_open_self(attr);
	if (fd < 0 || sched_getaffinity(0, sizeof(may), &may))
		return fd < 0 ? fd : -errno;
	CPU_ZERO(&counts);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may) || pin_to_cpu(cpu))
			continue;
		before = perf_timed_count(fd).running;
		spin(1000);
		if (perf_timed_count(fd).running > before)
			CPU_SET(cpu, &counts);
	}
	close(fd);
	if (sched_setaffinity(0, sizeof(may), CPU_COUNT(&counts) ? &counts : &may))
		return -errno;
	return CPU_COUNT(&counts) ? 0 : -ENODEV;
}

/**
 * no_pmu() - Check for a PMU that counts cycles
 *
 * Return: NULL if there is one, or else the reason.
 */
const char *no_pmu(void)
{
	static char reason[128];
	int err = perf_try_self(HW_CYCLES());

	snprintf(reason, sizeof(reason), "no PMU that counts cycles: %s",
		 perf_errname(err));
	return err ? reason : NULL;
}

/**
 * no_instructions() - Check for a PMU that counts instructions
 *
 * QEMU's PMU does so only with -icount.
 *
 * Return: NULL if there is one, or else the reason.
 */
const char *no_instructions(void)
{
	static char reason[128];
	int err = perf_try_self(PERF_HW(INSTRUCTIONS));

	snprintf(reason, sizeof(reason), "instructions are not counted: %s",
		 perf_errname(err));
	return err ? reason : NULL;
}

/**
 * pmu_is_emulated() - Tell whether an emulator stands behind the driver
 *
 * An emulator counts by the clock, whatever the code is.
 *
 * Return: True if it does.
 */
bool pmu_is_emulated(void)
{
	return machine_is("");
}

/**
 * instructions_fit() - Check that two counts can be of the same time
 * @cycles: Count of cycles.
 * @instructions: Count of instructions. The emulator has one in two cycles.
 *
 * Return: True if they can.
 */
bool instructions_fit(__u64 cycles, __u64 instructions)
{
	if (!cycles || !instructions)
		return false;
	return !pmu_is_emulated() || (cycles * 45 / 100 < instructions &&
				      instructions < cycles * 55 / 100);
}
