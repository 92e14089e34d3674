// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of a sample that have to be looked up: registers, the user stack, pages.
 *
 * This file decides what an event may see. With exclude_kernel, no register, address or page
 * size of the kernel is shown, wherever the event overflowed.
 *
 * No function here faults, sleeps or takes a lock. Page tables are walked with irqs off, which
 * keeps them from being freed.
 *
 * Context: any, NMI included, preemption off.
 */
#include <linux/cleanup.h>
#include <linux/hardirq.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "../output/output.h"
#include "sample_fields.h"

/* True if current has a user space. It has none while it exits, or as a worker of the kernel. */
static bool perf_has_user_space(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/**
 * perf_sample_user_frame() - get the registers with which current left user space
 *
 * Return: the registers, or NULL without user space.
 */
struct pt_regs *perf_sample_user_frame(void)
{
	return perf_has_user_space() ? task_pt_regs(current) : NULL;
}

/* True for a kernel address, if @addr is an address at all. */
static bool perf_addr_is_kernel(u64 addr)
{
	return addr >= TASK_SIZE_MAX;
}

/**
 * perf_event_hides() - check whether an event's samples must not show an address
 * @event: the event
 * @addr: any address
 *
 * Return: true for a kernel address, if the event has exclude_kernel.
 */
bool perf_event_hides(const struct perf_event *event, u64 addr)
{
	return event->attr.exclude_kernel && perf_addr_is_kernel(addr);
}

/* REGS_USER and REGS_INTR: u64 abi; unless it is NONE, u64 per bit of the mask */

static unsigned int regs_size(const struct perf_regs *regs, u64 mask)
{
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return sizeof(u64);
	return sizeof(u64) * (1 + hweight64(mask));
}

/*
 * Extended registers are stored next to the registers of the interrupt, or to those that the
 * driver supplied. A frame on the stack has none.
 */
static void regs_put(struct perf_output_handle *handle,
		     const struct perf_regs *regs, u64 mask, bool extended)
{
	int bit;

	perf_output_u64(handle, regs->abi);
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	for (; mask; mask &= mask - 1) {
		bit = __ffs64(mask);
		if (!extended && (PERF_REG_EXTENDED_MASK & BIT_ULL(bit)))
			perf_output_u64(handle, 0);
		else
			perf_output_u64(handle, perf_reg_value(regs->regs, bit));
	}
}

/*
 * User registers: from the interrupt if it was in user mode, otherwise from the entry into the
 * kernel.
 */
static const struct perf_regs *user_regs(struct perf_sample *sample)
{
	struct perf_sample_data *data = sample->data;
	struct perf_regs *regs = &data->regs_user;

	/* supplied by the driver, or computed by an earlier call */
	if (data->sample_flags & PERF_SAMPLE_REGS_USER)
		return regs;

	if (user_mode(sample->interrupted)) {
		regs->regs = sample->interrupted;
		regs->abi = perf_reg_abi(current);
	} else if (perf_has_user_space()) {
		perf_get_regs_user(regs, sample->interrupted);
	} else {
		regs->regs = NULL;
		regs->abi = PERF_SAMPLE_REGS_ABI_NONE;
	}
	data->sample_flags |= PERF_SAMPLE_REGS_USER;
	return regs;
}

unsigned int perf_sample_regs_user_size(struct perf_sample *sample)
{
	return regs_size(user_regs(sample), sample->event->attr.sample_regs_user);
}

void perf_sample_regs_user_put(struct perf_sample *sample,
			       struct perf_output_handle *handle)
{
	const struct perf_regs *regs = &sample->data->regs_user;

	regs_put(handle, regs, sample->event->attr.sample_regs_user,
		 (sample->given & PERF_SAMPLE_REGS_USER) ||
		 regs->regs == sample->interrupted);
}

unsigned int perf_sample_regs_intr_size(struct perf_sample *sample)
{
	struct perf_regs *regs = &sample->data->regs_intr;

	if (!(sample->given & PERF_SAMPLE_REGS_INTR)) {
		regs->regs = sample->regs;
		/* Kernel registers have the width of the kernel, whatever the ABI of the task. */
		if (!sample->regs)
			regs->abi = PERF_SAMPLE_REGS_ABI_NONE;
		else if (user_mode(sample->regs))
			regs->abi = perf_reg_abi(current);
		else
			regs->abi = IS_ENABLED(CONFIG_64BIT) ? PERF_SAMPLE_REGS_ABI_64 :
							       PERF_SAMPLE_REGS_ABI_32;
	}
	return regs_size(regs, sample->event->attr.sample_regs_intr);
}

void perf_sample_regs_intr_put(struct perf_sample *sample,
			       struct perf_output_handle *handle)
{
	const struct perf_regs *regs = &sample->data->regs_intr;

	regs_put(handle, regs, sample->event->attr.sample_regs_intr,
		 (sample->given & PERF_SAMPLE_REGS_INTR) ||
		 regs->regs == sample->interrupted);
}

/* STACK_USER: u64 size; if it is not 0, u8 data[size]; u64 dyn_size */

#ifdef CONFIG_HAVE_PERF_USER_STACK_DUMP
static unsigned long user_sp(const struct perf_regs *regs)
{
	return regs->regs ? user_stack_pointer(regs->regs) : 0;
}
#else
static unsigned long user_sp(const struct perf_regs *regs)
{
	return 0;
}
#endif

/*
 * An exiting task drops its mm before its memory is unmapped. The page tables are still loaded
 * then, but must not be used to read the stack.
 */
unsigned int perf_sample_stack_collect(struct perf_sample *sample)
{
	unsigned int behind = sizeof(u64);
	unsigned long sp = user_sp(user_regs(sample));
	unsigned long size = sample->event->attr.sample_stack_user;

	sample->stack_size = 0;
	if (!sp || sp >= TASK_SIZE || !perf_has_user_space() ||
	    sample->room < behind)
		return 0;

	size = min3(size, TASK_SIZE - sp, (unsigned long)sample->room - behind);
	sample->stack_size = round_down(size, sizeof(u64));
	return sample->stack_size ? sample->stack_size + behind : 0;
}

void perf_sample_stack_put(struct perf_sample *sample,
			   struct perf_output_handle *handle)
{
	unsigned int size = sample->stack_size;
	unsigned int missing;

	perf_output_u64(handle, size);
	if (!size)
		return;
	missing = perf_output_user(handle,
				   (void __user *)user_sp(user_regs(sample)), size);
	perf_output_zero(handle, missing);
	perf_output_u64(handle, size - missing);
}

/**
 * struct perf_page - mapping of an address
 * @size: bytes that one entry of the page table, or a run of entries, maps; 0 when the address
 *	is not mapped
 * @phys: physical address of the byte
 */
struct perf_page {
	u64	size;
	u64	phys;
};

#ifdef CONFIG_HAVE_GUP_FAST
static struct perf_page perf_page_make(u64 size, unsigned long pfn,
				       unsigned long offset)
{
	return (struct perf_page) {
		.size = size,
		.phys = ((u64)pfn << PAGE_SHIFT) + offset,
	};
}

static struct perf_page perf_walk_pte(pmd_t pmd, unsigned long addr, bool kernel)
{
	struct perf_page page = {};
	pte_t pte, *ptep;

	ptep = kernel ? pte_offset_kernel(&pmd, addr) : pte_offset_map(&pmd, addr);
	if (!ptep)
		return page;
	pte = ptep_get_lockless(ptep);
	if (pte_present(pte))
		page = perf_page_make(__pte_leaf_size(pmd, pte), pte_pfn(pte),
				      offset_in_page(addr));
	if (!kernel)
		pte_unmap(ptep);
	return page;
}

/* Each level is loaded once, and only that copy is used. */
static struct perf_page perf_walk(pgd_t *pgdp, unsigned long addr, bool kernel)
{
	struct perf_page none = {};
	p4d_t p4d, *p4dp;
	pud_t pud, *pudp;
	pmd_t pmd, *pmdp;
	pgd_t pgd;

	pgd = pgdp_get(pgdp);
	if (pgd_none(pgd))
		return none;
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = p4dp_get(p4dp);
	if (!p4d_present(p4d))
		return none;
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = pudp_get(pudp);
	if (!pud_present(pud))
		return none;
	if (pud_leaf(pud))
		return perf_page_make(pud_leaf_size(pud), pud_pfn(pud),
				      addr & ~PUD_MASK);
	pmdp = pmd_offset_lockless(pudp, pud, addr);
	pmd = pmdp_get_lockless(pmdp);
	if (!pmd_present(pmd))
		return none;
	if (pmd_leaf(pmd))
		return perf_page_make(pmd_leaf_size(pmd), pmd_pfn(pmd),
				      addr & ~PMD_MASK);
	return perf_walk_pte(pmd, addr, kernel);
}

static struct perf_page perf_page_of(unsigned long addr)
{
	guard(irqsave)();

	if (perf_addr_is_kernel(addr))
		return perf_walk(pgd_offset_k(addr), addr, true);
	if (!current->mm)
		return (struct perf_page) {};
	return perf_walk(pgd_offset(current->mm, addr), addr, false);
}
#else
/* page tables may be freed during a walk on this architecture */
static struct perf_page perf_page_of(unsigned long addr)
{
	return (struct perf_page) {};
}
#endif

/**
 * perf_sample_phys_of() - translate an address
 * @sample: being taken
 * @addr: an address of current, or of the kernel's linear mapping
 *
 * Return: the physical address; 0 if there is none, or the event must not see it.
 */
u64 perf_sample_phys_of(const struct perf_sample *sample, u64 addr)
{
	if (!addr || perf_event_hides(sample->event, addr))
		return 0;
	if (!perf_addr_is_kernel(addr))
		return perf_page_of(untagged_addr(addr)).phys;
	return virt_addr_valid((void *)(unsigned long)addr) ? __pa(addr) : 0;
}

/**
 * perf_sample_page_size_of() - get the size of the page of an address
 * @sample: being taken
 * @addr: an address of current or of the kernel
 *
 * Return: bytes; 0 if the address is not mapped, or the event must not see it.
 */
u64 perf_sample_page_size_of(const struct perf_sample *sample, u64 addr)
{
	if (!addr || perf_event_hides(sample->event, addr))
		return 0;
	return perf_page_of(untagged_addr(addr)).size;
}
