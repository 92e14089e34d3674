// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of the SMMU's counters, from its unchanged source, on the registers of the
 * model.
 *
 * All headers of the driver come first. So the macros apply to the driver alone.
 */
#include <linux/acpi.h>
#include <linux/acpi_iort.h>
#include <linux/bitfield.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/msi.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/smp.h>

#include "pmcg.h"

#define devm_platform_get_and_ioremap_resource(_device, _index, _resource) \
	pmcg_model_map(_device, _index, _resource)

#undef readl
#define readl(_at)			((u32)pmcg_model_read(_at, 4))
#undef readl_relaxed
#define readl_relaxed(_at)		readl(_at)
#undef readq
#define readq(_at)			pmcg_model_read(_at, 8)
#undef readq_relaxed
#define readq_relaxed(_at)		readq(_at)
#undef writel
#define writel(_value, _at)		pmcg_model_write(_value, _at, 4)
#undef writel_relaxed
#define writel_relaxed(_value, _at)	writel(_value, _at)
#undef writeq
#define writeq(_value, _at)		pmcg_model_write(_value, _at, 8)
#undef writeq_relaxed
#define writeq_relaxed(_value, _at)	writeq(_value, _at)

/* The model calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init pmcg_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void pmcg_driver_exit(void) { _exit(); }

#include "drivers/perf/arm_smmuv3_pmu.c"
