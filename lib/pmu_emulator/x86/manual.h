/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers and bits of the emulated CPUs, by the names and sections of the manuals. The
 * emulator uses no constants of the drivers, so that it can contradict them.
 * tools/perf-build/checks/x86-constants compares both.
 *
 *   SDM	Intel 64 and IA-32 Architectures Software Developer's Manual; volume: section.
 *		The MSRs are also in the tables of volume 4.
 *   UPM	Intel's Uncore Performance Monitoring guide for Xeon E5 v3 (331051)
 *   APM	AMD64 Architecture Programmer's Manual
 *   PPR	AMD's Processor Programming Reference, family 19h model 01h (55898)
 *   BKDG	AMD's BIOS and Kernel Developer's Guide, family 15h models 60h-6Fh (50742)
 *   IOMMU	AMD I/O Virtualization Technology Specification (48882)
 */
#ifndef _PMU_EMULATOR_X86_MANUAL_H
#define _PMU_EMULATOR_X86_MANUAL_H

#include <linux/bits.h>

/* SDM 3B: Architectural Performance Monitoring Version 1 Facilities */
#define SDM_PMC0			0x0c1
#define SDM_PERFEVTSEL0			0x186
#define SDM_SEL_EVENT			GENMASK_ULL(7, 0)
#define SDM_SEL_UMASK			GENMASK_ULL(15, 8)
#define SDM_SEL_USR			BIT_ULL(16)
#define SDM_SEL_OS			BIT_ULL(17)
#define SDM_SEL_E			BIT_ULL(18)
#define SDM_SEL_PC			BIT_ULL(19)
#define SDM_SEL_INT			BIT_ULL(20)
#define SDM_SEL_EN			BIT_ULL(22)
#define SDM_SEL_INV			BIT_ULL(23)
#define SDM_SEL_CMASK			GENMASK_ULL(31, 24)

/* SDM 3B: Architectural Performance Monitoring Version 2. Fixed counters have 4 bits each. */
#define SDM_FIXED_CTR0			0x309
#define SDM_FIXED_CTR_CTRL		0x38d
#define SDM_FIXED_STRIDE		4
#define SDM_FIXED_OS			BIT_ULL(0)
#define SDM_FIXED_USR			BIT_ULL(1)
#define SDM_FIXED_PMI			BIT_ULL(3)
#define SDM_GLOBAL_STATUS		0x38e
#define SDM_GLOBAL_CTRL			0x38f
#define SDM_GLOBAL_OVF_CTRL		0x390
#define SDM_GLOBAL_FIXED_SHIFT		32
#define SDM_STATUS_OVF_BUF		BIT_ULL(62)
#define SDM_STATUS_COND_CHGD		BIT_ULL(63)

/* SDM 3B: Architectural Performance Monitoring Version 3 */
#define SDM_SEL_ANY			BIT_ULL(21)
#define SDM_FIXED_ANY			BIT_ULL(2)

/* SDM 3B: Architectural Performance Monitoring Version 4 */
#define SDM_STATUS_TRACE_TOPA		BIT_ULL(55)
#define SDM_STATUS_LBR_FRZ		BIT_ULL(58)
#define SDM_STATUS_CTR_FRZ		BIT_ULL(59)
#define SDM_STATUS_ASCI			BIT_ULL(60)
#define SDM_STATUS_OVF_UNCORE		BIT_ULL(61)

/* SDM 3B: Architectural Performance Monitoring Version 6 */
#define SDM_V6_GP0_CTR			0x1900
#define SDM_V6_GP0_CFG_A		0x1901
#define SDM_V6_FX0_CTR			0x1980
#define SDM_V6_STEP			4
#define SDM_SEL_EQ			BIT_ULL(36)
#define SDM_SEL_UMASK2			GENMASK_ULL(47, 40)

/* SDM 3B: Full-Width Writes to Performance Counter Registers */
#define SDM_A_PMC0			0x4c1
#define SDM_PERF_CAPABILITIES		0x345
#define SDM_CAP_FREEZE_WHILE_SMM	BIT_ULL(12)
#define SDM_CAP_FULL_WRITE		BIT_ULL(13)
#define SDM_CAP_METRICS			BIT_ULL(15)

/* SDM 3B: Performance Monitoring and Intel TSX; volume 4 for the MSR of counter 3 */
#define SDM_SEL_IN_TX			BIT_ULL(32)
#define SDM_SEL_IN_TXCP			BIT_ULL(33)
#define SDM_TSX_FORCE_ABORT		0x10f
#define SDM_TFA_RTM_FORCE_ABORT		BIT_ULL(0)

/* SDM 3B: Off-core Response Performance Monitoring, Load Latency, Front End Events */
#define SDM_OFFCORE_RSP_0		0x1a6
#define SDM_OFFCORE_RSP_1		0x1a7
#define SDM_PEBS_LD_LAT			0x3f6
#define SDM_PEBS_FRONTEND		0x3f7

/* SDM 3B: Performance Metrics */
#define SDM_PERF_METRICS		0x329
#define SDM_CTRL_METRICS		BIT_ULL(48)
#define SDM_FIXED_SLOTS			3

/*
 * SDM 3B: Debug Store (DS) Mechanism, offsets in the area; Precise Event Based Sampling (PEBS);
 * Branch Trace Store (BTS); Adaptive PEBS; volume 4: IA32_MISC_ENABLE
 */
#define SDM_MISC_ENABLE			0x1a0
#define SDM_MISC_PERFMON		BIT_ULL(7)
#define SDM_MISC_BTS_UNAVAIL		BIT_ULL(11)
#define SDM_DS_AREA			0x600
#define SDM_DS_BTS_BASE			0x00
#define SDM_DS_BTS_INDEX		0x08
#define SDM_DS_BTS_MAX			0x10
#define SDM_DS_BTS_THRESHOLD		0x18
#define SDM_BTS_RECORD			24
#define SDM_BTS_PREDICTED		BIT_ULL(4)
#define SDM_DS_PEBS_BASE		0x20
#define SDM_DS_PEBS_INDEX		0x28
#define SDM_DS_PEBS_MAX			0x30
#define SDM_DS_PEBS_THRESHOLD		0x38
#define SDM_DS_RESETS			0x40
#define SDM_DS_GP_RESETS		8
#define SDM_PEBS_ENABLE			0x3f1
#define SDM_PEBS_LL_SHIFT		32
#define SDM_PEBS_DATA_CFG		0x3f2
#define SDM_PEBS_CFG_MEMINFO		BIT_ULL(0)
#define SDM_PEBS_CFG_GPRS		BIT_ULL(1)
#define SDM_PEBS_CFG_XMMS		BIT_ULL(2)
#define SDM_PEBS_CFG_LBRS		BIT_ULL(3)
#define SDM_PEBS_CFG_GROUPS		GENMASK_ULL(3, 0)
#define SDM_PEBS_CFG_VALID		0xff00000fULL
#define SDM_PEBS_LD_LAT_MIN		3
#define SDM_SEL_ADAPTIVE		BIT_ULL(34)
#define SDM_FIXED_ADAPTIVE		BIT_ULL(32)
#define SDM_CAP_PEBS_TRAP		BIT_ULL(6)
#define SDM_CAP_PEBS_REGS		BIT_ULL(7)
#define SDM_CAP_PEBS_FORMAT_SHIFT	8
#define SDM_CAP_PEBS_BASELINE		BIT_ULL(14)
#define SDM_CPUID_1_EDX_DS		BIT(21)
#define SDM_CPUID_1_ECX_DTES64		BIT(2)
#define SDM_CPUID_1_ECX_DS_CPL		BIT(4)
#define SDM_TSX_RTM_ABORT		BIT_ULL(33)
#define SDM_TSX_CONFLICT		BIT_ULL(37)

/* SDM 3B: Freezing Performance Monitoring and LBRs; IA32_DEBUGCTL MSR */
#define SDM_DEBUGCTL			0x1d9
#define SDM_DEBUGCTL_LBR		BIT_ULL(0)
#define SDM_DEBUGCTL_BTF		BIT_ULL(1)
#define SDM_DEBUGCTL_TR			BIT_ULL(6)
#define SDM_DEBUGCTL_BTS		BIT_ULL(7)
#define SDM_DEBUGCTL_BTINT		BIT_ULL(8)
#define SDM_DEBUGCTL_BTS_OFF_OS		BIT_ULL(9)
#define SDM_DEBUGCTL_BTS_OFF_USR	BIT_ULL(10)
#define SDM_DEBUGCTL_FREEZE_LBRS	BIT_ULL(11)
#define SDM_DEBUGCTL_FREEZE_WHILE_SMM	BIT_ULL(14)

/* SDM 3B: LBR Stack; Filtering of Last Branch Records; the call stack of Haswell */
#define SDM_CAP_LBR_FMT_SHIFT		0
#define SDM_LBR_FMT_EIP_FLAGS		3
#define SDM_LBR_FMT_EIP_TSX		4
#define SDM_LBR_FMT_EIP_INFO		5
#define SDM_LBR_FMT_LIP_INFO		7
#define SDM_LBR_SELECT			0x1c8
#define SDM_LBR_TOS			0x1c9
#define SDM_LBR_FROM			0x680
#define SDM_LBR_TO			0x6c0
#define SDM_LBR_INFO			0xdc0
#define SDM_LBR_CPL_EQ_0		BIT_ULL(0)
#define SDM_LBR_CPL_NEQ_0		BIT_ULL(1)
#define SDM_LBR_JCC			BIT_ULL(2)
#define SDM_LBR_REL_CALL		BIT_ULL(3)
#define SDM_LBR_IND_CALL		BIT_ULL(4)
#define SDM_LBR_RET			BIT_ULL(5)
#define SDM_LBR_IND_JMP			BIT_ULL(6)
#define SDM_LBR_REL_JMP			BIT_ULL(7)
#define SDM_LBR_FAR			BIT_ULL(8)
#define SDM_LBR_CALLSTACK		BIT_ULL(9)
#define SDM_LBR_MISPRED			BIT_ULL(63)
#define SDM_LBR_IN_TSX			BIT_ULL(62)
#define SDM_LBR_TSX_ABORT		BIT_ULL(61)
#define SDM_LBR_ADDRESS_TOP		47

/* SDM 3B: Last Branch Records (architectural); 2A: CPUID leaf 0x1c */
#define SDM_ARCH_LBR_INFO		0x1200
#define SDM_ARCH_LBR_CTL		0x14ce
#define SDM_ARCH_LBR_DEPTH		0x14cf
#define SDM_ARCH_LBR_FROM		0x1500
#define SDM_ARCH_LBR_TO			0x1600
#define SDM_LBR_CTL_EN			BIT_ULL(0)
#define SDM_LBR_CTL_OS			BIT_ULL(1)
#define SDM_LBR_CTL_USR			BIT_ULL(2)
#define SDM_LBR_CTL_CALL_STACK		BIT_ULL(3)
#define SDM_LBR_CTL_JCC			BIT_ULL(16)
#define SDM_LBR_CTL_REL_JMP		BIT_ULL(17)
#define SDM_LBR_CTL_IND_JMP		BIT_ULL(18)
#define SDM_LBR_CTL_REL_CALL		BIT_ULL(19)
#define SDM_LBR_CTL_IND_CALL		BIT_ULL(20)
#define SDM_LBR_CTL_RET			BIT_ULL(21)
#define SDM_LBR_CTL_OTHER		BIT_ULL(22)
#define SDM_LBR_INFO_CYC_VALID		BIT_ULL(60)
#define SDM_LBR_INFO_TYPE_SHIFT		56
#define SDM_CPUID_1C_EAX_DEPTHS		0x0b
#define SDM_CPUID_1C_EAX_C_RESET	BIT(30)
#define SDM_CPUID_1C_EBX_ALL		0x7
#define SDM_CPUID_1C_ECX_ALL		0x7
#define SDM_CPUID_1C_ECX_LOGGED_SHIFT	16
#define SDM_LBR_INFO_LOGGED_SHIFT	32
#define SDM_SEL_LBR_LOG			BIT_ULL(35)
#define SDM_CPUID_7_EDX_ARCH_LBR	BIT(19)

/* SDM 2B: RDPMC, operands of PERF_METRICS and of fixed counters */
#define SDM_RDPMC_METRICS		BIT(29)
#define SDM_RDPMC_FIXED			BIT(30)

/* SDM 2A: CPUID leaf 0x0a, first bits of fields; and leaves 1, 6, 7 */
#define SDM_CPUID_A_EAX_COUNTERS	8
#define SDM_CPUID_A_EAX_WIDTH		16
#define SDM_CPUID_A_EAX_EBX_LENGTH	24
#define SDM_CPUID_A_EDX_WIDTH		5
#define SDM_CPUID_A_EDX_NO_ANYTHREAD	15
#define SDM_CPUID_1_ECX_PDCM		BIT(15)
#define SDM_CPUID_6_ECX_APERF		BIT(0)
#define SDM_CPUID_7_EBX_RTM		BIT(11)
#define SDM_CPUID_7_EDX_TFA		BIT(13)
#define SDM_CPUID_7_EDX_HYBRID		BIT(15)
#define SDM_CPUID_7_1_EAX_LEAF_23	BIT(8)

/* SDM 3B: power and thermal management: APERF, MPERF, RAPL; volume 4: residencies, SMIs */
#define SDM_MPERF			0x0e7
#define SDM_APERF			0x0e8
#define SDM_SMI_COUNT			0x034
#define SDM_RAPL_POWER_UNIT		0x606
#define SDM_RAPL_ENERGY_UNIT		8
#define SDM_PKG_ENERGY_STATUS		0x611
#define SDM_PP0_ENERGY_STATUS		0x639
#define SDM_PP1_ENERGY_STATUS		0x641
#define SDM_CORE_C1_RESIDENCY		0x660
#define SDM_CORE_C6_RESIDENCY		0x3fd
#define SDM_PKG_C2_RESIDENCY		0x60d
#define SDM_PKG_C6_RESIDENCY		0x3f9

/* SDM 3C: Intel Processor Trace, Configuration and Programming Guide */
#define SDM_RTIT_OUTPUT_BASE		0x560
#define SDM_RTIT_OUTPUT_MASK_PTRS	0x561
#define SDM_RTIT_CTL			0x570
#define SDM_RTIT_STATUS			0x571
#define SDM_RTIT_ADDR0_A		0x580
#define SDM_RTIT_ADDR1_B		0x583
#define SDM_RTIT_TRACE_EN		BIT_ULL(0)
#define SDM_RTIT_CYC_EN			BIT_ULL(1)
#define SDM_RTIT_OS			BIT_ULL(2)
#define SDM_RTIT_USER			BIT_ULL(3)
#define SDM_RTIT_CR3_FILTER		BIT_ULL(7)
#define SDM_RTIT_TOPA			BIT_ULL(8)
#define SDM_RTIT_MTC_EN			BIT_ULL(9)
#define SDM_RTIT_TSC_EN			BIT_ULL(10)
#define SDM_RTIT_DIS_RETC		BIT_ULL(11)
#define SDM_RTIT_BRANCH_EN		BIT_ULL(13)
#define SDM_RTIT_MTC_FREQ		GENMASK_ULL(17, 14)
#define SDM_RTIT_CYC_THRESH		GENMASK_ULL(22, 19)
#define SDM_RTIT_PSB_FREQ		GENMASK_ULL(27, 24)
#define SDM_RTIT_ADDR0_CFG		GENMASK_ULL(35, 32)
#define SDM_RTIT_ADDR1_CFG		GENMASK_ULL(39, 36)
#define SDM_RTIT_STATUS_TRIGGER_EN	BIT_ULL(2)
#define SDM_RTIT_STATUS_ERROR		BIT_ULL(4)
#define SDM_RTIT_STATUS_STOPPED		BIT_ULL(5)
#define SDM_TOPA_END			BIT_ULL(0)
#define SDM_TOPA_INT			BIT_ULL(2)
#define SDM_TOPA_STOP			BIT_ULL(4)
#define SDM_TOPA_SIZE_SHIFT		6
#define SDM_TOPA_BASE			GENMASK_ULL(51, 12)

/* UPM: C-boxes, event select register */
#define UPM_SEL_EN			BIT_ULL(22)

/* APM 2: Performance Monitoring Counters, Core Performance Event-Select Registers */
#define APM_PERFEVTSEL0			0xc0010000
#define APM_PERFCTR0			0xc0010004
#define APM_LEGACY_COUNTERS		4
#define APM_PERFCTL0			0xc0010200
#define APM_PERFCTL0_CTR		0xc0010201
#define APM_SEL_EVENT			(GENMASK_ULL(35, 32) | GENMASK_ULL(7, 0))
#define APM_SEL_UMASK			GENMASK_ULL(15, 8)
#define APM_SEL_USER			BIT_ULL(16)
#define APM_SEL_OS			BIT_ULL(17)
#define APM_SEL_EDGE			BIT_ULL(18)
#define APM_SEL_INT			BIT_ULL(20)
#define APM_SEL_EN			BIT_ULL(22)
#define APM_SEL_INV			BIT_ULL(23)
#define APM_SEL_CNT_MASK		GENMASK_ULL(31, 24)
#define APM_SEL_GUEST_ONLY		BIT_ULL(40)
#define APM_SEL_HOST_ONLY		BIT_ULL(41)

/* APM 2: Extended Feature Enable Register (EFER) */
#define APM_EFER			0xc0000080
#define APM_EFER_SVME			BIT_ULL(12)

/* PPR: MSRC000_0300 to MSRC000_0303, the global registers of PerfMonV2 */
#define PPR_GLOBAL_STATUS		0xc0000300
#define PPR_GLOBAL_CTL			0xc0000301
#define PPR_GLOBAL_STATUS_CLR		0xc0000302
#define PPR_GLOBAL_STATUS_SET		0xc0000303
/* Status: a register was frozen by an overflow. Other high bits are reserved. */
#define PPR_STATUS_LBR_FREEZE		BIT_ULL(58)
#define PPR_STATUS_PMC_FREEZE		BIT_ULL(59)

/* APM 2: Last Branch Records: LbrSelect, DbgExtnCtl, the stack of records */
#define APM_DEBUGCTL			0x1d9
#define APM_DEBUGCTL_LBR		BIT_ULL(0)
#define APM_DEBUGCTL_FREEZE_LBR		BIT_ULL(11)
#define APM_LBR_SELECT			0xc000010e
#define APM_LBR_SELECT_VALID		GENMASK_ULL(8, 0)
#define APM_DBG_EXTN_CFG		0xc000010f
#define APM_DBG_EXTN_LBR_V2		BIT_ULL(6)
#define APM_LBR_FROM			0xc0010300
#define APM_LBR_TO			0xc0010301
#define APM_LBR_FROM_MISPRED		BIT_ULL(63)
#define APM_LBR_TO_VALID		BIT_ULL(63)
#define APM_LBR_TO_SPEC			BIT_ULL(62)
#define APM_LBR_ADDRESS			GENMASK_ULL(56, 0)

/* PPR: branch sampling: MSRC000_010F, MSRC001_0300. Its bits are known from descriptions only. */
#define PPR_BRS_ENABLE			BIT_ULL(2)
#define PPR_BRS_MUST			GENMASK_ULL(4, 3)
#define PPR_BRS_FULL			BIT_ULL(5)
#define PPR_BRS_POINTER			GENMASK_ULL(19, 16)
#define PPR_BRS_COUNTER			GENMASK_ULL(26, 24)
#define PPR_BRS_RECORDS			16

/* APM 3, appendix E: CPUID, records of branches */
#define APM_CPUID_22_EAX_LBR_V2		BIT(1)
#define APM_CPUID_22_EAX_FREEZE		BIT(2)
#define APM_CPUID_22_EBX_LBR_SHIFT	4

/* APM 3, appendix E: CPUID */
#define APM_CPUID_PERFMON		0x80000022
#define APM_CPUID_22_EAX_V2		BIT(0)
#define APM_CPUID_1_ECX_CORE_EXT	BIT(23)
#define APM_CPUID_8_EBX_IRPERF		BIT(1)
#define APM_CPUID_8_EBX_BRS		BIT(31)
#define APM_CPUID_POWER			0x80000007
#define APM_CPUID_IBS			0x8000001b

/* PPR: counters of the L3 cache and of the data fabric, of retired instructions, RAPL */
#define PPR_L3_CTL0			0xc0010230
#define PPR_L3_CTR0			0xc0010231
#define PPR_DF_CTL0			0xc0010240
#define PPR_DF_CTR0			0xc0010241
#define PPR_IRPERF			0xc00000e9
#define PPR_RAPL_PWR_UNIT		0xc0010299
#define PPR_PKG_ENERGY_STAT		0xc001029b

/* BKDG: Processor Power Reporting */
#define BKDG_CU_PWR_ACC			0xc001007a
#define BKDG_CU_MAX_PWR_ACC		0xc001007b
#define BKDG_PTSC			0xc0010280

/* APM 2: Instruction-Based Sampling; PPR: MSRC001_1030 to MSRC001_103D */
#define APM_IBS_FETCH_CTL		0xc0011030
#define APM_IBS_FETCH_LINAD		0xc0011031
#define APM_IBS_FETCH_PHYSAD		0xc0011032
#define APM_IBS_OP_CTL			0xc0011033
#define APM_IBS_OP_RIP			0xc0011034
#define APM_IBS_OP_DATA			0xc0011035
#define APM_IBS_OP_DATA2		0xc0011036
#define APM_IBS_OP_DATA3		0xc0011037
#define APM_IBS_DC_LINAD		0xc0011038
#define APM_IBS_DC_PHYSAD		0xc0011039
#define APM_IBS_CONTROL			0xc001103a
#define APM_BP_IBSTGT_RIP		0xc001103b
#define APM_IC_IBS_EXTD_CTL		0xc001103c
#define APM_IBS_OP_DATA4		0xc001103d
#define APM_FETCH_MAX_CNT		GENMASK_ULL(15, 0)
#define APM_FETCH_CNT			GENMASK_ULL(31, 16)
#define APM_FETCH_EN			BIT_ULL(48)
#define APM_FETCH_VAL			BIT_ULL(49)
#define APM_OP_MAX_CNT			GENMASK_ULL(15, 0)
#define APM_OP_EN			BIT_ULL(17)
#define APM_OP_VAL			BIT_ULL(18)
#define APM_OP_MAX_CNT_EXT		GENMASK_ULL(26, 20)
#define APM_OP_CUR_CNT			GENMASK_ULL(58, 32)
#define APM_DATA2_SRC_DRAM		3
#define APM_DATA3_LD_OP			BIT_ULL(0)
#define APM_DATA3_DC_MISS		BIT_ULL(7)
#define APM_DATA3_DC_LIN_VALID		BIT_ULL(17)
#define APM_DATA3_DC_PHY_VALID		BIT_ULL(18)
#define APM_DATA3_L2_MISS		BIT_ULL(20)
#define APM_DATA3_DC_MISS_LAT		GENMASK_ULL(47, 32)
#define APM_IBS_LVT_OFFSET_VAL		BIT_ULL(8)

/* IOMMU: registers of a counter, by offset */
#define IOMMU_COUNTER			0x00
#define IOMMU_COUNTER_SOURCE		0x08

#endif /* _PMU_EMULATOR_X86_MANUAL_H */
