/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers with records of branches: what the vendors' code says of them, and the access to
 * them. For the records see branch/branch.h.
 */
#ifndef _X86_EVENTS_BRANCHES_H
#define _X86_EVENTS_BRANCHES_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <asm/fpu/types.h>

/* Most records that any CPU has. */
#define X86_BRANCHES_MAX	32

/* What the registers of a CPU can do, x86_branches::can. */
#define X86_BRANCHES_STACK	BIT(0)	/* pop calls that return: PERF_SAMPLE_BRANCH_CALL_STACK */
#define X86_BRANCHES_TX		BIT(1)	/* mark what is inside of transactions */
#define X86_BRANCHES_SELECT	BIT(2)	/* leave out branches, see x86_branch_ops::select */
#define X86_BRANCHES_SHARED	BIT(3)	/* the threads of a core share what is left out */
#define X86_BRANCHES_ONE	BIT(4)	/* are of one event; its counter starts recording */
#define X86_BRANCHES_GO_ON	BIT(5)	/* the interrupt does not freeze them */

struct x86_branches;
struct x86_cpu_pmu;

/**
 * struct x86_branch_saved - records of a task that does not run
 * @valid: there are records
 * @lent: they are a guest's records
 * @tos: position of the latest one in the registers
 * @select: what the guest lets the CPU leave out; valid with @lent
 * @entry: the registers, from the latest record on
 */
struct x86_branch_saved {
	bool			valid;
	bool			lent;
	u64			tos;
	u64			select;
	struct lbr_entry	entry[X86_BRANCHES_MAX];
};

/**
 * struct x86_branch_ops - access to the registers of a kind of CPU
 * @check: checks an event that has its select value. Runs in a task. Returns 0 or an errno,
 *	with a refusal. Optional
 * @probe: turns recording off, and writes to the registers. Returns true if they exist and keep
 *	what is written. Called when the kind of core is met
 * @select: get the value that lets the CPU record these kinds at the levels
 *	PERF_SAMPLE_BRANCH_USER and PERF_SAMPLE_BRANCH_KERNEL, and perhaps others
 * @start: record what @select says. Called while recording is off
 * @stop: stop recording; may be called twice
 * @reset: remove all records. Called while recording is off
 * @read: read records, the latest first, with the members of struct perf_branch_entry that the
 *	hardware has. Returns their number. Called while recording is off
 * @save: save the registers. Called while recording is off
 * @restore: undo @save
 * @lend: a guest is about to use the registers, which have nothing of the host but records. @reset
 *	or @restore follows. Called while recording is off. NULL: guests get none
 * @quiet: reset all registers, which may have any content
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
struct x86_branch_ops {
	int (*check)(const struct perf_event *event);
	bool (*probe)(const struct x86_branches *branches);
	u64 (*select)(const struct x86_branches *branches, u32 kinds, u64 levels,
		      bool call_stack);
	void (*start)(struct x86_cpu_pmu *cpu, u64 select);
	void (*stop)(struct x86_cpu_pmu *cpu);
	void (*reset)(struct x86_cpu_pmu *cpu);
	unsigned int (*read)(struct x86_cpu_pmu *cpu, struct perf_branch_entry *entries,
			     u64 *hw_idx);
	void (*save)(struct x86_cpu_pmu *cpu, struct x86_branch_saved *saved);
	void (*restore)(struct x86_cpu_pmu *cpu, const struct x86_branch_saved *saved);
	void (*lend)(struct x86_cpu_pmu *cpu);
	void (*quiet)(struct x86_cpu_pmu *cpu);
};

/**
 * struct x86_branches - the records of branches of a kind of core
 * @ops: access to them; NULL: there are none
 * @from: MSR with the source of the first record
 * @to: MSR with its target
 * @info: MSR with more about it, or 0
 * @depth: number of records
 * @format: layout of the records, for @ops
 * @can: X86_BRANCHES_*
 * @early: number of events of the counter between its overflow and the interrupt, which hardware
 *	delays until it has recorded branches; 0: the interrupt is not delayed
 * @counters: mask of the CPU's counters that records have, see branch_counters.c
 */
struct x86_branches {
	const struct x86_branch_ops	*ops;
	u32				from;
	u32				to;
	u32				info;
	u8				depth;
	u8				format;
	u8				can;
	u8				early;
	u8				counters;
};

#endif /* _X86_EVENTS_BRANCHES_H */
