// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of AMD and Hygon: families 6 (K7) and later.
 *
 * CPUID distinguishes three generations of registers: four counters, six counters at other
 * addresses (PERFCTR_CORE), and any number of counters with global control and status
 * (PerfMonV2). events.c has the generic events, rules.c the counter constraints.
 *
 * Context: any.
 *
 * Sources: AMD64 Architecture Programmer's Manual volume 2, section
 * "Performance Monitoring Counters", and volume 3, appendix E (CPUID).
 */
#include <linux/perf_refusal.h>
#include "brs.h"
#include "detect.h"
#include "events.h"
#include "lbr.h"
#include "rules.h"

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

/*
 * The core PMU's interrupts are imprecise. Instruction based sampling (ibs.c) samples the
 * events that it can count: -ENOENT, with the type of its PMU in attr.type.
 */
static int amd_precise(struct perf_event *event)
{
	u32 type = event->attr.type;
	int err;

	if (!get_ibs_caps())
		return perf_refuse(-EOPNOTSUPP, "precise_ip",
				   "%u asked, there is no precise sampling",
				   event->attr.precise_ip);
	err = forward_event_to_ibs(event);
	if (err == -ENOENT && event->attr.type != type)
		return err;
	return perf_refuse(err, "precise_ip",
			   "%u asked, there is 1 and 2 of cycles, r076 and r0C1",
			   event->attr.precise_ip);
}

static void amd_describe_counters(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	unsigned int nr = AMD64_NUM_COUNTERS;

	if (cpu->amd_perfmon.reg[CPUID_EAX] & CPUID_EXT22_EAX_PERFMON_V2) {
		union cpuid_0x80000022_ebx ebx = { .full = cpu->amd_perfmon.reg[CPUID_EBX] };

		core->version = 2;
		core->regs = &v2_regs;
		nr = ebx.split.num_core_pmc;
	} else if (cpu->amd_features.reg[CPUID_ECX] & CPUID_EXT1_ECX_PERFCTR_CORE) {
		core->version = 1;
		core->regs = &core_regs;
		nr = AMD64_NUM_COUNTERS_CORE;
	} else {
		core->version = 0;
		core->regs = &k7_regs;
	}
	core->counters = (BIT_ULL(nr) - 1) & ~cpu->stuck;
	core->width = 48;
	core->period_max = BIT_ULL(47) - 1;
}

/**
 * amd_core_describe() - describe the core PMU of an AMD or Hygon CPU
 * @core: output; zeroed by the caller
 * @cpu: the CPU
 *
 * Cores of Zen and of its dense variants have the same counters and events, and one PMU.
 *
 * Return: 0 or -ENODEV.
 */
int amd_core_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	if (cpu->id.family < 6)
		return -ENODEV;

	core->name = "cpu";
	core->type = PERF_TYPE_RAW;
	amd_describe_counters(core, cpu);
	core->raw_mask = AMD64_RAW_EVENT_MASK;
	core->precise.check = amd_precise;
	core->host_guest = true;
	core->late_nmi = true;
	core->files.formats = amd_groups;
	core->codes = amd_events_of(&cpu->id)->codes;
	core->common_codes = amd_common_codes;
	amd_rules_apply(core, cpu->id.family);
	amd_lbr_describe(core, cpu);
	amd_brs_describe(core, cpu);
	return 0;
}
