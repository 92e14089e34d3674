/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The x86 part of performance events: register layouts that several parts of the kernel
 * use (PMU drivers, KVM's virtual PMU, resctrl, the perfctr reservation), and functions of
 * the drivers in arch/x86/events/ for platform code and KVM. Declarations that only the
 * drivers use are in their own headers.
 */
#ifndef _ASM_X86_PERF_EVENT_H
#define _ASM_X86_PERF_EVENT_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/static_call.h>

struct perf_event;

#ifdef CONFIG_PERF_EVENTS_AMD_BRS
#define PERF_NEEDS_LOPWR_CB

void amd_brs_low_power(bool enter);
DECLARE_STATIC_CALL(perf_low_power, amd_brs_low_power);

/**
 * perf_lopwr_cb() - stop what must not run in a state of low power, or let it go on
 * @mode: the CPU is about to enter such a state; false: it has left it
 *
 * Context: irqs off, in the idle task, also in modules. RCU may not watch.
 */
static __always_inline void perf_lopwr_cb(bool mode)
{
	static_call_mod(perf_low_power)(mode);
}
#endif

/*
 * Counter indices, as in event->hw.idx and in masks of counters: general purpose counters,
 * then fixed counters, then indices without a counter.
 */
#define X86_PMC_IDX_MAX			64
#define INTEL_PMC_MAX_GENERIC		32
#define INTEL_PMC_MAX_FIXED		16

#define INTEL_PMC_IDX_FIXED		32
#define INTEL_PMC_IDX_FIXED_INSTRUCTIONS (INTEL_PMC_IDX_FIXED + 0)
#define INTEL_PMC_IDX_FIXED_CPU_CYCLES	(INTEL_PMC_IDX_FIXED + 1)
#define INTEL_PMC_IDX_FIXED_REF_CYCLES	(INTEL_PMC_IDX_FIXED + 2)
#define INTEL_PMC_IDX_FIXED_SLOTS	(INTEL_PMC_IDX_FIXED + 3)

/* The pseudo event by which KVM reserves the LBRs for a guest, and its index. */
#define INTEL_FIXED_VLBR_EVENT		0x1b00
#define INTEL_PMC_IDX_FIXED_VLBR	GLOBAL_STATUS_LBRS_FROZEN_BIT

/* The operand of RDPMC is the number of the counter, with this bit for a fixed counter. */
#define INTEL_PMC_FIXED_RDPMC_BASE	0x40000000

#define AMD64_NUM_COUNTERS		4	/* K7 and later */
#define AMD64_NUM_COUNTERS_CORE		6	/* with PERFCTR_CORE */
#define AMD64_NUM_COUNTERS_NB		4	/* of the northbridge */

/* MSRs of architectural performance monitoring. */
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_PERFCTR1	0xc2
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define MSR_ARCH_PERFMON_EVENTSEL1	0x187
#define MSR_ARCH_PERFMON_FIXED_CTR0	0x309
#define MSR_ARCH_PERFMON_FIXED_CTR1	0x30a
#define MSR_ARCH_PERFMON_FIXED_CTR2	0x30b
#define MSR_ARCH_PERFMON_FIXED_CTR3	0x30c
#define MSR_ARCH_PERFMON_FIXED_CTR_CTRL	0x38d

/* Event select register: bits of Intel and AMD. */
#define ARCH_PERFMON_EVENTSEL_EVENT	0x000000ffULL
#define ARCH_PERFMON_EVENTSEL_UMASK	0x0000ff00ULL
#define ARCH_PERFMON_EVENTSEL_USR	BIT_ULL(16)
#define ARCH_PERFMON_EVENTSEL_OS	BIT_ULL(17)
#define ARCH_PERFMON_EVENTSEL_EDGE	BIT_ULL(18)
#define ARCH_PERFMON_EVENTSEL_PIN_CONTROL BIT_ULL(19)
#define ARCH_PERFMON_EVENTSEL_INT	BIT_ULL(20)
#define ARCH_PERFMON_EVENTSEL_ANY	BIT_ULL(21)
#define ARCH_PERFMON_EVENTSEL_ENABLE	BIT_ULL(22)
#define ARCH_PERFMON_EVENTSEL_INV	BIT_ULL(23)
#define ARCH_PERFMON_EVENTSEL_CMASK	0xff000000ULL

/* Event select register: Intel only. */
#define HSW_IN_TX			BIT_ULL(32)
#define HSW_IN_TX_CHECKPOINTED		BIT_ULL(33)
#define ICL_EVENTSEL_ADAPTIVE		BIT_ULL(34)
#define ARCH_PERFMON_EVENTSEL_BR_CNTR	BIT_ULL(35)
#define ARCH_PERFMON_EVENTSEL_EQ	BIT_ULL(36)
#define ARCH_PERFMON_EVENTSEL_UMASK2	(0xffULL << 40)

/* Event select register: AMD only. */
#define AMD64_EVENTSEL_EVENT		(ARCH_PERFMON_EVENTSEL_EVENT | (0x0fULL << 32))
#define AMD64_EVENTSEL_GUESTONLY	BIT_ULL(40)
#define AMD64_EVENTSEL_HOSTONLY		BIT_ULL(41)

/* Bits that PERF_TYPE_RAW may set: on any x86, on AMD, on AMD's northbridge. */
#define X86_RAW_EVENT_MASK		(ARCH_PERFMON_EVENTSEL_EVENT |	\
					 ARCH_PERFMON_EVENTSEL_UMASK |	\
					 ARCH_PERFMON_EVENTSEL_EDGE |	\
					 ARCH_PERFMON_EVENTSEL_INV |	\
					 ARCH_PERFMON_EVENTSEL_CMASK)
#define AMD64_RAW_EVENT_MASK		(X86_RAW_EVENT_MASK | AMD64_EVENTSEL_EVENT)
#define AMD64_RAW_EVENT_MASK_NB		(AMD64_EVENTSEL_EVENT |		\
					 ARCH_PERFMON_EVENTSEL_UMASK)

/* Event select of AMD's last level cache: selection of cores, threads and slices. */
#define AMD64_L3_COREID_MASK		GENMASK_ULL(44, 42)
#define AMD64_L3_EN_ALL_SLICES		BIT_ULL(46)
#define AMD64_L3_EN_ALL_CORES		BIT_ULL(47)
#define AMD64_L3_SLICEID_MASK		GENMASK_ULL(50, 48)
#define AMD64_L3_SLICE_MASK		GENMASK_ULL(51, 48)	/* family 17h */
#define AMD64_L3_THREAD_MASK		GENMASK_ULL(63, 56)	/* family 17h */
#define AMD64_L3_F19H_THREAD_MASK	GENMASK_ULL(57, 56)

/* With PerfMonV2: event selects of the data fabric and of memory controllers. */
#define AMD64_PERFMON_V2_RAW_EVENT_MASK_NB				\
	(GENMASK_ULL(37, 32) | GENMASK_ULL(27, 24) | GENMASK_ULL(15, 0))
#define AMD64_PERFMON_V2_RAW_EVENT_MASK_UMC	GENMASK_ULL(9, 0)
#define AMD64_PERFMON_V2_ENABLE_UMC		BIT_ULL(31)

/*
 * Control register of the fixed counters, with four bits per counter. These are the bits
 * of counter 0. The bits of adaptive PEBS are separate, with the same stride.
 */
#define INTEL_FIXED_BITS_STRIDE		4
#define INTEL_FIXED_0_KERNEL		BIT_ULL(0)
#define INTEL_FIXED_0_USER		BIT_ULL(1)
#define INTEL_FIXED_0_ANYTHREAD		BIT_ULL(2)
#define INTEL_FIXED_0_ENABLE_PMI	BIT_ULL(3)
#define ICL_FIXED_0_ADAPTIVE		BIT_ULL(32)

#define INTEL_FIXED_BITS_MASK		(INTEL_FIXED_0_KERNEL |		\
					 INTEL_FIXED_0_USER |		\
					 INTEL_FIXED_0_ANYTHREAD |	\
					 INTEL_FIXED_0_ENABLE_PMI |	\
					 ICL_FIXED_0_ADAPTIVE)

/* Shift bits of counter 0 to the bits of another fixed counter. */
#define intel_fixed_bits_by_idx(idx, bits) ((bits) << ((idx) * INTEL_FIXED_BITS_STRIDE))

/* Global status register, above the bits of the counters. */
#define GLOBAL_STATUS_PERF_METRICS_OVF_BIT 48
#define GLOBAL_STATUS_TRACE_TOPAPMI_BIT	55
#define GLOBAL_STATUS_TRACE_TOPAPMI	BIT_ULL(GLOBAL_STATUS_TRACE_TOPAPMI_BIT)
#define GLOBAL_STATUS_LBRS_FROZEN_BIT	58
#define GLOBAL_STATUS_LBRS_FROZEN	BIT_ULL(GLOBAL_STATUS_LBRS_FROZEN_BIT)
#define GLOBAL_STATUS_COUNTERS_FROZEN	BIT_ULL(59)
#define GLOBAL_STATUS_ASIF		BIT_ULL(60)
#define GLOBAL_STATUS_UNC_OVF		BIT_ULL(61)
#define GLOBAL_STATUS_BUFFER_OVF_BIT	62
#define GLOBAL_STATUS_BUFFER_OVF	BIT_ULL(GLOBAL_STATUS_BUFFER_OVF_BIT)
#define GLOBAL_STATUS_COND_CHG		BIT_ULL(63)

/* CPUID leaf 0xa: architectural performance monitoring. */
union cpuid10_eax {
	unsigned int full;
	struct {
		unsigned int version_id : 8;
		unsigned int num_counters : 8;
		unsigned int bit_width : 8;
		unsigned int mask_length : 8;	/* valid bits of EBX */
	} split;
};

/* A bit that is set says that the architectural event is missing. */
union cpuid10_ebx {
	unsigned int full;
	struct {
		unsigned int no_unhalted_core_cycles : 1;
		unsigned int no_instructions_retired : 1;
		unsigned int no_unhalted_reference_cycles : 1;
		unsigned int no_llc_reference : 1;
		unsigned int no_llc_misses : 1;
		unsigned int no_branch_instruction_retired : 1;
		unsigned int no_branch_misses_retired : 1;
	} split;
};

union cpuid10_edx {
	unsigned int full;
	struct {
		unsigned int num_counters_fixed : 5;
		unsigned int bit_width_fixed : 8;
		unsigned int reserved1 : 2;
		unsigned int anythread_deprecated : 1;
		unsigned int reserved2 : 16;
	} split;
};

/* CPUID leaf 0x80000022, EBX: AMD's performance monitoring, version 2. */
#define EXT_PERFMON_DEBUG_FEATURES	0x80000022
union cpuid_0x80000022_ebx {
	unsigned int full;
	struct {
		unsigned int num_core_pmc : 4;
		unsigned int lbr_v2_stack_sz : 6;
		unsigned int num_df_pmc : 6;	/* data fabric */
		unsigned int num_umc_pmc : 6;	/* memory controllers */
	} split;
};

/* Instruction based sampling (AMD): CPUID leaf, and the bits of its EAX. */
#define IBS_CPUID_FEATURES		0x8000001b
#define IBS_CAPS_AVAIL			BIT(0)	/* the others are valid */
#define IBS_CAPS_FETCHSAM		BIT(1)
#define IBS_CAPS_OPSAM			BIT(2)
#define IBS_CAPS_RDWROPCNT		BIT(3)
#define IBS_CAPS_OPCNT			BIT(4)
#define IBS_CAPS_BRNTRGT		BIT(5)
#define IBS_CAPS_OPCNTEXT		BIT(6)
#define IBS_CAPS_RIPINVALIDCHK		BIT(7)
#define IBS_CAPS_OPBRNFUSE		BIT(8)
#define IBS_CAPS_FETCHCTLEXTD		BIT(9)
#define IBS_CAPS_OPDATA4		BIT(10)
#define IBS_CAPS_ZEN4			BIT(11)

/* Capabilities of CPUs that do not report them in CPUID. */
#define IBS_CAPS_DEFAULT	(IBS_CAPS_AVAIL | IBS_CAPS_FETCHSAM | IBS_CAPS_OPSAM)

/* Register in PCI configuration space with the vector of IBS interrupts, and its bits. */
#define IBSCTL				0x1cc
#define IBSCTL_LVT_OFFSET_VALID		BIT_ULL(8)
#define IBSCTL_LVT_OFFSET_MASK		0xf

/* Control register of fetch sampling. */
#define IBS_FETCH_MAX_CNT		GENMASK_ULL(15, 0)
#define IBS_FETCH_CNT			GENMASK_ULL(31, 16)
#define IBS_FETCH_ENABLE		BIT_ULL(48)
#define IBS_FETCH_VAL			BIT_ULL(49)
#define IBS_FETCH_RAND_EN		BIT_ULL(57)
#define IBS_FETCH_L3MISSONLY		BIT_ULL(59)

/* Control register of operation sampling. */
#define IBS_OP_MAX_CNT			GENMASK_ULL(15, 0)
#define IBS_OP_L3MISSONLY		BIT_ULL(16)
#define IBS_OP_ENABLE			BIT_ULL(17)
#define IBS_OP_VAL			BIT_ULL(18)
#define IBS_OP_CNT_CTL			BIT_ULL(19)
#define IBS_OP_MAX_CNT_EXT_MASK		GENMASK_ULL(26, 20)
#define IBS_OP_CUR_CNT_RAND		GENMASK_ULL(38, 32)
#define IBS_OP_CUR_CNT			GENMASK_ULL(51, 39)
#define IBS_OP_CUR_CNT_EXT_MASK		GENMASK_ULL(58, 52)

/* IBS_OP_DATA: the address of the sampled operation is invalid. */
#define IBS_RIP_INVALID			BIT_ULL(38)

/**
 * struct x86_pmu_capability - the core PMU that KVM can offer to guests
 * @version: version of architectural perfmon, 0 if there is none
 * @num_counters_gp: number of general purpose counters
 * @num_counters_fixed: number of fixed counters
 * @bit_width_gp: bits of a general purpose counter
 * @bit_width_fixed: bits of a fixed counter
 * @events_mask: mask of architectural events that are missing, CPUID 0xa EBX
 * @events_mask_len: number of valid bits in @events_mask
 * @pebs_ept: PEBS records can be written through a guest's page tables
 *
 * All members are zero if KVM must not offer a PMU.
 */
struct x86_pmu_capability {
	int		version;
	int		num_counters_gp;
	int		num_counters_fixed;
	int		bit_width_gp;
	int		bit_width_fixed;
	unsigned int	events_mask;
	int		events_mask_len;
	unsigned int	pebs_ept : 1;
};

/**
 * struct perf_guest_switch_msr - an MSR to switch at VM entry and exit
 * @msr: MSR number
 * @host: value in the host
 * @guest: value in the guest; no switch is needed if it is equal to @host
 */
struct perf_guest_switch_msr {
	unsigned int	msr;
	u64		host;
	u64		guest;
};

/**
 * struct x86_pmu_lbr - the last branch records that KVM can offer to guests
 * @nr: number of records, 0 if there are none
 * @from: first MSR of the branch sources
 * @to: first MSR of the branch targets
 * @info: first MSR of additional information, or 0
 * @has_callstack: the call stack mode exists
 */
struct x86_pmu_lbr {
	unsigned int	nr;
	unsigned int	from;
	unsigned int	to;
	unsigned int	info;
	bool		has_callstack;
};

#ifdef CONFIG_X86_LOCAL_APIC
u32 get_ibs_caps(void);
int forward_event_to_ibs(struct perf_event *event);
#else
static inline u32 get_ibs_caps(void)				{ return 0; }
static inline int forward_event_to_ibs(struct perf_event *event) { return -ENOENT; }
#endif

/*
 * Mark in the flags of a sample's registers: the address is exactly the address of the
 * instruction that caused the event. The bit is always 0 in a CPU's flags.
 */
#define PERF_EFLAGS_EXACT		BIT(3)

#ifdef CONFIG_PERF_EVENTS
struct pt_regs;

unsigned long perf_instruction_pointer(struct pt_regs *regs);
unsigned long perf_misc_flags(struct pt_regs *regs);
#define perf_misc_flags(regs)	perf_misc_flags(regs)

void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap);
u64 perf_get_hw_event_config(int hw_event);
void perf_events_lapic_init(void);
void perf_check_microcode(void);
void perf_clear_dirty_counters(void);
int x86_perf_rdpmc_index(struct perf_event *event);

/* for struct pt_regs, and for the layout of stack frames */
#include <asm/stacktrace.h>

/**
 * struct x86_perf_regs - registers of a sample, with those that are not in pt_regs
 * @regs: registers that the core passes around; see perf_reg_value()
 * @xmm_regs: two values for each XMM register, or NULL
 */
struct x86_perf_regs {
	struct pt_regs	regs;
	u64		*xmm_regs;
};

/*
 * Get the frame of the calling function, for events without an exception. The flags are 0,
 * which they never are in registers that a CPU saved. perf_callchain_kernel() distinguishes
 * the two cases by that.
 */
#define perf_arch_fetch_caller_regs(regs, __ip)				\
do {									\
	struct pt_regs *__caller = (regs);				\
									\
	__caller->ip = (__ip);						\
	__caller->cs = __KERNEL_CS;					\
	__caller->sp = (unsigned long)__builtin_frame_address(0);	\
	__caller->flags = 0;						\
} while (0)

/* copy_to_user() may be "rep movsb", which starts slower than a few stores. */
#define arch_perf_copy_by_words()	true

#else /* !CONFIG_PERF_EVENTS */

static inline void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	*cap = (struct x86_pmu_capability) { };
}

static inline u64 perf_get_hw_event_config(int hw_event)	{ return 0; }
static inline void perf_events_lapic_init(void)			{ }
static inline void perf_check_microcode(void)			{ }

#endif /* CONFIG_PERF_EVENTS */

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data);
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr);
#else
static inline struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	*nr = 0;
	return NULL;
}

static inline void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	*lbr = (struct x86_pmu_lbr) { };
}
#endif

#ifdef CONFIG_CPU_SUP_INTEL
void intel_pt_handle_vmx(int on);
#else
static inline void intel_pt_handle_vmx(int on)			{ }
#endif

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_AMD)
void amd_pmu_enable_virt(void);
void amd_pmu_disable_virt(void);
#else
static inline void amd_pmu_enable_virt(void)			{ }
static inline void amd_pmu_disable_virt(void)			{ }
#endif

#endif /* _ASM_X86_PERF_EVENT_H */
