// SPDX-License-Identifier: GPL-2.0
#include "tracing.h"
#include "perf_test.h"

/**
 * tracepoint_id() - Get the number of a tracepoint
 * @name: Its name, like "task/task_rename".
 *
 * Return: The number, or a negative errno.
 */
long tracepoint_id(const char *name)
{
	char path[256];
	long id;
	int err;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/id", name);
	err = file_read_long(path, &id);
	return err ? err : id;
}

/**
 * tracepoint_field() - Find a field in the raw data of a tracepoint
 * @name: The tracepoint.
 * @field: The field.
 * @offset: Where its offset goes.
 * @size: Where its size goes.
 *
 * Return: 0, or a negative errno.
 */
int tracepoint_field(const char *name, const char *field, int *offset,
		     int *size)
{
	char path[256], buf[8192], end[2][64], *line, *hit, *rest;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/format", name);
	if (file_read(path, buf, sizeof(buf)) < 0)
		return -ENOENT;
	snprintf(end[0], sizeof(end[0]), " %s;", field);
	snprintf(end[1], sizeof(end[1]), " %s[", field);
	for (line = strtok_r(buf, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!strstr(line, end[0]) && !strstr(line, end[1]))
			continue;
		hit = strstr(line, "offset:");
		if (hit && sscanf(hit, "offset:%d; size:%d", offset, size) == 2)
			return 0;
	}
	return -ENOENT;
}

/**
 * kernel_symbol() - Get the address of a kernel symbol
 * @name: The symbol.
 *
 * Return: The address, or 0 if it cannot be found.
 */
__u64 kernel_symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t len = strlen(name);
	__u64 found = 0;
	char line[512];

	/* 16 digits, a letter and the name, each behind a space. */
	while (f && !found && fgets(line, sizeof(line), f))
		if (!strncmp(line + 19, name, len) && line[19 + len] == '\n')
			found = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return found;
}

/**
 * is_kernel_address() - Tell whether an address is in the kernel's half
 * @addr: The address.
 *
 * Return: True if it is.
 */
bool is_kernel_address(__u64 addr)
{
#ifdef __s390x__
	/* Each mode has an address space of its own. */
	static __u64 begin, end;

	begin = begin ?: kernel_symbol("_stext");
	end = end ?: kernel_symbol("_end");
	return addr >= begin && addr < end;
#else
	return (__s64)addr < 0;
#endif
}

/**
 * file_offset() - Find where code is in the file that is mapped there
 * @code: A function.
 *
 * Return: The offset that a uprobe needs, or 0.
 */
unsigned long file_offset(const void *code)
{
	unsigned long start, end, offset, found = 0, addr = (unsigned long)code;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	if (maps)
		fclose(maps);
	return found;
}
