/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recursion: marks of what a task is doing at each context level.
 *
 * An occurrence that comes while another one is handled at the same level is dropped, because it
 * is made by the handling. For the same reason an occurrence is dropped that comes while the
 * subsystem does work of its own: waking, signalling or disabling because of a sample. Its sample
 * would make the same work again, without end.
 *
 * Some architectures handle a kprobe's breakpoint instruction, and a watchpoint, at the level of
 * NMIs. So such work marks that level as well as its own. Work of a task is interrupted by others
 * than it causes, too: if they are handled at the level of NMIs, they are dropped.
 */
#ifndef _KERNEL_EVENTS_RECURSION_H
#define _KERNEL_EVENTS_RECURSION_H

#include <linux/cleanup.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

/* task_struct::perf_recursion, one for each level; 0 stands for anything else */
enum perf_recursion {
	PERF_IN_OCCURRENCE	= 1,	/* of a software event */
	PERF_IN_OCCURRENCE_FREE	= 2,	/* the same; no interrupt of our own has caused it */
	PERF_IN_OWN_WORK	= 3,
};

#define PERF_LEVEL_NMI	(PERF_NR_CONTEXTS - 1)

/* The current context level: 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static inline int perf_context_level(void)
{
	/* the most frequent case */
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 0;
	return interrupt_context_level();
}

/* The level that NMIs have interrupted; outside of them the current one. */
static inline int perf_level_below_nmi(void)
{
	unsigned int count = preempt_count();
	/* each has added one to the number of hardirqs as well, see __nmi_enter() */
	unsigned int nr_nmis = (count & NMI_MASK) >> NMI_SHIFT;

	if ((count & HARDIRQ_MASK) >> HARDIRQ_SHIFT > nr_nmis)
		return 2;
	return count & SOFTIRQ_OFFSET ? 1 : 0;
}

/* Whether work of the subsystem's own is being done, or was interrupted by this NMI. */
static inline bool perf_in_own_work(void)
{
	return READ_ONCE(current->perf_recursion[perf_level_below_nmi()]) == PERF_IN_OWN_WORK;
}

/* Whether an occurrence is being handled that no interrupt of the subsystem has caused. */
static inline bool perf_in_free_occurrence(void)
{
	return READ_ONCE(current->perf_recursion[perf_context_level()]) ==
	       PERF_IN_OCCURRENCE_FREE;
}

/**
 * perf_occurrence_irqs() - note whether interrupts were on at an occurrence
 * @level: the current context level; the occurrence is being handled there
 * @flags: from local_irq_save()
 */
static inline void perf_occurrence_irqs(int level, unsigned long flags)
{
	if (!irqs_disabled_flags(flags))
		WRITE_ONCE(current->perf_recursion[level], PERF_IN_OCCURRENCE_FREE);
}

/* The marks that a block puts back when it ends. */
struct perf_recursion_before {
	u8	*marks;
	u8	level;
	u8	here;
	u8	nmi;
};

/* Mark the current level; for own work, the level of NMIs as well. */
static inline struct perf_recursion_before perf_recursion_begin(u8 mark)
{
	struct perf_recursion_before before = {
		.marks	= current->perf_recursion,
		.level	= perf_context_level(),
	};

	before.here = before.marks[before.level];
	before.nmi = before.marks[PERF_LEVEL_NMI];
	WRITE_ONCE(before.marks[before.level], mark);
	if (mark == PERF_IN_OWN_WORK)
		WRITE_ONCE(before.marks[PERF_LEVEL_NMI], mark);
	barrier();
	return before;
}

static inline void perf_recursion_end(const struct perf_recursion_before *before)
{
	barrier();
	WRITE_ONCE(before->marks[PERF_LEVEL_NMI], before->nmi);
	WRITE_ONCE(before->marks[before->level], before->here);
}

/*
 * guard(perf_own_work)(): until the end of the block, work is done that occurrences must not cause
 * again. Context: any but NMI.
 * guard(perf_free_occurrence)(): an occurrence is handled that no interrupt of the subsystem has
 * caused. Context: any.
 * Blocks nest.
 */
DEFINE_LOCK_GUARD_0(perf_own_work, _T->before = perf_recursion_begin(PERF_IN_OWN_WORK),
		    perf_recursion_end(&_T->before), struct perf_recursion_before before)
DEFINE_LOCK_GUARD_0(perf_free_occurrence,
		    _T->before = perf_recursion_begin(PERF_IN_OCCURRENCE_FREE),
		    perf_recursion_end(&_T->before), struct perf_recursion_before before)

#endif /* _KERNEL_EVENTS_RECURSION_H */
