// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of records of branches, without registers: kinds by instruction, what requests let
 * the hardware record, what software keeps, and the layouts of records. The values of registers
 * are written as the manuals have them, not by the driver's names.
 *
 * Sources: Intel SDM volume 2, "Opcode Map"; volume 3, tables "MSR_LBR_SELECT" and
 * "IA32_LBR_CTL"; AMD64 Architecture Programmer's Manual volume 2, "Last Branch Records".
 */
#include <kunit/test.h>
#include <asm/insn.h>
#include "../amd/lbr.h"
#include "../branch/branch.h"
#include "../core/detect.h"
#include "../counters/core_pmu.h"
#include "../intel/lbr/lbr.h"

#define USER		PERF_SAMPLE_BRANCH_USER
#define KERNEL		PERF_SAMPLE_BRANCH_KERNEL
#define ANY		PERF_SAMPLE_BRANCH_ANY

#define USER_IP		0x401000ULL
#define KERNEL_IP	0xffffffff81000000ULL

/* Instructions and what follows them. */
struct text {
	u8	bytes[MAX_INSN_SIZE];
	u32	kind;
	bool	only_32bit;
};

static const struct text texts[] = {
	{ { 0x74, 0x10 },			X86_BR_COND },
	{ { 0x0f, 0x84, 1, 0, 0, 0 },		X86_BR_COND },
	{ { 0x0f, 0x8f, 1, 0, 0, 0 },		X86_BR_COND },
	{ { 0xe2, 0xfe },			X86_BR_COND },	/* loop */
	{ { 0xe3, 0x02 },			X86_BR_COND },	/* jrcxz */
	{ { 0xeb, 0x02 },			X86_BR_JUMP },
	{ { 0xe9, 1, 0, 0, 0 },			X86_BR_JUMP },
	{ { 0xff, 0xe0 },			X86_BR_IND_JUMP },	/* jmp *%rax */
	{ { 0xff, 0x25, 1, 0, 0, 0 },		X86_BR_IND_JUMP },
	{ { 0x41, 0xff, 0xe3 },			X86_BR_IND_JUMP },	/* jmp *%r11 */
	{ { 0xe8, 1, 0, 0, 0 },			X86_BR_CALL },
	{ { 0xe8, 0, 0, 0, 0 },			X86_BR_NEXT_CALL },
	{ { 0xff, 0xd0 },			X86_BR_IND_CALL },
	{ { 0x2e, 0xff, 0xd0 },			X86_BR_IND_CALL },	/* with a prefix */
	{ { 0xff, 0x14, 0xc5, 1, 0, 0, 0 },	X86_BR_IND_CALL },
	{ { 0xc3 },				X86_BR_RET },
	{ { 0xf3, 0xc3 },			X86_BR_RET },
	{ { 0xc2, 8, 0 },			X86_BR_RET },
	{ { 0x0f, 0x05 },			X86_BR_SYSCALL },
	{ { 0x0f, 0x34 },			X86_BR_SYSCALL },	/* sysenter */
	{ { 0x48, 0x0f, 0x07 },			X86_BR_SYSRET },
	{ { 0x0f, 0x35 },			X86_BR_SYSRET },	/* sysexit */
	{ { 0xcd, 0x80 },			X86_BR_TRAP },
	{ { 0xcc },				X86_BR_TRAP },
	{ { 0x48, 0xcf },			X86_BR_IRET },
	{ { 0xff, 0x18 },			X86_BR_FAR_CALL },
	{ { 0xff, 0x28 },			X86_BR_FAR_JUMP },
	{ { 0xcb },				X86_BR_FAR_RET },
	{ { 0x9a, 0, 0, 0, 0, 8, 0 },		X86_BR_FAR_CALL, true },
	{ { 0xea, 0, 0, 0, 0, 8, 0 },		X86_BR_FAR_JUMP, true },
	{ { 0x48, 0x89, 0xd8 },			X86_BR_OTHER },	/* mov */
	{ { 0xff, 0xc0 },			X86_BR_OTHER },	/* inc, also of group 5 */
	{ { 0x0f, 0xa2 },			X86_BR_OTHER },	/* cpuid */
};

static void kinds_by_instruction(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct text *text = &texts[i];

		KUNIT_EXPECT_EQ_MSG(test, text->kind,
				    x86_branch_kind_of(text->bytes, MAX_INSN_SIZE,
						       !text->only_32bit),
				    "row %u", i);
	}
	/* the end of what can be read */
	KUNIT_EXPECT_EQ(test, X86_BR_OTHER, x86_branch_kind_of(texts[1].bytes, 3, true));
}

/* A request, and the bits of the registers that it must have. */
static const struct {
	u64	request;
	u64	select;		/* MSR_LBR_SELECT: what is left out */
	u64	ctl;		/* IA32_LBR_CTL: what is recorded */
} requests[] = {
	{ ANY | USER | KERNEL,			0x000, 0x7f0006 },
	{ ANY | USER,				0x001, 0x7f0004 },
	{ ANY | KERNEL,				0x002, 0x7f0002 },
	{ PERF_SAMPLE_BRANCH_COND | USER | KERNEL,	0x1f8, 0x010006 },
	{ PERF_SAMPLE_BRANCH_IND_JUMP | USER | KERNEL,	0x1bc, 0x040006 },
	{ PERF_SAMPLE_BRANCH_IND_CALL | USER | KERNEL,	0x1ec, 0x100006 },
	{ PERF_SAMPLE_BRANCH_CALL | USER | KERNEL,	0x0f4, 0x480006 },
	{ PERF_SAMPLE_BRANCH_ANY_CALL | USER | KERNEL,	0x0e4, 0x580006 },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN | USER | KERNEL, 0x0dc, 0x600006 },
	{ PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_CALL | USER, 0x1e9, 0x110004 },
	{ PERF_SAMPLE_BRANCH_NO_TX | USER | KERNEL,	0x000, 0x7f0006 },
	{ PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_COND | USER | KERNEL, 0x1f8, 0x010006 },
	/* aborts are in no class */
	{ PERF_SAMPLE_BRANCH_ABORT_TX | USER | KERNEL,	0x000, 0x7f0006 },
	{ PERF_SAMPLE_BRANCH_CALL_STACK | USER,		0x3c5, 0x38000c },
	{ PERF_SAMPLE_BRANCH_CALL_STACK | KERNEL,	0x3c6, 0x38000a },
};

/* Records of a CPU with all that its kind can have. */
static void describe(struct x86_core_pmu *core, bool arch, const struct intel_lbr *lbr)
{
	struct x86_detect_cpu cpu = {
		.capabilities = lbr && lbr->info ? INTEL_LBR_FORMAT_INFO : INTEL_LBR_FORMAT_TSX,
	};

	*core = (struct x86_core_pmu) { .version = 4 };
	cpu.extended.reg[CPUID_EBX] = CPUID7_EBX_RTM;
	cpu.lbr.reg[CPUID_EAX] = 0x4000000b;
	cpu.lbr.reg[CPUID_EBX] = 7;
	cpu.lbr.reg[CPUID_ECX] = 7;
	if (arch)
		intel_arch_lbr_describe(core, &cpu);
	else
		intel_lbr_describe(core, &cpu, lbr);
}

static void requests_as_registers(struct kunit *test)
{
	struct x86_core_pmu *legacy = kunit_kzalloc(test, sizeof(*legacy), GFP_KERNEL);
	struct x86_core_pmu *arch = kunit_kzalloc(test, sizeof(*arch), GFP_KERNEL);
	struct x86_branch_request request;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, legacy);
	KUNIT_ASSERT_NOT_NULL(test, arch);
	describe(legacy, false, &intel_lbr_skylake);
	describe(arch, true, NULL);
	KUNIT_EXPECT_EQ(test, 32, legacy->branches.depth);
	KUNIT_EXPECT_EQ(test, 32, arch->branches.depth);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &legacy->branches,
							    requests[i].request));
		KUNIT_EXPECT_EQ_MSG(test, requests[i].select, request.select, "%#llx",
				    requests[i].request);
		KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &arch->branches,
							    requests[i].request));
		KUNIT_EXPECT_EQ_MSG(test, requests[i].ctl, request.select, "%#llx",
				    requests[i].request);
	}
}

static void models_that_leave_nothing_out(struct kunit *test)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_branch_request request;

	KUNIT_ASSERT_NOT_NULL(test, core);
	/* none has a stack of calls */
	describe(core, false, &intel_lbr_nehalem);
	KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &core->branches,
						    PERF_SAMPLE_BRANCH_COND | USER));
	KUNIT_EXPECT_EQ(test, 0ULL, request.select);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			x86_branch_request(&request, &core->branches,
					   PERF_SAMPLE_BRANCH_CALL_STACK | USER));
	describe(core, false, &intel_lbr_core2);
	KUNIT_EXPECT_EQ(test, 4, core->branches.depth);
	KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &core->branches,
						    PERF_SAMPLE_BRANCH_COND | USER));
	KUNIT_EXPECT_EQ(test, 0ULL, request.select);
}

/* A format that says nothing, or that the model cannot have, comes from a hypervisor. */
static void formats_that_are_refused(struct kunit *test)
{
	static const u8 with_info[] = { 0, 1, 4, 6, 7, 0x3f }, without[] = { 0, 5, 7, 0x3f };
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_detect_cpu cpu = { };
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 3;
	for (i = 0; i < ARRAY_SIZE(with_info); i++) {
		cpu.capabilities = with_info[i];
		intel_lbr_describe(core, &cpu, &intel_lbr_skylake);
		KUNIT_EXPECT_NULL_MSG(test, core->branches.ops, "%#x", with_info[i]);
	}
	for (i = 0; i < ARRAY_SIZE(without); i++) {
		cpu.capabilities = without[i];
		intel_lbr_describe(core, &cpu, &intel_lbr_haswell);
		KUNIT_EXPECT_NULL_MSG(test, core->branches.ops, "%#x", without[i]);
	}
	cpu.capabilities = INTEL_LBR_FORMAT_INFO;
	intel_lbr_describe(core, &cpu, &intel_lbr_goldmont_plus);
	KUNIT_EXPECT_NULL(test, core->branches.ops);
	/* What was not tried is described on any machine: the boot parameters decide. */
	cpu.capabilities = INTEL_LBR_FORMAT_ATOM;
	intel_lbr_describe(core, &cpu, &intel_lbr_goldmont_plus);
	KUNIT_EXPECT_NOT_NULL(test, core->branches.ops);
	KUNIT_EXPECT_NULL(test, core->why_not[X86_SIDE_BRANCHES]);
	core->branches.ops = NULL;
	cpu.capabilities = INTEL_LBR_FORMAT_FLAGS;
	intel_lbr_describe(core, &cpu, &intel_lbr_haswell);
	KUNIT_EXPECT_NOT_NULL(test, core->branches.ops);
	KUNIT_EXPECT_FALSE(test, core->branches.can & X86_BRANCHES_TX);
}

/* Levels of source and target, and the requests that get such a branch. */
static const struct {
	u64	from;
	u64	to;
	bool	user;
	bool	kernel;
	bool	both;
} levels[] = {
	{ USER_IP,	USER_IP + 64,	true,	false,	true },
	{ USER_IP,	KERNEL_IP,	false,	true,	true },
	{ KERNEL_IP,	USER_IP,	false,	false,	true },
	{ KERNEL_IP,	KERNEL_IP + 64,	false,	true,	true },
	{ 0,		USER_IP,	false,	false,	false },
	{ USER_IP,	0,		false,	false,	false },
	/* the page of system calls, which user mode executes */
	{ 0xffffffffff600000ULL, USER_IP, false, false,	true },
};

static bool is_kept(struct perf_branch_entry entry, u64 asked, u32 kinds)
{
	return x86_branch_filter(&entry, &entry, 1, asked, kinds);
}

static void levels_that_are_kept(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct perf_branch_entry entry = { .from = levels[i].from, .to = levels[i].to };

		KUNIT_EXPECT_EQ_MSG(test, levels[i].user,
				    is_kept(entry, ANY | USER, X86_BR_ALL), "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, levels[i].kernel,
				    is_kept(entry, ANY | KERNEL, X86_BR_ALL), "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, levels[i].both,
				    is_kept(entry, ANY | USER | KERNEL, X86_BR_ALL), "row %u", i);
		KUNIT_EXPECT_FALSE_MSG(test, is_kept(entry, ANY, X86_BR_ALL), "row %u", i);
	}
}

/* Each bit of branch_sample_type, and the instructions of @texts that it stands for. */
static const struct {
	u64	request;
	u32	kinds;
} kept_kinds[] = {
	{ PERF_SAMPLE_BRANCH_ANY_CALL, X86_BR_CALL | X86_BR_NEXT_CALL | X86_BR_IND_CALL |
	  X86_BR_FAR_CALL | X86_BR_SYSCALL | X86_BR_TRAP },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, X86_BR_RET | X86_BR_FAR_RET | X86_BR_SYSRET |
	  X86_BR_IRET },
	{ PERF_SAMPLE_BRANCH_IND_CALL, X86_BR_IND_CALL },
	{ PERF_SAMPLE_BRANCH_COND, X86_BR_COND },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, X86_BR_IND_JUMP },
	{ PERF_SAMPLE_BRANCH_CALL, X86_BR_CALL | X86_BR_NEXT_CALL | X86_BR_FAR_CALL |
	  X86_BR_SYSCALL | X86_BR_TRAP },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, X86_BR_CALL | X86_BR_IND_CALL },
};

/* The instructions of @texts are in the kernel, so they are decoded where they are. */
static void kinds_that_are_kept(struct kunit *test)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_branch_request request;
	unsigned int i, r;

	KUNIT_ASSERT_NOT_NULL(test, core);
	describe(core, false, &intel_lbr_skylake);
	for (r = 0; r < ARRAY_SIZE(kept_kinds); r++) {
		u64 asked = kept_kinds[r].request | KERNEL;

		KUNIT_ASSERT_EQ(test, 0, x86_branch_request(&request, &core->branches, asked));
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			struct perf_branch_entry entry = {
				.from = (unsigned long)texts[i].bytes, .to = KERNEL_IP,
			};

			if (texts[i].only_32bit)
				continue;
			KUNIT_EXPECT_EQ_MSG(test, !!(texts[i].kind & kept_kinds[r].kinds),
					    is_kept(entry, asked, request.kinds),
					    "request %#llx, row %u", asked, i);
		}
	}
}

/* An interrupt comes at any instruction, also at a branch. */
static void interrupts_are_no_branches(struct kunit *test)
{
	struct perf_branch_entry entry = { .from = USER_IP, .to = KERNEL_IP };

	KUNIT_EXPECT_EQ(test, X86_BR_IRQ, x86_branch_kind(&entry));
	entry.from = (unsigned long)texts[ARRAY_SIZE(texts) - 1].bytes;
	KUNIT_EXPECT_EQ(test, X86_BR_IRQ, x86_branch_kind(&entry));
	entry.abort = 1;
	KUNIT_EXPECT_EQ(test, X86_BR_ABORT, x86_branch_kind(&entry));
}

static void transactions_that_are_kept(struct kunit *test)
{
	static const struct {
		u64	asked;
		bool	outside;
		bool	inside;
		bool	aborted;
	} rows[] = {
		{ 0,						true, true, true },
		{ PERF_SAMPLE_BRANCH_NO_TX,			true, false, false },
		{ PERF_SAMPLE_BRANCH_IN_TX,			false, true, false },
		{ PERF_SAMPLE_BRANCH_ABORT_TX,			false, false, true },
		{ PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX, true, true, false },
		{ PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_ABORT_TX, false, true, true },
	};
	struct perf_branch_entry out = { .from = USER_IP, .to = USER_IP + 8 }, in = out, end = out;
	unsigned int i;

	in.in_tx = 1;
	end.in_tx = 1;
	end.abort = 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 asked = rows[i].asked | ANY | USER;

		KUNIT_EXPECT_EQ_MSG(test, rows[i].outside, is_kept(out, asked, X86_BR_ALL),
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].inside, is_kept(in, asked, X86_BR_ALL),
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].aborted, is_kept(end, asked, X86_BR_ALL),
				    "row %u", i);
	}
}

static void fields_that_are_kept(struct kunit *test)
{
	const struct perf_branch_entry in = {
		.from = (unsigned long)texts[0].bytes, .to = KERNEL_IP, .mispred = 1, .in_tx = 1,
		.cycles = 7, .type = PERF_BR_CALL, .spec = PERF_BR_SPEC_CORRECT_PATH,
	};
	struct perf_branch_entry out, want = in;

	x86_branch_filter(&out, &in, 1, ANY | KERNEL, X86_BR_ALL);
	/* The type is saved if it is requested, whether or not the hardware records it. */
	want.type = PERF_BR_UNKNOWN;
	KUNIT_EXPECT_MEMEQ(test, &want, &out, sizeof(want));
	x86_branch_filter(&out, &in, 1, PERF_SAMPLE_BRANCH_ANY_CALL | KERNEL, X86_BR_CALL);
	KUNIT_EXPECT_MEMEQ(test, &want, &out, sizeof(want));
	x86_branch_filter(&out, &in, 1, ANY | KERNEL | PERF_SAMPLE_BRANCH_NO_FLAGS, X86_BR_ALL);
	KUNIT_EXPECT_EQ(test, 0, out.mispred | out.predicted | out.in_tx | out.abort);
	KUNIT_EXPECT_EQ(test, PERF_BR_SPEC_NA, (int)out.spec);
	KUNIT_EXPECT_EQ(test, 7, (int)out.cycles);
	x86_branch_filter(&out, &in, 1, ANY | KERNEL | PERF_SAMPLE_BRANCH_NO_CYCLES, X86_BR_ALL);
	KUNIT_EXPECT_EQ(test, 1, (int)out.mispred);
	KUNIT_EXPECT_EQ(test, 0, (int)out.cycles);
	x86_branch_filter(&out, &in, 1, ANY | KERNEL | PERF_SAMPLE_BRANCH_TYPE_SAVE |
			  PERF_SAMPLE_BRANCH_PRIV_SAVE, X86_BR_ALL);
	KUNIT_EXPECT_EQ(test, PERF_BR_CALL, (int)out.type);
	KUNIT_EXPECT_EQ(test, PERF_BR_PRIV_KERNEL, (int)out.priv);
}

/* Records that are left out leave no gap. */
static void order_is_kept(struct kunit *test)
{
	struct perf_branch_entry entry[] = {
		{ .from = USER_IP, .to = USER_IP + 1 }, { .from = KERNEL_IP, .to = USER_IP },
		{ .from = USER_IP + 2, .to = USER_IP + 3 }, { },
		{ .from = USER_IP + 4, .to = USER_IP + 5 },
	};

	KUNIT_EXPECT_EQ(test, 3, x86_branch_filter(entry, entry, ARRAY_SIZE(entry), ANY | USER,
						   X86_BR_ALL));
	KUNIT_EXPECT_EQ(test, USER_IP, entry[0].from);
	KUNIT_EXPECT_EQ(test, USER_IP + 2, entry[1].from);
	KUNIT_EXPECT_EQ(test, USER_IP + 4, entry[2].from);
}

/* Registers as the manual has them, and what they say. */
static const struct {
	u8			format;
	bool			has_tx;
	struct lbr_entry	record;
	struct perf_branch_entry entry;
} legacy_records[] = {
	{ 1, false, { KERNEL_IP, USER_IP }, { KERNEL_IP, USER_IP } },
	{ 2, false, { USER_IP, KERNEL_IP }, { USER_IP, KERNEL_IP } },
	{ 3, false, { USER_IP, USER_IP + 1 }, { USER_IP, USER_IP + 1, .predicted = 1 } },
	{ 3, false, { 0x8000000000401000ULL, USER_IP }, { USER_IP, USER_IP, .mispred = 1 } },
	/* bits 62 to 48 continue bit 47 */
	{ 3, false, { 0x7fffffff81000000ULL, KERNEL_IP },
	  { KERNEL_IP, KERNEL_IP, .predicted = 1 } },
	{ 4, true, { 0x4000000000401000ULL, USER_IP },
	  { USER_IP, USER_IP, .predicted = 1, .in_tx = 1 } },
	{ 4, true, { 0xe000000000401000ULL, USER_IP },
	  { USER_IP, USER_IP, .mispred = 1, .in_tx = 1, .abort = 1 } },
	{ 4, true, { 0x1fffffff81000000ULL, KERNEL_IP },
	  { KERNEL_IP, KERNEL_IP, .predicted = 1 } },
	/* without transactions the bits are no flags */
	{ 4, false, { 0x6000000000401000ULL, USER_IP }, { USER_IP, USER_IP, .predicted = 1 } },
	{ 5, true, { USER_IP, KERNEL_IP, 0x8000000000001234ULL },
	  { USER_IP, KERNEL_IP, .mispred = 1, .cycles = 0x1234 } },
	{ 5, true, { USER_IP, KERNEL_IP, 0x6000000000000001ULL },
	  { USER_IP, KERNEL_IP, .predicted = 1, .in_tx = 1, .abort = 1, .cycles = 1 } },
	{ 5, false, { USER_IP, KERNEL_IP, 0x6000000000000001ULL },
	  { USER_IP, KERNEL_IP, .predicted = 1, .cycles = 1 } },
	{ 7, true, { USER_IP, KERNEL_IP, 0xe000000000001234ULL },
	  { USER_IP, KERNEL_IP, .mispred = 1, .cycles = 0x1234 } },
	{ 7, false, { KERNEL_IP, USER_IP, 0x1ULL },
	  { KERNEL_IP, USER_IP, .predicted = 1, .cycles = 1 } },
	{ 6, false, { USER_IP, 0x00ff000000401000ULL },
	  { USER_IP, USER_IP, .predicted = 1, .cycles = 0xff } },
	{ 6, false, { 0x8000000000401000ULL, 0x0003ffff81000000ULL },
	  { USER_IP, KERNEL_IP, .mispred = 1, .cycles = 3 } },
};

static void legacy_layouts(struct kunit *test)
{
	struct perf_branch_entry entry;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(legacy_records); i++) {
		intel_lbr_decode(&entry, &legacy_records[i].record, legacy_records[i].format,
				 legacy_records[i].has_tx);
		KUNIT_EXPECT_MEMEQ_MSG(test, &legacy_records[i].entry, &entry, sizeof(entry),
				       "row %u", i);
	}
}

/* Goldmont: what is written must be an address. */
static void restored_targets(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, USER_IP, intel_lbr_writable_to(0x00ff000000401000ULL, 6));
	KUNIT_EXPECT_EQ(test, KERNEL_IP, intel_lbr_writable_to(0x0003ffff81000000ULL, 6));
	KUNIT_EXPECT_EQ(test, KERNEL_IP, intel_lbr_writable_to(KERNEL_IP, 5));
}

/* Errata HSM182 and others: without transactions bits 62 and 61 must continue bit 47. */
static void restored_sources(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0xffffffff81000000ULL,
			intel_lbr_writable_from(0x9fffffff81000000ULL, 4, false));
	KUNIT_EXPECT_EQ(test, 0x8000000000401000ULL,
			intel_lbr_writable_from(0xe000000000401000ULL, 4, false));
	KUNIT_EXPECT_EQ(test, 0xe000000000401000ULL,
			intel_lbr_writable_from(0xe000000000401000ULL, 4, true));
	KUNIT_EXPECT_EQ(test, 0x9fffffff81000000ULL,
			intel_lbr_writable_from(0x9fffffff81000000ULL, 5, false));
}

static void architectural_layout(struct kunit *test)
{
	static const u8 types[16] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL,
		PERF_BR_RET,
	};
	struct lbr_entry record = { USER_IP, KERNEL_IP };
	struct perf_branch_entry entry;
	u64 type;

	for (type = 0; type < ARRAY_SIZE(types); type++) {
		record.info = type << 56 | 0x9000000000000011ULL;
		intel_arch_lbr_decode(&entry, &record, 7, true);
		KUNIT_EXPECT_EQ_MSG(test, types[type], (int)entry.type, "type %llu", type);
		KUNIT_EXPECT_EQ(test, 1, (int)entry.mispred);
		KUNIT_EXPECT_EQ(test, 0x11, (int)entry.cycles);
		KUNIT_EXPECT_EQ(test, 0, entry.in_tx | entry.abort);
		/* fields that leaf 0x1c does not list */
		intel_arch_lbr_decode(&entry, &record, 0, true);
		KUNIT_EXPECT_EQ(test, 0, entry.type | entry.mispred | entry.predicted);
		KUNIT_EXPECT_EQ(test, 0, (int)entry.cycles);
	}
	/* counters, until they are taken out */
	record.info = 0xa5ULL << 32;
	intel_arch_lbr_decode(&entry, &record, 7 | INTEL_ARCH_LBR_COUNTERS, true);
	KUNIT_EXPECT_EQ(test, 0xa5, (int)entry.reserved);
	intel_arch_lbr_decode(&entry, &record, 7, true);
	KUNIT_EXPECT_EQ(test, 0, (int)entry.reserved);
	/* cycles that are not valid */
	record.info = 0x6000000000000011ULL;
	intel_arch_lbr_decode(&entry, &record, 7, true);
	KUNIT_EXPECT_EQ(test, 0, (int)entry.cycles);
	KUNIT_EXPECT_EQ(test, 1, entry.in_tx & entry.abort & entry.predicted);
}

/* The linear addresses of family 19h have 48 or 57 bits. */
static void amd_layout(struct kunit *test)
{
	static const struct {
		u64	from;
		u64	to;
		struct perf_branch_entry entry;
	} rows[] = {
		{ USER_IP, 0x8000000000401000ULL,
		  { USER_IP, USER_IP, .predicted = 1, .spec = PERF_BR_NON_SPEC_CORRECT_PATH } },
		{ 0x8000000000401000ULL, 0xc000000000401000ULL,
		  { USER_IP, USER_IP, .mispred = 1, .spec = PERF_BR_SPEC_CORRECT_PATH } },
		{ 0x01ffffff81000000ULL, 0x41ffffff81000000ULL,
		  { KERNEL_IP, KERNEL_IP, .predicted = 1, .spec = PERF_BR_SPEC_WRONG_PATH } },
	};
	struct perf_branch_entry entry;
	unsigned int i, top;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (top = 47; top <= 56; top += 9) {
			KUNIT_EXPECT_TRUE(test, amd_lbr_decode(&entry, rows[i].from, rows[i].to,
							       top));
			KUNIT_EXPECT_MEMEQ_MSG(test, &rows[i].entry, &entry, sizeof(entry),
					       "row %u", i);
		}
	}
	/* Bits above the top are no part of the address. */
	KUNIT_EXPECT_TRUE(test, amd_lbr_decode(&entry, 0x0000ffff81000000ULL,
					       0x8000ffff81000000ULL, 47));
	KUNIT_EXPECT_EQ(test, entry.from, 0xffffffff81000000ULL);
	KUNIT_EXPECT_EQ(test, entry.to, 0xffffffff81000000ULL);
	KUNIT_EXPECT_TRUE(test, amd_lbr_decode(&entry, 0x0000ffff81000000ULL,
					       0x8000ffff81000000ULL, 56));
	KUNIT_EXPECT_EQ(test, entry.from, 0x0000ffff81000000ULL);
	/* Empty records, and records of erratum 1452. */
	KUNIT_EXPECT_FALSE(test, amd_lbr_decode(&entry, USER_IP, USER_IP, 47));
	KUNIT_EXPECT_FALSE(test, amd_lbr_decode(&entry, USER_IP, 0xe000000000401000ULL, 47));
}

/* Without a freeze, records have user mode only. */
static void amd_without_a_freeze(struct kunit *test)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_detect_cpu cpu = {
		.amd_perfmon.reg = {
			[CPUID_EAX] = CPUID_EXT22_EAX_PERFMON_V2 | CPUID_EXT22_EAX_LBR_V2,
			[CPUID_EBX] = 16 << 4 | 6,
		},
	};
	struct x86_branch_request request;

	KUNIT_ASSERT_NOT_NULL(test, core);
	core->version = 2;
	amd_lbr_describe(core, &cpu);
	KUNIT_ASSERT_NOT_NULL(test, core->branches.ops);
	KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &core->branches, ANY | USER));
	KUNIT_EXPECT_EQ(test, 0x001ULL, request.select);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			x86_branch_request(&request, &core->branches, ANY | USER | KERNEL));
	cpu.amd_perfmon.reg[CPUID_EAX] |= CPUID_EXT22_EAX_FREEZE;
	amd_lbr_describe(core, &cpu);
	KUNIT_EXPECT_EQ(test, 0, x86_branch_request(&request, &core->branches, ANY | KERNEL));
}

/*
 * A stack of calls is offered if it can be saved while its task does not run. A machine with a boot
 * CPU without records is like one without memory for that.
 */
static void stacks_that_can_be_saved(struct kunit *test)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_branch_request request;
	bool saved;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, core);
	describe(core, false, &intel_lbr_skylake);
	x86_branch_core_init(core);
	saved = core->pmu.task_ctx_cache;
	KUNIT_EXPECT_EQ(test, saved, !!(core->branches.can & X86_BRANCHES_STACK));
	err = x86_branch_request(&request, &core->branches, PERF_SAMPLE_BRANCH_CALL_STACK | USER);
	KUNIT_EXPECT_EQ(test, err, saved ? 0 : -EOPNOTSUPP);
}

static struct kunit_case branch_cases[] = {
	KUNIT_CASE(kinds_by_instruction),
	KUNIT_CASE(requests_as_registers),
	KUNIT_CASE(models_that_leave_nothing_out),
	KUNIT_CASE(formats_that_are_refused),
	KUNIT_CASE(levels_that_are_kept),
	KUNIT_CASE(kinds_that_are_kept),
	KUNIT_CASE(interrupts_are_no_branches),
	KUNIT_CASE(transactions_that_are_kept),
	KUNIT_CASE(fields_that_are_kept),
	KUNIT_CASE(order_is_kept),
	KUNIT_CASE(legacy_layouts),
	KUNIT_CASE(restored_sources),
	KUNIT_CASE(restored_targets),
	KUNIT_CASE(architectural_layout),
	KUNIT_CASE(amd_layout),
	KUNIT_CASE(amd_without_a_freeze),
	KUNIT_CASE(stacks_that_can_be_saved),
	{ }
};

static struct kunit_suite branch_suite = {
	.name		= "perf_x86_branch",
	.test_cases	= branch_cases,
};

kunit_test_suite(branch_suite);
