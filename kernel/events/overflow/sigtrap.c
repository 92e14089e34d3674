// SPDX-License-Identifier: GPL-2.0
/*
 * SIGTRAP on overflow (perf_event_attr.sigtrap): the task that an event counts
 * is told, synchronously, before it executes another instruction in user mode.
 *
 * The overflow may be in NMI, the signal is sent by task work on the way back
 * to user space. Pending work holds a reference on the event, so it can be
 * closed at any time; the work runs in any case, at the latest when the task
 * exits, and drops it. One signal is pending per event at most: what overflows
 * before it was sent, without user mode in between, is part of it.
 */
#include <linux/sched/signal.h>
#include <linux/task_work.h>

#include "../base/event.h"
#include "sigtrap.h"

static void perf_sigtrap_send(struct callback_head *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_task);
	unsigned long addr = event->pending_addr;

	/* a new overflow from here on is a new signal */
	smp_store_release(&event->pending_sigtrap, 0);

	/* nobody to tell, or nobody who asks any more */
	if (!(current->flags & PF_EXITING) &&
	    READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT)
		send_sig_perf((void __user *)addr, event->orig_type,
			      event->attr.sig_data);
	perf_event_put(event);
}

/**
 * perf_sigtrap_init() - prepare a new event
 * @event: the event
 */
void perf_sigtrap_init(struct perf_event *event)
{
	init_task_work(&event->pending_task, perf_sigtrap_send);
}

/**
 * perf_sigtrap_raise() - a sigtrap event has overflowed
 * @event: of current; irqs off or NMI
 * @addr: what si_addr will say
 * @user: the interrupt came in user mode
 *
 * The interrupt of an event that excludes the kernel may come when the kernel has
 * been entered: the overflow was in user mode, and each is worth a signal. What such
 * an interrupt knows of an address is the kernel's, so the signal says none.
 */
void perf_sigtrap_raise(struct perf_event *event, u64 addr, bool user)
{
	/* the rq lock may be held: no allocation, not even KASAN's */
	int notify = in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME | TWAF_NO_ALLOC;

	if (WARN_ON_ONCE(event->hw.target != current))
		return;
	/* An interrupt may be here as well; pairs with perf_sigtrap_send(). */
	if (xchg(&event->pending_sigtrap, 1))
		return;

	if (perf_event_get_live(event)) {
		event->pending_addr = user || !event->attr.exclude_kernel ? addr : 0;
		if (!task_work_add(current, &event->pending_task, notify))
			return;
		/* exiting; whoever overflows still holds a reference */
		atomic_long_dec(&event->refcount);
	}
	/* pairs with the xchg() above */
	smp_store_release(&event->pending_sigtrap, 0);
}
