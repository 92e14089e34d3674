// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's extra registers, and the register of topdown metrics.
 *
 * The rate of an offcore event depends on its extra register, so that tests can check the
 * register. The topdown metrics are constant.
 *
 * Source: Intel SDM volume 4, and volume 3, sections "Off-core Response" and "Performance
 * Metrics".
 */
#include <linux/topology.h>
#include "emulator.h"

/*
 * Bytes of PERF_METRICS, in 255ths: retiring, bad speculation, front end, back end. The bytes
 * of the second level: heavy operations, mispredicted branches, fetch latency, memory.
 */
#define EMU_METRICS	0x3f1808107f301040ULL

/* Events with unit masks that use the registers of offcore responses. */
#define OFFCORE_EVENT_0	0x01b7
#define OFFCORE_EVENT_1	0x01bb

static int extra_of(u32 msr, u64 *valid)
{
	if (!emu_offcore_valid())
		return -1;
	switch (msr) {
	case SDM_TSX_FORCE_ABORT:
		*valid = SDM_TFA_RTM_FORCE_ABORT;
		return emu_machine->tsx ? EMU_FORCE_ABORT : -1;
	case SDM_OFFCORE_RSP_0:
	case SDM_OFFCORE_RSP_1:
		*valid = emu_offcore_valid();
		return msr == SDM_OFFCORE_RSP_0 ? EMU_OFFCORE_0 : EMU_OFFCORE_1;
	case SDM_PEBS_LD_LAT:
		*valid = 0xffff;
		return EMU_LD_LAT;
	case SDM_PEBS_FRONTEND:
		if (!emu_metrics() && !emu_machine->tsx)
			return -1;
		*valid = 0x7fff17;
		return EMU_FRONTEND;
	}
	return -1;
}

/* The extra registers of this CPU. The first thread of a core has those that threads share. */
static u64 *extra_regs(void)
{
	unsigned int nr = smp_processor_id(), first = nr_cpu_ids;

	if (emu_machine->extra_shared)
		first = cpumask_first(topology_sibling_cpumask(nr));
	return per_cpu(emu_cpu, first < nr_cpu_ids ? first : nr).extra;
}

/* A register must not change while another thread counts with it. */
static void check_shared_extra(u32 msr, u64 value)
{
	u64 event = msr == SDM_OFFCORE_RSP_0 ? OFFCORE_EVENT_0 : OFFCORE_EVENT_1, todo;
	unsigned int this = smp_processor_id(), nr;

	if (!emu_machine->extra_shared ||
	    (msr != SDM_OFFCORE_RSP_0 && msr != SDM_OFFCORE_RSP_1))
		return;
	for_each_cpu(nr, topology_sibling_cpumask(this)) {
		const struct emu_cpu *other = per_cpu_ptr(&emu_cpu, nr);

		for (todo = nr == this ? 0 : READ_ONCE(other->running); todo; todo &= todo - 1) {
			if (__ffs64(todo) < emu_machine->generic &&
			    (READ_ONCE(other->select[__ffs64(todo)]) & 0xffff) == event)
				emu_misuse("register %#x becomes %#llx while CPU %u uses it",
					   msr, value, nr);
		}
	}
}

static const struct emu_counter *slots_of(const struct emu_cpu *cpu)
{
	return &cpu->counter[EMU_FIXED + SDM_FIXED_SLOTS];
}

/**
 * emu_extra_read() - RDMSR
 * @cpu: this CPU's PMU
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if this file does not have the register.
 */
int emu_extra_read(const struct emu_cpu *cpu, u32 msr, u64 *value)
{
	u64 valid;
	int n;

	if (emu_metrics() && msr == SDM_PERF_METRICS) {
		*value = slots_of(cpu)->value ? EMU_METRICS : 0;
		return 0;
	}
	n = extra_of(msr, &valid);
	if (n < 0)
		return -EIO;
	*value = extra_regs()[n];
	return 0;
}

/**
 * emu_extra_write() - WRMSR
 * @cpu: this CPU's PMU
 * @msr: MSR number
 * @value: new value
 *
 * Return: 0, -EIO if this file does not have the register, or the value is reserved.
 */
int emu_extra_write(struct emu_cpu *cpu, u32 msr, u64 value)
{
	u64 valid;
	int n;

	if (emu_metrics() && msr == SDM_PERF_METRICS) {
		if (cpu->global_ctrl & SDM_CTRL_METRICS)
			emu_misuse("PERF_METRICS is written while it counts");
		/* the slots, of which it has the shares, must be written before */
		if (value != (slots_of(cpu)->value ? EMU_METRICS : 0))
			emu_misuse("PERF_METRICS is %#llx with %#llx slots", value,
				   slots_of(cpu)->value);
		return 0;
	}
	n = extra_of(msr, &valid);
	if (n < 0 || value & ~valid)
		return -EIO;
	if (extra_regs()[n] != value)
		check_shared_extra(msr, value);
	extra_regs()[n] = value;
	if (n == EMU_FORCE_ABORT)
		emu_check_tsx(cpu, cpu->running, "counts");
	return 0;
}

/**
 * emu_check_tsx() - check that the counter of transactions is not used
 * @cpu: this CPU's PMU
 * @counters: mask of counters that are accessed. It is a misuse if counter 3 is among
 *	them while transactions do not abort.
 * @what: the access, for the message
 */
void emu_check_tsx(const struct emu_cpu *cpu, u64 counters, const char *what)
{
	if (emu_machine->tsx && counters & BIT(3) && !cpu->extra[EMU_FORCE_ABORT])
		emu_misuse("counter 3 %s while transactions have it", what);
}

/* Counters that count an event of retired loads. */
static u64 leaking(const struct emu_cpu *cpu)
{
	u64 found = 0, todo;

	for (todo = READ_ONCE(cpu->running) & (BIT_ULL(emu_machine->generic) - 1);
	     todo; todo &= todo - 1) {
		if ((READ_ONCE(cpu->select[__ffs64(todo)]) & 0xfc) == 0xd0)
			found |= todo & -todo;
	}
	return found;
}

/**
 * emu_check_leaks() - check that no counter is disturbed by the other thread
 * @cpu: this CPU's PMU, after counters were enabled or disabled
 */
void emu_check_leaks(const struct emu_cpu *cpu)
{
	unsigned int this = smp_processor_id(), nr;

	if (!emu_machine->leaks || !cpu->running)
		return;
	smp_mb();	/* one of two threads sees the counters that the other has enabled */
	for_each_cpu(nr, topology_sibling_cpumask(this)) {
		const struct emu_cpu *other = per_cpu_ptr(&emu_cpu, nr);
		u64 spoiled = (leaking(cpu) & READ_ONCE(other->running)) |
			      (leaking(other) & cpu->running);

		if (nr != this && spoiled)
			emu_misuse("counters %#llx count for the other thread", spoiled);
	}
}

/**
 * emu_extra_rate() - get the rate of an event, which may depend on its extra register
 * @cpu: this CPU's PMU
 * @select: event select value
 *
 * Return: events per 2^EMU_RATE_SHIFT cycles.
 */
u32 emu_extra_rate(const struct emu_cpu *cpu, u64 select)
{
	if (!emu_offcore_valid())
		return emu_rate_of(select);
	switch (select & 0xffff) {
	case OFFCORE_EVENT_0:
		return 1 + 16 * (extra_regs()[EMU_OFFCORE_0] & 0xf);
	case OFFCORE_EVENT_1:
		return 1 + 16 * (extra_regs()[EMU_OFFCORE_1] & 0xf);
	}
	return emu_rate_of(select);
}
