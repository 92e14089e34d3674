/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a mesh's counters as their driver sees it.
 */
#ifndef _ARM64_PERF_MODEL_CMN_H
#define _ARM64_PERF_MODEL_CMN_H

#include <linux/types.h>

void __iomem *cmn_model_map(void);
u64 cmn_model_read(const void __iomem *at, unsigned int bytes);
void cmn_model_write(u64 value, void __iomem *at, unsigned int bytes);

int cmn_driver_init(void);
void cmn_driver_exit(void);

#endif /* _ARM64_PERF_MODEL_CMN_H */
