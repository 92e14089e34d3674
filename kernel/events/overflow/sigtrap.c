// SPDX-License-Identifier: GPL-2.0
/*
 * SIGTRAP on overflow (perf_event_attr.sigtrap): the task that an event counts gets a signal
 * synchronously, before it executes another instruction in user mode.
 *
 * The overflow may be in NMI, so task work sends the signal on the way back to user space.
 * Pending work holds a reference on the event, so the event can be closed at any time. The
 * work runs in any case, at the latest when the task exits, and drops the reference. At most
 * one signal per event is pending. Overflows before the task takes the signal are covered by it.
 *
 * All task work is done before the task takes a signal. An event on the path of task work must not
 * add to it without end. So an event that has sent a signal does not raise another one while that
 * is pending, nor if the task ignored it, or is being killed.
 */
#include <linux/sched/signal.h>
#include <linux/task_work.h>

#include "../base/event.h"
#include "../base/recursion.h"
#include "sigtrap.h"

/* perf_event::pending_sigtrap */
enum perf_sigtrap {
	PERF_SIGTRAP_NONE,
	PERF_SIGTRAP_RAISED,	/* the task work is queued */
	PERF_SIGTRAP_SENT,	/* it has been done since the event was opened */
};

static void perf_sigtrap_send(struct callback_head *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_task);
	unsigned long addr = event->pending_addr;

	scoped_guard(perf_own_work) {
		/* an overflow from here on raises a new signal; pairs with perf_sigtrap_raise() */
		smp_store_release(&event->pending_sigtrap, PERF_SIGTRAP_SENT);

		/* none if the task exits, or the event is closed or has left its exited task */
		if (!(current->flags & PF_EXITING) &&
		    READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT)
			send_sig_perf((void __user *)addr, event->orig_type,
				      event->attr.sig_data);
	}
	perf_event_put(event);
}

/* As prepare_signal() and sig_ignored() decide. Context: any. */
static bool perf_sigtrap_is_ignored(void)
{
	unsigned int flags = READ_ONCE(current->signal->flags);
	__sighandler_t handler;

	if (flags & SIGNAL_GROUP_EXIT)
		return true;
	if (sigismember(&current->blocked, SIGTRAP) ||
	    sigismember(&current->real_blocked, SIGTRAP) || current->ptrace)
		return false;
	handler = READ_ONCE(current->sighand->action[SIGTRAP - 1].sa.sa_handler);
	return handler == SIG_IGN || (handler == SIG_DFL && flags & SIGNAL_UNKILLABLE);
}

/**
 * perf_sigtrap_init() - initialise the task work of a new event
 * @event: the event
 */
void perf_sigtrap_init(struct perf_event *event)
{
	init_task_work(&event->pending_task, perf_sigtrap_send);
}

/**
 * perf_sigtrap_raise() - queue SIGTRAP for an overflow
 * @event: the event, which counts current
 * @addr: value for si_addr
 * @user: the interrupt came in user mode
 *
 * The interrupt of an event with exclude_kernel may arrive after the kernel was entered. The
 * overflow was in user mode, so it still raises a signal. An address taken by such an
 * interrupt is a kernel address, so si_addr is 0.
 *
 * Context: irqs off or NMI.
 */
void perf_sigtrap_raise(struct perf_event *event, u64 addr, bool user)
{
	/* the rq lock may be held: no allocation, not even KASAN's */
	int notify = in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME | TWAF_NO_ALLOC;
	bool covered;
	int before;

	if (WARN_ON_ONCE(event->hw.target != current))
		return;
	/* an interrupt may nest here; pairs with perf_sigtrap_send() */
	before = xchg(&event->pending_sigtrap, PERF_SIGTRAP_RAISED);
	if (before == PERF_SIGTRAP_RAISED)
		return;

	covered = before == PERF_SIGTRAP_SENT &&
		  (sigismember(&current->pending.signal, SIGTRAP) || perf_sigtrap_is_ignored());
	if (!covered && perf_event_get_live(event)) {
		event->pending_addr = user || !event->attr.exclude_kernel ? addr : 0;
		if (!task_work_add(current, &event->pending_task, notify))
			return;
		/*
		 * the task exits; this is not the last reference, since an overflowing event
		 * has another
		 */
		atomic_long_dec(&event->refcount);
	}
	/* pairs with the xchg() above */
	smp_store_release(&event->pending_sigtrap, before);
}
