// SPDX-License-Identifier: GPL-2.0
/*
 * The cores Haswell and Broadwell.
 *
 * Data only.
 *
 * Sources: the folders haswell, haswellx, broadwell, broadwellde and broadwellx of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Haswell and Broadwell */
static const struct x86_event_code haswell_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0108, "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0149, "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x6085, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Haswell of clients: caches and memory outside of the core */
static const struct x86_event_code haswell_offcore[] = {
	INTEL_CACHE(LL, READ, ACCESS, 0x01b0, "OFFCORE_REQUESTS.DEMAND_DATA_RD"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x04b0, "OFFCORE_REQUESTS.DEMAND_RFO"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fffc00001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fffc00002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L3_MISS.ANY_RESPONSE"),
	X86_CODES_END
};

/* Haswell of servers: caches and memory outside of the core */
static const struct x86_event_code haswell_x_offcore[] = {
	INTEL_CACHE(LL, READ, ACCESS, 0x01b0, "OFFCORE_REQUESTS.DEMAND_DATA_RD"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x04b0, "OFFCORE_REQUESTS.DEMAND_RFO"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fbfc00001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fbfc00002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x3fbfc00091,
		      "OFFCORE_RESPONSE.ALL_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x63f800091,
		      "OFFCORE_RESPONSE.ALL_DATA_RD.LLC_MISS.REMOTE_DRAM"),
	X86_CODES_END
};

/* Broadwell of clients: caches and memory outside of the core */
static const struct x86_event_code broadwell_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3f84000001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS_LOCAL_DRAM.ANY_SNOOP"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3f84000002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L3_MISS_LOCAL_DRAM.ANY_SNOOP"),
	X86_CODES_END
};

/* Broadwell of servers: caches and memory outside of the core */
static const struct x86_event_code broadwell_x_offcore[] = {
	INTEL_CACHE(LL, READ, ACCESS, 0x01b0, "OFFCORE_REQUESTS.DEMAND_DATA_RD"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x04b0, "OFFCORE_REQUESTS.DEMAND_RFO"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fbfc00091,
		      "OFFCORE_RESPONSE.ALL_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fbfc00002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x3fbfc00091,
		      "OFFCORE_RESPONSE.ALL_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x63bc00091,
		      "OFFCORE_RESPONSE.ALL_DATA_RD.LLC_MISS.REMOTE_DRAM"),
	X86_CODES_END
};

/*
 * Event 0xa3 and memory events are limited to the lower four counters, also when a thread
 * has all eight counters of its core. pmu-events lists four counters.
 */
static const struct event_constraint haswell_rules[] = {
	INTEL_UMASK_ON(0x4, 0x0148),
	INTEL_UMASK_ON(0x4, 0x08a3), INTEL_UMASK_ON(0x4, 0x0ca3),
	INTEL_UMASK_ON(0x2, 0x01c0),
	INTEL_EVENT_ON(0x8, 0xcd),
	INTEL_EVENT_ON(0xf, 0xa3), INTEL_EVENT_ON(0xf, 0xd0),
	INTEL_EVENT_ON(0xf, 0xd1), INTEL_EVENT_ON(0xf, 0xd2),
	INTEL_EVENT_ON(0xf, 0xd3),
	{ }
};

static const struct extra_reg haswell_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x3fffff8fff),
	INTEL_OFFCORE_RSP1(0x01bb, 0x3fffff8fff),
	INTEL_LD_LAT(0x01cd),
	{ }
};

/*
 * INST_RETIRED.PREC_DIST, which counter 1 counts: unless the period is longer than 100, counts and
 * interrupts are wrong (specification updates, HSW11, "Performance Monitor Precise Instruction
 * Retired Event May Present Wrong Indications"). Any event: with a period below 32 the overflow
 * status may come back at once, again and again (HSW143).
 */
static const struct x86_period_rule haswell_periods[] = {
	{ 0x01c0, 0xffff, 128, 1 },
	{ 0, 0, 32, 1 },
	{ }
};

/* On Broadwell (BDM11, BDM55) the six lowest bits of the period must also be zero. */
static const struct x86_period_rule broadwell_periods[] = {
	{ 0x01c0, 0xffff, 128, 64 },
	{ }
};

const struct intel_model intel_haswell = {
	.name		= "haswell",
	.flags		= INTEL_TSX | INTEL_LEAKS,
	.codes		= haswell_codes,
	.lbr		= &intel_lbr_haswell,
	.offcore	= haswell_offcore,
	.rules		= haswell_rules,
	.extra		= X86_EXTRA_TABLE(haswell_extra),
	.periods	= haswell_periods,
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_haswell,
};

const struct intel_model intel_haswell_x = {
	.name		= "haswell",
	.flags		= INTEL_TSX | INTEL_LEAKS,
	.codes		= haswell_codes,
	.lbr		= &intel_lbr_haswell,
	.offcore	= haswell_x_offcore,
	.rules		= haswell_rules,
	.extra		= X86_EXTRA_TABLE(haswell_extra),
	.periods	= haswell_periods,
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_haswell,
};

const struct intel_model intel_broadwell = {
	.name		= "broadwell",
	.flags		= INTEL_TSX,
	.codes		= haswell_codes,
	.lbr		= &intel_lbr_haswell,
	.offcore	= broadwell_offcore,
	.rules		= haswell_rules,
	.extra		= X86_EXTRA_TABLE(haswell_extra),
	.periods	= broadwell_periods,
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_haswell,
};

const struct intel_model intel_broadwell_x = {
	.name		= "broadwell",
	.flags		= INTEL_TSX,
	.codes		= haswell_codes,
	.lbr		= &intel_lbr_haswell,
	.offcore	= broadwell_x_offcore,
	.rules		= haswell_rules,
	.extra		= X86_EXTRA_TABLE(haswell_extra),
	.periods	= broadwell_periods,
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_haswell,
};
