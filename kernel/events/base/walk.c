// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over lists of this CPU that allow interrupts. See walk.h.
 */
#include "walk.h"

/* The innermost walk on this CPU. */
DEFINE_PER_CPU(struct perf_walk *, perf_walks);

/* Slow path of perf_walk_pass(): there are walks, and @walk is the innermost. */
void __perf_walk_pass(struct perf_walk *walk, struct hlist_node *node)
{
	for (; walk; walk = walk->outer) {
		if (walk->next == node)
			walk->next = node->next;
	}
}
