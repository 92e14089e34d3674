// SPDX-License-Identifier: GPL-2.0
#include "perf_test.h"

/**
 * file_read() - Read a small file into a string
 * @path: The file.
 * @buf: Where the text goes.
 * @size: Bytes of @buf, the terminating NUL included.
 *
 * Return: The length of the text, or a negative errno.
 */
int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len >= 0)
		buf[len] = '\0';
	return len;
}

/**
 * file_write() - Write a string to a file
 * @path: The file, which must exist.
 * @text: The string.
 *
 * Return: 0, or a negative errno.
 */
int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	if (len < 0)
		len = -errno;
	close(fd);
	return len < 0 ? len : 0;
}

/**
 * file_read_long() - Read a decimal number from a file
 * @path: The file.
 * @value: Where the number goes.
 *
 * Return: 0, or a negative errno.
 */
int file_read_long(const char *path, long *value)
{
	char buf[64];
	int len = file_read(path, buf, sizeof(buf));

	if (len < 0)
		return len;
	return sscanf(buf, "%ld", value) == 1 ? 0 : -EINVAL;
}

/**
 * file_write_long() - Write a decimal number to a file
 * @path: The file, which must exist.
 * @value: The number.
 *
 * Return: 0, or a negative errno.
 */
int file_write_long(const char *path, long value)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%ld", value);
	return file_write(path, buf);
}

/**
 * folder_read_long() - Read a decimal number from a file of a folder
 * @folder: The folder.
 * @file: The file.
 *
 * Return: The number; -1 if there is none.
 */
long folder_read_long(const char *folder, const char *file)
{
	char path[PATH_MAX];
	long value = -1;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	file_read_long(path, &value);
	return value;
}

/**
 * folder_write_long() - Write a decimal number to a file of a folder
 * @folder: The folder.
 * @file: The file, which must exist.
 * @value: The number.
 *
 * Return: 0, or a negative errno.
 */
int folder_write_long(const char *folder, const char *file, long value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return file_write_long(path, value);
}

/**
 * file_inode() - Get the inode number of a file
 * @path: The file. The inode number of a control group's directory is its id.
 *
 * Return: The number, or 0 if there is no such file.
 */
__u64 file_inode(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}
