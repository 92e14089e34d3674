/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU: what a vendor's code says about it, and its state on a CPU.
 *
 *   x86_core_	a kind of core, described by intel/, amd/ or zhaoxin/ as data
 *   x86_counter_	one counter, register level (counters.c)
 *   x86_cpu_	all counters of a CPU, register level (counters.c)
 *   x86_count_	arithmetic of counts and periods (count.c)
 *   x86_sched_	operations of struct pmu (schedule.c)
 *   x86_assign_	which event gets which counter (assign.c)
 *
 * What the drivers keep in struct hw_perf_event:
 *
 *   config	event select value: event, filters, privilege, interrupt; not the
 *		enable bit
 *   config_base	mask of the counters that can serve the event
 *   extra_reg	a register that the event needs beside its counter (extra.c)
 *   idx	the counter that is programmed, -1 while there is none. The seat
 *		that the event has been promised may be another until
 *		pmu_enable().
 *   flags	X86_EVENT_*
 *   last_tag	the value that was read last, see count.c
 *   state	PERF_HES_ARCH: wants to be left stopped when it is programmed
 *
 * Locking rules: struct x86_cpu_pmu belongs to its CPU. It is changed with irqs
 * off; an NMI may come in at any time, and then touches nothing but events that
 * are in @active, their counters and the global registers. What order that asks
 * of the writers is said where they write.
 */
#ifndef _X86_EVENTS_CORE_PMU_H
#define _X86_EVENTS_CORE_PMU_H

#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <asm/local64.h>
#include "assign.h"
#include "constraint.h"
#include "hw.h"

/* hw_perf_event::flags */
#define X86_EVENT_GUEST_ONLY	0x0001	/* attr.exclude_host */
#define X86_EVENT_HOST_ONLY	0x0002	/* attr.exclude_guest */
#define X86_EVENT_SAMPLE_OWED	0x0004	/* a period has ended and had no sample */
#define X86_EVENT_TOPDOWN	0x0008	/* slots, or a part of them: see topdown.h */
#define X86_EVENT_LEAKS		0x0010	/* counts for the other thread: see siblings.c */
#define X86_EVENT_PAIR		0x0020	/* needs an even counter, and the next */
#define X86_EVENT_SHARED	0x0040	/* the whole node's: see siblings.c */

static_assert(!(~PERF_EVENT_FLAG_ARCH &
		(X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY | X86_EVENT_SAMPLE_OWED |
		 X86_EVENT_TOPDOWN | X86_EVENT_LEAKS | X86_EVENT_PAIR | X86_EVENT_SHARED)));

#define X86_PMC_GENERIC_MASK	GENMASK_ULL(INTEL_PMC_MAX_GENERIC - 1, 0)
/* Lower counters of pairs. */
#define X86_PMC_EVEN_MASK	(X86_PMC_GENERIC_MASK & 0x5555555555555555ULL)
#define X86_PMC_FIXED_BIT(n)	BIT_ULL(INTEL_PMC_IDX_FIXED + (n))

/* No counter is wider: see count.c. */
#define X86_COUNT_BITS		48

/* No counters: parts of a register that global control turns on by the first bit. */
#define X86_PMC_IDX_METRICS	GLOBAL_STATUS_PERF_METRICS_OVF_BIT
#define X86_PMC_METRICS		8
#define X86_PMC_METRICS_MASK	\
	GENMASK_ULL(X86_PMC_IDX_METRICS + X86_PMC_METRICS - 1, X86_PMC_IDX_METRICS)

/* What an event select value says beyond privilege, interrupt and enable. */
#define X86_SELECT_WHAT		(~(ARCH_PERFMON_EVENTSEL_USR |		\
				   ARCH_PERFMON_EVENTSEL_OS |		\
				   ARCH_PERFMON_EVENTSEL_INT |		\
				   ARCH_PERFMON_EVENTSEL_PIN_CONTROL |	\
				   ARCH_PERFMON_EVENTSEL_ENABLE |	\
				   AMD64_EVENTSEL_GUESTONLY |		\
				   AMD64_EVENTSEL_HOSTONLY))

/**
 * struct x86_counter_regs - where the registers are
 * @select: event select of general purpose counter 0
 * @count: general purpose counter 0
 * @stride: from one counter to the next, for both
 * @fixed_ctrl: control of the fixed counters, four bits each; 0: none
 * @fixed_count: fixed counter 0
 * @fixed_stride: from one fixed counter to the next
 * @global_ctrl: enables, by counter index; 0: the counters have only their own
 * @global_status: overflows, by counter index; with @global_ctrl
 * @global_clear: acknowledges what is written as 1
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

/* Rows that a table of extra registers can have at most; X86_EXTRA_TABLE() checks it. */
#define X86_EXTRA_ROWS	8

/* x86_core_pmu::extra_missing has a bit for each */
static_assert(X86_EXTRA_ROWS <= BITS_PER_TYPE(u32));

/* For an initialiser: a table, with the end row. */
#define X86_EXTRA_TABLE(_table)	\
	((_table) + BUILD_BUG_ON_ZERO(ARRAY_SIZE(_table) - 1 > X86_EXTRA_ROWS))

/**
 * struct x86_extra_regs - what the extra registers of a core are used for
 * @value: what its users want in it, by the first row that names the register
 * @users: how many
 */
struct x86_extra_regs {
	u64		value[X86_EXTRA_ROWS];
	unsigned int	users[X86_EXTRA_ROWS];
};

/* What generic event is meant: attr.config, with a mark for the cache events. */
#define X86_WHAT_CACHE		BIT(31)
#define X86_HW(_id)		(PERF_COUNT_HW_##_id)
#define X86_CACHE(_cache, _op, _end)				\
	(X86_WHAT_CACHE | PERF_COUNT_HW_CACHE_##_cache |	\
	 PERF_COUNT_HW_CACHE_OP_##_op << 8 |			\
	 PERF_COUNT_HW_CACHE_RESULT_##_end << 16)

/**
 * struct x86_event_code - what a generic event is called here
 * @what: X86_HW() or X86_CACHE()
 * @config: event select value; 0: there is no such event
 * @extra: attr.config1 that goes with it
 * @name: in tools/perf/pmu-events, X86_EVENT_NAME(); only the tests have it
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

/* Lists of files in events/ beside those of the generic events. */
enum {
	X86_EVENTS_OF_MODEL,
	X86_EVENTS_OF_TRANSACTIONS,
	X86_EVENTS_OF_TOPDOWN_1,
	X86_EVENTS_OF_TOPDOWN_2,
	X86_MODEL_EVENTS
};

/**
 * struct x86_core_pmu - a kind of core and its counters
 * @pmu: as the perf core knows it
 * @name: in sysfs
 * @type: PERF_TYPE_RAW, or -1 for a number of its own
 * @regs: where the registers are
 * @counters: mask of counters that exist
 * @width: bits of a general purpose counter
 * @fixed_width: bits of a fixed counter
 * @period_max: longest stretch that can be written into a counter
 * @period_min: shortest that works reliably
 * @version: of architectural perfmon, or of AMD's
 * @missing_events: architectural events that are missing, as in CPUID 0xa EBX
 * @missing_events_len: valid bits of it
 * @raw_mask: event select bits that attr.config of a raw event may have
 * @codes: generic events as this model has them, or NULL
 * @offcore_codes: those of the caches and memory around the core, or NULL
 * @common_codes: asked where the others say nothing, or NULL
 * @rules: which counters can do what on this model, or NULL
 * @common_rules: asked where @rules says nothing, or NULL
 * @extra: events with a register of their own, or NULL
 * @extra_missing: mask of rows of @extra whose register does not exist here
 * @leaks: events that other threads count as well, or NULL; see siblings.c
 * @shared: events of the node that a CPU belongs to (AMD), or NULL; see siblings.c
 * @large: events that occur so often in a cycle that they need two counters, an even
 *	one and the next, which is told to be its upper part (AMD); or NULL
 * @metrics: mask of the parts of the register of topdown metrics, see topdown.c
 * @precise: for an event with attr.precise_ip (AMD), or NULL: -ENOENT, with the type of
 *	another PMU in attr.type, or why there is none
 * @host_guest: the event select tells host from guest (AMD)
 * @freezes_on_smi: can stand still in system management mode (Intel)
 * @force_abort: mask of counters that count only while transactions abort, see tsx.c
 * @denied: of these, the ones that events are not to have now
 * @format_groups: sysfs groups of the vendor, for "format" and others
 * @model_events: files in events/ that only this model has, X86_EVENTS_OF_*;
 *	NULL-terminated lists
 * @events_group: the directory
 * @groups: all sysfs groups, NULL-terminated; see sysfs.c
 * @model_name: what perf calls CPUs of this kind, or NULL
 * @core_type: CPUID leaf 0x1a EAX[31:24] of such a core; 0: all are alike
 * @cpus: CPUs of this kind that are, or were, online
 * @meet: called when the first of them comes up, there, irqs off: what could not be
 *	known before; or NULL
 *
 * Written at boot, read-only afterwards, except for @cpus, @denied and what @meet finds.
 */
struct x86_core_pmu {
	struct pmu			pmu;
	const char			*name;
	int				type;
	const struct x86_counter_regs	*regs;
	u64				counters;
	u8				width;
	u8				fixed_width;
	u64				period_max;
	u32				period_min;
	int				version;
	u32				missing_events;
	u8				missing_events_len;
	u64				raw_mask;
	const struct x86_event_code	*codes;
	const struct x86_event_code	*offcore_codes;
	const struct x86_event_code	*common_codes;
	const struct event_constraint	*rules;
	const struct event_constraint	*common_rules;
	const struct extra_reg	*extra;
	u32				extra_missing;
	const struct event_constraint	*leaks;
	const struct event_constraint	*shared;
	const struct event_constraint	*large;
	u64				metrics;
	int				(*precise)(struct perf_event *event);
	bool				host_guest;
	bool				freezes_on_smi;
	u64				force_abort;
	u64				denied;
	const struct attribute_group	**format_groups;
	struct attribute		**model_events[X86_MODEL_EVENTS];
	struct attribute_group		events_group;
	const struct attribute_group	**groups;
	const char			*model_name;
	u8				core_type;
	struct cpumask			cpus;
	void				(*meet)(struct x86_core_pmu *core);
};

/**
 * struct x86_cpu_pmu - the counters of one CPU
 * @core: what they are; NULL while the CPU is not up
 * @on: the PMU counts, as far as the perf core is concerned
 * @moved: @assign and @owner differ, or @aborting does; pmu_enable() has to write registers
 * @assign: which event is to have which counter
 * @owner: which event a counter is programmed for; valid where @owned is set
 * @owned: counters that are programmed
 * @active: of these, the ones that count while @on
 * @guest_only: of these, the ones that count in guests only
 * @host_only: and the ones that do not count in guests
 * @pairs: counters that have the next one as their upper part; valid where @owned is set
 * @dirty: counters that user space may find others' counts in
 * @enabled: value of the global control register
 * @fixed_ctrl: value of the fixed counters' control register
 * @select: values of the event selects
 * @stopping: counters without a status register that are being stopped
 * @wrapped: such that were stopped with their interrupt still due
 * @wrapped_at: when the last of them was, local_clock()
 * @slots_carry: slots that had been counted when their counter ran over
 * @collecting: slots and their parts are being read and set back
 * @aborting: transactions abort, for the sake of an event
 * @host_only_bit: hardware honours AMD64_EVENTSEL_HOSTONLY now: SVM is enabled
 */
struct x86_cpu_pmu {
	struct x86_core_pmu	*core;
	bool			on;
	bool			moved;
	u64			owned;
	u64			active;
	u64			guest_only;
	u64			host_only;
	u64			pairs;
	u64			dirty;
	u64			enabled;
	u64			fixed_ctrl;
	u64			stopping;
	u64			wrapped;
	u64			wrapped_at;
	local64_t		slots_carry;
	bool			collecting;
	bool			aborting;
	bool			host_only_bit;
	struct perf_event	*owner[X86_PMC_IDX_MAX];
	u64			select[INTEL_PMC_MAX_GENERIC];
	struct x86_assignment	assign;
};

DECLARE_PER_CPU(struct x86_cpu_pmu, x86_cpu_pmu);

static inline struct x86_core_pmu *x86_core_of(struct pmu *pmu)
{
	return container_of(pmu, struct x86_core_pmu, pmu);
}

/* Counters that can serve an event, as far as they are not denied now. */
static inline u64 x86_core_offered_to(const struct perf_event *event)
{
	return event->hw.config_base & ~READ_ONCE(x86_core_of(event->pmu)->denied);
}

/* Who wants a counter gets one, or two: see assign.c. */
static inline u64 x86_core_assign(struct x86_assignment *assign, struct perf_event *event)
{
	u64 allowed = x86_core_offered_to(event);

	if (event->hw.flags & X86_EVENT_PAIR)
		return x86_assign_pair(assign, event, allowed);
	return x86_assign_counter(assign, event, allowed);
}

/* pmu.c */
extern struct x86_core_pmu *x86_core_pmus[];
extern unsigned int x86_core_pmu_count;
int x86_core_add(struct x86_core_pmu *core);

/* what each vendor has to offer; 0, or -ENODEV if this CPU is not one of its own */
#ifdef CONFIG_CPU_SUP_INTEL
int intel_core_detect(void);
#else
static inline int intel_core_detect(void)	{ return -ENODEV; }
#endif

#ifdef CONFIG_CPU_SUP_AMD
int amd_core_detect(void);
#else
static inline int amd_core_detect(void)		{ return -ENODEV; }
#endif

#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
int zhaoxin_core_detect(void);
#else
static inline int zhaoxin_core_detect(void)	{ return -ENODEV; }
#endif

/* counters.c */
void x86_counter_connect(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config);
void x86_counter_disconnect(struct x86_cpu_pmu *cpu, unsigned int idx);
void x86_counter_set(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value);
void x86_cpu_on(struct x86_cpu_pmu *cpu);
void x86_cpu_off(struct x86_cpu_pmu *cpu);
u64 x86_cpu_overflowed(struct x86_cpu_pmu *cpu);
u64 x86_cpu_wrapped(u64 counters, const struct x86_core_pmu *core);
u64 x86_cpu_host_enables(const struct x86_cpu_pmu *cpu);
u64 x86_cpu_guest_enables(const struct x86_cpu_pmu *cpu);
void x86_cpu_quiet(struct x86_cpu_pmu *cpu);
int x86_core_probe(const struct x86_core_pmu *core);
u32 x86_counter_msr(const struct x86_core_pmu *core, unsigned int idx);

/* count.c */
void x86_count_init(struct perf_event *event);
void x86_count_update(struct perf_event *event);
void x86_count_stopped(struct perf_event *event);
void x86_count_arm(struct x86_cpu_pmu *cpu, struct perf_event *event);
bool x86_count_wrapped(struct perf_event *event);

/* event.c */
int x86_core_event_init(struct perf_event *event);
const struct x86_event_code *x86_core_code_of(const struct x86_core_pmu *core, u32 what);
u64 x86_core_counters_for(const struct x86_core_pmu *core, u64 config);

/* extra.c */
int x86_extra_init(struct perf_event *event);
bool x86_extra_fits(struct x86_extra_regs *regs, struct perf_event *event);
bool x86_extra_get(struct perf_event *event);
void x86_extra_put(struct perf_event *event);
void x86_extra_cpu_starting(unsigned int nr);
void x86_extra_probe(struct x86_core_pmu *core);
unsigned int x86_extra_home_of(unsigned int nr);

/* siblings.c */
u64 x86_sibling_assign(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_sibling_left(struct x86_cpu_pmu *cpu, const struct perf_event *event);
void x86_sibling_gone(struct x86_cpu_pmu *cpu);

/* schedule.c */
extern const struct pmu x86_sched_pmu;
void x86_sched_start_on(struct x86_cpu_pmu *cpu, struct perf_event *event, int flags);
void x86_sched_stop(struct perf_event *event, int flags);
void x86_sched_unprogram_all(struct x86_cpu_pmu *cpu);
u64 x86_sched_pause(struct x86_cpu_pmu *cpu);
void x86_sched_continue(struct x86_cpu_pmu *cpu, u64 paused);

/* suspend.c */
void x86_core_suspend(void);
void x86_core_resume(void);

/* smi.c */
extern const struct attribute_group x86_smi_group;
void x86_smi_apply(const struct x86_core_pmu *core);

/* tsx.c */
extern const struct attribute_group x86_tsx_group;
void x86_tsx_write(struct x86_cpu_pmu *cpu, bool abort);
void x86_tsx_apply(struct x86_cpu_pmu *cpu);
void x86_tsx_reassign(struct x86_cpu_pmu *cpu);

/* sysfs.c */
void x86_core_sysfs_init(struct x86_core_pmu *core);

/* rdpmc.c */
extern const struct attribute_group x86_rdpmc_group;
void x86_rdpmc_mapped(struct perf_event *event, struct mm_struct *mm);
void x86_rdpmc_unmapped(struct perf_event *event, struct mm_struct *mm);
int x86_rdpmc_event_idx(struct perf_event *event);
bool x86_rdpmc_offered(void);
unsigned int x86_rdpmc_width(const struct perf_event *event);

#endif /* _X86_EVENTS_CORE_PMU_H */
