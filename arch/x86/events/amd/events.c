// SPDX-License-Identifier: GPL-2.0
/*
 * Encodings of the generic events on AMD's generations of cores.
 *
 * Data only. Sources: the BIOS and Kernel Developer's Guides (families 0Fh to 16h),
 * the Processor Programming References (17h and later), section "Core Performance
 * Monitor Counters"; for the latter tools/perf/pmu-events/arch/x86/amdzen* has the
 * same events under the names in the comments here.
 *
 * A generic event without an exact equivalent is left out.
 */
#include <linux/array_size.h>
#include "events.h"

/* Events that are the same since family 6. */
const struct x86_event_code amd_common_codes[] = {
	{ X86_HW(CPU_CYCLES),			0x0076 },	/* ls_not_halted_cyc */
	{ X86_HW(INSTRUCTIONS),			0x00c0 },	/* ex_ret_instr */
	{ X86_HW(BRANCH_INSTRUCTIONS),		0x00c2 },	/* ex_ret_brn */
	{ X86_HW(BRANCH_MISSES),		0x00c3 },	/* ex_ret_brn_misp */
	{ X86_CACHE(BPU, READ, ACCESS),		0x00c2 },
	{ X86_CACHE(BPU, READ, MISS),		0x00c3 },
	X86_CODES_END
};

/* Families 6, 0Fh to 16h; names as in the guides. */
static const struct x86_event_code k7_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0x077d },	/* L2 requests */
	{ X86_HW(CACHE_MISSES),			0x077e },	/* L2 misses */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x00d0 },	/* decoder empty */
	{ X86_HW(STALLED_CYCLES_BACKEND),	0x00d1 },	/* dispatch stalls */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0040 },	/* data cache accesses */
	{ X86_CACHE(L1D, READ, MISS),		0x0041 },	/* data cache misses */
	{ X86_CACHE(L1I, READ, ACCESS),		0x0080 },	/* instruction fetches */
	{ X86_CACHE(L1I, READ, MISS),		0x0081 },	/* instruction cache misses */
	{ X86_CACHE(LL, READ, ACCESS),		0x037d },	/* L2 requests, no walks */
	{ X86_CACHE(LL, READ, MISS),		0x037e },	/* L2 misses, no walks */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0040 },	/* data cache accesses */
	{ X86_CACHE(DTLB, READ, MISS),		0x0746 },	/* L1 and L2 DTLB miss */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0080 },	/* instruction fetches */
	{ X86_CACHE(ITLB, READ, MISS),		0x0385 },	/* L1 and L2 ITLB miss */
	X86_CODES_END
};

/* Family 17h models 00h-2Fh and Hygon 18h (Zen). */
static const struct x86_event_code zen1_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0xf960 },	/* l2_request_g1.all_no_prefetch */
	{ X86_HW(CACHE_MISSES),			0x0964 },	/* ...ic_dc_miss_in_l2 */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x0287 },	/* ...ic_stall_dq_empty */
	{ X86_HW(STALLED_CYCLES_BACKEND),	0x0187 },	/* ...ic_stall_back_pressure */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0729 },	/* all_dc_accesses */
	{ X86_CACHE(L1D, READ, MISS),		0xe860 },	/* l2_request_g1, data */
	{ X86_CACHE(L1I, READ, MISS),		0x1060 },	/* ...cacheable_ic_read */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0729 },	/* all_dc_accesses */
	{ X86_CACHE(DTLB, READ, MISS),		0xf045 },	/* l2_dtlb_misses */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0084 },	/* bp_l1_tlb_miss_l2_hit */
	{ X86_CACHE(ITLB, READ, MISS),		0x0785 },	/* l2_itlb_misses */
	X86_CODES_END
};

/* Family 17h models 30h and later (Zen 2). */
static const struct x86_event_code zen2_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0xf960 },	/* l2_request_g1.all_no_prefetch */
	{ X86_HW(CACHE_MISSES),			0x0964 },	/* ...ic_dc_miss_in_l2 */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x00a9 },	/* de_dis_uop_queue_empty_di0 */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0729 },	/* all_dc_accesses */
	{ X86_CACHE(L1D, READ, MISS),		0xe860 },	/* l2_request_g1, data */
	{ X86_CACHE(L1I, READ, MISS),		0x1060 },	/* ...cacheable_ic_read */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0729 },	/* all_dc_accesses */
	{ X86_CACHE(DTLB, READ, MISS),		0xf045 },	/* l2_dtlb_misses */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0084 },	/* bp_l1_tlb_miss_l2_hit */
	{ X86_CACHE(ITLB, READ, MISS),		0x0785 },	/* l2_itlb_misses */
	X86_CODES_END
};

/* Family 19h models 00h-0Fh, 20h-5Fh (Zen 3). */
static const struct x86_event_code zen3_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0xf960 },	/* l2_request_g1.all_no_prefetch */
	{ X86_HW(CACHE_MISSES),			0x0964 },	/* ...ic_dc_miss_in_l2 */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x00a9 },	/* de_dis_uop_queue_empty_di0 */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0729 },	/* all_data_cache_accesses */
	{ X86_CACHE(L1D, READ, MISS),		0xff44 },	/* l1_data_cache_fills_all */
	{ X86_CACHE(L1I, READ, ACCESS),		0x100001f8e },	/* ic_tag_hit_miss.all_... */
	{ X86_CACHE(L1I, READ, MISS),		0x10000188e },	/* ic_tag_hit_miss...miss */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0729 },	/* all_data_cache_accesses */
	{ X86_CACHE(DTLB, READ, MISS),		0xf045 },	/* l2_dtlb_misses */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0084 },	/* bp_l1_tlb_miss_l2_tlb_hit */
	{ X86_CACHE(ITLB, READ, MISS),		0x0785 },	/* l2_itlb_misses */
	X86_CODES_END
};

/* Family 19h models 10h-1Fh, 60h and later (Zen 4). */
static const struct x86_event_code zen4_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0xf960 },	/* l2_request_g1.all_no_prefetch */
	{ X86_HW(CACHE_MISSES),			0x0964 },	/* ...ic_dc_miss_in_l2 */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x00a9 },	/* de_op_queue_empty */
	{ X86_HW(REF_CPU_CYCLES),		0x100000120 },	/* ...p0_freq_cyc */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0729 },	/* all_data_cache_accesses */
	{ X86_CACHE(L1D, READ, MISS),		0xff44 },	/* ls_any_fills_from_sys.all */
	{ X86_CACHE(L1D, PREFETCH, MISS),	0xdf5a },	/* ls_hw_pf_dc_fills.all */
	{ X86_CACHE(L1I, READ, ACCESS),		0x100001f8e },	/* ic_tag_hit_miss.all_... */
	{ X86_CACHE(L1I, READ, MISS),		0x10000188e },	/* ic_tag_hit_miss...miss */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0729 },	/* all_data_cache_accesses */
	{ X86_CACHE(DTLB, READ, MISS),		0xf045 },	/* ls_l1_d_tlb_miss.all_l2_miss */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0084 },	/* bp_l1_tlb_miss_l2_tlb_hit */
	{ X86_CACHE(ITLB, READ, MISS),		0x0f85 },	/* bp_l1_tlb_miss_l2_tlb_miss.all */
	X86_CODES_END
};

/* Family 1Ah (Zen 5): one kind of L2 request is gone. */
static const struct x86_event_code zen5_codes[] = {
	{ X86_HW(CACHE_REFERENCES),		0xf160 },	/* l2_request_g1.all_no_prefetch */
	{ X86_HW(CACHE_MISSES),			0x0964 },	/* ...ic_dc_miss_in_l2 */
	{ X86_HW(STALLED_CYCLES_FRONTEND),	0x00a9 },	/* de_op_queue_empty */
	{ X86_HW(REF_CPU_CYCLES),		0x100000120 },	/* ...p0_freq_cyc */
	{ X86_CACHE(L1D, READ, ACCESS),		0x0729 },	/* ls_dispatch.all */
	{ X86_CACHE(L1D, READ, MISS),		0xff44 },	/* ls_any_fills_from_sys.all */
	{ X86_CACHE(L1D, PREFETCH, MISS),	0xdf5a },	/* ls_hw_pf_dc_fills.all */
	{ X86_CACHE(L1I, READ, ACCESS),		0x100001f8e },	/* ic_tag_hit_miss.all_... */
	{ X86_CACHE(L1I, READ, MISS),		0x10000188e },	/* ic_tag_hit_miss...miss */
	{ X86_CACHE(DTLB, READ, ACCESS),	0x0729 },	/* ls_dispatch.all */
	{ X86_CACHE(DTLB, READ, MISS),		0xf045 },	/* ls_l1_d_tlb_miss.all_l2_miss */
	{ X86_CACHE(ITLB, READ, ACCESS),	0x0084 },	/* bp_l1_tlb_miss_l2_tlb_hit */
	{ X86_CACHE(ITLB, READ, MISS),		0x0f85 },	/* bp_l1_tlb_miss_l2_tlb_miss.all */
	X86_CODES_END
};

/* In ascending order. The last row that is not above the CPU applies. */
static const struct amd_events amd_events[] = {
	{ X86_VENDOR_AMD,   0x06, 0x00, k7_codes },
	{ X86_VENDOR_AMD,   0x17, 0x00, zen1_codes },
	{ X86_VENDOR_AMD,   0x17, 0x30, zen2_codes },
	{ X86_VENDOR_AMD,   0x19, 0x00, zen3_codes },
	{ X86_VENDOR_AMD,   0x19, 0x10, zen4_codes },
	{ X86_VENDOR_AMD,   0x19, 0x20, zen3_codes },
	{ X86_VENDOR_AMD,   0x19, 0x60, zen4_codes },
	{ X86_VENDOR_AMD,   0x1a, 0x00, zen5_codes },
	{ X86_VENDOR_HYGON, 0x18, 0x00, zen1_codes },
};

/**
 * amd_events_of() - get the generic events of a CPU
 * @id: an AMD CPU of family 6 or later, or a Hygon CPU
 *
 * Return: a row; for a CPU newer than all rows, the last one of its vendor.
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
