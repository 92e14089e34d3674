// SPDX-License-Identifier: GPL-2.0
/*
 * attr.aux_pause and attr.aux_resume.
 */
#include "../output/aux_area.h"
#include "aux_pause.h"

/**
 * perf_aux_pause_leader() - pause or resume the trace source of a group
 * @event: a member that has overflowed, on its CPU
 * @pause: true to pause, false to resume
 *
 * A source that is stopped for another reason stays stopped. The driver ensures that, and also
 * that a source which was left paused starts paused. If an overflow in NMI interrupts this
 * function for another member, the overflow has no effect on the source.
 *
 * Context: irqs off or NMI.
 */
void perf_aux_pause_leader(struct perf_event *event, bool pause)
{
	struct perf_event *source;
	struct perf_aux_area *area;

	guard(irqsave)();
	source = perf_aux_source(event);
	if (!source)
		return;

	guard(rcu)();
	area = perf_aux_peek(source);
	if (!area || READ_ONCE(area->pausing))
		return;

	WRITE_ONCE(area->pausing, true);
	barrier();
	WRITE_ONCE(source->hw.aux_paused, pause);
	if (pause)
		source->pmu->stop(source, PERF_EF_PAUSE);
	else
		source->pmu->start(source, PERF_EF_RESUME);
	barrier();
	WRITE_ONCE(area->pausing, false);
}
