/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters outside of the cores. uncore.c has boxes with MSRs, pci.c boxes with registers
 * in the configuration space of PCI, iommu.c the counters of an IOMMU.
 */
#ifndef _X86_EVENTS_MODEL_BOX_H
#define _X86_EVENTS_MODEL_BOX_H

#include <linux/types.h>

#define MODEL_BOX_COUNTERS	8

/**
 * struct model_box_state - registers of a box
 * @tsc: time stamp counter at the last update of the counters
 * @control: control register of the box
 * @select: event selects
 * @value: counters
 * @part: fraction of the next event by counter, in 1 / 2^MODEL_RATE_SHIFT
 */
struct model_box_state {
	u64	tsc;
	u64	control;
	u64	select[MODEL_BOX_COUNTERS];
	u64	value[MODEL_BOX_COUNTERS];
	u64	part[MODEL_BOX_COUNTERS];
};

u64 model_box_read(struct model_box_state *state, const u64 *reg);
void model_box_write(struct model_box_state *state, u64 *reg, u64 value);

#endif /* _X86_EVENTS_MODEL_BOX_H */
