/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of the sampling rate: the window in which interrupts are measured, and the rate that
 * follows from it.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_RATE_H
#define _KERNEL_EVENTS_SAMPLE_RATE_H

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* Number of interrupts in a window, and how many of the longest ones are ignored. */
#define PERF_TOOK_WINDOW	128
#define PERF_TOOK_OUTLIERS	(PERF_TOOK_WINDOW / 8)

/* Four levels for each power of two, up to the largest u32. */
#define PERF_TOOK_LEVELS	124

/**
 * struct perf_took_window - lengths of the last interrupts of a CPU
 * @nr: number of interrupts
 * @level: number of interrupts at each level, see perf_took_level()
 */
struct perf_took_window {
	unsigned int	nr;
	u8		level[PERF_TOOK_LEVELS];
};

unsigned int perf_took_level(u64 ns);
bool perf_took_add(struct perf_took_window *window, u64 ns);
u64 perf_took_usual(const struct perf_took_window *window);
unsigned int perf_rate_judge(unsigned int rate, unsigned int max, u64 usual, u64 budget);

DECLARE_PER_CPU(unsigned int, perf_rate_limit);

unsigned int perf_rate_of_cpu(unsigned int max);

/* The administrator's limit, samples per tick. */
static inline unsigned int perf_rate_max(void)
{
	return (unsigned int)(READ_ONCE(sysctl_perf_event_sample_rate) - 1) / HZ + 1;
}

/**
 * perf_sample_rate_per_tick() - number of samples that one event may take between two ticks
 *
 * Context: irqs off or NMI.
 * Return: at least 1.
 */
static inline unsigned int perf_sample_rate_per_tick(void)
{
	unsigned int max = perf_rate_max();

	if (likely(!this_cpu_read(perf_rate_limit)))
		return max;
	return perf_rate_of_cpu(max);
}

#endif /* _KERNEL_EVENTS_SAMPLE_RATE_H */
