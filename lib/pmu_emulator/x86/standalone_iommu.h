/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacements of the IOMMU driver's functions for amd/iommu.c, see standalone.h.
 */
#ifndef _PMU_EMULATOR_X86_STANDALONE_IOMMU_H
#define _PMU_EMULATOR_X86_STANDALONE_IOMMU_H

#include <linux/types.h>

struct amd_iommu;

bool x86_emu_iommu_supported(void);
int x86_emu_iommu_number(void);
struct amd_iommu *x86_emu_iommu_get(unsigned int idx);
u8 x86_emu_iommu_banks(unsigned int idx);
u8 x86_emu_iommu_counters(unsigned int idx);
int x86_emu_iommu_read(struct amd_iommu *iommu, u8 bank, u8 counter, u8 fxn, u64 *value);
int x86_emu_iommu_write(struct amd_iommu *iommu, u8 bank, u8 counter, u8 fxn, u64 *value);

#endif /* _PMU_EMULATOR_X86_STANDALONE_IOMMU_H */
