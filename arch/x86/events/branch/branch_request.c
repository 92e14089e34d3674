// SPDX-License-Identifier: GPL-2.0
/*
 * What an event requests of branch records: attr.branch_sample_type as kinds of branches, and the
 * value for the hardware.
 *
 * Context: task.
 *
 * Source of the meanings: include/uapi/linux/perf_event.h, and "--branch-filter" in
 * tools/perf/Documentation/perf-record.txt.
 */
#include <linux/kernel.h>
#include <linux/perf_refusal.h>
#include "branch.h"

static const struct {
	u64	bit;
	u32	kinds;
} requests[] = {
	{ PERF_SAMPLE_BRANCH_ANY,	X86_BR_ALL },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,	X86_BR_CALL | X86_BR_NEXT_CALL | X86_BR_IND_CALL |
					X86_BR_FAR_CALL | X86_BR_SYSCALL | X86_BR_TRAP },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, X86_BR_RET | X86_BR_FAR_RET | X86_BR_SYSRET |
					X86_BR_IRET },
	{ PERF_SAMPLE_BRANCH_IND_CALL,	X86_BR_IND_CALL },
	{ PERF_SAMPLE_BRANCH_CALL,	X86_BR_CALL | X86_BR_NEXT_CALL | X86_BR_FAR_CALL |
					X86_BR_SYSCALL | X86_BR_TRAP },
	{ PERF_SAMPLE_BRANCH_COND,	X86_BR_COND },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,	X86_BR_IND_JUMP },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, X86_BR_CALL | X86_BR_IND_CALL },
	{ PERF_SAMPLE_BRANCH_ABORT_TX,	X86_BR_ABORT },
};

/* Kinds that are requested together with CALL_STACK would not be in a stack of calls. */
#define BRANCH_KINDS							\
	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |		\
	 PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL |	\
	 PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_COND |		\
	 PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_ABORT_TX)

static int x86_branch_check(const struct x86_branches *branches, u64 asked)
{
	if (asked & PERF_SAMPLE_BRANCH_COUNTERS && !branches->counters)
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "COUNTERS asked, the records have no counters");
	if (asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_ABORT_TX) &&
	    !(branches->can & X86_BRANCHES_TX))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "IN_TX or ABORT_TX asked, the records tell of no transactions");
	if (asked & PERF_SAMPLE_BRANCH_KERNEL && branches->can & X86_BRANCHES_GO_ON)
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "KERNEL asked, the latest records would be of the interrupt");
	if (!(asked & PERF_SAMPLE_BRANCH_CALL_STACK))
		return 0;
	if (!(branches->can & X86_BRANCHES_STACK))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "CALL_STACK asked, there is ANY, ANY_CALL, ANY_RETURN, CALL, COND, IND_CALL, IND_JUMP");
	if (asked & BRANCH_KINDS)
		return perf_refuse(-EINVAL, "branch_sample_type",
				   "CALL_STACK cannot be combined with other branches: %#llx",
				   asked & BRANCH_KINDS);
	return 0;
}

/**
 * x86_branch_classes() - get the classes of branches that hardware must record
 * @kinds: mask of X86_BR_*
 *
 * Aborts of transactions, and what is unknown, may be of any class.
 *
 * Return: mask of X86_BR_CLASS_*.
 */
u32 x86_branch_classes(u32 kinds)
{
	u32 classes = 0;

	if (kinds & (X86_BR_ABORT | X86_BR_OTHER))
		return X86_BR_CLASSES;
	if (kinds & X86_BR_COND)
		classes |= X86_BR_CLASS_COND;
	if (kinds & (X86_BR_CALL | X86_BR_NEXT_CALL))
		classes |= X86_BR_CLASS_CALL;
	if (kinds & X86_BR_IND_CALL)
		classes |= X86_BR_CLASS_IND_CALL;
	if (kinds & X86_BR_RET)
		classes |= X86_BR_CLASS_RET;
	if (kinds & X86_BR_IND_JUMP)
		classes |= X86_BR_CLASS_IND_JUMP;
	if (kinds & X86_BR_JUMP)
		classes |= X86_BR_CLASS_JUMP;
	if (kinds & (X86_BR_SYSCALL | X86_BR_SYSRET | X86_BR_TRAP | X86_BR_IRET |
		     X86_BR_FAR_CALL | X86_BR_FAR_JUMP | X86_BR_FAR_RET | X86_BR_IRQ))
		classes |= X86_BR_CLASS_FAR;
	return classes;
}

/**
 * x86_branch_request() - translate a request for branch records
 * @request: output
 * @branches: the records of the core
 * @branch_sample_type: the attribute, with the privilege levels that are the default
 *
 * Bits of transactions alone request branches of all kinds.
 *
 * Return: 0, or -EOPNOTSUPP or -EINVAL with a refusal.
 */
int x86_branch_request(struct x86_branch_request *request, const struct x86_branches *branches,
		       u64 branch_sample_type)
{
	unsigned int i;
	u32 kinds = 0;
	int err;

	err = x86_branch_check(branches, branch_sample_type);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		if (branch_sample_type & requests[i].bit)
			kinds |= requests[i].kinds;
	}
	request->kinds = kinds ?: X86_BR_ALL;
	request->select = branches->ops->select(branches, request->kinds, branch_sample_type,
						branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	return 0;
}
