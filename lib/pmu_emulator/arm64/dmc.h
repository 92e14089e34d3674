/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a memory controller's counters as their driver sees it.
 */
#ifndef _ARM64_PERF_MODEL_DMC_H
#define _ARM64_PERF_MODEL_DMC_H

#include <linux/types.h>

void __iomem *dmc_model_map(void);
u32 dmc_model_read(const void __iomem *at);
void dmc_model_write(u32 value, void __iomem *at);

int dmc_driver_init(void);
void dmc_driver_exit(void);

#endif /* _ARM64_PERF_MODEL_DMC_H */
