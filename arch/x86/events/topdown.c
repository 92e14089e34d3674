// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown: of the slots in which a core could have begun a micro-operation, how
 * many retired one, and what the others were lost to.
 *
 * Fixed counter 3 counts the slots. A register beside it, PERF_METRICS, has a byte
 * for each part of them: how many 255ths of the slots that the counter shows. So the
 * two are read and set to 0 together, with the PMU off, whenever somebody looks
 * (x86_topdown_collect()): a byte is of few slots then, and what it leaves out does
 * not grow with time. The parts are events that sit on seats of their own, above
 * the counters, in a group with the slots as its leader.
 *
 * Since the counter begins at 0 it does not sample, and user space cannot read it
 * by itself. An event of slots that samples is like any other, and leads no parts.
 *
 * On the event's CPU, irqs off or in NMI. Source: Intel SDM volume 3, section
 * "Performance Metrics"; the numbers of the parts as events are perf's.
 */
#include <linux/init.h>
#include <linux/perf_refusal.h>
#include "archperfmon.h"
#include "sysfs.h"
#include "topdown.h"

#define PERF_CAP_METRICS	BIT_ULL(15)
#define CPUID1_ECX_PDCM		BIT(15)

#define SLOTS_BIT		BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS)
/* parts of a level, and bits of the register for a part */
#define METRICS_OF_LEVEL	(X86_PMC_METRICS / 2)
#define METRIC_BITS		8
#define METRIC_WHOLE		GENMASK_ULL(METRIC_BITS - 1, 0)

static_assert(X86_PMC_METRICS * METRIC_BITS <= BITS_PER_TYPE(u64));

/**
 * x86_topdown_init() - is a new event one of slots or of a part of them?
 * @event: with hw.config and hw.config_base
 *
 * Return: 0, -EINVAL for a part that has no slots to be a part of.
 */
int x86_topdown_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct perf_event *leader = event->group_leader;
	struct hw_perf_event *hwc = &event->hw;

	if (!core->metrics)
		return 0;
	if (hwc->config_base == SLOTS_BIT && !is_sampling_event(event))
		hwc->flags |= X86_EVENT_TOPDOWN;
	if (!(hwc->config_base & X86_PMC_METRICS_MASK))
		return 0;

	if (is_sampling_event(event))
		return perf_refuse(-EINVAL, "sample_period",
				   "a part of the slots does not overflow");
	if (leader == event || leader->pmu != event->pmu ||
	    !(leader->hw.flags & X86_EVENT_TOPDOWN) || leader->hw.config_base != SLOTS_BIT)
		return perf_refuse(-EINVAL, "group_fd",
				   "the leader has to count slots, and not to sample");
	if ((leader->hw.config ^ hwc->config) &
	    (ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS) ||
	    (leader->hw.flags ^ hwc->flags) & (X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY))
		return perf_refuse(-EINVAL, "exclude_user",
				   "the leader counts slots of other modes");
	hwc->flags |= X86_EVENT_TOPDOWN;
	return 0;
}

static void reset(const struct x86_cpu_pmu *cpu)
{
	x86_hw_write(x86_counter_msr(cpu->core, INTEL_PMC_IDX_FIXED_SLOTS), 0);
	x86_hw_write(MSR_PERF_METRICS, 0);
}

static bool counts_slots(const struct x86_cpu_pmu *cpu)
{
	return cpu->active & SLOTS_BIT &&
	       cpu->owner[INTEL_PMC_IDX_FIXED_SLOTS]->hw.flags & X86_EVENT_TOPDOWN;
}

static u64 part_of(u64 slots, u64 metrics, unsigned int idx)
{
	u64 share;

	if (idx == INTEL_PMC_IDX_FIXED_SLOTS)
		return slots;
	share = metrics >> (idx - X86_PMC_IDX_METRICS) * METRIC_BITS & METRIC_WHOLE;
	return DIV_ROUND_CLOSEST_ULL(slots * share, METRIC_WHOLE);
}

static void collect_stopped(struct x86_cpu_pmu *cpu)
{
	u64 slots = x86_hw_read(x86_counter_msr(cpu->core, INTEL_PMC_IDX_FIXED_SLOTS));
	u64 metrics, todo;

	if (!slots && !local64_read(&cpu->slots_carry))
		return;
	metrics = x86_hw_read(MSR_PERF_METRICS);
	reset(cpu);
	slots += local64_xchg(&cpu->slots_carry, 0);
	for (todo = cpu->active & (SLOTS_BIT | X86_PMC_METRICS_MASK); todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);

		local64_add(part_of(slots, metrics, idx), &cpu->owner[idx]->count);
	}
}

/**
 * x86_topdown_collect() - bring the counts of slots and their parts up to date
 * @cpu: this CPU's
 *
 * An NMI that comes in between finds that it is being done, and the counts as they
 * were or as they will be.
 */
void x86_topdown_collect(struct x86_cpu_pmu *cpu)
{
	bool on = cpu->on;

	if (cpu->collecting || !counts_slots(cpu))
		return;
	cpu->collecting = true;
	barrier();

	x86_cpu_off(cpu);
	collect_stopped(cpu);
	if (on)
		x86_cpu_on(cpu);

	barrier();
	cpu->collecting = false;
}

/**
 * x86_topdown_begin() - before slots, or a part of them, are connected
 * @cpu: this CPU's
 * @event: which, on its counter
 */
void x86_topdown_begin(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (event->hw.idx == INTEL_PMC_IDX_FIXED_SLOTS) {
		local64_set(&cpu->slots_carry, 0);
		reset(cpu);
	} else {
		/* what was until now is no part of it */
		x86_topdown_collect(cpu);
	}
}

/**
 * x86_topdown_end() - let slots, or a part of them, count no longer
 * @cpu: this CPU's
 * @event: which, connected
 */
void x86_topdown_end(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	bool on = cpu->on;

	x86_cpu_off(cpu);
	x86_topdown_collect(cpu);
	x86_counter_disconnect(cpu, event->hw.idx);
	if (on)
		x86_cpu_on(cpu);
}

/**
 * x86_topdown_overflow() - the counter of slots has run over
 * @cpu: this CPU's, off
 *
 * NMI. It takes hours without a look at the event. The slots are all counted, their
 * parts are taken to be as in what the counter has counted since.
 */
void x86_topdown_overflow(struct x86_cpu_pmu *cpu)
{
	local64_add(BIT_ULL(cpu->core->fixed_width), &cpu->slots_carry);
	x86_topdown_collect(cpu);
}

static struct attribute *level_1_events[] = {
	X86_PMU_FILE("slots", 0, "event=0x00,umask=0x4"),
	X86_PMU_FILE("topdown-retiring", 0, "event=0x00,umask=0x80"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x00,umask=0x81"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x00,umask=0x82"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0x00,umask=0x83"),
	NULL,
};

static struct attribute *level_2_events[] = {
	X86_PMU_FILE("topdown-heavy-ops", 0, "event=0x00,umask=0x84"),
	X86_PMU_FILE("topdown-br-mispredict", 0, "event=0x00,umask=0x85"),
	X86_PMU_FILE("topdown-fetch-lat", 0, "event=0x00,umask=0x86"),
	X86_PMU_FILE("topdown-mem-bound", 0, "event=0x00,umask=0x87"),
	NULL,
};

/**
 * x86_topdown_apply() - make use of the register of metrics, if there is one
 * @core: described, with its counters
 * @levels: how many levels of parts this model has, four parts each; 1 or 2
 *
 * Boot, on a CPU of that kind.
 */
void __init x86_topdown_apply(struct x86_core_pmu *core, unsigned int levels)
{
	struct x86_hw_cpuid features;
	u64 capabilities;

	x86_hw_cpuid(1, 0, &features);
	if (!(core->counters & SLOTS_BIT) || !(features.reg[CPUID_ECX] & CPUID1_ECX_PDCM) ||
	    x86_hw_read_safe(MSR_IA32_PERF_CAPABILITIES, &capabilities) ||
	    !(capabilities & PERF_CAP_METRICS))
		return;
	core->metrics = GENMASK_ULL(METRICS_OF_LEVEL * levels - 1, 0) << X86_PMC_IDX_METRICS;
	core->model_events[X86_EVENTS_OF_TOPDOWN_1] = level_1_events;
	if (levels > 1)
		core->model_events[X86_EVENTS_OF_TOPDOWN_2] = level_2_events;
}
