/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that the base's stand-alone drivers in this directory use: intel/uncore*.c,
 * intel/pt.c, amd/uncore.c, amd/ibs.c, amd/iommu.c and amd/power.c. These files are
 * unchanged. All but amd/uncore.c include "../perf_event.h", which includes this header.
 */
#ifndef _X86_EVENTS_STANDALONE_H
#define _X86_EVENTS_STANDALONE_H

#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <asm/processor.h>
#include <asm/segment.h>
#include "counters/constraint.h"

/* For these drivers only: accesses to registers go to the emulator, if there is one. */
#if defined(CONFIG_X86_PMU_EMULATOR) && defined(X86_STANDALONE)
#include "../../../lib/pmu_emulator/x86/standalone.h"
#endif

/* A file in events/ that prints a string, and the address of its attribute. */
#define EVENT_ATTR_STR(_name, _id, _text)	\
	PMU_EVENT_ATTR_STRING(_name, event_attr_##_id, _text)
#define EVENT_PTR(_id)		(&event_attr_##_id.attr.attr)

/* Tables of rows. */
#define for_each_event_constraint(_row, _table)	\
	for ((_row) = (_table); (_row)->cmask; (_row)++)

#define EVENT_EXTRA_REG(_event, _msr, _mask, _valid, _idx)		\
	{								\
		.event		= (_event),				\
		.config_mask	= (_mask),				\
		.msr		= (_msr),				\
		.valid_mask	= (_valid),				\
		.idx		= EXTRA_REG_##_idx,			\
	}
#define EVENT_EXTRA_END		{ }

/* hw_perf_event_extra::idx of an event that needs no register beside its counter */
#define EXTRA_REG_NONE		(-1)

/* assign.c */
int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign);

/* The branch recording facilities, which exclude each other. */
enum {
	x86_lbr_exclusive_lbr,
	x86_lbr_exclusive_bts,
	x86_lbr_exclusive_pt,
	x86_lbr_exclusive_max,
};

/* intel/pt.c */
#ifdef CONFIG_CPU_SUP_INTEL
void intel_pt_interrupt(void);
#else
static inline void intel_pt_interrupt(void)	{ }
#endif

/* exclusive.c */
int x86_add_exclusive(unsigned int what);
void x86_del_exclusive(unsigned int what);

/**
 * set_linear_ip() - set the instruction pointer in a sample's registers
 * @regs: copy of the registers at the interrupt
 * @ip: linear address; the mode, user or kernel, follows from it
 *
 * Context: any.
 */
static inline void set_linear_ip(struct pt_regs *regs, unsigned long ip)
{
	regs->cs = ip >= TASK_SIZE_MAX ? __KERNEL_CS : __USER_CS;
	regs->flags &= ~X86_VM_MASK;
	regs->ip = ip;
}

#endif /* _X86_EVENTS_STANDALONE_H */
