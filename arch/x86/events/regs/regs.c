// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction pointer and mode of a sample. An NMI that interrupts a guest has the
 * registers of the host at VM exit, so the guest callbacks come first.
 */
#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>

#include "../counters/core_pmu.h"
#include "../perf_event.h"
#include "regs.h"

#ifdef CONFIG_MODIFY_LDT_SYSCALL
static unsigned long x86_regs_ldt_segment_base(unsigned int entry)
{
	struct ldt_struct *ldt;
	unsigned long flags, base = 0;

	/* Disabled interrupts keep the LDT: it is freed after an IPI to all users of the mm. */
	local_irq_save(flags);
	ldt = READ_ONCE(current->active_mm->context.ldt);
	if (ldt && entry < ldt->nr_entries)
		base = get_desc_base(&ldt->entries[entry]);
	local_irq_restore(flags);

	return base;
}
#else
static unsigned long x86_regs_ldt_segment_base(unsigned int entry)
{
	return 0;
}
#endif

/**
 * x86_segment_base() - get the base address of a segment of current
 * @selector: segment selector of user space
 *
 * Context: any, preemption off. Takes no lock.
 * Return: the base, 0 if the segment does not exist.
 */
unsigned long x86_segment_base(u16 selector)
{
	unsigned int entry = selector >> 3;

	if (selector & SEGMENT_TI_MASK)
		return x86_regs_ldt_segment_base(entry);

	if (entry >= GDT_ENTRIES)
		return 0;

	return get_desc_base(raw_cpu_ptr(gdt_page.gdt) + entry);
}

/* Base address of the code segment, which is not 0 for some 32-bit and 16-bit code. */
static unsigned long x86_regs_code_base(struct pt_regs *regs)
{
	if (v8086_mode(regs))
		return regs->cs << 4;

	if (!user_mode(regs) || user_64bit_mode(regs))
		return 0;

	return x86_segment_base(regs->cs);
}

/* Out of line: its call would make the common case save registers. */
static noinline unsigned long x86_regs_odd_instruction_pointer(struct pt_regs *regs)
{
	return regs->ip + x86_regs_code_base(regs);
}

/*
 * Registers of a sample that a record of this host has, while the sample is written. They do not
 * belong to a guest, whatever the interrupt hit. NULL at other times.
 */
static DEFINE_PER_CPU(const struct pt_regs *, x86_record_regs);

/**
 * x86_regs_note_record() - note the registers of a sample that are a record's
 * @regs: the registers; NULL: the sample was written
 *
 * Context: irqs off or NMI.
 */
void x86_regs_note_record(const struct pt_regs *regs)
{
	this_cpu_write(x86_record_regs, regs);
}

/*
 * The state of the guest that a sample shows. The interrupt that reads records of the host may hit
 * a guest, which has begun to run after the records were written.
 */
static unsigned int x86_regs_guest_of(const struct pt_regs *regs)
{
	unsigned int guest = perf_guest_state();

	return unlikely(guest) && regs == this_cpu_read(x86_record_regs) ? 0 : guest;
}

/**
 * perf_instruction_pointer() - get the linear instruction pointer of a sample
 * @regs: registers of the interrupted context
 *
 * Context: any, preemption off.
 * Return: the address, with the base of the code segment.
 */
unsigned long perf_instruction_pointer(struct pt_regs *regs)
{
	if (unlikely(x86_regs_guest_of(regs)))
		return perf_guest_get_ip();

	if (likely(any_64bit_mode(regs)))
		return regs->ip;
	return x86_regs_odd_instruction_pointer(regs);
}

/* The macro of this name only says that the function exists. */
#undef perf_misc_flags

/**
 * perf_misc_flags() - get the mode of the CPU for a sample
 * @regs: registers of the interrupted context
 *
 * Context: any.
 * Return: PERF_RECORD_MISC_* for the record's header.
 */
unsigned long perf_misc_flags(struct pt_regs *regs)
{
	unsigned int guest = x86_regs_guest_of(regs);
	unsigned long exact = 0;

	if (regs->flags & PERF_EFLAGS_EXACT)
		exact = PERF_RECORD_MISC_EXACT_IP;
	if (unlikely(guest))
		return exact | (guest & PERF_GUEST_USER ? PERF_RECORD_MISC_GUEST_USER :
							  PERF_RECORD_MISC_GUEST_KERNEL);

	return exact | (user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
}
