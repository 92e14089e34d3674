// SPDX-License-Identifier: GPL-2.0
/*
 * Count a tracepoint with a filter: the calls of lseek() to the end of a file. Needs
 * root, and tracefs.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEPOINT "/sys/kernel/tracing/events/syscalls/sys_enter_lseek/id"

int main(void)
{
	struct perf_event_attr attr;
	FILE *file = fopen(TRACEPOINT, "r");
	unsigned long long id;
	__u64 count;
	int fd, i;

	if (!file || fscanf(file, "%llu", &id) != 1) {
		perror(TRACEPOINT);
		return 1;
	}
	fclose(file);

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}

	/* The file "format" beside "id" has the names of the fields. */
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "whereto == 2") == 0) {
		fprintf(stderr, "a field that does not exist was accepted\n");
		return 1;
	}
	printf("whereto == 2: %s\n", strerror(errno));
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "whence == 2")) {
		perror("whence == 2");
		return 1;
	}

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	/* lseek() may be another system call */
	for (i = 0; i < 100; i++)
		syscall(SYS_lseek, fd, 0L, i % 10 ? SEEK_SET : SEEK_END);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	printf("whence == 2: %llu of 100 calls\n", count);
	return count != 10;
}
