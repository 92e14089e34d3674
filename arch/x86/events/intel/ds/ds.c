// SPDX-License-Identifier: GPL-2.0
/*
 * The debug store: the page per CPU with the addresses to which the hardware writes records of
 * precise sampling and of branches, and the buffers that it writes them to.
 *
 * The hardware writes in whatever address space the CPU has, also in user mode. So both are
 * mapped in the CPU's entry area, which is part of every address space, with page table isolation
 * too. The page is mapped there at boot on Intel's CPUs. The buffer of precise sampling is mapped
 * when its CPU comes online, the buffer of branches while an event needs it, see bts.c. The driver
 * uses the kernel's own mapping of both.
 *
 * Owns struct intel_ds.
 *
 * Context: task, CPU hotplug. Other functions as documented.
 *
 * Source: Intel SDM volume 3, "Debug Store (DS) Mechanism".
 */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/topology.h>
#include <asm/cpu_entry_area.h>
#include <asm/tlbflush.h>
#include "ds.h"

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);
DEFINE_PER_CPU(struct intel_ds, intel_ds);

/* The hardware finds the fields by their offsets. */
static_assert(offsetof(struct debug_store, bts_interrupt_threshold) == 0x18);
static_assert(offsetof(struct debug_store, pebs_buffer_base) == 0x20);
static_assert(offsetof(struct debug_store, pebs_event_reset) == 0x40);
static_assert(PEBS_BUFFER_SIZE % PAGE_SIZE == 0 && BTS_BUFFER_SIZE % PAGE_SIZE == 0);

static void intel_ds_map_pages(void *at, void *memory, size_t size)
{
	size_t done;

	for (done = 0; done < size; done += PAGE_SIZE)
		cea_set_pte(at + done, memory ? virt_to_phys(memory + done) : 0,
			    memory ? PAGE_KERNEL : PAGE_NONE);
}

/**
 * intel_ds_map_store() - map the page of a CPU
 * @nr: the CPU, which is about to come online
 *
 * At boot the page is mapped only on CPUs that have the feature, not on those with an emulator.
 */
void intel_ds_map_store(unsigned int nr)
{
	struct cpu_entry_area *area = get_cpu_entry_area(nr);
	struct intel_ds *ds = &per_cpu(intel_ds, nr);

	ds->store = &per_cpu(cpu_debug_store, nr);
	ds->store_at = (unsigned long)&area->cpu_debug_store;
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		cea_set_pte(&area->cpu_debug_store,
			    per_cpu_ptr_to_phys(&per_cpu(cpu_debug_store, nr)), PAGE_KERNEL);
}

/**
 * intel_ds_alloc() - allocate a buffer, and map it for the hardware
 * @nr: the CPU
 * @at: its place in the CPU's entry area
 * @size: its size in bytes, whole pages
 *
 * Return: the buffer, filled with zeros; NULL if there is no memory.
 */
void *intel_ds_alloc(unsigned int nr, void *at, size_t size)
{
	struct page *pages;

	pages = alloc_pages_node(cpu_to_node(nr), GFP_KERNEL | __GFP_ZERO, get_order(size));
	if (!pages)
		return NULL;
	intel_ds_map_pages(at, page_address(pages), size);
	return page_address(pages);
}

/**
 * intel_ds_free() - undo intel_ds_alloc()
 * @buffer: the buffer, which the hardware does not use; or NULL
 * @at: its place in the CPU's entry area
 * @size: its size in bytes
 */
void intel_ds_free(void *buffer, void *at, size_t size)
{
	if (!buffer)
		return;
	intel_ds_map_pages(at, NULL, size);
	flush_tlb_kernel_range((unsigned long)at, (unsigned long)at + size);
	free_pages((unsigned long)buffer, get_order(size));
}

/**
 * intel_ds_prepare() - allocate the buffer of precise sampling of a CPU
 * @nr: the CPU, which is about to come online
 *
 * Return: 0 or -ENOMEM.
 */
int intel_ds_prepare(unsigned int nr)
{
	char *at = get_cpu_entry_area(nr)->cpu_debug_buffers.pebs_buffer;
	struct intel_ds *ds = &per_cpu(intel_ds, nr);

	ds->buffer = intel_ds_alloc(nr, at, PEBS_BUFFER_SIZE);
	if (!ds->buffer)
		return -ENOMEM;
	ds->buffer_at = (unsigned long)at;
	intel_ds_map_store(nr);

	memset(ds->store, 0, sizeof(*ds->store));
	ds->store->pebs_buffer_base = ds->buffer_at;
	ds->store->pebs_index = ds->buffer_at;
	return 0;
}

/**
 * intel_ds_dead() - free the buffer of precise sampling of a CPU
 * @nr: the CPU, offline. It may have no buffer.
 */
void intel_ds_dead(unsigned int nr)
{
	struct intel_ds *ds = &per_cpu(intel_ds, nr);

	intel_ds_free(ds->buffer, (void *)ds->buffer_at, PEBS_BUFFER_SIZE);
	ds->buffer = NULL;
}

/**
 * intel_ds_limits() - set the size of the buffer, and at which fill level the interrupt comes
 * @ds: this CPU's debug store; nothing is recorded now
 * @size: bytes of the largest record
 * @records: number of records until the interrupt, at least 1. The interrupt comes earlier if the
 *	buffer has no room for so many.
 *
 * Behind the threshold there is room for records that are written before the interrupt is taken.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
void intel_ds_limits(const struct intel_ds *ds, u32 size, unsigned int records)
{
	unsigned int fit = PEBS_BUFFER_SIZE / size;

	records = min(records, fit - fit / INTEL_DS_SPARE_PART);
	ds->store->pebs_absolute_maximum = ds->buffer_at + fit * size;
	ds->store->pebs_interrupt_threshold = ds->buffer_at + records * size;
}

/**
 * perf_restore_debug_store() - restore the MSR with the address of the debug store
 *
 * Does nothing: suspend.c resumes the counters, and with them the debug store.
 *
 * Context: irqs off, on resume from suspend.
 */
void perf_restore_debug_store(void)
{
}
