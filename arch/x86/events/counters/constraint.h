/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of tables that say which counters can count an event, and which events need an
 * extra register. The core PMU and the stand-alone drivers share them.
 */
#ifndef _X86_EVENTS_CONSTRAINT_H
#define _X86_EVENTS_CONSTRAINT_H

#include <linux/bitops.h>
#include <linux/types.h>
#include <asm/perf_event.h>

/**
 * struct event_constraint - events that not every counter can count
 * @code: event select value
 * @cmask: bits of the event select that are compared with @code
 * @idxmsk64: mask of counters; counters that do not exist are ignored
 * @idxmsk: @idxmsk64 as a bitmap
 * @weight: number of counters
 *
 * The first row that matches applies. An event without a matching row can use all
 * general purpose counters. A table ends with a @cmask of 0.
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
 * event_constraint_find() - find the row of an event
 * @row: the first row of a table, or NULL
 * @config: event select value
 *
 * Return: the row, NULL if none matches.
 */
static inline const struct event_constraint *
event_constraint_find(const struct event_constraint *row, u64 config)
{
	for (; row && row->cmask; row++) {
		if ((config & row->cmask) == row->code)
			return row;
	}
	return NULL;
}

/**
 * struct extra_reg - events that need a register beside their counter
 * @event: event select value
 * @config_mask: bits of the event select that are compared with @event
 * @msr: the extra register
 * @valid_mask: bits that may be set in @msr
 * @field: sysfs format that names attr.config1; in tables of the core PMU
 * @other: distance to the row of an equivalent event with another register; 0 if there
 *	is none; in tables of the core PMU
 * @idx: number of the register in the driver; in tables of stand-alone drivers
 *
 * A table ends with an @msr of 0. Of two equivalent rows the core PMU tries the second
 * one first. So the row of the register that takes more values comes first.
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
