// SPDX-License-Identifier: GPL-2.0
/*
 * Read a counter without a system call: RDPMC on x86, MRS on arm64.
 *
 * arm64 permits it if /proc/sys/kernel/perf_user_access is 1; x86 by default. The machine
 * must have a PMU.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIPPED 4	/* the exit status of a kselftest that cannot run */

/* index is page->index, the number of the counter plus one. */
static inline __u64 read_counter(__u32 index)
{
#if defined(__x86_64__)
	__u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index - 1));
	return (__u64)high << 32 | low;
#elif defined(__aarch64__)
	__u64 value;

	if (index == 32) {	/* the counter of cycles */
		asm volatile("mrs %0, pmccntr_el0" : "=r" (value));
	} else {
		asm volatile("msr pmselr_el0, %1\n\tisb\n\tmrs %0, pmxevcntr_el0"
			     : "=r" (value) : "r" ((__u64)index - 1));
	}
	return value;
#else
	return 0;		/* never called: index is 0 */
#endif
}

/*
 * The kernel makes "lock" odd or another number when it changes the page: at a context
 * switch, or when the event gets another counter. Returns -1 if the event has none now.
 */
static int read_self(const struct perf_event_mmap_page *page, __u64 *count)
{
	__u32 lock, index;
	__s64 value;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = page->index;
		if (!page->cap_user_rdpmc || !index)
			return -1;
		*count = page->offset;
		value = read_counter(index);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* The counter has pmc_width bits, the value is signed. */
		value <<= 64 - page->pmc_width;
		*count += value >> (64 - page->pmc_width);
	} while (lock & 1 || __atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock);
	return 0;
}

int main(void)
{
	struct perf_event_mmap_page *page;
	struct perf_event_attr attr;
	__u64 before, count, after, last = 0;
	int fd, i, done = 0;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.exclude_kernel = 1;
#ifdef __aarch64__
	attr.config1 = 2;	/* format/rdpmc of the PMU in sysfs */
#endif
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		i = errno;
		perror("perf_event_open");
		return i == ENOENT ? SKIPPED : 1;	/* ENOENT: no PMU */
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (!page->cap_user_rdpmc) {
		fprintf(stderr, "the kernel does not permit it\n");
		return SKIPPED;
	}

	for (i = 0; i < 1000; i++) {
		if (read(fd, &before, sizeof(before)) != sizeof(before))
			return 1;
		if (read_self(page, &count))
			continue;	/* it takes turns; read() has the count */
		if (read(fd, &after, sizeof(after)) != sizeof(after))
			return 1;
		if (count < before || count > after || count < last) {
			fprintf(stderr, "%llu is not between %llu and %llu\n",
				count, before, after);
			return 1;
		}
		last = count;
		done++;
	}
	printf("%d of %d reads without a system call, the last one %llu cycles\n",
	       done, i, last);
	return done < 500;
}
