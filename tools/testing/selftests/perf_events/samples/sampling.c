// SPDX-License-Identifier: GPL-2.0
/*
 * When samples are taken: by period, exactly, where the number of occurrences is known;
 * by time and by frequency, within the limits of an emulated and busy machine; with
 * filters; of other tasks, inherited and by CPU; and until IOC_REFRESH runs out.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define IDS	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_CPU)

/* Disabled at first. */
#define EVERY(_name, _period, ...)					\
	PERF_SW(_name, .sample_period = (_period), .sample_type = IDS,	\
		.disabled = 1, ##__VA_ARGS__)

FIXTURE(sampling)
{
	struct perf_listener l;
	int cpu;
	int other;	/* or -1 */
};

FIXTURE_SETUP(sampling)
{
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(sampling)
{
}

/* The number of samples of so many faults while the event is enabled. */
static int samples_of(struct _test_data_sampling *self, int faults)
{
	perf_enable(self->l.fd);
	fault_pages(faults);
	perf_disable(self->l.fd);
	return perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
}

/* By period */

TEST_F(sampling, every_nth_fault)
{
	static const unsigned int periods[] = { 1, 2, 3, 7, 10, 100, 1000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(PAGE_FAULTS,
							      periods[i])));
		EXPECT_EQ(1000 / periods[i], samples_of(self, 1000));
		EXPECT_EQ(1000, perf_count(self->l.fd));
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

/* Disabling an event keeps the part of its period that has passed. */
TEST_F(sampling, period_goes_on)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(PAGE_FAULTS, 10)));
	EXPECT_EQ(0, samples_of(self, 6));
	EXPECT_EQ(1, samples_of(self, 6));
	EXPECT_EQ(0, samples_of(self, 7));
	EXPECT_EQ(1, samples_of(self, 1));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A new period begins with the call. */
static void change_period(struct __test_metadata *_metadata,
			  struct _test_data_sampling *self, bool running)
{
	__u64 period = 4;
	int nr;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(PAGE_FAULTS, 1000)));
	EXPECT_EQ(0, samples_of(self, 100));
	if (running)
		ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD,
				(unsigned long)&period));
	nr = samples_of(self, 40);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	SKIP_STOCK_FAULT(running && nr != 10, "the old period once more");
	EXPECT_EQ(10, nr);
}

TEST_F(sampling, period_is_changed)
{
	change_period(_metadata, self, false);
}

TEST_F(sampling, period_is_changed_while_running)
{
	change_period(_metadata, self, true);
}

TEST_F(sampling, switches)
{
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(CONTEXT_SWITCHES, 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	switch_out(20);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_TRUE(is_kernel_address(self->l.rec.ip));
		nr++;
	}
	EXPECT_LE(20, nr);
	EXPECT_EQ(perf_count(self->l.fd), nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(sampling, migrations)
{
	int i;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(CPU_MIGRATIONS, 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pin_to_cpu(self->other));
		ASSERT_EQ(0, pin_to_cpu(self->cpu));
	}
	EXPECT_EQ(10, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* By time */

/* Run until there are so many samples. */
static int burn_for_samples(struct _test_data_sampling *self, int want)
{
	int nr = 0, ms;

	for (ms = 0; ms < PATIENCE_MS && nr < want; ms += 10) {
		perf_enable(self->l.fd);
		burn_cpu(10 * NSEC_PER_MSEC);
		perf_disable(self->l.fd);
		nr += perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
	}
	return nr;
}

/*
 * Never more samples than the event's own time permits. Interrupts that are late or
 * missed make them fewer.
 */
static void check_clock(struct __test_metadata *_metadata,
			struct _test_data_sampling *self,
			struct perf_event_attr attr)
{
	__u64 period = attr.freq ? NSEC_PER_SEC / attr.sample_freq :
				   attr.sample_period;
	struct perf_timed t;
	int nr;

	attr.read_format = PERF_ALL_TIMES;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	nr = burn_for_samples(self, 30);
	t = perf_timed_count(self->l.fd);
	EXPECT_LE(30, nr);
	EXPECT_GE(t.running / period + 1, nr) {
		TH_LOG("in %llu ns by %llu", t.running, period);
	}
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(sampling, cpu_clock_by_period)
{
	check_clock(_metadata, self, EVERY(CPU_CLOCK, NSEC_PER_MSEC));
	check_clock(_metadata, self, EVERY(CPU_CLOCK, 200000));
}

TEST_F(sampling, task_clock_by_period)
{
	check_clock(_metadata, self, EVERY(TASK_CLOCK, NSEC_PER_MSEC));
}

TEST_F(sampling, clocks_by_frequency)
{
	perf_raise_sample_rate();
	check_clock(_metadata, self, EVERY(CPU_CLOCK, 1000, .freq = 1));
	perf_raise_sample_rate();
	check_clock(_metadata, self, EVERY(TASK_CLOCK, 500, .freq = 1));
}

/* Samples from both modes, if it runs long enough. */
TEST_F(sampling, clock_samples_where_it_runs)
{
	int modes[2] = { 0, 0 }, ms;
	bool kernel;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(CPU_CLOCK, 500000)));
	for (ms = 0; ms < PATIENCE_MS && (!modes[0] || !modes[1]); ms += 10) {
		ASSERT_EQ(0, perf_enable(self->l.fd));
		burn_cpu(10 * NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_disable(self->l.fd));
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
			EXPECT_EQ(self->cpu, (int)self->l.rec.cpu);
			kernel = is_kernel_address(self->l.rec.ip);
			EXPECT_EQ(kernel ? PERF_RECORD_MISC_KERNEL :
				  PERF_RECORD_MISC_USER, self->l.header->misc);
			modes[kernel]++;
		}
	}
	EXPECT_LT(0, modes[0]);
	EXPECT_LT(0, modes[1]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Count samples by mode. Returns the number of those in the kernel, or in user mode. */
static int samples_in(struct perf_listener *l, int kernel, int *modes)
{
	while (perf_listen_of(l, PERF_RECORD_SAMPLE))
		modes[is_kernel_address(l->rec.ip)]++;
	return modes[kernel];
}

/* Either mode can be excluded. */
TEST_F(sampling, clock_excludes)
{
	struct perf_event_attr attr = EVERY(CPU_CLOCK, 200000);
	int mode;

	for (mode = 0; mode < 2; mode++) {
		int modes[2] = { 0, 0 };

		attr.exclude_user = mode;
		attr.exclude_kernel = !mode;
		ASSERT_EQ(0, perf_listen_self(&self->l, attr));
		ASSERT_EQ(0, perf_enable(self->l.fd));
		EXPECT_TRUE(BURNS_UNTIL(samples_in(&self->l, mode, modes) >= 10));
		ASSERT_EQ(0, perf_disable(self->l.fd));
		samples_in(&self->l, mode, modes);
		EXPECT_EQ(0, modes[!mode]);
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

static int samples_of_idle(struct perf_listener *l)
{
	int nr = 0;

	while (perf_listen_of(l, PERF_RECORD_SAMPLE))
		nr += l->rec.tid == 0;
	return nr;
}

/* An idle CPU is sampled, too, unless idle is excluded. */
TEST_F(sampling, idle_cpu)
{
	struct perf_event_attr attr = EVERY(CPU_CLOCK, NSEC_PER_MSEC);
	int exclude;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	for (exclude = 0; exclude < 2; exclude++) {
		attr.exclude_idle = exclude;
		ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->other));
		ASSERT_EQ(0, perf_enable(self->l.fd));
		if (exclude)
			sleep_ms(200);
		else
			EXPECT_TRUE(COMES_TRUE(samples_of_idle(&self->l)));
		ASSERT_EQ(0, perf_disable(self->l.fd));
		if (exclude)
			EXPECT_EQ(0, samples_of_idle(&self->l));
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

/* By frequency */

#define WINDOW	20

/*
 * The period follows the rate. Soon the rate of the samples is between a quarter and
 * four times of the requested one, over twenty samples.
 */
TEST_F(sampling, frequency_converges)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .freq = 1,
		.sample_freq = 100, .disabled = 1,
		.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_TIME);
	__u64 times[WINDOW] = { 0 }, begin, span = 0, want, first = 0;
	unsigned int nr = 0;
	bool found = false;

	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	want = WINDOW * NSEC_PER_SEC / 100;
	ASSERT_EQ(0, perf_enable(self->l.fd));
	begin = clock_ns(CLOCK_MONOTONIC);
	while (!found &&
	       clock_ns(CLOCK_MONOTONIC) - begin < PATIENCE_MS * NSEC_PER_MSEC) {
		fault_pages(50);
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			if (!nr)
				first = self->l.rec.period;
			span = self->l.rec.time - times[nr % WINDOW];
			times[nr++ % WINDOW] = self->l.rec.time;
			found |= nr > WINDOW && self->l.rec.period > 1 &&
				 span > want / 4 && span < want * 4;
		}
	}
	ASSERT_EQ(0, perf_disable(self->l.fd));
	SKIP_STOCK_FAULT(!found, "a period that is once too long stays");
	EXPECT_TRUE(found) {
		TH_LOG("%u samples, the last %u within %llu ns", nr, WINDOW,
		       span);
	}
	/* The periods start with 1 and increase. */
	EXPECT_EQ(1, first);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* With filters */

static int umasks(struct _test_data_sampling *self)
{
	int i;

	for (i = 0; i < 16; i++)
		umask(i);
	umask(022);
	return perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
}

static int set_filter(struct _test_data_sampling *self, const char *filter)
{
	return perf_ioctl(self->l.fd, PERF_EVENT_IOC_SET_FILTER,
			  (unsigned long)filter);
}

TEST_F(sampling, tracepoint_with_filter)
{
	static const struct {
		const char *filter;
		int samples;
	} rows[] = {
		{ "mask == 3", 1 }, { "mask < 8", 8 }, { "mask & 4", 8 },
		{ "mask == 100", 0 }, { "mask > 2 && mask < 5", 2 },
		{ "mask == 1 || mask == 18", 2 },
	};
	long id = tracepoint_id("syscalls/sys_enter_umask");
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
		.sample_period = 1, .sample_type = IDS);
	size_t i;

	if (id < 0)
		SKIP(return, "no tracepoints of system calls");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, perf_listen_self(&self->l, attr));
		EXPECT_EQ(17, umasks(self));
		EXPECT_EQ(-EINVAL, set_filter(self, "no_such_field == 1"));
		EXPECT_EQ(17, umasks(self));
		ASSERT_EQ(0, set_filter(self, rows[i].filter));
		EXPECT_EQ(rows[i].samples, umasks(self)) {
			TH_LOG("filter %s", rows[i].filter);
		}
		/* Occurrences that the filter rejects are not counted. */
		EXPECT_EQ(34 + rows[i].samples, perf_count(self->l.fd));
		/* A tracepoint has one filter for good. */
		EXPECT_EQ(-EEXIST, set_filter(self, "mask == 0"));
		EXPECT_EQ(rows[i].samples, umasks(self));
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

TEST_F(sampling, tracepoint_by_period)
{
	long id = tracepoint_id("syscalls/sys_enter_umask");
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
		.sample_period = 5, .sample_type = IDS);

	if (id < 0)
		SKIP(return, "no tracepoints of system calls");
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	/* 17 at a time: 3 samples, and 2 towards the next; 3; 4. */
	EXPECT_EQ(3, umasks(self));
	EXPECT_EQ(3, umasks(self));
	EXPECT_EQ(4, umasks(self));
	EXPECT_EQ(51, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Breakpoints */

static volatile long watched;

static void __attribute__((__noinline__)) executed(void)
{
	asm volatile("" ::: "memory");
}

/* Open a breakpoint of user mode that samples. Return: 0, or a negative errno. */
static int listen_to_breakpoint(struct perf_listener *l, int type, volatile const void *at,
				int period)
{
	return perf_listen_self(l, PERF_ATTR(PERF_TYPE_BREAKPOINT, 0,
		.bp_type = type, .bp_addr = (unsigned long)at,
		.bp_len = type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_8,
		.sample_period = period, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
		.exclude_kernel = 1));
}

TEST_F(sampling, breakpoint_on_data)
{
	int nr = 0, i, err = listen_to_breakpoint(&self->l, HW_BREAKPOINT_W, &watched, 1);

	if (perf_no_breakpoint(err))
		SKIP(return, "no hardware breakpoints on this machine");
	ASSERT_EQ(0, err);
	for (i = 0; i < 10; i++)
		watched = i;
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ((unsigned long)&watched, self->l.rec.addr);
		EXPECT_FALSE(is_kernel_address(self->l.rec.ip));
		EXPECT_EQ(PERF_RECORD_MISC_USER, self->l.header->misc);
	}
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(sampling, breakpoint_on_code)
{
	int nr = 0, i, err = listen_to_breakpoint(&self->l, HW_BREAKPOINT_X, executed, 2);

	if (perf_no_breakpoint(err))
		SKIP(return, "no hardware breakpoints on this machine");
	ASSERT_EQ(0, err);
	for (i = 0; i < 10; i++)
		executed();
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ((unsigned long)executed, self->l.rec.ip);
		EXPECT_EQ((unsigned long)executed, self->l.rec.addr);
	}
	EXPECT_EQ(5, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* IOC_REFRESH: so many more samples, then the event is disabled. */
TEST_F(sampling, refresh)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(PAGE_FAULTS, 1)));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 3));
	fault_pages(20);
	EXPECT_EQ(3, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(3, perf_count(self->l.fd));
	/* They add up. */
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 2));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 2));
	fault_pages(20);
	EXPECT_EQ(4, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(7, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Tasks and CPUs */

TEST_F(sampling, another_task)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int nr = 0;

	if (pid == 0) {
		gate_wait(&go);
		fault_pages(30);
		_exit(0);
	}
	ASSERT_EQ(0, perf_listen(&self->l, EVERY(PAGE_FAULTS, 1), pid, -1));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(30);
	gate_open(&go);
	ASSERT_EQ(0, wait_status(pid));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		EXPECT_EQ(pid, (pid_t)self->l.rec.tid);
	EXPECT_LE(30, nr);
	EXPECT_EQ(perf_count(self->l.fd), nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Inherited copies write to the buffer of the CPU that their task runs on. */
TEST_F(sampling, inherited_by_cpu)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.sample_period = 1, .sample_type = IDS);
	static struct perf_listener there;
	pid_t pid;
	int nr = 0;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_listen(&there, attr, 0, self->other));
	pid = fork_child();
	if (pid == 0) {
		pin_to_cpu(self->other);
		fault_pages(25);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE))
		EXPECT_EQ(self->cpu, (int)self->l.rec.cpu);
	while (perf_listen_of(&there, PERF_RECORD_SAMPLE)) {
		EXPECT_EQ(self->other, (int)there.rec.cpu);
		nr += (pid_t)there.rec.tid == pid;
	}
	EXPECT_LE(25, nr);
	EXPECT_EQ(0, perf_listen_end(&there));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* An event of a CPU samples all tasks there, in the order of time. */
TEST_F(sampling, everybody_on_cpu)
{
	int mine = 0, theirs = 0;
	__u64 last = 0;
	pid_t pid;

	ASSERT_EQ(0, perf_listen(&self->l, EVERY(PAGE_FAULTS, 1), -1,
				 self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(20);
	pid = fork_child();
	if (pid == 0) {
		fault_pages(20);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		mine += (pid_t)self->l.rec.tid == gettid();
		theirs += (pid_t)self->l.rec.tid == pid;
		EXPECT_EQ(self->cpu, (int)self->l.rec.cpu);
		EXPECT_LE(last, self->l.rec.time);
		last = self->l.rec.time;
	}
	EXPECT_LE(20, mine);
	EXPECT_LE(20, theirs);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
