/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of an SMMU's counters as its driver sees it.
 */
#ifndef _PMU_EMULATOR_ARM64_PMCG_H
#define _PMU_EMULATOR_ARM64_PMCG_H

#include <linux/types.h>

struct platform_device;
struct resource;

void __iomem *pmcg_emu_map(struct platform_device *device, unsigned int index,
			   struct resource **resource);
u64 pmcg_emu_read(const void __iomem *at, unsigned int bytes);
void pmcg_emu_write(u64 value, void __iomem *at, unsigned int bytes);

int pmcg_driver_init(void);
void pmcg_driver_exit(void);

#endif /* _PMU_EMULATOR_ARM64_PMCG_H */
