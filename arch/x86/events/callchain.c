// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains: return addresses from the kernel's stack through its unwinder,
 * and from the user's stack along the frame pointers. Both run in any context
 * up to NMI, take no lock and never fault a page in. An interrupted guest has
 * no chain: neither its stack nor its registers are at hand.
 */
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include <asm/stacktrace.h>
#include <asm/tlbflush.h>
#include <asm/unwind.h>

#include "perf_event.h"

/* Bit 1 of the flags is always set by a CPU, never by perf_arch_fetch_caller_regs(). */
static bool saved_by_exception(struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_FIXED;
}

/**
 * perf_callchain_kernel() - append the kernel's part of a call chain
 * @ctx: the chain
 * @regs: kernel registers, from an exception or from perf_fetch_caller_regs()
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	unsigned long *first_frame = NULL, addr;
	struct unwind_state state;

	if (perf_guest_state())
		return;

	if (saved_by_exception(regs)) {
		if (perf_callchain_store(ctx, regs->ip))
			return;
	} else {
		/*
		 * Too few registers to unwind from. The frame is still on this
		 * stack, so begin right here and skip what was called since.
		 */
		first_frame = (unsigned long *)regs->sp;
		regs = NULL;
	}

	unwind_start(&state, current, regs, first_frame);
	while (!unwind_done(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr || perf_callchain_store(ctx, addr))
			return;
		unwind_next_frame(&state);
	}
}

/*
 * Along the frame pointers, which end in 0 if the program keeps them. If it uses
 * the register otherwise the walk ends at the first value that is no address of a
 * frame. Page faults are disabled.
 *
 * User memory is open for all of the walk, so nothing in it may be a call. What is
 * read is user space's choice: addresses are masked, or fenced, against speculation.
 */
static __always_inline u64 *walk_frames(unsigned long fp, bool is_64bit,
					unsigned long stack_base,
					unsigned long code_base,
					u64 *out, const u64 *end)
{
	const unsigned int word = is_64bit ? sizeof(u64) : sizeof(u32);
	const void __user *frame;
	unsigned long next, ret;

	if (!fp || (fp & (word - 1)))
		return out;
	__uaccess_begin();
	do {
		frame = mask_user_address((const void __user *)(stack_base + fp));
		if (!can_do_masked_user_access()) {
			if (!access_ok(frame, 2 * word))
				break;
			barrier_nospec();
		}
		/* the caller's frame pointer, and where it is returned to */
		if (is_64bit) {
			unsafe_get_user(next, (const u64 __user *)frame, fault);
			unsafe_get_user(ret, (const u64 __user *)frame + 1, fault);
		} else {
			unsafe_get_user(next, (const u32 __user *)frame, fault);
			unsafe_get_user(ret, (const u32 __user *)frame + 1, fault);
		}
		if (!ret || out == end)
			break;
		*out++ = code_base + ret;
		fp = next;
	} while (fp && !(fp & (word - 1)));
fault:
	user_read_access_end();
	return out;
}

#ifdef CONFIG_UPROBES
static __always_inline const struct arch_uprobe *current_uprobe(void)
{
	const struct uprobe_task *utask = current->utask;

	return unlikely(utask) ? utask->auprobe : NULL;
}

/*
 * A uprobe sits on a function's first instruction: that function has no frame
 * yet, and its return address is on top of the stack.
 */
static bool at_function_entry(void)
{
	static const u8 push_bp[] = { 0x55 };
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct arch_uprobe *uprobe = current_uprobe();

	return uprobe && (!memcmp(uprobe->insn, push_bp, sizeof(push_bp)) ||
			  !memcmp(uprobe->insn, endbr64, sizeof(endbr64)));
}
#else
static inline const void *current_uprobe(void)
{
	return NULL;
}

static bool at_function_entry(void)
{
	return false;
}
#endif

static u64 *take_top_of_stack(const struct pt_regs *regs, u64 *out, const u64 *end)
{
	u64 ret = 0;

	if (out != end &&
	    !copy_from_user_nofault(&ret, (const void __user *)regs->sp,
				    user_64bit_mode((struct pt_regs *)regs) ? 8 : 4))
		*out++ = ret;
	return out;
}

/* 32-bit code, which may run in segments of its own, and functions with a uprobe. */
static noinline u64 *walk_odd_stack(struct pt_regs *regs, u64 *out, const u64 *end)
{
	*out++ = perf_instruction_pointer(regs);

	/* frames of 16-bit code cannot be followed */
	if (v8086_mode(regs))
		return out;
	if (at_function_entry())
		out = take_top_of_stack(regs, out, end);

	pagefault_disable();
	if (user_64bit_mode(regs))
		out = walk_frames(regs->bp, true, 0, 0, out, end);
	else
		out = walk_frames((u32)regs->bp, false, x86_segment_base(regs->ss),
				  x86_segment_base(regs->cs), out, end);
	pagefault_enable();
	return out;
}

static __always_inline u64 *walk_plain_stack(const struct pt_regs *regs,
					     u64 *out, const u64 *end)
{
	*out++ = regs->ip;
	pagefault_disable();
	out = walk_frames(regs->bp, true, 0, 0, out, end);
	pagefault_enable();
	return out;
}

/**
 * perf_callchain_user() - append the user's part of a call chain
 * @ctx: the chain
 * @regs: registers with which current left user space
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	/* an NMI may find a foreign mm */
	const bool readable = nmi_uaccess_okay();
	struct perf_callchain_entry *entry = ctx->entry;
	u64 *first = entry->ip + entry->nr, *out = first;
	const u64 *end = first + (ctx->max_stack - ctx->nr);

	if (perf_guest_state() || ctx->contexts_maxed || first == end)
		return;

	if (unlikely(!readable))
		*out++ = perf_instruction_pointer(regs);
	else if (likely(user_64bit_mode(regs) && !current_uprobe()))
		out = walk_plain_stack(regs, out, end);
	else
		out = walk_odd_stack(regs, out, end);
	ctx->nr += out - first;
	entry->nr += out - first;
}
