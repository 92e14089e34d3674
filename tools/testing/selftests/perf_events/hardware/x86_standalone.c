// SPDX-License-Identifier: GPL-2.0
/*
 * The stand-alone drivers of x86: instruction based sampling, processor trace, accumulated
 * power, and drivers that are modules. Counters outside of the cores are in x86_uncore.c. The
 * kernel's parameter x86_pmu_emulator= selects an emulator of their registers: amd-ibs, intel-pt,
 * and amd-legacy for accumulated power. In these machines
 *
 *   ibs		tags loads only, of 0x123456789000, which take 321 cycles
 *   processor trace	writes numbers of 64 bits, each one more than the one before
 *   power		is 10 W
 */
#include <dirent.h>

#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"

#ifdef __x86_64__

#define PMU_DIR		"/sys/bus/event_source/devices/"
#define IBS_LATENCY	321
#define IBS_ADDRESS	0x123456789000ULL
#define IBS_PERIOD	0x40000
#define SAMPLES		20

/* The number of a PMU, or 0 if there is none of that name. */
static __u32 type_of(const char *pmu)
{
	long type = pmu_type(pmu);

	return type < 0 ? 0 : type;
}

#define NEED_PMU(_type, _name) do {			\
	_type = type_of(_name);				\
	if (!(_type))					\
		SKIP(return, "no PMU " _name);		\
} while (0)

/* Instruction based sampling */

struct ibs_seen {
	int samples;
	int exact;
	int good;
};

static bool is_emulated_load(const struct perf_rec *rec)
{
	union perf_mem_data_src src = { .val = rec->data_src };

	return src.mem_op == PERF_MEM_OP_LOAD && src.mem_lvl_num == PERF_MEM_LVLNUM_RAM &&
	       rec->weight == IBS_LATENCY && rec->addr == IBS_ADDRESS && rec->ip;
}

/* Run until an event has so many samples. */
static struct ibs_seen see_samples(const struct perf_event_attr *attr, int fd)
{
	static struct perf_buf buf;
	const struct perf_event_header *header;
	struct ibs_seen seen = { };
	struct perf_rec rec;

	if (perf_buf_map(&buf, fd, 16) || perf_enable(fd))
		return seen;
	while (seen.samples < SAMPLES) {
		burn_cpu(NSEC_PER_MSEC);
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			seen.samples++;
			seen.exact += !!(header->misc & PERF_RECORD_MISC_EXACT_IP);
			if (perf_rec_parse(attr, header, &rec) && is_emulated_load(&rec))
				seen.good++;
		}
	}
	perf_disable(fd);
	perf_buf_unmap(&buf);
	return seen;
}

static struct perf_event_attr load_samples(__u32 type, __u64 config)
{
	return PERF_ATTR(type, config, .disabled = 1, .sample_period = IBS_PERIOD,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
					PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC);
}

TEST(ibs_op_shows_the_load)
{
	struct perf_event_attr attr;
	struct ibs_seen seen;
	__u32 type;
	int fd;

	NEED_PMU(type, "ibs_op");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr = load_samples(type, 0);
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	seen = see_samples(&attr, fd);
	EXPECT_EQ(seen.samples, seen.exact);
	EXPECT_EQ(seen.samples, seen.good);
	EXPECT_LE((SAMPLES - 1) * (__u64)IBS_PERIOD, perf_count(fd));
	close(fd);
}

TEST(ibs_fetch_shows_registers)
{
	static struct perf_buf buf;
	const struct perf_event_header *header;
	struct perf_event_attr attr;
	struct perf_rec rec;
	int fd, samples = 0;
	__u32 type;

	NEED_PMU(type, "ibs_fetch");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr = PERF_ATTR(type, 0, .disabled = 1, .sample_period = IBS_PERIOD,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW);
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 16));
	ASSERT_EQ(0, perf_enable(fd));
	while (samples < SAMPLES) {
		burn_cpu(NSEC_PER_MSEC);
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			samples++;
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			/* Capabilities, three registers, the extended control. */
			EXPECT_LE(4 + 4 * 8, rec.raw_size);
			EXPECT_TRUE(header->misc & PERF_RECORD_MISC_EXACT_IP);
		}
	}
	close(fd);
}

FIXTURE(throttled_ibs)
{
	long rate_before;
	__u32 type;
};

FIXTURE_SETUP(throttled_ibs)
{
	NEED_PMU(self->type, "ibs_op");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate_before));
	ASSERT_EQ(0, file_write_long(SAMPLE_RATE, 1000));
}

FIXTURE_TEARDOWN_PARENT(throttled_ibs)
{
	if (self->rate_before)
		EXPECT_EQ(0, file_write_long(SAMPLE_RATE, self->rate_before));
}

/* The driver warns when an event is started that runs, as the next tick would do. */
TEST_F(throttled_ibs, new_period_ends_throttling)
{
	__u64 period = IBS_PERIOD / 16;
	struct perf_listener l;
	int i;

	ASSERT_EQ(0, perf_listen_self(&l, PERF_ATTR(self->type, 0, .sample_period = period,
						    .sample_type = PERF_SAMPLE_IP)));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, perf_listen_new_period(&l, 1ULL << 30));
		burn_cpu(20 * NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_ioctl(l.fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	}
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* Precise events of the core PMU are passed on to ibs_op. */
TEST(precise_events_are_passed_on)
{
	static const struct {
		__u32 type;
		__u64 config;
	} events[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ PERF_TYPE_RAW, 0x76 },
		{ PERF_TYPE_RAW, 0xc1 },
	};
	struct perf_event_attr attr;
	struct ibs_seen seen;
	__u32 type;
	size_t i;
	int fd;

	NEED_PMU(type, "ibs_op");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		attr = load_samples(events[i].type, events[i].config);
		attr.precise_ip = 2;
		fd = perf_open_self(attr);
		ASSERT_LE(0, fd);
		seen = see_samples(&attr, fd);
		EXPECT_EQ(seen.samples, seen.good);
		close(fd);
	}

	attr.precise_ip = 3;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("precise_ip"));
	attr = load_samples(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.precise_ip = 1;
	EXPECT_EQ(-ENOENT, perf_try_self(attr));
	EXPECT_TRUE(refused_for("precise_ip"));
}

/* A child event has the PMU of its parent, although attr.type was the core PMU's type. */
TEST(precise_events_are_inherited)
{
	struct perf_event_attr attr;
	__u64 before, after;
	__u32 type;
	pid_t pid;
	int fd;

	NEED_PMU(type, "ibs_op");
	attr = PERF_ATTR(PERF_TYPE_RAW, 0xc1, .inherit = 1, .precise_ip = 1,
			 .sample_period = IBS_PERIOD);
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	perf_disable(fd);
	before = perf_count(fd);
	pid = fork_child();
	if (!pid) {
		perf_enable(fd);
		_exit(!BURNS_UNTIL(perf_count(fd) > before + 2 * IBS_PERIOD));
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, wait_status(pid));
	perf_disable(fd);
	after = perf_count(fd);
	EXPECT_LT(before + IBS_PERIOD, after);
	close(fd);
}

/* There is one counter of operations: no groups, but multiplexing. */
TEST(ibs_events_take_turns)
{
	struct perf_event_attr attr;
	int fds[2];
	__u32 type;

	NEED_PMU(type, "ibs_op");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr = PERF_ATTR(type, 0, .sample_period = IBS_PERIOD, .read_format = PERF_ALL_TIMES);
	fds[0] = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fds[0]);
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, nth_cpu(0), fds[0], 0));
	fds[1] = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fds[1]);
	EXPECT_TRUE(gets_its_turn(fds[0]));
	EXPECT_TRUE(gets_its_turn(fds[1]));
	close(fds[1]);
	close(fds[0]);
}

/* Accumulated power */

#define EMULATED_POWER	10000	/* milliwatts; the event counts microwatts */
#define POWER_ROUNDS	5

/* The mean power is added when the event stops. */
static bool adds_emulated_power(int fd)
{
	__u64 before = perf_count(fd), added;

	perf_enable(fd);
	burn_cpu(20 * NSEC_PER_MSEC);
	perf_disable(fd);
	added = perf_count(fd) - before;
	return added > EMULATED_POWER / 100 * 98 && added < EMULATED_POWER / 100 * 102;
}

TEST(power_is_a_mean)
{
	struct perf_event_attr attr;
	int fd, round;
	__u32 type;

	if (!machine_is("amd-legacy"))
		SKIP(return, "no emulated accumulated power");
	NEED_PMU(type, "power");
	attr = PERF_ATTR(type, 1, .disabled = 1);
	fd = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	for (round = 0; round < POWER_ROUNDS; round++) {
		/* The machine may be interrupted between two registers: one try must fit. */
		EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, adds_emulated_power(fd)));
	}
	close(fd);
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, -1, 0));
	attr.config = 2;
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, nth_cpu(0), -1, 0));
	attr.config = 1;
	attr.sample_period = 1000;
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, nth_cpu(0), -1, 0));
}

/* Drivers as modules */

static const struct {
	const char *file;
	const char *name;
	const char *pmu;
} modules[] = {
	{ "intel-uncore.ko", "intel_uncore", "uncore_cbox_0" },
	{ "intel-uncore.ko", "intel_uncore", "uncore_imc_0" },
	{ "amd-uncore.ko", "amd_uncore", "amd_df" },
	{ "power.ko", "power", "power" },
};

static int load_module(const char *file)
{
	const char *dir = getenv("MODULES");
	char path[256];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "", file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

static int unload_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

/*
 * Unloading a module removes its PMUs, loading it brings them back. An open event
 * prevents unloading.
 */
TEST(modules_come_and_go)
{
	struct perf_event_attr attr;
	int fd, loaded = 0;
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s/refcnt", modules[i].name);
		if (access(path, F_OK) || !type_of(modules[i].pmu) ||
		    (!strcmp(modules[i].name, "power") && !machine_is("amd-legacy")))
			continue;
		loaded++;
		attr = PERF_ATTR(type_of(modules[i].pmu), 1);
		fd = perf_open(attr, -1, 0, -1);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EWOULDBLOCK, unload_module(modules[i].name));
		close(fd);

		ASSERT_EQ(0, unload_module(modules[i].name));
		EXPECT_EQ(0, type_of(modules[i].pmu));
		EXPECT_EQ(-ENOENT, perf_try(attr, -1, 0, -1, 0));
		ASSERT_EQ(0, load_module(modules[i].file));
		attr.type = type_of(modules[i].pmu);
		ASSERT_NE(0, attr.type);
		fd = perf_open(attr, -1, 0, -1);
		ASSERT_LE(0, fd);
		EXPECT_TRUE(BURNS_UNTIL(perf_count(fd)));
		close(fd);
	}
	if (!loaded)
		SKIP(return, "no such driver is a module here and has found something");
}

/* Events in sysfs */

/* Put a value into the bits of a format such as "config:0-7,32-35". */
static void put_field(struct perf_event_attr *attr, const char *format, __u64 value)
{
	__u64 *word = !strncmp(format, "config1:", 8) ? (__u64 *)&attr->config1 :
		      !strncmp(format, "config2:", 8) ? (__u64 *)&attr->config2 :
							(__u64 *)&attr->config;
	const char *at = strchr(format, ':') + 1;
	int first, last, used;

	while (sscanf(at, "%d%n", &first, &used) == 1) {
		at += used;
		last = first;
		if (sscanf(at, "-%d%n", &last, &used) == 1)
			at += used;
		for (; first <= last; first++, value >>= 1)
			*word |= (value & 1) << first;
		at += *at == ',';
	}
}

/* Parse an event such as "event=0x1,umask=0x2". Returns false without a format. */
static bool parse_event(const char *pmu, char *text, struct perf_event_attr *attr)
{
	char path[512], format[128], *term, *value;

	for (term = strtok(text, ",\n"); term; term = strtok(NULL, ",\n")) {
		value = strchr(term, '=');
		if (value)
			*value++ = 0;
		snprintf(path, sizeof(path), PMU_DIR "%s/format/%s", pmu, term);
		if (file_read(path, format, sizeof(format)) <= 0 || !strchr(format, ':'))
			return false;
		put_field(attr, format, value ? strtoull(value, NULL, 0) : 1);
	}
	return true;
}

/*
 * The PMU "power" of the energy counters is another driver's, and is tried
 * nevertheless.
 */
static bool stands_alone(const char *pmu)
{
	return !strncmp(pmu, "uncore_", 7) || !strncmp(pmu, "amd_", 4) ||
	       !strncmp(pmu, "ibs_", 4) || !strcmp(pmu, "intel_pt") || !strcmp(pmu, "power");
}

/* Returns the number of events that were opened, or -1 if one could not be. */
static int open_events_of(const char *pmu)
{
	struct perf_event_attr attr;
	char path[512], text[256];
	struct dirent *entry;
	int opened = 0, cpu = pmu_reader_cpu(pmu, 0), err;
	DIR *dir;

	snprintf(path, sizeof(path), PMU_DIR "%s/events", pmu);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(path, sizeof(path), PMU_DIR "%s/events/%s", pmu, entry->d_name);
		attr = PERF_ATTR(type_of(pmu), 0);
		err = -EINVAL;
		if (file_read(path, text, sizeof(text)) > 0 && parse_event(pmu, text, &attr))
			err = perf_try(attr, -1, cpu < 0 ? 0 : cpu, -1, 0);
		if (err) {
			ksft_print_msg("%s/%s/: %s\n", pmu, entry->d_name, strerror(-err));
			opened = -1;
			break;
		}
		opened++;
	}
	if (dir)
		closedir(dir);
	return opened;
}

/* Each event that these PMUs have in sysfs can be opened. */
TEST(events_in_sysfs_open)
{
	DIR *dir = opendir(PMU_DIR);
	int opened, events = 0, pmus = 0;
	struct dirent *entry;

	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (!stands_alone(entry->d_name))
			continue;
		pmus++;
		opened = open_events_of(entry->d_name);
		EXPECT_LE(0, opened);
		events += opened;
	}
	closedir(dir);
	if (!pmus)
		SKIP(return, "no PMU of a stand-alone driver");
	ksft_print_msg("%d PMUs, %d events\n", pmus, events);
	if (machine_is("intel-pt") || machine_is("amd-ibs"))
		EXPECT_LT(0, events);
}

/* Processor trace */

#define AUX_PAGES	16

/* A trace that has not come so far after so many tries, or stops, does not go on. */
#define MOST_TRIES	4000
#define MOST_STOPS	100000

/*
 * Where a table has one entry, the interrupt of hardware comes so many bytes before the
 * end of a region at most. If tracing stops there, the driver fills the region with zeros.
 */
#define MOST_PADDING	512

FIXTURE(trace)
{
	struct perf_event_attr attr;
	struct perf_buf buf;
	const volatile __u64 *area;
	size_t size;
	bool pads;
	int fd;
};

FIXTURE_SETUP(trace)
{
	__u32 type = type_of("intel_pt");
	char entries[16];

	if (!type || !machine_is("intel-pt"))
		SKIP(return, "no emulated processor trace");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_LT(0, file_read(PMU_DIR "intel_pt/caps/topa_multiple_entries", entries,
			       sizeof(entries)));
	self->pads = entries[0] == '0';
	self->attr = PERF_ATTR(type, 0, .disabled = 1);
	self->size = AUX_PAGES * sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(trace)
{
}

static void open_trace(struct __test_metadata *_metadata, FIXTURE_DATA(trace) *self, int prot)
{
	self->fd = perf_open(self->attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 8));
	aux_announce(&self->buf, AUX_PAGES);
	self->area = mmap(NULL, self->size, prot, MAP_SHARED, self->fd, self->buf.length);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, perf_enable(self->fd));
}

static __u64 word_at(FIXTURE_DATA(trace) *self, __u64 offset)
{
	return self->area[(offset & (self->size - 1)) / sizeof(__u64)];
}

/* The first position with a number that does not follow the previous one, or @to. */
static __u64 first_gap(FIXTURE_DATA(trace) *self, __u64 from, __u64 to)
{
	for (from += sizeof(__u64); from < to; from += sizeof(__u64)) {
		if (word_at(self, from) != word_at(self, from - sizeof(__u64)) + 1)
			return from;
	}
	return to;
}

/*
 * The position of the zeros with which the driver has filled a region up to @to, or @to. A region
 * is one page or more. No number is taken for padding: only the first one is 0, and begins a page.
 */
static __u64 start_of_padding(FIXTURE_DATA(trace) *self, __u64 from, __u64 to)
{
	__u64 start = to;

	if (!self->pads || to % sysconf(_SC_PAGESIZE))
		return to;
	while (start > from && to - start < MOST_PADDING && !word_at(self, start - sizeof(__u64)))
		start -= sizeof(__u64);
	return start;
}

/*
 * Read three times the size of the area, and if @until_padded until there was padding. Stop the
 * trace after @ns each time: no number is missing or repeated.
 */
static void read_in_order(struct __test_metadata *_metadata, FIXTURE_DATA(trace) *self,
			  __u64 ns, bool until_padded)
{
	__u64 head, end, tail = 0, expected = 0;
	bool padded = false;
	int stops = 0;

	open_trace(_metadata, self, PROT_READ | PROT_WRITE);
	do {
		ASSERT_GT(MOST_STOPS, stops++);
		burn_cpu(ns);
		perf_disable(self->fd);
		head = perf_buf_aux_head(&self->buf);
		end = start_of_padding(self, tail, head);
		padded |= end < head;
		if (tail && tail < end)
			ASSERT_EQ(expected, word_at(self, tail));
		ASSERT_EQ(end, first_gap(self, tail, end));
		if (tail < end)
			expected = word_at(self, end - sizeof(__u64)) + 1;
		tail = head;
		__atomic_store_n(&self->buf.meta->aux_tail, tail, __ATOMIC_RELEASE);
		perf_enable(self->fd);
	} while (tail < 3 * self->size || (until_padded && !padded));
	close(self->fd);
}

TEST_F(trace, all_is_read_in_order)
{
	read_in_order(_metadata, self, NSEC_PER_MSEC / 4, false);
}

/* The interrupts at the end of a piece, half of the area at most, advance the head. */
TEST_F(trace, interrupts_advance_the_head)
{
	__u64 head = 0;
	int tries = 0;

	open_trace(_metadata, self, PROT_READ | PROT_WRITE);
	while (head < self->size / 2) {
		ASSERT_GT(MOST_TRIES, tries++);
		burn_cpu(NSEC_PER_MSEC);
		head = perf_buf_aux_head(&self->buf);
	}
	EXPECT_EQ(head, first_gap(self, 0, head));
	close(self->fd);
}

/* Stops come often: where the driver pads, one is just before the end of a region. */
TEST_F(trace, stops_at_the_end_of_a_region)
{
	read_in_order(_metadata, self, 0, self->pads);
}

/* Mapped read-only, the area is overwritten, as a whole, and has the end of the trace. */
TEST_F(trace, overwrites)
{
	int tries = 0;
	__u64 head;

	open_trace(_metadata, self, PROT_READ);
	burn_cpu(50 * NSEC_PER_MSEC);
	do {
		ASSERT_GT(MOST_TRIES, tries++);
		burn_cpu(NSEC_PER_MSEC);
		perf_disable(self->fd);
		head = perf_buf_aux_head(&self->buf);
		if (head % self->size < self->size / 2)
			perf_enable(self->fd);
	} while (head % self->size < self->size / 2);
	/* From the start of the area to the end of the trace. */
	EXPECT_EQ(head, first_gap(self, head - head % self->size, head));
	close(self->fd);
}

/* A sample of a member has the end of the trace. */
TEST_F(trace, samples_have_a_piece)
{
	struct perf_event_attr attr = HW_CYCLES(.sample_period = 2000000, .exclude_kernel = 1,
						.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_AUX,
						.aux_sample_size = 256);
	static struct perf_buf buf;
	const struct perf_event_header *header;
	int fd, samples = 0, full = 0;
	struct perf_rec rec;
	const __u64 *word;
	size_t n;

	open_trace(_metadata, self, PROT_READ);
	perf_disable(self->fd);
	fd = perf_open(attr, -1, nth_cpu(0), self->fd);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 16));
	ASSERT_EQ(0, perf_enable(self->fd));
	while (full < SAMPLES && samples < 50 * SAMPLES) {
		burn_cpu(NSEC_PER_MSEC);
		while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			samples++;
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			word = rec.aux;
			if (rec.aux_size != 256 || !word[0])
				continue;
			for (n = 1; n < 256 / 8 && word[n] == word[n - 1] + 1; n++)
				;
			ASSERT_EQ(256 / 8, n);
			full++;
		}
	}
	EXPECT_LE(SAMPLES, full);
	close(fd);
	close(self->fd);
}

TEST_F(trace, refusals)
{
	/* A PSB threshold without the capability. */
	self->attr.config = 15 << 24;
	EXPECT_EQ(-EINVAL, perf_try(self->attr, -1, nth_cpu(0), -1, 0));
	self->attr.config = 1 << 12;
	EXPECT_EQ(-EINVAL, perf_try(self->attr, -1, nth_cpu(0), -1, 0));
	self->attr.config = 1 << 10;
	EXPECT_EQ(0, perf_try(self->attr, -1, nth_cpu(0), -1, 0));
}

/* Two ranges of addresses are accepted, a third is refused. */
TEST_F(trace, filters)
{
	int fd = perf_open(self->attr, -1, nth_cpu(0), -1);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
				(unsigned long)"filter 0xffffffff81000000/4096,"
					       "filter 0xffffffff82000000/4096"));
	EXPECT_EQ(-EOPNOTSUPP, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
				(unsigned long)"filter 0xffffffff81000000/4096,"
					       "filter 0xffffffff82000000/4096,"
					       "filter 0xffffffff83000000/4096"));
	close(fd);
}

#else /* !__x86_64__ */

TEST(standalone)
{
	SKIP(return, "x86 only");
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
