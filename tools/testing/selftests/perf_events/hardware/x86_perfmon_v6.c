// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural perfmon of version 6 on x86: more bits in the event select.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

TEST(select_fields)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_RAW, 0x1 | 0x3ULL << 40);
	const char *pmu = find_x86_core_pmu();
	char text[64];
	int fd;

	if (!pmu || read_pmu_file(pmu, "format/umask", text, sizeof(text)) < 0 ||
	    !strstr(text, "40-47"))
		SKIP(return, "no PMU whose unit masks have two bytes");
	EXPECT_STREQ("config:8-15,40-47", text);
	ASSERT_LT(0, read_pmu_file(pmu, "format/eq", text, sizeof(text)));
	EXPECT_STREQ("config:36", text);

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	spin_and_call(1000);
	EXPECT_LT(0, perf_count(fd));
}

TEST_HARNESS_MAIN
