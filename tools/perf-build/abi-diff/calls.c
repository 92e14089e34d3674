// SPDX-License-Identifier: GPL-2.0
/* Execution of a case: the calls in their order, each with its result in the journal. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi.h"

/* an address that no process has mapped */
#define BAD_POINTER	((void *)8)

int slot_fds[MAX_SLOTS] = { -1, -1, -1, -1 };
static struct perf_event_attr slot_attrs[MAX_SLOTS];

/* The attributes as passed to the kernel, with as many bytes as the largest valid size. */
static void *make_attr(const struct attr_plan *plan)
{
	static union {
		struct perf_event_attr	attr;
		char			bytes[8192];
	} made;
	struct perf_event_attr *attr = &made.attr;

	if (plan->unreadable)
		return BAD_POINTER;
	memset(&made, 0, sizeof(made));
	*attr = plan->attr;
	if (plan->type)
		attr->type = plan->type->type;
	if (plan->tracepoint)
		attr->config = plan->tracepoint->id;
	if (plan->upper)
		attr->config |= (uint64_t)plan->upper->type << 32;
	if (plan->path)
		attr->config1 = (uintptr_t)plan->path;
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

static void run_open(const struct step *step)
{
	struct perf_event_attr *attr = make_attr(&step->attr);
	unsigned int slot = step->slot;
	uint32_t size = step->attr.size;

	slot_fds[slot] = -1;
	slot_fds[slot] = syscall(SYS_perf_event_open, attr, world_pid(step->pid), step->cpu,
				 world_fd(step->other), step->flags);
	say_result(slot_fds[slot] < 0 ? -1 : 0);
	if (attr == BAD_POINTER)
		return;
	slot_attrs[slot] = *attr;
	if (attr->size != size)
		say(" size becomes %u", attr->size);
}

static long run_query(const struct step *step)
{
	struct {
		struct perf_event_query_bpf	query;
		uint32_t			ids[64];
	} all = { .query.ids_len = step->arg };
	long ret = ioctl(slot_fds[step->slot], step->cmd, &all);

	if (!ret)
		say(" programs=%u", all.query.prog_cnt);
	return ret;
}

static long run_ioctl(const struct step *step)
{
	int fd = slot_fds[step->slot];
	uint64_t value = step->arg;

	if (step->cmd == PERF_EVENT_IOC_MODIFY_ATTRIBUTES)
		return ioctl(fd, step->cmd, make_attr(&step->attr));
	if (step->cmd == PERF_EVENT_IOC_SET_OUTPUT)
		return ioctl(fd, step->cmd, (long)world_fd(step->other));
	if (step->pointer == 'b')
		return ioctl(fd, step->cmd, BAD_POINTER);
	if (step->pointer == 't')
		return ioctl(fd, step->cmd, step->text);
	if (step->pointer == 'p')
		return ioctl(fd, step->cmd, (long)world_program(step->arg));
	if (step->cmd == PERF_EVENT_IOC_QUERY_BPF)
		return run_query(step);
	if (step->pointer == 'v')
		return ioctl(fd, step->cmd, &value);
	return ioctl(fd, step->cmd, step->arg);
}

static void read_slot(int fd, const struct perf_event_attr *attr, size_t size)
{
	uint64_t values[512];
	ssize_t bytes = read(fd, values, size);

	say_result(bytes);
	say_read(attr, values, bytes);
}

static void poll_slot(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int ret = poll(&pollfd, 1, 0);

	say_result(ret);
	if (ret > 0)
		say("%s%s%s%s", pollfd.revents & POLLIN ? " IN" : "",
		    pollfd.revents & POLLHUP ? " HUP" : "",
		    pollfd.revents & POLLERR ? " ERR" : "",
		    pollfd.revents & POLLNVAL ? " NVAL" : "");
}

/* Cause faults, a switch, mappings, a new task name, system calls, and hits of breakpoints. */
static void work(void)
{
	struct timespec moment = { 0, 1000 };
	volatile char *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	munmap((void *)page, 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((void *)page, 4096);
	prctl(PR_SET_NAME, "abi-diff");
	watched_variable = 1;
	watched_function();
	nanosleep(&moment, NULL);
}

static void run_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Pass to the next program what it must read. */
static void run_exec(void)
{
	char words[MAX_SLOTS][80], *args[MAX_SLOTS + 3] = { "abi-diff", "--after-exec" };
	unsigned int i;

	for (i = 0; i < MAX_SLOTS; i++) {
		snprintf(words[i], sizeof(words[i]), "%d:%u:%llu:%llu", slot_fds[i],
			 slot_attrs[i].type, (unsigned long long)slot_attrs[i].config,
			 (unsigned long long)slot_attrs[i].read_format);
		args[i + 2] = words[i];
	}
	execv("/proc/self/exe", args);
	say_result(-1);
}

void run_after_exec(char **slots)
{
	unsigned long long config, format;
	unsigned int type, i;
	int fd;

	work();
	for (i = 0; i < MAX_SLOTS && slots[i]; i++) {
		struct perf_event_attr attr = {};

		if (sscanf(slots[i], "%d:%u:%llu:%llu", &fd, &type, &config, &format) != 4 ||
		    fd < 0)
			continue;
		attr.type = type;
		attr.config = config;
		attr.read_format = format;
		say(" e%u", i);
		read_slot(fd, &attr, 4096);
		poll_slot(fd);
	}
	journal_write();
}

/* Most calls on an event that is not open are made on the next open one. */
static bool find_open(struct step *step)
{
	unsigned int i;

	switch (step->call) {
	case CALL_IOCTL:
	case CALL_READ:
	case CALL_MMAP:
	case CALL_MUNMAP:
	case CALL_POLL:
	case CALL_CLOSE:
		break;
	default:
		return true;
	}
	for (i = 0; i < MAX_SLOTS && slot_fds[step->slot] < 0; i++)
		step->slot = (step->slot + 1) % MAX_SLOTS;
	return slot_fds[step->slot] >= 0;
}

static void run_step(const struct step *planned)
{
	struct step copy = *planned, *step = &copy;
	int *fd;

	if (!find_open(step))
		return;
	fd = &slot_fds[step->slot];
	say_call(step);
	switch (step->call) {
	case CALL_OPEN:
		run_open(step);
		break;
	case CALL_IOCTL:
		say_result(run_ioctl(step));
		break;
	case CALL_READ:
		read_slot(*fd, &slot_attrs[step->slot], step->length);
		break;
	case CALL_MMAP:
		buffer_map(step);
		break;
	case CALL_MUNMAP:
		say_result(buffer_unmap(step));
		break;
	case CALL_POLL:
		poll_slot(*fd);
		break;
	case CALL_PRCTL:
		say_result(prctl(step->cmd, step->arg, 0, 0, 0));
		break;
	case CALL_WORK:
		work();
		buffers_show_records();
		break;
	case CALL_CLOSE:
		say_result(close(*fd));
		*fd = -1;
		break;
	case CALL_FORK:
		run_fork();
		break;
	case CALL_END:
		world_end_doomed();
		break;
	case CALL_EXEC:
		run_exec();
		break;
	}
}

void run_case(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->steps[i].call == CALL_OPEN && plan->steps[i].pid == PID_DOOMED)
			world_doom();
	}
	for (i = 0; i < plan->nr; i++)
		run_step(&plan->steps[i]);

	buffers_end();
	for (i = 0; i < MAX_SLOTS; i++) {
		if (slot_fds[i] >= 0)
			close(slot_fds[i]);
		slot_fds[i] = -1;
	}
	world_end_doomed();
}
