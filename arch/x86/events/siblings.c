// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that count for the other thread of their core. On some models, with two
 * threads in use, events of loads that have retired are also counted by the counter
 * of the same number of the other thread, whatever that counts. So while such an
 * event has a counter, the other thread leaves its own of that number alone.
 *
 * Each thread tells which counters it uses, and which of these leak, under a lock of
 * the core. A newcomer, and those that move to make room for it, only get counters
 * that go with what the other thread has at that time. The PMU of the thread is off
 * meanwhile, so no counter counts that has not been told of.
 *
 * Owns struct x86_sibling. On the CPU concerned, irqs off.
 *
 * Sources: errata BJ122, BV98, HSD29 and HSM30 of Intel's specification updates.
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include "core_pmu.h"

/**
 * struct x86_sibling - what the other threads of a core have to know of one
 * @lock: protects what follows, in all threads that have this CPU as their home
 * @taken: general purpose counters that have a user
 * @leaking: of these, those whose event counts for others
 */
struct x86_sibling {
	raw_spinlock_t	lock;
	u64		taken;
	u64		leaking;
};

static DEFINE_PER_CPU(struct x86_sibling, x86_sibling) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_sibling.lock),
};

static raw_spinlock_t *core_lock(void)
{
	return &per_cpu(x86_sibling, x86_extra_home_of(smp_processor_id())).lock;
}

/* Counters that an event must not use for what the other threads do. */
static u64 spoiled_for(const struct perf_event *event)
{
	unsigned int this = smp_processor_id(), nr;
	u64 spoiled = 0;

	for_each_cpu(nr, topology_sibling_cpumask(this)) {
		const struct x86_sibling *other = per_cpu_ptr(&x86_sibling, nr);

		if (nr != this)
			spoiled |= event->hw.flags & X86_EVENT_LEAKS ? other->taken :
								       other->leaking;
	}
	return spoiled;
}

static void tell(const struct x86_cpu_pmu *cpu)
{
	struct x86_sibling *self = this_cpu_ptr(&x86_sibling);
	u64 todo;

	self->taken = cpu->seats.taken & X86_PMC_GENERIC_MASK;
	self->leaking = 0;
	for (todo = self->taken; todo; todo &= todo - 1) {
		const struct perf_event *event = cpu->seats.user[__ffs64(todo)];

		if (event->hw.flags & X86_EVENT_LEAKS)
			self->leaking |= todo & -todo;
	}
}

/**
 * x86_sibling_take() - x86_seat_take(), in view of the other threads
 * @cpu: this CPU's, off
 * @event: who wants a counter
 *
 * Return: as x86_seat_take().
 */
u64 x86_sibling_take(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct x86_seating *seats = &cpu->seats;
	u64 changed, todo;

	guard(raw_spinlock)(core_lock());
	/* who has a seat may keep it, and move where it is right by now */
	for (todo = seats->taken; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		const struct perf_event *user = seats->user[idx];

		seats->allowed[idx] = (user->hw.config_base & ~spoiled_for(user)) | BIT_ULL(idx);
	}
	changed = x86_seat_take(seats, event, event->hw.config_base & ~spoiled_for(event));
	tell(cpu);
	return changed;
}

/**
 * x86_sibling_left() - seats have become free
 * @cpu: this CPU's, off
 */
void x86_sibling_left(struct x86_cpu_pmu *cpu)
{
	guard(raw_spinlock)(core_lock());
	tell(cpu);
}

/**
 * x86_sibling_gone() - this CPU does not count any more
 *
 * Its events may have their seats for a while, but no counters.
 */
void x86_sibling_gone(void)
{
	struct x86_sibling *self = this_cpu_ptr(&x86_sibling);

	guard(raw_spinlock)(core_lock());
	self->taken = 0;
	self->leaking = 0;
}
