// SPDX-License-Identifier: GPL-2.0
/*
 * Intel Processor Trace: output to memory. Instead of packets the emulator writes 64-bit
 * numbers, which increase by one on each CPU, so that a reader can check that the trace is
 * complete. The amount depends on the time stamp counter.
 *
 * Source: Intel SDM volume 3, chapter "Intel Processor Trace", sections on the table of
 * physical addresses, single-range output, and the MSRs.
 */
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <asm/tsc.h>
#include "emulator.h"

#define TICK_NS		(100 * NSEC_PER_USEC)

/* One byte per 2^TRACE_SHIFT cycles, at most TRACE_MAX bytes at a time. */
#define TRACE_SHIFT	6
#define TRACE_MAX	8192ULL

/* Entries of the table of physical addresses (ToPA). */
#define TOPA_SIZE(_e)	(4096ULL << ((_e) >> SDM_TOPA_SIZE_SHIFT & 0xf))
#define TOPA_BASE(_e)	((_e) & SDM_TOPA_BASE)

#define CTL_VALID	(SDM_RTIT_TRACE_EN | SDM_RTIT_CYC_EN | SDM_RTIT_OS | SDM_RTIT_USER | \
			 SDM_RTIT_CR3_FILTER | SDM_RTIT_TOPA | SDM_RTIT_MTC_EN | SDM_RTIT_TSC_EN | \
			 SDM_RTIT_DIS_RETC | SDM_RTIT_BRANCH_EN | SDM_RTIT_MTC_FREQ |	      \
			 SDM_RTIT_CYC_THRESH | SDM_RTIT_PSB_FREQ | SDM_RTIT_ADDR0_CFG |	      \
			 SDM_RTIT_ADDR1_CFG)

/**
 * struct emu_trace - the registers of a CPU
 * @ctl: IA32_RTIT_CTL
 * @status: IA32_RTIT_STATUS
 * @base: IA32_RTIT_OUTPUT_BASE
 * @mask: IA32_RTIT_OUTPUT_MASK_PTRS
 * @range: IA32_RTIT_ADDRn_A and _B
 * @number: next number to write
 * @tsc: time stamp counter at the last write
 * @timer: writes while tracing is enabled
 * @rearm: starts @timer for accesses in NMI context
 */
struct emu_trace {
	u64		ctl;
	u64		status;
	u64		base;
	u64		mask;
	u64		range[4];
	u64		number;
	u64		tsc;
	struct hrtimer	timer;
	struct irq_work	rearm;
};

static DEFINE_PER_CPU(struct emu_trace, emu_trace);

static bool is_writing(const struct emu_trace *trace)
{
	return trace->ctl & SDM_RTIT_TRACE_EN && !(trace->status & SDM_RTIT_STATUS_STOPPED);
}

static u64 *entry_of(const struct emu_trace *trace)
{
	return (u64 *)phys_to_virt(trace->base) + (trace->mask >> 7 & GENMASK_ULL(24, 0));
}

static void put_place(struct emu_trace *trace, u64 index, u64 offset)
{
	trace->mask = 0x7f | index << 7 | offset << 32;
}

/* Go on after a full region. Returns true if an interrupt is due. */
static bool next_region(struct emu_trace *trace, u64 size)
{
	u64 entry = *entry_of(trace), index = trace->mask >> 7 & GENMASK_ULL(24, 0);

	if (entry & SDM_TOPA_STOP) {
		trace->status |= SDM_RTIT_STATUS_STOPPED;
		put_place(trace, index, size);
		return entry & SDM_TOPA_INT;
	}
	put_place(trace, index + 1, 0);
	if (*entry_of(trace) & SDM_TOPA_END) {
		trace->base = TOPA_BASE(*entry_of(trace));
		put_place(trace, 0, 0);
	}
	return entry & SDM_TOPA_INT;
}

/* Write up to the end of a region at most. Returns the number of bytes. */
static u64 put_numbers(struct emu_trace *trace, u64 start, u64 size, u64 bytes)
{
	u64 offset = trace->mask >> 32, *to = phys_to_virt(start + offset), n;

	bytes = min(bytes, size - offset);
	for (n = 0; n < bytes / sizeof(u64); n++)
		to[n] = trace->number++;
	trace->mask += bytes << 32;
	return bytes;
}

/* Returns true if an interrupt is due. */
static bool put_table(struct emu_trace *trace, u64 bytes)
{
	bool interrupt = false;
	u64 entry, size;

	while (bytes && is_writing(trace) && !interrupt) {
		entry = *entry_of(trace);
		if (entry & SDM_TOPA_END) {
			emu_misuse("processor trace begins at the end of a table");
			trace->status |= SDM_RTIT_STATUS_ERROR;
			return false;
		}
		size = TOPA_SIZE(entry);
		bytes -= put_numbers(trace, TOPA_BASE(entry), size, bytes);
		if (trace->mask >> 32 == size)
			interrupt = next_region(trace, size);
	}
	return interrupt;
}

static void put_range(struct emu_trace *trace, u64 bytes)
{
	u64 size = (trace->mask & GENMASK_ULL(31, 0)) + 1;

	while (bytes) {
		bytes -= put_numbers(trace, trace->base, size, bytes);
		if (trace->mask >> 32 == size)
			trace->mask &= GENMASK_ULL(31, 0);
	}
}

/* Write the trace up to now. A pending NMI comes before this returns. */
static void advance(struct emu_trace *trace)
{
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);
	u64 now = rdtsc_ordered(), bytes = (now - trace->tsc) >> TRACE_SHIFT;
	bool interrupt = false;

	trace->tsc = now;
	if (!is_writing(trace))
		return;
	bytes = round_down(min(bytes, TRACE_MAX), sizeof(u64));
	if (trace->ctl & SDM_RTIT_TOPA)
		interrupt = put_table(trace, bytes);
	else
		put_range(trace, bytes);
	if (interrupt) {
		cpu->global_status |= SDM_STATUS_TRACE_TOPA;
		emu_raise_pmi(cpu);
	}
}

static void rearm(struct emu_trace *trace)
{
	if (!is_writing(trace))
		return;
	if (in_nmi())
		irq_work_queue(&trace->rearm);
	else
		hrtimer_start(&trace->timer, ns_to_ktime(TICK_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void rearm_work(struct irq_work *work)
{
	rearm(container_of(work, struct emu_trace, rearm));
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct emu_trace *trace = container_of(timer, struct emu_trace, timer);

	/* The timer of a CPU that went offline has migrated. */
	if (trace != this_cpu_ptr(&emu_trace))
		return HRTIMER_NORESTART;
	advance(trace);
	irq_work_queue(&trace->rearm);
	return HRTIMER_NORESTART;
}

static u64 *register_of(struct emu_trace *trace, u32 msr)
{
	switch (msr) {
	case SDM_RTIT_CTL:
		return &trace->ctl;
	case SDM_RTIT_STATUS:
		return &trace->status;
	case SDM_RTIT_OUTPUT_BASE:
		return &trace->base;
	case SDM_RTIT_OUTPUT_MASK_PTRS:
		return &trace->mask;
	case SDM_RTIT_ADDR0_A ... SDM_RTIT_ADDR1_B:
		return &trace->range[msr - SDM_RTIT_ADDR0_A];
	}
	return NULL;
}

/**
 * emu_trace_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_trace_read(u32 msr, u64 *value)
{
	struct emu_trace *trace = this_cpu_ptr(&emu_trace);
	u64 *reg = register_of(trace, msr);

	if (!reg)
		return false;
	*value = *reg;
	if (msr == SDM_RTIT_STATUS && is_writing(trace))
		*value |= SDM_RTIT_STATUS_TRIGGER_EN;
	return true;
}

/**
 * emu_trace_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 *
 * Context: irqs off.
 * Return: false if the emulator does not have the register.
 */
bool emu_trace_write(u32 msr, u64 value)
{
	struct emu_trace *trace = this_cpu_ptr(&emu_trace);
	u64 *reg = register_of(trace, msr);

	if (!reg)
		return false;
	if (trace->ctl & SDM_RTIT_TRACE_EN) {
		advance(trace);
		/* While enabled, tracing can only be disabled. */
		if (msr != SDM_RTIT_CTL || (value ^ trace->ctl) != SDM_RTIT_TRACE_EN)
			emu_misuse("MSR %#x is written with %#llx while tracing", msr, value);
	}
	if (msr == SDM_RTIT_CTL && value & ~CTL_VALID)
		emu_misuse("IA32_RTIT_CTL: reserved bits of %#llx", value);
	*reg = value;
	trace->tsc = rdtsc_ordered();
	rearm(trace);
	return true;
}

/**
 * emu_trace_init() - initialise the timers of all CPUs
 */
void __init emu_trace_init(void)
{
	int nr;

	for_each_possible_cpu(nr) {
		struct emu_trace *trace = per_cpu_ptr(&emu_trace, nr);

		hrtimer_init(&trace->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		trace->timer.function = tick;
		trace->rearm = IRQ_WORK_INIT_HARD(rearm_work);
	}
}
