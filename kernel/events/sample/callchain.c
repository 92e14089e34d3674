// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains: their buffers, how a chain is taken, and how a sample shows it.
 *
 * This file owns one buffer per CPU and context level, and the sysctls that bound the size of
 * the buffers. The buffers exist while an event, a BPF program or a BPF map holds them.
 * Unwinding is done by the architecture's perf_callchain_kernel() and perf_callchain_user().
 *
 * Entry points: get_callchain_buffers() and put_callchain_buffers() in task context,
 * get_perf_callchain() and get_callchain_entry() in any context, the row of
 * PERF_SAMPLE_CALLCHAIN in sample_fields.c. A level of a CPU belongs to the code that runs
 * there, so preemption is off while a chain is being taken. A chain stays intact until
 * preemption is enabled, or until another one is taken on the same level.
 *
 * Lifetime: Readers find buffers under RCU. Buffers are freed a grace period after the last
 * put.
 *
 * Locking: callchain_mutex protects the number of users, the sizes and the pointer.
 *
 * __always_inline: a sample with a callchain takes 20 instructions less, of 780 (make bench,
 * x86_64).
 */
#include <linux/cleanup.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uprobes.h>
#include "../base/contexts.h"
#include "../base/recursion.h"
#include "../output/output.h"
#include "sample_fields.h"

/* not declared without uprobes */
struct uprobe_task;

/**
 * struct callchain_buffers - one chain per CPU and level
 * @rcu_head: for freeing
 * @max_stack: number of addresses that fit
 * @stride: bytes from the entry of one level to the entry of the next
 * @cpu: PERF_NR_CONTEXTS entries for each possible CPU
 */
struct callchain_buffers {
	struct rcu_head	rcu_head;
	u32		max_stack;
	size_t		stride;
	void		*cpu[];
};

static DEFINE_MUTEX(callchain_mutex);
static struct callchain_buffers __rcu *callchain_buffers;
static unsigned int callchain_users;

/* levels on which a chain is being taken */
static DEFINE_PER_CPU(bool[PERF_NR_CONTEXTS], callchain_busy);

/* chains begun on each level */
static DEFINE_PER_CPU(unsigned int[PERF_NR_CONTEXTS], callchain_nr);

/* empty chain for an event whose chain could not be taken */
struct perf_callchain_entry perf_callchain_none;

/* RCU callback: no chain is being taken into the buffers. */
static void callchain_buffers_free(struct rcu_head *head)
{
	struct callchain_buffers *buffers = container_of(head, struct callchain_buffers, rcu_head);
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(buffers->cpu[cpu]);
	kfree(buffers);
}

static struct callchain_buffers *callchain_buffers_alloc(void)
{
	u32 slots = sysctl_perf_event_max_stack +
		    sysctl_perf_event_max_contexts_per_stack;
	struct callchain_buffers *buffers;
	int cpu;

	lockdep_assert_held(&callchain_mutex);

	buffers = kzalloc(struct_size(buffers, cpu, nr_cpu_ids), GFP_KERNEL);
	if (!buffers)
		return NULL;

	buffers->max_stack = sysctl_perf_event_max_stack;
	buffers->stride = struct_size_t(struct perf_callchain_entry, ip, slots);
	for_each_possible_cpu(cpu) {
		buffers->cpu[cpu] = kvmalloc_node(PERF_NR_CONTEXTS * buffers->stride,
						  GFP_KERNEL, cpu_to_node(cpu));
		if (!buffers->cpu[cpu]) {
			callchain_buffers_free(&buffers->rcu_head);
			return NULL;
		}
	}
	return buffers;
}

/**
 * get_callchain_buffers() - allocate or reuse the buffers for call chains
 * @max_stack: largest number of addresses that the caller needs
 *
 * Each success must be matched by a put_callchain_buffers().
 *
 * Context: task, may sleep.
 * Return: 0, -EOVERFLOW if @max_stack is more than the sysctl allows, -ENOMEM.
 */
int get_callchain_buffers(int max_stack)
{
	struct callchain_buffers *buffers;

	guard(mutex)(&callchain_mutex);

	if (max_stack > sysctl_perf_event_max_stack)
		return -EOVERFLOW;

	if (!callchain_users) {
		buffers = callchain_buffers_alloc();
		if (!buffers)
			return -ENOMEM;
		rcu_assign_pointer(callchain_buffers, buffers);
	}
	callchain_users++;
	return 0;
}

/**
 * put_callchain_buffers() - release the buffers for call chains
 *
 * Context: task, may sleep.
 */
void put_callchain_buffers(void)
{
	struct callchain_buffers *buffers;

	guard(mutex)(&callchain_mutex);

	if (WARN_ON_ONCE(!callchain_users) || --callchain_users)
		return;

	buffers = rcu_replace_pointer(callchain_buffers, NULL,
				      lockdep_is_held(&callchain_mutex));
	call_rcu(&buffers->rcu_head, callchain_buffers_free);
}

/**
 * perf_event_max_stack_handler() - perf_event_max_stack, ..._max_contexts_per_stack
 * @table: from kernel/sysctl.c, with its range
 * @write: true for a write
 * @buffer: text
 * @lenp: its length
 * @ppos: file position
 *
 * Return: 0, -EBUSY while call chains are in use, or another -errno.
 */
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	int *limit = table->data;
	int value = READ_ONCE(*limit);
	struct ctl_table local = *table;
	int err;

	local.data = &value;
	err = proc_dointvec_minmax(&local, write, buffer, lenp, ppos);
	if (err || !write)
		return err;

	guard(mutex)(&callchain_mutex);

	if (callchain_users)
		return -EBUSY;
	/* a chain may still be taken into an old buffer by the old limit */
	synchronize_rcu();
	WRITE_ONCE(*limit, value);
	return 0;
}

/* This CPU's entry on @level. Caller must have claimed the level and disabled preemption. */
static struct perf_callchain_entry *
callchain_entry(const struct callchain_buffers *buffers, int level)
{
	return buffers->cpu[smp_processor_id()] + level * buffers->stride;
}

/*
 * Claim this CPU's entry of the current level. Only code that runs during the filling of this
 * very entry can find it claimed. Return: the buffers, valid until preemption is enabled; NULL
 * if the entry is claimed or there are no buffers.
 */
static __always_inline const struct callchain_buffers *callchain_claim(int *level)
{
	const struct callchain_buffers *buffers;
	bool *busy;

	/*
	 * otherwise another task could claim the level, or the level of another CPU be
	 * released
	 */
	lockdep_assert_preemption_disabled();

	*level = perf_context_level();
	busy = this_cpu_ptr(&callchain_busy[*level]);
	buffers = rcu_dereference_sched(callchain_buffers);
	if (*busy || !buffers)
		return NULL;

	*busy = true;
	__this_cpu_inc(callchain_nr[*level]);
	/* the entry is only filled between this barrier and the one in callchain_release() */
	barrier();
	return buffers;
}

static void callchain_release(int level)
{
	barrier();
	__this_cpu_write(callchain_busy[level], false);
}

/**
 * perf_callchain_nr_taken() - how many chains were taken, to see whether one is still intact
 *
 * Context: any, preemption off.
 * Return: a number that changes when a chain is taken on the current level of this CPU.
 */
unsigned int perf_callchain_nr_taken(void)
{
	return __this_cpu_read(callchain_nr[perf_context_level()]);
}

/**
 * get_callchain_entry() - claim this CPU's buffer of the current level
 * @rctx: out, for put_callchain_entry(); undefined if NULL is returned
 *
 * The entry has room for sysctl_perf_event_max_stack addresses, and its content is undefined.
 * Preemption is off until put_callchain_entry(). A caller with preemption off anyway may read
 * the entry after that.
 *
 * Context: any.
 * Return: the entry; NULL if there are no buffers or the entry is being filled.
 */
struct perf_callchain_entry *get_callchain_entry(int *rctx)
{
	const struct callchain_buffers *buffers;

	preempt_disable();
	buffers = callchain_claim(rctx);
	if (buffers)
		return callchain_entry(buffers, *rctx);
	preempt_enable();
	return NULL;
}

/**
 * put_callchain_entry() - release the buffer after filling it
 * @rctx: from get_callchain_entry()
 *
 * Context: as get_callchain_entry().
 */
void put_callchain_entry(int rctx)
{
	callchain_release(rctx);
	preempt_enable();
}

#ifdef CONFIG_UPROBES
/*
 * A function with a uretprobe returns into a trampoline. Replace such addresses by the
 * original return addresses. Frames and instances are both innermost first. Several probes on
 * one function share a frame: all but the first of them are "chained".
 *
 * The list belongs to current, which may be interrupted in the middle of changing it.
 * uprobes.c unlinks an instance before freeing it, and links only complete ones. The walk
 * therefore stays in valid memory, and ends after at most MAX_URETPROBE_DEPTH instances.
 */
static void callchain_undo(struct perf_callchain_entry *entry, u64 first,
			   const struct uprobe_task *utask)
{
	const struct return_instance *instance = READ_ONCE(utask->return_instances);
	unsigned long trampoline;

	if (!instance)
		return;

	trampoline = uprobe_get_trampoline_vaddr();
	for (u64 i = first; instance && i < entry->nr; i++) {
		if (entry->ip[i] != trampoline)
			continue;
		entry->ip[i] = instance->orig_ret_vaddr;
		while (instance->chained && instance->next)
			instance = instance->next;
		instance = instance->next;
	}
}

static const struct uprobe_task *callchain_uprobe_task(void)
{
	return current->utask;
}
#else
static inline void callchain_undo(struct perf_callchain_entry *entry, u64 first,
				  const struct uprobe_task *utask)
{
}

static inline const struct uprobe_task *callchain_uprobe_task(void)
{
	return NULL;
}
#endif

/* Take the user part of a task with probes, and replace addresses of the trampoline. */
static noinline void callchain_take_probed(struct perf_callchain_entry_ctx *ctx,
					   struct pt_regs *regs,
					   const struct uprobe_task *utask)
{
	u64 first = ctx->entry->nr;

	perf_callchain_user(ctx, regs);
	callchain_undo(ctx->entry, first, utask);
}

/* Registers with which current left user space, or NULL if it has no user space. */
static __always_inline struct pt_regs *callchain_user_regs(void)
{
	/* io workers and similar tasks have an mm, but no user frame of their own */
	if (!current->mm || (current->flags & (PF_KTHREAD | PF_USER_WORKER)))
		return NULL;
	return task_pt_regs(current);
}

static __always_inline void
callchain_take_kernel(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs,
		      bool add_mark)
{
	if (add_mark)
		perf_callchain_store_context(ctx, PERF_CONTEXT_KERNEL);
	perf_callchain_kernel(ctx, regs);
}

static __always_inline void
callchain_take_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs,
		    bool add_mark)
{
	const struct uprobe_task *utask = callchain_uprobe_task();

	if (add_mark)
		perf_callchain_store_context(ctx, PERF_CONTEXT_USER);
	if (unlikely(utask))
		callchain_take_probed(ctx, regs, utask);
	else
		perf_callchain_user(ctx, regs);
}

/**
 * struct callchain_wish - contents of a chain
 * @kernel: include the kernel part
 * @user: include the user part
 * @task: the only task with a user part; NULL for any
 * @add_mark: begin each part with its PERF_CONTEXT_* marker
 * @max_stack: largest number of addresses
 */
struct callchain_wish {
	bool				kernel;
	bool				user;
	const struct task_struct	*task;
	bool				add_mark;
	u32				max_stack;
};

static bool callchain_needs_user(const struct callchain_wish *wish)
{
	return wish->user && (!wish->task || wish->task == current);
}

/* Take a chain. Return: @none if no buffer can be claimed. */
static __always_inline struct perf_callchain_entry *
callchain_take(struct pt_regs *regs, struct callchain_wish wish,
	       struct perf_callchain_entry *none)
{
	struct perf_callchain_entry_ctx ctx __uninitialized;
	struct perf_callchain_entry *entry;
	const struct callchain_buffers *buffers;
	int level;

	buffers = callchain_claim(&level);
	if (!buffers)
		return none;

	entry = callchain_entry(buffers, level);
	entry->nr = 0;
	ctx = (struct perf_callchain_entry_ctx) {
		.entry		= entry,
		.max_stack	= min(wish.max_stack, buffers->max_stack),
	};
	/* duplicated so that the compiler can tell which marker comes first */
	if (user_mode(regs)) {
		if (callchain_needs_user(&wish))
			callchain_take_user(&ctx, regs, wish.add_mark);
	} else {
		if (wish.kernel)
			callchain_take_kernel(&ctx, regs, wish.add_mark);
		regs = callchain_needs_user(&wish) ? callchain_user_regs() : NULL;
		if (regs)
			callchain_take_user(&ctx, regs, wish.add_mark);
	}

	callchain_release(level);
	return entry;
}

/**
 * get_perf_callchain() - take current's call chain
 * @regs: registers of the interrupted context, or of a caller's frame
 * @kernel: include the kernel part
 * @user: include the user part
 * @max_stack: largest number of addresses; the sysctl bounds it as well
 * @crosstask: the chain is for an event of another task: no user part
 * @add_mark: begin each part with its PERF_CONTEXT_* marker
 *
 * Context: any, preemption off for as long as the caller reads the chain.
 * Return: a chain, maybe empty, valid until preemption is enabled; NULL if there are no
 * buffers, or this call interrupted the filling of the same buffer.
 */
struct perf_callchain_entry *
get_perf_callchain(struct pt_regs *regs, bool kernel, bool user, u32 max_stack,
		   bool crosstask, bool add_mark)
{
	struct callchain_wish wish = {
		.kernel		= kernel,
		.user		= user && !crosstask,
		.add_mark	= add_mark,
		.max_stack	= max_stack,
	};

	guard(preempt)();
	return callchain_take(regs, wish, NULL);
}

/* perf_callchain() */
static __always_inline struct perf_callchain_entry *
callchain_take_for(struct perf_event *event, struct pt_regs *regs)
{
	const struct perf_event_attr *attr = &event->attr;
	struct callchain_wish wish = {
		.kernel		= !attr->exclude_callchain_kernel &&
				  !attr->exclude_kernel,
		.user		= !attr->exclude_callchain_user,
		.task		= READ_ONCE(event->ctx->task),
		.add_mark	= true,
		.max_stack	= attr->sample_max_stack,
	};

	return callchain_take(regs, wish, &perf_callchain_none);
}

/**
 * perf_callchain() - take the call chain for a sample
 * @event: the event, which holds callchain buffers
 * @regs: registers of the interrupted context
 *
 * An event with exclude_kernel gets no kernel addresses, whatever its exclude_callchain_kernel
 * is.
 *
 * Context: any, preemption off.
 * Return: a chain as from get_perf_callchain(), but an empty one instead of NULL.
 */
struct perf_callchain_entry *perf_callchain(struct perf_event *event,
					    struct pt_regs *regs)
{
	return callchain_take_for(event, regs);
}

/**
 * perf_sample_chain_collect() - take the chain of a sample: u64 nr; u64 ips[nr]
 * @sample: being taken; the chain is truncated to the available room
 *
 * Context: any, preemption off.
 * Return: bytes, without nr.
 */
unsigned int perf_sample_chain_collect(struct perf_sample *sample)
{
	unsigned int room = round_down(sample->room, sizeof(u64));
	u64 size;

	/* already taken if a BPF program needed it */
	if (!perf_sample_given(sample, PERF_SAMPLE_CALLCHAIN))
		sample->data->callchain = callchain_take_for(sample->event,
							     sample->interrupted);
	size = min_t(u64, sizeof(u64) * sample->data->callchain->nr, room);
	sample->chain_size = PERF_SAMPLE_ELASTIC_MIN + size;
	return size;
}

/* Write a chain that crosses the border of two chunks. */
static noinline void chain_put_across(struct perf_sample *sample,
				      struct perf_output_handle *handle)
{
	unsigned int size = sample->chain_size - sizeof(u64);

	perf_output_u64(handle, size / sizeof(u64));
	perf_output_mem(handle, sample->data->callchain->ip, size);
}

/**
 * perf_sample_chain_put() - write the chain of a sample
 * @sample: collected
 * @handle: begun
 */
void perf_sample_chain_put(struct perf_sample *sample, struct perf_output_handle *handle)
{
	u64 nr = sample->chain_size / sizeof(u64) - 1;
	u64 *out = handle->addr;

	if (unlikely(!perf_output_fits(handle, sample->chain_size))) {
		chain_put_across(sample, handle);
		return;
	}
	*out++ = nr;
	out = perf_output_words(out, sample->data->callchain->ip, nr);
	perf_output_placed(handle, out);
}

/* For architectures that cannot unwind. */
void __weak perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
				  struct pt_regs *regs)
{
}

void __weak perf_callchain_user(struct perf_callchain_entry_ctx *entry,
				struct pt_regs *regs)
{
}
