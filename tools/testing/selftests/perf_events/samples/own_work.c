// SPDX-License-Identifier: GPL-2.0
/*
 * An event on the path of what its own sample causes (a wakeup, a signal, the disabling of the
 * event) must not make that happen again without end.
 *
 * A child on one CPU makes rounds with such an event. The test, on another CPU, waits until it has
 * made some. Where the work is not closed to events, the CPU of the child never leaves it.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/own_work.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"
#include "../lib/user.h"

/* seen->err: there are functions for the event, and none of them was hit */
#define NEVER_HIT	(-ESRCH)

/* Other signals are of other programs: of a timer that expires in an interrupt of the child. */
#define OUR_SIGNALS	"sig==10 || sig==29 || sig==5"	/* SIGUSR1, SIGIO, SIGTRAP */

FIXTURE(own_work)
{
	struct own_work_seen *seen;
	int cpu;
	long paranoid;
};

/*
 * Of a variant:
 *
 * @attr: Fills in the type of the event and what goes with it. Returns -ENODEV on a machine that
 *	has no such event.
 * @user: The child is a user without capabilities, and counts itself.
 * @task: The child counts itself. Else the event is of its CPU.
 * @async: The child's process group gets SIGIO for each sample.
 * @sigtrap: The child gets SIGTRAP for each sample.
 * @refresh: Each sample disables the event, and each round enables it.
 * @buffer: Each sample wakes the readers of the buffer, which is overwritten.
 * @output: A BPF program writes to a second event, in place of samples.
 * @starter: The same as @attr of a second event, which makes an irq_work of each round.
 * @ignored: The child ignores SIGTRAP.
 * @exact: The event counts each round once.
 * @hidden: The event does not count, because the child does what it counts only where it does the
 *	subsystem's work.
 * @stock_hangs: On the stock kernel the CPU is lost.
 */
FIXTURE_VARIANT(own_work)
{
	int (*attr)(struct perf_event_attr *attr);
	bool user;
	bool task;
	bool async;
	bool sigtrap;
	bool refresh;
	bool buffer;
	bool output;
	int (*starter)(struct perf_event_attr *attr);
	bool ignored;
	bool exact;
	bool hidden;
	bool stock_hangs;
};

static int on_signals(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "signal/signal_generate");
}

/* With interrupts enabled: its wakeups are not postponed. */
static int on_calls(struct perf_event_attr *attr)
{
	return own_work_tracepoint(attr, "raw_syscalls/sys_enter");
}

/* Waking the readers of a buffer takes one. Elsewhere the function is inlined. */
static int on_locks(struct perf_event_attr *attr)
{
#ifdef __x86_64__
	return own_work_kprobe(attr, "_raw_spin_lock_irqsave");
#else
	return -ENODEV;
#endif
}

/* SIGIO is sent with it, and nothing else. */
static int on_sending(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "kill_fasync");
}

/*
 * The irq_work of signals, before its mark. It is queued after the one that disables, and done
 * before that, because the last one is done first.
 */
static int on_pending_wake(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "perf_event_pending_wake");
}

/* The loop of task work calls it after each. */
static int on_reschedule(struct perf_event_attr *attr)
{
	return own_work_kprobe(attr, "__cond_resched");
}

static int breakpoint(struct perf_event_attr *attr, const char *symbol, int type, int len)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_addr = kernel_symbol(symbol);
	attr->bp_type = type;
	attr->bp_len = len;
	/* variables are listed with CONFIG_KALLSYMS_ALL only */
	return attr->bp_addr ? 0 : -ENODEV;
}

/*
 * Return: whether a signal to the own group makes the event occur, or a negative errno. The event
 * is of the CPU, to which the task is bound: arm64 has no breakpoints of tasks in the kernel.
 */
static int is_hit(struct perf_event_attr attr)
{
	int fd, hit;

	attr.disabled = 0;
	attr.sample_period = 0;
	fd = perf_open(attr, -1, sched_getcpu(), -1);
	if (fd < 0)
		return fd;
	kill(0, SIGUSR1);
	hit = perf_count(fd) > 0;
	close(fd);
	return hit;
}

/*
 * SIGIO is sent with each of these functions, and kill(2) too, but the compiler may put one of them
 * into its callers: the first one that is hit.
 */
static int at_sending(struct perf_event_attr *attr)
{
	static const char * const functions[] = {
		"__send_signal_locked", "send_signal_locked", "do_send_sig_info",
	};
	int found = -ENODEV, hit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (breakpoint(attr, functions[i], HW_BREAKPOINT_X, sizeof(long)))
			continue;
		hit = is_hit(*attr);
		if (hit)
			return hit < 0 ? hit : 0;
		found = NEVER_HIT;
	}
	return found;
}

FIXTURE_VARIANT_ADD(own_work, signal)
{
	.attr = on_signals, .user = true, .async = true, .exact = true,
};

FIXTURE_VARIANT_ADD(own_work, trap)
{
	.attr = on_signals, .user = true, .sigtrap = true, .exact = true,
};

FIXTURE_VARIANT_ADD(own_work, trap_ignored)
{
	.attr = on_reschedule, .task = true, .sigtrap = true, .ignored = true,
	.stock_hangs = true,
};

FIXTURE_VARIANT_ADD(own_work, disabling)
{
	.attr = on_signals, .user = true, .async = true, .refresh = true, .exact = true,
};

FIXTURE_VARIANT_ADD(own_work, disabling_is_pending)
{
	.attr = on_pending_wake, .async = true, .starter = on_calls, .refresh = true,
	.exact = true,
};

FIXTURE_VARIANT_ADD(own_work, lock)
{
	.attr = on_locks, .buffer = true,
};

FIXTURE_VARIANT_ADD(own_work, probe)
{
	.attr = on_sending, .task = true, .async = true, .starter = on_signals, .hidden = true,
};

FIXTURE_VARIANT_ADD(own_work, begin_of_the_interrupt)
{
	.attr = own_work_on_begin, .buffer = true, .starter = on_signals,
};

FIXTURE_VARIANT_ADD(own_work, end_of_the_interrupt)
{
	.attr = own_work_on_end, .buffer = true, .starter = on_signals,
	.stock_hangs = true,
};

FIXTURE_VARIANT_ADD(own_work, breakpoint)
{
	.attr = at_sending, .async = true,
};

FIXTURE_VARIANT_ADD(own_work, program)
{
	.attr = on_sending, .task = true, .output = true, .async = true, .starter = on_signals,
	.hidden = true,
};

FIXTURE_SETUP(own_work)
{
	const char *reason;

	self->cpu = nth_cpu(1);
	reason = own_work_skip(self->cpu, variant->stock_hangs);
	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_FALSE(*own_work_cpu_lost);
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	self->seen = own_work_seen_new();
	ASSERT_NE(NULL, self->seen);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, file_write_long(PARANOID, 1));
}

FIXTURE_TEARDOWN(own_work)
{
	if (self->seen)
		file_write_long(PARANOID, self->paranoid);
}

/* A program that writes eight bytes to the event at an index of a map. */
static int load_writer(int map, int index)
{
	const struct bpf_insn insns[] = {
		BPF_STORE_IMM(BPF_REG_10, -8, 1),
		BPF_MAP(BPF_REG_2, map),
		BPF_MAP_UPPER,
		BPF_SET(BPF_REG_3, index),
		BPF_COPY(BPF_REG_4, BPF_REG_10),
		BPF_ADD_IMM(BPF_REG_4, -8),
		BPF_SET(BPF_REG_5, 8),
		BPF_HELPER(perf_event_output),
		BPF_SET(BPF_REG_0, 1),
		BPF_END_PROG,
	};

	return bpf_load(BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns), "writer");
}

/* Let a program write to another event when the event @fd occurs. Return: the other one. */
static int output_by_program(int fd, int cpu)
{
	int map = bpf_map_make(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(int), cpu + 1);
	int out = perf_open(PERF_SW(BPF_OUTPUT, .sample_period = 1, .wakeup_events = 1,
				    .sample_type = PERF_SAMPLE_RAW), -1, cpu, -1);
	int err, prog;

	if (map < 0)
		return -ENODEV;
	if (out < 0)
		return out;
	prog = load_writer(map, cpu);
	if (prog < 0)
		return prog;
	err = bpf_map_set(map, cpu, &out);
	if (!err)
		err = perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
	return err ?: out;
}

/* The signals or system calls of the child's rounds make irq_works. */
static int start_irq_works(const FIXTURE_VARIANT(own_work) *variant)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1 };
	int err = variant->starter(&attr);
	int fd = err ?: perf_open_self(attr);

	return fd < 0 ? fd : own_work_async(fd);
}

/* Let the samples of the event have the effect in question. */
static int set_up(const FIXTURE_VARIANT(own_work) *variant, int fd, int cpu)
{
	static struct perf_buf buf;
	int buffered = fd, err = 0;

	if (variant->attr == on_signals)
		err = perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)OUR_SIGNALS);
	if (!err && variant->output) {
		buffered = output_by_program(fd, cpu);
		err = buffered < 0 ? buffered : 0;
	}
	if (!err && (variant->buffer || variant->output))
		err = own_work_map(&buf, buffered);
	if (!err && variant->async)
		err = own_work_async(buffered);
	if (!err && variant->starter)
		err = start_irq_works(variant);
	return err;
}

static int open_event(const FIXTURE_VARIANT(own_work) *variant, int cpu)
{
	struct perf_event_attr attr = own_work_attr(variant->sigtrap);
	bool task = variant->user || variant->task;
	int err, fd;

	err = variant->attr(&attr);
	if (!err && variant->user)
		err = user_become(USER_NOBODY, 0);
	if (err)
		return err;
	fd = perf_open(attr, task ? 0 : -1, task ? -1 : cpu, -1);
	if (fd < 0)
		return fd;
	return set_up(variant, fd, cpu) ?: fd;
}

/* The child: a signal to its group, which is itself, in each round. */
static void make_rounds(const FIXTURE_VARIANT(own_work) *variant, struct own_work_seen *seen,
			int cpu)
{
	static char pages[1 << 16];
	int zero = open("/dev/zero", O_RDONLY);
	int fd;

	own_work_enter(cpu);
	signal(SIGUSR1, SIG_IGN);
	if (!variant->hidden)
		signal(SIGIO, SIG_IGN);
	if (variant->ignored)
		signal(SIGTRAP, SIG_IGN);
	fd = open_event(variant, cpu);
	if (fd < 0) {
		seen->err = fd;
		_exit(0);
	}
	if (!variant->refresh && perf_enable(fd))
		_exit(1);
	while (rounds_go_on(&seen->rounds)) {
		if (variant->refresh)
			perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
		kill(0, SIGUSR1);
		/* reschedules after each page */
		if (variant->ignored && read(zero, pages, sizeof(pages)) < 0)
			_exit(1);
		rounds_add(&seen->rounds);
	}
	perf_disable(fd);
	own_work_note(seen, fd);
	_exit(0);
}

TEST_F(own_work, ends)
{
	struct own_work_seen *seen = self->seen;
	unsigned long rounds;
	pid_t pid = fork_child();

	if (pid == 0)
		make_rounds(variant, seen, self->cpu);
	ASSERT_TRUE(COMES_TRUE(atomic_load(&seen->rounds.done) >= OWN_WORK_ROUNDS || seen->err)) {
		TH_LOG("CPU %d makes no progress after %lu rounds", self->cpu,
		       atomic_load(&seen->rounds.done));
		*own_work_cpu_lost = true;
	}
	rounds_stop(&seen->rounds);
	ASSERT_EQ(0, wait_status(pid));
	if (seen->err == -ENODEV || perf_no_breakpoint(seen->err))
		SKIP(return, "no such event here");
	ASSERT_NE(NEVER_HIT, seen->err) {
		TH_LOG("no function for the breakpoint was hit: all were inlined");
	}
	ASSERT_EQ(0, seen->err);
	rounds = atomic_load(&seen->rounds.done);
	EXPECT_LE(OWN_WORK_ROUNDS, rounds);
	if (variant->hidden) {
		EXPECT_EQ(0, seen->count);
		EXPECT_LT(0, seen->ios);
	} else {
		EXPECT_LT(0, seen->count) {
			TH_LOG("the event never occurred in %lu rounds", rounds);
		}
	}
	if (variant->exact)
		EXPECT_EQ(rounds, seen->count);
	if (variant->sigtrap)
		EXPECT_EQ(variant->ignored ? 0 : rounds, seen->traps);
}

OWN_WORK_MAIN
