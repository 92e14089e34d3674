/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who sits on which counter. Pure bookkeeping; the registers follow later.
 */
#ifndef _X86_EVENTS_ASSIGN_H
#define _X86_EVENTS_ASSIGN_H

#include <linux/types.h>
#include <asm/perf_event.h>

/**
 * struct x86_seating - users of counters, each on one that can serve it
 * @taken: mask of counters that have a user
 * @second: of these, the upper ones of two that serve one user together
 * @user: by counter, valid where @taken is set
 * @allowed: by counter: those that could serve its user
 */
struct x86_seating {
	u64	taken;
	u64	second;
	void	*user[X86_PMC_IDX_MAX];
	u64	allowed[X86_PMC_IDX_MAX];
};

u64 x86_seat_take(struct x86_seating *seats, void *user, u64 allowed);
u64 x86_seat_take_pair(struct x86_seating *seats, void *user, u64 allowed);
void x86_seat_leave(struct x86_seating *seats, unsigned int counter);
int x86_seat_of(const struct x86_seating *seats, const void *user);

#endif /* _X86_EVENTS_ASSIGN_H */
