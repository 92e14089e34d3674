// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"

/* Bytes of a page. */
size_t page_size;

static __attribute__((constructor)) void get_page_size(void)
{
	page_size = sysconf(_SC_PAGESIZE);
}

/**
 * clock_ns() - Read a clock
 * @clock: CLOCK_*.
 *
 * Return: Nanoseconds.
 */
__u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Between two readings of the CPU time not more than this counts, in nanoseconds. */
#define STEP_NS	(NSEC_PER_MSEC / 4)

/**
 * race_goes_on() - Check whether a loop that provokes a race makes another round
 * @round: Number of rounds so far.
 * @min: Rounds that it always makes, however slow the host is.
 * @start: When it began, by CLOCK_MONOTONIC in nanoseconds.
 * @ns: After these nanoseconds it ends.
 *
 * Return: True if it does.
 */
bool race_goes_on(int round, int min, __u64 start, __u64 ns)
{
	return round < min || clock_ns(CLOCK_MONOTONIC) - start < ns;
}

/**
 * burn_cpu() - Run in user mode
 * @ns: CPU time of the calling thread to use, in nanoseconds.
 *
 * The CPU time of a thread includes the switches around it. It also advances while a busy
 * host does not run the virtual CPU. Of such a gap hardly anything is part of @ns: for most
 * of that time the thread has executed instructions.
 */
void burn_cpu(__u64 ns)
{
	__u64 last = clock_ns(CLOCK_THREAD_CPUTIME_ID), now, used = 0;

	while (used < ns) {
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		used += now - last < STEP_NS ? now - last : STEP_NS;
		last = now;
	}
}

/**
 * sleep_ms() - Sleep, signals or not
 * @ms: Milliseconds.
 */
void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * NSEC_PER_MSEC };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/**
 * map_fresh_pages() - Map anonymous memory that has no pages yet
 * @pages: Number of pages. They are never huge ones.
 *
 * Return: The memory, or NULL.
 */
void *map_fresh_pages(size_t pages)
{
	size_t len = pages * sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, len, MADV_NOHUGEPAGE);
	return p;
}

/**
 * touch_pages() - Write to each page of a memory
 * @p: The memory. Each page that was never touched is one minor fault.
 * @pages: Number of pages.
 */
void touch_pages(void *p, size_t pages)
{
	size_t size = sysconf(_SC_PAGESIZE);
	volatile char *c = p;

	while (pages--) {
		*c = 1;
		c += size;
	}
}

/**
 * fault_pages() - Cause minor faults
 * @pages: Their number.
 */
void fault_pages(size_t pages)
{
	void *p = map_fresh_pages(pages);

	if (!p)
		_exit(99);
	touch_pages(p, pages);
	munmap(p, pages * sysconf(_SC_PAGESIZE));
}

/**
 * perf_fault() - Cause minor faults and nothing else while an event is enabled
 * @fd: A disabled event of PAGE_FAULTS. It counts exactly these faults if the process
 *	is resident, see stay_resident().
 * @pages: Number of faults.
 */
void perf_fault(int fd, size_t pages)
{
	void *p = map_fresh_pages(pages);

	if (!p)
		_exit(99);
	perf_enable(fd);
	touch_pages(p, pages);
	perf_disable(fd);
	munmap(p, pages * sysconf(_SC_PAGESIZE));
}

/**
 * counts_faults() - Check that an event of page faults counts this process
 * @fd: The event, opened with read_format 0.
 *
 * Return: True if it counts the faults.
 */
bool counts_faults(int fd)
{
	__u64 before = perf_count(fd);

	fault_pages(3);
	return perf_count(fd) >= before + 3;
}

/**
 * counts_no_faults() - Check that an event of page faults does not count this process
 * @fd: The event, opened with read_format 0.
 *
 * Return: True if its count does not change.
 */
bool counts_no_faults(int fd)
{
	__u64 before = perf_count(fd);

	fault_pages(3);
	return perf_count(fd) == before;
}

/**
 * stay_resident() - Make the process's memory resident
 *
 * What the process maps already does not fault from here on, only what it maps later.
 *
 * Return: 0, or a negative errno.
 */
int stay_resident(void)
{
	volatile char stack[16 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
	return mlockall(MCL_CURRENT) ? -errno : 0;
}
