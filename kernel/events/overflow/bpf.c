// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF program of an event runs when a period ends, and decides whether there will be a
 * sample.
 *
 * perf_event::prog is that of the event which user space knows. Inherited ones look at their
 * parent's, and never have one themselves. How it is attached: software/bpf_attach.c.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/filter.h>
#include <linux/perf_event.h>

#include "../base/event.h"
#include "bpf.h"

/*
 * What a program may look at, beyond what the interrupt put in. Neither helpers
 * nor inlined loads ask whether a field is there, or they ask sample_flags.
 */
static void perf_bpf_prepare(struct perf_event *event, const struct bpf_prog *prog,
			     struct perf_sample_data *data, struct pt_regs *regs)
{
	if (!(data->sample_flags & PERF_SAMPLE_ADDR))
		data->addr = 0;

	if (data->sample_flags & PERF_SAMPLE_CALLCHAIN)
		return;
	/* Helpers test for NULL. A program that this one calls by a tail call is not checked. */
	data->callchain = NULL;
	if (prog->call_get_stack && (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		perf_sample_save_callchain(data, event, regs);
}

static bool perf_bpf_run(struct perf_event *event, struct bpf_prog *prog,
			 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct bpf_perf_event_data_kern ctx = {
		.regs = perf_arch_bpf_user_pt_regs(regs),
		.data = data,
		.event = event,
	};
	bool wanted = false;

	if (__this_cpu_inc_return(bpf_prog_active) == 1) {
		perf_bpf_prepare(event, prog, data, regs);
		wanted = bpf_prog_run(prog, &ctx);
	} else {
		bpf_prog_inc_misses_counter(prog);
	}
	__this_cpu_dec(bpf_prog_active);

	return wanted;
}

/**
 * perf_event_bpf_run() - ask an event's program whether to take a sample
 * @event: overflowed; through perf_event_bpf_passes()
 * @data: begun with perf_sample_data_init(); may get more fields
 * @regs: what was interrupted
 *
 * A program that cannot run now, because this interrupted another or a map being
 * changed, lets no sample pass: what it would have kept back stays back.
 *
 * Context: irqs off or preemption off, NMI included.
 * Return: true if there is no program, or it returned non-zero.
 */
bool perf_event_bpf_run(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct perf_event *root = perf_event_root(event);
	struct bpf_prog *prog;

	guard(rcu)();
	prog = smp_load_acquire(&root->prog);	/* pairs with perf_bpf_attach() */
	/* that of a tracing event has run already */
	if (!prog || prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return true;

	/* bpf_get_attach_cookie() looks at the event that it is given */
	event->bpf_cookie = root->bpf_cookie;
	return perf_bpf_run(event, prog, data, regs);
}
