// SPDX-License-Identifier: GPL-2.0
/*
 * IA32_DEBUGCTL: the bits that belong to the PMU's drivers, which are recording of branches, trace
 * of branches, and what freezes at an interrupt. x86_cpu_pmu::debugctl has their values.
 *
 * Other code writes the register as well: the single-step code owns DEBUGCTLMSR_BTF, and the split
 * lock code DEBUGCTLMSR_BUS_LOCK_DETECT. They read the register, change their bit and write it
 * back. KVM reads it before VM entry and writes that value after VM exit, which clears it. These
 * writes undo what an NMI in between has changed in the drivers' bits. Hardware clears
 * DEBUGCTLMSR_LBR at debug exceptions, and before version 4 of architectural perfmon at interrupts.
 * So the register may differ from x86_cpu_pmu::debugctl, and no write is left out because it has
 * the value already.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, "IA32_DEBUGCTL MSR"; AMD64 Architecture Programmer's Manual volume
 * 2, "DebugCtl MSR".
 */
#include "debugctl.h"

/* An NMI may change @debugctl, and write the register, after it was read here. */
static void x86_debugctl_write_bits(struct x86_cpu_pmu *cpu)
{
	u64 bits;

	do {
		bits = READ_ONCE(cpu->debugctl);
		x86_hw_write(MSR_IA32_DEBUGCTLMSR, bits |
			     (x86_hw_read(MSR_IA32_DEBUGCTLMSR) & ~cpu->debugctl_owned));
	} while (bits != READ_ONCE(cpu->debugctl));
}

/**
 * x86_debugctl_update() - change bits of the register
 * @cpu: this CPU's PMU
 * @mask: the bits, which belong to the caller
 * @bits: their new values
 */
void x86_debugctl_update(struct x86_cpu_pmu *cpu, u64 mask, u64 bits)
{
	u64 old;

	/* An NMI adds no owner: it writes only bits of sides that are in use. */
	cpu->debugctl_owned |= mask;
	do {
		old = READ_ONCE(cpu->debugctl);
	} while (cmpxchg64_local(&cpu->debugctl, old, (old & ~mask) | bits) != old);
	x86_debugctl_write_bits(cpu);
}

/**
 * x86_debugctl_restore() - write all bits that have an owner
 * @cpu: this CPU's PMU
 *
 * For resume: the register has lost its content.
 */
void x86_debugctl_restore(struct x86_cpu_pmu *cpu)
{
	if (cpu->debugctl_owned)
		x86_debugctl_write_bits(cpu);
}
