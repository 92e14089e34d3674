/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private interrupts of CPUs (PPI) that no device of the machine uses.
 */
#ifndef _ARM64_PERF_MODEL_PPI_H
#define _ARM64_PERF_MODEL_PPI_H

/* Interrupts that Arm's base system architecture assigns, as PPI numbers. */
#define PPI_SPE		5	/* INTID 21 */
#define PPI_TRBE	15	/* INTID 31 */

int model_ppi_map(unsigned int ppi);
void model_ppi_raise(int irq);

#endif /* _ARM64_PERF_MODEL_PPI_H */
