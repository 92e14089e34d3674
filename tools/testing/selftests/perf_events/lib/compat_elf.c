// SPDX-License-Identifier: GPL-2.0
#include "compat_elf.h"
#include "perf_test.h"

#if defined(__x86_64__)

#define COMPAT_MACHINE		EM_386
#define COMPAT_EFLAGS		0

static const unsigned char compat_code[] = {
	0xb8, 0x44, 0x33, 0x22, 0x11,			/* mov mark, %eax */
	0x68, 0x78, 0x56, 0x34, 0x12,			/* push return */
	0x6a, 0x00,					/* push $0 */
	0x89, 0xe5,					/* mov %esp, %ebp */
	0x90, 0x90,					/* nop, nop */
	0x89, 0x84, 0x24, 0x00, 0x80, 0xff, 0xff,	/* mov %eax, -32k(%esp) */
	0xb8, 0x01, 0x00, 0x00, 0x00,			/* mov $1, %eax */
	0x31, 0xdb,					/* xor %ebx, %ebx */
	0xcd, 0x80,					/* int $0x80 */
};

#elif defined(__aarch64__)

#define COMPAT_MACHINE		EM_ARM
#define COMPAT_EFLAGS		EF_ARM_EABI_VER5

static const unsigned int compat_code[] = {
	0xe59f4028,	/* ldr r4, [pc, #40]: mark */
	0xe59f5028,	/* ldr r5, [pc, #40]: return */
	0xe52d5004,	/* push {r5}: a frame is fp, sp, lr */
	0xe3a05000,	/* mov r5, #0 */
	0xe52d5004,	/* push {r5} */
	0xe52d5004,	/* push {r5} */
	0xe28db00c,	/* add fp, sp, #12: right behind it */
	0xe24d0902,	/* sub r0, sp, #32k */
	0xe5804000,	/* str r4, [r0] */
	0xe3a00000,	/* mov r0, #0 */
	0xe3a07001,	/* mov r7, #1 */
	0xef000000,	/* svc #0 */
	COMPAT_MARK,
	COMPAT_RETURN,
};

/* LDM needs an aligned address. */
static const unsigned int completed_code[] = {
	0xe3a06000 + COMPAT_TIMES,	/* mov r6, #times */
	0xe28d0001,	/* add r0, sp, #1 */
	0xe8900006,	/* ldm r0, {r1, r2} */
	0xe2566001,	/* subs r6, r6, #1 */
	0x1afffffb,	/* bne to the second instruction */
	0xe3a00000,	/* mov r0, #0 */
	0xe3a07001,	/* mov r7, #1 */
	0xef000000,	/* svc #0 */
};

#endif

#ifdef COMPAT_MACHINE
static void compat_elf_fill(struct compat_elf *elf, const void *code, size_t size)
{
	memset(elf, 0, sizeof(*elf));
	memcpy(elf->ehdr.e_ident, ELFMAG, SELFMAG);
	elf->ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	elf->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	elf->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	elf->ehdr.e_type = ET_EXEC;
	elf->ehdr.e_machine = COMPAT_MACHINE;
	elf->ehdr.e_version = EV_CURRENT;
	elf->ehdr.e_flags = COMPAT_EFLAGS;
	elf->ehdr.e_entry = COMPAT_ENTRY;
	elf->ehdr.e_phoff = offsetof(struct compat_elf, phdr);
	elf->ehdr.e_ehsize = sizeof(elf->ehdr);
	elf->ehdr.e_phentsize = sizeof(elf->phdr);
	elf->ehdr.e_phnum = 1;
	elf->phdr.p_type = PT_LOAD;
	elf->phdr.p_vaddr = COMPAT_BASE;
	elf->phdr.p_filesz = sizeof(*elf);
	elf->phdr.p_memsz = sizeof(*elf);
	elf->phdr.p_flags = PF_R | PF_X;
	elf->phdr.p_align = 4096;
	memcpy(elf->code, code, size);
}

/* Exec the program. Returns only if the machine has no 32-bit tasks. */
static void compat_elf_exec(const void *code, size_t size)
{
	char name[] = "compat";
	char *const argv[] = { name, NULL }, *const envp[] = { NULL };
	int fd = memfd_create("compat", MFD_CLOEXEC);
	struct compat_elf elf;

	compat_elf_fill(&elf, code, size);
	if (fd >= 0 && write(fd, &elf, sizeof(elf)) == sizeof(elf))
		fexecve(fd, argv, envp);
}
#else
static const unsigned int compat_code[1];

static void compat_elf_exec(const void *code, size_t size)
{
}
#endif

/**
 * compat_elf_sampled() - Run the program in a child with an event
 * @l: Where the event is opened.
 * @attr: Attributes of the event, which the exec enables.
 *
 * Return: 0, COMPAT_MISSING if the machine has no 32-bit tasks, another status of the
 * child, or a negative errno.
 */
int compat_elf_sampled(struct perf_listener *l, struct perf_event_attr attr)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int ret;

	if (pid == 0) {
		gate_wait(&go);
		compat_elf_exec(compat_code, sizeof(compat_code));
		_exit(COMPAT_MISSING);
	}
	attr.enable_on_exec = 1;
	ret = perf_listen(l, attr, pid, -1);
	if (ret) {
		kill_child(pid);
		return ret;
	}
	gate_open(&go);
	return wait_status(pid);
}

/**
 * compat_elf_completed() - Run a program with accesses that the kernel completes
 * @count: The count of PERF_COUNT_SW_ALIGNMENT_FAULTS.
 *
 * Return: 0, COMPAT_MISSING if the machine has no such program, another status of the child, or a
 * negative errno.
 */
int compat_elf_completed(__u64 *count)
{
#ifdef __aarch64__
	struct perf_event_attr attr = PERF_SW(ALIGNMENT_FAULTS, .disabled = 1, .enable_on_exec = 1,
					      .exclude_kernel = 1);
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int fd, ret;

	if (pid == 0) {
		gate_wait(&go);
		compat_elf_exec(completed_code, sizeof(completed_code));
		_exit(COMPAT_MISSING);
	}
	fd = perf_open(attr, pid, -1, -1);
	if (fd < 0) {
		kill_child(pid);
		return fd;
	}
	gate_open(&go);
	ret = wait_status(pid);
	*count = perf_count(fd);
	close(fd);
	return ret;
#else
	return COMPAT_MISSING;
#endif
}
