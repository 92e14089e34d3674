// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU's directory in sysfs: the generic events in this CPU's encoding, and the
 * capabilities of the PMU. The "format" of raw events depends on the vendor: these
 * groups are in the vendors' directories.
 *
 * Context: task.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include "../counters/core_pmu.h"
#include "../features/smi.h"
#include "../features/tsx.h"
#include "event.h"
#include "rdpmc.h"
#include "sysfs.h"

static struct x86_core_pmu *x86_sysfs_core_of_device(struct device *dev)
{
	return x86_core_of(dev_get_drvdata(dev));
}

/* Fields of an event select value, by their names in format/. */
static const struct {
	const char	*name;
	u64		mask;
} select_fields[] = {
	{ "umask",	ARCH_PERFMON_EVENTSEL_UMASK },
	{ "edge",	ARCH_PERFMON_EVENTSEL_EDGE },
	{ "any",	ARCH_PERFMON_EVENTSEL_ANY },
	{ "inv",	ARCH_PERFMON_EVENTSEL_INV },
	{ "cmask",	ARCH_PERFMON_EVENTSEL_CMASK },
};

static u64 x86_sysfs_event_number(u64 config)
{
	u64 high = config & (AMD64_EVENTSEL_EVENT & ~ARCH_PERFMON_EVENTSEL_EVENT);

	return (config & ARCH_PERFMON_EVENTSEL_EVENT) | high >> 24;
}

static ssize_t x86_sysfs_event_show(struct device *dev, struct device_attribute *attr, char *page)
{
	u64 id = container_of(attr, struct perf_pmu_events_attr, attr)->id;
	u64 config = x86_core_code_of(x86_sysfs_core_of_device(dev), id)->config;
	unsigned int i;
	ssize_t len;

	len = sysfs_emit(page, "event=%#04llx", x86_sysfs_event_number(config));
	for (i = 0; i < ARRAY_SIZE(select_fields); i++) {
		u64 mask = select_fields[i].mask;

		if (config & mask)
			len += sysfs_emit_at(page, len, ",%s=%#llx", select_fields[i].name,
					     (config & mask) >> __ffs64(mask));
	}
	return len + sysfs_emit_at(page, len, "\n");
}

#define GENERIC_EVENT(_name, _id)					\
	(&((struct perf_pmu_events_attr[]) { {				\
		.attr.attr	= { .name = (_name), .mode = 0444 },	\
		.attr.show	= x86_sysfs_event_show,				\
		.id		= PERF_COUNT_HW_##_id,			\
	} })[0].attr.attr)

static struct attribute *event_attrs[] = {
	GENERIC_EVENT("cpu-cycles", CPU_CYCLES),
	GENERIC_EVENT("instructions", INSTRUCTIONS),
	GENERIC_EVENT("cache-references", CACHE_REFERENCES),
	GENERIC_EVENT("cache-misses", CACHE_MISSES),
	GENERIC_EVENT("branch-instructions", BRANCH_INSTRUCTIONS),
	GENERIC_EVENT("branch-misses", BRANCH_MISSES),
	GENERIC_EVENT("bus-cycles", BUS_CYCLES),
	GENERIC_EVENT("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	GENERIC_EVENT("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	GENERIC_EVENT("ref-cycles", REF_CPU_CYCLES),
	NULL,
};

static bool x86_sysfs_generic_exists(const struct x86_core_pmu *core, struct attribute *attr)
{
	const struct x86_event_code *code;
	struct perf_pmu_events_attr *event;

	event = container_of(attr, struct perf_pmu_events_attr, attr.attr);
	code = x86_core_code_of(core, event->id);
	return code && x86_core_counters_for(core, code->config);
}

/* Make the directory events/: the generic events that exist, and the model's events. */
static int x86_sysfs_events_init(struct x86_core_pmu *core)
{
	struct attribute **attr, **files;
	unsigned int i, n = ARRAY_SIZE(event_attrs);

	for (i = 0; i < X86_MODEL_EVENTS; i++) {
		for (attr = core->files.events[i]; attr && *attr; attr++)
			n++;
	}
	files = kcalloc(n, sizeof(*files), GFP_KERNEL);
	if (!files)
		return -ENOMEM;

	n = 0;
	for (attr = event_attrs; *attr; attr++) {
		if (x86_sysfs_generic_exists(core, *attr))
			files[n++] = *attr;
	}
	for (i = 0; i < X86_MODEL_EVENTS; i++) {
		for (attr = core->files.events[i]; attr && *attr; attr++)
			files[n++] = *attr;
	}
	core->files.events_group.name = "events";
	core->files.events_group.attrs = files;
	return 0;
}

static ssize_t max_precise_show(struct device *dev, struct device_attribute *attr,
				char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(x86_sysfs_core_of_device(dev)->precise.max));
}
static DEVICE_ATTR_RO(max_precise);

/* Number of records in a branch stack. */
static ssize_t branches_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", x86_sysfs_core_of_device(dev)->branches.depth);
}
static DEVICE_ATTR_RO(branches);

/* Events that can be in records of branches, and bits of each. */
static ssize_t branch_counter_nr_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", hweight8(x86_sysfs_core_of_device(dev)->branches.counters));
}
static DEVICE_ATTR_RO(branch_counter_nr);

static ssize_t branch_counter_width_show(struct device *dev, struct device_attribute *attr,
					 char *page)
{
	return sysfs_emit(page, "%u\n", LBR_INFO_BR_CNTR_BITS);
}
static DEVICE_ATTR_RO(branch_counter_width);

static ssize_t pmu_name_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", x86_sysfs_core_of_device(dev)->files.cpu_name);
}
static DEVICE_ATTR_RO(pmu_name);

static struct attribute *caps_attrs[] = {
	&dev_attr_branches.attr,
	&dev_attr_branch_counter_nr.attr,
	&dev_attr_branch_counter_width.attr,
	&dev_attr_max_precise.attr,
	&dev_attr_pmu_name.attr,
	NULL,
};

static umode_t x86_sysfs_caps_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core_pmu *core = x86_sysfs_core_of_device(kobj_to_dev(kobj));

	if (attr == &dev_attr_branches.attr && !core->branches.ops)
		return 0;
	if ((attr == &dev_attr_branch_counter_nr.attr ||
	     attr == &dev_attr_branch_counter_width.attr) && !core->branches.counters)
		return 0;
	if (attr == &dev_attr_pmu_name.attr && !core->files.cpu_name)
		return 0;
	return attr->mode;
}

static const struct attribute_group caps_group = {
	.name		= "caps",
	.attrs		= caps_attrs,
	.is_visible	= x86_sysfs_caps_is_visible,
};

/* CPUs of this kind of core. Tools expect no such file in a PMU named "cpu". */
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, &x86_sysfs_core_of_device(dev)->cpus);
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *cpus_attrs[] = {
	&dev_attr_cpus.attr,
	NULL,
};

static umode_t x86_sysfs_cpus_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return x86_sysfs_core_of_device(kobj_to_dev(kobj))->by_kind ? attr->mode : 0;
}

static const struct attribute_group cpus_group = {
	.attrs		= cpus_attrs,
	.is_visible	= x86_sysfs_cpus_is_visible,
};

static const struct attribute_group *common_groups[] = {
	&caps_group,
	&cpus_group,
	&x86_rdpmc_group,
	&x86_smi_group,
	&x86_tsx_group,
};

/**
 * x86_core_sysfs_init() - make the sysfs groups of a PMU
 * @core: the PMU, with the vendor's files
 *
 * Sets @core->pmu.attr_groups. Without memory the PMU has no groups.
 *
 * Context: task.
 */
void x86_core_sysfs_init(struct x86_core_pmu *core)
{
	const struct attribute_group **vendor;
	unsigned int i, n = 0;

	for (vendor = core->files.formats; vendor && *vendor; vendor++)
		n++;
	/* plus the directory events/ and the terminating NULL */
	core->files.groups = kcalloc(n + ARRAY_SIZE(common_groups) + 2,
				     sizeof(*core->files.groups), GFP_KERNEL);
	if (!core->files.groups || x86_sysfs_events_init(core))
		return;

	n = 0;
	core->files.groups[n++] = &core->files.events_group;
	for (i = 0; i < ARRAY_SIZE(common_groups); i++)
		core->files.groups[n++] = common_groups[i];
	for (vendor = core->files.formats; vendor && *vendor; vendor++)
		core->files.groups[n++] = *vendor;
	core->pmu.attr_groups = core->files.groups;
}
