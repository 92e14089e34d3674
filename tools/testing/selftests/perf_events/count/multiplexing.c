// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexing on the fake PMU: which events are on the hardware when there are too few
 * counters, for how long, and that no occurrence is lost or counted twice.
 */
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define MAX_EVENTS	64

static int fds[MAX_EVENTS];
static __u64 begin[MAX_EVENTS];	/* time_running of each at the begin of a window */

/* All events start at once. The host may run others between two calls. */
static int open_some(const char *name, int nr)
{
	struct perf_event_attr attr = fake_attr(name);

	attr.disabled = 1;
	for (int i = 0; i < nr; i++) {
		fds[i] = perf_open_self(attr);
		if (fds[i] < 0)
			return fds[i];
	}
	return prctl(PR_TASK_PERF_EVENTS_ENABLE) ? -errno : 0;
}

static void begin_window(int nr)
{
	for (int i = 0; i < nr; i++)
		begin[i] = perf_timed_count(fds[i]).running;
}

/* The longest time_running in the window over the shortest, in percent. */
static int spread(int nr)
{
	__u64 least = ~0ULL, most = 0, ran;

	for (int i = 0; i < nr; i++) {
		ran = perf_timed_count(fds[i]).running - begin[i];
		least = ran < least ? ran : least;
		most = ran > most ? ran : most;
	}
	return least ? most * 100 / least : INT_MAX;
}

/* A loaded host delays the timers of a virtual machine. */
#define EXPECT_SOON(_what)	EXPECT_TRUE(BURNS_UNTIL(_what))

/*
 * If the host stops the machine, the events that have counters get all of that time at once. So
 * shares are compared in windows, and one without such a stop is enough.
 */
#define WINDOWS		50

static bool share_for_a_while(int nr, int most)
{
	begin_window(nr);
	burn_cpu(300 * NSEC_PER_MSEC);
	return spread(nr) <= most;
}

#define EXPECT_SHARED(_nr, _most)	\
	EXPECT_TRUE(IN_SOME_TRY(WINDOWS, share_for_a_while(_nr, _most)))

/* All events have had their share, or a part of the time at least. */
static bool all_ran(int nr)
{
	return spread(nr) < INT_MAX;
}

static int fake_open(struct perf_event_attr attr, int group)
{
	return perf_open(attr, 0, -1, group);
}

FIXTURE(share)
{
	long faults;
	int cpu[2];
};

FIXTURE_SETUP(share)
{
	SKIP_WITHOUT_FAKE();
	self->faults = fake_faults();
	self->cpu[0] = nth_cpu(0);
	self->cpu[1] = nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu[0]));
}

FIXTURE_TEARDOWN_PARENT(share)
{
	if (access(FAKE_DEVICE, F_OK))
		return;
	EXPECT_EQ(self->faults, fake_faults());
	fake_prepare();
}

TEST_F(share, names_in_sysfs)
{
	char text[64];

	ASSERT_LT(0, file_read(FAKE_DEVICE "/format/event", text, sizeof(text)));
	EXPECT_STREQ("config:0-7\n", text);
	ASSERT_LT(0, file_read(FAKE_DEVICE "/format/mask", text, sizeof(text)));
	EXPECT_STREQ("config:8-23\n", text);
	EXPECT_EQ(0, fake_attr("poke").config);
	EXPECT_EQ(1, fake_attr("ns").config);
	EXPECT_EQ(2, fake_attr("us").config);
	EXPECT_EQ(3, fake_attr("ms").config);
}

/*
 * The counter and the time start and stop at slightly different moments, and the host
 * may run others in between. So a few tries are allowed.
 */
static bool counts_its_time(int fd)
{
	struct perf_timed before = perf_timed_count(fd), t;

	burn_cpu(2 * NSEC_PER_MSEC);
	t = perf_timed_count(fd);
	t.value -= before.value;
	t.running -= before.running;
	return t.running / 100 * 99 <= t.value && t.running / 100 * 101 >= t.value;
}

TEST_F(share, what_fits_runs_all_the_time)
{
	struct perf_timed t;

	ASSERT_EQ(0, open_some("ns", 4));
	burn_cpu(20 * NSEC_PER_MSEC);
	for (int i = 0; i < 4; i++) {
		EXPECT_TRUE(IN_SOME_TRY(20, counts_its_time(fds[i])));
		ASSERT_EQ(0, perf_disable(fds[i]));
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.running);
		EXPECT_EQ(t.enabled, t.running);
	}
}

TEST_F(share, equal_shares)
{
	struct perf_timed t;

	ASSERT_EQ(0, open_some("ns", 18));
	EXPECT_SHARED(18, 120);
	for (int i = 0; i < 18; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.value);
		EXPECT_GT(t.enabled, t.running);
	}
}

/* In a short program all events count. */
TEST_F(share, nobody_is_left_out)
{
	ASSERT_EQ(0, open_some("ns", 20));
	EXPECT_SOON(all_ran(20));
}

/* Groups of two with a sibling of the fake PMU. They are enabled when all are open. */
static int open_pairs(struct perf_event_attr leader, int siblings[], int nr)
{
	int i;

	leader.disabled = 1;
	for (i = 0; i < nr; i++) {
		fds[i] = fake_open(leader, -1);
		siblings[i] = fake_open(fake_attr("ns"), fds[i]);
		if (siblings[i] < 0)
			return siblings[i];
	}
	return prctl(PR_TASK_PERF_EVENTS_ENABLE) ? -errno : 0;
}

TEST_F(share, groups_are_not_split)
{
	struct perf_timed leader, sibling;
	int siblings[5], i;

	ASSERT_EQ(0, open_pairs(fake_attr("ns"), siblings, 5));
	EXPECT_SHARED(5, 130);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, perf_disable(fds[i]));
		leader = perf_timed_count(fds[i]);
		sibling = perf_timed_count(siblings[i]);
		EXPECT_LT(0, leader.running);
		EXPECT_GT(leader.enabled, leader.running);
		EXPECT_EQ(leader.running, sibling.running);
		EXPECT_EQ(leader.enabled, sibling.enabled);
		EXPECT_LT(0, sibling.value);
	}
}

TEST_F(share, too_big_is_refused)
{
	int leader = fake_open(fake_attr("ns"), -1), i;

	ASSERT_LE(0, leader);
	for (i = 0; i < 3; i++)
		ASSERT_LE(0, fake_open(fake_attr("ns"), leader));
	EXPECT_EQ(-EINVAL, fake_open(fake_attr("ns"), leader));
}

/* A group that never fits takes no time from others. It runs as soon as it fits. */
TEST_F(share, too_big_is_in_nobodys_way)
{
	struct perf_event_attr attr = fake_attr("ns");
	int leader, i;

	ASSERT_EQ(0, fake_set("any_group", "Y"));
	attr.disabled = 1;
	leader = fake_open(attr, -1);
	ASSERT_LE(0, leader);
	for (i = 0; i < 5; i++)
		ASSERT_LE(0, fake_open(fake_attr("ns"), leader));
	ASSERT_EQ(0, open_some("ns", 6));
	EXPECT_SHARED(6, 130);
	EXPECT_EQ(0, perf_timed_count(leader).running);
	ASSERT_EQ(0, fake_set("counters", "8"));
	ASSERT_EQ(0, perf_disable(fds[0]));
	EXPECT_SOON(perf_timed_count(leader).running > 0);
}

TEST_F(share, pinned_is_on_or_in_error)
{
	struct perf_event_attr attr = fake_attr("poke");
	struct perf_timed t;
	int other, i;

	other = perf_open_self(fake_attr("ns"));
	attr.pinned = 1;
	for (i = 0; i < 4; i++) {
		fds[i] = perf_open_self(attr);
		ASSERT_LE(0, fds[i]);
	}
	fds[4] = perf_open_self(attr);
	ASSERT_LE(0, fds[4]);
	ASSERT_EQ(0, fake_poke(3));
	burn_cpu(20 * NSEC_PER_MSEC);
	for (i = 0; i < 4; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_EQ(3, t.value);
		EXPECT_EQ(t.enabled, t.running);
	}
	/* A read returns end of file while the event is in error. */
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	t = perf_timed_count(other);
	EXPECT_GT(t.enabled, t.running);

	close(fds[0]);
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	ASSERT_EQ(0, perf_enable(fds[4]));
	ASSERT_EQ(0, fake_poke(5));
	t = perf_timed_count(fds[4]);
	EXPECT_EQ(5, t.value);
	EXPECT_LT(0, t.running);
}

/* Only enabling ends the error: disabling does not. */
TEST_F(share, pinned_stays_in_error_when_disabled)
{
	struct perf_event_attr attr = fake_attr("poke");
	struct perf_timed t;
	int i;

	attr.pinned = 1;
	for (i = 0; i < 5; i++) {
		fds[i] = perf_open_self(attr);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	ASSERT_EQ(0, perf_disable(fds[4]));
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	close(fds[0]);
	ASSERT_EQ(0, perf_disable(fds[4]));
	EXPECT_EQ(0, read(fds[4], &t, sizeof(t)));
	ASSERT_EQ(0, perf_enable(fds[4]));
	ASSERT_EQ(0, fake_poke(5));
	EXPECT_EQ(5, perf_timed_count(fds[4]).value);
}

/* Pinned groups that a task may have while it is off the CPU: all are tried when it comes back. */
#define PINNED_MOST	64
#define PINNED		100

static int in_error(const int *fd, int nr)
{
	struct perf_timed t;
	int found = 0;

	while (nr--)
		found += read(fd[nr], &t, sizeof(t)) == 0;
	return found;
}

TEST_F(share, too_many_pinned_go_into_error_at_once)
{
	struct perf_event_attr attr = fake_attr("ns");
	int pinned[PINNED];
	pid_t pid;

	SKIP_STOCK_FAULT(true, "a switch tries any number of pinned events");
	pid = fork_child();
	if (!pid) {
		raise(SIGSTOP);
		for (;;)
			burn_cpu(NSEC_PER_MSEC);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, WUNTRACED));
	/* It reports the stop before it leaves its CPU. */
	ASSERT_TRUE(wait_off_cpu(pid));
	attr.pinned = 1;
	for (int i = 0; i < PINNED; i++) {
		pinned[i] = perf_open(attr, pid, -1, -1);
		ASSERT_LE(0, pinned[i]);
	}
	EXPECT_EQ(PINNED - PINNED_MOST, in_error(pinned, PINNED));
	ASSERT_EQ(0, kill(pid, SIGCONT));
	/* The fake PMU has four counters. */
	EXPECT_TRUE(COMES_TRUE(in_error(pinned, PINNED) == PINNED - 4));
	EXPECT_EQ(0, in_error(pinned, 4));
	kill_child(pid);
	perf_close_all(pinned, PINNED);
}

/* The sum of the times that the first events have run. */
static __u64 sum_running(int nr)
{
	__u64 sum = 0;

	while (nr--)
		sum += perf_timed_count(fds[nr]).running;
	return sum;
}

/* When one event follows another, the host may take the CPU. Then no event has that time. */
static bool one_always_runs(int nr)
{
	__u64 enabled = perf_timed_count(fds[0]).enabled, sum = sum_running(nr);

	burn_cpu(100 * NSEC_PER_MSEC);
	sum = sum_running(nr) - sum;
	enabled = perf_timed_count(fds[0]).enabled - enabled;
	return enabled / 10 * 8 <= sum;
}

TEST_F(share, exclusive_is_alone)
{
	struct perf_event_attr attr = fake_attr("ns");
	__u64 start = clock_ns(CLOCK_MONOTONIC), sum = 0, took;
	struct perf_timed t;

	attr.exclusive = 1;
	for (int i = 0; i < 3; i++) {
		fds[i] = perf_open_self(attr);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_SOON(all_ran(3));
	EXPECT_TRUE(IN_SOME_TRY(20, one_always_runs(3)));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, perf_disable(fds[i]));
	took = clock_ns(CLOCK_MONOTONIC) - start;
	for (int i = 0; i < 3; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.running);
		sum += t.running;
	}
	/* Never two at a time. The task may have to wait for the CPU. */
	EXPECT_GE(took + took / 20 + NSEC_PER_MSEC, sum);
}

/* The event has had between a quarter of the time and @most percent. */
static bool has_its_share(int fd, unsigned int most)
{
	struct perf_timed t = perf_timed_count(fd);

	return t.enabled / 4 <= t.running && t.running < t.enabled / 100 * most;
}

static bool all_have_their_share(const int *task, const int *cpu, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!has_its_share(task[i], 85) || !has_its_share(cpu[i], 101))
			return false;
	return true;
}

/* A software leader counts when its hardware sibling does. */
TEST_F(share, mixed_groups)
{
	struct perf_timed leader, sibling;
	int hw[6], i;

	ASSERT_EQ(0, open_pairs(PERF_SW(TASK_CLOCK, .read_format = PERF_ALL_TIMES),
				hw, 6));
	EXPECT_SHARED(6, 130);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, perf_disable(fds[i]));
		leader = perf_timed_count(fds[i]);
		sibling = perf_timed_count(hw[i]);
		EXPECT_LT(0, leader.running);
		EXPECT_GT(leader.enabled, leader.running);
		EXPECT_LT(0, leader.value);
		EXPECT_GT(leader.enabled, leader.value);
		EXPECT_EQ(leader.running, sibling.running);
	}
}

TEST_F(share, cpu_and_task_together)
{
	int cpu = self->cpu[0], of_cpu[3], pinned, i;
	struct perf_event_attr attr = fake_attr("ns");
	struct perf_timed t;

	attr.pinned = 1;
	pinned = perf_open(attr, -1, cpu, -1);
	ASSERT_LE(0, pinned);
	for (i = 0; i < 3; i++) {
		of_cpu[i] = perf_open(fake_attr("ns"), -1, cpu, -1);
		ASSERT_LE(0, of_cpu[i]);
	}
	ASSERT_EQ(0, open_some("ns", 3));
	burn_cpu(200 * NSEC_PER_MSEC);
	EXPECT_SOON(all_have_their_share(fds, of_cpu, 3));
	t = perf_timed_count(pinned);
	EXPECT_EQ(t.enabled, t.running);
}

/* Each event has had a counter for that part of its time, in percent. */
static bool all_ran_for(const int *fd, int nr, unsigned int least)
{
	struct perf_timed t;

	while (nr--) {
		t = perf_timed_count(fd[nr]);
		if (t.running < t.enabled / 100 * least)
			return false;
	}
	return true;
}

/* Sixty events are to have equal shares, once between these times. */
#define HALVES_BEGIN_MS	200
#define HALVES_END_MS	600

/*
 * The number of events on one side takes nothing from the other one: each has two counters. If the
 * host stops the machine for long, the events that have counters then are ahead of sixty others for
 * minutes. So each try has new events.
 */
static void share_in_halves(struct __test_metadata *_metadata, int cpu, int nr_of_cpu,
			    int nr_of_task)
{
	int of_cpu[MAX_EVENTS], nr;
	bool shared = false;

	for (nr = 0; !shared && nr < WINDOWS; nr++) {
		for (int i = 0; i < nr_of_cpu; i++) {
			of_cpu[i] = perf_open(fake_attr("ns"), -1, cpu, -1);
			ASSERT_LE(0, of_cpu[i]);
		}
		ASSERT_EQ(0, open_some("ns", nr_of_task));
		burn_cpu(HALVES_BEGIN_MS * NSEC_PER_MSEC);
		for (int ms = HALVES_BEGIN_MS; !shared && ms < HALVES_END_MS; ms++) {
			burn_cpu(NSEC_PER_MSEC);
			shared = all_ran_for(of_cpu, nr_of_cpu, 2 * 90 / nr_of_cpu) &&
				 all_ran_for(fds, nr_of_task, 2 * 90 / nr_of_task);
		}
		perf_close_all(of_cpu, nr_of_cpu);
		perf_close_all(fds, nr_of_task);
	}
	show_tries(_metadata->fixture->name, _metadata->name, nr, WINDOWS);
	EXPECT_TRUE(shared);
}

TEST_F(share, many_events_of_a_task)
{
	SKIP_STOCK_FAULT(true, "events of a task get what those of the CPU leave");
	share_in_halves(_metadata, self->cpu[0], 4, 60);
}

TEST_F(share, many_events_of_a_cpu)
{
	SKIP_STOCK_FAULT(true, "events of a task get what those of the CPU leave");
	share_in_halves(_metadata, self->cpu[0], 60, 4);
}

/* Occurrences while the task is on another CPU are not its own. Those on this CPU are. */
TEST_F(share, counts_follow_the_task)
{
	__u64 sum = 0;

	if (self->cpu[1] < 0)
		SKIP(return, "one CPU");
	/* Counters that wrap often. */
	ASSERT_EQ(0, fake_set("width", "8"));
	ASSERT_EQ(0, open_some("poke", 4));
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(0, pin_to_cpu(self->cpu[i % 2]));
		ASSERT_EQ(0, fake_poke(7 * i));
		sum += 7 * i;
		if (!(i % 10))
			sleep_ms(1);
	}
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(sum, perf_timed_count(fds[i]).value);
}

/* Poke random CPUs. Returns the number of pokes, or -1. */
static long poke_about(unsigned int seed, const int cpu[2])
{
	long sum = 0;

	for (int i = 0; i < 150; i++) {
		unsigned int count = rand_r(&seed) % 700;

		if (pin_to_cpu(cpu[rand_r(&seed) % 2]) || fake_poke(count))
			return -1;
		if (!(rand_r(&seed) % 8))
			sleep_ms(1);
		sum += count;
	}
	return sum;
}

/*
 * Tasks move between CPUs with counters that wrap often, beside events of the CPUs. The
 * tasks' events together count everything, and so do the CPUs'.
 */
TEST_F(share, moves_lose_nothing)
{
	struct perf_event_attr attr = fake_attr("poke");
	long *sum = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long total = 0, counted = 0;
	pid_t child[3];
	int of_cpu[2], i;

	if (self->cpu[1] < 0)
		SKIP(return, "one CPU");
	ASSERT_NE(MAP_FAILED, sum);
	ASSERT_EQ(0, fake_set("width", "10"));
	for (i = 0; i < 2; i++) {
		of_cpu[i] = perf_open(attr, -1, self->cpu[i], -1);
		ASSERT_LE(0, of_cpu[i]);
	}
	for (i = 0; i < 3; i++) {
		child[i] = fork_child();
		if (!child[i]) {
			if (open_some("poke", 3))
				_exit(1);
			sum[i] = poke_about(17 + i, self->cpu);
			for (int j = 0; j < 3; j++)
				if (perf_timed_count(fds[j]).value != (__u64)sum[i])
					_exit(2 + j);
			_exit(0);
		}
	}
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, wait_status(child[i]));
		total += sum[i];
	}
	for (i = 0; i < 2; i++)
		counted += perf_timed_count(of_cpu[i]).value;
	EXPECT_LT(0, total);
	EXPECT_EQ(total, counted);
}

TEST_F(share, children_are_counted)
{
	struct perf_event_attr attr = fake_attr("poke");
	pid_t child[4];
	int fd, i;

	attr.inherit = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 4; i++) {
		child[i] = fork_child();
		if (!child[i]) {
			for (int j = 0; j < 50; j++)
				if (fake_poke(1) || sched_yield())
					_exit(1);
			_exit(0);
		}
	}
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, wait_status(child[i]));
	EXPECT_EQ(200, perf_timed_count(fd).value);
}

/* Two tasks alternate on a CPU, each with more events than there are counters. */
TEST_F(share, tasks_that_alternate)
{
	struct gate there = gate_new(), back = gate_new();
	pid_t child = fork_child();
	int rounds = 0, most = INT_MAX;

	if (!child) {
		if (open_some("ns", 9))
			_exit(1);
		for (;;) {
			gate_wait(&there);
			burn_cpu(100000);
			gate_open(&back);
		}
	}
	ASSERT_EQ(0, open_some("ns", 9));
	while (most > 150 && rounds < 200000) {
		burn_cpu(100000);
		gate_open(&there);
		gate_wait(&back);
		if (++rounds % 1000)
			continue;
		most = spread(9);
		begin_window(9);
	}
	EXPECT_GE(150, most);
	kill_child(child);
}

/* The debugfs file shows the events on counters and those that wait. */
TEST_F(share, holders_are_shown)
{
	char path[] = FAKE_DEBUGFS "/perf_events/fake";
	char line[256], state[16], counter[16];
	int held = 0, waiting = 0, pinned = 0;
	unsigned long long id;
	struct perf_event_attr attr = fake_attr("poke");
	struct stat st;
	FILE *file;

	attr.pinned = 1;
	fds[0] = perf_open_self(attr);
	ASSERT_LE(0, fds[0]);
	for (int i = 1; i < 7; i++)
		fds[i] = perf_open_self(fake_attr("ns"));
	burn_cpu(10 * NSEC_PER_MSEC);
	file = fopen(path, "r");
	ASSERT_NE(NULL, file);
	ASSERT_EQ(0, fstat(fileno(file), &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*d %15s %15s %llu", state, counter, &id) != 3)
			continue;
		for (int i = 0; i < 7; i++) {
			if (id != perf_event_id(fds[i]))
				continue;
			held += counter[0] != '-';
			waiting += !strcmp(state, "waiting");
			pinned += !strcmp(state, "pinned") && !i;
		}
	}
	fclose(file);
	EXPECT_EQ(4, held);
	EXPECT_EQ(3, waiting);
	EXPECT_EQ(1, pinned);
}

/* A CPU that has more events than the file shows says so, instead of walking them all. */
TEST_F(share, lines_of_holders_are_limited)
{
	struct perf_event_attr attr = fake_attr("ns");
	int nr = 0, more = 0, opened;
	char line[256], end[16];
	FILE *file;

	for (opened = 0; opened < 600; opened++) {
		if (fake_open(attr, -1) < 0)
			break;
	}
	ASSERT_EQ(600, opened);
	file = fopen(FAKE_DEBUGFS "/perf_events/fake", "r");
	ASSERT_NE(NULL, file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*d and perhaps %15s", end) == 1)
			more++;
		else
			nr += atoi(line) == self->cpu[0] && line[0] != 'c';
	}
	fclose(file);
	EXPECT_EQ(512, nr);
	EXPECT_EQ(1, more);
}

TEST_HARNESS_MAIN
