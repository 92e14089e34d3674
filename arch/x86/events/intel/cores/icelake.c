// SPDX-License-Identifier: GPL-2.0
/*
 * The cores Sunny Cove, Willow Cove and Cypress Cove: Ice Lake, Tiger Lake, Rocket Lake.
 *
 * Data only.
 *
 * Sources: the folders icelake, icelakex, tigerlake and rocketlake of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Sunny Cove, Willow Cove, Cypress Cove */
static const struct x86_event_code icelake_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0283, "ICACHE_64B.IFTAG_MISS"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0e08, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0e49, "DTLB_STORE_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x2085, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0e85, "ITLB_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Ice Lake of clients, Rocket Lake: caches and memory outside of the core */
static const struct x86_event_code icelake_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fffc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fffc00002, "OCR.DEMAND_RFO.L3_MISS"),
	X86_CODES_END
};

/* Ice Lake of servers: caches and memory outside of the core */
static const struct x86_event_code icelake_x_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fbfc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x3f3ffc0002,
		      "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3f3fc00002, "OCR.DEMAND_RFO.L3_MISS"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x01b7, 0x73c000001, "OCR.DEMAND_DATA_RD.DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x01b7, 0x730000001,
		      "OCR.DEMAND_DATA_RD.REMOTE_DRAM"),
	X86_CODES_END
};

/* Tiger Lake: caches and memory outside of the core */
static const struct x86_event_code tigerlake_offcore[] = {
	INTEL_CACHE(LL, READ, ACCESS, 0x01b0, "OFFCORE_REQUESTS.DEMAND_DATA_RD"),
	INTEL_CACHE(LL, WRITE, ACCESS, 0x04b0, "OFFCORE_REQUESTS.DEMAND_RFO"),
	X86_CODES_END
};

/* Eight counters. The upper four count events of the pipeline only. */
static const struct event_constraint icelake_rules[] = {
	INTEL_UMASK_ON(0xff, 0x04a3), INTEL_UMASK_ON(0xff, 0x10a3),
	INTEL_UMASK_ON(0xff, 0x14a3), INTEL_EVENT_ON(0x0f, 0xa3),
	INTEL_EVENT_ON(0x0f, 0x03), INTEL_EVENT_ON(0x0f, 0x07),
	INTEL_EVENT_ON(0x0f, 0x08), INTEL_EVENT_ON(0x0f, 0x24),
	INTEL_EVENT_ON(0x0f, 0x28), INTEL_EVENT_ON(0x0f, 0x32),
	INTEL_EVENT_ON(0x0f, 0x48), INTEL_EVENT_ON(0x0f, 0x49),
	INTEL_EVENT_ON(0x0f, 0x4c), INTEL_EVENT_ON(0x0f, 0x51),
	INTEL_EVENT_ON(0x0f, 0x54), INTEL_EVENT_ON(0x0f, 0x55),
	INTEL_EVENT_ON(0x0f, 0x56), INTEL_EVENT_ON(0x0f, 0x60),
	INTEL_EVENT_ON(0x0f, 0x63), INTEL_EVENT_ON(0x0f, 0x79),
	INTEL_EVENT_ON(0x0f, 0x80), INTEL_EVENT_ON(0x0f, 0x83),
	INTEL_EVENT_ON(0x0f, 0x85), INTEL_EVENT_ON(0x0f, 0x87),
	INTEL_EVENT_ON(0x0f, 0xa8), INTEL_EVENT_ON(0x0f, 0xab),
	INTEL_EVENT_ON(0x0f, 0xb0), INTEL_EVENT_ON(0x0f, 0xb7),
	INTEL_EVENT_ON(0x0f, 0xbb), INTEL_EVENT_ON(0x0f, 0xbd),
	INTEL_EVENT_ON(0x0f, 0xd0), INTEL_EVENT_ON(0x0f, 0xd1),
	INTEL_EVENT_ON(0x0f, 0xd2), INTEL_EVENT_ON(0x0f, 0xd3),
	INTEL_EVENT_ON(0x0f, 0xd4), INTEL_EVENT_ON(0x0f, 0xe6),
	INTEL_EVENT_ON(0x0f, 0xef), INTEL_EVENT_ON(0x0f, 0xf0),
	INTEL_EVENT_ON(0x0f, 0xf1), INTEL_EVENT_ON(0x0f, 0xf2),
	INTEL_EVENT_ON(0x0f, 0xf4),
	{ }
};

static const struct extra_reg icelake_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x3fffffbfff),
	INTEL_OFFCORE_RSP1(0x01bb, 0x3fffffbfff),
	INTEL_LD_LAT(0x01cd),
	INTEL_FRONTEND(0x01c6, 0xffff, 0x7fff17),
	{ }
};

const struct intel_model intel_icelake = {
	.name		= "icelake",
	.flags		= INTEL_TSX | INTEL_TSX_READS | INTEL_METRICS,
	.codes		= icelake_codes,
	.lbr		= &intel_lbr_skylake,
	.offcore	= icelake_offcore,
	.rules		= icelake_rules,
	.extra		= X86_EXTRA_TABLE(icelake_extra),
	.pebs		= &intel_pebs_icelake,
};

const struct intel_model intel_icelake_x = {
	.name		= "icelake",
	.flags		= INTEL_TSX | INTEL_TSX_READS | INTEL_METRICS,
	.codes		= icelake_codes,
	.lbr		= &intel_lbr_skylake,
	.offcore	= icelake_x_offcore,
	.rules		= icelake_rules,
	.extra		= X86_EXTRA_TABLE(icelake_extra),
	.pebs		= &intel_pebs_icelake,
};

const struct intel_model intel_tigerlake = {
	.name		= "icelake",
	.flags		= INTEL_TSX | INTEL_TSX_READS | INTEL_METRICS,
	.codes		= icelake_codes,
	.lbr		= &intel_lbr_skylake,
	.offcore	= tigerlake_offcore,
	.rules		= icelake_rules,
	.extra		= X86_EXTRA_TABLE(icelake_extra),
	.pebs		= &intel_pebs_icelake,
};
