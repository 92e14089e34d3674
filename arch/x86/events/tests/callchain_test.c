// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of callchain.c and regs.c. Stacks of a program are laid out in user memory.
 * The walk must find their return addresses and end at the right place. The walk of the
 * kernel's stack starts in the test.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include <asm/segment.h>

#include "../perf_event.h"

#define CHAIN_ROOM	32
#define USER_IP		0x401000UL

struct stack_test {
	unsigned long stack;		/* user address of two pages */
	struct perf_callchain_entry_ctx ctx;
	struct pt_regs regs;
};

/* The first page is present, the second is not. */
static struct stack_test *stack_init(struct kunit *test, unsigned int map_flags)
{
	struct stack_test *st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, st);
	st->ctx.entry = kunit_kzalloc(test, struct_size(st->ctx.entry, ip, CHAIN_ROOM),
				      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, st->ctx.entry);
	st->ctx.max_stack = CHAIN_ROOM;

	st->stack = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
				  MAP_ANONYMOUS | MAP_PRIVATE | map_flags, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(st->stack));
	KUNIT_ASSERT_EQ(test, 0, clear_user((void __user *)st->stack, PAGE_SIZE));

	st->regs.ip = USER_IP;
	st->regs.cs = IS_ENABLED(CONFIG_X86_64) ? __USER_CS : __USER32_CS;
	st->regs.ss = __USER_DS;
	st->regs.flags = X86_EFLAGS_FIXED;
	return st;
}

static struct stack_test *stack_init_32(struct kunit *test)
{
	struct stack_test *st = stack_init(test, MAP_32BIT);

	st->regs.cs = __USER32_CS;
	return st;
}

/* Write a frame at an offset of the stack. */
static void push_frame(struct kunit *test, struct stack_test *st, unsigned int at,
		       u64 next, u64 ret)
{
	u64 wide[2] = { next, ret };
	u32 narrow[2] = { next, ret };
	void __user *to = (void __user *)(st->stack + at);

	if (user_64bit_mode(&st->regs))
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(to, wide, sizeof(wide)));
	else
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(to, narrow, sizeof(narrow)));
}

static void walk_user(struct stack_test *st, unsigned long fp)
{
	st->regs.bp = fp;
	guard(preempt)();
	perf_callchain_user(&st->ctx, &st->regs);
}

static void expect_chain(struct kunit *test, struct stack_test *st,
			 const u64 *ips, unsigned int nr)
{
	KUNIT_ASSERT_EQ(test, nr, st->ctx.entry->nr);
	KUNIT_EXPECT_MEMEQ(test, st->ctx.entry->ip, ips, nr * sizeof(*ips));
}

static void two_callers(struct kunit *test, struct stack_test *st)
{
	static const u64 found[] = { USER_IP, 0x402000, 0x403000 };

	push_frame(test, st, 0x100, st->stack + 0x200, found[1]);
	push_frame(test, st, 0x200, 0, found[2]);
	walk_user(st, st->stack + 0x100);
	expect_chain(test, st, found, ARRAY_SIZE(found));
}

static void user_frames_are_followed(struct kunit *test)
{
	two_callers(test, stack_init(test, 0));
}

static void user_frames_of_32_bit_are_followed(struct kunit *test)
{
	two_callers(test, stack_init_32(test));
}

static void user_walk_stops_at_max_stack(struct kunit *test)
{
	static const u64 found[] = { USER_IP, 0x402000 };
	struct stack_test *st = stack_init(test, 0);

	/* A frame that is its own caller is an endless chain. */
	push_frame(test, st, 0x100, st->stack + 0x100, found[1]);
	st->ctx.max_stack = 2;
	walk_user(st, st->stack + 0x100);
	expect_chain(test, st, found, ARRAY_SIZE(found));
}

static void user_walk_faults_nothing_in(struct kunit *test)
{
	static const u64 found[] = { USER_IP, 0x402000 };
	struct stack_test *st = stack_init(test, 0);
	unsigned long rss;

	push_frame(test, st, 0x100, st->stack + PAGE_SIZE + 0x100, found[1]);
	rss = get_mm_counter(current->mm, MM_ANONPAGES);
	walk_user(st, st->stack + 0x100);
	expect_chain(test, st, found, ARRAY_SIZE(found));
	KUNIT_EXPECT_EQ(test, rss, get_mm_counter(current->mm, MM_ANONPAGES));
}

/* The caller's frame pointer is readable, the return address is not. */
static void torn_frame(struct kunit *test, struct stack_test *st, unsigned int word)
{
	static const u64 found[] = { USER_IP, 0x402000 };
	unsigned int at = PAGE_SIZE - word;

	push_frame(test, st, 0x100, st->stack + at, found[1]);
	KUNIT_ASSERT_EQ(test, 0, put_user((u32)(st->stack + 0x200),
					  (u32 __user *)(st->stack + at)));
	push_frame(test, st, 0x200, 0, 0x403000);
	walk_user(st, st->stack + 0x100);
	expect_chain(test, st, found, ARRAY_SIZE(found));
}

static void user_walk_ends_at_a_torn_frame(struct kunit *test)
{
	torn_frame(test, stack_init(test, MAP_32BIT), sizeof(unsigned long));
}

static void user_walk_of_32_bit_ends_at_a_torn_frame(struct kunit *test)
{
	torn_frame(test, stack_init_32(test), sizeof(u32));
}

static void user_walk_reads_no_kernel_memory(struct kunit *test)
{
	static const u64 found[] = { USER_IP };
	struct stack_test *st = stack_init(test, 0);
	u64 kernel_frame[2] = { 0, 0x404000 };

	walk_user(st, (unsigned long)kernel_frame);
	expect_chain(test, st, found, ARRAY_SIZE(found));
}

static void user_walk_wants_aligned_frames(struct kunit *test)
{
	static const u64 found[] = { USER_IP };
	struct stack_test *st = stack_init(test, 0);

	push_frame(test, st, 0x101, 0, 0x402000);
	walk_user(st, st->stack + 0x101);
	expect_chain(test, st, found, ARRAY_SIZE(found));
}

/* Check the name of the function that contains an address. */
static bool address_in(u64 addr, const char *name)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(symbol, addr);
	return !strcmp(symbol, name);
}

static noinline void synthetic_callee(struct stack_test *st)
{
	perf_fetch_caller_regs(&st->regs);
	perf_callchain_kernel(&st->ctx, &st->regs);
	barrier();
}

static noinline void synthetic_caller(struct stack_test *st)
{
	synthetic_callee(st);
	barrier();
}

static void kernel_walk_begins_at_the_caller(struct kunit *test)
{
	struct stack_test *st = stack_init(test, 0);

	scoped_guard(preempt)
		synthetic_caller(st);
	KUNIT_ASSERT_GE(test, st->ctx.entry->nr, 2);
	KUNIT_EXPECT_EQ(test, st->regs.ip, st->ctx.entry->ip[0]);
	KUNIT_EXPECT_TRUE(test, address_in(st->ctx.entry->ip[0], "synthetic_caller"));
	KUNIT_EXPECT_TRUE(test, address_in(st->ctx.entry->ip[1],
					   "kernel_walk_begins_at_the_caller"));
}

static void mode_follows_the_registers(struct kunit *test)
{
	struct stack_test *st = stack_init(test, 0);

	KUNIT_EXPECT_EQ(test, PERF_RECORD_MISC_USER, perf_misc_flags(&st->regs));
	KUNIT_EXPECT_EQ(test, USER_IP, perf_instruction_pointer(&st->regs));

	perf_fetch_caller_regs(&st->regs);
	KUNIT_EXPECT_EQ(test, PERF_RECORD_MISC_KERNEL, perf_misc_flags(&st->regs));
	KUNIT_EXPECT_EQ(test, st->regs.ip, perf_instruction_pointer(&st->regs));
}

static void segments_that_do_not_exist_have_base_0(struct kunit *test)
{
	guard(preempt)();
	KUNIT_EXPECT_EQ(test, 0, x86_segment_base(__USER_DS));
	KUNIT_EXPECT_EQ(test, 0, x86_segment_base(GDT_ENTRIES * 8));
	KUNIT_EXPECT_EQ(test, 0, x86_segment_base(0xffff));
	KUNIT_EXPECT_EQ(test, 0, x86_segment_base(SEGMENT_TI_MASK));
}

static struct kunit_case x86_callchain_cases[] = {
	KUNIT_CASE(user_frames_are_followed),
	KUNIT_CASE(user_frames_of_32_bit_are_followed),
	KUNIT_CASE(user_walk_stops_at_max_stack),
	KUNIT_CASE(user_walk_faults_nothing_in),
	KUNIT_CASE(user_walk_ends_at_a_torn_frame),
	KUNIT_CASE(user_walk_of_32_bit_ends_at_a_torn_frame),
	KUNIT_CASE(user_walk_reads_no_kernel_memory),
	KUNIT_CASE(user_walk_wants_aligned_frames),
	KUNIT_CASE(kernel_walk_begins_at_the_caller),
	KUNIT_CASE(mode_follows_the_registers),
	KUNIT_CASE(segments_that_do_not_exist_have_base_0),
	{ }
};

static struct kunit_suite x86_callchain_suite = {
	.name = "perf_x86_callchain",
	.test_cases = x86_callchain_cases,
};

kunit_test_suite(x86_callchain_suite);
