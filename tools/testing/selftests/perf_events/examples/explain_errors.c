// SPDX-License-Identifier: GPL-2.0
/*
 * What to do when a call fails: print the errno and the kernel's reason. Another kernel
 * has no reason, so a program must not depend on it.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Print the reason for which the last call of this thread failed. */
static void print_reason(void)
{
	char reason[256] = "";
	FILE *file = fopen("/proc/thread-self/perf_event_refusal", "r");

	if (file) {
		if (fgets(reason, sizeof(reason), file))
			printf("    %s", reason);
		fclose(file);
	}
}

/* The call must fail with this errno. Returns 0 if it does. */
static int fails(const char *what, long result, int expected)
{
	int error = errno;

	if (result >= 0) {
		printf("%s: accepted\n", what);
		return 1;
	}
	printf("%s: %s\n", what, strerror(error));
	print_reason();
	return error != expected;
}

static int open_event(struct perf_event_attr *attr, int group)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

int main(void)
{
	union {
		struct perf_event_attr attr;
		char bytes[256];
	} larger;
	struct perf_event_attr good, attr;
	int fd, bad = 0;

	memset(&larger, 0, sizeof(larger));
	memset(&good, 0, sizeof(good));
	good.size = sizeof(good);
	good.type = PERF_TYPE_SOFTWARE;
	good.config = PERF_COUNT_SW_PAGE_FAULTS;
	good.exclude_kernel = 1;
	fd = open_event(&good, -1);
	if (fd < 0) {
		/* EACCES: see perf_event_paranoid. ENOSYS: no perf events, or seccomp. */
		perror("perf_event_open");
		print_reason();
		return 1;
	}

	attr = good;
	attr.config = 1000;
	bad |= fails("event 1000", open_event(&attr, -1), ENOENT);

	attr = good;
	attr.sample_period = 1ULL << 63;
	bad |= fails("period 2^63", open_event(&attr, -1), EINVAL);

	attr = good;
	attr.sigtrap = 1;
	bad |= fails("sigtrap alone", open_event(&attr, -1), EINVAL);

	/* A later kernel may have a field there. The kernel writes the size it knows. */
	larger.attr = good;
	larger.attr.size = sizeof(larger);
	larger.bytes[250] = 1;
	bad |= fails("unknown field", open_event(&larger.attr, -1), E2BIG);
	printf("    this kernel knows %u bytes\n", larger.attr.size);
	bad |= open_event(&larger.attr, -1) < 0;

	bad |= fails("group 1000", open_event(&good, 1000), EBADF);

	bad |= fails("period of a counter",
		     ioctl(fd, PERF_EVENT_IOC_PERIOD, &(__u64){ 5 }), EINVAL);
	return bad;
}
