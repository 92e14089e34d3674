/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: an interrupt that comes as soon as interrupts are enabled.
 */
#ifndef _KERNEL_EVENTS_TEST_IRQ_H
#define _KERNEL_EVENTS_TEST_IRQ_H

#include <linux/irq_work.h>
#include <linux/irqflags.h>

/*
 * Queue irq_work, and wait until its interrupt is pending. On most architectures it is at once.
 * powerpc uses the decrementer, whose interrupt comes a moment later, and which the kernel keeps
 * pending unless the CPU itself has interrupts disabled.
 */
static inline void test_irq_work_queue(struct irq_work *work)
{
	irq_work_queue(work);
#ifdef CONFIG_PPC64
	for (unsigned int i = 0; i < 1000000; i++) {
		if (!irqs_disabled() || lazy_irq_pending_nocheck() || !(mfmsr() & MSR_EE))
			return;
		cpu_relax();
	}
#endif
}

#endif /* _KERNEL_EVENTS_TEST_IRQ_H */
