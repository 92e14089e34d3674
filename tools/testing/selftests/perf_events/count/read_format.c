// SPDX-License-Identifier: GPL-2.0
/*
 * read(2) on a perf event: the layout and the size for every combination of
 * attr.read_format, alone and in groups up to 64, short buffers, members that are
 * opened and closed, that each value stands beside its id, and that a read never waits.
 */
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define MAX_GROUP	64
#define POISON		0xa5a5a5a5a5a5a5a5ULL

/* The expected layout of a read of a group of nr events, in words of 8 bytes. */
struct layout {
	int enabled;		/* index of the word, or -1 */
	int running;
	int entry;		/* first entry */
	int stride;		/* words from one entry to the next */
	int id;			/* within an entry, or -1 */
	int lost;
	int words;		/* all words */
};

static struct layout layout_of(__u64 format, int nr)
{
	struct layout l = { -1, -1, 0, 1, -1, -1, 0 };
	int word = 1;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		l.enabled = word++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		l.running = word++;
	if (format & PERF_FORMAT_GROUP) {
		l.entry = word;
		if (format & PERF_FORMAT_ID)
			l.id = l.stride++;
		if (format & PERF_FORMAT_LOST)
			l.lost = l.stride++;
		l.words = l.entry + nr * l.stride;
	} else {
		if (format & PERF_FORMAT_ID)
			l.id = word++;
		if (format & PERF_FORMAT_LOST)
			l.lost = word++;
		l.words = word;
	}
	return l;
}

struct group {
	int fd[MAX_GROUP];
	__u64 id[MAX_GROUP];
	int nr;
};

/* A group of page-fault counters that all have the same format. */
static int open_group(struct group *g, int nr, __u64 format)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS,
					      .read_format = format);

	for (g->nr = 0; g->nr < nr; g->nr++) {
		int fd = perf_open(attr, 0, -1, g->nr ? g->fd[0] : -1);

		if (fd < 0)
			return fd;
		g->fd[g->nr] = fd;
		g->id[g->nr] = perf_event_id(fd);
	}
	return 0;
}

static void close_group(struct group *g)
{
	while (g->nr--)
		close(g->fd[g->nr]);
}

/* Read the leader of a stopped group and compare every word. */
static void check_group(struct __test_metadata *_metadata, struct group *g,
			__u64 format)
{
	int nr = format & PERF_FORMAT_GROUP ? g->nr : 1, i;
	struct layout l = layout_of(format, nr);
	__u64 buf[3 + 3 * MAX_GROUP + 1];

	for (i = 0; i < (int)ARRAY_SIZE(buf); i++)
		buf[i] = POISON;
	ASSERT_EQ(8 * l.words, read(g->fd[0], buf, sizeof(buf))) {
		TH_LOG("format %#llx, group of %d", format, nr);
	}
	EXPECT_EQ(POISON, buf[l.words]);
	if (l.enabled >= 0)
		EXPECT_LT(0, buf[l.enabled]);
	if (l.running >= 0)
		EXPECT_LT(0, buf[l.running]);
	if (l.enabled >= 0 && l.running >= 0)
		EXPECT_LE(buf[l.running], buf[l.enabled]);
	if (format & PERF_FORMAT_GROUP)
		EXPECT_EQ(nr, buf[0]);
	for (i = 0; i < nr; i++) {
		__u64 *entry = buf + l.entry + i * l.stride;

		EXPECT_LE(5, entry[0]);
		EXPECT_GT(500, entry[0]);
		if (l.id >= 0)
			EXPECT_EQ(g->id[i], entry[l.id]);
		if (l.lost >= 0)
			EXPECT_EQ(0, entry[l.lost]);
	}
}

static void check_all_formats(struct __test_metadata *_metadata, int nr)
{
	struct group g;
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		ASSERT_EQ(0, open_group(&g, nr, format));
		fault_pages(5);
		ASSERT_EQ(0, perf_disable_group(g.fd[0]));
		check_group(_metadata, &g, format);
		close_group(&g);
	}
}

TEST(layout_alone)
{
	check_all_formats(_metadata, 1);
}

TEST(layout_group_of_3)
{
	check_all_formats(_metadata, 3);
}

TEST(layout_group_of_17)
{
	check_all_formats(_metadata, 17);
}

TEST(layout_group_of_64)
{
	check_all_formats(_metadata, 64);
}

/* A buffer that is a byte too small is refused. Bytes beyond the data are not written. */
TEST(short_buffer)
{
	__u64 format, buf[3 + 3 * 3 + 4];
	struct layout l;
	struct group g;

	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		ASSERT_EQ(0, open_group(&g, 3, format));
		l = layout_of(format, 3);
		EXPECT_EQ(-1, read(g.fd[0], buf, 8 * l.words - 1));
		EXPECT_EQ(ENOSPC, errno);
		if (l.words > 1) {
			EXPECT_EQ(-1, read(g.fd[0], buf, 8));
			EXPECT_EQ(ENOSPC, errno);
		}
		EXPECT_EQ(8 * l.words, read(g.fd[0], buf, 8 * l.words));
		EXPECT_EQ(8 * l.words, read(g.fd[0], buf, 8 * l.words + 5));
		close_group(&g);
	}
}

TEST(zero_size)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	char c;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &c, 0));
	EXPECT_EQ(ENOSPC, errno);
}

TEST(bad_buffer)
{
	int alone = perf_open_self(PERF_SW(DUMMY));
	int group = perf_open_self(PERF_SW(DUMMY, .read_format =
					   PERF_FORMAT_GROUP));
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	ASSERT_LE(0, alone);
	ASSERT_LE(0, group);
	ASSERT_NE(MAP_FAILED, hole);
	EXPECT_EQ(-1, read(alone, hole, 64));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(group, hole, 64));
	EXPECT_EQ(EFAULT, errno);
}

/* Some of the values fit. The page behind them is not writable. */
TEST(buffer_that_ends_in_a_hole)
{
	long page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_attr attr = PERF_SW(DUMMY, .read_format = PERF_FORMAT_GROUP |
					      PERF_FORMAT_ID);
	int leader = perf_open_self(attr);

	ASSERT_LE(0, leader);
	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + page, page, PROT_NONE));
	for (int members = 1; members < 32; members++) {
		int size = 8 + 16 * members;

		EXPECT_EQ(size, read(leader, pages + page - size, size));
		EXPECT_EQ(-1, read(leader, pages + page - size + 4, size));
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(-1, read(leader, pages + page - 8, size));
		EXPECT_EQ(EFAULT, errno);
		ASSERT_LE(0, perf_open(attr, 0, -1, leader));
	}
}

TEST(unaligned_buffer)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	char buf[16];
	__u64 value;

	ASSERT_LE(0, fd);
	fault_pages(5);
	ASSERT_EQ(8, read(fd, buf + 3, 8));
	memcpy(&value, buf + 3, 8);
	EXPECT_LE(5, value);
	EXPECT_GT(500, value);
}

/* A member with read_format GROUP returns the whole group. */
TEST(group_read_through_member)
{
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, buf[16];
	struct group g;
	int i;

	ASSERT_EQ(0, open_group(&g, 3, format));
	ASSERT_EQ(8 + 3 * 16, read(g.fd[2], buf, sizeof(buf)));
	EXPECT_EQ(3, buf[0]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(g.id[i], buf[2 + 2 * i]);
}

/* Each event is read in its own format. */
TEST(formats_differ_in_group)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_ID));
	int plain = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	int named = perf_open(PERF_SW(PAGE_FAULTS, .read_format =
		PERF_FORMAT_ID | PERF_FORMAT_LOST), 0, -1, leader);
	__u64 buf[16];

	ASSERT_LE(0, leader);
	ASSERT_LE(0, plain);
	ASSERT_LE(0, named);
	EXPECT_EQ(8 + 3 * 16, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(3, buf[0]);
	EXPECT_EQ(perf_event_id(plain), buf[4]);
	EXPECT_EQ(perf_event_id(named), buf[6]);
	EXPECT_EQ(8, read(plain, buf, sizeof(buf)));
	EXPECT_EQ(24, read(named, buf, sizeof(buf)));
	EXPECT_EQ(perf_event_id(named), buf[1]);
}

TEST(member_closed)
{
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, buf[32];
	struct group g;

	ASSERT_EQ(0, open_group(&g, 5, format));
	EXPECT_EQ(8 + 5 * 16, read(g.fd[0], buf, sizeof(buf)));
	close(g.fd[2]);
	ASSERT_EQ(8 + 4 * 16, read(g.fd[0], buf, sizeof(buf)));
	EXPECT_EQ(4, buf[0]);
	EXPECT_EQ(g.id[0], buf[2]);
	EXPECT_EQ(g.id[1], buf[4]);
	EXPECT_EQ(g.id[3], buf[6]);
	EXPECT_EQ(g.id[4], buf[8]);
	close(g.fd[4]);
	close(g.fd[1]);
	EXPECT_EQ(8 + 2 * 16, read(g.fd[0], buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_EQ(g.id[3], buf[4]);
}

/* The size of a read follows the number of members. */
TEST(room_follows_members)
{
	__u64 buf[32];
	struct group g;

	ASSERT_EQ(0, open_group(&g, 4, PERF_FORMAT_GROUP));
	EXPECT_EQ(-1, read(g.fd[0], buf, 8 + 3 * 8));
	EXPECT_EQ(ENOSPC, errno);
	close(g.fd[3]);
	EXPECT_EQ(8 + 3 * 8, read(g.fd[0], buf, 8 + 3 * 8));
}

TEST(values_belong_to_their_events)
{
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, buf[16];
	int faults = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1,
					    .read_format = format));
	int dummy = perf_open(PERF_SW(DUMMY), 0, -1, faults);
	int clock = perf_open(PERF_SW(TASK_CLOCK), 0, -1, faults);
	int minor = perf_open(PERF_SW(PAGE_FAULTS_MIN), 0, -1, faults);
	__u64 value;

	ASSERT_LE(0, faults);
	ASSERT_LE(0, dummy);
	ASSERT_LE(0, clock);
	ASSERT_LE(0, minor);
	ASSERT_EQ(0, perf_enable(faults));
	fault_pages(20);
	burn_cpu(2 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(faults));
	ASSERT_EQ(8 + 4 * 16, read(faults, buf, sizeof(buf)));
	EXPECT_EQ(perf_event_id(faults), buf[2]);
	EXPECT_EQ(perf_event_id(dummy), buf[4]);
	EXPECT_EQ(perf_event_id(clock), buf[6]);
	EXPECT_EQ(perf_event_id(minor), buf[8]);
	EXPECT_LE(20, buf[1]);
	EXPECT_EQ(0, buf[3]);
	EXPECT_LE(NSEC_PER_MSEC / 2, buf[5]);
	EXPECT_LE(20, buf[7]);
	/* Read one by one, they have the same counts. */
	ASSERT_EQ(8, read(clock, &value, 8));
	EXPECT_EQ(buf[5], value);
	ASSERT_EQ(8, read(minor, &value, 8));
	EXPECT_EQ(buf[7], value);
}

/* All members of a group have seen the same faults, running or not. */
TEST(group_is_one_snapshot)
{
	struct layout l = layout_of(PERF_FORMAT_GROUP, 17);
	__u64 buf[32];
	struct group g;
	int i, round;

	ASSERT_EQ(0, open_group(&g, 17, PERF_FORMAT_GROUP));
	ASSERT_EQ(0, perf_disable(g.fd[0]));
	/* The events joined one after the other. From here on they agree. */
	ASSERT_EQ(0, perf_ioctl(g.fd[0], PERF_EVENT_IOC_RESET,
				PERF_IOC_FLAG_GROUP));
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, perf_enable(g.fd[0]));
		fault_pages(3);
		ASSERT_EQ(0, perf_disable(g.fd[0]));
		ASSERT_EQ(8 * l.words, read(g.fd[0], buf, sizeof(buf)));
		EXPECT_LE(3 * (round + 1), buf[1]);
		for (i = 1; i < 17; i++)
			EXPECT_EQ(buf[1], buf[1 + i]);
	}
}

TEST(read_on_cpu)
{
	int home = nth_cpu(0), cpu = nth_cpu(1) < 0 ? home : nth_cpu(1);
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_ALL_TIMES;
	int leader = perf_open(PERF_SW(PAGE_FAULTS, .read_format = format,
				       .disabled = 1), -1, cpu, -1);
	int sibling = perf_open(PERF_SW(CPU_CLOCK), -1, cpu, leader);
	__u64 buf[16];

	ASSERT_LE(0, leader);
	ASSERT_LE(0, sibling);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_enable(leader));
	fault_pages(10);
	ASSERT_EQ(0, pin_to_cpu(home));
	ASSERT_EQ(8 * 7, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_LE(10, buf[3]);
	EXPECT_LT(0, buf[5]);
	EXPECT_EQ(perf_event_id(sibling), buf[6]);
}

FIXTURE(full_group) {
};

/* 16 KiB: the size at which a group is full is ABI. */
FIXTURE_VARIANT(full_group) {
	__u64	format;
	__u64	bytes;
	int	nr;
};

FIXTURE_VARIANT_ADD(full_group, counts) {
	.format	= PERF_FORMAT_GROUP,
	.nr	= 2047,
	.bytes	= 8 * (1 + 2047),
};

FIXTURE_VARIANT_ADD(full_group, ids) {
	.format	= PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	.nr	= 1023,
	.bytes	= 8 * (1 + 2 * 1023),
};

FIXTURE_VARIANT_ADD(full_group, ids_and_times) {
	.format	= PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_ALL_TIMES,
	.nr	= 1022,
	.bytes	= 8 * (3 + 2 * 1022),
};

FIXTURE_VARIANT_ADD(full_group, ids_and_losses) {
	.format	= PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST,
	.nr	= 682,
	.bytes	= 8 * (1 + 3 * 682),
};

FIXTURE_SETUP(full_group)
{
	struct rlimit limit = { 8192, 8192 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

FIXTURE_TEARDOWN(full_group)
{
}

/* The data of a group must fit a record's length, however large the group is. */
TEST_F(full_group, too_large_to_read)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .read_format = variant->format);
	int leader = perf_open_self(attr), fd = 0, nr;
	static __u64 buf[8192];

	ASSERT_LE(0, leader);
	for (nr = 1; nr < 3000; nr++) {
		fd = perf_open(attr, 0, -1, leader);
		if (fd < 0)
			break;
	}
	EXPECT_EQ(-E2BIG, fd);
	EXPECT_EQ(variant->nr, nr);
	EXPECT_EQ(variant->bytes, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(variant->nr, buf[0]);
}

/* A member's read_format counts, too, if the leader has none. */
TEST(group_too_large_for_a_member)
{
	struct rlimit limit = { 8192, 8192 };
	struct perf_event_attr plain = PERF_SW(DUMMY);
	struct perf_event_attr whole = PERF_SW(DUMMY, .read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST);
	static __u64 buf[8192];
	int leader, member, fd = 0, nr;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	leader = perf_open_self(plain);
	member = perf_open(whole, 0, -1, leader);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	for (nr = 2; nr < 3000; nr++) {
		fd = perf_open(plain, 0, -1, leader);
		if (fd < 0)
			break;
	}
	EXPECT_EQ(-E2BIG, fd);
	ASSERT_EQ(8 + 24 * nr, read(member, buf, sizeof(buf)));
	EXPECT_EQ(nr, buf[0]);
}

TEST(reader_against_closer)
{
	__u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID, buf[64];
	struct perf_event_attr attr = PERF_SW(DUMMY, .read_format = format);
	int leader = perf_open_self(attr), i, len;
	pid_t child;

	ASSERT_LE(0, leader);
	child = fork_child();
	if (child == 0) {
		/* The same leader, from another process. */
		for (;;) {
			len = read(leader, buf, sizeof(buf));
			if (len != 8 + 16 * (int)buf[0])
				_exit(1);
		}
	}
	for (i = 0; i < 300; i++) {
		int a = perf_open(attr, 0, -1, leader);
		int b = perf_open(attr, 0, -1, leader);

		ASSERT_LE(0, a);
		ASSERT_LE(0, b);
		ASSERT_EQ(8 + 3 * 16, read(leader, buf, sizeof(buf)));
		close(a);
		close(b);
		ASSERT_EQ(8 + 16, read(leader, buf, sizeof(buf)));
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	kill_child(child);
}

/*
 * There is always a count to read: with O_NONBLOCK and without, and though the event samples, has
 * counted nothing and has an empty buffer.
 */
TEST(never_waits)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1));
	struct perf_buf buf;
	__u64 value;
	int flags;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	flags = fcntl(fd, F_GETFL);
	ASSERT_LE(0, flags);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, fcntl(fd, F_SETFL, i & 1 ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
		EXPECT_EQ(i & 1, !!(fcntl(fd, F_GETFL) & O_NONBLOCK));
		EXPECT_EQ(sizeof(value), read(fd, &value, sizeof(value)));
		EXPECT_EQ(0, value);
	}
	EXPECT_EQ(0, perf_poll(fd, POLLIN));
	perf_buf_unmap(&buf);
}

TEST_HARNESS_MAIN
