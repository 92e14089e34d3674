// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of PMUs outside of CPUs, and the files that control them.
 *
 * A device exists while 1 is written to "present" in the emulator's directory in debugfs. A number
 * that is written to "count" makes each event occur so many times, and more often by a factor
 * that depends on the event: see the emulator. A counter that wraps raises the PMU's interrupt at
 * the interrupt controller, on the CPU that the driver has chosen.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/preempt.h>
#include <linux/property.h>
#include <linux/sched.h>

#include "irq.h"
#include "uncore.h"

/* An interrupt that is not handled for so long has no event. A busy host may stop for seconds. */
#define PATIENCE	(60 * HZ)

/* Devices come and go one at a time. */
static DEFINE_MUTEX(devices_lock);

static int count_set(void *data, u64 times)
{
	struct uncore_emu *emu = data;
	unsigned long end = jiffies + PATIENCE;

	guard(mutex)(&devices_lock);
	if (!emu->device)
		return -ENODEV;
	if (times > emu->most)
		return -ERANGE;
	if (!emu->count(times))
		return 0;
	scoped_guard(preempt)
		emu_irq_raise(emu->irq);
	while (emu->overflow_is_pending() && time_before(jiffies, end))
		cond_resched();
	/* The handler clears the status before it reads the counter. */
	synchronize_irq(emu->irq);
	return emu->overflow_is_pending() ? -EIO : 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(count_fops, NULL, count_set, "%llu\n");

static int present_get(void *data, u64 *value)
{
	const struct uncore_emu *emu = data;

	guard(mutex)(&devices_lock);
	*value = !!emu->device;
	return 0;
}

static int appear(struct uncore_emu *emu)
{
	struct resource res[2] = { };
	struct platform_device_info info = {
		.name		= emu->driver,
		.id		= PLATFORM_DEVID_NONE,
		.data		= emu->data,
		.size_data	= emu->data_bytes,
		.properties	= emu->properties,
		.res		= res,
	};
	struct platform_device *device;
	int err;

	emu->irq = emu_spi_map(emu->spi);
	if (emu->irq < 0)
		return emu->irq;
	res[info.num_res++] = DEFINE_RES_IRQ(emu->irq);
	if (emu->address)
		res[info.num_res++] = DEFINE_RES_MEM(emu->address, emu->bytes);
	err = emu->reset();
	if (err)
		return err;
	device = platform_device_register_full(&info);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (!device_is_bound(&device->dev)) {
		platform_device_unregister(device);
		return -ENXIO;
	}
	emu->device = device;
	return 0;
}

/* Plug the device in, or out. */
static int present_set(void *data, u64 value)
{
	struct uncore_emu *emu = data;

	guard(mutex)(&devices_lock);
	if (!!value == !!emu->device)
		return 0;
	if (value)
		return appear(emu);
	/* The file is open, and each event of the PMU has a reference as well. */
	if (module_refcount(THIS_MODULE) > 1)
		return -EBUSY;
	platform_device_unregister(emu->device);
	emu->device = NULL;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(present_fops, present_get, present_set, "%llu\n");

/**
 * uncore_emu_init() - register the driver of an emulator, and make the emulator's files
 * @emu: the emulator
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int __init uncore_emu_init(struct uncore_emu *emu)
{
	int err = emu->driver_init();

	if (err)
		return err;
	emu->dir = debugfs_create_dir(emu->name, NULL);
	debugfs_create_file("present", 0600, emu->dir, emu, &present_fops);
	debugfs_create_file("count", 0200, emu->dir, emu, &count_fops);
	if (emu->more_files)
		emu->more_files(emu->dir);
	return 0;
}

/**
 * uncore_emu_exit() - undo uncore_emu_init()
 * @emu: the emulator
 *
 * Context: task, may sleep.
 */
void uncore_emu_exit(struct uncore_emu *emu)
{
	debugfs_remove(emu->dir);
	if (emu->device)
		platform_device_unregister(emu->device);
	emu->driver_exit();
}
