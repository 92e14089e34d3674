// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: the record that an overflow writes, and the identification at the end of every
 * other record.
 *
 * The layout of a sample is fixed when its event is opened: perf_sample_compile() translates
 * attr.sample_type to a list of rows of the table in sample_fields.c. A sample is taken in
 * four steps: collect the fields of variable size, reserve, store, publish. No step allocates
 * memory or takes a lock.
 *
 * Other files decide when a sample is taken (overflow.c), define its fields (sample_fields.c),
 * and own the buffer (output.c).
 *
 * Entry points: the two overflow handlers of events that user space opened, whose address is
 * also tested by is_default_overflow_handler(); perf_event_output() for BPF;
 * perf_prepare_sample() and its neighbours for drivers that write samples by themselves.
 *
 * __always_inline here, in sample_leading.h, and in the headers of output/ that write records: a
 * sample takes 25 to 65 instructions less, of 370 to 1,300 (make bench, x86_64).
 *
 * Context: any, NMI included, preemption off.
 */
#include "../base/event.h"
#include "../output/output.h"
#include "../output/output_writer.h"
#include "../output/sample_id.h"
#include "sample.h"
#include "sample_fields.h"
#include "sample_leading.h"

/* struct perf_sample_layout can hold the layout of any combination of fields */
#define LAYOUT_MEMBER_MAX(_member)					\
	type_max(typeof_member(struct perf_sample_layout, _member))

static_assert(sizeof(struct perf_event_header) + PERF_SAMPLE_NR_FIELDS * sizeof(u64) <=
	      LAYOUT_MEMBER_MAX(size));
static_assert(PERF_SAMPLE_NR_TRAILER * sizeof(u64) <= LAYOUT_MEMBER_MAX(id_size));
static_assert(PERF_SAMPLE_NR_FIELDS <= LAYOUT_MEMBER_MAX(nr_fields));
static_assert(PERF_SAMPLE_NR_FIELDS <= LAYOUT_MEMBER_MAX(nr_sized));
static_assert(PERF_SAMPLE_NR_FIELDS <= LAYOUT_MEMBER_MAX(fields[0]));
static_assert(PERF_SAMPLE_NR_FIELDS <= LAYOUT_MEMBER_MAX(sized[0]));
static_assert(PERF_SAMPLE_MAX_SIZE <=
	      type_max(typeof_member(struct perf_event_header, size)));

/* Elastic fields are collected last, when the remaining room is final. */
static void perf_sample_list_sized(struct perf_sample_layout *layout, u64 type,
				   bool elastic)
{
	const struct perf_sample_field *field = perf_sample_fields;

	for (int i = 0; i < PERF_SAMPLE_NR_FIELDS; i++, field++) {
		if ((type & field->bits) && !field->value &&
		    field->elastic == elastic)
			layout->sized[layout->nr_sized++] = i;
	}
}

/**
 * __perf_sample_compile() - compute the layout of an event's samples
 * @event: being opened; its attr is final. A child event gets the layout of its parent.
 *
 * This cannot fail: all fields that are not elastic fit into a record, even with the largest
 * group, see perf_read_admit(). Elastic fields are truncated when a sample is taken.
 */
void __perf_sample_compile(struct perf_event *event)
{
	struct perf_sample_layout *layout = &event->sample_layout;
	const struct perf_sample_field *field = perf_sample_fields;
	u64 type = event->attr.sample_type;

	*layout = (struct perf_sample_layout) {
		.size = sizeof(struct perf_event_header),
	};
	for (int i = 0; i < PERF_SAMPLE_NR_FIELDS; i++, field++) {
		if (!(type & field->bits))
			continue;
		if (field->value)
			layout->size += sizeof(u64);
		else if (field->elastic)
			layout->size += PERF_SAMPLE_ELASTIC_MIN;
		if (i >= PERF_SAMPLE_NR_LEADING)
			layout->fields[layout->nr_fields++] = i;
	}
	perf_sample_list_sized(layout, type, false);
	perf_sample_list_sized(layout, type, true);

	event->header_size = layout->size - sizeof(struct perf_event_header);
	if (event->attr.sample_id_all)
		layout->id_size = sizeof(u64) * hweight64(type & PERF_SAMPLE_TRAILER_BITS);
}

/*
 * Collect the fields of variable size, of which there is at least one. Return: bytes of the
 * record; more than PERF_SAMPLE_MAX_SIZE if it does not fit.
 */
static __always_inline unsigned int
perf_sample_collect(struct perf_sample *sample, const struct perf_sample_layout *layout)
{
	const u8 *row = layout->sized, *end = row + layout->nr_sized;
	unsigned int size = layout->size;

	do {
		sample->room = size < PERF_SAMPLE_MAX_SIZE ?
			       PERF_SAMPLE_MAX_SIZE - size : 0;
		size += perf_sample_fields[*row].collect(sample);
	} while (++row < end);
	return size;
}

static u64 perf_sample_header(const struct perf_sample *sample,
			      unsigned int size)
{
	union {
		struct perf_event_header header;
		u64 whole;
	} both = {
		.header = {
			.type = PERF_RECORD_SAMPLE,
			.misc = likely(sample->regs) ?
				perf_misc_flags(sample->regs) : 0,
			.size = size,
		},
	};

	return both.whole;
}

/* Write header and leading fields, in place unless they might cross the border of two chunks. */
static __always_inline void
perf_sample_put_leading(struct perf_sample *sample,
			struct perf_output_handle *handle, u64 header)
{
	u64 across[1 + PERF_SAMPLE_NR_LEADING] __uninitialized;
	bool in_place = perf_output_fits(handle, sizeof(across));
	u64 *out = in_place ? handle->addr : across;
	u64 *end;

	*out = header;
	end = perf_sample_leading(sample, sample->event->attr.sample_type, out + 1);
	if (likely(in_place))
		perf_output_placed(handle, end);
	else
		perf_output_mem(handle, across, (void *)end - (void *)out);
}

/* Write the fields after the leading ones, of which there is at least one. */
static __always_inline void
perf_sample_put_rest(struct perf_sample *sample, struct perf_output_handle *handle,
		     const struct perf_sample_layout *layout)
{
	const u8 *row = layout->fields, *end = row + layout->nr_fields;
	const struct perf_sample_field *field;

	do {
		field = &perf_sample_fields[*row];
		if (field->value)
			perf_output_u64(handle, field->value(sample));
		else
			field->put(sample, handle);
	} while (++row < end);
}

/**
 * perf_event_output() - write a sample, also on behalf of a BPF program
 * @event: a PERF_COUNT_SW_BPF_OUTPUT event on this CPU, or any event that overflowed
 * @data: fields that are available already
 * @regs: registers of the interrupted context, or those that the program got
 *
 * Context: any, preemption off.
 * Return: 0, -ENOENT without a buffer, -ENOSPC without room in it, -E2BIG if the record would
 * be too large for its header.
 */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct perf_sample_layout *layout = &event->sample_layout;
	struct perf_output_handle handle __uninitialized;
	struct perf_sample sample __uninitialized;
	unsigned int size;
	int err;

	perf_sample_begin(&sample, event, data, regs);
	size = layout->size;
	if (layout->nr_sized) {
		/* an event may overflow without a buffer, to run a BPF program */
		if (!rcu_access_pointer(sample.root->rb))
			return -ENOENT;
		size = perf_sample_collect(&sample, layout);
		if (unlikely(size > PERF_SAMPLE_MAX_SIZE))
			return perf_output_drop_too_big(event);
	}
	err = perf_output_begin_sample(&handle, event, size);
	if (err)
		return err;
	perf_sample_put_leading(&sample, &handle, perf_sample_header(&sample, size));
	if (layout->nr_fields)
		perf_sample_put_rest(&sample, &handle, layout);
	perf_output_finish(&handle);
	return 0;
}

/**
 * perf_event_output_forward() - overflow handler of an event with a forward buffer
 * @event: overflowed
 * @data: fields that are available already
 * @regs: registers of the interrupted context
 *
 * The direction in which the buffer is filled is a property of the buffer.
 *
 * Context: irqs off or NMI.
 */
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs)
{
	perf_event_output(event, data, regs);
}

/**
 * perf_event_output_backward() - overflow handler of an event with attr.write_backward
 * @event: overflowed
 * @data: fields that are available already
 * @regs: registers of the interrupted context
 *
 * Context: irqs off or NMI.
 */
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs)
{
	perf_event_output(event, data, regs);
}

/* Collect the fields, and keep in the data what perf_output_sample() needs to write them. */
static void perf_sample_keep(struct perf_sample *sample)
{
	const struct perf_sample_layout *layout = &sample->event->sample_layout;
	struct perf_sample_data *data = sample->data;
	unsigned int size = layout->size;
	u64 tid = perf_value_tid(sample);

	if (layout->nr_sized)
		size = perf_sample_collect(sample, layout);

	data->ip = perf_value_ip(sample);
	memcpy(&data->tid_entry, &tid, sizeof(tid));
	data->time = perf_value_time(sample);
	if (!perf_sample_given(sample, PERF_SAMPLE_CPU))
		data->cpu_entry.cpu = raw_smp_processor_id();
	data->stack_user_size = sample->stack_size;
	data->aux_size = sample->aux_size;
	data->prepared = (struct perf_sample_prepared) {
		.given = sample->given | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.interrupted = sample->interrupted,
		.nr_members = sample->nr_members,
		.size = size <= PERF_SAMPLE_MAX_SIZE ? size : 0,
		.chain_size = sample->chain_size,
	};
	data->sample_flags |= data->prepared.given;
}

/**
 * perf_prepare_sample() - collect the fields of a sample that the driver writes by itself
 * @data: initialised by perf_sample_data_init(), with the fields that the driver has
 * @event: the event
 * @regs: registers of the interrupted context; they must exist until perf_output_sample()
 *
 * Most drivers call perf_event_overflow() and need none of these functions. A driver that must
 * change a field, because its hardware recorded another task than the running one, calls
 * perf_prepare_sample(), perf_prepare_header(), perf_output_begin(), perf_output_sample() and
 * perf_output_end(). Before perf_output_sample() it may change the members ip, tid_entry, time
 * and cpu_entry of @data, and the type and misc of the header.
 *
 * Such a sample is no overflow: it has no period, limit, signal or BPF program.
 *
 * Context: any, NMI included, preemption off until perf_output_end(), on the event's CPU.
 */
void perf_prepare_sample(struct perf_sample_data *data, struct perf_event *event,
			 struct pt_regs *regs)
{
	struct perf_sample sample = {};

	perf_sample_begin(&sample, event, data, regs);
	perf_sample_keep(&sample);
}

/**
 * perf_prepare_header() - fill in the header of a sample that the driver writes by itself
 * @header: the header; a size of 0 lets perf_output_begin() refuse the sample as too large
 * @data: prepared by perf_prepare_sample()
 * @event: the event
 * @regs: as for perf_prepare_sample()
 *
 * Context: as perf_prepare_sample().
 */
void perf_prepare_header(struct perf_event_header *header,
			 struct perf_sample_data *data, struct perf_event *event,
			 struct pt_regs *regs)
{
	struct pt_regs *visible = perf_sample_regs(event, regs);

	header->type = PERF_RECORD_SAMPLE;
	header->misc = visible ? perf_misc_flags(visible) : 0;
	header->size = data->prepared.size;
}

/**
 * perf_event_header__init() - begin a sample of which only the address is known
 * @header: the header to fill in
 * @data: @data->ip and @data->period are set, and nothing else
 * @type: PERF_RECORD_SAMPLE
 * @misc: PERF_RECORD_MISC_*
 * @size: not used: header->size becomes the size that perf_output_sample() writes
 * @event: the event
 *
 * For a driver that finds samples in memory, without registers: it calls this function in place
 * of perf_prepare_sample() and perf_prepare_header(). Fields of @data that come from registers
 * are empty.
 *
 * Context: as perf_prepare_sample().
 */
void perf_event_header__init(struct perf_event_header *header,
			     struct perf_sample_data *data, u32 type, u16 misc,
			     u16 size, struct perf_event *event)
{
	static struct perf_callchain_entry no_chain;
	struct perf_sample sample = {
		.event = event,
		.root = perf_event_root(event),
		.data = data,
		.given = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER,
	};

	data->sample_flags = sample.given;
	data->callchain = &no_chain;
	data->regs_user = (struct perf_regs) { .abi = PERF_SAMPLE_REGS_ABI_NONE };
	perf_sample_keep(&sample);
	*header = (struct perf_event_header) {
		.type = type,
		.misc = misc,
		.size = data->prepared.size,
	};
}

/**
 * perf_output_sample() - write a prepared sample
 * @handle: from perf_output_begin() with the size in @header
 * @header: from perf_prepare_header() or perf_event_header__init()
 * @data: the fields
 * @event: the event
 *
 * Writes as many bytes as @header->size says, whatever the driver has changed in @data.
 *
 * Context: as perf_prepare_sample().
 */
void perf_output_sample(struct perf_output_handle *handle,
			struct perf_event_header *header,
			struct perf_sample_data *data, struct perf_event *event)
{
	const struct perf_sample_prepared *prepared = &data->prepared;
	struct perf_sample sample = {
		.event = event,
		.root = perf_event_root(event),
		.data = data,
		.given = prepared->given,
		.interrupted = prepared->interrupted,
		.nr_members = prepared->nr_members,
		.chain_size = prepared->chain_size,
		.stack_size = data->stack_user_size,
		.aux_size = data->aux_size,
	};
	u64 first;

	static_assert(sizeof(first) == sizeof(*header));
	memcpy(&first, header, sizeof(first));
	perf_output_count_sample(handle, &event->attr);
	perf_sample_put_leading(&sample, handle, first);
	if (event->sample_layout.nr_fields)
		perf_sample_put_rest(&sample, handle, &event->sample_layout);
}
