/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups of the unified hierarchy.
 */
#ifndef PERF_TEST_CGROUP_H
#define PERF_TEST_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

#define CGROUPFS "/sys/fs/cgroup"

int cgroup_make(const char *name, char *path, size_t size);
int cgroup_write(const char *dir, const char *name, const char *text);
int cgroup_enter(const char *dir, pid_t pid);
int cgroup_remove(const char *path);

#endif /* PERF_TEST_CGROUP_H */
