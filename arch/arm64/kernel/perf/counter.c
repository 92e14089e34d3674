// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of PMUv3: programming, reading, and the overflow interrupt.
 *
 * Owns the registers of the counters and PMCR_EL0. assign.c assigns counters, events.c
 * computes the value of the type register. The arm_pmu framework keeps periods and
 * totals, and calls these functions.
 *
 * Context: irqs off, on the CPU concerned; hardirq or NMI for
 * pmuv3_handle_irq().
 */
#include <linux/bitfield.h>
#include <linux/perf_event.h>

#include <asm/arm_pmuv3.h>
#include <asm/irq_regs.h>
#include <asm/irqflags.h>
#include <kvm/arm_pmu.h>

#include "pmuv3.h"

/* One register has a bit for each counter. */
static_assert(BITS_TO_LONGS(ARMPMU_MAX_HWEVENTS) == 1);

/* The counter has 64 bits. Its event may use only 32 of them. */
static bool pmuv3_counter_is_long(const struct arm_pmu *pmu, int idx)
{
	return idx >= ARMV8_PMU_CYCLE_IDX || pmuv3_has_long_counters(pmu);
}

/**
 * pmuv3_read_one() - read a counter
 * @idx: the counter, of this CPU
 *
 * Return: its value, zero-extended.
 */
u64 pmuv3_read_one(int idx)
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

/**
 * pmuv3_write_one() - write a counter
 * @idx: the counter, of this CPU, which is stopped
 * @value: new value, truncated to the width of the counter
 */
void pmuv3_write_one(int idx, u64 value)
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

/*
 * The halves are read one after the other: repeat if the lower one wrapped in between. Without the
 * isb() a core may execute reads of different registers in another order.
 */
static u64 pmuv3_read_pair(int high)
{
	u32 before, low, after;

	after = pmuv3_read_one(high);
	do {
		before = after;
		isb();
		low = pmuv3_read_one(high - 1);
		isb();
		after = pmuv3_read_one(high);
	} while (after != before);

	return (u64)after << 32 | low;
}

/**
 * pmuv3_read_counter() - read the counter of an event
 * @event: the event, with a counter of this CPU
 *
 * Return: 64 bits. The value of a 32-bit event is sign-extended, as user space does with
 * values that it reads, so that both are added to the same offset.
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
 * pmuv3_read() - update the count of an event
 * @event: the event, with a counter of this CPU
 *
 * armpmu_event_update() reads the counter, and stores the value if prev_count has not
 * changed since. An NMI that handles an overflow in between changes prev_count. But if
 * it is handled more than a period late, each period starts with the same value and the
 * store succeeds. Then the period is counted twice, and at the next read a 32-bit counter
 * seems to have advanced by 2^32. Therefore pseudo-NMIs are masked here.
 *
 * Context: irqs off or NMI.
 */
void pmuv3_read(struct perf_event *event)
{
	unsigned long flags = __daif_local_irq_save();

	armpmu_event_update(event);
	__daif_local_irq_restore(flags);
}

/**
 * pmuv3_write_counter() - write the counter of an event
 * @event: the event, with a counter of this CPU that is stopped
 * @value: new value, truncated to the width of the event
 *
 * A 64-bit counter raises no interrupt when its lower half overflows. For a 32-bit event
 * the upper half is set to all ones, so that the whole counter overflows then.
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
 * pmuv3_clear_counter() - clear a counter that is not in use
 * @idx: the counter, of this CPU
 */
void pmuv3_clear_counter(int idx)
{
	pmuv3_write_one(idx, 0);
}

/*
 * The upper counter of a pair counts overflows of the lower one in each exception level: the lower
 * one has the event's filter, and the core may count its overflow in another level than the event.
 */
#define PMUV3_TYPE_CHAIN	(ARMV8_PMUV3_PERFCTR_CHAIN | ARMV8_PMU_INCLUDE_EL2)

/**
 * pmuv3_write_type() - write the type register of an event's counter
 * @event: the event, with a counter of this CPU that is stopped
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
			type = PMUV3_TYPE_CHAIN;
		}
		write_pmevtypern(idx, type);
	}
}

/**
 * pmuv3_note_stopped() - check a stopped event for a period that has ended
 * @event: the event; its count is up to date
 *
 * The overflow was cleared, so no interrupt will come for it. The sample is taken when the event
 * counts again, with the length of the period that has ended. The driver has no other use for
 * hw.event_base.
 *
 * KVM has periods of 2^63 and more, which are negative in period_left: these do not end.
 */
void pmuv3_note_stopped(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!is_sampling_event(event) || (s64)hwc->sample_period < 0 ||
	    local64_read(&hwc->period_left) > 0)
		return;
	hwc->flags |= PMUV3_EVENT_SAMPLE_PENDING;
	hwc->event_base = hwc->last_period;
}

/**
 * pmuv3_take_pending() - let the next occurrence take the sample of a period that has ended
 * @event: the event, after armpmu_event_set_period(); its counter of this CPU is stopped
 *
 * The framework has begun the next period. That is undone here, and done again in the interrupt.
 */
void pmuv3_take_pending(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	hwc->flags &= ~PMUV3_EVENT_SAMPLE_PENDING;
	hwc->last_period = hwc->event_base;
	local64_sub(hwc->sample_period, &hwc->period_left);
	local64_set(&hwc->prev_count, U64_MAX);
	pmuv3_write_counter(event, hwc->flags & ARMPMU_EVT_64BIT ? U64_MAX : U32_MAX);
	perf_event_update_userpage(event);
}

/**
 * pmuv3_enable_event() - enable an event's counter and its interrupt
 * @event: the event; its counter of this CPU is stopped and written
 *
 * Only the upper counter of a pair raises interrupts. If the host does not run in EL2,
 * KVM enables counters of events that count guests only.
 */
void pmuv3_enable_event(struct perf_event *event)
{
	u64 mask = pmuv3_event_mask(event);

	if (unlikely(event->hw.flags & PMUV3_EVENT_SAMPLE_PENDING))
		pmuv3_take_pending(event);
	pmuv3_write_type(event);
	write_pmintenset(BIT_ULL(event->hw.idx));
	/* The type register is written before the counter is enabled. */
	isb();
	kvm_set_pmu_events(mask, &event->attr);
	if (!kvm_pmu_counter_deferred(&event->attr))
		write_pmcntenset(mask);
	/* With a guest loaded, the type register needs the guest's bit for EL0. */
	kvm_vcpu_pmu_resync_el0();
}

/**
 * pmuv3_disable_event() - disable an event's counter and its interrupt
 * @event: the event, with a counter of this CPU
 *
 * Clears an overflow that was not delivered, and updates the count of a sampling event: the sample
 * of a period that has ended is pending then. armpmu_stop() updates the counts of all events
 * afterwards.
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
	if (!is_sampling_event(event))
		return;
	armpmu_event_update(event);
	pmuv3_note_stopped(event);
}

/**
 * pmuv3_enable_counters() - enable counters and their interrupts
 * @counting: mask of the counters that the host enables
 * @interrupting: mask of the counters with their interrupt enabled
 *
 * Counters and type registers must have been written, and kvm_set_pmu_events() called.
 */
void pmuv3_enable_counters(u64 counting, u64 interrupting)
{
	write_pmintenset(interrupting);
	isb();
	write_pmcntenset(counting);
	kvm_vcpu_pmu_resync_el0();
}

/**
 * pmuv3_disable_counters() - disable counters and their interrupts
 * @mask: mask of counters, also of those that KVM enables, which are disabled now
 *
 * Clears overflows that were not delivered: caller must update the counts, and then call
 * pmuv3_note_stopped() for each event.
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
	/* Complete the writes to counters first. */
	isb();
	write_pmcr(on ? pmcr | ARMV8_PMU_PMCR_E : pmcr);
	isb();
	return was_on;
}

/**
 * pmuv3_start() - start all enabled counters of this CPU
 * @pmu: the PMU
 */
void pmuv3_start(struct arm_pmu *pmu)
{
	pmuv3_switch(true);
	/* The type registers may have changed while a guest is loaded. */
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

/* An NMI may interrupt the adding or deleting of the event. */
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
 * pmuv3_handle_irq() - handle overflows
 * @pmu: the PMU of this CPU
 *
 * All counters are halted meanwhile, so that the values of a sampled group are
 * consistent.
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
 * pmuv3_reset() - reset the counters of this CPU
 * @pmu: the PMU of this CPU
 *
 * 64-bit event counters (LP) and the counter of cycles (LC) overflow at 64 bits.
 */
void pmuv3_reset(struct arm_pmu *pmu)
{
	/*
	 * The counter of cycles exists even if events must not use it, and event counters even if
	 * they do not count.
	 */
	u64 all = pmu->cntr_mask[0] | BIT_ULL(ARMV8_PMU_CYCLE_IDX) |
		  (BIT_ULL(FIELD_GET(ARMV8_PMU_PMCR_N, read_pmcr())) - 1);
	u64 pmcr = ARMV8_PMU_PMCR_P | ARMV8_PMU_PMCR_C | ARMV8_PMU_PMCR_LC;

	if (pmuv3_has_long_counters(pmu))
		pmcr |= ARMV8_PMU_PMCR_LP;

	write_pmcntenclr(all);
	write_pmintenclr(all);
	kvm_clr_pmu_events(all);
	write_pmcr(pmcr);
	isb();
	write_pmovsclr(all);
	isb();
}
