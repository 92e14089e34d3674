// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the Trace Buffer Extension, for its driver in drivers/hwtracing/coresight.
 *
 * Each CPU has the registers in memory. A number that is written to
 * /sys/kernel/debug/arm64_trbe_emulator/trace makes the trace unit of the writer's CPU produce so
 * many bytes. Byte n of a CPU is n modulo TRACE_PRIME, so that a reader finds bytes that are
 * lost or doubled. Those that the driver pads the buffer with have another value. If the
 * buffer is full, it stops, and its interrupt is raised at the interrupt controller.
 * "syndrome" raises it with other reasons.
 *
 * Not emulated: modes other than FILL, triggers, errata of CPUs.
 *
 * Source: Arm DDI 0487, chapter "The Trace Buffer Extension".
 */
#include <linux/acpi.h>
#include <linux/coresight.h>
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/platform_device.h>
#include <asm/sysreg.h>

#include "irq.h"
#include "trbe.h"

/* The write pointer is a multiple of 64 bytes when it is written. */
#define ALIGN_SHIFT	6

/* A prime smaller than a packet that means nothing to a reader (0x70). */
#define TRACE_PRIME	101

/* An interrupt that is not handled for so long has no event. A busy host may stop for seconds. */
#define PATIENCE	(60 * HZ)

/**
 * struct trbe_emu - the registers of a CPU
 * @trblimitr: TRBLIMITR_EL1
 * @trbptr: TRBPTR_EL1
 * @trbbaser: TRBBASER_EL1
 * @trbsr: TRBSR_EL1
 * @trfcr: TRFCR_EL1
 * @written: number of bytes of trace so far
 */
struct trbe_emu {
	u64	trblimitr;
	u64	trbptr;
	u64	trbbaser;
	u64	trbsr;
	u64	trfcr;
	u64	written;
};

static DEFINE_PER_CPU(struct trbe_emu, trbe_emu);

static DEFINE_MUTEX(trbe_lock);
static struct platform_device *trbe_device;
static int trbe_irq;
/* Number of writes that the architecture forbids. */
static u32 trbe_misuse;

static u64 *register_of(struct trbe_emu *emu, u32 reg)
{
	switch (reg) {
	case SYS_TRBLIMITR_EL1:	return &emu->trblimitr;
	case SYS_TRBPTR_EL1:	return &emu->trbptr;
	case SYS_TRBBASER_EL1:	return &emu->trbbaser;
	case SYS_TRBSR_EL1:	return &emu->trbsr;
	case SYS_TRFCR_EL1:	return &emu->trfcr;
	}
	return NULL;
}

static bool is_collecting(const struct trbe_emu *emu)
{
	return emu->trblimitr & TRBLIMITR_EL1_E && !(emu->trbsr & TRBSR_EL1_S);
}

/**
 * trbe_emu_read() - read a register for the driver
 * @reg: SYS_*
 *
 * Context: any, preemption off.
 * Return: the value.
 */
u64 trbe_emu_read(u32 reg)
{
	u64 *value = register_of(this_cpu_ptr(&trbe_emu), reg);

	if (value)
		return *value;
	switch (reg) {
	case SYS_ID_AA64DFR0_EL1:
		return SYS_FIELD_PREP_ENUM(ID_AA64DFR0_EL1, TraceBuffer, IMP);
	case SYS_TRBIDR_EL1:
		return SYS_FIELD_PREP(TRBIDR_EL1, Align, ALIGN_SHIFT) | TRBIDR_EL1_F;
	}
	WARN_ONCE(1, "TRBE emulator: no register %#x\n", reg);
	return 0;
}

/**
 * trbe_emu_write() - write a register for the driver
 * @value: value
 * @reg: SYS_*
 *
 * Context: any, preemption off.
 */
void trbe_emu_write(u64 value, u32 reg)
{
	struct trbe_emu *emu = this_cpu_ptr(&trbe_emu);
	u64 *to = register_of(emu, reg);

	if (WARN_ONCE(!to, "TRBE emulator: no register %#x to write\n", reg))
		return;
	/* While the buffer is enabled, these belong to the trace unit. */
	if (emu->trblimitr & TRBLIMITR_EL1_E &&
	    (to == &emu->trbptr || to == &emu->trbbaser))
		trbe_misuse++;
	if (to == &emu->trbptr && value & (BIT(ALIGN_SHIFT) - 1))
		trbe_misuse++;
	*to = value;
}

/**
 * trbe_emu_allow() - set the exception levels that this CPU traces
 * @levels: bits of TRFCR_EL1, 0 for none
 *
 * Context: preemption off.
 */
void trbe_emu_allow(u64 levels)
{
	this_cpu_write(trbe_emu.trfcr, levels);
}

/* Raise the interrupt, and wait until the kernel has handled it. */
static int interrupt(struct trbe_emu *emu, u64 syndrome)
{
	unsigned long end = jiffies + PATIENCE;

	emu->trbsr |= syndrome | TRBSR_EL1_S | TRBSR_EL1_IRQ;
	emu_irq_raise(trbe_irq);
	local_irq_enable();
	while (READ_ONCE(emu->trbsr) & TRBSR_EL1_IRQ && time_before(jiffies, end))
		cpu_relax();
	local_irq_disable();
	return emu->trbsr & TRBSR_EL1_IRQ ? -EIO : 0;
}

/* Write a byte of trace. Returns true if the buffer is full. */
static bool put_byte(struct trbe_emu *emu)
{
	*(u8 *)emu->trbptr++ = emu->written++ % TRACE_PRIME;
	if (emu->trbptr < (emu->trblimitr & TRBLIMITR_EL1_LIMIT_MASK))
		return false;
	emu->trbptr = emu->trbbaser & TRBBASER_EL1_BASE_MASK;
	return true;
}

static int trace_set(void *data, u64 bytes)
{
	struct trbe_emu *emu;
	int err = 0;

	if (bytes > S32_MAX)
		return -ERANGE;
	/* This task and its event must stay on the emulator's CPU. */
	guard(preempt)();
	local_irq_disable();
	emu = this_cpu_ptr(&trbe_emu);
	while (bytes-- && !err && emu->trfcr && is_collecting(emu)) {
		if (put_byte(emu))
			err = interrupt(emu, TRBSR_EL1_WRAP | SYS_FIELD_PREP(TRBSR_EL1, MSS, 1));
	}
	local_irq_enable();
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(trace_fops, NULL, trace_set, "%llu\n");

/* Without a buffer there is no interrupt. */
static int syndrome_set(void *data, u64 value)
{
	struct trbe_emu *emu;
	int err = -ENODEV;

	guard(preempt)();
	local_irq_disable();
	emu = this_cpu_ptr(&trbe_emu);
	if (is_collecting(emu))
		err = interrupt(emu, value);
	local_irq_enable();
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(syndrome_fops, NULL, syndrome_set, "%llu\n");

/* The number of bytes that this CPU has traced. */
static int written_get(void *data, u64 *value)
{
	*value = this_cpu_read(trbe_emu.written);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(written_fops, written_get, NULL, "%llu\n");

static int present_get(void *data, u64 *value)
{
	guard(mutex)(&trbe_lock);
	*value = !!trbe_device;
	return 0;
}

static int trbe_appear(void)
{
	struct resource irq;
	struct platform_device *device;
	int err;

	trbe_irq = emu_ppi_map(PPI_TRBE);
	if (trbe_irq < 0)
		return trbe_irq;
	irq = DEFINE_RES_IRQ(trbe_irq);
	/* The driver has a table of names only for ACPI. */
	device = platform_device_register_simple(IS_ENABLED(CONFIG_ACPI) ? ARMV8_TRBE_PDEV_NAME :
						 "arm_trbe", PLATFORM_DEVID_NONE, &irq, 1);
	if (IS_ERR(device))
		return PTR_ERR(device);
	err = device_is_bound(&device->dev) ? ete_appear() : -ENXIO;
	if (err)
		platform_device_unregister(device);
	else
		trbe_device = device;
	return err;
}

static void trbe_disappear(void)
{
	ete_disappear();
	platform_device_unregister(trbe_device);
	trbe_device = NULL;
}

/* Plug the devices in, or out. */
static int present_set(void *data, u64 value)
{
	guard(mutex)(&trbe_lock);
	if (!!value == !!trbe_device)
		return 0;
	if (value)
		return trbe_appear();
	/* The file is open, and each path from a source to a sink has references as well. */
	if (module_refcount(THIS_MODULE) > 1)
		return -EBUSY;
	trbe_disappear();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(present_fops, present_get, present_set, "%llu\n");

static struct dentry *trbe_dir;

/**
 * trbe_emu_init() - register the drivers, and make the files
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int __init trbe_emu_init(void)
{
	int err = trbe_driver_init();

	if (err)
		return err;
	trbe_dir = debugfs_create_dir("arm64_trbe_emulator", NULL);
	err = ete_emu_init(trbe_dir);
	if (err) {
		debugfs_remove(trbe_dir);
		trbe_driver_exit();
		return err;
	}
	debugfs_create_file("present", 0600, trbe_dir, NULL, &present_fops);
	debugfs_create_file("trace", 0200, trbe_dir, NULL, &trace_fops);
	debugfs_create_file("syndrome", 0200, trbe_dir, NULL, &syndrome_fops);
	debugfs_create_file("written", 0400, trbe_dir, NULL, &written_fops);
	debugfs_create_u32("misuse", 0400, trbe_dir, &trbe_misuse);
	return 0;
}

/**
 * trbe_emu_exit() - undo trbe_emu_init()
 *
 * Context: task, may sleep.
 */
void trbe_emu_exit(void)
{
	debugfs_remove(trbe_dir);
	if (trbe_device)
		trbe_disappear();
	ete_emu_exit();
	trbe_driver_exit();
}
