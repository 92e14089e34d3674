/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The domains of the PMU "power", and their energy units.
 */
#ifndef _X86_EVENTS_RAPL_H
#define _X86_EVENTS_RAPL_H

#include "../counters/hw.h"

/* Values of attr.config, which is ABI, minus one. */
enum rapl_domain_id {
	RAPL_CORES,
	RAPL_PACKAGE,
	RAPL_DRAM,
	RAPL_GPU,
	RAPL_PLATFORM,
	RAPL_DOMAINS,
};

#if IS_ENABLED(CONFIG_KUNIT)
u8 rapl_unit_of(const struct x86_hw_identity *id, enum rapl_domain_id domain, u64 units);
#endif

#endif /* _X86_EVENTS_RAPL_H */
