// SPDX-License-Identifier: GPL-2.0
/*
 * Reading counters with RDPMC in user space: permission, indices, and clearing of old
 * counts, which must not be visible to other tasks. CR4.PCE depends on the two static
 * keys below and on mm->context.perf_rdpmc_allowed, see cr4_update_pce(). That is the number
 * of mappings in the mm that permit reading. It is 0 in a new mm.
 *
 * RDPMC reads the counter of the CPU that executes it. A reader of a CPU's event must be bound to
 * the CPU. Each mapping of such an event permits, also one that fork() has copied. A task's event
 * is for the program of the task: other readers do not run where it counts. hw.reader_mm is the
 * address space of the task that has the event mapped, and hw.nr_reader_maps is the number of its
 * mappings. Only these permit. There is one control page for all mappings, so it offers the counter
 * only while no other program has it mapped, see perf_event_page_is_own().
 *
 * Locking rules: hw.reader_mm changes from NULL by a cmpxchg. The holder of mmap_lock of
 * hw.reader_mm changes hw.nr_reader_maps, and hw.reader_mm back to NULL. The lock is held for
 * writing, or was downgraded since, so calls for one mm exclude each other. hw.reader_mm is not
 * dereferenced. An address space with a mapping exists, so another one has another address.
 *
 * The page is written again after each change of hw.reader_mm.
 *
 * Context: task, unless stated otherwise.
 */
#include <linux/device.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <asm/mmu_context.h>
#include "../counters/core_pmu.h"
#include "../counters/counters.h"
#include "../features/topdown.h"
#include "rdpmc.h"

/* The sysfs file "rdpmc" is 0: user space must not use RDPMC. */
DEFINE_STATIC_KEY_FALSE(rdpmc_never_available_key);

/* It is 2: every task may use RDPMC. With 1, tasks that have an event mapped may use it. */
DEFINE_STATIC_KEY_FALSE(rdpmc_always_available_key);

enum rdpmc_policy {
	RDPMC_NEVER,
	RDPMC_MAPPED,
	RDPMC_ALWAYS,
};

/* Written under rdpmc_mutex. */
static enum rdpmc_policy rdpmc_policy = RDPMC_MAPPED;
static DEFINE_MUTEX(rdpmc_mutex);

/**
 * x86_rdpmc_offered() - check whether new events can be read with RDPMC
 *
 * Return: true unless the sysfs file "rdpmc" is 0.
 */
bool x86_rdpmc_offered(void)
{
	return READ_ONCE(rdpmc_policy) != RDPMC_NEVER;
}

/**
 * perf_clear_dirty_counters() - clear counters that hold counts of other tasks
 *
 * Called when an mm that may use RDPMC is loaded. At that point the events of the previous
 * task are scheduled out, and the next task's events are not yet scheduled in. Only the
 * CPU's own events have counters, which are not cleared.
 *
 * Context: irqs off.
 */
void perf_clear_dirty_counters(void)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	u64 used = cpu->owned | (cpu->owned & cpu->pairs) << 1;
	u64 stale;

	if (!cpu->core)
		return;
	stale = x86_counters_clear_dirty(cpu, ~used);
	/*
	 * Without an event on the counter of slots, no event has a metric. The counter must be
	 * written first.
	 */
	if (cpu->core->metrics && stale & X86_PMC_FIXED_BIT(3))
		x86_hw_write(MSR_PERF_METRICS, 0);
}

/* Valid for events of core PMUs; other PMUs may use the bytes of hw.flags otherwise. */
static bool x86_rdpmc_user_may_read(const struct perf_event *event)
{
	return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

/*
 * Does the control page offer the counter? All mappings must belong to the task's program, and
 * one of them must permit.
 */
static bool x86_rdpmc_is_offered(const struct perf_event *event)
{
	const struct task_struct *target = event->hw.target;

	if (!x86_rdpmc_user_may_read(event) || !target)
		return x86_rdpmc_user_may_read(event);
	return READ_ONCE(event->hw.reader_mm) == READ_ONCE(target->mm) &&
	       perf_event_page_is_own(event);
}

/* All metrics are in one register, which is not the count of any of them. */
static bool x86_rdpmc_counts_metric(const struct perf_event *event)
{
	return event->hw.config_base & X86_PMC_METRICS_MASK;
}

/**
 * x86_perf_rdpmc_index() - get the operand of RDPMC that reads an event
 * @event: event of the core PMU, scheduled in on this CPU
 *
 * Context: irqs off, so that the event keeps its counter.
 * Return: the operand.
 */
int x86_perf_rdpmc_index(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	return x86_counter_rdpmc(event->hw.idx);
}

/**
 * x86_rdpmc_event_idx() - see pmu::event_idx
 * @event: the event; it counts
 *
 * Context: any.
 * Return: operand of RDPMC plus one, 0 if user space must not read the counter.
 */
int x86_rdpmc_event_idx(struct perf_event *event)
{
	if (!x86_rdpmc_is_offered(event) || event->hw.idx < 0 ||
	    event->hw.state & PERF_HES_STOPPED || x86_rdpmc_counts_metric(event))
		return 0;
	return x86_counter_rdpmc(event->hw.idx) + 1;
}

/* Update the CPUs that run threads of @mm. Other CPUs update when they switch to a thread. */
static void x86_rdpmc_permission_changed(struct mm_struct *mm)
{
	on_each_cpu_mask(mm_cpumask(mm), cr4_update_pce, NULL, 1);
}

/*
 * Count a mapping if it belongs to a reader. Returns false if it does not, as for another address
 * space than hw.reader_mm. A kernel thread borrows address spaces and is not their reader.
 *
 * A mapping of the task's program is not counted if hw.reader_mm is its address space before an
 * exec, in which another process still has the mapping. Then there is no offer, and the mapping
 * does not permit as long as it exists.
 */
static bool x86_rdpmc_add_reader(struct perf_event *event, struct mm_struct *mm)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!hwc->target)
		return true;
	if (READ_ONCE(hwc->reader_mm) != mm) {
		if (hwc->target->flags & PF_KTHREAD || READ_ONCE(hwc->target->mm) != mm)
			return false;
		/* Pairs with x86_rdpmc_drop_reader(). */
		if (cmpxchg(&hwc->reader_mm, NULL, mm))
			return false;
	}
	WRITE_ONCE(hwc->nr_reader_maps, hwc->nr_reader_maps + 1);
	return true;
}

/*
 * Returns what x86_rdpmc_add_reader() has returned for the mapping, or for another one of the same
 * event and address space.
 */
static bool x86_rdpmc_drop_reader(struct perf_event *event, struct mm_struct *mm)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!hwc->target)
		return true;
	if (READ_ONCE(hwc->reader_mm) != mm)
		return false;
	WRITE_ONCE(hwc->nr_reader_maps, hwc->nr_reader_maps - 1);
	if (hwc->nr_reader_maps)
		return true;
	/* Pairs with x86_rdpmc_add_reader(): the next reader begins with 0 mappings. */
	smp_store_release(&hwc->reader_mm, NULL);
	return true;
}

/**
 * x86_rdpmc_mapped() - see pmu::event_mapped
 * @event: the event
 * @mm: mm in which its buffer was mapped
 */
void x86_rdpmc_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_rdpmc_user_may_read(event) || !x86_rdpmc_add_reader(event, mm))
		return;
	x86_topdown_mapped(event);
	/* The mmap lock is held: a second mapping finds the CPUs already updated. */
	if (!atomic_fetch_inc(&mm->context.perf_rdpmc_allowed))
		x86_rdpmc_permission_changed(mm);
}

/**
 * x86_rdpmc_unmapped() - see pmu::event_unmapped
 * @event: the event
 * @mm: mm in which its buffer was unmapped
 */
void x86_rdpmc_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_rdpmc_user_may_read(event) || !x86_rdpmc_drop_reader(event, mm))
		return;
	if (!atomic_dec_return(&mm->context.perf_rdpmc_allowed))
		x86_rdpmc_permission_changed(mm);
}

/**
 * x86_rdpmc_width() - get the width of the counter that RDPMC reads for an event
 * @event: event of a core PMU
 * @indexed: x86_rdpmc_event_idx() of the event has just offered the counter
 *
 * The reader extends the sign. The counter of slots starts at 0, so its top bit is no sign.
 *
 * Context: any.
 * Return: number of bits, 0 if the control page must not offer the counter.
 */
unsigned int x86_rdpmc_width(const struct perf_event *event, bool indexed)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	if (!indexed && (!x86_rdpmc_is_offered(event) || x86_rdpmc_counts_metric(event)))
		return 0;
	if (event->hw.flags & X86_EVENT_TOPDOWN)
		return core->fixed_width + 1;
	return event->hw.idx >= INTEL_PMC_IDX_FIXED ? core->fixed_width : core->width;
}

static ssize_t rdpmc_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(rdpmc_policy));
}

static void x86_rdpmc_set_key(struct static_key_false *key, bool on)
{
	if (on)
		static_branch_enable(key);
	else
		static_branch_disable(key);
}

static ssize_t rdpmc_store(struct device *dev, struct device_attribute *attr,
			   const char *text, size_t size)
{
	unsigned int policy;
	int err;

	err = kstrtouint(text, 0, &policy);
	if (!err && policy > RDPMC_ALWAYS)
		err = -EINVAL;
	if (err)
		return err;

	guard(mutex)(&rdpmc_mutex);
	if (policy == rdpmc_policy)
		return size;
	WRITE_ONCE(rdpmc_policy, policy);
	x86_rdpmc_set_key(&rdpmc_never_available_key, policy == RDPMC_NEVER);
	x86_rdpmc_set_key(&rdpmc_always_available_key, policy == RDPMC_ALWAYS);
	on_each_cpu(cr4_update_pce, NULL, 1);
	return size;
}
static DEVICE_ATTR_RW(rdpmc);

static struct attribute *rdpmc_attrs[] = {
	&dev_attr_rdpmc.attr,
	NULL,
};

/* The file "rdpmc" of each core PMU. */
const struct attribute_group x86_rdpmc_group = {
	.attrs = rdpmc_attrs,
};
