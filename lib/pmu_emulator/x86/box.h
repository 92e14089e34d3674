/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters outside of the cores. uncore.c has boxes with MSRs, pci.c boxes with registers
 * in the configuration space of PCI, iommu.c the counters of an IOMMU.
 */
#ifndef _PMU_EMULATOR_X86_BOX_H
#define _PMU_EMULATOR_X86_BOX_H

#include <linux/types.h>

#define EMU_BOX_COUNTERS	8

/**
 * struct emu_box_state - registers of a box
 * @tsc: time stamp counter at the last update of the counters
 * @control: control register of the box
 * @select: event selects
 * @value: counters
 * @part: fraction of the next event by counter, in 1 / 2^EMU_RATE_SHIFT
 */
struct emu_box_state {
	u64	tsc;
	u64	control;
	u64	select[EMU_BOX_COUNTERS];
	u64	value[EMU_BOX_COUNTERS];
	u64	part[EMU_BOX_COUNTERS];
};

u64 emu_box_read(struct emu_box_state *state, const u64 *reg);
void emu_box_write(struct emu_box_state *state, u64 *reg, u64 value);

#endif /* _PMU_EMULATOR_X86_BOX_H */
