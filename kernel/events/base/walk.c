// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over lists of this CPU that let interrupts in. See walk.h.
 */
#include "walk.h"

/* The innermost one. */
DEFINE_PER_CPU(struct perf_walk *, perf_walks);

/* perf_walk_pass() while there are walks, @walk being the innermost. */
void __perf_walk_pass(struct perf_walk *walk, struct hlist_node *node)
{
	for (; walk; walk = walk->outer) {
		if (walk->next == node)
			walk->next = node->next;
	}
}
