/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Real machines: what CPUID says on each kind of their cores, and what sources that are no
 * kernel driver say of its PMU. detect_test.c compares the driver's detection with them.
 *
 * CPUID: dumps of the InstLatx64 collection (github.com/InstLatx64/InstLatx64), commit
 * 087af2c7d72c of 2026-07-22; each row has the name of its file. All were made without a
 * hypervisor. MSRs are not in the dumps: PERF_CAPABILITIES has the fields that the row's
 * sources give, other bits are 0.
 *
 * Other sources: intel/perfmon commit 6dadedf of 2026-08-13; LIKWID commit d9c523b of
 * 2026-06-29; libpfm4 commit 91970fe of 2024-10-06; "SDM 2016" is Intel SDM volume 3,
 * 325384-059US of June 2016; tools/perf/pmu-events of this kernel. A number of counters from
 * intel/perfmon is the number of different counters that the events of a list name.
 *
 * A member that is absent was not found in any source, and is not compared.
 */

static const struct real_core real_cores[] = {
	/*
	 * CPUID: GenuineIntel00006F6_Conroe_CPUID.txt
	 * general purpose counters 2: LIKWID doc/archs/core2.md
	 * general purpose counters 2: libpfm4 intel core
	 * fixed counters 3: SDM 2016, section 18.4.1 p. 18-17
	 * fixed counters 3: libpfm4 intel core
	 * Disagreement: CPUID lists no fixed counter, the sources above 3
	 */
	{
		.name = "core2-conroe", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000006f6, .l1_ecx = 0x0000e3bd,
		.la = { 0x7280202, 0x0, 0x0, 0x0 },
		.generic = 2, .fixed = 0x7,
	},
	/*
	 * CPUID: GenuineIntel00106A4_Bloomfield_CPUID.txt
	 * general purpose counters 4: intel/perfmon NHM-EP/events/NehalemEP_core.json (V4):
	 *	counters 0,1,2,3
	 * general purpose counters 4: SDM 2016, section 18.8 p. 18-34
	 * fixed counters 3: intel/perfmon NHM-EP/events/NehalemEP_core.json (V4): fixed
	 *	counters 1,2,3 (this old file numbers them from 1)
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * format of PEBS 1: SDM 2016, section 18.8.1.1 p. 18-37 (0001B)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-1A has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events nehalemep
	 */
	{
		.name = "nehalem", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000106a4, .l1_ecx = 0x0098e3bd,
		.la = { 0x7300403, 0x40, 0x0, 0x603 }, .capabilities = 0x00000100,
		.generic = 4, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00206C2_Gulftown_CPUID.txt
	 * general purpose counters 4: intel/perfmon WSM-EP-DP/events/WestmereEP-DP_core.json
	 *	(V5): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon WSM-EP-DP/events/WestmereEP-DP_core.json (V5):
	 *	fixed counters 1,2,3 (this old file numbers them from 1)
	 * width 48: SDM 2016, table 18-30 p. 18-50
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * written in full width no: SDM 2016, table 18-30 p. 18-50 (counter width W: 32)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-2C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events westmereep-dp
	 */
	{
		.name = "westmere", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000206c2, .l1_ecx = 0x029ae3bf,
		.la = { 0x7300403, 0x4, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .width = 48, .version = 3,
		.full_width = WRITES_31_BITS, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00206A7_SandyBridge3_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	SNB/events/sandybridge_core.json (V19): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon SNB/events/sandybridge_core.json (V19): fixed
	 *	counters 0,1,2
	 * width 48: SDM 2016, table 18-30 p. 18-50
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * written in full width yes: SDM 2016, tables 18-30 and 18-53 (counter width W:
	 *	32/48)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-2A has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events sandybridge
	 */
	{
		.name = "sandybridge", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000206a7, .l1_ecx = 0x1fbae3ff,
		.la = { 0x7300403, 0x0, 0x0, 0x603 }, .capabilities = 0x00002000,
		.generic = 4, .fixed = 0x7, .width = 48, .version = 3,
		.full_width = WRITES_FULL, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00206D7_SandyBridgeE_00_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	JKT/events/Jaketown_core.json (V24): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon JKT/events/Jaketown_core.json (V24): fixed
	 *	counters 0,1,2
	 * version 3: SDM 2016, section 18.2 p. 18-2 (related Xeon families, Nehalem through
	 *	Broadwell)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-2D has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events jaketown
	 */
	{
		.name = "sandybridge-ep", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000206d7, .l1_ecx = 0x1fbee3bf, .l7_edx = 0x9c000400,
		.la = { 0x7300403, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00306A9_IvyBridge_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	IVB/events/ivybridge_core.json (V24): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon IVB/events/ivybridge_core.json (V24): fixed
	 *	counters 0,1,2
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-3A has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events ivybridge
	 */
	{
		.name = "ivybridge", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000306a9, .l1_ecx = 0x7f9ae3bf, .l7_ebx = 0x00000281,
		.la = { 0x7300403, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00306C3_Haswell_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	HSW/events/haswell_core.json (V36): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon HSW/events/haswell_core.json (V36): fixed counters
	 *	0,1,2
	 * width 48: SDM 2016, table 18-53 p. 18-74
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * written in full width yes: SDM 2016, tables 18-30 and 18-53 (counter width W:
	 *	32/48)
	 * format of branch records 4: SDM 2016, table 18-53 p. 18-74 (000100b)
	 * format of PEBS 2: SDM 2016, table 18-54 p. 18-75 (0010b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-3C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events haswell
	 */
	{
		.name = "haswell", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000306c3, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x000027ab,
		.la = { 0x7300403, 0x0, 0x0, 0x603 }, .capabilities = 0x00002204,
		.generic = 4, .fixed = 0x7, .width = 48, .version = 3,
		.full_width = WRITES_FULL, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00306F2_HaswellEP_04_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	HSX/events/haswellx_core.json (V29): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon HSX/events/haswellx_core.json (V29): fixed
	 *	counters 0,1,2
	 * version 3: SDM 2016, section 18.2 p. 18-2 (related Xeon families, Nehalem through
	 *	Broadwell)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-3F has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events haswellx
	 */
	{
		.name = "haswell-ep", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000306f2, .l1_ecx = 0x7ffefbff, .l7_ebx = 0x000037ab,
		.l7_edx = 0x9c000400, .la = { 0x7300403, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00306D4_Broadwell2_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	BDW/events/broadwell_core.json (V30): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon BDW/events/broadwell_core.json (V30): fixed
	 *	counters 0,1,2
	 * width 48: SDM 2016, table 18-53 p. 18-74
	 * version 3: SDM 2016, section 18.2 p. 18-2 (Nehalem through Broadwell)
	 * written in full width yes: SDM 2016, tables 18-30 and 18-53 (counter width W:
	 *	32/48)
	 * format of branch records 4: SDM 2016, table 18-53 p. 18-74 (000100b)
	 * format of PEBS 2: SDM 2016, table 18-54 p. 18-75 (0010b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-3D has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events broadwell
	 */
	{
		.name = "broadwell", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000306d4, .l1_ecx = 0x7ffafbbf, .l7_ebx = 0x021c27ab,
		.la = { 0x7300403, 0x0, 0x0, 0x603 }, .capabilities = 0x00002204,
		.generic = 4, .fixed = 0x7, .width = 48, .version = 3,
		.full_width = WRITES_FULL, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00406F1_BroadwellE_02_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	BDX/events/broadwellx_core.json (V23): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon BDX/events/broadwellx_core.json (V23): fixed
	 *	counters 0,1,2
	 * version 3: SDM 2016, section 18.2 p. 18-2 (related Xeon families, Nehalem through
	 *	Broadwell)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-4F has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events broadwellx
	 */
	{
		.name = "broadwell-ep", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000406f1, .l1_ecx = 0x7ffefbff, .l7_ebx = 0x021cbfbb,
		.l7_edx = 0x9c000400, .la = { 0x7300403, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00506E3_Skylake_02_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	SKL/events/skylake_core.json (V59): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon SKL/events/skylake_core.json (V59): fixed counters
	 *	0,1,2
	 * width 48: SDM 2016, table 18-53 p. 18-74
	 * version 4: SDM 2016, section 18.13 p. 18-73
	 * written in full width yes: SDM 2016, tables 18-30 and 18-53 (counter width W:
	 *	32/48)
	 * format of branch records 5: SDM 2016, table 18-53 p. 18-74 (000101b)
	 * format of PEBS 3: SDM 2016, section 18.13.1.1 p. 18-75 (0011b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-5E has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events skylake
	 */
	{
		.name = "skylake", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000506e3, .l1_ecx = 0x7ffafbbf, .l7_ebx = 0x029c6fbf,
		.l7_edx = 0x9c002400, .la = { 0x7300404, 0x0, 0x0, 0x603 },
		.capabilities = 0x00002305,
		.generic = 4, .fixed = 0x7, .width = 48, .version = 4,
		.full_width = WRITES_FULL, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND,
	},
	/*
	 * CPUID: GenuineIntel00506E3_Skylake_CPUID.txt
	 * general purpose counters with one thread per core 8: intel/perfmon
	 *	SKL/events/skylake_core.json (V59): counters without threads 0,1,2,3,4,5,6,7
	 * fixed counters 3: intel/perfmon SKL/events/skylake_core.json (V59): fixed counters
	 *	0,1,2
	 * width 48: SDM 2016, table 18-53 p. 18-74
	 * version 4: SDM 2016, section 18.13 p. 18-73
	 * format of branch records 5: SDM 2016, table 18-53 p. 18-74 (000101b)
	 * format of PEBS 3: SDM 2016, section 18.13.1.1 p. 18-75 (0011b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-5E has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events skylake
	 */
	{
		.name = "skylake-noht", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000506e3, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x029c67af,
		.la = { 0x7300804, 0x0, 0x0, 0x603 }, .capabilities = 0x00000305,
		.generic = 8, .fixed = 0x7, .width = 48, .version = 4, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND,
	},
	/*
	 * CPUID: GenuineIntel0050654_SkylakeXeon_20_CPUID.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	SKX/events/skylakex_core.json (V1.37): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon SKX/events/skylakex_core.json (V1.37): fixed
	 *	counters 0,1,2
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-55-[01234] has
	 *	one core file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events skylakex
	 */
	{
		.name = "skylake-sp", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00050654, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xd39ffffb,
		.l7_edx = 0x9c002400, .la = { 0x7300404, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND,
	},
	/*
	 * CPUID: GenuineIntel0050657_CascadeLakeSP_CPUID3.txt
	 * general purpose counters with two threads per core 4: intel/perfmon
	 *	CLX/events/cascadelakex_core.json (V1.25): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon CLX/events/cascadelakex_core.json (V1.25): fixed
	 *	counters 0,1,2
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-55-[56789ABCDEF]
	 *	has one core file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events cascadelakex
	 */
	{
		.name = "cascadelake-sp", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00050657, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xd39ffffb,
		.l7_edx = 0xbc000400, .la = { 0x7300404, 0x0, 0x0, 0x603 },
		.generic = 4, .fixed = 0x7, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND,
	},
	/*
	 * CPUID: GenuineIntel00706E5_IceLakeY_CPUID.txt
	 * general purpose counters 8: intel/perfmon ICL/events/icelake_core.json (V1.24):
	 *	counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ICL/events/icelake_core.json (V1.24): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-7E has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events icelake
	 * topdown metrics of 1 level: the metrics in tools/perf/pmu-events icelake
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "icelake", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000706e5, .l1_ecx = 0x7ffafbbf, .l7_ebx = 0xf2bf27ef,
		.l7_edx = 0xbc000410, .la = { 0x8300805, 0x0, 0xf, 0x8604 },
		.capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 1,
	},
	/*
	 * CPUID: GenuineIntel00606A6_ICX_CPUID3.txt
	 * general purpose counters 8: intel/perfmon ICX/events/icelakex_core.json (V1.30):
	 *	counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ICX/events/icelakex_core.json (V1.30): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-6A has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events icelakex
	 * topdown metrics of 1 level: the metrics in tools/perf/pmu-events icelakex
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "icelake-sp", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000606a6, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xf3bfbfff,
		.l7_edx = 0xbc040412, .la = { 0x8300805, 0x0, 0xf, 0x8604 },
		.capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 1,
	},
	/*
	 * CPUID: GenuineIntel00806C1_TigerLake_01_CPUID.txt
	 * general purpose counters 8: intel/perfmon TGL/events/tigerlake_core.json (V1.19):
	 *	counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon TGL/events/tigerlake_core.json (V1.19): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-8C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events tigerlake
	 * topdown metrics of 1 level: the metrics in tools/perf/pmu-events tigerlake
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "tigerlake", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000806c1, .l1_ecx = 0x7ffafbbf, .l7_ebx = 0xf3bfa7eb,
		.l7_edx = 0xfc100510, .la = { 0x8300805, 0x0, 0xf, 0x8604 },
		.capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 1,
	},
	/*
	 * CPUID: GenuineIntel00A0671_RocketLake_01_CPUID.txt
	 * general purpose counters 8: intel/perfmon RKL/events/rocketlake_core.json (V1.04):
	 *	counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon RKL/events/rocketlake_core.json (V1.04): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-A7 has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events rocketlake
	 * topdown metrics of 1 level: the metrics in tools/perf/pmu-events rocketlake
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "rocketlake", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000a0671, .l1_ecx = 0x7ffafbff, .l7_ebx = 0xf2bf67eb,
		.l7_edx = 0xbc000410, .la = { 0x8300805, 0x0, 0xf, 0x8604 },
		.capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 1,
	},
	/*
	 * CPUID: GenuineIntel0090672_AlderLake_01_LC_BC_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	ADL/events/alderlake_goldencove_core.json (V1.40): counters 0,1,2,3,4,5,6,7
	 * general purpose counters 8: libpfm4 intel adl
	 * fixed counters 4: intel/perfmon ADL/events/alderlake_goldencove_core.json (V1.40):
	 *	fixed counters 0,1,2,3
	 * fixed counters 4: libpfm4 intel adl
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 * name cpu_core: libpfm4 intel adl
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events alderlake
	 * Disagreement: CPUID lists 6 general purpose and 3 fixed counters on both kinds
	 */
	{
		.name = "alderlake p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00090672, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x00400810,
		.la = { 0x7300605, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x40000001,
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel0090672_AlderLake_01_LC_BC_CPUID.txt
	 * general purpose counters 6: intel/perfmon ADL/events/alderlake_gracemont_core.json
	 *	(V1.40): counters 0,1,2,3,4,5
	 * general purpose counters 6: libpfm4 intel adl
	 * fixed counters 3: intel/perfmon ADL/events/alderlake_gracemont_core.json (V1.40):
	 *	fixed counters 0,1,2
	 * fixed counters 3: libpfm4 intel adl
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 * name cpu_atom: libpfm4 intel adl
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_atom
	 */
	{
		.name = "alderlake e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00090672, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x00400810,
		.la = { 0x7300605, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000001,
		.generic = 6, .fixed = 0x7, .pmu = "cpu_atom",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel0090675_AlderLake_03_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	ADL/events/alderlake_goldencove_core.json (V1.40): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ADL/events/alderlake_goldencove_core.json (V1.40):
	 *	fixed counters 0,1,2,3
	 * PMU cpu_core: tools/perf/pmu-events alderlake has no unit but cpu_core and
	 *	cpu_atom
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events alderlake
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "alderlake-p-only", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00090675, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc1c4410, .l7_1_eax = 0x00401c10,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00B06E0_AlderLakeN_02_CPUID.txt
	 * general purpose counters 6: intel/perfmon ADL/events/alderlake_gracemont_core.json
	 *	(V1.40): counters 0,1,2,3,4,5
	 * fixed counters 3: intel/perfmon ADL/events/alderlake_gracemont_core.json (V1.40):
	 *	fixed counters 0,1,2
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-BE has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events alderlaken
	 */
	{
		.name = "alderlake-n", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b06e0, .l1_ecx = 0x7ffafbbf, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc184410, .l7_1_eax = 0x00000810,
		.la = { 0x7300605, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000001,
		.generic = 6, .fixed = 0x7, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00B0671_RaptorLake_01_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	ADL/events/alderlake_goldencove_core.json (V1.40): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ADL/events/alderlake_goldencove_core.json (V1.40):
	 *	fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events alderlake
	 * Disagreement: CPUID lists 6 general purpose and 3 fixed counters on both kinds
	 */
	{
		.name = "raptorlake p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b0671, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x00400810,
		.la = { 0x7300605, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x40000001,
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00B0671_RaptorLake_01_CPUID.txt
	 * general purpose counters 6: intel/perfmon ADL/events/alderlake_gracemont_core.json
	 *	(V1.40): counters 0,1,2,3,4,5
	 * fixed counters 3: intel/perfmon ADL/events/alderlake_gracemont_core.json (V1.40):
	 *	fixed counters 0,1,2
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_atom
	 */
	{
		.name = "raptorlake e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b0671, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x00400810,
		.la = { 0x7300605, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000001,
		.generic = 6, .fixed = 0x7, .pmu = "cpu_atom",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00B0671_RaptorLake_14_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	ADL/events/alderlake_goldencove_core.json (V1.40): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ADL/events/alderlake_goldencove_core.json (V1.40):
	 *	fixed counters 0,1,2,3
	 * PMU cpu_core: tools/perf/pmu-events alderlake has no unit but cpu_core and
	 *	cpu_atom
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events alderlake
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "raptorlake-p-only", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b0671, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1c4410, .l7_1_eax = 0x00401c10,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00B06A2_RaptorLakeP_02_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	ADL/events/alderlake_goldencove_core.json (V1.40): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon ADL/events/alderlake_goldencove_core.json (V1.40):
	 *	fixed counters 0,1,2,3
	 * PMU cpu_core: tools/perf/pmu-events alderlake has no unit but cpu_core and
	 *	cpu_atom
	 * registers of events: tools/perf/pmu-events alderlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events alderlake
	 */
	{
		.name = "raptorlake-ecores-off", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b06a2, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x00401c10,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .l1a_eax = 0x40000001,
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00A06A4_MeteorLake_10_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	MTL/events/meteorlake_redwoodcove_core.json (V1.22): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon MTL/events/meteorlake_redwoodcove_core.json
	 *	(V1.22): fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 * registers of events: tools/perf/pmu-events meteorlake, unit cpu_core
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events meteorlake
	 */
	{
		.name = "meteorlake p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000a06a4, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc18c410, .l7_1_eax = 0x40400910,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x40000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0xf },
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00A06A4_MeteorLake_10_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	MTL/events/meteorlake_crestmont_core.json (V1.22): counters 0,1,2,3,4,5,6,7
	 * fixed counters 3: intel/perfmon MTL/events/meteorlake_crestmont_core.json (V1.22):
	 *	fixed counters 0,1,2
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 * registers of events: tools/perf/pmu-events meteorlake, unit cpu_atom
	 */
	{
		.name = "meteorlake e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000a06a4, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc18c410, .l7_1_eax = 0x40400910,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0x7 },
		.generic = 8, .fixed = 0x7, .pmu = "cpu_atom",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00B06D1_LunarLake_04_CPUID.txt
	 * general purpose counters 10: intel/perfmon LNL/events/lunarlake_lioncove_core.json
	 *	(V1.26): counters 0,1,2,3,4,5,6,7,8,9
	 * fixed counters 4: intel/perfmon LNL/events/lunarlake_lioncove_core.json (V1.26):
	 *	fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 * registers of events: tools/perf/pmu-events lunarlake, unit cpu_core (an early
	 *	list, of few events)
	 */
	{
		.name = "lunarlake p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b06d1, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc1cc430, .l7_1_eax = 0x44c009d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x40000003,
		.l23 = { 0xb, 0x3 }, .l23_1 = { 0x3ff, 0xf },
		.generic = 10, .fixed = 0xf, .pmu = "cpu_core",
		.lists = LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00B06D1_LunarLake_04_CPUID.txt
	 * general purpose counters 8: intel/perfmon LNL/events/lunarlake_skymont_core.json
	 *	(V1.26): counters 0,1,2,3,4,5,6,7
	 * fixed counters 6: intel/perfmon LNL/events/lunarlake_skymont_core.json (V1.26):
	 *	fixed counters 0,1,2,4,5,6
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 * registers of events: tools/perf/pmu-events lunarlake, unit cpu_atom (an early
	 *	list, of few events)
	 */
	{
		.name = "lunarlake e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b06d1, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc1cc430, .l7_1_eax = 0x44c009d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x20000003,
		.l23 = { 0xf, 0x3 }, .l23_1 = { 0xff, 0x77 },
		.generic = 8, .fixed = 0x77, .pmu = "cpu_atom",
		.lists = LIST_OFFCORE | LIST_LDLAT,
	},
	/*
	 * CPUID: GenuineIntel00C0662_ArrowLake_08_CPUID.txt
	 * general purpose counters 10: intel/perfmon ARL/events/arrowlake_lioncove_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7,8,9
	 * fixed counters 4: intel/perfmon ARL/events/arrowlake_lioncove_core.json (V1.20):
	 *	fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 */
	{
		.name = "arrowlake-s p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c0662, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc18c430, .l7_1_eax = 0x44c009d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x40000003,
		.l23 = { 0xb, 0x3 }, .l23_1 = { 0x3ff, 0xf },
		.generic = 10, .fixed = 0xf, .pmu = "cpu_core",
	},
	/*
	 * CPUID: GenuineIntel00C0662_ArrowLake_08_CPUID.txt
	 * general purpose counters 8: intel/perfmon ARL/events/arrowlake_skymont_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7
	 * fixed counters 6: intel/perfmon ARL/events/arrowlake_skymont_core.json (V1.20):
	 *	fixed counters 0,1,2,4,5,6
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 */
	{
		.name = "arrowlake-s e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c0662, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc18c430, .l7_1_eax = 0x44c009d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x20000003,
		.l23 = { 0xf, 0x3 }, .l23_1 = { 0xff, 0x77 },
		.generic = 8, .fixed = 0x77, .pmu = "cpu_atom",
	},
	/*
	 * CPUID: GenuineIntel00C0652_ArrowLakeH_04_CPUID.txt
	 * general purpose counters 10: intel/perfmon ARL/events/arrowlake_lioncove_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7,8,9
	 * fixed counters 4: intel/perfmon ARL/events/arrowlake_lioncove_core.json (V1.20):
	 *	fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 */
	{
		.name = "arrowlake-h p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c0652, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc430, .l7_1_eax = 0x44c009d0,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x40000003,
		.l23 = { 0xb, 0x3 }, .l23_1 = { 0x3ff, 0xf },
		.generic = 10, .fixed = 0xf, .pmu = "cpu_core",
	},
	/*
	 * CPUID: GenuineIntel00C0652_ArrowLakeH_04_CPUID.txt
	 * general purpose counters 8: intel/perfmon ARL/events/arrowlake_skymont_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7
	 * fixed counters 6: intel/perfmon ARL/events/arrowlake_skymont_core.json (V1.20):
	 *	fixed counters 0,1,2,4,5,6
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 */
	{
		.name = "arrowlake-h e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c0652, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc430, .l7_1_eax = 0x44c009d0,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000003,
		.l23 = { 0xf, 0x3 }, .l23_1 = { 0xff, 0x77 },
		.generic = 8, .fixed = 0x77, .pmu = "cpu_atom",
	},
	/*
	 * CPUID: GenuineIntel00C0652_ArrowLakeH_04_CPUID.txt
	 * general purpose counters 8: intel/perfmon ARL/events/arrowlake_crestmont_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7
	 * fixed counters 3: intel/perfmon ARL/events/arrowlake_crestmont_core.json (V1.20):
	 *	fixed counters 0,1,2
	 * name cpu_lowpower: intel/perfmon create_perf_json.py (role LowPower_Atom of a
	 *	hybrid model in mapfile.csv becomes unit cpu_lowpower)
	 */
	{
		.name = "arrowlake-h lpe", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c0652, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc430, .l7_1_eax = 0x44c009d0,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0x7 },
		.generic = 8, .fixed = 0x7, .pmu = "cpu_lowpower",
	},
	/*
	 * CPUID: GenuineIntel00B0650_ArrowLakeU_03_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	MTL/events/meteorlake_redwoodcove_core.json (V1.22): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon MTL/events/meteorlake_redwoodcove_core.json
	 *	(V1.22): fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 */
	{
		.name = "arrowlake-u p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b0650, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x40400910,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x40000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0xf },
		.generic = 8, .fixed = 0xf, .pmu = "cpu_core",
	},
	/*
	 * CPUID: GenuineIntel00B0650_ArrowLakeU_03_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	MTL/events/meteorlake_crestmont_core.json (V1.22): counters 0,1,2,3,4,5,6,7
	 * fixed counters 3: intel/perfmon MTL/events/meteorlake_crestmont_core.json (V1.22):
	 *	fixed counters 0,1,2
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 */
	{
		.name = "arrowlake-u e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000b0650, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239c27eb,
		.l7_edx = 0xfc1cc410, .l7_1_eax = 0x40400910,
		.la = { 0x7300805, 0x0, 0x7, 0x8603 }, .l1a_eax = 0x20000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0x7 },
		.generic = 8, .fixed = 0x7, .pmu = "cpu_atom",
	},
	/*
	 * CPUID: GenuineIntel00C06C3_PantherLakeL_01_CPUID.txt
	 * general purpose counters 10: intel/perfmon
	 *	PTL/events/pantherlake_cougarcove_core.json (V1.07): counters 0,1,2,3,4,5,6,7,8,9
	 * fixed counters 4: intel/perfmon PTL/events/pantherlake_cougarcove_core.json
	 *	(V1.07): fixed counters 0,1,2,3
	 * name cpu_core: intel/perfmon create_perf_json.py (role Core of a hybrid model in
	 *	mapfile.csv becomes unit cpu_core)
	 */
	{
		.name = "pantherlake p", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c06c3, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc18c430, .l7_1_eax = 0x4cce09d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x40000004,
		.l23 = { 0x3b, 0x3 }, .l23_1 = { 0x3ff, 0xf },
		.generic = 10, .fixed = 0xf, .pmu = "cpu_core",
	},
	/*
	 * CPUID: GenuineIntel00C06C3_PantherLakeL_01_CPUID.txt
	 * general purpose counters 8: intel/perfmon
	 *	PTL/events/pantherlake_darkmont_core.json (V1.07): counters 0,1,2,3,4,5,6,7
	 * fixed counters 6: intel/perfmon PTL/events/pantherlake_darkmont_core.json (V1.07):
	 *	fixed counters 0,1,2,4,5,6
	 * name cpu_atom: intel/perfmon create_perf_json.py (role Atom of a hybrid model in
	 *	mapfile.csv becomes unit cpu_atom)
	 */
	{
		.name = "pantherlake e", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c06c3, .l1_ecx = 0x7ffafbff, .l7_ebx = 0x239ca7eb,
		.l7_edx = 0xfc18c430, .l7_1_eax = 0x4cce09d7,
		.la = { 0xd300806, 0x280, 0x7, 0x8603 }, .l1a_eax = 0x20000004,
		.l23 = { 0x3f, 0x3 }, .l23_1 = { 0xff, 0x77 },
		.generic = 8, .fixed = 0x77, .pmu = "cpu_atom",
	},
	/*
	 * CPUID: GenuineIntel00806F8_SapphireRapids_05_CPUID.txt
	 * general purpose counters 8: intel/perfmon SPR/events/sapphirerapids_core.json
	 *	(V1.39): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon SPR/events/sapphirerapids_core.json (V1.39): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-8F has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events sapphirerapids
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events sapphirerapids
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "sapphirerapids", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000806f8, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xf3bfbffb,
		.l7_edx = 0xffdd4430, .l7_1_eax = 0x00001c30,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00C06F2_EmeraldRapids_03_CPUID.txt
	 * general purpose counters 8: intel/perfmon EMR/events/emeraldrapids_core.json
	 *	(V1.24): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon EMR/events/emeraldrapids_core.json (V1.24): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-CF has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events emeraldrapids
	 * topdown metrics of 2 levels: the metrics in tools/perf/pmu-events emeraldrapids
	 * bit 15 of PERF_CAPABILITIES is not published; set because these metrics need it
	 */
	{
		.name = "emeraldrapids", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000c06f2, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xf3bfbfff,
		.l7_edx = 0xffdd4432, .l7_1_eax = 0x00001c30,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .capabilities = 0x00008000,
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND, .levels = 2,
	},
	/*
	 * CPUID: GenuineIntel00A06D1_GraniteRapids_03_CPUID.txt
	 * general purpose counters 8: intel/perfmon GNR/events/graniterapids_core.json
	 *	(V1.20): counters 0,1,2,3,4,5,6,7
	 * fixed counters 4: intel/perfmon GNR/events/graniterapids_core.json (V1.20): fixed
	 *	counters 0,1,2,3
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-AD has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events graniterapids
	 */
	{
		.name = "graniterapids", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000a06d1, .l1_ecx = 0x7ffefbff, .l7_ebx = 0xf3bfbffb,
		.l7_edx = 0xffdd4430, .l7_1_eax = 0x40201d30,
		.la = { 0x8300805, 0x0, 0xf, 0x8604 }, .l1a_eax = 0x40000002,
		.l23 = { 0xb, 0x0 }, .l23_1 = { 0xff, 0xf },
		.generic = 8, .fixed = 0xf, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE | LIST_LDLAT | LIST_FRONTEND,
	},
	/*
	 * CPUID: GenuineIntel00106C2_DiamondvilleDC_CPUID.txt
	 * general purpose counters 2: intel/perfmon BNL/events/bonnell_core.json (V5):
	 *	counters 0,1
	 * general purpose counters 2: SDM 2016, sections 18.5 and 18.6 p. 18-23
	 * fixed counters 3: intel/perfmon BNL/events/bonnell_core.json (V5): fixed counters
	 *	1,2,3 (this old file numbers them from 1)
	 * version 3: SDM 2016, section 18.5 p. 18-23
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-1C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events bonnell
	 * Disagreement: CPUID lists 1 fixed counter, the source above 3
	 */
	{
		.name = "bonnell", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000106c2, .l1_ecx = 0x0040e31d,
		.la = { 0x7280203, 0x0, 0x0, 0x2501 },
		.generic = 2, .fixed = 0x7, .version = 3, .pmu = "cpu", .lists = LISTED,
	},
	/*
	 * CPUID: GenuineIntel0030673_Silvermont3_CPUID.txt
	 * general purpose counters 2: intel/perfmon SLM/events/Silvermont_core.json (V15):
	 *	counters 0,1
	 * general purpose counters 2: SDM 2016, sections 18.5 and 18.6 p. 18-23
	 * fixed counters 3: intel/perfmon SLM/events/Silvermont_core.json (V15): fixed
	 *	counters 1,2,3 (this old file numbers them from 1)
	 * width 40: SDM 2016, table 18-18 p. 18-29 and section 18.6.1 p. 18-23
	 * version 3: SDM 2016, section 18.6 p. 18-23
	 * written in full width no: SDM 2016, table 18-18 p. 18-29 (W: 32)
	 * format of PEBS 2: SDM 2016, table 18-18 p. 18-29 (0010b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-37 has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events silvermont
	 */
	{
		.name = "silvermont", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00030673, .l1_ecx = 0x41d8e3bf, .l7_ebx = 0x00002282,
		.la = { 0x7280203, 0x0, 0x0, 0x4503 }, .capabilities = 0x00000200,
		.generic = 2, .fixed = 0x7, .width = 40, .version = 3,
		.full_width = WRITES_31_BITS, .pmu = "cpu", .lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: GenuineIntel00406C3_Braswell_CPUID.txt
	 * general purpose counters 2: intel/perfmon SLM/events/Silvermont_core.json (V15):
	 *	counters 0,1
	 * general purpose counters 2: SDM 2016, sections 18.5 and 18.6 p. 18-23
	 * fixed counters 3: intel/perfmon SLM/events/Silvermont_core.json (V15): fixed
	 *	counters 1,2,3 (this old file numbers them from 1)
	 * width 40: SDM 2016, section 18.6 p. 18-23 (Airmont as Silvermont), table 18-18 p.
	 *	18-29
	 * version 3: SDM 2016, section 18.6 p. 18-23 (Airmont as Silvermont)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-4C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events silvermont
	 */
	{
		.name = "airmont", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000406c3, .l1_ecx = 0x43d8e3bf, .l7_ebx = 0x00002282,
		.la = { 0x7280203, 0x0, 0x0, 0x503 },
		.generic = 2, .fixed = 0x7, .width = 40, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: GenuineIntel00506C9_Goldmont2_CPUID.txt
	 * general purpose counters 4: intel/perfmon GLM/events/goldmont_core.json (V13):
	 *	counters 0,1,2,3
	 * general purpose counters 4: LIKWID doc/archs/goldmont.md
	 * fixed counters 3: intel/perfmon GLM/events/goldmont_core.json (V13): fixed
	 *	counters 0,1,2
	 * width 48: SDM 2016, table 18-18 p. 18-29
	 * version 4: SDM 2016, section 18.7 p. 18-28
	 * written in full width yes: SDM 2016, table 18-18 p. 18-29 (W: 32/48)
	 * format of branch records 6: SDM 2016, section 17.6 p. 17-26 (000110b)
	 * format of PEBS 3: SDM 2016, table 18-18 p. 18-29 (0011b)
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-5C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events goldmont
	 */
	{
		.name = "goldmont", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000506c9, .l1_ecx = 0x4ff8ebbf, .l7_ebx = 0x2294e283,
		.la = { 0x7300404, 0x0, 0x0, 0x603 }, .capabilities = 0x00002306,
		.generic = 4, .fixed = 0x7, .width = 48, .version = 4,
		.full_width = WRITES_FULL, .pmu = "cpu", .lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: GenuineIntel00706A8_GoldmontPlus_CPUID.txt
	 * general purpose counters 4: intel/perfmon GLP/events/goldmontplus_core.json
	 *	(V1.01): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon GLP/events/goldmontplus_core.json (V1.01): fixed
	 *	counters 0,1,2
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-7A has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events goldmontplus
	 */
	{
		.name = "goldmont-plus", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000706a8, .l1_ecx = 0x4ff8ebbf, .l7_ebx = 0x2294e287,
		.l7_edx = 0xac000400, .la = { 0x7300404, 0x0, 0x0, 0x8603 },
		.generic = 4, .fixed = 0x7, .pmu = "cpu", .lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: GenuineIntel00906C0_JasperLake_01_CPUID.txt
	 * general purpose counters 4: intel/perfmon EHL/events/elkhartlake_core.json
	 *	(V1.05): counters 0,1,2,3
	 * fixed counters 3: intel/perfmon EHL/events/elkhartlake_core.json (V1.05): fixed
	 *	counters 0,1,2
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-9C has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events elkhartlake
	 */
	{
		.name = "tremont", .vendor = X86_VENDOR_INTEL,
		.signature = 0x000906c0, .l1_ecx = 0x4ff8ebbf, .l7_ebx = 0x2394a2c3,
		.l7_edx = 0xfc000400, .la = { 0x7300405, 0x0, 0x7, 0x8603 },
		.l1a_eax = 0x20000000,
		.generic = 4, .fixed = 0x7, .pmu = "cpu", .lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: GenuineIntel0050671_KnightsLanding_CPUID.txt
	 * general purpose counters 2: intel/perfmon KNL/events/knightslanding_core.json
	 *	(V16): counters 0,1
	 * general purpose counters 2: LIKWID doc/archs/phi_knl.md
	 * fixed counters 3: intel/perfmon KNL/events/knightslanding_core.json (V16): fixed
	 *	counters 0,1,2
	 * version 3: SDM 2016, section 18.14 p. 18-81
	 * name cpu: intel/perfmon create_perf_json.py (model GenuineIntel-6-57 has one core
	 *	file in mapfile.csv, so unit cpu)
	 * registers of events: tools/perf/pmu-events knightslanding
	 */
	{
		.name = "knights-landing", .vendor = X86_VENDOR_INTEL,
		.signature = 0x00050671, .l1_ecx = 0x7ff8f39f, .l7_ebx = 0x1c0d23ab,
		.l7_edx = 0x04000000, .la = { 0x7280203, 0x0, 0x0, 0x503 },
		.generic = 2, .fixed = 0x7, .version = 3, .pmu = "cpu",
		.lists = LISTED | LIST_OFFCORE,
	},
	/*
	 * CPUID: AuthenticAMD0040F33_K8_Windsor_CPUID.txt
	 * general purpose counters 4: libpfm4 amd64 k8
	 * general purpose counters 4: LIKWID doc/archs/k8.md
	 * general purpose counters 4: freebsd/freebsd-src lib/libpmc/pmc.amd.3 (its own
	 *	source: AMD publication 26094)
	 * width 48: freebsd/freebsd-src lib/libpmc/pmc.amd.3 (its own source: AMD
	 *	publication 26094)
	 */
	{
		.name = "k8", .vendor = X86_VENDOR_AMD,
		.signature = 0x00040f33, .l1_ecx = 0x00002001, .x1_ecx = 0x0000001f,
		.generic = 4, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0100FA0_K10_Thuban_CPUID.txt
	 * general purpose counters 4: libpfm4 amd64 fam10h
	 * general purpose counters 4: LIKWID doc/archs/k10.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "k10", .vendor = X86_VENDOR_AMD,
		.signature = 0x00100fa0, .l1_ecx = 0x00802009, .x1_ecx = 0x000037ff,
		.generic = 4, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0600F12_K15_Zambezi8C_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam15h
	 * general purpose counters 6: LIKWID doc/archs/interlagos.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "bulldozer", .vendor = X86_VENDOR_AMD,
		.signature = 0x00600f12, .l1_ecx = 0x1e98220b, .x1_ecx = 0x01c9bfff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0600F20_K15_Vishera_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam15h
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "piledriver", .vendor = X86_VENDOR_AMD,
		.signature = 0x00600f20, .l1_ecx = 0x3e98320b, .l7_ebx = 0x00000008,
		.x1_ecx = 0x01ebbfff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0630F01_K15_Kaveri_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam15h
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "steamroller", .vendor = X86_VENDOR_AMD,
		.signature = 0x00630f01, .l1_ecx = 0x3e98320b, .l7_ebx = 0x00000009,
		.x1_ecx = 0x0febbfff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0660F01_K15_Carrizo_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam15h
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "excavator", .vendor = X86_VENDOR_AMD,
		.signature = 0x00660f01, .l1_ecx = 0x7ed8320b, .l7_ebx = 0x000001a9,
		.x1_ecx = 0x2febbfff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0700F01_K16_Kabini_CPUID.txt
	 * general purpose counters 4: libpfm4 amd64 fam16h
	 * general purpose counters 4: LIKWID doc/archs/kabini.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "jaguar", .vendor = X86_VENDOR_AMD,
		.signature = 0x00700f01, .l1_ecx = 0x3ed8220b, .l7_ebx = 0x00000008,
		.x1_ecx = 0x154037ff,
		.generic = 4, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0800F11_K17_Zen_CPUID4.txt
	 * general purpose counters 6: libpfm4 amd64 fam17h (zen1)
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 * name cpu: LIKWID zen counters (PMC counters go to
	 *	/sys/bus/event_source/devices/cpu)
	 */
	{
		.name = "zen", .vendor = X86_VENDOR_AMD,
		.signature = 0x00800f11, .l1_ecx = 0x7ed8320b, .l7_ebx = 0x209c01a9,
		.x1_ecx = 0x35c233ff,
		.generic = 6, .width = 48, .pmu = "cpu",
	},
	/*
	 * CPUID: AuthenticAMD0800F82_K17_PinnacleRidge_01_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam17h (zen1)
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "zen-plus", .vendor = X86_VENDOR_AMD,
		.signature = 0x00800f82, .l1_ecx = 0x7ed8320b, .l7_ebx = 0x209c01a9,
		.x1_ecx = 0x35c233ff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0870F10_K17_Matisse_CPUID_7.txt
	 * general purpose counters 6: libpfm4 amd64 fam17h (zen2)
	 * general purpose counters 6: LIKWID doc/archs/zen2.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 * name cpu: LIKWID zen2 counters (PMC counters go to
	 *	/sys/bus/event_source/devices/cpu)
	 */
	{
		.name = "zen2", .vendor = X86_VENDOR_AMD,
		.signature = 0x00870f10, .l1_ecx = 0x7ed8320b, .l7_ebx = 0x219c91a9,
		.x1_ecx = 0x75c237ff,
		.generic = 6, .width = 48, .pmu = "cpu",
	},
	/*
	 * CPUID: AuthenticAMD0A20F12_K19_Vermeer_03_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam19h (zen3)
	 * general purpose counters 6: LIKWID doc/archs/zen3.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 * name cpu: LIKWID zen3 counters (PMC counters go to
	 *	/sys/bus/event_source/devices/cpu)
	 */
	{
		.name = "zen3", .vendor = X86_VENDOR_AMD,
		.signature = 0x00a20f12, .l1_ecx = 0x7ef8320b, .l7_ebx = 0x219c97a9,
		.l7_edx = 0x00000010, .x1_ecx = 0x75c237ff,
		.generic = 6, .width = 48, .pmu = "cpu",
	},
	/*
	 * CPUID: AuthenticAMD0A10F11_K19_Genoa_01_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam19h (zen4)
	 * general purpose counters 6: LIKWID doc/archs/zen4.md
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 * name cpu: LIKWID zen4 counters (PMC counters go to
	 *	/sys/bus/event_source/devices/cpu)
	 */
	{
		.name = "zen4", .vendor = X86_VENDOR_AMD,
		.signature = 0x00a10f11, .l1_ecx = 0x7efa320b, .l7_ebx = 0xf1bf97a9,
		.l7_edx = 0x10000010, .l7_1_eax = 0x00000020, .x1_ecx = 0x75c237ff,
		.x22 = { 0x7, 0x304106 },
		.generic = 6, .width = 48, .pmu = "cpu",
	},
	/*
	 * CPUID: AuthenticAMD0A70FC0_K19_HawkPoint2_01_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam19h (zen4)
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "zen4-zen4c", .vendor = X86_VENDOR_AMD,
		.signature = 0x00a70fc0, .l1_ecx = 0x7ef8320b, .l7_ebx = 0xf1bf97a9,
		.l7_edx = 0x10000010, .l7_1_eax = 0x00000020, .x1_ecx = 0x75c237ff,
		.x22 = { 0x7, 0x101106 },
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: AuthenticAMD0B40F40_K20_GraniteRidge_02_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam1ah (zen5)
	 * general purpose counters 6: LIKWID doc/archs/zen5.md
	 * name cpu: LIKWID zen5 counters (PMC counters go to
	 *	/sys/bus/event_source/devices/cpu)
	 */
	{
		.name = "zen5", .vendor = X86_VENDOR_AMD,
		.signature = 0x00b40f40, .l1_ecx = 0x7ed8320b, .l7_ebx = 0xf1bf97ab,
		.l7_edx = 0x10000110, .l7_1_eax = 0x00000030, .x1_ecx = 0x75c237ff,
		.x22 = { 0x7, 0x84106 },
		.generic = 6, .pmu = "cpu",
	},
	/*
	 * CPUID: AuthenticAMD0B20F40_K20_StrixPoint_06_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam1ah (zen5; the whole family 1Ah)
	 */
	{
		.name = "zen5-zen5c p", .vendor = X86_VENDOR_AMD,
		.signature = 0x00b20f40, .l1_ecx = 0x7ed8320b, .l7_ebx = 0xf1bf97ab,
		.l7_edx = 0x10000110, .l7_1_eax = 0x00000030, .x1_ecx = 0x75c237ff,
		.x22 = { 0x7, 0x102106 },
		.generic = 6,
	},
	/*
	 * CPUID: AuthenticAMD0B20F40_K20_StrixPoint_06_CPUID.txt
	 * general purpose counters 6: libpfm4 amd64 fam1ah (zen5; the whole family 1Ah)
	 */
	{
		.name = "zen5-zen5c e", .vendor = X86_VENDOR_AMD,
		.signature = 0x00b20f40, .l1_ecx = 0x7ed8320b, .l7_ebx = 0xf1bf97ab,
		.l7_edx = 0x10000110, .l7_1_eax = 0x00000030, .x1_ecx = 0x75c237ff,
		.x22 = { 0x7, 0x102106 },
		.generic = 6,
	},
	/*
	 * CPUID: HygonGenuine0900F02_Hygon_CPUID.txt
	 * general purpose counters 6: cyring/CoreFreq corefreqk (its own source: AMD PPR):
	 *	six with PerfCtrExtCore, extended family 8 to Ah
	 * width 48: cyring/CoreFreq corefreqk (its own source: AMD PPR): 48 bits, AMD and
	 *	Hygon
	 */
	{
		.name = "hygon-dhyana", .vendor = X86_VENDOR_HYGON,
		.signature = 0x00900f02, .l1_ecx = 0x74d83209, .l7_ebx = 0x009c01a9,
		.x1_ecx = 0x35c233ff,
		.generic = 6, .width = 48,
	},
	/*
	 * CPUID: CentaurHauls00006FE_CNR_Isaiah_CPUID3.txt
	 * no source but CPUID
	 */
	{
		.name = "zhaoxin-zxc", .vendor = X86_VENDOR_CENTAUR,
		.signature = 0x000006fe, .l1_ecx = 0x76da63ab, .l7_ebx = 0x000c25ab,
		.la = { 0x6280202, 0x0, 0x0, 0x503 },
	},
	/*
	 * CPUID: CentaurHauls00307B1_ZXE_CPUID.txt
	 * no source but CPUID
	 */
	{
		.name = "zhaoxin-zxe", .vendor = X86_VENDOR_CENTAUR,
		.signature = 0x000307b1, .l1_ecx = 0x7fda63eb, .l7_ebx = 0x200c258b,
		.l7_edx = 0x24000000, .la = { 0x7300402, 0x0, 0x0, 0x603 },
	},
	/*
	 * CPUID: CentaurHauls00307B2_KX6000_01_CPUID.txt
	 * no source but CPUID
	 */
	{
		.name = "zhaoxin-kx6000", .vendor = X86_VENDOR_CENTAUR,
		.signature = 0x000307b2, .l1_ecx = 0x7fda63eb, .l7_ebx = 0x201c258b,
		.l7_edx = 0x24000000, .la = { 0x7300402, 0x0, 0x0, 0x603 },
	},
	/*
	 * CPUID: CentaurHauls00607B1_KX7000_05_CPUID.txt
	 * no source but CPUID
	 */
	{
		.name = "zhaoxin-kx7000", .vendor = X86_VENDOR_CENTAUR,
		.signature = 0x000607b1, .l1_ecx = 0x7ffa73eb, .l7_ebx = 0x200c25ab,
		.l7_edx = 0x24000000, .la = { 0x7300402, 0x0, 0x0, 0x603 },
	},
};
