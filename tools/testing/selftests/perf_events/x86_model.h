/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which modelled x86 PMU stands behind the driver, if one does: x86_pmu_model= on the
 * kernel's command line.
 */
#ifndef X86_MODEL_H
#define X86_MODEL_H

#include "perf_util.h"

static inline bool model_is(const char *name)
{
	char line[4096], *at;

	if (file_read("/proc/cmdline", line, sizeof(line)) <= 0)
		return false;
	at = strstr(line, "x86_pmu_model=");
	return at && !strncmp(at + strlen("x86_pmu_model="), name, strlen(name));
}

/* Without global control, counters are turned on and off one by one. */
static inline bool turned_on_one_by_one(void)
{
	return model_is("intel-v1") || model_is("amd-legacy") || model_is("amd-zen");
}

#endif /* X86_MODEL_H */
