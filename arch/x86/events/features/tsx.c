// SPDX-License-Identifier: GPL-2.0
/*
 * The counter that transactional memory needs. On some models microcode uses a general
 * purpose counter to implement transactions correctly. An event can use the counter, but
 * then MSR_TSX_FORCE_ABORT has to be set, and all transactions abort. The file
 * "allow_tsx_force_abort" of the core PMU says whether events may use the counter.
 *
 * The register is written while the PMU is disabled. It is set before the counter is
 * written, and cleared when no event is assigned to the counter and the counter holds no
 * event's count any more.
 *
 * Owns MSR_TSX_FORCE_ABORT and x86_core_pmu::denied.
 *
 * Context: irqs off, on the CPU concerned; task for sysfs files.
 *
 * Source: Intel, "Performance Monitoring Impact of Intel Transactional Synchronization
 * Extension Memory Ordering Issue" (604224).
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include "../counters/core_pmu.h"
#include "../counters/counters.h"
#include "tsx.h"

/*
 * Serialises writes of x86_core_pmu::denied, until all CPUs have applied the new value.
 * Taken outside of cpus_read_lock(). CPUs read @denied with interrupts disabled.
 */
static DEFINE_MUTEX(tsx_mutex);

/**
 * x86_tsx_probe() - find out whether MSR_TSX_FORCE_ABORT exists
 * @core: the kind of core, with @core->force_abort as CPUID describes it
 *
 * A hypervisor that does not offer the register has to handle the counter itself.
 *
 * Context: irqs off or boot, on a CPU of that kind.
 */
void x86_tsx_probe(struct x86_core_pmu *core)
{
	u64 value;

	if (core->force_abort && (x86_hw_read_safe(MSR_TSX_FORCE_ABORT, &value) ||
				  x86_hw_write_safe(MSR_TSX_FORCE_ABORT, value)))
		core->force_abort = 0;
}

/**
 * x86_tsx_write() - make transactions abort, or allow them
 * @cpu: this CPU's PMU, disabled; its core has @force_abort counters
 * @abort: true: transactions abort
 */
void x86_tsx_write(struct x86_cpu_pmu *cpu, bool abort)
{
	u64 value = x86_hw_read(MSR_TSX_FORCE_ABORT) & ~MSR_TFA_RTM_FORCE_ABORT;

	if (abort)
		value |= MSR_TFA_RTM_FORCE_ABORT;
	x86_hw_write(MSR_TSX_FORCE_ABORT, value);
	cpu->aborting = abort;
}

/**
 * x86_tsx_apply() - make transactions abort if an event is assigned to their counter
 * @cpu: this CPU's PMU, disabled. An event that has lost the counter is no longer
 *	programmed.
 */
void x86_tsx_apply(struct x86_cpu_pmu *cpu)
{
	u64 shared = cpu->core->force_abort;
	bool wanted = cpu->assign.taken & shared;

	if (likely(wanted == cpu->aborting))
		return;
	/* Clear the old count now: the counter must not be written later. */
	if (!wanted)
		x86_counters_clear_dirty(cpu, shared);
	x86_tsx_write(cpu, wanted);
}

/**
 * x86_tsx_reassign() - move events off denied counters where others are free
 * @cpu: this CPU's PMU, disabled
 *
 * Called when the counters become denied, and when other counters have been released
 * since then.
 */
void x86_tsx_reassign(struct x86_cpu_pmu *cpu)
{
	struct x86_assignment *assign = &cpu->assign;
	u64 todo;

	for (todo = assign->taken & READ_ONCE(cpu->core->denied); todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		struct perf_event *event = assign->user[idx];

		x86_assign_release(assign, idx);
		if (x86_assign_counter(assign, event, x86_core_offered_to(event)))
			cpu->moved = true;
		else
			x86_assign_counter(assign, event,
					   x86_core_offered_to(event) | BIT_ULL(idx));
	}
}

static void x86_tsx_denied_here(void *unused)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct x86_core_pmu *core = cpu->core;
	u64 todo;

	if (!core || !core->force_abort)
		return;
	perf_pmu_disable(&core->pmu);
	/* Limit, or extend, the counters to which a new event can move the others. */
	for (todo = cpu->assign.taken; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		const struct perf_event *event = cpu->assign.user[idx];

		cpu->assign.allowed[idx] = x86_core_offered_to(event);
	}
	x86_tsx_reassign(cpu);
	perf_pmu_enable(&core->pmu);
}

static ssize_t allow_tsx_force_abort_show(struct device *dev, struct device_attribute *attr,
					  char *page)
{
	const struct x86_core_pmu *core = x86_core_of(dev_get_drvdata(dev));

	return sysfs_emit(page, "%d\n", !READ_ONCE(core->denied));
}

static ssize_t allow_tsx_force_abort_store(struct device *dev, struct device_attribute *attr,
					   const char *text, size_t size)
{
	struct x86_core_pmu *core = x86_core_of(dev_get_drvdata(dev));
	bool allow;
	int err;

	err = kstrtobool(text, &allow);
	if (err)
		return err;

	guard(mutex)(&tsx_mutex);
	guard(cpus_read_lock)();
	WRITE_ONCE(core->denied, allow ? 0 : core->force_abort);
	on_each_cpu(x86_tsx_denied_here, NULL, 1);
	return size;
}
static DEVICE_ATTR_RW(allow_tsx_force_abort);

static struct attribute *tsx_attrs[] = {
	&dev_attr_allow_tsx_force_abort.attr,
	NULL,
};

static umode_t x86_tsx_is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	const struct x86_core_pmu *core = x86_core_of(dev_get_drvdata(kobj_to_dev(kobj)));

	return core->force_abort ? attr->mode : 0;
}

/* The file "allow_tsx_force_abort" of a core PMU. */
const struct attribute_group x86_tsx_group = {
	.attrs		= tsx_attrs,
	.is_visible	= x86_tsx_is_visible,
};
