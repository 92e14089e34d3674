// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping, unmapping, redirecting and closing, concurrently and with writers. A kernel
 * with a fault here crashes, or reports it with the right options. What a test can see:
 * a mapping that was granted works, records are whole, and at the end nothing is left:
 * the event can be mapped with any size, and no pages are charged.
 *
 * The workers are processes, because threads would be serialized by the lock of their
 * memory map.
 */
#include <pthread.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define USER		54323

/* More pages than the test leaves to a user. */
#define MANY		250

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1,			\
		.sample_type = PERF_SAMPLE_ADDR, .exclude_kernel = 1,	\
		##__VA_ARGS__)

/* Loops end at the first of these bounds, but not before a few rounds. */
#define ROUNDS		2000
#define TIME_NS		(NSEC_PER_SEC * 3 / 2)
#define ROUNDS_MIN	6

#define WORKERS		3

/* CPUs of the parent and of the workers, as far as there are so many. */
static int cpus[WORKERS + 1], nr_cpus;

static bool goes_on(int round, __u64 start)
{
	return race_goes_on(round, ROUNDS_MIN, start, TIME_NS);
}

/*
 * No reference to the buffer is left: the event can be mapped anew, and records arrive.
 */
static void check_free(struct __test_metadata *_metadata, int fd)
{
	struct perf_buf buf;
	int pages;

	for (pages = 1; pages <= 4; pages *= 2) {
		ASSERT_EQ(0, perf_buf_map(&buf, fd, pages));
		EXPECT_EQ(0, perf_buf_head(&buf));
		EXPECT_TRUE(perf_buf_works(&buf, fd));
		ASSERT_EQ(0, perf_buf_unmap(&buf));
	}
	EXPECT_EQ(POLLHUP, perf_poll(fd, POLLIN));
}

/*
 * Run work() in several processes. The parent causes faults meanwhile. It stays on its CPU
 * afterwards, so the CPUs are listed before the first race.
 */
static void race(struct __test_metadata *_metadata, int (*work)(int, int *),
		 int *fds)
{
	int i, status;

	if (!nr_cpus)
		nr_cpus = list_cpus(cpus, WORKERS + 1);
	for (i = 0; i < WORKERS; i++) {
		pid_t child = fork_child();

		ASSERT_LE(0, child);
		if (child == 0) {
			if (i + 1 < nr_cpus)
				pin_to_cpu(cpus[i + 1]);
			_exit(work(i, fds));
		}
	}
	pin_to_cpu(cpus[0]);
	for (i = 0; i < WORKERS;) {
		fault_pages(10);
		if (waitpid(-1, &status, WNOHANG) > 0) {
			EXPECT_EQ(0, status);
			i++;
		}
	}
}

/*
 * The last unmaps of all processes, as close as possible to the next first map
 * (CVE-2020-14351, CVE-2026-23248, CVE-2026-89791). The event counts the parent, which
 * faults all the time: data_head of each mapping must move.
 */
static bool is_written(struct perf_buf *buf, __u64 head)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);

	do {
		/* Other processes may be reading the same records. */
		perf_buf_drop(buf);
		if (perf_buf_head(buf) != head)
			return true;
	} while (clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_MS * NSEC_PER_MSEC);
	return false;
}

static int map_until_written(int worker, int *fds)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC), head;
	struct perf_buf buf;
	int i;

	for (i = 0; i < ROUNDS && goes_on(i, start); i++) {
		if (perf_buf_map(&buf, fds[0], 2))
			return 1;
		head = perf_buf_head(&buf);
		if (i % 4 == worker && !is_written(&buf, head))
			return 2;
		if (perf_buf_unmap(&buf))
			return 3;
	}
	return 0;
}

TEST(cve_2020_14351_map_against_last_unmap)
{
	int fd = perf_open_self(FAULTS());

	ASSERT_LE(0, fd);
	race(_metadata, map_until_written, &fd);
	perf_disable(fd);
	check_free(_metadata, fd);
}

/* A mapping of another size is the first one, or refused. */
static int map_any_size(int worker, int *fds)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	unsigned int seed = worker + 1;
	struct perf_buf buf;
	int i, ret, pages;

	for (i = 0; i < ROUNDS && goes_on(i, start); i++) {
		pages = 1 << (rand_r(&seed) % 4);
		ret = perf_buf_map(&buf, fds[0], pages);
		/* Another size is mapped, or the user's limit is reached. */
		if (ret == -EINVAL || ret == -EPERM)
			continue;
		if (ret)
			return 1;
		if (buf.meta->data_size != buf.size)
			return 2;
		/* The last page is there. */
		(void)*(volatile unsigned char *)(buf.data + buf.size - 1);
		perf_buf_drop(&buf);
		if (perf_buf_unmap(&buf))
			return 3;
	}
	return 0;
}

TEST(map_with_sizes)
{
	int fd = perf_open_self(FAULTS());

	ASSERT_LE(0, fd);
	race(_metadata, map_any_size, &fd);
	perf_disable(fd);
	check_free(_metadata, fd);
}

/* Redirect to a buffer that is mapped and unmapped. */
static int map_and_redirect(int worker, int *fds)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	struct perf_buf buf;
	int i, ret;

	for (i = 0; i < ROUNDS && goes_on(i, start); i++) {
		switch ((worker + i / 50) % 3) {
		case 0:
			ret = perf_buf_map(&buf, fds[0], 2);
			if (ret)
				return 1;
			if (perf_buf_unmap(&buf))
				return 2;
			break;
		case 1:
			/* The event's own buffer, or the other event's. */
			ret = perf_buf_map(&buf, fds[1], 2);
			if (ret)
				return 3;
			if (perf_buf_unmap(&buf))
				return 4;
			break;
		case 2:
			ret = perf_ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT,
					 fds[0]);
			if (ret && ret != -EINVAL)
				return 5;
			ret = perf_ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT,
					 -1);
			if (ret && ret != -EINVAL)
				return 6;
			break;
		}
	}
	return 0;
}

TEST(set_output_against_unmap)
{
	int fds[2] = { perf_open_self(FAULTS()), perf_open_self(FAULTS()) };

	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	race(_metadata, map_and_redirect, fds);
	EXPECT_EQ(0, perf_ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, -1));
	perf_disable(fds[0]);
	perf_disable(fds[1]);
	check_free(_metadata, fds[0]);
	check_free(_metadata, fds[1]);
}

/* Two events, each redirected to the other's buffer. */
static int redirect_crosswise(int worker, int *fds)
{
	int from = fds[worker & 1], to = fds[~worker & 1], i, ret;
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	struct perf_buf buf;

	for (i = 0; i < ROUNDS && goes_on(i, start); i++) {
		ret = perf_buf_map(&buf, to, 1);
		if (ret)
			return 1;
		perf_ioctl(from, PERF_EVENT_IOC_SET_OUTPUT, to);
		perf_ioctl(from, PERF_EVENT_IOC_PAUSE_OUTPUT, i & 1);
		if (perf_buf_unmap(&buf))
			return 2;
		perf_ioctl(from, PERF_EVENT_IOC_SET_OUTPUT, -1);
	}
	return 0;
}

TEST(set_output_crosswise)
{
	int fds[2] = { perf_open_self(FAULTS()), perf_open_self(FAULTS()) };

	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	race(_metadata, redirect_crosswise, fds);
	perf_disable(fds[0]);
	perf_disable(fds[1]);
	check_free(_metadata, fds[0]);
	check_free(_metadata, fds[1]);
}

/*
 * Threads that meet before each round: one unmaps, one closes, one redirects an event
 * to the buffer, one maps. A timer's interrupt writes all the time.
 */
struct meeting {
	pthread_barrier_t barrier;
	int fd;			/* the target, mapped at the start */
	int other;
	struct perf_buf buf;
	bool stop;
};

static struct perf_event_attr ticks(void)
{
	return PERF_SW(CPU_CLOCK, .sample_period = 100000,
		       .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
}

static bool meet(struct meeting *m)
{
	pthread_barrier_wait(&m->barrier);
	return !m->stop;
}

static void *closer(void *arg)
{
	struct meeting *m = arg;

	while (meet(m)) {
		close(m->fd);
		pthread_barrier_wait(&m->barrier);
	}
	return NULL;
}

static void *redirector(void *arg)
{
	struct meeting *m = arg;

	while (meet(m)) {
		perf_ioctl(m->other, PERF_EVENT_IOC_SET_OUTPUT, m->fd);
		pthread_barrier_wait(&m->barrier);
	}
	return NULL;
}

static void *mapper(void *arg)
{
	struct meeting *m = arg;
	struct perf_buf buf;

	while (meet(m)) {
		if (!perf_buf_map(&buf, m->fd, 2))
			perf_buf_unmap(&buf);
		if (!perf_buf_map(&buf, m->other, 2))
			perf_buf_unmap(&buf);
		pthread_barrier_wait(&m->barrier);
	}
	return NULL;
}

TEST(close_against_all)
{
	void *(*const workers[])(void *) = { closer, redirector, mapper };
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	int cpu = nth_cpu(1), i, rounds;
	struct meeting m = {};
	pthread_t threads[3];

	/* an event of any CPU, so that a machine with one CPU shows it if none can be opened */
	m.fd = perf_open(ticks(), -1, nth_cpu(0), -1);
	ASSERT_LE(0, m.fd);
	close(m.fd);
	if (cpu < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pthread_barrier_init(&m.barrier, NULL, 4));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, workers[i],
					    &m));
	for (rounds = 0; rounds < ROUNDS / 4 && goes_on(rounds, start); rounds++) {
		m.fd = perf_open(ticks(), -1, cpu, -1);
		m.other = perf_open(ticks(), -1, cpu, -1);
		ASSERT_LE(0, m.fd);
		ASSERT_LE(0, m.other);
		ASSERT_EQ(0, perf_buf_map(&m.buf, m.fd, 2));
		meet(&m);
		EXPECT_EQ(0, perf_buf_unmap(&m.buf));
		pthread_barrier_wait(&m.barrier);
		close(m.other);
	}
	m.stop = true;
	meet(&m);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* The exit of a process unmaps its mappings. It exits on another CPU than the worker's. */
static int map_and_exit(int worker, int *fds)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	struct perf_buf buf;
	pid_t child;
	int i;

	for (i = 0; i < ROUNDS / 10 && goes_on(i, start); i++) {
		child = fork_child();
		if (child == 0) {
			pin_to_cpu(cpus[(worker + 2) % nr_cpus]);
			if (perf_buf_map(&buf, fds[0], 2))
				_exit(1);
			perf_buf_drop(&buf);
			_exit(0);
		}
		if (perf_buf_map(&buf, fds[0], 2) || perf_buf_unmap(&buf))
			return 1;
		if (wait_status(child))
			return 2;
	}
	return 0;
}

TEST(exit_against_map)
{
	int fd = perf_open_self(FAULTS());

	ASSERT_LE(0, fd);
	if (nth_cpu(1) < 0)
		SKIP(return, "needs two CPUs");
	race(_metadata, map_and_exit, &fd);
	perf_disable(fd);
	check_free(_metadata, fd);
}

/* The count and the records are read while the task exits. */
TEST(task_exits_while_read)
{
	const struct perf_event_header *header;
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .sample_period = 1,
					      .disabled = 1,
					      .sample_type = PERF_SAMPLE_ADDR |
							     PERF_SAMPLE_ID,
					      .read_format = PERF_FORMAT_LOST);
	struct perf_count_lost count;
	size_t samples, lost;
	struct perf_buf buf;
	struct gate go;
	int fd, round;
	pid_t child;

	for (round = 0; round < 50; round++) {
		count = (struct perf_count_lost){};
		go = gate_new();
		child = fork_child();
		if (child == 0) {
			gate_wait(&go);
			fault_pages(50);
			_exit(0);
		}
		fd = perf_open(attr, child, -1, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_buf_map(&buf, fd, 2));
		ASSERT_EQ(0, perf_enable(fd));
		gate_open(&go);
		samples = 0;
		lost = 0;
		while (perf_poll(fd, POLLIN) != POLLHUP) {
			count = perf_counted(fd);
			while ((header = perf_buf_next(&buf)))
				samples += header->type == PERF_RECORD_SAMPLE;
		}
		while ((header = perf_buf_next(&buf)))
			samples += header->type == PERF_RECORD_SAMPLE;
		EXPECT_FALSE(buf.bad);
		lost = perf_counted(fd).lost;
		EXPECT_LE(count.value, perf_counted(fd).value);
		EXPECT_EQ(perf_counted(fd).value, samples + lost);
		EXPECT_LE(50, samples + lost);
		EXPECT_EQ(0, wait_status(child));
		perf_buf_unmap(&buf);
		close(fd);
		close(go.rd);
		close(go.wr);
	}
}

/* Any operation at any time, on a few events. */
#define EVENTS	4

static void any_operation(unsigned int *seed, int *fds)
{
	static const size_t sizes[] = { 0, 1, 2, 2, 2 };
	int fd = fds[rand_r(seed) % EVENTS];
	int other = fds[rand_r(seed) % EVENTS];
	char values[64];
	struct perf_buf buf;

	switch (rand_r(seed) % 10) {
	case 0:
	case 1:
		if (perf_buf_map(&buf, fd, sizes[rand_r(seed) % 5]))
			break;
		if (buf.data) {
			/* Refused: this is a part of a mapping. */
			munmap(buf.data, 1);
			perf_buf_drop(&buf);
		}
		perf_buf_unmap(&buf);
		break;
	case 2:
	case 3:
		perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other);
		break;
	case 4:
		perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1);
		break;
	case 5:
		perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, rand_r(seed) % 2);
		break;
	case 6:
		if (perf_poll(fd, POLLIN) != POLLHUP &&
		    read(fd, values, sizeof(values)) < 0)
			_exit(9);
		break;
	case 7:
		perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		perf_disable(fd);
		break;
	default:
		perf_enable(fd);
		break;
	}
}

static int anything(int worker, int *fds)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	unsigned int seed = worker + 7;
	int i, cpu = cpus[worker + 1 < nr_cpus ? worker + 1 : 0];

	for (i = 0; i < 20 * ROUNDS && goes_on(i, start); i++) {
		any_operation(&seed, fds);
		/* A new event replaces an old one. */
		if (i % 64 == 0) {
			int fd = perf_open(ticks(), -1, cpu, -1);

			dup3(fd, fds[i / 64 % EVENTS], O_CLOEXEC);
			close(fd);
		}
	}
	return 0;
}

TEST(anything_at_any_time)
{
	int fds[EVENTS], i;

	for (i = 0; i < EVENTS; i++) {
		fds[i] = perf_open_self(FAULTS());
		ASSERT_LE(0, fds[i]);
	}
	race(_metadata, anything, fds);
	for (i = 0; i < EVENTS; i++)
		perf_ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, -1);
	for (i = 0; i < EVENTS; i++) {
		perf_disable(fds[i]);
		check_free(_metadata, fds[i]);
	}
}

/* After the races a user can map as many pages as before. */
static int pages_of_user(void)
{
	void *p;
	int n, fd;

	/* The exit of the process unmaps the pages. */
	for (n = 0; n < MANY; n++) {
		fd = perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
		p = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			break;
		close(fd);
	}
	return n;
}

static int become_user(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_MEMLOCK, &none) || setresuid(USER, USER, USER);
}

static int counted_by_child(void)
{
	pid_t child = fork_child();

	if (child == 0)
		_exit(become_user() ? 255 : pages_of_user());
	return wait_status(child);
}

TEST(charges_after_races)
{
	long kb, paranoid;
	int before, after, status, fd;
	pid_t child;

	if (geteuid() != 0)
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(MLOCK_KB, &kb));
	ASSERT_EQ(0, file_read_long(PARANOID, &paranoid));
	file_write_long(MLOCK_KB, sysconf(_SC_PAGESIZE) / 1024 * 16);
	file_write_long(PARANOID, 2);
	before = counted_by_child();
	child = fork_child();
	if (child == 0) {
		fd = become_user() ? -1 : perf_open_self(FAULTS());
		if (fd < 0)
			_exit(1);
		race(_metadata, map_any_size, &fd);
		race(_metadata, map_and_exit, &fd);
		_exit(_metadata->exit_code);
	}
	status = wait_status(child);
	after = counted_by_child();
	file_write_long(MLOCK_KB, kb);
	file_write_long(PARANOID, paranoid);
	SKIP_STOCK_FAULT(after < before || before < 16,
			 "a mapping that races with the last unmap stays charged");
	EXPECT_EQ(0, status);
	EXPECT_LE(16, before);
	EXPECT_GT(MANY, before);
	EXPECT_EQ(before, after);
}

TEST_HARNESS_MAIN
