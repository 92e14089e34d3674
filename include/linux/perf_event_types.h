/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: the event itself.
 *
 * struct perf_event with its states and capabilities, the queue of groups that
 * wait for a PMU, and the handle of an open record. <linux/perf_event.h> has the
 * functions; include that.
 */
#ifndef _LINUX_PERF_EVENT_TYPES_H
#define _LINUX_PERF_EVENT_TYPES_H

#include <linux/perf_event_pmu.h>

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

struct bpf_prog;
struct event_filter;
struct perf_buffer;
struct perf_cgroup;
struct perf_event;
struct perf_event_context;
struct perf_event_set;
struct perf_followers;
struct perf_traced;
struct perf_sample_data;
struct pid_namespace;
struct task_struct;
struct trace_event_call;

/**
 * enum perf_event_state - the life of an event; the order matters
 * @PERF_EVENT_STATE_DEAD: closed
 * @PERF_EVENT_STATE_EXIT: its task is gone
 * @PERF_EVENT_STATE_ERROR: pinned, and could not be put on the PMU
 * @PERF_EVENT_STATE_OFF: disabled by the user
 * @PERF_EVENT_STATE_INACTIVE: enabled, not counting now
 * @PERF_EVENT_STATE_ACTIVE: counting
 */
enum perf_event_state {
	PERF_EVENT_STATE_DEAD		= -4,
	PERF_EVENT_STATE_EXIT		= -3,
	PERF_EVENT_STATE_ERROR		= -2,
	PERF_EVENT_STATE_OFF		= -1,
	PERF_EVENT_STATE_INACTIVE	=  0,
	PERF_EVENT_STATE_ACTIVE		=  1,
};

typedef void (*perf_overflow_handler_t)(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs);

/*
 * perf_event::event_caps, fixed before the event is on any list: by the driver's
 * event_init(); those from bit 16 on are of the core, see kernel/events/base/event.h.
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* of a software PMU */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* readable on any CPU of the package */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* only as a group member */
#define PERF_EV_CAP_READ_SCOPE		BIT(3)	/* readable on any CPU of pmu::scope */
/*
 * Always fits, counts wherever its set's condition holds, and is never
 * scheduled: add() and del() are called when it is enabled and disabled, with
 * the context lock held, from any CPU. A sibling may follow its leader, see
 * kernel/events/software/follow.h: then it is added whether the leader counts or not, and
 * counts only while the leader does. Software events only.
 */
#define PERF_EV_CAP_RESIDENT		BIT(4)
/* event->count is up to date whenever it is looked at: read() has nothing to do */
#define PERF_EV_CAP_CURRENT		BIT(5)

/* perf_event::attach_state; event_init() may add TASK_DATA and SCHED_CB */
#define PERF_ATTACH_CONTEXT	0x0001	/* on its context's lists */
#define PERF_ATTACH_GROUP	0x0002	/* on its leader's list */
#define PERF_ATTACH_TASK	0x0004	/* counts a task */
#define PERF_ATTACH_TASK_DATA	0x0008	/* needs pmu::task_ctx_cache */
#define PERF_ATTACH_ITRACE	0x0010
#define PERF_ATTACH_SCHED_CB	0x0020
#define PERF_ATTACH_CHILD	0x0040	/* inherited, on its parent's list */
#define PERF_ATTACH_EXCLUSIVE	0x0080	/* counted in pmu::exclusive_cnt */
#define PERF_ATTACH_CALLCHAIN	0x0100	/* holds callchain buffers */
#define PERF_ATTACH_TIED	0x0200	/* is why its context stays with its task */
#define PERF_ATTACH_FOLLOWS	0x0400	/* counts when its leader does, see follow.h */
#define PERF_ATTACH_MOVING	0x0800	/* on its way from one CPU's context to another's */

/* Drivers walk groups in event_init() and add(); either lock keeps them still. */
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_PROVE_LOCKING)
void lockdep_assert_event_ctx(struct perf_event *event);
#else
#define lockdep_assert_event_ctx(event)	do { } while (0)
#endif

/* fields of a sample that have to be collected before their size is known */
#define PERF_SAMPLE_SIZED_BITS						\
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |	\
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |		\
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

/* those with which it begins, of eight bytes each */
#define PERF_SAMPLE_LEADING_BITS					\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* one for each bit of PERF_SAMPLE_*, but the two kinds of weight share one */
#define PERF_SAMPLE_NR_FIELDS						\
	(__const_hweight64((u64)PERF_SAMPLE_MAX - 1) -			\
	 __const_hweight64((u64)PERF_SAMPLE_WEIGHT_TYPE) + 1)
#define PERF_SAMPLE_NR_SIZED	__const_hweight64((u64)PERF_SAMPLE_SIZED_BITS)
#define PERF_SAMPLE_NR_LEADING	__const_hweight64((u64)PERF_SAMPLE_LEADING_BITS)

/**
 * struct perf_sample_layout - what the samples of an event consist of
 * @size: bytes of the header, of the fields whose size is always the same, and of
 *	what those have at least that can be cut short
 * @id_size: bytes of what sample_id_all adds to other records
 * @nr_fields: how many fields there are behind the leading ones, which
 *	kernel/events/sample/sample_fields.c writes by the bits of sample_type
 * @nr_sized: how many fields have to be collected before their size is known
 * @fields: rows in the table of the former, in the order in which they are written
 * @sized: rows of the latter, in the order in which they are collected
 */
struct perf_sample_layout {
	u16	size;
	u8	id_size;
	u8	nr_fields;
	u8	nr_sized;
	u8	fields[PERF_SAMPLE_NR_FIELDS - PERF_SAMPLE_NR_LEADING];
	u8	sized[PERF_SAMPLE_NR_SIZED];
};

#define for_each_sibling_event(sibling, event)				\
	lockdep_assert_event_ctx(event);				\
	if ((event) == (event)->group_leader)				\
		list_for_each_entry(sibling, &(event)->sibling_list, sibling_list)

/**
 * struct perf_event - one event, from perf_event_open(2) or a kernel user
 *
 * "ctx->lock" and "ctx->mutex" are those of @ctx; a field that says neither is
 * constant from before the event is published until it is freed.
 *
 * Hot, touched when something occurs or overflows:
 * @hlist_entry: a software event among its set's listeners, under ctx->lock,
 *	read under RCU; a tracing event among those of its tracepoint
 * @count: total of this event alone, without inherited ones
 * @state: ctx->lock
 * @oncpu: CPU it counts on, or -1; ctx->lock
 * @pmu: the source
 * @set: the condition it counts under, see kernel/events/context/set.h
 * @hw: the driver's part
 *
 * Time, ctx->lock, nanoseconds:
 * @total_time_enabled: as it was when last summed up; counts while the event is not wanted
 * @total_time_running: as it was when last summed up; counts while it is not ACTIVE
 * @stamp_enabled: the set's enabled clock less the time; counts otherwise
 * @stamp_running: the set's running clock less the time; counts otherwise
 *
 * Group, ctx->mutex and ctx->lock to change, either to read:
 * @group_leader: itself when it leads
 * @sibling_list: of a leader, its siblings; of a sibling, the node
 * @nr_siblings: of a leader
 * @placed_siblings: of a leader, group_entry of siblings that do not follow, enabled first
 * @followers: of a leader, those that do
 * @group_formats: of a leader, bit n says that a member may have read_format n
 * @group_home: of a leader, the PMU whose counters the group needs, NULL when resident
 *
 * Context:
 * @ctx: holds a reference
 * @pmu_ctx: the leader's queue of placed groups, NULL when resident
 * @event_entry: on ctx->event_list
 * @group_entry: a placed leader on one of its queue's lists; a sibling that does not
 *	follow on its leader's; copies that have gone
 * @waiting_node: a placed leader among those of its queue that wait
 * @placed_time: of a placed leader that is not on, ns that its group was served; how
 *	groups are compared, see place.c
 * @placed_stamp: of one that is on, the set's clock less that time
 * @unfit_at: of one that is unfit, the generation of the PMU that it did not fit on
 * @active_entry: the driver's, while the event is on its CPU
 * @attach_state: PERF_ATTACH_*, ctx->lock
 * @event_caps: PERF_EV_CAP_*
 * @cpu: that it is bound to, or -1
 * @pmu_private: the driver's
 *
 * Inheritance:
 * @parent: the event it was inherited from, always the first ancestor
 * @child_list: of the parent, under @child_mutex; of a child, the node
 * @child_mutex: nests inside ctx->mutex
 * @child_count: total of children that are gone
 * @child_total_time_enabled: same
 * @child_total_time_running: same
 *
 * Owner:
 * @owner: task that opened it, NULL once that has exited; published with release
 * @owner_entry: on owner->perf_event_list, under owner->perf_event_mutex
 * @refcount: the file, the children, and whoever looks
 * @rcu_head: for freeing
 *
 * Identity:
 * @id: as user space sees it, unique
 * @ns: PID namespace of the opener, in which the event's records show tasks
 * @clock: source of the time in its records
 * @lost_samples: PERF_FORMAT_LOST; those of children count in the parent
 * @orig_type: attr.type as user space gave it
 *
 * Overflow, see kernel/events/overflow/overflow.c:
 * @overflow_handler: writes the sample, or a kernel user's callback
 * @overflow_handler_context: the callback's
 * @event_limit: overflows until the event is disabled, PERF_EVENT_IOC_REFRESH
 * @pending_signals: SIGIO signals that are to be sent, PERF_SIGNAL_*
 * @pending_irq: wakes pollers and sends the signals, see perf_event_wakeup()
 * @pending_disable: disable the event as soon as possible
 * @pending_disable_irq: disables it
 * @waitq: tasks in poll()
 * @fasync: files with O_ASYNC
 *
 * SIGTRAP, see kernel/events/overflow/sigtrap.c:
 * @pending_task: sends the signal when the task returns to user space
 * @pending_sigtrap: a signal is pending
 * @pending_addr: si_addr of it
 *
 * Recording, see kernel/events/output/ring_buffer.h:
 * @sample_layout: what a sample consists of
 * @rb: the buffer that writers find, under RCU; NULL when nothing may be written
 * @output: the buffer that the event is attached to, referenced, under its mutex
 * @rb_entry: on the buffer's list of events
 * @poll_entry: on the buffer's list of events with pollers
 * @mmap_count: mappings of this event
 * @mapped_entry: on the set's list of events whose control page is mapped
 * @sideband_entry: on the set's list of events that want side-band records
 * @sideband_kinds: which of them
 * @freq_entry: on set->freq_events, in frequency mode
 *
 * Address filters, see kernel/events/buffer/filter.c:
 * @addr_filters: as user space set them
 * @addr_filter_ranges: the addresses that they have in this task
 * @addr_filters_gen: generation of the ranges
 *
 * Of one kind of event each:
 * @destroy: undoes what event_init() did; may be NULL
 * @prog: BPF program, under perf_bpf_mutex
 * @bpf_cookie: for bpf_get_attach_cookie()
 * @cgrp: the cgroup whose tasks it counts
 * @security: of the security module
 * @tp_event: the tracepoint
 * @filter: PERF_EVENT_IOC_SET_FILTER on a tracepoint
 * @traced: node of the tracepoint's events in one set, see kernel/events/software/traced.h
 * @attr: as it was opened; last, because most copies get it whole
 * @ftrace_ops: of an event of function tracing
 */
struct perf_event {
#ifdef CONFIG_PERF_EVENTS
	struct hlist_node		hlist_entry;
	local64_t			count;
	enum perf_event_state		state;
	int				oncpu;
	struct pmu			*pmu;
	struct perf_event_set		*set;

	u64				total_time_enabled;
	u64				total_time_running;
	u64				stamp_enabled;
	u64				stamp_running;

	struct perf_event		*group_leader;
	struct list_head		sibling_list;
	int				nr_siblings;
	u32				group_formats;
	struct list_head		placed_siblings;
	struct perf_followers		*followers;
	struct pmu			*group_home;

	struct perf_event_context	*ctx;
	struct perf_event_pmu_context	*pmu_ctx;
	struct list_head		event_entry;
	struct list_head		group_entry;
	struct list_head		active_entry;
	unsigned int			attach_state;
	int				event_caps;
	int				cpu;
	void				*pmu_private;

	struct rb_node			waiting_node;
	u64				placed_time;
	u64				placed_stamp;
	u64				unfit_at;

	struct hw_perf_event		hw;

	struct perf_event		*parent;
	struct list_head		child_list;
	struct mutex			child_mutex;
	atomic64_t			child_count;
	atomic64_t			child_total_time_enabled;
	atomic64_t			child_total_time_running;

	struct task_struct		*owner;
	struct list_head		owner_entry;
	atomic_long_t			refcount;
	struct rcu_head			rcu_head;

	u64				id;
	struct pid_namespace		*ns;
	u64				(*clock)(void);
	atomic64_t			lost_samples;
	u32				orig_type;

	/* overflow: see kernel/events/overflow/overflow.c */
	perf_overflow_handler_t		overflow_handler;
	void				*overflow_handler_context;
	atomic_t			event_limit;
	atomic_t			pending_signals;
	struct irq_work			pending_irq;
	int				pending_disable;
	struct irq_work			pending_disable_irq;
	wait_queue_head_t		waitq;
	struct fasync_struct		*fasync;

	/* signals: see kernel/events/overflow/sigtrap.c */
	struct callback_head		pending_task;
	int				pending_sigtrap;
	unsigned long			pending_addr;

	/* what is recorded: see kernel/events/sample/sample.c */
	struct perf_sample_layout	sample_layout;

	/* buffer: see kernel/events/output/ring_buffer.h */
	struct perf_buffer __rcu	*rb;
	struct perf_buffer __rcu	*output;
	struct list_head		rb_entry;
	struct list_head		poll_entry;
	unsigned int			mmap_count;
	struct hlist_node		mapped_entry;

	/* side band: see kernel/events/sideband/sideband.c */
	struct list_head		sideband_entry;
	unsigned int			sideband_kinds;

	/* frequency mode, on set->freq_events: see kernel/events/overflow/freq.c */
	struct list_head		freq_entry;

	/* address filters */
	struct perf_addr_filters_head	addr_filters;
	struct perf_addr_filter_range	*addr_filter_ranges;
	unsigned long			addr_filters_gen;

	void				(*destroy)(struct perf_event *event);

	struct bpf_prog			*prog;
	u64				bpf_cookie;

#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
#endif
#ifdef CONFIG_SECURITY
	void				*security;
#endif
#ifdef CONFIG_EVENT_TRACING
	struct trace_event_call		*tp_event;
	struct event_filter		*filter;
	/* of events of one tracepoint, in one set: see kernel/events/software/traced.h */
	struct perf_traced		*traced;
#endif

	/* last, since a copy gets the one whole, and mostly needs no other */
	struct perf_event_attr		attr;
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops		ftrace_ops;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_event_pmu_context - the groups of one set that want one PMU
 *
 * All under ctx->lock; while the queue is on, under the CPU's as well.
 *
 * @pmu: the PMU
 * @ctx: owner
 * @set: the condition under which the groups want to count
 * @set_entry: on set->pmu_ctx_list
 * @cpu_entry: on the CPU's list while @set is on
 * @pinned: leaders that must be on
 * @running: leaders that share, and whose turn it is; with those of @pinned that
 *	are ACTIVE this is the plan, which stands while @set is off
 * @waiting: leaders that share and wait, who is owed most first
 * @unfit: leaders that share and did not fit even when no other did
 * @unfit_stale: those on @unfit may fit by now; seen when the queue comes on
 * @nr_groups: on all four
 * @nr_waiting: on @waiting
 * @time_shift: makes placed_time comparable with that of the CPU's other groups
 * @turn_end: when others have their turn, by the clock of @set
 * @plan_at: generation of the PMU for which the plan is known to be full
 * @plan_beside: groups of others that were on beside the plan then
 * @task_ctx_data: the driver's, see pmu::task_ctx_cache
 * @rcu_head: for freeing
 */
struct perf_event_pmu_context {
	struct pmu			*pmu;
	struct perf_event_context	*ctx;
	struct perf_event_set		*set;
	struct list_head		set_entry;
	struct list_head		cpu_entry;
	struct list_head		pinned;
	struct list_head		running;
	struct rb_root_cached		waiting;
	struct list_head		unfit;
	bool				unfit_stale;
	unsigned int			nr_groups;
	unsigned int			nr_waiting;
	s64				time_shift;
	u64				turn_end;
	u64				plan_at;
	unsigned int			plan_beside;
	void				*task_ctx_data;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_output_handle - an open record or AUX transaction
 * @event: whose; NULL when no AUX transaction is open
 * @rb: the buffer, held until the end
 * @wakeup: AUX: offset at which the reader wants to be woken
 * @size: AUX: bytes left; of a record, bytes left in the chunk
 * @flags: of a record
 * @aux_flags: AUX: PERF_AUX_FLAG_*, readable after the end as well
 * @skip_read: do not read the counter for this record
 * @addr: of a record, where the next byte goes
 * @head: AUX: free-running offset
 * @page: of a record, the chunk of @addr
 * @outermost: of a record, no other was being written when this one began
 */
struct perf_output_handle {
	struct perf_event		*event;
	struct perf_buffer		*rb;
	unsigned long			wakeup;
	unsigned long			size;
	union {
		u64			flags;
		u64			aux_flags;
		struct {
			u64		skip_read : 1;
		};
	};
	union {
		void			*addr;
		unsigned long		head;
	};
	int				page;
	bool				outermost;
};

#endif /* _LINUX_PERF_EVENT_TYPES_H */
