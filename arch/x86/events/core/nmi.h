/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU's interrupt.
 */
#ifndef _X86_EVENTS_NMI_H
#define _X86_EVENTS_NMI_H

#include <linux/types.h>

struct pt_regs;

#ifdef CONFIG_X86_LOCAL_APIC
int x86_nmi_take(struct pt_regs *regs, bool by_apic);
int x86_nmi_handle(struct pt_regs *regs);
int x86_nmi_init(void);
void x86_nmi_exit(void);
#else
static inline int x86_nmi_handle(struct pt_regs *regs) { return 0; }
static inline int x86_nmi_init(void) { return 0; }
static inline void x86_nmi_exit(void) { }
#endif

#endif /* _X86_EVENTS_NMI_H */
