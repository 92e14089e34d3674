// SPDX-License-Identifier: GPL-2.0
/*
 * A fake PMU in memory: a few counters of selectable width. Some events fit on some of the
 * counters only. Some need a value in a register that all counters of the CPU share. Of these,
 * only events with the same value have counters at the same time.
 *
 * Counts are exact. An event counts either occurrences, which fake_pmu_poke() generates, or
 * time of the CPU's clock. fake_pmu_poke() stands in for the hardware: it advances the counters
 * of the CPU that it is called on. A counter that wraps raises an interrupt in hardirq context.
 * Counters are assigned in the order of the calls of add(), so add() decides what fits. Within a
 * transaction that decision can be deferred to commit_txn(), as some drivers do. add_batch() and
 * del_batch() take several groups with one call. There are no NMIs. For AUX areas see
 * fake_trace.c.
 *
 * This file has what all fake PMUs share. KUnit suites register their own ones with
 * fake_pmu_register(). fake_pmu.c registers one for user space.
 */
#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

#include "fake_counters.h"

/* ns per count, 0 if the event does not count time */
static const u32 fake_scale[FAKE_CODES] = {
	[FAKE_NS] = 1,
	[FAKE_US] = NSEC_PER_USEC,
	[FAKE_MS] = NSEC_PER_MSEC,
};

static struct fake_pmu *fake_of(struct perf_event *event)
{
	return container_of(event->pmu, struct fake_pmu, pmu);
}

static struct fake_cpu *fake_here(struct perf_event *event)
{
	return this_cpu_ptr(fake_of(event)->cpus);
}

static u32 fake_event_scale(const struct perf_event *event)
{
	return fake_scale[FIELD_GET(FAKE_CODE, event->attr.config)];
}

static u64 fake_range(const struct perf_event *event)
{
	return event->hw.config_base;
}

/* Update an event that counts time. The remainder of a unit is kept for the next update. */
static void fake_update_clock(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 now = local_clock();
	u64 then = local64_xchg(&hwc->prev_count, now);
	u64 ns = now - then + hwc->event_base;
	u32 rest;

	local64_add(div_u64_rem(ns, fake_event_scale(event), &rest), &event->count);
	hwc->event_base = rest;
}

static void fake_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 then, now, delta;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	if (fake_event_scale(event)) {
		fake_update_clock(event);
		return;
	}
	now = fake_here(event)->raw[hwc->idx];
	then = local64_xchg(&hwc->prev_count, now);
	delta = (now - then) & fake_range(event);
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/* Set the counter to wrap at the end of the period, but after half of its range at most. */
static void fake_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 range = fake_range(event), raw;
	s64 left = local64_read(&hwc->period_left);

	if (left <= 0 && is_sampling_event(event)) {
		left += hwc->sample_period;
		/* the period was shortened, or has ended several times */
		if (left <= 0)
			left = hwc->sample_period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = hwc->sample_period;
	}
	if (left <= 0 || left > (range >> 1))
		left = range >> 1;
	raw = -left & range;
	local64_set(&hwc->prev_count, raw);
	fake_here(event)->raw[hwc->idx] = raw;
}

static void fake_start(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;
	struct fake_pmu *fake = fake_of(event);

	if (WARN_ON_ONCE(!(hwc->state & PERF_HES_STOPPED)))
		return;
	if (event->pending_disable)
		fake_here(event)->nr_faults++;
	hwc->config_base = GENMASK_ULL(clamp(READ_ONCE(fake->width), 8U, 64U) - 1, 0);
	if (fake_event_scale(event))
		local64_set(&hwc->prev_count, local_clock());
	else
		fake_set_period(event);
	hwc->state = 0;
	perf_event_update_userpage(event);
}

static void fake_stop(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	fake_update(event);
	hwc->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (fake_of(event)->ends == event) {
		fake_of(event)->ends = NULL;
		perf_event_disable_inatomic(event);
	}
}

static unsigned long fake_fitting(struct perf_event *event)
{
	unsigned long mask = FIELD_GET(FAKE_MASK, event->attr.config);
	unsigned int nr = min(READ_ONCE(fake_of(event)->nr_counters),
			      FAKE_MAX_COUNTERS);

	return (mask ?: ~0UL) & (BIT(nr) - 1);
}

/* The value that an event needs in the shared register, or 0 if it does not need that. */
static u8 fake_shared(const struct perf_event *event)
{
	return FIELD_GET(FAKE_SHARED, event->attr.config);
}

/* Can the shared register have both values at the same time? */
static bool fake_shares(u8 a, u8 b)
{
	return !a || !b || a == b;
}

/* The counters that are open to an event while @used and @shared are in use. */
static unsigned long fake_open(struct perf_event *event, unsigned long used, u8 shared)
{
	return fake_shares(fake_shared(event), shared) ? fake_fitting(event) & ~used : 0;
}

/* Assign the free counter @idx to an event. */
static void fake_take(struct fake_cpu *here, struct perf_event *event, int idx, int flags)
{
	event->hw.idx = idx;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	here->used |= BIT(idx);
	here->events[idx] = event;
	if (fake_shared(event)) {
		here->shared = fake_shared(event);
		here->nr_shared++;
	}
	here->nr_adds++;
	/* as drivers of events whose overflows are recorded in the leader's trace */
	if (event->attr.aux_output)
		perf_report_aux_output_id(event, idx);
	if (flags & PERF_EF_START)
		fake_start(event, PERF_EF_RELOAD);
}

/* Is the PMU disabled, as the core must do it for the PMU of a group? */
static bool fake_is_off(const struct fake_cpu *here)
{
	return here->off || here->fake->software;
}

/* An NMI must not find an event that is only half added or deleted, so oncpu must be -1. */
static void fake_check_hidden(struct fake_cpu *here, const struct perf_event *event)
{
	if (event->oncpu >= 0)
		here->nr_faults++;
}

static int fake_add(struct perf_event *event, int flags)
{
	struct fake_cpu *here = fake_here(event);
	unsigned long open = fake_open(event, here->used, here->shared);

	if (!fake_is_off(here) || event->hw.idx >= 0)
		here->nr_faults++;
	fake_check_hidden(here, event);
	if (!open) {
		here->nr_misfits++;
		here->nr_over++;
		return here->txn && fake_of(event)->deferred ? 0 : -EAGAIN;
	}
	fake_take(here, event, __ffs(open), flags);
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
	struct fake_cpu *here = fake_here(event);
	int idx = event->hw.idx;

	fake_check_hidden(here, event);
	/* accepted without a counter, in a transaction that has failed */
	if (idx < 0 && here->txn)
		return;
	if (!fake_is_off(here) || idx < 0 || here->events[idx] != event) {
		here->nr_faults++;
		return;
	}
	fake_stop(event, PERF_EF_UPDATE);
	here->used &= ~BIT(idx);
	here->events[idx] = NULL;
	if (fake_shared(event) && !--here->nr_shared)
		here->shared = 0;
	here->nr_dels++;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

/* Add all events or none. The counters are those that fake_add() would have assigned. */
static int fake_add_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr)
{
	struct fake_cpu *here = fake_here(events[0]);
	unsigned long used = here->used, open;
	u8 idx[FAKE_MAX_COUNTERS], shared = here->shared;

	if (!here->off || here->txn)
		here->nr_faults++;
	for (unsigned int i = 0; i < nr; i++) {
		fake_check_hidden(here, events[i]);
		open = fake_open(events[i], used, shared);
		if (!open) {
			here->nr_misfits++;
			return -EAGAIN;
		}
		idx[i] = __ffs(open);
		used |= BIT(idx[i]);
		shared = shared ?: fake_shared(events[i]);
	}
	for (unsigned int i = 0; i < nr; i++)
		fake_take(here, events[i], idx[i], PERF_EF_START);
	here->nr_batches++;
	return 0;
}

static void fake_del_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		fake_del(events[i], 0);
	fake_here(events[0])->nr_batches++;
}

static void fake_read(struct perf_event *event)
{
	fake_update(event);
}

static void fake_disable(struct pmu *pmu)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);

	this_cpu_ptr(fake->cpus)->off = true;
}

static void fake_enable(struct pmu *pmu)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);

	this_cpu_ptr(fake->cpus)->off = false;
}

static void fake_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);
	struct fake_cpu *here = this_cpu_ptr(fake->cpus);

	if (here->txn)
		here->nr_faults++;
	here->txn = true;
	here->nr_over = 0;
}

static void fake_cancel_txn(struct pmu *pmu)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);

	this_cpu_ptr(fake->cpus)->txn = false;
}

static int fake_commit_txn(struct pmu *pmu)
{
	struct fake_pmu *fake = container_of(pmu, struct fake_pmu, pmu);
	struct fake_cpu *here = this_cpu_ptr(fake->cpus);

	if (!here->txn)
		here->nr_faults++;
	if (here->nr_over)
		return -EAGAIN;
	here->txn = false;
	return 0;
}

/* A counter has wrapped. */
static void fake_wrapped(struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;
	struct pt_regs late = {};

	/* like a counter of user mode whose interrupt arrives late, in the kernel */
	if (event->attr.exclude_kernel) {
		perf_fetch_caller_regs(&late);
		regs = &late;
	}
	fake_update(event);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (!is_sampling_event(event) || local64_read(&event->hw.period_left) > 0) {
		fake_set_period(event);
		return;
	}
	fake_set_period(event);
	if (perf_event_overflow(event, &data, regs))
		fake_stop(event, 0);
}

/* Does the counter advance when something occurs? */
static bool fake_counts(struct perf_event *event)
{
	return event && !fake_event_scale(event) &&
	       !(event->hw.state & PERF_HES_STOPPED);
}

/* Number of occurrences until the first counter wraps, but @count at most. */
static u64 fake_step(struct fake_cpu *here, u64 count)
{
	struct perf_event *event;

	for (int i = 0; i < FAKE_MAX_COUNTERS; i++) {
		event = here->events[i];
		/* not 0: a counter that has wrapped was set to its next period */
		if (fake_counts(event))
			count = min(count, -here->raw[i] & fake_range(event));
	}
	return count;
}

/* Advance all counters by @step. Return: mask of the counters that have wrapped. */
static unsigned long fake_advance(struct fake_cpu *here, u64 step)
{
	unsigned long wrapped = 0;
	struct perf_event *event;

	for (int i = 0; i < FAKE_MAX_COUNTERS; i++) {
		event = here->events[i];
		if (!fake_counts(event))
			continue;
		here->raw[i] = (here->raw[i] + step) & fake_range(event);
		if (!here->raw[i])
			wrapped |= BIT(i);
	}
	return wrapped;
}

/**
 * fake_pmu_interrupt() - advance the counters of this CPU, and handle their overflows
 * @here: the counters
 * @count: number of occurrences
 * @regs: registers of the interrupted code
 *
 * An overflow is handled each time that a counter wraps. If counters wrap at the same
 * occurrence, all of them have the values of that moment while the overflows are handled.
 *
 * Context: irqs off.
 */
void fake_pmu_interrupt(struct fake_cpu *here, u64 count, struct pt_regs *regs)
{
	unsigned long wrapped;
	unsigned int i;
	u64 step;

	for (; count; count -= step) {
		step = fake_step(here, count);
		wrapped = fake_advance(here, step);
		for_each_set_bit(i, &wrapped, FAKE_MAX_COUNTERS)
			fake_wrapped(here->events[i], regs);
	}
}

static void fake_interrupt(struct irq_work *work)
{
	struct fake_cpu *here = container_of(work, struct fake_cpu, interrupt);
	struct pt_regs *regs = get_irq_regs() ?: task_pt_regs(current);
	u64 count = here->poke;

	here->poke = 0;
	fake_pmu_interrupt(here, count, regs);
}

/**
 * fake_pmu_poke() - generate occurrences on this CPU
 * @fake: the PMU
 * @count: number of occurrences
 *
 * The overflows are handled when the function returns. Work that they queue may run later.
 *
 * Context: task.
 */
void fake_pmu_poke(struct fake_pmu *fake, u64 count)
{
	struct fake_cpu *here;

	/* the irq_work must run while this task is current */
	guard(preempt)();
	here = this_cpu_ptr(fake->cpus);
	scoped_guard(irq) {
		here->poke += count;
		irq_work_queue(&here->interrupt);
	}
	while (irq_work_is_busy(&here->interrupt))
		cpu_relax();
}
EXPORT_SYMBOL_GPL(fake_pmu_poke);

/* Can both events of a group have counters, as far as the shared register is concerned? */
static bool fake_pair_fits(const struct perf_event *event, const struct perf_event *other)
{
	return event->pmu != other->pmu || fake_shares(fake_shared(event), fake_shared(other));
}

static bool fake_group_fits(struct perf_event *event)
{
	struct perf_event *sibling, *leader = event->group_leader;
	unsigned int nr = 1;

	if (fake_of(event)->any_group)
		return true;
	if (leader == event)
		return fake_fitting(event);
	if (!fake_pair_fits(event, leader))
		return false;
	if (leader->pmu == event->pmu)
		nr++;
	for_each_sibling_event(sibling, leader) {
		if (!fake_pair_fits(event, sibling))
			return false;
		nr += sibling->pmu == event->pmu;
	}
	return nr <= READ_ONCE(fake_of(event)->nr_counters);
}

/* Any event of the fake trace source can be the leader of an event with aux_output. */
static int fake_aux_output_match(struct perf_event *aux_leader)
{
	return !strcmp(aux_leader->pmu->name, "fake_trace");
}

/*
 * Occurrences of fake_pmu_poke() can be taken as occurrences in user mode, so
 * exclude_kernel is possible. The interrupt arrives in the kernel nevertheless, like the
 * interrupt of a counter which reports an overflow late.
 */
static bool fake_excludes(const struct perf_event_attr *attr, u64 code)
{
	struct perf_event_attr rest = *attr;

	if (code == FAKE_POKE) {
		rest.exclude_kernel = 0;
		rest.exclude_hv = 0;
	}
	return perf_event_has_any_exclude(&rest);
}

static int fake_event_init(struct perf_event *event)
{
	u64 code = FIELD_GET(FAKE_CODE, event->attr.config);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if ((event->attr.config & ~(FAKE_CODE | FAKE_MASK | FAKE_SHARED)) || code >= FAKE_CODES ||
	    fake_excludes(&event->attr, code))
		return -EINVAL;
	/* only FAKE_POKE raises interrupts */
	if (has_branch_stack(event) || (is_sampling_event(event) && code != FAKE_POKE))
		return -EOPNOTSUPP;
	if (!fake_group_fits(event))
		return -EINVAL;
	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED;
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(mask, "config:8-23");
PMU_FORMAT_ATTR(shared, "config:24-31");

static struct attribute *fake_format[] = {
	&format_attr_event.attr,
	&format_attr_mask.attr,
	&format_attr_shared.attr,
	NULL
};

PMU_EVENT_ATTR_STRING(poke, fake_attr_poke, "event=0x00");
PMU_EVENT_ATTR_STRING(ns, fake_attr_ns, "event=0x01");
PMU_EVENT_ATTR_STRING(us, fake_attr_us, "event=0x02");
PMU_EVENT_ATTR_STRING(ms, fake_attr_ms, "event=0x03");

static struct attribute *fake_events[] = {
	&fake_attr_poke.attr.attr,
	&fake_attr_ns.attr.attr,
	&fake_attr_us.attr.attr,
	&fake_attr_ms.attr.attr,
	NULL
};

static const struct attribute_group fake_format_group = {
	.name	= "format",
	.attrs	= fake_format,
};

static const struct attribute_group fake_events_group = {
	.name	= "events",
	.attrs	= fake_events,
};

static const struct attribute_group *fake_groups[] = {
	&fake_format_group,
	&fake_events_group,
	NULL
};

/**
 * fake_pmu_register() - register a fake PMU
 * @fake: the PMU; nr_counters, width, deferred and any_group are set
 * @name: name of the PMU
 * @owner: module of @fake, referenced while an event is open
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or the error of perf_pmu_register().
 */
int fake_pmu_register(struct fake_pmu *fake, const char *name, struct module *owner)
{
	struct fake_cpu *here;
	int cpu, err;

	fake->cpus = alloc_percpu(struct fake_cpu);
	if (!fake->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		here = per_cpu_ptr(fake->cpus, cpu);
		here->fake = fake;
		here->interrupt = IRQ_WORK_INIT_HARD(fake_interrupt);
	}
	fake->pmu = (struct pmu) {
		.module		= owner,
		.attr_groups	= fake_groups,
		.capabilities	= PERF_PMU_CAP_AUX_OUTPUT,
		.task_ctx_nr	= perf_hw_context,
		.event_init	= fake_event_init,
		.add		= fake_add,
		.del		= fake_del,
		.start		= fake_start,
		.stop		= fake_stop,
		.read		= fake_read,
		.pmu_enable	= fake_enable,
		.pmu_disable	= fake_disable,
		.start_txn	= fake_start_txn,
		.commit_txn	= fake_commit_txn,
		.cancel_txn	= fake_cancel_txn,
		.add_batch	= fake_add_batch,
		.del_batch	= fake_del_batch,
		.aux_output_match = fake_aux_output_match,
	};
	err = perf_pmu_register(&fake->pmu, name, -1);
	if (err)
		free_percpu(fake->cpus);
	return err;
}
EXPORT_SYMBOL_GPL(fake_pmu_register);

/**
 * fake_pmu_unregister() - undo fake_pmu_register()
 * @fake: the PMU; no event of it is open
 *
 * Context: task, may sleep.
 */
void fake_pmu_unregister(struct fake_pmu *fake)
{
	perf_pmu_unregister(&fake->pmu);
	free_percpu(fake->cpus);
}
EXPORT_SYMBOL_GPL(fake_pmu_unregister);

MODULE_DESCRIPTION("PMUs made of memory, for tests");
MODULE_LICENSE("GPL");
