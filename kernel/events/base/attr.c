// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_attr: copied from user space in any size, and checked.
 *
 * This file has every rule about the attr alone, or about the attr together with one
 * fact about the caller, the target or the PMU. A rule is a row: the offending field, the
 * check, the errno, and the reason that is reported to the user. The order of rows is ABI,
 * because the first broken rule determines the errno. Rules about other events (groups,
 * AUX leaders, exclusive PMUs) and about the flags of the system call are elsewhere.
 *
 * The entry points are listed in attr.h.
 * Context: task, may sleep.
 *
 * __always_inline: the rules become straight code; opening an event takes about 70 instructions
 * less, of 5,300 with closing it (make bench, x86_64).
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/perf_refusal.h>

#include "attr.h"

static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER8);

static int perf_attr_refuse_size(struct perf_event_attr __user *uattr,
				 const char *reason, u32 size)
{
	/* Report the supported size. A fault here is ignored: the errno is -E2BIG anyway. */
	put_user((u32)sizeof(struct perf_event_attr), &uattr->size);
	return perf_refuse(-E2BIG, "size", reason, size);
}

/**
 * perf_attr_copy() - copy an attr of any size from user space
 * @uattr: the user's attr; on -E2BIG its size field is set to the size of the kernel's attr
 * @attr: the kernel's copy; fields beyond the user's size are zero, the size field is the
 *	user's size
 *
 * Context: task, may sleep.
 * Return: 0, -E2BIG or -EFAULT.
 */
int perf_attr_copy(struct perf_event_attr __user *uattr,
		   struct perf_event_attr *attr)
{
	u32 size;

	if (get_user(size, &uattr->size))
		return perf_refuse(-EFAULT, "attr", "cannot be read");
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (!in_range(size, PERF_ATTR_SIZE_VER0,
		      PAGE_SIZE + 1 - PERF_ATTR_SIZE_VER0))
		return perf_attr_refuse_size(uattr, "%u bytes are no attr", size);

	switch (copy_struct_from_user(attr, sizeof(*attr), uattr, size)) {
	case 0:
		attr->size = size;
		return 0;
	case -E2BIG:
		return perf_attr_refuse_size(uattr,
					     "of %u bytes, some beyond those known to this kernel are set",
					     size);
	default:
		return perf_refuse(-EFAULT, "attr", "cannot be read");
	}
}

/*
 * Findings: each returns the value that breaks a rule, or 0 if the rule is kept.
 */

/* Bits of @_value beyond an enum. @_end is the first bit after the last valid one. */
#define UNKNOWN_BITS(_value, _end)	((_value) & ~((u64)(_end) - 1))

static bool samples(const struct perf_event_attr *attr, u64 field)
{
	return attr->sample_type & field;
}

/* Privilege levels of the branch stack: from branch_sample_type, else the event's own. */
static u64 branch_levels(const struct perf_event_attr *attr)
{
	u64 asked = attr->branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL;

	if (asked)
		return asked;
	return (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
	       (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
	       (attr->exclude_hv ? 0 : PERF_SAMPLE_BRANCH_HV);
}

static u32 stack_bytes(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_STACK_USER) ? attr->sample_stack_user : 0;
}

static u64 reserved_1_set(const struct perf_event_attr *attr)
{
	return attr->__reserved_1;
}

static u64 reserved_2_set(const struct perf_event_attr *attr)
{
	return attr->__reserved_2;
}

static u64 reserved_3_set(const struct perf_event_attr *attr)
{
	return attr->__reserved_3;
}

static u64 sample_type_unknown(const struct perf_event_attr *attr)
{
	return UNKNOWN_BITS(attr->sample_type, PERF_SAMPLE_MAX);
}

static u64 read_format_unknown(const struct perf_event_attr *attr)
{
	return UNKNOWN_BITS(attr->read_format, PERF_FORMAT_MAX);
}

static u64 branch_unknown(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_BRANCH_STACK) ?
	       UNKNOWN_BITS(attr->branch_sample_type, PERF_SAMPLE_BRANCH_MAX) : 0;
}

static u64 branch_none(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_BRANCH_STACK) &&
	       !(attr->branch_sample_type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL);
}

static u64 branch_privileged(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_BRANCH_STACK) &&
	       branch_levels(attr) & ~(u64)PERF_SAMPLE_BRANCH_USER;
}

static u64 regs_user_bad(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_REGS_USER) &&
	       perf_reg_validate(attr->sample_regs_user);
}

static u64 regs_intr_bad(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_REGS_INTR) &&
	       perf_reg_validate(attr->sample_regs_intr);
}

static u64 stack_unsupported(const struct perf_event_attr *attr)
{
	return !IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP) &&
	       samples(attr, PERF_SAMPLE_STACK_USER);
}

static u64 stack_unaligned(const struct perf_event_attr *attr)
{
	return stack_bytes(attr) % sizeof(u64) ? stack_bytes(attr) : 0;
}

/* Maximum size of a user stack dump; the number is part of the refusal text. */
#define STACK_MOST	65528
#define STACK_MOST_TEXT	__stringify(STACK_MOST)

static_assert(STACK_MOST == round_down(U16_MAX - 1, sizeof(u64)));

static u64 stack_large(const struct perf_event_attr *attr)
{
	return stack_bytes(attr) > STACK_MOST ? stack_bytes(attr) : 0;
}

static u64 cgroup_unsupported(const struct perf_event_attr *attr)
{
	return !IS_ENABLED(CONFIG_CGROUP_PERF) &&
	       samples(attr, PERF_SAMPLE_CGROUP);
}

static u64 weight_twice(const struct perf_event_attr *attr)
{
	return !(~attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE);
}

static u64 thread_not_inherited(const struct perf_event_attr *attr)
{
	return attr->inherit_thread && !attr->inherit;
}

static u64 exec_both_ways(const struct perf_event_attr *attr)
{
	return attr->remove_on_exec && attr->enable_on_exec;
}

static u64 sigtrap_survives_exec(const struct perf_event_attr *attr)
{
	return attr->sigtrap && !attr->remove_on_exec;
}

/* errno of a failing perf_reg_validate(); the stub for other architectures returns -ENOSYS */
#define REGS_ERR	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) ? -EINVAL : -ENOSYS)

/* Rules about the attr by itself, part 1: unknown bits. Parts are applied in order. */
#define PERF_BIT_RULES(_rule)							\
	_rule("__reserved_1", reserved_1_set,					\
	      "reserved bits %#llx are set: flags of a newer kernel")		\
	_rule("__reserved_2", reserved_2_set, "reserved, but %#llx")		\
	_rule("aux_action", reserved_3_set,					\
	      "reserved bits %#llx are set, counted from bit 3")		\
	_rule("sample_type", sample_type_unknown,				\
	      "bits %#llx are unknown to this kernel")				\
	_rule("read_format", read_format_unknown,				\
	      "bits %#llx are unknown to this kernel")

#define PERF_BIT_ROW(_field, _finding, _reason)	\
	{ .field = (_field), .finding = (_finding), .err = -EINVAL, .reason = (_reason) },
#define PERF_BIT_FINDING(_field, _finding, _reason)	| _finding(attr)

static const struct perf_attr_rule perf_bit_rules[] = {
	PERF_BIT_RULES(PERF_BIT_ROW)
};

/* Part 2: sampling. These rules can only be broken if sample_type is set. */
static const struct perf_attr_rule perf_sample_rules[] = {
	{
		.field = "branch_sample_type", .finding = branch_unknown, .err = -EINVAL,
		.reason = "bits %#llx are unknown to this kernel",
	}, {
		.field = "branch_sample_type", .finding = branch_none, .err = -EINVAL,
		.reason = "says at which privilege, but not which branches",
	}, {
		.field = "branch_sample_type", .finding = branch_privileged,
		.permit = perf_allow_kernel,
		.reason = "kernel or hypervisor: needs CAP_PERFMON, or perf_event_paranoid < 2",
	}, {
		.field = "sample_regs_user", .finding = regs_user_bad, .err = REGS_ERR,
		.reason = "empty, or not all of these are registers here",
	}, {
		.field = "sample_stack_user", .finding = stack_unsupported, .err = -ENOSYS,
		.reason = "this architecture cannot copy user stacks",
	}, {
		.field = "sample_stack_user", .finding = stack_unaligned, .err = -EINVAL,
		.reason = "%llu is not a multiple of 8",
	}, {
		.field = "sample_stack_user", .finding = stack_large, .err = -EINVAL,
		.reason = "%llu bytes do not fit into a record, " STACK_MOST_TEXT " are the most",
	}, {
		.field = "sample_regs_intr", .finding = regs_intr_bad, .err = REGS_ERR,
		.reason = "empty, or not all of these are registers here",
	}, {
		.field = "sample_type", .finding = cgroup_unsupported, .err = -EINVAL,
		.reason = "CGROUP: this kernel has no cgroup events",
	}, {
		.field = "sample_type", .finding = weight_twice, .err = -EINVAL,
		.reason = "WEIGHT and WEIGHT_STRUCT are two readings of one field",
	},
};

/* Part 3: inheritance, exec and signals. */
static const struct perf_attr_rule perf_life_rules[] = {
	{
		.field = "inherit_thread", .finding = thread_not_inherited, .err = -EINVAL,
		.reason = "narrows inherit, which is not set",
	}, {
		.field = "remove_on_exec", .finding = exec_both_ways, .err = -EINVAL,
		.reason = "contradicts enable_on_exec",
	}, {
		.field = "sigtrap", .finding = sigtrap_survives_exec, .err = -EINVAL,
		.reason = "needs remove_on_exec: the next program does not expect signals",
	},
};

/* Apply one rule. Returns 0 if the rule is kept or permitted, else the errno. */
static int perf_attr_apply(const struct perf_attr_rule *rule,
			   const struct perf_event_attr *attr, u64 *found)
{
	*found = rule->finding ? rule->finding(attr) : true;
	if (!*found)
		return 0;
	return rule->permit ? rule->permit() : rule->err;
}

/* Return the first broken rule, or NULL. */
static __always_inline const struct perf_attr_rule *
perf_attr_find_broken(const struct perf_attr_rule *rules, int nr,
		      const struct perf_event_attr *attr, int *err, u64 *found)
{
	const struct perf_attr_rule *rule;

	for (rule = rules; rule < rules + nr; rule++) {
		*err = perf_attr_apply(rule, attr, found);
		if (*err)
			return rule;
	}
	return NULL;
}

/* Fast path: can any rule of the three parts be broken? The bit rules are checked at once. */
static __always_inline bool perf_attr_is_ruled(const struct perf_event_attr *attr)
{
	return (0 PERF_BIT_RULES(PERF_BIT_FINDING)) || attr->sample_type ||
	       attr->inherit_thread || attr->remove_on_exec || attr->sigtrap;
}

/**
 * perf_attr_first_broken() - find the first broken rule of perf_attr_check()
 * @attr: the attr
 * @err: the errno, set if a rule is broken
 * @found: return value of the rule's finding, set if a rule is broken
 *
 * Unlike perf_attr_check(), this does not report a refusal.
 *
 * Return: the broken rule, or NULL.
 */
noinline const struct perf_attr_rule *
perf_attr_first_broken(const struct perf_event_attr *attr, int *err, u64 *found)
{
	const struct perf_attr_rule *rule;

	rule = perf_attr_find_broken(perf_bit_rules, ARRAY_SIZE(perf_bit_rules),
				     attr, err, found);
	if (!rule && attr->sample_type)
		rule = perf_attr_find_broken(perf_sample_rules,
					     ARRAY_SIZE(perf_sample_rules),
					     attr, err, found);
	if (!rule && (attr->inherit_thread || attr->remove_on_exec || attr->sigtrap))
		rule = perf_attr_find_broken(perf_life_rules,
					     ARRAY_SIZE(perf_life_rules),
					     attr, err, found);
	return rule;
}

static int perf_attr_apply_all(const struct perf_attr_rule *rules, int nr,
			       const struct perf_event_attr *attr)
{
	const struct perf_attr_rule *rule;
	u64 found;
	int err;

	rule = perf_attr_find_broken(rules, nr, attr, &err, &found);
	return rule ? perf_refuse(err, rule->field, rule->reason, found) : 0;
}

/**
 * perf_attr_check() - check the attr by itself, for any caller and any target
 * @attr: as perf_attr_copy() left it
 *
 * The check depends on current's privileges in one case: branches in kernel mode. So
 * in-kernel counters are not checked here: they are created on behalf of an arbitrary task.
 *
 * Return: 0, -EINVAL, -ENOSYS or -EACCES.
 */
int perf_attr_check(const struct perf_event_attr *attr)
{
	const struct perf_attr_rule *rule;
	u64 found;
	int err;

	if (!perf_attr_is_ruled(attr))
		return 0;
	rule = perf_attr_first_broken(attr, &err, &found);
	return rule ? perf_refuse(err, rule->field, rule->reason, found) : 0;
}

/**
 * perf_attr_set_defaults() - fill in the defaults of fields that the user left empty
 * @attr: checked by perf_attr_check()
 */
void perf_attr_set_defaults(struct perf_event_attr *attr)
{
	if (samples(attr, PERF_SAMPLE_BRANCH_STACK))
		attr->branch_sample_type |= branch_levels(attr);
	if (!attr->sample_max_stack)
		attr->sample_max_stack = min(READ_ONCE(sysctl_perf_event_max_stack), U16_MAX);
}

static int permit_admin(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EACCES;
}

static int permit_perfmon(void)
{
	return perfmon_capable() ? 0 : -EACCES;
}

static int permit_open(void)
{
	return security_perf_event_open(PERF_SECURITY_OPEN);
}

static int permit_unlocked(void)
{
	return security_locked_down(LOCKDOWN_PERF);
}

static u64 closed_to_users(const struct perf_event_attr *attr)
{
	return READ_ONCE(sysctl_perf_event_paranoid) > 2;
}

static u64 counts_kernel(const struct perf_event_attr *attr)
{
	return !attr->exclude_kernel;
}

static u64 chains_kernel(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_CALLCHAIN) &&
	       !attr->exclude_callchain_kernel;
}

static u64 shows_kernel_text(const struct perf_event_attr *attr)
{
	return attr->text_poke;
}

static u64 shows_namespaces(const struct perf_event_attr *attr)
{
	return attr->namespaces;
}

static u64 too_frequent(const struct perf_event_attr *attr)
{
	u64 limit = READ_ONCE(sysctl_perf_event_sample_rate);

	return attr->freq && attr->sample_freq > limit ? attr->sample_freq : 0;
}

static u64 period_negative(const struct perf_event_attr *attr)
{
	return !attr->freq && attr->sample_period >> 63;
}

static u64 shows_phys_addr(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_PHYS_ADDR);
}

static u64 shows_registers(const struct perf_event_attr *attr)
{
	return samples(attr, PERF_SAMPLE_REGS_INTR);
}

/* Rules about the caller's privileges and system-wide limits, part 1: access at all. */
static const struct perf_attr_rule perf_access_rules[] = {
	{
		.field = "perf_event_paranoid", .finding = closed_to_users,
		.permit = permit_admin,
		.reason = "above 2, which leaves perf events to CAP_SYS_ADMIN",
	}, {
		.field = "attr", .permit = permit_open,
		.reason = "the security module does not let this task open events",
	}, {
		.field = "exclude_kernel", .finding = counts_kernel,
		.permit = perf_allow_kernel,
		.reason = "not set: needs CAP_PERFMON, or perf_event_paranoid < 2",
	},
};

/* Part 2: data that the event exposes, and limits of the rate of samples. */
static const struct perf_attr_rule perf_telling_rules[] = {
	{
		.field = "exclude_callchain_kernel", .finding = chains_kernel,
		.permit = perf_allow_kernel,
		.reason = "not set: needs CAP_PERFMON, or perf_event_paranoid < 2",
	}, {
		.field = "text_poke", .finding = shows_kernel_text,
		.permit = perf_allow_kernel,
		.reason = "kernel text: needs CAP_PERFMON, or perf_event_paranoid < 2",
	}, {
		.field = "namespaces", .finding = shows_namespaces,
		.permit = permit_perfmon, .reason = "needs CAP_PERFMON",
	}, {
		.field = "sample_freq", .finding = too_frequent, .err = -EINVAL,
		.reason = "%llu Hz is above perf_event_max_sample_rate",
	}, {
		.field = "sample_period", .finding = period_negative, .err = -EINVAL,
		.reason = "2^63 and more are too long",
	}, {
		.field = "sample_type", .finding = shows_phys_addr,
		.permit = perf_allow_kernel,
		.reason = "PHYS_ADDR: needs CAP_PERFMON, or perf_event_paranoid < 2",
	}, {
		.field = "sample_type", .finding = shows_registers,
		.permit = permit_unlocked,
		.reason = "REGS_INTR may show secrets, and the kernel is locked down",
	},
};

/**
 * perf_attr_authorise() - may current open an event with this attr?
 * @attr: checked by perf_attr_check()
 *
 * Permission to observe the target task or CPU is checked elsewhere.
 *
 * Return: 0, -EACCES, -EINVAL for a rate or period out of bounds, -EPERM under
 * lockdown, or the security module's errno.
 */
int perf_attr_authorise(const struct perf_event_attr *attr)
{
	int err = perf_attr_apply_all(perf_access_rules,
				      ARRAY_SIZE(perf_access_rules), attr);

	if (err || !(attr->sample_type || attr->sample_period || attr->text_poke ||
		     attr->namespaces))
		return err;
	return perf_attr_apply_all(perf_telling_rules,
				   ARRAY_SIZE(perf_telling_rules), attr);
}

/**
 * perf_attr_hide_kernel() - remove what would tell addresses of the kernel
 * @attr: accepted by perf_attr_authorise(), for the current task
 *
 * perf sets ksymbol in all events, so it is not refused: such an event has no KSYMBOL records. The
 * other fields with addresses of the kernel need a permission, see perf_access_rules.
 *
 * Context: task.
 */
void perf_attr_hide_kernel(struct perf_event_attr *attr)
{
	/* an event that counts in the kernel has needed the permission */
	if (likely(!attr->ksymbol) || !attr->exclude_kernel || sysctl_perf_event_paranoid <= 1)
		return;
	/* nothing is refused, so nothing is audited */
	if (!has_capability_noaudit(current, CAP_PERFMON) &&
	    !has_capability_noaudit(current, CAP_SYS_ADMIN))
		attr->ksymbol = 0;
}

/**
 * perf_attr_check_target() - is the attr valid for the target task or CPU?
 * @attr: checked by perf_attr_check()
 * @task: the target is a task
 * @cpu: the CPU, or -1 for a task on any CPU
 *
 * Return: 0 or -EINVAL.
 */
int perf_attr_check_target(const struct perf_event_attr *attr, bool task, int cpu)
{
	/* firmware may leave holes below nr_cpu_ids */
	if (cpu < -1 || cpu >= (int)nr_cpu_ids || (cpu >= 0 && !cpu_possible(cpu)))
		return perf_refuse(-EINVAL, "cpu", "there is no CPU %d", cpu);
	if (!task && cpu < 0)
		return perf_refuse(-EINVAL, "cpu", "neither a task nor a CPU is given");
	if (attr->sigtrap && !task)
		return perf_refuse(-EINVAL, "sigtrap", "needs a task to send it to");
	/* Readers need the sample's TID to tell a child event's own count from the sum. */
	if (attr->inherit && samples(attr, PERF_SAMPLE_READ) &&
	    !samples(attr, PERF_SAMPLE_TID))
		return perf_refuse(-EINVAL, "sample_type",
				   "READ of an inherited event needs TID as well");
	return 0;
}

/**
 * struct perf_capability_rule - a rule that depends on a PMU's capability
 * @rule: applied if the PMU matches
 * @capability: PERF_PMU_CAP_*, or 0 if the rule applies to every PMU
 * @having: the rule applies to PMUs that have the capability, else to those that lack it
 */
struct perf_capability_rule {
	struct perf_attr_rule	rule;
	int			capability;
	bool			having;
};

static u64 extended_registers(const struct perf_event_attr *attr)
{
	return (attr->sample_regs_user | attr->sample_regs_intr) &
	       PERF_REG_EXTENDED_MASK;
}

static u64 excludes(const struct perf_event_attr *attr)
{
	return perf_event_has_any_exclude(attr);
}

static u64 writes_to_aux(const struct perf_event_attr *attr)
{
	return attr->aux_output;
}

static u64 acts_on_its_own_output(const struct perf_event_attr *attr)
{
	return attr->aux_output && (attr->aux_pause || attr->aux_resume);
}

static u64 pauses_and_resumes(const struct perf_event_attr *attr)
{
	return attr->aux_pause && attr->aux_resume;
}

static u64 starts_paused(const struct perf_event_attr *attr)
{
	return attr->aux_start_paused;
}

static const struct perf_capability_rule perf_capability_rules[] = {
	{
		.rule = {
			.field = "sample_regs", .finding = extended_registers,
			.err = -EOPNOTSUPP,
			.reason = "this PMU cannot record registers %#llx",
		},
		.capability = PERF_PMU_CAP_EXTENDED_REGS,
	}, {
		.rule = {
			.field = "exclude", .finding = excludes, .err = -EINVAL,
			.reason = "this PMU cannot tell modes apart: no exclude bit may be set",
		},
		.capability = PERF_PMU_CAP_NO_EXCLUDE, .having = true,
	}, {
		.rule = {
			.field = "aux_output", .finding = writes_to_aux,
			.err = -EOPNOTSUPP,
			.reason = "this PMU cannot write to an AUX area",
		},
		.capability = PERF_PMU_CAP_AUX_OUTPUT,
	}, {
		.rule = {
			.field = "aux_action", .finding = acts_on_its_own_output,
			.err = -EOPNOTSUPP,
			.reason = "an event whose output is in the AUX area cannot pause it",
		},
	}, {
		.rule = {
			.field = "aux_action", .finding = pauses_and_resumes,
			.err = -EINVAL,
			.reason = "pausing and resuming at once",
		},
	}, {
		.rule = {
			.field = "aux_start_paused", .finding = starts_paused,
			.err = -EOPNOTSUPP,
			.reason = "this PMU has no AUX tracing that could pause",
		},
		.capability = PERF_PMU_CAP_AUX_PAUSE,
	},
};

/*
 * Fast path: check the findings of all rows at once; writes_to_aux() includes
 * acts_on_its_own_output(). In most cases all are 0.
 */
static bool perf_attr_needs_capability(const struct perf_event_attr *attr)
{
	return extended_registers(attr) | excludes(attr) | writes_to_aux(attr) |
	       pauses_and_resumes(attr) | starts_paused(attr);
}

/**
 * perf_attr_check_pmu() - does the PMU support the attr?
 * @attr: attr of an event that the PMU's event_init() has accepted
 * @pmu: the PMU
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int perf_attr_check_pmu(const struct perf_event_attr *attr, const struct pmu *pmu)
{
	const struct perf_capability_rule *row = perf_capability_rules;
	u64 found;
	int i, err;

	if (!perf_attr_needs_capability(attr))
		return 0;
	for (i = 0; i < ARRAY_SIZE(perf_capability_rules); i++, row++) {
		if (!!(pmu->capabilities & row->capability) != row->having)
			continue;
		err = perf_attr_apply(&row->rule, attr, &found);
		if (err)
			return perf_refuse(err, row->rule.field, row->rule.reason, found);
	}
	return 0;
}

/**
 * perf_attr_check_sampling() - can the PMU sample, if the event does?
 * @attr: attr of an event opened from user space; in-kernel events are not checked
 * @pmu: its PMU
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int perf_attr_check_sampling(const struct perf_event_attr *attr,
			     const struct pmu *pmu)
{
	if (!attr->sample_period || !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT))
		return 0;
	return perf_refuse(-EOPNOTSUPP, attr->freq ? "sample_freq" : "sample_period",
			   "PMU %s only counts, it cannot sample", pmu->name);
}

/**
 * struct perf_clock_choice - a clock for timestamps
 * @id: value of attr.clockid
 * @nmi_safe: @read may be called in NMI
 * @read: read the clock, in ns
 */
struct perf_clock_choice {
	clockid_t	id;
	bool		nmi_safe;
	u64		(*read)(void);
};

static const struct perf_clock_choice perf_clock_choices[] = {
	{ CLOCK_MONOTONIC,	true,	ktime_get_mono_fast_ns },
	{ CLOCK_MONOTONIC_RAW,	true,	ktime_get_raw_fast_ns },
	{ CLOCK_REALTIME,	false,	ktime_get_real_ns },
	{ CLOCK_BOOTTIME,	false,	ktime_get_boottime_ns },
	{ CLOCK_TAI,		false,	ktime_get_clocktai_ns },
};

/**
 * perf_attr_set_clock() - choose the clock for an event's timestamps
 * @event: the event; its attr and PMU are set
 *
 * If the PMU may overflow in NMI, the clock must be safe to read there.
 *
 * Return: 0 with event->clock set, or -EINVAL.
 */
int perf_attr_set_clock(struct perf_event *event)
{
	bool nmi = !(event->pmu->capabilities & PERF_PMU_CAP_NO_NMI);
	const struct perf_clock_choice *choice = perf_clock_choices;
	int i, id = event->attr.clockid;

	event->clock = local_clock;
	if (!event->attr.use_clockid)
		return 0;

	for (i = 0; i < ARRAY_SIZE(perf_clock_choices); i++, choice++) {
		if (choice->id != id)
			continue;
		if (nmi && !choice->nmi_safe)
			return perf_refuse(-EINVAL, "clockid",
					   "%d cannot be read in NMI, where PMU %s may sample",
					   id, event->pmu->name);
		event->clock = choice->read;
		return 0;
	}
	return perf_refuse(-EINVAL, "clockid", "%d is no clock for time stamps", id);
}
