// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a simulated CPU and its tasks, whose events share fake PMUs.
 *
 * The contexts belong to the test and are not hooked to tasks. Time is simulated: it advances in
 * steps that end where a time slice ends, and the rotation runs there as if its timer had fired.
 * So a test of ten seconds takes milliseconds, and its result is reproducible. A test runs on one
 * CPU with irqs off and the locks of all contexts held, and evaluates the result after
 * world_unlock().
 */
#include <linux/bitfield.h>
#include <linux/perf_event_test.h>
#include <linux/rbtree.h>
#include <linux/sched/clock.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/times.h"
#include "../context/state.h"
#include "../context/subctx.h"
#include "../sched/fair.h"
#include "../sched/rotate.h"
#include "../sched/sched.h"
#include "../base/event.h"
#include "sched_world.h"

/* the expected count of an event is kept in a member that the fake PMU does not use */
#define world_expected_of(event)	((event)->hw.last_tag)

/* The sub-context of the pmu_ctxs of that index. */
static struct perf_subctx *world_subctx(struct world *w, unsigned int i)
{
	switch (i) {
	case WORLD_CGROUP:
		return &w->cgroup;
	case WORLD_LOCAL:
		return &w->bound;
	default:
		return &w->ctx[i].own;
	}
}

static void world_init_queue(struct world *w, struct world_pmu *pmu, unsigned int i)
{
	struct perf_event_pmu_context *pmu_ctx = &pmu->pmu_ctx[i];
	struct perf_subctx *subctx = world_subctx(w, i);

	pmu_ctx->pmu = &pmu->fake.pmu;
	pmu_ctx->ctx = subctx->ctx;
	pmu_ctx->subctx = subctx;
	perf_sched_init_pmu_ctx(pmu_ctx);
	list_add_tail(&pmu_ctx->subctx_entry, &subctx->pmu_ctx_list);
	subctx->busy = true;
}

static void world_init_ctx(struct world *w, unsigned int i)
{
	struct perf_event_context *ctx = &w->ctx[i];

	raw_spin_lock_init(&ctx->lock);
	perf_subctx_init(&ctx->own, ctx);
	ctx->task = i == WORLD_CPU ? NULL : current;
	ctx->cpu = -1;
}

static int world_init_pmu(struct world *w)
{
	static const char * const names[WORLD_PMUS] = {
		"kunit_world", "kunit_world_2", "kunit_world_3"
	};
	struct world_pmu *pmu = &w->pmus[w->nr_pmus];
	int err;

	pmu->fake.nr_counters = 7;
	pmu->fake.width = 48;
	pmu->fake.any_group = true;
	err = fake_pmu_register(&pmu->fake, names[w->nr_pmus], THIS_MODULE);
	if (err)
		return err;
	pmu->fake.pmu.hrtimer_interval_ms = WORLD_INTERVAL / NSEC_PER_MSEC;
	for (unsigned int i = 0; i < WORLD_QUEUES; i++)
		world_init_queue(w, pmu, i);
	w->nr_pmus++;
	return 0;
}

/**
 * world_init() - init function of the suites
 * @test: the test
 *
 * Return: 0 or an errno.
 */
int world_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;

	if (!w)
		return -ENOMEM;
	test->priv = w;
	w->test = test;
	w->pmu = w->pmus;
	for (i = 0; i < ARRAY_SIZE(w->ctx); i++)
		world_init_ctx(w, i);
	perf_subctx_init(&w->cgroup, &w->ctx[WORLD_CPU]);
	perf_subctx_init(&w->bound, &w->ctx[WORLD_BOUND_TASK]);
	w->bound.enabled = &w->ctx[WORLD_BOUND_TASK].own.clock;
	w->now = NSEC_PER_SEC;
	return world_init_pmu(w);
}

/**
 * world_add_pmu() - let the CPU have one more PMU
 * @w: the world, not locked; it has no groups yet
 *
 * Return: the PMU.
 */
struct world_pmu *world_add_pmu(struct world *w)
{
	KUNIT_ASSERT_LT(w->test, w->nr_pmus, WORLD_PMUS);
	KUNIT_ASSERT_EQ(w->test, world_init_pmu(w), 0);
	return &w->pmus[w->nr_pmus - 1];
}

/**
 * world_add_software_pmu() - let the CPU have one more PMU, for members of groups of the others
 * @w: the world, not locked
 *
 * Return: the PMU, which has no group of its own.
 */
struct world_pmu *world_add_software_pmu(struct world *w)
{
	struct world_pmu *pmu = world_add_pmu(w);

	pmu->fake.pmu.task_ctx_nr = perf_sw_context;
	pmu->fake.software = true;
	pmu->fake.nr_counters = FAKE_MAX_COUNTERS;
	w->software = pmu;
	return pmu;
}

/**
 * world_exit() - exit function of the suites
 * @test: the test
 */
void world_exit(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_pmu *pmu;
	unsigned int i;

	if (!w || !w->nr_pmus)
		return;
	world_lock(w);
	for (i = 0; i < w->nr_groups; i++)
		world_disable(w, w->leaders[i]);
	world_unlock(w);
	world_for_each_pmu(pmu, w)
		fake_pmu_unregister(&pmu->fake);
}

static void world_refill(struct world *w)
{
	perf_sched_fill_cpu(this_perf_cpu(), w->now);
}

static void world_cpu_in(struct world *w)
{
	struct world_pmu *pmu;

	/* a timer that is running already is not started: rotations are simulated */
	world_for_each_pmu(pmu, w)
		pmu->cpc->timer_on = true;
	if (w->elsewhere)
		return;
	w->ctx[WORLD_CPU].cpu = smp_processor_id();
	perf_clock_start(&w->ctx[WORLD_CPU].own.clock, w->now);
	perf_sched_resume_plans(&w->ctx[WORLD_CPU].own, w->now);
	world_refill(w);
}

static void world_cpu_out(struct world *w)
{
	world_switch(w, WORLD_NO_TASK);
	world_cgroup(w, false);
	if (w->elsewhere)
		return;
	perf_sched_suspend_plans(&w->ctx[WORLD_CPU].own, w->now);
	perf_clock_stop(&w->ctx[WORLD_CPU].own.clock, w->now);
	w->ctx[WORLD_CPU].cpu = -1;
}

/**
 * world_lock() - lock this CPU, and schedule the CPU's context of the world in
 * @w: the world
 *
 * The functions below need the lock, unless they say otherwise.
 */
void world_lock(struct world *w)
{
	struct world_pmu *pmu;

	local_irq_disable();
	perf_cpu_lock(this_perf_cpu());
	for (int i = 0; i < ARRAY_SIZE(w->ctx); i++)
		raw_spin_lock_nest_lock(&w->ctx[i].lock, &this_perf_cpu()->ctx.lock);
	world_for_each_pmu(pmu, w) {
		pmu->cpc = this_cpu_ptr(pmu->fake.pmu.cpu_pmu_context);
		pmu->here = this_cpu_ptr(pmu->fake.cpus);
	}
	world_cpu_in(w);
}

/**
 * world_unlock() - schedule everything out, and unlock the CPU
 * @w: the world
 *
 * The test may move to another CPU before the next world_lock().
 */
void world_unlock(struct world *w)
{
	world_cpu_out(w);
	for (int i = 0; i < ARRAY_SIZE(w->ctx); i++)
		raw_spin_unlock(&w->ctx[i].lock);
	perf_cpu_unlock(this_perf_cpu());
	local_irq_enable();
}

/**
 * world_go() - unlock the CPU, go to another one, and lock that
 * @w: the world
 * @cpu: the CPU, which is online
 * @elsewhere: the events of the CPU and of its cgroup stay behind
 */
void world_go(struct world *w, unsigned int cpu, bool elsewhere)
{
	world_unlock(w);
	test_bind(w->test, cpu);
	w->elsewhere = elsewhere;
	world_lock(w);
}

static struct perf_event *world_event(struct world *w,
				      const struct perf_event_pmu_context *pmu_ctx,
				      const struct perf_event_attr *attr)
{
	struct perf_event *event = kunit_kzalloc(w->test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(w->test, event);
	event->attr = *attr;
	event->attr.type = pmu_ctx->pmu->type;
	event->pmu = pmu_ctx->pmu;
	event->clock = local_clock;
	event->oncpu = -1;
	event->cpu = -1;
	event->state = PERF_EVENT_STATE_OFF;
	event->attach_state = PERF_ATTACH_CONTEXT | PERF_ATTACH_GROUP;
	event->ctx = pmu_ctx->ctx;
	event->subctx = pmu_ctx->subctx;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->sched_siblings);
	INIT_LIST_HEAD(&event->group_entry);
	RB_CLEAR_NODE(&event->waiting_node);
	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED;
	return event;
}

static void world_add_sibling(struct world *w, struct perf_event *leader, struct world_pmu *pmu,
			      u64 config)
{
	struct perf_event_attr attr = { .config = config };
	unsigned int queue = leader->pmu_ctx - world_pmu_of(leader)->pmu_ctx;
	struct perf_event *event = world_event(w, &pmu->pmu_ctx[queue], &attr);

	event->group_leader = leader;
	event->state = PERF_EVENT_STATE_INACTIVE;
	event->id = leader->nr_siblings;
	list_add_tail(&event->sibling_list, &leader->sibling_list);
	list_add_tail(&event->group_entry, &leader->sched_siblings);
	leader->nr_siblings++;
}

/**
 * world_join() - let a software member join a group
 * @w: the world, not locked, with a PMU that world_add_software_pmu() made
 * @leader: the leader, disabled
 */
void world_join(struct world *w, struct perf_event *leader)
{
	world_add_sibling(w, leader, w->software, 0);
}

/**
 * world_pmu_group() - make a group whose leader is disabled and whose siblings are enabled
 * @w: the world, not locked
 * @pmu: the PMU of all its events
 * @pmu_ctx: index of the pmu_ctx of the group
 * @size: number of events, including the leader
 * @attr: attributes of the leader; siblings have the same config
 *
 * Return: the leader.
 */
struct perf_event *world_pmu_group(struct world *w, struct world_pmu *pmu, unsigned int pmu_ctx,
				   unsigned int size, const struct perf_event_attr *attr)
{
	struct perf_event *leader = world_event(w, &pmu->pmu_ctx[pmu_ctx], attr);

	leader->pmu_ctx = &pmu->pmu_ctx[pmu_ctx];
	leader->group_pmu = &pmu->fake.pmu;
	while (--size)
		world_add_sibling(w, leader, pmu, attr->config);
	KUNIT_ASSERT_LT(w->test, w->nr_groups, WORLD_MAX_GROUPS);
	w->leaders[w->nr_groups++] = leader;
	return leader;
}

/* The same for the first PMU. */
struct perf_event *world_group(struct world *w, unsigned int pmu_ctx, unsigned int size,
			       const struct perf_event_attr *attr)
{
	return world_pmu_group(w, w->pmu, pmu_ctx, size, attr);
}

/**
 * world_groups() - make single events, which are disabled
 * @w: the world, not locked
 * @pmu_ctx: index of the pmu_ctx of the events
 * @nr: number of events
 */
void world_groups(struct world *w, unsigned int pmu_ctx, unsigned int nr)
{
	static const struct perf_event_attr attr;

	while (nr--)
		world_group(w, pmu_ctx, 1, &attr);
}

static u64 world_now(struct world *w, struct perf_event *event)
{
	return event->ctx->cpu < 0 ? 0 : w->now;
}

void world_enable(struct world *w, struct perf_event *event)
{
	__perf_event_enable(event, world_now(w, event));
}

/* Disable an event. Waiting groups get its counters, as when a program disables it. */
void world_disable(struct world *w, struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_OFF)
		return;
	__perf_event_disable(event, world_now(w, event), PERF_EVENT_STATE_OFF);
	if (event->ctx->cpu >= 0)
		perf_sched_fill_cpu(this_perf_cpu(), w->now);
}

void world_enable_all(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_groups; i++)
		world_enable(w, w->leaders[i]);
}

/* As __perf_ctx_sched_out() does. */
static void world_task_out(struct world *w)
{
	struct perf_event_context *ctx = &w->ctx[w->task];

	if (w->task == WORLD_NO_TASK)
		return;
	if (ctx->local) {
		perf_sched_suspend_plans(ctx->local, w->now);
		perf_clock_stop(&ctx->local->clock, w->now);
		ctx->local = NULL;
	}
	perf_sched_suspend_plans(&ctx->own, w->now);
	perf_clock_stop(&ctx->own.clock, w->now);
	ctx->cpu = -1;
	w->task = WORLD_NO_TASK;
}

/* As __perf_ctx_sched_in() does. */
static void world_task_in(struct world *w, unsigned int task)
{
	struct perf_event_context *ctx = &w->ctx[task];

	w->task = task;
	if (task == WORLD_NO_TASK)
		return;
	ctx->cpu = smp_processor_id();
	perf_clock_start(&ctx->own.clock, w->now);
	perf_sched_resume_plans(&ctx->own, w->now);
	if (task != WORLD_BOUND_TASK || !w->local)
		return;
	ctx->local = &w->bound;
	perf_clock_start(&ctx->local->clock, w->now);
	perf_sched_resume_plans(ctx->local, w->now);
}

static void world_set_cgroup(struct world *w, bool on)
{
	struct perf_clock *clock = &w->cgroup.clock;

	if (clock->on == on)
		return;
	if (on) {
		perf_clock_start(clock, w->now);
		perf_sched_resume_plans(&w->cgroup, w->now);
		return;
	}
	perf_sched_suspend_plans(&w->cgroup, w->now);
	perf_clock_stop(clock, w->now);
}

/**
 * world_switch_to() - perform a context switch, with the steps of perf_switch_out() and
 * perf_switch_in()
 * @w: the world
 * @task: index of the next task, or WORLD_NO_TASK
 * @cgroup: the next task is in the cgroup
 */
void world_switch_to(struct world *w, unsigned int task, bool cgroup)
{
	world_task_out(w);
	world_set_cgroup(w, cgroup);
	world_task_in(w, task);
	world_refill(w);
}

/**
 * world_switch() - perform a context switch to a task that is in the cgroup if the last one was
 * @w: the world
 * @task: index of the next task, or WORLD_NO_TASK
 */
void world_switch(struct world *w, unsigned int task)
{
	world_switch_to(w, task, w->cgroup.clock.on);
}

/**
 * world_cgroup() - schedule the cgroup's sub-context in or out: the running task has been moved
 * @w: the world
 * @on: true for in, false for out; does nothing if that is the state already
 */
void world_cgroup(struct world *w, bool on)
{
	world_set_cgroup(w, on);
	world_refill(w);
}

/**
 * world_offline() - let the CPU go offline, and come back without a task
 * @w: the world
 */
void world_offline(struct world *w)
{
	struct world_pmu *pmu;

	world_cpu_out(w);
	/* it does not wait here: the timer is not queued in a world */
	world_for_each_pmu(pmu, w)
		perf_sched_cpu_gone(pmu->cpc);
	world_cpu_in(w);
}

/* The interval of a PMU has changed. The timer is started anew in time, and does not fire here. */
static void world_shorten(struct world *w, struct world_pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = pmu->cpc;
	u64 rest;

	cpc->timer_at = w->now + NSEC_PER_SEC;
	__perf_rotate_shorten(cpc, w->now);
	rest = perf_rotate_rest(cpc, w->now);
	if (rest != U64_MAX && (rest > perf_slice_max(cpc->pmu) || cpc->timer_at != w->now + rest))
		w->fault = w->fault ?: "the timer was not started anew";
	hrtimer_try_to_cancel(&cpc->timer);
	cpc->timer_at = 0;
	cpc->timer_on = true;
}

/**
 * world_set_interval() - set the multiplexing interval of all PMUs, as perf_event_mux_interval_ms
 * does
 * @w: the world
 * @ms: the interval
 */
void world_set_interval(struct world *w, unsigned int ms)
{
	struct world_pmu *pmu;

	world_for_each_pmu(pmu, w) {
		pmu->fake.pmu.hrtimer_interval_ms = ms;
		world_shorten(w, pmu);
	}
}

static void world_advance(struct world *w, u64 ns)
{
	w->now += ns;
	for (unsigned int i = 0; w->counted && i < w->nr_groups; i++) {
		if (w->leaders[i]->oncpu >= 0)
			w->counted[i] += ns;
	}
}

/* The PMU that rotates next, after @rest; NULL, and U64_MAX, if none does. */
static struct world_pmu *world_next_to_rotate(struct world *w, u64 *rest)
{
	struct world_pmu *pmu, *next = NULL;
	u64 of_pmu;

	*rest = U64_MAX;
	world_for_each_pmu(pmu, w) {
		of_pmu = perf_rotate_rest(pmu->cpc, w->now);
		if (of_pmu >= *rest)
			continue;
		next = pmu;
		*rest = of_pmu;
	}
	return next;
}

/**
 * world_pass() - advance the time, with a rotation of a PMU at the end of each of its time slices
 * @w: the world
 * @ns: time in ns
 */
void world_pass(struct world *w, u64 ns)
{
	u64 end = w->now + ns, rest;
	struct world_pmu *pmu;

	for (;;) {
		pmu = world_next_to_rotate(w, &rest);
		if (!pmu || rest > end - w->now)
			break;
		world_advance(w, rest);
		pmu->nr_rotations++;
		perf_rotate(pmu->cpc, w->now);
	}
	world_advance(w, end - w->now);
}

/**
 * world_poke() - generate occurrences that all events with a counter count
 * @w: the world
 * @count: number of occurrences
 */
void world_poke(struct world *w, u64 count)
{
	struct world_pmu *pmu;

	world_for_each_pmu(pmu, w) {
		for (int i = 0; i < FAKE_MAX_COUNTERS; i++) {
			if (pmu->here->events[i])
				world_expected_of(pmu->here->events[i]) += count;
		}
		fake_pmu_interrupt(pmu->here, count, NULL);
	}
}

/* Is there an enabled member without a counter if @on, or with a counter if not? */
static bool world_is_split(struct perf_event *leader, bool on)
{
	struct perf_event *event;

	perf_group_for_each(event, leader) {
		if (event->state == PERF_EVENT_STATE_OFF)
			continue;
		if (on ? event->oncpu < 0 : event->oncpu >= 0)
			return true;
	}
	return false;
}

static const char *world_check_event(struct perf_event *event)
{
	const struct fake_cpu *here = world_pmu_of(event)->here;
	unsigned long mask = FIELD_GET(FAKE_MASK, event->attr.config);
	int idx = event->hw.idx;

	if (idx < 0)
		return event->oncpu < 0 ? NULL : "the driver has not added it";
	if (event->oncpu < 0)
		return "the driver has it, the core has not";
	if (here->events[idx] != event)
		return "a counter was given to two";
	if (mask && !(mask & BIT(idx)))
		return "a counter that the event does not fit on";
	return NULL;
}

/* Siblings are read in the order of opening. On the list for scheduling enabled ones are first. */
static const char *world_check_order(struct perf_event *leader)
{
	unsigned int enabled = 0, first = 0;
	struct perf_event *event;
	u64 id = 0;

	list_for_each_entry(event, &leader->sibling_list, sibling_list) {
		if (event->id != id++)
			return "siblings are read in another order";
		enabled += event->state >= PERF_EVENT_STATE_INACTIVE;
	}
	perf_group_for_each_enabled(event, leader)
		first += event != leader;
	return enabled == first ? NULL : "a disabled sibling comes before an enabled one";
}

static const char *world_check_group(struct perf_event *leader)
{
	bool on = leader->oncpu >= 0;
	struct perf_event *event;
	const char *fault;

	fault = world_check_order(leader);
	if (fault)
		return fault;
	if (world_is_split(leader, on))
		return "a group was split";
	if (on && !leader->subctx->clock.on)
		return "a group counts where its task does not run";
	if (!on && leader->attr.pinned && leader->subctx->clock.on &&
	    leader->state >= PERF_EVENT_STATE_INACTIVE)
		return "a pinned group is neither on nor in error";
	perf_group_for_each(event, leader) {
		fault = world_check_event(event);
		if (fault)
			return fault;
	}
	return NULL;
}

/* The number of events that have counters of a PMU. */
static unsigned int world_nr_added(struct world *w, const struct world_pmu *pmu)
{
	struct perf_event *event;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < w->nr_groups; i++) {
		perf_group_for_each(event, w->leaders[i])
			nr += world_pmu_of(event) == pmu && event->hw.idx >= 0;
	}
	return nr;
}

/* The events that have counters need one value in the shared register. */
static const char *world_check_shared(const struct fake_cpu *here)
{
	u64 value, shared = 0;

	for (unsigned int i = 0; i < FAKE_MAX_COUNTERS; i++) {
		if (!here->events[i])
			continue;
		value = FIELD_GET(FAKE_SHARED, here->events[i]->attr.config);
		if (value && shared && value != shared)
			return "events with two values of the shared register have counters";
		shared = value ?: shared;
	}
	return NULL;
}

/* @used: what the groups of each pmu_ctx use. */
static const char *world_check_used(const struct world_pmu *pmu, const int *used)
{
	int of_side[PERF_SIDES] = {};

	for (unsigned int i = 0; i < WORLD_QUEUES; i++) {
		const struct perf_event_pmu_context *pmu_ctx = &pmu->pmu_ctx[i];

		if (used[i] != pmu_ctx->nr_used)
			return "counters of a pmu_ctx were not counted right";
		if (perf_pmu_ctx_is_on(pmu_ctx))
			of_side[perf_pmu_ctx_side(pmu_ctx)] += used[i];
	}
	if (of_side[PERF_SIDE_CPU] != pmu->cpc->used[PERF_SIDE_CPU] ||
	    of_side[PERF_SIDE_TASK] != pmu->cpc->used[PERF_SIDE_TASK])
		return "counters of a side were not counted right";
	return NULL;
}

static const char *world_check_pmu(struct world *w, struct world_pmu *pmu)
{
	unsigned int i, placed = 0, waiting = 0;
	const char *fault = NULL;
	int used[WORLD_QUEUES] = {};

	for (i = 0; i < w->nr_groups && !fault; i++) {
		struct perf_event *leader = w->leaders[i];

		if (world_pmu_of(leader) != pmu)
			continue;
		fault = world_check_group(leader);
		placed += leader->oncpu >= 0;
		waiting += leader->subctx->clock.on &&
			   !RB_EMPTY_NODE(&leader->waiting_node);
		if (fault || leader->attr.pinned)
			continue;
		used[leader->pmu_ctx - pmu->pmu_ctx] += leader->nr_used;
		if (leader->nr_used != (leader->state == PERF_EVENT_STATE_ACTIVE ?
					perf_fair_group_size(leader) : 0))
			fault = "the size of a group was not noted";
	}
	fault = fault ?: world_check_used(pmu, used) ?: world_check_shared(pmu->here);
	if (!fault && world_nr_added(w, pmu) != hweight_long(pmu->here->used))
		fault = "a counter in use has no event";
	if (!fault && (placed != pmu->cpc->nr_scheduled || waiting != pmu->cpc->nr_waiting))
		fault = "groups were not counted right";
	if (!fault && pmu->here->nr_faults)
		fault = "the driver was called against its rules";
	return fault;
}

/**
 * world_check() - check the rules that hold at any time
 * @w: the world
 *
 * @w->fault keeps the first fault.
 */
void world_check(struct world *w)
{
	struct world_pmu *pmu;

	world_for_each_pmu(pmu, w)
		w->fault = w->fault ?: world_check_pmu(w, pmu);
}

/**
 * world_pmu_work() - count the calls of a PMU since the last call of this function
 * @pmu: the PMU
 *
 * Return: the numbers of calls.
 */
struct world_work world_pmu_work(struct world_pmu *pmu)
{
	struct fake_cpu *here = pmu->here;
	struct world_work work = {
		.adds		= here->nr_adds,
		.dels		= here->nr_dels,
		.misfits	= here->nr_misfits,
		.batches	= here->nr_batches,
	};

	here->nr_adds = 0;
	here->nr_dels = 0;
	here->nr_misfits = 0;
	here->nr_batches = 0;
	return work;
}

/* The same for the first PMU. */
struct world_work world_work(struct world *w)
{
	return world_pmu_work(w->pmu);
}

u64 world_running(struct world *w, struct perf_event *event)
{
	struct perf_event_times times;

	perf_event_times(event, world_now(w, event), &times);
	if (times.running > times.enabled)
		w->fault = w->fault ?: "running for longer than enabled";
	return times.running;
}

u64 world_expected(struct perf_event *event)
{
	return world_expected_of(event);
}

u64 world_count(struct perf_event *event)
{
	if (perf_event_needs_read(event))
		event->pmu->read(event);
	return local64_read(&event->count);
}

/**
 * world_spread() - compare the shares of groups
 * @w: the world
 * @from: index of the first group
 * @to: index of the last group, plus one
 *
 * Return: the longest time_running divided by the shortest, in permille; U64_MAX if a group has
 * not run at all.
 */
u64 world_spread(struct world *w, unsigned int from, unsigned int to)
{
	u64 least = U64_MAX, most = 0, running;

	for (; from < to; from++) {
		running = world_running(w, w->leaders[from]);
		least = min(least, running);
		most = max(most, running);
	}
	return least ? div64_u64(most * 1000, least) : U64_MAX;
}

/**
 * world_since_now() - note for how long each group has run
 * @w: the world
 */
void world_since_now(struct world *w)
{
	for (unsigned int i = 0; i < w->nr_groups; i++)
		w->since[i] = world_running(w, w->leaders[i]);
}

/**
 * world_share_for() - let the groups that are enabled share the PMUs
 * @w: the world
 * @ms: for so long, ms; world_since_now() is called before
 */
void world_share_for(struct world *w, u64 ms)
{
	world_since_now(w);
	world_pass(w, ms * NSEC_PER_MSEC);
	world_check(w);
}

/**
 * world_ran_together() - get the sum of what groups ran since world_since_now()
 * @w: the world
 * @from: index of the first group
 * @to: index of the last group, plus one
 *
 * Return: ms.
 */
u64 world_ran_together(struct world *w, unsigned int from, unsigned int to)
{
	u64 sum = 0;

	for (; from < to; from++)
		sum += world_running(w, w->leaders[from]) - w->since[from];
	return div_u64(sum, NSEC_PER_MSEC);
}

/**
 * world_expect_ran() - check for how long groups ran since world_since_now(), or at all
 * @w: the world
 * @from: index of the first group
 * @to: index of the last group, plus one
 * @least_ms: the shortest time, ms
 * @most_ms: the longest time, ms
 */
void world_expect_ran(struct world *w, unsigned int from, unsigned int to,
		      u64 least_ms, u64 most_ms)
{
	struct kunit *test = w->test;
	u64 ran;

	for (unsigned int i = from; i < to; i++) {
		ran = world_running(w, w->leaders[i]) - w->since[i];
		KUNIT_EXPECT_GE_MSG(test, ran, least_ms * NSEC_PER_MSEC, "group %u", i);
		KUNIT_EXPECT_LE_MSG(test, ran, most_ms * NSEC_PER_MSEC, "group %u", i);
	}
}

void world_expect_sound(struct world *w)
{
	KUNIT_EXPECT_TRUE_MSG(w->test, !w->fault, "%s", w->fault);
}
