/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals of events with attr.sigtrap.
 */
#ifndef PERF_TEST_SIGTRAP_H
#define PERF_TEST_SIGTRAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <linux/perf_event.h>

#include "event.h"

#ifndef TRAP_PERF
#define TRAP_PERF		6
#endif
#ifndef TRAP_PERF_FLAG_ASYNC
#define TRAP_PERF_FLAG_ASYNC	1
#endif

#define SIG_DATA		0x123456789abcdef0ULL
#define MAX_TRAPS		64

#define TRAP_ATTR(_type, _config, ...)					\
	PERF_ATTR(_type, _config, .sample_period = 1, .disabled = 1,	\
		  .sigtrap = 1, .remove_on_exec = 1,			\
		  .sig_data = SIG_DATA, .exclude_kernel = 1, ##__VA_ARGS__)

/**
 * struct trap - A siginfo from si_addr on, as C libraries know no si_perf_data
 * @addr: Address of the event's occurrence.
 * @data: attr.sig_data.
 * @type: attr.type.
 * @flags: TRAP_PERF_FLAG_*.
 */
struct trap {
	unsigned long addr;
	unsigned long data;
	__u32 type;
	__u32 flags;
};

/* The calling thread's signals, and what the first of them said. */
extern __thread volatile int trap_hits;
extern __thread struct trap traps[MAX_TRAPS];
/* The signals of all threads, and those that came from no event. */
extern atomic_int trap_all_hits;
extern atomic_int trap_strays;
/* A function for the handler to call, or NULL. */
extern void (*volatile trap_in_handler)(void);
/* The event of disable_on_trap(). */
extern int disabled_on_trap;

#define EXPECT_TRAP(_trap, _type, _addr, _flags) do {			\
	const struct trap *__trap = (_trap);				\
									\
	EXPECT_EQ((unsigned long)(_addr), __trap->addr);		\
	EXPECT_EQ((unsigned long)SIG_DATA, __trap->data);		\
	EXPECT_EQ((_type), __trap->type);				\
	EXPECT_EQ((_flags), __trap->flags);				\
} while (0)

int trap_prepare(void);
void block_trap(bool block);
void touch_stack(void);
void disable_on_trap(void);

#endif /* PERF_TEST_SIGTRAP_H */
