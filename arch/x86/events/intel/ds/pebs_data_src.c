// SPDX-License-Identifier: GPL-2.0
/*
 * What records say of memory accesses, of latencies and of transactions, in the values of
 * PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_WEIGHT_STRUCT and PERF_SAMPLE_TRANSACTION.
 *
 * A value with a meaning that is not published for the model has no level, instead of another
 * model's level. x86-parts.rst, "Data sources", has the values of each part.
 *
 * Context: any.
 *
 * Source: Intel SDM volume 3, tables "Data Source Encoding for Load Latency Record", "Layout of
 * Precise Store Information In PEBS Record", "Layout of Data Linear Address Information In PEBS
 * Record", "TX Abort Information Field Definition". The values 5 to 7 from Sandy Bridge on follow
 * the events of tools/perf/pmu-events with XSNP_MISS, XSNP_HIT and XSNP_HITM in their names.
 */
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include "pebs.h"

/* Some cores record what blocked a load. The bits are not published. */
#define OP(_op)			(PERF_MEM_S(OP, _op) | PERF_MEM_S(BLK, NA))
#define NO_LEVEL		(PERF_MEM_S(LVL, NA) | PERF_MEM_S(LVLNUM, NA) | \
				 PERF_MEM_S(SNOOP, NA))
#define NO_TLB			PERF_MEM_S(TLB, NA)
#define NO_LOCK			PERF_MEM_S(LOCK, NA)
#define HIT(_level, _number, _snoop)	\
	(PERF_MEM_S(LVL, _level) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, _number) |	\
	 PERF_MEM_S(SNOOP, _snoop))
#define REMOTE_HIT(_level, _number, _snoop)	\
	(HIT(_level, _number, _snoop) | PERF_MEM_S(REMOTE, REMOTE))

/* An L3 miss with an unknown source. */
#define L3_MISS	\
	(PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVLNUM, NA) |	\
	 PERF_MEM_S(SNOOP, NA))

/* Sources that have been the same since Nehalem. */
#define FIRST_SOURCES						\
	[0x0] = L3_MISS,					\
	[0x1] = HIT(L1, L1, NONE),				\
	[0x2] = HIT(LFB, LFB, NONE),				\
	[0x3] = HIT(L2, L2, NONE),				\
	[0x4] = HIT(L3, L3, NONE)
#define LAST_SOURCES						\
	[0xe] = HIT(IO, IO, NA),				\
	[0xf] = HIT(UNC, UNC, NA)
/* Up to Broadwell: other packages, and memory where the line is shared or exclusive. */
#define PACKAGE_SOURCES						\
	[0x8] = REMOTE_HIT(REM_CCE1, ANY_CACHE, HIT),		\
	[0x9] = NO_LEVEL,					\
	[0xa] = HIT(LOC_RAM, RAM, HIT),				\
	[0xb] = REMOTE_HIT(REM_RAM1, RAM, HIT),			\
	[0xc] = HIT(LOC_RAM, RAM, MISS),			\
	[0xd] = REMOTE_HIT(REM_RAM1, RAM, MISS)
/*
 * From Skylake on. The manual refers Skylake to the table above. Intel has said since that values
 * differ, for a fourth level and for persistent memory, but not which. So lines of other packages
 * have no level. Of memory only the place is known.
 */
#define MEMORY_SOURCES						\
	[0x8] = NO_LEVEL,					\
	[0x9] = NO_LEVEL,					\
	[0xa] = HIT(LOC_RAM, RAM, NA),				\
	[0xb] = REMOTE_HIT(REM_RAM1, RAM, NA),			\
	[0xc] = NO_LEVEL,					\
	[0xd] = NO_LEVEL

#define SOURCES		16

/* Also Westmere. */
static const u64 nehalem_sources[SOURCES] = {
	FIRST_SOURCES, PACKAGE_SOURCES, LAST_SOURCES,
	[0x5] = HIT(L3, L3, HIT),
	[0x6] = HIT(L3, L3, HITM),
	[0x7] = NO_LEVEL,
};

static const u64 nehalem_ex_sources[SOURCES] = {
	FIRST_SOURCES, PACKAGE_SOURCES, LAST_SOURCES,
	[0x5] = HIT(L3, L3, HIT),
	[0x6] = HIT(L3, L3, HITM),
	[0x7] = HIT(L3, L3, HITM),
};

/* Up to Broadwell. */
static const u64 sandybridge_sources[SOURCES] = {
	FIRST_SOURCES, PACKAGE_SOURCES, LAST_SOURCES,
	[0x5] = HIT(L3, L3, MISS),
	[0x6] = HIT(L3, L3, HIT),
	[0x7] = HIT(L3, L3, HITM),
};

static const u64 skylake_sources[SOURCES] = {
	FIRST_SOURCES, MEMORY_SOURCES, LAST_SOURCES,
	[0x5] = HIT(L3, L3, MISS),
	[0x6] = HIT(L3, L3, HIT),
	[0x7] = HIT(L3, L3, HITM),
};

/* Also Golden Cove and Redwood Cove. */
static const u64 icelake_sources[SOURCES] = {
	FIRST_SOURCES, MEMORY_SOURCES, LAST_SOURCES,
	[0x5] = HIT(L3, L3, MISS),
	[0x6] = HIT(L3, L3, HIT),
	/* Forwarded by another core. The line may have been modified or not. */
	[0x7] = HIT(L3, L3, HITM) | PERF_MEM_S(SNOOPX, FWD),
};

#define SOURCE_MASK		GENMASK_ULL(3, 0)
/* Bits behind the source: performance cores from Sandy Bridge on, and Gracemont. */
#define CORE_STLB_MISS		BIT_ULL(4)
#define CORE_LOCKED		BIT_ULL(5)
#define GRACEMONT_LOCKED	BIT_ULL(4)
#define GRACEMONT_STLB_MISS	BIT_ULL(5)
/* The status of stores: of precise stores, and of events in intel_pebs::status. */
#define STORE_L1_HIT		BIT_ULL(0)

static u64 pebs_tlb_and_lock(bool miss, bool locked)
{
	u64 tlb = miss ? PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2) :
			 PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2);

	return tlb | (locked ? PERF_MEM_S(LOCK, LOCKED) : 0);
}

static u64 pebs_core_bits(u64 source)
{
	return pebs_tlb_and_lock(source & CORE_STLB_MISS, source & CORE_LOCKED);
}

static u64 pebs_gracemont_bits(u64 source)
{
	return NO_LEVEL |
	       pebs_tlb_and_lock(source & GRACEMONT_STLB_MISS, source & GRACEMONT_LOCKED);
}

static u64 pebs_store_level(u64 status)
{
	if (status & STORE_L1_HIT)
		return HIT(L1, L1, NA);
	return PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVLNUM, NA) |
	       PERF_MEM_S(SNOOP, NA);
}

/* The unit masks of MEM_UOPS_RETIRED, later MEM_INST_RETIRED; of small cores as well. */
#define MEM_RETIRED		0xd0
#define RETIRED_KIND		GENMASK(1, 0)
#define RETIRED_LOADS		0x1
#define RETIRED_STORES		0x2
#define RETIRED_STLB_HIT	0x08
#define RETIRED_STLB_MISS	0x10
#define RETIRED_LOCKED		0x20
/* MEM_LOAD_RETIRED and its successors: where loads hit. */
#define MEM_LOAD_FIRST		0xd1
#define MEM_LOAD_LAST		0xd4

static u64 pebs_tlb_of_event(u8 umask)
{
	if (umask & RETIRED_STLB_MISS)
		return PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2);
	return umask & RETIRED_STLB_HIT ? PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L2) : NO_TLB;
}

/* An event with an address. The event says what kind of access it was; @level is of stores. */
static u64 pebs_from_event(u64 config, u64 level)
{
	u8 event = config & ARCH_PERFMON_EVENTSEL_EVENT;
	u8 umask = (config & ARCH_PERFMON_EVENTSEL_UMASK) >> 8;
	u64 found = umask & RETIRED_LOCKED ? PERF_MEM_S(LOCK, LOCKED) : NO_LOCK;

	if (event >= MEM_LOAD_FIRST && event <= MEM_LOAD_LAST)
		return OP(LOAD) | NO_LEVEL | NO_TLB | NO_LOCK;
	if (event != MEM_RETIRED)
		return PERF_MEM_NA;
	found |= pebs_tlb_of_event(umask);
	switch (umask & RETIRED_KIND) {
	case RETIRED_LOADS:
		return found | OP(LOAD) | NO_LEVEL;
	case RETIRED_STORES:
		return found | OP(STORE) | level;
	}
	return found | OP(NA) | NO_LEVEL;
}

/**
 * pebs_data_src() - translate what a record says of memory
 * @memory: what kind of record it is
 * @config: event select value of the event
 * @source: the field of the record
 *
 * Return: a value for perf_sample_data::data_src.
 */
u64 pebs_data_src(enum pebs_memory memory, u64 config, u64 source)
{
	switch (memory) {
	case PEBS_LOADS_NEHALEM:
		return OP(LOAD) | nehalem_sources[source & SOURCE_MASK] | NO_TLB | NO_LOCK;
	case PEBS_LOADS_NEHALEM_EX:
		return OP(LOAD) | nehalem_ex_sources[source & SOURCE_MASK] | NO_TLB | NO_LOCK;
	case PEBS_LOADS_SANDYBRIDGE:
		return OP(LOAD) | sandybridge_sources[source & SOURCE_MASK] |
			pebs_core_bits(source);
	case PEBS_LOADS_SKYLAKE:
		return OP(LOAD) | skylake_sources[source & SOURCE_MASK] | pebs_core_bits(source);
	case PEBS_LOADS_ICELAKE:
		return OP(LOAD) | icelake_sources[source & SOURCE_MASK] | pebs_core_bits(source);
	case PEBS_STORES_ICELAKE:
		return OP(STORE) | icelake_sources[source & SOURCE_MASK] | pebs_core_bits(source);
	case PEBS_LOADS_GRACEMONT:
		return OP(LOAD) | pebs_gracemont_bits(source);
	case PEBS_STORES_GRACEMONT:
		return OP(STORE) | pebs_gracemont_bits(source);
	case PEBS_STORES_STATUS:
		return OP(STORE) | pebs_store_level(source) | pebs_core_bits(source);
	case PEBS_LOADS_UNKNOWN:
		return OP(LOAD) | NO_LEVEL | NO_TLB | NO_LOCK;
	case PEBS_STORES_UNKNOWN:
		return OP(STORE) | NO_LEVEL | NO_TLB | NO_LOCK;
	case PEBS_DATA_ADDRESS:
		return pebs_from_event(config, NO_LEVEL);
	case PEBS_DATA_STATUS:
		return pebs_from_event(config, pebs_store_level(source));
	case PEBS_MEMORY_NONE:
		break;
	}
	return PERF_MEM_NA;
}

/* Latency of Golden Cove and later: of the instruction, and of the cache. */
#define LATENCY_INSTRUCTION(_latency)	((u16)(_latency))
#define LATENCY_CACHE(_latency)		((u16)((_latency) >> 32))
/* Cycles in the transaction that was aborted. */
#define TSX_CYCLES(_tsx)		((u32)(_tsx))

/* Is the field of the latency valid? In other records it is reserved. */
static bool pebs_has_latency(enum pebs_memory memory)
{
	switch (memory) {
	case PEBS_MEMORY_NONE:
	case PEBS_STORES_STATUS:
	case PEBS_DATA_ADDRESS:
	case PEBS_DATA_STATUS:
		return false;
	default:
		return true;
	}
}

/**
 * pebs_weight() - translate what a record says of latencies
 * @memory: what kind of record it is
 * @flags: PEBS_LATENCY_WORDS if the latency has parts
 * @type: PERF_SAMPLE_WEIGHT or PERF_SAMPLE_WEIGHT_STRUCT
 * @record: the record
 *
 * The weight of an event that has no latency is the cycles in the transaction that was aborted.
 *
 * Return: a value for perf_sample_data::weight.
 */
union perf_sample_weight pebs_weight(enum pebs_memory memory, u16 flags, u64 type,
				     const struct pebs_record *record)
{
	bool parts = pebs_has_latency(memory) && flags & PEBS_LATENCY_WORDS;
	u64 weight = TSX_CYCLES(record->tsx);

	if (parts)
		weight = LATENCY_CACHE(record->latency);
	else if (pebs_has_latency(memory))
		weight = record->latency;
	if (type & PERF_SAMPLE_WEIGHT)
		return (union perf_sample_weight) { .full = weight };
	return (union perf_sample_weight) {
		.var1_dw	= min_t(u64, weight, U32_MAX),
		.var2_w		= parts ? LATENCY_INSTRUCTION(record->latency) : 0,
		.var3_w		= record->retire_latency,
	};
}

/* The flags of an abort are the bits of PERF_TXN_*, in the same order. */
#define TSX_FLAGS_SHIFT		32
static_assert(PERF_TXN_ELISION == BIT(0) && PERF_TXN_TRANSACTION == BIT(1) &&
	      PERF_TXN_SYNC == BIT(2) && PERF_TXN_ASYNC == BIT(3) && PERF_TXN_RETRY == BIT(4) &&
	      PERF_TXN_CONFLICT == BIT(5) && PERF_TXN_CAPACITY_WRITE == BIT(6) &&
	      PERF_TXN_CAPACITY_READ == BIT(7) && PERF_TXN_MAX == BIT(8));

/* EAX after an abort: XABORT has caused it, with an operand. SDM volume 1, "RTM Abort Status". */
#define ABORT_EXPLICIT		BIT_ULL(0)
#define ABORT_OPERAND		GENMASK_ULL(31, 24)

/**
 * pebs_transaction() - translate what a record says of an abort of a transaction
 * @record: the record
 *
 * Return: a value for perf_sample_data::txn; 0 if no transaction was aborted.
 */
u64 pebs_transaction(const struct pebs_record *record)
{
	u64 txn = record->tsx >> TSX_FLAGS_SHIFT & (PERF_TXN_MAX - 1);
	u64 ax = record->reg[PEBS_AX];

	if (txn & PERF_TXN_TRANSACTION && record->has & PEBS_HAS_REGS && ax & ABORT_EXPLICIT)
		txn |= (ax & ABORT_OPERAND) >> 24 << PERF_TXN_ABORT_SHIFT;
	return txn;
}
