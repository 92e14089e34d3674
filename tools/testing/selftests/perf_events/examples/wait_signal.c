// SPDX-License-Identifier: GPL-2.0
/*
 * A signal at each overflow, and an event that stops by itself after five of them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES		200
#define PERIOD		10
#define OVERFLOWS	5

int main(void)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID };
	struct perf_event_attr attr;
	long page = sysconf(_SC_PAGESIZE);
	int fd, i, signals = 0;
	siginfo_t info;
	sigset_t set;
	char *memory;
	__u64 count;

	/* A blocked real-time signal is queued, until sigwaitinfo() takes it. */
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = PERIOD;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	owner.pid = syscall(SYS_gettid);
	if (fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, SIGRTMIN) ||
	    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK)) {
		perror("fcntl");
		return 1;
	}
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	/* Enable the event for some overflows. The last one disables it. */
	if (ioctl(fd, PERF_EVENT_IOC_REFRESH, OVERFLOWS)) {
		perror("PERF_EVENT_IOC_REFRESH");
		return 1;
	}
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;

	/* Overflows in quick succession may share a signal. */
	do {
		if (sigwaitinfo(&set, &info) < 0) {
			perror("sigwaitinfo");
			return 1;
		}
		if (info.si_fd == fd)
			signals++;
	} while (info.si_code != POLL_HUP);

	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	printf("%d signals; the event stopped at %llu of %d page faults\n",
	       signals, count, PAGES);
	return signals > OVERFLOWS || count != PERIOD * OVERFLOWS;
}
