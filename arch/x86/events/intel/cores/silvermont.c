// SPDX-License-Identifier: GPL-2.0
/*
 * The small cores with two counters: Bonnell, Saltwell, Silvermont, Airmont, and Knights
 * Landing and Knights Mill, with cores that are derived from Silvermont.
 *
 * Data only.
 *
 * Sources: the folders bonnell, silvermont and knightslanding of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Bonnell and Saltwell */
static const struct x86_event_code bonnell_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0xa140, "L1D_CACHE.LD"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0xa240, "L1D_CACHE.ST"),
	INTEL_CACHE(L1D, READ, MISS, 0x0840, "L1D_CACHE.REPL"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "ICACHE.ACCESSES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(LL, READ, ACCESS, 0x7f29, "L2_LD.SELF.ANY.MESI"),
	INTEL_CACHE(LL, READ, MISS, 0x7129, "L2_LD.SELF.ANY.I_STATE"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x4f2a, "L2_ST.SELF.MESI"),
	INTEL_CACHE(LL, WRITE, MISS, 0x412a, "L2_ST.SELF.I_STATE"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0xa140, "L1D_CACHE.LD"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0508, "DATA_TLB_MISSES.DTLB_MISS_LD"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0xa240, "L1D_CACHE.ST"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0608, "DATA_TLB_MISSES.DTLB_MISS_ST"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x00c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0282, "ITLB.MISSES"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ANY"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_INST_RETIRED.MISPRED"),
	X86_CODES_END
};

/* Silvermont and Airmont, Knights Landing */
static const struct x86_event_code silvermont_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x4004, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0104, "MEM_UOPS_RETIRED.L1_MISS_LOADS"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x8004, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "ICACHE.ACCESSES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x4004, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0804, "MEM_UOPS_RETIRED.DTLB_MISS_LOADS"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x00c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x40205, "PAGE_WALKS.I_SIDE_WALKS"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Silvermont and Airmont: caches and memory outside of the core */
static const struct x86_event_code silvermont_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x1680000001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L2_MISS.ANY"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x1680000002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L2_MISS.ANY"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0x12000,
		      "OFFCORE_RESPONSE.PF_L1_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0x1680002000,
		      "OFFCORE_RESPONSE.PF_L1_DATA_RD.L2_MISS.ANY"),
	X86_CODES_END
};

/* Knights Landing: caches and memory outside of the core */
static const struct x86_event_code knl_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	X86_CODES_END
};

static const struct extra_reg silvermont_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x768005ffff),
	INTEL_OFFCORE_RSP1(0x02b7, 0x368005ffff),
	{ }
};

static const struct extra_reg knl_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x799ffbffff),
	INTEL_OFFCORE_RSP1(0x02b7, 0x399ffbffff),
	{ }
};

const struct intel_model intel_bonnell = {
	.name		= "bonnell",
	.codes		= bonnell_codes,
	.lbr		= &intel_lbr_bonnell,
	.pebs		= &intel_pebs_bonnell,
	.no_precise	= "its errata were not compared",
};

const struct intel_model intel_silvermont = {
	.name		= "silvermont",
	.codes		= silvermont_codes,
	.lbr		= &intel_lbr_silvermont,
	.offcore	= silvermont_offcore,
	.extra		= X86_EXTRA_TABLE(silvermont_extra),
	.pebs		= &intel_pebs_silvermont,
};

const struct intel_model intel_knl = {
	.name		= "knights-landing",
	.flags		= INTEL_EXTRA_SHARED,
	.codes		= silvermont_codes,
	.offcore	= knl_offcore,
	.extra		= X86_EXTRA_TABLE(knl_extra),
	.pebs		= &intel_pebs_knl,
};
