// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexing on the fake PMU: groups that become eligible are placed beside the others. None
 * gets the time that the others had before it came, and none is kept off for time that it had
 * alone. Groups that cannot fit cost the others nothing.
 *
 * All loads are bounded by the time that an event has run, never by time itself.
 */
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define SINGLES		6
#define MANY		8
#define CROWD		300

/* The time that events run before something changes, and the time that they are watched after it. */
#define BEFORE_NS	(200 * NSEC_PER_MSEC)
#define AFTER_NS	(100 * NSEC_PER_MSEC)

FIXTURE(fair)
{
	int single[SINGLES];
	__u64 since[SINGLES];	/* what they had run when since_now() was called */
	long faults, interval;
	int cpu, other, hotplug;
	bool broken;		/* by what no stop of the host explains */
};

#define INTERVAL	FAKE_DEVICE "/perf_event_mux_interval_ms"

static struct perf_event_attr pinned_attr(void)
{
	struct perf_event_attr attr = fake_attr("ns");

	attr.pinned = 1;
	return attr;
}

static __u64 ran(int fd)
{
	return perf_timed_count(fd).running;
}

static void since_now(FIXTURE_DATA(fair) *self)
{
	for (int i = 0; i < SINGLES; i++)
		self->since[i] = ran(self->single[i]);
}

static __u64 least_since(FIXTURE_DATA(fair) *self)
{
	__u64 least = ~0ULL, since;

	for (int i = 0; i < SINGLES; i++) {
		since = ran(self->single[i]) - self->since[i];
		least = since < least ? since : least;
	}
	return least;
}

static __u64 most_since(FIXTURE_DATA(fair) *self)
{
	__u64 most = 0, since;

	for (int i = 0; i < SINGLES; i++) {
		since = ran(self->single[i]) - self->since[i];
		most = since > most ? since : most;
	}
	return most;
}

/* A group that needs all counters. Return: its leader, or a negative errno. */
static int open_large(pid_t pid, int cpu)
{
	int leader = perf_open(fake_attr("ns"), pid, cpu, -1), fd;

	for (int i = 1; i < FAKE_COUNTERS && leader >= 0; i++) {
		fd = perf_open(fake_attr("ns"), pid, cpu, leader);
		if (fd < 0)
			return fd;
	}
	return leader;
}

static int open_singles(FIXTURE_DATA(fair) *self, pid_t pid, int cpu)
{
	for (int i = 0; i < SINGLES; i++) {
		self->single[i] = perf_open(fake_attr("ns"), pid, cpu, -1);
		if (self->single[i] < 0)
			return self->single[i];
	}
	since_now(self);
	return 0;
}

/*
 * If the host stops the machine, the events that have counters get all of that time at once. So
 * shares are compared more than once, and one time without such a stop is enough.
 */
#define TRIES		50
#define EXPECT_SHARED(_try) do {				\
	EXPECT_TRUE(IN_SOME_TRY(TRIES, self->broken || (_try)));	\
	EXPECT_FALSE(self->broken);				\
} while (0)

/* Each single event runs for half of the time for which another one does. */
static bool share(FIXTURE_DATA(fair) *self)
{
	since_now(self);
	return BURNS_UNTIL(most_since(self) > AFTER_NS) &&
	       2 * least_since(self) > most_since(self);
}

/* They run for half of the time for which the event @fd does. */
static bool share_with(FIXTURE_DATA(fair) *self, int fd)
{
	__u64 before = ran(fd);

	since_now(self);
	return BURNS_UNTIL(ran(fd) - before > AFTER_NS) &&
	       2 * least_since(self) > ran(fd) - before;
}

FIXTURE_SETUP(fair)
{
	SKIP_WITHOUT_FAKE();
	self->faults = fake_faults();
	ASSERT_EQ(0, file_read_long(INTERVAL, &self->interval));
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	self->hotplug = hotplug_cpu();
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN_PARENT(fair)
{
	if (access(FAKE_DEVICE, F_OK))
		return;
	if (self->hotplug >= 0)
		cpu_set_online(self->hotplug, true);
	EXPECT_EQ(self->faults, fake_faults());
	if (self->interval)
		file_write_long(INTERVAL, self->interval);
	fake_prepare();
}

/*
 * A large group does not fit while an event is pinned, which goes. Return: it and the others share
 * again.
 */
static bool share_after_misfit(FIXTURE_DATA(fair) *self, int *pinned, int large)
{
	__u64 before = ran(large);
	bool good;

	since_now(self);
	if (!BURNS_UNTIL(least_since(self) > BEFORE_NS) || ran(large) != before)
		self->broken = true;
	close(*pinned);
	good = share_with(self, large);
	/* for another try */
	*pinned = perf_open_self(pinned_attr());
	return good;
}

/* The pinned event beside which it does not fit goes. */
TEST_F(fair, misfit_comes_back)
{
	int pinned = perf_open_self(pinned_attr()), large;

	ASSERT_LE(0, pinned);
	/* the leader counts alone at first */
	large = open_large(0, -1);
	ASSERT_LE(0, large);
	ASSERT_EQ(0, open_singles(self, 0, -1));
	EXPECT_SHARED(share_after_misfit(self, &pinned, large));
}

static bool share_after_restart(FIXTURE_DATA(fair) *self)
{
	for (int i = 0; i < SINGLES / 2; i++) {
		if (perf_disable(self->single[i]) || perf_enable(self->single[i]))
			self->broken = true;
	}
	return share(self);
}

/* Events are enabled again while a group that does not fit is tried again. */
TEST_F(fair, restarted_beside_a_misfit)
{
	ASSERT_LE(0, perf_open_self(pinned_attr()));
	ASSERT_LE(0, open_large(0, -1));
	ASSERT_EQ(0, open_singles(self, 0, -1));
	ASSERT_TRUE(BURNS_UNTIL(least_since(self) > BEFORE_NS));
	EXPECT_SHARED(share_after_restart(self));
}

/* A child that is on its CPU when this returns. */
static pid_t burner(int cpu)
{
	struct gate bound = gate_new();
	pid_t pid = fork_child();

	if (pid) {
		gate_wait_for_child(&bound);
		close(bound.rd);
		return pid;
	}
	if (pin_to_cpu(cpu))
		_exit(1);
	gate_open(&bound);
	for (;;)
		burn_cpu(NSEC_PER_MSEC);
}

/* Stop a task that runs on another CPU, and wait until it has left it. */
static bool stop_burner(pid_t pid)
{
	return !kill(pid, SIGSTOP) && waitpid(pid, NULL, WUNTRACED) == pid && wait_off_cpu(pid);
}

/*
 * Events of a task were alone, and while it is stopped, events of the CPU are opened. Return: both
 * share.
 */
static bool share_after_alone(FIXTURE_DATA(fair) *self, pid_t pid, const int *of_task)
{
	__u64 alone[2] = { ran(of_task[0]), ran(of_task[1]) };
	struct perf_timed before, t;
	__u64 took;

	if (!COMES_TRUE(ran(of_task[0]) - alone[0] > BEFORE_NS &&
			ran(of_task[1]) - alone[1] > BEFORE_NS) ||
	    !stop_burner(pid) || open_singles(self, -1, self->cpu)) {
		self->broken = true;
		return false;
	}
	before = perf_timed_count(of_task[0]);
	if (kill(pid, SIGCONT) ||
	    !COMES_TRUE(perf_timed_count(of_task[0]).enabled > before.enabled + AFTER_NS))
		self->broken = true;
	t = perf_timed_count(of_task[0]);
	took = t.enabled - before.enabled;
	/* for another try, also if this one took too long to tell anything */
	perf_close_all(self->single, SINGLES);
	return took < 2 * AFTER_NS && took / 4 < t.running - before.running;
}

TEST_F(fair, alone_before)
{
	int of_task[2];
	pid_t pid;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	pid = burner(self->cpu);
	ASSERT_EQ(0, pin_to_cpu(self->other));
	for (int i = 0; i < 2; i++) {
		of_task[i] = perf_open(fake_attr("ns"), pid, -1, -1);
		ASSERT_LE(0, of_task[i]);
	}
	EXPECT_SHARED(share_after_alone(self, pid, of_task));
	kill_child(pid);
}

static bool share_beside_toggled(FIXTURE_DATA(fair) *self, int toggled)
{
	since_now(self);
	while (most_since(self) < AFTER_NS) {
		burn_cpu(NSEC_PER_MSEC);
		if (perf_disable(toggled) || perf_enable(toggled))
			self->broken = true;
	}
	return 2 * least_since(self) > most_since(self);
}

/* Each change lets groups be tried again that do not fit. */
TEST_F(fair, many_misfits)
{
	int toggled;

	ASSERT_LE(0, perf_open(pinned_attr(), -1, self->cpu, -1));
	for (int i = 0; i < MANY; i++)
		ASSERT_LE(0, open_large(-1, self->cpu));
	ASSERT_EQ(0, open_singles(self, -1, self->cpu));
	toggled = perf_open_self(fake_attr("ns"));
	ASSERT_LE(0, toggled);
	EXPECT_SHARED(share_beside_toggled(self, toggled));
}

/* A task has one pinned event, and many groups that fit only without it. */
TEST_F(fair, crowd_of_misfits)
{
	struct rlimit files = { 2 * FAKE_COUNTERS * CROWD, 2 * FAKE_COUNTERS * CROWD };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, open_singles(self, -1, self->cpu));
	ASSERT_LE(0, perf_open_self(pinned_attr()));
	for (int i = 0; i < CROWD; i++)
		ASSERT_LE(0, open_large(0, -1));
	EXPECT_SHARED(share(self));
}

/* An exclusive event needs the PMU without other flexible groups. */
TEST_F(fair, exclusive_beside_pinned)
{
	struct perf_event_attr attr = fake_attr("ns");
	int exclusive;

	ASSERT_LE(0, perf_open(pinned_attr(), -1, self->cpu, -1));
	attr.exclusive = 1;
	exclusive = perf_open_self(attr);
	ASSERT_LE(0, exclusive);
	ASSERT_EQ(0, open_singles(self, 0, -1));
	EXPECT_SHARED(share_with(self, exclusive));
}

/* A pinned group of the CPU cannot fit beside another one, so a task's keep their counters. */
TEST_F(fair, pinned_in_vain)
{
	int of_task[2], large[FAKE_COUNTERS];
	struct perf_timed t;

	ASSERT_LE(0, perf_open(pinned_attr(), -1, self->cpu, -1));
	for (int i = 0; i < 2; i++) {
		of_task[i] = perf_open_self(pinned_attr());
		ASSERT_LE(0, of_task[i]);
	}
	for (int i = 0; i < FAKE_COUNTERS; i++) {
		struct perf_event_attr attr = fake_attr("ns");

		attr.pinned = !i;
		attr.disabled = !i;
		large[i] = perf_open(attr, -1, self->cpu, i ? large[0] : -1);
		ASSERT_LE(0, large[i]);
	}
	ASSERT_EQ(0, perf_enable(large[0]));
	burn_cpu(NSEC_PER_MSEC);
	EXPECT_EQ(0, read(large[0], &t, sizeof(t)));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(sizeof(t), read(of_task[i], &t, sizeof(t)));
		EXPECT_LT(0, t.running);
		EXPECT_EQ(t.enabled, t.running);
	}
}

/* Slices of many minutes end when the interval is lowered, on the CPU and of a stopped task. */
TEST_F(fair, interval_is_lowered)
{
	int of_task[SINGLES];
	pid_t pid;

	SKIP_STOCK_FAULT(true, "the slice goes on");
	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, file_write_long(INTERVAL, 1000000));
	pid = burner(self->other);
	for (int i = 0; i < SINGLES; i++) {
		of_task[i] = perf_open(fake_attr("ns"), pid, -1, -1);
		ASSERT_LE(0, of_task[i]);
	}
	ASSERT_TRUE(COMES_TRUE(ran(of_task[0]) > 0));
	EXPECT_EQ(0, ran(of_task[SINGLES - 1]));
	ASSERT_TRUE(stop_burner(pid));
	ASSERT_EQ(0, open_singles(self, -1, self->cpu));
	ASSERT_TRUE(BURNS_UNTIL(most_since(self) > 0));
	EXPECT_EQ(0, least_since(self));

	ASSERT_EQ(0, file_write_long(INTERVAL, 1));
	EXPECT_TRUE(BURNS_UNTIL(least_since(self) > 0));
	ASSERT_EQ(0, kill(pid, SIGCONT));
	for (int i = 0; i < SINGLES; i++)
		EXPECT_TRUE(COMES_TRUE(ran(of_task[i]) > 0));
	kill_child(pid);
}

/* The slice of a CPU that was offline when the interval was lowered does not go on. */
TEST_F(fair, interval_is_lowered_while_offline)
{
	SKIP_STOCK_FAULT(true, "the slice goes on");
	if (self->hotplug < 0 || self->hotplug == self->cpu)
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, file_write_long(INTERVAL, 1000000));
	ASSERT_EQ(0, open_singles(self, -1, self->hotplug));
	ASSERT_TRUE(COMES_TRUE(most_since(self) > 0));
	EXPECT_EQ(0, least_since(self));
	perf_close_all(self->single, SINGLES);

	ASSERT_EQ(0, cpu_set_online(self->hotplug, false));
	EXPECT_EQ(0, file_write_long(INTERVAL, 1));
	ASSERT_EQ(0, cpu_set_online(self->hotplug, true));
	ASSERT_EQ(0, open_singles(self, -1, self->hotplug));
	EXPECT_TRUE(COMES_TRUE(least_since(self) > 0));
}

TEST_HARNESS_MAIN
