/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a core PMU, see sysfs.c.
 */
#ifndef _X86_EVENTS_SYSFS_H
#define _X86_EVENTS_SYSFS_H

#include "../counters/core_pmu.h"

void x86_core_sysfs_init(struct x86_core_pmu *core);

#endif /* _X86_EVENTS_SYSFS_H */
