/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints that are changed with their parent, and breakpoints in groups that move to another
 * CPU. A CPU's breakpoint has a slot there, see breakpoint_slots.h: a slot of the new CPU is taken
 * before the group moves, and the slot of the old CPU is given back afterwards.
 */
#ifndef _KERNEL_EVENTS_BREAKPOINT_H
#define _KERNEL_EVENTS_BREAKPOINT_H

#include <linux/perf_event.h>

int perf_bp_change(struct perf_event *bp, const struct perf_event_attr *attr);

#ifdef CONFIG_HAVE_HW_BREAKPOINT
int __perf_bp_take_on(const struct perf_event *bp, int cpu);
void __perf_bp_give_back_on(const struct perf_event *bp, int cpu);
#else
static inline int __perf_bp_take_on(const struct perf_event *bp, int cpu) { return 0; }
static inline void __perf_bp_give_back_on(const struct perf_event *bp, int cpu) { }
#endif

/**
 * perf_bp_take_on() - take a slot of another CPU for an event that moves there
 * @event: an event of a CPU; nothing is done unless it is a breakpoint
 * @cpu: the CPU
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOSPC.
 */
static inline int perf_bp_take_on(const struct perf_event *event, int cpu)
{
	return event->attr.type == PERF_TYPE_BREAKPOINT ? __perf_bp_take_on(event, cpu) : 0;
}

/**
 * perf_bp_give_back_on() - give a slot of a CPU back that an event has left, or did not move to
 * @event: as for perf_bp_take_on()
 * @cpu: the CPU
 *
 * Context: task, may sleep.
 */
static inline void perf_bp_give_back_on(const struct perf_event *event, int cpu)
{
	if (event->attr.type == PERF_TYPE_BREAKPOINT)
		__perf_bp_give_back_on(event, cpu);
}

#endif /* _KERNEL_EVENTS_BREAKPOINT_H */
