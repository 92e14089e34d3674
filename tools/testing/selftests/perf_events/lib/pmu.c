// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>

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
