// SPDX-License-Identifier: GPL-2.0
/*
 * How often samples may be taken.
 *
 * There are two limits. perf_event_max_sample_rate is the administrator's: opens are
 * judged against it, and the kernel does not change it. The other one is that of a
 * CPU, for as long as its PMU interrupts take more of its time than
 * perf_cpu_time_max_percent allows: events that overflow more often are throttled, as
 * they are at the administrator's limit.
 *
 * What interrupts take is judged once for each PERF_TOOK_WINDOW of them, without the
 * longest eighth: a virtual CPU that the host takes away, or firmware that takes the
 * CPU, makes an interrupt look long that is not. The limit is lowered to what fits, is
 * raised again when interrupts have become shorter, and lapses when none come.
 *
 * Entry points: the handlers of the sysctls, in task context;
 * perf_sample_event_took() from PMU interrupts and perf_sample_rate_per_tick() from
 * overflows, NMI included. What belongs to a CPU is written by that CPU, without
 * locks: an NMI that comes in between loses a measurement, or has a limit forgotten
 * until the next window. Does not throttle events: overflow.c.
 */
#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <trace/events/perf_event.h>

#include "sample_rate.h"

/*
 * A window is full after so many ticks at one sample a tick, the lowest limit. One
 * that was not is of interrupts so rare that they need no limit.
 */
#define PERF_RATE_LAPSE		(2 * PERF_TOOK_WINDOW)

static void perf_rate_report(struct irq_work *work);

/* one more each time that perf_event_max_sample_rate is set; no window begins with 0 */
static unsigned int perf_rate_setting = 1;

/* of each CPU, samples per tick that one event may take; 0: the administrator's counts */
DEFINE_PER_CPU(unsigned int, perf_rate_limit);

/**
 * struct perf_cpu_rate - what the limit of one CPU is judged by
 * @judged: jiffies when it was found
 * @window: interrupts since then
 * @begun: jiffies of the window's first
 * @setting: the administrator's setting for which they are measured; 0: there are none
 * @usual: ns that they took before
 * @budget: ns that they might have taken
 * @lowered: the last change was to less
 * @report: tells of a change
 */
struct perf_cpu_rate {
	unsigned long		judged;
	struct perf_took_window	window;
	unsigned long		begun;
	unsigned int		setting;
	u64			usual;
	u64			budget;
	bool			lowered;
	struct irq_work		report;
};

static DEFINE_PER_CPU(struct perf_cpu_rate, perf_cpu_rate) = {
	.report = IRQ_WORK_INIT_HARD(perf_rate_report),
};

/* Is the time that samples cost limited at all? */
static bool perf_rate_is_limited(int percent)
{
	return percent > 0 && percent < 100;
}

/**
 * perf_event_max_sample_rate_handler() - /proc/sys/kernel/perf_event_max_sample_rate
 * @table: from kernel/sysctl.c, with a minimum of 1
 * @write: whether it is written
 * @buffer: text
 * @lenp: its length
 * @ppos: file position
 *
 * A write starts anew: no CPU has a limit of its own until it has measured again.
 *
 * Return: 0 or -errno; -EINVAL for a write while perf_cpu_time_max_percent is 0 or 100.
 */
int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos)
{
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);
	int err, cpu;

	if (write && !perf_rate_is_limited(percent))
		return -EINVAL;
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	WRITE_ONCE(perf_rate_setting, perf_rate_setting + 1);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(perf_rate_limit, cpu), 0);
	return 0;
}

/**
 * perf_cpu_time_max_percent_handler() - /proc/sys/kernel/perf_cpu_time_max_percent
 * @table: from kernel/sysctl.c, with a range of 0 to 100
 * @write: whether it is written
 * @buffer: text
 * @lenp: its length
 * @ppos: file position
 *
 * Return: 0 or -errno.
 */
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos)
{
	return proc_dointvec_minmax(table, write, buffer, lenp, ppos);
}

static __always_inline unsigned int __perf_took_level(u64 ns)
{
	u32 length = min_t(u64, ns, U32_MAX);
	int shift = fls(length) - 3;

	return shift < 0 ? length : 4 * shift + (length >> shift);
}

static __always_inline bool __perf_took_add(struct perf_took_window *window, u64 ns)
{
	window->level[__perf_took_level(ns)]++;
	return ++window->nr >= PERF_TOOK_WINDOW;
}

/**
 * perf_took_level() - the level of a time
 * @ns: the time
 *
 * Below 4 ns each has its own. From there on, a level is as wide as a quarter of the
 * power of two that it lies above.
 *
 * Return: less than PERF_TOOK_LEVELS.
 */
unsigned int perf_took_level(u64 ns)
{
	return __perf_took_level(ns);
}

/* The longest time of a level. */
static u64 perf_took_longest(unsigned int level)
{
	unsigned int shift;

	if (level < 4)
		return level;
	shift = level / 4 - 1;
	return ((level % 4 + 5ULL) << shift) - 1;
}

/**
 * perf_took_add() - one interrupt more
 * @window: of this CPU
 * @ns: what it took
 *
 * Context: any.
 * Return: true when the window is full.
 */
bool perf_took_add(struct perf_took_window *window, u64 ns)
{
	return __perf_took_add(window, ns);
}

/**
 * perf_took_usual() - the mean of a full window without the longest eighth
 * @window: full
 *
 * Context: any.
 * Return: ns, up to a quarter more than it was.
 */
u64 perf_took_usual(const struct perf_took_window *window)
{
	unsigned int left = PERF_TOOK_WINDOW - PERF_TOOK_OUTLIERS, nr;
	u64 total = 0;

	for (unsigned int i = 0; left && i < PERF_TOOK_LEVELS; i++) {
		nr = min_t(unsigned int, window->level[i], left);
		total += nr * perf_took_longest(i);
		left -= nr;
	}
	return div_u64(total, PERF_TOOK_WINDOW - PERF_TOOK_OUTLIERS);
}

/**
 * perf_rate_judge() - the rate for interrupts of a length
 * @rate: samples per tick until now, 1 at least, @max at most
 * @max: samples per tick that the administrator allows
 * @usual: ns that an interrupt takes
 * @budget: ns that those of a tick may take
 *
 * A lower rate leaves a quarter of the budget free, and a higher one is taken only
 * when it is higher by as much: lengths that vary a little do not change it.
 *
 * Context: any.
 * Return: samples per tick, from 1 to @max.
 */
unsigned int perf_rate_judge(unsigned int rate, unsigned int max, u64 usual, u64 budget)
{
	u64 fits = max(div64_u64(budget, max(usual + usual / 4, 1ULL)), 1ULL);

	if (usual * rate > budget)
		return min_t(u64, fits, rate);
	if (fits >= max)
		return max;
	return fits >= rate + max(rate / 4, 1U) ? fits : rate;
}

/* What an event may take here. @max: what the administrator allows. */
static unsigned int perf_rate_limited(unsigned int max)
{
	unsigned int limit = this_cpu_read(perf_rate_limit);

	return limit ? min(limit, max) : max;
}

static void perf_rate_report(struct irq_work *work)
{
	struct perf_cpu_rate *here = container_of(work, struct perf_cpu_rate, report);
	int max = READ_ONCE(sysctl_perf_event_sample_rate);
	unsigned int limit = this_cpu_read(perf_rate_limit);
	int rate = limit ? min_t(int, limit * HZ, max) : max;

	trace_perf_event_rate_limit(rate, max, here->usual, here->budget);
	if (!here->lowered)
		return;
	pr_info_ratelimited("perf: CPU %d: sampling interrupts take %llu ns, %llu ns would be in budget; an event is throttled at %d samples per second\n",
			    smp_processor_id(), here->usual, here->budget, rate);
}

static void perf_rate_change(struct perf_cpu_rate *here, unsigned int rate,
			     unsigned int max)
{
	unsigned int before = perf_rate_limited(max);

	this_cpu_write(perf_rate_limit, rate < max ? rate : 0);
	if (rate == before)
		return;
	here->lowered = rate < before;
	irq_work_queue(&here->report);
}

/* A window is full. */
static noinline void perf_rate_review(struct perf_cpu_rate *here, int percent)
{
	u64 budget = div_u64((u64)TICK_NSEC * percent, 100);
	unsigned int max = perf_rate_max();
	unsigned int rate = perf_rate_limited(max);

	here->usual = perf_took_usual(&here->window);
	here->budget = div_u64(budget, rate);
	here->judged = jiffies;
	here->setting = 0;
	perf_rate_change(here, perf_rate_judge(rate, max, here->usual, budget), max);
}

/* There is no window, or what is in it is not to be judged by. */
static bool perf_rate_begins_window(const struct perf_cpu_rate *here)
{
	return here->setting != READ_ONCE(perf_rate_setting) ||
	       jiffies - here->begun > PERF_RATE_LAPSE;
}

/* It begins with an interrupt of @ns. */
static noinline void perf_rate_begin_window(struct perf_cpu_rate *here, u64 ns)
{
	memset(&here->window, 0, sizeof(here->window));
	here->begun = jiffies;
	here->setting = READ_ONCE(perf_rate_setting);
	perf_took_add(&here->window, ns);
}

/**
 * perf_sample_event_took() - account for the time that a PMU interrupt took
 * @sample_len_ns: its length
 *
 * Context: hardirq or NMI.
 */
void perf_sample_event_took(u64 sample_len_ns)
{
	struct perf_cpu_rate *here = this_cpu_ptr(&perf_cpu_rate);
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);

	if (!perf_rate_is_limited(percent))
		return;
	/* what is rare is called last, so that nothing is saved for it before */
	if (unlikely(perf_rate_begins_window(here)))
		perf_rate_begin_window(here, sample_len_ns);
	else if (unlikely(__perf_took_add(&here->window, sample_len_ns)))
		perf_rate_review(here, percent);
}

/**
 * perf_rate_of_cpu() - perf_sample_rate_per_tick() of a CPU that has a limit, or had one
 * @max: what the administrator allows
 *
 * Context: irqs off or NMI.
 * Return: at least 1, at most @max.
 */
unsigned int perf_rate_of_cpu(unsigned int max)
{
	struct perf_cpu_rate *here = this_cpu_ptr(&perf_cpu_rate);

	if (perf_rate_is_limited(READ_ONCE(sysctl_perf_cpu_time_max_percent)) &&
	    time_before(jiffies, here->judged + PERF_RATE_LAPSE))
		return perf_rate_limited(max);
	perf_rate_change(here, max, max);
	return max;
}
