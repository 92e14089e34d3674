// SPDX-License-Identifier: GPL-2.0
/*
 * Generation of programs and steps: mostly valid ones. Only the random numbers decide, no
 * result of a call.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"

/* percent of odd attributes */
#define ODD_ATTR	5

const struct kind_info kinds[NR_KINDS] = {
	[KIND_OPEN] = { "open", "slot pid cpu group flags probe", 32, true, call_open },
	[KIND_IOCTL] = { "ioctl", "slot cmd arg", 22, false, call_ioctl },
	[KIND_OUTPUT] = { "output", "slot other", 14, false, call_output },
	[KIND_FILTER] = { "filter", "slot text", 4, false, call_filter },
	[KIND_BPF] = { "bpf", "slot program", 5, false, call_bpf },
	[KIND_MODIFY] = { "modify", "slot", 3, true, call_modify },
	[KIND_READ] = { "read", "slot bytes", 8, false, call_read },
	[KIND_POLL] = { "poll", "slot", 2, false, call_poll },
	[KIND_EPOLL] = { "epoll", "slot to", 2, false, call_epoll },
	[KIND_ASYNC] = { "async", "slot worker signal", 4, false, call_async },
	[KIND_CLOSE] = { "close", "slot", 9, false, call_close },
	[KIND_DUP] = { "dup", "slot to", 3, false, call_dup },
	[KIND_SEND] = { "send", "slot", 3, false, call_send },
	[KIND_RECEIVE] = { "receive", "slot", 3, false, call_receive },
	[KIND_MMAP] = { "mmap", "slot map pages prot flags page", 20, false, call_mmap },
	[KIND_MUNMAP] = { "munmap", "map first pages", 9, false, call_munmap },
	[KIND_MREMAP] = { "mremap", "map pages to", 4, false, call_mremap },
	[KIND_MPROTECT] = { "mprotect", "map prot first", 3, false, call_mprotect },
	[KIND_MADVISE] = { "madvise", "map advice", 3, false, call_madvise },
	[KIND_TOUCH] = { "touch", "map member value", 6, false, call_touch },
	[KIND_WORK] = { "work", "what times", 22, false, call_work },
	[KIND_FORK] = { "fork", "what times", 8, false, call_fork },
	[KIND_THREAD] = { "thread", "times", 4, false, call_thread },
	[KIND_EXEC] = { "exec", "", 3, false, call_exec },
	[KIND_EXIT] = { "exit", "process", 2, false, call_exit },
	[KIND_END] = { "end", "", 2, false, call_end },
	[KIND_SETID] = { "setid", "user dumpable", 2, false, call_setid },
	[KIND_PRCTL] = { "prctl", "enable", 4, false, call_prctl },
	[KIND_PTRACE] = { "ptrace", "worker control", 3, false, call_ptrace },
	[KIND_SIGNAL] = { "signal", "worker signal", 3, false, call_signal },
	[KIND_AFFINE] = { "affine", "worker mask", 6, false, call_affine },
	[KIND_LOOK] = { "look", "what slot", 3, false, call_look },
	[KIND_CGROUP] = { "cgroup", "worker where", 5, false, call_cgroup },
	[KIND_HOTPLUG] = { "hotplug", "cpu online", 2, false, call_hotplug },
	[KIND_PROBE] = { "probe", "number create", 3, false, call_probe },
	[KIND_MODULE] = { "module", "number load", 1, false, call_module },
	[KIND_SYSCTL] = { "sysctl", "number value", 2, false, call_sysctl },
};

static enum kind pick_kind(void)
{
	unsigned int total = 0, at, kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		total += kinds[kind].weight;
	at = random_below(total);
	for (kind = 0; at >= kinds[kind].weight; kind++)
		at -= kinds[kind].weight;
	return kind;
}

/* The step before @at that opened the slot; NULL: none did. */
static const struct fuzz_step *opened(const struct program *program, unsigned int at,
				      int64_t slot)
{
	while (at--) {
		if (program->steps[at].kind == KIND_OPEN && program->steps[at].args[0] == slot)
			return &program->steps[at];
	}
	return NULL;
}

/* A slot that a step before @at opened, mostly. */
static int64_t pick_slot(const struct program *program, unsigned int at)
{
	int64_t slots[PROGRAM_STEPS];
	unsigned int i, nr = 0;

	for (i = 0; i < at; i++) {
		if (program->steps[i].kind == KIND_OPEN)
			slots[nr++] = program->steps[i].args[0];
	}
	if (!nr || random_percent(3))
		return random_below(FUZZ_SLOTS);
	return slots[random_below(nr)];
}

/* A place that a step before @at mapped, mostly. */
static int64_t pick_map(const struct program *program, unsigned int at)
{
	int64_t maps[PROGRAM_STEPS];
	unsigned int i, nr = 0;

	for (i = 0; i < at; i++) {
		if (program->steps[i].kind == KIND_MMAP)
			maps[nr++] = program->steps[i].args[1];
	}
	if (!nr || random_percent(3))
		return random_below(FUZZ_MAPS);
	return maps[random_below(nr)];
}

/* A slot that a step before @at mapped, if there is one. */
static int64_t mapped_slot(const struct program *program, unsigned int at)
{
	int64_t slots[PROGRAM_STEPS];
	unsigned int i, nr = 0;

	for (i = 0; i < at; i++) {
		if (program->steps[i].kind == KIND_MMAP && program->steps[i].args[2] > 1)
			slots[nr++] = program->steps[i].args[0];
	}
	return nr ? slots[random_below(nr)] : pick_slot(program, at);
}

static bool is_mapped(const struct program *program, unsigned int at, int64_t slot)
{
	while (at--) {
		if (program->steps[at].kind == KIND_MMAP && program->steps[at].args[0] == slot)
			return true;
	}
	return false;
}

/* The worker of a step that mapped the place: only its process has the mapping. */
static unsigned char mapper(const struct program *program, unsigned int at, int64_t map)
{
	while (at--) {
		if (program->steps[at].kind == KIND_MMAP && program->steps[at].args[1] == map)
			return program->steps[at].worker ^ random_below(2);
	}
	return random_below(ROOT_WORKER);
}

static int64_t pick_target(void)
{
	static const int pids[] = {
		PID_SELF, PID_SELF, PID_SELF, PID_CHILD, PID_DOOMED, PID_ROOTS, PID_ZOMBIE,
		PID_ALL, PID_ALL,
	};

	if (random_percent(35))
		return PID_WORKER + random_below(NR_WORKERS);
	return random_of(pids);
}

/* Events of the same task, CPU and clock can share a buffer. */
static void share_target(struct fuzz_step *step, const struct fuzz_step *other)
{
	const uint64_t same = 1ull << 25 | 1ull << 27;
	uint64_t flags = attr_flags(&step->attr.attr) & ~same;

	step->args[1] = other->args[1];
	step->args[2] = other->args[2];
	step->args[4] |= other->args[4] & PERF_FLAG_PID_CGROUP;
	attr_set_flags(&step->attr.attr, flags | (attr_flags(&other->attr.attr) & same));
	step->attr.attr.clockid = other->attr.attr.clockid;
}

/* A member of a group counts the same task and CPU, with the same clock. */
static void join_group(struct fuzz_step *step, const struct fuzz_step *leader)
{
	const uint64_t same = 1ull << 1 | 1ull << 25, leaders = 1ull << 2 | 1ull << 3;
	uint64_t flags = attr_flags(&step->attr.attr) & ~(same | leaders);

	step->args[1] = leader->args[1];
	step->args[2] = leader->args[2];
	step->args[3] = leader->args[0];
	step->args[4] |= leader->args[4] & PERF_FLAG_PID_CGROUP;
	attr_set_flags(&step->attr.attr, flags | (attr_flags(&leader->attr.attr) & same));
	step->attr.attr.clockid = leader->attr.attr.clockid;
	if (leader->attr.type && !strcmp(leader->attr.type->name, "fake_trace") &&
	    random_percent(60))
		plan_aux(&step->attr);
}

static void generate_open(const struct program *program, unsigned int at,
			  struct fuzz_step *step)
{
	static const int cpus[] = { -1, -1, -1, -1, -1, 0, 0, 1, 2, CPU_OFFLINE };
	const struct fuzz_step *leader;
	int64_t slot = pick_slot(program, at);

	plan_attr(&step->attr, ODD_ATTR);
	step->args[0] = random_below(FUZZ_SLOTS);
	step->args[1] = pick_target();
	step->args[2] = step->args[1] == PID_ALL ? (int)random_below(3) : random_of(cpus);
	step->args[3] = -1;
	step->args[4] = random_percent(50) ? PERF_FLAG_FD_CLOEXEC : 0;
	if (random_percent(6)) {
		step->args[1] = PID_CGROUP_ROOT + random_below(2);
		step->args[2] = random_below(3);
		step->args[4] |= PERF_FLAG_PID_CGROUP;
	}
	step->args[5] = random_percent(4) ? 1 + random_below(NR_PROBES) : 0;
	leader = opened(program, at, slot);
	if (leader && random_percent(40))
		join_group(step, leader);
	else if (leader && random_percent(60))
		share_target(step, leader);
	else if (random_percent(3))
		step->args[3] = random_below(FUZZ_SLOTS + NR_OTHERS);
	if (step->args[3] >= 0 && random_percent(8))
		step->args[4] |= random_percent(50) ? PERF_FLAG_FD_OUTPUT : PERF_FLAG_FD_NO_GROUP;
}

/* The slot of the last event of a type; -1: there is none. */
static int64_t slot_of_type(const struct program *program, unsigned int at, const char *type)
{
	while (at--) {
		const struct fuzz_step *step = &program->steps[at];

		if (step->kind == KIND_OPEN && step->attr.type &&
		    !strcmp(step->attr.type->name, type))
			return step->args[0];
	}
	return -1;
}

/* The type of events that most calls of a kind need; NULL: any. */
static const char *needed_type(enum kind kind)
{
	static const char *const filtered[] = { "tracepoint", "tracepoint", "fake_trace" };

	if (random_percent(20))
		return NULL;
	if (kind == KIND_MODIFY)
		return "breakpoint";
	if (kind == KIND_BPF)
		return random_percent(60) ? "tracepoint" : NULL;
	return kind == KIND_FILTER ? random_of(filtered) : NULL;
}

/* Open an event of a type, if a few tries give one. */
static void open_type(const struct program *program, unsigned int at, struct fuzz_step *step,
		      const char *type)
{
	unsigned int tries = 100;

	do {
		memset(step->args, 0, sizeof(step->args));
		generate_open(program, at, step);
	} while (--tries && strcmp(step->attr.type ? step->attr.type->name : "", type));
}

static void generate_ioctl(struct fuzz_step *step)
{
	static const int64_t args[] = { 0, 0, 0, 1, 1, 2, 100, -1 };
	static const int64_t periods[] = { 1, 2, 1000, 1000000, 0, -1 };

	step->args[1] = random_below(8);
	if (random_percent(30))
		step->args[1] = random_below(2);
	step->args[2] = step->args[1] == 5 ? random_of(periods) : random_of(args);
}

/* A change of a breakpoint, mostly of the one that is in the slot. */
static void generate_modify(const struct program *program, unsigned int at,
			    struct fuzz_step *step)
{
	static const struct attr_plan none;
	const struct fuzz_step *open = opened(program, at, step->args[0]);

	plan_bad_attr(&step->attr, open ? &open->attr : &none);
}

static void generate_mmap(struct fuzz_step *step)
{
	static const unsigned int pages[] = { 1, 2, 2, 2, 2, 3, 3, 3, 5, 5, 9, 17, 33, 4, 129 };

	step->args[1] = random_below(FUZZ_MAPS);
	step->args[2] = random_of(pages);
	step->args[3] = random_percent(80) ? PROT_READ | PROT_WRITE : PROT_READ;
	step->args[4] = random_percent(10) ? 1 << random_below(3) : 0;
	if (step->args[4] == 2)
		step->args[2] = 1 << random_below(6);
	step->args[5] = random_percent(3) ? 1 + random_below(4) : 0;
}

static void generate_munmap(struct fuzz_step *step)
{
	if (random_percent(50))
		return;
	step->args[1] = random_below(4);
	step->args[2] = 1 + random_below(3);
}

static void generate_mremap(struct fuzz_step *step)
{
	step->args[1] = random_percent(60) ? 0 : 1 + random_below(9);
	step->args[2] = random_percent(30) ? -1 : (int)random_below(FUZZ_MAPS);
}

static void generate_sysctl(struct fuzz_step *step)
{
	static const int values[][4] = {
		{ 100, 2000, 100000, 1 }, { 0, 1, 127, 640 }, { 0, 516, 4, 2000 },
		{ -1, 0, 1, 2 }, { 1, 4, 10, 100 },
	};

	step->args[0] = random_below(ARRAY_SIZE(values));
	step->args[1] = random_of(values[step->args[0]]);
}

/* Arguments that are small numbers: one more than the largest of each. */
static const unsigned char small_args[NR_KINDS][3] = {
	[KIND_FILTER] = { 0, 11 },
	[KIND_DUP] = { 0, FUZZ_SLOTS }, [KIND_MPROTECT] = { 0, 4, 3 },
	[KIND_MADVISE] = { 0, 7 }, [KIND_WORK] = { 8, 30 }, [KIND_FORK] = { 5, 12 },
	[KIND_THREAD] = { 20 }, [KIND_EXIT] = { 2 }, [KIND_SETID] = { 3, 4 },
	[KIND_PRCTL] = { 2 }, [KIND_PTRACE] = { NR_WORKERS, 64 },
	[KIND_AFFINE] = { NR_WORKERS, 16 }, [KIND_LOOK] = { 7 },
	[KIND_CGROUP] = { NR_WORKERS, 3 }, [KIND_HOTPLUG] = { 3, 2 },
	[KIND_PROBE] = { NR_PROBES, 2 }, [KIND_MODULE] = { NR_MODULES, 2 },
	[KIND_RECEIVE] = { FUZZ_SLOTS },
};

/* The BPF program that fits an event, mostly: an argument of world_program(). */
static int64_t program_for(const struct fuzz_step *open)
{
	const char *name = open && open->attr.type ? open->attr.type->name : "";

	if (random_percent(15))
		return random_below(NR_PROGRAMS);
	return !strcmp(name, "tracepoint") ? 1 : strstr(name, "probe") ? 2 : 0;
}

static void generate_args(const struct program *program, unsigned int at,
			  struct fuzz_step *step, const char *type)
{
	const unsigned char *small = small_args[step->kind];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (small[i])
			step->args[i] = random_below(small[i]);
	}
	if (!strncmp(kinds[step->kind].args, "slot", 4))
		step->args[0] = pick_slot(program, at);
	if (type)
		step->args[0] = slot_of_type(program, at, type);
	if (!strncmp(kinds[step->kind].args, "map", 3)) {
		step->args[0] = pick_map(program, at);
		step->worker = mapper(program, at, step->args[0]);
	}
	switch (step->kind) {
	case KIND_OUTPUT:
		for (i = 0; i < 4 && is_mapped(program, at, step->args[0]); i++)
			step->args[0] = pick_slot(program, at);
		step->args[1] = random_percent(12) ? -1 : mapped_slot(program, at);
		break;
	case KIND_FILTER:
		/* the first four are for tracepoints, the ones from 6 on for AUX areas */
		if (type)
			step->args[1] = type[0] == 't' ? random_below(4) : 6 + random_below(4);
		break;
	case KIND_BPF:
		step->args[1] = program_for(opened(program, at, step->args[0]));
		break;
	case KIND_READ:
		step->args[1] = random_percent(85) ? 4096 : random_below(64);
		break;
	case KIND_EPOLL:
		step->args[1] = random_percent(50) ? random_below(FUZZ_SLOTS) : 0;
		break;
	case KIND_ASYNC:
		step->args[1] = random_below(NR_WORKERS);
		step->args[2] = random_of(((int[]){ 0, SIGIO, SIGUSR1, SIGTRAP, -1 }));
		break;
	case KIND_TOUCH:
		step->args[1] = random_percent(60) ? 0 : random_below(6);
		step->args[2] = random_percent(70) ? 0 : random_u64() >> random_below(64);
		break;
	case KIND_SIGNAL:
		step->args[0] = random_below(NR_WORKERS);
		step->args[1] = random_percent(90) ? random_below(4) : 4;
		break;
	case KIND_LOOK:
		step->args[1] = pick_slot(program, at);
		break;
	}
}

/* Make a new step in place of the one at @at: often the open that its call needs. */
void generate_step(struct program *program, unsigned int at)
{
	struct fuzz_step *step = &program->steps[at];
	const char *type;

	memset(step, 0, sizeof(*step));
	step->kind = at && random_percent(100 - 60 / at) ? pick_kind() : KIND_OPEN;
	step->worker = step->kind >= KIND_CGROUP ? ROOT_WORKER : random_below(ROOT_WORKER);
	if (step->kind < KIND_CGROUP && random_percent(40))
		step->worker = 0;
	step->races = random_percent(step->kind == KIND_OPEN ? 10 : 35);
	type = needed_type(step->kind);
	if (type && slot_of_type(program, at, type) < 0) {
		step->kind = KIND_OPEN;
		open_type(program, at, step, type);
		return;
	}
	generate_args(program, at, step, type);
	if (step->kind == KIND_OPEN)
		generate_open(program, at, step);
	else if (step->kind == KIND_IOCTL)
		generate_ioctl(step);
	else if (step->kind == KIND_MODIFY)
		generate_modify(program, at, step);
	else if (step->kind == KIND_MMAP)
		generate_mmap(step);
	else if (step->kind == KIND_MUNMAP)
		generate_munmap(step);
	else if (step->kind == KIND_MREMAP)
		generate_mremap(step);
	else if (step->kind == KIND_SYSCTL)
		generate_sysctl(step);
}

/* Make room for a step. The program must not be full. */
void insert_step(struct program *program, unsigned int at)
{
	memmove(&program->steps[at + 1], &program->steps[at],
		(program->nr - at) * sizeof(program->steps[0]));
	program->nr++;
}

void drop_step(struct program *program, unsigned int at)
{
	program->nr--;
	memmove(&program->steps[at], &program->steps[at + 1],
		(program->nr - at) * sizeof(program->steps[0]));
}

/* An open that works: a software event that this task may count. */
static void begin_open(struct program *program, unsigned int slot)
{
	const uint64_t user = 1ull << 5, inherit = 1ull << 1, sigtrap = 1ull << 37;
	struct fuzz_step *step = &program->steps[program->nr];

	memset(step, 0, sizeof(*step));
	step->kind = KIND_OPEN;
	open_type(program, program->nr, step, "software");
	memset(step->args, 0, sizeof(step->args));
	step->args[0] = slot;
	step->args[2] = -1;
	step->args[3] = -1;
	step->attr.attr.config %= PERF_COUNT_SW_MAX;
	attr_set_flags(&step->attr.attr,
		       (attr_flags(&step->attr.attr) | user) & ~(inherit | sigtrap));
	if (slot)
		share_target(step, &program->steps[0]);
	program->nr++;
}

/* Some events of one task, and a buffer for some of them: a state that calls can act on. */
static void begin_with_buffers(struct program *program)
{
	unsigned int slot, nr = 2 + random_below(3);

	for (slot = 0; slot < nr; slot++)
		begin_open(program, slot);
	for (slot = 0; slot < nr - 1; slot++) {
		struct fuzz_step *step = &program->steps[program->nr++];

		memset(step, 0, sizeof(*step));
		step->kind = KIND_MMAP;
		step->args[0] = slot;
		step->args[1] = slot;
		step->args[2] = 1 + (1 << random_below(4));
		step->args[3] = PROT_READ | PROT_WRITE;
	}
}

/* Half of the callers are root, at each value of perf_event_paranoid. */
void generate_program(struct program *program)
{
	unsigned int nr = 4 + random_below(PROGRAM_STEPS - 6);

	memset(program, 0, sizeof(*program));
	program->caller = random_below(70);
	if (random_percent(50))
		program->caller -= program->caller % 7;
	program->caller *= BLOCK;
	if (random_percent(40))
		begin_with_buffers(program);
	for (; program->nr < nr; program->nr++)
		generate_step(program, program->nr);
}
