// SPDX-License-Identifier: GPL-2.0
/*
 * Generation of attributes: mostly valid ones, with some members changed to values at or
 * beyond a limit.
 */
#include <linux/hw_breakpoint.h>
#include <stddef.h>
#include <string.h>

#include "abi.h"

const char *const attr_flag_names[ATTR_FLAG_BITS] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
	"exclude_hv", "exclude_idle", "mmap", "comm", "freq", "inherit_stat",
	"enable_on_exec", "task", "watermark", "precise1", "precise2", "mmap_data",
	"sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel",
	"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch",
	"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
	"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
	"flag38", "flag50", "flag63",
};

/* bits of the rows of attr_flag_names that are not in sequence */
static const unsigned char reserved_bits[] = { 38, 50, 63 };

#define FLAGS_OFFSET	(offsetof(struct perf_event_attr, read_format) + 8)

enum flag {
	DISABLED, INHERIT, PINNED, EXCLUSIVE, EXCLUDE_USER, EXCLUDE_KERNEL, EXCLUDE_HV,
	EXCLUDE_IDLE, MMAP, COMM, FREQ, INHERIT_STAT, ENABLE_ON_EXEC, TASK, WATERMARK,
	PRECISE1, PRECISE2, MMAP_DATA, SAMPLE_ID_ALL, EXCLUDE_HOST, EXCLUDE_GUEST,
	EXCLUDE_CALLCHAIN_KERNEL, EXCLUDE_CALLCHAIN_USER, MMAP2, COMM_EXEC, USE_CLOCKID,
	CONTEXT_SWITCH, WRITE_BACKWARD, NAMESPACES, KSYMBOL, BPF_EVENT, AUX_OUTPUT,
	CGROUP, TEXT_POKE, BUILD_ID, INHERIT_THREAD, REMOVE_ON_EXEC, SIGTRAP,
};

/* The flags as bits, by index in attr_flag_names. */
uint64_t attr_flags(const struct perf_event_attr *attr)
{
	uint64_t word, flags;
	unsigned int i;

	memcpy(&word, (const char *)attr + FLAGS_OFFSET, sizeof(word));
	flags = word & ((1ULL << 38) - 1);
	for (i = 0; i < ARRAY_SIZE(reserved_bits); i++) {
		if (word >> reserved_bits[i] & 1)
			flags |= 1ULL << (38 + i);
	}
	return flags;
}

void attr_set_flags(struct perf_event_attr *attr, uint64_t flags)
{
	uint64_t word = flags & ((1ULL << 38) - 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved_bits); i++) {
		if (flags >> (38 + i) & 1)
			word |= 1ULL << reserved_bits[i];
	}
	memcpy((char *)attr + FLAGS_OFFSET, &word, sizeof(word));
}

static void set_flag(struct attr_plan *plan, unsigned int flag)
{
	attr_set_flags(&plan->attr, attr_flags(&plan->attr) | 1ULL << flag);
}

static void clear_flag(struct attr_plan *plan, unsigned int flag)
{
	attr_set_flags(&plan->attr, attr_flags(&plan->attr) & ~(1ULL << flag));
}

/* The type of a PMU for the upper half of config. Types of sysfs differ between machines. */
static uint64_t upper_half(struct attr_plan *plan)
{
	static const uint64_t upper[] = { 1, 2, 4, 1000, 0x80000000 };
	unsigned int i = random_below(ARRAY_SIZE(upper) + 1);

	if (i < ARRAY_SIZE(upper))
		return upper[i] << 32;
	plan->upper = &pmu_types[random_below(nr_pmu_types)];
	return 0;
}

static uint64_t generic_config(struct attr_plan *plan)
{
	uint64_t config = random_below(12);

	if (random_percent(15))
		config |= upper_half(plan);
	return config;
}

static uint64_t cache_config(struct attr_plan *plan)
{
	uint64_t config = random_below(8) | random_below(4) << 8 | random_below(3) << 16;

	if (random_percent(10))
		config |= upper_half(plan);
	if (random_percent(10))
		config |= 1 << random_below(32);
	return config;
}

/* A breakpoint that every machine can have. */
static void plan_good_breakpoint(struct attr_plan *plan)
{
	plan->breakpoint = "vvvf"[random_below(4)];
	plan->attr.bp_addr = 0;
	if (plan->breakpoint == 'f') {
		plan->attr.bp_type = HW_BREAKPOINT_X;
		plan->attr.bp_len = sizeof(long);
	} else {
		plan->attr.bp_type = random_percent(50) ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
		plan->attr.bp_len = 1 << random_below(4);
	}
}

static void plan_breakpoint(struct attr_plan *plan)
{
	static const uint64_t types[] = { 1, 2, 3, 3, 3, 4, 4, 0, 5, 7, 8, 1u << 31 };
	static const uint64_t lengths[] = { 1, 2, 4, 4, 8, 8, 0, 3, 16, 255, 1ULL << 40 };

	if (random_percent(60)) {
		plan_good_breakpoint(plan);
		return;
	}
	plan->breakpoint = "vvvvffk"[random_below(7)];
	plan->attr.bp_addr = random_percent(20) ? random_below(9) : 0;
	plan->attr.bp_type = random_of(types);
	plan->attr.bp_len = random_of(lengths);
}

static void plan_tracepoint(struct attr_plan *plan)
{
	static const uint64_t ids[] = { 0, 60000, 1ULL << 32, ~0ULL };

	if (random_percent(5))
		plan->attr.config = random_of(ids);
	else
		plan->tracepoint = &tracepoints[random_below(nr_tracepoints)];
}

static void plan_probe(struct attr_plan *plan)
{
	static const char *const functions[] = {
		"ksys_sync", "ksys_sync", "no_such_function", "",
	};
	static const char *const files[] = { uprobe_file, uprobe_file, "/", "/none", "" };
	bool uprobe = plan->type->name[0] == 'u';

	plan->attr.config = random_percent(90) ? random_below(2) : random_u64();
	plan->path = uprobe ? random_of(files) : random_of(functions);
	if (uprobe && random_percent(80))
		plan->attr.config2 = 0x1000;
	if (random_percent(10))
		plan->path = NULL;
}

/* config of the PMU in memory: a code and a mask of counters */
static uint64_t fake_config(void)
{
	static const uint64_t masks[] = { 0, 0, 0, 0xf, 1, 2, 3, 0x10, 0xffff };

	return random_below(5) | random_of(masks) << 8 |
	       (random_percent(5) ? 1ULL << (24 + random_below(40)) : 0);
}

static void plan_config(struct attr_plan *plan)
{
	const char *name = plan->type->name;

	if (!strcmp(name, "software"))
		plan->attr.config = random_percent(95) ? random_below(12) : random_u64();
	else if (!strcmp(name, "hardware"))
		plan->attr.config = generic_config(plan);
	else if (!strcmp(name, "cache"))
		plan->attr.config = cache_config(plan);
	else if (!strcmp(name, "breakpoint"))
		plan_breakpoint(plan);
	else if (!strcmp(name, "tracepoint"))
		plan_tracepoint(plan);
	else if (strstr(name, "probe"))
		plan_probe(plan);
	else if (!strcmp(name, "fake"))
		plan->attr.config = fake_config();
	else if (!strcmp(name, "fake_trace") || !strcmp(name, "msr"))
		plan->attr.config = random_below(3);
	else
		plan->attr.config = random_percent(80) ? random_below(0x40) : random_u64();
}

/* Half of the events are software events. Probes are rare, because they are slow to create. */
static const struct pmu_type *pick_type(void)
{
	const struct pmu_type *type;

	if (random_percent(45))
		return &pmu_types[0];
	do {
		type = &pmu_types[random_below(nr_pmu_types)];
	} while (strstr(type->name, "probe") && !random_percent(4));
	return type;
}

static void plan_sampling(struct attr_plan *plan)
{
	static const uint64_t periods[] = { 1, 1, 2, 100, 10000, 1000000, 1ULL << 40 };
	static const uint64_t rates[] = { 1, 100, 1000, 2000, 2001, 100000 };
	static const uint64_t types[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR,
		PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_ID, PERF_SAMPLE_CPU,
		PERF_SAMPLE_PERIOD, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_RAW,
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_WEIGHT, PERF_SAMPLE_DATA_SRC,
		PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_CGROUP,
		PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	unsigned int i, nr = random_below(6);

	if (random_percent(20)) {
		set_flag(plan, FREQ);
		plan->attr.sample_freq = random_of(rates);
	} else {
		plan->attr.sample_period = random_of(periods);
	}
	for (i = 0; i < nr; i++)
		plan->attr.sample_type |= random_of(types);
	if (random_percent(10)) {
		set_flag(plan, WATERMARK);
		plan->attr.wakeup_watermark = random_below(8192);
	} else if (random_percent(30)) {
		plan->attr.wakeup_events = random_below(4);
	}
}

/* Additional fields of samples that have a member of their own. */
static void plan_sampling_more(struct attr_plan *plan)
{
	static const uint64_t branches[] = { 0x9, 0x8, 0x1, 0xf, 0x10009, 1u << 19, 1u << 20 };
	static const uint64_t registers[] = { 1, 0xff, 0x1ff, 0, 1ULL << 32, 1ULL << 63 };
	static const uint32_t stacks[] = { 8, 1024, 65528, 0, 12, 65535, 65536 };

	switch (random_below(6)) {
	case 0:
		plan->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		plan->attr.branch_sample_type = random_of(branches);
		break;
	case 1:
		plan->attr.sample_type |= PERF_SAMPLE_REGS_USER;
		plan->attr.sample_regs_user = random_of(registers);
		break;
	case 2:
		plan->attr.sample_type |= PERF_SAMPLE_REGS_INTR;
		plan->attr.sample_regs_intr = random_of(registers);
		break;
	case 3:
		plan->attr.sample_type |= PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
		plan->attr.sample_regs_user = 1;
		plan->attr.sample_stack_user = random_of(stacks);
		break;
	case 4:
		plan->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		plan->attr.sample_max_stack = random_of(((int[]){ 1, 127, 128, 65535 }));
		break;
	default:
		plan->attr.sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	}
}

/* Members that are valid with any other members. */
static void plan_life(struct attr_plan *plan)
{
	static const unsigned char flags[] = {
		INHERIT, INHERIT, INHERIT, PINNED, EXCLUSIVE, EXCLUDE_USER, EXCLUDE_HV,
		EXCLUDE_IDLE, MMAP, COMM, INHERIT_STAT, ENABLE_ON_EXEC, TASK, MMAP_DATA,
		SAMPLE_ID_ALL, SAMPLE_ID_ALL, EXCLUDE_HOST, EXCLUDE_GUEST,
		EXCLUDE_CALLCHAIN_KERNEL, EXCLUDE_CALLCHAIN_USER, MMAP2, COMM_EXEC,
		CONTEXT_SWITCH, WRITE_BACKWARD, NAMESPACES, KSYMBOL, BPF_EVENT, CGROUP,
		TEXT_POKE, BUILD_ID, REMOVE_ON_EXEC,
	};
	unsigned int i, nr = random_percent(50) ? 0 : 1 + random_below(4);

	if (random_percent(50))
		set_flag(plan, DISABLED);
	if (random_percent(60))
		set_flag(plan, EXCLUDE_KERNEL);
	for (i = 0; i < nr; i++)
		set_flag(plan, random_of(flags));
	if (random_percent(4)) {
		set_flag(plan, INHERIT);
		set_flag(plan, INHERIT_THREAD);
	}
	if (random_percent(4)) {
		set_flag(plan, SIGTRAP);
		set_flag(plan, REMOVE_ON_EXEC);
		clear_flag(plan, ENABLE_ON_EXEC);
		plan->attr.sig_data = random_below(2);
	}
	if (random_percent(8)) {
		set_flag(plan, USE_CLOCKID);
		plan->attr.clockid = random_of(((int[]){ 0, 1, 1, 4, 4, 7, 11 }));
	}
	if (random_percent(60))
		plan->attr.read_format = random_below(32);
}

/* Avoid attributes that PMUs other than a CPU's refuse: exclude_*, and mostly sampling. */
static void plan_within(struct attr_plan *plan)
{
	static const unsigned char excludes[] = {
		EXCLUDE_USER, EXCLUDE_KERNEL, EXCLUDE_HV, EXCLUDE_IDLE, EXCLUDE_HOST,
		EXCLUDE_GUEST,
	};
	const char *name = plan->type->name;
	unsigned int i;

	if (strcmp(name, "msr") && strcmp(name, "fake") && strcmp(name, "fake_trace"))
		return;
	for (i = 0; i < ARRAY_SIZE(excludes); i++)
		clear_flag(plan, excludes[i]);
	if (!strcmp(name, "fake") && !(plan->attr.config & 0xff))
		return;
	clear_flag(plan, FREQ);
	plan->attr.sample_period = 0;
}

/* Set a known or unknown size, and bytes behind the known ones. */
static void spoil_size(struct attr_plan *plan)
{
	static const uint32_t sizes[] = {
		64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 4096,
		0, 1, 8, 63, 65, 4097, 0x7fffffff, 0xffffffff,
	};

	plan->size = random_of(sizes);
	plan->attr.size = plan->size;
	plan->tail = random_percent(30);
}

/* Attributes that need an AUX area, mostly the leader's. */
void plan_aux(struct attr_plan *plan)
{
	static const uint32_t sizes[] = { 8, 4096, 65535, 65536, 0xffffffff };
	unsigned int what = random_below(7);

	if (what == 0 || what == 5)
		set_flag(plan, AUX_OUTPUT);
	if (what == 1 || what == 5) {
		plan->attr.aux_sample_size = random_of(sizes);
		if (random_percent(80))
			plan->attr.sample_type |= PERF_SAMPLE_AUX;
	}
	if (what == 2)
		plan->attr.aux_action = random_below(8);
	if (what == 3) {
		plan->attr.aux_action = 1u << random_below(32);
		if (random_percent(30))
			set_flag(plan, AUX_OUTPUT);
	}
	if (what == 4)
		plan->attr.aux_watermark = random_of(sizes);
	if (what == 6)
		plan->attr.sample_type |= PERF_SAMPLE_AUX;
}

/* Offset and size of members that can be set to any value. */
#define MEMBER(_name)							\
	{ offsetof(struct perf_event_attr, _name),			\
	  sizeof(((struct perf_event_attr *)0)->_name) }

static const struct member {
	size_t	offset;
	size_t	size;
} members[] = {
	MEMBER(sample_type), MEMBER(sample_period), MEMBER(branch_sample_type),
	MEMBER(sample_regs_user), MEMBER(sample_regs_intr), MEMBER(sample_stack_user),
	MEMBER(clockid), MEMBER(sample_max_stack), MEMBER(__reserved_2),
	MEMBER(wakeup_events), MEMBER(config3), MEMBER(sig_data), MEMBER(config1),
	MEMBER(config2),
};

static void spoil_member(struct attr_plan *plan)
{
	static const uint64_t values[] = {
		0, 1, 7, 0xff, 0xffff, 1u << 31, 0xffffffff, 1ULL << 32,
		0x7fffffffffffffff, 1ULL << 63, ~0ULL,
	};
	const struct member *member = &random_of(members);
	uint64_t value = random_of(values);

	/* all supported machines are little endian */
	memcpy((char *)&plan->attr + member->offset, &value, member->size);
	if (plan->path)
		plan->attr.config2 = 0;
}

static void spoil_bit(struct attr_plan *plan)
{
	if (random_percent(50))
		plan->attr.sample_type |= 1ULL << random_below(64);
	else
		plan->attr.read_format |= 1ULL << random_below(64);
}

static void spoil_type(struct attr_plan *plan)
{
	static const uint32_t types[] = {
		1000, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	plan->type = NULL;
	plan->tracepoint = NULL;
	plan->upper = NULL;
	plan->path = NULL;
	plan->attr.type = random_of(types);
}

static void spoil_flag(struct attr_plan *plan)
{
	set_flag(plan, random_below(random_percent(70) ? 38 : ATTR_FLAG_BITS));
}

static void spoil(struct attr_plan *plan)
{
	static void (*const spoilers[])(struct attr_plan *plan) = {
		spoil_size, spoil_type, plan_aux, plan_aux, spoil_member, spoil_member,
		spoil_bit, spoil_flag, spoil_flag, spoil_flag,
	};

	random_of(spoilers)(plan);
}

/* @odd: probability in percent, for each of several changes to an invalid value */
void plan_attr(struct attr_plan *plan, unsigned int odd)
{
	memset(plan, 0, sizeof(*plan));
	plan->size = sizeof(plan->attr);
	plan->attr.size = plan->size;
	plan->type = pick_type();
	plan_config(plan);
	plan_life(plan);
	if (random_percent(45))
		plan_sampling(plan);
	if (random_percent(8))
		plan_sampling_more(plan);
	if (random_percent(75))
		plan_within(plan);
	while (random_percent(odd))
		spoil(plan);
	plan->unreadable = random_percent(1) && random_percent(odd);
}

/* Attributes for a change of an event: mostly of a breakpoint, and as it was opened. */
void plan_bad_attr(struct attr_plan *plan, const struct attr_plan *opened)
{
	if (opened->breakpoint && random_percent(85)) {
		*plan = *opened;
		plan_breakpoint(plan);
		if (random_percent(30))
			attr_set_flags(&plan->attr, attr_flags(&plan->attr) ^ 1ULL << DISABLED);
		if (random_percent(10))
			spoil(plan);
		return;
	}
	plan_attr(plan, ODD);
	if (random_percent(60)) {
		memset(plan, 0, sizeof(*plan));
		plan->size = sizeof(plan->attr);
		plan->attr.size = plan->size;
		plan->type = &pmu_types[4];
		plan_breakpoint(plan);
		if (random_percent(50))
			set_flag(plan, DISABLED);
		if (random_percent(50))
			set_flag(plan, EXCLUDE_KERNEL);
		if (random_percent(30))
			spoil(plan);
	}
}
