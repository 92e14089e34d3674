/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs have a core PMU, see pmu.c.
 */
#ifndef _X86_EVENTS_PMU_H
#define _X86_EVENTS_PMU_H

#include "../counters/hw.h"

const char *x86_core_without_driver(const struct x86_hw_identity *id);

#endif /* _X86_EVENTS_PMU_H */
