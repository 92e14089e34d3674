/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: the in-kernel API.
 *
 * Include this header. It declares the functions, and includes the headers with the
 * structures:
 *
 *   perf_event_pmu.h	for PMU drivers: struct pmu, struct hw_perf_event, sysfs
 *   perf_event_types.h	struct perf_event
 *   perf_event_sample.h	for sampling: struct perf_sample_data, call chains
 *
 * Its users are PMU drivers, kernel counters (KVM, watchdog, resctrl, breakpoints), and
 * hooks in the scheduler, fork, exec, exit, mm, BPF and tracing. Contexts and scheduling
 * are private to kernel/events/, see Documentation/perf/design.rst.
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <linux/perf_event_pmu.h>
#include <linux/perf_event_types.h>
#include <linux/perf_event_sample.h>

#include <linux/cgroup.h>
#include <linux/ftrace.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/security.h>
#include <linux/static_call.h>
#include <linux/static_key.h>

struct bpf_prog;
struct ctl_table;
struct file;
struct task_struct;
struct vm_area_struct;

/*
 * ---------------------------------------------------------------------------
 * Guests
 * ---------------------------------------------------------------------------
 */

/* perf_guest_info_callbacks::state() */
#define PERF_GUEST_ACTIVE	0x01
#define PERF_GUEST_USER		0x02

/**
 * struct perf_guest_info_callbacks - callbacks of a hypervisor for interrupts
 * @state: returns PERF_GUEST_* of this CPU, 0 outside of guests; any context
 * @get_ip: returns the guest's instruction pointer; any context
 * @handle_intel_pt_intr: optional; returns non-zero if the interrupt is the guest's
 */
struct perf_guest_info_callbacks {
	unsigned int		(*state)(void);
	unsigned long		(*get_ip)(void);
	unsigned int		(*handle_intel_pt_intr)(void);
};

#ifdef CONFIG_GUEST_PERF_EVENTS
extern struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DECLARE_STATIC_CALL(__perf_guest_state, *perf_guest_cbs->state);
DECLARE_STATIC_CALL(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DECLARE_STATIC_CALL(__perf_guest_handle_intel_pt_intr,
		    *perf_guest_cbs->handle_intel_pt_intr);

/**
 * perf_guest_state() - get the state of the guest that an interrupt of this CPU hit
 *
 * Context: any.
 * Return: PERF_GUEST_ACTIVE and PERF_GUEST_USER; 0 if the interrupt did not hit a guest.
 */
static inline unsigned int perf_guest_state(void)
{
	return static_call(__perf_guest_state)();
}

/**
 * perf_guest_get_ip() - get the instruction pointer of the interrupted guest
 *
 * Context: any. perf_guest_state() must have PERF_GUEST_ACTIVE.
 * Return: the guest's instruction pointer.
 */
static inline unsigned long perf_guest_get_ip(void)
{
	return static_call(__perf_guest_get_ip)();
}

/**
 * perf_guest_handle_intel_pt_intr() - pass an interrupt of Intel PT to the hypervisor
 *
 * Context: NMI.
 * Return: non-zero if the interrupt belongs to a guest.
 */
static inline unsigned int perf_guest_handle_intel_pt_intr(void)
{
	return static_call(__perf_guest_handle_intel_pt_intr)();
}

void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
#else
static inline unsigned int perf_guest_state(void)	{ return 0; }
static inline unsigned long perf_guest_get_ip(void)	{ return 0; }
static inline unsigned int perf_guest_handle_intel_pt_intr(void) { return 0; }
#endif

/* Arguments of security_perf_event_open() */
#define PERF_SECURITY_OPEN		0
#define PERF_SECURITY_CPU		1
#define PERF_SECURITY_KERNEL		2
#define PERF_SECURITY_TRACEPOINT	3

#ifdef CONFIG_PERF_EVENTS

/* Hooks of the architecture, with defaults. An architecture defines macros of these names. */

#ifndef perf_arch_fetch_caller_regs
/**
 * perf_arch_fetch_caller_regs() - get the registers of a caller, for an unwinder
 * @regs: output; only the registers that an unwinder starts from are written
 * @ip: instruction pointer of the caller
 *
 * By default nothing is written.
 */
static inline void perf_arch_fetch_caller_regs(struct pt_regs *regs, unsigned long ip) { }
#endif

#ifndef perf_misc_flags
/**
 * perf_misc_flags() - get the mode of the interrupted context, for the header of a sample
 * @regs: the interrupted context
 *
 * Return: PERF_RECORD_MISC_*.
 */
#define perf_misc_flags(regs)						\
	(user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL)

/**
 * perf_instruction_pointer() - get the instruction pointer of a sample
 * @regs: the interrupted context, which may be a guest
 *
 * An architecture that defines perf_misc_flags() also defines this macro.
 *
 * Return: the instruction pointer.
 */
#define perf_instruction_pointer(regs)	instruction_pointer(regs)
#endif

#ifndef perf_arch_bpf_user_pt_regs
/**
 * perf_arch_bpf_user_pt_regs() - get the registers that a BPF program sees
 * @regs: the interrupted context
 *
 * Return: the registers, as bpf_user_pt_regs_t.
 */
#define perf_arch_bpf_user_pt_regs(regs) regs
#endif

#ifndef arch_perf_copy_by_words
/**
 * arch_perf_copy_by_words() - whether read(2) stores its words one by one
 *
 * Most reads return a few words. By default copy_to_user() copies them, with several words per
 * iteration. An architecture returns true if copy_to_user() is slow to start.
 *
 * Return: true if the words are stored one by one.
 */
#define arch_perf_copy_by_words()	false
#endif

/**
 * perf_fetch_caller_regs() - get the registers of the caller of this function's user
 * @regs: output; only the registers that an unwinder starts from are written
 *
 * Always inlined: CALLER_ADDR0 and the frame belong to the function that uses it.
 */
static __always_inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

/* PMU registry: pmu.c, migrate.c, pmu_ops.c, sched_task.c, task_data.c */
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
void *perf_event_task_data(struct perf_event *event);
void *perf_pmu_ctx_task_data(struct perf_event_pmu_context *pmu_ctx);

/* Reports of drivers: overflow.c, sample_rate.c, sideband_event.c, userpage.c, filter.c, aux.c */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);
void perf_event_disable_inatomic(struct perf_event *event);
void perf_event_update_userpage(struct perf_event *event);
bool perf_event_page_is_own(const struct perf_event *event);
void perf_event_addr_filters_sync(struct perf_event *event);
void perf_event_itrace_started(struct perf_event *event);
void perf_log_lost_samples(struct perf_event *event, u64 lost);
void perf_sample_event_took(u64 sample_len_ns);
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);
void arch_perf_user_access(bool enable);

/* AUX area: aux.c, sideband_event.c */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event);
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
void *perf_get_aux(struct perf_output_handle *handle);
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to);
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id);

/* In-kernel counters: kernel_counter.c, read.c, period.c */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback, void *context);
int perf_event_release_kernel(struct perf_event *event);
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running);
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running);
int perf_event_period(struct perf_event *event, u64 value);
u64 perf_event_pause(struct perf_event *event, bool reset);
int perf_event_refresh(struct perf_event *event, int refresh);

/* File descriptors, for BPF: file.c */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);

/* Tasks: inherit.c, owner.c */
int perf_event_init_task(struct task_struct *child, u64 clone_flags);
void perf_event_free_task(struct task_struct *task);
void perf_event_exit_task(struct task_struct *child);
void perf_event_delayed_put(struct task_struct *task);
void perf_event_exec(void);
int perf_event_task_enable(void);
int perf_event_task_disable(void);

/* Boot and CPUs: init.c, hotplug.c */
void perf_event_init(void);
int perf_event_init_cpu(unsigned int cpu);
int perf_event_exit_cpu(unsigned int cpu);

/* Side-band records: task_hooks.c, sideband_task.c, sideband_text.c */
void perf_event_fork(struct task_struct *tsk);
void perf_event_comm(struct task_struct *tsk, bool exec);
void perf_event_namespaces(struct task_struct *tsk);
void perf_event_mmap(struct vm_area_struct *vma);
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym);
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags);
void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			  const void *new_bytes, size_t new_len);

/* Tracing: tracepoint.c; breakpoints: hw_breakpoint.c */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task);
void perf_bp_event(struct perf_event *event, void *data);

/* sysrq-p; weak */
void perf_event_print_debug(void);

/* Permissions and sysctls: sysctl.c, sample_rate.c, callchain.c */
extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_mlock;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_cpu_time_max_percent;

int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos);
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos);
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos);

int perf_allow_kernel(void);

/**
 * perf_allow_cpu() - check whether current may observe a whole CPU
 *
 * Context: task.
 * Return: 0, -EACCES, or the LSM's errno.
 */
static inline int perf_allow_cpu(void)
{
	if (sysctl_perf_event_paranoid > 0 && !perfmon_capable())
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_allow_tracepoint() - check whether current may get the raw data of a tracepoint
 *
 * Context: task.
 * Return: 0, -EPERM, or the LSM's errno.
 */
static inline int perf_allow_tracepoint(void)
{
	if (sysctl_perf_event_paranoid > -1 && !perfmon_capable())
		return -EPERM;
	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

/* Properties of an event */

/**
 * is_sampling_event() - check whether an event takes samples
 * @event: the event
 *
 * Return: true if it has a period or a frequency.
 */
static inline bool is_sampling_event(struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/**
 * perf_event_is_user_readable() - check whether user space may read the counter directly
 * @event: the event
 *
 * hw.flags is valid for PMUs with event_idx() only: other PMUs may use these bytes of the
 * union otherwise.
 *
 * Return: true if user space may read the counter with an instruction.
 */
static inline bool perf_event_is_user_readable(const struct perf_event *event)
{
	return event->pmu->event_idx &&
	       event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

/**
 * is_software_event() - check whether an event is a software event
 * @event: the event, initialised by its PMU
 *
 * Return: non-zero for an event with PERF_EV_CAP_SOFTWARE.
 */
static inline int is_software_event(struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_SOFTWARE;
}

/**
 * is_default_overflow_handler() - check whether overflows of an event write samples
 * @event: the event
 *
 * Return: false if the event is a kernel counter with a callback of its own.
 */
static inline bool is_default_overflow_handler(struct perf_event *event)
{
	return event->overflow_handler == perf_event_output_forward ||
	       event->overflow_handler == perf_event_output_backward;
}

/**
 * has_branch_stack() - check whether samples of an event have a branch stack
 * @event: the event
 *
 * Return: true if PERF_SAMPLE_BRANCH_STACK is set.
 */
static inline bool has_branch_stack(struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/**
 * perf_event_has_any_exclude() - check whether attributes exclude a mode
 * @attr: the attributes
 *
 * Return: true if an exclude_* bit is set, exclude_callchain_* aside.
 */
static inline bool perf_event_has_any_exclude(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/**
 * perf_event_addr_filters() - get the address filters of an event
 * @event: the event; a child event has the filters of its parent
 *
 * Return: the list of filters.
 */
static inline struct perf_addr_filters_head *
perf_event_addr_filters(struct perf_event *event)
{
	return event->parent ? &event->parent->addr_filters : &event->addr_filters;
}

/*
 * Software events. A static key per event id makes an occurrence a no-op while no event
 * counts it. perf_swevent_hit() and perf_swevent_hit_sched() are in software.c.
 */
extern struct static_key_false_deferred perf_swevent_keys[PERF_COUNT_SW_MAX];
extern struct static_key_false perf_task_migration_key;
DECLARE_PER_CPU(struct pt_regs, __perf_regs[4]);

int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);
u64 perf_swevent_set_period(struct perf_event *event);
void perf_swevent_hit(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void perf_swevent_hit_sched(u32 event_id, u64 nr, struct pt_regs *regs);

/* Always inlined: the static key depends on the constant @event_id. */
static __always_inline bool perf_swevent_enabled(u32 event_id)
{
	return static_branch_unlikely(&perf_swevent_keys[event_id].key);
}

/**
 * perf_sw_event() - report occurrences of a software event
 * @event_id: PERF_COUNT_SW_*, a constant
 * @nr: number of occurrences
 * @regs: registers at the occurrence
 * @addr: address concerned, or 0
 *
 * A no-op while no event counts @event_id.
 *
 * Context: any.
 */
static __always_inline void perf_sw_event(u32 event_id, u64 nr,
					  struct pt_regs *regs, u64 addr)
{
	if (perf_swevent_enabled(event_id))
		perf_swevent_hit(event_id, nr, regs, addr);
}

/*
 * Scheduler hooks. They are always inlined, because the software events' registers belong
 * to the scheduler's frame.
 */
extern struct static_key_false_deferred perf_switch_key;

void perf_switch_out(struct task_struct *prev, struct task_struct *next);
void perf_switch_in(struct task_struct *prev, struct task_struct *task);
void perf_event_task_tick(void);

static __always_inline void perf_sw_event_sched(u32 event_id)
{
	struct pt_regs *regs = this_cpu_ptr(&__perf_regs[0]);

	perf_fetch_caller_regs(regs);
	perf_swevent_hit_sched(event_id, 1, regs);
}

/**
 * perf_event_task_migrate() - a task is about to move to another CPU
 * @task: the task
 *
 * The migration is counted when the task is scheduled in: software/task_migration.c.
 *
 * Context: Caller must hold the locks of the scheduler that serialise migrations of @task.
 */
static inline void perf_event_task_migrate(struct task_struct *task)
{
	if (perf_swevent_enabled(PERF_COUNT_SW_CPU_MIGRATIONS))
		task->sched_migrated = 1;
}

/**
 * perf_event_task_sched_out() - called before a context switch, by the task that runs
 * @prev: the running task
 * @next: the task to run next
 *
 * Context: irqs off, rq lock held.
 */
static __always_inline void perf_event_task_sched_out(struct task_struct *prev,
						      struct task_struct *next)
{
	if (perf_swevent_enabled(PERF_COUNT_SW_CONTEXT_SWITCHES))
		perf_sw_event_sched(PERF_COUNT_SW_CONTEXT_SWITCHES);
#ifdef CONFIG_CGROUP_PERF
	if (perf_swevent_enabled(PERF_COUNT_SW_CGROUP_SWITCHES) &&
	    task_css_check(prev, perf_event_cgrp_id, true) !=
	    task_css_check(next, perf_event_cgrp_id, true))
		perf_sw_event_sched(PERF_COUNT_SW_CGROUP_SWITCHES);
#endif
	if (static_branch_unlikely(&perf_switch_key.key))
		perf_switch_out(prev, next);
}

/**
 * perf_event_task_sched_in() - called after a context switch, by the task that now runs
 * @prev: the task that ran before
 * @task: the running task
 *
 * Context: irqs off, rq lock held.
 */
static __always_inline void perf_event_task_sched_in(struct task_struct *prev,
						     struct task_struct *task)
{
	if (static_branch_unlikely(&perf_switch_key.key))
		perf_switch_in(prev, task);
	/* Enabled for longer than the key under which tasks are marked: task_migration.c. */
	if (static_branch_unlikely(&perf_task_migration_key) && task->sched_migrated) {
		perf_sw_event_sched(PERF_COUNT_SW_CPU_MIGRATIONS);
		task->sched_migrated = 0;
	}
}

#else /* !CONFIG_PERF_EVENTS */

static inline void *perf_aux_output_begin(struct perf_output_handle *handle,
					  struct perf_event *event) { return NULL; }
static inline void perf_aux_output_end(struct perf_output_handle *handle,
				       unsigned long size) { }
static inline int perf_aux_output_skip(struct perf_output_handle *handle,
				       unsigned long size) { return -EINVAL; }
static inline void *perf_get_aux(struct perf_output_handle *handle) { return NULL; }

static inline int perf_event_release_kernel(struct perf_event *event) { return 0; }
static inline void perf_event_enable(struct perf_event *event) { }
static inline void perf_event_disable(struct perf_event *event) { }
static inline int perf_event_read_local(struct perf_event *event, u64 *value,
					u64 *enabled, u64 *running) { return -EINVAL; }
static inline int perf_event_period(struct perf_event *event, u64 value)
{
	return -EINVAL;
}
static inline u64 perf_event_pause(struct perf_event *event, bool reset) { return 0; }
static inline int perf_event_refresh(struct perf_event *event, int refresh)
{
	return -EINVAL;
}

static inline struct file *perf_event_get(unsigned int fd)
{
	return ERR_PTR(-EINVAL);
}
static inline const struct perf_event *perf_get_event(struct file *file)
{
	return ERR_PTR(-EINVAL);
}

static inline int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	return 0;
}
static inline void perf_event_free_task(struct task_struct *task) { }
static inline void perf_event_exit_task(struct task_struct *child) { }
static inline void perf_event_delayed_put(struct task_struct *task) { }
static inline void perf_event_exec(void) { }
static inline int perf_event_task_enable(void) { return -EINVAL; }
static inline int perf_event_task_disable(void) { return -EINVAL; }

static inline void perf_event_init(void) { }
#define perf_event_init_cpu	NULL
#define perf_event_exit_cpu	NULL

static inline void perf_event_fork(struct task_struct *tsk) { }
static inline void perf_event_comm(struct task_struct *tsk, bool exec) { }
static inline void perf_event_namespaces(struct task_struct *tsk) { }
static inline void perf_event_mmap(struct vm_area_struct *vma) { }
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len,
				      bool unregister, const char *sym) { }
static inline void perf_event_bpf_event(struct bpf_prog *prog,
					enum perf_bpf_event_type type, u16 flags) { }
static inline void perf_event_text_poke(const void *addr, const void *old_bytes,
					size_t old_len, const void *new_bytes,
					size_t new_len) { }

static inline void perf_bp_event(struct perf_event *event, void *data) { }
static inline void perf_event_print_debug(void) { }

static inline int perf_swevent_get_recursion_context(void) { return -1; }
static inline void perf_swevent_put_recursion_context(int rctx) { }
static inline u64 perf_swevent_set_period(struct perf_event *event) { return 0; }
static inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs,
				 u64 addr) { }

static inline void perf_event_task_migrate(struct task_struct *task) { }
static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next) { }
static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task) { }
static inline void perf_event_task_tick(void) { }

#endif /* CONFIG_PERF_EVENTS */

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
void perf_restore_debug_store(void);
#else
static inline void perf_restore_debug_store(void) { }
#endif

/**
 * typedef perf_snapshot_branch_stack_t - copies the last branches of this CPU, for BPF
 * @entries: output
 * @cnt: maximum number of entries
 *
 * A CPU driver installs its function before BPF programs load.
 *
 * Context: any.
 * Return: number of entries that were written.
 */
typedef int (perf_snapshot_branch_stack_t)(struct perf_branch_entry *entries,
					   unsigned int cnt);
DECLARE_STATIC_CALL(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#ifndef PERF_NEEDS_LOPWR_CB
static inline void perf_lopwr_cb(bool mode) { }
#endif

#endif /* _LINUX_PERF_EVENT_H */
