/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the emulators of PMUs outside of CPUs have in common.
 */
#ifndef _PMU_EMULATOR_ARM64_UNCORE_H
#define _PMU_EMULATOR_ARM64_UNCORE_H

#include <linux/init.h>
#include <linux/types.h>

struct dentry;
struct platform_device;
struct property_entry;

/**
 * struct uncore_emu - a PMU, and the device that its driver is bound to
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
 * @more_files: make more files in the emulator's directory, or NULL
 * @driver_init: the driver's module_init()
 * @driver_exit: the driver's module_exit()
 * @device: the device while it exists
 * @irq: its interrupt
 * @dir: directory in debugfs
 */
struct uncore_emu {
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

int uncore_emu_init(struct uncore_emu *emu);
void uncore_emu_exit(struct uncore_emu *emu);

extern struct uncore_emu pmcg_emu;
extern struct uncore_emu dsu_emu;
extern struct uncore_emu cmn_emu;
extern struct uncore_emu l3c_emu;
extern struct uncore_emu dmc_emu;

#endif /* _PMU_EMULATOR_ARM64_UNCORE_H */
