/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small files of /proc and /sys.
 */
#ifndef PERF_TEST_FILE_H
#define PERF_TEST_FILE_H

#include <stddef.h>
#include <linux/types.h>

int file_read(const char *path, char *buf, size_t size);
int file_write(const char *path, const char *text);
int file_read_long(const char *path, long *value);
int file_write_long(const char *path, long value);
__u64 file_inode(const char *path);

#endif /* PERF_TEST_FILE_H */
