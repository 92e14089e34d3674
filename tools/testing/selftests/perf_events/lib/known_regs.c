// SPDX-License-Identifier: GPL-2.0
#include "known_regs.h"
#include "perf_test.h"

#if defined(__x86_64__)

#define KNOWN_LOAD							\
	"	pushq %rbx\n"						\
	"	pushq %rbp\n"						\
	"	pushq %r12\n"						\
	"	pushq %r13\n"						\
	"	pushq %r14\n"						\
	"	pushq %r15\n"						\
	"	movq %rsp, known_saved_sp(%rip)\n"			\
	"	movq 0x08(%rdi), %rbx\n"				\
	"	movq 0x10(%rdi), %rcx\n"				\
	"	movq 0x18(%rdi), %rdx\n"				\
	"	movq 0x20(%rdi), %rsi\n"				\
	"	movq 0x30(%rdi), %rbp\n"				\
	"	movq 0x38(%rdi), %rsp\n"				\
	"	movq 0x80(%rdi), %r8\n"					\
	"	movq 0x88(%rdi), %r9\n"					\
	"	movq 0x90(%rdi), %r10\n"				\
	"	movq 0x98(%rdi), %r11\n"				\
	"	movq 0xa0(%rdi), %r12\n"				\
	"	movq 0xa8(%rdi), %r13\n"				\
	"	movq 0xb0(%rdi), %r14\n"				\
	"	movq 0xb8(%rdi), %r15\n"				\
	"	movq 0x00(%rdi), %rax\n"				\
	"	movq 0x28(%rdi), %rdi\n"

#define KNOWN_RESTORE							\
	"	movq known_saved_sp(%rip), %rsp\n"			\
	"	popq %r15\n"						\
	"	popq %r14\n"						\
	"	popq %r13\n"						\
	"	popq %r12\n"						\
	"	popq %rbp\n"						\
	"	popq %rbx\n"						\
	"	ret\n"

#define KNOWN_STORE_INSN	"	movb $1, (%rax)\n"

#define KNOWN_SYSCALL_INSN	"	syscall\n"

#elif defined(__aarch64__)

#define KNOWN_LOAD							\
	"	stp x29, x30, [sp, #-112]!\n"				\
	"	stp x19, x20, [sp, #16]\n"				\
	"	stp x21, x22, [sp, #32]\n"				\
	"	stp x23, x24, [sp, #48]\n"				\
	"	stp x25, x26, [sp, #64]\n"				\
	"	stp x27, x28, [sp, #80]\n"				\
	"	str x18, [sp, #96]\n"					\
	"	mov x2, sp\n"						\
	"	adrp x1, known_saved_sp\n"				\
	"	str x2, [x1, #:lo12:known_saved_sp]\n"			\
	"	ldr x1, [x0, #248]\n"					\
	"	mov sp, x1\n"						\
	"	ldr x1, [x0, #8]\n"					\
	"	ldp x2, x3, [x0, #16]\n"				\
	"	ldp x4, x5, [x0, #32]\n"				\
	"	ldp x6, x7, [x0, #48]\n"				\
	"	ldp x8, x9, [x0, #64]\n"				\
	"	ldp x10, x11, [x0, #80]\n"				\
	"	ldp x12, x13, [x0, #96]\n"				\
	"	ldp x14, x15, [x0, #112]\n"				\
	"	ldp x16, x17, [x0, #128]\n"				\
	"	ldp x18, x19, [x0, #144]\n"				\
	"	ldp x20, x21, [x0, #160]\n"				\
	"	ldp x22, x23, [x0, #176]\n"				\
	"	ldp x24, x25, [x0, #192]\n"				\
	"	ldp x26, x27, [x0, #208]\n"				\
	"	ldp x28, x29, [x0, #224]\n"				\
	"	ldr x30, [x0, #240]\n"					\
	"	ldr x0, [x0]\n"

#define KNOWN_RESTORE							\
	"	adrp x1, known_saved_sp\n"				\
	"	ldr x1, [x1, #:lo12:known_saved_sp]\n"			\
	"	mov sp, x1\n"						\
	"	ldp x19, x20, [sp, #16]\n"				\
	"	ldp x21, x22, [sp, #32]\n"				\
	"	ldp x23, x24, [sp, #48]\n"				\
	"	ldp x25, x26, [sp, #64]\n"				\
	"	ldp x27, x28, [sp, #80]\n"				\
	"	ldr x18, [sp, #96]\n"					\
	"	ldp x29, x30, [sp], #112\n"				\
	"	ret\n"

#define KNOWN_STORE_INSN	"	strb w1, [x1]\n"

#define KNOWN_SYSCALL_INSN	"	svc #0\n"

#elif defined(__riscv)

#define KNOWN_LOAD							\
	"	.option push\n"						\
	"	.option norelax\n"					\
	"	addi sp, sp, -128\n"					\
	"	sd ra, 0(sp)\n"						\
	"	sd gp, 8(sp)\n"						\
	"	sd tp, 16(sp)\n"					\
	"	sd s0, 24(sp)\n"					\
	"	sd s1, 32(sp)\n"					\
	"	sd s2, 40(sp)\n"					\
	"	sd s3, 48(sp)\n"					\
	"	sd s4, 56(sp)\n"					\
	"	sd s5, 64(sp)\n"					\
	"	sd s6, 72(sp)\n"					\
	"	sd s7, 80(sp)\n"					\
	"	sd s8, 88(sp)\n"					\
	"	sd s9, 96(sp)\n"					\
	"	sd s10, 104(sp)\n"					\
	"	sd s11, 112(sp)\n"					\
	"	la t0, known_saved_sp\n"				\
	"	sd sp, (t0)\n"						\
	"	ld x1, 8(a0)\n"						\
	"	ld x2, 16(a0)\n"					\
	"	ld x3, 24(a0)\n"					\
	"	ld x4, 32(a0)\n"					\
	"	ld x5, 40(a0)\n"					\
	"	ld x6, 48(a0)\n"					\
	"	ld x7, 56(a0)\n"					\
	"	ld x8, 64(a0)\n"					\
	"	ld x9, 72(a0)\n"					\
	"	ld x11, 88(a0)\n"					\
	"	ld x12, 96(a0)\n"					\
	"	ld x13, 104(a0)\n"					\
	"	ld x14, 112(a0)\n"					\
	"	ld x15, 120(a0)\n"					\
	"	ld x16, 128(a0)\n"					\
	"	ld x17, 136(a0)\n"					\
	"	ld x18, 144(a0)\n"					\
	"	ld x19, 152(a0)\n"					\
	"	ld x20, 160(a0)\n"					\
	"	ld x21, 168(a0)\n"					\
	"	ld x22, 176(a0)\n"					\
	"	ld x23, 184(a0)\n"					\
	"	ld x24, 192(a0)\n"					\
	"	ld x25, 200(a0)\n"					\
	"	ld x26, 208(a0)\n"					\
	"	ld x27, 216(a0)\n"					\
	"	ld x28, 224(a0)\n"					\
	"	ld x29, 232(a0)\n"					\
	"	ld x30, 240(a0)\n"					\
	"	ld x31, 248(a0)\n"					\
	"	ld a0, 80(a0)\n"

#define KNOWN_RESTORE							\
	"	la t0, known_saved_sp\n"				\
	"	ld sp, (t0)\n"						\
	"	ld ra, 0(sp)\n"						\
	"	ld gp, 8(sp)\n"						\
	"	ld tp, 16(sp)\n"					\
	"	ld s0, 24(sp)\n"					\
	"	ld s1, 32(sp)\n"					\
	"	ld s2, 40(sp)\n"					\
	"	ld s3, 48(sp)\n"					\
	"	ld s4, 56(sp)\n"					\
	"	ld s5, 64(sp)\n"					\
	"	ld s6, 72(sp)\n"					\
	"	ld s7, 80(sp)\n"					\
	"	ld s8, 88(sp)\n"					\
	"	ld s9, 96(sp)\n"					\
	"	ld s10, 104(sp)\n"					\
	"	ld s11, 112(sp)\n"					\
	"	addi sp, sp, 128\n"					\
	"	ret\n"							\
	"	.option pop\n"

#define KNOWN_STORE_INSN	"	sb a1, (a1)\n"

#define KNOWN_SYSCALL_INSN	"	ecall\n"

#elif defined(__powerpc64__)

#define SAVED	"13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

#define KNOWN_LOAD							\
	"	mflr 0\n"						\
	"	std 0, 16(1)\n"						\
	"	std 2, 24(1)\n"						\
	"	stdu 1, -288(1)\n"					\
	"	.irp r," SAVED "\n"					\
	"	std \\r, 8*\\r(1)\n"					\
	"	.endr\n"						\
	"	lis 4, known_saved_sp@ha\n"				\
	"	std 1, known_saved_sp@l(4)\n"				\
	"	.irp r,0,1,2,4,5,6,7,8,9,10,11,12," SAVED "\n"		\
	"	ld \\r, 8*\\r(3)\n"					\
	"	.endr\n"						\
	"	ld 3, 24(3)\n"

/* A failed system call sets the bit SO and returns a positive errno. */
#define KNOWN_RESTORE							\
	"	bns 1f\n"						\
	"	neg 3, 3\n"						\
	"1:	lis 4, known_saved_sp@ha\n"				\
	"	ld 1, known_saved_sp@l(4)\n"				\
	"	.irp r," SAVED "\n"					\
	"	ld \\r, 8*\\r(1)\n"					\
	"	.endr\n"						\
	"	addi 1, 1, 288\n"					\
	"	ld 2, 24(1)\n"						\
	"	ld 0, 16(1)\n"						\
	"	mtlr 0\n"						\
	"	blr\n"

#define KNOWN_STORE_INSN	"	stb 4, 0(4)\n"

#define KNOWN_SYSCALL_INSN	"	sc\n"

#elif defined(__s390x__)

#define KNOWN_LOAD							\
	"	stmg %r6, %r15, 48(%r15)\n"				\
	"	larl %r1, known_saved_sp\n"				\
	"	stg %r15, 0(%r1)\n"					\
	"	lmg %r3, %r15, 24(%r2)\n"				\
	"	lmg %r0, %r1, 0(%r2)\n"					\
	"	lg %r2, 16(%r2)\n"

#define KNOWN_RESTORE							\
	"	larl %r1, known_saved_sp\n"				\
	"	lg %r15, 0(%r1)\n"					\
	"	lmg %r6, %r15, 48(%r15)\n"				\
	"	br %r14\n"

#define KNOWN_STORE_INSN	"	mvi 0(%r1), 1\n"

#define KNOWN_SYSCALL_INSN	"	svc 0\n"

#endif

asm(".pushsection .bss\n"
	"	.balign 8\n"
	"known_saved_sp:\n"
	"	.zero 8\n"
	"	.popsection\n"
	"	.pushsection .text\n"
	"	.balign 16\n"
	"	.globl known_store, known_store_ip\n"
	"	.type known_store, STT_FUNC\n"
	"known_store:\n"
		KNOWN_LOAD
	"known_store_ip:\n"
		KNOWN_STORE_INSN
		KNOWN_RESTORE
	"	.size known_store, . - known_store\n"
	"	.globl known_syscall, known_syscall_ip\n"
	"	.type known_syscall, STT_FUNC\n"
	"known_syscall:\n"
		KNOWN_LOAD
		KNOWN_SYSCALL_INSN
	"known_syscall_ip:\n"
		KNOWN_RESTORE
	"	.size known_syscall, . - known_syscall\n"
	"	.popsection\n");

/**
 * known_regs_fill() - Choose a value for each register, all of them different
 * @regs: Where the values go.
 * @stack_top: The stack pointer. The frame pointer is 0.
 */
void known_regs_fill(unsigned long *regs, void *stack_top)
{
	int i;

	for (i = 0; i < KNOWN_NR; i++)
		regs[i] = 0x1111000000000000UL + i * 0x0001000100010001UL;
	regs[KNOWN_SP] = (unsigned long)stack_top;
	regs[KNOWN_FP] = 0;
#if defined(__riscv)
	/* else the unwinder takes it for the first return address */
	regs[PERF_REG_RISCV_RA] = 0;
#endif
}

/**
 * known_store_sampled() - Do a known_store() that faults while an event is enabled
 * @l: Where the event is opened.
 * @attr: Attributes of the event, which is disabled.
 * @regs: The registers. The address of the store is set here.
 *
 * Return: 0, or a negative errno.
 */
int known_store_sampled(struct perf_listener *l, struct perf_event_attr attr,
			unsigned long *regs)
{
	char *fresh = map_fresh_pages(1);
	int ret;

	if (!fresh)
		return -ENOMEM;
	ret = perf_listen_self(l, attr);
	if (ret)
		return ret;
	regs[KNOWN_STORE_REG] = (unsigned long)fresh;
	ret = perf_enable(l->fd);
	known_store(regs);
	ret = ret ?: perf_disable(l->fd);
	munmap(fresh, page_size);
	return ret;
}
