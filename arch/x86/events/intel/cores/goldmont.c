// SPDX-License-Identifier: GPL-2.0
/*
 * The small cores with four counters: Goldmont, Goldmont Plus, Tremont.
 *
 * Data only.
 *
 * Sources: the folders goldmont, goldmontplus, elkhartlake and snowridgex of
 * tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance Monitoring",
 * and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Goldmont and Goldmont Plus */
static const struct x86_event_code goldmont_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x08d1, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "ICACHE.ACCESSES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x11d0, "MEM_UOPS_RETIRED.DTLB_MISS_LOADS"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x12d0, "MEM_UOPS_RETIRED.DTLB_MISS_STORES"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x00c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0481, "ITLB.MISS"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Goldmont: caches and memory outside of the core */
static const struct x86_event_code goldmont_offcore[] = {
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3600000001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.L2_MISS.ANY"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3600000002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.L2_MISS.ANY"),
	X86_CODES_END
};

/* Goldmont Plus: caches and memory outside of the core */
static const struct x86_event_code goldmont_plus_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002,
		      "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE"),
	X86_CODES_END
};

/* Tremont */
static const struct x86_event_code tremont_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x08d1, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
	INTEL_CACHE(L1D, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(L1I, READ, ACCESS, 0x0380, "ICACHE.ACCESSES"),
	INTEL_CACHE(L1I, READ, MISS, 0x0280, "ICACHE.MISSES"),
	INTEL_CACHE(DTLB, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(DTLB, READ, MISS, 0x0e08, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(DTLB, WRITE, ACCESS, 0x82d0, "MEM_UOPS_RETIRED.ALL_STORES"),
	INTEL_CACHE(DTLB, WRITE, MISS, 0x0e49, "DTLB_STORE_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(ITLB, READ, ACCESS, 0x00c0, "INST_RETIRED.ANY_P"),
	INTEL_CACHE(ITLB, READ, MISS, 0x0e85, "ITLB_MISSES.WALK_COMPLETED"),
	INTEL_CACHE(BPU, READ, ACCESS, 0x00c4, "BR_INST_RETIRED.ALL_BRANCHES"),
	INTEL_CACHE(BPU, READ, MISS, 0x00c5, "BR_MISP_RETIRED.ALL_BRANCHES"),
	X86_CODES_END
};

/* Tremont: caches and memory outside of the core */
static const struct x86_event_code tremont_offcore[] = {
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x2184000002, "OCR.DEMAND_RFO.L3_MISS"),
	INTEL_OFFCORE(LL, PREFETCH, ACCESS, 0x01b7, 0x10010,
		      "OCR.HWPF_L2_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, PREFETCH, MISS, 0x01b7, 0x2184000010,
		      "OCR.HWPF_L2_DATA_RD.L3_MISS"),
	X86_CODES_END
};

static const struct extra_reg goldmont_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x760005ffbf),
	INTEL_OFFCORE_RSP1(0x02b7, 0x360005ffbf),
	{ }
};

static const struct extra_reg tremont_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x800ff0ffffff9fff),
	INTEL_OFFCORE_RSP1(0x02b7, 0xff0ffffff9fff),
	{ }
};

static struct attribute *tremont_events[] = {
	X86_PMU_FILE("topdown-retiring", 0, "event=0xc2,umask=0x0"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x73,umask=0x6"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x71,umask=0x0"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0x74,umask=0x0"),
	NULL,
};

const struct intel_model intel_goldmont = {
	.name		= "goldmont",
	.codes		= goldmont_codes,
	.lbr		= &intel_lbr_goldmont,
	.offcore	= goldmont_offcore,
	.extra		= X86_EXTRA_TABLE(goldmont_extra),
	.pebs		= &intel_pebs_goldmont,
};

const struct intel_model intel_goldmont_plus = {
	.name		= "goldmont_plus",
	.codes		= goldmont_codes,
	.offcore	= goldmont_plus_offcore,
	.lbr		= &intel_lbr_goldmont_plus,
	.extra		= X86_EXTRA_TABLE(goldmont_extra),
	.pebs		= &intel_pebs_goldmont_plus,
};

const struct intel_model intel_tremont = {
	.name		= "tremont",
	.codes		= tremont_codes,
	.lbr		= &intel_lbr_goldmont_plus,
	.offcore	= tremont_offcore,
	.extra		= X86_EXTRA_TABLE(tremont_extra),
	.events		= tremont_events,
	.pebs		= &intel_pebs_tremont,
};
