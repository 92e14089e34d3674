/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encodings of the generic events on AMD's generations of cores.
 */
#ifndef _X86_EVENTS_AMD_EVENTS_H
#define _X86_EVENTS_AMD_EVENTS_H

#include "../counters/core_pmu.h"

/**
 * struct amd_events - the generic events of some families and models
 * @vendor: X86_VENDOR_*
 * @family: first family
 * @model: first model of that family
 * @codes: events that differ between generations
 */
struct amd_events {
	u8			vendor;
	u8			family;
	u8			model;
	const struct x86_event_code *codes;
};

extern const struct x86_event_code amd_common_codes[];

const struct amd_events *amd_events_of(const struct x86_hw_identity *id);

#endif /* _X86_EVENTS_AMD_EVENTS_H */
