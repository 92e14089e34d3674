// SPDX-License-Identifier: GPL-2.0
/*
 * Costs of an operation other than its instructions: interrupts between CPUs, spinning
 * locks (spinlocks, rwlocks) and sleeping locks (mutexes, rwsems) that are taken.
 *
 * For a machine with several CPUs. This task stays on CPU 0; the other CPU is CPU 1.
 * Kprobes on the functions that take locks count the locks. arm64 does not allow kprobes on
 * the functions of spinning locks.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define TIMES	20
#define PASSES	4
#define MANY	16
#define OTHER	1

/* Counts, in the order of the columns of a row. */
enum { INTERRUPTS, SPINNING, SLEEPING, NR_COUNTS };

#define TRACING	"/sys/kernel/tracing/"

static const char *const lock_functions[] = {
	"_raw_spin_lock", "_raw_spin_lock_irq", "_raw_spin_lock_irqsave",
	"_raw_spin_lock_bh", "_raw_spin_trylock", "_raw_read_lock",
	"_raw_read_lock_irq", "_raw_read_lock_irqsave", "_raw_write_lock",
	"_raw_write_lock_irq", "_raw_write_lock_irqsave",
	"mutex_lock", "mutex_lock_interruptible", "mutex_lock_killable",
	"mutex_trylock", "down_read", "down_read_killable", "down_read_trylock",
	"down_write", "down_write_killable", "down_write_trylock",
};

#define NR_FUNCTIONS	(sizeof(lock_functions) / sizeof(*lock_functions))

/* The functions on which a probe was set. */
static bool probed[NR_FUNCTIONS];

struct counts {
	double	of[NR_COUNTS];
};

typedef void (*count_line_fn)(char *line, struct counts *counts);

static void read_lines(const char *path, count_line_fn fn, struct counts *counts)
{
	static char text[1 << 16];
	size_t size = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);
	while ((got = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += got;
	close(fd);
	text[size] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		fn(line, counts);
}

/* "CAL: 1 2 3 4 Function call interrupts"; on arm64 "IPI0" and so on. */
static void count_interrupts(char *line, struct counts *counts)
{
	static const char *const from_cpus[] = { "RES:", "CAL:", "IWI:", "IPI" };
	bool counted = false;
	char *at, *end;

	while (isspace(*line))
		line++;
	for (int i = 0; i < 4; i++)
		counted |= !strncmp(line, from_cpus[i], strlen(from_cpus[i]));
	at = strchr(line, ':');
	if (!counted || !at)
		return;
	for (at++;; at = end) {
		unsigned long nr = strtoul(at, &end, 10);

		if (end == at)
			break;
		counts->of[INTERRUPTS] += nr;
	}
}

static bool write_to(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | flags);
	bool written;

	if (fd < 0)
		die(path);
	written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return written;
}

/* Set probes with a filter that matches nothing: they count, but write no trace. */
static void probe_locks(void)
{
	char text[128];

	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		snprintf(text, sizeof(text), "p:locks/%s %s", lock_functions[i],
			 lock_functions[i]);
		probed[i] = write_to(TRACING "kprobe_events", O_APPEND, text);
		if (!probed[i])
			continue;
		snprintf(text, sizeof(text), TRACING "events/locks/%s/filter",
			 lock_functions[i]);
		if (!write_to(text, 0, "common_pid == -2"))
			die(text);
	}
	if (!write_to(TRACING "events/locks/enable", 0, "1"))
		die("probes");
}

static void unprobe_locks(void)
{
	write_to(TRACING "events/locks/enable", 0, "0");
	write_to(TRACING "kprobe_events", O_TRUNC, "");
}

/* A line has the name, the hits, and the missed hits. */
static void count_locks(char *line, struct counts *counts)
{
	unsigned long hits, missed;
	char name[64];

	if (sscanf(line, "%63s %lu %lu", name, &hits, &missed) != 3)
		return;
	counts->of[strncmp(name, "_raw_", 5) ? SLEEPING : SPINNING] += hits + missed;
}

static struct counts count_now(void)
{
	struct counts counts = {};

	read_lines(TRACING "kprobe_profile", count_locks, &counts);
	read_lines("/proc/interrupts", count_interrupts, &counts);
	return counts;
}

static void do_nothing(void *arg)
{
}

/* Minimum of several passes: ticks and other tasks only add. */
static struct counts count_passes(pass_fn pass, void *arg)
{
	struct counts least = {};

	pass(arg);
	for (int i = 0; i < PASSES; i++) {
		struct counts before = count_now(), after;

		pass(arg);
		after = count_now();
		for (int j = 0; j < NR_COUNTS; j++) {
			double nr = after.of[j] - before.of[j];

			if (!i || nr < least.of[j])
				least.of[j] = nr;
		}
	}
	return least;
}

/* Counts of one operation, less the counts of the measurement. */
static struct counts count_each(pass_fn pass, void *arg, int operations)
{
	struct counts nothing = count_passes(do_nothing, NULL);
	struct counts counts = count_passes(pass, arg);

	for (int j = 0; j < NR_COUNTS; j++)
		counts.of[j] = (counts.of[j] - nothing.of[j]) / operations;
	return counts;
}

/* Counts of the operation with events, less those without; -1: not known. */
static void smp_row(const char *what, enum kind kind, int nr, struct counts without,
		    struct counts with)
{
	printf("%s\t%s\t%d", what, kind_names[kind], nr);
	for (int j = 0; j < NR_COUNTS; j++)
		printf("\t%.2f", j == SPINNING && !probed[0] ? -1 :
		       with.of[j] - without.of[j]);
	printf("\n");
	fflush(stdout);
}

/* Task or CPU of an event; all zero for this task. */
struct target {
	const char	*name;
	pid_t		pid;
	int		cpu;
};

struct operand {
	struct perf_event_attr	attr;
	struct target		target;
	int			fd;
};

static void open_and_close(void *arg)
{
	struct operand *o = arg;

	for (int i = 0; i < TIMES; i++)
		close(open_event(&o->attr, o->target.pid, o->target.cpu, -1, 0));
}

static void toggle(void *arg)
{
	struct operand *o = arg;

	for (int i = 0; i < TIMES / 2; i++) {
		ioctl(o->fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(o->fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

static void reads(void *arg)
{
	struct operand *o = arg;
	char buf[64];

	for (int i = 0; i < TIMES; i++)
		if (read(o->fd, buf, sizeof(buf)) <= 0)
			die("read");
}

static void target_rows(enum kind kind, struct target target)
{
	static const struct counts none;
	struct operand o = { .attr = kind_attr(kind), .target = target };
	char what[64];

	snprintf(what, sizeof(what), "open and close, of %s", target.name);
	smp_row(what, kind, 1, none, count_each(open_and_close, &o, TIMES));

	o.fd = open_event(&o.attr, target.pid, target.cpu, -1, 0);
	if (o.fd < 0)
		die(target.name);
	snprintf(what, sizeof(what), "enable or disable, of %s", target.name);
	smp_row(what, kind, 1, none, count_each(toggle, &o, TIMES));
	snprintf(what, sizeof(what), "read, of %s", target.name);
	smp_row(what, kind, 1, none, count_each(reads, &o, TIMES));
	close(o.fd);
}

static void prctls(void *arg)
{
	for (int i = 0; i < TIMES / 2; i++) {
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
	}
}

static void forks(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void faults(void *arg)
{
	for (int i = 0; i < TIMES; i++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			die("mmap");
		*page = 1;
		munmap(page, 4096);
	}
}

/* Pipes between two tasks of this CPU. */
static int to_partner[2], to_us[2];

static void rounds(void *arg)
{
	char c = 0;

	for (int i = 0; i < TIMES; i++)
		if (write(to_partner[1], &c, 1) != 1 || read(to_us[0], &c, 1) != 1)
			die("pipe");
}

static void answer(void)
{
	char c;

	while (read(to_partner[0], &c, 1) == 1)
		if (write(to_us[1], &c, 1) != 1)
			break;
	_exit(0);
}

static struct counts count_rounds(void)
{
	struct counts counts;
	pid_t pid;

	if (pipe(to_partner) || pipe(to_us))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(to_partner[1]);
		answer();
	}
	close(to_partner[0]);
	close(to_us[1]);
	counts = count_each(rounds, NULL, TIMES);
	close(to_partner[1]);
	close(to_us[0]);
	waitpid(pid, NULL, 0);
	return counts;
}

static void events_row(const char *what, enum kind kind, struct options how,
		       struct counts without, pass_fn pass)
{
	open_events(kind, MANY, how);
	smp_row(what, kind, MANY, without,
		pass ? count_each(pass, NULL, TIMES) : count_rounds());
	close_events(MANY);
}

/* A sleeping task with an event of each kind keeps static keys enabled. */
static pid_t sleeper;

static void start_sleeper(void)
{
	sleeper = fork();
	if (sleeper < 0)
		die("fork");
	while (!sleeper)
		pause();
}

static int keep_on(enum kind kind)
{
	struct perf_event_attr attr = kind_attr(kind);
	int fd = open_event(&attr, sleeper, -1, -1, 0);

	if (fd < 0)
		die(kind_names[kind]);
	return fd;
}

/* Start a task on the other CPU that only runs. */
static pid_t start_runner(void)
{
	pid_t pid = fork();
	cpu_set_t other;

	if (pid)
		return pid;
	CPU_ZERO(&other);
	CPU_SET(OTHER, &other);
	if (sched_setaffinity(0, sizeof(other), &other))
		die("a second CPU");
	for (;;)
		;
}

/* A running task on the other CPU delays all operations that wait for all CPUs. */
static void runner_rows(enum kind kind)
{
	int keep = keep_on(kind);
	pid_t runner = start_runner();

	if (runner < 0)
		die("fork");
	target_rows(kind, (struct target){ "a task running there", runner, -1 });
	kill(runner, SIGKILL);
	waitpid(runner, NULL, 0);
	close(keep);
}

static void kind_rows(enum kind kind, struct counts rounds_without)
{
	struct counts none = {}, without;
	int keep;

	if (!kind_works(kind))
		return;
	keep = keep_on(kind);

	target_rows(kind, (struct target){ "this task", 0, -1 });
	target_rows(kind, (struct target){ "another CPU", -1, OTHER });
	events_row("prctl", kind, (struct options){}, none, prctls);

	events_row("switch", kind, (struct options){}, rounds_without, NULL);
	events_row("switch, inherited", kind, (struct options){ .inherit = true },
		   rounds_without, NULL);
	without = count_each(forks, NULL, TIMES);
	events_row("fork and exit", kind, (struct options){ .inherit = true },
		   without, forks);
	without = count_each(faults, NULL, TIMES);
	events_row("page fault", kind, (struct options){}, without, faults);
	close(keep);
	runner_rows(kind);
}

void bench_smp(void)
{
	struct counts rounds_without;

	start_sleeper();
	probe_locks();
	/*
	 * before the first event: a task that once had an event may have costs at each
	 * switch
	 */
	rounds_without = count_rounds();
	/* no tracepoints: opening and closing one waits for all CPUs, on any kernel */
	kind_rows(SOFTWARE, rounds_without);
	kind_rows(CLOCK, rounds_without);
	kind_rows(HARDWARE, rounds_without);
	unprobe_locks();
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
}
