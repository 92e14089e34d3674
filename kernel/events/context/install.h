/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events enter and leave contexts.
 */
#ifndef _KERNEL_EVENTS_INSTALL_H
#define _KERNEL_EVENTS_INSTALL_H

#include "../base/contexts.h"

int perf_ctx_install(struct perf_event_context *ctx, struct perf_event *event);
int perf_ctx_prepare_child(struct perf_event_context *ctx, struct perf_event *child,
			   struct perf_event *original);
void perf_ctx_enter(struct perf_event_context *ctx, struct perf_event **events,
		    unsigned int nr);
void perf_ctx_leave(struct perf_event_context *ctx, struct perf_event *event);
void perf_ctx_remove(struct perf_event *event, enum perf_event_state state,
		     bool keep_group);

#endif /* _KERNEL_EVENTS_INSTALL_H */
