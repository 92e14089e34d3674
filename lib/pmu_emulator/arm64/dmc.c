// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the counters of a memory controller, Arm's DMC-620, for their driver in
 * drivers/perf.
 *
 * There are ten counters of 32 bits: eight that count at half the clock, and two at the full clock.
 * Each has a switch of its own; none is for all of them. A number n that is written to
 * /sys/kernel/debug/arm64_dmc_emulator/count makes event e occur n * (e + 1) times. An event that
 * has a mask occurs for addresses that match; the emulator's address is 0.
 *
 * Source: the offsets in the driver, drivers/perf/arm_dmc620_pmu.c.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "dmc.h"
#include "irq.h"
#include "uncore.h"

/* Nothing is there. */
#define DMC_ADDRESS	0x7fffc000000ULL

#define NR_HALF		8	/* counters at half the clock, which are the first ones */
#define NR_COUNTERS	10
#define LAST_EVENT	0x19

/* Registers, from the beginning of the PMU's block. */
#define STATUS_HALF	0x8
#define STATUS_FULL	0xc
#define COUNTERS	0x10
#define COUNTER_BYTES	0x28
#define DMC_BYTES	(COUNTERS + NR_COUNTERS * COUNTER_BYTES)

/* Registers of a counter. */
#define MASK_LOW	0x0
#define MASK_HIGH	0x4
#define MATCH_LOW	0x8
#define MATCH_HIGH	0xc
#define CONTROL		0x10
#define  CONTROL_ENABLE	BIT(0)
#define  CONTROL_INVERT	BIT(1)
#define  CONTROL_EVENT	GENMASK(6, 2)
#define VALUE		0x20

static DEFINE_RAW_SPINLOCK(dmc_lock);
static u32 dmc_regs[DMC_BYTES / sizeof(u32)];

static u32 *reg(unsigned int offset)
{
	return dmc_regs + offset / sizeof(u32);
}

static u32 *reg_of(int counter, unsigned int offset)
{
	return reg(COUNTERS + counter * COUNTER_BYTES + offset);
}

static unsigned int offset_of(const void __iomem *at)
{
	return (const char __force *)at - (const char *)dmc_regs;
}

/**
 * dmc_emu_map() - get the registers of the emulator
 *
 * Context: any.
 * Return: an address for dmc_emu_read() and dmc_emu_write().
 */
void __iomem *dmc_emu_map(void)
{
	return (void __iomem *)dmc_regs;
}

/**
 * dmc_emu_read() - read a register for the driver
 * @at: address in what dmc_emu_map() returned
 *
 * Context: any but NMI.
 * Return: the value.
 */
u32 dmc_emu_read(const void __iomem *at)
{
	guard(raw_spinlock_irqsave)(&dmc_lock);
	return *reg(offset_of(at));
}

/**
 * dmc_emu_write() - write a register for the driver
 * @value: value
 * @at: address in what dmc_emu_map() returned
 *
 * Context: any but NMI.
 */
void dmc_emu_write(u32 value, void __iomem *at)
{
	guard(raw_spinlock_irqsave)(&dmc_lock);
	*reg(offset_of(at)) = value;
}

static int reset(void)
{
	guard(raw_spinlock_irqsave)(&dmc_lock);
	memset(dmc_regs, 0, sizeof(dmc_regs));
	return 0;
}

static bool address_matches(int counter)
{
	bool equal = !(*reg_of(counter, MASK_LOW) & *reg_of(counter, MATCH_LOW)) &&
		     !(*reg_of(counter, MASK_HIGH) & *reg_of(counter, MATCH_HIGH));

	return equal != !!(*reg_of(counter, CONTROL) & CONTROL_INVERT);
}

static void count_at(int counter, u64 times)
{
	u32 control = *reg_of(counter, CONTROL);
	u64 value = *reg_of(counter, VALUE) + times * (FIELD_GET(CONTROL_EVENT, control) + 1);

	if (!(control & CONTROL_ENABLE) || !address_matches(counter))
		return;
	*reg_of(counter, VALUE) = value;
	if (value <= U32_MAX)
		return;
	if (counter < NR_HALF)
		*reg(STATUS_HALF) |= BIT(counter);
	else
		*reg(STATUS_FULL) |= BIT(counter - NR_HALF);
}

static bool count(u64 times)
{
	guard(raw_spinlock_irqsave)(&dmc_lock);
	for (int i = 0; i < NR_COUNTERS; i++)
		count_at(i, times);
	return *reg(STATUS_HALF) | *reg(STATUS_FULL);
}

static bool overflow_is_pending(void)
{
	guard(raw_spinlock_irqsave)(&dmc_lock);
	return *reg(STATUS_HALF) | *reg(STATUS_FULL);
}

/* The driver's init function runs once, while the module is loaded. */
struct uncore_emu dmc_emu __refdata = {
	.name			= "arm64_dmc_emulator",
	.driver			= "arm_dmc620_pmu",
	.address		= DMC_ADDRESS,
	.bytes			= DMC_BYTES,
	.spi			= SPI_DMC,
	.most			= U32_MAX / (LAST_EVENT + 1) / 2,
	.reset			= reset,
	.count			= count,
	.overflow_is_pending	= overflow_is_pending,
	.driver_init		= dmc_driver_init,
	.driver_exit		= dmc_driver_exit,
};
