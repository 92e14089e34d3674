// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_SAMPLE_AUX: a part of the AUX area of a group's trace source, in the samples of other
 * members of the group.
 */
#include <linux/minmax.h>

#include "../output/aux_area.h"
#include "../output/output.h"
#include "sample_aux.h"

/**
 * perf_aux_sample_size() - compute how much of the trace a sample gets
 * @event: the event of the sample; attr.aux_sample_size is the requested size
 * @room: bytes that are left in the record
 *
 * Context: any, preemption off, on the event's CPU.
 * Return: bytes, a multiple of eight; 0 when the trace source is not active, or this sample
 * interrupts another one that is being given its part.
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
	/* stopped, being stopped, or in use by an interrupted sample */
	if (!area || !READ_ONCE(area->handle) || READ_ONCE(area->copying))
		return 0;
	size = min3((unsigned long)event->attr.aux_sample_size,
		    (unsigned long)room, perf_aux_bytes(area));
	return round_down(size, sizeof(u64));
}

/* Let the driver write to @handle. Return: bytes that it has written. */
static unsigned int perf_aux_snapshot(struct perf_output_handle *handle,
				      struct perf_event *event, unsigned int size)
{
	struct perf_event *source = perf_aux_source(event);
	struct perf_aux_area *area;
	long copied = 0;

	guard(rcu)();
	area = source ? perf_aux_peek(source) : NULL;
	/* the area has been detached since the size was computed */
	if (!area)
		return 0;
	/* nested samples in NMI find this flag set and get no part */
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
 * perf_aux_sample_put() - write a part of the trace to a sample
 * @handle: of the record
 * @event: the event of the sample
 * @size: from perf_aux_sample_size(); exactly that much is written, with zeroes where the
 *	driver had less
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
