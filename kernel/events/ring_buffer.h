/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer that a reader maps and writers fill.
 *
 * Locking rules
 *
 *   perf_buffer_mutex	which event writes to which buffer, and how often each
 *			is mapped: perf_event::rb and mmap_count, and below what
 *			says "mutex". Nests inside mmap_lock and ctx->mutex; no
 *			buffer is allocated under it.
 *   rb->events_lock	the list of events, for those who wake them. irqs off.
 *			An event is freed without the mutex if it is on no list, so
 *			leaving that list is the last thing that is done to one.
 *
 *   Writers take no lock. All that write to one buffer are on one CPU at any
 *   time: a buffer belongs to the events of one CPU, or to those of one task
 *   that follow it. Preemption is off from begin to end, so one writer can
 *   only interrupt another, and is done before that goes on.
 *
 * Lifetime rules
 *
 *   A buffer is referenced by each event that writes to it, and by each
 *   mapping. Writers find it through perf_event::rb with preemption off, so the
 *   memory goes a grace period after the last reference. When the last mapping
 *   goes, all events are detached: nobody could read what they write.
 */
#ifndef _KERNEL_EVENTS_RING_BUFFER_H
#define _KERNEL_EVENTS_RING_BUFFER_H

#include <linux/perf_event.h>
#include <linux/spinlock.h>

struct perf_aux_area;

/**
 * struct perf_buffer_charge - who pays for the memory of a buffer
 * @user: whose buffer pages it counts among, referenced
 * @mm: whose pinned_vm, referenced; NULL when nothing is charged
 * @locked: pages charged to @user
 * @pinned: pages charged to @mm
 */
struct perf_buffer_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	unsigned long		locked;
	unsigned long		pinned;
};

/**
 * struct perf_buffer - one buffer
 * @user_page: the control page, shared with the reader, who may write anything
 *	to it: only data_tail and aux_tail are ever read back
 * @mask: size of the data in bytes, minus one; 0 if there is none
 * @nr_pages: of data, 0 or a power of two
 * @chunk_shift: log2 of the size of a chunk; all of the data may be one
 * @overwrite: the reader cannot write to its mapping: old data is overwritten
 * @backward: records are written from high to low addresses
 * @paused: records are lost for now
 * @watermark: bytes after which a reader is woken
 *
 * Writers, plain stores and local operations of one CPU:
 * @open: the outermost writer is at work; whoever interrupts it leaves what it
 *	wrote for the outermost to publish
 * @wake: a reader is to be woken when that is done
 * @head: up to where space is reserved, free-running
 * @woken: @head at the last watermark
 * @nr_samples: since the last wakeup by number
 * @lost: records that are to be told about when there is room again
 *
 * @poll: EPOLLIN since it was asked for last
 * @events_lock: protects @events
 * @events: perf_event::rb_entry of those attached
 * @nr_mappings: of the data; mutex
 * @charge: who pays for it, who mapped it first; mutex
 * @aux_mutex: making and unmapping @aux
 * @aux: AUX area, or NULL; see aux.h
 * @refcount: see above
 * @rcu_head: for freeing
 * @chunks: the data
 */
struct perf_buffer {
	struct perf_event_mmap_page	*user_page;
	unsigned long			mask;
	unsigned int			nr_pages;
	unsigned char			chunk_shift;
	bool				overwrite;
	bool				backward;
	bool				paused;
	unsigned long			watermark;

	bool				open;
	bool				wake;
	local_t				head;
	local_t				woken;
	local_t				nr_samples;
	local_t				lost;

	atomic_t			poll;
	spinlock_t			events_lock;
	struct list_head		events;
	unsigned int			nr_mappings;
	struct perf_buffer_charge	charge;
	struct mutex			aux_mutex;
	struct perf_aux_area		*aux;
	refcount_t			refcount;
	struct rcu_head			rcu_head;
	void				*chunks[];
};

extern struct mutex perf_buffer_mutex;

/* buffer_memory.c */
struct perf_buffer *perf_rb_alloc(unsigned int nr_pages, int cpu);
void perf_rb_free(struct perf_buffer *rb);
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff);

static inline unsigned long perf_rb_bytes(const struct perf_buffer *rb)
{
	return (unsigned long)rb->nr_pages << PAGE_SHIFT;
}

/* output.c */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event);

/* attach.c */
void perf_rb_put(struct perf_buffer *rb);
void perf_rb_attach(struct perf_event *event, struct perf_buffer *rb);
void perf_rb_detach(struct perf_event *event);
int perf_event_set_output(struct perf_event *event, struct perf_event *output);
void __perf_event_end_output(struct perf_event *event);
int perf_event_pause_output(struct perf_event *event, bool pause);

/* The event is being freed. Most have no buffer: pairs with perf_rb_detach(). */
static inline void perf_event_end_output(struct perf_event *event)
{
	if (!list_empty_careful(&event->rb_entry))
		__perf_event_end_output(event);
}

#endif /* _KERNEL_EVENTS_RING_BUFFER_H */
