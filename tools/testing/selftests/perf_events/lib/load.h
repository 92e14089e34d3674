/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads of a known size: time, and pages that fault.
 */
#ifndef PERF_TEST_LOAD_H
#define PERF_TEST_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <linux/types.h>

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/*
 * The last resort against a condition that never comes true: two minutes. No test may
 * depend on the length. Also a timeout of poll() and epoll_wait().
 */
#define PATIENCE_MS	120000

/* Sleep until a condition is true. The result is false if it never is. */
#define COMES_TRUE(_what) ({						\
	bool __true;							\
									\
	for (int __ms = 0; !(__true = (_what)) && __ms < PATIENCE_MS; __ms++) \
		sleep_ms(1);						\
	__true;								\
})

/* Run in user mode until a condition is true. The result is false if it never is. */
#define BURNS_UNTIL(_what) ({						\
	bool __true;							\
									\
	for (int __ms = 0; !(__true = (_what)) && __ms < PATIENCE_MS; __ms++) \
		burn_cpu(NSEC_PER_MSEC);				\
	__true;								\
})

extern size_t page_size;

/* The address that the CPU reports of a fault: s390 reports the page. */
static inline unsigned long fault_address(const volatile void *addr)
{
#ifdef __s390x__
	return (unsigned long)addr & -page_size;
#else
	return (unsigned long)addr;
#endif
}

__u64 clock_ns(clockid_t clock);
bool race_goes_on(int round, int min, __u64 start, __u64 ns);
void burn_cpu(__u64 ns);
void sleep_ms(unsigned int ms);

void *map_fresh_pages(size_t pages);
void touch_pages(void *p, size_t pages);
void fault_pages(size_t pages);
void perf_fault(int fd, size_t pages);
bool counts_faults(int fd);
bool counts_no_faults(int fd);
int stay_resident(void);

#endif /* PERF_TEST_LOAD_H */
