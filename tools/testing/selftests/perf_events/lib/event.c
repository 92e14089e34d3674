// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"

/**
 * perf_no_breakpoint() - Does an architecture or a CPU have no debug registers?
 * @err: What opening a breakpoint returned.
 *
 * All CPUs of x86 and arm64 have some.
 *
 * Return: true if a test of breakpoints has to be skipped.
 */
bool perf_no_breakpoint(int err)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return false;
#else
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -ENOSPC;
#endif
}

/**
 * perf_errname() - Name the result of a call
 * @ret: 0 or more, or a negative errno.
 *
 * Return: "ok", or the errno's name.
 */
const char *perf_errname(int ret)
{
	const char *name = ret < 0 ? strerrorname_np(-ret) : NULL;

	return ret >= 0 ? "ok" : name ? name : "unknown";
}

/**
 * perf_is_stock() - Tell whether this is a kernel without the subsystem under test
 *
 * Return: True if /proc/self/perf_event_refusal does not exist.
 */
bool perf_is_stock(void)
{
	return access("/proc/self/perf_event_refusal", F_OK) != 0;
}

/**
 * refused_for() - Check the reason of the last refusal
 * @field: Name of a field of struct perf_event_attr.
 *
 * Return: True if the calling task's last perf_event_open() was refused for @field.
 */
bool refused_for(const char *field)
{
	char why[256];

	if (file_read("/proc/self/perf_event_refusal", why, sizeof(why)) <= 0)
		return false;
	return !strncmp(why, field, strlen(field)) && why[strlen(field)] == ':';
}

/**
 * perf_raw_open() - Call perf_event_open()
 * @attr: Pointer for the kernel, valid or not.
 * @pid: Task, 0 for the caller, -1 for any.
 * @cpu: CPU, -1 for any.
 * @group_fd: Group leader, or -1.
 * @flags: PERF_FLAG_*.
 *
 * Return: A file descriptor, or a negative errno.
 */
long perf_raw_open(void *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags)
{
	long ret = syscall(__NR_perf_event_open, attr, pid, cpu, group_fd,
			   flags);

	return ret < 0 ? -errno : ret;
}

/**
 * perf_open() - Open an event with a descriptor that exec closes
 * @attr: Attributes.
 * @pid: Task, 0 for the caller, -1 for any.
 * @cpu: CPU, -1 for any.
 * @group_fd: Group leader, or -1.
 *
 * Return: A file descriptor, or a negative errno.
 */
int perf_open(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd)
{
	return perf_raw_open(&attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

/**
 * perf_open_self() - Open an event of the calling thread on any CPU, in no group
 * @attr: Attributes.
 *
 * Return: A file descriptor, or a negative errno.
 */
int perf_open_self(struct perf_event_attr attr)
{
	return perf_open(attr, 0, -1, -1);
}

/**
 * perf_try() - Open an event and close it
 * @attr: Attributes.
 * @pid: Task, 0 for the caller, -1 for any.
 * @cpu: CPU, -1 for any.
 * @group_fd: Group leader, or -1.
 * @flags: PERF_FLAG_*.
 *
 * Return: 0 if the kernel accepts the event, or a negative errno.
 */
int perf_try(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
	     unsigned long flags)
{
	long fd = perf_raw_open(&attr, pid, cpu, group_fd, flags);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/**
 * perf_try_self() - Open an event of the calling thread and close it
 * @attr: Attributes.
 *
 * Return: 0 if the kernel accepts the event, or a negative errno.
 */
int perf_try_self(struct perf_event_attr attr)
{
	return perf_try(attr, 0, -1, -1, 0);
}

/**
 * perf_ioctl() - Call ioctl() on an event
 * @fd: The event.
 * @request: PERF_EVENT_IOC_*.
 * @arg: Argument of the request.
 *
 * Return: What the request returns, or a negative errno.
 */
int perf_ioctl(int fd, unsigned long request, unsigned long arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

/**
 * perf_enable() - Enable an event
 * @fd: The event.
 *
 * Return: 0, or a negative errno.
 */
int perf_enable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/**
 * perf_disable() - Disable an event
 * @fd: The event.
 *
 * Return: 0, or a negative errno.
 */
int perf_disable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/**
 * perf_enable_group() - Enable all events of a group
 * @fd: An event of the group.
 *
 * Return: 0, or a negative errno.
 */
int perf_enable_group(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

/**
 * perf_disable_group() - Disable all events of a group
 * @fd: An event of the group.
 *
 * Return: 0, or a negative errno.
 */
int perf_disable_group(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

/**
 * perf_count() - Read an event that was opened with read_format 0
 * @fd: The event.
 *
 * Return: The count, or all ones if the event cannot be read.
 */
__u64 perf_count(int fd)
{
	__u64 value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return ~0ULL;
	return value;
}

/**
 * perf_timed_count() - Read an event that was opened with PERF_ALL_TIMES
 * @fd: The event.
 *
 * Return: The count and the times, or all ones if the event cannot be read.
 */
struct perf_timed perf_timed_count(int fd)
{
	struct perf_timed t;

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		memset(&t, 0xff, sizeof(t));
	return t;
}

/**
 * perf_counted() - Read an event that was opened with PERF_FORMAT_LOST
 * @fd: The event.
 *
 * Return: The count and the lost records, or all ones if the event cannot be read.
 */
struct perf_count_lost perf_counted(int fd)
{
	struct perf_count_lost c;

	if (read(fd, &c, sizeof(c)) != sizeof(c))
		memset(&c, 0xff, sizeof(c));
	return c;
}

/**
 * perf_event_id() - Get the id of an event
 * @fd: The event.
 *
 * Return: The id, or 0 if there is none.
 */
__u64 perf_event_id(int fd)
{
	__u64 id = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	return id;
}

/**
 * perf_poll() - Poll one file descriptor without waiting
 * @fd: The file descriptor.
 * @events: Events to look for, POLLIN and others.
 *
 * Return: The events found, or a negative errno.
 */
int perf_poll(int fd, short events)
{
	struct pollfd p = { fd, events, 0 };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

/**
 * gets_its_turn() - Wait until an event has been on the hardware
 * @fd: The event, opened with PERF_ALL_TIMES. It must not need the calling thread to run.
 *
 * Return: False if time_running never advances.
 */
bool gets_its_turn(int fd)
{
	return COMES_TRUE(perf_timed_count(fd).running);
}

/**
 * all_take_turns() - Check whether each of some events has counted for a part of the time
 * @fds: The events, opened with PERF_ALL_TIMES.
 * @nr: Number of events.
 *
 * Return: True if each has a count, and a time_running that is less than time_enabled.
 */
bool all_take_turns(const int *fds, int nr)
{
	struct perf_timed t;

	while (nr--) {
		t = perf_timed_count(fds[nr]);
		if (!t.value || !t.running || t.running >= t.enabled)
			return false;
	}
	return true;
}

/**
 * perf_close_all() - Close events, the last one first
 * @fds: The events.
 * @nr: Their number.
 */
void perf_close_all(const int *fds, int nr)
{
	while (nr--)
		close(fds[nr]);
}

/**
 * perf_raise_sample_rate() - Set perf_event_max_sample_rate to 100000
 *
 * A kernel that finds its interrupts slow lowers the limit by itself, maybe below the
 * rate that a test uses. Without the right to write the file nothing happens.
 */
void perf_raise_sample_rate(void)
{
	file_write_long(SAMPLE_RATE, 100000);
}

/* The rate cannot be written while the share of time is 0 or 100. */
static int write_rate(long rate)
{
	return file_write_long(CPU_TIME, 50) ?: file_write_long(SAMPLE_RATE, rate);
}

/**
 * perf_lift_limits() - Let no event be throttled
 * @before: Output, for perf_restore_limits().
 *
 * A host that runs the machine rarely may give it no tick for many periods. And interrupts that it
 * delays must not lower the rate. At this rate an event may have 100,000 samples without a tick.
 *
 * Return: 0, or a negative errno.
 */
int perf_lift_limits(struct perf_limits *before)
{
	struct perf_limits found;
	int err;

	*before = (struct perf_limits){};
	err = file_read_long(SAMPLE_RATE, &found.rate) ?:
	      file_read_long(CPU_TIME, &found.percent) ?:
	      write_rate(100000000);
	if (!err)
		*before = found;
	return err ?: file_write_long(CPU_TIME, 0);
}

/**
 * perf_restore_limits() - Undo perf_lift_limits()
 * @before: Its result.
 */
void perf_restore_limits(const struct perf_limits *before)
{
	if (!before->rate)
		return;
	write_rate(before->rate);
	file_write_long(CPU_TIME, before->percent);
}

/*
 * Hold one event of each kind whose first and last event make the kernel patch its
 * code. Tests open and close many events. Under an emulator of several CPUs a CPU may
 * execute a stale breakpoint byte after the patching is done, and the guest crashes.
 * With these events the kernel patches only when a program starts and ends.
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
