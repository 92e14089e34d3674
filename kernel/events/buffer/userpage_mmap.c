// SPDX-License-Identifier: GPL-2.0
/*
 * The control page of an event that is mapped, unmapped, or moved to another CPU.
 *
 * What stands in the page is written by output/userpage.c.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/ring_buffer.h"
#include "../output/userpage.h"
#include "../context/ctx_swap.h"
#include "../context/context.h"
#include "userpage_mmap.h"

/**
 * perf_userpage_init() - fill in what does not change
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

static bool perf_subctx_has_room_for_page(const struct perf_subctx *subctx)
{
	struct hlist_node *node;
	unsigned int nr = 0;

	hlist_for_each(node, &subctx->mapped)
		nr++;
	return nr < PERF_USERPAGE_TIMED;
}

/* Its sub-context has one timed page more, unless it has as many as there may be. */
static void perf_userpage_list(struct perf_event *event)
{
	hlist_del_init(&event->mapped_entry);
	if (perf_subctx_has_room_for_page(event->subctx))
		perf_subctx_add_mapped(event->subctx, event);
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
 * perf_userpage_moved() - an event is about to go on in another CPU's context
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
	bool			pins;
};

static void perf_userpage_begin_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_beginning *beginning = arg;
	struct perf_event *event = beginning->event;

	perf_userpage_follow(ctx, event);
	if (beginning->pins && (event->attach_state & PERF_ATTACH_CONTEXT))
		perf_ctx_swap_event_pins(event);
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
 * perf_userpage_begin() - keep the control page right from now on: the event is mapped
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
		.pins	= user_reads && event->hw.target == current,
	};
	struct perf_event_context *pinned = NULL, *ctx;

	if (!user_reads && !rb->nr_mappings && perf_userpage_begin_afar(event, rb))
		return;
	if (beginning.pins)
		pinned = perf_ctx_pin_own(current);
	do {
		ctx = READ_ONCE(event->ctx);
		perf_ctx_call(ctx, perf_userpage_begin_locked, &beginning);
		/* pairs with perf_userpage_moved() */
		smp_mb();
	} while (ctx != READ_ONCE(event->ctx));
	if (pinned)
		perf_ctx_unpin(pinned);
}

/**
 * perf_userpage_end() - the event is mapped no longer
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
