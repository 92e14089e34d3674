/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for tests of hardware events: whether there is a PMU, loads whose
 * instructions are known, and the PMUv3 of arm64 in sysfs.
 */
#ifndef HW_EVENT_H
#define HW_EVENT_H

#include <dirent.h>

#include "perf_util.h"
#include "x86_model.h"

#define PERF_HW(_name, ...) \
	PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##_name, ##__VA_ARGS__)

#define HW_CYCLES(...)	PERF_HW(CPU_CYCLES, ##__VA_ARGS__)

/* Why there is no PMU, or NULL if there is one. */
static inline const char *no_pmu(void)
{
	static char reason[128];
	int err = perf_try_self(HW_CYCLES());

	snprintf(reason, sizeof(reason), "no PMU that counts cycles: %s",
		 perf_errname(err));
	return err ? reason : NULL;
}

/* Why no instructions are counted, or NULL: QEMU's PMU does so only with -icount. */
static inline const char *no_instructions(void)
{
	static char reason[128];
	int err = perf_try_self(PERF_HW(INSTRUCTIONS));

	snprintf(reason, sizeof(reason), "instructions are not counted: %s",
		 perf_errname(err));
	return err ? reason : NULL;
}

/* A model behind the driver counts by the clock, whatever the mode and the code. */
static inline bool pmu_is_modelled(void)
{
	return model_is("");
}

/*
 * Can so many instructions have been counted with these cycles? The model has three
 * in four cycles. Where counters are turned on one by one, what comes in between is
 * the first one's alone: one of a few tries has to fit, then.
 */
#define FIT_TRIES	20

static inline bool instructions_fit(__u64 cycles, __u64 instructions)
{
	if (!cycles || !instructions)
		return false;
	return !pmu_is_modelled() || (cycles * 7 / 10 < instructions &&
				      instructions < cycles * 8 / 10);
}

/* attr.config1 of a PMUv3: a counter of 64 bits, one that programs read */
#define PMUV3_LONG	0x1ULL
#define PMUV3_RDPMC	0x2ULL

#define PMU_DEVICES	"/sys/bus/event_source/devices"

/* Two instructions a turn, in user mode. */
static inline void spin(unsigned long turns)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#elif defined(__x86_64__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#else
	while (turns--)
		asm volatile("" : : : "memory");
#endif
}

/* Work in both modes. */
static inline void spin_and_call(int calls)
{
	while (calls--) {
		spin(2000);
		getppid();
	}
}

/* The name in sysfs of a PMUv3, or NULL. */
static inline const char *find_pmuv3(void)
{
	static char name[256];
	struct dirent *entry;
	DIR *dir = opendir(PMU_DEVICES);

	name[0] = '\0';
	while (dir && !name[0] && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "armv8_", 6) ||
		    !strncmp(entry->d_name, "armv9_", 6))
			snprintf(name, sizeof(name), "%s", entry->d_name);
	if (dir)
		closedir(dir);
	return name[0] ? name : NULL;
}

/* A small file of a PMU, without its newline; a negative errno. */
static inline int read_pmu_file(const char *pmu, const char *file, char *text,
				size_t size)
{
	char path[1024];
	int len;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s", pmu, file);
	len = file_read(path, text, size);
	if (len > 0)
		text[strcspn(text, "\n")] = '\0';
	return len;
}

/* The number of a PMU, or a negative errno. */
static inline int pmu_number(const char *pmu)
{
	char text[32];
	int len = read_pmu_file(pmu, "type", text, sizeof(text));

	return len < 0 ? len : atoi(text);
}

#endif /* HW_EVENT_H */
