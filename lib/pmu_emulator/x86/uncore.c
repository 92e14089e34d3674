// SPDX-License-Identifier: GPL-2.0
/*
 * Counters outside of the cores: AMD's last level cache and data fabric; Intel's C-boxes of
 * Haswell servers, which are the CHAs of Skylake servers. The CPUs of a package share them.
 * The rate of an event depends on its number: 8 * (1 + its low three bits) per 1024 cycles
 * of the time stamp counter.
 *
 * Sources: AMD's Processor Programming Reference for family 19h;
 * Intel's Uncore Performance Monitoring guide for Xeon E5 v3 (331051).
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include "box.h"
#include "emulator.h"

#define BOX_RESET_CONTROL	BIT_ULL(0)
#define BOX_RESET_COUNTERS	BIT_ULL(1)
#define BOX_FREEZE		BIT_ULL(8)

/* Further packages share the boxes of these. */
#define EMU_PACKAGES	4
#define COUNTER_MASK	GENMASK_ULL(47, 0)

/**
 * struct emu_box - MSR numbers of a box
 * @vendor: X86_VENDOR_*
 * @control: control register of the box; 0: none
 * @select: event select of the first counter
 * @count: the first counter
 * @step: distance between two counters, for @select and @count
 * @nr: number of counters
 * @rdpmc: operand of RDPMC for the first counter; 0: none
 */
struct emu_box {
	u8	vendor;
	u32	control;
	u32	select;
	u32	count;
	u8	step;
	u8	nr;
	u32	rdpmc;
};

static const struct emu_box boxes[] = {
	{ X86_VENDOR_AMD, 0, PPR_L3_CTL0, PPR_L3_CTR0, 2, 6, 10 },
	{ X86_VENDOR_AMD, 0, PPR_DF_CTL0, PPR_DF_CTR0, 2, 4, 6 },
	{ X86_VENDOR_INTEL, 0xe00, 0xe01, 0xe08, 1, 4, 0 },
	{ X86_VENDOR_INTEL, 0xe10, 0xe11, 0xe18, 1, 4, 0 },
};

/* Protects all boxes, including the boxes of other files. */
static DEFINE_RAW_SPINLOCK(box_lock);
static struct emu_box_state states[EMU_PACKAGES][ARRAY_SIZE(boxes)];

/* Get the number of the counter to which a register belongs, -1 for none. */
static int nth(const struct emu_box *box, u32 first, u32 msr)
{
	u32 n = msr - first;

	return msr >= first && !(n % box->step) && n / box->step < box->nr ? n / box->step : -1;
}

static struct emu_box_state *state_of(unsigned int box)
{
	return &states[topology_physical_package_id(smp_processor_id()) % EMU_PACKAGES][box];
}

static void settle(struct emu_box_state *state)
{
	u64 now = rdtsc_ordered(), cycles = now - state->tsc, add;
	unsigned int i;

	state->tsc = now;
	if ((s64)cycles <= 0 || state->control & BOX_FREEZE)
		return;
	for (i = 0; i < EMU_BOX_COUNTERS; i++) {
		if (!(state->select[i] & UPM_SEL_EN))
			continue;
		add = cycles * 8 * (1 + (state->select[i] & 7)) + state->part[i];
		state->value[i] = (state->value[i] + (add >> EMU_RATE_SHIFT)) & COUNTER_MASK;
		state->part[i] = add & (BIT_ULL(EMU_RATE_SHIFT) - 1);
	}
}

static void write_control(struct emu_box_state *state, u64 value)
{
	if (value & BOX_RESET_CONTROL)
		memset(state->select, 0, sizeof(state->select));
	if (value & BOX_RESET_COUNTERS)
		memset(state->value, 0, sizeof(state->value));
	state->control = value & ~(BOX_RESET_CONTROL | BOX_RESET_COUNTERS);
}

/* Get a register of a box, or NULL. */
static u64 *register_of(const struct emu_box *box, struct emu_box_state *state, u32 msr)
{
	int n;

	if (box->control && msr == box->control)
		return &state->control;
	n = nth(box, box->select, msr);
	if (n >= 0)
		return &state->select[n];
	n = nth(box, box->count, msr);
	return n < 0 ? NULL : &state->value[n];
}

/**
 * emu_box_read() - read a register of a box
 * @state: the box
 * @reg: a register of @state
 *
 * Context: any but NMI.
 * Return: its value.
 */
u64 emu_box_read(struct emu_box_state *state, const u64 *reg)
{
	guard(raw_spinlock_irqsave)(&box_lock);
	settle(state);
	return *reg;
}

/**
 * emu_box_write() - write a register of a box
 * @state: the box
 * @reg: a register of @state
 * @value: new value
 *
 * Context: any but NMI.
 */
void emu_box_write(struct emu_box_state *state, u64 *reg, u64 value)
{
	guard(raw_spinlock_irqsave)(&box_lock);
	settle(state);
	if (reg == &state->control)
		write_control(state, value);
	else if (reg >= state->value && reg < state->value + EMU_BOX_COUNTERS)
		*reg = value & COUNTER_MASK;
	else
		*reg = value;
}

/* Read to @value, or write from it. Returns false if no box has the register. */
static bool access_register(u32 msr, u64 *value, bool write)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct emu_box_state *state = state_of(i);
		u64 *reg = register_of(&boxes[i], state, msr);

		if (boxes[i].vendor != emu_machine->identity.vendor || !reg)
			continue;
		if (write)
			emu_box_write(state, reg, *value);
		else
			*value = emu_box_read(state, reg);
		return true;
	}
	return false;
}

/**
 * emu_uncore_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_uncore_read(u32 msr, u64 *value)
{
	return access_register(msr, value, false);
}

/**
 * emu_uncore_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_uncore_write(u32 msr, u64 value)
{
	return access_register(msr, &value, true);
}

/**
 * emu_uncore_rdpmc() - RDPMC
 * @index: operand of RDPMC
 * @value: output
 *
 * Return: false if the emulator does not have the counter.
 */
bool emu_uncore_rdpmc(u32 index, u64 *value)
{
	unsigned int i;
	unsigned long flags;
	bool found = false;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		const struct emu_box *box = &boxes[i];

		if (box->vendor != emu_machine->identity.vendor || !box->rdpmc ||
		    !in_range(index, box->rdpmc, box->nr))
			continue;
		local_irq_save(flags);
		found = emu_uncore_read(box->count + (index - box->rdpmc) * box->step, value);
		local_irq_restore(flags);
	}
	return found;
}
