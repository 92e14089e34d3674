/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which counters can count an event, and which events need a register beside their
 * counter: the rows of such tables. The core PMU and the stand-alone drivers
 * have them in common.
 */
#ifndef _X86_EVENTS_CONSTRAINT_H
#define _X86_EVENTS_CONSTRAINT_H

#include <linux/bitops.h>
#include <linux/types.h>
#include <asm/perf_event.h>

/**
 * struct event_constraint - events that not every counter can count
 * @code: event select value
 * @cmask: bits of it that must agree
 * @idxmsk64: mask of counters; those that do not exist are ignored
 * @idxmsk: the same as a bitmap
 * @weight: number of counters
 *
 * The first row that agrees is the one; without any, all general purpose
 * counters can count the event. A table ends with a @cmask of 0.
 */
struct event_constraint {
	u64			code;
	u64			cmask;
	union {
		u64		idxmsk64;
		unsigned long	idxmsk[BITS_TO_LONGS(X86_PMC_IDX_MAX)];
	};
	int			weight;
};

static_assert(sizeof(u64) == sizeof_field(struct event_constraint, idxmsk));

/* A row, by what the table says of it. */
#define __EVENT_CONSTRAINT(_code, _counters, _mask, _weight, ...)	\
	{								\
		.code		= (_code),				\
		.cmask		= (_mask),				\
		.idxmsk64	= (_counters),				\
		.weight		= (_weight),				\
	}
#define EVENT_CONSTRAINT(_code, _counters, _mask)			\
	__EVENT_CONSTRAINT(_code, _counters, _mask, HWEIGHT64((u64)(_counters)))
#define EVENT_CONSTRAINT_END	{ }

/**
 * struct extra_reg - events that need a register beside their counter
 * @event: event select value
 * @config_mask: bits of it that must agree
 * @msr: the register
 * @valid_mask: bits that may be set in it
 * @field: sysfs format that names attr.config1; the core PMU's tables only
 * @other: where in the table, from here, a row of another event and register is
 *	that counts the same; 0: there is none; the core PMU's tables only
 * @idx: the driver's own number of the register; stand-alone drivers only
 *
 * A table ends with an @msr of 0. Of two rows that will both do, the core PMU tries the
 * second one first, so the one that takes more values stands first.
 */
struct extra_reg {
	u64		event;
	u64		config_mask;
	u32		msr;
	u64		valid_mask;
	const char	*field;
	int		other;
	int		idx;
};

#endif /* _X86_EVENTS_CONSTRAINT_H */
