// SPDX-License-Identifier: GPL-2.0
/*
 * The small cores since Gracemont: the efficiency cores of Alder Lake, Raptor Lake,
 * Meteor Lake (Crestmont), Lunar Lake and Arrow Lake (Skymont); the only cores of Alder
 * Lake-N, Sierra Forest and Grand Ridge.
 *
 * Data only.
 *
 * Sources: the folders alderlake, alderlaken, meteorlake, lunarlake, sierraforest and
 * grandridge of tools/perf/pmu-events/arch/x86; Intel SDM volume 3, chapter "Performance
 * Monitoring", and volume 4 for the registers and their bits.
 */
#include "model.h"

/* Gracemont and Skymont */
static const struct x86_event_code gracemont_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
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

/* Gracemont: caches and memory outside of the core */
static const struct x86_event_code gracemont_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3f84400001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3f84400002, "OCR.DEMAND_RFO.L3_MISS"),
	X86_CODES_END
};

/* Crestmont */
static const struct x86_event_code crestmont_codes[] = {
	INTEL_CACHE(L1D, READ, ACCESS, 0x81d0, "MEM_UOPS_RETIRED.ALL_LOADS"),
	INTEL_CACHE(L1D, READ, MISS, 0x40d1, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
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

/* Crestmont and Skymont: caches and memory outside of the core */
static const struct x86_event_code crestmont_offcore[] = {
	INTEL_OFFCORE(LL, READ, ACCESS, 0x01b7, 0x10001,
		      "OCR.DEMAND_DATA_RD.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, READ, MISS, 0x01b7, 0x3fbfc00001, "OCR.DEMAND_DATA_RD.L3_MISS"),
	INTEL_OFFCORE(LL, WRITE, ACCESS, 0x01b7, 0x10002, "OCR.DEMAND_RFO.ANY_RESPONSE"),
	INTEL_OFFCORE(LL, WRITE, MISS, 0x01b7, 0x3fbfc00002, "OCR.DEMAND_RFO.L3_MISS"),
	X86_CODES_END
};

/* Load latency events. */
static const struct event_constraint gracemont_rules[] = {
	INTEL_UMASK_ON(0x3, 0x05d0),
	{ }
};

/* Skymont has fixed counters for topdown. Their pseudo encodings are as in arch_events.h. */
static const struct event_constraint skymont_rules[] = {
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(4), 0x0500),
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(5), 0x0600),
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(6), 0x0700),
	/* events that general purpose counters count as well */
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(4) | 0xff, 0x0073),
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(5) | 0xff, 0x019c),
	INTEL_EXACT_ON(X86_PMC_FIXED_BIT(6) | 0xff, 0x02c2),
	{ }
};

static const struct extra_reg gracemont_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x800ff3ffffffffff),
	INTEL_OFFCORE_RSP1(0x02b7, 0xff3ffffffffff),
	INTEL_LD_LAT(0x05d0),
	{ }
};

static const struct extra_reg crestmont_extra[] = {
	INTEL_OFFCORE_RSP0(0x01b7, 0x800ff3ffffffffff),
	INTEL_OFFCORE_RSP1(0x02b7, 0xff3ffffffffff),
	INTEL_LD_LAT(0x05d0),
	INTEL_SNOOP_RSP(0x0127, MSR_SNOOP_RSP_0),
	INTEL_SNOOP_RSP(0x0227, MSR_SNOOP_RSP_1),
	{ }
};

static struct attribute *gracemont_events[] = {
	X86_PMU_FILE("topdown-retiring", 0, "event=0xc2,umask=0x0"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x73,umask=0x0"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x71,umask=0x0"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0x74,umask=0x0"),
	NULL,
};

static struct attribute *crestmont_events[] = {
	X86_PMU_FILE("topdown-retiring", 0, "event=0x72,umask=0x0"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x73,umask=0x0"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x71,umask=0x0"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0x74,umask=0x0"),
	NULL,
};

static struct attribute *skymont_events[] = {
	X86_PMU_FILE("topdown-retiring", 0, "event=0xc2,umask=0x2"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x73,umask=0x0"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x9c,umask=0x1"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0xa4,umask=0x2"),
	NULL,
};

const struct intel_model intel_gracemont = {
	.name		= "gracemont",
	.codes		= gracemont_codes,
	.offcore	= gracemont_offcore,
	.rules		= gracemont_rules,
	.extra		= X86_EXTRA_TABLE(gracemont_extra),
	.events		= gracemont_events,
	.pebs		= &intel_pebs_gracemont,
};

const struct intel_model intel_crestmont = {
	.name		= "crestmont",
	.codes		= crestmont_codes,
	.offcore	= crestmont_offcore,
	.rules		= gracemont_rules,
	.extra		= X86_EXTRA_TABLE(crestmont_extra),
	.events		= crestmont_events,
	.pebs		= &intel_pebs_crestmont,
};

const struct intel_model intel_skymont = {
	.name		= "skymont",
	.codes		= gracemont_codes,
	.offcore	= crestmont_offcore,
	.rules		= skymont_rules,
	.extra		= X86_EXTRA_TABLE(gracemont_extra),
	.events		= skymont_events,
	.pebs		= &intel_pebs_crestmont,
};
