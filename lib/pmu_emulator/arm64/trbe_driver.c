// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of the Trace Buffer Extension, from its unchanged source, on the registers
 * of the emulator.
 *
 * All headers of the kernel that the driver includes come first. So the macros apply to the
 * driver and its own headers alone.
 */
#include <linux/acpi.h>
#include <linux/amba/bus.h>
#include <linux/bitops.h>
#include <linux/coresight.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/percpu-defs.h>
#include <linux/perf/arm_pmu.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "trbe.h"

#undef read_sysreg_s
#define read_sysreg_s(_reg)		trbe_emu_read(_reg)
#undef write_sysreg_s
#define write_sysreg_s(_value, _reg)	trbe_emu_write(_value, _reg)

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init trbe_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void trbe_driver_exit(void) { _exit(); }

/* The driver has its own. */
#undef pr_fmt

#include "drivers/hwtracing/coresight/coresight-trbe.c"
