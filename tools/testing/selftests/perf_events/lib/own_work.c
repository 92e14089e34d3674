// SPDX-License-Identifier: GPL-2.0
#include "own_work.h"
#include "perf_test.h"
#include "pmu.h"
#include "tracing.h"

/**
 * own_work_tracepoint() - Fill in the attributes of a tracepoint
 * @attr: Gets the type and what goes with it.
 * @name: SYSTEM/NAME, or NULL if there is none.
 *
 * Return: 0, or -ENODEV if the kernel has no such tracepoint.
 */
int own_work_tracepoint(struct perf_event_attr *attr, const char *name)
{
	long id = name ? tracepoint_id(name) : -ENODEV;

	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = id;
	return id < 0 ? -ENODEV : 0;
}

/**
 * own_work_kprobe() - Fill in the attributes of a probe at the begin of a function
 * @attr: Gets the type and what goes with it.
 * @symbol: The function.
 *
 * Return: 0, or -ENODEV if the kernel has no such function, or no probes.
 */
int own_work_kprobe(struct perf_event_attr *attr, const char *symbol)
{
	long type = pmu_type("kprobe");

	attr->type = type;
	attr->kprobe_func = (unsigned long)symbol;
	return type < 0 || !kernel_symbol(symbol) ? -ENODEV : 0;
}

/**
 * own_work_async() - Send SIGIO to the caller's process group for each sample of an event
 * @fd: The event.
 *
 * Return: 0, or a negative errno.
 */
int own_work_async(int fd)
{
	if (fcntl(fd, F_SETOWN, -getpgrp()) ||
	    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC))
		return -errno;
	return 0;
}
