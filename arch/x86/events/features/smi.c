// SPDX-License-Identifier: GPL-2.0
/*
 * Freezing of counters in system management mode: the file "freeze_on_smi" of each core
 * PMU with CPUs that support it. When frozen, counters do not count what firmware executes
 * in that mode.
 *
 * Owns DEBUGCTLMSR_FREEZE_IN_SMM of IA32_DEBUGCTL on all CPUs.
 *
 * Source: Intel SDM volume 3, section "Debug Trace Store", IA32_DEBUGCTL, and
 * IA32_PERF_CAPABILITIES in volume 4.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include "../counters/debugctl.h"
#include "smi.h"

/* Written under smi_mutex. */
static bool freeze_on_smi;
static DEFINE_MUTEX(smi_mutex);

/**
 * x86_smi_apply() - apply "freeze_on_smi" to this CPU
 * @cpu: this CPU's PMU, with its core
 *
 * Context: irqs off.
 */
void x86_smi_apply(struct x86_cpu_pmu *cpu)
{
	if (cpu->core->freezes_on_smi)
		x86_debugctl_update(cpu, DEBUGCTLMSR_FREEZE_IN_SMM,
				    READ_ONCE(freeze_on_smi) ? DEBUGCTLMSR_FREEZE_IN_SMM : 0);
}

static void x86_smi_apply_here(void *unused)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core)
		x86_smi_apply(cpu);
}

static ssize_t freeze_on_smi_show(struct device *dev, struct device_attribute *attr,
				  char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(freeze_on_smi));
}

static ssize_t freeze_on_smi_store(struct device *dev, struct device_attribute *attr,
				   const char *text, size_t size)
{
	unsigned int wanted;
	int err;

	err = kstrtouint(text, 0, &wanted);
	if (!err && wanted > 1)
		err = -EINVAL;
	if (err)
		return err;

	guard(mutex)(&smi_mutex);
	/* A CPU that comes online after this reads the new value. */
	guard(cpus_read_lock)();
	WRITE_ONCE(freeze_on_smi, wanted);
	on_each_cpu(x86_smi_apply_here, NULL, 1);
	return size;
}
static DEVICE_ATTR_RW(freeze_on_smi);

static struct attribute *smi_attrs[] = {
	&dev_attr_freeze_on_smi.attr,
	NULL,
};

static umode_t x86_smi_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core_pmu *core = x86_core_of(dev_get_drvdata(kobj_to_dev(kobj)));

	return core->freezes_on_smi ? attr->mode : 0;
}

/* The file "freeze_on_smi" of each core PMU. */
const struct attribute_group x86_smi_group = {
	.attrs		= smi_attrs,
	.is_visible	= x86_smi_is_visible,
};
