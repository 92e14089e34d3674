// SPDX-License-Identifier: GPL-2.0
/*
 * What a BPF program on an overflow can read are the fields that the sample will hold, with their
 * bits, and nothing else.
 *
 * perf record --filter reads them through the kernel's types. This test has no such types, and
 * reads the beginning of struct perf_sample_data as words.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/bpf.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

/* The beginning of struct perf_sample_data */
struct fields {
	__u64 flags;
	__u64 period;
	__u64 dyn_size;
	__u64 type;
	__u32 pid, tid;
	__u64 time;
	__u64 id;
	__u32 cpu, reserved;
	__u64 ip;
	__u64 addr;
	__u64 callchain;
	__u64 raw;
	__u64 br_stack;
	__u64 br_stack_cntr;
	__u64 weight;
	__u64 data_src;
	__u64 transaction;
	struct {
		__u64 abi;
		__u64 regs;
	} regs_user, regs_intr;
	__u64 stack_user_size;
	__u64 stream_id;
	__u64 cgroup;
	__u64 phys_addr;
	__u64 data_page_size;
	__u64 code_page_size;
	__u64 aux_size;
};

#define VALUES								\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
	 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |	\
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |	\
	 PERF_SAMPLE_CODE_PAGE_SIZE)

#define PAGE_VALUES							\
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |	\
	 PERF_SAMPLE_CODE_PAGE_SIZE)

#define FAULTS(_type)							\
	PERF_SAMPLED(PAGE_FAULTS, _type, .exclude_kernel = 1)

FIXTURE(fields)
{
	struct perf_listener l;
	int map;
};

/* A program that copies struct perf_sample_data to the map: the second word of its context. */
static int load_copier(int map)
{
	const struct bpf_insn insns[] = {
		BPF_COPY(BPF_REG_3, BPF_REG_1),
		BPF_ADD_IMM(BPF_REG_3, sizeof(__u64)),
		BPF_COPY(BPF_REG_1, BPF_REG_10),
		BPF_ADD_IMM(BPF_REG_1, -8),
		BPF_SET(BPF_REG_2, sizeof(__u64)),
		BPF_HELPER(probe_read_kernel),
		BPF_LOAD(BPF_REG_7, BPF_REG_10, -8),
		BPF_LOOKUP(map, 0, -16),
		BPF_SKIP_IF_0(BPF_REG_0, 4),
		BPF_COPY(BPF_REG_1, BPF_REG_0),
		BPF_SET(BPF_REG_2, sizeof(struct fields)),
		BPF_COPY(BPF_REG_3, BPF_REG_7),
		BPF_HELPER(probe_read_kernel),
		BPF_SET(BPF_REG_0, 1),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns), "copier");
}

FIXTURE_SETUP(fields)
{
	if (perf_is_stock())
		SKIP(return, "another struct perf_sample_data");
	if (sizeof(long) != sizeof(__u64))
		SKIP(return, "pointers of 32 bits in struct perf_sample_data");
	self->map = bpf_map_make(BPF_MAP_TYPE_ARRAY, sizeof(struct fields), 1);
	if (self->map < 0)
		SKIP(return, "no BPF for this user");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(fields)
{
	close(self->map);
}

static volatile long watched;

/* One fault, or one write to watched, and what the program saw of its sample. */
static void fault_once(struct __test_metadata *_metadata, struct _test_data_fields *self,
		       struct perf_event_attr attr, struct fields *seen)
{
	int prog = load_copier(self->map);

	ASSERT_LE(0, prog);
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_SET_BPF, prog));
	close(prog);
	perf_enable(self->l.fd);
	fault_pages(1);
	watched = 1;
	perf_disable(self->l.fd);
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_SAMPLE));
	ASSERT_EQ(0, bpf_map_read(self->map, 0, seen));
}

TEST_F(fields, are_those_of_the_sample)
{
	const struct perf_rec *rec = &self->l.rec;
	struct fields seen;

	fault_once(_metadata, self, FAULTS(VALUES), &seen);
	EXPECT_EQ(VALUES, seen.flags);
	EXPECT_EQ(1, seen.period);
	EXPECT_EQ(rec->period, seen.period);
	EXPECT_EQ(getpid(), seen.pid);
	EXPECT_EQ(rec->pid, seen.pid);
	EXPECT_EQ(rec->tid, seen.tid);
	EXPECT_NE(0, seen.time);
	EXPECT_EQ(rec->time, seen.time);
	EXPECT_NE(0, seen.id);
	EXPECT_EQ(rec->id, seen.id);
	EXPECT_EQ(rec->stream_id, seen.stream_id);
	EXPECT_EQ(nth_cpu(0), seen.cpu);
	EXPECT_EQ(rec->cpu, seen.cpu);
	EXPECT_NE(0, seen.ip);
	EXPECT_EQ(rec->ip, seen.ip);
	EXPECT_NE(0, seen.addr);
	EXPECT_EQ(rec->addr, seen.addr);
	EXPECT_EQ(rec->weight, seen.weight);
	EXPECT_NE(0, seen.data_src);
	EXPECT_EQ(rec->data_src, seen.data_src);
	EXPECT_EQ(rec->transaction, seen.transaction);
	EXPECT_EQ(rec->phys_addr, seen.phys_addr);
	EXPECT_EQ(rec->cgroup, seen.cgroup);
	EXPECT_EQ(rec->data_page_size, seen.data_page_size);
	EXPECT_EQ(rec->code_page_size, seen.code_page_size);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The page of a fault may not be there yet, the page of a breakpoint is. */
TEST_F(fields, are_those_of_the_page)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .sample_period = 1,
						.sample_type = PAGE_VALUES, .exclude_kernel = 1,
						.bp_type = HW_BREAKPOINT_W,
						.bp_addr = (unsigned long)&watched,
						.bp_len = sizeof(watched), .disabled = 1);
	const struct perf_rec *rec = &self->l.rec;
	struct fields seen;

	if (perf_no_breakpoint(perf_try_self(attr)))
		SKIP(return, "no breakpoints");
	fault_once(_metadata, self, attr, &seen);
	EXPECT_EQ((unsigned long)&watched, seen.addr);
	EXPECT_NE(0, seen.phys_addr);
	EXPECT_EQ(rec->phys_addr, seen.phys_addr);
	EXPECT_EQ(page_size, seen.data_page_size);
	EXPECT_EQ(rec->data_page_size, seen.data_page_size);
	EXPECT_EQ(page_size, seen.code_page_size);
	EXPECT_EQ(rec->code_page_size, seen.code_page_size);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* What the sample does not hold is 0, and not what was on the stack of the kernel. */
TEST_F(fields, others_are_empty)
{
	struct fields seen, none = {};

	fault_once(_metadata, self, FAULTS(PERF_SAMPLE_TID), &seen);
	EXPECT_EQ(PERF_SAMPLE_TID, seen.flags & ~(PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR));
	EXPECT_EQ(getpid(), seen.pid);
	/* a source may fill in the period and the address in any case */
	none.flags = seen.flags;
	none.type = PERF_SAMPLE_TID;
	none.period = 1;
	none.addr = seen.addr;
	none.pid = seen.pid;
	none.tid = seen.tid;
	EXPECT_EQ(0, memcmp(&none, &seen, sizeof(seen)));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The callchain is there for programs that call no helper for it. */
TEST_F(fields, callchain)
{
	struct fields seen;

	fault_once(_metadata, self, FAULTS(PERF_SAMPLE_CALLCHAIN), &seen);
	EXPECT_NE(0, seen.flags & PERF_SAMPLE_CALLCHAIN);
	EXPECT_NE(0, seen.callchain);
	EXPECT_EQ((1 + self->l.rec.nr_chain) * sizeof(__u64), seen.dyn_size);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
