/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a PMU: declarations that its files share.
 *
 *   machine.c	the machines, CPUID, dispatch of accesses
 *   intel.c amd.c	registers of the core PMU by vendor
 *   brs.c	AMD's branch sampling
 *   branches.c	records of branches; branch_walk.c: the branches that are recorded
 *   intel_extra.c	Intel's extra registers, and PERF_METRICS
 *   ds.c	Intel's debug store, and records of precise sampling; bts.c: trace of branches
 *   context.c	what was interrupted: registers, the operand in memory
 *   free_running.c	registers that count all the time
 *   clock.c	counting, and overflows
 *   modes.c	ticks in user mode and in the kernel
 *   rates.c	rates of events
 *   hostile.c	faults of hardware
 *   user.c	RDPMC in user space
 *   guest.c	guests of KVM
 *   standalone.c	hardware of the stand-alone drivers: uncore.c, pci.c, ibs.c, trace.c,
 *		power.c, iommu.c
 *   stage.c	a script instead of the clock, for tests
 *   misuse.c	reports of misuse
 *
 * Locking rules: each CPU has its own PMU, which only this CPU accesses, with interrupts
 * disabled. An NMI may access registers as well. NMIs that the model raises come after an
 * access is complete. Another NMI may see a counter before a pending update.
 */
#ifndef _X86_EVENTS_MODEL_H
#define _X86_EVENTS_MODEL_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <asm/cpuid.h>
#include <asm/pmu_emulator.h>
#include <asm/processor.h>
#include "manual.h"

/*
 * Indices of counters are their bits in the global registers: fixed counters from 32. All
 * bits of the counters of an architectural PMU.
 */
#define MODEL_FIXED	SDM_GLOBAL_FIXED_SHIFT
#define MODEL_MAX_GENERIC	32
#define MODEL_MAX_FIXED	16
#define MODEL_COUNTERS	(MODEL_FIXED + MODEL_MAX_FIXED)

static_assert(MODEL_COUNTERS <= BITS_PER_TYPE(u64));

/* In place of a counter: PERF_METRICS, which RDPMC reads as well. */
#define MODEL_IDX_METRICS	MODEL_COUNTERS

/* Rates are in events per 2^MODEL_RATE_SHIFT ticks of the time stamp counter. */
#define MODEL_RATE_SHIFT	10

/* Indices of model_cpu::extra. */
enum {
	MODEL_OFFCORE_0,
	MODEL_OFFCORE_1,
	MODEL_LD_LAT,
	MODEL_FRONTEND,
	MODEL_FORCE_ABORT,
	MODEL_EXTRA
};

struct model_cpu;
struct model_stage;
struct model_pebs;

/**
 * struct model_vendor - operations on the registers of a vendor
 * @read: RDMSR; returns 0, -EIO if the CPU would fault
 * @write: WRMSR; returns 0, -EIO if the CPU would fault
 * @cpuid: fills in leaves about the PMU; leaves others 0
 * @overflow: handles overflows of counters; returns true if an interrupt is due
 * @rdpmc_counter: returns the counter index for an operand of RDPMC, or MODEL_IDX_METRICS; -1 if
 *	the operand is invalid
 * @guest_switch: applies a change of model_cpu::in_guest; NULL: no counter depends on it
 */
struct model_vendor {
	int (*read)(struct model_cpu *cpu, u32 msr, u64 *value);
	int (*write)(struct model_cpu *cpu, u32 msr, u64 value);
	void (*cpuid)(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
	bool (*overflow)(struct model_cpu *cpu, u64 counters);
	int (*rdpmc_counter)(u32 index);
	void (*guest_switch)(struct model_cpu *cpu);
};

/**
 * struct model_kind - a kind of core of a machine that has several
 * @native: CPUID leaf 0x1a EAX
 * @generic: number of general purpose counters
 * @fixed: mask of fixed counters
 * @offcore_valid: as in struct model_machine
 * @metrics: as in struct model_machine
 * @select_ext: the event select has a second unit mask, and "equal"
 * @pebs: as in struct model_machine
 */
struct model_kind {
	u32	native;
	u8	generic;
	u16	fixed;
	u64	offcore_valid;
	bool	metrics;
	bool	select_ext;
	const struct model_pebs	*pebs;
};

/**
 * struct model_machine - a modelled machine
 * @name: value of x86_pmu_model= on the kernel's command line
 * @vendor: operations on its registers
 * @identity: vendor, family, model
 * @version: version of the PMU
 * @generic: number of general purpose counters
 * @fixed: number of fixed counters
 * @width: bits of all counters
 * @full_width: counters can be written in full width (Intel)
 * @core_ext: six counters at other addresses (AMD, PERFCTR_CORE)
 * @no_anythread: there is no AnyThread bit (Intel, version 3 and later)
 * @offcore_valid: valid bits of the registers of offcore response; 0: there are none, and
 *	none of load latency (Intel)
 * @extra_shared: the threads of a core share the extra registers (Intel)
 * @clear_first: a counter that gets another event counts cycles, unless all counters have counted
 *	the events of model_clears() since it got the last one (Intel)
 * @leaks: events of retired loads disturb the other thread (Intel)
 * @tsx: there are transactions, which need counter 3 (Intel)
 * @metrics: there are PERF_METRICS and a register of the front end (Intel)
 * @pebs: precise sampling, or NULL; see ds.c (Intel)
 * @leaf_23: CPUID leaf 0x23 describes the counters; always in version 6 (Intel)
 * @kinds: kinds of cores, or NULL. They replace @generic and @fixed, which are then what
 *	leaf 0xa lists; @offcore_valid; and @metrics, which PERF_CAPABILITIES shows (Intel)
 * @nr_kinds: number of @kinds, see model_kind()
 * @standalone: there is hardware for stand-alone drivers, see standalone.c
 * @power: there is accumulated power, see power.c (AMD)
 * @lbr_depth: number of records of branches, 0: there are none, see branches.c
 * @lbr_format: layout of legacy records, 0: they are architectural (Intel)
 * @lbr_logged: mask of counters that architectural records can have (Intel)
 * @lbr_stack: legacy records can be a stack of calls (Intel)
 * @brs: branches after an overflow are recorded, see brs.c (AMD)
 */
struct model_machine {
	const char			*name;
	const struct model_vendor	*vendor;
	struct x86_hw_identity		identity;
	u8				version;
	u8				generic;
	u8				fixed;
	u8				width;
	bool				full_width;
	bool				core_ext;
	bool				no_anythread;
	u64				offcore_valid;
	bool				extra_shared;
	bool				clear_first;
	bool				leaks;
	bool				tsx;
	bool				metrics;
	const struct model_pebs		*pebs;
	bool				leaf_23;
	const struct model_kind		*kinds;
	unsigned int			nr_kinds;
	bool				standalone;
	bool				power;
	u8				lbr_depth;
	u8				lbr_format;
	u8				lbr_logged;
	bool				lbr_stack;
	bool				brs;
};

/**
 * struct model_counter - a counter
 * @value: its value
 * @part: fraction of the next event, in 1 / 2^MODEL_RATE_SHIFT
 * @rate: events per 2^MODEL_RATE_SHIFT ticks
 * @user: counts in user mode
 * @kernel: counts in the kernel
 * @interrupt: overflow raises an interrupt
 * @records: overflow writes a record, see ds.c
 */
struct model_counter {
	u64	value;
	u64	part;
	u32	rate;
	bool	user;
	bool	kernel;
	bool	interrupt;
	bool	records;
};

/* Most records of branches of any machine. */
#define MODEL_BRANCHES		32

/**
 * struct model_branch - a branch
 * @from: address of the instruction
 * @to: its target
 * @class: its bit in LBR_SELECT
 * @mispredicted: it was predicted wrongly
 * @in_tsx: it is inside of a transaction
 * @abort: it is the end of a transaction that failed
 */
struct model_branch {
	u64	from;
	u64	to;
	u64	class;
	bool	mispredicted;
	bool	in_tsx;
	bool	abort;
};

/**
 * struct model_branches - the records of branches of a CPU
 * @select: LBR_SELECT
 * @ctl: IA32_LBR_CTL
 * @tos: LBR_TOS
 * @extn: DBG_EXTN_CFG (AMD)
 * @from: the sources, by MSR
 * @to: the targets
 * @info: more about them
 * @recording: branches are recorded
 * @mode: what is, or was, recorded, in the sense of LBR_SELECT
 * @due: branches were recorded since the last access, and are to be filled in
 * @mixed: there are records of more than one task
 * @task: the task that was recorded last
 * @written: mask of records that were written since recording stopped
 */
struct model_branches {
	u64			select;
	u64			ctl;
	u64			tos;
	u64			extn;
	u64			from[MODEL_BRANCHES];
	u64			to[MODEL_BRANCHES];
	u64			info[MODEL_BRANCHES];
	bool			recording;
	u64			mode;
	bool			due;
	bool			mixed;
	const void		*task;
	u32			written;
};

/**
 * struct model_cpu - the PMU of a CPU
 * @tsc: time stamp counter at the last update of the counters
 * @user: ticks in user mode since then
 * @idle: ticks since then in which the CPU was halted
 * @in_user: the CPU is in user mode
 * @changes_mode: @user, @in_user and @user_since are being changed
 * @user_since: time stamp counter when it entered user mode
 * @idle_since: time stamp counter when it was halted, 0 if it is not
 * @running: mask of counters that count
 * @clearing: the counters count what clears the hardware, see model_machine::clear_first
 * @cleared: mask of counters that may get another event
 * @spoilt: mask of counters that count cycles, because they got another event without that
 * @unhandled: mask of counters that have overflowed and were not written since
 * @counter: the counters
 * @select: event select registers
 * @fixed_ctrl: control register of the fixed counters
 * @global_ctrl: global control register
 * @global_status: global status register
 * @extra: extra registers, see intel_extra.c
 * @debugctl: IA32_DEBUGCTL
 * @branches: records of branches
 * @timer: fires when the next overflow is due
 * @rearm: starts @timer for accesses in NMI context
 * @rearm_for_user: start @timer before the return to user mode
 * @in_timer: an NMI is raised in a timer's callback
 * @in_guest: the CPU runs a guest of KVM
 * @in_user_only: the counters that overflowed last count only user mode
 * @stage: script of a test, which replaces the clock; otherwise NULL
 */
struct model_cpu {
	u64			tsc;
	u64			user;
	u64			idle;
	bool			in_user;
	bool			changes_mode;
	u64			user_since;
	u64			idle_since;
	u64			running;
	bool			clearing;
	u64			cleared;
	u64			spoilt;
	u64			unhandled;
	struct model_counter	counter[MODEL_COUNTERS];
	u64			select[MODEL_MAX_GENERIC];
	u64			fixed_ctrl;
	u64			global_ctrl;
	u64			global_status;
	u64			extra[MODEL_EXTRA];
	u64			debugctl;
	struct model_branches	branches;
	struct hrtimer		timer;
	struct irq_work		rearm;
	bool			rearm_for_user;
	bool			in_timer;
	bool			in_guest;
	bool			in_user_only;
	struct model_stage	*stage;
};

DECLARE_PER_CPU(struct model_cpu, model_cpu);

extern const struct model_machine *model_machine;
extern const struct model_vendor model_intel;
extern const struct model_vendor model_amd;

u64 model_counters(void);
const struct model_kind *model_kind(void);

/* Counters of this CPU: the number of general purpose ones, and the mask of fixed ones. */
static inline unsigned int model_generic(void)
{
	return model_kind() ? model_kind()->generic : model_machine->generic;
}

static inline u32 model_fixed(void)
{
	return model_kind() ? model_kind()->fixed : BIT(model_machine->fixed) - 1;
}

static inline bool model_metrics(void)
{
	return model_kind() ? model_kind()->metrics : model_machine->metrics;
}

static inline u64 model_offcore_valid(void)
{
	return model_kind() ? model_kind()->offcore_valid : model_machine->offcore_valid;
}

/* clock.c */
void model_clock_init(void);
bool model_clock_is_exact(void);
void model_advance(struct model_cpu *cpu);
void model_pause(struct model_cpu *cpu);
void model_set_counter(struct model_cpu *cpu, unsigned int idx, u64 value);
void model_rearm(struct model_cpu *cpu);
void model_rearm_for_user(struct model_cpu *cpu);
void model_raise_pmi(struct model_cpu *cpu);
void model_send_nmi(struct model_cpu *cpu);

/* modes.c */
void model_modes_split(struct model_cpu *cpu, u64 now, u64 *user, u64 *kernel);

/* hostile.c */
void model_hostile_init(void);
bool model_is_hostile(void);
u64 model_hostile_ticks(void);
void model_hostile_overflow(void);
u64 model_hostile_status(u64 status, u64 valid);
bool model_hostile_here(void);
bool model_hostile_raise(void);

/* rates.c */
u32 model_rate_of(u64 select);
u32 model_fixed_rate(unsigned int n);

/* intel_extra.c */
int model_extra_read(const struct model_cpu *cpu, u32 msr, u64 *value);
int model_extra_write(struct model_cpu *cpu, u32 msr, u64 value);
void model_check_leaks(const struct model_cpu *cpu);
void model_check_tsx(const struct model_cpu *cpu, u64 counters, const char *what);
u32 model_extra_rate(const struct model_cpu *cpu, u64 select);

/* branches.c, branch_walk.c */
int model_branches_read(struct model_cpu *cpu, u32 msr, u64 *value);
int model_branches_write(struct model_cpu *cpu, u32 msr, u64 value);
void model_branches_update(struct model_cpu *cpu);
void model_branches_freeze(struct model_cpu *cpu);
void model_branches_push(struct model_cpu *cpu, const struct model_branch *branch);
u64 model_branches_debugctl(void);

/* Branches that are recorded, of the user's part and of the kernel's. */
#define MODEL_WALK	12

unsigned int model_walk_branches(struct model_branch *branches, unsigned int max, u64 ip);
u64 model_walk_next(u64 ip);
unsigned int model_walk_calls(struct model_branch *branches, unsigned int max,
			      const struct pt_regs *regs);

/* brs.c */
int model_brs_read(u32 msr, u64 *value);
int model_brs_write(u32 msr, u64 value);
void model_brs_overflow(struct model_cpu *cpu, u64 counters);
u64 model_brs_control(void);
void model_brs_reset(void);

/* free_running.c */
int model_free_running_read(u32 msr, u64 *value);
void model_free_running_cpuid(u32 leaf, struct x86_hw_cpuid *out);

/* standalone.c, uncore.c, ibs.c, trace.c, power.c */
void model_standalone_init(void);
bool model_uncore_read(u32 msr, u64 *value);
bool model_uncore_write(u32 msr, u64 value);
bool model_uncore_rdpmc(u32 index, u64 *value);
void model_ibs_init(void);
bool model_ibs_read(u32 msr, u64 *value);
bool model_ibs_write(u32 msr, u64 value);
void model_ibs_set_entry(u32 entry);
void model_trace_init(void);
bool model_trace_read(u32 msr, u64 *value);
bool model_trace_write(u32 msr, u64 value);
bool model_power_read(u32 msr, u64 *value);

/* IBS capabilities: all but fused branches */
#define MODEL_IBS_CAPS		0xeff
/* extended entry of the local vector table for IBS */
#define MODEL_IBS_EILVT		1
/* latency in cycles, and address, of the tagged load */
#define MODEL_IBS_LATENCY	321
#define MODEL_IBS_ADDRESS	0x123456789000

/* Pattern of branches that are sampled while a test has a script, see brs.c. */
#define MODEL_BRS_PATTERN	12
#define MODEL_BRS_FROM(_i)	(0xffffffff81000000ULL + 0x10 * (_i))

/* Patterns of records of precise sampling: see ds.c. The next instruction is so far behind. */
#define MODEL_PEBS_NEXT		1
#define MODEL_CACHE_LATENCY	40
#define MODEL_TSX_CYCLES	77
/* MEM_INST_RETIRED.ALL_STORES and its predecessor; RTM_RETIRED.ABORTED */
#define MODEL_ALL_STORES	0x82d0
#define MODEL_RTM_ABORTED	0x04c9

/* stage.c */
void model_stage_before(struct model_cpu *cpu);
void model_stage_after(struct model_cpu *cpu);
void model_stage_raise(struct model_stage *stage);

/* user.c */
void model_user_init(void);

/* misuse.c */
__printf(1, 2) void model_misuse(const char *fmt, ...);
void model_check_stopped(const struct model_cpu *cpu, unsigned int idx, const char *what);

#endif /* _X86_EVENTS_MODEL_H */
