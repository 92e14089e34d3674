// SPDX-License-Identifier: GPL-2.0
/*
 * Records of branches: PERF_SAMPLE_BRANCH_STACK. A loop has a branch of each kind at a known
 * address. The emulated machines with such records (x86_pmu_emulator= on the kernel's command line)
 * record the branches that the interrupted code is about to execute, and before them the return
 * from the kernel.
 */
#include <sys/prctl.h>

#include "../lib/cpu.h"
#include "../lib/file.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#ifdef __x86_64__

#define PERIOD		100000
/* AMD: retired taken branches */
#define TAKEN_BRANCHES	0xc4
/* Samples with branches of the loop that each case must see. */
#define WANTED		20
/* Times that such samples are taken, until all branches have been recorded. */
#define TRIES		50
/* Rounds of the loop, within which they must come. */
#define ROUNDS		200000
/* Longest call instruction. */
#define CALL_BYTES	7
#define NOBODY		65534

/*
 * void br_run(unsigned long turns): a loop of all kinds of near branches. It has the frame
 * pointers of a function.
 */
asm(".pushsection .text\n"
    ".balign 64\n"
    "br_begin:\n"
    "br_run:	push %rbp\n"
    "		mov %rsp, %rbp\n"
    "br_top:\n"
    "br_call:	call br_leaf\n"
    "br_ind_call: call *br_leaf_at(%rip)\n"
    "br_jump:	jmp br_landing\n"
    "		nop\n"
    "br_landing:\n"
    "br_ind_jump: jmp *br_target_at(%rip)\n"
    "		nop\n"
    "br_target:	dec %rdi\n"
    "br_cond:	jnz br_top\n"
    "		pop %rbp\n"
    "		ret\n"
    "br_leaf:	push %rbp\n"
    "		mov %rsp, %rbp\n"
    "		mov $20, %ecx\n"
    "br_spin:	dec %ecx\n"
    "br_leaf_cond: jnz br_spin\n"
    "		pop %rbp\n"
    "br_ret:	ret\n"
    "br_end:\n"
    ".popsection\n"
    ".pushsection .data\n"
    ".balign 8\n"
    "br_leaf_at: .quad br_leaf\n"
    "br_target_at: .quad br_target\n"
    ".popsection\n");

void br_run(unsigned long turns);
extern char br_begin[], br_end[], br_top[], br_call[], br_ind_call[], br_jump[], br_landing[];
extern char br_ind_jump[], br_target[], br_cond[], br_leaf[], br_spin[], br_leaf_cond[], br_ret[];

/* Kinds of the loop's branches, as bits of branch_sample_type that request them. */
static const struct {
	char *from;
	char *to;	/* NULL: several */
	__u64 requests;
	unsigned int type;
} branches[] = {
	{ br_call, br_leaf, PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_ANY_CALL, PERF_BR_CALL },
	{ br_ind_call, br_leaf, PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_ANY_CALL,
	  PERF_BR_IND_CALL },
	{ br_jump, br_landing, 0, PERF_BR_UNCOND },
	{ br_ind_jump, br_target, PERF_SAMPLE_BRANCH_IND_JUMP, PERF_BR_IND },
	{ br_cond, br_top, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND },
	{ br_leaf_cond, br_spin, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND },
	{ br_ret, NULL, PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_BR_RET },
};

/* Machines with records, and what they can do. */
static const struct {
	const char *machine;
	int depth;
	bool call_stack;
	bool transactions;
	bool sampled;	/* after the overflow of taken branches; without a prediction */
	bool counters;
} machines[] = {
	{ "intel-westmere", 16 }, { "intel-haswell", 16, true },
	{ "intel-skylake", 32, true, true }, { "intel-icelake", 32, true },
	{ "intel-tremont", 32, true }, { "intel-alderlake", 32, true },
	{ "intel-p-only", 32, true },
	{ "intel-meteorlake", 32, true }, { "intel-arrowlake-h", 32, true },
	{ "intel-lunarlake", 32, true, .counters = true },
	{ "amd-perfmonv2", 16 }, { "amd-zen3", 16, .sampled = true },
};

FIXTURE(branches)
{
	struct perf_listener l;
	int machine;
	long paranoid;
	long cpu_time;
	/* by index of branches[]: how often it was recorded */
	unsigned int seen[ARRAY_SIZE(branches)];
};

FIXTURE_SETUP(branches)
{
	unsigned int i;

	self->machine = -1;
	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machine_is(machines[i].machine))
			self->machine = i;
	}
	if (self->machine < 0)
		SKIP(return, "no emulated machine with records of branches");
	/* if there are several kinds of cores, the tests open events of the first CPU's kind */
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	perf_raise_sample_rate();
	ASSERT_EQ(0, file_read_long(CPU_TIME, &self->cpu_time));
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	/* Interrupts that a busy host delays must not lower the rate. */
	ASSERT_EQ(0, file_write_long(CPU_TIME, 0));
	/* Users may sample what they do in user mode. */
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
}

FIXTURE_TEARDOWN_PARENT(branches)
{
	if (self->machine < 0 || seteuid(0))
		return;
	file_write_long(PARANOID, self->paranoid);
	file_write_long(CPU_TIME, self->cpu_time);
}

static struct perf_event_attr recording(__u64 branch_sample_type)
{
	if (machine_is("amd-zen3"))
		return PERF_RAW(TAKEN_BRANCHES, .sample_period = PERIOD, .disabled = 1,
				.exclude_kernel = 1,
				.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
				.branch_sample_type = branch_sample_type);
	return HW_CYCLES(.sample_period = PERIOD, .disabled = 1, .exclude_kernel = 1,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
			 .branch_sample_type = branch_sample_type);
}

static bool in_kernel(__u64 address)
{
	return (__s64)address < 0;
}

static bool in_loop(__u64 address)
{
	return address >= (unsigned long)br_begin && address < (unsigned long)br_end;
}

/* Returns the index of a branch of the loop, -1 if there is none at the address. */
static int branch_at(__u64 from)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		if (from == (unsigned long)branches[i].from)
			return i;
	}
	return -1;
}

/* Calls a function for each record of a branch, until there are enough samples of the loop. */
static int record(struct __test_metadata *_metadata, struct _test_data_branches *self,
		  struct perf_event_attr attr,
		  void (*check)(struct __test_metadata *_metadata,
				struct _test_data_branches *self,
				const struct perf_branch_entry *entry))
{
	int samples = 0, round;
	bool ours;
	__u64 i;

	ASSERT_EQ(0, perf_listen_self(&self->l, attr)) {
		char why[256] = "";

		file_read("/proc/self/perf_event_refusal", why, sizeof(why));
		TH_LOG("refused: %s", why);
	}
	perf_enable(self->l.fd);
	for (round = 0; round < ROUNDS && samples < WANTED; round++) {
		br_run(100);
		/* a way into the kernel and back */
		getppid();
		while (samples < WANTED && perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			ours = false;
			EXPECT_GE(machines[self->machine].depth, self->l.rec.nr_branches);
			for (i = 0; i < self->l.rec.nr_branches; i++) {
				ours |= in_loop(self->l.rec.branches[i].from);
				check(_metadata, self, &self->l.rec.branches[i]);
			}
			samples += ours;
		}
	}
	perf_disable(self->l.fd);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return samples;
}

static bool is_requested(unsigned int branch, __u64 request)
{
	return (branches[branch].requests | PERF_SAMPLE_BRANCH_ANY) & request;
}

static void check_target(struct __test_metadata *_metadata, struct _test_data_branches *self,
			 const struct perf_branch_entry *entry)
{
	int i = branch_at(entry->from);

	if (!in_loop(entry->from))
		return;
	EXPECT_LE(0, i) {
		TH_LOG("no branch at %#llx", entry->from - (unsigned long)br_begin);
	}
	if (i < 0)
		return;
	self->seen[i]++;
	EXPECT_EQ(!machines[self->machine].sampled, entry->mispred != entry->predicted);
	if (branches[i].to)
		EXPECT_EQ((unsigned long)branches[i].to, entry->to);
}

/* Record, and count the requested branches of the loop that were not seen so far. */
static unsigned int record_some(struct __test_metadata *_metadata,
				struct _test_data_branches *self, __u64 request)
{
	unsigned int i, missing = 0;

	EXPECT_EQ(WANTED, record(_metadata, self, recording(request), check_target));
	for (i = 0; i < ARRAY_SIZE(branches); i++)
		missing += is_requested(i, request) && !self->seen[i];
	return missing;
}

/*
 * Record until each requested branch of the loop was seen. An interrupt may always come
 * elsewhere.
 */
static void record_all(struct __test_metadata *_metadata, struct _test_data_branches *self,
		       __u64 request)
{
	unsigned int i;

	memset(self->seen, 0, sizeof(self->seen));
	IN_SOME_TRY(TRIES, !record_some(_metadata, self, request));
	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		EXPECT_EQ(is_requested(i, request), self->seen[i] > 0) {
			TH_LOG("request %#llx, branch %u", request, i);
		}
	}
}

TEST_F(branches, depth_is_in_sysfs)
{
	const char *file = "/sys/bus/event_source/devices/cpu/caps/branches";
	long depth;

	if (file_read_long(file, &depth))
		file = "/sys/bus/event_source/devices/cpu_core/caps/branches";
	ASSERT_EQ(0, file_read_long(file, &depth));
	EXPECT_EQ(machines[self->machine].depth, depth);
}

TEST_F(branches, any_has_all_branches_of_the_loop)
{
	record_all(_metadata, self, PERF_SAMPLE_BRANCH_ANY);
}

TEST_F(branches, each_request_has_its_branches)
{
	static const __u64 requests[] = {
		PERF_SAMPLE_BRANCH_ANY_CALL, PERF_SAMPLE_BRANCH_ANY_RETURN,
		PERF_SAMPLE_BRANCH_IND_CALL, PERF_SAMPLE_BRANCH_COND,
		PERF_SAMPLE_BRANCH_IND_JUMP, PERF_SAMPLE_BRANCH_CALL,
		PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_ANY_RETURN,
	};
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(requests); r++)
		record_all(_metadata, self, requests[r]);
}

static void check_type(struct __test_metadata *_metadata, struct _test_data_branches *self,
		       const struct perf_branch_entry *entry)
{
	int i = branch_at(entry->from);

	if (i >= 0)
		EXPECT_EQ(branches[i].type, (unsigned int)entry->type);
	EXPECT_EQ(PERF_BR_PRIV_USER, (int)entry->priv);
	EXPECT_EQ(0, (int)entry->mispred);
	EXPECT_EQ(0, (int)entry->predicted);
	EXPECT_EQ(0, (int)entry->cycles);
}

TEST_F(branches, fields_are_as_requested)
{
	EXPECT_EQ(WANTED, record(_metadata, self,
				 recording(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE |
					   PERF_SAMPLE_BRANCH_PRIV_SAVE |
					   PERF_SAMPLE_BRANCH_NO_FLAGS |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_HW_INDEX), check_type));
	EXPECT_GT(machines[self->machine].depth, self->l.rec.hw_idx);
}

static unsigned int into_user, into_kernel;

static void check_levels(struct __test_metadata *_metadata, struct _test_data_branches *self,
			 const struct perf_branch_entry *entry)
{
	into_user += in_kernel(entry->from) && !in_kernel(entry->to);
	into_kernel += in_kernel(entry->to);
}

static void check_no_kernel(struct __test_metadata *_metadata, struct _test_data_branches *self,
			    const struct perf_branch_entry *entry)
{
	EXPECT_FALSE(in_kernel(entry->from));
	EXPECT_FALSE(in_kernel(entry->to));
}

static void check_kernel_only(struct __test_metadata *_metadata,
			      struct _test_data_branches *self,
			      const struct perf_branch_entry *entry)
{
	EXPECT_TRUE(in_kernel(entry->to));
	into_kernel++;
}

static bool record_both_ways(struct __test_metadata *_metadata, struct _test_data_branches *self,
			     struct perf_event_attr attr)
{
	EXPECT_EQ(WANTED, record(_metadata, self, attr, check_levels));
	return into_kernel && into_user;
}

/* So the records that the next case must not have do exist. */
TEST_F(branches, privileged_users_see_the_kernel)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
						PERF_SAMPLE_BRANCH_KERNEL);

	attr.exclude_kernel = 0;
	EXPECT_TRUE(IN_SOME_TRY(100, record_both_ways(_metadata, self, attr)));
}

TEST_F(branches, a_user_sees_no_address_of_the_kernel)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY);
	int r;

	/* without capabilities, until the end of the case */
	ASSERT_EQ(0, seteuid(NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	attr.exclude_hv = 1;
	for (r = 0; r < 5; r++)
		EXPECT_EQ(WANTED, record(_metadata, self, attr, check_no_kernel));
	/* kinds that lead out of the kernel */
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_USER;
	EXPECT_EQ(WANTED, record(_metadata, self, attr, check_no_kernel));

	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL;
	EXPECT_EQ(-EACCES, perf_try_self(attr));
	EXPECT_TRUE(refused_for("branch_sample_type"));
}

TEST_F(branches, the_kernel_alone)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY |
						PERF_SAMPLE_BRANCH_KERNEL);
	int round;

	attr.exclude_kernel = 0;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	perf_enable(self->l.fd);
	for (round = 0; round < ROUNDS && !into_kernel; round++) {
		__u64 i;

		getppid();
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			for (i = 0; i < self->l.rec.nr_branches; i++)
				check_kernel_only(_metadata, self, &self->l.rec.branches[i]);
		}
	}
	EXPECT_NE(0, into_kernel);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Intel's retired branches, mispredicted ones, and reference cycles, by their numbers. */
#define BRANCH_EVENT	0xc4
#define MISS_EVENT	0xc5
#define CYCLES_EVENT	0x3c
#define REF_EVENT	0x300	/* it has a fixed counter only */
/* Of the emulator. So samples of both events come after as many turns of the loop. */
#define BRANCHES_PER_MISS	32

/* The emulator lets the counter of an event show this in the record of a branch. */
static __u64 logged(__u64 from, __u64 event)
{
	return (from + event) & 3;
}

static struct perf_event_attr counted_in_records(__u64 config, bool counted)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY);

	attr.type = PERF_TYPE_RAW;
	attr.config = config;
	attr.disabled = 0;
	if (counted)
		attr.branch_sample_type |= PERF_SAMPLE_BRANCH_COUNTERS;
	return attr;
}

/*
 * The events of a group that request it are in records, in their order; others are not. Another
 * event has the first counter, so that the numbers of theirs differ from their order.
 */
TEST_F(branches, counters_are_in_the_order_of_the_group)
{
	static const __u64 orders[][2] = {
		{ BRANCH_EVENT, MISS_EVENT }, { MISS_EVENT, BRANCH_EVENT },
	};
	int samples, first, fds[2], round;
	unsigned int n;
	long number;
	__u64 i;

	if (!machines[self->machine].counters)
		SKIP(return, "records have no counters");
	ASSERT_EQ(0, file_read_long("/sys/devices/cpu_core/caps/branch_counter_nr", &number));
	EXPECT_EQ(4, number);
	ASSERT_EQ(0, file_read_long("/sys/devices/cpu_core/caps/branch_counter_width", &number));
	EXPECT_EQ(2, number);
	first = perf_open_self(counted_in_records(BRANCH_EVENT, true));
	ASSERT_LE(0, first);
	for (n = 0; n < ARRAY_SIZE(orders); n++) {
		struct perf_event_attr attr = counted_in_records(orders[n][0], true);

		attr.disabled = 1;
		if (orders[n][0] == MISS_EVENT)
			attr.sample_period = PERIOD / BRANCHES_PER_MISS;
		ASSERT_EQ(0, perf_listen_self(&self->l, attr));
		fds[0] = perf_open(counted_in_records(CYCLES_EVENT, false), 0, -1, self->l.fd);
		ASSERT_LE(0, fds[0]);
		fds[1] = perf_open(counted_in_records(orders[n][1], true), 0, -1, self->l.fd);
		ASSERT_LE(0, fds[1]);
		ASSERT_EQ(0, perf_enable_group(self->l.fd));
		for (round = samples = 0; round < ROUNDS && samples < WANTED; round++) {
			br_run(100);
			while (samples < WANTED && perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
				ASSERT_NE(NULL, self->l.rec.branch_counters);
				for (i = 0; i < self->l.rec.nr_branches; i++) {
					__u64 from = self->l.rec.branches[i].from;

					EXPECT_EQ(logged(from, orders[n][0]) |
						  logged(from, orders[n][1]) << 2,
						  self->l.rec.branch_counters[i]);
					EXPECT_EQ(0, (int)self->l.rec.branches[i].reserved);
				}
				samples += self->l.rec.nr_branches != 0;
			}
		}
		EXPECT_EQ(WANTED, samples);
		perf_close_all(fds, 2);
		perf_listen_end(&self->l);
	}
	close(first);
}

/* Records have four counters. An event without any of these is refused, as is a group of more. */
TEST_F(branches, few_counters_are_in_records)
{
	int fds[5], n;

	if (!machines[self->machine].counters)
		SKIP(return, "records have no counters");
	EXPECT_EQ(-EINVAL, perf_try_self(counted_in_records(REF_EVENT, true)));
	EXPECT_TRUE(refused_for("branch_sample_type"));
	for (n = 0; n < 4; n++) {
		fds[n] = perf_open(counted_in_records(BRANCH_EVENT, true), 0, -1,
				   n ? fds[0] : -1);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_EQ(-EINVAL, perf_try(counted_in_records(BRANCH_EVENT, true), 0, -1, fds[0], 0));
	EXPECT_TRUE(refused_for("group_fd"));
	/* without the request there are more */
	fds[4] = perf_open(counted_in_records(BRANCH_EVENT, false), 0, -1, fds[0]);
	EXPECT_LE(0, fds[4]);
	perf_close_all(fds, 5);
}

TEST_F(branches, what_a_machine_cannot_do_is_refused)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY |
						PERF_SAMPLE_BRANCH_COUNTERS);

	attr.type = PERF_TYPE_RAW;
	attr.config = BRANCH_EVENT;
	EXPECT_EQ(machines[self->machine].counters ? 0 : -EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(machines[self->machine].counters || refused_for("branch_sample_type"));
	attr = recording(PERF_SAMPLE_BRANCH_ANY);

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_IN_TX;
	EXPECT_EQ(machines[self->machine].transactions ? 0 : -EOPNOTSUPP, perf_try_self(attr));
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ABORT_TX;
	EXPECT_EQ(machines[self->machine].transactions ? 0 : -EOPNOTSUPP, perf_try_self(attr));

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	EXPECT_EQ(machines[self->machine].call_stack ? 0 : -EOPNOTSUPP, perf_try_self(attr));
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_COND;
	EXPECT_EQ(machines[self->machine].call_stack ? -EINVAL : -EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("branch_sample_type"));
}

static void check_call(struct __test_metadata *_metadata, struct _test_data_branches *self,
		       const struct perf_branch_entry *entry)
{
	if (!in_loop(entry->from))
		return;
	EXPECT_TRUE(entry->from == (unsigned long)br_call ||
		    entry->from == (unsigned long)br_ind_call);
}

/* The loop has frame pointers. Its calls are those before the return addresses of the chain. */
static void check_chain(struct __test_metadata *_metadata, struct _test_data_branches *self,
			const struct perf_branch_entry *entry)
{
	const struct perf_rec *rec = &self->l.rec;
	__u64 i = entry - rec->branches;

	check_call(_metadata, self, entry);
	/* PERF_CONTEXT_USER, the instruction, return addresses */
	ASSERT_LE(2, rec->nr_chain);
	if (!in_loop(rec->ip) || 2 + i >= rec->nr_chain)
		return;
	EXPECT_LT(entry->from, rec->chain[2 + i]);
	EXPECT_GE(entry->from + CALL_BYTES, rec->chain[2 + i]);
	self->seen[0]++;
}

TEST_F(branches, call_stack_has_the_calls_that_did_not_return)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_CALL_STACK);

	if (!machines[self->machine].call_stack)
		SKIP(return, "this machine has no such records");
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_kernel = 1;
	EXPECT_EQ(WANTED, record(_metadata, self, attr, check_chain));
	EXPECT_LE(WANTED, self->seen[0]);
}

/* The hardware records what one value of its register says. */
TEST_F(branches, groups_agree_on_what_is_recorded)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_COND);
	int leader = perf_open_self(attr), sibling;

	ASSERT_LE(0, leader);
	attr.disabled = 0;
	sibling = perf_try(attr, 0, -1, leader, 0);
	EXPECT_EQ(machines[self->machine].sampled ? -EINVAL : 0, sibling);

	attr.branch_sample_type = PERF_SAMPLE_BRANCH_IND_CALL;
	sibling = perf_try(attr, 0, -1, leader, 0);
	/* Nothing is left out where threads share the register. */
	EXPECT_EQ(machine_is("intel-westmere") ? 0 : -EINVAL, sibling);
	EXPECT_TRUE(sibling >= 0 || refused_for("branch_sample_type"));
	close(leader);
}

TEST_F(branches, events_that_disagree_take_turns)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_COND);
	int fds[2], round;

	attr.disabled = 0;
	attr.read_format = PERF_ALL_TIMES;
	fds[0] = perf_open_self(attr);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_IND_CALL;
	fds[1] = perf_open_self(attr);
	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	for (round = 0; round < ROUNDS && !all_take_turns(fds, 2); round++)
		br_run(100);
	/* Nothing is left out where threads share the register. */
	EXPECT_EQ(!machine_is("intel-westmere"), all_take_turns(fds, 2));
	perf_close_all(fds, 2);
}

/* Zen 3 records branches after the overflow of one certain event. */
TEST_F(branches, other_events_have_no_sampled_branches)
{
	struct perf_event_attr attr = recording(PERF_SAMPLE_BRANCH_ANY);
	__u64 period = machines[self->machine].depth;
	int fd;

	if (!machines[self->machine].sampled)
		SKIP(return, "this machine records branches of any event");
	attr.config = 0xc2;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("config"));

	attr.config = TAKEN_BRANCHES;
	attr.sample_period = period;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("sample_period"));
	attr.freq = 1;
	attr.sample_freq = 1000;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refused_for("freq"));

	fd = perf_open_self(recording(PERF_SAMPLE_BRANCH_ANY));
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	period++;
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	close(fd);
}

#else /* !__x86_64__ */

TEST(branches)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
