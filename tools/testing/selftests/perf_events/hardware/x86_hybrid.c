// SPDX-License-Identifier: GPL-2.0
/*
 * x86 machines with several kinds of cores, or with one kind of several. Each kind has a PMU
 * with counters, formats and metrics of its own, which counts on its CPUs only. The machines
 * (x86_pmu_emulator= on the kernel's command line) are described in kinds[].
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define GROUP_MAX	16

/* Raw cycles, on every core. */
#define RAW_CYCLES	0x3c

/* Pseudo encodings of events that only fixed counters 3 and 4 count. */
#define SLOTS		0x0400
#define BAD_SPECULATION	0x0500

/**
 * struct kind - a kind of core of an emulated machine
 * @name: Name of the machine.
 * @pmu: Name of the PMU.
 * @machine: caps/pmu_name, "" if there is no such file.
 * @cpus: The file "cpus" in a machine of four CPUs.
 * @counters: Number of general purpose counters.
 * @fixed: Mask of fixed counters.
 * @select_ext: The event select has a second unit mask, and "equal".
 */
struct kind {
	const char *name;
	const char *pmu;
	const char *machine;
	const char *cpus;
	int counters;
	unsigned int fixed;
	bool select_ext;
};

static const struct kind kinds[] = {
	{ "intel-v6-hybrid", "cpu_core", "", "0-1", 10, 0x0f, true },
	{ "intel-v6-hybrid", "cpu_atom", "", "2-3", 8, 0x07, true },
	{ "intel-alderlake", "cpu_core", "alderlake_hybrid", "0-1", 8, 0x0f },
	{ "intel-alderlake", "cpu_atom", "alderlake_hybrid", "2-3", 6, 0x07 },
	{ "intel-p-only", "cpu_core", "alderlake_hybrid", "0-3", 8, 0x0f },
	{ "intel-meteorlake", "cpu_core", "meteorlake_hybrid", "0-1", 8, 0x0f },
	{ "intel-meteorlake", "cpu_atom", "meteorlake_hybrid", "2-3", 8, 0x07 },
	{ "intel-arrowlake-h", "cpu_core", "arrowlake_h_hybrid", "0-1", 10, 0x0f, true },
	{ "intel-arrowlake-h", "cpu_atom", "arrowlake_h_hybrid", "2", 8, 0x77, true },
	{ "intel-arrowlake-h", "cpu_lowpower", "arrowlake_h_hybrid", "3", 8, 0x07 },
};

static const char * const names[] = { "cpu", "cpu_core", "cpu_atom", "cpu_lowpower" };

/* The kind of that name on this machine, NULL if it has none or is no such machine. */
static const struct kind *kind_of(const char *pmu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (machine_is(kinds[i].name) && !strcmp(kinds[i].pmu, pmu))
			return &kinds[i];
	}
	return NULL;
}

/* The first CPU in a list like "2-3", or -1. */
static int first_cpu_of(const char *pmu)
{
	char text[256];

	return read_pmu_file(pmu, "cpus", text, sizeof(text)) > 0 ? atoi(text) : -1;
}

/* Set a CPU online or offline. */
static int set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0");
}

/*
 * With maxcpus=2 on the kernel's command line the kinds of the other CPUs are not known after
 * boot. The other tests need these CPUs, so this one comes first.
 */
TEST(kinds_after_boot)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF), fd;
	unsigned int i;

	if (!kind_of("cpu_core") || sysconf(_SC_NPROCESSORS_ONLN) == cpus)
		SKIP(return, "all CPUs are online");
	for (cpu = sysconf(_SC_NPROCESSORS_ONLN); cpu < cpus; cpu++) {
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			if (kind_of(names[i]) && atoi(kind_of(names[i])->cpus) >= cpu)
				EXPECT_GT(0, pmu_type(names[i]));
		}
		ASSERT_EQ(0, set_online(cpu, true));
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			if (!kind_of(names[i]) || atoi(kind_of(names[i])->cpus) != cpu)
				continue;
			ASSERT_LE(0, pmu_type(names[i]));
			fd = perf_open(PERF_ATTR(pmu_type(names[i]), RAW_CYCLES), -1, cpu, -1);
			ASSERT_LE(0, fd);
			ASSERT_EQ(0, pin_to_cpu(cpu));
			spin_and_call(1000);
			EXPECT_LT(0, perf_count(fd));
			close(fd);
		}
	}
}

FIXTURE(hybrid)
{
	int cpu;
	int other;
	int type;
};

FIXTURE_VARIANT(hybrid)
{
	const char *pmu;
	const char *other;
};

FIXTURE_VARIANT_ADD(hybrid, core)
{
	.pmu = "cpu_core", .other = "cpu_atom",
};

FIXTURE_VARIANT_ADD(hybrid, atom)
{
	.pmu = "cpu_atom", .other = "cpu_core",
};

FIXTURE_VARIANT_ADD(hybrid, lowpower)
{
	.pmu = "cpu_lowpower", .other = "cpu_atom",
};

FIXTURE_SETUP(hybrid)
{
	self->cpu = first_cpu_of(variant->pmu);
	self->other = first_cpu_of(variant->other);
	if (self->cpu < 0 || self->other < 0)
		SKIP(return, "there are not both kinds of cores");
	self->type = pmu_type(variant->pmu);
	ASSERT_LT(0, self->type);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(hybrid)
{
}

static void expect_here_only(struct __test_metadata *_metadata, int fd, int here, int there)
{
	struct perf_timed before, after;

	ASSERT_EQ(0, pin_to_cpu(here));
	spin_and_call(1000);
	ASSERT_EQ(0, pin_to_cpu(there));
	before = perf_timed_count(fd);
	spin_and_call(1000);
	after = perf_timed_count(fd);
	EXPECT_LT(0, before.value);
	EXPECT_EQ(before.value, after.value);
	EXPECT_EQ(before.running, after.running);
	EXPECT_LT(before.enabled, after.enabled);
	ASSERT_EQ(0, pin_to_cpu(here));
	spin_and_call(1000);
	EXPECT_LT(after.value, perf_timed_count(fd).value);
}

TEST_F(hybrid, raw_events_count_on_their_cores)
{
	int fd = perf_open_self(PERF_ATTR(self->type, RAW_CYCLES,
					  .read_format = PERF_ALL_TIMES));

	ASSERT_LE(0, fd);
	expect_here_only(_metadata, fd, self->cpu, self->other);
}

/* The PMU's number is in the upper bits of the generic event. */
TEST_F(hybrid, generic_events_count_on_their_cores)
{
	__u64 config = (__u64)self->type << 32 | PERF_COUNT_HW_INSTRUCTIONS;
	int fd = perf_open_self(PERF_ATTR(PERF_TYPE_HARDWARE, config,
					  .read_format = PERF_ALL_TIMES));

	ASSERT_LE(0, fd);
	expect_here_only(_metadata, fd, self->cpu, self->other);
}

TEST_F(hybrid, cpus_of_the_other_kind_are_refused)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, RAW_CYCLES);
	int fd = perf_open(attr, -1, self->cpu, -1);

	EXPECT_LE(0, fd);
	EXPECT_EQ(-ENOENT, perf_open(attr, -1, self->other, -1));
}

/* All counters of a kind are used, also those that the other kind does not have. */
TEST_F(hybrid, group_of_all_counters)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, 0x1, .disabled = 1,
						.read_format = PERF_ALL_TIMES);
	int fds[GROUP_MAX], n, i;
	struct perf_timed t;

	for (n = 0; n < GROUP_MAX; n++) {
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
		attr.disabled = 0;
	}
	ASSERT_LT(0, n);
	if (kind_of(variant->pmu))
		EXPECT_EQ(kind_of(variant->pmu)->counters, n);
	ASSERT_EQ(0, perf_enable(fds[0]));
	spin_and_call(1000);
	ASSERT_EQ(0, perf_disable(fds[0]));
	for (i = 0; i < n; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.value);
		EXPECT_EQ(t.enabled, t.running);
	}
}

/* Each CPU has one kind. */
TEST(kinds_share_no_cpu)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;
	int cpu, fd;

	if (pmu_type("cpu_core") < 0)
		SKIP(return, "all cores are alike");
	for (cpu = 0; cpu < cpus; cpu++) {
		int found = 0;

		for (i = 0; i < ARRAY_SIZE(names); i++) {
			struct perf_event_attr attr = PERF_ATTR(pmu_type(names[i]), RAW_CYCLES);

			if (pmu_type(names[i]) < 0)
				continue;
			fd = perf_open(attr, -1, cpu, -1);
			found += fd >= 0;
			close(fd);
		}
		EXPECT_EQ(1, found);
	}
}

FIXTURE(emulated)
{
};

FIXTURE_SETUP(emulated)
{
	if (!kind_of("cpu_core"))
		SKIP(return, "no emulated machine with kinds of cores behind the PMU");
}

FIXTURE_TEARDOWN(emulated)
{
}

/* There is a PMU for each kind, and no other; what it has is of its kind. */
TEST_F(emulated, pmus_are_those_of_the_kinds)
{
	char text[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct kind *kind = kind_of(names[i]);

		EXPECT_EQ(!kind, pmu_type(names[i]) < 0);
		if (!kind || pmu_type(names[i]) < 0)
			continue;
		EXPECT_LT(0, read_pmu_file(kind->pmu, "cpus", text, sizeof(text)));
		EXPECT_STREQ(kind->cpus, text);
		if (read_pmu_file(kind->pmu, "caps/pmu_name", text, sizeof(text)) < 0)
			text[0] = 0;
		EXPECT_STREQ(kind->machine, text);
		EXPECT_LT(0, read_pmu_file(kind->pmu, "format/umask", text, sizeof(text)));
		EXPECT_STREQ(kind->select_ext ? "config:8-15,40-47" : "config:8-15", text);
		EXPECT_EQ(kind->select_ext,
			  read_pmu_file(kind->pmu, "format/eq", text, sizeof(text)) > 0);
	}
	EXPECT_EQ(PERF_TYPE_RAW, pmu_type("cpu_core"));
}

/*
 * Open a group that needs all general purpose counters, and an event for a fixed counter.
 * Returns what the last perf_event_open() did. The count of the event must not be 0.
 */
static int open_beside(struct __test_metadata *_metadata, const struct kind *kind, __u64 config)
{
	struct perf_event_attr attr = PERF_ATTR(pmu_type(kind->pmu), 0x1, .disabled = 1);
	int fds[GROUP_MAX], n, fd;

	for (n = 0; n < kind->counters; n++) {
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		EXPECT_LE(0, fds[n]);
		attr.disabled = 0;
	}
	attr.config = config;
	fd = perf_open(attr, 0, -1, fds[0]);
	if (fd >= 0) {
		EXPECT_EQ(0, perf_enable(fds[0]));
		spin_and_call(1000);
		EXPECT_LT(0, perf_count(fd));
		close(fd);
	}
	perf_close_all(fds, n);
	return fd < 0 ? fd : 0;
}

/* Beside a group on all other counters, an event fits only on its own fixed counter. */
TEST_F(emulated, fixed_counters_are_those_of_the_kind)
{
	static const struct {
		int counter;
		__u64 config;
	} events[] = { { 3, SLOTS }, { 4, BAD_SPECULATION } };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct kind *kind = kind_of(names[i]);

		if (!kind)
			continue;
		ASSERT_EQ(0, pin_to_cpu(atoi(kind->cpus)));
		for (n = 0; n < ARRAY_SIZE(events); n++)
			EXPECT_EQ(kind->fixed >> events[n].counter & 1 ? 0 : -EINVAL,
				  open_beside(_metadata, kind, events[n].config));
	}
}

/* The last CPU is the only one of its kind on some machines. */
TEST_F(emulated, kinds_come_back)
{
	int cpu = sysconf(_SC_NPROCESSORS_CONF) - 1, fd, round;
	const char *pmu = "cpu_core";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (kind_of(names[i]) && strchr(kind_of(names[i])->cpus, '0' + cpu))
			pmu = names[i];
	}
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, set_online(cpu, false));
		EXPECT_LE(0, pmu_type(pmu));
		ASSERT_EQ(0, set_online(cpu, true));
		fd = perf_open(PERF_ATTR(pmu_type(pmu), RAW_CYCLES), -1, cpu, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pin_to_cpu(cpu));
		spin_and_call(1000);
		EXPECT_LT(0, perf_count(fd));
		close(fd);
	}
}

TEST_HARNESS_MAIN
