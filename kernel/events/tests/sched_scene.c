// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: pseudo-random scenes of a simulated CPU. See sched_scene.h.
 *
 * What a seed makes does not depend on the scenes before, nor on the CPU of the test.
 */
#include "../base/event.h"
#include "../base/times.h"
#include "../overflow/overflow.h"
#include "sched_scene.h"

#define MOST_FIT	10
#define LARGEST		3
#define VALUES		2	/* of the shared register */
#define MOST_MISFITS	8
#define MOST_LATER	2	/* groups that fit when pinned events have left */
#define MOST_TRIES	16	/* of a rotation, with evicted groups that return */
#define SWITCHES	7	/* to a phase: task, bound events, cgroup, out and in; a toggle */
#define WINDOW_NS	(1ULL * NSEC_PER_SEC)
#define SETTLED		48	/* intervals, after which shares are to be fair */
#define CYCLES		8	/* of a window, at least */
#define LONGEST_INTERVAL 8	/* ms */
#define RANDOM		77777	/* first number of each scene */
#define HALF_MS		(NSEC_PER_MSEC / 2)

static const struct perf_event_attr pinned_attr = { .pinned = 1 };
static const struct perf_event_attr plain_attr;

static u32 draw(struct scene *s, u32 below)
{
	return below ? prandom_u32_state(&s->rnd) % below : 0;
}

/*
 * The same for what was added to the generator later, and for what not all scenes have. The rest of
 * a scene does not depend on it.
 */
static u32 draw_more(struct scene *s, u32 below)
{
	return below ? prandom_u32_state(&s->more) % below : 0;
}

/* True once in @of times. */
static bool draw_one(struct scene *s, u32 of)
{
	return !draw(s, of);
}

/* Let a group have a software member, now and then. */
static void join(struct world *w, struct scene *s, struct perf_event *leader)
{
	if (s->joined && !draw_more(s, 3))
		world_join(w, leader);
}

/**
 * scene_room() - count the counters of a PMU that are not pinned in the window
 * @p: a PMU of the scene
 * @phase: a phase of the scene
 *
 * Return: their number.
 */
unsigned int scene_room(const struct scene_pmu *p, const struct scene_phase *phase)
{
	unsigned int room = p->counters + p->leaves;

	for (unsigned int queue = 0; queue < WORLD_QUEUES; queue++)
		room -= scene_has_queue(phase, queue) ? p->pinned[queue] : 0;
	return room;
}

/* The counters of a PMU that are not pinned in any phase, before the window. */
static unsigned int least_room(const struct scene *s, const struct scene_pmu *p)
{
	unsigned int least = p->counters;

	for (unsigned int i = 0; i < s->nr_phases; i++)
		least = min(least, scene_room(p, &s->phases[i]) - p->leaves);
	return least;
}

static unsigned int most_room(const struct scene *s, const struct scene_pmu *p)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < s->nr_phases; i++)
		most = max(most, scene_room(p, &s->phases[i]));
	return most;
}

/*
 * At least one of the phases has a task with events. Each task is in the cgroup or is not. All
 * phases last for several intervals, or all are brief.
 */
static void make_phases(struct scene *s)
{
	bool in_cgroup[1 + WORLD_TASKS];
	struct scene_phase *phase;
	unsigned int i;

	s->brief = draw(s, 2);
	for (i = 1; i <= WORLD_TASKS; i++)
		in_cgroup[i] = draw(s, 2);
	s->nr_phases = 1 + draw(s, SCENE_PHASES);
	for (i = 0; i < s->nr_phases; i++) {
		phase = &s->phases[i];
		phase->task = i ? draw(s, 1 + WORLD_TASKS) : 1;
		/* several tasks have no events */
		phase->cgroup = phase->task == WORLD_NO_TASK ? draw(s, 2) : in_cgroup[phase->task];
		phase->local = phase->task == WORLD_BOUND_TASK && draw(s, 2);
		phase->ns = s->brief ? (1 + draw(s, 8)) * HALF_MS :
			    (4 + draw(s, 8)) * LONGEST_INTERVAL * (u64)NSEC_PER_MSEC;
	}
}

/* Is the pmu_ctx scheduled in, in any phase? */
static bool is_ever_on(const struct scene *s, unsigned int queue)
{
	for (unsigned int i = 0; i < s->nr_phases; i++) {
		if (scene_has_queue(&s->phases[i], queue))
			return true;
	}
	return false;
}

/* Select one of the pmu_ctxs that are scheduled in at times. */
static unsigned int draw_queue(struct scene *s)
{
	unsigned int queue;

	do {
		queue = draw(s, WORLD_QUEUES);
	} while (!is_ever_on(s, queue));
	return queue;
}

/* Make pinned events, alone or in groups. */
static void make_pinned_of(struct world *w, struct scene *s, struct scene_pmu *p,
			   unsigned int queue)
{
	unsigned int left = p->pinned[queue], size;

	for (; left; left -= size) {
		size = s->grouped ? 1 + draw_more(s, min(left, LARGEST)) : 1;
		join(w, s, world_pmu_group(w, p->pmu, queue, size, &pinned_attr));
	}
}

/* The first groups of the CPU leave, with as many events as were drawn at most. */
static void make_leaving(struct world *w, struct scene_pmu *p)
{
	unsigned int left = p->leaves, size;

	for (p->leaving = 0; left; p->leaving++) {
		size = world_group_size(w->leaders[p->pinned_from + p->leaving]);
		if (size > left)
			break;
		left -= size;
	}
	p->leaves -= left;
}

/* At least one counter is not pinned in each phase. */
static void make_pinned(struct world *w, struct scene *s, struct scene_pmu *p)
{
	unsigned int left = p->counters - 1;

	for (unsigned int queue = 0; queue < WORLD_QUEUES; queue++) {
		/* pinned events of the CPU get the first counters: these events fit on others */
		if (p->mask && queue != WORLD_CPU)
			break;
		if (queue != WORLD_CPU && draw(s, 2))
			continue;
		p->pinned[queue] = draw(s, 1 + left);
		left -= p->pinned[queue];
		make_pinned_of(w, s, p, queue);
	}
	if (draw(s, 2))
		p->leaves = draw(s, 1 + p->pinned[WORLD_CPU]);
	make_leaving(w, p);
}

static void make_group(struct world *w, struct scene *s, const struct scene_pmu *p,
		       unsigned int largest)
{
	unsigned int size = 1 + draw(s, min(least_room(s, p), largest)), queue = draw_queue(s);
	struct perf_event_attr attr = {};

	if (p->mask && draw_one(s, 3)) {
		attr.config = FAKE_CONFIG(FAKE_POKE, p->mask);
		size = 1;
	} else if (p->shared && draw_one(s, 3)) {
		attr.config = FAKE_CONFIG_SHARED(1 + draw(s, VALUES));
		size = 1;
	} else if (p->exclusive && draw_one(s, 4)) {
		attr.exclusive = 1;
	}
	join(w, s, world_pmu_group(w, p->pmu, queue, size, &attr));
}

/* Groups that are too large, in some phases or in all of them, until pinned events leave. */
static void make_later(struct world *w, struct scene *s, const struct scene_pmu *p)
{
	unsigned int nr = p->leaves && draw(s, 2) ? 1 + draw(s, MOST_LATER) : 0, size, queue;

	while (nr--) {
		size = least_room(s, p) + 1 + draw(s, p->leaves);
		queue = draw_queue(s);
		world_pmu_group(w, p->pmu, queue, size, &plain_attr);
	}
}

/* What changes before the window on one PMU. */
static void make_changes(struct world *w, struct scene *s, struct scene_pmu *p)
{
	unsigned int nr = p->misfits - p->from;

	p->restarted = draw(s, 2) ? draw(s, nr) : 0;
	p->late = draw(s, 2) ? draw(s, nr) : 0;
	p->joins = draw(s, 2) ? draw(s, nr) : 0;
	/* not even in place of pinned events of others */
	if (draw_one(s, 3))
		p->in_vain = world_pmu_group(w, p->pmu, WORLD_CPU, 1 + p->counters + p->leaves -
					     p->pinned[WORLD_CPU], &pinned_attr);
	if (draw(s, 2))
		p->toggled = world_pmu_group(w, p->pmu, draw_queue(s), 1, &plain_attr);
}

static void make_groups(struct world *w, struct scene *s, struct scene_pmu *p)
{
	unsigned int i, nr, largest;

	p->counters = 3 + draw(s, 5);
	p->pmu->fake.nr_counters = p->counters;
	p->pmu->fake.deferred = !draw_more(s, 4);
	if (draw_one(s, 3))
		p->mask = BIT(p->counters - 1) | BIT(p->counters - 1 - draw(s, 2));
	p->shared = draw_one(s, 4);
	p->exclusive = draw_one(s, 4);
	p->pinned_from = w->nr_groups;
	make_pinned(w, s, p);
	p->from = w->nr_groups;
	nr = 2 + draw(s, MOST_FIT);
	largest = 1 + draw(s, LARGEST);
	for (i = 0; i < nr; i++)
		make_group(w, s, p, largest);
	make_later(w, s, p);
	p->misfits = w->nr_groups;
	/* it never fits, not even after a pinned event has left */
	for (i = draw(s, 2) ? draw(s, MOST_MISFITS) : 0; i; i--)
		world_pmu_group(w, p->pmu, draw_queue(s), most_room(s, p) + 1, &plain_attr);
	make_changes(w, s, p);
	p->end = w->nr_groups;
}

/**
 * scene_make() - make the groups of a scene
 * @w: the world, with WORLD_PMUS PMUs; not locked, without groups
 * @s: the scene, zeroed
 * @seed: the seed
 */
void scene_make(struct world *w, struct scene *s, unsigned int seed)
{
	s->seed = seed;
	prandom_seed_state(&s->rnd, seed);
	prandom_seed_state(&s->more, ~(u64)seed);
	s->grouped = !draw_more(s, 2);
	s->joined = !draw_more(s, 3);
	make_phases(s);
	s->throttled = draw_one(s, 3);
	s->interval = draw_one(s, 3) ? 1 + draw(s, LONGEST_INTERVAL) : 0;
	s->offline = draw_one(s, 6);
	s->nr_pmus = draw_one(s, 3) ? 2 : 1;
	for (unsigned int i = 0; i < s->nr_pmus; i++) {
		struct scene_pmu *p = &s->pmus[i];

		p->pmu = &w->pmus[i];
		snprintf(p->name, sizeof(p->name), "seed %u, PMU %u", seed, i);
		make_groups(w, s, p);
	}
}

/* Is there a counter for each event of a group that waits? */
static bool fits(const struct scene_pmu *p, struct perf_event *leader)
{
	unsigned long unused = ~p->pmu->here->used & (BIT(p->counters) - 1);
	unsigned int value = scene_shared(leader);

	if (p->pmu->cpc->exclusive || (leader->attr.exclusive && p->pmu->cpc->nr_running))
		return false;
	if (value && p->pmu->here->shared && value != p->pmu->here->shared)
		return false;
	if (scene_mask(leader))
		unused &= p->mask;
	return world_group_size(leader) <= hweight_long(unused);
}

/* Does a group wait that fits on the counters that are not in use? */
static bool idles(struct world *w, const struct scene_pmu *p)
{
	for (unsigned int i = p->from; i < p->end; i++) {
		struct perf_event *leader = w->leaders[i];

		if (leader->subctx->clock.on && leader->oncpu < 0 &&
		    leader->state >= PERF_EVENT_STATE_INACTIVE && fits(p, leader))
			return true;
	}
	return false;
}

static void look_at(struct world *w, struct scene_pmu *p)
{
	unsigned int rotations = p->pmu->nr_rotations - p->nr_rotations;
	struct world_work work = world_pmu_work(p->pmu);

	p->idle += idles(w, p);
	if (work.adds + work.misfits > (rotations + SWITCHES) * p->counters * MOST_TRIES)
		p->busy++;
	p->nr_rotations = p->pmu->nr_rotations;
}

static void look(struct world *w, struct scene *s)
{
	struct scene_pmu *p;

	world_check(w);
	s->looks++;
	scene_for_each_pmu(p, s)
		look_at(w, p);
}

/* An event has overflowed too often. The tick starts it again, unless it was scheduled out. */
static void throttle(struct world *w, struct scene *s)
{
	const struct scene_pmu *p = &s->pmus[draw(s, s->nr_pmus)];
	struct perf_event *event = w->leaders[p->from + draw(s, p->misfits - p->from)];

	if (event->oncpu < 0)
		return;
	if (perf_event_is_throttled(event)) {
		perf_event_end_throttle(event, false);
		event->pmu->start(event, 0);
	} else {
		perf_event_mark_throttled(event);
		event->pmu->stop(event, PERF_EF_UPDATE);
	}
}

/* Was the pmu_ctx of each task and of the cgroup on for long enough to be fair? */
static bool is_settled(const struct world *w, const struct scene *s)
{
	u64 on, settled = SETTLED * w->pmu->fake.pmu.hrtimer_interval_ms * (u64)NSEC_PER_MSEC;

	for (unsigned int queue = 1; queue < WORLD_QUEUES; queue++) {
		on = 0;
		for (unsigned int i = 0; i < s->nr_phases; i++)
			on += scene_has_queue(&s->phases[i], queue) ? s->phases[i].passed : 0;
		if (on < settled && is_ever_on(s, queue))
			return false;
	}
	return true;
}

/* Toggle an event of each PMU. */
static void toggle(struct world *w, struct scene *s)
{
	struct scene_pmu *p;

	scene_for_each_pmu(p, s) {
		if (!p->toggled)
			continue;
		world_disable(w, p->toggled);
		world_enable(w, p->toggled);
	}
}

/* Repeat the cycle. */
static void let_pass(struct world *w, struct scene *s, u64 ns)
{
	unsigned int i, cycles;
	u64 end = w->now + ns;

	for (i = 0; i < s->nr_phases; i++)
		s->phases[i].passed = 0;
	for (cycles = 0; cycles < CYCLES || w->now < end || !is_settled(w, s); cycles++) {
		for (i = 0; i < s->nr_phases; i++) {
			w->local = s->phases[i].local;
			world_switch_to(w, s->phases[i].task, s->phases[i].cgroup);
			world_pass(w, s->phases[i].ns);
			s->phases[i].passed += s->phases[i].ns;
			look(w, s);
		}
		if (s->throttled)
			throttle(w, s);
		toggle(w, s);
	}
}

/* Enable or disable the last member of each group that is joined before the window. */
static void set_members(struct world *w, const struct scene_pmu *p, bool on)
{
	struct perf_event *leader, *last;

	for (unsigned int i = 0; i < p->joins; i++) {
		leader = w->leaders[p->from + i];
		if (!leader->nr_siblings)
			continue;
		last = list_last_entry(&leader->sibling_list, struct perf_event, sibling_list);
		if (on)
			world_enable(w, last);
		else
			world_disable(w, last);
	}
}

/* What comes before the window: groups are restarted, others arrive, pinned ones leave. */
static void change_groups(struct world *w, const struct scene_pmu *p)
{
	unsigned int i;

	for (i = 0; i < p->restarted; i++) {
		world_disable(w, w->leaders[p->from + i]);
		world_enable(w, w->leaders[p->from + i]);
	}
	for (i = 0; i < p->late; i++)
		world_enable(w, w->leaders[p->misfits - 1 - i]);
	set_members(w, p, true);
	for (i = 0; i < p->leaving; i++)
		world_disable(w, w->leaders[p->pinned_from + i]);
	if (p->in_vain)
		world_enable(w, p->in_vain);
}

static void change(struct world *w, struct scene *s)
{
	const struct scene_pmu *p;

	scene_for_each_pmu(p, s)
		change_groups(w, p);
	if (s->interval)
		world_set_interval(w, s->interval);
	if (s->offline)
		world_offline(w);
}

static void forget_scenes(struct world_pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = pmu->cpc;

	for (unsigned int i = 0; i < WORLD_QUEUES; i++) {
		pmu->pmu_ctx[i].vruntime_offset = 0;
		pmu->pmu_ctx[i].plan_at = PERF_PLAN_NOWHERE;
		pmu->pmu_ctx[i].lag = 0;
		pmu->pmu_ctx[i].slice_end = 0;
	}
	for (unsigned int i = 0; i < PERF_SIDES; i++)
		cpc->floors[i] = (struct perf_fair_floor) { .stale = true };
	cpc->lag = 0;
	cpc->lag_to_new = 0;
	cpc->beside_new = false;
	cpc->random = RANDOM;
	cpc->shared = false;
	cpc->slice = 0;
	cpc->slice_end = 0;
	cpc->retry_at = 0;
	cpc->retry_wait = 0;
}

/* To be called at the begin of the window, and at its end. */
static void note_times(struct world *w, struct scene *s)
{
	struct perf_event_times times;

	for (unsigned int i = 0; i < w->nr_groups; i++) {
		perf_event_times(w->leaders[i], w->now, &times);
		s->enabled[i] = times.enabled - s->enabled[i];
		s->ran[i] = times.running - s->ran[i];
	}
}

/* Enable the groups of a PMU that are there from the begin. */
static void begin(struct world *w, struct scene_pmu *p)
{
	forget_scenes(p->pmu);
	p->nr_rotations = p->pmu->nr_rotations;
	world_pmu_work(p->pmu);
	set_members(w, p, false);
	for (unsigned int i = p->pinned_from; i < p->end; i++) {
		if ((i < p->misfits - p->late || i >= p->misfits) && w->leaders[i] != p->in_vain)
			world_enable(w, w->leaders[i]);
	}
}

/**
 * scene_play() - play a scene that was made
 * @w: the world, not locked
 * @s: the scene
 */
void scene_play(struct world *w, struct scene *s)
{
	struct scene_pmu *p;

	world_lock(w);
	world_set_interval(w, WORLD_INTERVAL / NSEC_PER_MSEC);
	scene_for_each_pmu(p, s)
		begin(w, p);
	let_pass(w, s, WINDOW_NS / 2);
	change(w, s);
	note_times(w, s);
	w->counted = s->counted;
	let_pass(w, s, WINDOW_NS);
	w->counted = NULL;
	note_times(w, s);
	world_unlock(w);
}

/**
 * scene_forget() - free the groups of a scene
 * @w: the world, not locked
 */
void scene_forget(struct world *w)
{
	struct perf_event *event, *next, *leader;

	world_lock(w);
	for (unsigned int i = 0; i < w->nr_groups; i++)
		world_disable(w, w->leaders[i]);
	world_unlock(w);
	while (w->nr_groups) {
		leader = w->leaders[--w->nr_groups];
		list_for_each_entry_safe(event, next, &leader->sibling_list, sibling_list)
			kunit_kfree(w->test, event);
		kunit_kfree(w->test, leader);
	}
	w->fault = NULL;
}
