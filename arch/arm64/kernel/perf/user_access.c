// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that user space reads with an instruction.
 *
 * Owns PMUSERENR_EL0 and the sysctl kernel.perf_user_access. While a task with rdpmc
 * events (config1:1) runs, its CPU allows user space to read counters. The register
 * allows all counters or none. So counters that are not in use are kept at zero
 * meanwhile. The control page of an event has the number of its counter, while only the program of
 * the counted task has the page mapped.
 *
 * Access depends on the task, not on the counter. If an event loses its counter after
 * user space has read the counter's number from the page, the read causes no signal,
 * unless the task has come to a core of another kind that does not have such a counter.
 *
 * Source: Arm ARM (DDI 0487) D24.5, PMUSERENR_EL0.
 */
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/sysctl.h>

#include <asm/arm_pmuv3.h>

#include "pmuv3.h"

static int pmuv3_user_access;

/* The current task has rdpmc events. */
static DEFINE_PER_CPU(bool, pmuv3_user_enabled);

/* User space can read the counters of this CPU. */
static DEFINE_PER_CPU(bool, pmuv3_user_can);

/* The PMU of each CPU, once it is certain that it stays. */
static DEFINE_PER_CPU(struct arm_pmu *, pmuv3_user_pmu);

/* While a vCPU is loaded, KVM saves the host's value and restores it later. */
static void pmuv3_write_userenr(u32 value)
{
	if (!kvm_set_pmuserenr(value))
		write_pmuserenr(value);
}

static void pmuv3_clear_unused(void)
{
	const struct arm_pmu *pmu = READ_ONCE(*this_cpu_ptr(&pmuv3_user_pmu));
	const struct pmu_hw_events *cpuc = this_cpu_ptr(pmu->hw_events);
	int idx;

	for_each_andnot_bit(idx, pmu->cntr_mask, cpuc->used_mask, ARMPMU_MAX_HWEVENTS)
		pmuv3_clear_counter(idx);
}

/* Called with interrupts disabled. */
static void pmuv3_user_apply(void *unused)
{
	bool can = READ_ONCE(pmuv3_user_access) && __this_cpu_read(pmuv3_user_enabled) &&
		   READ_ONCE(*this_cpu_ptr(&pmuv3_user_pmu));

	if (can == __this_cpu_read(pmuv3_user_can))
		return;
	__this_cpu_write(pmuv3_user_can, can);
	if (can) {
		pmuv3_clear_unused();
		/* User space can write PMSELR_EL0: clear the value of the previous task. */
		write_pmselr(0);
	}
	pmuv3_write_userenr(can ? ARMV8_PMU_USERENR_ER | ARMV8_PMU_USERENR_CR : 0);
}

/**
 * arch_perf_user_access() - allow the current task to read counters, or forbid it
 * @enable: the task has events with config1:1
 *
 * Context: irqs off. Called before counters are programmed for the task, and after they
 * are released.
 */
void arch_perf_user_access(bool enable)
{
	__this_cpu_write(pmuv3_user_enabled, enable);
	pmuv3_user_apply(NULL);
}

/**
 * pmuv3_user_may_read() - check whether user space can read the counters of this CPU
 *
 * Return: true if it can.
 */
bool pmuv3_user_may_read(void)
{
	return __this_cpu_read(pmuv3_user_can);
}

/**
 * pmuv3_user_event_idx() - get the index of an event for the control page
 * @event: the event, counting on this CPU
 *
 * The program of another task would read the counter of its own CPU.
 *
 * Return: number of the counter plus one, 0 if user space cannot read it.
 */
int pmuv3_user_event_idx(struct perf_event *event)
{
	if (!pmuv3_user_may_read() || event->hw.idx < 0 ||
	    !(event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT) || !perf_event_page_is_own(event))
		return 0;
	return event->hw.idx + 1;
}

/**
 * pmuv3_user_add() - let user space read the counters of a PMU
 * @pmu: the PMU, which is never freed
 *
 * Until then no task can read the counters of its CPUs.
 *
 * Context: task.
 */
void pmuv3_user_add(struct arm_pmu *pmu)
{
	int cpu;

	for_each_cpu(cpu, &pmu->supported_cpus) {
		/* the CPU finds the fields of the PMU set */
		smp_store_release(per_cpu_ptr(&pmuv3_user_pmu, cpu), pmu);
	}
}

/**
 * pmuv3_user_reset() - restore the access of user space to counters
 * @pmu: the PMU of this CPU; its registers may have lost their content
 *
 * With ACPI more CPUs may belong to the PMU than when it was added, and it is never freed. A PMU of
 * a device tree has all its CPUs from the start, and may still be freed.
 */
void pmuv3_user_reset(struct arm_pmu *pmu)
{
	bool can = __this_cpu_read(pmuv3_user_can);

	if (!pmu->plat_device)
		WRITE_ONCE(*this_cpu_ptr(&pmuv3_user_pmu), pmu);
	pmuv3_write_userenr(can ? ARMV8_PMU_USERENR_ER | ARMV8_PMU_USERENR_CR : 0);
}

static int pmuv3_user_sysctl(const struct ctl_table *table, int write, void *buffer,
			     size_t *len, loff_t *pos)
{
	int err = proc_dointvec_minmax(table, write, buffer, len, pos);

	if (!err && write)
		on_each_cpu(pmuv3_user_apply, NULL, 1);
	return err;
}

static struct ctl_table pmuv3_user_table[] = {
	{
		.procname	= "perf_user_access",
		.data		= &pmuv3_user_access,
		.maxlen		= sizeof(pmuv3_user_access),
		.mode		= 0644,
		.proc_handler	= pmuv3_user_sysctl,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
};

/**
 * pmuv3_user_init() - register the sysctl, once for all PMUs
 *
 * Context: task. PMUs may be probed at the same time.
 */
void pmuv3_user_init(void)
{
	static atomic_t done;

	if (!atomic_xchg(&done, 1))
		register_sysctl("kernel", pmuv3_user_table);
}
