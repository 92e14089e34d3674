/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often samples may be taken: the window in which interrupts are measured, and
 * what follows from it.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_RATE_H
#define _KERNEL_EVENTS_SAMPLE_RATE_H

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* Interrupts are judged by so many of them, but for the longest ones. */
#define PERF_TOOK_WINDOW	128
#define PERF_TOOK_OUTLIERS	(PERF_TOOK_WINDOW / 8)

/* Four levels for each power of two, up to the longest time that a u32 can hold. */
#define PERF_TOOK_LEVELS	124

/**
 * struct perf_took_window - how long the last interrupts of a CPU took
 * @nr: how many there are
 * @level: how many of them took so long, by perf_took_level()
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

/* What the administrator allows, samples per tick. */
static inline unsigned int perf_rate_max(void)
{
	return (unsigned int)(READ_ONCE(sysctl_perf_event_sample_rate) - 1) / HZ + 1;
}

/**
 * perf_sample_rate_per_tick() - samples that one event may take between two ticks
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
