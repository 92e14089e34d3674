// SPDX-License-Identifier: GPL-2.0
/*
 * attr.aux_pause and attr.aux_resume.
 */
#include "../output/aux_area.h"
#include "aux_pause.h"

/**
 * perf_aux_pause_leader() - let the trace source of a group pause, or go on
 * @event: a member that has overflowed, on its CPU
 * @pause: which of the two
 *
 * A source that is stopped for another reason stays so: the driver sees to
 * that, and that it starts paused if that is how it was left. An overflow in
 * NMI that interrupts this for another member does nothing.
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
