// SPDX-License-Identifier: GPL-2.0
/*
 * The debug store of Intel's CPUs, and records of precise sampling (PEBS). The emulator reads the
 * area and writes records as hardware does: at the linear addresses that the area has.
 *
 * A record shows the context that was interrupted, see context.c. What the CPU does not really
 * have is a pattern: sources of data, latencies. The record is written at the overflow
 * itself. Hardware writes it at the next event after the overflow, or somewhat later; and what is
 * counted until then is lost when the counter is reloaded.
 *
 * Records that come late: x86_pmu_emulator_late_records=N. If the register access that stops a
 * counter, or one since then, finds it past its overflow, the record is written N accesses later,
 * and with it the counter is reloaded.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, "Debug Store (DS) Mechanism", "Precise Event Based Sampling (PEBS)",
 * "Adaptive PEBS", "Load Latency Performance Monitoring Facility"; tables of precise events of
 * the microarchitectures.
 */
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/cpu_entry_area.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>
#include "ds.h"
#include "stage.h"

/**
 * struct emu_ds - registers of the debug store of a CPU
 * @area: IA32_DS_AREA
 * @enable: IA32_PEBS_ENABLE
 * @data_cfg: MSR_PEBS_DATA_CFG
 * @index: the area's index after the last record, or since counters were enabled
 * @written: number of records, for patterns
 */
struct emu_ds {
	u64	area;
	u64	enable;
	u64	data_cfg;
	u64	index;
	u64	written;
};

static DEFINE_PER_CPU(struct emu_ds, emu_ds);

const struct emu_pebs emu_pebs_westmere = {
	.format = 1, .keeps_status = true, .loads = 0x100b, .sources = 0x0f,
	.events = { 0x0b, 0x0c, 0x0f, 0xc0, 0xc2, 0xc4, 0xc5, 0xc7, 0xc8, 0xcb, 0xf7 },
};

const struct emu_pebs emu_pebs_haswell = {
	.format = 2, .loads = 0x01cd, .sources = 0x3f,
	.events = { 0xc0, 0xc2, 0xc4, 0xc5, 0xc8, 0xc9, 0xcd, 0xd0, 0xd1, 0xd2, 0xd3 },
};

const struct emu_pebs emu_pebs_skylake = {
	.format = 3, .loads = 0x01cd, .sources = 0x3f,
	.events = { 0xc0, 0xc4, 0xc5, 0xc6, 0xc8, 0xc9, 0xcd, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4 },
};

const struct emu_pebs emu_pebs_icelake = {
	.format = 4, .baseline = true, .loads = 0x01cd, .sources = 0x3f,
};

const struct emu_pebs emu_pebs_golden_cove = {
	.format = 4, .baseline = true, .loads = 0x01cd, .loads_aux = 0x8203, .stores = 0x02cd,
	.sources = 0x3f,
};

const struct emu_pebs emu_pebs_gracemont = {
	.format = 4, .baseline = true, .loads = 0x05d0, .stores = 0x06d0, .sources = 0x3f,
};

/* A record has an address, and nothing else of memory. */
const struct emu_pebs emu_pebs_tremont = {
	.format = 4, .baseline = true,
};

/**
 * emu_pebs() - get what precise sampling this CPU has
 *
 * Return: the description, NULL if there is none.
 */
const struct emu_pebs *emu_pebs(void)
{
	return emu_kind() ? emu_kind()->pebs : emu_machine->pebs;
}

/* Size of a record in bytes, in formats 0 to 3. */
static const u8 emu_sizes[] = { 144, 176, 192, 200 };

static u64 *area_at(unsigned int offset)
{
	return (u64 *)(unsigned long)(this_cpu_ptr(&emu_ds)->area + offset);
}

/**
 * emu_ds_at() - get a field of this CPU's area
 * @offset: its offset
 *
 * Return: the field, NULL if there is no area.
 */
u64 *emu_ds_at(unsigned int offset)
{
	return this_cpu_ptr(&emu_ds)->area ? area_at(offset) : NULL;
}

/* Counters that PEBS_ENABLE can name, and its other bits. */
static u64 valid_counters(void)
{
	return emu_pebs()->baseline ? emu_counters() : emu_counters() & GENMASK_ULL(3, 0);
}

static u64 valid_enable(void)
{
	u64 valid = valid_counters();

	if (!emu_pebs()->baseline && emu_pebs()->loads)
		valid |= valid << SDM_PEBS_LL_SHIFT;
	return valid;
}

/**
 * emu_ds_enabled() - get the counters that write records
 *
 * Return: mask of counters.
 */
u64 emu_ds_enabled(void)
{
	return emu_pebs() ? this_cpu_ptr(&emu_ds)->enable & valid_counters() : 0;
}

/**
 * emu_ds_read() - RDMSR
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if this file does not have the register.
 */
int emu_ds_read(u32 msr, u64 *value)
{
	const struct emu_ds *ds = this_cpu_ptr(&emu_ds);

	if (!emu_pebs())
		return -EIO;
	switch (msr) {
	case SDM_MISC_ENABLE:
		*value = SDM_MISC_PERFMON | (emu_bts() ? 0 : SDM_MISC_BTS_UNAVAIL);
		return 0;
	case SDM_DS_AREA:
		*value = ds->area;
		return 0;
	case SDM_PEBS_ENABLE:
		*value = ds->enable;
		return 0;
	case SDM_PEBS_DATA_CFG:
		*value = ds->data_cfg;
		return emu_pebs()->baseline ? 0 : -EIO;
	}
	return -EIO;
}

/**
 * emu_ds_write() - WRMSR
 * @cpu: this CPU's PMU
 * @msr: MSR number
 * @value: new value
 *
 * Return: 0, -EIO if this file does not have the register, or the value is reserved.
 */
int emu_ds_write(struct emu_cpu *cpu, u32 msr, u64 value)
{
	struct emu_ds *ds = this_cpu_ptr(&emu_ds);
	bool records = cpu->running & emu_ds_enabled();

	if (!emu_pebs())
		return -EIO;
	switch (msr) {
	case SDM_DS_AREA:
		if ((s64)value << 16 >> 16 != (s64)value)
			return -EIO;
		if (ds->enable)
			emu_misuse("DS_AREA becomes %#llx while PEBS_ENABLE is %#llx", value,
				   ds->enable);
		ds->area = value;
		return 0;
	case SDM_PEBS_ENABLE:
		if (value & ~valid_enable())
			return -EIO;
		ds->enable = value;
		return 0;
	case SDM_PEBS_DATA_CFG:
		if (!emu_pebs()->baseline || value & ~SDM_PEBS_CFG_VALID)
			return -EIO;
		if (records)
			emu_misuse("PEBS_DATA_CFG becomes %#llx while counters %#llx record",
				   value, cpu->running & emu_ds_enabled());
		if (value & SDM_PEBS_CFG_LBRS)
			emu_misuse("PEBS_DATA_CFG %#llx: the emulator has no branches", value);
		ds->data_cfg = value;
		return 0;
	}
	return -EIO;
}

static u32 groups_size(u64 groups)
{
	u32 size = 32;

	if (groups & SDM_PEBS_CFG_MEMINFO)
		size += 32;
	if (groups & SDM_PEBS_CFG_GPRS)
		size += 144;
	if (groups & SDM_PEBS_CFG_XMMS)
		size += 256;
	return size;
}

/* Has the counter the bit that lets it write groups of fields? */
static bool is_adaptive(const struct emu_cpu *cpu, unsigned int idx)
{
	if (idx < EMU_FIXED)
		return cpu->select[idx] & SDM_SEL_ADAPTIVE;
	return cpu->fixed_ctrl & SDM_FIXED_ADAPTIVE << ((idx - EMU_FIXED) * SDM_FIXED_STRIDE);
}

static u32 record_size(u64 groups)
{
	return emu_pebs()->baseline ? groups_size(groups) : emu_sizes[emu_pebs()->format];
}

static bool is_loads(u64 select)
{
	return emu_pebs()->loads && (select & 0xffff) == emu_pebs()->loads;
}

static void check_area(const struct emu_ds *ds)
{
	u64 base = *area_at(SDM_DS_PEBS_BASE), index = *area_at(SDM_DS_PEBS_INDEX);
	u64 max = *area_at(SDM_DS_PEBS_MAX), threshold = *area_at(SDM_DS_PEBS_THRESHOLD);
	u32 size = record_size(ds->data_cfg);

	if (ds->area < CPU_ENTRY_AREA_BASE || base < CPU_ENTRY_AREA_BASE ||
	    max > CPU_ENTRY_AREA_BASE + CPU_ENTRY_AREA_MAP_SIZE)
		emu_misuse("area %#llx, buffer %#llx to %#llx: not in the entry area", ds->area,
			   base, max);
	if (base & 7 || index < base || index > max || (max - base) % size ||
	    (threshold - base) % size || threshold <= base)
		emu_misuse("buffer %#llx to %#llx, index %#llx, threshold %#llx for %u bytes",
			   base, max, index, threshold, size);
	if (threshold + size > max)
		emu_misuse("no room behind the threshold: %#llx of %#llx", threshold, max);
}

static void check_counter(const struct emu_cpu *cpu, unsigned int idx)
{
	const struct emu_pebs *pebs = emu_pebs();
	u64 select = idx < EMU_FIXED ? cpu->select[idx] : 0;
	unsigned int i;

	if (cpu->counter[idx].interrupt)
		emu_misuse("counter %u records, and interrupts by itself", idx);
	if (select & (SDM_SEL_E | SDM_SEL_ANY))
		emu_misuse("counter %u records %#llx", idx, select);
	if (is_loads(select) && cpu->extra[EMU_LD_LAT] < SDM_PEBS_LD_LAT_MIN)
		emu_misuse("latency of loads of %llu cycles", cpu->extra[EMU_LD_LAT]);
	if (pebs->baseline)
		return;
	for (i = 0; pebs->events[i]; i++) {
		if (pebs->events[i] == (select & SDM_SEL_EVENT))
			break;
	}
	if (!pebs->events[i])
		emu_misuse("counter %u records %#llx, which is not precise", idx, select);
	if (is_loads(select) &&
	    !(this_cpu_read(emu_ds.enable) & BIT_ULL(SDM_PEBS_LL_SHIFT + idx)))
		emu_misuse("counter %u: latency of loads is not enabled", idx);
}

/**
 * emu_ds_check() - check the debug store when counters are enabled
 * @cpu: this CPU's PMU; registers that determine what counts were written
 */
void emu_ds_check(const struct emu_cpu *cpu)
{
	struct emu_ds *ds = this_cpu_ptr(&emu_ds);
	u64 todo = cpu->running & emu_ds_enabled();

	if (!todo)
		return;
	if (!emu_pebs()->baseline && ds->enable >> SDM_PEBS_LL_SHIFT & ~ds->enable)
		emu_misuse("PEBS_ENABLE %#llx: latency without records", ds->enable);
	if (!ds->area) {
		emu_misuse("counters %#llx record, DS_AREA is 0", todo);
		return;
	}
	check_area(ds);
	for (; todo; todo &= todo - 1)
		check_counter(cpu, __ffs64(todo));
	ds->index = *area_at(SDM_DS_PEBS_INDEX);
}

/* Values of a record that do not depend on its format. */
struct emu_record {
	const struct pt_regs	*regs;
	struct pt_regs		none;
	u64			counters;
	u64			address;
	u64			source;
	u64			latency;
	u64			tsx;
};

static bool counts_aux(const struct emu_cpu *cpu)
{
	u64 todo = cpu->running & GENMASK_ULL(EMU_FIXED - 1, 0);

	for (; todo; todo &= todo - 1) {
		if ((cpu->select[__ffs64(todo)] & 0xffff) == emu_pebs()->loads_aux)
			return true;
	}
	return !emu_pebs()->loads_aux;
}

/*
 * Source and latency are patterns of the record's number: each source, each combination of the bits
 * behind it, and latencies from the shortest on. The latency of a load tells its source:
 * EMU_LATENCIES is a multiple of the number of sources.
 */
static void fill_memory(const struct emu_cpu *cpu, unsigned int idx, struct emu_record *record)
{
	u64 written = this_cpu_read(emu_ds.written);
	u16 event = idx < EMU_FIXED ? cpu->select[idx] & 0xffff : 0;
	const struct emu_pebs *pebs = emu_pebs();
	bool stores = pebs->stores && event == pebs->stores;

	record->address = user_mode((struct pt_regs *)record->regs) ?
			  emu_operand(record->regs) ?: record->regs->sp : (unsigned long)cpu;
	if (is_loads(event) || stores) {
		record->latency = written % EMU_LATENCIES;
		if (!stores)
			record->latency += cpu->extra[EMU_LD_LAT] + 1;
		if (!stores && !counts_aux(cpu))
			return;
		record->source = written & pebs->sources;
		if (pebs->stores)
			record->latency |= written % 3 * EMU_CACHE_LATENCY << 32;
	} else if (event == EMU_ALL_STORES) {
		record->source = written % 2;
	} else if (event == EMU_RTM_ABORTED) {
		record->tsx = SDM_TSX_RTM_ABORT | SDM_TSX_CONFLICT | EMU_TSX_CYCLES;
	}
}

/* Outside of 64-bit mode the records have zeros for these registers. */
#ifdef CONFIG_X86_64
#define HIGH_REGS(_regs)							\
	(_regs)->r8, (_regs)->r9, (_regs)->r10, (_regs)->r11,			\
	(_regs)->r12, (_regs)->r13, (_regs)->r14, (_regs)->r15
#else
#define HIGH_REGS(_regs)	0, 0, 0, 0, 0, 0, 0, 0
#endif

static void put_regs(u64 *out, const struct pt_regs *regs)
{
	const u64 values[] = {
		regs->flags, regs->ip + EMU_PEBS_NEXT, regs->ax, regs->bx, regs->cx, regs->dx,
		regs->si, regs->di, regs->bp, regs->sp,
		HIGH_REGS(regs),
	};

	memcpy(out, values, sizeof(values));
}

static void put_group_regs(u64 *out, const struct pt_regs *regs)
{
	const u64 values[] = {
		regs->flags, regs->ip + EMU_PEBS_NEXT, regs->ax, regs->cx, regs->dx, regs->bx,
		regs->sp, regs->bp, regs->si, regs->di,
		HIGH_REGS(regs),
	};

	memcpy(out, values, sizeof(values));
}

/*
 * The records of branches have those from @ip on. The instruction that causes the record is by
 * turns the last of them, and the one at its target. The record has the instruction after it.
 */
static u64 next_instruction(u64 ip)
{
	struct emu_branch walk[EMU_WALK];
	unsigned int nr = emu_walk_branches(walk, EMU_WALK, ip);

	if (!nr)
		return ip;
	ip = walk[nr - 1].to;
	return this_cpu_read(emu_ds.written) % 2 ? ip : emu_walk_next(ip);
}

static void put_old(u64 *out, const struct emu_cpu *cpu, const struct emu_record *record)
{
	u8 format = emu_pebs()->format;

	put_regs(out, record->regs);
	if (format == 1)
		out[1] = next_instruction(record->regs->ip);
	out[18] = format >= 3 ? record->counters : cpu->global_status;
	out[19] = record->address;
	out[20] = record->source;
	out[21] = record->latency;
	if (format < 2)
		return;
	out[22] = record->regs->ip;
	out[23] = record->tsx;
	if (format >= 3)
		out[24] = rdtsc_ordered();
}

static void put_groups(u64 *out, u64 groups, const struct emu_record *record)
{
	*out++ = (u64)groups_size(groups) << 48 | groups;
	*out++ = record->regs->ip;
	*out++ = record->counters;
	*out++ = rdtsc_ordered();
	if (groups & SDM_PEBS_CFG_MEMINFO) {
		*out++ = record->address;
		*out++ = record->source;
		*out++ = record->latency;
		*out++ = record->tsx;
	}
	if (groups & SDM_PEBS_CFG_GPRS) {
		put_group_regs(out, record->regs);
		out += 18;
	}
	if (groups & SDM_PEBS_CFG_XMMS)
		emu_xmm(out);
}

static void make_record(const struct emu_cpu *cpu, u64 counters, struct emu_record *record)
{
	unsigned int idx = __ffs64(counters);

	*record = (struct emu_record) { .counters = counters };
	record->regs = emu_interrupted(cpu, idx);
	if (!record->regs) {
		record->none = (struct pt_regs) { .ip = _THIS_IP_, .cs = __KERNEL_CS };
		record->regs = &record->none;
	}
	fill_memory(cpu, idx, record);
}

static void put_record(struct emu_cpu *cpu, const struct emu_record *record)
{
	struct emu_ds *ds = this_cpu_ptr(&emu_ds);
	unsigned int idx = __ffs64(record->counters);
	u64 groups = is_adaptive(cpu, idx) ? ds->data_cfg & SDM_PEBS_CFG_GROUPS : 0;
	u64 *index = area_at(SDM_DS_PEBS_INDEX), max = *area_at(SDM_DS_PEBS_MAX);
	u64 *at = (u64 *)(unsigned long)*index;
	u32 size = record_size(groups);

	/* without a sign, as the manual says */
	if (*index + size > max)
		return;
	if (emu_pebs()->baseline)
		put_groups(at, groups, record);
	else
		put_old(at, cpu, record);
	ds->written++;
	*index = emu_spoil_record(at, *index + size, max);
	ds->index = *index;
}

static void write_record(struct emu_cpu *cpu, u64 counters)
{
	const struct emu_ds *ds = this_cpu_ptr(&emu_ds);
	struct emu_record record;

	if (*area_at(SDM_DS_PEBS_INDEX) != ds->index)
		emu_misuse("index is %#llx, was %#llx while counters recorded",
			   *area_at(SDM_DS_PEBS_INDEX), ds->index);
	make_record(cpu, counters, &record);
	put_record(cpu, &record);
}

/* Start the counter's next period. Returns true if it is over already. */
static bool reload(struct emu_cpu *cpu, unsigned int idx)
{
	unsigned int slot = idx < EMU_FIXED ? idx : SDM_DS_GP_RESETS + idx - EMU_FIXED;
	u64 end = BIT_ULL(emu_machine->width), start = *area_at(SDM_DS_RESETS + 8 * slot);
	struct emu_counter *counter = &cpu->counter[idx];

	if (start >= end || !start)
		emu_misuse("counter %u is reloaded with %#llx", idx, start);
	counter->value += start;
	if (counter->value < end)
		return false;
	counter->value -= end;
	return true;
}

/* Start the next periods of counters. Returns the counters with periods that are over already. */
static u64 start_periods(struct emu_cpu *cpu, u64 counters)
{
	u64 over = counters, todo;

	for (todo = counters; todo; todo &= todo - 1) {
		if (!reload(cpu, __ffs64(todo)))
			over &= ~(todo & -todo);
	}
	return over;
}

/* Periods that may end at one overflow: more would come from a clock that has stood still. */
#define EMU_ENDS	64

static void write_records(struct emu_cpu *cpu, u64 over)
{
	unsigned int ends = 0;

	while (over && ends++ < EMU_ENDS) {
		write_record(cpu, over);
		over = start_periods(cpu, over);
	}
}

/* Records of counters were written. Returns true if the buffer is filled up to its threshold. */
static bool end_overflow(struct emu_cpu *cpu, u64 counters)
{
	if (!emu_pebs()->keeps_status)
		cpu->global_status &= ~counters;
	if (*area_at(SDM_DS_PEBS_INDEX) < *area_at(SDM_DS_PEBS_THRESHOLD))
		return false;
	/* Nothing counts until the interrupt was handled, see clock.c. */
	cpu->unhandled |= counters;
	return true;
}

/**
 * struct emu_late_record - a record on its way
 * @record: the record; without counters there is none
 * @left: accesses until it is written, after its counters were stopped
 * @cleared: status bits that a record has cleared, perhaps after the driver has read them
 */
struct emu_late_record {
	struct emu_record	record;
	unsigned int		left;
	u64			cleared;
};

static DEFINE_PER_CPU(struct emu_late_record, emu_late_record);
static unsigned int emu_late_by __ro_after_init;

static int __init emu_late_records_choose(char *text)
{
	if (kstrtouint(text, 0, &emu_late_by))
		pr_warn("x86 PMU emulator: no such number of accesses: %s\n", text);
	return 0;
}
early_param("x86_pmu_emulator_late_records", emu_late_records_choose);

/* Hold a record back until the access has ended. Returns false if records are written at once. */
static bool hold_record(struct emu_cpu *cpu, u64 counters)
{
	struct emu_late_record *late = this_cpu_ptr(&emu_late_record);
	unsigned int by = cpu->stage ? cpu->stage->record_late_by : emu_late_by;

	/* The timer is no access. */
	if (!by || cpu->in_timer || late->record.counters)
		return false;
	make_record(cpu, counters, &late->record);
	late->record.none = *late->record.regs;
	late->record.regs = &late->record.none;
	late->left = by;
	return true;
}

static void write_late_record(struct emu_cpu *cpu)
{
	struct emu_late_record *late = this_cpu_ptr(&emu_late_record);
	u64 counters = late->record.counters;

	if (this_cpu_read(emu_ds.area)) {
		put_record(cpu, &late->record);
		write_records(cpu, start_periods(cpu, counters));
	} else {
		emu_misuse("record of counters %#llx: DS_AREA is 0", counters);
	}
	late->record.counters = 0;
	late->cleared |= counters;
	if (!this_cpu_read(emu_ds.area) || !end_overflow(cpu, counters))
		return;
	cpu->global_status |= SDM_STATUS_OVF_BUF;
	emu_branches_freeze(cpu);
	emu_raise_pmi(cpu);
}

/**
 * emu_ds_cleared() - get status bits that may be acknowledged although they are not set any more
 *
 * Return: mask of counters with late records since the last call.
 */
u64 emu_ds_cleared(void)
{
	u64 cleared = this_cpu_read(emu_late_record.cleared);

	this_cpu_write(emu_late_record.cleared, 0);
	return cleared;
}

/**
 * emu_ds_access_begins() - write a record that comes late, if it is due
 * @cpu: this CPU's PMU
 */
void emu_ds_access_begins(struct emu_cpu *cpu)
{
	struct emu_late_record *late = this_cpu_ptr(&emu_late_record);

	if (late->record.counters && !(late->record.counters & cpu->running) && !--late->left)
		write_late_record(cpu);
}

/**
 * emu_ds_access_ends() - write a record that was held back, unless its counters were stopped
 * @cpu: this CPU's PMU
 */
void emu_ds_access_ends(struct emu_cpu *cpu)
{
	if (this_cpu_read(emu_late_record.record.counters) & cpu->running)
		write_late_record(cpu);
}

/**
 * emu_ds_overflow() - write records, and start the next periods
 * @cpu: this CPU's PMU; bits of the counters are set in the status register
 * @counters: mask of counters that record, and have overflowed
 *
 * Return: true if the buffer is filled up to its threshold.
 */
bool emu_ds_overflow(struct emu_cpu *cpu, u64 counters)
{
	if (hold_record(cpu, counters))
		return false;
	write_records(cpu, counters);
	return end_overflow(cpu, counters);
}

/**
 * emu_ds_reset() - reset the registers of this CPU's debug store
 */
void emu_ds_reset(void)
{
	struct emu_ds *ds = this_cpu_ptr(&emu_ds);

	ds->area = 0;
	ds->enable = 0;
	ds->data_cfg = 0;
	this_cpu_write(emu_late_record.record.counters, 0);
	emu_bts_reset();
}
