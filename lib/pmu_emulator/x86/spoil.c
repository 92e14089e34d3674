// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware that writes what is no record: x86_pmu_emulator_spoil=WHAT,... with one fault of precise
 * records, or the fault of traced branches, or both. On each CPU the 100th such record has it:
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

/* The kinds of records, each with its own faults */
enum emu_spoil_kind {
	EMU_SPOIL_PRECISE,
	EMU_SPOIL_TRACED,
	EMU_SPOIL_KINDS,
};

/**
 * struct emu_spoil - what this CPU will spoil of one kind of records
 * @what: what
 * @left: number of records before that
 */
struct emu_spoil {
	enum emu_spoil_what	what;
	unsigned int		left;
};

static DEFINE_PER_CPU(struct emu_spoil, emu_spoil[EMU_SPOIL_KINDS]);
static enum emu_spoil_what emu_spoil_chosen[EMU_SPOIL_KINDS] __initdata;

static enum emu_spoil_kind kind_of(enum emu_spoil_what what)
{
	return what == EMU_SPOIL_TRACE ? EMU_SPOIL_TRACED : EMU_SPOIL_PRECISE;
}

static int __init emu_spoil_choose(char *text)
{
	static const char * const names[] = {
		[EMU_SPOIL_SIZE]	= "size",
		[EMU_SPOIL_COUNTERS]	= "counters",
		[EMU_SPOIL_INDEX]	= "index",
		[EMU_SPOIL_TRACE]	= "trace",
	};
	const char *name;
	int what;

	while ((name = strsep(&text, ","))) {
		what = match_string(names + EMU_SPOIL_SIZE, ARRAY_SIZE(names) - EMU_SPOIL_SIZE,
				    name) + EMU_SPOIL_SIZE;
		if (what < EMU_SPOIL_SIZE)
			pr_warn("x86 PMU emulator: nothing that can be spoilt: %s\n", name);
		else
			emu_spoil_chosen[kind_of(what)] = what;
	}
	return 0;
}
early_param("x86_pmu_emulator_spoil", emu_spoil_choose);

/**
 * emu_spoil_init() - let each CPU spoil what was chosen
 */
void __init emu_spoil_init(void)
{
	int nr, kind;

	for_each_possible_cpu(nr) {
		for (kind = 0; kind < EMU_SPOIL_KINDS; kind++)
			per_cpu(emu_spoil, nr)[kind] =
				(struct emu_spoil) { emu_spoil_chosen[kind], SPOIL_AFTER };
	}
}

/**
 * emu_spoil_next() - spoil the next record of this CPU that can have the fault
 * @what: the fault
 */
void emu_spoil_next(enum emu_spoil_what what)
{
	*this_cpu_ptr(&emu_spoil[kind_of(what)]) = (struct emu_spoil) { what };
}

/* Is this the record that is spoilt? */
static enum emu_spoil_what take(enum emu_spoil_kind kind)
{
	struct emu_spoil *spoil = this_cpu_ptr(&emu_spoil[kind]);
	enum emu_spoil_what what = spoil->what;

	if (!what || spoil->left--)
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

	switch (take(EMU_SPOIL_PRECISE)) {
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
	return take(EMU_SPOIL_TRACED) == EMU_SPOIL_TRACE ? max + SZ_64K : index;
}
