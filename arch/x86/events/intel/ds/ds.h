/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The debug store, see ds.c.
 */
#ifndef _X86_EVENTS_INTEL_DS_H
#define _X86_EVENTS_INTEL_DS_H

#include <linux/percpu.h>
#include <asm/intel_ds.h>

/* One of so many parts of the buffer is behind the threshold. */
#define INTEL_DS_SPARE_PART	4

/**
 * struct intel_ds - the debug store of a CPU
 * @store: the page that the hardware finds the buffer with
 * @buffer: the buffer of precise sampling; NULL if there is none
 * @store_at: address of @store for the hardware
 * @buffer_at: address of @buffer for the hardware
 *
 * Written while the CPU is offline.
 */
struct intel_ds {
	struct debug_store	*store;
	void			*buffer;
	unsigned long		store_at;
	unsigned long		buffer_at;
};

DECLARE_PER_CPU(struct intel_ds, intel_ds);

void intel_ds_map_store(unsigned int nr);
void *intel_ds_alloc(unsigned int nr, void *at, size_t size);
void intel_ds_free(void *buffer, void *at, size_t size);
int intel_ds_prepare(unsigned int nr);
void intel_ds_dead(unsigned int nr);
void intel_ds_limits(const struct intel_ds *ds, u32 size, unsigned int records);

#endif /* _X86_EVENTS_INTEL_DS_H */
