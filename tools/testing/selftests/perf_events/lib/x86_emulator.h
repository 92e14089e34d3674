/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emulated x86 PMUs: x86_pmu_emulator= on the kernel's command line.
 */
#ifndef PERF_TEST_X86_EMULATOR_H
#define PERF_TEST_X86_EMULATOR_H

#include <stdbool.h>

const char *kernel_parameter(const char *name);
bool machine_is(const char *name);
bool emulator_counts_instructions(void);
bool emulator_is_hostile(void);
bool turned_on_one_by_one(void);

#endif /* PERF_TEST_X86_EMULATOR_H */
