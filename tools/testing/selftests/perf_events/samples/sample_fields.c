// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of a sample: each alone, and in combinations that a fixed seed chooses, of
 * a fault whose instruction, address, registers and stack are known. A sample has
 * exactly the fields of sample_type, in the order of the ABI.
 */
#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/known_regs.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define STACK_BYTES	8192
#define STACK_MARK	0x5ca1ab1e00000000ULL

/* Only hardware records branches. The two weights exclude each other. */
#define SOFTWARE_FIELDS	((PERF_SAMPLE_MAX - 1) &			\
			 ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT_STRUCT))

/* A thread's stack. The value of each word tells its position. */
static __u64 *marked_stack(void)
{
	__u64 *stack = map_fresh_pages(STACK_BYTES / 4096);
	unsigned int i;

	for (i = 0; stack && i < STACK_BYTES / 8; i++)
		stack[i] = STACK_MARK + i;
	return stack;
}

FIXTURE(fault)
{
	struct perf_listener l;
	unsigned long regs[KNOWN_NR];
	__u64 *stack;
	__u64 cgroup;
	char *pages;
	size_t page;
};

FIXTURE_SETUP(fault)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->stack = marked_stack();
	ASSERT_NE(NULL, self->stack);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	known_regs_fill(self->regs, self->stack + 16);
	/*
	 * The id of a cgroup is its directory's inode number. This task is in the root.
	 */
	self->cgroup = file_inode(CGROUPFS);
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(fault)
{
}

/* Cause a sample of a fault at an odd address of a fresh page. */
static void sample_one(struct __test_metadata *_metadata,
		       struct _test_data_fault *self,
		       struct perf_event_attr attr)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, attr)) {
		TH_LOG("sample_type %#llx", attr.sample_type);
	}
	self->pages = map_fresh_pages(1);
	ASSERT_NE(NULL, self->pages);
	self->regs[KNOWN_STORE_REG] = (unsigned long)self->pages + 123;
	ASSERT_EQ(0, perf_enable(self->l.fd));
	known_store(self->regs);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	ASSERT_TRUE(perf_listen_next(&self->l)) {
		TH_LOG("no sample, sample_type %#llx", attr.sample_type);
	}
	ASSERT_EQ(PERF_RECORD_SAMPLE, self->l.header->type);
}

static void sample_end(struct __test_metadata *_metadata,
		       struct _test_data_fault *self)
{
	__u64 type = self->l.attr.sample_type;

	EXPECT_EQ(NULL, perf_buf_next(&self->l.buf));
	EXPECT_EQ(0, perf_listen_end(&self->l)) {
		TH_LOG("damaged, sample_type %#llx", type);
	}
	munmap(self->pages, self->page);
}

static struct perf_event_attr fault_attr(__u64 type)
{
	return PERF_SAMPLED(PAGE_FAULTS, type, .exclude_kernel = 1,
			    .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
			    .sample_regs_user = KNOWN_LOADED,
			    .sample_regs_intr = 1ULL << KNOWN_SP,
			    .sample_stack_user = 64);
}

/* The size of each field when the source has no data for it. */

static const struct {
	__u64 bit;
	unsigned int size;
} field_sizes[] = {
	{ 0, 0 },
	{ PERF_SAMPLE_IP, 8 },
	{ PERF_SAMPLE_TID, 8 },
	{ PERF_SAMPLE_TIME, 8 },
	{ PERF_SAMPLE_ADDR, 8 },
	{ PERF_SAMPLE_READ, 8 },
	{ PERF_SAMPLE_CALLCHAIN, 8 + 2 * 8 },
	{ PERF_SAMPLE_ID, 8 },
	{ PERF_SAMPLE_CPU, 8 },
	{ PERF_SAMPLE_PERIOD, 8 },
	{ PERF_SAMPLE_STREAM_ID, 8 },
	{ PERF_SAMPLE_RAW, 8 },
	{ PERF_SAMPLE_STACK_USER, 8 + 64 + 8 },
	{ PERF_SAMPLE_WEIGHT, 8 },
	{ PERF_SAMPLE_DATA_SRC, 8 },
	{ PERF_SAMPLE_IDENTIFIER, 8 },
	{ PERF_SAMPLE_TRANSACTION, 8 },
	{ PERF_SAMPLE_REGS_INTR, 8 + 8 },
	{ PERF_SAMPLE_PHYS_ADDR, 8 },
	{ PERF_SAMPLE_AUX, 8 },
	{ PERF_SAMPLE_CGROUP, 8 },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, 8 },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, 8 },
	{ PERF_SAMPLE_WEIGHT_STRUCT, 8 },
};

TEST_F(fault, every_field_alone)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(field_sizes); i++) {
		sample_one(_metadata, self, fault_attr(field_sizes[i].bit));
		EXPECT_EQ(8 + field_sizes[i].size, self->l.header->size) {
			TH_LOG("sample_type %#llx", field_sizes[i].bit);
		}
		EXPECT_EQ(PERF_RECORD_MISC_USER, self->l.header->misc);
		sample_end(_metadata, self);
	}
}

/* Combinations */

#define CHECK(_bit, _want, _got) do {					\
	if (type & PERF_SAMPLE_##_bit)					\
		EXPECT_EQ((__u64)(_want), (__u64)(_got)) {		\
			TH_LOG("%s, sample_type %#llx", #_bit, type);	\
		}							\
} while (0)

static void check_numbers(struct __test_metadata *_metadata,
			  struct _test_data_fault *self)
{
	const struct perf_rec *rec = &self->l.rec;
	__u64 type = self->l.attr.sample_type, id = perf_event_id(self->l.fd);

	CHECK(IDENTIFIER, id, rec->identifier);
	/* Recent by the event's clock. Other clocks differ by much more. */
	CHECK(TIME, 1, NSEC_PER_MSEC + clock_ns(self->l.attr.clockid) -
	      rec->time < PATIENCE_MS * NSEC_PER_MSEC);
	CHECK(IP, (unsigned long)known_store_ip, rec->ip);
	CHECK(TID, getpid(), rec->pid);
	CHECK(TID, gettid(), rec->tid);
	CHECK(ADDR, fault_address((void *)self->regs[KNOWN_STORE_REG]), rec->addr);
	CHECK(ID, id, rec->id);
	CHECK(STREAM_ID, id, rec->stream_id);
	CHECK(CPU, nth_cpu(0), rec->cpu);
	CHECK(PERIOD, 1, rec->period);
	CHECK(RAW, 4, rec->raw_size);
	CHECK(RAW, 0, *(__u32 *)rec->raw);
	CHECK(WEIGHT, 0, rec->weight);
	CHECK(TRANSACTION, 0, rec->transaction);
	CHECK(AUX, 0, rec->aux_size);
	CHECK(CGROUP, self->cgroup, rec->cgroup);
	CHECK(CODE_PAGE_SIZE, self->page, rec->code_page_size);
}

/*
 * PAGE_FAULTS occurs before the fault is handled, PAGE_FAULTS_MIN after that: only then
 * there is a page.
 */
static void check_page(struct __test_metadata *_metadata,
		       struct _test_data_fault *self)
{
	bool there = self->l.attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN;
	const struct perf_rec *rec = &self->l.rec;
	__u64 type = self->l.attr.sample_type;

	CHECK(PHYS_ADDR, there, rec->phys_addr != 0);
	CHECK(PHYS_ADDR, there ? fault_address((void *)123) : 0,
	      rec->phys_addr % self->page);
	CHECK(DATA_PAGE_SIZE, there ? self->page : 0, rec->data_page_size);
}

/* The value without information on the access. */
#define DATA_SRC_NA							\
	(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) |			\
	 PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |			\
	 PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

static void check_lists(struct __test_metadata *_metadata,
			struct _test_data_fault *self)
{
	const struct perf_event_attr *attr = &self->l.attr;
	const struct perf_rec *rec = &self->l.rec;
	__u64 type = attr->sample_type, i;
	int nr = 0, reg;

	CHECK(READ, 1, rec->read[0]);
	CHECK(CALLCHAIN, 2, rec->nr_chain);
	CHECK(CALLCHAIN, PERF_CONTEXT_USER, rec->chain[0]);
	CHECK(CALLCHAIN, (unsigned long)known_store_ip, rec->chain[1]);
	CHECK(REGS_USER, PERF_SAMPLE_REGS_ABI_64, rec->regs_user_abi);
	CHECK(REGS_INTR, PERF_SAMPLE_REGS_ABI_64, rec->regs_intr_abi);
	CHECK(REGS_INTR, self->regs[KNOWN_SP], rec->regs_intr[0]);
	for (reg = 0; reg < KNOWN_NR; reg++)
		if (attr->sample_regs_user & (1ULL << reg))
			CHECK(REGS_USER, self->regs[reg],
			      rec->regs_user[nr++]);
	CHECK(STACK_USER, attr->sample_stack_user, rec->stack_size);
	CHECK(STACK_USER, attr->sample_stack_user, rec->stack_valid);
	for (i = 0; i < rec->stack_size / 8; i++)
		CHECK(STACK_USER, STACK_MARK + 16 + i,
		      ((__u64 *)rec->stack)[i]);
	/* No information on the access. */
	CHECK(DATA_SRC, DATA_SRC_NA, rec->data_src);
}

static __u64 random_bits(__u64 *state)
{
	/* xorshift64*, so that a failure can be repeated */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

TEST_F(fault, random_combinations)
{
	__u64 seed = 0x9e3779b97f4a7c15ULL;
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < 400; i++) {
		attr = fault_attr(random_bits(&seed) & SOFTWARE_FIELDS);
		attr.sample_regs_user = random_bits(&seed) & KNOWN_LOADED;
		attr.sample_regs_user |= 1ULL << KNOWN_SP;
		attr.sample_stack_user = 8 * (random_bits(&seed) % 100 + 1);
		attr.sample_id_all = i & 1;
		if (i & 2)
			attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
		sample_one(_metadata, self, attr);
		check_numbers(_metadata, self);
		check_page(_metadata, self);
		check_lists(_metadata, self);
		sample_end(_metadata, self);
	}
}

TEST_F(fault, all_at_once)
{
	sample_one(_metadata, self, fault_attr(SOFTWARE_FIELDS));
	check_numbers(_metadata, self);
	check_page(_metadata, self);
	check_lists(_metadata, self);
	sample_end(_metadata, self);
}

/* A field that sample_type lacks takes no space, with all other fields present. */
TEST_F(fault, all_but_one)
{
	__u64 bit;

	for (bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1) {
		if (!(SOFTWARE_FIELDS & bit))
			continue;
		sample_one(_metadata, self, fault_attr(SOFTWARE_FIELDS & ~bit));
		check_numbers(_metadata, self);
		check_page(_metadata, self);
		check_lists(_metadata, self);
		sample_end(_metadata, self);
	}
}

/* Several events of one occurrence, each with other fields. */

#define EVENTS	4

static struct perf_event_attr own_attr(__u64 *seed, int i)
{
	struct perf_event_attr attr = fault_attr(random_bits(seed) &
						 SOFTWARE_FIELDS);

	attr.sample_regs_user = random_bits(seed) & KNOWN_LOADED;
	attr.sample_regs_user |= 1ULL << KNOWN_SP;
	attr.sample_stack_user = 8 * (i * 10 + 1);
	attr.clockid = i & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	return attr;
}

static void sample_several(struct __test_metadata *_metadata,
			   struct _test_data_fault *self, __u64 *seed)
{
	static struct perf_listener l[EVENTS];
	int i;

	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(0, perf_listen_self(&l[i], own_attr(seed, i)));
	self->pages = map_fresh_pages(1);
	self->regs[KNOWN_STORE_REG] = (unsigned long)self->pages + 123;
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(0, perf_enable(l[i].fd));
	known_store(self->regs);
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(0, perf_disable(l[i].fd));
	for (i = 0; i < EVENTS; i++) {
		ASSERT_TRUE(perf_listen_next(&l[i]));
		ASSERT_EQ(0, l[i].damaged);
		memcpy(&self->l, &l[i], sizeof(l[i]));
		check_numbers(_metadata, self);
		check_page(_metadata, self);
		check_lists(_metadata, self);
		EXPECT_EQ(0, perf_listen_end(&l[i]));
	}
	munmap(self->pages, self->page);
}

TEST_F(fault, several_events_at_once)
{
	__u64 seed = 0x123456789abcdef1ULL;
	int i;

	SKIP_STOCK_FAULT(true, "one event's ids and sizes in another's sample");
	for (i = 0; i < 50; i++)
		sample_several(_metadata, self, &seed);
}

TEST_HARNESS_MAIN
