// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the counts of an event or a group.
 *
 * A total is the sum of the event's own count, the counts of its child events, and the
 * final counts of child events that are gone. Software events are read from memory,
 * wherever their task runs. Only reading a PMU's counter of a group that is scheduled
 * in interrupts its CPU, once for the whole group. That is also so for counters that several CPUs
 * share (pmu::scope, PERF_EV_CAP_READ_ACTIVE_PKG). Their drivers add to the count with local64
 * operations, also in a timer on the event's CPU. With a reader on another CPU at the same time, a
 * difference would be added twice or be lost.
 *
 * A group with child events is read task by task: the group that was opened at one moment, and
 * the group of each child task at one moment. child_mutex of the leader is held meanwhile, so
 * that the members agree on which child events are gone:
 *
 *	exit	The counts of a task's child events are final before the first of them is
 *		added to its parent. The child event of the leader is added before the child
 *		events of its siblings, and that waits for child_mutex. So while it is listed, its
 *		siblings are listed too. Otherwise the siblings count the same, listed or
 *		added.
 *	fork	The child event of the leader is listed before its siblings' child events.
 *		They count nothing before all are listed.
 *
 * The values are stored in the child events, and added under the child_mutex of each member. So
 * each child event is counted once, also if it leaves its group in between: with its stored
 * count if it is listed, and with its final one if it has been added to its parent.
 *
 * Exits and forks of the child tasks wait for child_mutex of the leader until all are read. An
 * exec with remove_on_exec removes the siblings first, at other moments than the leader.
 *
 * Caller must hold the mutex of the event's context, but for functions that take it and
 * perf_event_read_local(). Context: task, but for the latter.
 *
 * __always_inline here and in base/times.c: reading a group takes 37 instructions less, and 13 less
 * for each further member, of 540 and 40 (make bench, x86_64).
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../sample/sample_read.h"
#include "../sched/pmu_ops.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "read.h"

/* Largest read, bytes. A sample that includes these values still fits into a u16 size. */
#define PERF_READ_MAX	(16 * 1024)

/* on the stack: a group of five with ids and times */
#define PERF_READ_SMALL	16

/* Return: the formats of @formats, a mask as perf_event::group_formats, that are too large. */
static u32 perf_read_too_large(u32 formats, unsigned int nr_members)
{
	unsigned long left = formats;
	unsigned int format;
	u32 found = 0;

	for_each_set_bit(format, &left, 8 * sizeof(formats)) {
		if (perf_read_size(format, nr_members) > PERF_READ_MAX)
			found |= BIT(format);
	}
	return found;
}

/**
 * perf_read_admit() - admit one more member, if the group can be read with it
 * @leader: leader of the group
 * @joining: the new member; on success its format is added to group_formats
 *
 * Every member can be read with its own format. The formats of all members are collected
 * again only if one of the known formats would be too large.
 *
 * Caller must hold ctx->mutex.
 *
 * Return: true if the member may join.
 */
bool perf_read_admit(struct perf_event *leader, struct perf_event *joining)
{
	unsigned int nr = 1 + leader->nr_siblings + 1;
	struct perf_event *event;

	BUILD_BUG_ON(PERF_FORMAT_MAX > 8 * sizeof(leader->group_formats));
	/* no format is known yet, or members with a large format may have left */
	if (!leader->group_formats || perf_read_too_large(leader->group_formats, nr)) {
		leader->group_formats = 0;
		perf_group_for_each(event, leader)
			leader->group_formats |= BIT(event->attr.read_format);
	}
	if (perf_read_too_large(leader->group_formats, nr) ||
	    perf_read_size(joining->attr.read_format, nr) > PERF_READ_MAX)
		return false;
	leader->group_formats |= BIT(joining->attr.read_format);
	return true;
}

/*
 * Whether the event is a clock, which computes its count when read: an ACTIVE unscheduled
 * event with a count in memory that is not current.
 */
static __always_inline bool perf_read_is_clock(const struct perf_event *event)
{
	return unlikely(!(event->event_caps & PERF_EV_CAP_CURRENT)) &&
	       perf_event_is_nosched(event) && perf_event_has_counter(event);
}

static bool perf_read_needs_counter(const struct perf_event *event)
{
	return !perf_event_is_nosched(event) && perf_event_needs_read(event);
}

struct perf_read_one {
	struct perf_event	*event;
	struct perf_event_value	*value;
};

/* The event's count. A counter has been read. Context: as for perf_read_one_locked(). */
static u64 perf_read_count(const struct perf_event *event, u64 now)
{
	if (perf_read_is_clock(event))
		return perf_clock_event_peek(event, perf_event_running_clock(event, now));
	return local64_read(&event->count);
}

/*
 * Caller must hold ctx->lock or run on the context's CPU with irqs off; the latter if the
 * event has a counter.
 */
static void perf_read_one_locked(struct perf_event_context *ctx, void *arg)
{
	const struct perf_read_one *one = arg;
	struct perf_event_value *value = one->value;
	struct perf_event *event = one->event;
	struct perf_event_times times;
	u64 now = perf_ctx_now(ctx);

	if (perf_read_needs_counter(event))
		event->pmu->read(event);
	perf_event_times(event, now, &times);
	value->count = perf_read_count(event, now);
	value->enabled = times.enabled;
	value->running = times.running;
}

/* Whether the event's group has no counter on a PMU, so that counts in memory are current. */
static bool perf_read_from_memory(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return !leader->group_pmu || !perf_event_has_counter(leader);
}

/*
 * On the CPU where the context is scheduled in, irqs off keep it stable: other CPUs change
 * it by IPI. On other CPUs ctx->lock keeps it stable, but its counters cannot be read.
 */
static void perf_read_ctx(const struct perf_event *event, perf_ctx_fn fn, void *arg)
{
	struct perf_event_context *ctx = event->ctx;

	scoped_guard(irqsave) {
		if (READ_ONCE(ctx->cpu) == smp_processor_id()) {
			fn(ctx, arg);
			return;
		}
	}
	scoped_guard(raw_spinlock_irqsave, &ctx->lock) {
		if (perf_read_from_memory(event)) {
			fn(ctx, arg);
			return;
		}
	}
	perf_ctx_call(ctx, fn, arg);
}

/**
 * perf_read_own() - read one event, without its child events
 * @event: the event; the caller prevents that it moves to another context
 * @value: result
 */
void perf_read_own(struct perf_event *event, struct perf_event_value *value)
{
	struct perf_read_one one = { .event = event, .value = value };

	perf_read_ctx(event, perf_read_one_locked, &one);
}

/* Add the child events that are gone. Caller must hold child_mutex. */
static void perf_read_add_gone(const struct perf_event *event, struct perf_event_value *value)
{
	value->count += atomic64_read(&event->child_count);
	value->enabled += atomic64_read(&event->child_total_time_enabled);
	value->running += atomic64_read(&event->child_total_time_running);
}

/* Add the child events. Under child_mutex an exiting child is counted exactly once. */
static void perf_read_add_children(struct perf_event *event,
				   struct perf_event_value *value)
{
	struct perf_event_value part;
	struct perf_event *child;

	if (!event->attr.inherit)
		return;

	guard(mutex)(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list) {
		perf_read_own(child, &part);
		value->count += part.count;
		value->enabled += part.enabled;
		value->running += part.running;
		cond_resched();
	}
	perf_read_add_gone(event, value);
}

/**
 * struct perf_group_read - a group being read
 * @leader: its leader
 * @format: PERF_FORMAT_*
 * @counts: output of { count, id, lost } of the members
 * @times: the leader's times
 * @inherits: some member may have child events
 * @err: error of the PMU's transaction
 */
struct perf_group_read {
	struct perf_event	*leader;
	u64			format;
	u64			*counts;
	struct perf_event_value	times;
	bool			inherits;
	int			err;
};

static __always_inline u64 *perf_read_put_ids(u64 *out, u64 format,
					      const struct perf_event *event)
{
	if (format & PERF_FORMAT_ID)
		*out++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*out++ = atomic64_read(&event->lost_samples);
	return out;
}

/* Times for the clocks of a group: of the leader for followers, of the sub-context for others. */
struct perf_group_clocks {
	u64 leader;
	u64 subctx;
};

static __always_inline u64 *perf_read_put_member(u64 *out, u64 format,
						 const struct perf_group_clocks *clocks,
						 const struct perf_event *event)
{
	if (perf_read_is_clock(event))
		*out++ = perf_clock_event_peek(event, perf_event_follows(event) ?
						      clocks->leader : clocks->subctx);
	else
		*out++ = local64_read(&event->count);
	return perf_read_put_ids(out, format, event);
}

/*
 * Inlined for each constant @format, for speed. Return: true if some member may have child
 * events.
 */
static __always_inline bool
perf_read_put_members(u64 *out, u64 format, const struct perf_group_clocks *clocks,
		      const struct perf_event *leader)
{
	bool inherits = leader->attr.inherit;
	const struct perf_event *event;

	out = perf_read_put_member(out, format, clocks, leader);
	list_for_each_entry(event, &leader->sibling_list, sibling_list) {
		out = perf_read_put_member(out, format, clocks, event);
		if (unlikely(event->attr.inherit))
			inherits = true;
	}
	return inherits;
}

/*
 * Read the counters of a group, if it has any. In a PMU with transactions the counts are valid
 * only after the commit.
 *
 * Return: 0, or the error of the transaction.
 */
static __always_inline int perf_group_read_counters(struct perf_event *leader)
{
	struct perf_event *event;

	if (!leader->group_pmu || !perf_event_has_counter(leader))
		return 0;
	perf_pmu_start_txn(leader->group_pmu, PERF_PMU_TXN_READ);
	perf_group_for_each(event, leader) {
		if (perf_read_needs_counter(event))
			event->pmu->read(event);
	}
	return perf_pmu_commit_txn(leader->group_pmu);
}

static void perf_group_read_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_group_read *read = arg;
	struct perf_event *leader = read->leader;
	struct perf_group_clocks clocks;
	struct perf_event_times times;
	u64 now = perf_ctx_now(ctx);
	u64 format = read->format;
	u64 *out = read->counts;

	read->err = perf_group_read_counters(leader);
	perf_event_times(leader, now, &times);
	read->times.enabled = times.enabled;
	read->times.running = times.running;
	clocks.leader = times.running;
	/* an event that has left its context keeps a pointer to a sub-context that may be freed */
	clocks.subctx = leader->attach_state & PERF_ATTACH_CONTEXT ?
			perf_clock_read(&leader->subctx->clock, now) : 0;

	if (format & PERF_FORMAT_LOST)
		read->inherits = perf_read_put_members(out, format, &clocks, leader);
	else if (format & PERF_FORMAT_ID)
		read->inherits = perf_read_put_members(out, PERF_FORMAT_ID, &clocks, leader);
	else
		read->inherits = perf_read_put_members(out, 0, &clocks, leader);
}

static u64 *perf_read_put_times(u64 *out, u64 format,
				const struct perf_event_value *value)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*out++ = value->enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*out++ = value->running;
	return out;
}

/**
 * struct perf_child_group_read - the group of a child event being read
 * @child: child event of the group's leader
 * @nr: for perf_event::read_nr
 * @times: its times
 * @err: error of the PMU's transaction
 */
struct perf_child_group_read {
	struct perf_event	*child;
	u64			nr;
	struct perf_event_times	times;
	int			err;
};

/*
 * Store the counts of all members of a child event's group. The group may have lost members, or
 * have members whose parents are of no group any more.
 */
static void perf_child_group_read_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_child_group_read *read = arg;
	struct perf_event *event, *leader = read->child->group_leader;
	u64 now = perf_ctx_now(ctx);

	read->err = perf_group_read_counters(leader);
	perf_event_times(read->child, now, &read->times);
	perf_group_for_each(event, leader) {
		event->read_count = perf_read_count(event, now);
		event->read_nr = read->nr;
	}
}

/*
 * Read the groups of the leader's child events, and add the leader's group. Caller must hold
 * leader->child_mutex.
 */
static int perf_group_read_child_groups(struct perf_event *leader, u64 nr,
					struct perf_event_value *value)
{
	struct perf_child_group_read read = { .nr = nr };
	struct perf_event *child;

	list_for_each_entry(child, &leader->child_list, child_list) {
		read.child = child;
		perf_read_ctx(child, perf_child_group_read_locked, &read);
		if (read.err)
			return read.err;
		value->count += child->read_count;
		value->enabled += read.times.enabled;
		value->running += read.times.running;
		cond_resched();
	}
	perf_read_add_gone(leader, value);
	return 0;
}

/*
 * Add up the child events of a sibling, with the counts that perf_group_read_child_groups() has
 * stored. A child event that has left the group of the leader's child event has none.
 *
 * Caller must hold child_mutex of the leader.
 */
static u64 perf_sibling_read_children(struct perf_event *event, u64 nr)
{
	struct perf_event_value part;
	struct perf_event *child;
	u64 count;

	mutex_lock_nested(&event->child_mutex, SINGLE_DEPTH_NESTING);
	count = atomic64_read(&event->child_count);
	list_for_each_entry(child, &event->child_list, child_list) {
		if (likely(child->read_nr == nr)) {
			count += child->read_count;
		} else {
			perf_read_own(child, &part);
			count += part.count;
		}
		cond_resched();
	}
	mutex_unlock(&event->child_mutex);
	return count;
}

/* Add the child events. Return: 0, or the error of a PMU's transaction. */
static int perf_group_read_children(struct perf_group_read *read)
{
	unsigned int each = perf_read_size(read->format & (PERF_FORMAT_ID |
							   PERF_FORMAT_LOST), 1) /
			    sizeof(u64);
	struct perf_event *event, *leader = read->leader;
	u64 nr = ++leader->ctx->nr_group_reads;
	u64 *count = read->counts;
	int err;

	guard(mutex)(&leader->child_mutex);
	read->times.count = *count;
	err = perf_group_read_child_groups(leader, nr, &read->times);
	if (err)
		return err;
	*count = read->times.count;
	list_for_each_entry(event, &leader->sibling_list, sibling_list) {
		count += each;
		if (event->attr.inherit)
			*count += perf_sibling_read_children(event, nr);
	}
	return 0;
}

/* nr, times, { count, id, lost } per member */
static int perf_read_group(struct perf_event *leader, u64 format, u64 *out)
{
	struct perf_group_read read = { .leader = leader, .format = format };
	u64 *times = out + 1;

	*out = 1 + leader->nr_siblings;
	/* skip the times, which are written below when they are known */
	read.counts = perf_read_put_times(times, format, &read.times);
	perf_read_ctx(leader, perf_group_read_locked, &read);
	if (read.err)
		return read.err;
	if (read.inherits)
		read.err = perf_group_read_children(&read);
	perf_read_put_times(times, format, &read.times);
	return read.err;
}

static int perf_read_single(struct perf_event *event, u64 format, u64 *out)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	perf_read_add_children(event, &value);
	*out++ = value.count;
	perf_read_put_ids(perf_read_put_times(out, format, &value), format, event);
	return 0;
}

/* Copy the values to user space, word by word if arch_perf_copy_by_words(). */
static int perf_read_copy(u64 __user *to, const u64 *from, size_t size)
{
	const u64 *end = from + size / sizeof(u64);

	if (!arch_perf_copy_by_words())
		return copy_to_user(to, from, size) ? -EFAULT : 0;

	if (!user_write_access_begin(to, size))
		return -EFAULT;
	for (; from != end; from++, to++)
		unsafe_put_user(*from, to, fault);
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}

/*
 * @out: room for PERF_READ_SMALL values. If it is not enough, it becomes a buffer that the caller
 * must free. The caller copies the values to user space when it does not hold the mutex any more.
 */
static ssize_t perf_read(struct perf_event *event, u64 **out, size_t count)
{
	struct perf_event *leader = event->group_leader;
	u64 format = event->attr.read_format;
	size_t size;
	int err;

	/* There is no valid count: it is pinned and does not count, or was left behind. */
	if (event->state == PERF_EVENT_STATE_ERROR)
		return 0;

	size = perf_read_size(format, 1 + leader->nr_siblings);
	if (count < size)
		return -ENOSPC;
	if (size > PERF_READ_SMALL * sizeof(**out)) {
		u64 *large = kmalloc(size, GFP_KERNEL);

		if (!large)
			return -ENOMEM;
		*out = large;
	}

	err = format & PERF_FORMAT_GROUP ? perf_read_group(leader, format, *out)
					 : perf_read_single(event, format, *out);
	return err ?: size;
}

/**
 * perf_event_read_file() - read(2)
 * @file: file of an event
 * @buf: buffer for the values
 * @count: size of @buf, bytes
 * @ppos: unused
 *
 * Return: bytes written; 0 for an event in error; -ENOSPC when @count is too small for all of the
 * values.
 */
ssize_t perf_event_read_file(struct file *file, char __user *buf, size_t count,
			     loff_t *ppos)
{
	struct perf_event *event = file->private_data;
	u64 small[PERF_READ_SMALL], *values = small;
	struct perf_event_context *ctx;
	ssize_t ret;

	ret = security_perf_event_read(event);
	if (ret)
		return ret;

	ctx = perf_ctx_lock_of_event(event);
	ret = perf_read(event, &values, count);
	mutex_unlock(&ctx->mutex);
	/* A page of @buf may be missing for as long as a user's program likes. */
	if (ret > 0 && perf_read_copy((u64 __user *)buf, values, ret))
		ret = -EFAULT;
	if (values != small)
		kfree(values);
	return ret;
}

/**
 * perf_event_read_value() - read an event with its child events
 * @event: the event
 * @enabled: result, ns
 * @running: result, ns
 *
 * Context: task, may interrupt another CPU.
 * Return: the count.
 */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct perf_event_context *ctx;
	struct perf_event_value value;

	ctx = perf_ctx_lock_of_event(event);
	perf_read_own(event, &value);
	perf_read_add_children(event, &value);
	mutex_unlock(&ctx->mutex);

	*enabled = value.enabled;
	*running = value.running;
	return value.count;
}
EXPORT_SYMBOL_GPL(perf_event_read_value);

/**
 * perf_event_read_local() - read an event that counts on this CPU
 * @event: an event of current, or of this CPU
 * @value: result
 * @enabled: result, ns, or NULL
 * @running: result, ns, or NULL
 *
 * Takes no lock and sends no IPI.
 *
 * Context: any.
 * Return: 0; -EOPNOTSUPP if attr.inherit is set, -EINVAL if the event is not current's or
 * not this CPU's, -EBUSY for a pinned event that is not scheduled in.
 */
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running)
{
	struct perf_event_times times;

	guard(irqsave)();
	/* counts of child events on other CPUs cannot be read */
	if (event->attr.inherit)
		return -EOPNOTSUPP;
	if ((event->attach_state & PERF_ATTACH_TASK) && event->hw.target != current)
		return -EINVAL;
	if (event->cpu >= 0 && event->cpu != smp_processor_id())
		return -EINVAL;
	if (event->attr.pinned && !perf_event_has_counter(event))
		return -EBUSY;

	*value = perf_read_here(event);
	perf_event_times(event, perf_time(), &times);
	if (enabled)
		*enabled = times.enabled;
	if (running)
		*running = times.running;
	return 0;
}
