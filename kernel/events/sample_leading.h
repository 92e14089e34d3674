/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields with which samples begin, each of eight bytes, and the trailer of
 * other records, which consists of the same fields.
 *
 * Inlined, since this is what a sample costs at least. Only sample.c, which
 * writes them, and sample_fields.c, where they are rows of the table, include it.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_LEADING_H
#define _KERNEL_EVENTS_SAMPLE_LEADING_H

#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "event.h"
#include "sample.h"
#include "sample_fields.h"

/* at the end of other records */
#define PERF_SAMPLE_TRAILER_BITS					\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define PERF_SAMPLE_NR_TRAILER	__const_hweight64((u64)PERF_SAMPLE_TRAILER_BITS)

/* perf_sample_leading() writes them */
static_assert(!(PERF_SAMPLE_TRAILER_BITS & ~PERF_SAMPLE_LEADING_BITS));

/* two members of 32 bits, in the order in which they stand in memory */
static __always_inline u64 perf_sample_pair(u32 first, u32 second)
{
	union {
		u32 half[2];
		u64 whole;
	} both = { .half = { first, second } };

	return both.whole;
}

static __always_inline u64 perf_value_identifier(const struct perf_sample *sample)
{
	return sample->root->id;
}

static __always_inline u64 perf_value_ip(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_IP))
		return perf_event_hides(sample->event, sample->data->ip) ?
		       0 : sample->data->ip;
	if (unlikely(!sample->regs))
		return 0;
	return perf_instruction_pointer(sample->regs);
}

static __always_inline u64 perf_value_tid(const struct perf_sample *sample)
{
	const struct perf_sample_data *data = sample->data;
	struct task_struct *task = current;

	if (perf_sample_given(sample, PERF_SAMPLE_TID))
		return perf_sample_pair(data->tid_entry.pid, data->tid_entry.tid);
	if (likely(sample->root->ns == &init_pid_ns && pid_alive(task)))
		return perf_sample_pair(task->tgid, task->pid);
	return perf_sample_pair(perf_event_pid(sample->root, task),
				perf_event_tid(sample->root, task));
}

static __always_inline u64 perf_value_time(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_TIME))
		return sample->data->time;
	if (likely(!sample->event->attr.use_clockid))
		return local_clock();
	return sample->event->clock();
}

static __always_inline u64 perf_value_addr(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_ADDR) ? sample->data->addr : 0;
}

static __always_inline u64 perf_value_stream_id(const struct perf_sample *sample)
{
	return sample->event->id;
}

static __always_inline u64 perf_value_cpu(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_CPU))
		return perf_sample_pair(sample->data->cpu_entry.cpu, 0);
	return perf_sample_pair(raw_smp_processor_id(), 0);
}

static __always_inline u64 perf_value_period(const struct perf_sample *sample)
{
	return sample->data->period;
}

/**
 * perf_sample_leading - the fields of eight bytes that come first
 * @sample: being taken
 * @type: PERF_SAMPLE_*, which of them
 * @out: room for PERF_SAMPLE_NR_LEADING
 *
 * What the first rows of the table say, spelt out: nearly all samples begin with
 * some of them, and many have no others.
 *
 * Return: behind the last that was written.
 */
static __always_inline u64 *perf_sample_leading(const struct perf_sample *sample,
						u64 type, u64 *out)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = perf_value_identifier(sample);
	if (type & PERF_SAMPLE_IP) {
		*out = perf_value_ip(sample);
		out++;
	}
	if (type & PERF_SAMPLE_TID)
		*out++ = perf_value_tid(sample);
	if (type & PERF_SAMPLE_TIME) {
		*out = perf_value_time(sample);
		out++;
	}
	if (type & PERF_SAMPLE_ADDR)
		*out++ = perf_value_addr(sample);
	if (type & PERF_SAMPLE_ID)
		*out++ = perf_value_identifier(sample);
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = perf_value_stream_id(sample);
	if (type & PERF_SAMPLE_CPU)
		*out++ = perf_value_cpu(sample);
	if (type & PERF_SAMPLE_PERIOD)
		*out++ = perf_value_period(sample);
	return out;
}

/**
 * perf_sample_trailer - the identification of a record that is not a sample
 * @sample: with nothing given, and no registers
 * @type: PERF_SAMPLE_*; others than PERF_SAMPLE_TRAILER_BITS do not matter
 * @out: room for PERF_SAMPLE_NR_TRAILER
 *
 * The same fields in the same order, but that IDENTIFIER is the last.
 */
static __always_inline void perf_sample_trailer(const struct perf_sample *sample,
						u64 type, u64 *out)
{
	out = perf_sample_leading(sample, type & PERF_SAMPLE_TRAILER_BITS &
				  ~PERF_SAMPLE_IDENTIFIER, out);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out = perf_value_identifier(sample);
}

#endif /* _KERNEL_EVENTS_SAMPLE_LEADING_H */
