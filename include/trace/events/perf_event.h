/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM perf

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE perf_event

#if !defined(_TRACE_PERF_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PERF_EVENT_H

#include <linux/tracepoint.h>

/*
 * A request was turned down, in the context of the task that made it: @err is
 * what the caller sees, @field the attribute that was wrong, @reason a sentence
 * for people.
 */
TRACE_EVENT(perf_event_refused,

	TP_PROTO(int err, const char *field, const char *reason),

	TP_ARGS(err, field, reason),

	TP_STRUCT__entry(
		__field(int, err)
		__string(field, field)
		__string(reason, reason)
	),

	TP_fast_assign(
		__entry->err = err;
		__assign_str(field);
		__assign_str(reason);
	),

	TP_printk("err=%d field=%s reason=%s", __entry->err,
		  __get_str(field), __get_str(reason))
);

/*
 * The limit of this CPU on samples has changed, because its PMU interrupts take longer
 * or shorter than they did: an event may take @rate samples per second from now on, of
 * the @max that the administrator allows. Most interrupts took up to @usual ns; at the
 * rate until now, @budget ns were what perf_cpu_time_max_percent allows.
 */
TRACE_EVENT(perf_event_rate_limit,

	TP_PROTO(int rate, int max, u64 usual, u64 budget),

	TP_ARGS(rate, max, usual, budget),

	TP_STRUCT__entry(
		__field(int, rate)
		__field(int, max)
		__field(u64, usual)
		__field(u64, budget)
	),

	TP_fast_assign(
		__entry->rate = rate;
		__entry->max = max;
		__entry->usual = usual;
		__entry->budget = budget;
	),

	TP_printk("rate=%d max=%d usual=%llu budget=%llu", __entry->rate,
		  __entry->max, __entry->usual, __entry->budget)
);

#endif /* _TRACE_PERF_EVENT_H */

#include <trace/define_trace.h>
