// SPDX-License-Identifier: GPL-2.0
/*
 * A fake trace source in memory: a PMU with an AUX area whose trace is known.
 *
 * Files in debugfs stand in for the hardware. Writing a number to a file makes the source act
 * on the writer's CPU, with irqs off: for example, trace or skip that many bytes. The byte at
 * free-running offset n of a trace is n modulo FAKE_TRACE_PRIME, so a reader can detect bytes
 * that are misplaced, duplicated or missing. The rest follows real drivers. start() begins a
 * transaction on the area, stop() ends it. At the offset where the reader is to be woken, the
 * transaction is ended and the next one begun. When the area is full, the rest of the trace is
 * lost and the record is flagged as truncated. Each CPU has one source: add() fails while
 * another event uses the source, or if the event has no area.
 *
 * The capabilities of the PMU can be set. They apply to events that are opened, and to areas
 * that are mapped, afterwards.
 */
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../output/aux_area.h"

#define FAKE_TRACE_PRIME	251
#define FAKE_TRACE_FILTERS	4

/* perf_event_attr::config: start() calls perf_event_itrace_started(), as some drivers do */
#define FAKE_TRACE_ANNOUNCE	BIT_ULL(0)

/**
 * struct fake_area - AUX area as returned by setup_aux()
 * @pages: pages of the area, allocated by the core
 * @mask: size of the area in bytes, minus one
 * @overwrite: the trace overwrites data that was not read yet
 */
struct fake_area {
	void		**pages;
	unsigned long	mask;
	bool		overwrite;
};

/**
 * struct fake_source - trace source of one CPU
 * @event: event that uses the source, or NULL
 * @handle: transaction of the event
 * @area: area that is written to while a transaction is open, else NULL
 * @written: number of bytes written since the transaction was begun
 * @running: a transaction is open, and the source is not paused
 * @what: action that @interrupt performs
 * @amount: argument of @what
 * @interrupt: calls @what in hardirq context
 */
struct fake_source {
	struct perf_event		*event;
	struct perf_output_handle	handle;
	struct fake_area		*area;
	unsigned long			written;
	bool				running;
	void				(*what)(struct fake_source *source, u64 amount);
	u64				amount;
	struct irq_work			interrupt;
};

static DEFINE_PER_CPU(struct fake_source, fake_sources);

/* If set, add() returns -EBUSY on every CPU, as if another user had the sources. */
static u32 fake_busy;
/* setup_aux() refuses areas of more pages than this. */
static u32 fake_max_pages = 1024;
/* Number of pieces of adjacent pages in the area that was set up last. */
static u32 fake_pieces;

static void fake_trace_begin(struct fake_source *source)
{
	struct perf_event *event = source->event;

	source->written = 0;
	source->area = perf_aux_output_begin(&source->handle, event);
	if (source->area)
		return;
	source->running = false;
	event->hw.state |= PERF_HES_STOPPED;
}

static void fake_trace_end(struct fake_source *source)
{
	if (source->area->overwrite)
		source->handle.head += source->written;
	perf_aux_output_end(&source->handle, source->written);
	source->area = NULL;
}

static void fake_trace_start(struct perf_event *event, int flags)
{
	struct fake_source *source = this_cpu_ptr(&fake_sources);

	if (flags & PERF_EF_RESUME) {
		source->running = source->area;
		return;
	}
	if (event->attr.config & FAKE_TRACE_ANNOUNCE)
		perf_event_itrace_started(event);
	perf_event_addr_filters_sync(event);
	event->hw.state = 0;
	source->running = !event->hw.aux_paused;
	fake_trace_begin(source);
}

static void fake_trace_stop(struct perf_event *event, int flags)
{
	struct fake_source *source = this_cpu_ptr(&fake_sources);

	source->running = false;
	if (flags & PERF_EF_PAUSE)
		return;
	event->hw.state |= PERF_HES_STOPPED;
	if (source->area)
		fake_trace_end(source);
}

static int fake_trace_add(struct perf_event *event, int flags)
{
	struct fake_source *source = this_cpu_ptr(&fake_sources);

	if (source->event || READ_ONCE(fake_busy))
		return -EBUSY;
	source->event = event;
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		fake_trace_start(event, PERF_EF_RELOAD);
	if (flags & PERF_EF_START && event->hw.state & PERF_HES_STOPPED) {
		source->event = NULL;
		return -EINVAL;
	}
	if (event->attr.config1)
		perf_report_aux_output_id(event, event->attr.config1);
	return 0;
}

static void fake_trace_del(struct perf_event *event, int flags)
{
	fake_trace_stop(event, PERF_EF_UPDATE);
	this_cpu_write(fake_sources.event, NULL);
}

static void fake_trace_read(struct perf_event *event)
{
}

/* Write @size bytes of trace to the area. */
static void fake_trace_put(struct fake_source *source, unsigned long size)
{
	unsigned long at = source->handle.head + source->written, end = at + size, in;
	struct fake_area *area = source->area;
	u8 *page;

	for (; at != end; at++) {
		in = at & area->mask;
		page = area->pages[in >> PAGE_SHIFT];
		page[offset_in_page(in)] = at % FAKE_TRACE_PRIME;
	}
	source->written += size;
	local64_add(size, &source->event->count);
}

/* Publish what was traced so far, and go on with a new transaction. */
static void fake_trace_next(struct fake_source *source)
{
	fake_trace_end(source);
	fake_trace_begin(source);
}

/* Number of bytes that can be written before the reader must be woken, or the area is full. */
static u64 fake_trace_room(const struct fake_source *source)
{
	const struct perf_output_handle *handle = &source->handle;
	unsigned long at = handle->head + source->written;
	u64 room = handle->size - source->written;

	if (source->area->overwrite)
		return U64_MAX;
	if ((long)(handle->wakeup - at) > 0)
		return min_t(u64, room, handle->wakeup - at);
	return room;
}

static void fake_trace_write(struct fake_source *source, u64 size)
{
	u64 room, step;

	while (size && source->running) {
		room = fake_trace_room(source);
		step = min(size, room);
		fake_trace_put(source, step);
		size -= step;
		if (step < room)
			return;
		if (source->written < source->handle.size) {
			fake_trace_next(source);
		} else if (size) {
			perf_aux_output_flag(&source->handle, PERF_AUX_FLAG_TRUNCATED);
			fake_trace_stop(source->event, 0);
		}
	}
}

static void fake_trace_skip(struct fake_source *source, u64 size)
{
	if (!source->area)
		return;
	/* the skipped bytes come after those that were written: publish these first */
	if (source->written)
		fake_trace_next(source);
	if (source->area && perf_aux_output_skip(&source->handle, size))
		perf_aux_output_flag(&source->handle, PERF_AUX_FLAG_COLLISION);
}

static void fake_trace_flag(struct fake_source *source, u64 flags)
{
	if (source->area)
		perf_aux_output_flag(&source->handle, flags);
}

static void fake_trace_flush(struct fake_source *source, u64 unused)
{
	if (source->area)
		fake_trace_next(source);
}

static void fake_trace_interrupt(struct irq_work *work)
{
	struct fake_source *source = container_of(work, struct fake_source, interrupt);

	source->what(source, source->amount);
}

static unsigned int fake_count_pieces(void **pages, int nr_pages)
{
	unsigned int pieces = 1;

	for (int i = 1; i < nr_pages; i++)
		pieces += pages[i] != pages[i - 1] + PAGE_SIZE;
	return pieces;
}

static void *fake_trace_setup(struct perf_event *event, void **pages, int nr_pages,
			      bool overwrite)
{
	struct fake_area *area;

	if (nr_pages > READ_ONCE(fake_max_pages))
		return NULL;
	area = kzalloc(sizeof(*area), GFP_KERNEL);
	if (!area)
		return NULL;
	area->pages = pages;
	area->mask = ((unsigned long)nr_pages << PAGE_SHIFT) - 1;
	area->overwrite = overwrite;
	WRITE_ONCE(fake_pieces, fake_count_pieces(pages, nr_pages));
	return area;
}

static void fake_trace_free(void *area)
{
	kfree(area);
}

static long fake_trace_snapshot(struct perf_event *event,
				struct perf_output_handle *to, unsigned long size)
{
	struct fake_source *source = this_cpu_ptr(&fake_sources);
	unsigned long end = source->handle.head + source->written;

	size = min(size, end);
	if (source->event != event || !source->area || !size)
		return 0;
	return perf_output_copy_aux(&source->handle, to, end - size, end);
}

static int fake_trace_validate(struct list_head *filters)
{
	struct perf_addr_filter *filter;

	list_for_each_entry(filter, filters, entry) {
		/* the source can start or stop at an address, and trace only within a range */
		if (filter->size && filter->action != PERF_ADDR_FILTER_ACTION_FILTER)
			return -EOPNOTSUPP;
	}
	return 0;
}

/* Nothing to program: fake_filters_show() reads event->addr_filter_ranges directly. */
static void fake_trace_sync(struct perf_event *event)
{
}

static int fake_trace_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config & ~FAKE_TRACE_ANNOUNCE)
		return -EINVAL;
	if (is_sampling_event(event) || has_branch_stack(event))
		return -EOPNOTSUPP;
	event->hw.state = PERF_HES_STOPPED;
	return 0;
}

PMU_FORMAT_ATTR(announce, "config:0");
PMU_FORMAT_ATTR(id, "config1:0-63");

static struct attribute *fake_trace_format[] = {
	&format_attr_announce.attr,
	&format_attr_id.attr,
	NULL
};

static const struct attribute_group fake_trace_format_group = {
	.name	= "format",
	.attrs	= fake_trace_format,
};

static const struct attribute_group *fake_trace_groups[] = {
	&fake_trace_format_group,
	NULL
};

static struct pmu fake_trace_pmu = {
	.module			= THIS_MODULE,
	.attr_groups		= fake_trace_groups,
	.capabilities		= PERF_PMU_CAP_ITRACE | PERF_PMU_CAP_EXCLUSIVE |
				  PERF_PMU_CAP_AUX_PAUSE | PERF_PMU_CAP_NO_EXCLUDE,
	.task_ctx_nr		= perf_sw_context,
	.nr_addr_filters	= FAKE_TRACE_FILTERS,
	.event_init		= fake_trace_event_init,
	.add			= fake_trace_add,
	.del			= fake_trace_del,
	.start			= fake_trace_start,
	.stop			= fake_trace_stop,
	.read			= fake_trace_read,
	.setup_aux		= fake_trace_setup,
	.free_aux		= fake_trace_free,
	.snapshot_aux		= fake_trace_snapshot,
	.addr_filters_validate	= fake_trace_validate,
	.addr_filters_sync	= fake_trace_sync,
};

/* Files of debugfs in place of the hardware */

static const struct fake_happening {
	const char	*name;
	void		(*what)(struct fake_source *source, u64 amount);
} fake_happenings[] = {
	{ "write", fake_trace_write },
	{ "skip", fake_trace_skip },
	{ "flag", fake_trace_flag },
	{ "flush", fake_trace_flush },
};

static int fake_happening_set(void *data, u64 amount)
{
	const struct fake_happening *happening = data;
	struct fake_source *source;

	/* the irq_work must run while this task is current */
	guard(preempt)();
	source = this_cpu_ptr(&fake_sources);
	source->what = happening->what;
	source->amount = amount;
	irq_work_queue(&source->interrupt);
	while (irq_work_is_busy(&source->interrupt))
		cpu_relax();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fake_happening_fops, NULL, fake_happening_set, "%llu\n");

/* Print the address ranges of the event that uses the source of this CPU, one per line. */
static int fake_filters_show(struct seq_file *file, void *unused)
{
	const struct perf_addr_filter_range *range;
	struct perf_event *event;

	guard(irq)();
	event = this_cpu_read(fake_sources.event);
	if (!event || !event->addr_filter_ranges)
		return 0;
	for (int i = 0; i < FAKE_TRACE_FILTERS; i++) {
		range = &event->addr_filter_ranges[i];
		seq_printf(file, "%lx %lx\n", range->start, range->size);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fake_filters);

static struct dentry *fake_trace_dir;

static void fake_trace_make_files(void)
{
	fake_trace_dir = debugfs_create_dir("fake_trace", NULL);
	for (int i = 0; i < ARRAY_SIZE(fake_happenings); i++)
		debugfs_create_file_unsafe(fake_happenings[i].name, 0200,
					   fake_trace_dir,
					   (void *)&fake_happenings[i],
					   &fake_happening_fops);
	debugfs_create_u32("capabilities", 0600, fake_trace_dir,
			   (u32 *)&fake_trace_pmu.capabilities);
	debugfs_create_u32("busy", 0600, fake_trace_dir, &fake_busy);
	debugfs_create_u32("max_pages", 0600, fake_trace_dir, &fake_max_pages);
	debugfs_create_u32("pieces", 0400, fake_trace_dir, &fake_pieces);
	debugfs_create_file("filters", 0400, fake_trace_dir, NULL, &fake_filters_fops);
}

static int __init fake_trace_init(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		per_cpu(fake_sources, cpu).interrupt =
			IRQ_WORK_INIT_HARD(fake_trace_interrupt);
	err = perf_pmu_register(&fake_trace_pmu, "fake_trace", -1);
	if (!err)
		fake_trace_make_files();
	return err;
}
module_init(fake_trace_init);

static void __exit fake_trace_exit(void)
{
	debugfs_remove(fake_trace_dir);
	perf_pmu_unregister(&fake_trace_pmu);
}
module_exit(fake_trace_exit);

MODULE_DESCRIPTION("A trace source made of memory, for tests");
MODULE_LICENSE("GPL");
