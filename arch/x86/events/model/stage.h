/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stage for tests: on one CPU the clock of the model stands still, and a script says
 * what is counted, before which register access of the driver.
 */
#ifndef _X86_EVENTS_MODEL_STAGE_H
#define _X86_EVENTS_MODEL_STAGE_H

#include "model.h"

#define MODEL_STAGE_STEPS	2

/**
 * struct model_step - something is counted
 * @access: before this register access, from 0
 * @counter: by this counter; nothing happens unless it counts then
 * @overflow: as much as makes it run over, if that is not far
 * @more: and so much more
 */
struct model_step {
	unsigned int	access;
	unsigned int	counter;
	bool		overflow;
	unsigned int	more;
};

/**
 * struct model_stage - a script, and what came of it
 * @step: what happens
 * @steps: how many of @step are valid
 * @latency: register accesses between an overflow and its interrupt
 * @nmi: handles the interrupt, on this CPU with irqs off; returns how many
 *	overflows it has found
 * @accesses: register accesses so far
 * @counted: by counter
 * @nmi_due: an interrupt waits; there is never more than one
 * @nmi_at: until this access
 * @nmi_runs: @nmi is running, and keeps the next from coming
 * @spare: overflows that were handled by an interrupt other than their own
 * @for_nothing: interrupts that found nothing, and nothing explains them
 */
struct model_stage {
	struct model_step	step[MODEL_STAGE_STEPS];
	unsigned int		steps;
	unsigned int		latency;
	int			(*nmi)(struct model_stage *stage);
	unsigned int		accesses;
	u64			counted[MODEL_COUNTERS];
	bool			nmi_due;
	unsigned int		nmi_at;
	bool			nmi_runs;
	int			spare;
	unsigned int		for_nothing;
};

void model_stage_begin(struct model_stage *stage);
void model_stage_end(void);
void model_stage_drain(struct model_stage *stage);
void model_lose_power(void);

#endif /* _X86_EVENTS_MODEL_STAGE_H */
