// SPDX-License-Identifier: GPL-2.0
/*
 * What the base's drivers of HiSilicon's PMUs share, from its unchanged source. Drivers of
 * emulated registers call it.
 */
#include "drivers/perf/hisilicon/hisi_uncore_pmu.c"
