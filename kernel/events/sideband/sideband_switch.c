// SPDX-License-Identifier: GPL-2.0
/*
 * Side band: context switches. PERF_RECORD_SWITCH and SWITCH_CPU_WIDE.
 *
 * Called by switch.c while somebody listens, with the rq lock held and irqs off.
 */
#include <linux/sched.h>

#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"

/**
 * struct perf_switch_record - a task comes or leaves
 * @base: the record
 * @other: the one that leaves or comes
 */
struct perf_switch_record {
	struct perf_sideband	base;
	struct task_struct	*other;
};

/* The events of a task are told of that task. Those of a CPU, of both. */
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
 * perf_sideband_switch() - a task comes or leaves
 * @task: it, which is current; its context is on
 * @other: the one that comes after it, or was there before; may have exited
 * @in: it comes
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
		/* it would go on if it were let */
		if (task_is_runnable(task))
			record.base.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	}
	perf_sideband_emit(&record.base);
}
