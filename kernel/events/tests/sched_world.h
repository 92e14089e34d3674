/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: a CPU and its tasks, whose events share a fake PMU, in a time of their own.
 */
#ifndef _KERNEL_EVENTS_SCHED_WORLD_H
#define _KERNEL_EVENTS_SCHED_WORLD_H

#include <kunit/test.h>

#include "../base/contexts.h"
#include "../context/context.h"
#include "fake_counters.h"
#include "../sched/sched.h"

#define WORLD_MAX_GROUPS	256

/* queues: the CPU's, two tasks', and one of the CPU's for a cgroup */
#define WORLD_CPU	0
#define WORLD_TASKS	2
#define WORLD_CGROUP	3
#define WORLD_QUEUES	4
#define WORLD_NOBODY	0

#define WORLD_INTERVAL	(4 * NSEC_PER_MSEC)

/**
 * struct world - one test
 * @test: the test
 * @fake: the PMU
 * @cpc: the core's side of it on the CPU that the test runs on
 * @here: the fake's
 * @ctx: contexts, the CPU's own first
 * @pmu_ctx: of each, and of @cgroup
 * @cgroup: a set of the CPU's context, off
 * @task: index of the one that runs, or WORLD_NOBODY
 * @now: the time
 * @leaders: groups
 * @nr_groups: how many
 * @nr_rotations: so far
 * @fault: the first rule that was found broken, or NULL
 */
struct world {
	struct kunit			*test;
	struct fake_pmu			fake;
	struct perf_cpu_pmu_context	*cpc;
	struct fake_cpu			*here;
	struct perf_event_context	ctx[1 + WORLD_TASKS];
	struct perf_event_pmu_context	pmu_ctx[WORLD_QUEUES];
	struct perf_subctx		cgroup;
	unsigned int			task;
	u64				now;
	struct perf_event		*leaders[WORLD_MAX_GROUPS];
	unsigned int			nr_groups;
	unsigned int			nr_rotations;
	const char			*fault;
};

/**
 * struct world_work - what the PMU was told in some stretch of time
 * @adds: events that came on
 * @dels: events that went off
 * @misfits: events that were tried in vain
 * @batches: calls by which several came on, or went off, at once
 */
struct world_work {
	unsigned int adds;
	unsigned int dels;
	unsigned int misfits;
	unsigned int batches;
};

int world_init(struct kunit *test);
void world_exit(struct kunit *test);
void world_lock(struct world *w);
void world_unlock(struct world *w);

struct perf_event *world_group(struct world *w, unsigned int pmu_ctx, unsigned int size,
			       const struct perf_event_attr *attr);
void world_groups(struct world *w, unsigned int pmu_ctx, unsigned int nr);
void world_enable(struct world *w, struct perf_event *event);
void world_disable(struct world *w, struct perf_event *event);
void world_enable_all(struct world *w);
void world_switch(struct world *w, unsigned int task);
void world_cgroup(struct world *w, bool on);
void world_pass(struct world *w, u64 ns);
void world_poke(struct world *w, u64 count);
void world_check(struct world *w);

struct world_work world_work(struct world *w);
u64 world_running(struct world *w, struct perf_event *event);
u64 world_expected(struct perf_event *event);
u64 world_count(struct perf_event *event);
u64 world_spread(struct world *w, unsigned int from, unsigned int to);

#endif /* _KERNEL_EVENTS_SCHED_WORLD_H */
