// SPDX-License-Identifier: GPL-2.0
/*
 * Accumulated power of family 15h: the power of a compute unit, added in each cycle of the
 * "PTSC", a time stamp counter of about 100 MHz. Here the power is constant, and the PTSC
 * is the time stamp counter, divided.
 *
 * Source: AMD's BIOS and Kernel Developer's Guide for family 15h, models 60h-6Fh, section
 * "Processor Power Reporting".
 */
#include "emulator.h"

#define PTSC_SHIFT	5

/* Increment of the accumulator per PTSC cycle, and its maximum, of 48 bits. */
#define POWER_STEP	5
#define POWER_MAX	GENMASK_ULL(47, 0)

/**
 * emu_power_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Context: any.
 * Return: false if the emulator does not have the register.
 */
bool emu_power_read(u32 msr, u64 *value)
{
	u64 ptsc = rdtsc_ordered() >> PTSC_SHIFT;

	if (!emu_machine->power)
		return false;
	switch (msr) {
	case BKDG_PTSC:
		*value = ptsc;
		return true;
	case BKDG_CU_PWR_ACC:
		*value = ptsc * POWER_STEP & POWER_MAX;
		return true;
	case BKDG_CU_MAX_PWR_ACC:
		*value = POWER_MAX;
		return true;
	}
	return false;
}
