/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer that a reader maps and writers fill.
 *
 * Locking rules
 *
 *   rb->mutex		which events are attached to the buffer, and how often it
 *			is mapped: perf_event::output, rb and mmap_count of those
 *			attached, and below what says "mutex". Nests inside
 *			mmap_lock, ctx->mutex and rb->aux_mutex. Other CPUs may be
 *			waited for under it, so nothing that is not this buffer's
 *			ever needs it; no buffer is allocated under it.
 *
 *			An event that is attached is locked by its buffer's mutex:
 *			find the buffer by perf_event::output, lock it, and look
 *			again (perf_rb_lock_of_event()). One that is not attached
 *			becomes so by compare-and-exchange of perf_event::output
 *			from NULL, under the mutex of the buffer that it joins.
 *			Going from one buffer to another takes both mutexes, that at
 *			the lower address first.
 *
 *			An event is freed without the mutex if it is not attached,
 *			so storing NULL to perf_event::output is the last thing that
 *			is done to one, but for what RCU allows.
 *
 *   rb->events_lock	irqs off, inside rb->mutex. The lists of events; they change
 *			under the mutex as well, but for those of events to be woken.
 *
 *   perf_event::output	the buffer that the event is attached to: which one a reader
 *			polls and maps.
 *   perf_event::rb	the same buffer, for writers; or NULL while the event must not
 *			write there.
 *
 *   Writers take no lock. All that write to one buffer are on one CPU at any
 *   time: a buffer belongs to the events of one CPU, or to those of one task
 *   that follow it. Preemption is off from begin to end, so one writer can
 *   only interrupt another, and is done before that goes on.
 *
 *   Only events of CPUs can move to another CPU, with the mutexes of both CPUs'
 *   contexts held. An event is attached to another event's buffer with the mutex
 *   of its CPU's context held. A buffer goes along with the first event that
 *   moves, see perf_rb_move(); events that stay behind write no more.
 *
 * Lifetime rules
 *
 *   A buffer is referenced by each event that writes to it, and by each
 *   mapping. Writers find it through perf_event::rb with preemption off, so the
 *   memory goes a grace period after the last reference. When the last mapping
 *   goes, all events are detached: nobody could read what they write. So a buffer
 *   that is mapped has at least one event, and an event's buffer is mapped.
 */
#ifndef _KERNEL_EVENTS_RING_BUFFER_H
#define _KERNEL_EVENTS_RING_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

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
 * @wake_pending: all that poll are to be woken
 * @wake_irq: wakes them
 * @events_lock: see above
 * @events: perf_event::rb_entry of those attached
 * @polled: perf_event::poll_entry of those that were polled since they were woken
 * @waking: the same, of those that are being woken
 * @mutex: see above
 * @cpu: that all write from, or -1; valid while several events are attached; mutex
 * @aux_pmu: the only PMU whose events can write to an AUX area here, or NULL; mutex
 * @nr_mappings: of the data; mutex
 * @charge: who pays for it, who mapped it first; mutex
 * @aux_mutex: making and unmapping @aux
 * @aux: AUX area, or NULL; see aux.h
 * @refcount: see above
 * @rcu_head: for freeing
 * @free_work: for freeing what takes long
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
	bool				wake_pending;
	struct irq_work			wake_irq;
	spinlock_t			events_lock;
	struct list_head		events;
	struct list_head		polled;
	struct list_head		waking;

	struct mutex			mutex;
	int				cpu;
	struct pmu			*aux_pmu;
	unsigned int			nr_mappings;
	struct perf_buffer_charge	charge;
	struct mutex			aux_mutex;
	struct perf_aux_area		*aux;
	refcount_t			refcount;
	union {
		struct rcu_head		rcu_head;
		struct work_struct	free_work;
	};
	void				*chunks[];
};

/*
 * Pages of data at most: kvmalloc() gives no more than INT_MAX bytes to @chunks, and
 * perf_output_handle::page is an int.
 */
#define PERF_RB_MAX_PAGES	(SZ_1G / sizeof(void *))

static_assert(!(PERF_RB_MAX_PAGES & (PERF_RB_MAX_PAGES - 1)));
static_assert(sizeof(struct perf_buffer) + PERF_RB_MAX_PAGES * sizeof(void *) <= INT_MAX);
static_assert(type_max(typeof_member(struct perf_buffer, nr_pages)) >= PERF_RB_MAX_PAGES);
static_assert(type_max(typeof_member(struct perf_output_handle, page)) >= PERF_RB_MAX_PAGES);

/* buffer_memory.c */
struct perf_buffer *perf_rb_alloc(unsigned long nr_pages, int cpu);
void perf_rb_free(struct perf_buffer *rb);
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff);

static inline unsigned long perf_rb_bytes(const struct perf_buffer *rb)
{
	return (unsigned long)rb->nr_pages << PAGE_SHIFT;
}

#endif /* _KERNEL_EVENTS_RING_BUFFER_H */
