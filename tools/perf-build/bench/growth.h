/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growth of the cost of operations with the number of events: declarations for the tables,
 * the operations, and the second task that executes them.
 *
 * The events belong to a target: a task that shares memory and descriptors with the main
 * task. It sleeps while events are opened on it, and then runs a function. So opening
 * thousands of events does not take long, even on a kernel in which each change costs more
 * for a running task with many events.
 */
#ifndef GROWTH_H
#define GROWTH_H

#include <stdbool.h>

#include "bench.h"

#define MOST	8000
#define WHERE	320	/* bytes of the description of a section */

/*
 * Operations.
 *
 * The table in growth.c has the name of each operation, and whether it is for one event or
 * for all.
 */
enum op {
	OPEN_ALL,
	CLOSE_FIRST,
	CLOSE_LAST,
	OPEN_ONE,
	CLOSE_ONE,
	DISABLE_ONE,
	ENABLE_ONE,
	DISABLE_EACH,
	ENABLE_EACH,
	DISABLE_GROUP,
	ENABLE_GROUP,
	PRCTL_DISABLE,
	PRCTL_ENABLE,
	READ_ONE,
	READ_GROUP,
	TICK,
	TICK_ALL,
	SWITCH,
	WAKEUP,
	FORK,
	EXIT,
	EXEC,
	EXIT_OWN,
	MMAP_ALL,
	MUNMAP_ALL,
	MMAP_ONE,
	MUNMAP_ONE,
	MUNMAP_SHARED,
	SET_OUTPUT_ALL,
	UNSET_OUTPUT_ALL,
	SET_OUTPUT_ONE,
	UNSET_OUTPUT_ONE,
	CGROUP_ENTER,
	CGROUP_LEAVE,
	CGROUP_OTHER,
	NR_OPS,
};

/**
 * struct shape - properties of the events
 * @name: name in the tables
 * @type: type of the leader, or of all single events
 * @config: config of the same events
 * @period: sample period; 0: the events count
 * @frequency: @period is a frequency
 * @group: all events are in one group; the siblings count major faults
 * @on_cpu: the events are for CPU 0 instead of the target
 */
struct shape {
	const char		*name;
	unsigned int		type;
	unsigned long long	config;
	unsigned long long	period;
	bool			frequency;
	bool			group;
	bool			on_cpu;
};

/* growth.c: measurement */

extern bool tracing;

bool fits(enum op op);
void begin(void);
void begun_at(long long time);
void end(enum op op);
void section_end(long long *off, char *where);
void section_was(enum op op, long long off, const char *where);
void took(enum op op, double cost);
int times(int most);
void enough_files(void);
void alone_here(void);

/* target.c: the second task */

typedef void (*job_fn)(void *arg);

struct target {
	pid_t	pid;
	int	to[2];
	int	from[2];
	job_fn	fn;
	void	*arg;
	char	*stack;
};

void let_sleep(void);
void target_start(struct target *t);
void target_run(struct target *t, job_fn fn, void *arg);
void target_stop(struct target *t);
pid_t start_child(job_fn fn, void *arg, char *stack);

/* growth_ops.c: operations on events of a shape */

extern int many[MOST + 2];

struct perf_event_attr shape_attr(const struct shape *shape, int i);
void open_many(const struct shape *shape, pid_t pid, int nr,
	       void (*change)(struct perf_event_attr *attr));
void close_many(int nr, bool last_first);

void grow_life(const struct shape *shape, int nr);
void grow_task(const struct shape *shape, int nr);
void grow_exec(const struct shape *shape, int nr);
void stamp(int file);

/* growth_buffers.c: ring buffers and cgroups */

void grow_mmap(const struct shape *shape, int nr);
void grow_output(const struct shape *shape, int nr);
void grow_cgroup(const struct shape *shape, int nr);

double quiet_tick(void);

#endif /* GROWTH_H */
