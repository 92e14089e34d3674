/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of a mesh's counters as their driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_CMN_H
#define _PMU_EMULATOR_ARM64_CMN_H

#include <linux/types.h>

void __iomem *cmn_emu_map(void);
u64 cmn_emu_read(const void __iomem *at, unsigned int bytes);
void cmn_emu_write(u64 value, void __iomem *at, unsigned int bytes);

int cmn_driver_init(void);
void cmn_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_CMN_H */
