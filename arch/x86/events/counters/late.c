// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs that come although there is no overflow: it was handled by the NMI of another overflow, or
 * its counter was stopped. The kernel reports NMIs that no handler claims.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include "core_pmu.h"
#include "counters.h"
#include "late.h"

/**
 * x86_late_stopping() - note that a counter without a status register is about to be stopped
 * @cpu: this CPU's PMU
 * @idx: index of the counter, which is connected
 */
void x86_late_stopping(struct x86_cpu_pmu *cpu, unsigned int idx)
{
	cpu->late.stopping |= BIT_ULL(idx);
}

/**
 * x86_late_stopped() - note that a counter without a status register was stopped
 * @cpu: this CPU's PMU
 * @idx: index of the counter, which may get another event from now on
 * @wrapped: the counter has overflowed, and that was not handled
 *
 * An NMI that is still pending will find no overflow: remember that it is due. If the NMI has
 * come since x86_late_stopping(), it has cleared the mark of the counter.
 */
void x86_late_stopped(struct x86_cpu_pmu *cpu, unsigned int idx, bool wrapped)
{
	struct x86_late *late = &cpu->late;
	u64 bit = BIT_ULL(idx);

	if (wrapped) {
		late->wrapped_at = local_clock();
		late->wrapped |= bit;
		barrier();	/* an NMI sees at least one of the two marks */
		if (!(late->stopping & bit))
			late->wrapped &= ~bit;
	}
	late->stopping &= ~bit;
}

/**
 * x86_late_switched() - note which counters a VM entry or VM exit will enable
 * @cpu: this CPU's PMU
 * @counters: mask of the counters, which have no status register
 */
void x86_late_switched(struct x86_cpu_pmu *cpu, u64 counters)
{
	cpu->late.switched = counters;
}

/**
 * x86_late_expect() - note that interrupts may come for overflows that were handled
 * @cpu: this CPU's PMU
 * @counters: mask of the counters that had overflowed, or 0
 */
void x86_late_expect(struct x86_cpu_pmu *cpu, u64 counters)
{
	if (!counters || !cpu->core->late_nmi)
		return;
	cpu->late.nr = min_t(unsigned int, cpu->late.nr + hweight64(counters), X86_NMI_LATE_MAX);
	cpu->late.until = local_clock() + X86_NMI_LATE;
}

/*
 * Take one of the overflows that may still raise an NMI. After X86_NMI_LATE none does. At a high
 * rate that time does not pass between two overflows; then only their number limits how many
 * NMIs of other sources are claimed.
 */
static bool x86_late_take(struct x86_late *late, u64 now)
{
	if (now >= late->until)
		late->nr = 0;
	if (!late->nr)
		return false;
	late->nr--;
	return true;
}

/**
 * x86_late_claim() - find out whether an NMI without an overflow is the PMU's
 * @cpu: this CPU's PMU
 *
 * Claims an NMI of counters that were stopped, or are being stopped, or that VM entry or VM exit
 * has enabled after they were stopped. Or claims an NMI of overflows that another NMI has handled.
 * Of the latter, the NMI code recognises only an NMI that follows the other one back to back.
 *
 * Return: 1 if it is, else 0.
 */
int x86_late_claim(struct x86_cpu_pmu *cpu)
{
	struct x86_late *late = &cpu->late;
	u64 candidates = late->stopping | (late->switched & ~cpu->active);
	u64 stopped = x86_cpu_wrapped(candidates, cpu->core);
	u64 now = local_clock();

	late->stopping &= ~stopped;
	/* The counter keeps its value, which must not claim another NMI. */
	late->switched &= ~stopped;
	if (now - late->wrapped_at < X86_NMI_LATE)
		stopped |= late->wrapped;
	late->wrapped = 0;
	if (!stopped)
		return x86_late_take(late, now);
	/* This NMI stands for all of them. Theirs may come as well. */
	x86_late_expect(cpu, stopped);
	return 1;
}
