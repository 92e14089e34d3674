/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of a memory controller's counters as their driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_DMC_H
#define _PMU_EMULATOR_ARM64_DMC_H

#include <linux/types.h>

void __iomem *dmc_emu_map(void);
u32 dmc_emu_read(const void __iomem *at);
void dmc_emu_write(u32 value, void __iomem *at);

int dmc_driver_init(void);
void dmc_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_DMC_H */
