/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The emulator of a PMU: declarations that its files share.
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
 *   spoil.c	what is no record, and is written like one
 *   stuck.c	counters that do not count
 *   user.c	RDPMC in user space
 *   guest.c	guests of KVM
 *   standalone.c	hardware of the stand-alone drivers: uncore.c, pci.c, ibs.c, trace.c,
 *		power.c, iommu.c
 *   stage.c	a script instead of the clock, for tests
 *   misuse.c	reports of misuse
 *
 * Locking rules: each CPU has its own PMU, which only this CPU accesses, with interrupts
 * disabled. An NMI may access registers as well. NMIs that the emulator raises come after an
 * access is complete. Another NMI may see a counter before a pending update.
 */
#ifndef _PMU_EMULATOR_X86_EMULATOR_H
#define _PMU_EMULATOR_X86_EMULATOR_H

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
#define EMU_FIXED	SDM_GLOBAL_FIXED_SHIFT
#define EMU_MAX_GENERIC		32
#define EMU_MAX_FIXED	16
#define EMU_COUNTERS	(EMU_FIXED + EMU_MAX_FIXED)

static_assert(EMU_COUNTERS <= BITS_PER_TYPE(u64));

/* In place of a counter: PERF_METRICS, which RDPMC reads as well. */
#define EMU_IDX_METRICS		EMU_COUNTERS

/* Rates are in events per 2^EMU_RATE_SHIFT ticks of the time stamp counter. */
#define EMU_RATE_SHIFT		10

/* Indices of emu_cpu::extra. */
enum {
	EMU_OFFCORE_0,
	EMU_OFFCORE_1,
	EMU_LD_LAT,
	EMU_FRONTEND,
	EMU_FORCE_ABORT,
	EMU_EXTRA
};

struct emu_cpu;
struct emu_stage;
struct emu_pebs;

/**
 * struct emu_vendor - operations on the registers of a vendor
 * @read: RDMSR; returns 0, -EIO if the CPU would fault
 * @write: WRMSR; returns 0, -EIO if the CPU would fault
 * @cpuid: fills in leaves about the PMU; leaves others 0
 * @overflow: handles overflows of counters; returns true if an interrupt is due
 * @rdpmc_counter: returns the counter index for an operand of RDPMC, or EMU_IDX_METRICS; -1 if
 *	the operand is invalid
 * @guest_switch: applies a change of emu_cpu::in_guest; NULL: no counter depends on it
 */
struct emu_vendor {
	int (*read)(struct emu_cpu *cpu, u32 msr, u64 *value);
	int (*write)(struct emu_cpu *cpu, u32 msr, u64 value);
	void (*cpuid)(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
	bool (*overflow)(struct emu_cpu *cpu, u64 counters);
	int (*rdpmc_counter)(u32 index);
	void (*guest_switch)(struct emu_cpu *cpu);
};

/**
 * struct emu_kind - a kind of core of a machine that has several
 * @native: CPUID leaf 0x1a EAX
 * @generic: number of general purpose counters
 * @fixed: mask of fixed counters
 * @offcore_valid: as in struct emu_machine
 * @metrics: as in struct emu_machine
 * @select_ext: the event select has a second unit mask, and "equal"
 * @pebs: as in struct emu_machine
 */
struct emu_kind {
	u32	native;
	u8	generic;
	u16	fixed;
	u64	offcore_valid;
	bool	metrics;
	bool	select_ext;
	const struct emu_pebs	*pebs;
};

/**
 * struct emu_machine - an emulated machine
 * @name: value of x86_pmu_emulator= on the kernel's command line
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
 *	the events of emu_clears() since it got the last one (Intel)
 * @leaks: events of retired loads disturb the other thread (Intel)
 * @tsx: there are transactions, which need counter 3 (Intel)
 * @metrics: there are PERF_METRICS and a register of the front end (Intel)
 * @pebs: precise sampling, or NULL; see ds.c (Intel)
 * @leaf_23: CPUID leaf 0x23 describes the counters; always in version 6 (Intel)
 * @kinds: kinds of cores, or NULL. They replace @generic and @fixed, which are then what
 *	leaf 0xa lists; @offcore_valid; and @metrics, which PERF_CAPABILITIES shows (Intel)
 * @nr_kinds: number of @kinds, see emu_kind()
 * @standalone: there is hardware for stand-alone drivers, see standalone.c
 * @power: there is accumulated power, see power.c (AMD)
 * @lbr_depth: number of records of branches, 0: there are none, see branches.c
 * @lbr_format: layout of legacy records, 0: they are architectural (Intel)
 * @lbr_logged: mask of counters that architectural records can have (Intel)
 * @lbr_stack: legacy records can be a stack of calls (Intel)
 * @brs: branches after an overflow are recorded, see brs.c (AMD)
 */
struct emu_machine {
	const char			*name;
	const struct emu_vendor		*vendor;
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
	const struct emu_pebs		*pebs;
	bool				leaf_23;
	const struct emu_kind		*kinds;
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
 * struct emu_counter - a counter
 * @value: its value
 * @part: fraction of the next event, in 1 / 2^EMU_RATE_SHIFT
 * @rate: events per 2^EMU_RATE_SHIFT ticks
 * @user: counts in user mode
 * @kernel: counts in the kernel
 * @interrupt: overflow raises an interrupt
 * @records: overflow writes a record, see ds.c
 */
struct emu_counter {
	u64	value;
	u64	part;
	u32	rate;
	bool	user;
	bool	kernel;
	bool	interrupt;
	bool	records;
};

/* Most records of branches of any machine. */
#define EMU_BRANCHES		32

/**
 * struct emu_branch - a branch
 * @from: address of the instruction
 * @to: its target
 * @class: its bit in LBR_SELECT
 * @mispredicted: it was predicted wrongly
 * @in_tsx: it is inside of a transaction
 * @abort: it is the end of a transaction that failed
 */
struct emu_branch {
	u64	from;
	u64	to;
	u64	class;
	bool	mispredicted;
	bool	in_tsx;
	bool	abort;
};

/**
 * struct emu_branches - the records of branches of a CPU
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
struct emu_branches {
	u64			select;
	u64			ctl;
	u64			tos;
	u64			extn;
	u64			from[EMU_BRANCHES];
	u64			to[EMU_BRANCHES];
	u64			info[EMU_BRANCHES];
	bool			recording;
	u64			mode;
	bool			due;
	bool			mixed;
	const void		*task;
	u32			written;
};

/* Most bits that come back, so that a driver that cannot cope does not hang. */
#define EMU_RETURNS		20000

/**
 * struct emu_fault - bits of the status register that come back when they are cleared
 * @near: a counter's bit comes back if it is fewer events away from its overflow, also when such a
 *	value is written; 0: none
 * @stuck: mask of bits
 * @left: how many more bits come back; 0: no fault
 */
struct emu_fault {
	u64		near;
	u64		stuck;
	unsigned int	left;
};

/**
 * struct emu_cpu - the PMU of a CPU
 * @tsc: time stamp counter at the last update of the counters
 * @user: ticks in user mode since then
 * @idle: ticks since then in which the CPU was halted
 * @in_user: the CPU is in user mode
 * @changes_mode: @user, @in_user and @user_since are being changed
 * @user_since: time stamp counter when it entered user mode
 * @idle_since: time stamp counter when it was halted, 0 if it is not
 * @running: mask of counters that count
 * @clearing: the counters count what clears the hardware, see emu_machine::clear_first
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
 * @fault: bits of the status register that come back, for tests
 * @stage: script of a test, which replaces the clock; otherwise NULL
 */
struct emu_cpu {
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
	struct emu_counter	counter[EMU_COUNTERS];
	u64			select[EMU_MAX_GENERIC];
	u64			fixed_ctrl;
	u64			global_ctrl;
	u64			global_status;
	u64			extra[EMU_EXTRA];
	u64			debugctl;
	struct emu_branches	branches;
	struct hrtimer		timer;
	struct irq_work		rearm;
	bool			rearm_for_user;
	bool			in_timer;
	bool			in_guest;
	bool			in_user_only;
	struct emu_fault	fault;
	struct emu_stage	*stage;
};

DECLARE_PER_CPU(struct emu_cpu, emu_cpu);

extern const struct emu_machine *emu_machine;
extern const struct emu_vendor emu_intel;
extern const struct emu_vendor emu_amd;

u64 emu_counters(void);
const struct emu_kind *emu_kind(void);

/* Counters of this CPU: the number of general purpose ones, and the mask of fixed ones. */
static inline unsigned int emu_generic(void)
{
	return emu_kind() ? emu_kind()->generic : emu_machine->generic;
}

static inline u32 emu_fixed(void)
{
	return emu_kind() ? emu_kind()->fixed : BIT(emu_machine->fixed) - 1;
}

static inline bool emu_metrics(void)
{
	return emu_kind() ? emu_kind()->metrics : emu_machine->metrics;
}

static inline u64 emu_offcore_valid(void)
{
	return emu_kind() ? emu_kind()->offcore_valid : emu_machine->offcore_valid;
}

/* clock.c */
void emu_clock_init(void);
bool emu_clock_is_exact(void);
void emu_advance(struct emu_cpu *cpu);
void emu_pause(struct emu_cpu *cpu);
void emu_set_counter(struct emu_cpu *cpu, unsigned int idx, u64 value);
void emu_rearm(struct emu_cpu *cpu);
void emu_rearm_for_user(struct emu_cpu *cpu);
void emu_raise_pmi(struct emu_cpu *cpu);
void emu_send_nmi(struct emu_cpu *cpu);

/* modes.c */
void emu_modes_split(struct emu_cpu *cpu, u64 now, u64 *user, u64 *kernel);

/* hostile.c */
void emu_hostile_init(void);
bool emu_is_hostile(void);
u64 emu_hostile_ticks(void);
void emu_hostile_overflow(void);
u64 emu_hostile_status(u64 status, u64 valid);
bool emu_hostile_here(void);
bool emu_hostile_raise(void);
void emu_hostile_return(struct emu_cpu *cpu, u64 bits);
bool emu_hostile_raises_again(const struct emu_cpu *cpu);

/* stuck.c */

/**
 * struct emu_stuck - masks of counters with faults
 * @still: never count
 * @forgets: are 0 after each write
 * @off: have no enable bits
 * @faults: accesses to their registers fault
 */
struct emu_stuck {
	u64	still;
	u64	forgets;
	u64	off;
	u64	faults;
};

extern struct emu_stuck emu_stuck;

/* rates.c */
u32 emu_rate_of(u64 select);
u32 emu_fixed_rate(unsigned int n);

/* intel_extra.c */
int emu_extra_read(const struct emu_cpu *cpu, u32 msr, u64 *value);
int emu_extra_write(struct emu_cpu *cpu, u32 msr, u64 value);
void emu_check_leaks(const struct emu_cpu *cpu);
void emu_check_tsx(const struct emu_cpu *cpu, u64 counters, const char *what);
u32 emu_extra_rate(const struct emu_cpu *cpu, u64 select);

/* branches.c, branch_walk.c */
int emu_branches_read(struct emu_cpu *cpu, u32 msr, u64 *value);
int emu_branches_write(struct emu_cpu *cpu, u32 msr, u64 value);
void emu_branches_update(struct emu_cpu *cpu);
void emu_branches_freeze(struct emu_cpu *cpu);
void emu_branches_push(struct emu_cpu *cpu, const struct emu_branch *branch);
u64 emu_branches_debugctl(void);

/* Branches that are recorded, of the user's part and of the kernel's. */
#define EMU_WALK	12

unsigned int emu_walk_branches(struct emu_branch *branches, unsigned int max, u64 ip);
u64 emu_walk_next(u64 ip);
unsigned int emu_walk_calls(struct emu_branch *branches, unsigned int max,
			    const struct pt_regs *regs);

/* brs.c */
int emu_brs_read(u32 msr, u64 *value);
int emu_brs_write(u32 msr, u64 value);
void emu_brs_overflow(struct emu_cpu *cpu, u64 counters);
u64 emu_brs_control(void);
void emu_brs_reset(void);

/* free_running.c */
int emu_free_running_read(u32 msr, u64 *value);
void emu_free_running_cpuid(u32 leaf, struct x86_hw_cpuid *out);

/* standalone.c, uncore.c, ibs.c, trace.c, power.c */
void emu_standalone_init(void);
bool emu_uncore_read(u32 msr, u64 *value);
bool emu_uncore_write(u32 msr, u64 value);
bool emu_uncore_rdpmc(u32 index, u64 *value);
void emu_ibs_init(void);
bool emu_ibs_read(u32 msr, u64 *value);
bool emu_ibs_write(u32 msr, u64 value);
void emu_ibs_set_entry(u32 entry);
void emu_trace_init(void);
bool emu_trace_read(u32 msr, u64 *value);
bool emu_trace_write(u32 msr, u64 value);
bool emu_power_read(u32 msr, u64 *value);

/* IBS capabilities: all but fused branches */
#define EMU_IBS_CAPS		0xeff
/* extended entry of the local vector table for IBS */
#define EMU_IBS_EILVT		1
/* latency in cycles, and address, of the tagged load */
#define EMU_IBS_LATENCY		321
#define EMU_IBS_ADDRESS		0x123456789000

/* Pattern of branches that are sampled while a test has a script, see brs.c. */
#define EMU_BRS_PATTERN		12
#define EMU_BRS_FROM(_i)	(0xffffffff81000000ULL + 0x10 * (_i))

/* Patterns of records of precise sampling: see ds.c. The next instruction is so far behind. */
#define EMU_PEBS_NEXT		1
#define EMU_CACHE_LATENCY	40
#define EMU_LATENCIES		256
#define EMU_TSX_CYCLES		77
/* MEM_INST_RETIRED.ALL_STORES and its predecessor; RTM_RETIRED.ABORTED */
#define EMU_ALL_STORES		0x82d0
#define EMU_RTM_ABORTED		0x04c9

/* stage.c */
void emu_stage_before(struct emu_cpu *cpu);
void emu_stage_after(struct emu_cpu *cpu);
void emu_stage_raise(struct emu_stage *stage);

/* user.c */
void emu_user_init(void);

/* misuse.c */
__printf(1, 2) void emu_misuse(const char *fmt, ...);
void emu_check_stopped(const struct emu_cpu *cpu, unsigned int idx, const char *what);

#endif /* _PMU_EMULATOR_X86_EMULATOR_H */
