// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of a sample: the table, and the short functions behind it.
 *
 * This file owns the order of the fields and their values. sample.c assembles records of them.
 * sample_data.c has the fields that are looked up in user space or in page tables,
 * sample_read.c has counts.
 *
 * Context: any, NMI included, preemption off, on the event's CPU.
 */
#include <linux/cgroup.h>

#include "../output/output.h"
#include "sample_aux.h"
#include "sample_fields.h"
#include "sample_leading.h"
#include "sample_read.h"

/* Fields of eight bytes after the leading ones. */

static u64 value_weight(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_WEIGHT_TYPE) ?
	       sample->data->weight.full : 0;
}

static u64 value_data_src(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_DATA_SRC) ?
	       sample->data->data_src.val : PERF_MEM_NA;
}

static u64 value_transaction(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_TRANSACTION) ? sample->data->txn : 0;
}

static u64 value_phys_addr(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_PHYS_ADDR))
		return sample->data->phys_addr;
	return perf_sample_phys_of(sample, perf_value_addr(sample));
}

#ifdef CONFIG_CGROUP_PERF
static u64 value_cgroup(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_CGROUP))
		return sample->data->cgroup;
	return cgroup_id(task_css_check(current, perf_event_cgrp_id, true)->cgroup);
}
#else
static u64 value_cgroup(const struct perf_sample *sample)
{
	return perf_sample_given(sample, PERF_SAMPLE_CGROUP) ? sample->data->cgroup : 0;
}
#endif

static u64 value_data_page_size(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_DATA_PAGE_SIZE))
		return sample->data->data_page_size;
	return perf_sample_page_size_of(sample, perf_value_addr(sample));
}

static u64 value_code_page_size(const struct perf_sample *sample)
{
	if (perf_sample_given(sample, PERF_SAMPLE_CODE_PAGE_SIZE))
		return sample->data->code_page_size;
	return perf_sample_page_size_of(sample, perf_value_ip(sample));
}

/* READ: values by read_format, counted by this event or group alone */

static unsigned int collect_read(struct perf_sample *sample)
{
	sample->nr_members = perf_read_nr(sample->event);
	return perf_read_size(sample->event->attr.read_format, sample->nr_members);
}

static void put_read(struct perf_sample *sample, struct perf_output_handle *handle)
{
	perf_read_put(handle, sample->event, sample->nr_members,
		      perf_sample_given(sample, PERF_SAMPLE_READ));
}

/* RAW: u32 size; u8 data[size]; without any, four bytes of zero */

static unsigned int collect_raw(struct perf_sample *sample)
{
	if (!perf_sample_given(sample, PERF_SAMPLE_RAW))
		return sizeof(u64);
	return sizeof(u32) + sample->data->raw->size;
}

static void put_raw(struct perf_sample *sample, struct perf_output_handle *handle)
{
	const struct perf_raw_record *raw = sample->data->raw;
	const struct perf_raw_frag *frag;
	u32 left;

	if (!perf_sample_given(sample, PERF_SAMPLE_RAW)) {
		perf_output_u32_pair(handle, sizeof(u32), 0);
		return;
	}
	left = raw->size;
	perf_output_mem(handle, &raw->size, sizeof(raw->size));
	for (frag = &raw->frag;; frag = frag->next) {
		if (frag->copy)
			perf_output_zero(handle,
					 perf_output_copy(handle, frag->copy,
							  frag->data, frag->size));
		else
			perf_output_mem(handle, frag->data, frag->size);
		left -= frag->size;
		if (perf_raw_frag_last(frag))
			break;
	}
	perf_output_zero(handle, left);
}

/* BRANCH_STACK: u64 nr; [u64 hw_idx]; entries[nr]; [u64 counters[nr]] */

static bool branch_filter(const struct perf_sample *sample, u64 bit)
{
	return sample->event->attr.branch_sample_type & bit;
}

static const struct perf_branch_stack *branches(const struct perf_sample *sample)
{
	static const struct perf_branch_stack none = { .hw_idx = -1ULL };

	return perf_sample_given(sample, PERF_SAMPLE_BRANCH_STACK) && sample->data->br_stack ?
	       sample->data->br_stack : &none;
}

static unsigned int collect_branches(struct perf_sample *sample)
{
	unsigned int each = sizeof(struct perf_branch_entry);
	unsigned int size = sizeof(u64);

	if (branch_filter(sample, PERF_SAMPLE_BRANCH_HW_INDEX))
		size += sizeof(u64);
	if (branch_filter(sample, PERF_SAMPLE_BRANCH_COUNTERS))
		each += sizeof(u64);
	return size + each * branches(sample)->nr;
}

static void put_branches(struct perf_sample *sample,
			 struct perf_output_handle *handle)
{
	const struct perf_branch_stack *stack = branches(sample);
	const struct perf_sample_data *data = sample->data;

	perf_output_u64(handle, stack->nr);
	if (branch_filter(sample, PERF_SAMPLE_BRANCH_HW_INDEX))
		perf_output_u64(handle, stack->hw_idx);
	perf_output_mem(handle, stack->entries,
			stack->nr * sizeof(stack->entries[0]));
	if (!branch_filter(sample, PERF_SAMPLE_BRANCH_COUNTERS))
		return;
	if (stack->nr && data->br_stack_cntr)
		perf_output_mem(handle, data->br_stack_cntr, stack->nr * sizeof(u64));
	else
		perf_output_zero(handle, stack->nr * sizeof(u64));
}

/* AUX: u64 size; u8 data[size] */

static unsigned int collect_aux(struct perf_sample *sample)
{
	sample->aux_size = perf_aux_sample_size(sample->event, sample->room);
	return sample->aux_size;
}

static void put_aux(struct perf_sample *sample, struct perf_output_handle *handle)
{
	perf_output_u64(handle, sample->aux_size);
	perf_aux_sample_put(handle, sample->event, sample->aux_size);
}

/* The compiler checks the kind of each row against PERF_SAMPLE_SIZED_BITS. */
#define VALUE(_bits, _value)						\
	{								\
		.bits		= (_bits) + BUILD_BUG_ON_ZERO((_bits) &	\
						PERF_SAMPLE_SIZED_BITS), \
		.value		= (_value),				\
	}
#define SIZED(_bits, _collect, _put, _elastic)				\
	{								\
		.bits		= (_bits) + BUILD_BUG_ON_ZERO((_bits) &	\
						~PERF_SAMPLE_SIZED_BITS), \
		.collect	= (_collect),				\
		.put		= (_put),				\
		.elastic	= (_elastic),				\
	}

#define LEADING(_bits, _value)	VALUE(_bits, _value),

/* The order of the rows is the order in the record. The leading ones are in sample_leading.h. */
const struct perf_sample_field perf_sample_fields[] = {
	PERF_SAMPLE_LEADING(LEADING)
	SIZED(PERF_SAMPLE_READ,			collect_read, put_read, false),
	SIZED(PERF_SAMPLE_CALLCHAIN,		perf_sample_chain_collect,
	      perf_sample_chain_put, true),
	SIZED(PERF_SAMPLE_RAW,			collect_raw, put_raw, false),
	SIZED(PERF_SAMPLE_BRANCH_STACK,		collect_branches, put_branches, false),
	SIZED(PERF_SAMPLE_REGS_USER,		perf_sample_regs_user_size,
	      perf_sample_regs_user_put, false),
	SIZED(PERF_SAMPLE_STACK_USER,		perf_sample_stack_collect,
	      perf_sample_stack_put, true),
	VALUE(PERF_SAMPLE_WEIGHT_TYPE,		value_weight),
	VALUE(PERF_SAMPLE_DATA_SRC,		value_data_src),
	VALUE(PERF_SAMPLE_TRANSACTION,		value_transaction),
	SIZED(PERF_SAMPLE_REGS_INTR,		perf_sample_regs_intr_size,
	      perf_sample_regs_intr_put, false),
	VALUE(PERF_SAMPLE_PHYS_ADDR,		value_phys_addr),
	VALUE(PERF_SAMPLE_CGROUP,		value_cgroup),
	VALUE(PERF_SAMPLE_DATA_PAGE_SIZE,	value_data_page_size),
	VALUE(PERF_SAMPLE_CODE_PAGE_SIZE,	value_code_page_size),
	SIZED(PERF_SAMPLE_AUX,			collect_aux, put_aux, true),
};

static_assert(ARRAY_SIZE(perf_sample_fields) == PERF_SAMPLE_NR_FIELDS);

#define LEADING_BIT(_bits, _value)	| (_bits)
static_assert((0 PERF_SAMPLE_LEADING(LEADING_BIT)) == PERF_SAMPLE_LEADING_BITS);

/* What perf_sample_fill() can compute before the sample is written */
#define PERF_SAMPLE_FILLED						\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
	 PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/* A value that the sample has, or its source; 0 otherwise. */
static __always_inline u64
value_if(const struct perf_sample *sample, u64 bits,
	 u64 (*value)(const struct perf_sample *sample))
{
	return (sample->event->attr.sample_type | sample->given) & bits ? value(sample) : 0;
}

/**
 * perf_sample_fill() - fill in all fields of a sample that a BPF program may read
 * @event: overflowed
 * @data: begun with perf_sample_data_init(), with the fields that the source has
 * @regs: registers of the interrupted context
 *
 * Each field becomes what the sample will hold, with its bit in @data->sample_flags. A field that
 * neither the sample has nor the source has filled in becomes 0. The caller restores sample_flags
 * and dyn_size if another event may use @data afterwards. READ, registers, the user stack
 * and AUX data are not in @data before the sample is written.
 *
 * Context: any, NMI included, preemption off, on the event's CPU.
 */
void perf_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	u64 type = event->attr.sample_type;
	struct perf_sample sample;
	u64 tid;

	perf_sample_begin(&sample, event, data, regs);
	tid = value_if(&sample, PERF_SAMPLE_TID, perf_value_tid);
	static_assert(sizeof(data->tid_entry) == sizeof(tid));
	memcpy(&data->tid_entry, &tid, sizeof(tid));
	if (!perf_sample_given(&sample, PERF_SAMPLE_CPU))
		data->cpu_entry.cpu = type & PERF_SAMPLE_CPU ? raw_smp_processor_id() : 0;
	data->cpu_entry.reserved = 0;
	data->phys_addr = value_if(&sample, PERF_SAMPLE_PHYS_ADDR, value_phys_addr);
	data->data_page_size = value_if(&sample, PERF_SAMPLE_DATA_PAGE_SIZE, value_data_page_size);
	data->code_page_size = value_if(&sample, PERF_SAMPLE_CODE_PAGE_SIZE, value_code_page_size);
	data->addr = value_if(&sample, PERF_SAMPLE_ADDR, perf_value_addr);
	data->ip = value_if(&sample, PERF_SAMPLE_IP, perf_value_ip);
	data->time = value_if(&sample, PERF_SAMPLE_TIME, perf_value_time);
	data->id = value_if(&sample, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER,
			    perf_value_identifier);
	data->stream_id = value_if(&sample, PERF_SAMPLE_STREAM_ID, perf_value_stream_id);
	data->weight.full = value_if(&sample, PERF_SAMPLE_WEIGHT_TYPE, value_weight);
	data->data_src.val = value_if(&sample, PERF_SAMPLE_DATA_SRC, value_data_src);
	data->txn = value_if(&sample, PERF_SAMPLE_TRANSACTION, value_transaction);
	data->cgroup = value_if(&sample, PERF_SAMPLE_CGROUP, value_cgroup);

	if (!perf_sample_given(&sample, PERF_SAMPLE_RAW))
		data->raw = NULL;
	if (!perf_sample_given(&sample, PERF_SAMPLE_BRANCH_STACK)) {
		data->br_stack = NULL;
		data->br_stack_cntr = NULL;
	}
	if (!perf_sample_given(&sample, PERF_SAMPLE_REGS_USER))
		data->regs_user = (struct perf_regs) { .abi = PERF_SAMPLE_REGS_ABI_NONE };
	if (!perf_sample_given(&sample, PERF_SAMPLE_REGS_INTR))
		data->regs_intr = (struct perf_regs) { .abi = PERF_SAMPLE_REGS_ABI_NONE };
	data->stack_user_size = 0;
	data->aux_size = 0;
	data->prepared = (struct perf_sample_prepared) { };
	data->type = type;
	data->sample_flags |= type & PERF_SAMPLE_FILLED;

	if (!perf_sample_given(&sample, PERF_SAMPLE_CALLCHAIN)) {
		data->callchain = NULL;
		perf_sample_save_callchain(data, event, regs);
	}
}
