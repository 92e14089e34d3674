// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of cgroups: PERF_RECORD_CGROUP.
 *
 * Samples contain the id of a cgroup. This record gives its path.
 *
 * Context: task.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>

#include "../output/output.h"
#include "sideband.h"

/**
 * struct perf_cgroup_record - PERF_RECORD_CGROUP
 * @base: the record
 * @id: id of the cgroup
 * @path: path from the root of its hierarchy
 */
struct perf_cgroup_record {
	struct perf_sideband	base;
	u64			id;
	const char		*path;
};

static void perf_cgroup_put(struct perf_output_handle *handle,
			    struct perf_event *event,
			    const struct perf_sideband *base)
{
	const struct perf_cgroup_record *record =
		container_of(base, struct perf_cgroup_record, base);

	perf_output_u64(handle, record->id);
	perf_sideband_put_string(handle, record->path);
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
			.put	= perf_cgroup_put,
		},
		.id = cgroup_id(cgrp),
	};
	char *buf;

	if (!perf_sideband_enabled(PERF_SIDEBAND_CGROUP) ||
	    !perf_sideband_has_listener(PERF_SIDEBAND_CGROUP))
		return;

	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		record.path = "//enomem";
	else if (cgroup_path(cgrp, buf, PATH_MAX) < 0)
		record.path = "//toolong";
	else
		record.path = buf;
	record.base.size = sizeof(record.id) +
			   perf_sideband_string_size(record.path);
	perf_sideband_emit(&record.base);
	kfree(buf);
}
