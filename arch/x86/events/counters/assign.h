/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which user is assigned to which counter. Bookkeeping only: registers are written later.
 */
#ifndef _X86_EVENTS_ASSIGN_H
#define _X86_EVENTS_ASSIGN_H

#include <linux/types.h>
#include <asm/perf_event.h>

/**
 * struct x86_assignment - the users of counters
 * @taken: mask of counters that have a user
 * @second: subset of @taken: upper counters of pairs
 * @user: the user by counter, valid where @taken is set
 * @allowed: by counter, the mask of counters that can serve its user
 */
struct x86_assignment {
	u64	taken;
	u64	second;
	void	*user[X86_PMC_IDX_MAX];
	u64	allowed[X86_PMC_IDX_MAX];
};

u64 x86_assign_counter(struct x86_assignment *assign, void *user, u64 allowed);
u64 x86_assign_pair(struct x86_assignment *assign, void *user, u64 allowed);
bool x86_assign_fits(const struct x86_assignment *assign, u64 allowed);
bool x86_assign_move(struct x86_assignment *assign, unsigned int counter, unsigned int to);
void x86_assign_release(struct x86_assignment *assign, unsigned int counter);
int x86_assign_find(const struct x86_assignment *assign, const void *user);

#endif /* _X86_EVENTS_ASSIGN_H */
