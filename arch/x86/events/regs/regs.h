/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of samples, see regs.c.
 */
#ifndef _X86_EVENTS_REGS_H
#define _X86_EVENTS_REGS_H

struct pt_regs;

void x86_regs_note_record(const struct pt_regs *regs);

#endif /* _X86_EVENTS_REGS_H */
