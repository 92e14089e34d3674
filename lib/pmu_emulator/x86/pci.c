// SPDX-License-Identifier: GPL-2.0
/*
 * Boxes of Haswell's servers with registers in the configuration space of PCI devices: two
 * channels of a memory controller, a home agent, the ring to PCIe; and the device that maps
 * buses to packages. Each package has a bus with these devices, in a separate PCI domain.
 *
 * One more device reports the number of CHAs of a Skylake server. The CHAs have the same
 * registers as Haswell's C-boxes, see uncore.c.
 *
 * x86's PCI accessors take no lock. Two CPUs that write the halves of a counter at the same
 * time have undefined results, as on hardware.
 *
 * Sources: Intel's Uncore Performance Monitoring guide for Xeon E5 v3 (331051). For the CHAs
 * the accesses of intel/uncore_snbep.c, so the emulator does not verify that driver's layout.
 */
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/topology.h>
#include "box.h"
#include "emulator.h"

#define EMU_DOMAIN	1
#define EMU_BUSES	2

/* Node number, and the map from packages to nodes, 3 bits each. */
#define NODE_ID		0x40
#define NODE_ID_MAP	0x54
#define NODE_MAP	0xfac688	/* node n is package n */

#define BOX_COUNTER		0xa0
#define BOX_FIXED		0xd0
#define BOX_SELECT		0xd8
#define BOX_FIXED_SELECT	0xf0
#define BOX_CONTROL		0xf4

#define BOX_GENERIC		4

/* Capabilities: one bit per CHA. */
#define CAPID6		0x9c
#define CHAS		GENMASK(1, 0)

#define NODE_SLOT	0
#define CAPID_SLOT	5

/* Device IDs by slot. */
static const u16 device_ids[] = {
	[NODE_SLOT]	= 0x2f1e,
	0x2f30, 0x2fb0, 0x2fb1, 0x2f34,
	[CAPID_SLOT]	= 0x2083,
};

static struct emu_box_state states[EMU_BUSES][ARRAY_SIZE(device_ids)];

/* The bus of package n is 0x7f + 0x80 * n. */
static unsigned int package_of(const struct pci_bus *bus)
{
	return bus->number >> 7;
}

/* Get a register of a box, or NULL. @shift is the position of the accessed 32 bits in it. */
static u64 *register_at(struct emu_box_state *state, int where, unsigned int *shift)
{
	*shift = 0;
	switch (where) {
	case BOX_COUNTER ... BOX_COUNTER + 8 * BOX_GENERIC - 1:
		*shift = (where & 4) * 8;
		return &state->value[(where - BOX_COUNTER) / 8];
	case BOX_FIXED ... BOX_FIXED + 7:
		*shift = (where & 4) * 8;
		return &state->value[BOX_GENERIC];
	case BOX_SELECT ... BOX_SELECT + 4 * BOX_GENERIC - 1:
		return &state->select[(where - BOX_SELECT) / 4];
	case BOX_FIXED_SELECT:
		return &state->select[BOX_GENERIC];
	case BOX_CONTROL:
		return &state->control;
	}
	return NULL;
}

static u32 read_header(unsigned int slot, int where)
{
	switch (where) {
	case PCI_VENDOR_ID:
		return device_ids[slot] << 16 | PCI_VENDOR_ID_INTEL;
	case PCI_CLASS_REVISION:
		return PCI_CLASS_SYSTEM_OTHER << 16;
	}
	return 0;
}

static u32 read_device(struct pci_bus *bus, unsigned int slot, int where)
{
	struct emu_box_state *state = &states[package_of(bus)][slot];
	unsigned int shift;
	u64 *reg;

	if (where < PCI_STD_HEADER_SIZEOF)
		return read_header(slot, where);
	if (slot == NODE_SLOT)
		return where == NODE_ID ? package_of(bus) : where == NODE_ID_MAP ? NODE_MAP : 0;
	if (slot == CAPID_SLOT)
		return where == CAPID6 ? CHAS : 0;
	reg = register_at(state, where, &shift);
	return reg ? emu_box_read(state, reg) >> shift : 0;
}

static bool is_box(unsigned int slot)
{
	return slot != NODE_SLOT && slot != CAPID_SLOT;
}

static int read_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	if (PCI_FUNC(devfn) || PCI_SLOT(devfn) >= ARRAY_SIZE(device_ids))
		return PCIBIOS_DEVICE_NOT_FOUND;
	*value = read_device(bus, PCI_SLOT(devfn), where & ~3) >> (where & 3) * 8;
	if (size < 4)
		*value &= BIT(size * 8) - 1;
	return PCIBIOS_SUCCESSFUL;
}

static int write_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct emu_box_state *state;
	unsigned int shift;
	u64 *reg, all;

	if (PCI_FUNC(devfn) || PCI_SLOT(devfn) >= ARRAY_SIZE(device_ids))
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (!is_box(PCI_SLOT(devfn)) || where < PCI_STD_HEADER_SIZEOF)
		return PCIBIOS_SUCCESSFUL;
	state = &states[package_of(bus)][PCI_SLOT(devfn)];
	reg = register_at(state, where, &shift);
	if (!reg || size != 4) {
		emu_misuse("PCI device %#x: write of %#x to %#x, %d bytes",
			   device_ids[PCI_SLOT(devfn)], value, where, size);
		return PCIBIOS_BAD_REGISTER_NUMBER;
	}
	all = emu_box_read(state, reg) & ~(GENMASK_ULL(31, 0) << shift);
	emu_box_write(state, reg, all | (u64)value << shift);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops emu_pci_ops = {
	.read	= read_config,
	.write	= write_config,
};

static struct pci_sysdata emu_pci_data = {
	.domain	= EMU_DOMAIN,
	.node	= NUMA_NO_NODE,
};

/* One bus per package. */
static struct resource emu_pci_buses[EMU_BUSES] = {
	DEFINE_RES_NAMED(0x7f, 1, "x86 PMU emulator", IORESOURCE_BUS),
	DEFINE_RES_NAMED(0xff, 1, "x86 PMU emulator", IORESOURCE_BUS),
};

static int __init emu_pci_init(void)
{
	struct pci_bus *bus;
	unsigned int nr;

	if (!emu_machine || !emu_machine->standalone ||
	    emu_machine->identity.vendor != X86_VENDOR_INTEL)
		return 0;
	for (nr = 0; nr < EMU_BUSES; nr++) {
		LIST_HEAD(resources);

		pci_add_resource(&resources, &emu_pci_buses[nr]);
		bus = pci_scan_root_bus(NULL, emu_pci_buses[nr].start, &emu_pci_ops,
					&emu_pci_data, &resources);
		if (!bus)
			return -ENOMEM;
		pci_bus_add_devices(bus);
	}
	return 0;
}

/* After the PCI core, before drivers. */
fs_initcall(emu_pci_init);
