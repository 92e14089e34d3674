/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parse records.
 */
#ifndef PERF_TEST_RECORD_H
#define PERF_TEST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>

/**
 * struct perf_rec - The fields of a sample, or of the sample_id of another record
 * @id: ID or IDENTIFIER.
 * @identifier: IDENTIFIER alone.
 * @stream_id: STREAM_ID.
 * @ip: IP.
 * @time: TIME.
 * @addr: ADDR.
 * @period: PERIOD.
 * @pid: The first word of TID.
 * @tid: The second word of TID.
 * @cpu: CPU.
 * @read: READ, in the layout of read_format.
 * @chain: CALLCHAIN.
 * @regs_user: REGS_USER in the order of the mask's bits, if the ABI is not NONE.
 * @regs_intr: REGS_INTR likewise.
 * @branches: BRANCH_STACK.
 * @branch_counters: Counters of @branches, with PERF_SAMPLE_BRANCH_COUNTERS.
 * @raw: RAW.
 * @stack: STACK_USER.
 * @aux: AUX.
 * @nr_read: Words of @read.
 * @nr_chain: Words of @chain.
 * @nr_branches: Entries of @branches.
 * @hw_idx: The hardware's index of @branches.
 * @raw_size: Bytes of @raw.
 * @stack_size: Bytes of @stack.
 * @stack_valid: Bytes of @stack that the kernel could read.
 * @aux_size: Bytes of @aux.
 * @regs_user_abi: PERF_SAMPLE_REGS_ABI_* of @regs_user.
 * @regs_intr_abi: PERF_SAMPLE_REGS_ABI_* of @regs_intr.
 * @weight: WEIGHT or WEIGHT_STRUCT.
 * @data_src: DATA_SRC.
 * @transaction: TRANSACTION.
 * @phys_addr: PHYS_ADDR.
 * @cgroup: CGROUP.
 * @data_page_size: DATA_PAGE_SIZE.
 * @code_page_size: CODE_PAGE_SIZE.
 *
 * Fields that the record does not have are 0. Pointers point into the record.
 */
struct perf_rec {
	__u64 id, identifier, stream_id, ip, time, addr, period;
	__u32 pid, tid, cpu;
	const __u64 *read, *chain, *regs_user, *regs_intr;
	const struct perf_branch_entry *branches;
	const __u64 *branch_counters;
	const void *raw, *stack, *aux;
	__u64 nr_read, nr_chain, nr_branches, hw_idx;
	__u64 raw_size, stack_size, stack_valid, aux_size;
	__u64 regs_user_abi, regs_intr_abi;
	__u64 weight, data_src, transaction, phys_addr, cgroup;
	__u64 data_page_size, code_page_size;
};

/**
 * struct perf_lost - How a PERF_RECORD_LOST begins
 * @header: The header.
 * @id: The event.
 * @lost: The number of lost records.
 */
struct perf_lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

bool perf_rec_parse(const struct perf_event_attr *attr,
		    const struct perf_event_header *header,
		    struct perf_rec *out);
size_t perf_id_words(const struct perf_event_attr *attr);
size_t perf_rec_body(const struct perf_event_attr *attr,
		     const struct perf_event_header *header);

#endif /* PERF_TEST_RECORD_H */
