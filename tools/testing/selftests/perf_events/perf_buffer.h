/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the buffer of a perf event:
 *
 *	struct perf_buf buf;
 *	const struct perf_event_header *rec;
 *	struct perf_rec out;
 *
 *	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
 *	while ((rec = perf_buf_next(&buf))) {
 *		ASSERT_TRUE(perf_rec_parse(&attr, rec, &out));
 *		...
 *	}
 *	EXPECT_FALSE(buf.bad);
 *	perf_buf_unmap(&buf);
 *
 * Besides, there are loads of known size that fill a buffer.
 *
 * Each record is copied out, whether it wraps or not, and its space handed back
 * at once: what perf_buf_next() returned is valid until it is called again.
 */
#ifndef PERF_BUFFER_H
#define PERF_BUFFER_H

#include "perf_util.h"

/**
 * struct perf_buf - the mapping of one event's buffer, and where the reader is
 * @meta: the control page
 * @data: the records; NULL if there are 0 data pages
 * @size: bytes of @data
 * @length: bytes of the whole mapping
 * @pos: position of the next record
 * @end: reading stops here: data_head, or the end of a snapshot
 * @writable: data_tail can be written
 * @snapshot: perf_buf_snapshot() was called: the head is not asked again
 * @bad: a record cannot be what its header says; reading has stopped there
 * @record: the record that perf_buf_next() returned
 */
struct perf_buf {
	struct perf_event_mmap_page *meta;
	unsigned char *data;
	size_t size;
	size_t length;
	__u64 pos;
	__u64 end;
	bool writable;
	bool snapshot;
	bool bad;
	union {
		struct perf_event_header header;
		__u64 word[(1 << 16) / sizeof(__u64)];
	} record;
};

/* Map with a protection of one's choice: without PROT_WRITE it overwrites. */
static inline int perf_buf_map_prot(struct perf_buf *buf, int fd,
				    size_t data_pages, int prot)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	memset(buf, 0, offsetof(struct perf_buf, record));
	buf->length = (1 + data_pages) * page;
	p = mmap(NULL, buf->length, prot, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	buf->meta = p;
	buf->size = data_pages * page;
	if (data_pages)
		buf->data = (unsigned char *)p + page;
	buf->writable = prot & PROT_WRITE;
	return 0;
}

/* Map 1 + @data_pages pages; 0 or a negative errno. */
static inline int perf_buf_map(struct perf_buf *buf, int fd, size_t data_pages)
{
	return perf_buf_map_prot(buf, fd, data_pages, PROT_READ | PROT_WRITE);
}

static inline int perf_buf_unmap(struct perf_buf *buf)
{
	return munmap(buf->meta, buf->length) ? -errno : 0;
}

/* What the head says is written, is: the records are loaded after it. */
static inline __u64 perf_buf_head(const struct perf_buf *buf)
{
	return __atomic_load_n(&buf->meta->data_head, __ATOMIC_ACQUIRE);
}

/* All loads of records come before the kernel may write over them. */
static inline void perf_buf_set_tail(struct perf_buf *buf, __u64 tail)
{
	if (buf->writable)
		__atomic_store_n(&buf->meta->data_tail, tail, __ATOMIC_RELEASE);
}

/* Bytes that wait to be read. */
static inline __u64 perf_buf_fill(const struct perf_buf *buf)
{
	return perf_buf_head(buf) - buf->pos;
}

/* Copy from a free-running position, around the end of the buffer. */
static inline void perf_buf_copy(const struct perf_buf *buf, __u64 pos,
				 void *to, size_t len)
{
	size_t at = pos & (buf->size - 1), first = buf->size - at;

	if (first > len)
		first = len;
	memcpy(to, buf->data + at, first);
	memcpy((unsigned char *)to + first, buf->data, len - first);
}

/* The next record, or NULL when all were read or one is damaged (buf->bad). */
static inline const struct perf_event_header *
perf_buf_next(struct perf_buf *buf)
{
	struct perf_event_header *header = &buf->record.header;

	if (!buf->snapshot)
		buf->end = perf_buf_head(buf);
	if (buf->bad || !buf->data || buf->pos == buf->end)
		return NULL;
	/* A head that went back, or ran over what was not read. */
	if (buf->writable && buf->end - buf->pos > buf->size) {
		buf->bad = true;
		return NULL;
	}
	perf_buf_copy(buf, buf->pos, header, sizeof(*header));
	if (header->size < sizeof(*header) || header->size % 8 ||
	    header->size > buf->end - buf->pos) {
		buf->bad = !buf->snapshot;
		return NULL;
	}
	perf_buf_copy(buf, buf->pos, header, header->size);
	buf->pos += header->size;
	if (!buf->snapshot)
		perf_buf_set_tail(buf, buf->pos);
	return header;
}

/* The next record of a type; those in between are dropped. */
static inline const struct perf_event_header *
perf_buf_next_of(struct perf_buf *buf, __u32 type)
{
	const struct perf_event_header *header;

	do {
		header = perf_buf_next(buf);
	} while (header && header->type != type);
	return header;
}

/* Drop all there is, so that what comes next is new. */
static inline void perf_buf_drop(struct perf_buf *buf)
{
	buf->pos = perf_buf_head(buf);
	perf_buf_set_tail(buf, buf->pos);
}

/*
 * A backward buffer whose writer is paused or disabled: from here on
 * perf_buf_next() walks from the youngest record to the oldest one that is
 * whole. Where it never was written, the header's size is 0.
 */
static inline void perf_buf_snapshot(struct perf_buf *buf)
{
	buf->pos = perf_buf_head(buf);
	buf->end = buf->pos + buf->size;
	buf->snapshot = true;
}

/**
 * struct perf_rec - what a record says beyond its type's own body
 * @id: ID, or IDENTIFIER
 * @identifier: IDENTIFIER alone
 * @stream_id: STREAM_ID
 * @ip: IP
 * @time: TIME
 * @addr: ADDR
 * @period: PERIOD
 * @pid: TID, the process
 * @tid: TID, the thread
 * @cpu: CPU
 * @read: READ, values by read_format
 * @chain: CALLCHAIN
 * @regs_user: REGS_USER in the order of the mask's bits, if the ABI is not NONE
 * @regs_intr: REGS_INTR, the same
 * @branches: BRANCH_STACK
 * @raw: RAW
 * @stack: STACK_USER
 * @aux: AUX
 * @nr_read: words at @read
 * @nr_chain: words at @chain
 * @nr_branches: entries at @branches
 * @hw_idx: BRANCH_STACK, with PERF_SAMPLE_BRANCH_HW_INDEX
 * @raw_size: bytes at @raw
 * @stack_size: bytes at @stack, as the attributes say
 * @stack_valid: bytes at @stack that were dumped
 * @aux_size: bytes at @aux
 * @regs_user_abi: ABI of @regs_user
 * @regs_intr_abi: ABI of @regs_intr
 * @weight: WEIGHT, or WEIGHT_STRUCT
 * @data_src: DATA_SRC
 * @transaction: TRANSACTION
 * @phys_addr: PHYS_ADDR
 * @cgroup: CGROUP
 * @data_page_size: DATA_PAGE_SIZE
 * @code_page_size: CODE_PAGE_SIZE
 *
 * Pointers point into the record.
 */
struct perf_rec {
	__u64 id, identifier, stream_id, ip, time, addr, period;
	__u32 pid, tid, cpu;
	const __u64 *read, *chain, *regs_user, *regs_intr;
	const struct perf_branch_entry *branches;
	const void *raw, *stack, *aux;
	__u64 nr_read, nr_chain, nr_branches, hw_idx;
	__u64 raw_size, stack_size, stack_valid, aux_size;
	__u64 regs_user_abi, regs_intr_abi;
	__u64 weight, data_src, transaction, phys_addr, cgroup;
	__u64 data_page_size, code_page_size;
};

/* What is left of a record; bad when more was taken than there was. */
struct perf_cursor {
	const __u64 *at;
	size_t left;
	bool bad;
};

static inline const void *perf_take_words(struct perf_cursor *c, __u64 words)
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

static inline __u64 perf_take(struct perf_cursor *c)
{
	const __u64 *at = perf_take_words(c, 1);

	return at ? *at : 0;
}

static inline void perf_take_pair(struct perf_cursor *c, __u32 *first,
				  __u32 *second)
{
	const __u32 *at = perf_take_words(c, 1);

	*first = at ? at[0] : 0;
	*second = at ? at[1] : 0;
}

static inline void perf_take_read(struct perf_cursor *c, __u64 format,
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

static inline void perf_take_branches(struct perf_cursor *c, __u64 type,
				      struct perf_rec *out)
{
	out->nr_branches = perf_take(c);
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		out->hw_idx = perf_take(c);
	out->branches = perf_take_words(c, out->nr_branches * 3);
	if (type & PERF_SAMPLE_BRANCH_COUNTERS)
		perf_take_words(c, out->nr_branches);
}

static inline const __u64 *perf_take_regs(struct perf_cursor *c, __u64 mask,
					  __u64 *abi)
{
	*abi = perf_take(c);
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return NULL;
	return perf_take_words(c, __builtin_popcountll(mask));
}

static inline void perf_take_raw(struct perf_cursor *c, struct perf_rec *out)
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

static inline void perf_take_stack(struct perf_cursor *c, struct perf_rec *out)
{
	out->stack_size = perf_take(c);
	out->stack = perf_take_words(c, out->stack_size / 8);
	if (out->stack_size)
		out->stack_valid = perf_take(c);
	c->bad |= out->stack_size % 8 || out->stack_valid > out->stack_size;
}

/* The first half of a sample: what trailers have, and more. */
static inline void perf_take_sample_head(struct perf_cursor *c, __u64 type,
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

static inline void perf_take_sample_lists(struct perf_cursor *c,
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

static inline void perf_take_sample_tail(struct perf_cursor *c,
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

/* Words of the trailer of a record that is no sample. */
static inline size_t perf_id_words(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ?
		__builtin_popcountll(attr->sample_type &
				     (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				      PERF_SAMPLE_CPU |
				      PERF_SAMPLE_IDENTIFIER)) : 0;
}

static inline void perf_take_id(struct perf_cursor *c, __u64 type,
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

/*
 * A sample, all of it, or the sample_id at the end of another record. False if
 * the record's size is not what its event's attributes make of it.
 */
static inline bool perf_rec_parse(const struct perf_event_attr *attr,
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

/* Bytes of a record's own body, between header and trailer. */
static inline size_t perf_rec_body(const struct perf_event_attr *attr,
				   const struct perf_event_header *header)
{
	return header->size - sizeof(*header) - 8 * perf_id_words(attr);
}

/* PERF_RECORD_LOST begins with these. */
struct perf_lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

/* What read() returns with PERF_FORMAT_LOST alone; all ones if it fails. */
struct perf_count_lost {
	__u64 value;
	__u64 lost;
};

static inline struct perf_count_lost perf_counted(int fd)
{
	struct perf_count_lost c;

	if (read(fd, &c, sizeof(c)) != sizeof(c))
		memset(&c, 0xff, sizeof(c));
	return c;
}

/* What poll() says of one fd without waiting, or a negative errno. */
static inline int perf_poll(int fd, short events)
{
	struct pollfd p = { fd, events, 0 };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

/*
 * Page faults as a source of samples: their number is exact if the process is
 * resident, its mappings of buffers too. Those fault when they are touched.
 */
static inline void perf_buf_touch(struct perf_buf *buf)
{
	size_t page = sysconf(_SC_PAGESIZE), at;

	(void)*(volatile __u64 *)&buf->meta->data_head;
	if (buf->writable)
		*(volatile __u64 *)&buf->meta->data_tail = buf->pos;
	for (at = 0; at < buf->size; at += page)
		(void)*(volatile unsigned char *)(buf->data + at);
}

/* Records that wait, and are dropped; -1 if one of them is damaged. */
static inline int perf_buf_count(struct perf_buf *buf)
{
	int n = 0;

	while (perf_buf_next(buf))
		n++;
	return buf->bad ? -1 : n;
}

/* Map and unmap: 0 or a negative errno. */
static inline int perf_try_map(int fd, size_t len, int prot, int flags,
			       off_t offset)
{
	void *p = mmap(NULL, len, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	return munmap(p, len) ? -errno : 0;
}

static inline int perf_try_pages(int fd, size_t pages)
{
	return perf_try_map(fd, pages * sysconf(_SC_PAGESIZE),
			    PROT_READ | PROT_WRITE, MAP_SHARED, 0);
}

/* A disabled event of PAGE_FAULTS sees exactly so many of them. */
static inline void perf_fault(int fd, size_t pages)
{
	void *p = map_fresh_pages(pages);

	if (!p)
		_exit(99);
	perf_enable(fd);
	touch_pages(p, pages);
	perf_disable(fd);
	munmap(p, pages * sysconf(_SC_PAGESIZE));
}

/* Three faults that such an event, with period 1, sees are three records. */
static inline bool perf_buf_works(struct perf_buf *buf, int fd)
{
	stay_resident();
	perf_buf_touch(buf);
	perf_buf_drop(buf);
	perf_fault(fd, 3);
	return perf_buf_count(buf) == 3;
}

#endif /* PERF_BUFFER_H */
