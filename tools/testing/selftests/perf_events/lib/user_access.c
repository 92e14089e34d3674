// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>

#include "hardware.h"
#include "perf_test.h"
#include "user_access.h"

/*
 * Of each architecture: fill in the attributes and the file. Return -ENODEV without a PMU that has
 * such counters.
 */
#if defined(__x86_64__)
static int find_readable(struct user_access *access)
{
	access->attr = PERF_HW(INSTRUCTIONS, .exclude_kernel = 1);
	access->file = rdpmc_file();
	return perf_try_self(access->attr) == -ENOENT ? -ENODEV : 0;
}
#elif defined(__aarch64__)
static int find_readable(struct user_access *access)
{
	const char *name = find_pmuv3();

	if (!name)
		return -ENODEV;
	access->attr = PERF_ATTR(pmu_type(name), PMUV3_CYCLES, .config1 = PMUV3_RDPMC);
	access->file = USER_ACCESS_SYSCTL;
	return 0;
}
#else
static int find_readable(struct user_access *access)
{
	return -ENODEV;
}
#endif

/**
 * user_access_allow() - Find an event whose counter programs can read, and allow that they do
 * @access: The result, for user_access_restore(), in any case.
 *
 * With several kinds of cores the caller is bound to the CPUs of the kind that has the counter.
 *
 * Return: 0, -ENODEV if no CPU of the caller's has such a counter, or another negative errno.
 */
int user_access_allow(struct user_access *access)
{
	const char *file;
	int err;

	*access = (struct user_access){};
	err = find_readable(access);
	file = access->file;
	access->file = NULL;
	if (!err)
		err = stay_where_it_counts(access->attr);
	if (!err)
		err = file_read_long(file, &access->before);
	if (err)
		return err;
	access->file = file;
	return file_write_long(file, 1);
}

/**
 * user_access_restore() - Undo user_access_allow(), but for the CPUs
 * @access: Its result.
 */
void user_access_restore(const struct user_access *access)
{
	if (access->file)
		file_write_long(access->file, access->before);
}

static sigjmp_buf refused;

static void leave_register(int number)
{
	siglongjmp(refused, number);
}

/**
 * try_register() - Read a counter, and catch the signal if that is not permitted
 * @index: As for read_register().
 *
 * Return: The signal that the caller got, or 0.
 */
int try_register(unsigned int index)
{
	int number = sigsetjmp(refused, 1);

	if (!number) {
		signal(SIGSEGV, leave_register);
		signal(SIGILL, leave_register);
		read_register(index);
	}
	signal(SIGSEGV, SIG_DFL);
	signal(SIGILL, SIG_DFL);
	return number;
}

/**
 * load_address_space() - Let the CPU of the caller load another address space, and this one again
 *
 * A CPU of x86 looks then whether the program may read counters.
 */
void load_address_space(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/**
 * permission_is() - Check the permission that a mapping gives its program
 * @mapped: This program has such a mapping.
 *
 * On arm64 mappings give no permission: hw_user_access.c tests what a task may.
 *
 * Return: On x86 whether this program may read counters if @mapped, and not otherwise. True
 * elsewhere.
 */
#if defined(__x86_64__)
bool permission_is(bool mapped)
{
	load_address_space();
	return !try_register(ANY_REGISTER) == mapped;
}
#else
bool permission_is(bool mapped)
{
	return true;
}
#endif
