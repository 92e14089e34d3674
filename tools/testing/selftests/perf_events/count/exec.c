// SPDX-License-Identifier: GPL-2.0
/*
 * attr.enable_on_exec and attr.remove_on_exec: the effect of exec on events, alone, in
 * groups and inherited.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/sigtrap.h"
#include "../lib/tracing.h"

/* How often a program makes each event of removed_on_exec count, before its exec and after. */
#define ROUNDS		50
/* Both programs write there: a word for each event, as emulated CPUs report one hit at a time. */
#define WATCHED		0x200000000UL

TEST(enable_on_exec)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		gate_wait(&go);
		fault_pages(3000);
		perf_exec_touch(500);
	}
	fd = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1,
			       .enable_on_exec = 1), pid, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_count(fd));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(500, perf_count(fd));
	EXPECT_GT(3000, perf_count(fd));
}

TEST(enable_on_exec_is_per_event)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int leader, on, off;

	if (pid == 0) {
		gate_wait(&go);
		perf_exec_touch(500);
	}
	leader = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1,
				   .enable_on_exec = 1), pid, -1, -1);
	on = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, leader);
	off = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), pid, -1, leader);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, on);
	ASSERT_LE(0, off);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(500, perf_count(leader));
	EXPECT_LE(500, perf_count(on));
	EXPECT_EQ(0, perf_count(off));
}

/* An event that was enabled by an exec and then disabled stays disabled. */
TEST(enable_on_exec_once)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1,
					      .enable_on_exec = 1,
					      .inherit = 1);
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		gate_wait(&go);
		if (fork() == 0)
			perf_exec_touch(200);
		wait_all();
		fault_pages(2000);
		_exit(0);
	}
	fd = perf_open(attr, pid, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	/* The child that called exec counts. The worker that did not does not. */
	EXPECT_LE(200, perf_count(fd));
	EXPECT_GT(2000, perf_count(fd));
}

/* An exec that has enabled the event uses the attribute up: the next exec does not. */
TEST(enable_on_exec_is_used_up)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1, .enable_on_exec = 1);
	struct gate go = gate_new(), ready = gate_new(), next = gate_new();
	int first, second;
	__u64 before;
	pid_t pid = fork_child();

	if (pid == 0) {
		gate_wait(&go);
		dup2(next.rd, STDIN_FILENO);
		dup2(ready.wr, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", "echo; read x; exec /bin/sh -c :", NULL);
		_exit(94);
	}
	first = perf_open(attr, pid, -1, -1);
	ASSERT_LE(0, first);
	gate_open(&go);
	gate_wait_for_child(&ready);
	ASSERT_EQ(0, perf_disable(first));
	before = perf_count(first);
	EXPECT_LT(0, before);
	second = perf_open(attr, pid, -1, -1);
	ASSERT_LE(0, second);
	close(next.wr);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_EQ(before, perf_count(first));
	EXPECT_LT(0, perf_count(second));
}

/* One exec enables all events at one moment. They also end together. */
TEST(enable_on_exec_at_once)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1,
					      .enable_on_exec = 1,
					      .read_format = PERF_ALL_TIMES);
	struct gate go = gate_new();
	struct perf_timed first, t;
	pid_t pid = fork_child();
	int fds[24], i;

	if (pid == 0) {
		gate_wait(&go);
		perf_exec_touch(500);
	}
	for (i = 0; i < 24; i++) {
		/* A group of eight among single events. */
		fds[i] = perf_open(attr, pid, -1, i > 8 && i < 16 ? fds[8] : -1);
		ASSERT_LE(0, fds[i]);
	}
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));

	first = perf_timed_count(fds[0]);
	EXPECT_LE(500, first.value);
	EXPECT_LT(0, first.enabled);
	for (i = 0; i < 24; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_EQ(first.value, t.value);
		EXPECT_EQ(first.enabled, t.enabled);
		EXPECT_EQ(first.enabled, t.running);
	}
}

TEST(remove_on_exec)
{
	struct gate go = gate_new(), ready = gate_new();
	int removed, kept, member;
	pid_t pid = fork();

	if (pid == 0) {
		gate_wait(&go);
		fault_pages(300);
		gate_open(&ready);
		gate_wait(&go);
		perf_exec_touch(5000);
	}
	removed = perf_open(PERF_SW(PAGE_FAULTS, .remove_on_exec = 1), pid,
			    -1, -1);
	kept = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
	member = perf_open(PERF_SW(PAGE_FAULTS, .remove_on_exec = 1), pid, -1,
			   kept);
	ASSERT_LE(0, removed);
	ASSERT_LE(0, kept);
	ASSERT_LE(0, member);
	gate_open(&go);
	gate_wait(&ready);
	EXPECT_LE(300, perf_count(removed));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(300, perf_count(removed));
	EXPECT_GT(2000, perf_count(removed));
	EXPECT_LE(300, perf_count(member));
	EXPECT_GT(2000, perf_count(member));
	EXPECT_LE(5300, perf_count(kept));
	EXPECT_EQ(0, perf_enable(removed));
	EXPECT_EQ(0, perf_disable(removed));
}

/* How the event that an exec removes, and the one that stays, are placed. */
enum place { ALONE, SIBLING_GOES, LEADER_GOES };

/*
 * Of a variant:
 *
 * @attr: Of both events, but for the flag.
 * @tracepoint: Gives @attr its config, or NULL.
 * @sigtrap: The event that is removed sends SIGTRAP, which ends a program without a handler.
 */
FIXTURE_VARIANT(removed_on_exec)
{
	struct perf_event_attr attr;
	const char *tracepoint;
	bool sigtrap;
};

FIXTURE(removed_on_exec)
{
	struct perf_event_attr attr;
	struct gate go;
	struct gate ready;
};

/* A CPU that traps before the access traps again after the handler: see sigtrap_breakpoint.c. */
#ifdef __x86_64__
static const bool traps_once = true;
#else
static const bool traps_once;
#endif

#define WATCH_WRITES							\
	PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,	\
		  .bp_addr = WATCHED, .bp_len = HW_BREAKPOINT_LEN_8)

FIXTURE_VARIANT_ADD(removed_on_exec, faults) {
	.attr = PERF_SW(PAGE_FAULTS)
};

FIXTURE_VARIANT_ADD(removed_on_exec, switches) {
	.attr = PERF_SW(CONTEXT_SWITCHES)
};

FIXTURE_VARIANT_ADD(removed_on_exec, task_clock) {
	.attr = PERF_SW(TASK_CLOCK)
};

FIXTURE_VARIANT_ADD(removed_on_exec, cpu_clock) {
	.attr = PERF_SW(CPU_CLOCK)
};

FIXTURE_VARIANT_ADD(removed_on_exec, tracepoint) {
	.attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, 0), .tracepoint = "perf/perf_event_refused"
};

FIXTURE_VARIANT_ADD(removed_on_exec, breakpoint) {
	.attr = WATCH_WRITES
};

FIXTURE_VARIANT_ADD(removed_on_exec, trap_of_faults) {
	.attr = PERF_SW(PAGE_FAULTS, .sample_period = 1, .exclude_kernel = 1), .sigtrap = true
};

FIXTURE_VARIANT_ADD(removed_on_exec, trap_of_breakpoint) {
	.attr = WATCH_WRITES, .sigtrap = true
};

FIXTURE_SETUP(removed_on_exec)
{
	long id = variant->tracepoint ? tracepoint_id(variant->tracepoint) : 0;

	if (id < 0)
		SKIP(return, "needs the tracepoint %s", variant->tracepoint);
	self->attr = variant->attr;
	if (id)
		self->attr.config = id;
	if (variant->attr.type == PERF_TYPE_BREAKPOINT) {
		self->attr.sample_period = variant->sigtrap;
		self->attr.exclude_kernel = 1;
		if (perf_no_breakpoint(perf_try_self(self->attr)))
			SKIP(return, "no hardware breakpoint");
		if (variant->sigtrap && !traps_once)
			SKIP(return, "breakpoints do not get past a handler");
	}
	self->go = gate_new();
	self->ready = gate_new();
}

FIXTURE_TEARDOWN(removed_on_exec)
{
}

/* Each round makes each kind of event count once, or more often. */
static void make_rounds(void)
{
	volatile long *watched = mmap((void *)WATCHED, sysconf(_SC_PAGESIZE),
				      PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	long i;

	if ((unsigned long)watched != WATCHED)
		_exit(95);
	for (i = 0; i < ROUNDS; i++) {
		fault_pages(1);
		switch_out(1);
		perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_MAX));
		watched[0] = i;
		watched[1] = i;
	}
}

/* The program after the exec. An event that still sends SIGTRAP ends it. */
static void rounds_main(int argc, char **argv)
{
	struct gate go, ready;

	if (argc != 4 || strcmp(argv[1], "--rounds"))
		return;
	go.rd = atoi(argv[2]);
	ready.wr = atoi(argv[3]);
	gate_open(&ready);
	gate_wait(&go);
	make_rounds();
	gate_open(&ready);
	gate_wait(&go);
	_exit(0);
}

static void rounds_exec(const struct gate *go, const struct gate *ready)
{
	char fds[2][16];

	/* without O_CLOEXEC */
	snprintf(fds[0], sizeof(fds[0]), "%d", dup(go->rd));
	snprintf(fds[1], sizeof(fds[1]), "%d", dup(ready->wr));
	execl("/proc/self/exe", "rounds", "--rounds", fds[0], fds[1], NULL);
	_exit(94);
}

static void before_exec(FIXTURE_DATA(removed_on_exec) *self, bool inherit)
{
	pid_t pid;

	close(self->ready.rd);
	gate_wait(&self->go);
	pid = inherit ? fork_child() : 0;
	if (pid) {
		close(self->ready.wr);
		_exit(wait_status(pid) ? 93 : 0);
	}
	make_rounds();
	gate_open(&self->ready);
	gate_wait(&self->go);
	rounds_exec(&self->go, &self->ready);
}

/* What perf_count() returns for an event that cannot be read. */
#define UNREADABLE	(~0ULL)

static void expect_one_removed(struct __test_metadata *_metadata,
			       FIXTURE_DATA(removed_on_exec) *self,
			       const FIXTURE_VARIANT(removed_on_exec) *variant, enum place place,
			       bool inherit)
{
	struct perf_event_attr attr;
	int gone = -1, stays = -1;
	__u64 before[2], after;
	pid_t pid;

	/* signals may come as soon as the event is open */
	ASSERT_EQ(0, trap_prepare());
	pid = fork_child();
	if (pid == 0)
		before_exec(self, inherit);
	close(self->ready.wr);
	self->attr.inherit = inherit;
	attr = self->attr;
	attr.remove_on_exec = 1;
	attr.sigtrap = variant->sigtrap;
	if (attr.type == PERF_TYPE_BREAKPOINT)
		attr.bp_addr += 8;
	if (place == LEADER_GOES)
		gone = perf_open(attr, pid, -1, -1);
	stays = perf_open(self->attr, pid, -1, gone);
	if (place != LEADER_GOES)
		gone = perf_open(attr, pid, -1, place == SIBLING_GOES ? stays : -1);
	ASSERT_LE(0, gone);
	ASSERT_LE(0, stays);

	gate_open(&self->go);
	gate_wait(&self->ready);
	EXPECT_LE(ROUNDS, perf_count(gone));
	EXPECT_LE(ROUNDS, perf_count(stays));
	gate_open(&self->go);
	gate_wait(&self->ready);
	/* with inherited events, the task of their parents sleeps until its child ends */
	EXPECT_TRUE(wait_asleep(pid));
	before[0] = perf_count(gone);
	before[1] = perf_count(stays);
	EXPECT_NE(UNREADABLE, before[0]);
	EXPECT_NE(UNREADABLE, before[1]);
	gate_open(&self->go);
	gate_wait(&self->ready);
	EXPECT_EQ(before[0], perf_count(gone));
	after = perf_count(stays);
	EXPECT_NE(UNREADABLE, after);
	EXPECT_LE(before[1] + ROUNDS, after);
	gate_open(&self->go);
	EXPECT_EQ(0, wait_status(pid));
}

TEST_F(removed_on_exec, alone)
{
	expect_one_removed(_metadata, self, variant, ALONE, false);
}

TEST_F(removed_on_exec, sibling)
{
	expect_one_removed(_metadata, self, variant, SIBLING_GOES, false);
}

/* The sibling goes on as a single event. */
TEST_F(removed_on_exec, leader)
{
	expect_one_removed(_metadata, self, variant, LEADER_GOES, false);
}

/* The events of the task stay: its child has called exec. */
TEST_F(removed_on_exec, inherited_alone)
{
	expect_one_removed(_metadata, self, variant, ALONE, true);
}

TEST_F(removed_on_exec, inherited_sibling)
{
	expect_one_removed(_metadata, self, variant, SIBLING_GOES, true);
}

TEST_F(removed_on_exec, inherited_leader)
{
	expect_one_removed(_metadata, self, variant, LEADER_GOES, true);
}

int main(int argc, char **argv)
{
	rounds_main(argc, argv);
	perf_exec_main(argc, argv);
	return test_harness_run(argc, argv);
}
