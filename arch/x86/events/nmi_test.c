// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the PMU's interrupt, on a modelled PMU. During an operation of the driver,
 * counters overflow before each of its register accesses, once or twice, and interrupts
 * come at once or some accesses later. Afterwards the count must include each event, each
 * complete period must have its sample or be marked as pending, and no interrupt may be
 * without overflow.
 *
 * All combinations are tried, see struct model_stage. Skipped without x86_pmu_model=.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "core_pmu.h"
#include "model/stage.h"
#include "nmi.h"

#define EVENTS		2
#define PERIOD		1000

/* Accesses by interrupts during an operation. */
#define ACCESSES_MORE	12

/**
 * struct pmi_test - two sampling events on a CPU
 * @cpu: the CPU, to which the test's thread is bound
 * @event: the events
 * @samples: number of overflows that were reported, by event
 * @stage: script of the current run
 * @idle: empty script, between two runs
 */
struct pmi_test {
	int			cpu;
	struct perf_event	*event[EVENTS];
	unsigned int		samples[EVENTS];
	struct model_stage	stage;
	struct model_stage	idle;
};

/* An operation of the driver that interrupts can hit. */
typedef void (*pmi_op)(struct pmi_test *pt);

static struct pt_regs pmi_regs;

static int take_nmi(struct model_stage *stage)
{
	/* A script has no time: the late NMI must not expire. */
	this_cpu_write(x86_cpu_pmu.wrapped_at, local_clock());
	return x86_nmi_take(&pmi_regs, true);
}

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	unsigned int *samples = event->overflow_handler_context;

	++*samples;
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
						on_overflow, &pt->samples[n]);
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
	this_cpu_write(x86_cpu_pmu.wrapped, 0);
}

/* The pending sample of an overflow that was found while stopped is taken by the next event. */
static void take_pending_sample(struct pmi_test *pt, struct perf_event *event)
{
	pt->stage.steps = 0;
	model_stage_drain(&pt->stage);
	event->pmu->read(event);
	if (local64_read(&event->hw.period_left) > 0)
		return;
	pt->stage.step[0] = (struct model_step) {
		.access		= pt->stage.accesses,
		.counter	= event->hw.idx,
		.more		= 1,
	};
	pt->stage.steps = 1;
	event->pmu->read(event);
	pt->stage.steps = 0;
	model_stage_drain(&pt->stage);
}

static bool counts(const struct perf_event *event)
{
	return this_cpu_read(model_cpu.running) & BIT_ULL(event->hw.idx);
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
static unsigned int play(struct kunit *test, pmi_op op, const struct model_stage *script)
{
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
	pt->stage = *script;
	pt->stage.nmi = take_nmi;
	for (n = 0; n < script->steps; n++)
		pt->stage.step[n].counter = pt->event[script->step[n].counter]->hw.idx;

	model_stage_begin(&pt->stage);
	op(pt);
	for (n = 0; n < EVENTS; n++)
		take_pending_sample(pt, pt->event[n]);
	for (n = 0; n < EVENTS; n++)
		good &= events_agree(test, pt, n, before[n]);
	/* The host may have taken more time than after which late interrupts expire. */
	if (local_clock() - start >= X86_NMI_LATE)
		pt->stage.for_nothing = 0;
	good &= !pt->stage.for_nothing;
	model_stage_begin(&pt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, pt->stage.for_nothing, 0, "interrupts for nothing");
	if (!good)
		kunit_info(test, "%u steps: event %u before access %u, event %u before %u; more %u, latency %u",
			   script->steps, script->step[0].counter, script->step[0].access,
			   script->step[1].counter, script->step[1].access,
			   script->step[0].more, script->latency);
	return pt->stage.accesses;
}

/* Try both overflows before all pairs of accesses. */
static void play_pairs(struct kunit *test, pmi_op op, struct model_stage *script)
{
	struct model_step *step = script->step;
	unsigned int last;

	script->steps = 0;
	last = play(test, op, script) + ACCESSES_MORE;
	script->steps = 2;
	step[0].overflow = true;
	step[1].overflow = true;
	for (step[0].access = 0; step[0].access < last; step[0].access++) {
		for (step[1].access = step[0].access; step[1].access < last; step[1].access++) {
			for (unsigned int who = 0; who < 4; who++) {
				step[0].counter = who & 1;
				step[1].counter = who >> 1;
				play(test, op, script);
			}
		}
		cond_resched();
	}
}

static void play_all(struct kunit *test, pmi_op op, unsigned int max_latency)
{
	unsigned int latency, more;

	for (latency = 0; latency <= max_latency; latency += 2) {
		for (more = 0; more <= 3; more += 3) {
			struct model_stage script = {
				.latency	= latency,
				.step		= { { .more = more }, { .more = more } },
			};

			play_pairs(test, op, &script);
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
	model_lose_power();
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

static void leave_stage(void *unused)
{
	model_stage_end();
}

/* Runs in another thread than the test, and so may run on another CPU. */
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
	smp_call_function_single(pt->cpu, leave_stage, NULL, 1);
}

static int pmi_test_init(struct kunit *test)
{
	struct pmi_test *pt;
	unsigned int n;

	if (!x86_hw_modelled())
		kunit_skip(test, "no modelled PMU");
	pt = kunit_kzalloc(test, sizeof(*pt), GFP_KERNEL);
	if (!pt)
		return -ENOMEM;
	test->priv = pt;
	pt->idle.nmi = take_nmi;
	pt->cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(pt->cpu));
	model_stage_begin(&pt->idle);
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
	KUNIT_CASE_SLOW(off_and_on),
	KUNIT_CASE_SLOW(taken_off_and_put_back),
	KUNIT_CASE_SLOW(suspended_and_resumed),
	{ }
};

static struct kunit_suite pmi_suite = {
	.name		= "perf_x86_pmi",
	.init		= pmi_test_init,
	.exit		= pmi_test_exit,
	.test_cases	= pmi_cases,
};
kunit_test_suite(pmi_suite);
