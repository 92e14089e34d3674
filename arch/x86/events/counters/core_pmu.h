/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU: its description by the vendors' code, and its state on each CPU.
 *
 * The name of a function has the name of its file, but for:
 *
 *   x86_core_	a kind of core, described as data by intel/, amd/ or zhaoxin/ (core/detect.h)
 *   x86_counter_	one counter, register level (counters.h)
 *   x86_cpu_	all counters of a CPU, register level (counters.h, core/probe.h)
 *   x86_sched_	operations of struct pmu (core/schedule.h)
 *
 * The drivers' use of struct hw_perf_event:
 *
 *   config	event select value: event, filters, privilege and interrupt bits,
 *		without the enable bit
 *   config_base	mask of the counters that can serve the event
 *   extra_reg	extra register that the event needs beside its counter (extra.c)
 *   idx	the counter that is programmed, -1 if none is. Until pmu_enable() the
 *		event may be assigned to another one.
 *   flags	X86_EVENT_*
 *   last_tag	the value of the last read, see count.c
 *   reader_mm, nr_reader_maps	mappings by the program of the counted task, see core/rdpmc.c
 *   state	PERF_HES_ARCH: the event stays stopped when it is programmed
 *
 * Locking rules: struct x86_cpu_pmu is changed by its CPU only, with interrupts
 * disabled. An NMI may interrupt any change. It accesses only events in @active, their
 * counters and the global registers. Comments at the writers state the order of their
 * stores.
 */
#ifndef _X86_EVENTS_CORE_PMU_H
#define _X86_EVENTS_CORE_PMU_H

#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <asm/local64.h>
#include "assign.h"
#include "branches.h"
#include "constraint.h"
#include "hw.h"
#include "late.h"

/* hw_perf_event::flags */
#define X86_EVENT_GUEST_ONLY	0x0001	/* attr.exclude_host */
#define X86_EVENT_HOST_ONLY	0x0002	/* attr.exclude_guest */
#define X86_EVENT_SAMPLE_PENDING 0x0004	/* the sample of a complete period is pending */
#define X86_EVENT_TOPDOWN	0x0008	/* slots or topdown metric: see features/topdown.c */
#define X86_EVENT_LEAKS		0x0010	/* disturbs the other thread: see siblings.c */
#define X86_EVENT_PAIR		0x0020	/* needs an even counter and the next one */
#define X86_EVENT_SHARED	0x0040	/* event of the node: see siblings.c */
#define X86_EVENT_LIMITED	0x0080	/* samples, and periods are limited: see count.c */
#define X86_EVENT_KEEPS_SLOTS	0x0100	/* slots that user space reads */
#define X86_EVENT_PRECISE	0x0200	/* X86_EVENT_SIDE(X86_SIDE_PRECISE) */
#define X86_EVENT_BRANCHES	0x0400	/* X86_EVENT_SIDE(X86_SIDE_BRANCHES) */
#define X86_EVENT_TRACED	0x0800	/* X86_EVENT_SIDE(X86_SIDE_TRACE) */
#define X86_EVENT_COLLECTS	0x1000	/* records may collect: see intel/ds/pebs.c */
#define X86_EVENT_LENT		0x2000	/* lends records of branches to a guest; no counter */
#define X86_EVENT_LOCATES	0x4000	/* needs branches to find the instruction of a sample */

static_assert(!(~PERF_EVENT_FLAG_ARCH &
		(X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY | X86_EVENT_SAMPLE_PENDING |
		 X86_EVENT_TOPDOWN | X86_EVENT_LEAKS | X86_EVENT_PAIR | X86_EVENT_SHARED |
		 X86_EVENT_LIMITED | X86_EVENT_KEEPS_SLOTS | X86_EVENT_PRECISE |
		 X86_EVENT_BRANCHES | X86_EVENT_TRACED | X86_EVENT_COLLECTS |
		 X86_EVENT_LENT | X86_EVENT_LOCATES)));

/* Sides: registers beside the counters, see side.h. */
enum {
	X86_SIDE_PRECISE,	/* attr.precise_ip: records that hardware writes at an overflow */
	X86_SIDE_BRANCHES,	/* PERF_SAMPLE_BRANCH_STACK */
	X86_SIDE_TRACE,		/* each branch is a sample: see intel/ds/bts_side.c */
	X86_SIDES
};

/* The flags of events that use a side. */
#define X86_EVENT_SIDE_SHIFT	9
#define X86_EVENT_SIDE(_side)	(1 << (X86_EVENT_SIDE_SHIFT + (_side)))
#define X86_EVENT_SIDES		(X86_EVENT_PRECISE | X86_EVENT_BRANCHES | X86_EVENT_TRACED)

static_assert(X86_EVENT_SIDE(X86_SIDE_PRECISE) == X86_EVENT_PRECISE);
static_assert(X86_EVENT_SIDE(X86_SIDE_BRANCHES) == X86_EVENT_BRANCHES);
static_assert(X86_EVENT_SIDE(X86_SIDE_TRACE) == X86_EVENT_TRACED);

#define X86_PMC_GENERIC_MASK	GENMASK_ULL(INTEL_PMC_MAX_GENERIC - 1, 0)
/* Lower counters of pairs. */
#define X86_PMC_EVEN_MASK	(X86_PMC_GENERIC_MASK & 0x5555555555555555ULL)
#define X86_PMC_FIXED_BIT(n)	BIT_ULL(INTEL_PMC_IDX_FIXED + (n))

/* Width of the widest counter, see count.c. */
#define X86_COUNT_BITS		48

/* Indices of topdown metrics. Bit X86_PMC_IDX_METRICS of global control enables them all. */
#define X86_PMC_IDX_METRICS	GLOBAL_STATUS_PERF_METRICS_OVF_BIT
#define X86_PMC_METRICS		8
#define X86_PMC_METRICS_MASK	\
	GENMASK_ULL(X86_PMC_IDX_METRICS + X86_PMC_METRICS - 1, X86_PMC_IDX_METRICS)

/* Overflow of PERF_METRICS in the status register. */
#define GLOBAL_STATUS_PERF_METRICS_OVF	BIT_ULL(GLOBAL_STATUS_PERF_METRICS_OVF_BIT)

/*
 * Bits of an event select value other than privilege, interrupt and enable. Bits 40 and 41 are part
 * of the second unit mask on Intel. On AMD they are filters, see AMD_SELECT_WHAT.
 */
#define X86_SELECT_WHAT		(~(ARCH_PERFMON_EVENTSEL_USR |		\
				   ARCH_PERFMON_EVENTSEL_OS |		\
				   ARCH_PERFMON_EVENTSEL_INT |		\
				   ARCH_PERFMON_EVENTSEL_PIN_CONTROL |	\
				   ARCH_PERFMON_EVENTSEL_ENABLE))

/* The same where x86_core_pmu::host_guest is set. */
#define AMD_SELECT_WHAT		(X86_SELECT_WHAT &			\
				 ~(AMD64_EVENTSEL_GUESTONLY | AMD64_EVENTSEL_HOSTONLY))

/**
 * struct x86_counter_regs - MSR numbers
 * @select: event select of general purpose counter 0
 * @count: general purpose counter 0
 * @stride: distance between two counters, for @select and @count
 * @fixed_ctrl: control of the fixed counters, four bits each; 0: none
 * @fixed_count: fixed counter 0
 * @fixed_stride: distance between two fixed counters
 * @global_ctrl: enable bits by counter index; 0: the CPU has no global control
 * @global_status: overflow bits by counter index; valid with @global_ctrl
 * @global_clear: overflow bits to clear; valid with @global_ctrl
 */
struct x86_counter_regs {
	u32	select;
	u32	count;
	u32	stride;
	u32	fixed_ctrl;
	u32	fixed_count;
	u32	fixed_stride;
	u32	global_ctrl;
	u32	global_status;
	u32	global_clear;
};

/* Maximum of rows in a table of extra registers; checked by X86_EXTRA_TABLE(). */
#define X86_EXTRA_ROWS	8

/* x86_core_pmu::extra_missing has one bit per row. */
static_assert(X86_EXTRA_ROWS <= BITS_PER_TYPE(u32));

/* Initialiser of x86_core_pmu::extra; _table includes its end row. */
#define X86_EXTRA_TABLE(_table)	\
	((_table) + BUILD_BUG_ON_ZERO(ARRAY_SIZE(_table) - 1 > X86_EXTRA_ROWS))

/**
 * struct x86_extra_regs - use of the extra registers of a core
 * @value: value that the users of a register share, by the first row that names it
 * @users: number of users, by the same row
 */
struct x86_extra_regs {
	u64		value[X86_EXTRA_ROWS];
	unsigned int	users[X86_EXTRA_ROWS];
};

/* A generic event: attr.config, with X86_WHAT_CACHE set for cache events. */
#define X86_WHAT_CACHE		BIT(31)
#define X86_HW(_id)		(PERF_COUNT_HW_##_id)
#define X86_CACHE(_cache, _op, _end)				\
	(X86_WHAT_CACHE | PERF_COUNT_HW_CACHE_##_cache |	\
	 PERF_COUNT_HW_CACHE_OP_##_op << 8 |			\
	 PERF_COUNT_HW_CACHE_RESULT_##_end << 16)

/**
 * struct x86_event_code - encoding of a generic event
 * @what: X86_HW() or X86_CACHE()
 * @config: event select value; 0: the PMU has no such event
 * @extra: value for attr.config1
 * @name: name in tools/perf/pmu-events, X86_EVENT_NAME(); for tests only
 *
 * A table ends with X86_CODES_END.
 */
struct x86_event_code {
	u32	what;
	u64	config;
	u64	extra;
	const char *name;
};

#define X86_EVENT_NAME(_name)	\
	(IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST) ? (_name) : NULL)

#define X86_CODES_END_MARK	U32_MAX
#define X86_CODES_END		{ .what = X86_CODES_END_MARK }

struct x86_cpu_pmu;
struct x86_side_ops;
struct intel_pebs;
struct pt_regs;

/* Length of x86_core_pmu::without. */
#define X86_WITHOUT	96

/* Rows for the events that CPUID can list, one more, and the end of the table. */
#define X86_LISTED_CODES	9

/**
 * struct x86_period_rule - periods that a counter can be programmed with
 * @code: value of the bits of @cmask in the event select
 * @cmask: the bits that are compared
 * @min: shortest period; 0 ends a table
 * @unit: periods are multiples of it; a power of 2
 */
struct x86_period_rule {
	u64	code;
	u64	cmask;
	u32	min;
	u32	unit;
};

/* Lists of files in events/, in addition to the generic events. */
enum {
	X86_EVENTS_OF_MODEL,
	X86_EVENTS_OF_TRANSACTIONS,
	X86_EVENTS_OF_TSX_READS,
	X86_EVENTS_OF_ELISION,
	X86_EVENTS_OF_TOPDOWN_1,
	X86_EVENTS_OF_TOPDOWN_2,
	X86_EVENTS_OF_MEMORY,
	X86_EVENTS_OF_BRANCHES,
	X86_MODEL_EVENTS
};

/**
 * struct x86_core_precise - precise sampling of a kind of core
 * @check: checks an event with attr.precise_ip that another PMU serves (AMD), or NULL.
 *	Returns -ENOENT with the type of that PMU in attr.type, or the errno of a refusal.
 * @pebs: which events are precise, see intel/ds/pebs.h; valid with a side X86_SIDE_PRECISE (Intel)
 * @format: format of the records of precise events; the same
 * @timed: records say how long instructions took to retire; the same
 * @loads_aux: event select value of an event that must count together with the latency of loads;
 *	0: there is none
 * @max: highest attr.precise_ip of any event, for sysfs
 * @max_alone: the same if the core has no records of branches
 */
struct x86_core_precise {
	int				(*check)(struct perf_event *event);
	const struct intel_pebs		*pebs;
	u8				format;
	bool				timed;
	u16				loads_aux;
	u8				max;
	u8				max_alone;
};

/**
 * struct x86_core_files - what a kind of core has in sysfs
 * @formats: the vendor's sysfs groups, "format" and others
 * @events: files in events/ of this model, NULL-terminated lists by X86_EVENTS_OF_*
 * @events_group: the sysfs directory events/
 * @groups: all sysfs groups, NULL-terminated; see core/sysfs.c
 * @cpu_name: name of this kind of CPU in perf, or NULL
 */
struct x86_core_files {
	const struct attribute_group	**formats;
	struct attribute		**events[X86_MODEL_EVENTS];
	struct attribute_group		events_group;
	const struct attribute_group	**groups;
	const char			*cpu_name;
};

/**
 * struct x86_core_pmu - a kind of core and its counters
 * @pmu: the PMU that is registered
 * @name: name in sysfs
 * @type: PERF_TYPE_RAW, or -1 for a dynamic number
 * @kind: kind of core, see x86_detect_kind(); 0 if all cores of the machine are alike
 * @by_kind: the PMU has the name of one kind of core: the file "cpus" exists, and
 *	generic events may name the PMU. Also where the machine has no other kind.
 * @registered: @pmu is registered
 * @cpus: CPUs of this kind that are, or have been, online
 * @regs: MSR numbers
 * @counters: mask of the counters that exist
 * @unlisted: subset of @counters that CPUID does not list, but the model is known to have
 * @stuck: counters that are left out of @counters because they do not count, see core/counting.c
 * @without: end of a refusal that names @stuck, or ""
 * @width: bits of a general purpose counter
 * @fixed_width: bits of a fixed counter
 * @period_max: longest period that a counter can be programmed with
 * @version: version of architectural perfmon, or of AMD's
 * @missing_events: mask of architectural events that are missing, CPUID 0xa EBX
 * @missing_events_len: number of valid bits in @missing_events
 * @raw_mask: event select bits that attr.config of a raw event may set
 * @raw_checkpointed: bit of @raw_mask; of the events that have it, transactions take counts back
 * @checkpointed_on: mask of the counters that can count with that bit
 * @codes: generic events of this model, or NULL
 * @offcore_codes: events of the caches and memory outside of the core, or NULL
 * @common_codes: used for events that are neither in @codes nor in @offcore_codes, or
 *	NULL
 * @listed_codes: the events that CPUID lists; for @common_codes
 * @periods: events with limited periods, or NULL
 * @only_precise: events that count nothing of use without precise sampling, or NULL
 * @rules: counter constraints of this model, or NULL
 * @common_rules: used for events that match no row of @rules, or NULL
 * @extra: events that need an extra register, or NULL
 * @extra_missing: mask of rows of @extra with a register that does not exist
 * @extra_shared: the threads of a core share the registers of @extra
 * @leaks: events that disturb counters of the other thread, or NULL; see siblings.c
 * @shared: events of the CPU's node (AMD), or NULL; see siblings.c
 * @large: events with an increment too large for one counter (AMD), or NULL. Such an
 *	event needs an even counter and the next one, which becomes its upper part.
 * @force_abort: mask of counters that events can use only while transactions abort,
 *	see features/tsx.c
 * @denied: subset of @force_abort that events must not use now
 * @capabilities: PERF_PMU_CAP_* that depend on the core
 * @metrics: mask of the topdown metrics that exist, see features/topdown.c
 * @side: operations on each side, NULL for those that the core does not have
 * @branches: records of branches; without operations there are none
 * @why_not: why the core does not have a side although the CPU may, or NULL
 * @unused: operations on a side that exists and is not offered: its registers are reset, because a
 *	kernel before may have left it on, with a buffer in memory
 * @broken: mask of the sides that x86_side_break() has switched off; atomic
 * @tested: mask of the sides that were tried on such hardware, see counters/offer.c
 * @host_guest: the event select has host and guest bits (AMD)
 * @late_nmi: an interrupt may come after its overflow was handled by the interrupt of
 *	another one (AMD)
 * @clear_first: the hardware must be cleared before a counter gets a new event (Intel), see
 *	x86_counters_clear()
 * @freezes_on_smi: counters can be frozen in system management mode (Intel)
 * @precise: precise sampling
 * @files: what is in sysfs
 *
 * Written when the first CPU of the kind comes online, before it uses the PMU. Read-only
 * afterwards, except for @cpus, @denied, and what x86_side_break() changes.
 */
struct x86_core_pmu {
	struct pmu			pmu;

	/* Identity */
	const char			*name;
	int				type;
	u32				kind;
	bool				by_kind;
	bool				registered;
	struct cpumask			cpus;

	/* Registers and counters */
	const struct x86_counter_regs	*regs;
	u64				counters;
	u64				unlisted;
	u64				stuck;
	char				without[X86_WITHOUT];
	u8				width;
	u8				fixed_width;
	u64				period_max;
	int				version;
	u32				missing_events;
	u8				missing_events_len;

	/* Encodings of events */
	u64				raw_mask;
	u64				raw_checkpointed;
	u64				checkpointed_on;
	const struct x86_event_code	*codes;
	const struct x86_event_code	*offcore_codes;
	const struct x86_event_code	*common_codes;
	struct x86_event_code		listed_codes[X86_LISTED_CODES];
	const struct x86_period_rule	*periods;
	const struct event_constraint	*only_precise;

	/* Which events fit together */
	const struct event_constraint	*rules;
	const struct event_constraint	*common_rules;
	const struct extra_reg	*extra;
	u32				extra_missing;
	bool				extra_shared;
	const struct event_constraint	*leaks;
	const struct event_constraint	*shared;
	const struct event_constraint	*large;
	u64				force_abort;
	u64				denied;

	/* What some cores have */
	int				capabilities;
	u64				metrics;
	const struct x86_side_ops	*side[X86_SIDES];
	const char			*why_not[X86_SIDES];
	const struct x86_side_ops	*unused[X86_SIDES];
	unsigned long			broken;
	u8				tested;
	struct x86_branches		branches;
	bool				host_guest;
	bool				late_nmi;
	bool				clear_first;
	bool				freezes_on_smi;
	struct x86_core_precise		precise;

	struct x86_core_files		files;
};

/**
 * struct x86_trace_ops - a trace of branches to memory, for the PMU's interrupt
 * @pause: stops tracing, if it is on
 * @interrupt: handles the interrupt of the trace. Returns 1 if there was one, else 0
 * @resume: undoes @pause, unless the trace was stopped meanwhile
 *
 * Context: NMI, on the CPU concerned.
 */
struct x86_trace_ops {
	void (*pause)(struct x86_cpu_pmu *cpu);
	int (*interrupt)(struct x86_cpu_pmu *cpu, struct pt_regs *regs);
	void (*resume)(struct x86_cpu_pmu *cpu);
};

/**
 * struct x86_topdown_cpu - slots and metrics of a CPU, see features/topdown.c
 * @carry: slots counted by overflows of their counter
 * @taken: an overflow of the counter of slots was counted, or dropped, before its interrupt.
 *	The interrupt only acknowledges it.
 * @collecting: slots and metrics are being read and reset
 * @reset_due: the registers of slots and metrics have to be set to 0
 */
struct x86_topdown_cpu {
	local64_t	carry;
	bool		taken;
	bool		collecting;
	bool		reset_due;
};

/**
 * struct x86_guest_cpu - what VM entry and exit have switched, see intel/guest.c
 * @switches: VM exits may have loaded values of enable bits that are older than those in struct
 *	x86_cpu_pmu; stays set
 * @exit_enables: counters that the last VM exit has enabled; valid with @switches
 */
struct x86_guest_cpu {
	bool	switches;
	u64	exit_enables;
};

/**
 * struct x86_cpu_pmu - the counters of one CPU
 * @core: kind of core; NULL while the CPU is offline
 * @on: the PMU is enabled; false while @core is NULL
 * @active: subset of @owned that counts while @on
 * @dirty: mask of counters that may still hold a count of a previous event
 * @enabled: value of the global control register
 * @fixed_ctrl: value of the fixed counters' control register
 * @select: values of the event selects
 * @ignored: mask of bits of the status register that do not go away
 * @moved: registers are out of date: @assign and @owner differ, or @aborting has to be
 *	looked at. pmu_enable() writes them.
 * @owned: mask of counters that are programmed
 * @guest_only: subset of @owned that counts in guests only
 * @host_only: subset of @owned that does not count in guests
 * @pairs: lower counters of pairs; valid where @owned is set
 * @owner: the event that a counter is programmed for; valid where @owned is set
 * @assign: which event is assigned to which counter
 * @aborting: transactions abort, because an event uses a counter of @force_abort
 * @recorded: subset of @active with overflows that hardware records. The side of the events drains
 *	the records; bits of these counters in the status register mean nothing.
 * @late: interrupts that may come late
 * @debugctl: values of the bits of IA32_DEBUGCTL that the drivers own, see debugctl.c
 * @debugctl_owned: mask of these bits
 * @sides: mask of the sides, by X86_SIDE_*, that events on this CPU use
 * @side_users: number of these events, by side
 * @trace: a trace of branches; its interrupt has no bit in the status register. NULL: there was
 *	none since boot
 * @topdown: slots and metrics
 * @host_only_bit: AMD64_EVENTSEL_HOSTONLY takes effect, because SVM is enabled
 * @guest: what VM entry and exit have switched
 *
 * Each part is written by the file above it. Others write @moved and @assign if an event must
 * change its counter.
 */
struct x86_cpu_pmu {
	/* core/pmu.c */
	struct x86_core_pmu	*core;

	/* counters.c */
	bool			on;
	u64			active;
	u64			dirty;
	u64			enabled;
	u64			fixed_ctrl;
	u64			select[INTEL_PMC_MAX_GENERIC];
	u64			ignored;

	/* core/schedule.c */
	bool			moved;
	u64			owned;
	u64			guest_only;
	u64			host_only;
	u64			pairs;
	struct perf_event	*owner[X86_PMC_IDX_MAX];
	struct x86_assignment	assign;

	/* features/tsx.c */
	bool			aborting;

	/* intel/ds/pebs.c */
	u64			recorded;

	/* late.c */
	struct x86_late		late;

	/* debugctl.c */
	u64			debugctl;
	u64			debugctl_owned;

	/* side.c */
	unsigned long		sides;
	unsigned int		side_users[X86_SIDES];

	/* intel/ds/bts.c */
	const struct x86_trace_ops *trace;

	/* features/topdown.c */
	struct x86_topdown_cpu	topdown;

	/* amd/virt.c */
	bool			host_only_bit;

	/* intel/guest.c */
	struct x86_guest_cpu	guest;
};

DECLARE_PER_CPU(struct x86_cpu_pmu, x86_cpu_pmu);

static inline struct x86_core_pmu *x86_core_of(struct pmu *pmu)
{
	return container_of(pmu, struct x86_core_pmu, pmu);
}

/* Mask of counters that can serve an event and are not denied now. */
static inline u64 x86_core_offered_to(const struct perf_event *event)
{
	return event->hw.config_base & ~READ_ONCE(x86_core_of(event->pmu)->denied);
}

/* Assign the counter, or the pair of counters, that an event needs. */
static inline u64 x86_core_assign(struct x86_assignment *assign, struct perf_event *event)
{
	u64 allowed = x86_core_offered_to(event);

	if (event->hw.flags & X86_EVENT_PAIR)
		return x86_assign_pair(assign, event, allowed);
	return x86_assign_counter(assign, event, allowed);
}

/* One PMU for each kind of core. */
#define X86_CORE_PMUS_MAX	4

extern struct x86_core_pmu *x86_core_pmus[X86_CORE_PMUS_MAX];
extern unsigned int x86_core_pmu_count;

int x86_pmu_no_irq(struct pt_regs *regs);

#endif /* _X86_EVENTS_CORE_PMU_H */
