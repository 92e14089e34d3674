// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program, or a limit of overflows, that comes while the event counts and hardware has
 * records of it: precise records (PEBS) that collect, and records of branches (BTS). What was
 * recorded before is older than the program and the limit. From then on each sample is decided by
 * them. For the machines in machines[] below (x86_pmu_emulator= on the kernel's command line).
 */
#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef __x86_64__

#define PERIOD		20000
#define CONDITIONAL	0x01c4	/* retired conditional branches */
/* Turns of a loop in which many periods end, but hardly more than records may collect. */
#define STRETCH		(100 * PERIOD)
/* Periods that may end in the system calls beside the loop, or have no sample. */
#define AROUND		5

#define LIMIT		20
/* Periods after the program has come, and loops within which they must end. */
#define ENOUGH		100
#define STRETCHES	20000

/*
 * Branches after the program has come: the emulator traces a few whenever tracing is turned off.
 * The buffer has up to 512 before. Rounds, and in how many of them more may be traced.
 */
#define BRANCHES	160
#define ROUNDS		20
#define MISSED		5

static const char *const machines[] = { "intel-skylake", "intel-icelake", "intel-alderlake" };

FIXTURE(late)
{
	struct perf_buf buf;
	struct perf_limits limits;
	int cpus[2];
	int nr_cpus;
	int map;
	int prog;
};

FIXTURE_SETUP(late)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machines) && !machine_is(machines[i]); i++)
		;
	if (i == ARRAY_SIZE(machines))
		SKIP(return, "no emulated machine with records that collect");
	self->nr_cpus = list_cpus(self->cpus, 2);
	ASSERT_EQ(0, pin_to_cpu(self->cpus[0]));
	/* no throttling: it would stop the event in between */
	ASSERT_EQ(0, perf_lift_limits(&self->limits));
	self->map = bpf_map_make(BPF_MAP_TYPE_ARRAY, sizeof(__u64), 1);
	/* counts its runs, and takes no sample */
	self->prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 0);
	if (self->prog < 0)
		SKIP(return, "no BPF programs");
}

FIXTURE_TEARDOWN_PARENT(late)
{
	perf_restore_limits(&self->limits);
}

static struct perf_event_attr precise(void)
{
	return PERF_RAW(CONDITIONAL, .sample_period = PERIOD, .precise_ip = 1,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID, .exclude_kernel = 1,
			.disabled = 1);
}

static int nr_samples(struct perf_buf *buf)
{
	int nr = 0;

	while (perf_buf_next_of(buf, PERF_RECORD_SAMPLE))
		nr++;
	return nr;
}

/* Open an event, and let it count until records collect. */
static int open_counting(struct perf_buf *buf)
{
	int fd = perf_open_self(precise());

	if (fd < 0 || perf_buf_map(buf, fd, 64) || perf_enable(fd))
		return -1;
	spin(STRETCH);
	return fd;
}

TEST_F(late, program)
{
	int fd = open_counting(&self->buf);
	__u64 before, after, runs;
	int samples, i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	before = perf_count(fd) / PERIOD;
	for (i = 0, after = 0; after < ENOUGH && i < STRETCHES; i++) {
		spin(STRETCH);
		after = perf_count(fd) / PERIOD - before;
	}
	ASSERT_EQ(0, perf_disable(fd));
	runs = bpf_map_get(self->map, 0);
	samples = nr_samples(&self->buf);
	EXPECT_LE(ENOUGH, after);
	EXPECT_LE(after, runs + AROUND);
	EXPECT_LE(runs, after + AROUND);
	EXPECT_LE(before, samples + AROUND);
	EXPECT_LE(samples, before + AROUND);
	close(fd);
}

TEST_F(late, limit)
{
	int fd = open_counting(&self->buf);
	__u64 before, after = 0, last;
	int samples;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, LIMIT));
	before = perf_count(fd) / PERIOD;
	/* until it is disabled */
	do {
		last = after;
		spin(STRETCH);
		after = perf_count(fd) / PERIOD - before;
	} while (after != last && after <= LIMIT + AROUND);
	ASSERT_EQ(0, perf_disable(fd));
	samples = nr_samples(&self->buf);
	EXPECT_LE(after, LIMIT + AROUND);
	EXPECT_LE(LIMIT, after + AROUND);
	EXPECT_LE(before + LIMIT, samples + AROUND);
	EXPECT_LE(samples, before + LIMIT + AROUND);
	close(fd);
}

/* The event was inherited by a child on another CPU, which does not stop counting. */
TEST_F(late, program_of_a_child)
{
	struct rounds *rounds = rounds_shared();
	struct perf_event_attr attr = precise();
	int fd, other = self->cpus[1];
	__u64 before, after;
	pid_t child;

	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	attr.inherit = 1;
	fd = perf_open(attr, 0, other, -1);
	if (fd == -ENOENT)
		SKIP(return, "the other CPU is of another kind");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	child = fork_child();
	if (child == 0) {
		pin_to_cpu(other);
		while (rounds_go_on(rounds)) {
			spin(STRETCH);
			rounds_add(rounds);
		}
		rounds_end(rounds);
		_exit(0);
	}
	ASSERT_TRUE(rounds_pass(rounds, 2));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	before = perf_count(fd) / PERIOD;
	do {
		ASSERT_TRUE(rounds_pass(rounds, 1));
		after = perf_count(fd) / PERIOD - before;
	} while (after < ENOUGH && atomic_load(&rounds->done) < STRETCHES);
	EXPECT_LE(ENOUGH, after);
	EXPECT_LE(after, bpf_map_get(self->map, 0) + AROUND);
	rounds_stop(rounds);
	EXPECT_EQ(0, wait_status(child));
	close(fd);
}

static struct perf_event_attr branches(void)
{
	return PERF_HW(BRANCH_INSTRUCTIONS, .sample_period = 1, .sample_type = PERF_SAMPLE_IP,
		       .disabled = 1, .exclude_kernel = 1);
}

/* A limit is raised while the buffer has more records than were allowed, or about as many. */
TEST_F(late, limit_of_branches_is_raised)
{
	int turns, i, fd;
	__u64 count, last;

	for (turns = 10; turns <= 160; turns *= 2) {
		fd = perf_open_self(branches());
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_buf_map(&self->buf, fd, 64));
		ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2 * LIMIT));
		spin(turns);
		ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, LIMIT));
		/* until it is disabled */
		for (i = 0, last = 0; i < STRETCHES; i++, last = count) {
			spin(STRETCH / 100);
			count = perf_count(fd);
			if (count == last)
				break;
		}
		EXPECT_GT(STRETCHES, i);
		EXPECT_EQ(3 * LIMIT, nr_samples(&self->buf));
		ASSERT_EQ(0, perf_buf_unmap(&self->buf));
		close(fd);
	}
}

/* Let the program come, and disable the event at once. Return: the number of the program's runs. */
static __u64 late_runs(int map, int prog)
{
	int fd = perf_open_self(branches());
	__u64 runs = bpf_map_get(map, 0);

	if (fd < 0 || perf_enable(fd))
		return -1;
	spin(STRETCH);
	if (perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || perf_disable(fd))
		return -1;
	close(fd);
	return bpf_map_get(map, 0) - runs;
}

TEST_F(late, program_for_branches)
{
	int i, late = 0;

	for (i = 0; i < ROUNDS; i++) {
		__u64 runs = late_runs(self->map, self->prog);

		ASSERT_NE(-1ULL, runs);
		if (runs > BRANCHES)
			late++;
	}
	EXPECT_GE(MISSED, late);
}

#else /* !__x86_64__ */

TEST(late)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
