// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the AUX area of a buffer.
 *
 * Owns rb->aux: when an area is made, who shares it, and what has to stop
 * before it goes. The reader says in the control page where it wants the area
 * and how large, and maps just that. What it wrote there is looked at once and
 * taken for nothing but a wish. Everybody who maps the area maps the same, and
 * the mapping counts as one of the buffer, so that its events keep writing to
 * it.
 *
 * Entry points: perf_aux_mmap(), and the operations of the mapping, in task
 * context with mmap_lock held for writing. Locking and lifetime: aux.h.
 */
#include <linux/mm.h>
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "../context/state.h"
#include "attach.h"
#include "aux.h"
#include "mmap.h"

static void perf_aux_stop_one(struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		event->pmu->stop(event, PERF_EF_UPDATE);
}

static void perf_aux_stop_locked(struct perf_event_context *ctx, void *arg)
{
	perf_aux_stop_one(arg);
}

static void perf_aux_stop_child(struct perf_event *event, void *parent)
{
	if (event->parent == parent)
		perf_aux_stop_one(event);
}

/* What is inherited from an event that is bound to a CPU writes to its buffer. */
static void perf_aux_stop_here(void *arg)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event *event = arg;
	struct perf_subctx *subctx;

	perf_cpu_lock(cpuctx);
	perf_aux_stop_one(event);
	if (event->attr.inherit && cpuctx->task_ctx) {
		perf_ctx_for_each_subctx_on(subctx, cpuctx->task_ctx)
			perf_sched_for_each_active(subctx, perf_aux_stop_child, event);
	}
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_aux_stop() - let an event end the transaction that it may have open
 * @event: that writes, or wrote, to a buffer; not inherited
 * @rb: the buffer; without an AUX area nothing is to be done
 *
 * It, or what is inherited from it and runs, stays stopped until it is
 * scheduled anew. If it may not write where it did, see to it first that it
 * cannot begin again.
 *
 * Context: task, irqs on; may interrupt another CPU.
 */
void perf_aux_stop(struct perf_event *event, const struct perf_buffer *rb)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);
	int cpu = READ_ONCE(event->cpu);

	if (!READ_ONCE(rb->aux) || !perf_event_has_aux(event) || !ctx)
		return;
	/* nothing runs on a CPU that is offline */
	if (cpu >= 0)
		smp_call_function_single(cpu, perf_aux_stop_here, event, 1);
	else
		perf_ctx_call(ctx, perf_aux_stop_locked, event);
}

static void perf_aux_stop_writers(struct perf_buffer *rb)
{
	struct perf_event *event;

	guard(mutex)(&rb->mutex);
	list_for_each_entry(event, &rb->events, rb_entry)
		perf_aux_stop(event, rb);
}

/**
 * perf_aux_start() - there is an AUX area where an event writes to
 * @event: that writes to the buffer, whose mutex is held
 *
 * Without one it could not be started, or it was stopped when the last one went.
 *
 * Context: task, irqs on; may interrupt another CPU.
 */
void perf_aux_start(struct perf_event *event)
{
	if (perf_event_has_aux(event))
		perf_event_restart(event);
}

static void perf_aux_start_writers(struct perf_buffer *rb)
{
	struct perf_event *event;

	guard(mutex)(&rb->mutex);
	list_for_each_entry(event, &rb->events, rb_entry)
		perf_aux_start(event);
}

/* Nobody refers to the area any more; the buffer loses a reference. */
static void perf_aux_gone(struct perf_aux_area *area)
{
	lockdep_assert_held(&area->rb->aux_mutex);

	WRITE_ONCE(area->rb->aux, NULL);
	perf_aux_free(area);
}

static void perf_aux_last_work(struct work_struct *work)
{
	struct perf_aux_area *area = container_of(work, struct perf_aux_area,
						  last_work);
	struct perf_buffer *rb = area->rb;

	/* it has queued this work, but may not have returned */
	irq_work_sync(&area->last_irq);
	scoped_guard(mutex, &rb->aux_mutex)
		perf_aux_gone(area);
	perf_rb_put(rb);
}

static void perf_aux_last_irq(struct irq_work *work)
{
	schedule_work(&container_of(work, struct perf_aux_area, last_irq)->last_work);
}

/**
 * perf_aux_put() - a transaction lets go of its area
 * @area: the area
 *
 * Context: any.
 */
void perf_aux_put(struct perf_aux_area *area)
{
	if (unlikely(refcount_dec_and_test(&area->refcount)))
		irq_work_queue(&area->last_irq);
}

static struct perf_aux_area *perf_aux_make(struct perf_event *event,
					   struct perf_buffer *rb,
					   unsigned long nr_pages, bool overwrite)
{
	struct perf_buffer_charge charge;
	struct perf_aux_area *area;
	int err;

	err = perf_charge_pages(&charge, nr_pages);
	if (err)
		return ERR_PTR(err);

	if (!perf_event_has_aux(event)) {
		perf_uncharge_pages(&charge);
		return ERR_PTR(perf_refuse(-EOPNOTSUPP, "mmap",
					   "PMU %s has no AUX area",
					   event->pmu->name));
	}
	area = perf_aux_alloc(event, nr_pages, overwrite);
	if (!area) {
		perf_uncharge_pages(&charge);
		return ERR_PTR(perf_refuse(-ENOMEM, "mmap",
					   "no AUX area of %lu pages that PMU %s can use",
					   nr_pages, event->pmu->name));
	}
	area->charge = charge;
	init_irq_work(&area->last_irq, perf_aux_last_irq);
	INIT_WORK(&area->last_work, perf_aux_last_work);
	return area;
}

static void perf_aux_publish(struct perf_aux_area *area, struct perf_buffer *rb)
{
	refcount_inc(&rb->refcount);
	area->rb = rb;
	WRITE_ONCE(rb->user_page->aux_head, 0);
	WRITE_ONCE(rb->user_page->aux_tail, 0);
	/* pairs with the load in perf_aux_get() */
	smp_store_release(&rb->aux, area);
}

/* Map the area that there is, or a new one. */
static struct perf_aux_area *perf_aux_share(struct perf_event *event,
					    struct perf_buffer *rb,
					    struct vm_area_struct *vma)
{
	struct perf_aux_area *area = rb->aux;

	lockdep_assert_held(&rb->aux_mutex);

	if (area && !area->nr_mappings)
		return ERR_PTR(perf_refuse(-EBUSY, "mmap",
					   "the last AUX area is still being written to"));
	if (area && (area->pgoff != vma->vm_pgoff ||
		     area->nr_pages != vma_pages(vma)))
		return ERR_PTR(perf_refuse(-EINVAL, "mmap",
					   "there is an AUX area already, of %u pages at page %lu",
					   area->nr_pages, area->pgoff));
	if (!area) {
		area = perf_aux_make(event, rb, vma_pages(vma),
				     !(vma->vm_flags & VM_WRITE));
		if (IS_ERR(area))
			return area;
		area->pgoff = vma->vm_pgoff;
		perf_aux_publish(area, rb);
	}
	WRITE_ONCE(area->nr_mappings, area->nr_mappings + 1);
	return area;
}

/* One mapping less. With the last one, whoever writes has to let go. */
static void perf_aux_unshare(struct perf_buffer *rb)
{
	struct perf_aux_area *area = rb->aux;

	guard(mutex)(&rb->aux_mutex);
	WRITE_ONCE(area->nr_mappings, area->nr_mappings - 1);
	if (area->nr_mappings)
		return;

	perf_uncharge_pages(&area->charge);
	perf_aux_stop_writers(rb);
	if (refcount_dec_and_test(&area->refcount)) {
		perf_aux_gone(area);
		/* the mapping has another one */
		perf_rb_put(rb);
	}
}

static void perf_aux_vma_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	scoped_guard(mutex, &rb->aux_mutex)
		WRITE_ONCE(rb->aux->nr_mappings, rb->aux->nr_mappings + 1);
	scoped_guard(mutex, &rb->mutex)
		perf_mapping_add(event, rb);
	perf_notify_pmu_mapped(event, vma->vm_mm);
}

static void perf_aux_vma_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	perf_notify_pmu_unmapped(event, vma->vm_mm);
	perf_aux_unshare(rb);
	perf_mapping_drop(event, rb);
}

/* Only the source writes: the mapping is writable to say that nothing is lost. */
static vm_fault_t perf_aux_vma_mkwrite(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct perf_aux_vma_ops = {
	.open		= perf_aux_vma_open,
	.close		= perf_aux_vma_close,
	.may_split	= perf_vma_may_split,
	.page_mkwrite	= perf_aux_vma_mkwrite,
};

/* Is this what the control page announces, and does it fit behind the data? */
static int perf_aux_check(const struct perf_buffer *rb,
			  struct vm_area_struct *vma)
{
	unsigned long nr_pages = vma_pages(vma);
	u64 offset = READ_ONCE(rb->user_page->aux_offset);
	u64 size = READ_ONCE(rb->user_page->aux_size);

	if (vma->vm_pgoff <= rb->nr_pages)
		return perf_refuse(-EINVAL, "mmap",
				   "page %lu is within the data, which has %u",
				   vma->vm_pgoff, rb->nr_pages);
	if (offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return perf_refuse(-EINVAL, "mmap",
				   "the mapping is at page %lu, aux_offset is %llu",
				   vma->vm_pgoff, offset);
	if (size != (u64)nr_pages << PAGE_SHIFT)
		return perf_refuse(-EINVAL, "mmap",
				   "the mapping has %lu pages, aux_size is %llu",
				   nr_pages, size);
	if (!is_power_of_2(nr_pages))
		return perf_refuse(-EINVAL, "mmap",
				   "%lu pages of AUX area asked, it has to be a power of two",
				   nr_pages);
	return 0;
}

/* The buffer that the area belongs to, referenced. */
static struct perf_buffer *perf_aux_buffer(struct perf_event *event,
					   struct vm_area_struct *vma)
{
	struct perf_buffer *rb = perf_rb_get_of_event(event);
	int err;

	if (!rb)
		return ERR_PTR(perf_refuse(-EINVAL, "mmap",
					   "the buffer has to be mapped before"));
	err = perf_aux_check(rb, vma);
	if (!err)
		return rb;
	perf_rb_put(rb);
	return ERR_PTR(err);
}

static int perf_aux_insert_pages(struct vm_area_struct *vma,
				 const struct perf_aux_area *area)
{
	unsigned long addr = vma->vm_start;
	int err = 0;

	/* read-only, because of perf_aux_vma_mkwrite() */
	vma_set_page_prot(vma);
	for (unsigned int i = 0; !err && i < area->nr_pages; i++) {
		err = vm_insert_page(vma, addr, virt_to_page(area->pages[i]));
		addr += PAGE_SIZE;
	}
	return err;
}

/* The event may have lost the buffer since, or been given another one. */
static int perf_aux_add_mapping(struct perf_event *event, struct perf_buffer *rb)
{
	guard(mutex)(&rb->mutex);
	if (rcu_access_pointer(event->output) != rb)
		return perf_refuse(-EINVAL, "mmap",
				   "the buffer has been unmapped meanwhile");
	perf_mapping_add(event, rb);
	return 0;
}

static int perf_aux_map(struct perf_event *event, struct perf_buffer *rb,
			struct vm_area_struct *vma)
{
	struct perf_aux_area *area;
	int err;

	scoped_guard(mutex, &rb->aux_mutex) {
		area = perf_aux_share(event, rb, vma);
		if (IS_ERR(area))
			return PTR_ERR(area);
	}
	err = perf_aux_insert_pages(vma, area);
	if (!err)
		err = perf_aux_add_mapping(event, rb);
	if (err)
		perf_aux_unshare(rb);
	/* the first one that succeeds, which need not be the first one that began */
	else if (!xchg(&area->in_use, true))
		perf_aux_start_writers(rb);
	return err;
}

/**
 * perf_aux_mmap() - map the AUX area of an event's buffer
 * @event: by way of which it is mapped
 * @vma: the new mapping, at an offset other than 0
 *
 * Return: 0; -EINVAL when the event has no buffer, or offset and size are not
 * what the control page says, or those of the area that there is; -EPERM when
 * the user may not have so much; -EOPNOTSUPP when the PMU has no AUX area;
 * -ENOMEM when there is no memory, or none that the driver can use; -EBUSY while
 * a driver holds on to the last area.
 */
int perf_aux_mmap(struct perf_event *event, struct vm_area_struct *vma)
{
	struct perf_buffer *rb = perf_aux_buffer(event, vma);
	int err;

	if (IS_ERR(rb))
		return PTR_ERR(rb);

	vma->vm_private_data = rb;
	vma->vm_ops = &perf_aux_vma_ops;
	err = perf_aux_map(event, rb, vma);
	if (!err)
		perf_notify_pmu_mapped(event, vma->vm_mm);
	perf_rb_put(rb);
	return err;
}
