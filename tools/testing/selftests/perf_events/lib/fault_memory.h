/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much memory of each kind the kernel uses, to find what a test has leaked.
 */
#ifndef PERF_TEST_FAULT_MEMORY_H
#define PERF_TEST_FAULT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define FAULT_CACHES	512

/**
 * struct fault_memory - Memory in use
 * @nr: Number of caches.
 * @cache: Slab caches that are not freed under pressure, and their objects.
 * @percpu: Per-CPU allocations.
 * @pages: Pages in use that the kernel accounts nowhere, including the pages of buffers.
 * @pinned: Pages that this process has pinned.
 */
struct fault_memory {
	int nr;
	struct fault_cache {
		char name[256];
		long objects, per_slab;
	} cache[FAULT_CACHES];
	long percpu;
	long pages;
	long pinned;
};

int fault_memory_read(struct fault_memory *memory);
bool fault_memory_is_back(const struct fault_memory *before, int times, bool pages,
			  char *text, size_t size);

#endif /* PERF_TEST_FAULT_MEMORY_H */
