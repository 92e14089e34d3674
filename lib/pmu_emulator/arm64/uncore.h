/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the models of PMUs outside of CPUs have in common.
 */
#ifndef _ARM64_PERF_MODEL_UNCORE_H
#define _ARM64_PERF_MODEL_UNCORE_H

#include <linux/init.h>
#include <linux/types.h>

struct dentry;
struct platform_device;
struct property_entry;

/**
 * struct uncore_model - a PMU, and the device that its driver is bound to
 * @name: directory in debugfs
 * @driver: name of the driver
 * @address: physical address of the registers, where nothing is; 0 for system registers
 * @bytes: size of the registers
 * @spi: number of the shared interrupt
 * @most: largest number of times for @count: no counter may wrap twice before its interrupt
 *	is handled
 * @data: platform data for the driver, or NULL
 * @data_bytes: size of @data
 * @properties: properties as firmware describes them, or NULL
 * @reset: set the registers to what they are after reset; returns 0 or an errno
 * @count: let the events occur a number of times; returns true if the interrupt is due
 * @overflow_is_pending: whether a counter wrapped, and the driver has not cleared its status
 * @more_files: make more files in the model's directory, or NULL
 * @driver_init: the driver's module_init()
 * @driver_exit: the driver's module_exit()
 * @device: the device while it exists
 * @irq: its interrupt
 * @dir: directory in debugfs
 */
struct uncore_model {
	const char *name;
	const char *driver;
	u64 address;
	u32 bytes;
	unsigned int spi;
	u64 most;
	const void *data;
	size_t data_bytes;
	const struct property_entry *properties;
	int (*reset)(void);
	bool (*count)(u64 times);
	bool (*overflow_is_pending)(void);
	void (*more_files)(struct dentry *dir);
	int (*driver_init)(void);
	void (*driver_exit)(void);

	struct platform_device *device;
	int irq;
	struct dentry *dir;
};

int uncore_model_init(struct uncore_model *model);
void uncore_model_exit(struct uncore_model *model);

extern struct uncore_model pmcg_model;
extern struct uncore_model dsu_model;
extern struct uncore_model cmn_model;
extern struct uncore_model l3c_model;
extern struct uncore_model dmc_model;

#endif /* _ARM64_PERF_MODEL_UNCORE_H */
