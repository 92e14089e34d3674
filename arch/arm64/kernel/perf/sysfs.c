// SPDX-License-Identifier: GPL-2.0
/*
 * The sysfs directories of a PMUv3: events/, format/ and caps/.
 *
 * events/ has only events that the PMU implements. Names are the architecture's
 * (Arm ARM, DDI 0487, D13.12) in lower case, and are ABI.
 */
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "pmuv3.h"

#define EXT	ARMV8_PMUV3_EXT_COMMON_EVENT_BASE
#define NR	ARMV8_PMUV3_MAX_COMMON_EVENTS

/*
 * By event number: from 0, then from 0x4000. CHAIN is left out because it counts only as
 * part of a pair.
 */
static const char *const pmuv3_event_names[2 * NR] = {
	[0x00] = "sw_incr", "l1i_cache_refill", "l1i_tlb_refill", "l1d_cache_refill",
	[0x04] = "l1d_cache", "l1d_tlb_refill", "ld_retired", "st_retired",
	[0x08] = "inst_retired", "exc_taken", "exc_return", "cid_write_retired",
	[0x0c] = "pc_write_retired", "br_immed_retired", "br_return_retired",
	[0x0f] = "unaligned_ldst_retired",
	[0x10] = "br_mis_pred", "cpu_cycles", "br_pred", "mem_access",
	[0x14] = "l1i_cache", "l1d_cache_wb", "l2d_cache", "l2d_cache_refill",
	[0x18] = "l2d_cache_wb", "bus_access", "memory_error", "inst_spec",
	[0x1c] = "ttbr_write_retired", "bus_cycles",
	[0x1f] = "l1d_cache_allocate",
	[0x20] = "l2d_cache_allocate", "br_retired", "br_mis_pred_retired",
	[0x23] = "stall_frontend", "stall_backend", "l1d_tlb", "l1i_tlb",
	[0x27] = "l2i_cache", "l2i_cache_refill", "l3d_cache_allocate",
	[0x2a] = "l3d_cache_refill", "l3d_cache", "l3d_cache_wb",
	[0x2d] = "l2d_tlb_refill", "l2i_tlb_refill", "l2d_tlb", "l2i_tlb",
	[0x31] = "remote_access", "ll_cache", "ll_cache_miss", "dtlb_walk",
	[0x35] = "itlb_walk", "ll_cache_rd", "ll_cache_miss_rd",
	[0x38] = "remote_access_rd", "l1d_cache_lmiss_rd", "op_retired", "op_spec",
	[0x3c] = "stall", "stall_slot_backend", "stall_slot_frontend", "stall_slot",

	[NR + 0x00] = "sample_pop", "sample_feed", "sample_filtrate", "sample_collision",
	[NR + 0x04] = "cnt_cycles", "stall_backend_mem", "l1i_cache_lmiss",
	[NR + 0x09] = "l2d_cache_lmiss_rd", "l2i_cache_lmiss", "l3d_cache_lmiss_rd",
	[NR + 0x0c] = "trb_wrap",
	[NR + 0x0e] = "trb_trig",
	[NR + 0x10] = "trcextout0", "trcextout1", "trcextout2", "trcextout3",
	[NR + 0x18] = "cti_trigout4", "cti_trigout5", "cti_trigout6", "cti_trigout7",
	[NR + 0x20] = "ldst_align_lat", "ld_align_lat", "st_align_lat",
	[NR + 0x24] = "mem_access_checked", "mem_access_checked_rd",
	[NR + 0x26] = "mem_access_checked_wr",
};

/* Made from pmuv3_event_names[], once for all PMUs. */
static struct perf_pmu_events_attr pmuv3_event_files[2 * NR];
static struct attribute *pmuv3_event_attrs[2 * NR + 1];

static ssize_t pmuv3_event_show(struct device *dev, struct device_attribute *attr,
				char *page)
{
	struct perf_pmu_events_attr *file =
		container_of(attr, struct perf_pmu_events_attr, attr);

	return sysfs_emit(page, "event=0x%04llx\n", file->id);
}

static struct arm_pmu *pmuv3_of_device(struct device *dev)
{
	return to_arm_pmu((struct pmu *)dev_get_drvdata(dev));
}

static umode_t pmuv3_event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct perf_pmu_events_attr *file =
		container_of(attr, struct perf_pmu_events_attr, attr.attr);
	const struct arm_pmu *pmu = pmuv3_of_device(kobj_to_dev(kobj));

	return pmuv3_event_implemented(pmu, file->id) ? attr->mode : 0;
}

static const struct attribute_group pmuv3_events_group = {
	.name		= "events",
	.attrs		= pmuv3_event_attrs,
	.is_visible	= pmuv3_event_visible,
};

/**
 * pmuv3_make_event_files() - make the table of event files, which all PMUs share
 *
 * Context: task. Called once, before PMUs are probed.
 */
void __init pmuv3_make_event_files(void)
{
	struct attribute **attr = pmuv3_event_attrs;

	for (int i = 0; i < ARRAY_SIZE(pmuv3_event_names); i++) {
		struct perf_pmu_events_attr *file = &pmuv3_event_files[i];

		if (!pmuv3_event_names[i])
			continue;
		sysfs_attr_init(&file->attr.attr);
		file->attr.attr.name = pmuv3_event_names[i];
		file->attr.attr.mode = 0444;
		file->attr.show = pmuv3_event_show;
		file->id = i < NR ? i : EXT + i - NR;
		*attr++ = &file->attr.attr;
	}
}

PMU_FORMAT_ATTR(event, "config:0-15");
PMU_FORMAT_ATTR(long, "config1:0");
PMU_FORMAT_ATTR(rdpmc, "config1:1");
PMU_FORMAT_ATTR(threshold_count, "config1:2");
PMU_FORMAT_ATTR(threshold_compare, "config1:3-4");
PMU_FORMAT_ATTR(threshold, "config1:5-16");

static struct attribute *pmuv3_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_long.attr,
	&format_attr_rdpmc.attr,
	&format_attr_threshold.attr,
	&format_attr_threshold_compare.attr,
	&format_attr_threshold_count.attr,
	NULL,
};

static const struct attribute_group pmuv3_format_group = {
	.name	= "format",
	.attrs	= pmuv3_format_attrs,
};

/* Parameters for tools that compute metrics. 0 means unknown. */

static ssize_t pmuv3_show_number(char *page, unsigned int number)
{
	return sysfs_emit(page, "0x%08x\n", number);
}

static ssize_t slots_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return pmuv3_show_number(page, FIELD_GET(ARMV8_PMU_SLOTS,
						 pmuv3_of_device(dev)->reg_pmmir));
}
static DEVICE_ATTR_RO(slots);

static ssize_t bus_slots_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	return pmuv3_show_number(page, FIELD_GET(ARMV8_PMU_BUS_SLOTS,
						 pmuv3_of_device(dev)->reg_pmmir));
}
static DEVICE_ATTR_RO(bus_slots);

/* The field is log2 of the bytes, plus one. */
static ssize_t bus_width_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	unsigned int field = FIELD_GET(ARMV8_PMU_BUS_WIDTH,
				       pmuv3_of_device(dev)->reg_pmmir);

	return pmuv3_show_number(page, BIT(field) >> 1);
}
static DEVICE_ATTR_RO(bus_width);

static ssize_t threshold_max_show(struct device *dev, struct device_attribute *attr,
				  char *page)
{
	return pmuv3_show_number(page, pmuv3_threshold_max(pmuv3_of_device(dev)));
}
static DEVICE_ATTR_RO(threshold_max);

static struct attribute *pmuv3_caps_attrs[] = {
	&dev_attr_bus_slots.attr,
	&dev_attr_bus_width.attr,
	&dev_attr_slots.attr,
	&dev_attr_threshold_max.attr,
	NULL,
};

static const struct attribute_group pmuv3_caps_group = {
	.name	= "caps",
	.attrs	= pmuv3_caps_attrs,
};

/**
 * pmuv3_sysfs_init() - set the sysfs groups of a PMU
 * @pmu: the PMU, not yet registered
 *
 * Context: task.
 */
void pmuv3_sysfs_init(struct arm_pmu *pmu)
{
	pmu->attr_groups[ARMPMU_ATTR_GROUP_EVENTS] = &pmuv3_events_group;
	pmu->attr_groups[ARMPMU_ATTR_GROUP_FORMATS] = &pmuv3_format_group;
	pmu->attr_groups[ARMPMU_ATTR_GROUP_CAPS] = &pmuv3_caps_group;
}
