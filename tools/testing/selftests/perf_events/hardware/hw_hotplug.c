// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU goes offline and online many times while all CPUs have more events than
 * counters, half of which sample. Events of other CPUs continue. Its own events keep
 * their counts and do not count again. New events replace them.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define MAX_CPUS	8
#define PER_CPU		16
#define ROUNDS		10

/* The events of a CPU, a buffer for those that sample, and a child that keeps it busy. */
struct cpu_events {
	int cpu;
	int fd[PER_CPU];
	__u64 seen[PER_CPU];
	struct perf_buf buf;
	pid_t busy;
};

FIXTURE(hw_hotplug)
{
	struct cpu_events cpu[MAX_CPUS];
	int nr;		/* the last CPU is taken offline */
};

FIXTURE_SETUP(hw_hotplug)
{
	int victim, cpu;

	self->nr = 0;
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	victim = hotplug_cpu();
	for (cpu = 0; self->nr < MAX_CPUS - 1 && nth_cpu(cpu) >= 0; cpu++)
		if (nth_cpu(cpu) != victim)
			self->cpu[self->nr++].cpu = nth_cpu(cpu);
	if (victim < 0 || !self->nr)
		SKIP(return, "no CPU that can be taken offline");
	self->cpu[self->nr++].cpu = victim;
}

FIXTURE_TEARDOWN_PARENT(hw_hotplug)
{
	int i;

	for (i = 0; i < self->nr; i++)
		if (self->cpu[i].busy > 0)
			kill(self->cpu[i].busy, SIGKILL);
	if (self->nr)
		cpu_set_online(self->cpu[self->nr - 1].cpu, true);
}

static int open_all(struct cpu_events *c)
{
	struct perf_event_attr attr = HW_CYCLES();
	int i;

	for (i = 0; i < PER_CPU; i++) {
		attr.sample_period = i & 1 ? 2000000 : 0;
		attr.sample_type = i & 1 ? PERF_SAMPLE_TID | PERF_SAMPLE_CPU : 0;
		attr.exclude_user = i % 4 == 3;
		c->seen[i] = 0;
		c->fd[i] = perf_open(attr, -1, c->cpu, -1);
		if (c->fd[i] < 0)
			return c->fd[i];
		if (i == 1 && perf_buf_map(&c->buf, c->fd[1], 8))
			return -ENOMEM;
		if (i > 1 && i & 1 && perf_ioctl(c->fd[i], PERF_EVENT_IOC_SET_OUTPUT,
						 c->fd[1]))
			return -EINVAL;
	}
	return 0;
}

static void close_all(struct cpu_events *c)
{
	int i;

	perf_buf_unmap(&c->buf);
	for (i = 0; i < PER_CPU; i++)
		close(c->fd[i]);
}

static void keep_busy(struct cpu_events *c)
{
	/* the child shares the fixture */
	pid_t pid = fork_child();

	if (pid) {
		c->busy = pid;
		return;
	}
	pin_to_cpu(c->cpu);
	for (;;)
		spin_and_call(20);
}

/*
 * Check that no count decreases. Returns true when each has advanced since it last was.
 */
static bool all_advance(struct __test_metadata *_metadata, struct cpu_events *c)
{
	__u64 now[PER_CPU];
	bool all = true;
	int i;

	for (i = 0; i < PER_CPU; i++) {
		now[i] = perf_count(c->fd[i]);
		EXPECT_LE(c->seen[i], now[i]);
		all &= now[i] > c->seen[i];
	}
	if (all)
		memcpy(c->seen, now, sizeof(now));
	return all;
}

static void expect_all_advance(struct __test_metadata *_metadata, struct cpu_events *c)
{
	EXPECT_TRUE(COMES_TRUE(all_advance(_metadata, c))) {
		TH_LOG("events of CPU %d do not count", c->cpu);
	}
}

/*
 * Check that events of another CPU are not disturbed: one continues to run, one counts
 * each fault.
 */
static void expect_nothing_missed(struct __test_metadata *_metadata, int pinned,
				  __u64 waited, int faults)
{
	struct perf_timed t = perf_timed_count(pinned);
	__u64 before = perf_count(faults);

	EXPECT_LT(0, t.value);
	EXPECT_EQ(waited, t.enabled - t.running);
	fault_pages(20);
	EXPECT_LE(before + 20, perf_count(faults));
}

static __u64 samples_in(struct __test_metadata *_metadata, struct cpu_events *c)
{
	const struct perf_event_header *header;
	__u64 nr = 0;

	while ((header = perf_buf_next(&c->buf))) {
		const __u32 *ids = (const void *)(header + 1);

		ASSERT_LE(sizeof(*header), header->size);
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		/* pid, tid, CPU */
		EXPECT_EQ(c->cpu, ids[2]);
		nr++;
	}
	return nr;
}

/* Check that the events of a CPU that was offline do not change. */
static void expect_frozen(struct __test_metadata *_metadata, struct cpu_events *c,
			  const __u64 *frozen)
{
	int i;

	for (i = 0; i < PER_CPU; i++)
		EXPECT_EQ(frozen[i], perf_count(c->fd[i]));
}

TEST_F_TIMEOUT(hw_hotplug, again_and_again_under_load, 1500)
{
	struct cpu_events *victim = &self->cpu[self->nr - 1], *home = &self->cpu[0];
	struct perf_event_attr attr = HW_CYCLES(.pinned = 1, .read_format = PERF_ALL_TIMES);
	__u64 frozen[PER_CPU];
	int pinned, faults, round, i;
	struct perf_timed t;

	ASSERT_EQ(0, pin_to_cpu(home->cpu));
	pinned = perf_open(attr, -1, home->cpu, -1);
	faults = perf_open(PERF_SW(PAGE_FAULTS), -1, home->cpu, -1);
	ASSERT_LE(0, pinned);
	ASSERT_LE(0, faults);
	t = perf_timed_count(pinned);
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, open_all(&self->cpu[i]));
		keep_busy(&self->cpu[i]);
	}
	for (round = 0; round < ROUNDS; round++) {
		expect_all_advance(_metadata, victim);
		EXPECT_TRUE(COMES_TRUE(samples_in(_metadata, victim)));
		ASSERT_EQ(0, cpu_set_online(victim->cpu, false));
		for (i = 0; i < PER_CPU; i++)
			frozen[i] = perf_count(victim->fd[i]);
		for (i = 0; i < self->nr - 1; i++)
			expect_all_advance(_metadata, &self->cpu[i]);
		ASSERT_EQ(0, cpu_set_online(victim->cpu, true));
		pin_pid_to_cpu(victim->busy, victim->cpu);
		expect_nothing_missed(_metadata, pinned, t.enabled - t.running, faults);
		expect_frozen(_metadata, victim, frozen);
		samples_in(_metadata, victim);
		close_all(victim);
		ASSERT_EQ(0, open_all(victim));
	}
	EXPECT_TRUE(COMES_TRUE(samples_in(_metadata, home)));
}

TEST_HARNESS_MAIN
