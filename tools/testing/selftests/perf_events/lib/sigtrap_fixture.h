/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fixture of programs that test signals of events: one event, and no stray signals at the end.
 */
#ifndef PERF_TEST_SIGTRAP_FIXTURE_H
#define PERF_TEST_SIGTRAP_FIXTURE_H

#include <unistd.h>

#include "harness.h"
#include "sigtrap.h"

FIXTURE(trap)
{
	int fd;
};

FIXTURE_SETUP(trap)
{
	self->fd = -1;
	ASSERT_EQ(0, trap_prepare());
}

FIXTURE_TEARDOWN(trap)
{
	close(self->fd);
	EXPECT_EQ(0, atomic_load(&trap_strays));
}

#endif /* PERF_TEST_SIGTRAP_FIXTURE_H */
