// SPDX-License-Identifier: GPL-2.0
/*
 * Which event writes to which buffer.
 *
 * Owns perf_event::output and perf_event::rb. An event gets its buffer by mmap(2),
 * or shares that of another one (PERF_EVENT_IOC_SET_OUTPUT, PERF_FLAG_FD_OUTPUT),
 * and loses it when it is mapped no more. Owns which events are polled on a buffer.
 * Task context. Locks are in ring_buffer.h.
 */
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "attach.h"
#include "aux.h"

/* pages that are freed in softirq */
#define PERF_RB_FREE_BATCH	256

static void perf_rb_free_work(struct work_struct *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, free_work);

	irq_work_sync(&rb->wake_irq);
	perf_rb_free(rb);
}

/*
 * No writer has it any more, so wake_irq is not queued again. Where irq_work has an
 * interrupt, it does not touch the work after it is busy no longer.
 */
static void perf_rb_free_rcu(struct rcu_head *head)
{
	struct perf_buffer *rb = container_of(head, struct perf_buffer, rcu_head);

	if (rb->nr_pages <= PERF_RB_FREE_BATCH && !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    arch_irq_work_has_interrupt() && !irq_work_is_busy(&rb->wake_irq)) {
		perf_rb_free(rb);
		return;
	}
	INIT_WORK(&rb->free_work, perf_rb_free_work);
	schedule_work(&rb->free_work);
}

/**
 * perf_rb_put() - drop a reference on a buffer
 * @rb: the buffer
 */
void perf_rb_put(struct perf_buffer *rb)
{
	if (refcount_dec_and_test(&rb->refcount))
		call_rcu(&rb->rcu_head, perf_rb_free_rcu);
}

/**
 * perf_rb_get_of_event() - the buffer that an event is attached to
 * @event: the event
 *
 * Return: the buffer, referenced, or NULL. It may be another one by now.
 */
struct perf_buffer *perf_rb_get_of_event(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(rcu)();
	do {
		rb = rcu_dereference(event->output);
	} while (rb && !refcount_inc_not_zero(&rb->refcount));
	return rb;
}

/**
 * perf_rb_lock_of_event() - lock the buffer that an event is attached to
 * @event: the event
 *
 * Return: the buffer, referenced, its mutex held, for perf_rb_unlock(); or NULL.
 */
struct perf_buffer *perf_rb_lock_of_event(struct perf_event *event)
{
	struct perf_buffer *rb;

	for (;;) {
		rb = perf_rb_get_of_event(event);
		if (!rb)
			return NULL;
		mutex_lock(&rb->mutex);
		if (rcu_access_pointer(event->output) == rb)
			return rb;
		perf_rb_unlock(rb);
	}
}

/**
 * perf_rb_unlock() - undo perf_rb_lock_of_event()
 * @rb: what that returned
 */
void perf_rb_unlock(struct perf_buffer *rb)
{
	mutex_unlock(&rb->mutex);
	perf_rb_put(rb);
}

/**
 * perf_rb_attach() - let an event, and all inherited from it, write to a buffer
 * @event: not inherited
 * @rb: the buffer; gets a reference more. Its mutex is held, and it is mapped, or is
 *	going to be before that is unlocked.
 *
 * Return: false, and nothing is done, when the event is attached to a buffer.
 */
bool perf_rb_attach(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	/* pairs with perf_rb_leave() */
	if (cmpxchg(&event->output, NULL, RCU_INITIALIZER(rb)))
		return false;
	refcount_inc(&rb->refcount);
	if (perf_event_has_aux(event))
		rb->aux_pmu = event->pmu;
	scoped_guard(spinlock_irqsave, &rb->events_lock)
		list_add_tail(&event->rb_entry, &rb->events);
	rcu_assign_pointer(event->rb, rb);
	return true;
}

/* The event writes no more, though it stays attached. */
static void perf_rb_mute(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	/* so that its trace is announced in the buffer that it belongs to */
	perf_aux_stop(event, rb);
	RCU_INIT_POINTER(event->rb, NULL);
	/* it may have been started meanwhile */
	perf_aux_stop(event, rb);
}

/* The event goes off the lists of its buffer, to those of @next if that is not NULL. */
static void perf_rb_leave(struct perf_event *event, struct perf_buffer *rb,
			  struct perf_buffer *next)
{
	guard(spinlock_irqsave)(&rb->events_lock);
	list_del(&event->rb_entry);
	list_del_init(&event->poll_entry);
	/* the event may be freed: pairs with perf_event_end_output() */
	smp_store_release(&event->output, RCU_INITIALIZER(next));
}

/**
 * perf_rb_detach() - let an event write to no buffer
 * @event: attached
 * @rb: to that buffer, whose mutex is held; loses a reference
 *
 * Pollers of the event are woken: there will be nothing to read.
 */
void perf_rb_detach(struct perf_event *event, struct perf_buffer *rb)
{
	perf_rb_mute(event, rb);
	scoped_guard(rcu) {
		perf_rb_leave(event, rb, NULL);
		wake_up_all(&event->waitq);
	}
	perf_rb_put(rb);
}

/*
 * From one buffer to another. A writer finds the one or the other. Pollers look again:
 * there may be something to read in the new one already.
 */
static void perf_rb_replace(struct perf_event *event, struct perf_buffer *from,
			    struct perf_buffer *to)
{
	lockdep_assert_held(&from->mutex);
	lockdep_assert_held(&to->mutex);

	refcount_inc(&to->refcount);
	if (perf_event_has_aux(event))
		to->aux_pmu = event->pmu;
	perf_aux_stop(event, from);
	perf_rb_leave(event, from, to);
	scoped_guard(spinlock_irqsave, &to->events_lock)
		list_add_tail(&event->rb_entry, &to->events);
	rcu_assign_pointer(event->rb, to);
	/* a transaction may have been opened meanwhile */
	perf_aux_stop(event, from);
	wake_up_all(&event->waitq);
	perf_rb_put(from);
}

/**
 * perf_rb_move() - an event is about to write from another CPU
 * @event: a CPU's, between two contexts: PERF_ATTACH_MOVING. So are all others that
 *	move along. The mutexes of both contexts are held.
 * @cpu: where it is going to
 *
 * Its buffer goes along. Events that stay behind write no more, and readers of the
 * buffer do not notice. Before an event writes from @cpu, an RCU grace period has to
 * pass.
 */
void perf_rb_move(struct perf_event *event, int cpu)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);
	struct perf_event *other;

	if (!rb)
		return;
	/* one that does not write moves no buffer */
	if (rcu_access_pointer(event->rb) && !list_is_singular(&rb->events) &&
	    rb->cpu != cpu) {
		rb->cpu = cpu;
		list_for_each_entry(other, &rb->events, rb_entry) {
			if (!(READ_ONCE(other->attach_state) & PERF_ATTACH_MOVING))
				perf_rb_mute(other, rb);
		}
	}
	perf_rb_unlock(rb);
}

/*
 * All writers of a buffer have to be on one CPU at any time: ring_buffer.h. Those that
 * are attached are alike, so any of them will do to compare with; but the CPU is that
 * of those that write, which may have moved.
 */
static int perf_output_check(struct perf_event *event, struct perf_buffer *rb)
{
	const struct perf_event *other;

	lockdep_assert_held(&rb->mutex);

	other = list_first_entry(&rb->events, struct perf_event, rb_entry);
	/* alone, it moves without a word, and what others were does not matter any more */
	if (list_is_singular(&rb->events)) {
		rb->cpu = other->cpu;
		if (!READ_ONCE(rb->aux))
			rb->aux_pmu = perf_event_has_aux(other) ? other->pmu : NULL;
	}
	if (event->cpu != rb->cpu)
		return perf_refuse(-EINVAL, "output",
				   "the event is of CPU %d, its output of CPU %d",
				   event->cpu, rb->cpu);
	if (event->cpu < 0 && event->attr.inherit)
		return perf_refuse(-EINVAL, "output",
				   "heirs of the event would write from other CPUs");
	if (event->cpu < 0 && event->hw.target != other->hw.target)
		return perf_refuse(-EINVAL, "output",
				   "events that follow different tasks");
	if (event->clock != other->clock)
		return perf_refuse(-EINVAL, "output", "the clocks differ");
	if (event->attr.write_backward != rb->backward)
		return perf_refuse(-EINVAL, "output",
				   "one is written backward, one forward");
	if (perf_event_has_aux(event) && rb->aux_pmu && rb->aux_pmu != event->pmu)
		return perf_refuse(-EINVAL, "output",
				   "one AUX area cannot serve PMU %s and another one",
				   event->pmu->name);
	return 0;
}

/* -EAGAIN: the event has been attached to another buffer since. */
static int perf_output_change(struct perf_event *event, struct perf_buffer *from,
			      struct perf_buffer *to)
{
	int err;

	if (from && event->mmap_count)
		return perf_refuse(-EINVAL, "output",
				   "the event has a buffer that is mapped");
	/* an event that stayed behind when the others moved may write again if it is there */
	if (from == to && rcu_access_pointer(event->rb))
		return 0;
	err = perf_output_check(event, to);
	if (err)
		return err;
	if (from == to)
		rcu_assign_pointer(event->rb, to);
	else if (from)
		perf_rb_replace(event, from, to);
	else if (!perf_rb_attach(event, to))
		return -EAGAIN;
	if (READ_ONCE(to->aux))
		perf_aux_start(event);
	return 0;
}

/* The lower one first; @from may be NULL, or the same. */
static void perf_rb_lock_two(struct perf_buffer *from, struct perf_buffer *to)
{
	struct perf_buffer *first = from && from < to ? from : to;
	struct perf_buffer *second = first == to ? from : to;

	mutex_lock(&first->mutex);
	if (second && second != first)
		mutex_lock_nested(&second->mutex, SINGLE_DEPTH_NESTING);
}

static int perf_output_try_share(struct perf_event *event, struct perf_event *output)
{
	struct perf_buffer *from = perf_rb_get_of_event(event);
	struct perf_buffer *to = perf_rb_get_of_event(output);
	int err = -EAGAIN;

	if (!to) {
		err = perf_refuse(-EINVAL, "output", "that event has no buffer");
		goto out;
	}
	perf_rb_lock_two(from, to);
	if (rcu_access_pointer(event->output) == from &&
	    rcu_access_pointer(output->output) == to)
		err = perf_output_change(event, from, to);
	if (from && from != to)
		mutex_unlock(&from->mutex);
	mutex_unlock(&to->mutex);
	perf_rb_put(to);
out:
	if (from)
		perf_rb_put(from);
	return err;
}

/* Events that may write where @event does stay on their CPU until this is undone. */
static struct mutex *perf_output_hold_cpu(struct perf_event *event)
{
	struct perf_event_context *ctx;

	if (event->cpu < 0)
		return NULL;
	ctx = &per_cpu(perf_cpu_context, event->cpu).ctx;
	if (event->ctx == ctx)
		return NULL;
	mutex_lock_nested(&ctx->mutex, SINGLE_DEPTH_NESTING);
	return &ctx->mutex;
}

static int perf_output_share(struct perf_event *event, struct perf_event *output)
{
	struct mutex *held = perf_output_hold_cpu(event);
	int err;

	do {
		err = perf_output_try_share(event, output);
	} while (err == -EAGAIN);
	if (held)
		mutex_unlock(held);
	return err;
}

static int perf_output_disconnect(struct perf_event *event)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);
	int err = 0;

	if (!rb)
		return 0;
	if (event->mmap_count)
		err = perf_refuse(-EINVAL, "output",
				  "the event has a buffer that is mapped");
	else
		perf_rb_detach(event, rb);
	perf_rb_unlock(rb);
	return err;
}

/**
 * perf_event_set_output() - share another event's buffer
 * @event: that is to write there; the mutex of its context is held, if it has one
 * @output: whose buffer it is, or NULL: none any more
 *
 * Return: 0, or -EINVAL when it has a buffer that is mapped, or cannot have
 * that of @output.
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *output)
{
	if (!output)
		return perf_output_disconnect(event);
	if (event == output)
		return perf_refuse(-EINVAL, "output", "it is the event itself");
	return perf_output_share(event, output);
}

/**
 * __perf_event_end_output() - perf_event_set_output() to none, when an event is freed
 * @event: nobody can give it a buffer any more, but it may be losing one
 */
void __perf_event_end_output(struct perf_event *event)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);

	if (!rb)
		return;
	perf_rb_detach(event, rb);
	perf_rb_unlock(rb);
}

/**
 * perf_event_pause_output() - lose records for a while
 * @event: whose buffer it is; others that write there are paused as well
 * @pause: or go on
 *
 * Return: 0, or -EINVAL when there is no buffer.
 */
int perf_event_pause_output(struct perf_event *event, bool pause)
{
	struct perf_buffer *rb = perf_rb_get_of_event(event);
	bool has_data = rb && rb->nr_pages;

	if (has_data)
		WRITE_ONCE(rb->paused, pause);
	if (rb)
		perf_rb_put(rb);
	return has_data ? 0 : perf_refuse(-EINVAL, "output", "the event has no buffer");
}

/* From now on pollers of the event are woken; false if it is attached elsewhere. */
static bool perf_rb_expect(struct perf_buffer *rb, struct perf_event *event)
{
	guard(spinlock_irqsave)(&rb->events_lock);
	if (rcu_access_pointer(event->output) != rb)
		return false;
	if (list_empty(&event->poll_entry))
		list_add_tail(&event->poll_entry, &rb->polled);
	return true;
}

/**
 * perf_event_poll_output() - is there something to read in an event's buffer?
 * @event: the event; the caller is on its waitq, if it is going to wait
 *
 * Return: EPOLLIN and the like, once for all that share the buffer; EPOLLHUP without
 * a buffer: there is nothing to read, ever.
 */
__poll_t perf_event_poll_output(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(rcu)();
	do {
		rb = rcu_dereference(event->output);
		if (!rb)
			return EPOLLHUP;
	} while (!perf_rb_expect(rb, event));
	return atomic_xchg(&rb->poll, 0);
}
