// SPDX-License-Identifier: GPL-2.0
/*
 * The boot parameters that decide what is offered: perf_x86_precise=, perf_x86_branches= and
 * perf_x86_trace=, each off, tested or on. An emulator counts as tested hardware, but not with
 * x86_pmu_emulator_untested on the kernel's command line.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/x86_emulator.h"

#ifdef __x86_64__

#define PERIOD	100003

static const struct perf_event_attr cycles = {
	.type		= PERF_TYPE_HARDWARE,
	.config		= PERF_COUNT_HW_CPU_CYCLES,
	.size		= sizeof(cycles),
	.sample_period	= PERIOD,
	.sample_type	= PERF_SAMPLE_IP,
	.exclude_kernel	= 1,
	.exclude_hv	= 1,
	.disabled	= 1,
};

FIXTURE(offer)
{
	const char *pmu;
};

FIXTURE_SETUP(offer)
{
	self->pmu = find_x86_core_pmu();
	if (!machine_is("") || !self->pmu)
		SKIP(return, "no emulator behind the PMU");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(offer)
{
}

/* Does a parameter offer what the CPU has? */
static bool is_offered(const char *parameter)
{
	const char *value = kernel_parameter(parameter);

	if (value && !strncmp(value, "on", strlen("on")))
		return true;
	if (value && !strncmp(value, "off", strlen("off")))
		return false;
	return !kernel_parameter("x86_pmu_emulator_untested");
}

/* The last refusal names the parameter, and the value that is set or that would help. */
static bool refusal_names(const char *parameter)
{
	const char *value = kernel_parameter(parameter);
	char why[256], expected[64];

	if (file_read("/proc/self/perf_event_refusal", why, sizeof(why)) <= 0)
		return false;
	snprintf(expected, sizeof(expected), "%s%s", parameter,
		 value && !strncmp(value, "off", strlen("off")) ? "off" : "on");
	return strstr(why, expected);
}

static bool pmu_has(const char *pmu, const char *file)
{
	char text[64];

	return read_pmu_file(pmu, file, text, sizeof(text)) > 0;
}

static int samples_of(int fd)
{
	struct perf_buf buf;
	int samples = 0;

	if (perf_buf_map(&buf, fd, 8))
		return -1;
	perf_enable(fd);
	burn_cpu(20 * NSEC_PER_MSEC);
	perf_disable(fd);
	while (perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))
		samples++;
	perf_buf_unmap(&buf);
	return samples;
}

TEST_F(offer, precise_samples_follow_their_parameter)
{
	struct perf_event_attr attr = cycles;
	bool offered = is_offered("perf_x86_precise=");
	char text[64];
	int fd;

	if (!machine_is("intel-icelake") && !machine_is("intel-skylake"))
		SKIP(return, "the emulated machine has no precise samples");
	ASSERT_LT(0, read_pmu_file(self->pmu, "caps/max_precise", text, sizeof(text)));
	EXPECT_EQ(offered, strcmp(text, "0") != 0);
	EXPECT_EQ(offered, pmu_has(self->pmu, "events/mem-loads"));
	EXPECT_EQ(offered, pmu_has(self->pmu, "events/mem-stores"));
	attr.precise_ip = 1;
	fd = perf_open_self(attr);
	if (offered) {
		ASSERT_LE(0, fd);
		EXPECT_LT(0, samples_of(fd));
		close(fd);
		return;
	}
	EXPECT_EQ(-EOPNOTSUPP, fd);
	EXPECT_TRUE(refused_for("precise_ip"));
	EXPECT_TRUE(refusal_names("perf_x86_precise="));
}

TEST_F(offer, branches_follow_their_parameter)
{
	struct perf_event_attr attr = cycles;
	bool offered = is_offered("perf_x86_branches=");
	int fd;

	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(offered, pmu_has(self->pmu, "caps/branches"));
	fd = perf_open_self(attr);
	if (offered) {
		ASSERT_LE(0, fd);
		EXPECT_LT(0, samples_of(fd));
		close(fd);
		return;
	}
	EXPECT_EQ(-EOPNOTSUPP, fd);
	EXPECT_TRUE(refused_for("branch_sample_type"));
	EXPECT_TRUE(refusal_names("perf_x86_branches="));
}

/* Without the trace, each branch is an interrupt, if the event has a period of one. */
TEST_F(offer, the_trace_follows_its_parameter)
{
	if (!machine_is("intel-icelake") && !machine_is("intel-skylake"))
		SKIP(return, "the emulated machine has no trace of branches");
	EXPECT_EQ(is_offered("perf_x86_trace="), pmu_has("intel_bts", "type"));
}

/* What is left counts and samples as ever. */
TEST_F(offer, other_samples_do_not_depend_on_it)
{
	int fd = perf_open_self(cycles);

	ASSERT_LE(0, fd);
	EXPECT_LT(0, samples_of(fd));
	EXPECT_LT(0, perf_count(fd));
	close(fd);
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
