/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of the trace buffer as its driver and the source of the trace see it.
 */
#ifndef _ARM64_PERF_MODEL_TRBE_H
#define _ARM64_PERF_MODEL_TRBE_H

#include <linux/types.h>

struct dentry;
struct perf_event;

u64 trbe_model_read(u32 reg);
void trbe_model_write(u64 value, u32 reg);
void trbe_model_allow(u64 levels);

int trbe_model_init(void);
void trbe_model_exit(void);
int trbe_driver_init(void);
void trbe_driver_exit(void);

int ete_model_init(struct dentry *dir);
void ete_model_exit(void);
int ete_appear(void);
void ete_disappear(void);

#endif /* _ARM64_PERF_MODEL_TRBE_H */
