/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /proc/<pid>/perf_event_refusal: why the last request was turned down.
 */
#ifndef _LINUX_PERF_REFUSAL_H
#define _LINUX_PERF_REFUSAL_H

struct pid;
struct pid_namespace;
struct seq_file;
struct task_struct;

int proc_perf_event_refusal(struct seq_file *m, struct pid_namespace *ns,
			    struct pid *pid, struct task_struct *task);

#endif /* _LINUX_PERF_REFUSAL_H */
