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
