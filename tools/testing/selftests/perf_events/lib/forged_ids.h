/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids of events with a chosen sum of their hashes, if the hash has no secret key.
 */
#ifndef PERF_TEST_FORGED_IDS_H
#define PERF_TEST_FORGED_IDS_H

#include <linux/types.h>

/* The number of ids of a sum, and the range in which they are. */
#define FORGED_IDS	16
#define FORGED_RANGE	3520

int forge_ids(__u64 from, __u64 sum, __u64 *ids);

#endif /* PERF_TEST_FORGED_IDS_H */
