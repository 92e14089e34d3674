// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's branch sampling: when a certain counter overflows, the next 16 taken branches are recorded,
 * and then its interrupt comes.
 *
 * The branches come from branch_walk.c, in a loop, and they are recorded at the overflow itself.
 * The counter counts them. While a test has a script, the addresses are a pattern.
 *
 * Reports misuse: control bits that are not both set, other bits of the register that change, a
 * counter that does not exist, and records that are read while branches are recorded.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: AMD Processor Programming Reference, family 19h model 01h, as it is described publicly.
 * No second source confirms the positions of the bits.
 */
#include <linux/bitfield.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include "stage.h"

#define BRS_BITS	(PPR_BRS_ENABLE | PPR_BRS_MUST | PPR_BRS_FULL | PPR_BRS_POINTER |	\
			 PPR_BRS_COUNTER)

/* A bit of other functions of the register, which must stay set. */
#define BRS_OTHER	BIT_ULL(0)

/**
 * struct emu_brs - branch sampling of a CPU
 * @control: DBG_EXTN_CFG, without BRS_OTHER
 * @record: sources and targets in turn
 */
struct emu_brs {
	u64	control;
	u64	record[2 * PPR_BRS_RECORDS];
};

static DEFINE_PER_CPU(struct emu_brs, emu_brs);

/**
 * emu_brs_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if this file does not have the register.
 */
int emu_brs_read(u32 msr, u64 *value)
{
	const struct emu_brs *brs = this_cpu_ptr(&emu_brs);

	if (!emu_machine->brs)
		return -EIO;
	if (msr == APM_DBG_EXTN_CFG) {
		*value = brs->control | BRS_OTHER;
		return 0;
	}
	if (msr < APM_LBR_FROM || msr >= APM_LBR_FROM + 2 * PPR_BRS_RECORDS)
		return -EIO;
	if (brs->control & PPR_BRS_ENABLE)
		emu_misuse("records of branches are read while branches are sampled");
	*value = brs->record[msr - APM_LBR_FROM];
	return 0;
}

/**
 * emu_brs_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 *
 * Return: 0, -EIO if this file does not have the register, or the value is reserved.
 */
int emu_brs_write(u32 msr, u64 value)
{
	struct emu_brs *brs = this_cpu_ptr(&emu_brs);

	if (!emu_machine->brs || msr != APM_DBG_EXTN_CFG ||
	    value & ~(BRS_BITS | BRS_OTHER))
		return -EIO;
	if (!(value & BRS_OTHER))
		emu_misuse("DBG_EXTN_CFG loses bits: %#llx", value);
	if (value & PPR_BRS_ENABLE && (value & PPR_BRS_MUST) != PPR_BRS_MUST)
		emu_misuse("DBG_EXTN_CFG %#llx enables branch sampling", value);
	if (value & PPR_BRS_ENABLE && FIELD_GET(PPR_BRS_COUNTER, value) >= emu_machine->generic)
		emu_misuse("DBG_EXTN_CFG %#llx: no such counter", value);
	brs->control = value & ~BRS_OTHER;
	return 0;
}

/* The pattern of a test. */
static unsigned int fill_pattern(struct emu_branch *branches)
{
	unsigned int i;

	for (i = 0; i < EMU_BRS_PATTERN; i++)
		branches[i] = (struct emu_branch) {
			.from = EMU_BRS_FROM(i), .to = EMU_BRS_FROM(i) + 8,
		};
	return EMU_BRS_PATTERN;
}

/* The interrupted code, from the interrupted instruction on. */
static unsigned int fill_walk(const struct emu_cpu *cpu, unsigned int idx,
			      struct emu_branch *branches)
{
	struct pt_regs *regs = cpu->in_timer ? get_irq_regs() : NULL;
	u64 user_ip, kernel_ip = (unsigned long)fill_walk;
	unsigned int nr;

	if (!cpu->counter[idx].kernel && !(current->flags & PF_KTHREAD))
		regs = task_pt_regs(current);
	user_ip = current->flags & PF_KTHREAD ? 0 : task_pt_regs(current)->ip;
	if (regs && user_mode(regs))
		user_ip = regs->ip;
	else if (regs)
		kernel_ip = regs->ip;
	nr = emu_walk_branches(branches + 1, EMU_BRS_PATTERN - 1,
			       regs ? regs->ip : kernel_ip);
	/* into the kernel, or out of it */
	branches[0] = (struct emu_branch) { .from = user_ip, .to = kernel_ip };
	if (regs && user_mode(regs))
		branches[0] = (struct emu_branch) { .from = kernel_ip, .to = user_ip };
	return nr + 1;
}

/**
 * emu_brs_overflow() - record the branches after an overflow
 * @cpu: this CPU's PMU
 * @counters: mask of counters that have overflowed
 */
void emu_brs_overflow(struct emu_cpu *cpu, u64 counters)
{
	struct emu_brs *brs = this_cpu_ptr(&emu_brs);
	unsigned int idx = FIELD_GET(PPR_BRS_COUNTER, brs->control), nr, i;
	struct emu_branch branches[EMU_BRS_PATTERN];

	if (!(brs->control & PPR_BRS_ENABLE) || !(counters & BIT_ULL(idx)))
		return;
	nr = cpu->stage ? fill_pattern(branches) : fill_walk(cpu, idx, branches);
	for (i = 0; i < PPR_BRS_RECORDS; i++) {
		brs->record[2 * i] = branches[i % nr].from;
		brs->record[2 * i + 1] = branches[i % nr].to;
	}
	brs->control |= PPR_BRS_FULL;
	cpu->counter[idx].value += PPR_BRS_RECORDS;
	if (cpu->stage)
		cpu->stage->counted[idx] += PPR_BRS_RECORDS;
}

/**
 * emu_brs_control() - get the register that controls branch sampling
 *
 * Return: its bits of branch sampling.
 */
u64 emu_brs_control(void)
{
	return this_cpu_read(emu_brs.control);
}

/**
 * emu_brs_reset() - reset the registers of this CPU
 */
void emu_brs_reset(void)
{
	memset(this_cpu_ptr(&emu_brs), 0, sizeof(struct emu_brs));
}
