// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the energy units, against the units of the powercap driver:
 * drivers/powercap/intel_rapl_common.c.
 */
#include <kunit/test.h>
#include <asm/intel-family.h>
#include <asm/cpu_device_id.h>
#include "../system/rapl.h"

/* Value of the unit register: 2^-14 joules. */
#define UNIT		14
#define UNITS		(UNIT << 8)

/* 2^-16 joules: 15.3 microjoules. */
#define SERVER_DRAM	16

static const struct {
	u32	vfm;
	u8	dram;
	u8	platform;
} units[] = {
	{ INTEL_SANDYBRIDGE_X,		UNIT,		UNIT },
	{ INTEL_HASWELL,		UNIT,		UNIT },
	{ INTEL_HASWELL_X,		SERVER_DRAM,	UNIT },
	{ INTEL_BROADWELL_D,		UNIT,		UNIT },
	{ INTEL_BROADWELL_X,		SERVER_DRAM,	UNIT },
	{ INTEL_SKYLAKE,		UNIT,		UNIT },
	{ INTEL_SKYLAKE_X,		SERVER_DRAM,	UNIT },
	{ INTEL_ICELAKE_X,		SERVER_DRAM,	UNIT },
	{ INTEL_ICELAKE_D,		SERVER_DRAM,	UNIT },
	{ INTEL_XEON_PHI_KNL,		SERVER_DRAM,	UNIT },
	{ INTEL_XEON_PHI_KNM,		SERVER_DRAM,	UNIT },
	{ INTEL_ALDERLAKE,		UNIT,		UNIT },
	/* the platform counts joules */
	{ INTEL_SAPPHIRERAPIDS_X,	UNIT,		0 },
	{ INTEL_EMERALDRAPIDS_X,	UNIT,		0 },
};

static void units_are_those_of_powercap(struct kunit *test)
{
	struct x86_hw_identity id = { .vendor = X86_VENDOR_INTEL, .family = 6 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		id.model = VFM_MODEL(units[i].vfm);
		KUNIT_EXPECT_EQ_MSG(test, rapl_unit_of(&id, RAPL_PACKAGE, UNITS), UNIT,
				    "model %#x", id.model);
		KUNIT_EXPECT_EQ_MSG(test, rapl_unit_of(&id, RAPL_DRAM, UNITS), units[i].dram,
				    "model %#x", id.model);
		KUNIT_EXPECT_EQ_MSG(test, rapl_unit_of(&id, RAPL_PLATFORM, UNITS),
				    units[i].platform, "model %#x", id.model);
	}
}

static struct kunit_case rapl_cases[] = {
	KUNIT_CASE(units_are_those_of_powercap),
	{ }
};

static struct kunit_suite rapl_suite = {
	.name		= "perf_x86_rapl",
	.test_cases	= rapl_cases,
};

kunit_test_suite(rapl_suite);
