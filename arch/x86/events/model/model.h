/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a PMU: declarations that its files share.
 *
 *   machine.c	the machines, CPUID, dispatch of accesses
 *   intel.c amd.c	registers of the core PMU by vendor
 *   beside.c	Intel's extra registers
 *   others.c	registers that count all the time
 *   clock.c	counting, and overflows
 *   user.c	RDPMC in user space
 *   alone.c	hardware of the stand-alone drivers: uncore.c, pci.c, ibs.c, trace.c,
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
#include <asm/perf_event.h>
#include "../hw.h"

/* Number of counter indices, which are as in the drivers: fixed counters from 32. */
#define MODEL_COUNTERS	(INTEL_PMC_IDX_FIXED + INTEL_PMC_MAX_FIXED)

static_assert(MODEL_COUNTERS <= BITS_PER_TYPE(u64));

/* Rates are in events per 2^MODEL_RATE_SHIFT cycles of the time stamp counter. */
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

/**
 * struct model_vendor - operations on the registers of a vendor
 * @read: RDMSR; returns 0, -EIO if the CPU would fault
 * @write: WRMSR; returns 0, -EIO if the CPU would fault
 * @cpuid: fills in leaves about the PMU; leaves others 0
 * @overflow: handles overflows of counters; returns true if an interrupt is due
 * @rdpmc_counter: returns the counter index for an operand of RDPMC, -1 if it is invalid
 */
struct model_vendor {
	int (*read)(struct model_cpu *cpu, u32 msr, u64 *value);
	int (*write)(struct model_cpu *cpu, u32 msr, u64 value);
	void (*cpuid)(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
	bool (*overflow)(struct model_cpu *cpu, u64 counters);
	int (*rdpmc_counter)(u32 index);
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
 * @leaks: events of retired loads disturb the other thread (Intel)
 * @tsx: there are transactions, which need counter 3 (Intel)
 * @metrics: there are PERF_METRICS and a register of the front end (Intel)
 * @atom_generic: number of general purpose counters of the second half of the CPUs, which
 *	are of another kind; 0: all CPUs are alike (Intel)
 * @atom_fixed: number of fixed counters of these CPUs
 * @alone: there is hardware for stand-alone drivers, see alone.c
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
 * @value: its value
 * @part: fraction of the next event, in 1 / 2^MODEL_RATE_SHIFT
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
 * @tsc: time stamp counter at the last update of the counters
 * @running: mask of counters that count
 * @unhandled: mask of counters that have overflowed and were not written since
 * @counter: the counters
 * @select: event select registers
 * @fixed_ctrl: control register of the fixed counters
 * @global_ctrl: global control register
 * @global_status: global status register
 * @extra: extra registers, see beside.c
 * @debugctl: IA32_DEBUGCTL
 * @timer: fires when the next overflow is due
 * @rearm: starts @timer for accesses in NMI context
 * @in_timer: the callback of @timer is running
 * @stage: script of a test, which replaces the clock; otherwise NULL
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

/* Numbers of counters of this CPU. */
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

/* IBS capabilities: all but fused branches */
#define MODEL_IBS_CAPS		0xeff
/* extended entry of the local vector table for IBS */
#define MODEL_IBS_EILVT		1
/* latency in cycles, and address, of the tagged load */
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
