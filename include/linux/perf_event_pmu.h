/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: the interface for PMU drivers.
 *
 * struct pmu with its operations, the driver's part of an event, address filters, and
 * helpers for a PMU's directory in sysfs. <linux/perf_event.h> has the functions with
 * which drivers register PMUs and report overflows.
 *
 * Do not include this header directly: <linux/perf_event.h> includes it.
 */
#ifndef _LINUX_PERF_EVENT_PMU_H
#define _LINUX_PERF_EVENT_PMU_H

#include <uapi/linux/perf_event.h>

#ifdef CONFIG_PERF_EVENTS
# include <asm/perf_event.h>
# include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
# include <linux/rhashtable-types.h>
# include <asm/hw_breakpoint.h>
#endif

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/timerqueue.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

struct kmem_cache;
struct mm_struct;
struct perf_cpu_pmu_context;
struct perf_event;
struct perf_event_pmu_context;
struct perf_output_handle;
struct task_struct;

/**
 * struct hw_perf_event_extra - a shared register that an event needs beside its counter
 * @config: value of the register
 * @reg: address or number of the register
 * @alloc: the event has the register
 * @idx: index in the driver's table of shared registers
 */
struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

/* hw_perf_event::flags: the low bits are for the driver, the top bit is for the core. */
#define PERF_EVENT_FLAG_ARCH		0x000fffff
/* user space can read the counter with an instruction */
#define PERF_EVENT_FLAG_USER_READ_CNT	0x80000000

static_assert(!(PERF_EVENT_FLAG_ARCH & PERF_EVENT_FLAG_USER_READ_CNT));

/* hw_perf_event::state: written only by the driver. */
#define PERF_HES_STOPPED	0x01	/* the event does not count */
#define PERF_HES_UPTODATE	0x02	/* event->count is up to date */
#define PERF_HES_ARCH		0x04	/* for use by the driver */

/**
 * struct hw_perf_event - the driver's part of an event
 *
 * The union is for the driver. An event has the same PMU all the time, which uses one
 * member of the union. drivers/perf/arm-cmn.c uses all bytes before @target otherwise.
 *
 * @config: bits for the event select register
 * @last_tag: identifies the last use of the counter; the driver defines the value
 * @config_base: address or number of the event select register
 * @event_base: address or number of the counter
 * @event_base_rdpmc: operand of the instruction that reads the counter
 * @reader_mm: x86's core PMU has this in place of @event_base: the address space of the
 *	counted task that has the buffer mapped
 * @nr_reader_maps: the same in place of @event_base_rdpmc: number of mappings in @reader_mm
 * @idx: the counter, -1 when there is none
 * @last_cpu: CPU on which @idx was assigned
 * @flags: PERF_EVENT_FLAG_*
 * @extra_reg: a shared register that the event needs
 * @branch_reg: another one
 * @aux_config: trace source: bits for its control register
 * @aux_paused: trace source: tracing is paused, see PERF_EF_PAUSE
 * @hrtimer: of a driver that polls its counters
 * @clock_node: a sampling clock in its queue, see clock_queue.c
 * @tp_list: a uprobe on its filter's list
 * @pwr_acc: AMD accumulated power: its value at the last update
 * @ptsc: AMD accumulated power: the time stamp at the last update
 * @iommu_bank: AMD IOMMU: bank of the counter
 * @iommu_cntr: AMD IOMMU: the counter in its bank
 * @padding: unused
 * @conf: AMD IOMMU: attr.config
 * @conf1: AMD IOMMU: attr.config1
 * @info: a breakpoint's part of the architecture
 * @target: the task of the event, with a reference; NULL for a CPU event. Valid from
 *	before event_init() until after destroy().
 * @addr_filters: the driver's translation of the address filters
 * @addr_filters_gen: generation of the filters that the hardware has
 * @state: PERF_HES_*
 * @prev_count: counter value at the last update; updated by cmpxchg, because an NMI may
 *	interrupt an update by another one
 * @sample_period: events per sample, 0 if the event does not sample
 * @last_period: length of the current period
 * @period_left: events until the end of the current period
 * @saved_metric: top-down events have this in place of @last_period: the metrics
 *	register when the event was scheduled out
 * @saved_slots: the same for the slots counter
 * @interrupts: overflows since the last tick; MAX_INTERRUPTS while throttled
 * @interrupts_seq: tick in which @interrupts was counted
 * @freq_time_stamp: total running time when the rate was measured last
 * @freq_count_stamp: count at that time
 */
struct hw_perf_event {
#ifdef CONFIG_PERF_EVENTS
	union {
		struct {	/* a counter of a CPU or uncore PMU */
			u64			config;
			u64			last_tag;
			unsigned long		config_base;
			union {
				unsigned long		event_base;
				struct mm_struct	*reader_mm;
			};
			union {
				int			event_base_rdpmc;
				unsigned int		nr_reader_maps;
			};
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
		struct {	/* polled by a timer */
			struct hrtimer		hrtimer;
		};
		struct {	/* a clock that samples, see kernel/events/software/clock_event.c */
			struct timerqueue_node	clock_node;
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
#define PERF_PMU_TXN_ADD	0x1	/* a whole group is added, or nothing */
#define PERF_PMU_TXN_READ	0x2	/* a group is read at once */

/* First private bit of the core in pmu::capabilities, event_caps and attach_state */
#define PERF_FIRST_PRIVATE_BIT		16

/* pmu::capabilities, see Documentation/perf/adding-a-pmu.rst */
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

static_assert((PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_NMI | PERF_PMU_CAP_AUX_NO_SG |
	       PERF_PMU_CAP_EXTENDED_REGS | PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE |
	       PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_AUX_OUTPUT | PERF_PMU_CAP_EXTENDED_HW_TYPE |
	       PERF_PMU_CAP_AUX_PAUSE | PERF_PMU_CAP_AUX_PREFER_LARGE) <
	      BIT(PERF_FIRST_PRIVATE_BIT));

/**
 * enum perf_pmu_scope - CPUs that share one instance of a PMU
 * @PERF_PMU_SCOPE_NONE: the core does not choose a CPU
 * @PERF_PMU_SCOPE_CORE: the threads of a core
 * @PERF_PMU_SCOPE_DIE: the CPUs of a die
 * @PERF_PMU_SCOPE_CLUSTER: the CPUs of a cluster
 * @PERF_PMU_SCOPE_PKG: the CPUs of a package
 * @PERF_PMU_SCOPE_SYS_WIDE: all CPUs
 * @PERF_PMU_MAX_SCOPE: number of scopes
 *
 * With all scopes but NONE, the core chooses one online CPU per domain. It shows these
 * CPUs in the sysfs file "cpumask", and moves events when such a CPU goes offline.
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
#define PERF_EF_START	0x01	/* add: start the event */
#define PERF_EF_RELOAD	0x02	/* start: program the counter from period_left */
#define PERF_EF_UPDATE	0x04	/* stop: update count and period_left */
#define PERF_EF_PAUSE	0x08	/* stop: only pause an AUX event */
#define PERF_EF_RESUME	0x10	/* start: only resume an AUX event */

/**
 * struct pmu - a source of events
 *
 * The driver sets the first block of members and the operations, embeds the struct by
 * value and passes it to perf_pmu_register(). After perf_pmu_unregister() the driver may
 * reuse or free the memory.
 *
 * @module: owner, of which each event has a reference; NULL for built-in code
 * @parent: parent of the sysfs device
 * @dev: device on bus "event_source"; NULL until the bus is registered
 * @attr_groups: sysfs groups, NULL-terminated, kept by reference
 * @attr_update: sysfs groups that are applied after the device was added
 * @name: name, kept by reference
 * @type: value of perf_event_attr.type
 * @capabilities: PERF_PMU_CAP_*
 * @scope: enum perf_pmu_scope
 * @task_ctx_nr: perf_hw_context (limited number of counters), perf_sw_context (any
 *	number of events fits) or perf_invalid_context (CPU events only)
 * @nr_addr_filters: maximum number of address filters of an event
 * @task_ctx_cache: NULL, or a cache from which the core allocates one object per task that has
 *	events of the PMU with PERF_ATTACH_TASK_DATA; zeroed, and freed with the last such
 *	event, see perf_event_task_data()
 *
 * @entry: core: list of all PMUs
 * @cpu_pmu_context: core: per-CPU scheduling state
 * @exclusive_cnt: core: number of events of a PMU with PERF_PMU_CAP_EXCLUSIVE, positive
 *	for task events, negative for CPU events
 * @hrtimer_interval_ms: core: the sysfs file perf_event_mux_interval_ms
 *
 * @event_init: Initialises an event. Returns 0, -ENOENT if the event is for another PMU,
 *	or another errno for user space. Called in: Task, may sleep.
 * @add: Adds an event to the PMU. Returns non-zero if it does not fit now. Called in:
 *	Interrupts disabled, PMU disabled, context lock held, on the event's CPU.
 * @del: Deletes an event, with the final value in event->count. Called like @add.
 * @start: Starts an event between @add and @del. Called in: Interrupts disabled or NMI.
 * @stop: Stops an event between @add and @del. Called in: Interrupts disabled or NMI.
 * @read: Updates event->count. Called in: Interrupts disabled or NMI.
 * @pmu_enable: Optional. Enables the PMU; called for the outermost perf_pmu_enable()
 *	only. Called in: Interrupts disabled.
 * @pmu_disable: Optional. Disables the PMU; called for the outermost perf_pmu_disable()
 *	only. Called in: Interrupts disabled.
 * @start_txn: Optional. Starts a transaction. PERF_PMU_TXN_ADD defers the check whether
 *	events fit to @commit_txn. Called in: Interrupts disabled.
 * @commit_txn: Optional. Ends a transaction. Returns 0 if all events were added or read.
 * @cancel_txn: Optional. Undoes PERF_PMU_TXN_ADD, instead of @commit_txn or after it has
 *	failed.
 * @event_idx: Optional. Returns the index with which user space reads the counter, plus
 *	one; 0 if it cannot.
 * @check_period: Optional. Returns non-zero to refuse the period @value. Called in: Task.
 * @filter: Optional. Returns true if the PMU does not exist on this CPU. Called in:
 *	Interrupts disabled.
 * @event_mapped: Optional. The event's buffer was mapped into @mm. The control page of a task's
 *	event that user space can read is written once more afterwards. perf_event::mmap_count
 *	includes the mapping. Called in: Task, mmap_lock of @mm held for writing.
 * @event_unmapped: Optional. The event's buffer is unmapped from @mm. mmap_count includes the
 *	mapping until this returns. If the event has other mappings, the page is written
 *	then as after @event_mapped. Called in: Task, mmap_lock of @mm held for writing, or
 *	downgraded since; calls of both for one @mm exclude each other.
 * @sched_task: Optional. At a context switch, @task begins to run (@sched_in), with its events
 *	added, or stops running, before its events are deleted. Called only while
 *	perf_sched_cb_inc() is in force on this CPU. @pmu_ctx belongs to the running task, if
 *	its context has or had events of the PMU, and otherwise to the CPU; it is an
 *	argument for perf_pmu_ctx_task_data(). An event may also be added or deleted without
 *	a switch; this operation is not called then. Called in: Interrupts disabled, PMU
 *	disabled, context locks held.
 * @swap_task_ctx: Optional. Two tasks swap their contexts, and the core has swapped the objects
 *	of @task_ctx_cache: perf_pmu_ctx_task_data() returns for @prev what it returned
 *	for @next before. The driver can swap members back that describe the events of the
 *	context, not the task. Between two calls of @sched_task if the tasks switch; or both
 *	contexts are off. Called in: Interrupts disabled, locks of both contexts held.
 * @setup_aux: Optional. Prepares an AUX area of @nr_pages @pages when it is mapped. With
 *	@overwrite, new data replaces old data. Returns what perf_aux_output_begin() and
 *	perf_get_aux() return later, or NULL if it fails. Called in: Task, may sleep.
 * @free_aux: With @setup_aux. Frees what @setup_aux has returned, after the last use of the
 *	area. The event may be gone by then. Called in: Task, may sleep.
 * @snapshot_aux: Optional. Copies the last @size bytes of the AUX area to a sample, with
 *	perf_output_copy_aux(). Returns the number of bytes that were copied. Called in:
 *	Interrupts disabled or NMI.
 * @addr_filters_validate: With @nr_addr_filters. Checks a list of struct perf_addr_filter.
 *	Returns 0, or an errno for user space. Called in: Task.
 * @addr_filters_sync: With @nr_addr_filters. Programs the filters; called by
 *	perf_event_addr_filters_sync(). Called in: Interrupts disabled.
 * @aux_output_match: Optional. Returns non-zero if the leader can take the event's output
 *	into its AUX area. Called in: Task.
 * @add_batch: Optional, not with PERF_PMU_CAP_ITRACE. Adds and starts @nr events of this
 *	PMU, or none of them if it returns non-zero. The events may have been on another
 *	CPU before. Not called within a transaction. The core updates the control pages.
 *	Called like @add.
 * @del_batch: Optional, with or without @add_batch. Deletes @nr events, which may have
 *	been added by @add or @add_batch. The core updates the control pages. Called like
 *	@add.
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
	int (*add_batch)(struct pmu *pmu, struct perf_event **events, unsigned int nr);
	void (*del_batch)(struct pmu *pmu, struct perf_event **events, unsigned int nr);
};

/**
 * enum perf_addr_filter_action_t - effect of an address range on tracing
 * @PERF_ADDR_FILTER_ACTION_STOP: tracing stops when the range is reached
 * @PERF_ADDR_FILTER_ACTION_START: tracing starts when the range is reached
 * @PERF_ADDR_FILTER_ACTION_FILTER: only the range is traced
 */
enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP	= 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};

/**
 * struct perf_addr_filter - an address range as user space has set it
 * @entry: on perf_addr_filters_head::list
 * @path: object file; empty for a kernel address
 * @offset: offset in the file, or the kernel address
 * @size: bytes; 0 for a single address
 * @action: effect of the range on tracing
 */
struct perf_addr_filter {
	struct list_head		entry;
	struct path			path;
	unsigned long			offset;
	unsigned long			size;
	enum perf_addr_filter_action_t	action;
};

/**
 * struct perf_addr_filters_head - all address filters of an event
 * @list: list of struct perf_addr_filter, protected by @lock
 * @lock: taken with interrupts disabled, also by changes of the address space
 * @nr_file_filters: number of filters with a path
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

/*
 * ---------------------------------------------------------------------------
 * sysfs
 * ---------------------------------------------------------------------------
 */

/**
 * struct perf_pmu_events_attr - a file in a PMU's events/ directory
 * @attr: the file
 * @id: for the driver's show function
 * @event_str: text for perf_event_sysfs_show(), may be NULL
 */
struct perf_pmu_events_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
};

ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *page);

/**
 * PMU_EVENT_ATTR() - define a file of events/ with the driver's show function
 * @_name: name of the file
 * @_var: name of the static struct perf_pmu_events_attr
 * @_id: id, for @_show
 * @_show: show function of the device attribute
 */
#define PMU_EVENT_ATTR(_name, _var, _id, _show)				\
static struct perf_pmu_events_attr _var = {				\
	.attr	= __ATTR(_name, 0444, _show, NULL),			\
	.id	= _id,							\
};

/**
 * PMU_EVENT_ATTR_STRING() - define a file of events/ that contains a string
 * @_name: name of the file
 * @_var: name of the static struct perf_pmu_events_attr
 * @_str: the string, such as "event=0x3c"
 */
#define PMU_EVENT_ATTR_STRING(_name, _var, _str)			\
static struct perf_pmu_events_attr _var = {				\
	.attr		= __ATTR(_name, 0444, perf_event_sysfs_show, NULL), \
	.event_str	= _str,						\
};

/**
 * PMU_EVENT_ATTR_ID() - a file of events/ as an element of an attribute array
 * @_name: name of the file
 * @_show: show function of the device attribute
 * @_id: id, for @_show
 *
 * Return: a pointer to the struct attribute of an unnamed struct perf_pmu_events_attr.
 */
#define PMU_EVENT_ATTR_ID(_name, _show, _id)				\
	(&((struct perf_pmu_events_attr[]) { {				\
		.attr	= __ATTR(_name, 0444, _show, NULL),		\
		.id	= _id,						\
	} })[0].attr.attr)

/**
 * PMU_FORMAT_ATTR() - define a file of format/, which says where the bits of a field are
 * @_name: name of the field; the struct device_attribute is format_attr_<name>
 * @_format: location of the field, such as "config:0-7"
 */
#define PMU_FORMAT_ATTR(_name, _format)					\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *page)	\
{									\
	static_assert(sizeof(_format) < PAGE_SIZE);			\
	return sysfs_emit(page, _format "\n");				\
}									\
static struct device_attribute format_attr_##_name = __ATTR_RO(_name)

#endif /* _LINUX_PERF_EVENT_PMU_H */
