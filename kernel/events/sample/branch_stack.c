// SPDX-License-Identifier: GPL-2.0
/*
 * Branch stacks: a snapshot of the last branches on demand, for BPF.
 *
 * This file owns the static call behind bpf_get_branch_snapshot(). A CPU driver that supports
 * it installs its function before BPF programs load, because the verifier inlines the target.
 * Until then the call returns no entries.
 *
 * Context: any, NMI included.
 */
#include <linux/perf_event.h>
#include <linux/static_call.h>

DEFINE_STATIC_CALL_RET0(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);
