// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark's frame: measuring, printing, and which rows there are.
 *
 * bench [WORD...]: the rows whose names have one of the words in them, or all.
 * Prints a line a row, with tabs: name, kind of event, number of events, cost
 * without, cost with (both per operation), and "steady", or "unsteady" when what was
 * measured did not agree.
 *
 * bench --cpus: see cpus.c.
 *
 * bench --growth [WORD...], --irqsoff [WORD...]: see growth.c.
 *
 * bench --smp: what smp.c counts. A line a row: name, kind, number, and what one
 * operation adds in interrupts between CPUs, spinning locks, sleeping locks.
 */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "growth.h"

/*
 * Of all passes the middle half counts, by its mean: ticks, what the kernel puts off
 * until then, and strangers fall into others. Half of all passes are one measurement,
 * the rest another; they have to agree. It goes on for a while to make them agree
 * better than that, and for longer if they do not agree at all.
 */
#define MIN_PASSES	8
#define MAX_PASSES	4000
#define LONG_NS		25000000LL	/* enough for most */
#define WANTED		0.0003
#define AGREEMENT	0.005
#define PATIENCE	4	/* times as long */

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

/* For qsort(). */
int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* Which one a pass is of: neither gets more of what drifts, or comes and goes. */
static int measurement_of(int pass)
{
	return __builtin_parity(pass);
}

/* Mean of the middle half, of one measurement, or of both (-1). */
static double middle(const double *took, int nr, int which)
{
	static double sorted[MAX_PASSES];
	double sum = 0;
	int kept = 0, cut;

	for (int i = 0; i < nr; i++)
		if (which < 0 || which == measurement_of(i))
			sorted[kept++] = took[i];
	qsort(sorted, kept, sizeof(*sorted), compare_doubles);
	cut = kept / 4;
	for (int i = cut; i < kept - cut; i++)
		sum += sorted[i];
	return sum / (kept - 2 * cut);
}

/* By how much they differ. */
static double disagreement(const double *took, int nr)
{
	double one = middle(took, nr, 0), other = middle(took, nr, 1);

	return fabs(one - other) / (one + other) * 2;
}

/*
 * For at most so long, if more passes than the fewest fit into that and they agree; a
 * quarter more goes before, until memory is where it stays.
 */
struct cost measure_for(pass_fn pass, void *arg, long operations, long long ns)
{
	static double took[MAX_PASSES];
	long long begin, start, end;
	int nr = 0, until = MIN_PASSES;
	double apart = 1;
	bool more;

	begin = now();
	do {
		pass(arg);
	} while (now() - begin < ns / 4);
	begin = now();
	do {
		for (; nr < until; nr++) {
			start = now();
			pass(arg);
			end = now();
			took[nr] = end - start;
		}
		apart = disagreement(took, nr);
		until = nr + nr / 8 * 4;
		more = end - begin < (apart > AGREEMENT ? PATIENCE * ns : ns);
	} while (apart > WANTED && until <= MAX_PASSES && more);
	return (struct cost){
		.each	= middle(took, nr, -1) / operations,
		.agreed	= apart <= AGREEMENT,
	};
}

struct cost measure(pass_fn pass, void *arg, long operations)
{
	return measure_for(pass, arg, operations, LONG_NS);
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

/*
 * Where programs and their stacks lie decides how many tables a fork makes and how
 * many faults an exec takes: the same place for all, and for this program.
 */
static void settle(char **argv)
{
	int old = personality(0xffffffff);

	if (old & ADDR_NO_RANDOMIZE)
		return;
	if (personality(old | ADDR_NO_RANDOMIZE) < 0)
		die("personality");
	execv("/proc/self/exe", argv);
	die("exec");
}

static void bench_all(void)
{
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
}

/* What the first argument says. */
static const struct {
	const char	*name;
	void		(*run)(void);
} modes[] = {
	{ "--smp",	bench_smp },
	{ "--growth",	bench_growth },
	{ "--irqsoff",	bench_irqsoff },
	{ "--cpus",	bench_cpus },
};

int main(int argc, char **argv)
{
	void (*mode)(void) = bench_all;
	struct rlimit files = { 2 * MAX_EVENTS, 2 * MAX_EVENTS };
	cpu_set_t one;

	/* what the row for exec becomes */
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "--stamp"))
		stamp(atoi(argv[2]));
	settle(argv);
	words = argv + 1;
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			mode = modes[i].run;
	words += mode != bench_all;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");

	mode();
	return 0;
}
