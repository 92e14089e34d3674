// SPDX-License-Identifier: GPL-2.0
/*
 * Registers for PERF_SAMPLE_REGS_USER and PERF_SAMPLE_REGS_INTR, numbered as in enum
 * perf_event_arm_regs. The registers of AArch32 tasks are at other places in struct
 * pt_regs, and number 15 is their program counter.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include <asm/compat.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

/* AArch32's number of the program counter, which its tools use. */
#define COMPAT_PC	15

/* x0 to x30, sp and pc */
#define BASE_REGS	GENMASK_ULL(PERF_REG_ARM64_MAX - 1, 0)
#define VG_REG		BIT_ULL(PERF_REG_ARM64_VG)

/* Length of current's SVE registers, in units of 64 bits. */
static u64 sve_vector_granule(void)
{
	if (!system_supports_sve())
		return 0;

	return task_get_vl(current, ARM64_VEC_SVE) / sizeof(u64);
}

static u64 compat_reg_value(struct pt_regs *regs, int idx)
{
	switch (idx) {
	case PERF_REG_ARM64_SP:
		return regs->compat_sp;
	case PERF_REG_ARM64_LR:
		return regs->compat_lr;
	case COMPAT_PC:
	case PERF_REG_ARM64_PC:
		return regs->pc;
	default:
		return regs->regs[idx];
	}
}

/**
 * perf_reg_value() - get a register of a sample
 * @regs: registers of the sample, of current
 * @idx: number of the register, accepted by perf_reg_validate()
 *
 * Context: any.
 * Return: the register's value.
 */
u64 perf_reg_value(struct pt_regs *regs, int idx)
{
	if (idx == PERF_REG_ARM64_VG)
		return sve_vector_granule();

	if (WARN_ON_ONCE((u32)idx >= PERF_REG_ARM64_MAX))
		return 0;

	if (compat_user_mode(regs))
		return compat_reg_value(regs, idx);

	switch (idx) {
	case PERF_REG_ARM64_SP:
		return regs->sp;
	case PERF_REG_ARM64_PC:
		return regs->pc;
	default:
		return regs->regs[idx];
	}
}

/**
 * perf_reg_validate() - check that registers can be sampled on this machine
 * @mask: mask of register numbers
 *
 * Return: 0, -EINVAL if @mask is 0 or has a register that does not exist.
 */
int perf_reg_validate(u64 mask)
{
	u64 known = BASE_REGS;

	if (system_supports_sve())
		known |= VG_REG;

	return mask && !(mask & ~known) ? 0 : -EINVAL;
}

/**
 * perf_reg_abi() - get the register ABI of a task
 * @task: the task
 *
 * Return: PERF_SAMPLE_REGS_ABI_32 for AArch32 tasks, else PERF_SAMPLE_REGS_ABI_64.
 */
u64 perf_reg_abi(struct task_struct *task)
{
	return is_compat_thread(task_thread_info(task)) ? PERF_SAMPLE_REGS_ABI_32 :
							  PERF_SAMPLE_REGS_ABI_64;
}

/**
 * perf_get_regs_user() - get the registers of current in user space
 * @regs_user: output, registers and their ABI
 * @regs: registers of the interrupted context, kernel or user
 *
 * Context: any, NMI included. Exception entry saves all registers before it unmasks NMIs.
 */
void perf_get_regs_user(struct perf_regs *regs_user, struct pt_regs *regs)
{
	*regs_user = (struct perf_regs) {
		.regs	= task_pt_regs(current),
		.abi	= perf_reg_abi(current),
	};
}
