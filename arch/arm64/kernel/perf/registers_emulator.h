/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An emulator of PMUv3's registers, in place of the CPU's registers, for the files of the driver
 * and of KVM that access them. A KUnit test includes this file, and then these files: it has a copy
 * of their code that runs on the emulator, with names of its own.
 *
 * The test decides what occurs, and in which exception level. A read that no isb() separates from
 * an earlier one may be executed before it: early_reads are the counters for which the emulator
 * does that. The emulator takes LC and LP of PMCR_EL0 for the width of counters, because the driver
 * always sets LC, and LP from PMUv3p5 on.
 *
 * Source: Arm ARM (DDI 0487), chapter D13, and D24.5 for the registers; B2.3 and D24.1.2 for the
 * order of accesses.
 */
#ifndef _ARM64_KERNEL_PERF_REGISTERS_EMULATOR_H
#define _ARM64_KERNEL_PERF_REGISTERS_EMULATOR_H

#define pmuv3_fixed_counter		copy_fixed_counter
#define pmuv3_get_event_idx		copy_get_event_idx
#define pmuv3_clear_event_idx		copy_clear_event_idx
#define pmuv3_add_batch			copy_add_batch
#define pmuv3_del_batch			copy_del_batch
#define pmuv3_leave_out_stuck		copy_leave_out_stuck
#define pmuv3_read_one			copy_read_one
#define pmuv3_write_one			copy_write_one
#define pmuv3_write_type		copy_write_type
#define pmuv3_enable_counters		copy_enable_counters
#define pmuv3_disable_counters		copy_disable_counters
#define pmuv3_read_counter		copy_read_counter
#define pmuv3_read			copy_read
#define pmuv3_write_counter		copy_write_counter
#define pmuv3_clear_counter		copy_clear_counter
#define pmuv3_note_stopped		copy_note_stopped
#define pmuv3_take_pending		copy_take_pending
#define pmuv3_enable_event		copy_enable_event
#define pmuv3_disable_event		copy_disable_event
#define pmuv3_start			copy_start
#define pmuv3_stop			copy_stop
#define pmuv3_handle_irq		copy_handle_irq
#define pmuv3_reset			copy_reset

#ifdef CONFIG_KVM
#define kvm_pmu_events			copy_kvm_pmu_events
#define kvm_get_pmu_events		copy_kvm_get_pmu_events
#define kvm_set_pmu_events		copy_kvm_set_pmu_events
#define kvm_clr_pmu_events		copy_kvm_clr_pmu_events
#define kvm_vcpu_pmu_restore_guest	copy_kvm_vcpu_pmu_restore_guest
#define kvm_vcpu_pmu_restore_host	copy_kvm_vcpu_pmu_restore_host
#define kvm_vcpu_pmu_resync_el0		copy_kvm_vcpu_pmu_resync_el0
#define kvm_set_pmuserenr		copy_kvm_set_pmuserenr
#endif

#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/kvm_host.h>
#include <linux/overflow.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf/arm_pmuv3.h>
#include <linux/perf_event.h>

#include <asm/arm_pmuv3.h>
#include <asm/irq_regs.h>
#include <asm/irqflags.h>
#include <kvm/arm_pmu.h>

#include "pmuv3.h"

/**
 * struct registers_emu - the registers of one CPU's PMU, and what the test sets and finds
 * @counter: PMEVCNTR<n>_EL0, PMCCNTR_EL0 and PMICNTR_EL0
 * @type: PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0
 * @counting: PMCNTENSET_EL0
 * @interrupting: PMINTENSET_EL1
 * @overflowed: PMOVSSET_EL0
 * @control: PMCR_EL0
 * @nr_enables: number of writes to PMCNTENSET_EL0
 * @nr_torn: number of writes to @type with interrupts on
 * @early: @counter at the last isb()
 * @early_reads: counters with reads that are executed at the last isb()
 * @before_isb: if set, called once, before the next isb()
 * @carry_level: exception level in which an overflow is counted by CHAIN; -1: the same as the event
 * @user_may_read: user space can read counters
 * @vhe: the kernel runs in EL2
 * @throttles: an overflow stops the event
 * @nr_samples: number of overflows of events
 * @still: counters that never count
 * @forgets: counters that are 0 after each write
 * @off: counters that cannot be enabled
 */
struct registers_emu {
	u64		counter[ARMPMU_MAX_HWEVENTS];
	u64		type[ARMPMU_MAX_HWEVENTS];
	u64		counting;
	u64		interrupting;
	u64		overflowed;
	u64		control;
	unsigned int	nr_enables;
	unsigned int	nr_torn;
	u64		early[ARMPMU_MAX_HWEVENTS];
	u64		early_reads;
	void		(*before_isb)(void);
	int		carry_level;
	bool		user_may_read;
	bool		vhe;
	bool		throttles;
	unsigned int	nr_samples;
	u64		still;
	u64		forgets;
	u64		off;
};

static struct registers_emu emu;

static u64 emu_read(int idx)
{
	return emu.early_reads & BIT_ULL(idx) ? emu.early[idx] : emu.counter[idx];
}

static void emu_write(int idx, u64 value)
{
	emu.counter[idx] = emu.forgets & BIT_ULL(idx) ? 0 : value;
}

/* Before PMUv3p5 event counters have 32 bits. */
static void emu_write_event_counter(int idx, u64 value)
{
	emu_write(idx, emu.control & ARMV8_PMU_PMCR_LP ? value : lower_32_bits(value));
}

/* An interrupt may change a type that was read before. */
static void emu_write_type(int idx, u64 value)
{
	emu.nr_torn += !irqs_disabled();
	emu.type[idx] = value;
}

static void emu_write_control(u64 value)
{
	if (value & ARMV8_PMU_PMCR_P)
		memset(emu.counter, 0, ARMV8_PMU_CYCLE_IDX * sizeof(emu.counter[0]));
	if (value & ARMV8_PMU_PMCR_C)
		emu.counter[ARMV8_PMU_CYCLE_IDX] = 0;
	emu.control = value & ~(u64)(ARMV8_PMU_PMCR_P | ARMV8_PMU_PMCR_C);
}

static void emu_isb(void)
{
	void (*before)(void) = emu.before_isb;

	memcpy(emu.early, emu.counter, sizeof(emu.early));
	emu.before_isb = NULL;
	if (before)
		before();
}

static bool emu_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	emu.nr_samples++;
	return emu.throttles;
}

static bool emu_counts_in(u64 type, int level)
{
	switch (level) {
	case 0:
		return !(type & ARMV8_PMU_EXCLUDE_EL0);
	case 1:
		return !(type & ARMV8_PMU_EXCLUDE_EL1);
	default:
		return type & ARMV8_PMU_INCLUDE_EL2;
	}
}

/* Return: how often a counter of 32 bits wraps. */
static u64 emu_advance(int idx, u64 times)
{
	bool is_long = idx == ARMV8_PMU_CYCLE_IDX ? emu.control & ARMV8_PMU_PMCR_LC :
		       idx > ARMV8_PMU_CYCLE_IDX || emu.control & ARMV8_PMU_PMCR_LP;
	u64 wraps;

	if (is_long) {
		if (check_add_overflow(emu.counter[idx], times, &emu.counter[idx]))
			emu.overflowed |= BIT_ULL(idx);
		return 0;
	}
	emu.counter[idx] += times;
	wraps = upper_32_bits(emu.counter[idx]);
	emu.counter[idx] = lower_32_bits(emu.counter[idx]);
	if (wraps)
		emu.overflowed |= BIT_ULL(idx);
	return wraps;
}

static bool emu_counts(int idx, unsigned int number, int level)
{
	u64 type = emu.type[idx];
	unsigned int counted = type & ARMV8_PMU_EVTYPE_EVENT;

	if (idx == ARMV8_PMU_CYCLE_IDX)
		counted = ARMV8_PMUV3_PERFCTR_CPU_CYCLES;
	if (idx == ARMV8_PMU_INSTR_IDX)
		counted = ARMV8_PMUV3_PERFCTR_INST_RETIRED;
	return emu.control & ARMV8_PMU_PMCR_E && emu.counting & ~emu.still & BIT_ULL(idx) &&
	       counted == number && emu_counts_in(type, level);
}

/* An event occurs in an exception level. */
static void emu_occur(unsigned int number, u64 times, int level)
{
	int carry = emu.carry_level < 0 ? level : emu.carry_level;

	for (int idx = 0; idx < ARMPMU_MAX_HWEVENTS; idx++) {
		u64 wraps;

		if (!emu_counts(idx, number, level))
			continue;
		wraps = emu_advance(idx, times);
		if (!(idx & 1) && wraps &&
		    emu_counts(idx + 1, ARMV8_PMUV3_PERFCTR_CHAIN, carry))
			emu_advance(idx + 1, wraps);
	}
}

/* A loop of the kernel, of two instructions a turn. */
static void emu_spin(unsigned long turns)
{
	int level = emu.vhe ? 2 : 1;

	emu_occur(ARMV8_PMUV3_PERFCTR_INST_RETIRED, 2 * turns, level);
	emu_occur(ARMV8_PMUV3_PERFCTR_CPU_CYCLES, turns, level);
}

#define read_pmevcntrn(_n)		emu_read(_n)
#define read_pmccntr()			emu_read(ARMV8_PMU_CYCLE_IDX)
#define read_pmicntr()			emu_read(ARMV8_PMU_INSTR_IDX)
#define write_pmevcntrn(_n, _value)	emu_write_event_counter(_n, _value)
#define write_pmccntr(_value)		emu_write(ARMV8_PMU_CYCLE_IDX, _value)
#define write_pmicntr(_value)		emu_write(ARMV8_PMU_INSTR_IDX, _value)
#define read_pmevtypern(_n)		(emu.type[_n])
#define read_pmccfiltr()		(emu.type[ARMV8_PMU_CYCLE_IDX])
#define read_pmicfiltr()		(emu.type[ARMV8_PMU_INSTR_IDX])
#define write_pmevtypern(_n, _value)	emu_write_type(_n, _value)
#define write_pmccfiltr(_value)		emu_write_type(ARMV8_PMU_CYCLE_IDX, _value)
#define write_pmicfiltr(_value)		emu_write_type(ARMV8_PMU_INSTR_IDX, _value)
#define write_pmcntenset(_mask)		(emu.nr_enables++, emu.counting |= (_mask) & ~emu.off)
#define pmuv3_read_cntenset()		(emu.counting)
#define pmuv3_spin(_turns)		emu_spin(_turns)
#define write_pmcntenclr(_mask)		(emu.counting &= ~(u64)(_mask))
#define write_pmintenset(_mask)		(emu.interrupting |= (_mask))
#define write_pmintenclr(_mask)		(emu.interrupting &= ~(u64)(_mask))
#define read_pmovsclr()			(emu.overflowed)
#define write_pmovsclr(_mask)		(emu.overflowed &= ~(u64)(_mask))
#define read_pmcr()			(emu.control)
#define write_pmcr(_value)		emu_write_control(_value)
#undef isb
#define isb()				emu_isb()

#define perf_event_overflow		emu_overflow
#define pmuv3_user_may_read()		(emu.user_may_read)
#define has_vhe()			(emu.vhe)
#define kvm_pmu_counter_deferred(_attr)	(!emu.vhe && (_attr)->exclude_host)
#define kvm_arm_support_pmu_v3()	true

#endif /* _ARM64_KERNEL_PERF_REGISTERS_EMULATOR_H */
