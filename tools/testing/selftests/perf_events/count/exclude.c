// SPDX-License-Identifier: GPL-2.0
/*
 * Each exclude_ bit on each kind of software event. What occurs in the kernel, such as a tracepoint
 * or a kprobe, is not counted with exclude_kernel. Faults and breakpoints of the user are not
 * counted with exclude_user. A system call's tracepoint and a uprobe occur in the user's context.
 */
#include <linux/hw_breakpoint.h>
#include <sys/stat.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#define TIMES	10

enum bit { NONE, USER, KERNEL, HV, IDLE, HOST, GUEST, NR_BITS };

static const char * const bit_names[NR_BITS] = {
	"no bit", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle", "exclude_host",
	"exclude_guest",
};

static void set_bit_of(struct perf_event_attr *attr, enum bit bit)
{
	attr->exclude_user = bit == USER;
	attr->exclude_kernel = bit == KERNEL;
	attr->exclude_hv = bit == HV;
	attr->exclude_idle = bit == IDLE;
	attr->exclude_host = bit == HOST;
	attr->exclude_guest = bit == GUEST;
}

static volatile long watched;

static __attribute__((noinline)) void probed(void)
{
	watched++;
}

static void write_watched(void)
{
	for (int i = 0; i < TIMES; i++)
		watched = i;
}

static void call_probed(void)
{
	for (int i = 0; i < TIMES; i++)
		probed();
}

static void rename_times(void)
{
	rename_self(TIMES);
}

static void call_umask(void)
{
	for (int i = 0; i < TIMES; i++)
		umask(022);
}

static void fault_times(void)
{
	fault_pages(TIMES);
}

static bool faults(struct perf_event_attr *attr)
{
	*attr = PERF_SW(PAGE_FAULTS);
	return true;
}

static bool breakpoint(struct perf_event_attr *attr)
{
	*attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
			  .bp_addr = (unsigned long)&watched, .bp_len = sizeof(watched));
	return !perf_no_breakpoint(perf_try_self(*attr));
}

static bool tracepoint(struct perf_event_attr *attr, const char *name)
{
	long id = tracepoint_id(name);

	*attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id);
	return id >= 0;
}

static bool rename_tracepoint(struct perf_event_attr *attr)
{
	return tracepoint(attr, "task/task_rename");
}

static bool syscall_tracepoint(struct perf_event_attr *attr)
{
	return tracepoint(attr, "syscalls/sys_enter_umask");
}

static bool kprobe(struct perf_event_attr *attr)
{
	static const char symbol[] = SYSCALL_SYMBOL(umask);
	long type = pmu_type("kprobe");

	*attr = PERF_ATTR(type, 0, .kprobe_func = (unsigned long)symbol);
	return type >= 0;
}

static bool uprobe(struct perf_event_attr *attr)
{
	long type = pmu_type("uprobe");

	*attr = PERF_ATTR(type, 0, .uprobe_path = (unsigned long)"/proc/self/exe",
			  .probe_offset = file_offset(probed));
	return type >= 0;
}

FIXTURE(exclude)
{
	struct perf_event_attr attr;
};

/* @without: the bits with which nothing is counted */
FIXTURE_VARIANT(exclude)
{
	bool (*make)(struct perf_event_attr *attr);
	void (*act)(void);
	unsigned int without;
};

FIXTURE_VARIANT_ADD(exclude, faults) {
	.make = faults, .act = fault_times, .without = 1 << USER,
};

FIXTURE_VARIANT_ADD(exclude, breakpoint) {
	.make = breakpoint, .act = write_watched, .without = 1 << USER,
};

FIXTURE_VARIANT_ADD(exclude, tracepoint) {
	.make = rename_tracepoint, .act = rename_times, .without = 1 << KERNEL,
};

FIXTURE_VARIANT_ADD(exclude, tracepoint_of_syscall) {
	.make = syscall_tracepoint, .act = call_umask,
};

FIXTURE_VARIANT_ADD(exclude, kprobe) {
	.make = kprobe, .act = call_umask, .without = 1 << KERNEL,
};

FIXTURE_VARIANT_ADD(exclude, uprobe) {
	.make = uprobe, .act = call_probed,
};

FIXTURE_SETUP(exclude)
{
	if (getuid())
		SKIP(return, "not root");
	if (!variant->make(&self->attr))
		SKIP(return, "no such events");
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(exclude)
{
}

TEST_F(exclude, each_bit)
{
	int fds[NR_BITS];

	for (int bit = 0; bit < NR_BITS; bit++) {
		set_bit_of(&self->attr, bit);
		self->attr.disabled = 1;
		fds[bit] = perf_open_self(self->attr);
		ASSERT_LE(0, fds[bit]) { TH_LOG("%s", bit_names[bit]); }
		perf_enable(fds[bit]);
		variant->act();
		perf_disable(fds[bit]);
		EXPECT_EQ(variant->without & 1 << bit ? 0 : TIMES, perf_count(fds[bit])) {
			TH_LOG("%s", bit_names[bit]);
		}
		close(fds[bit]);
	}
}

/* The bits decide about samples in the same way. */
TEST_F(exclude, samples)
{
	struct perf_listener l;

	for (int bit = 0; bit < NR_BITS; bit++) {
		set_bit_of(&self->attr, bit);
		self->attr.disabled = 1;
		self->attr.sample_period = 1;
		self->attr.sample_type = PERF_SAMPLE_IP;
		ASSERT_EQ(0, perf_listen_self(&l, self->attr)) { TH_LOG("%s", bit_names[bit]); }
		perf_enable(l.fd);
		variant->act();
		perf_disable(l.fd);
		EXPECT_EQ(variant->without & 1 << bit ? 0 : TIMES,
			  perf_listen_count(&l, PERF_RECORD_SAMPLE)) {
			TH_LOG("%s", bit_names[bit]);
		}
		EXPECT_EQ(0, perf_listen_end(&l));
	}
}

TEST_HARNESS_MAIN
