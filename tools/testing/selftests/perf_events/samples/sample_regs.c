// SPDX-License-Identifier: GPL-2.0
/*
 * REGS_USER and REGS_INTR: every register, compared with its known value. STACK_USER:
 * the readable part of the stack, compared with the stack. Of tasks in user mode, in
 * system calls, of kernel threads and of 32-bit programs.
 */
#include <dirent.h>

#include "../lib/compat_elf.h"
#include "../lib/harness.h"
#include "../lib/known_regs.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define STACK_PAGES	32
#define STACK_MARK	0x5ca1ab1e00000000ULL

FIXTURE(regs)
{
	struct perf_listener l;
	unsigned long regs[KNOWN_NR];
	size_t page;
	__u64 *stack;		/* its lowest word, */
	__u64 *stack_end;	/* the end, behind which no page is readable */
};

FIXTURE_SETUP(regs)
{
	char *map;
	int i;

	self->page = sysconf(_SC_PAGESIZE);
	map = map_fresh_pages(STACK_PAGES + 1);
	ASSERT_NE(NULL, map);
	ASSERT_EQ(0, mprotect(map + STACK_PAGES * self->page, self->page,
			      PROT_NONE));
	self->stack = (__u64 *)map;
	self->stack_end = (__u64 *)(map + STACK_PAGES * self->page);
	for (i = 0; self->stack + i < self->stack_end; i++)
		self->stack[i] = STACK_MARK + i;
	known_regs_fill(self->regs, self->stack + 100);
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(regs)
{
}

static struct perf_event_attr fault_attr(__u64 type)
{
	return PERF_SAMPLED(PAGE_FAULTS, type, .exclude_kernel = 1,
			    .sample_regs_user = KNOWN_ALL,
			    .sample_regs_intr = KNOWN_ALL,
			    .sample_stack_user = 1024);
}

/* Cause a sample of a store to a fresh page with the registers of the fixture. */
static void sample_store(struct __test_metadata *_metadata,
			 struct _test_data_regs *self,
			 struct perf_event_attr attr)
{
	ASSERT_EQ(0, known_store_sampled(&self->l, attr, self->regs));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Registers */

/* The value of a register at known_store_ip. Returns false if it is not known. */
static bool known_value(struct _test_data_regs *self, int reg, __u64 *value)
{
	if (reg == KNOWN_IP)
		*value = (unsigned long)known_store_ip;
	else if (KNOWN_LOADED & (1ULL << reg))
		*value = self->regs[reg];
	else
		return false;
	return true;
}

TEST_F(regs, each_register_alone)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_REGS_USER |
						 PERF_SAMPLE_REGS_INTR);
	__u64 value;
	int reg;

	for (reg = 0; reg < KNOWN_NR; reg++) {
		if (!(KNOWN_ALL & (1ULL << reg)))
			continue;
		attr.sample_regs_user = 1ULL << reg;
		attr.sample_regs_intr = 1ULL << reg;
		sample_store(_metadata, self, attr);
		EXPECT_EQ(8 + 16 + 16, self->l.header->size);
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, self->l.rec.regs_user_abi);
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, self->l.rec.regs_intr_abi);
		EXPECT_EQ(self->l.rec.regs_user[0], self->l.rec.regs_intr[0]);
		if (known_value(self, reg, &value))
			EXPECT_EQ(value, self->l.rec.regs_user[0]) {
				TH_LOG("register %d", reg);
			}
	}
}

TEST_F(regs, different_masks)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_REGS_USER |
						 PERF_SAMPLE_REGS_INTR);

	attr.sample_regs_intr = 1ULL << KNOWN_IP | 1ULL << KNOWN_SP;
	sample_store(_metadata, self, attr);
	EXPECT_EQ(8 + 8 + 8 * __builtin_popcountll(KNOWN_ALL) + 8 + 16,
		  self->l.header->size);
}

#if defined(__x86_64__)
static void check_special_registers(struct __test_metadata *_metadata,
				    const __u64 *value)
{
	/* The bit that is always set, and the interrupt flag. */
	EXPECT_EQ(0x202, value[PERF_REG_X86_FLAGS] & 0x202);
	EXPECT_EQ(0x33, value[PERF_REG_X86_CS]);
	EXPECT_EQ(0x2b, value[PERF_REG_X86_SS]);
}
#else
static void check_special_registers(struct __test_metadata *_metadata,
				    const __u64 *value)
{
	EXPECT_EQ((unsigned long)known_store_ip, value[KNOWN_IP]);
}
#endif

TEST_F(regs, special_registers)
{
	sample_store(_metadata, self, fault_attr(PERF_SAMPLE_REGS_USER));
	/* No gaps up to the last of these registers. */
	check_special_registers(_metadata, self->l.rec.regs_user);
}

/*
 * In a system call the CPU is in the kernel, and the task still has the registers that
 * it entered with.
 */
static bool sample_in_syscall(struct __test_metadata *_metadata,
			      struct _test_data_regs *self, __u64 type)
{
	static const char name[16] = "known";
	long id = tracepoint_id("task/task_rename");
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
		.sample_period = 1, .sample_type = type,
		.sample_regs_user = KNOWN_ALL, .sample_stack_user = 1024,
		.sample_regs_intr = 1ULL << KNOWN_IP | 1ULL << KNOWN_SP);

	if (id < 0)
		SKIP(return false, "no tracepoints");
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	self->regs[KNOWN_NR_REG] = __NR_prctl;
	self->regs[KNOWN_ARG0_REG] = PR_SET_NAME;
	self->regs[KNOWN_ARG1_REG] = (unsigned long)name;
	EXPECT_EQ(0, known_syscall(self->regs));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return true;
}

TEST_F(regs, user_registers_in_syscall)
{
	int reg, nr = 0;
	__u64 value;

	if (!sample_in_syscall(_metadata, self, PERF_SAMPLE_REGS_USER))
		return;
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, self->l.rec.regs_user_abi);
	for (reg = 0; reg < KNOWN_NR; reg++) {
		if (!(KNOWN_ALL & (1ULL << reg)))
			continue;
		value = self->l.rec.regs_user[nr++];
		if (reg == KNOWN_IP)
			EXPECT_EQ((unsigned long)known_syscall_ip, value);
		if (reg == KNOWN_NR_REG || !(KNOWN_KEPT & (1ULL << reg)))
			continue;
		EXPECT_EQ(self->regs[reg], value) {
			TH_LOG("register %d", reg);
		}
	}
}

TEST_F(regs, intr_registers_in_syscall)
{
	if (!sample_in_syscall(_metadata, self, PERF_SAMPLE_REGS_INTR |
			       PERF_SAMPLE_IP))
		return;
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, self->l.rec.regs_intr_abi);
	EXPECT_TRUE(is_kernel_address(self->l.rec.regs_intr[0]));
	EXPECT_TRUE(is_kernel_address(self->l.rec.regs_intr[1]));
	EXPECT_EQ(self->l.rec.ip,
		  self->l.rec.regs_intr[KNOWN_SP < KNOWN_IP]);
}

/* The registers of a system call's own tracepoints are the task's at its entry. */
TEST_F(regs, intr_registers_at_syscall_entry)
{
	long id = tracepoint_id("syscalls/sys_enter_umask");
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
		.sample_period = 1, .sample_type = PERF_SAMPLE_REGS_INTR |
		PERF_SAMPLE_IP, .sample_regs_intr = 1ULL << KNOWN_IP);

	if (id < 0)
		SKIP(return, "no tracepoints of system calls");
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	self->regs[KNOWN_NR_REG] = __NR_umask;
	self->regs[KNOWN_ARG0_REG] = 022;
	known_syscall(self->regs);
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(PERF_RECORD_MISC_USER, self->l.header->misc);
	EXPECT_EQ((unsigned long)known_syscall_ip, self->l.rec.ip);
	EXPECT_EQ((unsigned long)known_syscall_ip, self->l.rec.regs_intr[0]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Stack */

/*
 * The number of bytes by which stack_valid may fall short where the stack ends. Not
 * every architecture copies by bytes.
 */
#if defined(__x86_64__)
#define STACK_SLACK	0
#else
#define STACK_SLACK	64
#endif

static void check_stack(struct __test_metadata *_metadata,
			struct _test_data_regs *self, size_t at, size_t valid)
{
	const __u64 *copy = self->l.rec.stack;
	size_t i;

	EXPECT_GE(valid, self->l.rec.stack_valid) {
		TH_LOG("from word %zu", at);
	}
	if (valid == self->l.attr.sample_stack_user)
		EXPECT_EQ(valid, self->l.rec.stack_valid);
	EXPECT_LE(valid, self->l.rec.stack_valid + STACK_SLACK) {
		TH_LOG("from word %zu", at);
	}
	for (i = 0; i < self->l.rec.stack_valid / 8; i++)
		ASSERT_EQ(STACK_MARK + at + i, copy[i]);
}

TEST_F(regs, stack_sizes)
{
	static const unsigned int sizes[] = {
		8, 16, 64, 1000, 4096, 8192, 8200, 32768, 60000, 65000,
	};
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		attr.sample_stack_user = sizes[i];
		sample_store(_metadata, self, attr);
		EXPECT_EQ(8 + 8 + sizes[i] + 8, self->l.header->size);
		EXPECT_EQ(sizes[i], self->l.rec.stack_size);
		check_stack(_metadata, self, 100, sizes[i]);
	}
}

/* A size of 0: the record has the size, and no stack. */
TEST_F(regs, stack_size_0)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER);

	attr.sample_stack_user = 0;
	sample_store(_metadata, self, attr);
	EXPECT_EQ(8 + 8, self->l.header->size);
	EXPECT_EQ(0, self->l.rec.stack_size);
}

/* A record's size has 16 bits: the stack is truncated. */
TEST_F(regs, stack_in_largest_record)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER |
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);

	/* There the size wraps. */
	SKIP_STOCK_FAULT(true, "a size of more than 16 bits");
	attr.sample_stack_user = 65528;
	sample_store(_metadata, self, attr);
	EXPECT_LT(65000, self->l.header->size);
	EXPECT_GT(65528, self->l.rec.stack_size);
	EXPECT_LT(64000, self->l.rec.stack_size);
	check_stack(_metadata, self, 100, self->l.rec.stack_size);
}

/* The stack ends before the requested size: only the bytes up to there are valid. */
TEST_F(regs, stack_ends)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER);
	static const size_t words[] = { 0, 1, 2, 100, 127, 128, 129 };
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		at = self->stack_end - self->stack - words[i];
		self->regs[KNOWN_SP] = (unsigned long)(self->stack + at);
		sample_store(_metadata, self, attr);
		EXPECT_EQ(1024, self->l.rec.stack_size);
		check_stack(_metadata, self, at,
			    words[i] > 128 ? 1024 : words[i] * 8);
	}
}

/* Stack pointers to nowhere, into the kernel, or near the end of the address space. */
TEST_F(regs, stack_pointer_is_wrong)
{
	static const unsigned long wrong[] = {
		0, 8, 0x1000, 0x7ffffffff000, 0x7ffffffffff8, 0x800000000000,
		0xfffffffffff8, 0x1000000000000, 0x8000000000000000,
		0xffff800000000000, 0xffff888000000000, 0xffffffff81000000,
		0xffffffffffffffff & ~15UL,
	};
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER |
						 PERF_SAMPLE_REGS_USER);
	size_t i;

	attr.sample_regs_user = 1ULL << KNOWN_SP;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		self->regs[KNOWN_SP] = wrong[i];
		sample_store(_metadata, self, attr);
		EXPECT_EQ(wrong[i], self->l.rec.regs_user[0]);
		EXPECT_EQ(0, self->l.rec.stack_valid) {
			TH_LOG("sp %#lx", wrong[i]);
		}
	}
}

/* A sample does not bring in a page that is not resident. */
TEST_F(regs, stack_not_resident)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_STACK_USER);
	char *pages = map_fresh_pages(2);
	unsigned char there[2];

	ASSERT_NE(NULL, pages);
	pages[0] = 1;
	self->regs[KNOWN_SP] = (unsigned long)pages + self->page - 64;
	sample_store(_metadata, self, attr);
	EXPECT_GE(64, self->l.rec.stack_valid);
	EXPECT_LE(64, self->l.rec.stack_valid + STACK_SLACK);
	ASSERT_EQ(0, mincore(pages, 2 * self->page, there));
	EXPECT_EQ(1, there[0] & 1);
	EXPECT_EQ(0, there[1] & 1);
}

TEST_F(regs, stack_in_syscall)
{
	if (!sample_in_syscall(_metadata, self, PERF_SAMPLE_STACK_USER))
		return;
	EXPECT_EQ(1024, self->l.rec.stack_size);
	check_stack(_metadata, self, 100, 1024);
}

/* Kernel threads have no registers and no stack in user mode. */

/* The thread of a name, or -1. */
static pid_t find_thread(const char *name)
{
	DIR *proc = opendir("/proc");
	char path[300], comm[64];
	struct dirent *entry;
	pid_t found = -1;

	while (proc && found < 0 && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (file_read(path, comm, sizeof(comm)) <= 0)
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		if (!strcmp(comm, name))
			found = atoi(entry->d_name);
	}
	if (proc)
		closedir(proc);
	return found;
}

TEST_F(regs, kernel_thread)
{
	int here = nth_cpu(0), there = nth_cpu(1), nr = 0, i;
	struct perf_event_attr attr = PERF_SAMPLED(CONTEXT_SWITCHES,
		PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR,
		.sample_regs_user = KNOWN_ALL, .sample_stack_user = 1024,
		.sample_regs_intr = 1ULL << KNOWN_IP);
	char name[32];
	pid_t tid;

	/* This thread moves a running task to another CPU. */
	snprintf(name, sizeof(name), "migration/%d", here);
	tid = find_thread(name);
	if (there < 0 || tid < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, here));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pin_to_cpu(here));
		ASSERT_EQ(0, pin_to_cpu(there));
	}
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		EXPECT_NE(PERF_SAMPLE_REGS_ABI_NONE, self->l.rec.regs_intr_abi);
		if (self->l.rec.tid != tid)
			continue;
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_NONE, self->l.rec.regs_user_abi);
		EXPECT_EQ(0, self->l.rec.stack_size);
		EXPECT_EQ(8 + 8 + 8 + 8 + 16, self->l.header->size);
		nr++;
	}
	EXPECT_LE(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A 32-bit program */

TEST_F(regs, compat_task)
{
	struct perf_event_attr attr = fault_attr(PERF_SAMPLE_IP |
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	int status, nr = 0;

	attr.sample_regs_user = 1ULL << COMPAT_MARK_REG | 1ULL << KNOWN_SP |
				1ULL << KNOWN_IP;
	status = compat_elf_sampled(&self->l, attr);
	if (status == COMPAT_MISSING)
		SKIP(return, "no 32-bit programs on this machine");
	ASSERT_EQ(0, status);
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		const __u64 *regs = self->l.rec.regs_user;
		const __u32 *stack = self->l.rec.stack;
		bool sp_first = KNOWN_SP < KNOWN_IP;

		if (self->l.rec.ip != COMPAT_FAULT_IP)
			continue;
		nr++;
		EXPECT_EQ(PERF_SAMPLE_REGS_ABI_32, self->l.rec.regs_user_abi);
		EXPECT_EQ(COMPAT_MARK, regs[0]);
		EXPECT_GT(1ULL << 32, regs[1 + !sp_first]);
		EXPECT_EQ(COMPAT_FAULT_IP, regs[1 + sp_first]);
		/* Less than requested: it is close to the end of the stack. */
		EXPECT_LE(8, self->l.rec.stack_valid);
		EXPECT_EQ(0, stack[0]);
		EXPECT_EQ(COMPAT_RETURN, stack[COMPAT_RETURN_WORD]);
	}
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
