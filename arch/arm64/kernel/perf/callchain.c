// SPDX-License-Identifier: GPL-2.0
/*
 * What a sample tells of the place where it was taken: call chains, address and
 * mode. All of it runs in any context up to NMI and takes no lock. The walking
 * is done by arch/arm64/kernel/stacktrace.c; an interrupted guest has no chain,
 * for neither its stack nor its registers are at hand.
 */
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>

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

/**
 * perf_callchain_user() - append the user's part of a call chain
 * @ctx: the chain
 * @regs: registers with which current left user space, AArch64 or AArch32
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	if (!perf_guest_state())
		arch_stack_walk_user(append_address, ctx, regs);
}

/**
 * perf_instruction_pointer() - address at which a sample was taken
 * @regs: the interrupted context
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
