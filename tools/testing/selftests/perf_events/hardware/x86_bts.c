// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of branches: the PMU intel_bts, and events that sample each branch. A loop has branches
 * at known addresses. The emulated machines with a trace (x86_pmu_emulator= on the kernel's command
 * line) trace the branches that the interrupted code is about to execute.
 */
#include <sys/prctl.h>

#include "../lib/aux.h"
#include "../lib/cpu.h"
#include "../lib/file.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"
#include "rejected.h"

#ifdef __x86_64__

#define NOBODY		65534

/* Branches of the loop that each case must see, and rounds within which they must come. */
#define WANTED		100
#define ROUNDS		200000
#define AREA_PAGES	64
/* Records until the interrupt, of which the buffer has a few more; and such pieces. */
#define TO_INTERRUPT	2048
#define PIECES		3
/* smaller than what hardware has room for until its interrupt */
#define SMALL_PAGES	1

/* void bt_run(unsigned long turns) */
asm(".pushsection .text\n"
    ".balign 64\n"
    "bt_begin:\n"
    "bt_run:	nop\n"
    "bt_top:	nop\n"
    "bt_call:	call bt_leaf\n"
    "bt_jump:	jmp bt_landing\n"
    "		nop\n"
    "bt_landing: dec %rdi\n"
    "bt_cond:	jnz bt_top\n"
    "		ret\n"
    "bt_leaf:	mov $20, %ecx\n"
    "bt_spin:	dec %ecx\n"
    "bt_leaf_cond: jnz bt_spin\n"
    "bt_ret:	ret\n"
    "bt_end:\n"
    ".popsection\n");

void bt_run(unsigned long turns);
extern char bt_begin[], bt_end[], bt_top[], bt_call[], bt_jump[], bt_landing[], bt_cond[];
extern char bt_leaf[], bt_spin[], bt_leaf_cond[], bt_ret[];

static const struct {
	char *from;
	char *to;	/* NULL: several */
} branches[] = {
	{ bt_call, bt_leaf }, { bt_jump, bt_landing }, { bt_cond, bt_top },
	{ bt_leaf_cond, bt_spin }, { bt_ret, NULL },
};

static const char *const machines[] = {
	"intel-westmere", "intel-haswell", "intel-skylake", "intel-icelake", "intel-alderlake",
};

/* What hardware writes. */
struct record {
	__u64 from;
	__u64 to;
	__u64 flags;
};

FIXTURE(trace)
{
	struct aux_area area;
	struct perf_listener l;
	long type;
	long paranoid;
	/* of the loop; with an address of the kernel; without one */
	int loop;
	int kernel;
	int user;
	int cpu;
};

FIXTURE_SETUP(trace)
{
	bool emulated = false;
	unsigned int i;

	self->type = -1;
	self->cpu = -1;
	for (i = 0; i < ARRAY_SIZE(machines); i++)
		emulated |= machine_is(machines[i]);
	if (!emulated)
		SKIP(return, "no emulated machine with a trace of branches");
	self->type = pmu_type("intel_bts");
	ASSERT_LE(0, self->type);
	perf_raise_sample_rate();
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
}

FIXTURE_TEARDOWN(trace)
{
	if (self->type < 0 || seteuid(0))
		return;
	file_write_long(PARANOID, self->paranoid);
	if (self->cpu >= 0)
		cpu_set_online(self->cpu, true);
}

static struct perf_event_attr tracing(const struct _test_data_trace *self)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, 0, .sample_period = 1, .disabled = 1);

	return attr;
}

static struct perf_event_attr sampling(void)
{
	return PERF_HW(BRANCH_INSTRUCTIONS, .sample_period = 1, .disabled = 1,
		       .exclude_kernel = 1,
		       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_TID |
				      PERF_SAMPLE_PERIOD);
}

static bool in_kernel(__u64 address)
{
	return (__s64)address < 0;
}

static bool in_loop(__u64 address)
{
	return address >= (unsigned long)bt_begin && address < (unsigned long)bt_end;
}

static void check_branch(struct __test_metadata *_metadata, struct _test_data_trace *self,
			 __u64 from, __u64 to)
{
	unsigned int i;

	if (in_kernel(from) || in_kernel(to))
		self->kernel++;
	else
		self->user++;
	if (!in_loop(from))
		return;
	self->loop++;
	/* into the kernel, at any instruction */
	if (in_kernel(to) || !to)
		return;
	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		if (from == (unsigned long)branches[i].from)
			break;
	}
	EXPECT_LT(i, ARRAY_SIZE(branches)) {
		TH_LOG("no branch at %#llx", from - (unsigned long)bt_begin);
	}
	if (i < ARRAY_SIZE(branches) && branches[i].to)
		EXPECT_EQ((unsigned long)branches[i].to, to);
}

static void open_area(struct __test_metadata *_metadata, struct _test_data_trace *self,
		      struct perf_event_attr attr, size_t pages, int prot)
{
	int fd = perf_open_self(attr);

	ASSERT_LE(0, fd) {
		char why[256] = "";

		file_read("/proc/self/perf_event_refusal", why, sizeof(why));
		TH_LOG("refused: %s", why);
	}
	ASSERT_EQ(0, aux_map(&self->area, fd, pages, prot));
}

/* Check the records of a piece of the area. They do not cross its end. */
static void check_piece(struct __test_metadata *_metadata, struct _test_data_trace *self,
			const struct aux_news *news)
{
	struct record record;
	__u64 done;

	EXPECT_EQ(0, news->size % sizeof(record));
	EXPECT_LE(news->offset % self->area.size + news->size, self->area.size);
	for (done = 0; done < news->size; done += sizeof(record)) {
		aux_copy(&self->area, news->offset + done, &record, sizeof(record));
		check_branch(_metadata, self, record.from, record.to);
	}
	aux_set_tail(&self->area, news->offset + news->size);
}

/* Run the loop, and read the trace. Returns the flags of the last piece. */
static __u64 read_trace(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	const struct aux_news *news;
	__u64 flags = 0;
	int round;

	perf_enable(self->area.fd);
	for (round = 0; round < ROUNDS && self->loop < WANTED; round++) {
		bt_run(100);
		getppid();
		/* what hardware has buffered is written when the event stops */
		perf_disable(self->area.fd);
		while ((news = aux_next(&self->area))) {
			check_piece(_metadata, self, news);
			flags = news->flags;
		}
		perf_enable(self->area.fd);
	}
	perf_disable(self->area.fd);
	EXPECT_LE(WANTED, self->loop);
	return flags;
}

TEST_F(trace, area_has_the_branches_of_the_loop)
{
	open_area(_metadata, self, tracing(self), AREA_PAGES, PROT_READ | PROT_WRITE);
	read_trace(_metadata, self);
	EXPECT_NE(0, self->kernel);
	aux_unmap(&self->area);
}

/*
 * The event is stopped by switches only. Between two of them, more records than the buffer has room
 * for are written, and the interrupt must come before it is full.
 */
TEST_F(trace, an_interrupt_writes_records)
{
	const struct aux_news *news = NULL;
	int round, pieces = 0;

	open_area(_metadata, self, tracing(self), AREA_PAGES, PROT_READ | PROT_WRITE);
	perf_enable(self->area.fd);
	for (round = 0; round < ROUNDS && pieces < PIECES; round++) {
		bt_run(1000);
		while ((news = aux_next(&self->area))) {
			EXPECT_EQ(0, news->flags);
			pieces += news->size >= TO_INTERRUPT * sizeof(struct record);
			check_piece(_metadata, self, news);
		}
	}
	/* The last read may find the pieces of several interrupts. */
	EXPECT_LE(PIECES, pieces);
	EXPECT_LE(WANTED, self->loop);
	perf_disable(self->area.fd);
	aux_unmap(&self->area);
}

TEST_F(trace, without_the_kernel_its_addresses_are_zero)
{
	struct perf_event_attr attr = tracing(self);

	attr.exclude_kernel = 1;
	open_area(_metadata, self, attr, AREA_PAGES, PROT_READ | PROT_WRITE);
	read_trace(_metadata, self);
	EXPECT_EQ(0, self->kernel);
	aux_unmap(&self->area);
}

TEST_F(trace, the_kernel_alone)
{
	struct perf_event_attr attr = tracing(self);
	const struct aux_news *news;
	int round;

	attr.exclude_user = 1;
	open_area(_metadata, self, attr, AREA_PAGES, PROT_READ | PROT_WRITE);
	for (round = 0; round < ROUNDS && self->kernel < WANTED; round++) {
		perf_enable(self->area.fd);
		getppid();
		perf_disable(self->area.fd);
		while ((news = aux_next(&self->area)))
			check_piece(_metadata, self, news);
	}
	EXPECT_LE(WANTED, self->kernel);
	EXPECT_EQ(0, self->user);
	aux_unmap(&self->area);
}

/* A full area stops the event until a reader has made room. */
TEST_F(trace, a_full_area_is_reported)
{
	const struct aux_news *news;
	__u64 size = 0, flags = 0;
	int round;

	open_area(_metadata, self, tracing(self), SMALL_PAGES, PROT_READ | PROT_WRITE);
	perf_enable(self->area.fd);
	for (round = 0; round < ROUNDS && !(flags & PERF_AUX_FLAG_TRUNCATED); round++) {
		bt_run(1000);
		while ((news = aux_next(&self->area))) {
			size += news->size;
			flags |= news->flags;
		}
	}
	EXPECT_TRUE(flags & PERF_AUX_FLAG_TRUNCATED);
	EXPECT_GE(self->area.size, size);
	EXPECT_LT(self->area.size - 2 * sizeof(struct record), size);
	/* There is room again. */
	aux_set_tail(&self->area, self->area.buf.meta->aux_head);
	read_trace(_metadata, self);
	aux_unmap(&self->area);
}

static struct record record_of(struct _test_data_trace *self, unsigned long i)
{
	struct record record;

	aux_copy(&self->area, i * sizeof(record), &record, sizeof(record));
	return record;
}

/* Trace the loop. Returns false if the area was never full. */
static bool trace_more(struct _test_data_trace *self)
{
	perf_enable(self->area.fd);
	bt_run(1000);
	perf_disable(self->area.fd);
	return record_of(self, self->area.size / sizeof(struct record) - 1).from;
}

/* Trace into the full area, and check what is there. Returns true if much of it is the loop. */
static bool snapshot_has_the_loop(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	struct record record;
	unsigned long i;

	trace_more(self);
	self->loop = 0;
	for (i = 0; i < self->area.size / sizeof(record); i++) {
		record = record_of(self, i);
		check_branch(_metadata, self, record.from, record.to);
	}
	return self->loop >= WANTED / 2;
}

/* The oldest records are overwritten. Records begin at the area's beginning. */
TEST_F(trace, snapshots_have_the_latest)
{
	int round;

	open_area(_metadata, self, tracing(self), SMALL_PAGES, PROT_READ);
	EXPECT_EQ(0, record_of(self, self->area.size / sizeof(struct record) - 1).from);
	for (round = 0; round < ROUNDS && !trace_more(self); round++)
		;
	EXPECT_GT(ROUNDS, round);
	/* Until the area holds much of the loop. */
	for (round = 0; round < ROUNDS && !snapshot_has_the_loop(_metadata, self); round++)
		;
	EXPECT_GT(ROUNDS, round);
	EXPECT_EQ(0, self->area.buf.meta->aux_head % sizeof(struct record));
	EXPECT_GE(self->area.size, self->area.buf.meta->aux_head);
	aux_unmap(&self->area);
}

TEST_F(trace, users_are_refused)
{
	struct perf_event_attr attr = tracing(self);

	ASSERT_EQ(0, seteuid(NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	attr.exclude_kernel = 1;
	EXPECT_EQ(-EACCES, perf_try_self(attr));
	EXPECT_TRUE(refused_for("type"));
}

/* A task without privilege forks while root traces it. */
TEST_F(trace, users_who_are_traced_fork)
{
	struct perf_event_attr attr = tracing(self);
	struct gate go = gate_new();
	pid_t pid = user_who_forks(&go);

	attr.inherit = 1;
	ASSERT_LE(0, perf_open(attr, pid, -1, -1));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
}

/* Hardware that records branches in registers, and this trace, exclude each other. */
TEST_F(trace, records_of_branches_are_excluded)
{
	struct perf_event_attr attr = HW_CYCLES(.sample_period = 100000, .exclude_kernel = 1,
						.sample_type = PERF_SAMPLE_BRANCH_STACK,
						.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	int fd = perf_open_self(attr);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, perf_try_self(tracing(self)));
	EXPECT_TRUE(refused_for("type"));
	EXPECT_EQ(-EBUSY, perf_try_self(sampling()));
	EXPECT_TRUE(refused_for("sample_period"));
	close(fd);

	fd = perf_open_self(sampling());
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, perf_try_self(attr));
	EXPECT_TRUE(refused_for("branch_sample_type"));
	EXPECT_EQ(0, perf_try_self(tracing(self)));
	close(fd);
	EXPECT_EQ(0, perf_try_self(attr));
}

/* Run the loop until there are enough samples of it. */
static void read_samples(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	int round;

	ASSERT_EQ(0, perf_listen_self(&self->l, sampling()));
	perf_enable(self->l.fd);
	for (round = 0; round < ROUNDS && self->loop < WANTED; round++) {
		bt_run(100);
		getppid();
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			check_branch(_metadata, self, self->l.rec.ip, self->l.rec.addr);
			EXPECT_EQ(PERF_RECORD_MISC_USER,
				  self->l.header->misc & PERF_RECORD_MISC_CPUMODE_MASK);
			EXPECT_EQ(getpid(), self->l.rec.pid);
			EXPECT_EQ(1, self->l.rec.period);
		}
	}
	perf_disable(self->l.fd);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	EXPECT_LE(WANTED, self->loop);
}

TEST_F(trace, each_branch_is_a_sample)
{
	read_samples(_metadata, self);
	EXPECT_EQ(0, self->kernel);
}

TEST_F(trace, users_may_sample_their_branches)
{
	ASSERT_EQ(0, seteuid(NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	read_samples(_metadata, self);
	EXPECT_EQ(0, self->kernel);
}

static void run_some(void)
{
	bt_run(WANTED);
}

TEST_F(trace, programs_see_each_sample_of_children)
{
	expect_rejected(_metadata, sampling(), run_some);
}

TEST_F(trace, what_is_not_traced_is_refused)
{
	struct perf_event_attr attr = sampling();
	__u64 period = 2;
	int fd;

	attr.exclude_kernel = 0;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("exclude_kernel"));
	/* with another period the counter has the samples */
	attr.sample_period = 1000;
	EXPECT_EQ(0, perf_try_self(attr));

	attr = sampling();
	attr.exclude_host = 1;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("exclude_host"));

	fd = perf_open_self(sampling());
	ASSERT_LE(0, fd);
	attr = sampling();
	attr.disabled = 0;
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, fd, 0));
	EXPECT_TRUE(refused_for("sample_period"));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	EXPECT_TRUE(refused_for("sample_period"));
	period = 1;
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	close(fd);
}

/* Two traces on a CPU take turns. */
TEST_F(trace, events_take_turns)
{
	struct perf_event_attr attr = sampling();
	int fds[2], round;

	attr.disabled = 0;
	attr.read_format = PERF_ALL_TIMES;
	fds[0] = perf_open_self(attr);
	fds[1] = perf_open_self(attr);
	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	for (round = 0; round < ROUNDS && !all_take_turns(fds, 2); round++)
		bt_run(100);
	EXPECT_TRUE(all_take_turns(fds, 2));
	perf_close_all(fds, 2);
}

/* Trace a CPU, on which this task runs, and count records. */
static void trace_cpu(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	int fd = perf_open(tracing(self), -1, self->cpu, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, aux_map(&self->area, fd, AREA_PAGES, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	self->loop = 0;
	read_trace(_metadata, self);
}

TEST_F(trace, a_cpu_goes_and_comes_back)
{
	int cpu = hotplug_cpu(), home = nth_cpu(0);

	if (cpu < 0 || cpu == home)
		SKIP(return, "no other CPU that can be taken offline");
	self->cpu = cpu;
	trace_cpu(_metadata, self);
	perf_enable(self->area.fd);
	ASSERT_EQ(0, pin_to_cpu(home));
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	aux_unmap(&self->area);
	trace_cpu(_metadata, self);
	aux_unmap(&self->area);
}

#else /* !__x86_64__ */

TEST(trace)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
