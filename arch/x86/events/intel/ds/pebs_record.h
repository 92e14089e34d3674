/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of precise sampling (PEBS), in a form that does not depend on their format.
 */
#ifndef _X86_EVENTS_INTEL_PEBS_RECORD_H
#define _X86_EVENTS_INTEL_PEBS_RECORD_H

#include <linux/bits.h>
#include <linux/types.h>

/* General purpose registers in the order of formats 0 to 3. */
enum pebs_reg {
	PEBS_FLAGS, PEBS_IP, PEBS_AX, PEBS_BX, PEBS_CX, PEBS_DX, PEBS_SI, PEBS_DI, PEBS_BP,
	PEBS_SP, PEBS_R8, PEBS_R9, PEBS_R10, PEBS_R11, PEBS_R12, PEBS_R13, PEBS_R14, PEBS_R15,
	PEBS_REGS
};

/* Parts of a record, pebs_record::has. */
#define PEBS_HAS_REGS		BIT(0)	/* @reg, else only @reg[PEBS_IP] */
#define PEBS_HAS_EVENTING_IP	BIT(1)	/* @eventing_ip */
#define PEBS_HAS_COUNTERS	BIT(2)	/* @counters */
#define PEBS_HAS_MEMORY		BIT(3)	/* @address, @source, @latency */
#define PEBS_HAS_TSX		BIT(4)	/* @tsx */
#define PEBS_HAS_TSC		BIT(5)	/* @tsc */
#define PEBS_HAS_XMM		BIT(6)	/* @xmm */
#define PEBS_HAS_BRANCHES	BIT(7)	/* @branches */
#define PEBS_HAS_RETIRE_LATENCY	BIT(8)	/* @retire_latency */

/**
 * struct pebs_layout - what determines the layout of a CPU's records
 * @format: PERF_CAPABILITIES bits 11 to 8
 * @timed: records say how long instructions took to retire, PERF_CAPABILITIES bit 17
 * @no_memory: fields of memory and of transactions are reserved in formats 2 and 3: small cores
 */
struct pebs_layout {
	u8	format;
	bool	timed;
	bool	no_memory;
};

/*
 * The highest format that pebs_record_decode() supports. Format 5 differs from format 4 only in the
 * area for reload values. Format 6 has a group of counters, which is never requested.
 */
#define PEBS_FORMAT_MAX		6
/*
 * From this format on records have the address of the instruction that caused them. Before, they
 * have the address of the next one.
 */
#define PEBS_FORMAT_EVENTING_IP	2
/*
 * From this format on records name the counters that they are for. Before, a record says at most
 * which counters have overflowed.
 */
#define PEBS_FORMAT_COUNTERS	3
/* From this format on records have groups, and their size varies. */
#define PEBS_FORMAT_ADAPTIVE	4
/* From this format on there are reload values of 32 general purpose and 16 fixed counters. */
#define PEBS_FORMAT_RELOADS	5

/* Groups of adaptive records, and bits of MSR_PEBS_DATA_CFG. */
#define PEBS_GROUP_MEMORY	BIT(0)
#define PEBS_GROUP_REGS		BIT(1)
#define PEBS_GROUP_XMM		BIT(2)
#define PEBS_GROUP_BRANCHES	BIT(3)
#define PEBS_GROUPS		GENMASK(3, 0)
/* Number of branches, less one. */
#define PEBS_BRANCHES_SHIFT	24

/**
 * struct pebs_branch - a branch of the group of branches, as in the registers of branch records
 * @from: source
 * @to: destination
 * @info: flags and cycles
 */
struct pebs_branch {
	u64	from;
	u64	to;
	u64	info;
};

/**
 * struct pebs_record - a record
 * @has: PEBS_HAS_*
 * @size: bytes of the record in the buffer
 * @reg: registers after the instruction that caused the record, by PEBS_*. @reg[PEBS_IP] is the
 *	next instruction.
 * @eventing_ip: the instruction that caused the record
 * @counters: mask of counters that the record is for, fixed ones from bit 32
 * @tsc: time stamp counter
 * @address: linear address that the instruction accessed
 * @source: status, or source of the data; see pebs_data_src.c
 * @latency: latency in cycles, as in the record
 * @tsx: abort of a transaction
 * @retire_latency: cycles since the last instruction retired
 * @xmm: the registers XMM0 to XMM15, two values each; in the buffer
 * @branches: branches, latest first; in the buffer
 * @nr_branches: number of @branches
 */
struct pebs_record {
	u32				has;
	u32				size;
	u64				reg[PEBS_REGS];
	u64				eventing_ip;
	u64				counters;
	u64				tsc;
	u64				address;
	u64				source;
	u64				latency;
	u64				tsx;
	u16				retire_latency;
	const u64			*xmm;
	const struct pebs_branch	*branches;
	unsigned int			nr_branches;
};

u32 pebs_record_size(const struct pebs_layout *layout, u64 data_cfg);
int pebs_record_decode(const struct pebs_layout *layout, const void *at, size_t left,
		       struct pebs_record *out);

#endif /* _X86_EVENTS_INTEL_PEBS_RECORD_H */
