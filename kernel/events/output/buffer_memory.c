// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a buffer: a control page and the data pages.
 *
 * Owns how it is allocated and freed, not who uses it. Where the data cache
 * has aliases (CONFIG_PERF_USE_VMALLOC) all of it is one virtually contiguous
 * piece, of a colour with the user's mapping; otherwise each page is by itself.
 * Task context, but for freeing, which is done in softirq as well.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "ring_buffer.h"
#include "wakeup.h"

static void *perf_rb_alloc_page(int node)
{
	struct page *page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);

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
		rb->chunks[i] = perf_rb_alloc_page(node);
		if (!rb->chunks[i])
			return false;
	}
	return true;
}

static bool perf_rb_alloc_vmalloc(struct perf_buffer *rb)
{
	void *all = vmalloc_user((1UL + rb->nr_pages) << PAGE_SHIFT);

	rb->chunk_shift = PAGE_SHIFT + (rb->nr_pages ? ilog2(rb->nr_pages) : 0);
	rb->user_page = all;
	if (rb->nr_pages)
		rb->chunks[0] = all + PAGE_SIZE;
	return all;
}

static unsigned long perf_rb_nr_chunks(unsigned long nr_pages)
{
	return IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ? !!nr_pages : nr_pages;
}

/**
 * perf_rb_free() - free the memory of a buffer
 * @rb: the buffer, maybe not complete; nobody writes to it any more. Pages
 *	that are still mapped live on by themselves.
 */
void perf_rb_free(struct perf_buffer *rb)
{
	if (IS_ENABLED(CONFIG_PERF_USE_VMALLOC)) {
		vfree(rb->user_page);
	} else {
		for (unsigned int i = 0; i < rb->nr_pages; i++)
			free_page((unsigned long)rb->chunks[i]);
		free_page((unsigned long)rb->user_page);
	}
	kvfree(rb);
}

/**
 * perf_rb_alloc() - allocate a buffer
 * @nr_pages: of data; 0 or a power of two
 * @cpu: that will write to it, or -1
 *
 * Context: Task context, may sleep.
 * Return: the buffer with one reference, of zeroes, or NULL; always NULL
 * for more than PERF_RB_MAX_PAGES.
 */
struct perf_buffer *perf_rb_alloc(unsigned long nr_pages, int cpu)
{
	unsigned long nr_chunks = perf_rb_nr_chunks(nr_pages);
	int node = cpu < 0 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct perf_buffer *rb;
	bool complete;

	if (nr_pages > PERF_RB_MAX_PAGES)
		return NULL;
	/* how many there are is the user's wish: too many is no bug */
	rb = kvzalloc_node(struct_size(rb, chunks, nr_chunks),
			   GFP_KERNEL | __GFP_NOWARN, node);
	if (!rb)
		return NULL;

	rb->nr_pages = nr_pages;
	rb->mask = nr_pages ? perf_rb_bytes(rb) - 1 : 0;
	/* there is nothing to write to: as good as never resumed */
	rb->paused = !nr_pages;
	spin_lock_init(&rb->events_lock);
	INIT_LIST_HEAD(&rb->events);
	INIT_LIST_HEAD(&rb->polled);
	INIT_LIST_HEAD(&rb->waking);
	init_irq_work(&rb->wake_irq, perf_rb_wake_polled);
	mutex_init(&rb->mutex);
	mutex_init(&rb->aux_mutex);
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
 * perf_rb_page() - one page of a buffer, to be mapped
 * @rb: the buffer
 * @pgoff: 0 for the control page, then the data
 *
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
