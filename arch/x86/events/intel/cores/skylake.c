// SPDX-License-Identifier: GPL-2.0
/*
 * The core Skylake, and its successors: Kaby Lake, Coffee Lake, Comet Lake, Cascade Lake,
 * Cooper Lake, Cannon Lake.
 *
 * Data only.
 *
 * Sources: the folders skylake, skylakex and cascadelakex of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Skylake */
static const struct x86_event_code skylake_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0283, "ICACHE_64B.IFTAG_MISS"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0108, "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0149, "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x2085, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Skylake of clients: caches and memory outside of the core */
static const struct x86_event_code skylake_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3ffc400001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3ffc400002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L3_MISS.ANY_SNOOP"),
	X86_CODES_END
};

/* Skylake of servers, Cascade Lake: caches and memory outside of the core */
static const struct x86_event_code skylake_x_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fbc000001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fbc000002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L3_MISS.ANY_SNOOP"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0x10490,
		      "OFFCORE_RESPONSE.ALL_PF_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0x3fbc000490,
		      "OFFCORE_RESPONSE.ALL_PF_DATA_RD.L3_MISS.ANY_SNOOP"),
	X86_CODES_END
};

static const struct event_constraint skylake_rules[] = {
	/* INST_RETIRED.TOTAL_CYCLES_PS; other events with this unit mask */
	INTEL_EXACT_ON(0xd, 0x0a8001c0), INTEL_UMASK_ON(0x2, 0x01c0),
	/* memory events: the lower four counters, also of eight */
	INTEL_EVENT_ON(0xf, 0xa3), INTEL_EVENT_ON(0xf, 0xcd),
	INTEL_EVENT_ON(0xf, 0xd0), INTEL_EVENT_ON(0xf, 0xd1),
	INTEL_EVENT_ON(0xf, 0xd2), INTEL_EVENT_ON(0xf, 0xd3),
	INTEL_EVENT_ON(0xf, 0xd4), INTEL_EVENT_ON(0xf, 0xc6),
	{ }
};

static const struct extra_reg skylake_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x3fffff8fff),
	INTEL_OFFCORE_RSP1(0x01bb, 0x3fffff8fff),
	INTEL_LD_LAT(0x01cd),
	INTEL_FRONTEND(0x01c6, 0xffff, 0x7fff17),
	{ }
};

const struct intel_model intel_skylake = {
	.name		= "skylake",
	.flags		= INTEL_TSX,
	.codes		= skylake_codes,
	.lbr		= &intel_lbr_skylake,
	.offcore	= skylake_offcore,
	.rules		= skylake_rules,
	.extra		= X86_EXTRA_TABLE(skylake_extra),
	.events		= intel_slots_skylake_events,
	.pebs		= &intel_pebs_skylake,
};

const struct intel_model intel_skylake_x = {
	.name		= "skylake",
	.flags		= INTEL_TSX,
	.codes		= skylake_codes,
	.lbr		= &intel_lbr_skylake,
	.offcore	= skylake_x_offcore,
	.rules		= skylake_rules,
	.extra		= X86_EXTRA_TABLE(skylake_extra),
	.events		= intel_slots_skylake_events,
	.pebs		= &intel_pebs_skylake,
};
