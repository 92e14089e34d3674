// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of freeze_on_smi on an emulated PMU: the register of each CPU has the value of
 * sysfs, and its other bits do not change. Skipped without x86_pmu_emulator=, and if the
 * emulated CPU does not support it.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/device.h>
#include "arch/x86/events/core/suspend.h"
#include "arch/x86/events/features/smi.h"
#include "../emulator.h"
#include "driver.h"

static ssize_t store(const char *text)
{
	struct device_attribute *attr;

	attr = container_of(x86_smi_group.attrs[0], struct device_attribute, attr);
	return attr->store(x86_core_pmus[0]->pmu.dev, attr, text, strlen(text));
}

static void expect_everywhere(struct kunit *test, u64 value)
{
	int cpu;

	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ_MSG(test, per_cpu(emu_cpu, cpu).debugctl, value, "CPU %d", cpu);
}

static void register_follows_the_file(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	int cpu;

	if (!core || !core->freezes_on_smi)
		kunit_skip(test, "no emulated PMU that freezes");

	for_each_online_cpu(cpu)
		per_cpu(emu_cpu, cpu).debugctl = DEBUGCTLMSR_BTF;
	KUNIT_EXPECT_EQ(test, store("1"), 1);
	expect_everywhere(test, DEBUGCTLMSR_BTF | DEBUGCTLMSR_FREEZE_IN_SMM);
	KUNIT_EXPECT_EQ(test, store("2"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store("on"), -EINVAL);
	expect_everywhere(test, DEBUGCTLMSR_BTF | DEBUGCTLMSR_FREEZE_IN_SMM);
	KUNIT_EXPECT_EQ(test, store("0"), 1);
	expect_everywhere(test, DEBUGCTLMSR_BTF);
	for_each_online_cpu(cpu)
		per_cpu(emu_cpu, cpu).debugctl = 0;
}

/* A CPU that comes online or resumes has lost the bit. */
static void cpu_that_lost_it_gets_it(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();

	if (!core || !core->freezes_on_smi)
		kunit_skip(test, "no emulated PMU that freezes");

	KUNIT_EXPECT_EQ(test, store("1"), 1);
	local_irq_disable();
	x86_core_suspend();
	this_cpu_write(emu_cpu.debugctl, 0);
	x86_core_resume();
	KUNIT_EXPECT_EQ(test, this_cpu_read(emu_cpu.debugctl), DEBUGCTLMSR_FREEZE_IN_SMM);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, store("0"), 1);
}

static struct kunit_case smi_cases[] = {
	KUNIT_CASE(register_follows_the_file),
	KUNIT_CASE(cpu_that_lost_it_gets_it),
	{ }
};

static struct kunit_suite smi_suite = {
	.name		= "perf_x86_smi",
	.test_cases	= smi_cases,
};

kunit_test_suite(smi_suite);
