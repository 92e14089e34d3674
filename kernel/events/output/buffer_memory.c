// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a buffer: a control page and the data pages.
 *
 * This file allocates and frees the memory. attach.c manages the users of a buffer. Where the
 * data cache has aliases (CONFIG_PERF_USE_VMALLOC), the memory is virtually contiguous and of
 * the same cache colour as the user's mapping. Elsewhere each page is allocated by itself.
 *
 * Context: task. Freeing is also done in softirq.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "ring_buffer.h"
#include "wake.h"
#include "wakeup.h"

static void *perf_rb_alloc_page(int node)
{
	struct page *page = alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

static bool perf_rb_alloc_pages(struct perf_buffer *rb, unsigned long nr_chunks,
				int node)
{
	rb->chunk_shift = PAGE_SHIFT;
	rb->user_page = perf_rb_alloc_page(node);
	if (!rb->user_page)
		return false;
	for (unsigned long i = 0; i < nr_chunks; i++) {
		/* This can take long, so let a fatal signal end it. */
		if (fatal_signal_pending(current))
			return false;
		rb->chunks[i] = perf_rb_alloc_page(node);
		if (!rb->chunks[i])
			return false;
		cond_resched();
	}
	return true;
}

static bool perf_rb_alloc_vmalloc(struct perf_buffer *rb)
{
	/* As vmalloc_user(), which does not charge the memory cgroup. */
	void *all = __vmalloc_node_range((1UL + rb->nr_pages) << PAGE_SHIFT, SHMLBA,
					 VMALLOC_START, VMALLOC_END,
					 GFP_KERNEL_ACCOUNT | __GFP_ZERO, PAGE_KERNEL,
					 VM_USERMAP, NUMA_NO_NODE, __builtin_return_address(0));

	rb->chunk_shift = PAGE_SHIFT + (rb->nr_pages ? ilog2(rb->nr_pages) : 0);
	rb->user_page = all;
	if (rb->nr_pages)
		rb->chunks[0] = all + PAGE_SIZE;
	return all;
}

/**
 * perf_rb_free() - free the memory of a buffer
 * @rb: the buffer, maybe incomplete; it must have no writers
 *
 * Pages that are still mapped are freed with their last reference.
 *
 * Context: task, or softirq with PERF_RB_FREE_BATCH pages at most.
 */
void perf_rb_free(struct perf_buffer *rb)
{
	if (IS_ENABLED(CONFIG_PERF_USE_VMALLOC)) {
		vfree(rb->user_page);
	} else {
		for (unsigned int i = 0; i < rb->nr_pages; i++) {
			free_page((unsigned long)rb->chunks[i]);
			if (i && i % PERF_RB_FREE_BATCH == 0)
				cond_resched();
		}
		free_page((unsigned long)rb->user_page);
	}
	kvfree(rb);
}

/**
 * perf_rb_alloc() - allocate a buffer
 * @nr_pages: number of data pages; 0 or a power of two
 * @cpu: CPU that will write to it, or -1; selects the node
 *
 * Context: task, may sleep.
 * Return: the buffer with one reference, its pages zeroed; or NULL. The result is always NULL
 * for more than PERF_RB_MAX_PAGES.
 */
struct perf_buffer *perf_rb_alloc(unsigned long nr_pages, int cpu)
{
	unsigned long nr_chunks = IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ? !!nr_pages : nr_pages;
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct perf_buffer *rb;
	bool complete;

	if (nr_pages > PERF_RB_MAX_PAGES)
		return NULL;
	/* No warning: the number of pages is the user's choice, so failing is not a bug. */
	rb = kvzalloc_node(struct_size(rb, chunks, nr_chunks),
			   GFP_KERNEL_ACCOUNT | __GFP_NOWARN, node);
	if (!rb)
		return NULL;

	rb->nr_pages = nr_pages;
	rb->mask = nr_pages ? perf_rb_bytes(rb) - 1 : 0;
	/* A buffer without data pages stays paused. */
	rb->paused = !nr_pages;
	spin_lock_init(&rb->events_lock);
	INIT_LIST_HEAD(&rb->events);
	INIT_LIST_HEAD(&rb->polled);
	INIT_LIST_HEAD(&rb->waking);
	INIT_LIST_HEAD(&rb->charges);
	perf_wake_init(&rb->wake_polled, perf_rb_wake_polled);
	mutex_init(&rb->mutex);
	mutex_init(&rb->aux_mutex);
	rb->left = get_completed_synchronize_rcu();
	refcount_set(&rb->refcount, 1);

	complete = IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ?
		   perf_rb_alloc_vmalloc(rb) :
		   perf_rb_alloc_pages(rb, nr_chunks, node);
	if (complete)
		return rb;
	perf_rb_free(rb);
	return NULL;
}

/**
 * perf_rb_page() - look up one page of a buffer
 * @rb: the buffer
 * @pgoff: 0 for the control page, 1 and above for data pages
 *
 * Context: any.
 * Return: the page; never NULL for an offset within the buffer.
 */
struct page *perf_rb_page(struct perf_buffer *rb, unsigned long pgoff)
{
	void *page = rb->user_page;

	if (IS_ENABLED(CONFIG_PERF_USE_VMALLOC))
		return vmalloc_to_page(page + (pgoff << PAGE_SHIFT));
	if (pgoff)
		page = rb->chunks[pgoff - 1];
	return virt_to_page(page);
}
