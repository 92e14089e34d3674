// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of a mesh's counters, from its unchanged source, on the registers of the
 * emulator.
 *
 * All headers of the driver come first. So the macros apply to the driver alone.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "cmn.h"

#define devm_platform_ioremap_resource(_device, _index)	cmn_emu_map()

#define EMU_READ(_at, _bytes)			cmn_emu_read(_at, _bytes)
#define EMU_WRITE(_value, _at, _bytes)		cmn_emu_write(_value, _at, _bytes)
#include "mmio.h"

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init cmn_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void cmn_driver_exit(void) { _exit(); }

#include "drivers/perf/arm-cmn.c"
