/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: events opened in the kernel as perf_event_open(2) does it, but for its checks.
 */
#ifndef _KERNEL_EVENTS_TEST_OPEN_H
#define _KERNEL_EVENTS_TEST_OPEN_H

#include <kunit/test.h>

#include "../base/event.h"

struct perf_event *test_try_open(const struct perf_event_request *req);
struct perf_event *test_open(struct kunit *test, const struct perf_event_request *req);
struct perf_event *test_open_own(struct kunit *test, struct perf_event *leader,
				 struct perf_event_attr attr);

#endif /* _KERNEL_EVENTS_TEST_OPEN_H */
