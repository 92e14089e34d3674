// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction based sampling: a counter of fetches and a counter of operations. At its
 * maximum, a counter tags the next fetch or operation, raises an NMI, and stops until it
 * is enabled again.
 *
 * Both count cycles of the time stamp counter. The tagged operation is always a load that
 * missed all caches, at the address where the CPU was. The extended entry of the local
 * vector table is emulated here, because QEMU's local APIC has none.
 *
 * Source: AMD64 Architecture Programmer's Manual volume 2, section "Instruction-Based
 * Sampling", and the Processor Programming Reference for family 19h.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>
#include "emulator.h"

#define MIN_NS		(5 * NSEC_PER_USEC)

enum { FETCH, OP, UNITS };

/**
 * struct emu_ibs_unit - fetch or operation sampling
 * @ctl: control register, with the count at @tsc
 * @tsc: time stamp counter when @ctl was written
 * @ip: address of the last tagged fetch or operation
 * @timer: fires when the maximum is reached
 * @rearm: starts @timer for writes in NMI context
 */
struct emu_ibs_unit {
	u64			ctl;
	u64			tsc;
	u64			ip;
	struct hrtimer		timer;
	struct irq_work		rearm;
};

static DEFINE_PER_CPU(struct emu_ibs_unit[UNITS], emu_ibs);

/* The extended entry of the local vector table. */
static DEFINE_PER_CPU(u32, emu_ibs_entry) = APIC_EILVT_MASKED;

static const u64 enable_bit[UNITS] = { APM_FETCH_EN, APM_OP_EN };
static const u64 valid_bit[UNITS] = { APM_FETCH_VAL, APM_OP_VAL };

static bool counts(const struct emu_ibs_unit *unit, int which)
{
	return unit->ctl & enable_bit[which] && !(unit->ctl & valid_bit[which]);
}

static u64 maximum(const struct emu_ibs_unit *unit, int which)
{
	if (which == FETCH)
		return FIELD_GET(APM_FETCH_MAX_CNT, unit->ctl) << 4;
	return (FIELD_GET(APM_OP_MAX_CNT, unit->ctl) << 4) +
	       (FIELD_GET(APM_OP_MAX_CNT_EXT, unit->ctl) << 20);
}

static u64 count_of(u64 ctl, int which)
{
	return which == FETCH ? FIELD_GET(APM_FETCH_CNT, ctl) << 4 :
				FIELD_GET(APM_OP_CUR_CNT, ctl);
}

static u64 with_count(u64 ctl, int which, u64 count)
{
	if (which == FETCH)
		return (ctl & ~APM_FETCH_CNT) | (count << 12 & APM_FETCH_CNT);
	return (ctl & ~APM_OP_CUR_CNT) | (count << 32 & APM_OP_CUR_CNT);
}

/* Get the count now, limited by the maximum. */
static u64 current_count(const struct emu_ibs_unit *unit, int which)
{
	u64 count = count_of(unit->ctl, which);

	if (!counts(unit, which))
		return count;
	return min(count + rdtsc_ordered() - unit->tsc, maximum(unit, which));
}

static void rearm(struct emu_ibs_unit *unit, int which)
{
	u64 left;

	if (!counts(unit, which))
		return;
	if (in_nmi()) {
		irq_work_queue(&unit->rearm);
		return;
	}
	left = maximum(unit, which) - current_count(unit, which);
	left = max(mul_u64_u64_div_u64(left, USEC_PER_SEC, tsc_khz), MIN_NS);
	hrtimer_start(&unit->timer, ns_to_ktime(left), HRTIMER_MODE_REL_PINNED_HARD);
}

static int which_of(const struct emu_ibs_unit *unit)
{
	return unit - *this_cpu_ptr(&emu_ibs);
}

static void rearm_work(struct irq_work *work)
{
	struct emu_ibs_unit *unit = container_of(work, struct emu_ibs_unit, rearm);

	rearm(unit, which_of(unit));
}

static enum hrtimer_restart reached(struct hrtimer *timer)
{
	struct emu_ibs_unit *unit = container_of(timer, struct emu_ibs_unit, timer);
	struct pt_regs *regs = get_irq_regs();
	int which = which_of(unit);

	/* The timer of a CPU that went offline has migrated, or sampling has stopped. */
	if (which < 0 || which >= UNITS || !counts(unit, which))
		return HRTIMER_NORESTART;
	if (current_count(unit, which) < maximum(unit, which)) {
		irq_work_queue(&unit->rearm);
		return HRTIMER_NORESTART;
	}
	unit->ip = regs ? regs->ip : 0;
	unit->ctl = with_count(unit->ctl, which, maximum(unit, which)) | valid_bit[which];
	if (this_cpu_read(emu_ibs_entry) == APIC_EILVT_MSG_NMI << 8)
		apic->send_IPI_self(NMI_VECTOR);
	else
		emu_misuse("IBS interrupts while its entry is %#x, no NMI",
			   this_cpu_read(emu_ibs_entry));
	return HRTIMER_NORESTART;
}

static u64 op_data3(void)
{
	return APM_DATA3_LD_OP | APM_DATA3_DC_MISS | APM_DATA3_L2_MISS |
	       APM_DATA3_DC_LIN_VALID | APM_DATA3_DC_PHY_VALID |
	       FIELD_PREP(APM_DATA3_DC_MISS_LAT, EMU_IBS_LATENCY);
}

/**
 * emu_ibs_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_ibs_read(u32 msr, u64 *value)
{
	struct emu_ibs_unit *units = *this_cpu_ptr(&emu_ibs);
	int which = msr == APM_IBS_FETCH_CTL ? FETCH : OP;

	switch (msr) {
	case APM_IBS_FETCH_CTL:
	case APM_IBS_OP_CTL:
		*value = with_count(units[which].ctl, which,
				    current_count(&units[which], which));
		return true;
	case APM_IBS_FETCH_LINAD:
		*value = units[FETCH].ip;
		return true;
	case APM_IBS_OP_RIP:
		*value = units[OP].ip;
		return true;
	case APM_IBS_OP_DATA3:
		*value = op_data3();
		return true;
	case APM_IBS_OP_DATA2:
		*value = APM_DATA2_SRC_DRAM;
		return true;
	case APM_IBS_DC_LINAD:
		*value = EMU_IBS_ADDRESS;
		return true;
	case APM_IBS_DC_PHYSAD:
		*value = EMU_IBS_ADDRESS & GENMASK_ULL(35, 0);
		return true;
	case APM_IBS_CONTROL:
		*value = APM_IBS_LVT_OFFSET_VAL | EMU_IBS_EILVT;
		return true;
	case APM_IBS_FETCH_PHYSAD:
	case APM_IBS_OP_DATA:
	case APM_BP_IBSTGT_RIP:
	case APM_IC_IBS_EXTD_CTL:
	case APM_IBS_OP_DATA4:
		*value = 0;
		return true;
	}
	return false;
}

/**
 * emu_ibs_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_ibs_write(u32 msr, u64 value)
{
	int which = msr == APM_IBS_FETCH_CTL ? FETCH : OP;
	struct emu_ibs_unit *unit = &(*this_cpu_ptr(&emu_ibs))[which];

	if (msr != APM_IBS_FETCH_CTL && msr != APM_IBS_OP_CTL)
		return false;
	if (counts(unit, which) && value & enable_bit[which])
		emu_misuse("IBS control %#x is written with %#llx while it counts", msr, value);
	/* The driver leaves the valid bit set when it throttles. */
	if (value & valid_bit[which] && value & enable_bit[which])
		emu_misuse("IBS control %#x is enabled with a valid sample", msr);
	unit->ctl = value;
	unit->tsc = rdtsc_ordered();
	rearm(unit, which);
	return true;
}

/**
 * emu_ibs_set_entry() - write the extended entry of the local vector table
 * @entry: new value
 *
 * Context: preemption off.
 */
void emu_ibs_set_entry(u32 entry)
{
	this_cpu_write(emu_ibs_entry, entry);
}

/**
 * emu_ibs_init() - initialise the timers of all CPUs
 */
void __init emu_ibs_init(void)
{
	int nr, which;

	for_each_possible_cpu(nr) {
		for (which = 0; which < UNITS; which++) {
			struct emu_ibs_unit *unit = &(*per_cpu_ptr(&emu_ibs, nr))[which];

			hrtimer_init(&unit->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
			unit->timer.function = reached;
			unit->rearm = IRQ_WORK_INIT_HARD(rearm_work);
		}
	}
}
