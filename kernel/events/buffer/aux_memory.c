// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of AUX areas.
 *
 * This file allocates the memory, calls the driver to set it up, and frees it. Most drivers
 * use single pages. Drivers with PERF_PMU_CAP_AUX_NO_SG or PERF_PMU_CAP_AUX_PREFER_LARGE get
 * pieces as large as possible. Each piece is a power of two of pages, aligned to its size. The
 * first page of a larger piece has PG_private, and the order in page_private(): Intel PT describes
 * a piece by one entry of a table. Unless old data is overwritten, the watermark is a multiple of
 * each piece: a driver that is interrupted at the end of a piece wakes the reader there. A driver
 * that cannot switch to another piece by itself (PERF_PMU_CAP_AUX_NO_SG) needs the whole area in
 * one piece for overwrite mode.
 *
 * mmap.c limits what a user may allocate. But root can request more memory than there is.
 * This must fail without warnings by the page allocator, and without the OOM killer.
 *
 * Context: task, may sleep.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "../output/aux_area.h"
#include "aux_memory.h"

#define PERF_AUX_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)

/**
 * struct perf_aux_demand - requirements on the memory of an area
 * @nr_pages: number of pages
 * @order: order of the largest piece
 * @one_piece: the area must be one piece
 * @node: NUMA node, or NUMA_NO_NODE
 */
struct perf_aux_demand {
	unsigned int	nr_pages;
	unsigned int	order;
	bool		one_piece;
	int		node;
};

static void perf_aux_describe(struct perf_aux_demand *demand,
			      const struct perf_event *event,
			      const struct perf_aux_area *area)
{
	int caps = event->pmu->capabilities;
	unsigned long piece = area->watermark ?: perf_aux_bytes(area);

	demand->nr_pages = area->nr_pages;
	demand->node = event->cpu < 0 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	demand->one_piece = area->overwrite && (caps & PERF_PMU_CAP_AUX_NO_SG);
	demand->order = 0;
	if ((caps & (PERF_PMU_CAP_AUX_NO_SG | PERF_PMU_CAP_AUX_PREFER_LARGE)) &&
	    PAGE_ALIGNED(piece))
		demand->order = __ffs(piece >> PAGE_SHIFT);
}

/* Allocate one piece, as large as possible. On success @order is its order. */
static struct page *perf_aux_alloc_piece(const struct perf_aux_demand *demand,
					 unsigned int *order)
{
	gfp_t gfp = PERF_AUX_GFP | __GFP_RETRY_MAYFAIL;
	struct page *page;

	if (demand->one_piece)
		return alloc_pages_node(demand->node, gfp, *order);

	for (; *order; --*order) {
		page = alloc_pages_node(demand->node, PERF_AUX_GFP | __GFP_NORETRY,
					*order);
		if (page)
			return page;
	}
	return alloc_pages_node(demand->node, gfp, 0);
}

/* Make single pages of a piece: user space maps each of them, and can hold a reference to it. */
static void perf_aux_split(struct page *page, unsigned int order)
{
	if (!order)
		return;
	split_page(page, order);
	SetPagePrivate(page);
	set_page_private(page, order);
}

/* User space may still hold a reference. */
static void perf_aux_free_page(void *addr)
{
	struct page *page = virt_to_page(addr);

	ClearPagePrivate(page);
	set_page_private(page, 0);
	__free_page(page);
}

static bool perf_aux_alloc_pages(struct perf_aux_area *area,
				 const struct perf_aux_demand *demand)
{
	unsigned int order = min_t(unsigned int, demand->order, MAX_PAGE_ORDER);
	struct page *page;

	area->nr_pages = 0;
	if (demand->one_piece && order != ilog2(demand->nr_pages))
		return false;

	while (area->nr_pages < demand->nr_pages) {
		/* This can take long, so let a fatal signal end it. */
		if (fatal_signal_pending(current))
			return false;
		order = min_t(unsigned int, order,
			      ilog2(demand->nr_pages - area->nr_pages));
		page = perf_aux_alloc_piece(demand, &order);
		if (!page)
			return false;
		perf_aux_split(page, order);
		for (unsigned int i = 0; i < 1U << order; i++)
			area->pages[area->nr_pages++] = page_address(page + i);
		cond_resched();
	}
	return true;
}

static bool perf_aux_set_up(struct perf_aux_area *area, struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	area->data = pmu->setup_aux(event, area->pages, area->nr_pages,
				    area->overwrite);
	if (!area->data)
		return false;
	/* The area may outlive the event, and with it struct pmu. */
	area->release = pmu->free_aux;
	area->module = pmu->module;
	__module_get(area->module);
	return true;
}

/**
 * perf_aux_free() - free an area
 * @area: the area, maybe incomplete, without references; RCU readers may still have read its
 *	address from rb->aux
 *
 * Context: task, may sleep.
 */
void perf_aux_free(struct perf_aux_area *area)
{
	if (area->release) {
		area->release(area->data);
		module_put(area->module);
	}
	for (unsigned int i = 0; area->pages && i < area->nr_pages; i++) {
		perf_aux_free_page(area->pages[i]);
		cond_resched();
	}
	kvfree(area->pages);
	kfree_rcu(area, rcu_head);
}

/**
 * perf_aux_alloc() - allocate an area and let the driver set it up
 * @event: the event; its PMU has setup_aux(), and its attr has the watermark
 * @nr_pages: number of pages, a power of two
 * @overwrite: old data is overwritten
 *
 * Context: task, may sleep.
 * Return: the area with one reference, its pages zeroed; NULL if there is not enough memory,
 * or the driver cannot use it.
 */
struct perf_aux_area *perf_aux_alloc(struct perf_event *event,
				     unsigned long nr_pages, bool overwrite)
{
	struct perf_aux_demand demand;
	struct perf_aux_area *area;

	/* setup_aux() takes the number of pages as an int. */
	if (nr_pages > INT_MAX || nr_pages > totalram_pages())
		return NULL;
	area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	if (!area)
		return NULL;

	area->nr_pages = nr_pages;
	area->mask = (nr_pages << PAGE_SHIFT) - 1;
	area->overwrite = overwrite;
	refcount_set(&area->refcount, 1);
	if (!overwrite)
		area->watermark = min_t(unsigned long, event->attr.aux_watermark,
					perf_aux_bytes(area)) ?:
				  perf_aux_bytes(area) / 2;
	area->wakeup = area->watermark;

	perf_aux_describe(&demand, event, area);
	area->pages = kvcalloc_node(nr_pages, sizeof(*area->pages),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN, demand.node);
	if (area->pages && perf_aux_alloc_pages(area, &demand) &&
	    perf_aux_set_up(area, event))
		return area;
	perf_aux_free(area);
	return NULL;
}
