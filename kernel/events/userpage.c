// SPDX-License-Identifier: GPL-2.0
/*
 * The user page: what a program that mapped an event can read without a call.
 *
 * Will own struct perf_event_mmap_page while an event is mapped. Events cannot be
 * mapped yet, so there is no page to bring up to date.
 *
 * Entry point: perf_event_update_userpage(), from PMU drivers in any context.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

/**
 * perf_event_update_userpage - an event's counter, or its offset, changed
 * @event: it
 *
 * Nothing to do for an event that is not mapped.
 *
 * Context: any including NMI, not nested for one event.
 */
void perf_event_update_userpage(struct perf_event *event)
{
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

/**
 * arch_perf_update_userpage - fill in how to read clock and counter
 * @event: on its CPU
 * @userpg: its page, between the two halves of an update
 * @now: time of the update, ns
 *
 * For the architecture to replace.
 *
 * Context: any including NMI.
 */
void __weak arch_perf_update_userpage(struct perf_event *event,
				      struct perf_event_mmap_page *userpg, u64 now)
{
}
