// SPDX-License-Identifier: GPL-2.0
/*
 * A small but complete PMU driver, the example of Documentation/perf/adding-a-pmu.rst.
 *
 * The PMU "clock" counts nanoseconds of the CPU's clock, so any number of events fits, and it
 * cannot sample. It needs no hardware: it is the first PMU of a new architecture, too.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/sched/clock.h>

static int clock_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config)
		return perf_refuse(-EINVAL, "config", "event %llu, there is only 0",
				   event->attr.config);
	if (event->attr.config1 || event->attr.config2 || event->attr.config3)
		return perf_refuse(-EINVAL, "config1", "the events have no more parameters");
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, "sample_type", "a clock records no branches");
	if (event->attr.precise_ip)
		return perf_refuse(-EOPNOTSUPP, "precise_ip", "a clock executes no instructions");
	return 0;
}

/* An NMI that reads the event may interrupt this at any instruction. */
static void clock_update(struct perf_event *event)
{
	u64 now = local_clock();
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void clock_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		clock_update(event);
}

static void clock_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, local_clock());
	event->hw.state = 0;
}

static void clock_stop(struct perf_event *event, int flags)
{
	clock_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int clock_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		clock_start(event, flags);
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_EVENT_ATTR_STRING(ns, clock_attr_ns, "event=0");

static struct attribute *clock_formats[] = { &format_attr_event.attr, NULL };
static struct attribute *clock_events[] = { &clock_attr_ns.attr.attr, NULL };

static const struct attribute_group clock_format_group = {
	.name = "format", .attrs = clock_formats,
};

static const struct attribute_group clock_events_group = {
	.name = "events", .attrs = clock_events,
};

static const struct attribute_group *clock_groups[] = {
	&clock_format_group, &clock_events_group, NULL
};

static struct pmu clock_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
	.attr_groups	= clock_groups,
	.event_init	= clock_event_init,
	.add		= clock_add,
	.del		= clock_stop,
	.start		= clock_start,
	.stop		= clock_stop,
	.read		= clock_read,
};

static int __init clock_pmu_init(void)
{
	return perf_pmu_register(&clock_pmu, "clock", -1);
}
module_init(clock_pmu_init);

static void __exit clock_pmu_exit(void)
{
	perf_pmu_unregister(&clock_pmu);
}
module_exit(clock_pmu_exit);

MODULE_DESCRIPTION("A PMU that counts nanoseconds, an example");
MODULE_LICENSE("GPL");
