/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What events add to the cost of common operations of a kernel.
 *
 * For a machine with a clock that counts executed instructions (QEMU with -icount shift=0).
 * One nanosecond is then one instruction, and figures repeat on any host. A row compares
 * the same operation without and with events.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#define MAX_EVENTS	2048

/**
 * enum kind - PMU of an event
 * @SOFTWARE: software event: major page faults, which do not occur
 * @CLOCK: task-clock
 * @TRACEPOINT: tracepoint of a system call that no task makes
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
 * struct options - how to open events; all zero: single events of this task on any CPU,
 * enabled
 * @cpu_wide: events of this CPU instead of this task
 * @cgroup: descriptor of a cgroup's directory, with @cpu_wide; or 0
 * @group: all events are in one group
 * @format: read_format
 * @disabled: the events are disabled
 * @inherit: children inherit the events
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

#define TURN_MS	4	/* the interval by default */

void set_turns(int ms);

/**
 * struct cost - result of a measurement
 * @each: instructions per operation
 * @agreed: both measurements agree within 0.5%
 */
struct cost {
	double	each;
	bool	agreed;
};

/* One pass over @arg. The caller passes the number of operations in a pass. */
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
void bench_switch_calls(void);
void bench_cgroup(void);
void bench_open(void);
void bench_toggle(void);
void bench_read(void);
void bench_fault(void);
void bench_overflow(void);
void bench_precise(void);
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
