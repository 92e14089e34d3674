/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refusals with a reason: the part that is private to the core. Files that only
 * call perf_refuse() include <linux/perf_refusal.h>.
 */
#ifndef _KERNEL_EVENTS_REFUSAL_H
#define _KERNEL_EVENTS_REFUSAL_H

#include <linux/init.h>
#include <linux/perf_refusal.h>
#include <linux/types.h>

struct perf_refusal;

/* Maximum length of a stored "<field>: <reason>", including the terminating NUL. */
#define PERF_REFUSAL_SIZE	240

unsigned int perf_refusal_count(void);
struct perf_refusal *perf_refusal_make(const struct task_struct *task);
unsigned int perf_refusal_nr_lists(void);

void perf_refusal_free_task(struct task_struct *task);
bool perf_refusal_read(struct task_struct *task, char *text, size_t size);
void __init perf_refusal_init(void);

#endif /* _KERNEL_EVENTS_REFUSAL_H */
