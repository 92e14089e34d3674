// SPDX-License-Identifier: GPL-2.0
/*
 * The base's driver of SPE, from its unchanged source, on the registers of the emulator.
 *
 * All headers of the driver come first. So the macros apply to the driver alone.
 */
#include <linux/bitfield.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/mmu.h>
#include <asm/sysreg.h>

#include "spe.h"

/* read_cpuid() uses read_sysreg_s(). */
#undef read_sysreg_s
#define read_sysreg_s(_reg)		spe_emu_read(_reg)
#undef write_sysreg_s
#define write_sysreg_s(_value, _reg)	spe_emu_write(_value, _reg)

/* The emulator calls these: the module has other drivers as well. */
#undef module_init
#define module_init(_init)		int __init spe_driver_init(void) { return _init(); }
#undef module_exit
#define module_exit(_exit)		void spe_driver_exit(void) { _exit(); }

/* The driver has its own. */
#undef pr_fmt

#include "drivers/perf/arm_spe_pmu.c"
