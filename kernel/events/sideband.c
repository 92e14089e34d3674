// SPDX-License-Identifier: GPL-2.0
/*
 * Side band: what happened beside the events, for those who record it.
 *
 * The rest of the kernel reports here that tasks were born or renamed, that
 * memory was mapped and kernel text changed. Such reports become records in the
 * buffers of events that asked for them (attr.comm, mmap, ksymbol, ...). There
 * are no buffers yet, mmap(2) of an event is refused, so nobody can listen and
 * nothing is done.
 *
 * Does not own what exec means for events: that is inherit.c.
 */
#include <linux/perf_event.h>

/**
 * perf_event_fork - a task was born
 * @tsk: it; visible, not yet woken
 *
 * Context: task, no lock held.
 */
void perf_event_fork(struct task_struct *tsk)
{
}

/**
 * perf_event_comm - a task got a new name
 * @tsk: it, not always current
 * @exec: because of an exec
 *
 * Context: task, perhaps under RCU: must not sleep.
 */
void perf_event_comm(struct task_struct *tsk, bool exec)
{
}

/**
 * perf_event_namespaces - a task is in other namespaces now
 * @tsk: current
 *
 * Context: task, no lock held.
 */
void perf_event_namespaces(struct task_struct *tsk)
{
}

/**
 * perf_event_mmap - current mapped something, or changed a mapping
 * @vma: the mapping
 *
 * Context: task, mmap_lock held for write, perhaps an anon_vma lock as well. May
 * allocate, must not take mmap_lock.
 */
void perf_event_mmap(struct vm_area_struct *vma)
{
}

/**
 * perf_event_ksymbol - a piece of kernel text appeared or goes away
 * @ksym_type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: first address
 * @len: bytes
 * @unregister: it goes
 * @sym: name, the caller's
 *
 * Context: task, to be treated as atomic: callers hold ftrace_lock and others.
 */
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym)
{
}

/**
 * perf_event_bpf_event - a BPF program was loaded or goes away
 * @prog: it, still with its id
 * @type: PERF_BPF_EVENT_PROG_LOAD or _UNLOAD
 * @flags: 0
 *
 * Context: task or worker.
 */
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags)
{
}

/**
 * perf_event_text_poke - kernel text is being changed
 * @addr: where
 * @old_bytes: what was there, or NULL
 * @old_len: bytes at @old_bytes
 * @new_bytes: what will be there, or NULL
 * @new_len: bytes at @new_bytes
 *
 * Context: text_mutex held, to be treated as atomic; must not change text itself,
 * so not flip a static key either.
 */
void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			  const void *new_bytes, size_t new_len)
{
}
