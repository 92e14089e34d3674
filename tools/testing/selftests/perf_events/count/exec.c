// SPDX-License-Identifier: GPL-2.0
/*
 * attr.enable_on_exec and attr.remove_on_exec: the effect of exec on events, alone, in
 * groups and inherited.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

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

PERF_TEST_EXEC_MAIN
