// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of PMUv3: programming, reading, and their overflow interrupt.
 *
 * Owns the registers of the counters and PMCR_EL0. Which counter an event gets
 * is decided in assign.c, what goes into the type register in events.c. Periods
 * and totals are kept by the arm_pmu framework, which calls in here on the CPU
 * concerned with irqs off; pmuv3_handle_irq() is an interrupt or an NMI.
 */
#include <linux/perf_event.h>

#include <asm/arm_pmuv3.h>
#include <asm/irq_regs.h>
#include <asm/irqflags.h>
#include <kvm/arm_pmu.h>

#include "pmuv3.h"

/* all counters are bits of one register */
static_assert(BITS_TO_LONGS(ARMPMU_MAX_HWEVENTS) == 1);

/* Is the counter one of 64 bits, whatever its event makes of it? */
static bool pmuv3_counter_is_long(const struct arm_pmu *pmu, int idx)
{
	return idx >= ARMV8_PMU_CYCLE_IDX || pmuv3_has_long_counters(pmu);
}

static u64 pmuv3_read_one(int idx)
{
	switch (idx) {
	case ARMV8_PMU_CYCLE_IDX:
		return read_pmccntr();
	case ARMV8_PMU_INSTR_IDX:
		return read_pmicntr();
	default:
		return read_pmevcntrn(idx);
	}
}

static void pmuv3_write_one(int idx, u64 value)
{
	switch (idx) {
	case ARMV8_PMU_CYCLE_IDX:
		write_pmccntr(value);
		break;
	case ARMV8_PMU_INSTR_IDX:
		write_pmicntr(value);
		break;
	default:
		write_pmevcntrn(idx, value);
	}
}

/* The halves are not read at once: do it again if the lower has wrapped between. */
static u64 pmuv3_read_pair(int high)
{
	u32 before, low, after;

	after = pmuv3_read_one(high);
	do {
		before = after;
		low = pmuv3_read_one(high - 1);
		after = pmuv3_read_one(high);
	} while (after != before);

	return (u64)after << 32 | low;
}

/**
 * pmuv3_read_counter() - what an event's counter shows
 * @event: on this CPU, with a counter
 *
 * Return: 64 bits; the value of an event of 32 bits has its sign extended, as
 * programs do with what they read themselves, so that both go with one offset.
 */
u64 pmuv3_read_counter(struct perf_event *event)
{
	int idx = event->hw.idx;

	if (pmuv3_event_is_pair(event))
		return pmuv3_read_pair(idx);
	if (event->hw.flags & ARMPMU_EVT_64BIT)
		return pmuv3_read_one(idx);
	return (s32)pmuv3_read_one(idx);
}

/**
 * pmuv3_read() - bring an event's count up to date
 * @event: on this CPU, with a counter
 *
 * armpmu_event_update() reads the counter, and stores the value if prev_count has not
 * changed since. An overflow that an NMI handles in between changes prev_count. But when it
 * is handled more than a period late, each period begins with the same value, and the
 * store succeeds: the period is counted twice, and to the next read a counter of 32 bits
 * seems to have gone 2^32 forward. So pseudo-NMIs are masked here.
 *
 * Context: any, irqs off.
 */
void pmuv3_read(struct perf_event *event)
{
	unsigned long flags = __daif_local_irq_save();

	armpmu_event_update(event);
	__daif_local_irq_restore(flags);
}

/**
 * pmuv3_write_counter() - set an event's counter
 * @event: on this CPU, with a counter, not counting
 * @value: new value, cut to the width of the event
 *
 * A counter of 64 bits does not tell when its lower half overflows. For an event
 * of 32 bits the upper half is filled with ones, so that all of it overflows then.
 */
void pmuv3_write_counter(struct perf_event *event, u64 value)
{
	const struct arm_pmu *pmu = to_arm_pmu(event->pmu);
	int idx = event->hw.idx;

	if (pmuv3_event_is_pair(event)) {
		pmuv3_write_one(idx, upper_32_bits(value));
		pmuv3_write_one(idx - 1, lower_32_bits(value));
		return;
	}
	if (!(event->hw.flags & ARMPMU_EVT_64BIT) && pmuv3_counter_is_long(pmu, idx))
		value |= GENMASK_ULL(63, 32);
	pmuv3_write_one(idx, value);
}

/**
 * pmuv3_clear_counter() - leave nothing to be read in a counter that is not used
 * @idx: the counter, on this CPU
 */
void pmuv3_clear_counter(int idx)
{
	pmuv3_write_one(idx, 0);
}

/**
 * pmuv3_write_type() - tell an event's counter what to count
 * @event: on this CPU, its counter stopped
 */
void pmuv3_write_type(const struct perf_event *event)
{
	u64 type = event->hw.config_base;
	int idx = event->hw.idx;

	switch (idx) {
	case ARMV8_PMU_CYCLE_IDX:
		write_pmccfiltr(type & ~ARMV8_PMU_EVTYPE_EVENT);
		break;
	case ARMV8_PMU_INSTR_IDX:
		write_pmicfiltr(type & ~ARMV8_PMU_EVTYPE_EVENT);
		break;
	default:
		if (pmuv3_event_is_pair(event)) {
			write_pmevtypern(idx - 1, type);
			type = (type & ~ARMV8_PMU_EVTYPE_EVENT) |
			       ARMV8_PMUV3_PERFCTR_CHAIN;
		}
		write_pmevtypern(idx, type);
	}
}

/**
 * pmuv3_enable_event() - let an event's counter count, and interrupt
 * @event: on this CPU, its counter stopped and written
 *
 * Only the upper counter of a pair interrupts. An event that counts the guest
 * alone is left to KVM where the host does not run in EL2.
 */
void pmuv3_enable_event(struct perf_event *event)
{
	u64 mask = pmuv3_event_mask(event);

	pmuv3_write_type(event);
	write_pmintenset(BIT_ULL(event->hw.idx));
	/* what is counted is settled before it counts */
	isb();
	kvm_set_pmu_events(mask, &event->attr);
	if (!kvm_pmu_counter_deferred(&event->attr))
		write_pmcntenset(mask);
	/* with a guest loaded, the type register had its bit for EL0 */
	kvm_vcpu_pmu_resync_el0();
}

/**
 * pmuv3_disable_event() - let an event's counter stand still
 * @event: on this CPU
 *
 * An overflow that has not been delivered is forgotten: whoever stops an event
 * has read its counter by then, or reads it next, and finds the new value.
 */
void pmuv3_disable_event(struct perf_event *event)
{
	u64 mask = pmuv3_event_mask(event);

	kvm_clr_pmu_events(mask);
	if (!kvm_pmu_counter_deferred(&event->attr))
		write_pmcntenclr(mask);
	write_pmintenclr(BIT_ULL(event->hw.idx));
	isb();
	write_pmovsclr(mask);
	isb();
}

/**
 * pmuv3_enable_counters() - let counters count, and interrupt
 * @counting: those that the host starts
 * @interrupting: those that interrupt
 *
 * They have been written, and their types, and KVM knows of them.
 */
void pmuv3_enable_counters(u64 counting, u64 interrupting)
{
	write_pmintenset(interrupting);
	isb();
	write_pmcntenset(counting);
	kvm_vcpu_pmu_resync_el0();
}

/**
 * pmuv3_disable_counters() - let counters stand still
 * @mask: the counters; for the guest alone where KVM starts them: not on now
 *
 * Undelivered overflows are forgotten, see pmuv3_disable_event().
 */
void pmuv3_disable_counters(u64 mask)
{
	kvm_clr_pmu_events(mask);
	write_pmcntenclr(mask);
	write_pmintenclr(mask);
	isb();
	write_pmovsclr(mask);
	isb();
}

/* Returns PMCR_EL0.E as it was. */
static bool pmuv3_switch(bool on)
{
	u64 pmcr = read_pmcr();
	bool was_on = pmcr & ARMV8_PMU_PMCR_E;

	pmcr &= ARMV8_PMU_PMCR_MASK & ~(u64)ARMV8_PMU_PMCR_E;
	/* all that was written to counters comes first */
	isb();
	write_pmcr(on ? pmcr | ARMV8_PMU_PMCR_E : pmcr);
	isb();
	return was_on;
}

/**
 * pmuv3_start() - let all counters of this CPU run that are enabled
 * @pmu: the PMU
 */
void pmuv3_start(struct arm_pmu *pmu)
{
	pmuv3_switch(true);
	/* the type registers may have been changed under a guest */
	kvm_vcpu_pmu_resync_el0();
}

/**
 * pmuv3_stop() - halt all counters of this CPU
 * @pmu: the PMU
 */
void pmuv3_stop(struct arm_pmu *pmu)
{
	pmuv3_switch(false);
}

/* An NMI may come while an event is being put on, or taken off. */
static void pmuv3_overflow(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data __uninitialized;

	if (event->hw.state & PERF_HES_STOPPED)
		return;

	armpmu_event_update(event);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (!armpmu_event_set_period(event))
		return;
	if (perf_event_overflow(event, &data, regs))
		pmuv3_disable_event(event);
}

/**
 * pmuv3_handle_irq() - counters have overflowed
 * @pmu: the PMU of this CPU
 *
 * All counters stand still meanwhile, so that the values of a group that is
 * sampled belong together.
 *
 * Context: hardirq or NMI.
 * Return: IRQ_NONE if no counter has overflowed.
 */
irqreturn_t pmuv3_handle_irq(struct arm_pmu *pmu)
{
	struct pmu_hw_events *cpuc = this_cpu_ptr(pmu->hw_events);
	struct pt_regs *regs = get_irq_regs();
	u64 overflowed = read_pmovsclr() & ARMV8_PMU_OVERFLOWED_MASK;
	bool was_on;
	int idx;

	if (!overflowed)
		return IRQ_NONE;

	was_on = pmuv3_switch(false);
	write_pmovsclr(overflowed);
	for_each_set_bit(idx, pmu->cntr_mask, ARMPMU_MAX_HWEVENTS) {
		struct perf_event *event = READ_ONCE(cpuc->events[idx]);

		if (event && (overflowed & BIT_ULL(idx)))
			pmuv3_overflow(event, regs);
	}
	pmuv3_switch(was_on);
	return IRQ_HANDLED;
}

/**
 * pmuv3_reset() - bring this CPU's PMU into a known state
 * @arg: the struct arm_pmu
 *
 * When the CPU comes up, or has lost its registers in a power-saving state.
 * Event counters of 64 bits are always used as such (LP), and so is the one of
 * cycles (LC).
 */
void pmuv3_reset(void *arg)
{
	struct arm_pmu *pmu = arg;
	/* the counter of cycles is there also where no event may have it */
	u64 all = pmu->cntr_mask[0] | BIT_ULL(ARMV8_PMU_CYCLE_IDX);
	u64 pmcr = ARMV8_PMU_PMCR_P | ARMV8_PMU_PMCR_C | ARMV8_PMU_PMCR_LC;

	if (pmuv3_has_long_counters(pmu))
		pmcr |= ARMV8_PMU_PMCR_LP;

	write_pmcntenclr(all);
	write_pmintenclr(all);
	kvm_clr_pmu_events(all);
	pmuv3_user_reset(pmu);
	write_pmcr(pmcr);
	isb();
	write_pmovsclr(all);
	isb();
}
