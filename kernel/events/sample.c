// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: the record that an overflow writes.
 *
 * Will own what a sample consists of. There is no buffer yet to which it could
 * go: mmap(2) of an event is refused, and an overflow counts, wakes and signals
 * without leaving a record.
 *
 * Entry points: the two overflow handlers of events that user space opened, by
 * address also a mark (is_default_overflow_handler()), and perf_event_output()
 * for BPF. Any context, NMI included.
 */
#include <linux/errno.h>
#include <linux/perf_event.h>

/**
 * perf_event_output_forward - overflow handler of an event with a forward buffer
 * @event: overflowed
 * @data: what is known already
 * @regs: what was interrupted
 *
 * Context: irqs off or NMI.
 */
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs)
{
}

/**
 * perf_event_output_backward - same with attr.write_backward
 * @event: overflowed
 * @data: what is known already
 * @regs: what was interrupted
 *
 * Context: irqs off or NMI.
 */
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs)
{
}

/**
 * perf_event_output - write a sample on behalf of a BPF program
 * @event: a PERF_COUNT_SW_BPF_OUTPUT event that is on this CPU
 * @data: with the raw record attached
 * @regs: what the program was given
 *
 * Context: any, preemption off.
 * Return: 0, or -ENOSPC if there is no buffer or no room in it.
 */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	return -ENOSPC;
}
