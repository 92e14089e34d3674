// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that programs read with an instruction.
 *
 * Owns PMUSERENR_EL0 and the sysctl kernel.perf_user_access. While a task runs
 * that has an event with rdpmc (config1:1), its CPU lets it read counters: all of
 * them, as the register knows no more than that. So what is not in use is kept at
 * zero meanwhile. The event's control page tells which counter is the event's.
 *
 * Access follows the task, not the counter: a program that has just read the
 * counter's number from the page does not get a signal because its event had to
 * give way to others.
 *
 * Source: Arm ARM (DDI 0487) D24.5, PMUSERENR_EL0.
 */
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/sysctl.h>

#include <asm/arm_pmuv3.h>

#include "pmuv3.h"

static int pmuv3_user_access;

/* The task that runs here has events that it reads, and whether it may. */
static DEFINE_PER_CPU(bool, pmuv3_user_wants);
static DEFINE_PER_CPU(bool, pmuv3_user_can);

/* The PMU of each CPU, for its counters. */
static DEFINE_PER_CPU(struct arm_pmu *, pmuv3_user_pmu);

/* While a vCPU is loaded KVM keeps the host's value, and puts it in later. */
static void pmuv3_write_userenr(u32 value)
{
	if (!kvm_set_pmuserenr(value))
		write_pmuserenr(value);
}

static void pmuv3_clear_unused(void)
{
	const struct arm_pmu *pmu = __this_cpu_read(pmuv3_user_pmu);
	const struct pmu_hw_events *cpuc = this_cpu_ptr(pmu->hw_events);
	int idx;

	for_each_andnot_bit(idx, pmu->cntr_mask, cpuc->used_mask, ARMPMU_MAX_HWEVENTS)
		pmuv3_clear_counter(idx);
}

/* irqs off */
static void pmuv3_user_apply(void *unused)
{
	bool can = READ_ONCE(pmuv3_user_access) && __this_cpu_read(pmuv3_user_wants) &&
		   __this_cpu_read(pmuv3_user_pmu);

	if (can == __this_cpu_read(pmuv3_user_can))
		return;
	__this_cpu_write(pmuv3_user_can, can);
	if (can) {
		pmuv3_clear_unused();
		/* programs may write it, so it is the previous one's */
		write_pmselr(0);
	}
	pmuv3_write_userenr(can ? ARMV8_PMU_USERENR_ER | ARMV8_PMU_USERENR_CR : 0);
}

/**
 * arch_perf_user_access() - allow the current task to read counters, or forbid it
 * @enable: the task has events with config1:1
 *
 * Context: Interrupts disabled. Called before counters are programmed for the task, and
 * after they are released.
 */
void arch_perf_user_access(bool enable)
{
	__this_cpu_write(pmuv3_user_wants, enable);
	pmuv3_user_apply(NULL);
}

/**
 * pmuv3_user_may_read() - can user space read the counters of this CPU now?
 *
 * Return: true if it can.
 */
bool pmuv3_user_may_read(void)
{
	return __this_cpu_read(pmuv3_user_can);
}

/**
 * pmuv3_user_event_idx() - what the control page says of an event's counter
 * @event: counting on this CPU
 *
 * Return: the counter's number plus one, or 0 if it cannot be read.
 */
int pmuv3_user_event_idx(struct perf_event *event)
{
	if (!pmuv3_user_may_read() || event->hw.idx < 0 ||
	    !(event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT))
		return 0;
	return event->hw.idx + 1;
}

/**
 * pmuv3_user_reset() - access is as it was before the CPU lost its registers
 * @pmu: the CPU's PMU; its counters are reset
 */
void pmuv3_user_reset(struct arm_pmu *pmu)
{
	bool can = __this_cpu_read(pmuv3_user_can);

	__this_cpu_write(pmuv3_user_pmu, pmu);
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
 * pmuv3_user_init() - there is a PMU that programs could read; task context
 */
void pmuv3_user_init(void)
{
	static bool done;

	if (!done)
		register_sysctl("kernel", pmuv3_user_table);
	done = true;
}
