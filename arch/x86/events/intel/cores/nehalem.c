// SPDX-License-Identifier: GPL-2.0
/*
 * The cores Nehalem and Westmere.
 *
 * Data only.
 *
 * Sources: the folders nehalemep, nehalemex, westmereep-sp, westmereep-dp and westmereex
 * of tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance
 * Monitoring", and volume 4 for the registers and their bits.
 */
#include "model.h"

/*
 * The architectural event of mispredicted branches is unreliable, and CPUID reports it as
 * missing (erratum AAJ80).
 */
static const struct x86_event_code nehalem_codes[] = {
	INTEL_HW(BRANCH_MISSES, 0x7f89, "BR_MISP_EXEC.ANY"),
	INTEL_HW(STALLED_CYCLES_FRONTEND, 0x180010e, "UOPS_ISSUED.STALL_CYCLES"),
	INTEL_HW(STALLED_CYCLES_BACKEND, 0x01a2, "RESOURCE_STALLS.ANY"),
	INTEL_CACHE(L1D, READ, ACCESS, 0x010b, "MEM_INST_RETIRED.LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPL"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x020b, "MEM_INST_RETIRED.STORES"),
	INTEL_CACHE(L1D, WRITE, MISS, 0x0251, "L1D.M_REPL"),
	INTEL_CACHE(L1D, PREFETCH, ACCESS, 0x014e, "L1D_PREFETCH.REQUESTS"),
	INTEL_CACHE(L1D, PREFETCH, MISS, 0x024e, "L1D_PREFETCH.MISS"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "L1I.READS"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "L1I.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x010b, "MEM_INST_RETIRED.LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0108, "DTLB_LOAD_MISSES.ANY"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x020b, "MEM_INST_RETIRED.STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x010c, "MEM_STORE_RETIRED.DTLB_MISS"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x01c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.ANY"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x04c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x7f89, "BR_MISP_EXEC.ANY"),
	X86_CODES_END
};

/* Nehalem: the third level cache, and memory behind it */
static const struct x86_event_code nehalem_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0xff01,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LOCATION"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0xf801,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0xff02,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LOCATION"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0xf802,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0xff70,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LOCATION"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0xf870,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LLC_MISS"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x6001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x2001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.REMOTE_DRAM"),
	INTEL_OFFCORE(NODE, WRITE, ACCESS, 0x01b7, 0x6002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_DRAM"),
	INTEL_OFFCORE(NODE, WRITE, MISS, 0x01b7, 0x2002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.REMOTE_DRAM"),
	INTEL_OFFCORE(NODE, PREFETCH, ACCESS, 0x01b7, 0x6070,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_DRAM"),
	INTEL_OFFCORE(NODE, PREFETCH, MISS, 0x01b7, 0x2070,
		      "OFFCORE_RESPONSE.PREFETCH.REMOTE_DRAM"),
	X86_CODES_END
};

/* Westmere */
static const struct x86_event_code westmere_codes[] = {
	INTEL_HW(STALLED_CYCLES_FRONTEND, 0x180010e, "UOPS_ISSUED.STALL_CYCLES"),
	INTEL_HW(STALLED_CYCLES_BACKEND, 0x01a2, "RESOURCE_STALLS.ANY"),
	INTEL_CACHE(L1D, READ, ACCESS, 0x010b, "MEM_INST_RETIRED.LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPL"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x020b, "MEM_INST_RETIRED.STORES"),
	INTEL_CACHE(L1D, WRITE, MISS, 0x0251, "L1D.M_REPL"),
	INTEL_CACHE(L1D, PREFETCH, ACCESS, 0x014e, "L1D_PREFETCH.REQUESTS"),
	INTEL_CACHE(L1D, PREFETCH, MISS, 0x024e, "L1D_PREFETCH.MISS"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "L1I.READS"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "L1I.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x010b, "MEM_INST_RETIRED.LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0108, "DTLB_LOAD_MISSES.ANY"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x020b, "MEM_INST_RETIRED.STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x010c, "MEM_STORE_RETIRED.DTLB_MISS"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x01c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.ANY"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x04c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x04c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Westmere of clients: caches and memory outside of the core */
static const struct x86_event_code westmere_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0xff01,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LOCATION"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0xf801,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0xff02,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LOCATION"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0xf802,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0xff70,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LOCATION"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0xf870,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LLC_MISS"),
	X86_CODES_END
};

/* Westmere of servers: caches and memory outside of the core */
static const struct x86_event_code westmere_ep_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0xff01,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LOCATION"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0xf801,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0xff02,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LOCATION"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0xf802,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_LLC_MISS"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0xff70,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LOCATION"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0xf870,
		      "OFFCORE_RESPONSE.PREFETCH.ANY_LLC_MISS"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x4001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.OTHER_LOCAL_DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x2001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.REMOTE_DRAM"),
	INTEL_OFFCORE(NODE, WRITE, ACCESS, 0x01b7, 0x4002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.OTHER_LOCAL_DRAM"),
	INTEL_OFFCORE(NODE, WRITE, MISS, 0x01b7, 0x2002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.REMOTE_DRAM"),
	X86_CODES_END
};

/* Events of the L1 data cache can use two counters. Nehalem has one extra register. */
static const struct event_constraint nehalem_rules[] = {
	INTEL_UMASK_ON(0x8, 0x100b),
	INTEL_EVENT_ON(0x3, 0x40), INTEL_EVENT_ON(0x3, 0x41),
	INTEL_EVENT_ON(0x3, 0x42), INTEL_EVENT_ON(0x3, 0x43),
	INTEL_EVENT_ON(0x3, 0x4c), INTEL_EVENT_ON(0x3, 0x4e),
	INTEL_EVENT_ON(0x3, 0x51), INTEL_EVENT_ON(0x3, 0x52),
	INTEL_EVENT_ON(0x3, 0x53), INTEL_EVENT_ON(0x3, 0x63),
	INTEL_EVENT_ON(0x4, 0xb7),
	{ }
};

static const struct event_constraint westmere_rules[] = {
	INTEL_UMASK_ON(0x8, 0x100b),
	INTEL_EVENT_ON(0x3, 0x4c), INTEL_EVENT_ON(0x3, 0x4e),
	INTEL_EVENT_ON(0x3, 0x51), INTEL_EVENT_ON(0x3, 0x52),
	INTEL_EVENT_ON(0x3, 0x63),
	INTEL_EVENT_ON(0x1, 0x60), INTEL_EVENT_ON(0x1, 0xb3),
	{ }
};

static const struct event_constraint westmere_ex_rules[] = {
	INTEL_UMASK_ON(0x8, 0x100b),
	INTEL_EVENT_ON(0x3, 0x4c), INTEL_EVENT_ON(0x3, 0x4e),
	INTEL_EVENT_ON(0x3, 0x51), INTEL_EVENT_ON(0x3, 0x52),
	INTEL_EVENT_ON(0x3, 0x63),
	INTEL_EVENT_ON(0x1, 0x60), INTEL_EVENT_ON(0x1, 0xb3),
	INTEL_EVENT_ON(0x4, 0xb7),
	{ }
};

static const struct extra_reg nehalem_extra[] = {
	{ 0x01b7, 0xffff, MSR_OFFCORE_RSP_0, 0xffff, "offcore_rsp" },
	INTEL_LD_LAT(0x100b),
	{ }
};

static const struct extra_reg westmere_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0xffff),
	INTEL_OFFCORE_RSP1(0x01bb, 0xffff),
	INTEL_LD_LAT(0x100b),
	{ }
};

/*
 * With a shorter period, the overflow status may come back at once, again and again. That is no
 * published erratum: 32 was found by trying on Nehalem. Westmere is the same core.
 */
static const struct x86_period_rule nehalem_periods[] = {
	{ 0, 0, 32, 1 },
	{ }
};

const struct intel_model intel_nehalem = {
	.name		= "nehalem",
	.flags		= INTEL_EXTRA_SHARED | INTEL_CLEAR_FIRST,
	.codes		= nehalem_codes,
	.lbr		= &intel_lbr_nehalem,
	.offcore	= nehalem_offcore,
	.rules		= nehalem_rules,
	.extra		= X86_EXTRA_TABLE(nehalem_extra),
	.periods	= nehalem_periods,
	.pebs		= &intel_pebs_nehalem,
};

/* Records of loads have one more source. */
const struct intel_model intel_nehalem_ex = {
	.name		= "nehalem",
	.flags		= INTEL_EXTRA_SHARED | INTEL_CLEAR_FIRST,
	.codes		= nehalem_codes,
	.lbr		= &intel_lbr_nehalem,
	.offcore	= nehalem_offcore,
	.rules		= nehalem_rules,
	.extra		= X86_EXTRA_TABLE(nehalem_extra),
	.periods	= nehalem_periods,
	.pebs		= &intel_pebs_nehalem_ex,
};

const struct intel_model intel_westmere = {
	.name		= "westmere",
	.flags		= INTEL_EXTRA_SHARED | INTEL_CLEAR_FIRST,
	.codes		= westmere_codes,
	.lbr		= &intel_lbr_nehalem,
	.offcore	= westmere_offcore,
	.rules		= westmere_rules,
	.extra		= X86_EXTRA_TABLE(westmere_extra),
	.periods	= nehalem_periods,
	.pebs		= &intel_pebs_nehalem,
};

const struct intel_model intel_westmere_ep = {
	.name		= "westmere",
	.flags		= INTEL_EXTRA_SHARED | INTEL_CLEAR_FIRST,
	.codes		= westmere_codes,
	.lbr		= &intel_lbr_nehalem,
	.offcore	= westmere_ep_offcore,
	.rules		= westmere_rules,
	.extra		= X86_EXTRA_TABLE(westmere_extra),
	.periods	= nehalem_periods,
	.pebs		= &intel_pebs_nehalem,
};

/* Offcore events have other names than on Nehalem, but the same encodings. */
const struct intel_model intel_westmere_ex = {
	.name		= "westmere",
	.flags		= INTEL_EXTRA_SHARED | INTEL_CLEAR_FIRST,
	.codes		= westmere_codes,
	.lbr		= &intel_lbr_nehalem,
	.offcore	= nehalem_offcore,
	.rules		= westmere_ex_rules,
	.extra		= X86_EXTRA_TABLE(nehalem_extra),
	.periods	= nehalem_periods,
	.pebs		= &intel_pebs_nehalem,
};
