// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of Intel's models that some events need beside their counter, and the
 * one of topdown metrics. Source: Intel SDM volume 4, and volume 3, sections
 * "Off-core Response" and "Performance Metrics".
 *
 * An offcore event occurs at a rate that depends on its register, so that a test can
 * tell whether that was written. The slots are always lost to the same things.
 */
#include <linux/topology.h>
#include "model.h"

/* Bytes of PERF_METRICS: retiring, bad speculation, front end, back end; of 255. */
#define MODEL_METRICS	0x7f301040

static int extra_of(u32 msr, u64 *valid)
{
	if (!model_machine->offcore_valid)
		return -1;
	switch (msr) {
	case MSR_TSX_FORCE_ABORT:
		*valid = MSR_TFA_RTM_FORCE_ABORT;
		return model_machine->tsx ? MODEL_FORCE_ABORT : -1;
	case MSR_OFFCORE_RSP_0:
	case MSR_OFFCORE_RSP_1:
		*valid = model_machine->offcore_valid;
		return msr == MSR_OFFCORE_RSP_0 ? MODEL_OFFCORE_0 : MODEL_OFFCORE_1;
	case MSR_PEBS_LD_LAT_THRESHOLD:
		*valid = 0xffff;
		return MODEL_LD_LAT;
	case MSR_PEBS_FRONTEND:
		if (!model_machine->metrics && !model_machine->tsx)
			return -1;
		*valid = 0x7fff17;
		return MODEL_FRONTEND;
	}
	return -1;
}

static const struct model_counter *slots_of(const struct model_cpu *cpu)
{
	return &cpu->counter[INTEL_PMC_IDX_FIXED_SLOTS];
}

/**
 * model_beside_read() - RDMSR
 * @cpu: this CPU's PMU
 * @msr: number
 * @value: where the value goes
 *
 * Return: 0, -EIO if there is no such register here.
 */
int model_beside_read(const struct model_cpu *cpu, u32 msr, u64 *value)
{
	u64 valid;
	int n;

	if (model_machine->metrics && msr == MSR_PERF_METRICS) {
		*value = slots_of(cpu)->value ? MODEL_METRICS : 0;
		return 0;
	}
	n = extra_of(msr, &valid);
	if (n < 0)
		return -EIO;
	*value = cpu->extra[n];
	return 0;
}

/**
 * model_beside_write() - WRMSR
 * @cpu: this CPU's PMU
 * @msr: number
 * @value: new value
 *
 * Return: 0, -EIO if there is no such register here, or not such a value.
 */
int model_beside_write(struct model_cpu *cpu, u32 msr, u64 value)
{
	u64 valid;
	int n;

	if (model_machine->metrics && msr == MSR_PERF_METRICS) {
		if (cpu->global_ctrl & BIT_ULL(GLOBAL_STATUS_PERF_METRICS_OVF_BIT))
			model_misuse("PERF_METRICS is written while it counts");
		if (slots_of(cpu)->value)
			model_misuse("PERF_METRICS begins with %#llx slots",
				     slots_of(cpu)->value);
		return 0;
	}
	n = extra_of(msr, &valid);
	if (n < 0 || value & ~valid)
		return -EIO;
	cpu->extra[n] = value;
	if (n == MODEL_FORCE_ABORT)
		model_check_tsx(cpu, cpu->running, "counts");
	return 0;
}

/**
 * model_check_tsx() - the counter that transactions want is left to them
 * @cpu: this CPU's PMU
 * @counters: mask of counters that something happens to; a misuse if this one is there
 *	and transactions do not abort
 * @what: what it is
 */
void model_check_tsx(const struct model_cpu *cpu, u64 counters, const char *what)
{
	if (model_machine->tsx && counters & BIT(3) && !cpu->extra[MODEL_FORCE_ABORT])
		model_misuse("counter 3 %s while transactions have it", what);
}

/* Counters that count an event of retired loads. */
static u64 leaking(const struct model_cpu *cpu)
{
	u64 found = 0, todo;

	for (todo = READ_ONCE(cpu->running) & (BIT_ULL(model_machine->generic) - 1);
	     todo; todo &= todo - 1) {
		if ((READ_ONCE(cpu->select[__ffs64(todo)]) & 0xfc) == 0xd0)
			found |= todo & -todo;
	}
	return found;
}

/**
 * model_check_leaks() - no counter may count that one of another thread spoils
 * @cpu: this CPU's PMU, after its counters were turned on or off
 */
void model_check_leaks(const struct model_cpu *cpu)
{
	unsigned int this = smp_processor_id(), nr;

	if (!model_machine->leaks || !cpu->running)
		return;
	smp_mb();	/* one of two threads sees what the other has turned on */
	for_each_cpu(nr, topology_sibling_cpumask(this)) {
		const struct model_cpu *other = per_cpu_ptr(&model_cpu, nr);
		u64 spoiled = (leaking(cpu) & READ_ONCE(other->running)) |
			      (leaking(other) & cpu->running);

		if (nr != this && spoiled)
			model_misuse("counters %#llx count for the other thread", spoiled);
	}
}

/**
 * model_beside_rate() - how often an event occurs, in view of its register
 * @cpu: this CPU's PMU
 * @select: event select value
 *
 * Return: events per 2^MODEL_RATE_SHIFT cycles.
 */
u32 model_beside_rate(const struct model_cpu *cpu, u64 select)
{
	if (!model_machine->offcore_valid)
		return model_rate_of(select);
	switch (select & 0xffff) {
	case 0x01b7:
		return 1 + 16 * (cpu->extra[MODEL_OFFCORE_0] & 0xf);
	case 0x01bb:
		return 1 + 16 * (cpu->extra[MODEL_OFFCORE_1] & 0xf);
	}
	return model_rate_of(select);
}
