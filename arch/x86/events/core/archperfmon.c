// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural performance monitoring: describes a struct x86_core_pmu from CPUID leaf
 * 0xa, and from leaf 0x23 where it exists.
 *
 * Version 1 has general purpose counters. Version 2 adds fixed counters and global
 * control. Version 3 adds AnyThread, which counts both threads of a core. Version 4
 * renames the register that acknowledges overflows, and adds freezing, which is not used
 * because the handler disables the PMU itself. Version 5 has a mask of the fixed
 * counters, and removes AnyThread. Version 6 gives the counters new addresses.
 *
 * Leaf 0x23 does not depend on the version. It describes the CPU on which it is read. Leaf
 * 0xa describes what all CPUs of a machine have in common.
 *
 * Context: any.
 *
 * Source of all layouts and numbers: Intel SDM volume 3, chapter "Performance
 * Monitoring".
 */
#include "../counters/arch_events.h"
#include "archperfmon.h"

/* Alias of the counters that can be written in full width. */
#define MSR_FULL_WIDTH_PMC0	0x4c1

/* Leaf 0x23: its subleaves, and bits of the event select. */
#define CPUID23_0_EBX_UMASK2	BIT(0)
#define CPUID23_0_EBX_EQ	BIT(1)
#define CPUID23_1		BIT(1)

#define ARCHPERFMON_REGS(_count, _global_ctrl, _global_status, _global_clear)	\
{										\
	.select		= MSR_ARCH_PERFMON_EVENTSEL0,				\
	.count		= (_count),						\
	.stride		= 1,							\
	.fixed_ctrl	= MSR_ARCH_PERFMON_FIXED_CTR_CTRL,			\
	.fixed_count	= MSR_ARCH_PERFMON_FIXED_CTR0,				\
	.fixed_stride	= 1,							\
	.global_ctrl	= (_global_ctrl),					\
	.global_status	= (_global_status),					\
	.global_clear	= (_global_clear),					\
}

/* [global control] [full width] */
static const struct x86_counter_regs archperfmon_regs[2][2] = {
	{
		ARCHPERFMON_REGS(MSR_ARCH_PERFMON_PERFCTR0, 0, 0, 0),
		ARCHPERFMON_REGS(MSR_FULL_WIDTH_PMC0, 0, 0, 0),
	}, {
		ARCHPERFMON_REGS(MSR_ARCH_PERFMON_PERFCTR0, MSR_CORE_PERF_GLOBAL_CTRL,
				 MSR_CORE_PERF_GLOBAL_STATUS,
				 MSR_CORE_PERF_GLOBAL_OVF_CTRL),
		ARCHPERFMON_REGS(MSR_FULL_WIDTH_PMC0, MSR_CORE_PERF_GLOBAL_CTRL,
				 MSR_CORE_PERF_GLOBAL_STATUS,
				 MSR_CORE_PERF_GLOBAL_OVF_CTRL),
	},
};

/* Version 6: the registers of a counter are adjacent, and as wide as the counter. */
static const struct x86_counter_regs archperfmon_v6_regs = {
	.select		= MSR_IA32_PMC_V6_GP0_CFG_A,
	.count		= MSR_IA32_PMC_V6_GP0_CTR,
	.stride		= MSR_IA32_PMC_V6_STEP,
	.fixed_ctrl	= MSR_ARCH_PERFMON_FIXED_CTR_CTRL,
	.fixed_count	= MSR_IA32_PMC_V6_FX0_CTR,
	.fixed_stride	= MSR_IA32_PMC_V6_STEP,
	.global_ctrl	= MSR_CORE_PERF_GLOBAL_CTRL,
	.global_status	= MSR_CORE_PERF_GLOBAL_STATUS,
	.global_clear	= MSR_CORE_PERF_GLOBAL_OVF_CTRL,
};

/* Each fixed counter counts one event only. */
#define FIXED_RULE(_code, _n)	\
	EVENT_CONSTRAINT(_code, X86_PMC_FIXED_BIT(_n), X86_SELECT_WHAT)
#define FIXED_OR_ANY_RULE(_code, _n) \
	EVENT_CONSTRAINT(_code, X86_PMC_FIXED_BIT(_n) | X86_PMC_GENERIC_MASK, X86_SELECT_WHAT)

#define METRIC_RULE(_code, _n)	\
	EVENT_CONSTRAINT(_code, BIT_ULL(X86_PMC_IDX_METRICS + (_n)), X86_SELECT_WHAT)

/* Rules of all models. */
const struct event_constraint archperfmon_rules[] = {
	FIXED_OR_ANY_RULE(ARCH_INSTRUCTIONS, 0),
	FIXED_OR_ANY_RULE(ARCH_CYCLES, 1),
	FIXED_RULE(FIXED_INSTRUCTIONS, 0),
	FIXED_RULE(FIXED_CYCLES, 1),
	FIXED_RULE(FIXED_REF_CYCLES, 2),
	FIXED_RULE(FIXED_SLOTS, 3),
	METRIC_RULE(TOPDOWN_METRICS + 0x000, 0), METRIC_RULE(TOPDOWN_METRICS + 0x100, 1),
	METRIC_RULE(TOPDOWN_METRICS + 0x200, 2), METRIC_RULE(TOPDOWN_METRICS + 0x300, 3),
	METRIC_RULE(TOPDOWN_METRICS + 0x400, 4), METRIC_RULE(TOPDOWN_METRICS + 0x500, 5),
	METRIC_RULE(TOPDOWN_METRICS + 0x600, 6), METRIC_RULE(TOPDOWN_METRICS + 0x700, 7),
	{ }
};

/* By bit of CPUID 0xa EBX. A bit that is set says that the event is missing. */
static const struct x86_event_code architectural_events[] = {
	{ X86_HW(CPU_CYCLES),		ARCH_CYCLES },
	{ X86_HW(INSTRUCTIONS),		ARCH_INSTRUCTIONS },
	{ X86_HW(BUS_CYCLES),		ARCH_REF_CYCLES },
	{ X86_HW(CACHE_REFERENCES),	ARCH_LLC_REFERENCES },
	{ X86_HW(CACHE_MISSES),		ARCH_LLC_MISSES },
	{ X86_HW(BRANCH_INSTRUCTIONS),	ARCH_BRANCHES },
	{ X86_HW(BRANCH_MISSES),	ARCH_BRANCH_MISSES },
};

static_assert(ARRAY_SIZE(architectural_events) + 2 == X86_LISTED_CODES);

static void archperfmon_describe_events(struct x86_core_pmu *core)
{
	struct x86_event_code *code = core->listed_codes;
	unsigned int bit;

	for (bit = 0; bit < ARRAY_SIZE(architectural_events); bit++) {
		if (bit < core->missing_events_len && !(core->missing_events & BIT(bit)))
			*code++ = architectural_events[bit];
	}
	/* Only a fixed counter counts this event. */
	if (core->counters & X86_PMC_FIXED_BIT(2))
		*code++ = (struct x86_event_code) { X86_HW(REF_CPU_CYCLES), FIXED_REF_CYCLES };
	code->what = X86_CODES_END_MARK;
	core->common_codes = core->listed_codes;
}

/* Leaf 0xa: counters that all CPUs of the machine have. */
static u64 archperfmon_common_counters(const struct x86_hw_cpuid *leaf)
{
	union cpuid10_eax eax = { .full = leaf->reg[CPUID_EAX] };
	union cpuid10_edx edx = { .full = leaf->reg[CPUID_EDX] };
	u64 generic, fixed = 0;

	generic = BIT_ULL(min_t(u32, eax.split.num_counters, INTEL_PMC_MAX_GENERIC)) - 1;
	if (eax.split.version_id >= 2)
		fixed = BIT_ULL(edx.split.num_counters_fixed) - 1;
	if (eax.split.version_id >= 5)
		fixed |= leaf->reg[CPUID_ECX];
	fixed &= BIT_ULL(INTEL_PMC_MAX_FIXED) - 1;
	return generic | fixed << INTEL_PMC_IDX_FIXED;
}

static bool archperfmon_has_leaf_23(const struct x86_detect_cpu *cpu)
{
	return cpu->extended_1.reg[CPUID_EAX] & CPUID7_1_EAX_PERFMON_EXT;
}

static u64 archperfmon_counters_of(const struct x86_detect_cpu *cpu)
{
	const struct x86_hw_cpuid *leaf = &cpu->perfmon_counters;
	u64 fixed = leaf->reg[CPUID_EBX] & (BIT(INTEL_PMC_MAX_FIXED) - 1);

	if (!archperfmon_has_leaf_23(cpu) || !(cpu->perfmon_ext.reg[CPUID_EAX] & CPUID23_1))
		return archperfmon_common_counters(&cpu->perfmon);
	return (leaf->reg[CPUID_EAX] & X86_PMC_GENERIC_MASK) | fixed << INTEL_PMC_IDX_FIXED;
}

static u64 archperfmon_raw_mask_of(const struct x86_detect_cpu *cpu, int version)
{
	union cpuid10_edx edx = { .full = cpu->perfmon.reg[CPUID_EDX] };
	u32 fields = archperfmon_has_leaf_23(cpu) ? cpu->perfmon_ext.reg[CPUID_EBX] : 0;
	u64 mask = X86_RAW_EVENT_MASK;

	if (version >= 3 && !edx.split.anythread_deprecated)
		mask |= ARCH_PERFMON_EVENTSEL_ANY;
	if (fields & CPUID23_0_EBX_UMASK2)
		mask |= ARCH_PERFMON_EVENTSEL_UMASK2;
	if (fields & CPUID23_0_EBX_EQ)
		mask |= ARCH_PERFMON_EVENTSEL_EQ;
	return mask;
}

static void archperfmon_describe_registers(struct x86_core_pmu *core, u64 capabilities)
{
	bool full_width = core->version >= 6 || capabilities & PERF_CAP_FULL_WIDTH;

	core->regs = core->version >= 6 ? &archperfmon_v6_regs :
		     &archperfmon_regs[core->version >= 2][full_width];
	/* Without full width, bit 31 of a written value is copied to all bits above. */
	core->period_max = BIT_ULL(full_width ? core->width - 1 : 31) - 1;
	core->freezes_on_smi = capabilities & PERF_CAP_FREEZE_SMM;
}

/**
 * archperfmon_describe() - describe the PMU of a CPU
 * @core: output, without the members that depend on the model
 * @cpu: the CPU
 * @known: mask of counters that this kind of core has, whether CPUID lists them or not
 *
 * Return: 0, -ENODEV without architectural performance monitoring.
 */
int archperfmon_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu, u64 known)
{
	union cpuid10_eax eax = { .full = cpu->perfmon.reg[CPUID_EAX] };
	union cpuid10_edx edx = { .full = cpu->perfmon.reg[CPUID_EDX] };
	u64 listed = archperfmon_counters_of(cpu);

	if (!eax.split.version_id || !eax.split.num_counters || !eax.split.bit_width ||
	    eax.split.bit_width > X86_COUNT_BITS || edx.split.bit_width_fixed > X86_COUNT_BITS)
		return -ENODEV;

	core->version = eax.split.version_id;
	/* Version 1 has neither fixed counters nor a register that enables them. */
	if (core->version < 2)
		known &= X86_PMC_GENERIC_MASK;
	core->counters = (listed | known) & ~cpu->stuck;
	core->unlisted = core->counters & ~listed;
	core->width = eax.split.bit_width;
	core->fixed_width = edx.split.bit_width_fixed ?: core->width;
	core->missing_events = cpu->perfmon.reg[CPUID_EBX];
	core->missing_events_len = eax.split.mask_length;
	core->raw_mask = archperfmon_raw_mask_of(cpu, core->version);
	core->common_rules = archperfmon_rules;
	core->files.formats = archperfmon_groups;
	archperfmon_describe_registers(core, cpu->capabilities);
	archperfmon_describe_events(core);
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
PMU_FORMAT_ATTR(edge, "config:18");
PMU_FORMAT_ATTR(pc, "config:19");
PMU_FORMAT_ATTR(any, "config:21");
PMU_FORMAT_ATTR(inv, "config:23");
PMU_FORMAT_ATTR(cmask, "config:24-31");
PMU_FORMAT_ATTR(in_tx, "config:32");
PMU_FORMAT_ATTR(in_tx_cp, "config:33");
PMU_FORMAT_ATTR(eq, "config:36");
PMU_FORMAT_ATTR(offcore_rsp, "config1:0-63");
PMU_FORMAT_ATTR(ldlat, "config1:0-15");
PMU_FORMAT_ATTR(frontend, "config1:0-23");
PMU_FORMAT_ATTR(snoop_rsp, "config1:0-63");

/* Umask with its second byte. */
static ssize_t archperfmon_umask2_show(struct device *dev, struct device_attribute *attr,
				       char *page)
{
	return sysfs_emit(page, "config:8-15,40-47\n");
}

static struct device_attribute format_attr_umask2 = {
	.attr = { .name = "umask", .mode = 0444 },
	.show = archperfmon_umask2_show,
};

/* Fields of attr.config and attr.config1; archperfmon_format_exists() hides those the CPU lacks. */
static struct attribute *select_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_edge.attr,
	&format_attr_pc.attr,
	&format_attr_inv.attr,
	&format_attr_cmask.attr,
	&format_attr_any.attr,
	&format_attr_in_tx.attr,
	&format_attr_in_tx_cp.attr,
	&format_attr_eq.attr,
	&format_attr_umask.attr,
	&format_attr_umask2.attr,
	&format_attr_offcore_rsp.attr,
	&format_attr_ldlat.attr,
	&format_attr_frontend.attr,
	&format_attr_snoop_rsp.attr,
	NULL,
};

static const struct x86_core_pmu *archperfmon_core_of_kobj(struct kobject *kobj)
{
	return x86_core_of(dev_get_drvdata(kobj_to_dev(kobj)));
}

static bool archperfmon_has_extra_field(const struct x86_core_pmu *core, const char *field)
{
	const struct extra_reg *rule;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if (!strcmp(rule->field, field))
			return true;
	}
	return false;
}

static bool archperfmon_format_exists(const struct x86_core_pmu *core, struct attribute *attr)
{
	if (attr == &format_attr_any.attr)
		return core->raw_mask & ARCH_PERFMON_EVENTSEL_ANY;
	if (attr == &format_attr_in_tx.attr)
		return core->raw_mask & HSW_IN_TX;
	if (attr == &format_attr_in_tx_cp.attr)
		return core->raw_mask & HSW_IN_TX_CHECKPOINTED;
	if (attr == &format_attr_eq.attr)
		return core->raw_mask & ARCH_PERFMON_EVENTSEL_EQ;
	if (attr == &format_attr_umask2.attr)
		return core->raw_mask & ARCH_PERFMON_EVENTSEL_UMASK2;
	if (attr == &format_attr_umask.attr)
		return !(core->raw_mask & ARCH_PERFMON_EVENTSEL_UMASK2);
	if (attr == &format_attr_offcore_rsp.attr || attr == &format_attr_ldlat.attr ||
	    attr == &format_attr_frontend.attr || attr == &format_attr_snoop_rsp.attr)
		return archperfmon_has_extra_field(core, attr->name);
	return true;
}

static umode_t archperfmon_format_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return archperfmon_format_exists(archperfmon_core_of_kobj(kobj), attr) ? attr->mode : 0;
}

static const struct attribute_group format_group = {
	.name		= "format",
	.attrs		= select_format_attrs,
	.is_visible	= archperfmon_format_is_visible,
};

/* The vendor's sysfs groups. */
const struct attribute_group *archperfmon_groups[] = {
	&format_group,
	NULL,
};
