/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sleep of the machine, see suspend.c.
 */
#ifndef _X86_EVENTS_SUSPEND_H
#define _X86_EVENTS_SUSPEND_H

void x86_core_suspend(void);
void x86_core_resume(void);

#endif /* _X86_EVENTS_SUSPEND_H */
