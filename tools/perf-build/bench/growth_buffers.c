// SPDX-License-Identifier: GPL-2.0
/* Growth: many ring buffers, many events with one buffer, and cgroup events. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "growth.h"

#define BUFFER	(2 * 4096)

static void *buffers[MOST + 1];

static void *map_buffer(int fd)
{
	void *buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (buffer == MAP_FAILED)
		die("mmap of a buffer");
	return buffer;
}

/* Map the buffer of one event; @nr other events have buffers of their own. */
static void map_one(int nr)
{
	for (int i = 0; i < times(20); i++) {
		begin();
		buffers[nr] = map_buffer(many[nr]);
		end(MMAP_ONE);
		begin();
		munmap(buffers[nr], BUFFER);
		end(MUNMAP_ONE);
	}
}

/* Each event has a buffer of its own. */
void grow_mmap(const struct shape *shape, int nr)
{
	struct target target;

	target_start(&target);
	open_many(shape, target.pid, nr + 1, NULL);
	begin();
	for (int i = 0; i < nr; i++)
		buffers[i] = map_buffer(many[i]);
	end(MMAP_ALL);
	map_one(nr);
	begin();
	for (int i = 0; i < nr; i++)
		munmap(buffers[i], BUFFER);
	end(MUNMAP_ALL);
	close_many(nr + 1, true);
	target_stop(&target);
}

/* The argument of the ioctl is a long, so that -1 (no buffer) has all bits set. */
static void redirect(int i, long to)
{
	if (ioctl(many[i], PERF_EVENT_IOC_SET_OUTPUT, to))
		die("SET_OUTPUT");
}

/* The first event has a buffer, and the other events are redirected to it. */
void grow_output(const struct shape *shape, int nr)
{
	struct target target;

	target_start(&target);
	open_many(shape, target.pid, nr + 1, NULL);
	buffers[0] = map_buffer(many[0]);
	begin();
	for (int i = 1; i < nr; i++)
		redirect(i, many[0]);
	end(SET_OUTPUT_ALL);
	for (int i = 0; i < times(20); i++) {
		begin();
		redirect(nr, many[0]);
		end(SET_OUTPUT_ONE);
		begin();
		redirect(nr, -1);
		end(UNSET_OUTPUT_ONE);
	}
	begin();
	for (int i = 1; i < nr; i++)
		redirect(i, -1);
	end(UNSET_OUTPUT_ALL);
	/* redirect them again, to measure the end of a buffer with many events */
	for (int i = 1; i < nr; i++)
		redirect(i, many[0]);
	begin();
	munmap(buffers[0], BUFFER);
	end(MUNMAP_SHARED);
	close_many(nr + 1, true);
	target_stop(&target);
}

static const char hierarchy[] = "/tmp/growth-cgroup";
static pid_t moved;

static void move_to(const char *dir)
{
	char path[96], text[16];
	int fd, len;

	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", hierarchy, dir);
	len = snprintf(text, sizeof(text), "%d", moved);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, len) != len)
		die(path);
	close(fd);
}

/* Called in the target, which moves itself between cgroups. */
static void moves(void *arg)
{
	for (int i = 0; i < times(5); i++) {
		begin();
		move_to("events");
		end(CGROUP_ENTER);
		begin();
		move_to("none");
		end(CGROUP_LEAVE);
		begin();
		move_to(".");
		end(CGROUP_OTHER);
	}
}

/* Without this mount option a move would wait for a grace period, which takes much longer. */
static void make_cgroups(void)
{
	char path[96];

	mkdir(hierarchy, 0700);
	if (mount("none", hierarchy, "cgroup", 0, "perf_event,favordynmods"))
		die("a cgroup hierarchy for perf_event");
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", hierarchy, i ? "none" : "events");
		if (mkdir(path, 0700))
			die(path);
	}
}

static void remove_cgroups(void)
{
	char path[96];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", hierarchy, i ? "none" : "events");
		rmdir(path);
	}
	umount(hierarchy);
	rmdir(hierarchy);
}

/* The events belong to one of two cgroups. */
void grow_cgroup(const struct shape *shape, int nr)
{
	struct perf_event_attr attr = shape_attr(shape, 0);
	struct target target;
	char path[96];
	int dir;

	make_cgroups();
	snprintf(path, sizeof(path), "%s/events", hierarchy);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	target_start(&target);
	moved = target.pid;
	for (int i = 0; i < nr; i++) {
		many[i] = open_event(&attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);
		if (many[i] < 0)
			die("an event of a cgroup");
	}
	target_run(&target, moves, NULL);
	close_many(nr, true);
	close(dir);
	target_stop(&target);
	remove_cgroups();
}
