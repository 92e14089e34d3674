// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's core PMU, and Hygon's: families 6 (K7) and later.
 *
 * There are three generations of registers, CPUID tells which: four counters,
 * six counters at new addresses (PERFCTR_CORE), and those with global control and
 * status beside (PerfMonV2), in any number. What the generic events are called
 * is in events.c.
 *
 * Boot only. Sources: AMD64 Architecture Programmer's Manual volume 2, section
 * "Performance Monitoring Counters", and volume 3, appendix E (CPUID).
 */
#include <linux/init.h>
#include "../core_pmu.h"
#include "events.h"

#define CPUID_EXT1_ECX_PERFCTR_CORE	BIT(23)
#define CPUID_PERFMON_V2		0x80000022
#define CPUID_PERFMON_V2_EAX		BIT(0)

static const struct x86_counter_regs k7_regs = {
	.select		= MSR_K7_EVNTSEL0,
	.count		= MSR_K7_PERFCTR0,
	.stride		= 1,
};

static const struct x86_counter_regs core_regs = {
	.select		= MSR_F15H_PERF_CTL0,
	.count		= MSR_F15H_PERF_CTR0,
	.stride		= 2,
};

static const struct x86_counter_regs v2_regs = {
	.select		= MSR_F15H_PERF_CTL0,
	.count		= MSR_F15H_PERF_CTR0,
	.stride		= 2,
	.global_ctrl	= MSR_AMD64_PERF_CNTR_GLOBAL_CTL,
	.global_status	= MSR_AMD64_PERF_CNTR_GLOBAL_STATUS,
	.global_clear	= MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR,
};

/*
 * Northbridge events of the families before 15h. The counters are each core's,
 * but what is counted is shared by the cores of a node, of which one only may
 * ask for an event at a time.
 */
static const struct x86_event_rule shared_northbridge_rules[] = {
	{ 0x00e0, 0x00e0, 0 },
	{ }
};

/*
 * Family 15h: which counters an event has depends on the unit that it comes from.
 * Source: BIOS and Kernel Developer's Guide for family 15h models 00h-0Fh (42301),
 * core performance counter events, where each event names its PERF_CTL.
 */
#define FAM15H(_code, _mask, _counters) \
	{ ((_code) & 0xffULL) | ((_code) & 0xf00ULL) << 24, \
	  (_mask) | GENMASK_ULL(35, 32), (_counters) }

static const struct x86_event_rule fam15h_rules[] = {
	/* exceptions from the units below */
	FAM15H(0x003, 0xff, 0x08), FAM15H(0x00b, 0xff, 0x08), FAM15H(0x00d, 0xff, 0x08),
	FAM15H(0x08f, 0xff, 0x01),
	/* the load and store unit: most events anywhere */
	FAM15H(0x023, 0xff, 0x07), FAM15H(0x02d, 0xff, 0x08), FAM15H(0x02e, 0xff, 0x09),
	FAM15H(0x031, 0xff, 0x07), FAM15H(0x043, 0xff, 0x07), FAM15H(0x045, 0xff, 0x07),
	FAM15H(0x046, 0xff, 0x07), FAM15H(0x054, 0xff, 0x07), FAM15H(0x055, 0xff, 0x07),
	/* floating point */
	FAM15H(0x000, 0xe0, 0x38),
	/* the unit that two cores share */
	FAM15H(0x060, 0xe0, 0x07),
	/* fetch and decode */
	FAM15H(0x080, 0xe0, 0x07), FAM15H(0x0d0, 0xf0, 0x07),
	/* the northbridge has counters of its own */
	FAM15H(0x0e0, 0xe0, 0x00),
	FAM15H(0x187, 0xff, 0x01), FAM15H(0x188, 0xff, 0x01), FAM15H(0x1c0, 0xff, 0x38),
	{ }
};

/*
 * Families 17h and later: more than 15 of them can occur in a cycle. Source: Processor
 * Programming Reference for family 17h models 01h, 08h (54945), section "Large Increment
 * per Cycle Events".
 */
static const struct x86_event_rule large_events[] = {
	{ 0x003, AMD64_EVENTSEL_EVENT, X86_PMC_GENERIC_MASK },	/* retired SSE, AVX FLOPs */
	{ }
};

/* What makes a counter the upper part of another is the driver's to say. */
static const struct x86_event_rule fam17h_rules[] = {
	{ 0xf000000ff, AMD64_EVENTSEL_EVENT, 0 },
	{ }
};

PMU_FORMAT_ATTR(event, "config:0-7,32-35");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");

static struct attribute *amd_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_umask.attr,
	&format_attr_edge.attr,
	&format_attr_inv.attr,
	&format_attr_cmask.attr,
	NULL,
};

static const struct attribute_group amd_format_group = {
	.name	= "format",
	.attrs	= amd_format_attrs,
};

static const struct attribute_group *amd_groups[] = {
	&amd_format_group,
	NULL,
};

static struct x86_core_pmu amd_core = {
	.name		= "cpu",
	.type		= PERF_TYPE_RAW,
	.width		= 48,
	.period_max	= BIT_ULL(47) - 1,
	.raw_mask	= AMD64_RAW_EVENT_MASK,
	.host_guest	= true,
	.format_groups	= amd_groups,
};

static void __init describe_counters(struct x86_core_pmu *core)
{
	struct x86_hw_cpuid ext1, v2;
	unsigned int nr = AMD64_NUM_COUNTERS;

	x86_hw_cpuid(0x80000001, 0, &ext1);
	x86_hw_cpuid(CPUID_PERFMON_V2, 0, &v2);
	if (v2.reg[CPUID_EAX] & CPUID_PERFMON_V2_EAX) {
		union cpuid_0x80000022_ebx ebx = { .full = v2.reg[CPUID_EBX] };

		core->version = 2;
		core->regs = &v2_regs;
		nr = ebx.split.num_core_pmc;
	} else if (ext1.reg[CPUID_ECX] & CPUID_EXT1_ECX_PERFCTR_CORE) {
		core->version = 1;
		core->regs = &core_regs;
		nr = AMD64_NUM_COUNTERS_CORE;
	} else {
		core->version = 0;
		core->regs = &k7_regs;
	}
	core->counters = BIT_ULL(nr) - 1;
}

/**
 * amd_core_detect() - see whether this AMD or Hygon CPU has a PMU that we know
 *
 * Return: 0 or -ENODEV.
 */
int __init amd_core_detect(void)
{
	const struct amd_events *events;
	struct x86_hw_identity id;

	x86_hw_identity(&id);
	if (id.family < 6)
		return -ENODEV;

	describe_counters(&amd_core);
	events = amd_events_of(&id);
	amd_core.codes = events->codes;
	amd_core.common_codes = amd_common_codes;
	if (id.family < 0x15) {
		amd_core.rules = shared_northbridge_rules;
	} else if (id.family == 0x15) {
		amd_core.rules = fam15h_rules;
	} else if (id.family >= 0x17) {
		amd_core.rules = fam17h_rules;
		amd_core.large = large_events;
	}
	return x86_core_add(&amd_core);
}
