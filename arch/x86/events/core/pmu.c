// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMUs: a PMU for each kind of core, CPU hotplug, and queries of the rest of the
 * kernel.
 *
 * What CPUID says depends on the CPU that executes it. So the PMU of a kind is described
 * and probed on the first CPU of that kind, when it comes online, and is registered
 * afterwards. The boot CPU's PMU is the first one. Without it there is no hardware PMU,
 * and KVM offers none to guests.
 *
 * Writes the table of core PMUs and struct x86_pmu, see counters/core_pmu.c.
 *
 * Context: boot, CPU hotplug; task for queries.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/string.h>
#include "../branch/branch.h"
#include "../counters/counters.h"
#include "../counters/extra.h"
#include "../counters/offer.h"
#include "../counters/siblings.h"
#include "../counters/side.h"
#include "../features/smi.h"
#include "../features/tsx.h"
#include "../perf_event.h"
#include "counting.h"
#include "detect.h"
#include "event.h"
#include "nmi.h"
#include "pmu.h"
#include "probe.h"
#include "schedule.h"
#include "sysfs.h"

static struct x86_core_pmu x86_core_store[X86_CORE_PMUS_MAX];

static bool x86_core_name_is_taken(const char *name)
{
	unsigned int i;

	for (i = 0; i < x86_core_pmu_count; i++) {
		if (!strcmp(x86_core_pmus[i]->name, name))
			return true;
	}
	return false;
}

static int x86_core_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	memset(core, 0, sizeof(*core));
	return x86_detect_core(core, cpu);
}

/* Describe the PMU without the counters that do not count. Returns 0 if there are others. */
static int x86_core_leave_out(struct x86_core_pmu *core, struct x86_detect_cpu *cpu)
{
	int err;

	x86_tsx_probe(core);
	cpu->stuck = x86_counting_try(core);
	if (!cpu->stuck)
		return 0;
	err = x86_core_describe(core, cpu);
	x86_counting_note(core);
	return err ?: x86_core_probe(core);
}

/* Describe and probe the PMU of this CPU's kind. Interrupts are disabled, or one CPU runs. */
static struct x86_core_pmu *x86_core_meet(struct x86_detect_cpu *cpu)
{
	struct x86_core_pmu *core = &x86_core_store[x86_core_pmu_count];

	if (x86_core_pmu_count == X86_CORE_PMUS_MAX)
		return NULL;
	if (x86_core_describe(core, cpu))
		return NULL;
	if (x86_core_name_is_taken(core->name)) {
		pr_info_once("perf: no PMU for cores of kind %#x, another kind is %s\n",
			     core->kind, core->name);
		return NULL;
	}
	if (x86_core_probe(core)) {
		pr_info_once("perf: CPUID tells of a PMU that does not work\n");
		return NULL;
	}
	if (x86_core_leave_out(core, cpu))
		return NULL;
	x86_extra_probe(core);
	x86_branch_probe(core);
	x86_side_probe(core);
	x86_tsx_probe(core);
	x86_core_pmus[x86_core_pmu_count++] = core;
	return core;
}

/* Get the PMU of this CPU; the same context. */
static struct x86_core_pmu *x86_core_of_this_cpu(void)
{
	struct x86_detect_cpu cpu;
	unsigned int i;
	u32 kind;

	x86_detect_read(&cpu);
	kind = x86_detect_kind(&cpu);
	for (i = 0; i < x86_core_pmu_count; i++) {
		if (x86_core_pmus[i]->kind == kind)
			return x86_core_pmus[i];
	}
	return x86_core_meet(&cpu);
}

static int x86_core_cpu_starting(unsigned int nr)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	cpu->core = x86_core_of_this_cpu();
	if (!cpu->core)
		return 0;
	cpumask_set_cpu(nr, &cpu->core->cpus);
	x86_sched_starting(cpu);
	x86_extra_cpu_starting(nr);
	x86_cpu_quiet(cpu);
	x86_smi_apply(cpu);
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
	/* The event of a trace is removed later, its interrupts are not expected any more. */
	if (cpu->trace)
		cpu->trace->pause(cpu);
	cpu->core = NULL;
	return 0;
}

static int x86_core_register(struct x86_core_pmu *core)
{
	int err;

	core->pmu = x86_sched_pmu;
	core->pmu.capabilities |= core->capabilities;
	/* with nolapic, counters raise no interrupts */
	if (!boot_cpu_has(X86_FEATURE_APIC))
		core->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	x86_branch_core_init(core);
	x86_core_sysfs_init(core);
	if (core->by_kind)
		core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_HW_TYPE;
	core->registered = true;
	err = perf_pmu_register(&core->pmu, core->name, core->type);
	if (err) {
		/* perf_pmu_disable() then ignores the PMU, which has no state of the core. */
		core->pmu.pmu_enable = NULL;
		return err;
	}
	pr_info("perf: PMU %s: version %d, %u+%u counters of %u bits%s%s\n", core->name,
		core->version, hweight32(core->counters),
		hweight32(core->counters >> INTEL_PMC_IDX_FIXED), core->width,
		x86_hw_emulated() ? ", emulated" : "",
		core->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT ?
			", without a local APIC no interrupts" : "");
	x86_offer_report(core);
	return 0;
}

/*
 * Task context. Callbacks of one state never run at the same time. Without the PMU of the boot CPU
 * there is none, see x86_core_init(). Without the PMU of another kind the CPU comes online.
 */
static int x86_core_cpu_online(unsigned int nr)
{
	struct x86_core_pmu *core = per_cpu(x86_cpu_pmu, nr).core;
	int err;

	if (!core || core->registered)
		return 0;
	err = x86_core_register(core);
	if (!err || core == x86_core_pmus[0])
		return err;
	pr_err("perf: PMU %s could not be registered, error %d\n", core->name, err);
	return 0;
}

/**
 * x86_core_without_driver() - name the core PMUs that have no driver
 * @id: identity of a CPU that has no architectural performance monitoring
 *
 * Intel's cores before Core Duo, and Knights Corner, have registers and events of their own.
 *
 * Return: the name of the CPU's generation, NULL if it is another one.
 */
const char *x86_core_without_driver(const struct x86_hw_identity *id)
{
	if (id->vendor != X86_VENDOR_INTEL)
		return NULL;
	switch (id->family) {
	case 6:
		return id->model < 14 ? "P6 (Pentium Pro to Pentium M)" : NULL;
	case 11:
		return "Knights Corner";
	case 15:
		return "Pentium 4";
	}
	return NULL;
}

static void __init x86_core_report_none(void)
{
	struct x86_hw_identity id;
	const char *name;

	x86_hw_identity(&id);
	name = x86_core_without_driver(&id);
	if (name)
		pr_info("perf: no driver for the core PMU of %s, which is not architectural\n",
			name);
	else
		pr_info("perf: no core PMU that is known here\n");
	pr_info("perf: hardware events are refused, software events work\n");
}

/* A state of CPU hotplug. */
struct hotplug_state {
	enum cpuhp_state	state;
	const char		*name;
	const char		*what;	/* for the log */
	int			(*startup)(unsigned int nr);
	int			(*teardown)(unsigned int nr);
};

/* In the order in which a CPU comes online. */
static const struct hotplug_state states[] __initconst = {
	{ CPUHP_PERF_X86_PREPARE, "perf/x86:prepare", "memory of a CPU",
	  x86_side_cpu_prepare, x86_side_cpu_dead },
	{ CPUHP_AP_PERF_X86_STARTING, "perf/x86:starting", "start of a CPU",
	  x86_core_cpu_starting, x86_core_cpu_dying },
	{ CPUHP_AP_PERF_X86_ONLINE, "perf/x86:online", "registration",
	  x86_core_cpu_online, NULL },
};

/* Add all states or, after an error, none. A state that fails has undone itself. */
static int __init x86_core_add_states(const char **what)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		err = cpuhp_setup_state(states[i].state, states[i].name,
					states[i].startup, states[i].teardown);
		if (err)
			break;
	}
	if (i == ARRAY_SIZE(states))
		return 0;
	*what = states[i].what;
	while (i--)
		cpuhp_remove_state(states[i].state);
	return err;
}

/* The rest of the kernel finds a CPU without a PMU that is known here. */
static void __init x86_core_forget_all(void)
{
	x86_pmu.name = NULL;
	x86_pmu.handle_irq = x86_pmu_no_irq;
	memset(x86_core_pmus, 0, sizeof(x86_core_pmus));
	x86_core_pmu_count = 0;
}

/* Before the other CPUs come online, and before the watchdog and KVM use the PMU. */
static int __init x86_core_init(void)
{
	const char *what = "NMI handler";
	int err;

	x86_hw_init();
	if (!x86_core_of_this_cpu()) {
		x86_core_report_none();
		return 0;
	}

	x86_pmu.name = x86_core_pmus[0]->name;
	x86_pmu.handle_irq = x86_nmi_handle;
	err = x86_nmi_init();
	if (err)
		goto no_pmu;
	x86_branch_init();
	err = x86_core_add_states(&what);
	if (!err)
		return 0;

	x86_branch_exit();
	x86_nmi_exit();
no_pmu:
	pr_err("perf: no PMU %s: %s failed, error %d; hardware events are refused\n",
	       x86_pmu.name, what, err);
	x86_core_forget_all();
	return err;
}
early_initcall(x86_core_init);

/**
 * perf_get_x86_pmu_capability() - describe the PMU that KVM can offer to guests
 * @cap: output; all zero if KVM must not offer a PMU
 *
 * There is none on machines with several kinds of cores, because a vCPU may run on any of
 * them. That is so too while CPUs of one kind only are online.
 *
 * Context: task.
 */
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	const struct x86_core_pmu *core = x86_core_pmus[0];

	memset(cap, 0, sizeof(*cap));
	if (!core || core->kind)
		return;
	/* An emulator of Intel's registers is not switched by VM entry and exit. */
	if (x86_hw_emulated() && !core->host_guest)
		return;

	cap->version = core->version;
	cap->num_counters_gp = hweight32(core->counters);
	/* A guest takes them to be the first ones. */
	cap->num_counters_fixed = __ffs64(~(core->counters >> INTEL_PMC_IDX_FIXED));
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
 * Context: any.
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
 * Does nothing: precise sampling is not offered on the models on which it needs microcode.
 *
 * Context: task, CPU hotplug locked.
 */
void perf_check_microcode(void)
{
}

/**
 * perf_event_print_debug() - print this CPU's counters to the console, for sysrq-p
 *
 * Context: any.
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
		for (todo = cpu->owned & cpu->core->counters; todo; todo &= todo - 1) {
			unsigned int idx = __ffs64(todo);

			pr_info("  counter %2u: event %#llx, value %#llx\n", idx,
				cpu->owner[idx]->hw.config,
				x86_hw_read(x86_counter_msr(cpu->core, idx)));
		}
	}
	local_irq_restore(flags);
}
