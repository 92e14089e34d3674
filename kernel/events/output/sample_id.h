/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identification of a record: task, time, event and CPU.
 *
 * Samples have these fields among others. All other records end with them, as their sample_id,
 * if attr.sample_id_all is set.
 *
 * __always_inline: see sample/sample.c.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_ID_H
#define _KERNEL_EVENTS_SAMPLE_ID_H

#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

/* Bits of attr.sample_type that select fields of the sample_id. */
#define PERF_SAMPLE_TRAILER_BITS					\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define PERF_SAMPLE_NR_TRAILER	__const_hweight64((u64)PERF_SAMPLE_TRAILER_BITS)

/* Size of the sample_id of a record other than a sample, in bytes. */
static inline unsigned int perf_sample_id_size(const struct perf_event *event)
{
	return event->sample_layout.id_size;
}

void perf_sample_id_put(struct perf_output_handle *handle,
			struct perf_event *event);

/*
 * Ids of a task in the PID namespace of the event: 0 if the task is not in the namespace, -1 if
 * it is dead and has lost its id.
 */
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task);
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task);

/* Two 32-bit members of a record, in memory order. */
static inline u64 perf_id_pair(u32 first, u32 second)
{
	union {
		u32 half[2];
		u64 whole;
	} both = { .half = { first, second } };

	return both.whole;
}

static __always_inline u64 perf_id_tid(const struct perf_event *root)
{
	struct task_struct *task = current;

	if (likely(root->ns == &init_pid_ns && pid_alive(task)))
		return perf_id_pair(task->tgid, task->pid);
	return perf_id_pair(perf_event_pid(root, task), perf_event_tid(root, task));
}

static __always_inline u64 perf_id_time(const struct perf_event *event)
{
	if (likely(!event->attr.use_clockid))
		return local_clock();
	return event->clock();
}

static __always_inline u64 perf_id_cpu(void)
{
	return perf_id_pair(raw_smp_processor_id(), 0);
}

#endif /* _KERNEL_EVENTS_SAMPLE_ID_H */
