// SPDX-License-Identifier: GPL-2.0
/*
 * Which event writes to which buffer.
 *
 * This file has perf_event::output and perf_event::rb. An event gets its buffer by mmap(2), or
 * shares another event's buffer (PERF_EVENT_IOC_SET_OUTPUT, PERF_FLAG_FD_OUTPUT). It loses the
 * buffer when its last mapping goes. The list of polled events of a buffer is here as well.
 * Locking and lifetime rules are in ring_buffer.h.
 *
 * Context: task.
 */
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/rcupdate.h>

#include "../base/contexts.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "../output/wake.h"
#include "attach.h"
#include "aux_stop.h"
#include "userpage_mmap.h"

static void perf_rb_free_work(struct work_struct *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, free_work);

	perf_wake_sync(&rb->wake_polled);
	perf_rb_free(rb);
}

/*
 * RCU callback: no writer can find the buffer, so wake_polled is not requested again. The buffer
 * must not be freed while wake_polled uses it. Where irq_work has an interrupt, it does not touch
 * the work once that is not busy any more, so the buffer can be freed here. Else a work item waits
 * for it.
 */
static void perf_rb_free_rcu(struct rcu_head *head)
{
	struct perf_buffer *rb = container_of(head, struct perf_buffer, rcu_head);

	if (rb->nr_pages <= PERF_RB_FREE_BATCH && !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    arch_irq_work_has_interrupt() && !perf_wake_is_busy(&rb->wake_polled)) {
		perf_rb_free(rb);
		return;
	}
	INIT_WORK(&rb->free_work, perf_rb_free_work);
	schedule_work(&rb->free_work);
}

/**
 * perf_rb_put() - drop a reference to a buffer
 * @rb: the buffer; freed a grace period after the last reference
 *
 * Context: any but NMI.
 */
void perf_rb_put(struct perf_buffer *rb)
{
	if (refcount_dec_and_test(&rb->refcount))
		call_rcu(&rb->rcu_head, perf_rb_free_rcu);
}

/**
 * perf_rb_get_of_event() - get the buffer that an event is attached to
 * @event: the event
 *
 * Context: any but NMI.
 * Return: the buffer, referenced, or NULL. The event may be attached to another buffer on
 * return.
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
 * Context: task, may sleep.
 * Return: the buffer, referenced and with its mutex held, for perf_rb_unlock(); or NULL.
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
 * @rb: the buffer that perf_rb_lock_of_event() returned
 */
void perf_rb_unlock(struct perf_buffer *rb)
{
	mutex_unlock(&rb->mutex);
	perf_rb_put(rb);
}

/* An attached event begins to write. */
static void perf_rb_let_write(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	rb->nr_writers++;
	rcu_assign_pointer(event->rb, rb);
}

/* One event less writes. It may be in the middle of a record, on its CPU. */
static void perf_rb_end_write(struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	rb->nr_writers--;
	rb->left = get_state_synchronize_rcu();
}

/**
 * perf_rb_attach() - attach an event to a buffer
 * @event: an event that is not inherited; its child events write to the buffer as well
 * @rb: the buffer, mapped, or to be mapped before its mutex is unlocked; gains a reference
 *
 * Context: Caller must hold rb->mutex.
 * Return: true; false without any change if the event is attached to a buffer already.
 */
bool perf_rb_attach(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	/* Pairs with perf_rb_leave(). */
	if (cmpxchg(&event->output, NULL, RCU_INITIALIZER(rb)))
		return false;
	refcount_inc(&rb->refcount);
	if (perf_event_has_aux(event))
		rb->aux_pmu = event->pmu;
	scoped_guard(spinlock_irqsave, &rb->events_lock)
		list_add_tail(&event->rb_entry, &rb->events);
	perf_rb_let_write(event, rb);
	return true;
}

/* Stop an event from writing. It stays attached to the buffer. */
static void perf_rb_mute(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	/* End an open transaction while its AUX record can be written to this buffer. */
	perf_aux_stop(event, rb);
	if (rcu_access_pointer(event->rb)) {
		RCU_INIT_POINTER(event->rb, NULL);
		perf_rb_end_write(rb);
		/* only if the buffer moves: an event that is detached is not mapped */
		if (event->mmap_count)
			perf_userpage_stop(event, rb);
	}
	/* The trace source may have been started before perf_event::rb was cleared. */
	perf_aux_stop(event, rb);
}

/* Remove an event from the lists of its buffer and set its output to @next, NULL for none. */
static void perf_rb_leave(struct perf_event *event, struct perf_buffer *rb,
			  struct perf_buffer *next)
{
	guard(spinlock_irqsave)(&rb->events_lock);
	list_del(&event->rb_entry);
	list_del_init(&event->poll_entry);
	/*
	 * After this store the event may be freed if @next is NULL. Pairs with
	 * perf_event_end_output().
	 */
	smp_store_release(&event->output, RCU_INITIALIZER(next));
}

/**
 * perf_rb_detach() - detach an event from its buffer
 * @event: the event, attached to @rb
 * @rb: the buffer; loses a reference
 *
 * Wakes the pollers of the event, because there is nothing to read any more.
 *
 * Context: task, irqs on. Caller must hold rb->mutex and another reference.
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
 * Attach an event to another buffer. Writers find either the old or the new one. Pollers are
 * woken, because the new buffer may have data already.
 */
static void perf_rb_replace(struct perf_event *event, struct perf_buffer *from,
			    struct perf_buffer *to)
{
	bool wrote;

	lockdep_assert_held(&from->mutex);
	lockdep_assert_held(&to->mutex);

	refcount_inc(&to->refcount);
	if (perf_event_has_aux(event))
		to->aux_pmu = event->pmu;
	perf_aux_stop(event, from);
	perf_rb_leave(event, from, to);
	scoped_guard(spinlock_irqsave, &to->events_lock)
		list_add_tail(&event->rb_entry, &to->events);
	wrote = rcu_access_pointer(event->rb);
	perf_rb_let_write(event, to);
	if (wrote)
		perf_rb_end_write(from);
	/* A transaction may have been opened since the first call. */
	perf_aux_stop(event, from);
	wake_up_all(&event->waitq);
	perf_rb_put(from);
}

/**
 * perf_rb_move() - move an event's buffer to another CPU
 * @event: a CPU event that has left its old context and not joined the new one; it and all
 *	events that move with it have PERF_ATTACH_MOVING set
 * @cpu: the new CPU
 *
 * Events that stay behind stop writing, also to the control page.
 *
 * Context: task. Caller must hold the mutexes of both contexts. An RCU grace period must pass
 * before an event writes from @cpu, and before perf_rb_moved().
 */
void perf_rb_move(struct perf_event *event, int cpu)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);
	struct perf_event *other;

	if (!rb)
		return;
	/* An event that does not write does not move the buffer. */
	if (rcu_access_pointer(event->rb) && !list_is_singular(&rb->events) &&
	    rb->cpu != cpu) {
		rb->cpu = cpu;
		rb->moved = true;
		list_for_each_entry(other, &rb->events, rb_entry) {
			if (!(READ_ONCE(other->attach_state) & PERF_ATTACH_MOVING))
				perf_rb_mute(other, rb);
			cond_resched();
		}
	}
	perf_rb_unlock(rb);
}

/* No event writes to the buffer, or the only one has moved: events of @cpu may write. */
static void perf_rb_set_cpu(struct perf_buffer *rb, int cpu)
{
	lockdep_assert_held(&rb->mutex);

	if (rb->cpu == cpu)
		return;
	/* the last one may be in the middle of a record, on another CPU */
	cond_synchronize_rcu(rb->left);
	rb->cpu = cpu;
	if (!rb->nr_writers)
		rb->moved = true;
}

/* Let an attached event write again if it is on the CPU of the buffer, where all others write. */
static void perf_rb_unmute(struct perf_event *event, struct perf_buffer *rb, int cpu)
{
	lockdep_assert_held(&rb->mutex);

	if (rb->cpu != cpu || rcu_access_pointer(event->rb))
		return;
	perf_rb_let_write(event, rb);
	if (READ_ONCE(rb->aux))
		perf_aux_start(event);
}

/*
 * Let all events write that are on the CPU of the buffer. Caller must hold the mutex of that CPU's
 * context, so that no event comes there or leaves.
 */
static void perf_rb_unmute_all(struct perf_buffer *rb)
{
	struct perf_event *event;

	rb->moved = false;
	list_for_each_entry(event, &rb->events, rb_entry) {
		cond_resched();
		if (READ_ONCE(event->cpu) != rb->cpu)
			continue;
		perf_rb_unmute(event, rb, rb->cpu);
		/* perf_userpage_moved() writes the page of an event that moves */
		if (event->mmap_count)
			perf_userpage_rewrite(event);
	}
}

/**
 * perf_rb_moved() - let events write that are on the CPU of their buffer again
 * @event: a CPU event for which perf_rb_move() was called; it has not joined its new context yet
 * @cpu: the new CPU
 *
 * @event may have stayed behind when its buffer moved to @cpu before. If @event has taken the
 * buffer along, other events may be on @cpu that had stayed behind there. A buffer to which no
 * event writes goes where @event goes.
 *
 * Context: task. Caller must hold the mutexes of both contexts. An RCU grace period must have
 * passed since perf_rb_move(), so that no event writes from the old CPU any more.
 */
void perf_rb_moved(struct perf_event *event, int cpu)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);

	if (!rb)
		return;
	if (!rb->nr_writers)
		perf_rb_set_cpu(rb, cpu);
	perf_rb_unmute(event, rb, cpu);
	if (rb->moved && rb->cpu == cpu)
		perf_rb_unmute_all(rb);
	perf_rb_unlock(rb);
}

static bool perf_rb_has_event_of(struct perf_buffer *rb, int cpu)
{
	struct perf_event *event;

	list_for_each_entry(event, &rb->events, rb_entry) {
		if (READ_ONCE(event->cpu) == cpu)
			return true;
		cond_resched();
	}
	return false;
}

/*
 * Bring rb->cpu and rb->aux_pmu up to date before an event of @cpu is compared with them. They are
 * not kept so while only one event is attached, and may stem from events that have left. If no
 * attached event writes, the buffer is of any CPU of theirs.
 */
static void perf_rb_refresh(struct perf_buffer *rb, int cpu)
{
	const struct perf_event *first;

	lockdep_assert_held(&rb->mutex);

	if (list_is_singular(&rb->events)) {
		first = list_first_entry(&rb->events, struct perf_event, rb_entry);
		perf_rb_set_cpu(rb, first->cpu);
		if (!READ_ONCE(rb->aux))
			rb->aux_pmu = perf_event_has_aux(first) ? first->pmu : NULL;
	} else if (!rb->nr_writers && perf_rb_has_event_of(rb, cpu)) {
		perf_rb_set_cpu(rb, cpu);
	}
}

/*
 * All writers of a buffer must be on one CPU at any time, see ring_buffer.h. The attached
 * events are alike in what is compared here, so the new event is compared with the first one.
 * The CPU is an exception: the writing events may have moved, so rb->cpu is compared.
 * Caller must have called perf_rb_refresh().
 */
static int perf_output_check(const struct perf_event *event, const struct perf_buffer *rb)
{
	const struct perf_event *other;

	lockdep_assert_held(&rb->mutex);

	other = list_first_entry(&rb->events, struct perf_event, rb_entry);
	if (event->cpu != rb->cpu)
		return perf_refuse(-EINVAL, "output",
				   "the event is of CPU %d, its output of CPU %d",
				   event->cpu, rb->cpu);
	if (event->cpu < 0 && event->attr.inherit)
		return perf_refuse(-EINVAL, "output",
				   "child events would write from other CPUs");
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

/* Return: 0, -EINVAL, or -EAGAIN if the event has been attached to another buffer meanwhile. */
static int perf_output_change(struct perf_event *event, struct perf_buffer *from,
			      struct perf_buffer *to)
{
	int err;

	if (from && event->mmap_count)
		return perf_refuse(-EINVAL, "output",
				   "the event has a buffer that is mapped");
	/* An event that stayed behind when the buffer moved may write again if its CPU matches. */
	if (from == to && rcu_access_pointer(event->rb))
		return 0;
	perf_rb_refresh(to, event->cpu);
	err = perf_output_check(event, to);
	if (err)
		return err;
	/* So may others that are on this CPU, if none writes from another one. */
	if (!to->nr_writers)
		perf_rb_unmute_all(to);
	if (from == to) {
		perf_rb_unmute(event, to, event->cpu);
		return 0;
	}
	if (from)
		perf_rb_replace(event, from, to);
	else if (!perf_rb_attach(event, to))
		return -EAGAIN;
	if (READ_ONCE(to->aux))
		perf_aux_start(event);
	return 0;
}

/* Lock the buffer at the lower address first. @from may be NULL or equal to @to. */
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

/*
 * Keep CPU events from moving: lock the context of @event's CPU, unless it is @event's own,
 * which is locked already.
 *
 * Return: the mutex to be unlocked, or NULL.
 */
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
 * perf_event_set_output() - redirect an event to another event's buffer
 * @event: the event to be redirected
 * @output: the event that has the buffer, or NULL to detach @event
 *
 * Context: task, may sleep. Caller must hold the mutex of @event's context, if it has one.
 * Return: 0, or -EINVAL if @event's buffer is mapped, or it cannot use the buffer of @output.
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *output)
{
	struct mutex *held;
	int err;

	if (!output)
		return perf_output_disconnect(event);
	if (event == output)
		return perf_refuse(-EINVAL, "output", "it is the event itself");

	held = perf_output_hold_cpu(event);
	do {
		err = perf_output_try_share(event, output);
	} while (err == -EAGAIN);
	if (held)
		mutex_unlock(held);
	return err;
}

/**
 * __perf_event_end_output() - detach an event that is being freed
 * @event: the event; no buffer can be attached any more, but one may be being detached
 *
 * Context: task, may sleep.
 */
void __perf_event_end_output(struct perf_event *event)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);

	if (!rb)
		return;
	perf_rb_detach(event, rb);
	perf_rb_unlock(rb);
}

/*
 * A reader pauses the buffers of all CPUs one after the other, and loses records meanwhile. So this
 * is short. But it interrupts all CPUs, which is not for everyone to do.
 */
static void perf_rb_wait_for_writers(void)
{
	if (perfmon_capable())
		synchronize_rcu_expedited();
	else
		synchronize_rcu();
}

/**
 * perf_event_pause_output() - pause or resume an event's buffer
 * @event: the event; other events that write to the buffer are affected as well
 * @pause: true to lose records from now on, false to write them again
 *
 * No record is being written to an overwritten buffer any more on return, so that a reader can read
 * it. Where nothing is overwritten, a reader finds no unfinished records anyway.
 *
 * Context: task, may sleep. Caller must not hold the mutex of a context.
 * Return: 0, or -EINVAL if there is no buffer with data pages.
 */
int perf_event_pause_output(struct perf_event *event, bool pause)
{
	struct perf_buffer *rb = perf_rb_get_of_event(event);
	bool has_data = rb && rb->nr_pages;

	if (has_data)
		WRITE_ONCE(rb->paused, pause);
	if (has_data && pause && rb->overwrite)
		perf_rb_wait_for_writers();
	if (rb)
		perf_rb_put(rb);
	return has_data ? 0 : perf_refuse(-EINVAL, "output", "the event has no buffer");
}

/*
 * Put the event on the list of polled events, so that the next wakeup wakes its pollers.
 * Return: false if the event is not attached to @rb any more.
 */
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
 * perf_event_poll_output() - poll(2): is there something to read in an event's buffer?
 * @event: the event; a caller that is going to sleep must be on its waitq
 *
 * Context: task.
 * Return: EPOLLIN | EPOLLRDNORM for the first poll after a wakeup, of all events that share the
 * buffer, else 0; EPOLLHUP if there is no buffer, and so never anything to read.
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
