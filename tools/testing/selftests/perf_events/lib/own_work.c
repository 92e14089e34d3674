// SPDX-License-Identifier: GPL-2.0
#include "own_work.h"
#include "perf_test.h"
#include "pmu.h"
#include "tracing.h"

#define PAGES	8

/*
 * Tracepoints at the begin of the interrupt in which a CPU does its own irq_works, and of that in
 * which it does one that another CPU has queued. NULL: there is none.
 */
#if defined(__x86_64__)
#define WORK_TRACEPOINT		"irq_vectors/irq_work_entry"
#define REMOTE_TRACEPOINT	"irq_vectors/call_function_single_entry"
#elif defined(__aarch64__)
#define WORK_TRACEPOINT		"ipi/ipi_entry"
#define REMOTE_TRACEPOINT	"ipi/ipi_entry"
#else
#define WORK_TRACEPOINT		NULL
#define REMOTE_TRACEPOINT	NULL
#endif

/* The last function of an interrupt, after all that it does */
#if defined(__powerpc__)
#define END_FUNCTION	"irq_exit"
#else
#define END_FUNCTION	"irq_exit_rcu"
#endif

bool *own_work_cpu_lost;

static volatile sig_atomic_t traps, ios;

/* Return: Zeroed memory that children share, or NULL. */
static void *shared_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

/**
 * own_work_share() - Let all tests of the program share own_work_cpu_lost
 *
 * To be called before the first test is forked.
 */
void own_work_share(void)
{
	own_work_cpu_lost = shared_memory(sizeof(*own_work_cpu_lost));
}

/**
 * own_work_skip() - Check whether a test must be skipped
 * @cpu: The CPU of the child, from nth_cpu(1).
 * @stock_hangs: On the stock kernel the CPU is lost.
 *
 * Return: The reason to skip it, or NULL.
 */
const char *own_work_skip(int cpu, bool stock_hangs)
{
	if (cpu < 0)
		return "needs a second CPU to watch from";
	if (stock_hangs && perf_is_stock())
		return "fault of the stock kernel: the CPU would be lost";
	return NULL;
}

/**
 * own_work_seen_new() - Allocate what a child has seen, in memory that the child shares
 *
 * Return: The memory, which is freed when the last process exits, or NULL.
 */
struct own_work_seen *own_work_seen_new(void)
{
	return shared_memory(sizeof(struct own_work_seen));
}

static void take_trap(int sig)
{
	traps++;
}

static void take_io(int sig)
{
	ios++;
}

/**
 * own_work_enter() - Begin a child
 * @cpu: Its CPU.
 *
 * From now on the caller counts SIGIO and SIGTRAP, has a process group of its own, and stays on
 * the CPU. It exits if it cannot.
 */
void own_work_enter(int cpu)
{
	signal(SIGIO, take_io);
	signal(SIGTRAP, take_trap);
	setpgid(0, 0);
	if (pin_to_cpu(cpu))
		_exit(1);
}

/**
 * own_work_note() - Note what the child has seen, at its end
 * @seen: Gets the count and the numbers of signals.
 * @fd: The event whose count is noted.
 */
void own_work_note(struct own_work_seen *seen, int fd)
{
	seen->count = perf_count(fd);
	seen->traps = traps;
	seen->ios = ios;
}

/**
 * own_work_attr() - Get the attributes of an event on a path, but for its type
 * @sigtrap: The task gets SIGTRAP for each sample.
 *
 * Return: The attributes. The event is disabled. Each occurrence is a sample, and a wakeup.
 */
struct perf_event_attr own_work_attr(bool sigtrap)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP,
		.wakeup_events = 1,
		.sigtrap = sigtrap,
		.remove_on_exec = sigtrap,
	};
}

/**
 * own_work_tracepoint() - Fill in the attributes of a tracepoint
 * @attr: Gets the type and what goes with it.
 * @name: SYSTEM/NAME, or NULL if there is none.
 *
 * Return: 0, or -ENODEV if the kernel has no such tracepoint.
 */
int own_work_tracepoint(struct perf_event_attr *attr, const char *name)
{
	long id = name ? tracepoint_id(name) : -ENODEV;

	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = id;
	return id < 0 ? -ENODEV : 0;
}

/**
 * own_work_kprobe() - Fill in the attributes of a probe at the begin of a function
 * @attr: Gets the type and what goes with it.
 * @symbol: The function.
 *
 * Return: 0, or -ENODEV if the kernel has no such function, or no probes.
 */
int own_work_kprobe(struct perf_event_attr *attr, const char *symbol)
{
	long type = pmu_type("kprobe");

	attr->type = type;
	attr->kprobe_func = (unsigned long)symbol;
	return type < 0 || !kernel_symbol(symbol) ? -ENODEV : 0;
}

/**
 * own_work_on_begin() - Fill in the attributes of the interrupt in which a CPU does its irq_works
 * @attr: Gets the type and what goes with it.
 *
 * It occurs at the begin of the interrupt.
 *
 * Return: 0, or -ENODEV if the kernel has no such tracepoint.
 */
int own_work_on_begin(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, WORK_TRACEPOINT);
}

/**
 * own_work_on_remote() - The same of the interrupt for an irq_work that another CPU has queued
 * @attr: Gets the type and what goes with it.
 *
 * Return: 0, or -ENODEV if the kernel has no such tracepoint.
 */
int own_work_on_remote(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, REMOTE_TRACEPOINT);
}

/**
 * own_work_on_end() - Fill in the attributes of the end of any interrupt
 * @attr: Gets the type and what goes with it.
 *
 * Return: 0, or -ENODEV if the kernel has no such function, or no probes.
 */
int own_work_on_end(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, END_FUNCTION);
}

/**
 * own_work_map() - Let the samples of an event wake the readers of a buffer
 * @buf: The buffer.
 * @fd: The event.
 *
 * A reader that cannot write never makes room: the buffer is overwritten.
 *
 * Return: 0, or a negative errno.
 */
int own_work_map(struct perf_buf *buf, int fd)
{
	return perf_buf_map_prot(buf, fd, PAGES, PROT_READ);
}

/**
 * own_work_async() - Send SIGIO to the caller's process group for each sample of an event
 * @fd: The event.
 *
 * Return: 0, or a negative errno.
 */
int own_work_async(int fd)
{
	if (fcntl(fd, F_SETOWN, -getpgrp()) ||
	    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC))
		return -errno;
	return 0;
}
