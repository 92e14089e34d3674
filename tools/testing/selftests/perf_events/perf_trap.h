/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for tests of attr.sigtrap: the handler, what it finds out, and the fixture
 * whose tests begin with no signal, nothing more to fault, and no event.
 */
#ifndef PERF_TRAP_H
#define PERF_TRAP_H

#include <pthread.h>
#include <stdatomic.h>

#include "perf_util.h"
#include "../kselftest_harness.h"

#ifndef TRAP_PERF
#define TRAP_PERF		6
#endif
#ifndef TRAP_PERF_FLAG_ASYNC
#define TRAP_PERF_FLAG_ASYNC	1
#endif

#define SIG_DATA		0x123456789abcdef0ULL
#define MAX_TRAPS		64
#define THREADS			16

#define TRAP_ATTR(_type, _config, ...)					\
	PERF_ATTR(_type, _config, .sample_period = 1, .disabled = 1,	\
		  .sigtrap = 1, .remove_on_exec = 1,			\
		  .sig_data = SIG_DATA, .exclude_kernel = 1, ##__VA_ARGS__)

/* What a signal says from si_addr on; C libraries know no si_perf_data. */
struct trap {
	unsigned long addr;
	unsigned long data;
	__u32 type;
	__u32 flags;
};

/* Of this thread: its signals, and what the first ones said. */
static __thread volatile int hits;
static __thread struct trap traps[MAX_TRAPS];
/* Of all threads; and signals that were not what they should be. */
static atomic_int all_hits;
static atomic_int strays;
/* What a handler is to do besides. */
static void (*volatile in_handler)(void);

static void on_trap(int signo, siginfo_t *info, void *context)
{
	int hit = hits;

	if (info->si_code != TRAP_PERF) {
		atomic_fetch_add(&strays, 1);
		return;
	}
	if (hit < MAX_TRAPS)
		memcpy(&traps[hit], &info->si_addr, sizeof(struct trap));
	hits = hit + 1;
	atomic_fetch_add(&all_hits, 1);
	if (in_handler)
		in_handler();
}

static __attribute__((noinline)) void touch_stack(void)
{
	volatile char stack[32 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

#define EXPECT_TRAP(_trap, _type, _addr, _flags) do {			\
	const struct trap *__trap = (_trap);				\
									\
	EXPECT_EQ((unsigned long)(_addr), __trap->addr);		\
	EXPECT_EQ((unsigned long)SIG_DATA, __trap->data);		\
	EXPECT_EQ((_type), __trap->type);				\
	EXPECT_EQ((_flags), __trap->flags);				\
} while (0)

/* What in_handler may be: the event is off once it has trapped. */
static int disabled_by_handler;

static void disable_in_handler(void)
{
	perf_disable(disabled_by_handler);
}

FIXTURE(trap)
{
	int fd;
};

FIXTURE_SETUP(trap)
{
	struct sigaction action = {
		.sa_sigaction = on_trap,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	self->fd = -1;
	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	ASSERT_EQ(0, stay_resident());
	touch_stack();
}

FIXTURE_TEARDOWN(trap)
{
	close(self->fd);
	EXPECT_EQ(0, atomic_load(&strays));
}

#endif /* PERF_TRAP_H */
