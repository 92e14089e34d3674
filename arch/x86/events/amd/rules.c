// SPDX-License-Identifier: GPL-2.0
/*
 * Counter constraints of AMD's families: events that not every counter can count, events
 * that the cores of a node share, and events that need two counters.
 *
 * Data only. Used at boot and in tests.
 */
#include "rules.h"

/*
 * Northbridge events of the families before 15h: numbers E0h to FFh, with any value in
 * the bits above. Each core counts these events of its node with its own counters.
 */
static const struct event_constraint shared_events[] = {
	EVENT_CONSTRAINT(0x00e0, X86_PMC_GENERIC_MASK, 0x00e0),
	{ }
};

/*
 * Family 15h: the counters of an event depend on its unit.
 * Source: BIOS and Kernel Developer's Guide for family 15h models 00h-0Fh (42301),
 * core performance counter events, where each event names its PERF_CTL.
 */
#define FAM15H(_code, _mask, _counters) \
	EVENT_CONSTRAINT(((_code) & 0xffULL) | ((_code) & 0xf00ULL) << 24, \
			 _counters, (_mask) | GENMASK_ULL(35, 32))

static const struct event_constraint fam15h_rules[] = {
	/* exceptions to the units below */
	FAM15H(0x003, 0xff, 0x08), FAM15H(0x00b, 0xff, 0x08), FAM15H(0x00d, 0xff, 0x08),
	FAM15H(0x08f, 0xff, 0x01),
	/* the load and store unit: most events can use all counters */
	FAM15H(0x023, 0xff, 0x07), FAM15H(0x02d, 0xff, 0x08), FAM15H(0x02e, 0xff, 0x09),
	FAM15H(0x031, 0xff, 0x07), FAM15H(0x043, 0xff, 0x07), FAM15H(0x045, 0xff, 0x07),
	FAM15H(0x046, 0xff, 0x07), FAM15H(0x054, 0xff, 0x07), FAM15H(0x055, 0xff, 0x07),
	/* floating point */
	FAM15H(0x000, 0xe0, 0x38),
	/* the unit that two cores share */
	FAM15H(0x060, 0xe0, 0x07),
	/* fetch and decode */
	FAM15H(0x080, 0xe0, 0x07), FAM15H(0x0d0, 0xf0, 0x07),
	/* the northbridge has counters of its own: none of the core's */
	FAM15H(0x0e0, 0xe0, 0x00),
	FAM15H(0x187, 0xff, 0x01), FAM15H(0x188, 0xff, 0x01), FAM15H(0x1c0, 0xff, 0x38),
	{ }
};

/*
 * Families 17h and later: more than 15 can occur in a cycle. Source: Processor
 * Programming Reference for family 17h models 01h, 08h (54945), section "Large Increment
 * per Cycle Events".
 */
static const struct event_constraint large_events[] = {
	/* retired SSE, AVX FLOPs */
	EVENT_CONSTRAINT(0x003, X86_PMC_GENERIC_MASK, AMD64_EVENTSEL_EVENT),
	{ }
};

/* The event of upper counters (PAIR_UPPER_EVENT) is reserved for the driver. */
static const struct event_constraint fam17h_rules[] = {
	EVENT_CONSTRAINT(0xf000000ff, 0, AMD64_EVENTSEL_EVENT),
	{ }
};

/**
 * amd_rules_apply() - set the counter constraints of a family
 * @core: the PMU
 * @family: 6 or later
 */
void amd_rules_apply(struct x86_core_pmu *core, unsigned int family)
{
	if (family < 0x15) {
		core->shared = shared_events;
	} else if (family == 0x15) {
		core->rules = fam15h_rules;
	} else if (family >= 0x17) {
		core->rules = fam17h_rules;
		core->large = large_events;
	}
}
