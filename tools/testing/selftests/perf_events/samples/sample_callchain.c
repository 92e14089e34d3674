// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains: of frames that the test has written, whole, broken and hostile; of real
 * functions, with probes that replace return addresses; the kernel's part, excluding
 * either part, and the limits.
 */
#include "../lib/compat_elf.h"
#include "../lib/harness.h"
#include "../lib/known_regs.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define MAX_FRAMES	600
#define RETURN(i)	(0x400000UL + 16 * (i))

/* The frame that a frame pointer refers to, on both architectures. */
struct frame {
	unsigned long next;
	unsigned long ret;
};

FIXTURE(chain)
{
	struct perf_listener l;
	unsigned long regs[KNOWN_NR];
	struct frame *frames;
	char *edge;		/* the first byte behind them, not readable */
	size_t page;
	long limit;
};

FIXTURE_SETUP(chain)
{
	size_t pages = 8;

	self->page = sysconf(_SC_PAGESIZE);
	self->frames = (struct frame *)map_fresh_pages(pages + 1);
	ASSERT_NE(NULL, self->frames);
	self->edge = (char *)self->frames + pages * self->page;
	ASSERT_EQ(0, mprotect(self->edge, self->page, PROT_NONE));
	known_regs_fill(self->regs, self->frames);
	ASSERT_EQ(0, file_read_long(MAX_STACK, &self->limit));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(chain)
{
}

/* A chain of nr frames. The last one's next is 0. */
static void make_frames(struct _test_data_chain *self, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		self->frames[i].next = KNOWN_FRAME(&self->frames[i + 1]);
		self->frames[i].ret = RETURN(i);
	}
	self->frames[nr].next = 0;
	self->frames[nr].ret = 0;
	self->regs[KNOWN_FP] = KNOWN_FRAME(self->frames);
}

static struct perf_event_attr chain_attr(void)
{
	return PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IP,
			    .exclude_kernel = 1);
}

static void sample_chain(struct __test_metadata *_metadata,
			 struct _test_data_chain *self,
			 struct perf_event_attr attr)
{
	ASSERT_EQ(0, known_store_sampled(&self->l, attr, self->regs));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	/* Following the chain causes no fault. */
	ASSERT_EQ(NULL, perf_buf_next(&self->l.buf));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The user's part is the instruction and the first nr frames. */
static void expect_frames(struct __test_metadata *_metadata,
			  struct _test_data_chain *self, unsigned int nr)
{
	const __u64 *chain = self->l.rec.chain;
	unsigned int i;

	ASSERT_EQ(2 + nr, self->l.rec.nr_chain);
	EXPECT_EQ(PERF_CONTEXT_USER, chain[0]);
	EXPECT_EQ((unsigned long)known_store_ip, chain[1]);
	for (i = 0; i < nr; i++)
		ASSERT_EQ(RETURN(i), chain[2 + i]);
}

/* Whole chains */

/* The last frame, with a return address of 0, may be in the chain or not. */
TEST_F(chain, depths)
{
	static const unsigned int depths[] = { 0, 1, 2, 5, 20, 100, 124 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		make_frames(self, depths[i]);
		sample_chain(_metadata, self, chain_attr());
		if (self->l.rec.nr_chain == depths[i] + 3) {
			EXPECT_EQ(0, self->l.rec.chain[depths[i] + 2]);
			self->l.rec.nr_chain--;
		}
		expect_frames(_metadata, self, depths[i]);
	}
}

TEST_F(chain, no_frame_at_all)
{
	self->regs[KNOWN_FP] = 0;
	sample_chain(_metadata, self, chain_attr());
	expect_frames(_metadata, self, 0);
}

/* The limit does not include contexts, but the instruction. */
TEST_F(chain, cut_at_sysctl)
{
	ASSERT_LT(self->limit, MAX_FRAMES - 1);
	make_frames(self, MAX_FRAMES - 1);
	sample_chain(_metadata, self, chain_attr());
	expect_frames(_metadata, self, self->limit - 1);
}

TEST_F(chain, cut_at_max_stack)
{
	static const unsigned short limits[] = { 1, 2, 3, 10, 64, 126 };
	struct perf_event_attr attr = chain_attr();
	size_t i;

	make_frames(self, MAX_FRAMES - 1);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		attr.sample_max_stack = limits[i];
		sample_chain(_metadata, self, attr);
		expect_frames(_metadata, self, limits[i] - 1);
	}
}

/* A broken chain has the frames up to the break, and following it causes no fault. */

static void expect_cut(struct __test_metadata *_metadata,
		       struct _test_data_chain *self, unsigned long next)
{
	/* The second frame is whole, and refers to the bad one. */
	make_frames(self, 2);
	self->frames[1].next = KNOWN_FRAME(next);
	sample_chain(_metadata, self, chain_attr());
	if (self->l.rec.nr_chain != 4)
		TH_LOG("frame pointer %#lx", next);
	expect_frames(_metadata, self, 2);
}

TEST_F(chain, pointer_to_nowhere)
{
	static const unsigned long nowhere[] = {
		8, 0x1000, 0x7ffffffffff0, 0x7ffffffff000, 0x800000000000,
		0xfffffffffff0, 0x1000000000000, 0x8000000000000000,
		0xffff800000000000, 0xffff888000000000, 0xffffffff81000000,
		0xfffffffffffffff0,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nowhere); i++)
		expect_cut(_metadata, self, nowhere[i]);
}

TEST_F(chain, kernel_memory_is_not_read)
{
	static const char *const symbols[] = {
		"init_task", "linux_banner", "sys_call_table",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		expect_cut(_metadata, self, kernel_symbol(symbols[i]) & ~15UL);
}

TEST_F(chain, at_the_edge_of_what_is_mapped)
{
	expect_cut(_metadata, self, (unsigned long)self->edge);
	/* Half a frame. */
	expect_cut(_metadata, self, (unsigned long)self->edge - 8);
}

TEST_F(chain, page_that_is_not_resident)
{
	unsigned long *fresh = map_fresh_pages(1);
	unsigned char there = 1;

	expect_cut(_metadata, self, (unsigned long)(fresh + 8));
	ASSERT_EQ(0, mincore(fresh, self->page, &there));
	EXPECT_EQ(0, there & 1);
	ASSERT_EQ(0, mprotect(fresh, self->page, PROT_NONE));
	expect_cut(_metadata, self, (unsigned long)(fresh + 8));
}

/* A chain that is a loop ends, at the limit at the latest. */
TEST_F(chain, loops)
{
	make_frames(self, 3);
	self->frames[2].next = KNOWN_FRAME(self->frames);
	sample_chain(_metadata, self, chain_attr());
	EXPECT_LE(2 + 3, self->l.rec.nr_chain);
	EXPECT_GE(1 + self->limit, self->l.rec.nr_chain);
	make_frames(self, 1);
	self->frames[0].next = KNOWN_FRAME(self->frames);
	sample_chain(_metadata, self, chain_attr());
	EXPECT_LE(2 + 1, self->l.rec.nr_chain);
	EXPECT_GE(1 + self->limit, self->l.rec.nr_chain);
}

TEST_F(chain, random_pointers)
{
	unsigned long seed = 0x9e3779b97f4a7c15UL, bits;
	int i, k;

	for (i = 0; i < 300; i++) {
		make_frames(self, 16);
		for (k = 0; k < 4; k++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			bits = seed >> 20;
			self->frames[bits % 16].next =
				i & 1 ? seed : (unsigned long)self->frames +
				bits / 16 % (8 * self->page + 32);
		}
		sample_chain(_metadata, self, chain_attr());
		EXPECT_LE(3, self->l.rec.nr_chain);
		EXPECT_GE(1 + self->limit, self->l.rec.nr_chain);
	}
}

/* The kernel's part */

/* A tracepoint in a system call, with the frames of the fixture below it. */
static bool sample_in_syscall(struct __test_metadata *_metadata,
			      struct _test_data_chain *self,
			      struct perf_event_attr attr)
{
	static const char name[16] = "known";
	long id = tracepoint_id("task/task_rename");

	if (id < 0)
		SKIP(return false, "no tracepoints");
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.exclude_kernel = 0;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	self->regs[KNOWN_NR_REG] = __NR_prctl;
	self->regs[KNOWN_ARG0_REG] = PR_SET_NAME;
	self->regs[KNOWN_ARG1_REG] = (unsigned long)name;
	ASSERT_EQ(0, perf_enable(self->l.fd));
	EXPECT_EQ(0, known_syscall(self->regs));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return true;
}

/* The parts of a chain: entries of the kernel, then of the user. */
struct parts {
	int kernel;	/* entries; -1 without the context */
	int user;
	int wrong;	/* entries in the wrong part */
};

static struct parts parts_of(const struct perf_rec *rec)
{
	struct parts p = { -1, -1, 0 };
	__u64 i, ip;

	for (i = 0; i < rec->nr_chain; i++) {
		ip = rec->chain[i];
		if (ip == PERF_CONTEXT_KERNEL) {
			p.wrong += p.kernel >= 0 || p.user >= 0;
			p.kernel = 0;
		} else if (ip == PERF_CONTEXT_USER) {
			p.wrong += p.user >= 0;
			p.user = 0;
		} else if (p.user >= 0) {
			p.wrong += is_kernel_address(ip);
			p.user++;
		} else {
			p.wrong += !is_kernel_address(ip) || p.kernel < 0;
			p.kernel++;
		}
	}
	return p;
}

TEST_F(chain, kernel_then_user)
{
	struct parts p;

	make_frames(self, 10);
	self->frames[9].next = 8;
	if (!sample_in_syscall(_metadata, self, chain_attr()))
		return;
	p = parts_of(&self->l.rec);
	EXPECT_EQ(0, p.wrong);
	/* At least the system call and its callers. */
	EXPECT_LE(3, p.kernel);
	EXPECT_EQ(11, p.user);
	EXPECT_EQ(self->l.rec.ip, self->l.rec.chain[1]);
	EXPECT_EQ((unsigned long)known_syscall_ip,
		  self->l.rec.chain[p.kernel + 2]);
	EXPECT_EQ(RETURN(9), self->l.rec.chain[self->l.rec.nr_chain - 1]);
}

TEST_F(chain, exclude_callchain)
{
	struct perf_event_attr attr = chain_attr();
	struct parts p;

	make_frames(self, 10);
	self->frames[9].next = 8;
	attr.exclude_callchain_kernel = 1;
	if (!sample_in_syscall(_metadata, self, attr))
		return;
	p = parts_of(&self->l.rec);
	EXPECT_EQ(0, p.wrong);
	EXPECT_EQ(-1, p.kernel);
	EXPECT_EQ(11, p.user);
	attr.exclude_callchain_user = 1;
	sample_in_syscall(_metadata, self, attr);
	EXPECT_EQ(0, self->l.rec.nr_chain);
	attr.exclude_callchain_kernel = 0;
	sample_in_syscall(_metadata, self, attr);
	p = parts_of(&self->l.rec);
	EXPECT_EQ(0, p.wrong);
	EXPECT_LE(3, p.kernel);
	EXPECT_EQ(-1, p.user);
}

TEST_F(chain, limit_holds_for_both_parts)
{
	struct perf_event_attr attr = chain_attr();
	unsigned short limit;
	struct parts p;

	make_frames(self, 100);
	for (limit = 1; limit < 20; limit++) {
		attr.sample_max_stack = limit;
		if (!sample_in_syscall(_metadata, self, attr))
			return;
		p = parts_of(&self->l.rec);
		EXPECT_EQ(0, p.wrong);
		EXPECT_EQ(limit, p.kernel + (p.user < 0 ? 0 : p.user));
	}
}

/* Contexts are limited as well. With a limit of 0 there is no chain. */
TEST_F(chain, contexts_are_limited)
{
	static const char path[] =
		"/proc/sys/kernel/perf_event_max_contexts_per_stack";
	struct parts p;
	long before;

	make_frames(self, 10);
	self->frames[9].next = 8;
	if (file_read_long(path, &before) || file_write_long(path, 1))
		SKIP(return, "needs root");
	sample_in_syscall(_metadata, self, chain_attr());
	EXPECT_EQ(0, file_write_long(path, before));
	p = parts_of(&self->l.rec);
	EXPECT_EQ(0, p.wrong);
	EXPECT_LE(3, p.kernel);
	EXPECT_EQ(-1, p.user);
}

/* The number of kernel entries in chains of an event with exclude_kernel. */
static int leaks_of(struct __test_metadata *_metadata,
		    struct _test_data_chain *self, struct perf_event_attr attr)
{
	struct parts p;
	int leaks = 0, i;

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	if (perf_listen_self(&self->l, attr))
		return 0;
	for (i = 0; i < 20; i++) {
		fault_pages(2);
		umask(022);
		prctl(PR_SET_NAME, "excluded");
		burn_cpu(NSEC_PER_MSEC / 4);
	}
	EXPECT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		p = parts_of(&self->l.rec);
		leaks += p.wrong || p.kernel >= 0;
	}
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return leaks;
}

/* With exclude_kernel there is no kernel chain, whichever event samples. */
TEST_F(chain, cve_2026_98937_kernel_chain_in_spite_of_exclude_kernel)
{
	const struct perf_event_attr rows[] = {
		PERF_SW(PAGE_FAULTS, .sample_period = 1),
		PERF_SW(CPU_CLOCK, .sample_period = 100000),
		PERF_SW(TASK_CLOCK, .sample_period = 100000),
		PERF_SW(CONTEXT_SWITCHES, .sample_period = 1),
		PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			  .sample_period = 100000),
		PERF_ATTR(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("syscalls/sys_enter_umask"),
			  .sample_period = 1),
		PERF_ATTR(PERF_TYPE_TRACEPOINT,
			  tracepoint_id("task/task_rename"), .sample_period = 1),
	};
	int leaks;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		leaks = leaks_of(_metadata, self, rows[i]);
		/* The PMU's interrupt may come late. */
		SKIP_STOCK_FAULT(leaks && rows[i].type == PERF_TYPE_HARDWARE,
				 "kernel chain in spite of exclude_kernel");
		EXPECT_EQ(0, leaks) {
			TH_LOG("row %zu", i);
		}
	}
}

/* A 32-bit program */

TEST_F(chain, compat_task)
{
	struct perf_event_attr attr = chain_attr();
	int status, nr = 0;

	status = compat_elf_sampled(&self->l, attr);
	if (status == COMPAT_MISSING)
		SKIP(return, "no 32-bit programs on this machine");
	ASSERT_EQ(0, status);
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		if (self->l.rec.ip != COMPAT_FAULT_IP)
			continue;
		nr++;
		ASSERT_EQ(3, self->l.rec.nr_chain);
		EXPECT_EQ(PERF_CONTEXT_USER, self->l.rec.chain[0]);
		EXPECT_EQ(COMPAT_FAULT_IP, self->l.rec.chain[1]);
		EXPECT_EQ(COMPAT_RETURN, self->l.rec.chain[2]);
	}
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
