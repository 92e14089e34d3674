// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>

#include "../../kselftest.h"
#include "fault_memory.h"
#include "perf_test.h"

#define SLAB		"/sys/kernel/slab"
#define PERCPU_STATS	"/sys/kernel/debug/percpu_stats"
#define RCU_BARRIER	"/sys/module/rcutree/parameters/do_rcu_barrier"

#define STAT_REFRESH	"/proc/sys/vm/stat_refresh"

/* How often memory is read until it is back. */
#define TRIES		40

/* Objects of caches of others, and pages, that two readings of an idle machine may differ in */
#define SLACK		8

/*
 * The files of a slab cache. They stay open: opening a file of sysfs allocates objects, which are
 * freed some time after it was closed.
 */
static struct probe {
	char name[256];
	int objects, shrink;
	long per_slab;
} probes[FAULT_CACHES];

static int nr_probes;

static int open_value(const char *cache, const char *file, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), SLAB "/%s/%s", cache, file);
	return open(path, flags | O_CLOEXEC);
}

static long read_value(int fd)
{
	char text[64];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return -1;
	text[len] = '\0';
	return atol(text);
}

static long read_once(const char *cache, const char *file)
{
	int fd = open_value(cache, file, O_RDONLY);
	long value = read_value(fd);

	close(fd);
	return value;
}

/* Areas of vmalloc(), such as the stacks of tasks, are freed later, many at once. */
static bool is_lazy(const char *cache)
{
	return read_once(cache, "reclaim_account") != 0 || !strcmp(cache, "vmap_area");
}

static int open_probes(void)
{
	DIR *dir = opendir(SLAB);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && nr_probes < FAULT_CACHES) {
		struct probe *probe = &probes[nr_probes];

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR || is_lazy(entry->d_name))
			continue;
		probe->objects = open_value(entry->d_name, "objects", O_RDONLY);
		probe->shrink = open_value(entry->d_name, "shrink", O_WRONLY);
		/* the first read allocates a buffer, for as long as the file is open */
		if (probe->shrink < 0 || read_value(probe->objects) < 0)
			continue;
		probe->per_slab = read_once(entry->d_name, "objs_per_slab");
		snprintf(probe->name, sizeof(probe->name), "%s", entry->d_name);
		nr_probes++;
	}
	closedir(dir);
	return nr_probes ? 0 : -ENOENT;
}

/*
 * The kernel counts the free objects of slabs that CPUs allocate from as used, until the cache
 * is shrunk.
 */
static int read_caches(struct fault_memory *memory)
{
	int i, err = nr_probes ? 0 : open_probes();

	if (err)
		return err;
	for (i = 0; i < nr_probes; i++) {
		struct fault_cache *cache = &memory->cache[i];

		if (pwrite(probes[i].shrink, "1", 1, 0) != 1)
			return -EIO;
		cache->objects = read_value(probes[i].objects);
		if (cache->objects < 0)
			return -EIO;
		cache->per_slab = probes[i].per_slab;
		memcpy(cache->name, probes[i].name, sizeof(cache->name));
	}
	memory->nr = nr_probes;
	return 0;
}

/* The number behind a name in a text, or -1. */
static long value_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	long value;

	if (!at)
		return -1;
	at += strlen(name) + strspn(at + strlen(name), " :\t");
	return sscanf(at, "%ld", &value) == 1 ? value : -1;
}

static int read_percpu(struct fault_memory *memory)
{
	static char text[1 << 16];
	int len = file_read(PERCPU_STATS, text, sizeof(text));

	if (len < 0)
		return len;
	memory->percpu = value_of(text, "nr_cur_alloc");
	return memory->percpu < 0 ? -EINVAL : 0;
}

/* Pages that CPUs keep for their next allocations; MemFree does not have them. */
static long read_kept_pages(void)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	long pages = 0, count;
	char line[256];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %ld", &count) == 1)
			pages += count;
	fclose(file);
	return pages;
}

static int read_pages(struct fault_memory *memory)
{
	static const char * const accounted[] = {
		"MemFree:", "Buffers:", "\nCached:", "AnonPages:", "\nSlab:",
		"KernelStack:", "PageTables:", "SecPageTables:", "Percpu:",
	};
	long kb, value, kept;
	char text[8192];
	size_t i;

	/* CPUs add what they have counted to the sums only now and then */
	if (file_write(STAT_REFRESH, "1"))
		return -ENOENT;
	kept = read_kept_pages();
	if (kept < 0 || file_read("/proc/meminfo", text, sizeof(text)) < 0)
		return -ENOENT;
	kb = value_of(text, "MemTotal:");
	for (i = 0; i < ARRAY_SIZE(accounted); i++) {
		value = value_of(text, accounted[i]);
		if (value > 0)
			kb -= value;
	}
	memory->pages = kb * 1024 / sysconf(_SC_PAGESIZE) - kept;

	if (file_read("/proc/self/status", text, sizeof(text)) < 0)
		return -ENOENT;
	memory->pinned = value_of(text, "VmPin:");
	return 0;
}

/**
 * fault_memory_read() - Read how much memory is in use
 * @memory: Where the numbers go.
 *
 * Objects that wait for a grace period of RCU are freed before.
 *
 * Return: 0, or a negative errno: the kernel does not have these numbers.
 */
int fault_memory_read(struct fault_memory *memory)
{
	int err = file_write(RCU_BARRIER, "1");

	return err ?: read_caches(memory) ?: read_percpu(memory) ?: read_pages(memory);
}

/* Caches of the subsystem itself: no other code allocates from them meanwhile. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "perf_", 5);
}

/*
 * Whether a cache is back, now or in an earlier reading. All objects of a slab that a CPU has in
 * its own lists are counted, and writing the file "shrink" takes such a slab of some cache.
 */
static bool cache_is_back(const struct fault_cache *before, const struct fault_cache *now,
			  int slack, bool *back)
{
	if (now->objects - before->objects <= (is_ours(now->name) ? 0 : slack + now->per_slab))
		*back = true;
	return *back;
}

static bool is_back(const struct fault_memory *before, const struct fault_memory *now,
		    int times, bool pages, bool *back, char *text, size_t size)
{
	int slack = times / 2 + SLACK, i;

	text[0] = '\0';
	for (i = 0; i < now->nr; i++) {
		if (!cache_is_back(&before->cache[i], &now->cache[i], slack, &back[i]))
			snprintf(text, size, "%ld objects of %s leaked",
				 now->cache[i].objects - before->cache[i].objects,
				 now->cache[i].name);
	}
	if (text[0])
		return false;
	if (now->percpu - before->percpu > slack) {
		snprintf(text, size, "%ld per-CPU areas leaked", now->percpu - before->percpu);
		return false;
	}
	if (pages && now->pages - before->pages > slack) {
		snprintf(text, size, "%ld pages leaked", now->pages - before->pages);
		return false;
	}
	if (now->pinned != before->pinned) {
		snprintf(text, size, "VmPin was %ld kB, is %ld kB", before->pinned, now->pinned);
		return false;
	}
	return true;
}

/**
 * fault_memory_is_back() - Check that memory is back to what it was
 * @before: What it was.
 * @times: How often the action was done since. What it leaks each time is found. What other
 *	tasks of the machine allocate meanwhile may be half as much.
 * @pages: Compare pages as well. CPUs keep stacks of tasks that have exited, unaccounted.
 * @text: Where the name of what was leaked goes; empty if nothing was.
 * @size: Bytes of @text.
 *
 * Memory is read several times, because some is freed by a worker some time later.
 *
 * Return: True if it is back.
 */
bool fault_memory_is_back(const struct fault_memory *before, int times, bool pages,
			  char *text, size_t size)
{
	static struct fault_memory now;
	bool back[FAULT_CACHES] = {};
	int try;

	for (try = 0; try < TRIES; try++) {
		if (fault_memory_read(&now)) {
			snprintf(text, size, "the memory in use cannot be read");
			return false;
		}
		if (is_back(before, &now, times, pages, back, text, size))
			return true;
		/* kfree_rcu() collects objects for up to five seconds */
		sleep_ms(500);
	}
	return false;
}
