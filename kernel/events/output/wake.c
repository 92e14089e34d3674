// SPDX-License-Identifier: GPL-2.0
/*
 * Deferral of wakeups.
 *
 * A record may be written in NMI, or with the run queue locked. So a wakeup is an irq_work
 * (struct perf_wake), which interrupts the CPU as soon as that is possible.
 *
 * An event can occur because of that interrupt, before or after the work: a kprobe on
 * irq_exit_rcu(), or a watchpoint on a counter of interrupts. Its sample would cause the next
 * interrupt, which comes before the CPU executes another instruction of what was interrupted. The
 * CPU would never leave these interrupts, and take no others. So after PERF_WAKE_MAX wakeups in
 * PERF_WAKE_WINDOW without a switch of tasks, the next ones are postponed: a timer queues them
 * after PERF_WAKE_POSTPONE_NS, PERF_WAKE_MAX at a time. Signals of one event that are postponed
 * together become one.
 *
 * The limit is for samples of software events, tracepoints, probes and breakpoints. It does not
 * apply where the CPU has made progress: the event occurred in user mode or with interrupts
 * enabled, or is a clock. A kprobe that is a breakpoint instruction is handled with interrupts
 * off, so the limit applies to it wherever it is.
 *
 * With PREEMPT_RT a thread does the work, with a priority of real time. Events on the path of
 * that thread can keep it busy, as far as the scheduler allows real-time tasks.
 */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "../base/event.h"
#include "../base/recursion.h"
#include "wake.h"

#define PERF_WAKE_POSTPONE_NS	NSEC_PER_MSEC

/* perf_wake::later */
enum perf_wake_later {
	PERF_WAKE_NOT,
	PERF_WAKE_LISTED,	/* a member of a CPU's list */
	PERF_WAKE_LEAVING,	/* being queued from there */
};

/**
 * struct perf_wake_cpu - the limit of a CPU's wakeups
 * @later: perf_wake::later_entry of postponed wakeups
 * @next: the next one that @timer queues; the rest of what it took from @later
 * @postponed: wakeups are postponed now, and @timer is active
 * @limited: a wakeup has been queued to which the limit applies
 * @nr: number of such wakeups in the current window
 * @switches: number of switches of the running task when the window began
 * @since: jiffies when the window began
 * @timer: ends @postponed
 */
struct perf_wake_cpu {
	struct llist_head	later;
	struct llist_node	*next;
	bool			postponed;
	bool			limited;
	unsigned int		nr;
	unsigned long		switches;
	unsigned long		since;
	struct hrtimer		timer;
};

static DEFINE_PER_CPU(struct perf_wake_cpu, perf_wake_cpu);

/* Queue a postponed wakeup. Context: any. */
static void perf_wake_leave(struct perf_wake *wake)
{
	/* from here on, a request queues the irq_work itself */
	xchg(&wake->later, PERF_WAKE_LEAVING);
	irq_work_queue(&wake->irq);
	/* the last access to @wake; pairs with perf_wake_is_busy() */
	smp_store_release(&wake->later, PERF_WAKE_NOT);
}

/* Queue some of what has been postponed. Return: false if more may be left. */
static bool perf_wake_flush(struct perf_wake_cpu *here)
{
	struct perf_wake *wake;

	for (int nr = 0; nr < PERF_WAKE_MAX; nr++) {
		if (!here->next)
			here->next = llist_del_all(&here->later);
		if (!here->next)
			return true;
		wake = llist_entry(here->next, struct perf_wake, later_entry);
		here->next = here->next->next;
		perf_wake_leave(wake);
	}
	return false;
}

/*
 * Queue what was added after the timer had found the list empty. These are few, because later ones
 * are not postponed: one for each context level, if the timer is on its CPU. Context: any.
 */
static void perf_wake_flush_late(struct perf_wake_cpu *here)
{
	struct llist_node *list = llist_del_all(&here->later);
	struct perf_wake *wake, *next;

	llist_for_each_entry_safe(wake, next, list, later_entry)
		perf_wake_leave(wake);
}

static void perf_wake_start_timer(struct perf_wake_cpu *here)
{
	hrtimer_start(&here->timer, ns_to_ktime(PERF_WAKE_POSTPONE_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Context: hardirq. CPU hotplug may have moved the timer of a dying CPU to this one. */
static enum hrtimer_restart perf_wake_timer(struct hrtimer *timer)
{
	struct perf_wake_cpu *here = container_of(timer, struct perf_wake_cpu, timer);

	guard(perf_own_work)();
	if (!perf_wake_flush(here)) {
		perf_wake_start_timer(here);
		return HRTIMER_NORESTART;
	}
	WRITE_ONCE(here->postponed, false);
	/* pairs with the llist_add() in perf_wake_postpone() */
	smp_mb();
	perf_wake_flush_late(here);
	return HRTIMER_NORESTART;
}

/* Whether the interrupt of a wakeup may be what has caused this one. */
static bool perf_wake_is_limited(struct perf_event *event)
{
	return is_software_event(event) && !perf_event_is_clock(event) &&
	       !perf_in_free_occurrence();
}

/* Return: true if the wakeup is postponed. */
static bool perf_wake_postpone(struct perf_wake_cpu *here, struct perf_wake *wake)
{
	if (likely(!READ_ONCE(here->postponed)))
		return false;
	switch (cmpxchg(&wake->later, PERF_WAKE_NOT, PERF_WAKE_LISTED)) {
	case PERF_WAKE_LISTED:
		return true;
	case PERF_WAKE_LEAVING:
		return false;
	}
	llist_add(&wake->later_entry, &here->later);
	/* the timer may have fired meanwhile, on another CPU */
	if (!READ_ONCE(here->postponed))
		perf_wake_flush_late(here);
	return true;
}

/* Not inlined, so that perf_wake_queue() saves no registers for it. */
static noinline void perf_wake_queue_limited(struct perf_wake *wake)
{
	struct perf_wake_cpu *here = this_cpu_ptr(&perf_wake_cpu);

	if (perf_wake_postpone(here, wake))
		return;
	WRITE_ONCE(here->limited, true);
	irq_work_queue(&wake->irq);
}

/**
 * perf_wake_queue() - request a wakeup
 * @wake: the wakeup
 * @event: the event because of whose record it is needed
 *
 * What the wakeup shall do must have been stored before.
 *
 * Context: any, preemption off.
 */
void perf_wake_queue(struct perf_wake *wake, struct perf_event *event)
{
	if (perf_wake_is_limited(event))
		perf_wake_queue_limited(wake);
	else
		irq_work_queue(&wake->irq);
}

/**
 * perf_wake_account() - a wakeup is being done; postpone the next ones if need be
 *
 * Context: irq_work.
 */
void perf_wake_account(void)
{
	struct perf_wake_cpu *here = this_cpu_ptr(&perf_wake_cpu);
	unsigned long switches;

	if (!here->limited)
		return;
	WRITE_ONCE(here->limited, false);
	if (!in_hardirq())
		return;

	switches = current->nvcsw + current->nivcsw;
	if (switches != here->switches || time_after(jiffies, here->since + PERF_WAKE_WINDOW)) {
		here->switches = switches;
		here->since = jiffies;
		here->nr = 0;
	}
	if (++here->nr < PERF_WAKE_MAX || here->postponed)
		return;
	WRITE_ONCE(here->postponed, true);
	perf_wake_start_timer(here);
}

/**
 * perf_wake_init() - initialise a wakeup
 * @wake: the wakeup
 * @func: does it; calls perf_wake_account() first
 */
void perf_wake_init(struct perf_wake *wake, void (*func)(struct irq_work *irq))
{
	init_irq_work(&wake->irq, func);
	wake->later = PERF_WAKE_NOT;
}

/**
 * perf_wake_sync() - wait until a wakeup is done
 * @wake: the wakeup; must not be requested any more
 *
 * Context: task, may sleep.
 */
void perf_wake_sync(struct perf_wake *wake)
{
	/* until the timer has fired; the resolution of timers is a tick on some machines */
	while (smp_load_acquire(&wake->later))
		schedule_timeout_uninterruptible(1);
	irq_work_sync(&wake->irq);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/**
 * perf_wake_timer_of() - find the timer that ends the postponement of a CPU's wakeups; for tests
 * @cpu: the CPU
 *
 * Return: the timer.
 */
struct hrtimer *perf_wake_timer_of(int cpu)
{
	return &per_cpu(perf_wake_cpu, cpu).timer;
}
#endif

/* Boot. */
void __init perf_wake_boot(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hrtimer *timer = &per_cpu(perf_wake_cpu, cpu).timer;

		hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		timer->function = perf_wake_timer;
	}
}
