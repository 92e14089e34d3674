/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over lists of this CPU that may be long, and let interrupts in.
 *
 * An occurrence is counted by all events on a list that only this CPU changes, with irqs
 * off. An interrupt in between may take nodes off that list, and put them on it or on
 * another one again. So a walk is known to its CPU: what goes off a list calls
 * perf_walk_pass(), and a walk that would have gone on there goes on behind it. What is
 * put on a list goes to its front, where the walk has been.
 *
 * Context: preemption off, and irqs off but in perf_walk_rest(). Walks nest.
 */
#ifndef _KERNEL_EVENTS_WALK_H
#define _KERNEL_EVENTS_WALK_H

#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/rculist.h>

/* How many nodes are visited before interrupts are let in. */
#define PERF_WALK_AT_ONCE	32

/**
 * struct perf_walk - a walk that has begun on this CPU
 * @next: node to go on with, or NULL
 * @left: how many before interrupts are let in
 * @outer: the walk that this one is within, or that it has interrupted
 */
struct perf_walk {
	struct hlist_node	*next;
	unsigned int		left;
	struct perf_walk	*outer;
};

DECLARE_PER_CPU(struct perf_walk *, perf_walks);

void __perf_walk_pass(struct perf_walk *walk, struct hlist_node *node);

/**
 * perf_walk_pass() - a node is about to go off its list
 * @node: of a list that is walked on this CPU
 */
static __always_inline void perf_walk_pass(struct hlist_node *node)
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
 * A node has been visited: let interrupts in now and then. @flags: from before the
 * caller switched them off; if they were off then, they stay so.
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
	/* on x86 no interrupt comes before one more instruction is over: this store */
	WRITE_ONCE(walk->left, PERF_WALK_AT_ONCE);
	local_irq_disable();
}

#endif /* _KERNEL_EVENTS_WALK_H */
