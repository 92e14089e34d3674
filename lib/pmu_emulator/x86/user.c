// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user space. QEMU has no PMU: it checks CR4.PCE and then raises an invalid opcode
 * exception. It is handled here by executing the instruction on the emulator. With CR4.PCE
 * clear, the program gets its signal as on any machine.
 *
 * Context: irqs off, in an exception.
 */
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/uaccess.h>
#include <asm/traps.h>
#include "emulator.h"

static bool is_rdpmc(const struct pt_regs *regs)
{
	u8 code[2];

	return !copy_from_user_nofault(code, (const void __user *)regs->ip, sizeof(code)) &&
	       code[0] == 0x0f && code[1] == 0x33;
}

static int emu_user_exception(struct notifier_block *nb, unsigned long val, void *arg)
{
	struct die_args *args = arg;
	struct pt_regs *regs = args->regs;
	u64 value;

	if (val != DIE_TRAP || args->trapnr != X86_TRAP_UD || !user_mode(regs) ||
	    !is_rdpmc(regs))
		return NOTIFY_DONE;
	if (emu_machine->vendor->rdpmc_counter(regs->cx) < 0)
		return NOTIFY_DONE;

	value = x86_emu_rdpmc(regs->cx);
	regs->ax = (u32)value;
	regs->dx = value >> 32;
	regs->ip += 2;
	return NOTIFY_STOP;
}

static struct notifier_block emu_user_nb = {
	.notifier_call	= emu_user_exception,
};

/**
 * emu_user_init() - enable RDPMC of the emulator in user space
 */
void __init emu_user_init(void)
{
	register_die_notifier(&emu_user_nb);
}
