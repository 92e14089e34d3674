// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU's interrupt, which the local APIC delivers as an NMI.
 *
 * The handler disables the PMU, so that the values it reads are consistent and no
 * overflow is missed. It handles counters until the status is zero, because one NMI may
 * stand for several overflows: the CPU keeps only one NMI pending. It returns the number of
 * counters that it has handled. With that number the NMI code distinguishes a second NMI, of
 * overflows that were already handled, from an NMI of another source, if the second NMI
 * follows at once. On AMD it may come later, see counters/late.c.
 *
 * If the status does not become zero, the bits that come back are ignored from then on, their
 * events are disabled, and the log says so. A counter is heeded again when it gets an event.
 *
 * Entry points: perf_events_lapic_init() when the APIC of a CPU is set up,
 * x86_nmi_handle() in NMI (Xen: in a hard interrupt).
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "../counters/core_pmu.h"
#include "../counters/count.h"
#include "../counters/counters.h"
#include "../counters/late.h"
#include "../counters/side.h"
#include "../features/topdown.h"
#include "../perf_event.h"
#include "nmi.h"
#include "schedule.h"

/* After so many rounds, the bits of the status that were set in each of them do not go away. */
#define NMI_MAX_ROUNDS	64

/* Name of the handler. */
#define PMI_NAME	"PMI"

/**
 * perf_events_lapic_init() - route PMU interrupts of this CPU to its NMI
 *
 * The APIC masks its entry whenever it has delivered an interrupt from it.
 *
 * Context: preemption off, in the set-up of the CPU's local APIC at boot, on hotplug and
 * on resume.
 */
void perf_events_lapic_init(void)
{
	if (x86_pmu.name)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
}

static void x86_nmi_handle_counter(struct x86_cpu_pmu *cpu, unsigned int idx,
				   struct pt_regs *regs)
{
	struct perf_event *event = cpu->owner[idx];
	struct perf_sample_data data __uninitialized;
	bool due;

	if (event->hw.flags & X86_EVENT_TOPDOWN) {
		x86_topdown_overflow(cpu);
		return;
	}
	x86_count_update(event);
	/* The overflow may be of the event that had the counter before. */
	if (!x86_count_wrapped(event))
		return;

	/* Of a traced event, only the count is the counter's. */
	due = local64_read(&event->hw.period_left) <= 0 && !(event->hw.flags & X86_EVENT_TRACED);
	perf_sample_data_init(&data, 0, due ? x86_count_period(event) : 0);
	x86_count_arm(cpu, event);
	perf_event_update_userpage(event);
	if (due && x86_side_uses(event))
		x86_side_before_sample(cpu, event, &data, regs);
	if (due && perf_event_overflow(event, &data, x86_hw_interrupted(regs)))
		x86_sched_stop(event);
}

/* Processor trace has filled an output region, of a guest or of the host. */
static void x86_nmi_handle_trace(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
}

/* The metrics are shares of the counter of slots, which was handled before. */
static void x86_nmi_handle_metrics(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	x86_topdown_interrupt(cpu);
}

/* Hardware has written so many records that they must be read. */
static void x86_nmi_handle_records(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	cpu->core->side[X86_SIDE_PRECISE]->drain(cpu, regs);
}

/**
 * struct pmi_source - a source of the interrupt beside the counters
 * @status: its bit in the status register
 * @first: it is handled before the counters that overflowed, because what it reads is older than
 *	their samples
 * @flags: mask of X86_EVENT_*: events with one of these are disabled if the bit does not go away
 * @handle: handles it
 *
 * All bits are acknowledged before anything is handled. The PMU and its sides are off, so nothing
 * is counted or recorded meanwhile; a bit that is late is seen in the next round.
 * GLOBAL_STATUS_LBRS_FROZEN needs no row: acknowledging it lets records of branches go on, but
 * x86_side_off() has stopped them.
 */
struct pmi_source {
	u64	status;
	bool	first;
	u32	flags;
	void	(*handle)(struct x86_cpu_pmu *cpu, struct pt_regs *regs);
};

/* x86_cpu_overflowed() returns these bits on cores that have them. */
static const struct pmi_source pmi_sources[] = {
	{ GLOBAL_STATUS_BUFFER_OVF, true, X86_EVENT_PRECISE, x86_nmi_handle_records },
	{ GLOBAL_STATUS_TRACE_TOPAPMI, false, 0, x86_nmi_handle_trace },
	{ GLOBAL_STATUS_PERF_METRICS_OVF, false, X86_EVENT_TOPDOWN, x86_nmi_handle_metrics },
};

static void x86_nmi_handle_sources(struct x86_cpu_pmu *cpu, u64 found, struct pt_regs *regs,
				   bool first)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmi_sources); i++) {
		if (found & pmi_sources[i].status && pmi_sources[i].first == first)
			pmi_sources[i].handle(cpu, regs);
	}
}

/* One round of x86_nmi_handle_overflows(). */
static void x86_nmi_handle_status(struct x86_cpu_pmu *cpu, u64 found, struct pt_regs *regs)
{
	u64 counters;

	x86_nmi_handle_sources(cpu, found, regs, true);
	/* Bits of sources are also indices of metrics, which do not overflow by themselves. */
	counters = found & cpu->active & ~cpu->recorded & ~X86_PMC_METRICS_MASK;
	for (; counters; counters &= counters - 1)
		x86_nmi_handle_counter(cpu, __ffs64(counters), regs);
	if (found & BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS))
		x86_topdown_acknowledged(cpu);
	x86_nmi_handle_sources(cpu, found, regs, false);
}

/* Disable the event of a counter that is active. A user may enable the event again. */
static void x86_nmi_disable_event(struct x86_cpu_pmu *cpu, unsigned int idx, u64 found)
{
	struct perf_event *event = cpu->owner[idx];

	x86_sched_stop(event);
	perf_event_disable_inatomic(event);
	pr_warn_ratelimited("perf: CPU %d: overflow status %#llx does not go away: the event %#llx of counter %u, value %#llx, is disabled\n",
			    smp_processor_id(), found, event->hw.config, idx,
			    event->hw.last_tag & GENMASK_ULL(X86_COUNT_BITS - 1, 0));
}

/* Get the counters of the events that bits of the status concern which do not go away. */
static u64 x86_nmi_concerned(const struct x86_cpu_pmu *cpu, u64 found)
{
	u64 counters = found & cpu->active & ~X86_PMC_METRICS_MASK, todo;
	u32 flags = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(pmi_sources); i++) {
		if (found & pmi_sources[i].status)
			flags |= pmi_sources[i].flags;
	}
	for (todo = cpu->active; todo; todo &= todo - 1) {
		if (cpu->owner[__ffs64(todo)]->hw.flags & flags)
			counters |= todo & -todo;
	}
	return counters;
}

/*
 * Bits of the status do not go away. Hardware may set a bit again because of what its counter
 * holds, so the counter is set to 0.
 */
static void x86_nmi_give_up(struct x86_cpu_pmu *cpu, u64 found)
{
	u64 counters = x86_nmi_concerned(cpu, found), todo;

	if (!counters)
		pr_warn_ratelimited("perf: CPU %d: overflow status %#llx does not go away, no event has it\n",
				    smp_processor_id(), found);
	for (todo = counters; todo; todo &= todo - 1)
		x86_nmi_disable_event(cpu, __ffs64(todo), found);
	if (found & BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS))
		x86_topdown_acknowledged(cpu);
	x86_counters_ignore(cpu, found, counters | ~cpu->owned);
}

/* The PMU is disabled. Returns the number of counters that had overflowed. */
static int x86_nmi_handle_overflows(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	unsigned int rounds = 0;
	u64 found, stuck = U64_MAX;
	int handled = 0;

	while ((found = x86_cpu_overflowed(cpu))) {
		x86_late_expect(cpu, found);
		handled += hweight64(found);
		stuck &= found;
		if (likely(rounds++ < NMI_MAX_ROUNDS)) {
			x86_nmi_handle_status(cpu, found, regs);
			continue;
		}
		/* Ignores a bit at least. A trace may have set another one in this round. */
		stuck = stuck ?: found;
		x86_nmi_give_up(cpu, stuck);
		x86_nmi_handle_status(cpu, found & ~stuck, regs);
		stuck = U64_MAX;
		rounds = 0;
	}
	return handled ?: x86_late_claim(cpu);
}

/* A trace of branches has no bit in the status register. */
static int x86_nmi_handle_all(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	int traced = 0;

	if (unlikely(cpu->trace))
		traced = cpu->trace->interrupt(cpu, regs);
	return traced + x86_nmi_handle_overflows(cpu, regs);
}

/**
 * x86_nmi_take() - handle the overflows of this CPU's counters
 * @regs: registers of the interrupted context
 * @by_apic: the local APIC has delivered the interrupt and masked its entry
 *
 * Return: the number of counters that had overflowed.
 */
int x86_nmi_take(struct pt_regs *regs, bool by_apic)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	bool on = cpu->on;
	int handled;

	if (!cpu->core)
		return 0;
	/* Before the handler's own branches are traced. */
	if (unlikely(cpu->trace))
		cpu->trace->pause(cpu);
	x86_cpu_off(cpu);
	handled = x86_nmi_handle_all(cpu, regs);
	/*
	 * Delivery has masked the entry. Unmask it while the PMU is disabled: the next
	 * overflow needs it unmasked, and no overflow that was handled may raise an NMI.
	 */
	if (by_apic)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	if (on)
		x86_cpu_on(cpu);
	if (unlikely(cpu->trace))
		cpu->trace->resume(cpu);
	return handled;
}
NOKPROBE_SYMBOL(x86_nmi_take);

/**
 * x86_nmi_handle() - handle overflows that were not signalled by the local APIC
 * @regs: registers of the interrupted context
 *
 * Return: the number of counters that had overflowed.
 */
int x86_nmi_handle(struct pt_regs *regs)
{
	return x86_nmi_take(regs, false);
}

static int x86_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 start = local_clock();
	int handled = x86_nmi_take(regs, true);

	if (handled)
		perf_sample_event_took(local_clock() - start);
	return handled;
}
NOKPROBE_SYMBOL(x86_nmi);

/**
 * x86_nmi_init() - enable PMU interrupts
 *
 * The APIC of the boot CPU was set up before. Other CPUs call perf_events_lapic_init()
 * when theirs is set up.
 *
 * Context: boot, on the boot CPU.
 * Return: 0 or an errno.
 */
int __init x86_nmi_init(void)
{
	int err = register_nmi_handler(NMI_LOCAL, x86_nmi, 0, PMI_NAME);

	if (!err)
		perf_events_lapic_init();
	return err;
}

/**
 * x86_nmi_exit() - undo x86_nmi_init()
 *
 * Context: boot, on the boot CPU, before others are online. No counter is enabled.
 */
void __init x86_nmi_exit(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI | APIC_LVT_MASKED);
	unregister_nmi_handler(NMI_LOCAL, PMI_NAME);
}
