// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited events while children are alive: reading, enabling, disabling and resetting
 * affect the children's copies, closing does not, and groups are inherited as groups.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define INHERITED(...)	PERF_SW(PAGE_FAULTS, .inherit = 1, ##__VA_ARGS__)

struct live {
	struct gate go;
	struct gate done;
	pid_t pid;
};

/* A child that faults 100 pages each time its gate is opened. */
static struct live live_child(void)
{
	struct live c = { gate_new(), gate_new(), 0 };

	c.pid = fork_child();
	if (c.pid == 0) {
		for (;;) {
			gate_wait(&c.go);
			fault_pages(100);
			gate_open(&c.done);
		}
	}
	close(c.done.wr);
	return c;
}

static void live_round(struct live *c)
{
	gate_open(&c->go);
	gate_wait(&c->done);
}

static void live_end(struct live *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

TEST(read_with_child_alive)
{
	int fd = perf_open_self(INHERITED());
	struct live c = live_child();
	__u64 before, after;

	ASSERT_LE(0, fd);
	before = perf_count(fd);
	live_round(&c);
	after = perf_count(fd);
	EXPECT_LE(before + 100, after);
	live_end(&c);
	EXPECT_LE(after, perf_count(fd));
}

TEST(disable_with_child_alive)
{
	int fd = perf_open_self(INHERITED());
	struct live c = live_child();
	__u64 before;

	ASSERT_LE(0, fd);
	live_round(&c);
	ASSERT_EQ(0, perf_disable(fd));
	before = perf_count(fd);
	EXPECT_LE(100, before);
	live_round(&c);
	EXPECT_EQ(before, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	live_round(&c);
	EXPECT_LE(before + 100, perf_count(fd));
	live_end(&c);
}

TEST(child_of_disabled_event)
{
	int fd = perf_open_self(INHERITED(.disabled = 1));
	struct live c = live_child();

	ASSERT_LE(0, fd);
	live_round(&c);
	EXPECT_EQ(0, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	live_round(&c);
	EXPECT_LE(100, perf_count(fd));
	live_end(&c);
}

TEST(disable_then_fork)
{
	int fd = perf_open_self(INHERITED());
	struct live c;
	__u64 before;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_disable(fd));
	before = perf_count(fd);
	c = live_child();
	live_round(&c);
	EXPECT_EQ(before, perf_count(fd));
	live_end(&c);
	EXPECT_EQ(before, perf_count(fd));
}

TEST(reset_with_child_alive)
{
	int fd = perf_open_self(INHERITED());
	struct live c = live_child();

	ASSERT_LE(0, fd);
	live_round(&c);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_LE(100, perf_count(fd));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
	live_end(&c);
	EXPECT_EQ(0, perf_count(fd));
}

/* A reset does not change the counts that exited children have left. */
TEST(reset_after_child_exit)
{
	int fd = perf_open_self(INHERITED());
	struct live c = live_child();

	ASSERT_LE(0, fd);
	live_round(&c);
	live_end(&c);
	ASSERT_EQ(0, perf_disable(fd));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_LE(100, perf_count(fd));
}

TEST(close_with_children_alive)
{
	int fd = perf_open_self(INHERITED());
	struct live c[5];
	int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++)
		c[i] = live_child();
	for (i = 0; i < 5; i++)
		live_round(&c[i]);
	EXPECT_LE(500, perf_count(fd));
	close(fd);
	for (i = 0; i < 5; i++)
		live_round(&c[i]);
	/* Children that they fork now inherit nothing. */
	fd = perf_open_self(INHERITED());
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++)
		live_round(&c[i]);
	EXPECT_GT(100, perf_count(fd));
	for (i = 0; i < 5; i++)
		live_end(&c[i]);
}

/*
 * A child that forks children, four at a time, each of which faults three pages and
 * exits. Its exit status is the number of times, one at least. It is lower than fours
 * where debugging slows everything down.
 */
static pid_t fork_exiting(int fours)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	pid_t pid = fork();
	int had, i;

	if (pid)
		return pid;
	for (had = 0; had < fours && race_goes_on(had, 1, start, 10 * NSEC_PER_SEC); had++) {
		for (i = 0; i < 4; i++) {
			if (fork() == 0) {
				fault_pages(3);
				_exit(0);
			}
		}
		wait_all();
	}
	_exit(had);
}

/* A sum never decreases when a child's counts are added to its parent's. */
TEST(exits_against_reader)
{
	int fd = perf_open_self(INHERITED()), status;
	__u64 last = 0, now;
	pid_t pid;

	ASSERT_LE(0, fd);
	pid = fork_exiting(75);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		now = perf_count(fd);
		ASSERT_LE(last, now);
		last = now;
	}
	now = perf_count(fd);
	EXPECT_LE(last, now);
	EXPECT_LT(0, WEXITSTATUS(status));
	EXPECT_LE(4 * 3 * WEXITSTATUS(status), now);
}

/* Groups */

TEST(group)
{
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, buf[16];
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .read_format = format);
	int leader = perf_open_self(attr), minor, dummy;
	__u64 leader_id, minor_id;
	struct live c;
	int i;

	ASSERT_LE(0, leader);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	minor = perf_open(attr, 0, -1, leader);
	ASSERT_LE(0, minor);
	attr.config = PERF_COUNT_SW_DUMMY;
	dummy = perf_open(attr, 0, -1, leader);
	ASSERT_LE(0, dummy);
	leader_id = perf_event_id(leader);
	minor_id = perf_event_id(minor);
	for (i = 0; i < 10; i++) {
		c = live_child();
		live_round(&c);
		/* With children alive or not, the group reads as one of three. */
		ASSERT_EQ(8 + 3 * 16, read(leader, buf, sizeof(buf)));
		EXPECT_EQ(3, buf[0]);
		EXPECT_LE(100 * (i + 1), buf[1]);
		live_end(&c);
	}
	ASSERT_EQ(0, perf_disable(leader));
	ASSERT_EQ(8 + 3 * 16, read(leader, buf, sizeof(buf)));
	EXPECT_LE(1000, buf[1]);
	EXPECT_LE(1000, buf[3]);
	EXPECT_EQ(0, buf[5]);
	/* The ids belong to the events that were opened. */
	EXPECT_EQ(leader_id, buf[2]);
	EXPECT_EQ(minor_id, buf[4]);
	EXPECT_EQ(perf_event_id(dummy), buf[6]);
}

/* A child that closes its events one by one must not break the read. */
TEST(group_read_against_exits)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .read_format = PERF_FORMAT_GROUP);
	int leader = perf_open_self(attr), i, len, status, refused = 0;
	__u64 last = 0, buf[16];
	pid_t pid;

	ASSERT_LE(0, leader);
	for (i = 0; i < 7; i++)
		ASSERT_LE(0, perf_open(attr, 0, -1, leader));
	pid = fork_exiting(50);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		len = read(leader, buf, sizeof(buf));
		if (len < 0) {
			ASSERT_EQ(ECHILD, errno);
			refused++;
			continue;
		}
		ASSERT_EQ(72, len);
		ASSERT_EQ(8, buf[0]);
		ASSERT_LE(last, buf[1]);
		last = buf[1];
	}
	ASSERT_EQ(72, read(leader, buf, sizeof(buf)));
	EXPECT_LT(0, WEXITSTATUS(status));
	EXPECT_LE(4 * 3 * WEXITSTATUS(status), buf[8]);
	SKIP_STOCK_FAULT(refused, "ECHILD while a child exits");
	EXPECT_EQ(0, refused);
}

#define EQUAL_CLOCKS	3

/**
 * struct clocks - A group of task clocks
 * @leader: The leader, a task clock as well.
 * @ahead: By how much its count exceeds the counts of its siblings, modulo 2^64: it begins a
 *	moment before or after them.
 * @now: What the last read returned.
 * @reads: Number of reads.
 * @unequal: Number of reads in which members differed.
 * @decreased: Number of reads in which a count was lower than before.
 * @refused: Number of reads that failed with ECHILD.
 */
struct clocks {
	int leader;
	__u64 ahead;
	struct {
		__u64 nr;
		__u64 leader;
		__u64 equal[EQUAL_CLOCKS];
	} now;
	int reads;
	int unequal;
	int decreased;
	int refused;
};

/* Read the group. Return: False if that fails for good. */
static bool clocks_read(struct clocks *c)
{
	__typeof__(c->now) last = c->now;
	bool equal = true, decreased;
	ssize_t len;
	int i;

	c->reads++;
	len = read(c->leader, &c->now, sizeof(c->now));
	if (len < 0 && errno == ECHILD) {
		c->refused++;
		return true;
	}
	if (len != sizeof(c->now) || c->now.nr != 1 + EQUAL_CLOCKS)
		return false;
	if (c->reads == 1)
		c->ahead = c->now.leader - c->now.equal[0];
	decreased = c->now.leader < last.leader;
	for (i = 0; i < EQUAL_CLOCKS; i++) {
		equal = equal && c->now.leader - c->now.equal[i] == c->ahead;
		decreased = decreased || c->now.equal[i] < last.equal[i];
	}
	c->unequal += !equal;
	c->decreased += decreased;
	return true;
}

/* Open the group, and read it for the first time. Return: False if that fails. */
static bool clocks_open(struct clocks *c)
{
	struct perf_event_attr attr = PERF_SW(TASK_CLOCK, .inherit = 1, .disabled = 1,
					      .read_format = PERF_FORMAT_GROUP);
	int i;

	*c = (struct clocks){ .leader = perf_open_self(attr) };
	attr.disabled = 0;
	for (i = 0; i < EQUAL_CLOCKS; i++) {
		if (perf_open(attr, 0, -1, c->leader) < 0)
			return false;
	}
	return perf_enable(c->leader) == 0 && clocks_read(c);
}

/*
 * The members of a child's group are read at one moment: between two moments the clocks of a
 * child that runs on another CPU would go on.
 */
TEST(group_of_a_child_is_read_at_once)
{
	int here = nth_cpu(0), there = nth_cpu(1), i;
	struct gate begun = gate_new();
	struct clocks c;
	pid_t pid;

	if (there < 0)
		SKIP(return, "needs a second CPU");
	ASSERT_TRUE(clocks_open(&c));
	ASSERT_EQ(0, pin_to_cpu(here));
	pid = fork_child();
	if (pid == 0) {
		pin_to_cpu(there);
		gate_open(&begun);
		for (;;)
			burn_cpu(NSEC_PER_MSEC);
	}
	gate_wait(&begun);
	for (i = 0; i < 2000; i++)
		ASSERT_TRUE(clocks_read(&c));
	kill_child(pid);
	ASSERT_TRUE(clocks_read(&c));
	SKIP_STOCK_FAULT(c.unequal, "clocks of a group are read one after the other");
	EXPECT_EQ(0, c.unequal);
	EXPECT_EQ(0, c.decreased);
	EXPECT_EQ(0, c.refused);
}

/* Tasks that fork and exit during the read are in the counts of all members, or of none. */
TEST(group_of_equal_clocks_against_exits)
{
	struct clocks c;
	int status;
	pid_t pid;

	ASSERT_TRUE(clocks_open(&c));
	pid = fork_exiting(50);
	while (waitpid(pid, &status, WNOHANG) == 0)
		ASSERT_TRUE(clocks_read(&c));
	ASSERT_TRUE(clocks_read(&c));
	EXPECT_LT(0, WEXITSTATUS(status));
	SKIP_STOCK_FAULT(c.unequal || c.refused, "clocks are read one by one, or not at all");
	EXPECT_EQ(0, c.unequal);
	EXPECT_EQ(0, c.decreased);
	EXPECT_EQ(0, c.refused);
}

TEST(group_leader_disables_children)
{
	int leader = perf_open_self(INHERITED(.disabled = 1));
	int member = perf_open(INHERITED(), 0, -1, leader);
	struct live c = live_child();
	__u64 before;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	live_round(&c);
	EXPECT_EQ(0, perf_count(member));
	ASSERT_EQ(0, perf_enable(leader));
	live_round(&c);
	EXPECT_LE(100, perf_count(leader));
	EXPECT_LE(100, perf_count(member));
	ASSERT_EQ(0, perf_disable(leader));
	before = perf_count(member);
	live_round(&c);
	EXPECT_EQ(before, perf_count(member));
	live_end(&c);
}

TEST(group_member_closed_with_child_alive)
{
	int leader = perf_open_self(INHERITED());
	int member = perf_open(INHERITED(), 0, -1, leader);
	int other = perf_open(INHERITED(), 0, -1, leader);
	struct live c = live_child();

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_LE(0, other);
	live_round(&c);
	close(member);
	live_round(&c);
	EXPECT_LE(200, perf_count(leader));
	EXPECT_LE(200, perf_count(other));
	live_end(&c);
	EXPECT_LE(200, perf_count(leader));
	EXPECT_LE(200, perf_count(other));
}

TEST(group_leader_closed_with_child_alive)
{
	int leader = perf_open_self(INHERITED());
	int member = perf_open(INHERITED(), 0, -1, leader);
	struct live c = live_child();

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	live_round(&c);
	close(leader);
	live_round(&c);
	live_end(&c);
	EXPECT_LE(200, perf_count(member));
}

TEST_HARNESS_MAIN
