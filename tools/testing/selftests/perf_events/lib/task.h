/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks: children, gates that they wait at, and programs to exec.
 */
#ifndef PERF_TEST_TASK_H
#define PERF_TEST_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct gate - A pipe at which one task waits for another
 * @rd: The end of the task that waits.
 * @wr: The end of the task that opens the gate.
 */
struct gate {
	int rd;
	int wr;
};

/**
 * struct rounds - A loop in another thread or child, and how far it is
 * @done: The number of rounds so far.
 * @ended: The loop has ended.
 * @stop: The loop must end.
 *
 * The loop is
 *
 *	while (rounds_go_on(&r)) {
 *		...
 *		rounds_add(&r);
 *	}
 *	rounds_end(&r);
 *
 * and can be left early with break. A child needs rounds_shared().
 */
struct rounds {
	atomic_ulong done;
	atomic_bool ended;
	atomic_bool stop;
};

/* In place of TEST_HARNESS_MAIN, for programs that use perf_exec_touch(). */
#define PERF_TEST_EXEC_MAIN					\
	int main(int argc, char **argv)				\
	{							\
		perf_exec_main(argc, argv);			\
		return test_harness_run(argc, argv);		\
	}

struct gate gate_new(void);
void gate_open(struct gate *g);
void gate_wait(struct gate *g);
void gate_wait_for_child(struct gate *g);

struct rounds *rounds_shared(void);
bool rounds_go_on(struct rounds *r);
void rounds_add(struct rounds *r);
void rounds_end(struct rounds *r);
void rounds_stop(struct rounds *r);
bool rounds_pass(struct rounds *r, unsigned long nr);

pid_t fork_child(void);
int wait_status(pid_t pid);
void wait_all(void);
bool wait_off_cpu(pid_t pid);
bool is_asleep(pid_t pid);
bool wait_asleep(pid_t pid);
void kill_child(pid_t pid);
pid_t echo_child(struct gate *to, struct gate *from);

int send_fd(int sock, int fd);
int receive_fd(int sock);

void perf_exec_touch(int pages);
void perf_exec_main(int argc, char **argv);

long switches_of(int who);
void switch_out(int times);
void rename_self(int times);
long faults_of_pid(pid_t pid);

#endif /* PERF_TEST_TASK_H */
