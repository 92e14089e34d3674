// SPDX-License-Identifier: GPL-2.0
/*
 * A stage for tests of the driver's interrupt handling. A script says at which register
 * access the counters of this CPU count how much, and how many accesses later the interrupt
 * of an overflow comes. Interrupts are calls of a function from within the register access.
 * While it runs, one more interrupt can be pending, as with NMIs.
 *
 * Context: On the CPU of the test. Interrupts are disabled from begin to end, or not at all.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/apic.h>
#include "ds.h"
#include "stage.h"

/* A counter that is farther from its overflow has overflowed already. */
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
	/* Clearing events are none of the event that the counter is programmed for. */
	if (!cpu->clearing)
		cpu->stage->counted[step->counter] += add;
	if (counter->value < end)
		return;
	counter->value -= end;
	if (model_machine->vendor->overflow(cpu, BIT_ULL(step->counter)))
		model_raise_pmi(cpu);
}

/**
 * model_stage_before() - count what the script says before a register access
 * @cpu: this CPU's PMU, with a script
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
 * model_stage_after() - raise a pending interrupt after a register access
 * @cpu: this CPU's PMU, with a script
 */
void model_stage_after(struct model_cpu *cpu)
{
	struct model_stage *stage = cpu->stage;

	if (stage->nmi_due && !stage->nmi_runs && stage->accesses > stage->nmi_at)
		run_nmi(stage);
}

/**
 * model_stage_raise() - make an interrupt pending
 * @stage: the script
 */
void model_stage_raise(struct model_stage *stage)
{
	if (stage->nmi_due)
		return;
	stage->nmi_due = true;
	stage->nmi_at = stage->accesses + stage->latency;
}

/**
 * model_stage_drain() - raise pending interrupts now
 * @stage: the script
 */
void model_stage_drain(struct model_stage *stage)
{
	while (stage->nmi_due && !WARN_ON_ONCE(stage->nmi_runs))
		run_nmi(stage);
}

/**
 * model_stage_begin() - replace the clock by a script
 * @stage: the script
 */
void model_stage_begin(struct model_stage *stage)
{
	this_cpu_write(model_cpu.stage, stage);
}

/**
 * model_stage_end() - return to the clock
 */
void model_stage_end(void)
{
	this_cpu_write(model_cpu.stage, NULL);
}

/**
 * model_lose_power() - reset the registers of this CPU's PMU
 *
 * The local APIC's entry does not belong to the PMU and keeps its value.
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
	memset(&cpu->branches, 0, sizeof(cpu->branches));
	memset(cpu->extra, 0, sizeof(cpu->extra));
	model_ds_reset();
	model_brs_reset();
}
