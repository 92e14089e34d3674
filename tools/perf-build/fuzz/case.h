/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors with fixed numbers, in all processes of a case. */
#ifndef CASE_H
#define CASE_H

#define SHARED_FD	100
#define SCRATCH_FD	101
#define KCOV_FD		110

/* where the processes of a case are, and below it two more groups; the one of world.c */
#define CASE_CGROUP	"/sys/fs/cgroup/abi-diff"

#endif /* CASE_H */
