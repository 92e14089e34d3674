// SPDX-License-Identifier: GPL-2.0
/* Calls on descriptors of events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"

/* an address that no process has mapped */
#define BAD_POINTER	((void *)8)

static int slot(int64_t number)
{
	return __atomic_load_n(&shared->slots[number % FUZZ_SLOTS], __ATOMIC_ACQUIRE);
}

/* Put a descriptor into a slot, and close the one that was there. */
static long set_slot(int64_t number, int fd)
{
	int old;

	if (fd < 0)
		return -1;
	old = __atomic_exchange_n(&shared->slots[number % FUZZ_SLOTS], fd, __ATOMIC_ACQ_REL);
	if (old >= 0)
		close(old);
	return 0;
}

/* The attributes as passed to the kernel; each thread has its own copy. */
static void *make_attr(const struct attr_plan *plan)
{
	static __thread union {
		struct perf_event_attr	attr;
		char			bytes[4096];
	} made;
	struct perf_event_attr *attr = &made.attr;

	if (plan->unreadable)
		return BAD_POINTER;
	memset(&made, 0, sizeof(made));
	*attr = plan->attr;
	if (plan->breakpoint == 'v')
		attr->bp_addr += (uintptr_t)&watched_variable;
	else if (plan->breakpoint == 'f')
		attr->bp_addr += (uintptr_t)watched_function;
	else if (plan->breakpoint == 'k')
		attr->bp_addr += 0xffff800000000000;
	if (plan->tail && plan->size > sizeof(*attr) && plan->size <= sizeof(made))
		made.bytes[plan->size - 1] = 1;
	return attr;
}

/* args: slot pid cpu group flags probe */
CALL(open)
{
	struct perf_event_attr *attr = make_attr(&step->attr);
	int64_t pid = step->args[1], group = step->args[3];
	int id, group_fd = -1;

	if (step->args[5] && attr != BAD_POINTER) {
		id = machine_probe_id(step->args[5] - 1);
		if (id >= 0) {
			attr->type = PERF_TYPE_TRACEPOINT;
			attr->config = id;
		}
	}
	if (group >= 0 && group < FUZZ_SLOTS)
		group_fd = slot(group);
	else if (group >= FUZZ_SLOTS)
		group_fd = shared->others[group % NR_OTHERS];
	return set_slot(step->args[0],
			syscall(SYS_perf_event_open, attr,
				shared->pids[pid % (NR_PIDS + NR_WORKERS)],
				(int)step->args[2], group_fd, step->args[4]));
}

CALL(ioctl)
{
	static const unsigned long cmds[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_PERIOD,
		PERF_EVENT_IOC_ID, PERF_EVENT_IOC_QUERY_BPF,
	};
	unsigned long cmd = cmds[step->args[1] % ARRAY_SIZE(cmds)];
	uint64_t value[34] = { step->args[2] };

	if (cmd == PERF_EVENT_IOC_QUERY_BPF)
		value[0] = 32;
	if (_IOC_DIR(cmd))
		return ioctl(slot(step->args[0]), cmd, value);
	return ioctl(slot(step->args[0]), cmd, step->args[2]);
}

CALL(output)
{
	int64_t other = step->args[1];

	return ioctl(slot(step->args[0]), PERF_EVENT_IOC_SET_OUTPUT,
		     (long)(other < 0 ? -1 : slot(other)));
}

CALL(filter)
{
	static const char *const filters[] = {
		"common_pid != 0", "common_pid==1", "0", "id > 3 && id < 9", "prev_pid != 0",
		"", "start 0x1000", "filter 0x1000/0x100@/tmp/abi-diff-probed",
		"start 0x1000@/tmp/abi-diff-probed,stop 0x1010@/tmp/abi-diff-probed",
		"stop 0x2000", "nonsense",
	};

	return ioctl(slot(step->args[0]), PERF_EVENT_IOC_SET_FILTER,
		     filters[step->args[1] % ARRAY_SIZE(filters)]);
}

CALL(bpf)
{
	return ioctl(slot(step->args[0]), PERF_EVENT_IOC_SET_BPF,
		     (long)shared->bpf[step->args[1] % NR_PROGRAMS]);
}

CALL(modify)
{
	return ioctl(slot(step->args[0]), PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		     make_attr(&step->attr));
}

CALL(read)
{
	uint64_t values[512];
	size_t bytes = step->args[1];

	return read(slot(step->args[0]), values, bytes < sizeof(values) ? bytes : sizeof(values));
}

CALL(poll)
{
	struct pollfd pollfd = { .fd = slot(step->args[0]), .events = POLLIN };

	return poll(&pollfd, 1, 0);
}

/* An epoll file that outlives the call, if it gets into a slot: then it is polled as well. */
CALL(epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	long ret = epoll_ctl(fd, EPOLL_CTL_ADD, slot(step->args[0]), &event);

	if (!ret && step->args[1])
		return set_slot(step->args[1], fd);
	epoll_wait(fd, &event, 1, 0);
	close(fd);
	return ret;
}

/* args: slot worker signal */
CALL(async)
{
	int fd = slot(step->args[0]), signal = step->args[2];

	if (fcntl(fd, F_SETOWN, shared->pids[PID_WORKER + step->args[1] % NR_WORKERS]))
		return -1;
	fcntl(fd, F_SETSIG, signal);
	return fcntl(fd, F_SETFL, signal < 0 ? 0 : O_ASYNC);
}

CALL(close)
{
	int fd = __atomic_exchange_n(&shared->slots[step->args[0] % FUZZ_SLOTS], -1,
				     __ATOMIC_ACQ_REL);

	return close(fd);
}

CALL(dup)
{
	return set_slot(step->args[1], dup(slot(step->args[0])));
}

/* Descriptors that are in flight when the case ends are closed with the socket. */
CALL(send)
{
	int fd = slot(step->args[0]);
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec vec = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &vec, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(shared->sockets[0], &message, MSG_DONTWAIT);
}

CALL(receive)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec vec = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &vec, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	int fd = -1;

	if (recvmsg(shared->sockets[1], &message, MSG_DONTWAIT) < 0)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (header)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return set_slot(step->args[0], fd);
}
