// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of the sampling rate.
 *
 * There are two limits. perf_event_max_sample_rate is set by the administrator. It is checked
 * when an event is opened, and the kernel does not change it. The second limit is per CPU. It
 * applies while PMU interrupts take more of the CPU's time than perf_cpu_time_max_percent
 * allows. Events that overflow more often than either limit are throttled.
 *
 * The length of interrupts is evaluated once for each window of PERF_TOOK_WINDOW interrupts,
 * without the longest eighth: an interrupt looks too long when the host preempts a virtual
 * CPU, or when firmware takes the CPU. The CPU's limit is lowered to the rate that fits, is
 * raised again when interrupts have become shorter, and lapses when there are none.
 *
 * Entry points: the handlers of the sysctls, in task context; perf_sample_event_took() from
 * PMU interrupts and perf_sample_rate_per_tick() from overflows, NMI included.
 *
 * Locking: Per-CPU data is written by its CPU without locks. An NMI in between may lose a
 * measurement, or clear a limit until the next window. Throttling itself is in overflow.c.
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
 * A window is full after this many ticks at one sample per tick, which is the lowest limit. If
 * a window is not full by then, interrupts are so rare that they need no limit.
 */
#define PERF_RATE_LAPSE		(2 * PERF_TOOK_WINDOW)

static void perf_rate_report(struct irq_work *work);

/* incremented with each write to perf_event_max_sample_rate; 0 means that there is no window */
static unsigned int perf_rate_setting = 1;

/* samples per tick that one event may take on a CPU; 0: the administrator's limit applies */
DEFINE_PER_CPU(unsigned int, perf_rate_limit);

/**
 * struct perf_cpu_rate - state from which the limit of one CPU is computed
 * @judged: jiffies when the limit was computed
 * @window: interrupts since then
 * @begun: jiffies of the first interrupt of the window
 * @setting: value of perf_rate_setting for the window; 0: there is no window
 * @usual: usual length of an interrupt in the last full window, ns
 * @budget: length that an interrupt could have had within the budget, ns
 * @lowered: the last change lowered the limit
 * @report: reports a change of the limit
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

/* Return: true if the time that samples take is limited. */
static bool perf_rate_is_limited(int percent)
{
	return percent > 0 && percent < 100;
}

/**
 * perf_event_max_sample_rate_handler() - /proc/sys/kernel/perf_event_max_sample_rate
 * @table: from kernel/sysctl.c, with a minimum of 1
 * @write: true for a write
 * @buffer: text
 * @lenp: its length
 * @ppos: file position
 *
 * A write discards the limits of all CPUs until they have measured again.
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
 * @write: true for a write
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

/**
 * perf_took_level() - map the length of an interrupt to its level
 * @ns: the length
 *
 * Below 4 ns each value has a level of its own. Above, each power of two is divided into four
 * levels.
 *
 * Return: the level, less than PERF_TOOK_LEVELS.
 */
unsigned int perf_took_level(u64 ns)
{
	u32 length = min_t(u64, ns, U32_MAX);
	int shift = fls(length) - 3;

	return shift < 0 ? length : 4 * shift + (length >> shift);
}

/* The longest interrupt that maps to a level, ns. */
static u64 perf_took_longest(unsigned int level)
{
	unsigned int shift;

	if (level < 4)
		return level;
	shift = level / 4 - 1;
	return ((level % 4 + 5ULL) << shift) - 1;
}

/**
 * perf_took_add() - add an interrupt to the window
 * @window: window of this CPU
 * @ns: length of the interrupt
 *
 * Context: any.
 * Return: true when the window is full.
 */
bool perf_took_add(struct perf_took_window *window, u64 ns)
{
	window->level[perf_took_level(ns)]++;
	return ++window->nr >= PERF_TOOK_WINDOW;
}

/**
 * perf_took_usual() - compute the mean of a full window without the longest eighth
 * @window: full
 *
 * Context: any.
 * Return: ns, up to a quarter more than the exact mean.
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
 * perf_rate_judge() - compute the rate that interrupts of a given length allow
 * @rate: samples per tick until now, from 1 to @max
 * @max: samples per tick that the administrator allows
 * @usual: usual length of an interrupt, ns
 * @budget: time that all interrupts of a tick may take, ns
 *
 * Small variations of the length must not change the rate. A lower rate therefore leaves a
 * quarter of the budget free, and a higher rate is used only when it is higher by a quarter.
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

/* Samples per tick that an event may take on this CPU; the administrator allows @max. */
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

/* Compute the limit of this CPU from a full window. */
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

/* Begin a window with an interrupt of @ns. */
static noinline void perf_rate_begin_window(struct perf_cpu_rate *here, u64 ns)
{
	memset(&here->window, 0, sizeof(here->window));
	here->begun = jiffies;
	here->setting = READ_ONCE(perf_rate_setting);
	perf_took_add(&here->window, ns);
}

/**
 * perf_sample_event_took() - account for the time that a PMU interrupt took
 * @sample_len_ns: length of the interrupt
 *
 * Context: hardirq or NMI.
 */
void perf_sample_event_took(u64 sample_len_ns)
{
	struct perf_cpu_rate *here = this_cpu_ptr(&perf_cpu_rate);
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);

	if (!perf_rate_is_limited(percent))
		return;
	/*
	 * There is no window, or it must be discarded. Rare calls are in tail position, so the
	 * common path saves no registers for them.
	 */
	if (unlikely(here->setting != READ_ONCE(perf_rate_setting) ||
		     jiffies - here->begun > PERF_RATE_LAPSE))
		perf_rate_begin_window(here, sample_len_ns);
	else if (unlikely(perf_took_add(&here->window, sample_len_ns)))
		perf_rate_review(here, percent);
}

/**
 * perf_rate_of_cpu() - perf_sample_rate_per_tick() of a CPU that has or had a limit of its own
 * @max: samples per tick that the administrator allows
 *
 * Context: irqs off or NMI.
 * Return: samples per tick, from 1 to @max.
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
