/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fake PMU in memory, for tests of scheduling and multiplexing. See fake_counters.c.
 */
#ifndef _KERNEL_EVENTS_FAKE_COUNTERS_H
#define _KERNEL_EVENTS_FAKE_COUNTERS_H

#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>

#define FAKE_MAX_COUNTERS	16

/* perf_event_attr::config */
#define FAKE_CODE		GENMASK_ULL(7, 0)
#define FAKE_MASK		GENMASK_ULL(23, 8)
#define FAKE_SHARED		GENMASK_ULL(31, 24)

/* config of an event that fits on the counters of @_mask only */
#define FAKE_CONFIG(_code, _mask)	((_code) | ((u64)(_mask) << 8))

/* config of an event that needs @_value in the shared register, unless that is 0 */
#define FAKE_CONFIG_SHARED(_value)	((u64)(_value) << 24)

/**
 * enum fake_code - what an event counts
 * @FAKE_POKE: occurrences that fake_pmu_poke() generates
 * @FAKE_NS: nanoseconds of the CPU's clock
 * @FAKE_US: microseconds
 * @FAKE_MS: milliseconds
 * @FAKE_CODES: number of codes
 */
enum fake_code {
	FAKE_POKE,
	FAKE_NS,
	FAKE_US,
	FAKE_MS,
	FAKE_CODES,
};

/**
 * struct fake_cpu - the counters of one CPU
 * @fake: the PMU
 * @used: mask of the counters that are in use
 * @events: event of each counter, or NULL
 * @shared: the value that these events need in the shared register, or 0
 * @nr_shared: number of these events that need it
 * @raw: value of each counter, cut to the width of the counter
 * @off: pmu_disable() was called
 * @txn: a transaction is open
 * @nr_over: number of events of the transaction for which there was no counter
 * @poke: number of occurrences that @interrupt adds to the counters
 * @interrupt: interrupt of the PMU
 * @nr_adds: successful calls of add()
 * @nr_dels: calls of del()
 * @nr_misfits: calls of add() for which no counter was free
 * @nr_batches: calls of add_batch() that succeeded, and of del_batch()
 * @nr_faults: calls that broke the rules of struct pmu
 */
struct fake_cpu {
	struct fake_pmu		*fake;
	unsigned long		used;
	struct perf_event	*events[FAKE_MAX_COUNTERS];
	u8			shared;
	unsigned int		nr_shared;
	u64			raw[FAKE_MAX_COUNTERS];
	bool			off;
	bool			txn;
	unsigned int		nr_over;
	u64			poke;
	struct irq_work		interrupt;
	unsigned int		nr_adds;
	unsigned int		nr_dels;
	unsigned int		nr_misfits;
	unsigned int		nr_batches;
	unsigned int		nr_faults;
};

/**
 * struct fake_pmu - one PMU, the same on every CPU
 * @pmu: as registered
 * @nr_counters: number of counters of each CPU, up to FAKE_MAX_COUNTERS; may change at any
 *	time; a counter that is in use stays with its event
 * @width: bits of a counter, 8 to 64; applies to events that are started afterwards
 * @deferred: in a transaction add() accepts every event, and commit_txn() decides
 * @any_group: event_init() accepts groups that need more counters than there are
 * @software: the PMU of the group is another one, and this one is not disabled for add() and del()
 * @ends: at its next stop() this event has its last overflow, as a driver reports it that takes
 *	samples from a buffer
 * @cpus: the counters
 */
struct fake_pmu {
	struct pmu		pmu;
	unsigned int		nr_counters;
	unsigned int		width;
	bool			deferred;
	bool			any_group;
	bool			software;
	struct perf_event	*ends;
	struct fake_cpu __percpu *cpus;
};

int fake_pmu_register(struct fake_pmu *fake, const char *name, struct module *owner);
void fake_pmu_unregister(struct fake_pmu *fake);
void fake_pmu_poke(struct fake_pmu *fake, u64 count);
void fake_pmu_interrupt(struct fake_cpu *here, u64 count, struct pt_regs *regs);

#endif /* _KERNEL_EVENTS_FAKE_COUNTERS_H */
