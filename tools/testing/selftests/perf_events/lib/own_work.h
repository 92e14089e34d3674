/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events on the path of what the subsystem does on its own behalf.
 */
#ifndef PERF_TEST_OWN_WORK_H
#define PERF_TEST_OWN_WORK_H

#include <linux/perf_event.h>

/*
 * Tracepoints at the begin of the interrupt in which a CPU does its own irq_works, and of that in
 * which it does one that another CPU has queued. NULL: there is none.
 */
#if defined(__x86_64__)
#define WORK_TRACEPOINT		"irq_vectors/irq_work_entry"
#define REMOTE_TRACEPOINT	"irq_vectors/call_function_single_entry"
#elif defined(__aarch64__)
#define WORK_TRACEPOINT		"ipi/ipi_entry"
#define REMOTE_TRACEPOINT	"ipi/ipi_entry"
#else
#define WORK_TRACEPOINT		NULL
#define REMOTE_TRACEPOINT	NULL
#endif

/* The last function of an interrupt, after all that it does */
#if defined(__powerpc__)
#define END_FUNCTION	"irq_exit"
#else
#define END_FUNCTION	"irq_exit_rcu"
#endif

int own_work_tracepoint(struct perf_event_attr *attr, const char *name);
int own_work_kprobe(struct perf_event_attr *attr, const char *symbol);
int own_work_async(int fd);

#endif /* PERF_TEST_OWN_WORK_H */
