// SPDX-License-Identifier: GPL-2.0
/*
 * Guests of KVM, for counters that count in the host or in guests only (AMD). KVM's
 * tracepoints are next to the entry into a guest and to the exit from it. The few
 * instructions between a tracepoint and the entry or exit count for the guest.
 *
 * The mode of a guest is known at its exit only: all time since its entry counts for the
 * mode at the exit.
 */
#include <linux/init.h>
#include <linux/kvm_host.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "emulator.h"

/* Context: irqs off. */
static void set_in_guest(struct emu_cpu *cpu, bool in_user, bool in_guest)
{
	/* The ticks of the guest are those since the last update. */
	if (in_user)
		cpu->user += rdtsc_ordered() - cpu->tsc;
	emu_advance(cpu);
	cpu->in_guest = in_guest;
	emu_machine->vendor->guest_switch(cpu);
}

static void emu_entry(void *unused, struct kvm_vcpu *vcpu, bool immediate_exit)
{
	set_in_guest(this_cpu_ptr(&emu_cpu), false, true);
}

static void emu_exit(void *unused, struct kvm_vcpu *vcpu, u32 isa)
{
	set_in_guest(this_cpu_ptr(&emu_cpu), !kvm_arch_vcpu_in_kernel(vcpu), false);
}

static void __init emu_probe(struct tracepoint *tp, void *unused)
{
	int err = 0;

	if (!strcmp(tp->name, "kvm_entry"))
		err = tracepoint_probe_register(tp, emu_entry, NULL);
	else if (!strcmp(tp->name, "kvm_exit"))
		err = tracepoint_probe_register(tp, emu_exit, NULL);
	WARN_ON(err);
}

static int __init emu_guest_init(void)
{
	if (emu_machine && emu_machine->vendor->guest_switch)
		for_each_kernel_tracepoint(emu_probe, NULL);
	return 0;
}
late_initcall(emu_guest_init);
