// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what VM entry and exit switch, on an emulated PMU of Intel. The test takes the
 * place of KVM and of the CPU: it writes the values of VM exit to the registers. In between it
 * stops counters as an NMI does that throttles events. Skipped without x86_pmu_emulator=.
 *
 * No machine of "make test" can show that with a guest: QEMU does not emulate VMX.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/core/schedule.h"
#include "arch/x86/events/counters/count.h"
#include "arch/x86/events/counters/counters.h"
#include "arch/x86/events/counters/side.h"
#include "arch/x86/events/intel/ds/pebs_cpu.h"
#include "arch/x86/events/intel/guest.h"
#include "../stage.h"
#include "driver.h"

#define EVENTS		2

/* Which of the events counts where. */
enum {
	HOST_ONLY,
	GUEST_ONLY,
};

/**
 * struct guest_test - events on a CPU that enters a guest
 * @cpu: the CPU, to which the test's thread is bound
 * @idle: an empty script: nothing is counted, and no interrupt comes, but by the test
 * @event: events of the host and of the guest
 * @precise: an event with records, of the host; NULL in tests without one
 * @misc: perf_misc_flags() in the last sample of @precise
 * @ip: perf_instruction_pointer(), the same
 * @msrs: what VM entry and exit switch
 * @nr: number of these
 */
struct guest_test {
	int			cpu;
	struct emu_stage	idle;
	struct perf_event	*event[EVENTS];
	struct perf_event	*precise;
	unsigned long		misc;
	unsigned long		ip;
	struct intel_guest_msrs	msrs;
	int			nr;
};

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
}

static struct perf_event *make_event(unsigned int n, int cpu)
{
	static const u64 ids[EVENTS] = {
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
	};
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.config		= ids[n],
		.size		= sizeof(attr),
		.exclude_guest	= n == HOST_ONLY,
		.exclude_host	= n == GUEST_ONLY,
		.pinned		= 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow, NULL);
}

/* VM entry will load the values that are current now. */
static void prepare_entry(struct guest_test *gt)
{
	gt->nr = intel_guest_fill(this_cpu_ptr(&x86_cpu_pmu), &gt->msrs);
}

static void exit_guest(struct guest_test *gt)
{
	for (int i = 0; i < gt->nr; i++) {
		if (gt->msrs.msr[i].host != gt->msrs.msr[i].guest)
			x86_hw_write(gt->msrs.msr[i].msr, gt->msrs.msr[i].host);
	}
}

static void stop_in_nmi(struct perf_event *event)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	x86_cpu_off(cpu);
	x86_sched_stop(event);
	x86_cpu_on(cpu);
}

/* Mask of the counters that the registers, or the values for VM entry, enable. */
static u64 enabled_by(struct guest_test *gt, bool guest)
{
	const struct x86_core_pmu *core = this_cpu_read(x86_cpu_pmu.core);
	u64 found = 0;

	for (int i = 0; i < gt->nr; i++) {
		const struct perf_guest_switch_msr *msr = &gt->msrs.msr[i];
		u64 value = guest ? msr->guest : x86_hw_read(msr->msr);

		if (core->regs->global_ctrl)
			return value;
		if (value & ARCH_PERFMON_EVENTSEL_ENABLE)
			found |= BIT_ULL(i);
	}
	return found;
}

static u64 enabled(struct guest_test *gt)
{
	return enabled_by(gt, false);
}

static u64 counter_of(struct guest_test *gt, unsigned int n)
{
	return BIT_ULL(gt->event[n]->hw.idx);
}

static void restart(struct guest_test *gt)
{
	for (int n = 0; n < EVENTS; n++)
		gt->event[n]->pmu->start(gt->event[n], PERF_EF_RELOAD);
}

/* Each event is enabled only where it counts, whatever the version of the PMU. */
static void host_and_guest_differ(struct kunit *test)
{
	struct guest_test *gt = test->priv;
	u64 host, guest, after;
	unsigned long flags;

	local_irq_save(flags);
	prepare_entry(gt);
	host = enabled(gt);
	guest = enabled_by(gt, true);
	exit_guest(gt);
	after = enabled(gt);
	local_irq_restore(flags);

	KUNIT_EXPECT_TRUE(test, host & counter_of(gt, HOST_ONLY));
	KUNIT_EXPECT_FALSE(test, host & counter_of(gt, GUEST_ONLY));
	KUNIT_EXPECT_FALSE(test, guest & counter_of(gt, HOST_ONLY));
	KUNIT_EXPECT_TRUE(test, guest & counter_of(gt, GUEST_ONLY));
	KUNIT_EXPECT_EQ(test, after, host);
}

/*
 * An NMI stops all counters before VM entry, and VM exit enables one again. When the PMU is
 * disabled next, the counter must stop.
 */
static void stopped_before_entry(struct kunit *test)
{
	struct guest_test *gt = test->priv;
	struct x86_cpu_pmu *cpu;
	u64 exited, off, on;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_cpu_pmu);
	prepare_entry(gt);
	stop_in_nmi(gt->event[HOST_ONLY]);
	stop_in_nmi(gt->event[GUEST_ONLY]);
	exit_guest(gt);
	exited = enabled(gt);
	x86_cpu_off(cpu);
	off = enabled(gt);
	exit_guest(gt);
	x86_cpu_on(cpu);
	on = enabled(gt);
	restart(gt);
	local_irq_restore(flags);

	/* the test has staged what it is for */
	KUNIT_EXPECT_EQ(test, exited & counter_of(gt, HOST_ONLY), counter_of(gt, HOST_ONLY));
	KUNIT_EXPECT_EQ(test, off, 0);
	KUNIT_EXPECT_EQ(test, on & counter_of(gt, HOST_ONLY), 0);
}

/* The next VM entry need not switch any more: it must not find the counter enabled. */
static void stopped_before_an_earlier_entry(struct kunit *test)
{
	struct guest_test *gt = test->priv;
	unsigned long flags;
	u64 exited, entered;

	local_irq_save(flags);
	prepare_entry(gt);
	stop_in_nmi(gt->event[HOST_ONLY]);
	exit_guest(gt);
	exited = enabled(gt);
	prepare_entry(gt);
	entered = enabled(gt);
	restart(gt);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, exited & counter_of(gt, HOST_ONLY), counter_of(gt, HOST_ONLY));
	KUNIT_EXPECT_EQ(test, entered & counter_of(gt, HOST_ONLY), 0);
}

/* A precise event of all models. In user mode, nothing is counted while a test runs. */
#define CONDITIONAL	0x01c4
#define PERIOD		100000

static void on_record(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct guest_test *gt = event->overflow_handler_context;

	gt->misc = perf_misc_flags(regs);
	gt->ip = perf_instruction_pointer(regs);
}

static void add_precise(struct kunit *test, bool exclude_kernel)
{
	struct perf_event_attr attr = {
		.type		= this_cpu_read(x86_cpu_pmu.core)->pmu.type,
		.config		= CONDITIONAL,
		.size		= sizeof(attr),
		.sample_period	= PERIOD,
		.precise_ip	= 1,
		.exclude_guest	= 1,
		.exclude_kernel	= exclude_kernel,
		.pinned		= 1,
	};
	struct guest_test *gt = test->priv;

	if (!x86_core_pmus[0]->side[X86_SIDE_PRECISE])
		kunit_skip(test, "the emulated PMU has no precise sampling");
	gt->precise = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, on_record,
						       gt);
	KUNIT_ASSERT_FALSE(test, IS_ERR(gt->precise));
	KUNIT_ASSERT_GE(test, gt->precise->hw.idx, 0);
}

/* As KVM does before VM entry, and then VM entry. */
static void enter_guest(struct guest_test *gt)
{
	for (int i = 0; i < gt->nr; i++) {
		const struct perf_guest_switch_msr *msr = &gt->msrs.msr[i];

		if (msr->host == msr->guest)
			continue;
		if (msr->msr == MSR_IA32_PEBS_ENABLE)
			x86_hw_write(msr->msr, 0);
		x86_hw_write(msr->msr, msr->guest);
	}
}

/* In a guest, the event does not count and nothing is recorded. */
static void host_records_stay_out_of_guests(struct kunit *test)
{
	struct guest_test *gt = test->priv;
	u64 before, inside, after, counters, bit;
	unsigned long flags;

	add_precise(test, true);
	local_irq_save(flags);
	bit = BIT_ULL(gt->precise->hw.idx);
	before = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	prepare_entry(gt);
	enter_guest(gt);
	inside = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	counters = enabled(gt);
	exit_guest(gt);
	after = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, before & bit, bit);
	KUNIT_EXPECT_EQ(test, inside, 0);
	KUNIT_EXPECT_EQ(test, counters & bit, 0);
	KUNIT_EXPECT_EQ(test, after, before);
	KUNIT_EXPECT_EQ(test, enabled(gt) & bit, bit);
}

/* VM exit lets a counter record that was stopped before. Its next event may not be precise. */
static void stopped_before_entry_records_no_more(struct kunit *test)
{
	struct guest_test *gt = test->priv;
	u64 exited, off, entered, bit;
	unsigned long flags;

	add_precise(test, true);
	local_irq_save(flags);
	bit = BIT_ULL(gt->precise->hw.idx);
	prepare_entry(gt);
	stop_in_nmi(gt->precise);
	enter_guest(gt);
	exit_guest(gt);
	exited = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	x86_cpu_off(this_cpu_ptr(&x86_cpu_pmu));
	off = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	x86_cpu_on(this_cpu_ptr(&x86_cpu_pmu));
	/* the same, and the next thing is another VM entry, which need not switch the register */
	exit_guest(gt);
	prepare_entry(gt);
	entered = x86_hw_read(MSR_IA32_PEBS_ENABLE);
	gt->precise->pmu->start(gt->precise, PERF_EF_RELOAD);
	local_irq_restore(flags);

	/* the test has staged what it is for */
	KUNIT_EXPECT_EQ(test, exited & bit, bit);
	KUNIT_EXPECT_EQ(test, off & bit, 0);
	KUNIT_EXPECT_EQ(test, entered & bit, 0);
}

/* A counter that overflows while KVM has records disabled has none, and is not reloaded. */
static void overflow_without_record_is_made_up_for(struct kunit *test)
{
	u64 before, counted, status, value, bit;
	struct guest_test *gt = test->priv;
	const struct x86_period_rule *rule;
	struct emu_cpu *emu;
	unsigned long flags;

	add_precise(test, true);
	rule = x86_count_rule(this_cpu_ptr(&x86_cpu_pmu)->core, gt->precise->hw.config);
	local_irq_save(flags);
	emu = this_cpu_ptr(&emu_cpu);
	bit = BIT_ULL(gt->precise->hw.idx);
	gt->precise->pmu->read(gt->precise);
	before = local64_read(&gt->precise->count);
	prepare_entry(gt);
	enter_guest(gt);
	emu->counter[gt->precise->hw.idx].value = 5;
	emu->global_status |= bit;
	exit_guest(gt);
	prepare_entry(gt);
	value = emu->counter[gt->precise->hw.idx].value;
	counted = local64_read(&gt->precise->count) - before;
	status = emu->global_status;
	emu->global_status &= ~bit;
	gt->precise->pmu->stop(gt->precise, PERF_EF_UPDATE);
	gt->precise->pmu->start(gt->precise, PERF_EF_RELOAD);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, counted, PERIOD + 5);
	/* The next event has the record, or as soon as the shortest period allows. */
	KUNIT_EXPECT_EQ(test, value, BIT_ULL(emu_machine->width) - (rule ? rule->min : 1));
	KUNIT_EXPECT_EQ(test, status & bit, bit);
}

/* Architectural records are controlled by a register that VM entry and exit leave alone. */
static void branches_of_guests_are_not_recorded(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type			= this_cpu_read(x86_cpu_pmu.core)->pmu.type,
		.config			= CONDITIONAL,
		.size			= sizeof(attr),
		.sample_period		= PERIOD,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.exclude_guest		= 1,
		.exclude_kernel		= 1,
		.pinned			= 1,
	};
	struct guest_test *gt = test->priv;
	unsigned long flags;
	u64 before, inside, after;

	if (this_cpu_read(x86_cpu_pmu.core)->branches.info != MSR_ARCH_LBR_INFO_0)
		kunit_skip(test, "the emulated PMU has no architectural records of branches");
	gt->precise = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL, on_record,
						       gt);
	KUNIT_ASSERT_FALSE(test, IS_ERR(gt->precise));
	local_irq_save(flags);
	before = x86_hw_read(MSR_ARCH_LBR_CTL);
	prepare_entry(gt);
	enter_guest(gt);
	inside = x86_hw_read(MSR_ARCH_LBR_CTL);
	exit_guest(gt);
	after = x86_hw_read(MSR_ARCH_LBR_CTL);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, before & 1, 1);
	KUNIT_EXPECT_EQ(test, inside, 0);
	KUNIT_EXPECT_EQ(test, after, before);
}

/* Without KVM no sample can be of a guest. */
#ifdef CONFIG_GUEST_PERF_EVENTS
#define GUEST_IP	0x1234567

static unsigned int state_of_guest(void)
{
	return PERF_GUEST_ACTIVE;
}

static unsigned long ip_of_guest(void)
{
	return GUEST_IP;
}

static struct perf_guest_info_callbacks guest_cbs = {
	.state	= state_of_guest,
	.get_ip	= ip_of_guest,
};

/* The interrupt for records of the host may hit the guest that runs next. */
static void records_are_of_the_host(struct kunit *test)
{
	struct perf_guest_info_callbacks *others = rcu_access_pointer(perf_guest_cbs);
	struct guest_test *gt = test->priv;
	struct pt_regs regs = { };
	unsigned long flags, ip;

	add_precise(test, false);
	/* KVM, which has no guest now */
	if (others)
		perf_unregister_guest_info_callbacks(others);
	perf_register_guest_info_callbacks(&guest_cbs);
	local_irq_save(flags);
	this_cpu_ptr(&emu_cpu)->counter[gt->precise->hw.idx].value = 0;
	emu_machine->vendor->overflow(this_cpu_ptr(&emu_cpu),
				      BIT_ULL(gt->precise->hw.idx));
	gt->precise->pmu->read(gt->precise);
	ip = perf_instruction_pointer(&regs);
	local_irq_restore(flags);
	perf_unregister_guest_info_callbacks(&guest_cbs);
	if (others)
		perf_register_guest_info_callbacks(others);

	KUNIT_EXPECT_EQ(test, ip, GUEST_IP);
	KUNIT_EXPECT_NE(test, gt->ip, 0);
	KUNIT_EXPECT_NE(test, gt->ip, GUEST_IP);
	KUNIT_EXPECT_EQ(test, gt->misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_KERNEL);
}
#else
static void records_are_of_the_host(struct kunit *test)
{
	kunit_skip(test, "this kernel has no guests");
}
#endif

static struct pt_regs guest_regs;

/* The counter overflows. Returns what the interrupt's handler does. */
static int overflow(struct perf_event *event)
{
	struct emu_cpu *emu = this_cpu_ptr(&emu_cpu);

	emu->counter[event->hw.idx].value = 1;
	if (this_cpu_read(x86_cpu_pmu.core)->regs->global_ctrl)
		emu->global_status |= BIT_ULL(event->hw.idx);
	return x86_nmi_take(&guest_regs, true);
}

/*
 * VM exit, or VM entry, enables a counter that was stopped before, and the counter overflows. Its
 * interrupt must be claimed, and no other one.
 */
static void overflow_after_switch(struct kunit *test, unsigned int n)
{
	struct guest_test *gt = test->priv;
	int before, claimed, again;
	unsigned long flags;

	local_irq_save(flags);
	prepare_entry(gt);
	stop_in_nmi(gt->event[n]);
	before = x86_nmi_take(&guest_regs, true);
	exit_guest(gt);
	claimed = overflow(gt->event[n]);
	again = x86_nmi_take(&guest_regs, true);
	restart(gt);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, before, 0);
	KUNIT_EXPECT_EQ(test, claimed, 1);
	KUNIT_EXPECT_EQ(test, again, 0);
}

static void stopped_and_overflows_after_exit(struct kunit *test)
{
	overflow_after_switch(test, HOST_ONLY);
}

static void stopped_and_overflows_in_guest(struct kunit *test)
{
	overflow_after_switch(test, GUEST_ONLY);
}

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&guest_regs, true);
}

static void guest_test_exit(struct kunit *test)
{
	struct guest_test *gt = test->priv;

	if (gt)
		emu_stage_end_on(gt->cpu);
	for (int n = 0; gt && n < EVENTS; n++) {
		if (!IS_ERR_OR_NULL(gt->event[n]))
			perf_event_release_kernel(gt->event[n]);
	}
	if (gt && !IS_ERR_OR_NULL(gt->precise))
		perf_event_release_kernel(gt->precise);
}

static int guest_test_init(struct kunit *test)
{
	int cpu = raw_smp_processor_id();
	struct x86_hw_identity id;
	struct guest_test *gt;

	x86_hw_identity(&id);
	if (!emulated_core() || id.vendor != X86_VENDOR_INTEL)
		kunit_skip(test, "no emulated PMU of Intel");
	gt = kunit_kzalloc(test, sizeof(*gt), GFP_KERNEL);
	if (!gt)
		return -ENOMEM;
	test->priv = gt;
	gt->cpu = cpu;
	gt->idle.nmi = take_nmi;
	test_bind(test, cpu);
	emu_stage_begin(&gt->idle);
	for (int n = 0; n < EVENTS; n++) {
		gt->event[n] = make_event(n, cpu);
		if (IS_ERR(gt->event[n]))
			return PTR_ERR(gt->event[n]);
		if (gt->event[n]->hw.idx < 0)
			return -EBUSY;
	}
	return 0;
}

static struct kunit_case guest_cases[] = {
	KUNIT_CASE(host_and_guest_differ),
	KUNIT_CASE(stopped_before_entry),
	KUNIT_CASE(stopped_before_an_earlier_entry),
	KUNIT_CASE(stopped_and_overflows_after_exit),
	KUNIT_CASE(stopped_and_overflows_in_guest),
	KUNIT_CASE(host_records_stay_out_of_guests),
	KUNIT_CASE(stopped_before_entry_records_no_more),
	KUNIT_CASE(overflow_without_record_is_made_up_for),
	KUNIT_CASE(records_are_of_the_host),
	KUNIT_CASE(branches_of_guests_are_not_recorded),
	{ }
};

static struct kunit_suite guest_suite = {
	.name		= "perf_x86_intel_guest",
	.init		= guest_test_init,
	.exit		= guest_test_exit,
	.test_cases	= guest_cases,
};

kunit_test_suite(guest_suite);
