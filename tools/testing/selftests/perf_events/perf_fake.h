/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU made of memory, CONFIG_PERF_EVENTS_FAKE_PMU: its events by their names in
 * sysfs, its counters, and the file that makes them count.
 */
#ifndef PERF_FAKE_H
#define PERF_FAKE_H

#include <sys/mount.h>

#include "perf_util.h"

#define FAKE_DEVICE	"/sys/bus/event_source/devices/fake"
#define FAKE_PARAMETER	"/sys/module/fake_pmu/parameters/"
#define FAKE_DEBUGFS	"/sys/kernel/debug"

#define SKIP_WITHOUT_FAKE()						\
	do {								\
		if (access(FAKE_DEVICE, F_OK))				\
			SKIP(return, "no fake PMU: CONFIG_PERF_EVENTS_FAKE_PMU"); \
		if (fake_prepare())					\
			SKIP(return, "no debugfs, or not root");	\
	} while (0)

static inline int fake_set(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), FAKE_PARAMETER "%s", name);
	return file_write(path, value);
}

/* Let it be as it was at boot. */
static inline int fake_prepare(void)
{
	if (access(FAKE_DEBUGFS "/fake_pmu", F_OK))
		mount("debugfs", FAKE_DEBUGFS, "debugfs", 0, NULL);
	return fake_set("counters", "4") ?: fake_set("width", "48") ?:
	       fake_set("any_group", "N");
}

/* Attributes of an event by its name; of one that is not there, of no PMU. */
static inline struct perf_event_attr fake_attr(const char *name)
{
	struct perf_event_attr attr = PERF_ATTR(~0U, 0,
						.read_format = PERF_ALL_TIMES);
	unsigned int code;
	char path[128], text[64];
	long type;

	snprintf(path, sizeof(path), FAKE_DEVICE "/events/%s", name);
	if (file_read(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "event=%x", &code) != 1 ||
	    file_read_long(FAKE_DEVICE "/type", &type))
		return attr;
	attr.type = type;
	attr.config = code;
	return attr;
}

/* So many occurrences on this CPU. */
static inline int fake_poke(unsigned long count)
{
	return file_write_long(FAKE_DEBUGFS "/fake_pmu/poke", count);
}

/* Calls of the driver that broke the rules, since boot. */
static inline long fake_faults(void)
{
	long faults = -1;

	file_read_long(FAKE_DEBUGFS "/fake_pmu/faults", &faults);
	return faults;
}

#endif /* PERF_FAKE_H */
