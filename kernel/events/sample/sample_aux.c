// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_SAMPLE_AUX: members of the group of a trace source can have a piece of its AUX area in
 * their samples.
 */
#include <linux/minmax.h>

#include "../output/aux_area.h"
#include "../output/output.h"
#include "sample_aux.h"

/**
 * perf_aux_sample_size() - how much of the trace a sample gets
 * @event: whose sample it is; attr.aux_sample_size says how much it wants
 * @room: bytes that the record has for it
 *
 * Context: any, on the event's CPU, preemption off.
 * Return: bytes, a multiple of eight; 0 when the leader does not trace now, or
 * this sample interrupts another one that is being given its piece.
 */
unsigned int perf_aux_sample_size(struct perf_event *event, unsigned int room)
{
	struct perf_event *source = perf_aux_source(event);
	struct perf_aux_area *area;
	unsigned long size;

	if (!source || !source->pmu->snapshot_aux)
		return 0;

	guard(rcu)();
	area = perf_aux_peek(source);
	/* stopped, or in the middle of it */
	if (!area || !READ_ONCE(area->handle) || READ_ONCE(area->copying))
		return 0;
	size = min3((unsigned long)event->attr.aux_sample_size,
		    (unsigned long)room, perf_aux_bytes(area));
	return round_down(size, sizeof(u64));
}

/* Bytes that the driver has written to @handle. */
static unsigned int perf_aux_snapshot(struct perf_output_handle *handle,
				      struct perf_event *event, unsigned int size)
{
	struct perf_event *source = perf_aux_source(event);
	struct perf_aux_area *area;
	long copied = 0;

	guard(rcu)();
	area = source ? perf_aux_peek(source) : NULL;
	/* gone since its size was asked */
	if (!area)
		return 0;
	/* samples in NMI that find this sub-context have no piece */
	if (READ_ONCE(area->copying))
		return 0;
	WRITE_ONCE(area->copying, true);
	barrier();
	copied = source->pmu->snapshot_aux(source, handle, size);
	barrier();
	WRITE_ONCE(area->copying, false);

	WARN_ON_ONCE(copied > (long)size);
	return clamp_t(long, copied, 0, size);
}

/**
 * perf_aux_sample_put() - write a piece of the trace into a sample
 * @handle: of the record
 * @event: whose sample it is
 * @size: what perf_aux_sample_size() said; exactly that much is written, zeroes
 *	where the driver had less
 *
 * Context: as perf_aux_sample_size().
 */
void perf_aux_sample_put(struct perf_output_handle *handle,
			 struct perf_event *event, unsigned int size)
{
	unsigned int copied;

	/* The driver must not be interrupted by its own start and stop. */
	guard(irqsave)();
	copied = size ? perf_aux_snapshot(handle, event, size) : 0;
	perf_output_zero(handle, size - copied);
}
