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

#include "clock.h"
#include "clones.h"
#include "context.h"
#include "event.h"
#include "follow.h"
#include "ring_buffer.h"
#include "state.h"
#include "userpage.h"

/**
 * perf_userpage_init - fill in what does not change
 * @rb: a new buffer
 */
void perf_userpage_init(struct perf_buffer *rb)
{
	struct perf_event_mmap_page *page = rb->user_page;

	/* programs that test the old bit find that it means nothing any more */
	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = perf_rb_bytes(rb);
}

/*
 * How many pages a switch brings up to date for their times alone. The driver writes
 * those of events with a counter whenever it adds one.
 */
#define PERF_USERPAGE_TIMED	32

static bool perf_set_has_room_for_page(const struct perf_event_set *set)
{
	struct hlist_node *node;
	unsigned int nr = 0;

	hlist_for_each(node, &set->mapped)
		nr++;
	return nr < PERF_USERPAGE_TIMED;
}

/*
 * A task's event has a time that stands while its set is off, one that follows a time
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

/* Preemption is off; nothing on another CPU writes to the same page. */
static void perf_userpage_write(struct perf_event *event, struct perf_buffer *rb,
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
 * perf_event_update_userpage - an event's counter, or its offset, changed
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

/* Its set has one timed page more, unless it has as many as there may be. */
static void perf_userpage_list(struct perf_event *event)
{
	hlist_del_init(&event->mapped_entry);
	if (perf_set_has_room_for_page(event->set))
		perf_set_add_mapped(event->set, event);
}

/*
 * A CPU's event need not be brought up to date at switches: its time never
 * stands still. But for one that follows, when its leader ends to count or begins.
 */
static void perf_userpage_follow(struct perf_event_context *ctx, struct perf_event *event)
{
	if (!(READ_ONCE(event->attach_state) & PERF_ATTACH_CONTEXT))
		return;
	/* pairs with perf_userpage_moved(): if it is of another context, that is seen */
	smp_rmb();
	if (READ_ONCE(event->ctx) != ctx)
		return;
	if (perf_ctx_is_task(ctx) || perf_event_follows(event))
		perf_userpage_list(event);
}

/**
 * perf_userpage_moved - an event is about to go on in another CPU's context
 * @event: event->ctx is that context, whose lock is held, and PERF_ATTACH_CONTEXT is not set
 */
void perf_userpage_moved(struct perf_event *event)
{
	/* pairs with perf_userpage_begin(): one of both sees what the other one has stored */
	smp_mb();
	if (!READ_ONCE(event->mmap_count))
		return;
	if (perf_event_follows(event))
		perf_userpage_list(event);
	perf_event_update_userpage(event);
}

struct perf_userpage_beginning {
	struct perf_event	*event;
	bool			ties;
};

static void perf_userpage_begin_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_beginning *beginning = arg;
	struct perf_event *event = beginning->event;

	perf_userpage_follow(ctx, event);
	if (beginning->ties && (event->attach_state & PERF_ATTACH_CONTEXT))
		perf_clones_event_ties(event);
	WRITE_ONCE(event->mmap_count, 1);
	/* what moves is written where it goes */
	if (ctx == READ_ONCE(event->ctx) &&
	    !(READ_ONCE(event->attach_state) & PERF_ATTACH_MOVING))
		perf_event_update_userpage(event);
}

/*
 * An event on another CPU, whose counter the reader does not read by itself: the page
 * need not say where it is, and can be written here. The driver writes to it as soon
 * as the event is mapped, and not before. False if the event is not there.
 */
static bool perf_userpage_begin_afar(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	guard(raw_spinlock_irqsave)(&ctx->lock);
	if (ctx != event->ctx || ctx->cpu < 0 || ctx->cpu == smp_processor_id())
		return false;
	perf_userpage_follow(ctx, event);
	perf_userpage_write(event, rb, 0, perf_ctx_now(ctx));
	/* pairs with perf_event_update_userpage() */
	smp_store_release(&event->mmap_count, 1);
	return true;
}

/**
 * perf_userpage_begin - keep the control page right from now on: the event is mapped
 * @event: its mmap_count becomes 1
 * @rb: its buffer, whose mutex is held; @nr_mappings are those before
 *
 * Interrupts the CPU on which the event is only if that has to say how its counter is
 * read, or writes to the same page for another event.
 *
 * Task context, irqs on. The event's context may be another one by now if it is
 * a CPU's; a task's event keeps it for life.
 */
void perf_userpage_begin(struct perf_event *event, struct perf_buffer *rb)
{
	bool user_reads = perf_event_is_user_readable(event);
	struct perf_userpage_beginning beginning = {
		.event	= event,
		/* what it reads from the counter must be its own */
		.ties	= user_reads && event->hw.target == current,
	};
	struct perf_event_context *tied = NULL, *ctx;

	if (!user_reads && !rb->nr_mappings && perf_userpage_begin_afar(event, rb))
		return;
	if (beginning.ties)
		tied = perf_clones_tie_own(current);
	do {
		ctx = READ_ONCE(event->ctx);
		perf_ctx_call(ctx, perf_userpage_begin_locked, &beginning);
		/* pairs with perf_userpage_moved() */
		smp_mb();
	} while (ctx != READ_ONCE(event->ctx));
	if (tied)
		perf_clones_untie(tied);
}

/**
 * perf_userpage_end - the event is mapped no longer
 * @event: its mmap_count becomes 0; the mutex of its buffer is held
 *
 * The list that it is on, if any, changes under the lock of its context alone: so
 * nothing has to be done where that is on. When the event moves it leaves the list.
 */
void perf_userpage_end(struct perf_event *event)
{
	struct perf_event_context *ctx;
	bool done;

	WRITE_ONCE(event->mmap_count, 0);
	do {
		ctx = READ_ONCE(event->ctx);
		guard(raw_spinlock_irqsave)(&ctx->lock);
		done = ctx == event->ctx;
		if (done)
			hlist_del_init(&event->mapped_entry);
	} while (!done);
}

/**
 * arch_perf_update_userpage - fill in how to read clock and counter
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
