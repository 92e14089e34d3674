/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's last branch records.
 */
#ifndef _X86_EVENTS_INTEL_LBR_H
#define _X86_EVENTS_INTEL_LBR_H

#include "../../core/detect.h"

/* Layouts of legacy records: bits 5 to 0 of IA32_PERF_CAPABILITIES, SDM volume 3, 17.4.8.1. */
enum {
	INTEL_LBR_FORMAT_LIP	= 1,	/* linear addresses */
	INTEL_LBR_FORMAT_EIP	= 2,	/* effective addresses */
	INTEL_LBR_FORMAT_FLAGS	= 3,	/* with a flag in FROM: mispredicted */
	INTEL_LBR_FORMAT_TSX	= 4,	/* also flags of transactions in FROM */
	INTEL_LBR_FORMAT_INFO	= 5,	/* with a register for flags and cycles */
	INTEL_LBR_FORMAT_TIME	= 6,	/* with a flag in FROM, and cycles in TO */
	INTEL_LBR_FORMAT_ATOM	= 7,	/* as INFO, without flags of transactions */
};

/* Of architectural records, CPUID leaf 0x1c ECX: what INFO has. */
#define INTEL_ARCH_LBR_MISPRED	BIT(0)
#define INTEL_ARCH_LBR_CYCLES	BIT(1)
#define INTEL_ARCH_LBR_TYPE	BIT(2)
/* Some counters can be in INFO. */
#define INTEL_ARCH_LBR_COUNTERS	BIT(3)

/**
 * struct intel_lbr - legacy records of a model of cores
 * @from: MSR with the source of the first record
 * @to: MSR with its target
 * @info: MSR with more about it, or 0
 * @depth: number of records
 * @can: X86_BRANCHES_SELECT, X86_BRANCHES_SHARED, X86_BRANCHES_STACK
 * @format: INTEL_LBR_FORMAT_* with @info; without it, the model has one of the others
 */
struct intel_lbr {
	u32	from;
	u32	to;
	u32	info;
	u8	depth;
	u8	can;
	u8	format;
};

extern const struct intel_lbr intel_lbr_core2, intel_lbr_bonnell, intel_lbr_silvermont;
extern const struct intel_lbr intel_lbr_nehalem, intel_lbr_sandybridge, intel_lbr_haswell;
extern const struct intel_lbr intel_lbr_goldmont, intel_lbr_goldmont_plus, intel_lbr_skylake;

/* lbr.c */
void intel_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu,
			const struct intel_lbr *lbr);

/* lbr_format.c */
void intel_lbr_decode(struct perf_branch_entry *entry, const struct lbr_entry *record,
		      unsigned int format, bool has_tx);
u64 intel_lbr_writable_from(u64 from, unsigned int format, bool has_tx);
u64 intel_lbr_writable_to(u64 to, unsigned int format);
void intel_arch_lbr_decode(struct perf_branch_entry *entry, const struct lbr_entry *record,
			   unsigned int format, bool has_tx);

/* arch_lbr.c */
void intel_arch_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);
int intel_arch_lbr_guest_fill(const struct x86_core_pmu *core, struct perf_guest_switch_msr *msr);
u64 intel_arch_lbr_control(u32 kinds, u64 levels, bool call_stack);

#endif /* _X86_EVENTS_INTEL_LBR_H */
