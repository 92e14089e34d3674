/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sides: registers beside the counters that describe what happened before a sample, such as
 * records of branches. The vendors' code gives a core the operations of the sides that it has,
 * x86_core_pmu::side.
 *
 * An event that uses a side has its flag, X86_EVENT_SIDE(). Events without such a flag cost no
 * call of this file, and a CPU where x86_cpu_pmu::sides is 0 neither.
 */
#ifndef _X86_EVENTS_SIDE_H
#define _X86_EVENTS_SIDE_H

#include <linux/bitops.h>
#include "core_pmu.h"

struct perf_event_pmu_context;
struct perf_sample_data;
struct pt_regs;
struct task_struct;

/**
 * struct x86_side_ops - operations on a side of a kind of core
 * @event_init: checks an event that uses the side, and may change event->hw: the select value and
 *	the mask of counters, which were computed before, and what the period depends on. May set
 *	event->attach_state for @sched_task. Runs in a task. Returns 0 or an errno, with a refusal.
 * @together: checks that two events can use the side at the same time. Runs in a task. Returns 0
 *	or an errno, with a refusal. NULL: any two can
 * @reserve: the event will exist, if this does not fail. Runs in a task. Returns 0 or an errno,
 *	with a refusal. Optional
 * @release: undoes @reserve. Runs in a task. Optional
 * @add: the event gets a counter of this CPU; the PMU is disabled. Returns false, and changes
 *	nothing, if events that do not fit use the side. Optional
 * @del: undoes @add. Optional
 * @start: the event's counter is about to be connected. Optional
 * @stop: the event's counter was disconnected. Also in NMI. Optional
 * @read: the event is read, before its counter is. Also in NMI. Optional
 * @on: the PMU is about to be enabled, and events use the side. Also in NMI. Optional
 * @off: the PMU was disabled, and events use the side. May be called twice. Also in NMI. Optional
 * @after_guest: VM exits may have loaded older values of the side's registers; the PMU is disabled.
 *	Also in NMI, and if no event uses the side. Optional
 * @probe: do the registers of the side exist? Interrupts are disabled, or one CPU runs. NULL: yes
 * @quiet: resets all registers of the side, which may have any content before. Optional
 * @drain: writes the samples that the hardware has recorded, and stops events that must not go on.
 *	The PMU is disabled. Needed if there can be such samples. In NMI, with the registers of the
 *	interrupted context, otherwise NULL: the status register had the bit of the side, see
 *	pmi_sources in nmi.c; the bit was acknowledged, and the samples of counters are written
 *	after this
 * @before_sample: fills in fields of a sample of an event that uses the side. Called in NMI with
 *	the PMU disabled. Optional
 * @sched_task: as pmu::sched_task, on CPUs where events use the side. Optional
 * @check_period: as pmu::check_period, of an event that uses the side. Optional
 * @cpu_prepare: allocates memory for a CPU that is about to come online. Runs in a task. Returns 0
 *	or an errno, with which the CPU stays offline. Optional
 * @cpu_dead: undoes @cpu_prepare, whether or not it succeeded; the CPU is offline. Runs in a task.
 *	Optional
 *
 * Context: irqs off, on the CPU concerned, unless stated otherwise.
 */
struct x86_side_ops {
	int (*event_init)(struct perf_event *event);
	int (*together)(const struct perf_event *event, const struct perf_event *other);
	int (*reserve)(struct perf_event *event);
	void (*release)(struct perf_event *event);
	bool (*add)(struct x86_cpu_pmu *cpu, struct perf_event *event);
	void (*del)(struct x86_cpu_pmu *cpu, struct perf_event *event);
	void (*start)(struct x86_cpu_pmu *cpu, struct perf_event *event);
	void (*stop)(struct x86_cpu_pmu *cpu, struct perf_event *event);
	void (*read)(struct x86_cpu_pmu *cpu, struct perf_event *event);
	void (*on)(struct x86_cpu_pmu *cpu);
	void (*off)(struct x86_cpu_pmu *cpu);
	void (*after_guest)(struct x86_cpu_pmu *cpu);
	bool (*probe)(const struct x86_core_pmu *core);
	void (*quiet)(struct x86_cpu_pmu *cpu);
	void (*drain)(struct x86_cpu_pmu *cpu, struct pt_regs *regs);
	void (*before_sample)(struct x86_cpu_pmu *cpu, struct perf_event *event,
			      struct perf_sample_data *data, struct pt_regs *regs);
	void (*sched_task)(struct x86_cpu_pmu *cpu, struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);
	int (*check_period)(struct perf_event *event, u64 value);
	int (*cpu_prepare)(unsigned int nr);
	void (*cpu_dead)(unsigned int nr);
};

static inline bool x86_side_uses(const struct perf_event *event)
{
	return unlikely(event->hw.flags & X86_EVENT_SIDES);
}

/* Was the side switched off? Any context. */
static inline bool x86_side_is_broken(const struct x86_core_pmu *core, unsigned int side)
{
	return unlikely(test_bit(side, &core->broken));
}

/* Can new events use the side? Any context. */
static inline bool x86_side_is_offered(const struct x86_core_pmu *core, unsigned int side)
{
	return core->side[side] && !x86_side_is_broken(core, side);
}

void x86_side_probe(struct x86_core_pmu *core);
bool x86_side_break(struct x86_core_pmu *core, unsigned int side, const char *why);
int x86_side_exists(const struct perf_event *event);
int x86_side_init(struct perf_event *event);
int x86_side_fits(const struct perf_event *event, const struct perf_event *other);
int x86_side_reserve(struct perf_event *event);
void x86_side_release(struct perf_event *event);
bool x86_side_add(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_side_del(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_side_start(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_side_stop(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_side_read(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_side_drain(struct x86_cpu_pmu *cpu);
void x86_side_on(struct x86_cpu_pmu *cpu);
void x86_side_off(struct x86_cpu_pmu *cpu);
void x86_side_after_guest(struct x86_cpu_pmu *cpu);
void x86_side_quiet(struct x86_cpu_pmu *cpu);
void x86_side_before_sample(struct x86_cpu_pmu *cpu, struct perf_event *event,
			    struct perf_sample_data *data, struct pt_regs *regs);
void x86_side_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			 bool sched_in);
int x86_side_check_period(struct perf_event *event, u64 value);
int x86_side_cpu_prepare(unsigned int nr);
int x86_side_cpu_dead(unsigned int nr);

#endif /* _X86_EVENTS_SIDE_H */
