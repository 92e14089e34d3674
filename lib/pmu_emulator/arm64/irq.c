// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts that no device of the machine uses. An emulator raises them at the machine's interrupt
 * controller, so that a driver gets a real interrupt.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/of.h>
#include <linux/of_irq.h>

#include "irq.h"

/* Cells of an interrupt of the GIC, see arm,gic-v3.yaml. */
#define GIC_CELLS	3
#define GIC_SPI		0
#define GIC_PPI		1

static const struct of_device_id gics[] = {
	{ .compatible = "arm,gic-v3" },
	{ .compatible = "arm,cortex-a15-gic" },
	{ }
};

static int map(u32 kind, u32 number, u32 trigger)
{
	struct of_phandle_args args = {
		.args_count	= GIC_CELLS,
		.args		= { kind, number, trigger },
	};
	int irq;

	args.np = of_find_matching_node(NULL, gics);
	if (!args.np)
		return -ENODEV;
	irq = irq_create_of_mapping(&args);
	of_node_put(args.np);
	return irq ?: -ENODEV;
}

/**
 * emu_ppi_map() - find or make the Linux interrupt of a CPU's private interrupt (PPI)
 * @ppi: number of the PPI, 0 to 15
 *
 * Context: task, may sleep.
 * Return: the interrupt, or -ENODEV if the machine has no GIC in its device tree.
 */
int emu_ppi_map(unsigned int ppi)
{
	return map(GIC_PPI, ppi, IRQ_TYPE_LEVEL_HIGH);
}

/**
 * emu_spi_map() - find or make the Linux interrupt of a shared interrupt (SPI)
 * @spi: number of the SPI
 *
 * Context: task, may sleep.
 * Return: the interrupt, or -ENODEV if the machine has no GIC in its device tree.
 */
int emu_spi_map(unsigned int spi)
{
	return map(GIC_SPI, spi, IRQ_TYPE_EDGE_RISING);
}

/**
 * emu_irq_raise() - make an interrupt pending
 * @irq: what emu_ppi_map() or emu_spi_map() returned
 *
 * The interrupt controller delivers it when interrupts are enabled, a PPI on this CPU.
 *
 * Context: preemption off.
 * Source: Arm IHI 0069, GICR_ISPENDR0 and GICD_ISPENDR<n>.
 */
void emu_irq_raise(int irq)
{
	irq_set_irqchip_state(irq, IRQCHIP_STATE_PENDING, true);
}
