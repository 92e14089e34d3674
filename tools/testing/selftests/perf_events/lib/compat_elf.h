/* SPDX-License-Identifier: GPL-2.0 */
/*
 * 32-bit programs of a few instructions, so that a compat task can be sampled without a 32-bit
 * compiler. One sets a register and a call chain of one frame, writes far below its stack pointer,
 * which faults at a known instruction, and exits with 0. The other one, of arm64, makes accesses
 * that the kernel completes.
 */
#ifndef PERF_TEST_COMPAT_ELF_H
#define PERF_TEST_COMPAT_ELF_H

#include <elf.h>
#include <stddef.h>

#include "listen.h"

#define COMPAT_BASE	0x08048000U
#define COMPAT_MARK	0x11223344U	/* in a register when it faults */
#define COMPAT_RETURN	0x12345678U	/* the chain's only return address */
#define COMPAT_MISSING	100		/* status without 32-bit tasks */
#define COMPAT_TIMES	5		/* accesses that the kernel completes */

struct compat_elf {
	Elf32_Ehdr ehdr;
	Elf32_Phdr phdr;
	unsigned char code[64];
};

#if defined(__x86_64__)

#define COMPAT_MARK_REG		PERF_REG_X86_AX
#define COMPAT_FAULT_OFFSET	16
#define COMPAT_RETURN_WORD	1	/* of the stack */

#elif defined(__aarch64__)

#define COMPAT_MARK_REG		PERF_REG_ARM64_X4
#define COMPAT_FAULT_OFFSET	32
#define COMPAT_RETURN_WORD	2

#else	/* no program, and no test beyond COMPAT_MISSING */

#define COMPAT_MARK_REG		0
#define COMPAT_FAULT_OFFSET	0
#define COMPAT_RETURN_WORD	0

#endif

/* The addresses of the program's code and of the instruction that faults. */
#define COMPAT_ENTRY	(COMPAT_BASE + offsetof(struct compat_elf, code))
#define COMPAT_FAULT_IP	(COMPAT_ENTRY + COMPAT_FAULT_OFFSET)

int compat_elf_sampled(struct perf_listener *l, struct perf_event_attr attr);
int compat_elf_completed(__u64 *count);

#endif /* PERF_TEST_COMPAT_ELF_H */
