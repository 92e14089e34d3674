// SPDX-License-Identifier: GPL-2.0
/*
 * The AUX area: where a trace source writes at full speed.
 *
 * Will own the area beside the buffer. There is none yet: a driver that wants to
 * begin is told that there is no buffer, in the way that it has to expect anyhow
 * while nothing is mapped, and stays stopped.
 *
 * Entry points: drivers, irqs off or NMI, on the event's CPU. A handle belongs to
 * the caller; zeroed, or with handle->event NULL, it is closed.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/perf_event.h>

/**
 * perf_event_itrace_started - the driver has announced the trace itself
 * @event: of a PMU with PERF_PMU_CAP_ITRACE
 *
 * Ends the ITRACE_START records, of which there are none yet.
 *
 * Context: irqs off, from the driver's start().
 */
void perf_event_itrace_started(struct perf_event *event)
{
}

/**
 * perf_aux_output_begin - open a transaction on the AUX area
 * @handle: not written when there is no buffer
 * @event: the trace source
 *
 * Context: irqs off or NMI.
 * Return: what pmu::setup_aux() returned, or NULL: no trace can be written.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/**
 * perf_aux_output_end - close a transaction
 * @handle: closed ones are ignored
 * @size: bytes written
 *
 * Context: irqs off or NMI.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	/* aux_flags stay for the driver to look at */
	handle->event = NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip - pass over part of the AUX area
 * @handle: open
 * @size: bytes
 *
 * Context: irqs off or NMI.
 * Return: 0, or -ENOSPC if there is not so much room; a closed handle has none.
 */
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	return -ENOSPC;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_get_aux - the driver's description of the area
 * @handle: of the transaction
 *
 * Context: any.
 * Return: what perf_aux_output_begin() returned, NULL if @handle is closed.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag - say something about the record of a transaction
 * @handle: open
 * @flags: PERF_AUX_FLAG_*, but for OVERWRITE, which only the core knows
 *
 * Context: irqs off or NMI.
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	WARN_ON_ONCE(flags & PERF_AUX_FLAG_OVERWRITE);
	handle->aux_flags |= flags & ~PERF_AUX_FLAG_OVERWRITE;
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_report_aux_output_id - tell readers which trace stream is an event's
 * @event: the trace source
 * @hw_id: its id in the stream
 *
 * Dropped when there is no buffer to tell it in.
 *
 * Context: irqs off.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);
