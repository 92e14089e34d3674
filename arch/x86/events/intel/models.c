// SPDX-License-Identifier: GPL-2.0
/*
 * The model of a CPU's cores, which completes the description by CPUID.
 *
 * A CPU without a row is described by CPUID only: it has the architectural events, no
 * counter constraints and no extra registers.
 *
 * Used at boot and in tests.
 */
#include <linux/init.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "model.h"
#include "../topdown.h"

#define CPUID7_EBX_RTM			BIT(11)
#define CPUID7_EDX_TSX_FORCE_ABORT	BIT(13)

#define MODEL(_vfm, _model)	X86_MATCH_VFM(_vfm, &intel_##_model)

/* Hybrid CPUs have a row for each kind of core, performance cores first. */
static const struct x86_cpu_id intel_models[] = {
	MODEL(INTEL_CORE2_MEROM,	core2),
	MODEL(INTEL_CORE2_MEROM_L,	core2),
	MODEL(INTEL_CORE2_PENRYN,	core2),
	MODEL(INTEL_CORE2_DUNNINGTON,	core2),
	MODEL(INTEL_NEHALEM,		nehalem),
	MODEL(INTEL_NEHALEM_G,		nehalem),
	MODEL(INTEL_NEHALEM_EP,		nehalem),
	MODEL(INTEL_NEHALEM_EX,		nehalem),
	MODEL(INTEL_WESTMERE,		westmere),
	MODEL(INTEL_WESTMERE_EP,	westmere_ep),
	MODEL(INTEL_WESTMERE_EX,	westmere_ex),
	MODEL(INTEL_SANDYBRIDGE,	sandybridge),
	MODEL(INTEL_SANDYBRIDGE_X,	sandybridge_x),
	MODEL(INTEL_IVYBRIDGE,		ivybridge),
	MODEL(INTEL_IVYBRIDGE_X,	ivybridge_x),
	MODEL(INTEL_HASWELL,		haswell),
	MODEL(INTEL_HASWELL_L,		haswell),
	MODEL(INTEL_HASWELL_G,		haswell),
	MODEL(INTEL_HASWELL_X,		haswell_x),
	MODEL(INTEL_BROADWELL,		broadwell),
	MODEL(INTEL_BROADWELL_G,	broadwell),
	MODEL(INTEL_BROADWELL_D,	broadwell_x),
	MODEL(INTEL_BROADWELL_X,	broadwell_x),
	MODEL(INTEL_SKYLAKE_L,		skylake),
	MODEL(INTEL_SKYLAKE,		skylake),
	MODEL(INTEL_KABYLAKE_L,		skylake),
	MODEL(INTEL_KABYLAKE,		skylake),
	MODEL(INTEL_COMETLAKE_L,	skylake),
	MODEL(INTEL_COMETLAKE,		skylake),
	MODEL(INTEL_CANNONLAKE_L,	skylake),
	MODEL(INTEL_SKYLAKE_X,		skylake_x),
	MODEL(INTEL_ICELAKE_L,		icelake),
	MODEL(INTEL_ICELAKE,		icelake),
	MODEL(INTEL_ICELAKE_NNPI,	icelake),
	MODEL(INTEL_ROCKETLAKE,		icelake),
	MODEL(INTEL_TIGERLAKE_L,	tigerlake),
	MODEL(INTEL_TIGERLAKE,		tigerlake),
	MODEL(INTEL_ICELAKE_X,		icelake_x),
	MODEL(INTEL_ICELAKE_D,		icelake_x),
	MODEL(INTEL_ALDERLAKE,		golden_cove),
	MODEL(INTEL_ALDERLAKE,		gracemont),
	MODEL(INTEL_ALDERLAKE_L,	golden_cove),
	MODEL(INTEL_ALDERLAKE_L,	gracemont),
	MODEL(INTEL_RAPTORLAKE,		golden_cove),
	MODEL(INTEL_RAPTORLAKE,		gracemont),
	MODEL(INTEL_RAPTORLAKE_P,	golden_cove),
	MODEL(INTEL_RAPTORLAKE_P,	gracemont),
	MODEL(INTEL_RAPTORLAKE_S,	golden_cove),
	MODEL(INTEL_RAPTORLAKE_S,	gracemont),
	MODEL(INTEL_BARTLETTLAKE,	golden_cove),
	MODEL(INTEL_SAPPHIRERAPIDS_X,	golden_cove_x),
	MODEL(INTEL_EMERALDRAPIDS_X,	golden_cove_x),
	MODEL(INTEL_METEORLAKE,		redwood_cove),
	MODEL(INTEL_METEORLAKE,		crestmont),
	MODEL(INTEL_METEORLAKE_L,	redwood_cove),
	MODEL(INTEL_METEORLAKE_L,	crestmont),
	MODEL(INTEL_ARROWLAKE_U,	redwood_cove),
	MODEL(INTEL_ARROWLAKE_U,	crestmont),
	MODEL(INTEL_GRANITERAPIDS_X,	redwood_cove_x),
	MODEL(INTEL_GRANITERAPIDS_D,	redwood_cove_x),
	MODEL(INTEL_LUNARLAKE_M,	lion_cove),
	MODEL(INTEL_LUNARLAKE_M,	skymont),
	MODEL(INTEL_ARROWLAKE,		lion_cove),
	MODEL(INTEL_ARROWLAKE,		skymont),
	MODEL(INTEL_ARROWLAKE_H,	lion_cove),
	MODEL(INTEL_ARROWLAKE_H,	skymont),
	MODEL(INTEL_ATOM_BONNELL,	bonnell),
	MODEL(INTEL_ATOM_BONNELL_MID,	bonnell),
	MODEL(INTEL_ATOM_SALTWELL,	bonnell),
	MODEL(INTEL_ATOM_SALTWELL_MID,	bonnell),
	MODEL(INTEL_ATOM_SALTWELL_TABLET, bonnell),
	MODEL(INTEL_ATOM_SILVERMONT,	silvermont),
	MODEL(INTEL_ATOM_SILVERMONT_D,	silvermont),
	MODEL(INTEL_ATOM_SILVERMONT_MID, silvermont),
	MODEL(INTEL_ATOM_AIRMONT,	silvermont),
	MODEL(INTEL_ATOM_AIRMONT_MID,	silvermont),
	MODEL(INTEL_ATOM_AIRMONT_NP,	silvermont),
	MODEL(INTEL_XEON_PHI_KNL,	knl),
	MODEL(INTEL_XEON_PHI_KNM,	knl),
	MODEL(INTEL_ATOM_GOLDMONT,	goldmont),
	MODEL(INTEL_ATOM_GOLDMONT_D,	goldmont),
	MODEL(INTEL_ATOM_GOLDMONT_PLUS,	goldmont_plus),
	MODEL(INTEL_ATOM_TREMONT_D,	tremont),
	MODEL(INTEL_ATOM_TREMONT,	tremont),
	MODEL(INTEL_ATOM_TREMONT_L,	tremont),
	MODEL(INTEL_ATOM_GRACEMONT,	gracemont),
	MODEL(INTEL_ATOM_CRESTMONT_X,	crestmont),
	MODEL(INTEL_ATOM_CRESTMONT,	crestmont),
	{ }
};

/**
 * intel_model_of() - find the model of a kind of core
 * @id: identity of the CPU
 * @core_type: INTEL_CORE or INTEL_ATOM; 0 if all cores are alike
 *
 * Return: the model, NULL if it is not known.
 */
const struct intel_model *intel_model_of(const struct x86_hw_identity *id, u8 core_type)
{
	const struct x86_cpu_id *match;
	const struct intel_model *model;

	if (id->vendor != X86_VENDOR_INTEL)
		return NULL;
	for (match = intel_models; match->flags & X86_CPU_ID_FLAG_ENTRY_VALID; match++) {
		model = (const struct intel_model *)match->driver_data;
		if (match->family == id->family && match->model == id->model &&
		    (!core_type || model->core_type == core_type))
			return model;
	}
	return NULL;
}

/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_RETIRED, and the two events of where loads hit. */
static const struct event_constraint leaking_events[] = {
	EVENT_CONSTRAINT(0xd0, X86_PMC_GENERIC_MASK, 0xfc),
	{ }
};

/**
 * intel_model_tables() - set the tables of a model
 * @core: the PMU
 * @model: its model
 */
void intel_model_tables(struct x86_core_pmu *core, const struct intel_model *model)
{
	core->model_name = model->name;
	core->period_min = model->period_min;
	core->codes = model->codes;
	core->offcore_codes = model->offcore;
	core->rules = model->rules;
	core->extra = model->extra;
	if (model->flags & INTEL_LEAKS)
		core->leaks = leaking_events;
	core->model_events[X86_EVENTS_OF_MODEL] = model->events;
}

/* Files in events/ of CPUs with transactions. perf knows names and values. */
static struct attribute *tsx_events[] = {
	X86_PMU_FILE("tx-start", 0, "event=0xc9,umask=0x1"),
	X86_PMU_FILE("tx-commit", 0, "event=0xc9,umask=0x2"),
	X86_PMU_FILE("tx-abort", 0, "event=0xc9,umask=0x4"),
	X86_PMU_FILE("tx-conflict", 0, "event=0x54,umask=0x1"),
	X86_PMU_FILE("tx-capacity", 0, "event=0x54,umask=0x2"),
	X86_PMU_FILE("cycles-t", 0, "event=0x3c,in_tx=1"),
	X86_PMU_FILE("cycles-ct", 0, "event=0x3c,in_tx=1,in_tx_cp=1"),
	NULL,
};

/* Events of transactions. Microcode may need counter 3 for transactions, see tsx.c. */
static void __init apply_tsx(struct x86_core_pmu *core)
{
	struct x86_hw_cpuid leaf;
	u64 value;

	x86_hw_cpuid(7, 0, &leaf);
	if (!(leaf.reg[CPUID_EBX] & CPUID7_EBX_RTM))
		return;
	core->raw_mask |= HSW_IN_TX | HSW_IN_TX_CHECKPOINTED;
	core->model_events[X86_EVENTS_OF_TRANSACTIONS] = tsx_events;
	/* A hypervisor that does not offer the register has to handle counter 3 itself. */
	if (leaf.reg[CPUID_EDX] & CPUID7_EDX_TSX_FORCE_ABORT &&
	    !x86_hw_read_safe(MSR_TSX_FORCE_ABORT, &value) &&
	    !x86_hw_write_safe(MSR_TSX_FORCE_ABORT, value))
		core->force_abort = core->counters & BIT_ULL(3);
}

/**
 * intel_model_apply() - complete the description of a PMU by its model
 * @core: the PMU, after archperfmon_describe()
 * @model: its model
 *
 * Context: Boot, on a CPU of that kind.
 */
void __init intel_model_apply(struct x86_core_pmu *core, const struct intel_model *model)
{
	intel_model_tables(core, model);
	x86_extra_probe(core);
	if (model->flags & INTEL_TSX)
		apply_tsx(core);
	if (model->flags & INTEL_METRICS)
		x86_topdown_apply(core, model->flags & INTEL_METRICS_2 ? 2 : 1);
}
