/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: what a PMU driver provides.
 *
 * struct pmu with its operations, the driver's part of an event, address
 * filters, and the makings of a PMU's directory in sysfs. The functions by which
 * drivers register and report are in <linux/perf_event.h>; include that.
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
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/timerqueue.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

struct mm_struct;
struct perf_cpu_pmu_context;
struct perf_event;
struct perf_event_pmu_context;
struct perf_output_handle;
struct task_struct;

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
 * @config: bits for the event select register
 * @last_tag: which use of its counter this is; a PMU may keep more there
 * @config_base: address or number of the event select register
 * @event_base: address or number of the counter
 * @event_base_rdpmc: operand of the instruction that reads the counter
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
 * @saved_metric: top-down events have this in place of @last_period: the metrics
 *	register when the event was scheduled out
 * @saved_slots: the same for the slots counter
 * @interrupts: overflows since the last tick; MAX_INTERRUPTS when throttled
 * @interrupts_seq: tick in which @interrupts was counted
 * @freq_time_stamp: how long the event had run when its rate was measured last
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
#define PERF_PMU_TXN_ADD	0x1	/* a group goes on the PMU, or none of it */
#define PERF_PMU_TXN_READ	0x2	/* a group is read at once */

/* pmu::capabilities; Documentation/perf/adding-a-pmu.rst says what each means */
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
 * @PERF_PMU_SCOPE_NONE: the core does not choose a CPU
 * @PERF_PMU_SCOPE_CORE: the threads of a core
 * @PERF_PMU_SCOPE_DIE: the CPUs of a die
 * @PERF_PMU_SCOPE_CLUSTER: the CPUs of a cluster
 * @PERF_PMU_SCOPE_PKG: the CPUs of a package
 * @PERF_PMU_SCOPE_SYS_WIDE: all CPUs
 * @PERF_PMU_MAX_SCOPE: number of scopes
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
 * @add_batch: optional, with @del_batch, not for PERF_PMU_CAP_ITRACE; as @add with
 *	PERF_EF_START of @nr events of this PMU, in that order, which need not have been
 *	on it, or on this CPU, before. Not within a transaction. Non-zero says that they
 *	do not fit together now; then none of them is on.
 * @del_batch: as @del of @nr events. Either may come alone: what was added one by one
 *	can be deleted at once, and the reverse. Both leave the control pages to the core.
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

/*
 * ---------------------------------------------------------------------------
 * sysfs
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

#endif /* _LINUX_PERF_EVENT_PMU_H */
