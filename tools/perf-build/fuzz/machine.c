// SPDX-License-Identifier: GPL-2.0
/*
 * State of the whole machine: its CPUs, modules, probes and sysctls, which a case changes
 * and the fuzzer puts back; and the kernel's log, which shows whether a case found a bug.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

extern const char __executable_start[];

static const char *const modules[NR_MODULES] = { "fake_pmu", "fake_trace" };
static int kmsg = -1;

const char *const machine_sysctls[] = {
	"/proc/sys/kernel/perf_event_max_sample_rate",
	"/proc/sys/kernel/perf_event_max_stack",
	"/proc/sys/kernel/perf_event_mlock_kb",
	"/proc/sys/kernel/perf_event_paranoid",
	"/sys/bus/event_source/devices/fake/perf_event_mux_interval_ms",
};
const unsigned int nr_sysctls = ARRAY_SIZE(machine_sysctls);
/* the values at the begin */
static char sysctl_values[ARRAY_SIZE(machine_sysctls)][24];

/* Offset in its file of the function that breakpoints and uprobes hit. */
uint64_t watched_offset(void)
{
	return (uintptr_t)watched_function - (uintptr_t)__executable_start;
}

long machine_try(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text));
	close(fd);
	return ret < 0 ? -1 : 0;
}

void machine_set(const char *path, const char *text)
{
	if (machine_try(path, text))
		err(1, "%s: %s", path, text);
}

/* Probes of tracefs: a kprobe, its return, and a uprobe. */
long machine_probe(unsigned int probe, bool create)
{
	const char *list = probe == 2 ? "/sys/kernel/tracing/uprobe_events"
				      : "/sys/kernel/tracing/kprobe_events";
	char text[80];

	if (!create)
		snprintf(text, sizeof(text), "-:fuzz/probe%u", probe);
	else if (probe == 2)
		snprintf(text, sizeof(text), "p:fuzz/probe2 %s:%#llx", uprobe_file,
			 (unsigned long long)watched_offset());
	else
		snprintf(text, sizeof(text), "%c:fuzz/probe%u ksys_sync", "pr"[probe], probe);
	return machine_try(list, text);
}

/* Returns the number of the probe's tracepoint, or -1. */
int machine_probe_id(unsigned int probe)
{
	char path[80], text[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/fuzz/probe%u/id",
		 probe % NR_PROBES);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return text[0] ? atoi(text) : -1;
}

long machine_module(unsigned int module, bool load)
{
	const char *folder = getenv("MODULES"), *name = modules[module % NR_MODULES];
	char path[256];
	long ret;
	int fd;

	if (!load)
		return syscall(SYS_delete_module, name, O_NONBLOCK);
	snprintf(path, sizeof(path), "%s/%s.ko", folder ?: "", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return ret;
}

/* A module that is loaded again has another number for its PMU. */
static void renew_types(void)
{
	char path[256], text[16];
	unsigned int i;

	for (i = 7; i < nr_pmu_types; i++) {
		int fd;

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
			 pmu_types[i].name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
			err(1, "%s", path);
		close(fd);
		pmu_types[i].type = atoi(text);
	}
}

static void restore_modules(void)
{
	unsigned int i;

	for (i = 0; i < NR_MODULES; i++) {
		if (machine_module(i, true) && errno != EEXIST)
			err(1, "module %s cannot be loaded again", modules[i]);
	}
	renew_types();
}

static void restore_cpus(void)
{
	char path[64];
	unsigned int cpu;

	for (cpu = 1; cpu <= CPU_OFFLINE; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		/* a kernel without hotplug */
		if (access(path, F_OK))
			return;
		machine_set(path, cpu == CPU_OFFLINE ? "0" : "1");
	}
}

static void restore_sysctls(void)
{
	unsigned int i;

	/* the rate cannot be set while the share of time is 0 */
	machine_set("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	for (i = 0; i < nr_sysctls; i++)
		machine_set(machine_sysctls[i], sysctl_values[i]);
	machine_set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

static bool has(const struct program *program, enum kind kind)
{
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		if (program->steps[i].kind == kind)
			return true;
	}
	return false;
}

/* Undo what the program did to the machine. All its processes are gone. */
void machine_restore(const struct program *program)
{
	unsigned int i;

	if (has(program, KIND_MODULE))
		restore_modules();
	if (has(program, KIND_HOTPLUG))
		restore_cpus();
	if (has(program, KIND_SYSCTL))
		restore_sysctls();
	for (i = 0; has(program, KIND_PROBE) && i < NR_PROBES; i++) {
		if (machine_probe_id(i) >= 0 && machine_probe(i, false))
			err(1, "probe %u cannot be removed", i);
	}
}

/* Call once, after world_begin(). */
void machine_begin(void)
{
	unsigned int i;

	for (i = 0; i < nr_sysctls; i++) {
		int fd = open(machine_sysctls[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0 || read(fd, sysctl_values[i], sizeof(sysctl_values[i]) - 1) <= 0)
			err(1, "%s", machine_sysctls[i]);
		close(fd);
	}
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		err(1, "/dev/kmsg");
}

/* Returns true if the kernel has reported a problem since the last call. */
bool machine_reported(void)
{
	static const char *const reports[] = {
		"WARNING: ", "BUG: ", "INFO: task", "INFO: possible", "INFO: trying",
		"INFO: inconsistent", "INFO: suspicious", "UBSAN: ", "KASAN: ", "ODEBUG: ",
		"refcount_t: ", "scheduling while atomic", "Bad page state", "corruption",
		"Call Trace:", "Call trace:", "unchecked MSR access", "Oops",
	};
	char text[8192];
	bool found = false;
	ssize_t bytes;
	unsigned int i;

	while ((bytes = read(kmsg, text, sizeof(text) - 1)) > 0 || errno == EPIPE) {
		if (bytes <= 0) {
			/* the kernel has overwritten records that were not read */
			errno = 0;
			continue;
		}
		text[bytes] = 0;
		for (i = 0; i < ARRAY_SIZE(reports); i++)
			found |= strstr(text, reports[i]) != NULL;
	}
	return found;
}
