/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of a DynamIQ Shared Unit's counters as its driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_DSU_H
#define _PMU_EMULATOR_ARM64_DSU_H

#include <linux/types.h>

struct device_node;

int dsu_emu_cpus(void);
struct device_node *dsu_emu_cpu(int i);
u64 dsu_emu_read(u32 reg);
void dsu_emu_write(u64 value, u32 reg);

int dsu_driver_init(void);
void dsu_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_DSU_H */
