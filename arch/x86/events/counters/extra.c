// SPDX-License-Identifier: GPL-2.0
/*
 * Extra registers. Some events need another register beside their counter, for settings
 * that do not fit into the event select. Events that need the same value share it. Of two
 * equivalent registers an event takes the one that takes fewer values, and events move to the
 * other one if that makes room for a new event.
 *
 * Since Sandy Bridge each thread has its own extra registers (scope "Thread" in the tables
 * of Intel SDM volume 4). Of older cores, and of Knights Landing, the driver assumes that
 * the threads of a core share them. If that is wrong, an event may wait without need, but
 * counts correctly.
 *
 * Owns struct x86_extra_core.
 *
 * Context: task for x86_extra_init() and x86_extra_try(); irqs off, on the event's CPU,
 * for x86_extra_get() and x86_extra_put().
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/perf_refusal.h>
#include <linux/topology.h>
#include "core_pmu.h"
#include "extra.h"
#include "side.h"

/**
 * struct x86_extra_core - the registers of a core, or of a thread
 * @lock: protects @regs; taken with interrupts disabled
 * @regs: values and users of the registers
 */
struct x86_extra_core {
	raw_spinlock_t		lock;
	struct x86_extra_regs	regs;
};

static DEFINE_PER_CPU(struct x86_extra_core, x86_extra_core) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_extra_core.lock),
};

/*
 * The CPU that represents the core of this CPU: its struct x86_extra_core is used if threads
 * share the registers. Set when the CPU comes online. It is the same for all threads, even
 * after that CPU went offline.
 */
static DEFINE_PER_CPU(unsigned int, x86_extra_home);

/**
 * x86_extra_cpu_starting() - find the extra registers of a CPU that comes online
 * @nr: this CPU; it is in its core's mask
 *
 * Context: irqs off.
 */
void x86_extra_cpu_starting(unsigned int nr)
{
	unsigned int sibling;

	per_cpu(x86_extra_home, nr) = nr;
	for_each_cpu(sibling, topology_sibling_cpumask(nr)) {
		if (sibling != nr) {
			per_cpu(x86_extra_home, nr) = per_cpu(x86_extra_home, sibling);
			return;
		}
	}
}

/**
 * x86_extra_home_of() - get the CPU that represents a core
 * @nr: a CPU of the core that is, or was, online
 *
 * Return: the same CPU for all threads of the core.
 */
unsigned int x86_extra_home_of(unsigned int nr)
{
	return per_cpu(x86_extra_home, nr);
}

/**
 * x86_extra_probe() - find out which extra registers exist
 * @core: the kind of core, with @core->extra
 *
 * Sets @core->extra_missing. A hypervisor may not implement the registers.
 *
 * Context: irqs off or boot, on a CPU of that kind.
 */
void x86_extra_probe(struct x86_core_pmu *core)
{
	const struct extra_reg *rule;
	u64 value;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if (x86_hw_read_safe(rule->msr, &value) || x86_hw_write_safe(rule->msr, value))
			core->extra_missing |= BIT(rule - core->extra);
	}
}

static const struct extra_reg *x86_extra_find_rule(const struct x86_core_pmu *core, u64 config)
{
	const struct extra_reg *rule;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if ((config & rule->config_mask) == rule->event)
			return rule;
	}
	return NULL;
}

static bool x86_extra_accepts(const struct x86_core_pmu *core, const struct extra_reg *rule,
			      u64 value)
{
	return !(value & ~rule->valid_mask) && !(core->extra_missing & BIT(rule - core->extra));
}

/* What an event counts, with records or without. */
#define X86_AUX_WHAT	(X86_SELECT_WHAT & ~ICL_EVENTSEL_ADAPTIVE)

/* Has the group an event of the PMU already? */
static bool x86_extra_group_has(const struct perf_event *event, u64 config)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (leader == event)
		return false;
	if (leader->pmu == event->pmu && (leader->hw.config & X86_AUX_WHAT) == config)
		return true;
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == event->pmu && (sibling->hw.config & X86_AUX_WHAT) == config)
			return true;
	}
	return false;
}

/*
 * perf tries lower and lower values of precise_ip, and prints what the errno of the last one means.
 * So ENODATA takes precedence over the refusal without precise_ip.
 */
static int x86_extra_check_latency(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	bool precise = x86_side_is_offered(core, X86_SIDE_PRECISE);
	u16 aux = precise ? core->precise.loads_aux : 0;

	/* A child event is in a group like its parent's. */
	if (aux && event->attr.sample_type & PERF_SAMPLE_DATA_SRC && !event->parent &&
	    !x86_extra_group_has(event, aux))
		return perf_refuse(-ENODATA, "sample_type",
				   "DATA_SRC needs event %#x before this one in the group", aux);
	/* Only PEBS measures latencies. Without it the event would count something else. */
	if (!event->attr.precise_ip)
		return perf_refuse(-EOPNOTSUPP, "config",
				   "the latency of loads needs precise sampling%s",
				   precise ? "" : ", there is none");
	return 0;
}

/**
 * x86_extra_init() - check whether a new event needs an extra register
 * @event: the event, with hw.config
 *
 * Return: 0, -EOPNOTSUPP for an event that needs precise sampling, -ENODATA for one that needs
 * another event in its group, -EINVAL if the register does not take attr.config1, -ENXIO if there
 * is no such register.
 */
int x86_extra_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct extra_reg *rule;
	u64 value = event->attr.config1;
	int err;

	rule = x86_extra_find_rule(core, event->hw.config);
	if (!rule)
		return 0;
	if (rule->msr == MSR_PEBS_LD_LAT_THRESHOLD) {
		err = x86_extra_check_latency(event);
		if (err)
			return err;
	}
	if (value & ~rule->valid_mask &&
	    !(rule->other && x86_extra_accepts(core, rule + rule->other, value)))
		return perf_refuse(-EINVAL, "config1", "%s takes bits %#llx, asked was %#llx",
				   rule->field, rule->valid_mask, value);
	if (core->extra_missing & BIT(rule - core->extra))
		return perf_refuse(-ENXIO, "config", "register %#x of this event is missing",
				   rule->msr);
	event->hw.extra_reg.reg = rule->msr;
	event->hw.extra_reg.config = value;
	event->hw.extra_reg.idx = rule - core->extra;
	return 0;
}

/* The index of a register: the index of the first row that names it. */
static unsigned int x86_extra_slot_of(const struct x86_core_pmu *core, const struct extra_reg *rule)
{
	unsigned int slot = 0;

	while (core->extra[slot].msr != rule->msr)
		slot++;
	return slot;
}

/* The rows of an event, the one to be tried first before the other one. Both may be the same. */
static void x86_extra_rows(const struct perf_event *event, const struct extra_reg *rows[2])
{
	const struct extra_reg *row = &x86_core_of(event->pmu)->extra[event->hw.extra_reg.idx];

	rows[0] = row->other > 0 ? row + row->other : row;
	rows[1] = row->other > 0 ? row : row + row->other;
}

/*
 * Find a row for an event: a row with a register that already has the value, otherwise a row
 * with an unused register, otherwise NULL.
 */
static const struct extra_reg *x86_extra_take(struct x86_extra_regs *regs, struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct extra_reg *rows[2], *unused = NULL, *rule;
	u64 value = event->hw.extra_reg.config;
	unsigned int n, slot;

	x86_extra_rows(event, rows);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		rule = rows[n];
		slot = x86_extra_slot_of(core, rule);
		if (!x86_extra_accepts(core, rule, value))
			continue;
		if (regs->users[slot] && regs->value[slot] == value)
			break;
		if (!regs->users[slot] && !unused)
			unused = rule;
	}
	if (n == ARRAY_SIZE(rows))
		rule = unused;
	if (rule) {
		slot = x86_extra_slot_of(core, rule);
		regs->users[slot]++;
		regs->value[slot] = value;
	}
	return rule;
}

/* Let an event use the register of a row. */
static void x86_extra_use(struct perf_event *event, const struct extra_reg *rule)
{
	struct hw_perf_event *hwc = &event->hw;

	hwc->extra_reg.reg = rule->msr;
	hwc->extra_reg.idx = rule - x86_core_of(event->pmu)->extra;
	hwc->config = (hwc->config & ~rule->config_mask) | rule->event;
}

/* The counters of this CPU's events that use a register. */
static u64 x86_extra_users_here(const struct x86_cpu_pmu *cpu, unsigned int slot)
{
	u64 found = 0, todo;

	for (todo = cpu->assign.taken & ~cpu->assign.second; todo; todo &= todo - 1) {
		const struct perf_event *user = cpu->assign.user[__ffs64(todo)];

		if (user->hw.extra_reg.alloc &&
		    x86_extra_slot_of(cpu->core, &cpu->core->extra[user->hw.extra_reg.idx]) == slot)
			found |= todo & -todo;
	}
	return found;
}

/*
 * Move the users of a register to the equivalent one, which is unused. Return: the mask of their
 * counters, 0 if they cannot move: the equivalent register does not take the value, or users are
 * on the other thread of the core.
 */
static u64 x86_extra_move(struct x86_cpu_pmu *cpu, struct x86_extra_regs *regs,
			  const struct extra_reg *from, const struct extra_reg *to)
{
	unsigned int slot = x86_extra_slot_of(cpu->core, from);
	unsigned int other = x86_extra_slot_of(cpu->core, to);
	u64 users, todo;

	if (slot == other || regs->users[other] ||
	    !x86_extra_accepts(cpu->core, to, regs->value[slot]))
		return 0;
	users = x86_extra_users_here(cpu, slot);
	if (hweight64(users) != regs->users[slot])
		return 0;
	for (todo = users; todo; todo &= todo - 1)
		x86_extra_use(cpu->assign.user[__ffs64(todo)], to);
	swap(regs->users[slot], regs->users[other]);
	regs->value[other] = regs->value[slot];
	return users;
}

/*
 * Free a register that takes the value of an event, if other events can use the equivalent one.
 * Return: the mask of their counters.
 */
static u64 x86_extra_make_room(struct x86_cpu_pmu *cpu, struct x86_extra_regs *regs,
			       const struct perf_event *event)
{
	const struct extra_reg *rows[2];
	unsigned int n;
	u64 moved = 0;

	x86_extra_rows(event, rows);
	for (n = 0; n < ARRAY_SIZE(rows) && !moved; n++) {
		if (x86_extra_accepts(cpu->core, rows[n], event->hw.extra_reg.config))
			moved = x86_extra_move(cpu, regs, rows[n], rows[!n]);
	}
	return moved;
}

/**
 * x86_extra_try() - give one more event an extra register in an account of their use
 * @regs: use of the registers by the events before; not their use on a core
 * @event: the event, initialised
 *
 * Return: true if the event needs none, or has got one in @regs.
 */
bool x86_extra_try(struct x86_extra_regs *regs, struct perf_event *event)
{
	return !event->hw.extra_reg.reg || x86_extra_take(regs, event);
}

/**
 * x86_extra_get() - reserve the extra register of an event on this CPU
 * @cpu: this CPU's PMU, disabled
 * @event: the event; about to be added. Its event select changes if an equivalent
 *	register is used instead.
 * @moved: output, the mask of counters that are assigned to events with another register and
 *	event select than before. The events must be programmed again, also if @event is not added.
 *
 * Return: true if the event needs none, or has got one.
 */
bool x86_extra_get(struct x86_cpu_pmu *cpu, struct perf_event *event, u64 *moved)
{
	struct hw_perf_event *hwc = &event->hw;
	const struct extra_reg *rule;
	struct x86_extra_core *extra;
	unsigned int home;

	*moved = 0;
	if (!hwc->extra_reg.reg)
		return true;

	home = cpu->core->extra_shared ? this_cpu_read(x86_extra_home) : smp_processor_id();
	extra = per_cpu_ptr(&x86_extra_core, home);
	scoped_guard(raw_spinlock, &extra->lock) {
		rule = x86_extra_take(&extra->regs, event);
		if (!rule) {
			*moved = x86_extra_make_room(cpu, &extra->regs, event);
			if (*moved)
				rule = x86_extra_take(&extra->regs, event);
		}
	}
	/* The core tries the group again later: the other thread may release the register. */
	if (!rule)
		return false;
	x86_extra_use(event, rule);
	hwc->extra_reg.alloc = home + 1;
	return true;
}

/**
 * x86_extra_put() - release the extra register of an event
 * @event: the event, after a successful x86_extra_get()
 */
void x86_extra_put(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	struct x86_extra_core *extra;
	unsigned int slot;

	if (!hwc->extra_reg.alloc)
		return;

	extra = per_cpu_ptr(&x86_extra_core, hwc->extra_reg.alloc - 1);
	slot = x86_extra_slot_of(core, &core->extra[hwc->extra_reg.idx]);
	guard(raw_spinlock)(&extra->lock);
	if (!WARN_ON_ONCE(!extra->regs.users[slot]))
		extra->regs.users[slot]--;
	hwc->extra_reg.alloc = 0;
}
