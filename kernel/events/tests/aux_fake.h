/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: a fake trace source, and a reader's way to its area.
 */
#ifndef _KERNEL_EVENTS_AUX_FAKE_H
#define _KERNEL_EVENTS_AUX_FAKE_H

#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/perf_event.h>

#include "../output/ring_buffer.h"
#include "../output/aux_area.h"

#define DATA_PAGES	4
#define AUX_PGOFF	(1 + DATA_PAGES)
#define AUX_PAGES	4
#define AUX_BYTES	(AUX_PAGES * PAGE_SIZE)

#define RW		(PROT_READ | PROT_WRITE)

/**
 * struct fake_aux - one test
 * @pmu: the trace source
 * @event: an event of @pmu
 * @file: file of the event
 * @mapped: addresses of data and area
 * @len: lengths of data and area in bytes, 0 if not mapped
 * @handle: transaction of the driver
 * @pages: argument of setup_aux()
 * @nr_pages: argument of setup_aux()
 * @overwrite: argument of setup_aux()
 * @refuses: setup_aux() fails
 * @holds_on: stop() does not end the transaction
 * @is_full: stop() finds that the area was too small
 * @written: number of bytes that the hardware has written since it was started
 * @read: position of the next record
 * @nr_setup: number of calls of setup_aux()
 * @nr_freed: number of calls of free_aux()
 * @nr_mapped: number of calls of event_mapped() less the calls of event_unmapped()
 * @nr_starts: number of calls of start() that began a transaction
 * @nr_stops: number of calls of stop() that ended a transaction
 * @nr_pauses: number of calls of stop() and start() to pause and resume
 * @nested: event of the group that overflows while @event is being paused, or NULL
 */
struct fake_aux {
	struct pmu			pmu;
	struct perf_event		*event;
	struct file			*file;
	unsigned long			mapped[2];
	size_t				len[2];
	struct perf_output_handle	handle;
	void				**pages;
	int				nr_pages;
	bool				overwrite;
	bool				refuses;
	bool				holds_on;
	bool				is_full;
	unsigned long			written;
	u64				read;
	int				nr_setup;
	int				nr_freed;
	int				nr_mapped;
	int				nr_starts;
	int				nr_stops;
	int				nr_pauses;
	struct perf_event		*nested;
};

/* the parts of a record that the tests check */
struct fake_record {
	struct perf_event_header	header;
	u64				offset;
	u64				size;
	u64				flags;
};

struct fake_aux *fake_make(struct kunit *test, int capabilities,
			   u32 aux_watermark);
struct fake_aux *fake_make_inherited(struct kunit *test, int cpu);
long fake_mmap(struct fake_aux *t, int prot, unsigned long pgoff,
	       unsigned long pages);
void fake_map_data(struct kunit *test, struct fake_aux *t);
struct perf_buffer *fake_rb(struct fake_aux *t);
long fake_map_area(struct fake_aux *t, int prot, unsigned long pages);
void fake_map(struct kunit *test, struct fake_aux *t, int prot);
void fake_unmap(struct fake_aux *t, int which);
struct fake_aux *fake_mapped(struct kunit *test, int prot);
void *fake_begin(struct fake_aux *t);
void fake_end(struct fake_aux *t, unsigned long size);
void fake_settle(struct fake_aux *t);
u64 fake_head(struct fake_aux *t);
struct fake_record fake_next_record(struct fake_aux *t);
void fake_expect_record(struct kunit *test, struct fake_aux *t,
			u64 offset, u64 size, u64 flags);
int fake_aux_init(struct kunit *test);
void fake_aux_exit(struct kunit *test);

#endif /* _KERNEL_EVENTS_AUX_FAKE_H */
