// SPDX-License-Identifier: GPL-2.0
/*
 * Records of branches as a side of the core PMU: events with PERF_SAMPLE_BRANCH_STACK.
 *
 * The CPU records branches while the PMU is enabled and an event uses the records, so the records
 * stand still in the handler of the interrupt. They are read once per interrupt, and filtered for
 * each event that has a sample.
 *
 * The registers have one value that says what is recorded. Events that need another one do not fit
 * on the CPU at the same time.
 *
 * Records belong to the task that runs. When another task begins to run they are removed, or
 * replaced by its own records: a stack of calls (PERF_SAMPLE_BRANCH_CALL_STACK) is wrong if returns
 * of one task remove calls of another one.
 *
 * With X86_BRANCHES_ONE, the records are of branches after the overflow of one event's counter.
 * There is nothing to read at other times, so no snapshot.
 *
 * KVM opens an event that lends the registers to the guest of its task, see x86_branch_lends(). It
 * has no counter, and nothing is recorded of the host. What the guest has in the registers is saved
 * and restored like a stack of calls.
 *
 * Owns struct x86_branch_cpu of each CPU.
 *
 * Context: as documented at struct x86_side_ops.
 */
#include <linux/init.h>
#include <linux/perf_refusal.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include "../counters/counters.h"
#include "../counters/side.h"
#include "../standalone.h"
#include "branch.h"

/**
 * struct x86_branch_cpu - the records of a CPU
 * @select: what the users request of the hardware; valid with users
 * @users: number of events
 * @task: the task with these records
 * @recording: recording is on
 * @stale: the registers have records of another task or user
 * @resetting: these are being removed
 * @asleep: the CPU enters, or leaves, a state in which nothing may be recorded
 * @fresh: @raw has what is in the registers
 * @nr: number of records in @raw
 * @hw_idx: position of the latest one
 * @raw: the records
 * @stack: records of the sample that is being written
 * @entries: room for @stack
 * @counters: counters of @stack
 */
struct x86_branch_cpu {
	u64				select;
	unsigned int			users;
	const struct task_struct	*task;
	bool				recording;
	bool				stale;
	bool				resetting;
	bool				asleep;
	bool				fresh;
	unsigned int			nr;
	u64				hw_idx;
	struct perf_branch_entry	raw[X86_BRANCHES_MAX];
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[X86_BRANCHES_MAX];
	u64				counters[X86_BRANCHES_MAX];
};

/* In place of what the users request: the registers are a guest's. */
#define SELECT_LENT	U64_MAX

static DEFINE_PER_CPU(struct x86_branch_cpu, x86_branch_cpu);

/* Of struct x86_branch_saved. Without it, no core has records that must be saved. */
static struct kmem_cache *saved_cache __ro_after_init;

static const struct x86_branch_ops *x86_branch_ops_of(const struct x86_cpu_pmu *cpu)
{
	return cpu->core->branches.ops;
}

static bool x86_branch_is_call_stack(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static bool x86_branch_is_lent(const struct x86_branch_cpu *branch)
{
	return branch->select == SELECT_LENT;
}

/**
 * x86_branch_lends() - check whether an event lends the records to a guest
 * @event: a new event
 *
 * KVM uses this event to access the registers directly. It must not sample, and must have the
 * records for a stack of calls, which are saved at a switch.
 *
 * Context: task.
 * Return: true if it does.
 */
bool x86_branch_lends(struct perf_event *event)
{
	const struct x86_branches *branches = &x86_core_of(event->pmu)->branches;

	return event->attr.type == event->pmu->type &&
	       event->attr.config == INTEL_FIXED_VLBR_EVENT && has_branch_stack(event) &&
	       x86_branch_is_call_stack(event) && event->attr.exclude_host &&
	       !is_sampling_event(event) &&
	       branches->ops && branches->ops->lend && branches->can & X86_BRANCHES_STACK;
}

static int x86_branch_init_lent(struct perf_event *event)
{
	event->hw.branch_reg.config = SELECT_LENT;
	event->hw.branch_reg.reg = 0;
	event->attach_state |= PERF_ATTACH_TASK_DATA;
	return 0;
}

/*
 * What an event needs if its instruction is found with the branches before it: all branches of the
 * modes that it counts in.
 */
static int x86_branch_locating_type(struct perf_event *event, u64 *type)
{
	if (has_branch_stack(event)) {
		*type = event->attr.branch_sample_type;
		if (*type & PERF_SAMPLE_BRANCH_ANY)
			return 0;
		return perf_refuse(-EINVAL, "branch_sample_type",
				   "precise_ip 2 needs all branches");
	}
	*type = PERF_SAMPLE_BRANCH_ANY;
	if (!event->attr.exclude_user)
		*type |= PERF_SAMPLE_BRANCH_USER;
	if (!event->attr.exclude_kernel)
		*type |= PERF_SAMPLE_BRANCH_KERNEL;
	return 0;
}

static int x86_branch_event_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	u64 type = event->attr.branch_sample_type;
	struct x86_branch_request request;
	int err = 0;

	if (event->hw.flags & X86_EVENT_LENT)
		return x86_branch_init_lent(event);
	if (event->hw.flags & X86_EVENT_LOCATES)
		err = x86_branch_locating_type(event, &type);
	err = err ?: x86_branch_request(&request, &core->branches, type);
	if (!err && core->branches.ops->check)
		err = core->branches.ops->check(event);
	if (err)
		return err;
	event->hw.branch_reg.config = request.select;
	event->hw.branch_reg.reg = request.kinds;
	if (x86_branch_is_call_stack(event))
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	return x86_branch_counters_init(event);
}

static int x86_branch_together(const struct perf_event *event, const struct perf_event *other)
{
	if (x86_core_of(event->pmu)->branches.can & X86_BRANCHES_ONE)
		return perf_refuse(-EINVAL, "branch_sample_type",
				   "one event of a group can have records of branches");
	if (event->hw.branch_reg.config == other->hw.branch_reg.config)
		return 0;
	return perf_refuse(-EINVAL, "branch_sample_type",
			   "the group's events need records of different branches");
}

static int x86_branch_reserve(struct perf_event *event)
{
	if (x86_add_exclusive(x86_lbr_exclusive_lbr))
		return perf_refuse(-EBUSY, "branch_sample_type",
				   "a trace of branches is in use, which excludes their records");
	return 0;
}

static void x86_branch_release(struct perf_event *event)
{
	x86_del_exclusive(x86_lbr_exclusive_lbr);
}

static bool x86_branch_add(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);

	if (branch->users && (branch->select != event->hw.branch_reg.config ||
			      cpu->core->branches.can & X86_BRANCHES_ONE))
		return false;
	if (!branch->users++) {
		branch->select = event->hw.branch_reg.config;
		branch->stale = true;
	}
	perf_sched_cb_inc(event->pmu);
	return true;
}

static void x86_branch_del(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	this_cpu_ptr(&x86_branch_cpu)->users--;
	perf_sched_cb_dec(event->pmu);
}

/* Records that exist have the events that had the counters then. */
static void x86_branch_start(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (x86_branch_is_counter(event))
		this_cpu_ptr(&x86_branch_cpu)->stale = true;
}

/*
 * Do the records belong to the task that runs? After a switch, an interrupt may come before
 * x86_branch_sched_task() is called.
 */
static bool x86_branch_are_own(const struct x86_branch_cpu *branch)
{
	return !branch->stale && branch->task == current;
}

/* KVM may have written an older value, with which the CPU records: stop it first. */
static void x86_branch_remove_stale(struct x86_cpu_pmu *cpu, struct x86_branch_cpu *branch)
{
	branch->resetting = true;
	barrier();	/* from here on an NMI leaves recording off */
	x86_branch_ops_of(cpu)->stop(cpu);
	if (x86_branch_is_lent(branch))
		x86_branch_ops_of(cpu)->lend(cpu);
	x86_branch_ops_of(cpu)->reset(cpu);
	branch->stale = false;
	branch->task = current;
	barrier();	/* up to here */
	branch->resetting = false;
}

/* An NMI in between turns recording off, and on again. */
static void x86_branch_on(struct x86_cpu_pmu *cpu)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);

	if (branch->recording || branch->resetting || branch->asleep)
		return;
	if (!x86_branch_are_own(branch))
		x86_branch_remove_stale(cpu, branch);
	if (x86_branch_is_lent(branch))
		return;
	branch->fresh = false;
	branch->recording = true;
	barrier();	/* from here on an NMI stops it */
	x86_branch_ops_of(cpu)->start(cpu, branch->select);
}

static void x86_branch_off(struct x86_cpu_pmu *cpu)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);

	if (!branch->recording)
		return;
	x86_branch_ops_of(cpu)->stop(cpu);
	barrier();	/* up to here an NMI stops it */
	branch->recording = false;
}

static void x86_branch_quiet(struct x86_cpu_pmu *cpu)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);

	x86_branch_ops_of(cpu)->quiet(cpu);
	branch->recording = false;
	branch->stale = true;
	branch->fresh = false;
}

/**
 * x86_branch_records() - get the records of this CPU, as they are in the registers
 * @cpu: this CPU's PMU, disabled; an event uses the records
 * @entries: output, the latest record first; valid until the PMU is enabled
 *
 * Context: irqs off or NMI.
 * Return: the number of records.
 */
unsigned int x86_branch_records(struct x86_cpu_pmu *cpu, const struct perf_branch_entry **entries)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);

	if (!x86_branch_are_own(branch)) {
		branch->nr = 0;
	} else if (!branch->fresh) {
		branch->nr = x86_branch_ops_of(cpu)->read(cpu, branch->raw, &branch->hw_idx);
		branch->fresh = true;
	}
	*entries = branch->raw;
	return branch->nr;
}

static void x86_branch_before_sample(struct x86_cpu_pmu *cpu, struct perf_event *event,
				     struct perf_sample_data *data, struct pt_regs *regs)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);
	const struct perf_branch_entry *raw;

	if (!has_branch_stack(event))
		return;
	x86_branch_records(cpu, &raw);
	branch->stack.hw_idx = branch->hw_idx;
	branch->stack.nr = x86_branch_filter(branch->entries, branch->raw, branch->nr,
					     event->attr.branch_sample_type,
					     event->hw.branch_reg.reg);
	perf_sample_save_brstack(data, event, &branch->stack,
				 x86_branch_take_counters(cpu, event, branch->entries,
							  branch->stack.nr, branch->counters));
}

static void x86_branch_sched_task(struct x86_cpu_pmu *cpu, struct perf_event_pmu_context *pmu_ctx,
				  struct task_struct *task, bool sched_in)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);
	struct x86_branch_saved *saved = pmu_ctx ? perf_pmu_ctx_task_data(pmu_ctx) : NULL;

	if (!sched_in) {
		if (!saved)
			return;
		/* What was saved before is older than what the registers have. */
		saved->valid = false;
		saved->lent = x86_branch_is_lent(branch);
		if (x86_branch_are_own(branch))
			x86_branch_ops_of(cpu)->save(cpu, saved);
		return;
	}
	branch->fresh = false;
	if (!saved || !saved->valid || saved->lent != x86_branch_is_lent(branch)) {
		/* They were removed already if the task's first event was put on before. */
		branch->stale |= !x86_branch_are_own(branch);
		return;
	}
	branch->stale = true;
	barrier();	/* from here on an NMI gets no records */
	saved->valid = false;
	if (x86_branch_is_lent(branch))
		x86_branch_ops_of(cpu)->lend(cpu);
	x86_branch_ops_of(cpu)->restore(cpu, saved);
	branch->task = current;
	barrier();	/* up to here */
	branch->stale = false;
}

/* Hardware must have time to record the branches of a sample. */
static int x86_branch_check_period(struct perf_event *event, u64 value)
{
	return value > x86_core_of(event->pmu)->branches.early ? 0 : -EINVAL;
}

/* The side of cores with records of branches. */
const struct x86_side_ops x86_branch_side = {
	.event_init	= x86_branch_event_init,
	.together	= x86_branch_together,
	.reserve	= x86_branch_reserve,
	.release	= x86_branch_release,
	.add		= x86_branch_add,
	.del		= x86_branch_del,
	.start		= x86_branch_start,
	.on		= x86_branch_on,
	.off		= x86_branch_off,
	.quiet		= x86_branch_quiet,
	.before_sample	= x86_branch_before_sample,
	.sched_task	= x86_branch_sched_task,
	.check_period	= x86_branch_check_period,
};

/*
 * Copy the latest branches, for perf_snapshot_branch_stack. Recording stops first, so that few
 * branches of this code are recorded. Counters go on, unless an NMI comes.
 */
static int x86_branch_snapshot(struct perf_branch_entry *entries, unsigned int cnt)
{
	struct perf_branch_entry all[X86_BRANCHES_MAX];
	struct x86_branch_cpu *branch;
	struct x86_cpu_pmu *cpu;
	unsigned int nr = 0;
	unsigned long flags;
	u64 hw_idx;
	bool on;

	local_irq_save(flags);
	branch = this_cpu_ptr(&x86_branch_cpu);
	cpu = this_cpu_ptr(&x86_cpu_pmu);
	on = x86_cpu_leave_off(cpu);
	if (cpu->sides & BIT(X86_SIDE_BRANCHES) && x86_branch_are_own(branch) &&
	    !x86_branch_is_lent(branch)) {
		x86_branch_off(cpu);
		nr = min(x86_branch_ops_of(cpu)->read(cpu, all, &hw_idx), cnt);
		x86_branch_take_counters(cpu, NULL, all, nr, NULL);
	}
	if (on)
		x86_cpu_on(cpu);
	local_irq_restore(flags);
	memcpy(entries, all, nr * sizeof(*entries));
	return nr;
}

/**
 * x86_branch_low_power() - stop recording before a state of low power, or let it go on after it
 * @enter: it begins
 *
 * A CPU that delays the interrupt until branches were recorded would wait for branches there.
 *
 * Context: irqs off.
 */
void x86_branch_low_power(bool enter)
{
	struct x86_branch_cpu *branch = this_cpu_ptr(&x86_branch_cpu);
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	branch->asleep = enter;
	barrier();	/* from here on an NMI leaves recording off, or turns it on again */
	if (!(cpu->sides & BIT(X86_SIDE_BRANCHES)))
		return;
	if (enter)
		x86_branch_off(cpu);
	else if (cpu->on)
		x86_branch_on(cpu);
}

/* An address in user space, which is canonical, and of which no bit is a flag in any layout. */
#define PROBE_ADDRESS	0x123456789ab0ULL

/**
 * x86_branch_probe_register() - write to a register of a record, and read it again
 * @msr: the register; recording is off
 *
 * Some hypervisors let guests write such registers, and ignore it.
 *
 * Context: irqs off or boot. The register is 0 afterwards.
 * Return: true if it keeps what is written.
 */
bool x86_branch_probe_register(u32 msr)
{
	u64 value;

	return !x86_hw_write_safe(msr, PROBE_ADDRESS) && !x86_hw_read_safe(msr, &value) &&
	       value == PROBE_ADDRESS && !x86_hw_write_safe(msr, 0);
}

/**
 * x86_branch_probe() - check that the records of a kind of core exist
 * @core: the PMU as detected
 *
 * Context: irqs off or boot, on a CPU of that kind.
 */
void x86_branch_probe(struct x86_core_pmu *core)
{
	if (!core->branches.ops || core->branches.ops->probe(&core->branches))
		return;
	core->branches = (struct x86_branches) { };
	core->side[X86_SIDE_BRANCHES] = NULL;
}

/**
 * x86_branch_core_init() - prepare a core PMU for registration
 * @core: the PMU
 *
 * A stack of calls is saved while its task does not run, and so are the records of a guest. If
 * there was no memory for that, neither is offered: returns would have no calls, and the guest
 * would lose its records.
 *
 * Context: task, before events of the PMU exist.
 */
void x86_branch_core_init(struct x86_core_pmu *core)
{
	if (!saved_cache)
		core->branches.can &= ~X86_BRANCHES_STACK;
	if (core->branches.can & X86_BRANCHES_STACK)
		core->pmu.task_ctx_cache = saved_cache;
}

/**
 * x86_branch_init() - prepare records of branches, if the boot CPU has them
 *
 * Other kinds of cores have them as well, or events of their PMUs request none.
 *
 * Context: boot, after the kind of the boot CPU was met. Not later, because a static call cannot be
 * changed while a CPU comes online.
 */
void __init x86_branch_init(void)
{
	if (!x86_core_pmus[0]->branches.ops || x86_core_pmus[0]->branches.can & X86_BRANCHES_ONE)
		return;
	saved_cache = KMEM_CACHE(x86_branch_saved, 0);
	static_call_update(perf_snapshot_branch_stack, x86_branch_snapshot);
}

/**
 * x86_branch_exit() - undo x86_branch_init()
 *
 * The static call stays: a snapshot has no records where no event records any.
 *
 * Context: boot, before events exist.
 */
void __init x86_branch_exit(void)
{
	kmem_cache_destroy(saved_cache);
	saved_cache = NULL;
}
