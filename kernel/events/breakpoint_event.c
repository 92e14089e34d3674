// SPDX-License-Identifier: GPL-2.0
/*
 * What one hit of a hardware breakpoint does to its event. The breakpoint PMU,
 * and who gets which debug register, is in hw_breakpoint.c.
 */
#include <linux/perf_event.h>

#include "software.h"

/**
 * perf_bp_event - a breakpoint was hit
 * @bp: its event, on this CPU
 * @data: the registers, struct pt_regs
 *
 * Debug exception, irqs off, maybe as good as NMI.
 */
void perf_bp_event(struct perf_event *bp, void *data)
{
	struct perf_sample_data sample;
	struct pt_regs *regs = data;

	if ((bp->hw.state & PERF_HES_STOPPED) || perf_swevent_excluded(bp, regs))
		return;
	perf_sample_data_init(&sample, bp->attr.bp_addr, 0);
	perf_swevent_count(bp, 1, &sample, regs);
}
