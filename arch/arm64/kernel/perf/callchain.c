// SPDX-License-Identifier: GPL-2.0
/*
 * Call chain, instruction pointer and mode of a sample. arch/arm64/kernel/stacktrace.c
 * unwinds stacks, except for the user stacks of AArch64 tasks. A guest has no call chain:
 * its stack and registers are not accessible.
 *
 * Context: any, NMI included. Takes no lock.
 */
#include <linux/align.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include <asm/pointer_auth.h>

/* A frame record of AArch64: x29 points to it. */
struct frame_record {
	unsigned long	caller;		/* frame record of the caller */
	unsigned long	lr;		/* return address */
};

static bool append_address(void *chain, unsigned long addr)
{
	return !perf_callchain_store(chain, addr);
}

/**
 * perf_callchain_kernel() - append the kernel's part of a call chain
 * @ctx: the call chain
 * @regs: kernel registers, from an exception or from perf_fetch_caller_regs()
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	if (!perf_guest_state())
		arch_stack_walk(append_address, ctx, current, regs);
}

/*
 * The common case, so frames are neither copied nor passed to a callback. User memory is
 * open during the walk, so it must not call functions. Loads have the permissions of user
 * space, so the walk ends at memory that user space cannot read.
 *
 * Stacks grow down. The walk ends at a frame that is not above the one before, which
 * also ends cycles.
 */
static u64 *follow_frames(unsigned long fp, u64 *out, const u64 *end)
{
	const struct frame_record __user *frame;
	unsigned long caller = fp, lr;

	frame = (const struct frame_record __user *)fp;
	if (!fp || out == end || !IS_ALIGNED(fp, sizeof(fp)) ||
	    !user_access_begin(frame, sizeof(*frame)))
		return out;
	do {
		fp = caller;
		frame = (const struct frame_record __user *)fp;
		unsafe_get_user(caller, &frame->caller, fault);
		unsafe_get_user(lr, &frame->lr, fault);
		*out++ = ptrauth_strip_user_insn_pac(lr);
	} while (caller > fp && IS_ALIGNED(caller, sizeof(caller)) && out != end);
fault:
	user_access_end();
	return out;
}

static void append_frames(struct perf_callchain_entry_ctx *ctx, const struct pt_regs *regs)
{
	struct perf_callchain_entry *entry = ctx->entry;
	u64 *first = entry->ip + entry->nr, *out = first;
	const u64 *end = first + (ctx->max_stack - ctx->nr);

	if (ctx->contexts_maxed || first == end)
		return;

	*out++ = regs->pc;
	pagefault_disable();
	out = follow_frames(regs->regs[29], out, end);
	pagefault_enable();
	ctx->nr += out - first;
	entry->nr += out - first;
}

/**
 * perf_callchain_user() - append the user's part of a call chain
 * @ctx: the call chain
 * @regs: registers of current in user space, AArch64 or AArch32
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	if (perf_guest_state())
		return;
	if (compat_user_mode(regs))
		arch_stack_walk_user(append_address, ctx, regs);
	else
		append_frames(ctx, regs);
}

/**
 * perf_instruction_pointer() - get the instruction pointer of a sample
 * @regs: registers of the interrupted context
 *
 * Return: the instruction pointer, of the guest if a guest was interrupted.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	return unlikely(perf_guest_state()) ? perf_guest_get_ip() :
					      instruction_pointer(regs);
}

/* The macro of this name only says that the function exists. */
#undef perf_misc_flags

/**
 * perf_misc_flags() - get the mode of the CPU for a sample
 * @regs: registers of the interrupted context
 *
 * Return: PERF_RECORD_MISC_* for the record's header.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	unsigned int guest = perf_guest_state();

	if (unlikely(guest))
		return guest & PERF_GUEST_USER ? PERF_RECORD_MISC_GUEST_USER :
						 PERF_RECORD_MISC_GUEST_KERNEL;

	return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}
