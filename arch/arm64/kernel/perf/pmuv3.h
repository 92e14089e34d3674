/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUv3 driver: declarations that its files share.
 *
 * The number of a counter is the number of its bit in PMCNTENSET_EL0: event counters from 0,
 * cycles 31, instructions 32.
 *
 * A 64-bit event on hardware with 32-bit counters needs a pair of counters. hw.idx is the
 * upper, odd counter, which counts overflows of the lower one (CHAIN). The lower one
 * counts the event.
 *
 * Locking rules: the counters of a CPU are accessed on that CPU with interrupts
 * disabled, by the core with the lock of the CPU's context, and by the interrupt, which
 * may be an NMI. Both write registers of different counters. The NMI restores PMCR_EL0.
 * KVM changes the filter of EL0 in the type registers of all counters. An NMI in between may only
 * write the type that its counter has, when KVM restarts an event.
 *
 * Source: Arm ARM (DDI 0487), chapter D13, "The Performance Monitors Extension".
 */
#ifndef _ARM64_KERNEL_PERF_PMUV3_H
#define _ARM64_KERNEL_PERF_PMUV3_H

#include <linux/bits.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf/arm_pmuv3.h>
#include <asm/sysreg.h>

/* Fields of attr.config and attr.config1, as in the sysfs directory format/. */
#define PMUV3_CONFIG_EVENT		GENMASK_ULL(15, 0)
#define PMUV3_CONFIG1_LONG		BIT_ULL(0)
#define PMUV3_CONFIG1_RDPMC		BIT_ULL(1)
/* count cycles in which the threshold is met, instead of occurrences */
#define PMUV3_CONFIG1_TH_COUNT		BIT_ULL(2)
#define PMUV3_CONFIG1_TH_COMPARE	GENMASK_ULL(4, 3)
#define PMUV3_CONFIG1_TH		GENMASK_ULL(16, 5)

/* hw.flags: a period has ended, and the event was stopped before the interrupt */
#define PMUV3_EVENT_SAMPLE_PENDING	0x00100
/* hw.flags: the event's number and filter are valid */
#define PMUV3_EVENT_VALID		0x00200
static_assert((PERF_EVENT_FLAG_ARCH & PMUV3_EVENT_SAMPLE_PENDING) == PMUV3_EVENT_SAMPLE_PENDING);
static_assert((PERF_EVENT_FLAG_ARCH & PMUV3_EVENT_VALID) == PMUV3_EVENT_VALID);

/**
 * struct pmuv3_cache_event - event number for a generic cache event
 * @type: PERF_COUNT_HW_CACHE_*
 * @op: PERF_COUNT_HW_CACHE_OP_*
 * @result: PERF_COUNT_HW_CACHE_RESULT_*
 * @event: event number of the PMU
 */
struct pmuv3_cache_event {
	u8	type;
	u8	op;
	u8	result;
	u16	event;
};

/* PMUV3_CACHE(L1D, READ, MISS, 3): a struct pmuv3_cache_event of a table */
#define PMUV3_CACHE(_type, _op, _result, _event) {			\
	.type	= PERF_COUNT_HW_CACHE_##_type,				\
	.op	= PERF_COUNT_HW_CACHE_OP_##_op,				\
	.result	= PERF_COUNT_HW_CACHE_RESULT_##_result,			\
	.event	= _event,						\
}

/* The PMU has 64-bit event counters. */
static inline bool pmuv3_has_long_counters(const struct arm_pmu *pmu)
{
	return is_pmuv3p5(pmu->pmuver);
}

/* The event does not fit in one event counter. */
static inline bool pmuv3_needs_pair(const struct perf_event *event)
{
	return event->hw.flags & ARMPMU_EVT_64BIT &&
	       !pmuv3_has_long_counters(to_arm_pmu(event->pmu));
}

/* The event has a pair of counters. */
static inline bool pmuv3_event_is_pair(const struct perf_event *event)
{
	return pmuv3_needs_pair(event) && event->hw.idx < ARMV8_PMU_MAX_GENERAL_COUNTERS;
}

/* Mask of the counters of an event, for set and clear registers. */
static inline u64 pmuv3_event_mask(const struct perf_event *event)
{
	u64 mask = BIT_ULL(event->hw.idx);

	return pmuv3_event_is_pair(event) ? mask | mask >> 1 : mask;
}

/* Mask of the counters that are enabled on this CPU. */
static inline u64 pmuv3_read_cntenset(void)
{
	return read_sysreg(pmcntenset_el0);
}

/* Execute two instructions a turn. */
static inline void pmuv3_spin(unsigned long turns)
{
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r" (turns) : : "cc");
}

/* pmuv3.c */
int pmuv3_init(struct arm_pmu *pmu, const char *name,
	       int (*map_event)(struct perf_event *event));

bool pmuv3_core_is_threaded(u64 mpidr, int thread_id, const u64 *others, unsigned int nr);
void pmuv3_set_counters(struct arm_pmu *pmu, unsigned int nr_events, bool threaded,
			bool instructions);
void pmuv3_note_no_interrupt(struct arm_pmu *pmu);

/* events.c */
bool pmuv3_event_implemented(const struct arm_pmu *pmu, unsigned int event);
unsigned int pmuv3_threshold_max(const struct arm_pmu *pmu);
bool pmuv3_has_pairs(const struct arm_pmu *pmu);
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

/* counting.c */
int pmuv3_leave_out_stuck(struct arm_pmu *pmu, const char *name);

/* counter.c */
u64 pmuv3_read_one(int idx);
void pmuv3_write_one(int idx, u64 value);
void pmuv3_write_type(const struct perf_event *event);
void pmuv3_enable_counters(u64 counting, u64 interrupting);
void pmuv3_disable_counters(u64 mask);
u64 pmuv3_read_counter(struct perf_event *event);
void pmuv3_read(struct perf_event *event);
void pmuv3_write_counter(struct perf_event *event, u64 value);
void pmuv3_clear_counter(int idx);
void pmuv3_note_stopped(struct perf_event *event);
void pmuv3_take_pending(struct perf_event *event);
void pmuv3_enable_event(struct perf_event *event);
void pmuv3_disable_event(struct perf_event *event);
void pmuv3_start(struct arm_pmu *pmu);
void pmuv3_stop(struct arm_pmu *pmu);
irqreturn_t pmuv3_handle_irq(struct arm_pmu *pmu);
void pmuv3_reset(struct arm_pmu *pmu);

/* user_access.c */
int pmuv3_user_event_idx(struct perf_event *event);
void pmuv3_user_init(void);
void pmuv3_user_add(struct arm_pmu *pmu);
void pmuv3_user_reset(struct arm_pmu *pmu);
bool pmuv3_user_may_read(void);

/* sysfs.c */
void pmuv3_make_event_files(void);
void pmuv3_sysfs_init(struct arm_pmu *pmu);

#endif /* _ARM64_KERNEL_PERF_PMUV3_H */
