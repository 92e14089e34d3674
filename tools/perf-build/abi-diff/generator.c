// SPDX-License-Identifier: GPL-2.0
/*
 * Generation of cases: one open, or a few events and calls on them. No result of a call is
 * used: a case is the same on any kernel.
 */
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "abi.h"

static const enum pid likely_pids[] = {
	PID_SELF, PID_SELF, PID_SELF, PID_SELF, PID_SELF, PID_SELF, PID_SELF,
	PID_OWN_NUMBER, PID_CHILD, PID_CHILD, PID_ALL, PID_ALL, PID_ALL,
};

static const int likely_cpus[] = { -1, -1, -1, -1, -1, -1, 0, 0, 0, 1 };
static const int odd_cpus[] = { CPU_OFFLINE, 4, 600, 4096, INT_MAX, -2, INT_MIN, 2 };

static void plan_target(struct step *step, unsigned int odd)
{
	step->pid = random_of(likely_pids);
	if (random_percent(odd))
		step->pid = random_below(PID_CGROUP_ROOT);
	if (random_percent(3))
		step->pid = PID_DOOMED;
	step->cpu = random_of(likely_cpus);
	if (step->pid == PID_ALL && random_percent(90))
		step->cpu = random_below(2);
	if (random_percent(odd / 4))
		step->cpu = random_of(odd_cpus);
	if (random_percent(5)) {
		step->flags |= PERF_FLAG_PID_CGROUP;
		step->pid = PID_ALL + random_below(NR_PIDS - PID_ALL);
		if (random_percent(80))
			step->cpu = random_below(2);
	}
}

static void plan_flags(struct step *step, unsigned int odd)
{
	static const unsigned long flags[] = {
		PERF_FLAG_FD_NO_GROUP, PERF_FLAG_FD_OUTPUT, PERF_FLAG_FD_CLOEXEC,
		PERF_FLAG_FD_CLOEXEC, PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT,
		PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT, 16, 1ul << 31, 1ul << 40,
	};

	if (random_percent(odd))
		step->flags |= random_of(flags);
}

static bool is_trace(const struct step *leader)
{
	return leader->attr.type && !strcmp(leader->attr.type->name, "fake_trace");
}

/* A member mostly has the same target as its leader, and often the same PMU. */
static void plan_member(struct step *step, const struct step *leader)
{
	step->other = leader->slot;
	if (random_percent(85)) {
		step->pid = leader->pid;
		step->cpu = leader->cpu;
		step->flags |= leader->flags & PERF_FLAG_PID_CGROUP;
	}
	if (random_percent(80)) {
		uint64_t both = 1ull << 1 | 1ull << 25, own = 1ull << 2 | 1ull << 3;
		uint64_t flags = attr_flags(&step->attr.attr) & ~(both | own);

		flags |= attr_flags(&leader->attr.attr) & both;
		attr_set_flags(&step->attr.attr, flags);
		step->attr.attr.clockid = leader->attr.attr.clockid;
	}
	if (is_trace(leader) && random_percent(60))
		plan_aux(&step->attr);
}

static void plan_open(struct plan *plan, unsigned int slot, unsigned int odd)
{
	struct step *step = &plan->steps[plan->nr++];

	step->call = CALL_OPEN;
	step->slot = slot;
	step->other = OTHER_NONE;
	plan_attr(&step->attr, odd);
	plan_target(step, odd);
	plan_flags(step, odd);
	if (slot && random_percent(60))
		plan_member(step, &plan->steps[random_below(2) ? 0 : plan->nr - 2]);
	else if (random_percent(6))
		step->other = random_below(NR_OTHERS);
	if (step->other < MAX_SLOTS && random_percent(10))
		step->other = random_below(MAX_SLOTS);
}

struct ioctl_plan {
	unsigned int	cmd;
	char		pointer;
	uint64_t	args[6];
};

static const struct ioctl_plan ioctls[] = {
	{ PERF_EVENT_IOC_ENABLE, 0, { 0, 0, 1, 1, 2, ~0ull } },
	{ PERF_EVENT_IOC_ENABLE, 0, { 0, 0, 1, 1, 2, ~0ull } },
	{ PERF_EVENT_IOC_DISABLE, 0, { 0, 0, 1, 1, 2, ~0ull } },
	{ PERF_EVENT_IOC_RESET, 0, { 0, 0, 1, 1, 2, ~0ull } },
	{ PERF_EVENT_IOC_REFRESH, 0, { 1, 1, 5, 0, 0x80000000, ~0ull } },
	{ PERF_EVENT_IOC_REFRESH, 0, { 1, 2, 3, 0, 0x80000000, ~0ull } },
	{ PERF_EVENT_IOC_PERIOD, 'v', { 0, 1, 1000, 2001, 1ull << 63, ~0ull } },
	{ PERF_EVENT_IOC_PERIOD, 'b', { 0 } },
	{ PERF_EVENT_IOC_ID, 'v', { 0 } },
	{ PERF_EVENT_IOC_ID, 'b', { 0 } },
	{ PERF_EVENT_IOC_SET_BPF, 0, { 999, 0, ~0ull, 2, 1, 3 } },
	{ PERF_EVENT_IOC_SET_BPF, 'p', { 0, 1, 2, 0, 1, 1 } },
	{ PERF_EVENT_IOC_SET_BPF, 'p', { 0, 1, 2, 0, 1, 1 } },
	{ PERF_EVENT_IOC_PAUSE_OUTPUT, 0, { 0, 1, 1, 2, 0, ~0ull } },
	{ PERF_EVENT_IOC_QUERY_BPF, 'v', { 0, 1, 2, 64, 65, ~0ull } },
	{ PERF_EVENT_IOC_QUERY_BPF, 'b', { 0 } },
	{ 0, 0, { 0 } },
	{ _IO('$', 12), 0, { 0 } },
	{ _IO('$', 40), 0, { 0 } },
	{ _IOW('$', 4, __u32), 'v', { 1 } },
	{ 0x5401, 'v', { 0 } },
};

/* Attributes of the last open of a slot; NULL: the slot is not opened. */
static const struct attr_plan *opened_as(const struct plan *plan, unsigned int slot)
{
	unsigned int i;

	for (i = plan->nr; i--; ) {
		if (plan->steps[i].call == CALL_OPEN && plan->steps[i].slot == slot)
			return &plan->steps[i].attr;
	}
	return NULL;
}

static bool is_of(const struct attr_plan *attr, const char *name)
{
	return attr && attr->type && !strcmp(attr->type->name, name);
}

/* Prefer an event of that type, if the case has one. */
static void prefer_type(const struct plan *plan, struct step *step, const char *name)
{
	unsigned int slot;

	for (slot = 0; slot < MAX_SLOTS; slot++) {
		if (is_of(opened_as(plan, slot), name))
			step->slot = slot;
	}
}

static const char *good_filter(const struct plan *plan, const struct step *step)
{
	static const char *const traced[] = {
		"common_pid==1", "common_pid > 3 && common_pid < 9", "common_pid != 0", "0",
	};
	static const char *const ranges[] = {
		"start 0x1000", "stop 0x2000", "filter 0x1000/0x100@/tmp/abi-diff-probed",
		"start 0x1000@/tmp/abi-diff-probed,stop 0x1010@/tmp/abi-diff-probed",
	};

	return is_of(opened_as(plan, step->slot), "fake_trace") ? random_of(ranges)
								: random_of(traced);
}

static void plan_filter(const struct plan *plan, struct step *step)
{
	static const char *const filters[] = {
		"", "prev_pid==1", "pid==1", "id==1", "common_pid==1", "nonsense", "prev_pid==",
		"0", "start 0x1000", "filter 0x1000/0x100@/tmp/abi-diff", "stop 0@/none",
		"filter 0x1000/0@/tmp/abi-diff", "func == 1", "id > 3 && id < 9",
	};

	step->cmd = PERF_EVENT_IOC_SET_FILTER;
	step->pointer = random_percent(10) ? 'b' : 't';
	if (random_percent(60))
		prefer_type(plan, step, random_percent(70) ? "tracepoint" : "fake_trace");
	step->text = random_percent(50) ? good_filter(plan, step) : random_of(filters);
}

static void plan_change(const struct plan *plan, struct step *step)
{
	static const struct attr_plan none;
	const struct attr_plan *opened;

	step->cmd = PERF_EVENT_IOC_MODIFY_ATTRIBUTES;
	if (random_percent(80))
		prefer_type(plan, step, "breakpoint");
	opened = opened_as(plan, step->slot);
	plan_bad_attr(&step->attr, opened ?: &none);
}

static void plan_ioctl(const struct plan *plan, struct step *step)
{
	const struct ioctl_plan *row = &random_of(ioctls);

	step->call = CALL_IOCTL;
	switch (random_below(10)) {
	case 0:
		plan_filter(plan, step);
		break;
	case 1:
		plan_change(plan, step);
		break;
	case 2:
	case 3:
		step->cmd = PERF_EVENT_IOC_SET_OUTPUT;
		step->other = random_percent(85) ? random_below(MAX_SLOTS)
						  : random_below(NR_OTHERS);
		break;
	default:
		step->cmd = row->cmd;
		step->pointer = row->pointer;
		step->arg = random_of(row->args);
		if (step->pointer == 'p' && random_percent(70))
			prefer_type(plan, step, "tracepoint");
	}
}

static void plan_mmap(struct step *step)
{
	static const unsigned long lengths[] = {
		1, 2, 2, 2, 3, 3, 5, 9, 9, 33, 4, 0, 129, 513, 1025, 1ul << 20,
	};

	static const unsigned long pages[] = { 1, 2, 3, 9, 1ul << 40 };

	step->call = CALL_MMAP;
	step->length = random_of(lengths);
	step->page = random_percent(92) ? 0 : random_of(pages);
	step->prot = random_percent(75) ? PROT_READ | PROT_WRITE : PROT_READ;
	if (random_percent(5))
		step->prot = random_below(8);
	step->private = random_percent(4);
	step->aux = random_percent(8);
}

static void plan_use(const struct plan *plan, struct step *step, unsigned int nr_slots)
{
	static const unsigned long sizes[] = { 4096, 4096, 4096, 0, 7, 8, 16, 24, 32, 40 };
	unsigned int what = random_below(100);

	step->slot = random_percent(95) ? random_below(nr_slots) : random_below(MAX_SLOTS);
	if (what < 38) {
		plan_ioctl(plan, step);
	} else if (what < 52) {
		step->call = CALL_READ;
		step->length = random_of(sizes);
	} else if (what < 70) {
		plan_mmap(step);
	} else if (what < 73) {
		step->call = CALL_MUNMAP;
		step->length = random_percent(80) ? 0 : 1 + random_below(2);
	} else if (what < 78) {
		step->call = CALL_POLL;
	} else if (what < 82) {
		step->call = CALL_PRCTL;
		step->cmd = random_percent(50) ? PR_TASK_PERF_EVENTS_DISABLE
					       : PR_TASK_PERF_EVENTS_ENABLE;
		step->arg = random_percent(80) ? 0 : random_u64();
	} else if (what < 90) {
		step->call = CALL_WORK;
	} else if (what < 93) {
		step->call = CALL_CLOSE;
	} else if (what < 95) {
		step->call = CALL_FORK;
	} else {
		step->call = CALL_END;
	}
}

/* True if an event of the case counts the case's own child. */
static bool has_doomed(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->steps[i].call == CALL_OPEN && plan->steps[i].pid == PID_DOOMED)
			return true;
	}
	return false;
}

static void plan_sequence(struct plan *plan)
{
	unsigned int i, slots = 1, nr = 1 + random_below(MAX_STEPS - 3);

	for (i = 0; i < nr; i++) {
		struct step *step = &plan->steps[plan->nr];

		if (slots < MAX_SLOTS && random_percent(30)) {
			plan_open(plan, slots++, ODD_IN_SEQUENCE);
			continue;
		}
		plan_use(plan, step, slots);
		/* only if the case has a child that can exit */
		if (step->call == CALL_END && !has_doomed(plan))
			step->call = CALL_POLL;
		plan->nr++;
	}
}

void plan_case(struct plan *plan, uint64_t seed, uint64_t number)
{
	struct step *step;

	random_start(seed, number);
	memset(plan, 0, sizeof(*plan));
	if (random_percent(35)) {
		plan_open(plan, 0, ODD);
		return;
	}
	plan_open(plan, 0, ODD_IN_SEQUENCE);
	plan_sequence(plan);
	step = &plan->steps[plan->nr++];
	step->call = CALL_READ;
	step->length = 4096;
	if (random_percent(3))
		plan->steps[plan->nr++].call = CALL_EXEC;
}
