// SPDX-License-Identifier: GPL-2.0
/*
 * The x86 part of an event's control page: whether user space can read the counter with
 * RDPMC, and how it converts time stamp counter values to times.
 */
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

#include <asm/timer.h>

#include "../counters/core_pmu.h"
#include "event.h"
#include "rdpmc.h"

/**
 * arch_perf_update_userpage() - update the fields that depend on the architecture
 * @event: the event
 * @userpg: its control page, already marked as being written
 * @now: time to which the page's times belong, in nanoseconds of sched_clock()
 *
 * Context: any, preemption off.
 */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now)
{
	bool has_clock = using_native_sched_clock() && sched_clock_stable();
	struct cyc2ns_data tsc_to_ns;
	u64 zero;

	/* A reader that changes the index meanwhile changes only what readers see. */
	userpg->pmc_width = x86_core_serves(event) ?
			    x86_rdpmc_width(event, READ_ONCE(userpg->index)) : 0;
	userpg->cap_user_rdpmc = userpg->pmc_width != 0;

	/* Paravirtual and corrected clocks are not linear in the TSC. */
	userpg->cap_user_time = has_clock;
	/* Samples have times of sched_clock() unless the event uses another clock. */
	userpg->cap_user_time_zero = has_clock && !event->attr.use_clockid;
	if (!has_clock)
		return;

	cyc2ns_read_begin(&tsc_to_ns);
	zero = tsc_to_ns.cyc2ns_offset + __sched_clock_offset;

	userpg->time_mult = tsc_to_ns.cyc2ns_mul;
	userpg->time_shift = tsc_to_ns.cyc2ns_shift;
	userpg->time_offset = zero - now;
	if (userpg->cap_user_time_zero)
		userpg->time_zero = zero;
	cyc2ns_read_end();
}
