// SPDX-License-Identifier: GPL-2.0
/*
 * sample_id_all: every record that is not a sample ends with the task, the time, the
 * CPU and the event, as sample_type selects. The records themselves are tested
 * elsewhere. Here it is their size and the trailer's values.
 */
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define ID_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |	\
			 PERF_SAMPLE_IDENTIFIER)

/* All records that a task can cause about itself. */
static struct perf_event_attr attr_of(__u64 type)
{
	return PERF_SW(DUMMY, .sample_type = type, .sample_id_all = 1,
		       .disabled = 1, .mmap = 1, .mmap_data = 1, .comm = 1,
		       .task = 1, .context_switch = 1, .namespaces = 1,
		       .use_clockid = 1, .clockid = CLOCK_MONOTONIC);
}

static void make_records(void)
{
	pid_t pid;

	prctl(PR_SET_NAME, "sample_id_all");
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	       4096);
	sleep_ms(1);
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	unshare(CLONE_NEWUTS);
}

/* The bytes of a record of this task without a trailer, or 0 if unknown. */
static unsigned int body_size(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return 8 + 4 * 4 + 8;
	case PERF_RECORD_COMM:
		/* "sample_id_all" and its NUL. */
		return 8 + 8 + 16;
	case PERF_RECORD_MMAP:
		/* "//anon" and its NUL. */
		return 8 + 8 + 3 * 8 + 8;
	case PERF_RECORD_SWITCH:
		return 8;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return 8 + 8;
	case PERF_RECORD_NAMESPACES:
		return 8 + 8 + 8 + NR_NAMESPACES * 16;
	default:
		return 0;
	}
}

static void check_trailer(struct __test_metadata *_metadata,
			  struct perf_listener *l, __u64 start, __u64 end)
{
	__u64 type = l->attr.sample_type, id = perf_event_id(l->fd);
	const struct perf_rec *rec = &l->rec;

	if (type & PERF_SAMPLE_TID)
		EXPECT_EQ(getpid(), rec->pid);
	if (type & PERF_SAMPLE_TID)
		EXPECT_EQ(gettid(), rec->tid);
	if (type & PERF_SAMPLE_TIME) {
		EXPECT_LE(start, rec->time + 20000);
		EXPECT_LE(rec->time, end + 20000);
	}
	if (type & PERF_SAMPLE_ID)
		EXPECT_EQ(id, rec->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		EXPECT_EQ(id, rec->stream_id);
	if (type & PERF_SAMPLE_CPU)
		EXPECT_EQ(nth_cpu(0), rec->cpu);
	if (type & PERF_SAMPLE_IDENTIFIER)
		EXPECT_EQ(id, rec->identifier);
}

static const __u32 own_types[] = {
	PERF_RECORD_MMAP, PERF_RECORD_COMM, PERF_RECORD_FORK,
	PERF_RECORD_SWITCH, PERF_RECORD_NAMESPACES,
};

static void check_fields(struct __test_metadata *_metadata,
			 struct perf_listener *l, struct perf_event_attr attr)
{
	unsigned int seen = 0;
	__u64 start, end;
	size_t i;

	ASSERT_EQ(0, perf_listen_self(l, attr));
	start = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, perf_enable(l->fd));
	make_records();
	ASSERT_EQ(0, perf_disable(l->fd));
	end = clock_ns(CLOCK_MONOTONIC);
	while (perf_listen_next(l)) {
		EXPECT_EQ(body_size(l->header), l->header->size -
			  8 * perf_id_words(&attr)) {
			TH_LOG("type %u, sample_type %#llx", l->header->type,
			       attr.sample_type);
		}
		seen |= 1U << l->header->type;
		check_trailer(_metadata, l, start, end);
	}
	for (i = 0; i < ARRAY_SIZE(own_types); i++)
		EXPECT_TRUE(seen & (1U << own_types[i])) {
			TH_LOG("no record of type %u", own_types[i]);
		}
	EXPECT_EQ(0, perf_listen_end(l));
}

FIXTURE(id_all)
{
	struct perf_listener l;
};

FIXTURE_SETUP(id_all)
{
	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(id_all)
{
}

/* Every combination of the fields that the trailer has. */
TEST_F(id_all, every_combination)
{
	__u64 subset = 0;

	do {
		check_fields(_metadata, &self->l, attr_of(subset));
		subset = (subset - ID_FIELDS) & ID_FIELDS;
	} while (subset);
}

/* The trailer has no other fields of a sample. */
TEST_F(id_all, other_fields_add_nothing)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_TID |
		PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_READ | PERF_SAMPLE_RAW |
		PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_CGROUP);

	check_fields(_metadata, &self->l, attr);
}

TEST_F(id_all, off)
{
	struct perf_event_attr attr = attr_of(0);

	check_fields(_metadata, &self->l, attr);
	attr.sample_id_all = 0;
	check_fields(_metadata, &self->l, attr);
}

/* Without the bit there is no trailer, with any sample_type. */
TEST_F(id_all, off_with_fields)
{
	struct perf_event_attr attr = attr_of(ID_FIELDS);

	attr.sample_id_all = 0;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	make_records();
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_next(&self->l))
		EXPECT_EQ(body_size(self->l.header), self->l.header->size);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Records about the event itself: lost samples, and throttling. */
TEST_F(id_all, lost)
{
	struct perf_event_attr attr = PERF_SAMPLED(PAGE_FAULTS, ID_FIELDS,
						   .sample_id_all = 1);
	int nr = 0;

	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, perf_listen_pages(&self->l, attr, 0, -1, 1));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(500);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	perf_buf_drop(&self->l.buf);
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(1);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_next(&self->l)) {
		if (self->l.header->type != PERF_RECORD_LOST)
			continue;
		EXPECT_EQ(8 + 16 + 6 * 8, self->l.header->size);
		EXPECT_EQ(perf_event_id(self->l.fd), self->l.rec.identifier);
		EXPECT_EQ(getpid(), self->l.rec.pid);
		nr++;
	}
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Records about another task: the trailer has the task that caused the record. */
TEST_F(id_all, trailer_is_of_current)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .sample_type =
		PERF_SAMPLE_TID | PERF_SAMPLE_CPU, .sample_id_all = 1,
		.task = 1, .comm = 1);
	int forks = 0, exits = 0;
	pid_t pid;

	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, nth_cpu(0)));
	pid = fork_child();
	if (pid == 0)
		_exit(0);
	ASSERT_EQ(0, wait_status(pid));
	while (perf_listen_next(&self->l)) {
		const __u32 *task = perf_listen_body(&self->l);

		EXPECT_EQ(nth_cpu(0), self->l.rec.cpu);
		if (self->l.header->type == PERF_RECORD_FORK && task[0] == pid) {
			EXPECT_EQ(getpid(), self->l.rec.pid);
			forks++;
		}
		if (self->l.header->type == PERF_RECORD_EXIT && task[0] == pid) {
			EXPECT_EQ(pid, self->l.rec.pid);
			exits++;
		}
	}
	EXPECT_EQ(1, forks);
	EXPECT_EQ(1, exits);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
