// SPDX-License-Identifier: GPL-2.0
/*
 * The context switch: two tasks send a byte to each other in turn. An operation is one
 * round, two switches.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define ROUNDS		100
#define ROUNDS_NS	12000000LL	/* time of the measurement with each partner */
#define PARTNERS	3
#define MAX_CGROUPS	100

/* The other task, and the pipes to it and from it. */
struct partner {
	int	to[2];
	int	from[2];
	pid_t	pid;
};

static void answer(const struct partner *p)
{
	char c;

	while (read(p->to[0], &c, 1) == 1)
		if (write(p->from[1], &c, 1) != 1)
			break;
	_exit(0);
}

static void partner_start(struct partner *p)
{
	if (pipe(p->to) || pipe(p->from))
		die("pipe");
	p->pid = fork();
	if (p->pid < 0)
		die("fork");
	close(p->pid ? p->to[0] : p->to[1]);
	close(p->pid ? p->from[1] : p->from[0]);
	if (!p->pid)
		answer(p);
}

static void partner_stop(struct partner *p)
{
	close(p->to[1]);
	close(p->from[0]);
	waitpid(p->pid, NULL, 0);
}

static void rounds(void *arg)
{
	struct partner *p = arg;
	char c = 0;

	for (int i = 0; i < ROUNDS; i++)
		if (write(p->to[1], &c, 1) != 1 || read(p->from[0], &c, 1) != 1)
			die("pipe");
}

/*
 * With each partner the cost of scheduling settles at one of several values, and the
 * difference may be larger than the cost of events. So measure with several partners, and
 * return the smallest cost.
 */
static struct cost measure_rounds(void)
{
	struct cost best = { 0, false };

	for (int i = 0; i < PARTNERS; i++) {
		struct partner p;
		struct cost cost;

		partner_start(&p);
		cost = measure_for(rounds, &p, ROUNDS, ROUNDS_NS);
		partner_stop(&p);
		if (!i || cost.each < best.each)
			best = cost;
	}
	return best;
}

/*
 * Events are of one of the two tasks, or, if inherited, of both, or of the CPU. The static
 * key of the scheduler's hooks is disabled a second after the last event of a task was
 * closed. Rotation has rows of its own. Events of the CPU also rotate while other tasks
 * run, so their slices are set to the length of many measurements.
 */
static void switch_rows(const char *what, enum kind kind, struct options how)
{
	static const int numbers[] = { 1, 4, 16, 64, 256 };
	struct cost without;

	if (!wanted(what) || !kind_works(kind))
		return;
	sleep(2);
	if (how.cpu_wide && kind == HARDWARE)
		set_turns(250 * TURN_MS);
	without = measure_rounds();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		/* one group must fit on the counters */
		if (how.group && kind == HARDWARE && numbers[i] > 4)
			break;
		open_events(kind, numbers[i], how);
		row(what, kind_names[kind], numbers[i], without, measure_rounds());
		close_events(numbers[i]);
	}
	if (how.cpu_wide && kind == HARDWARE)
		set_turns(TURN_MS);
}

void bench_switch(void)
{
	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		switch_rows("switch", kind, (struct options){});
		switch_rows("switch, one group", kind,
			    (struct options){ .group = true });
		switch_rows("switch, inherited", kind,
			    (struct options){ .inherit = true });
		switch_rows("switch, of the CPU", kind,
			    (struct options){ .cpu_wide = true });
	}
}

/*
 * An event that samples rarely, without and with records of calls: their stack belongs to the
 * task, and is saved and restored at each switch.
 */
void bench_switch_calls(void)
{
	static const char what[] = "switch, sampling event";
	struct perf_event_attr attr = kind_attr(HARDWARE);
	struct cost without;

	if (!wanted(what) || !kind_works(HARDWARE))
		return;
	sleep(2);
	without = measure_rounds();
	attr.sample_period = 1ULL << 40;
	attr.sample_type = PERF_SAMPLE_IP;
	for (int calls = 0; calls < 2; calls++) {
		int fd;

		if (calls) {
			attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
			attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK |
						  PERF_SAMPLE_BRANCH_USER;
		}
		fd = open_event(&attr, 0, -1, -1, 0);
		if (fd < 0)
			break;
		row(what, calls ? "call stack" : "ip", 1, without, measure_rounds());
		close(fd);
	}
}

static const char cgroup_root[] = "/tmp/bench-cgroup";

static void move_to_cgroup(pid_t pid, const char *dir)
{
	char path[96], text[16];
	int fd, len;

	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", cgroup_root, dir);
	len = snprintf(text, sizeof(text), "%d", pid);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, len) != len)
		die(path);
	close(fd);
}

/* One event for each of @nr cgroups; the partner is in the first one. */
static void cgroup_row(int nr, struct cost without)
{
	static int dirs[MAX_CGROUPS], fds[MAX_CGROUPS];
	char path[96];
	struct partner p;

	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%d", cgroup_root, i);
		if (mkdir(path, 0700))
			die(path);
		dirs[i] = open(path, O_RDONLY | O_DIRECTORY);
		open_events(SOFTWARE, 1, (struct options){
			.cpu_wide = true, .cgroup = dirs[i] });
		fds[i] = events[0];
	}
	partner_start(&p);
	move_to_cgroup(p.pid, "0");
	row("switch, between cgroups", kind_names[SOFTWARE], nr, without,
	    measure(rounds, &p, ROUNDS));
	move_to_cgroup(p.pid, ".");
	partner_stop(&p);
	while (nr--) {
		close(fds[nr]);
		close(dirs[nr]);
		snprintf(path, sizeof(path), "%s/%d", cgroup_root, nr);
		rmdir(path);
	}
}

void bench_cgroup(void)
{
	struct cost without;
	struct partner p;

	if (!wanted("switch, between cgroups"))
		return;
	mkdir(cgroup_root, 0700);
	if (mount("none", cgroup_root, "cgroup", 0, "perf_event"))
		die("a cgroup hierarchy for perf_event");
	mkdir("/tmp/bench-cgroup/other", 0700);
	partner_start(&p);
	move_to_cgroup(p.pid, "other");
	without = measure(rounds, &p, ROUNDS);
	move_to_cgroup(p.pid, ".");
	partner_stop(&p);
	rmdir("/tmp/bench-cgroup/other");

	cgroup_row(1, without);
	cgroup_row(10, without);
	cgroup_row(100, without);
	umount(cgroup_root);
	rmdir(cgroup_root);
}
