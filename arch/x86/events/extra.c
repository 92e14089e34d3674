// SPDX-License-Identifier: GPL-2.0
/*
 * Extra registers: events that need one more register beside their counter, for
 * what their event select has no room for. Such a register exists once for a
 * core, or for each thread; events that want the same value in it share it.
 *
 * Owns struct x86_extra_core. x86_extra_init() runs in task context, get and put
 * on the event's CPU with irqs off.
 */
#include <linux/cleanup.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include "core_pmu.h"
#include "../../../kernel/events/refusal.h"

/* More than any row of a vendor's table has. */
#define EXTRA_REGS_MAX	8

/**
 * struct x86_extra_core - the registers of a core, or of one thread
 * @lock: protects the rest; irqs off
 * @msr: which register a slot is for; 0: none yet
 * @value: what its users want in it
 * @users: how many
 */
struct x86_extra_core {
	raw_spinlock_t	lock;
	u32		msr[EXTRA_REGS_MAX];
	u64		value[EXTRA_REGS_MAX];
	unsigned int	users[EXTRA_REGS_MAX];
};

static DEFINE_PER_CPU(struct x86_extra_core, x86_extra_core) = {
	.lock	= __RAW_SPIN_LOCK_UNLOCKED(x86_extra_core.lock),
};

static const struct x86_extra_rule *find_rule(const struct x86_core_pmu *core, u64 config)
{
	const struct x86_extra_rule *rule;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if ((config & rule->mask) == rule->code)
			return rule;
	}
	return NULL;
}

/**
 * x86_extra_init() - does a new event need an extra register?
 * @event: with hw.config
 *
 * Return: 0, -EINVAL if the register does not take attr.config1.
 */
int x86_extra_init(struct perf_event *event)
{
	const struct x86_extra_rule *rule;
	u64 value = event->attr.config1;

	rule = find_rule(x86_core_of(event->pmu), event->hw.config);
	if (!rule)
		return 0;
	if (value & ~rule->valid)
		return perf_refuse(-EINVAL, "config1", "%s takes bits %#llx, asked was %#llx",
				   rule->field, rule->valid, value);
	event->hw.extra_reg.reg = rule->msr;
	event->hw.extra_reg.config = value;
	event->hw.extra_reg.idx = rule - x86_core_of(event->pmu)->extra;
	return 0;
}

/* Threads of a core share the registers of its first one. */
static unsigned int extra_home(bool shared)
{
	unsigned int cpu = smp_processor_id();

	return shared ? cpumask_first(topology_sibling_cpumask(cpu)) : cpu;
}

static int extra_slot(struct x86_extra_core *extra, u32 msr)
{
	unsigned int i;

	for (i = 0; i < EXTRA_REGS_MAX; i++) {
		if (extra->msr[i] == msr)
			return i;
		if (!extra->msr[i]) {
			extra->msr[i] = msr;
			return i;
		}
	}
	return -1;
}

/* A register that has the value, else one that nobody uses. */
static int extra_choose(struct x86_extra_core *extra, const struct x86_extra_rule *rule,
			u64 value)
{
	int slot, unused = -1;
	unsigned int n;

	for (n = 0; n < rule->alternatives; n++) {
		slot = extra_slot(extra, rule->msr + n);
		if (slot < 0)
			continue;
		if (extra->users[slot] && extra->value[slot] == value)
			return slot;
		if (!extra->users[slot] && unused < 0)
			unused = slot;
	}
	return unused;
}

/**
 * x86_extra_get() - reserve an event's extra register on this CPU
 * @event: about to be added
 *
 * Return: true if it needs none or has got it.
 */
bool x86_extra_get(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	const struct x86_extra_rule *rule;
	struct x86_extra_core *extra;
	unsigned int home;
	int slot;

	if (!hwc->extra_reg.reg)
		return true;

	rule = &x86_core_of(event->pmu)->extra[hwc->extra_reg.idx];
	home = extra_home(rule->shared);
	extra = per_cpu_ptr(&x86_extra_core, home);
	guard(raw_spinlock)(&extra->lock);
	slot = extra_choose(extra, rule, hwc->extra_reg.config);
	if (slot < 0)
		return false;
	extra->users[slot]++;
	extra->value[slot] = hwc->extra_reg.config;
	hwc->extra_reg.reg = extra->msr[slot];
	/* by the time it is put, another thread may be the first one */
	hwc->extra_reg.alloc = home + 1;
	if (rule->alternative_codes) {
		hwc->config &= ~rule->mask;
		hwc->config |= rule->alternative_codes[hwc->extra_reg.reg - rule->msr];
	}
	return true;
}

/**
 * x86_extra_put() - give an event's extra register back
 * @event: added before, or x86_extra_get() was successful
 */
void x86_extra_put(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	struct x86_extra_core *extra;
	int slot;

	if (!hwc->extra_reg.alloc)
		return;

	extra = per_cpu_ptr(&x86_extra_core, hwc->extra_reg.alloc - 1);
	guard(raw_spinlock)(&extra->lock);
	slot = extra_slot(extra, hwc->extra_reg.reg);
	if (!WARN_ON_ONCE(slot < 0 || !extra->users[slot]))
		extra->users[slot]--;
	hwc->extra_reg.alloc = 0;
}
