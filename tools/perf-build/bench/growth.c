// SPDX-License-Identifier: GPL-2.0
/*
 * Growth of the cost of operations with the number of events.
 *
 * bench --growth [WORD...]: one line for each operation, shape of events and number of
 * events, with tabs: operation, shape, "one" or "all", number, instructions. "one" is an
 * operation on a single event, or on none, beside the other events; "all" is an operation
 * on all events. A cost of -1 means that the operation was not measured, because the growth
 * so far predicts that it would take too long.
 *
 * bench --irqsoff [WORD...]: the same operations, on a kernel with the irqsoff tracer:
 * operation, shape, number, nanoseconds of the longest section with interrupts off, where
 * the section begins and ends, and the function of the subsystem in which it ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "growth.h"

/* Maximum of instructions that an operation may be expected to take, to be measured. */
#define LIMIT	2e9

/*
 * During a measurement only this program and interrupts run. Its tasks are real-time tasks
 * without a time limit. The machine must be booted with rcutree.use_softirq=0, so that RCU
 * callbacks wait for a kernel thread.
 */
#define PRIORITY	2

static const struct {
	const char	*name;
	bool		one;
} ops[NR_OPS] = {
	[OPEN_ALL]		= { "open all", false },
	[CLOSE_FIRST]		= { "close all, the first one first", false },
	[CLOSE_LAST]		= { "close all, the last one first", false },
	[OPEN_ONE]		= { "open one", true },
	[CLOSE_ONE]		= { "close one", true },
	[DISABLE_ONE]		= { "disable one", true },
	[ENABLE_ONE]		= { "enable one", true },
	[DISABLE_EACH]		= { "disable each", false },
	[ENABLE_EACH]		= { "enable each", false },
	[DISABLE_GROUP]		= { "disable the group", false },
	[ENABLE_GROUP]		= { "enable the group", false },
	[PRCTL_DISABLE]		= { "prctl, disable", false },
	[PRCTL_ENABLE]		= { "prctl, enable", false },
	[READ_ONE]		= { "read one", true },
	[READ_GROUP]		= { "read the group", false },
	[TICK]			= { "tick", true },
	[TICK_ALL]		= { "tick that adjusts all", false },
	[SWITCH]		= { "switch there and back", true },
	[WAKEUP]		= { "wakeup, traced", true },
	[FORK]			= { "fork", false },
	[EXIT]			= { "exit of a child", false },
	[EXEC]			= { "exec that enables all", false },
	[EXIT_OWN]		= { "exit", false },
	[MMAP_ALL]		= { "mmap each", false },
	[MUNMAP_ALL]		= { "munmap each", false },
	[MMAP_ONE]		= { "mmap one", true },
	[MUNMAP_ONE]		= { "munmap one", true },
	[MUNMAP_SHARED]		= { "munmap of all's buffer", false },
	[SET_OUTPUT_ALL]	= { "SET_OUTPUT of each", false },
	[UNSET_OUTPUT_ALL]	= { "SET_OUTPUT of each to none", false },
	[SET_OUTPUT_ONE]	= { "SET_OUTPUT of one", true },
	[UNSET_OUTPUT_ONE]	= { "SET_OUTPUT of one to none", true },
	[CGROUP_ENTER]		= { "move into the cgroup", false },
	[CGROUP_LEAVE]		= { "move out of the cgroup", false },
	[CGROUP_OTHER]		= { "move beside the cgroup", true },
};

/*
 * Measured costs of an operation: with this number of events, with the previous one, and
 * with the one before that. 0: not measured.
 */
static struct {
	double	least;
	double	last;
	double	before;
	bool	skipped;
	long long off;		/* nanoseconds */
	char	where[WHERE];	/* begin, end, function */
} tally[NR_OPS];

/* Current and previous number of events. 0: there was none. */
static int nr_now, nr_before;

/* The sections with interrupts off are measured. */
bool tracing;

static long long begun;

/*
 * The longest section with interrupts off
 */

#define TRACING	"/sys/kernel/tracing/"

static void tracing_write(const char *name, const char *text)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static long tracing_latency(void)
{
	FILE *file = fopen(TRACING "tracing_max_latency", "r");
	long us;

	if (!file || fscanf(file, "%ld", &us) != 1)
		die("tracing_max_latency");
	fclose(file);
	return us * 1000;
}

/* True if a function belongs to the subsystem, by the prefix of its name. */
static bool is_perf(const char *name)
{
	return !strncmp(name, "perf_", 5) || !strncmp(name, "__perf_", 7) ||
	       !strncmp(name, "event_", 6) || !strncmp(name, "ctx_", 4);
}

/* Read from the trace where the section began and ended, and the stack at its end. */
static void tracing_where(char *where)
{
	FILE *file = fopen(TRACING "trace", "r");
	char line[256], name[96], at[2][96] = { "-", "-" }, inside[96] = "-";
	bool stack = false;

	while (file && fgets(line, sizeof(line), file)) {
		stack |= !!strstr(line, "<stack trace>");
		if (sscanf(line, "#  => started at: %95s", name) == 1)
			snprintf(at[0], sizeof(at[0]), "%s", name);
		else if (sscanf(line, "#  => ended at: %95s", name) == 1)
			snprintf(at[1], sizeof(at[1]), "%s", name);
		else if (stack && sscanf(line, " => %95s", name) == 1 &&
			 !strcmp(inside, "-") && is_perf(name))
			snprintf(inside, sizeof(inside), "%s", name);
	}
	if (file)
		fclose(file);
	snprintf(where, WHERE, "%s\t%s\t%s", at[0], at[1], inside);
}

static void tracing_setup(void)
{
	tracing_write("options/function-trace", "0");
	tracing_write("current_tracer", "irqsoff");
}

/*
 * The tally
 */

/* True if the operation is expected to end within LIMIT; otherwise it is left out. */
bool fits(enum op op)
{
	double grows, most;

	if (!tally[op].last || tally[op].skipped)
		return !tally[op].skipped;
	most = (double)nr_now / nr_before;
	most *= most;
	grows = tally[op].before ? tally[op].last / tally[op].before : 1;
	grows = grows > most ? most : grows;
	tally[op].skipped = tally[op].last * grows > LIMIT;
	return !tally[op].skipped;
}

/* Opening and closing are needed for the series. Without them the series is left out. */
static bool series_fits(void)
{
	static const enum op needed[] = { OPEN_ALL, CLOSE_FIRST, CLOSE_LAST };
	bool fit = true;

	for (int i = 0; i < 3; i++)
		fit &= fits(needed[i]);
	for (int op = 0; !fit && op < NR_OPS; op++)
		tally[op].skipped |= !!tally[op].last;
	return fit;
}

/* Number of repetitions of a short operation. With the tracer, at most four. */
int times(int most)
{
	return tracing && most > 4 ? 4 : most;
}

void begin(void)
{
	if (tracing) {
		tracing_write("tracing_max_latency", "0");
		tracing_write("tracing_on", "1");
	}
	begun = now();
}

/* Begin an operation at a time that another task has taken. */
void begun_at(long long time)
{
	begun = time;
}

/* Keep the smallest cost: ticks and deferred work only add to it. */
void took(enum op op, double cost)
{
	if (!tally[op].least || cost < tally[op].least)
		tally[op].least = cost;
}

/* Get the longest section since begin(), and stop tracing. */
void section_end(long long *off, char *where)
{
	tracing_write("tracing_on", "0");
	*off = tracing_latency();
	tracing_where(where);
}

void section_was(enum op op, long long off, const char *where)
{
	if (tally[op].where[0] && off >= tally[op].off)
		return;
	tally[op].off = off;
	snprintf(tally[op].where, WHERE, "%s", where);
}

void end(enum op op)
{
	char where[WHERE];
	long long off;

	took(op, now() - begun);
	if (!tracing)
		return;
	section_end(&off, where);
	section_was(op, off, where);
}

/* Print the results for the current number of events. */
static void flush(const char *shape)
{
	for (int op = 0; op < NR_OPS; op++) {
		double cost = tally[op].skipped ? -1 : tally[op].least;

		if (cost && !tracing)
			printf("%s\t%s\t%s\t%d\t%.0f\n", ops[op].name, shape,
			       ops[op].one ? "one" : "all", nr_now, cost);
		else if (cost)
			printf("%s\t%s\t%d\t%lld\t%s\n", ops[op].name, shape,
			       nr_now, cost > 0 ? tally[op].off : -1,
			       cost > 0 ? tally[op].where : "-\t-\t-");
		tally[op].before = tally[op].last;
		tally[op].last = tally[op].least;
		tally[op].least = 0;
		tally[op].where[0] = '\0';
	}
	fflush(stdout);
}

/*
 * The series
 */

static const struct shape alone = {
	"software", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
};

static const struct shape on_cpu = {
	"software, of the CPU", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
	.on_cpu = true,
};

static const struct shape grouped = {
	"group", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
	.group = true,
};

/* The period of the clock is longer than any operation. */
static const struct shape clock_led = {
	"group led by a clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	.period = 1000000000000, .group = true,
};

static const struct shape clocks = {
	"sampling clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	.period = 1000000000000,
};

static const struct shape sampled = {
	"sampled at a frequency", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	.period = 100, .frequency = true,
};

static const struct shape buffered = {
	"sampled", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	.period = 1000000,
};

static const struct shape traced = {
	"tracepoint", PERF_TYPE_TRACEPOINT, -1,
};

static const struct shape hardware = {
	"hardware", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
};

static const struct {
	const char		*name;
	void			(*grow)(const struct shape *shape, int nr);
	const struct shape	*shape;
} series[] = {
	{ "life",	grow_life,	&alone },
	{ "life",	grow_life,	&grouped },
	{ "life",	grow_life,	&clock_led },
	{ "life",	grow_life,	&clocks },
	{ "life",	grow_life,	&sampled },
	{ "life",	grow_life,	&traced },
	{ "life",	grow_life,	&hardware },
	{ "life",	grow_life,	&on_cpu },
	{ "task",	grow_task,	&alone },
	{ "task",	grow_task,	&grouped },
	{ "task",	grow_task,	&clock_led },
	{ "task",	grow_task,	&clocks },
	{ "task",	grow_task,	&sampled },
	{ "task",	grow_task,	&hardware },
	{ "exec",	grow_exec,	&alone },
	{ "exec",	grow_exec,	&grouped },
	{ "exec",	grow_exec,	&clock_led },
	{ "exec",	grow_exec,	&clocks },
	{ "exec",	grow_exec,	&hardware },
	{ "mmap",	grow_mmap,	&buffered },
	{ "output",	grow_output,	&buffered },
	{ "cgroup",	grow_cgroup,	&on_cpu },
};

/* @numbers end with 0. */
static void run(size_t i, const int *numbers)
{
	memset(tally, 0, sizeof(tally));
	nr_before = 0;
	/* a first run patches static keys and fills caches */
	nr_now = *numbers;
	series[i].grow(series[i].shape, nr_now);
	memset(tally, 0, sizeof(tally));
	for (; *numbers; numbers++) {
		nr_now = *numbers;
		if (series_fits())
			series[i].grow(series[i].shape, nr_now);
		flush(series[i].shape->name);
		nr_before = nr_now;
	}
}

static void run_all(const int *numbers)
{
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		if (series[i].shape == &hardware && !kind_works(HARDWARE))
			continue;
		if (wanted(series[i].name) || wanted(series[i].shape->name))
			run(i, numbers);
	}
}

/* Enlarge the table of descriptors now, not during an operation. */
void enough_files(void)
{
	struct rlimit files = { 2 * MOST + 1000, 2 * MOST + 1000 };
	int last = 2 * MOST + 900;

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	if (dup2(STDIN_FILENO, last) != last)
		die("dup2");
	close(last);
}

/* From here on other programs run only while the tasks of this program sleep. */
void alone_here(void)
{
	static const struct sched_param high = { .sched_priority = PRIORITY };
	int fd = open("/proc/sys/kernel/sched_rt_runtime_us", O_WRONLY);

	if (fd < 0 || write(fd, "-1", 2) != 2)
		die("sched_rt_runtime_us");
	close(fd);
	if (sched_setscheduler(0, SCHED_FIFO, &high))
		die("sched_setscheduler");
}

void bench_growth(void)
{
	static const int numbers[] = { 250, 500, 1000, 2000, 4000, MOST, 0 };

	enough_files();
	alone_here();
	run_all(numbers);
}

void bench_irqsoff(void)
{
	static const int numbers[] = { 1, 500, 2000, MOST, 0 };

	enough_files();
	alone_here();
	tracing = true;
	tracing_setup();
	run_all(numbers);
	tracing_write("current_tracer", "nop");
}
