/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of VM_* flags for MMAP2 records.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_MMAP_H
#define _KERNEL_EVENTS_SIDEBAND_MMAP_H

#include <linux/types.h>

u32 perf_mmap_prot(unsigned long vm_flags);
u32 perf_mmap_flags(unsigned long vm_flags);

#endif /* _KERNEL_EVENTS_SIDEBAND_MMAP_H */
