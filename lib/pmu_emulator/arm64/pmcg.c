// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the counters of an SMMUv3 (performance monitor counter group, PMCG), for its
 * driver in drivers/perf.
 *
 * There are four counters of 32 bits, and the events 0 to 7. A number n that is written to
 * /sys/kernel/debug/arm64_pmcg_emulator/count makes event e occur n * (e + 1) times, for
 * transactions of the stream in "stream".
 *
 * Not emulated: counters in a page of their own, a filter for all counters, messages as
 * interrupts, capture.
 *
 * Source: Arm IHI 0070, chapter "Performance Monitors Extension".
 */
#include <linux/bitfield.h>
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>

#include "irq.h"
#include "pmcg.h"
#include "uncore.h"

/* Nothing is there: the address gives the PMU its name, smmuv3_pmcg_7ffff000. */
#define PMCG_ADDRESS	0x7ffff000000ULL

#define NR_COUNTERS	4
#define NR_EVENTS	8

/* Registers. */
#define EVCNTR(_n)	((_n) * 4)
#define EVTYPER(_n)	(0x400 + (_n) * 4)
#define  EVTYPER_EVENT	GENMASK(15, 0)
#define  EVTYPER_SPAN	BIT(29)
#define SMR(_n)		(0xa00 + (_n) * 4)
#define CNTENSET	0xc00
#define CNTENCLR	0xc20
#define INTENSET	0xc40
#define INTENCLR	0xc60
#define OVSCLR		0xc80
#define OVSSET		0xcc0
#define CFGR		0xe00
#define  CFGR_SIZE	GENMASK(13, 8)
#define  CFGR_NCTR	GENMASK(5, 0)
#define CR		0xe04
#define  CR_ENABLE	BIT(0)
#define CEID0		0xe20
#define IRQ_CTRL	0xe50
#define  IRQ_CTRL_IRQEN	BIT(0)
#define PMCG_BYTES	0x1000

/* With a span, all ones select each stream. */
#define EACH_STREAM	U32_MAX

static DEFINE_RAW_SPINLOCK(pmcg_regs_lock);
static u64 pmcg_regs[PMCG_BYTES / sizeof(u64)];

static u32 pmcg_stream;

static u32 *reg32(unsigned int offset)
{
	return (u32 *)pmcg_regs + offset / sizeof(u32);
}

static u64 *reg64(unsigned int offset)
{
	return pmcg_regs + offset / sizeof(u64);
}

static unsigned int offset_of(const void __iomem *at)
{
	return (const char __force *)at - (const char *)pmcg_regs;
}

/**
 * pmcg_emu_map() - get the registers of the emulator
 * @device: the device
 * @index: number of its memory, 0
 * @resource: set to its memory
 *
 * Context: task.
 * Return: an address for pmcg_emu_read() and pmcg_emu_write().
 */
void __iomem *pmcg_emu_map(struct platform_device *device, unsigned int index,
			   struct resource **resource)
{
	*resource = platform_get_resource(device, IORESOURCE_MEM, index);
	return (void __iomem *)pmcg_regs;
}

/**
 * pmcg_emu_read() - read a register for the driver
 * @at: address in what pmcg_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 * Return: the value.
 */
u64 pmcg_emu_read(const void __iomem *at, unsigned int bytes)
{
	guard(raw_spinlock_irqsave)(&pmcg_regs_lock);
	return bytes == 4 ? *reg32(offset_of(at)) : *reg64(offset_of(at));
}

/**
 * pmcg_emu_write() - write a register for the driver
 * @value: value
 * @at: address in what pmcg_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 */
void pmcg_emu_write(u64 value, void __iomem *at, unsigned int bytes)
{
	unsigned int offset = offset_of(at);

	guard(raw_spinlock_irqsave)(&pmcg_regs_lock);
	switch (offset) {
	case CNTENSET:
	case INTENSET:
		*reg64(offset) |= value;
		break;
	case CNTENCLR:
		*reg64(CNTENSET) &= ~value;
		break;
	case INTENCLR:
		*reg64(INTENSET) &= ~value;
		break;
	case OVSCLR:
		*reg64(OVSSET) &= ~value;
		break;
	default:
		if (bytes == 4)
			*reg32(offset) = value;
		else
			*reg64(offset) = value;
	}
}

static int reset(void)
{
	guard(raw_spinlock_irqsave)(&pmcg_regs_lock);
	memset(pmcg_regs, 0, sizeof(pmcg_regs));
	*reg32(CFGR) = FIELD_PREP(CFGR_SIZE, 31) | FIELD_PREP(CFGR_NCTR, NR_COUNTERS - 1);
	*reg64(CEID0) = BIT(NR_EVENTS) - 1;
	return 0;
}

static bool counts(int i)
{
	u32 stream = *reg32(SMR(i));

	return *reg64(CNTENSET) & BIT(i) &&
	       ((stream == EACH_STREAM && *reg32(EVTYPER(i)) & EVTYPER_SPAN) ||
		stream == pmcg_stream);
}

/* Count, and return true if the interrupt is due. */
static bool count(u64 times)
{
	guard(raw_spinlock_irqsave)(&pmcg_regs_lock);
	if (!(*reg32(CR) & CR_ENABLE))
		return false;
	for (int i = 0; i < NR_COUNTERS; i++) {
		u64 value = *reg32(EVCNTR(i));

		if (!counts(i))
			continue;
		value += times * (FIELD_GET(EVTYPER_EVENT, *reg32(EVTYPER(i))) + 1);
		*reg32(EVCNTR(i)) = value;
		if (value > U32_MAX)
			*reg64(OVSSET) |= BIT(i);
	}
	return *reg64(OVSSET) & *reg64(INTENSET) && *reg32(IRQ_CTRL) & IRQ_CTRL_IRQEN;
}

static bool overflow_is_pending(void)
{
	guard(raw_spinlock_irqsave)(&pmcg_regs_lock);
	return *reg64(OVSSET);
}

static void more_files(struct dentry *dir)
{
	debugfs_create_u32("stream", 0600, dir, &pmcg_stream);
}

/* The driver's init function runs once, while the module is loaded. */
struct uncore_emu pmcg_emu __refdata = {
	.name			= "arm64_pmcg_emulator",
	.driver			= "arm-smmu-v3-pmcg",
	.address		= PMCG_ADDRESS,
	.bytes			= PMCG_BYTES,
	.spi			= SPI_PMCG,
	.most			= U32_MAX / NR_EVENTS / 2,
	/* the model of the part, as firmware describes it: no particular one */
	.data			= &(const u32){ 0 },
	.data_bytes		= sizeof(u32),
	.reset			= reset,
	.count			= count,
	.overflow_is_pending	= overflow_is_pending,
	.more_files		= more_files,
	.driver_init		= pmcg_driver_init,
	.driver_exit		= pmcg_driver_exit,
};
