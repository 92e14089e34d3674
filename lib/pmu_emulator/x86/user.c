// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user space. An emulator without a PMU checks CR4.PCE and then raises an invalid
 * opcode exception. It is handled here by executing the instruction on the model. With
 * CR4.PCE clear, the program gets its signal as on any machine.
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

static int model_user_exception(struct notifier_block *nb, unsigned long val, void *arg)
{
	struct die_args *args = arg;
	struct pt_regs *regs = args->regs;
	u64 value;

	if (val != DIE_TRAP || args->trapnr != X86_TRAP_UD || !user_mode(regs) ||
	    !is_rdpmc(regs))
		return NOTIFY_DONE;
	if (model_machine->vendor->rdpmc_counter(regs->cx) < 0)
		return NOTIFY_DONE;

	value = x86_model_rdpmc(regs->cx);
	regs->ax = (u32)value;
	regs->dx = value >> 32;
	regs->ip += 2;
	return NOTIFY_STOP;
}

static struct notifier_block model_user_nb = {
	.notifier_call	= model_user_exception,
};

/**
 * model_user_init() - enable RDPMC of the model in user space
 */
void __init model_user_init(void)
{
	register_die_notifier(&model_user_nb);
}
