// SPDX-License-Identifier: GPL-2.0
/*
 * The arm64 part of an event's control page: the parameters with which user space
 * converts values of the architected timer to times.
 */
#include <linux/perf_event.h>
#include <linux/math64.h>
#include <linux/perf/arm_pmu.h>
#include <linux/sched_clock.h>

#include <clocksource/arm_arch_timer.h>

/* Without the driver no event has 64 bits. */
#ifndef ARMPMU_EVT_64BIT
#define ARMPMU_EVT_64BIT	0
#endif

/* Read the parameters of sched_clock(). Returns false if it is not the architected timer. */
static bool snapshot_clock(struct clock_read_data *clock)
{
	unsigned int seq;

	do {
		*clock = *sched_clock_read_begin(&seq);
	} while (sched_clock_read_retry(seq));

	return clock->read_sched_clock == arch_timer_read_counter;
}

/* Width of the counter that user space reads, 0 if the page must not offer the counter. */
static unsigned int pmc_width(const struct perf_event *event)
{
	if (!perf_event_is_user_readable(event) || !perf_event_page_is_own(event))
		return 0;
	return event->hw.flags & ARMPMU_EVT_64BIT ? 64 : 32;
}

/**
 * arch_perf_update_userpage() - update the fields that depend on the architecture
 * @event: the event
 * @userpg: its control page, already marked as being written
 * @now: time to which the page's times belong, in nanoseconds of sched_clock()
 *
 * Context: any, NMI included, preemption off.
 */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now)
{
	struct clock_read_data clock;
	bool usable = snapshot_clock(&clock) && clock.shift <= 32;
	u64 zero;

	userpg->pmc_width = pmc_width(event);
	userpg->cap_user_rdpmc = userpg->pmc_width != 0;
	userpg->cap_user_time = usable;
	userpg->cap_user_time_short = usable;
	/* Samples have times of sched_clock() unless the event uses another clock. */
	userpg->cap_user_time_zero = usable && !event->attr.use_clockid;
	if (!usable)
		return;

	/* Time of counter value 0, correct also for readers that ignore time_mask. */
	zero = clock.epoch_ns -
	       mul_u64_u32_shr(clock.epoch_cyc, clock.mult, clock.shift);

	/* Old readers shift a 32-bit 1: the shift must be below 32. */
	if (clock.shift == 32) {
		clock.shift--;
		clock.mult >>= 1;
	}

	userpg->time_mult = clock.mult;
	userpg->time_shift = clock.shift;
	userpg->time_cycles = clock.epoch_cyc;
	userpg->time_mask = clock.sched_clock_mask;
	userpg->time_offset = zero - now;
	if (userpg->cap_user_time_zero)
		userpg->time_zero = zero;
}
