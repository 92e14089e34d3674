// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of attr.c: which attr is refused, with which errno, and which field the refusal
 * names. The tests run in a kernel thread with all privileges, so rules about permissions are
 * tested by the kselftests instead.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../base/attr.h"

struct attr_case {
	const char		*name;
	struct perf_event_attr	attr;
	int			err;
	const char		*field;
};

#define SAMPLES(_fields)	.sample_type = PERF_SAMPLE_##_fields

static const struct attr_case attr_cases[] = {
	{ "nothing", {} },
	{ "every flag that has a name", {
		.disabled = 1, .inherit = 1, .pinned = 1, .exclusive = 1,
		.exclude_user = 1, .exclude_kernel = 1, .exclude_hv = 1,
		.exclude_idle = 1, .mmap = 1, .comm = 1, .freq = 1,
		.inherit_stat = 1, .enable_on_exec = 1, .task = 1,
		.watermark = 1, .precise_ip = 3, .mmap_data = 1,
		.sample_id_all = 1, .exclude_host = 1, .exclude_guest = 1,
		.exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
		.mmap2 = 1, .comm_exec = 1, .use_clockid = 1,
		.context_switch = 1, .write_backward = 1, .namespaces = 1,
		.ksymbol = 1, .bpf_event = 1, .aux_output = 1, .cgroup = 1,
		.text_poke = 1, .build_id = 1, .inherit_thread = 1 } },
	{ "first unnamed flag", { .__reserved_1 = 1 }, -EINVAL, "__reserved_1" },
	{ "last unnamed flag", { .__reserved_1 = 1 << 25 }, -EINVAL, "__reserved_1" },
	{ "reserved u16", { .__reserved_2 = 0x8000 }, -EINVAL, "__reserved_2" },
	{ "AUX actions", { .aux_start_paused = 1, .aux_pause = 1, .aux_resume = 1 } },
	{ "unknown AUX action", { .aux_action = 8 }, -EINVAL, "aux_action" },

	{ "sample fields", { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT_STRUCT } },
	{ "unknown sample field", { SAMPLES(MAX) }, -EINVAL, "sample_type" },
	{ "last bit of sample_type", { .sample_type = BIT_ULL(63) },
		-EINVAL, "sample_type" },
	{ "read formats", { .read_format = PERF_FORMAT_MAX - 1 } },
	{ "unknown read format", { .read_format = PERF_FORMAT_MAX },
		-EINVAL, "read_format" },

	{ "branches", { SAMPLES(BRANCH_STACK),
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY } },
	{ "branches at a level", { SAMPLES(BRANCH_STACK),
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL |
				      PERF_SAMPLE_BRANCH_USER } },
	{ "no branches", { SAMPLES(BRANCH_STACK) }, -EINVAL, "branch_sample_type" },
	{ "only levels of branches", { SAMPLES(BRANCH_STACK),
		.branch_sample_type = PERF_SAMPLE_BRANCH_PLM_ALL },
		-EINVAL, "branch_sample_type" },
	{ "unknown branches", { SAMPLES(BRANCH_STACK),
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				      PERF_SAMPLE_BRANCH_MAX },
		-EINVAL, "branch_sample_type" },
	{ "branches that are not sampled", {
		.branch_sample_type = PERF_SAMPLE_BRANCH_MAX } },

	{ "a register", { SAMPLES(REGS_USER), .sample_regs_user = 1 } },
	{ "no register", { SAMPLES(REGS_USER) }, -EINVAL, "sample_regs_user" },
	{ "all registers", { SAMPLES(REGS_USER), .sample_regs_user = ~0ULL },
		-EINVAL, "sample_regs_user" },
	{ "registers that are not sampled", { .sample_regs_user = ~0ULL } },
	{ "an interrupted register", { SAMPLES(REGS_INTR), .sample_regs_intr = 1 } },
	{ "no interrupted register", { SAMPLES(REGS_INTR) },
		-EINVAL, "sample_regs_intr" },

	{ "empty stack", { SAMPLES(STACK_USER) } },
	{ "stack", { SAMPLES(STACK_USER), .sample_stack_user = SZ_8K } },
	{ "largest stack", { SAMPLES(STACK_USER), .sample_stack_user = SZ_64K - 8 } },
	{ "unaligned stack", { SAMPLES(STACK_USER), .sample_stack_user = 12 },
		-EINVAL, "sample_stack_user" },
	{ "stack too large", { SAMPLES(STACK_USER), .sample_stack_user = SZ_64K },
		-EINVAL, "sample_stack_user" },
	{ "stack that is not sampled", { .sample_stack_user = 12 } },

	{ "weight", { SAMPLES(WEIGHT) } },
	{ "two weights", { SAMPLES(WEIGHT_TYPE) }, -EINVAL, "sample_type" },

	{ "inherited by threads", { .inherit = 1, .inherit_thread = 1 } },
	{ "by threads, not inherited", { .inherit_thread = 1 },
		-EINVAL, "inherit_thread" },
	{ "removed on exec", { .remove_on_exec = 1 } },
	{ "removed and enabled on exec", { .remove_on_exec = 1, .enable_on_exec = 1 },
		-EINVAL, "remove_on_exec" },
	{ "signal", { .sigtrap = 1, .remove_on_exec = 1 } },
	{ "signal after exec", { .sigtrap = 1 }, -EINVAL, "sigtrap" },
	{ "datum without a signal", { .sig_data = 1 } },

	/* two faults: the first rule decides which refusal it is */
	{ "unknown flag and field", { .__reserved_1 = 1, SAMPLES(MAX) },
		-EINVAL, "__reserved_1" },
	{ "unknown format, no branches", { SAMPLES(BRANCH_STACK),
		.read_format = PERF_FORMAT_MAX }, -EINVAL, "read_format" },
	{ "no register, unaligned stack", {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = 1 }, -EINVAL, "sample_regs_user" },
};

static void attr_case_name(const struct attr_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(attr_cases, attr_cases, attr_case_name);

static void attr_check(struct kunit *test)
{
	const struct attr_case *c = test->param_value;
	struct perf_event_attr attr = c->attr;
	const struct perf_attr_rule *rule;
	int err = 0;
	u64 found;

	rule = perf_attr_first_broken(&attr, &err, &found);
	KUNIT_EXPECT_EQ(test, err, c->err);
	KUNIT_EXPECT_STREQ(test, rule ? rule->field : "", c->field ?: "");
	KUNIT_EXPECT_EQ(test, perf_attr_check(&attr), c->err);
}

/* Without privilege levels in branch_sample_type, branches of the event's levels are sampled. */
static void attr_branch_levels(struct kunit *test)
{
	struct perf_event_attr attr = {
		SAMPLES(BRANCH_STACK),
		.branch_sample_type	= PERF_SAMPLE_BRANCH_COND,
		.exclude_kernel		= 1,
	};

	perf_attr_set_defaults(&attr);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_USER |
			PERF_SAMPLE_BRANCH_HV);

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_KERNEL;
	perf_attr_set_defaults(&attr);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_KERNEL);
}

static void attr_stack_limit(struct kunit *test)
{
	struct perf_event_attr attr = {};

	perf_attr_set_defaults(&attr);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, sysctl_perf_event_max_stack);

	attr.sample_max_stack = 3;
	perf_attr_set_defaults(&attr);
	KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 3);
}

static void attr_rate(struct kunit *test)
{
	struct perf_event_attr attr = { .freq = 1 };

	attr.sample_freq = sysctl_perf_event_sample_rate;
	KUNIT_EXPECT_EQ(test, perf_attr_authorise(&attr), 0);
	attr.sample_freq++;
	KUNIT_EXPECT_EQ(test, perf_attr_authorise(&attr), -EINVAL);

	/* the same number is valid as a period */
	attr.freq = 0;
	KUNIT_EXPECT_EQ(test, perf_attr_authorise(&attr), 0);
	attr.sample_period = BIT_ULL(63) - 1;
	KUNIT_EXPECT_EQ(test, perf_attr_authorise(&attr), 0);
	attr.sample_period++;
	KUNIT_EXPECT_EQ(test, perf_attr_authorise(&attr), -EINVAL);
}

static void attr_target(struct kunit *test)
{
	struct perf_event_attr plain = {};
	struct perf_event_attr signal = { .sigtrap = 1, .remove_on_exec = 1 };
	struct perf_event_attr reads = { .inherit = 1, SAMPLES(READ) };

	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, true, -1), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, true, 0), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, false, 0), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, false, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, true, -2), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&plain, true, nr_cpu_ids),
			-EINVAL);

	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&signal, true, -1), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&signal, false, 0), -EINVAL);

	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&reads, true, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&reads, false, 0), -EINVAL);
	reads.sample_type |= PERF_SAMPLE_TID;
	KUNIT_EXPECT_EQ(test, perf_attr_check_target(&reads, true, -1), 0);
}

static void attr_capabilities(struct kunit *test)
{
	static const struct perf_event_attr hv = { .exclude_hv = 1 };
	static const struct perf_event_attr output = { .aux_output = 1 };
	static const struct perf_event_attr paused = { .aux_start_paused = 1 };
	static const struct perf_event_attr both = { .aux_pause = 1, .aux_resume = 1 };
	static const struct perf_event_attr pauses_itself = { .aux_output = 1, .aux_pause = 1 };
	static const struct perf_event_attr period = { .sample_period = 1 };
	static const struct perf_event_attr plain = {};
	struct pmu none = { .name = "none" };
	struct pmu all = {
		.name		= "all",
		.capabilities	= PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_AUX_OUTPUT |
				  PERF_PMU_CAP_AUX_PAUSE | PERF_PMU_CAP_NO_INTERRUPT,
	};

	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&plain, &none), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&plain, &all), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&hv, &none), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&hv, &all), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&output, &none), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&output, &all), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&paused, &none), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&paused, &all), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&both, &none), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&both, &all), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_check_pmu(&pauses_itself, &all), -EOPNOTSUPP);

	KUNIT_EXPECT_EQ(test, perf_attr_check_sampling(&period, &none), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_sampling(&period, &all), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, perf_attr_check_sampling(&plain, &all), 0);
}

static int attr_clock_of(struct perf_event *event, clockid_t id, int capabilities)
{
	struct pmu pmu = { .name = "clocks", .capabilities = capabilities };
	int err;

	event->attr.use_clockid = 1;
	event->attr.clockid = id;
	event->pmu = &pmu;
	err = perf_attr_set_clock(event);
	event->pmu = NULL;
	return err;
}

static void attr_clocks(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct pmu pmu = { .name = "clocks" };

	KUNIT_ASSERT_NOT_NULL(test, event);

	event->pmu = &pmu;
	event->attr.clockid = 99;
	KUNIT_EXPECT_EQ(test, perf_attr_set_clock(event), 0);
	KUNIT_EXPECT_NOT_NULL(test, event->clock);

	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_MONOTONIC, 0), 0);
	KUNIT_EXPECT_TRUE(test, event->clock == ktime_get_mono_fast_ns);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_MONOTONIC_RAW, 0), 0);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_REALTIME, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_BOOTTIME, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_TAI, 0), -EINVAL);

	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_REALTIME,
					    PERF_PMU_CAP_NO_NMI), 0);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_BOOTTIME,
					    PERF_PMU_CAP_NO_NMI), 0);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_TAI,
					    PERF_PMU_CAP_NO_NMI), 0);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, CLOCK_PROCESS_CPUTIME_ID,
					    PERF_PMU_CAP_NO_NMI), -EINVAL);
	KUNIT_EXPECT_EQ(test, attr_clock_of(event, -1, PERF_PMU_CAP_NO_NMI), -EINVAL);
}

static struct kunit_case attr_tests[] = {
	KUNIT_CASE_PARAM(attr_check, attr_cases_gen_params),
	KUNIT_CASE(attr_branch_levels),
	KUNIT_CASE(attr_stack_limit),
	KUNIT_CASE(attr_rate),
	KUNIT_CASE(attr_target),
	KUNIT_CASE(attr_capabilities),
	KUNIT_CASE(attr_clocks),
	{}
};

static struct kunit_suite attr_suite = {
	.name		= "perf_attr",
	.test_cases	= attr_tests,
};

kunit_test_suite(attr_suite);
