// SPDX-License-Identifier: GPL-2.0
/*
 * Software events: occurrences of faults, switches, migrations.
 *
 * An occurrence visits only the sub-contexts that are scheduled in: the CPU's, the ones of
 * the running task's cgroups, and the task's. Each has one bit per id, which is set
 * while any event listens for the id, and one list of these listeners. While no event
 * on the machine listens for an id, the static key of the id makes perf_sw_event() a
 * no-op.
 *
 * Occurrences come in any context, NMI included; page faults with preemption enabled.
 * software_pmu.c adds the listeners.
 *
 * __always_inline here and in overflow_take.h: a counted page fault takes 78 instructions and
 * would take 106; a sampled one saves as many (make bench, x86_64).
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/recursion.h"
#include "../base/walk.h"
#include "../overflow/overflow_take.h"
#include "follow.h"
#include "software.h"

DEFINE_PER_CPU(struct pt_regs, __perf_regs[4]);

#ifdef CONFIG_JUMP_LABEL
#define SWEVENT_KEY(id)							\
	[id] = {							\
		.key	 = STATIC_KEY_FALSE_INIT,			\
		.timeout = HZ,						\
		.work	 = __DELAYED_WORK_INITIALIZER(			\
				perf_swevent_keys[id].work,		\
				jump_label_update_timeout, 0),		\
	}
#else
#define SWEVENT_KEY(id)							\
	[id] = {							\
		.key	 = STATIC_KEY_FALSE_INIT,			\
	}
#endif

/* Every opened event of the id holds its key. Child events rely on their parent's. */
struct static_key_false_deferred perf_swevent_keys[PERF_COUNT_SW_MAX] = {
	SWEVENT_KEY(PERF_COUNT_SW_CPU_CLOCK),
	SWEVENT_KEY(PERF_COUNT_SW_TASK_CLOCK),
	SWEVENT_KEY(PERF_COUNT_SW_PAGE_FAULTS),
	SWEVENT_KEY(PERF_COUNT_SW_CONTEXT_SWITCHES),
	SWEVENT_KEY(PERF_COUNT_SW_CPU_MIGRATIONS),
	SWEVENT_KEY(PERF_COUNT_SW_PAGE_FAULTS_MIN),
	SWEVENT_KEY(PERF_COUNT_SW_PAGE_FAULTS_MAJ),
	SWEVENT_KEY(PERF_COUNT_SW_ALIGNMENT_FAULTS),
	SWEVENT_KEY(PERF_COUNT_SW_EMULATION_FAULTS),
	SWEVENT_KEY(PERF_COUNT_SW_DUMMY),
	SWEVENT_KEY(PERF_COUNT_SW_BPF_OUTPUT),
	SWEVENT_KEY(PERF_COUNT_SW_CGROUP_SWITCHES),
};

static int perf_swevent_enter(void)
{
	int level = perf_context_level();
	u8 *inside = &current->perf_recursion[level];

	if (*inside)
		return -1;
	*inside = PERF_IN_OCCURRENCE;
	barrier();
	return level;
}

static void perf_swevent_leave(int level)
{
	barrier();
	current->perf_recursion[level] = 0;
}

/**
 * perf_swevent_get_recursion_context() - enter software-event code
 *
 * An event that occurs while another is handled in the same kind of context is dropped.
 * An event in an interrupt that came in between is not.
 *
 * Context: any, preemption off.
 * Return: 0..3 for task, softirq, hardirq, NMI; -1 when already inside.
 */
int perf_swevent_get_recursion_context(void)
{
	return perf_swevent_enter();
}
EXPORT_SYMBOL_GPL(perf_swevent_get_recursion_context);

/**
 * perf_swevent_put_recursion_context() - leave software-event code
 * @rctx: what perf_swevent_get_recursion_context() returned
 */
void perf_swevent_put_recursion_context(int rctx)
{
	perf_swevent_leave(rctx);
}

static __always_inline u64 __perf_swevent_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	u64 period = hwc->sample_period;
	u64 ended;

	hwc->last_period = period;
	do {
		if (left < 0)
			return 0;
		ended = likely(left < period) ? 1 : div64_u64(left, period) + 1;
	} while (!local64_try_cmpxchg(&hwc->period_left, &left,
				      left - ended * period));
	return ended;
}

/**
 * perf_swevent_set_period() - begin the next period of a software event
 * @event: a sampling event; period_left counts up to 0
 *
 * Context: any.
 * Return: how many periods have ended.
 */
u64 perf_swevent_set_period(struct perf_event *event)
{
	return __perf_swevent_set_period(event);
}

static __always_inline void perf_swevent_sample(struct perf_event *event, u64 nr,
						struct perf_sample_data *data,
						struct pt_regs *regs)
{
	u64 ended = 1;

	data->period = nr;
	/* With PERF_SAMPLE_PERIOD and no frequency, each occurrence is sampled with its weight. */
	if (!(event->attr.sample_type & PERF_SAMPLE_PERIOD) || event->attr.freq) {
		if (local64_add_negative(nr, &event->hw.period_left))
			return;
		ended = __perf_swevent_set_period(event);
		/* an NMI that came in between has ended this period */
		if (unlikely(!ended))
			return;
		data->period = event->hw.last_period;
	}
	perf_event_overflow_swevent(event, ended, data, regs);
}

/* Count. Return: true if the event samples, so its period may have ended. */
static __always_inline bool perf_swevent_add_count(struct perf_event *event, u64 nr,
						   struct pt_regs *regs)
{
	/* the limit of PERF_EVENT_IOC_REFRESH is reached: the event is about to be disabled */
	if (unlikely(event->pending_disable))
		return false;
	local64_add(nr, &event->count);
	return is_sampling_event(event) && regs;
}

/**
 * perf_swevent_count() - count occurrences for one event
 * @event: the event, ACTIVE
 * @nr: how many occurrences
 * @data: initialised sample; used when a period ends
 * @regs: registers at the occurrence, or NULL if unknown: counted, never sampled
 *
 * Context: any, preemption off.
 */
void perf_swevent_count(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	if (perf_swevent_add_count(event, nr, regs))
		perf_swevent_sample(event, nr, data, regs);
}

/**
 * perf_swevent_count_lost() - count occurrences of which no sample is taken
 * @event: the event, ACTIVE
 * @nr: how many occurrences
 *
 * Samples that would be due are counted as lost. They count neither for PERF_EVENT_IOC_REFRESH nor
 * for the frequency.
 *
 * Context: any, preemption off.
 */
void perf_swevent_count_lost(struct perf_event *event, u64 nr)
{
	u64 ended = 1;

	if (event->pending_disable)
		return;
	local64_add(nr, &event->count);
	if (!is_sampling_event(event))
		return;
	/* as in perf_swevent_sample() */
	if (!(event->attr.sample_type & PERF_SAMPLE_PERIOD) || event->attr.freq)
		ended = local64_add_negative(nr, &event->hw.period_left) ?
			0 : perf_swevent_set_period(event);
	atomic64_add(ended, &perf_event_root(event)->lost_samples);
}

static __always_inline bool __perf_swevent_excluded(const struct perf_event *event,
						    struct pt_regs *regs)
{
	if (!event->attr.exclude_user && !event->attr.exclude_kernel)
		return false;
	if (!regs)
		return false;
	return user_mode(regs) ? event->attr.exclude_user
			       : event->attr.exclude_kernel;
}

/**
 * perf_swevent_excluded() - whether the event excludes the mode of an occurrence
 * @event: the event
 * @regs: registers at the occurrence, or NULL if unknown
 *
 * Context: any.
 * Return: true if the occurrence must not be counted.
 */
bool perf_swevent_excluded(const struct perf_event *event, struct pt_regs *regs)
{
	return __perf_swevent_excluded(event, regs);
}

/* Notify a list of which some events may take a sample. */
static __always_inline void perf_swevent_notify_list(struct hlist_head *list, u64 nr,
						     struct pt_regs *regs, u64 addr)
{
	/* too large to be cleared at each occurrence; most take no sample */
	struct perf_sample_data data __uninitialized;
	struct perf_event *event;

	hlist_for_each_entry_rcu(event, list, hlist_entry) {
		if (perf_swevent_excluded(event, regs) ||
		    likely(!perf_swevent_add_count(event, nr, regs)))
			continue;
		perf_sample_data_init(&data, addr, 0);
		perf_swevent_sample(event, nr, &data, regs);
	}
}

static void perf_swevent_walk_list(struct hlist_head *list, u64 nr,
				   struct pt_regs *regs, u64 addr, unsigned long flags)
{
	struct perf_sample_data data __uninitialized;
	struct perf_event *event;
	struct hlist_node *node;
	struct perf_walk walk;

	perf_walk_begin(&walk, list->first);
	while ((node = perf_walk_step(&walk))) {
		event = hlist_entry(node, struct perf_event, hlist_entry);
		if (!__perf_swevent_excluded(event, regs) &&
		    unlikely(perf_swevent_add_count(event, nr, regs))) {
			perf_sample_data_init(&data, addr, 0);
			perf_swevent_sample(event, nr, &data, regs);
		}
		perf_walk_rest(&walk, flags);
	}
	perf_walk_end(&walk);
}

/*
 * The same for a sub-context with many events: interrupts are let in during the walk. They must
 * not preempt the task, because the walk is registered on this CPU. A reschedule that becomes due
 * happens at the next preemption point: interrupts are off when preemption is enabled here.
 */
static noinline void perf_swevent_notify_many(struct perf_subctx *subctx, u32 id, u64 nr,
					      struct pt_regs *regs, u64 addr,
					      unsigned long flags)
{
	struct perf_follower_list *group;
	struct hlist_node *node;
	struct perf_walk walk;

	guard(preempt_notrace)();
	perf_occurrence_irqs(perf_context_level(), flags);
	perf_swevent_walk_list(&subctx->listeners[id], nr, regs, addr, flags);
	perf_walk_begin(&walk, subctx->groups[id].first);
	while ((node = perf_walk_step(&walk))) {
		group = hlist_entry(node, struct perf_follower_list, linked);
		perf_swevent_walk_list(&group->events, nr, regs, addr, flags);
		perf_walk_rest(&walk, flags);
	}
	perf_walk_end(&walk);
}

static noinline void perf_swevent_notify_groups(struct hlist_head *groups, u64 nr,
						struct pt_regs *regs, u64 addr)
{
	struct perf_follower_list *group;

	hlist_for_each_entry_rcu(group, groups, linked)
		perf_swevent_notify_list(&group->events, nr, regs, addr);
}

/* Some listeners may take a sample, or follow a leader. */
static noinline void perf_swevent_notify_samplers(struct perf_subctx *subctx, u32 id,
						  u64 nr, struct pt_regs *regs, u64 addr,
						  unsigned long flags)
{
	perf_occurrence_irqs(perf_context_level(), flags);
	if (unlikely(!hlist_empty(&subctx->groups[id])))
		perf_swevent_notify_groups(&subctx->groups[id], nr, regs, addr);
	perf_swevent_notify_list(&subctx->listeners[id], nr, regs, addr);
}

/* All listeners only count. Nothing is called, so no registers need be saved for a call. */
static __always_inline void perf_swevent_notify_counters(struct perf_subctx *subctx,
							 u32 id, u64 nr,
							 struct pt_regs *regs)
{
	struct perf_event *event;

	hlist_for_each_entry_rcu(event, &subctx->listeners[id], hlist_entry) {
		if (likely(!__perf_swevent_excluded(event, regs)))
			local64_add(nr, &event->count);
	}
}

static __always_inline void perf_swevent_notify(struct perf_subctx *subctx, u32 id,
						u64 nr, struct pt_regs *regs,
						u64 addr, unsigned long flags,
						const bool sched)
{
	if (!(READ_ONCE(subctx->listened) & BIT(id)))
		return;
	if (likely(!(READ_ONCE(subctx->sampled) & BIT(id)))) {
		perf_swevent_notify_counters(subctx, id, nr, regs);
		return;
	}
	if (sched)
		local_save_flags(flags);
	if (likely(subctx->nr_events <= PERF_WALK_AT_ONCE)) {
		perf_swevent_notify_samplers(subctx, id, nr, regs, addr, flags);
		return;
	}
	perf_swevent_notify_many(subctx, id, nr, regs, addr, flags);
}

/* Not inlined: for most occurrences there are no cgroup events. */
static noinline void perf_swevent_notify_cgroups(struct perf_subctx *subctx, u32 id,
						 u64 nr, struct pt_regs *regs, u64 addr,
						 unsigned long flags)
{
	for (; subctx; subctx = READ_ONCE(subctx->chain))
		perf_swevent_notify(subctx, id, nr, regs, addr, flags, false);
}

/* @sched: the caller has irqs off and they stay off. @flags is not valid then. */
static __always_inline void perf_swevent_notify_all(u32 id, u64 nr,
						    struct pt_regs *regs, u64 addr,
						    unsigned long flags, const bool sched)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event_context *ctx = READ_ONCE(cpuctx->task_ctx);
	struct perf_subctx *subctx;

	perf_swevent_notify(&cpuctx->ctx.own, id, nr, regs, addr, flags, sched);
	subctx = READ_ONCE(cpuctx->cgroup_subctxs);
	if (unlikely(subctx)) {
		if (sched)
			local_save_flags(flags);
		perf_swevent_notify_cgroups(subctx, id, nr, regs, addr, flags);
	}
	if (!ctx)
		return;
	perf_swevent_notify(&ctx->own, id, nr, regs, addr, flags, sched);
	subctx = READ_ONCE(ctx->local);
	if (subctx)
		perf_swevent_notify(subctx, id, nr, regs, addr, flags, sched);
}

/**
 * perf_swevent_hit() - an event occurred; called through perf_sw_event()
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many occurrences
 * @regs: registers at the occurrence
 * @addr: address concerned, or 0
 *
 * Context: any.
 */
void perf_swevent_hit(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	unsigned long flags;
	int rctx;

	/* An interrupt could unlink the event that is being visited. */
	local_irq_save(flags);
	rctx = perf_swevent_enter();
	if (likely(rctx >= 0)) {
		perf_swevent_notify_all(event_id, nr, regs, addr, flags, false);
		perf_swevent_leave(rctx);
	}
	local_irq_restore(flags);
}

/**
 * perf_swevent_hit_sched() - an event occurred in the scheduler
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many occurrences
 * @regs: registers of the caller
 *
 * Needs no recursion context: with the rq lock held no task-level occurrence can be in
 * progress.
 *
 * Context: irqs off, rq lock held.
 */
void perf_swevent_hit_sched(u32 event_id, u64 nr, struct pt_regs *regs)
{
	perf_swevent_notify_all(event_id, nr, regs, 0, 0, true);
}
