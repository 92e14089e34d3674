/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUv3 driver: what its files share.
 *
 * Prefixes: pmuv3_ for the driver; a counter is named by its number as the
 * hardware has it in PMCNTENSET_EL0: events from 0, cycles 31, instructions 32.
 *
 * A long event on hardware with counters of 32 bits takes two neighbours: the
 * event itself is that of the upper, odd one, and the lower counts what was
 * asked for. Sources: Arm ARM (DDI 0487), chapter D13, "The Performance
 * Monitors Extension".
 *
 * Locking rules: a CPU's counters are touched on that CPU with irqs off, by the
 * interrupt, which may be an NMI, and by the core under the lock of the CPU's
 * context. Each writes the registers of its own counters; PMCR_EL0 is put back
 * by the NMI as it was.
 */
#ifndef _ARM64_KERNEL_PERF_PMUV3_H
#define _ARM64_KERNEL_PERF_PMUV3_H

#include <linux/bits.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf/arm_pmuv3.h>

/* Fields of attr.config and attr.config1; format/ tells programs the same. */
#define PMUV3_CONFIG_EVENT		GENMASK_ULL(15, 0)
#define PMUV3_CONFIG1_LONG		BIT_ULL(0)
#define PMUV3_CONFIG1_RDPMC		BIT_ULL(1)
/* count cycles in which the threshold is met, not occurrences */
#define PMUV3_CONFIG1_TH_COUNT		BIT_ULL(2)
#define PMUV3_CONFIG1_TH_COMPARE	GENMASK_ULL(4, 3)
#define PMUV3_CONFIG1_TH		GENMASK_ULL(16, 5)

/**
 * struct pmuv3_cache_event - what a core counts for a generic cache event
 * @type: PERF_COUNT_HW_CACHE_*
 * @op: PERF_COUNT_HW_CACHE_OP_*
 * @result: PERF_COUNT_HW_CACHE_RESULT_*
 * @event: the PMU's number for it
 */
struct pmuv3_cache_event {
	u8	type;
	u8	op;
	u8	result;
	u16	event;
};

/* PMUv3_CACHE(L1D, READ, MISS, 3): a row of a table of the above */
#define PMUV3_CACHE(_type, _op, _result, _event) {			\
	.type	= PERF_COUNT_HW_CACHE_##_type,				\
	.op	= PERF_COUNT_HW_CACHE_OP_##_op,				\
	.result	= PERF_COUNT_HW_CACHE_RESULT_##_result,			\
	.event	= _event,						\
}

/* does the PMU have event counters of 64 bits? */
static inline bool pmuv3_has_long_counters(const struct arm_pmu *pmu)
{
	return is_pmuv3p5(pmu->pmuver);
}

/* is an event too long for one event counter? */
static inline bool pmuv3_needs_pair(const struct perf_event *event)
{
	return event->hw.flags & ARMPMU_EVT_64BIT &&
	       !pmuv3_has_long_counters(to_arm_pmu(event->pmu));
}

/* does an event with a counter hold two of them? */
static inline bool pmuv3_event_is_pair(const struct perf_event *event)
{
	return pmuv3_needs_pair(event) && event->hw.idx < ARMV8_PMU_MAX_GENERAL_COUNTERS;
}

/* Counters that an event holds, as a mask for the set and clear registers. */
static inline u64 pmuv3_event_mask(const struct perf_event *event)
{
	u64 mask = BIT_ULL(event->hw.idx);

	return pmuv3_event_is_pair(event) ? mask | mask >> 1 : mask;
}

/* pmuv3.c */
int pmuv3_init(struct arm_pmu *pmu, const char *name,
	       int (*map_event)(struct perf_event *event));

bool pmuv3_core_is_threaded(u64 mpidr, int thread_id);
void pmuv3_set_counters(struct arm_pmu *pmu, unsigned int nr_events, bool threaded,
			bool instructions);

/* events.c */
bool pmuv3_event_implemented(const struct arm_pmu *pmu, unsigned int event);
unsigned int pmuv3_threshold_max(const struct arm_pmu *pmu);
int pmuv3_map_event(struct perf_event *event,
		    const struct pmuv3_cache_event *rows, unsigned int nr_rows);
int pmuv3_filter_bits(const struct perf_event_attr *attr, bool vhe, u64 *bits);
int pmuv3_set_event_filter(struct hw_perf_event *hwc, struct perf_event_attr *attr);

/* assign.c */
int pmuv3_fixed_counter(const struct perf_event *event);
int pmuv3_get_event_idx(struct pmu_hw_events *cpuc, struct perf_event *event);
void pmuv3_clear_event_idx(struct pmu_hw_events *cpuc, struct perf_event *event);

/* batch.c */
int pmuv3_add_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr);
void pmuv3_del_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr);

/* counter.c */
void pmuv3_write_type(const struct perf_event *event);
void pmuv3_enable_counters(u64 counting, u64 interrupting);
void pmuv3_disable_counters(u64 mask);
u64 pmuv3_read_counter(struct perf_event *event);
void pmuv3_read(struct perf_event *event);
void pmuv3_write_counter(struct perf_event *event, u64 value);
void pmuv3_clear_counter(int idx);
void pmuv3_enable_event(struct perf_event *event);
void pmuv3_disable_event(struct perf_event *event);
void pmuv3_start(struct arm_pmu *pmu);
void pmuv3_stop(struct arm_pmu *pmu);
irqreturn_t pmuv3_handle_irq(struct arm_pmu *pmu);
void pmuv3_reset(void *arg);

/* user_access.c */
int pmuv3_user_event_idx(struct perf_event *event);
void pmuv3_user_init(void);
void pmuv3_user_reset(struct arm_pmu *pmu);
bool pmuv3_user_may_read(void);

/* sysfs.c */
void pmuv3_sysfs_init(struct arm_pmu *pmu);

#endif /* _ARM64_KERNEL_PERF_PMUV3_H */
