// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of branches, by the instruction at the source of a record. Most hardware records no type.
 *
 * The instruction may be gone, or not be mapped at present: such a branch is X86_BR_OTHER.
 *
 * Context: NMI, on the CPU that recorded the branch, in the task that executed it.
 *
 * Source: Intel SDM volume 2, appendix "Opcode Map".
 */
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <asm/tlbflush.h>
#include "branch.h"

/* Opcodes of two bytes, the first of which is 0x0f. */
static u32 x86_branch_kind_of_two_bytes(u8 opcode)
{
	switch (opcode) {
	case 0x05:
	case 0x34:
		return X86_BR_SYSCALL;
	case 0x07:
	case 0x35:
		return X86_BR_SYSRET;
	case 0x80 ... 0x8f:
		return X86_BR_COND;
	}
	return X86_BR_OTHER;
}

/* Opcode 0xff: bits 5 to 3 of ModRM are part of the opcode. */
static u32 x86_branch_kind_of_group_5(struct insn *insn)
{
	if (insn_get_modrm(insn))
		return X86_BR_OTHER;
	switch (X86_MODRM_REG(insn->modrm.value)) {
	case 2:
		return X86_BR_IND_CALL;
	case 3:
		return X86_BR_FAR_CALL;
	case 4:
		return X86_BR_IND_JUMP;
	case 5:
		return X86_BR_FAR_JUMP;
	}
	return X86_BR_OTHER;
}

/**
 * x86_branch_kind_of() - get the kind of a branch instruction
 * @text: the instruction
 * @size: number of bytes that may be read
 * @is_64bit: it is 64-bit code
 *
 * Return: one of X86_BR_*; X86_BR_OTHER if it is no branch, or not complete.
 */
u32 x86_branch_kind_of(const u8 *text, unsigned int size, bool is_64bit)
{
	struct insn insn;

	if (insn_decode(&insn, text, size, is_64bit ? INSN_MODE_64 : INSN_MODE_32))
		return X86_BR_OTHER;
	switch (insn.opcode.bytes[0]) {
	case 0x0f:
		return x86_branch_kind_of_two_bytes(insn.opcode.bytes[1]);
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:	/* LOOP, JCXZ */
		return X86_BR_COND;
	case 0x9a:
		return X86_BR_FAR_CALL;
	case 0xc2:
	case 0xc3:
		return X86_BR_RET;
	case 0xca:
	case 0xcb:
		return X86_BR_FAR_RET;
	case 0xcc ... 0xce:
	case 0xf1:
		return X86_BR_TRAP;
	case 0xcf:
		return X86_BR_IRET;
	case 0xe8:
		return insn.immediate.value ? X86_BR_CALL : X86_BR_NEXT_CALL;
	case 0xe9:
	case 0xeb:
		return X86_BR_JUMP;
	case 0xea:
		return X86_BR_FAR_JUMP;
	case 0xff:
		return x86_branch_kind_of_group_5(&insn);
	}
	return X86_BR_OTHER;
}

/**
 * x86_branch_text() - read code
 * @text: output, room for MAX_INSN_SIZE bytes
 * @address: address of an instruction, of current or of the kernel
 *
 * Return: the number of bytes that could be read.
 */
unsigned int x86_branch_text(u8 *text, u64 address)
{
	const void *place = (void *)(unsigned long)address;
	unsigned int size = MAX_INSN_SIZE;

	if (!x86_branch_in_kernel(address))
		return size - copy_from_user_nmi(text, (const void __user *)place, size);
	/*
	 * A task can jump to any address, and the exception is recorded with it. Memory of devices
	 * must not be read: text is memory, and so are constants, such as the code of the tests.
	 */
	if (!kernel_text_address(address) && !is_kernel_rodata(address))
		return 0;
	/* The text behind the last instruction of a page may not be mapped. */
	if (copy_from_kernel_nofault(text, place, size)) {
		size = min_t(unsigned int, size, PAGE_SIZE - offset_in_page(place));
		if (copy_from_kernel_nofault(text, place, size))
			return 0;
	}
	return size;
}

/**
 * x86_branch_is_64bit() - check whether code is 64-bit code
 * @address: its address, of current or of the kernel
 *
 * Return: true if it is.
 */
bool x86_branch_is_64bit(u64 address)
{
	return IS_ENABLED(CONFIG_X86_64) &&
	       (x86_branch_in_kernel(address) || user_64bit_mode(task_pt_regs(current)));
}

static u32 x86_branch_kind_by_text(u64 from)
{
	u8 text[MAX_INSN_SIZE];
	unsigned int size = x86_branch_text(text, from);

	if (!size)
		return X86_BR_OTHER;
	return x86_branch_kind_of(text, size, x86_branch_is_64bit(from));
}

/**
 * x86_branch_kind() - get the kind of a recorded branch
 * @entry: the record
 *
 * An interrupt or exception may come at any instruction, and also at a branch that was not
 * executed. A branch into the kernel is one of these, unless the instruction enters the kernel.
 *
 * Return: one of X86_BR_*.
 */
u32 x86_branch_kind(const struct perf_branch_entry *entry)
{
	bool from_kernel = x86_branch_in_kernel(entry->from);
	u32 kind;

	if (entry->abort)
		return X86_BR_ABORT;
	kind = x86_branch_kind_by_text(entry->from);
	if (!x86_branch_in_kernel(entry->to))
		return kind;
	if (!from_kernel && !(kind & (X86_BR_SYSCALL | X86_BR_TRAP | X86_BR_FAR_CALL)))
		return X86_BR_IRQ;
	return kind == X86_BR_OTHER ? X86_BR_IRQ : kind;
}

/**
 * x86_branch_abi_type() - get the value for perf_branch_entry::type
 * @kind: one of X86_BR_*
 *
 * Return: PERF_BR_*.
 */
unsigned int x86_branch_abi_type(u32 kind)
{
	switch (kind) {
	case X86_BR_COND:
		return PERF_BR_COND;
	case X86_BR_JUMP:
		return PERF_BR_UNCOND;
	case X86_BR_IND_JUMP:
		return PERF_BR_IND;
	case X86_BR_CALL:
	case X86_BR_NEXT_CALL:
		return PERF_BR_CALL;
	case X86_BR_IND_CALL:
		return PERF_BR_IND_CALL;
	case X86_BR_RET:
		return PERF_BR_RET;
	case X86_BR_SYSCALL:
		return PERF_BR_SYSCALL;
	case X86_BR_SYSRET:
		return PERF_BR_SYSRET;
	case X86_BR_IRET:
		return PERF_BR_ERET;
	case X86_BR_IRQ:
		return PERF_BR_IRQ;
	}
	return PERF_BR_UNKNOWN;
}
