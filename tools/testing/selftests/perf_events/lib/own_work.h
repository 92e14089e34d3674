/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events on the path of what the subsystem does on its own behalf.
 *
 * A child on one CPU makes rounds, and a test on another CPU watches it.
 */
#ifndef PERF_TEST_OWN_WORK_H
#define PERF_TEST_OWN_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <linux/perf_event.h>

#include "buffer.h"
#include "task.h"

/* The number of rounds that a test waits for. */
#define OWN_WORK_ROUNDS		2000

/**
 * struct own_work_seen - What a child has seen, in memory that the test shares
 * @rounds: Its rounds.
 * @calls: How often the work was done, where the child counts that.
 * @err: A negative errno if the child could not begin, or had to stop.
 * @count: The count of the event on the path.
 * @traps: The number of SIGTRAP.
 * @ios: The number of SIGIO.
 */
struct own_work_seen {
	struct rounds rounds;
	atomic_ulong calls;
	int err;
	__u64 count;
	unsigned long traps;
	unsigned long ios;
};

/* A variant has lost its CPU, so none that follows can use it. All tests share it. */
extern bool *own_work_cpu_lost;

/* In place of TEST_HARNESS_MAIN. */
#define OWN_WORK_MAIN						\
	int main(int argc, char **argv)				\
	{							\
		own_work_share();				\
		return test_harness_run(argc, argv);		\
	}

void own_work_share(void);
const char *own_work_skip(int cpu, bool stock_hangs);
struct own_work_seen *own_work_seen_new(void);
void own_work_enter(int cpu);
void own_work_note(struct own_work_seen *seen, int fd);

struct perf_event_attr own_work_attr(bool sigtrap);
int own_work_tracepoint(struct perf_event_attr *attr, const char *name);
int own_work_kprobe(struct perf_event_attr *attr, const char *symbol);
int own_work_on_begin(struct perf_event_attr *attr);
int own_work_on_remote(struct perf_event_attr *attr);
int own_work_on_end(struct perf_event_attr *attr);
int own_work_map(struct perf_buf *buf, int fd);
int own_work_async(int fd);

#endif /* PERF_TEST_OWN_WORK_H */
