// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU "msr": registers of a CPU that count all the time. An event is the difference
 * of two reads. Nothing is programmed, so any number of events fits.
 *
 * Boot finds out which registers exist, from CPUID or by reading them.
 *
 * Context: irqs off, on the event's CPU, for operations.
 *
 * Sources: Intel SDM volume 4 for numbers and widths, volume 3 for APERF, MPERF and the
 * thermal status; AMD's PPRs for PTSC and IRPERF.
 */
#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include "../counters/event_attr.h"
#include "../counters/hw.h"

#define CPUID_THERMAL		6
#define THERMAL_EAX_DTS		BIT(0)
#define THERMAL_EAX_HWP		BIT(7)
#define THERMAL_ECX_APERFMPERF	BIT(0)
#define EXT1_ECX_PTSC		BIT(27)
#define EXT8_EBX_IRPERF		BIT(1)

#define THERM_STATUS_READOUT	GENMASK_ULL(22, 16)
#define THERM_STATUS_VALID	BIT_ULL(31)

static bool msr_cpuid_has(u32 leaf, unsigned int reg, u32 bit)
{
	struct x86_hw_cpuid out;

	x86_hw_cpuid(leaf, 0, &out);
	return out.reg[reg] & bit;
}

static bool msr_readable(u32 msr)
{
	u64 value;

	return !x86_hw_read_safe(msr, &value);
}

static bool msr_has_tsc(void)
{
	return boot_cpu_has(X86_FEATURE_TSC);
}

static bool msr_has_aperfmperf(void)
{
	return msr_cpuid_has(CPUID_THERMAL, CPUID_ECX, THERMAL_ECX_APERFMPERF);
}

/* PPERF is not architectural. CPUs that have it have hardware P-states as well. */
static bool msr_has_pperf(void)
{
	return msr_cpuid_has(CPUID_THERMAL, CPUID_EAX, THERMAL_EAX_HWP) && msr_readable(MSR_PPERF);
}

/* Exists since Nehalem, which has version 3 of architectural perfmon. */
static bool msr_has_smi_count(void)
{
	struct x86_hw_identity id;
	struct x86_hw_cpuid perfmon;

	x86_hw_identity(&id);
	x86_hw_cpuid(0xa, 0, &perfmon);
	return id.vendor == X86_VENDOR_INTEL && (perfmon.reg[CPUID_EAX] & 0xff) >= 3 &&
	       msr_readable(MSR_SMI_COUNT);
}

static bool msr_has_ptsc(void)
{
	return msr_cpuid_has(0x80000001, CPUID_ECX, EXT1_ECX_PTSC);
}

static bool msr_has_irperf(void)
{
	return msr_cpuid_has(0x80000008, CPUID_EBX, EXT8_EBX_IRPERF);
}

static bool msr_has_therm_status(void)
{
	struct x86_hw_identity id;

	x86_hw_identity(&id);
	return id.vendor == X86_VENDOR_INTEL &&
	       msr_cpuid_has(CPUID_THERMAL, CPUID_EAX, THERMAL_EAX_DTS);
}

/**
 * struct msr_event - a register that counts
 * @name: name in sysfs
 * @msr: MSR number; 0 for the time stamp counter
 * @bits: width of the register; 0 if it has a value that is not a count
 * @exists: finds out at boot whether the register exists
 * @available: result of @exists
 */
struct msr_event {
	const char	*name;
	u32		msr;
	u8		bits;
	bool		(*exists)(void);
	bool		available;
};

/* Values of attr.config: ABI. */
enum {
	MSR_EVENT_TSC,
	MSR_EVENT_APERF,
	MSR_EVENT_MPERF,
	MSR_EVENT_PPERF,
	MSR_EVENT_SMI,
	MSR_EVENT_PTSC,
	MSR_EVENT_IRPERF,
	MSR_EVENT_THERM,
};

static struct msr_event msr_events[] __ro_after_init = {
	[MSR_EVENT_TSC]    = { "tsc", 0, 64, msr_has_tsc },
	[MSR_EVENT_APERF]  = { "aperf", MSR_IA32_APERF, 64, msr_has_aperfmperf },
	[MSR_EVENT_MPERF]  = { "mperf", MSR_IA32_MPERF, 64, msr_has_aperfmperf },
	[MSR_EVENT_PPERF]  = { "pperf", MSR_PPERF, 64, msr_has_pperf },
	[MSR_EVENT_SMI]    = { "smi", MSR_SMI_COUNT, 32, msr_has_smi_count },
	[MSR_EVENT_PTSC]   = { "ptsc", MSR_F15H_PTSC, 64, msr_has_ptsc },
	[MSR_EVENT_IRPERF] = { "irperf", MSR_F17H_IRPERF, 64, msr_has_irperf },
	/* Not a count: degrees below the limit at the time of the read. */
	[MSR_EVENT_THERM]  = { "cpu_thermal_margin", MSR_IA32_THERM_STATUS, 0,
			       msr_has_therm_status },
};

static u64 msr_now(const struct msr_event *what)
{
	return what->msr ? x86_hw_read(what->msr) : rdtsc_ordered();
}

static int msr_event_init(struct perf_event *event)
{
	u64 config = event->attr.config;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (config >= ARRAY_SIZE(msr_events))
		return perf_refuse(-EINVAL, "config", "%llu is none of the msr events",
				   config);
	if (!msr_events[config].available)
		return perf_refuse(-EINVAL, "config", "this CPU has no %s",
				   msr_events[config].name);
	/* The core would return EOPNOTSUPP, because the PMU has no interrupt. */
	if (event->attr.sample_period)
		return perf_refuse(-EINVAL, "sample_period",
				   "PMU msr only counts, it cannot sample");
	event->hw.idx = config;
	return 0;
}

static void msr_event_update(struct perf_event *event)
{
	const struct msr_event *what = &msr_events[event->hw.idx];
	u64 now = msr_now(what), before;

	if (!what->bits) {
		if (now & THERM_STATUS_VALID)
			local64_set(&event->count, FIELD_GET(THERM_STATUS_READOUT, now));
		return;
	}
	before = local64_xchg(&event->hw.prev_count, now);
	local64_add((now - before) & GENMASK_ULL(what->bits - 1, 0), &event->count);
}

static void msr_event_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, msr_now(&msr_events[event->hw.idx]));
	event->hw.state = 0;
}

static void msr_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	msr_event_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int msr_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		msr_event_start(event, flags);
	return 0;
}

static void msr_event_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		msr_event_update(event);
}

PMU_FORMAT_ATTR(event, "config:0-63");

static struct attribute *msr_format_attrs[] = {
	&format_attr_event.attr,
	NULL,
};

static const struct attribute_group msr_format_group = {
	.name	= "format",
	.attrs	= msr_format_attrs,
};

/* The margin has a unit, and is a snapshot instead of a sum. */
static struct attribute *msr_event_attrs[] = {
	X86_PMU_FILE("tsc", MSR_EVENT_TSC, "event=0x00"),
	X86_PMU_FILE("aperf", MSR_EVENT_APERF, "event=0x01"),
	X86_PMU_FILE("mperf", MSR_EVENT_MPERF, "event=0x02"),
	X86_PMU_FILE("pperf", MSR_EVENT_PPERF, "event=0x03"),
	X86_PMU_FILE("smi", MSR_EVENT_SMI, "event=0x04"),
	X86_PMU_FILE("ptsc", MSR_EVENT_PTSC, "event=0x05"),
	X86_PMU_FILE("irperf", MSR_EVENT_IRPERF, "event=0x06"),
	X86_PMU_FILE("cpu_thermal_margin", MSR_EVENT_THERM, "event=0x07"),
	X86_PMU_FILE("cpu_thermal_margin.snapshot", MSR_EVENT_THERM, "1"),
	X86_PMU_FILE("cpu_thermal_margin.unit", MSR_EVENT_THERM, "C"),
	NULL,
};

static umode_t msr_event_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	struct perf_pmu_events_attr *file;

	file = container_of(attr, struct perf_pmu_events_attr, attr.attr);
	return msr_events[file->id].available ? attr->mode : 0;
}

static const struct attribute_group msr_events_group = {
	.name		= "events",
	.attrs		= msr_event_attrs,
	.is_visible	= msr_event_is_visible,
};

static const struct attribute_group *msr_groups[] = {
	&msr_events_group,
	&msr_format_group,
	NULL,
};

static struct pmu msr_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
	.attr_groups	= msr_groups,
	.event_init	= msr_event_init,
	.add		= msr_event_add,
	.del		= msr_event_stop,
	.start		= msr_event_start,
	.stop		= msr_event_stop,
	.read		= msr_event_read,
};

static int __init msr_pmu_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(msr_events); i++)
		msr_events[i].available = msr_events[i].exists();
	if (!msr_events[MSR_EVENT_TSC].available)
		return 0;
	return perf_pmu_register(&msr_pmu, "msr", -1);
}
device_initcall(msr_pmu_init);
