/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of the counters of a HiSilicon cache as their driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_L3C_H
#define _PMU_EMULATOR_ARM64_L3C_H

#include <linux/types.h>

void __iomem *l3c_emu_map(void);
u64 l3c_emu_read(const void __iomem *at, unsigned int bytes);
void l3c_emu_write(u64 value, void __iomem *at, unsigned int bytes);

int l3c_driver_init(void);
void l3c_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_L3C_H */
