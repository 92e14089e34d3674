// SPDX-License-Identifier: GPL-2.0
/*
 * The branch trace store of Intel's CPUs: writes records to the buffer that the debug store names.
 *
 * The branches come from branch_walk.c, several times: as if the interrupted code had been
 * executed in a loop. Some are written at intervals while tracing is on, and when it is turned
 * off. While a test has a script, only the test traces branches. A full buffer is written from its
 * beginning again; the manual leaves that open.
 *
 * As errata AR62 and W125 say, levels are filtered by the target only: without branches of the
 * kernel, branches from the kernel to user mode are recorded.
 *
 * Reports misuse: a buffer that the manual does not define, an index that changes while branches
 * are traced, filters of both levels, and a trace beside records of branches.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, "Branch Trace Store (BTS)", "Setting Up the DS Save Area",
 * "Setting Up the BTS Buffer", "Writing the DS Interrupt Service Routine".
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/cpu_entry_area.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include "ds.h"

#define BTS_FILTERS	(SDM_DEBUGCTL_BTS_OFF_OS | SDM_DEBUGCTL_BTS_OFF_USR)
#define BTS_ON		(SDM_DEBUGCTL_TR | SDM_DEBUGCTL_BTS)

/* Branches of one walk, and times that it is written. */
#define BTS_WALK	12
#define BTS_TURNS	8
/* Time between two walks. */
#define BTS_NS		(200 * NSEC_PER_USEC)
/* Records that must have room behind the threshold. */
#define BTS_SPARE	4

/**
 * struct emu_trace - the trace of a CPU
 * @on: branches are traced
 * @filters: what is left out
 * @index: the area's index after the last record, or when tracing was turned on
 * @raised: the interrupt of the threshold was raised
 * @timer: fires at the time of the next walk
 * @start: starts @timer for accesses in NMI
 */
struct emu_trace {
	bool		on;
	u64		filters;
	u64		index;
	bool		raised;
	struct hrtimer	timer;
	struct irq_work	start;
};

static DEFINE_PER_CPU(struct emu_trace, emu_trace);

/**
 * emu_bts() - does this CPU trace branches?
 *
 * Return: true if it does.
 */
bool emu_bts(void)
{
	return emu_pebs();
}

/**
 * emu_bts_debugctl() - get the bits of IA32_DEBUGCTL that the trace has
 *
 * Return: mask of bits.
 */
u64 emu_bts_debugctl(void)
{
	return emu_bts() ? BTS_ON | SDM_DEBUGCTL_BTINT | BTS_FILTERS : 0;
}

static u64 field(unsigned int offset)
{
	return *emu_ds_at(offset);
}

static void check_buffer(const struct emu_cpu *cpu)
{
	u64 base = field(SDM_DS_BTS_BASE), index = field(SDM_DS_BTS_INDEX);
	u64 max = field(SDM_DS_BTS_MAX), threshold = field(SDM_DS_BTS_THRESHOLD);

	if (base < CPU_ENTRY_AREA_BASE || max > CPU_ENTRY_AREA_BASE + CPU_ENTRY_AREA_MAP_SIZE)
		emu_misuse("BTS buffer %#llx to %#llx: not in the entry area", base, max);
	if (base & 7 || index < base || index > max || max < base + SDM_BTS_RECORD ||
	    (max - base) % SDM_BTS_RECORD || (index - base) % SDM_BTS_RECORD ||
	    (threshold - base) % SDM_BTS_RECORD || threshold <= base)
		emu_misuse("BTS buffer %#llx to %#llx, index %#llx, threshold %#llx", base, max,
			   index, threshold);
	if (!(cpu->debugctl & SDM_DEBUGCTL_BTINT) && threshold <= max)
		emu_misuse("BTS buffer in a circle with an interrupt: %#llx of %#llx", threshold,
			   max);
	if (cpu->debugctl & SDM_DEBUGCTL_BTINT &&
	    threshold + BTS_SPARE * SDM_BTS_RECORD > max)
		emu_misuse("no room behind the threshold of BTS: %#llx of %#llx", threshold, max);
}

static void check_mode(const struct emu_cpu *cpu)
{
	if ((cpu->debugctl & BTS_FILTERS) == BTS_FILTERS)
		emu_misuse("BTS traces no level");
	if (cpu->branches.recording)
		emu_misuse("BTS traces while branches are recorded");
}

static bool leaves_out(const struct emu_trace *trace, u64 to)
{
	return trace->filters &
	       (to >= TASK_SIZE_MAX ? SDM_DEBUGCTL_BTS_OFF_OS : SDM_DEBUGCTL_BTS_OFF_USR);
}

static void raise_if_full(struct emu_cpu *cpu, struct emu_trace *trace)
{
	if (trace->raised || trace->index < field(SDM_DS_BTS_THRESHOLD))
		return;
	trace->raised = true;
	emu_branches_freeze(cpu);
	emu_raise_pmi(cpu);
}

static void write_record(struct emu_trace *trace, u64 from, u64 to)
{
	u64 *index = emu_ds_at(SDM_DS_BTS_INDEX), *record;

	if (*index != trace->index)
		emu_misuse("BTS index is %#llx, was %#llx while branches were traced", *index,
			   trace->index);
	if (*index > field(SDM_DS_BTS_MAX))
		return;	/* spoilt: it stays there */
	if (*index + SDM_BTS_RECORD > field(SDM_DS_BTS_MAX))
		*index = field(SDM_DS_BTS_BASE);
	record = (u64 *)(unsigned long)*index;
	record[0] = from;
	record[1] = to;
	record[2] = (from >> 2) % 8 ? SDM_BTS_PREDICTED : 0;
	*index = emu_spoil_branch(*index + SDM_BTS_RECORD, field(SDM_DS_BTS_MAX));
	trace->index = *index;
}

/**
 * emu_bts_push() - trace a branch, if the registers say so
 * @cpu: this CPU's PMU
 * @from: address of the branch
 * @to: its target
 */
void emu_bts_push(struct emu_cpu *cpu, u64 from, u64 to)
{
	struct emu_trace *trace = this_cpu_ptr(&emu_trace);

	if (!trace->on || leaves_out(trace, to))
		return;
	write_record(trace, from, to);
	raise_if_full(cpu, trace);
}

/* Returns the address at which the walk ends. */
static u64 push_walk(struct emu_trace *trace, u64 ip)
{
	struct emu_branch walk[BTS_WALK];
	unsigned int nr = emu_walk_branches(walk, BTS_WALK, ip), turn, i;

	for (turn = 0; turn < BTS_TURNS; turn++) {
		for (i = 0; i < nr; i++) {
			if (!leaves_out(trace, walk[i].to))
				write_record(trace, walk[i].from, walk[i].to);
		}
	}
	return nr ? walk[nr - 1].to : ip;
}

static void push_far(struct emu_trace *trace, u64 from, u64 to)
{
	if (!leaves_out(trace, to))
		write_record(trace, from, to);
}

/* Trace the interrupted code of user mode, and of the kernel. */
static void push_interrupted(struct emu_cpu *cpu, struct emu_trace *trace)
{
	struct pt_regs *regs = cpu->in_timer ? get_irq_regs() : NULL, *user = NULL;
	u64 kernel = (unsigned long)push_interrupted, last;

	if (cpu->stage)
		return;
	if (regs && user_mode(regs))
		user = regs;
	else if (!(current->flags & PF_KTHREAD))
		user = task_pt_regs(current);
	if (regs && !user_mode(regs))
		kernel = regs->ip;
	if (user) {
		push_far(trace, kernel, user->ip);
		last = push_walk(trace, user->ip);
		push_far(trace, last, kernel);
	}
	push_walk(trace, kernel);
}

static void start_timer(struct emu_trace *trace)
{
	if (in_nmi())
		irq_work_queue(&trace->start);
	else if (!hrtimer_is_queued(&trace->timer))
		hrtimer_start(&trace->timer, ns_to_ktime(BTS_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void trace_begins(struct emu_cpu *cpu, struct emu_trace *trace)
{
	if (!emu_ds_at(0)) {
		emu_misuse("BTS is turned on, DS_AREA is 0");
		trace->on = false;
		return;
	}
	check_buffer(cpu);
	check_mode(cpu);
	trace->filters = cpu->debugctl & BTS_FILTERS;
	trace->index = field(SDM_DS_BTS_INDEX);
	trace->raised = trace->index >= field(SDM_DS_BTS_THRESHOLD);
	start_timer(trace);
}

/* What is left is written before the write of the register is complete. */
static void trace_ends(struct emu_cpu *cpu, struct emu_trace *trace)
{
	push_interrupted(cpu, trace);
	raise_if_full(cpu, trace);
}

/**
 * emu_bts_update() - apply a change of IA32_DEBUGCTL
 * @cpu: this CPU's PMU
 */
void emu_bts_update(struct emu_cpu *cpu)
{
	struct emu_trace *trace = this_cpu_ptr(&emu_trace);
	bool on = emu_bts() && (cpu->debugctl & BTS_ON) == BTS_ON;

	if (on && trace->on && trace->filters != (cpu->debugctl & BTS_FILTERS))
		emu_misuse("filters of BTS become %#llx while it traces",
			   cpu->debugctl & BTS_FILTERS);
	if (on == trace->on)
		return;
	if (!on)
		trace_ends(cpu, trace);
	trace->on = on;
	if (on)
		trace_begins(cpu, trace);
}

static void start_work(struct irq_work *work)
{
	start_timer(container_of(work, struct emu_trace, start));
}

static enum hrtimer_restart trace_timer(struct hrtimer *timer)
{
	struct emu_trace *trace = container_of(timer, struct emu_trace, timer);
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	/* The timer of a CPU that went offline has migrated. */
	if (trace != this_cpu_ptr(&emu_trace) || !trace->on)
		return HRTIMER_NORESTART;
	cpu->in_timer = true;
	barrier();
	push_interrupted(cpu, trace);
	raise_if_full(cpu, trace);
	barrier();
	cpu->in_timer = false;
	hrtimer_forward_now(timer, ns_to_ktime(BTS_NS));
	return HRTIMER_RESTART;
}

/**
 * emu_bts_init() - initialise the timers of all CPUs
 */
void __init emu_bts_init(void)
{
	int nr;

	for_each_possible_cpu(nr) {
		struct emu_trace *trace = per_cpu_ptr(&emu_trace, nr);

		hrtimer_init(&trace->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		trace->timer.function = trace_timer;
		trace->start = IRQ_WORK_INIT_HARD(start_work);
	}
}

/**
 * emu_bts_reset() - reset the trace of this CPU
 */
void emu_bts_reset(void)
{
	this_cpu_write(emu_trace.on, false);
}
