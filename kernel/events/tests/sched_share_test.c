// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: fair shares in pseudo-random scenes. Groups of the CPU and of a task share a PMU, beside
 * pinned groups, groups that do not fit, and an event that is toggled. The task comes and goes.
 * Then something changes, and from there on each group must have its share.
 *
 * Of the counters that are not pinned, the CPU and the task have one half each, or what the other
 * one does not need. All flexible groups of one of them that fit have the same runtime: these
 * counters divided by those that the groups need together, or all of the time. Half of that is
 * enough, and a quarter if there are groups of several events: they cannot always use all counters.
 * Twice the share is allowed, and more to groups beside them.
 */
#include <linux/prandom.h>

#include "../base/event.h"
#include "../sched/cpu_pmu.h"
#include "sched_world.h"

#define SEEDS		1000
#define MOST_FIT	10
#define LARGEST		3
#define MOST_MISFITS	8
#define FEW		1	/* large groups, fewer than a fill tries */
#define MOST_TRIES	16	/* of a rotation, with evicted groups that return */
#define WINDOW_NS	(1ULL * NSEC_PER_SEC)

/**
 * struct scene - what a seed makes
 * @counters: number of counters
 * @pinned: number of pinned events of the CPU
 * @task_pinned: number of pinned events of the task
 * @leaves: number of pinned events of the CPU that are closed before the window
 * @from: index of the first flexible group that fits, at the end
 * @misfits: index of the first group that does not fit
 * @restarted: number of groups that are disabled and enabled before the window
 * @late: number of groups that are enabled before the window
 * @toggled: an event that is toggled, or NULL
 * @on_ns: time that the task runs at a stretch
 * @off_ns: time that it does not
 * @with_task: the time of the window in which the task ran
 * @nr_rotations: number of rotations at the last look
 * @looks: how often the scene was looked at
 * @idle: how often counters were not in use while a group waited that fits
 * @busy: how often more was done than a rotation and two switches may do
 * @before: time_running of all groups at the begin of the window
 */
struct scene {
	unsigned int		counters;
	unsigned int		pinned;
	unsigned int		task_pinned;
	unsigned int		leaves;
	unsigned int		from;
	unsigned int		misfits;
	unsigned int		restarted;
	unsigned int		late;
	struct perf_event	*toggled;
	u64			on_ns;
	u64			off_ns;
	u64			with_task;
	unsigned int		nr_rotations;
	unsigned int		looks;
	unsigned int		idle;
	unsigned int		busy;
	u64			before[WORLD_MAX_GROUPS];
};

static u32 draw(struct rnd_state *rnd, u32 below)
{
	return below ? prandom_u32_state(rnd) % below : 0;
}

/* The number of counters that a group needs. */
static unsigned int size_of(struct world *w, unsigned int i)
{
	return 1 + w->leaders[i]->nr_siblings;
}

static bool of_task(struct world *w, unsigned int i)
{
	return w->leaders[i]->pmu_ctx != &w->pmu_ctx[WORLD_CPU];
}

/* The number of counters that are not pinned in the window. */
static unsigned int room(const struct scene *s, bool with_task)
{
	return s->counters - (s->pinned - s->leaves) - (with_task ? s->task_pinned : 0);
}

static void make_scene(struct world *w, struct scene *s, struct rnd_state *rnd)
{
	static const struct perf_event_attr plain, pinned = { .pinned = 1 };
	unsigned int i, nr, largest;

	s->counters = 3 + draw(rnd, 5);
	s->pinned = draw(rnd, s->counters - 1);
	s->task_pinned = draw(rnd, s->counters - s->pinned - 1);
	s->leaves = draw(rnd, 2) ? draw(rnd, 1 + s->pinned) : 0;
	s->on_ns = (1 + draw(rnd, 8)) * NSEC_PER_MSEC / 2;
	s->off_ns = draw(rnd, 2) ? (1 + draw(rnd, 8)) * NSEC_PER_MSEC / 2 : 0;
	w->fake.nr_counters = s->counters;
	for (i = 0; i < s->pinned; i++)
		world_group(w, WORLD_CPU, 1, &pinned);
	for (i = 0; i < s->task_pinned; i++)
		world_group(w, 1, 1, &pinned);
	s->from = w->nr_groups;
	nr = 2 + draw(rnd, MOST_FIT);
	largest = 1 + draw(rnd, LARGEST);
	for (i = 0; i < nr; i++)
		world_group(w, draw(rnd, 2) ? WORLD_CPU : 1,
			    1 + draw(rnd, min(room(s, true) - s->leaves, largest)), &plain);
	s->misfits = w->nr_groups;
	/* it never fits, neither while the task is off nor after a pinned event has left */
	for (i = draw(rnd, 2) ? draw(rnd, MOST_MISFITS) : 0; i; i--)
		world_group(w, draw(rnd, 2) ? WORLD_CPU : 1, room(s, false) + 1, &plain);
	s->restarted = draw(rnd, 2) ? draw(rnd, nr) : 0;
	s->late = draw(rnd, 2) ? draw(rnd, nr) : 0;
	s->toggled = draw(rnd, 2) ? world_group(w, draw(rnd, 2), 1, &plain) : NULL;
}

/* Does a group wait that fits on the counters that are not in use? */
static bool idles(struct world *w, const struct scene *s)
{
	unsigned int unused = s->counters - hweight_long(w->here->used);

	for (unsigned int i = s->from; i < w->nr_groups; i++) {
		if (w->leaders[i]->subctx->clock.on && w->leaders[i]->oncpu < 0 &&
		    w->leaders[i]->state >= PERF_EVENT_STATE_INACTIVE && size_of(w, i) <= unused)
			return true;
	}
	return false;
}

static void look(struct world *w, struct scene *s)
{
	unsigned int rotations = w->nr_rotations - s->nr_rotations;
	struct world_work work = world_work(w);

	world_check(w);
	s->looks++;
	s->idle += idles(w, s);
	if (work.adds + work.misfits > (rotations + 3) * s->counters * MOST_TRIES)
		s->busy++;
	s->nr_rotations = w->nr_rotations;
}

/* Let the task come and go. Return: the time for which it ran. */
static u64 let_pass(struct world *w, struct scene *s, u64 ns)
{
	u64 end = w->now + ns, with_task = 0;

	while (w->now < end) {
		world_switch(w, 1);
		world_pass(w, s->on_ns);
		look(w, s);
		with_task += s->on_ns;
		if (s->toggled) {
			world_disable(w, s->toggled);
			world_enable(w, s->toggled);
		}
		if (s->off_ns) {
			world_switch(w, WORLD_NO_TASK);
			world_pass(w, s->off_ns);
			look(w, s);
		}
	}
	return with_task;
}

/* What comes before the window: groups are restarted, others arrive, pinned ones leave. */
static void change(struct world *w, struct scene *s)
{
	unsigned int i;

	for (i = 0; i < s->restarted; i++) {
		world_disable(w, w->leaders[s->from + i]);
		world_enable(w, w->leaders[s->from + i]);
	}
	for (i = 0; i < s->late; i++)
		world_enable(w, w->leaders[s->misfits - 1 - i]);
	for (i = 0; i < s->leaves; i++)
		world_disable(w, w->leaders[i]);
}

/* A scene depends on its seed only, not on those before it, nor on the CPU. */
static void forget_scenes(struct world *w)
{
	struct perf_cpu_pmu_context *cpc = w->cpc;

	for (unsigned int i = 0; i < WORLD_QUEUES; i++) {
		w->pmu_ctx[i].vruntime_offset = 0;
		w->pmu_ctx[i].plan_at = PERF_PLAN_NOWHERE;
		w->pmu_ctx[i].lag = 0;
		w->pmu_ctx[i].slice_end = 0;
	}
	for (unsigned int i = 0; i < PERF_SIDES; i++)
		cpc->floors[i] = (struct perf_fair_floor) { .stale = true };
	cpc->lag = 0;
	cpc->lag_to_new = 0;
	cpc->slice = 0;
	cpc->slice_end = 0;
	cpc->retry_at = 0;
	cpc->retry_wait = 0;
}

static void play(struct world *w, struct scene *s)
{
	u64 start;
	unsigned int i;

	world_lock(w);
	forget_scenes(w);
	for (i = 0; i < w->nr_groups; i++) {
		if (i < s->misfits - s->late || i >= s->misfits)
			world_enable(w, w->leaders[i]);
	}
	let_pass(w, s, WINDOW_NS / 2);
	change(w, s);
	for (i = 0; i < w->nr_groups; i++)
		s->before[i] = world_running(w, w->leaders[i]);
	start = w->now;
	s->with_task = let_pass(w, s, WINDOW_NS);
	/* the time without it is the rest */
	start = w->now - start;
	for (i = 0; i < w->nr_groups; i++)
		s->before[i] = world_running(w, w->leaders[i]) - s->before[i];
	s->off_ns = start - s->with_task;
	world_unlock(w);
}

/* The number of counters that all groups need that fit: those of the task, or of the CPU. */
static unsigned int needed(struct world *w, const struct scene *s, bool task)
{
	unsigned int nr = s->toggled && of_task(w, w->nr_groups - 1) == task;

	for (unsigned int i = s->from; i < s->misfits; i++)
		nr += of_task(w, i) == task ? size_of(w, i) : 0;
	return nr;
}

/* What a group gets of the time @counters if all need @nr counters, in a time of @ns. */
static u64 share(u64 counters, unsigned int nr, u64 ns)
{
	return nr ? min(div_u64(counters, nr), ns) : ns;
}

/* The part of a side that needs @need counters, beside one that needs @others. */
static u64 part(u64 counters, unsigned int need, unsigned int others, u64 ns)
{
	u64 rest = counters - min(counters, others * ns);

	return min(max(counters / 2, rest), need * ns);
}

/*
 * What a group of the CPU, or of the task, should have run in the window. While the task is off,
 * the CPU's groups share all counters. While it is on, its groups share one half of them, and
 * those of the CPU the other half, or what the other side does not need.
 */
static u64 find_due(struct world *w, const struct scene *s, bool task)
{
	unsigned int need = needed(w, s, task), others = needed(w, s, !task);
	u64 on = s->with_task, due = 0;

	if (!task)
		due = share(room(s, false) * s->off_ns, need, s->off_ns);
	return due + share(part(room(s, true) * on, need, others, on), need, on);
}

/* The number of groups that fit and need several counters. */
static unsigned int nr_large(struct world *w, const struct scene *s)
{
	unsigned int nr = 0;

	for (unsigned int i = s->from; i < s->misfits; i++)
		nr += size_of(w, i) > 1;
	return nr;
}

static void check(struct kunit *test, struct world *w, const struct scene *s, unsigned int seed)
{
	u64 due, dues[2] = { find_due(w, s, false), find_due(w, s, true) };
	unsigned int large = nr_large(w, s), i;

	KUNIT_EXPECT_TRUE_MSG(test, !w->fault, "seed %u: %s", seed, w->fault);
	if (large <= FEW)
		KUNIT_EXPECT_LE_MSG(test, s->idle, s->looks / 10, "seed %u", seed);
	KUNIT_EXPECT_EQ_MSG(test, s->busy, 0, "seed %u", seed);
	for (i = s->from; i < s->misfits; i++) {
		due = dues[of_task(w, i)];
		KUNIT_EXPECT_GE_MSG(test, s->before[i], due / (large ? 4 : 2),
				    "seed %u, group %u", seed, i);
		/* small groups may use what is too little for large ones */
		if (large)
			continue;
		KUNIT_EXPECT_LE_MSG(test, s->before[i], due * 2, "seed %u, group %u", seed, i);
	}
	for (; i < w->nr_groups && w->leaders[i] != s->toggled; i++)
		KUNIT_EXPECT_EQ_MSG(test, s->before[i], 0, "seed %u, misfit %u", seed, i);
}

static void shares_hold(struct kunit *test)
{
	struct scene *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct world *w = test->priv;
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (unsigned int seed = 1; seed <= SEEDS; seed++) {
		memset(s, 0, sizeof(*s));
		prandom_seed_state(&rnd, seed);
		make_scene(w, s, &rnd);
		play(w, s);
		check(test, w, s, seed);
		world_lock(w);
		for (unsigned int i = 0; i < w->nr_groups; i++)
			world_disable(w, w->leaders[i]);
		world_unlock(w);
		w->nr_groups = 0;
		w->fault = NULL;
	}
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE_SLOW(shares_hold),
	{}
};

static struct kunit_suite share_suite = {
	.name		= "perf_sched_share",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= share_cases,
};

kunit_test_suite(share_suite);
