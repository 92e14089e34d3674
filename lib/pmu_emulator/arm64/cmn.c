// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the counters of a Coherent Mesh Network, CMN-700, for their driver in
 * drivers/perf.
 *
 * The mesh has two crosspoints (XP) in a row. At each one is a home node with a part of the
 * system cache (HN-F), and at the first one the debug and trace controller (DTC). An XP has four
 * counters of 16 bits. One that wraps adds one to the counter of 32 bits in the DTC with which it
 * is paired. A number n that is written to /sys/kernel/debug/arm64_cmn_emulator/count makes event e
 * of each node occur n * e times. Event 0 is none. Cycles occur n times.
 *
 * Not emulated: watchpoints, snapshots, filters by occupancy, more than one DTC.
 *
 * Source: Arm CoreLink CMN-700 Coherent Mesh Network Technical Reference Manual (102308),
 * chapters "Discovery" and "Debug trace and PMU"; registers of other nodes are alike.
 */
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "cmn.h"
#include "irq.h"
#include "uncore.h"

/* Nothing is there. */
#define CMN_ADDRESS	0x7fffd000000ULL

/* Registers of each node. */
#define NODE_INFO	0x0
#define  NODE_TYPE	GENMASK_ULL(15, 0)
#define  NODE_ID	GENMASK_ULL(31, 16)
#define  LOGICAL_ID	GENMASK_ULL(47, 32)
#define CHILD_INFO	0x80
#define  CHILD_COUNT	GENMASK_ULL(15, 0)
#define  CHILD_OFFSET	GENMASK_ULL(31, 16)
#define CHILDREN	0x100
#define EVENT_SEL	0x2000

/* Registers of the root. */
#define PERIPH_ID_01	0x8
#define  PART_0		GENMASK_ULL(7, 0)
#define  PART_1		GENMASK_ULL(35, 32)
#define PART		0x43c

/* Registers of a crosspoint. */
#define CONNECT_INFO(_p) (0x8 + (_p) * 8)
#define  DEVICE_HN_D	0xa
#define  DEVICE_HN_F	0xe
#define DTM_CONFIG	0x2210
#define  DTM_ENABLE	BIT_ULL(0)
#define  DTM_PAIRED(_n)	BIT_ULL(4 + (_n))
#define DTM_COUNTERS	0x2220

/* What a crosspoint's counter counts: one of four events of the XP, or of a device at it. */
#define INPUT_XP	0x4
#define INPUT_DEVICE	0x10

/* Registers of the DTC. */
#define DTC_COUNTERS	0x2000	/* two of 32 bits in each 16 bytes */
#define DTC_CYCLES	0x2040
#define  CYCLES_MASK	GENMASK_ULL(39, 0)
#define DTC_PMCR	0x2100
#define  PMCR_EN	BIT(0)
#define  PMCR_INTR_EN	BIT(6)
#define DTC_PMOVSR	0x2118
#define DTC_PMOVSR_CLR	0x2120

#define NR_LOCAL	4	/* counters of an XP */
#define NR_GLOBAL	8	/* counters of the DTC; the status has the cycle counter next */

#define NODE_BYTES	0x4000

enum { ROOT, XP_0, XP_1, HNF_0, HNF_1, DTC, NR_NODES };

#define NR_XPS		2

/* The driver's attribute has 11 bits for the number of an event. */
#define LAST_EVENT	0x7ff

/* Identities of nodes, as an XP's are its coordinates, and others' have port and device below. */
#define ID(_x, _port)	((_x) << 4 | (_port) << 2)

static const struct {
	u16 type;
	u16 id;
	u16 logical;
} nodes[NR_NODES] = {
	[ROOT]	= { 2 },
	[XP_0]	= { 6, ID(0, 0), 0 },
	[XP_1]	= { 6, ID(1, 0), 1 },
	[HNF_0]	= { 5, ID(0, 0), 0 },
	[HNF_1]	= { 5, ID(1, 0), 1 },
	[DTC]	= { 3, ID(0, 1), 0 },
};

static DEFINE_RAW_SPINLOCK(cmn_lock);
static u64 cmn_regs[NR_NODES * NODE_BYTES / sizeof(u64)];

static u32 *reg32(int node, unsigned int offset)
{
	return (u32 *)cmn_regs + (node * NODE_BYTES + offset) / sizeof(u32);
}

static u64 *reg64(int node, unsigned int offset)
{
	return cmn_regs + (node * NODE_BYTES + offset) / sizeof(u64);
}

static unsigned int offset_of(const void __iomem *at)
{
	return (const char __force *)at - (const char *)cmn_regs;
}

/**
 * cmn_emu_map() - get the registers of the emulator
 *
 * Context: any.
 * Return: an address for cmn_emu_read() and cmn_emu_write().
 */
void __iomem *cmn_emu_map(void)
{
	return (void __iomem *)cmn_regs;
}

/**
 * cmn_emu_read() - read a register for the driver
 * @at: address in what cmn_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 * Return: the value.
 */
u64 cmn_emu_read(const void __iomem *at, unsigned int bytes)
{
	guard(raw_spinlock_irqsave)(&cmn_lock);
	return bytes == 4 ? *reg32(ROOT, offset_of(at)) : *reg64(ROOT, offset_of(at));
}

/**
 * cmn_emu_write() - write a register for the driver
 * @value: value
 * @at: address in what cmn_emu_map() returned
 * @bytes: 4 or 8
 *
 * Context: any but NMI.
 */
void cmn_emu_write(u64 value, void __iomem *at, unsigned int bytes)
{
	unsigned int offset = offset_of(at);

	guard(raw_spinlock_irqsave)(&cmn_lock);
	if (offset == DTC * NODE_BYTES + DTC_PMOVSR_CLR)
		*reg32(DTC, DTC_PMOVSR) &= ~value;
	else if (bytes == 4)
		*reg32(ROOT, offset) = value;
	else
		*reg64(ROOT, offset) = value;
}

static void add_child(int parent, int child)
{
	u64 *info = reg64(parent, CHILD_INFO);
	unsigned int count = FIELD_GET(CHILD_COUNT, *info);

	*reg64(parent, CHILDREN + count * 8) = child * NODE_BYTES;
	*info = FIELD_PREP(CHILD_COUNT, count + 1) | FIELD_PREP(CHILD_OFFSET, CHILDREN);
}

static int reset(void)
{
	guard(raw_spinlock_irqsave)(&cmn_lock);
	memset(cmn_regs, 0, sizeof(cmn_regs));
	for (int i = 0; i < NR_NODES; i++)
		*reg64(i, NODE_INFO) = FIELD_PREP(NODE_TYPE, nodes[i].type) |
				       FIELD_PREP(NODE_ID, nodes[i].id) |
				       FIELD_PREP(LOGICAL_ID, nodes[i].logical);
	*reg64(ROOT, PERIPH_ID_01) = FIELD_PREP(PART_0, PART & 0xff) |
				     FIELD_PREP(PART_1, PART >> 8);
	add_child(ROOT, XP_0);
	add_child(ROOT, XP_1);
	add_child(XP_0, HNF_0);
	add_child(XP_0, DTC);
	add_child(XP_1, HNF_1);
	*reg64(XP_0, CONNECT_INFO(0)) = DEVICE_HN_F;
	*reg64(XP_0, CONNECT_INFO(1)) = DEVICE_HN_D;
	*reg64(XP_1, CONNECT_INFO(0)) = DEVICE_HN_F;
	return 0;
}

/* The event that an XP's counter has as input, 0 for none. */
static unsigned int event_of(int xp, unsigned int input)
{
	int hnf = HNF_0 + xp - XP_0;

	if (input >= INPUT_XP && input < INPUT_XP + NR_LOCAL)
		return *reg64(xp, EVENT_SEL) >> (input - INPUT_XP) * 16 & 0xffff;
	/* the HN-F is device 0 at port 0 */
	if (input >= INPUT_DEVICE && input < INPUT_DEVICE + NR_LOCAL)
		return *reg32(hnf, EVENT_SEL) >> (input - INPUT_DEVICE) * 8 & 0xff;
	return 0;
}

static void add_global(unsigned int n, u64 times)
{
	u32 *counter = reg32(DTC, DTC_COUNTERS + (n / 2 * 4 + n % 2) * sizeof(u32));
	u64 value = *counter + times;

	*counter = value;
	if (value > U32_MAX)
		*reg32(DTC, DTC_PMOVSR) |= BIT(n);
}

static void count_at(int xp, u64 times)
{
	u64 config = *reg64(xp, DTM_CONFIG);
	u64 *counters = reg64(xp, DTM_COUNTERS);

	if (!(config & DTM_ENABLE))
		return;
	for (int n = 0; n < NR_LOCAL; n++) {
		u16 *counter = (u16 *)counters + n;
		u64 value = *counter + times * event_of(xp, config >> (32 + n * 8) & 0xff);

		*counter = value;
		if (config & DTM_PAIRED(n))
			add_global(config >> (16 + n * 4) & 7, value >> 16);
	}
}

static bool count(u64 times)
{
	u64 cycles;

	guard(raw_spinlock_irqsave)(&cmn_lock);
	if (!(*reg32(DTC, DTC_PMCR) & PMCR_EN))
		return false;
	for (int i = 0; i < NR_XPS; i++)
		count_at(XP_0 + i, times);
	cycles = *reg64(DTC, DTC_CYCLES) + times;
	*reg64(DTC, DTC_CYCLES) = cycles & CYCLES_MASK;
	if (cycles > CYCLES_MASK)
		*reg32(DTC, DTC_PMOVSR) |= BIT(NR_GLOBAL);
	return *reg32(DTC, DTC_PMOVSR) && *reg32(DTC, DTC_PMCR) & PMCR_INTR_EN;
}

static bool overflow_is_pending(void)
{
	guard(raw_spinlock_irqsave)(&cmn_lock);
	return *reg32(DTC, DTC_PMOVSR);
}

/* The driver's init function runs once, while the module is loaded. */
struct uncore_emu cmn_emu __refdata = {
	.name			= "arm64_cmn_emulator",
	.driver			= "arm-cmn",
	.address		= CMN_ADDRESS,
	.bytes			= NR_NODES * NODE_BYTES,
	.spi			= SPI_CMN,
	/* The two XPs add to the same counter of the DTC. */
	.most			= (1ULL << 47) / LAST_EVENT / NR_XPS,
	.reset			= reset,
	.count			= count,
	.overflow_is_pending	= overflow_is_pending,
	.driver_init		= cmn_driver_init,
	.driver_exit		= cmn_driver_exit,
};
