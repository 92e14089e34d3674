/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stage for tests: on one CPU a script replaces the emulator's clock. It says what is
 * counted before which register access of the driver.
 */
#ifndef _PMU_EMULATOR_X86_STAGE_H
#define _PMU_EMULATOR_X86_STAGE_H

#include "emulator.h"

struct perf_event;

#define EMU_STAGE_STEPS		2

/**
 * struct emu_step - a step of a script
 * @access: number of the register access before which the step happens, from 0
 * @counter: counter that counts; nothing happens if it does not count at that time
 * @overflow: count up to the overflow, if that is not far
 * @more: count so many events more
 */
struct emu_step {
	unsigned int	access;
	unsigned int	counter;
	bool		overflow;
	unsigned int	more;
};

/**
 * struct emu_stage - a script and its results
 * @step: the steps
 * @steps: number of valid steps
 * @latency: number of register accesses between an overflow and its interrupt
 * @record_late_by: a record is late if its counter was stopped by the access that has found the
 *	overflow, or before: the number of register accesses until it is written; 0: records are
 *	never late
 * @nmi: handles the interrupt on this CPU with interrupts disabled; returns the number of
 *	overflows
 * @accesses: number of register accesses so far
 * @counted: number of events by counter
 * @nmi_due: an interrupt is pending; there is never more than one
 * @nmi_at: register access after which the interrupt comes
 * @nmi_runs: @nmi is running, which delays the next interrupt
 * @spare: number of overflows handled by the interrupt of another overflow
 * @for_nothing: number of interrupts without overflows, not counting those for which
 *	@spare accounts
 */
struct emu_stage {
	struct emu_step		step[EMU_STAGE_STEPS];
	unsigned int		steps;
	unsigned int		latency;
	unsigned int		record_late_by;
	int			(*nmi)(struct emu_stage *stage);
	unsigned int		accesses;
	u64			counted[EMU_COUNTERS];
	bool			nmi_due;
	unsigned int		nmi_at;
	bool			nmi_runs;
	int			spare;
	unsigned int		for_nothing;
};

void emu_stage_begin(struct emu_stage *stage);
void emu_stage_end(void);
void emu_stage_end_on(int nr);
void emu_stage_set(struct emu_stage *stage, const struct emu_stage *script,
		   struct perf_event *const *event, int (*nmi)(struct emu_stage *stage));
void emu_stage_pairs(unsigned int (*play)(void *context, const struct emu_stage *script),
		     void *context, struct emu_stage *script, unsigned int more,
		     unsigned int apart);
void emu_stage_print(const struct emu_stage *script);
void emu_stage_drain(struct emu_stage *stage);
void emu_lose_power(void);

#endif /* _PMU_EMULATOR_X86_STAGE_H */
