/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring buffer: mapped by a reader, filled by writers.
 *
 * Locking rules
 *
 *   rb->mutex		protects the set of events attached to the buffer and the number
 *			of its mappings: perf_event::output, rb and mmap_count of the
 *			attached events, and the members marked "mutex" below. Nests
 *			inside mmap_lock, ctx->mutex and rb->aux_mutex. A holder may wait
 *			for other CPUs, so the mutex must not be needed for anything but
 *			this buffer. No buffer is allocated under it.
 *
 *			The buffer of an attached event can change until the buffer's
 *			mutex is held. So read perf_event::output, lock that buffer, and
 *			check again (perf_rb_lock_of_event()). An event that is not
 *			attached becomes so by a cmpxchg of perf_event::output from NULL,
 *			under the mutex of the new buffer. Moving an event from one buffer
 *			to another takes both mutexes, that at the lower address first.
 *
 *			An event that is not attached is freed without the mutex. So
 *			storing NULL to perf_event::output must be the last access to the
 *			event, except for accesses that RCU allows.
 *
 *   rb->events_lock	interrupts off, inside rb->mutex. Protects the lists of events.
 *			@events changes under rb->mutex as well. @polled and @waking
 *			also change without it.
 *
 *   perf_event::output	the buffer that the event is attached to. Readers poll and map it.
 *   perf_event::rb	the same buffer, for writers; NULL while the event must not write
 *			there.
 *
 *   Writers take no lock. All writers of one buffer are on one CPU at any time: a
 *   buffer belongs to the events of one CPU, or to the events of one task that
 *   follow it. Preemption is off from begin to end, so a writer can only interrupt
 *   another writer, and finishes before the interrupted one continues. The control
 *   page has other rules: an event of a task that is on another CPU is written there,
 *   see perf_userpage_write().
 *
 *   Only CPU events can move to another CPU, with the mutexes of both CPUs'
 *   contexts held. Attaching an event to the buffer of a CPU event requires the
 *   mutex of that CPU's context. The first event that moves takes its buffer along,
 *   see perf_rb_move(). Attached events that stay behind stop writing, and do not
 *   update the control page. They do both again when they are on the CPU of their
 *   buffer, see perf_rb_unmute_all().
 *
 * Lifetime rules
 *
 *   Each attached event and each mapping holds a reference on the buffer. Writers
 *   find the buffer through perf_event::rb with preemption off, so the memory is
 *   freed a grace period after the last reference. When the last mapping goes, all
 *   events are detached, because their records could not be read any more. So a
 *   mapped buffer has at least one event, and an attached event has a mapped buffer.
 */
#ifndef _KERNEL_EVENTS_RING_BUFFER_H
#define _KERNEL_EVENTS_RING_BUFFER_H

#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct perf_aux_area;

/**
 * struct perf_buffer - a ring buffer
 * @user_page: the control page, shared with the reader. The reader may write anything to it.
 *	Of what it writes only data_tail, aux_tail, aux_offset and aux_size are used, and checked;
 *	in an overwritten buffer also data_head, if another mapping is writable
 * @mask: size of the data in bytes, minus one; 0 if there is no data
 * @nr_pages: number of data pages, 0 or a power of two
 * @chunk_shift: log2 of the chunk size in bytes; one chunk may be all of the data
 * @overwrite: the reader's mapping is read-only, so old data is overwritten
 * @backward: records are written from high to low addresses
 * @paused: records are currently dropped, and counted as lost
 * @watermark: number of bytes after which a reader is woken
 *
 * Writers, plain stores and local operations of one CPU:
 * @open: an outermost writer is active; it publishes what nested writers wrote
 * @wake: a reader is woken when the outermost writer is done
 * @wake_event: an event that is signalled then, besides the outermost writer's event, or NULL
 * @head: end of the reserved space, free-running
 * @woken: position of the last watermark that @head has passed, or at which the buffer was full
 * @nr_samples: number of samples since the last wakeup by number
 * @lost: number of lost records that are not yet reported in the buffer
 *
 * Writers of the control page, one CPU at a time:
 * @user_page_seq: number of updates of @user_page, each counted at its begin and its end; odd
 *	while one is active, but for the time of a nested one
 * @user_page_shared: several events are mapped, so several CPUs may want to write; stays set
 * @user_page_writer: with @user_page_shared, the CPU that writes, plus one, or 0
 *
 * @poll: EPOLLIN and EPOLLRDNORM after a wakeup, cleared by poll(2)
 * @wake_pending: all pollers must be woken; a word, because not all CPUs can xchg() a byte
 * @wake_polled: wakes the pollers
 * @events_lock: see the locking rules
 * @events: perf_event::rb_entry of attached events
 * @polled: perf_event::poll_entry of events polled since their last wakeup
 * @waking: perf_event::poll_entry of events that are being woken
 * @mutex: see the locking rules
 * @cpu: CPU of all writing events, or -1; valid while several events are attached; mutex
 * @moved: @cpu has changed, and events of the new CPU may not write yet, see perf_rb_moved();
 *	mutex
 * @nr_writers: number of attached events with perf_event::rb; mutex
 * @left: state of RCU when the last event stopped writing; mutex
 * @aux_pmu: the only PMU whose events can write to the AUX area, or NULL; mutex
 * @nr_mappings: number of mappings of the buffer, its AUX area included; mutex
 * @charges: perf_buffer_charge::entry of the address spaces that map the buffer; mutex
 * @only_mm: the address space that has all mappings; NULL if several have some, or none has. It is
 *	compared and not dereferenced. Writers of the control page read it; changed under mutex
 * @shown_mm: @only_mm when the page was last written for all mapped events; mutex
 * @aux_mutex: creating and unmapping @aux
 * @aux: AUX area, or NULL; see aux_area.h
 * @refcount: see the lifetime rules
 * @rcu_head: for freeing
 * @free_work: frees a buffer for which softirq context is not suitable
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
	struct perf_event		*wake_event;
	local_t				head;
	local_t				woken;
	local_t				nr_samples;
	local_t				lost;

	local_t				user_page_seq;
	bool				user_page_shared;
	atomic_t			user_page_writer;

	atomic_t			poll;
	unsigned int			wake_pending;
	struct perf_wake		wake_polled;
	spinlock_t			events_lock;
	struct list_head		events;
	struct list_head		polled;
	struct list_head		waking;

	struct mutex			mutex;
	int				cpu;
	bool				moved;
	unsigned int			nr_writers;
	unsigned long			left;
	struct pmu			*aux_pmu;
	unsigned int			nr_mappings;
	struct list_head		charges;
	struct mm_struct		*only_mm;
	struct mm_struct		*shown_mm;
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
 * Maximum number of data pages. kvmalloc() allocates at most INT_MAX bytes for @chunks, and
 * perf_output_handle::page is an int.
 */
#define PERF_RB_MAX_PAGES	(SZ_1G / sizeof(void *))

static_assert(!(PERF_RB_MAX_PAGES & (PERF_RB_MAX_PAGES - 1)));
static_assert(sizeof(struct perf_buffer) + PERF_RB_MAX_PAGES * sizeof(void *) <= INT_MAX);
static_assert(type_max(typeof_member(struct perf_buffer, nr_pages)) >= PERF_RB_MAX_PAGES);
static_assert(type_max(typeof_member(struct perf_output_handle, page)) >= PERF_RB_MAX_PAGES);

/* Maximum number of pages freed in softirq. */
#define PERF_RB_FREE_BATCH	256

/* buffer_memory.c */
struct perf_buffer *perf_rb_alloc(unsigned long nr_pages, int cpu);
void perf_rb_free(struct perf_buffer *rb);
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff);

static inline unsigned long perf_rb_bytes(const struct perf_buffer *rb)
{
	return (unsigned long)rb->nr_pages << PAGE_SHIFT;
}

#endif /* _KERNEL_EVENTS_RING_BUFFER_H */
