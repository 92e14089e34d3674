// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: events opened in the kernel. See test_open.h.
 *
 * Task context. perf_event_close() undoes each of the functions.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/install.h"
#include "../context/task_ctx.h"
#include "test_open.h"

/**
 * test_try_open() - make an event and put it into its context
 * @req: what to open; the size of its attributes is set
 *
 * Return: the event, or an ERR_PTR() if it is refused.
 */
struct perf_event *test_try_open(const struct perf_event_request *req)
{
	struct perf_event_context *ctx;
	struct perf_event *event;
	int err;

	req->attr->size = sizeof(*req->attr);
	event = perf_event_make(req);
	if (IS_ERR(event))
		return event;
	ctx = perf_ctx_find(req->task, req->cpu);
	if (IS_ERR(ctx)) {
		perf_event_free(event);
		return ERR_CAST(ctx);
	}
	scoped_guard(mutex, &ctx->mutex)
		err = perf_ctx_install(ctx, event);
	perf_ctx_put_found(ctx);
	if (!err)
		return event;
	perf_event_free(event);
	return ERR_PTR(err);
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
