// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown on CPUs without the register of metrics: files in events/ with the events that
 * count slots and their use. A core has four slots per cycle. With two threads per core,
 * cycles of the core are counted (any=1), by both threads.
 *
 * Data only. The names and values are perf's. Source: Intel Optimization Reference Manual,
 * appendix "Top-Down Analysis Method".
 */
#include <linux/topology.h>
#include "model.h"

/**
 * struct slots_file - a file with content that depends on the threads of a core
 * @attr: the file
 * @alone: content with one thread per core
 * @shared: content with two threads per core
 */
struct slots_file {
	struct device_attribute	attr;
	const char		*alone;
	const char		*shared;
};

static ssize_t slots_show(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct slots_file *file = container_of(attr, struct slots_file, attr);

	return sysfs_emit(page, "%s\n",
			  topology_max_smt_threads() > 1 ? file->shared : file->alone);
}

#define SLOTS_FILE(_name, _alone, _shared)				\
	(&((struct slots_file[]) { {					\
		.attr.attr	= { .name = (_name), .mode = 0444 },	\
		.attr.show	= slots_show,				\
		.alone		= (_alone),				\
		.shared		= (_shared),				\
	} })[0].attr.attr)

#define SLOTS_SCALE(_name)	SLOTS_FILE(_name ".scale", "4", "2")

/* Sandy Bridge to Broadwell */
struct attribute *intel_slots_events[] = {
	SLOTS_FILE("topdown-total-slots", "event=0x3c,umask=0x0", "event=0x3c,umask=0x0,any=1"),
	SLOTS_SCALE("topdown-total-slots"),
	X86_PMU_FILE("topdown-slots-issued", 0, "event=0xe,umask=0x1"),
	X86_PMU_FILE("topdown-slots-retired", 0, "event=0xc2,umask=0x2"),
	X86_PMU_FILE("topdown-fetch-bubbles", 0, "event=0x9c,umask=0x1"),
	SLOTS_FILE("topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1",
		   "event=0xd,umask=0x3,cmask=1,any=1"),
	SLOTS_SCALE("topdown-recovery-bubbles"),
	NULL,
};

struct attribute *intel_slots_skylake_events[] = {
	SLOTS_FILE("topdown-total-slots", "event=0x3c,umask=0x0", "event=0x3c,umask=0x0,any=1"),
	SLOTS_SCALE("topdown-total-slots"),
	X86_PMU_FILE("topdown-slots-issued", 0, "event=0xe,umask=0x1"),
	X86_PMU_FILE("topdown-slots-retired", 0, "event=0xc2,umask=0x2"),
	X86_PMU_FILE("topdown-fetch-bubbles", 0, "event=0x9c,umask=0x1"),
	SLOTS_FILE("topdown-recovery-bubbles", "event=0xd,umask=0x1",
		   "event=0xd,umask=0x1,any=1"),
	SLOTS_SCALE("topdown-recovery-bubbles"),
	NULL,
};
