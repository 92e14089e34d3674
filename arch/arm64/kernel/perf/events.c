// SPDX-License-Identifier: GPL-2.0
/*
 * From an event's attributes to the value of the type register.
 *
 * Owns the numbers of generic hardware and cache events, the check of the config fields,
 * and the filter bits for exception levels.
 *
 * Context: task, may sleep. Called from event_init().
 *
 * Sources: Arm ARM (DDI 0487) D13.12 for event numbers, D24.5 for PMEVTYPER<n>;
 * Documentation/arch/arm64/perf.rst for what the exclude_* bits mean.
 */
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>

#include <asm/virt.h>

#include "pmuv3.h"

/*
 * Numbers of generic events, with substitutes for PMUs that do not implement them. 0
 * means none: no generic event has that number.
 */
static const struct {
	u16	event;
	u16	substitute;
} pmuv3_hw_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { ARMV8_PMUV3_PERFCTR_CPU_CYCLES },
	[PERF_COUNT_HW_INSTRUCTIONS] = { ARMV8_PMUV3_PERFCTR_INST_RETIRED },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { ARMV8_PMUV3_PERFCTR_L1D_CACHE },
	[PERF_COUNT_HW_CACHE_MISSES] = { ARMV8_PMUV3_PERFCTR_L1D_CACHE_REFILL },
	/* Substitute: taken branches instead of all retired branches. */
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = {
		ARMV8_PMUV3_PERFCTR_BR_RETIRED,
		ARMV8_PMUV3_PERFCTR_PC_WRITE_RETIRED,
	},
	[PERF_COUNT_HW_BRANCH_MISSES] = { ARMV8_PMUV3_PERFCTR_BR_MIS_PRED },
	[PERF_COUNT_HW_BUS_CYCLES] = { ARMV8_PMUV3_PERFCTR_BUS_CYCLES },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { ARMV8_PMUV3_PERFCTR_STALL_FRONTEND },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { ARMV8_PMUV3_PERFCTR_STALL_BACKEND },
};

/* Events of the architecture count reads and writes, except for the last level cache. */
static const struct pmuv3_cache_event pmuv3_cache_events[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, ARMV8_PMUV3_PERFCTR_L1D_CACHE),
	PMUV3_CACHE(L1D, READ, MISS, ARMV8_PMUV3_PERFCTR_L1D_CACHE_REFILL),
	PMUV3_CACHE(L1I, READ, ACCESS, ARMV8_PMUV3_PERFCTR_L1I_CACHE),
	PMUV3_CACHE(L1I, READ, MISS, ARMV8_PMUV3_PERFCTR_L1I_CACHE_REFILL),
	PMUV3_CACHE(DTLB, READ, ACCESS, ARMV8_PMUV3_PERFCTR_L1D_TLB),
	PMUV3_CACHE(DTLB, READ, MISS, ARMV8_PMUV3_PERFCTR_L1D_TLB_REFILL),
	PMUV3_CACHE(ITLB, READ, ACCESS, ARMV8_PMUV3_PERFCTR_L1I_TLB),
	PMUV3_CACHE(ITLB, READ, MISS, ARMV8_PMUV3_PERFCTR_L1I_TLB_REFILL),
	PMUV3_CACHE(LL, READ, ACCESS, ARMV8_PMUV3_PERFCTR_LL_CACHE_RD),
	PMUV3_CACHE(LL, READ, MISS, ARMV8_PMUV3_PERFCTR_LL_CACHE_MISS_RD),
	PMUV3_CACHE(BPU, READ, ACCESS, ARMV8_PMUV3_PERFCTR_BR_PRED),
	PMUV3_CACHE(BPU, READ, MISS, ARMV8_PMUV3_PERFCTR_BR_MIS_PRED),
};

/**
 * pmuv3_event_implemented() - check whether the PMU reports an event as implemented
 * @pmu: the PMU
 * @event: number of the event
 *
 * Return: true if PMCEID0_EL0 or PMCEID1_EL0 lists the event. They do not cover the
 * numbers 0x40 to 0x3fff and from 0x4040: false.
 */
bool pmuv3_event_implemented(const struct arm_pmu *pmu, unsigned int event)
{
	const unsigned long *listed = pmu->pmceid_bitmap;

	if (event >= ARMV8_PMUV3_EXT_COMMON_EVENT_BASE) {
		listed = pmu->pmceid_ext_bitmap;
		event -= ARMV8_PMUV3_EXT_COMMON_EVENT_BASE;
	}
	return event < ARMV8_PMUV3_MAX_COMMON_EVENTS && test_bit(event, listed);
}

/**
 * pmuv3_threshold_max() - get the largest threshold of occurrences per cycle
 * @pmu: the PMU
 *
 * Return: the threshold, 0 without FEAT_PMUv3_TH.
 */
unsigned int pmuv3_threshold_max(const struct arm_pmu *pmu)
{
	unsigned int width = FIELD_GET(ARMV8_PMU_THWIDTH, pmu->reg_pmmir);
	unsigned int field = FIELD_MAX(ARMV8_PMU_EVTYPE_TH);

	return min_t(unsigned int, BIT(width) - 1, field);
}

static int pmuv3_map_hw(const struct arm_pmu *pmu, u64 config)
{
	if (config >= ARRAY_SIZE(pmuv3_hw_events))
		return perf_refuse(-EINVAL, "config", "no generic hardware event %llu",
				   config);

	if (pmuv3_hw_events[config].event &&
	    pmuv3_event_implemented(pmu, pmuv3_hw_events[config].event))
		return pmuv3_hw_events[config].event;
	if (pmuv3_hw_events[config].substitute &&
	    pmuv3_event_implemented(pmu, pmuv3_hw_events[config].substitute))
		return pmuv3_hw_events[config].substitute;
	return -ENOENT;
}

static int pmuv3_find_cache(const struct pmuv3_cache_event *rows,
			    unsigned int nr_rows, u64 config)
{
	for (unsigned int i = 0; i < nr_rows; i++) {
		if (rows[i].type == (config & 0xff) &&
		    rows[i].op == (config >> 8 & 0xff) &&
		    rows[i].result == (config >> 16 & 0xff))
			return rows[i].event;
	}
	return -ENOENT;
}

/* Events of the architecture take precedence over the core's. */
static int pmuv3_map_cache(const struct arm_pmu *pmu, u64 config,
			   const struct pmuv3_cache_event *rows, unsigned int nr_rows)
{
	int event;

	if ((config & 0xff) >= PERF_COUNT_HW_CACHE_MAX ||
	    (config >> 8 & 0xff) >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    (config >> 16 & 0xff) >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return perf_refuse(-EINVAL, "config", "no generic cache event %#llx",
				   config);

	event = pmuv3_find_cache(pmuv3_cache_events, ARRAY_SIZE(pmuv3_cache_events),
				 config);
	if (event >= 0 && pmuv3_event_implemented(pmu, event))
		return event;
	return pmuv3_find_cache(rows, nr_rows, config);
}

/* Get the number of an event. -ENOENT: the event may be for another PMU. */
static int pmuv3_event_number(struct perf_event *event,
			      const struct pmuv3_cache_event *rows,
			      unsigned int nr_rows)
{
	const struct arm_pmu *pmu = to_arm_pmu(event->pmu);
	u64 config = event->attr.config;
	u32 type = event->attr.type;

	if (type == event->pmu->type || type == PERF_TYPE_RAW)
		return FIELD_GET(PMUV3_CONFIG_EVENT, config);
	if (type == PERF_TYPE_HARDWARE)
		return pmuv3_map_hw(pmu, config);
	if (type == PERF_TYPE_HW_CACHE)
		return pmuv3_map_cache(pmu, config, rows, nr_rows);
	return -ENOENT;
}

/**
 * pmuv3_has_pairs() - check whether the PMU can count the overflows of another counter
 * @pmu: the PMU
 *
 * Return: true if it has the CHAIN event.
 */
bool pmuv3_has_pairs(const struct arm_pmu *pmu)
{
	return pmuv3_event_implemented(pmu, ARMV8_PMUV3_PERFCTR_CHAIN);
}

/* The PMU has a single 64-bit counter for the event. */
static bool pmuv3_has_long_counter_of(const struct arm_pmu *pmu, int number)
{
	return pmuv3_has_long_counters(pmu) ||
	       (number == ARMV8_PMUV3_PERFCTR_CPU_CYCLES &&
		test_bit(ARMV8_PMU_CYCLE_IDX, pmu->cntr_mask));
}

/* User space can read one counter, but not a pair. */
static bool pmuv3_user_can_read(const struct perf_event *event, int number)
{
	return !(event->attr.config1 & PMUV3_CONFIG1_LONG) ||
	       pmuv3_has_long_counter_of(to_arm_pmu(event->pmu), number);
}

/*
 * The event gets 64 bits with config1:0, and the control page reports that width to user space. The
 * count of another event has 64 bits as well, because the overflow interrupt updates it. Without
 * that interrupt the count loses 2^32 when a narrow counter wraps: the event gets 64 bits if the
 * PMU has a single counter for it that has them.
 */
static bool pmuv3_needs_long(const struct perf_event *event, int number)
{
	const struct arm_pmu *pmu = to_arm_pmu(event->pmu);

	if (pmuv3_has_long_counter_of(pmu, number))
		return event->attr.config1 & PMUV3_CONFIG1_LONG ||
		       pmu->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT;
	return event->attr.config1 & PMUV3_CONFIG1_LONG && pmuv3_has_pairs(pmu);
}

/**
 * pmuv3_map_event() - get the number of a new event, and check its config
 * @event: the event; hw.flags is set
 * @rows: the core's events for generic cache events, in addition to the architecture's
 * @nr_rows: number of rows
 *
 * Return: the event's number; -ENOENT if the PMU does not have the event; -EINVAL or
 * -EOPNOTSUPP if the config is refused.
 */
int pmuv3_map_event(struct perf_event *event,
		    const struct pmuv3_cache_event *rows, unsigned int nr_rows)
{
	bool user_read = event->attr.config1 & PMUV3_CONFIG1_RDPMC;
	int number;

	/* ABI: this comes before the ENOENT for events that the PMU does not have. */
	if (user_read && !(event->attach_state & PERF_ATTACH_TASK))
		return perf_refuse(-EINVAL, "config1",
				   "rdpmc is for events of a task, this is a CPU's");
	number = pmuv3_event_number(event, rows, nr_rows);
	if (number < 0)
		return number;
	if (number == ARMV8_PMUV3_PERFCTR_CHAIN)
		return perf_refuse(-EINVAL, "config",
				   "CHAIN is part of a long event, see format/long");

	if (user_read && !pmuv3_user_can_read(event, number))
		return perf_refuse(-EOPNOTSUPP, "config1",
				   "rdpmc and long: event %#x has no counter of 64 bits",
				   number);
	if (user_read)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	if (pmuv3_needs_long(event, number))
		event->hw.flags |= ARMPMU_EVT_64BIT;
	return number;
}

/**
 * pmuv3_filter_bits() - get the filter bits for exception levels
 * @attr: attributes of the event
 * @vhe: the host's kernel runs in EL2, and guests' kernels run in EL1. Without VHE both
 *	run in EL1, and EL2 is the hypervisor.
 * @bits: output, in the layout of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0
 *
 * User space of host and guests runs in EL0. For events that exclude one of the two, KVM
 * changes the bit of EL0 with VHE, and starts and stops the counter without VHE.
 *
 * Return: 0, or -EOPNOTSUPP for exclude_idle.
 */
int pmuv3_filter_bits(const struct perf_event_attr *attr, bool vhe, u64 *bits)
{
	bool el0 = !attr->exclude_user;
	bool el1 = !attr->exclude_kernel;
	bool el2 = !attr->exclude_hv && !attr->exclude_host;

	if (attr->exclude_idle)
		return perf_refuse(-EOPNOTSUPP, "exclude_idle",
				   "the PMU cannot tell when a CPU is idle");
	if (vhe) {
		el2 = !attr->exclude_kernel && !attr->exclude_host;
		el1 = !attr->exclude_kernel && !attr->exclude_guest;
		el0 = !attr->exclude_user && !attr->exclude_host;
	}

	*bits = (el0 ? 0 : ARMV8_PMU_EXCLUDE_EL0) |
		(el1 ? 0 : ARMV8_PMU_EXCLUDE_EL1) |
		(el2 ? ARMV8_PMU_INCLUDE_EL2 : 0);
	return 0;
}

/* TC has the comparison, and in its lowest bit whether cycles are counted. */
static int pmuv3_threshold_bits(const struct arm_pmu *pmu,
				const struct perf_event_attr *attr, u64 *bits)
{
	unsigned int threshold = FIELD_GET(PMUV3_CONFIG1_TH, attr->config1);
	unsigned int max = pmuv3_threshold_max(pmu);
	u64 control;

	*bits = 0;
	if (!threshold)
		return 0;
	if (threshold > max)
		return perf_refuse(-EINVAL, "config1", "threshold %u, the PMU has at most %u",
				   threshold, max);

	control = FIELD_GET(PMUV3_CONFIG1_TH_COMPARE, attr->config1) << 1 |
		  FIELD_GET(PMUV3_CONFIG1_TH_COUNT, attr->config1);
	*bits = FIELD_PREP(ARMV8_PMU_EVTYPE_TH, threshold) |
		FIELD_PREP(ARMV8_PMU_EVTYPE_TC, control);
	return 0;
}

/**
 * pmuv3_set_event_filter() - set the filter bits of the type register
 * @hwc: hardware part of a new event; config_base is set
 * @attr: attributes of the event
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int pmuv3_set_event_filter(struct hw_perf_event *hwc, struct perf_event_attr *attr)
{
	struct perf_event *event = container_of(hwc, struct perf_event, hw);
	u64 levels, threshold;
	int err;

	err = pmuv3_filter_bits(attr, is_kernel_in_hyp_mode(), &levels);
	if (err)
		return err;
	err = pmuv3_threshold_bits(to_arm_pmu(event->pmu), attr, &threshold);
	if (err)
		return err;
	hwc->config_base = levels | threshold;
	hwc->flags |= PMUV3_EVENT_VALID;
	return 0;
}
