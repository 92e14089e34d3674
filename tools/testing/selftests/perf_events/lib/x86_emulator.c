// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"
#include "x86_emulator.h"

/**
 * kernel_parameter() - Find a parameter on the kernel's command line
 * @name: Its name, with a "=" if it has a value.
 *
 * Return: What follows the name, NULL if it is not there.
 */
const char *kernel_parameter(const char *name)
{
	static char line[4096];
	const char *at;

	if (file_read("/proc/cmdline", line, sizeof(line)) <= 0)
		return NULL;
	at = strstr(line, name);
	return at ? at + strlen(name) : NULL;
}

/**
 * machine_is() - Check on which emulated machine the driver runs
 * @name: How the machine's name begins; "" for any machine.
 *
 * Return: True if it is that one.
 */
bool machine_is(const char *name)
{
	const char *value = kernel_parameter("x86_pmu_emulator=");

	return value && !strncmp(value, name, strlen(name));
}

/**
 * emulator_is_hostile() - Tell whether the emulator has faults
 *
 * Samples of user mode may then show the kernel, and kernel counts contain time that did not
 * pass.
 *
 * Return: True if it does.
 */
bool emulator_is_hostile(void)
{
	return kernel_parameter("x86_pmu_emulator_hostile=");
}

/**
 * turned_on_one_by_one() - Tell whether the machine lacks global control of its counters
 *
 * Return: True if counters are enabled and disabled one by one.
 */
bool turned_on_one_by_one(void)
{
	return machine_is("intel-v1") || machine_is("amd-legacy") || machine_is("amd-zen");
}

/**
 * emulator_counts_instructions() - Tell whether the emulator counts executed instructions
 *
 * Elsewhere it counts real time.
 *
 * Return: True if it does.
 */
bool emulator_counts_instructions(void)
{
	const char *clock = kernel_parameter("x86_pmu_emulator_clock=");

	return clock && !strncmp(clock, "instructions", strlen("instructions"));
}
