// SPDX-License-Identifier: GPL-2.0
/*
 * The cores Golden Cove, Raptor Cove and Redwood Cove: the performance cores of Alder
 * Lake, Raptor Lake and Meteor Lake; Sapphire Rapids, Emerald Rapids, Granite Rapids.
 *
 * Data only.
 *
 * Sources: the folders alderlake, meteorlake, sapphirerapids, emeraldrapids and
 * graniterapids of tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter
 * "Performance Monitoring", and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Golden Cove and Redwood Cove */
static const struct x86_event_code golden_cove_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x0151, "L1D.REPLACEMENT"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0e12, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0e13, "DTLB_STORE_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x2011, "ITLB_MISSES.STLB_HIT"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0e11, "ITLB_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Golden Cove and Redwood Cove of clients: caches and memory outside of the core */
static const struct x86_event_code golden_cove_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x012a, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x012a, 0x3fbfc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x012a, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x012a, 0x3fbfc00002, "OCR.DEMAND_RFO.L3_MISS"),
	X86_CODES_END
};

/* Sapphire Rapids, Emerald Rapids: caches and memory outside of the core */
static const struct x86_event_code golden_cove_x_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x012a, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x012a, 0x3fbfc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x012a, 0x3f3ffc0002,
		      "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x012a, 0x3f3fc00002, "OCR.DEMAND_RFO.L3_MISS"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x012a, 0x73c000001, "OCR.DEMAND_DATA_RD.DRAM"),
	INTEL_OFFCORE(NODE, READ, MISS, 0x012a, 0x730000001,
		      "OCR.DEMAND_DATA_RD.REMOTE_DRAM"),
	X86_CODES_END
};

/* Granite Rapids: caches and memory outside of the core */
static const struct x86_event_code redwood_cove_x_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x012a, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x012a, 0x3fbfc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x012a, 0x3f3fc00002, "OCR.DEMAND_RFO.L3_MISS"),
	INTEL_OFFCORE(NODE, READ, ACCESS, 0x012a, 0x73c000001, "OCR.DEMAND_DATA_RD.DRAM"),
	X86_CODES_END
};

/* As Sunny Cove, with other event numbers. A few events have fewer counters. */
static const struct event_constraint golden_cove_rules[] = {
	INTEL_UMASK_ON(0xff, 0x04a3), INTEL_UMASK_ON(0xff, 0x10a3),
	INTEL_EVENT_ON(0x0f, 0xa3),
	INTEL_UMASK_ON(0x01, 0x04a4), INTEL_UMASK_ON(0x01, 0x08a4),
	INTEL_UMASK_ON(0xfe, 0x01cd), INTEL_UMASK_ON(0x01, 0x02cd),
	INTEL_EVENT_ON(0x0f, 0x03), INTEL_EVENT_ON(0x0f, 0x11),
	INTEL_EVENT_ON(0x0f, 0x12), INTEL_EVENT_ON(0x0f, 0x13),
	INTEL_EVENT_ON(0x0f, 0x20), INTEL_EVENT_ON(0x0f, 0x21),
	INTEL_EVENT_ON(0x0f, 0x23), INTEL_EVENT_ON(0x0f, 0x24),
	INTEL_EVENT_ON(0x0f, 0x25), INTEL_EVENT_ON(0x0f, 0x26),
	INTEL_EVENT_ON(0x0f, 0x28), INTEL_EVENT_ON(0x0f, 0x2a),
	INTEL_EVENT_ON(0x0f, 0x2b), INTEL_EVENT_ON(0x0f, 0x2c),
	INTEL_EVENT_ON(0x0f, 0x2d), INTEL_EVENT_ON(0x0f, 0x40),
	INTEL_EVENT_ON(0x0f, 0x42), INTEL_EVENT_ON(0x0f, 0x43),
	INTEL_EVENT_ON(0x0f, 0x44), INTEL_EVENT_ON(0x0f, 0x47),
	INTEL_EVENT_ON(0x0f, 0x48), INTEL_EVENT_ON(0x0f, 0x4c),
	INTEL_EVENT_ON(0x0f, 0x51), INTEL_EVENT_ON(0x0f, 0x54),
	INTEL_EVENT_ON(0x0f, 0x60), INTEL_EVENT_ON(0x0f, 0x61),
	INTEL_EVENT_ON(0x0f, 0x75), INTEL_EVENT_ON(0x0f, 0x76),
	INTEL_EVENT_ON(0x0f, 0x79), INTEL_EVENT_ON(0x0f, 0x80),
	INTEL_EVENT_ON(0x0f, 0x83), INTEL_EVENT_ON(0x0f, 0x87),
	INTEL_EVENT_ON(0x0f, 0xd0), INTEL_EVENT_ON(0x0f, 0xd1),
	INTEL_EVENT_ON(0x0f, 0xd2), INTEL_EVENT_ON(0x0f, 0xd3),
	INTEL_EVENT_ON(0x0f, 0xd4),
	{ }
};

static const struct extra_reg golden_cove_extra[] = {
	INTEL_OFFCORE_RSP0(0x012a, 0x3fffffffff),
	INTEL_OFFCORE_RSP1(0x012b, 0x3fffffffff),
	INTEL_LD_LAT(0x01cd),
	INTEL_FRONTEND(0x00c6, 0x00ff, 0x7fff1f),
	/* INT_MISC.UNKNOWN_BRANCH_CYCLES, UOPS_RETIRED.MS: each has one value */
	INTEL_FRONTEND(0x40ad, 0xffff, 0x7),
	INTEL_FRONTEND(0x04c2, 0xffff, 0x8),
	{ }
};

const struct intel_model intel_golden_cove = {
	.name		= "alderlake",
	.flags		= INTEL_METRICS | INTEL_METRICS_2 | INTEL_STORES,
	.codes		= golden_cove_codes,
	.offcore	= golden_cove_offcore,
	.rules		= golden_cove_rules,
	.extra		= X86_EXTRA_TABLE(golden_cove_extra),
	.pebs		= &intel_pebs_golden_cove,
};

const struct intel_model intel_golden_cove_x = {
	.name		= "sapphire_rapids",
	.flags		= INTEL_TSX | INTEL_TSX_READS | INTEL_METRICS | INTEL_METRICS_2 |
			  INTEL_STORES,
	.codes		= golden_cove_codes,
	.offcore	= golden_cove_x_offcore,
	.rules		= golden_cove_rules,
	.extra		= X86_EXTRA_TABLE(golden_cove_extra),
	.pebs		= &intel_pebs_golden_cove,
};

const struct intel_model intel_redwood_cove = {
	.name		= "meteorlake",
	.flags		= INTEL_METRICS | INTEL_METRICS_2 | INTEL_STORES,
	.codes		= golden_cove_codes,
	.offcore	= golden_cove_offcore,
	.rules		= golden_cove_rules,
	.extra		= X86_EXTRA_TABLE(golden_cove_extra),
	.pebs		= &intel_pebs_redwood_cove,
};

const struct intel_model intel_redwood_cove_x = {
	.name		= "granite_rapids",
	.flags		= INTEL_TSX | INTEL_METRICS | INTEL_METRICS_2 | INTEL_STORES,
	.codes		= golden_cove_codes,
	.offcore	= redwood_cove_x_offcore,
	.rules		= golden_cove_rules,
	.extra		= X86_EXTRA_TABLE(golden_cove_extra),
	.pebs		= &intel_pebs_redwood_cove_x,
};
