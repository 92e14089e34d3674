// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_SAMPLE_READ: the values that read(2) would have returned at the moment of the
 * sample, in every read_format, of single events, in groups, inherited, and after lost
 * records.
 */
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define FORMATS	PERF_FORMAT_MAX

/* The values of a sample, by name. */
struct values {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	struct {
		__u64 value;
		__u64 id;
		__u64 lost;
	} event[8];
};

static void parse_event(const __u64 **at, __u64 format, struct values *v, int i)
{
	v->event[i].value = *(*at)++;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			v->enabled = *(*at)++;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			v->running = *(*at)++;
	}
	if (format & PERF_FORMAT_ID)
		v->event[i].id = *(*at)++;
	if (format & PERF_FORMAT_LOST)
		v->event[i].lost = *(*at)++;
}

/* perf_rec_parse() has checked the size. */
static struct values parse_values(const __u64 *at, __u64 format)
{
	struct values v = { .nr = 1 };
	unsigned int i;

	if (format & PERF_FORMAT_GROUP) {
		v.nr = *at++;
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			v.enabled = *at++;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			v.running = *at++;
	}
	for (i = 0; i < v.nr && i < 8; i++)
		parse_event(&at, format, &v, i);
	return v;
}

static struct perf_event_attr read_attr(__u64 format)
{
	return PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_READ | PERF_SAMPLE_TID |
			    PERF_SAMPLE_ID, .read_format = format);
}

/* The values that read(2) returns, in the same format. */
static struct values read_now(int fd, __u64 format)
{
	__u64 buf[64] = { 0 };

	if (read(fd, buf, sizeof(buf)) < 0)
		memset(buf, 0xff, sizeof(buf));
	return parse_values(buf, format);
}

static void check_times(struct __test_metadata *_metadata, __u64 format,
			const struct values *v, const struct values *later)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED) {
		EXPECT_LT(0, v->enabled);
		EXPECT_LE(v->enabled, later->enabled);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING) {
		EXPECT_LT(0, v->running);
		EXPECT_LE(v->running, later->running);
	}
	if ((format & PERF_ALL_TIMES) == PERF_ALL_TIMES)
		EXPECT_LE(v->running, v->enabled);
}

TEST(every_format_alone)
{
	struct values v, end;
	struct perf_listener l;
	__u64 format;
	int n;

	ASSERT_EQ(0, stay_resident());
	for (format = 0; format < FORMATS; format++) {
		ASSERT_EQ(0, perf_listen_self(&l, read_attr(format)));
		ASSERT_EQ(0, perf_enable(l.fd));
		fault_pages(5);
		ASSERT_EQ(0, perf_disable(l.fd));
		end = read_now(l.fd, format);
		EXPECT_EQ(5, end.event[0].value);
		for (n = 1; perf_listen_of(&l, PERF_RECORD_SAMPLE); n++) {
			v = parse_values(l.rec.read, format);
			EXPECT_EQ(1, v.nr);
			/* The occurrence that caused the sample is counted. */
			EXPECT_EQ(n, v.event[0].value);
			EXPECT_EQ(end.event[0].id, v.event[0].id);
			EXPECT_EQ(0, v.event[0].lost);
			check_times(_metadata, format, &v, &end);
		}
		EXPECT_EQ(6, n);
		EXPECT_EQ(0, perf_listen_end(&l));
	}
}

/*
 * Groups: page faults lead, then faults, a dummy, minor faults. Any member can be the
 * one that samples.
 */
struct group {
	int fd[4];
	struct perf_event_attr attr[4];
	struct perf_buf buf;
};

static void group_open(struct __test_metadata *_metadata, struct group *g,
		       int sampler, __u64 format)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_PAGE_FAULTS_MIN,
	};
	int i;

	for (i = 0; i < 4; i++) {
		g->attr[i] = PERF_ATTR(PERF_TYPE_SOFTWARE, configs[i],
				       .read_format = format,
				       .disabled = i == 0);
		if (i == sampler) {
			g->attr[i].sample_period = 1;
			g->attr[i].sample_type = PERF_SAMPLE_READ;
		}
		g->fd[i] = perf_open(g->attr[i], 0, -1, i ? g->fd[0] : -1);
		ASSERT_LE(0, g->fd[i]);
	}
	ASSERT_EQ(0, perf_buf_map(&g->buf, g->fd[sampler], 8));
}

static void group_close(struct group *g)
{
	int i;

	perf_buf_unmap(&g->buf);
	for (i = 3; i >= 0; i--)
		close(g->fd[i]);
}

/* A member's value at the n-th fault, which includes the fault or not. */
static void check_member(struct __test_metadata *_metadata, struct group *g,
			 const struct values *v, int i, int n, int sampler)
{
	if (v->event[i].id)
		EXPECT_EQ(perf_event_id(g->fd[i]), v->event[i].id);
	if (g->attr[i].config == PERF_COUNT_SW_DUMMY) {
		EXPECT_EQ(0, v->event[i].value);
	} else if (i == sampler) {
		EXPECT_EQ(n, v->event[i].value);
	} else {
		EXPECT_LE(n - 1, v->event[i].value);
		EXPECT_GE(n, v->event[i].value);
	}
}

static void check_group(struct __test_metadata *_metadata, int sampler,
			__u64 format)
{
	const struct perf_event_header *header;
	struct values v, end;
	struct perf_rec rec;
	struct group g;
	unsigned int i;
	int n = 0;

	group_open(_metadata, &g, sampler, format);
	ASSERT_EQ(0, perf_enable(g.fd[0]));
	fault_pages(6);
	ASSERT_EQ(0, perf_disable(g.fd[0]));
	end = read_now(g.fd[sampler], format);
	while ((header = perf_buf_next(&g.buf))) {
		ASSERT_TRUE(perf_rec_parse(&g.attr[sampler], header, &rec));
		v = parse_values(rec.read, format);
		n++;
		ASSERT_EQ(format & PERF_FORMAT_GROUP ? 4 : 1, v.nr);
		if (v.nr == 1)
			EXPECT_EQ(n, v.event[0].value);
		for (i = 0; v.nr > 1 && i < v.nr; i++)
			check_member(_metadata, &g, &v, i, n, sampler);
		check_times(_metadata, format, &v, &end);
	}
	EXPECT_EQ(6, n);
	group_close(&g);
}

TEST(every_format_in_group)
{
	static const int samplers[] = { 0, 1, 3 };
	__u64 format;
	size_t i;

	ASSERT_EQ(0, stay_resident());
	for (format = 0; format < FORMATS; format++)
		for (i = 0; i < ARRAY_SIZE(samplers); i++)
			check_group(_metadata, samplers[i], format);
}

/* A clock in the group of a fault that samples: the sample has its current value. */
TEST(clock_in_group_is_current)
{
	__u64 format = PERF_FORMAT_GROUP, last = 0;
	struct perf_event_attr attr = read_attr(format);
	struct perf_listener l;
	struct values v = {};
	int clock, i, nr = 0;

	ASSERT_EQ(0, perf_listen_self(&l, attr));
	clock = perf_open(PERF_SW(TASK_CLOCK), 0, -1, l.fd);
	ASSERT_LE(0, clock);
	ASSERT_EQ(0, perf_enable(l.fd));
	for (i = 0; i < 5; i++) {
		fault_pages(1);
		burn_cpu(NSEC_PER_MSEC);
	}
	ASSERT_EQ(0, perf_disable(l.fd));
	for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++) {
		v = parse_values(l.rec.read, format);
		ASSERT_EQ(2, v.nr);
		EXPECT_LT(last, v.event[1].value);
		last = v.event[1].value;
	}
	EXPECT_LE(5, nr);
	/* Four of the five pauses were before the last fault. */
	EXPECT_LE(2 * NSEC_PER_MSEC, last);
	EXPECT_GE(perf_count(clock), last);
	EXPECT_EQ(0, perf_listen_end(&l));
	close(clock);
}

/* An inherited copy has the values of its task, not the sum. */
TEST(inherited_values_are_per_task)
{
	__u64 format = PERF_FORMAT_ID | PERF_ALL_TIMES;
	struct perf_event_attr attr = read_attr(format);
	int mine = 0, theirs = 0;
	struct perf_listener l;
	struct values v;
	pid_t pid;

	attr.inherit = 1;
	attr.sample_type |= PERF_SAMPLE_STREAM_ID;
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, perf_listen(&l, attr, 0, nth_cpu(0)));
	ASSERT_EQ(0, perf_enable(l.fd));
	fault_pages(20);
	pid = fork_child();
	if (pid == 0) {
		fault_pages(10);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(l.fd));
	while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
		v = parse_values(l.rec.read, format);
		EXPECT_EQ(l.rec.tid == pid ? ++theirs : ++mine,
			  v.event[0].value);
		EXPECT_EQ(l.rec.id, perf_event_id(l.fd));
		EXPECT_EQ(l.rec.id, v.event[0].id);
		EXPECT_LE(v.running, v.enabled);
	}
	EXPECT_LE(20, mine);
	EXPECT_LE(10, theirs);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* LOST: samples without room, in the sample and in read(2). */
TEST(lost_samples_are_counted)
{
	__u64 format = PERF_FORMAT_LOST;
	struct perf_event_attr attr = read_attr(format);
	struct perf_listener l;
	__u64 written = 0;
	struct values v;

	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, perf_listen_pages(&l, attr, 0, -1, 1));
	ASSERT_EQ(0, perf_enable(l.fd));
	fault_pages(1000);
	ASSERT_EQ(0, perf_disable(l.fd));
	while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
		v = parse_values(l.rec.read, format);
		EXPECT_EQ(0, v.event[0].lost);
		written++;
	}
	EXPECT_LT(0, written);
	EXPECT_GT(1000, written);
	v = read_now(l.fd, format);
	EXPECT_EQ(1000, v.event[0].value);
	EXPECT_EQ(1000 - written, v.event[0].lost);
	ASSERT_EQ(0, perf_enable(l.fd));
	fault_pages(1);
	ASSERT_EQ(0, perf_disable(l.fd));
	ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
	v = parse_values(l.rec.read, format);
	EXPECT_EQ(1001, v.event[0].value);
	EXPECT_EQ(1000 - written, v.event[0].lost);
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST_HARNESS_MAIN
