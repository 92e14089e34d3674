// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "tries.h"

/**
 * show_tries() - Print how many tries were needed, if one was not enough
 * @fixture: The fixture of the test, as the harness names it: "global" without one.
 * @test: The test.
 * @nr: The try that succeeded, from 1 on; @limit if none did.
 * @limit: The most tries that were permitted.
 *
 * The line is written at once: a child that is forked later must not write it again, and a test
 * ends by _exit().
 */
void show_tries(const char *fixture, const char *test, int nr, int limit)
{
	if (nr <= 1)
		return;
	printf("# tries: %s.%s: %d of %d\n", fixture, test, nr, limit);
	fflush(stdout);
}
