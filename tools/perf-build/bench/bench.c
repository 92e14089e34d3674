// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark's frame: measuring, printing, and which rows there are.
 *
 * bench [WORD...]: the rows whose names have one of the words in them, or all.
 * Prints a line a row, with tabs: name, kind of event, number of events, cost
 * without, cost with (both per operation), and "steady", or "unsteady" when passes
 * did not agree.
 *
 * bench --smp: what smp.c counts. A line a row: name, kind, number, and what one
 * operation adds in interrupts between CPUs, spinning locks, sleeping locks.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

/* The two cheapest passes have to agree: no tick and no stranger fell into them. */
#define MIN_PASSES	3
#define MAX_PASSES	30
#define AGREEMENT	1.005

const struct cost nothing = { 0, true };

static char **words;

void die(const char *what)
{
	perror(what);
	exit(1);
}

long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

struct cost measure(pass_fn pass, void *arg, long operations)
{
	long long best = -1, second = -1;
	int passes;

	pass(arg);	/* what is done only once */
	for (passes = 0; passes < MAX_PASSES; passes++) {
		long long took = now();

		pass(arg);
		took = now() - took;
		if (best < 0 || took < best) {
			second = best;
			best = took;
		} else if (second < 0 || took < second) {
			second = took;
		}
		if (passes + 1 >= MIN_PASSES && second <= best * AGREEMENT)
			break;
	}
	return (struct cost){
		.each	= (double)best / operations,
		.agreed	= passes < MAX_PASSES,
	};
}

void row(const char *what, const char *kind, int nr, struct cost without,
	 struct cost with)
{
	printf("%s\t%s\t%d\t%.1f\t%.1f\t%s\n", what, kind, nr, without.each,
	       with.each, without.agreed && with.agreed ? "steady" : "unsteady");
	fflush(stdout);
}

/* Where "without events" is nothing at all. */
void row_plain(const char *what, const char *kind, int nr, struct cost with)
{
	row(what, kind, nr, nothing, with);
}

bool wanted(const char *what)
{
	if (!*words)
		return true;
	for (char **word = words; *word; word++)
		if (strstr(what, *word))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct rlimit files = { 2 * MAX_EVENTS, 2 * MAX_EVENTS };
	cpu_set_t one;

	/* what the row for exec becomes */
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	words = argv + 1;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");

	if (argc == 2 && !strcmp(argv[1], "--smp")) {
		bench_smp();
		return 0;
	}
	bench_switch();
	bench_cgroup();
	bench_open();
	bench_toggle();
	bench_read();
	bench_fault();
	bench_overflow();
	bench_wakeup();
	bench_mmap();
	bench_rotation();
	bench_task();
	bench_memory();
	return 0;
}
