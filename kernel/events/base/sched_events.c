// SPDX-License-Identifier: GPL-2.0
/*
 * The static key that lets the scheduler call perf_switch_out() and perf_switch_in().
 */
#include "contexts.h"

/*
 * On while a task or cgroup could have to be switched. Turned off a second
 * after the last use: patching the scheduler's text costs more than the switch.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(perf_sched_events, HZ);

/**
 * perf_sched_events_inc() - let the scheduler call perf_switch_out() and _in()
 *
 * Task context. On return every CPU does: a switch that had already looked at
 * the key is over.
 */
void perf_sched_events_inc(void)
{
	struct static_key *key = &perf_sched_events.key.key;

	if (static_key_fast_inc_not_disabled(key))
		return;

	/* It was off, or is being turned on by somebody else. */
	static_key_slow_inc(key);
	synchronize_rcu();
}

/**
 * perf_sched_events_dec() - undo perf_sched_events_inc(); task context
 */
void perf_sched_events_dec(void)
{
	static_branch_slow_dec_deferred(&perf_sched_events);
}
