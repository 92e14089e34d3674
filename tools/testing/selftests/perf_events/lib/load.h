/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads whose size is known beforehand: time, and pages that fault.
 */
#ifndef PERF_TEST_LOAD_H
#define PERF_TEST_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <linux/types.h>

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

extern size_t page_size;

__u64 clock_ns(clockid_t clock);
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
