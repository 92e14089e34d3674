// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the fields and bits of struct perf_event_attr that are refused,
 * alone and in combination, with their errno. Each row uses a software event of the
 * calling thread.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* A bit of the register masks that names no register. */
#ifdef __x86_64__
#define UNKNOWN_REG	(1ULL << 31)
#else
#define UNKNOWN_REG	(1ULL << 63)
#endif

struct attr_row {
	const char *name;
	int want;
	struct perf_event_attr attr;
};

#define ROW(_want, _text, ...) { _text, _want, PERF_SW(DUMMY, ##__VA_ARGS__) }

static void check_rows(struct __test_metadata *_metadata,
		       const struct attr_row *row, size_t count)
{
	for (; count--; row++)
		EXPECT_ROW(row->want, perf_try_self(row->attr), row->name);
}

#define CHECK_ROWS(_rows) check_rows(_metadata, _rows, ARRAY_SIZE(_rows))

/* The first bit field is the highest bit in big endian. */
#define BIG_ENDIAN_BITS	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

TEST(reserved_bits)
{
	size_t flags = offsetof(struct perf_event_attr, read_format) + 8;
	struct perf_event_attr attr;
	__u64 word;
	int bit;

	for (bit = 38; bit < 64; bit++) {
		attr = PERF_SW(DUMMY);
		word = 1ULL << (BIG_ENDIAN_BITS ? 63 - bit : bit);
		memcpy((char *)&attr + flags, &word, sizeof(word));
		EXPECT_EQ(-EINVAL, perf_try_self(attr)) {
			TH_LOG("flag bit %d", bit);
		}
	}
	for (bit = 0; bit < 16; bit++) {
		attr = PERF_SW(DUMMY, .__reserved_2 = 1U << bit);
		EXPECT_EQ(-EINVAL, perf_try_self(attr));
	}
	for (bit = 3; bit < 32; bit++) {
		attr = PERF_SW(DUMMY, .aux_action =
			1U << (BIG_ENDIAN_BITS ? 31 - bit : bit));
		EXPECT_EQ(-EINVAL, perf_try_self(attr));
	}
}

TEST(sample_type_unknown)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int bit;

	for (bit = 25; bit < 64; bit++) {
		attr.sample_type = 1ULL << bit;
		EXPECT_EQ(-EINVAL, perf_try_self(attr)) {
			TH_LOG("sample_type bit %d", bit);
		}
	}
}

TEST(read_format_unknown)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int bit;

	for (bit = 5; bit < 64; bit++) {
		attr.read_format = 1ULL << bit;
		EXPECT_EQ(-EINVAL, perf_try_self(attr)) {
			TH_LOG("read_format bit %d", bit);
		}
	}
}

TEST(read_format_all_combinations)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		attr.read_format = format;
		EXPECT_EQ(0, perf_try_self(attr)) {
			TH_LOG("read_format %llu", format);
		}
	}
}

TEST(branch_sample_type)
{
	static const struct attr_row rows[] = {
		ROW(-EINVAL, "no branch type",
		    .sample_type = PERF_SAMPLE_BRANCH_STACK),
		ROW(-EINVAL, "privilege level alone",
		    .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_USER),
		ROW(-EINVAL, "unknown bit 20",
		    .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | 1U << 20),
		ROW(-EINVAL, "unknown bit 63",
		    .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | 1ULL << 63),
		ROW(-EOPNOTSUPP, "software events record no branches",
		    .sample_type = PERF_SAMPLE_BRANCH_STACK,
		    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_USER),
		ROW(0, "unused without PERF_SAMPLE_BRANCH_STACK",
		    .branch_sample_type = ~0ULL),
	};

	CHECK_ROWS(rows);
}

TEST(frequency)
{
	long max;

	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &max));
	EXPECT_EQ(0, perf_try_self(PERF_SW(DUMMY, .freq = 1)));
	EXPECT_EQ(0, perf_try_self(PERF_SW(CPU_CLOCK, .freq = 1,
					   .sample_freq = max)));
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_SW(CPU_CLOCK, .freq = 1,
						 .sample_freq = max + 1)));
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_SW(CPU_CLOCK, .freq = 1,
						 .sample_freq = ~0ULL)));
}

TEST(sample_period)
{
	static const struct attr_row rows[] = {
		ROW(0, "1", .sample_period = 1),
		ROW(0, "2^63 - 1", .sample_period = ~0ULL >> 1),
		ROW(-EINVAL, "2^63", .sample_period = 1ULL << 63),
		ROW(-EINVAL, "2^64 - 1", .sample_period = ~0ULL),
	};

	CHECK_ROWS(rows);
}

/* Software events have no skid. */
TEST(precise_ip)
{
	static const struct attr_row rows[] = {
		ROW(0, "0"),
		ROW(0, "1", .precise_ip = 1),
		ROW(0, "2", .precise_ip = 2),
		ROW(0, "3", .precise_ip = 3),
	};

	CHECK_ROWS(rows);
}

TEST(software_config_known)
{
	__u64 config;

	for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
		EXPECT_EQ(0, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE,
						     config))) {
			TH_LOG("config %llu", config);
		}
	}
}

TEST(software_config_out_of_range)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_MAX, 13, 255, 256, 1ULL << 16, 0x7fffffff,
		0x80000000, 0xffffffff, 1ULL << 32, (1ULL << 32) + 1,
		1ULL << 62, 1ULL << 63, (1ULL << 63) + 2, ~0ULL,
		~0ULL << 32, (~0ULL << 32) + PERF_COUNT_SW_DUMMY,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE,
							   configs[i]))) {
			TH_LOG("config %#llx", configs[i]);
		}
	}
}

TEST(type_unknown)
{
	static const __u32 types[] = { 0x7fff, 1U << 30, 1U << 31, ~0U };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		EXPECT_EQ(-ENOENT, perf_try_self(PERF_ATTR(types[i], 0))) {
			TH_LOG("type %#x", types[i]);
		}
	}
}

TEST(unused_fields_accepted)
{
	static const struct attr_row rows[] = {
		ROW(0, "config1", .config1 = ~0ULL),
		ROW(0, "config2", .config2 = ~0ULL),
		ROW(0, "config3", .config3 = ~0ULL),
		ROW(0, "bp_type", .bp_type = ~0U),
		ROW(0, "wakeup_events", .wakeup_events = ~0U),
		ROW(0, "wakeup_watermark", .watermark = 1,
		    .wakeup_watermark = ~0U),
		ROW(0, "aux_watermark", .aux_watermark = ~0U),
		ROW(0, "sig_data", .sig_data = ~0ULL),
		ROW(0, "clockid without use_clockid", .clockid = 12345),
		ROW(0, "sample_stack_user without its bit",
		    .sample_stack_user = 7),
		ROW(0, "sample_regs_user without its bit",
		    .sample_regs_user = UNKNOWN_REG),
		ROW(0, "sample_regs_intr without its bit",
		    .sample_regs_intr = UNKNOWN_REG),
		ROW(0, "sample_max_stack without callchain",
		    .sample_max_stack = ~0),
	};

	CHECK_ROWS(rows);
}

TEST(exclusions_and_sideband_bits)
{
	static const struct attr_row rows[] = {
		ROW(0, "exclude_user", .exclude_user = 1),
		ROW(0, "exclude_kernel", .exclude_kernel = 1),
		ROW(0, "exclude_hv", .exclude_hv = 1),
		ROW(0, "exclude_idle", .exclude_idle = 1),
		ROW(0, "exclude_host", .exclude_host = 1),
		ROW(0, "exclude_guest", .exclude_guest = 1),
		ROW(0, "user, kernel and hv", .exclude_user = 1,
		    .exclude_kernel = 1, .exclude_hv = 1),
		ROW(0, "exclude_callchain_kernel",
		    .exclude_callchain_kernel = 1),
		ROW(0, "exclude_callchain_user", .exclude_callchain_user = 1),
		ROW(0, "mmap", .mmap = 1),
		ROW(0, "mmap_data", .mmap_data = 1),
		ROW(0, "mmap2", .mmap2 = 1),
		ROW(0, "comm", .comm = 1),
		ROW(0, "comm_exec", .comm_exec = 1),
		ROW(0, "task", .task = 1),
		ROW(0, "context_switch", .context_switch = 1),
		ROW(0, "namespaces", .namespaces = 1),
		ROW(0, "ksymbol", .ksymbol = 1),
		ROW(0, "bpf_event", .bpf_event = 1),
		ROW(0, "text_poke", .text_poke = 1),
		ROW(0, "cgroup", .cgroup = 1),
		ROW(0, "build_id", .mmap2 = 1, .build_id = 1),
		ROW(0, "sample_id_all", .sample_id_all = 1),
		ROW(0, "write_backward", .write_backward = 1),
	};

	CHECK_ROWS(rows);
}

TEST(inheritance_bits)
{
	static const struct attr_row rows[] = {
		ROW(0, "inherit", .inherit = 1),
		ROW(0, "inherit_thread", .inherit = 1, .inherit_thread = 1),
		ROW(-EINVAL, "inherit_thread alone", .inherit_thread = 1),
		ROW(0, "inherit_stat", .inherit = 1, .inherit_stat = 1),
		ROW(0, "inherit_stat alone", .inherit_stat = 1),
		ROW(0, "inherit and read group", .inherit = 1,
		    .read_format = PERF_FORMAT_GROUP),
		ROW(0, "inherit, sampled value", .inherit = 1,
		    .sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID),
		ROW(-EINVAL, "inherit, sampled value without tid",
		    .inherit = 1, .sample_type = PERF_SAMPLE_READ),
	};

	CHECK_ROWS(rows);
}

TEST(exec_bits)
{
	static const struct attr_row rows[] = {
		ROW(0, "enable_on_exec", .disabled = 1, .enable_on_exec = 1),
		ROW(0, "remove_on_exec", .remove_on_exec = 1),
		ROW(-EINVAL, "enable and remove on exec", .enable_on_exec = 1,
		    .remove_on_exec = 1),
	};

	CHECK_ROWS(rows);
}

TEST(sigtrap_refused)
{
	static const struct attr_row rows[] = {
		ROW(-EINVAL, "without remove_on_exec", .sigtrap = 1),
		ROW(-EINVAL, "with enable_on_exec", .sigtrap = 1,
		    .enable_on_exec = 1),
	};

	CHECK_ROWS(rows);

	/* The signal needs a task. */
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY, .sigtrap = 1,
					    .remove_on_exec = 1),
				    -1, nth_cpu(0), -1, 0));
}

TEST(sigtrap_accepted)
{
	EXPECT_EQ(0, perf_try_self(PERF_SW(DUMMY, .sigtrap = 1,
					   .remove_on_exec = 1)));
}

TEST(clockid_valid)
{
	static const __s32 ids[] = {
		CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
		CLOCK_BOOTTIME, CLOCK_TAI,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		EXPECT_EQ(0, perf_try_self(PERF_SW(DUMMY, .use_clockid = 1,
						   .clockid = ids[i]))) {
			TH_LOG("clock %d", ids[i]);
		}
	}
}

TEST(clockid_invalid)
{
	static const __s32 ids[] = {
		CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
		CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
		CLOCK_REALTIME_ALARM, CLOCK_BOOTTIME_ALARM,
		10, 12, 16, INT_MAX, -1, INT_MIN,
	};
	struct perf_event_attr attr = PERF_SW(DUMMY, .use_clockid = 1);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		attr.clockid = ids[i];
		EXPECT_EQ(-EINVAL, perf_try_self(attr)) {
			TH_LOG("clock %d", ids[i]);
		}
	}
}

TEST(sampled_user_stack)
{
	static const struct attr_row rows[] = {
		ROW(0, "0", .sample_type = PERF_SAMPLE_STACK_USER),
		ROW(-EINVAL, "4", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 4),
		ROW(-EINVAL, "1025", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 1025),
		ROW(0, "8", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 8),
		ROW(0, "65528", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 65528),
		ROW(-EINVAL, "65536", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = 65536),
		ROW(-EINVAL, "2^32 - 8", .sample_type = PERF_SAMPLE_STACK_USER,
		    .sample_stack_user = -8),
	};

	CHECK_ROWS(rows);
}

TEST(sampled_registers)
{
	static const struct attr_row rows[] = {
		ROW(-EINVAL, "user, none", .sample_type = PERF_SAMPLE_REGS_USER),
		ROW(0, "user, first", .sample_type = PERF_SAMPLE_REGS_USER,
		    .sample_regs_user = 1),
		ROW(-EINVAL, "user, unknown",
		    .sample_type = PERF_SAMPLE_REGS_USER,
		    .sample_regs_user = UNKNOWN_REG),
		ROW(-EINVAL, "interrupt, none",
		    .sample_type = PERF_SAMPLE_REGS_INTR),
		ROW(0, "interrupt, first",
		    .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = 1),
		ROW(-EINVAL, "interrupt, unknown",
		    .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = UNKNOWN_REG),
	};

	CHECK_ROWS(rows);
}

#ifdef __x86_64__
/* Vector registers need a PMU that captures them, sampling or not. */
TEST(sampled_vector_registers)
{
	static const struct attr_row rows[] = {
		ROW(-EOPNOTSUPP, "user", .sample_type = PERF_SAMPLE_REGS_USER,
		    .sample_regs_user = 1ULL << 32),
		ROW(-EOPNOTSUPP, "user, bit alone",
		    .sample_regs_user = 1ULL << 63),
		ROW(-EOPNOTSUPP, "interrupt",
		    .sample_type = PERF_SAMPLE_REGS_INTR,
		    .sample_regs_intr = 1ULL << 32),
		ROW(-EOPNOTSUPP, "interrupt, bit alone",
		    .sample_regs_intr = 1ULL << 63),
	};

	CHECK_ROWS(rows);
}
#endif

TEST(sampled_weight_is_one_of_two)
{
	static const struct attr_row rows[] = {
		ROW(0, "weight", .sample_type = PERF_SAMPLE_WEIGHT),
		ROW(0, "struct", .sample_type = PERF_SAMPLE_WEIGHT_STRUCT),
		ROW(-EINVAL, "both", .sample_type = PERF_SAMPLE_WEIGHT_TYPE),
	};

	CHECK_ROWS(rows);
}

TEST(sampled_callchain_depth)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .sample_type =
					      PERF_SAMPLE_CALLCHAIN);
	long max;

	ASSERT_EQ(0, file_read_long(MAX_STACK, &max));
	EXPECT_EQ(0, perf_try_self(attr));
	attr.sample_max_stack = max;
	EXPECT_EQ(0, perf_try_self(attr));
	attr.sample_max_stack = max + 1;
	EXPECT_EQ(-EOVERFLOW, perf_try_self(attr));
}

TEST(aux_needs_a_pmu_with_aux)
{
	static const struct attr_row rows[] = {
		ROW(-EOPNOTSUPP, "aux_output", .aux_output = 1),
		ROW(-EINVAL, "aux_sample_size", .aux_sample_size = 4096),
		ROW(-EINVAL, "aux_sample_size, sampled", .aux_sample_size = 4096,
		    .sample_type = PERF_SAMPLE_AUX),
	};

	CHECK_ROWS(rows);
}

TEST(pinned_and_exclusive_leaders)
{
	static const struct attr_row rows[] = {
		ROW(0, "pinned", .pinned = 1),
		ROW(0, "exclusive", .exclusive = 1),
		ROW(0, "both", .pinned = 1, .exclusive = 1),
	};

	CHECK_ROWS(rows);
}

TEST(pinned_and_exclusive_siblings)
{
	int leader = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, leader);
	EXPECT_EQ(0, perf_try(PERF_SW(DUMMY), 0, -1, leader, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY, .pinned = 1), 0, -1,
				    leader, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY, .exclusive = 1), 0, -1,
				    leader, 0));
}

TEST(sibling_of_inherited_leader)
{
	int plain = perf_open_self(PERF_SW(DUMMY));
	int inherited = perf_open_self(PERF_SW(DUMMY, .inherit = 1));

	ASSERT_LE(0, plain);
	ASSERT_LE(0, inherited);
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY, .inherit = 1), 0, -1,
				    plain, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, inherited, 0));
	EXPECT_EQ(0, perf_try(PERF_SW(DUMMY, .inherit = 1), 0, -1,
			      inherited, 0));
}

TEST(sibling_clock_differs)
{
	int leader = perf_open_self(PERF_SW(DUMMY, .use_clockid = 1,
					    .clockid = CLOCK_MONOTONIC));

	ASSERT_LE(0, leader);
	EXPECT_EQ(0, perf_try(PERF_SW(DUMMY, .use_clockid = 1,
				      .clockid = CLOCK_MONOTONIC),
			      0, -1, leader, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY, .use_clockid = 1,
					    .clockid = CLOCK_BOOTTIME),
				    0, -1, leader, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, leader, 0));
}

TEST(refusal_leaves_no_descriptor)
{
	int before = dup(0), i;

	close(before);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(-ENOENT, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE,
							   1000)));
	EXPECT_EQ(before, dup(0));
}

TEST_HARNESS_MAIN
