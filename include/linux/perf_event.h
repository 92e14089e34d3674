/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: the in-kernel API.
 *
 * Four audiences include this header, and it is laid out for them in turn:
 *
 *   PMU drivers        struct pmu, struct hw_perf_event and what they call back
 *   samplers           struct perf_sample_data and the helpers that fill it
 *   kernel users       counters made by KVM, the watchdog, resctrl, breakpoints
 *   the kernel's core  scheduler, fork, exec, exit, mm, BPF, tracing
 *
 * How contexts, clocks and scheduling work inside is private to kernel/events/;
 * Documentation/perf/design.rst tells that story.
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <uapi/linux/perf_event.h>
#include <uapi/linux/bpf_perf_event.h>

#ifdef CONFIG_PERF_EVENTS
# include <asm/perf_event.h>
# include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
# include <linux/rhashtable-types.h>
# include <asm/hw_breakpoint.h>
#endif

#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/perf_regs.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/security.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/device.h>
#include <linux/sysfs.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

struct bpf_prog;
struct ctl_table;
struct event_filter;
struct file;
struct perf_buffer;
struct perf_cgroup;
struct perf_cpu_pmu_context;
struct perf_event;
struct perf_event_context;
struct perf_event_pmu_context;
struct perf_event_set;
struct perf_output_handle;
struct perf_sample_data;
struct pid_namespace;
struct task_struct;
struct trace_event_call;
struct vm_area_struct;

/*
 * ---------------------------------------------------------------------------
 * PMU drivers
 * ---------------------------------------------------------------------------
 */

/**
 * struct hw_perf_event_extra - a shared register that an event needs beside its counter
 * @config: value to program
 * @reg: address or number of the register
 * @alloc: the register is held by this event
 * @idx: slot in the driver's table of shared registers
 */
struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

/* hw_perf_event::flags: the low bits are the driver's, the top bit is ours. */
#define PERF_EVENT_FLAG_ARCH		0x000fffff
/* user space may read the counter with its own instruction */
#define PERF_EVENT_FLAG_USER_READ_CNT	0x80000000

static_assert(!(PERF_EVENT_FLAG_ARCH & PERF_EVENT_FLAG_USER_READ_CNT));

/* hw_perf_event::state: written by the driver alone, read by everybody. */
#define PERF_HES_STOPPED	0x01	/* does not count now */
#define PERF_HES_UPTODATE	0x02	/* event->count holds all that was counted */
#define PERF_HES_ARCH		0x04	/* the driver's own mark */

/**
 * struct hw_perf_event - what a PMU driver keeps about one event
 *
 * The union is the driver's; an event has one PMU for life, so one member of
 * it is in use. drivers/perf/arm-cmn.c overlays all bytes before @target.
 *
 * @target: task that the event counts, referenced; NULL for a CPU event. Set
 *	before event_init() and valid until after destroy().
 * @addr_filters: the driver's translation of the address filters
 * @addr_filters_gen: generation of the filters that the hardware has
 * @state: PERF_HES_*
 * @prev_count: counter value at the last update; cmpxchg'ed, so that a read
 *	may interrupt another
 * @sample_period: events per sample, 0 when only counting
 * @last_period: length of the period that is running
 * @period_left: events until it ends
 * @interrupts: overflows since the last tick; MAX_INTERRUPTS when throttled
 * @interrupts_seq: tick in which @interrupts was counted
 * @freq_time_stamp: when the frequency was adjusted last
 * @freq_count_stamp: count at that time
 */
struct hw_perf_event {
#ifdef CONFIG_PERF_EVENTS
	union {
		struct {	/* a counter of a CPU or uncore PMU */
			u64			config;
			u64			last_tag;
			unsigned long		config_base;
			unsigned long		event_base;
			int			event_base_rdpmc;
			int			idx;
			int			last_cpu;
			int			flags;
			struct hw_perf_event_extra extra_reg;
			struct hw_perf_event_extra branch_reg;
		};
		struct {	/* a trace source with an AUX area */
			u64			aux_config;
			unsigned int		aux_paused;
		};
		struct {	/* a clock that samples */
			struct hrtimer		hrtimer;
		};
		struct {	/* a uprobe on its filter's list */
			struct list_head	tp_list;
		};
		struct {	/* AMD accumulated power */
			u64			pwr_acc;
			u64			ptsc;
		};
		struct {	/* AMD IOMMU */
			u8			iommu_bank;
			u8			iommu_cntr;
			u16			padding;
			u64			conf;
			u64			conf1;
		};
#ifdef CONFIG_HAVE_HW_BREAKPOINT
		struct {
			struct arch_hw_breakpoint info;
			struct rhlist_head	bp_list;
		};
#endif
	};
	struct task_struct	*target;
	void			*addr_filters;
	unsigned long		addr_filters_gen;

	int			state;
	local64_t		prev_count;
	u64			sample_period;
	union {
		struct {
			u64		last_period;
			local64_t	period_left;
		};
		struct {	/* top-down metrics across a switch */
			u64		saved_metric;
			u64		saved_slots;
		};
	};

	u64			interrupts_seq;
	u64			interrupts;
	u64			freq_time_stamp;
	u64			freq_count_stamp;
#endif
};

/* pmu::start_txn() */
#define PERF_PMU_TXN_ADD	0x1	/* a group goes on the PMU, or none of it */
#define PERF_PMU_TXN_READ	0x2	/* a group is read at once */

/* pmu::capabilities; Documentation/perf/design.rst says what each promises */
#define PERF_PMU_CAP_NO_INTERRUPT	0x0001
#define PERF_PMU_CAP_NO_NMI		0x0002
#define PERF_PMU_CAP_AUX_NO_SG		0x0004
#define PERF_PMU_CAP_EXTENDED_REGS	0x0008
#define PERF_PMU_CAP_EXCLUSIVE		0x0010
#define PERF_PMU_CAP_ITRACE		0x0020
#define PERF_PMU_CAP_NO_EXCLUDE		0x0040
#define PERF_PMU_CAP_AUX_OUTPUT		0x0080
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100
#define PERF_PMU_CAP_AUX_PAUSE		0x0200
#define PERF_PMU_CAP_AUX_PREFER_LARGE	0x0400

/**
 * enum perf_pmu_scope - which CPUs share one instance of a PMU
 *
 * With anything but NONE the core keeps one online CPU per domain, shows the
 * choice in sysfs as "cpumask", and moves events when that CPU goes away.
 */
enum perf_pmu_scope {
	PERF_PMU_SCOPE_NONE	= 0,
	PERF_PMU_SCOPE_CORE,
	PERF_PMU_SCOPE_DIE,
	PERF_PMU_SCOPE_CLUSTER,
	PERF_PMU_SCOPE_PKG,
	PERF_PMU_SCOPE_SYS_WIDE,
	PERF_PMU_MAX_SCOPE,
};

/* flags of pmu::add(), del(), start(), stop() */
#define PERF_EF_START	0x01	/* add: count at once */
#define PERF_EF_RELOAD	0x02	/* start: program the counter from period_left */
#define PERF_EF_UPDATE	0x04	/* stop: bring count and period_left up to date */
#define PERF_EF_PAUSE	0x08	/* stop: only pause an AUX event */
#define PERF_EF_RESUME	0x10	/* start: only resume an AUX event */

/**
 * struct pmu - a source of events
 *
 * The driver fills in the first block and the functions, embeds the struct by
 * value and hands it to perf_pmu_register(). After perf_pmu_unregister() the
 * memory is the driver's again.
 *
 * @module: owner, one reference per event; NULL for built-in code
 * @parent: parent of the sysfs device
 * @dev: device on bus "event_source"; NULL until the bus is up
 * @attr_groups: sysfs groups, NULL-terminated, kept by reference
 * @attr_update: groups applied once the device exists
 * @name: kept by reference
 * @type: value for perf_event_attr.type
 * @capabilities: PERF_PMU_CAP_*
 * @scope: enum perf_pmu_scope
 * @task_ctx_nr: perf_hw_context (limited counters), perf_sw_context (always
 *	fits) or perf_invalid_context (CPU events only)
 * @nr_addr_filters: address filters that one event can have
 * @task_ctx_cache: per-task driver data for events with PERF_ATTACH_TASK_DATA
 *
 * @entry: core: list of all PMUs
 * @cpu_pmu_context: core: what is on the PMU, per CPU
 * @exclusive_cnt: core: events of an EXCLUSIVE PMU, > 0 task's, < 0 CPUs'
 * @hrtimer_interval_ms: core: perf_event_mux_interval_ms
 *
 * @event_init: task context, may sleep. 0 takes the event; -ENOENT says that
 *	it is not for this PMU; any other errno is what the user sees.
 * @add: irqs off, PMU disabled, context lock held, on the event's CPU. Non-zero
 *	says that the event does not fit now.
 * @del: as @add; leaves event->count final.
 * @start: irqs off or NMI, between add and del.
 * @stop: irqs off or NMI, between add and del.
 * @read: irqs off or NMI; brings event->count up to date.
 * @pmu_enable: optional; irqs off, only the outermost of nested calls arrives.
 * @pmu_disable: optional; as @pmu_enable.
 * @start_txn: optional; irqs off. TXN_ADD defers the question whether events fit.
 * @commit_txn: optional; 0 when everything added or read since start_txn() is good.
 * @cancel_txn: optional; undoes start_txn(TXN_ADD) when commit was not reached or failed.
 * @event_idx: optional; counter number plus one for reads from user space, or 0.
 * @check_period: optional; task context; non-zero refuses a new period.
 * @filter: optional; irqs off; true when the PMU does not exist on this CPU.
 * @event_mapped: optional; task context, after an mmap of the event's buffer.
 * @event_unmapped: optional; task context.
 * @sched_task: optional; irqs off, at a switch while perf_sched_cb_inc() is in force.
 * @swap_task_ctx: optional; irqs off, both context locks held.
 * @setup_aux: optional; mmap of the AUX area, may sleep.
 * @free_aux: optional; after the last AUX mapping is gone.
 * @snapshot_aux: optional; irqs off or NMI.
 * @addr_filters_validate: task context; with @nr_addr_filters.
 * @addr_filters_sync: irqs off, from perf_event_addr_filters_sync().
 * @aux_output_match: optional; task context; non-zero when the leader takes our output.
 */
struct pmu {
	struct module			*module;
	struct device			*parent;
	struct device			*dev;
	const struct attribute_group	**attr_groups;
	const struct attribute_group	**attr_update;
	const char			*name;
	int				type;
	int				capabilities;
	unsigned int			scope;
	int				task_ctx_nr;
	unsigned int			nr_addr_filters;
	struct kmem_cache		*task_ctx_cache;

	struct list_head		entry;
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	atomic_t			exclusive_cnt;
	int				hrtimer_interval_ms;

	int (*event_init)(struct perf_event *event);
	int (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
	void (*read)(struct perf_event *event);

	void (*pmu_enable)(struct pmu *pmu);
	void (*pmu_disable)(struct pmu *pmu);
	void (*start_txn)(struct pmu *pmu, unsigned int txn_flags);
	int (*commit_txn)(struct pmu *pmu);
	void (*cancel_txn)(struct pmu *pmu);
	int (*event_idx)(struct perf_event *event);
	int (*check_period)(struct perf_event *event, u64 value);
	bool (*filter)(struct pmu *pmu, int cpu);

	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);

	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev,
			      struct perf_event_pmu_context *next);

	void *(*setup_aux)(struct perf_event *event, void **pages,
			   int nr_pages, bool overwrite);
	void (*free_aux)(void *aux);
	long (*snapshot_aux)(struct perf_event *event,
			     struct perf_output_handle *handle,
			     unsigned long size);
	int (*addr_filters_validate)(struct list_head *filters);
	void (*addr_filters_sync)(struct perf_event *event);
	int (*aux_output_match)(struct perf_event *event);
};

enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP	= 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};

/**
 * struct perf_addr_filter - one address range as user space described it
 * @entry: on perf_addr_filters_head::list
 * @path: object file, or no path for a kernel address
 * @offset: into the file, or the kernel address
 * @size: bytes; 0 names a single address
 * @action: what the range does to tracing
 */
struct perf_addr_filter {
	struct list_head		entry;
	struct path			path;
	unsigned long			offset;
	unsigned long			size;
	enum perf_addr_filter_action_t	action;
};

/**
 * struct perf_addr_filters_head - all filters of an event
 * @list: of struct perf_addr_filter, under @lock
 * @lock: also taken with irqs off by address-space changes
 * @nr_file_filters: how many have a path
 */
struct perf_addr_filters_head {
	struct list_head	list;
	raw_spinlock_t		lock;
	unsigned int		nr_file_filters;
};

/**
 * struct perf_addr_filter_range - a filter resolved in the target's address space
 * @start: first address; 0 while the file is not mapped
 * @size: bytes
 */
struct perf_addr_filter_range {
	unsigned long		start;
	unsigned long		size;
};

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

/* perf_event::event_caps, fixed once event_init() has returned */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* of a software PMU */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* readable on any CPU of the package */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* only as a group member */
#define PERF_EV_CAP_READ_SCOPE		BIT(3)	/* readable on any CPU of pmu::scope */
/*
 * Always fits, counts wherever its set's condition holds, and is never
 * scheduled: add() and del() are called when it is enabled and disabled, with
 * the context lock held, from any CPU.
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

/* Drivers walk groups in event_init() and add(); either lock keeps them still. */
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_PROVE_LOCKING)
void lockdep_assert_event_ctx(struct perf_event *event);
#else
#define lockdep_assert_event_ctx(event)	do { } while (0)
#endif

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
 *	read under RCU; a tracepoint event on its CPU's list
 * @count: total of this event alone, without inherited ones
 * @state: ctx->lock
 * @oncpu: CPU it counts on, or -1; ctx->lock
 * @pmu: the source
 * @set: the condition it counts under, see kernel/events/set.h
 * @hw: the driver's part
 *
 * Time, ctx->lock, nanoseconds:
 * @total_time_enabled: up to @stamp_enabled
 * @total_time_running: up to @stamp_running
 * @stamp_enabled: the set's enabled clock when the total was brought up to date
 * @stamp_running: the set's running clock at that time
 *
 * Group, ctx->mutex and ctx->lock to change, either to read:
 * @group_leader: itself when it leads
 * @sibling_list: of a leader, its siblings; of a sibling, the node
 * @nr_siblings: of a leader
 * @group_home: of a leader, the PMU whose counters the group needs, NULL when resident
 * @group_generation: changes with the list of siblings
 *
 * Context:
 * @ctx: holds a reference
 * @pmu_ctx: the leader's queue of placed groups, NULL when resident
 * @event_entry: on ctx->event_list
 * @group_entry: a placed leader on its queue
 * @placed_time: of a placed leader, ns that its group was served, see place.c
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
	unsigned int			group_generation;
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
	u64				placed_time;

	struct perf_event_attr		attr;
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

	/* overflow: see kernel/events/overflow.c */
	perf_overflow_handler_t		overflow_handler;
	void				*overflow_handler_context;
	atomic_t			event_limit;
	unsigned int			pending_wakeup;
	unsigned int			pending_kill;
	struct irq_work			pending_irq;
	int				pending_disable;
	struct irq_work			pending_disable_irq;
	wait_queue_head_t		waitq;
	struct fasync_struct		*fasync;

	/* signals: see kernel/events/sigtrap.c */
	struct callback_head		pending_task;
	int				pending_sigtrap;
	unsigned long			pending_addr;

	/* buffer */
	struct mutex			mmap_mutex;
	atomic_t			mmap_count;
	struct perf_buffer __rcu	*rb;

	/* address filters */
	struct perf_addr_filters_head	addr_filters;
	struct perf_addr_filter_range	*addr_filter_ranges;
	unsigned long			addr_filters_gen;

	void				(*destroy)(struct perf_event *event);

	struct bpf_prog			*prog;
	u64				bpf_cookie;

#ifdef CONFIG_EVENT_TRACING
	struct trace_event_call		*tp_event;
	struct event_filter		*filter;
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops		ftrace_ops;
#endif
#endif
#ifdef CONFIG_CGROUP_PERF
	struct perf_cgroup		*cgrp;
#endif
#ifdef CONFIG_SECURITY
	void				*security;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

/**
 * struct perf_event_pmu_context - the groups of one set that wait for one PMU
 *
 * All under ctx->lock.
 *
 * @pmu: the PMU
 * @ctx: owner
 * @set: the condition under which the groups want to count
 * @set_entry: on set->pmu_ctx_list
 * @cpu_entry: on the CPU's list while @set is on
 * @pinned: leaders that must be on
 * @flexible: leaders that share
 * @cursor: next flexible leader to try, while groups are being placed
 * @nr_groups: on both lists
 * @time_shift: makes placed_time comparable with that of the CPU's other groups
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
	struct list_head		flexible;
	struct perf_event		*cursor;
	unsigned int			nr_groups;
	s64				time_shift;
	void				*task_ctx_data;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_output_handle - an open record or AUX transaction
 * @event: whose; NULL when no AUX transaction is open
 * @rb: the buffer, held until the end
 * @wakeup: AUX: offset at which the reader wants to be woken
 * @size: bytes left
 * @flags: of a record
 * @aux_flags: AUX: PERF_AUX_FLAG_*, readable after the end as well
 * @skip_read: do not read the counter for this record
 * @addr: of a record, where the next byte goes
 * @head: AUX: free-running offset
 * @page: of a record, the data page of @addr
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
};

/*
 * ---------------------------------------------------------------------------
 * Sampling
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_callchain_entry - a stack trace, as in PERF_SAMPLE_CALLCHAIN
 * @nr: entries
 * @ip: addresses and PERF_CONTEXT_* markers; sysctl perf_event_max_stack bounds it
 */
struct perf_callchain_entry {
	__u64				nr;
	__u64				ip[];
};

/**
 * struct perf_callchain_entry_ctx - a stack trace being taken
 * @entry: where it goes
 * @max_stack: addresses wanted at most
 * @nr: addresses so far
 * @contexts: markers so far
 * @contexts_maxed: a marker did not fit, the walk is over
 */
struct perf_callchain_entry_ctx {
	struct perf_callchain_entry	*entry;
	u32				max_stack;
	u32				nr;
	short				contexts;
	bool				contexts_maxed;
};

typedef unsigned long (*perf_copy_f)(void *dst, const void *src,
				     unsigned long off, unsigned long len);

/**
 * struct perf_raw_frag - a piece of PERF_SAMPLE_RAW data
 * @next: following piece; a value below eight says that this is the last
 * @pad: of the last piece, bytes of padding
 * @copy: how to copy, NULL for memcpy()
 * @data: from where
 * @size: bytes
 */
struct perf_raw_frag {
	union {
		struct perf_raw_frag	*next;
		unsigned long		pad;
	};
	perf_copy_f			copy;
	void				*data;
	u32				size;
} __packed;

struct perf_raw_record {
	struct perf_raw_frag		frag;
	u32				size;
};

static __always_inline bool perf_raw_frag_last(const struct perf_raw_frag *frag)
{
	return frag->pad < sizeof(u64);
}

/**
 * struct perf_branch_stack - last branches, newest first
 * @nr: entries
 * @hw_idx: hardware's index of the newest, or -1
 * @entries: the branches
 */
struct perf_branch_stack {
	__u64				nr;
	__u64				hw_idx;
	struct perf_branch_entry	entries[];
};

/**
 * struct perf_sample_data - the fields of a sample while it is collected
 *
 * @sample_flags says by PERF_SAMPLE_* bit what the caller has put in; the core
 * computes what else the event asks for. @dyn_size counts the variable part.
 * BPF programs read @period and @addr by offset, eight bytes each.
 */
struct perf_sample_data {
	u64				sample_flags;
	u64				period;
	u64				dyn_size;

	u64				type;
	struct {
		u32	pid;
		u32	tid;
	}				tid_entry;
	u64				time;
	u64				id;
	struct {
		u32	cpu;
		u32	reserved;
	}				cpu_entry;

	u64				ip;
	u64				addr;
	struct perf_callchain_entry	*callchain;
	struct perf_raw_record		*raw;
	struct perf_branch_stack	*br_stack;
	u64				*br_stack_cntr;
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				txn;

	struct perf_regs		regs_user;
	struct perf_regs		regs_intr;
	u64				stack_user_size;

	u64				stream_id;
	u64				cgroup;
	u64				phys_addr;
	u64				data_page_size;
	u64				code_page_size;
	u64				aux_size;
} ____cacheline_aligned;

/* data_src when the source cannot tell */
#define PERF_MEM_NA	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) |	\
			 PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |	\
			 PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

/* What a PERF_TYPE_PERF_EVENT BPF program gets; offsets go into programs at load. */
struct bpf_perf_event_data_kern {
	bpf_user_pt_regs_t		*regs;
	struct perf_sample_data		*data;
	struct perf_event		*event;
};

/*
 * ---------------------------------------------------------------------------
 * Guests
 * ---------------------------------------------------------------------------
 */

/* perf_guest_info_callbacks::state() */
#define PERF_GUEST_ACTIVE	0x01
#define PERF_GUEST_USER		0x02

/**
 * struct perf_guest_info_callbacks - a hypervisor's answers during an interrupt
 * @state: PERF_GUEST_* of this CPU; any context
 * @get_ip: the guest's instruction pointer; any context
 * @handle_intel_pt_intr: optional; non-zero when the interrupt was the guest's
 */
struct perf_guest_info_callbacks {
	unsigned int		(*state)(void);
	unsigned long		(*get_ip)(void);
	unsigned int		(*handle_intel_pt_intr)(void);
};

#ifdef CONFIG_GUEST_PERF_EVENTS
extern struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DECLARE_STATIC_CALL(__perf_guest_state, *perf_guest_cbs->state);
DECLARE_STATIC_CALL(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DECLARE_STATIC_CALL(__perf_guest_handle_intel_pt_intr,
		    *perf_guest_cbs->handle_intel_pt_intr);

static inline unsigned int perf_guest_state(void)
{
	return static_call(__perf_guest_state)();
}

static inline unsigned long perf_guest_get_ip(void)
{
	return static_call(__perf_guest_get_ip)();
}

static inline unsigned int perf_guest_handle_intel_pt_intr(void)
{
	return static_call(__perf_guest_handle_intel_pt_intr)();
}

void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
#else
static inline unsigned int perf_guest_state(void)	{ return 0; }
static inline unsigned long perf_guest_get_ip(void)	{ return 0; }
static inline unsigned int perf_guest_handle_intel_pt_intr(void) { return 0; }
#endif

/* Arguments of security_perf_event_open() */
#define PERF_SECURITY_OPEN		0
#define PERF_SECURITY_CPU		1
#define PERF_SECURITY_KERNEL		2
#define PERF_SECURITY_TRACEPOINT	3

#ifdef CONFIG_PERF_EVENTS

/* How the architecture describes the frame of a caller, and an interrupted context. */
#ifndef perf_arch_fetch_caller_regs
static inline void perf_arch_fetch_caller_regs(struct pt_regs *regs, unsigned long ip) { }
#endif

#ifndef perf_misc_flags
#define perf_misc_flags(regs)						\
	(user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL)
#define perf_instruction_pointer(regs)	instruction_pointer(regs)
#endif

#ifndef perf_arch_bpf_user_pt_regs
#define perf_arch_bpf_user_pt_regs(regs) regs
#endif

/* must expand in the caller: it takes the caller's frame */
static __always_inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

/* PMU registry: kernel/events/pmu.c */
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);

/* What drivers tell the core: overflow.c, mmap.c, filter.c */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);
void perf_event_disable_inatomic(struct perf_event *event);
void perf_event_update_userpage(struct perf_event *event);
void perf_event_addr_filters_sync(struct perf_event *event);
void perf_event_itrace_started(struct perf_event *event);
void perf_sample_event_took(u64 sample_len_ns);
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);

/* AUX area: aux.c */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event);
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
void *perf_get_aux(struct perf_output_handle *handle);
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id);

/* Counters for the kernel's own use: kernel_counter.c */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback, void *context);
int perf_event_release_kernel(struct perf_event *event);
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
void perf_event_disable_local(struct perf_event *event);
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running);
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running);
int perf_event_period(struct perf_event *event, u64 value);
u64 perf_event_pause(struct perf_event *event, bool reset);
int perf_event_refresh(struct perf_event *event, int refresh);

/* File descriptors, for BPF: file.c */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);

/* Tasks: inherit.c, owner.c */
int perf_event_init_task(struct task_struct *child, u64 clone_flags);
void perf_event_free_task(struct task_struct *task);
void perf_event_exit_task(struct task_struct *child);
void perf_event_delayed_put(struct task_struct *task);
void perf_event_exec(void);
int perf_event_task_enable(void);
int perf_event_task_disable(void);

/* CPUs: hotplug.c */
void perf_event_init(void);
int perf_event_init_cpu(unsigned int cpu);
int perf_event_exit_cpu(unsigned int cpu);

/* What happened in the rest of the kernel: sideband.c */
void perf_event_fork(struct task_struct *tsk);
void perf_event_comm(struct task_struct *tsk, bool exec);
void perf_event_namespaces(struct task_struct *tsk);
void perf_event_mmap(struct vm_area_struct *vma);
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym);
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags);
void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			  const void *new_bytes, size_t new_len);

/* Samples: sample.c */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs);

/* Call chains: callchain.c, and the architecture */
struct perf_callchain_entry *
get_perf_callchain(struct pt_regs *regs, bool kernel, bool user, u32 max_stack,
		   bool crosstask, bool add_mark);
int get_callchain_buffers(int max_stack);
void put_callchain_buffers(void);
struct perf_callchain_entry *get_callchain_entry(int *rctx);
void put_callchain_entry(int rctx);
struct perf_callchain_entry *perf_callchain(struct perf_event *event,
					    struct pt_regs *regs);
void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);

/* Tracing: tracepoint.c; breakpoints: hw_breakpoint.c */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task);
void perf_bp_event(struct perf_event *event, void *data);

/* sysrq-p; weak */
void perf_event_print_debug(void);

/* Access control and sysctls: sysctl.c */
extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_mlock;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_cpu_time_max_percent;
extern int sysctl_perf_event_max_stack;
extern int sysctl_perf_event_max_contexts_per_stack;

int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos);
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos);
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos);

int perf_allow_kernel(void);

static inline int perf_allow_cpu(void)
{
	if (sysctl_perf_event_paranoid > 0 && !perfmon_capable())
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_CPU);
}

static inline int perf_allow_tracepoint(void)
{
	if (sysctl_perf_event_paranoid > -1 && !perfmon_capable())
		return -EPERM;
	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

/* Questions about an event */

static inline bool is_sampling_event(struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

static inline int is_software_event(struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_SOFTWARE;
}

static inline bool is_default_overflow_handler(struct perf_event *event)
{
	return event->overflow_handler == perf_event_output_forward ||
	       event->overflow_handler == perf_event_output_backward;
}

static inline bool has_branch_stack(struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static inline bool perf_event_has_any_exclude(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

static inline struct perf_addr_filters_head *
perf_event_addr_filters(struct perf_event *event)
{
	return event->parent ? &event->parent->addr_filters : &event->addr_filters;
}

/* Filling in a sample */

static inline void perf_sample_data_init(struct perf_sample_data *data,
					 u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD;
	data->period = period;
	data->dyn_size = 0;
	if (addr) {
		data->sample_flags |= PERF_SAMPLE_ADDR;
		data->addr = addr;
	}
}

/* the field is wanted, and nobody has filled it in yet */
static inline bool perf_sample_wants(struct perf_sample_data *data,
				     struct perf_event *event, u64 field)
{
	if (!(event->attr.sample_type & field))
		return false;
	return !WARN_ON_ONCE(data->sample_flags & field);
}

static inline void perf_sample_save_callchain(struct perf_sample_data *data,
					      struct perf_event *event,
					      struct pt_regs *regs)
{
	if (!perf_sample_wants(data, event, PERF_SAMPLE_CALLCHAIN))
		return;

	data->callchain = perf_callchain(event, regs);
	data->dyn_size += sizeof(u64) * (1 + data->callchain->nr);
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
}

static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	struct perf_raw_frag *last = &raw->frag;
	u32 bytes, padded;

	if (!perf_sample_wants(data, event, PERF_SAMPLE_RAW))
		return;

	for (bytes = last->size; !perf_raw_frag_last(last); bytes += last->size)
		last = last->next;

	/* the size word and the data together fill whole u64s */
	padded = round_up(sizeof(u32) + bytes, sizeof(u64));
	last->pad = padded - sizeof(u32) - bytes;
	raw->size = padded - sizeof(u32);

	data->raw = raw;
	data->dyn_size += padded;
	data->sample_flags |= PERF_SAMPLE_RAW;
}

static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *brs_cntr)
{
	bool index = event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;

	data->br_stack = brs;
	data->br_stack_cntr = brs_cntr;
	data->dyn_size += sizeof(u64) * (1 + index);
	data->dyn_size += brs->nr * sizeof(struct perf_branch_entry);
	if (brs_cntr)
		data->dyn_size += brs->nr * sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

static inline int perf_callchain_store_context(struct perf_callchain_entry_ctx *ctx,
					       u64 ip)
{
	if (ctx->contexts >= sysctl_perf_event_max_contexts_per_stack) {
		ctx->contexts_maxed = true;
		return -1;
	}
	ctx->contexts++;
	ctx->entry->ip[ctx->entry->nr++] = ip;
	return 0;
}

static inline int perf_callchain_store(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	if (ctx->contexts_maxed || ctx->nr >= ctx->max_stack)
		return -1;
	ctx->nr++;
	ctx->entry->ip[ctx->entry->nr++] = ip;
	return 0;
}

/*
 * Software events. One key per event id keeps an occurrence at a no-op while
 * nobody listens; perf_swevent_hit() and its _sched form are in software.c.
 */
extern struct static_key_false_deferred perf_swevent_keys[PERF_COUNT_SW_MAX];
DECLARE_PER_CPU(struct pt_regs, __perf_regs[4]);

int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);
u64 perf_swevent_set_period(struct perf_event *event);
void perf_swevent_hit(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void perf_swevent_hit_sched(u32 event_id, u64 nr, struct pt_regs *regs);

static __always_inline bool perf_swevent_wanted(u32 event_id)
{
	return static_branch_unlikely(&perf_swevent_keys[event_id].key);
}

static __always_inline void perf_sw_event(u32 event_id, u64 nr,
					  struct pt_regs *regs, u64 addr)
{
	if (perf_swevent_wanted(event_id))
		perf_swevent_hit(event_id, nr, regs, addr);
}

/*
 * Scheduler. The rq lock is held and irqs are off; sched_out runs on prev's
 * side of the switch, sched_in on next's.
 */
extern struct static_key_false_deferred perf_sched_events;

void perf_switch_out(struct task_struct *prev, struct task_struct *next);
void perf_switch_in(struct task_struct *task);
void perf_event_task_tick(void);

static __always_inline void perf_sw_event_sched(u32 event_id)
{
	struct pt_regs *regs = this_cpu_ptr(&__perf_regs[0]);

	perf_fetch_caller_regs(regs);
	perf_swevent_hit_sched(event_id, 1, regs);
}

static inline void perf_event_task_migrate(struct task_struct *task)
{
	if (perf_swevent_wanted(PERF_COUNT_SW_CPU_MIGRATIONS))
		task->sched_migrated = 1;
}

static __always_inline void perf_event_task_sched_out(struct task_struct *prev,
						      struct task_struct *next)
{
	if (perf_swevent_wanted(PERF_COUNT_SW_CONTEXT_SWITCHES))
		perf_sw_event_sched(PERF_COUNT_SW_CONTEXT_SWITCHES);
#ifdef CONFIG_CGROUP_PERF
	if (perf_swevent_wanted(PERF_COUNT_SW_CGROUP_SWITCHES) &&
	    task_css_check(prev, perf_event_cgrp_id, true) !=
	    task_css_check(next, perf_event_cgrp_id, true))
		perf_sw_event_sched(PERF_COUNT_SW_CGROUP_SWITCHES);
#endif
	if (static_branch_unlikely(&perf_sched_events.key))
		perf_switch_out(prev, next);
}

static __always_inline void perf_event_task_sched_in(struct task_struct *prev,
						     struct task_struct *task)
{
	if (static_branch_unlikely(&perf_sched_events.key))
		perf_switch_in(task);
	if (perf_swevent_wanted(PERF_COUNT_SW_CPU_MIGRATIONS) &&
	    task->sched_migrated) {
		perf_sw_event_sched(PERF_COUNT_SW_CPU_MIGRATIONS);
		task->sched_migrated = 0;
	}
}

#else /* !CONFIG_PERF_EVENTS */

static inline void *perf_aux_output_begin(struct perf_output_handle *handle,
					  struct perf_event *event) { return NULL; }
static inline void perf_aux_output_end(struct perf_output_handle *handle,
				       unsigned long size) { }
static inline int perf_aux_output_skip(struct perf_output_handle *handle,
				       unsigned long size) { return -EINVAL; }
static inline void *perf_get_aux(struct perf_output_handle *handle) { return NULL; }

static inline int perf_event_release_kernel(struct perf_event *event) { return 0; }
static inline void perf_event_enable(struct perf_event *event) { }
static inline void perf_event_disable(struct perf_event *event) { }
static inline int perf_event_read_local(struct perf_event *event, u64 *value,
					u64 *enabled, u64 *running) { return -EINVAL; }
static inline int perf_event_period(struct perf_event *event, u64 value)
{
	return -EINVAL;
}
static inline u64 perf_event_pause(struct perf_event *event, bool reset) { return 0; }
static inline int perf_event_refresh(struct perf_event *event, int refresh)
{
	return -EINVAL;
}

static inline struct file *perf_event_get(unsigned int fd)
{
	return ERR_PTR(-EINVAL);
}
static inline const struct perf_event *perf_get_event(struct file *file)
{
	return ERR_PTR(-EINVAL);
}

static inline int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	return 0;
}
static inline void perf_event_free_task(struct task_struct *task) { }
static inline void perf_event_exit_task(struct task_struct *child) { }
static inline void perf_event_delayed_put(struct task_struct *task) { }
static inline void perf_event_exec(void) { }
static inline int perf_event_task_enable(void) { return -EINVAL; }
static inline int perf_event_task_disable(void) { return -EINVAL; }

static inline void perf_event_init(void) { }
#define perf_event_init_cpu	NULL
#define perf_event_exit_cpu	NULL

static inline void perf_event_fork(struct task_struct *tsk) { }
static inline void perf_event_comm(struct task_struct *tsk, bool exec) { }
static inline void perf_event_namespaces(struct task_struct *tsk) { }
static inline void perf_event_mmap(struct vm_area_struct *vma) { }
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len,
				      bool unregister, const char *sym) { }
static inline void perf_event_bpf_event(struct bpf_prog *prog,
					enum perf_bpf_event_type type, u16 flags) { }
static inline void perf_event_text_poke(const void *addr, const void *old_bytes,
					size_t old_len, const void *new_bytes,
					size_t new_len) { }

static inline void perf_bp_event(struct perf_event *event, void *data) { }
static inline void perf_event_print_debug(void) { }

static inline int perf_swevent_get_recursion_context(void) { return -1; }
static inline void perf_swevent_put_recursion_context(int rctx) { }
static inline u64 perf_swevent_set_period(struct perf_event *event) { return 0; }
static inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs,
				 u64 addr) { }

static inline void perf_event_task_migrate(struct task_struct *task) { }
static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next) { }
static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task) { }
static inline void perf_event_task_tick(void) { }

#endif /* CONFIG_PERF_EVENTS */

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
void perf_restore_debug_store(void);
#else
static inline void perf_restore_debug_store(void) { }
#endif

/* Installed by a CPU driver before BPF programs load; returns entries written. */
typedef int (perf_snapshot_branch_stack_t)(struct perf_branch_entry *entries,
					   unsigned int cnt);
DECLARE_STATIC_CALL(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#ifndef PERF_NEEDS_LOPWR_CB
static inline void perf_lopwr_cb(bool mode) { }
#endif

/*
 * ---------------------------------------------------------------------------
 * sysfs, for PMU drivers
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_pmu_events_attr - a file in a PMU's events/ directory
 * @attr: the file
 * @id: for the driver's own show function
 * @event_str: what perf_event_sysfs_show() prints, may be NULL
 */
struct perf_pmu_events_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
};

ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *page);

/* a static struct perf_pmu_events_attr with an id and the driver's show */
#define PMU_EVENT_ATTR(_name, _var, _id, _show)				\
static struct perf_pmu_events_attr _var = {				\
	.attr	= __ATTR(_name, 0444, _show, NULL),			\
	.id	= _id,							\
};

/* a static struct perf_pmu_events_attr that prints a string */
#define PMU_EVENT_ATTR_STRING(_name, _var, _str)			\
static struct perf_pmu_events_attr _var = {				\
	.attr		= __ATTR(_name, 0444, perf_event_sysfs_show, NULL), \
	.event_str	= _str,						\
};

/* the same without a name: an expression of type struct attribute * */
#define PMU_EVENT_ATTR_ID(_name, _show, _id)				\
	(&((struct perf_pmu_events_attr[]) { {				\
		.attr	= __ATTR(_name, 0444, _show, NULL),		\
		.id	= _id,						\
	} })[0].attr.attr)

/* format_attr_<name>: a file in format/ that says where a field's bits are */
#define PMU_FORMAT_ATTR(_name, _format)					\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *page)	\
{									\
	static_assert(sizeof(_format) < PAGE_SIZE);			\
	return sysfs_emit(page, _format "\n");				\
}									\
static struct device_attribute format_attr_##_name = __ATTR_RO(_name)

#endif /* _LINUX_PERF_EVENT_H */
