/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small files of /proc and /sys.
 */
#ifndef PERF_TEST_FILE_H
#define PERF_TEST_FILE_H

#include <stddef.h>
#include <linux/types.h>

/* Limits that the administrator sets */
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define MLOCK_KB	"/proc/sys/kernel/perf_event_mlock_kb"
#define MAX_STACK	"/proc/sys/kernel/perf_event_max_stack"
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define CPU_TIME	"/proc/sys/kernel/perf_cpu_time_max_percent"

int file_read(const char *path, char *buf, size_t size);
int file_write(const char *path, const char *text);
int file_read_long(const char *path, long *value);
int file_write_long(const char *path, long value);
long folder_read_long(const char *folder, const char *file);
int folder_write_long(const char *folder, const char *file, long value);
__u64 file_inode(const char *path);

#endif /* PERF_TEST_FILE_H */
