/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refusals that say why.
 */
#ifndef _KERNEL_EVENTS_REFUSAL_H
#define _KERNEL_EVENTS_REFUSAL_H

#include <linux/compiler_attributes.h>
#include <linux/init.h>
#include <linux/types.h>

struct perf_refusal;
struct task_struct;

/* Longest "<field>: <reason>" that is kept, with the terminating NUL. */
#define PERF_REFUSAL_SIZE	240

__printf(3, 4)
int perf_refuse(int err, const char *field, const char *fmt, ...);

unsigned int perf_refusal_count(void);
struct perf_refusal *perf_refusal_make(const struct task_struct *task);
unsigned int perf_refusal_nr_lists(void);

void perf_refusal_free_task(struct task_struct *task);
bool perf_refusal_read(struct task_struct *task, char *text, size_t size);
void __init perf_refusal_init(void);

#endif /* _KERNEL_EVENTS_REFUSAL_H */
