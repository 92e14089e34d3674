// SPDX-License-Identifier: GPL-2.0
/*
 * Points, choices, and the way back. step.h describes them.
 *
 * The simulation runs on stack[]. This file, on the stack of the program, copies that stack, the
 * variables marked ROLLED and the data pages when a choice is made, and puts them back when the
 * simulation has ended.
 */
#define _GNU_SOURCE
#include <err.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "step.h"

#define STACK_SIZE	(256 * 1024)
#define NR_SLOTS	MAX_PATH
#define DATA_PAGES	4
#define SIM_PAGE	4096
/* A case that has failed so often is not continued. */
#define ENOUGH		20
#define SHOWN		3
#define NEVER		LONG_MAX
#define TRAP_FLAG	0x100
/* microseconds of the CPU's time between looks whether a run ends */
#define TICK		250000

/* Number of points until point_hit() is called. Counted by ring_point in assembly. */
ROLLED long step_left = NEVER;
ROLLED struct frame *step_now;
ROLLED unsigned int step_interruptions;
ROLLED bool step_done;
static ROLLED unsigned int path_len;
static ROLLED struct { unsigned int level, at; } path[MAX_PATH];

struct plan plan;
bool step_random;
char *data_area;
unsigned long data_used;
unsigned long step_ends, step_points;
unsigned long step_factor = 1;

static char stack[STACK_SIZE] __attribute__((aligned(64)));
static void *main_sp, *sim_sp;
static bool wants_copy, answer;
static void (*sim_run)(unsigned int scene);
static unsigned int sim_scene;
static const char *case_name = "";
static unsigned int failures;
static unsigned long last_at;
static const char *replay;

static struct slot {
	void	*sp;
	char	*stack, *rolled, *data;
} slots[NR_SLOTS];
static unsigned int nr_slots;

/*
 * ring_point keeps all registers and the flags: lea and jrcxz change no flag. step_switch() stores
 * the stack pointer and continues on another stack.
 */
asm(".text\n"
".globl ring_point, step_switch\n"
"ring_point:\n"
"	push %rcx\n"
"	mov step_left(%rip), %rcx\n"
"	lea -1(%rcx), %rcx\n"
"	mov %rcx, step_left(%rip)\n"
"	jrcxz 1f\n"
"	pop %rcx\n"
"	ret\n"
"1:\n"
"	pushfq\n"
"	cld\n"
"	push %rax; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10; push %r11\n"
"	push %rbp\n"
"	mov %rsp, %rbp\n"
"	mov 88(%rsp), %rdi\n"
"	and $-16, %rsp\n"
"	call point_hit\n"
"	mov %rbp, %rsp\n"
"	pop %rbp\n"
"	pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rax\n"
"	popfq\n"
"	pop %rcx\n"
"	ret\n"
"step_switch:\n"
"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
"	mov %rsp, (%rdi)\n"
"	mov %rsi, %rsp\n"
"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
"	ret\n");

static unsigned long random_state = 1;

void random_seed(unsigned long seed)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15UL | 1;
}

static unsigned long random_long(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dUL;
}

unsigned int random_below(unsigned int limit)
{
	return (random_long() >> 32) % limit;
}

unsigned int random_word(void)
{
	return random_long() >> 32;
}

__attribute__((noreturn)) static void end_of_run(void)
{
	wants_copy = false;
	step_switch(&sim_sp, main_sp);
	__builtin_unreachable();
}

static void begin_of_run(void)
{
	sim_run(sim_scene);
	step_ends++;
	end_of_run();
}

static void copy_data(char *copy, bool back)
{
	unsigned long at, done = 0;

	for (at = 0; done < data_used; at += 2 * SIM_PAGE, done += SIM_PAGE) {
		if (back)
			memcpy(data_area + at, copy + done, SIM_PAGE);
		else
			memcpy(copy + done, data_area + at, SIM_PAGE);
	}
}

static void save(struct slot *slot)
{
	slot->sp = sim_sp;
	memcpy(slot->stack, sim_sp, stack + STACK_SIZE - (char *)sim_sp);
	memcpy(slot->rolled, __start_ring_rolled, __stop_ring_rolled - __start_ring_rolled);
	copy_data(slot->data, false);
}

static void restore(struct slot *slot)
{
	sim_sp = slot->sp;
	memcpy(sim_sp, slot->stack, stack + STACK_SIZE - (char *)sim_sp);
	memcpy(__start_ring_rolled, slot->rolled, __stop_ring_rolled - __start_ring_rolled);
	copy_data(slot->data, true);
}

/**
 * step_explore() - run a function once for each combination of choices
 * @run: the function
 * @scene: its argument
 */
void step_explore(void (*run)(unsigned int scene), unsigned int scene)
{
	static char *first;
	void **top = (void **)(stack + STACK_SIZE);

	/* The variables have the program's initial values, whatever the last scene has left. */
	if (!first) {
		first = malloc(__stop_ring_rolled - __start_ring_rolled);
		memcpy(first, __start_ring_rolled, __stop_ring_rolled - __start_ring_rolled);
	}
	memcpy(__start_ring_rolled, first, __stop_ring_rolled - __start_ring_rolled);
	if (failures >= ENOUGH)
		return;
	sim_run = run;
	sim_scene = scene;
	last_at = 0;
	nr_slots = 0;
	/* as after a call: the stack is not aligned to 16 bytes there */
	*--top = NULL;
	*--top = begin_of_run;
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	sim_sp = top;
	for (;;) {
		step_switch(&main_sp, sim_sp);
		if (wants_copy) {
			if (nr_slots == NR_SLOTS)
				errx(1, "too many choices at a time");
			save(&slots[nr_slots++]);
			answer = true;
			continue;
		}
		if (!nr_slots || failures >= ENOUGH)
			return;
		restore(&slots[--nr_slots]);
		answer = false;
	}
}

void step_case(const char *name)
{
	case_name = name;
	failures = 0;
	step_ends = 0;
	step_points = 0;
	step_random = false;
	memset(&plan, 0, sizeof(plan));
	/* A case alone does the same as it does after others. */
	random_seed(0);
}

unsigned int step_failures(void)
{
	return failures;
}

/* Only the interruptions of this path are tried. fail() prints it. */
void step_replay(const char *text)
{
	replay = text;
}

/* The path that led here, as text. */
static void print_path(char *text, size_t size)
{
	unsigned int i, len = 0;

	snprintf(text, size, "-");
	for (i = 0; i < path_len && len < size; i++)
		len += snprintf(text + len, size - len, "%s%u:%u", i ? "," : "", path[i].level,
				path[i].at);
}

static bool replays(void)
{
	unsigned int i, level, at;
	const char *text = replay;
	int len;

	for (i = 0; i <= path_len; i++, text += len) {
		if (*text == ',')
			text++;
		len = 0;
		if (sscanf(text, "%u:%u%n", &level, &at, &len) != 2)
			return false;
	}
	return level == step_now->level && at == step_now->at;
}

/* Set or clear the trap flag. */
static void step_flag(bool on)
{
	unsigned long flags;

	asm volatile("pushfq; pop %0" : "=r" (flags) : : "memory");
	flags = on ? flags | TRAP_FLAG : flags & ~(unsigned long)TRAP_FLAG;
	asm volatile("push %0; popfq" : : "r" (flags) : "memory", "cc");
}

/**
 * fail() - something is wrong
 * @format: what
 *
 * Prints where it can be repeated, and ends this run. The other choices are still tried.
 */
void fail(const char *format, ...)
{
	char text[128];
	va_list args;

	step_flag(false);
	if (failures++ % ENOUGH < SHOWN) {
		print_path(text, sizeof(text));
		printf("# %s %u %s: ", case_name, sim_scene, text);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		if (last_at)
			printf(" (last point: ring_code+%#lx)",
			       last_at - (unsigned long)__start_ring_code);
		printf("\n");
	}
	end_of_run();
}

/**
 * step_choose() - may something happen at this point?
 *
 * Return: true; later, from the same call, false.
 */
bool step_choose(void)
{
	if (replay ? !replays() : plan.one_in && random_below(plan.one_in))
		return false;
	if (!replay) {
		wants_copy = true;
		step_switch(&sim_sp, main_sp);
		if (!answer)
			return false;
	}
	if (path_len == MAX_PATH)
		errx(1, "the path is too long");
	path[path_len].level = step_now->level;
	path[path_len++].at = step_now->at;
	return true;
}

static bool may_interrupt(const struct frame *frame)
{
	return !step_done && frame->level < plan.levels && frame->taken < plan.each;
}

/* At which point of the writer that runs is something to be done? */
static void set_left(void)
{
	step_left = NEVER;
	if (!step_now || step_done)
		return;
	if (step_random)
		step_left = 1 + random_below(1 << (2 + random_below(10)));
	else if (plan.watch || may_interrupt(step_now))
		step_left = 1;
}

void step_enter(struct frame *frame)
{
	frame->outer = step_now;
	frame->level = step_now ? step_now->level + 1 : 0;
	frame->at = 0;
	frame->taken = 0;
	step_now = frame;
	set_left();
}

void step_leave(struct frame *frame)
{
	step_now = frame->outer;
	set_left();
}

void point_hit(unsigned long at)
{
	struct frame *frame = step_now;

	last_at = at;
	frame->at++;
	step_points++;
	look();
	if (step_random) {
		step_interruptions++;
		random_point();
		look();
	} else if (may_interrupt(frame) && step_choose()) {
		step_interruptions++;
		interrupt(plan.action[frame->taken++]);
		look();
	}
	last_at = at;
	set_left();
}

/* The trap flag: each instruction of the simulated code must follow a call of ring_point. */
static bool announced;
static unsigned long nr_stepped, nr_silent, first_silent;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	unsigned char *ip = (unsigned char *)at->uc_mcontext.gregs[REG_RIP];
	int32_t offset;

	if (ip < (unsigned char *)__start_ring_code || ip >= (unsigned char *)__stop_ring_code)
		return;
	memcpy(&offset, ip + 1, sizeof(offset));
	if (*ip == 0xe8 && ip + 5 + offset == (unsigned char *)ring_point) {
		announced = true;
		return;
	}
	nr_stepped++;
	if (!announced && !nr_silent++)
		first_silent = (unsigned long)ip - (unsigned long)__start_ring_code;
	announced = false;
}

/* Run a function with the trap flag. */
void step_check_points(void (*run)(void))
{
	nr_stepped = 0;
	nr_silent = 0;
	announced = false;
	step_flag(true);
	run();
	step_flag(false);
	if (nr_silent)
		fail("%lu of %lu instructions have no point, the first is ring_code+%#lx",
		     nr_silent, nr_stepped, first_silent);
	if (nr_stepped < 200)
		fail("only %lu instructions were stepped", nr_stepped);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	unsigned long ip = at->uc_mcontext.gregs[REG_RIP];

	last_at = ip;
	if (ip < (unsigned long)__start_ring_code || ip >= (unsigned long)__stop_ring_code)
		last_at = 0;
	fail("access to %p, outside of the data pages", info->si_addr);
}

/* A run takes some milliseconds at most. One that goes on for half a second never ends. */
static void on_tick(int signal)
{
	static unsigned long before = -1UL;
	static unsigned int same;
	unsigned long now = step_ends + failures + nr_stepped;

	same = now == before ? same + 1 : 0;
	before = now;
	if (same < 2)
		return;
	same = 0;
	failures += ENOUGH;
	fail("does not end");
}

void step_init(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct itimerval tick = { { .tv_usec = TICK }, { .tv_usec = TICK } };
	unsigned int i;
	char *area;

	action.sa_sigaction = on_trap;
	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	action.sa_flags = SA_NODEFER | SA_RESTART;
	action.sa_handler = on_tick;
	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &tick, NULL);

	for (i = 0; i < NR_SLOTS; i++) {
		slots[i].stack = malloc(STACK_SIZE);
		slots[i].rolled = malloc(__stop_ring_rolled - __start_ring_rolled);
		slots[i].data = malloc(DATA_PAGES * SIM_PAGE);
		if (!slots[i].stack || !slots[i].rolled || !slots[i].data)
			errx(1, "no memory");
	}
	/* Before and after each data page is one that faults. */
	area = mmap(NULL, (2 * DATA_PAGES + 1) * SIM_PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < DATA_PAGES; i++) {
		if (mprotect(area + (2 * i + 1) * SIM_PAGE, SIM_PAGE, PROT_READ | PROT_WRITE))
			err(1, "mprotect");
	}
	data_area = area + SIM_PAGE;
}
