// SPDX-License-Identifier: GPL-2.0
/*
 * Extra registers: events that need one more register beside their counter, for
 * what their event select has no room for. Events that want the same value in it
 * share it.
 *
 * The threads of a core share their registers. Of some the manuals say so, of
 * others they say nothing or otherwise from one model to the next; to take all
 * for shared is right in any case, and costs an event a wait at worst.
 *
 * Owns struct x86_extra_core. x86_extra_init() runs in task context, get and put
 * on the event's CPU with irqs off.
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/perf_refusal.h>
#include <linux/topology.h>
#include "core_pmu.h"

/**
 * struct x86_extra_core - the registers of a core
 * @lock: protects the rest; irqs off
 * @regs: who uses which
 */
struct x86_extra_core {
	raw_spinlock_t		lock;
	struct x86_extra_regs	regs;
};

static DEFINE_PER_CPU(struct x86_extra_core, x86_extra_core) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_extra_core.lock),
};

/*
 * Which CPU's struct x86_extra_core stands for the core of this one. Set when the
 * CPU starts, and the same for all threads even after that CPU has gone.
 */
static DEFINE_PER_CPU(unsigned int, x86_extra_home);

/**
 * x86_extra_cpu_starting() - find the registers of a CPU that comes up
 * @nr: this CPU, in its core's mask already; irqs off
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
 * x86_extra_home_of() - which CPU stands for the core of another
 * @nr: one that has been online
 *
 * Return: the same for all threads of a core.
 */
unsigned int x86_extra_home_of(unsigned int nr)
{
	return per_cpu(x86_extra_home, nr);
}

/**
 * x86_extra_probe() - see which registers there are
 * @core: with @core->extra; hypervisors may lack them
 *
 * Boot, on a CPU of that kind. Sets @core->extra_missing.
 */
void __init x86_extra_probe(struct x86_core_pmu *core)
{
	const struct extra_reg *rule;
	u64 value;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if (x86_hw_read_safe(rule->msr, &value) || x86_hw_write_safe(rule->msr, value))
			core->extra_missing |= BIT(rule - core->extra);
	}
}

static const struct extra_reg *find_rule(const struct x86_core_pmu *core, u64 config)
{
	const struct extra_reg *rule;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if ((config & rule->config_mask) == rule->event)
			return rule;
	}
	return NULL;
}

static bool takes(const struct x86_core_pmu *core, const struct extra_reg *rule, u64 value)
{
	return !(value & ~rule->valid_mask) && !(core->extra_missing & BIT(rule - core->extra));
}

/**
 * x86_extra_init() - does a new event need an extra register?
 * @event: with hw.config
 *
 * Return: 0, -EINVAL if the register does not take attr.config1, -ENXIO if there is
 * no such register.
 */
int x86_extra_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct extra_reg *rule;
	u64 value = event->attr.config1;

	rule = find_rule(core, event->hw.config);
	if (!rule)
		return 0;
	if (value & ~rule->valid_mask && !(rule->other && takes(core, rule + rule->other, value)))
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

/* Rows may name the same register; the first of them stands for it. */
static unsigned int slot_of(const struct x86_core_pmu *core, const struct extra_reg *rule)
{
	unsigned int slot = 0;

	while (core->extra[slot].msr != rule->msr)
		slot++;
	return slot;
}

/*
 * The row that serves an event: one whose register has the value already, else one
 * whose register nobody uses, else NULL.
 */
static const struct extra_reg *take(struct x86_extra_regs *regs, struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct extra_reg *asked = &core->extra[event->hw.extra_reg.idx];
	const struct extra_reg *rows[2] = { asked, asked + asked->other };
	const struct extra_reg *unused = NULL, *rule;
	u64 value = event->hw.extra_reg.config;
	unsigned int n, slot;

	if (asked->other > 0)
		swap(rows[0], rows[1]);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		rule = rows[n];
		slot = slot_of(core, rule);
		if (!takes(core, rule, value))
			continue;
		if (regs->users[slot] && regs->value[slot] == value)
			break;
		if (!regs->users[slot] && !unused)
			unused = rule;
	}
	if (n == ARRAY_SIZE(rows))
		rule = unused;
	if (rule) {
		slot = slot_of(core, rule);
		regs->users[slot]++;
		regs->value[slot] = value;
	}
	return rule;
}

/**
 * x86_extra_fits() - is there a register left for one more event?
 * @regs: of nobody; what the events before this one have taken
 * @event: initialised
 *
 * Return: true if it needs none or has been given one in @regs.
 */
bool x86_extra_fits(struct x86_extra_regs *regs, struct perf_event *event)
{
	return !event->hw.extra_reg.reg || take(regs, event);
}

/**
 * x86_extra_get() - reserve an event's extra register on this CPU
 * @event: about to be added; its event select is changed if another register than
 *	the one that was asked for serves it
 *
 * Return: true if it needs none or has got it.
 */
bool x86_extra_get(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	const struct extra_reg *rule;
	struct x86_extra_core *extra;
	unsigned int home;

	if (!hwc->extra_reg.reg)
		return true;

	home = this_cpu_read(x86_extra_home);
	extra = per_cpu_ptr(&x86_extra_core, home);
	scoped_guard(raw_spinlock, &extra->lock)
		rule = take(&extra->regs, event);
	/* the core's other thread may have it: the group is tried again after a while */
	if (!rule)
		return false;
	hwc->extra_reg.reg = rule->msr;
	hwc->extra_reg.idx = rule - x86_core_of(event->pmu)->extra;
	hwc->extra_reg.alloc = home + 1;
	hwc->config = (hwc->config & ~rule->config_mask) | rule->event;
	return true;
}

/**
 * x86_extra_put() - give an event's extra register back
 * @event: added before, or x86_extra_get() was successful
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
	slot = slot_of(core, &core->extra[hwc->extra_reg.idx]);
	guard(raw_spinlock)(&extra->lock);
	if (!WARN_ON_ONCE(!extra->regs.users[slot]))
		extra->regs.users[slot]--;
	hwc->extra_reg.alloc = 0;
}
