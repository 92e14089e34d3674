// SPDX-License-Identifier: GPL-2.0
/*
 * Extra registers. Some events need another register beside their counter, for settings
 * that do not fit into the event select. Events that need the same value share it.
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
	u16 aux = core->precise.loads_aux;

	/* A child event is in a group like its parent's. */
	if (aux && event->attr.sample_type & PERF_SAMPLE_DATA_SRC && !event->parent &&
	    !x86_extra_group_has(event, aux))
		return perf_refuse(-ENODATA, "sample_type",
				   "DATA_SRC needs event %#x before this one in the group", aux);
	/* Only PEBS measures latencies. Without it the event would count something else. */
	if (!event->attr.precise_ip)
		return perf_refuse(-EOPNOTSUPP, "config",
				   "the latency of loads needs precise sampling%s",
				   core->side[X86_SIDE_PRECISE] ? "" : ", there is none");
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

/*
 * Find a row for an event: a row with a register that already has the value, otherwise a row
 * with an unused register, otherwise NULL.
 */
static const struct extra_reg *x86_extra_take(struct x86_extra_regs *regs, struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct extra_reg *wanted = &core->extra[event->hw.extra_reg.idx];
	const struct extra_reg *rows[2] = { wanted, wanted + wanted->other };
	const struct extra_reg *unused = NULL, *rule;
	u64 value = event->hw.extra_reg.config;
	unsigned int n, slot;

	if (wanted->other > 0)
		swap(rows[0], rows[1]);
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
 * @event: the event; about to be added. Its event select changes if an equivalent
 *	register is used instead.
 *
 * Return: true if the event needs none, or has got one.
 */
bool x86_extra_get(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	const struct extra_reg *rule;
	struct x86_extra_core *extra;
	unsigned int home;

	if (!hwc->extra_reg.reg)
		return true;

	home = core->extra_shared ? this_cpu_read(x86_extra_home) : smp_processor_id();
	extra = per_cpu_ptr(&x86_extra_core, home);
	scoped_guard(raw_spinlock, &extra->lock)
		rule = x86_extra_take(&extra->regs, event);
	/* The core tries the group again later: the other thread may release the register. */
	if (!rule)
		return false;
	hwc->extra_reg.reg = rule->msr;
	hwc->extra_reg.idx = rule - core->extra;
	hwc->extra_reg.alloc = home + 1;
	hwc->config = (hwc->config & ~rule->config_mask) | rule->event;
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
