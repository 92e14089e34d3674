// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reloads and drains of precise sampling, on an emulated PMU of Intel. During an
 * operation of the driver, counters overflow before each of its register accesses, and the emulator
 * writes records. Afterwards the count must include each event, and the records must be gone.
 *
 * Records are read one by one, or collect in the buffer. They are written at once, or some accesses
 * after their counters were stopped. All combinations are tried, see struct emu_stage. Skipped
 * without x86_pmu_emulator=.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/core/schedule.h"
#include "arch/x86/events/counters/side.h"
#include "arch/x86/events/intel/ds/pebs_cpu.h"
#include "../ds.h"
#include "../stage.h"
#include "driver.h"

#define EVENTS_MAX	2
#define PERIOD		1000

/* BR_INST_RETIRED.CONDITIONAL, which is precise on all models. */
#define CONDITIONAL	0x01c4

/* Accesses by interrupts during an operation; and between two overflows. */
#define ACCESSES_MORE	8
#define APART_MAX	3
/* Accesses by which records are late, at most */
#define LATE_MAX	4

struct drain_test;

typedef void (*drain_op)(struct drain_test *dt);

/**
 * struct drain_test - precise events on a CPU
 * @cpu: the CPU, to which the test's thread is bound
 * @nr: number of events: two, or one if records do not name their counters
 * @event: the events; if there is one, both are that one
 * @other: an event without records, or NULL
 * @samples: number of overflows that were reported, by event
 * @collect: records collect in the buffer
 * @sample_reads: an overflow that is reported reads the events
 * @seen: the count that it has read last, by event
 * @op: what runs
 * @stage: script of the current run
 * @idle: empty script, between two runs
 */
struct drain_test {
	int			cpu;
	int			nr;
	struct perf_event	*event[EVENTS_MAX];
	struct perf_event	*other;
	unsigned int		samples[EVENTS_MAX];
	bool			collect;
	bool			sample_reads;
	u64			seen[EVENTS_MAX];
	drain_op		op;
	struct emu_stage	stage;
	struct emu_stage	idle;
};

static struct pt_regs drain_regs;

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&drain_regs, true);
}

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct drain_test *dt = event->overflow_handler_context;

	dt->samples[event != dt->event[0]]++;
	for (int n = 0; dt->sample_reads && n < dt->nr; n++) {
		dt->event[n]->pmu->read(dt->event[n]);
		dt->seen[n] = local64_read(&dt->event[n]->count);
	}
}

static struct perf_event *open_with(struct drain_test *dt, u64 period, unsigned int precise)
{
	struct perf_event_attr attr = {
		.type		= this_cpu_read(x86_cpu_pmu.core)->pmu.type,
		.config		= CONDITIONAL,
		.size		= sizeof(attr),
		.sample_period	= period,
		.precise_ip	= precise,
		.pinned		= 1,
		.disabled	= 1,
	};

	return perf_event_create_kernel_counter(&attr, dt->cpu, NULL, on_overflow, dt);
}

static struct perf_event *drain_event(struct drain_test *dt)
{
	return open_with(dt, PERIOD, 1);
}

/* An event without records, for a general purpose counter */
static struct perf_event *other_event(struct drain_test *dt)
{
	return open_with(dt, 0, 0);
}

/*
 * Records of an event with a handler do not collect. The flag says that they do, as if the event
 * had a buffer.
 */
static void set_collect(struct drain_test *dt, bool collect)
{
	struct pmu *pmu = dt->event[0]->pmu;
	unsigned long flags;

	dt->collect = collect;
	local_irq_save(flags);
	perf_pmu_disable(pmu);
	for (int n = 0; n < dt->nr; n++) {
		pmu->del(dt->event[n], PERF_EF_UPDATE);
		if (collect)
			dt->event[n]->hw.flags |= X86_EVENT_COLLECTS;
		else
			dt->event[n]->hw.flags &= ~X86_EVENT_COLLECTS;
		pmu->add(dt->event[n], PERF_EF_START);
	}
	perf_pmu_enable(pmu);
	local_irq_restore(flags);
}

/* Start a new period, with an empty buffer. Interrupts are disabled. */
static void begin_new_period(struct drain_test *dt)
{
	for (int n = 0; n < dt->nr; n++) {
		struct perf_event *event = dt->event[n];

		event->pmu->stop(event, PERF_EF_UPDATE);
		event->hw.flags &= ~X86_EVENT_SAMPLE_PENDING;
		event->hw.interrupts = 0;
		event->hw.sample_period = PERIOD;
		event->hw.last_period = PERIOD;
		local64_set(&event->hw.period_left, PERIOD);
		event->pmu->start(event, PERF_EF_RELOAD);
		dt->samples[n] = 0;
	}
}

static u64 records_left(void)
{
	const struct intel_ds *ds = this_cpu_ptr(&intel_ds);

	return ds->store->pebs_index - ds->buffer_at;
}

/* The count has each event, what is left of the period is right, and each period had its sample. */
static bool events_agree(struct kunit *test, struct drain_test *dt, int n, u64 before)
{
	struct perf_event *event = dt->event[n];
	u64 happened = dt->stage.counted[event->hw.idx];
	u64 counted = local64_read(&event->count) - before;
	s64 left = local64_read(&event->hw.period_left);

	KUNIT_EXPECT_EQ_MSG(test, counted, happened, "events of %d", n);
	KUNIT_EXPECT_EQ_MSG(test, left, PERIOD - happened % PERIOD, "left of %d", n);
	if (!dt->collect)
		KUNIT_EXPECT_EQ_MSG(test, dt->samples[n], happened / PERIOD, "samples of %d", n);
	else
		KUNIT_EXPECT_EQ_MSG(test, !!dt->samples[n], happened >= PERIOD, "samples of %d", n);
	return counted == happened && left == PERIOD - happened % PERIOD;
}

/* Play one combination. Steps name events, not counters. Returns the number of accesses. */
static unsigned int play(void *context, const struct emu_stage *script)
{
	struct kunit *test = context;
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], records;
	unsigned long flags;
	bool good = true;
	int n;

	local_irq_save(flags);
	begin_new_period(dt);
	emu_stage_set(&dt->stage, script, dt->event, take_nmi);
	for (n = 0; n < dt->nr; n++)
		before[n] = local64_read(&dt->event[n]->count);

	emu_stage_begin(&dt->stage);
	dt->op(dt);
	dt->stage.steps = 0;
	emu_stage_drain(&dt->stage);
	for (n = 0; n < dt->nr; n++)
		dt->event[n]->pmu->read(dt->event[n]);
	records = records_left();
	for (n = 0; n < dt->nr; n++)
		good &= events_agree(test, dt, n, before[n]);
	emu_stage_begin(&dt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, records, 0, "bytes of records that were not read");
	KUNIT_EXPECT_EQ_MSG(test, dt->stage.for_nothing, 0, "interrupts without an overflow");
	if (!good)
		emu_stage_print(script);
	return dt->stage.accesses;
}

/* Records are written at once, or so many accesses after their counters were stopped. */
static void play_with_late_records(struct kunit *test, struct emu_stage *script)
{
	static const unsigned int late_by[] = { 0, 1, 2, LATE_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(late_by); i++) {
		script->record_late_by = late_by[i];
		emu_stage_pairs(play, test, script, ACCESSES_MORE, APART_MAX);
	}
}

/* Events go on beyond the overflow; of some, another period ends. */
static void play_all(struct kunit *test, drain_op op)
{
	const struct x86_core_pmu *core = this_cpu_read(x86_cpu_pmu.core);
	/* Records that do not name their counters do not collect. */
	int modes = core->precise.format < PEBS_FORMAT_COUNTERS ? 1 : 2;
	struct drain_test *dt = test->priv;

	dt->op = op;
	for (int collect = 0; collect < modes; collect++) {
		set_collect(dt, collect);
		for (unsigned int latency = 0; latency <= 4; latency += 4) {
			struct emu_stage script = {
				.latency	= latency,
				.step		= { { .more = 3 }, { .more = 3 } },
			};

			play_with_late_records(test, &script);
		}
	}
}

static void op_read(struct drain_test *dt)
{
	dt->event[0]->pmu->read(dt->event[0]);
	dt->event[1]->pmu->read(dt->event[1]);
}

static void op_restart(struct drain_test *dt)
{
	dt->event[0]->pmu->stop(dt->event[0], PERF_EF_UPDATE);
	dt->event[0]->pmu->start(dt->event[0], PERF_EF_RELOAD);
}

static void op_off_and_on(struct drain_test *dt)
{
	perf_pmu_disable(dt->event[0]->pmu);
	perf_pmu_enable(dt->event[0]->pmu);
}

/* What a switch of tasks does to the event of a task, and close and exec to events they end. */
static void op_replace(struct drain_test *dt)
{
	struct pmu *pmu = dt->event[0]->pmu;

	perf_pmu_disable(pmu);
	pmu->del(dt->event[0], PERF_EF_UPDATE);
	perf_pmu_enable(pmu);
	perf_pmu_disable(pmu);
	pmu->add(dt->event[0], PERF_EF_START);
	perf_pmu_enable(pmu);
}

static void read_while_counting(struct kunit *test)
{
	play_all(test, op_read);
}

static void stopped_and_started(struct kunit *test)
{
	play_all(test, op_restart);
}

static void off_and_on(struct kunit *test)
{
	play_all(test, op_off_and_on);
}

static void taken_off_and_put_back(struct kunit *test)
{
	play_all(test, op_replace);
}

/* The events count @nr periods at once. Their interrupt is masked, or does not come in time. */
static void end_periods(struct drain_test *dt, unsigned int nr)
{
	struct emu_cpu *emu = this_cpu_ptr(&emu_cpu);

	for (; nr; nr--) {
		for (int n = 0; n < dt->nr; n++) {
			unsigned int idx = dt->event[n]->hw.idx;

			dt->stage.counted[idx] += BIT_ULL(emu_machine->width) -
						  emu->counter[idx].value;
			emu->counter[idx].value = 0;
			if (emu_machine->vendor->overflow(emu, BIT_ULL(idx)))
				emu_raise_pmi(emu);
		}
	}
}

/*
 * Begin a stage without steps, in which no interrupt comes in time. @before gets the counts.
 * Interrupts are disabled.
 */
static void begin_late_stage(struct drain_test *dt, u64 *before)
{
	begin_new_period(dt);
	dt->stage = (struct emu_stage) { .latency = 100000, .nmi = take_nmi };
	for (int n = 0; n < dt->nr; n++)
		before[n] = local64_read(&dt->event[n]->count);
	emu_stage_begin(&dt->stage);
}

/* End it: what is pending is handled. */
static void end_late_stage(struct drain_test *dt)
{
	emu_stage_drain(&dt->stage);
	emu_stage_begin(&dt->idle);
}

/* Many records, which the hardware wrote between two accesses, are read where something changes. */
static void many_records(struct kunit *test, drain_op op, unsigned int nr)
{
	struct drain_test *dt = test->priv;
	unsigned long flags;
	u64 before[EVENTS_MAX], at_once;
	int n;

	local_irq_save(flags);
	begin_late_stage(dt, before);
	end_periods(dt, nr);
	op(dt);
	at_once = records_left();
	emu_stage_drain(&dt->stage);
	for (n = 0; n < dt->nr; n++)
		dt->event[n]->pmu->read(dt->event[n]);
	for (n = 0; n < dt->nr; n++)
		events_agree(test, dt, n, before[n]);
	emu_stage_begin(&dt->idle);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, at_once, 0);
}

static void op_switch(struct drain_test *dt)
{
	struct pmu *pmu = dt->event[0]->pmu;

	perf_pmu_disable(pmu);
	pmu->sched_task(NULL, current, false);
	perf_pmu_enable(pmu);
}

static void op_stop(struct drain_test *dt)
{
	dt->event[0]->pmu->stop(dt->event[0], PERF_EF_UPDATE);
}

static void op_interrupt(struct drain_test *dt)
{
	emu_stage_drain(&dt->stage);
}

/* Also the records of the other event: both share the buffer. */
static void all_records_are_read(struct kunit *test)
{
	static const drain_op ops[] = {
		op_read, op_stop, op_restart, op_replace, op_switch,
	};

	if (this_cpu_read(x86_cpu_pmu.core)->precise.format < PEBS_FORMAT_COUNTERS)
		kunit_skip(test, "records do not collect");
	set_collect(test->priv, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		many_records(test, ops[i], 1);
		many_records(test, ops[i], 60);
	}
	/* up to the threshold, which raises the interrupt */
	many_records(test, op_interrupt, 60);
}

/*
 * The first access of an operation finds an overflow of the first event, which counts alone. Its
 * record comes @late accesses after the counter was stopped. Interrupts are disabled.
 */
static void begin_late_record(struct drain_test *dt, unsigned int late, u64 *before)
{
	begin_late_stage(dt, before);
	if (dt->nr > 1)
		dt->event[1]->pmu->stop(dt->event[1], PERF_EF_UPDATE);
	dt->stage.accesses = 0;
	dt->stage.record_late_by = late;
	dt->stage.steps = 1;
	dt->stage.step[0] = (struct emu_step) {
		.counter	= dt->event[0]->hw.idx,
		.overflow	= true,
		.more		= 3,
	};
}

static s64 counted_since(const struct drain_test *dt, const u64 *before)
{
	return local64_read(&dt->event[0]->count) - before[0];
}

/* A record that comes while an event is stopped is counted, and is a sample of it. */
static void late_records_are_counted(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], happened, left;
	unsigned int samples, late;
	unsigned long flags;
	s64 counted;

	set_collect(dt, false);
	/* The last one comes with the access after which no record is the event's. */
	for (late = 1; late <= PEBS_LOOKS + 1; late++) {
		local_irq_save(flags);
		begin_late_record(dt, late, before);
		op_stop(dt);
		counted = counted_since(dt, before);
		happened = dt->stage.counted[dt->event[0]->hw.idx];
		samples = dt->samples[0];
		left = records_left();
		end_late_stage(dt);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, happened, PERIOD + 3);
		KUNIT_EXPECT_EQ_MSG(test, counted, happened, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, samples, 1, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, left, 0, "late by %u", late);
		KUNIT_EXPECT_EQ(test, dt->stage.for_nothing, 0);
	}
}

/*
 * A record that comes even later is no record of the counter's next event. The count of its own
 * event does not go back when the counter is reloaded.
 */
static void the_next_event_gets_no_late_record(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], next[EVENTS_MAX], left;
	unsigned int samples, late;
	unsigned long flags;
	s64 counted, more;

	set_collect(dt, false);
	for (late = 1; late <= 2 * PEBS_LOOKS; late++) {
		local_irq_save(flags);
		begin_late_record(dt, late, before);
		op_stop(dt);
		counted = counted_since(dt, before);
		for (unsigned int n = 0; n < late; n++)
			x86_hw_read(MSR_CORE_PERF_GLOBAL_STATUS);
		dt->stage.steps = 0;
		begin_new_period(dt);
		next[0] = local64_read(&dt->event[0]->count);
		op_read(dt);
		more = counted_since(dt, next);
		samples = dt->samples[0];
		left = records_left();
		end_late_stage(dt);
		local_irq_restore(flags);
		KUNIT_EXPECT_GE_MSG(test, counted, 0, "late by %u", late);
		KUNIT_EXPECT_LE_MSG(test, counted, PERIOD + 3, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, more, 0, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, samples, 0, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, left, 0, "late by %u", late);
		KUNIT_EXPECT_EQ(test, dt->stage.for_nothing, 0);
	}
}

/* The counter is reloaded between two reads, or while it is read. */
static void counts_never_go_back(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], happened;
	unsigned long flags;
	unsigned int late;
	s64 counted[2];

	set_collect(dt, false);
	for (late = 1; late <= LATE_MAX; late++) {
		local_irq_save(flags);
		begin_late_record(dt, late, before);
		for (int n = 0; n < 2; n++) {
			dt->event[0]->pmu->read(dt->event[0]);
			counted[n] = counted_since(dt, before);
		}
		happened = dt->stage.counted[dt->event[0]->hw.idx];
		end_late_stage(dt);
		local_irq_restore(flags);
		KUNIT_EXPECT_GE_MSG(test, counted[0], 0, "late by %u", late);
		KUNIT_EXPECT_GE_MSG(test, counted[1], counted[0], "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, counted[1], happened, "late by %u", late);
	}
}

/* Records name no task: one that comes late is read before the next task runs. */
static void late_records_are_of_the_task_before(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], left;
	unsigned int samples, late;
	unsigned long flags;

	set_collect(dt, false);
	for (late = 1; late <= LATE_MAX; late++) {
		local_irq_save(flags);
		begin_late_record(dt, late, before);
		op_switch(dt);
		samples = dt->samples[0];
		left = records_left();
		end_late_stage(dt);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ_MSG(test, samples, 1, "late by %u", late);
		KUNIT_EXPECT_EQ_MSG(test, left, 0, "late by %u", late);
	}
}

/* A reload starts the period that the event has now, not the one that the counter had before. */
static void periods_change(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	struct perf_event *event = dt->event[0];
	u64 before[EVENTS_MAX], counted, happened, reload;
	unsigned long flags;
	s64 left;

	set_collect(dt, false);
	local_irq_save(flags);
	begin_late_stage(dt, before);
	event->hw.sample_period = 3 * PERIOD;
	end_periods(dt, 1);
	event->pmu->read(event);
	left = local64_read(&event->hw.period_left);
	reload = this_cpu_ptr(&pebs_cpu)->reload[event->hw.idx];
	end_periods(dt, 1);
	event->pmu->read(event);
	counted = local64_read(&event->count) - before[0];
	happened = dt->stage.counted[event->hw.idx];
	end_late_stage(dt);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, left, 3 * PERIOD);
	KUNIT_EXPECT_EQ(test, reload, 3 * PERIOD);
	KUNIT_EXPECT_EQ(test, happened, 4 * PERIOD);
	KUNIT_EXPECT_EQ(test, counted, happened);
}

/*
 * Skid, and errata, write records of the kernel for an event that excludes it. Their periods count,
 * and there is no sample. A thread of the kernel has no other records.
 */
static void records_of_excluded_modes_are_dropped(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	unsigned int samples[EVENTS_MAX];
	u64 before[EVENTS_MAX], counted;
	unsigned long flags;

	set_collect(dt, false);
	local_irq_save(flags);
	begin_late_stage(dt, before);
	dt->event[0]->attr.exclude_kernel = 1;
	end_periods(dt, 1);
	dt->event[0]->pmu->read(dt->event[0]);
	counted = local64_read(&dt->event[0]->count) - before[0];
	memcpy(samples, dt->samples, sizeof(samples));
	dt->event[0]->attr.exclude_kernel = 0;
	end_late_stage(dt);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, samples[0], 0);
	if (dt->nr > 1)
		KUNIT_EXPECT_EQ(test, samples[1], 1);
	KUNIT_EXPECT_EQ(test, counted, PERIOD);
}

/*
 * A limit of overflows comes while records collect. These do not count against it. The next record
 * does, after the core has stopped the event and started it again.
 */
static void records_are_older_than_a_limit(struct kunit *test)
{
	struct drain_test *dt = test->priv;
	struct perf_event *event = dt->event[0];
	u64 before[EVENTS_MAX], counted;
	unsigned int samples[2];
	unsigned long flags;
	int left[2];

	if (this_cpu_read(x86_cpu_pmu.core)->precise.format < PEBS_FORMAT_COUNTERS)
		kunit_skip(test, "records do not collect");
	set_collect(dt, true);
	local_irq_save(flags);
	begin_late_stage(dt, before);
	end_periods(dt, 3);
	atomic_set(&event->event_limit, 2);
	event->pmu->stop(event, PERF_EF_UPDATE);
	samples[0] = dt->samples[0];
	left[0] = atomic_read(&event->event_limit);
	event->pmu->start(event, 0);
	end_periods(dt, 1);
	event->pmu->read(event);
	samples[1] = dt->samples[0];
	left[1] = atomic_read(&event->event_limit);
	counted = local64_read(&event->count) - before[0];
	atomic_set(&event->event_limit, 0);
	end_late_stage(dt);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, samples[0], 0);
	KUNIT_EXPECT_EQ(test, left[0], 2);
	KUNIT_EXPECT_EQ(test, samples[1], 1);
	KUNIT_EXPECT_EQ(test, left[1], 1);
	KUNIT_EXPECT_EQ(test, counted, 4 * PERIOD);
}

/* The registers lose their content, or may have. */
static void op_pause(struct drain_test *dt)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	x86_sched_continue(cpu, x86_sched_pause(cpu));
}

/* Another event gets a counter. Some cores clear all counters before. */
static void op_add_other(struct drain_test *dt)
{
	struct pmu *pmu = dt->other->pmu;
	int err;

	perf_pmu_disable(pmu);
	err = pmu->add(dt->other, PERF_EF_START);
	perf_pmu_enable(pmu);
	if (err)
		return;
	perf_pmu_disable(pmu);
	pmu->del(dt->other, PERF_EF_UPDATE);
	perf_pmu_enable(pmu);
}

/* The event changes its counter, as if another event could use only that one. */
static void op_move(struct drain_test *dt)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct perf_event *event = dt->event[0];
	int counter = event->hw.idx;
	u64 others = cpu->assign.allowed[counter] & ~cpu->assign.taken;

	perf_pmu_disable(event->pmu);
	x86_assign_release(&cpu->assign, counter);
	/* without another counter, it gets the same one again */
	x86_assign_counter(&cpu->assign, event, others ?: BIT_ULL(counter));
	cpu->moved = true;
	perf_pmu_enable(event->pmu);
}

/* A record is the last one that the event may have, and is read where all events are stopped. */
static void last_record_is_the_last(struct kunit *test, drain_op op)
{
	struct drain_test *dt = test->priv;
	struct perf_event *event = dt->event[0];
	u64 before[EVENTS_MAX];
	unsigned int samples;
	unsigned long flags;
	bool stopped;

	local_irq_save(flags);
	begin_late_stage(dt, before);
	end_periods(dt, 1);
	atomic_set(&event->event_limit, 1);
	op(dt);
	/* takes the record on cores that clear nothing */
	event->pmu->read(event);
	samples = dt->samples[0];
	stopped = event->hw.state & PERF_HES_STOPPED;
	end_late_stage(dt);
	local_irq_restore(flags);
	/* it disables the event */
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, samples, 1);
	KUNIT_EXPECT_TRUE(test, stopped);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_OFF);
	perf_event_enable(event);
	KUNIT_ASSERT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
}

static void an_event_with_its_last_record_stays_stopped(struct kunit *test)
{
	struct drain_test *dt = test->priv;

	set_collect(dt, false);
	dt->other = other_event(dt);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dt->other));
	last_record_is_the_last(test, op_add_other);
	last_record_is_the_last(test, op_pause);
	last_record_is_the_last(test, op_move);
}

static u64 lost(const struct drain_test *dt, int n)
{
	return atomic64_read(&dt->event[n]->lost_samples);
}

/* Records for which a full buffer has no room are not counted; the events say so. */
static void full_buffer_loses_samples(struct kunit *test)
{
	const struct x86_core_pmu *core = this_cpu_read(x86_cpu_pmu.core);
	struct pebs_layout layout = pebs_layout_of(core);
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], lost_before[2], lost_after[2];
	unsigned long flags;
	unsigned int room;
	s64 missing;

	set_collect(dt, core->precise.format >= PEBS_FORMAT_COUNTERS);
	local_irq_save(flags);
	room = PEBS_BUFFER_SIZE / pebs_record_size(&layout, this_cpu_read(pebs_cpu.data_cfg));
	for (int more = 0; more < 2; more++) {
		begin_late_stage(dt, before);
		lost_before[more] = lost(dt, 0);
		/* each period has a record of each event */
		end_periods(dt, (room - 1) / dt->nr + 20 * more);
		dt->event[0]->pmu->read(dt->event[0]);
		missing = dt->stage.counted[dt->event[0]->hw.idx] -
			  (local64_read(&dt->event[0]->count) - before[0]);
		lost_after[more] = lost(dt, 0);
		end_late_stage(dt);
		if (!more && missing)
			break;
	}
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, lost_after[0], lost_before[0]);
	KUNIT_EXPECT_EQ(test, lost_after[1], lost_before[1] + 1);
	/* Of the records of 20 periods, one or two had room. */
	KUNIT_EXPECT_GE(test, missing, 19 * PERIOD);
	KUNIT_EXPECT_LE(test, missing, 20 * PERIOD);
}

/*
 * A drain is entered again before it has emptied the buffer, by an NMI or a read, and while it
 * writes samples, by a read. The inner drain takes no record and writes no sample. The outer one
 * counts each record once.
 */
static void cve_2026_97960_drain_within_a_drain(struct kunit *test)
{
	bool collect = this_cpu_read(x86_cpu_pmu.core)->precise.format >= PEBS_FORMAT_COUNTERS;
	struct drain_test *dt = test->priv;
	u64 before[EVENTS_MAX], counted[EVENTS_MAX], written, left;
	unsigned int samples = 0;
	unsigned long flags;
	int n;

	set_collect(dt, collect);
	local_irq_save(flags);
	begin_late_stage(dt, before);
	end_periods(dt, collect ? 3 : 1);
	written = records_left();
	this_cpu_write(pebs_cpu.draining, true);
	op_read(dt);
	take_nmi(&dt->stage);
	left = records_left();
	for (n = 0; n < dt->nr; n++)
		samples += dt->samples[n];
	this_cpu_write(pebs_cpu.draining, false);

	dt->sample_reads = true;
	op_read(dt);
	dt->sample_reads = false;
	for (n = 0; n < dt->nr; n++) {
		counted[n] = local64_read(&dt->event[n]->count);
		events_agree(test, dt, n, before[n]);
	}
	end_late_stage(dt);
	local_irq_restore(flags);
	KUNIT_EXPECT_GT(test, written, 0);
	KUNIT_EXPECT_EQ(test, left, written);
	KUNIT_EXPECT_EQ(test, samples, 0);
	for (n = 0; n < dt->nr; n++)
		KUNIT_EXPECT_EQ(test, dt->seen[n], counted[n]);
}

static void drain_test_exit(struct kunit *test)
{
	struct drain_test *dt = test->priv;

	if (!dt)
		return;
	emu_stage_end_on(dt->cpu);
	if (!IS_ERR_OR_NULL(dt->other))
		perf_event_release_kernel(dt->other);
	for (int n = 0; n < dt->nr; n++) {
		if (!IS_ERR_OR_NULL(dt->event[n]))
			perf_event_release_kernel(dt->event[n]);
	}
}

static int drain_test_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct drain_test *dt;

	if (!core || !core->side[X86_SIDE_PRECISE])
		kunit_skip(test, "no emulated PMU with precise sampling");
	dt = kunit_kzalloc(test, sizeof(*dt), GFP_KERNEL);
	if (!dt)
		return -ENOMEM;
	test->priv = dt;
	dt->cpu = cpumask_first(&core->cpus);
	dt->nr = core->precise.format < PEBS_FORMAT_COUNTERS ? 1 : EVENTS_MAX;
	dt->idle.nmi = take_nmi;
	test_bind(test, dt->cpu);
	for (int n = 0; n < dt->nr; n++) {
		dt->event[n] = drain_event(dt);
		if (IS_ERR(dt->event[n]))
			return PTR_ERR(dt->event[n]);
	}
	if (dt->nr == 1)
		dt->event[1] = dt->event[0];
	scoped_guard(irqsave)
		emu_stage_begin(&dt->idle);
	for (int n = 0; n < dt->nr; n++)
		perf_event_enable(dt->event[n]);
	return dt->event[0]->hw.idx < 0 || dt->event[1]->hw.idx < 0 ? -EBUSY : 0;
}

static struct kunit_case drain_cases[] = {
	KUNIT_CASE(read_while_counting),
	KUNIT_CASE(stopped_and_started),
	KUNIT_CASE(off_and_on),
	KUNIT_CASE(taken_off_and_put_back),
	KUNIT_CASE(all_records_are_read),
	KUNIT_CASE(late_records_are_counted),
	KUNIT_CASE(the_next_event_gets_no_late_record),
	KUNIT_CASE(counts_never_go_back),
	KUNIT_CASE(late_records_are_of_the_task_before),
	KUNIT_CASE(periods_change),
	KUNIT_CASE(records_of_excluded_modes_are_dropped),
	KUNIT_CASE(records_are_older_than_a_limit),
	KUNIT_CASE(an_event_with_its_last_record_stays_stopped),
	KUNIT_CASE(full_buffer_loses_samples),
	KUNIT_CASE(cve_2026_97960_drain_within_a_drain),
	{ }
};

static struct kunit_suite drain_suite = {
	.name		= "perf_x86_pebs_drain",
	.init		= drain_test_init,
	.exit		= drain_test_exit,
	.test_cases	= drain_cases,
};

kunit_test_suite(drain_suite);
