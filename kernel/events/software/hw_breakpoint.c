// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware breakpoints: the PMU that has the debug registers as counters, and the
 * interface for breakpoints of ptrace, kgdb and modules.
 *
 * A breakpoint is an event of PERF_TYPE_BREAKPOINT. Each hit counts one. The slot of
 * the breakpoint is reserved when the event is created and released when the event is
 * destroyed, see breakpoint_slots.c. So add() always finds a free register. The
 * architecture defines the registers and writes them (asm/hw_breakpoint.h).
 *
 * Context: task. Exceptions: add(), del(), start() and stop() of the PMU run with irqs
 * off, perf_bp_event() and the handlers that it calls run in the debug exception, and
 * dbg_reserve_bp_slot() and dbg_release_bp_slot() run while all other CPUs are stopped.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/hw_breakpoint.h>
#include <linux/kdebug.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_refusal.h>

#include "../base/event.h"
#include "../base/recursion.h"
#include "breakpoint.h"
#include "breakpoint_slots.h"
#include "software.h"

static struct perf_bp_ledger perf_bp_ledger;
static DEFINE_MUTEX(perf_bp_mutex);

static enum bp_type_idx perf_bp_type_idx(u32 bp_type)
{
	return bp_type & HW_BREAKPOINT_RW ? TYPE_DATA : TYPE_INST;
}

static struct perf_bp_claim perf_bp_claim_of(const struct perf_event *bp, u32 bp_type)
{
	return (struct perf_bp_claim){
		.task	= bp->hw.target,
		.cpu	= bp->cpu,
		.type	= perf_bp_type_idx(bp_type),
	};
}

/* Caller must hold perf_bp_mutex, or have stopped all other CPUs. */
static int perf_bp_reserve(struct perf_event *bp)
{
	struct perf_bp_claim claim = perf_bp_claim_of(bp, bp->attr.bp_type);

	return perf_bp_take(&perf_bp_ledger, &claim);
}

static void perf_bp_release(struct perf_event *bp)
{
	struct perf_bp_claim claim = perf_bp_claim_of(bp, bp->attr.bp_type);

	perf_bp_give_back(&perf_bp_ledger, &claim);
}

/**
 * reserve_bp_slot() - take a debug register for a breakpoint
 * @bp: the breakpoint; task, CPU and type are set
 *
 * Context: task, may sleep.
 * Return: 0, -ENOSPC if no register is free, or -ENOMEM.
 */
int reserve_bp_slot(struct perf_event *bp)
{
	guard(mutex)(&perf_bp_mutex);
	return perf_bp_reserve(bp);
}

/**
 * release_bp_slot() - undo reserve_bp_slot()
 * @bp: the breakpoint
 *
 * Context: task, may sleep.
 */
void release_bp_slot(struct perf_event *bp)
{
	guard(mutex)(&perf_bp_mutex);
	perf_bp_release(bp);
}

/* See perf_bp_take_on(). */
int __perf_bp_take_on(const struct perf_event *bp, int cpu)
{
	struct perf_bp_claim claim = perf_bp_claim_of(bp, bp->attr.bp_type);

	claim.cpu = cpu;
	guard(mutex)(&perf_bp_mutex);
	return perf_bp_take(&perf_bp_ledger, &claim);
}

/* See perf_bp_give_back_on(). */
void __perf_bp_give_back_on(const struct perf_event *bp, int cpu)
{
	struct perf_bp_claim claim = perf_bp_claim_of(bp, bp->attr.bp_type);

	claim.cpu = cpu;
	guard(mutex)(&perf_bp_mutex);
	perf_bp_give_back(&perf_bp_ledger, &claim);
}

/**
 * dbg_reserve_bp_slot() - reserve_bp_slot() for a debugger that has stopped the machine
 * @bp: a CPU's breakpoint
 *
 * Context: all other CPUs are stopped. Does not sleep.
 * Return: 0, or negative: no slot is free, or perf_bp_mutex was held when the CPUs
 * were stopped.
 */
int dbg_reserve_bp_slot(struct perf_event *bp)
{
	if (mutex_is_locked(&perf_bp_mutex))
		return -1;
	return perf_bp_reserve(bp);
}

/**
 * dbg_release_bp_slot() - undo dbg_reserve_bp_slot()
 * @bp: the breakpoint
 *
 * Context: as dbg_reserve_bp_slot().
 * Return: 0, or -1 if perf_bp_mutex was held when the CPUs were stopped.
 */
int dbg_release_bp_slot(struct perf_event *bp)
{
	if (mutex_is_locked(&perf_bp_mutex))
		return -1;
	perf_bp_release(bp);
	return 0;
}

/**
 * hw_breakpoint_is_used() - whether there is any breakpoint
 *
 * Return: true if at least one slot is taken.
 */
bool hw_breakpoint_is_used(void)
{
	return READ_ONCE(perf_bp_ledger.nr);
}

/* Parse for the architecture. Watching kernel addresses needs CAP_SYS_ADMIN, once. */
static int perf_bp_parse(struct perf_event *bp, const struct perf_event_attr *attr,
			 bool granted, struct arch_hw_breakpoint *hw)
{
	int err = hw_breakpoint_arch_parse(bp, attr, hw);

	if (err)
		return perf_refuse(err, "bp_addr",
				   "address %#llx, length %llu, type %u: not on this machine",
				   attr->bp_addr, attr->bp_len, attr->bp_type);
	if (!arch_check_bp_in_kernelspace(hw))
		return 0;
	if (attr->exclude_kernel)
		return perf_refuse(-EINVAL, "exclude_kernel",
				   "the address %#llx is the kernel's", attr->bp_addr);
	if (!granted && !capable(CAP_SYS_ADMIN))
		return perf_refuse(-EPERM, "bp_addr",
				   "%#llx is the kernel's: needs CAP_SYS_ADMIN",
				   attr->bp_addr);
	return 0;
}

static int perf_bp_no_slot(u32 bp_type, int err)
{
	if (err != -ENOSPC)
		return err;
	return perf_refuse(err, "bp_type", "all %d debug registers for it are taken",
			   perf_bp_ledger.slots[perf_bp_type_idx(bp_type)]);
}

/**
 * register_perf_hw_breakpoint() - make an event a breakpoint
 * @bp: the event; it has no slot yet
 *
 * Context: task.
 * Return: 0; -ENOSPC if no debug register is free; -EINVAL, -EPERM, or the error of
 * the architecture for the address.
 */
int register_perf_hw_breakpoint(struct perf_event *bp)
{
	struct arch_hw_breakpoint hw = {};
	int err = reserve_bp_slot(bp);

	if (err)
		return perf_bp_no_slot(bp->attr.bp_type, err);
	/* the permission was granted to the process that opened the parent */
	err = perf_bp_parse(bp, &bp->attr, bp->parent, &hw);
	if (err) {
		release_bp_slot(bp);
		return err;
	}
	bp->hw.info = hw;
	return 0;
}

/**
 * register_user_hw_breakpoint() - a breakpoint in a task
 * @attr: address, length and type; for the rest see ptrace_breakpoint_init()
 * @hit: called at each hit
 * @data: for @hit
 * @task: the task
 *
 * Context: task.
 * Return: the event, or ERR_PTR.
 */
struct perf_event *register_user_hw_breakpoint(struct perf_event_attr *attr,
					       perf_overflow_handler_t hit,
					       void *data, struct task_struct *task)
{
	return perf_event_create_kernel_counter(attr, -1, task, hit, data);
}
EXPORT_SYMBOL_GPL(register_user_hw_breakpoint);

/* Only the breakpoint itself and its signal data may change. */
static bool perf_bp_is_like(const struct perf_event *bp,
			    const struct perf_event_attr *attr)
{
	struct perf_event_attr like = *attr;

	like.bp_addr = bp->attr.bp_addr;
	like.bp_len = bp->attr.bp_len;
	like.bp_type = bp->attr.bp_type;
	like.sig_data = bp->attr.sig_data;
	like.disabled = bp->attr.disabled;
	return !memcmp(&like, &bp->attr, sizeof(like));
}

/* A slot of the new type is taken before the old one is released, so failure loses nothing. */
static int perf_bp_change_slot(struct perf_event *bp, u32 bp_type)
{
	struct perf_bp_claim from = perf_bp_claim_of(bp, bp->attr.bp_type);
	struct perf_bp_claim to = perf_bp_claim_of(bp, bp_type);
	int err;

	if (from.type == to.type)
		return 0;
	guard(mutex)(&perf_bp_mutex);
	err = perf_bp_take(&perf_bp_ledger, &to);
	if (err)
		return perf_bp_no_slot(bp_type, err);
	perf_bp_give_back(&perf_bp_ledger, &from);
	return 0;
}

static int perf_bp_set(struct perf_event *bp, const struct perf_event_attr *attr,
		       const struct arch_hw_breakpoint *hw)
{
	int err = perf_bp_change_slot(bp, attr->bp_type);

	if (err)
		return err;
	bp->attr.bp_addr = attr->bp_addr;
	bp->attr.bp_len = attr->bp_len;
	bp->attr.bp_type = attr->bp_type;
	bp->attr.sig_data = attr->sig_data;
	bp->hw.info = *hw;
	return 0;
}

/**
 * modify_user_hw_breakpoint_check() - change a breakpoint
 * @bp: the breakpoint, disabled
 * @attr: new attributes; the caller must act on disabled
 * @check: refuse if anything but address, length, type and signal data would change
 *
 * Context: task.
 * Return: 0, or an errno as from register_perf_hw_breakpoint(). On error the breakpoint
 * is unchanged.
 */
int modify_user_hw_breakpoint_check(struct perf_event *bp, struct perf_event_attr *attr,
				    bool check)
{
	struct arch_hw_breakpoint hw = {};
	int err;

	err = perf_bp_parse(bp, attr, false, &hw);
	if (err)
		return err;
	if (check && !perf_bp_is_like(bp, attr))
		return perf_refuse(-EINVAL, "attr",
				   "only a breakpoint's address, length, type and signal data can change");
	return perf_bp_set(bp, attr, &hw);
}

/**
 * perf_bp_change() - change a breakpoint as another one was changed, or back
 * @bp: the breakpoint, disabled
 * @attr: attributes that its parent has got by modify_user_hw_breakpoint_check(), or that it had;
 *	of these it gets address, length, type and signal data
 *
 * No permission is checked again: current may be another process than the one that had it.
 *
 * Context: task.
 * Return: 0, or an errno as from register_perf_hw_breakpoint(). On error the breakpoint
 * is unchanged.
 */
int perf_bp_change(struct perf_event *bp, const struct perf_event_attr *attr)
{
	struct arch_hw_breakpoint hw = {};
	int err = perf_bp_parse(bp, attr, true, &hw);

	return err ?: perf_bp_set(bp, attr, &hw);
}

/**
 * modify_user_hw_breakpoint() - change a task's breakpoint
 * @bp: from register_user_hw_breakpoint()
 * @attr: address, length, type, disabled
 *
 * The handlers that ptrace has on powerpc, loongarch and sh disable a breakpoint that was hit.
 * On x86 and arm64 they only send a signal: there interrupts are always on here.
 *
 * Context: task, while the task with the breakpoint does not run. Or, with irqs off, the handler of
 * a breakpoint of current, which may disable it and change nothing else: to enable it needs a
 * mutex.
 * Return: 0, or an errno. On error the breakpoint is unchanged.
 */
int modify_user_hw_breakpoint(struct perf_event *bp, struct perf_event_attr *attr)
{
	int err;

	perf_event_disable(bp);
	err = modify_user_hw_breakpoint_check(bp, attr, false);
	if (!err)
		bp->attr.disabled = attr->disabled;
	if (!bp->attr.disabled)
		perf_event_enable(bp);
	return err;
}
EXPORT_SYMBOL_GPL(modify_user_hw_breakpoint);

/**
 * unregister_hw_breakpoint() - release a breakpoint
 * @bp: the breakpoint, or NULL
 *
 * Context: task.
 */
void unregister_hw_breakpoint(struct perf_event *bp)
{
	if (bp)
		perf_event_release_kernel(bp);
}
EXPORT_SYMBOL_GPL(unregister_hw_breakpoint);

static int perf_bp_register_online(struct perf_event * __percpu *events,
				   struct perf_event_attr *attr,
				   perf_overflow_handler_t hit, void *data)
{
	struct perf_event *bp;
	int cpu;

	guard(cpus_read_lock)();
	for_each_online_cpu(cpu) {
		bp = perf_event_create_kernel_counter(attr, cpu, NULL, hit, data);
		if (IS_ERR(bp))
			return PTR_ERR(bp);
		*per_cpu_ptr(events, cpu) = bp;
	}
	return 0;
}

/**
 * register_wide_hw_breakpoint() - a breakpoint on all CPUs that are online
 * @attr: the breakpoint, see hw_breakpoint_init()
 * @hit: called at each hit
 * @data: for @hit
 *
 * Context: task. Takes cpus_read_lock().
 * Return: one event for each CPU, or ERR_PTR.
 */
struct perf_event * __percpu *
register_wide_hw_breakpoint(struct perf_event_attr *attr, perf_overflow_handler_t hit,
			    void *data)
{
	struct perf_event * __percpu *events = alloc_percpu(struct perf_event *);
	int err = -ENOMEM;

	if (events)
		err = perf_bp_register_online(events, attr, hit, data);
	if (!err)
		return events;
	if (events)
		unregister_wide_hw_breakpoint(events);
	return (void __percpu __force *)ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(register_wide_hw_breakpoint);

/**
 * unregister_wide_hw_breakpoint() - undo register_wide_hw_breakpoint()
 * @events: what that returned
 *
 * Context: task.
 */
void unregister_wide_hw_breakpoint(struct perf_event * __percpu *events)
{
	int cpu;

	for_each_possible_cpu(cpu)
		unregister_hw_breakpoint(*per_cpu_ptr(events, cpu));
	free_percpu(events);
}
EXPORT_SYMBOL_GPL(unregister_wide_hw_breakpoint);

/**
 * perf_bp_event() - a breakpoint was hit
 * @bp: its event, on this CPU
 * @data: the registers, struct pt_regs
 *
 * A hit by the work that samples cause, such as a wakeup, is counted, and its sample is lost. An
 * event with a handler of its own causes no such work.
 *
 * Context: irqs off, in the debug exception. NMI rules apply on some architectures.
 */
void perf_bp_event(struct perf_event *bp, void *data)
{
	struct perf_sample_data sample;
	struct pt_regs *regs = data;

	if ((bp->hw.state & PERF_HES_STOPPED) || perf_swevent_excluded(bp, regs))
		return;
	perf_sample_data_init(&sample, bp->attr.bp_addr, 0);
	if (user_mode(regs)) {
		guard(perf_free_occurrence)();
		perf_swevent_count(bp, 1, &sample, regs);
	} else if (unlikely(perf_in_own_work()) && is_default_overflow_handler(bp)) {
		perf_swevent_count_lost(bp, 1);
	} else {
		perf_swevent_count(bp, 1, &sample, regs);
	}
}

static int perf_bp_event_init(struct perf_event *bp)
{
	int err;

	if (bp->attr.type != PERF_TYPE_BREAKPOINT)
		return -ENOENT;
	if (has_branch_stack(bp))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "breakpoints have no branch stack");
	err = register_perf_hw_breakpoint(bp);
	if (!err)
		bp->destroy = release_bp_slot;
	return err;
}

static int perf_bp_add(struct perf_event *bp, int flags)
{
	bp->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	if (is_sampling_event(bp)) {
		bp->hw.last_period = bp->hw.sample_period;
		perf_swevent_set_period(bp);
	}
	return arch_install_hw_breakpoint(bp);
}

static void perf_bp_del(struct perf_event *bp, int flags)
{
	arch_uninstall_hw_breakpoint(bp);
}

static void perf_bp_start(struct perf_event *bp, int flags)
{
	if (flags & PERF_EF_RELOAD && is_sampling_event(bp))
		perf_swevent_set_period(bp);
	bp->hw.state = 0;
}

static void perf_bp_stop(struct perf_event *bp, int flags)
{
	bp->hw.state = PERF_HES_STOPPED;
}

static struct pmu perf_breakpoint = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_PERMANENT,
	.event_init	= perf_bp_event_init,
	.add		= perf_bp_add,
	.del		= perf_bp_del,
	.start		= perf_bp_start,
	.stop		= perf_bp_stop,
	.read		= hw_breakpoint_pmu_read,
};

static struct notifier_block perf_bp_exceptions = {
	.notifier_call	= hw_breakpoint_exceptions_notify,
	/* before notifiers that take any debug exception for their own single step */
	.priority	= INT_MAX,
};

/**
 * init_hw_breakpoint() - register the PMU; boot
 *
 * Return: 0 or an errno. After -ENOMEM there is no breakpoint PMU.
 */
int __init init_hw_breakpoint(void)
{
	int type, err;

	for (type = 0; type < TYPE_MAX; type++)
		perf_bp_ledger.slots[type] = min(hw_breakpoint_slots(type),
						 PERF_BP_MAX_SLOTS);
	err = perf_bp_ledger_init(&perf_bp_ledger);
	if (err)
		return err;
	perf_pmu_register(&perf_breakpoint, "breakpoint", PERF_TYPE_BREAKPOINT);
	return register_die_notifier(&perf_bp_exceptions);
}
