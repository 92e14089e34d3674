/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: events opened in the kernel as perf_event_open(2) does it, but for its checks. Their
 * buffers, their times, and a list on which they are.
 */
#ifndef _KERNEL_EVENTS_TEST_OPEN_H
#define _KERNEL_EVENTS_TEST_OPEN_H

#include <kunit/test.h>

#include "../lifetime/event.h"
#include "../sideband/sideband.h"

struct perf_cgroup;
struct trace_event_call;

/**
 * struct test_times - the times of an event at one moment
 * @now: perf_time() of the CPU of the event
 * @enabled: time_enabled
 * @running: time_running
 */
struct test_times {
	u64	now;
	u64	enabled;
	u64	running;
};

int test_install(struct perf_event *event, const struct perf_event_request *req);
struct perf_event *test_try_open(const struct perf_event_request *req);
struct perf_event *test_open(struct kunit *test, const struct perf_event_request *req);
struct perf_event *test_open_own(struct kunit *test, struct perf_event *leader,
				 struct perf_event_attr attr);
struct perf_cgroup *test_own_cgroup(void);
struct perf_event *test_try_open_of_cgroup(struct perf_cgroup *cgrp,
					   const struct perf_event_request *req);
struct perf_event *test_open_of_cgroup(struct kunit *test, struct perf_cgroup *cgrp,
				       const struct perf_event_request *req);
struct trace_event_call *test_tracepoint(const char *name);
struct perf_buffer *test_buffer(struct kunit *test, struct perf_event *event, int nr_pages);
unsigned int test_nr_records(const struct perf_event *listener, int cpu,
			     enum perf_sideband_kind kind);
bool test_ticks_in(struct perf_event *event, struct perf_subctx *subctx);
struct test_times test_times(struct perf_event *event);
struct test_times test_times_later(struct perf_event *event);

#endif /* _KERNEL_EVENTS_TEST_OPEN_H */
