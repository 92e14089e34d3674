// SPDX-License-Identifier: GPL-2.0
/*
 * Precise sampling of Intel's models (PEBS): what is refused, what samples show, and that counts
 * are exact although hardware reloads the counters. For the machines in machines[] below
 * (x86_pmu_emulator= on the kernel's command line), which write records as hardware does.
 *
 * Records of events with a fixed period collect in a buffer if the sample needs nothing that only
 * the interrupt knows. Other events have an interrupt for each record. Both are tested.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "rejected.h"

#ifdef __x86_64__

#define PERIOD		20000
#define SAMPLES		200
#define KERNEL		(1ULL << 63)
#define LLC_MISSES	0x412e
#define LOAD_LATENCY	0x01cd	/* of performance cores since Sandy Bridge */
#define CONDITIONAL	0x01c4	/* a precise event of all models: retired conditional branches */

/* Fields that do not keep records from collecting, and one that does. */
#define FIELDS		(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
#define ONE_BY_ONE	PERF_SAMPLE_READ

/* Where PERF_SAMPLE_REGS_INTR has the stack pointer and the instruction pointer. */
#define REG_SP		(1 << 7)
#define REG_IP		(1 << 8)

static const struct {
	const char *machine;
	const char *pmu;
	long max_precise;
	bool few_events;	/* some events are not precise */
	bool next_only;		/* records have the next instruction, and branches tell this one */
	bool records_collect;	/* records name their counters, and have the time */
	bool groups;		/* records have groups of fields */
	__u64 exact, inexact;	/* events with and without exact distribution */
} machines[] = {
	{ "intel-westmere", "cpu", 2, true, true, false, false, 0, CONDITIONAL },
	{ "intel-haswell", "cpu", 3, true, false, false, false, 0x01c0,
	  CONDITIONAL },
	{ "intel-skylake", "cpu", 3, true, false, true, false, 0x01c0,
	  CONDITIONAL },
	{ "intel-icelake", "cpu", 3, false, false, true, true, 0x00c0,
	  CONDITIONAL },
	/* counter 0 is precise for all that it counts; the latency of loads is on others */
	{ "intel-alderlake", "cpu_core", 3, false, false, true, true, CONDITIONAL,
	  LOAD_LATENCY },
};

FIXTURE(precise)
{
	unsigned int i;
	int other;		/* a CPU that can be taken offline, or -1 */
	struct perf_limits limits;
};

FIXTURE_SETUP(precise)
{
	while (self->i < ARRAY_SIZE(machines) && !machine_is(machines[self->i].machine))
		self->i++;
	if (self->i == ARRAY_SIZE(machines))
		SKIP(return, "no emulated machine with precise sampling behind the PMU");
	/* of those that the test may run on, which is one CPU afterwards */
	self->other = hotplug_cpu();
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	/* An event that is throttled does not count. */
	ASSERT_EQ(0, perf_lift_limits(&self->limits));
}

FIXTURE_TEARDOWN_PARENT(precise)
{
	perf_restore_limits(&self->limits);
}

/* An event of user mode that samples. */
static struct perf_event_attr sampling(__u64 config, __u64 fields)
{
	return PERF_RAW(config, .sample_period = PERIOD, .sample_type = fields, .precise_ip = 1,
			.exclude_kernel = 1, .disabled = 1);
}

TEST_F(precise, levels_are_refused_beyond)
{
	struct perf_event_attr attr = sampling(machines[self->i].inexact, FIELDS);
	char path[100], text[256];
	long max;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/caps/max_precise",
		 machines[self->i].pmu);
	ASSERT_EQ(0, file_read_long(path, &max));
	EXPECT_EQ(machines[self->i].max_precise, max);
	if (attr.config == LOAD_LATENCY)
		attr.config1 = 3;
	for (long level = 1; level <= 3; level++) {
		attr.precise_ip = level;
		EXPECT_EQ(level > max ? -EOPNOTSUPP : 0, perf_try_self(attr));
	}
	if (max < 3) {
		EXPECT_TRUE(refused_for("precise_ip"));
		ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", text, sizeof(text)));
		EXPECT_NE(NULL, strstr(text, "offers at most 2"));
		return;
	}
	attr = sampling(machines[self->i].exact, FIELDS);
	attr.precise_ip = 3;
	EXPECT_EQ(0, perf_try_self(attr));
}

TEST_F(precise, some_events_are_not_precise)
{
	struct perf_event_attr attr = HW_CYCLES(.sample_period = PERIOD, .precise_ip = 1);

	/* On some machines an equivalent event replaces cycles. */
	EXPECT_EQ(0, perf_try_self(attr));
	if (machines[self->i].few_events) {
		attr = sampling(LLC_MISSES, FIELDS);
		EXPECT_EQ(-EINVAL, perf_try_self(attr));
		EXPECT_TRUE(refused_for("precise_ip"));
	}
	attr = sampling(CONDITIONAL, FIELDS);
	attr.exclude_host = 1;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("exclude_host"));
}

/* What the samples of an event have shown. */
struct seen {
	unsigned int samples;
	unsigned int exact;	/* PERF_RECORD_MISC_EXACT_IP */
	unsigned int bad;	/* period, address or time is wrong */
	__u64 time;
	__u64 longest;		/* period */
	struct perf_rec last;
};

static void see(struct seen *seen, const struct perf_event_attr *attr,
		const struct perf_event_header *header)
{
	struct perf_rec rec;

	if (!perf_rec_parse(attr, header, &rec)) {
		seen->bad++;
		return;
	}
	seen->samples++;
	if (header->misc & PERF_RECORD_MISC_EXACT_IP)
		seen->exact++;
	if (attr->sample_type & PERF_SAMPLE_PERIOD && !attr->freq &&
	    rec.period != attr->sample_period)
		seen->bad++;
	if (attr->exclude_kernel && (rec.ip & KERNEL || rec.addr & KERNEL || !rec.ip))
		seen->bad++;
	if (attr->sample_type & PERF_SAMPLE_TIME && rec.time <= seen->time)
		seen->bad++;
	seen->time = rec.time;
	if (rec.period > seen->longest)
		seen->longest = rec.period;
	seen->last = rec;
}

/* Turns of a loop with so many periods that hardly any one ends in the system calls beside it. */
#define STRETCH		(100 * PERIOD)

/* The last resort against a condition that never comes true: far more than any one needs. */
#define STRETCHES	200000
#define LONG_STRETCHES	20000

/*
 * Spin until a condition is true. The result is false if it never is. The loop has no system call:
 * the instruction behind one is known to no record of branches.
 */
#define SPINS_UNTIL(_turns, _what) ({					\
	bool __true;							\
									\
	for (int __n = 0; !(__true = (_what)) && __n < STRETCHES; __n++)	\
		spin(_turns);						\
	__true;								\
})

/* Spin until an event has so many samples. */
static struct seen see_samples(struct perf_event_attr *attr, int fd, unsigned int enough)
{
	static struct perf_buf buf;
	const struct perf_event_header *header;
	struct seen seen = { };

	if (perf_buf_map(&buf, fd, 64) || perf_enable(fd))
		return seen;
	for (int n = 0; seen.samples < enough && n < LONG_STRETCHES; n++) {
		spin(STRETCH);
		perf_count(fd);		/* drains the records */
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE)))
			see(&seen, attr, header);
	}
	perf_disable(fd);
	perf_buf_unmap(&buf);
	return seen;
}

/* Two events with a level in a group: the result is the second event's. */
static int try_pair(struct perf_event_attr attr, unsigned int level)
{
	int fd, err;

	attr.precise_ip = level;
	fd = perf_open_self(attr);
	if (fd < 0)
		return fd;
	err = perf_try(attr, 0, -1, fd, 0);
	close(fd);
	return err;
}

/*
 * Scripts request the level 3 of cycles. Events that no counter distributes exactly have what 2 is;
 * others are on the counters that do.
 */
TEST_F(precise, the_highest_level_is_the_best_there_is)
{
	struct perf_event_attr attr = HW_CYCLES(.sample_period = PERIOD, .precise_ip = 3,
						.sample_type = FIELDS, .exclude_kernel = 1,
						.disabled = 1);
	struct seen seen;
	int fd;

	if (machines[self->i].max_precise < 3)
		SKIP(return, "2 is the highest level");
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, SAMPLES);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(seen.samples, seen.exact);
	EXPECT_EQ(0, seen.bad);
	close(fd);
	if (!machines[self->i].groups)
		return;
	attr = sampling(machines[self->i].exact, FIELDS);
	EXPECT_EQ(0, try_pair(attr, 2));
	EXPECT_EQ(-EINVAL, try_pair(attr, 3));
	EXPECT_TRUE(refused_for("group_fd"));
}

static void expect_samples(struct __test_metadata *_metadata, unsigned int i, __u64 fields)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, fields);
	struct seen seen;
	int fd;

	attr.precise_ip = 2;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, SAMPLES);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	/* A record that is read with the count comes too late for its branches. */
	if (machines[i].next_only) {
		EXPECT_LE(seen.samples * 3 / 4, seen.exact);
	} else {
		EXPECT_EQ(seen.samples, seen.exact);
	}
	close(fd);
}

TEST_F(precise, samples_show_instructions)
{
	expect_samples(_metadata, self->i, FIELDS);
	expect_samples(_metadata, self->i, FIELDS | ONE_BY_ONE);
}

/*
 * Records with the next instruction: the last branch before it tells which one caused the record,
 * the branch itself or what is at its target.
 */
TEST_F(precise, branches_tell_the_instruction)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, PERF_SAMPLE_IP |
					       PERF_SAMPLE_BRANCH_STACK);
	unsigned int sources = 0, targets = 0, others = 0;
	const struct perf_event_header *header;
	static struct perf_buf buf;
	struct perf_rec rec;
	int fd;

	if (!machines[self->i].next_only)
		SKIP(return, "records have the instruction");
	attr.precise_ip = 2;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("branch_sample_type"));
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; (!sources || !targets) && n < LONG_STRETCHES; n++) {
		spin(STRETCH);
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			if (!(header->misc & PERF_RECORD_MISC_EXACT_IP))
				continue;
			ASSERT_LT(0, rec.nr_branches);
			sources += rec.ip == rec.branches[0].from;
			targets += rec.ip == rec.branches[0].to;
			others += rec.ip != rec.branches[0].from && rec.ip != rec.branches[0].to;
		}
	}
	EXPECT_LT(0, sources);
	EXPECT_LT(0, targets);
	EXPECT_EQ(0, others);
	close(fd);
}

/* The registers come from the record: its IP is the address of the next instruction. */
TEST_F(precise, samples_show_registers)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS | PERF_SAMPLE_REGS_INTR |
					       PERF_SAMPLE_CALLCHAIN);
	struct seen seen;
	int here, fd;

	attr.sample_regs_intr = REG_IP | REG_SP;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, SAMPLES);
	EXPECT_EQ(0, seen.bad);
	ASSERT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, seen.last.regs_intr_abi);
	/* This function's stack is below its caller's stack, by less than a megabyte. */
	EXPECT_LT((uintptr_t)&here - seen.last.regs_intr[0] + (1 << 20), 2 << 20);
	EXPECT_EQ(seen.last.ip, seen.last.regs_intr[1]);
	close(fd);
}

/* The halves of two registers XMM. */
#define REG_XMM3	(3ULL << (32 + 2 * 3))
#define REG_XMM12	(3ULL << (32 + 2 * 12))

static const __u64 xmm[4] = {
	0x1122334455667788, 0x99aabbccddeeff00, 0x0123456789abcdef, 0xfedcba9876543210,
};

/* The loop, and what is behind it. */
extern const char xmm_loop[], xmm_loop_end[];

/* Spin with known values in these registers. */
static __attribute__((noinline, noclone)) void spin_with_xmm(long turns)
{
	asm volatile("movdqu (%1), %%xmm3\n\t"
		     "movdqu 16(%1), %%xmm12\n"
		     "xmm_loop:\n\t"
		     "dec %0\n\t"
		     "jnz xmm_loop\n"
		     "xmm_loop_end:"
		     : "+r" (turns) : "r" (xmm) : "xmm3", "xmm12", "cc", "memory");
}

/* What samples with registers XMM have shown: in the loop, in the kernel, and wrong values. */
struct seen_xmm {
	int user, kernel, wrong;
};

static void see_xmm(struct seen_xmm *seen, const struct perf_rec *rec)
{
	static const __u64 none[4];
	bool kernel = rec->ip & KERNEL;

	if (!kernel && (rec->ip < (uintptr_t)xmm_loop || rec->ip >= (uintptr_t)xmm_loop_end))
		return;
	if (kernel)
		seen->kernel++;
	else
		seen->user++;
	seen->wrong += memcmp(rec->regs_intr + 1, kernel ? none : xmm, sizeof(xmm)) != 0;
}

static void expect_xmm(struct __test_metadata *_metadata, struct perf_event_attr attr)
{
	int kernel_samples = attr.exclude_kernel ? 0 : SAMPLES;
	const struct perf_event_header *header;
	struct seen_xmm seen = { };
	static struct perf_buf buf;
	struct perf_rec rec;
	int fd;

	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = REG_IP | REG_XMM3 | REG_XMM12;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; n < 100000 && (seen.user < SAMPLES || seen.kernel < kernel_samples); n++) {
		spin_with_xmm(100000);
		for (int calls = 0; calls < 100 && kernel_samples; calls++)
			getppid();
		perf_count(fd);		/* drains the records */
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			see_xmm(&seen, &rec);
		}
	}
	EXPECT_LE(SAMPLES, seen.user);
	EXPECT_LE(kernel_samples, seen.kernel);
	EXPECT_EQ(0, seen.wrong);
	close(fd);
	perf_buf_unmap(&buf);
}

/* Records with groups of fields have XMM. In the kernel XMM may be another task's. */
TEST_F(precise, samples_show_xmm)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS | PERF_SAMPLE_REGS_INTR);

	attr.sample_regs_intr = REG_IP | REG_XMM3;
	if (!machines[self->i].groups) {
		EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
		EXPECT_TRUE(refused_for("sample_regs"));
		return;
	}
	attr.precise_ip = 0;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("sample_regs_intr"));
	attr = sampling(CONDITIONAL, FIELDS | PERF_SAMPLE_REGS_USER);
	attr.sample_regs_user = REG_IP | REG_XMM3;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("sample_regs_user"));

	attr = sampling(CONDITIONAL, FIELDS);
	expect_xmm(_metadata, attr);
	attr.sample_type |= ONE_BY_ONE;
	expect_xmm(_metadata, attr);
	attr.exclude_kernel = 0;
	expect_xmm(_metadata, attr);
}

/* Hardware of some parts can write records to the trace of intel_pt; the driver cannot. */
TEST_F(precise, records_do_not_go_to_a_trace)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	char text[256];

	attr.aux_output = 1;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("aux_output"));
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "this PMU cannot write to an AUX area"));
}

/* So few samples in a second that a period of one event is too short, even on a slow machine. */
#define SLOW_HZ		20
#define SLOW_SAMPLES	40

/* The period follows the rate. */
TEST_F(precise, frequencies_work)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	struct seen seen;
	int fd;

	attr.freq = 1;
	attr.sample_freq = SLOW_HZ;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, SLOW_SAMPLES);
	EXPECT_LE(SLOW_SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	/* The first period is 1. At the rate of events in the machine, that is far too short. */
	EXPECT_LT(100, seen.longest);
	close(fd);
}

struct pair {
	__u64 nr;
	__u64 value[2];
};

/*
 * A precise event and the same event without samples are in a group, so they count the same. The
 * buffer is drained whenever the group is read or disabled, and when the task switches. One sample
 * ends each period.
 */
static void expect_exact(struct __test_metadata *_metadata, struct perf_event_attr attr,
			 int rounds)
{
	struct perf_event_attr plain = PERF_RAW(attr.config, .exclude_kernel = 1);
	static struct perf_buf buf;
	const struct perf_event_header *record;
	int fds[2], n, samples = 0, throttled = 0;
	struct pair pair = { };
	__u64 seen = 0;

	attr.read_format = PERF_FORMAT_GROUP;
	plain.read_format = PERF_FORMAT_GROUP;
	fds[0] = perf_open_self(attr);
	ASSERT_LE(0, fds[0]);
	fds[1] = perf_open(plain, 0, -1, fds[0]);
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, perf_buf_map(&buf, fds[0], 128));
	for (n = 0; n < rounds; n++) {
		ASSERT_EQ(0, perf_enable_group(fds[0]));
		spin(1000 + n * 997 % 30000);
		if (n % 3 == 1)
			ASSERT_EQ(sizeof(pair), read(fds[0], &pair, sizeof(pair)));
		if (n % 5 == 1)
			sleep_ms(1);
		EXPECT_LE(seen, pair.value[0] ?: seen);
		ASSERT_EQ(0, perf_disable_group(fds[0]));
		ASSERT_EQ(sizeof(pair), read(fds[0], &pair, sizeof(pair)));
		EXPECT_LE(seen, pair.value[0]);
		EXPECT_EQ(pair.value[1], pair.value[0]);
		seen = pair.value[0];
		while ((record = perf_buf_next(&buf))) {
			samples += record->type == PERF_RECORD_SAMPLE;
			throttled += record->type == PERF_RECORD_THROTTLE;
		}
	}
	/* A throttled event does not count, but its sibling does. */
	EXPECT_EQ(0, throttled);
	/* A sample may be pending where the event was stopped. */
	EXPECT_LE(pair.value[0] / attr.sample_period, samples + 1);
	EXPECT_LE(samples, pair.value[0] / attr.sample_period);
	EXPECT_LT(10, samples);
	perf_buf_unmap(&buf);
	perf_close_all(fds, 2);
}

TEST_F(precise, counts_are_exact)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);

	/* Below the limit of the rate, even if the host lets the machine's clock jump. */
	attr.sample_period = 5000;
	expect_exact(_metadata, attr, 1000);
	attr.sample_type |= ONE_BY_ONE;
	expect_exact(_metadata, attr, 1000);
}

/*
 * Records that name their counters may be of several events at a time. Else one event records at a
 * time: events take turns, and the samples of each are its own.
 */
TEST_F(precise, several_events)
{
	bool alone = !machines[self->i].records_collect;
	struct perf_event_attr attr = sampling(CONDITIONAL, PERF_SAMPLE_IDENTIFIER);
	static struct perf_buf buf[2];
	__u64 samples;
	struct perf_timed t;
	int fd[2], n;

	attr.read_format = PERF_ALL_TIMES;
	for (n = 0; n < 2; n++) {
		fd[n] = perf_open_self(attr);
		ASSERT_LE(0, fd[n]);
		ASSERT_EQ(0, perf_buf_map(&buf[n], fd[n], 64));
	}
	/* A sample that is taken before its buffer is mapped goes nowhere. */
	for (n = 0; n < 2; n++)
		ASSERT_EQ(0, perf_enable(fd[n]));
	if (alone)
		EXPECT_TRUE(SPINS_UNTIL(PERIOD, all_take_turns(fd, 2)));
	for (n = 0; n < 2; n++) {
		samples = 0;
		EXPECT_TRUE(SPINS_UNTIL(PERIOD, (samples += perf_buf_count(&buf[n])) >= 2));
		ASSERT_EQ(0, perf_disable(fd[n]));
		t = perf_timed_count(fd[n]);
		EXPECT_EQ(alone, t.running < t.enabled);
		/* each period that ended has its sample */
		EXPECT_EQ(t.value / PERIOD, samples + perf_buf_count(&buf[n]));
	}
	EXPECT_EQ(alone ? -EINVAL : 0, perf_try(attr, 0, -1, fd[0], 0));
	if (alone)
		EXPECT_TRUE(refused_for("precise_ip"));
	perf_close_all(fd, 2);
}

/* One interrupt for each record would show few at a time. */
#define MANY_RECORDS	32

/* Samples appear when the buffer is filled, or the task switches: not many in every try. */
static int samples_at_once(struct __test_metadata *_metadata, int fd, struct perf_buf *buf)
{
	int samples = 0;

	perf_buf_drop(buf);
	ASSERT_EQ(0, perf_enable(fd));
	ASSERT_TRUE(SPINS_UNTIL(1000, (samples = perf_buf_count(buf))));
	ASSERT_EQ(0, perf_disable(fd));
	return samples;
}

TEST_F(precise, an_interrupt_has_many_records)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	static struct perf_buf buf;
	int fd;

	if (!machines[self->i].records_collect)
		SKIP(return, "records do not collect");
	attr.sample_period = 20000;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	EXPECT_TRUE(IN_SOME_TRY(200, samples_at_once(_metadata, fd, &buf) >= MANY_RECORDS));
	close(fd);
	perf_buf_unmap(&buf);
}

static void spin_some(void)
{
	spin(1000);
}

TEST_F(precise, programs_see_each_sample_of_children)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);

	attr.sample_period = 20000;
	expect_rejected(_metadata, attr, spin_some);
}

/* No record of a user shows anything of the kernel, although most of the time is spent there. */
TEST_F(precise, the_kernel_is_hidden)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS | PERF_SAMPLE_ADDR |
					       PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CALLCHAIN |
					       PERF_SAMPLE_PHYS_ADDR | ONE_BY_ONE);
	const struct perf_event_header *header;
	static struct perf_buf buf;
	struct perf_rec rec;
	int fd, samples = 0;

	attr.sample_period = 500;
	attr.sample_regs_intr = 0xff0fff & ~(1 << 9);	/* all but flags and segments */
	attr.sample_regs_intr &= ~(0xfULL << 10);
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; n < 100000000 && samples < 5 * SAMPLES; n++) {
		getppid();
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			samples++;
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			EXPECT_EQ(PERF_RECORD_MISC_USER,
				  header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
			EXPECT_FALSE(rec.ip & KERNEL);
			EXPECT_FALSE(rec.addr & KERNEL);
			for (__u64 i = 0; i < rec.nr_chain; i++)
				EXPECT_FALSE(rec.chain[i] & KERNEL &&
					     rec.chain[i] < (__u64)PERF_CONTEXT_MAX);
			if (!rec.regs_intr_abi)
				continue;
			/* stack pointer, instruction pointer: AX BX CX DX SI DI BP SP IP */
			EXPECT_FALSE(rec.regs_intr[7] & KERNEL);
			EXPECT_FALSE(rec.regs_intr[8] & KERNEL);
		}
	}
	EXPECT_LE(5 * SAMPLES, samples);
	close(fd);
	perf_buf_unmap(&buf);
}

/* More events than there are counters for. */
TEST_F(precise, events_take_turns)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	int fds[12], n;

	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (n = 0; n < 12; n++) {
		attr.sample_type = n & 1 ? FIELDS : FIELDS | ONE_BY_ONE;
		fds[n] = perf_open_self(attr);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(fds, 12)));
	perf_close_all(fds, 12);
}

/* Two functions, each of which only one task runs. */
static __attribute__((noinline, noclone, aligned(64))) void run_first(void)
{
	spin(5000);
	asm volatile("" : : : "memory");
}

static __attribute__((noinline, noclone, aligned(64))) void run_second(void)
{
	spin(5001);
	asm volatile("" : : : "memory");
}

#define CODE_SIZE	64

static bool is_in(__u64 ip, void (*function)(void))
{
	return ip - (uintptr_t)function < CODE_SIZE;
}

static pid_t run_always(void (*function)(void))
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	pin_to_cpu(nth_cpu(0));
	for (;;) {
		for (int n = 0; n < 50; n++)
			function();
		sched_yield();
	}
}

/* Two tasks take turns on a CPU. Their event is on @pid, or if that is -1, on the CPU. */
static void expect_own_records(struct __test_metadata *_metadata, struct perf_event_attr attr,
			       pid_t pid)
{
	void (*functions[2])(void) = { run_first, run_second };
	const struct perf_event_header *header;
	int fd, samples[2] = { }, wrong = 0;
	static struct perf_buf buf;
	struct perf_rec rec;
	pid_t pids[2];

	attr.sample_period = 3000;
	fd = perf_open(attr, pid, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 256));
	for (int n = 0; n < 2; n++)
		pids[n] = run_always(functions[n]);
	ASSERT_EQ(0, perf_enable(fd));
	for (int ms = 0; ms < PATIENCE_MS && (samples[0] < SAMPLES || samples[1] < SAMPLES); ms++) {
		sleep_ms(1);
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			for (int n = 0; n < 2; n++) {
				if (!is_in(rec.ip, functions[n]))
					continue;
				samples[n]++;
				wrong += rec.pid != (__u32)pids[n];
			}
		}
	}
	EXPECT_LE(SAMPLES, samples[0]);
	EXPECT_LE(SAMPLES, samples[1]);
	EXPECT_EQ(0, wrong);
	for (int n = 0; n < 2; n++) {
		kill(pids[n], SIGKILL);
		waitpid(pids[n], NULL, 0);
	}
	close(fd);
	perf_buf_unmap(&buf);
}

/* Records name no task: the records of a task must be read before the next one runs. */
TEST_F(precise, records_belong_to_their_task)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);

	expect_own_records(_metadata, attr, -1);
	attr.sample_type |= ONE_BY_ONE;
	expect_own_records(_metadata, attr, -1);
}

/* Tasks that have inherited the same events exchange them at a switch; the counters go on. */
TEST_F(precise, records_of_tasks_that_exchange_events)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);

	attr.inherit = 1;
	/* Contexts are exchanged while they are as they were inherited. */
	attr.disabled = 0;
	expect_own_records(_metadata, attr, 0);
}

/* Read what an event has written. Returns true if there were samples. */
static bool takes_samples(struct perf_buf *buf, int *samples)
{
	int before = *samples;

	while (perf_buf_next_of(buf, PERF_RECORD_SAMPLE))
		++*samples;
	return *samples > before;
}

/*
 * A task is on a CPU that goes offline and comes back, while its event samples. On the other CPU
 * and back the event goes on: it loses no count and no sample.
 */
TEST_F(precise, samples_go_on_while_a_cpu_goes)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	struct perf_event_attr plain = PERF_RAW(CONDITIONAL, .exclude_kernel = 1);
	int cpu = self->other, fds[2], samples = 0, round;
	static struct perf_buf buf;
	struct pair pair;
	pid_t pid;

	if (cpu < 0)
		SKIP(return, "no CPU that can be taken offline");
	if (machine_is("intel-alderlake"))
		SKIP(return, "the CPU is of another kind");
	attr.read_format = PERF_FORMAT_GROUP;
	plain.read_format = PERF_FORMAT_GROUP;
	attr.sample_period = 50000;
	pid = fork_child();
	for (; !pid;)
		spin(1000);
	fds[0] = perf_open(attr, pid, -1, -1);
	ASSERT_LE(0, fds[0]);
	fds[1] = perf_open(plain, pid, -1, fds[0]);
	ASSERT_LE(0, fds[1]);
	/* Room for what comes while a CPU goes on a slow host. */
	ASSERT_EQ(0, perf_buf_map(&buf, fds[0], 1024));
	ASSERT_EQ(0, perf_enable_group(fds[0]));
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, pin_pid_to_cpu(pid, cpu));
		/* From here on, samples come from that CPU. */
		takes_samples(&buf, &samples);
		EXPECT_TRUE(COMES_TRUE(takes_samples(&buf, &samples)));
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		takes_samples(&buf, &samples);
		EXPECT_TRUE(COMES_TRUE(takes_samples(&buf, &samples)));
		ASSERT_EQ(0, cpu_set_online(cpu, true));
		EXPECT_TRUE(COMES_TRUE(takes_samples(&buf, &samples)));
	}
	ASSERT_EQ(0, perf_disable_group(fds[0]));
	ASSERT_EQ(sizeof(pair), read(fds[0], &pair, sizeof(pair)));
	takes_samples(&buf, &samples);
	EXPECT_EQ(pair.value[1], pair.value[0]);
	EXPECT_EQ(samples, pair.value[0] / attr.sample_period);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	perf_buf_unmap(&buf);
	perf_close_all(fds, 2);
}

/* A CPU that goes offline loses its buffer. When it is back, new events have samples. */
TEST_F(precise, cpu_goes_and_comes_back)
{
	struct perf_event_attr attr = sampling(CONDITIONAL, FIELDS);
	static struct perf_buf buf;
	int cpu = self->other, fd, round;
	__u64 value;

	if (cpu < 0)
		SKIP(return, "no CPU that can be taken offline");
	if (machine_is("intel-alderlake"))
		SKIP(return, "the CPU is of another kind");
	attr.disabled = 0;
	attr.exclude_kernel = 0;
	attr.sample_period = 100000;
	for (round = 0; round < 3; round++) {
		fd = perf_open(attr, -1, cpu, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
		EXPECT_TRUE(COMES_TRUE(perf_count(fd) && perf_buf_count(&buf)));
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		value = perf_count(fd);
		ASSERT_EQ(0, cpu_set_online(cpu, true));
		EXPECT_EQ(value, perf_count(fd));
		close(fd);
		perf_buf_unmap(&buf);
	}
}

#else /* !__x86_64__ */

TEST(precise)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
