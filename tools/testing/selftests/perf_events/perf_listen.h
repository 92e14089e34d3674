/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event together with its attributes and its buffer, and what tests of
 * records need besides: files of tracefs, and a second task to be watched.
 *
 *	struct perf_listener l;
 *
 *	ASSERT_EQ(0, perf_listen_self(&l, attr));
 *	...
 *	while (perf_listen_next(&l))
 *		EXPECT_EQ(getpid(), l.rec.pid);
 *	EXPECT_EQ(0, perf_listen_end(&l));
 */
#ifndef PERF_LISTEN_H
#define PERF_LISTEN_H

#include "perf_util.h"
#include "perf_buffer.h"

#define PERF_LISTEN_PAGES	64

/**
 * struct perf_listener - an event whose records are read
 * @attr: as it was opened
 * @fd: the event
 * @header: the record that was read last, inside of @buf
 * @rec: the same, taken apart
 * @damaged: how many records were not of the size that @attr makes them
 * @buf: the buffer
 */
struct perf_listener {
	struct perf_event_attr attr;
	int fd;
	const struct perf_event_header *header;
	struct perf_rec rec;
	unsigned int damaged;
	struct perf_buf buf;
};

static inline int perf_listen_pages(struct perf_listener *l,
				    struct perf_event_attr attr, pid_t pid,
				    int cpu, size_t pages)
{
	int ret;

	l->attr = attr;
	l->header = NULL;
	l->damaged = 0;
	l->fd = perf_open(attr, pid, cpu, -1);
	if (l->fd < 0)
		return l->fd;
	ret = perf_buf_map(&l->buf, l->fd, pages);
	if (ret)
		close(l->fd);
	return ret;
}

static inline int perf_listen(struct perf_listener *l,
			      struct perf_event_attr attr, pid_t pid, int cpu)
{
	return perf_listen_pages(l, attr, pid, cpu, PERF_LISTEN_PAGES);
}

static inline int perf_listen_self(struct perf_listener *l,
				   struct perf_event_attr attr)
{
	return perf_listen(l, attr, 0, -1);
}

/* The next record, taken apart into l->rec; false when there is no more. */
static inline bool perf_listen_next(struct perf_listener *l)
{
	l->header = perf_buf_next(&l->buf);
	if (!l->header)
		return false;
	if (!perf_rec_parse(&l->attr, l->header, &l->rec))
		l->damaged++;
	return true;
}

/* The next one of a type; those in between are dropped. */
static inline bool perf_listen_of(struct perf_listener *l, __u32 type)
{
	while (perf_listen_next(l))
		if (l->header->type == type)
			return true;
	return false;
}

/* What follows the header. */
static inline const void *perf_listen_body(const struct perf_listener *l)
{
	return l->header + 1;
}

/* How many records of a type there are from here on; reads them all. */
static inline int perf_listen_count(struct perf_listener *l, __u32 type)
{
	int nr = 0;

	while (perf_listen_of(l, type))
		nr++;
	return nr;
}

/* Close; how many records were damaged. */
static inline int perf_listen_end(struct perf_listener *l)
{
	int bad = l->damaged + l->buf.bad;

	perf_buf_unmap(&l->buf);
	close(l->fd);
	return bad;
}

/* An event of exactly one occurrence a sample, off until it is enabled. */
#define PERF_SAMPLED(_name, _type, ...)					\
	PERF_SW(_name, .sample_period = 1, .sample_type = (_type),	\
		.disabled = 1, ##__VA_ARGS__)

/* Tracing */

#define TRACEFS	"/sys/kernel/tracing"

/* The number of a tracepoint, "task/task_rename"; negative without it. */
static inline long tracepoint_id(const char *name)
{
	char path[256];
	long id;
	int err;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/id", name);
	err = file_read_long(path, &id);
	return err ? err : id;
}

/* Where a field stands in the raw data of a tracepoint. */
static inline int tracepoint_field(const char *name, const char *field,
				   int *offset, int *size)
{
	char path[256], buf[8192], end[2][64], *line, *hit, *rest;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/format", name);
	if (file_read(path, buf, sizeof(buf)) < 0)
		return -ENOENT;
	snprintf(end[0], sizeof(end[0]), " %s;", field);
	snprintf(end[1], sizeof(end[1]), " %s[", field);
	for (line = strtok_r(buf, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!strstr(line, end[0]) && !strstr(line, end[1]))
			continue;
		hit = strstr(line, "offset:");
		if (hit && sscanf(hit, "offset:%d; size:%d", offset, size) == 2)
			return 0;
	}
	return -ENOENT;
}

/* The number of a PMU of sysfs, or a negative errno. */
static inline long pmu_type(const char *name)
{
	char path[256];
	long type;
	int err;

	snprintf(path, sizeof(path),
		 "/sys/bus/event_source/devices/%s/type", name);
	err = file_read_long(path, &type);
	return err ? err : type;
}

/* Control groups */

#define CGROUPFS "/sys/fs/cgroup"

/*
 * A directory in the unified hierarchy and its path. Such directories have no
 * perf_event side until the root delegates something, which a full userland
 * has it do at boot.
 */
static inline int cgroup_make(const char *name, char *path, size_t size)
{
	char names[256], text[260];

	if (file_read(CGROUPFS "/cgroup.controllers", names, sizeof(names)) < 0)
		return -ENOENT;
	names[strcspn(names, "\n ")] = '\0';
	snprintf(text, sizeof(text), "+%s", names);
	file_write(CGROUPFS "/cgroup.subtree_control", text);
	snprintf(path, size, CGROUPFS "/%s_%d", name, getpid());
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int cgroup_enter(const char *dir, pid_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	return file_write_long(path, pid);
}

/* The last task may still be on its way out. */
static inline int cgroup_remove(const char *path)
{
	int i;

	for (i = 0; i < 200 && rmdir(path); i++) {
		if (errno != EBUSY)
			return -errno;
		sleep_ms(5);
	}
	return i < 200 ? 0 : -EBUSY;
}

/* The number of a file, which for a control group is its id; 0 without it. */
static inline __u64 file_inode(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/* The address of a kernel symbol; 0 if it cannot be found. */
static inline __u64 kernel_symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t len = strlen(name);
	__u64 found = 0;
	char line[512];

	/* 16 digits, a letter and the name, each behind a space. */
	while (f && !found && fgets(line, sizeof(line), f))
		if (!strncmp(line + 19, name, len) && line[19 + len] == '\n')
			found = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return found;
}

/* The function that is a system call. */
#if defined(__x86_64__)
#define SYSCALL_SYMBOL(_name)	"__x64_sys_" #_name
#else
#define SYSCALL_SYMBOL(_name)	"__arm64_sys_" #_name
#endif

/* Whether an address is one of the kernel's half. */
static inline bool is_kernel_address(__u64 addr)
{
	return (__s64)addr < 0;
}

#endif /* PERF_LISTEN_H */
