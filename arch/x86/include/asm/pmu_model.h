/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the entry code for the model of a PMU (CONFIG_X86_PMU_MODEL), so that the model
 * counts user mode and the kernel apart. Without a model they do nothing.
 */
#ifndef _ASM_X86_PMU_MODEL_H
#define _ASM_X86_PMU_MODEL_H

#ifdef CONFIG_X86_PMU_MODEL
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(x86_pmu_model_key);

void x86_model_enter_kernel(void);
void x86_model_prepare_user(void);
void x86_model_enter_user(void);

/* The CPU has left user mode. Interrupts are disabled, no instrumentation. */
static __always_inline void pmu_model_enter_kernel(void)
{
	if (static_branch_unlikely(&x86_pmu_model_key))
		x86_model_enter_kernel();
}

/* The CPU will return to user mode. Interrupts are disabled. */
static inline void pmu_model_prepare_user(void)
{
	if (static_branch_unlikely(&x86_pmu_model_key))
		x86_model_prepare_user();
}

/* The CPU returns to user mode now. Interrupts are disabled, no instrumentation. */
static __always_inline void pmu_model_enter_user(void)
{
	if (static_branch_unlikely(&x86_pmu_model_key))
		x86_model_enter_user();
}
#else
static __always_inline void pmu_model_enter_kernel(void) { }
static inline void pmu_model_prepare_user(void) { }
static __always_inline void pmu_model_enter_user(void) { }
#endif

#endif /* _ASM_X86_PMU_MODEL_H */
