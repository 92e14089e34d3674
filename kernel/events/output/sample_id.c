// SPDX-License-Identifier: GPL-2.0
/*
 * The sample_id at the end of records other than samples, and the ids of tasks in the PID
 * namespace of an event.
 */
#include "../base/event.h"
#include "output.h"
#include "sample_id.h"

/**
 * perf_sample_id_put() - write the sample_id of a record
 * @handle: handle of a record other than a sample; its body is written
 * @event: the event of the record
 *
 * Writes perf_sample_id_size() bytes.
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
	/* PERF_SAMPLE_IDENTIFIER is the first field of a sample, but the last one here. */
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
 * perf_event_pid() - PID of a task's process in the PID namespace of an event
 * @event: any event; the namespace is that in which its root event was opened
 * @task: any task
 *
 * Context: any.
 * Return: the PID; 0 for the idle task and for a task outside of the namespace; -1 if the
 * process has exited and has no PID any more.
 */
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task)
{
	return perf_event_nr_of(event, task, PIDTYPE_TGID);
}

/**
 * perf_event_tid() - TID of a task in the PID namespace of an event
 * @event: as perf_event_pid()
 * @task: any task
 *
 * Context: any.
 * Return: as perf_event_pid(). A thread loses its TID before its process loses its PID.
 */
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task)
{
	return perf_event_nr_of(event, task, PIDTYPE_PID);
}
