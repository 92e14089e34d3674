// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the core PMU that sample each branch: branch instructions with a period of 1. A trace
 * of branches has their samples, with the branch as address of the instruction and its target as
 * address of data. The counter of the event only counts.
 *
 * Such events are of user mode only: branches of the kernel come faster than they can be handled,
 * and handling them has branches.
 *
 * Context: as documented at struct x86_side_ops.
 *
 * Source: Intel SDM volume 3, "Branch Trace Store (BTS)"; CPUID leaf 1 in volume 2;
 * IA32_MISC_ENABLE in volume 4.
 */
#include <linux/minmax.h>
#include <linux/perf_refusal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include "../../branch/branch.h"
#include "../../core/detect.h"
#include "../../core/event.h"
#include "../../core/schedule.h"
#include "../../counters/side.h"
#include "../../perf_event.h"
#include "../../regs/regs.h"
#include "bts.h"
#include "ds.h"

/*
 * An interrupt, or a switch of tasks, turns all records of the buffer into samples. What it may
 * write in all bounds their number, between these limits.
 */
#define SIDE_BYTES	SZ_256K
#define SIDE_ROOM_MOST	512
#define SIDE_ROOM_LEAST	16

/* Values that a sample has of each member of a group: count, ID, lost samples. */
#define MEMBER_BYTES	(3 * sizeof(u64))

static bool bts_side_counts_branches(const struct perf_event *event)
{
	const struct x86_event_code *code;

	code = x86_core_code_of(x86_core_of(event->pmu), PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	return code && (event->hw.config & X86_SELECT_WHAT) == code->config;
}

static bool bts_side_samples_each(const struct perf_event *event)
{
	return event->attr.sample_period == 1 && !event->attr.freq &&
	       bts_side_counts_branches(event);
}

static int bts_side_event_init(struct perf_event *event)
{
	if (!bts_side_samples_each(event)) {
		event->hw.flags &= ~X86_EVENT_TRACED;
		return 0;
	}
	if (!event->attr.exclude_kernel)
		return perf_refuse(-EOPNOTSUPP, "exclude_kernel",
				   "branches with a period of 1 are sampled in user mode only");
	if (event->attr.exclude_host)
		return perf_refuse(-EOPNOTSUPP, "exclude_host",
				   "branches of guests are not traced");
	/* Records name no task. */
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	return 0;
}

static int bts_side_together(const struct perf_event *event, const struct perf_event *other)
{
	return perf_refuse(-EINVAL, "sample_period",
			   "one event of a group can sample each branch");
}

static int bts_side_reserve(struct perf_event *event)
{
	int err;

	if (x86_add_exclusive(x86_lbr_exclusive_bts))
		return perf_refuse(-EBUSY, "sample_period",
				   "another facility records branches, which excludes their trace");
	err = intel_bts_reserve();
	if (err)
		x86_del_exclusive(x86_lbr_exclusive_bts);
	return err;
}

static void bts_side_release(struct perf_event *event)
{
	intel_bts_release();
	x86_del_exclusive(x86_lbr_exclusive_bts);
}

/* Bytes that a sample of the event has at most. What the kernel may truncate is counted whole. */
static unsigned int bts_side_sample_bytes(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	unsigned int bytes = sizeof(struct perf_event_header) + event->header_size;

	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		bytes += attr->sample_max_stack * sizeof(u64);
	if (attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_GROUP)
		bytes += READ_ONCE(event->group_leader->nr_siblings) * MEMBER_BYTES;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		bytes += hweight64(attr->sample_regs_user) * sizeof(u64);
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		bytes += hweight64(attr->sample_regs_intr) * sizeof(u64);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		bytes += attr->sample_stack_user;
	if (attr->sample_type & PERF_SAMPLE_AUX)
		bytes += min_t(u32, attr->aux_sample_size, U16_MAX);
	return bytes;
}

static unsigned int bts_side_room(const struct perf_event *event)
{
	return clamp(SIDE_BYTES / bts_side_sample_bytes(event), SIDE_ROOM_LEAST, SIDE_ROOM_MOST);
}

/*
 * bts_side_each_matters() when the event of this CPU was started. A limit or a program that comes
 * later is younger than the records that the buffer has then: the core stops the event, and starts
 * it again.
 */
static DEFINE_PER_CPU(bool, side_each);

/* Does something depend on each sample: a program, a signal, a limit? */
static bool bts_side_each_matters(const struct perf_event *event)
{
	const struct perf_event *root = event->parent ?: event;

	return READ_ONCE(root->prog) || event->attr.sigtrap || atomic_read(&event->event_limit);
}

/**
 * struct side_chain - the chain of calls that samples of a chunk share
 * @regs: registers to unwind from, or NULL
 * @entry: the chain, or NULL if each sample takes its own
 * @claim: the buffer that has it, or NULL if nothing is to be released
 * @level: for put_callchain_entry()
 */
struct side_chain {
	struct pt_regs			*regs;
	struct perf_callchain_entry	*entry;
	struct perf_callchain_entry	*claim;
	int				level;
};

/*
 * The stack has changed since the records: the chain shows the stack of now. One that was unwound
 * for each of them would be the same. The claim keeps others from unwinding into its buffer.
 */
static void bts_side_chain_begin(struct side_chain *chain, struct perf_event *event,
				 struct pt_regs *interrupted)
{
	*chain = (struct side_chain) { .regs = interrupted };
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		chain->regs = NULL;
	/* A program may need the buffer. */
	if (!chain->regs || this_cpu_read(side_each))
		return;
	chain->entry = perf_callchain(event, chain->regs);
	chain->claim = get_callchain_entry(&chain->level);
}

static void bts_side_chain_end(const struct side_chain *chain)
{
	if (chain->claim)
		put_callchain_entry(chain->level);
}

static void bts_side_chain_give(const struct side_chain *chain, struct perf_event *event,
				struct perf_sample_data *data)
{
	if (chain->entry) {
		data->callchain = chain->entry;
		data->dyn_size += sizeof(u64) * (1 + chain->entry->nr);
		data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
	} else if (chain->regs) {
		perf_sample_save_callchain(data, event, chain->regs);
	}
}

/* Returns true if the event must stop; only if @account is set. */
static bool bts_side_write_sample(struct x86_cpu_pmu *cpu, struct perf_event *event,
				  const struct intel_bts_record *record,
				  const struct side_chain *chain,
				  bool account)
{
	struct perf_sample_data data __uninitialized;
	struct x86_perf_regs perf_regs = { };
	struct pt_regs *regs = &perf_regs.regs;
	bool stop = false;

	set_linear_ip(regs, record->from);
	regs->ss = __USER_DS;
	regs->flags |= PERF_EFLAGS_EXACT;
	perf_sample_data_init(&data, record->to, 1);
	bts_side_chain_give(chain, event, &data);
	x86_regs_note_record(regs);
	if (account)
		stop = perf_event_overflow(event, &data, regs);
	else
		READ_ONCE(event->overflow_handler)(event, &data, regs);
	x86_regs_note_record(NULL);
	return stop;
}

/* Between user mode and the kernel, a record has an address of the kernel. */
static bool bts_side_is_wanted(const struct intel_bts_record *record)
{
	return !x86_branch_in_kernel(record->from) && !x86_branch_in_kernel(record->to);
}

/* One interrupt has many samples. It counts once against the maximum rate. */
static bool bts_side_write_records(struct x86_cpu_pmu *cpu, struct perf_event *event,
				   const struct intel_bts_chunk *chunk,
				   const struct side_chain *chain)
{
	bool each = this_cpu_read(side_each), early = !each && bts_side_each_matters(event);
	bool account = !early, stop = early && perf_event_account_interrupt(event);
	unsigned int part, i;

	for (part = 0; part < ARRAY_SIZE(chunk->part); part++) {
		for (i = 0; i < chunk->nr[part]; i++) {
			const struct intel_bts_record *record = &chunk->part[part][i];

			if (!bts_side_is_wanted(record))
				continue;
			stop |= bts_side_write_sample(cpu, event, record, chain, account);
			account = each;
			if (stop && account)
				return true;
		}
	}
	return stop;
}

static bool bts_side_write_samples(struct x86_cpu_pmu *cpu, struct perf_event *event,
				   const struct intel_bts_chunk *chunk)
{
	struct pt_regs *interrupted = chunk->regs ? x86_hw_interrupted(chunk->regs) : NULL;
	struct side_chain chain;
	bool stop;

	/* Where the records were read, the stack can be unwound. */
	if (!interrupted && current->mm)
		interrupted = task_pt_regs(current);
	bts_side_chain_begin(&chain, event, interrupted);
	stop = bts_side_write_records(cpu, event, chunk, &chain);
	bts_side_chain_end(&chain);
	return stop;
}

static void bts_side_take_samples(struct x86_cpu_pmu *cpu, struct perf_event *event,
				  const struct intel_bts_chunk *chunk)
{
	if (chunk->lost)
		perf_log_lost_samples(event, 1);
	if (bts_side_write_samples(cpu, event, chunk))
		x86_sched_stop(event);
}

static const struct intel_bts_user side_user = {
	.room	= bts_side_room,
	.take	= bts_side_take_samples,
};

static bool bts_side_add(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (!intel_bts_get(cpu, event, &side_user))
		return false;
	perf_sched_cb_inc(event->pmu);
	return true;
}

static void bts_side_del(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	intel_bts_put(cpu);
	perf_sched_cb_dec(event->pmu);
}

static void bts_side_start(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	/* The buffer is empty. */
	this_cpu_write(side_each, bts_side_each_matters(event));
	intel_bts_start(cpu);
}

static void bts_side_stop(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	intel_bts_stop(cpu);
}

static void bts_side_drain(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	intel_bts_drain(cpu);
}

static void bts_side_sched_task(struct x86_cpu_pmu *cpu, struct perf_event_pmu_context *pmu_ctx,
				struct task_struct *task, bool sched_in)
{
	if (!sched_in)
		intel_bts_drain(cpu);
}

/* The trace was chosen for this period. */
static int bts_side_check_period(struct perf_event *event, u64 value)
{
	return value == 1 ? 0 : -EINVAL;
}

static int bts_side_cpu_prepare(unsigned int nr)
{
	intel_ds_map_store(nr);
	return 0;
}

static const struct x86_side_ops side_ops = {
	.event_init	= bts_side_event_init,
	.together	= bts_side_together,
	.reserve	= bts_side_reserve,
	.release	= bts_side_release,
	.add		= bts_side_add,
	.del		= bts_side_del,
	.start		= bts_side_start,
	.stop		= bts_side_stop,
	.probe		= intel_bts_probe,
	.quiet		= intel_bts_quiet,
	.drain		= bts_side_drain,
	.sched_task	= bts_side_sched_task,
	.check_period	= bts_side_check_period,
	.cpu_prepare	= bts_side_cpu_prepare,
};

/**
 * intel_bts_describe() - describe the trace of branches of a core, if it has one
 * @core: output, with its version
 * @cpu: what the CPU says of itself
 *
 * Only the layout with fields of 64 bits is known here, and levels must be filtered.
 *
 * Context: any.
 */
void intel_bts_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	const u32 needed = CPUID1_ECX_DTES64 | CPUID1_ECX_DS_CPL;

	if (core->version < 2 || !(cpu->features.reg[CPUID_EDX] & CPUID1_EDX_DS) ||
	    (cpu->features.reg[CPUID_ECX] & needed) != needed ||
	    cpu->misc_enable & MSR_IA32_MISC_ENABLE_BTS_UNAVAIL)
		return;
	core->side[X86_SIDE_TRACE] = &side_ops;
}
