// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of detection: each core of detect_machines.h is detected as it would be on the
 * real machine, and the PMU is compared with what other sources say of it. They run on any
 * x86 machine, and access no register.
 */
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cpu.h>
#include "../core/detect.h"
#include "../core/event.h"
#include "../core/sysfs.h"
#include "../features/topdown.h"
#include "detect_test.h"

/* real_core::full_width: how general purpose counters are written */
#define WRITES_31_BITS	1
#define WRITES_FULL	2

/* real_core::lists: extra registers that a list of events uses; LISTED: the list is complete */
#define LISTED		BIT(0)
#define LIST_OFFCORE	BIT(1)
#define LIST_LDLAT	BIT(2)
#define LIST_FRONTEND	BIT(3)

/**
 * struct real_core - a kind of core of a real machine
 * @name: the machine, and after a space the kind of core if there are several
 * @vendor: X86_VENDOR_*
 * @signature: CPUID leaf 1 EAX
 * @l1_ecx: leaf 1
 * @l7_ebx: leaf 7
 * @l7_edx: leaf 7
 * @l7_1_eax: leaf 7, subleaf 1
 * @la: leaf 0xa
 * @l1a_eax: leaf 0x1a
 * @l23: leaf 0x23, EAX and EBX
 * @l23_1: leaf 0x23, subleaf 1, EAX and EBX
 * @x1_ecx: leaf 0x80000001
 * @x22: leaf 0x80000022, EAX and EBX
 * @capabilities: IA32_PERF_CAPABILITIES
 * @generic: number of general purpose counters
 * @fixed: mask of fixed counters
 * @width: bits of a general purpose counter
 * @version: version of the PMU
 * @full_width: WRITES_*
 * @pmu: name of the PMU
 * @lists: LIST_*, and LISTED
 * @levels: levels of topdown metrics
 *
 * From @generic on they are what sources other than CPUID say; 0: not known, but for
 * @levels.
 */
struct real_core {
	const char	*name;
	u8		vendor;
	u32		signature;
	u32		l1_ecx;
	u32		l7_ebx;
	u32		l7_edx;
	u32		l7_1_eax;
	u32		la[4];
	u32		l1a_eax;
	u32		l23[2];
	u32		l23_1[2];
	u32		x1_ecx;
	u32		x22[2];
	u64		capabilities;

	u8		generic;
	u16		fixed;
	u8		width;
	u8		version;
	u8		full_width;
	const char	*pmu;
	u8		lists;
	u8		levels;
};

#include "detect_machines.h"

static void core_name(const struct real_core *real, char *text)
{
	strscpy(text, real->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(real_core, real_cores, core_name);

static const struct real_core *real_core_of(struct kunit *test, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(real_cores); i++) {
		if (!strcmp(real_cores[i].name, name))
			return &real_cores[i];
	}
	KUNIT_FAIL(test, "no machine %s", name);
	return NULL;
}

static struct x86_detect_cpu cpu_of(const struct real_core *real)
{
	return (struct x86_detect_cpu) {
		.id = {
			.vendor		= real->vendor,
			.family		= x86_family(real->signature),
			.model		= x86_model(real->signature),
			.stepping	= x86_stepping(real->signature),
		},
		.features.reg		= { [CPUID_ECX] = real->l1_ecx },
		.extended.reg		= {
			[CPUID_EBX] = real->l7_ebx, [CPUID_EDX] = real->l7_edx,
		},
		.extended_1.reg		= { [CPUID_EAX] = real->l7_1_eax },
		.perfmon.reg		= {
			[CPUID_EAX] = real->la[0], [CPUID_EBX] = real->la[1],
			[CPUID_ECX] = real->la[2], [CPUID_EDX] = real->la[3],
		},
		.native.reg		= { [CPUID_EAX] = real->l1a_eax },
		.perfmon_ext.reg	= {
			[CPUID_EAX] = real->l23[0], [CPUID_EBX] = real->l23[1],
		},
		.perfmon_counters.reg	= {
			[CPUID_EAX] = real->l23_1[0], [CPUID_EBX] = real->l23_1[1],
		},
		.amd_features.reg	= { [CPUID_ECX] = real->x1_ecx },
		.amd_perfmon.reg	= {
			[CPUID_EAX] = real->x22[0], [CPUID_EBX] = real->x22[1],
		},
		.capabilities		= real->capabilities,
	};
}

static bool is_perfmon(const struct real_core *real)
{
	return real->vendor != X86_VENDOR_AMD && real->vendor != X86_VENDOR_HYGON;
}

/* NULL for a vendor without a driver in this configuration. */
static struct x86_core_pmu *try_to_detect(struct kunit *test, const struct x86_detect_cpu *cpu)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	return x86_detect_core(core, cpu) ? NULL : core;
}

static struct x86_core_pmu *detect(struct kunit *test, const struct real_core *real)
{
	struct x86_detect_cpu cpu = cpu_of(real);
	struct x86_core_pmu *core = try_to_detect(test, &cpu);

	KUNIT_ASSERT_NOT_NULL_MSG(test, core, "%s has no PMU", real->name);
	return core;
}

/**
 * x86_detect_machine() - describe the core PMU of a real machine
 * @test: the test, which owns the PMU
 * @n: index of the machine
 * @name: output, its name
 *
 * Return: the PMU, NULL if there are no more machines.
 */
struct x86_core_pmu *x86_detect_machine(struct kunit *test, unsigned int n, const char **name)
{
	if (n >= ARRAY_SIZE(real_cores))
		return NULL;
	*name = real_cores[n].name;
	return detect(test, &real_cores[n]);
}

static void counters_are_those_of_the_part(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);

	if (real->generic)
		KUNIT_EXPECT_EQ(test, core->counters & X86_PMC_GENERIC_MASK,
				BIT_ULL(real->generic) - 1);
	if (real->fixed)
		KUNIT_EXPECT_EQ(test, core->counters >> INTEL_PMC_IDX_FIXED, real->fixed);
	if (real->width)
		KUNIT_EXPECT_EQ(test, core->width, real->width);
	if (real->version)
		KUNIT_EXPECT_EQ(test, core->version, real->version);
	KUNIT_EXPECT_EQ(test, core->unlisted & ~core->counters, 0);
}

/* SDM volume 3, "Full-Width Writes to Performance Counter Registers". */
static void counters_are_written_in_full(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);

	if (!real->full_width)
		kunit_skip(test, "no source");
	KUNIT_EXPECT_EQ(test, core->regs->count,
			real->full_width == WRITES_FULL ? 0x4c1 : 0xc1);
	KUNIT_EXPECT_EQ(test, core->period_max,
			BIT_ULL(real->full_width == WRITES_FULL ? core->width - 1 : 31) - 1);
}

static void name_is_that_of_lists(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);

	if (!real->pmu)
		kunit_skip(test, "no source");
	KUNIT_EXPECT_STREQ(test, core->name, real->pmu);
	KUNIT_EXPECT_EQ(test, core->by_kind, strcmp(real->pmu, "cpu") != 0);
}

/* The levels of metrics that perf's lists use; and that no metric is offered without slots. */
static void metrics_are_those_of_lists(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);

	if (real->levels)
		KUNIT_EXPECT_EQ(test, hweight64(core->metrics), 4 * real->levels);
	if (core->metrics)
		KUNIT_EXPECT_TRUE(test, core->counters & X86_PMC_FIXED_BIT(3));
	KUNIT_EXPECT_EQ(test, !!core->files.events[X86_EVENTS_OF_TOPDOWN_1],
			hweight64(core->metrics) >= 4);
	KUNIT_EXPECT_EQ(test, !!core->files.events[X86_EVENTS_OF_TOPDOWN_2],
			hweight64(core->metrics) == 8);
}

/* A device with the files of a PMU that is not registered. */
static struct device *device_of(struct kunit *test, struct x86_core_pmu *core)
{
	struct device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev_set_drvdata(dev, &core->pmu);
	x86_core_sysfs_init(core);
	KUNIT_ASSERT_NOT_NULL(test, core->pmu.attr_groups);
	return dev;
}

static void free_groups(struct x86_core_pmu *core)
{
	kfree(core->files.events_group.attrs);
	kfree(core->files.groups);
}

/* Find a visible file. Directory NULL: the PMU's own. */
static struct attribute *find_file(struct device *dev, const char *directory, const char *name)
{
	const struct attribute_group **group;
	struct pmu *pmu = dev_get_drvdata(dev);
	unsigned int i;

	for (group = pmu->attr_groups; *group; group++) {
		if (directory ? !(*group)->name || strcmp((*group)->name, directory) :
				!!(*group)->name)
			continue;
		for (i = 0; (*group)->attrs && (*group)->attrs[i]; i++) {
			struct attribute *attr = (*group)->attrs[i];

			if (!strcmp(attr->name, name) &&
			    (!(*group)->is_visible || (*group)->is_visible(&dev->kobj, attr, i)))
				return attr;
		}
	}
	return NULL;
}

/* Read a file. NULL: it does not exist. The text is valid until the next call. */
static const char *read_file(struct kunit *test, struct device *dev, const char *directory,
			     const char *name)
{
	struct attribute *attr = find_file(dev, directory, name);
	struct device_attribute *file = container_of(attr, struct device_attribute, attr);
	char *page;

	if (!attr)
		return NULL;
	page = (char *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, page);
	file->show(dev, file, page);
	strim(page);
	return page;
}

static void expect_text(struct kunit *test, struct device *dev, const char *directory,
			const char *name, const char *expected)
{
	const char *text = read_file(test, dev, directory, name);

	KUNIT_EXPECT_STREQ_MSG(test, text ?: "(no file)", expected ?: "(no file)", "%s/%s",
			       directory ?: "", name);
	free_page((unsigned long)text);
}

/* A format of config1, which exists if events need the register. */
static void expect_register(struct kunit *test, struct device *dev, u8 lists, u8 wanted,
			    const char *name, const char *expected)
{
	if (lists & (wanted | LISTED))
		expect_text(test, dev, "format", name, lists & wanted ? expected : NULL);
}

/* Fields of the event select. SDM volume 3, "IA32_PERFEVTSELx"; APM volume 2 for AMD's. */
static void formats_are_those_of_the_manual(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	struct x86_core_pmu *core = detect(test, real);
	struct device *dev = device_of(test, core);
	bool intel = real->vendor == X86_VENDOR_INTEL;
	bool any = is_perfmon(real) && (real->la[0] & 0xff) >= 3 && !(real->la[3] & BIT(15));
	bool leaf_23 = real->l7_1_eax & BIT(8);
	/* transactions are counted on Haswell and later; CPUs without RTM abort them all */
	bool rtm = intel && real->l7_ebx & BIT(11);

	expect_text(test, dev, "format", "event", is_perfmon(real) ? "config:0-7" :
		    "config:0-7,32-35");
	expect_text(test, dev, "format", "umask", leaf_23 && real->l23[1] & BIT(0) ?
		    "config:8-15,40-47" : "config:8-15");
	expect_text(test, dev, "format", "eq", leaf_23 && real->l23[1] & BIT(1) ?
		    "config:36" : NULL);
	expect_text(test, dev, "format", "any", any ? "config:21" : NULL);
	expect_text(test, dev, "format", "in_tx", rtm ? "config:32" : NULL);
	expect_text(test, dev, "format", "in_tx_cp", rtm ? "config:33" : NULL);
	expect_text(test, dev, "format", "inv", "config:23");
	expect_text(test, dev, "format", "edge", "config:18");
	expect_text(test, dev, "format", "cmask", "config:24-31");
	expect_register(test, dev, real->lists, LIST_OFFCORE, "offcore_rsp", "config1:0-63");
	expect_register(test, dev, real->lists, LIST_LDLAT, "ldlat", "config1:0-15");
	expect_register(test, dev, real->lists, LIST_FRONTEND, "frontend", "config1:0-23");
	free_groups(core);
}

/* Files that identify the PMU to tools. */
static void capabilities_are_shown(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	struct x86_core_pmu *core = detect(test, real);
	struct device *dev = device_of(test, core);

	if (real->pmu)
		KUNIT_EXPECT_EQ(test, !!find_file(dev, NULL, "cpus"),
				strcmp(real->pmu, "cpu") != 0);
	expect_text(test, dev, "caps", "max_precise", "0");
	if (real->levels) {
		expect_text(test, dev, "events", "slots", "event=0x00,umask=0x4");
		expect_text(test, dev, "events", "topdown-retiring", "event=0x00,umask=0x80");
		expect_text(test, dev, "events", "topdown-mem-bound",
			    real->levels == 2 ? "event=0x00,umask=0x87" : NULL);
	}
	KUNIT_EXPECT_NOT_NULL(test, find_file(dev, "events", "cpu-cycles"));
	KUNIT_EXPECT_NOT_NULL(test, find_file(dev, "events", "instructions"));
	/* a core of Centaur lists six events only */
	if (real->vendor != X86_VENDOR_CENTAUR)
		KUNIT_EXPECT_NOT_NULL(test, find_file(dev, "events", "branch-misses"));
	free_groups(core);
}

/* A generic event without counters would be refused when it is opened. */
static void generic_events_have_counters(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	struct x86_core_pmu *core = detect(test, real);
	u32 id;

	for (id = 0; id < PERF_COUNT_HW_MAX; id++) {
		const struct x86_event_code *code = x86_core_code_of(core, id);

		if (code)
			KUNIT_EXPECT_NE_MSG(test, x86_core_counters_for(core, code->config), 0,
					    "event %u", id);
	}
	if (is_perfmon(real) && core->counters & X86_PMC_FIXED_BIT(2))
		KUNIT_EXPECT_NOT_NULL(test,
				      x86_core_code_of(core, PERF_COUNT_HW_REF_CPU_CYCLES));
}

/* An event with the second byte of the unit mask is none of the events of fixed counters. */
static void second_unit_mask_is_of_another_event(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);
	const struct event_constraint *rule;
	u64 bits, bit;

	if (!(core->raw_mask & ARCH_PERFMON_EVENTSEL_UMASK2))
		kunit_skip(test, "unit masks have one byte");
	for (rule = core->common_rules; rule->cmask; rule++) {
		for (bits = ARCH_PERFMON_EVENTSEL_UMASK2; bits; bits &= bits - 1) {
			bit = bits & -bits;
			KUNIT_EXPECT_EQ_MSG(test, x86_core_counters_for(core, rule->code | bit) &
					    ~X86_PMC_GENERIC_MASK, 0, "%#llx", rule->code | bit);
		}
	}
}

static void expect_checkpointed(struct kunit *test, const struct x86_core_pmu *core, u64 code)
{
	u64 counters = x86_core_counters_for(core, code);

	KUNIT_EXPECT_EQ_MSG(test, x86_core_counters_for(core, code | HSW_IN_TX_CHECKPOINTED),
			    counters & BIT(2), "%#llx", code);
}

/* in_tx_cp needs counter 2, and the event the counters that count it. */
static void checkpointed_events_keep_their_counters(struct kunit *test)
{
	const struct real_core *real = test->param_value;
	const struct x86_core_pmu *core = detect(test, real);
	const struct event_constraint *rule;

	if (!core->raw_checkpointed)
		kunit_skip(test, "no transactions");
	KUNIT_EXPECT_EQ(test, core->raw_checkpointed, HSW_IN_TX_CHECKPOINTED);
	KUNIT_EXPECT_TRUE(test, core->raw_mask & HSW_IN_TX_CHECKPOINTED);
	for (rule = core->rules; rule->cmask; rule++) {
		/* rows that compare each bit are for the event without in_tx_cp */
		if (!(rule->cmask & HSW_IN_TX_CHECKPOINTED))
			expect_checkpointed(test, core, rule->code);
	}
	/* cycles, on a counter that is not the fixed one */
	expect_checkpointed(test, core, 0x3c);
	expect_checkpointed(test, core, 0x3c | HSW_IN_TX);
}

static bool is_same_machine(const struct real_core *a, const struct real_core *b)
{
	size_t length = strcspn(a->name, " ");

	return length == strcspn(b->name, " ") && !strncmp(a->name, b->name, length);
}

/*
 * The kinds of cores of a machine have different keys and names. One PMU has the number of
 * raw events. All have the same caps/pmu_name.
 */
static void kinds_of_a_machine_differ(struct kunit *test)
{
	const struct real_core *real = test->param_value, *other;
	const struct x86_core_pmu *core = detect(test, real), *beside;
	unsigned int raw = core->type == PERF_TYPE_RAW, kinds = 1;

	if (!is_perfmon(real))
		kunit_skip(test, "AMD's kinds share a PMU");
	for (other = real_cores; other < real_cores + ARRAY_SIZE(real_cores); other++) {
		if (other == real || !is_same_machine(other, real))
			continue;
		kinds++;
		beside = detect(test, other);
		KUNIT_EXPECT_NE(test, beside->kind, core->kind);
		KUNIT_EXPECT_STRNEQ(test, beside->name, core->name);
		KUNIT_EXPECT_STREQ(test, beside->files.cpu_name ?: "", core->files.cpu_name ?: "");
		raw += beside->type == PERF_TYPE_RAW;
	}
	KUNIT_EXPECT_EQ(test, raw, 1);
	if (kinds > 1)
		KUNIT_EXPECT_NE(test, core->kind, 0);
}

/* The names in caps/pmu_name are an ABI. */
static void pmu_names_are_of_the_machine(struct kunit *test)
{
	static const char * const names[][2] = {
		{ "alderlake p", "alderlake_hybrid" }, { "alderlake e", "alderlake_hybrid" },
		{ "raptorlake e", "alderlake_hybrid" },
		{ "raptorlake-p-only", "alderlake_hybrid" },
		{ "meteorlake e", "meteorlake_hybrid" },
		{ "arrowlake-u p", "meteorlake_hybrid" },
		{ "lunarlake p", "lunarlake_hybrid" }, { "arrowlake-s e", "lunarlake_hybrid" },
		{ "arrowlake-h lpe", "arrowlake_h_hybrid" },
		{ "alderlake-n", "gracemont" }, { "sapphirerapids", "sapphire_rapids" },
		{ "skylake", "skylake" }, { "zen4", NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct x86_core_pmu *core = detect(test, real_core_of(test, names[i][0]));
		struct device *dev = device_of(test, core);

		expect_text(test, dev, "caps", "pmu_name", names[i][1]);
		free_groups(core);
	}
}

/* What is known of a part is not assumed of a guest, where CPUID lists what is offered. */
static void guests_have_what_cpuid_lists(struct kunit *test)
{
	static const char * const names[] = { "alderlake p", "core2-conroe", "bonnell" };
	static const u64 fixed[] = { 0x7, 0x0, 0x1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct x86_detect_cpu cpu = cpu_of(real_core_of(test, names[i]));
		struct x86_core_pmu *core;

		cpu.features.reg[CPUID_ECX] |= CPUID1_ECX_HYPERVISOR;
		core = try_to_detect(test, &cpu);
		KUNIT_ASSERT_NOT_NULL(test, core);
		KUNIT_EXPECT_EQ(test, core->counters >> INTEL_PMC_IDX_FIXED, fixed[i]);
		KUNIT_EXPECT_EQ(test, core->unlisted, 0);
		KUNIT_EXPECT_EQ(test, core->metrics, 0);
	}
}

/* The counters that only the model is known to have are probed, so they are marked. */
static void counters_of_the_model_are_marked(struct kunit *test)
{
	struct x86_core_pmu *core = detect(test, real_core_of(test, "raptorlake p"));

	KUNIT_EXPECT_EQ(test, core->unlisted, 0xc0 | X86_PMC_FIXED_BIT(3));
	core = detect(test, real_core_of(test, "raptorlake e"));
	KUNIT_EXPECT_EQ(test, core->unlisted, 0);
	core = detect(test, real_core_of(test, "raptorlake-p-only"));
	KUNIT_EXPECT_EQ(test, core->unlisted, 0);
	core = detect(test, real_core_of(test, "core2-conroe"));
	KUNIT_EXPECT_EQ(test, core->unlisted, 0x7ULL << INTEL_PMC_IDX_FIXED);
}

/* Leaf 0x23 is read only if leaf 7.1 says that it exists: without, it has other data. */
static void leaf_23_needs_its_bit(struct kunit *test)
{
	struct x86_detect_cpu cpu = cpu_of(real_core_of(test, "arrowlake-h e"));
	struct x86_core_pmu *core;

	cpu.extended_1.reg[CPUID_EAX] &= ~CPUID7_1_EAX_PERFMON_EXT;
	core = try_to_detect(test, &cpu);
	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_EXPECT_EQ(test, core->counters, 0xff | 0x7ULL << INTEL_PMC_IDX_FIXED);
	KUNIT_EXPECT_EQ(test, core->raw_mask & (ARCH_PERFMON_EVENTSEL_UMASK2 |
						ARCH_PERFMON_EVENTSEL_EQ), 0);
}

/* A kind without a row has what CPUID lists, and no tables of another kind. */
static void unknown_kinds_are_described_by_cpuid(struct kunit *test)
{
	struct x86_detect_cpu cpu = cpu_of(real_core_of(test, "arrowlake-h e"));
	struct x86_core_pmu *core;

	cpu.native.reg[CPUID_EAX] = 0x20000009;
	core = try_to_detect(test, &cpu);
	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_EXPECT_STREQ(test, core->name, "cpu_atom");
	KUNIT_EXPECT_NE(test, core->type, PERF_TYPE_RAW);
	KUNIT_EXPECT_EQ(test, core->kind, 0x20000009);
	KUNIT_EXPECT_EQ(test, core->counters, 0xff | 0x77ULL << INTEL_PMC_IDX_FIXED);
	KUNIT_EXPECT_NULL(test, core->rules);
	KUNIT_EXPECT_NULL(test, core->files.cpu_name);
}

/* CPUs with no PMU that this driver supports. */
static void other_cpus_have_no_pmu(struct kunit *test)
{
	struct x86_detect_cpu cpu = cpu_of(real_core_of(test, "skylake"));

	cpu.perfmon.reg[CPUID_EAX] &= ~0xff;		/* version */
	KUNIT_EXPECT_NULL(test, try_to_detect(test, &cpu));
	cpu = cpu_of(real_core_of(test, "skylake"));
	cpu.perfmon.reg[CPUID_EAX] &= ~0xff00;		/* number of counters */
	KUNIT_EXPECT_NULL(test, try_to_detect(test, &cpu));
	cpu = cpu_of(real_core_of(test, "skylake"));
	cpu.perfmon.reg[CPUID_EAX] |= 0xff0000;		/* width */
	KUNIT_EXPECT_NULL(test, try_to_detect(test, &cpu));
	cpu = cpu_of(real_core_of(test, "k8"));
	cpu.id.family = 5;
	KUNIT_EXPECT_NULL(test, try_to_detect(test, &cpu));
	cpu.id.vendor = X86_VENDOR_CYRIX;
	KUNIT_EXPECT_NULL(test, try_to_detect(test, &cpu));
}

/* All vendors have to be configured, otherwise nothing would be compared. */
static int detect_init(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_CPU_SUP_INTEL) || !IS_ENABLED(CONFIG_CPU_SUP_AMD) ||
	    !IS_ENABLED(CONFIG_CPU_SUP_CENTAUR))
		kunit_skip(test, "not all vendors are configured");
	return 0;
}

static struct kunit_case detect_cases[] = {
	KUNIT_CASE_PARAM(counters_are_those_of_the_part, real_core_gen_params),
	KUNIT_CASE_PARAM(counters_are_written_in_full, real_core_gen_params),
	KUNIT_CASE_PARAM(name_is_that_of_lists, real_core_gen_params),
	KUNIT_CASE_PARAM(metrics_are_those_of_lists, real_core_gen_params),
	KUNIT_CASE_PARAM(formats_are_those_of_the_manual, real_core_gen_params),
	KUNIT_CASE_PARAM(capabilities_are_shown, real_core_gen_params),
	KUNIT_CASE_PARAM(generic_events_have_counters, real_core_gen_params),
	KUNIT_CASE_PARAM(second_unit_mask_is_of_another_event, real_core_gen_params),
	KUNIT_CASE_PARAM(checkpointed_events_keep_their_counters, real_core_gen_params),
	KUNIT_CASE_PARAM(kinds_of_a_machine_differ, real_core_gen_params),
	KUNIT_CASE(pmu_names_are_of_the_machine),
	KUNIT_CASE(guests_have_what_cpuid_lists),
	KUNIT_CASE(counters_of_the_model_are_marked),
	KUNIT_CASE(leaf_23_needs_its_bit),
	KUNIT_CASE(unknown_kinds_are_described_by_cpuid),
	KUNIT_CASE(other_cpus_have_no_pmu),
	{ }
};

static struct kunit_suite detect_suite = {
	.name		= "perf_x86_detect",
	.init		= detect_init,
	.test_cases	= detect_cases,
};

kunit_test_suite(detect_suite);
