// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters: the ranges to which an event is confined.
 *
 * Owns the way from a changed list to the hardware. The list itself stays empty
 * until there are PMUs that offer filters (pmu::nr_addr_filters). Filters of
 * tracepoints are another matter: tracepoint.c.
 *
 * Entry point: perf_event_addr_filters_sync(), irqs off on the event's CPU.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

/**
 * perf_event_addr_filters_sync - let the driver program filters that changed
 * @event: about to be started
 *
 * Called by a driver with filters from its start(). Calls back
 * pmu::addr_filters_sync(), under the lock of the list, if the hardware's
 * generation is not the current one.
 *
 * Context: irqs off, on the event's CPU, not NMI.
 */
void perf_event_addr_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *filters = perf_event_addr_filters(event);
	struct hw_perf_event *hw = &event->hw;

	if (!event->pmu->nr_addr_filters)
		return;

	guard(raw_spinlock)(&filters->lock);
	if (hw->addr_filters_gen == event->addr_filters_gen)
		return;
	event->pmu->addr_filters_sync(event);
	hw->addr_filters_gen = event->addr_filters_gen;
}
EXPORT_SYMBOL_GPL(perf_event_addr_filters_sync);
