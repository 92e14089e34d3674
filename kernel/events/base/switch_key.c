// SPDX-License-Identifier: GPL-2.0
/*
 * The static key that lets the scheduler call perf_switch_out() and perf_switch_in().
 */
#include "contexts.h"

/*
 * Enabled while a task or cgroup may have to be switched. Disabled one second after the
 * last use: patching the scheduler's text costs more than the calls.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(perf_switch_key, HZ);

/**
 * perf_switch_key_inc() - enable perf_switch_out() and perf_switch_in() in the scheduler
 *
 * On return the calls are enabled on every CPU. The grace period ends switches that had
 * already tested the key.
 *
 * Context: task, may sleep.
 */
void perf_switch_key_inc(void)
{
	struct static_key *key = &perf_switch_key.key.key;

	if (static_key_fast_inc_not_disabled(key))
		return;

	/* The key was off, or is being enabled concurrently. */
	static_key_slow_inc(key);
	synchronize_rcu();
}

/**
 * perf_switch_key_dec() - undo perf_switch_key_inc()
 *
 * Context: task.
 */
void perf_switch_key_dec(void)
{
	static_branch_slow_dec_deferred(&perf_switch_key);
}
