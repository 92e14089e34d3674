// SPDX-License-Identifier: GPL-2.0
/*
 * What precise samples of Intel's models say of memory accesses: where the data came from, and how
 * long that took. For the machines in machines[] below (x86_pmu_emulator= on the kernel's command
 * line). The latency of a load that the emulator records tells which source it has recorded.
 */
#include <sys/wait.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef __x86_64__

#define PERIOD		1000
#define SAMPLES		300
#define LATENCY		30
#define SOURCES		16
#define ALL_STORES	0x82d0
/* Turns of a loop with many periods, and the last resort against too few samples. */
#define STRETCH		(100 * PERIOD)
#define STRETCHES	100000

#define MEMORY_FIELDS	(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC |	\
			 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_PAGE_SIZE)

/*
 * @levels: by source, PERF_MEM_LVLNUM_* in hexadecimal. f is PERF_MEM_LVLNUM_NA, which is also the
 * number of a third level that was missed.
 */
static const struct {
	const char *machine;
	__u64 loads, stores;
	__u64 aux;		/* needed in front of loads */
	const char *levels;
	bool bits;		/* the TLB, and locked accesses */
	bool parts;		/* of a latency: cache, instruction */
	bool status;		/* of stores */
} machines[] = {
	{ "intel-westmere", 0x100b, 0, 0, "f1c2333fbfdddda8", false, false, false },
	{ "intel-haswell", 0x01cd, ALL_STORES, 0, "f1c23333bfdddda8", true, false, true },
	{ "intel-skylake", 0x01cd, ALL_STORES, 0, "f1c23333ffddffa8", true, false, true },
	{ "intel-icelake", 0x01cd, ALL_STORES, 0, "f1c23333ffddffa8", true, false, true },
	{ "intel-tremont", 0, ALL_STORES, 0, NULL, false, false, false },
	{ "intel-alderlake", 0x01cd, 0x02cd, 0x8203, "f1c23333ffddffa8", true, true, true },
};

FIXTURE(memory)
{
	unsigned int i;
	int aux;
	struct perf_limits limits;
};

FIXTURE_SETUP(memory)
{
	self->aux = -1;
	while (self->i < ARRAY_SIZE(machines) && !machine_is(machines[self->i].machine))
		self->i++;
	if (self->i == ARRAY_SIZE(machines))
		SKIP(return, "no emulated machine with precise sampling behind the PMU");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	/* An event that is throttled does not count. */
	ASSERT_EQ(0, perf_lift_limits(&self->limits));
}

FIXTURE_TEARDOWN_PARENT(memory)
{
	perf_restore_limits(&self->limits);
}

static struct perf_event_attr sampling(__u64 config, __u64 fields)
{
	return PERF_RAW(config, .config1 = config == ALL_STORES ? 0 : LATENCY,
			.sample_period = PERIOD, .sample_type = fields, .precise_ip = 2,
			.exclude_kernel = 1, .disabled = 1);
}

/* Open an event of loads, with the event that must be in front of it. */
static int open_loads(FIXTURE_DATA(memory) *self, struct perf_event_attr attr)
{
	if (machines[self->i].aux && self->aux < 0)
		self->aux = perf_open_self(PERF_RAW(machines[self->i].aux, .exclude_kernel = 1));
	return perf_open(attr, 0, -1, self->aux);
}

struct seen {
	unsigned int samples, bad;
	unsigned int paged;	/* the address has a page; what is about to fault has none yet */
	unsigned int sources;	/* mask */
	unsigned int wrong;	/* level of a source */
	unsigned int tlb_misses, tlb_hits, locked;
	unsigned int l1_hits, l1_misses, no_levels;
	unsigned int at_once;	/* the cache took no time */
	unsigned int short_latencies;	/* below the threshold */
	unsigned int shortest;	/* of the instruction */
};

static unsigned int level_of(unsigned int i, unsigned int source)
{
	char digit[2] = { machines[i].levels[source] };

	return strtoul(digit, NULL, 16);
}

static void see_load(struct seen *seen, unsigned int i, const struct perf_rec *rec)
{
	union perf_mem_data_src src = { .val = rec->data_src };
	unsigned int first = rec->weight, second = rec->weight >> 32 & 0xffff;
	unsigned int latency = machines[i].parts ? second : first;
	unsigned int source = (latency - LATENCY - 1) % SOURCES;

	seen->bad += src.mem_op != PERF_MEM_OP_LOAD;
	seen->bad += !machines[i].parts && second;
	seen->short_latencies += latency <= LATENCY;
	seen->at_once += !first;
	seen->sources |= 1 << source;
	seen->wrong += src.mem_lvl_num != level_of(i, source);
	seen->wrong += level_of(i, source) == PERF_MEM_LVLNUM_NA &&
		       (src.mem_lvl & PERF_MEM_LVL_HIT || src.mem_remote);
	seen->tlb_misses += !!(src.mem_dtlb & PERF_MEM_TLB_MISS);
	seen->tlb_hits += !!(src.mem_dtlb & PERF_MEM_TLB_HIT);
	seen->locked += !!(src.mem_lock & PERF_MEM_LOCK_LOCKED);
}

static void see_store(struct seen *seen, unsigned int i, const struct perf_rec *rec)
{
	union perf_mem_data_src src = { .val = rec->data_src };
	unsigned int second = rec->weight >> 32 & 0xffff;

	seen->bad += src.mem_op != PERF_MEM_OP_STORE;
	seen->no_levels += src.mem_lvl == PERF_MEM_LVL_NA;
	seen->l1_hits += src.mem_lvl == (PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT);
	seen->l1_misses += src.mem_lvl == (PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS);
	if (second < seen->shortest)
		seen->shortest = second;
}

static struct seen see_samples(struct perf_event_attr *attr, int fd, unsigned int i,
			       void (*see)(struct seen *, unsigned int, const struct perf_rec *))
{
	static struct perf_buf buf;
	const struct perf_event_header *header;
	struct seen seen = { .shortest = ~0 };
	struct perf_rec rec;

	if (perf_buf_map(&buf, fd, 64) || perf_enable(fd))
		return seen;
	for (int n = 0; seen.samples < SAMPLES && n < STRETCHES; n++) {
		spin(STRETCH);
		perf_count(fd);		/* drains the records */
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			seen.samples++;
			if (!perf_rec_parse(attr, header, &rec) || !rec.addr) {
				seen.bad++;
				continue;
			}
			seen.paged += rec.data_page_size == page_size;
			see(&seen, i, &rec);
		}
	}
	perf_disable(fd);
	perf_buf_unmap(&buf);
	return seen;
}

/* Each source has the level that was published for it on the machine, or none. */
TEST_F(memory, sources_of_loads)
{
	struct perf_event_attr attr = sampling(machines[self->i].loads, MEMORY_FIELDS);
	struct seen seen;
	int fd;

	if (!attr.config)
		SKIP(return, "no event has latencies of loads");
	fd = open_loads(self, attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, self->i, see_load);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	EXPECT_EQ((1 << SOURCES) - 1, seen.sources);
	EXPECT_EQ(0, seen.wrong);
	if (machines[self->i].bits) {
		EXPECT_LT(0, seen.tlb_misses);
		EXPECT_EQ(seen.samples, seen.tlb_misses + seen.tlb_hits);
		EXPECT_LT(0, seen.locked);
		EXPECT_GT(seen.samples, seen.locked);
	} else {
		EXPECT_EQ(0, seen.tlb_misses + seen.tlb_hits + seen.locked);
	}
	close(fd);
	close(self->aux);
}

/*
 * Records of loads lack the source if another event does not count at the same time. perf shows
 * what the errno means after it has tried all values of precise_ip.
 */
TEST_F(memory, sources_need_another_event)
{
	struct perf_event_attr attr = sampling(machines[self->i].loads, MEMORY_FIELDS);
	struct perf_event_attr aux = PERF_RAW(machines[self->i].aux, .exclude_kernel = 1);
	int want = machines[self->i].aux ? -ENODATA : 0, leader, in_front;
	char text[256];

	if (!attr.config)
		SKIP(return, "no event has latencies of loads");
	for (int level = want ? 0 : 1; level <= 2; level++) {
		attr.precise_ip = level;
		EXPECT_EQ(want, perf_try_self(attr));
	}
	leader = perf_open_self(PERF_RAW(0x003c, .exclude_kernel = 1));
	ASSERT_LE(0, leader);
	EXPECT_EQ(want, perf_try(attr, 0, -1, leader, 0));
	if (!want) {
		close(leader);
		return;
	}
	EXPECT_TRUE(refused_for("sample_type"));
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "DATA_SRC needs event 0x8203 before this one in the group"));

	/* Without the source the event may be alone. */
	attr.sample_type &= ~PERF_SAMPLE_DATA_SRC;
	EXPECT_EQ(0, perf_try_self(attr));
	attr.sample_type |= PERF_SAMPLE_DATA_SRC;
	/* One that counts something else is not enough. */
	aux.config |= 1 << 24;
	in_front = perf_open(aux, 0, -1, leader);
	ASSERT_LE(0, in_front);
	EXPECT_EQ(-ENODATA, perf_try(attr, 0, -1, leader, 0));
	close(in_front);
	aux.config = machines[self->i].aux;
	in_front = perf_open(aux, 0, -1, leader);
	ASSERT_LE(0, in_front);
	EXPECT_EQ(0, perf_try(attr, 0, -1, leader, 0));
	close(in_front);
	EXPECT_EQ(-ENODATA, perf_try(attr, 0, -1, leader, 0));
	/* With records it counts the same. perf requests them of all events of the group. */
	aux.precise_ip = 1;
	aux.sample_period = PERIOD;
	in_front = perf_open_self(aux);
	ASSERT_LE(0, in_front);
	EXPECT_EQ(0, perf_try(attr, 0, -1, in_front, 0));
	close(in_front);
	close(leader);
}

/* A child event needs nothing that its parent did not. */
TEST_F(memory, children_inherit_what_is_left)
{
	struct perf_event_attr attr = sampling(machines[self->i].loads, MEMORY_FIELDS);
	struct perf_event_attr aux = PERF_RAW(machines[self->i].aux, .inherit = 1);
	int leader, in_front, fd;
	pid_t pid;

	if (!machines[self->i].aux)
		SKIP(return, "the event of loads needs no other");
	attr.inherit = 1;
	leader = perf_open_self(PERF_RAW(0x003c, .inherit = 1));
	ASSERT_LE(0, leader);
	in_front = perf_open(aux, 0, -1, leader);
	ASSERT_LE(0, in_front);
	fd = perf_open(attr, 0, -1, leader);
	ASSERT_LE(0, fd);
	close(in_front);
	pid = fork();
	EXPECT_LE(0, pid);
	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	close(fd);
	close(leader);
}

/* As perf does for "P": the highest value of precise_ip that is not refused. */
static int open_most_precise(struct perf_event_attr attr, int group_fd)
{
	int fd = -1;

	for (int level = 3; fd < 0 && level > 0; level--) {
		attr.precise_ip = level;
		fd = perf_open(attr, 0, -1, group_fd);
	}
	return fd;
}

struct timed {
	__u64 value, enabled, running;
};

/* The events of perf mem need different counters: none waits for another one. */
TEST_F(memory, loads_and_stores_count_at_once)
{
	struct perf_event_attr loads = sampling(machines[self->i].loads, MEMORY_FIELDS);
	struct perf_event_attr stores = sampling(machines[self->i].stores, MEMORY_FIELDS);
	struct perf_event_attr aux = sampling(machines[self->i].aux, PERF_SAMPLE_IP);
	int fds[3] = { -1, -1, -1 };
	struct timed timed;

	if (!loads.config || !stores.config || machine_is("intel-haswell"))
		SKIP(return, "there are no such events, or one precise event at a time");
	stores.config1 = 0;
	loads.disabled = 0;
	stores.disabled = 0;
	aux.disabled = 0;
	aux.config1 = 0;
	loads.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	stores.read_format = loads.read_format;
	if (machines[self->i].aux) {
		fds[2] = open_most_precise(aux, -1);
		ASSERT_LE(0, fds[2]);
	}
	fds[0] = open_most_precise(loads, fds[2]);
	ASSERT_LE(0, fds[0]);
	fds[1] = open_most_precise(stores, -1);
	ASSERT_LE(0, fds[1]);
	burn_cpu(50 * NSEC_PER_MSEC);
	for (int n = 0; n < 2; n++) {
		ASSERT_EQ(sizeof(timed), read(fds[n], &timed, sizeof(timed)));
		EXPECT_LT(0, timed.value);
		EXPECT_EQ(timed.enabled, timed.running);
	}
	perf_close_all(fds, 3);
}

/* Latencies are above the threshold. The cache may have taken no time at all. */
TEST_F(memory, latencies_of_loads)
{
	struct perf_event_attr attr = sampling(machines[self->i].loads, MEMORY_FIELDS);
	struct seen seen;
	int fd;

	if (!attr.config)
		SKIP(return, "no event has latencies of loads");
	attr.config1 = 2;
	EXPECT_EQ(-EINVAL, open_loads(self, attr));
	EXPECT_TRUE(refused_for("config1"));
	attr.config1 = LATENCY;
	fd = open_loads(self, attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, self->i, see_load);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	EXPECT_LT(seen.samples / 2, seen.paged);
	EXPECT_EQ(0, seen.short_latencies);
	if (machines[self->i].parts) {
		EXPECT_LT(0, seen.at_once);
	} else {
		EXPECT_EQ(0, seen.at_once);
	}
	close(fd);
	close(self->aux);
}

/* The event of perf mem and perf c2c. */
TEST_F(memory, stores)
{
	struct perf_event_attr attr = sampling(machines[self->i].stores, MEMORY_FIELDS);
	struct seen seen;
	int fd;

	if (!attr.config)
		SKIP(return, "no event samples stores");
	attr.config1 = 0;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, self->i, see_store);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	/* The latency of stores has no threshold. */
	EXPECT_GT(LATENCY, seen.shortest);
	close(fd);
}

/* A store with a status hit the first level or missed it. Small cores have none. */
TEST_F(memory, status_of_stores)
{
	struct perf_event_attr attr = sampling(ALL_STORES, MEMORY_FIELDS);
	struct seen seen;
	int fd;

	if (machine_is("intel-westmere"))
		SKIP(return, "the event is not precise");
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd, self->i, see_store);
	EXPECT_LE(SAMPLES, seen.samples);
	EXPECT_EQ(0, seen.bad);
	if (machines[self->i].status) {
		EXPECT_LT(0, seen.l1_hits);
		EXPECT_LT(0, seen.l1_misses);
		EXPECT_EQ(seen.samples, seen.l1_hits + seen.l1_misses);
	} else {
		EXPECT_EQ(seen.samples, seen.no_levels);
	}
	close(fd);
}

#else /* !__x86_64__ */

TEST(memory)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
