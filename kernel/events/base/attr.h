/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_attr: in and out of the kernel, and what it may say.
 *
 * The checks in the order in which an open makes them, since the errno of the
 * first one that fails is what the user sees:
 *
 *	perf_attr_copy()		size
 *	perf_attr_check()		the attr by itself
 *	perf_attr_authorise()		the attr and who asks
 *	perf_attr_check_target()	the attr and what is to be watched
 *	perf_attr_check_pmu()		the attr and what the PMU can do
 *	perf_attr_check_sampling()	same, of events from user space only
 *	perf_attr_set_clock()		same, of every event
 */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include <linux/perf_event.h>

/**
 * struct perf_attr_rule - something that an attr must not say
 * @field: what is to blame
 * @reason: for people; may print one u64, what @finding returned
 * @finding: 0 when the rule is kept, else that which breaks it; NULL: always broken
 * @permit: whom to ask in that case: 0 permits it, an errno refuses. NULL
 *	refuses always, with @err.
 * @err: errno when there is no @permit
 */
struct perf_attr_rule {
	const char	*field;
	const char	*reason;
	u64		(*finding)(const struct perf_event_attr *attr);
	int		(*permit)(void);
	int		err;
};

int perf_attr_copy(struct perf_event_attr __user *uattr,
		   struct perf_event_attr *attr);

const struct perf_attr_rule *
perf_attr_first_broken(const struct perf_event_attr *attr, int *err);
int perf_attr_check(struct perf_event_attr *attr);
int perf_attr_authorise(const struct perf_event_attr *attr);
int perf_attr_check_target(const struct perf_event_attr *attr, bool task, int cpu);
int perf_attr_check_pmu(const struct perf_event_attr *attr, const struct pmu *pmu);
int perf_attr_check_sampling(const struct perf_event_attr *attr,
			     const struct pmu *pmu);
int perf_attr_set_clock(struct perf_event *event);

/**
 * perf_attr_uses_leader_aux() - is an event made for the AUX area of its leader?
 * @attr: its attributes
 *
 * Return: true if it writes to the area, samples it, or lets the source pause or go on.
 */
static inline bool perf_attr_uses_leader_aux(const struct perf_event_attr *attr)
{
	return attr->aux_output || attr->aux_sample_size || attr->aux_pause ||
	       attr->aux_resume;
}

#endif /* _KERNEL_EVENTS_ATTR_H */
