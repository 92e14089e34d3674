// SPDX-License-Identifier: GPL-2.0
/*
 * The parts: which kinds of cores a CPU has, and the model of each kind, which completes the
 * description by CPUID.
 *
 * A kind without a row is described by CPUID only: it has the architectural events, no
 * counter constraints and no extra registers.
 *
 * Used at boot and in tests.
 */
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "model.h"

/* Counters of a part: so many general purpose and fixed ones. */
#define COUNTERS(_generic, _fixed)					\
	(GENMASK_ULL((_generic) - 1, 0) |				\
	 GENMASK_ULL((_fixed) - 1, 0) << INTEL_PMC_IDX_FIXED)

/* A CPU with cores that are alike. */
#define MODEL(_vfm, _model)						\
	{ .vfm = (_vfm), .pmu = "cpu", .model = &intel_##_model }

/* The same; CPUID does not list all of its counters. */
#define MODEL_WITH(_vfm, _model, _counters)				\
	{ .vfm = (_vfm), .pmu = "cpu", .counters = (_counters), .model = &intel_##_model }

/* One kind of core of a CPU. */
#define KIND(_vfm, _type, _native, _pmu, _name, _model, _counters)	\
	{								\
		.vfm = (_vfm), .kind = INTEL_KIND(_type, _native),	\
		.pmu = (_pmu), .name = (_name),				\
		.counters = (_counters), .model = &intel_##_model,	\
	}

/* Leaf 0xa lists only the counters that both kinds have. There is no leaf 0x23. */
#define ALDERLAKE_P(_vfm)						\
	KIND(_vfm, INTEL_CORE, 1, "cpu_core", "alderlake_hybrid",	\
	     golden_cove, COUNTERS(8, 4))
#define ALDERLAKE_E(_vfm)						\
	KIND(_vfm, INTEL_ATOM, 1, "cpu_atom", "alderlake_hybrid",	\
	     gracemont, COUNTERS(6, 3))

/* From here on leaf 0x23 lists the counters of each kind. */
#define METEORLAKE_P(_vfm)						\
	KIND(_vfm, INTEL_CORE, 2, "cpu_core", "meteorlake_hybrid", redwood_cove, 0)
#define METEORLAKE_E(_vfm)						\
	KIND(_vfm, INTEL_ATOM, 2, "cpu_atom", "meteorlake_hybrid", crestmont, 0)
#define LUNARLAKE_P(_vfm)						\
	KIND(_vfm, INTEL_CORE, 3, "cpu_core", "lunarlake_hybrid", lion_cove, 0)
#define LUNARLAKE_E(_vfm)						\
	KIND(_vfm, INTEL_ATOM, 3, "cpu_atom", "lunarlake_hybrid", skymont, 0)

/*
 * The rows of a CPU are adjacent, performance cores first. A CPU that does not say of which
 * kind it is has the first row: in some CPUs the small cores are fused off.
 *
 * Core 2: SDM volume 3, section "Performance Monitoring (Processors Based on Intel Core
 * Microarchitecture)". CPUID lists no fixed counter. Bonnell and Saltwell: the folder
 * bonnell of tools/perf/pmu-events has events on three fixed counters, CPUID lists one.
 */
static const struct intel_part intel_parts[] = {
	MODEL_WITH(INTEL_CORE2_MEROM, core2, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_CORE2_MEROM_L, core2, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_CORE2_PENRYN, core2, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_CORE2_DUNNINGTON, core2, COUNTERS(2, 3)),
	MODEL(INTEL_NEHALEM,		nehalem),
	MODEL(INTEL_NEHALEM_G,		nehalem),
	MODEL(INTEL_NEHALEM_EP,		nehalem),
	MODEL(INTEL_NEHALEM_EX,		nehalem_ex),
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
	ALDERLAKE_P(INTEL_ALDERLAKE),
	ALDERLAKE_E(INTEL_ALDERLAKE),
	ALDERLAKE_P(INTEL_ALDERLAKE_L),
	ALDERLAKE_E(INTEL_ALDERLAKE_L),
	ALDERLAKE_P(INTEL_RAPTORLAKE),
	ALDERLAKE_E(INTEL_RAPTORLAKE),
	ALDERLAKE_P(INTEL_RAPTORLAKE_P),
	ALDERLAKE_E(INTEL_RAPTORLAKE_P),
	ALDERLAKE_P(INTEL_RAPTORLAKE_S),
	ALDERLAKE_E(INTEL_RAPTORLAKE_S),
	MODEL(INTEL_BARTLETTLAKE,	golden_cove),
	MODEL(INTEL_SAPPHIRERAPIDS_X,	golden_cove_x),
	MODEL(INTEL_EMERALDRAPIDS_X,	golden_cove_x),
	METEORLAKE_P(INTEL_METEORLAKE),
	METEORLAKE_E(INTEL_METEORLAKE),
	METEORLAKE_P(INTEL_METEORLAKE_L),
	METEORLAKE_E(INTEL_METEORLAKE_L),
	METEORLAKE_P(INTEL_ARROWLAKE_U),
	METEORLAKE_E(INTEL_ARROWLAKE_U),
	MODEL(INTEL_GRANITERAPIDS_X,	redwood_cove_x),
	MODEL(INTEL_GRANITERAPIDS_D,	redwood_cove_x),
	LUNARLAKE_P(INTEL_LUNARLAKE_M),
	LUNARLAKE_E(INTEL_LUNARLAKE_M),
	LUNARLAKE_P(INTEL_ARROWLAKE),
	LUNARLAKE_E(INTEL_ARROWLAKE),
	/* also the small cores of Meteor Lake, on the low power island */
	KIND(INTEL_ARROWLAKE_H, INTEL_CORE, 3, "cpu_core", "arrowlake_h_hybrid", lion_cove, 0),
	KIND(INTEL_ARROWLAKE_H, INTEL_ATOM, 3, "cpu_atom", "arrowlake_h_hybrid", skymont, 0),
	KIND(INTEL_ARROWLAKE_H, INTEL_ATOM, 2, "cpu_lowpower", "arrowlake_h_hybrid",
	     crestmont, 0),
	MODEL_WITH(INTEL_ATOM_BONNELL, bonnell, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_ATOM_BONNELL_MID, bonnell, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_ATOM_SALTWELL, bonnell, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_ATOM_SALTWELL_MID, bonnell, COUNTERS(2, 3)),
	MODEL_WITH(INTEL_ATOM_SALTWELL_TABLET, bonnell, COUNTERS(2, 3)),
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
 * intel_part_of() - find the row of a kind of core
 * @id: identity of the CPU
 * @kind: leaf 0x1a EAX of the CPU; 0: it does not say
 *
 * Return: the row, NULL if the kind is not known.
 */
const struct intel_part *intel_part_of(const struct x86_hw_identity *id, u32 kind)
{
	const struct intel_part *part;

	if (id->vendor != X86_VENDOR_INTEL)
		return NULL;
	for (part = intel_parts; part->model; part++) {
		if (VFM_FAMILY(part->vfm) == id->family && VFM_MODEL(part->vfm) == id->model &&
		    (!kind || !part->kind || part->kind == kind))
			return part;
	}
	return NULL;
}

/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_RETIRED, and the two events of where loads hit. */
static const struct event_constraint leaking_events[] = {
	EVENT_CONSTRAINT(0xd0, X86_PMC_GENERIC_MASK, 0xfc),
	{ }
};

/* MEM_TRANS_RETIRED.PRECISE_STORE, later STORE_SAMPLE: SDM volume 3, "Precise Store Facility". */
static const struct event_constraint store_events[] = {
	EVENT_CONSTRAINT(0x02cd, X86_PMC_GENERIC_MASK, 0xffff),
	{ }
};

/**
 * intel_model_tables() - set the tables of a model
 * @core: the PMU
 * @model: its model
 *
 * The PMU has no topdown metrics and no events of transactions afterwards.
 */
void intel_model_tables(struct x86_core_pmu *core, const struct intel_model *model)
{
	core->files.cpu_name = model->name;
	core->codes = model->codes;
	core->offcore_codes = model->offcore;
	core->rules = model->rules;
	core->extra = model->extra;
	core->periods = model->periods;
	core->extra_shared = model->flags & INTEL_EXTRA_SHARED;
	core->clear_first = model->flags & INTEL_CLEAR_FIRST;
	if (model->flags & INTEL_LEAKS)
		core->leaks = leaking_events;
	if (model->flags & INTEL_STORES)
		core->only_precise = store_events;
	core->files.events[X86_EVENTS_OF_MODEL] = model->events;
}
