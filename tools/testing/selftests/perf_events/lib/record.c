// SPDX-License-Identifier: GPL-2.0
#include "record.h"
#include "perf_test.h"

/**
 * struct perf_cursor - The rest of a record
 * @at: The next word.
 * @left: Words from there on.
 * @bad: More was taken than there was.
 */
struct perf_cursor {
	const __u64 *at;
	size_t left;
	bool bad;
};

static const void *perf_take_words(struct perf_cursor *c, __u64 words)
{
	const __u64 *at = c->at;

	if (words > c->left) {
		c->bad = true;
		c->left = 0;
		return NULL;
	}
	c->at += words;
	c->left -= words;
	return words ? at : NULL;
}

static __u64 perf_take(struct perf_cursor *c)
{
	const __u64 *at = perf_take_words(c, 1);

	return at ? *at : 0;
}

static void perf_take_pair(struct perf_cursor *c, __u32 *first, __u32 *second)
{
	const __u32 *at = perf_take_words(c, 1);

	*first = at ? at[0] : 0;
	*second = at ? at[1] : 0;
}

static void perf_take_read(struct perf_cursor *c, __u64 format,
			   struct perf_rec *out)
{
	bool group = format & PERF_FORMAT_GROUP;
	__u64 entry, words;

	entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (group && c->left)
		entry *= *c->at;
	words = entry + group + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	out->nr_read = words;
	out->read = perf_take_words(c, words);
}

static void perf_take_branches(struct perf_cursor *c, __u64 type,
			       struct perf_rec *out)
{
	out->nr_branches = perf_take(c);
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		out->hw_idx = perf_take(c);
	out->branches = perf_take_words(c, out->nr_branches * 3);
	if (type & PERF_SAMPLE_BRANCH_COUNTERS)
		out->branch_counters = perf_take_words(c, out->nr_branches);
}

static const __u64 *perf_take_regs(struct perf_cursor *c, __u64 mask,
				   __u64 *abi)
{
	*abi = perf_take(c);
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return NULL;
	return perf_take_words(c, __builtin_popcountll(mask));
}

static void perf_take_raw(struct perf_cursor *c, struct perf_rec *out)
{
	const __u32 *at = (const __u32 *)c->at;

	if (!c->left) {
		c->bad = true;
		return;
	}
	out->raw_size = at[0];
	out->raw = at + 1;
	c->bad |= (sizeof(__u32) + out->raw_size) % 8;
	perf_take_words(c, (sizeof(__u32) + out->raw_size) / 8);
}

static void perf_take_stack(struct perf_cursor *c, struct perf_rec *out)
{
	out->stack_size = perf_take(c);
	out->stack = perf_take_words(c, out->stack_size / 8);
	if (out->stack_size)
		out->stack_valid = perf_take(c);
	c->bad |= out->stack_size % 8 || out->stack_valid > out->stack_size;
}

/* The first part of a sample: the fields of a sample_id, and others between them. */
static void perf_take_sample_head(struct perf_cursor *c, __u64 type,
				  struct perf_rec *out)
{
	__u32 zero;

	if (type & PERF_SAMPLE_IDENTIFIER)
		out->identifier = perf_take(c);
	out->id = out->identifier;
	if (type & PERF_SAMPLE_IP)
		out->ip = perf_take(c);
	if (type & PERF_SAMPLE_TID)
		perf_take_pair(c, &out->pid, &out->tid);
	if (type & PERF_SAMPLE_TIME)
		out->time = perf_take(c);
	if (type & PERF_SAMPLE_ADDR)
		out->addr = perf_take(c);
	if (type & PERF_SAMPLE_ID)
		out->id = perf_take(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		out->stream_id = perf_take(c);
	if (type & PERF_SAMPLE_CPU) {
		perf_take_pair(c, &out->cpu, &zero);
		c->bad |= zero;
	}
	if (type & PERF_SAMPLE_PERIOD)
		out->period = perf_take(c);
}

static void perf_take_sample_lists(struct perf_cursor *c,
				   const struct perf_event_attr *attr,
				   struct perf_rec *out)
{
	__u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		perf_take_read(c, attr->read_format, out);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		out->nr_chain = perf_take(c);
		out->chain = perf_take_words(c, out->nr_chain);
	}
	if (type & PERF_SAMPLE_RAW)
		perf_take_raw(c, out);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		perf_take_branches(c, attr->branch_sample_type, out);
	if (type & PERF_SAMPLE_REGS_USER)
		out->regs_user = perf_take_regs(c, attr->sample_regs_user,
						&out->regs_user_abi);
	if (type & PERF_SAMPLE_STACK_USER)
		perf_take_stack(c, out);
}

static void perf_take_sample_tail(struct perf_cursor *c,
				  const struct perf_event_attr *attr,
				  struct perf_rec *out)
{
	__u64 type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		out->weight = perf_take(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		out->data_src = perf_take(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		out->transaction = perf_take(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		out->regs_intr = perf_take_regs(c, attr->sample_regs_intr,
						&out->regs_intr_abi);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		out->phys_addr = perf_take(c);
	if (type & PERF_SAMPLE_CGROUP)
		out->cgroup = perf_take(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		out->data_page_size = perf_take(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		out->code_page_size = perf_take(c);
	if (type & PERF_SAMPLE_AUX) {
		out->aux_size = perf_take(c);
		out->aux = perf_take_words(c, out->aux_size / 8);
	}
}

/**
 * perf_id_words() - Get the size of the sample_id of a record that is not a sample
 * @attr: Attributes of the record's event.
 *
 * Return: Words.
 */
size_t perf_id_words(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ?
		__builtin_popcountll(attr->sample_type &
				     (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				      PERF_SAMPLE_CPU |
				      PERF_SAMPLE_IDENTIFIER)) : 0;
}

static void perf_take_id(struct perf_cursor *c, __u64 type,
			 struct perf_rec *out)
{
	__u32 zero;

	if (type & PERF_SAMPLE_TID)
		perf_take_pair(c, &out->pid, &out->tid);
	if (type & PERF_SAMPLE_TIME)
		out->time = perf_take(c);
	if (type & PERF_SAMPLE_ID)
		out->id = perf_take(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		out->stream_id = perf_take(c);
	if (type & PERF_SAMPLE_CPU) {
		perf_take_pair(c, &out->cpu, &zero);
		c->bad |= zero;
	}
	if (type & PERF_SAMPLE_IDENTIFIER) {
		out->identifier = perf_take(c);
		if (!(type & PERF_SAMPLE_ID))
			out->id = out->identifier;
	}
}

/**
 * perf_rec_parse() - Parse a sample, or the sample_id at the end of another record
 * @attr: Attributes of the record's event.
 * @header: The record.
 * @out: The fields.
 *
 * Return: False if the record has not the size that follows from @attr.
 */
bool perf_rec_parse(const struct perf_event_attr *attr,
		    const struct perf_event_header *header,
		    struct perf_rec *out)
{
	size_t words = header->size / 8 - 1, id_words = perf_id_words(attr);
	struct perf_cursor c = { (const __u64 *)(header + 1), words, false };

	memset(out, 0, sizeof(*out));
	if (header->type == PERF_RECORD_SAMPLE) {
		perf_take_sample_head(&c, attr->sample_type, out);
		perf_take_sample_lists(&c, attr, out);
		perf_take_sample_tail(&c, attr, out);
		return !c.bad && !c.left;
	}
	if (id_words > words)
		return false;
	c.at += words - id_words;
	c.left = id_words;
	if (id_words)
		perf_take_id(&c, attr->sample_type, out);
	return !c.bad && !c.left;
}

/**
 * perf_rec_body() - Get the size of a record without header and sample_id
 * @attr: Attributes of the record's event.
 * @header: The record.
 *
 * Return: Bytes.
 */
size_t perf_rec_body(const struct perf_event_attr *attr,
		     const struct perf_event_header *header)
{
	return header->size - sizeof(*header) - 8 * perf_id_words(attr);
}
