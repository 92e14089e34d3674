// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's branch records: from the registers' layouts to struct perf_branch_entry.
 *
 * Context: any.
 *
 * Source: Intel SDM volume 3, sections "LBR Stack", "LBR Stack and Intel 64 Processors", "Last
 * Branch Records" of each microarchitecture, and "Architectural Last Branch Records".
 */
#include "lbr.h"

#define FROM_MISPRED	BIT_ULL(63)
#define FROM_IN_TX	BIT_ULL(62)
#define FROM_ABORT	BIT_ULL(61)
#define TO_CYCLES_SHIFT	48

/* Number of the top bit of an address, in layouts with flags above. */
#define ADDRESS_TOP	47

static void intel_lbr_set_prediction(struct perf_branch_entry *entry, bool mispredicted)
{
	entry->mispred = mispredicted;
	entry->predicted = !mispredicted;
}

static void intel_lbr_set_transaction(struct perf_branch_entry *entry, u64 flags)
{
	entry->in_tx = !!(flags & FROM_IN_TX);
	entry->abort = !!(flags & FROM_ABORT);
}

static_assert(FROM_MISPRED == LBR_INFO_MISPRED && FROM_IN_TX == LBR_INFO_IN_TX &&
	      FROM_ABORT == LBR_INFO_ABORT);

/**
 * intel_lbr_decode() - decode a legacy record
 * @entry: output
 * @record: the registers
 * @format: INTEL_LBR_FORMAT_*
 * @has_tx: flags of transactions are valid
 */
void intel_lbr_decode(struct perf_branch_entry *entry, const struct lbr_entry *record,
		      unsigned int format, bool has_tx)
{
	*entry = (struct perf_branch_entry) { .from = record->from, .to = record->to };
	switch (format) {
	case INTEL_LBR_FORMAT_INFO:
	case INTEL_LBR_FORMAT_ATOM:
		intel_lbr_set_prediction(entry, record->info & LBR_INFO_MISPRED);
		if (has_tx && format == INTEL_LBR_FORMAT_INFO)
			intel_lbr_set_transaction(entry, record->info);
		entry->cycles = record->info & LBR_INFO_CYCLES;
		break;
	case INTEL_LBR_FORMAT_TIME:
		entry->cycles = record->to >> TO_CYCLES_SHIFT;
		entry->to = sign_extend64(record->to, ADDRESS_TOP);
		fallthrough;
	case INTEL_LBR_FORMAT_FLAGS:
	case INTEL_LBR_FORMAT_TSX:
		intel_lbr_set_prediction(entry, record->from & FROM_MISPRED);
		if (has_tx && format == INTEL_LBR_FORMAT_TSX)
			intel_lbr_set_transaction(entry, record->from);
		entry->from = sign_extend64(record->from, ADDRESS_TOP);
		break;
	}
}

/**
 * intel_lbr_writable_from() - get a value with which the source of a record can be restored
 * @from: the value that was read
 * @format: INTEL_LBR_FORMAT_*
 * @has_tx: the CPU has transactions
 *
 * On Haswell and Broadwell without transactions, reads return bits 62 and 61 as flags, and writes
 * fault unless they continue the address: errata HSM182, HSD172, HSE117, BDM127, BDD117, BDW117,
 * BDF85, BDH75, BDX88, BDE105.
 *
 * Return: the value.
 */
u64 intel_lbr_writable_from(u64 from, unsigned int format, bool has_tx)
{
	const u64 flags = FROM_IN_TX | FROM_ABORT;

	if (format != INTEL_LBR_FORMAT_TSX || has_tx)
		return from;
	return (from & ~flags) | (sign_extend64(from, ADDRESS_TOP) & flags);
}

/**
 * intel_lbr_writable_to() - get a value with which the target of a record can be restored
 * @to: the value that was read
 * @format: INTEL_LBR_FORMAT_*
 *
 * Where the bits above the address are cycles, the address must be canonical nevertheless: no
 * manual says that another value can be written. So a restored record has lost its cycles.
 *
 * Return: the value.
 */
u64 intel_lbr_writable_to(u64 to, unsigned int format)
{
	return format == INTEL_LBR_FORMAT_TIME ? sign_extend64(to, ADDRESS_TOP) : to;
}

/* Values of the type in IA32_LBR_x_INFO. Others are unknown: interrupts, far branches. */
static const u8 arch_types[] = {
	PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL, PERF_BR_RET,
};

/**
 * intel_arch_lbr_decode() - decode an architectural record
 * @entry: output
 * @record: the registers
 * @format: INTEL_ARCH_LBR_*
 * @has_tx: flags of transactions are valid
 */
void intel_arch_lbr_decode(struct perf_branch_entry *entry, const struct lbr_entry *record,
			   unsigned int format, bool has_tx)
{
	unsigned int type = (record->info & LBR_INFO_BR_TYPE) >> LBR_INFO_BR_TYPE_OFFSET & 0xf;

	*entry = (struct perf_branch_entry) { .from = record->from, .to = record->to };
	if (format & INTEL_ARCH_LBR_MISPRED)
		intel_lbr_set_prediction(entry, record->info & LBR_INFO_MISPRED);
	if (has_tx)
		intel_lbr_set_transaction(entry, record->info);
	if (format & INTEL_ARCH_LBR_CYCLES && record->info & LBR_INFO_CYC_CNT_VALID)
		entry->cycles = record->info & LBR_INFO_CYCLES;
	if (format & INTEL_ARCH_LBR_TYPE && type < ARRAY_SIZE(arch_types))
		entry->type = arch_types[type];
	/* until x86_branch_take_counters() */
	if (format & INTEL_ARCH_LBR_COUNTERS)
		entry->reserved = record->info >> LBR_INFO_BR_CNTR_OFFSET &
				  LBR_INFO_BR_CNTR_FULL_MASK;
}
