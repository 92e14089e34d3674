/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The debug store of the emulator, see ds.c.
 */
#ifndef _PMU_EMULATOR_X86_DS_H
#define _PMU_EMULATOR_X86_DS_H

#include "emulator.h"

/**
 * struct emu_pebs - precise sampling of an emulated machine
 * @format: format of the records
 * @baseline: any counter records any event, with groups of fields
 * @keeps_status: a record leaves the counter's bit in the status register set
 * @loads: event of latency of loads, 0: there is none; before @baseline it has a bit of its own in
 *	PEBS_ENABLE
 * @loads_aux: event without which the records of @loads have no source, 0: there is none
 * @stores: event of latency of stores, 0: there is none
 * @sources: mask of the bits in the source of data, with those behind it
 * @events: numbers of the events that are precise, up to a 0; without @baseline
 */
struct emu_pebs {
	u8	format;
	bool	baseline;
	bool	keeps_status;
	u16	loads;
	u16	loads_aux;
	u16	stores;
	u8	sources;
	u8	events[20];
};

extern const struct emu_pebs emu_pebs_westmere, emu_pebs_haswell, emu_pebs_skylake;
extern const struct emu_pebs emu_pebs_icelake, emu_pebs_golden_cove, emu_pebs_gracemont;
extern const struct emu_pebs emu_pebs_tremont;

const struct emu_pebs *emu_pebs(void);
u64 *emu_ds_at(unsigned int offset);
u64 emu_ds_enabled(void);
int emu_ds_read(u32 msr, u64 *value);
int emu_ds_write(struct emu_cpu *cpu, u32 msr, u64 value);
void emu_ds_check(const struct emu_cpu *cpu);
bool emu_ds_overflow(struct emu_cpu *cpu, u64 counters);
u64 emu_ds_cleared(void);
void emu_ds_access_begins(struct emu_cpu *cpu);
void emu_ds_access_ends(struct emu_cpu *cpu);
void emu_ds_reset(void);

/* spoil.c: what is wrong with a record */
enum emu_spoil_what {
	EMU_SPOIL_NOTHING,
	EMU_SPOIL_SIZE,
	EMU_SPOIL_COUNTERS,
	EMU_SPOIL_INDEX,
	EMU_SPOIL_TRACE,
};

void emu_spoil_init(void);
void emu_spoil_next(enum emu_spoil_what what);
u64 emu_spoil_record(u64 *record, u64 index, u64 max);
u64 emu_spoil_branch(u64 index, u64 max);

/* bts.c */
bool emu_bts(void);
u64 emu_bts_debugctl(void);
void emu_bts_update(struct emu_cpu *cpu);
void emu_bts_push(struct emu_cpu *cpu, u64 from, u64 to);
void emu_bts_init(void);
void emu_bts_reset(void);
/* context.c */
const struct pt_regs *emu_interrupted(const struct emu_cpu *cpu, unsigned int idx);
u64 emu_operand(const struct pt_regs *regs);
void emu_xmm(u64 *out);

#endif /* _PMU_EMULATOR_X86_DS_H */
