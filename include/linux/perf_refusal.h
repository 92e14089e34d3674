/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refusals with a reason.
 *
 * perf_refuse() is for the core and for PMU drivers: it records why a request is
 * refused, for the tracepoint perf:perf_event_refused and for the file
 * /proc/<pid>/perf_event_refusal.
 */
#ifndef _LINUX_PERF_REFUSAL_H
#define _LINUX_PERF_REFUSAL_H

#include <linux/compiler_attributes.h>

struct pid;
struct pid_namespace;
struct seq_file;
struct task_struct;

__printf(3, 4)
int perf_refuse(int err, const char *field, const char *fmt, ...);

int proc_perf_event_refusal(struct seq_file *m, struct pid_namespace *ns,
			    struct pid *pid, struct task_struct *task);

#endif /* _LINUX_PERF_REFUSAL_H */
