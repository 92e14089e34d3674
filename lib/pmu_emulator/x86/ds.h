/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The debug store of the model, see ds.c.
 */
#ifndef _X86_EVENTS_MODEL_DS_H
#define _X86_EVENTS_MODEL_DS_H

#include "emulator.h"

/**
 * struct model_pebs - precise sampling of a modelled machine
 * @format: format of the records
 * @baseline: any counter records any event, with groups of fields
 * @keeps_status: a record leaves the counter's bit in the status register set
 * @loads: event of latency of loads; before @baseline it has a bit of its own in PEBS_ENABLE
 * @stores: event of latency of stores, 0: there is none
 * @events: numbers of the events that are precise, up to a 0; without @baseline
 */
struct model_pebs {
	u8	format;
	bool	baseline;
	bool	keeps_status;
	u16	loads;
	u16	stores;
	u8	events[20];
};

extern const struct model_pebs model_pebs_westmere, model_pebs_haswell, model_pebs_skylake;
extern const struct model_pebs model_pebs_icelake, model_pebs_golden_cove, model_pebs_gracemont;

const struct model_pebs *model_pebs(void);
u64 *model_ds_at(unsigned int offset);
u64 model_ds_enabled(void);
int model_ds_read(u32 msr, u64 *value);
int model_ds_write(struct model_cpu *cpu, u32 msr, u64 value);
void model_ds_check(const struct model_cpu *cpu);
bool model_ds_overflow(struct model_cpu *cpu, u64 counters);
void model_ds_reset(void);

/* bts.c */
bool model_bts(void);
u64 model_bts_debugctl(void);
void model_bts_update(struct model_cpu *cpu);
void model_bts_push(struct model_cpu *cpu, u64 from, u64 to);
void model_bts_init(void);
void model_bts_reset(void);
/* context.c */
const struct pt_regs *model_interrupted(const struct model_cpu *cpu, unsigned int idx);
u64 model_operand(const struct pt_regs *regs);
void model_xmm(u64 *out);

#endif /* _X86_EVENTS_MODEL_DS_H */
