/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch trace store (BTS): hardware writes a record of each branch to memory.
 *
 *   bts.c	the hardware, and its buffer per CPU
 *   bts_pmu.c	the PMU "intel_bts", which copies records to an AUX area
 *   bts_side.c	events of the core PMU that sample each branch
 */
#ifndef _X86_EVENTS_INTEL_BTS_H
#define _X86_EVENTS_INTEL_BTS_H

#include "../../counters/core_pmu.h"

struct x86_detect_cpu;

/**
 * struct intel_bts_record - a branch, as hardware writes it
 * @from: the branch instruction
 * @to: its target, or the first instruction of a handler
 * @flags: bit 4: the branch was predicted; its meaning depends on the model
 */
struct intel_bts_record {
	u64	from;
	u64	to;
	u64	flags;
};

/* Records that the buffer has room for. */
#define INTEL_BTS_ROOM	(BTS_BUFFER_SIZE / sizeof(struct intel_bts_record))

/**
 * struct intel_bts_chunk - records that are taken from the buffer
 * @part: their first ones, the oldest part first
 * @nr: numbers of records in the parts
 * @lost: there may have been older ones, which were overwritten
 * @regs: registers of the context that an interrupt has interrupted, or NULL
 */
struct intel_bts_chunk {
	const struct intel_bts_record	*part[2];
	unsigned int			nr[2];
	bool				lost;
	struct pt_regs			*regs;
};

/**
 * struct intel_bts_user - what the records of a CPU are for
 * @room: returns the number of records that the buffer is given for the event, at most
 *	INTEL_BTS_ROOM. An interrupt works through so many. Called each time that tracing is turned
 *	on
 * @take: takes records. Called with tracing paused, with interrupts disabled or in NMI. May call
 *	intel_bts_stop()
 */
struct intel_bts_user {
	unsigned int	(*room)(const struct perf_event *event);
	void		(*take)(struct x86_cpu_pmu *cpu, struct perf_event *event,
				const struct intel_bts_chunk *chunk);
};

/* bts.c */
int intel_bts_reserve(void);
void intel_bts_release(void);
bool intel_bts_get(struct x86_cpu_pmu *cpu, struct perf_event *event,
		   const struct intel_bts_user *user);
void intel_bts_put(struct x86_cpu_pmu *cpu);
void intel_bts_start(struct x86_cpu_pmu *cpu);
void intel_bts_stop(struct x86_cpu_pmu *cpu);
void intel_bts_drain(struct x86_cpu_pmu *cpu);
bool intel_bts_is_on(void);
void intel_bts_quiet(struct x86_cpu_pmu *cpu);
bool intel_bts_probe(const struct x86_core_pmu *core);

/* bts_side.c */
void intel_bts_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);

#endif /* _X86_EVENTS_INTEL_BTS_H */
