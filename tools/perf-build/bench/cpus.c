// SPDX-License-Identifier: GPL-2.0
/*
 * A task with events for each CPU, as perf record opens them for a command: the cost of a
 * fork, an exit, a switch and a tick on a machine with many CPUs.
 *
 * bench --cpus: rows as in the other modes; "without" is the cost without events. The
 * number is the number of the task's events, on all CPUs, or on all CPUs but the one on
 * which the task runs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growth.h"

#define FORKS	9
#define ROUNDS	41

/* Maximum of events per CPU. */
#define EACH	8

static int per_cpu[EACH * 512];
static int nr_open;

static void open_for_cpus(const struct perf_event_attr *attr, pid_t pid, int first,
			  int each)
{
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (nr_cpus > 512)
		nr_cpus = 512;
	nr_open = 0;
	for (int i = 0; i < each; i++)
		for (int cpu = first; cpu < nr_cpus; cpu++) {
			int fd = open_event(attr, pid, cpu, -1, 0);

			if (fd < 0)
				die("an event for a CPU");
			per_cpu[nr_open++] = fd;
		}
}

static void close_for_cpus(void)
{
	while (nr_open)
		close(per_cpu[--nr_open]);
}

/* Costs of one target: each figure is the median of several. */
struct costs {
	double	life;
	double	round;
	double	tick;
};

static struct target target;

static double middle_of(double *figures, int nr)
{
	qsort(figures, nr, sizeof(*figures), compare_doubles);
	return figures[nr / 2];
}

static void nothing_more(void *arg)
{
}

static void lives(void *arg)
{
	struct costs *costs = arg;
	double took[FORKS];

	for (int i = 0; i < FORKS; i++) {
		long long start = now();
		pid_t pid = start_child(nothing_more, NULL, NULL);

		if (pid < 0)
			die("fork");
		waitpid(pid, NULL, 0);
		took[i] = now() - start;
	}
	costs->life = middle_of(took, FORKS);
	costs->tick = quiet_tick();
}

/* Switch to the target, which does nothing, and back. */
static double round_trip(void)
{
	double took[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		long long start = now();

		target_run(&target, nothing_more, NULL);
		took[i] = now() - start;
	}
	return middle_of(took, ROUNDS);
}

static void measure_target(struct costs *costs)
{
	target_run(&target, lives, costs);
	costs->round = round_trip();
}

static void cost_row(const char *what, const char *kind, double without, double with)
{
	row(what, kind, nr_open, (struct cost){ without, true },
	    (struct cost){ with, true });
}

/* @first is the first CPU with events. This task and the target run on CPU 0. */
static void rows_of(const char *kind, const struct perf_event_attr *attr, int first,
		    int each, const struct costs *without)
{
	struct costs costs;

	target_start(&target);
	open_for_cpus(attr, target.pid, first, each);
	measure_target(&costs);
	cost_row("fork and exit", kind, without->life, costs.life);
	cost_row("switch there and back", kind, without->round, costs.round);
	cost_row("tick", kind, without->tick, costs.tick);
	close_for_cpus();
	target_stop(&target);
}

void bench_cpus(void)
{
	struct perf_event_attr counts = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(counts),
		.config		= PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		.inherit	= 1,
	}, clocks = counts, samples = counts;
	struct costs without;

	clocks.config = PERF_COUNT_SW_TASK_CLOCK;
	samples.freq = 1;
	samples.sample_freq = 100;
	samples.sample_type = PERF_SAMPLE_IP;

	enough_files();
	alone_here();
	target_start(&target);
	measure_target(&without);
	target_stop(&target);
	for (int each = 1; each <= EACH; each *= EACH) {
		rows_of("software", &counts, 0, each, &without);
		rows_of("software, other CPUs", &counts, 1, each, &without);
		rows_of("task-clock", &clocks, 0, each, &without);
		rows_of("sampled at a frequency", &samples, 0, each, &without);
		rows_of("sampled so, other CPUs", &samples, 1, each, &without);
	}
}
