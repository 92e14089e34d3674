// SPDX-License-Identifier: GPL-2.0
/*
 * Private interrupts of CPUs (PPI) that no device of the machine uses. A model raises them at
 * the machine's interrupt controller, so that a driver gets a real interrupt.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/of.h>
#include <linux/of_irq.h>

#include "ppi.h"

/* Cells of an interrupt of the GIC, see arm,gic-v3.yaml. */
#define GIC_CELLS	3
#define GIC_PPI		1

static const struct of_device_id gics[] = {
	{ .compatible = "arm,gic-v3" },
	{ .compatible = "arm,cortex-a15-gic" },
	{ }
};

/**
 * model_ppi_map() - find or make the Linux interrupt of a PPI
 * @ppi: number of the PPI, 0 to 15
 *
 * Context: process context; may sleep.
 * Return: the interrupt, or -ENODEV if the machine has no GIC in its device tree.
 */
int model_ppi_map(unsigned int ppi)
{
	struct of_phandle_args args = {
		.args_count	= GIC_CELLS,
		.args		= { GIC_PPI, ppi, IRQ_TYPE_LEVEL_HIGH },
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
 * model_ppi_raise() - make a PPI of this CPU pending
 * @irq: what model_ppi_map() returned
 *
 * The interrupt controller delivers it when interrupts are enabled.
 *
 * Context: preemption is disabled.
 * Source: Arm IHI 0069, GICR_ISPENDR0.
 */
void model_ppi_raise(int irq)
{
	irq_set_irqchip_state(irq, IRQCHIP_STATE_PENDING, true);
}
