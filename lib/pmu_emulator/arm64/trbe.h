/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of the trace buffer as its driver and the source of the trace see it.
 */
#ifndef _PMU_EMULATOR_ARM64_TRBE_H
#define _PMU_EMULATOR_ARM64_TRBE_H

#include <linux/types.h>

struct dentry;
struct perf_event;

u64 trbe_emu_read(u32 reg);
void trbe_emu_write(u64 value, u32 reg);
void trbe_emu_allow(u64 levels);

int trbe_emu_init(void);
void trbe_emu_exit(void);
int trbe_driver_init(void);
void trbe_driver_exit(void);

int ete_emu_init(struct dentry *dir);
void ete_emu_exit(void);
int ete_appear(void);
void ete_disappear(void);

#endif /* _PMU_EMULATOR_ARM64_TRBE_H */
