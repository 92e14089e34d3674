// SPDX-License-Identifier: GPL-2.0
/*
 * A stage for tests of the driver's interrupt handling. A script says at which register
 * access the counters of this CPU count how much, and how many accesses later the interrupt
 * of an overflow comes. Interrupts are calls of a function from within the register access.
 * While it runs, one more interrupt can be pending, as with NMIs.
 *
 * Context: on the CPU of the test. Interrupts are off from begin to end, or not at all.
 *	Other functions as documented.
 */
#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/apic.h>
#include "ds.h"
#include "stage.h"

/* A counter that is farther from its overflow has overflowed already. */
#define STAGE_NEAR	BIT_ULL(30)

static void happen(struct emu_cpu *cpu, const struct emu_step *step)
{
	struct emu_counter *counter = &cpu->counter[step->counter];
	u64 end = BIT_ULL(emu_machine->width), left = end - counter->value;
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
	if (emu_machine->vendor->overflow(cpu, BIT_ULL(step->counter)))
		emu_raise_pmi(cpu);
}

/**
 * emu_stage_before() - count what the script says before a register access
 * @cpu: this CPU's PMU, with a script
 */
void emu_stage_before(struct emu_cpu *cpu)
{
	struct emu_stage *stage = cpu->stage;
	unsigned int access = stage->accesses++, i;

	for (i = 0; i < stage->steps; i++) {
		if (stage->step[i].access == access)
			happen(cpu, &stage->step[i]);
	}
}

static void run_nmi(struct emu_stage *stage)
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
 * emu_stage_after() - raise a pending interrupt after a register access
 * @cpu: this CPU's PMU, with a script
 */
void emu_stage_after(struct emu_cpu *cpu)
{
	struct emu_stage *stage = cpu->stage;

	if (stage->nmi_due && !stage->nmi_runs && stage->accesses > stage->nmi_at)
		run_nmi(stage);
}

/**
 * emu_stage_raise() - make an interrupt pending
 * @stage: the script
 */
void emu_stage_raise(struct emu_stage *stage)
{
	if (stage->nmi_due)
		return;
	stage->nmi_due = true;
	stage->nmi_at = stage->accesses + stage->latency;
}

/**
 * emu_stage_drain() - raise pending interrupts now
 * @stage: the script
 */
void emu_stage_drain(struct emu_stage *stage)
{
	while (stage->nmi_due && !WARN_ON_ONCE(stage->nmi_runs))
		run_nmi(stage);
}

/**
 * emu_stage_begin() - replace the clock by a script
 * @stage: the script
 */
void emu_stage_begin(struct emu_stage *stage)
{
	this_cpu_write(emu_cpu.stage, stage);
}

/**
 * emu_stage_end() - return to the clock
 */
void emu_stage_end(void)
{
	this_cpu_write(emu_cpu.stage, NULL);
}

static void end_here(void *unused)
{
	emu_stage_end();
}

/**
 * emu_stage_end_on() - return to the clock on a CPU
 * @nr: the CPU
 *
 * The end of a KUnit test runs in another thread than the test, and so may run on another CPU.
 *
 * Context: task.
 */
void emu_stage_end_on(int nr)
{
	smp_call_function_single(nr, end_here, NULL, 1);
}

/**
 * emu_stage_set() - make a script for counters from one for events
 * @stage: output
 * @script: steps name events instead of counters
 * @event: the events, with their counters
 * @nmi: handles interrupts, see struct emu_stage
 */
void emu_stage_set(struct emu_stage *stage, const struct emu_stage *script,
		   struct perf_event *const *event, int (*nmi)(struct emu_stage *stage))
{
	unsigned int n;

	*stage = *script;
	stage->nmi = nmi;
	for (n = 0; n < script->steps; n++)
		stage->step[n].counter = event[script->step[n].counter]->hw.idx;
}

/**
 * emu_stage_pairs() - try overflows of two events before many pairs of accesses
 * @play: plays a script with steps of the events 0 and 1; returns the number of accesses
 * @context: for @play
 * @script: what all scripts have in common
 * @more: accesses by interrupts during an operation
 * @apart: accesses between the two overflows, at most
 *
 * Context: task.
 */
void emu_stage_pairs(unsigned int (*play)(void *context, const struct emu_stage *script),
		     void *context, struct emu_stage *script, unsigned int more,
		     unsigned int apart)
{
	struct emu_step *step = script->step;
	unsigned int last, which;

	script->steps = 0;
	last = play(context, script) + more;
	script->steps = 2;
	step[0].overflow = true;
	step[1].overflow = true;
	for (step[0].access = 0; step[0].access < last; step[0].access++) {
		for (step[1].access = step[0].access;
		     step[1].access < last && step[1].access - step[0].access <= apart;
		     step[1].access++) {
			for (which = 0; which < 4; which++) {
				step[0].counter = which & 1;
				step[1].counter = which >> 1;
				play(context, script);
			}
		}
		cond_resched();
	}
}

/**
 * emu_stage_print() - print a script of emu_stage_pairs()
 * @script: the script
 */
void emu_stage_print(const struct emu_stage *script)
{
	pr_info("%u steps: event %u before access %u, event %u before %u; more %u, latency %u\n",
		script->steps, script->step[0].counter, script->step[0].access,
		script->step[1].counter, script->step[1].access, script->step[0].more,
		script->latency);
}

/**
 * emu_lose_power() - reset the registers of this CPU's PMU
 *
 * The local APIC's entry does not belong to the PMU and keeps its value.
 */
void emu_lose_power(void)
{
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

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
	emu_ds_reset();
	emu_brs_reset();
}
