/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models of x86 PMUs: x86_pmu_emulator= on the kernel's command line.
 */
#ifndef PERF_TEST_X86_MODEL_H
#define PERF_TEST_X86_MODEL_H

#include <stdbool.h>

const char *kernel_parameter(const char *name);
bool model_is(const char *name);
bool model_counts_instructions(void);
bool model_is_hostile(void);
bool turned_on_one_by_one(void);

#endif /* PERF_TEST_X86_MODEL_H */
