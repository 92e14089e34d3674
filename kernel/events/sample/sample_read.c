// SPDX-License-Identifier: GPL-2.0
/*
 * Counts in a record: PERF_SAMPLE_READ and PERF_RECORD_READ.
 *
 * The layout is the layout of read(2), see read.c, but the values are of one event or group alone,
 * without its child events.
 *
 * The list of siblings is walked without a lock. On the event's own CPU the list does not
 * change, except that an NMI may interrupt the removal of a member. A tracepoint may also
 * sample an event of a task that is not running here. A walk therefore never exceeds the
 * number of siblings, members stay in memory as long as preemption is off, and the number of
 * values is fixed before the record is begun.
 *
 * Context: any, NMI included, preemption off.
 */
#include "../base/clock.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../output/output.h"
#include "sample_read.h"

/**
 * perf_read_nr() - get the number of values for a record
 * @event: the event of the record
 *
 * Return: number for perf_read_size() and perf_read_put().
 */
unsigned int perf_read_nr(struct perf_event *event)
{
	struct perf_event *member, *leader = READ_ONCE(event->group_leader);
	unsigned int nr = 0, most = 1 + READ_ONCE(leader->nr_siblings);

	if (!(event->attr.read_format & PERF_FORMAT_GROUP))
		return 1;

	perf_group_for_each(member, leader) {
		if (nr == most)
			break;
		nr++;
	}
	return nr;
}

static void perf_read_put_times(struct perf_output_handle *handle,
				struct perf_event *event, u64 format)
{
	struct perf_event_times times;

	if (!(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING)))
		return;
	perf_event_times(event, perf_time(), &times);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		perf_output_u64(handle, times.enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		perf_output_u64(handle, times.running);
}

static void perf_read_put_ids(struct perf_output_handle *handle,
			      struct perf_event *member, u64 format)
{
	struct perf_event *root = member ? perf_event_root(member) : NULL;

	if (format & PERF_FORMAT_ID)
		perf_output_u64(handle, root ? root->id : 0);
	if (format & PERF_FORMAT_LOST)
		perf_output_u64(handle, root ? atomic64_read(&root->lost_samples) : 0);
}

/* @current_count: the count is up to date, unless the event is unscheduled. */
static u64 perf_read_member(struct perf_event *event, bool current_count)
{
	if ((event->event_caps & PERF_EV_CAP_CURRENT) ||
	    (current_count && !perf_event_is_nosched(event)))
		return local64_read(&event->count);
	return perf_read_here(event);
}

/**
 * perf_read_put() - write values by read_format
 * @handle: a record with room for perf_read_size() bytes
 * @event: the event of the record; its own count is up to date
 * @nr: from perf_read_nr()
 * @current_counts: the counts of the whole group are up to date
 */
void perf_read_put(struct perf_output_handle *handle, struct perf_event *event,
		   unsigned int nr, bool current_counts)
{
	struct perf_event *member, *leader = READ_ONCE(event->group_leader);
	u64 format = event->attr.read_format;

	if (!(format & PERF_FORMAT_GROUP)) {
		perf_output_u64(handle, perf_read_member(event, true));
		perf_read_put_times(handle, event, format);
		perf_read_put_ids(handle, event, format);
		return;
	}

	perf_output_u64(handle, nr);
	perf_read_put_times(handle, event, format);
	for (member = leader; nr; nr--) {
		if (!member)
			perf_output_u64(handle, 0);
		else
			perf_output_u64(handle, perf_read_member(member, member == event ||
								 current_counts));
		perf_read_put_ids(handle, member, format);
		if (member)
			member = perf_group_next(leader, member);
	}
}

/**
 * perf_read_here() - read an event's count as far as it is available on this CPU
 * @event: any; the count is up to date if the event is of current, or of this CPU
 *
 * Context: any, preemption off.
 * Return: the event's own count.
 */
u64 perf_read_here(struct perf_event *event)
{
	if (!perf_event_needs_read(event))
		return local64_read(&event->count);
	/*
	 * Another CPU may read an unscheduled clock at the same time, so do not modify the
	 * event.
	 */
	if (perf_event_is_nosched(event))
		return perf_clock_event_peek(event,
					     perf_event_running_clock(event, perf_time()));
	if (event->oncpu == smp_processor_id())
		event->pmu->read(event);
	return local64_read(&event->count);
}
