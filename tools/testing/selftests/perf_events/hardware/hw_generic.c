// SPDX-License-Identifier: GPL-2.0
/*
 * Generic events: all of PERF_TYPE_HARDWARE, and each combination of PERF_TYPE_HW_CACHE.
 * An event either counts, or the PMU has none and it is refused with ENOENT. An emulator of a
 * PMU counts each event at a rate, so no count may be 0 there.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* The count of the event during a load, or a negative errno. */
static long long counted(struct perf_event_attr attr)
{
	int fd = perf_open_self(attr);
	__u64 before, after;

	if (fd < 0)
		return fd;
	before = perf_count(fd);
	spin_and_call(200);
	after = perf_count(fd);
	close(fd);
	return after - before;
}

/* Whether a count can be right. QEMU lists events of stalls, which never occur there. */
static bool plausible(long long count)
{
	return pmu_is_emulated() ? count > 0 : count >= 0;
}

FIXTURE(hw_generic)
{
	int cpu;
	__u64 pmu;	/* for the upper half of config */
};

FIXTURE_SETUP(hw_generic)
{
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	self->cpu = nth_cpu(0);
	/* Small cores may have an event that this CPU does not have. */
	if (pmu_type("cpu_core") >= 0)
		self->pmu = (__u64)pmu_type("cpu_core") << PERF_PMU_TYPE_SHIFT;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(hw_generic)
{
}

FIXTURE_VARIANT(hw_generic)
{
	__u32 type;
	__u64 value;
	int shift;	/* of the byte of config that has this value */
};

#define HARDWARE(_name)		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_##_name, 0 }
#define CACHE(_name, _shift)	{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##_name, _shift }

FIXTURE_VARIANT_ADD(hw_generic, CPU_CYCLES) HARDWARE(CPU_CYCLES);
FIXTURE_VARIANT_ADD(hw_generic, INSTRUCTIONS) HARDWARE(INSTRUCTIONS);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_REFERENCES) HARDWARE(CACHE_REFERENCES);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_MISSES) HARDWARE(CACHE_MISSES);
FIXTURE_VARIANT_ADD(hw_generic, BRANCH_INSTRUCTIONS) HARDWARE(BRANCH_INSTRUCTIONS);
FIXTURE_VARIANT_ADD(hw_generic, BRANCH_MISSES) HARDWARE(BRANCH_MISSES);
FIXTURE_VARIANT_ADD(hw_generic, BUS_CYCLES) HARDWARE(BUS_CYCLES);
FIXTURE_VARIANT_ADD(hw_generic, STALLED_CYCLES_FRONTEND) HARDWARE(STALLED_CYCLES_FRONTEND);
FIXTURE_VARIANT_ADD(hw_generic, STALLED_CYCLES_BACKEND) HARDWARE(STALLED_CYCLES_BACKEND);
FIXTURE_VARIANT_ADD(hw_generic, REF_CPU_CYCLES) HARDWARE(REF_CPU_CYCLES);

FIXTURE_VARIANT_ADD(hw_generic, CACHE_L1D) CACHE(L1D, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_L1I) CACHE(L1I, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_LL) CACHE(LL, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_DTLB) CACHE(DTLB, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_ITLB) CACHE(ITLB, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_BPU) CACHE(BPU, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_NODE) CACHE(NODE, 0);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_OP_READ) CACHE(OP_READ, 8);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_OP_WRITE) CACHE(OP_WRITE, 8);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_OP_PREFETCH) CACHE(OP_PREFETCH, 8);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_RESULT_ACCESS) CACHE(RESULT_ACCESS, 16);
FIXTURE_VARIANT_ADD(hw_generic, CACHE_RESULT_MISS) CACHE(RESULT_MISS, 16);

/* All combinations by their number. */
static __u64 nth_cache(int i)
{
	return i % PERF_COUNT_HW_CACHE_MAX |
	       i / PERF_COUNT_HW_CACHE_MAX % PERF_COUNT_HW_CACHE_OP_MAX << 8 |
	       i / (PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX) << 16;
}

TEST_F(hw_generic, counts)
{
	const int nr = variant->type == PERF_TYPE_HARDWARE ? 1 :
		       PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *
		       PERF_COUNT_HW_CACHE_RESULT_MAX;
	int i, known = 0;

	for (i = 0; i < nr; i++) {
		__u64 config = nr == 1 ? variant->value : nth_cache(i);
		long long count;

		if ((config >> variant->shift & 0xff) != variant->value)
			continue;
		count = counted(PERF_ATTR(variant->type, config | self->pmu));
		known += count != -ENOENT;
		EXPECT_TRUE(count == -ENOENT || plausible(count)) {
			TH_LOG("event %#llx: %lld", config, count);
		}
	}
	if (!known)
		SKIP(return, "the PMU has no such event");
}

TEST_HARNESS_MAIN
