// SPDX-License-Identifier: GPL-2.0
/*
 * Count a cgroup: all tasks in it and in the cgroups below it, on every CPU. Needs root and
 * cgroup version 2. The root cgroup must delegate a controller, such as with
 * "echo +cpu >/sys/fs/cgroup/cgroup.subtree_control"; systemd does so at boot.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUP		"/sys/fs/cgroup/count_cgroup"
#define PAGES		80
#define CPUS_MAX	1024

/* Join the cgroup, and then write to new pages. */
static int child(void)
{
	int fd = open(GROUP "/cgroup.procs", O_WRONLY | O_CLOEXEC);
	long page = sysconf(_SC_PAGESIZE);
	char *memory;
	int i;

	if (fd < 0 || write(fd, "0", 1) != 1)
		return 1;
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	return 0;
}

static int count_child(int group)
{
	struct perf_event_attr attr;
	int cpu, cpus = 0, status, fds[CPUS_MAX];
	__u64 count, sum = 0;
	pid_t pid;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;

	/* Each event counts the cgroup on one CPU. */
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && cpu < CPUS_MAX; cpu++) {
		fds[cpus] = syscall(SYS_perf_event_open, &attr, group, cpu, -1,
				    PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
		if (fds[cpus] >= 0) {
			cpus++;
		} else if (errno != ENODEV) {	/* ENODEV: the CPU is offline */
			perror("perf_event_open");
			return 1;
		}
	}

	pid = fork();
	if (pid == 0)
		_exit(child());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "the child could not join %s\n", GROUP);
		return 1;
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		if (read(fds[cpu], &count, sizeof(count)) != sizeof(count)) {
			perror("read");
			return 1;
		}
		sum += count;
		close(fds[cpu]);
	}
	printf("%llu page faults in the cgroup, on %d CPUs\n", sum, cpus);
	return sum < PAGES;
}

int main(void)
{
	int group, result;

	if (mkdir(GROUP, 0755) && errno != EEXIST) {
		perror(GROUP);
		return 1;
	}
	group = open(GROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group < 0) {
		perror(GROUP);
		return 1;
	}
	result = count_child(group);
	close(group);
	rmdir(GROUP);
	return result;
}
