// SPDX-License-Identifier: GPL-2.0
/*
 * What a sample tells of the place where it was taken: call chains, address and
 * mode. All of it runs in any context up to NMI and takes no lock. The walking
 * is done by arch/arm64/kernel/stacktrace.c, but for the frames of AArch64 tasks;
 * an interrupted guest has no chain, for neither its stack nor its registers are
 * at hand.
 */
#include <linux/align.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include <asm/pointer_auth.h>

/* What x29 points to in AArch64 code that keeps frames. */
struct frame_record {
	unsigned long	caller;		/* its frame record */
	unsigned long	lr;		/* where it is returned to */
};

static bool append_address(void *chain, unsigned long addr)
{
	return !perf_callchain_store(chain, addr);
}

/**
 * perf_callchain_kernel() - append the kernel's part of a call chain
 * @ctx: the chain
 * @regs: kernel registers, from an exception or from perf_fetch_caller_regs()
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	if (!perf_guest_state())
		arch_stack_walk(append_address, ctx, current, regs);
}

/*
 * Most samples walk this, so frames are neither copied nor handed to a callback,
 * and user memory is open for all of the walk: nothing in it may be a call. Loads
 * are made with user space's rights, so what it may not read ends the walk.
 *
 * Stacks grow down: a chain that does not lead upwards is none, or has no end.
 */
static __always_inline u64 *follow_frames(unsigned long fp, u64 *out, const u64 *end)
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

static __always_inline void append_frames(struct perf_callchain_entry_ctx *ctx,
					  const struct pt_regs *regs)
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
 * @ctx: the chain
 * @regs: registers with which current left user space, AArch64 or AArch32
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
 * perf_instruction_pointer() - address at which a sample was taken
 * @regs: the interrupted context
 *
 * Return: the guest's address if a guest was interrupted.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	return unlikely(perf_guest_state()) ? perf_guest_get_ip() :
					      instruction_pointer(regs);
}

/* the macro only tells that the function exists */
#undef perf_misc_flags

/**
 * perf_misc_flags() - mode of the CPU when a sample was taken
 * @regs: the interrupted context
 *
 * Return: PERF_RECORD_MISC_* for the sample's header.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	unsigned int guest = perf_guest_state();

	if (unlikely(guest))
		return guest & PERF_GUEST_USER ? PERF_RECORD_MISC_GUEST_USER :
						 PERF_RECORD_MISC_GUEST_KERNEL;

	return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}
