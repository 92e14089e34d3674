/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each period of a sampling event that ends gives one sample, or one that is counted as lost.
 */
#ifndef PERF_TEST_PERIODS_H
#define PERF_TEST_PERIODS_H

#include <stdbool.h>
#include <linux/perf_event.h>

/* Rounds in which an event is disabled and enabled, and its task moves between two CPUs. */
#define PERF_PERIODS_ROUNDS	600

/**
 * struct perf_periods - What became of the periods of an event
 * @ended: Number of periods, by the count.
 * @samples: Number of samples that were read.
 * @lost: Number of samples that were counted as lost.
 * @rotated: The event had a counter for a part of the time only.
 */
struct perf_periods {
	__u64 ended;
	__u64 samples;
	__u64 lost;
	bool rotated;
};

int perf_periods_of(struct perf_periods *periods, struct perf_event_attr attr,
		    void (*work)(void), bool lossy);

#endif /* PERF_TEST_PERIODS_H */
