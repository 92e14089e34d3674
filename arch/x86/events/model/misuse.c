// SPDX-License-Identifier: GPL-2.0
/*
 * Complaints about the driver: register accesses that a CPU would fault on, or
 * that the manuals forbid although it would not. Each is a warning in the log,
 * with the stack, and so fails a test run.
 *
 * Any context, NMI included.
 */
#include <linux/bug.h>
#include <linux/printk.h>
#include "model.h"

/**
 * model_misuse() - report an access that a driver must not make
 * @fmt: what was wrong
 */
void model_misuse(const char *fmt, ...)
{
	char text[160];
	va_list args;

	va_start(args, fmt);
	vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	/* the access may come with a run queue locked, which consoles can want */
	printk_deferred_enter();
	WARN(1, "x86 PMU model %s: %s\n", model_machine->name, text);
	printk_deferred_exit();
}

/**
 * model_check_stopped() - only a counter that stands may be changed
 * @cpu: this CPU's PMU
 * @idx: the counter
 * @what: what is about to be done to it
 */
void model_check_stopped(const struct model_cpu *cpu, unsigned int idx, const char *what)
{
	if (cpu->running & BIT_ULL(idx))
		model_misuse("%s of counter %u while it counts", what, idx);
}
