// SPDX-License-Identifier: GPL-2.0
/*
 * The cores Sandy Bridge and Ivy Bridge.
 *
 * Data only.
 *
 * Sources: the folders sandybridge, jaketown, ivybridge and ivytown of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Sandy Bridge */
static const struct x86_event_code sandybridge_codes[] = {
	INTEL_HW(STALLED_CYCLES_FRONTEND, 0x180010e, "UOPS_ISSUED.STALL_CYCLES"),
	INTEL_HW(STALLED_CYCLES_BACKEND, 0x01a2, "RESOURCE_STALLS.ANY"),
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0108, "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0149, "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x1085, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Ivy Bridge */
static const struct x86_event_code ivybridge_codes[] = {
	INTEL_HW(STALLED_CYCLES_FRONTEND, 0x180010e, "UOPS_ISSUED.STALL_CYCLES"),
	INTEL_HW(STALLED_CYCLES_BACKEND, 0x01a2, "RESOURCE_STALLS.ANY"),
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x8108, "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0149, "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x1085, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0185, "ITLB_MISSES.MISS_CAUSES_A_WALK"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Sandy Bridge of clients: caches and memory outside of the core */
static const struct x86_event_code sandybridge_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x300400001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.DRAM"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x300400002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.LLC_MISS.DRAM"),
	X86_CODES_END
};

/* Sandy Bridge and Ivy Bridge of servers: caches and memory outside of the core */
static const struct x86_event_code sandybridge_x_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fffc20001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x67fc00001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.ANY_DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x67f800001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.REMOTE_DRAM"),
	X86_CODES_END
};

/* Ivy Bridge of clients: caches and memory outside of the core */
static const struct x86_event_code ivybridge_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x300400001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.DRAM"),
	X86_CODES_END
};

/* Ivy Bridge of servers: caches and memory outside of the core */
static const struct x86_event_code ivybridge_x_offcore[] = {
	INTEL_CACHE(LL, READ, ACCESS, 0x01b0, "OFFCORE_REQUESTS.DEMAND_DATA_RD"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x04b0, "OFFCORE_REQUESTS.DEMAND_RFO"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fffc20001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.ANY_RESPONSE"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x67fc00001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.ANY_DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x67f800001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.LLC_MISS.REMOTE_DRAM"),
	X86_CODES_END
};

/*
 * Event 0xa3 and memory events are limited to the lower four counters, also when a thread
 * has all eight counters of its core. pmu-events lists four counters.
 */
static const struct event_constraint sandybridge_rules[] = {
	INTEL_UMASK_ON(0x4, 0x0148),
	INTEL_UMASK_ON(0x4, 0x02a3), INTEL_UMASK_ON(0x4, 0x06a3),
	INTEL_UMASK_ON(0x2, 0x01c0),
	INTEL_EVENT_ON(0x8, 0xcd),
	INTEL_EVENT_ON(0xf, 0xa3), INTEL_EVENT_ON(0xf, 0xd0),
	INTEL_EVENT_ON(0xf, 0xd1), INTEL_EVENT_ON(0xf, 0xd2),
	INTEL_EVENT_ON(0xf, 0xd3),
	{ }
};

static const struct event_constraint ivybridge_rules[] = {
	INTEL_UMASK_ON(0x4, 0x0148),
	INTEL_UMASK_ON(0x4, 0x08a3), INTEL_UMASK_ON(0x4, 0x0ca3),
	INTEL_UMASK_ON(0x2, 0x01c0),
	INTEL_EVENT_ON(0x8, 0xcd),
	INTEL_EVENT_ON(0xf, 0xa3), INTEL_EVENT_ON(0xf, 0xd0),
	INTEL_EVENT_ON(0xf, 0xd1), INTEL_EVENT_ON(0xf, 0xd2),
	INTEL_EVENT_ON(0xf, 0xd3),
	{ }
};

static const struct extra_reg sandybridge_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x3f807f8fff),
	INTEL_OFFCORE_RSP1(0x01bb, 0x3f807f8fff),
	INTEL_LD_LAT(0x01cd),
	{ }
};

static const struct extra_reg sandybridge_x_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x3fffff8fff),
	INTEL_OFFCORE_RSP1(0x01bb, 0x3fffff8fff),
	INTEL_LD_LAT(0x01cd),
	{ }
};

const struct intel_model intel_sandybridge = {
	.name		= "sandybridge",
	.flags		= INTEL_LEAKS | INTEL_STORES,
	.codes		= sandybridge_codes,
	.lbr		= &intel_lbr_sandybridge,
	.offcore	= sandybridge_offcore,
	.rules		= sandybridge_rules,
	.extra		= X86_EXTRA_TABLE(sandybridge_extra),
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_sandybridge,
	.no_precise	= "the microcode that it needs is not known",
};

const struct intel_model intel_sandybridge_x = {
	.name		= "sandybridge",
	.flags		= INTEL_LEAKS | INTEL_STORES,
	.codes		= sandybridge_codes,
	.lbr		= &intel_lbr_sandybridge,
	.offcore	= sandybridge_x_offcore,
	.rules		= sandybridge_rules,
	.extra		= X86_EXTRA_TABLE(sandybridge_x_extra),
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_sandybridge,
	.no_precise	= "the microcode that it needs is not known",
};

const struct intel_model intel_ivybridge = {
	.name		= "ivybridge",
	.flags		= INTEL_LEAKS | INTEL_STORES,
	.codes		= ivybridge_codes,
	.lbr		= &intel_lbr_sandybridge,
	.offcore	= ivybridge_offcore,
	.rules		= ivybridge_rules,
	.extra		= X86_EXTRA_TABLE(sandybridge_extra),
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_sandybridge,
};

const struct intel_model intel_ivybridge_x = {
	.name		= "ivybridge",
	.flags		= INTEL_LEAKS | INTEL_STORES,
	.codes		= ivybridge_codes,
	.lbr		= &intel_lbr_sandybridge,
	.offcore	= ivybridge_x_offcore,
	.rules		= ivybridge_rules,
	.extra		= X86_EXTRA_TABLE(sandybridge_x_extra),
	.events		= intel_slots_events,
	.pebs		= &intel_pebs_sandybridge,
};
