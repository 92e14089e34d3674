// SPDX-License-Identifier: GPL-2.0
/*
 * The instruction of a record that has the address of the next one only: formats 0 and 1.
 *
 * Instructions cannot be decoded backwards. But the target of the last branch before the record
 * begins an instruction, and from there to the record no branch was taken. If the record itself
 * shows that target, the branch is the instruction.
 *
 * Context: irqs off or NMI, in the task that executed the code.
 *
 * Source: Intel SDM volume 3, "Precise Event Based Sampling (PEBS)": the record is written after
 * the instruction; "Last Branch Records".
 */
#include <linux/kernel.h>
#include <asm/insn.h>
#include <asm/perf_event.h>
#include "../../branch/branch.h"
#include "pebs_cpu.h"

/* Instructions between two branches that are decoded. Longer code has no known instruction. */
#define LOCATE_MAX	64

/* Decode from @at to the instruction before @ip. Return 0 if @ip begins none. */
static u64 pebs_decode_up_to(u64 at, u64 ip)
{
	bool is_64bit = x86_branch_is_64bit(at);
	u8 text[MAX_INSN_SIZE];
	unsigned int left;
	struct insn insn;

	for (left = LOCATE_MAX; left && at < ip; left--) {
		unsigned int size = x86_branch_text(text, at);

		if (!size || insn_decode(&insn, text, size, is_64bit ? INSN_MODE_64 : INSN_MODE_32))
			return 0;
		if (at + insn.length == ip)
			return at;
		at += insn.length;
	}
	return 0;
}

/**
 * pebs_locate() - find the instruction before another one
 * @entries: records of all branches, the latest first
 * @nr: number of records
 * @ip: address of the other instruction, which was reached before the records were read
 *
 * The CPU may have gone on until the interrupt, so branches after @ip are passed.
 *
 * Return: the address of the instruction that was executed before the one at @ip, 0 if it is not
 * known.
 */
u64 pebs_locate(const struct perf_branch_entry *entries, unsigned int nr, u64 ip)
{
	u64 end = U64_MAX;
	unsigned int i;

	for (i = 0; i < nr; end = entries[i++].from) {
		u64 begin = entries[i].to;

		if (ip < begin || ip > end ||
		    x86_branch_in_kernel(ip) != x86_branch_in_kernel(begin))
			continue;
		if (ip > begin)
			return pebs_decode_up_to(begin, ip);
		/* An interrupt, or the return from one, is no instruction of this code. */
		if (x86_branch_in_kernel(entries[i].from) != x86_branch_in_kernel(ip))
			return 0;
		return entries[i].from;
	}
	return 0;
}
