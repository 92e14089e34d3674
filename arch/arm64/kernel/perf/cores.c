// SPDX-License-Identifier: GPL-2.0
/*
 * The cores with a PMUv3: their names in firmware and in perf, and their events for
 * generic cache events that the architecture does not have.
 *
 * Owns the detection of PMUs by device tree or ACPI, and their names, which are ABI. Each
 * core is a row of a table. The arm_pmu framework reads interrupts and CPUs from the
 * firmware's tables.
 *
 * Entry points: the initcall, in task context.
 */
#include <linux/acpi.h>
#include <linux/init.h>
#include <linux/nmi.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pmuv3.h"

/* Implementation-defined event numbers, from the cores' Technical Reference Manuals. */
#define A53_PREFETCH_LINEFILL			0xc2
#define THUNDER_L1D_CACHE_MISS_ST		0xe9
#define THUNDER_L1D_CACHE_PREF_ACCESS		0xea
#define THUNDER_L1D_CACHE_PREF_MISS		0xeb
#define THUNDER_L1I_CACHE_PREF_ACCESS		0xec
#define THUNDER_L1I_CACHE_PREF_MISS		0xed

static const struct pmuv3_cache_event a53_events[] = {
	PMUV3_CACHE(L1D, PREFETCH, MISS, A53_PREFETCH_LINEFILL),
	PMUV3_CACHE(NODE, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_RD),
	PMUV3_CACHE(NODE, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_WR),
};

static const struct pmuv3_cache_event a57_events[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_RD),
	PMUV3_CACHE(L1D, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_REFILL_RD),
	PMUV3_CACHE(L1D, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_WR),
	PMUV3_CACHE(L1D, WRITE, MISS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_REFILL_WR),
	PMUV3_CACHE(DTLB, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_RD),
	PMUV3_CACHE(DTLB, WRITE, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_WR),
	PMUV3_CACHE(NODE, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_RD),
	PMUV3_CACHE(NODE, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_WR),
};

static const struct pmuv3_cache_event a73_events[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_RD),
	PMUV3_CACHE(L1D, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_WR),
};

static const struct pmuv3_cache_event thunder_events[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_RD),
	PMUV3_CACHE(L1D, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_REFILL_RD),
	PMUV3_CACHE(L1D, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_WR),
	PMUV3_CACHE(L1D, WRITE, MISS, THUNDER_L1D_CACHE_MISS_ST),
	PMUV3_CACHE(L1D, PREFETCH, ACCESS, THUNDER_L1D_CACHE_PREF_ACCESS),
	PMUV3_CACHE(L1D, PREFETCH, MISS, THUNDER_L1D_CACHE_PREF_MISS),
	PMUV3_CACHE(L1I, PREFETCH, ACCESS, THUNDER_L1I_CACHE_PREF_ACCESS),
	PMUV3_CACHE(L1I, PREFETCH, MISS, THUNDER_L1I_CACHE_PREF_MISS),
	PMUV3_CACHE(DTLB, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_RD),
	PMUV3_CACHE(DTLB, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_RD),
	PMUV3_CACHE(DTLB, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_WR),
	PMUV3_CACHE(DTLB, WRITE, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_WR),
};

static const struct pmuv3_cache_event vulcan_events[] = {
	PMUV3_CACHE(L1D, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_RD),
	PMUV3_CACHE(L1D, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_REFILL_RD),
	PMUV3_CACHE(L1D, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_WR),
	PMUV3_CACHE(L1D, WRITE, MISS, ARMV8_IMPDEF_PERFCTR_L1D_CACHE_REFILL_WR),
	PMUV3_CACHE(DTLB, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_RD),
	PMUV3_CACHE(DTLB, READ, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_RD),
	PMUV3_CACHE(DTLB, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_WR),
	PMUV3_CACHE(DTLB, WRITE, MISS, ARMV8_IMPDEF_PERFCTR_L1D_TLB_REFILL_WR),
	PMUV3_CACHE(NODE, READ, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_RD),
	PMUV3_CACHE(NODE, WRITE, ACCESS, ARMV8_IMPDEF_PERFCTR_BUS_ACCESS_WR),
};

static int map_event_architected(struct perf_event *event)
{
	return pmuv3_map_event(event, NULL, 0);
}

static int map_event_a53(struct perf_event *event)
{
	return pmuv3_map_event(event, a53_events, ARRAY_SIZE(a53_events));
}

static int map_event_a57(struct perf_event *event)
{
	return pmuv3_map_event(event, a57_events, ARRAY_SIZE(a57_events));
}

static int map_event_a73(struct perf_event *event)
{
	return pmuv3_map_event(event, a73_events, ARRAY_SIZE(a73_events));
}

static int map_event_thunder(struct perf_event *event)
{
	return pmuv3_map_event(event, thunder_events, ARRAY_SIZE(thunder_events));
}

static int map_event_vulcan(struct perf_event *event)
{
	return pmuv3_map_event(event, vulcan_events, ARRAY_SIZE(vulcan_events));
}

/**
 * struct pmuv3_core - a core with a PMUv3
 * @compatible: compatible string in the device tree
 * @name: name of its PMU in sysfs
 * @map_event: maps an event's attributes to the event number
 */
struct pmuv3_core {
	const char	*compatible;
	const char	*name;
	int		(*map_event)(struct perf_event *event);
};

static const struct pmuv3_core pmuv3_cores[] = {
	{ "arm,armv8-pmuv3", "armv8_pmuv3", map_event_architected },
	{ "arm,cortex-a34-pmu", "armv8_cortex_a34", map_event_architected },
	{ "arm,cortex-a35-pmu", "armv8_cortex_a35", map_event_a53 },
	{ "arm,cortex-a53-pmu", "armv8_cortex_a53", map_event_a53 },
	{ "arm,cortex-a55-pmu", "armv8_cortex_a55", map_event_architected },
	{ "arm,cortex-a57-pmu", "armv8_cortex_a57", map_event_a57 },
	{ "arm,cortex-a65-pmu", "armv8_cortex_a65", map_event_architected },
	{ "arm,cortex-a72-pmu", "armv8_cortex_a72", map_event_a57 },
	{ "arm,cortex-a73-pmu", "armv8_cortex_a73", map_event_a73 },
	{ "arm,cortex-a75-pmu", "armv8_cortex_a75", map_event_architected },
	{ "arm,cortex-a76-pmu", "armv8_cortex_a76", map_event_architected },
	{ "arm,cortex-a77-pmu", "armv8_cortex_a77", map_event_architected },
	{ "arm,cortex-a78-pmu", "armv8_cortex_a78", map_event_architected },
	{ "arm,cortex-a510-pmu", "armv9_cortex_a510", map_event_architected },
	{ "arm,cortex-a520-pmu", "armv9_cortex_a520", map_event_architected },
	{ "arm,cortex-a710-pmu", "armv9_cortex_a710", map_event_architected },
	{ "arm,cortex-a715-pmu", "armv9_cortex_a715", map_event_architected },
	{ "arm,cortex-a720-pmu", "armv9_cortex_a720", map_event_architected },
	{ "arm,cortex-a725-pmu", "armv9_cortex_a725", map_event_architected },
	{ "arm,cortex-x1-pmu", "armv8_cortex_x1", map_event_architected },
	{ "arm,cortex-x2-pmu", "armv9_cortex_x2", map_event_architected },
	{ "arm,cortex-x3-pmu", "armv9_cortex_x3", map_event_architected },
	{ "arm,cortex-x4-pmu", "armv9_cortex_x4", map_event_architected },
	{ "arm,cortex-x925-pmu", "armv9_cortex_x925", map_event_architected },
	{ "arm,neoverse-e1-pmu", "armv8_neoverse_e1", map_event_architected },
	{ "arm,neoverse-n1-pmu", "armv8_neoverse_n1", map_event_architected },
	{ "arm,neoverse-n2-pmu", "armv9_neoverse_n2", map_event_architected },
	{ "arm,neoverse-n3-pmu", "armv9_neoverse_n3", map_event_architected },
	{ "arm,neoverse-v1-pmu", "armv8_neoverse_v1", map_event_architected },
	{ "arm,neoverse-v2-pmu", "armv8_neoverse_v2", map_event_architected },
	{ "arm,neoverse-v3-pmu", "armv8_neoverse_v3", map_event_architected },
	{ "arm,neoverse-v3ae-pmu", "armv8_neoverse_v3ae", map_event_architected },
	{ "brcm,vulcan-pmu", "armv8_brcm_vulcan", map_event_vulcan },
	{ "cavium,thunder-pmu", "armv8_cavium_thunder", map_event_thunder },
	{ "nvidia,carmel-pmu", "armv8_nvidia_carmel", map_event_architected },
	{ "nvidia,denver-pmu", "armv8_nvidia_denver", map_event_architected },
};

/* The framework frees the PMU if that fails. */
static int pmuv3_probe(struct platform_device *pdev)
{
	int err = arm_pmu_device_probe(pdev, pdev->dev.driver->of_match_table, NULL);

	if (!err)
		pmuv3_user_add(platform_get_drvdata(pdev));
	return err;
}

/* pmuv3_register_driver() makes the match table from pmuv3_cores[], in the same order. */
static struct platform_driver pmuv3_driver = {
	.driver	= {
		.name			= ARMV8_PMU_PDEV_NAME,
		.suppress_bind_attrs	= true,
	},
	.probe	= pmuv3_probe,
};

static int pmuv3_of_init(struct arm_pmu *pmu)
{
	const struct of_device_id *table = pmuv3_driver.driver.of_match_table;
	const struct of_device_id *match;
	const struct pmuv3_core *core;

	match = of_match_node(table, pmu->plat_device->dev.of_node);
	if (WARN_ON_ONCE(!match))
		return -ENODEV;
	core = &pmuv3_cores[match - table];
	platform_set_drvdata(pmu->plat_device, pmu);
	return pmuv3_init(pmu, core->name, core->map_event);
}

/* The framework appends a number to the name for each kind of core. It does not free the PMU. */
static int pmuv3_acpi_init(struct arm_pmu *pmu)
{
	int err = pmuv3_init(pmu, "armv8_pmuv3", map_event_architected);

	if (err)
		return err;
	pmuv3_note_no_interrupt(pmu);
	pmuv3_user_add(pmu);
	return 0;
}

static int __init pmuv3_register_driver(void)
{
	const size_t nr = ARRAY_SIZE(pmuv3_cores);
	struct of_device_id *const table = kcalloc(nr + 1, sizeof(*table), GFP_KERNEL);
	int err;

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		strscpy(table[i].compatible, pmuv3_cores[i].compatible);
		table[i].data = pmuv3_of_init;
	}

	pmuv3_driver.driver.of_match_table = table;
	err = platform_driver_register(&pmuv3_driver);
	if (err)
		kfree(table);
	return err;
}

static int __init pmuv3_find_pmus(void)
{
	int err;

	pmuv3_make_event_files();
	err = acpi_disabled ? pmuv3_register_driver() : arm_pmu_acpi_probe(pmuv3_acpi_init);

	/* The watchdog may be waiting for a counter of cycles. */
	if (!err)
		lockup_detector_retry_init();
	return err;
}
device_initcall(pmuv3_find_pmus);
