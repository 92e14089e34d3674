// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints on memory that the kernel uses for records: the control page and the data
 * of a buffer, and a stack that is copied into samples.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

static struct perf_event_attr breakpoint(volatile void *where, int type,
					 __u64 sample_type)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = type,
			 .bp_addr = (unsigned long)where,
			 .bp_len = HW_BREAKPOINT_LEN_8, .sample_period = 1,
			 .sample_type = sample_type, .disabled = 1,
			 .exclude_kernel = 1, .exclude_hv = 1,
			 .read_format = PERF_FORMAT_LOST);
}

/* The event samples each write to the control page of its own buffer. */
TEST(breakpoint_on_own_buffer)
{
	int faults = perf_open_self(FAULTS()), fd, i;
	struct perf_buf buf, other;

	ASSERT_LE(0, faults);
	ASSERT_EQ(0, perf_buf_map(&other, faults, 1));
	fd = perf_open_self(breakpoint(&other.meta->data_tail,
				       HW_BREAKPOINT_W, PERF_SAMPLE_ADDR));
	if (perf_no_breakpoint(fd))
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	/* Both events write to the buffer with the breakpoint. */
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, faults));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&other);
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < 40; i++) {
		perf_fault(faults, 1);
		perf_buf_set_tail(&other, 0);
	}
	perf_disable(fd);
	EXPECT_EQ(40, perf_counted(fd).value);
	EXPECT_EQ(80, perf_buf_count(&other));
	EXPECT_EQ(0, perf_counted(fd).lost);
	EXPECT_EQ(0, perf_buf_unmap(&other));
	/* The breakpoint is on the address, not on the page. */
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

/* Reads of the data by the program. */
TEST(breakpoint_on_data)
{
	int faults = perf_open_self(FAULTS()), fd, i;
	struct perf_buf buf;
	volatile __u64 *word;

	ASSERT_LE(0, faults);
	ASSERT_EQ(0, perf_buf_map(&buf, faults, 1));
	word = (__u64 *)buf.data;
	fd = perf_open_self(breakpoint(word, HW_BREAKPOINT_RW,
				       PERF_SAMPLE_ADDR | PERF_SAMPLE_ID));
	if (perf_no_breakpoint(fd))
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, faults));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	perf_fault(faults, 1);
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < 25; i++)
		(void)*word;
	perf_disable(fd);
	EXPECT_EQ(25, perf_counted(fd).value);
	/* The kernel writes records through another address. */
	EXPECT_EQ(26, perf_buf_count(&buf));
	EXPECT_TRUE(perf_buf_works(&buf, faults));
}

/*
 * The breakpoint is on a word of the stack, and the sample has a copy of the stack: the
 * next sample is due while one is written.
 */
TEST(breakpoint_in_dumped_stack)
{
	volatile __u64 words[64] = {};
	struct perf_event_attr attr;
	const struct perf_event_header *header;
	struct perf_buf buf;
	struct perf_rec rec;
	int fd, i, samples = 0;

	attr = breakpoint(&words[32], HW_BREAKPOINT_RW, PERF_SAMPLE_ADDR |
			  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr.exclude_kernel = 0;
	attr.sample_regs_user = 1;
	attr.sample_stack_user = 8192;
	fd = perf_open_self(attr);
	if (perf_no_breakpoint(fd))
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	for (i = 0; i < 20; i++) {
		perf_enable(fd);
		words[32] = i;
		perf_disable(fd);
		while ((header = perf_buf_next(&buf))) {
			if (header->type == PERF_RECORD_LOST)
				continue;
			ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			EXPECT_EQ((unsigned long)&words[32], rec.addr);
			samples++;
		}
	}
	EXPECT_FALSE(buf.bad);
	EXPECT_LE(20, samples);
	EXPECT_LE(20, perf_counted(fd).value);
}

TEST_HARNESS_MAIN
