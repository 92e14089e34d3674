/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of precise sampling on a CPU, and what the files pebs*.c call of each other.
 *
 * Locking rules: as struct x86_cpu_pmu. @draining keeps an NMI, and programs that read events
 * while samples are written, out of pebs_drain().
 */
#ifndef _X86_EVENTS_INTEL_PEBS_CPU_H
#define _X86_EVENTS_INTEL_PEBS_CPU_H

#include "ds.h"
#include "pebs.h"

/* So often a counter that was stopped is read in wait for the record of its overflow. */
#define PEBS_LOOKS	16

/**
 * struct pebs_cpu - precise sampling on a CPU
 * @enable: value of MSR_IA32_PEBS_ENABLE
 * @exit_enable: the value that the last VM exit has loaded, see guest.c
 * @data_cfg: value of MSR_PEBS_DATA_CFG
 * @many: counters with events for which records may collect in the buffer
 * @cfg: by counter, the groups of fields that its event needs
 * @reload: by counter, the period that the hardware starts after a record
 * @draining: records are being read
 */
struct pebs_cpu {
	u64	enable;
	u64	exit_enable;
	u64	data_cfg;
	u64	many;
	u64	cfg[X86_PMC_IDX_MAX];
	u64	reload[X86_PMC_IDX_MAX];
	bool	draining;
};

DECLARE_PER_CPU(struct pebs_cpu, pebs_cpu);

/* pebs_cpu.c */
bool pebs_is_load_latency(const struct perf_event *event);
bool pebs_is_store(const struct perf_event *event);
enum pebs_memory pebs_memory_of(const struct perf_event *event);
bool pebs_collects_now(const struct perf_event *event);
void pebs_write_enable(struct pebs_cpu *pebs);
void pebs_set_reload(struct x86_cpu_pmu *cpu, struct perf_event *event);

/* pebs_break.c: values in the log */
#define PEBS_BREAK_WORDS	4

void pebs_break(struct x86_cpu_pmu *cpu, const char *what, const u64 word[PEBS_BREAK_WORDS]);
void pebs_break_here(struct x86_cpu_pmu *cpu);

/* pebs_locate.c */
u64 pebs_locate(const struct perf_branch_entry *entries, unsigned int nr, u64 ip);

/* pebs_drain.c */
void pebs_drain(struct x86_cpu_pmu *cpu, struct pt_regs *regs);

/* pebs.c */
u64 pebs_before_guest(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_INTEL_PEBS_CPU_H */
