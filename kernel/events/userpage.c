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
 * Times include those of children that are gone, as in read(2). The counter's
 * number is given while it counts; the offset is what has to be added to it.
 */
static void perf_userpage_fill(struct perf_event *event,
			       struct perf_event_mmap_page *page)
{
	u64 count = local64_read(&event->count) + atomic64_read(&event->child_count);
	struct perf_event_times times;
	u64 now = perf_time();
	u32 index = 0;

	perf_event_times(event, now, &times);
	if (perf_event_has_counter(event) && event->pmu->event_idx)
		index = event->pmu->event_idx(event);

	page->index = index;
	page->offset = index ? count - local64_read(&event->hw.prev_count) : count;
	page->time_enabled = times.enabled +
			     atomic64_read(&event->child_total_time_enabled);
	page->time_running = times.running +
			     atomic64_read(&event->child_total_time_running);
	arch_perf_update_userpage(event, page, now);
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
	struct perf_event_mmap_page *page;
	struct perf_buffer *rb;

	if (likely(!READ_ONCE(event->mmap_count)))
		return;

	guard(preempt_notrace)();
	rb = rcu_dereference_sched(event->rb);
	if (!rb)
		return;

	page = rb->user_page;
	/* odd while it is being written; pairs with the reader's barriers */
	WRITE_ONCE(page->lock, page->lock + 1);
	barrier();
	perf_userpage_fill(event, page);
	barrier();
	WRITE_ONCE(page->lock, page->lock + 1);
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

struct perf_userpage_following {
	struct perf_event	*event;
	bool			mapped;
	bool			ties;
};

/*
 * A CPU's event need not be brought up to date at switches: its time never
 * stands still. But for one that follows, when its leader ends to count or begins.
 */
static void perf_userpage_follow_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_userpage_following *following = arg;
	struct perf_event *event = following->event;

	hlist_del_init(&event->mapped_entry);
	if (!following->mapped)
		return;
	if ((event->attach_state & PERF_ATTACH_CONTEXT) &&
	    (perf_ctx_is_task(ctx) || perf_event_follows(event)))
		hlist_add_head(&event->mapped_entry, &event->set->mapped);
	if (following->ties && (event->attach_state & PERF_ATTACH_CONTEXT))
		perf_clones_event_ties(event);
	perf_event_update_userpage(event);
}

/**
 * perf_userpage_follow - keep the control page right from now on, or no longer
 * @event: mapped now, or not any more
 * @mapped: which
 *
 * Task context, irqs on. The event's context may be another one by now if it is
 * a CPU's; a task's event keeps it for life.
 */
void perf_userpage_follow(struct perf_event *event, bool mapped)
{
	struct perf_userpage_following following = {
		.event	= event,
		.mapped	= mapped,
		/* what it reads from the counter must be its own */
		.ties	= mapped && event->hw.target == current &&
			  perf_event_user_reads(event),
	};
	struct perf_event_context *ctx = NULL;

	if (following.ties)
		ctx = perf_clones_tie_own(current);
	perf_ctx_call(event->ctx, perf_userpage_follow_locked, &following);
	if (ctx)
		perf_clones_untie(ctx);
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
 * arch_perf_user_reads - the running task has events that it reads, or no longer
 * @wants: which
 *
 * For the architecture to replace, where user space needs leave to read
 * counters. Comes when the context of such a task is switched on, before
 * anything of it is placed, and when it is switched off, after all of it is
 * taken off; also when the first such event of a running task comes, or the
 * last one goes.
 *
 * Context: irqs off, under ctx->lock, on the CPU concerned.
 */
void __weak arch_perf_user_reads(bool wants)
{
}
