// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/self/perf_event_refusal: why the task's last perf_event_open() was refused, in
 * one line "field: reason". The stock kernel has no such file.
 */
#include <ctype.h>
#include <linux/capability.h>
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"

#define REFUSAL		"/proc/self/perf_event_refusal"
#define OF_THREAD	"/proc/thread-self/perf_event_refusal"
#define TEXT_SIZE	512

FIXTURE(refusal)
{
	char text[TEXT_SIZE];
};

FIXTURE_SETUP(refusal)
{
	if (perf_is_stock())
		SKIP(return, "stock has no such file");
}

FIXTURE_TEARDOWN(refusal)
{
}

#define READ_REFUSAL() \
	ASSERT_LE(0, file_read(REFUSAL, self->text, sizeof(self->text)))

/* "word: something\n" and nothing else. */
static bool well_formed(const char *text)
{
	const char *colon = strchr(text, ':'), *end = strchr(text, '\n');
	const char *p;

	if (!colon || !end || end[1] || colon == text)
		return false;
	for (p = text; p < colon; p++)
		if (!isalnum(*p) && *p != '_' && *p != '.')
			return false;
	return colon[1] == ' ' && end > colon + 2;
}

static bool names(const char *text, const char *field)
{
	size_t len = strlen(field);

	return !strncmp(text, field, len) && text[len] == ':';
}

TEST_F(refusal, empty_at_first)
{
	pid_t child = fork_child();

	if (child == 0) {
		/* A new task has had no refusal. */
		_exit(file_read(REFUSAL, self->text, sizeof(self->text)) != 0);
	}
	EXPECT_EQ(0, wait_status(child));
}

TEST_F(refusal, names_the_field)
{
	static const struct {
		const char *field;
		struct perf_event_attr attr;
	} rows[] = {
		{ "config", PERF_ATTR(PERF_TYPE_SOFTWARE, 1000) },
		{ "type", PERF_ATTR(0x7fff, 0) },
		{ "sample_type", PERF_SW(DUMMY, .sample_type = 1ULL << 40) },
		{ "read_format", PERF_SW(DUMMY, .read_format = 1ULL << 40) },
		{ "sample_period", PERF_SW(DUMMY, .sample_period = ~0ULL) },
		{ "sample_freq", PERF_SW(CPU_CLOCK, .freq = 1,
					 .sample_freq = ~0ULL) },
		{ "clockid", PERF_SW(DUMMY, .use_clockid = 1, .clockid = 99) },
		{ "inherit_thread", PERF_SW(DUMMY, .inherit_thread = 1) },
		{ "sigtrap", PERF_SW(DUMMY, .sigtrap = 1) },
		{ "branch_sample_type",
		  PERF_SW(DUMMY, .sample_type = PERF_SAMPLE_BRANCH_STACK,
			  .branch_sample_type = 1ULL << 63) },
		{ "sample_stack_user",
		  PERF_SW(DUMMY, .sample_type = PERF_SAMPLE_STACK_USER,
			  .sample_stack_user = 3) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_GT(0, perf_try_self(rows[i].attr));
		READ_REFUSAL();
		EXPECT_TRUE(well_formed(self->text)) {
			TH_LOG("malformed: '%s'", self->text);
		}
		EXPECT_TRUE(names(self->text, rows[i].field)) {
			TH_LOG("expected %s, got '%s'", rows[i].field,
			       self->text);
		}
	}
}

TEST_F(refusal, names_the_argument)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);

	EXPECT_EQ(-ESRCH, perf_try(attr, INT_MAX, -1, -1, 0));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "pid")) { TH_LOG("%s", self->text); }
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, 1 << 20, -1, 0));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "cpu")) { TH_LOG("%s", self->text); }
	EXPECT_EQ(-EBADF, perf_try(attr, 0, -1, 9999, 0));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "group_fd")) { TH_LOG("%s", self->text); }
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, -1, 1UL << 20));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "flags")) { TH_LOG("%s", self->text); }
	EXPECT_TRUE(well_formed(self->text));
}

TEST_F(refusal, every_refusal_has_a_reason)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int bit;

	for (bit = 0; bit < 64; bit++) {
		EXPECT_EQ(0, perf_try_self(attr));
		attr.sample_type = 1ULL << bit;
		if (perf_try_self(attr)) {
			READ_REFUSAL();
			EXPECT_TRUE(well_formed(self->text)) {
				TH_LOG("bit %d: '%s'", bit, self->text);
			}
		}
		attr.sample_type = 0;
	}
}

/* The file shows the last refusal, also after an open that succeeded. */
TEST_F(refusal, stays_until_the_next)
{
	EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)));
	EXPECT_EQ(0, perf_try_self(PERF_SW(DUMMY)));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "config")) { TH_LOG("%s", self->text); }
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_SW(DUMMY, .sigtrap = 1)));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "sigtrap")) { TH_LOG("%s", self->text); }
}

/* Other tasks do not see a task's refusal. */
TEST_F(refusal, belongs_to_the_task)
{
	pid_t child;

	EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)));
	child = fork_child();
	if (child == 0)
		_exit(perf_try_self(PERF_SW(DUMMY, .sigtrap = 1)) != -EINVAL);
	EXPECT_EQ(0, wait_status(child));
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "config")) { TH_LOG("%s", self->text); }
}

/* The next program in the task may have fewer rights. */
TEST_F(refusal, ends_with_the_program)
{
	char text[512] = "";
	int fd[2];
	pid_t child;

	ASSERT_EQ(0, pipe(fd));
	child = fork_child();
	if (child == 0) {
		if (perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)) != -ENOENT)
			_exit(1);
		dup2(fd[1], STDOUT_FILENO);
		execlp("cat", "cat", REFUSAL, NULL);
		_exit(2);
	}
	close(fd[1]);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(0, read(fd[0], text, sizeof(text) - 1)) { TH_LOG("%s", text); }
	close(fd[0]);
}

TEST_F(refusal, read_in_pieces)
{
	char piece[8], whole[512] = "";
	ssize_t len;
	int fd;

	EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)));
	READ_REFUSAL();
	fd = open(REFUSAL, O_RDONLY);
	ASSERT_LE(0, fd);
	while ((len = read(fd, piece, sizeof(piece))) > 0)
		strncat(whole, piece, len);
	EXPECT_STREQ(self->text, whole);
	EXPECT_EQ(-1, write(fd, "x", 1));
}

/* Each thread reads its own reason. */
static void *refused_thread(void *text)
{
	perf_try_self(PERF_SW(DUMMY, .sigtrap = 1));
	file_read(OF_THREAD, text, TEXT_SIZE);
	return NULL;
}

TEST_F(refusal, belongs_to_the_thread)
{
	pthread_t thread;

	EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, refused_thread, self->text));
	pthread_join(thread, NULL);
	EXPECT_TRUE(names(self->text, "sigtrap")) { TH_LOG("%s", self->text); }
	/* The file of the process is the main thread's. */
	READ_REFUSAL();
	EXPECT_TRUE(names(self->text, "config")) { TH_LOG("%s", self->text); }
}

/*
 * Fail to open an event, and read why, in a program that is not dumpable: its files in /proc belong
 * to root. The result is an exit status.
 */
static int refused_undumpable(void)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_SOFTWARE, 1000, .exclude_kernel = 1);
	char text[TEXT_SIZE];

	if (prctl(PR_GET_DUMPABLE) == 1)
		return 1;
	/* perf_event_paranoid decides which errno it is */
	if (!perf_try_self(attr))
		return 2;
	if (file_read(REFUSAL, text, sizeof(text)) < 0)
		return 3;
	if (file_read(OF_THREAD, text, sizeof(text)) < 0)
		return 4;
	return well_formed(text) ? 0 : 5;
}

/* A program that has given up the rights of root. */
TEST_F(refusal, read_after_setuid)
{
	pid_t child = fork_child();

	if (child == 0) {
		if (setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
		    setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY))
			_exit(250);
		_exit(refused_undumpable());
	}
	EXPECT_EQ(0, wait_status(child));
}

FIXTURE(capable)
{
	char path[128];
};

FIXTURE_SETUP(capable)
{
	if (perf_is_stock())
		SKIP(return, "stock has no such file");
	ASSERT_EQ(0, user_capable_program(self->path, sizeof(self->path), USER_CAP(CAP_PERFMON)));
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(capable)
{
	user_setuid_program_remove();
}

/* A profiler with a file capability, which an ordinary user executes. */
TEST_F(capable, reads_its_own)
{
	pid_t child = fork_child();

	if (child == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(250);
		execl(self->path, "program", "--refused", NULL);
		_exit(251);
	}
	EXPECT_EQ(0, wait_status(child));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--refused"))
		return refused_undumpable();
	return test_harness_run(argc, argv);
}
