/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that do not count, see counting.c.
 */
#ifndef _X86_EVENTS_COUNTING_H
#define _X86_EVENTS_COUNTING_H

#include "../counters/core_pmu.h"

/* What a counter gets before it is tried. It is positive in 32 bits. */
#define X86_TRIAL_VALUE	0x5a5a5a5ULL

/**
 * struct x86_trial - what the trial of a counter has shown
 * @faults: an access to its registers faults
 * @read: what was read after X86_TRIAL_VALUE was written
 * @enabled: its enable bits were read as they were written
 * @moved: by how much it moved while code was executed
 * @sure: the counter had an event that occurs in any code
 */
struct x86_trial {
	bool	faults;
	u64	read;
	bool	enabled;
	u64	moved;
	bool	sure;
};

bool x86_counting_passes(const struct x86_trial *trial, bool all);
u64 x86_counting_try(struct x86_core_pmu *core);
void x86_counting_note(struct x86_core_pmu *core);

#endif /* _X86_EVENTS_COUNTING_H */
