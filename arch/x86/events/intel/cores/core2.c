// SPDX-License-Identifier: GPL-2.0
/*
 * The core of Core 2: Merom, Penryn, Dunnington.
 *
 * Data only.
 *
 * tools/perf/pmu-events has no folder for it. Source: Intel SDM volume 3, tables of events
 * for processors based on Intel Core microarchitecture, with their remarks on counters.
 */
#include "model.h"

/* Events of the second level cache count this core only, without prefetches. */
static const struct x86_event_code core2_codes[] = {
	INTEL_HW(STALLED_CYCLES_BACKEND, 0x1fdc, "SDM: RESOURCE_STALLS.ANY"),
	INTEL_CACHE(L1D, READ, ACCESS, 0x0f40, "SDM: L1D_CACHE_LD.MESI"),
	INTEL_CACHE(L1D, READ, MISS, 0x0140, "SDM: L1D_CACHE_LD.I_STATE"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x0f41, "SDM: L1D_CACHE_ST.MESI"),
	INTEL_CACHE(L1D, WRITE, MISS, 0x0141, "SDM: L1D_CACHE_ST.I_STATE"),
	INTEL_CACHE(L1D, PREFETCH, ACCESS, 0x104e, "SDM: L1D_PREFETCH.REQUESTS"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0080, "SDM: L1I_READS"),
	INTEL_CACHE(L1I, READ, MISS, 0x0081, "SDM: L1I_MISSES"),
	INTEL_CACHE(LL, READ, ACCESS, 0x4f29, "SDM: L2_LD.SELF.DEMAND.MESI"),
	INTEL_CACHE(LL, READ, MISS, 0x4129, "SDM: L2_LD.SELF.DEMAND.I_STATE"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x4f2a, "SDM: L2_ST.SELF.MESI"),
	INTEL_CACHE(LL, WRITE, MISS, 0x412a, "SDM: L2_ST.SELF.I_STATE"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x0f40, "SDM: L1D_CACHE_LD.MESI"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0208, "SDM: DTLB_MISSES.MISS_LD"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x0f41, "SDM: L1D_CACHE_ST.MESI"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0808, "SDM: DTLB_MISSES.MISS_ST"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x00c0, "SDM: INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x1282, "SDM: ITLB.MISSES"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "SDM: BR_INST_RETIRED.ANY"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "SDM: BR_INST_RETIRED.MISPRED"),
	X86_CODES_END
};

static const struct event_constraint core2_rules[] = {
	/* FP_COMP_OPS_EXE, FP_ASSIST, MUL, DIV, CYCLES_DIV_BUSY */
	INTEL_EVENT_ON(0x1, 0x10), INTEL_EVENT_ON(0x2, 0x11),
	INTEL_EVENT_ON(0x2, 0x12), INTEL_EVENT_ON(0x2, 0x13),
	INTEL_EVENT_ON(0x1, 0x14),
	/* IDLE_DURING_DIV, DELAYED_BYPASS */
	INTEL_EVENT_ON(0x1, 0x18), INTEL_EVENT_ON(0x2, 0x19),
	/* RS_UOPS_DISPATCHED by port, MEM_LOAD_RETIRED */
	INTEL_EVENT_ON(0x1, 0xa1), INTEL_EVENT_ON(0x1, 0xcb),
	{ }
};

const struct intel_model intel_core2 = {
	.name		= "core2",
	.codes		= core2_codes,
	.lbr		= &intel_lbr_core2,
	.rules		= core2_rules,
	.pebs		= &intel_pebs_core2,
	.no_precise	= "its errata were not compared",
};
