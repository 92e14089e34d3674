// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the counters of a third-level cache of HiSilicon's Kunpeng 920 (L3C PMU, version
 * 1), for its driver in drivers/perf/hisilicon. The other PMUs of the vendor have the same
 * framework (hisi_uncore_pmu.c) above other registers.
 *
 * There are eight counters of 48 bits. A number n that is written to
 * /sys/kernel/debug/arm64_l3c_emulator/count makes event e occur n * (e + 1) times. The cache
 * belongs to the cluster of the CPU on which the device appears.
 *
 * Source: the offsets in the driver, drivers/perf/hisilicon/hisi_uncore_l3c_pmu.c. There is no
 * public manual.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/property.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <asm/cputype.h>

#include "irq.h"
#include "l3c.h"
#include "uncore.h"

/* Nothing is there. */
#define L3C_ADDRESS	0x7fffe000000ULL

#define NR_COUNTERS	8
#define LAST_EVENT	0x59
#define COUNTER_MASK	GENMASK_ULL(47, 0)

/* Registers. */
#define PERF_CTRL	0x408
#define  PERF_CTRL_EN	BIT(16)
#define INT_MASK	0x800
#define INT_STATUS	0x808
#define INT_CLEAR	0x80c
#define EVENT_CTRL	0x1c00
#define VERSION		0x1cf0
#define  VERSION_1	0x21
#define EVENT_TYPE	0x1d00
#define COUNTER(_n)	(0x1e00 + (_n) * 8)
#define L3C_BYTES	0x2000

static DEFINE_RAW_SPINLOCK(l3c_lock);
static u64 l3c_regs[L3C_BYTES / sizeof(u64)];

/* The numbers of its clusters in a CPU's MPIDR, as firmware describes them. */
static struct property_entry l3c_properties[] = {
	PROPERTY_ENTRY_U32("hisilicon,scl-id", 0),
	PROPERTY_ENTRY_U32("hisilicon,ccl-id", 0),
	{ }
};

static u32 *reg32(unsigned int offset)
{
	return (u32 *)l3c_regs + offset / sizeof(u32);
}

static u64 *reg64(unsigned int offset)
{
	return l3c_regs + offset / sizeof(u64);
}

static unsigned int offset_of(const void __iomem *at)
{
	return (const char __force *)at - (const char *)l3c_regs;
}

/**
 * l3c_emu_map() - get the registers of the emulator
 *
 * Context: any.
 * Return: an address for l3c_emu_read() and l3c_emu_write().
 */
void __iomem *l3c_emu_map(void)
{
	return (void __iomem *)l3c_regs;
}

/**
 * l3c_emu_read() - read a register for the driver
 * @at: address in what l3c_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 * Return: the value.
 */
u64 l3c_emu_read(const void __iomem *at, unsigned int bytes)
{
	guard(raw_spinlock_irqsave)(&l3c_lock);
	return bytes == 4 ? *reg32(offset_of(at)) : *reg64(offset_of(at));
}

/**
 * l3c_emu_write() - write a register for the driver
 * @value: value
 * @at: address in what l3c_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 */
void l3c_emu_write(u64 value, void __iomem *at, unsigned int bytes)
{
	unsigned int offset = offset_of(at);

	guard(raw_spinlock_irqsave)(&l3c_lock);
	if (offset == INT_CLEAR)
		*reg32(INT_STATUS) &= ~value;
	else if (bytes == 4)
		*reg32(offset) = value;
	else
		*reg64(offset) = value & COUNTER_MASK;
}

static int reset(void)
{
	u64 mpidr = read_cpuid_mpidr();

	if (mpidr & MPIDR_MT_BITMASK)
		return -EOPNOTSUPP;
	l3c_properties[0].value.u32_data[0] = MPIDR_AFFINITY_LEVEL(mpidr, 2);
	l3c_properties[1].value.u32_data[0] = MPIDR_AFFINITY_LEVEL(mpidr, 1);

	guard(raw_spinlock_irqsave)(&l3c_lock);
	memset(l3c_regs, 0, sizeof(l3c_regs));
	*reg32(VERSION) = VERSION_1;
	return 0;
}

static unsigned int event_of(int i)
{
	return *reg32(EVENT_TYPE + i / 4 * 4) >> i % 4 * 8 & 0xff;
}

static bool count(u64 times)
{
	guard(raw_spinlock_irqsave)(&l3c_lock);
	if (!(*reg32(PERF_CTRL) & PERF_CTRL_EN))
		return false;
	for (int i = 0; i < NR_COUNTERS; i++) {
		u64 value = *reg64(COUNTER(i)) + times * (event_of(i) + 1);

		if (!(*reg32(EVENT_CTRL) & BIT(i)))
			continue;
		*reg64(COUNTER(i)) = value & COUNTER_MASK;
		if (value > COUNTER_MASK)
			*reg32(INT_STATUS) |= BIT(i);
	}
	return *reg32(INT_STATUS) & ~*reg32(INT_MASK);
}

static bool overflow_is_pending(void)
{
	guard(raw_spinlock_irqsave)(&l3c_lock);
	return *reg32(INT_STATUS);
}

/* The driver's init function runs once, while the module is loaded. */
struct uncore_emu l3c_emu __refdata = {
	.name			= "arm64_l3c_emulator",
	.driver			= "hisi_l3c_pmu",
	.address		= L3C_ADDRESS,
	.bytes			= L3C_BYTES,
	.spi			= SPI_L3C,
	.most			= COUNTER_MASK / (LAST_EVENT + 1) / 2,
	.properties		= l3c_properties,
	.reset			= reset,
	.count			= count,
	.overflow_is_pending	= overflow_is_pending,
	.driver_init		= l3c_driver_init,
	.driver_exit		= l3c_driver_exit,
};
