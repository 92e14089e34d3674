// SPDX-License-Identifier: GPL-2.0
/*
 * Counters created by the kernel: KVM's guest counters, the watchdog, resctrl,
 * breakpoints of ptrace and kgdb.
 *
 * They take the same steps as perf_event_open(2) without the permission checks. They
 * have no file and no owner. The watchdog calls with the CPU hotplug lock held, so
 * cpus_read_lock() must not be taken here. Context: task, but for
 * perf_event_disable() of a breakpoint.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../context/task_ctx.h"
#include "../pmu/pmu.h"
#include "../lifetime/event.h"

/* @since: perf_pmu_moment() from before the event was made */
static int perf_kernel_counter_install(struct perf_event *event,
				       struct task_struct *task, u64 since)
{
	struct perf_event_context *ctx;
	int err;

	err = perf_pmu_claim_exclusive(event);
	if (err)
		return err;
	ctx = perf_ctx_find(task, event->cpu);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);

	scoped_guard(mutex, &ctx->mutex) {
		err = perf_pmu_check_cpu(event, since);
		if (!err)
			err = perf_pmu_check_exclusive(event, ctx);
		if (!err)
			err = perf_ctx_install(ctx, event);
	}
	perf_ctx_put_found(ctx);
	return err;
}

/**
 * perf_event_create_kernel_counter() - create a counter for the kernel
 * @attr: what to count; copied
 * @cpu: CPU, or -1 with a task
 * @task: task, or NULL
 * @callback: called on overflow, in the context of the PMU's interrupt
 * @context: for @callback, as event->overflow_handler_context
 *
 * The counter is enabled unless attr->disabled is set. Caller releases it with
 * perf_event_release_kernel().
 *
 * Return: the event, or ERR_PTR: -ENODEV if the CPU is offline, or if the PMU moves to another
 * CPU meanwhile; -ESRCH if the task is exiting; -EBUSY if an exclusive PMU is in use; -EINVAL; or
 * the error of the PMU.
 */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback, void *context)
{
	struct perf_event_request req = {
		.attr			= attr,
		.cpu			= cpu,
		.task			= task,
		.handler		= callback,
		.handler_context	= context,
	};
	u64 since = perf_pmu_moment();
	struct perf_event *event;
	int err;

	/* these need a group, which a kernel counter cannot have */
	if (attr->aux_output || attr->aux_action)
		return ERR_PTR(-EINVAL);

	event = perf_event_make(&req);
	if (IS_ERR(event))
		return event;

	err = perf_kernel_counter_install(event, task, since);
	if (err) {
		perf_event_free(event);
		return ERR_PTR(err);
	}
	return event;
}
EXPORT_SYMBOL_GPL(perf_event_create_kernel_counter);

/**
 * perf_event_release_kernel() - release a counter
 * @event: what perf_event_create_kernel_counter() returned
 *
 * Return: 0.
 */
int perf_event_release_kernel(struct perf_event *event)
{
	perf_event_close(event);
	return 0;
}
EXPORT_SYMBOL_GPL(perf_event_release_kernel);

/**
 * perf_event_enable() - enable a counter
 * @event: the event
 */
void perf_event_enable(struct perf_event *event)
{
	struct perf_event_context *ctx = perf_ctx_lock_of_event(event);

	perf_event_enable_one(event);
	mutex_unlock(&ctx->mutex);
}
EXPORT_SYMBOL_GPL(perf_event_enable);

/**
 * perf_event_disable() - disable a counter
 * @event: the event
 *
 * Context: task, may sleep. Or, with irqs off, the overflow handler of a breakpoint of current. A
 * breakpoint pins its context, which is on here, so no mutex is needed to keep it there.
 */
void perf_event_disable(struct perf_event *event)
{
	struct perf_event_context *ctx;

	if (event->attr.type == PERF_TYPE_BREAKPOINT && irqs_disabled()) {
		/* another CPU could not be interrupted */
		if (!WARN_ON_ONCE(READ_ONCE(event->ctx->cpu) != smp_processor_id()))
			perf_event_disable_one(event);
		return;
	}
	ctx = perf_ctx_lock_of_event(event);
	perf_event_disable_one(event);
	mutex_unlock(&ctx->mutex);
}
EXPORT_SYMBOL_GPL(perf_event_disable);

/**
 * perf_event_pause() - disable a counter and read its count
 * @event: the event
 * @reset: set the count to 0 afterwards
 *
 * Return: the count, without child events.
 */
u64 perf_event_pause(struct perf_event *event, bool reset)
{
	struct perf_event_context *ctx = perf_ctx_lock_of_event(event);
	u64 count;

	perf_event_disable_one(event);
	count = local64_read(&event->count);
	if (reset)
		local64_set(&event->count, 0);
	mutex_unlock(&ctx->mutex);
	return count;
}
EXPORT_SYMBOL_GPL(perf_event_pause);
