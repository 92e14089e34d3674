/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other users: become one, with some capabilities, and a setuid program that waits for
 * orders:
 *
 *	struct user_program run = user_program_new();
 *
 *	if (fork_child() == 0)
 *		user_program_exec(&run, path);
 *	if (!user_program_begun(&run))
 *		...
 *	user_program_faults(&run, 100);
 *	user_program_end(&run);
 *
 * The main() of the test must call user_program_main().
 */
#ifndef PERF_TEST_USER_H
#define PERF_TEST_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "file.h"
#include "task.h"

#define USER_NOBODY	65534
#define USER_OTHER	65533

#define USER_CAP(_cap)	(1ULL << (_cap))

/**
 * struct user_program - A program that waits for orders
 * @to: Pipe of the orders.
 * @from: Pipe of the answers.
 */
struct user_program {
	int to[2];
	int from[2];
};

int user_set_caps(__u64 caps);
int user_become(uid_t uid, __u64 caps);
pid_t user_who_forks(struct gate *go);
int user_namespace_root(void);

int user_setuid_program(char *path, size_t size);
int user_capable_program(char *path, size_t size, __u64 caps);
void user_setuid_program_remove(void);

struct user_program user_program_new(void);
void user_program_exec(struct user_program *run, const char *path);
bool user_program_begun(struct user_program *run);
bool user_program_faults(struct user_program *run, int pages);
void user_program_end(struct user_program *run);
void user_program_main(int argc, char **argv);

#endif /* PERF_TEST_USER_H */
