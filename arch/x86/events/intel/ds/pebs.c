// SPDX-License-Identifier: GPL-2.0
/*
 * Precise sampling (PEBS) of Intel's cores: events and registers. When a counter overflows, the
 * hardware itself writes a record with the state of the CPU at the instruction that caused the
 * overflow, and starts the counter's next period. An interrupt comes when the buffer is filled up
 * to a threshold.
 *
 * The records of most events are read one by one: the sample shows what only the interrupt
 * finds, such as the call chain. If records have all that an event needs, they collect in the
 * buffer, see pebs_collects(). They are read before anything that they do not name changes: the
 * task, the event's state, its count.
 *
 * Entry points: intel_pebs_describe(), and the operations of the side X86_SIDE_PRECISE.
 *
 * Context: as documented at struct x86_side_ops.
 *
 * Source: Intel SDM volume 3, "Precise Event Based Sampling (PEBS)", "Adaptive PEBS".
 */
#include <linux/perf_refusal.h>
#include <linux/sched/clock.h>
#include <asm/cpu_entry_area.h>
#include <asm/timer.h>
#include "../../core/event.h"
#include "../../core/schedule.h"
#include "../../counters/arch_events.h"
#include "../../counters/count.h"
#include "../../counters/counters.h"
#include "pebs.h"
#include "pebs_cpu.h"

/* Bits of MSR_IA32_PEBS_ENABLE beside the counters' bits. */
#define ENABLE_LOAD_LATENCY_SHIFT	32
#define ENABLE_PRECISE_STORE		BIT_ULL(63)

/* The shortest latency that MSR_PEBS_LD_LAT_THRESHOLD distinguishes. */
#define LD_LAT_MIN	3

/*
 * Number of records that may collect. An interrupt works through so many, and through those that
 * were written before it was taken.
 */
#define RECORDS_MANY	64

/* Fields of a sample that are in the group of memory; and in the registers. */
#define NEEDS_MEMORY	(PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE |	\
			 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |	\
			 PERF_SAMPLE_DATA_PAGE_SIZE)
#define NEEDS_REGS	(PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TRANSACTION)

/* Fields that records have, or that do not change between two drains. */
#define COLLECTS	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
			 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |	\
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_DATA_SRC |	\
			 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_TRANSACTION |	\
			 PERF_SAMPLE_REGS_INTR)

static bool pebs_is_adaptive(const struct x86_core_pmu *core)
{
	return core->precise.format >= PEBS_FORMAT_ADAPTIVE;
}

/* The groups of fields that records of an event need. */
static u64 pebs_groups_of(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 groups = 0;

	if (!pebs_is_adaptive(x86_core_of(event->pmu)))
		return 0;
	if (attr->sample_type & NEEDS_MEMORY)
		groups |= PEBS_GROUP_MEMORY;
	if (attr->sample_type & NEEDS_REGS)
		groups |= PEBS_GROUP_REGS;
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR &&
	    attr->sample_regs_intr & PERF_REG_EXTENDED_MASK)
		groups |= PEBS_GROUP_XMM;
	return groups;
}

/*
 * May records of the event collect in the buffer? The sample must not need what only the
 * interrupt finds, and the period must not follow the rate. Nothing may depend on each sample
 * coming in time: signals, limits, programs, readers that are woken for each.
 */
static bool pebs_collects(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u8 format = x86_core_of(event->pmu)->precise.format;

	if (format < PEBS_FORMAT_COUNTERS || attr->freq || attr->sample_type & ~COLLECTS)
		return false;
	if (attr->sample_type & PERF_SAMPLE_TIME &&
	    (attr->use_clockid || !sched_clock_stable() || !using_native_sched_clock()))
		return false;
	if (attr->sigtrap || attr->sample_type & PERF_SAMPLE_BRANCH_STACK ||
	    (attr->wakeup_events && !attr->watermark))
		return false;
	return event->overflow_handler == perf_event_output_forward ||
	       event->overflow_handler == perf_event_output_backward;
}

/* An NMI may stop an event meanwhile. Repeat until the register has the value of the copy. */
static void pebs_write_data_cfg(struct pebs_cpu *pebs, u64 data_cfg)
{
	u64 value;

	if (data_cfg == pebs->data_cfg)
		return;
	WRITE_ONCE(pebs->data_cfg, data_cfg);
	do {
		value = READ_ONCE(pebs->data_cfg);
		x86_hw_write(MSR_PEBS_DATA_CFG, value);
		barrier();
	} while (value != READ_ONCE(pebs->data_cfg));
}

/* Set what records have, and the limits of the buffer, for the events that record. */
static void pebs_set_layout(struct x86_cpu_pmu *cpu)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	const struct x86_core_pmu *core = cpu->core;
	struct pebs_layout layout = pebs_layout_of(core);
	u64 data_cfg = 0, todo;
	bool many;

	for (todo = cpu->recorded; todo; todo &= todo - 1)
		data_cfg |= pebs->cfg[__ffs64(todo)];
	if (pebs_is_adaptive(core))
		pebs_write_data_cfg(pebs, data_cfg);
	many = !(cpu->recorded & ~pebs->many);
	if (cpu->recorded)
		intel_ds_limits(this_cpu_ptr(&intel_ds),
				pebs_record_size(&layout, data_cfg),
				many ? RECORDS_MANY : 1);
}

static u64 pebs_enables_of(const struct perf_event *event)
{
	u16 flags = x86_core_of(event->pmu)->precise.pebs->flags;
	u64 bit = BIT_ULL(event->hw.idx), bits = bit;

	if (pebs_is_load_latency(event) && flags & PEBS_LOAD_BITS)
		bits |= bit << ENABLE_LOAD_LATENCY_SHIFT;
	if (pebs_is_store(event) && flags & PEBS_STORE_BIT)
		bits |= ENABLE_PRECISE_STORE;
	return bits;
}

static bool pebs_pause(struct x86_cpu_pmu *cpu)
{
	bool on = cpu->on;

	if (on)
		x86_cpu_off(cpu);
	return on;
}

static void pebs_continue(struct x86_cpu_pmu *cpu, bool on)
{
	if (on)
		x86_cpu_on(cpu);
}

/*
 * Has one of the counters overflowed without being reloaded? With the reload the hardware writes
 * the record.
 */
static bool pebs_record_is_due(const struct x86_cpu_pmu *cpu, u64 counters)
{
	for (; counters; counters &= counters - 1) {
		if (x86_count_shows_overflow(cpu->owner[__ffs64(counters)]))
			return true;
	}
	return false;
}

/*
 * Drain after the records of some counters. Hardware may write a record after its counter was
 * stopped; the manual demands a quiescent period and does not say how long. While KVM has records
 * disabled, no record comes.
 */
static void pebs_drain_last(struct x86_cpu_pmu *cpu, u64 counters)
{
	unsigned int looks = PEBS_LOOKS;

	while (looks-- && pebs_record_is_due(cpu, counters))
		;
	pebs_drain(cpu, NULL);
}

static void pebs_start(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	unsigned int idx = event->hw.idx;
	bool on;

	/* It was added before. Until it is disabled, it counts. */
	if (x86_side_is_broken(cpu->core, X86_SIDE_PRECISE)) {
		perf_event_disable_inatomic(event);
		return;
	}
	on = pebs_pause(cpu);
	/* A late record of the counter is of the event that had the counter before: drop it. */
	pebs_drain(cpu, NULL);
	if (x86_side_is_broken(cpu->core, X86_SIDE_PRECISE)) {
		perf_event_disable_inatomic(event);
		pebs_continue(cpu, on);
		return;
	}
	pebs->cfg[idx] = pebs_groups_of(event);
	if (pebs_collects_now(event))
		pebs->many |= BIT_ULL(idx);
	else
		pebs->many &= ~BIT_ULL(idx);
	pebs_set_reload(cpu, event);
	cpu->recorded |= BIT_ULL(idx);
	barrier();	/* from here on an NMI that finds a fault disables it */
	pebs->enable |= pebs_enables_of(event);
	pebs_set_layout(cpu);
	pebs_write_enable(pebs);
	pebs_continue(cpu, on);
}

static void pebs_stop(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	bool on = pebs_pause(cpu);

	pebs_drain_last(cpu, BIT_ULL(event->hw.idx));
	pebs->enable &= ~pebs_enables_of(event);
	pebs_write_enable(pebs);
	/* One that came until the register was written is still the event's. */
	pebs_drain(cpu, NULL);
	cpu->recorded &= ~BIT_ULL(event->hw.idx);
	pebs_set_layout(cpu);
	pebs_continue(cpu, on);
}

/* The buffer holds periods that the counter does not show. */
static void pebs_read(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	bool on = pebs_pause(cpu);

	pebs_drain(cpu, NULL);
	pebs_continue(cpu, on);
}

/*
 * The value that a VM exit has loaded may name a counter that an NMI has stopped before VM entry.
 * The counter's next event may not be precise.
 */
static void pebs_after_guest(struct x86_cpu_pmu *cpu)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);

	if (pebs->exit_enable != pebs->enable)
		pebs_write_enable(pebs);
}

/*
 * Counters count while KVM has records disabled: before VM entry, and until VM exit has loaded the
 * last MSR. One that overflows then has no record, raises no interrupt, and is not reloaded.
 * It is started again, and its sample is due with the next event.
 */
static void pebs_restart_overflowed(struct x86_cpu_pmu *cpu)
{
	struct perf_event *event;
	bool on;
	u64 todo;

	if (likely(!pebs_record_is_due(cpu, cpu->recorded & cpu->active)))
		return;
	on = pebs_pause(cpu);
	pebs_drain(cpu, NULL);
	for (todo = cpu->recorded & cpu->active; todo; todo &= todo - 1) {
		event = cpu->owner[__ffs64(todo)];
		if (!x86_count_shows_overflow(event))
			continue;
		if (x86_sched_stop(event))
			x86_sched_start_on(cpu, event);
	}
	pebs_continue(cpu, on);
}

/**
 * pebs_before_guest() - repair what the last VM entry and exit have left
 * @cpu: this CPU's PMU, with precise sampling
 *
 * Context: irqs off. An NMI may stop events meanwhile.
 * Return: the value of MSR_IA32_PEBS_ENABLE that the next VM exit loads.
 */
u64 pebs_before_guest(struct x86_cpu_pmu *cpu)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	u64 enable;

	if (cpu->guest.switches) {
		pebs_after_guest(cpu);
		pebs_restart_overflowed(cpu);
	}
	enable = READ_ONCE(pebs->enable);
	pebs->exit_enable = enable;
	return enable;
}

static void pebs_quiet(struct x86_cpu_pmu *cpu)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	struct intel_ds *ds = this_cpu_ptr(&intel_ds);

	cpu->recorded = 0;
	pebs->enable = 0;
	pebs->exit_enable = 0;
	pebs->data_cfg = 0;
	x86_hw_write(MSR_IA32_PEBS_ENABLE, 0);
	if (pebs_is_adaptive(cpu->core))
		x86_hw_write(MSR_PEBS_DATA_CFG, 0);
	if (!ds->buffer)
		return;
	ds->store->pebs_index = ds->store->pebs_buffer_base;
	x86_hw_write(MSR_IA32_DS_AREA, ds->store_at);
}

/*
 * Records that do not name their counters belong to one event. Several precise events take
 * turns, like events that need the same counter.
 */
static bool pebs_records_alone(const struct x86_core_pmu *core)
{
	return core->precise.format < PEBS_FORMAT_COUNTERS;
}

/* Sandy Bridge's manual: no other event may be precise while latency of loads is measured. */
static bool pebs_loads_exclude(const struct perf_event *event, const struct perf_event *other)
{
	return x86_core_of(event->pmu)->precise.pebs->flags & PEBS_LOADS_ALONE &&
	       (pebs_is_load_latency(event) || pebs_is_load_latency(other));
}

static int pebs_together(const struct perf_event *event, const struct perf_event *other)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	if (pebs_loads_exclude(event, other))
		return perf_refuse(-EINVAL, "precise_ip",
				   "latency of loads excludes other precise events");
	if (pebs_records_alone(core))
		return perf_refuse(-EINVAL, "precise_ip",
				   "%s records one precise event at a time", core->name);
	return 0;
}

/* Can the event record beside those that are on this CPU? */
static bool pebs_fits_here(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	const struct perf_event *other;
	u64 todo;

	if (!pebs_records_alone(cpu->core) && !(cpu->core->precise.pebs->flags & PEBS_LOADS_ALONE))
		return true;
	for (todo = cpu->assign.taken; todo; todo &= todo - 1) {
		other = cpu->assign.user[__ffs64(todo)];
		if (other && other->hw.flags & X86_EVENT_PRECISE &&
		    (pebs_records_alone(cpu->core) || pebs_loads_exclude(event, other)))
			return false;
	}
	return true;
}

static bool pebs_add(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (!this_cpu_ptr(&intel_ds)->buffer || !pebs_fits_here(cpu, event) ||
	    x86_side_is_broken(cpu->core, X86_SIDE_PRECISE))
		return false;
	if (event->hw.flags & X86_EVENT_COLLECTS)
		perf_sched_cb_inc(event->pmu);
	return true;
}

static void pebs_del(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_COLLECTS)
		perf_sched_cb_dec(event->pmu);
}

/*
 * Records name no task. A task's records are read while it is current: events of the CPU go on when
 * another task runs, and so do inherited events if that task has the same ones.
 */
static void pebs_sched_task(struct x86_cpu_pmu *cpu, struct perf_event_pmu_context *pmu_ctx,
			    struct task_struct *task, bool sched_in)
{
	if (!sched_in)
		pebs_drain_last(cpu, cpu->recorded);
}

static u64 pebs_exact_counters(const struct x86_core_pmu *core, u64 config)
{
	const struct intel_pebs *pebs = core->precise.pebs;

	if (intel_pebs_is_exact(pebs, config))
		return core->counters;
	if (event_constraint_find(pebs->inexact, config))
		return 0;
	return pebs->exact_on & core->counters;
}

/* On models where cycles are not precise, an equivalent event may be. */
static void pebs_replace_cycles(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;

	if (!core->precise.pebs->cycles || (hwc->config & X86_SELECT_WHAT) != ARCH_CYCLES)
		return;
	hwc->config = (hwc->config & ~X86_SELECT_WHAT) | core->precise.pebs->cycles;
	hwc->config_base = x86_core_counters_for(core, core->precise.pebs->cycles);
}

/*
 * Limit the event to counters that can record it. precise_ip 3 demands an instruction without skid,
 * which records have. Which of the instructions get records is exact on some counters only, and
 * for some events. Others get what 2 is.
 */
static int pebs_limit_counters(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u64 exact;

	pebs_replace_cycles(event);
	hwc->config_base &= intel_pebs_counters(core->precise.pebs, hwc->config);
	if (!hwc->config_base)
		return perf_refuse(-EINVAL, "precise_ip", "event %#llx is not precise on %s",
				   hwc->config & X86_SELECT_WHAT, core->name);
	if (event->attr.precise_ip < 3)
		return 0;
	exact = hwc->config_base & pebs_exact_counters(core, hwc->config);
	if (exact)
		hwc->config_base = exact;
	return 0;
}

static int pebs_check_attr(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct perf_event_attr *attr = &event->attr;

	if (!event->parent && attr->precise_ip > core->precise.max)
		return perf_refuse(-EOPNOTSUPP, "precise_ip", "%u asked, %s offers at most %u",
				   attr->precise_ip, core->name, core->precise.max);
	if (attr->exclude_host)
		return perf_refuse(-EOPNOTSUPP, "exclude_host", "guests are not sampled precisely");
	if (pebs_is_load_latency(event) && event->hw.extra_reg.config < LD_LAT_MIN)
		return perf_refuse(-EINVAL, "config1", "ldlat is %llu, the least is %u",
				   event->hw.extra_reg.config, LD_LAT_MIN);
	return 0;
}

static int pebs_event_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	int err;

	err = pebs_check_attr(event);
	/* Without samples, only events that count nothing of use otherwise need records. */
	if (!err && !is_sampling_event(event) && !pebs_is_load_latency(event) &&
	    !pebs_is_store(event)) {
		hwc->flags &= ~X86_EVENT_PRECISE;
		return 0;
	}
	err = err ?: pebs_limit_counters(event);
	if (err)
		return err;
	/* Hardware would write records of a guest into the guest's memory. */
	hwc->flags |= X86_EVENT_HOST_ONLY;
	/* The hardware interrupts when the buffer is filled, not when the counter overflows. */
	hwc->config &= ~ARCH_PERFMON_EVENTSEL_INT;
	if (pebs_is_adaptive(core))
		hwc->config |= ICL_EVENTSEL_ADAPTIVE;
	if (event->attr.precise_ip == 2 && core->precise.format < PEBS_FORMAT_EVENTING_IP)
		hwc->flags |= X86_EVENT_LOCATES;
	if (is_sampling_event(event) && pebs_collects(event)) {
		hwc->flags |= X86_EVENT_COLLECTS;
		event->attach_state |= PERF_ATTACH_SCHED_CB;
	}
	return 0;
}

/* Some hypervisors list what they do not have. The registers must keep their values. */
static bool pebs_probe_register(u32 msr, u64 value)
{
	u64 is;

	return !x86_hw_write_safe(msr, value) && !x86_hw_read_safe(msr, &is) && is == value &&
	       !x86_hw_write_safe(msr, 0);
}

static bool pebs_probe(const struct x86_core_pmu *core)
{
	u64 pattern = CPU_ENTRY_AREA_BASE;

	/* Nothing counts, so nothing is recorded at that address. */
	return !x86_hw_write_safe(MSR_IA32_PEBS_ENABLE, 0) &&
	       pebs_probe_register(MSR_IA32_DS_AREA, pattern) &&
	       pebs_probe_register(MSR_IA32_PEBS_ENABLE, 1) &&
	       (!pebs_is_adaptive(core) || pebs_probe_register(MSR_PEBS_DATA_CFG, PEBS_GROUP_REGS));
}

static const struct x86_side_ops pebs_ops = {
	.event_init	= pebs_event_init,
	.together	= pebs_together,
	.add		= pebs_add,
	.del		= pebs_del,
	.start		= pebs_start,
	.stop		= pebs_stop,
	.read		= pebs_read,
	.after_guest	= pebs_after_guest,
	.probe		= pebs_probe,
	.quiet		= pebs_quiet,
	.drain		= pebs_drain,
	.sched_task	= pebs_sched_task,
	.cpu_prepare	= intel_ds_prepare,
	.cpu_dead	= intel_ds_dead,
};

static void pebs_set_max_precise(struct x86_core_pmu *core)
{
	core->precise.max_alone = 2;
	/* Without the instruction's address, the branches before it are needed. */
	if (core->precise.format < PEBS_FORMAT_EVENTING_IP)
		core->precise.max_alone = 1;
	else if (core->precise.pebs->exact || core->precise.pebs->exact_on & core->counters)
		core->precise.max_alone = 3;
	core->precise.max = max_t(u8, core->precise.max_alone, 2);
}

/* Why the core's precise sampling is not offered, NULL if it is. */
static const char *pebs_not_offered(const struct x86_core_pmu *core,
				    const struct x86_detect_cpu *cpu,
				    u8 format)
{
	if (format > PEBS_FORMAT_MAX)
		return "the layout of its records is not known";
	/* PERF_CAPABILITIES may be hidden. Cores with that format are refused above. */
	if (!format)
		return "the layout of its records is not listed";
	/* Hypervisors may offer records without groups of fields. */
	if (format >= PEBS_FORMAT_ADAPTIVE && !(cpu->capabilities & PERF_CAP_PEBS_BASELINE))
		return "its records have no groups of fields";
	/* Tables without events are for cores that record any event. */
	if (!core->regs->global_ctrl ||
	    (!core->precise.pebs->events && format < PEBS_FORMAT_COUNTERS))
		return "its version does not fit the model";
	return NULL;
}

/**
 * intel_pebs_describe() - describe precise sampling of a core
 * @core: the core, with its counters
 * @pebs: precise sampling of such cores, or NULL
 * @no_precise: why it is refused on such cores, or NULL
 * @cpu: the CPU
 *
 * Context: any.
 */
void intel_pebs_describe(struct x86_core_pmu *core, const struct intel_pebs *pebs,
			 const char *no_precise, const struct x86_detect_cpu *cpu)
{
	u8 format = (cpu->capabilities & PERF_CAP_PEBS_FORMAT) >> __ffs(PERF_CAP_PEBS_FORMAT);
	const char *why;

	if (!pebs || !(cpu->features.reg[CPUID_EDX] & CPUID1_EDX_DS) ||
	    cpu->misc_enable & MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL)
		return;
	core->precise.pebs = pebs;
	why = no_precise ?: pebs_not_offered(core, cpu, format);
	core->why_not[X86_SIDE_PRECISE] = why;
	if (why)
		return;
	core->precise.format = format;
	core->precise.timed = cpu->capabilities & PERF_CAP_PEBS_TIMING;
	core->precise.loads_aux = pebs->loads_aux;
	pebs_set_max_precise(core);
	if (pebs_is_adaptive(core))
		core->capabilities |= PERF_PMU_CAP_EXTENDED_REGS;
	core->side[X86_SIDE_PRECISE] = &pebs_ops;
	core->files.events[X86_EVENTS_OF_MEMORY] = pebs->files;
}
