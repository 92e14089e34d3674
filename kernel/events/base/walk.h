/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over lists of this CPU that may be long, and allow interrupts.
 *
 * All events on a list count an occurrence. Only this CPU changes the list, with irqs off.
 * Between two nodes an interrupt can remove nodes from the list, and add them to this or
 * another list again. So each walk is registered on its CPU. Before a node is removed,
 * perf_walk_pass() moves every walk that would continue there to the node after it. A node
 * is added at the front of a list, which the walk has already passed.
 *
 * Context: preemption off, and irqs off except in perf_walk_rest(). Walks nest.
 */
#ifndef _KERNEL_EVENTS_WALK_H
#define _KERNEL_EVENTS_WALK_H

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rculist.h>

/* Number of nodes that are visited with irqs off. */
#define PERF_WALK_AT_ONCE	32

/**
 * struct perf_walk - a walk on this CPU
 * @next: the node to continue with, or NULL
 * @left: number of nodes to visit before interrupts are allowed
 * @outer: the enclosing or interrupted walk
 */
struct perf_walk {
	struct hlist_node	*next;
	unsigned int		left;
	struct perf_walk	*outer;
};

DECLARE_PER_CPU(struct perf_walk *, perf_walks);

void __perf_walk_pass(struct perf_walk *walk, struct hlist_node *node);

/**
 * perf_walk_pass() - move walks past a node that is about to be removed
 * @node: on a list that may be walked on this CPU
 */
static inline void perf_walk_pass(struct hlist_node *node)
{
	struct perf_walk *walk = __this_cpu_read(perf_walks);

	if (unlikely(walk))
		__perf_walk_pass(walk, node);
}

static inline void perf_walk_begin(struct perf_walk *walk, struct hlist_node *first)
{
	walk->next = first;
	walk->left = PERF_WALK_AT_ONCE;
	walk->outer = __this_cpu_read(perf_walks);
	__this_cpu_write(perf_walks, walk);
}

static inline void perf_walk_end(struct perf_walk *walk)
{
	__this_cpu_write(perf_walks, walk->outer);
}

/* Return: the next node, or NULL at the end. */
static inline struct hlist_node *perf_walk_step(struct perf_walk *walk)
{
	struct hlist_node *node = walk->next;

	if (node)
		walk->next = READ_ONCE(node->next);
	return node;
}

/*
 * Allow interrupts after every PERF_WALK_AT_ONCE visited nodes. @flags: irq flags from before
 * the caller disabled irqs. If irqs were off then, they stay off.
 */
static inline void perf_walk_rest(struct perf_walk *walk, unsigned long flags)
{
	if (likely(--walk->left))
		return;
	if (irqs_disabled_flags(flags)) {
		walk->left = PERF_WALK_AT_ONCE;
		return;
	}
	local_irq_enable();
	lockdep_assert_preemption_disabled();
	/* x86 delays interrupts by one instruction after enabling them. */
	WRITE_ONCE(walk->left, PERF_WALK_AT_ONCE);
	local_irq_disable();
}

#endif /* _KERNEL_EVENTS_WALK_H */
