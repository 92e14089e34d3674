// SPDX-License-Identifier: GPL-2.0
/*
 * An emulator of the Statistical Profiling Extension, for its driver in drivers/perf.
 *
 * Each CPU has the registers in memory. Files in /sys/kernel/debug/arm64_spe_emulator stand for
 * the instructions that a CPU executes: a number in "run_user" or "run_kernel" executes that
 * many operations at EL0 or EL1 of the writer's CPU. The interval counter selects operations,
 * the filters leave some out, and the others become records in the profiling buffer. When
 * there is no space for another record, the buffer management interrupt is raised at the
 * interrupt controller. "syndrome" raises it with other reasons.
 *
 * Operation n of a CPU has n as its data address, so that a reader finds records that are
 * lost, torn or doubled. The operations are loads, stores and branches in turn. Operation n
 * has a latency of n modulo 256 cycles, and misses the cache if n is a multiple of four.
 *
 * Not emulated: physical addresses, contexts, random intervals, collisions that are not
 * written to "syndrome", records of another exception level's buffer.
 *
 * Source: Arm DDI 0487, chapter "The Statistical Profiling Extension", and the chapter of the
 * format of records.
 */
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/platform_device.h>
#include <linux/sched/clock.h>
#include <linux/unaligned.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

#include "irq.h"
#include "spe.h"

/* Records start at multiples of 16 bytes and have at most 64 bytes. */
#define ALIGN_SHIFT	4
#define RECORD_SHIFT	6
#define RECORD_MAX	BIT(RECORD_SHIFT)

/* Packets of a record. */
#define PACKET_END	0x01
#define PACKET_EVENTS	0x52	/* 16 bits */
#define PACKET_LDST	0x49
#define PACKET_BRANCH	0x4a
#define PACKET_TIME	0x71
#define PACKET_LATENCY	0x98	/* 16 bits: the total latency */
#define PACKET_PC	0xb0
#define PACKET_ADDRESS	0xb2
#define LDST_STORE	BIT(0)
#define EVENT_RETIRED	BIT(1)
#define EVENT_REFILL	BIT(3)
#define PC_EL_SHIFT	61
#define PC_NS		BIT_ULL(63)

/* The reason in PMBSR_EL1 when there is no space for another record. */
#define BUFFER_FULL	SYS_FIELD_PREP(PMBSR_EL1, MSS, PMBSR_EL1_BUF_BSC_FULL)

/* An interrupt that is not handled for so long has no event. A busy host may stop for seconds. */
#define PATIENCE	(60 * HZ)

/**
 * struct spe_emu - the registers of a CPU
 * @pmscr: PMSCR_EL1
 * @pmsicr: PMSICR_EL1
 * @pmsirr: PMSIRR_EL1
 * @pmsfcr: PMSFCR_EL1
 * @pmsevfr: PMSEVFR_EL1
 * @pmsnevfr: PMSNEVFR_EL1
 * @pmslatfr: PMSLATFR_EL1
 * @pmblimitr: PMBLIMITR_EL1
 * @pmbptr: PMBPTR_EL1
 * @pmbsr: PMBSR_EL1
 * @operations: number of operations that were executed
 */
struct spe_emu {
	u64	pmscr;
	u64	pmsicr;
	u64	pmsirr;
	u64	pmsfcr;
	u64	pmsevfr;
	u64	pmsnevfr;
	u64	pmslatfr;
	u64	pmblimitr;
	u64	pmbptr;
	u64	pmbsr;
	u64	operations;
};

/**
 * struct spe_operation - an executed operation
 * @number: its number on the CPU
 * @user: it was executed at EL0
 * @events: what happened, as in PMSEVFR_EL1
 * @latency: cycles
 */
struct spe_operation {
	u64	number;
	bool	user;
	u16	events;
	u16	latency;
};

static DEFINE_PER_CPU(struct spe_emu, spe_emu);

static DEFINE_MUTEX(spe_lock);
static struct platform_device *spe_device;
static int spe_irq;
/* Number of writes that the architecture forbids. */
static u32 spe_misuse;

static u64 *register_of(struct spe_emu *emu, u32 reg)
{
	switch (reg) {
	case SYS_PMSCR_EL1:	return &emu->pmscr;
	case SYS_PMSICR_EL1:	return &emu->pmsicr;
	case SYS_PMSIRR_EL1:	return &emu->pmsirr;
	case SYS_PMSFCR_EL1:	return &emu->pmsfcr;
	case SYS_PMSEVFR_EL1:	return &emu->pmsevfr;
	case SYS_PMSNEVFR_EL1:	return &emu->pmsnevfr;
	case SYS_PMSLATFR_EL1:	return &emu->pmslatfr;
	case SYS_PMBLIMITR_EL1:	return &emu->pmblimitr;
	case SYS_PMBPTR_EL1:	return &emu->pmbptr;
	case SYS_PMBSR_EL1:	return &emu->pmbsr;
	}
	return NULL;
}

/* Profiling is enabled at an exception level. */
static bool is_profiling(const struct spe_emu *emu, u64 levels)
{
	return emu->pmscr & levels && emu->pmblimitr & PMBLIMITR_EL1_E &&
	       !(emu->pmbsr & PMBSR_EL1_S);
}

/**
 * spe_emu_read() - read a register for the driver
 * @reg: SYS_*
 *
 * Context: any, preemption off.
 * Return: the value.
 */
u64 spe_emu_read(u32 reg)
{
	u64 *value = register_of(this_cpu_ptr(&spe_emu), reg);

	if (value)
		return *value;
	switch (reg) {
	case SYS_ID_AA64DFR0_EL1:
		return SYS_FIELD_PREP_ENUM(ID_AA64DFR0_EL1, PMSVer, V1P2);
	case SYS_PMBIDR_EL1:
		return SYS_FIELD_PREP(PMBIDR_EL1, ALIGN, ALIGN_SHIFT);
	case SYS_PMSIDR_EL1:
		return PMSIDR_EL1_FE | PMSIDR_EL1_FT | PMSIDR_EL1_FL | PMSIDR_EL1_FnE |
		       SYS_FIELD_PREP_ENUM(PMSIDR_EL1, INTERVAL, 256) |
		       SYS_FIELD_PREP(PMSIDR_EL1, MAXSIZE, RECORD_SHIFT) |
		       SYS_FIELD_PREP_ENUM(PMSIDR_EL1, COUNTSIZE, 12_BIT_SAT);
	}
	WARN_ONCE(1, "SPE emulator: no register %#x\n", reg);
	return 0;
}

/**
 * spe_emu_write() - write a register for the driver
 * @value: value
 * @reg: SYS_*
 *
 * Context: any, preemption off.
 */
void spe_emu_write(u64 value, u32 reg)
{
	struct spe_emu *emu = this_cpu_ptr(&spe_emu);
	u64 *to = register_of(emu, reg);

	if (WARN_ONCE(!to, "SPE emulator: no register %#x to write\n", reg))
		return;
	/*
	 * While profiling is enabled, the profiling unit owns the pointer, and only the enable
	 * bit of the limit can be changed. The control register can be written at any time.
	 */
	if (is_profiling(emu, PMSCR_EL1_E0SPE | PMSCR_EL1_E1SPE) &&
	    to != &emu->pmscr && !(to == &emu->pmblimitr && !value))
		spe_misuse++;
	*to = value;
}

static bool is_filtered_out(const struct spe_emu *emu, const struct spe_operation *op)
{
	static const u64 kinds[] = { PMSFCR_EL1_LD, PMSFCR_EL1_ST, PMSFCR_EL1_B };
	u64 control = emu->pmsfcr;

	return (control & PMSFCR_EL1_FT && !(control & kinds[op->number % 3])) ||
	       (control & PMSFCR_EL1_FE && emu->pmsevfr & ~op->events) ||
	       (control & PMSFCR_EL1_FnE && emu->pmsnevfr & op->events) ||
	       (control & PMSFCR_EL1_FL && op->latency < emu->pmslatfr);
}

static u8 *put8(u8 *to, u8 header, u8 value)
{
	to[0] = header;
	to[1] = value;
	return to + 2;
}

static u8 *put16(u8 *to, u8 header, u16 value)
{
	to[0] = header;
	put_unaligned_le16(value, to + 1);
	return to + 3;
}

static u8 *put64(u8 *to, u8 header, u64 value)
{
	to[0] = header;
	put_unaligned_le64(value, to + 1);
	return to + 9;
}

static void put_record(struct spe_emu *emu, const struct spe_operation *op)
{
	u8 *start = (u8 *)emu->pmbptr, *to = start;
	u64 pc = op->user ? instruction_pointer(current_pt_regs()) : _THIS_IP_;

	pc &= GENMASK_ULL(55, 0);
	to = put64(to, PACKET_PC, pc | PC_NS | (u64)!op->user << PC_EL_SHIFT);
	to = put64(to, PACKET_ADDRESS, op->number);
	to = put16(to, PACKET_LATENCY, op->latency);
	to = put16(to, PACKET_EVENTS, op->events);
	if (op->number % 3 == 2)
		to = put8(to, PACKET_BRANCH, 0);
	else
		to = put8(to, PACKET_LDST, op->number % 3 ? LDST_STORE : 0);
	if (emu->pmscr & PMSCR_EL1_TS)
		to = put64(to, PACKET_TIME, local_clock());
	else
		*to++ = PACKET_END;
	while ((u64)to & (BIT(ALIGN_SHIFT) - 1))
		*to++ = 0;
	emu->pmbptr = (u64)to;
}

/* Raise the interrupt, and wait until the kernel has handled it. */
static int interrupt(struct spe_emu *emu, u64 syndrome)
{
	unsigned long end = jiffies + PATIENCE;

	emu->pmbsr |= syndrome | PMBSR_EL1_S;
	emu_irq_raise(spe_irq);
	local_irq_enable();
	while (READ_ONCE(emu->pmbsr) & PMBSR_EL1_S && time_before(jiffies, end))
		cpu_relax();
	local_irq_disable();
	if (!(emu->pmbsr & PMBSR_EL1_S))
		return 0;
	/* The interrupt came, but the driver had no event for it. */
	emu->pmbsr = 0;
	return -EIO;
}

/* Execute an operation. Returns true if the buffer has no space for another record. */
static bool execute(struct spe_emu *emu, bool user)
{
	struct spe_operation op = {
		.number	= emu->operations++,
		.user	= user,
	};

	if (!is_profiling(emu, user ? PMSCR_EL1_E0SPE : PMSCR_EL1_E1SPE))
		return false;
	if (!(emu->pmsicr & PMSICR_EL1_COUNT_MASK))
		emu->pmsicr = emu->pmsirr & PMSIRR_EL1_INTERVAL_MASK;
	if (--emu->pmsicr & PMSICR_EL1_COUNT_MASK)
		return false;
	op.events = EVENT_RETIRED | (op.number % 4 ? 0 : EVENT_REFILL);
	op.latency = op.number % 256;
	if (is_filtered_out(emu, &op))
		return false;
	put_record(emu, &op);
	return emu->pmbptr + RECORD_MAX > (emu->pmblimitr & PMBLIMITR_EL1_LIMIT_MASK);
}

static int run(u64 operations, bool user)
{
	struct spe_emu *emu;
	int err = 0;

	if (operations > S32_MAX)
		return -ERANGE;
	/* This task and its event must stay on the emulator's CPU. */
	guard(preempt)();
	local_irq_disable();
	emu = this_cpu_ptr(&spe_emu);
	while (operations-- && !err) {
		if (execute(emu, user))
			err = interrupt(emu, BUFFER_FULL);
	}
	local_irq_enable();
	return err;
}

static int run_user(void *data, u64 operations)
{
	return run(operations, true);
}
DEFINE_DEBUGFS_ATTRIBUTE(run_user_fops, NULL, run_user, "%llu\n");

static int run_kernel(void *data, u64 operations)
{
	return run(operations, false);
}
DEFINE_DEBUGFS_ATTRIBUTE(run_kernel_fops, NULL, run_kernel, "%llu\n");

static int syndrome_set(void *data, u64 value)
{
	int err;

	guard(preempt)();
	local_irq_disable();
	err = interrupt(this_cpu_ptr(&spe_emu), value);
	local_irq_enable();
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(syndrome_fops, NULL, syndrome_set, "%llu\n");

/* The number of operations that this CPU has executed. */
static int operations_get(void *data, u64 *value)
{
	*value = this_cpu_read(spe_emu.operations);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(operations_fops, operations_get, NULL, "%llu\n");

static int present_get(void *data, u64 *value)
{
	guard(mutex)(&spe_lock);
	*value = !!spe_device;
	return 0;
}

static int spe_appear(void)
{
	struct resource irq;
	struct platform_device *device;

	spe_irq = emu_ppi_map(PPI_SPE);
	if (spe_irq < 0)
		return spe_irq;
	irq = DEFINE_RES_IRQ(spe_irq);
	device = platform_device_register_simple(ARMV8_SPE_PDEV_NAME, PLATFORM_DEVID_NONE, &irq, 1);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (!device_is_bound(&device->dev)) {
		platform_device_unregister(device);
		return -ENXIO;
	}
	spe_device = device;
	return 0;
}

/* Plug the device in, or out. */
static int present_set(void *data, u64 value)
{
	guard(mutex)(&spe_lock);
	if (!!value == !!spe_device)
		return 0;
	if (value)
		return spe_appear();
	/* The file is open, and each event of the PMU has a reference as well. */
	if (module_refcount(THIS_MODULE) > 1)
		return -EBUSY;
	platform_device_unregister(spe_device);
	spe_device = NULL;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(present_fops, present_get, present_set, "%llu\n");

static struct dentry *spe_dir;

/**
 * spe_emu_init() - register the driver, and make the files
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int __init spe_emu_init(void)
{
	int err = spe_driver_init();

	if (err)
		return err;
	spe_dir = debugfs_create_dir("arm64_spe_emulator", NULL);
	debugfs_create_file("present", 0600, spe_dir, NULL, &present_fops);
	debugfs_create_file("run_user", 0200, spe_dir, NULL, &run_user_fops);
	debugfs_create_file("run_kernel", 0200, spe_dir, NULL, &run_kernel_fops);
	debugfs_create_file("syndrome", 0200, spe_dir, NULL, &syndrome_fops);
	debugfs_create_file("operations", 0400, spe_dir, NULL, &operations_fops);
	debugfs_create_u32("misuse", 0400, spe_dir, &spe_misuse);
	return 0;
}

/**
 * spe_emu_exit() - undo spe_emu_init()
 *
 * Context: task, may sleep.
 */
void spe_emu_exit(void)
{
	debugfs_remove(spe_dir);
	if (spe_device)
		platform_device_unregister(spe_device);
	spe_driver_exit();
}
