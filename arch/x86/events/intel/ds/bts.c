// SPDX-License-Identifier: GPL-2.0
/*
 * The branch trace store: the hardware, and its buffer per CPU.
 *
 * While it is on, hardware appends a record to the buffer for each branch. An interrupt comes when
 * the buffer is filled up to a threshold. It has no bit in the status register that all models
 * have, so the handler compares the index with the threshold. Records are copied from the buffer:
 * hardware needs a buffer in the CPU's entry area, which is mapped while user mode runs, and the
 * copy leaves out what its reader must not see.
 *
 * The manual does not say where hardware goes on when the buffer is full. The last record of the
 * buffer is marked, so that the mark is gone if the buffer was filled to its end, and older records
 * may be lost.
 *
 * An index outside of the buffer switches the trace of all CPUs of the kind off until reboot, each
 * when it takes records, or starts the trace, the next time.
 *
 * One event at a time owns the trace of a CPU. The buffers exist while there are such events.
 *
 * Owns struct bts_cpu, x86_cpu_pmu::trace and the bits BTS_BITS of IA32_DEBUGCTL.
 *
 * Context: irqs off or NMI, on the CPU concerned, unless stated otherwise.
 *
 * Source: Intel SDM volume 3, "Branch Trace Store (BTS)", "Debug Store (DS) Mechanism",
 * "IA32_DEBUGCTL MSR".
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched/clock.h>
#include <asm/cpu_entry_area.h>
#include "../../counters/late.h"
#include "../../counters/debugctl.h"
#include "../../counters/side.h"
#include "bts.h"
#include "ds.h"

#define BTS_FILTERS	(DEBUGCTLMSR_BTS_OFF_OS | DEBUGCTLMSR_BTS_OFF_USR)
#define BTS_ON		(DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS | DEBUGCTLMSR_BTINT)
#define BTS_BITS	(BTS_ON | BTS_FILTERS)

/* Hardware writes canonical addresses only. */
#define BTS_MARK	BIT_ULL(63)

/* One of so many parts of the buffer is behind the threshold. */
#define BTS_SPARE_PART	4

/**
 * struct bts_cpu - the trace of a CPU
 * @buffer: the buffer; NULL if there is none
 * @event: the event that owns the trace, or NULL
 * @user: what it does with records; valid with @event
 * @room: number of records that the buffer is given since tracing was turned on
 * @bits: value of BTS_BITS while tracing is on
 * @on: tracing is on, or paused
 * @held: tracing is paused, also after an NMI
 * @filled: the buffer may have records, since tracing was turned on
 * @draining: records are being taken
 * @late: an interrupt may still come after its records were taken
 * @late_until: local_clock() until when it may come
 */
struct bts_cpu {
	struct intel_bts_record		*buffer;
	struct perf_event		*event;
	const struct intel_bts_user	*user;
	unsigned int			room;
	u64				bits;
	bool				on;
	bool				held;
	bool				filled;
	bool				draining;
	bool				late;
	u64				late_until;
};

static DEFINE_PER_CPU(struct bts_cpu, bts_cpu);

/* Protects bts_users and the existence of buffers. */
static DEFINE_MUTEX(bts_mutex);
static unsigned int bts_users;

static void *intel_bts_place_of(unsigned int nr)
{
	return get_cpu_entry_area(nr)->cpu_debug_buffers.bts_buffer;
}

static void intel_bts_free_buffers(void)
{
	unsigned int nr;

	for_each_possible_cpu(nr) {
		struct bts_cpu *bts = &per_cpu(bts_cpu, nr);

		intel_ds_free(bts->buffer, intel_bts_place_of(nr), BTS_BUFFER_SIZE);
		bts->buffer = NULL;
	}
}

/**
 * intel_bts_reserve() - let a new event use traces
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int intel_bts_reserve(void)
{
	unsigned int nr;

	guard(mutex)(&bts_mutex);
	if (bts_users++)
		return 0;
	for_each_possible_cpu(nr) {
		struct bts_cpu *bts = &per_cpu(bts_cpu, nr);

		bts->buffer = intel_ds_alloc(nr, intel_bts_place_of(nr), BTS_BUFFER_SIZE);
		if (!bts->buffer) {
			bts_users--;
			intel_bts_free_buffers();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * intel_bts_release() - undo intel_bts_reserve()
 *
 * Context: task, may sleep. The event is on no CPU.
 */
void intel_bts_release(void)
{
	guard(mutex)(&bts_mutex);
	if (!--bts_users)
		intel_bts_free_buffers();
}

static bool intel_bts_mark_is_gone(const struct bts_cpu *bts)
{
	return bts->buffer[bts->room - 1].from != BTS_MARK;
}

/* Hardware stands still. */
static void intel_bts_empty_buffer(struct bts_cpu *bts)
{
	struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	bts->buffer[bts->room - 1].from = BTS_MARK;
	store->bts_index = store->bts_buffer_base;
}

static unsigned int intel_bts_records_written(const struct bts_cpu *bts)
{
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	return div_u64(store->bts_index - store->bts_buffer_base, sizeof(*bts->buffer));
}

/* Does the index point to the place of a record? */
static bool intel_bts_index_is_valid(const struct bts_cpu *bts)
{
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;
	u64 bytes = store->bts_index - store->bts_buffer_base;
	u32 rest;

	div_u64_rem(bytes, sizeof(*bts->buffer), &rest);
	return bytes <= bts->room * sizeof(*bts->buffer) && !rest;
}

static void intel_bts_log_break(const struct x86_core_pmu *core)
{
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	/* The run queue may be locked. */
	printk_deferred_enter();
	pr_err("perf: PMU %s: trace of branches: off until reboot: CPU %d: index outside of the buffer: %016llx %016llx %016llx %016llx\n",
	       core->name, smp_processor_id(), store->bts_index, store->bts_buffer_base,
	       store->bts_absolute_maximum, store->bts_interrupt_threshold);
	printk_deferred_exit();
}

/* The hardware is broken. Tracing is paused; it stops, and so does its event. Records are lost. */
static void intel_bts_break(struct x86_cpu_pmu *cpu, struct bts_cpu *bts,
			    struct intel_bts_chunk *chunk)
{
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	if (x86_side_break(cpu->core, X86_SIDE_TRACE,
			   "its index was outside of the buffer, see the log"))
		intel_bts_log_break(cpu->core);
	bts->on = false;
	bts->filled = false;
	barrier();	/* from here on an NMI leaves it off */
	x86_debugctl_update(cpu, BTS_BITS, 0);
	perf_event_disable_inatomic(bts->event);
	chunk->lost = store->bts_index != store->bts_buffer_base;
}

static bool intel_bts_interrupt_is_due(const struct bts_cpu *bts)
{
	const struct debug_store *store = this_cpu_ptr(&intel_ds)->store;

	return store->bts_index >= store->bts_interrupt_threshold || intel_bts_mark_is_gone(bts);
}

/* Records from the index on are older than those before it, if the buffer was full. */
static void intel_bts_fill_chunk(const struct bts_cpu *bts, struct intel_bts_chunk *chunk)
{
	unsigned int written = intel_bts_records_written(bts), room = bts->room;
	bool around = intel_bts_mark_is_gone(bts) && written < room;

	chunk->lost = intel_bts_mark_is_gone(bts);
	chunk->part[0] = bts->buffer + (around ? written : 0);
	chunk->nr[0] = around ? room - written : written;
	chunk->part[1] = bts->buffer;
	chunk->nr[1] = around ? written : 0;
}

/* Take the records. Tracing is paused. Returns false if they are being taken already. */
static bool intel_bts_take_records(struct x86_cpu_pmu *cpu, struct bts_cpu *bts,
				   struct pt_regs *regs)
{
	struct intel_bts_chunk chunk = { .regs = regs };

	if (bts->draining)
		return false;
	bts->draining = true;
	barrier();	/* from here on an NMI leaves the records alone */
	if (x86_side_is_broken(cpu->core, X86_SIDE_TRACE) || !intel_bts_index_is_valid(bts))
		intel_bts_break(cpu, bts, &chunk);
	else
		intel_bts_fill_chunk(bts, &chunk);
	if (chunk.nr[0] || chunk.lost)
		bts->user->take(cpu, bts->event, &chunk);
	intel_bts_empty_buffer(bts);
	barrier();	/* up to here */
	bts->draining = false;
	return true;
}

/* An interrupt that comes although the records were taken before it must be claimed. */
static void intel_bts_expect_late(struct bts_cpu *bts)
{
	/* While records are taken, it has come, or is expected already. */
	if (bts->draining || !intel_bts_interrupt_is_due(bts))
		return;
	bts->late_until = local_clock() + X86_NMI_LATE;
	bts->late = true;
}

static bool intel_bts_claim_late(struct bts_cpu *bts)
{
	bool late = bts->late && local_clock() < bts->late_until;

	bts->late = false;
	return late;
}

/* Also if it was stopped: other code may have written an older value since, see debugctl.c. */
static void intel_bts_pause(struct x86_cpu_pmu *cpu)
{
	if (this_cpu_read(bts_cpu.event))
		x86_debugctl_update(cpu, BTS_BITS, 0);
}

/* An NMI may stop the trace meanwhile. */
static void intel_bts_resume(struct x86_cpu_pmu *cpu)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!READ_ONCE(bts->on) || bts->held)
		return;
	x86_debugctl_update(cpu, BTS_BITS, bts->bits);
	if (!READ_ONCE(bts->on))
		x86_debugctl_update(cpu, BTS_BITS, 0);
}

static int intel_bts_interrupt(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	/* It may come while the trace is being stopped. */
	if (bts->filled && intel_bts_interrupt_is_due(bts) &&
	    intel_bts_take_records(cpu, bts, regs))
		return 1;
	return intel_bts_claim_late(bts);
}

static const struct x86_trace_ops bts_trace_ops = {
	.pause		= intel_bts_pause,
	.interrupt	= intel_bts_interrupt,
	.resume		= intel_bts_resume,
};

/**
 * intel_bts_get() - make an event the owner of this CPU's trace
 * @cpu: this CPU's PMU
 * @event: the event, after intel_bts_reserve()
 * @user: what it does with records
 *
 * Return: false if the CPU has no trace, or another event owns it.
 */
bool intel_bts_get(struct x86_cpu_pmu *cpu, struct perf_event *event,
		   const struct intel_bts_user *user)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!cpu->core || !cpu->core->side[X86_SIDE_TRACE] || bts->event ||
	    x86_side_is_broken(cpu->core, X86_SIDE_TRACE))
		return false;
	bts->user = user;
	bts->event = event;
	cpu->trace = &bts_trace_ops;
	return true;
}

/**
 * intel_bts_put() - undo intel_bts_get()
 * @cpu: this CPU's PMU; the trace was stopped
 */
void intel_bts_put(struct x86_cpu_pmu *cpu)
{
	/* An NMI may have stopped it while other code held an older value of the register. */
	x86_debugctl_update(cpu, BTS_BITS, 0);
	this_cpu_write(bts_cpu.event, NULL);
}

static void intel_bts_set_limits(struct bts_cpu *bts)
{
	struct debug_store *store = this_cpu_ptr(&intel_ds)->store;
	unsigned int room = bts->user->room(bts->event);

	bts->room = room;
	store->bts_buffer_base = (unsigned long)intel_bts_place_of(smp_processor_id());
	store->bts_absolute_maximum = store->bts_buffer_base + room * sizeof(*bts->buffer);
	store->bts_interrupt_threshold = store->bts_buffer_base +
					 (room - room / BTS_SPARE_PART) * sizeof(*bts->buffer);
}

/**
 * intel_bts_start() - trace the branches of this CPU
 * @cpu: this CPU's PMU; the trace has an owner and is stopped
 *
 * The owner's attributes say whether branches of user mode and of the kernel are traced.
 */
void intel_bts_start(struct x86_cpu_pmu *cpu)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	const struct perf_event_attr *attr = &bts->event->attr;

	/* With both filters, the CPU would do the work of a trace, and write nothing. */
	if (attr->exclude_kernel && attr->exclude_user)
		return;
	if (x86_side_is_broken(cpu->core, X86_SIDE_TRACE)) {
		perf_event_disable_inatomic(bts->event);
		return;
	}
	bts->bits = BTS_ON;
	if (attr->exclude_kernel)
		bts->bits |= DEBUGCTLMSR_BTS_OFF_OS;
	if (attr->exclude_user)
		bts->bits |= DEBUGCTLMSR_BTS_OFF_USR;
	intel_bts_set_limits(bts);
	intel_bts_empty_buffer(bts);
	barrier();	/* from here on an NMI takes records: the buffer must be empty */
	bts->filled = true;
	bts->on = true;
	barrier();	/* from here on an NMI pauses and resumes it */
	intel_bts_resume(cpu);
}

/**
 * intel_bts_stop() - stop the trace, and take its records
 * @cpu: this CPU's PMU. The trace may be stopped already
 */
void intel_bts_stop(struct x86_cpu_pmu *cpu)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!bts->on)
		return;
	bts->on = false;
	barrier();	/* from here on an NMI leaves it off */
	x86_debugctl_update(cpu, BTS_BITS, 0);
	intel_bts_expect_late(bts);
	intel_bts_take_records(cpu, bts, NULL);
	bts->filled = false;
}

/**
 * intel_bts_drain() - take the records that were written so far
 * @cpu: this CPU's PMU. The trace goes on if it is on
 */
void intel_bts_drain(struct x86_cpu_pmu *cpu)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!bts->on)
		return;
	bts->held = true;
	barrier();	/* from here on an NMI leaves it paused */
	intel_bts_pause(cpu);
	intel_bts_expect_late(bts);
	intel_bts_take_records(cpu, bts, NULL);
	bts->held = false;
	barrier();	/* up to here */
	intel_bts_resume(cpu);
}

/**
 * intel_bts_is_on() - check whether this CPU's trace is on
 *
 * Return: true if it is on, or paused.
 */
bool intel_bts_is_on(void)
{
	return this_cpu_read(bts_cpu.on);
}

/**
 * intel_bts_quiet() - reset the registers, which may have any content
 * @cpu: this CPU's PMU
 *
 * A kernel that crashed may have left tracing on, with a buffer of its own. A trace that is on goes
 * on after a loss of power.
 */
void intel_bts_quiet(struct x86_cpu_pmu *cpu)
{
	x86_debugctl_update(cpu, BTS_BITS, 0);
	x86_hw_write(MSR_IA32_DS_AREA, this_cpu_read(intel_ds.store_at));
	intel_bts_resume(cpu);
}

/**
 * intel_bts_probe() - check that the registers exist
 * @core: the core as detected
 *
 * Some hypervisors list what they do not have. The filters have no effect while nothing is traced.
 *
 * Context: irqs off or boot, on a CPU of that kind.
 * Return: true if they do.
 */
bool intel_bts_probe(const struct x86_core_pmu *core)
{
	u64 value, set;

	return !x86_hw_read_safe(MSR_IA32_DS_AREA, &value) &&
	       !x86_hw_read_safe(MSR_IA32_DEBUGCTLMSR, &value) &&
	       !x86_hw_write_safe(MSR_IA32_DEBUGCTLMSR, (value & ~BTS_BITS) | BTS_FILTERS) &&
	       !x86_hw_read_safe(MSR_IA32_DEBUGCTLMSR, &set) &&
	       (set & BTS_BITS) == BTS_FILTERS &&
	       !x86_hw_write_safe(MSR_IA32_DEBUGCTLMSR, value & ~BTS_BITS);
}
