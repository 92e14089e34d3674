/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: struct perf_event, with its states and capabilities, and the handle
 * of an open record. <linux/perf_event.h> has the functions.
 *
 * Do not include this header directly: <linux/perf_event.h> includes it.
 */
#ifndef _LINUX_PERF_EVENT_TYPES_H
#define _LINUX_PERF_EVENT_TYPES_H

#include <linux/perf_event_pmu.h>

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
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
struct perf_subctx;
struct perf_followers;
struct perf_traced;
struct perf_sample_data;
struct cgroup_namespace;
struct pid_namespace;
struct task_struct;
struct trace_event_call;

/**
 * enum perf_event_state - states of an event; the order matters
 * @PERF_EVENT_STATE_DEAD: closed
 * @PERF_EVENT_STATE_EXIT: its task has exited
 * @PERF_EVENT_STATE_ERROR: pinned, and could not be scheduled in; or could not move with its PMU
 * @PERF_EVENT_STATE_OFF: disabled
 * @PERF_EVENT_STATE_INACTIVE: enabled, does not count now
 * @PERF_EVENT_STATE_ACTIVE: enabled, counts
 */
enum perf_event_state {
	PERF_EVENT_STATE_DEAD		= -4,
	PERF_EVENT_STATE_EXIT		= -3,
	PERF_EVENT_STATE_ERROR		= -2,
	PERF_EVENT_STATE_OFF		= -1,
	PERF_EVENT_STATE_INACTIVE	=  0,
	PERF_EVENT_STATE_ACTIVE		=  1,
};

/**
 * typedef perf_overflow_handler_t - handles an overflow of an event
 * @event: the event, ACTIVE on this CPU
 * @data: the parts of the sample that the driver has filled in
 * @regs: registers of the interrupted context
 *
 * Context: irqs off or NMI, in the driver's interrupt.
 */
typedef void (*perf_overflow_handler_t)(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs);

/*
 * perf_event::event_caps, set by the driver's event_init() and constant afterwards. The bits from
 * PERF_FIRST_PRIVATE_BIT on are private to the core.
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* software event */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* can be read on any CPU of the package */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* can only be a sibling */
/*
 * Not scheduled, because it needs no counter. add() and del() are called when
 * the event is enabled and disabled, with the context lock held, on any CPU. A sibling may
 * follow its leader: then it is added also while the leader does not count, but counts
 * only while the leader does. For software events only.
 */
#define PERF_EV_CAP_NOSCHED		BIT(4)
/* event->count is always up to date: read() is not called */
#define PERF_EV_CAP_CURRENT		BIT(5)

static_assert((PERF_EV_CAP_SOFTWARE | PERF_EV_CAP_READ_ACTIVE_PKG | PERF_EV_CAP_SIBLING |
	       PERF_EV_CAP_NOSCHED | PERF_EV_CAP_CURRENT) < BIT(PERF_FIRST_PRIVATE_BIT));

/*
 * perf_event::attach_state. event_init() may set PERF_ATTACH_TASK_DATA and PERF_ATTACH_SCHED_CB.
 * With the latter, the core also stops and starts a running event when a program is attached to it,
 * or the number of its overflows is limited. The bits from PERF_FIRST_PRIVATE_BIT on are private to
 * the core.
 */
#define PERF_ATTACH_TASK	0x0004	/* event of a task */
#define PERF_ATTACH_TASK_DATA	0x0008	/* needs an object of pmu::task_ctx_cache */
#define PERF_ATTACH_SCHED_CB	0x0020	/* needs pmu::sched_task() */

static_assert((PERF_ATTACH_TASK | PERF_ATTACH_TASK_DATA | PERF_ATTACH_SCHED_CB) <
	      BIT(PERF_FIRST_PRIVATE_BIT));

/* Walks of a group: caller must hold the context's mutex or lock. */
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_PROVE_LOCKING)
void lockdep_assert_event_ctx(struct perf_event *event);
#else
#define lockdep_assert_event_ctx(event)	do { } while (0)
#endif

/* Fields with a size that depends on the sample. */
#define PERF_SAMPLE_SIZED_BITS						\
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |	\
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |		\
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

/* Fields at the start of a sample, of eight bytes each. */
#define PERF_SAMPLE_LEADING_BITS					\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Number of fields: one per bit of PERF_SAMPLE_*; the two weights share a field. */
#define PERF_SAMPLE_NR_FIELDS						\
	(__const_hweight64((u64)PERF_SAMPLE_MAX - 1) -			\
	 __const_hweight64((u64)PERF_SAMPLE_WEIGHT_TYPE) + 1)
#define PERF_SAMPLE_NR_SIZED	__const_hweight64((u64)PERF_SAMPLE_SIZED_BITS)
#define PERF_SAMPLE_NR_LEADING	__const_hweight64((u64)PERF_SAMPLE_LEADING_BITS)

/**
 * struct perf_wake - a deferred wakeup, see kernel/events/output/wake.h
 * @irq: does it, as soon as interrupts are possible
 * @later_entry: member of a CPU's list of postponed wakeups
 * @later: it is on such a list
 */
struct perf_wake {
	struct irq_work			irq;
	struct llist_node		later_entry;
	unsigned int			later;
};

/**
 * struct perf_sample_layout - layout of the samples of an event
 * @size: bytes of the header and of the fields of constant size, and the minimum of the
 *	fields that can be truncated
 * @id_size: bytes that sample_id_all adds to other records
 * @nr_fields: number of fields after the leading ones
 * @nr_sized: number of fields with a size that depends on the sample
 * @fields: rows of the table in sample_fields.c, in the order of writing
 * @sized: rows of the fields in @nr_sized, in the order of collecting
 */
struct perf_sample_layout {
	u16	size;
	u8	id_size;
	u8	nr_fields;
	u8	nr_sized;
	u8	fields[PERF_SAMPLE_NR_FIELDS - PERF_SAMPLE_NR_LEADING];
	u8	sized[PERF_SAMPLE_NR_SIZED];
};

/**
 * for_each_sibling_event() - walk the siblings of a group leader
 * @sibling: cursor, a struct perf_event pointer
 * @event: the leader; of any other event no sibling is visited
 *
 * Context: Caller must hold the mutex or the lock of the event's context.
 */
#define for_each_sibling_event(sibling, event)				\
	lockdep_assert_event_ctx(event);				\
	if ((event) == (event)->group_leader)				\
		list_for_each_entry(sibling, &(event)->sibling_list, sibling_list)

/**
 * struct perf_event - an event of perf_event_open(2) or of a kernel user
 *
 * "ctx->lock" and "ctx->mutex" are members of @ctx. A member without a lock is constant from
 * before the event is published until it is freed.
 *
 * Hot, accessed at each occurrence and overflow:
 * @hlist_entry: software event: on the list of its sub-context, changed under ctx->lock, read
 *	under RCU; tracing event: on the list of its tracepoint
 * @count: count of this event, without the counts of child events
 * @state: state, under ctx->lock
 * @oncpu: CPU on which the event counts, or -1, under ctx->lock
 * @pmu: the PMU
 * @subctx: the condition under which the event counts, see struct perf_subctx
 * @hw: the driver's part
 *
 * Times in nanoseconds, under ctx->lock:
 * @total_time_enabled: total at the last update; valid while the event is disabled
 * @total_time_running: total at the last update; valid while the event is not ACTIVE
 * @stamp_enabled: the sub-context's enabled clock minus the total; valid otherwise
 * @stamp_running: the sub-context's running clock minus the total; valid otherwise
 *
 * Group, changed under ctx->mutex and ctx->lock, read under one of them:
 * @group_leader: the leader; of a leader, the event itself
 * @sibling_list: leader: list of siblings; sibling: node of it
 * @nr_siblings: leader: number of siblings
 * @sched_siblings: leader: list of @group_entry of siblings that do not follow, enabled
 *	ones first
 * @followers: leader: siblings that follow
 * @group_formats: leader: bit n is set if a member may have read_format n
 * @group_pmu: leader: PMU of the counters that the group needs, NULL if the group is not scheduled
 *
 * Context:
 * @ctx: the context, with a reference
 * @pmu_ctx: leader: pmu_ctx of the group, NULL if the group is not scheduled
 * @event_entry: on ctx->event_list
 * @group_entry: scheduled leader: on a list of its pmu_ctx; sibling that does not follow: on
 *	@sched_siblings; child event that was removed: on a list for freeing
 * @waiting_node: scheduled leader: in perf_event_pmu_context::waiting
 * @runtime: leader that is not scheduled in: ns that its group has counted, for
 *	comparison with other groups
 * @runtime_stamp: leader that is scheduled in: the sub-context's clock minus that time
 * @unfit_at: leader of a group that was unfit when it was tried the last time: generation of the
 *	PMU on which it did not fit; otherwise 0
 * @nr_used: leader of a flexible group that is ACTIVE: number of counters that it needs, at least 1
 * @active_entry: for the driver, while the event is scheduled in
 * @attach_state: PERF_ATTACH_*, under ctx->lock
 * @event_caps: PERF_EV_CAP_*
 * @cpu: CPU to which the event is bound, or -1
 * @pmu_private: for the driver
 *
 * Inheritance:
 * @parent: the event that was opened, if this one is a child event
 * @child_list: parent: list of child events, under @child_mutex; child event: node of it
 * @child_mutex: parent: nests inside ctx->mutex; a sibling's mutex inside its leader's mutex
 * @child_count: parent: total count of child events that were freed
 * @child_total_time_enabled: parent: total time enabled of child events that were freed
 * @child_total_time_running: parent: total time running of child events that were freed
 * @read_nr: child event: the last group read that included it, see
 *	perf_event_context::nr_group_reads; under ctx->mutex of the parent's context
 * @read_count: child event: its count at that read
 *
 * Owner:
 * @owner: task that opened the event, NULL after it has exited; published with release
 * @owner_entry: on owner->perf_event_list, under owner->perf_event_mutex
 * @refcount: references of the file, of child events and of lookups
 * @rcu_head: for freeing
 *
 * Identity:
 * @id: unique number of the event in user space
 * @ns: PID namespace of the opener, for the IDs of tasks in records
 * @cgroup_ns: cgroup namespace of the opener, for paths in PERF_RECORD_CGROUP; child events have
 *	NULL and use their parent's
 * @clock: clock of the times in records
 * @lost_samples: PERF_FORMAT_LOST; child events add to the parent's number
 * @orig_type: attr.type as user space has set it
 *
 * Overflow:
 * @overflow_handler: writes the sample, or is the callback of a kernel user
 * @overflow_handler_context: argument of that callback
 * @event_limit: overflows until the event is disabled, PERF_EVENT_IOC_REFRESH
 * @pending_signals: pending SIGIO signals, PERF_SIGNAL_*
 * @pending_wake: wakes pollers and sends signals, see perf_event_wakeup()
 * @pending_disable: the event must be disabled as soon as possible
 * @pending_disable_irq: disables the event
 * @waitq: tasks in poll()
 * @fasync: files with O_ASYNC
 *
 * SIGTRAP:
 * @pending_task: sends the signal when the task returns to user space
 * @pending_sigtrap: a signal is pending
 * @pending_addr: si_addr of the signal
 *
 * Recording:
 * @sample_layout: layout of the samples
 * @header_size: perf_sample_layout::size without the header, for drivers that pass a size to
 *	perf_event_header__init()
 * @rb: buffer for writers, under RCU; NULL while the event must not write
 * @output: buffer to which the event is attached, with a reference, under the buffer's
 *	mutex
 * @rb_entry: on the buffer's list of events
 * @poll_entry: on the buffer's list of events with pollers
 * @mmap_count: number of mappings of this event
 * @mapped_entry: on the sub-context's list of events with a mapped control page
 * @sideband_entry: on the sub-context's list of events with side-band records
 * @sideband_kinds: mask of the kinds of side-band records
 * @freq_entry: in frequency mode, on the sub-context's list freq_events
 *
 * Address filters:
 * @addr_filters: filters as user space has set them
 * @addr_filter_ranges: addresses of the filters in this task
 * @addr_filters_gen: generation of the ranges
 *
 * Each for some kinds of events:
 * @destroy: undoes event_init(); may be NULL
 * @prog: BPF program, under perf_bpf_mutex
 * @bpf_cookie: for bpf_get_attach_cookie()
 * @cgrp: cgroup of a cgroup event
 * @security: for the security module
 * @tp_event: tracepoint of a tracepoint event
 * @filter: filter of a tracepoint event, PERF_EVENT_IOC_SET_FILTER
 * @traced: node of the events of a tracepoint in one sub-context, see struct perf_traced
 * @traced_next: while the event moves to another CPU, its node there
 * @attr: attributes; near the end, because most child events are copied up to it
 * @ftrace_ops: of a function tracing event
 */
struct perf_event {
#ifdef CONFIG_PERF_EVENTS
	struct hlist_node		hlist_entry;
	local64_t			count;
	enum perf_event_state		state;
	int				oncpu;
	struct pmu			*pmu;
	struct perf_subctx		*subctx;

	u64				total_time_enabled;
	u64				total_time_running;
	u64				stamp_enabled;
	u64				stamp_running;

	struct perf_event		*group_leader;
	struct list_head		sibling_list;
	int				nr_siblings;
	u32				group_formats;
	struct list_head		sched_siblings;
	struct perf_followers		*followers;
	struct pmu			*group_pmu;

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
	u64				runtime;
	u64				runtime_stamp;
	u64				unfit_at;
	int				nr_used;

	struct hw_perf_event		hw;

	struct perf_event		*parent;
	struct list_head		child_list;
	union {
		/* a parent */
		struct {
			struct mutex	child_mutex;
			atomic64_t	child_count;
			atomic64_t	child_total_time_enabled;
			atomic64_t	child_total_time_running;
		};
		/* a child event, which has no child events */
		struct {
			u64		read_nr;
			u64		read_count;
		};
	};

	struct task_struct		*owner;
	struct list_head		owner_entry;
	atomic_long_t			refcount;
	struct rcu_head			rcu_head;

	u64				id;
	struct pid_namespace		*ns;
	struct cgroup_namespace		*cgroup_ns;
	u64				(*clock)(void);
	atomic64_t			lost_samples;
	u32				orig_type;

	/* overflow */
	perf_overflow_handler_t		overflow_handler;
	void				*overflow_handler_context;
	atomic_t			event_limit;
	atomic_t			pending_signals;
	struct perf_wake		pending_wake;
	int				pending_disable;
	struct irq_work			pending_disable_irq;
	wait_queue_head_t		waitq;
	struct fasync_struct		*fasync;

	/* SIGTRAP */
	struct callback_head		pending_task;
	int				pending_sigtrap;
	unsigned long			pending_addr;

	/* samples */
	struct perf_sample_layout	sample_layout;
	u16				header_size;

	/* buffer */
	struct perf_buffer __rcu	*rb;
	struct perf_buffer __rcu	*output;
	struct list_head		rb_entry;
	struct list_head		poll_entry;
	unsigned int			mmap_count;
	struct hlist_node		mapped_entry;

	/* side-band records */
	struct list_head		sideband_entry;
	unsigned int			sideband_kinds;

	/* frequency mode */
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
	struct perf_traced		*traced;
	struct perf_traced		*traced_next;
#endif

	/* last: most child events are copied up to here, and no further */
	struct perf_event_attr		attr;
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops		ftrace_ops;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_output_handle - an open record or AUX transaction
 * @event: the event; NULL if no AUX transaction is open
 * @rb: the buffer; AUX: referenced until the end, record: kept by disabled preemption
 * @wakeup: AUX: offset at which the reader is woken
 * @size: AUX: bytes left; record: bytes left in the chunk
 * @flags: record: flags
 * @aux_flags: AUX: PERF_AUX_FLAG_*, also valid after the end
 * @skip_read: record: do not read the counter
 * @addr: record: position of the next byte
 * @head: AUX: free-running offset
 * @page: record: chunk of @addr
 * @outermost: record: it does not interrupt the writing of another record
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
