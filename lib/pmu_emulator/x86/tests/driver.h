/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the driver on an emulated machine have in common.
 */
#ifndef _PMU_EMULATOR_X86_TESTS_DRIVER_H
#define _PMU_EMULATOR_X86_TESTS_DRIVER_H

#include <asm/pmu_emulator.h>
#include "arch/x86/events/counters/core_pmu.h"

/* The first PMU of an emulated machine. NULL on another machine, and if its set-up has failed. */
static inline struct x86_core_pmu *emulated_core(void)
{
	return x86_hw_emulated() ? x86_core_pmus[0] : NULL;
}

#endif /* _PMU_EMULATOR_X86_TESTS_DRIVER_H */
