// SPDX-License-Identifier: GPL-2.0
/*
 * The control page: what a program that mapped an event can read without a call.
 *
 * Owns struct perf_event_mmap_page but for the positions in the data and in the
 * AUX area, which output.c and aux.c move. The architecture fills in how to read
 * clock and counter. The page is the reader's to write to, so nothing is
 * believed that stands in it.
 *
 * Entry points: perf_event_update_userpage(), from PMU drivers and whenever an
 * event starts or stops, in any context.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "ring_buffer.h"
#include "userpage.h"

/*
 * A task's event has a time that stands while its sub-context is off, one that follows a time
 * that stands while its leader is off. So time_enabled goes on from the page's last
 * update only if the page is written when the time begins to pass.
 */
static bool perf_userpage_time_goes_on(const struct perf_event *event, u32 index)
{
	return index || !hlist_unhashed_lockless(&event->mapped_entry) ||
	       (!perf_ctx_is_task(event->ctx) && !perf_event_follows(event));
}

/*
 * Times include those of children that are gone, as in read(2). The counter's
 * number is given while it counts; the offset is what has to be added to it.
 */
static void perf_userpage_fill(struct perf_event *event,
			       struct perf_event_mmap_page *page, u32 index, u64 now)
{
	u64 count = local64_read(&event->count) + atomic64_read(&event->child_count);
	struct perf_event_times times;

	perf_event_times(event, now, &times);
	page->index = index;
	page->offset = index ? count - local64_read(&event->hw.prev_count) : count;
	page->time_enabled = times.enabled +
			     atomic64_read(&event->child_total_time_enabled);
	page->time_running = times.running +
			     atomic64_read(&event->child_total_time_running);
	arch_perf_update_userpage(event, page, now);
	if (unlikely(!perf_userpage_time_goes_on(event, index)))
		page->cap_user_time = 0;
}

/**
 * perf_userpage_write() - write the page of an event
 * @event: the event
 * @rb: its buffer; nothing on another CPU writes to the same page
 * @index: of its counter, as arch_perf_update_userpage() gives it to the reader; 0: none
 * @now: perf_time() of the CPU of the event
 *
 * Context: preemption is off.
 */
void perf_userpage_write(struct perf_event *event, struct perf_buffer *rb,
			 u32 index, u64 now)
{
	struct perf_event_mmap_page *page = rb->user_page;

	/* odd while it is being written; pairs with the reader's barriers */
	WRITE_ONCE(page->lock, page->lock + 1);
	barrier();
	perf_userpage_fill(event, page, index, now);
	barrier();
	WRITE_ONCE(page->lock, page->lock + 1);
}

/**
 * perf_event_update_userpage() - an event's counter, or its offset, changed
 * @event: it; on its CPU, or not on
 *
 * Nothing to do for an event that is not mapped.
 *
 * Context: any including NMI, not nested for one event.
 */
void perf_event_update_userpage(struct perf_event *event)
{
	struct perf_buffer *rb;
	u32 index = 0;

	/* pairs with perf_userpage_begin_afar(): what that writes comes first */
	if (likely(!READ_ONCE(event->mmap_count)))
		return;

	guard(preempt_notrace)();
	rb = rcu_dereference_sched(event->rb);
	if (!rb)
		return;
	if (perf_event_has_counter(event) && event->pmu->event_idx)
		index = event->pmu->event_idx(event);
	perf_userpage_write(event, rb, index, perf_time());
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

/**
 * arch_perf_update_userpage() - fill in how to read clock and counter
 * @event: on its CPU
 * @userpg: its page, between the two halves of an update
 * @now: time of the update, ns
 *
 * For the architecture to replace.
 *
 * Context: any including NMI.
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
 * Context: Interrupts disabled, on the task's CPU. Caller must hold ctx->lock.
 */
void __weak arch_perf_user_access(bool enable)
{
}
