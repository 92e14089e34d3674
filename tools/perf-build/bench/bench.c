// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of the benchmark: options, measurement, output.
 *
 * bench [WORD...]: measures the rows with one of the words in their names, or all rows.
 * Prints one line per row, with tabs: name, kind of event, number of events, cost without
 * events, cost with events (both per operation), and "steady", or "unsteady" if the two
 * measurements of the row disagree.
 *
 * bench --cpus: see cpus.c.
 *
 * bench --records [WORD...]: records of branches and of precise events, in the same way.
 *
 * bench --growth [WORD...], --irqsoff [WORD...]: see growth.c.
 *
 * bench --smp: see smp.c. Prints one line per row: name, kind, number, and what events add
 * to one operation in interrupts between CPUs, spinning locks and sleeping locks.
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
 * A result is the mean of the middle half of all passes, because some passes contain ticks,
 * deferred work of the kernel, or other tasks. The passes are two measurements, of half of
 * the passes each. They are repeated until the two measurements agree within WANTED, for a
 * limited time, and for PATIENCE times as long if they do not agree within AGREEMENT.
 */
#define MIN_PASSES	8
#define MAX_PASSES	4000
#define LONG_NS		25000000LL	/* enough for most rows */
#define WANTED		0.0003
#define AGREEMENT	0.005
#define PATIENCE	4	/* factor of the time limit */

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

/* Comparison function for qsort(). */
int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* Measurement of a pass. Drift and periodic disturbances affect both measurements alike. */
static int measurement_of(int pass)
{
	return __builtin_parity(pass);
}

/* Mean of the middle half of one measurement, or of both (@which is -1). */
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

/* Relative difference of the two measurements. */
static double disagreement(const double *took, int nr)
{
	double one = middle(took, nr, 0), other = middle(took, nr, 1);

	return fabs(one - other) / (one + other) * 2;
}

/*
 * Measure an operation for at most @ns, if enough passes fit into that time and the
 * measurements agree. Before that, passes run for a quarter of the time, until the use of
 * memory is stable.
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

/* A row of a figure that has no "without events". */
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
 * The addresses of programs and their stacks determine how many page tables a fork copies
 * and how many faults an exec causes. So disable address space randomisation, for all
 * programs and for this one.
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

/* Rows of what only some PMUs have. */
static void bench_records(void)
{
	bench_switch_calls();
	bench_precise();
}

/* Modes, by the first argument. */
static const struct {
	const char	*name;
	void		(*run)(void);
} modes[] = {
	{ "--smp",	bench_smp },
	{ "--growth",	bench_growth },
	{ "--irqsoff",	bench_irqsoff },
	{ "--cpus",	bench_cpus },
	{ "--records",	bench_records },
};

int main(int argc, char **argv)
{
	void (*mode)(void) = bench_all;
	struct rlimit files = { 2 * MAX_EVENTS, 2 * MAX_EVENTS };
	cpu_set_t one;

	/* the program that the row for exec executes */
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
