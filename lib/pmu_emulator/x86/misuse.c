// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of misuse: register accesses on which a CPU would fault, or which the manuals
 * forbid. Each is a warning with the stack in the log, and fails a test run.
 *
 * Context: any, NMI included.
 */
#include <linux/bug.h>
#include <linux/printk.h>
#include "emulator.h"

/**
 * emu_misuse() - report an access that a driver must not make
 * @fmt: format of the message
 */
void emu_misuse(const char *fmt, ...)
{
	char text[160];
	va_list args;

	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	/* The caller may hold a run queue's lock, which consoles may need. */
	printk_deferred_enter();
	WARN(1, "x86 PMU emulator %s: %s\n", emu_machine->name, text);
	printk_deferred_exit();
}

/**
 * emu_check_stopped() - check that a counter is stopped before it changes
 * @cpu: this CPU's PMU
 * @idx: index of the counter
 * @what: the access, for the message
 */
void emu_check_stopped(const struct emu_cpu *cpu, unsigned int idx, const char *what)
{
	if (cpu->running & BIT_ULL(idx))
		emu_misuse("%s of counter %u while it counts", what, idx);
}
