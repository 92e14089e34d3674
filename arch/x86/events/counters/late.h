/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NMIs that come late, see late.c.
 */
#ifndef _X86_EVENTS_LATE_H
#define _X86_EVENTS_LATE_H

#include <linux/time64.h>
#include <linux/types.h>

/*
 * Longest delay of an NMI after its overflow was handled, or its counter stopped, in ns. Hardware
 * was not measured. In a guest it includes a time in which the host runs other tasks.
 */
#define X86_NMI_LATE	(100 * NSEC_PER_MSEC)

/* At most so many NMIs are expected to come late. */
#define X86_NMI_LATE_MAX	16U

struct x86_cpu_pmu;

/**
 * struct x86_late - NMIs of a CPU that may come although there is no overflow
 * @stopping: counters without a status register that are being stopped
 * @wrapped: such counters that were stopped with their interrupt pending
 * @wrapped_at: local_clock() when the last of @wrapped was stopped
 * @switched: counters without a status register that the last VM entry or VM exit has enabled
 * @nr: number of interrupts that may still come for overflows that were handled: at most one
 *	for each, and at most X86_NMI_LATE_MAX; 0 without x86_core_pmu::late_nmi
 * @until: local_clock() up to which the interrupts of @nr may come
 */
struct x86_late {
	u64		stopping;
	u64		wrapped;
	u64		wrapped_at;
	u64		switched;
	unsigned int	nr;
	u64		until;
};

void x86_late_stopping(struct x86_cpu_pmu *cpu, unsigned int idx);
void x86_late_stopped(struct x86_cpu_pmu *cpu, unsigned int idx, bool wrapped);
void x86_late_switched(struct x86_cpu_pmu *cpu, u64 counters);
void x86_late_expect(struct x86_cpu_pmu *cpu, u64 counters);
int x86_late_claim(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_LATE_H */
