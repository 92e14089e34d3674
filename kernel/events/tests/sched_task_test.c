// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: pmu::sched_task() at context switches, and the data of tasks, pmu::task_ctx_cache.
 *
 * Threads that are bound to one CPU are woken in turn. Each call of sched_task() checks that
 * calls for a task alternate, that the events of the task have been added, and that the data
 * belongs to the task. The tests count calls. Other threads of the machine may switch in between.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/ctx_family.h"
#include "../context/ctx_swap.h"
#include "../context/task_data.h"
#include "../sched/cpu_pmu.h"
#include "../sched/sched_task.h"
#include "test_cpu.h"
#include "test_open.h"

#define WORKERS		2
#define ROUNDS		8
#define MAX_EVENTS	4

/* attr.config */
#define ASKS		1	/* add() requests calls */
#define HAS_DATA	2	/* the event has PERF_ATTACH_TASK_DATA */

/* The driver's data of a task. */
struct task_mark {
	struct task_struct	*owner;
	unsigned int		users;
	u64			ballast[16];
};

/**
 * struct worker - a thread that runs when it is woken
 * @task: the thread, referenced
 * @go: lets it run once, or exit
 * @ran: it has run
 * @leave: it exits
 * @ins: calls of sched_task() when it begins to run
 * @outs: calls of sched_task() when it stops running
 * @with_data: number of these calls with data
 * @data: data of the last call
 */
struct worker {
	struct task_struct	*task;
	struct completion	go;
	struct completion	ran;
	bool			leave;
	unsigned int		ins;
	unsigned int		outs;
	unsigned int		with_data;
	struct task_mark	*data;
};

/**
 * struct switch_test - one test
 * @pmu: the PMU
 * @cpu: CPU of all threads
 * @worker: the threads
 * @events: open events
 * @nr_events: number of @events
 * @nr_added: number of events between add() and del() on @cpu
 * @swaps: calls of swap_task_ctx()
 * @fault: the first call against the rules, or NULL
 */
struct switch_test {
	struct pmu		pmu;
	int			cpu;
	struct worker		worker[WORKERS];
	struct perf_event	*events[MAX_EVENTS];
	unsigned int		nr_events;
	unsigned int		nr_added;
	unsigned int		swaps;
	const char		*fault;
};

static struct switch_test *switch_test;

static struct worker *worker_of(const struct task_struct *task)
{
	for (int i = 0; i < WORKERS; i++) {
		if (switch_test->worker[i].task == task)
			return &switch_test->worker[i];
	}
	return NULL;
}

static void note_fault(const char *fault)
{
	if (!switch_test->fault)
		switch_test->fault = fault;
}

static int mark_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config & HAS_DATA)
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	else if (event->attr.config & ASKS)
		event->attach_state |= PERF_ATTACH_SCHED_CB;
	return 0;
}

static struct task_mark *mark_of(struct perf_event *event)
{
	return event->attr.config & HAS_DATA ? perf_event_task_data(event) : NULL;
}

static int mark_add(struct perf_event *event, int flags)
{
	struct task_mark *mark = mark_of(event);

	if (mark)
		mark->users++;
	if (event->attr.config & ASKS)
		perf_sched_cb_inc(event->pmu);
	switch_test->nr_added++;
	return 0;
}

static void mark_del(struct perf_event *event, int flags)
{
	struct task_mark *mark = mark_of(event);

	if (mark)
		mark->users--;
	if (event->attr.config & ASKS)
		perf_sched_cb_dec(event->pmu);
	switch_test->nr_added--;
}

static void mark_op(struct perf_event *event, int flags)
{
}

static void mark_read(struct perf_event *event)
{
}

static void mark_enable(struct pmu *pmu)
{
}

static void check_mark(struct task_mark *mark, struct task_struct *task)
{
	if (!mark)
		return;
	if (!mark->users)
		note_fault("no event of the task has been added");
	if (!mark->owner)
		mark->owner = task;
	else if (mark->owner != task)
		note_fault("data of another task");
}

static void mark_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			    bool sched_in)
{
	struct task_mark *mark = perf_pmu_ctx_task_data(pmu_ctx);
	struct worker *worker = worker_of(task);

	if (task != current || pmu_ctx->pmu != &switch_test->pmu)
		note_fault("another task or PMU");
	if (!switch_test->nr_added)
		note_fault("no event has been added");
	check_mark(mark, task);
	if (!worker)
		return;
	if (sched_in ? worker->ins != worker->outs : worker->ins != worker->outs + 1)
		note_fault("in and out do not alternate");
	worker->with_data += !!mark;
	worker->data = mark;
	if (sched_in)
		worker->ins++;
	else
		worker->outs++;
}

/* The number of users describes the context. */
static void mark_swap(struct perf_event_pmu_context *prev, struct perf_event_pmu_context *next)
{
	struct task_mark *a = perf_pmu_ctx_task_data(prev), *b = perf_pmu_ctx_task_data(next);

	swap(a->users, b->users);
	switch_test->swaps++;
}

static int worker_run(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		wait_for_completion(&worker->go);
		if (READ_ONCE(worker->leave))
			kthread_complete_and_exit(&worker->ran, 0);
		complete(&worker->ran);
	}
}

/* Wake a worker, and wait until it has run and is switched out again. */
static void run_once(struct worker *worker)
{
	complete(&worker->go);
	wait_for_completion(&worker->ran);
	/* fails while the worker is preempted before it sleeps */
	while (!wait_task_inactive(worker->task, TASK_UNINTERRUPTIBLE))
		schedule_timeout_uninterruptible(1);
}

static void run_workers(struct switch_test *st, unsigned int rounds)
{
	while (rounds--) {
		for (int i = 0; i < WORKERS; i++)
			run_once(&st->worker[i]);
	}
}

static void forget_calls(struct switch_test *st)
{
	for (int i = 0; i < WORKERS; i++) {
		st->worker[i].ins = 0;
		st->worker[i].outs = 0;
		st->worker[i].with_data = 0;
	}
}

static void start_worker(struct kunit *test, int i)
{
	struct switch_test *st = test->priv;
	struct task_struct *task;

	task = kthread_create(worker_run, &st->worker[i], "kunit_worker/%d", i);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, st->cpu);
	st->worker[i].task = get_task_struct(task);
	wake_up_process(task);
}

/* Fork a worker, which inherits the events of current. */
static void fork_worker(struct kunit *test, int i)
{
	struct switch_test *st = test->priv;
	pid_t pid = kernel_thread(worker_run, &st->worker[i], "kunit_child", SIGCHLD);

	KUNIT_ASSERT_GT(test, pid, 0);
	scoped_guard(rcu)
		st->worker[i].task = get_task_struct(find_task_by_pid_ns(pid, &init_pid_ns));
}

static struct perf_event *open_mark(struct kunit *test, struct task_struct *task, int cpu,
				    u64 config)
{
	struct switch_test *st = test->priv;
	struct perf_event_attr attr = {
		.type		= st->pmu.type,
		.config		= config,
		.inherit	= task == current,
	};
	struct perf_event_request req = { .attr = &attr, .cpu = cpu, .task = task };

	KUNIT_ASSERT_LT(test, st->nr_events, MAX_EVENTS);
	st->events[st->nr_events] = test_open(test, &req);
	return st->events[st->nr_events++];
}

static void close_all(struct switch_test *st)
{
	while (st->nr_events)
		perf_event_close(st->events[--st->nr_events]);
}

/*
 * Are there objects of the cache? Without CONFIG_SLUB_DEBUG always false; then only the WARNING
 * of kmem_cache_destroy() shows an object that was not freed.
 */
static bool has_objects(struct switch_test *st)
{
	return kmem_cache_shrink(st->pmu.task_ctx_cache);
}

static void expect_sound(struct kunit *test)
{
	struct switch_test *st = test->priv;

	KUNIT_EXPECT_TRUE_MSG(test, !st->fault, "%s", st->fault);
}

/* The task of an event is announced when it begins to run and before it stops. */
static void called_for_the_task(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;

	start_worker(test, 0);
	start_worker(test, 1);
	run_workers(st, 1);
	open_mark(test, worker[0].task, -1, ASKS);
	run_workers(st, ROUNDS);
	KUNIT_EXPECT_GE(test, worker[0].ins, ROUNDS);
	KUNIT_EXPECT_EQ(test, worker[0].outs, worker[0].ins);
	KUNIT_EXPECT_EQ(test, worker[1].ins + worker[1].outs, 0);
	KUNIT_EXPECT_EQ(test, worker[0].with_data, 0);
	expect_sound(test);
}

/* Without a request no switch calls the PMU, whatever events it has. */
static void not_called_without_request(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;
	struct perf_event *event;

	start_worker(test, 0);
	start_worker(test, 1);
	open_mark(test, worker[0].task, -1, HAS_DATA);
	run_workers(st, ROUNDS);
	KUNIT_EXPECT_EQ(test, worker[0].ins + worker[0].outs, 0);

	event = open_mark(test, worker[0].task, -1, HAS_DATA | ASKS);
	run_workers(st, 1);
	KUNIT_EXPECT_GE(test, worker[0].ins, 1);
	perf_event_disable(event);
	forget_calls(st);
	run_workers(st, ROUNDS);
	KUNIT_EXPECT_EQ(test, worker[0].ins + worker[0].outs, 0);
	perf_event_enable(event);
	run_workers(st, 1);
	KUNIT_EXPECT_GE(test, worker[0].ins, 1);
	expect_sound(test);
}

/* An event of the CPU needs the calls for all tasks, and there is no task's data. */
static void called_for_the_cpu(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;

	start_worker(test, 0);
	start_worker(test, 1);
	run_workers(st, 1);
	open_mark(test, NULL, st->cpu, ASKS | HAS_DATA);
	run_workers(st, ROUNDS);
	for (int i = 0; i < WORKERS; i++) {
		KUNIT_EXPECT_GE(test, worker[i].ins, ROUNDS);
		KUNIT_EXPECT_EQ(test, worker[i].outs, worker[i].ins);
		KUNIT_EXPECT_EQ(test, worker[i].with_data, 0);
	}
	/* no task has data */
	KUNIT_EXPECT_FALSE(test, has_objects(st));
	expect_sound(test);
}

/* All events of a task share one object, also those that are bound to a CPU. */
static void data_of_each_task(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;
	struct task_mark *first;

	start_worker(test, 0);
	start_worker(test, 1);
	open_mark(test, worker[0].task, -1, ASKS | HAS_DATA);
	open_mark(test, worker[1].task, -1, ASKS | HAS_DATA);
	run_workers(st, ROUNDS);
	KUNIT_EXPECT_EQ(test, worker[0].with_data, worker[0].ins + worker[0].outs);
	KUNIT_EXPECT_EQ(test, worker[1].with_data, worker[1].ins + worker[1].outs);
	KUNIT_ASSERT_NOT_NULL(test, worker[0].data);
	KUNIT_EXPECT_PTR_NE(test, worker[0].data, worker[1].data);
	KUNIT_EXPECT_PTR_EQ(test, worker[0].data->owner, worker[0].task);

	first = worker[0].data;
	open_mark(test, worker[0].task, st->cpu, ASKS | HAS_DATA);
	run_workers(st, 1);
	KUNIT_EXPECT_PTR_EQ(test, worker[0].data, first);
	KUNIT_EXPECT_EQ(test, first->users, 0);
	expect_sound(test);
}

/* The object is freed with the last event that needs it. */
static void data_is_freed(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;

	KUNIT_EXPECT_FALSE(test, has_objects(st));
	start_worker(test, 0);
	start_worker(test, 1);
	open_mark(test, worker[0].task, -1, ASKS);
	KUNIT_EXPECT_FALSE(test, has_objects(st));
	open_mark(test, worker[0].task, -1, ASKS | HAS_DATA);
	open_mark(test, worker[0].task, st->cpu, HAS_DATA);
	run_workers(st, 1);
	if (IS_ENABLED(CONFIG_SLUB_DEBUG))
		KUNIT_EXPECT_TRUE(test, has_objects(st));
	perf_event_close(st->events[--st->nr_events]);
	KUNIT_EXPECT_FALSE(test, hlist_empty(&worker[0].task->perf_event_ctxp->task_data));
	perf_event_close(st->events[--st->nr_events]);
	KUNIT_EXPECT_TRUE(test, hlist_empty(&worker[0].task->perf_event_ctxp->task_data));
	KUNIT_EXPECT_FALSE(test, has_objects(st));
	run_workers(st, 1);
	expect_sound(test);
}

/*
 * Tasks that have inherited the same events swap their contexts, and keep their data. The last
 * child event is removed when a task exits or when the event is closed.
 */
static void data_stays_at_swaps(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct worker *worker = st->worker;

	open_mark(test, current, -1, ASKS | HAS_DATA);
	fork_worker(test, 0);
	fork_worker(test, 1);
	run_workers(st, ROUNDS);
	KUNIT_EXPECT_GE(test, worker[0].ins, ROUNDS);
	KUNIT_EXPECT_GE(test, worker[1].ins, ROUNDS);
	KUNIT_EXPECT_EQ(test, worker[0].with_data, worker[0].ins + worker[0].outs);
	KUNIT_EXPECT_GT(test, st->swaps, 0);
	KUNIT_EXPECT_PTR_NE(test, worker[0].data, worker[1].data);
	expect_sound(test);

	worker[0].leave = true;
	complete(&worker[0].go);
	wait_for_completion(&worker[0].ran);
	run_once(&worker[1]);
	close_all(st);
	KUNIT_EXPECT_FALSE(test, has_objects(st));
	expect_sound(test);
}

/* A context that is not hooked to a real task, and an event that is about to enter it. */
struct bare_ctx {
	struct task_struct		task;
	struct perf_event_context	*ctx;
	struct perf_event		event;
};

static struct bare_ctx *bare_ctx(struct kunit *test, bool has_data)
{
	struct switch_test *st = test->priv;
	struct bare_ctx *bare = kunit_kzalloc(test, sizeof(*bare), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bare);
	bare->ctx = perf_ctx_alloc_task(&bare->task);
	KUNIT_ASSERT_NOT_NULL(test, bare->ctx);
	bare->task.perf_event_ctxp = bare->ctx;
	bare->event.pmu = &st->pmu;
	bare->event.ctx = bare->ctx;
	bare->event.subctx = &bare->ctx->own;
	if (!has_data)
		return bare;
	bare->event.attach_state = PERF_ATTACH_TASK_DATA;
	guard(mutex)(&bare->ctx->mutex);
	KUNIT_ASSERT_TRUE(test, perf_task_data_get(bare->ctx, &bare->event));
	return bare;
}

static void bare_ctx_put(struct bare_ctx *bare)
{
	scoped_guard(mutex, &bare->ctx->mutex)
		perf_task_data_put(bare->ctx, &bare->event);
	perf_ctx_put(bare->ctx);
}

static struct task_mark *bare_mark(struct bare_ctx *bare)
{
	guard(raw_spinlock_irqsave)(&bare->ctx->lock);
	return perf_event_task_data(&bare->event);
}

static void swap_bare(struct bare_ctx *a, struct bare_ctx *b)
{
	guard(raw_spinlock_irqsave)(&a->ctx->lock);
	raw_spin_lock_nested(&b->ctx->lock, SINGLE_DEPTH_NESTING);
	perf_task_data_swap(a->ctx, b->ctx);
	raw_spin_unlock(&b->ctx->lock);
}

/* The driver sees the swapped objects. One without a counterpart is empty. */
static void data_without_counterpart(struct kunit *test)
{
	struct switch_test *st = test->priv;
	struct bare_ctx *a = bare_ctx(test, true), *b = bare_ctx(test, true);
	struct bare_ctx *none = bare_ctx(test, false);
	struct task_mark *mark_a = bare_mark(a), *mark_b = bare_mark(b);

	mark_a->users = 1;
	mark_b->users = 2;
	swap_bare(a, b);
	KUNIT_EXPECT_EQ(test, st->swaps, 1);
	KUNIT_EXPECT_PTR_EQ(test, bare_mark(a), mark_b);
	KUNIT_EXPECT_PTR_EQ(test, bare_mark(b), mark_a);
	KUNIT_EXPECT_EQ(test, mark_a->users, 2);

	mark_b->owner = &a->task;
	mark_b->ballast[15] = 1;
	swap_bare(a, none);
	KUNIT_EXPECT_PTR_EQ(test, bare_mark(a), mark_b);
	KUNIT_EXPECT_NULL(test, mark_b->owner);
	KUNIT_EXPECT_EQ(test, mark_b->ballast[15], 0);
	mark_a->ballast[15] = 1;
	swap_bare(none, b);
	KUNIT_EXPECT_EQ(test, mark_a->ballast[15], 0);
	KUNIT_EXPECT_EQ(test, st->swaps, 1);
	bare_ctx_put(a);
	bare_ctx_put(b);
	bare_ctx_put(none);
	KUNIT_EXPECT_FALSE(test, has_objects(st));
}

static void stop_worker(struct worker *worker)
{
	if (!worker->task)
		return;
	if (!worker->leave) {
		worker->leave = true;
		complete(&worker->go);
		wait_for_completion(&worker->ran);
	}
	put_task_struct(worker->task);
}

static void sched_task_test_exit(struct kunit *test)
{
	struct switch_test *st = test->priv;

	if (!st || !st->pmu.task_ctx_cache)
		return;
	close_all(st);
	for (int i = 0; i < WORKERS; i++)
		stop_worker(&st->worker[i]);
	perf_pmu_unregister(&st->pmu);
	kmem_cache_destroy(st->pmu.task_ctx_cache);
	switch_test = NULL;
}

static int sched_task_test_init(struct kunit *test)
{
	struct switch_test *st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	struct kmem_cache *cache;

	KUNIT_ASSERT_NOT_NULL(test, st);
	test->priv = st;
	switch_test = st;
	for (int i = 0; i < WORKERS; i++) {
		init_completion(&st->worker[i].go);
		init_completion(&st->worker[i].ran);
	}
	st->cpu = raw_smp_processor_id();
	test_bind(test, st->cpu);
	cache = kmem_cache_create("kunit_task_mark", sizeof(struct task_mark), 0, SLAB_NO_MERGE,
				  NULL);
	if (!cache)
		return -ENOMEM;
	st->pmu = (struct pmu) {
		.task_ctx_cache	= cache,
		.task_ctx_nr	= perf_hw_context,
		.event_init	= mark_event_init,
		.add		= mark_add,
		.del		= mark_del,
		.start		= mark_op,
		.stop		= mark_op,
		.read		= mark_read,
		.pmu_enable	= mark_enable,
		.sched_task	= mark_sched_task,
		.swap_task_ctx	= mark_swap,
	};
	return perf_pmu_register(&st->pmu, "kunit_sched_task", -1);
}

static struct kunit_case sched_task_cases[] = {
	KUNIT_CASE(called_for_the_task),
	KUNIT_CASE(not_called_without_request),
	KUNIT_CASE(called_for_the_cpu),
	KUNIT_CASE(data_of_each_task),
	KUNIT_CASE(data_is_freed),
	KUNIT_CASE(data_stays_at_swaps),
	KUNIT_CASE(data_without_counterpart),
	{ }
};

static struct kunit_suite sched_task_suite = {
	.name		= "perf_sched_task",
	.init		= sched_task_test_init,
	.exit		= sched_task_test_exit,
	.test_cases	= sched_task_cases,
};

kunit_test_suite(sched_task_suite);
