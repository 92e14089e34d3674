/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a PMU: what its parts know of each other.
 *
 *   machine.c	the machines that can be chosen, CPUID, which part has a register
 *   intel.c amd.c	what the registers of each vendor do
 *   beside.c	registers of Intel's models, beside the counters
 *   others.c	registers beside, that count by themselves
 *   clock.c	counting, and noticing overflows in time
 *   user.c	RDPMC in user space
 *   alone.c	what stand-alone drivers drive: uncore.c, pci.c, ibs.c, trace.c, power.c,
 *		iommu.c
 *   stage.c	a script in place of the clock, for tests
 *   misuse.c	complaints about the driver
 *
 * Rules: each CPU has a PMU of its own, that only this CPU touches, with irqs
 * off. An NMI may come in and access registers too. The ones that the model
 * raises come when it is done with an access; one from elsewhere may find a
 * counter that lags by what was being added.
 */
#ifndef _X86_EVENTS_MODEL_H
#define _X86_EVENTS_MODEL_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <asm/perf_event.h>
#include "../hw.h"

/* Counters by index, as the drivers number them: fixed ones from 32. */
#define MODEL_COUNTERS	(INTEL_PMC_IDX_FIXED + INTEL_PMC_MAX_FIXED)

static_assert(MODEL_COUNTERS <= BITS_PER_TYPE(u64));

/* Rates are given in events per so many cycles of the time stamp counter. */
#define MODEL_RATE_SHIFT	10

/* Index in struct model_cpu::extra of the registers that hold what is written. */
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

/**
 * struct model_vendor - what the registers do
 * @read: RDMSR; 0 or -EIO where the CPU would fault
 * @write: WRMSR; as @read
 * @cpuid: leaves about the PMU; others stay 0
 * @overflow: counters have run over; returns true if an interrupt is due
 * @rdpmc_counter: counter index for an operand of RDPMC, -1 for a bad one
 */
struct model_vendor {
	int (*read)(struct model_cpu *cpu, u32 msr, u64 *value);
	int (*write)(struct model_cpu *cpu, u32 msr, u64 value);
	void (*cpuid)(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
	bool (*overflow)(struct model_cpu *cpu, u64 counters);
	int (*rdpmc_counter)(u32 index);
};

/**
 * struct model_machine - a machine that can be chosen
 * @name: on the kernel's command line
 * @vendor: how the registers work
 * @identity: vendor, family, model
 * @version: of the PMU
 * @generic: number of general purpose counters
 * @fixed: number of fixed counters
 * @width: bits of all counters
 * @full_width: counters can be written in full (Intel)
 * @core_ext: six counters at other addresses (AMD, PERFCTR_CORE)
 * @no_anythread: the bit is gone (Intel, version 3 and later)
 * @offcore_valid: bits of the registers of offcore response; 0: there are none, nor
 *	that of load latency (Intel)
 * @leaks: events of retired loads are counted for the other thread too (Intel)
 * @tsx: has transactions, and they want counter 3 for themselves (Intel)
 * @metrics: there is PERF_METRICS, and a register of the front end (Intel)
 * @atom_generic: the second half of the CPUs are of another kind, which has so many
 *	general purpose counters; 0: all are alike (Intel)
 * @atom_fixed: and so many fixed ones
 * @alone: there is also what stand-alone drivers drive, see alone.c
 * @power: there is accumulated power, see power.c (AMD)
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
	bool				leaks;
	bool				tsx;
	bool				metrics;
	u8				atom_generic;
	u8				atom_fixed;
	bool				alone;
	bool				power;
};

/**
 * struct model_counter - a counter
 * @value: what it shows
 * @part: of the next event, in 1 / 2^MODEL_RATE_SHIFT
 * @rate: events per 2^MODEL_RATE_SHIFT cycles
 * @user: counts in user mode
 * @kernel: counts in the kernel
 * @interrupt: overflow raises an interrupt
 */
struct model_counter {
	u64	value;
	u64	part;
	u32	rate;
	bool	user;
	bool	kernel;
	bool	interrupt;
};

/**
 * struct model_cpu - the PMU of a CPU
 * @tsc: up to when the counters have counted
 * @running: mask of counters that count
 * @unhandled: mask of counters that have run over and were not written since
 * @counter: the counters
 * @select: event select registers
 * @fixed_ctrl: control of the fixed counters
 * @global_ctrl: enables
 * @global_status: overflows
 * @extra: registers beside the counters, see beside.c
 * @debugctl: IA32_DEBUGCTL
 * @timer: fires when the next overflow is due
 * @rearm: sets @timer when NMI context must not
 * @in_timer: @timer's interrupt is being handled
 * @stage: the script of a test, which says what is counted; else NULL
 */
struct model_cpu {
	u64			tsc;
	u64			running;
	u64			unhandled;
	struct model_counter	counter[MODEL_COUNTERS];
	u64			select[INTEL_PMC_MAX_GENERIC];
	u64			fixed_ctrl;
	u64			global_ctrl;
	u64			global_status;
	u64			extra[MODEL_EXTRA];
	u64			debugctl;
	struct hrtimer		timer;
	struct irq_work		rearm;
	bool			in_timer;
	struct model_stage	*stage;
};

DECLARE_PER_CPU(struct model_cpu, model_cpu);

extern const struct model_machine *model_machine;
extern const struct model_vendor model_intel;
extern const struct model_vendor model_amd;

u64 model_counters(void);
bool model_is_atom(void);

/* Counters of this CPU. */
static inline unsigned int model_generic(void)
{
	return model_is_atom() ? model_machine->atom_generic : model_machine->generic;
}

static inline unsigned int model_fixed(void)
{
	return model_is_atom() ? model_machine->atom_fixed : model_machine->fixed;
}

/* clock.c */
void model_clock_init(void);
void model_advance(struct model_cpu *cpu, bool in_user);
void model_set_counter(struct model_cpu *cpu, unsigned int idx, u64 value);
void model_rearm(struct model_cpu *cpu);
u32 model_rate_of(u64 select);
void model_raise_pmi(struct model_cpu *cpu);

/* beside.c */
int model_beside_read(const struct model_cpu *cpu, u32 msr, u64 *value);
int model_beside_write(struct model_cpu *cpu, u32 msr, u64 value);
void model_check_leaks(const struct model_cpu *cpu);
void model_check_tsx(const struct model_cpu *cpu, u64 counters, const char *what);
u32 model_beside_rate(const struct model_cpu *cpu, u64 select);

/* others.c */
int model_others_read(u32 msr, u64 *value);
void model_others_cpuid(u32 leaf, struct x86_hw_cpuid *out);

/* alone.c, uncore.c, ibs.c, trace.c, power.c */
void model_alone_init(void);
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

/* all that there is, but for fused branches */
#define MODEL_IBS_CAPS		0xeff
/* entry of the local vector table by which its interrupts come */
#define MODEL_IBS_EILVT		1
/* of the load that is tagged: cycles, and from where */
#define MODEL_IBS_LATENCY	321
#define MODEL_IBS_ADDRESS	0x123456789000

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
