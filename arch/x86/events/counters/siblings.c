// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that are constrained by events on other CPUs.
 *
 * Leaks: on some models, while both threads of a core are in use, an event of retired
 * loads is also counted by the counter of the same number on the other thread, whatever
 * that counter is programmed for. While such an event has a counter, the other thread
 * must not use its own counter of that number.
 *
 * Shared events: before AMD's family 15h each core counts events of its node's
 * northbridge with its own counters, but two cores must not use counters of the same
 * number for that. While such an event has a counter, the other cores of the node use
 * their counters of that number for other events only.
 *
 * Each CPU publishes, under a lock, which counters are assigned and which of these have
 * such events. A new event, and the events that move for it, get only counters that are
 * compatible with what the other CPUs have published. The PMU of the CPU is disabled
 * meanwhile, so each counter is published before it counts. A CPU that comes online has
 * published none.
 *
 * Owns struct x86_sibling.
 *
 * Context: irqs off, on the event's CPU.
 *
 * Sources: errata BJ122, BV98, HSD29 and HSM30 of Intel's specification updates; BIOS
 * and Kernel Developer's Guide for family 10h (31116), "Performance Counters", on
 * events of the northbridge.
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include "core_pmu.h"
#include "extra.h"
#include "siblings.h"

/**
 * struct x86_sibling - counters that a CPU has published
 * @lock: protects the other members, in the structs of all CPUs for which x86_sibling_lock_of()
 *	returns this one. A CPU may read its own struct without the lock, because only
 *	that CPU writes it.
 * @taken: mask of general purpose counters that are assigned
 * @leaking: subset of @taken with events that disturb the other thread
 * @shared: subset of @taken with events of the node
 */
struct x86_sibling {
	raw_spinlock_t	lock;
	u64		taken;
	u64		leaking;
	u64		shared;
};

static DEFINE_PER_CPU(struct x86_sibling, x86_sibling) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_sibling.lock),
};

/* Shared events are rare: all nodes use one lock. */
static raw_spinlock_t *x86_sibling_lock_of(const struct x86_cpu_pmu *cpu)
{
	unsigned int home = cpu->core->shared ? cpumask_first(cpu_possible_mask) :
			    x86_extra_home_of(smp_processor_id());

	return &per_cpu(x86_sibling, home).lock;
}

static const struct cpumask *x86_sibling_others_of(const struct x86_cpu_pmu *cpu)
{
	return cpu->core->shared ? cpu_possible_mask :
				   topology_sibling_cpumask(smp_processor_id());
}

static u64 x86_sibling_spoiled_by(const struct x86_sibling *other, const struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_SHARED)
		return other->shared;
	return event->hw.flags & X86_EVENT_LEAKS ? other->taken : other->leaking;
}

/* Processors without node numbers report node 0. A node is never larger than a package. */
static bool x86_sibling_same_node(unsigned int one, unsigned int other)
{
	return topology_amd_node_id(one) == topology_amd_node_id(other) &&
	       topology_physical_package_id(one) == topology_physical_package_id(other);
}

/* Mask of counters that an event must not use because of other CPUs. */
static u64 x86_sibling_spoiled_for(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	unsigned int this = smp_processor_id(), nr;
	u64 spoiled = 0;

	for_each_cpu(nr, x86_sibling_others_of(cpu)) {
		if (nr == this || (cpu->core->shared && !x86_sibling_same_node(nr, this)))
			continue;
		spoiled |= x86_sibling_spoiled_by(per_cpu_ptr(&x86_sibling, nr), event);
	}
	return spoiled;
}

static void x86_sibling_publish(const struct x86_cpu_pmu *cpu)
{
	struct x86_sibling *self = this_cpu_ptr(&x86_sibling);
	u64 todo;

	self->taken = cpu->assign.taken & X86_PMC_GENERIC_MASK;
	self->leaking = 0;
	self->shared = 0;
	for (todo = self->taken; todo; todo &= todo - 1) {
		const struct perf_event *event = cpu->assign.user[__ffs64(todo)];

		if (event->hw.flags & X86_EVENT_LEAKS)
			self->leaking |= todo & -todo;
		if (event->hw.flags & X86_EVENT_SHARED)
			self->shared |= todo & -todo;
	}
}

/* With shared events, only these, and their CPUs, depend on other CPUs. */
static bool x86_sibling_concerns_others(const struct x86_cpu_pmu *cpu,
					const struct perf_event *event)
{
	return !cpu->core->shared || event->hw.flags & X86_EVENT_SHARED ||
	       this_cpu_read(x86_sibling.shared);
}

/**
 * x86_sibling_assign() - assign a counter that is compatible with the other CPUs
 * @cpu: this CPU's PMU, disabled
 * @event: the event; without a counter
 *
 * Return: as x86_assign_counter().
 */
u64 x86_sibling_assign(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct x86_assignment *assign = &cpu->assign;
	u64 changed, todo;

	if (!x86_sibling_concerns_others(cpu, event))
		return x86_assign_counter(assign, event, event->hw.config_base);

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	/* An event may keep its counter, or move to one that is compatible now. */
	for (todo = assign->taken; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		const struct perf_event *user = assign->user[idx];

		assign->allowed[idx] = user->hw.config_base & ~x86_sibling_spoiled_for(cpu, user);
		assign->allowed[idx] |= BIT_ULL(idx);
	}
	changed = x86_assign_counter(assign, event,
				     event->hw.config_base & ~x86_sibling_spoiled_for(cpu, event));
	x86_sibling_publish(cpu);
	return changed;
}

/**
 * x86_sibling_left() - publish that a counter was released
 * @cpu: this CPU's PMU, disabled
 * @event: the event that has released its counter
 */
void x86_sibling_left(struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	if (!x86_sibling_concerns_others(cpu, event))
		return;
	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	x86_sibling_publish(cpu);
}

/**
 * x86_sibling_gone() - publish that this CPU goes offline
 * @cpu: this CPU's PMU
 *
 * Events may still be assigned to counters, but none is programmed.
 */
void x86_sibling_gone(struct x86_cpu_pmu *cpu)
{
	struct x86_sibling *self = this_cpu_ptr(&x86_sibling);

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	self->taken = 0;
	self->leaking = 0;
	self->shared = 0;
}
