// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of events, and the records in them. Only the kinds and sizes of records are
 * printed that the case itself causes, independent of the speed of the machine.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi.h"

#define PAGE		4096UL

/**
 * struct mapping - result of an mmap()
 * @slot: slot of the event
 * @address: address of the mapping
 * @pages: number of pages
 * @data: the control page is readable, and the buffer is not overwritten
 */
struct mapping {
	unsigned int	slot;
	char		*address;
	unsigned long	pages;
	bool		data;
};

static struct mapping mappings[MAX_STEPS];
static unsigned int nr_mappings;

static void show_page(const struct perf_event_mmap_page *page)
{
	say(" data=%llu@%llu aux=%llu", (unsigned long long)page->data_size,
	    (unsigned long long)page->data_offset, (unsigned long long)page->aux_size);
	say(" bit0=%u rdpmc=%u zero=%u", page->cap_bit0, page->cap_user_rdpmc,
	    page->cap_user_time_zero);
}

/* Set the position of the AUX area in the control page of an event. Returns the offset. */
static unsigned long place_aux(const struct step *step)
{
	struct perf_event_mmap_page *page;
	unsigned int i;

	for (i = 0; i < nr_mappings; i++) {
		if (mappings[i].slot != step->slot || !mappings[i].data)
			continue;
		page = (void *)mappings[i].address;
		page->aux_offset = mappings[i].pages * PAGE;
		page->aux_size = step->length * PAGE;
		return page->aux_offset;
	}
	return 0;
}

long buffer_map(const struct step *step)
{
	unsigned long offset = step->page * PAGE + (step->aux ? place_aux(step) : 0);
	struct mapping *mapping = &mappings[nr_mappings];
	int flags = step->private ? MAP_PRIVATE : MAP_SHARED;
	char *address;

	address = mmap(NULL, step->length * PAGE, step->prot, flags, slot_fds[step->slot],
		       offset);
	say_result(address == MAP_FAILED ? -1 : 0);
	if (address == MAP_FAILED)
		return -1;
	mapping->slot = step->slot;
	mapping->address = address;
	mapping->pages = step->length;
	mapping->data = step->prot == (PROT_READ | PROT_WRITE) && !offset &&
			step->length > 1;
	nr_mappings++;
	if (step->prot & PROT_READ && !offset)
		show_page((void *)address);
	return 0;
}

static void forget(struct mapping *mapping)
{
	*mapping = mappings[--nr_mappings];
}

/* Unmap the last mapping of the event, or a number of its pages. */
long buffer_unmap(const struct step *step)
{
	struct mapping *mapping = mappings + nr_mappings;
	unsigned long pages;
	long ret;

	while (mapping-- > mappings) {
		if (mapping->slot != step->slot)
			continue;
		pages = mapping->pages;
		if (step->length && step->length < pages)
			pages = step->length;
		ret = munmap(mapping->address, pages * PAGE);
		if (!ret)
			forget(mapping);
		return ret;
	}
	return 0;
}

void buffers_end(void)
{
	while (nr_mappings) {
		munmap(mappings[0].address, mappings[0].pages * PAGE);
		forget(&mappings[0]);
	}
}

/* Records that depend neither on time nor on other tasks. */
#define KNOWN_RECORDS							\
	(1u << PERF_RECORD_MMAP | 1u << PERF_RECORD_COMM | 1u << PERF_RECORD_EXIT |	\
	 1u << PERF_RECORD_FORK | 1u << PERF_RECORD_READ | 1u << PERF_RECORD_MMAP2)

static void show_records(const struct mapping *mapping)
{
	struct perf_event_mmap_page *page = (void *)mapping->address;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = page->data_size, at = page->data_tail;
	const char *data = mapping->address + page->data_offset;
	uint16_t sizes[32] = {};
	unsigned int type;

	if (!size || head - at > size)
		return;
	while (at < head) {
		const struct perf_event_header *header = (const void *)(data + at % size);

		if (header->type < 32 && KNOWN_RECORDS >> header->type & 1)
			sizes[header->type] = header->size;
		if (header->size < sizeof(*header))
			break;
		at += header->size;
	}
	if (at != head)
		say(" broken at %llu of %llu", (unsigned long long)at,
		    (unsigned long long)head);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	for (type = 0; type < 32; type++) {
		if (sizes[type])
			say(" %u:%u", type, sizes[type]);
	}
}

void buffers_show_records(void)
{
	unsigned int i;

	for (i = 0; i < nr_mappings; i++) {
		if (!mappings[i].data)
			continue;
		say(" records of e%u:", mappings[i].slot);
		show_records(&mappings[i]);
	}
}
