/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private header of the x86 PMU drivers, with two users elsewhere: arch/x86/xen/pmu.c
 * calls x86_pmu.handle_irq, and resctrl's pseudo_lock.c builds raw events with
 * X86_CONFIG(). The stand-alone drivers include it for standalone.h.
 */
#ifndef _X86_EVENTS_PERF_EVENT_H
#define _X86_EVENTS_PERF_EVENT_H

#include <linux/perf_event.h>
#include "standalone.h"

/**
 * union x86_pmu_config - an event select value
 * @value: the whole value, as in attr.config of a raw event
 * @bits: the fields of Intel and AMD
 */
union x86_pmu_config {
	u64 value;
	struct {
		u64	event : 8,
			umask : 8,
			user : 1,
			kernel : 1,
			edge : 1,
			pin_control : 1,
			interrupt : 1,
			any_thread : 1,
			enable : 1,
			invert : 1,
			cmask : 8,
			event_high : 4,		/* AMD: bits 8 to 11 of event */
			reserved : 4,
			guest_only : 1,		/* AMD */
			host_only : 1;		/* AMD */
	} bits;
};

static_assert(sizeof(union x86_pmu_config) == sizeof(u64));

/* X86_CONFIG(.event = 0xd1, .umask = 0x10): a value for attr.config */
#define X86_CONFIG(...)		\
	(((union x86_pmu_config) { .bits = { __VA_ARGS__ } }).value)

/**
 * struct x86_pmu - the core PMU
 * @name: name of the first core PMU; NULL if there is none
 * @handle_irq: handles the overflows of this CPU's counters and returns their number.
 *	Called in NMI, by Xen in a hard interrupt. Never NULL, because Xen does not check.
 */
struct x86_pmu {
	const char	*name;
	int		(*handle_irq)(struct pt_regs *regs);
};

extern struct x86_pmu x86_pmu;

unsigned long x86_segment_base(u16 selector);

#endif /* _X86_EVENTS_PERF_EVENT_H */
