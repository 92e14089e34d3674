/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUs in sysfs.
 */
#ifndef PERF_TEST_PMU_H
#define PERF_TEST_PMU_H

#include <stddef.h>

#define PMU_DEVICES	"/sys/bus/event_source/devices"

long pmu_type(const char *name);
int read_pmu_file(const char *pmu, const char *file, char *text, size_t size);
int pmu_reader_cpu(const char *pmu, int n);
int pmu_nr_readers(const char *pmu);
const char *find_pmuv3(void);
const char *find_x86_core_pmu(void);
const char *rdpmc_file(void);

#endif /* PERF_TEST_PMU_H */
