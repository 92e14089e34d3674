// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of two users that inherited events of the same kinds and alternate on one CPU.
 * A kernel may swap the contexts of two tasks only if both inherited the same events.
 * Here the events agree in all that a user can choose: kinds and numbers of events,
 * their order, which were enabled and disabled, and how often. No event samples or
 * counts a task of the other user.
 */
#include "../lib/buffer.h"
#include "../lib/forged_ids.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define USERS	2
#define TASKS	3	/* of each user; the first one opens the events */
#define MEMBERS	(USERS * TASKS)
#define TOGGLED	FORGED_IDS
#define ROUNDS	60
#define PAGES	8	/* touched in each round */
#define UID	60001

/* Ids that others may take before the first forged one is reached. */
#define MARGIN	1000

/* Shared by all tasks: the gates of the token, and the results of the users. */
struct users {
	int in[MEMBERS][2];
	int home[2];
	pid_t pid[MEMBERS];
	int failed[USERS];
	long own[USERS];	/* samples of the user's own tasks */
	long foreign[USERS];	/* samples of other tasks */
	long lost[USERS];
	long counted[USERS];
};

/* The events of a user. Its first task opens them. */
struct events {
	struct perf_event_attr attr;
	struct perf_buf buf;
	int sampled;
	int toggled[TOGGLED];
};

FIXTURE(users)
{
	struct users u;		/* shared with the children, as the fixture is */
	long paranoid;
};

FIXTURE_VARIANT(users)
{
	int toggles[USERS];	/* in every round */
	bool forged;		/* the second user chooses the ids of its events */
};

FIXTURE_VARIANT_ADD(users, never_toggled) {};
FIXTURE_VARIANT_ADD(users, toggled_alike) { .toggles = { 2, 2 } };
FIXTURE_VARIANT_ADD(users, one_behind) { .toggles = { 1, 2 } };
FIXTURE_VARIANT_ADD(users, forged) { .forged = true };
FIXTURE_VARIANT_ADD(users, toggled_by_one) { .toggles = { 0, 3 } };

/* Members of the two users alternate. */
static int user_of(int member)
{
	return member % USERS;
}

/* Ids are consecutive. */
static int open_with_id(struct perf_event_attr attr, __u64 id)
{
	__u64 got;
	int fd;

	do {
		fd = perf_open(attr, 0, -1, -1);
		if (fd < 0)
			return -1;
		got = perf_event_id(fd);
		if (got == id)
			return fd;
		close(fd);
	} while (got < id);
	errno = ERANGE;
	return -1;
}

/*
 * The hashes of the ids, by SipHash-2-4 with a zero key, have the sum 1. If a kernel
 * compares such a sum and the number of a context, then an event with each of these ids
 * that is disabled gives a context the number of the previous one.
 */
static int open_forged(struct events *e, struct perf_event_attr attr)
{
	__u64 now = perf_event_id(e->sampled), ids[TOGGLED];
	int err = forge_ids(now + MARGIN, 1, ids), i;

	if (err) {
		errno = -err;
		return -1;
	}
	ksft_print_msg("ids from %llu to %llu, at %llu now\n", ids[0], ids[TOGGLED - 1], now);
	for (i = 0; i < TOGGLED; i++) {
		e->toggled[i] = open_with_id(attr, ids[i]);
		if (e->toggled[i] < 0)
			return -1;
	}
	return 0;
}

static int open_all(struct events *e, bool forged)
{
	struct perf_event_attr attr = e->attr;
	int i;

	/* Records of the tasks of one CPU go to the buffer of an event of that CPU. */
	attr.disabled = 1;
	e->sampled = perf_open(attr, 0, sched_getcpu(), -1);
	if (e->sampled < 0 || perf_buf_map(&e->buf, e->sampled, 64) ||
	    perf_enable(e->sampled))
		return -1;
	attr.disabled = 0;
	attr.sample_period = 0;
	if (forged)
		return open_forged(e, attr);
	for (i = 0; i < TOGGLED; i++) {
		e->toggled[i] = perf_open(attr, 0, -1, -1);
		if (e->toggled[i] < 0)
			return -1;
	}
	return 0;
}

static void look_at_samples(struct users *u, int user, struct events *e)
{
	const struct perf_event_header *header;
	struct perf_rec rec;
	bool own;
	int i;

	while ((header = perf_buf_next(&e->buf))) {
		if (header->type == PERF_RECORD_LOST)
			u->lost[user]++;
		if (header->type != PERF_RECORD_SAMPLE ||
		    !perf_rec_parse(&e->attr, header, &rec))
			continue;
		own = false;
		for (i = user; i < MEMBERS; i += USERS)
			own |= rec.pid == (__u32)u->pid[i];
		if (own)
			u->own[user]++;
		else
			u->foreign[user]++;
	}
	if (e->buf.bad)
		u->failed[user] = EIO;
}

static void toggle(struct events *e, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		perf_disable(e->toggled[i % TOGGLED]);
		if (i & 1)
			perf_enable(e->toggled[i % TOGGLED]);
	}
}

/* One round of a member. The last member sends the token to the parent. */
static void be_member(struct users *u, int nr, struct events *e, int toggles)
{
	int to = nr + 1 < MEMBERS ? u->in[nr + 1][1] : u->home[1];
	int user = user_of(nr);
	char c;

	while (read(u->in[nr][0], &c, 1) == 1) {
		fault_pages(PAGES);
		if (e) {
			toggle(e, toggles);
			look_at_samples(u, user, e);
		}
		if (c == 'q' && e) {
			perf_disable(e->sampled);
			look_at_samples(u, user, e);
			u->counted[user] = perf_count(e->sampled);
		}
		if (write(to, &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* The first task of a user opens the events and forks the others. */
static void be_user(struct users *u, int user, int toggles, bool forged)
{
	struct events e = {
		.attr = PERF_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
				  .sample_period = 1, .inherit = 1, .exclude_kernel = 1,
				  .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_IP),
	};
	pid_t pid;
	int i;

	if (setresgid(UID + user, UID + user, UID + user) ||
	    setresuid(UID + user, UID + user, UID + user) || open_all(&e, forged))
		u->failed[user] = errno;
	u->pid[user] = getpid();
	for (i = user + USERS; !u->failed[user] && i < MEMBERS; i += USERS) {
		pid = fork_child();
		if (pid == 0)
			be_member(u, i, NULL, 0);
		u->pid[i] = pid;
	}
	for (i = 0; forged && i < TOGGLED; i++)
		perf_disable(e.toggled[i]);
	if (write(u->home[1], "x", 1) == 1 && !u->failed[user])
		be_member(u, user, &e, toggles);
	_exit(1);
}

FIXTURE_SETUP(users)
{
	pid_t pid;
	char c;
	int i;

	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, pipe2(self->u.home, O_CLOEXEC));
	for (i = 0; i < MEMBERS; i++)
		ASSERT_EQ(0, pipe2(self->u.in[i], O_CLOEXEC));
	for (i = 0; i < USERS; i++) {
		pid = fork_child();
		if (pid == 0)
			be_user(&self->u, i, variant->toggles[i], variant->forged && i);
		/*
		 * One user after the other, so that their contexts have consecutive
		 * numbers.
		 */
		ASSERT_EQ(1, read(self->u.home[0], &c, 1));
		ASSERT_EQ(0, self->u.failed[i]);
	}
}

FIXTURE_TEARDOWN_PARENT(users)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		if (self->u.pid[i] > 0)
			kill(self->u.pid[i], SIGKILL);
	}
	file_write_long(PARANOID, self->paranoid);
}

TEST_F(users, sample_their_own_tasks_only)
{
	struct users *u = &self->u;
	char c = 'x';
	int i;

	for (i = 0; i < ROUNDS; i++) {
		c = i == ROUNDS - 1 ? 'q' : 'x';
		ASSERT_EQ(1, write(u->in[0][1], &c, 1));
		ASSERT_EQ(1, read(u->home[0], &c, 1));
	}
	for (i = 0; i < USERS; i++) {
		EXPECT_EQ(0, u->failed[i]);
		EXPECT_EQ(0, u->foreign[i]);
		EXPECT_EQ(0, u->lost[i]);
		/* The last rounds of the other tasks came after the samples were read. */
		EXPECT_LE(PAGES * (TASKS * ROUNDS - TASKS + 1), u->own[i]);
		EXPECT_EQ(u->counted[i], u->own[i]);
	}
}

TEST_HARNESS_MAIN
