// SPDX-License-Identifier: GPL-2.0
/*
 * The control page: what a program that mapped an event can read without a system call.
 *
 * This file fills in struct perf_event_mmap_page, except for the positions in the data and in
 * the AUX area: output_writer.h and aux.c update these. The architecture fills in how to read
 * clock and counter. The reader can write to the page, so the kernel does not trust its
 * contents.
 *
 * Entry point: perf_event_update_userpage(), called by PMU drivers and when an event starts or
 * stops.
 * Context: any.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "output_writer.h"
#include "ring_buffer.h"
#include "userpage.h"

#ifdef CONFIG_CGROUP_PERF
/*
 * Do times of the event stop when no task of a cgroup runs? A sibling without a cgroup counts while
 * its leader does.
 */
static bool perf_userpage_is_cgroup(const struct perf_event *event)
{
	return event->cgrp || event->group_leader->cgrp;
}
#else
static bool perf_userpage_is_cgroup(const struct perf_event *event)
{
	return false;
}
#endif

/*
 * May the reader extrapolate time_enabled from the last update of the page? The time of a task's
 * event stops when its sub-context is scheduled out, a follower's time when its leader is. So
 * this is only possible if the page is also written when the time starts again.
 *
 * A program that reads its own task's event does not run while the time stands still. The reader of
 * a cgroup's event does. So the page must also be written when the time stops, as it is when an
 * event loses its counter.
 */
static bool perf_userpage_time_goes_on(const struct perf_event *event, u32 index)
{
	if (index)
		return true;
	if (perf_userpage_is_cgroup(event))
		return false;
	return !hlist_unhashed_lockless(&event->mapped_entry) ||
	       (!perf_ctx_is_task(event->ctx) && !perf_event_follows(event));
}

/* The lock is odd during an update. Pairs with the reader's barriers. */
static __always_inline void perf_userpage_set_lock(struct perf_buffer *rb, u32 seq)
{
	barrier();
	WRITE_ONCE(rb->user_page->lock, seq);
	barrier();
}

/* The value that user space adds to the counter. An NMI may read the counter in between. */
static __always_inline u64 perf_userpage_offset(struct perf_event *event, u32 index)
{
	s64 start;
	u64 count;

	do {
		start = local64_read(&event->hw.prev_count);
		perf_output_test_point();
		count = local64_read(&event->count);
	} while (unlikely(local64_read(&event->hw.prev_count) != start));
	count += atomic64_read(&event->child_count);
	return index ? count - start : count;
}

/**
 * enum perf_userpage_why - why a control page is written
 * @PERF_USERPAGE_UPDATE: the event counts, or stops
 * @PERF_USERPAGE_LAST: the event does not update the page any more
 * @PERF_USERPAGE_LAST_MOVING: the same while the event moves, so that its times cannot be read
 */
enum perf_userpage_why {
	PERF_USERPAGE_UPDATE,
	PERF_USERPAGE_LAST,
	PERF_USERPAGE_LAST_MOVING,
};

static __always_inline void perf_userpage_fill_times(struct perf_event *event,
						     struct perf_event_mmap_page *page,
						     const struct perf_event_times *times)
{
	page->time_enabled = times->enabled +
			     atomic64_read(&event->child_total_time_enabled);
	page->time_running = times->running +
			     atomic64_read(&event->child_total_time_running);
}

static __always_inline void perf_userpage_fill(struct perf_event *event,
					       struct perf_event_mmap_page *page, u32 index,
					       u64 now, enum perf_userpage_why why)
{
	bool moving = why == PERF_USERPAGE_LAST_MOVING;
	struct perf_event_times times;

	if (!moving)
		perf_event_times(event, now, &times);
	page->index = index;
	page->offset = perf_userpage_offset(event, index);
	perf_output_test_point();
	if (!moving)
		perf_userpage_fill_times(event, page, &times);
	arch_perf_update_userpage(event, page, now);
	if (unlikely(why != PERF_USERPAGE_UPDATE || !perf_userpage_time_goes_on(event, index)))
		page->cap_user_time = 0;
	perf_output_test_point();
}

static __always_inline void __perf_userpage_write(struct perf_event *event, struct perf_buffer *rb,
						  u32 index, u64 now,
						  enum perf_userpage_why why)
{
	long seq = local_inc_return(&rb->user_page_seq);

	if (unlikely(!(seq & 1))) {
		/* an NMI in an update, which will see that the number has changed */
		perf_userpage_set_lock(rb, seq + 1);
		perf_userpage_fill(event, rb->user_page, index, now, why);
		local_inc(&rb->user_page_seq);
		return;
	}

	do {
		seq = local_read(&rb->user_page_seq);
		perf_userpage_set_lock(rb, seq);
		perf_userpage_fill(event, rb->user_page, index, now, why);
		barrier();
	} while (unlikely(local_cmpxchg(&rb->user_page_seq, seq, seq + 1) != seq));
	perf_userpage_set_lock(rb, seq + 1);
}

/*
 * Write a page to which another CPU may write. If it does, nothing is written here, as if this
 * update had come just before the other CPU's: the page shows the last event that was written.
 * A writer in an NMI interrupts the writer of its CPU.
 */
static noinline void perf_userpage_write_shared(struct perf_event *event, struct perf_buffer *rb,
						u32 index, u64 now, enum perf_userpage_why why)
{
	int this = smp_processor_id() + 1;
	int writer = atomic_cmpxchg_acquire(&rb->user_page_writer, 0, this);

	if (writer && writer != this)
		return;
	__perf_userpage_write(event, rb, index, now, why);
	if (!writer)
		atomic_set_release(&rb->user_page_writer, 0);
}

/**
 * perf_userpage_write() - write the control page of an event
 * @event: the event
 * @rb: its buffer; no other CPU may write to the same page, unless user_page_shared is set
 * @index: the counter's number as reported to the reader, 0 if there is none
 * @now: perf_time() of the event's CPU, ns
 *
 * The times and the count include exited child events, as in read(2). page->offset is
 * the value that the reader adds to the counter.
 *
 * An overflow in an NMI can change the counter and write to the page during an update. The
 * update is then repeated, because it may have used old values. rb->user_page_seq detects
 * this. The reader can write to page->lock, so that cannot be relied on.
 *
 * Context: any, NMI included, preemption off.
 */
void perf_userpage_write(struct perf_event *event, struct perf_buffer *rb,
			 u32 index, u64 now)
{
	if (unlikely(READ_ONCE(rb->user_page_shared)))
		perf_userpage_write_shared(event, rb, index, now, PERF_USERPAGE_UPDATE);
	else
		__perf_userpage_write(event, rb, index, now, PERF_USERPAGE_UPDATE);
}

/**
 * perf_userpage_freeze() - write the control page of an event that does not update it any more
 * @event: the event; perf_event::rb is NULL
 * @rb: its buffer, see perf_userpage_write()
 * @now: perf_ctx_now()
 *
 * The page must not name a counter: another event may get that. The reader must not continue the
 * times.
 *
 * Context: irqs off. Caller must hold ctx->lock.
 */
void perf_userpage_freeze(struct perf_event *event, struct perf_buffer *rb, u64 now)
{
	perf_userpage_write_shared(event, rb, 0, now, PERF_USERPAGE_LAST);
}

/**
 * perf_userpage_freeze_moving() - the same for an event that is moving to another CPU
 * @event: the event; it has left its old context
 * @rb: its buffer
 * @now: perf_time()
 *
 * The event joins its new context meanwhile, which changes what its times are computed from. So the
 * page keeps the times that were written last.
 *
 * Context: preemption off.
 */
void perf_userpage_freeze_moving(struct perf_event *event, struct perf_buffer *rb, u64 now)
{
	perf_userpage_write_shared(event, rb, 0, now, PERF_USERPAGE_LAST_MOVING);
}

/**
 * perf_event_update_userpage() - update the page after a change of counter or offset
 * @event: the event; on its CPU, or scheduled out
 *
 * Does nothing if the event is not mapped, or has stayed behind when its buffer moved.
 *
 * Context: any, NMI included.
 */
void perf_event_update_userpage(struct perf_event *event)
{
	struct perf_buffer *rb;
	u32 index = 0;

	if (likely(!READ_ONCE(event->mmap_count)))
		return;

	guard(preempt_notrace)();
	rb = rcu_dereference_sched(event->rb);
	/*
	 * The buffer may be another one than when mmap_count was read. Then it is zero until
	 * perf_userpage_begin_afar() has written to the page on another CPU. Pairs with its
	 * release, and with rcu_assign_pointer(), which follows mmap_count = 0.
	 */
	smp_rmb();
	/* Pairs with smp_store_release() in perf_userpage_begin_afar(). */
	if (!rb || !smp_load_acquire(&event->mmap_count))
		return;
	if (perf_event_has_counter(event) && event->pmu->event_idx)
		index = event->pmu->event_idx(event);
	perf_userpage_write(event, rb, index, perf_time());
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

/**
 * perf_event_page_is_own() - check whether only the counted task's program has the control page
 * @event: an event of a task
 *
 * The instruction reads a counter of the CPU that executes it. So the page of a
 * task's event must offer the counter only if its readers can be that task. There is one page for
 * all mappings of a buffer, also of other events. A kernel thread borrows address spaces
 * and is not their reader.
 *
 * After an exec of the task a process that shared its address space may still have the mapping: the
 * next switch of the task writes the page.
 *
 * Context: any, NMI included, preemption off.
 * Return: true if all mappings of the event's buffer are in the address space of the task.
 */
bool perf_event_page_is_own(const struct perf_event *event)
{
	const struct perf_buffer *rb = rcu_dereference_sched(event->rb);
	const struct task_struct *target = event->hw.target;
	const struct mm_struct *mm;

	if (!rb || !target || READ_ONCE(target->flags) & PF_KTHREAD)
		return false;
	mm = READ_ONCE(rb->only_mm);
	return mm && READ_ONCE(target->mm) == mm;
}
EXPORT_SYMBOL_GPL(perf_event_page_is_own);

/**
 * arch_perf_update_userpage() - fill in how to read clock and counter
 * @event: the event; not active on another CPU if user space may read its counter
 * @userpg: its control page, between the two halves of an update; its index is written
 * @now: time of the update, ns
 *
 * Weak: overridden by architectures.
 *
 * Context: any, NMI included.
 */
void __weak arch_perf_update_userpage(struct perf_event *event,
				      struct perf_event_mmap_page *userpg, u64 now)
{
}

/**
 * arch_perf_user_access() - allow user space to read counters, or forbid it
 * @enable: the current task has events that user space may read
 *
 * Weak: overridden by architectures where counters can be read by user space only
 * after a register of the CPU allows it. Called with true before the first event of
 * such a task's context is scheduled in, and with false after its last event is
 * scheduled out. Also called when a running task gets its first such event, and when
 * it loses the last one.
 *
 * Context: irqs off, on the task's CPU. Caller must hold ctx->lock.
 */
void __weak arch_perf_user_access(bool enable)
{
}
