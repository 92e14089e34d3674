// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of context switches: PERF_RECORD_SWITCH and SWITCH_CPU_WIDE.
 *
 * Called by switch.c while there are listeners on the machine.
 *
 * Context: irqs off, rq lock held.
 */
#include <linux/sched.h>

#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"

/**
 * struct perf_switch_record - PERF_RECORD_SWITCH or SWITCH_CPU_WIDE
 * @base: the record
 * @other: the other task of the switch
 */
struct perf_switch_record {
	struct perf_sideband	base;
	struct task_struct	*other;
};

/* A task's event records its own task only. A CPU event also records the other task's ids. */
static bool perf_switch_is_wide(const struct perf_event *event)
{
	return !(event->attach_state & PERF_ATTACH_TASK);
}

static void perf_switch_shape(const struct perf_event *event,
			      struct perf_sideband *copy,
			      const struct perf_sideband *base)
{
	if (!perf_switch_is_wide(event))
		return;
	copy->type = PERF_RECORD_SWITCH_CPU_WIDE;
	copy->size += 2 * sizeof(u32);
}

static void perf_switch_put(struct perf_output_handle *handle,
			    struct perf_event *event,
			    const struct perf_sideband *base)
{
	const struct perf_switch_record *record =
		container_of(base, struct perf_switch_record, base);

	if (perf_switch_is_wide(event))
		perf_output_u32_pair(handle, perf_event_pid(event, record->other),
				     perf_event_tid(event, record->other));
}

/**
 * perf_sideband_switch() - record that a task is switched in or out
 * @task: current; its context is scheduled in
 * @other: the next task, or the previous one; a previous task may have exited
 * @in: @task is switched in, else it is switched out
 *
 * Context: irqs off, rq lock held.
 */
void perf_sideband_switch(struct task_struct *task, struct task_struct *other,
			  bool in)
{
	struct perf_switch_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_SWITCH,
			.type	= PERF_RECORD_SWITCH,
			.shape	= perf_switch_shape,
			.put	= perf_switch_put,
		},
		.other = other,
	};

	if (!in) {
		record.base.misc |= PERF_RECORD_MISC_SWITCH_OUT;
		/* A runnable task is switched out by preemption. */
		if (task_is_runnable(task))
			record.base.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	}
	perf_sideband_emit(&record.base);
}
