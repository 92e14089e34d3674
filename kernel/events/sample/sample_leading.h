/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The leading fields of samples, each of eight bytes. Those that identify a record are taken
 * from output/sample_id.h, which also writes them behind other records.
 *
 * __always_inline: see sample.c. To be included only by sample.c, which writes the
 * fields, and sample_fields.c, which makes rows of the table of them.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_LEADING_H
#define _KERNEL_EVENTS_SAMPLE_LEADING_H

#include "../output/sample_id.h"
#include "sample_fields.h"

static inline u64 perf_value_identifier(const struct perf_sample *sample)
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

	if (perf_sample_given(sample, PERF_SAMPLE_TID))
		return perf_id_pair(data->tid_entry.pid, data->tid_entry.tid);
	return perf_id_tid(sample->root);
}

static __always_inline u64 perf_value_time(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_TIME))
		return sample->data->time;
	return perf_id_time(sample->event);
}

static inline u64 perf_value_addr(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_ADDR) ? sample->data->addr : 0;
}

static inline u64 perf_value_stream_id(const struct perf_sample *sample)
{
	return sample->event->id;
}

static __always_inline u64 perf_value_cpu(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_CPU))
		return perf_id_pair(sample->data->cpu_entry.cpu, 0);
	return perf_id_cpu();
}

static inline u64 perf_value_period(const struct perf_sample *sample)
{
	return sample->data->period;
}

/* The leading rows of the table in sample_fields.c, in their order. */
#define PERF_SAMPLE_LEADING(_row)					\
	_row(PERF_SAMPLE_IDENTIFIER,	perf_value_identifier)		\
	_row(PERF_SAMPLE_IP,		perf_value_ip)			\
	_row(PERF_SAMPLE_TID,		perf_value_tid)			\
	_row(PERF_SAMPLE_TIME,		perf_value_time)		\
	_row(PERF_SAMPLE_ADDR,		perf_value_addr)		\
	_row(PERF_SAMPLE_ID,		perf_value_identifier)		\
	_row(PERF_SAMPLE_STREAM_ID,	perf_value_stream_id)		\
	_row(PERF_SAMPLE_CPU,		perf_value_cpu)			\
	_row(PERF_SAMPLE_PERIOD,	perf_value_period)

#define PERF_SAMPLE_LEADING_PUT(_bit, _value)				\
	if (type & (_bit)) {						\
		*out = _value(sample);					\
		out++;							\
	}

/**
 * perf_sample_leading() - write the leading fields of eight bytes
 * @sample: being taken
 * @type: PERF_SAMPLE_*, which fields to write
 * @out: room for PERF_SAMPLE_NR_LEADING fields
 *
 * Nearly all samples begin with some of these fields, and many have no others. So they are
 * written here in line, and not through the functions of the table.
 *
 * Return: pointer behind the last field written.
 */
static __always_inline u64 *perf_sample_leading(const struct perf_sample *sample, u64 type,
						u64 *out)
{
	PERF_SAMPLE_LEADING(PERF_SAMPLE_LEADING_PUT)
	return out;
}

#endif /* _KERNEL_EVENTS_SAMPLE_LEADING_H */
