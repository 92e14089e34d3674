// SPDX-License-Identifier: GPL-2.0
/*
 * What AMD's generations of cores call the generic events.
 *
 * Data. Sources: the BIOS and Kernel Developer's Guides (families 0Fh to 16h),
 * the Processor Programming References (17h and later), section "Core Performance
 * Monitor Counters"; for the latter tools/perf/pmu-events/arch/x86/amdzen* has the
 * same events by name, and events_test.c compares.
 *
 * A generic event that a generation has no event for is left out, rather than
 * given something alike.
 */
#include <linux/array_size.h>
#include "events.h"

/* Cells of a cache map. */
#define MAP(_cache, _op, _end, _config)					\
	.cell[PERF_COUNT_HW_CACHE_##_cache][PERF_COUNT_HW_CACHE_OP_##_op]	\
	    [PERF_COUNT_HW_CACHE_RESULT_##_end] = { .config = (_config) }

/* Families 6, 0Fh to 16h. */
static const u64 k7_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0x077d,	/* L2 requests */
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x077e,	/* L2 misses */
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x00d0,	/* decoder empty */
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x00d1,	/* dispatch stalls */
};

static const struct x86_cache_map k7_cache = {
	MAP(L1D, READ, ACCESS, 0x0040),		/* data cache accesses */
	MAP(L1D, READ, MISS, 0x0041),		/* data cache misses */
	MAP(L1I, READ, ACCESS, 0x0080),		/* instruction cache fetches */
	MAP(L1I, READ, MISS, 0x0081),		/* instruction cache misses */
	MAP(LL, READ, ACCESS, 0x037d),		/* L2 requests: IC and DC fills */
	MAP(LL, READ, MISS, 0x037e),		/* L2 misses: IC and DC fills */
	MAP(DTLB, READ, ACCESS, 0x0040),	/* data cache accesses */
	MAP(DTLB, READ, MISS, 0x0746),		/* L1 and L2 DTLB miss */
	MAP(ITLB, READ, ACCESS, 0x0080),	/* instruction cache fetches */
	MAP(ITLB, READ, MISS, 0x0385),		/* L1 and L2 ITLB miss */
	MAP(BPU, READ, ACCESS, 0x00c2),
	MAP(BPU, READ, MISS, 0x00c3),
};

/* Family 17h models 00h-2Fh and Hygon 18h (Zen). */
static const u64 zen1_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,	/* ls_not_halted_cyc */
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,	/* ex_ret_instr */
	/* l2_request_g1.all_no_prefetch */
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xf960,
	/* l2_cache_req_stat.ic_dc_miss_in_l2 */
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,	/* ex_ret_brn */
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,	/* ex_ret_brn_misp */
	/* ic_fetch_stall.ic_stall_dq_empty */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x0287,
	/* ic_fetch_stall.ic_stall_back_pressure */
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x0187,
};

/* Family 17h models 30h and later (Zen 2), 19h models 00h-0Fh, 20h-5Fh (Zen 3). */
static const u64 zen2_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xf960,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	/* de_dis_uop_queue_empty_di0 */
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x00a9,
};

/* Family 19h models 10h-1Fh, 60h and later (Zen 4). */
static const u64 zen4_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xf960,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= 0x100000120, /* ls_not_halted_p0_cyc */
};

/* Family 1Ah (Zen 5): one kind of L2 request is gone. */
static const u64 zen5_generic[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0xf160,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x0964,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_REF_CPU_CYCLES]		= 0x100000120,
};

/* Zen 1 and 2: the data cache's accesses and the L2's view of its misses. */
static const struct x86_cache_map zen1_cache = {
	MAP(L1D, READ, ACCESS, 0x0729),		/* all_dc_accesses */
	MAP(L1D, READ, MISS, 0xc860),		/* l2_request_g1: rd_blk_l, rd_blk_x, change_to_x */
	MAP(L1I, READ, MISS, 0x1060),		/* l2_request_g1.cacheable_ic_read */
	MAP(DTLB, READ, ACCESS, 0x0729),
	MAP(DTLB, READ, MISS, 0xf045),		/* l2_dtlb_misses */
	MAP(ITLB, READ, ACCESS, 0x0084),	/* bp_l1_tlb_miss_l2_hit */
	MAP(ITLB, READ, MISS, 0x0785),		/* l2_itlb_misses */
	MAP(BPU, READ, ACCESS, 0x00c2),
	MAP(BPU, READ, MISS, 0x00c3),
};

/* Zen 3 and later: fills of the data cache, hits and misses of the other one. */
static const struct x86_cache_map zen3_cache = {
	MAP(L1D, READ, ACCESS, 0x0729),		/* all_data_cache_accesses */
	MAP(L1D, READ, MISS, 0xff44),		/* l1_data_cache_fills_all */
	MAP(L1D, PREFETCH, ACCESS, 0xdf5a),	/* ls_hw_pf_dc_fills.all */
	MAP(L1I, READ, ACCESS, 0x100001f8e),	/* ic_tag_hit_miss.all_... */
	MAP(L1I, READ, MISS, 0x10000188e),	/* ic_tag_hit_miss.instruction_cache_miss */
	MAP(DTLB, READ, ACCESS, 0x0729),
	MAP(DTLB, READ, MISS, 0xf045),		/* l2_dtlb_misses */
	MAP(ITLB, READ, ACCESS, 0x0084),	/* bp_l1_tlb_miss_l2_tlb_hit */
	MAP(ITLB, READ, MISS, 0x0f85),		/* bp_l1_tlb_miss_l2_tlb_miss.all */
	MAP(BPU, READ, ACCESS, 0x00c2),
	MAP(BPU, READ, MISS, 0x00c3),
};

/* In ascending order; the last row that does not come after the CPU is its own. */
static const struct amd_events amd_events[] = {
	{ X86_VENDOR_AMD,   0x06, 0x00, k7_generic,   &k7_cache },
	{ X86_VENDOR_AMD,   0x17, 0x00, zen1_generic, &zen1_cache },
	{ X86_VENDOR_AMD,   0x17, 0x30, zen2_generic, &zen1_cache },
	{ X86_VENDOR_AMD,   0x19, 0x00, zen2_generic, &zen3_cache },
	{ X86_VENDOR_AMD,   0x19, 0x10, zen4_generic, &zen3_cache },
	{ X86_VENDOR_AMD,   0x19, 0x20, zen2_generic, &zen3_cache },
	{ X86_VENDOR_AMD,   0x19, 0x60, zen4_generic, &zen3_cache },
	{ X86_VENDOR_AMD,   0x1a, 0x00, zen5_generic, &zen3_cache },
	{ X86_VENDOR_HYGON, 0x18, 0x00, zen1_generic, &zen1_cache },
};

/**
 * amd_events_of() - which generic events a CPU has
 * @id: an AMD CPU of family 6 or later, or a Hygon CPU
 *
 * Return: a row, also for a CPU that is newer than all that are known.
 */
const struct amd_events *amd_events_of(const struct x86_hw_identity *id)
{
	const struct amd_events *found = &amd_events[0], *row;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(amd_events); i++) {
		row = &amd_events[i];
		if (row->vendor == id->vendor &&
		    (row->family < id->family ||
		     (row->family == id->family && row->model <= id->model)))
			found = row;
	}
	return found;
}
