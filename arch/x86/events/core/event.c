// SPDX-License-Identifier: GPL-2.0
/*
 * New events of the core PMU: from attributes to the event select value and the mask of
 * counters that can serve the event, and the check that the group fits on an empty PMU.
 *
 * Context: task. A refusal names the attribute that caused it.
 */
#include <linux/perf_refusal.h>
#include "../branch/branch.h"
#include "../counters/count.h"
#include "../counters/extra.h"
#include "../counters/side.h"
#include "../features/topdown.h"
#include "event.h"
#include "rdpmc.h"

static const struct x86_event_code *x86_event_find_code(const struct x86_event_code *code, u32 what)
{
	for (; code && code->what != X86_CODES_END_MARK; code++) {
		if (code->what == what)
			return code;
	}
	return NULL;
}

/**
 * x86_core_code_of() - get the encoding of a generic event
 * @core: the PMU
 * @what: X86_HW() or X86_CACHE()
 *
 * Return: the code, NULL if there is no such event.
 */
const struct x86_event_code *x86_core_code_of(const struct x86_core_pmu *core, u32 what)
{
	const struct x86_event_code *code;

	code = x86_event_find_code(core->codes, what) ?:
	       x86_event_find_code(core->offcore_codes, what) ?:
	       x86_event_find_code(core->common_codes, what);
	return code && code->config ? code : NULL;
}

static int x86_event_generic_config(struct perf_event *event, u64 *config)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct x86_event_code *code;
	u64 id = event->attr.config;

	if (id >= PERF_COUNT_HW_MAX)
		return perf_refuse(-EINVAL, "config", "there are %d generic events",
				   PERF_COUNT_HW_MAX);
	code = x86_core_code_of(core, id);
	if (!code)
		return perf_refuse(-ENOENT, "config",
				   "%s does not count generic event %llu%s", core->name, id,
				   core->without);
	*config = code->config;
	return 0;
}

static int x86_event_cache_config(struct perf_event *event, u64 *config)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct x86_event_code *code;
	u64 id = event->attr.config;

	if ((id & 0xff) >= PERF_COUNT_HW_CACHE_MAX ||
	    (id >> 8 & 0xff) >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    (id >> 16 & 0xff) >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return perf_refuse(-EINVAL, "config",
				   "no such cache, operation or result: %#llx", id);
	code = x86_core_code_of(core, X86_WHAT_CACHE | (id & 0xffffff));
	if (!code)
		return perf_refuse(-ENOENT, "config",
				   "%s does not count cache event %#llx", core->name, id);
	*config = code->config;
	/* The extra register takes attr.config1, as for a raw event. */
	event->attr.config1 = code->extra;
	return 0;
}

static int x86_event_raw_config(struct perf_event *event, u64 *config)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	u64 raw = event->attr.config;

	if (raw & ARCH_PERFMON_EVENTSEL_ANY & core->raw_mask) {
		/*
		 * Counts what other tasks do on the other thread of the core. For a child event the
		 * permission was granted to the process that opened its parent.
		 */
		if (!event->parent && perf_allow_cpu())
			return perf_refuse(-EACCES, "config",
					   "AnyThread looks at other tasks");
	}
	*config = raw & core->raw_mask;
	return 0;
}

/* Get the event select value. -ENOENT without a refusal: the event is for another PMU. */
static int x86_event_config(struct perf_event *event, u64 *config)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return x86_event_generic_config(event, config);
	case PERF_TYPE_HW_CACHE:
		return x86_event_cache_config(event, config);
	}
	if (event->attr.type == event->pmu->type)
		return x86_event_raw_config(event, config);
	return -ENOENT;
}

/* Set the privilege, interrupt, host and guest bits. */
static void x86_event_add_filters(struct perf_event *event, u64 *config)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct perf_event_attr *attr = &event->attr;

	*config |= ARCH_PERFMON_EVENTSEL_INT;
	if (!attr->exclude_user)
		*config |= ARCH_PERFMON_EVENTSEL_USR;
	if (!attr->exclude_kernel)
		*config |= ARCH_PERFMON_EVENTSEL_OS;

	if (!core->host_guest) {
		if (attr->exclude_host)
			event->hw.flags |= X86_EVENT_GUEST_ONLY;
		if (attr->exclude_guest)
			event->hw.flags |= X86_EVENT_HOST_ONLY;
		return;
	}
	/* With both bits set, the counter would count in host and guest. */
	if (attr->exclude_host && attr->exclude_guest)
		*config &= ~(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS);
	else if (attr->exclude_host)
		*config |= AMD64_EVENTSEL_GUESTONLY;
	else if (attr->exclude_guest)
		*config |= AMD64_EVENTSEL_HOSTONLY;
}

/**
 * x86_core_counters_for() - get the counters that can count an event
 * @core: the PMU
 * @config: event select value; privilege bits do not matter
 *
 * Return: mask of counters, 0 if there is none.
 */
u64 x86_core_counters_for(const struct x86_core_pmu *core, u64 config)
{
	const struct event_constraint *rule;
	u64 counters;

	rule = event_constraint_find(core->rules, config) ?:
	       event_constraint_find(core->common_rules, config);
	counters = rule ? rule->idxmsk64 : X86_PMC_GENERIC_MASK;
	if (config & core->raw_checkpointed)
		counters &= core->checkpointed_on;
	return counters & (core->counters | core->metrics);
}

/*
 * The registers XMM are in records of precise sampling, and nowhere else: perf_reg_value() finds
 * them behind the registers of a record. In samples of the kernel they are 0.
 */
static int x86_event_check_registers(const struct perf_event_attr *attr)
{
	u64 registers = attr->sample_regs_user & PERF_REG_EXTENDED_MASK;

	if (registers)
		return perf_refuse(-EINVAL, "sample_regs_user",
				   "registers %#llx are recorded by sample_regs_intr only",
				   registers);
	registers = attr->sample_regs_intr & PERF_REG_EXTENDED_MASK;
	if (registers && !attr->precise_ip)
		return perf_refuse(-EINVAL, "sample_regs_intr",
				   "registers %#llx need precise_ip", registers);
	return 0;
}

static int x86_event_check_unsupported(struct perf_event *event, u64 config)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct perf_event_attr *attr = &event->attr;
	int err;

	err = x86_event_check_registers(attr);
	if (err)
		return err;
	if (attr->precise_ip && core->precise.check)
		return core->precise.check(event);
	err = x86_side_exists(event);
	if (err)
		return err;
	if (!attr->precise_ip && event_constraint_find(core->only_precise, config))
		return perf_refuse(-EOPNOTSUPP, "config",
				   "the sampling of stores needs precise sampling%s",
				   x86_side_is_offered(core, X86_SIDE_PRECISE) ? "" :
				   ", there is none");
	/* The interrupt would abort the transaction, which rolls the count back. */
	if (is_sampling_event(event) && event->attr.type == event->pmu->type &&
	    config & core->raw_checkpointed)
		return perf_refuse(-EINVAL, "config",
				   "what transactions take back when they abort is not sampled");
	return 0;
}

static int x86_event_refuse_no_counter(const struct x86_core_pmu *core, u64 config)
{
	if (config & core->raw_checkpointed)
		return perf_refuse(-EINVAL, "config",
				   "in_tx_cp needs counters %#llx, which cannot count %#llx",
				   core->checkpointed_on, config & X86_SELECT_WHAT);
	return perf_refuse(-EINVAL, "config", "no counter of %s can count %#llx%s",
			   core->name, config & X86_SELECT_WHAT, core->without);
}

/* State of a PMU without events, for x86_event_check_group(). */
struct empty_pmu {
	struct x86_assignment	assign;
	struct x86_extra_regs	extra;
};

/* Give an event of the PMU a counter and an extra register. Return: false if there are none. */
static bool x86_event_try(struct empty_pmu *empty, struct perf_event *event,
			  const struct pmu *pmu)
{
	if (event->pmu != pmu || event->state <= PERF_EVENT_STATE_EXIT)
		return true;
	return x86_core_assign(&empty->assign, event) &&
	       x86_extra_try(&empty->extra, event);
}

/*
 * Whether a sibling counts when the group is checked. A group may have more members than fit, of
 * which a program enables some at a time. The leader always counts, because tools open it disabled
 * and enable it with its siblings.
 */
static bool x86_event_sibling_counts(const struct perf_event *sibling)
{
	return sibling->state > PERF_EVENT_STATE_OFF ||
	       (sibling->state == PERF_EVENT_STATE_OFF && sibling->attr.enable_on_exec);
}

/* Sides are compared in pairs: a group has few events. */
static int x86_event_sides_fit(struct perf_event *event, struct perf_event *leader)
{
	struct perf_event *sibling;
	int err = 0;

	if (!x86_side_uses(event))
		return 0;
	if (leader->pmu == event->pmu)
		err = x86_side_fits(event, leader);
	for_each_sibling_event(sibling, leader) {
		if (!err && sibling->pmu == event->pmu && x86_event_sibling_counts(sibling))
			err = x86_side_fits(event, sibling);
	}
	return err;
}

/*
 * A group that does not fit on an empty PMU would never be scheduled. @event counts even if it is
 * disabled.
 */
static int x86_event_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct empty_pmu *empty __free(kfree) = NULL;
	bool fits;

	/* the group of a child event was checked when its members were opened */
	if (leader == event || event->parent)
		return 0;

	empty = kzalloc(sizeof(*empty), GFP_KERNEL);
	if (!empty)
		return -ENOMEM;

	fits = x86_event_try(empty, event, event->pmu) &&
	       x86_event_try(empty, leader, event->pmu);
	for_each_sibling_event(sibling, leader) {
		if (x86_event_sibling_counts(sibling))
			fits = fits && x86_event_try(empty, sibling, event->pmu);
	}
	if (!fits)
		return perf_refuse(-EINVAL, "group_fd",
				   "%s has no counters for all of the group at once%s",
				   x86_core_of(event->pmu)->name,
				   x86_core_of(event->pmu)->without);
	return x86_event_sides_fit(event, leader);
}

/**
 * x86_core_event_init() - initialise an event of the core PMU, see pmu::event_init
 * @event: the event
 *
 * Return: 0, -ENOENT if it is not for this PMU, -EINVAL, -EOPNOTSUPP, -EACCES.
 */
int x86_core_event_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u64 config;
	int err;

	err = x86_event_config(event, &config);
	if (!err)
		err = x86_event_check_unsupported(event, config);
	if (err)
		return err;
	if (core->kind && event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &core->cpus))
		return perf_refuse(-ENOENT, "cpu", "CPU %d is not one of %s's",
				   event->cpu, core->name);

	hwc->config_base = x86_core_counters_for(core, config);
	if (x86_branch_lends(event)) {
		hwc->flags |= X86_EVENT_LENT;
		/* A mask of 32 bits lacks it, so 32-bit kernels refuse the event below. */
		hwc->config_base = (unsigned long)BIT_ULL(INTEL_PMC_IDX_FIXED_VLBR);
	}
	if (event_constraint_find(core->large, config)) {
		hwc->flags |= X86_EVENT_PAIR;
		hwc->config_base &= X86_PMC_EVEN_MASK & (core->counters >> 1);
	}
	if (!hwc->config_base)
		return x86_event_refuse_no_counter(core, config);
	x86_event_add_filters(event, &config);
	if (event_constraint_find(core->leaks, config))
		hwc->flags |= X86_EVENT_LEAKS;
	if (event_constraint_find(core->shared, config))
		hwc->flags |= X86_EVENT_SHARED;
	if (is_sampling_event(event) && x86_count_rule(core, config))
		hwc->flags |= X86_EVENT_LIMITED;
	hwc->config = config;
	hwc->idx = -1;
	hwc->last_cpu = -1;
	err = x86_extra_init(event) ?: x86_topdown_init(event) ?: x86_side_init(event);
	if (err)
		return err;
	/* Hardware reloads the counter of a precise event at any time; a lent one has none. */
	if (x86_rdpmc_offered() && !(hwc->flags & (X86_EVENT_PRECISE | X86_EVENT_LENT)))
		hwc->flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	x86_count_init(event);
	err = x86_event_check_group(event);
	if (err || !x86_side_uses(event))
		return err;
	err = x86_side_reserve(event);
	if (!err)
		event->destroy = x86_side_release;
	return err;
}

/**
 * x86_core_serves() - check whether a core PMU serves an event
 * @event: an event of any PMU
 *
 * Context: any.
 * Return: true if one does.
 */
bool x86_core_serves(const struct perf_event *event)
{
	return event->pmu->event_init == x86_core_event_init;
}
