// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU "power": energy that a package consumes, as its RAPL registers (running
 * average power limit) count it.
 *
 * A register has 32 bits, counts units of 15 to 61 microjoules, and wraps around every
 * few minutes under load. A timer updates the events of a CPU often enough. Counts are
 * in 2^-32 joules, independent of the hardware's unit.
 *
 * One CPU of each package, or die, reads the registers. The perf core chooses the CPU
 * (pmu::scope) and moves events when it goes offline.
 *
 * Context: irqs off, on the CPU concerned, for operations.
 *
 * Sources: Intel SDM volume 3, "Platform Specific Power Management Support", and
 * AMD's PPRs. drivers/powercap/intel_rapl_common.c names the servers with units of their
 * own for DRAM and the platform.
 */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/spinlock.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "../counters/event_attr.h"
#include "../counters/hw.h"
#include "rapl.h"

/* The energy unit is 2^-n joules, with n in these bits of the unit register. */
#define RAPL_UNIT_ENERGY	GENMASK_ULL(12, 8)

/* Counts are kept in 2^-32 joules. */
#define RAPL_SCALE_BITS		32

/* Period of the timer. At 1 kW and the finest unit a register wraps after 65 seconds. */
#define RAPL_TIMER_NS		(20LL * NSEC_PER_SEC)

/**
 * struct rapl_domain - a part of the package
 * @intel_msr: energy register on Intel, 0: none
 * @amd_msr: energy register on AMD, 0: none
 * @msr: energy register on this machine, 0: none
 * @unit: n of the unit of 2^-n joules
 */
struct rapl_domain {
	u32	intel_msr;
	u32	amd_msr;
	u32	msr;
	u8	unit;
};

static struct rapl_domain rapl_domains[RAPL_DOMAINS] __ro_after_init = {
	[RAPL_CORES]	= { MSR_PP0_ENERGY_STATUS },
	[RAPL_PACKAGE]	= { MSR_PKG_ENERGY_STATUS, MSR_AMD_PKG_ENERGY_STATUS },
	[RAPL_DRAM]	= { MSR_DRAM_ENERGY_STATUS },
	[RAPL_GPU]	= { MSR_PP1_ENERGY_STATUS },
	[RAPL_PLATFORM]	= { MSR_PLATFORM_ENERGY_STATUS },
};

/**
 * struct rapl_cpu - events that are scheduled in on a CPU
 * @events: list of perf_event::active_entry
 * @timer: updates @events; stops after the list is empty
 */
struct rapl_cpu {
	struct list_head	events;
	struct hrtimer		timer;
};

static DEFINE_PER_CPU(struct rapl_cpu, rapl_cpu);

static u32 rapl_now(const struct rapl_domain *domain)
{
	return x86_hw_read(domain->msr);
}

static void rapl_update(struct perf_event *event)
{
	const struct rapl_domain *domain = &rapl_domains[event->hw.idx];
	u32 now = rapl_now(domain);
	u32 before = local64_xchg(&event->hw.prev_count, now);

	local64_add((u64)(u32)(now - before) << (RAPL_SCALE_BITS - domain->unit),
		    &event->count);
}

static enum hrtimer_restart rapl_timer_fn(struct hrtimer *timer)
{
	struct rapl_cpu *cpu = container_of(timer, struct rapl_cpu, timer);
	struct perf_event *event;

	if (list_empty(&cpu->events))
		return HRTIMER_NORESTART;
	list_for_each_entry(event, &cpu->events, active_entry)
		rapl_update(event);
	hrtimer_forward_now(timer, ns_to_ktime(RAPL_TIMER_NS));
	return HRTIMER_RESTART;
}

static void rapl_start(struct perf_event *event, int flags)
{
	struct rapl_cpu *cpu = this_cpu_ptr(&rapl_cpu);

	if (!(event->hw.state & PERF_HES_STOPPED))
		return;
	local64_set(&event->hw.prev_count, rapl_now(&rapl_domains[event->hw.idx]));
	event->hw.state = 0;
	if (list_empty(&cpu->events))
		hrtimer_start(&cpu->timer, ns_to_ktime(RAPL_TIMER_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	list_add_tail(&event->active_entry, &cpu->events);
}

/* The timer stops itself when it finds no events. */
static void rapl_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	list_del_init(&event->active_entry);
	rapl_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int rapl_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		rapl_start(event, flags);
	return 0;
}

static void rapl_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		rapl_update(event);
}

static int rapl_event_init(struct perf_event *event)
{
	u64 config = event->attr.config;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->cpu < 0)
		return perf_refuse(-EINVAL, "pid", "energy is a package's, not a task's");
	if (!config || config > RAPL_DOMAINS || !rapl_domains[config - 1].msr)
		return perf_refuse(-EINVAL, "config",
				   "%#llx is no energy counter of this machine", config);
	event->hw.idx = config - 1;
	return 0;
}

PMU_FORMAT_ATTR(event, "config:0-7");

static struct attribute *rapl_format_attrs[] = {
	&format_attr_event.attr,
	NULL,
};

static const struct attribute_group rapl_format_group = {
	.name	= "format",
	.attrs	= rapl_format_attrs,
};

/* 2^-32 with all digits, because tools multiply with it. */
#define RAPL_SCALE_TEXT		"2.3283064365386962890625e-10"

static struct attribute *rapl_event_attrs[] = {
	X86_PMU_FILE("energy-cores", RAPL_CORES, "event=0x01"),
	X86_PMU_FILE("energy-cores.unit", RAPL_CORES, "Joules"),
	X86_PMU_FILE("energy-cores.scale", RAPL_CORES, RAPL_SCALE_TEXT),
	X86_PMU_FILE("energy-pkg", RAPL_PACKAGE, "event=0x02"),
	X86_PMU_FILE("energy-pkg.unit", RAPL_PACKAGE, "Joules"),
	X86_PMU_FILE("energy-pkg.scale", RAPL_PACKAGE, RAPL_SCALE_TEXT),
	X86_PMU_FILE("energy-ram", RAPL_DRAM, "event=0x03"),
	X86_PMU_FILE("energy-ram.unit", RAPL_DRAM, "Joules"),
	X86_PMU_FILE("energy-ram.scale", RAPL_DRAM, RAPL_SCALE_TEXT),
	X86_PMU_FILE("energy-gpu", RAPL_GPU, "event=0x04"),
	X86_PMU_FILE("energy-gpu.unit", RAPL_GPU, "Joules"),
	X86_PMU_FILE("energy-gpu.scale", RAPL_GPU, RAPL_SCALE_TEXT),
	X86_PMU_FILE("energy-psys", RAPL_PLATFORM, "event=0x05"),
	X86_PMU_FILE("energy-psys.unit", RAPL_PLATFORM, "Joules"),
	X86_PMU_FILE("energy-psys.scale", RAPL_PLATFORM, RAPL_SCALE_TEXT),
	NULL,
};

static umode_t rapl_event_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	struct perf_pmu_events_attr *file;

	file = container_of(attr, struct perf_pmu_events_attr, attr.attr);
	return rapl_domains[file->id].msr ? attr->mode : 0;
}

static const struct attribute_group rapl_events_group = {
	.name		= "events",
	.attrs		= rapl_event_attrs,
	.is_visible	= rapl_event_is_visible,
};

static const struct attribute_group *rapl_groups[] = {
	&rapl_events_group,
	&rapl_format_group,
	NULL,
};

static struct pmu rapl_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_invalid_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
	.attr_groups	= rapl_groups,
	.event_init	= rapl_event_init,
	.add		= rapl_add,
	.del		= rapl_stop,
	.start		= rapl_start,
	.stop		= rapl_stop,
	.read		= rapl_read,
};

/* Units that differ from those in the unit register. */
struct rapl_quirk {
	u8	model;			/* of family 6 */
	u8	dram_unit;		/* 0: as in the register */
	bool	platform_in_joules;
};

#define RAPL_QUIRK(_vfm, _dram, _platform)	\
	{ VFM_MODEL(_vfm), (_dram), (_platform) }

static const struct rapl_quirk rapl_quirks[] = {
	RAPL_QUIRK(INTEL_HASWELL_X, 16, false),
	RAPL_QUIRK(INTEL_BROADWELL_X, 16, false),
	RAPL_QUIRK(INTEL_SKYLAKE_X, 16, false),
	RAPL_QUIRK(INTEL_ICELAKE_X, 16, false),
	RAPL_QUIRK(INTEL_ICELAKE_D, 16, false),
	RAPL_QUIRK(INTEL_XEON_PHI_KNL, 16, false),
	RAPL_QUIRK(INTEL_XEON_PHI_KNM, 16, false),
	RAPL_QUIRK(INTEL_SAPPHIRERAPIDS_X, 0, true),
	RAPL_QUIRK(INTEL_EMERALDRAPIDS_X, 0, true),
};

/**
 * rapl_unit_of() - get the energy unit of a domain
 * @id: identity of the CPU
 * @domain: the domain
 * @units: value of the unit register
 *
 * Return: n of the unit of 2^-n joules.
 */
VISIBLE_IF_KUNIT u8 rapl_unit_of(const struct x86_hw_identity *id, enum rapl_domain_id domain,
				 u64 units)
{
	const struct rapl_quirk *quirk;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rapl_quirks); i++) {
		quirk = &rapl_quirks[i];
		if (id->vendor != X86_VENDOR_INTEL || id->family != 6 ||
		    id->model != quirk->model)
			continue;
		if (domain == RAPL_DRAM && quirk->dram_unit)
			return quirk->dram_unit;
		if (domain == RAPL_PLATFORM && quirk->platform_in_joules)
			return 0;
	}
	return FIELD_GET(RAPL_UNIT_ENERGY, units);
}

/* CPUs with a unit of 2^n microjoules, which 2^-32 joules cannot represent. */
static const struct x86_cpu_id rapl_in_microjoules[] __initconst = {
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT, NULL),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT_MID, NULL),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT, NULL),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT_MID, NULL),
	{ }
};

/*
 * Find out which registers count. Returns their number. A register that reads as 0 so long
 * after the reset does not count.
 */
static int __init rapl_detect(const struct x86_hw_identity *id)
{
	bool intel = id->vendor == X86_VENDOR_INTEL;
	u64 units, value;
	int i, nr = 0;

	if (x86_hw_read_safe(intel ? MSR_RAPL_POWER_UNIT : MSR_AMD_RAPL_POWER_UNIT, &units))
		return 0;
	/* Some hypervisors let the registers be read as 0. */
	if (!units)
		return 0;
	for (i = 0; i < RAPL_DOMAINS; i++) {
		struct rapl_domain *domain = &rapl_domains[i];
		u32 msr = intel ? domain->intel_msr : domain->amd_msr;

		if (!msr || x86_hw_read_safe(msr, &value) || !(u32)value)
			continue;
		domain->msr = msr;
		domain->unit = rapl_unit_of(id, i, units);
		nr++;
	}
	return nr;
}

static const struct x86_cpu_id rapl_cpus[] = {
	X86_MATCH_VENDOR_FEATURE(INTEL, X86_FEATURE_ANY, NULL),
	X86_MATCH_VENDOR_FEATURE(AMD, X86_FEATURE_RAPL, NULL),
	X86_MATCH_VENDOR_FEATURE(HYGON, X86_FEATURE_RAPL, NULL),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, rapl_cpus);

static int __init rapl_init(void)
{
	struct x86_hw_identity id;
	int cpu;

	if (!x86_hw_emulated() &&
	    (!x86_match_cpu(rapl_cpus) || x86_match_cpu(rapl_in_microjoules)))
		return -ENODEV;
	x86_hw_identity(&id);
	if (!rapl_detect(&id))
		return -ENODEV;

	for_each_possible_cpu(cpu) {
		struct rapl_cpu *rapl = per_cpu_ptr(&rapl_cpu, cpu);

		INIT_LIST_HEAD(&rapl->events);
		hrtimer_init(&rapl->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		rapl->timer.function = rapl_timer_fn;
	}
	/* On Intel each die of a package counts. AMD's dies are smaller than the packages. */
	rapl_pmu.scope = id.vendor == X86_VENDOR_INTEL ? PERF_PMU_SCOPE_DIE :
							 PERF_PMU_SCOPE_PKG;
	return perf_pmu_register(&rapl_pmu, "power", -1);
}
module_init(rapl_init);

static void __exit rapl_exit(void)
{
	int cpu;

	perf_pmu_unregister(&rapl_pmu);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(rapl_cpu, cpu).timer);
}
module_exit(rapl_exit);

MODULE_DESCRIPTION("perf PMU of the RAPL energy counters");
MODULE_LICENSE("GPL");
