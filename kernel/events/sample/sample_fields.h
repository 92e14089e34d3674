/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a sample: one row each, in the order in which they are written.
 *
 * A field either is eight bytes, computed when it is written, or has a variable size and is
 * collected first. To add a field: add a bit to the ABI, and a row to sample_fields.c.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_FIELDS_H
#define _KERNEL_EVENTS_SAMPLE_FIELDS_H

#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include "../base/event.h"

/* The size of a record is a u16, and a multiple of eight. */
#define PERF_SAMPLE_MAX_SIZE	round_down(U16_MAX, 8)

/**
 * struct perf_sample - a sample while it is taken
 * @event: the event that overflowed
 * @root: the event that was opened, see perf_event_root()
 * @data: fields supplied by the source of the sample; collected fields are stored here as well
 * @given: PERF_SAMPLE_* that the source has filled in
 * @interrupted: registers of the interrupted context
 * @regs: the same as far as the event may see them: with exclude_kernel never registers of kernel
 *	mode, but the registers with which user space was left, or NULL
 * @room: bytes that are left for the rest of the record, less the minimum of the elastic
 *	fields; for collect()
 * @nr_members: READ: number of values
 * @chain_size: CALLCHAIN: bytes
 * @stack_size: STACK_USER: bytes, without the two sizes
 * @aux_size: AUX: bytes, without their size
 */
struct perf_sample {
	struct perf_event	*event;
	struct perf_event	*root;
	struct perf_sample_data	*data;
	u64			given;
	struct pt_regs		*interrupted;
	struct pt_regs		*regs;
	unsigned int		room;
	unsigned int		nr_members;
	unsigned int		chain_size;
	unsigned int		stack_size;
	unsigned int		aux_size;
};

/* True if the source of the sample has filled the field in. */
static inline bool perf_sample_given(const struct perf_sample *sample,
				     u64 bits)
{
	return sample->given & bits;
}

/**
 * struct perf_sample_field - one field of a sample
 * @bits: PERF_SAMPLE_*; the field is present if one of them is requested
 * @value: returns the value of a field of eight bytes; else NULL
 * @collect: returns the size of the field in bytes, a multiple of eight. For an @elastic
 *	field, returns the bytes beyond PERF_SAMPLE_ELASTIC_MIN, at most perf_sample::room.
 *	May store data in the sample for @put.
 * @put: writes as many bytes as @collect has returned
 * @elastic: can be truncated when the record would be too large
 *
 * Context: any, preemption off, for all functions.
 */
struct perf_sample_field {
	u64		bits;
	u64		(*value)(const struct perf_sample *sample);
	unsigned int	(*collect)(struct perf_sample *sample);
	void		(*put)(struct perf_sample *sample,
			       struct perf_output_handle *handle);
	bool		elastic;
};

/* Bytes of an elastic field without contents: only a size of 0. */
#define PERF_SAMPLE_ELASTIC_MIN	sizeof(u64)

extern const struct perf_sample_field perf_sample_fields[];

void perf_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

/* callchain.c */
extern struct perf_callchain_entry perf_callchain_none;
unsigned int perf_callchain_nr_taken(void);
unsigned int perf_sample_chain_collect(struct perf_sample *sample);
void perf_sample_chain_put(struct perf_sample *sample,
			   struct perf_output_handle *handle);

/* sample_data.c: user space's registers and stack, addresses, pages */
struct pt_regs *perf_sample_user_frame(void);
unsigned int perf_sample_regs_user_size(struct perf_sample *sample);
void perf_sample_regs_user_put(struct perf_sample *sample,
			       struct perf_output_handle *handle);
unsigned int perf_sample_regs_intr_size(struct perf_sample *sample);
void perf_sample_regs_intr_put(struct perf_sample *sample,
			       struct perf_output_handle *handle);
unsigned int perf_sample_stack_collect(struct perf_sample *sample);
void perf_sample_stack_put(struct perf_sample *sample,
			   struct perf_output_handle *handle);
u64 perf_sample_phys_of(const struct perf_sample *sample, u64 addr);
u64 perf_sample_page_size_of(const struct perf_sample *sample, u64 addr);
bool perf_event_hides(const struct perf_event *event, u64 addr);

/* Registers of the interrupted context, as far as the event may see them. */
static inline struct pt_regs *perf_sample_regs(const struct perf_event *event,
					       struct pt_regs *regs)
{
	if (likely(!event->attr.exclude_kernel) || user_mode(regs))
		return regs;
	return perf_sample_user_frame();
}

static __always_inline void
perf_sample_begin(struct perf_sample *sample, struct perf_event *event,
		  struct perf_sample_data *data, struct pt_regs *regs)
{
	sample->event = event;
	sample->root = perf_event_root(event);
	sample->data = data;
	sample->given = data->sample_flags;
	sample->interrupted = regs;
	sample->regs = perf_sample_regs(event, regs);
}

#endif /* _KERNEL_EVENTS_SAMPLE_FIELDS_H */
