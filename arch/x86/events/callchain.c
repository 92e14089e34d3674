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

struct user_frame {
	unsigned long next;		/* frame pointer of the caller */
	unsigned long ret;		/* address in the caller */
};

/*
 * Read two words of the user's stack; page faults are disabled. The address is
 * user space's choice, so it is masked, or fenced, against speculation.
 */
static __always_inline bool read_frame(unsigned long at, bool is_64bit,
				       struct user_frame *frame)
{
	const void __user *from = (const void __user *)at;

	if (can_do_masked_user_access())
		from = masked_user_access_begin(from);
	else if (!user_read_access_begin(from, sizeof(*frame)))
		return false;

	if (is_64bit) {
		const u64 __user *word = from;

		unsafe_get_user(frame->next, word, fault);
		unsafe_get_user(frame->ret, word + 1, fault);
	} else {
		const u32 __user *word = from;

		unsafe_get_user(frame->next, word, fault);
		unsafe_get_user(frame->ret, word + 1, fault);
	}
	user_read_access_end();
	return true;

fault:
	user_read_access_end();
	return false;
}

/*
 * Frame pointers end in 0 if the program keeps them. If it uses the register
 * otherwise the walk ends at the first value that is no address of a frame.
 */
static __always_inline void walk_frames(struct perf_callchain_entry_ctx *ctx,
					unsigned long fp, bool is_64bit,
					unsigned long stack_base,
					unsigned long code_base)
{
	const unsigned long misaligned = is_64bit ? 7 : 3;
	struct user_frame frame;

	while (fp && !(fp & misaligned)) {
		if (!read_frame(stack_base + fp, is_64bit, &frame) || !frame.ret)
			return;
		if (perf_callchain_store(ctx, code_base + frame.ret))
			return;
		fp = frame.next;
	}
}

#ifdef CONFIG_UPROBES
/*
 * A uprobe sits on a function's first instruction: that function has no frame
 * yet, and its return address is on top of the stack.
 */
static bool at_function_entry(struct pt_regs *regs)
{
	static const u8 push_bp[] = { 0x55 };
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const u8 *insn;

	if (!current->utask || !current->utask->auprobe)
		return false;

	insn = current->utask->auprobe->insn;
	return !memcmp(insn, push_bp, sizeof(push_bp)) ||
	       !memcmp(insn, endbr64, sizeof(endbr64));
}
#else
static bool at_function_entry(struct pt_regs *regs)
{
	return false;
}
#endif

static void store_top_of_stack(struct perf_callchain_entry_ctx *ctx,
			       unsigned long sp, bool is_64bit)
{
	const unsigned int word = is_64bit ? 8 : 4;
	struct user_frame frame;

	/* the word at sp is where a frame that begins below it has "ret" */
	if (read_frame(sp - word, is_64bit, &frame))
		perf_callchain_store(ctx, frame.ret);
}

/**
 * perf_callchain_user() - append the user's part of a call chain
 * @ctx: the chain
 * @regs: registers with which current left user space
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	const bool is_64bit = user_64bit_mode(regs);

	if (perf_guest_state())
		return;

	if (perf_callchain_store(ctx, perf_instruction_pointer(regs)))
		return;

	/* frames of 16-bit code cannot be followed; an NMI may find a foreign mm */
	if (v8086_mode(regs) || !nmi_uaccess_okay())
		return;

	pagefault_disable();
	if (at_function_entry(regs))
		store_top_of_stack(ctx, regs->sp, is_64bit);

	if (is_64bit)
		walk_frames(ctx, regs->bp, true, 0, 0);
	else
		walk_frames(ctx, (u32)regs->bp, false, x86_segment_base(regs->ss),
			    x86_segment_base(regs->cs));
	pagefault_enable();
}
