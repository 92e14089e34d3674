// SPDX-License-Identifier: GPL-2.0
/*
 * Count the writes to a variable: a breakpoint of the CPU as a watchpoint.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIPPED	4	/* the exit status of a kselftest that cannot run */

static volatile long watched;

int main(void)
{
	struct perf_event_attr attr;
	long sum = 0;
	__u64 count;
	int fd, i, status;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = HW_BREAKPOINT_W;		/* _R | _W, or _X for an instruction */
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		/* ENOSPC: a CPU has few breakpoints, and all are in use */
		/* ENOENT, or ENODEV: no debug registers */
		status = errno == ENOENT || errno == ENODEV ? SKIPPED : 1;
		perror("perf_event_open");
		return status;
	}

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 7; i++) {
		watched = i;
		sum += watched;		/* a read does not count */
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	watched = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	printf("%llu writes\n", count);
	return count != 7 || sum != 21;
}
