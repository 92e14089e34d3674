// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of the kprobe and uprobe PMUs: at the probed instruction, at the return, with
 * call chains that have the caller and no replaced return address; and samples of the
 * hardware's cycle counter.
 */
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#define IDS	(PERF_SAMPLE_IP | PERF_SAMPLE_TID)

static void call_umask(int times)
{
	while (times--)
		umask(022);
}

FIXTURE(probe)
{
	struct perf_listener l;
	__u64 start;
	struct perf_event_attr attr;	/* addresses of a kprobe on that function */
};

FIXTURE_SETUP(probe)
{
	static const char symbol[] = SYSCALL_SYMBOL(umask);
	long type = pmu_type("kprobe");

	self->start = kernel_symbol(symbol);
	if (getuid() || type < 0 || !self->start)
		SKIP(return, "no kprobes for this user");
	self->attr = PERF_ATTR(type, 0, .sample_period = 1, .sample_type = IDS,
			       .kprobe_func = (unsigned long)symbol);
}

FIXTURE_TEARDOWN(probe)
{
}

/* kprobe */

TEST_F(probe, kprobe)
{
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_umask(10);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	call_umask(10);
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		/*
		 * The probe may be behind the instructions that a tracer uses at the
		 * start.
		 */
		EXPECT_LE(self->start, self->l.rec.ip);
		EXPECT_GE(self->start + 16, self->l.rec.ip);
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, self->l.header->misc);
	}
	EXPECT_EQ(10, nr);
	EXPECT_EQ(10, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(probe, kprobe_by_address_and_period)
{
	self->attr.kprobe_func = 0;
	self->attr.kprobe_addr = self->start;
	self->attr.sample_period = 3;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_umask(10);
	EXPECT_EQ(3, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(10, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The sample of a return is in the caller. */
TEST_F(probe, kretprobe)
{
	int nr = 0;

	self->attr.config = 1;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_umask(10);
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		EXPECT_TRUE(is_kernel_address(self->l.rec.ip));
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(probe, kprobe_refusals)
{
	self->attr.kprobe_func = (unsigned long)"no_such_function_at_all";
	EXPECT_EQ(-ENOENT, perf_try_self(self->attr));
	self->attr.kprobe_func = 1;
	EXPECT_EQ(-EFAULT, perf_try_self(self->attr));
	self->attr.kprobe_func = 0;
	EXPECT_EQ(-EINVAL, perf_try_self(self->attr));
}

/*
 * uprobe: code in a file on a tmpfs. The outer function makes a frame and calls the
 * inner one. The inner function's first instruction makes its frame. Then it stores to
 * the address in its argument.
 */
#if defined(__x86_64__)

static const unsigned char code[] = {
	/*  0 outer */	0x55,				/* push %rbp */
	/*  1 */	0x48, 0x89, 0xe5,		/* mov %rsp, %rbp */
	/*  4 */	0xe8, 0x07, 0x00, 0x00, 0x00,	/* call inner */
	/*  9 */	0x5d,				/* pop %rbp */
	/* 10 */	0xc3,				/* ret */
	0x90, 0x90, 0x90, 0x90, 0x90,
	/* 16 inner */	0x55,				/* push %rbp */
	/* 17 */	0x48, 0x89, 0xe5,		/* mov %rsp, %rbp */
	/* 20 */	0xc6, 0x07, 0x01,		/* movb $1, (%rdi) */
	/* 23 */	0x5d,				/* pop %rbp */
	/* 24 */	0xc3,				/* ret */
};

#define INNER		16
#define STORE		20
#define RETURN		9
/* At the probe the frame does not exist yet. */
#define CALLER_KNOWN	1

#elif defined(__aarch64__)

static const unsigned int code[] = {
	/*  0 outer */	0xa9bf7bfd,	/* stp x29, x30, [sp, #-16]! */
	/*  4 */	0x910003fd,	/* mov x29, sp */
	/*  8 */	0x94000003,	/* bl inner */
	/* 12 */	0xa8c17bfd,	/* ldp x29, x30, [sp], #16 */
	/* 16 */	0xd65f03c0,	/* ret */
	/* 20 inner */	0xa9bf7bfd,	/* stp x29, x30, [sp, #-16]! */
	/* 24 */	0x910003fd,	/* mov x29, sp */
	/* 28 */	0x3900001f,	/* strb wzr, [x0] */
	/* 32 */	0xa8c17bfd,	/* ldp x29, x30, [sp], #16 */
	/* 36 */	0xd65f03c0,	/* ret */
};

#define INNER		20
#define STORE		28
#define RETURN		12
#define CALLER_KNOWN	0

#elif defined(__riscv)

static const unsigned int code[] = {
	/*  0 outer */	0xff010113,	/* addi sp, sp, -16 */
	/*  4 */	0x00113423,	/* sd ra, 8(sp) */
	/*  8 */	0x00813023,	/* sd s0, 0(sp) */
	/* 12 */	0x01010413,	/* addi s0, sp, 16 */
	/* 16 */	0x014000ef,	/* jal inner */
	/* 20 */	0x00813083,	/* ld ra, 8(sp) */
	/* 24 */	0x00013403,	/* ld s0, 0(sp) */
	/* 28 */	0x01010113,	/* addi sp, sp, 16 */
	/* 32 */	0x00008067,	/* ret */
	/* 36 inner */	0xff010113,	/* addi sp, sp, -16 */
	/* 40 */	0x00113423,	/* sd ra, 8(sp) */
	/* 44 */	0x00813023,	/* sd s0, 0(sp) */
	/* 48 */	0x01010413,	/* addi s0, sp, 16 */
	/* 52 */	0x00050023,	/* sb zero, 0(a0) */
	/* 56 */	0x00813083,	/* ld ra, 8(sp) */
	/* 60 */	0x00013403,	/* ld s0, 0(sp) */
	/* 64 */	0x01010113,	/* addi sp, sp, 16 */
	/* 68 */	0x00008067,	/* ret */
};

#define INNER		36
#define STORE		52
#define RETURN		20
#define CALLER_KNOWN	0

#elif defined(__powerpc64__)

static const unsigned int code[] = {
	/*  0 outer */	0x7c0802a6,	/* mflr r0 */
	/*  4 */	0xf8010010,	/* std r0, 16(r1) */
	/*  8 */	0xf821ffe1,	/* stdu r1, -32(r1) */
	/* 12 */	0x48000015,	/* bl inner */
	/* 16 */	0x38210020,	/* addi r1, r1, 32 */
	/* 20 */	0xe8010010,	/* ld r0, 16(r1) */
	/* 24 */	0x7c0803a6,	/* mtlr r0 */
	/* 28 */	0x4e800020,	/* blr */
	/* 32 inner */	0x98630000,	/* stb r3, 0(r3) */
	/* 36 */	0x4e800020,	/* blr */
};

#define INNER		32
#define STORE		32
#define RETURN		16
#define CALLER_KNOWN	1	/* in the link register */

#elif defined(__s390x__)

static const unsigned char code[] = {
	/*  0 outer */	0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24, /* stmg %r14, %r15, 112(%r15) */
	/*  6 */	0xb9, 0x04, 0x00, 0x1f,		/* lgr %r1, %r15 */
	/* 10 */	0xa7, 0xfb, 0xff, 0x60,		/* aghi %r15, -160 */
	/* 14 */	0xe3, 0x10, 0xf0, 0x00, 0x00, 0x24, /* stg %r1, 0(%r15) */
	/* 20 */	0xc0, 0xe5, 0x00, 0x00, 0x00, 0x07, /* brasl %r14, inner */
	/* 26 */	0xeb, 0xef, 0xf1, 0x10, 0x00, 0x04, /* lmg %r14, %r15, 272(%r15) */
	/* 32 */	0x07, 0xfe,			/* br %r14 */
	/* 34 inner */	0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24, /* stmg %r14, %r15, 112(%r15) */
	/* 40 */	0xb9, 0x04, 0x00, 0x1f,		/* lgr %r1, %r15 */
	/* 44 */	0xa7, 0xfb, 0xff, 0x60,		/* aghi %r15, -160 */
	/* 48 */	0xe3, 0x10, 0xf0, 0x00, 0x00, 0x24, /* stg %r1, 0(%r15) */
	/* 54 */	0x92, 0x01, 0x20, 0x00,		/* mvi 0(%r2), 1 */
	/* 58 */	0xeb, 0xef, 0xf1, 0x10, 0x00, 0x04, /* lmg %r14, %r15, 272(%r15) */
	/* 64 */	0x07, 0xfe,			/* br %r14 */
};

#define INNER		34
#define STORE		54
#define RETURN		26
#define CALLER_KNOWN	0

#endif

FIXTURE(uprobe)
{
	struct perf_listener l;
	char path[64];
	char *text;
	void (*outer)(char *addr);
	struct perf_event_attr attr;
	char *fresh;
	size_t page;
	long type;
};

FIXTURE_SETUP(uprobe)
{
	int fd;

	if (getuid())
		SKIP(return, "needs root");
	self->type = pmu_type("uprobe");
	if (self->type < 0)
		SKIP(return, "no uprobes");
	snprintf(self->path, sizeof(self->path), "/tmp/uprobe_%d", getpid());
	fd = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	ASSERT_LE(0, fd);
	ASSERT_EQ(sizeof(code), write(fd, code, sizeof(code)));
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, ftruncate(fd, self->page));
	self->text = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  fd, 0);
	ASSERT_NE(MAP_FAILED, self->text);
	self->outer = (void *)self->text;
	self->attr = PERF_ATTR(self->type, 0, .uprobe_path =
		(unsigned long)self->path, .probe_offset = INNER,
		.sample_period = 1, .sample_type = IDS | PERF_SAMPLE_CALLCHAIN);
	self->fresh = map_fresh_pages(16);
	close(fd);
}

FIXTURE_TEARDOWN(uprobe)
{
	unlink(self->path);
}

static void call_outer(struct _test_data_uprobe *self, int times)
{
	while (times--)
		self->outer(self->fresh);
}

TEST_F(uprobe, entry)
{
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_outer(self, 10);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	call_outer(self, 10);
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ((unsigned long)self->text + INNER, self->l.rec.ip);
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_EQ(PERF_RECORD_MISC_USER, self->l.header->misc);
	}
	EXPECT_EQ(10, nr);
	EXPECT_EQ(10, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The position of an entry in the chain, or -1. */
static int position(const struct perf_rec *rec, __u64 ip)
{
	int i;

	for (i = 0; i < (int)rec->nr_chain; i++)
		if (rec->chain[i] == ip)
			return i;
	return -1;
}

/*
 * At the first instruction of a function its frame does not exist yet. A chain by frame
 * pointers alone would lack the caller.
 */
TEST_F(uprobe, caller_at_entry)
{
	int nr = 0;

	self->attr.exclude_callchain_kernel = 1;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_outer(self, 3);
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ(PERF_CONTEXT_USER, self->l.rec.chain[0]);
		EXPECT_EQ((unsigned long)self->text + INNER,
			  self->l.rec.chain[1]);
		if (CALLER_KNOWN)
			EXPECT_EQ(2, position(&self->l.rec, (unsigned long)
					      self->text + RETURN));
	}
	EXPECT_EQ(3, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(uprobe, return_probe)
{
	int nr = 0;

	self->attr.config = 1;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	call_outer(self, 10);
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		EXPECT_EQ((unsigned long)self->text + RETURN, self->l.rec.ip);
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Inside, the return address on the stack is replaced. The chain has the original one. */
TEST_F(uprobe, chain_under_return_probe)
{
	struct perf_event_attr faults = PERF_SAMPLED(PAGE_FAULTS,
		PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, .exclude_kernel = 1);
	int probe, i;

	self->attr.config = 1;
	probe = perf_open_self(self->attr);
	ASSERT_LE(0, probe);
	ASSERT_EQ(0, stay_resident());
	self->fresh = map_fresh_pages(16);
	ASSERT_EQ(0, perf_listen_self(&self->l, faults));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, perf_enable(self->l.fd));
		self->outer(self->fresh + i * self->page);
		ASSERT_EQ(0, perf_disable(self->l.fd));
		do {
			ASSERT_TRUE(perf_listen_of(&self->l,
						   PERF_RECORD_SAMPLE));
		} while (self->l.rec.ip != (unsigned long)self->text + STORE);
		EXPECT_EQ(2, position(&self->l.rec,
				      (unsigned long)self->text + RETURN));
		EXPECT_EQ(-1, position(&self->l.rec, 0));
	}
	EXPECT_EQ(5, perf_count(probe));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(uprobe, other_task)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int nr = 0;

	if (pid == 0) {
		gate_wait(&go);
		call_outer(self, 4);
		_exit(0);
	}
	ASSERT_EQ(0, perf_listen(&self->l, self->attr, pid, -1));
	call_outer(self, 5);
	gate_open(&go);
	ASSERT_EQ(0, wait_status(pid));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		EXPECT_EQ(pid, (pid_t)self->l.rec.tid);
	EXPECT_EQ(4, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

#define GENERATIONS	6

/*
 * Each task calls once and has two children, for some generations. All of them go
 * through the loop, and leave it with the results of their children.
 */
static int call_in_generations(struct _test_data_uprobe *self)
{
	int left = GENERATIONS, nr = 0, failed = 0;
	pid_t pid[2];

	call_outer(self, 1);
	while (left && nr < 2) {
		pid[nr] = fork();
		if (pid[nr] < 0)
			return 1;
		if (pid[nr]) {
			nr++;
			continue;
		}
		call_outer(self, 1);
		left--;
		nr = 0;
	}
	while (nr--)
		failed |= wait_status(pid[nr]);
	return failed;
}

/*
 * The class of a uprobe lists the tasks of its copies, under a lock of tracing. Tasks
 * on all CPUs enter the list and leave it while others open and close the probe.
 */
TEST_F(uprobe, copies_come_and_go)
{
	__u64 count;
	pid_t pid;
	int fd;

	self->attr = PERF_ATTR(self->type, 0, .inherit = 1, .probe_offset = INNER,
			       .uprobe_path = (unsigned long)self->path);
	fd = perf_open_self(self->attr);
	ASSERT_LE(0, fd);
	pid = fork();
	if (!pid)
		_exit(call_in_generations(self));
	ASSERT_LT(0, pid);
	while (!waitpid(pid, NULL, WNOHANG))
		ASSERT_EQ(0, perf_try_self(self->attr));
	/*
	 * The counts of copies are complete when the last task has exited. But uprobes
	 * lose a child's breakpoint if another event's probe is removed after fork()
	 * has copied the mm and before the child has it: uprobe_perf_filter() does not
	 * know that mm.
	 */
	count = perf_count(fd);
	EXPECT_GE((2 << GENERATIONS) - 1, count);
	/* The first task has no such parent. */
	EXPECT_LE(1, count);

	/* Afterwards all calls are counted. */
	pid = fork();
	if (!pid)
		_exit(call_in_generations(self));
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_EQ(count + (2 << GENERATIONS) - 1, perf_count(fd));
	close(fd);
}

/* The hardware's counter of cycles */

FIXTURE(cycles)
{
	struct perf_listener l;
	struct perf_event_attr attr;
};

FIXTURE_SETUP(cycles)
{
	self->attr = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			       .sample_type = IDS | PERF_SAMPLE_PERIOD,
			       .disabled = 1);
	if (perf_try_self(self->attr))
		SKIP(return, "no PMU with a cycle counter");
}

FIXTURE_TEARDOWN(cycles)
{
}

static void check_cycles(struct __test_metadata *_metadata,
			 struct _test_data_cycles *self)
{
	__u64 sum = 0, last = 0;
	int nr = 0, ms;

	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	for (ms = 0; ms < PATIENCE_MS && nr < 20; ms += 5) {
		ASSERT_EQ(0, perf_enable(self->l.fd));
		burn_cpu(5 * NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_disable(self->l.fd));
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
			last = self->l.rec.period;
			if (!self->attr.freq)
				EXPECT_EQ(self->attr.sample_period, last);
			sum += last;
			nr++;
		}
	}
	EXPECT_LE(20, nr);
	/* So many cycles pass before each sample. */
	EXPECT_GE(perf_count(self->l.fd) + last, sum);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(cycles, by_period)
{
	self->attr.sample_period = 1000003;
	check_cycles(_metadata, self);
}

TEST_F(cycles, by_frequency)
{
	perf_raise_sample_rate();
	self->attr.freq = 1;
	self->attr.sample_freq = 1000;
	check_cycles(_metadata, self);
}

TEST_HARNESS_MAIN
