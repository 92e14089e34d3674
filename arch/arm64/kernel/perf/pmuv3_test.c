// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the PMUv3 driver: event numbers, values of the type register, counter
 * assignment. The PMU is a fake one, to test versions and features that the machine does
 * not have.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "pmuv3.h"

#define TYPE	77

/* ID_AA64DFR0_EL1.PMUVer */
#define PMUVER_V3	1
#define PMUVER_V3P5	6

/* TC of PMEVTYPER<n>_EL0: comparison in the upper two bits, cycles in the lowest. */
#define TC_GE_COUNT	5

struct pmuv3_fake {
	struct arm_pmu		pmu;
	struct pmu_hw_events	used;
};

static const struct pmuv3_cache_event some_core[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, 0x40),
	PMUV3_CACHE(NODE, WRITE, ACCESS, 0x61),
};

/* PMUv3 of Armv8.0: six event counters and the counter of cycles. */
static struct pmuv3_fake *fake_pmu(struct kunit *test)
{
	static const u8 implemented[] = { 0x04, 0x08, 0x0c, 0x10, 0x11, 0x1e };
	struct pmuv3_fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->pmu.pmu.type = TYPE;
	fake->pmu.pmuver = PMUVER_V3;
	bitmap_set(fake->pmu.cntr_mask, 0, 6);
	__set_bit(ARMV8_PMU_CYCLE_IDX, fake->pmu.cntr_mask);
	for (int i = 0; i < ARRAY_SIZE(implemented); i++)
		__set_bit(implemented[i], fake->pmu.pmceid_bitmap);
	return fake;
}

static struct perf_event *fake_event(struct kunit *test, struct pmuv3_fake *fake,
				     u32 type, u64 config, u64 config1)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->pmu = &fake->pmu.pmu;
	event->attach_state = PERF_ATTACH_TASK;
	event->attr.type = type;
	event->attr.config = config;
	event->attr.config1 = config1;
	return event;
}

static int map(struct kunit *test, struct pmuv3_fake *fake, u32 type, u64 config)
{
	return pmuv3_map_event(fake_event(test, fake, type, config, 0),
			       some_core, ARRAY_SIZE(some_core));
}

/* Open an event as the framework does, including the counter assignment. */
static int place(struct kunit *test, struct pmuv3_fake *fake, u64 config, u64 config1)
{
	struct perf_event *event = fake_event(test, fake, TYPE, config, config1);
	int number = pmuv3_map_event(event, NULL, 0);
	int err;

	if (number < 0)
		return number;
	err = pmuv3_set_event_filter(&event->hw, &event->attr);
	if (err)
		return err;
	event->hw.config_base |= number;
	event->hw.idx = pmuv3_get_event_idx(&fake->used, event);
	return event->hw.idx;
}

static void raw_events_are_taken_as_they_are(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 0x11, map(test, fake, TYPE, 0x11));
	KUNIT_EXPECT_EQ(test, 0x11, map(test, fake, PERF_TYPE_RAW, 0x11));
	/* Raw events need not be listed by the PMU. */
	KUNIT_EXPECT_EQ(test, 0x3f, map(test, fake, PERF_TYPE_RAW, 0x3f));
	KUNIT_EXPECT_EQ(test, 0xffff, map(test, fake, TYPE, 0xffff));
	KUNIT_EXPECT_EQ(test, 0x11, map(test, fake, TYPE, 0xabcd0011));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, TYPE + 1, 0x11));
	KUNIT_EXPECT_EQ(test, -EINVAL, map(test, fake, TYPE, ARMV8_PMUV3_PERFCTR_CHAIN));
}

static void generic_events_need_to_be_implemented(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);
	const u32 hw = PERF_TYPE_HARDWARE;

	KUNIT_EXPECT_EQ(test, 0x11, map(test, fake, hw, PERF_COUNT_HW_CPU_CYCLES));
	KUNIT_EXPECT_EQ(test, 0x08, map(test, fake, hw, PERF_COUNT_HW_INSTRUCTIONS));
	KUNIT_EXPECT_EQ(test, 0x04, map(test, fake, hw, PERF_COUNT_HW_CACHE_REFERENCES));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, hw, PERF_COUNT_HW_CACHE_MISSES));
	KUNIT_EXPECT_EQ(test, 0x10, map(test, fake, hw, PERF_COUNT_HW_BRANCH_MISSES));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, hw, PERF_COUNT_HW_BUS_CYCLES));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			map(test, fake, hw, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, hw, PERF_COUNT_HW_REF_CPU_CYCLES));
	KUNIT_EXPECT_EQ(test, -EINVAL, map(test, fake, hw, PERF_COUNT_HW_MAX));
	KUNIT_EXPECT_EQ(test, -EINVAL, map(test, fake, hw, ~0ULL));
}

static void branches_have_a_substitute(struct kunit *test)
{
	const u64 branches = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 0x0c, map(test, fake, PERF_TYPE_HARDWARE, branches));
	__set_bit(0x21, fake->pmu.pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, 0x21, map(test, fake, PERF_TYPE_HARDWARE, branches));
	__clear_bit(0x21, fake->pmu.pmceid_bitmap);
	__clear_bit(0x0c, fake->pmu.pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, PERF_TYPE_HARDWARE, branches));
}

#define CACHE(_type, _op, _result)				\
	(PERF_COUNT_HW_CACHE_##_type |				\
	 PERF_COUNT_HW_CACHE_OP_##_op << 8 |			\
	 PERF_COUNT_HW_CACHE_RESULT_##_result << 16)

static void cache_events_prefer_the_architecture(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);
	const u32 cache = PERF_TYPE_HW_CACHE;

	KUNIT_EXPECT_EQ(test, 0x04, map(test, fake, cache, CACHE(L1D, READ, ACCESS)));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, cache, CACHE(L1D, READ, MISS)));
	KUNIT_EXPECT_EQ(test, 0x10, map(test, fake, cache, CACHE(BPU, READ, MISS)));
	/* an event of the core */
	KUNIT_EXPECT_EQ(test, 0x61, map(test, fake, cache, CACHE(NODE, WRITE, ACCESS)));
	KUNIT_EXPECT_EQ(test, -ENOENT, map(test, fake, cache, CACHE(NODE, READ, ACCESS)));
	__clear_bit(0x04, fake->pmu.pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, 0x40, map(test, fake, cache, CACHE(L1D, READ, ACCESS)));
}

static void cache_events_out_of_range_are_refused(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);
	const u32 cache = PERF_TYPE_HW_CACHE;

	KUNIT_EXPECT_EQ(test, -EINVAL, map(test, fake, cache, PERF_COUNT_HW_CACHE_MAX));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			map(test, fake, cache, PERF_COUNT_HW_CACHE_OP_MAX << 8));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			map(test, fake, cache, PERF_COUNT_HW_CACHE_RESULT_MAX << 16));
	KUNIT_EXPECT_EQ(test, -EINVAL, map(test, fake, cache, 0xff));
}

static void extended_events_are_listed_apart(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	__set_bit(0x06, fake->pmu.pmceid_ext_bitmap);
	KUNIT_EXPECT_TRUE(test, pmuv3_event_implemented(&fake->pmu, 0x4006));
	KUNIT_EXPECT_FALSE(test, pmuv3_event_implemented(&fake->pmu, 0x4004));
	KUNIT_EXPECT_FALSE(test, pmuv3_event_implemented(&fake->pmu, 0x46));
	KUNIT_EXPECT_FALSE(test, pmuv3_event_implemented(&fake->pmu, 0x4046));
	KUNIT_EXPECT_TRUE(test, pmuv3_event_implemented(&fake->pmu, 0x04));
}

/* exclude_{user,kernel,hv,host,guest} as bits 0 to 4 */
static u64 levels(struct kunit *test, unsigned int exclude, bool vhe)
{
	const struct perf_event_attr attr = {
		.exclude_user	= !!(exclude & 1),
		.exclude_kernel	= !!(exclude & 2),
		.exclude_hv	= !!(exclude & 4),
		.exclude_host	= !!(exclude & 8),
		.exclude_guest	= !!(exclude & 16),
	};
	u64 bits = ~0ULL;

	KUNIT_EXPECT_EQ(test, 0, pmuv3_filter_bits(&attr, vhe, &bits));
	return bits;
}

static void levels_of_a_host_in_el1(struct kunit *test)
{
	const u64 no_el0 = ARMV8_PMU_EXCLUDE_EL0, no_el1 = ARMV8_PMU_EXCLUDE_EL1;
	const u64 el2 = ARMV8_PMU_INCLUDE_EL2;

	KUNIT_EXPECT_EQ(test, el2, levels(test, 0, false));
	KUNIT_EXPECT_EQ(test, el2 | no_el0, levels(test, 1, false));
	KUNIT_EXPECT_EQ(test, el2 | no_el1, levels(test, 2, false));
	KUNIT_EXPECT_EQ(test, 0, levels(test, 4, false));
	KUNIT_EXPECT_EQ(test, no_el0 | no_el1, levels(test, 7, false));
	/* KVM starts and stops counters that count guests only. */
	KUNIT_EXPECT_EQ(test, 0, levels(test, 8, false));
	KUNIT_EXPECT_EQ(test, el2, levels(test, 16, false));
}

static void levels_of_a_host_in_el2(struct kunit *test)
{
	const u64 no_el0 = ARMV8_PMU_EXCLUDE_EL0, no_el1 = ARMV8_PMU_EXCLUDE_EL1;
	const u64 el2 = ARMV8_PMU_INCLUDE_EL2;

	KUNIT_EXPECT_EQ(test, el2, levels(test, 0, true));
	KUNIT_EXPECT_EQ(test, el2 | no_el0, levels(test, 1, true));
	KUNIT_EXPECT_EQ(test, no_el1, levels(test, 2, true));
	/* the kernel is the hypervisor */
	KUNIT_EXPECT_EQ(test, el2, levels(test, 4, true));
	KUNIT_EXPECT_EQ(test, no_el0, levels(test, 8, true));
	KUNIT_EXPECT_EQ(test, el2 | no_el1, levels(test, 16, true));
	KUNIT_EXPECT_EQ(test, no_el0 | no_el1, levels(test, 3, true));
}

static void idle_cannot_be_excluded(struct kunit *test)
{
	const struct perf_event_attr attr = { .exclude_idle = 1 };
	u64 bits;

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pmuv3_filter_bits(&attr, false, &bits));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pmuv3_filter_bits(&attr, true, &bits));
}

static void thresholds_are_checked(struct kunit *test)
{
	const u64 at_least_3 = FIELD_PREP(PMUV3_CONFIG1_TH, 3) | PMUV3_CONFIG1_TH_COUNT |
			       FIELD_PREP(PMUV3_CONFIG1_TH_COMPARE, 2);
	struct pmuv3_fake *fake = fake_pmu(test);
	struct perf_event *event = fake_event(test, fake, TYPE, 0x24, at_least_3);
	u64 base;

	KUNIT_EXPECT_EQ(test, 0, pmuv3_threshold_max(&fake->pmu));
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_set_event_filter(&event->hw, &event->attr));

	fake->pmu.reg_pmmir = FIELD_PREP(ARMV8_PMU_THWIDTH, 2);
	KUNIT_EXPECT_EQ(test, 3, pmuv3_threshold_max(&fake->pmu));
	KUNIT_EXPECT_EQ(test, 0, pmuv3_set_event_filter(&event->hw, &event->attr));
	base = event->hw.config_base;
	KUNIT_EXPECT_EQ(test, 3, FIELD_GET(ARMV8_PMU_EVTYPE_TH, base));
	KUNIT_EXPECT_EQ(test, TC_GE_COUNT, FIELD_GET(ARMV8_PMU_EVTYPE_TC, base));

	event->attr.config1 = FIELD_PREP(PMUV3_CONFIG1_TH, 4);
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_set_event_filter(&event->hw, &event->attr));
	/* Without a threshold the other fields are ignored. */
	event->attr.config1 = PMUV3_CONFIG1_TH_COUNT | PMUV3_CONFIG1_TH_COMPARE;
	KUNIT_EXPECT_EQ(test, 0, pmuv3_set_event_filter(&event->hw, &event->attr));
	KUNIT_EXPECT_EQ(test, 0, event->hw.config_base >> 32);

	fake->pmu.reg_pmmir = FIELD_PREP(ARMV8_PMU_THWIDTH, 15);
	KUNIT_EXPECT_EQ(test, 4095, pmuv3_threshold_max(&fake->pmu));
}

static void width_of(struct kunit *test, struct pmuv3_fake *fake, u64 config,
		     u64 config1, int expected)
{
	struct perf_event *event = fake_event(test, fake, TYPE, config, config1);

	KUNIT_ASSERT_EQ(test, config, pmuv3_map_event(event, NULL, 0));
	KUNIT_EXPECT_EQ_MSG(test, expected,
			    event->hw.flags & ARMPMU_EVT_64BIT ? 64 : 32,
			    "event %#llx, config1 %#llx", config, config1);
}

static void width_follows_the_hardware(struct kunit *test)
{
	const u64 rdpmc = PMUV3_CONFIG1_RDPMC, is_long = PMUV3_CONFIG1_LONG;
	struct pmuv3_fake *fake = fake_pmu(test);

	width_of(test, fake, 0x04, 0, 32);
	width_of(test, fake, 0x04, is_long, 64);
	width_of(test, fake, 0x11, rdpmc, 32);
	width_of(test, fake, 0x11, rdpmc | is_long, 64);
	/* There are no pairs without CHAIN. */
	__clear_bit(0x1e, fake->pmu.pmceid_bitmap);
	width_of(test, fake, 0x04, is_long, 32);
	width_of(test, fake, 0x11, is_long, 64);
	width_of(test, fake, 0x11, rdpmc | is_long, 64);

	fake->pmu.pmuver = PMUVER_V3P5;
	width_of(test, fake, 0x04, 0, 32);
	width_of(test, fake, 0x04, is_long, 64);
	/* The control page reports the requested width. */
	width_of(test, fake, 0x04, rdpmc, 32);
	width_of(test, fake, 0x04, rdpmc | is_long, 64);
}

/* No interrupt shows that a narrow counter wraps. */
static void width_without_an_interrupt(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	fake->pmu.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	width_of(test, fake, 0x04, 0, 32);
	width_of(test, fake, 0x04, PMUV3_CONFIG1_LONG, 64);
	width_of(test, fake, 0x11, 0, 64);
	width_of(test, fake, 0x11, PMUV3_CONFIG1_RDPMC, 64);
	/* Then the next one takes a pair, which user space cannot read. */
	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x11, PMUV3_CONFIG1_RDPMC));
	KUNIT_EXPECT_EQ(test, 2, place(test, fake, 0x04, 0));
	fake->pmu.pmuver = PMUVER_V3P5;
	width_of(test, fake, 0x04, 0, 64);
}

/* With ACPI it is number 0. */
static void interrupts_may_be_missing(struct kunit *test)
{
	struct arm_pmu *pmu = armpmu_alloc();
	int cpu = cpumask_first(cpu_online_mask);
	int with, without;

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	cpumask_set_cpu(cpu, &pmu->supported_cpus);
	per_cpu_ptr(pmu->hw_events, cpu)->irq = 23;
	pmuv3_note_no_interrupt(pmu);
	with = pmu->pmu.capabilities;
	per_cpu_ptr(pmu->hw_events, cpu)->irq = 0;
	pmuv3_note_no_interrupt(pmu);
	without = pmu->pmu.capabilities;
	armpmu_free(pmu);
	KUNIT_EXPECT_FALSE(test, with & PERF_PMU_CAP_NO_INTERRUPT);
	KUNIT_EXPECT_TRUE(test, without & PERF_PMU_CAP_NO_INTERRUPT);
}

static void user_reads_are_checked(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);
	struct perf_event *event;

	event = fake_event(test, fake, TYPE, 0x04, PMUV3_CONFIG1_RDPMC);
	KUNIT_EXPECT_EQ(test, 0x04, pmuv3_map_event(event, NULL, 0));
	KUNIT_EXPECT_TRUE(test, event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT);

	event->attr.config1 |= PMUV3_CONFIG1_LONG;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, pmuv3_map_event(event, NULL, 0));

	event = fake_event(test, fake, TYPE, 0x11, PMUV3_CONFIG1_RDPMC);
	event->attach_state = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_map_event(event, NULL, 0));
	/* This is checked before the event number. */
	event->attr.type = TYPE + 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_map_event(event, NULL, 0));
	event->attr.config1 = PMUV3_CONFIG1_LONG;
	KUNIT_EXPECT_EQ(test, -ENOENT, pmuv3_map_event(event, NULL, 0));
	event->attr.type = TYPE;
	event->attr.config1 = 0;
	KUNIT_EXPECT_EQ(test, 0x11, pmuv3_map_event(event, NULL, 0));
	KUNIT_EXPECT_FALSE(test, event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT);
}

static void cycles_have_their_own_counter(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, 0));
	for (int i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, i, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x04, 0));
}

static bool lists(const struct arm_pmu *pmu, const char *name)
{
	struct attribute **attr = pmu->attr_groups[ARMPMU_ATTR_GROUP_EVENTS]->attrs;

	while (*attr && strcmp((*attr)->name, name))
		attr++;
	return *attr;
}

static void sysfs_lists_the_architecture(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	pmuv3_sysfs_init(&fake->pmu);
	KUNIT_EXPECT_TRUE(test, lists(&fake->pmu, "sw_incr"));
	KUNIT_EXPECT_TRUE(test, lists(&fake->pmu, "l1i_cache_refill"));
	KUNIT_EXPECT_TRUE(test, lists(&fake->pmu, "l1d_cache_refill"));
	KUNIT_EXPECT_TRUE(test, lists(&fake->pmu, "stall_slot"));
	KUNIT_EXPECT_FALSE(test, lists(&fake->pmu, "chain"));
}

/* MPIDR_EL1 with and without MT; the CPU's number is to be added. */
#define MPIDR_MT	(BIT_ULL(31) | BIT_ULL(24))
#define MPIDR_NO_MT	BIT_ULL(31)

static void threads_need_all_signs(struct kunit *test)
{
	/* Two threads of core 1, and cores without other threads. */
	static const u64 cpus[] = { 0x000, 0x100, 0x101, 0x10100, 0x100000100 };
	const unsigned int nr = ARRAY_SIZE(cpus);

	KUNIT_EXPECT_TRUE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x100, 0, cpus, nr));
	KUNIT_EXPECT_TRUE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x101, 1, cpus, nr));
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x100, -1, cpus, nr));
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_NO_MT | 0x100, 0, cpus, nr));
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_NO_MT | 0x100, -1, cpus, nr));
	/* A PPTT without threads: MT, and numbers that cores may have. */
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x000, 0, cpus, nr));
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x10100, 3, cpus, nr));
	KUNIT_EXPECT_FALSE(test, pmuv3_core_is_threaded(MPIDR_MT | 0x100000100, 4, cpus, nr));
}

static void threads_count_cycles_as_events(struct kunit *test)
{
	const u64 rdpmc = PMUV3_CONFIG1_RDPMC, is_long = PMUV3_CONFIG1_LONG;
	struct pmuv3_fake *fake = fake_pmu(test);

	bitmap_zero(fake->pmu.cntr_mask, ARMPMU_MAX_HWEVENTS);
	pmuv3_set_counters(&fake->pmu, 4, true, false);
	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, 3, place(test, fake, 0x11, is_long));
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x11, rdpmc));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x11, 0));
	/* No 64-bit counter is left that user space can read. */
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, place(test, fake, 0x11, rdpmc | is_long));

	pmuv3_set_counters(&fake->pmu, 4, false, true);
	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, rdpmc | is_long));
	KUNIT_EXPECT_EQ(test, 32, place(test, fake, 0x08, 0));
}

static void thresholds_need_an_event_counter(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	fake->pmu.reg_pmmir = FIELD_PREP(ARMV8_PMU_THWIDTH, 4);
	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x11, FIELD_PREP(PMUV3_CONFIG1_TH, 1)));
	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, 0));
}

static void instructions_may_have_their_own_counter(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x08, 0));
	__set_bit(ARMV8_PMU_INSTR_IDX, fake->pmu.cntr_mask);
	/* User space cannot read the counter of instructions. */
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x08, PMUV3_CONFIG1_RDPMC));
	KUNIT_EXPECT_EQ(test, 32, place(test, fake, 0x08, 0));
	KUNIT_EXPECT_EQ(test, 2, place(test, fake, 0x08, 0));
}

static void long_events_take_pairs(struct kunit *test)
{
	const u64 is_long = PMUV3_CONFIG1_LONG;
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x04, 0));
	KUNIT_EXPECT_EQ(test, 3, place(test, fake, 0x04, is_long));
	KUNIT_EXPECT_TRUE(test, test_bit(2, fake->used.used_mask));
	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, is_long));
	KUNIT_EXPECT_EQ(test, 5, place(test, fake, 0x11, is_long));
	/* Only counter 1 is left, which is not a pair. */
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x04, is_long));
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x04, 0));
}

static void long_cycles_without_pairs(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	__clear_bit(0x1e, fake->pmu.pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, PMUV3_CONFIG1_LONG));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x11, PMUV3_CONFIG1_LONG));
	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x11, 0));
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x04, PMUV3_CONFIG1_LONG));
}

static void programs_do_not_read_pairs(struct kunit *test)
{
	const u64 both = PMUV3_CONFIG1_RDPMC | PMUV3_CONFIG1_LONG;
	struct pmuv3_fake *fake = fake_pmu(test);

	KUNIT_EXPECT_EQ(test, 31, place(test, fake, 0x11, both));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x11, both));
	KUNIT_EXPECT_EQ(test, 0, place(test, fake, 0x11, PMUV3_CONFIG1_RDPMC));
}

static void an_odd_last_counter_has_no_partner(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);

	bitmap_zero(fake->pmu.cntr_mask, ARMPMU_MAX_HWEVENTS);
	bitmap_set(fake->pmu.cntr_mask, 0, 3);
	KUNIT_EXPECT_EQ(test, 1, place(test, fake, 0x04, PMUV3_CONFIG1_LONG));
	KUNIT_EXPECT_EQ(test, -EAGAIN, place(test, fake, 0x04, PMUV3_CONFIG1_LONG));
	KUNIT_EXPECT_EQ(test, 2, place(test, fake, 0x04, 0));
}

static void counters_are_given_back(struct kunit *test)
{
	struct pmuv3_fake *fake = fake_pmu(test);
	struct perf_event *event = fake_event(test, fake, TYPE, 0x04, PMUV3_CONFIG1_LONG);

	event->hw.config_base = pmuv3_map_event(event, NULL, 0);
	event->hw.idx = pmuv3_get_event_idx(&fake->used, event);
	KUNIT_EXPECT_EQ(test, 1, event->hw.idx);
	KUNIT_EXPECT_TRUE(test, pmuv3_event_is_pair(event));
	scoped_guard(preempt)
		pmuv3_clear_event_idx(&fake->used, event);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(fake->used.used_mask, ARMPMU_MAX_HWEVENTS));
}

static struct kunit_case pmuv3_cases[] = {
	KUNIT_CASE(raw_events_are_taken_as_they_are),
	KUNIT_CASE(generic_events_need_to_be_implemented),
	KUNIT_CASE(branches_have_a_substitute),
	KUNIT_CASE(cache_events_prefer_the_architecture),
	KUNIT_CASE(cache_events_out_of_range_are_refused),
	KUNIT_CASE(extended_events_are_listed_apart),
	KUNIT_CASE(levels_of_a_host_in_el1),
	KUNIT_CASE(levels_of_a_host_in_el2),
	KUNIT_CASE(idle_cannot_be_excluded),
	KUNIT_CASE(thresholds_are_checked),
	KUNIT_CASE(width_follows_the_hardware),
	KUNIT_CASE(width_without_an_interrupt),
	KUNIT_CASE(interrupts_may_be_missing),
	KUNIT_CASE(user_reads_are_checked),
	KUNIT_CASE(cycles_have_their_own_counter),
	KUNIT_CASE(sysfs_lists_the_architecture),
	KUNIT_CASE(threads_need_all_signs),
	KUNIT_CASE(threads_count_cycles_as_events),
	KUNIT_CASE(thresholds_need_an_event_counter),
	KUNIT_CASE(instructions_may_have_their_own_counter),
	KUNIT_CASE(long_events_take_pairs),
	KUNIT_CASE(long_cycles_without_pairs),
	KUNIT_CASE(programs_do_not_read_pairs),
	KUNIT_CASE(an_odd_last_counter_has_no_partner),
	KUNIT_CASE(counters_are_given_back),
	{ }
};

static struct kunit_suite pmuv3_suite = {
	.name = "perf_arm64_pmuv3",
	.test_cases = pmuv3_cases,
};

kunit_test_suite(pmuv3_suite);
