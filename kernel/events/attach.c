// SPDX-License-Identifier: GPL-2.0
/*
 * Which event writes to which buffer.
 *
 * Owns perf_event::rb. An event gets its buffer by mmap(2), or shares that of
 * another one (PERF_EVENT_IOC_SET_OUTPUT, PERF_FLAG_FD_OUTPUT), and loses it
 * when nobody maps it any more. Task context.
 */
#include <linux/perf_event.h>

#include "aux.h"
#include "event.h"
#include "refusal.h"
#include "ring_buffer.h"

/* which event writes where, see ring_buffer.h */
DEFINE_MUTEX(perf_buffer_mutex);

static void perf_rb_free_rcu(struct rcu_head *head)
{
	perf_rb_free(container_of(head, struct perf_buffer, rcu_head));
}

/**
 * perf_rb_put - drop a reference on a buffer
 * @rb: the buffer
 */
void perf_rb_put(struct perf_buffer *rb)
{
	if (refcount_dec_and_test(&rb->refcount))
		call_rcu(&rb->rcu_head, perf_rb_free_rcu);
}

/**
 * perf_rb_attach - let an event, and all inherited from it, write to a buffer
 * @event: without a buffer, not inherited; perf_buffer_mutex is held
 * @rb: the buffer; gets a reference more
 */
void perf_rb_attach(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&perf_buffer_mutex);

	refcount_inc(&rb->refcount);
	scoped_guard(spinlock_irqsave, &rb->events_lock)
		list_add_tail(&event->rb_entry, &rb->events);
	rcu_assign_pointer(event->rb, rb);
}

/**
 * perf_rb_detach - let an event write to no buffer
 * @event: perf_buffer_mutex is held; nothing happens if it has none
 *
 * Who waits for the event is woken: there will be nothing to read.
 */
void perf_rb_detach(struct perf_event *event)
{
	struct perf_buffer *rb;

	rb = rcu_dereference_protected(event->rb,
				       lockdep_is_held(&perf_buffer_mutex));
	if (!rb)
		return;
	/* so that its trace is told of in the buffer that it belongs to */
	perf_aux_stop(event, rb);
	rcu_assign_pointer(event->rb, NULL);
	/* it may have been started meanwhile */
	perf_aux_stop(event, rb);
	wake_up_all(&event->waitq);
	/* the event may be freed from here on: pairs with perf_event_end_output() */
	scoped_guard(spinlock_irqsave, &rb->events_lock)
		list_del_init_careful(&event->rb_entry);
	perf_rb_put(rb);
}

/* All writers of a buffer have to be on one CPU at any time: ring_buffer.h. */
static int perf_output_check(struct perf_event *event, struct perf_event *output)
{
	if (event == output)
		return perf_refuse(-EINVAL, "output", "it is the event itself");
	if (event->cpu != output->cpu)
		return perf_refuse(-EINVAL, "output",
				   "the event is of CPU %d, its output of CPU %d",
				   event->cpu, output->cpu);
	if (event->cpu < 0 && event->attr.inherit)
		return perf_refuse(-EINVAL, "output",
				   "heirs of the event would write from other CPUs");
	if (event->cpu < 0 && event->hw.target != output->hw.target)
		return perf_refuse(-EINVAL, "output",
				   "events that follow different tasks");
	if (event->clock != output->clock)
		return perf_refuse(-EINVAL, "output", "the clocks differ");
	if (event->attr.write_backward != output->attr.write_backward)
		return perf_refuse(-EINVAL, "output",
				   "one is written backward, one forward");
	if (event->pmu->setup_aux && output->pmu->setup_aux &&
	    event->pmu != output->pmu)
		return perf_refuse(-EINVAL, "output",
				   "one AUX area cannot serve PMUs %s and %s",
				   event->pmu->name, output->pmu->name);
	return 0;
}

static int perf_output_change(struct perf_event *event, struct perf_event *output)
{
	struct perf_buffer *rb = NULL;

	lockdep_assert_held(&perf_buffer_mutex);

	if (event->mmap_count)
		return perf_refuse(-EINVAL, "output",
				   "the event has a buffer that is mapped");
	if (output) {
		rb = rcu_dereference_protected(output->rb, true);
		if (!rb)
			return perf_refuse(-EINVAL, "output",
					   "that event has no buffer");
	}
	if (rcu_access_pointer(event->rb) == rb)
		return 0;
	perf_rb_detach(event);
	if (!rb)
		return 0;
	perf_rb_attach(event, rb);
	if (READ_ONCE(rb->aux))
		perf_aux_start(event);
	return 0;
}

/**
 * perf_event_set_output - share another event's buffer
 * @event: that is to write there
 * @output: whose buffer it is, or NULL: none any more
 *
 * Return: 0, or -EINVAL when it has a buffer that is mapped, or cannot have
 * that of @output.
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *output)
{
	int err = output ? perf_output_check(event, output) : 0;

	if (err)
		return err;
	guard(mutex)(&perf_buffer_mutex);
	return perf_output_change(event, output);
}

/**
 * __perf_event_end_output - perf_event_set_output() to none, when an event is freed
 * @event: nobody can give it a buffer any more, but it may be losing one
 */
void __perf_event_end_output(struct perf_event *event)
{
	guard(mutex)(&perf_buffer_mutex);
	perf_rb_detach(event);
}

/**
 * perf_event_pause_output - lose records for a while
 * @event: whose buffer it is; others that write there are paused as well
 * @pause: or go on
 *
 * Return: 0, or -EINVAL when there is no buffer.
 */
int perf_event_pause_output(struct perf_event *event, bool pause)
{
	struct perf_buffer *rb;

	guard(mutex)(&perf_buffer_mutex);
	rb = rcu_dereference_protected(event->rb, true);
	if (!rb || !rb->nr_pages)
		return perf_refuse(-EINVAL, "output", "the event has no buffer");
	WRITE_ONCE(rb->paused, pause);
	return 0;
}
