// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's core PMU: the description by CPUID, and the tables of the model.
 *
 * Context: Boot.
 */
#include <linux/init.h>
#include "hybrid.h"
#include "model.h"

static struct x86_core_pmu intel_core = {
	.name	= "cpu",
	.type	= PERF_TYPE_RAW,
};

static struct x86_event_code intel_codes[ARCHPERFMON_CODES];

/**
 * intel_core_describe() - describe a kind of core, and add its PMU
 * @core: the PMU, with name and type
 * @codes: output, its architectural events
 *
 * Return: 0 or -ENODEV.
 */
int __init intel_core_describe(struct x86_core_pmu *core, struct x86_event_code *codes)
{
	const struct intel_model *model;
	struct x86_hw_identity id;
	int err;

	err = archperfmon_describe(core, codes);
	if (err)
		return err;
	x86_hw_identity(&id);
	model = intel_model_of(&id, core->core_type);
	if (model)
		intel_model_apply(core, model);
	return x86_core_add(core);
}

/**
 * intel_core_detect() - detect the core PMUs of an Intel CPU
 *
 * Return: 0 or -ENODEV.
 */
int __init intel_core_detect(void)
{
	if (intel_is_hybrid())
		return intel_hybrid_detect();
	return intel_core_describe(&intel_core, intel_codes);
}
