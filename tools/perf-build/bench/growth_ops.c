// SPDX-License-Identifier: GPL-2.0
/* Growth: operations of a task with many events, and of tasks that read or control it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growth.h"

/* The events, and space for one more. */
int many[MOST + 2];

/* State of the operations of a series. */
static struct {
	const struct shape	*shape;
	int			nr;
	struct target		target;
} work;

/* Major faults, which do not occur: the members of groups. */
static struct perf_event_attr member_attr(void)
{
	return kind_attr(SOFTWARE);
}

struct perf_event_attr shape_attr(const struct shape *shape, int i)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (shape->group && i)
		return member_attr();
	/* the number of a tracepoint is dynamic */
	if (shape->type == PERF_TYPE_TRACEPOINT)
		return kind_attr(TRACEPOINT);
	attr.type = shape->type;
	attr.config = shape->config;
	attr.sample_period = shape->period;
	attr.freq = shape->frequency;
	if (shape->period)
		attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

static int open_nth(const struct shape *shape, pid_t pid, int i,
		    void (*change)(struct perf_event_attr *attr))
{
	struct perf_event_attr attr = shape_attr(shape, i);
	int leader = shape->group && i ? many[0] : -1;
	int fd;

	if (change)
		change(&attr);
	fd = shape->on_cpu ? open_event(&attr, -1, 0, leader, 0) :
			     open_event(&attr, pid, -1, leader, 0);
	if (fd < 0)
		die(shape->name);
	return fd;
}

void open_many(const struct shape *shape, pid_t pid, int nr,
	       void (*change)(struct perf_event_attr *attr))
{
	for (int i = 0; i < nr; i++)
		many[i] = open_nth(shape, pid, i, change);
}

void close_many(int nr, bool last_first)
{
	for (int i = 0; i < nr; i++)
		close(many[last_first ? nr - 1 - i : i]);
}

/* In the target: operations on one event beside the others */

static void open_one(void *arg)
{
	int nr = work.nr;

	for (int i = 0; i < times(20); i++) {
		begin();
		many[nr] = open_nth(work.shape, 0, nr, NULL);
		end(OPEN_ONE);
		begin();
		close(many[nr]);
		end(CLOSE_ONE);
	}
}

static void toggle_one(void *arg)
{
	int fd = many[work.nr / 2];

	for (int i = 0; i < times(20); i++) {
		begin();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		end(DISABLE_ONE);
		begin();
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		end(ENABLE_ONE);
	}
}

static void read_one(void *arg)
{
	unsigned long long value[8];

	for (int i = 0; i < times(20); i++) {
		begin();
		if (read(many[work.nr / 2], value, sizeof(value)) <= 0)
			die("read");
		end(READ_ONE);
	}
}

/*
 * Get the cost of a quiet tick. Some ticks also balance the load of other CPUs, so the
 * result is the median of several ticks. The cost of a tick is a jump of the clock in a
 * loop that only reads the clock. JUMP is more than one iteration of the loop takes.
 */
#define JUMP	800
#define TICKS	11

double quiet_tick(void)
{
	double gaps[TICKS];
	long long last = now();

	for (int i = 0; i < TICKS;) {
		long long t = now();

		if (t - last > JUMP)
			gaps[i++] = t - last;
		last = t;
	}
	qsort(gaps, TICKS, sizeof(*gaps), compare_doubles);
	return gaps[TICKS / 4];
}

static void tick(void *arg)
{
	enum op op = work.shape->frequency ? TICK_ALL : TICK;
	double gap;

	begin();
	gap = quiet_tick();
	end(op);
	took(op, gap);
}

static void answer(void *arg)
{
	char c;

	for (int i = 0; i < times(20); i++) {
		begin();
		if (write(work.target.from[1], &c, 1) != 1 ||
		    read(work.target.to[0], &c, 1) != 1)
			die("pipe");
		end(SWITCH);
	}
}

/* As target_run(), but reads the answers of the target meanwhile. */
static void switches(void)
{
	struct target *t = &work.target;
	int rounds = times(20);
	char c = 0;

	t->fn = answer;
	if (write(t->to[1], &c, 1) != 1)
		die("pipe");
	for (int i = 0; i < rounds; i++)
		if (read(t->from[0], &c, 1) != 1 || write(t->to[1], &c, 1) != 1)
			die("pipe");
	if (read(t->from[0], &c, 1) != 1)
		die("pipe");
}

static void nothing_at_all(void *arg)
{
}

/* The target is woken while an event of this task traces wakeups. */
static void wakeups(void)
{
	struct perf_event_attr attr = kind_attr(TRACEPOINT);
	struct target *t = &work.target;
	int fd;
	char c = 0;

	attr.config = tracepoint_id("sched/sched_wakeup");
	fd = open_event(&attr, 0, -1, -1, 0);
	if (fd < 0)
		die("sched_wakeup");
	t->fn = nothing_at_all;
	for (int i = 0; i < times(20); i++) {
		let_sleep();
		begin();
		if (write(t->to[1], &c, 1) != 1)
			die("pipe");
		end(WAKEUP);
		if (read(t->from[0], &c, 1) != 1)
			die("pipe");
	}
	close(fd);
}

/* In the target: operations on all events */

static void toggle_each(void *arg)
{
	if (!fits(DISABLE_EACH) || !fits(ENABLE_EACH))
		return;
	begin();
	for (int i = 0; i < work.nr; i++)
		ioctl(many[i], PERF_EVENT_IOC_DISABLE, 0);
	end(DISABLE_EACH);
	begin();
	for (int i = 0; i < work.nr; i++)
		ioctl(many[i], PERF_EVENT_IOC_ENABLE, 0);
	end(ENABLE_EACH);
}

static void toggle_group(void *arg)
{
	for (int i = 0; i < 3; i++) {
		if (!fits(DISABLE_GROUP) || !fits(ENABLE_GROUP))
			return;
		begin();
		ioctl(many[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		end(DISABLE_GROUP);
		begin();
		ioctl(many[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		end(ENABLE_GROUP);
	}
}

/* prctl() on all events that this task has opened, for the target or the CPU. */
static void prctls(void)
{
	if (!fits(PRCTL_DISABLE) || !fits(PRCTL_ENABLE))
		return;
	begin();
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	end(PRCTL_DISABLE);
	begin();
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	end(PRCTL_ENABLE);
}

static void open_all(const struct shape *shape, int nr,
		     void (*change)(struct perf_event_attr *attr))
{
	let_sleep();
	begin();
	open_many(shape, work.target.pid, nr, change);
	end(OPEN_ALL);
}

static void close_all(int nr, bool last_first)
{
	let_sleep();
	begin();
	close_many(nr, last_first);
	end(last_first ? CLOSE_LAST : CLOSE_FIRST);
}

/*
 * The series
 */

static void group_format(struct perf_event_attr *attr)
{
	attr->read_format = PERF_FORMAT_GROUP;
}

static void read_group(void *arg)
{
	static unsigned long long values[2 * MOST];

	for (int i = 0; i < times(5); i++) {
		begin();
		if (read(many[0], values, sizeof(values)) <= 0)
			die("read");
		end(READ_GROUP);
	}
}

/* A read is limited to 16 KiB, so a group has at most this number of members. */
#define MOST_READ	2000

static void grow_read_group(const struct shape *shape, int nr)
{
	open_many(shape, work.target.pid, nr, group_format);
	target_run(&work.target, read_group, NULL);
	close_many(nr, true);
}

/* All operations on the task's own events, from open to close. */
void grow_life(const struct shape *shape, int nr)
{
	target_start(&work.target);
	work.shape = shape;
	work.nr = nr;
	open_all(shape, nr, NULL);
	target_run(&work.target, open_one, NULL);
	target_run(&work.target, toggle_one, NULL);
	target_run(&work.target, read_one, NULL);
	target_run(&work.target, tick, NULL);
	switches();
	wakeups();
	target_run(&work.target, shape->group ? toggle_group : toggle_each, NULL);
	prctls();
	close_all(nr, false);

	open_many(shape, work.target.pid, nr, NULL);
	close_all(nr, true);
	if (shape->group && nr <= MOST_READ)
		grow_read_group(shape, nr);
	target_stop(&work.target);
}

static void inherited(struct perf_event_attr *attr)
{
	attr->inherit = 1;
	attr->inherit_stat = 1;
}

/* The child reports its begin and its end. */
static void young(void *arg)
{
	end(FORK);
	begin();
}

static void forks(void *arg)
{
	for (int i = 0; i < 3; i++) {
		bool both = fits(FORK) & fits(EXIT);
		pid_t pid;

		if (!both)
			break;
		begin();
		pid = start_child(young, NULL, NULL);
		if (pid < 0)
			die("fork");
		waitpid(pid, NULL, 0);
		end(EXIT);
	}
}

/* Fork and exit of a task with inherited events. */
void grow_task(const struct shape *shape, int nr)
{
	target_start(&work.target);
	open_all(shape, nr, inherited);
	target_run(&work.target, forks, NULL);
	close_all(nr, true);
	target_stop(&work.target);
}

static void wait_for_exec(struct perf_event_attr *attr)
{
	attr->disabled = 1;
	attr->enable_on_exec = 1;
}

/*
 * Written by a child and by the program that it executes: when each of them began, when it
 * was about to exit, and the longest section of the exec.
 */
static struct stamps {
	long long	exec;
	long long	began;
	long long	ends;
	bool		tracing;
	long long	off;
	char		where[WHERE];
} *stamps;

static void executes(int go, int file)
{
	char text[16], c;

	if (read(go, &c, 1) != 1)
		_exit(1);
	snprintf(text, sizeof(text), "%d", file);
	begin();
	stamps->tracing = tracing;
	stamps->exec = now();
	execl("/proc/self/exe", "bench", "--stamp", text, NULL);
	_exit(1);
}

/* The program that the child executes. */
void stamp(int file)
{
	struct stamps *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED,
				 file, 0);

	at->began = now();
	tracing = at->tracing;
	if (tracing)
		section_end(&at->off, at->where);
	begin();
	at->ends = now();
	_exit(0);
}

/*
 * Exec of a child with the events, and its exit. The child has no descriptors of the
 * events, because closing these is not part of either operation.
 */
void grow_exec(const struct shape *shape, int nr)
{
	int go[2], file = memfd_create("stamps", 0);
	pid_t pid;

	if (!(fits(EXEC) & fits(EXIT_OWN)))
		return;
	if (file < 0 || ftruncate(file, sizeof(*stamps)) || pipe(go))
		die("memfd");
	stamps = mmap(NULL, sizeof(*stamps), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (stamps == MAP_FAILED)
		die("mmap");
	pid = fork();
	if (!pid)
		executes(go[0], file);
	if (pid < 0)
		die("fork");
	open_many(shape, pid, nr, wait_for_exec);
	if (write(go[1], "", 1) != 1)
		die("pipe");
	waitpid(pid, NULL, 0);
	begun_at(stamps->ends);
	end(EXIT_OWN);
	took(EXEC, stamps->began - stamps->exec);
	if (tracing)
		section_was(EXEC, stamps->off, stamps->where);
	close_many(nr, false);
	close(go[0]);
	close(go[1]);
	close(file);
	munmap(stamps, sizeof(*stamps));
}
