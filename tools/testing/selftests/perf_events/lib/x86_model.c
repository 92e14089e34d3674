// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"
#include "x86_model.h"

/**
 * model_is() - Tell which model stands behind the driver
 * @name: How the model's name begins; "" for any model.
 *
 * Return: True if the model is that one.
 */
bool model_is(const char *name)
{
	char line[4096], *at;

	if (file_read("/proc/cmdline", line, sizeof(line)) <= 0)
		return false;
	at = strstr(line, "x86_pmu_model=");
	return at && !strncmp(at + strlen("x86_pmu_model="), name, strlen(name));
}

/**
 * turned_on_one_by_one() - Tell whether the model lacks global control of its counters
 *
 * Return: True if counters are turned on and off one by one.
 */
bool turned_on_one_by_one(void)
{
	return model_is("intel-v1") || model_is("amd-legacy") || model_is("amd-zen");
}
