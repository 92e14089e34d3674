/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM perf

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE perf_event

#if !defined(_TRACE_PERF_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PERF_EVENT_H

#include <linux/tracepoint.h>

/*
 * A request was refused, in the context of the task that made it. @err is the errno,
 * @field the attribute or argument that caused the refusal, @reason a text.
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
 * The sample rate limit of this CPU has changed, because the length of its PMU interrupts
 * has changed. @rate is the new limit in samples per second, @max the limit that the
 * administrator has set. @usual is the mean length of the interrupts without the longest
 * ones, in ns. At the previous limit, perf_cpu_time_max_percent allows @budget ns per
 * interrupt.
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
