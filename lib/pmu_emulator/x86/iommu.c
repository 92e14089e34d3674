// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of AMD's IOMMU: two banks of four counters. amd/iommu.c accesses them by
 * functions of the IOMMU driver, which standalone.h replaces by these. A counter counts while
 * it has an event, like those in uncore.c. Filters are ignored.
 *
 * Source: AMD I/O Virtualization Technology Specification, "IOMMU Performance Counters".
 */
#include <linux/amd-iommu.h>
#include "box.h"
#include "emulator.h"
#include "standalone_iommu.h"

#define BANKS		2
#define COUNTERS	4

static struct emu_box_state banks[BANKS];

static bool is_emulated(void)
{
	return x86_hw_emulated() && emu_machine->standalone &&
	       emu_machine->identity.vendor == X86_VENDOR_AMD;
}

/**
 * x86_emu_iommu_supported() - check for IOMMUs with counters
 *
 * Return: true with an emulator; otherwise as amd_iommu_pc_supported().
 */
bool x86_emu_iommu_supported(void)
{
	if (is_emulated())
		return true;
	return IS_ENABLED(CONFIG_AMD_IOMMU) && amd_iommu_pc_supported();
}

/**
 * x86_emu_iommu_number() - get the number of IOMMUs
 *
 * Return: 1 with an emulator; otherwise as amd_iommu_get_num_iommus().
 */
int x86_emu_iommu_number(void)
{
	if (is_emulated())
		return 1;
	return IS_ENABLED(CONFIG_AMD_IOMMU) ? amd_iommu_get_num_iommus() : 0;
}

/**
 * x86_emu_iommu_get() - get an IOMMU
 * @idx: its number
 *
 * Return: with an emulator, a pointer that must not be dereferenced; otherwise as
 * get_amd_iommu().
 */
struct amd_iommu *x86_emu_iommu_get(unsigned int idx)
{
	if (is_emulated())
		return (struct amd_iommu *)banks;
	return IS_ENABLED(CONFIG_AMD_IOMMU) ? get_amd_iommu(idx) : NULL;
}

/**
 * x86_emu_iommu_banks() - get the number of banks of counters
 * @idx: number of the IOMMU
 *
 * Return: the number with an emulator; otherwise as amd_iommu_pc_get_max_banks().
 */
u8 x86_emu_iommu_banks(unsigned int idx)
{
	if (is_emulated())
		return BANKS;
	return IS_ENABLED(CONFIG_AMD_IOMMU) ? amd_iommu_pc_get_max_banks(idx) : 0;
}

/**
 * x86_emu_iommu_counters() - get the number of counters of a bank
 * @idx: number of the IOMMU
 *
 * Return: the number with an emulator; otherwise as amd_iommu_pc_get_max_counters().
 */
u8 x86_emu_iommu_counters(unsigned int idx)
{
	if (is_emulated())
		return COUNTERS;
	return IS_ENABLED(CONFIG_AMD_IOMMU) ? amd_iommu_pc_get_max_counters(idx) : 0;
}

/* Get the register of a counter, NULL for a filter. */
static u64 *register_of(struct emu_box_state *bank, u8 counter, u8 fxn)
{
	if (fxn == IOMMU_COUNTER)
		return &bank->value[counter];
	return fxn == IOMMU_COUNTER_SOURCE ? &bank->select[counter] : NULL;
}

static bool is_there(u8 bank, u8 counter)
{
	if (bank < BANKS && counter < COUNTERS)
		return true;
	emu_misuse("IOMMU: there is no counter %u in bank %u", counter, bank);
	return false;
}

/**
 * x86_emu_iommu_read() - read a register
 * @iommu: the IOMMU
 * @bank: bank of the counter
 * @counter: number of the counter in @bank
 * @fxn: number of the register of @counter
 * @value: output
 *
 * Return: 0 or -ENODEV with an emulator; otherwise as amd_iommu_pc_get_reg().
 */
int x86_emu_iommu_read(struct amd_iommu *iommu, u8 bank, u8 counter, u8 fxn, u64 *value)
{
	u64 *reg;

	if (!is_emulated())
		return IS_ENABLED(CONFIG_AMD_IOMMU) ?
		       amd_iommu_pc_get_reg(iommu, bank, counter, fxn, value) : -ENODEV;
	if (!is_there(bank, counter))
		return -ENODEV;
	reg = register_of(&banks[bank], counter, fxn);
	*value = reg ? emu_box_read(&banks[bank], reg) : 0;
	return 0;
}

/**
 * x86_emu_iommu_write() - write a register
 * @iommu: the IOMMU
 * @bank: bank of the counter
 * @counter: number of the counter in @bank
 * @fxn: number of the register of @counter
 * @value: new value
 *
 * Return: 0 or -ENODEV with an emulator; otherwise as amd_iommu_pc_set_reg().
 */
int x86_emu_iommu_write(struct amd_iommu *iommu, u8 bank, u8 counter, u8 fxn, u64 *value)
{
	u64 *reg, new = *value;

	if (!is_emulated())
		return IS_ENABLED(CONFIG_AMD_IOMMU) ?
		       amd_iommu_pc_set_reg(iommu, bank, counter, fxn, value) : -ENODEV;
	if (!is_there(bank, counter))
		return -ENODEV;
	reg = register_of(&banks[bank], counter, fxn);
	if (fxn == IOMMU_COUNTER_SOURCE && new)
		new |= UPM_SEL_EN;
	if (reg)
		emu_box_write(&banks[bank], reg, new);
	return 0;
}
