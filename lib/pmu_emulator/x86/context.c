// SPDX-License-Identifier: GPL-2.0
/*
 * What the emulator's hardware sees of the context that it interrupts: the general registers, the
 * address that the instruction accesses, the registers XMM. All of it is real.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/fpu/types.h>
#include <asm/insn-eval.h>
#include <asm/irq_regs.h>
#include "ds.h"

/**
 * emu_interrupted() - get the registers of the context in which a counter has overflowed
 * @cpu: this CPU's PMU
 * @idx: the counter
 *
 * Return: the registers, NULL if the emulator itself was interrupted.
 */
const struct pt_regs *emu_interrupted(const struct emu_cpu *cpu, unsigned int idx)
{
	if (!cpu->counter[idx].kernel && !(current->flags & PF_KTHREAD))
		return task_pt_regs(current);
	return cpu->in_timer ? get_irq_regs() : NULL;
}

/* Instructions with an operand in memory that they do not access: LEA, and hints. */
static bool accesses_memory(const struct insn *insn)
{
	u8 opcode = insn->opcode.bytes[0], second = insn->opcode.bytes[1];

	if (!insn->modrm.nbytes || X86_MODRM_MOD(insn->modrm.value) == 3)
		return false;
	return opcode != 0x8d &&
	       (opcode != 0x0f || (second != 0x0d && (second & 0xf8) != 0x18));
}

/**
 * emu_operand() - get the address that an instruction of user mode accesses
 * @regs: the registers before the instruction
 *
 * Return: the address, 0 if the instruction has no operand in memory, or cannot be read. Operands
 *	that have no ModRM byte do not count: those on the stack, and of string instructions.
 */
u64 emu_operand(const struct pt_regs *regs)
{
	struct pt_regs copy = *regs;
	unsigned char text[MAX_INSN_SIZE];
	struct insn insn;
	unsigned long at;

	if (copy_from_user_nofault(text, (const void __user *)regs->ip, sizeof(text)) ||
	    !insn_decode_from_regs(&insn, &copy, text, sizeof(text)) || !accesses_memory(&insn))
		return 0;
	at = (unsigned long)insn_get_addr_ref(&insn, &copy);
	return at < TASK_SIZE_MAX ? at : 0;
}

#define XMM_SIZE	16

/**
 * emu_xmm() - store the registers XMM of the interrupted context
 * @out: output, two values for each register
 *
 * While a task is in the kernel its registers may be in memory only. Registers that the CPU does
 * not have are 0.
 */
void emu_xmm(u64 *out)
{
	memset(out, 0, 16 * XMM_SIZE);
	if (!boot_cpu_has(X86_FEATURE_XMM2))
		return;
	if (test_thread_flag(TIF_NEED_FPU_LOAD)) {
		memcpy(out, current->thread.fpu.fpstate->regs.fxsave.xmm_space, 16 * XMM_SIZE);
		return;
	}
#define STORE(_nr) do {							\
	u8 (*at)[XMM_SIZE] = (u8 (*)[XMM_SIZE])(out + 2 * (_nr));	\
									\
	asm volatile("movdqu %%xmm" #_nr ", %0" : "=m" (*at));		\
} while (0)
	STORE(0);
	STORE(1);
	STORE(2);
	STORE(3);
	STORE(4);
	STORE(5);
	STORE(6);
	STORE(7);
#ifdef CONFIG_X86_64
	STORE(8);
	STORE(9);
	STORE(10);
	STORE(11);
	STORE(12);
	STORE(13);
	STORE(14);
	STORE(15);
#endif
#undef STORE
}
