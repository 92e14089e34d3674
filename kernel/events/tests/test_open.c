// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: events opened in the kernel. See test_open.h.
 *
 * Task context. perf_event_close() undoes each of the functions that open or install an event.
 */
#include <linux/cgroup.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../buffer/attach.h"
#include "../context/cgroup.h"
#include "../context/install.h"
#include "../context/task_ctx.h"
#include "../sideband/sideband.h"
#ifdef CONFIG_EVENT_TRACING
#include "../../trace/trace.h"
#endif
#include "test_open.h"

/**
 * test_install() - put an event into its context
 * @event: the event; freed on an error
 * @req: as it was made
 *
 * Return: 0, or an errno if it is refused.
 */
int test_install(struct perf_event *event, const struct perf_event_request *req)
{
	struct perf_event_context *ctx = perf_ctx_find(req->task, req->cpu);
	int err;

	if (IS_ERR(ctx)) {
		perf_event_free(event);
		return PTR_ERR(ctx);
	}
	scoped_guard(mutex, &ctx->mutex)
		err = perf_ctx_install(ctx, event);
	perf_ctx_put_found(ctx);
	if (err)
		perf_event_free(event);
	return err;
}

/**
 * test_try_open() - make an event and put it into its context
 * @req: what to open; the size of its attributes is set
 *
 * Return: the event, or an ERR_PTR() if it is refused.
 */
struct perf_event *test_try_open(const struct perf_event_request *req)
{
	struct perf_event *event;
	int err;

	req->attr->size = sizeof(*req->attr);
	event = perf_event_make(req);
	if (IS_ERR(event))
		return event;
	err = test_install(event, req);
	return err ? ERR_PTR(err) : event;
}

/**
 * test_open() - open an event, and end the test if it is refused
 * @test: the test
 * @req: what to open; the size of its attributes is set
 *
 * Return: the event.
 */
struct perf_event *test_open(struct kunit *test, const struct perf_event_request *req)
{
	struct perf_event *event = test_try_open(req);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "refused: %ld", PTR_ERR(event));
	return event;
}

/**
 * test_open_own() - open an event of current on any CPU, and end the test if it is refused
 * @test: the test
 * @leader: leader of the group to join, or NULL
 * @attr: attributes
 *
 * Return: the event.
 */
struct perf_event *test_open_own(struct kunit *test, struct perf_event *leader,
				 struct perf_event_attr attr)
{
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= -1,
		.task	= current,
		.leader	= leader,
	};

	return test_open(test, &req);
}

#ifdef CONFIG_CGROUP_PERF
/**
 * test_own_cgroup() - the cgroup of the test's thread
 *
 * All threads of the kernel are in this cgroup, and all tasks of the machine are in it or below it.
 *
 * Return: the cgroup, which stays valid as long as the test.
 */
struct perf_cgroup *test_own_cgroup(void)
{
	guard(rcu)();
	return container_of(task_css_check(current, perf_event_cgrp_id, true),
			    struct perf_cgroup, css);
}

/**
 * test_try_open_of_cgroup() - make an event of a cgroup and put it into its context
 * @cgrp: the cgroup
 * @req: what to open; the size of its attributes is set
 *
 * Return: the event, or an ERR_PTR() if it is refused.
 */
struct perf_event *test_try_open_of_cgroup(struct perf_cgroup *cgrp,
					   const struct perf_event_request *req)
{
	struct perf_event *event;
	int err;

	req->attr->size = sizeof(*req->attr);
	event = perf_event_make(req);
	if (IS_ERR(event))
		return event;
	/* as perf_cgroup_connect() does it for a descriptor */
	css_get(&cgrp->css);
	event->cgrp = cgrp;
	perf_switch_key_inc();
	err = test_install(event, req);
	return err ? ERR_PTR(err) : event;
}

/**
 * test_open_of_cgroup() - open an event of a cgroup, and end the test if it is refused
 * @test: the test
 * @cgrp: the cgroup
 * @req: what to open; the size of its attributes is set
 *
 * Return: the event.
 */
struct perf_event *test_open_of_cgroup(struct kunit *test, struct perf_cgroup *cgrp,
				       const struct perf_event_request *req)
{
	struct perf_event *event = test_try_open_of_cgroup(cgrp, req);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "refused: %ld", PTR_ERR(event));
	return event;
}
#endif

#ifdef CONFIG_EVENT_TRACING
/**
 * test_tracepoint() - find a tracepoint
 * @name: its name
 *
 * Return: the tracepoint, or NULL.
 */
struct trace_event_call *test_tracepoint(const char *name)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(trace_event_name(call), name))
			return call;
	}
	return NULL;
}
#endif

/**
 * test_buffer() - make a buffer, and attach an event to it
 * @test: the test, which ends if there is no memory
 * @event: the event
 * @nr_pages: number of data pages; 0 or a power of two
 *
 * Return: the buffer. The caller's reference, to be released by perf_rb_put(), stands for the
 * reference of a mapping.
 */
struct perf_buffer *test_buffer(struct kunit *test, struct perf_event *event, int nr_pages)
{
	struct perf_buffer *rb = perf_rb_alloc(nr_pages, -1);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	scoped_guard(mutex, &rb->mutex)
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(event, rb));
	return rb;
}

struct test_record {
	struct perf_sideband	record;
	const struct perf_event	*listener;
	unsigned int		nr;
};

/* The shape() callback, which is called for each listener, with or without a buffer. */
static void test_count_record(const struct perf_event *event, struct perf_sideband *copy,
			      const struct perf_sideband *record)
{
	struct test_record *r = container_of(record, struct test_record, record);

	r->nr += event == r->listener;
}

static void test_emit_here(void *record)
{
	perf_sideband_emit(record);
}

/**
 * test_nr_records() - let something occur on a CPU, and count the records of it for one event
 * @listener: the event; it may be closed, and must get no record then
 * @cpu: the CPU; if the test runs on it, the events of its thread may get the record, too
 * @kind: kind of record
 *
 * Other events that listen there get a record without content.
 *
 * Return: the number, 1 if the event listens there.
 */
unsigned int test_nr_records(const struct perf_event *listener, int cpu,
			     enum perf_sideband_kind kind)
{
	struct test_record r = {
		.record		= { .kind = kind, .shape = test_count_record },
		.listener	= listener,
	};

	smp_call_function_single(cpu, test_emit_here, &r.record, true);
	return r.nr;
}

/**
 * test_ticks_in() - check whether an event is on a sub-context's list of those in frequency mode
 * @event: the event
 * @subctx: the sub-context
 *
 * Return: true if it is.
 */
bool test_ticks_in(struct perf_event *event, struct perf_subctx *subctx)
{
	struct perf_event *other;

	guard(raw_spinlock_irqsave)(&subctx->ctx->lock);
	list_for_each_entry(other, &subctx->freq_events, freq_entry) {
		if (other == event)
			return true;
	}
	return false;
}

struct test_look {
	struct perf_event	*event;
	struct test_times	times;
};

static void test_look_here(void *arg)
{
	struct test_look *look = arg;
	struct perf_event_times times;

	look->times.now = perf_time();
	perf_event_times(look->event, look->times.now, &times);
	look->times.enabled = times.enabled;
	look->times.running = times.running;
}

/**
 * test_times() - read the times of an event of a CPU, and its clock, at the same moment
 * @event: the event
 *
 * Return: the times.
 */
struct test_times test_times(struct perf_event *event)
{
	struct test_look look = { .event = event };

	smp_call_function_single(event->cpu, test_look_here, &look, true);
	return look.times;
}

/* Enough that times which do not go on are wrong. */
#define TEST_LATER_NS	(100 * NSEC_PER_USEC)

/**
 * test_times_later() - like test_times(), when the CPU's clock has gone on for some time
 * @event: the event
 *
 * Return: the times.
 */
struct test_times test_times_later(struct perf_event *event)
{
	struct test_times times = test_times(event);
	u64 until = times.now + TEST_LATER_NS;

	/* not if the CPU is offline */
	while (times.now && (s64)(times.now - until) < 0)
		times = test_times(event);
	return times;
}
