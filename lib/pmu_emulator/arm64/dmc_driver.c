// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of a DMC-620's counters, from its unchanged source, on the registers of the
 * emulator.
 *
 * All headers of the driver come first. So the macros apply to the driver alone.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>

#include "dmc.h"

#define devm_platform_get_and_ioremap_resource(_device, _index, _resource) ({	\
	*(_resource) = platform_get_resource(_device, IORESOURCE_MEM, _index);	\
	dmc_emu_map();								\
})

/* All registers have 32 bits. */
#define EMU_READ(_at, _bytes) ({		\
	BUILD_BUG_ON((_bytes) != sizeof(u32));	\
	dmc_emu_read(_at);			\
})
#define EMU_WRITE(_value, _at, _bytes) ({	\
	BUILD_BUG_ON((_bytes) != sizeof(u32));	\
	dmc_emu_write(_value, _at);		\
})
#include "mmio.h"

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init dmc_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void dmc_driver_exit(void) { _exit(); }

/* the driver has its own */
#undef pr_fmt

#include "drivers/perf/arm_dmc620_pmu.c"
