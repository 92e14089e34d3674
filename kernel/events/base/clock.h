/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock that runs while a condition holds.
 *
 * Events have no running clock of their own. A sub-context of events that come and go
 * together shares one; an event remembers what it showed when the event's
 * state changed last, and its times are differences. So a context switch
 * moves one clock, however many events there are.
 *
 * Writers hold the lock of the context that owns the clock. Readers hold it
 * too, or run on the CPU on which the clock runs, in any context: each field
 * is stored whole, and in an order in which an interrupting reader sees the
 * clock either before or after the change.
 */
#ifndef _KERNEL_EVENTS_CLOCK_H
#define _KERNEL_EVENTS_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/types.h>

/**
 * struct perf_clock - accumulated time
 * @value: ns, as of the last start or stop
 * @offset: while on, time is the CPU's time plus this
 * @on: it runs
 */
struct perf_clock {
	u64	value;
	u64	offset;
	bool	on;
};

/* This CPU's time, ns. Any context. */
static inline u64 perf_time(void)
{
	return local_clock();
}

/* The time of @cpu, which may be another one. Not in NMI when it is. */
static inline u64 perf_time_of(int cpu)
{
	if (cpu == raw_smp_processor_id())
		return local_clock();
	return sched_clock_cpu(cpu);
}

/**
 * perf_clock_read() - what a clock shows
 * @clock: the clock
 * @now: time of the CPU on which it runs; ignored when it stands
 *
 * Never less than it showed when it was started, even if another CPU's time
 * is a little behind.
 *
 * Return: ns.
 */
static inline u64 perf_clock_read(const struct perf_clock *clock, u64 now)
{
	u64 value = READ_ONCE(clock->value);
	u64 time;

	if (!READ_ONCE(clock->on))
		return value;

	time = now + READ_ONCE(clock->offset);
	return (s64)(time - value) > 0 ? time : value;
}

static inline void perf_clock_start(struct perf_clock *clock, u64 now)
{
	WRITE_ONCE(clock->offset, clock->value - now);
	barrier();
	WRITE_ONCE(clock->on, true);
}

static inline void perf_clock_stop(struct perf_clock *clock, u64 now)
{
	WRITE_ONCE(clock->value, perf_clock_read(clock, now));
	barrier();
	WRITE_ONCE(clock->on, false);
}

#endif /* _KERNEL_EVENTS_CLOCK_H */
