/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: a simulated CPU and its tasks, whose events share fake PMUs, in simulated time.
 */
#ifndef _KERNEL_EVENTS_SCHED_WORLD_H
#define _KERNEL_EVENTS_SCHED_WORLD_H

#include <kunit/test.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "fake_counters.h"
#include "../sched/sched.h"

#define WORLD_MAX_GROUPS	256
#define WORLD_PMUS	3

/*
 * indices of pmu_ctxs: of the CPU, of two tasks, of the CPU's cgroup, and of the first task's
 * events that are bound to the CPU
 */
#define WORLD_CPU	0
#define WORLD_TASKS	2
#define WORLD_CGROUP	3
#define WORLD_LOCAL	4
#define WORLD_QUEUES	5
#define WORLD_NO_TASK	0
#define WORLD_BOUND_TASK	1

#define WORLD_INTERVAL	(4ULL * NSEC_PER_MSEC)
#define ROTATIONS(_nr)	((_nr) * WORLD_INTERVAL)

/**
 * struct world_pmu - one PMU of a simulated CPU
 * @fake: the PMU
 * @cpc: the PMU's state in the core, of the CPU that the test runs on
 * @here: the counters of that CPU
 * @pmu_ctx: pmu_ctx of each context of the world, of the cgroup, and of what is bound
 * @nr_rotations: number of rotations so far
 */
struct world_pmu {
	struct fake_pmu			fake;
	struct perf_cpu_pmu_context	*cpc;
	struct fake_cpu			*here;
	struct perf_event_pmu_context	pmu_ctx[WORLD_QUEUES];
	unsigned int			nr_rotations;
};

/**
 * struct world - simulated CPU of one test
 * @test: the test
 * @pmus: the PMUs
 * @nr_pmus: number of PMUs: one, unless the test adds more
 * @pmu: the first PMU
 * @software: the PMU of software members, or NULL
 * @ctx: contexts: the context of the CPU, then the contexts of the tasks
 * @cgroup: sub-context of the CPU's context, for a cgroup
 * @bound: sub-context of the first task's context, for events that are bound to a CPU
 * @local: the next switch to that task schedules @bound in: the CPU stands for the one that the
 *	events are bound to, otherwise for another one
 * @elsewhere: this CPU is not the CPU of the CPU's context, and has tasks only
 * @task: index of the running task, or WORLD_NO_TASK
 * @now: simulated time in ns
 * @leaders: leaders of all groups
 * @since: for how long each of them had run when world_since_now() was called, ns
 * @counted: for how long each of them had counters, ns; NULL if that is not noted
 * @nr_groups: number of groups
 * @fault: description of the first broken rule, or NULL
 */
struct world {
	struct kunit			*test;
	struct world_pmu		pmus[WORLD_PMUS];
	unsigned int			nr_pmus;
	struct world_pmu		*pmu;
	struct world_pmu		*software;
	struct perf_event_context	ctx[1 + WORLD_TASKS];
	struct perf_subctx		cgroup;
	struct perf_subctx		bound;
	bool				local;
	bool				elsewhere;
	unsigned int			task;
	u64				now;
	struct perf_event		*leaders[WORLD_MAX_GROUPS];
	u64				since[WORLD_MAX_GROUPS];
	u64				*counted;
	unsigned int			nr_groups;
	const char			*fault;
};

/**
 * struct world_work - calls of a PMU since the last call of world_pmu_work()
 * @adds: number of events that got a counter
 * @dels: number of events that lost their counter
 * @misfits: number of events for which no counter was free
 * @batches: number of successful calls of add_batch(), and of calls of del_batch()
 */
struct world_work {
	unsigned int adds;
	unsigned int dels;
	unsigned int misfits;
	unsigned int batches;
};

#define world_for_each_pmu(_pmu, _w) \
	for ((_pmu) = (_w)->pmus; (_pmu) < (_w)->pmus + (_w)->nr_pmus; (_pmu)++)

/* The PMU of an event, which is the PMU of its group unless the event is a software member. */
static inline struct world_pmu *world_pmu_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct world_pmu, fake.pmu);
}

/* The number of members of a group that need counters of its PMU, enabled or not. */
static inline unsigned int world_group_size(struct perf_event *leader)
{
	struct perf_event *event;
	unsigned int size = 0;

	perf_group_for_each(event, leader)
		size += event->pmu == leader->pmu;
	return size;
}

int world_init(struct kunit *test);
void world_exit(struct kunit *test);
struct world_pmu *world_add_pmu(struct world *w);
struct world_pmu *world_add_software_pmu(struct world *w);
void world_lock(struct world *w);
void world_unlock(struct world *w);
void world_go(struct world *w, unsigned int cpu, bool elsewhere);

struct perf_event *world_pmu_group(struct world *w, struct world_pmu *pmu, unsigned int pmu_ctx,
				   unsigned int size, const struct perf_event_attr *attr);
struct perf_event *world_group(struct world *w, unsigned int pmu_ctx, unsigned int size,
			       const struct perf_event_attr *attr);
void world_join(struct world *w, struct perf_event *leader);
void world_groups(struct world *w, unsigned int pmu_ctx, unsigned int nr);
void world_enable(struct world *w, struct perf_event *event);
void world_disable(struct world *w, struct perf_event *event);
void world_enable_all(struct world *w);
void world_switch_to(struct world *w, unsigned int task, bool cgroup);
void world_switch(struct world *w, unsigned int task);
void world_cgroup(struct world *w, bool on);
void world_offline(struct world *w);
void world_set_interval(struct world *w, unsigned int ms);
void world_pass(struct world *w, u64 ns);
void world_poke(struct world *w, u64 count);
void world_check(struct world *w);

struct world_work world_pmu_work(struct world_pmu *pmu);
struct world_work world_work(struct world *w);
u64 world_running(struct world *w, struct perf_event *event);
u64 world_expected(struct perf_event *event);
u64 world_count(struct perf_event *event);
u64 world_spread(struct world *w, unsigned int from, unsigned int to);
void world_since_now(struct world *w);
void world_share_for(struct world *w, u64 ms);
u64 world_ran_together(struct world *w, unsigned int from, unsigned int to);
void world_expect_ran(struct world *w, unsigned int from, unsigned int to,
		      u64 least_ms, u64 most_ms);
void world_expect_sound(struct world *w);

#endif /* _KERNEL_EVENTS_SCHED_WORLD_H */
