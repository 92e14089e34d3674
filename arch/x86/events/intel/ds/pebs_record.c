// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of records of precise sampling (PEBS): formats 0 to 3, which have a fixed size, and
 * formats 4 to 6, with records that say which groups of fields they have.
 *
 * Records are in memory that only the hardware should write. Nothing here relies on that: sizes
 * and groups of a record are checked against what is left of the buffer.
 *
 * Context: any.
 *
 * Source: Intel SDM volume 3, "Debug Store (DS) Mechanism" for format 0, "Precise Event Based
 * Sampling (PEBS)" in the sections of the microarchitectures for formats 1 to 3, "Adaptive PEBS"
 * for formats 4 and 5; "Timed Processor Event Based Sampling" for the latency of retirement.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "pebs_record.h"

/* Offsets of fields in formats 0 to 3, in bytes. The registers are at 0. */
#define OLD_COUNTERS	0x90
#define OLD_ADDRESS	0x98
#define OLD_SOURCE	0xa0
#define OLD_LATENCY	0xa8
#define OLD_EVENTING_IP	0xb0
#define OLD_TSX		0xb8
#define OLD_TSC		0xc0

static const u8 old_sizes[PEBS_FORMAT_ADAPTIVE] = { 0x90, 0xb0, 0xc0, 0xc8 };

/* Sizes of the groups of adaptive records, in bytes. The basic one is first, and always there. */
#define GROUP_BASIC_SIZE	32
#define GROUP_MEMORY_SIZE	32
#define GROUP_REGS_SIZE		(PEBS_REGS * sizeof(u64))
#define GROUP_XMM_SIZE		256

/* Offsets in groups, in values of eight bytes. */
enum { BASIC_HEADER, BASIC_IP, BASIC_COUNTERS, BASIC_TSC };
enum { MEMORY_ADDRESS, MEMORY_SOURCE, MEMORY_LATENCY, MEMORY_TSX };

/* First value of a record: groups, latency of retirement, size. */
#define HEADER_RETIRE_SHIFT	32
#define HEADER_SIZE_SHIFT	48

/* The order of the registers in their group. */
static const u8 group_regs[PEBS_REGS] = {
	PEBS_FLAGS, PEBS_IP, PEBS_AX, PEBS_CX, PEBS_DX, PEBS_BX, PEBS_SP, PEBS_BP, PEBS_SI,
	PEBS_DI, PEBS_R8, PEBS_R9, PEBS_R10, PEBS_R11, PEBS_R12, PEBS_R13, PEBS_R14, PEBS_R15,
};

static u64 pebs_record_value_at(const void *at, unsigned int offset)
{
	return *(const u64 *)(at + offset);
}

static u32 pebs_record_groups_size(u64 groups, unsigned int nr_branches)
{
	u32 size = GROUP_BASIC_SIZE;

	if (groups & PEBS_GROUP_MEMORY)
		size += GROUP_MEMORY_SIZE;
	if (groups & PEBS_GROUP_REGS)
		size += GROUP_REGS_SIZE;
	if (groups & PEBS_GROUP_XMM)
		size += GROUP_XMM_SIZE;
	if (groups & PEBS_GROUP_BRANCHES)
		size += nr_branches * sizeof(struct pebs_branch);
	return size;
}

static unsigned int pebs_record_branches_of(u64 data_cfg)
{
	return (data_cfg >> PEBS_BRANCHES_SHIFT & 0xff) + 1;
}

/**
 * pebs_record_size() - get the size of the largest record
 * @layout: layout of the CPU's records
 * @data_cfg: value of MSR_PEBS_DATA_CFG; ignored by formats before it
 *
 * Return: bytes, 0 if the format is not known.
 */
u32 pebs_record_size(const struct pebs_layout *layout, u64 data_cfg)
{
	if (layout->format > PEBS_FORMAT_MAX)
		return 0;
	if (layout->format < PEBS_FORMAT_ADAPTIVE)
		return old_sizes[layout->format];
	return pebs_record_groups_size(data_cfg, pebs_record_branches_of(data_cfg));
}

static void pebs_record_decode_old(const struct pebs_layout *layout, const void *at,
				   struct pebs_record *out)
{
	memcpy(out->reg, at, sizeof(out->reg));
	out->has = PEBS_HAS_REGS;
	if (layout->format >= 1) {
		if (!layout->no_memory || layout->format == 3) {
			out->address = pebs_record_value_at(at, OLD_ADDRESS);
			out->has |= PEBS_HAS_MEMORY;
		}
		if (!layout->no_memory) {
			out->source = pebs_record_value_at(at, OLD_SOURCE);
			out->latency = pebs_record_value_at(at, OLD_LATENCY);
		}
	}
	if (layout->format >= 2) {
		out->eventing_ip = pebs_record_value_at(at, OLD_EVENTING_IP);
		out->has |= PEBS_HAS_EVENTING_IP;
		if (!layout->no_memory) {
			out->tsx = pebs_record_value_at(at, OLD_TSX);
			out->has |= PEBS_HAS_TSX;
		}
	}
	if (layout->format >= PEBS_FORMAT_COUNTERS) {
		out->counters = pebs_record_value_at(at, OLD_COUNTERS);
		out->tsc = pebs_record_value_at(at, OLD_TSC);
		out->has |= PEBS_HAS_COUNTERS | PEBS_HAS_TSC;
	}
}

static void pebs_record_decode_basic(const struct pebs_layout *layout, const u64 *basic,
				     struct pebs_record *out)
{
	out->eventing_ip = basic[BASIC_IP];
	out->reg[PEBS_IP] = basic[BASIC_IP];
	out->counters = basic[BASIC_COUNTERS];
	out->tsc = basic[BASIC_TSC];
	out->has = PEBS_HAS_EVENTING_IP | PEBS_HAS_COUNTERS | PEBS_HAS_TSC;
	if (layout->timed) {
		out->retire_latency = basic[BASIC_HEADER] >> HEADER_RETIRE_SHIFT;
		out->has |= PEBS_HAS_RETIRE_LATENCY;
	}
}

static void pebs_record_decode_memory(const u64 *memory, struct pebs_record *out)
{
	out->address = memory[MEMORY_ADDRESS];
	out->source = memory[MEMORY_SOURCE];
	out->latency = memory[MEMORY_LATENCY];
	out->tsx = memory[MEMORY_TSX];
	out->has |= PEBS_HAS_MEMORY | PEBS_HAS_TSX;
}

static void pebs_record_decode_regs(const u64 *regs, struct pebs_record *out)
{
	unsigned int i;

	for (i = 0; i < PEBS_REGS; i++)
		out->reg[group_regs[i]] = regs[i];
	out->has |= PEBS_HAS_REGS;
}

/* The record has at least the basic group. */
static int pebs_record_decode_groups(const struct pebs_layout *layout, const void *at, size_t left,
				     struct pebs_record *out)
{
	u64 header = pebs_record_value_at(at, 0);
	u32 groups = header;

	out->size = header >> HEADER_SIZE_SHIFT;
	/* Also a group that is not known: its place among the others is not known either. */
	if (groups & ~(PEBS_GROUPS | 0xffU << PEBS_BRANCHES_SHIFT) || out->size > left ||
	    out->size != pebs_record_groups_size(groups, pebs_record_branches_of(groups)))
		return -EBADMSG;

	pebs_record_decode_basic(layout, at, out);
	at += GROUP_BASIC_SIZE;
	if (groups & PEBS_GROUP_MEMORY) {
		pebs_record_decode_memory(at, out);
		at += GROUP_MEMORY_SIZE;
	}
	if (groups & PEBS_GROUP_REGS) {
		pebs_record_decode_regs(at, out);
		at += GROUP_REGS_SIZE;
	}
	if (groups & PEBS_GROUP_XMM) {
		out->xmm = at;
		out->has |= PEBS_HAS_XMM;
		at += GROUP_XMM_SIZE;
	}
	if (groups & PEBS_GROUP_BRANCHES) {
		out->branches = at;
		out->nr_branches = pebs_record_branches_of(groups);
		out->has |= PEBS_HAS_BRANCHES;
	}
	return 0;
}

/**
 * pebs_record_decode() - decode a record
 * @layout: layout of the CPU's records
 * @at: the record
 * @left: bytes from @at to the end of the records
 * @out: output
 *
 * Fields that the record does not have are 0.
 *
 * Return: 0, -EBADMSG if there is no whole record, or none of a known format.
 */
int pebs_record_decode(const struct pebs_layout *layout, const void *at, size_t left,
		       struct pebs_record *out)
{
	memset(out, 0, sizeof(*out));
	if (layout->format > PEBS_FORMAT_MAX)
		return -EBADMSG;
	if (layout->format < PEBS_FORMAT_ADAPTIVE) {
		out->size = old_sizes[layout->format];
		if (out->size > left)
			return -EBADMSG;
		pebs_record_decode_old(layout, at, out);
		return 0;
	}
	if (left < GROUP_BASIC_SIZE)
		return -EBADMSG;
	return pebs_record_decode_groups(layout, at, left, out);
}
