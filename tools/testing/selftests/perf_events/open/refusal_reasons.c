// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that no other test provokes, by their errno and their reason. Together with the
 * other tests this provokes all refusals of the core that can be provoked in a test machine.
 */
#include <grp.h>

#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/fake_pmu.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#define REFUSAL		"/proc/self/perf_event_refusal"
#define NOBODY		65534

/* BPF_TRACE_MAX_PROGS of the kernel */
#define MOST_PROGRAMS	64

FIXTURE(reasons)
{
	long paranoid;
	char text[512];
};

FIXTURE_SETUP(reasons)
{
	if (perf_is_stock())
		SKIP(return, "stock has no reasons");
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(reasons)
{
	file_write_long(PARANOID, self->paranoid);
}

/* Whether the last refusal has these words. */
static bool refused_with(const char *words)
{
	char text[512] = "";

	if (file_read(REFUSAL, text, sizeof(text)) > 0 && strstr(text, words))
		return true;
	printf("# '%s' is not in '%s'\n", words, text);
	return false;
}

#define EXPECT_REFUSED(_errno, _result, _words)				\
	do {								\
		EXPECT_EQ(-(_errno), (_result));			\
		EXPECT_TRUE(refused_with(_words));			\
	} while (0)

/* Open as a user without capabilities. Returns whether it was refused as expected. */
static bool user_is_refused(int err, struct perf_event_attr attr, const char *words)
{
	pid_t child = fork_child();

	if (child == 0) {
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1))
			_exit(2);
		_exit(perf_try_self(attr) != -err || !refused_with(words));
	}
	return wait_status(child) == 0;
}

TEST_F(reasons, what_a_user_may_not_see)
{
	struct perf_event_attr branches = PERF_SW(DUMMY, .exclude_kernel = 1);
	struct perf_event_attr chain = PERF_SW(DUMMY, .exclude_kernel = 1, .sample_period = 1);
	struct perf_event_attr text = PERF_SW(DUMMY, .exclude_kernel = 1, .text_poke = 1);
	struct perf_event_attr raw = PERF_ATTR(PERF_TYPE_TRACEPOINT, 0, .sample_period = 1);

	branches.sample_type = PERF_SAMPLE_BRANCH_STACK;
	branches.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	chain.sample_type = PERF_SAMPLE_CALLCHAIN;
	raw.config = tracepoint_id("sched/sched_switch");
	raw.sample_type = PERF_SAMPLE_RAW;

	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	EXPECT_TRUE(user_is_refused(EACCES, branches,
				    "branch_sample_type: kernel or hypervisor"));
	EXPECT_TRUE(user_is_refused(EACCES, chain, "exclude_callchain_kernel: not set"));
	EXPECT_TRUE(user_is_refused(EACCES, text, "text_poke: kernel text"));
	ASSERT_EQ(0, file_write_long(PARANOID, 0));
	EXPECT_TRUE(user_is_refused(EPERM, raw, "is not open to this user"));
}

TEST_F(reasons, no_branches)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT,
						tracepoint_id("sched/sched_switch"),
						.sample_period = 1);
	struct perf_event_attr bp = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .sample_period = 1,
					      .bp_type = 3, .bp_len = 8,
					      .bp_addr = (unsigned long)&attr & ~7UL);

	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	bp.sample_type = attr.sample_type;
	bp.branch_sample_type = attr.branch_sample_type;
	EXPECT_REFUSED(EOPNOTSUPP, perf_try_self(attr), "tracing events have no branch stacks");
	if (pmu_type("breakpoint") < 0)
		SKIP(return, "no debug registers");
	EXPECT_REFUSED(EOPNOTSUPP, perf_try_self(bp), "breakpoints have no branch stack");
}

TEST_F(reasons, no_such_tracepoint)
{
	EXPECT_REFUSED(EINVAL, perf_try_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, 1 << 30)),
		       "config: there is no tracepoint");
}

TEST_F(reasons, group_over_two_pmus)
{
	int leader;

	SKIP_WITHOUT_FAKE();
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	/* The other way around arm64's driver refuses by itself. */
	leader = perf_open_self(HW_CYCLES());
	ASSERT_LE(0, leader);
	EXPECT_REFUSED(EINVAL, perf_try(fake_attr("poke"), 0, -1, leader, 0),
		       "group_fd: the group has counters of another PMU");
	close(leader);
}

/* More than half of the memory, and less than a buffer can have. */
TEST_F(reasons, buffer_beyond_the_memory)
{
	size_t half = sysconf(_SC_PHYS_PAGES) / 2, pages = 1;
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	while (pages <= half)
		pages *= 2;
	EXPECT_REFUSED(ENOMEM, perf_try_pages(fd, 1 + pages), "the machine has");
	close(fd);
}

/* Programs */

static int set_bpf(int fd, int prog)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ? -errno : 0;
}

static int tracepoint(const char *name)
{
	return perf_open_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id(name)));
}

static int load_empty(enum bpf_prog_type type)
{
	const struct bpf_insn insn[] = { BPF_SET(BPF_REG_0, 0), BPF_END_PROG };

	return bpf_load(type, insn, ARRAY_SIZE(insn), "empty");
}

TEST_F(reasons, program_for_a_function)
{
	int prog = load_empty(BPF_PROG_TYPE_TRACEPOINT), fd;

	if (tracepoint_id("ftrace/function") < 0)
		SKIP(return, "no function tracer");
	fd = tracepoint("ftrace/function");
	ASSERT_LE(0, prog);
	ASSERT_LE(0, fd);
	EXPECT_REFUSED(EINVAL, set_bpf(fd, prog), "programs run on tracepoints, kprobes");
	close(fd);
	close(prog);
}

TEST_F(reasons, program_that_reads_too_much)
{
	const struct bpf_insn insn[] = {
		BPF_LOAD(BPF_REG_0, BPF_REG_1, 2048), BPF_SET(BPF_REG_0, 0), BPF_END_PROG,
	};
	int prog = bpf_load(BPF_PROG_TYPE_TRACEPOINT, insn, ARRAY_SIZE(insn), "far");
	int fd = tracepoint("sched/sched_switch");

	ASSERT_LE(0, prog);
	ASSERT_LE(0, fd);
	EXPECT_REFUSED(EACCES, set_bpf(fd, prog), "the program reads");
	close(fd);
	close(prog);
}

TEST_F(reasons, too_many_programs)
{
	int fd[MOST_PROGRAMS + 1], prog[MOST_PROGRAMS + 1], i;

	for (i = 0; i <= MOST_PROGRAMS; i++) {
		prog[i] = load_empty(BPF_PROG_TYPE_TRACEPOINT);
		fd[i] = tracepoint("sched/sched_stick_numa");
		ASSERT_LE(0, prog[i]);
		ASSERT_LE(0, fd[i]);
		if (i < MOST_PROGRAMS)
			EXPECT_EQ(0, set_bpf(fd[i], prog[i]));
	}
	EXPECT_REFUSED(E2BIG, set_bpf(fd[MOST_PROGRAMS], prog[MOST_PROGRAMS]),
		       "too many programs");
	for (i = 0; i <= MOST_PROGRAMS; i++) {
		close(fd[i]);
		close(prog[i]);
	}
}

/* A program that takes stacks by itself, on an event that shall not sample the kernel's. */
TEST_F(reasons, program_that_takes_stacks)
{
	const struct bpf_insn insn[] = {
		BPF_COPY(BPF_REG_2, BPF_REG_10), BPF_ADD_IMM(BPF_REG_2, -64),
		BPF_STORE_IMM(BPF_REG_10, -64, 0), BPF_STORE_IMM(BPF_REG_10, -56, 0),
		BPF_SET(BPF_REG_3, 16), BPF_SET(BPF_REG_4, 0),
		BPF_HELPER(get_stack), BPF_SET(BPF_REG_0, 0), BPF_END_PROG,
	};
	int prog = bpf_load(BPF_PROG_TYPE_PERF_EVENT, insn, ARRAY_SIZE(insn), "stack");
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1, .precise_ip = 1));

	ASSERT_LE(0, prog);
	ASSERT_LE(0, fd);
	EXPECT_REFUSED(EPROTO, set_bpf(fd, prog), "the program takes stacks");
	close(fd);
	close(prog);
}

TEST_HARNESS_MAIN
