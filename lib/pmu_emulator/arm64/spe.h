/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of SPE as its driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_SPE_H
#define _PMU_EMULATOR_ARM64_SPE_H

#include <linux/types.h>

u64 spe_emu_read(u32 reg);
void spe_emu_write(u64 value, u32 reg);

int spe_emu_init(void);
void spe_emu_exit(void);
int spe_driver_init(void);
void spe_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_SPE_H */
