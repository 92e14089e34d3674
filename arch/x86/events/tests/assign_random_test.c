// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of which events fit together: random groups on the PMUs of real machines. Whether a
 * group fits is compared with a reference, which shares no code with the driver but its
 * tables: a set of counters must exist for each set of events (Hall's condition), whatever
 * pairs and extra registers are chosen.
 *
 * Each group has a seed of its own, which a failure prints.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include "../core/event.h"
#include "../counters/arch_events.h"
#include "../counters/core_pmu.h"
#include "../counters/extra.h"
#include "detect_test.h"

#define MEMBERS		11	/* one more than there are counters, of most machines */
#define ROUNDS		30	/* groups on each machine */
#define CODES_MAX	160

/**
 * struct random_group - a group, and what the reference computes with
 * @event: the members that were opened, the leader first
 * @config: the raw events, without modifiers
 * @value: values of extra registers
 * @nr: number of members
 */
struct random_group {
	struct perf_event	event[MEMBERS];
	u64			config[MEMBERS];
	u64			value[MEMBERS];
	unsigned int		nr;
};

/**
 * struct random_test - what is compared
 * @core: a PMU
 * @name: its machine
 * @codes: events of the machine, with and without constraints
 * @nr_codes: number of @codes
 * @seed: of the group
 * @rnd: the random numbers of the group
 * @group: the group
 * @assign: for the same events in another order
 * @extra: the same
 */
struct random_test {
	struct x86_core_pmu	*core;
	const char		*name;
	u64			codes[CODES_MAX];
	unsigned int		nr_codes;
	u32			seed;
	struct rnd_state	rnd;
	struct random_group	group;
	struct x86_assignment	assign;
	struct x86_extra_regs	extra;
};

static u32 below(struct random_test *rt, u32 limit)
{
	return prandom_u32_state(&rt->rnd) % limit;
}

/* The reference. First: the counters of an event, by the first row that matches. */
static u64 ref_counters(const struct x86_core_pmu *core, u64 config)
{
	const struct event_constraint *tables[] = { core->rules, core->common_rules };
	u64 counters = GENMASK_ULL(INTEL_PMC_MAX_GENERIC - 1, 0);
	unsigned int t;

	for (t = 0; t < ARRAY_SIZE(tables); t++) {
		const struct event_constraint *row = tables[t];

		while (row && row->cmask && (config & row->cmask) != row->code)
			row++;
		if (row && row->cmask) {
			counters = row->idxmsk64;
			break;
		}
	}
	if (config & core->raw_checkpointed)
		counters &= BIT(2);
	return counters & core->counters;
}

static bool ref_is_large(const struct x86_core_pmu *core, u64 config)
{
	const struct event_constraint *row = core->large;

	return row && (config & row->cmask) == row->code;
}

/* Each set of events has as many counters: it is enough to try the unions of equal masks. */
static bool ref_hall(const u64 *masks, unsigned int nr, u64 taken)
{
	u64 classes[MEMBERS], all;
	unsigned int n, i, needed, nr_classes = 0, set;

	for (n = 0; n < nr; n++) {
		for (i = 0; i < nr_classes && classes[i] != masks[n]; i++)
			;
		if (i == nr_classes)
			classes[nr_classes++] = masks[n];
	}
	for (set = 1; set < BIT(nr_classes); set++) {
		all = 0;
		needed = 0;
		for (i = 0; i < nr_classes; i++) {
			if (set & BIT(i))
				all |= classes[i] & ~taken;
		}
		for (n = 0; n < nr; n++)
			needed += !(masks[n] & ~taken & ~all);
		if (needed > hweight64(all))
			return false;
	}
	return true;
}

/* Try each place of @pairs pairs. */
static bool ref_pairs(const struct x86_core_pmu *core, unsigned int pairs, unsigned int first,
		      const u64 *masks, unsigned int nr, u64 taken)
{
	unsigned int n;

	if (!pairs)
		return ref_hall(masks, nr, taken);
	for (n = first; n + 1 < INTEL_PMC_MAX_GENERIC; n += 2) {
		u64 pair = 3ULL << n;

		if ((core->counters & pair) == pair &&
		    ref_pairs(core, pairs - 1, n + 2, masks, nr, taken | pair))
			return true;
	}
	return false;
}

static bool ref_counters_fit(const struct random_test *rt, unsigned int nr)
{
	const struct random_group *group = &rt->group;
	unsigned int n, pairs = 0, others = 0;
	u64 masks[MEMBERS];

	for (n = 0; n < nr; n++) {
		if (ref_is_large(rt->core, group->config[n]))
			pairs++;
		else
			masks[others++] = ref_counters(rt->core, group->config[n]);
	}
	return ref_pairs(rt->core, pairs, 0, masks, others, 0);
}

static const struct extra_reg *ref_row(const struct x86_core_pmu *core, u64 config)
{
	const struct extra_reg *row;

	for (row = core->extra; row && row->msr; row++) {
		if ((config & row->config_mask) == row->event)
			return row;
	}
	return NULL;
}

/* Registers that were chosen for the events before, and their values. */
struct ref_chosen {
	u32		msr[MEMBERS];
	u64		value[MEMBERS];
	unsigned int	nr;
};

static bool ref_choose(struct ref_chosen *chosen, const struct extra_reg *row, u64 value)
{
	unsigned int n;

	if (value & ~row->valid_mask)
		return false;
	for (n = 0; n < chosen->nr; n++) {
		if (chosen->msr[n] == row->msr)
			return chosen->value[n] == value;
	}
	chosen->msr[n] = row->msr;
	chosen->value[n] = value;
	chosen->nr++;
	return true;
}

/* Try each choice of registers for the events from @n on. */
static bool ref_registers_fit(const struct random_test *rt, unsigned int n, unsigned int nr,
			      struct ref_chosen chosen)
{
	struct ref_chosen before;
	const struct extra_reg *row;
	u64 value;

	for (; n < nr; n++) {
		row = ref_row(rt->core, rt->group.config[n]);
		value = rt->group.value[n];
		if (!row)
			continue;
		before = chosen;
		if (ref_choose(&chosen, row, value) &&
		    ref_registers_fit(rt, n + 1, nr, chosen))
			return true;
		chosen = before;
		if (!row->other || !ref_choose(&chosen, row + row->other, value))
			return false;
	}
	return true;
}

static bool ref_fits(const struct random_test *rt, unsigned int nr)
{
	const struct ref_chosen none = { };

	return ref_counters_fit(rt, nr) && ref_registers_fit(rt, 0, nr, none);
}

static void add_code(struct random_test *rt, u64 code)
{
	const struct extra_reg *row = ref_row(rt->core, code);

	/* latencies need precise sampling, and metrics have rules of their own */
	if (rt->nr_codes == CODES_MAX || code & ~rt->core->raw_mask ||
	    (row && row->msr == MSR_PEBS_LD_LAT_THRESHOLD) ||
	    event_constraint_find(rt->core->only_precise, code) ||
	    (rt->core->metrics && !(code & 0xff)))
		return;
	rt->codes[rt->nr_codes++] = code;
}

static void collect_codes(struct random_test *rt)
{
	static const u64 any[] = {
		0x3c, 0xc0, 0xc4, 0xc5, 0x1c2, 0x0100, 0x0300, 0x3c | ARCH_PERFMON_EVENTSEL_EDGE,
	};
	const struct event_constraint *rule;
	const struct extra_reg *row;
	unsigned int n;

	rt->nr_codes = 0;
	for (n = 0; n < ARRAY_SIZE(any); n++)
		add_code(rt, any[n]);
	for (row = rt->core->extra; row && row->msr; row++) {
		/* several times: there are few of them */
		for (n = 0; n < 3; n++)
			add_code(rt, row->event);
	}
	for (n = 0; n < 3 && rt->core->large; n++)
		add_code(rt, rt->core->large->code);
	for (rule = rt->core->rules; rule && rule->cmask; rule++)
		add_code(rt, rule->code);
	for (rule = rt->core->common_rules; rule && rule->cmask; rule++)
		add_code(rt, rule->code);
}

static u64 random_value(struct random_test *rt, u64 config)
{
	const struct extra_reg *row = ref_row(rt->core, config);
	u64 value;

	if (!row)
		return 0;
	if (row->other && below(rt, 2))
		row += row->other;
	/* few different values, of which some have a bit that only one register has */
	value = BIT_ULL(below(rt, 3));
	if (below(rt, 2))
		value = BIT_ULL(fls64(row->valid_mask) - 1);
	return value & row->valid_mask;
}

static void init_member(struct random_test *rt, unsigned int n)
{
	struct random_group *group = &rt->group;
	struct perf_event *event = &group->event[n];
	u64 config = rt->codes[below(rt, rt->nr_codes)];

	if (!below(rt, 8))
		config |= rt->core->raw_checkpointed;
	group->config[n] = config;
	group->value[n] = random_value(rt, config);
	memset(event, 0, sizeof(*event));
	event->pmu = &rt->core->pmu;
	event->cpu = -1;
	event->group_leader = &group->event[0];
	INIT_LIST_HEAD(&event->sibling_list);
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->attr.config1 = group->value[n];
}

static void attach_member(struct random_test *rt, unsigned int n)
{
	if (n)
		list_add_tail(&rt->group.event[n].sibling_list,
			      &rt->group.event[0].sibling_list);
	rt->group.nr++;
}

/* Members are opened one after the other. The first that does not fit is refused. */
static void open_group(struct kunit *test, struct random_test *rt)
{
	unsigned int n, tries = 0;
	bool fits;
	int err;

	rt->group.nr = 0;
	while (rt->group.nr < MEMBERS && tries++ < MEMBERS + 3) {
		n = rt->group.nr;
		init_member(rt, n);
		fits = ref_fits(rt, n + 1);
		err = x86_core_event_init(&rt->group.event[n]);
		KUNIT_EXPECT_EQ_MSG(test, err, fits ? 0 : -EINVAL,
				    "%s, seed %#x: %#llx (%#llx) after %u others", rt->name,
				    rt->seed, rt->group.config[n], rt->group.value[n], n);
		if (!err)
			attach_member(rt, n);
	}
}

/* What fits is assigned in any order: backwards, and with one that has left and comes back. */
static void assign_group(struct kunit *test, struct random_test *rt)
{
	struct random_group *group = &rt->group;
	unsigned int n, again = below(rt, group->nr + 1);
	u64 taken = 0, mine;
	int counter;

	memset(&rt->assign, 0, sizeof(rt->assign));
	memset(&rt->extra, 0, sizeof(rt->extra));
	for (n = group->nr; n--;) {
		KUNIT_EXPECT_TRUE_MSG(test, x86_core_assign(&rt->assign, &group->event[n]),
				      "%s, seed %#x: member %u", rt->name, rt->seed, n);
		if (n == again) {
			counter = x86_assign_find(&rt->assign, &group->event[n]);
			x86_assign_release(&rt->assign, counter);
			KUNIT_EXPECT_TRUE(test, x86_core_assign(&rt->assign, &group->event[n]));
		}
	}
	for (n = 0; n < group->nr; n++) {
		counter = x86_assign_find(&rt->assign, &group->event[n]);
		mine = counter < 0 ? 0 : BIT_ULL(counter);
		if (ref_is_large(rt->core, group->config[n]))
			mine |= mine << 1;
		else
			mine &= ref_counters(rt->core, group->config[n]);
		KUNIT_EXPECT_TRUE_MSG(test, mine && !(mine & taken),
				      "%s, seed %#x: member %u on %d", rt->name, rt->seed, n,
				      counter);
		taken |= mine;
	}
	KUNIT_EXPECT_EQ(test, rt->assign.taken, taken);
}

static void random_groups_fit_as_the_reference_says(struct kunit *test)
{
	struct random_test *rt = kunit_kzalloc(test, sizeof(*rt), GFP_KERNEL);
	unsigned int machine, round, largest = 0;

	KUNIT_ASSERT_NOT_NULL(test, rt);
	for (machine = 0;; machine++) {
		rt->core = x86_detect_machine(test, machine, &rt->name);
		if (!rt->core)
			break;
		rt->core->pmu.type = PERF_TYPE_RAW;
		collect_codes(rt);
		for (round = 0; round < ROUNDS; round++) {
			rt->seed = machine << 16 | round;
			prandom_seed_state(&rt->rnd, rt->seed);
			open_group(test, rt);
			assign_group(test, rt);
			largest = max(largest, rt->group.nr);
		}
		kunit_kfree(test, rt->core);
		cond_resched();
	}
	KUNIT_EXPECT_GE(test, machine, 70);
	KUNIT_EXPECT_GE(test, largest, 8);
}

/* Siblings that are disabled do not count, unless an exec enables them. The leader does. */
static void disabled_members_do_not_count(struct kunit *test)
{
	struct random_test *rt = kunit_kzalloc(test, sizeof(*rt), GFP_KERNEL);
	unsigned int n, generic;

	KUNIT_ASSERT_NOT_NULL(test, rt);
	rt->core = x86_detect_machine(test, 0, &rt->name);
	KUNIT_ASSERT_NOT_NULL(test, rt->core);
	rt->core->pmu.type = PERF_TYPE_RAW;
	rt->codes[rt->nr_codes++] = 0x00c5;
	generic = hweight64(rt->core->counters & X86_PMC_GENERIC_MASK);
	KUNIT_ASSERT_GT(test, generic, 1);

	for (n = 0; n <= generic; n++) {
		init_member(rt, n);
		rt->group.event[n].state = PERF_EVENT_STATE_OFF;
		KUNIT_EXPECT_EQ(test, x86_core_event_init(&rt->group.event[n]), 0);
		attach_member(rt, n);
	}
	/* all but the new event and the leader are left out */
	for (n = 1; n <= generic; n++) {
		init_member(rt, generic + 1);
		KUNIT_EXPECT_EQ(test, x86_core_event_init(&rt->group.event[generic + 1]),
				n < generic ? 0 : -EINVAL);
		rt->group.event[n].state = PERF_EVENT_STATE_INACTIVE;
	}
	for (n = 1; n <= generic; n++) {
		rt->group.event[n].state = PERF_EVENT_STATE_OFF;
		rt->group.event[n].attr.enable_on_exec = 1;
	}
	KUNIT_EXPECT_EQ(test, x86_core_event_init(&rt->group.event[generic + 1]), -EINVAL);
	/* the group of a child event was checked when it was opened */
	rt->group.event[generic + 1].parent = &rt->group.event[0];
	KUNIT_EXPECT_EQ(test, x86_core_event_init(&rt->group.event[generic + 1]), 0);
}

static struct kunit_case assign_random_cases[] = {
	KUNIT_CASE_SLOW(random_groups_fit_as_the_reference_says),
	KUNIT_CASE(disabled_members_do_not_count),
	{ }
};

static struct kunit_suite assign_random_suite = {
	.name		= "perf_x86_assign_random",
	.test_cases	= assign_random_cases,
};

kunit_test_suite(assign_random_suite);
