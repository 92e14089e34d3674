// SPDX-License-Identifier: GPL-2.0
/*
 * Which sides of a core are offered. Each has a boot parameter:
 *
 *   perf_x86_precise=	precise samples, X86_SIDE_PRECISE
 *   perf_x86_branches=	records of branches, X86_SIDE_BRANCHES
 *   perf_x86_trace=	trace of branches, X86_SIDE_TRACE
 *
 * The value is "off", "on", or "tested", which is the default: a side is offered on parts that have
 * it in x86_core_pmu::tested. A mark there needs a report of perf-events-check from such hardware.
 * Emulated PMUs count as tested.
 *
 * "on" also offers what is known from one source only. It does not offer what the driver refuses
 * for another reason, such as an unknown layout of records, or known errata.
 *
 * Context: boot for the parameters; any for the rest.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "hw.h"
#include "offer.h"

#define PRECISE		"perf_x86_precise"
#define BRANCHES	"perf_x86_branches"
#define TRACE		"perf_x86_trace"

/**
 * struct x86_offer - the boot parameter of a side
 * @parameter: its name
 * @what: what the side is, for the log
 * @off: the reason of a refusal where the user has switched it off
 * @untested: the reason where it was never tried
 */
struct x86_offer {
	const char	*parameter;
	const char	*what;
	const char	*off;
	const char	*untested;
};

#define OFFER(_parameter, _what)							\
	{										\
		.parameter = _parameter,						\
		.what = _what,								\
		.off = "the boot parameter " _parameter "=off is set",			\
		.untested = "never tried on such hardware, the boot parameter "		\
			    _parameter "=on offers it",					\
	}

static const struct x86_offer offers[X86_SIDES] = {
	[X86_SIDE_PRECISE]	= OFFER(PRECISE, "precise samples"),
	[X86_SIDE_BRANCHES]	= OFFER(BRANCHES, "records of branches"),
	[X86_SIDE_TRACE]	= OFFER(TRACE, "trace of branches"),
};

static enum x86_offer_mode modes[X86_SIDES] __ro_after_init;

/**
 * x86_offer_parse() - read the value of a boot parameter
 * @text: the value
 * @mode: output, unchanged after an error
 *
 * Return: 0 or -EINVAL.
 */
int x86_offer_parse(const char *text, enum x86_offer_mode *mode)
{
	static const char * const values[] = {
		[X86_OFFER_TESTED]	= "tested",
		[X86_OFFER_OFF]		= "off",
		[X86_OFFER_ON]		= "on",
	};
	int value = match_string(values, ARRAY_SIZE(values), text);

	if (value < 0)
		return -EINVAL;
	*mode = value;
	return 0;
}

static int __init x86_offer_choose(unsigned int side, const char *text)
{
	if (!text || x86_offer_parse(text, &modes[side]))
		pr_warn("perf: %s=%s: the value is off, tested or on\n", offers[side].parameter,
			text ?: "");
	return 0;
}

static int __init x86_offer_precise(char *text)
{
	return x86_offer_choose(X86_SIDE_PRECISE, text);
}
early_param(PRECISE, x86_offer_precise);

static int __init x86_offer_branches(char *text)
{
	return x86_offer_choose(X86_SIDE_BRANCHES, text);
}
early_param(BRANCHES, x86_offer_branches);

static int __init x86_offer_trace(char *text)
{
	return x86_offer_choose(X86_SIDE_TRACE, text);
}
early_param(TRACE, x86_offer_trace);

/**
 * x86_offer_refusal() - decide whether a side is offered
 * @side: X86_SIDE_*
 * @mode: value of its boot parameter
 * @tested: it was tried on such hardware
 *
 * Return: NULL if it is offered; otherwise why not, for the refusal of events.
 */
const char *x86_offer_refusal(unsigned int side, enum x86_offer_mode mode, bool tested)
{
	switch (mode) {
	case X86_OFFER_OFF:
		return offers[side].off;
	case X86_OFFER_TESTED:
		return tested ? NULL : offers[side].untested;
	case X86_OFFER_ON:
		break;
	}
	return NULL;
}

static bool x86_offer_is_tested(const struct x86_core_pmu *core, unsigned int side)
{
	return x86_hw_counts_as_tested() || core->tested & BIT(side);
}

/**
 * x86_offer_why_not() - find out why a side is not offered
 * @core: the PMU
 * @side: X86_SIDE_*; the core has it
 *
 * Return: NULL if it is offered; otherwise as x86_offer_refusal().
 */
const char *x86_offer_why_not(const struct x86_core_pmu *core, unsigned int side)
{
	return x86_offer_refusal(side, modes[side], x86_offer_is_tested(core, side));
}

/**
 * x86_offer_report() - log which sides are off for the boot parameters, or on although never tried
 * @core: the PMU, with its sides
 *
 * Context: task.
 */
void x86_offer_report(const struct x86_core_pmu *core)
{
	unsigned int side;

	for (side = 0; side < X86_SIDES; side++) {
		const char *why = x86_offer_why_not(core, side);

		if (core->side[side] && !x86_offer_is_tested(core, side))
			pr_info("perf: PMU %s: %s: on, but never tried on such hardware; %s=off turns it off\n",
				core->name, offers[side].what, offers[side].parameter);
		else if (why && core->why_not[side] == why)
			pr_info("perf: PMU %s: %s: off: %s\n", core->name, offers[side].what, why);
	}
}
