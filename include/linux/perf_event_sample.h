/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: sampling.
 *
 * The parts of a sample, helpers with which drivers fill it in, and call chains.
 *
 * Do not include this header directly: <linux/perf_event.h> includes it.
 */
#ifndef _LINUX_PERF_EVENT_SAMPLE_H
#define _LINUX_PERF_EVENT_SAMPLE_H

#include <uapi/linux/bpf_perf_event.h>

#include <linux/math.h>
#include <linux/perf_event_types.h>
#include <linux/perf_regs.h>

/**
 * struct perf_callchain_entry - a stack trace, as in PERF_SAMPLE_CALLCHAIN
 * @nr: number of entries
 * @ip: addresses and PERF_CONTEXT_* markers; limited by sysctl perf_event_max_stack
 */
struct perf_callchain_entry {
	__u64				nr;
	__u64				ip[];
};

/**
 * struct perf_callchain_entry_ctx - state of a stack walk
 * @entry: output
 * @max_stack: maximum number of addresses
 * @nr: number of addresses so far
 * @contexts: number of markers so far
 * @contexts_maxed: a marker did not fit, so the walk has ended
 */
struct perf_callchain_entry_ctx {
	struct perf_callchain_entry	*entry;
	u32				max_stack;
	u32				nr;
	short				contexts;
	bool				contexts_maxed;
};

/**
 * typedef perf_copy_f - copies a piece of PERF_SAMPLE_RAW data
 * @dst: destination in the ring buffer
 * @src: perf_raw_frag::data
 * @off: offset in the piece
 * @len: bytes to copy
 *
 * Return: number of bytes that were not copied.
 */
typedef unsigned long (*perf_copy_f)(void *dst, const void *src,
				     unsigned long off, unsigned long len);

/**
 * struct perf_raw_frag - a piece of PERF_SAMPLE_RAW data
 * @next: the next piece; in the last piece a value below eight, which is @pad
 * @pad: in the last piece, bytes of padding
 * @copy: function that copies @data, NULL for memcpy()
 * @data: the data
 * @size: bytes of @data
 */
struct perf_raw_frag {
	union {
		struct perf_raw_frag	*next;
		unsigned long		pad;
	};
	perf_copy_f			copy;
	void				*data;
	u32				size;
} __packed;

/**
 * struct perf_raw_record - PERF_SAMPLE_RAW data
 * @frag: the first piece
 * @size: bytes of all pieces and the padding; set by perf_sample_save_raw_data()
 */
struct perf_raw_record {
	struct perf_raw_frag		frag;
	u32				size;
};

/**
 * perf_raw_frag_last() - check whether a piece of raw data is the last one
 * @frag: the piece
 *
 * Return: true if no piece follows.
 */
static inline bool perf_raw_frag_last(const struct perf_raw_frag *frag)
{
	return frag->pad < sizeof(u64);
}

/**
 * struct perf_branch_stack - last branches, latest first
 * @nr: number of entries
 * @hw_idx: hardware index of the latest branch, or -1
 * @entries: the branches
 */
struct perf_branch_stack {
	__u64				nr;
	__u64				hw_idx;
	struct perf_branch_entry	entries[];
};

/**
 * struct perf_sample_prepared - a sample between its preparation and its output
 * @given: PERF_SAMPLE_* of the fields that must not be looked up again
 * @interrupted: registers of the interrupted context; NULL if they are not known
 * @nr_members: READ: number of values
 * @size: bytes of the record; 0 if it does not fit into one
 * @chain_size: CALLCHAIN: bytes
 *
 * perf_prepare_sample() and perf_event_header__init() set it for perf_output_sample().
 */
struct perf_sample_prepared {
	u64				given;
	struct pt_regs			*interrupted;
	u32				nr_members;
	u16				size;
	u16				chain_size;
};

/**
 * struct perf_sample_data - the fields of a sample while it is collected
 * @sample_flags: PERF_SAMPLE_* bits of the fields that have been filled in
 * @period: PERIOD, eight bytes: BPF programs read it by offset
 * @dyn_size: bytes of the fields of variable size
 * @type: sample_type of the event
 * @tid_entry: TID
 * @time: TIME
 * @id: ID and IDENTIFIER
 * @cpu_entry: CPU
 * @ip: IP
 * @addr: ADDR, eight bytes: BPF programs read it by offset
 * @callchain: CALLCHAIN
 * @raw: RAW
 * @br_stack: BRANCH_STACK
 * @br_stack_cntr: BRANCH_STACK, counters of the branches
 * @weight: WEIGHT and WEIGHT_STRUCT
 * @data_src: DATA_SRC
 * @txn: TRANSACTION
 * @regs_user: REGS_USER
 * @regs_intr: REGS_INTR
 * @stack_user_size: STACK_USER, bytes
 * @stream_id: STREAM_ID
 * @cgroup: CGROUP
 * @phys_addr: PHYS_ADDR
 * @data_page_size: DATA_PAGE_SIZE
 * @code_page_size: CODE_PAGE_SIZE
 * @aux_size: AUX, bytes
 * @prepared: of a sample that the driver writes by itself
 *
 * The driver fills in what its hardware recorded, and sets the bits in
 * @sample_flags. The core collects the other fields of attr.sample_type.
 */
struct perf_sample_data {
	u64				sample_flags;
	u64				period;
	u64				dyn_size;

	u64				type;
	struct {
		u32	pid;
		u32	tid;
	}				tid_entry;
	u64				time;
	u64				id;
	struct {
		u32	cpu;
		u32	reserved;
	}				cpu_entry;

	u64				ip;
	u64				addr;
	struct perf_callchain_entry	*callchain;
	struct perf_raw_record		*raw;
	struct perf_branch_stack	*br_stack;
	u64				*br_stack_cntr;
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				txn;

	struct perf_regs		regs_user;
	struct perf_regs		regs_intr;
	u64				stack_user_size;

	u64				stream_id;
	u64				cgroup;
	u64				phys_addr;
	u64				data_page_size;
	u64				code_page_size;
	u64				aux_size;
	struct perf_sample_prepared	prepared;
} ____cacheline_aligned;

/* data_src if the PMU has no information */
#define PERF_MEM_NA	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) |	\
			 PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |	\
			 PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

/* Context of programs of type BPF_PROG_TYPE_PERF_EVENT. The verifier uses the offsets. */
struct bpf_perf_event_data_kern {
	bpf_user_pt_regs_t		*regs;
	struct perf_sample_data		*data;
	struct perf_event		*event;
};

#ifdef CONFIG_PERF_EVENTS

/* Samples: sample.c */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs);

/* Samples that a driver writes by itself: sample.c, output.c */
void perf_prepare_sample(struct perf_sample_data *data, struct perf_event *event,
			 struct pt_regs *regs);
void perf_prepare_header(struct perf_event_header *header,
			 struct perf_sample_data *data, struct perf_event *event,
			 struct pt_regs *regs);
void perf_event_header__init(struct perf_event_header *header,
			     struct perf_sample_data *data, u32 type, u16 misc,
			     u16 size, struct perf_event *event);
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data, struct perf_event *event,
		      unsigned int size);
void perf_output_sample(struct perf_output_handle *handle,
			struct perf_event_header *header,
			struct perf_sample_data *data, struct perf_event *event);
void perf_output_end(struct perf_output_handle *handle);

/* Call chains: callchain.c, and the architecture */
extern int sysctl_perf_event_max_stack;
extern int sysctl_perf_event_max_contexts_per_stack;

struct perf_callchain_entry *
get_perf_callchain(struct pt_regs *regs, bool kernel, bool user, u32 max_stack,
		   bool crosstask, bool add_mark);
int get_callchain_buffers(int max_stack);
void put_callchain_buffers(void);
struct perf_callchain_entry *get_callchain_entry(int *rctx);
void put_callchain_entry(int rctx);
struct perf_callchain_entry *perf_callchain(struct perf_event *event,
					    struct pt_regs *regs);
void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);

/**
 * perf_sample_data_init() - initialise a sample before it is passed to the core
 * @data: the sample
 * @addr: address concerned, 0 if there is none
 * @period: period that ended with this sample
 */
static inline void perf_sample_data_init(struct perf_sample_data *data,
					 u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD;
	data->period = period;
	data->dyn_size = 0;
	if (addr) {
		data->sample_flags |= PERF_SAMPLE_ADDR;
		data->addr = addr;
	}
}

/**
 * perf_sample_needs() - check whether a field of a sample must be filled in
 * @data: the sample
 * @event: the event
 * @field: PERF_SAMPLE_*
 *
 * Return: true if samples of @event have @field, and it is not filled in yet.
 */
static inline bool perf_sample_needs(struct perf_sample_data *data,
				     struct perf_event *event, u64 field)
{
	if (!(event->attr.sample_type & field))
		return false;
	return !WARN_ON_ONCE(data->sample_flags & field);
}

/**
 * perf_sample_save_callchain() - take the callchain of a sample
 * @data: the sample
 * @event: the event
 * @regs: registers to unwind from
 *
 * For drivers that have better registers than the interrupt has. Without this call, the
 * core takes the callchain. Does nothing if samples of @event have no callchain.
 *
 * Context: irqs off or NMI.
 */
static inline void perf_sample_save_callchain(struct perf_sample_data *data,
					      struct perf_event *event,
					      struct pt_regs *regs)
{
	if (!perf_sample_needs(data, event, PERF_SAMPLE_CALLCHAIN))
		return;

	data->callchain = perf_callchain(event, regs);
	data->dyn_size += sizeof(u64) * (1 + data->callchain->nr);
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
}

/**
 * perf_sample_save_raw_data() - set the raw data of a sample
 * @data: the sample
 * @event: the event
 * @raw: the pieces; must stay valid until the sample is written
 *
 * Computes the size and the padding of @raw. Does nothing if samples of @event have no raw
 * data.
 */
static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	struct perf_raw_frag *last = &raw->frag;
	u32 bytes, padded;

	if (!perf_sample_needs(data, event, PERF_SAMPLE_RAW))
		return;

	for (bytes = last->size; !perf_raw_frag_last(last); bytes += last->size)
		last = last->next;

	/* The size word, the data and the padding fill whole u64s. */
	padded = round_up(sizeof(u32) + bytes, sizeof(u64));
	last->pad = padded - sizeof(u32) - bytes;
	raw->size = padded - sizeof(u32);

	data->raw = raw;
	data->dyn_size += padded;
	data->sample_flags |= PERF_SAMPLE_RAW;
}

/**
 * perf_sample_save_brstack() - set the branch stack of a sample
 * @data: the sample
 * @event: the event; its samples must have a branch stack
 * @brs: the branches; must stay valid until the sample is written
 * @brs_cntr: counters of each branch, or NULL
 */
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *brs_cntr)
{
	bool index = event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;

	data->br_stack = brs;
	data->br_stack_cntr = brs_cntr;
	data->dyn_size += sizeof(u64) * (1 + index);
	data->dyn_size += brs->nr * sizeof(struct perf_branch_entry);
	if (brs_cntr)
		data->dyn_size += brs->nr * sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

/**
 * perf_callchain_store_context() - add a marker to a callchain
 * @ctx: the walk
 * @ip: PERF_CONTEXT_*
 *
 * Return: 0, or -1 if the callchain is full.
 */
static inline int perf_callchain_store_context(struct perf_callchain_entry_ctx *ctx,
					       u64 ip)
{
	if (ctx->contexts >= sysctl_perf_event_max_contexts_per_stack) {
		ctx->contexts_maxed = true;
		return -1;
	}
	ctx->contexts++;
	ctx->entry->ip[ctx->entry->nr++] = ip;
	return 0;
}

/**
 * perf_callchain_store() - add an address to a callchain
 * @ctx: the walk
 * @ip: the address
 *
 * Return: 0, or -1 if the callchain is full.
 */
static inline int perf_callchain_store(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	if (ctx->contexts_maxed || ctx->nr >= ctx->max_stack)
		return -1;
	ctx->nr++;
	ctx->entry->ip[ctx->entry->nr++] = ip;
	return 0;
}

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_PERF_EVENT_SAMPLE_H */
