/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the writer's files use of the kernel, for a program of user space.
 *
 * Each header of the kernel that these files include is this one. Operations on local_t are one
 * instruction each and have no lock prefix, as on x86. The structures that only the subsystem
 * defines come from its own headers.
 */
#ifndef RING_STUB_KERNEL_H
#define RING_STUB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8, __u8;
typedef unsigned short u16, __u16;
typedef unsigned int u32, __u32;
typedef unsigned long long u64, __u64;
typedef signed char s8, __s8;
typedef short s16, __s16;
typedef int s32, __s32;
typedef long long s64, __s64;

#include "uapi/linux/perf_event.h"

/* The compiler */
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((noinline))
#define __user
#define __rcu
#define __init
#define __packed		__attribute__((packed))
#define __uninitialized
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		asm volatile("" : : : "memory")
#define static_assert(x)	_Static_assert(x, #x)
#define typeof_member(t, m)	typeof(((t *)0)->m)
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1UL << (n))
#define BITS_PER_LONG		64
#define ULONG_MAX		(~0UL)
#define LONG_MAX		((long)(ULONG_MAX >> 1))
#define U16_MAX			0xffff
#define INT_MAX			0x7fffffff
#define IS_ENABLED(option)	0
#define EXPORT_SYMBOL_GPL(name)	_Static_assert(1, #name)
#define DEFINE_STATIC_KEY_FALSE(name)
#define DECLARE_STATIC_KEY_FALSE(name)

#define __half_max(t)		((t)1 << (sizeof(t) * 8 - 2))
#define type_max(t)		((t)-1 > 0 ? (t)-1 : (t)(__half_max(t) - 1 + __half_max(t)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define max_t(t, a, b)		max((t)(a), (t)(b))
#define round_down(x, to)	((x) & ~((typeof(x))(to) - 1))
#define round_up(x, to)		round_down((x) + (to) - 1, to)
#define __const_hweight64(x)	((unsigned int)__builtin_popcountll(x))

/* An inlined copy if the size is constant, else a call; checks/ring renames the callee. */
#define memcpy(to, from, n)	__builtin_memcpy(to, from, n)
#define memset(at, byte, n)	__builtin_memset(at, byte, n)
#define strlen(s)		__builtin_strlen(s)

/* Memory accesses */
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define smp_wmb()		barrier()
#define smp_rmb()		barrier()
#define smp_mb()		asm volatile("lock addl $0,-4(%%rsp)" : : : "memory", "cc")
#define smp_load_acquire(p)					\
({								\
	typeof(*(p)) loaded = READ_ONCE(*(p));			\
	barrier();						\
	loaded;							\
})
#define smp_store_release(p, v)	do { barrier(); WRITE_ONCE(*(p), v); } while (0)
#define rcu_dereference(p)	READ_ONCE(p)
#define rcu_dereference_sched(p) READ_ONCE(p)
#define rcu_access_pointer(p)	READ_ONCE(p)
#define xchg(p, v)							\
({									\
	typeof(*(p)) exchanged = (v);					\
	asm volatile("xchg %0, %1" : "+r" (exchanged), "+m" (*(p))	\
		     : : "memory");					\
	exchanged;							\
})

#define __try_cmpxchg(lock, p, old, new)				\
({									\
	bool done;							\
	asm volatile(lock "cmpxchg %[n], %[m]"				\
		     : "=@ccz" (done), [m] "+m" (*(p)), "+a" (*(old))	\
		     : [n] "r" (new) : "memory");			\
	done;								\
})
#define try_cmpxchg(p, old, new) __try_cmpxchg("lock ", p, old, (typeof(*(p)))(new))

typedef struct { long v; } local_t;

#define local_read(l)		READ_ONCE((l)->v)
#define local_set(l, x)		WRITE_ONCE((l)->v, x)
#define local_xchg(l, x)	xchg(&(l)->v, (long)(x))
#define local_inc(l)		local_add(1, l)
#define local_sub(x, l)		local_add(-(long)(x), l)
#define local_try_cmpxchg(l, old, new)	__try_cmpxchg("", &(l)->v, old, (long)(new))

static __always_inline void local_add(long x, local_t *l)
{
	asm volatile("addq %1, %0" : "+m" (l->v) : "er" (x) : "memory", "cc");
}

static __always_inline long local_add_return(long x, local_t *l)
{
	long before = x;

	asm volatile("xaddq %0, %1" : "+r" (before), "+m" (l->v) : : "memory", "cc");
	return before + x;
}

#define local_inc_return(l)	local_add_return(1, l)

static __always_inline long local_cmpxchg(local_t *l, long old, long new)
{
	local_try_cmpxchg(l, &old, new);
	return old;
}

typedef struct { int v; } atomic_t;
typedef struct { long v; } atomic64_t, atomic_long_t;
typedef struct { int v; } refcount_t;

#define atomic_read(a)		READ_ONCE((a)->v)
#define atomic_set(a, x)	WRITE_ONCE((a)->v, x)
#define atomic_set_release(a, x) smp_store_release(&(a)->v, x)
#define atomic_xchg(a, x)	xchg(&(a)->v, (int)(x))
#define atomic64_read(a)	READ_ONCE((a)->v)

static __always_inline void atomic_or(int x, atomic_t *a)
{
	asm volatile("lock orl %1, %0" : "+m" (a->v) : "er" (x) : "memory", "cc");
}

static __always_inline void atomic64_add(long x, atomic64_t *a)
{
	asm volatile("lock addq %1, %0" : "+m" (a->v) : "er" (x) : "memory", "cc");
}

#define atomic64_inc(a)		atomic64_add(1, a)

static __always_inline bool refcount_inc_not_zero(refcount_t *r)
{
	int old = READ_ONCE(r->v);

	do {
		if (!old)
			return false;
	} while (!try_cmpxchg(&r->v, &old, old + 1));
	return true;
}

/* Locks: writers take none; the preemption count is checked. */
extern int ring_preempt;

static __always_inline void preempt_disable_notrace(void)
{
	WRITE_ONCE(ring_preempt, ring_preempt + 1);
	barrier();
}

static __always_inline void preempt_enable_notrace(void)
{
	barrier();
	WRITE_ONCE(ring_preempt, ring_preempt - 1);
}

static __always_inline void ring_preempt_end(const int *unused)
{
	preempt_enable_notrace();
}

#define guard(name)		guard_##name
#define guard_preempt_notrace()						\
	__attribute__((cleanup(ring_preempt_end), unused)) int off = 0;	\
	preempt_disable_notrace()
#define guard_rcu()		barrier()
#define guard_perf_own_work()	barrier()
#define scoped_guard(name, lock) for (int once = 1; once; once = 0)

typedef struct { int v; } spinlock_t;
struct mutex { int v; };
struct rcu_head { int v; };
struct work_struct { int v; };
struct irq_work { int v; };
struct llist_node { int v; };
typedef struct { int v; } wait_queue_head_t;
struct module;
struct fasync_struct;
struct vm_area_struct;
struct perf_sample_data;
struct page;

struct list_head { struct list_head *next, *prev; };

#define list_first_entry(list, t, m)		container_of((list)->next, t, m)
#define list_empty(list)			((list)->next == (list))
#define list_del_init(entry)			barrier()
#define list_splice_tail_init(list, to)		barrier()
#define irq_work_queue(work)			barrier()
#define wake_up_all(queue)			((void)(queue))
#define kill_fasync(fasync, signal, band)	((void)(fasync))
#define EPOLLIN		0x1
#define EPOLLRDNORM	0x40

#define PAGE_SHIFT	12
#define PAGE_SIZE	4096UL
#define offset_in_page(p) ((unsigned long)(p) & (PAGE_SIZE - 1))
#define SZ_1G		0x40000000
#define CIRC_SPACE(head, tail, size)	(((tail) - ((head) + 1)) & ((size) - 1))
#define copy_from_user_nofault(to, from, n) (memcpy(to, (const void *)(from), n), 0L)

#define ENOENT	2
#define E2BIG	7
#define ENOSPC	28

void ring_warn(const char *what);

#define WARN_ON_ONCE(x)						\
({								\
	bool warns = (x);					\
	if (unlikely(warns))					\
		ring_warn(#x);					\
	warns;							\
})
#define pr_warn_once(...)	barrier()

/* The running task, its ids, the CPU */
struct pid_namespace { int v; };
struct task_struct { int pid, tgid; };
enum pid_type { PIDTYPE_PID, PIDTYPE_TGID };

extern struct pid_namespace init_pid_ns;
extern struct task_struct ring_task;

#define RING_CPU	3
#define RING_TIME	0x7000000000000007ULL

#define current				(&ring_task)
#define pid_alive(task)			true
#define __task_pid_nr_ns(task, type, ns) ((void)(ns), (u32)(task)->pid)
#define local_clock()			RING_TIME
#define raw_smp_processor_id()		RING_CPU
#define smp_processor_id()		RING_CPU

/* Events: the members that these files use. checks/ring takes both headers from the tree. */
struct perf_buffer;
struct perf_event;
typedef unsigned long (*perf_copy_f)(void *dst, const void *src, unsigned long off,
				     unsigned long len);

#include "perf_wake.h"
#include "perf_output_handle.h"

struct perf_sample_layout {
	u8	id_size;
};

struct pmu {
	const char	*name;
	void		*setup_aux;
};

#define PERF_ATTACH_ITRACE		0x0010
#define PERF_EVENT_STATE_ACTIVE		1

struct perf_event {
	struct perf_event		*parent;
	struct perf_event		*group_leader;
	struct perf_buffer		*rb;
	struct pmu			*pmu;
	struct pid_namespace		*ns;
	u64				(*clock)(void);
	u64				id;
	int				state;
	int				oncpu;
	unsigned int			attach_state;
	struct { int aux_paused; }	hw;
	atomic64_t			lost_samples;
	struct perf_sample_layout	sample_layout;
	struct perf_event_attr		attr;
	atomic_t			pending_signals;
	struct perf_wake		pending_wake;
	struct fasync_struct		*fasync;
	wait_queue_head_t		waitq;
	struct list_head		poll_entry;
};

static inline struct perf_event *perf_event_root(struct perf_event *event)
{
	return event->parent ?: event;
}

int perf_output_begin(struct perf_output_handle *handle, struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size);
void perf_output_end(struct perf_output_handle *handle);
void *perf_aux_output_begin(struct perf_output_handle *handle, struct perf_event *event);
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
void *perf_get_aux(struct perf_output_handle *handle);
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to);
void perf_event_itrace_started(struct perf_event *event);
void perf_event_disable_inatomic(struct perf_event *event);

/* wake.h, sideband.h */
void perf_wake_queue(struct perf_wake *wake, struct perf_event *event);
void perf_wake_account(void);
void perf_sideband_aux(struct perf_event *event, u64 offset, u64 size, u64 flags);

#endif /* RING_STUB_KERNEL_H */
