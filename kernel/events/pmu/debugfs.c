// SPDX-License-Identifier: GPL-2.0
/*
 * The events that have a PMU's counters, and the groups that wait for counters.
 *
 * For each CPU, /sys/kernel/debug/perf_events/PMU has a line for every event that is
 * scheduled in on the PMU. Lines for the leaders of waiting groups follow, lowest
 * vruntime first. The file helps when an event counts only part of the time, or when a
 * pinned event is in error: the kernel itself may use the counter. Only root may read
 * the file, since it shows the events of all users.
 *
 * The state of a CPU is copied on that CPU with its locks held, and printed afterwards.
 * Readers take no CPU hotplug lock: drivers unregister under that lock and wait for
 * readers.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "../context/cgroup.h"
#include "../context/ctx_call.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../sched/sched.h"
#include "debugfs.h"

/* Lines of one CPU; the events beyond are only counted. */
#define PERF_DEBUGFS_LINES	512
/* Members that follow their leader, and other groups without lines, are visited as well. */
#define PERF_DEBUGFS_VISITS	(4 * PERF_DEBUGFS_LINES)

/**
 * struct perf_debugfs_line - one line
 * @state: state of the group
 * @counter: the driver's number of the counter, or -1
 * @id: id of the event
 * @config: attr.config of the event
 * @nr_siblings: number of siblings, for a leader
 * @target: process id of the task that is counted, or 0
 * @cgroup: id of the cgroup that is counted, or 0
 * @opener: process id of the task that opened the event, or 0
 * @comm: name of the task that is counted, or else of the task that opened the event
 * @times: times of the event
 */
struct perf_debugfs_line {
	const char		*state;
	int			counter;
	u64			id;
	u64			config;
	int			nr_siblings;
	pid_t			target;
	u64			cgroup;
	pid_t			opener;
	char			comm[TASK_COMM_LEN];
	struct perf_event_times	times;
};

/**
 * struct perf_debugfs_lines - lines of one PMU on one CPU
 * @pmu: the PMU
 * @cpu: the CPU
 * @nr: number of lines
 * @visits: number of events that may still be visited
 * @list: the lines
 */
struct perf_debugfs_lines {
	struct pmu		*pmu;
	int			cpu;
	unsigned int		nr;
	unsigned int		visits;
	struct perf_debugfs_line	list[PERF_DEBUGFS_LINES];
};

#ifdef CONFIG_CGROUP_PERF
static u64 perf_debugfs_cgroup(const struct perf_event *event)
{
	return event->cgrp ? cgroup_id(event->cgrp->css.cgroup) : 0;
}
#else
static u64 perf_debugfs_cgroup(const struct perf_event *event)
{
	return 0;
}
#endif

/*
 * Caller must have irqs off. This keeps the opener valid: an exiting task clears the owner
 * of its events first, and is freed after a grace period.
 */
static void perf_debugfs_note(struct perf_debugfs_lines *lines, struct perf_event *event,
			      const char *state)
{
	bool numbered = event->pmu->task_ctx_nr != perf_sw_context && event->oncpu >= 0;
	struct perf_debugfs_line *line = &lines->list[lines->nr];
	struct task_struct *opener = READ_ONCE(event->owner);
	struct task_struct *target = event->hw.target;
	struct task_struct *shown = target ?: opener;

	lines->nr++;
	*line = (struct perf_debugfs_line) {
		.state		= state,
		.counter	= numbered ? event->hw.idx : -1,
		.id		= event->id,
		.config		= event->attr.config,
		.nr_siblings	= event->nr_siblings,
		.target		= target ? task_pid_nr(target) : 0,
		.cgroup		= perf_debugfs_cgroup(event),
		.opener		= opener ? task_pid_nr(opener) : 0,
	};
	strscpy(line->comm, shown ? shown->comm : "-");
	perf_event_times(event, perf_ctx_now(event->ctx), &line->times);
}

/* Return: false if no more events can be shown. */
static bool perf_debugfs_visit(struct perf_debugfs_lines *lines)
{
	if (lines->nr == PERF_DEBUGFS_LINES || !lines->visits)
		return false;
	lines->visits--;
	return true;
}

static void perf_debugfs_note_on(struct perf_debugfs_lines *lines,
				 struct list_head *leaders, const char *state)
{
	struct perf_event *leader, *event;

	list_for_each_entry(leader, leaders, group_entry) {
		perf_group_for_each(event, leader) {
			if (!perf_debugfs_visit(lines))
				return;
			if (perf_event_has_counter(event))
				perf_debugfs_note(lines, event, state);
		}
	}
}

/* Called on the CPU if it is online. */
static void perf_debugfs_collect(struct perf_event_context *ctx, void *arg)
{
	struct perf_debugfs_lines *lines = arg;
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *leader;
	struct rb_node *node;

	if (ctx->cpu != lines->cpu)
		return;
	cpc = this_cpu_ptr(lines->pmu->cpu_pmu_context);
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry)
		perf_debugfs_note_on(lines, &pmu_ctx->pinned, "pinned");
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry)
		perf_debugfs_note_on(lines, &pmu_ctx->running, "running");
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		for (node = rb_first_cached(&pmu_ctx->waiting); node; node = rb_next(node)) {
			if (!perf_debugfs_visit(lines))
				return;
			perf_debugfs_note(lines, rb_entry(node, struct perf_event, waiting_node),
					  "waiting");
		}
		list_for_each_entry(leader, &pmu_ctx->unfit, group_entry) {
			if (!perf_debugfs_visit(lines))
				return;
			perf_debugfs_note(lines, leader, "unfit");
		}
	}
}

static void perf_debugfs_show_line(struct seq_file *file, const struct perf_debugfs_line *line,
				   int cpu)
{
	const struct perf_event_times *times = &line->times;
	u64 share = times->enabled ? div64_u64(times->running * 1000, times->enabled)
				   : 0;

	seq_printf(file, "%3d %-8s ", cpu, line->state);
	if (line->counter >= 0)
		seq_printf(file, "%7d ", line->counter);
	else
		seq_puts(file, "      - ");
	seq_printf(file, "%8llu %#18llx %8d ", line->id, line->config,
		   1 + line->nr_siblings);
	if (line->target)
		seq_printf(file, "task:%-12d ", line->target);
	else if (line->cgroup)
		seq_printf(file, "cgroup:%-10llu ", line->cgroup);
	else
		seq_printf(file, "%-17s ", "cpu");
	if (line->opener)
		seq_printf(file, "%7d ", line->opener);
	else
		seq_puts(file, "      - ");
	seq_printf(file, "%3llu.%llu%% %s\n", share / 10, share % 10, line->comm);
}

static int perf_debugfs_show(struct seq_file *file, void *unused)
{
	struct perf_debugfs_lines *lines __free(kvfree) =
		kvmalloc(sizeof(*lines), GFP_KERNEL);
	unsigned int i;
	int cpu;

	if (!lines)
		return -ENOMEM;
	lines->pmu = file->private;
	seq_puts(file, "cpu state    counter       id             config   events target             opener  share comm\n");
	for_each_online_cpu(cpu) {
		lines->cpu = cpu;
		lines->nr = 0;
		lines->visits = PERF_DEBUGFS_VISITS;
		perf_ctx_call(&per_cpu(perf_cpu_context, cpu).ctx,
			      perf_debugfs_collect, lines);
		for (i = 0; i < lines->nr; i++)
			perf_debugfs_show_line(file, &lines->list[i], cpu);
		if (lines->nr == PERF_DEBUGFS_LINES || !lines->visits)
			seq_printf(file, "%3d and perhaps more\n", cpu);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(perf_debugfs);

/* created with the first PMU */
static struct dentry *perf_debugfs_dir;

/**
 * perf_debugfs_add() - create a PMU's file
 * @pmu: the PMU, being registered; its name is set
 *
 * Caller must hold perf_pmu_mutex. Failure is ignored: the PMU works without a file.
 *
 * Context: task, may sleep.
 */
void perf_debugfs_add(struct pmu *pmu)
{
	if (!perf_debugfs_dir)
		perf_debugfs_dir = debugfs_create_dir("perf_events", NULL);
	debugfs_create_file(pmu->name, 0400, perf_debugfs_dir, pmu, &perf_debugfs_fops);
}

/**
 * perf_debugfs_remove() - remove a PMU's file, and wait for its readers
 * @pmu: not registered any more
 *
 * Context: task, may sleep.
 */
void perf_debugfs_remove(struct pmu *pmu)
{
	if (perf_debugfs_dir)
		debugfs_lookup_and_remove(pmu->name, perf_debugfs_dir);
}
