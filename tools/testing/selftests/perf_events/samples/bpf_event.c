// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on events: when they run, their context, that their result decides
 * whether there is a sample, events in maps that they write to and read, and how
 * programs are attached, queried and detached.
 */
#include <linux/bpf_perf_event.h>

#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#define FAULTS(...)							\
	PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,	\
		     .exclude_kernel = 1, ##__VA_ARGS__)

FIXTURE(bpf)
{
	struct perf_listener l;
	int map;	/* four numbers */
	int cpu;
	char cgroup[256];
};

FIXTURE_SETUP(bpf)
{
	self->map = bpf_map_make(BPF_MAP_TYPE_ARRAY, 8, 4);
	if (self->map < 0)
		SKIP(return, "no BPF for this user");
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN_PARENT(bpf)
{
	if (self->cgroup[0])
		cgroup_remove(self->cgroup);
}

/* A program that puts a word of its context into the map. */
static int load_keeper(int map, int offset)
{
	const struct bpf_insn insns[] = {
		BPF_LOAD(BPF_REG_6, BPF_REG_1, offset),
		BPF_KEEP(map, 0, -8, BPF_REG_6),
		BPF_SET(BPF_REG_0, 1),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns),
			"keeper");
}

static int set_bpf(int fd, int prog)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
}

static void fault_on(struct _test_data_bpf *self, int faults)
{
	perf_enable(self->l.fd);
	fault_pages(faults);
	perf_disable(self->l.fd);
}

/* Sampling events */

TEST_F(bpf, runs_at_each_sample)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1);

	ASSERT_LE(0, prog);
	ASSERT_EQ(0, perf_listen_self(&self->l, FAULTS()));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	close(prog);
	fault_on(self, 20);
	EXPECT_EQ(20, bpf_map_get(self->map, 0));
	EXPECT_EQ(20, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(20, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(bpf, runs_by_period)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1);
	struct perf_event_attr attr = FAULTS();

	attr.sample_period = 7;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	fault_on(self, 70);
	EXPECT_EQ(10, bpf_map_get(self->map, 0));
	EXPECT_EQ(10, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A result of 0 suppresses the sample. The occurrence is counted nevertheless. */
TEST_F(bpf, suppresses_samples)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 0);

	ASSERT_EQ(0, perf_listen_self(&self->l, FAULTS()));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	fault_on(self, 20);
	EXPECT_EQ(20, bpf_map_get(self->map, 0));
	EXPECT_EQ(0, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(20, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(bpf, on_clock)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1);
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .disabled = 1,
					      .sample_period = 500000);

	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	EXPECT_TRUE(BURNS_UNTIL(bpf_map_get(self->map, 0) >= 10));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	EXPECT_EQ(bpf_map_get(self->map, 0),
		  perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The context has the period and the address, in the sample or not. */
TEST_F(bpf, context)
{
	int addr = load_keeper(self->map,
			       offsetof(struct bpf_perf_event_data, addr));
	int period = load_keeper(self->map, offsetof(struct bpf_perf_event_data,
						     sample_period));
	struct perf_event_attr attr = FAULTS();
	char *page = map_fresh_pages(20);
	int fd;

	ASSERT_LE(0, addr);
	ASSERT_LE(0, period);
	attr.sample_type = PERF_SAMPLE_ADDR;
	fd = perf_open_self(attr);
	ASSERT_EQ(0, set_bpf(fd, addr));
	ASSERT_EQ(0, perf_enable(fd));
	page[321] = 1;
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_EQ(fault_address(page + 321), bpf_map_get(self->map, 0));
	close(fd);
	attr.sample_period = 5;
	fd = perf_open_self(attr);
	ASSERT_EQ(0, set_bpf(fd, period));
	ASSERT_EQ(0, perf_enable(fd));
	touch_pages(page + 5 * sysconf(_SC_PAGESIZE), 10);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_EQ(5, bpf_map_get(self->map, 0));
	close(fd);
}

TEST_F(bpf, attaching)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1);
	int other = bpf_load_counter(self->map, BPF_PROG_TYPE_TRACEPOINT, 1);
	int fd = perf_open_self(FAULTS());
	int counting = perf_open_self(PERF_SW(PAGE_FAULTS));
	int child;

	ASSERT_LE(0, prog);
	ASSERT_LE(0, other);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_bpf(fd, other));
	EXPECT_EQ(-EBADF, set_bpf(fd, -1));
	EXPECT_EQ(0, set_bpf(fd, prog));
	EXPECT_EQ(-EEXIST, set_bpf(fd, prog));
	/* A second program is refused, of any type. */
	EXPECT_EQ(-EEXIST, set_bpf(fd, other));
	/* A counting event may have a program. It never runs. */
	EXPECT_EQ(0, set_bpf(counting, prog));
	fault_pages(5);
	EXPECT_EQ(0, bpf_map_get(self->map, 0));
	child = perf_open_self(FAULTS(.inherit = 1));
	ASSERT_LE(0, child);
	EXPECT_EQ(0, set_bpf(child, prog));
	close(child);
	close(counting);
	close(fd);
}

/* Inherited copies of an event run the same program. */
TEST_F(bpf, inherited)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1), fd;
	pid_t pid;

	fd = perf_open_self(FAULTS(.inherit = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_bpf(fd, prog));
	ASSERT_EQ(0, perf_enable(fd));
	pid = fork_child();
	if (pid == 0) {
		fault_pages(30);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_LE(30, bpf_map_get(self->map, 0));
	EXPECT_EQ(perf_count(fd), bpf_map_get(self->map, 0));
	close(fd);
}

/* Tracepoints and probes: for all tasks, and several programs on one of them */

#define TRACEPOINT(_id)							\
	PERF_ATTR(PERF_TYPE_TRACEPOINT, _id, .sample_period = 1,	\
		  .sample_type = PERF_SAMPLE_TID)

static void check_tracepoint(struct __test_metadata *_metadata,
			     struct _test_data_bpf *self, int result)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_TRACEPOINT, result);
	long id = tracepoint_id("task/task_rename");
	int i;

	if (id < 0)
		SKIP(return, "no tracepoints");
	ASSERT_LE(0, prog);
	ASSERT_EQ(0, perf_listen_self(&self->l, TRACEPOINT(id)));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	EXPECT_EQ(-EEXIST, set_bpf(self->l.fd, prog));
	close(prog);
	for (i = 0; i < 10; i++)
		prctl(PR_SET_NAME, "bpf");
	EXPECT_LE(10, bpf_map_get(self->map, 0));
	EXPECT_EQ(result ? 10 : 0,
		  perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	/* An occurrence that the program filters out is not counted. */
	EXPECT_EQ(result ? 10 : 0, perf_count(self->l.fd));
	EXPECT_EQ(0, perf_listen_end(&self->l));
	/* Closing the event removes the program. */
	i = bpf_map_get(self->map, 0);
	prctl(PR_SET_NAME, "gone");
	EXPECT_EQ(i, bpf_map_get(self->map, 0));
}

TEST_F(bpf, on_tracepoint)
{
	check_tracepoint(_metadata, self, 1);
}

TEST_F(bpf, on_tracepoint_that_filters)
{
	check_tracepoint(_metadata, self, 0);
}

TEST_F(bpf, query)
{
	struct {
		struct perf_event_query_bpf head;
		__u32 ids[8];
	} query;
	struct bpf_prog_info info = {};
	long id = tracepoint_id("task/task_rename");
	int fd[2], prog[2], i, k;
	__u32 ids[2];

	if (id < 0)
		SKIP(return, "no tracepoints");
	for (i = 0; i < 2; i++) {
		prog[i] = bpf_load_counter(self->map, BPF_PROG_TYPE_TRACEPOINT, 1);
		fd[i] = perf_open_self(TRACEPOINT(id));
		ASSERT_LE(0, prog[i]);
		ASSERT_LE(0, fd[i]);
		memset(&info, 0, sizeof(info));
		ASSERT_EQ(0, bpf_prog_info(prog[i], &info));
		ids[i] = info.id;
		ASSERT_EQ(0, set_bpf(fd[i], prog[i]));
		memset(&query, 0, sizeof(query));
		query.head.ids_len = 8;
		ASSERT_EQ(0, perf_ioctl(fd[0], PERF_EVENT_IOC_QUERY_BPF,
					(unsigned long)&query));
		EXPECT_EQ(i + 1, query.head.prog_cnt);
		for (k = 0; k <= i; k++)
			EXPECT_EQ(ids[k], query.head.ids[k]);
	}
	/* Both programs run, whichever event they were attached to. */
	prctl(PR_SET_NAME, "query");
	EXPECT_LE(2, bpf_map_get(self->map, 0));
	query.head.ids_len = 1;
	EXPECT_EQ(-ENOSPC, perf_ioctl(fd[0], PERF_EVENT_IOC_QUERY_BPF,
				      (unsigned long)&query));
	EXPECT_EQ(2, query.head.prog_cnt);
	query.head.ids_len = 0;
	EXPECT_EQ(0, perf_ioctl(fd[0], PERF_EVENT_IOC_QUERY_BPF,
				(unsigned long)&query));
	EXPECT_EQ(2, query.head.prog_cnt);
	close(fd[0]);
	query.head.ids_len = 8;
	ASSERT_EQ(0, perf_ioctl(fd[1], PERF_EVENT_IOC_QUERY_BPF,
				(unsigned long)&query));
	EXPECT_EQ(1, query.head.prog_cnt);
	EXPECT_EQ(ids[1], query.head.ids[0]);
	close(fd[1]);
}

TEST_F(bpf, on_kprobe)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_KPROBE, 1), i;
	int wrong = bpf_load_counter(self->map, BPF_PROG_TYPE_TRACEPOINT, 1);
	static const char symbol[] = SYSCALL_SYMBOL(umask);
	long type = pmu_type("kprobe");
	struct perf_event_attr attr = PERF_ATTR(type, 0, .sample_period = 1,
		.kprobe_func = (unsigned long)symbol,
		.sample_type = PERF_SAMPLE_TID);

	if (type < 0 || !kernel_symbol(symbol))
		SKIP(return, "no kprobes");
	ASSERT_LE(0, prog);
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	EXPECT_EQ(-EINVAL, set_bpf(self->l.fd, wrong));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	for (i = 0; i < 10; i++)
		umask(022);
	EXPECT_LE(10, bpf_map_get(self->map, 0));
	EXPECT_EQ(10, perf_listen_count(&self->l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A link holds the event. Closing the link removes the program. */
TEST_F(bpf, link)
{
	int prog = bpf_load_counter(self->map, BPF_PROG_TYPE_PERF_EVENT, 1), link;
	union bpf_attr attr = {};
	int fd = perf_open_self(FAULTS());

	ASSERT_LE(0, fd);
	attr.link_create.prog_fd = prog;
	attr.link_create.target_fd = fd;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	link = bpf_call(BPF_LINK_CREATE, &attr);
	ASSERT_LE(0, link);
	EXPECT_EQ(-EEXIST, set_bpf(fd, prog));
	ASSERT_EQ(0, perf_enable(fd));
	fault_pages(5);
	EXPECT_EQ(5, bpf_map_get(self->map, 0));
	close(link);
	fault_pages(5);
	EXPECT_EQ(5, bpf_map_get(self->map, 0));
	EXPECT_EQ(10, perf_count(fd));
	EXPECT_EQ(0, set_bpf(fd, prog));
	close(fd);
}

/* Events in a map */

#define SAID	0x1122334455667788ULL

/* A program that writes SAID twice to this CPU's event, and the result into the map. */
/* It returns @wanted: whether a sample is taken besides. */
static int load_speaker(int map, int events, unsigned int bytes, int wanted)
{
	const struct bpf_insn insns[] = {
		BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_6, 0, 0,
			 (__s32)(SAID & 0xffffffff)),
		BPF_INSN(0, 0, 0, 0, (__s32)(SAID >> 32)),
		BPF_STORE(BPF_REG_10, BPF_REG_6, -8),
		BPF_STORE(BPF_REG_10, BPF_REG_6, -16),
		BPF_MAP(BPF_REG_2, events),
		BPF_MAP_UPPER,
		/* BPF_F_CURRENT_CPU */
		BPF_INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1),
		BPF_COPY(BPF_REG_4, BPF_REG_10),
		BPF_ADD_IMM(BPF_REG_4, -16),
		BPF_SET(BPF_REG_5, bytes),
		BPF_HELPER(perf_event_output),
		BPF_COPY(BPF_REG_6, BPF_REG_0),
		BPF_KEEP(map, 0, -24, BPF_REG_6),
		BPF_SET(BPF_REG_0, wanted),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns),
			"speaker");
}

static void check_output(struct __test_metadata *_metadata,
			 struct _test_data_bpf *self, unsigned int bytes)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	int prog = load_speaker(self->map, events, bytes, 0);
	struct perf_event_attr attr = PERF_SW(BPF_OUTPUT, .sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME);
	__u64 said[2] = { SAID, SAID };
	int fd = perf_open_self(FAULTS());
	int nr = 0;

	ASSERT_LE(0, prog);
	ASSERT_EQ(0, set_bpf(fd, prog));
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->cpu));
	ASSERT_EQ(0, perf_enable(fd));
	/* No event is in the map yet. */
	fault_pages(1);
	EXPECT_EQ(-ENOENT, (long)bpf_map_get(self->map, 0));
	ASSERT_EQ(0, bpf_map_set(events, self->cpu, &self->l.fd));
	fault_pages(10);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, bpf_map_get(self->map, 0));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		/* Padded, so that size and data are whole words. */
		EXPECT_EQ(((bytes + 4 + 7) & ~7U) - 4, self->l.rec.raw_size);
		EXPECT_EQ(0, memcmp(self->l.rec.raw, said, bytes));
	}
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	close(events);
	close(prog);
	close(fd);
}

TEST_F(bpf, output)
{
	static const unsigned int sizes[] = { 1, 3, 4, 5, 8, 12, 15, 16 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		check_output(_metadata, self, sizes[i]);
}

/*
 * The record that a program writes has another chain of the same fault, here without the user's
 * part, and so an empty one. It is taken into the buffer of the sample's chain. The sample has its
 * own all the same.
 */
TEST_F(bpf, output_with_a_chain)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	int prog = load_speaker(self->map, events, sizeof(__u64), 1);
	struct perf_event_attr attr = PERF_SW(BPF_OUTPUT, .sample_period = 1,
					      .sample_type = PERF_SAMPLE_CALLCHAIN,
					      .exclude_callchain_user = 1);
	const struct perf_rec *rec = &self->l.rec;
	struct perf_listener out;
	int nr = 0;

	SKIP_STOCK_FAULT(true, "the sample has the program's chain");
	ASSERT_LE(0, prog);
	ASSERT_EQ(0, perf_listen(&out, attr, -1, self->cpu));
	ASSERT_EQ(0, bpf_map_set(events, self->cpu, &out.fd));
	attr = FAULTS();
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, set_bpf(self->l.fd, prog));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(10);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		ASSERT_LE(2, rec->nr_chain);
		EXPECT_EQ(PERF_CONTEXT_USER, rec->chain[0]);
		EXPECT_EQ(rec->ip, rec->chain[1]);
	}
	EXPECT_EQ(10, nr);
	for (nr = 0; perf_listen_of(&out, PERF_RECORD_SAMPLE); nr++)
		EXPECT_EQ(0, out.rec.nr_chain);
	EXPECT_EQ(10, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	EXPECT_EQ(0, perf_listen_end(&out));
	close(events);
	close(prog);
}

/* A cgroup's event takes what programs say while a task of the cgroup runs. */
TEST_F(bpf, output_to_a_cgroup)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	int prog = load_speaker(self->map, events, sizeof(__u64), 0);
	struct perf_event_attr attr = PERF_SW(BPF_OUTPUT, .sample_period = 1,
					      .sample_type = PERF_SAMPLE_RAW);
	int fd = perf_open_self(FAULTS()), dir, out;
	struct perf_buf buf;

	if (cgroup_make("bpf", self->cgroup, sizeof(self->cgroup)))
		SKIP(return, "no cgroups");
	dir = open(self->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	out = perf_raw_open(&attr, dir, self->cpu, -1, PERF_FLAG_PID_CGROUP);
	close(dir);
	ASSERT_LE(0, out);
	ASSERT_EQ(0, perf_buf_map(&buf, out, 1));
	ASSERT_EQ(0, bpf_map_set(events, self->cpu, &out));
	ASSERT_EQ(0, set_bpf(fd, prog));
	ASSERT_EQ(0, perf_enable(fd));
	fault_pages(1);
	EXPECT_EQ(-EOPNOTSUPP, (long)bpf_map_get(self->map, 0));
	ASSERT_EQ(0, cgroup_enter(self->cgroup, getpid()));
	fault_pages(1);
	EXPECT_EQ(0, bpf_map_get(self->map, 0));
	ASSERT_EQ(0, cgroup_enter(CGROUPFS, getpid()));
	fault_pages(1);
	EXPECT_EQ(-EOPNOTSUPP, (long)bpf_map_get(self->map, 0));
	perf_buf_unmap(&buf);
	close(events);
	close(prog);
	close(out);
	close(fd);
}

/* A program that puts value, enabled and running of this CPU's event into the map. */
static int load_reader(int map, int events)
{
	const struct bpf_insn insns[] = {
		BPF_STORE_IMM(BPF_REG_10, -24, 0),
		BPF_STORE_IMM(BPF_REG_10, -16, 0),
		BPF_STORE_IMM(BPF_REG_10, -8, 0),
		BPF_MAP(BPF_REG_1, events),
		BPF_MAP_UPPER,
		BPF_INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, -1),
		BPF_COPY(BPF_REG_3, BPF_REG_10),
		BPF_ADD_IMM(BPF_REG_3, -24),
		BPF_SET(BPF_REG_4, 24),
		BPF_HELPER(perf_event_read_value),
		BPF_COPY(BPF_REG_6, BPF_REG_0),
		BPF_LOOKUP(map, 0, -32),
		BPF_SKIP_IF_0(BPF_REG_0, 4),
		BPF_LOAD(BPF_REG_1, BPF_REG_10, -24),
		BPF_STORE(BPF_REG_0, BPF_REG_1, 0),
		BPF_SKIP_IF_0(BPF_REG_6, 1),
		BPF_STORE(BPF_REG_0, BPF_REG_6, 0),
		BPF_SET(BPF_REG_0, 0),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns),
			"reader");
}

TEST_F(bpf, read_value)
{
	int events = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 8);
	int prog = load_reader(self->map, events);
	int count = perf_open(PERF_SW(CONTEXT_SWITCHES), -1, self->cpu, -1);
	int fd = perf_open_self(FAULTS()), i;
	__u64 before, seen;

	ASSERT_LE(0, prog);
	ASSERT_LE(0, count);
	ASSERT_EQ(0, bpf_map_set(events, self->cpu, &count));
	ASSERT_EQ(0, set_bpf(fd, prog));
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < 5; i++) {
		switch_out(1);
		before = perf_count(count);
		fault_pages(1);
		seen = bpf_map_get(self->map, 0);
		EXPECT_LE(before, seen);
		EXPECT_GE(perf_count(count), seen);
	}
	EXPECT_LE(5, bpf_map_get(self->map, 0));
	/* The map held the event. Without the event there is nothing to read. */
	close(count);
	ASSERT_EQ(0, bpf_map_drop(events, self->cpu));
	fault_pages(1);
	EXPECT_EQ(-ENOENT, (long)bpf_map_get(self->map, 0));
	close(fd);
}

TEST_HARNESS_MAIN
