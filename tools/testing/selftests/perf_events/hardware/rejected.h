/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that rejects the samples of an event and its children. Hardware may write many records
 * until an interrupt, and each must pass the program.
 */
#ifndef PERF_TEST_REJECTED_H
#define PERF_TEST_REJECTED_H

#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* Runs of the program until the child ends. */
#define REJECTED_RUNS	200

/* @work: what the child does again and again; its event is inherited from @attr. */
static inline void expect_rejected(struct __test_metadata *_metadata, struct perf_event_attr attr,
				   void (*work)(void))
{
	static struct perf_buf buf;
	int map, prog, fd;
	pid_t pid;

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr.inherit = 1;
	attr.disabled = 1;
	map = bpf_map_make(BPF_MAP_TYPE_ARRAY, 8, 1);
	ASSERT_LE(0, map);
	prog = bpf_load_counter(map, BPF_PROG_TYPE_PERF_EVENT, 0);
	ASSERT_LE(0, prog);
	fd = perf_open(attr, 0, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	pid = fork_child();
	if (!pid) {
		for (;;)
			work();
	}
	ASSERT_EQ(0, perf_enable(fd));
	EXPECT_TRUE(COMES_TRUE(bpf_map_get(map, 0) >= REJECTED_RUNS));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(NULL, perf_buf_next_of(&buf, PERF_RECORD_SAMPLE));
	close(fd);
	perf_buf_unmap(&buf);
	close(prog);
	close(map);
}

#endif /* PERF_TEST_REJECTED_H */
