/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Charges for the memory of buffers and AUX areas.
 */
#ifndef _KERNEL_EVENTS_CHARGE_H
#define _KERNEL_EVENTS_CHARGE_H

#include <linux/list.h>

struct mm_struct;
struct user_struct;

/**
 * struct perf_buffer_charge - what one address space is charged for a buffer or an AUX area
 * @entry: on perf_buffer::charges or perf_aux_area::charges
 * @mm: the address space, charged with @pinned pages, referenced
 * @user: the user charged with @locked pages, referenced
 * @locked: number of pages charged to @user
 * @pinned: number of pages charged to pinned_vm of @mm
 * @nr_mappings: number of mappings in @mm
 */
struct perf_buffer_charge {
	struct list_head	entry;
	struct mm_struct	*mm;
	struct user_struct	*user;
	unsigned long		locked;
	unsigned long		pinned;
	unsigned int		nr_mappings;
};

struct perf_buffer_charge *perf_charge_make(struct mm_struct *mm, unsigned long pages);
void perf_charge_free(struct perf_buffer_charge *charge);
int perf_charge_get(struct list_head *charges, struct mm_struct *mm, unsigned long pages);
void perf_charge_put(struct list_head *charges, struct mm_struct *mm);
struct mm_struct *perf_charge_only_mm(const struct list_head *charges);

#endif /* _KERNEL_EVENTS_CHARGE_H */
