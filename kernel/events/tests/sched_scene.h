/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: pseudo-random scenes of a simulated CPU. Groups of the CPU, of a cgroup and of two tasks,
 * and groups of a task that are bound to a CPU, share one or two PMUs for a while. Then something
 * changes, and in the window after that it is noted for how long each group has run.
 */
#ifndef _KERNEL_EVENTS_SCHED_SCENE_H
#define _KERNEL_EVENTS_SCHED_SCENE_H

#include <linux/bitfield.h>
#include <linux/prandom.h>

#include "../sched/cpu_pmu.h"
#include "../sched/sides.h"
#include "sched_world.h"

#define SCENE_PHASES	4

/**
 * struct scene_phase - a part of the cycle that a scene repeats
 * @task: index of the task that runs, or WORLD_NO_TASK
 * @cgroup: a task of the cgroup runs
 * @local: the first task runs on the CPU that some of its events are bound to
 * @ns: its length
 * @passed: how long the phase lasted in the window, in all cycles, ns
 */
struct scene_phase {
	unsigned int	task;
	bool		cgroup;
	bool		local;
	u64		ns;
	u64		passed;
};

/**
 * struct scene_pmu - what a seed makes for a PMU
 * @name: the seed and the PMU, for messages
 * @pmu: the PMU
 * @counters: number of counters
 * @pinned: number of pinned events of each pmu_ctx
 * @leaves: number of pinned events of the CPU that are closed before the window
 * @leaving: number of their groups, which are the first ones
 * @mask: the counters that events of a kind fit on, or 0 if there are no such events
 * @shared: some events need a value in the shared register
 * @exclusive: there is a flexible exclusive group
 * @pinned_from: index of the first group, a pinned one unless there is none
 * @from: index of the first flexible group that fits, at the end
 * @misfits: index of the first group that does not fit
 * @end: index of the last group, plus one
 * @restarted: number of groups that are disabled and enabled before the window
 * @late: number of groups that are enabled before the window
 * @joins: number of groups that are joined by their last member before the window
 * @in_vain: a pinned group that cannot fit is enabled before the window, or NULL
 * @toggled: an event that is toggled, or NULL
 * @nr_rotations: number of rotations at the last look
 * @idle: how often counters were not in use while a group waited that fits
 * @busy: how often more was done than the rotations and the switches of a phase may do
 */
struct scene_pmu {
	char			name[32];
	struct world_pmu	*pmu;
	unsigned int		counters;
	unsigned int		pinned[WORLD_QUEUES];
	unsigned int		leaves;
	unsigned int		leaving;
	unsigned long		mask;
	bool			shared;
	bool			exclusive;
	unsigned int		pinned_from;
	unsigned int		from;
	unsigned int		misfits;
	unsigned int		end;
	unsigned int		restarted;
	unsigned int		late;
	unsigned int		joins;
	struct perf_event	*in_vain;
	struct perf_event	*toggled;
	unsigned int		nr_rotations;
	unsigned int		idle;
	unsigned int		busy;
};

/**
 * struct scene - what a seed makes
 * @seed: the seed
 * @rnd: what the seed gives next
 * @more: the same for what not all scenes have
 * @grouped: pinned events are in groups
 * @joined: some groups have software members
 * @pmus: the PMUs
 * @nr_pmus: number of PMUs
 * @brief: the phases may be shorter than a slice
 * @throttled: events are throttled now and then
 * @interval: the multiplexing interval in the window, ms, or 0 if it does not change
 * @offline: the CPU goes offline before the window, and comes back
 * @nr_phases: number of phases of the cycle
 * @phases: the phases
 * @looks: how often the scene was looked at
 * @ran: time_running of each group in the window, ns
 * @enabled: time_enabled of each group in the window, ns
 * @counted: for how long each group had counters in the window, ns
 */
struct scene {
	unsigned int		seed;
	struct rnd_state	rnd;
	struct rnd_state	more;
	bool			grouped;
	bool			joined;
	struct scene_pmu	pmus[WORLD_PMUS];
	unsigned int		nr_pmus;
	bool			brief;
	bool			throttled;
	unsigned int		interval;
	bool			offline;
	unsigned int		nr_phases;
	struct scene_phase	phases[SCENE_PHASES];
	unsigned int		looks;
	u64			ran[WORLD_MAX_GROUPS];
	u64			enabled[WORLD_MAX_GROUPS];
	u64			counted[WORLD_MAX_GROUPS];
};

/* Is the pmu_ctx of that index scheduled in during a phase? */
static inline bool scene_has_queue(const struct scene_phase *phase, unsigned int queue)
{
	switch (queue) {
	case WORLD_CPU:
		return true;
	case WORLD_CGROUP:
		return phase->cgroup;
	case WORLD_LOCAL:
		return phase->local;
	default:
		return queue == phase->task;
	}
}

/* Are the events of the pmu_ctx enabled during a phase? Bound ones are on each CPU. */
static inline bool scene_enables(const struct scene_phase *phase, unsigned int queue)
{
	return queue == WORLD_LOCAL ? phase->task == WORLD_BOUND_TASK :
				      scene_has_queue(phase, queue);
}

/* The counters that the events of a group fit on, or 0 for all. */
static inline unsigned long scene_mask(const struct perf_event *leader)
{
	return FIELD_GET(FAKE_MASK, leader->attr.config);
}

/* The value that the events of a group need in the shared register, or 0. */
static inline unsigned int scene_shared(const struct perf_event *leader)
{
	return FIELD_GET(FAKE_SHARED, leader->attr.config);
}

static inline unsigned int scene_queue(const struct perf_event *leader)
{
	return leader->pmu_ctx - world_pmu_of(leader)->pmu_ctx;
}

#define scene_for_each_pmu(_p, _s) \
	for ((_p) = (_s)->pmus; (_p) < (_s)->pmus + (_s)->nr_pmus; (_p)++)

void scene_make(struct world *w, struct scene *s, unsigned int seed);
void scene_play(struct world *w, struct scene *s);
void scene_forget(struct world *w);
unsigned int scene_room(const struct scene_pmu *p, const struct scene_phase *phase);

#endif /* _KERNEL_EVENTS_SCHED_SCENE_H */
