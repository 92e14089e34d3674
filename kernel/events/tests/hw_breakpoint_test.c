// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: compare the ledger of debug registers with the rule that it implements, by counting the
 * registers needed for every CPU and every task. And breakpoints of this CPU.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/hw_breakpoint.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../base/recursion.h"
#include "../software/breakpoint_slots.h"
#include "test_cpu.h"

#define NR_SLOTS	4
#define NR_TASKS	5
#define NR_CPUS_USED	3
#define MAX_CLAIMS	64

struct bp_fixture {
	struct perf_bp_ledger	ledger;
	int			cpu[NR_CPUS_USED];
	int			nr_cpus;
	struct perf_bp_claim	claim[MAX_CLAIMS];
	int			nr;
	struct rnd_state	rnd;
};

/* A pointer that stands for a task: the ledger compares tasks and does not access them. */
static struct task_struct *a_task(int nr)
{
	return (struct task_struct *)(0x1000UL * (nr + 1));
}

static int bp_test_init(struct kunit *test)
{
	struct bp_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, fix);
	for_each_possible_cpu(cpu) {
		if (fix->nr_cpus == NR_CPUS_USED)
			break;
		fix->cpu[fix->nr_cpus++] = cpu;
	}
	for (int type = 0; type < TYPE_MAX; type++)
		fix->ledger.slots[type] = NR_SLOTS;
	KUNIT_ASSERT_EQ(test, perf_bp_ledger_init(&fix->ledger), 0);
	prandom_seed_state(&fix->rnd, 20);
	test->priv = fix;
	return 0;
}

static void give_back(struct bp_fixture *fix, int i)
{
	perf_bp_give_back(&fix->ledger, &fix->claim[i]);
	fix->claim[i] = fix->claim[--fix->nr];
}

static void bp_test_exit(struct kunit *test)
{
	struct bp_fixture *fix = test->priv;

	if (!fix)
		return;
	while (fix->nr)
		give_back(fix, 0);
	perf_bp_ledger_destroy(&fix->ledger);
}

static int take(struct bp_fixture *fix, struct perf_bp_claim claim)
{
	int err = perf_bp_take(&fix->ledger, &claim);

	if (!err)
		fix->claim[fix->nr++] = claim;
	return err;
}

/* Number of registers of a CPU that all claims need while a task runs there. */
static int wanted(const struct bp_fixture *fix, int cpu, const struct task_struct *task,
		  enum bp_type_idx type)
{
	int nr = 0;

	for (int i = 0; i < fix->nr; i++) {
		const struct perf_bp_claim *c = &fix->claim[i];

		nr += c->type == type && (c->cpu < 0 || c->cpu == cpu) &&
		      (!c->task || c->task == task);
	}
	return nr;
}

/* With one more claim, does each CPU have enough registers for each task? */
static bool fits(struct bp_fixture *fix, const struct perf_bp_claim *claim)
{
	bool good = true;

	fix->claim[fix->nr++] = *claim;
	for (int c = 0; c < fix->nr_cpus; c++) {
		for (int t = 0; t < NR_TASKS; t++)
			good &= wanted(fix, fix->cpu[c], a_task(t), claim->type) <= NR_SLOTS;
	}
	fix->nr--;
	return good;
}

static void never_too_many_nor_too_few(struct kunit *test)
{
	struct bp_fixture *fix = test->priv;
	int taken = 0, refused = 0;

	for (int i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&fix->rnd);
		struct perf_bp_claim claim = {
			.task	= r & 7 ? a_task((r >> 3) % NR_TASKS) : NULL,
			.type	= (r >> 8) % TYPE_MAX,
			.cpu	= (r >> 12) & 1 ? -1 : fix->cpu[(r >> 16) % fix->nr_cpus],
		};
		bool expected;

		if (fix->nr && (r >> 24) % 5 < 2) {
			give_back(fix, (r >> 3) % fix->nr);
			continue;
		}
		if (!claim.task && claim.cpu < 0)
			claim.cpu = fix->cpu[0];
		expected = fits(fix, &claim);
		KUNIT_ASSERT_EQ(test, take(fix, claim), expected ? 0 : -ENOSPC);
		KUNIT_ASSERT_EQ(test, fix->ledger.nr, fix->nr);
		taken += expected;
		refused += !expected;
	}
	/* the test is void unless both outcomes are frequent */
	KUNIT_EXPECT_GT(test, taken, 1000);
	KUNIT_EXPECT_GT(test, refused, 1000);
}

static void tasks_do_not_meet(struct kunit *test)
{
	struct bp_fixture *fix = test->priv;

	for (int t = 0; t < NR_TASKS; t++) {
		for (int i = 0; i < NR_SLOTS; i++)
			KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
						a_task(t), -1, TYPE_DATA }), 0);
		KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
					a_task(t), -1, TYPE_DATA }), -ENOSPC);
	}
	KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
				NULL, fix->cpu[0], TYPE_DATA }), -ENOSPC);
}

static void kinds_have_their_own_where_they_do(struct kunit *test)
{
	struct bp_fixture *fix = test->priv;
	int want = TYPE_MAX == 1 ? -ENOSPC : 0;

	for (int i = 0; i < NR_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
					NULL, fix->cpu[0], TYPE_DATA }), 0);
	KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
				a_task(0), -1, TYPE_INST }), want);
}

static void nothing_is_left_behind(struct kunit *test)
{
	struct bp_fixture *fix = test->priv;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < NR_SLOTS; i++)
			KUNIT_EXPECT_EQ(test, take(fix, (struct perf_bp_claim){
						a_task(i % 2), fix->cpu[0], TYPE_DATA }), 0);
		while (fix->nr)
			give_back(fix, fix->nr - 1);
		KUNIT_EXPECT_TRUE(test, list_empty(&fix->ledger.bound_tasks));
		KUNIT_EXPECT_EQ(test, atomic_read(&fix->ledger.tasks.nelems), 0);
	}
}

/**
 * struct bp_reader - a thread that holds the mutex of a context, as a reader of its events does
 * @task: the thread, referenced
 * @mutex: the mutex
 * @other: the task that must not wait for the mutex
 * @holds: the mutex is held
 * @may_go: @other did not wait
 * @waited: it did
 */
struct bp_reader {
	struct task_struct	*task;
	struct mutex		*mutex;	/* perf_event_context::mutex */
	struct task_struct	*other;
	struct completion	holds;
	struct completion	may_go;
	bool			waited;
};

static int bp_reader_run(void *arg)
{
	struct bp_reader *reader = arg;

	guard(mutex)(reader->mutex);
	complete(&reader->holds);
	while (!completion_done(&reader->may_go) && !reader->waited) {
		/* sleep: @other spins while the thread that has the mutex runs */
		schedule_timeout_uninterruptible(1);
		reader->waited = wait_task_inactive(reader->other, TASK_UNINTERRUPTIBLE) &&
				 !completion_done(&reader->may_go);
	}
	return 0;
}

static void bp_reader_begin(struct kunit *test, struct bp_reader *reader, struct perf_event *bp)
{
	reader->mutex = &bp->ctx->mutex;
	reader->other = current;
	init_completion(&reader->holds);
	init_completion(&reader->may_go);
	reader->task = kthread_run(bp_reader_run, reader, "hw_breakpoint_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(reader->task));
	get_task_struct(reader->task);
	wait_for_completion(&reader->holds);
}

/* Return: true if current has waited for the mutex. */
static bool bp_reader_end(struct bp_reader *reader)
{
	complete(&reader->may_go);
	kthread_stop_put(reader->task);
	return reader->waited;
}

/*
 * The handler of a breakpoint may disable it. It runs with interrupts off, while a reader of the
 * task's events may hold the mutex.
 */
static void handler_disables(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= PAGE_SIZE,
		.bp_len		= HW_BREAKPOINT_LEN_4,
	};
	struct perf_event *bp = register_user_hw_breakpoint(&attr, NULL, NULL, current);
	struct bp_reader reader = { };
	int err;

	if (IS_ERR(bp) && PTR_ERR(bp) != -EINVAL)
		kunit_skip(test, "no breakpoints: %ld", PTR_ERR(bp));
	KUNIT_ASSERT_FALSE(test, IS_ERR(bp));
	KUNIT_EXPECT_GE(test, bp->state, PERF_EVENT_STATE_INACTIVE);
	attr.disabled = true;
	bp_reader_begin(test, &reader, bp);
	scoped_guard(irq)
		err = modify_user_hw_breakpoint(bp, &attr);
	KUNIT_EXPECT_FALSE_MSG(test, bp_reader_end(&reader), "took the mutex, interrupts off");
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, bp->state, PERF_EVENT_STATE_OFF);

	/* without a handler it is enabled again as ever */
	attr.disabled = false;
	KUNIT_EXPECT_EQ(test, modify_user_hw_breakpoint(bp, &attr), 0);
	KUNIT_EXPECT_GE(test, bp->state, PERF_EVENT_STATE_INACTIVE);
	unregister_hw_breakpoint(bp);
}

static u32 watched;

/*
 * Write to @watched, and compare what the breakpoint has counted and lost. arm64 steps over the
 * instruction after a hit. An interrupt before that takes the step, and the breakpoint is hit a
 * second time.
 */
static void write_once(struct kunit *test, struct perf_event *bp, u64 lost)
{
	u64 count = local64_read(&bp->count), before = atomic64_read(&bp->lost_samples);

	scoped_guard(irq)
		WRITE_ONCE(watched, watched + 1);
	KUNIT_EXPECT_EQ(test, (u64)local64_read(&bp->count) - count, 1);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&bp->lost_samples) - before, lost);
}

/* A hit by work of the subsystem's own is counted, and its sample is lost. */
static void hit_by_own_work_is_lost(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= (unsigned long)&watched,
		.bp_len		= HW_BREAKPOINT_LEN_4,
		.sample_period	= 1,
	};
	struct perf_event *bp;

	test_bind_here(test);
	bp = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	if (IS_ERR(bp))
		kunit_skip(test, "no breakpoints: %ld", PTR_ERR(bp));
	write_once(test, bp, 0);
	scoped_guard(perf_own_work)
		write_once(test, bp, 1);
	write_once(test, bp, 0);
	perf_event_release_kernel(bp);
}

static struct kunit_case bp_cases[] = {
	KUNIT_CASE(never_too_many_nor_too_few),
	KUNIT_CASE(tasks_do_not_meet),
	KUNIT_CASE(kinds_have_their_own_where_they_do),
	KUNIT_CASE(nothing_is_left_behind),
	KUNIT_CASE(handler_disables),
	KUNIT_CASE(hit_by_own_work_is_lost),
	{}
};

static struct kunit_suite bp_suite = {
	.name		= "hw_breakpoint",
	.init		= bp_test_init,
	.exit		= bp_test_exit,
	.test_cases	= bp_cases,
};

kunit_test_suite(bp_suite);

MODULE_DESCRIPTION("KUnit tests of the debug registers' ledger");
MODULE_LICENSE("GPL");
