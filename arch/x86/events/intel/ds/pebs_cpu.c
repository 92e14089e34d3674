// SPDX-License-Identifier: GPL-2.0
/*
 * State of precise sampling on a CPU, and what the records of an event have: below both pebs.c
 * and pebs_drain.c.
 *
 * Context: irqs off or NMI, on the CPU concerned, unless stated otherwise.
 */
#include <linux/perf_event.h>
#include "../../counters/count.h"
#include "pebs_cpu.h"

DEFINE_PER_CPU(struct pebs_cpu, pebs_cpu);

#define EVENT_AND_UMASK	(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)

/**
 * pebs_is_load_latency() - check whether an event measures the latency of loads
 * @event: event of the core PMU
 *
 * Context: any.
 * Return: true if it does.
 */
bool pebs_is_load_latency(const struct perf_event *event)
{
	return event->hw.extra_reg.reg == MSR_PEBS_LD_LAT_THRESHOLD;
}

/**
 * pebs_is_store() - check whether records of an event have the address of a store
 * @event: event of the core PMU
 *
 * Context: any.
 * Return: true if it is the model's event of stores.
 */
bool pebs_is_store(const struct perf_event *event)
{
	const struct intel_pebs *pebs = x86_core_of(event->pmu)->precise.pebs;

	return pebs->store_event && (event->hw.config & EVENT_AND_UMASK) == pebs->store_event;
}

/* Events with the field Data_LA in tools/perf/pmu-events, on all models that have them. */
#define DATA_ADDRESS_FIRST	0xd0
#define DATA_ADDRESS_LAST	0xd4

/**
 * pebs_memory_of() - find out what records of an event say of memory
 * @event: a precise event
 *
 * Return: the kind of record.
 */
enum pebs_memory pebs_memory_of(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct intel_pebs *pebs = core->precise.pebs;
	u8 code = event->hw.config & ARCH_PERFMON_EVENTSEL_EVENT;

	if (pebs_is_load_latency(event))
		return pebs->loads;
	if (pebs_is_store(event))
		return pebs->stores;
	/* Before format 2 only these two events have addresses. */
	if (core->precise.format < 2 || code < DATA_ADDRESS_FIRST || code > DATA_ADDRESS_LAST)
		return PEBS_MEMORY_NONE;
	return event_constraint_find(pebs->status, event->hw.config) ?
	       PEBS_DATA_STATUS : PEBS_DATA_ADDRESS;
}

/**
 * pebs_collects_now() - check whether records of an event may collect from now on
 * @event: a precise event
 *
 * This can change while the event exists: a limit of overflows, a program. Child events use the
 * program of their parent. The core then stops the event, and starts it again. Records that have
 * collected until then are older than the limit or the program.
 *
 * Context: any.
 * Return: true if they may.
 */
bool pebs_collects_now(const struct perf_event *event)
{
	const struct perf_event *root = event->parent ?: event;

	return event->hw.flags & X86_EVENT_COLLECTS && !atomic_read(&event->event_limit) &&
	       !READ_ONCE(root->prog);
}

/**
 * pebs_write_enable() - write MSR_IA32_PEBS_ENABLE
 * @pebs: state of this CPU
 *
 * An NMI may stop an event meanwhile. Repeat until the register has the value of the copy.
 */
void pebs_write_enable(struct pebs_cpu *pebs)
{
	u64 value;

	do {
		value = READ_ONCE(pebs->enable);
		x86_hw_write(MSR_IA32_PEBS_ENABLE, value);
		barrier();
	} while (value != READ_ONCE(pebs->enable));
}

static unsigned int pebs_reset_slot(const struct x86_core_pmu *core, unsigned int idx)
{
	unsigned int generic = core->precise.format < PEBS_FORMAT_RELOADS ?
			       MAX_PEBS_EVENTS_FMT4 : MAX_PEBS_EVENTS;

	return idx < INTEL_PMC_IDX_FIXED ? idx : generic + idx - INTEL_PMC_IDX_FIXED;
}

/**
 * pebs_set_reload() - set the period that the hardware starts after a record
 * @cpu: this CPU's PMU, disabled
 * @event: the event, with its counter
 */
void pebs_set_reload(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	const struct x86_core_pmu *core = cpu->core;
	unsigned int idx = event->hw.idx;
	unsigned int width = idx < INTEL_PMC_IDX_FIXED ? core->width : core->fixed_width;
	struct intel_ds *ds = this_cpu_ptr(&intel_ds);
	u64 period = x86_count_reload(event);

	this_cpu_ptr(&pebs_cpu)->reload[idx] = period;
	ds->store->pebs_event_reset[pebs_reset_slot(core, idx)] =
		-period & GENMASK_ULL(width - 1, 0);
}
