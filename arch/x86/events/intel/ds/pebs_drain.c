// SPDX-License-Identifier: GPL-2.0
/*
 * From records to counts and samples.
 *
 * After a record the hardware has started the counter's next period. So the count grows by a
 * period for each record, and by what the counter shows more than at the last time. First all
 * records are counted, then samples are written. So a program that reads an event while a sample is
 * written finds its count complete. The buffer is declared empty at last: a record that comes late
 * would overwrite another one.
 *
 * Context: irqs off or NMI, PMU disabled.
 */
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <asm/perf_event.h>
#include <asm/tsc.h>
#include "../../branch/branch.h"
#include "../../core/schedule.h"
#include "../../counters/count.h"
#include "../../perf_event.h"
#include "../../regs/regs.h"
#include "pebs_cpu.h"

/**
 * struct pebs_walk - records that are being read
 * @layout: their layout
 * @at: the first one
 * @size: bytes of all of them
 * @left: by counter, number of records with a sample that is not written yet
 * @lost: counters with events that have lost samples
 * @stop: counters with events that must stop
 * @interrupted: registers of the context that an interrupt has interrupted, or NULL
 */
struct pebs_walk {
	struct pebs_layout		layout;
	const void			*at;
	size_t				size;
	u16				left[X86_PMC_IDX_MAX];
	u64				lost;
	u64				stop;
	struct pt_regs			*interrupted;
};

/* Counters that a record is for. If it does not name them, only one counter records. */
static u64 pebs_owners_of(const struct x86_cpu_pmu *cpu, const struct pebs_record *record)
{
	if (record->has & PEBS_HAS_COUNTERS)
		return cpu->recorded & record->counters;
	return cpu->recorded;
}

/* The first values of what is no record */
static void pebs_break_at(struct x86_cpu_pmu *cpu, const struct pebs_walk *walk, size_t done)
{
	u64 word[PEBS_BREAK_WORDS] = { };

	memcpy(word, walk->at + done, min(sizeof(word), walk->size - done));
	pebs_break(cpu, "no record", word);
}

/* Decode a record. Returns false, and ends precise sampling, if there is none. */
static bool pebs_get_record(struct x86_cpu_pmu *cpu, const struct pebs_walk *walk, size_t done,
			    struct pebs_record *record)
{
	const u64 *raw = walk->at + done;

	if (pebs_record_decode(&walk->layout, raw, walk->size - done, record)) {
		pebs_break_at(cpu, walk, done);
		return false;
	}
	if (!(record->has & PEBS_HAS_COUNTERS) || !(record->counters & ~cpu->core->counters))
		return true;
	pebs_break(cpu, "record of counters that do not exist",
		   (u64 [PEBS_BREAK_WORDS]) { record->counters, cpu->core->counters, raw[0],
					      raw[1] });
	return false;
}

/* Call @handle for each record. */
static void pebs_for_each_record(struct x86_cpu_pmu *cpu, struct pebs_walk *walk,
				 void (*handle)(struct x86_cpu_pmu *cpu, struct pebs_walk *walk,
						const struct pebs_record *record, u64 owners))
{
	struct pebs_record record __uninitialized;
	size_t done = 0;

	while (done < walk->size) {
		if (!pebs_get_record(cpu, walk, done, &record))
			break;
		handle(cpu, walk, &record, pebs_owners_of(cpu, &record));
		done += record.size;
	}
}

static void pebs_count_record(struct x86_cpu_pmu *cpu, struct pebs_walk *walk,
			      const struct pebs_record *record, u64 owners)
{
	for (; owners; owners &= owners - 1)
		walk->left[__ffs64(owners)]++;
}

static void pebs_count_records(struct x86_cpu_pmu *cpu, struct pebs_walk *walk)
{
	const struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	u64 todo;

	pebs_for_each_record(cpu, walk, pebs_count_record);
	for (todo = cpu->recorded; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);

		x86_count_update_reloaded(cpu->owner[idx], walk->left[idx], pebs->reload[idx]);
	}
}

/* The sample has the record's registers, and nothing of the interrupted context. */
static void pebs_set_regs(struct x86_perf_regs *perf_regs, const struct pebs_record *record)
{
	struct pt_regs *regs = &perf_regs->regs;
	bool exact = record->has & PEBS_HAS_EVENTING_IP;

	memset(perf_regs, 0, sizeof(*perf_regs));
	if (record->has & PEBS_HAS_REGS) {
		regs->ax = record->reg[PEBS_AX];
		regs->bx = record->reg[PEBS_BX];
		regs->cx = record->reg[PEBS_CX];
		regs->dx = record->reg[PEBS_DX];
		regs->si = record->reg[PEBS_SI];
		regs->di = record->reg[PEBS_DI];
		regs->bp = record->reg[PEBS_BP];
		regs->sp = record->reg[PEBS_SP];
		regs->flags = record->reg[PEBS_FLAGS];
#ifdef CONFIG_X86_64
		regs->r8 = record->reg[PEBS_R8];
		regs->r9 = record->reg[PEBS_R9];
		regs->r10 = record->reg[PEBS_R10];
		regs->r11 = record->reg[PEBS_R11];
		regs->r12 = record->reg[PEBS_R12];
		regs->r13 = record->reg[PEBS_R13];
		regs->r14 = record->reg[PEBS_R14];
		regs->r15 = record->reg[PEBS_R15];
#endif
	}
	set_linear_ip(regs, exact ? record->eventing_ip : record->reg[PEBS_IP]);
	regs->ss = user_mode(regs) ? __USER_DS : __KERNEL_DS;
	regs->flags &= ~PERF_EFLAGS_EXACT;
	if (exact)
		regs->flags |= PERF_EFLAGS_EXACT;
	/* In the kernel the CPU may still have the XMM registers of the task that ran before. */
	if (user_mode(regs))
		perf_regs->xmm_regs = (u64 *)record->xmm;
}

/* The record has the next instruction. Without a known branch before it, the sample keeps that. */
static void pebs_locate_in_branches(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	const struct perf_branch_entry *entries;
	unsigned int nr = x86_branch_records(cpu, &entries);
	u64 ip = pebs_locate(entries, nr, regs->ip);

	if (!ip)
		return;
	set_linear_ip(regs, ip);
	regs->flags |= PERF_EFLAGS_EXACT;
}

/* Skid, and errata, produce records of a mode that the event excludes. */
static bool pebs_is_excluded(const struct perf_event *event, struct pt_regs *regs)
{
	return user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel;
}

static void pebs_set_memory(struct perf_sample_data *data, const struct perf_event *event,
			    const struct pebs_record *record)
{
	const struct intel_pebs *pebs = x86_core_of(event->pmu)->precise.pebs;
	enum pebs_memory memory = pebs_memory_of(event);
	u64 type = event->attr.sample_type;

	data->type = type;
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		data->weight = pebs_weight(memory, pebs->flags, type, record);
		data->sample_flags |= type & PERF_SAMPLE_WEIGHT_TYPE;
	}
	if (type & PERF_SAMPLE_TRANSACTION && record->has & PEBS_HAS_TSX) {
		data->txn = pebs_transaction(record);
		data->sample_flags |= PERF_SAMPLE_TRANSACTION;
	}
	if (!(record->has & PEBS_HAS_MEMORY) || memory == PEBS_MEMORY_NONE)
		return;
	if (!event->attr.exclude_kernel || record->address < TASK_SIZE_MAX) {
		data->addr = record->address;
		data->sample_flags |= PERF_SAMPLE_ADDR;
	}
	data->data_src.val = pebs_data_src(memory, event->hw.config, record->source);
	data->sample_flags |= PERF_SAMPLE_DATA_SRC;
}

/* Returns true if the event must stop. */
static bool pebs_write_sample(struct x86_cpu_pmu *cpu, struct perf_event *event,
			      const struct pebs_walk *walk, const struct pebs_record *record,
			      bool last)
{
	const struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	struct perf_sample_data data __uninitialized;
	struct pt_regs *interrupted = walk->interrupted;
	struct x86_perf_regs perf_regs;
	bool collects = pebs->many & BIT_ULL(event->hw.idx);
	bool stop = false;

	pebs_set_regs(&perf_regs, record);
	if (event->hw.flags & X86_EVENT_LOCATES)
		pebs_locate_in_branches(cpu, &perf_regs.regs);
	if (!is_sampling_event(event) || pebs_is_excluded(event, &perf_regs.regs))
		return false;
	perf_sample_data_init(&data, 0, pebs->reload[event->hw.idx]);
	pebs_set_memory(&data, event, record);
	if (collects && event->attr.sample_type & PERF_SAMPLE_TIME) {
		data.time = native_sched_clock_from_tsc(record->tsc) + __sched_clock_offset;
		data.sample_flags |= PERF_SAMPLE_TIME;
	}
	/* The stack has changed since the record. Where it was read, it can be unwound. */
	if (!interrupted && current->mm)
		interrupted = task_pt_regs(current);
	if (interrupted && event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		perf_sample_save_callchain(&data, event, interrupted);
	x86_side_before_sample(cpu, event, &data, interrupted);
	x86_regs_note_record(&perf_regs.regs);
	/* One interrupt has several samples. It counts once against the maximum rate. */
	if (!last) {
		perf_event_output(event, &data, &perf_regs.regs);
	} else if (collects && !pebs_collects_now(event)) {
		/* The program, or the limit of overflows, is younger than the record. */
		perf_event_output(event, &data, &perf_regs.regs);
		stop = perf_event_account_interrupt(event);
	} else {
		stop = perf_event_overflow(event, &data, &perf_regs.regs);
	}
	x86_regs_note_record(NULL);
	return stop;
}

static void pebs_sample_record(struct x86_cpu_pmu *cpu, struct pebs_walk *walk,
			       const struct pebs_record *record, u64 owners)
{
	const struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);

	for (; owners; owners &= owners - 1) {
		unsigned int idx = __ffs64(owners);
		struct perf_event *event = cpu->owner[idx];
		bool last = !--walk->left[idx] || !(pebs->many & BIT_ULL(idx));

		if (!(walk->stop & BIT_ULL(idx)) &&
		    pebs_write_sample(cpu, event, walk, record, last))
			walk->stop |= BIT_ULL(idx);
	}
}

/*
 * Hardware drops records that a full buffer has no room for, and does not say how many: perhaps
 * none, at most times several. One is counted as lost. Their periods are not counted. A large
 * record may have had no room where a smaller one has.
 */
static void pebs_note_full(const struct x86_cpu_pmu *cpu, struct pebs_walk *walk)
{
	const struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	if (store->pebs_index + pebs_record_size(&walk->layout, pebs->data_cfg) >
	    store->pebs_absolute_maximum)
		walk->lost = cpu->recorded;
}

static void pebs_report_lost(const struct x86_cpu_pmu *cpu, const struct pebs_walk *walk)
{
	u64 todo;

	for (todo = walk->lost & cpu->recorded; todo; todo &= todo - 1) {
		if (is_sampling_event(cpu->owner[__ffs64(todo)]))
			perf_log_lost_samples(cpu->owner[__ffs64(todo)], 1);
	}
}

/* The period of an event may have changed since it started. */
static void pebs_renew_periods(struct x86_cpu_pmu *cpu)
{
	const struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	u64 todo;

	for (todo = cpu->recorded & cpu->active; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		struct perf_event *event = cpu->owner[idx];

		if (x86_count_reload(event) == pebs->reload[idx])
			continue;
		x86_count_renew(cpu, event, pebs->reload[idx]);
		pebs_set_reload(cpu, event);
	}
}

/*
 * Find the bytes that records fill. Returns false, and ends precise sampling, if the index of the
 * next record points outside of the buffer. Hardware may write the index meanwhile: a late record.
 */
static bool pebs_get_filled(struct x86_cpu_pmu *cpu, const struct intel_ds *ds, size_t *filled)
{
	const struct debug_store *store = ds->store;
	u64 index = READ_ONCE(store->pebs_index);

	*filled = index - ds->buffer_at;
	if (index >= ds->buffer_at && index <= ds->buffer_at + PEBS_BUFFER_SIZE)
		return true;
	pebs_break(cpu, "index outside of base and maximum",
		   (u64 [PEBS_BREAK_WORDS]) { index, store->pebs_buffer_base,
					      store->pebs_absolute_maximum,
					      store->pebs_interrupt_threshold });
	return false;
}

/* Count records, and write their samples. */
static void pebs_take_records(struct x86_cpu_pmu *cpu, struct pebs_walk *walk)
{
	pebs_note_full(cpu, walk);
	pebs_count_records(cpu, walk);
	pebs_for_each_record(cpu, walk, pebs_sample_record);
	pebs_report_lost(cpu, walk);
	pebs_renew_periods(cpu);
}

/* Find the records that came while others were taken. Returns false if there are none. */
static bool pebs_find_more(struct x86_cpu_pmu *cpu, struct pebs_walk *walk)
{
	const struct intel_ds *ds = this_cpu_ptr(&intel_ds);
	size_t end;

	if (x86_side_is_broken(cpu->core, X86_SIDE_PRECISE) || !pebs_get_filled(cpu, ds, &end))
		return false;
	walk->at += walk->size;
	walk->size = end - min_t(size_t, end, walk->at - ds->buffer);
	walk->lost = 0;
	return walk->size;
}

/* The events that must stop; all of them if what was read is no record. */
static void pebs_stop_events(struct x86_cpu_pmu *cpu, u64 stop)
{
	/* These drain an empty buffer. */
	for (; stop; stop &= stop - 1)
		x86_sched_stop(cpu->owner[__ffs64(stop)]);
	if (x86_side_is_broken(cpu->core, X86_SIDE_PRECISE))
		pebs_break_here(cpu);
}

/**
 * pebs_drain() - count records, write their samples, and empty the buffer
 * @cpu: this CPU's PMU, disabled
 * @regs: registers of the interrupted context in NMI, NULL elsewhere
 *
 * Does nothing if it is running on this CPU already.
 */
void pebs_drain(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	struct intel_ds *ds = this_cpu_ptr(&intel_ds);
	struct pebs_walk walk = {
		.layout		= pebs_layout_of(cpu->core),
		.at		= ds->buffer,
		.interrupted	= regs ? x86_hw_interrupted(regs) : NULL,
	};

	if (pebs->draining || !ds->buffer)
		return;
	if (x86_side_is_broken(cpu->core, X86_SIDE_PRECISE) ||
	    !pebs_get_filled(cpu, ds, &walk.size)) {
		pebs_break_here(cpu);
		return;
	}
	if (!walk.size)
		return;
	pebs->draining = true;
	barrier();	/* an NMI leaves the buffer alone from here on */

	do {
		pebs_take_records(cpu, &walk);
	} while (pebs_find_more(cpu, &walk));
	ds->store->pebs_index = ds->buffer_at;

	barrier();
	pebs->draining = false;
	pebs_stop_events(cpu, walk.stop & cpu->active);
}
