// SPDX-License-Identifier: GPL-2.0
/*
 * Count a command from its first instruction: the attribute enable_on_exec.
 *
 * Usage: count_command [COMMAND ARGUMENT...]; the default is "sleep 0".
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	__u64 config;
} kinds[] = {
	{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
};

#define NR (sizeof(kinds) / sizeof(kinds[0]))

int main(int argc, char **argv)
{
	static char *def[] = { "sleep", "0", NULL };
	char **command = argc > 1 ? argv + 1 : def;
	struct perf_event_attr attr;
	int fds[NR], start[2], status;
	__u64 counts[NR];
	unsigned int i;
	pid_t child;
	char go;

	if (pipe(start)) {
		perror("pipe");
		return 1;
	}
	child = fork();
	if (child == 0) {
		/* The events must be there before the exec. */
		close(start[1]);
		if (read(start[0], &go, 1) == 1)
			execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	if (child < 0) {
		perror("fork");
		return 1;
	}

	for (i = 0; i < NR; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = kinds[i].config;
		attr.disabled = 1;
		attr.enable_on_exec = 1;
		attr.inherit = 1;
		fds[i] = syscall(SYS_perf_event_open, &attr, child, -1, -1,
				 PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0) {
			/* The child reads the end of the pipe, and exits. */
			perror(kinds[i].name);
			return 1;
		}
	}
	if (write(start[1], "", 1) != 1 || waitpid(child, &status, 0) != child) {
		perror("write or waitpid");
		return 1;
	}
	for (i = 0; i < NR; i++) {
		if (read(fds[i], &counts[i], sizeof(__u64)) != sizeof(__u64)) {
			perror("read");
			return 1;
		}
		printf("%12llu %s\n", counts[i], kinds[i].name);
	}
	return status || !counts[0] || !counts[1];
}
