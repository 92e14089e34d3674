// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the counters of a DynamIQ Shared Unit (DSU), the third-level cache of a cluster of
 * CPUs, for its driver in drivers/perf.
 *
 * There are six counters of 32 bits, and one of 64 bits for cycles. A number n that is written to
 * /sys/kernel/debug/arm64_dsu_emulator/count makes event e occur n * (e + 1) times. The cluster has
 * as many CPUs as "cpus" said when the device appeared, the first ones.
 *
 * On hardware a register exists once for each cluster. A CPU of another cluster that
 * accesses it would reach its own. The emulator counts accesses from CPUs outside of the cluster in
 * "foreign".
 *
 * Source: Arm DynamIQ Shared Unit Technical Reference Manual (100453), chapter "PMU registers".
 */
#include <linux/bitfield.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/of.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include <asm/arm_dsu_pmu.h>

#include "dsu.h"
#include "irq.h"
#include "uncore.h"

#define NR_COUNTERS	6

/* The bit of the cycle counter in registers that have one for each counter. */
#define CYCLES		31

/* CLUSTERPMCR_EL1. */
#define PMCR_E		BIT(0)
#define PMCR_N		GENMASK(15, 11)

/* Events of CLUSTERPMCEID0 and 1. MEMORY_ERROR, 0x1a, is not there. */
#define EVENT_CYCLES	0x11
#define EVENTS_0	(BIT(EVENT_CYCLES) | BIT(0x19) | BIT(0x1d) | BIT(0x1e))
#define EVENTS_1	(BIT(0x29 - 32) | BIT(0x2a - 32) | BIT(0x2b - 32) | BIT(0x2c - 32))

/* No event occurs more often than the last one. */
#define LAST_EVENT	0x2c

static DEFINE_RAW_SPINLOCK(dsu_lock);
static struct {
	u32 control;
	u32 enabled;
	u32 overflows;
	u32 interrupts;
	u32 selected;
	u64 cycles;
	u32 types[NR_COUNTERS];
	u32 counters[NR_COUNTERS];
} dsu;

/* CPUs of the cluster. */
static u32 dsu_cpus;
static atomic_t dsu_foreign;

/**
 * dsu_emu_cpus() - get the number of CPUs of the cluster
 *
 * Context: any.
 * Return: the number.
 */
int dsu_emu_cpus(void)
{
	return dsu_cpus;
}

/**
 * dsu_emu_cpu() - get a CPU of the cluster
 * @i: number of the CPU in the cluster
 *
 * Context: task.
 * Return: the CPU's node in the device tree, with a reference.
 */
struct device_node *dsu_emu_cpu(int i)
{
	return of_get_cpu_node(i, NULL);
}

static bool is_foreign(void)
{
	return raw_smp_processor_id() >= dsu_cpus;
}

static u64 read_selected(const u32 *regs)
{
	return dsu.selected < NR_COUNTERS ? regs[dsu.selected] : 0;
}

static void write_selected(u32 *regs, u32 value)
{
	if (dsu.selected < NR_COUNTERS)
		regs[dsu.selected] = value;
}

/**
 * dsu_emu_read() - read a system register for the driver
 * @reg: encoding of the register
 *
 * Context: any but NMI.
 * Return: the value.
 */
u64 dsu_emu_read(u32 reg)
{
	guard(raw_spinlock_irqsave)(&dsu_lock);
	if (is_foreign())
		atomic_inc(&dsu_foreign);
	switch (reg) {
	case CLUSTERPMCR_EL1:
		return dsu.control | FIELD_PREP(PMCR_N, NR_COUNTERS);
	case CLUSTERPMOVSCLR_EL1:
		return dsu.overflows;
	case CLUSTERPMXEVCNTR_EL1:
		return read_selected(dsu.counters);
	case CLUSTERPMCCNTR_EL1:
		return dsu.cycles;
	case CLUSTERPMCEID0_EL1:
		return EVENTS_0;
	case CLUSTERPMCEID1_EL1:
		return EVENTS_1;
	default:
		WARN_ONCE(1, "the emulator has no register %#x to read\n", reg);
		return 0;
	}
}

/**
 * dsu_emu_write() - write a system register for the driver
 * @value: value
 * @reg: encoding of the register
 *
 * Context: any but NMI.
 */
void dsu_emu_write(u64 value, u32 reg)
{
	guard(raw_spinlock_irqsave)(&dsu_lock);
	if (is_foreign())
		atomic_inc(&dsu_foreign);
	switch (reg) {
	case CLUSTERPMCR_EL1:
		dsu.control = value & PMCR_E;
		break;
	case CLUSTERPMCNTENSET_EL1:
		dsu.enabled |= value;
		break;
	case CLUSTERPMCNTENCLR_EL1:
		dsu.enabled &= ~value;
		break;
	case CLUSTERPMOVSCLR_EL1:
		dsu.overflows &= ~value;
		break;
	case CLUSTERPMSELR_EL1:
		dsu.selected = value;
		break;
	case CLUSTERPMINTENSET_EL1:
		dsu.interrupts |= value;
		break;
	case CLUSTERPMINTENCLR_EL1:
		dsu.interrupts &= ~value;
		break;
	case CLUSTERPMCCNTR_EL1:
		dsu.cycles = value;
		break;
	case CLUSTERPMXEVTYPER_EL1:
		write_selected(dsu.types, value);
		break;
	case CLUSTERPMXEVCNTR_EL1:
		write_selected(dsu.counters, value);
		break;
	default:
		WARN_ONCE(1, "the emulator has no register %#x to write\n", reg);
	}
}

static int reset(void)
{
	guard(raw_spinlock_irqsave)(&dsu_lock);
	if (!dsu_cpus || dsu_cpus > num_possible_cpus())
		return -EINVAL;
	memset(&dsu, 0, sizeof(dsu));
	atomic_set(&dsu_foreign, 0);
	return 0;
}

/* Add occurrences of an event. Return what is carried out of 32 bits. */
static u64 add(u32 *counter, u64 times, u32 event)
{
	u64 value = *counter + times * (event + 1);

	*counter = value;
	return value >> 32;
}

static bool count(u64 times)
{
	guard(raw_spinlock_irqsave)(&dsu_lock);
	if (!(dsu.control & PMCR_E))
		return false;
	for (int i = 0; i < NR_COUNTERS; i++)
		if (dsu.enabled & BIT(i) && add(&dsu.counters[i], times, dsu.types[i]))
			dsu.overflows |= BIT(i);
	/* 64 bits of cycles do not wrap. */
	if (dsu.enabled & BIT(CYCLES))
		dsu.cycles += times * (EVENT_CYCLES + 1);
	return dsu.overflows & dsu.interrupts;
}

static bool overflow_is_pending(void)
{
	guard(raw_spinlock_irqsave)(&dsu_lock);
	return dsu.overflows;
}

static void more_files(struct dentry *dir)
{
	dsu_cpus = num_possible_cpus();
	debugfs_create_u32("cpus", 0600, dir, &dsu_cpus);
	debugfs_create_atomic_t("foreign", 0400, dir, &dsu_foreign);
}

/* The driver's init function runs once, while the module is loaded. */
struct uncore_emu dsu_emu __refdata = {
	.name			= "arm64_dsu_emulator",
	.driver			= "arm_dsu_pmu",
	.spi			= SPI_DSU,
	.most			= U32_MAX / (LAST_EVENT + 1) / 2,
	.reset			= reset,
	.count			= count,
	.overflow_is_pending	= overflow_is_pending,
	.more_files		= more_files,
	.driver_init		= dsu_driver_init,
	.driver_exit		= dsu_driver_exit,
};
