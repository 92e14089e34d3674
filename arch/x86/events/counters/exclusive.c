// SPDX-License-Identifier: GPL-2.0
/*
 * Mutual exclusion of the branch recording facilities: last branch records, branch trace
 * store and processor trace. Only one of them can be in use on the machine. The events
 * of each are counted here, and an event is refused while another facility has events.
 *
 * Context: task.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include "../standalone.h"

static DEFINE_MUTEX(exclusive_mutex);

/* Number of events by facility. Protected by exclusive_mutex. */
static unsigned int exclusive_users[x86_lbr_exclusive_max];

/**
 * x86_add_exclusive() - reserve a branch recording facility for an event
 * @what: x86_lbr_exclusive_*
 *
 * Context: task, may sleep.
 * Return: 0, -EBUSY if another facility has events.
 */
int x86_add_exclusive(unsigned int what)
{
	unsigned int other;

	guard(mutex)(&exclusive_mutex);
	for (other = 0; other < ARRAY_SIZE(exclusive_users); other++) {
		if (other != what && exclusive_users[other])
			return -EBUSY;
	}
	exclusive_users[what]++;
	return 0;
}

/**
 * x86_del_exclusive() - undo x86_add_exclusive()
 * @what: x86_lbr_exclusive_*
 *
 * Context: task, may sleep.
 */
void x86_del_exclusive(unsigned int what)
{
	guard(mutex)(&exclusive_mutex);
	if (!WARN_ON_ONCE(!exclusive_users[what]))
		exclusive_users[what]--;
}
