// SPDX-License-Identifier: GPL-2.0
/* Operations on events: open and close, enable and disable, read. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

#define TIMES	50

static void open_and_close(void *arg)
{
	const struct perf_event_attr *attr = arg;

	for (int i = 0; i < TIMES; i++) {
		int fd = open_event(attr, 0, -1, -1, 0);

		if (fd < 0)
			die("perf_event_open");
		close(fd);
	}
}

void bench_open(void)
{
	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		struct perf_event_attr attr;

		if (!wanted("open and close") || !kind_works(kind))
			continue;
		attr = kind_attr(kind);
		row_plain("open and close", kind_names[kind], 1,
			  measure(open_and_close, &attr, TIMES));
	}
}

/* Arguments of the two ioctls that are measured. */
struct toggle {
	int		fd;
	unsigned long	on;
	unsigned long	off;
	unsigned long	arg;
};

static void toggle(void *arg)
{
	const struct toggle *t = arg;

	for (int i = 0; i < TIMES; i++) {
		ioctl(t->fd, t->off, t->arg);
		ioctl(t->fd, t->on, t->arg);
	}
}

static struct cost measure_toggle(int fd, unsigned long arg)
{
	struct toggle t = {
		fd, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, arg
	};

	return measure(toggle, &t, 2 * TIMES);
}

/* Cost of the system call alone: an ioctl command that does not exist. */
static struct cost measure_no_toggle(void)
{
	struct toggle t = { 0, 0x123456, 0x123456, 0 };
	struct cost cost;

	open_events(SOFTWARE, 1, (struct options){ .disabled = true });
	t.fd = events[0];
	cost = measure(toggle, &t, 2 * TIMES);
	close_events(1);
	return cost;
}

static void prctls(void *arg)
{
	for (int i = 0; i < 4; i++) {
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
	}
}

static void toggle_one_of(enum kind kind, int nr, struct cost without)
{
	open_events(kind, nr, (struct options){});
	row("enable or disable one", kind_names[kind], nr, without,
	    measure_toggle(events[nr / 2], 0));
	close_events(nr);
}

static void toggle_group_of(enum kind kind, int nr, struct cost without)
{
	open_events(kind, nr, (struct options){ .group = true });
	row("enable or disable a group", kind_names[kind], nr, without,
	    measure_toggle(events[0], PERF_IOC_FLAG_GROUP));
	close_events(nr);
}

static void prctl_of(enum kind kind, int nr)
{
	open_events(kind, nr, (struct options){});
	row_plain("prctl, per event", kind_names[kind], nr,
		  measure(prctls, NULL, 8L * nr));
	close_events(nr);
}

void bench_toggle(void)
{
	static const int numbers[] = { 1, 16, 128, 256 };
	struct cost without = measure_no_toggle();

	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		if (!kind_works(kind))
			continue;
		for (int i = 0; i < 4; i++)
			if (wanted("enable or disable one"))
				toggle_one_of(kind, numbers[i], without);
		if (wanted("enable or disable a group")) {
			toggle_group_of(kind, 4, without);
			if (kind != HARDWARE)
				toggle_group_of(kind, 64, without);
		}
		if (wanted("prctl, per event"))
			prctl_of(kind, 256);
	}
}

static void reads(void *arg)
{
	static char buf[16384];
	int fd = *(int *)arg;

	for (int i = 0; i < TIMES; i++)
		if (read(fd, buf, sizeof(buf)) <= 0)
			die("read");
}

void bench_read(void)
{
	static const int numbers[] = { 1, 4, 8, 64 };
	struct options how = {
		.group = true, .format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	struct cost without = measure_no_toggle();

	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		if (!wanted("read a group") || !kind_works(kind))
			continue;
		for (int i = 0; i < 4; i++) {
			if (kind == HARDWARE && numbers[i] > 4)
				break;
			open_events(kind, numbers[i], how);
			row("read a group", kind_names[kind], numbers[i], without,
			    measure(reads, &events[0], TIMES));
			close_events(numbers[i]);
		}
	}
}
