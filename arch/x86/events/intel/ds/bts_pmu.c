// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU "intel_bts": a trace of the branches of a task or of a CPU in an AUX area.
 *
 * The area has whole records, struct intel_bts_record, as hardware writes them. A record does not
 * cross the end of the area: what is left there is skipped. In an event that excludes the kernel,
 * an address of the kernel is 0, which tools take for the beginning or the end of a trace.
 *
 * A full area stops the event, with PERF_AUX_FLAG_TRUNCATED in the record of what was written.
 * PERF_AUX_FLAG_PARTIAL says that the interrupt came so late that hardware has overwritten records.
 *
 * Owns struct bts_output.
 *
 * Context: irqs off or NMI, on the event's CPU, unless stated otherwise.
 */
#include <linux/init.h>
#include <linux/perf_refusal.h>
#include <linux/slab.h>
#include "../../branch/branch.h"
#include "../../counters/side.h"
#include "../../perf_event.h"
#include "bts.h"

#define RECORD_SIZE	sizeof(struct intel_bts_record)

/**
 * struct bts_area - an AUX area
 * @pages: its pages
 * @size: its size in bytes, a power of 2
 * @overwrite: old records are overwritten
 */
struct bts_area {
	void		**pages;
	unsigned long	size;
	bool		overwrite;
};

/**
 * struct bts_output - what a CPU writes
 * @handle: the open transaction
 * @area: the area; valid while @handle is open
 * @at: offset in the area at which the next record is written
 * @written: bytes that were written in this transaction
 */
struct bts_output {
	struct perf_output_handle	handle;
	const struct bts_area		*area;
	unsigned long			at;
	unsigned long			written;
};

static DEFINE_PER_CPU(struct bts_output, bts_output);

static bool bts_pmu_output_begin(struct bts_output *out, struct perf_event *event)
{
	out->area = perf_aux_output_begin(&out->handle, event);
	if (!out->area)
		return false;
	out->at = out->handle.head & (out->area->size - 1);
	out->written = 0;
	return true;
}

static bool bts_pmu_output_is_open(struct bts_output *out)
{
	return perf_get_aux(&out->handle);
}

static void bts_pmu_output_end(struct bts_output *out)
{
	if (!bts_pmu_output_is_open(out))
		return;
	if (out->area->overwrite)
		out->handle.head = out->at;
	perf_aux_output_end(&out->handle, out->written);
}

static void bts_pmu_output_truncated(struct bts_output *out)
{
	perf_aux_output_flag(&out->handle, PERF_AUX_FLAG_TRUNCATED);
	bts_pmu_output_end(out);
}

/* Continue at the beginning of the area. What was written before is published first. */
static bool bts_pmu_skip_end(struct bts_output *out, struct perf_event *event)
{
	unsigned long rest = out->area->size - out->at;

	if (!out->area->overwrite) {
		bts_pmu_output_end(out);
		if (!bts_pmu_output_begin(out, event))
			return false;
		if (perf_aux_output_skip(&out->handle, rest)) {
			bts_pmu_output_truncated(out);
			return false;
		}
	}
	out->at = 0;
	return true;
}

static void bts_pmu_copy_record(struct bts_output *out, const struct intel_bts_record *record)
{
	const void *from = record;
	unsigned long left, piece;

	for (left = RECORD_SIZE; left; left -= piece) {
		piece = min(left, PAGE_SIZE - offset_in_page(out->at));
		memcpy(out->area->pages[out->at >> PAGE_SHIFT] + offset_in_page(out->at), from,
		       piece);
		from += piece;
		out->at += piece;
	}
	out->written += RECORD_SIZE;
}

/* Returns false if the area is full: then the transaction is closed. */
static bool bts_pmu_put_record(struct bts_output *out, struct perf_event *event,
			       const struct intel_bts_record *record)
{
	if (out->at + RECORD_SIZE > out->area->size && !bts_pmu_skip_end(out, event))
		return false;
	if (!out->area->overwrite && out->handle.size - out->written < RECORD_SIZE) {
		bts_pmu_output_truncated(out);
		return false;
	}
	bts_pmu_copy_record(out, record);
	return true;
}

/* Remove what the event must not show. Returns false if nothing is left. */
static bool bts_pmu_show(const struct perf_event *event, struct intel_bts_record *record)
{
	if (!event->attr.exclude_kernel)
		return true;
	if (x86_branch_in_kernel(record->from))
		record->from = 0;
	if (x86_branch_in_kernel(record->to))
		record->to = 0;
	return record->from || record->to;
}

static bool bts_pmu_put_records(struct bts_output *out, struct perf_event *event,
				const struct intel_bts_chunk *chunk)
{
	struct intel_bts_record record;
	unsigned int part, i;

	for (part = 0; part < ARRAY_SIZE(chunk->part); part++) {
		for (i = 0; i < chunk->nr[part]; i++) {
			record = chunk->part[part][i];
			if (bts_pmu_show(event, &record) &&
			    !bts_pmu_put_record(out, event, &record))
				return false;
		}
	}
	return true;
}

/* While the trace goes on, what was written is published, and a new transaction begins. */
static void bts_pmu_take_records(struct x86_cpu_pmu *cpu, struct perf_event *event,
				 const struct intel_bts_chunk *chunk)
{
	struct bts_output *out = this_cpu_ptr(&bts_output);

	if (!bts_pmu_output_is_open(out))
		return;
	if (chunk->lost && !out->area->overwrite)
		perf_aux_output_flag(&out->handle, PERF_AUX_FLAG_PARTIAL);
	if (bts_pmu_put_records(out, event, chunk)) {
		if (!intel_bts_is_on())
			return;
		bts_pmu_output_end(out);
		if (bts_pmu_output_begin(out, event))
			return;
	}
	event->hw.state = PERF_HES_STOPPED;
	intel_bts_stop(cpu);
}

static unsigned int bts_pmu_whole_buffer(const struct perf_event *event)
{
	return INTEL_BTS_ROOM;
}

static const struct intel_bts_user area_user = {
	.room	= bts_pmu_whole_buffer,
	.take	= bts_pmu_take_records,
};

static void bts_pmu_event_start(struct perf_event *event, int flags)
{
	struct bts_output *out = this_cpu_ptr(&bts_output);

	event->hw.state = PERF_HES_STOPPED;
	if (!bts_pmu_output_begin(out, event))
		return;
	perf_event_itrace_started(event);
	event->hw.state = 0;
	intel_bts_start(this_cpu_ptr(&x86_cpu_pmu));
}

static void bts_pmu_event_stop(struct perf_event *event, int flags)
{
	intel_bts_stop(this_cpu_ptr(&x86_cpu_pmu));
	bts_pmu_output_end(this_cpu_ptr(&bts_output));
	event->hw.state = PERF_HES_STOPPED;
}

static int bts_pmu_event_add(struct perf_event *event, int flags)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (!intel_bts_get(cpu, event, &area_user))
		return -EBUSY;
	event->hw.state = PERF_HES_STOPPED;
	if (!(flags & PERF_EF_START))
		return 0;
	bts_pmu_event_start(event, 0);
	if (!(event->hw.state & PERF_HES_STOPPED))
		return 0;
	intel_bts_put(cpu);
	return -EBUSY;
}

static void bts_pmu_event_del(struct perf_event *event, int flags)
{
	bts_pmu_event_stop(event, PERF_EF_UPDATE);
	intel_bts_put(this_cpu_ptr(&x86_cpu_pmu));
}

/* There is nothing to count. */
static void bts_pmu_event_read(struct perf_event *event)
{
}

static void *bts_pmu_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	struct bts_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (unsigned long)nr_pages << PAGE_SHIFT;
	area->overwrite = overwrite;
	return area;
}

static void bts_pmu_free_aux(void *area)
{
	kfree(area);
}

static void bts_pmu_event_destroy(struct perf_event *event)
{
	intel_bts_release();
	x86_del_exclusive(x86_lbr_exclusive_bts);
}

static int bts_pmu_event_init(struct perf_event *event);

static struct pmu bts_pmu = {
	.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= bts_pmu_event_init,
	.add		= bts_pmu_event_add,
	.del		= bts_pmu_event_del,
	.start		= bts_pmu_event_start,
	.stop		= bts_pmu_event_stop,
	.read		= bts_pmu_event_read,
	.setup_aux	= bts_pmu_setup_aux,
	.free_aux	= bts_pmu_free_aux,
};

/* Why no CPU of the event has a trace; NULL if one has. */
static const char *bts_pmu_why_not(const struct perf_event *event)
{
	const struct x86_core_pmu *core;
	const char *why = NULL;
	unsigned int nr;

	for (nr = 0; nr < x86_core_pmu_count; nr++) {
		core = x86_core_pmus[nr];
		if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &core->cpus))
			continue;
		if (x86_side_is_offered(core, X86_SIDE_TRACE))
			return NULL;
		why = READ_ONCE(core->why_not[X86_SIDE_TRACE]) ?: "the CPU does not list it";
	}
	return why;
}

/*
 * A task context. Some CPUs do not filter levels exactly (erratum AR62), so users are refused. For
 * a child event the permission was granted to the process that opened its parent.
 */
static int bts_pmu_event_init(struct perf_event *event)
{
	const char *why_not;
	int err;

	if (event->attr.type != bts_pmu.type)
		return -ENOENT;
	why_not = event->parent ? NULL : bts_pmu_why_not(event);
	if (why_not)
		return perf_refuse(-EOPNOTSUPP, "type", "there is no trace of branches: %s",
				   why_not);
	if (!event->parent && perf_allow_kernel())
		return perf_refuse(-EACCES, "type",
				   "a trace of branches passes through the kernel");
	if (x86_add_exclusive(x86_lbr_exclusive_bts))
		return perf_refuse(-EBUSY, "type",
				   "another facility records branches, which excludes their trace");
	err = intel_bts_reserve();
	if (err) {
		x86_del_exclusive(x86_lbr_exclusive_bts);
		return err;
	}
	event->destroy = bts_pmu_event_destroy;
	return 0;
}

/* After the core PMUs, which detect the trace. */
static int __init bts_pmu_init(void)
{
	if (!x86_core_pmu_count || !x86_core_pmus[0]->side[X86_SIDE_TRACE] ||
	    !boot_cpu_has(X86_FEATURE_APIC))
		return 0;
	return perf_pmu_register(&bts_pmu, "intel_bts", -1);
}
arch_initcall(bts_pmu_init);
