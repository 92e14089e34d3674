// SPDX-License-Identifier: GPL-2.0
/* Calls of root on the whole machine. */
#include <stdio.h>

#include "case.h"
#include "fuzz.h"

/* args: worker where; threads of a process move with it */
CALL(cgroup)
{
	static const char *const groups[] = {
		CASE_CGROUP "/cgroup.procs", CASE_CGROUP "/a/cgroup.procs",
		CASE_CGROUP "/b/cgroup.procs",
	};
	char text[16];

	snprintf(text, sizeof(text), "%d",
		 shared->pids[PID_WORKER + step->args[0] % NR_WORKERS]);
	return machine_try(groups[step->args[1] % ARRAY_SIZE(groups)], text);
}

/* CPU 0 stays online. */
CALL(hotplug)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 1 + (int)(step->args[0] % CPU_OFFLINE));
	return machine_try(path, step->args[1] ? "1" : "0");
}

CALL(probe)
{
	return machine_probe(step->args[0] % NR_PROBES, step->args[1]);
}

CALL(module)
{
	return machine_module(step->args[0] % NR_MODULES, step->args[1]);
}

CALL(sysctl)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)step->args[1]);
	return machine_try(machine_sysctls[step->args[0] % nr_sysctls], text);
}
