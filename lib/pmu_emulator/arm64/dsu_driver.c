// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of a DynamIQ Shared Unit's counters, from its unchanged source, on the
 * registers of the emulator.
 *
 * All headers of the driver come first. So the macros apply to the driver alone, and to the header
 * of the registers, which the driver includes: it has no guard.
 */
#include <linux/acpi.h>
#include <linux/bitmap.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/smp.h>

#include <asm/local64.h>
#include <asm/sysreg.h>

#include "dsu.h"

#undef read_sysreg_s
#define read_sysreg_s(_reg)		dsu_emu_read(_reg)
#undef write_sysreg_s
#define write_sysreg_s(_value, _reg)	dsu_emu_write(_value, _reg)

/* The device has no node in the device tree: the emulator says which CPUs it belongs to. */
#undef is_of_node
#define is_of_node(_node)		true
#define of_count_phandle_with_args(_node, _list, _cells)	dsu_emu_cpus()
#define of_parse_phandle(_node, _list, _i)			dsu_emu_cpu(_i)

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init dsu_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void dsu_driver_exit(void) { _exit(); }

/* the driver has its own */
#undef pr_fmt

#include "drivers/perf/arm_dsu_pmu.c"
