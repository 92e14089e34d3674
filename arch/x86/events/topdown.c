// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown metrics: of the slots in which a core could have issued a micro-operation, the
 * share that retired one, and the shares that were lost for several reasons.
 *
 * Fixed counter 3 counts slots. The register PERF_METRICS has one byte per metric: its
 * share of the counted slots, in 255ths. Whenever an event is read, the two registers
 * are read and set to 0 together, with the PMU disabled (x86_topdown_collect()). So a
 * byte covers few slots, and its rounding error does not grow with time. Metrics are
 * events with indices above those of the counters, in a group whose leader counts slots.
 *
 * Because the counter starts at 0, slots cannot sample, and user space cannot read the
 * counter. A sampling event of slots is an ordinary event and cannot lead metrics.
 *
 * Context: Interrupts disabled or NMI, on the event's CPU.
 *
 * Source: Intel SDM volume 3, section "Performance Metrics"; the event numbers of the
 * metrics are perf's.
 */
#include <linux/init.h>
#include <linux/perf_refusal.h>
#include "archperfmon.h"
#include "sysfs.h"
#include "topdown.h"

#define PERF_CAP_METRICS	BIT_ULL(15)
#define CPUID1_ECX_PDCM		BIT(15)

#define SLOTS_BIT		BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS)
/* metrics per level, and bits of PERF_METRICS per metric */
#define METRICS_OF_LEVEL	(X86_PMC_METRICS / 2)
#define METRIC_BITS		8
#define METRIC_WHOLE		GENMASK_ULL(METRIC_BITS - 1, 0)

static_assert(X86_PMC_METRICS * METRIC_BITS <= BITS_PER_TYPE(u64));

/**
 * x86_topdown_init() - check whether a new event counts slots or a metric
 * @event: the event, with hw.config and hw.config_base
 *
 * Return: 0, -EINVAL for a metric whose leader does not count the same slots.
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
 * x86_topdown_collect() - update the counts of slots and metrics
 * @cpu: this CPU's PMU
 *
 * An NMI that interrupts this does nothing here. It sees old or new counts.
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
 * x86_topdown_begin() - prepare slots or a metric for being connected
 * @cpu: this CPU's PMU
 * @event: the event, with its counter
 */
void x86_topdown_begin(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (event->hw.idx == INTEL_PMC_IDX_FIXED_SLOTS) {
		local64_set(&cpu->slots_carry, 0);
		reset(cpu);
	} else {
		/* Slots until now do not belong to the new event. */
		x86_topdown_collect(cpu);
	}
}

/**
 * x86_topdown_end() - stop slots or a metric
 * @cpu: this CPU's PMU
 * @event: the event, connected
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
 * x86_topdown_overflow() - handle an overflow of the counter of slots
 * @cpu: this CPU's PMU, disabled
 *
 * The counter overflows after hours without a read. All slots are counted. The metrics
 * are applied to them as they are since the overflow.
 *
 * Context: NMI.
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
 * x86_topdown_apply() - use the register of metrics if it exists
 * @core: the PMU, with its counters
 * @levels: number of levels of this model, with four metrics each; 1 or 2
 *
 * Context: Boot, on a CPU of that kind.
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
