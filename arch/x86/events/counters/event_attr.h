/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files in the sysfs directories events/.
 */
#ifndef _X86_EVENTS_EVENT_ATTR_H
#define _X86_EVENTS_EVENT_ATTR_H

#include <linux/perf_event.h>

/*
 * PMU_EVENT_ATTR_ID() with a text: a file in events/ that prints the text. From the id,
 * is_visible() gets the counter to which the file belongs. The name may have dots and dashes.
 */
#define X86_PMU_FILE(_name, _id, _text)					\
	(&((struct perf_pmu_events_attr[]) { {				\
		.attr.attr	= { .name = (_name), .mode = 0444 },	\
		.attr.show	= perf_event_sysfs_show,		\
		.id		= (_id),				\
		.event_str	= (_text),				\
	} })[0].attr.attr)

#endif /* _X86_EVENTS_EVENT_ATTR_H */
