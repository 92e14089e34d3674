// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of events. Each has a place of its own in the address space of a process, so that
 * no mistake in an address hits other memory.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

#define PAGE		4096UL
/* distance of places, more than the largest mapping */
#define STRIDE		(64UL << 20)
#define FIRST_PLACE	0x1000000000UL
/* pages of a mapping of root, which no limit applies to */
#define MAX_PAGES	1025

static char *place(int64_t map)
{
	return (char *)(FIRST_PLACE + map % FUZZ_MAPS * STRIDE);
}

static uint64_t *length_of(int64_t map)
{
	return &shared->lengths[this_worker / 2][map % FUZZ_MAPS];
}

/* Read memory that may be unmapped or protected. */
static bool peek(const void *from, void *to, size_t size)
{
	off_t at = this_worker * PAGE;

	return pwrite(SCRATCH_FD, from, size, at) == (ssize_t)size &&
	       pread(SCRATCH_FD, to, size, at) == (ssize_t)size;
}

/* Write memory that may be unmapped or protected. */
static bool poke(void *to, const void *from, size_t size)
{
	off_t at = this_worker * PAGE;

	return pwrite(SCRATCH_FD, from, size, at) == (ssize_t)size &&
	       pread(SCRATCH_FD, to, size, at) == (ssize_t)size;
}

/* Write into a control page where the AUX area shall be. Returns the offset. */
static uint64_t place_aux(int64_t map, uint64_t pages)
{
	char *page = place(map);
	uint64_t offset = *length_of(map), size = pages * PAGE;

	poke(page + offsetof(struct perf_event_mmap_page, aux_offset), &offset, sizeof(offset));
	poke(page + offsetof(struct perf_event_mmap_page, aux_size), &size, sizeof(size));
	return offset;
}

/*
 * args: slot map pages prot flags page. Bits of flags: 1 private, 2 the AUX area of the
 * mapping before, 4 replace the mapping that is there.
 */
CALL(mmap)
{
	int64_t map = step->args[1], flags = step->args[4];
	uint64_t pages = step->args[2] % (MAX_PAGES + 1), offset = step->args[5] * PAGE;
	int kind = flags & 1 ? MAP_PRIVATE : MAP_SHARED;
	void *address;

	if (flags & 2)
		offset += place_aux(map + FUZZ_MAPS - 1, pages);
	kind |= flags & 4 ? MAP_FIXED : MAP_FIXED_NOREPLACE;
	address = mmap(place(map), pages * PAGE, step->args[3] & 7, kind,
		       shared->slots[step->args[0] % FUZZ_SLOTS], offset);
	if (address == MAP_FAILED)
		return -1;
	if (address != place(map)) {
		munmap(address, pages * PAGE);
		return -1;
	}
	*length_of(map) = pages * PAGE;
	return 0;
}

/* args: map first pages; pages is 0 for all */
CALL(munmap)
{
	uint64_t first = step->args[1] % MAX_PAGES, pages = step->args[2] % MAX_PAGES;

	if (!pages) {
		first = 0;
		pages = *length_of(step->args[0]) / PAGE;
	}
	return munmap(place(step->args[0]) + first * PAGE, pages * PAGE);
}

/* args: map pages to; to is a map, or -1 to stay */
CALL(mremap)
{
	uint64_t pages = step->args[1] % MAX_PAGES, length = *length_of(step->args[0]);
	int64_t to = step->args[2];
	void *address;

	if (!pages)
		pages = length / PAGE;
	if (to < 0)
		address = mremap(place(step->args[0]), length, pages * PAGE, 0);
	else
		address = mremap(place(step->args[0]), length, pages * PAGE,
				 MREMAP_MAYMOVE | MREMAP_FIXED, place(to));
	if (address == MAP_FAILED)
		return -1;
	*length_of(to < 0 ? step->args[0] : to) = pages * PAGE;
	return 0;
}

/* args: map prot first */
CALL(mprotect)
{
	uint64_t first = step->args[2] % MAX_PAGES * PAGE, length = *length_of(step->args[0]);

	if (first >= length)
		first = 0;
	return mprotect(place(step->args[0]) + first, length - first, step->args[1] & 7);
}

CALL(madvise)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DOFORK, MADV_DONTFORK, MADV_REMOVE, MADV_WILLNEED,
		MADV_FREE, MADV_DODUMP,
	};

	return madvise(place(step->args[0]), *length_of(step->args[0]),
		       advice[step->args[1] % ARRAY_SIZE(advice)]);
}

/* Consume records, or write nonsense into the control page: its values are user space's. */
CALL(touch)
{
	static const size_t members[] = {
		offsetof(struct perf_event_mmap_page, data_tail),
		offsetof(struct perf_event_mmap_page, aux_tail),
		offsetof(struct perf_event_mmap_page, data_head),
		offsetof(struct perf_event_mmap_page, data_size),
		offsetof(struct perf_event_mmap_page, aux_offset),
		offsetof(struct perf_event_mmap_page, lock),
	};
	char *page = place(step->args[0]);
	size_t member = members[step->args[1] % ARRAY_SIZE(members)];
	uint64_t value = step->args[2];
	char data[256];

	if (member == members[0] && !value &&
	    !peek(page + offsetof(struct perf_event_mmap_page, data_head), &value,
		  sizeof(value)))
		return -1;
	peek(page + PAGE, data, sizeof(data));
	return poke(page + member, &value, sizeof(value)) ? 0 : -1;
}
