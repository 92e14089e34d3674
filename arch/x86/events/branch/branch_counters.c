// SPDX-License-Identifier: GPL-2.0
/*
 * Counters in records of branches: how often an event occurred since the record before,
 * PERF_SAMPLE_BRANCH_COUNTERS. A record has two bits for each of the first counters of the CPU,
 * which stay at 3. A bit of the event select value lets the counter be in records.
 *
 * Which counter an event gets depends on others. So in samples its bits are at the position of the
 * event in its group: the first event with this request is at 0. The file
 * caps/branch_counter_nr has the number of events, caps/branch_counter_width the number of bits of
 * each.
 *
 * From the registers to the sample, the counters are in the reserved bits of struct
 * perf_branch_entry, so that they stay beside their branch when others are left out.
 *
 * Source: CPUID leaf 0x1c, ECX bits 19 to 16; <asm/msr-index.h> for IA32_LBR_x_INFO.
 */
#include <linux/perf_refusal.h>
#include "../counters/core_pmu.h"
#include "branch.h"

/**
 * x86_branch_is_counter() - check whether an event's counter is in records
 * @event: the event
 *
 * Return: true if it is.
 */
bool x86_branch_is_counter(const struct perf_event *event)
{
	return has_branch_stack((struct perf_event *)event) &&
	       event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
}

/*
 * The first position that no other event of the group has. A group has at most as many events with
 * this request as there are positions: more do not fit on the counters. A child event has the
 * position of its parent.
 */
static int x86_branch_free_position(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	u64 used = 0;

	if (event->parent)
		return event->parent->hw.branch_reg.idx;
	if (leader == event)
		return 0;
	if (leader->pmu == event->pmu && x86_branch_is_counter(leader))
		used |= BIT_ULL(leader->hw.branch_reg.idx);
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == event->pmu && x86_branch_is_counter(sibling) &&
		    sibling->state > PERF_EVENT_STATE_EXIT)
			used |= BIT_ULL(sibling->hw.branch_reg.idx);
	}
	return __ffs64(~used);
}

/**
 * x86_branch_counters_init() - limit an event to counters that are in records, if it requests that
 * @event: a new event, after x86_branch_request()
 *
 * Context: task.
 * Return: 0, -EINVAL with a refusal.
 */
int x86_branch_counters_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;

	if (!x86_branch_is_counter(event))
		return 0;
	hwc->config_base &= core->branches.counters;
	if (!hwc->config_base)
		return perf_refuse(-EINVAL, "branch_sample_type",
				   "COUNTERS asked, event %#llx has other counters than records",
				   hwc->config & X86_SELECT_WHAT);
	hwc->config |= ARCH_PERFMON_EVENTSEL_BR_CNTR;
	hwc->branch_reg.idx = x86_branch_free_position(event);
	return 0;
}

/* Two bits for each event of the group, from those for each counter. */
static u64 x86_branch_by_position(const struct x86_cpu_pmu *cpu, const struct perf_event *event,
				  u64 counters)
{
	unsigned long todo = cpu->core->branches.counters;
	unsigned int idx;
	u64 found = 0;

	for_each_set_bit(idx, &todo, LBR_INFO_BR_CNTR_NUM) {
		const struct perf_event *owner = cpu->owner[idx];

		if (!owner || owner->group_leader != event->group_leader ||
		    !x86_branch_is_counter(owner))
			continue;
		found |= (counters >> idx * LBR_INFO_BR_CNTR_BITS & LBR_INFO_BR_CNTR_MASK) <<
			 owner->hw.branch_reg.idx * LBR_INFO_BR_CNTR_BITS;
	}
	return found;
}

/**
 * x86_branch_take_counters() - take counters out of records
 * @cpu: this CPU's PMU
 * @event: the event that gets the records, or NULL
 * @entries: the records
 * @nr: their number
 * @counters: output, room for @nr values
 *
 * Context: irqs off or NMI.
 * Return: @counters if @event requests them, else NULL.
 */
u64 *x86_branch_take_counters(const struct x86_cpu_pmu *cpu, const struct perf_event *event,
			      struct perf_branch_entry *entries, unsigned int nr, u64 *counters)
{
	bool wanted = event && x86_branch_is_counter(event);
	unsigned int i;

	if (!cpu->core->branches.counters)
		return NULL;
	for (i = 0; i < nr; i++) {
		if (wanted)
			counters[i] = x86_branch_by_position(cpu, event, entries[i].reserved);
		entries[i].reserved = 0;
	}
	return wanted ? counters : NULL;
}
