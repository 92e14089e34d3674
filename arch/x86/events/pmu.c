// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU: detection, CPU hotplug, and queries of the rest of the kernel.
 *
 * The vendors' directories describe the PMU as data. The first that knows the CPU
 * describes it. Without a description there is no hardware PMU, and KVM offers none to
 * guests.
 *
 * Owns the table of core PMUs and struct x86_pmu.
 *
 * Context: Boot, CPU hotplug; queries in task context.
 */
#include <linux/cache.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/string.h>
#include "core_pmu.h"
#include "nmi.h"
#include "perf_event.h"
#include "topdown.h"

static int x86_pmu_no_irq(struct pt_regs *regs)
{
	return 0;
}

struct x86_pmu x86_pmu __read_mostly = {
	.handle_irq	= x86_pmu_no_irq,
};

/* One PMU for each kind of core. */
#define X86_CORE_PMUS_MAX	4

struct x86_core_pmu *x86_core_pmus[X86_CORE_PMUS_MAX];
unsigned int x86_core_pmu_count;

/**
 * x86_core_add() - add the PMU of a kind of core
 * @core: the PMU; kept by reference
 *
 * Context: Boot.
 * Return: 0, -ENODEV if the registers do not exist.
 */
int __init x86_core_add(struct x86_core_pmu *core)
{
	if (WARN_ON_ONCE(x86_core_pmu_count == X86_CORE_PMUS_MAX))
		return -ENODEV;
	if (!core->counters || x86_core_probe(core)) {
		pr_info("perf: CPUID tells of a PMU that does not work\n");
		return -ENODEV;
	}
	core->period_min = core->period_min ?: 1;
	x86_core_pmus[x86_core_pmu_count++] = core;
	return 0;
}

/* Get the kind of core of this CPU. Interrupts are disabled. */
static struct x86_core_pmu *this_core(void)
{
	struct x86_hw_cpuid native;
	unsigned int i;

	if (x86_core_pmu_count == 1 && !x86_core_pmus[0]->core_type)
		return x86_core_pmus[0];

	x86_hw_cpuid(0x1a, 0, &native);
	for (i = 0; i < x86_core_pmu_count; i++) {
		if (x86_core_pmus[i]->core_type == native.reg[CPUID_EAX] >> 24)
			return x86_core_pmus[i];
	}
	return NULL;
}

static int x86_core_cpu_starting(unsigned int nr)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	cpu->core = this_core();
	if (!cpu->core)
		return 0;
	if (cpu->core->meet && cpumask_empty(&cpu->core->cpus))
		cpu->core->meet(cpu->core);
	cpumask_set_cpu(nr, &cpu->core->cpus);
	cpu->on = false;
	cpu->moved = false;
	x86_extra_cpu_starting(nr);
	x86_cpu_quiet(cpu);
	x86_smi_apply(cpu->core);
	return 0;
}

/*
 * The CPU's own events were scheduled out before. Events of the task that runs this may
 * still be scheduled in. They are scheduled out when the task leaves the CPU.
 */
static int x86_core_cpu_dying(unsigned int nr)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (!cpu->core)
		return 0;
	x86_cpu_off(cpu);
	x86_sched_unprogram_all(cpu);
	x86_cpu_quiet(cpu);
	x86_sibling_gone(cpu);
	cpu->core = NULL;
	return 0;
}

static int __init detect(void)
{
	struct x86_hw_identity id;

	x86_hw_init();
	x86_hw_identity(&id);
	switch (id.vendor) {
	case X86_VENDOR_INTEL:
		return intel_core_detect();
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return amd_core_detect();
	case X86_VENDOR_CENTAUR:
	case X86_VENDOR_ZHAOXIN:
		return zhaoxin_core_detect();
	}
	return -ENODEV;
}

static void __init register_core(struct x86_core_pmu *core)
{
	core->pmu = x86_sched_pmu;
	x86_core_sysfs_init(core);
	if (core->core_type)
		core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_HW_TYPE;
	if (perf_pmu_register(&core->pmu, core->name, core->type))
		pr_err("perf: PMU %s could not be registered\n", core->name);
	else
		pr_info("perf: PMU %s: version %d, %u+%u counters of %u bits%s\n",
			core->name, core->version,
			hweight32(core->counters),
			hweight32(core->counters >> INTEL_PMC_IDX_FIXED), core->width,
			x86_hw_modelled() ? ", a model" : "");
}

/*
 * Log that there is no core PMU. The PMUs of P4, P6 and KNC have registers of their own, for
 * which there is no driver.
 */
static void __init report_no_core(void)
{
	struct x86_hw_identity id;
	const char *name = NULL;

	x86_hw_identity(&id);
	if (id.vendor == X86_VENDOR_INTEL && id.family == 15)
		name = "P4";
	else if (id.vendor == X86_VENDOR_INTEL && id.family == 11)
		name = "KNC";
	else if (id.vendor == X86_VENDOR_INTEL && id.family == 6 && id.model < 14)
		name = "P6";

	if (name)
		pr_info("perf: the core PMU of %s has no driver\n", name);
	else
		pr_info("perf: no core PMU that is known here\n");
}

/* Before the other CPUs come online, and before the watchdog and KVM use the PMU. */
static int __init x86_core_init(void)
{
	unsigned int i;

	if (detect()) {
		report_no_core();
		return 0;
	}

	x86_pmu.name = x86_core_pmus[0]->name;
	x86_pmu.handle_irq = x86_nmi_handle;
	x86_nmi_init();
	cpuhp_setup_state(CPUHP_AP_PERF_X86_STARTING, "perf/x86:starting",
			  x86_core_cpu_starting, x86_core_cpu_dying);
	for (i = 0; i < x86_core_pmu_count; i++)
		register_core(x86_core_pmus[i]);
	return 0;
}
early_initcall(x86_core_init);

/**
 * perf_get_x86_pmu_capability() - describe the PMU that KVM can offer to guests
 * @cap: output; all zero if KVM must not offer a PMU
 *
 * There is none on machines with several kinds of cores, because a vCPU may run on any of
 * them.
 *
 * Context: Task.
 */
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	const struct x86_core_pmu *core = x86_core_pmus[0];

	memset(cap, 0, sizeof(*cap));
	if (x86_core_pmu_count != 1 || x86_hw_modelled())
		return;

	cap->version = core->version;
	cap->num_counters_gp = hweight32(core->counters);
	cap->num_counters_fixed = hweight32(core->counters >> INTEL_PMC_IDX_FIXED);
	cap->bit_width_gp = core->width;
	cap->bit_width_fixed = core->fixed_width;
	cap->events_mask = core->missing_events;
	cap->events_mask_len = core->missing_events_len;
}
EXPORT_SYMBOL_GPL(perf_get_x86_pmu_capability);

/**
 * perf_get_hw_event_config() - get the encoding of a generic hardware event
 * @hw_event: one of enum perf_hw_id
 *
 * Context: Any context.
 * Return: event select bits without privilege and enable bits, 0 if the CPU does not
 * have the event.
 */
u64 perf_get_hw_event_config(int hw_event)
{
	const struct x86_event_code *code;

	if (!x86_core_pmu_count || hw_event < 0 || hw_event >= PERF_COUNT_HW_MAX)
		return 0;
	code = x86_core_code_of(x86_core_pmus[0], hw_event);
	return code ? code->config : 0;
}
EXPORT_SYMBOL_GPL(perf_get_hw_event_config);

/**
 * perf_check_microcode() - check errata again after a late microcode load
 *
 * Does nothing: microcode fixes errata of PEBS, which is not used.
 *
 * Context: Task, CPU hotplug locked.
 */
void perf_check_microcode(void)
{
}

/**
 * perf_event_print_debug() - print this CPU's counters to the console, for sysrq-p
 *
 * Context: Any.
 */
void perf_event_print_debug(void)
{
	struct x86_cpu_pmu *cpu;
	unsigned long flags;
	u64 todo;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_cpu_pmu);
	if (cpu->core) {
		pr_info("PMU %s: %s, programmed %#llx, counting %#llx, enabled %#llx\n",
			cpu->core->name, cpu->on ? "on" : "off", cpu->owned,
			cpu->active, cpu->enabled);
		for (todo = cpu->owned; todo; todo &= todo - 1) {
			unsigned int idx = __ffs64(todo);

			pr_info("  counter %2u: event %#llx, value %#llx\n", idx,
				cpu->owner[idx]->hw.config,
				x86_hw_read(x86_counter_msr(cpu->core, idx)));
		}
	}
	local_irq_restore(flags);
}
