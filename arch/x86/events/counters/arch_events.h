/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encodings of the architectural events, and of those that only fixed counters count.
 */
#ifndef _X86_EVENTS_ARCH_EVENTS_H
#define _X86_EVENTS_ARCH_EVENTS_H

/* Event select values of the architectural events (SDM vol. 3, chapter 20). */
#define ARCH_CYCLES		0x003c
#define ARCH_INSTRUCTIONS	0x00c0
#define ARCH_REF_CYCLES		0x013c
#define ARCH_LLC_REFERENCES	0x4f2e
#define ARCH_LLC_MISSES		0x412e
#define ARCH_BRANCHES		0x00c4
#define ARCH_BRANCH_MISSES	0x00c5

/*
 * Pseudo encodings of events that only fixed counters count. User space finds them in
 * sysfs and in perf's event lists.
 */
#define FIXED_INSTRUCTIONS	0x0100
#define FIXED_CYCLES		0x0200
#define FIXED_REF_CYCLES	0x0300
#define FIXED_SLOTS		0x0400

/* Pseudo encoding of the first topdown metric; the others follow by unit mask. */
#define TOPDOWN_METRICS		0x8000

#endif /* _X86_EVENTS_ARCH_EVENTS_H */
