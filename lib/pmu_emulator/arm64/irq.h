/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts that no device of the machine uses.
 */
#ifndef _PMU_EMULATOR_ARM64_IRQ_H
#define _PMU_EMULATOR_ARM64_IRQ_H

/* Interrupts that Arm's base system architecture assigns, as PPI numbers. */
#define PPI_SPE		5	/* INTID 21 */
#define PPI_TRBE	15	/* INTID 31 */

/* Shared interrupts (SPI) that QEMU's machine does not use. */
#define SPI_PMCG	180
#define SPI_DSU		181
#define SPI_CMN		182
#define SPI_L3C		183
#define SPI_DMC		184

int emu_ppi_map(unsigned int ppi);
int emu_spi_map(unsigned int spi);
void emu_irq_raise(int irq);

#endif /* _PMU_EMULATOR_ARM64_IRQ_H */
