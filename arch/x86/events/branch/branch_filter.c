// SPDX-License-Identifier: GPL-2.0
/*
 * The records that an event gets, of those that the hardware has.
 *
 * The hardware may record more than an event requests: it takes the level from the target only,
 * its classes of branches are wider than in the ABI, and it records for several events. What an
 * event does not request is removed here. An event without PERF_SAMPLE_BRANCH_KERNEL may belong to
 * a user who must not see addresses of the kernel, neither as target nor as source.
 *
 * Owns nothing.
 *
 * Context: NMI.
 */
#include "branch.h"

static bool x86_branch_level_fits(const struct perf_branch_entry *entry, u64 asked)
{
	if (!(asked & PERF_SAMPLE_BRANCH_KERNEL))
		return asked & PERF_SAMPLE_BRANCH_USER && !x86_branch_in_kernel(entry->from) &&
		       !x86_branch_in_kernel(entry->to);
	return x86_branch_in_kernel(entry->to) || asked & PERF_SAMPLE_BRANCH_USER;
}

static bool x86_branch_transaction_fits(const struct perf_branch_entry *entry, u64 asked)
{
	if (!(asked & (PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |
		       PERF_SAMPLE_BRANCH_NO_TX)))
		return true;
	if (entry->abort)
		return asked & PERF_SAMPLE_BRANCH_ABORT_TX;
	return asked & (entry->in_tx ? PERF_SAMPLE_BRANCH_IN_TX : PERF_SAMPLE_BRANCH_NO_TX);
}

/* The kind, if the hardware records the type. Returns 0 if it does not. */
static u32 x86_branch_kind_by_type(unsigned int type)
{
	switch (type) {
	case PERF_BR_COND:
		return X86_BR_COND;
	case PERF_BR_UNCOND:
		return X86_BR_JUMP;
	case PERF_BR_IND:
		return X86_BR_IND_JUMP;
	case PERF_BR_CALL:
		return X86_BR_CALL;
	case PERF_BR_IND_CALL:
		return X86_BR_IND_CALL;
	case PERF_BR_RET:
		return X86_BR_RET;
	}
	return 0;
}

/*
 * Reduce a record to what the attributes of an event request. Return: false if the event does not
 * get the record.
 */
static bool x86_branch_reduce(struct perf_branch_entry *entry, u64 asked, u32 kinds)
{
	u32 kind;

	if (!entry->from || !entry->to)
		return false;
	if (!x86_branch_level_fits(entry, asked) || !x86_branch_transaction_fits(entry, asked))
		return false;
	if (kinds != X86_BR_ALL || (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE &&
				    entry->type == PERF_BR_UNKNOWN)) {
		kind = x86_branch_kind_by_type(entry->type) ?: x86_branch_kind(entry);
		if (!(kind & kinds))
			return false;
		entry->type = x86_branch_abi_type(kind);
	}
	if (!(asked & PERF_SAMPLE_BRANCH_TYPE_SAVE)) {
		entry->type = PERF_BR_UNKNOWN;
		entry->new_type = 0;
	}
	if (asked & PERF_SAMPLE_BRANCH_NO_FLAGS) {
		entry->mispred = 0;
		entry->predicted = 0;
		entry->in_tx = 0;
		entry->abort = 0;
		entry->spec = PERF_BR_SPEC_NA;
	}
	if (asked & PERF_SAMPLE_BRANCH_NO_CYCLES)
		entry->cycles = 0;
	if (asked & PERF_SAMPLE_BRANCH_PRIV_SAVE)
		entry->priv = x86_branch_in_kernel(entry->to) ? PERF_BR_PRIV_KERNEL :
								PERF_BR_PRIV_USER;
	return true;
}

/**
 * x86_branch_filter() - get the records for an event
 * @out: output, room for @nr records; may be @in
 * @in: records of the hardware
 * @nr: their number
 * @branch_sample_type: the event's attribute
 * @kinds: kinds of branches that it stands for, see x86_branch_request()
 *
 * Return: the number of records.
 */
unsigned int x86_branch_filter(struct perf_branch_entry *out, const struct perf_branch_entry *in,
			       unsigned int nr, u64 branch_sample_type, u32 kinds)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++) {
		out[kept] = in[i];
		if (x86_branch_reduce(&out[kept], branch_sample_type, kinds))
			kept++;
	}
	return kept;
}
