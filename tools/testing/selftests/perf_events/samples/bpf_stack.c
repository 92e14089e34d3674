// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on events that read the call chain, and programs on tracepoints and
 * probes that write to an event in a map: their results, and the samples.
 */
#include "../lib/bpf.h"
#include "../lib/harness.h"
#include "../lib/known_regs.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#define ENTRIES	16
#define RETURN	0x400010UL

FIXTURE(stack)
{
	struct perf_listener l;
	unsigned long regs[KNOWN_NR];
	unsigned long frame[2];
	int map;	/* the result, and the chain behind it */
	int cpu;
};

FIXTURE_SETUP(stack)
{
	self->map = bpf_map_make(BPF_MAP_TYPE_ARRAY, 8 * ENTRIES, 2);
	if (self->map < 0)
		SKIP(return, "no BPF for this user");
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, stay_resident());
	/* One frame, which returns to a known address. */
	self->frame[0] = 8;
	self->frame[1] = RETURN;
	known_regs_fill(self->regs, self->frame);
	self->regs[KNOWN_FP] = KNOWN_FRAME(self->frame);
}

FIXTURE_TEARDOWN(stack)
{
	close(self->map);
}

static void map_read(int map, __u32 key, __u64 *words)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)words,
	};

	memset(words, 0xff, 8 * ENTRIES);
	bpf_call(BPF_MAP_LOOKUP_ELEM, &attr);
}

/* Puts the chain into the first element of the map, and its length into the second. */
static int load_stack_reader(int map, int flags)
{
	const struct bpf_insn insns[] = {
		BPF_COPY(BPF_REG_6, BPF_REG_1),
		BPF_LOOKUP(map, 0, -8),
		BPF_SKIP_IF_0(BPF_REG_0, 14),
		BPF_COPY(BPF_REG_1, BPF_REG_6),
		BPF_COPY(BPF_REG_2, BPF_REG_0),
		BPF_SET(BPF_REG_3, 8 * ENTRIES),
		BPF_SET(BPF_REG_4, flags),
		BPF_HELPER(get_stack),
		BPF_COPY(BPF_REG_7, BPF_REG_0),
		BPF_KEEP(map, 1, -8, BPF_REG_7),
		BPF_SET(BPF_REG_0, 1),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns),
			"stack");
}

/* The result of get_stack at a fault in known_store(). The chain goes into *chain. */
static long stack_at_fault(struct __test_metadata *_metadata,
			   struct _test_data_stack *self, __u64 type, int flags,
			   __u64 *chain)
{
	int prog = load_stack_reader(self->map, flags), fd;
	char *page = map_fresh_pages(1);
	__u64 result[ENTRIES];

	fd = perf_open_self(PERF_SAMPLED(PAGE_FAULTS, type,
					 .exclude_kernel = 1));
	EXPECT_LE(0, prog);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	self->regs[KNOWN_STORE_REG] = (unsigned long)page;
	perf_enable(fd);
	known_store(self->regs);
	perf_disable(fd);
	map_read(self->map, 0, chain);
	map_read(self->map, 1, result);
	close(fd);
	close(prog);
	return result[0];
}

static void check_user_stack(struct __test_metadata *_metadata,
			     struct _test_data_stack *self, __u64 type)
{
	__u64 chain[ENTRIES];
	long bytes;
	int first;

	bytes = stack_at_fault(_metadata, self, type, BPF_F_USER_STACK, chain);
	/* The event's own chain begins with its context. */
	first = chain[0] == PERF_CONTEXT_USER;
	EXPECT_EQ(8 * (first + 2), bytes);
	EXPECT_EQ((unsigned long)known_store_ip, chain[first]);
	EXPECT_EQ(RETURN, chain[first + 1]);
}

/* The event's own chain is used if it has one, or else a new one is made. */
TEST_F(stack, of_user)
{
	check_user_stack(_metadata, self, PERF_SAMPLE_IP);
	check_user_stack(_metadata, self, PERF_SAMPLE_CALLCHAIN);
	check_user_stack(_metadata, self, PERF_SAMPLE_CALLCHAIN |
			 PERF_SAMPLE_RAW | PERF_SAMPLE_TIME);
}

/* In user mode there is no kernel chain. */
TEST_F(stack, of_kernel)
{
	__u64 chain[ENTRIES];

	EXPECT_GE(0, stack_at_fault(_metadata, self, PERF_SAMPLE_CALLCHAIN, 0,
				    chain));
	EXPECT_GE(0, stack_at_fault(_metadata, self, PERF_SAMPLE_IP, 0,
				    chain));
}

/* Output of programs on tracepoints and probes */

#define SAID	0x11223344

static int load_speaker(enum bpf_prog_type type, int events)
{
	const struct bpf_insn insns[] = {
		BPF_STORE_IMM(BPF_REG_10, -8, SAID),
		BPF_MAP(BPF_REG_2, events),
		BPF_MAP_UPPER,
		/* BPF_F_CURRENT_CPU */
		BPF_INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1),
		BPF_COPY(BPF_REG_4, BPF_REG_10),
		BPF_ADD_IMM(BPF_REG_4, -8),
		BPF_SET(BPF_REG_5, 8),
		BPF_HELPER(perf_event_output),
		BPF_SET(BPF_REG_0, 0),
		BPF_END_PROG,
	};

	return bpf_load(type, insns, ARRAY_SIZE(insns), "speaker");
}

static void check_output(struct __test_metadata *_metadata,
			 struct _test_data_stack *self,
			 struct perf_event_attr source, enum bpf_prog_type type)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	struct perf_event_attr attr = PERF_SW(BPF_OUTPUT, .sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TID |
			       PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	int prog = load_speaker(type, events), fd, nr = 0, i;

	ASSERT_LE(0, prog);
	fd = perf_open_self(source);
	if (fd < 0)
		SKIP(return, "no such event");
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->cpu));
	ASSERT_EQ(0, bpf_map_set(events, self->cpu, &self->l.fd));
	for (i = 0; i < 10; i++) {
		prctl(PR_SET_NAME, "speaker");
		umask(022);
	}
	close(fd);
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		if ((pid_t)self->l.rec.tid != gettid())
			continue;
		nr++;
		EXPECT_EQ(12, self->l.rec.raw_size);
		EXPECT_EQ(SAID, *(__u32 *)self->l.rec.raw);
		EXPECT_TRUE(is_kernel_address(self->l.rec.ip));
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, self->l.header->misc);
		EXPECT_LE(3, self->l.rec.nr_chain);
		EXPECT_EQ(PERF_CONTEXT_KERNEL, self->l.rec.chain[0]);
	}
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	close(events);
	close(prog);
}

TEST_F(stack, output_of_tracepoint)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT,
		tracepoint_id("task/task_rename"));

	check_output(_metadata, self, attr, BPF_PROG_TYPE_TRACEPOINT);
}

TEST_F(stack, output_of_kprobe)
{
	static const char symbol[] = SYSCALL_SYMBOL(umask);
	struct perf_event_attr attr = PERF_ATTR(pmu_type("kprobe"), 0,
		.kprobe_func = (unsigned long)symbol);

	check_output(_metadata, self, attr, BPF_PROG_TYPE_KPROBE);
}

/* Output to an event that is not mapped, and to one of another CPU: an error. */
TEST_F(stack, output_to_nowhere)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	int prog = load_speaker(BPF_PROG_TYPE_TRACEPOINT, events);
	long id = tracepoint_id("task/task_rename");
	int fd = perf_open_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, id));
	int bare = perf_open(PERF_SW(BPF_OUTPUT, .sample_period = 1,
				     .sample_type = PERF_SAMPLE_RAW), -1,
			     self->cpu, -1);
	int task = perf_open_self(PERF_SW(BPF_OUTPUT));
	int counter = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu, -1);

	if (id < 0)
		SKIP(return, "no tracepoints");
	ASSERT_LE(0, prog);
	ASSERT_LE(0, bare);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	/* A map takes any event that programs may read. */
	EXPECT_EQ(0, bpf_map_set(events, self->cpu, &bare));
	prctl(PR_SET_NAME, "bare");
	EXPECT_EQ(0, bpf_map_set(events, self->cpu, &counter));
	prctl(PR_SET_NAME, "counter");
	EXPECT_EQ(0, perf_count(bare));
	if (task >= 0)
		bpf_map_set(events, self->cpu, &task);
	prctl(PR_SET_NAME, "task");
	close(task);
	close(counter);
	close(bare);
	close(fd);
	close(events);
}

TEST_HARNESS_MAIN
