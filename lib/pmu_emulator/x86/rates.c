// SPDX-License-Identifier: GPL-2.0
/*
 * The rates of events. Each event occurs at a fixed rate per tick of the time stamp counter.
 * Documentation/perf/testing.rst has the same rates, and tests depend on them.
 *
 * If the time stamp counter counts two ticks per instruction that the CPU executes, see
 * clock.c, the counts of instructions are exact, and a cycle is half an instruction.
 */
#include "emulator.h"

static const struct {
	u16	select;
	u32	rate;
} emu_rates[] = {
	{ 0x003c, 1024 },	/* Intel: cycles */
	{ 0x013c, 256 },	/* Intel: reference cycles, bus */
	{ 0x00c0, 512 },	/* Intel: instructions; AMD the same */
	{ 0x4f2e, 32 },		/* Intel: last level cache references */
	{ 0x412e, 8 },		/* Intel: last level cache misses */
	{ 0x00c4, 128 },	/* Intel: branches */
	{ 0x00c5, 4 },		/* Intel: mispredicted branches */
	{ 0x0076, 1024 },	/* AMD: cycles */
	{ 0x00c2, 128 },	/* AMD: branches */
	{ 0x00c3, 4 },		/* AMD: mispredicted branches */
	{ 0xff03, 20480 },	/* AMD: floating point operations, from family 17h */
};

/* Rate of cycles. */
#define EMU_RATE_CYCLES		BIT(EMU_RATE_SHIFT)

/* Rate of all other events. */
#define EMU_RATE_OTHERS		64

/* Intel's fixed counters: instructions, cycles, reference cycles, slots. */
static const u32 fixed_rates[] = { 512, 1024, 1024, 4096 };

/**
 * emu_rate_of() - get the rate of an event
 * @select: event select value
 *
 * Return: events per 2^EMU_RATE_SHIFT ticks.
 */
u32 emu_rate_of(u64 select)
{
	unsigned int i;

	/* Instructions or operations, fewer than so many: each cycle. */
	if (select & SDM_SEL_INV && select & SDM_SEL_CMASK)
		return EMU_RATE_CYCLES;

	for (i = 0; i < ARRAY_SIZE(emu_rates); i++) {
		if (emu_rates[i].select == (select & 0xffff))
			return emu_rates[i].rate;
	}
	return EMU_RATE_OTHERS;
}

/**
 * emu_fixed_rate() - get the rate of a fixed counter
 * @n: number of the fixed counter, from 0
 *
 * Return: events per 2^EMU_RATE_SHIFT ticks.
 */
u32 emu_fixed_rate(unsigned int n)
{
	return n < ARRAY_SIZE(fixed_rates) ? fixed_rates[n] : EMU_RATE_OTHERS;
}
