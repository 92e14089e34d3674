// SPDX-License-Identifier: GPL-2.0
/*
 * The time for which an event was enabled, without a system call: the control page has the time
 * of its last update, and factors that turn the clock of the CPU into nanoseconds since then.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDING_NS	1000
#define SKIPPED		4	/* the exit status of a kselftest that cannot run */

#define barrier()	asm volatile("" ::: "memory")

/* The clock that the factors are for. Another architecture has another instruction. */
#if defined(__x86_64__) || defined(__aarch64__) || \
	(defined(__riscv) && __riscv_xlen == 64)
#define HAS_CLOCK	1
#else
#define HAS_CLOCK	0
#endif

static __u64 cpu_clock(void)
{
#if defined(__x86_64__)
	unsigned int low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (__u64)high << 32 | low;
#elif defined(__aarch64__)
	__u64 value;

	asm volatile("isb; mrs %0, cntvct_el0" : "=r" (value));
	return value;
#elif defined(__riscv) && __riscv_xlen == 64
	__u64 value;

	asm volatile("rdtime %0" : "=r" (value));
	return value;
#else
	return 0;
#endif
}

/* Returns 0 if the page has no factors. */
static __u64 time_enabled(const volatile struct perf_event_mmap_page *page)
{
	__u64 enabled, clock, rest;
	__u32 lock;

	do {
		lock = page->lock;
		barrier();
		if (!HAS_CLOCK || !page->cap_user_time)
			return 0;
		enabled = page->time_enabled;
		clock = cpu_clock();
		if (page->cap_user_time_short)
			clock = page->time_cycles +
				((clock - page->time_cycles) & page->time_mask);
		rest = clock & ((1ULL << page->time_shift) - 1);
		enabled += page->time_offset + (clock >> page->time_shift) * page->time_mult +
			   ((rest * page->time_mult) >> page->time_shift);
		barrier();
	} while ((lock & 1) || page->lock != lock);
	return enabled;
}

static __u64 read_time_enabled(int fd)
{
	__u64 values[2];	/* the count, and the time */

	return read(fd, values, sizeof(values)) == sizeof(values) ? values[1] : 0;
}

int main(void)
{
	struct perf_event_mmap_page *page;
	__u64 before, between, after;
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (!time_enabled(page)) {
		fprintf(stderr, "this machine's clock cannot be read by programs\n");
		return SKIPPED;
	}
	before = read_time_enabled(fd);
	between = time_enabled(page);
	after = read_time_enabled(fd);
	printf("%llu ns by read(2), %llu ns by the page, %llu ns by read(2)\n", before, between,
	       after);
	/* The factors are rounded. */
	return before > between + ROUNDING_NS || between > after + ROUNDING_NS;
}
