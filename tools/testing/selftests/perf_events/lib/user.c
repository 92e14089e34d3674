// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>

#include "perf_test.h"
#include "user.h"

#define PROGRAM_DIR	"/tmp/perf_test_setuid"
#define PROGRAM		PROGRAM_DIR "/program"

/**
 * user_set_caps() - Set the capabilities of the calling thread
 * @caps: A bit for each effective and permitted capability.
 *
 * Return: 0, or a negative errno.
 */
int user_set_caps(__u64 caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/**
 * user_become() - Become an ordinary user with some capabilities
 * @uid: The user, and its group.
 * @caps: A bit for each capability that is kept.
 *
 * A change of the user makes a task undumpable. A login makes it dumpable again, and so
 * does this function.
 *
 * Return: 0, or a negative errno.
 */
int user_become(uid_t uid, __u64 caps)
{
	int err;

	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	err = user_set_caps(caps);
	if (err)
		return err;
	if (prctl(PR_SET_DUMPABLE, 1) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return 0;
}

/**
 * user_who_forks() - Fork a child without privilege, which forks in turn
 * @go: Where it waits before.
 *
 * Return: The child. Its exit status is 0, or the errno of its fork(2).
 */
pid_t user_who_forks(struct gate *go)
{
	pid_t pid = fork_child(), child;

	if (pid)
		return pid;
	if (user_become(USER_OTHER, 0))
		_exit(250);
	gate_wait(go);
	child = fork();
	if (!child)
		_exit(0);
	_exit(child < 0 ? errno : -wait_status(child));
}

/**
 * user_namespace_root() - Become root of a new user namespace
 *
 * Return: 0, or a negative errno.
 */
int user_namespace_root(void)
{
	char map[32];

	snprintf(map, sizeof(map), "0 %u 1", getuid());
	if (unshare(CLONE_NEWUSER))
		return -errno;
	return file_write("/proc/self/uid_map", map);
}

static int copy_self(const char *path, mode_t mode)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to, err = 0;
	struct stat st;

	if (from < 0 || fstat(from, &st))
		return -errno;
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (to < 0)
		return -errno;
	while (st.st_size > 0 && !err) {
		ssize_t len = sendfile(to, from, NULL, st.st_size);

		if (len <= 0)
			err = -EIO;
		st.st_size -= len;
	}
	if (!err && fchmod(to, mode))
		err = -errno;
	close(from);
	close(to);
	return err;
}

/* The file system is one of its own, because others may be mounted without setuid. */
static int program_new(char *path, size_t size, mode_t mode)
{
	if (mkdir(PROGRAM_DIR, 0755) && errno != EEXIST)
		return -errno;
	if (mount("tmpfs", PROGRAM_DIR, "tmpfs", 0, "mode=0755"))
		return -errno;
	snprintf(path, size, "%s", PROGRAM);
	return copy_self(PROGRAM, mode);
}

/**
 * user_setuid_program() - Make a copy of the running program that is setuid root
 * @path: Its path.
 * @size: Bytes of @path.
 *
 * Return: 0, or a negative errno.
 */
int user_setuid_program(char *path, size_t size)
{
	return program_new(path, size, 04755);
}

/**
 * user_capable_program() - Make a copy of the running program that has capabilities
 * @path: Its path.
 * @size: Bytes of @path.
 * @caps: A bit for each capability, which is permitted and effective.
 *
 * user_setuid_program_remove() undoes it.
 *
 * Return: 0, or a negative errno.
 */
int user_capable_program(char *path, size_t size, __u64 caps)
{
	struct vfs_cap_data data = {
		.magic_etc = htole32(VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE),
		.data = { { .permitted = htole32(caps) }, { .permitted = htole32(caps >> 32) } },
	};
	int err = program_new(path, size, 0755);

	if (!err && setxattr(path, "security.capability", &data, sizeof(data), 0))
		err = -errno;
	return err;
}

/**
 * user_setuid_program_remove() - Undo user_setuid_program()
 */
void user_setuid_program_remove(void)
{
	umount2(PROGRAM_DIR, MNT_DETACH);
	rmdir(PROGRAM_DIR);
}

/**
 * user_program_new() - Make the pipes of a program
 *
 * Return: The pipes.
 */
struct user_program user_program_new(void)
{
	struct user_program run;

	if (pipe(run.to) || pipe(run.from)) {
		perror("pipe");
		exit(1);
	}
	return run;
}

/**
 * user_program_exec() - Execute the program in a child, which does not return
 * @run: The pipes.
 * @path: The program.
 */
void user_program_exec(struct user_program *run, const char *path)
{
	char rd[16], wr[16];

	snprintf(rd, sizeof(rd), "%d", run->to[0]);
	snprintf(wr, sizeof(wr), "%d", run->from[1]);
	close(run->to[1]);
	execl(path, "program", "--orders", rd, wr, NULL);
	_exit(94);
}

/**
 * user_program_begun() - Wait until the program runs
 * @run: The pipes, in the parent.
 *
 * Return: The program runs as root.
 */
bool user_program_begun(struct user_program *run)
{
	char as = 0;

	close(run->to[0]);
	close(run->from[1]);
	return read(run->from[0], &as, 1) == 1 && as == 'r';
}

/**
 * user_program_faults() - Let the program cause page faults, and wait until it has
 * @run: The pipes.
 * @pages: So many.
 *
 * Return: false if the program has ended.
 */
bool user_program_faults(struct user_program *run, int pages)
{
	char done;

	return write(run->to[1], &pages, sizeof(pages)) == sizeof(pages) &&
	       read(run->from[0], &done, 1) == 1;
}

/**
 * user_program_end() - Let the program exit
 * @run: The pipes, which are closed.
 */
void user_program_end(struct user_program *run)
{
	close(run->to[1]);
	close(run->from[0]);
}

/**
 * user_program_main() - Be the program, if user_program_exec() has executed it
 * @argc: Of main().
 * @argv: Of main().
 */
void user_program_main(int argc, char **argv)
{
	int rd, wr, pages;

	if (argc != 4 || strcmp(argv[1], "--orders"))
		return;
	rd = atoi(argv[2]);
	wr = atoi(argv[3]);
	/* Pages that are there already are no faults of the load. */
	fault_pages(1);
	if (write(wr, geteuid() ? "u" : "r", 1) != 1)
		_exit(1);
	while (read(rd, &pages, sizeof(pages)) == sizeof(pages)) {
		fault_pages(pages);
		if (write(wr, "d", 1) != 1)
			_exit(1);
	}
	_exit(0);
}
