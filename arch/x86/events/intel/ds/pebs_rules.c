// SPDX-License-Identifier: GPL-2.0
/*
 * Which events are precise: those for which the hardware writes a record that shows the
 * instruction that caused them.
 *
 * Since Ice Lake and Goldmont Plus, any event gets records on any counter, and the counter
 * constraints of the model are all there is. Goldmont records any event, on counter 0. Before,
 * only some events have records, on some counters.
 *
 * Data only. Rows with a unit mask are events of their own; rows without one stand for all unit
 * masks that tools/perf/pmu-events has. intel_model_test.c compares the tables with it.
 *
 * Sources: the field PEBS of tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter
 * "Performance Monitoring", "PEBS Performance Events" of the microarchitectures, for Core and for
 * the counters of small cores; "Layout of Data Linear Address Information In PEBS Record" and the
 * field L1_Hit_Indication of intel/perfmon for the status of stores.
 */
#include "../../counters/event_attr.h"
#include "pebs.h"

/* Bits that change what is counted. An event with them is not precise, if no row says so. */
#define MODIFIERS	(ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_ANY |	\
			 ARCH_PERFMON_EVENTSEL_INV | ARCH_PERFMON_EVENTSEL_CMASK)

/* All unit masks of an event; one; both with any threshold and inversion. */
#define EVENT_ON(_counters, _event)	\
	EVENT_CONSTRAINT(_event, _counters, 0xff | MODIFIERS)
#define UMASK_ON(_counters, _code)	\
	EVENT_CONSTRAINT(_code, _counters, 0xffff | MODIFIERS)
/* Files in events/, which perf mem and perf c2c need. */
#define MEMORY_FILES(_name, ...)	\
	static struct attribute *_name[] = { __VA_ARGS__, NULL }
#define LOADS(_event)	X86_PMU_FILE("mem-loads", 0, _event ",ldlat=3")
#define STORES(_event)	X86_PMU_FILE("mem-stores", 0, _event)

MEMORY_FILES(nehalem_files, LOADS("event=0xb,umask=0x10"));
MEMORY_FILES(sandybridge_files, LOADS("event=0xcd,umask=0x1"), STORES("event=0xcd,umask=0x2"));
MEMORY_FILES(haswell_files, LOADS("event=0xcd,umask=0x1"), STORES("event=0xd0,umask=0x82"));
/* See golden_cove_aux below. */
MEMORY_FILES(golden_cove_files, X86_PMU_FILE("mem-loads-aux", 0, "event=0x3,umask=0x82"),
	     LOADS("event=0xcd,umask=0x1"), STORES("event=0xcd,umask=0x2"));
MEMORY_FILES(gracemont_files, LOADS("event=0xd0,umask=0x5"), STORES("event=0xd0,umask=0x6"));

#define EVENT(_event)		EVENT_ON(0xf, _event)
#define UMASK(_code)		UMASK_ON(0xf, _code)
#define THRESHOLD(_event)	\
	EVENT_CONSTRAINT(_event, 0xf, 0xff | ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_ANY)

/*
 * Events of stores with a status in the record: MEM_UOPS_RETIRED, later MEM_INST_RETIRED,
 * .STLB_MISS_STORES, .SPLIT_STORES and .ALL_STORES; .STLB_HIT_STORES from Redwood Cove on. No event
 * of small cores has one. Intel's list also marks .ANY, which does not say whether it was a store.
 */
static const struct event_constraint haswell_status[] = {
	UMASK(0x12d0), UMASK(0x42d0), UMASK(0x82d0),
	{ }
};

static const struct event_constraint redwood_cove_status[] = {
	UMASK(0x0ad0), UMASK(0x12d0), UMASK(0x42d0), UMASK(0x82d0),
	{ }
};

/* Cycles: retired instructions or operations, inverted, with a threshold that none reaches. */
#define INST_RETIRED_CYCLES_16	0x108001c0
#define INST_RETIRED_CYCLES_10	0x0a8001c0
/* UOPS_RETIRED.TOTAL_CYCLES, which libpfm4 has as precise; tools/perf/pmu-events does not. */
#define UOPS_RETIRED_CYCLES_10	0x0a8001c2
#define CYCLES_ON(_counters, _config)	EVENT_CONSTRAINT(_config, _counters, 0xffff | MODIFIERS)

static const struct event_constraint core2_events[] = {
	UMASK_ON(0x1, 0x00c0), UMASK_ON(0x1, 0xfec1), UMASK_ON(0x1, 0x00c5), UMASK_ON(0x1, 0x1fc7),
	UMASK_ON(0x1, 0x01cb), UMASK_ON(0x1, 0x02cb), UMASK_ON(0x1, 0x04cb),
	UMASK_ON(0x1, 0x08cb), UMASK_ON(0x1, 0x10cb),
	{ }
};

const struct intel_pebs intel_pebs_core2 = {
	.events		= core2_events,
	.counters	= 0x1,
};

static const struct event_constraint bonnell_events[] = {
	UMASK_ON(0x1, 0x8110), UMASK_ON(0x1, 0x8210), UMASK_ON(0x1, 0x0282),
	UMASK_ON(0x1, 0x80b0), UMASK_ON(0x1, 0x00c0), UMASK_ON(0x1, 0x00c5),
	UMASK_ON(0x1, 0x04cb),
	{ }
};

const struct intel_pebs intel_pebs_bonnell = {
	.events		= bonnell_events,
	.counters	= 0x1,
};

/* Nehalem and Westmere. Of latency of loads there is one threshold, so one counter has it. */
static const struct event_constraint nehalem_events[] = {
	UMASK_ON(0x8, 0x100b), EVENT(0x0b), EVENT(0x0c), EVENT(0x0f), THRESHOLD(0xc0),
	THRESHOLD(0xc2), EVENT(0xc4), EVENT(0xc5), EVENT(0xc7),
	EVENT(0xc8), EVENT(0xcb), EVENT(0xf7),
	{ }
};

const struct intel_pebs intel_pebs_nehalem = {
	.events		= nehalem_events,
	.counters	= 0xf,
	.cycles		= INST_RETIRED_CYCLES_16,
	.loads		= PEBS_LOADS_NEHALEM,
	.flags		= PEBS_LOAD_BITS,
	.files		= nehalem_files,
};

const struct intel_pebs intel_pebs_nehalem_ex = {
	.events		= nehalem_events,
	.counters	= 0xf,
	.cycles		= INST_RETIRED_CYCLES_16,
	.loads		= PEBS_LOADS_NEHALEM_EX,
	.flags		= PEBS_LOAD_BITS,
	.files		= nehalem_files,
};

#define BRANCHES_RETIRED	\
	UMASK(0x01c4), UMASK(0x02c4), UMASK(0x04c4), UMASK(0x08c4), UMASK(0x20c4)

static const struct event_constraint sandybridge_events[] = {
	CYCLES_ON(0xf, UOPS_RETIRED_CYCLES_10),
	UMASK_ON(0x2, 0x01c0), UMASK_ON(0xf, 0x01c2), UMASK_ON(0xf, 0x02c2), BRANCHES_RETIRED,
	UMASK(0x01c5), UMASK(0x02c5), UMASK(0x04c5), UMASK(0x10c5), UMASK(0x20c5),
	UMASK_ON(0x8, 0x01cd), UMASK_ON(0x8, 0x02cd), EVENT(0xd0), EVENT(0xd1), EVENT(0xd2),
	UMASK(0x02d4),
	{ }
};

const struct intel_pebs intel_pebs_sandybridge = {
	.events		= sandybridge_events,
	.counters	= 0xf,
	.cycles		= UOPS_RETIRED_CYCLES_10,
	.loads		= PEBS_LOADS_SANDYBRIDGE,
	.stores		= PEBS_STORES_STATUS,
	.store_event	= 0x02cd,
	.flags		= PEBS_LOAD_BITS | PEBS_STORE_BIT | PEBS_LOADS_ALONE,
	.files		= sandybridge_files,
};

/* Haswell and Broadwell */
static const struct event_constraint haswell_events[] = {
	CYCLES_ON(0xf, UOPS_RETIRED_CYCLES_10),
	UMASK_ON(0x2, 0x01c0), UMASK_ON(0xf, 0x01c2), UMASK_ON(0xf, 0x02c2), BRANCHES_RETIRED,
	UMASK(0x01c5), UMASK(0x04c5), UMASK(0x08c5), UMASK(0x20c5), UMASK(0x04c8), UMASK(0x04c9),
	UMASK_ON(0x8, 0x01cd), EVENT(0xd0), EVENT(0xd1), EVENT(0xd2), EVENT(0xd3),
	{ }
};

/* INST_RETIRED.PREC_DIST */
static const struct event_constraint prec_dist[] = {
	UMASK_ON(0x2, 0x01c0),
	{ }
};

const struct intel_pebs intel_pebs_haswell = {
	.events		= haswell_events,
	.counters	= 0xf,
	.cycles		= UOPS_RETIRED_CYCLES_10,
	.exact		= prec_dist,
	.loads		= PEBS_LOADS_SANDYBRIDGE,
	.stores		= PEBS_DATA_STATUS,
	.store_event	= 0x82d0,
	.status		= haswell_status,
	.flags		= PEBS_LOAD_BITS,
	.files		= haswell_files,
};

static const struct event_constraint skylake_events[] = {
	CYCLES_ON(0xd, INST_RETIRED_CYCLES_10), UMASK_ON(0x2, 0x01c0), UMASK_ON(0xf, 0x02c0),
	BRANCHES_RETIRED, UMASK(0x40c4),
	UMASK(0x01c5), UMASK(0x02c5), UMASK(0x04c5), UMASK(0x08c5), UMASK(0x20c5), UMASK(0x01c6),
	UMASK(0x04c8), UMASK(0x04c9), UMASK(0x01cd), EVENT(0xd0), EVENT(0xd1), EVENT(0xd2),
	EVENT(0xd3), UMASK(0x04d4),
	{ }
};

const struct intel_pebs intel_pebs_skylake = {
	.events		= skylake_events,
	.counters	= 0xf,
	.cycles		= INST_RETIRED_CYCLES_10,
	.exact		= prec_dist,
	.loads		= PEBS_LOADS_SKYLAKE,
	.stores		= PEBS_DATA_STATUS,
	.store_event	= 0x82d0,
	.status		= haswell_status,
	.flags		= PEBS_LOAD_BITS,
	.files		= haswell_files,
};

#define ALL_COUNTERS	U64_MAX

const struct intel_pebs intel_pebs_icelake = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0),
	.loads		= PEBS_LOADS_ICELAKE,
	.stores		= PEBS_DATA_STATUS,
	.store_event	= 0x82d0,
	.status		= haswell_status,
	.files		= haswell_files,
};

/*
 * On Golden Cove records of the latency of loads are complete only while this event counts, in the
 * group before the event of loads. It is LD_BLOCKS.STORE_FORWARD, which has no exact distribution
 * on any counter. So precise_ip 3 leaves counter 0 to the latency of stores.
 *
 * Meteor Lake does not need it. Of Granite Rapids nothing was published: perf may use it there.
 */
#define GOLDEN_COVE_AUX		0x8203

static const struct event_constraint golden_cove_aux[] = {
	UMASK(GOLDEN_COVE_AUX),
	{ }
};

const struct intel_pebs intel_pebs_golden_cove = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0) | 0x1,
	.inexact	= golden_cove_aux,
	.loads		= PEBS_LOADS_ICELAKE,
	.loads_aux	= GOLDEN_COVE_AUX,
	.stores		= PEBS_STORES_ICELAKE,
	.store_event	= 0x02cd,
	.status		= haswell_status,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= golden_cove_files,
};

/* Meteor Lake */
const struct intel_pebs intel_pebs_redwood_cove = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0) | 0x1,
	.loads		= PEBS_LOADS_ICELAKE,
	.stores		= PEBS_STORES_ICELAKE,
	.store_event	= 0x02cd,
	.status		= redwood_cove_status,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= sandybridge_files,
};

/* Granite Rapids */
const struct intel_pebs intel_pebs_redwood_cove_x = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0) | 0x1,
	.inexact	= golden_cove_aux,
	.loads		= PEBS_LOADS_ICELAKE,
	.stores		= PEBS_STORES_ICELAKE,
	.store_event	= 0x02cd,
	.status		= redwood_cove_status,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= golden_cove_files,
};

const struct intel_pebs intel_pebs_lion_cove = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0) | 0x3,
	.loads		= PEBS_LOADS_UNKNOWN,
	.stores		= PEBS_STORES_UNKNOWN,
	.store_event	= 0x02cd,
	.status		= redwood_cove_status,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= sandybridge_files,
};

/* Silvermont and Airmont */
static const struct event_constraint silvermont_events[] = {
	UMASK_ON(0x1, 0x0103), UMASK_ON(0x1, 0x0803),
	UMASK_ON(0x1, 0x0204), UMASK_ON(0x1, 0x0404), UMASK_ON(0x1, 0x0804), UMASK_ON(0x1, 0x2004),
	EVENT_ON(0x1, 0xc4), EVENT_ON(0x1, 0xc5),
	{ }
};

const struct intel_pebs intel_pebs_silvermont = {
	.events		= silvermont_events,
	.counters	= 0x1,
	.flags		= PEBS_NO_MEMORY,
};

/* Knights Landing */
static const struct event_constraint knl_events[] = {
	UMASK_ON(0x1, 0x0103), UMASK_ON(0x1, 0x0803),
	UMASK_ON(0x1, 0x0204), UMASK_ON(0x1, 0x0404), UMASK_ON(0x1, 0x0804), UMASK_ON(0x1, 0x2004),
	UMASK_ON(0x1, 0x00c0), EVENT_ON(0x1, 0xc4), EVENT_ON(0x1, 0xc5),
	{ }
};

const struct intel_pebs intel_pebs_knl = {
	.events		= knl_events,
	.counters	= 0x1,
	.flags		= PEBS_NO_MEMORY,
};

/* Goldmont: events with reduced skid */
static const struct event_constraint goldmont_events[] = {
	EVENT_ON(0x1, 0x03), EVENT_ON(0x1, 0x13), UMASK_ON(0x1, 0x00c0),
	EVENT_ON(0x1, 0xc2), EVENT_ON(0x1, 0xc4), EVENT_ON(0x1, 0xc5),
	EVENT_ON(0x1, 0xd0), EVENT_ON(0x1, 0xd1),
	{ }
};

const struct intel_pebs intel_pebs_goldmont = {
	.counters	= 0x1,
	.exact		= goldmont_events,
	.flags		= PEBS_NO_MEMORY,
};

const struct intel_pebs intel_pebs_goldmont_plus = {
	.counters	= ALL_COUNTERS,
	.flags		= PEBS_NO_MEMORY,
};

const struct intel_pebs intel_pebs_tremont = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0),
};

const struct intel_pebs intel_pebs_gracemont = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0),
	.loads		= PEBS_LOADS_GRACEMONT,
	.stores		= PEBS_STORES_GRACEMONT,
	.store_event	= 0x06d0,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= gracemont_files,
};

/* Crestmont and Skymont */
const struct intel_pebs intel_pebs_crestmont = {
	.counters	= ALL_COUNTERS,
	.exact_on	= X86_PMC_FIXED_BIT(0),
	.loads		= PEBS_LOADS_UNKNOWN,
	.stores		= PEBS_STORES_UNKNOWN,
	.store_event	= 0x06d0,
	.flags		= PEBS_LATENCY_WORDS,
	.files		= gracemont_files,
};

/**
 * intel_pebs_counters() - get the counters that record an event
 * @pebs: the model
 * @config: event select value
 *
 * Return: mask of counters, which may not exist; 0 if the event is not precise.
 */
u64 intel_pebs_counters(const struct intel_pebs *pebs, u64 config)
{
	const struct event_constraint *row;

	if (!pebs->events)
		return pebs->counters;
	row = event_constraint_find(pebs->events, config);
	return row ? row->idxmsk64 & pebs->counters : 0;
}

/**
 * intel_pebs_is_exact() - check whether precise distribution is for an event
 * @pebs: the model
 * @config: event select value
 *
 * Return: true if it is, on all counters of intel_pebs_counters().
 */
bool intel_pebs_is_exact(const struct intel_pebs *pebs, u64 config)
{
	return event_constraint_find(pebs->exact, config);
}
