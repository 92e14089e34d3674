/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an administrator allows.
 */
#ifndef _KERNEL_EVENTS_SYSCTL_H
#define _KERNEL_EVENTS_SYSCTL_H

int perf_sample_rate_per_tick(void);

#endif /* _KERNEL_EVENTS_SYSCTL_H */
