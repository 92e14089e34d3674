// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroup events.
 *
 * The events of a cgroup on a CPU are a sub-context of that CPU's context. Its condition is
 * that a task of the cgroup, or of one below it, runs. A switch
 * between two tasks schedules out the sub-contexts of cgroups that only the first task is in,
 * and schedules in the ones of cgroups that only the second task is in. The cost depends on the
 * depth of the two cgroups and on what is counted in them. A CPU without cgroup events skips
 * this at a switch.
 *
 * Locking: perf_cpu_lock(), irqs off. perf_cpu_context::cgrp holds no reference, so it is
 * only compared. It is used only while the CPU has cgroup sub-contexts: then each switch
 * updates it.
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/perf_refusal.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../sched/sched.h"
#include "../sideband/sideband.h"
#include "cgroup.h"
#include "ctx_call.h"
#include "subctx_sched.h"

static struct perf_cgroup *perf_cgroup_of_css(struct cgroup_subsys_state *css)
{
	return container_of(css, struct perf_cgroup, css);
}

/* irqs off: an RCU read side */
static struct perf_cgroup *perf_cgroup_of_task(struct task_struct *task)
{
	return perf_cgroup_of_css(task_css_check(task, perf_event_cgrp_id, true));
}

/**
 * perf_cgroup_connect() - bind an event to a cgroup
 * @event: an event that is being made
 * @fd: descriptor of the cgroup's directory
 *
 * Return: 0 or -EBADF, -ENOENT when the cgroup is being removed.
 */
int perf_cgroup_connect(struct perf_event *event, int fd)
{
	struct cgroup_subsys_state *css;

	CLASS(fd, dir)(fd);
	if (!fd_file(dir))
		return perf_refuse(-EBADF, "pid", "cgroup descriptor %d is not open", fd);

	css = css_tryget_online_from_dir(fd_file(dir)->f_path.dentry,
					 &perf_event_cgrp_subsys);
	if (IS_ERR(css))
		return perf_refuse(PTR_ERR(css), "pid",
				   "descriptor %d is not a cgroup's directory", fd);

	event->cgrp = perf_cgroup_of_css(css);
	perf_switch_key_inc();
	return 0;
}

/**
 * __perf_cgroup_disconnect() - undo perf_cgroup_connect()
 * @event: a cgroup's, being freed
 */
void __perf_cgroup_disconnect(struct perf_event *event)
{
	perf_switch_key_dec();
	css_put(&event->cgrp->css);
	event->cgrp = NULL;
}

/**
 * perf_cgroup_subctx_init() - a sub-context for an event's cgroup
 * @subctx: the sub-context
 * @event: its first event
 */
void perf_cgroup_subctx_init(struct perf_subctx *subctx, struct perf_event *event)
{
	subctx->cgrp = event->cgrp;
	css_get(&subctx->cgrp->css);
}

/**
 * perf_cgroup_subctx_exit() - undo perf_cgroup_subctx_init()
 * @subctx: the sub-context, scheduled out
 */
void perf_cgroup_subctx_exit(struct perf_subctx *subctx)
{
	if (subctx->cgrp)
		css_put(&subctx->cgrp->css);
}

static struct perf_cpu_context *perf_cgroup_subctx_cpu(struct perf_subctx *subctx)
{
	return container_of(subctx->ctx, struct perf_cpu_context, ctx);
}

/* @inner is @outer or below it */
static bool perf_cgroup_contains(struct perf_cgroup *outer, struct perf_cgroup *inner)
{
	return cgroup_is_descendant(inner->css.cgroup, outer->css.cgroup);
}

static void perf_cgroup_leave(struct perf_cpu_context *cpuctx,
			      struct perf_cgroup *next, u64 now)
{
	struct perf_subctx **link = &cpuctx->cgroup_subctxs;
	struct perf_subctx *subctx;

	while ((subctx = *link)) {
		if (perf_cgroup_contains(subctx->cgrp, next)) {
			link = &subctx->chain;
			continue;
		}
		/* subctx->chain is kept: an NMI may be walking the list at this sub-context */
		WRITE_ONCE(*link, subctx->chain);
		perf_subctx_sched_out(subctx, now);
	}
}

static void perf_cgroup_enter(struct perf_cpu_context *cpuctx,
			      struct perf_cgroup *next, u64 now)
{
	struct cgroup_subsys_state *css;
	struct perf_subctx *subctx;

	for (css = &next->css; css; css = css->parent) {
		subctx = xa_load(&cpuctx->ctx.subctxs, css->id);
		if (!subctx || subctx->clock.on)
			continue;
		perf_subctx_sched_in(subctx, now);
		WRITE_ONCE(subctx->chain, cpuctx->cgroup_subctxs);
		WRITE_ONCE(cpuctx->cgroup_subctxs, subctx);
	}
}

static u64 perf_cgroup_switch_locked(struct perf_cpu_context *cpuctx, struct perf_cgroup *next)
{
	u64 now = perf_time();

	cpuctx->cgrp = next;
	perf_cgroup_leave(cpuctx, next, now);
	perf_cgroup_enter(cpuctx, next, now);
	return now;
}

/**
 * perf_cgroup_switch() - current has changed, or its cgroup
 * @cpuctx: this CPU's; irqs off, maybe under the rq lock
 * @task: current
 *
 * Return: the perf_time() of it, with which the caller must call perf_sched_refill() if that is
 * due; 0 if the cgroup is the same.
 */
u64 perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *task)
{
	struct perf_cgroup *next = perf_cgroup_of_task(task);
	u64 now;

	if (next == cpuctx->cgrp)
		return 0;
	perf_cpu_lock(cpuctx);
	now = perf_cgroup_switch_locked(cpuctx, next);
	perf_cpu_unlock(cpuctx);
	return now;
}

static void perf_cgroup_subctx_add_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_cpu_context *cpuctx = perf_cgroup_subctx_cpu(arg);
	u64 now;

	cpuctx->nr_cgroup_subctxs++;
	now = perf_cgroup_switch_locked(cpuctx, perf_cgroup_of_task(current));
	perf_sched_fill_cpu(cpuctx, now);
}

/**
 * perf_cgroup_subctx_add() - let the switch see a new sub-context
 * @subctx: on ctx->subctxs; the mutex of its context is held
 */
void perf_cgroup_subctx_add(struct perf_subctx *subctx)
{
	perf_ctx_call(subctx->ctx, perf_cgroup_subctx_add_locked, subctx);
}

static void perf_cgroup_subctx_retire_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_subctx *subctx = arg;
	struct perf_cpu_context *cpuctx = perf_cgroup_subctx_cpu(subctx);
	struct perf_subctx **link;

	for (link = &cpuctx->cgroup_subctxs; *link; link = &(*link)->chain) {
		if (*link == subctx) {
			WRITE_ONCE(*link, subctx->chain);
			perf_subctx_sched_out(subctx, perf_time());
			break;
		}
	}
	if (!--cpuctx->nr_cgroup_subctxs)
		cpuctx->cgrp = NULL;
}

/**
 * perf_cgroup_subctx_retire() - undo perf_cgroup_subctx_add()
 * @subctx: without events, freed next; the mutex of its context is held
 */
void perf_cgroup_subctx_retire(struct perf_subctx *subctx)
{
	/* a switch must not find the sub-context any more once it is scheduled out below */
	xa_erase(&subctx->ctx->subctxs, subctx->cgrp->css.id);
	perf_ctx_call(subctx->ctx, perf_cgroup_subctx_retire_locked, subctx);
}

/* The running task may be in another cgroup than at its switch-in. */
static void perf_cgroup_look(struct irq_work *unused)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	u64 now;

	if (!cpuctx->nr_cgroup_subctxs)
		return;
	now = perf_cgroup_switch(cpuctx, current);
	if (perf_sched_refill_is_due(cpuctx))
		perf_sched_refill(cpuctx, now ?: perf_time());
}

static DEFINE_PER_CPU(struct irq_work, perf_cgroup_work) = IRQ_WORK_INIT_HARD(perf_cgroup_look);

/*
 * Each CPU where a task of the set runs compares its task's cgroup once. All forks and exits of
 * the machine need the caller's locks, so this function must not wait for another CPU. A task that
 * runs on another CPU counts in its new cgroup as soon as this CPU takes the interrupt. A task that
 * moves itself counts there on return.
 *
 * Context: task. Caller must hold cgroup_mutex and cpus_read_lock().
 */
static void perf_cgroup_attach(struct cgroup_taskset *tset)
{
	/* cgroup_mutex protects it */
	static struct cpumask cpus;
	struct cgroup_subsys_state *css;
	struct task_struct *task;
	int cpu;

	if (!static_branch_unlikely(&perf_switch_key.key))
		return;
	/*
	 * A task that does not run there any more gets its new cgroup at its switch-in. The new
	 * cgroup must be visible before the task's CPU is read. Pairs with the barrier of the
	 * scheduler between the change of the task's CPU and the switch-in.
	 */
	smp_mb();
	cpumask_clear(&cpus);
	cgroup_taskset_for_each(task, css, tset)
		cpumask_set_cpu(task_cpu(task), &cpus);

	guard(preempt)();
	for_each_cpu_and(cpu, &cpus, cpu_online_mask) {
		if (cpu == smp_processor_id()) {
			guard(irqsave)();
			perf_cgroup_look(NULL);
		} else {
			irq_work_queue_on(per_cpu_ptr(&perf_cgroup_work, cpu), cpu);
		}
	}
}

static struct cgroup_subsys_state *
perf_cgroup_css_alloc(struct cgroup_subsys_state *parent)
{
	struct perf_cgroup *cgrp = kzalloc(sizeof(*cgrp), GFP_KERNEL);

	return cgrp ? &cgrp->css : ERR_PTR(-ENOMEM);
}

static int perf_cgroup_css_online(struct cgroup_subsys_state *css)
{
	perf_sideband_cgroup(css->cgroup);
	return 0;
}

static void perf_cgroup_css_free(struct cgroup_subsys_state *css)
{
	kfree(perf_cgroup_of_css(css));
}

struct cgroup_subsys perf_event_cgrp_subsys = {
	.css_alloc	= perf_cgroup_css_alloc,
	.css_online	= perf_cgroup_css_online,
	.css_free	= perf_cgroup_css_free,
	.attach		= perf_cgroup_attach,
	/* on the unified hierarchy without being enabled, and for threads */
	.implicit_on_dfl = true,
	.threaded	= true,
};
