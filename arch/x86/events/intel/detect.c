// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's core PMUs: the description by CPUID, completed by the part and its model.
 *
 * In a CPU with several kinds of cores, leaf 0xa lists what all of them have, and
 * PERF_CAPABILITIES says that there are no topdown metrics even on cores that have them.
 * So there the part decides.
 *
 * Context: any.
 *
 * Source: Intel SDM volume 2, CPUID leaves 7 and 0x1a; volume 3, chapter "Performance
 * Monitoring".
 */
#include "../features/topdown.h"
#include "cores/model.h"
#include "detect.h"
#include "ds/bts.h"

/* Kinds of cores that have no row are called after their type. */
static const char *intel_name_of_kind(u32 kind)
{
	switch (INTEL_KIND_TYPE(kind)) {
	case INTEL_CORE:
		return "cpu_core";
	case INTEL_ATOM:
		return "cpu_atom";
	}
	return "cpu";
}

/* Events that do not name a PMU are for the performance cores. */
static void intel_name_core(struct x86_core_pmu *core, const struct intel_part *part)
{
	core->name = part ? part->pmu : intel_name_of_kind(core->kind);
	core->by_kind = strcmp(core->name, "cpu");
	core->type = core->by_kind && strcmp(core->name, "cpu_core") ? -1 : PERF_TYPE_RAW;
}

/* Files in events/ of CPUs with transactions. The names and values are perf's. */
static struct attribute *tsx_events[] = {
	X86_PMU_FILE("tx-start", 0, "event=0xc9,umask=0x1"),
	X86_PMU_FILE("tx-commit", 0, "event=0xc9,umask=0x2"),
	X86_PMU_FILE("tx-abort", 0, "event=0xc9,umask=0x4"),
	X86_PMU_FILE("tx-conflict", 0, "event=0x54,umask=0x1"),
	X86_PMU_FILE("tx-capacity", 0, "event=0x54,umask=0x2"),
	X86_PMU_FILE("cycles-t", 0, "event=0x3c,in_tx=1"),
	X86_PMU_FILE("cycles-ct", 0, "event=0x3c,in_tx=1,in_tx_cp=1"),
	NULL,
};

/* Ice Lake and later tell apart what was full. */
static struct attribute *tsx_capacity_events[] = {
	X86_PMU_FILE("tx-capacity-read", 0, "event=0x54,umask=0x80"),
	X86_PMU_FILE("tx-capacity-write", 0, "event=0x54,umask=0x2"),
	NULL,
};

/* Elision of locks. Conflicts and capacity are the same events as for other transactions. */
static struct attribute *hle_events[] = {
	X86_PMU_FILE("el-start", 0, "event=0xc8,umask=0x1"),
	X86_PMU_FILE("el-commit", 0, "event=0xc8,umask=0x2"),
	X86_PMU_FILE("el-abort", 0, "event=0xc8,umask=0x4"),
	X86_PMU_FILE("el-conflict", 0, "event=0x54,umask=0x1"),
	X86_PMU_FILE("el-capacity", 0, "event=0x54,umask=0x2"),
	NULL,
};

/* Events of transactions. Microcode may need counter 3 for transactions, see tsx.c. */
static void intel_apply_tsx(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu,
			    bool tells_reads)
{
	if (cpu->extended.reg[CPUID_EBX] & CPUID7_EBX_HLE)
		core->files.events[X86_EVENTS_OF_ELISION] = hle_events;
	if (!(cpu->extended.reg[CPUID_EBX] & CPUID7_EBX_RTM))
		return;
	core->raw_mask |= HSW_IN_TX | HSW_IN_TX_CHECKPOINTED;
	core->raw_checkpointed = HSW_IN_TX_CHECKPOINTED;
	/* SDM volume 3, "IA32_PERFEVTSEL2" */
	core->checkpointed_on = BIT_ULL(2);
	core->files.events[X86_EVENTS_OF_TRANSACTIONS] = tsx_events;
	if (tells_reads)
		core->files.events[X86_EVENTS_OF_TSX_READS] = tsx_capacity_events;
	if (cpu->extended.reg[CPUID_EDX] & CPUID7_EDX_TSX_FORCE_ABORT)
		core->force_abort = core->counters & BIT_ULL(3);
}

/*
 * Facts about a part are true of the machine, not of what a hypervisor offers of it. It has
 * to list what it offers.
 */
static bool intel_is_guest(const struct x86_detect_cpu *cpu)
{
	return cpu->features.reg[CPUID_ECX] & CPUID1_ECX_HYPERVISOR;
}

static bool intel_has_metrics(const struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	return cpu->capabilities & PERF_CAP_METRICS || (core->kind && !intel_is_guest(cpu));
}

/* Cores with architectural records have no others. */
static void intel_apply_lbr(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu,
			    const struct intel_part *part)
{
	if (cpu->extended.reg[CPUID_EDX] & CPUID7_EDX_ARCH_LBR)
		intel_arch_lbr_describe(core, cpu);
	else if (part && part->model->lbr)
		intel_lbr_describe(core, cpu, part->model->lbr);
}

static void intel_apply_part(struct x86_core_pmu *core, const struct intel_part *part,
			     const struct x86_detect_cpu *cpu)
{
	unsigned int flags = part->model->flags;

	intel_model_tables(core, part->model);
	if (part->name)
		core->files.cpu_name = part->name;
	if (flags & INTEL_TSX)
		intel_apply_tsx(core, cpu, flags & INTEL_TSX_READS);
	intel_pebs_describe(core, part->model->pebs, part->model->no_precise, cpu);
	if (flags & INTEL_METRICS && intel_has_metrics(core, cpu))
		x86_topdown_apply(core, flags & INTEL_METRICS_2 ? 2 : 1);
}

/**
 * intel_core_describe() - describe the core PMU of an Intel CPU
 * @core: output; zeroed by the caller, but for @core->kind
 * @cpu: the CPU
 *
 * Return: 0 or -ENODEV.
 */
int intel_core_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	const struct intel_part *part = intel_part_of(&cpu->id, cpu->native.reg[CPUID_EAX]);
	int err;

	intel_name_core(core, part);
	err = archperfmon_describe(core, cpu, part && !intel_is_guest(cpu) ? part->counters : 0);
	if (err)
		return err;
	if (part)
		intel_apply_part(core, part, cpu);
	intel_apply_lbr(core, cpu, part);
	intel_bts_describe(core, cpu);
	return 0;
}
