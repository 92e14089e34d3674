// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of callchain.c and regs.c: register numbers of AArch64 and AArch32 tasks,
 * and a walk of a user stack.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>

#define CHAIN_ROOM	32
#define USER_PC		0x400000UL
#define MARK(idx)	(0x1000 + (idx))

static struct pt_regs *regs_init(struct kunit *test, u64 pstate)
{
	struct pt_regs *regs = kunit_kzalloc(test, sizeof(*regs), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, regs);
	for (int i = 0; i < ARRAY_SIZE(regs->regs); i++)
		regs->regs[i] = MARK(i);
	regs->sp = MARK(PERF_REG_ARM64_SP);
	regs->pc = MARK(PERF_REG_ARM64_PC);
	regs->pstate = pstate;
	return regs;
}

static void registers_have_their_numbers(struct kunit *test)
{
	struct pt_regs *regs = regs_init(test, PSR_MODE_EL0t);

	for (int i = 0; i < PERF_REG_ARM64_MAX; i++)
		KUNIT_EXPECT_EQ(test, MARK(i), perf_reg_value(regs, i));
}

static void registers_of_aarch32_have_their_numbers(struct kunit *test)
{
	struct pt_regs *regs = regs_init(test, PSR_AA32_MODE_USR);

	if (!IS_ENABLED(CONFIG_COMPAT))
		kunit_skip(test, "kernel without AArch32 tasks");

	/* r13 and r14 under the AArch64 numbers, r15 under both */
	KUNIT_EXPECT_EQ(test, MARK(13), perf_reg_value(regs, PERF_REG_ARM64_SP));
	KUNIT_EXPECT_EQ(test, MARK(14), perf_reg_value(regs, PERF_REG_ARM64_LR));
	KUNIT_EXPECT_EQ(test, regs->pc, perf_reg_value(regs, PERF_REG_ARM64_PC));
	KUNIT_EXPECT_EQ(test, regs->pc, perf_reg_value(regs, 15));
	KUNIT_EXPECT_EQ(test, MARK(12), perf_reg_value(regs, 12));
}

static void masks_of_unknown_registers_are_refused(struct kunit *test)
{
	const u64 vg = BIT_ULL(PERF_REG_ARM64_VG);

	KUNIT_EXPECT_EQ(test, -EINVAL, perf_reg_validate(0));
	KUNIT_EXPECT_EQ(test, 0, perf_reg_validate(BIT_ULL(PERF_REG_ARM64_MAX) - 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, perf_reg_validate(BIT_ULL(PERF_REG_ARM64_MAX)));
	KUNIT_EXPECT_EQ(test, -EINVAL, perf_reg_validate(BIT_ULL(63)));
	KUNIT_EXPECT_EQ(test, system_supports_sve() ? 0 : -EINVAL, perf_reg_validate(vg));
}

/* A kernel thread has no vector length, so set one for the test. */
static void vector_granule_is_that_of_sve(struct kunit *test)
{
	struct pt_regs *regs = regs_init(test, PSR_MODE_EL0t);
	unsigned int before;
	u64 vg;

	if (!system_supports_sve())
		kunit_skip(test, "CPU without SVE");

	scoped_guard(preempt) {
		before = task_get_vl(current, ARM64_VEC_SVE);
		task_set_vl(current, ARM64_VEC_SVE, 32);
		vg = perf_reg_value(regs, PERF_REG_ARM64_VG);
		task_set_vl(current, ARM64_VEC_SVE, before);
	}
	KUNIT_EXPECT_EQ(test, 4, vg);
}

static struct perf_callchain_entry_ctx *chain_init(struct kunit *test)
{
	struct perf_callchain_entry_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->entry = kunit_kzalloc(test, struct_size(ctx->entry, ip, CHAIN_ROOM), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->entry);
	ctx->max_stack = CHAIN_ROOM;
	return ctx;
}

static void user_frames_are_followed(struct kunit *test)
{
	struct perf_callchain_entry_ctx *ctx = chain_init(test);
	struct pt_regs *regs = regs_init(test, PSR_MODE_EL0t);
	unsigned long stack;
	u64 frame[2];

	stack = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(stack));
	frame[0] = stack + 0x200;
	frame[1] = 0x401000;
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)stack, frame, sizeof(frame)));
	frame[0] = 0;
	frame[1] = 0x402000;
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(stack + 0x200), frame,
					      sizeof(frame)));

	regs->pc = USER_PC;
	regs->regs[29] = stack;
	scoped_guard(preempt)
		perf_callchain_user(ctx, regs);
	KUNIT_ASSERT_EQ(test, 3, ctx->entry->nr);
	KUNIT_EXPECT_EQ(test, USER_PC, ctx->entry->ip[0]);
	KUNIT_EXPECT_EQ(test, 0x401000, ctx->entry->ip[1]);
	KUNIT_EXPECT_EQ(test, 0x402000, ctx->entry->ip[2]);
}

/* Check the name of the function that contains an address. */
static bool address_in(u64 addr, const char *name)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(symbol, addr);
	return !strcmp(symbol, name);
}

static noinline void synthetic_callee(struct perf_callchain_entry_ctx *ctx,
				      struct pt_regs *regs)
{
	perf_fetch_caller_regs(regs);
	perf_callchain_kernel(ctx, regs);
	barrier();
}

static noinline void synthetic_caller(struct perf_callchain_entry_ctx *ctx,
				      struct pt_regs *regs)
{
	synthetic_callee(ctx, regs);
	barrier();
}

static void kernel_walk_begins_at_the_caller(struct kunit *test)
{
	struct perf_callchain_entry_ctx *ctx = chain_init(test);
	struct pt_regs *regs = regs_init(test, PSR_MODE_EL0t);

	scoped_guard(preempt)
		synthetic_caller(ctx, regs);
	KUNIT_ASSERT_GE(test, ctx->entry->nr, 2);
	KUNIT_EXPECT_EQ(test, regs->pc, ctx->entry->ip[0]);
	KUNIT_EXPECT_TRUE(test, address_in(ctx->entry->ip[0], "synthetic_caller"));
}

static void mode_follows_the_registers(struct kunit *test)
{
	struct pt_regs *regs = regs_init(test, PSR_MODE_EL0t);

	KUNIT_EXPECT_EQ(test, PERF_RECORD_MISC_USER, perf_misc_flags(regs));
	KUNIT_EXPECT_EQ(test, regs->pc, perf_instruction_pointer(regs));

	perf_fetch_caller_regs(regs);
	KUNIT_EXPECT_EQ(test, PERF_RECORD_MISC_KERNEL, perf_misc_flags(regs));
}

static struct kunit_case arm64_samples_cases[] = {
	KUNIT_CASE(registers_have_their_numbers),
	KUNIT_CASE(registers_of_aarch32_have_their_numbers),
	KUNIT_CASE(masks_of_unknown_registers_are_refused),
	KUNIT_CASE(vector_granule_is_that_of_sve),
	KUNIT_CASE(user_frames_are_followed),
	KUNIT_CASE(kernel_walk_begins_at_the_caller),
	KUNIT_CASE(mode_follows_the_registers),
	{ }
};

static struct kunit_suite arm64_samples_suite = {
	.name = "perf_arm64_samples",
	.test_cases = arm64_samples_cases,
};

kunit_test_suite(arm64_samples_suite);
