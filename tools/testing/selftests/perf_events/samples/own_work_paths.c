// SPDX-License-Identifier: GPL-2.0
/*
 * An event on the path of what the subsystem does on its own behalf, besides what a sample causes
 * at once (own_work.c): timers, work items, records of throttling, patching of code.
 *
 * A child on one CPU makes rounds, in which that work is done, or it comes by time. Events on its
 * path wake readers and send signals for each sample. The test, on another CPU, waits until the
 * child has made some rounds, and the work was done. Where a sample makes the work happen again
 * without end, the CPU of the child never leaves it.
 */
#include <sys/utsname.h>

#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/cgroup.h"
#include "../lib/fake_pmu.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/own_work.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

/* Buffers of more pages than 256 are freed by work items. */
#define MANY_PAGES	512
#define MANY_ROUNDS	50

#define AUX_PAGES	4

/* More than any PMU has counters */
#define CROWD		20

/* At this rate one percent of the time is 100 ns for each interrupt. */
#define HIGH_RATE	100000
#define PERIOD		20000	/* cycles */

/* The state of the child */
struct child {
	int cpu;
	int events[2];	/* on the path; -1 if there is no second one */
	int calls;	/* counts calls of the function that does the work, or is events[0] */
	int subject;	/* the event of the rounds */
	unsigned long nr_calls;
	char group[PATH_MAX];
};

FIXTURE(own_work_paths)
{
	struct own_work_seen *seen;
	int cpu;
	long rate, percent;
	bool grouped;
	char group[2][PATH_MAX];
};

/*
 * Of a variant:
 *
 * @attr: Fills in the type of the event on the path and what goes with it. Returns -ENODEV on a
 *	machine that has no such event.
 * @also: The same of a second event.
 * @work: The function that does the work.
 * @stock: The function that does it on the stock kernel. Without both, what @attr counts is the
 *	work.
 * @begin: Prepares the work. Returns a negative errno; -ENODEV on a machine that cannot do it.
 * @round: Makes the work happen, or a part of it. NULL if it comes by time.
 * @needs: What a machine has on which the variant is not skipped.
 * @rounds: The number of rounds to wait for; 0 for the default.
 * @calls: The number of times to wait for that the work was done.
 * @task: The event counts the child, which gets SIGTRAP for each sample. Else it is of its CPU.
 * @exact: The event counts each round once.
 * @moved: The test moves the child between two cgroups.
 * @stock_hangs: On the stock kernel the CPU is lost.
 */
FIXTURE_VARIANT(own_work_paths)
{
	int (*attr)(struct perf_event_attr *attr);
	int (*also)(struct perf_event_attr *attr);
	const char *work;
	const char *stock;
	int (*begin)(struct child *child);
	int (*round)(struct child *child);
	const char *needs;
	unsigned long rounds;
	unsigned long calls;
	bool task;
	bool exact;
	bool moved;
	bool stock_hangs;
};

/* Postponed wakeups, samples of clocks and rotation: each is a timer of the CPU. */
static int on_timers(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "timer/hrtimer_expire_entry");
}

/* The wakeups of an event at the end of an interrupt are postponed. In threads they are not. */
static int begin_interrupts(struct child *child)
{
	struct utsname name;

	return uname(&name) ? -errno : strstr(name.version, "PREEMPT_RT") ? -ENODEV : 0;
}

FIXTURE_VARIANT_ADD(own_work_paths, postponed)
{
	.attr = on_timers, .also = own_work_on_end, .work = "perf_wake_timer",
	.begin = begin_interrupts, .calls = 50, .needs = "irq_works in interrupts",
	.stock_hangs = true,
};

/* The highest frequency that a user may have */
static int begin_clock(struct child *child)
{
	long rate;
	int err = file_read_long(SAMPLE_RATE, &rate);

	if (err)
		return err;
	child->subject = perf_open_self(PERF_SW(CPU_CLOCK, .freq = 1, .sample_freq = rate,
						.sample_type = PERF_SAMPLE_IP));
	return child->subject;
}

FIXTURE_VARIANT_ADD(own_work_paths, clock)
{
	.attr = on_timers, .work = "perf_clock_timer_fire", .stock = "perf_swevent_hrtimer",
	.begin = begin_clock, .calls = 1000, .needs = "the tracepoint",
};

/* Some events wait for a counter, in turn. */
static int begin_rotation(struct child *child)
{
	struct perf_event_attr attr = HW_CYCLES();
	int i, fd;

	if (!access(FAKE_DEVICE, F_OK) && !fake_prepare())
		attr = fake_attr("ns");
	for (i = 0; i < CROWD; i++) {
		fd = perf_open(attr, -1, child->cpu, -1);
		if (fd < 0)
			return i ? fd : -ENODEV;
	}
	return 0;
}

FIXTURE_VARIANT_ADD(own_work_paths, rotation)
{
	.attr = on_timers, .work = "perf_rotate_tick", .stock = "perf_mux_hrtimer_handler",
	.begin = begin_rotation, .calls = 10, .needs = "a PMU with counters",
};

/* Records that are no samples are written with it. */
static int on_records(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "perf_output_begin");
}

/* A clock that may take one sample in each tick has some periods in it. */
static int begin_throttling(struct child *child)
{
	static struct perf_buf buf;
	/* a limit of the time of 0 or 100 percent does not let the rate be changed */
	int err = file_write_long(CPU_TIME, 50) ?: file_write_long(SAMPLE_RATE, 1);

	if (err)
		return err;
	child->subject = perf_open_self(PERF_SW(CPU_CLOCK, .sample_period = 100000,
						.sample_type = PERF_SAMPLE_IP,
						.wakeup_events = 1));
	if (child->subject < 0)
		return child->subject;
	err = own_work_map(&buf, child->subject);
	return err ?: own_work_async(child->subject);
}

FIXTURE_VARIANT_ADD(own_work_paths, throttling)
{
	.attr = on_records, .work = "perf_sideband_throttle", .begin = begin_throttling,
	.calls = 20, .needs = "probes of the subsystem",
};

static int on_limits(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "perf/perf_event_rate_limit");
}

/* Some emulated counters raise no interrupt. */
static int begin_limits(struct child *child)
{
	static struct perf_buf buf;
	int err = file_write_long(CPU_TIME, 50) ?: file_write_long(SAMPLE_RATE, HIGH_RATE);

	if (err)
		return err;
	if (no_pmu())
		return -ENODEV;
	child->subject = perf_open_self(HW_CYCLES(.sample_period = PERIOD,
						  .sample_type = PERF_SAMPLE_IP));
	if (child->subject < 0)
		return child->subject == -EOPNOTSUPP ? -ENODEV : child->subject;
	err = own_work_map(&buf, child->subject);
	while (!err && perf_count(child->subject) < 100 * PERIOD)
		spin(PERIOD);
	/* The interrupt of an emulated counter may come late. */
	for (int ms = 0; !err && !perf_buf_head(&buf) && ms < 1000; ms++)
		burn_cpu(NSEC_PER_MSEC);
	return err ?: perf_buf_head(&buf) ? 0 : -ENODEV;
}

/* The limit is lowered while interrupts may take one percent of the time, and raised at 99. */
static int change_limit(struct child *child)
{
	spin(PERIOD);
	return file_write_long(CPU_TIME, child->nr_calls % 2 ? 99 : 1);
}

FIXTURE_VARIANT_ADD(own_work_paths, lowered_rate)
{
	.attr = on_limits, .work = "perf_rate_report", .begin = begin_limits,
	.round = change_limit, .calls = 3, .needs = "the tracepoint, and a PMU that samples",
};

static int on_refusals(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "perf/perf_event_refused");
}

static int be_refused(struct child *child)
{
	int err = perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_MAX));

	return err == -ENOENT ? 0 : -EINVAL;
}

FIXTURE_VARIANT_ADD(own_work_paths, refusal)
{
	.attr = on_refusals, .round = be_refused, .task = true, .exact = true,
	.needs = "the tracepoint",
};

static int on_items(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "workqueue/workqueue_execute_start");
}

static int on_queueing(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "workqueue/workqueue_queue_work");
}

static int begin_mapping(struct child *child)
{
	child->subject = perf_open_self(PERF_SW(DUMMY));
	return child->subject;
}

static int map_and_unmap(struct child *child)
{
	static struct perf_buf buf;

	return perf_buf_map(&buf, child->subject, MANY_PAGES) ?: perf_buf_unmap(&buf);
}

FIXTURE_VARIANT_ADD(own_work_paths, memory)
{
	.attr = on_items, .also = on_queueing, .work = "perf_rb_free_work",
	.begin = begin_mapping, .round = map_and_unmap, .rounds = MANY_ROUNDS, .calls = 10,
	.needs = "work items that free buffers",
};

/* What was traced until the area is unmapped is recorded with it. */
static int on_ends(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "perf_aux_output_end");
}

static int begin_aux(struct child *child)
{
	static const char * const pmus[] = { "fake_trace", "intel_bts", "intel_pt" };
	struct perf_event_attr attr = PERF_ATTR(0, 0);
	size_t i;
	long type;

	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		type = pmu_type(pmus[i]);
		attr.type = type;
		child->subject = type < 0 ? -ENODEV : perf_open_self(attr);
		if (child->subject >= 0)
			return 0;
	}
	return -ENODEV;
}

/* The source runs while its area is mapped. */
static int trace_and_unmap(struct child *child)
{
	static struct aux_area area;
	int err = aux_map(&area, child->subject, AUX_PAGES, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	munmap(area.bytes, area.size);
	return perf_buf_unmap(&area.buf);
}

FIXTURE_VARIANT_ADD(own_work_paths, aux)
{
	.attr = on_ends, .also = on_items, .begin = begin_aux, .round = trace_and_unmap,
	.calls = OWN_WORK_ROUNDS, .needs = "probes of the subsystem, and a PMU with an AUX area",
};

/* The work itself. A sample of it must not make another look. */
static int on_looks(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "perf_cgroup_look");
}

static int begin_moves(struct child *child)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int dir = open(child->group, O_RDONLY | O_DIRECTORY);

	child->subject = perf_raw_open(&attr, dir, child->cpu, -1, PERF_FLAG_PID_CGROUP);
	return child->subject;
}

FIXTURE_VARIANT_ADD(own_work_paths, cgroup)
{
	.attr = own_work_on_remote, .also = on_looks, .work = "perf_cgroup_look",
	.begin = begin_moves, .moved = true, .calls = 50,
	.needs = "irq_works that look at cgroups",
};

/* Of the first event of an id, which is the first one again when the key has been released. */
static int on_first(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "static_key_slow_inc");
}

static int on_release(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "jump_label_update_timeout");
}

/* No code depends on the key of this id, except on a few architectures: none is patched. */
static int open_and_close(struct child *child)
{
	return perf_try_self(PERF_SW(EMULATION_FAULTS));
}

FIXTURE_VARIANT_ADD(own_work_paths, static_key)
{
	.attr = on_first, .also = on_release, .round = open_and_close, .calls = 2,
	.needs = "static keys",
};

/* The second group is left empty if there are none. */
static int make_groups(FIXTURE_DATA(own_work_paths) *self)
{
	int err = cgroup_make("perf_own_work_a", self->group[0], PATH_MAX);

	self->grouped = !err;
	return err ?: cgroup_make("perf_own_work_b", self->group[1], PATH_MAX);
}

FIXTURE_SETUP(own_work_paths)
{
	const char *reason;
	int err;

	self->cpu = nth_cpu(1);
	reason = own_work_skip(self->cpu, variant->stock_hangs);
	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_FALSE(*own_work_cpu_lost);
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate));
	ASSERT_EQ(0, file_read_long(CPU_TIME, &self->percent));
	err = variant->moved ? make_groups(self) : 0;
	if (err == -ENOENT)
		SKIP(return, "needs %s", variant->needs);
	ASSERT_EQ(0, err);
	self->seen = own_work_seen_new();
	ASSERT_NE(NULL, self->seen);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN_PARENT(own_work_paths)
{
	long rate;

	if (!self->rate)
		return;
	if (!file_read_long(SAMPLE_RATE, &rate) && rate != self->rate)
		EXPECT_EQ(0, file_write_long(SAMPLE_RATE, self->rate));
	file_write_long(CPU_TIME, self->percent);
	if (self->grouped && !*own_work_cpu_lost) {
		cgroup_remove(self->group[0]);
		cgroup_remove(self->group[1]);
	}
}

/* An event on the path, disabled. Its samples wake readers and send signals. */
static int open_on_path(const FIXTURE_VARIANT(own_work_paths) *variant, struct child *child, int nr)
{
	static struct perf_buf buf[2];
	struct perf_event_attr attr = own_work_attr(variant->task);
	int err = nr ? variant->also(&attr) : variant->attr(&attr);
	int fd;

	if (err)
		return err;
	fd = perf_open(attr, variant->task ? 0 : -1, variant->task ? -1 : child->cpu, -1);
	/* the stock kernel refuses probes of its functions for events */
	if (fd == -EINVAL && attr.type != PERF_TYPE_TRACEPOINT && perf_is_stock())
		return -ENODEV;
	if (fd < 0)
		return fd;
	err = own_work_map(&buf[nr], fd) ?: own_work_async(fd);
	child->events[nr] = fd;
	return err;
}

/* Count the calls of the function that does the work. */
static int open_calls(const FIXTURE_VARIANT(own_work_paths) *variant, struct child *child)
{
	struct perf_event_attr attr = PERF_ATTR(0, 0);
	const char *work = perf_is_stock() ? variant->stock : variant->work;
	int err;

	child->calls = child->events[0];
	if (!variant->work)
		return 0;
	if (!work)
		return -ENODEV;
	err = own_work_kprobe(&attr, work);
	if (err)
		return err;
	child->calls = perf_open(attr, -1, child->cpu, -1);
	return child->calls < 0 ? child->calls : 0;
}

static int set_up(const FIXTURE_VARIANT(own_work_paths) *variant, struct child *child)
{
	int err = open_on_path(variant, child, 0);

	child->events[1] = -1;
	if (!err && variant->also)
		err = open_on_path(variant, child, 1);
	if (!err)
		err = open_calls(variant, child);
	if (!err && variant->begin)
		err = variant->begin(child);
	return err < 0 ? err : 0;
}

static void make_rounds(const FIXTURE_VARIANT(own_work_paths) *variant, struct own_work_seen *seen,
			struct child *child)
{
	int i;

	own_work_enter(child->cpu);
	seen->err = set_up(variant, child);
	for (i = 1; i >= 0 && !seen->err; i--)
		if (child->events[i] >= 0)
			seen->err = perf_enable(child->events[i]);
	while (!seen->err && rounds_go_on(&seen->rounds)) {
		if (variant->round)
			seen->err = variant->round(child);
		child->nr_calls = perf_count(child->calls);
		atomic_store(&seen->calls, child->nr_calls);
		rounds_add(&seen->rounds);
	}
	if (seen->err)
		_exit(0);
	for (i = 0; i < 2; i++)
		if (child->events[i] >= 0)
			perf_disable(child->events[i]);
	own_work_note(seen, child->events[0]);
	_exit(0);
}

/* The child has made its rounds, and the work was done. Moves it now and then, if need be. */
static bool has_ended(const FIXTURE_VARIANT(own_work_paths) *variant,
		      FIXTURE_DATA(own_work_paths) *self, pid_t pid)
{
	static int moves;

	if (self->seen->err)
		return true;
	if (variant->moved && moves++ % 8 == 0)
		cgroup_enter(self->group[moves / 8 % 2], pid);
	return atomic_load(&self->seen->rounds.done) >= (variant->rounds ?: OWN_WORK_ROUNDS) &&
	       atomic_load(&self->seen->calls) >= variant->calls;
}

TEST_F(own_work_paths, ends)
{
	struct own_work_seen *seen = self->seen;
	struct child child = { .cpu = self->cpu };
	unsigned long rounds, calls;
	pid_t pid;

	snprintf(child.group, sizeof(child.group), "%s", self->group[0]);
	pid = fork_child();
	if (pid == 0)
		make_rounds(variant, seen, &child);
	ASSERT_TRUE(COMES_TRUE(has_ended(variant, self, pid))) {
		rounds = atomic_load(&seen->rounds.done);
		calls = atomic_load(&seen->calls);
		*own_work_cpu_lost = !COMES_TRUE(atomic_load(&seen->rounds.done) != rounds);
		TH_LOG("CPU %d %s after %lu rounds, %lu times the work", self->cpu,
		       *own_work_cpu_lost ? "makes no progress" : "goes on", rounds, calls);
	}
	rounds_stop(&seen->rounds);
	ASSERT_EQ(0, wait_status(pid));
	if (seen->err == -ENODEV)
		SKIP(return, "needs %s", variant->needs);
	ASSERT_EQ(0, seen->err);
	rounds = atomic_load(&seen->rounds.done);
	EXPECT_LE(variant->rounds ?: OWN_WORK_ROUNDS, rounds);
	EXPECT_LT(0, seen->count);
	EXPECT_LT(0, seen->ios);
	if (variant->exact)
		EXPECT_EQ(rounds, seen->count);
	if (variant->task)
		EXPECT_EQ(rounds, seen->traps);
}

OWN_WORK_MAIN
