// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the decoding of PEBS records. The records are written by hand from the tables of
 * Intel's SDM, volume 3; each value of eight bytes has its offset beside it.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include "../intel/cores/model.h"
#include "../intel/ds/pebs_cpu.h"

/* Formats 0 to 3: the values are their offsets, with a mark. */
#define AT(_offset)	(0xabcd000000000000ULL | (_offset))

static void fill_old(u64 *record, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		record[i] = AT(i * 8);
}

static void expect_old_regs(struct kunit *test, const struct pebs_record *out)
{
	static const u8 offsets[PEBS_REGS] = {
		[PEBS_FLAGS] = 0x00, [PEBS_IP] = 0x08, [PEBS_AX] = 0x10, [PEBS_BX] = 0x18,
		[PEBS_CX] = 0x20, [PEBS_DX] = 0x28, [PEBS_SI] = 0x30, [PEBS_DI] = 0x38,
		[PEBS_BP] = 0x40, [PEBS_SP] = 0x48, [PEBS_R8] = 0x50, [PEBS_R9] = 0x58,
		[PEBS_R10] = 0x60, [PEBS_R11] = 0x68, [PEBS_R12] = 0x70, [PEBS_R13] = 0x78,
		[PEBS_R14] = 0x80, [PEBS_R15] = 0x88,
	};
	unsigned int i;

	for (i = 0; i < PEBS_REGS; i++)
		KUNIT_EXPECT_EQ_MSG(test, out->reg[i], AT(offsets[i]), "register %u", i);
}

static void old_formats_are_decoded(struct kunit *test)
{
	static const u32 sizes[] = { 144, 176, 192, 200 };
	struct pebs_record out;
	u64 record[25];
	u8 format;

	fill_old(record, ARRAY_SIZE(record));
	for (format = 0; format < ARRAY_SIZE(sizes); format++) {
		struct pebs_layout layout = { .format = format };

		KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, record, sizes[format], &out), 0);
		KUNIT_EXPECT_EQ(test, out.size, sizes[format]);
		KUNIT_EXPECT_EQ(test, pebs_record_size(&layout, U64_MAX), sizes[format]);
		expect_old_regs(test, &out);
		KUNIT_EXPECT_EQ(test, out.counters, format < 3 ? 0 : AT(0x90));
		KUNIT_EXPECT_EQ(test, out.address, format < 1 ? 0 : AT(0x98));
		KUNIT_EXPECT_EQ(test, out.source, format < 1 ? 0 : AT(0xa0));
		KUNIT_EXPECT_EQ(test, out.latency, format < 1 ? 0 : AT(0xa8));
		KUNIT_EXPECT_EQ(test, out.eventing_ip, format < 2 ? 0 : AT(0xb0));
		KUNIT_EXPECT_EQ(test, out.tsx, format < 2 ? 0 : AT(0xb8));
		KUNIT_EXPECT_EQ(test, out.tsc, format < 3 ? 0 : AT(0xc0));
		KUNIT_EXPECT_EQ(test, !!(out.has & PEBS_HAS_COUNTERS), format >= 3);
		KUNIT_EXPECT_EQ(test, !!(out.has & PEBS_HAS_EVENTING_IP), format >= 2);
		KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, sizes[format] - 1, &out),
				-EBADMSG);
	}
}

/* Silvermont: nothing of memory. Goldmont: an address, no source, no latency. */
static void small_cores_have_reserved_fields(struct kunit *test)
{
	struct pebs_layout layout = { .format = 2, .no_memory = true };
	struct pebs_record out;
	u64 record[25];

	fill_old(record, ARRAY_SIZE(record));
	KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), 0);
	KUNIT_EXPECT_EQ(test, out.has & (PEBS_HAS_MEMORY | PEBS_HAS_TSX), 0);
	KUNIT_EXPECT_EQ(test, out.address | out.source | out.latency | out.tsx, 0);
	KUNIT_EXPECT_EQ(test, out.eventing_ip, AT(0xb0));

	layout.format = 3;
	KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), 0);
	KUNIT_EXPECT_EQ(test, out.address, AT(0x98));
	KUNIT_EXPECT_EQ(test, out.source | out.latency | out.tsx, 0);
	KUNIT_EXPECT_EQ(test, out.tsc, AT(0xc0));
}

/* An adaptive record with all groups: offsets 0x20, 0x40, 0xd0 and 0x1d0, two branches. */
static const u64 all_groups[] = {
	/* 00 */ 0x0200000f | 0x77ULL << 32 | 0x218ULL << 48, 0x401000, BIT_ULL(33) | 2, 0x7777,
	/* 20 */ 0x7ffe1000, 0x16, 0x12300000045, 0x2400000011,
	/* 40: flags ip ax cx dx bx sp bp si di r8 to r15 */
	0x246, 0x401003, 0xa0, 0xc0, 0xd0, 0xb0, 0x5b0, 0xb50, 0x510, 0xd10,
	8, 9, 10, 11, 12, 13, 14, 15,
	/* d0 */ 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115,
	116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
	/* 1d0 */ 0x401100, 0x401200, 5, 0x401300, 0x401400, 6, 0x401500, 0x401600, 7,
};

static_assert(sizeof(all_groups) == 0x218);

static void expect_group_regs(struct kunit *test, const struct pebs_record *out)
{
	static const u64 values[PEBS_REGS] = {
		[PEBS_FLAGS] = 0x246, [PEBS_IP] = 0x401003, [PEBS_AX] = 0xa0, [PEBS_BX] = 0xb0,
		[PEBS_CX] = 0xc0, [PEBS_DX] = 0xd0, [PEBS_SI] = 0x510, [PEBS_DI] = 0xd10,
		[PEBS_BP] = 0xb50, [PEBS_SP] = 0x5b0, [PEBS_R8] = 8, [PEBS_R9] = 9,
		[PEBS_R10] = 10, [PEBS_R11] = 11, [PEBS_R12] = 12, [PEBS_R13] = 13,
		[PEBS_R14] = 14, [PEBS_R15] = 15,
	};

	KUNIT_EXPECT_MEMEQ(test, out->reg, values, sizeof(values));
}

static void all_groups_are_decoded(struct kunit *test)
{
	struct pebs_layout layout = { .format = 4, .timed = true };
	struct pebs_record out;

	KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, all_groups, sizeof(all_groups), &out), 0);
	KUNIT_EXPECT_EQ(test, out.size, 0x218);
	KUNIT_EXPECT_EQ(test, out.retire_latency, 0x77);
	KUNIT_EXPECT_EQ(test, out.eventing_ip, 0x401000);
	KUNIT_EXPECT_EQ(test, out.counters, BIT_ULL(33) | 2);
	KUNIT_EXPECT_EQ(test, out.tsc, 0x7777);
	KUNIT_EXPECT_EQ(test, out.address, 0x7ffe1000);
	KUNIT_EXPECT_EQ(test, out.source, 0x16);
	KUNIT_EXPECT_EQ(test, out.latency, 0x12300000045);
	KUNIT_EXPECT_EQ(test, out.tsx, 0x2400000011);
	expect_group_regs(test, &out);
	KUNIT_EXPECT_EQ(test, out.xmm[0], 100);
	KUNIT_EXPECT_EQ(test, out.xmm[31], 131);
	KUNIT_ASSERT_EQ(test, out.nr_branches, 3);
	KUNIT_EXPECT_EQ(test, out.branches[0].from, 0x401100);
	KUNIT_EXPECT_EQ(test, out.branches[2].to, 0x401600);
	KUNIT_EXPECT_EQ(test, out.branches[2].info, 7);

	layout.timed = false;
	KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, all_groups, sizeof(all_groups), &out), 0);
	KUNIT_EXPECT_EQ(test, out.retire_latency, 0);
	KUNIT_EXPECT_FALSE(test, out.has & PEBS_HAS_RETIRE_LATENCY);
}

/* Copy those groups of the record above that are in @groups. Returns bytes. */
static size_t pick_groups(u64 *to, u64 groups)
{
	static const struct { u16 at, nr; } of[] = { { 4, 4 }, { 8, 18 }, { 26, 32 }, { 58, 9 } };
	u64 *end = to + 4;
	unsigned int i;

	memcpy(to, all_groups, 32);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		if (!(groups & BIT(i)))
			continue;
		memcpy(end, all_groups + of[i].at, of[i].nr * 8);
		end += of[i].nr;
	}
	to[0] = (u64)(end - to) * 8 << 48 | groups | (groups & PEBS_GROUP_BRANCHES ? 2 << 24 : 0);
	return (end - to) * 8;
}

static void any_groups_are_decoded(struct kunit *test)
{
	struct pebs_layout layout = { .format = 5 };
	u64 record[ARRAY_SIZE(all_groups)], groups;
	struct pebs_record out;
	size_t size;

	for (groups = 0; groups <= PEBS_GROUPS; groups++) {
		size = pick_groups(record, groups);
		KUNIT_ASSERT_EQ(test, pebs_record_decode(&layout, record, size, &out), 0);
		KUNIT_EXPECT_EQ(test, out.size, size);
		KUNIT_EXPECT_EQ(test, pebs_record_size(&layout, groups | 2 << 24), size);
		KUNIT_EXPECT_EQ(test, out.address, groups & PEBS_GROUP_MEMORY ? 0x7ffe1000 : 0);
		if (groups & PEBS_GROUP_REGS)
			expect_group_regs(test, &out);
		else
			KUNIT_EXPECT_EQ(test, out.reg[PEBS_IP], 0x401000);
		KUNIT_EXPECT_EQ(test, out.xmm ? out.xmm[1] : 0, groups & PEBS_GROUP_XMM ? 101 : 0);
		KUNIT_EXPECT_EQ(test, out.nr_branches ? out.branches[1].from : 0,
				groups & PEBS_GROUP_BRANCHES ? 0x401300 : 0);
	}
}

static void bad_records_are_refused(struct kunit *test)
{
	struct pebs_layout layout = { .format = 4 };
	struct pebs_record out;
	u64 record[ARRAY_SIZE(all_groups)];
	size_t left;

	memcpy(record, all_groups, sizeof(record));
	for (left = 0; left < sizeof(record); left++)
		KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, left, &out), -EBADMSG);
	record[0] &= GENMASK_ULL(47, 0);		/* of no size */
	KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), -EBADMSG);
	record[0] |= 32ULL << 48;			/* smaller than its groups */
	KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), -EBADMSG);
	record[0] = BIT_ULL(4) | 32ULL << 48;		/* a group that is not known */
	KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), -EBADMSG);
	layout.format = PEBS_FORMAT_MAX + 1;
	KUNIT_EXPECT_EQ(test, pebs_record_decode(&layout, record, sizeof(record), &out), -EBADMSG);
	KUNIT_EXPECT_EQ(test, pebs_record_size(&layout, 0), 0);
}

static union perf_mem_data_src source_of(enum pebs_memory memory, u64 config, u64 source)
{
	return (union perf_mem_data_src) { .val = pebs_data_src(memory, config, source) };
}

/* SDM table "Data Source Encoding for Load Latency Record", by value; Skylake and later differ. */
static void sources_of_loads(struct kunit *test)
{
	static const enum pebs_memory kinds[] = {
		PEBS_LOADS_NEHALEM, PEBS_LOADS_NEHALEM_EX, PEBS_LOADS_SANDYBRIDGE,
		PEBS_LOADS_SKYLAKE, PEBS_LOADS_ICELAKE,
	};
	static const struct {
		u8	level[ARRAY_SIZE(kinds)];
		u8	snoop[ARRAY_SIZE(kinds)];
	} of[16] = {
		{ { 0xf, 0xf, 0xf, 0xf, 0xf }, { 1, 1, 1, 1, 1 } },
		{ { 1, 1, 1, 1, 1 }, { 2, 2, 2, 2, 2 } },		/* L1 */
		{ { 0xc, 0xc, 0xc, 0xc, 0xc }, { 2, 2, 2, 2, 2 } },	/* fill buffer */
		{ { 2, 2, 2, 2, 2 }, { 2, 2, 2, 2, 2 } },
		{ { 3, 3, 3, 3, 3 }, { 2, 2, 2, 2, 2 } },
		{ { 3, 3, 3, 3, 3 }, { 4, 4, 8, 8, 8 } },
		{ { 3, 3, 3, 3, 3 }, { 0x10, 0x10, 4, 4, 4 } },
		{ { 0xf, 3, 3, 3, 3 }, { 1, 0x10, 0x10, 0x10, 0x10 } },
		{ { 0xb, 0xb, 0xb, 0xf, 0xf }, { 4, 4, 4, 1, 1 } },
		{ { 0xf, 0xf, 0xf, 0xf, 0xf }, { 1, 1, 1, 1, 1 } },
		{ { 0xd, 0xd, 0xd, 0xd, 0xd }, { 4, 4, 4, 1, 1 } },	/* memory */
		{ { 0xd, 0xd, 0xd, 0xd, 0xd }, { 4, 4, 4, 1, 1 } },
		{ { 0xd, 0xd, 0xd, 0xf, 0xf }, { 8, 8, 8, 1, 1 } },
		{ { 0xd, 0xd, 0xd, 0xf, 0xf }, { 8, 8, 8, 1, 1 } },
		{ { 0xa, 0xa, 0xa, 0xa, 0xa }, { 1, 1, 1, 1, 1 } },
		{ { 0x8, 0x8, 0x8, 0x8, 0x8 }, { 1, 1, 1, 1, 1 } },
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		for (n = 0; n < ARRAY_SIZE(kinds); n++) {
			union perf_mem_data_src src = source_of(kinds[n], 0, i);
			bool remote = of[i].level[n] != 0xf && (i == 8 || i == 0xb || i == 0xd);

			KUNIT_EXPECT_EQ_MSG(test, (u64)src.mem_lvl_num, of[i].level[n], "%u %u",
					    i, n);
			KUNIT_EXPECT_EQ_MSG(test, (u64)src.mem_snoop, of[i].snoop[n], "%u %u",
					    i, n);
			KUNIT_EXPECT_EQ_MSG(test, (u64)src.mem_remote, remote, "%u %u", i, n);
			KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_LOAD);
		}
	}
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_LOADS_ICELAKE, 0, 7).mem_snoopx,
			PERF_MEM_SNOOPX_FWD);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_LOADS_SKYLAKE, 0, 7).mem_snoopx, 0);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_LOADS_SANDYBRIDGE, 0, 7).mem_snoopx, 0);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_LOADS_NEHALEM, 0, 0).mem_lvl,
			PERF_MEM_LVL_L3 | PERF_MEM_LVL_MISS);
}

/* Which of the sources 0 to 15 have a level on a part. */
static void sources_of_parts(struct kunit *test)
{
	static const struct {
		u8	model;
		u32	kind;
		u16	loads;
		u16	stores;		/* of the latency of stores; 0: there is none */
	} parts[] = {
		{ 0x1a, 0, 0xfd7e, 0 },		/* Nehalem */
		{ 0x2e, 0, 0xfdfe, 0 },		/* Nehalem-EX */
		{ 0x2f, 0, 0xfd7e, 0 },		/* Westmere-EX */
		{ 0x3e, 0, 0xfdfe, 0 },		/* Ivy Bridge of servers */
		{ 0x4f, 0, 0xfdfe, 0 },		/* Broadwell of servers */
		{ 0x5e, 0, 0xccfe, 0 },		/* Skylake */
		{ 0x55, 0, 0xccfe, 0 },		/* of servers, also Cascade and Cooper Lake */
		{ 0xa5, 0, 0xccfe, 0 },		/* Comet Lake */
		{ 0x6a, 0, 0xccfe, 0 },		/* Ice Lake of servers */
		{ 0x8f, 0, 0xccfe, 0xccfe },	/* Sapphire Rapids */
		{ 0xad, 0, 0xccfe, 0xccfe },	/* Granite Rapids */
		{ 0x97, INTEL_KIND(INTEL_CORE, 1), 0xccfe, 0xccfe },	/* Alder Lake */
		{ 0x97, INTEL_KIND(INTEL_ATOM, 1), 0, 0 },
		{ 0xaa, INTEL_KIND(INTEL_CORE, 2), 0xccfe, 0xccfe },	/* Meteor Lake */
		{ 0xaa, INTEL_KIND(INTEL_ATOM, 2), 0, 0 },
		{ 0xaf, 0, 0, 0 },		/* Sierra Forest */
		{ 0xbd, INTEL_KIND(INTEL_CORE, 3), 0, 0 },		/* Lunar Lake */
		{ 0xbd, INTEL_KIND(INTEL_ATOM, 3), 0, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct x86_hw_identity id = { X86_VENDOR_INTEL, 6, parts[i].model };
		const struct intel_part *part = intel_part_of(&id, parts[i].kind);
		u16 loads = 0, stores = 0;

		KUNIT_ASSERT_NOT_NULL(test, part);
		for (unsigned int n = 0; n < 16; n++) {
			const struct intel_pebs *pebs = part->model->pebs;

			if (source_of(pebs->loads, 0, n).mem_lvl & PERF_MEM_LVL_HIT)
				loads |= BIT(n);
			if (pebs->flags & PEBS_LATENCY_WORDS &&
			    source_of(pebs->stores, 0, n).mem_lvl & PERF_MEM_LVL_HIT)
				stores |= BIT(n);
		}
		KUNIT_EXPECT_EQ_MSG(test, loads, parts[i].loads, "model %#x", parts[i].model);
		KUNIT_EXPECT_EQ_MSG(test, stores, parts[i].stores, "model %#x", parts[i].model);
	}
}

/* The field has eight bits on Lion Cove and five on Crestmont. Nothing of them is published. */
static void wide_sources_are_unknown(struct kunit *test)
{
	for (unsigned int i = 0; i < 256; i++) {
		union perf_mem_data_src src = source_of(PEBS_LOADS_UNKNOWN, 0, i);

		KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_NA);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl_num, PERF_MEM_LVLNUM_NA);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_snoop, PERF_MEM_SNOOP_NA);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_dtlb, PERF_MEM_TLB_NA);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_lock, PERF_MEM_LOCK_NA);
	}
}

static void expect_bits(struct kunit *test, enum pebs_memory memory, u64 source, unsigned int tlb,
			unsigned int lock)
{
	union perf_mem_data_src src = source_of(memory, 0, source);

	KUNIT_EXPECT_EQ(test, src.mem_dtlb & (PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS |
					      PERF_MEM_TLB_NA), tlb);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lock, lock);
}

static void bits_behind_the_source(struct kunit *test)
{
	expect_bits(test, PEBS_LOADS_NEHALEM, 0x33, PERF_MEM_TLB_NA, PERF_MEM_LOCK_NA);
	expect_bits(test, PEBS_LOADS_SANDYBRIDGE, 0x13, PERF_MEM_TLB_MISS, 0);
	expect_bits(test, PEBS_LOADS_ICELAKE, 0x23, PERF_MEM_TLB_HIT, PERF_MEM_LOCK_LOCKED);
	/* Gracemont has them in the other order. */
	expect_bits(test, PEBS_LOADS_GRACEMONT, 0x13, PERF_MEM_TLB_HIT, PERF_MEM_LOCK_LOCKED);
	expect_bits(test, PEBS_STORES_GRACEMONT, 0x23, PERF_MEM_TLB_MISS, 0);
	expect_bits(test, PEBS_LOADS_UNKNOWN, 0x33, PERF_MEM_TLB_NA, PERF_MEM_LOCK_NA);
	expect_bits(test, PEBS_STORES_STATUS, 0x31, PERF_MEM_TLB_MISS, PERF_MEM_LOCK_LOCKED);
}

static void sources_of_stores(struct kunit *test)
{
	union perf_mem_data_src src = source_of(PEBS_STORES_STATUS, 0, 1);

	KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT);
	src = source_of(PEBS_STORES_STATUS, 0, 0);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS);
	src = source_of(PEBS_STORES_ICELAKE, 0, 3);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl_num, PERF_MEM_LVLNUM_L2);

	/* MEM_INST_RETIRED: .ALL_STORES, .STLB_MISS_LOADS, .LOCK_LOADS, .ANY, .STLB_HIT_LOADS */
	src = source_of(PEBS_DATA_STATUS, 0x82d0, 1);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_DATA_STATUS, 0x82d0, 0).mem_lvl,
			PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS);
	for (u64 status = 0; status < 2; status++) {
		src = source_of(PEBS_DATA_ADDRESS, 0x82d0, status);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_STORE);
		KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_NA);
	}
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_DATA_ADDRESS, 0x09d0, 0).mem_dtlb,
			PERF_MEM_TLB_HIT | PERF_MEM_TLB_L2);
	src = source_of(PEBS_DATA_ADDRESS, 0x11d0, 1);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_op, PERF_MEM_OP_LOAD);
	KUNIT_EXPECT_EQ(test, (u64)src.mem_lvl, PERF_MEM_LVL_NA);
	KUNIT_EXPECT_TRUE(test, src.mem_dtlb & PERF_MEM_TLB_MISS);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_DATA_ADDRESS, 0x21d0, 0).mem_lock,
			PERF_MEM_LOCK_LOCKED);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_DATA_ADDRESS, 0x83d0, 0).mem_op, PERF_MEM_OP_NA);
	KUNIT_EXPECT_EQ(test, (u64)source_of(PEBS_DATA_ADDRESS, 0x01d1, 0).mem_op,
			PERF_MEM_OP_LOAD);
	KUNIT_EXPECT_EQ(test, source_of(PEBS_MEMORY_NONE, 0, 0x3f).val, PERF_MEM_NA);
}

/* The stores that have a level, from the status of a hit, on a part and in a format of records. */
static void stores_with_a_status(struct kunit *test)
{
	static const u16 events[] = { 0x12d0, 0x42d0, 0x82d0, 0x0ad0, 0x83d0, 0x22d0, 0x52d0 };
	static const struct {
		u8	model;
		u32	kind;
		u8	format;
		u8	hits;		/* mask of @events */
	} parts[] = {
		{ 0x3c, 0, 2, 0x7 },		/* Haswell */
		{ 0x4f, 0, 2, 0x7 },		/* Broadwell */
		{ 0x55, 0, 3, 0x7 },		/* Skylake */
		{ 0x7e, 0, 4, 0x7 },		/* Ice Lake */
		{ 0x8f, 0, 4, 0x7 },		/* Sapphire Rapids */
		{ 0x97, INTEL_KIND(INTEL_CORE, 1), 4, 0x7 },	/* Alder Lake */
		{ 0x97, INTEL_KIND(INTEL_ATOM, 1), 4, 0 },
		{ 0xaa, INTEL_KIND(INTEL_CORE, 2), 4, 0xf },	/* Meteor Lake */
		{ 0xaa, INTEL_KIND(INTEL_ATOM, 2), 4, 0 },
		{ 0xad, 0, 5, 0xf },		/* Granite Rapids */
		{ 0xaf, 0, 5, 0 },		/* Sierra Forest */
		{ 0xbd, INTEL_KIND(INTEL_CORE, 3), 6, 0xf },	/* Lunar Lake */
		{ 0xbd, INTEL_KIND(INTEL_ATOM, 3), 6, 0 },
		{ 0x5c, 0, 3, 0 },		/* Goldmont */
		{ 0x7a, 0, 3, 0 },		/* Goldmont Plus */
		{ 0x86, 0, 4, 0 },		/* Tremont */
		{ 0x2a, 0, 1, 0 },		/* Sandy Bridge: other events have no address */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct x86_hw_identity id = { X86_VENDOR_INTEL, 6, parts[i].model };
		const struct intel_part *part = intel_part_of(&id, parts[i].kind);
		struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
		struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
		u8 hits = 0;

		KUNIT_ASSERT_NOT_NULL(test, part);
		KUNIT_ASSERT_NOT_NULL(test, core);
		KUNIT_ASSERT_NOT_NULL(test, event);
		core->precise.pebs = part->model->pebs;
		core->precise.format = parts[i].format;
		event->pmu = &core->pmu;
		for (unsigned int n = 0; n < ARRAY_SIZE(events); n++) {
			event->hw.config = ARCH_PERFMON_EVENTSEL_USR | events[n];
			if (source_of(pebs_memory_of(event), events[n], 1).mem_lvl &
			    PERF_MEM_LVL_L1)
				hits |= BIT(n);
		}
		KUNIT_EXPECT_EQ_MSG(test, hits, parts[i].hits, "model %#x kind %#x",
				    parts[i].model, parts[i].kind);
		kunit_kfree(test, event);
		kunit_kfree(test, core);
	}
}

static void expect_weight(struct kunit *test, enum pebs_memory memory, u64 latency, u32 first,
			  u16 second)
{
	struct pebs_record record = {
		.latency = latency, .tsx = BIT_ULL(33) | 5, .retire_latency = 9,
	};
	union perf_sample_weight weight;

	weight = pebs_weight(memory, PEBS_LATENCY_WORDS, PERF_SAMPLE_WEIGHT_STRUCT, &record);
	KUNIT_EXPECT_EQ_MSG(test, (u32)weight.var1_dw, first, "%d %#llx", memory, latency);
	KUNIT_EXPECT_EQ_MSG(test, (u16)weight.var2_w, second, "%d %#llx", memory, latency);
	KUNIT_EXPECT_EQ_MSG(test, (u16)weight.var3_w, 9, "%d %#llx", memory, latency);
	weight = pebs_weight(memory, PEBS_LATENCY_WORDS, PERF_SAMPLE_WEIGHT, &record);
	KUNIT_EXPECT_EQ_MSG(test, (u64)weight.full, first, "%d %#llx", memory, latency);
}

/* Latencies in two parts. The transaction takes 5 cycles; the cache may take as many. */
static void latencies_have_parts(struct kunit *test)
{
	static const enum pebs_memory kinds[] = {
		PEBS_LOADS_ICELAKE, PEBS_LOADS_GRACEMONT, PEBS_LOADS_UNKNOWN, PEBS_STORES_ICELAKE,
		PEBS_STORES_GRACEMONT, PEBS_STORES_UNKNOWN,
	};
	static const enum pebs_memory others[] = {
		PEBS_MEMORY_NONE, PEBS_DATA_ADDRESS, PEBS_DATA_STATUS,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		expect_weight(test, kinds[i], 0x0000004000000007, 0x40, 7);
		expect_weight(test, kinds[i], 0x0000000500000007, 5, 7);
		expect_weight(test, kinds[i], 0x0000000000000007, 0, 7);
		expect_weight(test, kinds[i], 0, 0, 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		expect_weight(test, others[i], 0x0000004000000007, 5, 0);
		expect_weight(test, others[i], 0x0000000500000007, 5, 0);
	}
}

/* Before Golden Cove the latency is one number. Precise stores have none. */
static void latencies_are_numbers(struct kunit *test)
{
	struct pebs_record record = { .latency = 0x123456789 };
	union perf_sample_weight weight;

	weight = pebs_weight(PEBS_LOADS_SKYLAKE, 0, PERF_SAMPLE_WEIGHT_STRUCT, &record);
	KUNIT_EXPECT_EQ(test, (u32)weight.var1_dw, U32_MAX);
	KUNIT_EXPECT_EQ(test, (u16)weight.var2_w, 0);
	weight = pebs_weight(PEBS_LOADS_SKYLAKE, 0, PERF_SAMPLE_WEIGHT, &record);
	KUNIT_EXPECT_EQ(test, (u64)weight.full, 0x123456789);
	weight = pebs_weight(PEBS_STORES_STATUS, 0, PERF_SAMPLE_WEIGHT, &record);
	KUNIT_EXPECT_EQ(test, (u64)weight.full, 0);
}

/* What blocked a load is not known, whatever the bits behind the source are. */
static void no_record_says_what_blocked(struct kunit *test)
{
	for (int memory = PEBS_LOADS_NEHALEM; memory <= PEBS_DATA_STATUS; memory++) {
		for (u64 source = 0; source < 256; source++)
			KUNIT_EXPECT_EQ_MSG(test, (u64)source_of(memory, 0x81d0, source).mem_blk,
					    PERF_MEM_BLK_NA, "%d %#llx", memory, source);
	}
}

/* SDM table "TX Abort Information Field Definition" */
static void aborts_are_decoded(struct kunit *test)
{
	struct pebs_record record = { .has = PEBS_HAS_TSX };

	record.tsx = 77 | BIT_ULL(33) | BIT_ULL(34) | BIT_ULL(36);
	KUNIT_EXPECT_EQ(test, pebs_transaction(&record),
			PERF_TXN_TRANSACTION | PERF_TXN_SYNC | PERF_TXN_RETRY);
	record.tsx = BIT_ULL(32) | BIT_ULL(35) | BIT_ULL(37) | BIT_ULL(38) | BIT_ULL(39) |
		     BIT_ULL(40);
	KUNIT_EXPECT_EQ(test, pebs_transaction(&record),
			PERF_TXN_ELISION | PERF_TXN_ASYNC | PERF_TXN_CONFLICT |
			PERF_TXN_CAPACITY_WRITE | PERF_TXN_CAPACITY_READ);
	/* XABORT with an operand */
	record.has |= PEBS_HAS_REGS;
	record.tsx = BIT_ULL(33);
	record.reg[PEBS_AX] = 0x42000001;
	KUNIT_EXPECT_EQ(test, pebs_transaction(&record),
			PERF_TXN_TRANSACTION | 0x42ULL << PERF_TXN_ABORT_SHIFT);
	record.reg[PEBS_AX] = 0x42000006;
	KUNIT_EXPECT_EQ(test, pebs_transaction(&record), PERF_TXN_TRANSACTION);
}

/* nop; xor %eax,%eax; nopw; nopw; je 0; jmp; many times nop */
static const u8 located_text[11 + 70] = {
	0x90, 0x31, 0xc0, 0x66, 0x90, 0x66, 0x90, 0x74, 0x00, 0xeb, 0x10, [11 ... 80] = 0x90,
};

#define TEXT(_offset)	((unsigned long)located_text + (_offset))

/* @from, @to: offsets in the text; -1: in user space */
struct located_branch {
	int	from;
	int	to;
};

static u64 locate(const struct located_branch *branches, unsigned int nr, int offset)
{
	struct perf_branch_entry entries[4] = { };

	for (unsigned int i = 0; i < nr; i++) {
		entries[i].from = branches[i].from < 0 ? 0x1000 : TEXT(branches[i].from);
		entries[i].to = branches[i].to < 0 ? 0x1000 : TEXT(branches[i].to);
	}
	return pebs_locate(entries, nr, TEXT(offset));
}

static void instructions_are_located(struct kunit *test)
{
	/* the latest first: code up to the jump, and behind it */
	static const struct located_branch here[] = { { 9, 0 } };
	static const struct located_branch gone_on[] = { { 3, 9 }, { 9, 0 } };
	static const struct located_branch entered[] = { { -1, 0 } };
	static const struct located_branch left[] = { { 0, -1 }, { 9, 0 } };
	static const struct located_branch far[] = { { 9, 11 } };

	KUNIT_EXPECT_EQ(test, locate(here, 1, 1), TEXT(0));
	KUNIT_EXPECT_EQ(test, locate(here, 1, 3), TEXT(1));
	KUNIT_EXPECT_EQ(test, locate(here, 1, 5), TEXT(3));
	/* the branch itself */
	KUNIT_EXPECT_EQ(test, locate(here, 1, 0), TEXT(9));
	/* in the middle of an instruction; too far behind the branch; before it */
	KUNIT_EXPECT_EQ(test, locate(here, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, locate(far, 1, 11 + 64), TEXT(11 + 63));
	KUNIT_EXPECT_EQ(test, locate(far, 1, 11 + 65), 0);
	KUNIT_EXPECT_EQ(test, locate(gone_on, 1, 5), 0);
	KUNIT_EXPECT_EQ(test, locate(here, 0, 1), 0);
	/* a branch was taken after the record, and the record is not behind its source */
	KUNIT_EXPECT_EQ(test, locate(gone_on, 2, 3), TEXT(1));
	KUNIT_EXPECT_EQ(test, locate(gone_on, 2, 9), TEXT(3));
	KUNIT_EXPECT_EQ(test, locate(gone_on, 2, 5), 0);
	/* the other mode */
	KUNIT_EXPECT_EQ(test, locate(entered, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, locate(entered, 1, 1), TEXT(0));
	KUNIT_EXPECT_EQ(test, locate(left, 1, 1), 0);
}

static struct kunit_case pebs_cases[] = {
	KUNIT_CASE(old_formats_are_decoded),
	KUNIT_CASE(small_cores_have_reserved_fields),
	KUNIT_CASE(all_groups_are_decoded),
	KUNIT_CASE(any_groups_are_decoded),
	KUNIT_CASE(bad_records_are_refused),
	KUNIT_CASE(sources_of_loads),
	KUNIT_CASE(sources_of_parts),
	KUNIT_CASE(wide_sources_are_unknown),
	KUNIT_CASE(bits_behind_the_source),
	KUNIT_CASE(sources_of_stores),
	KUNIT_CASE(stores_with_a_status),
	KUNIT_CASE(no_record_says_what_blocked),
	KUNIT_CASE(latencies_have_parts),
	KUNIT_CASE(latencies_are_numbers),
	KUNIT_CASE(aborts_are_decoded),
	KUNIT_CASE(instructions_are_located),
	{}
};

static struct kunit_suite pebs_suite = {
	.name = "perf_x86_pebs",
	.test_cases = pebs_cases,
};

kunit_test_suite(pebs_suite);
