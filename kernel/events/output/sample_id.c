// SPDX-License-Identifier: GPL-2.0
/*
 * The identification at the end of records that are not samples, and the ids of tasks as
 * the owner of an event sees them.
 */
#include "../base/event.h"
#include "output.h"
#include "sample_id.h"

/**
 * perf_sample_id_put() - write what sample_id_all adds to a record
 * @handle: of a record that is not a sample, with its body written
 * @event: whose record; perf_sample_id_size() bytes are written
 *
 * Context: any, preemption off.
 */
void perf_sample_id_put(struct perf_output_handle *handle, struct perf_event *event)
{
	u64 type = event->attr.sample_type;
	u64 id[PERF_SAMPLE_NR_TRAILER] __uninitialized, *out = id;
	struct perf_event *root = perf_event_root(event);

	if (!event->sample_layout.id_size)
		return;
	if (type & PERF_SAMPLE_TID)
		*out++ = perf_id_tid(root);
	if (type & PERF_SAMPLE_TIME) {
		*out = perf_id_time(event);
		out++;
	}
	if (type & PERF_SAMPLE_ID)
		*out++ = root->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = event->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = perf_id_cpu();
	/* in a sample this field is the first, here it is the last */
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out = root->id;
	perf_output_mem(handle, id, event->sample_layout.id_size);
}

static u32 perf_event_nr_of(const struct perf_event *event,
			    struct task_struct *task, enum pid_type type)
{
	const struct perf_event *root = event->parent ?: event;
	u32 nr = __task_pid_nr_ns(task, type, root->ns);

	return nr || pid_alive(task) ? nr : -1;
}

/**
 * perf_event_pid() - id of a task's process, as the owner of an event sees it
 * @event: any; what counts is the namespace in which its root was opened
 * @task: any
 *
 * Context: any.
 * Return: 0 for the idle task and what is not in the namespace, -1 if the process
 * is gone so far that it has no id.
 */
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task)
{
	return perf_event_nr_of(event, task, PIDTYPE_TGID);
}

/**
 * perf_event_tid() - id of a task
 * @event: as perf_event_pid()
 * @task: any
 *
 * Context: any.
 * Return: as perf_event_pid(); a thread loses its id earlier.
 */
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task)
{
	return perf_event_nr_of(event, task, PIDTYPE_PID);
}
