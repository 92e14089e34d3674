// SPDX-License-Identifier: GPL-2.0
/*
 * A stage for tests of the driver's interrupt handling: counters of this CPU count
 * what a script says, at the register access where it says so, and an overflow's
 * interrupt comes so many accesses later. Interrupts are calls of a function, out of
 * the register access; while it runs one more can wait, as with NMIs.
 *
 * All of it on the CPU of the test, irqs off from begin to end or not at all.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/apic.h>
#include "stage.h"

/* A counter that is farther from its end has run over already. */
#define STAGE_NEAR	BIT_ULL(30)

static void happen(struct model_cpu *cpu, const struct model_step *step)
{
	struct model_counter *counter = &cpu->counter[step->counter];
	u64 end = BIT_ULL(model_machine->width), left = end - counter->value;
	u64 add = step->more;

	if (!(cpu->running & BIT_ULL(step->counter)))
		return;
	if (step->overflow && left < STAGE_NEAR)
		add += left;
	counter->value += add;
	cpu->stage->counted[step->counter] += add;
	if (counter->value < end)
		return;
	counter->value -= end;
	if (model_machine->vendor->overflow(cpu, BIT_ULL(step->counter)))
		model_raise_pmi(cpu);
}

/**
 * model_stage_before() - a register is about to be accessed
 * @cpu: this CPU's PMU, on stage
 */
void model_stage_before(struct model_cpu *cpu)
{
	struct model_stage *stage = cpu->stage;
	unsigned int access = stage->accesses++, i;

	for (i = 0; i < stage->steps; i++) {
		if (stage->step[i].access == access)
			happen(cpu, &stage->step[i]);
	}
}

static void run_nmi(struct model_stage *stage)
{
	int handled;

	stage->nmi_due = false;
	stage->nmi_runs = true;
	handled = stage->nmi(stage);
	stage->nmi_runs = false;

	stage->spare += handled - 1;
	if (!handled && stage->spare < 0) {
		stage->for_nothing++;
		stage->spare = 0;
	}
}

/**
 * model_stage_after() - a register has been accessed
 * @cpu: this CPU's PMU, on stage
 */
void model_stage_after(struct model_cpu *cpu)
{
	struct model_stage *stage = cpu->stage;

	if (stage->nmi_due && !stage->nmi_runs && stage->accesses > stage->nmi_at)
		run_nmi(stage);
}

/**
 * model_stage_raise() - an interrupt has been let through by the local APIC
 * @stage: where
 */
void model_stage_raise(struct model_stage *stage)
{
	if (stage->nmi_due)
		return;
	stage->nmi_due = true;
	stage->nmi_at = stage->accesses + stage->latency;
}

/**
 * model_stage_drain() - let interrupts come that wait
 * @stage: where
 */
void model_stage_drain(struct model_stage *stage)
{
	while (stage->nmi_due && !WARN_ON_ONCE(stage->nmi_runs))
		run_nmi(stage);
}

/**
 * model_stage_begin() - from here on the script says what is counted
 * @stage: the script
 */
void model_stage_begin(struct model_stage *stage)
{
	this_cpu_write(model_cpu.stage, stage);
}

/**
 * model_stage_end() - and from here on the clock again
 */
void model_stage_end(void)
{
	this_cpu_write(model_cpu.stage, NULL);
}

/**
 * model_lose_power() - the registers of this CPU's PMU are as after a reset
 *
 * The local APIC's entry has nothing to do with the PMU, and keeps what it has.
 */
void model_lose_power(void)
{
	struct model_cpu *cpu = this_cpu_ptr(&model_cpu);

	cpu->running = 0;
	cpu->unhandled = 0;
	memset(cpu->counter, 0, sizeof(cpu->counter));
	memset(cpu->select, 0, sizeof(cpu->select));
	cpu->fixed_ctrl = 0;
	cpu->global_ctrl = 0;
	cpu->global_status = 0;
	cpu->debugctl = 0;
	memset(cpu->extra, 0, sizeof(cpu->extra));
}
