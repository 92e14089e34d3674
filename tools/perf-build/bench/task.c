// SPDX-License-Identifier: GPL-2.0
/* Fork and exit with inherited events, exec, and the memory of events and child events. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/*
 * Few forks, so that most passes contain no tick and no memory is freed in them. The child
 * borrows the memory of the parent (vfork): a copy costs a hundred times as much as a child
 * event.
 */
#define FORKS	4

static void forks(void *arg)
{
	for (int i = 0; i < FORKS; i++) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void exec_once(void *arg)
{
	pid_t child = vfork();

	if (!child) {
		execl("/proc/self/exe", "bench", "--exit", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

/* Events are a small part of the cost of a fork, so more passes are measured. */
static struct cost measure_forks(pass_fn pass, long operations)
{
	return measure_for(pass, NULL, operations, 100000000LL);
}

/*
 * Measure in a task that never had events, because contexts outlive their events. The task
 * has as many open files as it would have events, because a fork copies the files too.
 */
static struct cost measure_without(pass_fn pass, long operations, int nr)
{
	struct cost cost;
	int result[2];
	pid_t child;

	if (pipe(result))
		die("pipe");
	for (int i = 0; i < nr; i++) {
		events[i] = dup(STDOUT_FILENO);
		if (events[i] < 0)
			die("dup");
	}
	child = fork();
	if (!child) {
		/* the task must have as many descriptors as the parent will have */
		close(result[0]);
		dup2(result[1], STDIN_FILENO);
		close(result[1]);
		cost = measure_forks(pass, operations);
		_exit(write(STDIN_FILENO, &cost, sizeof(cost)) != sizeof(cost));
	}
	close(result[1]);
	if (child < 0 || read(result[0], &cost, sizeof(cost)) != sizeof(cost))
		die("a task without events");
	waitpid(child, NULL, 0);
	close(result[0]);
	close_events(nr);
	return cost;
}

static void task_rows(const char *what, pass_fn pass, long operations)
{
	static const int numbers[] = { 1, 4, 16 };
	struct cost without[3];

	if (!wanted(what))
		return;
	for (int i = 0; i < 3; i++)
		without[i] = measure_without(pass, operations, numbers[i]);
	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		if (!kind_works(kind))
			continue;
		for (int i = 0; i < 3; i++) {
			open_events(kind, numbers[i],
				    (struct options){ .inherit = true });
			row(what, kind_names[kind], numbers[i], without[i],
			    measure_forks(pass, operations));
			close_events(numbers[i]);
		}
	}
}

void bench_task(void)
{
	task_rows("fork and exit", forks, FORKS);
	task_rows("fork, exec and exit", exec_once, 1);
}

/* Bytes of free memory. */
static double free_memory(void)
{
	double kib = -1;
	char line[128];
	FILE *file;

	/* let RCU free memory, then drop the caches */
	sleep(1);
	file = fopen("/proc/sys/vm/drop_caches", "w");
	if (file) {
		fputs("3\n", file);
		fclose(file);
	}
	file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %lf kB", &kib) == 1)
			break;
	if (!file || kib < 0)
		die("/proc/meminfo");
	fclose(file);
	return kib * 1024;
}

/* Memory of a child with child events of all events. */
static double bytes_of_copies(int nr)
{
	int ready[2];
	double before;
	pid_t child;
	char c;

	if (pipe(ready))
		die("pipe");
	before = free_memory();
	child = fork();
	if (!child) {
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	if (child < 0 || read(ready[0], &c, 1) != 1)
		die("fork");
	before -= free_memory();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	return before / nr;
}

#define ROUNDS	3

/* Other tasks disturb some rounds. The median is used. */
static void memory_row(const char *what, enum kind kind, double *rounds)
{
	struct cost bytes = { .agreed = true };

	qsort(rounds, ROUNDS, sizeof(*rounds), compare_doubles);
	bytes.each = rounds[ROUNDS / 2];
	row_plain(what, kind_names[kind], 1, bytes);
}

void bench_memory(void)
{
	double opened[ROUNDS], copies[ROUNDS];

	if (!wanted("bytes"))
		return;
	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		if (!kind_works(kind))
			continue;
		open_events(kind, 16, (struct options){});
		close_events(16);
		for (int i = 0; i < ROUNDS; i++) {
			opened[i] = free_memory();
			open_events(kind, MAX_EVENTS, (struct options){ .inherit = true });
			opened[i] = (opened[i] - free_memory()) / MAX_EVENTS;
			copies[i] = bytes_of_copies(MAX_EVENTS);
			close_events(MAX_EVENTS);
		}
		memory_row("bytes of an event", kind, opened);
		memory_row("bytes of an inherited event", kind, copies);
	}
}
