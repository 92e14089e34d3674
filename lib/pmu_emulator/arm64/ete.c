// SPDX-License-Identifier: GPL-2.0
/*
 * Trace units of the CPUs, in place of the Embedded Trace Extension.
 *
 * They are CoreSight devices of the same kind: the base's cs_etm PMU builds a path from a CPU's
 * trace unit to its trace buffer, and enables both. What they would trace is not emulated:
 * trbe.c says how many bytes come. The address filters and the levels that the event
 * requests are shown in debugfs.
 */
#include <linux/coresight.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <asm/sysreg.h>

#include "drivers/hwtracing/coresight/coresight-etm-perf.h"
#include "trbe.h"

#define DRIVER_NAME	"arm64_ete_emulator"

/**
 * struct ete_emu - the trace unit of a CPU
 * @csdev: its CoreSight device
 * @filters: address filters of the event that it was enabled for last
 * @enabled: number of times that it was enabled
 */
struct ete_emu {
	struct coresight_device	*csdev;
	struct etm_filters	filters;
	u64			enabled;
};

static DEFINE_PER_CPU(struct ete_emu, ete_emu);

static struct platform_device *ete_device;

static int ete_cpu(struct coresight_device *csdev)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(ete_emu, cpu).csdev == csdev)
			return cpu;
	return -1;
}

static int ete_enable(struct coresight_device *csdev, struct perf_event *event,
		      enum cs_mode mode, struct coresight_trace_id_map *ids)
{
	struct ete_emu *ete = this_cpu_ptr(&ete_emu);
	const struct etm_filters *filters = event->hw.addr_filters;
	u64 levels = 0;

	if (WARN_ON_ONCE(ete->csdev != csdev))
		return -EINVAL;
	if (!coresight_take_mode(csdev, mode))
		return -EBUSY;
	/* The filters are synced by the driver of the trace unit. */
	perf_event_addr_filters_sync(event);
	if (!event->attr.exclude_user)
		levels |= TRFCR_ELx_E0TRE;
	if (!event->attr.exclude_kernel)
		levels |= TRFCR_ELx_ExTRE;
	if (filters)
		ete->filters = *filters;
	ete->enabled++;
	trbe_emu_allow(levels);
	return 0;
}

static void ete_disable(struct coresight_device *csdev, struct perf_event *event)
{
	trbe_emu_allow(0);
	coresight_set_mode(csdev, CS_MODE_DISABLED);
}

static const struct coresight_ops_source ete_source_ops = {
	.cpu_id		= ete_cpu,
	.enable		= ete_enable,
	.disable	= ete_disable,
};

static const struct coresight_ops ete_ops = {
	.source_ops	= &ete_source_ops,
};

static void ete_unregister(int cpu)
{
	struct ete_emu *ete = per_cpu_ptr(&ete_emu, cpu);

	if (!ete->csdev)
		return;
	etm_perf_symlink(ete->csdev, false);
	coresight_unregister(ete->csdev);
	ete->csdev = NULL;
}

static int ete_register(struct device *dev, int cpu)
{
	struct coresight_desc desc = {
		.type				= CORESIGHT_DEV_TYPE_SOURCE,
		.subtype.source_subtype		= CORESIGHT_DEV_SUBTYPE_SOURCE_PROC,
		.ops				= &ete_ops,
		.dev				= dev,
	};
	struct ete_emu *ete = per_cpu_ptr(&ete_emu, cpu);
	struct coresight_device *csdev;
	int err;

	desc.name = devm_kasprintf(dev, GFP_KERNEL, "ete%d", cpu);
	desc.pdata = devm_kzalloc(dev, sizeof(*desc.pdata), GFP_KERNEL);
	if (!desc.name || !desc.pdata)
		return -ENOMEM;
	csdev = coresight_register(&desc);
	if (IS_ERR(csdev))
		return PTR_ERR(csdev);
	ete->csdev = csdev;
	err = etm_perf_symlink(csdev, true);
	if (err) {
		coresight_unregister(csdev);
		ete->csdev = NULL;
	}
	return err;
}

static void ete_remove(struct platform_device *device)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ete_unregister(cpu);
}

static int ete_probe(struct platform_device *device)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		err = ete_register(&device->dev, cpu);
		if (err) {
			ete_remove(device);
			return err;
		}
	}
	return 0;
}

static struct platform_driver ete_driver = {
	.driver.name	= DRIVER_NAME,
	.probe		= ete_probe,
	.remove_new	= ete_remove,
};

/* Print the address filters that this CPU was enabled with last, one per line. */
static int filters_show(struct seq_file *file, void *unused)
{
	const struct etm_filters *filters;

	guard(preempt)();
	filters = &this_cpu_ptr(&ete_emu)->filters;
	for (unsigned int i = 0; i < filters->nr_filters; i++) {
		const struct etm_filter *filter = &filters->etm_filter[i];

		seq_printf(file, "%d %lx %lx\n", filter->type, filter->start_addr,
			   filter->stop_addr);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(filters);

static int enabled_get(void *data, u64 *value)
{
	*value = this_cpu_read(ete_emu.enabled);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(enabled_fops, enabled_get, NULL, "%llu\n");

/**
 * ete_appear() - plug the trace units in
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int ete_appear(void)
{
	struct platform_device *device;

	device = platform_device_register_simple(DRIVER_NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (!device_is_bound(&device->dev)) {
		platform_device_unregister(device);
		return -ENXIO;
	}
	ete_device = device;
	return 0;
}

/**
 * ete_disappear() - plug the trace units out
 *
 * Context: task, may sleep.
 */
void ete_disappear(void)
{
	platform_device_unregister(ete_device);
	ete_device = NULL;
}

/**
 * ete_emu_init() - register the driver, and make the files
 * @dir: directory in debugfs
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int __init ete_emu_init(struct dentry *dir)
{
	int err = platform_driver_register(&ete_driver);

	if (err)
		return err;
	debugfs_create_file("filters", 0400, dir, NULL, &filters_fops);
	debugfs_create_file("enabled", 0400, dir, NULL, &enabled_fops);
	return 0;
}

/**
 * ete_emu_exit() - undo ete_emu_init()
 *
 * Context: task, may sleep.
 */
void ete_emu_exit(void)
{
	platform_driver_unregister(&ete_driver);
}
