/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Precise sampling of Intel's cores (PEBS).
 *
 *   pebs_cpu.c		state of a CPU, and what records of an event are like
 *   pebs_record.c	layout of records
 *   pebs_data_src.c	what records say of memory accesses
 *   pebs_rules.c	which events are precise, as data
 *   pebs.c		events, and the registers; the side X86_SIDE_PRECISE
 *   pebs_break.c	hardware that writes what is no record
 *   pebs_drain.c	from records to counts and samples
 *   pebs_locate.c	the instruction of a record that has the next one
 *   ds.c		the memory that the hardware writes to
 */
#ifndef _X86_EVENTS_INTEL_PEBS_H
#define _X86_EVENTS_INTEL_PEBS_H

#include <asm/intel_ds.h>
#include "../../core/detect.h"
#include "../../counters/side.h"
#include "pebs_record.h"

/* What the event of a record says of memory, and the table of sources of the data. */
enum pebs_memory {
	PEBS_MEMORY_NONE,		/* the record has no address */
	PEBS_LOADS_NEHALEM,		/* latency of loads */
	PEBS_LOADS_NEHALEM_EX,
	PEBS_LOADS_SANDYBRIDGE,
	PEBS_LOADS_SKYLAKE,
	PEBS_LOADS_ICELAKE,
	PEBS_LOADS_GRACEMONT,
	PEBS_LOADS_UNKNOWN,		/* its sources are not published */
	PEBS_STORES_STATUS,		/* precise store: a hit or a miss */
	PEBS_STORES_ICELAKE,		/* latency of stores */
	PEBS_STORES_GRACEMONT,
	PEBS_STORES_UNKNOWN,
	PEBS_DATA_ADDRESS,		/* an address; what else is known depends on the event */
	PEBS_DATA_STATUS,		/* the same, of a store: a hit or a miss */
};

/* struct intel_pebs::flags */
#define PEBS_LOAD_BITS		BIT(0)	/* MSR_IA32_PEBS_ENABLE has a bit for latency of loads */
#define PEBS_STORE_BIT		BIT(1)	/* the same for precise stores, on counter 3 */
#define PEBS_LATENCY_WORDS	BIT(2)	/* the latency has parts: instruction and cache */
#define PEBS_NO_MEMORY		BIT(3)	/* see struct pebs_layout */
#define PEBS_LOADS_ALONE	BIT(4)	/* latency of loads excludes other precise events */

/**
 * struct intel_pebs - precise sampling of a model of cores
 * @events: the precise events and the counters that record them; NULL: all events and counters
 * @counters: the counters that can record; those that do not exist are ignored
 * @cycles: event select value of a precise event that counts cycles; 0: there is none
 * @exact: events that precise distribution is for, or NULL
 * @exact_on: counters with precise distribution of all events that they count
 * @inexact: events without it on these counters, or NULL
 * @loads: what records of MEM_TRANS_RETIRED.LOAD_LATENCY, or its equivalent, say
 * @loads_aux: event that must count for complete records of these, 0: there is none
 * @stores: what records of @store_event say
 * @store_event: event of stores with its unit mask, 0: there is none
 * @status: events of stores with records that have a status, or NULL
 * @files: files in events/, or NULL
 * @flags: PEBS_*
 */
struct intel_pebs {
	const struct event_constraint	*events;
	u64				counters;
	u64				cycles;
	const struct event_constraint	*exact;
	u64				exact_on;
	const struct event_constraint	*inexact;
	u8				loads;
	u8				stores;
	u16				loads_aux;
	u16				store_event;
	const struct event_constraint	*status;
	struct attribute		**files;
	u16				flags;
};

/* pebs_rules.c */
extern const struct intel_pebs intel_pebs_core2, intel_pebs_bonnell;
extern const struct intel_pebs intel_pebs_nehalem, intel_pebs_nehalem_ex;
extern const struct intel_pebs intel_pebs_sandybridge, intel_pebs_haswell;
extern const struct intel_pebs intel_pebs_skylake, intel_pebs_icelake, intel_pebs_golden_cove;
extern const struct intel_pebs intel_pebs_redwood_cove, intel_pebs_redwood_cove_x;
extern const struct intel_pebs intel_pebs_lion_cove;
extern const struct intel_pebs intel_pebs_silvermont, intel_pebs_knl, intel_pebs_goldmont;
extern const struct intel_pebs intel_pebs_goldmont_plus, intel_pebs_tremont;
extern const struct intel_pebs intel_pebs_gracemont, intel_pebs_crestmont;

/* The layout of a core's records. */
static inline struct pebs_layout pebs_layout_of(const struct x86_core_pmu *core)
{
	return (struct pebs_layout) {
		.format		= core->precise.format,
		.timed		= core->precise.timed,
		.no_memory	= core->precise.pebs->flags & PEBS_NO_MEMORY,
	};
}

u64 intel_pebs_counters(const struct intel_pebs *pebs, u64 config);
bool intel_pebs_is_exact(const struct intel_pebs *pebs, u64 config);

/* pebs_data_src.c */
u64 pebs_data_src(enum pebs_memory memory, u64 config, u64 source);
union perf_sample_weight pebs_weight(enum pebs_memory memory, u16 flags, u64 type,
				     const struct pebs_record *record);
u64 pebs_transaction(const struct pebs_record *record);

/* pebs.c */
void intel_pebs_describe(struct x86_core_pmu *core, const struct intel_pebs *pebs,
			 const char *no_precise, const struct x86_detect_cpu *cpu);

#endif /* _X86_EVENTS_INTEL_PEBS_H */
