/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of branches: from attr.branch_sample_type to the branch stack of a sample.
 *
 *   branch_request.c	what an event requests, as kinds of branches
 *   branch_type.c	kind of a branch, by its instruction
 *   branch_filter.c	the records that an event gets
 *   branch_counters.c	counters in records
 *   branch.c		the side of the core PMU (side.h)
 *
 * The registers are in intel/lbr/lbr.c, intel/lbr/arch_lbr.c, amd/lbr.c and amd/brs.c.
 */
#ifndef _X86_EVENTS_BRANCH_H
#define _X86_EVENTS_BRANCH_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <asm/fpu/types.h>

/* Most records that any CPU has. */
#define X86_BRANCHES_MAX	32

/* Kinds of branches. A branch is of one kind. */
enum {
	X86_BR_COND		= BIT(0),
	X86_BR_JUMP		= BIT(1),	/* near and direct */
	X86_BR_IND_JUMP		= BIT(2),
	X86_BR_CALL		= BIT(3),	/* near and direct */
	X86_BR_NEXT_CALL	= BIT(4),	/* the same, to the next instruction */
	X86_BR_IND_CALL		= BIT(5),
	X86_BR_RET		= BIT(6),
	X86_BR_SYSCALL		= BIT(7),	/* SYSCALL, SYSENTER */
	X86_BR_SYSRET		= BIT(8),	/* SYSRET, SYSEXIT */
	X86_BR_TRAP		= BIT(9),	/* INT n, INT3, INTO */
	X86_BR_IRET		= BIT(10),
	X86_BR_FAR_CALL		= BIT(11),
	X86_BR_FAR_JUMP		= BIT(12),
	X86_BR_FAR_RET		= BIT(13),
	X86_BR_IRQ		= BIT(14),	/* interrupt or exception */
	X86_BR_ABORT		= BIT(15),	/* end of a transaction that failed */
	X86_BR_OTHER		= BIT(16),	/* unknown */
	X86_BR_ALL		= BIT(17) - 1,
};

/* Classes of branches that hardware can leave out, by their bits in LBR_SELECT. */
enum {
	X86_BR_CLASS_COND	= BIT(2),
	X86_BR_CLASS_CALL	= BIT(3),
	X86_BR_CLASS_IND_CALL	= BIT(4),
	X86_BR_CLASS_RET	= BIT(5),
	X86_BR_CLASS_IND_JUMP	= BIT(6),
	X86_BR_CLASS_JUMP	= BIT(7),
	X86_BR_CLASS_FAR	= BIT(8),
	X86_BR_CLASSES		= GENMASK(8, 2),
};

/* What the registers of a CPU can do, x86_branches::can. */
#define X86_BRANCHES_STACK	BIT(0)	/* pop calls that return: PERF_SAMPLE_BRANCH_CALL_STACK */
#define X86_BRANCHES_TX		BIT(1)	/* mark what is inside of transactions */
#define X86_BRANCHES_SELECT	BIT(2)	/* leave out branches, see x86_branch_ops::select */
#define X86_BRANCHES_SHARED	BIT(3)	/* the threads of a core share what is left out */
#define X86_BRANCHES_ONE	BIT(4)	/* are of one event; its counter starts recording */

struct x86_branches;
struct x86_core_pmu;
struct x86_cpu_pmu;
struct x86_side_ops;

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
 * @exist: do the registers exist, and keep what is written? Turns recording off before. Called when
 *	the kind of core is met
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
 * Context: irqs off or NMI, on this CPU.
 */
struct x86_branch_ops {
	int (*check)(const struct perf_event *event);
	bool (*exist)(const struct x86_branches *branches);
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

/**
 * struct x86_branch_request - what an event requests
 * @kinds: mask of X86_BR_* that the event gets
 * @select: value for the hardware, which may record more than @kinds
 */
struct x86_branch_request {
	u32	kinds;
	u64	select;
};

static inline bool x86_branch_in_kernel(u64 address)
{
	return address >= TASK_SIZE_MAX;
}

/* branch_request.c */
int x86_branch_request(struct x86_branch_request *request, const struct x86_branches *branches,
		       u64 branch_sample_type);

u32 x86_branch_classes(u32 kinds);

/* branch_type.c */
unsigned int x86_branch_text(u8 *text, u64 address);
bool x86_branch_is_64bit(u64 address);
u32 x86_branch_kind_of(const u8 *text, unsigned int size, bool is_64bit);
u32 x86_branch_kind(const struct perf_branch_entry *entry);
unsigned int x86_branch_abi_type(u32 kind);

/* branch_filter.c */
unsigned int x86_branch_filter(struct perf_branch_entry *out, const struct perf_branch_entry *in,
			       unsigned int nr, u64 branch_sample_type, u32 kinds);

/* branch_counters.c */
bool x86_branch_is_counter(const struct perf_event *event);
int x86_branch_counters_init(struct perf_event *event);
u64 *x86_branch_take_counters(const struct x86_cpu_pmu *cpu, const struct perf_event *event,
			      struct perf_branch_entry *entries, unsigned int nr, u64 *counters);

/* branch.c */
extern const struct x86_side_ops x86_branch_side;
unsigned int x86_branch_records(struct x86_cpu_pmu *cpu, const struct perf_branch_entry **entries);
bool x86_branch_lends(struct perf_event *event);
void x86_branch_probe(struct x86_core_pmu *core);
bool x86_branch_keeps(u32 msr);
void x86_branch_low_power(bool enter);
void x86_branch_core_init(struct x86_core_pmu *core);
void x86_branch_init(void);
void x86_branch_exit(void);

#endif /* _X86_EVENTS_BRANCH_H */
