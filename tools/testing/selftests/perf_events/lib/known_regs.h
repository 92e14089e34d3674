/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that runs with known values in all registers, the stack and frame pointers
 * included, so that a sample taken there can be compared with them.
 *
 * regs[] is indexed by the numbers of asm/perf_regs.h; ip and flags are not loaded. No
 * signal may be delivered meanwhile, as there may be no stack. For programs of one
 * thread.
 */
#ifndef PERF_TEST_KNOWN_REGS_H
#define PERF_TEST_KNOWN_REGS_H

#include <asm/perf_regs.h>

#include "listen.h"

#if defined(__x86_64__)

#define KNOWN_NR	PERF_REG_X86_64_MAX
#define KNOWN_SP	PERF_REG_X86_SP
#define KNOWN_IP	PERF_REG_X86_IP
#define KNOWN_FP	PERF_REG_X86_BP
#define KNOWN_STORE_REG	PERF_REG_X86_AX
#define KNOWN_NR_REG	PERF_REG_X86_AX		/* number of the system call */
#define KNOWN_ARG0_REG	PERF_REG_X86_DI
#define KNOWN_ARG1_REG	PERF_REG_X86_SI

/* All registers; there are no DS, ES, FS and GS in 64-bit mode. */
#define KNOWN_ALL	0xff0fffULL

/* The registers that known_store() loads. */
#define KNOWN_LOADED	(KNOWN_ALL & ~(1ULL << PERF_REG_X86_IP |	\
				       1ULL << PERF_REG_X86_FLAGS |	\
				       1ULL << PERF_REG_X86_CS |	\
				       1ULL << PERF_REG_X86_SS))

/* The registers that the system call instruction does not change. */
#define KNOWN_KEPT	(KNOWN_LOADED & ~(1ULL << PERF_REG_X86_CX |	\
					  1ULL << PERF_REG_X86_R11))

#elif defined(__aarch64__)

#define KNOWN_NR	PERF_REG_ARM64_MAX
#define KNOWN_SP	PERF_REG_ARM64_SP
#define KNOWN_IP	PERF_REG_ARM64_PC
#define KNOWN_FP	PERF_REG_ARM64_X29
#define KNOWN_STORE_REG	PERF_REG_ARM64_X1
#define KNOWN_NR_REG	PERF_REG_ARM64_X8
#define KNOWN_ARG0_REG	PERF_REG_ARM64_X0
#define KNOWN_ARG1_REG	PERF_REG_ARM64_X1

#define KNOWN_ALL	((1ULL << PERF_REG_ARM64_MAX) - 1)
#define KNOWN_LOADED	(KNOWN_ALL & ~(1ULL << PERF_REG_ARM64_PC))
#define KNOWN_KEPT	KNOWN_LOADED

#elif defined(__riscv)

#define KNOWN_NR	PERF_REG_RISCV_MAX
#define KNOWN_SP	PERF_REG_RISCV_SP
#define KNOWN_IP	PERF_REG_RISCV_PC
#define KNOWN_FP	PERF_REG_RISCV_S0
#define KNOWN_STORE_REG	PERF_REG_RISCV_A1
#define KNOWN_NR_REG	PERF_REG_RISCV_A7
#define KNOWN_ARG0_REG	PERF_REG_RISCV_A0
#define KNOWN_ARG1_REG	PERF_REG_RISCV_A1

#define KNOWN_ALL	((1ULL << PERF_REG_RISCV_MAX) - 1)
#define KNOWN_LOADED	(KNOWN_ALL & ~(1ULL << PERF_REG_RISCV_PC))

/* a0 is the result as soon as the kernel is entered. */
#define KNOWN_KEPT	(KNOWN_LOADED & ~(1ULL << PERF_REG_RISCV_A0))

#elif defined(__powerpc64__)

/* The registers of user mode and of perf's own interface, without the extended ones. */
#define KNOWN_NR	PERF_REG_POWERPC_MAX
#define KNOWN_SP	PERF_REG_POWERPC_R1
#define KNOWN_IP	PERF_REG_POWERPC_NIP
#define KNOWN_FP	PERF_REG_POWERPC_R31	/* not used by the unwinder */
#define KNOWN_STORE_REG	PERF_REG_POWERPC_R4
#define KNOWN_NR_REG	PERF_REG_POWERPC_R0
#define KNOWN_ARG0_REG	PERF_REG_POWERPC_R3
#define KNOWN_ARG1_REG	PERF_REG_POWERPC_R4

#define KNOWN_ALL	((2ULL << PERF_REG_POWERPC_NIP) - 1)
#define KNOWN_LOADED	(KNOWN_ALL & ~(1ULL << PERF_REG_POWERPC_NIP))

/* The kernel does not save the registers that a system call may change. */
#define KNOWN_KEPT	(KNOWN_LOADED & ~(1ULL << PERF_REG_POWERPC_R9 |	\
					  1ULL << PERF_REG_POWERPC_R10 |	\
					  1ULL << PERF_REG_POWERPC_R11 |	\
					  1ULL << PERF_REG_POWERPC_R12))

#elif defined(__s390x__)

/* without the floating point registers and the mask */
#define KNOWN_NR	PERF_REG_S390_MAX
#define KNOWN_SP	PERF_REG_S390_R15
#define KNOWN_IP	PERF_REG_S390_PC
#define KNOWN_FP	PERF_REG_S390_R11	/* not used by the unwinder */
#define KNOWN_STORE_REG	PERF_REG_S390_R1
#define KNOWN_NR_REG	PERF_REG_S390_R1
#define KNOWN_ARG0_REG	PERF_REG_S390_R2
#define KNOWN_ARG1_REG	PERF_REG_S390_R3

#define KNOWN_LOADED	((1ULL << PERF_REG_S390_FP0) - 1)
#define KNOWN_ALL	(KNOWN_LOADED | 1ULL << PERF_REG_S390_PC)
#define KNOWN_KEPT	KNOWN_LOADED

#endif

/*
 * The frame pointer of a frame whose record, a next frame pointer and a return address, is at
 * this address.
 */
#if defined(__riscv)
#define KNOWN_FRAME(_record)	((unsigned long)(_record) + 16)
#else
#define KNOWN_FRAME(_record)	((unsigned long)(_record))
#endif

/* The storing instruction, and the instruction behind the system call. */
extern const char known_store_ip[], known_syscall_ip[];

/* Write a byte to the address in KNOWN_STORE_REG. */
void known_store(const unsigned long *regs);
/* Do a system call and return its result. */
long known_syscall(const unsigned long *regs);
int known_store_sampled(struct perf_listener *l, struct perf_event_attr attr,
			unsigned long *regs);
void known_regs_fill(unsigned long *regs, void *stack_top);

#endif /* PERF_TEST_KNOWN_REGS_H */
