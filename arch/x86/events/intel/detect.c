// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's core PMU: what CPUID tells of it, and what is known of the model.
 *
 * Boot only.
 */
#include <linux/init.h>
#include "model.h"

static struct x86_core_pmu intel_core = {
	.name	= "cpu",
	.type	= PERF_TYPE_RAW,
};

static struct x86_event_code intel_codes[ARCHPERFMON_CODES];

/**
 * intel_core_detect() - see whether this Intel CPU has a PMU that we know
 *
 * Return: 0 or -ENODEV.
 */
int __init intel_core_detect(void)
{
	const struct intel_model *model;
	struct x86_hw_identity id;
	int err;

	err = archperfmon_describe(&intel_core, intel_codes);
	if (err)
		return err;
	x86_hw_identity(&id);
	model = intel_model_of(&id, 0);
	if (model)
		intel_model_apply(&intel_core, model);
	return x86_core_add(&intel_core);
}
