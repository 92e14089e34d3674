/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness of the kselftests, with more time for a test.
 *
 * A test waits for events, however long they take. The timeout ends a test that hangs.
 */
#ifndef PERF_TEST_HARNESS_H
#define PERF_TEST_HARNESS_H

#include "../../kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600	/* seconds */

#endif /* PERF_TEST_HARNESS_H */
