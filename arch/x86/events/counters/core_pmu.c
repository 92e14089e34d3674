// SPDX-License-Identifier: GPL-2.0
/*
 * Variables that all files here share: the core PMUs of the machine, and the state of each CPU.
 */
#include <linux/cache.h>
#include "../perf_event.h"
#include "core_pmu.h"

/**
 * x86_pmu_no_irq() - handle an interrupt while there is no PMU
 * @regs: registers of the context that the interrupt has interrupted
 *
 * Context: any.
 * Return: 0, the number of overflows.
 */
int x86_pmu_no_irq(struct pt_regs *regs)
{
	return 0;
}

struct x86_pmu x86_pmu __read_mostly = {
	.handle_irq	= x86_pmu_no_irq,
};

/*
 * The PMUs in the order in which they were detected. Changed by the CPU that comes online,
 * one CPU at a time, with interrupts disabled. None is removed after boot, see
 * x86_core_forget_all().
 */
struct x86_core_pmu *x86_core_pmus[X86_CORE_PMUS_MAX];
unsigned int x86_core_pmu_count;

DEFINE_PER_CPU(struct x86_cpu_pmu, x86_cpu_pmu);
