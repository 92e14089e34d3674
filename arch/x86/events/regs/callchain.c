// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains: return addresses of the kernel's stack by its unwinder, of the user's
 * stack by frame pointers. A guest has no call chain: its stack and registers are not
 * accessible.
 *
 * Context: any, NMI included. Takes no lock and does not fault in pages.
 */
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include <asm/stacktrace.h>
#include <asm/tlbflush.h>
#include <asm/unwind.h>

#include "../perf_event.h"

/* A CPU always sets bit 1 of the flags. perf_arch_fetch_caller_regs() does not. */
static bool x86_callchain_saved_by_exception(struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_FIXED;
}

/**
 * perf_callchain_kernel() - append the kernel's part of a call chain
 * @ctx: the call chain
 * @regs: kernel registers, from an exception or from perf_fetch_caller_regs()
 */
void perf_callchain_kernel(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	unsigned long *first_frame = NULL, addr;
	struct unwind_state state;

	if (perf_guest_state())
		return;

	if (x86_callchain_saved_by_exception(regs)) {
		if (perf_callchain_store(ctx, regs->ip))
			return;
	} else {
		/*
		 * These are too few registers to unwind from. The frame is on this
		 * stack: start here and skip the frames of functions called since.
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

/* In assembly, so that one exception fixup covers both reads with any compiler. */
#define read_frame_words(type, frame, first, second)			\
do {									\
	const type __user *words = (frame);				\
									\
	asm volatile("	xor %k[to2], %k[to2]\n"				\
		     "1:	mov %[from], %[to]\n"			\
		     "2:	mov %[from2], %[to2]\n"		\
		     "3:\n"						\
		     _ASM_EXTABLE_UA(1b, 3b)				\
		     _ASM_EXTABLE_UA(2b, 3b)				\
		     : [to] "=&r" (first), [to2] "=&r" (second)		\
		     : [from] "m" (__m(words)),				\
		       [from2] "m" (__m(words + 1)));			\
} while (0)

/*
 * Read a frame. @next is the caller's frame pointer. Returns the return address, 0 if one
 * of the two words cannot be read.
 */
static __always_inline unsigned long x86_callchain_read_frame(const void __user *frame,
							      bool is_64bit, unsigned long *next)
{
	unsigned long ret64;
	u32 next32, ret32;

	if (is_64bit) {
		read_frame_words(unsigned long, frame, *next, ret64);
		return ret64;
	}
	read_frame_words(u32, frame, next32, ret32);
	*next = next32;
	return ret32;
}

/*
 * Follow the frame pointers until one is 0. If the program uses the register for
 * something else, the walk ends at the first value that is not the address of a frame.
 * Page faults are disabled.
 *
 * User memory is open during the walk, so it must not call functions: x86_callchain_read_frame() is
 * always inlined. So is the walk itself, because constants for is_64bit and the bases of
 * segments save 6 of 20 instructions per frame.
 *
 * User space controls the addresses: they are masked, or fenced, against speculation.
 */
static __always_inline u64 *x86_callchain_walk_frames(unsigned long fp, bool is_64bit,
						      unsigned long stack_base,
						      unsigned long code_base,
						      u64 *out, const u64 *end)
{
	const unsigned int word = is_64bit ? sizeof(u64) : sizeof(u32);
	const void __user *frame;
	unsigned long ret;

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
		ret = x86_callchain_read_frame(frame, is_64bit, &fp);
		if (!ret || out == end)
			break;
		*out++ = code_base + ret;
	} while (fp && !(fp & (word - 1)));
	user_read_access_end();
	return out;
}

#ifdef CONFIG_UPROBES
static inline const struct arch_uprobe *x86_callchain_current_uprobe(void)
{
	const struct uprobe_task *utask = current->utask;

	return unlikely(utask) ? utask->auprobe : NULL;
}

/*
 * A uprobe is on the first instruction of a function: the function has no frame yet, and
 * its return address is on top of the stack.
 */
static bool x86_callchain_at_function_entry(void)
{
	static const u8 push_bp[] = { 0x55 };
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct arch_uprobe *uprobe = x86_callchain_current_uprobe();

	return uprobe && (!memcmp(uprobe->insn, push_bp, sizeof(push_bp)) ||
			  !memcmp(uprobe->insn, endbr64, sizeof(endbr64)));
}
#else
static inline const void *x86_callchain_current_uprobe(void)
{
	return NULL;
}

static bool x86_callchain_at_function_entry(void)
{
	return false;
}
#endif

static u64 *x86_callchain_take_top_of_stack(const struct pt_regs *regs, u64 *out, const u64 *end)
{
	u64 ret = 0;

	if (out != end &&
	    !copy_from_user_nofault(&ret, (const void __user *)regs->sp,
				    user_64bit_mode((struct pt_regs *)regs) ? 8 : 4))
		*out++ = ret;
	return out;
}

/*
 * The uncommon cases: 32-bit code, which may use segments with a base, functions with a
 * uprobe, and an NMI while the mm of another task is loaded.
 */
static u64 *x86_callchain_walk_odd_stack(struct pt_regs *regs, u64 *out, const u64 *end)
{
	*out++ = perf_instruction_pointer(regs);

	/* Frames of 16-bit code are not followed. */
	if (!nmi_uaccess_okay() || v8086_mode(regs))
		return out;
	if (x86_callchain_at_function_entry())
		out = x86_callchain_take_top_of_stack(regs, out, end);

	pagefault_disable();
	if (user_64bit_mode(regs))
		out = x86_callchain_walk_frames(regs->bp, true, 0, 0, out, end);
	else
		out = x86_callchain_walk_frames((u32)regs->bp, false, x86_segment_base(regs->ss),
						x86_segment_base(regs->cs), out, end);
	pagefault_enable();
	return out;
}

static u64 *x86_callchain_walk_plain_stack(struct pt_regs *regs, u64 *out, const u64 *end)
{
	*out++ = regs->ip;
	pagefault_disable();
	out = x86_callchain_walk_frames(regs->bp, true, 0, 0, out, end);
	pagefault_enable();
	return out;
}

static void x86_callchain_append(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs,
				 u64 *(*walk)(struct pt_regs *regs, u64 *out, const u64 *end))
{
	struct perf_callchain_entry *entry = ctx->entry;
	u64 *first = entry->ip + entry->nr;
	u64 *out = walk(regs, first, first + (ctx->max_stack - ctx->nr));

	ctx->nr += out - first;
	entry->nr += out - first;
}

/* Out of line: its calls would make the common case save registers. */
static noinline void x86_callchain_append_odd_stack(struct perf_callchain_entry_ctx *ctx,
						    struct pt_regs *regs)
{
	x86_callchain_append(ctx, regs, x86_callchain_walk_odd_stack);
}

/* The common case. nmi_uaccess_okay() is true for the loaded mm. */
static bool x86_callchain_is_plain_stack(struct pt_regs *regs)
{
	return user_64bit_mode(regs) && !x86_callchain_current_uprobe() &&
	       this_cpu_read(cpu_tlbstate.loaded_mm) == current->mm;
}

/**
 * perf_callchain_user() - append the user's part of a call chain
 * @ctx: the call chain
 * @regs: registers of current in user space
 */
void perf_callchain_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	if (perf_guest_state() || ctx->contexts_maxed || ctx->nr == ctx->max_stack)
		return;
	if (likely(x86_callchain_is_plain_stack(regs)))
		x86_callchain_append(ctx, regs, x86_callchain_walk_plain_stack);
	else
		x86_callchain_append_odd_stack(ctx, regs);
}
