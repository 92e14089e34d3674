// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of cgroups: PERF_RECORD_CGROUP.
 *
 * Samples contain the id of a cgroup. This record gives its path. The path begins at the root of
 * the cgroup namespace in which the event was opened.
 *
 * Context: task.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../output/output.h"
#include "sideband.h"

#define PERF_CGROUP_TOO_LONG	"//toolong"

/**
 * struct perf_cgroup_record - PERF_RECORD_CGROUP
 * @base: the record
 * @cgrp: the cgroup
 * @id: its id
 * @path: its path from the root of its hierarchy; or a text that begins with two slashes, which
 *	is the same for all listeners
 */
struct perf_cgroup_record {
	struct perf_sideband	base;
	struct cgroup		*cgrp;
	u64			id;
	const char		*path;
};

/**
 * struct perf_cgroup_path - the path of a cgroup as a cgroup namespace shows it
 * @up: number of "/.." at its beginning
 * @rest: what follows; empty if the cgroup is the namespace's root, or above it
 */
struct perf_cgroup_path {
	unsigned int	up;
	const char	*rest;
};

static const char perf_cgroup_up[] = "/..";

static const struct perf_cgroup_record *perf_cgroup_record(const struct perf_sideband *base)
{
	return container_of(base, struct perf_cgroup_record, base);
}

/* Return the level of the lowest common ancestor of two cgroups of a hierarchy. */
static int perf_cgroup_common_level(const struct cgroup *a, const struct cgroup *b)
{
	int low = 0, high = min(a->level, b->level);

	while (low < high) {
		int middle = high - (high - low) / 2;

		if (a->ancestors[middle] == b->ancestors[middle])
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/*
 * Return the path in the cgroup namespace of the event, as /proc/PID/cgroup shows it there: names
 * of cgroups outside the namespace's root are not part of it. cgroup_mutex, which the caller
 * of perf_sideband_cgroup() holds, keeps the hierarchy's roots.
 */
static struct perf_cgroup_path perf_cgroup_path(const struct perf_event *event,
						const struct perf_cgroup_record *record)
{
	const struct cgroup_namespace *ns = (event->parent ?: event)->cgroup_ns;
	struct perf_cgroup_path path = { .rest = record->path };
	const struct cgroup *root;
	int level;

	if (!ns || ns == &init_cgroup_ns || !record->cgrp)
		return path;

	root = ns->root_cset->subsys[perf_event_cgrp_id]->cgroup;
	level = perf_cgroup_common_level(record->cgrp, root);
	path.up = root->level - level;
	while (level--)
		path.rest = strchrnul(path.rest + 1, '/');
	/* The root of the hierarchy has the only path that ends with a slash. */
	if (!strcmp(path.rest, "/"))
		path.rest++;
	if (path.up * strlen(perf_cgroup_up) + strlen(path.rest) >= PATH_MAX)
		path = (struct perf_cgroup_path) { .rest = PERF_CGROUP_TOO_LONG };
	else if (!path.up && !*path.rest)
		path.rest = "/";
	return path;
}

static unsigned int perf_cgroup_path_size(const struct perf_cgroup_path *path)
{
	return round_up(path->up * strlen(perf_cgroup_up) + strlen(path->rest) + 1, sizeof(u64));
}

static void perf_cgroup_shape(const struct perf_event *event, struct perf_sideband *copy,
			      const struct perf_sideband *base)
{
	const struct perf_cgroup_record *record = perf_cgroup_record(base);
	struct perf_cgroup_path path = perf_cgroup_path(event, record);

	copy->size = sizeof(record->id) + perf_cgroup_path_size(&path);
}

static void perf_cgroup_put(struct perf_output_handle *handle,
			    struct perf_event *event,
			    const struct perf_sideband *base)
{
	const struct perf_cgroup_record *record = perf_cgroup_record(base);
	struct perf_cgroup_path path = perf_cgroup_path(event, record);
	unsigned int len = strlen(path.rest), written = len, i;

	perf_output_u64(handle, record->id);
	for (i = 0; i < path.up; i++) {
		perf_output_mem(handle, perf_cgroup_up, strlen(perf_cgroup_up));
		written += strlen(perf_cgroup_up);
	}
	perf_output_mem(handle, path.rest, len);
	perf_output_zero(handle, perf_cgroup_path_size(&path) - written);
}

/**
 * perf_sideband_cgroup() - record a new cgroup
 * @cgrp: the cgroup
 *
 * Context: task. Caller must hold cgroup_mutex.
 */
void perf_sideband_cgroup(struct cgroup *cgrp)
{
	struct perf_cgroup_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_CGROUP,
			.type	= PERF_RECORD_CGROUP,
			.shape	= perf_cgroup_shape,
			.put	= perf_cgroup_put,
		},
		.id = cgroup_id(cgrp),
	};
	char *buf;

	if (!perf_sideband_enabled(PERF_SIDEBAND_CGROUP) ||
	    !perf_sideband_has_listener(PERF_SIDEBAND_CGROUP))
		return;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf) {
		record.path = "//enomem";
	} else if (cgroup_path(cgrp, buf, PATH_MAX) < 0) {
		record.path = PERF_CGROUP_TOO_LONG;
	} else {
		record.path = buf;
		record.cgrp = cgrp;
	}
	perf_sideband_emit(&record.base);
	kfree(buf);
}
