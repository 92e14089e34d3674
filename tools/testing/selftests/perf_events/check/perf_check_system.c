// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs beside the core PMUs, compared with other interfaces of the kernel: energy with the
 * powercap driver, residency in idle states with the time stamp counter.
 */
#include <dirent.h>

#include "../lib/hardware.h"
#include "../lib/perf_test.h"
#include "perf_check.h"

#define POWERCAP	"/sys/class/powercap/intel-rapl:0/energy_uj"

/* The load while both interfaces count, in nanoseconds of CPU time. */
#define LOAD_NS		(3 * NSEC_PER_SEC)

/* Get attr.config of an event in sysfs: "event=0x02". */
static int event_config(const char *pmu, const char *event, __u64 *config)
{
	unsigned long long value;
	char file[300], text[64];

	snprintf(file, sizeof(file), "events/%s", event);
	if (read_pmu_file(pmu, file, text, sizeof(text)) < 0 ||
	    sscanf(text, "event=%llx", &value) != 1)
		return -ENOENT;
	*config = value;
	return 0;
}

/* The first CPU of the PMU's cpumask: events of a package are opened there. */
static int first_cpu(const char *pmu)
{
	char text[256];
	int cpu;

	if (read_pmu_file(pmu, "cpumask", text, sizeof(text)) < 0 ||
	    sscanf(text, "%d", &cpu) != 1)
		return 0;
	return cpu;
}

static int open_system(const char *pmu, const char *event)
{
	long type = pmu_type(pmu);
	__u64 config;

	if (type < 0 || event_config(pmu, event, &config))
		return -ENOENT;
	return perf_open(PERF_ATTR(type, config), -1, first_cpu(pmu), -1);
}

static double energy_scale(void)
{
	char text[64];

	if (read_pmu_file("power", "events/energy-pkg.scale", text, sizeof(text)) < 0)
		return 0;
	return strtod(text, NULL);
}

/**
 * check_energy() - Compare the energy of a package with the powercap driver's
 * @options: Not used.
 */
void check_energy(const struct options *options)
{
	int fd = open_system("power", "energy-pkg");
	double joules, other;
	long before, after;

	if (fd < 0) {
		result(ABSENT, "energy", "%s", perf_errname(fd));
		return;
	}
	if (file_read_long(POWERCAP, &before)) {
		result(ABSENT, "energy", "no " POWERCAP " to compare with");
		close(fd);
		return;
	}
	perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	burn_cpu(LOAD_NS);
	joules = perf_count(fd) * energy_scale();
	file_read_long(POWERCAP, &after);
	close(fd);
	other = (after - before) / 1e6;
	result(joules > 0.9 * other && joules < 1.1 * other ? PASS : FAIL, "energy",
	       "%.2f J, %.2f J by powercap", joules, other);
}

/* Compare one event's residency with the ticks of the time stamp counter. */
static void check_state(const char *pmu, const char *event)
{
	int fd = open_system(pmu, event), tsc = open_system("msr", "tsc");
	__u64 idle, ticks;
	char name[600];

	snprintf(name, sizeof(name), "idle %s/%s", pmu, event);
	if (fd < 0 || tsc < 0) {
		result(ABSENT, name, "%s", perf_errname(fd < 0 ? fd : tsc));
	} else {
		perf_ioctl(tsc, PERF_EVENT_IOC_RESET, 0);
		perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		sleep_ms(500);
		idle = perf_count(fd);
		ticks = perf_count(tsc);
		/* counters of packages run at the rate of the time stamp counter, or slower */
		result(idle <= ticks ? PASS : FAIL, name, "%llu of %llu ticks", idle, ticks);
	}
	if (fd >= 0)
		close(fd);
	if (tsc >= 0)
		close(tsc);
}

/**
 * check_idle() - Compare residencies in idle states with the time stamp counter
 * @options: Not used.
 */
void check_idle(const struct options *options)
{
	static const char *const pmus[] = { "cstate_core", "cstate_pkg", "cstate_module" };
	unsigned int found = 0;
	struct dirent *entry;
	char path[128];
	size_t i;
	DIR *dir;

	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", pmus[i]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir))) {
			if (entry->d_name[0] == '.' || strchr(entry->d_name, '.'))
				continue;
			found++;
			check_state(pmus[i], entry->d_name);
		}
		if (dir)
			closedir(dir);
	}
	if (!found)
		result(ABSENT, "idle states", "no PMU counts them");
}
