// SPDX-License-Identifier: GPL-2.0
/*
 * Run the cases of a seed and print a line for each.
 *
 * 	abi-diff --seed S --cases N [--first N] [--pmus NAME,...]
 * 	abi-diff --seed S --case N [--pmus NAME,...]
 *
 * The second form runs a single case, and prints the reasons of refusals to standard error,
 * if the kernel has them. --pmus names the PMUs of sysfs to use. Equal cases need equal
 * PMUs.
 */
#include <err.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"

/* maximum of seconds for a block of cases */
#define PATIENCE	300

/* maximum of traps of a case: the return from a signal handler can be counted as well */
#define MAX_TRAPS	50

static unsigned int nr_traps;
static pid_t block_pid;

static void on_trap(int signal)
{
	(void)signal;
	if (++nr_traps < MAX_TRAPS)
		return;
	if (getpid() != block_pid)
		_exit(0);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

/* A case that ends with execve(): the output of the next program comes through a pipe. */
static void run_in_child(const struct plan *plan)
{
	char text[2048];
	int ends[2], status;
	ssize_t bytes;
	pid_t pid;

	if (pipe(ends))
		err(1, "pipe");
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		block_pid = getpid();
		run_case(plan);
		_exit(0);
	}
	close(ends[1]);
	while ((bytes = read(ends[0], text, sizeof(text) - 1)) > 0) {
		text[bytes] = 0;
		say("%s", text);
	}
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		say(" died of signal %d", WTERMSIG(status));
}

static void run_number(uint64_t seed, uint64_t number)
{
	struct plan plan;

	plan_case(&plan, seed, number);
	world_case(number);
	nr_traps = 0;
	say("%llu %s paranoid=%d", (unsigned long long)number, world_identity(number),
	    world_paranoid(number));
	if (plan.steps[plan.nr - 1].call == CALL_EXEC)
		run_in_child(&plan);
	else
		run_case(&plan);
	say("\n");
}

static bool names_foreign(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->steps[i].other == OTHER_FOREIGN)
			return true;
	}
	return false;
}

/*
 * Create what cases need and their user cannot create or must not own: prctl() would act on
 * it.
 */
static void prepare(uint64_t seed, uint64_t first, uint64_t end)
{
	struct plan plan;
	uint64_t number;

	for (number = first; number < end; number++) {
		plan_case(&plan, seed, number);
		if (names_foreign(&plan))
			world_open_foreign(number);
	}
}

/* number of the next case, in memory that outlives the process of a block */
static volatile uint64_t *progress;

/* Called in a process of its own. Starts at *progress. */
static void run_block(uint64_t seed, uint64_t end)
{
	struct sigaction action = { .sa_handler = on_trap };

	block_pid = getpid();
	sigaction(SIGTRAP, &action, NULL);
	alarm(PATIENCE);
	world_block(*progress);
	for (; *progress < end; ++*progress)
		run_number(seed, *progress);
	_exit(0);
}

/* If the process of a case dies, another process runs the rest of the block. */
static void run_cases(uint64_t seed, uint64_t first, uint64_t end)
{
	uint64_t block_end;
	int status;
	pid_t pid;

	*progress = first;
	while (*progress < end) {
		block_end = *progress - *progress % BLOCK + BLOCK;
		if (block_end > end)
			block_end = end;
		prepare(seed, *progress, block_end);
		pid = fork();
		if (!pid)
			run_block(seed, block_end);
		waitpid(pid, &status, 0);
		world_close_foreign();
		if (WIFSIGNALED(status)) {
			say(" died of signal %d\n", WTERMSIG(status));
			++*progress;
		} else if (status) {
			errx(1, "block of case %llu", (unsigned long long)*progress);
		}
		journal_write();
	}
}

static void stay_on_first_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU 0");
}

static uint64_t *shared_number(void)
{
	void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "memory");
	return memory;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "cases", required_argument, NULL, 'n' },
		{ "first", required_argument, NULL, 'f' },
		{ "case", required_argument, NULL, 'c' },
		{ "pmus", required_argument, NULL, 'p' },
		{ },
	};
	uint64_t seed = 1, first = 0, nr = 1000;
	const char *pmus = "";
	int option;

	journal_begin(1 << 20);
	if (argc > 2 && !strcmp(argv[1], "--after-exec")) {
		run_after_exec(argv + 2);
		return 0;
	}
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			nr = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			first = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			first = strtoull(optarg, NULL, 0);
			nr = 1;
			journal_reasons = true;
			break;
		case 'p':
			pmus = optarg;
			break;
		default:
			return 2;
		}
	}
	stay_on_first_cpu();
	world_find(pmus);
	world_begin();
	progress = shared_number();
	run_cases(seed, first, first + nr);
	world_end();
	return 0;
}
