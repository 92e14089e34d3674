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
 * Claims: neither of two threads may have all counters for good. If an event is refused because
 * of the other thread, its thread claims counters. A claim is valid for a turn. Until then the
 * other thread has at most half of its counters in the way of the event. Groups beyond that lose
 * their counters: they wait, or are in error if they are pinned. Half is not enough if the group
 * of the event is larger, or if the event has few counters. Then all groups that are in the
 * way lose their counters, but for pinned ones within half. A thread that has half itself claims
 * nothing for smaller groups. After a turn only the other thread can claim, until one more turn
 * has passed. So groups that do not fit beside each other take turns.
 *
 * Shared events have no claims: a core waits until another one releases a counter.
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
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_give_way.h>
#include <linux/topology.h>
#include "core_pmu.h"
#include "extra.h"
#include "siblings.h"

/* Length of a turn, ms: a few intervals of multiplexing. */
#define SIBLING_TURN	20

/**
 * struct x86_claim - counters that a thread claims of the other thread of its core
 * @made: there was a claim since boot
 * @by: the thread
 * @leaks: every general purpose counter of the other thread is in the way, otherwise only those
 *	with events that leak
 * @all: the other thread gives up all counters that are in the way, otherwise those beyond half
 * @end: get_jiffies_64() at which it ends
 */
struct x86_claim {
	bool		made;
	unsigned int	by;
	bool		leaks;
	bool		all;
	u64		end;
};

/**
 * struct x86_sibling - counters that a CPU has published
 * @lock: protects the other members but @settle, in the structs of all CPUs for which
 *	x86_sibling_lock_of() returns this one. A CPU may read its own struct without the lock,
 *	because only that CPU writes it.
 * @claim: the last claim of one of these CPUs; in the struct with the lock
 * @taken: mask of general purpose counters that are assigned
 * @leaking: subset of @taken with events that disturb the other thread
 * @pinned: subset of @taken with pinned events
 * @shared: subset of @taken with events of the node
 * @settle: lets the CPU give counters up that are claimed, or use those that it has claimed
 */
struct x86_sibling {
	raw_spinlock_t	lock;
	struct x86_claim claim;
	u64		taken;
	u64		leaking;
	u64		pinned;
	u64		shared;
	struct irq_work	settle;
};

static void x86_sibling_settle(struct irq_work *work);

static DEFINE_PER_CPU(struct x86_sibling, x86_sibling) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_sibling.lock),
	.settle	= IRQ_WORK_INIT_HARD(x86_sibling_settle),
};

/* The struct with the lock. Shared events are rare: all nodes use one. */
static struct x86_sibling *x86_sibling_home_of(const struct x86_cpu_pmu *cpu)
{
	unsigned int home = cpu->core->shared ? cpumask_first(cpu_possible_mask) :
			    x86_extra_home_of(smp_processor_id());

	return per_cpu_ptr(&x86_sibling, home);
}

static raw_spinlock_t *x86_sibling_lock_of(const struct x86_cpu_pmu *cpu)
{
	return &x86_sibling_home_of(cpu)->lock;
}

static const struct cpumask *x86_sibling_others_of(const struct x86_cpu_pmu *cpu)
{
	return cpu->core->shared ? cpu_possible_mask :
				   topology_sibling_cpumask(smp_processor_id());
}

static bool x86_sibling_leaks(const struct perf_event *event)
{
	return event->hw.flags & X86_EVENT_LEAKS;
}

/* Counters of a thread that the other thread cannot use for an event that leaks, or does not. */
static u64 x86_sibling_in_the_way(const struct x86_sibling *thread, bool leaks)
{
	return leaks ? thread->taken : thread->leaking;
}

static bool x86_sibling_is_pinned(const struct perf_event *event)
{
	return event->group_leader->attr.pinned;
}

static u64 x86_sibling_spoiled_by(const struct x86_sibling *other, const struct perf_event *event)
{
	if (event->hw.flags & X86_EVENT_SHARED)
		return other->shared;
	return x86_sibling_in_the_way(other, x86_sibling_leaks(event));
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
	self->pinned = 0;
	self->shared = 0;
	for (todo = self->taken; todo; todo &= todo - 1) {
		const struct perf_event *event = cpu->assign.user[__ffs64(todo)];

		if (event->hw.flags & X86_EVENT_LEAKS)
			self->leaking |= todo & -todo;
		if (x86_sibling_is_pinned(event))
			self->pinned |= todo & -todo;
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

static unsigned int x86_sibling_half(const struct x86_cpu_pmu *cpu)
{
	return max(1U, hweight64(cpu->core->counters & X86_PMC_GENERIC_MASK) / 2);
}

/* The claim of the other thread, or NULL. */
static const struct x86_claim *x86_sibling_claim_of_other(const struct x86_cpu_pmu *cpu)
{
	const struct x86_claim *claim = &x86_sibling_home_of(cpu)->claim;

	if (likely(!claim->made) || claim->by == smp_processor_id() ||
	    !time_before64(get_jiffies_64(), claim->end))
		return NULL;
	return claim;
}

/* The number of counters that may be in the way of a claim if an event is added. */
static unsigned int x86_sibling_limit(const struct x86_cpu_pmu *cpu, const struct x86_claim *claim,
				      const struct perf_event *event)
{
	return claim->all && !x86_sibling_is_pinned(event) ? 0 : x86_sibling_half(cpu);
}

/* Mask of counters that an event of this thread must not get because of a claim. */
static u64 x86_sibling_claimed_from(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	const struct x86_claim *claim = x86_sibling_claim_of_other(cpu);
	u64 ours;

	if (likely(!claim) || (!claim->leaks && !x86_sibling_leaks(event)))
		return 0;
	ours = x86_sibling_in_the_way(this_cpu_ptr(&x86_sibling), claim->leaks);
	return hweight64(ours) < x86_sibling_limit(cpu, claim, event) ? 0 : X86_PMC_GENERIC_MASK;
}

/*
 * Say where the events that have counters can move: to any of their counters, or, with @limit, to
 * those that are compatible now. An event may keep its counter.
 */
static void x86_sibling_limit_moves(struct x86_cpu_pmu *cpu, bool limit)
{
	struct x86_assignment *assign = &cpu->assign;
	u64 todo;

	for (todo = assign->taken; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		const struct perf_event *user = assign->user[idx];
		u64 not = 0;

		if (limit)
			not = x86_sibling_spoiled_for(cpu, user);
		/* to move from a fixed counter is to take one more of the others */
		if (limit && BIT_ULL(idx) & ~X86_PMC_GENERIC_MASK && cpu->core->leaks)
			not |= x86_sibling_claimed_from(cpu, user);
		assign->allowed[idx] = (user->hw.config_base & ~not) | BIT_ULL(idx);
	}
}

/* The other thread of the core, or -1. */
static int x86_sibling_other_thread(void)
{
	unsigned int this = smp_processor_id(), nr;

	for_each_cpu(nr, topology_sibling_cpumask(this)) {
		if (nr != this)
			return nr;
	}
	return -1;
}

/* The last claim is valid, or was made by this thread and the other one has the next turn. */
static bool x86_sibling_must_wait(const struct x86_claim *last)
{
	u64 end = last->end;

	if (last->by == smp_processor_id())
		end += msecs_to_jiffies(SIBLING_TURN);
	return last->made && time_before64(get_jiffies_64(), end);
}

/* Does the event need a general purpose counter? */
static bool x86_sibling_needs_one(const struct perf_event *event, const struct pmu *pmu)
{
	return event->pmu == pmu && event->state >= PERF_EVENT_STATE_INACTIVE &&
	       !(event->hw.config_base & ~X86_PMC_GENERIC_MASK);
}

/* Members that x86_sibling_need() looks at: a group can have any number of software events. */
#define SIBLING_MEMBERS	32

/**
 * struct x86_need - what the group of an event needs
 * @counters: number of general purpose counters; of a group with more members than
 *	SIBLING_MEMBERS, the number that makes it large at least
 * @leaks: one of its events on these counters leaks
 */
struct x86_need {
	unsigned int	counters;
	bool		leaks;
};

static void x86_sibling_add_need(struct x86_need *need, const struct perf_event *member,
				 const struct pmu *pmu)
{
	if (!x86_sibling_needs_one(member, pmu))
		return;
	need->counters++;
	need->leaks |= x86_sibling_leaks(member);
}

static struct x86_need x86_sibling_need(const struct x86_cpu_pmu *cpu,
					const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct x86_need need = { .leaks = x86_sibling_leaks(event) };
	unsigned int looks = SIBLING_MEMBERS;

	x86_sibling_add_need(&need, leader, event->pmu);
	for_each_sibling_event(sibling, leader) {
		x86_sibling_add_need(&need, sibling, event->pmu);
		if (--looks)
			continue;
		need.counters = max(need.counters, x86_sibling_half(cpu) + 1);
		break;
	}
	return need;
}

/*
 * Can a claim let an event and its group fit? Pinned events of the other thread keep their
 * counters, or half of them, and then it is not known which.
 */
static bool x86_sibling_can_fit(struct x86_cpu_pmu *cpu, const struct perf_event *event,
				unsigned int needed, u64 pinned)
{
	u64 generic = cpu->core->counters & X86_PMC_GENERIC_MASK, not = pinned;
	unsigned int half = x86_sibling_half(cpu);

	if (needed + min(hweight64(pinned), half) > hweight64(generic))
		return false;
	if (hweight64(pinned) > half && !(generic & ~event->hw.config_base))
		not = 0;
	x86_sibling_limit_moves(cpu, false);
	return x86_assign_fits(&cpu->assign, event->hw.config_base & ~not);
}

/*
 * An event was refused: claim a counter of the other thread if that is the reason, and if this
 * thread has less than half of its counters, or the group needs more. There is no claim if the
 * group would not fit beside what the other thread keeps.
 */
static void x86_sibling_make_claim(struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	struct x86_claim *claim = &x86_sibling_home_of(cpu)->claim;
	const struct x86_sibling *self = this_cpu_ptr(&x86_sibling);
	struct x86_need need = x86_sibling_need(cpu, event);
	int other = x86_sibling_other_thread();
	unsigned int half = x86_sibling_half(cpu);
	bool large = need.counters > half;
	u64 theirs, pinned;

	if (other < 0 || x86_sibling_must_wait(claim) ||
	    (!large && hweight64(self->taken) >= half))
		return;
	theirs = x86_sibling_in_the_way(per_cpu_ptr(&x86_sibling, other), need.leaks);
	pinned = theirs & per_cpu(x86_sibling, other).pinned;
	if ((theirs == pinned && hweight64(pinned) <= half) ||
	    !x86_sibling_can_fit(cpu, event, need.counters, pinned))
		return;
	*claim = (struct x86_claim) {
		.made	= true,
		.by	= smp_processor_id(),
		.leaks	= need.leaks,
		.all	= large || hweight64(theirs) <= half,
		.end	= get_jiffies_64() + msecs_to_jiffies(SIBLING_TURN),
	};
	irq_work_queue_on(&per_cpu(x86_sibling, other).settle, other);
}

/* perf_pmu_give_way(): an event of this CPU that is in the way of a claim, or NULL. */
static struct perf_event *x86_sibling_next_to_go(struct pmu *pmu)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct perf_event *event, *pinned = NULL;
	const struct x86_claim *claim;
	unsigned int nr;
	u64 todo;

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	claim = x86_sibling_claim_of_other(cpu);
	if (!claim)
		return NULL;
	todo = x86_sibling_in_the_way(this_cpu_ptr(&x86_sibling), claim->leaks);
	nr = hweight64(todo);
	for (; todo; todo &= todo - 1) {
		event = cpu->assign.user[__ffs64(todo)];
		if (nr <= x86_sibling_limit(cpu, claim, event))
			continue;
		if (!x86_sibling_is_pinned(event))
			return event;
		/* the CPU's own pinned events have priority over a task's */
		if (!pinned || event->attach_state & PERF_ATTACH_TASK)
			pinned = event;
	}
	return pinned;
}

/* Get the thread that waits until this one has given counters up, or -1. */
static int x86_sibling_claimer(const struct x86_cpu_pmu *cpu)
{
	const struct x86_claim *claim;

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	claim = x86_sibling_claim_of_other(cpu);
	return claim ? claim->by : -1;
}

/* Context: hardirq, on the CPU that gives way, and then on the one that has made the claim. */
static void x86_sibling_settle(struct irq_work *work)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	int claimer;

	/* A CPU that goes offline runs what was queued before. */
	if (!cpu->core || !cpu_online(smp_processor_id()))
		return;
	perf_pmu_give_way(&cpu->core->pmu, x86_sibling_next_to_go);
	claimer = x86_sibling_claimer(cpu);
	if (claimer >= 0 && cpu_online(claimer))
		irq_work_queue_on(&per_cpu(x86_sibling, claimer).settle, claimer);
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
	u64 changed, not;

	if (!x86_sibling_concerns_others(cpu, event))
		return x86_assign_counter(assign, event, event->hw.config_base);

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	x86_sibling_limit_moves(cpu, true);
	not = x86_sibling_spoiled_for(cpu, event);
	if (cpu->core->leaks)
		not |= x86_sibling_claimed_from(cpu, event);
	changed = x86_assign_counter(assign, event, event->hw.config_base & ~not);
	if (changed)
		x86_sibling_publish(cpu);
	else if (cpu->core->leaks && not)
		x86_sibling_make_claim(cpu, event);
	return changed;
}

/**
 * x86_sibling_move() - move an event to a counter if that is compatible with the other CPUs
 * @cpu: this CPU's PMU, disabled
 * @counter: the event's counter
 * @to: the counter that it gets instead
 *
 * Return: as x86_assign_move().
 */
bool x86_sibling_move(struct x86_cpu_pmu *cpu, unsigned int counter, unsigned int to)
{
	bool moved;

	guard(raw_spinlock)(x86_sibling_lock_of(cpu));
	x86_sibling_limit_moves(cpu, true);
	moved = x86_assign_move(&cpu->assign, counter, to);
	if (moved)
		x86_sibling_publish(cpu);
	return moved;
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
	self->pinned = 0;
	self->shared = 0;
}
