// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs in sysfs: /sys/bus/event_source/devices/<pmu>/.
 *
 * This file has the bus, a device per PMU, and the files that every PMU has. All other
 * files (events/, format/, caps/) come from the driver's attribute groups. pmu.c calls
 * perf_pmu_sysfs_add() and perf_pmu_sysfs_remove() in task context. The removal waits
 * for readers and writers of the files. So these must not wait for CPU hotplug:
 * drivers unregister under its lock.
 */
#include <linux/device.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "../sched/rotate.h"
#include "pmu.h"

static ssize_t type_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%d\n", pmu->type);
}
static DEVICE_ATTR_RO(type);

static ssize_t nr_addr_filters_show(struct device *dev,
				    struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%u\n", pmu->nr_addr_filters);
}
static DEVICE_ATTR_RO(nr_addr_filters);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *page)
{
	const struct cpumask *mask = perf_pmu_scope_mask(dev_get_drvdata(dev));

	return mask ? cpumap_print_to_pagebuf(true, page, mask) : 0;
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t perf_event_mux_interval_ms_show(struct device *dev,
					       struct device_attribute *attr,
					       char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return sysfs_emit(page, "%d\n", READ_ONCE(pmu->hrtimer_interval_ms));
}

/* Rotation reads the interval when a slice begins. Slices that are longer now are cut. */
static ssize_t perf_event_mux_interval_ms_store(struct device *dev,
						struct device_attribute *attr,
						const char *text, size_t len)
{
	struct pmu *pmu = dev_get_drvdata(dev);
	int ms, former, err;

	err = kstrtoint(text, 0, &ms);
	if (err)
		return err;
	if (ms <= 0)
		return -EINVAL;
	former = xchg(&pmu->hrtimer_interval_ms, ms);
	if (ms < former)
		perf_rotate_shorten(pmu);
	return len;
}
static DEVICE_ATTR_RW(perf_event_mux_interval_ms);

static struct attribute *perf_pmu_attrs[] = {
	&dev_attr_type.attr,
	&dev_attr_perf_event_mux_interval_ms.attr,
	&dev_attr_nr_addr_filters.attr,
	&dev_attr_cpumask.attr,
	NULL
};

/* Hide files that do not apply to the PMU. */
static umode_t perf_pmu_attr_mode(struct kobject *kobj, struct attribute *attr,
				  int n)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	if (attr == &dev_attr_nr_addr_filters.attr)
		return pmu->nr_addr_filters ? attr->mode : 0;
	if (attr == &dev_attr_cpumask.attr)
		return pmu->scope == PERF_PMU_SCOPE_NONE ? 0 : attr->mode;
	return attr->mode;
}

static const struct attribute_group perf_pmu_group = {
	.attrs		= perf_pmu_attrs,
	.is_visible	= perf_pmu_attr_mode,
};
__ATTRIBUTE_GROUPS(perf_pmu);

static const struct bus_type perf_pmu_bus = {
	.name		= "event_source",
	.dev_groups	= perf_pmu_groups,
};

static void perf_pmu_device_release(struct device *dev)
{
	kfree(dev);
}

/**
 * perf_pmu_sysfs_add() - create a PMU's device
 * @pmu: the PMU; complete, with its type; the bus is up
 *
 * Context: task, may sleep.
 * Return: 0 with pmu->dev set, or -errno.
 */
int perf_pmu_sysfs_add(struct pmu *pmu)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return -ENOMEM;
	dev->bus = &perf_pmu_bus;
	dev->parent = pmu->parent;
	dev->groups = pmu->attr_groups;
	dev->release = perf_pmu_device_release;
	device_initialize(dev);
	dev_set_drvdata(dev, pmu);

	/* set early: callbacks of the driver may use it while the device is added */
	pmu->dev = dev;
	err = dev_set_name(dev, "%s", pmu->name) ?: device_add(dev);
	if (err)
		goto err_put;
	if (!pmu->attr_update)
		return 0;
	err = sysfs_update_groups(&dev->kobj, pmu->attr_update);
	if (!err)
		return 0;

	device_del(dev);
err_put:
	pmu->dev = NULL;
	put_device(dev);
	return err;
}

/**
 * perf_pmu_sysfs_remove() - remove a PMU's device, if it has one
 * @pmu: the PMU, not registered any more
 *
 * Context: task, may sleep.
 */
void perf_pmu_sysfs_remove(struct pmu *pmu)
{
	struct device *dev = pmu->dev;

	if (!dev)
		return;
	device_del(dev);
	pmu->dev = NULL;
	put_device(dev);
}

/**
 * perf_event_sysfs_show() - print the string of a PMU's attribute
 * @dev: the PMU's device
 * @attr: the attribute, embedded in a struct perf_pmu_events_attr
 * @page: output page
 *
 * Return: length; 0 if the attribute has no string.
 */
ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	const char *text = container_of(attr, struct perf_pmu_events_attr,
					attr)->event_str;

	return text ? sysfs_emit(page, "%s\n", text) : 0;
}
EXPORT_SYMBOL_GPL(perf_event_sysfs_show);

/**
 * perf_pmu_sysfs_init() - register the bus of PMUs; boot
 *
 * Return: 0 or -errno.
 */
int __init perf_pmu_sysfs_init(void)
{
	return bus_register(&perf_pmu_bus);
}
