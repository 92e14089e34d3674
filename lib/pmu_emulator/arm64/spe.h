/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of SPE as its driver sees it.
 */
#ifndef _ARM64_PERF_MODEL_SPE_H
#define _ARM64_PERF_MODEL_SPE_H

#include <linux/types.h>

u64 spe_model_read(u32 reg);
void spe_model_write(u64 value, u32 reg);

int spe_model_init(void);
void spe_model_exit(void);
int spe_driver_init(void);
void spe_driver_exit(void);

#endif /* _ARM64_PERF_MODEL_SPE_H */
