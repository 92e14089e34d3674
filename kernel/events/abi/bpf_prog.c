// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching a BPF program to an event: PERF_EVENT_IOC_SET_BPF, and bpf(2) for a link.
 *
 * software/bpf_attach.c checks which programs fit, and has the lifetime of the program. From the
 * return of the call on, the program decides on each sample of the event. It does not decide on
 * those that were recorded before: a driver that has some reports them first.
 *
 * Context: task.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/trace_events.h>

#include "../context/state.h"
#include "../software/bpf_attach.h"
#include "bpf_prog.h"

/**
 * perf_event_set_bpf_prog() - attach a program to an event
 * @event: from perf_event_open(2)
 * @prog: the program; on success the event takes over the caller's reference
 * @bpf_cookie: for bpf_get_attach_cookie()
 *
 * Context: task, may sleep. Caller must not hold the mutex of a context.
 * Return: 0; -EINVAL for the wrong kind of program, -EEXIST, -EPROTO, -EACCES,
 * -E2BIG, -ENOMEM.
 */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
			    u64 bpf_cookie)
{
	int err;

	/* what was recorded so far is decided without the program */
	perf_event_flush_samples(event);
	err = perf_bpf_set(event, prog, bpf_cookie);
	if (!err)
		perf_event_flush_samples(event);
	return err;
}

/**
 * perf_event_bpf_attach_fd() - attach a program given by file descriptor
 * @event: from perf_event_open(2)
 * @prog_fd: file descriptor of the program
 *
 * Context: task, may sleep.
 * Return: as perf_event_set_bpf_prog(); -EBADF or -EINVAL for a bad @prog_fd.
 */
int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd)
{
	struct bpf_prog *prog = bpf_prog_get(prog_fd);
	int err;

	if (IS_ERR(prog))
		return perf_refuse(PTR_ERR(prog), "bpf", "fd %d is not a program's",
				   (int)prog_fd);

	err = perf_event_set_bpf_prog(event, prog, 0);
	if (err)
		bpf_prog_put(prog);
	return err;
}
