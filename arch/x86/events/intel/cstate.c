// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs "cstate_core", "cstate_pkg" and "cstate_module": residency of a core, a
 * package or a module of cores in its idle states. The registers count at the rate of
 * the time stamp counter.
 *
 * One CPU of each core, package or module reads the registers. The perf core chooses the
 * CPU (pmu::scope) and moves events when it goes offline.
 *
 * Context: irqs off, on the CPU concerned, for operations.
 *
 * Sources: Intel SDM volume 4; tools/power/x86/turbostat for the registers of each model.
 */
#include <linux/device.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "../counters/event_attr.h"
#include "../counters/hw.h"

#define MSR_CORE_C1_RESIDENCY		0x660
#define MSR_MODULE_C6_RESIDENCY_MS	0x664

/* Registers of a model, by bit. */
enum {
	CORE_C1, CORE_C3, CORE_C6, CORE_C7,
	PKG_C2, PKG_C3, PKG_C6, PKG_C7, PKG_C8, PKG_C9, PKG_C10,
	MODULE_C6,
	CSTATES,
	/* registers with another MSR number */
	KNL_CORE_C6, ATOM_PKG_C6,
};

enum cstate_level {
	LEVEL_CORE,
	LEVEL_PKG,
	LEVEL_MODULE,
	LEVELS,
};

/**
 * struct cstate_counter - a residency register
 * @level: index of its PMU
 * @config: attr.config, which is ABI
 * @msr: MSR number; 0 if the machine does not have it
 */
struct cstate_counter {
	u8	level;
	u8	config;
	u32	msr;
};

static struct cstate_counter cstate_counters[CSTATES] __ro_after_init = {
	[CORE_C1]	= { LEVEL_CORE, 0, MSR_CORE_C1_RESIDENCY },
	[CORE_C3]	= { LEVEL_CORE, 1, MSR_CORE_C3_RESIDENCY },
	[CORE_C6]	= { LEVEL_CORE, 2, MSR_CORE_C6_RESIDENCY },
	[CORE_C7]	= { LEVEL_CORE, 3, MSR_CORE_C7_RESIDENCY },
	[PKG_C2]	= { LEVEL_PKG, 0, MSR_PKG_C2_RESIDENCY },
	[PKG_C3]	= { LEVEL_PKG, 1, MSR_PKG_C3_RESIDENCY },
	[PKG_C6]	= { LEVEL_PKG, 2, MSR_PKG_C6_RESIDENCY },
	[PKG_C7]	= { LEVEL_PKG, 3, MSR_PKG_C7_RESIDENCY },
	[PKG_C8]	= { LEVEL_PKG, 4, MSR_PKG_C8_RESIDENCY },
	[PKG_C9]	= { LEVEL_PKG, 5, MSR_PKG_C9_RESIDENCY },
	[PKG_C10]	= { LEVEL_PKG, 6, MSR_PKG_C10_RESIDENCY },
	[MODULE_C6]	= { LEVEL_MODULE, 0, MSR_MODULE_C6_RESIDENCY_MS },
};

/* Sets of registers by generation. */
#define HAS_NEHALEM	(BIT(CORE_C3) | BIT(CORE_C6) | BIT(PKG_C3) | BIT(PKG_C6))
#define HAS_SANDYBRIDGE	(HAS_NEHALEM | BIT(CORE_C7) | BIT(PKG_C2) | BIT(PKG_C7))
#define HAS_HASWELL_L	(HAS_SANDYBRIDGE | BIT(PKG_C8) | BIT(PKG_C9) | BIT(PKG_C10))
#define HAS_BROADWELL_X	(HAS_NEHALEM | BIT(PKG_C2))
#define HAS_CANNONLAKE	(BIT(CORE_C1) | (HAS_HASWELL_L & ~BIT(CORE_C3)))
#define HAS_ALDERLAKE	(HAS_CANNONLAKE & ~(BIT(PKG_C7) | BIT(PKG_C9)))
#define HAS_ARROWLAKE	(HAS_ALDERLAKE & ~BIT(PKG_C8))
#define HAS_SKYLAKE_X	(BIT(CORE_C6) | BIT(PKG_C2) | BIT(PKG_C6))
#define HAS_ICELAKE_X	(HAS_SKYLAKE_X | BIT(CORE_C1))
#define HAS_SILVERMONT	(BIT(CORE_C1) | BIT(CORE_C6) | BIT(ATOM_PKG_C6))
#define HAS_GOLDMONT	(HAS_HASWELL_L & ~BIT(CORE_C7) & ~BIT(PKG_C7))
#define HAS_CRESTMONT	(BIT(CORE_C1) | BIT(CORE_C6) | BIT(MODULE_C6))
#define HAS_KNL		(BIT(KNL_CORE_C6) | BIT(PKG_C2) | BIT(PKG_C3) | BIT(PKG_C6))

#define CSTATE_CPU(_vfm, _has)	X86_MATCH_VFM(_vfm, (_has))

static const struct x86_cpu_id cstate_cpus[] = {
	CSTATE_CPU(INTEL_NEHALEM,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_NEHALEM_EP,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_NEHALEM_EX,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_WESTMERE,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_WESTMERE_EP,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_WESTMERE_EX,		HAS_NEHALEM),
	CSTATE_CPU(INTEL_SANDYBRIDGE,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_SANDYBRIDGE_X,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_IVYBRIDGE,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_IVYBRIDGE_X,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_HASWELL,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_HASWELL_X,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_HASWELL_G,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_HASWELL_L,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_BROADWELL,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_BROADWELL_G,		HAS_SANDYBRIDGE),
	CSTATE_CPU(INTEL_BROADWELL_X,		HAS_BROADWELL_X),
	CSTATE_CPU(INTEL_BROADWELL_D,		HAS_BROADWELL_X),
	CSTATE_CPU(INTEL_SKYLAKE_L,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_SKYLAKE,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_KABYLAKE_L,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_KABYLAKE,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_COMETLAKE_L,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_COMETLAKE,		HAS_HASWELL_L),
	CSTATE_CPU(INTEL_SKYLAKE_X,		HAS_SKYLAKE_X),
	CSTATE_CPU(INTEL_CANNONLAKE_L,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_ICELAKE_L,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_TIGERLAKE_L,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_TIGERLAKE,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_ROCKETLAKE,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_METEORLAKE,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_METEORLAKE_L,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_ICELAKE_X,		HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_ICELAKE_D,		HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_SAPPHIRERAPIDS_X,	HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_EMERALDRAPIDS_X,	HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_GRANITERAPIDS_X,	HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_GRANITERAPIDS_D,	HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_ALDERLAKE,		HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_ALDERLAKE_L,		HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_RAPTORLAKE,		HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_RAPTORLAKE_P,		HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_RAPTORLAKE_S,		HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_ATOM_GRACEMONT,	HAS_ALDERLAKE),
	CSTATE_CPU(INTEL_ARROWLAKE_H,		HAS_ARROWLAKE),
	CSTATE_CPU(INTEL_ARROWLAKE_U,		HAS_ARROWLAKE),
	CSTATE_CPU(INTEL_ARROWLAKE,		HAS_ARROWLAKE),
	CSTATE_CPU(INTEL_LUNARLAKE_M,		HAS_ARROWLAKE),
	CSTATE_CPU(INTEL_ATOM_SILVERMONT,	HAS_SILVERMONT),
	CSTATE_CPU(INTEL_ATOM_SILVERMONT_D,	HAS_SILVERMONT),
	CSTATE_CPU(INTEL_ATOM_AIRMONT,		HAS_SILVERMONT),
	CSTATE_CPU(INTEL_ATOM_GOLDMONT,		HAS_GOLDMONT),
	CSTATE_CPU(INTEL_ATOM_GOLDMONT_PLUS,	HAS_GOLDMONT),
	CSTATE_CPU(INTEL_ATOM_GOLDMONT_D,	HAS_ICELAKE_X),
	CSTATE_CPU(INTEL_ATOM_TREMONT,		HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_ATOM_TREMONT_L,	HAS_CANNONLAKE),
	CSTATE_CPU(INTEL_ATOM_TREMONT_D,	HAS_CRESTMONT & ~BIT(MODULE_C6)),
	CSTATE_CPU(INTEL_ATOM_CRESTMONT_X,	HAS_CRESTMONT | HAS_SKYLAKE_X),
	CSTATE_CPU(INTEL_ATOM_CRESTMONT,	HAS_CRESTMONT),
	CSTATE_CPU(INTEL_XEON_PHI_KNL,		HAS_KNL),
	CSTATE_CPU(INTEL_XEON_PHI_KNM,		HAS_KNL),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, cstate_cpus);

static struct pmu cstate_pmus[LEVELS];

static struct cstate_counter *cstate_find(unsigned int level, u64 config)
{
	unsigned int i;

	for (i = 0; i < CSTATES; i++) {
		if (cstate_counters[i].level == level && cstate_counters[i].config == config &&
		    cstate_counters[i].msr)
			return &cstate_counters[i];
	}
	return NULL;
}

static u64 cstate_now(const struct perf_event *event)
{
	return x86_hw_read(cstate_counters[event->hw.idx].msr);
}

static int cstate_event_init(struct perf_event *event)
{
	const struct cstate_counter *counter;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->cpu < 0)
		return perf_refuse(-EINVAL, "pid",
				   "idle states are a core's or a package's, not a task's");
	counter = cstate_find(event->pmu - cstate_pmus, event->attr.config);
	if (!counter)
		return perf_refuse(-EINVAL, "config", "%#llx is no idle state of %s",
				   event->attr.config, event->pmu->name);
	event->hw.idx = counter - cstate_counters;
	return 0;
}

static void cstate_update(struct perf_event *event)
{
	u64 now = cstate_now(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void cstate_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, cstate_now(event));
	event->hw.state = 0;
}

static void cstate_stop(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		cstate_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int cstate_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		cstate_start(event, flags);
	return 0;
}

static void cstate_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		cstate_update(event);
}

PMU_FORMAT_ATTR(event, "config:0-63");

static struct attribute *cstate_format_attrs[] = {
	&format_attr_event.attr,
	NULL,
};

static const struct attribute_group cstate_format_group = {
	.name	= "format",
	.attrs	= cstate_format_attrs,
};

static struct attribute *cstate_event_attrs[] = {
	X86_PMU_FILE("c1-residency", CORE_C1, "event=0x00"),
	X86_PMU_FILE("c3-residency", CORE_C3, "event=0x01"),
	X86_PMU_FILE("c6-residency", CORE_C6, "event=0x02"),
	X86_PMU_FILE("c7-residency", CORE_C7, "event=0x03"),
	X86_PMU_FILE("c2-residency", PKG_C2, "event=0x00"),
	X86_PMU_FILE("c3-residency", PKG_C3, "event=0x01"),
	X86_PMU_FILE("c6-residency", PKG_C6, "event=0x02"),
	X86_PMU_FILE("c7-residency", PKG_C7, "event=0x03"),
	X86_PMU_FILE("c8-residency", PKG_C8, "event=0x04"),
	X86_PMU_FILE("c9-residency", PKG_C9, "event=0x05"),
	X86_PMU_FILE("c10-residency", PKG_C10, "event=0x06"),
	X86_PMU_FILE("c6-residency", MODULE_C6, "event=0x00"),
	NULL,
};

static umode_t cstate_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));
	const struct cstate_counter *counter;
	struct perf_pmu_events_attr *file;

	file = container_of(attr, struct perf_pmu_events_attr, attr.attr);
	counter = &cstate_counters[file->id];
	return counter->level == pmu - cstate_pmus && counter->msr ? attr->mode : 0;
}

static const struct attribute_group cstate_events_group = {
	.name		= "events",
	.attrs		= cstate_event_attrs,
	.is_visible	= cstate_is_visible,
};

static const struct attribute_group *cstate_groups[] = {
	&cstate_events_group,
	&cstate_format_group,
	NULL,
};

static const struct {
	const char	*name;
	unsigned int	scope;
} cstate_levels[LEVELS] = {
	[LEVEL_CORE]	= { "cstate_core", PERF_PMU_SCOPE_CORE },
	[LEVEL_PKG]	= { "cstate_pkg", PERF_PMU_SCOPE_DIE },
	[LEVEL_MODULE]	= { "cstate_module", PERF_PMU_SCOPE_CLUSTER },
};

/* Clear @msr of the registers that this machine does not have. */
static void __init cstate_detect(u32 has)
{
	unsigned int i;
	u64 value;

	if (has & BIT(KNL_CORE_C6)) {
		cstate_counters[CORE_C6].msr = MSR_KNL_CORE_C6_RESIDENCY;
		has |= BIT(CORE_C6);
	}
	if (has & BIT(ATOM_PKG_C6)) {
		cstate_counters[PKG_C6].msr = MSR_ATOM_PKG_C6_RESIDENCY;
		has |= BIT(PKG_C6);
	}
	for (i = 0; i < CSTATES; i++) {
		if (!(has & BIT(i)) || x86_hw_read_safe(cstate_counters[i].msr, &value))
			cstate_counters[i].msr = 0;
	}
}

static bool __init cstate_level_used(unsigned int level)
{
	unsigned int i;

	for (i = 0; i < CSTATES; i++) {
		if (cstate_counters[i].level == level && cstate_counters[i].msr)
			return true;
	}
	return false;
}

static void cstate_unregister(void)
{
	unsigned int level;

	for (level = 0; level < LEVELS; level++) {
		if (cstate_pmus[level].name)
			perf_pmu_unregister(&cstate_pmus[level]);
	}
}

static int __init cstate_register(unsigned int level)
{
	struct pmu *pmu = &cstate_pmus[level];
	int err;

	*pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_invalid_context,
		.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
		.scope		= cstate_levels[level].scope,
		.attr_groups	= cstate_groups,
		.event_init	= cstate_event_init,
		.add		= cstate_add,
		.del		= cstate_stop,
		.start		= cstate_start,
		.stop		= cstate_stop,
		.read		= cstate_read,
	};
	err = perf_pmu_register(pmu, cstate_levels[level].name, -1);
	if (err)
		pmu->name = NULL;
	return err;
}

/* Get the registers of this model, or of Cannon Lake on an emulated machine. */
static u32 __init cstate_known(void)
{
	const struct x86_cpu_id *match;

	if (x86_hw_emulated())
		return HAS_CANNONLAKE;
	match = x86_match_cpu(cstate_cpus);
	return match ? match->driver_data : 0;
}

static int __init cstate_init(void)
{
	unsigned int level, found = 0;
	int err;

	cstate_detect(cstate_known());
	for (level = 0; level < LEVELS; level++) {
		if (!cstate_level_used(level))
			continue;
		err = cstate_register(level);
		if (err) {
			cstate_unregister();
			return err;
		}
		found++;
	}
	return found ? 0 : -ENODEV;
}
module_init(cstate_init);

static void __exit cstate_exit(void)
{
	cstate_unregister();
}
module_exit(cstate_exit);

MODULE_DESCRIPTION("perf PMUs of Intel's idle state residency counters");
MODULE_LICENSE("GPL");
