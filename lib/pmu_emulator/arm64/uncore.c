// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of PMUs outside of CPUs, and the files that control them.
 *
 * A device exists while 1 is written to "present" in the model's directory in debugfs. A number
 * that is written to "count" makes each event occur so many times, and more often by a factor
 * that depends on the event: see the model. A counter that wraps raises the PMU's interrupt at
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
	struct uncore_model *model = data;
	unsigned long end = jiffies + PATIENCE;

	guard(mutex)(&devices_lock);
	if (!model->device)
		return -ENODEV;
	if (times > model->most)
		return -ERANGE;
	if (!model->count(times))
		return 0;
	scoped_guard(preempt)
		model_irq_raise(model->irq);
	while (model->overflow_is_pending() && time_before(jiffies, end))
		cond_resched();
	/* The handler clears the status before it reads the counter. */
	synchronize_irq(model->irq);
	return model->overflow_is_pending() ? -EIO : 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(count_fops, NULL, count_set, "%llu\n");

static int present_get(void *data, u64 *value)
{
	const struct uncore_model *model = data;

	guard(mutex)(&devices_lock);
	*value = !!model->device;
	return 0;
}

static int appear(struct uncore_model *model)
{
	struct resource res[2] = { };
	struct platform_device_info info = {
		.name		= model->driver,
		.id		= PLATFORM_DEVID_NONE,
		.data		= model->data,
		.size_data	= model->data_bytes,
		.properties	= model->properties,
		.res		= res,
	};
	struct platform_device *device;
	int err;

	model->irq = model_spi_map(model->spi);
	if (model->irq < 0)
		return model->irq;
	res[info.num_res++] = DEFINE_RES_IRQ(model->irq);
	if (model->address)
		res[info.num_res++] = DEFINE_RES_MEM(model->address, model->bytes);
	err = model->reset();
	if (err)
		return err;
	device = platform_device_register_full(&info);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (!device_is_bound(&device->dev)) {
		platform_device_unregister(device);
		return -ENXIO;
	}
	model->device = device;
	return 0;
}

/* Plug the device in, or out. */
static int present_set(void *data, u64 value)
{
	struct uncore_model *model = data;

	guard(mutex)(&devices_lock);
	if (!!value == !!model->device)
		return 0;
	if (value)
		return appear(model);
	/* The file is open, and each event of the PMU has a reference as well. */
	if (module_refcount(THIS_MODULE) > 1)
		return -EBUSY;
	platform_device_unregister(model->device);
	model->device = NULL;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(present_fops, present_get, present_set, "%llu\n");

/**
 * uncore_model_init() - register the driver of a model, and make the model's files
 * @model: the model
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int __init uncore_model_init(struct uncore_model *model)
{
	int err = model->driver_init();

	if (err)
		return err;
	model->dir = debugfs_create_dir(model->name, NULL);
	debugfs_create_file("present", 0600, model->dir, model, &present_fops);
	debugfs_create_file("count", 0200, model->dir, model, &count_fops);
	if (model->more_files)
		model->more_files(model->dir);
	return 0;
}

/**
 * uncore_model_exit() - undo uncore_model_init()
 * @model: the model
 *
 * Context: task, may sleep.
 */
void uncore_model_exit(struct uncore_model *model)
{
	debugfs_remove(model->dir);
	if (model->device)
		platform_device_unregister(model->device);
	model->driver_exit();
}
