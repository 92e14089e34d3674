// SPDX-License-Identifier: GPL-2.0
/*
 * What events tell an ordinary user at perf_event_paranoid 2: no address of the kernel, and
 * nothing about the events of another user. Each search is also made where it must find
 * something, as root.
 */
#include <dirent.h>

#include "../lib/bpf.h"
#include "../lib/harness.h"
#include "../lib/known_regs.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define REFUSAL		"/proc/self/perf_event_refusal"

/* Markers in callchains and small negative numbers are at the end of the address space. */
#define NO_ADDRESS	(-4096ULL)

/* Fields that an ordinary user may have, but for the dump of the user's stack. */
#define USER_FIELDS	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |	\
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | \
			 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_REGS_USER |	\
			 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_WEIGHT |		\
			 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER |	\
			 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CGROUP |		\
			 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

#define REG_IP		(1ULL << KNOWN_IP)

FIXTURE(leaks)
{
	long paranoid;
};

FIXTURE_SETUP(leaks)
{
	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
}

/* A failed ASSERT, or a gate that never opens, ends the test's process. */
FIXTURE_TEARDOWN_PARENT(leaks)
{
	file_write_long(PARANOID, self->paranoid);
}

static int addresses_in(const void *from, size_t bytes)
{
	const __u64 *word = from;
	size_t i;
	int nr = 0;

	for (i = 0; i < bytes / sizeof(*word); i++)
		nr += (__s64)word[i] < 0 && word[i] < NO_ADDRESS;
	return nr;
}

/* All of the control page but time_offset and time_zero, which may be negative. */
static int addresses_in_page(const struct perf_event_mmap_page *page)
{
	struct perf_event_mmap_page copy = *page;

	copy.time_offset = 0;
	copy.time_zero = 0;
	return addresses_in(&copy, sizeof(copy)) +
	       addresses_in(page + 1, page_size - sizeof(copy));
}

/* Faults of the kernel, which copies to pages that are not there. Return: 0 or -1. */
static int fault_in_kernel(size_t pages)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *p = map_fresh_pages(pages);
	size_t i;

	if (fd < 0 || !p)
		return -1;
	for (i = 0; i < pages; i++)
		if (read(fd, p + i * page_size, 1) != 1)
			return -1;
	munmap(p, pages * page_size);
	close(fd);
	return 0;
}

/* Sample faults, switches and the clock. Return: the words that are kernel addresses. */
static int sampled_addresses(bool with_kernel)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_TASK_CLOCK,
	};
	struct perf_event_attr attr = PERF_SW(DUMMY,
		.sample_period = 1, .sample_type = USER_FIELDS, .sample_id_all = 1,
		.sample_regs_user = REG_IP, .sample_regs_intr = REG_IP,
		.exclude_kernel = !with_kernel, .exclude_hv = 1,
		.exclude_callchain_kernel = !with_kernel,
		.mmap = 1, .mmap2 = 1, .comm = 1, .task = 1, .context_switch = 1);
	struct perf_listener l;
	int nr = 0, samples = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		attr.config = configs[i];
		attr.sample_period = configs[i] == PERF_COUNT_SW_TASK_CLOCK ? 100000 : 1;
		if (perf_listen_self(&l, attr))
			return -1;
		fault_pages(20);
		if (fault_in_kernel(20))
			return -4;
		switch_out(2);
		burn_cpu(5 * NSEC_PER_MSEC);
		prctl(PR_SET_NAME, "leaks");
		perf_disable(l.fd);
		while (perf_listen_next(&l)) {
			samples += l.header->type == PERF_RECORD_SAMPLE;
			nr += addresses_in(l.header + 1,
					   l.header->size - sizeof(*l.header));
		}
		nr += addresses_in_page(l.buf.meta);
		if (perf_listen_end(&l))
			return -2;
	}
	return samples < 20 ? -3 : nr;
}

TEST_F(leaks, kernel_addresses_in_records)
{
	pid_t child;

#ifdef __s390x__
	SKIP(return, "user space and the kernel use the same addresses");
#endif
	child = fork_child();
	/* The number is too large for an exit status. */
	if (child == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(250);
		_exit(sampled_addresses(false) ? 1 : 0);
	}
	EXPECT_EQ(0, wait_status(child));
	/* Root with the kernel finds some. */
	EXPECT_LT(0, sampled_addresses(true));
}

/* Whether a text has a number of 16 digits in the kernel's half. */
static bool text_has_address(const char *text)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	size_t digits;

	for (; *text; text += digits ?: 1) {
		digits = strspn(text, hex);
		if (digits == 16 && strchr("89abcdefABCDEF", *text))
			return true;
	}
	return false;
}

static int refusal_has_address(struct perf_event_attr attr, pid_t pid, int cpu)
{
	char text[256];

	if (perf_try(attr, pid, cpu, -1, 0) >= 0)
		return 2;
	if (file_read(REFUSAL, text, sizeof(text)) <= 0)
		return 3;
	return text_has_address(text);
}

static int user_reads_refusals(void)
{
	const struct perf_event_attr refused[] = {
		PERF_SW(DUMMY), PERF_SW(DUMMY, .exclude_kernel = 1, .namespaces = 1),
		PERF_SW(DUMMY, .exclude_kernel = 1, .text_poke = 1),
		PERF_SW(DUMMY, .exclude_kernel = 1, .sample_type = PERF_SAMPLE_PHYS_ADDR),
		PERF_SW(DUMMY, .exclude_kernel = 1, .sample_type = PERF_SAMPLE_CALLCHAIN),
		PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .exclude_kernel = 1, .bp_len = 4,
			  .bp_type = 77),
		PERF_ATTR(PERF_TYPE_TRACEPOINT, ~0ULL >> 1, .exclude_kernel = 1),
		PERF_ATTR(12345, 0, .exclude_kernel = 1),
	};
	size_t i;
	int ret;

	if (user_become(USER_NOBODY, 0))
		return 250;
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		ret = refusal_has_address(refused[i], 0, -1);
		if (ret)
			return 10 * i + ret;
	}
	return refusal_has_address(PERF_SW(DUMMY, .exclude_kernel = 1), 1, -1) |
	       refusal_has_address(PERF_SW(DUMMY, .exclude_kernel = 1), -1, 0);
}

/* No reason has an address of the kernel, and another user cannot read it. */
TEST_F(leaks, refusals)
{
	pid_t target, child;
	char path[64], text[256];
	struct gate ready = gate_new();

	if (access(REFUSAL, F_OK))
		SKIP(return, "stock has no such file");
	EXPECT_TRUE(text_has_address("x ffffffff81000000"));
	EXPECT_FALSE(text_has_address("x 7fffffff81000000"));
	child = fork_child();
	if (child == 0)
		_exit(user_reads_refusals());
	EXPECT_EQ(0, wait_status(child));

	target = fork_child();
	if (target == 0) {
		if (user_become(USER_OTHER, 0))
			_exit(250);
		perf_try_self(PERF_SW(DUMMY));
		gate_open(&ready);
		for (;;)
			pause();
	}
	/* Else the wait would not end if the child has failed. */
	close(ready.wr);
	gate_wait(&ready);
	snprintf(path, sizeof(path), "/proc/%d/perf_event_refusal", target);
	EXPECT_LT(0, file_read(path, text, sizeof(text)));
	child = fork_child();
	if (child == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(250);
		_exit(-file_read(path, text, sizeof(text)));
	}
	EXPECT_EQ(EACCES, wait_status(child));
	kill_child(target);
}

/* Number of files in a directory of debugfs that have bits in their modes. */
static int files_with(const char *dir, mode_t bits)
{
	char path[512];
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(dir);
	int nr = 0;

	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & bits))
			nr++;
	}
	if (d)
		closedir(d);
	return nr;
}

/* Fails if perf_debugfs_add() creates a file that others may read. */
/* A task's event hears of the programs that the task loads, with their addresses. */
static int addresses_of_programs(__u32 user)
{
	const struct bpf_insn insns[] = { BPF_SET(BPF_REG_0, 0), BPF_END_PROG };
	struct perf_event_attr attr = PERF_SW(DUMMY, .ksymbol = 1, .exclude_kernel = 1,
					      .exclude_hv = 1);
	struct perf_listener l;
	int nr = 0, prog;

	if (seteuid(user) || perf_listen_self(&l, attr) || seteuid(0))
		return -1;
	prog = bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns), "leaks");
	if (prog < 0)
		return -2;
	close(prog);
	while (perf_listen_of(&l, PERF_RECORD_KSYMBOL))
		nr += addresses_in(l.header + 1, l.header->size - sizeof(*l.header));
	return perf_listen_end(&l) ? -3 : nr;
}

TEST_F(leaks, addresses_of_programs)
{
	SKIP_STOCK_FAULT(true, "KSYMBOL records tell users addresses of the kernel");
	EXPECT_EQ(0, addresses_of_programs(USER_NOBODY));
	EXPECT_LT(0, addresses_of_programs(0));
	ASSERT_EQ(0, file_write_long(PARANOID, 1));
	EXPECT_LT(0, addresses_of_programs(USER_NOBODY));
}

TEST_F(leaks, debugfs_is_for_root)
{
	static const char *const dirs[] = {
		DEBUGFS "perf_events", DEBUGFS "fake_pmu", DEBUGFS "fake_trace",
	};
	size_t i;

	if (access(dirs[0], F_OK))
		SKIP(return, "no debugfs, or stock, which has no such files");
	EXPECT_LT(0, files_with(dirs[0], 0400));
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		EXPECT_EQ(0, files_with(dirs[i], 077)) {
			TH_LOG("directory %zu", i);
		}
	}
}

static int take_descriptor(pid_t from, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, from, 0);

	if (pidfd < 0)
		return errno;
	return syscall(SYS_pidfd_getfd, pidfd, fd, 0) < 0 ? errno : 0;
}

static int open_again(pid_t from, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", from, fd);
	return open(path, O_RDONLY) < 0 ? errno : 0;
}

/* A count belongs to the descriptor, and a descriptor to its task. */
TEST_F(leaks, counts_of_other_users)
{
	struct gate ready = gate_new();
	pid_t owner = fork_child(), child;
	int fd;

	if (owner == 0) {
		if (user_become(USER_OTHER, 0))
			_exit(250);
		fd = perf_open_self(PERF_SW(PAGE_FAULTS, .exclude_kernel = 1));
		dup2(fd, 100);
		gate_open(&ready);
		for (;;)
			pause();
	}
	close(ready.wr);
	gate_wait(&ready);
	child = fork_child();
	if (child == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(250);
		if (take_descriptor(owner, 100) != EPERM)
			_exit(1);
		_exit(open_again(owner, 100) == EACCES ? 0 : 2);
	}
	EXPECT_EQ(0, wait_status(child));
	/* Root may take it, and reads the count. */
	EXPECT_EQ(0, take_descriptor(owner, 100));
	kill_child(owner);
}

TEST_HARNESS_MAIN
