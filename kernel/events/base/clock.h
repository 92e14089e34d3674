/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock that runs while a condition holds.
 *
 * Events have no running clock of their own: the events of a sub-context share one. An event
 * stores the difference between the clock and each of its times, see times.h. So a context
 * switch starts or stops one clock, for any number of events.
 *
 * Context: writers hold the lock of the context that owns the clock. Readers hold it
 * too, or run on the CPU on which the clock runs, in any context. Each field is stored in an
 * order in which an interrupting reader sees the clock either before or after the change.
 *
 * A CPU of 32 bits stores a field in two halves. A sample in an NMI in between may have times
 * that are wrong by 2^32 ns. The next one is right, and no count is affected.
 */
#ifndef _KERNEL_EVENTS_CLOCK_H
#define _KERNEL_EVENTS_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/types.h>

/**
 * struct perf_clock - accumulated time
 * @value: ns, as of the last start or stop
 * @offset: while @on, the clock shows the CPU's time plus this
 * @on: the clock runs
 */
struct perf_clock {
	u64	value;
	u64	offset;
	bool	on;
};

/* This CPU's time in ns. Context: any. */
static inline u64 perf_time(void)
{
	return local_clock();
}

/**
 * perf_clock_read() - read a clock
 * @clock: the clock
 * @now: time of the CPU on which it runs; ignored while the clock is stopped
 *
 * The result is never less than the value at the last start, even if another CPU's time
 * is slightly behind.
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
