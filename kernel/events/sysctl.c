// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator allows: /proc/sys/kernel/perf_*.
 *
 * Owns the limits on who may measure the kernel, how often samples may be taken
 * and how much CPU time that may cost; lowers the sample rate when interrupts
 * prove too long. Does not own the limits on call chains (callchain.c), and does
 * not throttle single events (overflow.c), which asks here for the rate.
 *
 * Entry points: the handlers, in task context; perf_sample_event_took() from
 * PMU interrupts, NMI included, so that part is lockless: the sample rate is the
 * only state that both sides write, and whatever follows from it is computed
 * when it is needed.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sysctl.h>
#include "sysctl.h"

/* -1: everything, 0: no raw tracepoints, 1: no CPU events, 2: no kernel, 3: nothing */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

/* KiB of buffer per user and CPU beyond RLIMIT_MEMLOCK, and a control page */
int sysctl_perf_event_mlock __read_mostly = 512 + PAGE_SIZE / SZ_1K;

/* samples per second that one event may take, also lowered by the kernel */
int sysctl_perf_event_sample_rate __read_mostly = 100000;

/* share of a CPU that samples at that rate may cost; 0 puts no limit */
int sysctl_perf_cpu_time_max_percent __read_mostly = 25;

/**
 * perf_event_max_sample_rate_handler - /proc/sys/kernel/perf_event_max_sample_rate
 * @table: from kernel/sysctl.c, with a minimum of 1
 * @write: whether it is written
 * @buffer: text
 * @lenp: its length
 * @ppos: file position
 *
 * Where the time that samples cost has no limit the kernel does not keep the
 * rate, and user space cannot set it.
 *
 * Return: 0 or -errno; -EINVAL while perf_cpu_time_max_percent is 0 or 100.
 */
int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos)
{
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);

	if (write && (percent == 0 || percent == 100))
		return -EINVAL;
	return proc_dointvec_minmax(table, write, buffer, lenp, ppos);
}

/**
 * perf_cpu_time_max_percent_handler - /proc/sys/kernel/perf_cpu_time_max_percent
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

/**
 * perf_allow_kernel - may current watch what the kernel does?
 *
 * Context: task.
 * Return: 0, -EACCES, or the LSM's errno.
 */
int perf_allow_kernel(void)
{
	bool open_to_all = READ_ONCE(sysctl_perf_event_paranoid) < 2;

	if (!open_to_all && !perfmon_capable())
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_KERNEL);
}
EXPORT_SYMBOL_GPL(perf_allow_kernel);

/**
 * perf_sample_rate_per_tick - samples that one event may take between two ticks
 *
 * Context: any.
 * Return: at least 1.
 */
int perf_sample_rate_per_tick(void)
{
	return (READ_ONCE(sysctl_perf_event_sample_rate) - 1) / HZ + 1;
}

/* Interrupts are judged by the mean of so many of them. */
#define PERF_TOOK_WINDOW	64

/**
 * struct perf_took - the interrupts of one CPU since they were judged last
 * @total: ns
 * @nr: how many
 */
struct perf_took {
	u64		total;
	unsigned int	nr;
};

static DEFINE_PER_CPU(struct perf_took, perf_took);

/* What the last lowering was about; torn values would only misprint. */
static struct {
	u64	mean;
	u64	budget;
	int	rate;
} perf_lowered;

static void perf_took_report(struct irq_work *work)
{
	pr_info_ratelimited("perf: sampling interrupts take %llu ns, %llu ns would be in budget; kernel.perf_event_max_sample_rate is now %d\n",
			    READ_ONCE(perf_lowered.mean),
			    READ_ONCE(perf_lowered.budget),
			    READ_ONCE(perf_lowered.rate));
}

static DEFINE_IRQ_WORK(perf_took_work, perf_took_report);

/*
 * Lower the rate from @rate so that interrupts of @mean ns, and a quarter more,
 * fit into @percent of a tick. At one sample a tick there is nothing left to
 * lower. The loser of a race, also against a write to the sysctl, does nothing:
 * the next window tells whether that was enough.
 */
static void perf_took_lower(u64 mean, u64 budget, int rate, int percent)
{
	u64 per_tick = div64_u64((u64)TICK_NSEC * percent,
				 100 * (mean + mean / 4));
	int lower = max_t(u64, per_tick, 1) * HZ;

	if (lower >= rate)
		return;
	if (cmpxchg(&sysctl_perf_event_sample_rate, rate, lower) != rate)
		return;

	WRITE_ONCE(perf_lowered.mean, mean);
	WRITE_ONCE(perf_lowered.budget, budget);
	WRITE_ONCE(perf_lowered.rate, lower);
	irq_work_queue(&perf_took_work);
}

/**
 * perf_sample_event_took - account for the time that a PMU interrupt took
 * @sample_len_ns: its length
 *
 * Context: hardirq or NMI.
 */
void perf_sample_event_took(u64 sample_len_ns)
{
	int percent = READ_ONCE(sysctl_perf_cpu_time_max_percent);
	int rate = READ_ONCE(sysctl_perf_event_sample_rate);
	struct perf_took *took = this_cpu_ptr(&perf_took);
	u64 mean, budget;

	if (!percent)
		return;

	took->total += sample_len_ns;
	if (++took->nr < PERF_TOOK_WINDOW)
		return;

	mean = took->total / PERF_TOOK_WINDOW;
	took->total = 0;
	took->nr = 0;

	budget = div_u64((u64)NSEC_PER_SEC * percent / 100, rate);
	if (mean > budget)
		perf_took_lower(mean, budget, rate, percent);
}
