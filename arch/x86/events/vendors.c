// SPDX-License-Identifier: GPL-2.0
/*
 * The vendors of CPUs, and the code that describes the PMUs of each.
 */
#include <linux/processor.h>
#include "core/detect.h"
#include "amd/detect.h"
#include "intel/detect.h"
#include "zhaoxin/detect.h"

const struct x86_vendor x86_vendors[] = {
#ifdef CONFIG_CPU_SUP_INTEL
	{ X86_VENDOR_INTEL,	intel_core_describe },
#endif
#ifdef CONFIG_CPU_SUP_AMD
	{ X86_VENDOR_AMD,	amd_core_describe },
	{ X86_VENDOR_HYGON,	amd_core_describe },
#endif
#if defined(CONFIG_CPU_SUP_ZHAOXIN) || defined(CONFIG_CPU_SUP_CENTAUR)
	{ X86_VENDOR_ZHAOXIN,	zhaoxin_core_describe },
	{ X86_VENDOR_CENTAUR,	zhaoxin_core_describe },
#endif
	{ }
};
