/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a DynamIQ Shared Unit's counters as its driver sees it.
 */
#ifndef _ARM64_PERF_MODEL_DSU_H
#define _ARM64_PERF_MODEL_DSU_H

#include <linux/types.h>

struct device_node;

int dsu_model_cpus(void);
struct device_node *dsu_model_cpu(int i);
u64 dsu_model_read(u32 reg);
void dsu_model_write(u64 value, u32 reg);

int dsu_driver_init(void);
void dsu_driver_exit(void);

#endif /* _ARM64_PERF_MODEL_DSU_H */
