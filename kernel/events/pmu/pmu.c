// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of PMUs, and the lookup of the PMU of an event.
 *
 * This file has the numbers of PMUs (attr.type), the protocol by which an event finds
 * its PMU, the count of task and CPU events of exclusive PMUs, and the CPUs that PMUs have left.
 * The devices in sysfs are in pmu_sysfs.c, the choice of a CPU for PMUs that CPUs share in
 * pmu_scope.c, and scheduling of events on a PMU in sched.c.
 *
 * __always_inline here and in context/ctx_swap.c: opening an event takes 25 instructions less, of
 * 5,300 with closing it (make bench, x86_64).
 *
 * Drivers call perf_pmu_register() and perf_pmu_unregister(). event.c calls
 * perf_pmu_of_event() and perf_pmu_release_event(). Context: task.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/idr.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "../base/attr.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/refusal.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "debugfs.h"
#include "pmu.h"

/* Numbers of permanent PMUs: the types of the ABI, and some assigned at boot. */
#define PERF_PMU_KEPT_MAX	(PERF_TYPE_MAX + 10)

static DEFINE_MUTEX(perf_pmu_mutex);
DEFINE_STATIC_SRCU(perf_pmu_srcu);

/* All PMUs, last registered first. A number is reserved with NULL before its PMU is listed. */
static LIST_HEAD(perf_pmus);
static DEFINE_IDR(perf_pmu_ids);

/*
 * Permanent PMUs, by number. Drivers call perf_pmu_unregister() under cpus_read_lock(), and it
 * waits for SRCU readers. A permanent PMU is looked up without SRCU, so its event_init() may take
 * cpus_read_lock().
 */
static struct pmu *perf_pmu_kept[PERF_PMU_KEPT_MAX] __ro_after_init;

/* The device bus is up. */
static bool perf_pmu_devices;

/* perf_pmu_core::entry of all registrations, also of PMUs that are unregistered and have events. */
static DEFINE_MUTEX(perf_pmu_cores_mutex);
static LIST_HEAD(perf_pmu_cores);

/* The last moment, see perf_pmu_moment(). */
static atomic64_t perf_pmu_last_moment;

/**
 * struct perf_pmu_core - the core's data for one registration of a PMU
 * @entry: on perf_pmu_cores
 * @pmu: the PMU
 * @users: references: the registration and, unless the PMU is permanent, each event
 * @cpus: per-CPU data, &pmu.cpu_pmu_context
 */
struct perf_pmu_core {
	struct list_head		entry;
	struct pmu			*pmu;
	refcount_t			users;
	struct perf_pmu_cpu __percpu	*cpus;
};

/**
 * struct perf_pmu_cpu - one PMU on one CPU
 * @here: the part that sched.c uses
 * @core: the registration, the same on every CPU
 * @left: when the driver last moved the events from here to another CPU, or 0 if they have moved
 *	here since, see perf_pmu_moment(); mutex of the CPU's context
 */
struct perf_pmu_cpu {
	struct perf_cpu_pmu_context	here;
	struct perf_pmu_core		*core;
	u64				left;
};

static struct perf_pmu_core *perf_pmu_core(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *here = raw_cpu_ptr(pmu->cpu_pmu_context);

	return container_of(here, struct perf_pmu_cpu, here)->core;
}

static int perf_pmu_core_make(struct pmu *pmu)
{
	struct perf_pmu_core *core = kzalloc(sizeof(*core), GFP_KERNEL);
	int cpu;

	if (!core)
		return -ENOMEM;
	core->cpus = alloc_percpu(struct perf_pmu_cpu);
	if (!core->cpus) {
		kfree(core);
		return -ENOMEM;
	}

	core->pmu = pmu;
	refcount_set(&core->users, 1);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(core->cpus, cpu)->core = core;
	pmu->cpu_pmu_context = &core->cpus->here;
	perf_sched_init_pmu(pmu);
	scoped_guard(mutex, &perf_pmu_cores_mutex)
		list_add(&core->entry, &perf_pmu_cores);
	return 0;
}

/**
 * perf_pmu_is_permanent() - whether a PMU is registered and never unregistered
 * @pmu: a PMU that was initialised for perf_pmu_register()
 *
 * Context: any.
 * Return: true if it is, so that no lookup needs to hold it.
 */
bool perf_pmu_is_permanent(const struct pmu *pmu)
{
	/* negative, so out of range, if registration failed */
	unsigned int type = pmu->type;

	return type < PERF_PMU_KEPT_MAX && perf_pmu_kept[type] == pmu;
}

/* Drop an event's or the registration's reference. An event of a permanent PMU has none. */
static void perf_pmu_core_put(struct pmu *pmu)
{
	struct perf_pmu_core *core;

	if (perf_pmu_is_permanent(pmu))
		return;
	core = perf_pmu_core(pmu);
	if (!refcount_dec_and_mutex_lock(&core->users, &perf_pmu_cores_mutex))
		return;
	list_del(&core->entry);
	mutex_unlock(&perf_pmu_cores_mutex);
	perf_sched_stop_pmu(pmu);
	pmu->cpu_pmu_context = NULL;
	free_percpu(core->cpus);
	kfree(core);
}

/* Make the PMU visible to lookups, with number @type, or the next free one if @type is negative. */
static int perf_pmu_publish(struct pmu *pmu, int type)
{
	int first = type < 0 ? PERF_TYPE_MAX : type;
	int end = type < 0 ? 0 : type + 1;
	int err;

	guard(mutex)(&perf_pmu_mutex);

	/* reserved with NULL: lookups do not find the number yet */
	pmu->type = idr_alloc(&perf_pmu_ids, NULL, first, end, GFP_KERNEL);
	if (pmu->type < 0)
		return pmu->type == -ENOSPC ? -EBUSY : pmu->type;

	err = perf_pmu_devices ? perf_pmu_sysfs_add(pmu) : 0;
	if (err) {
		idr_remove(&perf_pmu_ids, pmu->type);
		return err;
	}
	if (perf_pmu_devices)
		perf_debugfs_add(pmu);
	list_add_rcu(&pmu->entry, &perf_pmus);
	idr_replace(&perf_pmu_ids, pmu, pmu->type);
	return 0;
}

/**
 * perf_pmu_register() - register a PMU
 * @pmu: filled in by the driver; the core's members need not be initialised
 * @name: name of its device; must stay valid as long as @pmu, see perf_pmu_unregister()
 * @type: number for perf_event_attr.type, or -1 for the next free one
 *
 * Events can be opened on any CPU before this returns. If the device bus is not up
 * yet, the device is created when the bus is up.
 *
 * Context: task, may sleep. Does not take the CPU hotplug lock.
 * Return: 0, -EINVAL, -ENOMEM, -EBUSY if the number is taken, or the error of creating
 * the device. On failure all steps are undone.
 */
int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	int err;

	if (WARN_ONCE(!name, "perf: a PMU needs a name"))
		return -EINVAL;
	if (WARN_ONCE(pmu->scope >= PERF_PMU_MAX_SCOPE,
		      "perf: PMU %s: there is no scope %u", name, pmu->scope))
		return -EINVAL;

	pmu->name = name;
	pmu->dev = NULL;
	pmu->hrtimer_interval_ms = max(1, 1000 / HZ);
	atomic_set(&pmu->exclusive_cnt, 0);

	err = perf_pmu_core_make(pmu);
	if (err)
		return err;
	err = perf_pmu_publish(pmu, type);
	if (err) {
		perf_pmu_core_put(pmu);
		return err;
	}
	if ((pmu->capabilities & PERF_PMU_CAP_PERMANENT) &&
	    !WARN_ON_ONCE(system_state != SYSTEM_BOOTING || pmu->type >= PERF_PMU_KEPT_MAX))
		perf_pmu_kept[pmu->type] = pmu;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_pmu_register);

/**
 * perf_pmu_unregister() - unregister a PMU
 * @pmu: the PMU
 *
 * On return no lookup finds the PMU. The driver may free @pmu if there are no events.
 * Remaining events continue as far as the driver supports it, and the driver must keep
 * @pmu until the last of them is freed. All callbacks are still called for them. If @pmu
 * has a scope, they also move when their CPU goes offline.
 *
 * Context: task, may sleep. Does not take the CPU hotplug lock.
 */
void perf_pmu_unregister(struct pmu *pmu)
{
	if (WARN_ON_ONCE(perf_pmu_is_permanent(pmu)))
		return;
	scoped_guard(mutex, &perf_pmu_mutex) {
		idr_remove(&perf_pmu_ids, pmu->type);
		list_del_rcu(&pmu->entry);
	}
	/* wait for lookups in progress: each has opened its event or failed */
	synchronize_srcu(&perf_pmu_srcu);

	perf_debugfs_remove(pmu);
	perf_pmu_sysfs_remove(pmu);
	perf_pmu_core_put(pmu);
}
EXPORT_SYMBOL_GPL(perf_pmu_unregister);

/*
 * The device bus is up: create the devices of PMUs that were registered before. From now on
 * perf_pmu_register() creates them. A PMU works without a device if this fails.
 */
static int __init perf_pmu_add_devices(void)
{
	struct pmu *pmu;
	int err;

	err = perf_pmu_sysfs_init();
	if (err)
		return err;

	guard(mutex)(&perf_pmu_mutex);

	perf_pmu_devices = true;
	list_for_each_entry_reverse(pmu, &perf_pmus, entry) {
		err = perf_pmu_sysfs_add(pmu);
		if (err)
			pr_warn("perf: PMU %s has no device: error %d\n",
				pmu->name, err);
		perf_debugfs_add(pmu);
	}
	return 0;
}
device_initcall(perf_pmu_add_devices);

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/**
 * perf_pmu_for_each() - call a function for every registered PMU, last registered first; for tests
 * @fn: the function; may sleep
 * @arg: for @fn
 *
 * perf_pmu_unregister() does not return before @fn has returned.
 *
 * Context: task.
 */
void perf_pmu_for_each(void (*fn)(struct pmu *pmu, void *arg), void *arg)
{
	struct pmu *pmu;

	guard(srcu)(&perf_pmu_srcu);
	list_for_each_entry_srcu(pmu, &perf_pmus, entry,
				 srcu_read_lock_held(&perf_pmu_srcu))
		fn(pmu, arg);
}
#endif

/**
 * perf_pmu_cpu_gone() - end what PMUs have left on a dead CPU
 * @cpu: the CPU; no group is scheduled there any more
 *
 * A PMU that was unregistered while events were open is included: events of tasks may count on
 * @cpu again when the CPU is back.
 *
 * Context: task, may sleep.
 */
void perf_pmu_cpu_gone(int cpu)
{
	struct perf_pmu_core *core;

	guard(mutex)(&perf_pmu_cores_mutex);
	list_for_each_entry(core, &perf_pmu_cores, entry)
		perf_sched_cpu_gone(&per_cpu_ptr(core->cpus, cpu)->here);
}

/*
 * Lookup of the PMU of an event
 *
 *   1. A child event is offered to the PMU of its parent. If that PMU refuses, the
 *	search goes on as for a new event. A child event on the PMU of its parent relies
 *	on the parent's references.
 *   2. The event is offered to the PMU with the given number. For generic hardware events
 *	the number is in the upper half of config, for others in attr.type. A generic
 *	event without a number is offered to RAW, the CPU's PMU, before the PMU with the
 *	number attr.type.
 *   3. If no PMU has that number, the event is offered to each PMU, last registered first.
 *
 * -ENOENT from event_init() means that the event is not for this PMU. In 2 it is final.
 * In 3 the event is offered to the next PMU. Any other error ends the search. A PMU that
 * returns -ENOENT can have changed attr.type to the type of another PMU. Then the search is
 * repeated, once.
 */

/* No PMU has the number. Positive, to differ from any errno. */
#define PERF_PMU_NO_OWNER	1

/*
 * Drivers inspect the group that the event is to join, so the group must not change.
 * Inheritance has locked the child context already.
 */
static struct perf_event_context *perf_pmu_lock_group(struct pmu *pmu,
						      struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || pmu->task_ctx_nr == perf_sw_context)
		return NULL;
	if (!event->parent)
		return perf_ctx_lock_of_event(leader);
	lockdep_assert_held(&leader->ctx->mutex);
	return NULL;
}

static __always_inline int perf_pmu_event_init(struct pmu *pmu,
					       struct perf_event *event)
{
	struct perf_event_context *ctx = perf_pmu_lock_group(pmu, event);
	int err;

	event->pmu = pmu;
	err = pmu->event_init(event);
	if (ctx)
		mutex_unlock(&ctx->mutex);
	/* event_init() may have set destroy() before it failed */
	if (err)
		event->destroy = NULL;
	return err;
}

/* Check whether the PMU can count on the target of the event. event_init() has succeeded. */
static __always_inline int perf_pmu_check_place(struct pmu *pmu,
						struct perf_event *event)
{
	if (pmu->task_ctx_nr == perf_invalid_context &&
	    (event->attach_state & PERF_ATTACH_TASK))
		return perf_refuse(-EINVAL, "pid", "PMU %s counts CPUs, not tasks",
				   pmu->name);
	/* a driver has no CPU to select while its PMU moves, or when all of them are offline */
	if (!(event->attach_state & PERF_ATTACH_TASK) && (unsigned int)event->cpu >= nr_cpu_ids)
		return perf_refuse(-ENODEV, "cpu", "PMU %s is on no CPU now", pmu->name);

	if (pmu->scope == PERF_PMU_SCOPE_NONE || event->cpu < 0)
		return 0;
	if (perf_pmu_scope_cpu(pmu, event->cpu) < 0)
		return perf_refuse(-ENODEV, "cpu",
				   "no online CPU shares PMU %s with CPU %d",
				   pmu->name, event->cpu);
	return 0;
}

/*
 * Record a refusal for drivers that return only an errno. @before is perf_refusal_count()
 * before event_init(). If the count has changed, the driver has recorded its own refusal.
 */
static void perf_pmu_explain(struct pmu *pmu, int err, unsigned int before)
{
	bool ours = pmu->task_ctx_nr == perf_sw_context && !pmu->module &&
		    !pmu->parent;

	if (!ours && perf_refusal_count() == before)
		perf_refuse(err, "config", "PMU %s does not take this event",
			    pmu->name);
}

static void perf_pmu_destroy_event(struct perf_event *event)
{
	void (*destroy)(struct perf_event *event) = event->destroy;

	event->destroy = NULL;
	if (destroy)
		destroy(event);
}

/*
 * Offer an event to a PMU. Caller must hold perf_pmu_srcu, unless the PMU is permanent.
 * @before is perf_refusal_count().
 */
static int perf_pmu_offer(struct pmu *pmu, struct perf_event *event, unsigned int before)
{
	int err;

	if (pmu->module && !try_module_get(pmu->module))
		return perf_refuse(-ENODEV, "type", "the module of PMU %s is being unloaded",
				   pmu->name);

	err = perf_pmu_event_init(pmu, event);
	if (err) {
		if (err != -ENOENT)
			perf_pmu_explain(pmu, err, before);
		goto err_module;
	}

	err = perf_attr_check_pmu(&event->attr, pmu);
	if (!err)
		err = perf_pmu_check_place(pmu, event);
	if (!err) {
		if (!perf_pmu_is_permanent(pmu))
			refcount_inc(&perf_pmu_core(pmu)->users);
		return 0;
	}

	perf_pmu_destroy_event(event);
err_module:
	module_put(pmu->module);
	event->pmu = NULL;
	return err;
}

static struct pmu *perf_pmu_by_type(u32 type)
{
	guard(rcu)();
	return type > INT_MAX ? NULL : idr_find(&perf_pmu_ids, type);
}

/*
 * Offer an event to the PMU with the given number, if there is one. Its answer is final.
 * The PMU that a @generic event names must support generic events.
 */
static int perf_pmu_offer_owner(struct pmu *pmu, struct perf_event *event, bool generic)
{
	unsigned int before = perf_refusal_count();
	int err;

	if (!pmu)
		return PERF_PMU_NO_OWNER;
	if (generic && !(pmu->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE))
		return perf_refuse(-ENOENT, "config",
				   "names PMU %s, which knows no generic events",
				   pmu->name);
	err = perf_pmu_offer(pmu, event, before);
	if (err == -ENOENT)
		perf_pmu_explain(pmu, err, before);
	return err;
}

/* Step 2 of the lookup. */
static int perf_pmu_offer_number(struct perf_event *event)
{
	u32 named = event->attr.config >> PERF_PMU_TYPE_SHIFT;
	u32 type = event->attr.type;
	struct pmu *raw;
	int err;

	if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return perf_pmu_offer_owner(perf_pmu_by_type(type), event, false);
	if (named) {
		event->attr.config &= PERF_HW_EVENT_MASK;
		return perf_pmu_offer_owner(perf_pmu_by_type(named), event,
					    named != PERF_TYPE_RAW);
	}

	raw = perf_pmu_by_type(PERF_TYPE_RAW);
	err = raw ? perf_pmu_offer(raw, event, perf_refusal_count()) : -ENOENT;
	if (err != -ENOENT)
		return err;
	return perf_pmu_offer_owner(perf_pmu_by_type(type), event, false);
}

/* Step 3 of the lookup. */
static int perf_pmu_offer_all(struct perf_event *event)
{
	unsigned int before = perf_refusal_count();
	u32 type = event->attr.type;
	struct pmu *pmu;
	int err;

	list_for_each_entry_srcu(pmu, &perf_pmus, entry,
				 srcu_read_lock_held(&perf_pmu_srcu)) {
		err = perf_pmu_offer(pmu, event, perf_refusal_count());
		if (err != -ENOENT)
			return err;
	}
	if (perf_refusal_count() != before)
		return -ENOENT;
	return perf_refuse(-ENOENT, "type", "no PMU here takes an event of type %u",
			   type);
}

static bool perf_pmu_is_parents(const struct perf_event *event)
{
	return event->parent && event->parent->pmu == event->pmu;
}

/* No perf_attr_check_pmu() here: the attributes were checked for the parent. */
static int perf_pmu_offer_parents(struct perf_event *event)
{
	u32 type = event->attr.type;
	int err;

	/* a PMU that refused the parent may have changed its type to another PMU's type */
	event->attr.type = event->parent->attr.type;
	err = perf_pmu_event_init(event->parent->pmu, event);
	if (err) {
		event->attr.type = type;
		return err;
	}
	err = perf_pmu_check_place(event->pmu, event);
	if (err)
		perf_pmu_destroy_event(event);
	return err;
}

static int perf_pmu_offer_type(struct perf_event *event)
{
	u32 type = event->attr.type;
	struct pmu *kept = NULL;
	int err;

	if (type < PERF_PMU_KEPT_MAX)
		kept = perf_pmu_kept[array_index_nospec(type, PERF_PMU_KEPT_MAX)];
	/* needs no SRCU: a permanent PMU is never unregistered */
	if (kept) {
		unsigned int before = perf_refusal_count();

		err = perf_pmu_offer(kept, event, before);
		if (err == -ENOENT && !event->parent && event->attr.type == type)
			perf_pmu_explain(kept, err, before);
		return err;
	}

	/* SRCU holds off perf_pmu_unregister() until the event is initialised */
	guard(srcu)(&perf_pmu_srcu);
	err = perf_pmu_offer_number(event);
	return err == PERF_PMU_NO_OWNER ? perf_pmu_offer_all(event) : err;
}

/**
 * perf_pmu_of_event() - find the PMU of an event and initialise the event for it
 * @event: the event, ready for event_init(); not in a context
 *
 * If @event is to join a group: for a child event the caller must hold the mutex of the
 * leader's context. For any other event the caller must not hold it, it is taken here.
 *
 * On success event->pmu is set, with references that perf_pmu_release_event() drops. On
 * failure event->pmu is NULL, the driver has undone its steps, and the refusal is recorded.
 *
 * Context: task, may sleep.
 * Return: the PMU, or ERR_PTR: -ENOENT, -ENODEV, or the error of the PMU.
 */
struct pmu *perf_pmu_of_event(struct perf_event *event)
{
	u32 type;
	int err;

	if (event->parent && !perf_pmu_offer_parents(event))
		return event->pmu;

	type = event->attr.type;
	err = perf_pmu_offer_type(event);
	if (err == -ENOENT && event->attr.type != type)
		err = perf_pmu_offer_type(event);
	if (err) {
		event->pmu = NULL;
		return ERR_PTR(err);
	}
	/* the search found the parent's PMU: the child event relies on the parent's references */
	if (perf_pmu_is_parents(event)) {
		perf_pmu_core_put(event->pmu);
		module_put(event->pmu->module);
	}
	return event->pmu;
}

/**
 * perf_pmu_release_event() - release the PMU of an event
 * @event: the event, not in a context; event->pmu is set
 *
 * After destroy() struct pmu may be freed: the driver may have waited for this event.
 *
 * Context: task, may sleep.
 */
void perf_pmu_release_event(struct perf_event *event)
{
	bool parents = perf_pmu_is_parents(event);
	struct module *module = event->pmu->module;

	if (!parents)
		perf_pmu_core_put(event->pmu);
	perf_pmu_destroy_event(event);
	event->pmu = NULL;
	if (module && !parents)
		module_put(module);
}

/**
 * __perf_pmu_claim_exclusive() - account an event of an exclusive PMU
 * @event: the event
 *
 * An exclusive PMU has either task events or CPU events at a time.
 *
 * Context: task.
 * Return: 0, or -EBUSY while there are events of the other kind.
 */
int __perf_pmu_claim_exclusive(struct perf_event *event)
{
	bool task = event->attach_state & PERF_ATTACH_TASK;
	struct pmu *pmu = event->pmu;
	bool counted;

	counted = task ? atomic_inc_unless_negative(&pmu->exclusive_cnt)
		       : atomic_dec_unless_positive(&pmu->exclusive_cnt);
	if (!counted)
		return perf_refuse(-EBUSY, task ? "pid" : "cpu",
				   "PMU %s is in use for %s, and serves one kind only",
				   pmu->name, task ? "CPUs" : "tasks");
	event->attach_state |= PERF_ATTACH_EXCLUSIVE;
	return 0;
}

/**
 * __perf_pmu_release_exclusive() - undo perf_pmu_claim_exclusive()
 * @event: the event, with PERF_ATTACH_EXCLUSIVE set
 */
void __perf_pmu_release_exclusive(struct perf_event *event)
{
	event->attach_state &= ~PERF_ATTACH_EXCLUSIVE;
	if (event->attach_state & PERF_ATTACH_TASK)
		atomic_dec(&event->pmu->exclusive_cnt);
	else
		atomic_inc(&event->pmu->exclusive_cnt);
}

/**
 * __perf_pmu_check_exclusive() - check a context for a conflicting exclusive event
 * @event: the event, of an exclusive PMU
 * @ctx: the context in which @event is about to be installed
 *
 * Caller must hold ctx->mutex.
 *
 * Return: 0, or -EBUSY if @ctx has an event of the same PMU that may be on the same
 * CPU at the same time.
 */
int __perf_pmu_check_exclusive(struct perf_event *event,
			       struct perf_event_context *ctx)
{
	struct perf_event *other;

	lockdep_assert_held(&ctx->mutex);

	list_for_each_entry(other, &ctx->event_list, event_entry) {
		cond_resched();
		if (other->pmu != event->pmu)
			continue;
		if (other->cpu < 0 || event->cpu < 0 || other->cpu == event->cpu)
			return perf_refuse(-EBUSY, "type",
					   "PMU %s has an event there already, and takes one",
					   event->pmu->name);
	}
	return 0;
}

/**
 * perf_pmu_moment() - a moment among those at which PMUs move and CPUs come online
 *
 * Context: any.
 * Return: the number of the last such moment. Read before event_init(), it is compared with later
 * ones when the event is installed.
 */
u64 perf_pmu_moment(void)
{
	/* event_init() reads the driver's choice of a CPU afterwards */
	return atomic64_read_acquire(&perf_pmu_last_moment);
}

/**
 * perf_pmu_next_moment() - a PMU moves, or a CPU comes online
 *
 * Context: any.
 * Return: a number larger than all before.
 */
u64 perf_pmu_next_moment(void)
{
	return atomic64_inc_return(&perf_pmu_last_moment);
}

/**
 * perf_pmu_note_move() - a driver moves the events of its PMU to another CPU
 * @pmu: the PMU; it may be unregistered already
 * @src_cpu: the old CPU
 * @dst_cpu: the new CPU
 *
 * Caller must hold the mutexes of both CPUs' contexts.
 */
void perf_pmu_note_move(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	u64 moment = perf_pmu_next_moment();
	struct perf_pmu_core *core;

	/* pmu->cpu_pmu_context may be gone */
	guard(mutex)(&perf_pmu_cores_mutex);
	list_for_each_entry(core, &perf_pmu_cores, entry) {
		if (core->pmu != pmu)
			continue;
		per_cpu_ptr(core->cpus, src_cpu)->left = moment;
		per_cpu_ptr(core->cpus, dst_cpu)->left = 0;
	}
}

/**
 * __perf_pmu_check_cpu() - check whether a PMU still is on the CPU that its driver has selected
 * @event: the event, about to be installed; its PMU has no events of tasks
 * @since: perf_pmu_moment() from before event_init()
 *
 * An event that is installed on a CPU that its PMU has left would not move any more, and would end
 * silently with the CPU. Many drivers select the new CPU only after perf_pmu_migrate_context(), so
 * the PMU can have left before event_init(). The moment of a move is therefore not compared with
 * @since, but with that at which the CPU came online.
 *
 * A CPU that comes online may be selected anew without a move. An open that began before that is
 * refused, because the driver may have selected another CPU meanwhile.
 *
 * Caller must hold the mutex of the CPU's context.
 *
 * Return: 0, or -ENODEV if the PMU has left the CPU, or if the CPU was offline meanwhile.
 */
int __perf_pmu_check_cpu(struct perf_event *event, u64 since)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, event->cpu);
	struct perf_pmu_cpu *there;

	lockdep_assert_held(&cpuctx->ctx.mutex);

	there = container_of(per_cpu_ptr(event->pmu->cpu_pmu_context, event->cpu),
			     struct perf_pmu_cpu, here);
	if (since < cpuctx->online_since)
		return perf_refuse(-ENODEV, "cpu", "CPU %d was offline during this open",
				   event->cpu);
	if (there->left > cpuctx->online_since)
		return perf_refuse(-ENODEV, "cpu", "PMU %s has moved from CPU %d to another one",
				   event->pmu->name, event->cpu);
	return 0;
}

/**
 * perf_event_print_debug() - print the counters of this CPU; sysrq-p
 *
 * An architecture that can print its counters overrides this function.
 *
 * Context: any.
 */
void __weak perf_event_print_debug(void)
{
}
