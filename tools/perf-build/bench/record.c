// SPDX-License-Identifier: GPL-2.0
/*
 * Costs of recording: samples of faults, tracepoints, clock ticks and cycles, the wakeup of
 * a reader, records of mappings. Also rotation, which is measured in the same way as ticks.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define PAGE		4096L
#define BUFFER_PAGES	512	/* space for one pass with callchains */
#define FAULTS		500
#define CALLS		500
#define MAPS		50	/* few, so that most passes contain no tick */

#define USUAL	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Contents of samples. */
static const struct {
	const char		*name;
	unsigned long long	type;
} contents[] = {
	{ "ip",			PERF_SAMPLE_IP },
	{ "usual",		USUAL },
	{ "usual, addr, ids",	USUAL | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER },
	{ "usual, read",	USUAL | PERF_SAMPLE_READ },
	{ "usual, raw",		USUAL | PERF_SAMPLE_RAW },
	{ "usual, callchain",	USUAL | PERF_SAMPLE_CALLCHAIN },
	{ "usual, user regs",	USUAL | PERF_SAMPLE_REGS_USER },
	{ "usual, user stack",	USUAL | PERF_SAMPLE_STACK_USER },
};

#define NR_CONTENTS	(sizeof(contents) / sizeof(*contents))

/* A sampling event and its buffer. */
struct recorder {
	int				fd;
	struct perf_event_mmap_page	*control;
	unsigned long long		seen;
};

static void record_start(struct recorder *r, struct perf_event_attr attr, int cpu)
{
	attr.sample_regs_user = attr.sample_type & PERF_SAMPLE_REGS_USER ? 0xff : 0;
	attr.sample_stack_user = attr.sample_type & PERF_SAMPLE_STACK_USER ? 1024 : 0;
	r->fd = open_event(&attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (r->fd < 0)
		die("perf_event_open");
	r->control = mmap(NULL, (1 + BUFFER_PAGES) * PAGE, PROT_READ | PROT_WRITE,
			  MAP_SHARED, r->fd, 0);
	if (r->control == MAP_FAILED)
		die("mmap of the buffer");
	r->seen = 0;
}

/* Mark all records as read. */
static void record_drain(struct recorder *r)
{
	r->seen += r->control->data_head - r->control->data_tail;
	r->control->data_tail = r->control->data_head;
}

static void record_stop(struct recorder *r, const char *what)
{
	record_drain(r);
	if (!r->seen)
		fprintf(stderr, "%s: nothing was recorded\n", what);
	munmap(r->control, (1 + BUFFER_PAGES) * PAGE);
	close(r->fd);
}

/*
 * Faults on pages of a file that are in memory. The mapping is emptied before each pass,
 * which costs the same with and without events.
 */
struct fault_pass {
	char		*pages;
	struct recorder	*recorder;
};

static void faults(void *arg)
{
	struct fault_pass *pass = arg;

	if (pass->recorder)
		record_drain(pass->recorder);
	if (madvise(pass->pages, FAULTS * PAGE, MADV_DONTNEED))
		die("madvise");
	for (int i = 0; i < FAULTS; i++)
		((volatile char *)pass->pages)[i * PAGE] = 1;
}

static void fault_sampled(struct fault_pass *pass, int i, struct cost without)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period	= 1,
		.sample_type	= contents[i].type,
	};
	struct recorder r;

	record_start(&r, attr, -1);
	pass->recorder = &r;
	row("page fault, sampled", contents[i].name, 1, without,
	    measure(faults, pass, FAULTS));
	pass->recorder = NULL;
	record_stop(&r, "page fault, sampled");
}

void bench_fault(void)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct fault_pass pass = {};
	struct cost without;
	int file, fd;

	if (!wanted("page fault, counted") && !wanted("page fault, sampled"))
		return;
	file = memfd_create("faults", 0);
	if (file < 0 || ftruncate(file, FAULTS * PAGE))
		die("memfd");
	pass.pages = mmap(NULL, FAULTS * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  file, 0);
	if (pass.pages == MAP_FAILED)
		die("mmap");
	without = measure(faults, &pass, FAULTS);
	fd = open_event(&attr, 0, -1, -1, 0);
	row("page fault, counted", "software", 1, without,
	    measure(faults, &pass, FAULTS));
	close(fd);
	for (size_t i = 0; i < NR_CONTENTS; i++)
		fault_sampled(&pass, i, without);
	munmap(pass.pages, FAULTS * PAGE);
	close(file);
}

static void calls(void *arg)
{
	struct recorder *r = arg;

	if (r)
		record_drain(r);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
}

static void trace_sampled(int i, struct cost without)
{
	struct perf_event_attr attr = kind_attr(TRACEPOINT);
	struct recorder r;

	attr.sample_period = 1;
	attr.sample_type = contents[i].type;
	record_start(&r, attr, -1);
	row("tracepoint, sampled", contents[i].name, 1, without,
	    measure(calls, &r, CALLS));
	record_stop(&r, "tracepoint, sampled");
}

/* Takes longer than many periods, and the same number of instructions each time. */
static void spin(void *arg)
{
	for (long i = 0; i < 3000000; i++)
		asm volatile("" : : "r" (i));
	if (arg)
		record_drain(arg);
}

/* The size of the first record. */
static unsigned int first_size(const struct recorder *r)
{
	return ((struct perf_event_header *)((char *)r->control + PAGE))->size;
}

/*
 * The cost that each tick of an event adds to a program that only computes. Ticks are
 * counted by their samples, which all have the same size.
 */
static void tick_row(const char *what, struct perf_event_attr attr, int i,
		     struct cost without)
{
	unsigned long long one;
	struct recorder r;
	struct cost with;
	double ticks;

	attr.sample_type = contents[i].type;
	record_start(&r, attr, -1);
	spin(&r);
	/* before the buffer is full and begins with a part of a sample */
	one = first_size(&r);
	with = measure(spin, &r, 1);
	r.seen = 0;
	spin(&r);
	ticks = one ? (double)r.seen / one : 0;
	if (ticks < 1) {
		fprintf(stderr, "%s: no samples\n", what);
	} else {
		with.each = (with.each - without.each) / ticks;
		row_plain(what, contents[i].name, 1, with);
	}
	record_stop(&r, what);
}

void bench_overflow(void)
{
	struct perf_event_attr clock = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(clock),
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= 50000,
	};
	struct perf_event_attr cycles = kind_attr(HARDWARE);
	struct cost idle_call = measure(calls, NULL, CALLS);
	struct cost idle_spin = measure(spin, NULL, 1);

	cycles.sample_period = 50000;
	for (size_t i = 0; i < NR_CONTENTS; i++) {
		if (wanted("tracepoint, sampled"))
			trace_sampled(i, idle_call);
		/* the samples by which ticks are counted must all have the same size */
		if (contents[i].type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW))
			continue;
		if (wanted("clock tick, sampled"))
			tick_row("clock tick, sampled", clock, i, idle_spin);
		if (wanted("overflow, sampled") && kind_works(HARDWARE))
			tick_row("overflow, sampled", cycles, i, idle_spin);
	}
}

#define DRAINS		400
#define BRANCHES	0xc4	/* Intel's: retired branches */

/*
 * Let an event record some periods, and read its count, which works through the records. Returns
 * what each record adds to a read without records; negative: there was none.
 */
static double cost_of_records(struct recorder *r, unsigned int size)
{
	unsigned long long count, before = r->control->data_head;
	long long start, drained, empty;
	double records;

	for (long i = 0; i < 20000; i++)
		asm volatile("" : : "r" (i));
	start = now();
	if (read(r->fd, &count, sizeof(count)) < 0)
		die("read");
	drained = now() - start;
	start = now();
	if (read(r->fd, &count, sizeof(count)) < 0)
		die("read");
	empty = now() - start;
	records = (double)(r->control->data_head - before) / size;
	record_drain(r);
	return records < 1 ? -1 : (drained - empty) / records;
}

/*
 * A precise event whose records collect in the buffer of its CPU: what each costs when the buffer
 * is worked through, without the interrupt, which many records share.
 */
void bench_precise(void)
{
	static const char what[] = "precise record, collected";
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= BRANCHES,
		.sample_period	= 400,
		.sample_type	= USUAL,
		.precise_ip	= 2,
		.exclude_kernel	= 1,
	};
	static double took[2][DRAINS / 2];
	struct cost cost = { 0, true };
	unsigned int size;
	struct recorder r;
	int fd;

	fd = open_event(&attr, 0, -1, -1, 0);
	if (fd < 0 || !wanted(what))
		return;
	close(fd);
	record_start(&r, attr, -1);
	spin(&r);
	size = first_size(&r);
	for (int i = 0; size && i < DRAINS; ) {
		double each = cost_of_records(&r, size);

		if (each > 0) {
			took[i % 2][i / 2] = each;
			i++;
		}
	}
	for (int half = 0; half < 2; half++)
		qsort(took[half], DRAINS / 2, sizeof(double), compare_doubles);
	/* the medians: an interrupt during a read is rare */
	cost.each = (took[0][DRAINS / 4] + took[1][DRAINS / 4]) / 2;
	cost.agreed = size && took[0][DRAINS / 4] < 1.01 * took[1][DRAINS / 4] &&
		      took[1][DRAINS / 4] < 1.01 * took[0][DRAINS / 4];
	row_plain(what, "usual", 1, cost);
	record_stop(&r, what);
}

static void wakeups(void *arg)
{
	struct recorder *r = arg;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	for (int i = 0; i < CALLS; i++) {
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
		if (poll(&p, 1, 1000) != 1)
			die("poll");
		record_drain(r);
	}
}

/* A sample that wakes a reader. The reader is the same task, which does not sleep. */
void bench_wakeup(void)
{
	struct perf_event_attr attr;
	struct recorder r;

	if (!wanted("wakeup and poll"))
		return;
	attr = kind_attr(TRACEPOINT);
	attr.sample_period = 1;
	attr.sample_type = USUAL;
	attr.wakeup_events = 1;
	record_start(&r, attr, -1);
	row_plain("wakeup and poll", "tracepoint", 1, measure(wakeups, &r, CALLS));
	record_stop(&r, "wakeup and poll");
}

static void maps(void *arg)
{
	struct recorder *r = arg;

	if (r)
		record_drain(r);
	for (int i = 0; i < MAPS; i++) {
		void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			die("mmap");
		munmap(p, PAGE);
	}
}

void bench_mmap(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.sample_type	= USUAL,
		.sample_id_all	= 1,
		.mmap		= 1,
		.mmap2		= 1,
	};
	struct recorder r;
	struct cost without;

	if (!wanted("mmap and munmap"))
		return;
	without = measure(maps, NULL, MAPS);
	record_start(&r, attr, -1);
	row("mmap and munmap", "MMAP2 record", 1, without, measure(maps, &r, MAPS));
	record_stop(&r, "mmap and munmap");
}

/* Ratio of the largest to the smallest share of time of events that share counters. */
static double unfairness(int nr)
{
	unsigned long long value[3], least = -1ULL, most = 0;

	for (int i = 0; i < nr; i++) {
		if (read(events[i], value, sizeof(value)) != sizeof(value))
			die("read");
		least = value[2] < least ? value[2] : least;
		most = value[2] > most ? value[2] : most;
	}
	return least ? (double)most / least : 1e6;
}

static void spin_for_ms(long ms)
{
	long long until = now() + ms * 1000000LL;

	while (now() < until)
		spin(NULL);
}

/* Iterations for a quarter of a second of computation. */
static long spins_of_a_quarter;

static void spin_long(void *arg)
{
	for (long i = 0; i < spins_of_a_quarter; i++)
		spin(arg);
}

/* Both costs are for a quarter of a second. The row has them for one second. */
static void rotation_row(const char *what, int nr, struct cost without, struct cost with)
{
	with.each *= 1e9 / without.each;
	row(what, "hardware", nr, (struct cost){ 1e9, without.agreed }, with);
}

/*
 * Cost of the first second after events are opened; opening is not included. The end of the
 * first slice depends on the tick, so the result is the mean of four runs. Each half of the
 * runs must agree with the other half within one percent.
 */
static struct cost first_second(int nr, struct options how, struct cost without)
{
	double added[2] = { 0, 0 };

	for (int i = 0; i < 4; i++) {
		long long took;

		open_events(HARDWARE, nr, how);
		took = now();
		for (int quarter = 0; quarter < 4; quarter++)
			spin_long(NULL);
		took = now() - took;
		close_events(nr);
		added[i % 2] += (took / 4.0 - without.each) / 2;
	}
	return (struct cost){
		.each	= without.each + (added[0] + added[1]) / 2,
		.agreed	= added[0] < 1.01 * added[1] && added[1] < 1.01 * added[0],
	};
}

/*
 * Slices may be shorter while events have a low runtime. With an interval of 1 ms that ends
 * soon: each event has a runtime of 70 ms then, on six counters.
 */
void bench_rotation(void)
{
	static const int numbers[] = { 16, 64, 256 };
	struct options how = {
		.format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			  PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct cost without, share = { 0, true };

	if (!wanted("rotation") || !kind_works(HARDWARE))
		return;
	spins_of_a_quarter = 1e9 / 4 / measure(spin, NULL, 1).each;
	without = measure(spin_long, NULL, 1);
	for (int i = 0; i < 3; i++) {
		rotation_row("rotation, first second", numbers[i], without,
			     first_second(numbers[i], how, without));

		open_events(HARDWARE, numbers[i], how);
		spin_for_ms(60 * TURN_MS);
		share.each = unfairness(numbers[i]);
		row_plain("rotation, largest share over smallest", "hardware",
			  numbers[i], share);
		close_events(numbers[i]);

		set_turns(1);
		open_events(HARDWARE, numbers[i], how);
		spin_for_ms(numbers[i] * 70 / 6 + 10);
		rotation_row("rotation of 1 ms, per second", numbers[i], without,
			     measure(spin_long, NULL, 1));
		close_events(numbers[i]);
		set_turns(TURN_MS);
	}
}
