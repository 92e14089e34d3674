// SPDX-License-Identifier: GPL-2.0
#include <sys/mount.h>

#include "fake_pmu.h"
#include "perf_test.h"

/**
 * fake_set() - Set a module parameter of the fake PMU
 * @name: Name of the parameter.
 * @value: The value.
 *
 * Return: 0, or a negative errno.
 */
int fake_set(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), FAKE_PARAMETER "%s", name);
	return file_write(path, value);
}

/**
 * fake_prepare() - Mount debugfs and set the parameters to what they are at boot
 *
 * Return: 0, or a negative errno.
 */
int fake_prepare(void)
{
	if (access(FAKE_DEBUGFS "/fake_pmu", F_OK))
		mount("debugfs", FAKE_DEBUGFS, "debugfs", 0, NULL);
	return fake_set("counters", "4") ?: fake_set("width", "48") ?:
	       fake_set("any_group", "N");
}

/**
 * fake_attr() - Get the attributes of an event of the fake PMU
 * @name: Name of the event in sysfs.
 *
 * Return: The attributes, of no PMU if there is no such event.
 */
struct perf_event_attr fake_attr(const char *name)
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

/**
 * fake_poke() - Make the events of this CPU occur
 * @count: How many times.
 *
 * Return: 0, or a negative errno.
 */
int fake_poke(unsigned long count)
{
	return file_write_long(FAKE_DEBUGFS "/fake_pmu/poke", count);
}

/**
 * fake_faults() - Get the number of calls that broke the rules for PMU drivers
 *
 * Return: How many of them the fake PMU has seen since boot, or -1.
 */
long fake_faults(void)
{
	long faults = -1;

	file_read_long(FAKE_DEBUGFS "/fake_pmu/faults", &faults);
	return faults;
}
