// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>

#include "perf_test.h"
#include "sigtrap.h"

__thread volatile int trap_hits;
__thread struct trap traps[MAX_TRAPS];
atomic_int trap_all_hits;
atomic_int trap_strays;
void (*volatile trap_in_handler)(void);
int disabled_on_trap;

static void on_trap(int signo, siginfo_t *info, void *context)
{
	int hit = trap_hits;

	if (info->si_code != TRAP_PERF) {
		atomic_fetch_add(&trap_strays, 1);
		return;
	}
	if (hit < MAX_TRAPS)
		memcpy(&traps[hit], &info->si_addr, sizeof(struct trap));
	trap_hits = hit + 1;
	atomic_fetch_add(&trap_all_hits, 1);
	if (trap_in_handler)
		trap_in_handler();
}

/**
 * touch_stack() - Fault in the stack below the caller
 */
__attribute__((noinline)) void touch_stack(void)
{
	volatile char stack[32 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

/**
 * trap_prepare() - Install the handler and leave nothing that faults
 *
 * Return: 0, or a negative errno.
 */
int trap_prepare(void)
{
	struct sigaction action = {
		.sa_sigaction = on_trap,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	int ret;

	if (sigaction(SIGTRAP, &action, NULL))
		return -errno;
	ret = stay_resident();
	touch_stack();
	return ret;
}

/**
 * block_trap() - Block or unblock SIGTRAP for the calling thread
 * @block: True to block.
 */
void block_trap(bool block)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/**
 * disable_on_trap() - Disable disabled_on_trap
 *
 * A function for trap_in_handler.
 */
void disable_on_trap(void)
{
	perf_disable(disabled_on_trap);
}
