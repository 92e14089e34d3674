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
#include "../counters/branches.h"

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

struct x86_core_pmu;
struct x86_side_ops;

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
bool x86_branch_probe_register(u32 msr);
void x86_branch_low_power(bool enter);
void x86_branch_core_init(struct x86_core_pmu *core);
void x86_branch_init(void);
void x86_branch_exit(void);

#endif /* _X86_EVENTS_BRANCH_H */
