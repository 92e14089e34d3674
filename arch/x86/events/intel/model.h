/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's models of cores, as data: how the tables of a core are written.
 *
 * A new core is a row, struct intel_model, in the file of its kin, and a line for
 * each CPU that has it in models.c. Its tables begin as copies of those of the core
 * before. Where tools/perf/pmu-events has a folder for it, model_test.c finds
 * what does not agree with that.
 */
#ifndef _X86_EVENTS_INTEL_MODEL_H
#define _X86_EVENTS_INTEL_MODEL_H

#include "../archperfmon.h"
#include "../sysfs.h"

/* struct intel_model::flags */
#define INTEL_TSX	BIT(0)	/* counts in transactions only, where the CPU has them */
#define INTEL_METRICS	BIT(1)	/* topdown metrics of the first level */
#define INTEL_METRICS_2	BIT(2)	/* and of the second */
#define INTEL_LEAKS	BIT(3)	/* retired loads are counted for the other thread too */

/* Kinds of cores of hybrid CPUs: CPUID leaf 0x1a EAX[31:24]. */
#define INTEL_CORE	0x40
#define INTEL_ATOM	0x20

/**
 * struct intel_model - a model of cores
 * @name: caps/pmu_name in sysfs
 * @core_type: INTEL_CORE or INTEL_ATOM if there are hybrid CPUs with it, else 0
 * @flags: what it has beside
 * @period_min: as in struct x86_core_pmu; 0: any
 * @codes: generic events
 * @offcore: generic events of caches and memory that cores share
 * @rules: events that not every counter counts, or NULL
 * @extra: events with a register of their own, or NULL
 * @events: files in events/, or NULL
 */
struct intel_model {
	const char			*name;
	u8				core_type;
	u8				flags;
	u8				period_min;
	const struct x86_event_code	*codes;
	const struct x86_event_code	*offcore;
	const struct event_constraint	*rules;
	const struct extra_reg	*extra;
	struct attribute		**events;
};

/*
 * Rows of event tables. The last argument is the event's name in the folder of the
 * model in tools/perf/pmu-events, or begins with "SDM".
 */
#define INTEL_HW(_id, _config, _name)					\
	{ X86_HW(_id), (_config), 0, X86_EVENT_NAME(_name) }
#define INTEL_CACHE(_cache, _op, _end, _config, _name)			\
	{								\
		/* not by X86_CACHE(): READ would not get there */	\
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

/* Rows of constraints: an event with any unit mask; with this one; as it stands. */
#define INTEL_EVENT_ON(_counters, _event)	EVENT_CONSTRAINT(_event, _counters, 0xff)
#define INTEL_UMASK_ON(_counters, _code)	EVENT_CONSTRAINT(_code, _counters, 0xffff)
#define INTEL_EXACT_ON(_counters, _config)	\
	EVENT_CONSTRAINT(_config, _counters, X86_SELECT_WHAT)

/* Counting in transactions with a checkpoint: SDM vol. 3, "IA32_PERFEVTSEL2". */
#define INTEL_CHECKPOINT_ON_2	\
	EVENT_CONSTRAINT(HSW_IN_TX_CHECKPOINTED, 0x4, HSW_IN_TX_CHECKPOINTED)

/* Two registers of which any will do, each with an event of its own; in this order. */
#define INTEL_OFFCORE_RSP0(_code, _valid)	\
	{ (_code), 0xffff, MSR_OFFCORE_RSP_0, (_valid), "offcore_rsp", 1 }
#define INTEL_OFFCORE_RSP1(_code, _valid)	\
	{ (_code), 0xffff, MSR_OFFCORE_RSP_1, (_valid), "offcore_rsp", -1 }
#define INTEL_LD_LAT(_code)	\
	{ (_code), 0xffff, MSR_PEBS_LD_LAT_THRESHOLD, 0xffff, "ldlat" }
#define INTEL_FRONTEND(_code, _mask, _valid)	\
	{ (_code), (_mask), MSR_PEBS_FRONTEND, (_valid), "frontend" }

extern struct attribute *intel_slots_events[], *intel_slots_skylake_events[];

extern const struct intel_model intel_core2;
extern const struct intel_model intel_nehalem, intel_westmere, intel_westmere_ep, intel_westmere_ex;
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

const struct intel_model *intel_model_of(const struct x86_hw_identity *id, u8 core_type);
void intel_model_apply(struct x86_core_pmu *core, const struct intel_model *model);
void intel_model_tables(struct x86_core_pmu *core, const struct intel_model *model);

#endif /* _X86_EVENTS_INTEL_MODEL_H */
