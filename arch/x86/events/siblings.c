// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of CPUs that are in each other's way.
 *
 * Leaks: on some models, with two threads of a core in use, events of loads that have
 * retired are also counted by the counter of the same number of the other thread,
 * whatever that counts. So while such an event has a counter, the other thread leaves
 * its own of that number alone.
 *
 * Shared events: before AMD's family 15h each core counts events of its node's
 * northbridge with its own counters, but two cores must not do so with counters of the
 * same number. So while such an event has a counter, the other cores of the node use
 * theirs of that number for anything else.
 *
 * Each CPU tells which counters it uses, and for which of these, under a lock. A
 * newcomer, and those that move to make room for it, only get counters that go with
 * what the others have at that time. The PMU of the CPU is off meanwhile, so no
 * counter counts that has not been told of. CPUs that come have told of nothing yet.
 *
 * Owns struct x86_sibling. On the CPU concerned, irqs off.
 *
 * Sources: errata BJ122, BV98, HSD29 and HSM30 of Intel's specification updates; BIOS
 * and Kernel Developer's Guide for family 10h (31116), "Performance Counters", on
 * events of the northbridge.
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include "core_pmu.h"

/**
 * struct x86_sibling - what others have to know of a CPU
 * @lock: protects what follows, in all CPUs that have this one as their home; only a
 *	CPU itself writes its own, so there it may read without
 * @taken: general purpose counters that have a user
 * @leaking: of these, those whose event counts for others
 * @shared: and those whose event is the node's
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

/* Shared events are rare: one lock will do for all nodes. */
static raw_spinlock_t *lock_of(const struct x86_cpu_pmu *cpu)
{
	unsigned int home = cpu->core->shared ? cpumask_first(cpu_possible_mask) :
			    x86_extra_home_of(smp_processor_id());

	return &per_cpu(x86_sibling, home).lock;
}

static const struct cpumask *others_of(const struct x86_cpu_pmu *cpu)
{
	return cpu->core->shared ? cpu_possible_mask :
				   topology_sibling_cpumask(smp_processor_id());
}

static u64 spoiled_by(const struct x86_sibling *other, const struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_SHARED)
		return other->shared;
	return event->hw.flags & X86_EVENT_LEAKS ? other->taken : other->leaking;
}

/* Processors that cannot tell number all their nodes 0; none has two packages. */
static bool same_node(unsigned int one, unsigned int other)
{
	return topology_amd_node_id(one) == topology_amd_node_id(other) &&
	       topology_physical_package_id(one) == topology_physical_package_id(other);
}

/* Counters that an event must not use for what the others do. */
static u64 spoiled_for(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	unsigned int this = smp_processor_id(), nr;
	u64 spoiled = 0;

	for_each_cpu(nr, others_of(cpu)) {
		if (nr == this || (cpu->core->shared && !same_node(nr, this)))
			continue;
		spoiled |= spoiled_by(per_cpu_ptr(&x86_sibling, nr), event);
	}
	return spoiled;
}

static void tell(const struct x86_cpu_pmu *cpu)
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

/* Most events have nothing to do with the others where only shared ones do. */
static bool concerns_others(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	return !cpu->core->shared || event->hw.flags & X86_EVENT_SHARED ||
	       this_cpu_read(x86_sibling.shared);
}

/**
 * x86_sibling_assign() - x86_assign_counter(), in view of the other CPUs
 * @cpu: this CPU's, off
 * @event: who wants a counter
 *
 * Return: as x86_assign_counter().
 */
u64 x86_sibling_assign(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct x86_assignment *assign = &cpu->assign;
	u64 changed, todo;

	if (!concerns_others(cpu, event))
		return x86_assign_counter(assign, event, event->hw.config_base);

	guard(raw_spinlock)(lock_of(cpu));
	/* who has a seat may keep it, and move where it is right by now */
	for (todo = assign->taken; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		const struct perf_event *user = assign->user[idx];

		assign->allowed[idx] = user->hw.config_base & ~spoiled_for(cpu, user);
		assign->allowed[idx] |= BIT_ULL(idx);
	}
	changed = x86_assign_counter(assign, event, event->hw.config_base & ~spoiled_for(cpu, event));
	tell(cpu);
	return changed;
}

/**
 * x86_sibling_left() - a seat has become free
 * @cpu: this CPU's, off
 * @event: who has left
 */
void x86_sibling_left(struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	if (!concerns_others(cpu, event))
		return;
	guard(raw_spinlock)(lock_of(cpu));
	tell(cpu);
}

/**
 * x86_sibling_gone() - this CPU does not count any more
 * @cpu: this CPU's
 *
 * Its events may have their seats for a while, but no counters.
 */
void x86_sibling_gone(struct x86_cpu_pmu *cpu)
{
	struct x86_sibling *self = this_cpu_ptr(&x86_sibling);

	guard(raw_spinlock)(lock_of(cpu));
	self->taken = 0;
	self->leaking = 0;
	self->shared = 0;
}
