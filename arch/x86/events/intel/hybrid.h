/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's CPUs with two kinds of cores.
 */
#ifndef _X86_EVENTS_INTEL_HYBRID_H
#define _X86_EVENTS_INTEL_HYBRID_H

#include "../archperfmon.h"

int intel_core_describe(struct x86_core_pmu *core, struct x86_event_code *codes);
bool intel_is_hybrid(void);
int intel_hybrid_detect(void);

#endif /* _X86_EVENTS_INTEL_HYBRID_H */
