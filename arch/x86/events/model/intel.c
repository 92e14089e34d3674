// SPDX-License-Identifier: GPL-2.0
/*
 * The model of Intel's architectural performance monitoring: its registers, with their
 * reserved bits.
 *
 * Source: Intel SDM volume 3, chapter "Performance Monitoring", and CPUID leaves 1 and 0xa
 * in volume 2.
 */
#include <linux/bitops.h>
#include "model.h"

#define MSR_FULL_WIDTH_PMC0	0x4c1

static bool is_gp(u32 msr, u32 first, unsigned int *idx)
{
	*idx = msr - first;
	return msr >= first && *idx < model_generic();
}

static bool is_fixed(u32 msr, unsigned int *idx)
{
	unsigned int n = msr - MSR_ARCH_PERFMON_FIXED_CTR0;

	*idx = INTEL_PMC_IDX_FIXED + n;
	return msr >= MSR_ARCH_PERFMON_FIXED_CTR0 && n < model_fixed();
}

/* The addresses of version 6, where the registers of a counter are adjacent. */
static bool is_v6(u32 msr, u32 first, unsigned int nr, unsigned int *idx)
{
	unsigned int n = msr - first;

	*idx = n / MSR_IA32_PMC_V6_STEP;
	return model_machine->version >= 6 && msr >= first &&
	       !(n % MSR_IA32_PMC_V6_STEP) && *idx < nr;
}

static bool is_select(u32 msr, unsigned int *idx)
{
	return is_gp(msr, MSR_ARCH_PERFMON_EVENTSEL0, idx) ||
	       is_v6(msr, MSR_IA32_PMC_V6_GP0_CFG_A, model_generic(), idx);
}

/* Addresses at which counters are written in full width. */
static bool is_full_width(u32 msr, unsigned int *idx)
{
	if (model_machine->full_width && is_gp(msr, MSR_FULL_WIDTH_PMC0, idx))
		return true;
	if (is_fixed(msr, idx) || is_v6(msr, MSR_IA32_PMC_V6_GP0_CTR, model_generic(), idx))
		return true;
	if (!is_v6(msr, MSR_IA32_PMC_V6_FX0_CTR, model_fixed(), idx))
		return false;
	*idx += INTEL_PMC_IDX_FIXED;
	return true;
}

static u64 select_valid(void)
{
	u64 valid = X86_RAW_EVENT_MASK | ARCH_PERFMON_EVENTSEL_USR |
		    ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_PIN_CONTROL |
		    ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE;

	if (model_machine->version >= 3 && !model_machine->no_anythread)
		valid |= ARCH_PERFMON_EVENTSEL_ANY;
	if (model_machine->version >= 6)
		valid |= ARCH_PERFMON_EVENTSEL_UMASK2 | ARCH_PERFMON_EVENTSEL_EQ;
	if (model_machine->tsx)
		valid |= HSW_IN_TX | HSW_IN_TX_CHECKPOINTED;
	return valid;
}

static u64 fixed_ctrl_valid(void)
{
	u64 bits = INTEL_FIXED_0_KERNEL | INTEL_FIXED_0_USER | INTEL_FIXED_0_ENABLE_PMI;
	u64 valid = 0;
	unsigned int n;

	if (model_machine->version >= 3 && !model_machine->no_anythread)
		bits |= INTEL_FIXED_0_ANYTHREAD;
	for (n = 0; n < model_fixed(); n++)
		valid |= intel_fixed_bits_by_idx(n, bits);
	return valid;
}

static u64 enable_valid(void)
{
	return model_counters() |
	       (model_machine->metrics ? BIT_ULL(GLOBAL_STATUS_PERF_METRICS_OVF_BIT) : 0);
}

static u64 status_valid(void)
{
	return enable_valid() | GLOBAL_STATUS_BUFFER_OVF | GLOBAL_STATUS_COND_CHG |
	       (model_machine->alone ? GLOBAL_STATUS_TRACE_TOPAPMI : 0);
}

/* Three registers together determine which counters count. */
static void update_running(struct model_cpu *cpu)
{
	static const u16 fixed_events[] = { 0x00c0, 0x003c, 0x003c };
	u64 enabled = model_machine->version >= 2 ? cpu->global_ctrl : model_counters();
	struct model_counter *counter;
	unsigned int idx, n;
	u64 running = 0;

	for (idx = 0; idx < model_generic(); idx++) {
		counter = &cpu->counter[idx];
		counter->user = cpu->select[idx] & ARCH_PERFMON_EVENTSEL_USR;
		counter->kernel = cpu->select[idx] & ARCH_PERFMON_EVENTSEL_OS;
		counter->interrupt = cpu->select[idx] & ARCH_PERFMON_EVENTSEL_INT;
		counter->rate = model_beside_rate(cpu, cpu->select[idx]);
		if (cpu->select[idx] & ARCH_PERFMON_EVENTSEL_ENABLE)
			running |= BIT_ULL(idx);
	}
	for (n = 0; n < model_fixed(); n++) {
		u64 bits = cpu->fixed_ctrl >> (n * INTEL_FIXED_BITS_STRIDE);

		idx = INTEL_PMC_IDX_FIXED + n;
		counter = &cpu->counter[idx];
		counter->user = bits & INTEL_FIXED_0_USER;
		counter->kernel = bits & INTEL_FIXED_0_KERNEL;
		counter->interrupt = bits & INTEL_FIXED_0_ENABLE_PMI;
		counter->rate = n < ARRAY_SIZE(fixed_events) ?
				model_rate_of(fixed_events[n]) : 4096;
		running |= BIT_ULL(idx);
	}

	cpu->running = 0;
	for (running &= enabled; running; running &= running - 1) {
		counter = &cpu->counter[__ffs64(running)];
		if (counter->user || counter->kernel)
			cpu->running |= BIT_ULL(__ffs64(running));
	}
	model_check_leaks(cpu);
	model_check_tsx(cpu, cpu->running, "counts");
	if (cpu->running)
		model_rearm(cpu);
}

static int write_select(struct model_cpu *cpu, unsigned int idx, u64 value)
{
	u64 changed = cpu->select[idx] ^ value;

	if (value & ~select_valid())
		return -EIO;
	if (changed & ~(ARCH_PERFMON_EVENTSEL_ENABLE | ARCH_PERFMON_EVENTSEL_INT))
		model_check_stopped(cpu, idx, "new event");
	model_check_tsx(cpu, BIT_ULL(idx), "is written");
	cpu->select[idx] = value;
	update_running(cpu);
	return 0;
}

static int write_fixed_ctrl(struct model_cpu *cpu, u64 value)
{
	u64 changed = cpu->fixed_ctrl ^ value;
	unsigned int n;

	if (value & ~fixed_ctrl_valid())
		return -EIO;
	for (n = 0; n < model_fixed(); n++) {
		u64 bits = 0xfULL << (n * INTEL_FIXED_BITS_STRIDE);

		/* A counter can always be stopped. */
		if ((changed & bits) && (value & bits))
			model_check_stopped(cpu, INTEL_PMC_IDX_FIXED + n, "new control");
	}
	cpu->fixed_ctrl = value;
	update_running(cpu);
	return 0;
}

static int write_count(struct model_cpu *cpu, unsigned int idx, u64 value)
{
	model_check_tsx(cpu, BIT_ULL(idx), "is written");
	model_set_counter(cpu, idx, value & (BIT_ULL(model_machine->width) - 1));
	return 0;
}

static int clear_status(struct model_cpu *cpu, u64 value)
{
	if (value & ~status_valid())
		return -EIO;
	if (value & ~cpu->global_status)
		model_misuse("overflow %#llx acknowledged, pending is %#llx",
			     value, cpu->global_status);
	cpu->global_status &= ~value;
	return 0;
}

static int intel_write(struct model_cpu *cpu, u32 msr, u64 value)
{
	bool global = model_machine->version >= 2;
	unsigned int idx;

	if (is_select(msr, &idx))
		return write_select(cpu, idx, value);
	/* Bit 31 is copied to the bits above. */
	if (is_gp(msr, MSR_ARCH_PERFMON_PERFCTR0, &idx))
		return write_count(cpu, idx, (s64)(s32)value);
	if (is_full_width(msr, &idx))
		return value >> model_machine->width ? -EIO : write_count(cpu, idx, value);

	switch (msr) {
	case MSR_IA32_DEBUGCTLMSR:
		if (!model_machine->full_width ||
		    value & ~(DEBUGCTLMSR_FREEZE_IN_SMM | DEBUGCTLMSR_LBR))
			return -EIO;
		cpu->debugctl = value;
		return 0;
	case MSR_ARCH_PERFMON_FIXED_CTR_CTRL:
		return global ? write_fixed_ctrl(cpu, value) : -EIO;
	case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
		return global ? clear_status(cpu, value) : -EIO;
	case MSR_CORE_PERF_GLOBAL_CTRL:
		if (!global || value & ~enable_valid())
			return -EIO;
		cpu->global_ctrl = value;
		update_running(cpu);
		return 0;
	}
	if (model_beside_write(cpu, msr, value))
		return -EIO;
	update_running(cpu);
	return 0;
}

static int intel_read(struct model_cpu *cpu, u32 msr, u64 *value)
{
	bool global = model_machine->version >= 2;
	unsigned int idx;

	if (is_select(msr, &idx))
		*value = cpu->select[idx];
	else if (is_gp(msr, MSR_ARCH_PERFMON_PERFCTR0, &idx) || is_full_width(msr, &idx))
		*value = cpu->counter[idx].value;
	else if (msr == MSR_IA32_PERF_CAPABILITIES && model_machine->full_width)
		*value = BIT_ULL(12) | BIT_ULL(13) |
			 (model_machine->metrics ? BIT_ULL(15) : 0);
	else if (msr == MSR_IA32_DEBUGCTLMSR && model_machine->full_width)
		*value = cpu->debugctl;
	else if (msr == MSR_ARCH_PERFMON_FIXED_CTR_CTRL && global)
		*value = cpu->fixed_ctrl;
	else if (msr == MSR_CORE_PERF_GLOBAL_CTRL && global)
		*value = cpu->global_ctrl;
	else if (msr == MSR_CORE_PERF_GLOBAL_STATUS && global)
		*value = cpu->global_status;
	else
		return model_beside_read(cpu, msr, value);
	return 0;
}

static bool intel_overflow(struct model_cpu *cpu, u64 counters)
{
	bool interrupt = false;

	cpu->global_status |= counters;
	for (; counters; counters &= counters - 1)
		interrupt |= cpu->counter[__ffs64(counters)].interrupt;
	return interrupt;
}

/* Leaf 0xa describes the counters that all CPUs have. */
static void perfmon_cpuid(struct x86_hw_cpuid *out)
{
	unsigned int fixed = model_machine->atom_fixed ?: model_machine->fixed;
	union cpuid10_eax eax = { };
	union cpuid10_edx edx = { };

	eax.split.version_id = model_machine->version;
	eax.split.num_counters = model_machine->atom_generic ?: model_machine->generic;
	eax.split.bit_width = model_machine->width;
	eax.split.mask_length = 7;
	edx.split.num_counters_fixed = fixed;
	edx.split.bit_width_fixed = model_machine->width;
	edx.split.anythread_deprecated = model_machine->no_anythread;
	out->reg[CPUID_EAX] = eax.full;
	out->reg[CPUID_EDX] = edx.full;
	if (model_machine->version >= 5)
		out->reg[CPUID_ECX] = BIT(fixed) - 1;
}

/* Leaf 0x23 describes this CPU. Subleaf 0 lists the other subleaves. */
static void perfmon_extended_cpuid(u32 subleaf, struct x86_hw_cpuid *out)
{
	if (model_machine->version < 6)
		return;
	if (subleaf == 0) {
		out->reg[CPUID_EAX] = BIT(0) | BIT(1);
		out->reg[CPUID_EBX] = BIT(0) | BIT(1);	/* second unit mask, equal */
	} else if (subleaf == 1) {
		out->reg[CPUID_EAX] = BIT(model_generic()) - 1;
		out->reg[CPUID_EBX] = BIT(model_fixed()) - 1;
	}
}

static void intel_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	bool hybrid = model_machine->atom_generic;

	switch (leaf) {
	case 1:
		out->reg[CPUID_ECX] = model_machine->full_width ? BIT(15) : 0;
		break;
	case 7:
		out->reg[CPUID_EDX] = hybrid ? BIT(15) : 0;
		if (!model_machine->tsx)
			break;
		out->reg[CPUID_EBX] |= BIT(11);		/* RTM */
		out->reg[CPUID_EDX] |= BIT(13);		/* TSX_FORCE_ABORT */
		break;
	case 0xa:
		perfmon_cpuid(out);
		break;
	case 0x1a:
		if (hybrid)
			out->reg[CPUID_EAX] = (model_is_atom() ? 0x20 : 0x40) << 24;
		break;
	case 0x23:
		perfmon_extended_cpuid(subleaf, out);
		break;
	}
}

static int intel_rdpmc_counter(u32 index)
{
	if (index < model_generic())
		return index;
	index -= INTEL_PMC_FIXED_RDPMC_BASE;
	return index < model_fixed() ? INTEL_PMC_IDX_FIXED + index : -1;
}

const struct model_vendor model_intel = {
	.read		= intel_read,
	.write		= intel_write,
	.cpuid		= intel_cpuid,
	.overflow	= intel_overflow,
	.rdpmc_counter	= intel_rdpmc_counter,
};
