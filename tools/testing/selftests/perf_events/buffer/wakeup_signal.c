// SPDX-License-Identifier: GPL-2.0
/*
 * Signals of an event's descriptor, O_ASYNC: one for each sample, with a buffer or
 * without, as fcntl() has set them, and POLL_HUP when PERF_EVENT_IOC_REFRESH has run
 * out.
 */
#include <pthread.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR, ##__VA_ARGS__)

#define SIGNAL	(SIGRTMIN + 3)

/* What the handler saw. */
static volatile sig_atomic_t signals, hups;
static volatile pid_t last_tid;
static volatile int last_code, last_fd;
static volatile long last_band;

static void take_signal(int sig, siginfo_t *info, void *context)
{
	last_tid = gettid();
	last_code = info->si_code;
	last_fd = info->si_fd;
	last_band = info->si_band;
	hups += info->si_code == POLL_HUP;
	/* last, because another thread may wait for it and then reset the others */
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELEASE);
}

static void listen_to(int sig)
{
	struct sigaction action = {
		.sa_sigaction = take_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	sigaction(sig, &action, NULL);
}

static int send_to(int fd, int type, pid_t pid)
{
	struct f_owner_ex owner = { type, pid };

	return fcntl(fd, F_SETOWN_EX, &owner) ? -errno : 0;
}

static int switch_on(int fd, int sig)
{
	if (sig && fcntl(fd, F_SETSIG, sig))
		return -errno;
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) ? -errno : 0;
}

static int switch_off(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC) ? -errno : 0;
}

/* The number of signals of so many faults. They come at once, but wait a little. */
static int signals_of(int fd, size_t faults)
{
	signals = 0;
	hups = 0;
	last_tid = 0;
	last_code = 0;
	last_fd = -1;
	last_band = 0;
	perf_fault(fd, faults);
	sleep_ms(2);
	return signals;
}

FIXTURE(async)
{
	int fd;
	struct perf_buf buf;
};

FIXTURE_VARIANT(async)
{
	int data_pages;
};

FIXTURE_VARIANT_ADD(async, mapped)
{
	.data_pages = 2,
};

FIXTURE_VARIANT_ADD(async, mapped_without_data)
{
	.data_pages = 0,
};

FIXTURE_VARIANT_ADD(async, unmapped)
{
	.data_pages = -1,
};

FIXTURE_SETUP(async)
{
	listen_to(SIGNAL);
	listen_to(SIGIO);
	self->fd = perf_open_self(FAULTS());
	ASSERT_LE(0, self->fd);
	if (variant->data_pages >= 0) {
		ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd,
					  variant->data_pages));
	}
	ASSERT_EQ(0, stay_resident());
	if (variant->data_pages >= 0)
		perf_buf_touch(&self->buf);
	ASSERT_EQ(0, send_to(self->fd, F_OWNER_PID, getpid()));
}

FIXTURE_TEARDOWN(async)
{
}

TEST_F(async, one_for_each_sample)
{
	EXPECT_EQ(0, signals_of(self->fd, 3));
	ASSERT_EQ(0, switch_on(self->fd, SIGNAL));
	EXPECT_EQ(1, signals_of(self->fd, 1));
	EXPECT_EQ(POLL_IN, last_code);
	EXPECT_EQ(POLLIN | POLLRDNORM, last_band);
	EXPECT_EQ(self->fd, last_fd);
	EXPECT_EQ(5, signals_of(self->fd, 5));
	EXPECT_EQ(0, hups);
	ASSERT_EQ(0, switch_off(self->fd));
	EXPECT_EQ(0, signals_of(self->fd, 3));
	ASSERT_EQ(0, switch_on(self->fd, SIGNAL));
	EXPECT_EQ(1, signals_of(self->fd, 1));
}

/* SIGIO has no further information. */
TEST_F(async, plain)
{
	ASSERT_EQ(0, switch_on(self->fd, 0));
	EXPECT_EQ(1, signals_of(self->fd, 1));
	EXPECT_EQ(SI_KERNEL, last_code);
}

TEST_F(async, by_period)
{
	__u64 period = 3;

	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_PERIOD,
				(unsigned long)&period));
	ASSERT_EQ(0, switch_on(self->fd, SIGNAL));
	signals_of(self->fd, 3);
	EXPECT_EQ(4, signals_of(self->fd, 12));
}

/* The signals after each of the faults that follow a REFRESH. */
struct signalled {
	int signals;
	int hups;
	int code;
	long band;
};

#define REFRESHED	6

/* REFRESH with each of these numbers up to a 0, and then cause faults. */
static void refresh_and_fault(struct __test_metadata *_metadata, int fd,
			      const int *refresh, struct signalled *after)
{
	char *p;
	int i;

	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	p = map_fresh_pages(REFRESHED);
	ASSERT_NE(NULL, p);
	signals_of(fd, 1);
	perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	signals = 0;
	while (*refresh)
		perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, *refresh++);
	for (i = 0; i < REFRESHED; i++) {
		p[i * page_size] = 1;
		sleep_ms(1);
		after[i] = (struct signalled){ signals, hups, last_code, last_band };
	}
}

TEST_F(async, refresh)
{
	struct signalled after[REFRESHED] = {};
	int i;

	refresh_and_fault(_metadata, self->fd, (int[]){ 3, 0 }, after);
	for (i = 0; i < REFRESHED; i++) {
		EXPECT_EQ(i < 3 ? i + 1 : 3, after[i].signals);
		EXPECT_EQ(i < 2 ? POLL_IN : POLL_HUP, after[i].code);
		EXPECT_EQ(i >= 2, after[i].hups);
		EXPECT_EQ(i < 2 ? POLLIN | POLLRDNORM : POLLHUP | POLLERR,
			  after[i].band);
	}
	EXPECT_EQ(self->fd, last_fd);
	EXPECT_EQ(3, perf_count(self->fd));
	/* The event is disabled, its buffer remains. */
	EXPECT_EQ(variant->data_pages < 0 ? POLLHUP : 0,
		  perf_poll(self->fd, POLLIN));
}

TEST_F(async, refresh_adds_up)
{
	struct signalled after[REFRESHED] = {};
	int i;

	refresh_and_fault(_metadata, self->fd, (int[]){ 1, 2, 1, 0 }, after);
	for (i = 0; i < REFRESHED; i++) {
		EXPECT_EQ(i < 4 ? i + 1 : 4, after[i].signals);
		EXPECT_EQ(i >= 3, after[i].hups);
	}
	EXPECT_EQ(4, perf_count(self->fd));
}

/* No process gets the signal. */
TEST_F(async, no_owner)
{
	ASSERT_EQ(0, send_to(self->fd, F_OWNER_PID, 0));
	ASSERT_EQ(0, switch_on(self->fd, SIGNAL));
	EXPECT_EQ(0, signals_of(self->fd, 3));
}

static void *wait_in_thread(void *arg)
{
	struct gate *gates = arg;

	*(volatile pid_t *)&last_tid = gettid();
	gate_open(&gates[0]);
	gate_wait(&gates[1]);
	return NULL;
}

TEST_F(async, thread_as_owner)
{
	struct gate gates[2] = { gate_new(), gate_new() };
	pthread_t thread;
	pid_t tid;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_thread, gates));
	gate_wait(&gates[0]);
	tid = last_tid;
	ASSERT_NE(gettid(), tid);
	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, switch_on(self->fd, SIGNAL));
	ASSERT_EQ(0, send_to(self->fd, F_OWNER_TID, tid));
	signals_of(self->fd, 2);
	/* The thread may have to be scheduled first. */
	EXPECT_TRUE(COMES_TRUE(signals >= 2));
	EXPECT_EQ(2, signals);
	EXPECT_EQ(tid, last_tid);
	ASSERT_EQ(0, send_to(self->fd, F_OWNER_TID, gettid()));
	EXPECT_EQ(2, signals_of(self->fd, 2));
	EXPECT_EQ(gettid(), last_tid);
	gate_open(&gates[1]);
	pthread_join(thread, NULL);
}

TEST_F(async, dup_has_the_number_it_was_set_on)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	ASSERT_EQ(0, switch_on(copy, SIGNAL));
	EXPECT_EQ(1, signals_of(self->fd, 1));
	EXPECT_EQ(copy, last_fd);
}

/* Side-band records are no samples: they signal by the watermark. */
TEST(side_band)
{
	int fd = perf_open_self(PERF_SW(DUMMY, .comm = 1, .watermark = 1,
					.wakeup_watermark = 100));
	struct perf_buf buf;
	int i;

	listen_to(SIGNAL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, send_to(fd, F_OWNER_PID, getpid()));
	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	for (i = 0; i < 20; i++)
		prctl(PR_SET_NAME, "side");
	sleep_ms(2);
	EXPECT_LT(20 * 16, perf_buf_head(&buf));
	EXPECT_LE(perf_buf_head(&buf) / 100 - 1, signals);
	EXPECT_GE(perf_buf_head(&buf) / 100, signals);
	EXPECT_EQ(POLL_IN, last_code);
}

/* A sample that is lost or paused signals, too. */
TEST(lost)
{
	int fd = perf_open_self(FAULTS());
	struct perf_buf buf;

	listen_to(SIGNAL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	ASSERT_EQ(0, send_to(fd, F_OWNER_PID, getpid()));
	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(3, signals_of(fd, 3));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	EXPECT_EQ(0, perf_buf_head(&buf));
	ASSERT_EQ(0, switch_off(fd));
	perf_fault(fd, 300);
	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	EXPECT_EQ(3, signals_of(fd, 3));
}

/* Each event signals its own owner, in whichever buffer its samples are. */
TEST(redirected)
{
	int fd = perf_open_self(FAULTS()), other = perf_open_self(FAULTS());
	struct perf_buf buf;

	listen_to(SIGNAL);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	ASSERT_EQ(0, send_to(fd, F_OWNER_PID, getpid()));
	ASSERT_EQ(0, send_to(other, F_OWNER_PID, getpid()));
	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	EXPECT_EQ(0, signals_of(other, 3));
	EXPECT_EQ(2, signals_of(fd, 2));
	ASSERT_EQ(0, switch_on(other, SIGNAL));
	EXPECT_EQ(3, signals_of(other, 3));
	EXPECT_EQ(other, last_fd);
	EXPECT_EQ(2, signals_of(fd, 2));
	EXPECT_EQ(fd, last_fd);
}

/* From interrupts and from the scheduler. */
TEST(other_contexts)
{
	const struct perf_event_attr attrs[] = {
		PERF_SW(CPU_CLOCK, .sample_period = 1000000),
		PERF_SW(TASK_CLOCK, .sample_period = 1000000),
		PERF_SW(CONTEXT_SWITCHES, .sample_period = 1),
	};
	size_t i;
	int fd, n;

	listen_to(SIGNAL);
	/* SIGIO comes instead when too many other signals are pending. */
	signal(SIGIO, SIG_IGN);
	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		fd = perf_open_self(attrs[i]);
		ASSERT_LE(0, fd);
		signals = 0;
		ASSERT_EQ(0, send_to(fd, F_OWNER_PID, getpid()));
		ASSERT_EQ(0, switch_on(fd, SIGNAL));
		for (n = 0; n < 20 || (signals < 5 && n < PATIENCE_MS); n++) {
			burn_cpu(NSEC_PER_MSEC);
			/* Interrupted by the signal, and not restarted. */
			poll(NULL, 0, 1);
		}
		EXPECT_LE(5, signals);
		EXPECT_EQ(fd, last_fd);
		close(fd);
	}
}

/* REFRESH ends with the right fault on each way of counting down. */
TEST(refresh_of_clock)
{
	int fd = perf_open_self(PERF_SW(CPU_CLOCK, .sample_period = 1000000,
					.disabled = 1));
	__u64 value;

	listen_to(SIGNAL);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, send_to(fd, F_OWNER_PID, getpid()));
	ASSERT_EQ(0, switch_on(fd, SIGNAL));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 4));
	EXPECT_TRUE(BURNS_UNTIL(hups));
	/* Interrupts that come together may be reported together. */
	EXPECT_GE(4, signals);
	EXPECT_LE(1, signals);
	EXPECT_EQ(1, hups);
	value = perf_count(fd);
	EXPECT_LE(4000000, value);
	burn_cpu(5 * NSEC_PER_MSEC);
	EXPECT_EQ(value, perf_count(fd));
	EXPECT_EQ(1, hups);
	EXPECT_EQ(POLL_HUP, last_code);
}

TEST_HARNESS_MAIN
