// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of a CPU that record branches, of which one can be used at a time: last
 * branch records, branch trace store, processor trace. Each counts its events on the
 * whole machine, and none is added while another part has some.
 *
 * Task context.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include "standalone.h"

static DEFINE_MUTEX(exclusive_mutex);

/* Events of each part, under exclusive_mutex. */
static unsigned int exclusive_users[x86_lbr_exclusive_max];

/**
 * x86_add_exclusive() - an event of a part that records branches is made
 * @what: x86_lbr_exclusive_*
 *
 * Context: task, may sleep.
 * Return: 0, -EBUSY if there are events of another part.
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
 * x86_del_exclusive() - an event of a part that records branches is gone
 * @what: as it was added
 *
 * Context: task, may sleep.
 */
void x86_del_exclusive(unsigned int what)
{
	guard(mutex)(&exclusive_mutex);
	if (!WARN_ON_ONCE(!exclusive_users[what]))
		exclusive_users[what]--;
}
