/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers shared by the perf_events selftests: opening and reading events,
 * small files of /proc and /sys, CPUs, children held at a gate, and loads
 * whose size is known beforehand.
 *
 * Calls that can be refused return a negative errno, so that a test can say
 * EXPECT_EQ(-EINVAL, perf_open(...)).
 */
#ifndef PERF_UTIL_H
#define PERF_UTIL_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define PERF_ALL_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
			 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* What a read returns with PERF_ALL_TIMES and nothing else. */
struct perf_timed {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

/* Attributes of a counting event of any type. */
#define PERF_ATTR(_type, _config, ...)			\
	((struct perf_event_attr){			\
		.type = (_type),			\
		.size = sizeof(struct perf_event_attr),	\
		.config = (_config),			\
		##__VA_ARGS__				\
	})

/* Attributes of a software event: PERF_SW(DUMMY, .disabled = 1). */
#define PERF_SW(_name, ...) \
	PERF_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##_name, ##__VA_ARGS__)

/* Names the table row that an expectation belongs to, and shows it on demand. */
#define EXPECT_ROW(_want, _got, _name) do {				\
	int __row = (_got);						\
									\
	if (getenv("PERF_TEST_SHOW"))					\
		TH_LOG("row: %s -> %s", (_name), perf_errname(__row));	\
	EXPECT_EQ((_want), __row) {					\
		TH_LOG("row: %s: got %s, expected %s", (_name),		\
		       perf_errname(__row), perf_errname(_want));	\
	}								\
} while (0)

static inline const char *perf_errname(int ret)
{
	const char *name = ret < 0 ? strerrorname_np(-ret) : NULL;

	return ret >= 0 ? "ok" : name ? name : "unknown";
}

static inline long perf_raw_open(void *attr, pid_t pid, int cpu, int group_fd,
				 unsigned long flags)
{
	long ret = syscall(__NR_perf_event_open, attr, pid, cpu, group_fd,
			   flags);

	return ret < 0 ? -errno : ret;
}

static inline int perf_open(struct perf_event_attr attr, pid_t pid, int cpu,
			    int group_fd)
{
	return perf_raw_open(&attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

/* Open for the calling thread, wherever it runs, alone. */
static inline int perf_open_self(struct perf_event_attr attr)
{
	return perf_open(attr, 0, -1, -1);
}

/* Open and close: 0 if the kernel accepts it, a negative errno if not. */
static inline int perf_try(struct perf_event_attr attr, pid_t pid, int cpu,
			   int group_fd, unsigned long flags)
{
	long fd = perf_raw_open(&attr, pid, cpu, group_fd, flags);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static inline int perf_try_self(struct perf_event_attr attr)
{
	return perf_try(attr, 0, -1, -1, 0);
}

static inline int perf_ioctl(int fd, unsigned long request, unsigned long arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

static inline int perf_enable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static inline int perf_disable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static inline int perf_enable_group(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static inline int perf_disable_group(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

/* The value of an event opened with read_format 0; ~0 if it cannot be read. */
static inline __u64 perf_count(int fd)
{
	__u64 value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return ~0ULL;
	return value;
}

/* The same with PERF_ALL_TIMES; all ones if it cannot be read. */
static inline struct perf_timed perf_timed_count(int fd)
{
	struct perf_timed t;

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		memset(&t, 0xff, sizeof(t));
	return t;
}

static inline __u64 perf_event_id(int fd)
{
	__u64 id = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	return id;
}

/*
 * True on a kernel without the subsystem that these tests were written for.
 * A fault that the stock kernel is known to have is skipped there, with the
 * reason, by the case that would otherwise fail.
 */
static inline bool perf_is_stock(void)
{
	return access("/proc/self/perf_event_refusal", F_OK) != 0;
}

#define SKIP_STOCK_FAULT(_fault, _text) do {				\
	if ((_fault) && perf_is_stock())				\
		SKIP(return, "fault of the stock kernel: %s", _text);	\
} while (0)

/*
 * The first event of a kind has the kernel patch its code, and the last one
 * again. Tests open and close so many that under an emulator of several CPUs,
 * which may run a stale breakpoint byte after the patching is done, the guest
 * would die of it now and then. So each program holds one event of each kind
 * that is patched in, and leaves the patching to its start and its end.
 */
static __attribute__((constructor)) void perf_hold_kinds(void)
{
	static const __u64 kinds[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_CGROUP_SWITCHES,
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		perf_open_self(PERF_ATTR(PERF_TYPE_SOFTWARE, kinds[i]));
}

/* Small files */

static inline int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len >= 0)
		buf[len] = '\0';
	return len;
}

static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	if (len < 0)
		len = -errno;
	close(fd);
	return len < 0 ? len : 0;
}

static inline int file_read_long(const char *path, long *value)
{
	char buf[64];
	int len = file_read(path, buf, sizeof(buf));

	if (len < 0)
		return len;
	return sscanf(buf, "%ld", value) == 1 ? 0 : -EINVAL;
}

static inline int file_write_long(const char *path, long value)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%ld", value);
	return file_write(path, buf);
}

/* A slow kernel lowers the limit by itself, below what a test asks for. */
static inline void perf_raise_sample_rate(void)
{
	file_write_long("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
}

/* Time */

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Stay on the CPU until this thread has used that much of it. */
static inline void burn_cpu(__u64 ns)
{
	__u64 end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * NSEC_PER_MSEC };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* CPUs */

static inline int pin_pid_to_cpu(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

static inline int pin_to_cpu(int cpu)
{
	return pin_pid_to_cpu(0, cpu);
}

/* The index-th CPU that this task may run on, or -1. */
static inline int nth_cpu(int index)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && index-- == 0)
			return cpu;
	return -1;
}

static inline int cpu_set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return file_write(path, online ? "1" : "0");
}

/* The highest CPU of ours that can be taken offline, or -1. */
static inline int hotplug_cpu(void)
{
	char path[64];
	long online;
	int cpu, last = -1, i;

	for (i = 0; (cpu = nth_cpu(i)) >= 0; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (!file_read_long(path, &online) && online == 1)
			last = cpu;
	}
	return last;
}

/* Was the last attempt of this task refused for this attribute? */
static inline bool refused_for(const char *field)
{
	char why[256];

	if (file_read("/proc/self/perf_event_refusal", why, sizeof(why)) <= 0)
		return false;
	return !strncmp(why, field, strlen(field)) && why[strlen(field)] == ':';
}

/* Has an event been on the hardware, or does it come there within ten seconds? */
static inline bool gets_its_turn(int fd)
{
	int n;

	for (n = 0; n < 1000; n++) {
		if (perf_timed_count(fd).running)
			return true;
		sleep_ms(10);
	}
	return false;
}

/* Loads of known size */

static inline void *map_fresh_pages(size_t pages)
{
	size_t len = pages * sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, len, MADV_NOHUGEPAGE);
	return p;
}

/* One minor fault per page that has not been touched before. */
static inline void touch_pages(void *p, size_t pages)
{
	size_t size = sysconf(_SC_PAGESIZE);
	volatile char *c = p;

	while (pages--) {
		*c = 1;
		c += size;
	}
}

static inline void fault_pages(size_t pages)
{
	void *p = map_fresh_pages(pages);

	if (!p)
		_exit(99);
	touch_pages(p, pages);
	munmap(p, pages * sysconf(_SC_PAGESIZE));
}

/* Whether an event of page faults counts those of this process. */
static inline bool counts_faults(int fd)
{
	__u64 before = perf_count(fd);

	fault_pages(3);
	return perf_count(fd) >= before + 3;
}

/* Whether it counts none of them. */
static inline bool counts_no_faults(int fd)
{
	__u64 before = perf_count(fd);

	fault_pages(3);
	return perf_count(fd) == before;
}

/*
 * Have everything that this process already maps resident, so that from here
 * on only the pages that a test touches on purpose fault.
 */
static inline int stay_resident(void)
{
	volatile char stack[16 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
	return mlockall(MCL_CURRENT) ? -errno : 0;
}

static inline long switches_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_nvcsw + ru.ru_nivcsw;
}

/*
 * An event of another task is exact against what the kernel tells of that
 * task's faults: fields 10 and 12 of stat are its minor and major ones.
 */
static inline long faults_of_pid(pid_t pid)
{
	unsigned long minor, major;
	char path[64], buf[1024], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, buf, sizeof(buf)) < 0)
		return -1;
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %lu %*u %lu",
			 &minor, &major) != 2)
		return -1;
	return minor + major;
}

/* Gates: a pipe on which one side waits for the other. */

struct gate {
	int rd;
	int wr;
};

static inline struct gate gate_new(void)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		_exit(98);
	return (struct gate){ fd[0], fd[1] };
}

static inline void gate_open(struct gate *g)
{
	if (write(g->wr, "x", 1) != 1)
		_exit(97);
}

static inline void gate_wait(struct gate *g)
{
	ssize_t len;
	char c;

	do {
		len = read(g->rd, &c, 1);
	} while (len < 0 && errno == EINTR);
	/* 0: whoever was to open the gate is dead. */
	if (len != 1)
		_exit(96);
}

/* A child that does not outlive a test that was cut short. */
static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* The exit status of a child, or minus the signal that ended it. */
static inline int wait_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/*
 * Programs to exec: the test itself, with an argument that main() hands over
 * to perf_exec_main() before the harness sees it.
 */
static inline void perf_exec_touch(int pages)
{
	char count[16];

	snprintf(count, sizeof(count), "%d", pages);
	execl("/proc/self/exe", "touch", "--touch", count, NULL);
	_exit(94);
}

static inline void perf_exec_main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--touch")) {
		fault_pages(atoi(argv[2]));
		_exit(0);
	}
}

/* In place of TEST_HARNESS_MAIN. */
#define PERF_TEST_EXEC_MAIN					\
	int main(int argc, char **argv)				\
	{							\
		perf_exec_main(argc, argv);			\
		return test_harness_run(argc, argv);		\
	}

#endif /* PERF_UTIL_H */
