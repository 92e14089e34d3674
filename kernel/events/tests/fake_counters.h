/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU made of nothing but memory, for tests of what shares out its counters.
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

/* config of an event that may be on the counters of @_mask only */
#define FAKE_CONFIG(_code, _mask)	((_code) | ((u64)(_mask) << 8))

/**
 * enum fake_code - what an event counts
 * @FAKE_POKE: occurrences that fake_pmu_poke() tells of
 * @FAKE_NS: nanoseconds of the CPU's clock
 * @FAKE_US: microseconds
 * @FAKE_MS: milliseconds
 * @FAKE_CODES: how many there are
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
 * @fake: whose
 * @used: counters that are taken
 * @events: by whom
 * @raw: what they show, as wide as they are
 * @off: pmu_disable() was called
 * @txn: start_txn() was called
 * @nr_over: events taken since then for which there is no counter
 * @poke: occurrences that @interrupt has to tell of
 * @interrupt: the PMU's interrupt
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
 * @nr_counters: how many each CPU has, up to FAKE_MAX_COUNTERS; may change at any
 *	time, those that are taken stay so until they are given back
 * @width: bits of a counter, 8 to 64; as far as FAKE_POKE goes, holds for what is
 *	started from now on
 * @deferred: in a transaction add() takes everything, and commit_txn() is the judge
 * @any_group: do not refuse groups that need more counters than there are
 * @cpus: the counters
 */
struct fake_pmu {
	struct pmu		pmu;
	unsigned int		nr_counters;
	unsigned int		width;
	bool			deferred;
	bool			any_group;
	struct fake_cpu __percpu *cpus;
};

int fake_pmu_register(struct fake_pmu *fake, const char *name, struct module *owner);
void fake_pmu_unregister(struct fake_pmu *fake);
void fake_pmu_poke(struct fake_pmu *fake, u64 count);
void fake_pmu_interrupt(struct fake_cpu *here, u64 count, struct pt_regs *regs);

#endif /* _KERNEL_EVENTS_FAKE_COUNTERS_H */
