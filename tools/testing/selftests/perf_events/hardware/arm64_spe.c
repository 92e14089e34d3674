// SPDX-License-Identifier: GPL-2.0
/*
 * Arm's statistical profiling: the base's driver on an emulator of its registers,
 * CONFIG_ARM64_PMU_EMULATOR. The test says how many operations a CPU executes, and compares
 * each record of the profile.
 */
#include <dirent.h>
#include <linux/capability.h>

#include "../lib/aux.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/user.h"

#define EMULATOR	"/sys/kernel/debug/arm64_spe_emulator"

/* What the emulator has. */
#define INTERVAL	256
#define RECORD		48	/* bytes of a record with a time */
#define SHORT_RECORD	32	/* bytes of a record without */
#define AUX_PAGES	4

/* perf_event_attr::config */
#define WITH_TIME	0x1ULL
#define WITH_PA		0x2ULL
#define BRANCHES	(1ULL << 32)
#define LOADS		(1ULL << 33)
#define STORES		(1ULL << 34)

/* perf_event_attr::config1 and ::config3 */
#define EVENT_REFILL	(1ULL << 3)
#define EVENT_RESERVED	(1ULL << 8)

/* PMBSR_EL1 */
#define BUFFER_FULL	0x1UL
#define COLLISION	(1UL << 16)
#define DATA_LOSS	(1UL << 19)
#define FAULT		(0x24UL << 26)

/* What a record says. */
struct operation {
	__u64 pc;
	__u64 number;
	__u64 time;
	__u16 events;
	__u16 latency;
	__u8 kind;
};

/* Why some cases are skipped on the stock kernel. */
#define STAYS_OFF	"the first ENABLE after an area was full has no effect"

static int emulator_set(const char *file, unsigned long value)
{
	return folder_write_long(EMULATOR, file, value);
}

static long emulator_get(const char *file)
{
	return folder_read_long(EMULATOR, file);
}

/* The name of the PMU has a number that counts how often it was plugged in. */
static const char *find_spe(void)
{
	static char name[256];
	struct dirent *entry;
	DIR *dir = opendir(PMU_DEVICES);

	name[0] = '\0';
	while (dir && !name[0] && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "arm_spe_", 8))
			snprintf(name, sizeof(name), "%s", entry->d_name);
	if (dir)
		closedir(dir);
	return name[0] ? name : NULL;
}

FIXTURE(spe)
{
	struct perf_event_attr attr;
	struct aux_area area;
	const char *name;
	bool mapped;
	int cpu;
	int other;	/* another CPU, or -1 */
	/* of the operations that are sampled, if each run is a multiple of the interval */
	int latency;
};

FIXTURE_SETUP(spe)
{
	if (access(EMULATOR "/present", W_OK))
		SKIP(return, "no emulator of SPE: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	ASSERT_EQ(0, emulator_set("present", 1));
	self->name = find_spe();
	ASSERT_NE(NULL, self->name);
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	self->attr = PERF_ATTR(pmu_type(self->name), WITH_TIME, .sample_period = INTERVAL,
			       .disabled = 1);
	self->latency = (emulator_get("operations") + INTERVAL - 1) % 256;
}

FIXTURE_TEARDOWN(spe)
{
	if (access(EMULATOR "/present", W_OK))
		return;
	if (self->mapped)
		aux_unmap(&self->area);
	/* The driver has written no register that the profiling unit owned. */
	EXPECT_EQ(0, emulator_get("misuse"));
	/* Events of children that have just ended are closed a little later. */
	EXPECT_TRUE(COMES_TRUE(emulator_set("present", 0) == 0));
	EXPECT_EQ(NULL, find_spe());
}

static void spe_open(struct __test_metadata *_metadata, FIXTURE_DATA(spe) *self, pid_t pid,
		     int cpu, int prot)
{
	int fd = perf_open(self->attr, pid, cpu, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, aux_map(&self->area, fd, AUX_PAGES, prot));
	self->mapped = true;
	ASSERT_EQ(0, perf_enable(fd));
}

/* An event of this CPU, so that preempting the test does not end a transaction. */
static void spe_open_here(struct __test_metadata *_metadata, FIXTURE_DATA(spe) *self)
{
	spe_open(_metadata, self, -1, self->cpu, PROT_READ | PROT_WRITE);
}

static __u64 bytes_of(const unsigned char *from, int nr)
{
	__u64 value = 0;

	memcpy(&value, from, nr);
	return value;
}

/*
 * Parse a record. Returns its length, 1 for a byte of padding, or 0 if the bytes are no
 * record. The number of a packet's bytes is in its header.
 */
static size_t parse_record(const unsigned char *at, size_t left, struct operation *op)
{
	const unsigned char *start = at, *end = at + left;

	if (!at[0])
		return 1;
	memset(op, 0, sizeof(*op));
	while (at < end && at[0] != 0x01) {
		size_t length = 1 << (at[0] >> 4 & 3);
		__u64 value;

		if (at + 1 + length > end)
			return 0;
		value = bytes_of(at + 1, length);
		switch (at[0]) {
		case 0xb0:
			op->pc = value;
			break;
		case 0xb2:
			op->number = value;
			break;
		case 0x98:
			op->latency = value;
			break;
		case 0x52:
			op->events = value;
			break;
		case 0x49:
			op->kind = 'L' + value;
			break;
		case 0x4a:
			op->kind = 'B';
			break;
		case 0x71:
			op->time = value;
			return at + 1 + length - start;
		default:
			return 0;
		}
		at += 1 + length;
	}
	return at < end ? at + 1 - start : 0;
}

/* Parse the records from one position to another. Returns their number, or -1. */
static int parse(const struct aux_area *area, __u64 from, __u64 to, struct operation *ops,
		 int most)
{
	unsigned char *bytes = malloc(to - from);
	size_t at = 0, length;
	int nr = 0;

	aux_copy(area, from, bytes, to - from);
	while (at < to - from && nr < most) {
		length = parse_record(bytes + at, to - from - at, &ops[nr]);
		if (!length)
			break;
		nr += length > 1;
		at += length;
	}
	free(bytes);
	return at < to - from ? -1 : nr;
}

TEST_F(spe, in_sysfs)
{
	char text[256];

	ASSERT_LT(0, read_pmu_file(self->name, "caps/min_interval", text, sizeof(text)));
	EXPECT_STREQ("256", text);
	ASSERT_LT(0, read_pmu_file(self->name, "caps/count_size", text, sizeof(text)));
	EXPECT_STREQ("12", text);
	ASSERT_LT(0, read_pmu_file(self->name, "format/inv_event_filter", text, sizeof(text)));
	EXPECT_STREQ("config3:0-63", text);
	ASSERT_LT(0, read_pmu_file(self->name, "cpumask", text, sizeof(text)));
	EXPECT_EQ('0', text[0]);
}

TEST_F(spe, refusals)
{
	const struct perf_event_attr good = self->attr;
	struct perf_event_attr attr;

#define EXPECT_REFUSED(_errno, ...) do {				\
	attr = good;							\
	__VA_ARGS__;							\
	EXPECT_ROW(-(_errno), perf_try(attr, 0, -1, -1, 0), #__VA_ARGS__); \
} while (0)

	EXPECT_ROW(0, perf_try(good, 0, -1, -1, 0), "good");
	EXPECT_REFUSED(EINVAL, attr.freq = 1);
	EXPECT_REFUSED(EOPNOTSUPP, attr.exclude_idle = 1);
	EXPECT_REFUSED(EOPNOTSUPP, attr.config1 = EVENT_RESERVED);
	EXPECT_REFUSED(EOPNOTSUPP, attr.config3 = EVENT_RESERVED);
	EXPECT_ROW(-EINVAL, perf_try(good, -1, 100000, -1, 0), "no such CPU");
}

/* Physical addresses need the rights of events of the kernel. */
TEST_F(spe, physical_addresses)
{
	struct perf_event_attr attr = self->attr;
	long paranoid;

	ASSERT_EQ(0, file_read_long(PARANOID, &paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	attr.exclude_kernel = 1;
	attr.config |= WITH_PA;
	EXPECT_EQ(0, perf_try(attr, 0, -1, -1, 0));
	if (fork_child() == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(1);
		if (perf_try(attr, 0, -1, -1, 0) != -EACCES)
			_exit(2);
		attr.config &= ~WITH_PA;
		_exit(perf_try(attr, 0, -1, -1, 0) ? 3 : 0);
	}
	EXPECT_EQ(0, wait_status(-1));
	EXPECT_EQ(0, file_write_long(PARANOID, paranoid));
}

TEST_F(spe, each_operation)
{
	const struct aux_news *news;
	struct operation ops[32];
	long first;

	spe_open_here(_metadata, self);
	first = emulator_get("operations");
	ASSERT_EQ(0, emulator_set("run_user", 10 * INTERVAL - 1));
	ASSERT_EQ(0, emulator_set("run_kernel", 10 * INTERVAL + 1));
	/* There is no record before there is a reason. */
	EXPECT_EQ(NULL, aux_next(&self->area));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(0, news->offset);
	EXPECT_EQ(20 * RECORD, news->size);
	EXPECT_EQ(0, news->flags);
	EXPECT_EQ(20 * RECORD, perf_buf_aux_head(&self->area.buf));
	ASSERT_EQ(20, parse(&self->area, 0, 20 * RECORD, ops, 32));
	for (int i = 0; i < 20; i++) {
		__u64 number = first + (i + 1) * INTERVAL - 1;

		EXPECT_EQ(number, ops[i].number);
		EXPECT_EQ(number % 256, ops[i].latency);
		EXPECT_EQ("LMB"[number % 3], ops[i].kind);
		EXPECT_EQ(2 | (number % 4 ? 0 : EVENT_REFILL), ops[i].events);
		/* the exception level */
		EXPECT_EQ(i < 9 ? 0 : 1, ops[i].pc >> 61 & 3);
		if (i)
			EXPECT_LT(ops[i - 1].time, ops[i].time);
	}
}

TEST_F(spe, levels)
{
	struct operation ops[32];

	self->attr.exclude_kernel = 1;
	self->attr.config = 0;
	spe_open_here(_metadata, self);
	ASSERT_EQ(0, emulator_set("run_kernel", 10 * INTERVAL));
	ASSERT_EQ(0, emulator_set("run_user", 3 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	ASSERT_EQ(3 * SHORT_RECORD, perf_buf_aux_head(&self->area.buf));
	ASSERT_EQ(3, parse(&self->area, 0, 3 * SHORT_RECORD, ops, 32));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, ops[i].pc >> 61 & 3);
}

/* Sample 12 loads, stores and branches, and return how many records of a kind remain. */
static int filtered(struct __test_metadata *_metadata, FIXTURE_DATA(spe) *self, __u64 config,
		    __u64 config1, __u64 config2, __u64 config3)
{
	struct operation ops[64];
	__u64 end;
	int nr;

	self->attr.config = config;
	self->attr.config1 = config1;
	self->attr.config2 = config2;
	self->attr.config3 = config3;
	spe_open_here(_metadata, self);
	ASSERT_EQ(0, emulator_set("run_user", 36 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	end = perf_buf_aux_head(&self->area.buf);
	nr = parse(&self->area, 0, end, ops, 64);
	for (int i = 0; i < nr; i++) {
		if (config)
			EXPECT_EQ(config & LOADS ? 'L' : config & STORES ? 'M' : 'B', ops[i].kind);
		EXPECT_EQ(config1 & EVENT_REFILL, ops[i].events & config1);
		EXPECT_LE(config2, ops[i].latency);
		EXPECT_EQ(0, ops[i].events & config3);
	}
	aux_unmap(&self->area);
	self->mapped = false;
	return nr;
}

TEST_F(spe, filters)
{
	EXPECT_EQ(12, filtered(_metadata, self, LOADS, 0, 0, 0));
	EXPECT_EQ(12, filtered(_metadata, self, STORES, 0, 0, 0));
	EXPECT_EQ(12, filtered(_metadata, self, BRANCHES, 0, 0, 0));
	EXPECT_EQ(36, filtered(_metadata, self, 0, 0, 0, 0));
	/*
	 * The interval is a multiple of 256, so all sampled operations have the same latency, and
	 * either all or none of them miss the cache.
	 */
	EXPECT_EQ(36, filtered(_metadata, self, 0, 0, self->latency, 0));
	EXPECT_EQ(0, filtered(_metadata, self, 0, 0, self->latency + 1, 0));
	EXPECT_EQ(36, filtered(_metadata, self, 0, EVENT_REFILL, 0, 0) +
		      filtered(_metadata, self, 0, 0, 0, EVENT_REFILL));
}

/* A reader that reads each record in time gets all, around the end of the area. */
TEST_F(spe, around_the_end)
{
	struct operation ops[512];
	const struct aux_news *news;
	__u64 seen = 0, next;
	int nr, got = 0;

	spe_open_here(_metadata, self);
	next = emulator_get("operations") + INTERVAL - 1;
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(0, emulator_set("run_user", 61 * INTERVAL));
		while ((news = aux_next(&self->area))) {
			EXPECT_EQ(0, news->flags);
			ASSERT_LE(seen, news->offset);
			nr = parse(&self->area, news->offset, news->offset + news->size, ops, 512);
			ASSERT_LE(0, nr);
			for (int j = 0; j < nr; j++, next += INTERVAL)
				ASSERT_EQ(next, ops[j].number);
			got += nr;
			seen = news->offset + news->size;
			aux_set_tail(&self->area, seen);
		}
	}
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area))) {
		nr = parse(&self->area, news->offset, news->offset + news->size, ops, 512);
		ASSERT_LE(0, nr);
		got += nr;
	}
	EXPECT_EQ(40 * 61, got);
	EXPECT_LT(6 * self->area.size, seen);
}

/* The rest is lost. The event is disabled until the reader enables it again. */
TEST_F(spe, full)
{
	const struct aux_news *news;
	struct operation ops[512];
	__u64 seen = 0, flags = 0;
	int nr, got = 0;

	spe_open_here(_metadata, self);
	ASSERT_EQ(0, emulator_set("run_user", 1000 * INTERVAL));
	while ((news = aux_next(&self->area))) {
		EXPECT_EQ(0, flags);
		flags = news->flags;
		seen = news->offset + news->size;
		nr = parse(&self->area, news->offset, seen, ops, 512);
		ASSERT_LE(0, nr);
		got += nr;
	}
	EXPECT_EQ(PERF_AUX_FLAG_TRUNCATED, flags);
	/* The driver leaves out the page of the tail, and the rest of a page. */
	EXPECT_LE((AUX_PAGES - 1) * (page_size / RECORD - 2), got);
	EXPECT_GE(self->area.size / RECORD, got);
	ASSERT_EQ(0, emulator_set("run_user", 10 * INTERVAL));
	EXPECT_EQ(NULL, aux_next(&self->area));

	aux_set_tail(&self->area, perf_buf_aux_head(&self->area.buf));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("run_user", 10 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	SKIP_STOCK_FAULT(!news, STAYS_OFF);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(0, news->flags);
	EXPECT_EQ(10, parse(&self->area, news->offset, news->offset + news->size, ops, 512));
}

/* Without PROT_WRITE the old records are overwritten. The last half of the area is there. */
TEST_F(spe, snapshot)
{
	const struct aux_news *news;
	struct operation ops[512];
	__u64 last, end = 0;
	int nr;

	spe_open(_metadata, self, -1, self->cpu, PROT_READ);
	ASSERT_EQ(0, emulator_set("run_user", 1000 * INTERVAL));
	last = emulator_get("operations") - 1;
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area))) {
		EXPECT_EQ(PERF_AUX_FLAG_OVERWRITE, news->flags);
		end = news->offset;
	}
	/* The driver counts within the area. */
	ASSERT_LT(0, end);
	ASSERT_GE(self->area.size, end);
	EXPECT_EQ(end, perf_buf_aux_head(&self->area.buf));
	/* The records of the half in which the trace ended. */
	nr = parse(&self->area, end > self->area.size / 2 ? self->area.size / 2 : 0, end, ops, 512);
	ASSERT_LT(0, nr);
	for (int i = 0; i < nr; i++)
		EXPECT_EQ(last - (nr - 1 - i) * INTERVAL, ops[i].number);
}

TEST_F(spe, sizes_of_the_area)
{
	struct aux_area area;
	int fd = perf_open(self->attr, -1, self->cpu, -1);

	ASSERT_LE(0, fd);
	/* The driver refuses one page. */
	EXPECT_NE(0, aux_map(&area, fd, 1, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, aux_map(&area, fd, 2, PROT_READ | PROT_WRITE));
	aux_unmap(&area);
}

/* Flags for what the profiling unit reports. */
TEST_F(spe, syndromes)
{
	const struct aux_news *news;
	int err;

	spe_open_here(_metadata, self);
	ASSERT_EQ(0, emulator_set("run_user", 3 * INTERVAL));
	ASSERT_EQ(0, emulator_set("syndrome", BUFFER_FULL | COLLISION));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(PERF_AUX_FLAG_COLLISION, news->flags);
	EXPECT_EQ(3 * RECORD, news->size);

	/* The last record is torn: the event is disabled. */
	ASSERT_EQ(0, emulator_set("run_user", 2 * INTERVAL));
	ASSERT_EQ(0, emulator_set("syndrome", BUFFER_FULL | DATA_LOSS));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, news->flags);
	EXPECT_EQ(2 * RECORD, news->size);
	ASSERT_EQ(0, emulator_set("run_user", 2 * INTERVAL));
	EXPECT_EQ(NULL, aux_next(&self->area));

	/* A fault ends the transaction. The event traces again after it was disabled. */
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("run_user", INTERVAL));
	err = emulator_set("syndrome", FAULT);
	SKIP_STOCK_FAULT(err == -EIO, STAYS_OFF);
	ASSERT_EQ(0, err);
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(RECORD, news->size);
	ASSERT_EQ(0, emulator_set("run_user", INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	EXPECT_EQ(NULL, aux_next(&self->area));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("run_user", 4 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_LE(3 * RECORD, news->size);
}

/* What is left of a period goes along with the task. */
TEST_F(spe, a_task_that_moves)
{
	const struct aux_news *news;
	struct operation ops[512];
	int nr, got = 0;

	spe_open(_metadata, self, 0, -1, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 64; i++) {
		ASSERT_EQ(0, emulator_set("run_user", INTERVAL / 4 * 3));
		if (self->other >= 0)
			ASSERT_EQ(0, pin_to_cpu(i % 2 ? self->cpu : self->other));
		switch_out(1);
	}
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area))) {
		EXPECT_EQ(0, news->flags);
		nr = parse(&self->area, news->offset, news->offset + news->size, ops, 512);
		ASSERT_LE(0, nr);
		got += nr;
	}
	EXPECT_EQ(48, got);
}

/* A child's trace is in the parent's area. The area is for one CPU. */
TEST_F(spe, a_child)
{
	const struct aux_news *news;
	struct operation ops[64];
	int nr, got = 0;

	self->attr.inherit = 1;
	spe_open(_metadata, self, 0, self->cpu, PROT_READ | PROT_WRITE);
	if (fork_child() == 0)
		_exit(emulator_set("run_user", 5 * INTERVAL) ? 1 : 0);
	EXPECT_EQ(0, wait_status(-1));
	ASSERT_EQ(0, emulator_set("run_user", 2 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area))) {
		nr = parse(&self->area, news->offset, news->offset + news->size, ops, 64);
		ASSERT_LE(0, nr);
		got += nr;
	}
	EXPECT_EQ(7, got);
}

/* The PMU is exclusive: an event of the CPU and one of a task cannot both exist. */
TEST_F(spe, exclusive)
{
	spe_open_here(_metadata, self);
	EXPECT_EQ(-EBUSY, perf_try(self->attr, 0, -1, -1, 0));
	EXPECT_EQ(-EBUSY, perf_try(self->attr, -1, self->cpu, -1, 0));
	/* The emulator stays while an event exists. */
	EXPECT_EQ(-EBUSY, emulator_set("present", 0));
}

TEST_F(spe, no_address_filters)
{
	spe_open_here(_metadata, self);
	EXPECT_EQ(-EINVAL, perf_ioctl(self->area.fd, PERF_EVENT_IOC_SET_FILTER,
				      (unsigned long)"filter 0x1000/0x1000"));
}

/*
 * The CPU goes away while it traces. The driver resets the buffer before the event stops, and
 * computes a size from that. The core must not publish it, as the stock kernel does. The event
 * stays without a CPU; a new one traces.
 */
TEST_F(spe, offline)
{
	const struct aux_news *news;
	struct operation ops[64];
	cpu_set_t all;
	int victim;

	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	victim = hotplug_cpu();
	if (victim <= self->cpu)
		SKIP(return, "no other CPU can be taken offline");
	ASSERT_EQ(0, pin_to_cpu(victim));
	spe_open(_metadata, self, -1, victim, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, emulator_set("run_user", 3 * INTERVAL));
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, cpu_set_online(victim, false));
	ASSERT_EQ(0, cpu_set_online(victim, true));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	SKIP_STOCK_FAULT(news->size > self->area.size, "a size that no area has");
	EXPECT_EQ(0, news->size);
	EXPECT_EQ(PERF_AUX_FLAG_PARTIAL, news->flags);
	EXPECT_EQ(0, perf_buf_aux_head(&self->area.buf));
	aux_unmap(&self->area);
	self->mapped = false;

	ASSERT_EQ(0, pin_to_cpu(victim));
	spe_open(_metadata, self, -1, victim, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, emulator_set("run_user", 4 * INTERVAL));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(4, parse(&self->area, news->offset, news->offset + news->size, ops, 64));
	pin_to_cpu(self->cpu);
}

TEST_HARNESS_MAIN
