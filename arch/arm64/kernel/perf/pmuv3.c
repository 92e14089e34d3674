// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUv3 driver: initialisation of a PMU for the arm_pmu framework.
 *
 * Reads the features of the PMU and sets the operations, before the framework registers
 * the PMU. cores.c detects PMUs, the framework their CPUs and interrupts. Nothing in this
 * file runs while events count.
 */
#include <linux/arch_topology.h>
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/smp.h>

#include <asm/arm_pmuv3.h>
#include <asm/cputype.h>
#include <asm/smp_plat.h>

#include "pmuv3.h"

struct pmuv3_probe {
	struct arm_pmu	*pmu;
	const char	*name;
	bool		present;
};

/* The halves of PMCEID0_EL0 and PMCEID1_EL0 have one bit per event. */
static_assert(ARMV8_PMUV3_MAX_COMMON_EVENTS == BITS_PER_TYPE(u64));

/*
 * PMCEID<n>_EL0: the lower halves list the events from 0, the upper halves those from
 * 0x4000. The upper halves are zero before PMUv3p1.
 */
static void pmuv3_read_events(struct arm_pmu *pmu)
{
	u64 id[2] = { read_pmceid0(), read_pmceid1() };

	bitmap_from_u64(pmu->pmceid_bitmap,
			(u64)lower_32_bits(id[1]) << 32 | lower_32_bits(id[0]));
	bitmap_from_u64(pmu->pmceid_ext_bitmap,
			(id[1] & GENMASK_ULL(63, 32)) | upper_32_bits(id[0]));
}

/**
 * pmuv3_core_is_threaded() - check whether a core has several threads
 * @mpidr: MPIDR_EL1 of a CPU of the core
 * @thread_id: number of the CPU within the core by firmware, -1 for none
 * @others: MPIDR_EL1 of CPUs, which may include the same CPU
 * @nr: number of @others
 *
 * MT of MPIDR_EL1 is also set on many cores with one thread. Firmware may number threads
 * although each has its own core. If an ACPI PPTT does not say which CPUs are threads, the
 * kernel takes MT for it, and each CPU has a number. With MT the lowest affinity level is
 * the thread, and the levels above are the core.
 *
 * Return: true if both MPIDR and firmware say that the core has threads, and one of @others
 * is another thread of it.
 */
bool pmuv3_core_is_threaded(u64 mpidr, int thread_id, const u64 *others, unsigned int nr)
{
	const u64 thread = MPIDR_LEVEL_MASK, core = MPIDR_HWID_BITMASK & ~thread;

	if (!(mpidr & MPIDR_MT_BITMASK) || thread_id < 0)
		return false;
	for (unsigned int i = 0; i < nr; i++) {
		u64 differs = mpidr ^ others[i];

		if (!(differs & core) && differs & thread)
			return true;
	}
	return false;
}

/**
 * pmuv3_set_counters() - set the mask of counters that events can use
 * @pmu: the PMU; its cntr_mask is empty
 * @nr_events: number of counters that count any event
 * @threaded: see pmuv3_core_is_threaded()
 * @instructions: the PMU has a counter of instructions
 *
 * On a core with several threads PMCCNTR_EL0 counts while any of them runs. CPU_CYCLES
 * on an event counter counts this thread only (Arm ARM, D24.5, PMCCNTR_EL0; D13.12,
 * CPU_CYCLES).
 */
void pmuv3_set_counters(struct arm_pmu *pmu, unsigned int nr_events, bool threaded,
			bool instructions)
{
	bitmap_set(pmu->cntr_mask, 0, nr_events);
	if (!threaded)
		__set_bit(ARMV8_PMU_CYCLE_IDX, pmu->cntr_mask);
	if (instructions)
		__set_bit(ARMV8_PMU_INSTR_IDX, pmu->cntr_mask);
}

/**
 * pmuv3_note_no_interrupt() - let a PMU without an interrupt refuse samples
 * @pmu: the PMU; its supported_cpus and their interrupts are set
 *
 * ACPI gives such a PMU interrupt 0. With a device tree the framework checks that.
 */
void pmuv3_note_no_interrupt(struct arm_pmu *pmu)
{
	int cpu;

	for_each_cpu(cpu, &pmu->supported_cpus) {
		if (!per_cpu_ptr(pmu->hw_events, cpu)->irq)
			pmu->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	}
}

/* Runs on one of the PMU's CPUs, with interrupts disabled. */
static void pmuv3_probe_here(void *arg)
{
	struct pmuv3_probe *probe = arg;
	struct arm_pmu *pmu = probe->pmu;
	int thread_id = cpu_topology[smp_processor_id()].thread_id;
	u32 version = read_pmuver();
	bool threaded = false;
	unsigned int other;

	if (!pmuv3_implemented(version))
		return;

	pmu->pmuver = version;
	for_each_possible_cpu(other) {
		u64 mpidr = cpu_logical_map(other);

		threaded |= pmuv3_core_is_threaded(read_cpuid_mpidr(), thread_id, &mpidr, 1);
	}
	pmuv3_set_counters(pmu, FIELD_GET(ARMV8_PMU_PMCR_N, read_pmcr()), threaded,
			   pmuv3_has_icntr());
	pmuv3_read_events(pmu);
	pmu->reg_pmmir = is_pmuv3p4(version) ? read_pmmir() : 0;
	probe->present = !pmuv3_leave_out_stuck(pmu, probe->name);
}

/* The framework's event_init(), the same for all PMUs. */
static int (*pmuv3_framework_init)(struct perf_event *event);

/* The framework has refused the group of a valid event. */
static int pmuv3_refuse_group(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *member;
	const struct arm_pmu *event_pmu = to_arm_pmu(event->pmu);
	const char *other = NULL;

	if (!is_software_event(leader) && leader->pmu != event->pmu)
		other = leader->pmu->name;
	for_each_sibling_event(member, leader) {
		if (!is_software_event(member) && member->pmu != event->pmu)
			other = member->pmu->name;
	}
	if (other)
		return perf_refuse(-EINVAL, "group_fd", "the group has events of another PMU, %s",
				   other);
	return perf_refuse(-EINVAL, "group_fd",
			   "the PMU has too few counters for the group: %*pbl", ARMPMU_MAX_HWEVENTS,
			   event_pmu->cntr_mask);
}

/* Add reasons to refusals of the framework. -ENOENT is for events of other PMUs. */
static int pmuv3_event_init(struct perf_event *event)
{
	int err = pmuv3_framework_init(event);

	if (err == -EOPNOTSUPP && has_branch_stack(event))
		return perf_refuse(err, "sample_type", "the PMU records no branches");
	if (err == -EINVAL && event->hw.flags & PMUV3_EVENT_VALID)
		return pmuv3_refuse_group(event);
	return err;
}

/* Called when the CPU comes online, and when it has lost its registers in a power state. */
static void pmuv3_reset_all(void *arg)
{
	struct arm_pmu *pmu = arg;

	pmuv3_reset(pmu);
	pmuv3_user_reset(pmu);
}

/**
 * pmuv3_init() - initialise a PMU for the arm_pmu framework
 * @pmu: the PMU; supported_cpus is set, and at least one of these CPUs is online
 * @name: name of the PMU, kept by reference
 * @map_event: maps an event's attributes to the event number
 *
 * Context: task.
 * Return: 0, -ENODEV if the CPUs have no PMUv3, or if none of its counters counts.
 */
int pmuv3_init(struct arm_pmu *pmu, const char *name,
	       int (*map_event)(struct perf_event *event))
{
	struct pmuv3_probe probe = { .pmu = pmu, .name = name };
	int err;

	err = smp_call_function_any(&pmu->supported_cpus, pmuv3_probe_here, &probe, 1);
	if (err)
		return err;
	if (!probe.present)
		return -ENODEV;

	/* The framework does not write to the name. For ACPI it replaces it by a copy. */
	pmu->name		= (char *)name;
	pmu->map_event		= map_event;
	pmu->set_event_filter	= pmuv3_set_event_filter;
	pmu->get_event_idx	= pmuv3_get_event_idx;
	pmu->clear_event_idx	= pmuv3_clear_event_idx;
	pmu->read_counter	= pmuv3_read_counter;
	pmu->write_counter	= pmuv3_write_counter;
	pmu->enable		= pmuv3_enable_event;
	pmu->disable		= pmuv3_disable_event;
	pmu->start		= pmuv3_start;
	pmu->stop		= pmuv3_stop;
	pmu->handle_irq		= pmuv3_handle_irq;
	pmu->reset		= pmuv3_reset_all;
	pmu->pmu.read		= pmuv3_read;
	pmu->pmu.event_idx	= pmuv3_user_event_idx;
	pmu->pmu.add_batch	= pmuv3_add_batch;
	pmu->pmu.del_batch	= pmuv3_del_batch;
	pmuv3_framework_init	= pmu->pmu.event_init;
	pmu->pmu.event_init	= pmuv3_event_init;

	pmuv3_sysfs_init(pmu);
	pmuv3_user_init();
	return 0;
}
