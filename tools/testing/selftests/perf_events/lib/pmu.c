// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>

#include "../../kselftest.h"
#include "perf_test.h"
#include "pmu.h"

/**
 * pmu_type() - Get the number of a PMU
 * @name: Name of the PMU.
 *
 * Return: The number, or a negative errno.
 */
long pmu_type(const char *name)
{
	char path[256];
	long type;
	int err;

	snprintf(path, sizeof(path),
		 PMU_DEVICES "/%s/type", name);
	err = file_read_long(path, &type);
	return err ? err : type;
}

/**
 * read_pmu_file() - Read a small file of a PMU, without its newline
 * @pmu: Name of the PMU.
 * @file: The file.
 * @text: Where the text goes.
 * @size: Bytes of @text.
 *
 * Return: The length of what the file contains, or a negative errno.
 */
int read_pmu_file(const char *pmu, const char *file, char *text, size_t size)
{
	char path[1024];
	int len;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s", pmu, file);
	len = file_read(path, text, size);
	if (len > 0)
		text[strcspn(text, "\n")] = '\0';
	return len;
}

/* Read the CPUs of a PMU that is read on some only. Return how many; the first are in @cpus. */
static int read_readers(const char *pmu, int *cpus, int most)
{
	char text[256], *at = text;
	int nr = 0, cpu, last;

	if (read_pmu_file(pmu, "cpumask", text, sizeof(text)) <= 0)
		return 0;
	while (*at >= '0' && *at <= '9') {
		cpu = strtol(at, &at, 10);
		last = *at == '-' ? strtol(at + 1, &at, 10) : cpu;
		for (; cpu <= last; cpu++, nr++)
			if (nr < most)
				cpus[nr] = cpu;
		at += *at == ',';
	}
	return nr;
}

/**
 * pmu_reader_cpu() - Tell on which CPU a PMU of a package is read
 * @pmu: Name of the PMU.
 * @n: The package, from 0; less than 64.
 *
 * Return: The nth CPU of the PMU's cpumask, or -1.
 */
int pmu_reader_cpu(const char *pmu, int n)
{
	int cpus[64];

	return n < read_readers(pmu, cpus, 64) ? cpus[n] : -1;
}

/**
 * pmu_nr_readers() - Tell on how many CPUs a PMU is read
 * @pmu: Name of the PMU.
 *
 * Return: The number of CPUs in the PMU's cpumask; 0 without one.
 */
int pmu_nr_readers(const char *pmu)
{
	return read_readers(pmu, NULL, 0);
}

/**
 * find_pmuv3() - Find a PMUv3
 *
 * Return: Its name, or NULL.
 */
const char *find_pmuv3(void)
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

/**
 * find_x86_core_pmu() - Find a core PMU of x86
 *
 * Return: The name of the PMU, or of the PMU of the largest kind of cores that is there, or NULL.
 */
const char *find_x86_core_pmu(void)
{
	static const char * const names[] = { "cpu", "cpu_core", "cpu_atom", "cpu_lowpower" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (pmu_type(names[i]) >= 0)
			return names[i];
	}
	return NULL;
}

/**
 * rdpmc_file() - Find the file that says which tasks of x86 may read counters
 *
 * All kinds of cores have one policy, with a file for each.
 *
 * Return: Its path, or "" without a core PMU.
 */
const char *rdpmc_file(void)
{
	static char path[64];
	const char *pmu = find_x86_core_pmu();

	if (pmu)
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/rdpmc", pmu);
	return path;
}
