// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the PMU's interrupt, on an emulated PMU. During an operation of the driver,
 * counters overflow before each of its register accesses, once or twice, and interrupts
 * come at once or some accesses later. Afterwards the count must include each event, each
 * complete period must have its sample or be marked as pending, and no interrupt may be
 * without overflow. A status that does not go away stops the event concerned, and nothing else.
 *
 * All combinations are tried, see struct emu_stage. Skipped without x86_pmu_emulator=.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/nmi.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/core/schedule.h"
#include "arch/x86/events/core/suspend.h"
#include "arch/x86/events/counters/core_pmu.h"
#include "arch/x86/events/counters/count.h"
#include "arch/x86/events/counters/counters.h"
#include "../stage.h"

#define EVENTS		2
#define PERIOD		1000

/* Accesses by interrupts during an operation. */
#define ACCESSES_MORE	12

struct pmi_test;

/* An operation of the driver that interrupts can hit. */
typedef void (*pmi_op)(struct pmi_test *pt);

/**
 * struct pmi_test - two sampling events on a CPU
 * @cpu: the CPU, to which the test's thread is bound
 * @event: the events
 * @samples: number of overflows that were reported, by event
 * @sum: sum of the periods that they reported, by event
 * @op: what runs
 * @stage: script of the current run
 * @idle: empty script, between two runs
 */
struct pmi_test {
	int			cpu;
	struct perf_event	*event[EVENTS];
	unsigned int		samples[EVENTS];
	u64			sum[EVENTS];
	pmi_op			op;
	struct emu_stage	stage;
	struct emu_stage	idle;
};

static struct pt_regs pmi_regs;

static int take_nmi(struct emu_stage *stage)
{
	/* A script has no time: the late NMI must not expire. */
	this_cpu_write(x86_cpu_pmu.late.wrapped_at, local_clock());
	return x86_nmi_take(&pmi_regs, true);
}

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct pmi_test *pt = event->overflow_handler_context;
	unsigned int n = event != pt->event[0];

	pt->samples[n]++;
	pt->sum[n] += data->period;
}

static struct perf_event *pmi_event(struct pmi_test *pt, unsigned int n)
{
	static const u64 ids[EVENTS] = {
		PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BRANCH_MISSES,
	};
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.config		= ids[n],
		.size		= sizeof(attr),
		.sample_period	= PERIOD,
		.pinned		= 1,
		.disabled	= 1,
	};

	return perf_event_create_kernel_counter(&attr, pt->cpu, NULL,
						on_overflow, pt);
}

/* Start a new period, without pending samples and interrupts. Interrupts are disabled. */
static void begin_new_period(struct pmi_test *pt)
{
	unsigned int n;

	for (n = 0; n < EVENTS; n++) {
		struct perf_event *event = pt->event[n];

		event->pmu->stop(event, PERF_EF_UPDATE);
		event->hw.flags &= ~X86_EVENT_SAMPLE_PENDING;
		event->hw.interrupts = 0;
		local64_set(&event->hw.period_left, PERIOD);
		event->pmu->start(event, PERF_EF_RELOAD);
		pt->samples[n] = 0;
	}
	this_cpu_write(x86_cpu_pmu.late.wrapped, 0);
	this_cpu_write(x86_cpu_pmu.late.until, 0);
}

/*
 * The pending sample of an overflow that was found while stopped is taken by the next event, or
 * after the shortest period.
 */
static void take_pending_sample(struct pmi_test *pt, struct perf_event *event)
{
	pt->stage.steps = 0;
	emu_stage_drain(&pt->stage);
	event->pmu->read(event);
	if (local64_read(&event->hw.period_left) > 0)
		return;
	pt->stage.step[0] = (struct emu_step) {
		.access		= pt->stage.accesses,
		.counter	= event->hw.idx,
		.overflow	= true,
	};
	pt->stage.steps = 1;
	event->pmu->read(event);
	pt->stage.steps = 0;
	emu_stage_drain(&pt->stage);
}

static bool counts(const struct perf_event *event)
{
	return this_cpu_read(emu_cpu.running) & BIT_ULL(event->hw.idx);
}

static bool events_agree(struct kunit *test, struct pmi_test *pt, unsigned int n, u64 before)
{
	struct perf_event *event = pt->event[n];
	unsigned int happened;
	u64 counted;

	event->pmu->read(event);
	happened = pt->stage.counted[event->hw.idx];
	counted = local64_read(&event->count) - before;
	KUNIT_EXPECT_TRUE_MSG(test, counts(event), "%u stands still", n);
	KUNIT_EXPECT_EQ_MSG(test, counted, happened, "events of %u", n);
	KUNIT_EXPECT_EQ_MSG(test, pt->samples[n], happened / PERIOD, "samples of %u", n);
	return counted == happened && pt->samples[n] == happened / PERIOD;
}

/* Play one combination. Steps name events, not counters. Returns the number of accesses. */
static unsigned int play(void *context, const struct emu_stage *script)
{
	struct kunit *test = context;
	struct pmi_test *pt = test->priv;
	u64 before[EVENTS];
	unsigned long flags;
	unsigned int n;
	bool good = true;
	u64 start;

	local_irq_save(flags);
	begin_new_period(pt);
	start = local_clock();
	for (n = 0; n < EVENTS; n++)
		before[n] = local64_read(&pt->event[n]->count);
	emu_stage_set(&pt->stage, script, pt->event, take_nmi);

	emu_stage_begin(&pt->stage);
	pt->op(pt);
	for (n = 0; n < EVENTS; n++)
		take_pending_sample(pt, pt->event[n]);
	for (n = 0; n < EVENTS; n++)
		good &= events_agree(test, pt, n, before[n]);
	/* The host may have taken more time than after which late interrupts expire. */
	if (local_clock() - start >= X86_NMI_LATE)
		pt->stage.for_nothing = 0;
	good &= !pt->stage.for_nothing;
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, pt->stage.for_nothing, 0, "interrupts for nothing");
	if (!good)
		emu_stage_print(script);
	return pt->stage.accesses;
}

static void play_all(struct kunit *test, pmi_op op, unsigned int max_latency)
{
	struct pmi_test *pt = test->priv;
	unsigned int latency, more;

	for (latency = 0; latency <= max_latency; latency += 2) {
		for (more = 0; more <= 3; more += 3) {
			struct emu_stage script = {
				.latency	= latency,
				.step		= { { .more = more }, { .more = more } },
			};

			pt->op = op;
			emu_stage_pairs(play, test, &script, ACCESSES_MORE, UINT_MAX);
		}
	}
}

static void op_read(struct pmi_test *pt)
{
	pt->event[0]->pmu->read(pt->event[0]);
	pt->event[1]->pmu->read(pt->event[1]);
}

static void op_restart(struct pmi_test *pt)
{
	pt->event[0]->pmu->stop(pt->event[0], PERF_EF_UPDATE);
	pt->event[0]->pmu->start(pt->event[0], PERF_EF_RELOAD);
}

/* The second stop finds a counter that starts with the last event of a period. */
static void op_restart_twice(struct pmi_test *pt)
{
	op_restart(pt);
	op_restart(pt);
}

static void op_off_and_on(struct pmi_test *pt)
{
	perf_pmu_disable(pt->event[0]->pmu);
	perf_pmu_enable(pt->event[0]->pmu);
}

static void op_replace(struct pmi_test *pt)
{
	struct pmu *pmu = pt->event[0]->pmu;

	perf_pmu_disable(pmu);
	pmu->del(pt->event[0], PERF_EF_UPDATE);
	perf_pmu_enable(pmu);
	perf_pmu_disable(pmu);
	pmu->add(pt->event[0], PERF_EF_START);
	perf_pmu_enable(pmu);
}

static void op_sleep(struct pmi_test *pt)
{
	x86_core_suspend();
	emu_lose_power();
	x86_core_resume();
}

static void interrupts_alone(struct kunit *test)
{
	play_all(test, op_read, 4);
}

static void stopped_and_started(struct kunit *test)
{
	play_all(test, op_restart, 4);
}

static void stopped_and_started_twice(struct kunit *test)
{
	play_all(test, op_restart_twice, 4);
}

static void off_and_on(struct kunit *test)
{
	play_all(test, op_off_and_on, 4);
}

static void taken_off_and_put_back(struct kunit *test)
{
	play_all(test, op_replace, 4);
}

/* Pending interrupts are lost with the power, so latency is 0 here. */
static void suspended_and_resumed(struct kunit *test)
{
	play_all(test, op_sleep, 0);
}

/* Both counters overflow, and their first interrupt handles both. */
static void handle_two(struct kunit *test, struct pmi_test *pt)
{
	begin_new_period(pt);
	pt->stage = (struct emu_stage) {
		.step	= {
			{ .counter = pt->event[0]->hw.idx, .overflow = true },
			{ .counter = pt->event[1]->hw.idx, .overflow = true },
		},
		.steps	= 2,
		.nmi	= take_nmi,
	};
	emu_stage_begin(&pt->stage);
	op_read(pt);
	pt->stage.steps = 0;
	emu_stage_drain(&pt->stage);
	KUNIT_EXPECT_EQ(test, pt->samples[0], 1);
	KUNIT_EXPECT_EQ(test, pt->samples[1], 1);
}

/* Number of interrupts without overflow that are claimed, of some that come in a row. */
static unsigned int claimed_in_a_row(void)
{
	unsigned int n, claimed = 0;

	for (n = 0; n < 10; n++)
		claimed += x86_nmi_take(&pmi_regs, true);
	return claimed;
}

static bool is_amd(void)
{
	return emu_machine->identity.vendor == X86_VENDOR_AMD;
}

/*
 * On AMD the interrupt of the second overflow may come later, not back to back with the
 * first one.
 */
static void late_interrupts(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	unsigned int claimed, expired;
	unsigned long flags;
	bool timely;
	u64 start;

	local_irq_save(flags);
	start = local_clock();
	handle_two(test, pt);
	claimed = x86_nmi_take(&pmi_regs, true);
	timely = local_clock() - start < X86_NMI_LATE;
	handle_two(test, pt);
	this_cpu_write(x86_cpu_pmu.late.until, local_clock());
	expired = x86_nmi_take(&pmi_regs, true);
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);

	/* Otherwise the host has taken the time after which they expire. */
	if (timely)
		KUNIT_EXPECT_EQ(test, claimed, is_amd());
	KUNIT_EXPECT_EQ(test, expired, 0);
}

/*
 * A CPU that samples at a high rate is always within the time in which interrupts may be late.
 * For each overflow it claims one of them at most, and none of the others.
 */
static void late_interrupts_are_counted(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	unsigned int claimed, most = 0, round;
	unsigned long flags;

	for (round = 0; round < 20; round++) {
		local_irq_save(flags);
		this_cpu_write(x86_cpu_pmu.late.nr, 0);
		handle_two(test, pt);
		claimed = claimed_in_a_row();
		emu_stage_begin(&pt->idle);
		local_irq_restore(flags);

		most = max(most, claimed);
		KUNIT_EXPECT_LE(test, claimed, is_amd() ? EVENTS : 0);
	}
	/* In some round the host must have been fast enough. */
	KUNIT_EXPECT_EQ(test, !!most, is_amd());
}

/* An overflow is acknowledged when registers are reset. Its interrupt may still come. */
static void late_after_reset(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	struct x86_cpu_pmu *cpu;
	unsigned long flags;
	u64 paused, start;
	bool timely;
	int handled;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_cpu_pmu);
	if (!cpu->core->regs->global_ctrl) {
		local_irq_restore(flags);
		kunit_skip(test, "no status register");
	}
	begin_new_period(pt);
	start = local_clock();
	paused = x86_sched_pause(cpu);
	this_cpu_ptr(&emu_cpu)->global_status = BIT_ULL(pt->event[0]->hw.idx);
	x86_sched_continue(cpu, paused);
	handled = x86_nmi_take(&pmi_regs, true);
	timely = local_clock() - start < X86_NMI_LATE;
	local_irq_restore(flags);

	if (timely)
		KUNIT_EXPECT_EQ(test, handled, is_amd());
}

/* PERF_METRICS has a bit of its own in the status register. */
static void overflow_of_metrics(struct kunit *test)
{
	const u64 bit = GLOBAL_STATUS_PERF_METRICS_OVF;
	unsigned long flags;
	int handled, again;
	u64 left;

	if (!emu_machine->metrics)
		kunit_skip(test, "no metrics");
	local_irq_save(flags);
	this_cpu_ptr(&emu_cpu)->global_status = bit;
	handled = x86_nmi_take(&pmi_regs, true);
	left = this_cpu_read(emu_cpu.global_status) & bit;
	again = x86_nmi_take(&pmi_regs, true);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, handled, 1);
	KUNIT_EXPECT_EQ(test, left, 0);
	KUNIT_EXPECT_EQ(test, again, 0);
}

/* Give the first event limited periods. Interrupts are disabled. */
static void limited_begin(struct pmi_test *pt, u64 period)
{
	struct perf_event *event = pt->event[0];

	begin_new_period(pt);
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.flags |= X86_EVENT_LIMITED;
	event->hw.sample_period = period;
	event->hw.last_period = period;
	local64_set(&event->hw.period_left, period);
	event->pmu->start(event, PERF_EF_RELOAD);
	pt->sum[0] = 0;
}

static void limited_end(struct pmi_test *pt)
{
	struct perf_event *event = pt->event[0];

	event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.flags &= ~X86_EVENT_LIMITED;
	event->hw.sample_period = PERIOD;
	event->hw.last_period = PERIOD;
	event->pmu->start(event, PERF_EF_RELOAD);
	emu_stage_begin(&pt->idle);
}

/* Let the first event count, up to an overflow or not, and read it. Return: its events. */
static u64 limited_count(struct pmi_test *pt, bool overflow, unsigned int more)
{
	struct perf_event *event = pt->event[0];
	unsigned int idx = event->hw.idx;

	pt->stage = (struct emu_stage) {
		.step	= { { .counter = idx, .overflow = overflow, .more = more } },
		.steps	= 1,
		.nmi	= take_nmi,
	};
	event->hw.interrupts = 0;
	emu_stage_begin(&pt->stage);
	event->pmu->read(event);
	emu_stage_drain(&pt->stage);
	return pt->stage.counted[idx];
}

/*
 * Let a counter with limited periods overflow repeatedly. The sum of the reported periods
 * must follow the count, although the counter is programmed with other periods.
 */
static void play_limited(struct kunit *test, u64 period, const struct x86_period_rule *rule)
{
	struct pmi_test *pt = test->priv;
	unsigned int idx = pt->event[0]->hw.idx, round;
	u64 programmed, happened = 0, sum = 0;
	unsigned long flags;

	local_irq_save(flags);
	limited_begin(pt, period);
	for (round = 0; round < 100; round++) {
		happened += limited_count(pt, true, round % 5);
		sum = pt->sum[0];
		programmed = BIT_ULL(emu_machine->width) -
			     this_cpu_read(emu_cpu.counter[idx].value);
		if (programmed < rule->min || programmed % rule->unit ||
		    sum % period || sum > happened || happened - sum >= period)
			break;
	}
	limited_end(pt);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, round, 100,
			    "period %llu: %llu programmed, reported %llu of %llu events",
			    period, programmed, sum, happened);
}

/* The event is stopped after its period, where the counter may not have overflowed yet. */
static void play_limited_stops(struct kunit *test, u64 period, const struct x86_period_rule *rule)
{
	struct pmi_test *pt = test->priv;
	u64 happened = 0, sum;
	unsigned long flags;

	local_irq_save(flags);
	limited_begin(pt, period);
	for (unsigned int round = 0; round < 100; round++) {
		happened += limited_count(pt, false, period + round % 5);
		op_restart(pt);
	}
	/* the last sample may be pending */
	happened += limited_count(pt, true, 0);
	sum = pt->sum[0];
	limited_end(pt);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, sum, happened - happened % period,
			    "period %llu of at least %u, reported %llu of %llu events",
			    period, rule->min, sum, happened);
}

static void limited_periods(struct kunit *test)
{
	static const u64 periods[] = { 1, 10, 63, 100, 128, 129, 1000, 1 << 20 | 1 };
	static const struct x86_period_rule rules[][2] = {
		{ { 0, 0, 100, 1 } },
		{ { 0, 0, 128, 64 } },
	};
	struct pmi_test *pt = test->priv;
	struct x86_core_pmu *core = x86_core_of(pt->event[0]->pmu);
	const struct x86_period_rule *own = core->periods;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		core->periods = rules[i];
		for (n = 0; n < ARRAY_SIZE(periods); n++) {
			play_limited(test, periods[n], rules[i]);
			play_limited_stops(test, periods[n], rules[i]);
		}
	}
	core->periods = own;
}

/* Rounds of the handler that bits of the status may cost, until they are ignored. */
#define ROUNDS_MAX	80
/* Register accesses of an interrupt with one overflow. */
#define ACCESSES_OF_ONE	40

static struct emu_fault *fault_here(void)
{
	return &this_cpu_ptr(&emu_cpu)->fault;
}

static bool has_status(const struct pmi_test *pt)
{
	return x86_core_of(pt->event[0]->pmu)->regs->global_ctrl;
}

/* Give the first event a period, whether or not periods are limited. Interrupts are disabled. */
static void set_period(struct pmi_test *pt, u64 period)
{
	struct hw_perf_event *hwc = &pt->event[0]->hw;

	pt->event[0]->pmu->stop(pt->event[0], PERF_EF_UPDATE);
	hwc->flags &= ~(X86_EVENT_LIMITED | X86_EVENT_SAMPLE_PENDING);
	hwc->sample_period = period;
	hwc->last_period = period;
	local64_set(&hwc->period_left, period);
	pt->event[0]->pmu->start(pt->event[0], PERF_EF_RELOAD);
}

/* Let an event overflow. Return: the number of register accesses. */
static unsigned int overflow_of(struct pmi_test *pt, unsigned int n)
{
	unsigned int before = pt->stage.accesses;

	pt->stage.step[0] = (struct emu_step) {
		.access		= before,
		.counter	= pt->event[n]->hw.idx,
		.overflow	= true,
	};
	pt->stage.steps = 1;
	pt->event[1]->pmu->read(pt->event[1]);
	pt->stage.steps = 0;
	emu_stage_drain(&pt->stage);
	return pt->stage.accesses - before;
}

/*
 * Bits of the first event's counter do not go away. The event is disabled. The other one goes on,
 * and its interrupts take no longer than before.
 */
static void play_fault(struct kunit *test, struct emu_fault fault, bool overflows)
{
	struct pmi_test *pt = test->priv;
	struct perf_event *first = pt->event[0];
	unsigned int came_back, accesses;
	unsigned long flags;
	bool goes_on;

	local_irq_save(flags);
	begin_new_period(pt);
	pt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&pt->stage);
	fault.left = EMU_RETURNS;
	*fault_here() = fault;
	set_period(pt, 1);
	if (overflows)
		overflow_of(pt, 0);
	emu_stage_drain(&pt->stage);
	came_back = EMU_RETURNS - fault_here()->left;
	accesses = overflow_of(pt, 1);
	goes_on = counts(pt->event[1]);
	*fault_here() = (struct emu_fault) { };
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);
	irq_work_sync(&first->pending_disable_irq);

	KUNIT_EXPECT_EQ(test, (int)first->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_GT(test, came_back, 1);
	KUNIT_EXPECT_LT(test, came_back, ROUNDS_MAX);
	KUNIT_EXPECT_TRUE(test, goes_on);
	KUNIT_EXPECT_EQ(test, pt->samples[1], 1);
	KUNIT_EXPECT_LT(test, accesses, ACCESSES_OF_ONE);
	KUNIT_EXPECT_EQ(test, pt->stage.for_nothing, 0);
}

/* The event counts and samples again when it is enabled again: its counter is heeded. */
static void play_again(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	unsigned long flags;

	perf_event_enable(pt->event[0]);
	KUNIT_ASSERT_EQ(test, (int)pt->event[0]->state, PERF_EVENT_STATE_ACTIVE);
	local_irq_save(flags);
	begin_new_period(pt);
	set_period(pt, PERIOD);
	pt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&pt->stage);
	overflow_of(pt, 0);
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, pt->samples[0], 1);
}

/* Hardware sets the bit again because of what the counter holds. */
static void status_of_short_periods(struct kunit *test)
{
	if (!has_status(test->priv))
		kunit_skip(test, "no status register");
	play_fault(test, (struct emu_fault) { .near = 32 }, false);
	play_again(test);
}

static void status_that_stays(struct kunit *test)
{
	struct pmi_test *pt = test->priv;

	if (!has_status(pt))
		kunit_skip(test, "no status register");
	play_fault(test, (struct emu_fault) { .stuck = BIT_ULL(pt->event[0]->hw.idx) }, true);
	play_again(test);
}

/* No event has the counter. */
static void status_without_event(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	unsigned int came_back, accesses;
	unsigned long flags;
	unsigned int idx;

	if (!has_status(pt))
		kunit_skip(test, "no status register");
	local_irq_save(flags);
	begin_new_period(pt);
	pt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&pt->stage);
	idx = __ffs64(emu_counters() & ~this_cpu_read(x86_cpu_pmu.owned));
	*fault_here() = (struct emu_fault) { .stuck = BIT_ULL(idx), .left = EMU_RETURNS };
	this_cpu_ptr(&emu_cpu)->global_status |= BIT_ULL(idx);
	overflow_of(pt, 1);
	came_back = EMU_RETURNS - fault_here()->left;
	accesses = overflow_of(pt, 1);
	*fault_here() = (struct emu_fault) { };
	this_cpu_ptr(&emu_cpu)->global_status &= ~BIT_ULL(idx);
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_LT(test, came_back, ROUNDS_MAX);
	KUNIT_EXPECT_EQ(test, pt->samples[1], 2);
	KUNIT_EXPECT_LT(test, accesses, ACCESSES_OF_ONE);
	KUNIT_EXPECT_EQ(test, (int)pt->event[0]->state, PERF_EVENT_STATE_ACTIVE);
}

/* Parts that are known for that do not program such periods. */
static void limits_avoid_it(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	struct perf_event *event = pt->event[1];
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	unsigned int left;
	unsigned long flags;

	if (!x86_count_rule(core, event->hw.config))
		kunit_skip(test, "no limit for all events");
	KUNIT_EXPECT_TRUE(test, event->hw.flags & X86_EVENT_LIMITED);
	local_irq_save(flags);
	begin_new_period(pt);
	pt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&pt->stage);
	*fault_here() = (struct emu_fault) { .near = 32, .left = EMU_RETURNS };
	for (s64 period = 1; period < 32; period++) {
		event->pmu->stop(event, PERF_EF_UPDATE);
		local64_set(&event->hw.period_left, period);
		event->pmu->start(event, PERF_EF_RELOAD);
		overflow_of(pt, 1);
	}
	left = fault_here()->left;
	*fault_here() = (struct emu_fault) { };
	emu_stage_begin(&pt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, left, EMU_RETURNS);
	KUNIT_EXPECT_EQ(test, pt->samples[1], 31);
}

static unsigned int unknown_nmis;

static int count_unknown(unsigned int type, struct pt_regs *regs)
{
	unknown_nmis++;
	return NMI_DONE;
}

/* Turns of a loop that waits for samples, at most. */
#define TURNS		BIT(28)

/* The same with real NMIs: the CPU does not hang, and none of them is unknown. */
static void status_that_stays_with_the_clock(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	struct perf_event *first = pt->event[0];
	unsigned int turn, samples;
	unsigned long flags;
	u64 before;

	if (!has_status(pt))
		kunit_skip(test, "no status register");
	unknown_nmis = 0;
	KUNIT_ASSERT_EQ(test, register_nmi_handler(NMI_UNKNOWN, count_unknown, 0, "pmi_test"), 0);
	local_irq_save(flags);
	begin_new_period(pt);
	*fault_here() = (struct emu_fault) {
		.stuck	= BIT_ULL(first->hw.idx),
		.left	= EMU_RETURNS,
	};
	before = local64_read(&pt->event[1]->count);
	emu_stage_end();
	first->pmu->stop(first, PERF_EF_UPDATE);
	first->pmu->start(first, PERF_EF_RELOAD);
	local_irq_restore(flags);
	for (turn = 0; turn < TURNS && READ_ONCE(pt->samples[1]) < 10; turn++)
		cpu_relax();
	irq_work_sync(&first->pending_disable_irq);
	local_irq_save(flags);
	samples = pt->samples[1];
	pt->event[1]->pmu->read(pt->event[1]);
	before = local64_read(&pt->event[1]->count) - before;
	emu_stage_begin(&pt->idle);
	*fault_here() = (struct emu_fault) { };
	local_irq_restore(flags);
	unregister_nmi_handler(NMI_UNKNOWN, "pmi_test");

	KUNIT_EXPECT_EQ(test, (int)first->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_GE(test, samples, 10);
	KUNIT_EXPECT_GE(test, before, 10ULL * PERIOD);
	KUNIT_EXPECT_EQ(test, unknown_nmis, 0);
	play_again(test);
}

static void pmi_test_exit(struct kunit *test)
{
	struct pmi_test *pt = test->priv;
	unsigned int n;

	if (!pt)
		return;
	for (n = 0; n < EVENTS; n++) {
		if (!IS_ERR_OR_NULL(pt->event[n]))
			perf_event_release_kernel(pt->event[n]);
	}
	emu_stage_end_on(pt->cpu);
}

static int pmi_test_init(struct kunit *test)
{
	struct pmi_test *pt;
	unsigned int n;

	if (!x86_hw_emulated())
		kunit_skip(test, "no emulated PMU");
	pt = kunit_kzalloc(test, sizeof(*pt), GFP_KERNEL);
	if (!pt)
		return -ENOMEM;
	test->priv = pt;
	pt->idle.nmi = take_nmi;
	pt->cpu = raw_smp_processor_id();
	test_bind(test, pt->cpu);
	emu_stage_begin(&pt->idle);
	for (n = 0; n < EVENTS; n++) {
		pt->event[n] = pmi_event(pt, n);
		if (IS_ERR(pt->event[n]))
			return PTR_ERR(pt->event[n]);
		perf_event_enable(pt->event[n]);
		if (pt->event[n]->hw.idx < 0)
			return -EBUSY;
	}
	return 0;
}

static struct kunit_case pmi_cases[] = {
	KUNIT_CASE_SLOW(interrupts_alone),
	KUNIT_CASE_SLOW(stopped_and_started),
	KUNIT_CASE_SLOW(stopped_and_started_twice),
	KUNIT_CASE_SLOW(off_and_on),
	KUNIT_CASE_SLOW(taken_off_and_put_back),
	KUNIT_CASE_SLOW(suspended_and_resumed),
	KUNIT_CASE(late_interrupts),
	KUNIT_CASE(late_interrupts_are_counted),
	KUNIT_CASE(late_after_reset),
	KUNIT_CASE(overflow_of_metrics),
	KUNIT_CASE(limited_periods),
	KUNIT_CASE(status_of_short_periods),
	KUNIT_CASE(status_that_stays),
	KUNIT_CASE(status_without_event),
	KUNIT_CASE(limits_avoid_it),
	KUNIT_CASE(status_that_stays_with_the_clock),
	{ }
};

static struct kunit_suite pmi_suite = {
	.name		= "perf_x86_pmi",
	.init		= pmi_test_init,
	.exit		= pmi_test_exit,
	.test_cases	= pmi_cases,
};

kunit_test_suite(pmi_suite);
