// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a fake trace source, and a reader's way to its area.
 *
 * The driver part acts like a real driver: start() begins a transaction, stop() ends it. The
 * test sets how many bytes the hardware has written. The event is an in-kernel counter with a
 * file, which the test maps in an address space of its own.
 */
#include <linux/anon_inodes.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "../output/ring_buffer.h"
#include "../output/wake.h"
#include "../overflow/aux_pause.h"
#include "aux_fake.h"
#include "../abi/file.h"
#include "test_cpu.h"

static struct fake_aux fake_aux;

static struct fake_aux *aux_of_pmu(struct perf_event *event)
{
	return container_of(event->pmu, struct fake_aux, pmu);
}

/* The driver */

static int aux_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static void aux_start(struct perf_event *event, int flags)
{
	struct fake_aux *t = aux_of_pmu(event);

	if (flags & PERF_EF_RESUME) {
		t->nr_pauses++;
		return;
	}
	event->hw.state = 0;
	if (perf_aux_output_begin(&t->handle, event))
		t->nr_starts++;
	else
		event->hw.state = PERF_HES_STOPPED;
	t->written = 0;
}

static void aux_stop(struct perf_event *event, int flags)
{
	struct fake_aux *t = aux_of_pmu(event);

	if (flags & PERF_EF_PAUSE) {
		t->nr_pauses++;
		if (t->nested)
			perf_aux_pause_leader(t->nested, false);
		return;
	}
	event->hw.state |= PERF_HES_STOPPED;
	if (!perf_get_aux(&t->handle) || t->holds_on)
		return;
	t->nr_stops++;
	if (t->is_full)
		perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(&t->handle, t->written);
}

static int aux_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		aux_start(event, 0);
	return flags & PERF_EF_START && event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void aux_del(struct perf_event *event, int flags)
{
	aux_stop(event, PERF_EF_UPDATE);
}

static void aux_read(struct perf_event *event)
{
}

static void *aux_setup(struct perf_event *event, void **pages, int nr_pages,
		       bool overwrite)
{
	struct fake_aux *t = aux_of_pmu(event);

	if (t->refuses)
		return NULL;
	t->nr_setup++;
	t->pages = pages;
	t->nr_pages = nr_pages;
	t->overwrite = overwrite;
	return t;
}

static void aux_free(void *data)
{
	struct fake_aux *t = data;

	t->nr_freed++;
	t->pages = NULL;
}

static void aux_event_mapped(struct perf_event *event, struct mm_struct *mm)
{
	aux_of_pmu(event)->nr_mapped++;
}

static void aux_event_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	aux_of_pmu(event)->nr_mapped--;
}

static long aux_snapshot(struct perf_event *event, struct perf_output_handle *to,
			 unsigned long size)
{
	struct fake_aux *t = aux_of_pmu(event);
	unsigned long end = t->handle.head + t->written;

	return perf_output_copy_aux(&t->handle, to, end - size, end);
}

/* The reader */

static void fake_register(struct kunit *test, struct fake_aux *t, int capabilities)
{
	t->pmu = (struct pmu) {
		.capabilities	= capabilities,
		.task_ctx_nr	= perf_sw_context,
		.event_init	= aux_event_init,
		.add		= aux_add,
		.del		= aux_del,
		.start		= aux_start,
		.stop		= aux_stop,
		.read		= aux_read,
		.setup_aux	= aux_setup,
		.free_aux	= aux_free,
		.event_mapped	= aux_event_mapped,
		.event_unmapped	= aux_event_unmapped,
		.snapshot_aux	= aux_snapshot,
	};
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&t->pmu, "kunit_aux", -1), 0);
	test->priv = t;
}

static void fake_open(struct kunit *test, struct fake_aux *t,
		      struct perf_event_attr *attr, int cpu,
		      struct task_struct *task)
{
	attr->type = t->pmu.type;
	attr->size = sizeof(*attr);
	t->event = perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->event);
	t->file = anon_inode_getfile("[perf_event]", &perf_event_fops, t->event,
				     O_RDWR);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->file);
}

/**
 * fake_make() - register the trace source, and open an event of it
 * @test: the test
 * @capabilities: capabilities of the PMU
 * @aux_watermark: aux_watermark of the event, in bytes
 *
 * The event counts the CPU that the test is bound to, and is disabled.
 *
 * Return: the event.
 */
struct fake_aux *fake_make(struct kunit *test, int capabilities,
			   u32 aux_watermark)
{
	struct perf_event_attr attr = {
		.disabled	= 1,
		.aux_watermark	= aux_watermark,
	};
	struct fake_aux *t = &fake_aux;

	fake_register(test, t, capabilities);
	fake_open(test, t, &attr, raw_smp_processor_id(), NULL);
	return t;
}

/**
 * fake_make_inherited() - register the trace source, and open an inherited event of this thread
 * @test: the test
 * @cpu: the CPU that the event is bound to
 *
 * The event is enabled.
 *
 * Return: the event.
 */
struct fake_aux *fake_make_inherited(struct kunit *test, int cpu)
{
	struct perf_event_attr attr = { .inherit = 1 };
	struct fake_aux *t = &fake_aux;

	fake_register(test, t, 0);
	fake_open(test, t, &attr, cpu, current);
	return t;
}

/**
 * fake_mmap() - map a part of the event's file, as mmap(2)
 * @t: the event
 * @prot: PROT_*
 * @pgoff: offset in pages
 * @pages: length in pages
 *
 * Return: the address, or an errno.
 */
long fake_mmap(struct fake_aux *t, int prot, unsigned long pgoff,
	       unsigned long pages)
{
	return vm_mmap(t->file, 0, pages << PAGE_SHIFT, prot, MAP_SHARED,
		       pgoff << PAGE_SHIFT);
}

/**
 * fake_map_data() - map the control page and the data
 * @test: the test
 * @t: the event
 */
void fake_map_data(struct kunit *test, struct fake_aux *t)
{
	t->len[0] = (1 + DATA_PAGES) << PAGE_SHIFT;
	t->mapped[0] = fake_mmap(t, PROT_READ | PROT_WRITE, 0, 1 + DATA_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(t->mapped[0]));
}

/**
 * fake_rb() - the event's buffer
 * @t: the event
 *
 * Return: the buffer, or NULL.
 */
struct perf_buffer *fake_rb(struct fake_aux *t)
{
	return rcu_dereference_protected(t->event->rb, true);
}

/**
 * fake_map_area() - set aux_offset and aux_size as a reader does, and map the area
 * @t: the event, with its data mapped
 * @prot: PROT_*
 * @pages: length in pages
 *
 * Return: the address, or an errno.
 */
long fake_map_area(struct fake_aux *t, int prot, unsigned long pages)
{
	struct perf_event_mmap_page *page = fake_rb(t)->user_page;

	page->aux_offset = AUX_PGOFF << PAGE_SHIFT;
	page->aux_size = (u64)pages << PAGE_SHIFT;
	return fake_mmap(t, prot, AUX_PGOFF, pages);
}

/**
 * fake_map() - map data and area
 * @test: the test
 * @t: the event
 * @prot: PROT_* of the area
 */
void fake_map(struct kunit *test, struct fake_aux *t, int prot)
{
	fake_map_data(test, t);
	t->len[1] = AUX_BYTES;
	t->mapped[1] = fake_map_area(t, prot, AUX_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(t->mapped[1]));
}

/**
 * fake_unmap() - unmap data or area, as munmap(2)
 * @t: the event
 * @which: 0 for the data, 1 for the area
 */
void fake_unmap(struct fake_aux *t, int which)
{
	vm_munmap(t->mapped[which], t->len[which]);
	t->len[which] = 0;
}

/**
 * fake_mapped() - fake_make() without capabilities, with the default watermark, and fake_map()
 * @test: the test
 * @prot: PROT_* of the area
 *
 * Return: the event.
 */
struct fake_aux *fake_mapped(struct kunit *test, int prot)
{
	struct fake_aux *t = fake_make(test, 0, 0);

	fake_map(test, t, prot);
	return t;
}

/**
 * fake_begin() - open a transaction as the driver does
 * @t: the event
 *
 * Return: @t, or NULL.
 */
void *fake_begin(struct fake_aux *t)
{
	guard(irqsave)();
	return perf_aux_output_begin(&t->handle, t->event);
}

/**
 * fake_end() - close the transaction as the driver does
 * @t: the event
 * @size: bytes written
 */
void fake_end(struct fake_aux *t, unsigned long size)
{
	guard(irqsave)();
	perf_aux_output_end(&t->handle, size);
}

/**
 * fake_settle() - wait for deferred work of the event
 * @t: the event
 */
void fake_settle(struct fake_aux *t)
{
	perf_wake_sync(&t->event->pending_wake);
	irq_work_sync(&t->event->pending_disable_irq);
}

/**
 * fake_head() - get the end of what the reader can read in the area
 * @t: the event
 *
 * Return: aux_head.
 */
u64 fake_head(struct fake_aux *t)
{
	return fake_rb(t)->user_page->aux_head;
}

/**
 * fake_next_record() - read the next record
 * @t: the event
 *
 * Return: the record; its type is 0 if there is none.
 */
struct fake_record fake_next_record(struct fake_aux *t)
{
	struct perf_buffer *rb = fake_rb(t);
	struct fake_record record = {};
	u64 at = t->read & rb->mask;
	u64 chunk = at >> rb->chunk_shift;
	void *from;

	if (t->read == rb->user_page->data_head)
		return record;
	from = rb->chunks[chunk] + (at - (chunk << rb->chunk_shift));
	memcpy(&record.header, from, sizeof(record.header));
	t->read += record.header.size;
	memcpy(&record, from, min_t(size_t, record.header.size, sizeof(record)));
	return record;
}

/**
 * fake_expect_record() - expect that the next record is a PERF_RECORD_AUX
 * @test: the test
 * @t: the event
 * @offset: expected aux_offset
 * @size: expected aux_size
 * @flags: expected flags
 */
void fake_expect_record(struct kunit *test, struct fake_aux *t,
			u64 offset, u64 size, u64 flags)
{
	struct fake_record record = fake_next_record(t);

	KUNIT_EXPECT_EQ(test, record.header.type, PERF_RECORD_AUX);
	KUNIT_EXPECT_EQ(test, record.header.size, sizeof(record));
	KUNIT_EXPECT_EQ(test, record.offset, offset);
	KUNIT_EXPECT_EQ(test, record.size, size);
	KUNIT_EXPECT_EQ(test, record.flags, flags);
}

/**
 * fake_aux_init() - init function of the suites, called in the thread that runs the test
 * @test: the test
 *
 * Return: 0 or an errno.
 */
int fake_aux_init(struct kunit *test)
{
	memset(&fake_aux, 0, sizeof(fake_aux));
	/* the event is bound to a CPU, so its driver part must run on that CPU */
	test_bind_here(test);
	/* gives this thread an address space */
	return kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0) ? 0 : -ENOMEM;
}

/**
 * fake_aux_exit() - exit function of the suites
 * @test: the test
 */
void fake_aux_exit(struct kunit *test)
{
	struct fake_aux *t = test->priv;

	if (!t)
		return;
	/* wait until the exit of the test's thread has unmapped the event's file */
	while (!IS_ERR_OR_NULL(t->file) && file_count(t->file) > 1) {
		flush_delayed_fput();
		msleep(20);
	}
	if (!IS_ERR_OR_NULL(t->file))
		__fput_sync(t->file);
	else if (!IS_ERR_OR_NULL(t->event))
		perf_event_release_kernel(t->event);
	perf_pmu_unregister(&t->pmu);
}
