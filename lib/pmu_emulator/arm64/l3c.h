/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of the counters of a HiSilicon cache as their driver sees it.
 */
#ifndef _ARM64_PERF_MODEL_L3C_H
#define _ARM64_PERF_MODEL_L3C_H

#include <linux/types.h>

void __iomem *l3c_model_map(void);
u64 l3c_model_read(const void __iomem *at, unsigned int bytes);
void l3c_model_write(u64 value, void __iomem *at, unsigned int bytes);

int l3c_driver_init(void);
void l3c_driver_exit(void);

#endif /* _ARM64_PERF_MODEL_L3C_H */
