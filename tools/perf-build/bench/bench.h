/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events add to the cost of what a kernel does anyway.
 *
 * Meant for a machine whose clock is the instructions it has executed (QEMU with
 * -icount shift=0): then one nanosecond is one instruction, and figures repeat on
 * any host. A row compares the same operation without events and with them.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#define MAX_EVENTS	2048

/**
 * enum kind - where an event comes from
 * @SOFTWARE: a count that the kernel keeps: major page faults, which do not happen
 * @CLOCK: task-clock
 * @TRACEPOINT: a system call that nobody makes
 * @HARDWARE: cycles
 * @NR_KINDS: number of kinds
 */
enum kind {
	SOFTWARE,
	CLOCK,
	TRACEPOINT,
	HARDWARE,
	NR_KINDS,
};

extern const char *const kind_names[NR_KINDS];

/**
 * struct options - how to open events; all zero: alone, of this task, on any CPU,
 *	enabled
 * @cpu_wide: of this CPU instead of this task
 * @cgroup: descriptor of a directory, and @cpu_wide; or 0
 * @group: all in one group
 * @format: read_format
 * @disabled: not enabled
 * @inherit: by children
 */
struct options {
	bool			cpu_wide;
	int			cgroup;
	bool			group;
	unsigned long long	format;
	bool			disabled;
	bool			inherit;
};

extern int events[MAX_EVENTS];

long tracepoint_id(const char *name);
bool kind_works(enum kind kind);
struct perf_event_attr kind_attr(enum kind kind);
int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
	       unsigned long flags);
void open_events(enum kind kind, int nr, struct options how);
void close_events(int nr);

#define TURN_MS	4	/* the usual one */

void set_turns(int ms);

/**
 * struct cost - what was measured
 * @each: instructions for one operation
 * @agreed: both halves of the measurement came to the same within 0.5%
 */
struct cost {
	double	each;
	bool	agreed;
};

/* One pass over @arg; the caller says how many operations that is. */
typedef void (*pass_fn)(void *arg);

long long now(void);
int compare_doubles(const void *a, const void *b);
struct cost measure(pass_fn pass, void *arg, long operations);
struct cost measure_for(pass_fn pass, void *arg, long operations, long long ns);
void row(const char *what, const char *kind, int nr, struct cost without,
	 struct cost with);
void row_plain(const char *what, const char *kind, int nr, struct cost with);
bool wanted(const char *what);
void die(const char *what) __attribute__((noreturn));

extern const struct cost nothing;

void bench_switch(void);
void bench_cgroup(void);
void bench_open(void);
void bench_toggle(void);
void bench_read(void);
void bench_fault(void);
void bench_overflow(void);
void bench_wakeup(void);
void bench_mmap(void);
void bench_rotation(void);
void bench_task(void);
void bench_memory(void);
void bench_smp(void);
void bench_growth(void);
void bench_irqsoff(void);
void bench_cpus(void);

#endif /* BENCH_H */
