// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF program of an event runs on each overflow, and decides whether a sample is taken.
 *
 * perf_event::prog is set on the event that user space opened. Child events use the program of
 * their parent, and never have one of their own. Attaching: software/bpf_attach.c.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/filter.h>
#include <linux/perf_event.h>

#include "../base/event.h"
#include "../sample/sample_fields.h"
#include "bpf.h"

/*
 * The program took another chain into the same buffer. The sample takes its own anew. One that the
 * source has given cannot be taken again: the sample has an empty one.
 */
static void perf_bpf_renew_chain(struct perf_sample_data *data, u64 given)
{
	if (given & PERF_SAMPLE_CALLCHAIN)
		data->callchain = &perf_callchain_none;
	else
		data->sample_flags &= ~PERF_SAMPLE_CALLCHAIN;
}

/**
 * perf_event_bpf_run() - run an event's program to decide whether to take a sample
 * @event: overflowed; perf_event_has_program() was true
 * @data: begun with perf_sample_data_init(); gets the fields that the program may read
 * @regs: registers of the interrupted context
 *
 * A program cannot run when the overflow interrupted another program or the change of a map.
 * No sample is taken then, because the program might have rejected it.
 *
 * Context: irqs off or preemption off, NMI included.
 * Return: true if there is no program, or the program returned non-zero.
 */
bool perf_event_bpf_run(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern ctx = {
		.regs = perf_arch_bpf_user_pt_regs(regs),
		.data = data,
		.event = event,
	};
	struct perf_event *root = perf_event_root(event);
	struct bpf_prog *prog;
	u64 given = data->sample_flags;
	bool wanted = false;
	unsigned int chains;

	guard(rcu)();
	prog = smp_load_acquire(&root->prog);	/* pairs with perf_bpf_attach() */
	/* the program of a tracing event has run already */
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return true;

	/* bpf_get_attach_cookie() reads the cookie of the event in the program's context */
	event->bpf_cookie = root->bpf_cookie;
	if (__this_cpu_inc_return(bpf_prog_active) == 1) {
		perf_sample_fill(event, data, regs);
		chains = perf_callchain_nr_taken();
		wanted = bpf_prog_run(prog, &ctx);
		if (chains != perf_callchain_nr_taken())
			perf_bpf_renew_chain(data, given);
	} else {
		bpf_prog_inc_misses_counter(prog);
	}
	__this_cpu_dec(bpf_prog_active);
	return wanted;
}
