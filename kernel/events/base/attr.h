/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_attr: copy and checks.
 *
 * These are the steps of an open in their order, which is ABI: the first failing one
 * determines the errno.
 *
 *	perf_attr_copy()		size
 *	perf_attr_check()		the attr by itself
 *	perf_attr_set_defaults()	cannot fail
 *	perf_attr_authorise()		the attr and the caller's privileges
 *	perf_attr_check_target()	the attr and the target task or CPU
 *	perf_attr_check_pmu()		the attr and the PMU's capabilities
 *	perf_attr_check_sampling()	same, only for events that user space opens
 *	perf_attr_set_clock()		same, and sets the clock for timestamps
 */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include <linux/perf_event.h>

/**
 * struct perf_attr_rule - a rule that an attr must keep
 * @field: the offending field
 * @reason: text for the user; may print one u64, the return value of @finding
 * @finding: returns 0 if the rule is kept, else the value that breaks it; NULL: always broken
 * @permit: privilege check for a broken rule: 0 permits it, an errno refuses it. If NULL,
 *	a broken rule is refused with @err.
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
perf_attr_first_broken(const struct perf_event_attr *attr, int *err, u64 *found);
int perf_attr_check(const struct perf_event_attr *attr);
void perf_attr_set_defaults(struct perf_event_attr *attr);
int perf_attr_authorise(const struct perf_event_attr *attr);
void perf_attr_hide_kernel(struct perf_event_attr *attr);
int perf_attr_check_target(const struct perf_event_attr *attr, bool task, int cpu);
int perf_attr_check_pmu(const struct perf_event_attr *attr, const struct pmu *pmu);
int perf_attr_check_sampling(const struct perf_event_attr *attr,
			     const struct pmu *pmu);
int perf_attr_set_clock(struct perf_event *event);

/**
 * perf_attr_uses_leader_aux() - does an event use the AUX area of its leader?
 * @attr: its attributes
 *
 * Return: true if the event writes to the area, samples it, or pauses or resumes its source.
 */
static inline bool perf_attr_uses_leader_aux(const struct perf_event_attr *attr)
{
	return attr->aux_output || attr->aux_sample_size || attr->aux_pause ||
	       attr->aux_resume;
}

#endif /* _KERNEL_EVENTS_ATTR_H */
