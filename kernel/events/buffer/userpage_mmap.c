// SPDX-License-Identifier: GPL-2.0
/*
 * The control page when an event is mapped, unmapped, or moved to another CPU.
 *
 * output/userpage.c writes the contents of the page.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/ring_buffer.h"
#include "../output/userpage.h"
#include "../context/ctx_call.h"
#include "../context/ctx_pin.h"
#include "../context/ctx_swap.h"
#include "userpage_mmap.h"

/**
 * perf_userpage_init() - set the constant fields of a control page
 * @rb: a new buffer
 */
void perf_userpage_init(struct perf_buffer *rb)
{
	struct perf_event_mmap_page *page = rb->user_page;

	/* Tells programs that test the old bit that it has no meaning any more. */
	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = perf_rb_bytes(rb);
}

/*
 * Maximum number of pages of a sub-context that a switch updates only because of their times.
 * The driver updates the pages of events with a counter when it adds them.
 */
#define PERF_USERPAGE_TIMED	32

/* Add an event to the pages that a switch updates, unless there are too many already. */
static void perf_userpage_list(struct perf_event *event)
{
	struct hlist_node *node;
	unsigned int nr = 0;

	hlist_del_init(&event->mapped_entry);
	hlist_for_each(node, &event->subctx->mapped)
		nr++;
	if (nr < PERF_USERPAGE_TIMED)
		perf_subctx_add_mapped(event->subctx, event);
}

/*
 * Pages of a task's events are updated at switches. Pages of CPU events need not be: no switch
 * stops their time, or, if they are of a cgroup, readers do not extrapolate it. The exception is a
 * follower: its time stops when its leader stops counting.
 */
static void perf_userpage_follow(struct perf_event_context *ctx, struct perf_event *event)
{
	if (!(READ_ONCE(event->attach_state) & PERF_ATTACH_CONTEXT))
		return;
	/* Pairs with perf_userpage_moved(): a change of event->ctx is seen. */
	smp_rmb();
	if (READ_ONCE(event->ctx) != ctx)
		return;
	if (perf_ctx_is_task(ctx) || perf_event_follows(event))
		perf_userpage_list(event);
}

/**
 * perf_userpage_moved() - update the page of an event that moves to another CPU's context
 * @event: the event; event->ctx is the new context, and PERF_ATTACH_CONTEXT is not set unless it
 *	is a leader
 *
 * Context: irqs off. Caller must hold event->ctx->lock.
 */
void perf_userpage_moved(struct perf_event *event)
{
	/*
	 * Pairs with perf_userpage_begin(): either mmap_count is seen here, or the new context
	 * is seen there.
	 */
	smp_mb();
	if (!READ_ONCE(event->mmap_count))
		return;
	if (perf_event_follows(event))
		perf_userpage_list(event);
	perf_event_update_userpage(event);
}

struct perf_userpage_stopped {
	struct perf_event	*event;
	struct perf_buffer	*rb;
};

/*
 * Drivers update the pages of CPU events with interrupts off, so this does not interrupt an update.
 * An NMI does not find the buffer.
 */
static void perf_userpage_stop_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_stopped *stopped = arg;
	struct perf_event *event = stopped->event;

	if (perf_event_needs_read(event))
		event->pmu->read(event);
	perf_userpage_freeze(event, stopped->rb, perf_ctx_now(ctx));
}

/**
 * perf_userpage_stop() - write the page of an event that stays behind when its buffer moves
 * @event: the event, mapped; perf_event::rb is NULL already
 * @rb: its buffer; no event writes to it on the new CPU yet
 *
 * Context: task, irqs on. Caller must hold the mutexes of the event's context and of @rb.
 */
void perf_userpage_stop(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_userpage_stopped stopped = { .event = event, .rb = rb };

	perf_ctx_call(event->ctx, perf_userpage_stop_locked, &stopped);
}

static void perf_userpage_rewrite_locked(struct perf_event_context *ctx, void *arg)
{
	perf_event_update_userpage(arg);
}

/**
 * perf_userpage_rewrite() - update the page of an event on the CPU where its context is on
 * @event: the event; nothing is written unless it is mapped
 *
 * Context: task, irqs on. The event must stay in its context: it is a task's, or the caller holds
 * the mutex of the context.
 */
void perf_userpage_rewrite(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_userpage_rewrite_locked, event);
}

/*
 * Does a mapping by current pin the event's context? A task that reads the counter of its own event
 * must not get another task's count. It can read the page if it has mapped it, or another thread
 * of its program has.
 */
static bool perf_userpage_needs_task(const struct perf_event *event)
{
	const struct task_struct *target = event->hw.target;

	if (!target || !perf_event_is_user_readable(event))
		return false;
	return target == current || (current->mm && READ_ONCE(target->mm) == current->mm);
}

struct perf_userpage_beginning {
	struct perf_event	*event;
	bool			pins;
};

static void perf_userpage_begin_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_beginning *beginning = arg;
	struct perf_event *event = beginning->event;

	perf_userpage_follow(ctx, event);
	if (beginning->pins && (event->attach_state & PERF_ATTACH_CONTEXT))
		perf_ctx_pin_for_event(event);
	WRITE_ONCE(event->mmap_count, 1);
	/* perf_userpage_moved() writes the page of an event that is being moved. */
	if (perf_event_stays_in(event, ctx))
		perf_event_update_userpage(event);
}

/*
 * Fast path for an event on another CPU, if user space does not read its counter. The page does
 * not need the counter's number, so it can be written on this CPU. The driver writes to the
 * page as soon as mmap_count is set, and not before.
 *
 * Return: false if the event is not in the context of another CPU, or moves.
 */
static bool perf_userpage_begin_afar(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	guard(raw_spinlock_irqsave)(&ctx->lock);
	if (!perf_event_stays_in(event, ctx) || ctx->cpu < 0 || ctx->cpu == smp_processor_id())
		return false;
	perf_userpage_follow(ctx, event);
	perf_userpage_write(event, rb, 0, perf_ctx_now(ctx));
	/* Pairs with perf_event_update_userpage(). */
	smp_store_release(&event->mmap_count, 1);
	return true;
}

/**
 * perf_userpage_begin() - start updating the control page of an event that is being mapped
 * @event: the event; its mmap_count becomes 1
 * @rb: its buffer; @nr_mappings does not include the new mapping yet
 *
 * Interrupts the event's CPU only if that must provide the counter's number, or if another
 * event may write to the same page.
 *
 * event->ctx can change meanwhile if the event is a CPU's. The event of a task stays in its
 * context.
 *
 * Context: task, irqs on, may sleep. Caller must hold rb->mutex. Waits for an RCU grace period if
 * it is the second mapped event of a CPU's buffer.
 */
void perf_userpage_begin(struct perf_event *event, struct perf_buffer *rb)
{
	bool user_reads = perf_event_is_user_readable(event);
	struct perf_userpage_beginning beginning = {
		.event	= event,
		.pins	= perf_userpage_needs_task(event),
	};
	struct perf_event_context *pinned = NULL, *ctx;

	/*
	 * An event of a task that is on another CPU is written there. A writer that does not expect
	 * others must end first. Without a CPU all events are of one task's context.
	 */
	if (event->cpu >= 0 && rb->nr_mappings && !rb->user_page_shared) {
		WRITE_ONCE(rb->user_page_shared, true);
		synchronize_rcu();
	}
	if (!user_reads && !rb->nr_mappings && perf_userpage_begin_afar(event, rb))
		return;
	if (beginning.pins)
		pinned = perf_ctx_pin_own(event->hw.target);
	do {
		ctx = READ_ONCE(event->ctx);
		perf_ctx_call(ctx, perf_userpage_begin_locked, &beginning);
		/* Pairs with perf_userpage_moved(). */
		smp_mb();
	} while (ctx != READ_ONCE(event->ctx));
	if (pinned)
		perf_ctx_unpin(pinned);
}

/**
 * perf_userpage_share() - one more mapping of an event whose control page is being updated
 * @event: the event; its mmap_count is not 0
 *
 * The first mapping may have been of another program, which does not pin the context. An
 * event that pins its context is a task's, so it stays in the context.
 *
 * Context: task, irqs on. Caller must hold the mutex of the event's buffer.
 */
void perf_userpage_share(struct perf_event *event)
{
	struct perf_event_context *pinned;

	if (!perf_userpage_needs_task(event) ||
	    READ_ONCE(event->attach_state) & PERF_ATTACH_PINS_CTX)
		return;
	pinned = perf_ctx_pin_own(event->hw.target);
	scoped_guard(raw_spinlock_irqsave, &event->ctx->lock) {
		if (event->attach_state & PERF_ATTACH_CONTEXT)
			perf_ctx_pin_for_event(event);
	}
	if (pinned)
		perf_ctx_unpin(pinned);
}

/* Can the offer of the event's counter depend on the mappings? The counter of a CPU is for all. */
static bool perf_userpage_has_reader(const struct perf_event *event)
{
	return event->mmap_count && event->hw.target && perf_event_is_user_readable(event);
}

/**
 * perf_userpage_remapped() - update the page of a buffer that has one mapping more or less
 * @rb: the buffer
 * @event: the event that was mapped or unmapped; the driver was called for that
 *
 * The counter of a task's event is offered only to the program of that task, see
 * perf_event_page_is_own(). All mappings show one page, to which each mapped event of the buffer
 * writes. So the offers of all of them change if another address space has all mappings now, or
 * none has. Otherwise only @event is written, or many mappings would cost the square of their
 * number. @event is written last.
 *
 * Context: task, irqs on. Caller must hold rb->mutex.
 */
void perf_userpage_remapped(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event *other;

	lockdep_assert_held(&rb->mutex);

	if (rb->shown_mm != rb->only_mm) {
		rb->shown_mm = rb->only_mm;
		list_for_each_entry(other, &rb->events, rb_entry) {
			if (other != event && perf_userpage_has_reader(other))
				perf_userpage_rewrite(other);
			cond_resched();
		}
	}
	if (perf_userpage_has_reader(event))
		perf_userpage_rewrite(event);
}

static void perf_userpage_leave_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_stopped *stopped = arg;

	if (perf_event_stays_in(stopped->event, ctx))
		perf_userpage_stop_locked(ctx, arg);
	/* It has lost its counter, maybe when it was not mapped any more: that wrote no page. */
	else if (READ_ONCE(stopped->event->ctx) == ctx)
		perf_userpage_freeze_moving(stopped->event, stopped->rb, perf_ctx_now(ctx));
}

/**
 * perf_userpage_leave() - an event has no mapping any more, but others of its buffer have
 * @event: the event, detached; perf_event::rb is NULL, and perf_userpage_end() was called
 * @rb: its buffer
 *
 * The page may show the event's counter, which its program may not read any more. So the event is
 * written a last time, without its counter. Then the page shows the event that has been in the
 * buffer for longest, if it is a task's and mapped. Otherwise it shows the next event that is
 * written.
 *
 * event->ctx can change meanwhile if the event is a CPU's.
 *
 * Context: task, irqs on. Caller must hold rb->mutex.
 */
void perf_userpage_leave(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_userpage_stopped stopped = { .event = event, .rb = rb };
	struct perf_event_context *ctx;
	struct perf_event *other;

	lockdep_assert_held(&rb->mutex);

	if (!perf_event_is_user_readable(event))
		return;
	do {
		ctx = READ_ONCE(event->ctx);
		perf_ctx_call(ctx, perf_userpage_leave_locked, &stopped);
		/* Pairs with perf_userpage_moved(). */
		smp_mb();
	} while (ctx != READ_ONCE(event->ctx));
	other = list_first_entry_or_null(&rb->events, struct perf_event, rb_entry);
	if (other && other->mmap_count && other->hw.target)
		perf_userpage_rewrite(other);
}

/**
 * perf_userpage_end() - stop updating the control page: the last mapping of the event goes
 * @event: the event; its mmap_count becomes 0
 *
 * The list of @mapped_entry is protected by ctx->lock alone, so the CPU of the context need not
 * be interrupted. An event that is moved leaves the list.
 *
 * Context: any but NMI. Caller must hold the mutex of the event's buffer.
 */
void perf_userpage_end(struct perf_event *event)
{
	struct perf_event_context *ctx;
	bool done;

	WRITE_ONCE(event->mmap_count, 0);
	/*
	 * Pairs with perf_userpage_moved(): either it does not list the event, or the new context
	 * is seen here.
	 */
	smp_mb();
	do {
		ctx = READ_ONCE(event->ctx);
		guard(raw_spinlock_irqsave)(&ctx->lock);
		done = ctx == event->ctx;
		if (done)
			hlist_del_init(&event->mapped_entry);
	} while (!done);
}
