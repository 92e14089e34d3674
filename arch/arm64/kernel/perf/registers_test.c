// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counters that the machine may not have: pairs, counters of 64 bits, thresholds,
 * batches of all of them, and the types that KVM changes. The files that access registers run on an
 * emulator of them, beneath the arm_pmu framework.
 */
#include <linux/perf_event_test.h>
#include <kunit/test.h>

#include "registers_emulator.h"

#include "assign.c"
#include "counter.c"
#include "batch.c"
#include "counting.c"
#ifdef CONFIG_KVM
#include "../../kvm/pmu.c"
#endif

#define CACHE_READ	0x04
#define INSTRUCTIONS	ARMV8_PMUV3_PERFCTR_INST_RETIRED
#define CYCLES		ARMV8_PMUV3_PERFCTR_CPU_CYCLES

/* Filters of events that count one mode. */
#define USER		((u64)ARMV8_PMU_EXCLUDE_EL1)
#define KERNEL		((u64)ARMV8_PMU_EXCLUDE_EL0)

#define NR_COUNTERS	6
#define ALL_COUNTERS	(GENMASK_ULL(NR_COUNTERS - 1, 0) | BIT_ULL(ARMV8_PMU_CYCLE_IDX))

/* ID_AA64DFR0_EL1.PMUVer */
#define PMUVER_V3	1
#define PMUVER_V3P5	6

#define CARRY		BIT_ULL(32)

static struct perf_event *new_event(struct kunit *test, u64 config_base, unsigned long flags,
				    u64 period)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct arm_pmu *pmu = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->pmu = &pmu->pmu;
	event->attr.sample_period = period;
	event->hw.idx = -1;
	event->hw.flags = flags;
	event->hw.config_base = config_base;
	/* as the framework chooses it for events that do not sample */
	event->hw.sample_period = period ?: (flags & ARMPMU_EVT_64BIT ? S64_MAX : S32_MAX);
	event->hw.last_period = event->hw.sample_period;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	return event;
}

static struct perf_event *narrow_event(struct kunit *test, u64 config_base)
{
	return new_event(test, config_base, 0, 0);
}

static struct perf_event *long_event(struct kunit *test, u64 config_base)
{
	return new_event(test, config_base, ARMPMU_EVT_64BIT, 0);
}

/* The thread stays on its CPU. */
static struct pmu_hw_events *this_cpus(struct kunit *test)
{
	struct arm_pmu *pmu = test->priv;

	return per_cpu_ptr(pmu->hw_events, raw_smp_processor_id());
}

static u64 used(struct kunit *test)
{
	return this_cpus(test)->used_mask[0];
}

static void reset(struct arm_pmu *pmu)
{
	guard(irqsave)();
	copy_reset(pmu);
}

static irqreturn_t interrupt(struct arm_pmu *pmu)
{
	guard(irqsave)();
	return copy_handle_irq(pmu);
}

/* Return: the number of the counter, or an error. */
static int add(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int err;

	guard(irqsave)();
	pmu->pmu_disable(pmu);
	err = pmu->add(event, PERF_EF_START);
	pmu->pmu_enable(pmu);
	return err ?: event->hw.idx;
}

static void del(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	guard(irqsave)();
	pmu->pmu_disable(pmu);
	pmu->del(event, PERF_EF_UPDATE);
	pmu->pmu_enable(pmu);
}

static int add_batch(struct perf_event **events, unsigned int nr)
{
	struct pmu *pmu = events[0]->pmu;
	int err;

	guard(irqsave)();
	pmu->pmu_disable(pmu);
	err = pmu->add_batch(pmu, events, nr);
	pmu->pmu_enable(pmu);
	return err;
}

static void del_batch(struct perf_event **events, unsigned int nr)
{
	struct pmu *pmu = events[0]->pmu;

	guard(irqsave)();
	pmu->pmu_disable(pmu);
	pmu->del_batch(pmu, events, nr);
	pmu->pmu_enable(pmu);
}

static u64 count_of(struct perf_event *event)
{
	guard(irqsave)();
	event->pmu->read(event);
	return local64_read(&event->count);
}

/* Raise the interrupt if it is pending. Return: the number of samples since the last call. */
static unsigned int samples(struct kunit *test)
{
	unsigned int nr;

	if (emu.overflowed & emu.interrupting)
		KUNIT_EXPECT_EQ(test, IRQ_HANDLED, interrupt(test->priv));
	nr = emu.nr_samples;
	emu.nr_samples = 0;
	return nr;
}

static void one_instruction(void)
{
	emu_occur(INSTRUCTIONS, 1, 0);
}

static void pair_counts_across_the_carry(struct kunit *test)
{
	struct perf_event *event = long_event(test, INSTRUCTIONS | USER);

	KUNIT_ASSERT_EQ(test, 1, add(event));
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(1, 0), used(test));
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(1, 0), emu.counting);
	KUNIT_EXPECT_EQ(test, BIT_ULL(1), emu.interrupting);
	emu_occur(INSTRUCTIONS, 10, 0);
	KUNIT_EXPECT_EQ(test, 10, count_of(event));
	emu_occur(INSTRUCTIONS, 3 * CARRY, 0);
	emu_occur(INSTRUCTIONS, 1000, 1);
	KUNIT_EXPECT_EQ(test, 3 * CARRY + 10, count_of(event));

	del(event);
	emu_occur(INSTRUCTIONS, 1, 0);
	KUNIT_EXPECT_EQ(test, 3 * CARRY + 10, local64_read(&event->count));
	KUNIT_EXPECT_EQ(test, 0, used(test));
	KUNIT_EXPECT_EQ(test, 0, emu.counting | emu.interrupting | emu.overflowed);
}

static void pair_ends_a_period_with_both_halves(struct kunit *test)
{
	const u64 period = 5 * CARRY + 7;
	struct perf_event *event = new_event(test, INSTRUCTIONS, ARMPMU_EVT_64BIT, period);

	KUNIT_ASSERT_EQ(test, 1, add(event));
	for (int i = 0; i < 3; i++) {
		emu_occur(INSTRUCTIONS, period - 1, 0);
		KUNIT_EXPECT_EQ(test, 0, samples(test));
		one_instruction();
		KUNIT_EXPECT_EQ(test, 1, samples(test));
		KUNIT_EXPECT_EQ(test, (i + 1) * period, count_of(event));
	}
	del(event);
}

/* The carry of the last event in user mode may be counted in the kernel, after an exception. */
static void carry_counts_in_each_level(struct kunit *test)
{
	static const u64 filters[] = { 0, USER, KERNEL, USER | KERNEL | ARMV8_PMU_INCLUDE_EL2 };

	for (int i = 0; i < ARRAY_SIZE(filters); i++) {
		struct perf_event *event = long_event(test, INSTRUCTIONS | filters[i]);
		int level = filters[i] & KERNEL ? filters[i] & USER ? 2 : 1 : 0;

		KUNIT_ASSERT_EQ(test, 1, add(event));
		for (emu.carry_level = 0; emu.carry_level <= 2; emu.carry_level++)
			emu_occur(INSTRUCTIONS, CARRY, level);
		KUNIT_EXPECT_EQ_MSG(test, 3 * CARRY, count_of(event), "filter %llx", filters[i]);
		del(event);
	}
}

/* Let the lower half of a pair reach its largest value. Return: the value of the pair. */
static u64 advance_to_carry(struct kunit *test, struct perf_event *event)
{
	u64 value = copy_read_counter(event);

	emu_occur(INSTRUCTIONS, U32_MAX - lower_32_bits(value), 0);
	emu_isb();
	value = copy_read_counter(event);
	KUNIT_EXPECT_EQ(test, U32_MAX, lower_32_bits(value));
	return value;
}

/* The lower half may be read before the upper one. */
static void pair_is_read_in_order(struct kunit *test)
{
	struct perf_event *event = long_event(test, INSTRUCTIONS);
	u64 start;

	KUNIT_ASSERT_EQ(test, 1, add(event));
	start = advance_to_carry(test, event);
	emu.early_reads = BIT_ULL(0);
	one_instruction();
	KUNIT_EXPECT_EQ(test, start + 1, copy_read_counter(event));
	del(event);
}

/* The upper half may be read a second time before the lower one, which wraps in between. */
static void pair_is_read_again_in_order(struct kunit *test)
{
	struct perf_event *event = long_event(test, INSTRUCTIONS);
	u64 start;

	KUNIT_ASSERT_EQ(test, 1, add(event));
	start = advance_to_carry(test, event);
	emu.early_reads = BIT_ULL(1);
	emu.before_isb = one_instruction;
	KUNIT_EXPECT_EQ(test, start + 1, copy_read_counter(event));
	KUNIT_EXPECT_NULL(test, emu.before_isb);
	del(event);
}

/* A counter of 64 bits interrupts at 32 bits if its event has no more. */
static void narrow_event_on_a_long_counter(struct kunit *test)
{
	struct arm_pmu *pmu = test->priv;
	struct perf_event *event = new_event(test, CACHE_READ, 0, 1000);
	struct perf_event *wide;

	pmu->pmuver = PMUVER_V3P5;
	reset(pmu);
	KUNIT_ASSERT_EQ(test, 0, add(event));
	emu_occur(CACHE_READ, 999, 0);
	KUNIT_EXPECT_EQ(test, 0, samples(test));
	emu_occur(CACHE_READ, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, samples(test));
	KUNIT_EXPECT_EQ(test, 1000, count_of(event));

	wide = new_event(test, CACHE_READ, ARMPMU_EVT_64BIT, 2 * CARRY);
	KUNIT_ASSERT_EQ(test, 1, add(wide));
	del(event);
	emu_occur(CACHE_READ, 2 * CARRY - 1, 0);
	KUNIT_EXPECT_EQ(test, 0, samples(test));
	emu_occur(CACHE_READ, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, samples(test));
	KUNIT_EXPECT_EQ(test, 2 * CARRY, count_of(wide));
	del(wide);
}

/* Cycles have 64 bits then, so that the count is right after 32 of them have wrapped. */
static void count_without_an_interrupt(struct kunit *test)
{
	struct perf_event *event = narrow_event(test, 0);
	struct arm_pmu *pmu = test->priv;

	pmu->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = CYCLES;
	event->hw.config_base = pmuv3_map_event(event, NULL, 0);
	KUNIT_ASSERT_EQ(test, ARMV8_PMU_CYCLE_IDX, add(event));
	emu_occur(CYCLES, 5 * CARRY, 0);
	KUNIT_EXPECT_EQ(test, 5 * CARRY, count_of(event));
	del(event);
}

static void batch_of_each_kind_of_counter(struct kunit *test)
{
	struct perf_event *events[] = {
		narrow_event(test, CYCLES), narrow_event(test, CACHE_READ),
		long_event(test, INSTRUCTIONS), narrow_event(test, INSTRUCTIONS),
	};
	static const int first[] = { ARMV8_PMU_CYCLE_IDX, 0, 3, 1 };
	const unsigned int nr = ARRAY_SIZE(events);
	const u64 upper = BIT_ULL(3), lower = BIT_ULL(2);
	const u64 singles = BIT_ULL(ARMV8_PMU_CYCLE_IDX) | BIT_ULL(0) | BIT_ULL(1);

	for (int round = 1; round <= 3; round++) {
		emu.nr_enables = 0;
		KUNIT_ASSERT_EQ(test, 0, add_batch(events, nr));
		KUNIT_EXPECT_EQ(test, 1, emu.nr_enables);
		KUNIT_EXPECT_EQ(test, singles | upper | lower, used(test));
		KUNIT_EXPECT_EQ(test, singles | upper | lower, emu.counting);
		KUNIT_EXPECT_EQ(test, singles | upper, emu.interrupting);
		for (int i = 0; i < nr; i++) {
			KUNIT_EXPECT_EQ(test, first[i], events[i]->hw.idx);
			KUNIT_EXPECT_PTR_EQ(test, events[i], this_cpus(test)->events[first[i]]);
		}

		emu_occur(CYCLES, 5, 0);
		emu_occur(CACHE_READ, 6, 1);
		emu_occur(INSTRUCTIONS, CARRY, 0);
		samples(test);
		del_batch(events, nr);
		KUNIT_EXPECT_EQ(test, 0, used(test));
		KUNIT_EXPECT_EQ(test, 0, emu.counting | emu.interrupting | emu.overflowed);
		KUNIT_EXPECT_NULL(test, this_cpus(test)->events[3]);
		KUNIT_EXPECT_EQ(test, -1, events[2]->hw.idx);
		KUNIT_EXPECT_EQ(test, 5 * round, local64_read(&events[0]->count));
		KUNIT_EXPECT_EQ(test, 6 * round, local64_read(&events[1]->count));
		KUNIT_EXPECT_EQ(test, CARRY * round, local64_read(&events[2]->count));
		/* the interrupt came after 2^32 of them */
		KUNIT_EXPECT_EQ(test, 0, local64_read(&events[3]->count));
	}
}

static void batch_is_added_whole_or_not(struct kunit *test)
{
	struct perf_event *pairs[4], *event = narrow_event(test, CACHE_READ);

	for (int i = 0; i < ARRAY_SIZE(pairs); i++)
		pairs[i] = long_event(test, INSTRUCTIONS);
	KUNIT_ASSERT_EQ(test, 0, add(event));
	emu.nr_enables = 0;
	KUNIT_EXPECT_EQ(test, -EAGAIN, add_batch(pairs, 4));
	KUNIT_EXPECT_EQ(test, -EAGAIN, add_batch(pairs, 3));
	KUNIT_EXPECT_EQ(test, 0, emu.nr_enables);
	KUNIT_EXPECT_EQ(test, BIT_ULL(0), used(test));
	for (int i = 0; i < ARRAY_SIZE(pairs); i++)
		KUNIT_EXPECT_EQ(test, -1, pairs[i]->hw.idx);
	KUNIT_EXPECT_EQ(test, 0, add_batch(pairs, 2));
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(5, 2) | BIT_ULL(0), used(test));
	del_batch(pairs, 2);
	del(event);
}

/* An event has the same counter each time, unless its fixed counter has become free. */
static void batch_keeps_its_counters(struct kunit *test)
{
	struct perf_event *events[] = {
		narrow_event(test, CACHE_READ), narrow_event(test, INSTRUCTIONS),
	};
	struct perf_event *cycles = narrow_event(test, CYCLES);
	struct perf_event *more_cycles = narrow_event(test, CYCLES);

	KUNIT_ASSERT_EQ(test, 0, add_batch(events, 2));
	del_batch(events, 2);
	/* The counter of cycles is free, and is none of instructions. */
	KUNIT_ASSERT_EQ(test, 0, add_batch(&events[1], 1));
	KUNIT_EXPECT_EQ(test, 1, events[1]->hw.idx);

	KUNIT_ASSERT_EQ(test, ARMV8_PMU_CYCLE_IDX, add(cycles));
	KUNIT_ASSERT_EQ(test, 0, add_batch(&more_cycles, 1));
	KUNIT_EXPECT_EQ(test, 0, more_cycles->hw.idx);
	del_batch(&more_cycles, 1);
	del(cycles);
	KUNIT_ASSERT_EQ(test, 0, add_batch(&more_cycles, 1));
	KUNIT_EXPECT_EQ(test, ARMV8_PMU_CYCLE_IDX, more_cycles->hw.idx);
	del_batch(&more_cycles, 1);
	del_batch(&events[1], 1);
}

static void interrupt_takes_all_overflows(struct kunit *test)
{
	struct perf_event *first = new_event(test, CACHE_READ, 0, 100);
	struct perf_event *second = new_event(test, CACHE_READ, 0, 50);
	struct perf_event *cycles = new_event(test, CYCLES, 0, 100);

	KUNIT_ASSERT_EQ(test, 0, add(first));
	KUNIT_ASSERT_EQ(test, 1, add(second));
	KUNIT_ASSERT_EQ(test, ARMV8_PMU_CYCLE_IDX, add(cycles));
	KUNIT_EXPECT_EQ(test, IRQ_NONE, interrupt(test->priv));
	emu_occur(CACHE_READ, 100, 0);
	emu_occur(CYCLES, 99, 0);
	KUNIT_EXPECT_EQ(test, 2, samples(test));
	KUNIT_EXPECT_EQ(test, 0, emu.overflowed);
	KUNIT_EXPECT_TRUE(test, emu.control & ARMV8_PMU_PMCR_E);
	emu_occur(CACHE_READ, 49, 0);
	KUNIT_EXPECT_EQ(test, 0, samples(test));
	emu_occur(CACHE_READ, 1, 0);
	emu_occur(CYCLES, 1, 0);
	KUNIT_EXPECT_EQ(test, 2, samples(test));
	KUNIT_EXPECT_EQ(test, 150, count_of(second));

	/* An NMI in a section where the PMU is off leaves it off. */
	scoped_guard(irqsave)
		first->pmu->pmu_disable(first->pmu);
	emu.overflowed = BIT_ULL(1);
	samples(test);
	KUNIT_EXPECT_FALSE(test, emu.control & ARMV8_PMU_PMCR_E);
	del(cycles);
	del(second);
	del(first);
}

/* KVM requests a period of 2^64 less the value of a guest's counter. */
static void period_of_64_bits_does_not_end(struct kunit *test)
{
	struct perf_event *event = new_event(test, CYCLES, ARMPMU_EVT_64BIT, -16);

	KUNIT_ASSERT_EQ(test, ARMV8_PMU_CYCLE_IDX, add(event));
	for (int i = 0; i < 2; i++) {
		emu_occur(CYCLES, 3 * CARRY, 0);
		KUNIT_EXPECT_EQ(test, 0, samples(test));
		del(event);
		KUNIT_ASSERT_EQ(test, 0, add_batch(&event, 1));
		emu_occur(CYCLES, 100, 0);
		KUNIT_EXPECT_EQ(test, 0, samples(test));
		del_batch(&event, 1);
		KUNIT_ASSERT_EQ(test, ARMV8_PMU_CYCLE_IDX, add(event));
	}
	KUNIT_EXPECT_EQ(test, 6 * CARRY + 200, count_of(event));
	del(event);
}

static void throttled_event_is_off(struct kunit *test)
{
	struct perf_event *event = new_event(test, INSTRUCTIONS, ARMPMU_EVT_64BIT, 2 * CARRY);

	KUNIT_ASSERT_EQ(test, 1, add(event));
	emu.throttles = true;
	emu_occur(INSTRUCTIONS, 2 * CARRY, 0);
	KUNIT_EXPECT_EQ(test, 1, samples(test));
	KUNIT_EXPECT_EQ(test, 0, emu.counting | emu.interrupting | emu.overflowed);
	emu_occur(INSTRUCTIONS, 2 * CARRY, 0);
	KUNIT_EXPECT_EQ(test, 0, samples(test));
	del(event);
	KUNIT_EXPECT_EQ(test, 2 * CARRY, local64_read(&event->count));
}

/* While the task can read all counters, those that are not in use are zero. */
static void released_counters_are_cleared(struct kunit *test)
{
	struct perf_event *events[] = {
		narrow_event(test, CYCLES), long_event(test, INSTRUCTIONS),
	};

	emu.user_may_read = true;
	for (int batch = 0; batch <= 1; batch++) {
		KUNIT_ASSERT_EQ(test, 0, add_batch(events, 2));
		KUNIT_EXPECT_NE(test, 0, emu.counter[1]);
		if (batch) {
			del_batch(events, 2);
		} else {
			del(events[0]);
			del(events[1]);
		}
		KUNIT_EXPECT_EQ(test, 0, emu.counter[0]);
		KUNIT_EXPECT_EQ(test, 0, emu.counter[1]);
		KUNIT_EXPECT_EQ(test, 0, emu.counter[ARMV8_PMU_CYCLE_IDX]);
	}
}

#ifdef CONFIG_KVM
/* A vCPU is loaded and put: the filter of EL0 separates user mode of host and guest. */
static void guest_is_counted_while_it_is_loaded(struct kunit *test)
{
	struct perf_event *host = long_event(test, INSTRUCTIONS | USER);
	struct perf_event *guest = narrow_event(test, INSTRUCTIONS | USER | KERNEL);

	emu.vhe = true;
	host->attr.exclude_guest = 1;
	guest->attr.exclude_host = 1;
	KUNIT_ASSERT_EQ(test, 1, add(host));
	KUNIT_ASSERT_EQ(test, 2, add(guest));
	emu_occur(INSTRUCTIONS, CARRY + 3, 0);
	copy_kvm_vcpu_pmu_restore_guest(NULL);
	emu_occur(INSTRUCTIONS, 50, 0);
	KUNIT_EXPECT_EQ(test, CARRY + 3, count_of(host));
	KUNIT_EXPECT_EQ(test, 50, count_of(guest));
	copy_kvm_vcpu_pmu_restore_host(NULL);
	emu_occur(INSTRUCTIONS, CARRY + 4, 0);
	KUNIT_EXPECT_EQ(test, 2 * CARRY + 7, count_of(host));
	KUNIT_EXPECT_EQ(test, 50, count_of(guest));
	KUNIT_EXPECT_EQ(test, 0, emu.nr_torn);
	del(host);
	del(guest);
}

static void kvm_keeps_thresholds(struct kunit *test)
{
	const u64 threshold = FIELD_PREP(ARMV8_PMU_EVTYPE_TH, 0xabc) |
			      FIELD_PREP(ARMV8_PMU_EVTYPE_TC, 5);
	struct perf_event *event = narrow_event(test, CYCLES | threshold);

	emu.vhe = true;
	event->attr.exclude_guest = 1;
	KUNIT_ASSERT_EQ(test, 0, add(event));
	KUNIT_EXPECT_EQ(test, CYCLES | threshold, emu.type[0]);
	copy_kvm_vcpu_pmu_restore_guest(NULL);
	KUNIT_EXPECT_EQ(test, CYCLES | threshold | KERNEL, emu.type[0]);
	copy_kvm_vcpu_pmu_restore_host(NULL);
	KUNIT_EXPECT_EQ(test, CYCLES | threshold, emu.type[0]);
	del(event);
}
#endif

/* Any values; a counter that firmware has left enabled. */
static void fill_registers(void)
{
	for (int idx = 0; idx < ARMPMU_MAX_HWEVENTS; idx++) {
		emu.counter[idx] = 1000 + idx;
		emu.type[idx] = 0x40 + idx;
	}
	emu.counting = BIT_ULL(1);
	emu.interrupting = BIT_ULL(1);
	emu.overflowed = BIT_ULL(2);
	emu.control = ARMV8_PMU_PMCR_D | ARMV8_PMU_PMCR_LC;
}

/* Returns the counters that are left. */
static u64 leave_out(struct kunit *test, int *err)
{
	struct arm_pmu *pmu = test->priv;
	u64 left;

	scoped_guard(irqsave)
		*err = copy_leave_out_stuck(pmu, "test");
	left = pmu->cntr_mask[0];
	pmu->cntr_mask[0] = ALL_COUNTERS;
	return left;
}

static void trial_leaves_registers_as_they_are(struct kunit *test)
{
	struct arm_pmu *pmu = test->priv;
	int err;

	__set_bit(CYCLES, pmu->pmceid_bitmap);
	for (int vhe = 0; vhe < 2; vhe++) {
		struct registers_emu before;

		fill_registers();
		emu.vhe = vhe;
		before = emu;
		KUNIT_EXPECT_EQ(test, ALL_COUNTERS, leave_out(test, &err));
		KUNIT_EXPECT_EQ(test, 0, err);
		KUNIT_EXPECT_MEMEQ(test, before.counter, emu.counter, sizeof(emu.counter));
		KUNIT_EXPECT_MEMEQ(test, before.type, emu.type, sizeof(emu.type));
		KUNIT_EXPECT_EQ(test, before.counting, emu.counting);
		KUNIT_EXPECT_EQ(test, before.interrupting, emu.interrupting);
		KUNIT_EXPECT_EQ(test, before.overflowed, emu.overflowed);
		KUNIT_EXPECT_EQ(test, before.control, emu.control);
	}
}

static void stuck_counters_are_left_out(struct kunit *test)
{
	const u64 cycles = BIT_ULL(ARMV8_PMU_CYCLE_IDX);
	struct arm_pmu *pmu = test->priv;
	int err;

	/* A counter that nothing is sure to move on is believed, if it keeps its value. */
	emu.still = BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, ALL_COUNTERS, leave_out(test, &err));
	/* Either event will do. */
	__set_bit(INSTRUCTIONS, pmu->pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, ALL_COUNTERS & ~BIT_ULL(0), leave_out(test, &err));
	__clear_bit(INSTRUCTIONS, pmu->pmceid_bitmap);
	__set_bit(CYCLES, pmu->pmceid_bitmap);
	KUNIT_EXPECT_EQ(test, ALL_COUNTERS & ~BIT_ULL(0), leave_out(test, &err));
	emu.still = cycles;
	emu.forgets = BIT_ULL(2);
	emu.off = BIT_ULL(4);
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(5, 0) & ~(BIT_ULL(2) | BIT_ULL(4)),
			leave_out(test, &err));
	KUNIT_EXPECT_EQ(test, 0, err);
	emu.still = 0;
	emu.forgets = cycles;
	emu.off = 0;
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(5, 0), leave_out(test, &err));
	emu.forgets = 0;
	emu.off = cycles;
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(5, 0), leave_out(test, &err));
}

static void no_counter_may_be_left(struct kunit *test)
{
	struct arm_pmu *pmu = test->priv;
	int err;

	__set_bit(CYCLES, pmu->pmceid_bitmap);
	emu.still = ~0ULL;
	KUNIT_EXPECT_EQ(test, 0, leave_out(test, &err));
	KUNIT_EXPECT_EQ(test, -ENODEV, err);
}

/* Pairs, and the interrupt, do without the counters that are left out. */
static void pairs_need_both_counters(struct kunit *test)
{
	struct arm_pmu *pmu = test->priv;
	struct perf_event *event = long_event(test, INSTRUCTIONS), *other;

	pmu->cntr_mask[0] &= ~(BIT_ULL(0) | BIT_ULL(3));
	other = long_event(test, INSTRUCTIONS);
	KUNIT_ASSERT_EQ(test, 5, add(event));
	KUNIT_EXPECT_EQ(test, BIT_ULL(4) | BIT_ULL(5), used(test));
	KUNIT_EXPECT_EQ(test, -EAGAIN, add(other));
	emu_occur(INSTRUCTIONS, CARRY + 10, 0);
	KUNIT_EXPECT_EQ(test, CARRY + 10, count_of(event));
	del(event);
}

static int registers_init(struct kunit *test)
{
	struct arm_pmu *pmu = armpmu_alloc();

	if (!pmu)
		return -ENOMEM;
	test_bind_here(test);
	pmu->pmuver		= PMUVER_V3;
	pmu->cntr_mask[0]	= ALL_COUNTERS;
	pmu->get_event_idx	= copy_get_event_idx;
	pmu->clear_event_idx	= copy_clear_event_idx;
	pmu->read_counter	= copy_read_counter;
	pmu->write_counter	= copy_write_counter;
	pmu->enable		= copy_enable_event;
	pmu->disable		= copy_disable_event;
	pmu->start		= copy_start;
	pmu->stop		= copy_stop;
	pmu->pmu.read		= copy_read;
	pmu->pmu.add_batch	= copy_add_batch;
	pmu->pmu.del_batch	= copy_del_batch;
	cpumask_setall(&pmu->supported_cpus);
	__set_bit(ARMV8_PMUV3_PERFCTR_CHAIN, pmu->pmceid_bitmap);
	test->priv = pmu;
	emu = (struct registers_emu) { .carry_level = -1 };
	reset(pmu);
	return 0;
}

static void registers_exit(struct kunit *test)
{
	if (test->priv)
		armpmu_free(test->priv);
}

static struct kunit_case registers_cases[] = {
	KUNIT_CASE(pair_counts_across_the_carry),
	KUNIT_CASE(pair_ends_a_period_with_both_halves),
	KUNIT_CASE(carry_counts_in_each_level),
	KUNIT_CASE(pair_is_read_in_order),
	KUNIT_CASE(pair_is_read_again_in_order),
	KUNIT_CASE(narrow_event_on_a_long_counter),
	KUNIT_CASE(count_without_an_interrupt),
	KUNIT_CASE(batch_of_each_kind_of_counter),
	KUNIT_CASE(batch_is_added_whole_or_not),
	KUNIT_CASE(batch_keeps_its_counters),
	KUNIT_CASE(interrupt_takes_all_overflows),
	KUNIT_CASE(period_of_64_bits_does_not_end),
	KUNIT_CASE(throttled_event_is_off),
	KUNIT_CASE(released_counters_are_cleared),
	KUNIT_CASE(trial_leaves_registers_as_they_are),
	KUNIT_CASE(stuck_counters_are_left_out),
	KUNIT_CASE(no_counter_may_be_left),
	KUNIT_CASE(pairs_need_both_counters),
#ifdef CONFIG_KVM
	KUNIT_CASE(guest_is_counted_while_it_is_loaded),
	KUNIT_CASE(kvm_keeps_thresholds),
#endif
	{ }
};

static struct kunit_suite registers_suite = {
	.name		= "perf_arm64_registers",
	.init		= registers_init,
	.exit		= registers_exit,
	.test_cases	= registers_cases,
};

kunit_test_suite(registers_suite);
