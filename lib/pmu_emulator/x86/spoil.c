// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware that writes what is no record: x86_pmu_emulator_spoil=WHAT. On each CPU the 100th
 * precise record, or record of a traced branch, is one of these:
 *
 *   size	the size of the record does not fit its groups, or the index points behind it
 *   counters	the record is for a counter that does not exist
 *   index	the index of precise records points behind the buffer
 *   trace	the index of traced branches does
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
#include <linux/cpumask.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include "ds.h"

/* Records before the one that is spoilt */
#define SPOIL_AFTER	99

/* A counter that does not exist */
#define SPOIL_COUNTER	BIT_ULL(63)

/**
 * struct emu_spoil - what this CPU will spoil
 * @what: what
 * @left: number of records before that
 */
struct emu_spoil {
	enum emu_spoil_what	what;
	unsigned int		left;
};

static DEFINE_PER_CPU(struct emu_spoil, emu_spoil);
static enum emu_spoil_what emu_spoil_chosen __initdata;

static int __init emu_spoil_choose(char *text)
{
	static const char * const names[] = {
		[EMU_SPOIL_SIZE]	= "size",
		[EMU_SPOIL_COUNTERS]	= "counters",
		[EMU_SPOIL_INDEX]	= "index",
		[EMU_SPOIL_TRACE]	= "trace",
	};
	int what;

	for (what = EMU_SPOIL_SIZE; what < ARRAY_SIZE(names); what++) {
		if (!strcmp(names[what], text))
			break;
	}
	if (what == ARRAY_SIZE(names))
		pr_warn("x86 PMU emulator: nothing that can be spoilt: %s\n", text);
	else
		emu_spoil_chosen = what;
	return 0;
}
early_param("x86_pmu_emulator_spoil", emu_spoil_choose);

/**
 * emu_spoil_init() - let each CPU spoil what was chosen
 */
void __init emu_spoil_init(void)
{
	int nr;

	for_each_possible_cpu(nr)
		per_cpu(emu_spoil, nr) = (struct emu_spoil) { emu_spoil_chosen, SPOIL_AFTER };
}

/**
 * emu_spoil_next() - spoil the next record of this CPU
 * @what: what, or EMU_SPOIL_NOTHING
 */
void emu_spoil_next(enum emu_spoil_what what)
{
	this_cpu_write(emu_spoil.what, what);
	this_cpu_write(emu_spoil.left, 0);
}

/* Is this the record that is spoilt? */
static enum emu_spoil_what take(bool traced)
{
	struct emu_spoil *spoil = this_cpu_ptr(&emu_spoil);
	enum emu_spoil_what what = spoil->what;
	bool trace = what == EMU_SPOIL_TRACE;

	if (!what || trace != traced || spoil->left--)
		return EMU_SPOIL_NOTHING;
	spoil->what = EMU_SPOIL_NOTHING;
	return what;
}

/**
 * emu_spoil_record() - spoil a precise record, if it is its turn
 * @record: the record
 * @index: index behind the record
 * @max: index behind the buffer
 *
 * Return: the index that hardware goes on with.
 */
u64 emu_spoil_record(u64 *record, u64 index, u64 max)
{
	u8 format = emu_pebs()->format;

	switch (take(false)) {
	case EMU_SPOIL_SIZE:
		if (!emu_pebs()->baseline)
			return index + sizeof(*record);
		record[0] += 8ULL << 48;
		return index;
	case EMU_SPOIL_COUNTERS:
		if (format < 3)
			return index + sizeof(*record);
		record[emu_pebs()->baseline ? 2 : 18] |= SPOIL_COUNTER;
		return index;
	case EMU_SPOIL_INDEX:
		return max + SZ_64K;
	default:
		return index;
	}
}

/**
 * emu_spoil_branch() - spoil the index of traced branches, if it is its turn
 * @index: index behind the record
 * @max: index behind the buffer
 *
 * Return: the index that hardware goes on with.
 */
u64 emu_spoil_branch(u64 index, u64 max)
{
	return take(true) == EMU_SPOIL_TRACE ? max + SZ_64K : index;
}
