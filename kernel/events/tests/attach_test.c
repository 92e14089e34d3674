// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of which event writes to which buffer: permissions, events that move to another
 * CPU, independence of buffers, and work that is pending for an event when an NMI arrives.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "../buffer/attach.h"
#include "../output/wake.h"
#include "../output/wakeup.h"
#include "../base/event.h"
#include "../overflow/overflow.h"
#include "../output/ring_buffer.h"
#include "../context/state.h"
#include "../lifetime/owner.h"
#include "test_cpu.h"
#include "test_open.h"

/* more events than one run of the buffer's irq_work wakes */
#define MANY	100

/* Make an event that is in no context, as before perf_ctx_install(). */
static struct perf_event *attach_event(struct kunit *test, int cpu)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct pmu *pmu = kunit_kzalloc(test, sizeof(*pmu), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	pmu->name = "attach_test";
	event->pmu = pmu;
	event->cpu = cpu;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->rb_entry);
	INIT_LIST_HEAD(&event->poll_entry);
	INIT_LIST_HEAD(&event->sibling_list);
	perf_event_overflow_init(event);
	return event;
}

static bool attach_writes(struct perf_event *event, struct perf_buffer *rb)
{
	return rcu_access_pointer(event->rb) == rb;
}

static bool attach_is_attached(struct perf_event *event, struct perf_buffer *rb)
{
	return rcu_access_pointer(event->output) == rb;
}

/* The number of pages must not be truncated to 32 bits. */
static void attach_too_many_pages(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, perf_rb_alloc(2 * PERF_RB_MAX_PAGES, -1));
	if (IS_ENABLED(CONFIG_64BIT))
		KUNIT_EXPECT_NULL(test, perf_rb_alloc((unsigned long)BIT_ULL(32), -1));
}

static void attach_replaces(struct kunit *test)
{
	struct perf_event *first = attach_event(test, -1), *second = attach_event(test, -1);
	struct perf_event *event = attach_event(test, -1);
	struct perf_buffer *a = test_buffer(test, first, 1), *b = test_buffer(test, second, 1);

	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, first), 0);
	KUNIT_EXPECT_TRUE(test, attach_writes(event, a) && attach_is_attached(event, a));
	KUNIT_EXPECT_EQ(test, refcount_read(&a->refcount), 3);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, second), 0);
	KUNIT_EXPECT_TRUE(test, attach_writes(event, b) && attach_is_attached(event, b));
	KUNIT_EXPECT_EQ(test, refcount_read(&a->refcount), 2);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&a->events));
	KUNIT_EXPECT_EQ(test, refcount_read(&b->refcount), 3);
	/* and back: the mutexes are taken in the other order */
	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, first), 0);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, NULL), 0);
	KUNIT_EXPECT_TRUE(test, attach_writes(event, NULL) && attach_is_attached(event, NULL));
	KUNIT_EXPECT_EQ(test, refcount_read(&a->refcount), 2);

	perf_event_end_output(first);
	perf_event_end_output(second);
	perf_rb_put(a);
	perf_rb_put(b);
}

static void *attach_setup_aux(struct perf_event *event, void **pages, int nr_pages,
			      bool overwrite)
{
	return NULL;
}

/* Two PMUs with AUX areas cannot share a buffer, even if a third event is in between. */
static void attach_one_aux_pmu(struct kunit *test)
{
	struct perf_event *first = attach_event(test, -1), *between = attach_event(test, -1);
	struct perf_event *event = attach_event(test, -1);
	struct perf_buffer *rb;

	first->pmu->setup_aux = attach_setup_aux;
	event->pmu->setup_aux = attach_setup_aux;
	rb = test_buffer(test, first, 1);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, first), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(between, first), 0);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(event, between), -EINVAL);
	perf_event_end_output(between);
	perf_event_end_output(first);
	perf_rb_put(rb);
}

struct attach_waiter {
	struct wait_queue_entry	wait;
	struct perf_event	*event;
	unsigned int		nr_woken;
	bool			is_attached;
};

static int attach_woken(struct wait_queue_entry *wait, unsigned int mode, int flags,
			void *key)
{
	struct attach_waiter *waiter = container_of(wait, struct attach_waiter, wait);

	waiter->nr_woken++;
	waiter->is_attached |= !attach_writes(waiter->event, NULL) ||
			       !attach_is_attached(waiter->event, NULL);
	return 0;
}

/* The event is detached before its pollers are woken. Otherwise they would sleep again. */
static void attach_ends_before_waking(struct kunit *test)
{
	struct attach_waiter waiter = { .event = attach_event(test, -1) };
	struct perf_buffer *rb = test_buffer(test, waiter.event, 1);

	init_waitqueue_func_entry(&waiter.wait, attach_woken);
	add_wait_queue(&waiter.event->waitq, &waiter.wait);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(waiter.event, NULL), 0);
	remove_wait_queue(&waiter.event->waitq, &waiter.wait);
	KUNIT_EXPECT_EQ(test, waiter.nr_woken, 1);
	KUNIT_EXPECT_FALSE(test, waiter.is_attached);
	perf_rb_put(rb);
}

/* Return: a CPU that events of CPU 0 can move to. It need not be online. */
static int attach_other_cpu(struct kunit *test)
{
	int cpu = cpumask_last(cpu_possible_mask);

	if (!cpu)
		kunit_skip(test, "needs two CPUs");
	return cpu;
}

/* Move an event as hotplug does, without contexts. */
static void attach_move(struct perf_event *event, int cpu)
{
	event->attach_state |= PERF_ATTACH_MOVING;
	perf_rb_move(event, cpu);
	perf_rb_moved(event, cpu);
	event->cpu = cpu;
	event->attach_state &= ~PERF_ATTACH_MOVING;
}

/*
 * An event that moves keeps writing to the buffer. Events that stay on the old CPU write no more,
 * and other events of that CPU cannot be attached any more.
 */
static void attach_moves(struct kunit *test)
{
	int from = 0, to = attach_other_cpu(test);
	struct perf_event *mapped = attach_event(test, from);
	struct perf_event *moves = attach_event(test, from);
	struct perf_event *late = attach_event(test, from);
	struct perf_event *there = attach_event(test, to);
	struct perf_event *stays = attach_event(test, from);
	struct perf_buffer *rb = test_buffer(test, mapped, 1);

	KUNIT_EXPECT_EQ(test, perf_event_set_output(moves, mapped), 0);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(stays, mapped), 0);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(there, mapped), -EINVAL);
	attach_move(moves, to);

	KUNIT_EXPECT_TRUE(test, attach_writes(moves, rb));
	KUNIT_EXPECT_TRUE(test, attach_writes(mapped, NULL));
	KUNIT_EXPECT_TRUE(test, attach_is_attached(mapped, rb));
	KUNIT_EXPECT_EQ(test, perf_event_set_output(late, mapped), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(late, moves), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(there, mapped), 0);

	/* an event that has stayed behind can be attached again once it is on the new CPU */
	KUNIT_EXPECT_EQ(test, perf_event_set_output(stays, moves), -EINVAL);
	KUNIT_EXPECT_TRUE(test, attach_writes(stays, NULL));
	stays->cpu = to;
	KUNIT_EXPECT_EQ(test, perf_event_set_output(stays, moves), 0);
	KUNIT_EXPECT_TRUE(test, attach_writes(stays, rb));

	perf_event_end_output(stays);
	perf_event_end_output(there);
	perf_event_end_output(moves);
	perf_event_end_output(mapped);
	perf_rb_put(rb);
}

/* The only event of a buffer moves: the CPU of later events is compared with its new CPU. */
static void attach_moves_alone(struct kunit *test)
{
	int from = 0, to = attach_other_cpu(test);
	struct perf_event *moves = attach_event(test, from);
	struct perf_event *late = attach_event(test, from);
	struct perf_event *there = attach_event(test, to);
	struct perf_buffer *rb = test_buffer(test, moves, 1);

	attach_move(moves, to);
	KUNIT_EXPECT_TRUE(test, attach_writes(moves, rb));
	KUNIT_EXPECT_EQ(test, perf_event_set_output(late, moves), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(there, moves), 0);
	/* no event has stayed behind: the next event that moves need not look for one */
	KUNIT_EXPECT_FALSE(test, rb->moved);
	perf_event_end_output(there);
	perf_event_end_output(moves);
	perf_rb_put(rb);
}

/*
 * The event that took the buffer along is closed. Those that stayed behind write again when an
 * event of their CPU is attached, or one of them once more.
 */
static void attach_unmutes_all(struct kunit *test)
{
	int from = 0, to = attach_other_cpu(test);
	struct perf_event *stays = attach_event(test, from);
	struct perf_event *moves = attach_event(test, from);
	struct perf_event *second = attach_event(test, from);
	struct perf_event *late = attach_event(test, from);
	struct perf_event *there = attach_event(test, to);
	struct perf_buffer *rb = test_buffer(test, stays, 1);

	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, perf_event_set_output(moves, stays), 0);
		if (i)
			KUNIT_EXPECT_EQ(test, perf_event_set_output(second, stays), 0);
		attach_move(moves, to);
		perf_event_end_output(moves);
		moves->cpu = from;
		KUNIT_EXPECT_TRUE(test, attach_writes(stays, NULL));
		KUNIT_EXPECT_EQ(test, rb->nr_writers, 0);
		if (i < 2) {
			KUNIT_EXPECT_EQ(test, perf_event_set_output(late, stays), 0);
			KUNIT_EXPECT_TRUE(test, attach_writes(late, rb));
			perf_event_end_output(late);
		} else {
			KUNIT_EXPECT_EQ(test, perf_event_set_output(second, stays), 0);
		}
		KUNIT_EXPECT_TRUE(test, attach_writes(stays, rb));
		KUNIT_EXPECT_FALSE(test, rb->moved);
		KUNIT_EXPECT_EQ(test, rb->nr_writers, i ? 2 : 1);
		KUNIT_EXPECT_EQ(test, perf_event_set_output(there, stays), -EINVAL);
	}

	perf_event_end_output(second);
	perf_event_end_output(stays);
	KUNIT_EXPECT_EQ(test, rb->nr_writers, 0);
	perf_rb_put(rb);
}

/* The same when another event that does not write takes the buffer to the CPU. */
static void attach_unmutes_where_it_moves(struct kunit *test)
{
	int from = 0, to = attach_other_cpu(test);
	struct perf_event *stays = attach_event(test, from);
	struct perf_event *moves = attach_event(test, from);
	struct perf_event *mute = attach_event(test, from);
	struct perf_buffer *rb = test_buffer(test, stays, 1);

	KUNIT_EXPECT_EQ(test, perf_event_set_output(moves, stays), 0);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(mute, stays), 0);
	attach_move(moves, to);
	perf_event_end_output(moves);
	KUNIT_EXPECT_TRUE(test, attach_writes(mute, NULL));
	mute->cpu = to;
	attach_move(mute, from);
	KUNIT_EXPECT_TRUE(test, attach_writes(mute, rb));
	KUNIT_EXPECT_TRUE(test, attach_writes(stays, rb));

	perf_event_end_output(mute);
	perf_event_end_output(stays);
	perf_rb_put(rb);
}

struct attach_holder {
	struct perf_buffer	*rb;
	struct completion	holds, may_go;
};

static int attach_hold(void *arg)
{
	struct attach_holder *holder = arg;

	scoped_guard(mutex, &holder->rb->mutex) {
		complete(&holder->holds);
		wait_for_completion(&holder->may_go);
	}
	return 0;
}

struct attach_changer {
	struct perf_event	*event, *second;
	int			err[3];
	struct completion	begins, ends;
};

static int attach_change(void *arg)
{
	struct attach_changer *changer = arg;

	complete(&changer->begins);
	changer->err[0] = perf_event_set_output(changer->event, changer->second);
	changer->err[1] = perf_event_pause_output(changer->event, true);
	changer->err[2] = perf_event_set_output(changer->event, NULL);
	perf_event_end_output(changer->second);
	complete(&changer->ends);
	return 0;
}

static struct task_struct *attach_thread(struct kunit *test, int (*fn)(void *arg), void *arg,
					 struct completion *begins)
{
	struct task_struct *task = kthread_run(fn, arg, "perf_attach_test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wait_for_completion(begins);
	return task;
}

/* Return: true if @ends completes; false if the thread waits for a lock before that. */
static bool attach_gets_done(struct task_struct *task, struct completion *ends)
{
	while (!completion_done(ends)) {
		if (wait_task_inactive(task, TASK_UNINTERRUPTIBLE) &&
		    !completion_done(ends))
			return false;
		cond_resched();
	}
	return true;
}

/* Operations on one buffer do not wait for the mutex of another buffer. */
static void attach_unrelated(struct kunit *test)
{
	struct perf_event *first = attach_event(test, -1);
	struct perf_buffer *a = test_buffer(test, first, 1), *b;
	struct attach_holder holder = { .rb = a };
	struct attach_changer changer = {
		.event	= attach_event(test, -1),
		.second	= attach_event(test, -1),
	};
	struct task_struct *holds, *changes;

	b = test_buffer(test, changer.second, 1);
	init_completion(&holder.holds);
	init_completion(&holder.may_go);
	init_completion(&changer.begins);
	init_completion(&changer.ends);
	holds = attach_thread(test, attach_hold, &holder, &holder.holds);
	changes = attach_thread(test, attach_change, &changer, &changer.begins);

	KUNIT_EXPECT_TRUE(test, attach_gets_done(changes, &changer.ends));
	complete(&holder.may_go);
	kthread_stop_put(changes);
	kthread_stop_put(holds);
	for (int i = 0; i < ARRAY_SIZE(changer.err); i++)
		KUNIT_EXPECT_EQ(test, changer.err[i], 0);
	perf_event_end_output(first);
	perf_rb_put(a);
	perf_rb_put(b);
}

/* All polled events are woken, whatever their number, once for each poll(). */
static void attach_wakes_polled(struct kunit *test)
{
	struct perf_event *first = attach_event(test, -1);
	struct perf_buffer *rb = test_buffer(test, first, 1);
	struct perf_event *event[MANY];

	for (int i = 0; i < MANY; i++) {
		event[i] = attach_event(test, -1);
		KUNIT_EXPECT_EQ(test, perf_event_set_output(event[i], first), 0);
		KUNIT_EXPECT_EQ(test, (int)perf_event_poll_output(event[i]), 0);
		KUNIT_EXPECT_FALSE(test, list_empty(&event[i]->poll_entry));
	}
	scoped_guard(preempt)
		perf_rb_wake(rb, first);
	while (perf_wake_is_busy(&rb->wake_polled))
		perf_wake_sync(&rb->wake_polled);
	for (int i = 0; i < MANY; i++) {
		KUNIT_EXPECT_TRUE(test, list_empty(&event[i]->poll_entry));
		KUNIT_EXPECT_EQ(test, !!perf_event_poll_output(event[i]), !i);
		perf_event_end_output(event[i]);
	}
	perf_event_end_output(first);
	perf_rb_put(rb);
}

static void attach_handler(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
}

/*
 * Open a sampling event that overflows only by pending_overflow(): of @task, or of this CPU if that
 * is NULL.
 */
static struct perf_event *pending_event_of(struct kunit *test, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_DUMMY,
		.size		= sizeof(attr),
		.sample_period	= 1,
		.enable_on_exec	= !!task,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, task ? -1 : raw_smp_processor_id(), task,
						 attach_handler, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static struct perf_event *pending_event(struct kunit *test)
{
	return pending_event_of(test, NULL);
}

static void pending_overflow(struct perf_event *event)
{
	struct perf_sample_data data;
	struct pt_regs regs = {};

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, 1);
	perf_event_overflow(event, &data, &regs);
}

/* A second overflow before the signal is sent does not replace POLL_HUP by POLL_IN. */
static void pending_hup_stays(struct kunit *test)
{
	static struct fasync_struct listener;
	struct perf_event *event;

	test_bind_here(test);
	event = pending_event(test);
	atomic_set(&event->event_limit, 1);
	scoped_guard(irq) {
		pending_overflow(event);
		KUNIT_EXPECT_EQ(test, atomic_read(&event->pending_signals), PERF_SIGNAL_HUP);
		/* only its presence is checked */
		event->fasync = &listener;
		pending_overflow(event);
		event->fasync = NULL;
		KUNIT_EXPECT_TRUE(test, atomic_read(&event->pending_signals) &
					PERF_SIGNAL_HUP);
		KUNIT_EXPECT_TRUE(test, irq_work_is_pending(&event->pending_wake.irq));
	}
	perf_wake_sync(&event->pending_wake);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, atomic_read(&event->pending_signals), 0);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_OFF);
	perf_event_release_kernel(event);
}

/* An event whose limit was reached is enabled again before it is disabled: it stays enabled. */
static void pending_disable_then_enable(struct kunit *test)
{
	struct perf_event *event;

	test_bind_here(test);
	event = pending_event(test);
	atomic_set(&event->event_limit, 1);
	scoped_guard(irq) {
		pending_overflow(event);
		KUNIT_EXPECT_TRUE(test, event->pending_disable);
		/* as PERF_EVENT_IOC_REFRESH on another CPU that arrives first, by IPI */
		atomic_add(1, &event->event_limit);
		perf_event_enable_one(event);
	}
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_FALSE(test, event->pending_disable);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	perf_event_release_kernel(event);
}

/*
 * The irq_work comes when the event has been enabled. Until then its CPU has interrupts off, or it
 * is on the way to the CPU where the event's task runs.
 */
static void pending_disable_comes_late(struct kunit *test, struct perf_event *event,
				       void (*enable)(void))
{
	event->pending_disable = 1;
	enable();
	irq_work_queue(&event->pending_disable_irq);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_FALSE(test, event->pending_disable);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	perf_event_release_kernel(event);
}

static void pending_prctl(void)
{
	perf_event_task_enable();
}

/* The same if it is enabled by prctl(2). */
static void pending_disable_then_prctl(struct kunit *test)
{
	struct perf_event *event;

	test_bind_here(test);
	event = pending_event(test);
	perf_owner_add(event);
	pending_disable_comes_late(test, event, pending_prctl);
}

/* The same if it is enabled by exec(2). */
static void pending_disable_then_exec(struct kunit *test)
{
	test_bind_here(test);
	pending_disable_comes_late(test, pending_event_of(test, current), perf_event_exec);
}

/* A new period does not start an event after its last overflow. */
static void pending_disable_then_period(struct kunit *test)
{
	struct perf_event *event;

	test_bind_here(test);
	event = pending_event(test);
	event->pending_disable = 1;
	event->pmu->stop(event, PERF_EF_UPDATE);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 2), 0);
	KUNIT_EXPECT_EQ(test, event->hw.sample_period, 2);
	KUNIT_EXPECT_TRUE(test, event->hw.state & PERF_HES_STOPPED);
	irq_work_queue(&event->pending_disable_irq);
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 3), 0);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_FALSE(test, event->hw.state & PERF_HES_STOPPED);
	perf_event_release_kernel(event);
}

/*
 * Rounds that a CPU waits for an event to be freed, which must not happen, and for an event to
 * leave its context. The thread that closes the event may be off its CPU meanwhile.
 */
#define PENDING_SPINS	200000
#define LEAVING_SPINS	100000000

/**
 * struct pending_afar - an event that leaves while another CPU is about to do work for it
 * @event: the event
 * @wakes: the work wakes its readers; else it disables the event
 * @destroy: perf_event::destroy before the test, or NULL
 * @queued: the other CPU has queued the work, and has interrupts off
 * @left: the event left its context while the other CPU waited for that
 * @freed: the event is being freed
 * @busy: the work was not done then
 * @state: state of the event then
 */
struct pending_afar {
	struct perf_event	*event;
	bool			wakes;
	void			(*destroy)(struct perf_event *event);
	bool			queued;
	bool			left;
	bool			freed;
	bool			busy;
	int			state;
};

static void pending_destroy(struct perf_event *event)
{
	struct pending_afar *afar = event->overflow_handler_context;

	afar->busy = irq_work_is_busy(&event->pending_disable_irq) ||
		     perf_wake_is_busy(&event->pending_wake);
	afar->state = event->state;
	WRITE_ONCE(afar->freed, true);
	if (afar->destroy)
		afar->destroy(event);
}

/* As the last overflow of an event; its task has left this CPU since. Interrupts are off. */
static void pending_queue(void *arg)
{
	struct pending_afar *afar = arg;
	struct perf_event *event = afar->event;

	if (afar->wakes)
		perf_wake_queue(&event->pending_wake, event);
	else
		perf_event_disable_inatomic(event);
	WRITE_ONCE(afar->queued, true);
	for (unsigned int i = 0; i < LEAVING_SPINS && !afar->left; i++) {
		afar->left = !(READ_ONCE(event->attach_state) & PERF_ATTACH_CONTEXT);
		cpu_relax();
	}
	for (unsigned int i = 0; i < PENDING_SPINS && !READ_ONCE(afar->freed); i++)
		cpu_relax();
}

static void pending_nothing(void *unused)
{
}

static void pending_leaves(struct kunit *test, int cpu, bool wakes)
{
	struct pending_afar *afar = kunit_kzalloc(test, sizeof(*afar), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, afar);
	afar->event = pending_event(test);
	afar->wakes = wakes;
	afar->event->overflow_handler_context = afar;
	afar->destroy = afar->event->destroy;
	afar->event->destroy = pending_destroy;
	KUNIT_ASSERT_EQ(test, smp_call_function_single(cpu, pending_queue, afar, 0), 0);
	while (!READ_ONCE(afar->queued))
		cpu_relax();
	perf_event_release_kernel(afar->event);
	/* the other CPU does not access this any more */
	smp_call_function_single(cpu, pending_nothing, NULL, 1);
	if (!afar->left)
		kunit_skip(test, "the CPU that closes the event was busy");
	KUNIT_EXPECT_TRUE(test, afar->freed);
	KUNIT_EXPECT_FALSE_MSG(test, afar->busy, "wakes %d", wakes);
	KUNIT_EXPECT_EQ(test, afar->state, PERF_EVENT_STATE_DEAD);
}

/*
 * An event is closed while another CPU is about to disable it, or to wake its readers. That work is
 * done before the event is freed, and does not change its state any more.
 */
static void pending_while_it_leaves(struct kunit *test)
{
	int cpu;

	test_bind_here(test);
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	pending_leaves(test, cpu, false);
	pending_leaves(test, cpu, true);
}

static struct kunit_case attach_cases[] = {
	KUNIT_CASE(attach_too_many_pages),
	KUNIT_CASE(attach_replaces),
	KUNIT_CASE(attach_ends_before_waking),
	KUNIT_CASE(attach_one_aux_pmu),
	KUNIT_CASE(attach_moves),
	KUNIT_CASE(attach_moves_alone),
	KUNIT_CASE(attach_unmutes_all),
	KUNIT_CASE(attach_unmutes_where_it_moves),
	KUNIT_CASE(attach_unrelated),
	KUNIT_CASE(attach_wakes_polled),
	KUNIT_CASE(pending_hup_stays),
	KUNIT_CASE(pending_disable_then_enable),
	KUNIT_CASE(pending_disable_then_prctl),
	KUNIT_CASE(pending_disable_then_exec),
	KUNIT_CASE(pending_disable_then_period),
	KUNIT_CASE(pending_while_it_leaves),
	{}
};

static struct kunit_suite attach_suite = {
	.name		= "perf_attach",
	.test_cases	= attach_cases,
};

kunit_test_suite(attach_suite);
