// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"
#include "perf_test.h"

/**
 * cgroup_make() - Make a control group below the root
 * @name: Its name. The caller's pid is appended.
 * @path: Where the path of its directory goes.
 * @size: Bytes of @path.
 *
 * Groups have no perf_event side until the root delegates a controller, as user space
 * usually has it do at boot. So the root delegates all that it can.
 *
 * Return: 0, or a negative errno.
 */
int cgroup_make(const char *name, char *path, size_t size)
{
	char names[256], text[260];

	if (file_read(CGROUPFS "/cgroup.controllers", names, sizeof(names)) < 0)
		return -ENOENT;
	names[strcspn(names, "\n ")] = '\0';
	snprintf(text, sizeof(text), "+%s", names);
	file_write(CGROUPFS "/cgroup.subtree_control", text);
	snprintf(path, size, CGROUPFS "/%s_%d", name, getpid());
	return mkdir(path, 0755) ? -errno : 0;
}

/**
 * cgroup_write() - Write to a file of a control group
 * @dir: The group's directory.
 * @name: Name of the file.
 * @text: What is written.
 *
 * Return: 0, or a negative errno.
 */
int cgroup_write(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return file_write(path, text);
}

/**
 * cgroup_enter() - Move a task into a control group
 * @dir: The group's directory.
 * @pid: The task.
 *
 * Return: 0, or a negative errno.
 */
int cgroup_enter(const char *dir, pid_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	return file_write_long(path, pid);
}

/**
 * cgroup_remove() - Remove a control group
 * @path: Its directory. The last task may still be about to exit.
 *
 * Return: 0, or a negative errno.
 */
int cgroup_remove(const char *path)
{
	int err = 0;

	COMES_TRUE((err = rmdir(path) ? -errno : 0) != -EBUSY);
	return err;
}
