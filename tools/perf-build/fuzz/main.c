// SPDX-License-Identifier: GPL-2.0
/*
 * Generate programs and run them, until the kernel reports a problem.
 *
 *	fuzz --seed S [--cases N] [--minutes N] [--write FOLDER]
 *	fuzz --run FILE [--times N]
 *
 * Each program is written to FOLDER/program.N before it runs, N modulo KEEP. The second
 * form runs the programs of a file, several times because of their races, and shows the
 * results of the last time.
 *
 * Exit status: 3 after a report of the kernel, 4 if a case does not end.
 */
#include <dirent.h>
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

/* programs that are kept in FOLDER, and most programs of a file */
#define KEEP		8
#define STATUS_REPORT	3
#define STATUS_HANG	4
/* PMUs of sysfs that world_find() has room for */
#define MAX_PMUS	9

static bool guided;

static int is_other_pmu(const struct dirent *entry)
{
	static const char *const known[] = { "software", "tracepoint", "breakpoint" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(entry->d_name, known[i]))
			return 0;
	}
	return entry->d_name[0] != '.';
}

/* The PMUs of sysfs, by name; what does not fit is left out. */
static void find_pmus(void)
{
	struct dirent **list;
	char names[512];
	int i, nr, at = 0;

	nr = scandir("/sys/bus/event_source/devices", &list, is_other_pmu, alphasort);
	if (nr < 0)
		err(1, "PMUs");
	names[0] = 0;
	for (i = 0; i < nr && i < MAX_PMUS; i++)
		at += snprintf(names + at, sizeof(names) - at, "%s%.40s", i ? "," : "",
			       list[i]->d_name);
	world_find(names);
}

static void begin(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	find_pmus();
	world_begin();
	case_begin();
	machine_begin();
	guided = cover_begin();
}

/* Run one case and clean up. Ends this program if the case found something. */
static void run_one(const struct program *program, unsigned long number)
{
	if (case_run(program)) {
		printf("case %lu has not ended\n", number);
		fflush(stdout);
		/* the kernel's log gets the stacks of blocked tasks */
		machine_try("/proc/sysrq-trigger", "w");
		exit(STATUS_HANG);
	}
	if (!machine_reported()) {
		machine_restore(program);
		if (!machine_reported())
			return;
	}
	printf("case %lu: the kernel reported a problem\n", number);
	exit(STATUS_REPORT);
}

static bool time_is_over(const struct timespec *begin, unsigned long minutes)
{
	struct timespec now;

	if (!minutes)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec >= (time_t)minutes * 60;
}

static unsigned long run_cases(uint64_t seed, unsigned long cases, unsigned long minutes,
			       const char *folder)
{
	static struct program program;
	struct timespec begin;
	unsigned long number;
	char path[256];

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (number = 0; number < cases && !time_is_over(&begin, minutes); number++) {
		random_start(seed, number);
		corpus_next(&program);
		snprintf(path, sizeof(path), "%s/program.%lu", folder, number % KEEP);
		if (folder && program_write(&program, number, path))
			err(1, "%s", path);
		run_one(&program, number);
		if (cover_collect())
			corpus_add(&program);
	}
	return number;
}

/* Print the steps of the case that ran last, with their results. */
static void show_results(const struct program *program)
{
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		int result = shared->results[i];

		if (result == NOT_RUN)
			printf("%-16s", "-");
		else
			printf("%-16s", result < 0 ? strerrorname_np(-result) : "ok");
		step_write(stdout, &program->steps[i]);
		printf("\n");
	}
}

static unsigned long run_file(const char *path, unsigned int times)
{
	static struct program programs[KEEP];
	unsigned int nr = programs_read(programs, KEEP, path), i, time;

	for (time = 0; time < times; time++) {
		for (i = 0; i < nr; i++) {
			run_one(&programs[i], time * nr + i);
			if (time == times - 1)
				show_results(&programs[i]);
		}
	}
	return times * nr;
}

static void show(unsigned long cases)
{
	unsigned int kind;

	printf("%lu cases", cases);
	if (guided)
		printf(", %u edges, %u programs in the corpus", nr_edges, corpus_size());
	printf("\ncalls, and the share that succeeded:");
	for (kind = 0; kind < NR_KINDS; kind++) {
		uint64_t tries = shared->tries[kind];

		if (tries)
			printf(" %s %llu %llu%%", kinds[kind].name, (unsigned long long)tries,
			       (unsigned long long)(shared->successes[kind] * 100 / tries));
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "cases", required_argument, NULL, 'n' },
		{ "minutes", required_argument, NULL, 'm' },
		{ "write", required_argument, NULL, 'w' },
		{ "run", required_argument, NULL, 'r' },
		{ "times", required_argument, NULL, 't' },
		{ },
	};
	unsigned long cases = ~0ul, minutes = 0, seed = 1, times = 1;
	const char *folder = NULL, *file = NULL;
	int option;

	if (argc > 3 && !strcmp(argv[1], "--continue")) {
		case_continue(atoi(argv[2]), atoi(argv[3]));
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--work")) {
		work(0, 20);
		return 0;
	}
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 's':
			seed = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			cases = strtoul(optarg, NULL, 0);
			break;
		case 'm':
			minutes = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			folder = optarg;
			break;
		case 'r':
			file = optarg;
			break;
		case 't':
			times = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	begin();
	show(file ? run_file(file, times) : run_cases(seed, cases, minutes, folder));
	return 0;
}
