// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of the SMMU's counters, from its unchanged source, on the registers of the
 * emulator.
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
	pmcg_emu_map(_device, _index, _resource)

#define EMU_READ(_at, _bytes)			pmcg_emu_read(_at, _bytes)
#define EMU_WRITE(_value, _at, _bytes)		pmcg_emu_write(_value, _at, _bytes)
#include "mmio.h"

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init pmcg_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void pmcg_driver_exit(void) { _exit(); }

#include "drivers/perf/arm_smmuv3_pmu.c"
