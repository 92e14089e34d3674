/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's models of cores, as data.
 *
 * To add a core, add a struct intel_model to the file of its family, and a row to
 * models.c for each CPU with such cores. Start with copies of the previous core's tables.
 * If tools/perf/pmu-events has a folder for the core, intel_model_test.c reports differences.
 */
#ifndef _X86_EVENTS_INTEL_MODEL_H
#define _X86_EVENTS_INTEL_MODEL_H

#include "../../core/archperfmon.h"
#include "../../counters/event_attr.h"
#include "../ds/pebs.h"
#include "../lbr/lbr.h"

/* struct intel_model::flags */
#define INTEL_TSX	BIT(0)	/* events can be limited to transactions, if the CPU has them */
#define INTEL_METRICS	BIT(1)	/* topdown metrics of the first level */
#define INTEL_METRICS_2	BIT(2)	/* topdown metrics of two levels */
#define INTEL_LEAKS	BIT(3)	/* retired loads disturb the other thread, see siblings.c */
#define INTEL_EXTRA_SHARED BIT(4) /* threads of a core share the extra registers, see extra.c */
#define INTEL_STORES	BIT(5)	/* event 0x02cd samples stores, with PEBS only */
#define INTEL_CLEAR_FIRST BIT(6) /* x86_core_pmu::clear_first */
#define INTEL_TSX_READS	BIT(7)	/* transactions that read too much are counted apart */

/* Kinds of cores: CPUID leaf 0x1a EAX has the type, and the native model below it. */
#define INTEL_CORE	0x40
#define INTEL_ATOM	0x20
#define INTEL_KIND(_type, _native)	((u32)(_type) << 24 | (_native))
#define INTEL_KIND_TYPE(_kind)		((_kind) >> 24)

/**
 * struct intel_model - a model of cores
 * @name: caps/pmu_name in sysfs
 * @flags: INTEL_TSX, INTEL_METRICS, INTEL_METRICS_2, INTEL_LEAKS, INTEL_EXTRA_SHARED,
 *	INTEL_STORES, INTEL_CLEAR_FIRST, INTEL_TSX_READS
 * @codes: generic events
 * @offcore: generic events of the caches and memory outside of the core
 * @rules: counter constraints, or NULL
 * @extra: events that need an extra register, or NULL
 * @periods: events with limited periods, or NULL
 * @lbr: legacy branch records, or NULL
 * @events: files in events/, or NULL
 * @pebs: precise sampling, or NULL
 * @no_precise: why @pebs is refused, whatever the boot parameter says, or NULL
 */
struct intel_model {
	const char			*name;
	u8				flags;
	const struct x86_event_code	*codes;
	const struct x86_event_code	*offcore;
	const struct event_constraint	*rules;
	const struct extra_reg	*extra;
	const struct x86_period_rule	*periods;
	const struct intel_lbr		*lbr;
	struct attribute		**events;
	const struct intel_pebs		*pebs;
	const char			*no_precise;
};

/**
 * struct intel_part - a kind of core of a CPU
 * @vfm: vendor, family and model of the CPU
 * @kind: INTEL_KIND() in CPUs that can have several kinds, else 0
 * @pmu: name of the PMU in sysfs
 * @name: caps/pmu_name in sysfs, the same for all kinds of a CPU; NULL: the name of @model
 * @counters: mask of the counters of this kind, for CPUs where CPUID does not list all; 0:
 *	as CPUID says
 * @model: the model of such cores
 */
struct intel_part {
	u32				vfm;
	u32				kind;
	const char			*pmu;
	const char			*name;
	u64				counters;
	const struct intel_model	*model;
};

/*
 * Rows of event tables. The last argument is the event's name in the folder of the
 * model in tools/perf/pmu-events, or begins with "SDM".
 */
#define INTEL_HW(_id, _config, _name)					\
	{ X86_HW(_id), (_config), 0, X86_EVENT_NAME(_name) }
#define INTEL_CACHE(_cache, _op, _end, _config, _name)			\
	{								\
		/* X86_CACHE() would expand READ, a macro */	\
		X86_WHAT_CACHE | PERF_COUNT_HW_CACHE_##_cache |		\
			PERF_COUNT_HW_CACHE_OP_##_op << 8 |		\
			PERF_COUNT_HW_CACHE_RESULT_##_end << 16,	\
		(_config), 0, X86_EVENT_NAME(_name)			\
	}
#define INTEL_OFFCORE(_cache, _op, _end, _config, _response, _name)	\
	{								\
		X86_WHAT_CACHE | PERF_COUNT_HW_CACHE_##_cache |		\
			PERF_COUNT_HW_CACHE_OP_##_op << 8 |		\
			PERF_COUNT_HW_CACHE_RESULT_##_end << 16,	\
		(_config), (_response), X86_EVENT_NAME(_name)		\
	}

/* Rows of constraints: match the event number; also the unit mask; all bits. */
#define INTEL_EVENT_ON(_counters, _event)	EVENT_CONSTRAINT(_event, _counters, 0xff)
#define INTEL_UMASK_ON(_counters, _code)	EVENT_CONSTRAINT(_code, _counters, 0xffff)
#define INTEL_EXACT_ON(_counters, _config)	\
	EVENT_CONSTRAINT(_config, _counters, X86_SELECT_WHAT)

/* Two equivalent registers with an event each. RSP0 must come before RSP1. */
#define INTEL_OFFCORE_RSP0(_code, _valid)	\
	{ (_code), 0xffff, MSR_OFFCORE_RSP_0, (_valid), "offcore_rsp", 1 }
#define INTEL_OFFCORE_RSP1(_code, _valid)	\
	{ (_code), 0xffff, MSR_OFFCORE_RSP_1, (_valid), "offcore_rsp", -1 }
#define INTEL_LD_LAT(_code)	\
	{ (_code), 0xffff, MSR_PEBS_LD_LAT_THRESHOLD, 0xffff, "ldlat" }
#define INTEL_SNOOP_RSP(_code, _msr)	\
	{ (_code), 0xffff, (_msr), U64_MAX, "snoop_rsp" }
#define INTEL_FRONTEND(_code, _mask, _valid)	\
	{ (_code), (_mask), MSR_PEBS_FRONTEND, (_valid), "frontend" }

extern struct attribute *intel_slots_events[], *intel_slots_skylake_events[];

extern const struct intel_model intel_core2;
extern const struct intel_model intel_nehalem, intel_nehalem_ex;
extern const struct intel_model intel_westmere, intel_westmere_ep, intel_westmere_ex;
extern const struct intel_model intel_sandybridge, intel_sandybridge_x;
extern const struct intel_model intel_ivybridge, intel_ivybridge_x;
extern const struct intel_model intel_haswell, intel_haswell_x;
extern const struct intel_model intel_broadwell, intel_broadwell_x;
extern const struct intel_model intel_skylake, intel_skylake_x;
extern const struct intel_model intel_icelake, intel_icelake_x, intel_tigerlake;
extern const struct intel_model intel_golden_cove, intel_golden_cove_x;
extern const struct intel_model intel_redwood_cove, intel_redwood_cove_x;
extern const struct intel_model intel_lion_cove;
extern const struct intel_model intel_bonnell, intel_silvermont, intel_knl;
extern const struct intel_model intel_goldmont, intel_goldmont_plus, intel_tremont;
extern const struct intel_model intel_gracemont, intel_crestmont, intel_skymont;

const struct intel_part *intel_part_of(const struct x86_hw_identity *id, u32 kind);
void intel_model_tables(struct x86_core_pmu *core, const struct intel_model *model);

#endif /* _X86_EVENTS_INTEL_MODEL_H */
