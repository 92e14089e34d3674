// SPDX-License-Identifier: GPL-2.0
/*
 * The core Lion Cove: the performance core of Lunar Lake and Arrow Lake.
 *
 * Data only.
 *
 * Sources: the folder lunarlake of tools/perf/pmu-events/arch/x86; Intel SDM volume 3,
 * chapter "Performance Monitoring", and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Lion Cove */
static const struct x86_event_code lion_cove_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_INST_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0e12, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_INST_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0e13, "DTLB_STORE_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0e11, "ITLB_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Lion Cove: caches and memory outside of the core */
static const struct x86_event_code lion_cove_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x012a, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x012a, 0xfe7f8000001,
		      "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x012a, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x012a, 0xfe7f8000002, "OCR.DEMAND_RFO.L3_MISS"),
	X86_CODES_END
};

/* Ten counters. */
static const struct event_constraint lion_cove_rules[] = {
	INTEL_UMASK_ON(0x003, 0x02cd),
	INTEL_EVENT_ON(0x00f, 0x2a), INTEL_EVENT_ON(0x00f, 0x2b),
	INTEL_EVENT_ON(0x00f, 0xd0), INTEL_EVENT_ON(0x00f, 0xd1),
	INTEL_EVENT_ON(0x00f, 0xd2), INTEL_EVENT_ON(0x00f, 0xd3),
	INTEL_EVENT_ON(0x00f, 0xd4),
	{ }
};

static const struct extra_reg lion_cove_extra[] = {
	INTEL_OFFCORE_RSP0(0x012a, 0xfffffffffff),
	INTEL_OFFCORE_RSP1(0x012b, 0xfffffffffff),
	INTEL_LD_LAT(0x01cd),
	INTEL_FRONTEND(0x00c6, 0x00ff, 0x7fff1f),
	{ }
};

const struct intel_model intel_lion_cove = {
	.name		= "lunarlake",
	.flags		= INTEL_METRICS | INTEL_METRICS_2 | INTEL_STORES,
	.codes		= lion_cove_codes,
	.offcore	= lion_cove_offcore,
	.rules		= lion_cove_rules,
	.extra		= X86_EXTRA_TABLE(lion_cove_extra),
	.pebs		= &intel_pebs_lion_cove,
};
