// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the models' tables. They are compared with the lists of events in
 * tools/perf/pmu-events (see pmu-events.py). The counter assignment is tested with the
 * constraints of each model.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "../core/event.h"
#include "../core/pmu.h"
#include "../counters/arch_events.h"
#include "../counters/count.h"
#include "../intel/cores/model.h"
#include "assign_test.h"

/**
 * struct json_event - an event of a folder
 * @name: name of the event
 * @select: event select value
 * @counters: mask of its counters, fixed counters from bit 32
 * @registers: extra registers, of which the event needs one
 * @value: value of the extra register
 * @precise: the event is precise
 */
struct json_event {
	const char	*name;
	u64		select;
	u64		counters;
	u32		registers[2];
	u64		value;
	bool		precise;
};

/**
 * struct json_folder - a folder, or the events of one kind of core in it
 * @name: name of the folder
 * @core_type: INTEL_CORE or INTEL_ATOM, 0 if all cores are alike
 * @models: models of family 6 that it describes
 * @nr_models: number of @models
 * @events: its events
 * @nr_events: number of @events
 */
struct json_folder {
	const char		*name;
	u8			core_type;
	const u8		*models;
	unsigned int		nr_models;
	const struct json_event	*events;
	unsigned int		nr_events;
};

#include "pmu-events.h"

/* The newest native model of cores that the tables have. */
#define NATIVE_MAX	3

#define GENERIC(_mask)	((_mask) & X86_PMC_GENERIC_MASK)

/* All counters that events of a folder have. */
static u64 counters_of(const struct json_folder *folder)
{
	u64 mask = 0;
	unsigned int n;

	for (n = 0; n < folder->nr_events; n++)
		mask |= folder->events[n].counters;
	return mask;
}

static const struct intel_model *model_of(const struct json_folder *folder, unsigned int n)
{
	const struct x86_hw_identity id = {
		.vendor = X86_VENDOR_INTEL, .family = 6, .model = folder->models[n],
	};

	const struct intel_part *part;
	u32 native;

	if (!folder->core_type)
		return (part = intel_part_of(&id, 0)) ? part->model : NULL;
	/* A folder does not say which native model it is about. */
	for (native = NATIVE_MAX; native; native--) {
		part = intel_part_of(&id, INTEL_KIND(folder->core_type, native));
		if (part)
			return part->model;
	}
	return NULL;
}

/* A PMU with the counters of a folder and the tables of its model. */
static struct x86_core_pmu *core_of(struct kunit *test, const struct json_folder *folder)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_ASSERT_NOT_NULL(test, model_of(folder, 0));
	intel_model_tables(core, model_of(folder, 0));
	core->counters = counters_of(folder);
	core->common_rules = archperfmon_rules;
	return core;
}

static const struct json_event *find_event(const struct json_folder *folder, const char *name)
{
	unsigned int n;

	for (n = 0; n < folder->nr_events; n++) {
		if (!strcmp(folder->events[n].name, name))
			return &folder->events[n];
	}
	return NULL;
}

/* Each CPU with a folder has tables, and all CPUs of a folder have the same ones. */
static void every_folder_has_a_model(struct kunit *test)
{
	const struct json_folder *folder;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		folder = &json_folders[i];
		for (n = 0; n < folder->nr_models; n++) {
			KUNIT_EXPECT_NOT_NULL_MSG(test, model_of(folder, n), "%s: model %#x",
						  folder->name, folder->models[n]);
			KUNIT_EXPECT_PTR_EQ_MSG(test, model_of(folder, n), model_of(folder, 0),
						"%s: model %#x", folder->name,
						folder->models[n]);
		}
	}
	KUNIT_EXPECT_GE(test, i, 40);
}

/* Find the event of that name, and compare it. Returns false if there is none. */
static bool agrees(struct kunit *test, const struct json_folder *folder,
		   const struct x86_event_code *code)
{
	const struct json_event *event = find_event(folder, code->name);

	if (!event)
		return false;
	KUNIT_EXPECT_EQ_MSG(test, code->config, event->select, "%s: %s", folder->name,
			    code->name);
	KUNIT_EXPECT_EQ_MSG(test, code->extra, event->value, "%s: value of %s", folder->name,
			    code->name);
	return true;
}

/* An event that a folder lacks must be in another folder of the model, or in the SDM. */
static void expect_known(struct kunit *test, const struct json_folder *folder,
			 const struct x86_event_code *code)
{
	const struct intel_model *model = model_of(folder, 0);
	unsigned int i;

	for (; code && code->what != X86_CODES_END_MARK; code++) {
		bool found = agrees(test, folder, code) || !strncmp(code->name, "SDM", 3);

		for (i = 0; i < ARRAY_SIZE(json_folders) && !found; i++)
			found = model_of(&json_folders[i], 0) == model &&
				find_event(&json_folders[i], code->name);
		KUNIT_EXPECT_TRUE_MSG(test, found, "%s: no event %s", folder->name, code->name);
	}
}

static void generic_events_agree(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const struct intel_model *model = model_of(&json_folders[i], 0);

		KUNIT_ASSERT_NOT_NULL(test, model);
		expect_known(test, &json_folders[i], model->codes);
		expect_known(test, &json_folders[i], model->offcore);
	}
}

/*
 * Folders of cores with threads that share eight counters list four. Events with a fixed
 * counter are listed twice: for it, and for the general purpose counters.
 */
static void counters_agree(struct kunit *test)
{
	struct x86_core_pmu *core;
	unsigned int i, n;
	u64 allowed;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		core = core_of(test, &json_folders[i]);
		for (n = 0; n < json_folders[i].nr_events; n++) {
			const struct json_event *event = &json_folders[i].events[n];

			allowed = x86_core_counters_for(core, event->select);
			if (GENERIC(event->counters))
				allowed = GENERIC(allowed);
			KUNIT_EXPECT_EQ_MSG(test, allowed, event->counters, "%s: %s (%#llx)",
					    json_folders[i].name, event->name, event->select);
		}
		kunit_kfree(test, core);
	}
}

/* Is the event precise in any folder of a model with the same rules? */
static bool precise_somewhere(const struct intel_pebs *pebs, u64 select)
{
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		if (model_of(&json_folders[i], 0)->pebs != pebs)
			continue;
		for (n = 0; n < json_folders[i].nr_events; n++) {
			if (json_folders[i].events[n].precise &&
			    json_folders[i].events[n].select == select)
				return true;
		}
	}
	return false;
}

/* Events are precise on the counters that count them, if these record at all; no others are. */
static void precise_events_agree(struct kunit *test)
{
	unsigned int i, n, checked = 0;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const struct intel_pebs *pebs = model_of(&json_folders[i], 0)->pebs;

		KUNIT_ASSERT_NOT_NULL(test, pebs);
		for (n = 0; n < json_folders[i].nr_events; n++) {
			const struct json_event *event = &json_folders[i].events[n];
			u64 counters = intel_pebs_counters(pebs, event->select);

			if (event->precise) {
				checked++;
				KUNIT_EXPECT_EQ_MSG(test, event->counters & pebs->counters,
						    event->counters & counters, "%s: %s (%#llx)",
						    json_folders[i].name, event->name,
						    event->select);
				KUNIT_EXPECT_NE_MSG(test, event->counters & counters, 0,
						    "%s: %s", json_folders[i].name, event->name);
			}
			/* A row that allows more than the folder's counters is too wide. */
			if (event->precise && pebs->events)
				KUNIT_EXPECT_EQ_MSG(test, counters & ~event->counters, 0,
						    "%s: %s", json_folders[i].name, event->name);
			/* libpfm4 has the event that stands for cycles as precise. */
			if (!event->precise && pebs->events && event->select != pebs->cycles)
				KUNIT_EXPECT_TRUE_MSG(test, !GENERIC(counters) ||
						      precise_somewhere(pebs, event->select),
						      "%s: %s (%#llx)", json_folders[i].name,
						      event->name, event->select);
		}
		if (pebs->cycles)
			KUNIT_EXPECT_NE(test, intel_pebs_counters(pebs, pebs->cycles), 0);
	}
	KUNIT_EXPECT_GE(test, checked, 1200);
}

static const struct extra_reg *extra_of(const struct x86_core_pmu *core, u64 select)
{
	const struct extra_reg *rule;

	for (rule = core->extra; rule && rule->msr; rule++) {
		if ((select & rule->config_mask) == rule->event)
			return rule;
	}
	return NULL;
}

/* The extra register of an event exists and takes its value. So does the equivalent one. */
static void registers_agree(struct kunit *test)
{
	const struct extra_reg *rule, *other;
	struct x86_core_pmu *core;
	unsigned int i, n, checked = 0;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		core = core_of(test, &json_folders[i]);
		for (n = 0; n < json_folders[i].nr_events; n++) {
			const struct json_event *event = &json_folders[i].events[n];

			if (!event->registers[0])
				continue;
			rule = extra_of(core, event->select);
			KUNIT_EXPECT_NOT_NULL_MSG(test, rule, "%s: %s", json_folders[i].name,
						  event->name);
			if (!rule)
				continue;
			other = rule + rule->other;
			if (rule->msr != event->registers[0])
				swap(rule, other);
			KUNIT_EXPECT_EQ_MSG(test, rule->msr, event->registers[0], "%s: %s",
					    json_folders[i].name, event->name);
			KUNIT_EXPECT_EQ_MSG(test, event->value & ~rule->valid_mask, 0, "%s: %s",
					    json_folders[i].name, event->name);
			checked++;
			if (!event->registers[1])
				continue;
			KUNIT_EXPECT_EQ_MSG(test, other->msr, event->registers[1], "%s: %s",
					    json_folders[i].name, event->name);
			KUNIT_EXPECT_EQ_MSG(test, event->value & ~other->valid_mask, 0, "%s: %s",
					    json_folders[i].name, event->name);
		}
		kunit_kfree(test, core);
	}
	KUNIT_EXPECT_GE(test, checked, 3000);
}

/*
 * Two events of Golden Cove have one value of the register of the frontend: no bit is valid that no
 * value in a folder has.
 */
static void frontend_has_values_that_exist(struct kunit *test)
{
	static const u64 events[] = { 0x40ad, 0x04c2 };
	const struct extra_reg *rule;
	struct x86_core_pmu *core;
	unsigned int i, n, k, checked = 0;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const struct json_folder *folder = &json_folders[i];

		core = core_of(test, folder);
		for (k = 0; k < ARRAY_SIZE(events); k++) {
			u64 bits = 0;

			rule = extra_of(core, events[k]);
			if (!rule || rule->msr != MSR_PEBS_FRONTEND)
				continue;
			for (n = 0; n < folder->nr_events; n++) {
				if (folder->events[n].select == events[k] &&
				    folder->events[n].registers[0] == MSR_PEBS_FRONTEND)
					bits |= folder->events[n].value;
			}
			KUNIT_EXPECT_EQ_MSG(test, rule->valid_mask, bits, "%s: %#llx",
					    folder->name, events[k]);
			checked++;
		}
		kunit_kfree(test, core);
	}
	KUNIT_EXPECT_GE(test, checked, 8);
}

/* The event of the equivalent register has the same counters, and refers back. */
static void other_registers_are_alike(struct kunit *test)
{
	const struct extra_reg *rule, *other;
	struct x86_core_pmu *core;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		core = core_of(test, &json_folders[i]);
		for (rule = core->extra; rule && rule->msr; rule++) {
			KUNIT_EXPECT_LT(test, rule - core->extra, X86_EXTRA_ROWS);
			if (!rule->other)
				continue;
			other = rule + rule->other;
			KUNIT_EXPECT_PTR_EQ(test, other + other->other, rule);
			KUNIT_EXPECT_EQ(test, other->config_mask, rule->config_mask);
			KUNIT_EXPECT_NE(test, other->msr, rule->msr);
			KUNIT_EXPECT_STREQ(test, other->field, rule->field);
			KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, rule->event),
					x86_core_counters_for(core, other->event));
		}
		kunit_kfree(test, core);
	}
}

static u64 select_of(const char *text)
{
	int event, umask;

	return sscanf(text, "event=%i,umask=%i", &event, &umask) == 2 ? event | umask << 8 : 0;
}

/* perf mem and perf c2c use these files. The events that they name are precise. */
static void memory_files_agree(struct kunit *test)
{
	static const char * const names[] = { "mem-loads", "mem-stores", "mem-loads-aux" };
	struct perf_pmu_events_attr *file;
	struct attribute **attr;
	unsigned int i, n, checked = 0;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const struct intel_pebs *pebs = model_of(&json_folders[i], 0)->pebs;
		struct x86_core_pmu *core = core_of(test, &json_folders[i]);

		for (attr = pebs->files; attr && *attr; attr++) {
			u64 select;

			file = container_of(*attr, struct perf_pmu_events_attr, attr.attr);
			select = select_of(file->event_str);
			n = match_string(names, ARRAY_SIZE(names), (*attr)->name);
			KUNIT_EXPECT_NE_MSG(test, intel_pebs_counters(pebs, select), 0, "%s: %s",
					    json_folders[i].name, (*attr)->name);
			if (n == 0)
				KUNIT_EXPECT_EQ(test, extra_of(core, select)->msr,
						MSR_PEBS_LD_LAT_THRESHOLD);
			if (n == 1)
				KUNIT_EXPECT_EQ(test, select, pebs->store_event);
			if (n == 2 && pebs->loads_aux)
				KUNIT_EXPECT_EQ(test, select, pebs->loads_aux);
			checked++;
		}
		kunit_kfree(test, core);
	}
	KUNIT_EXPECT_GE(test, checked, 60);
}

/* The parts with the auxiliary event of the latency of loads, and those that need it. */
static void auxiliary_events(struct kunit *test)
{
	static const struct {
		u8	model;
		u32	kind;
		bool	shown;
		u16	needed;
	} parts[] = {
		{ 0x55, 0, false, 0 },		/* Skylake of servers */
		{ 0x6a, 0, false, 0 },		/* Ice Lake of servers */
		{ 0x8f, 0, true, 0x8203 },	/* Sapphire Rapids */
		{ 0xcf, 0, true, 0x8203 },	/* Emerald Rapids */
		{ 0xd7, 0, true, 0x8203 },	/* Bartlett Lake */
		{ 0xad, 0, true, 0 },		/* Granite Rapids */
		{ 0xb7, INTEL_KIND(INTEL_CORE, 1), true, 0x8203 },	/* Raptor Lake */
		{ 0xb7, INTEL_KIND(INTEL_ATOM, 1), false, 0 },
		{ 0xaa, INTEL_KIND(INTEL_CORE, 2), false, 0 },		/* Meteor Lake */
		{ 0xb5, INTEL_KIND(INTEL_CORE, 2), false, 0 },		/* Arrow Lake U */
		{ 0xbd, INTEL_KIND(INTEL_CORE, 3), false, 0 },		/* Lunar Lake */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct x86_hw_identity id = { X86_VENDOR_INTEL, 6, parts[i].model };
		const struct intel_part *part = intel_part_of(&id, parts[i].kind);
		struct attribute **attr;
		bool shown = false;

		KUNIT_ASSERT_NOT_NULL_MSG(test, part, "model %#x", parts[i].model);
		for (attr = part->model->pebs->files; *attr; attr++)
			shown |= !strcmp((*attr)->name, "mem-loads-aux");
		KUNIT_EXPECT_EQ_MSG(test, shown, parts[i].shown, "model %#x", parts[i].model);
		KUNIT_EXPECT_EQ_MSG(test, part->model->pebs->loads_aux, parts[i].needed,
				    "model %#x", parts[i].model);
	}
}

/* Topdown files of CPUs without metrics. A name with "_P" in the folder takes precedence. */
static void files_agree(struct kunit *test)
{
	static const char * const names[][2] = {
		{ "topdown-retiring", "TOPDOWN_RETIRING.ALL" },
		{ "topdown-bad-spec", "TOPDOWN_BAD_SPECULATION.ALL" },
		{ "topdown-fe-bound", "TOPDOWN_FE_BOUND.ALL" },
		{ "topdown-be-bound", "TOPDOWN_BE_BOUND.ALL" },
	};
	const struct json_event *event;
	struct perf_pmu_events_attr *file;
	struct attribute **attr;
	unsigned int i, n, checked = 0;
	char name[40];

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		attr = model_of(&json_folders[i], 0)->events;
		for (; attr && *attr; attr++) {
			for (n = 0; n < ARRAY_SIZE(names); n++) {
				if (strcmp((*attr)->name, names[n][0]))
					continue;
				file = container_of(*attr, struct perf_pmu_events_attr,
						    attr.attr);
				snprintf(name, sizeof(name), "%s_P", names[n][1]);
				event = find_event(&json_folders[i], name) ?:
					find_event(&json_folders[i], names[n][1]);
				KUNIT_ASSERT_NOT_NULL(test, event);
				KUNIT_EXPECT_EQ_MSG(test, select_of(file->event_str),
						    event->select, "%s: %s",
						    json_folders[i].name, names[n][0]);
				checked++;
			}
		}
	}
	KUNIT_EXPECT_EQ(test, checked, 8 * ARRAY_SIZE(names));
}

/* Files of transactions, and the names in the folders, which differ. */
static const char * const tsx_names[][3] = {
	{ "tx-start", "RTM_RETIRED.START" },
	{ "tx-commit", "RTM_RETIRED.COMMIT" },
	{ "tx-abort", "RTM_RETIRED.ABORTED" },
	{ "tx-conflict", "TX_MEM.ABORT_CONFLICT" },
	{ "tx-capacity", "TX_MEM.ABORT_CAPACITY", "TX_MEM.ABORT_CAPACITY_WRITE" },
	{ "tx-capacity-read", "TX_MEM.ABORT_CAPACITY_READ" },
	{ "tx-capacity-write", "TX_MEM.ABORT_CAPACITY_WRITE" },
	{ "el-start", "HLE_RETIRED.START" },
	{ "el-commit", "HLE_RETIRED.COMMIT" },
	{ "el-abort", "HLE_RETIRED.ABORTED" },
	{ "el-conflict", "TX_MEM.ABORT_CONFLICT" },
	{ "el-capacity", "TX_MEM.ABORT_CAPACITY", "TX_MEM.ABORT_CAPACITY_WRITE" },
};

/* The PMU of the folder's first model, on a CPU with both kinds of transactions, or with none. */
static struct x86_core_pmu *tsx_core(struct kunit *test, const struct json_folder *folder, u32 bits)
{
	const struct x86_detect_cpu cpu = {
		.id = { X86_VENDOR_INTEL, 6, folder->models[0] },
		.extended.reg = { [CPUID_EBX] = bits },
		.perfmon.reg = { [CPUID_EAX] = 0x07300404, [CPUID_EDX] = 0x603 },
	};
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_ASSERT_EQ(test, x86_detect_core(core, &cpu), 0);
	return core;
}

static const char *text_of_file(const struct x86_core_pmu *core, const char *name)
{
	struct attribute **attr;

	for (unsigned int i = 0; i < X86_MODEL_EVENTS; i++) {
		for (attr = core->files.events[i]; attr && *attr; attr++) {
			if (!strcmp((*attr)->name, name))
				return container_of(*attr, struct perf_pmu_events_attr,
						    attr.attr)->event_str;
		}
	}
	return NULL;
}

/* Events of a folder have a file with the same code. The metrics of perf use these files. */
static void transaction_files_agree(struct kunit *test)
{
	unsigned int checked = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const struct json_folder *folder = &json_folders[i];
		struct x86_core_pmu *with, *without;

		if (!(model_of(folder, 0)->flags & INTEL_TSX))
			continue;
		with = tsx_core(test, folder, CPUID7_EBX_HLE | CPUID7_EBX_RTM);
		without = tsx_core(test, folder, 0);
		for (unsigned int n = 0; n < ARRAY_SIZE(tsx_names); n++) {
			const char *text = text_of_file(with, tsx_names[n][0]);
			const struct json_event *event;

			KUNIT_EXPECT_NULL(test, text_of_file(without, tsx_names[n][0]));
			event = find_event(folder, tsx_names[n][1]);
			if (!event && tsx_names[n][2])
				event = find_event(folder, tsx_names[n][2]);
			/* older cores have one event for both kinds of capacity */
			if (!strncmp(tsx_names[n][0], "tx-capacity-", 12) &&
			    !find_event(folder, "TX_MEM.ABORT_CAPACITY_READ")) {
				KUNIT_EXPECT_NULL_MSG(test, text, "%s", folder->name);
				continue;
			}
			if (!event)
				continue;
			KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s: %s", folder->name,
						  tsx_names[n][0]);
			KUNIT_EXPECT_EQ_MSG(test, select_of(text), event->select, "%s: %s",
					    folder->name, tsx_names[n][0]);
			checked++;
		}
		kunit_kfree(test, with);
		kunit_kfree(test, without);
	}
	KUNIT_EXPECT_GE(test, checked, 100);
}

#define MASKS_MAX	32

/* Get the distinct masks of counters of a model's events. */
static unsigned int masks_of(const struct x86_core_pmu *core, const struct json_folder *folder,
			     u64 masks[MASKS_MAX])
{
	unsigned int n, i, nr = 0;
	u64 mask;

	for (n = 0; n < folder->nr_events; n++) {
		mask = x86_core_counters_for(core, folder->events[n].select);
		for (i = 0; i < nr && masks[i] != mask; i++)
			;
		if (i == nr && nr < MASKS_MAX)
			masks[nr++] = mask;
	}
	return nr;
}

static void groups_of_events_are_placed(struct kunit *test)
{
	struct x86_core_pmu *core;
	u64 masks[MASKS_MAX], group[X86_ASSIGN_MAX];
	struct rnd_state rnd;
	unsigned int i, a, b, n, nr, round;

	prandom_seed_state(&rnd, 5);
	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		const char *name = json_folders[i].name;

		core = core_of(test, &json_folders[i]);
		nr = masks_of(core, &json_folders[i], masks);
		KUNIT_EXPECT_LT(test, nr, MASKS_MAX);
		for (a = 0; a < nr; a++) {
			for (b = 0; b < nr; b++) {
				group[0] = masks[a];
				group[1] = masks[b];
				x86_assign_expect(test, name, group, 2);
			}
		}
		for (round = 0; round < 300; round++) {
			for (n = 0; n < X86_ASSIGN_MAX; n++)
				group[n] = masks[prandom_u32_state(&rnd) % nr];
			x86_assign_expect(test, name, group, X86_ASSIGN_MAX);
		}
		kunit_kfree(test, core);
	}
}

static int try_raw(struct kunit *test, struct x86_core_pmu *core, u64 config)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, event);
	core->pmu.type = PERF_TYPE_RAW;
	core->raw_mask = X86_RAW_EVENT_MASK;
	event->pmu = &core->pmu;
	event->cpu = -1;
	event->group_leader = event;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	err = x86_core_event_init(event);
	kunit_kfree(test, event);
	return err;
}

/* Exactly the models with an event that samples stores refuse it. */
static void stores_need_precise_sampling(struct kunit *test)
{
	const struct json_event *event;
	struct x86_core_pmu *core;
	unsigned int i, checked = 0;

	for (i = 0; i < ARRAY_SIZE(json_folders); i++) {
		event = find_event(&json_folders[i], "MEM_TRANS_RETIRED.PRECISE_STORE") ?:
			find_event(&json_folders[i], "MEM_TRANS_RETIRED.STORE_SAMPLE");
		core = core_of(test, &json_folders[i]);
		KUNIT_EXPECT_EQ_MSG(test, !!core->only_precise, !!event, "%s",
				    json_folders[i].name);
		if (event) {
			KUNIT_EXPECT_EQ_MSG(test, try_raw(test, core, event->select),
					    -EOPNOTSUPP, "%s", json_folders[i].name);
			checked++;
		}
		KUNIT_EXPECT_EQ_MSG(test, try_raw(test, core, ARCH_BRANCHES), 0, "%s",
				    json_folders[i].name);
		kunit_kfree(test, core);
	}
	KUNIT_EXPECT_GE(test, checked, 9);
}

/*
 * The boot parameter decides whether precise sampling is offered, also of parts with one source.
 * Those that record the kernel against the filter, or need a microcode, are refused in any case.
 */
static void precise_sampling_is_described(struct kunit *test)
{
	static const struct {
		u32	vfm;
		u8	format;
		bool	described;
	} parts[] = {
		{ INTEL_CORE2_MEROM, 0, false }, { INTEL_ATOM_BONNELL, 0, false },
		{ INTEL_SANDYBRIDGE, 1, false }, { INTEL_SANDYBRIDGE_X, 1, false },
		{ INTEL_IVYBRIDGE, 1, true }, { INTEL_ATOM_SILVERMONT, 2, true },
		{ INTEL_XEON_PHI_KNL, 2, true }, { INTEL_ATOM_GOLDMONT, 3, true },
		{ INTEL_ATOM_GOLDMONT_PLUS, 3, true },
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(parts); n++) {
		struct x86_detect_cpu cpu = {
			.id = { X86_VENDOR_INTEL, 6, VFM_MODEL(parts[n].vfm) },
			.features.reg = { [CPUID_EDX] = CPUID1_EDX_DS },
			.perfmon.reg = { [CPUID_EAX] = 0x07300404, [CPUID_EDX] = 0x603 },
			.capabilities = parts[n].format << 8,
		};
		struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, core);
		KUNIT_ASSERT_EQ(test, x86_detect_core(core, &cpu), 0);
		KUNIT_EXPECT_EQ_MSG(test, !!core->side[X86_SIDE_PRECISE], parts[n].described,
				    "model %#x", cpu.id.model);
		KUNIT_EXPECT_EQ_MSG(test, !core->why_not[X86_SIDE_PRECISE], parts[n].described,
				    "model %#x", cpu.id.model);
	}
}

/* Crestmont has two registers for responses to snoops. They are no replacement for each other. */
static void crestmont_has_snoop_responses(struct kunit *test)
{
	static const u32 events[] = { 0x0127, 0x0227 };
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	const struct extra_reg *rule;

	KUNIT_ASSERT_NOT_NULL(test, core);
	for (unsigned int n = 0; n < ARRAY_SIZE(events); n++) {
		intel_model_tables(core, &intel_crestmont);
		rule = extra_of(core, events[n]);
		KUNIT_ASSERT_NOT_NULL(test, rule);
		KUNIT_EXPECT_EQ(test, rule->msr, MSR_SNOOP_RSP_0 + n);
		KUNIT_EXPECT_EQ(test, rule->valid_mask, U64_MAX);
		KUNIT_EXPECT_EQ(test, rule->other, 0);
		KUNIT_EXPECT_STREQ(test, rule->field, "snoop_rsp");
		intel_model_tables(core, &intel_gracemont);
		KUNIT_EXPECT_NULL(test, extra_of(core, events[n]));
	}
}

/*
 * The CPUs without a driver are named in the log. Core Duo has no row, but the architectural
 * events. Knights Landing has a row, unlike Knights Corner.
 */
static void old_cores_are_named(struct kunit *test)
{
	static const struct {
		u8	family;
		u8	model;
		bool	named;
	} cpus[] = {
		{ 6, 1, true }, { 6, 9, true }, { 6, 13, true }, { 11, 1, true },
		{ 15, 0, true }, { 15, 6, true }, { 6, 14, false }, { 6, 0x57, false },
		{ 6, 0x85, false },
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(cpus); n++) {
		const struct x86_hw_identity id = {
			.vendor	= X86_VENDOR_INTEL,
			.family	= cpus[n].family,
			.model	= cpus[n].model,
		};
		const struct intel_part *part = intel_part_of(&id, 0);
		bool named = x86_core_without_driver(&id);

		KUNIT_EXPECT_EQ_MSG(test, named, cpus[n].named, "family %u model %#x",
				    id.family, id.model);
		if (cpus[n].named || id.model == 14)
			KUNIT_EXPECT_NULL(test, part);
		else if (part)
			KUNIT_EXPECT_PTR_EQ(test, part->model, &intel_knl);
		else
			KUNIT_FAIL(test, "model %#x has no row", id.model);
	}
}

/* Core 2 has no folder: check its CPUs, and its two counters exhaustively. */
static void core2_is_known(struct kunit *test)
{
	static const u8 models[] = { 15, 22, 23, 29 };
	const struct json_folder folder = { "core2", 0, models, ARRAY_SIZE(models) };
	const struct event_constraint *rule, *other;
	const struct x86_event_code *code;
	struct x86_core_pmu *core;
	u64 group[2];
	unsigned int n;

	for (n = 0; n < folder.nr_models; n++)
		KUNIT_EXPECT_PTR_EQ(test, model_of(&folder, n), &intel_core2);
	core = core_of(test, &folder);
	core->counters = GENMASK_ULL(1, 0) | GENMASK_ULL(2, 0) << INTEL_PMC_IDX_FIXED;

	/* Each generic event has a counter. No event has two rows. */
	for (code = core->codes; code->what != X86_CODES_END_MARK; code++)
		KUNIT_EXPECT_NE_MSG(test, x86_core_counters_for(core, code->config), 0, "%s",
				    code->name);
	KUNIT_EXPECT_PTR_EQ(test, code, &core->codes[20]);
	for (rule = core->rules; rule->cmask; rule++) {
		for (other = core->rules; other != rule; other++)
			KUNIT_EXPECT_NE(test, other->code, rule->code);
		for (other = core->rules; other->cmask; other++) {
			group[0] = x86_core_counters_for(core, rule->code);
			group[1] = x86_core_counters_for(core, other->code | 0x0100);
			KUNIT_EXPECT_EQ(test, hweight64(group[1]), 1);
			x86_assign_expect(test, folder.name, group, 2);
		}
	}
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, 0x04cb), 0x1);
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, 0x0011), 0x2);
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, ARCH_LLC_MISSES), 0x3);
}

static void expect_limit(struct kunit *test, const struct x86_core_pmu *core, u64 config, u32 min,
			 u32 unit)
{
	const struct x86_period_rule *rule;

	rule = x86_count_rule(core, config | ARCH_PERFMON_EVENTSEL_INT);
	KUNIT_EXPECT_EQ_MSG(test, rule ? rule->min : 0, min, "%s: %#llx", core->files.cpu_name,
			    config);
	KUNIT_EXPECT_EQ_MSG(test, rule ? rule->unit : 0, unit, "%s: %#llx", core->files.cpu_name,
			    config);
}

/* INST_RETIRED.PREC_DIST, from the specification updates, and all other events. */
static void errata_limit_periods(struct kunit *test)
{
	static const struct {
		u32	vfm;
		u32	any;
		u32	min;
		u32	unit;
	} limits[] = {
		{ INTEL_CORE2_PENRYN,	0, 0, 0 },
		{ INTEL_NEHALEM,	32, 32, 1 },
		{ INTEL_NEHALEM_EX,	32, 32, 1 },
		{ INTEL_WESTMERE,	32, 32, 1 },
		{ INTEL_WESTMERE_EP,	32, 32, 1 },
		{ INTEL_WESTMERE_EX,	32, 32, 1 },
		{ INTEL_SANDYBRIDGE,	0, 0, 0 },
		{ INTEL_IVYBRIDGE,	0, 0, 0 },
		{ INTEL_HASWELL,	32, 128, 1 },
		{ INTEL_HASWELL_X,	32, 128, 1 },
		{ INTEL_BROADWELL,	0, 128, 64 },
		{ INTEL_BROADWELL_X,	0, 128, 64 },
		{ INTEL_SKYLAKE,	0, 0, 0 },
	};
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, core);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct x86_hw_identity id = {
			.vendor	= X86_VENDOR_INTEL,
			.family	= 6,
			.model	= VFM_MODEL(limits[i].vfm),
		};
		u32 any = limits[i].any;

		intel_model_tables(core, intel_part_of(&id, 0)->model);
		expect_limit(test, core, ARCH_INSTRUCTIONS, any, !!any);
		expect_limit(test, core, ARCH_CYCLES, any, !!any);
		expect_limit(test, core, 0x01c0, limits[i].min, limits[i].unit);
	}
}

static struct kunit_case intel_model_cases[] = {
	KUNIT_CASE(every_folder_has_a_model),
	KUNIT_CASE(errata_limit_periods),
	KUNIT_CASE(generic_events_agree),
	KUNIT_CASE(counters_agree),
	KUNIT_CASE(precise_events_agree),
	KUNIT_CASE(memory_files_agree),
	KUNIT_CASE(auxiliary_events),
	KUNIT_CASE(registers_agree),
	KUNIT_CASE(frontend_has_values_that_exist),
	KUNIT_CASE(other_registers_are_alike),
	KUNIT_CASE(files_agree),
	KUNIT_CASE(transaction_files_agree),
	KUNIT_CASE_SLOW(groups_of_events_are_placed),
	KUNIT_CASE(stores_need_precise_sampling),
	KUNIT_CASE(precise_sampling_is_described),
	KUNIT_CASE(crestmont_has_snoop_responses),
	KUNIT_CASE(old_cores_are_named),
	KUNIT_CASE(core2_is_known),
	{ }
};

static struct kunit_suite intel_model_suite = {
	.name		= "perf_x86_intel_model",
	.test_cases	= intel_model_cases,
};

kunit_test_suite(intel_model_suite);
