/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupting simulated code before each of its instructions, and going back.
 *
 * checks/ring compiles simulated files to assembly and inserts a call of ring_point before each
 * instruction. That is the point at which something else can happen. To step through the code with
 * the trap flag takes a thousand times as long, because of the signals. The case "points" does it
 * once, and checks that no instruction lacks its call.
 *
 * A case runs a function on a stack of its own. At a point, step_choose() first returns true.
 * When the function has ended, memory and stack are put back, and step_choose() returns false. So
 * one walk through a writer tries an interruption at each instruction.
 */
#ifndef RING_STEP_H
#define RING_STEP_H

#include <stdbool.h>

/* What step_choose() puts back. Initial values are the values at the program's start. */
#define ROLLED		__attribute__((section("ring_rolled")))

extern char __start_ring_rolled[], __stop_ring_rolled[];
extern char __start_ring_code[], __stop_ring_code[];

#define MAX_LEVELS	4
#define MAX_PATH	8

/* What can happen at a point. */
enum action {
	ACT_WRITE,		/* a nested writer */
	ACT_WRITE_READ,		/* the same, and then the reader empties the buffer */
	ACT_READ_WRITE,		/* the reader empties the buffer, then a nested writer */
	ACT_WRITE_THRICE,	/* three nested writers in turn */
	ACT_READ,		/* only the reader */
	ACT_POLL,		/* the reader looks for POLLIN, as if it was about to sleep */
	ACT_AUX,		/* a nested transaction of the AUX area */
};

/**
 * struct plan - where writers are interrupted
 * @levels: writers below this level are interrupted; 1: only the outermost one
 * @each: number of interruptions of one writer
 * @one_in: a point is chosen at random, one of so many; 0: all points
 * @watch: the reader looks at each point after the last interruption as well
 * @action: what happens at the first interruption of a writer, at the second one
 */
struct plan {
	unsigned int	levels;
	unsigned int	each;
	unsigned int	one_in;
	bool		watch;
	enum action	action[2];
};

/**
 * struct frame - a writer that runs
 * @outer: the writer that it interrupts, or NULL
 * @level: 0: the outermost one
 * @at: number of its instructions so far
 * @taken: number of its interruptions so far
 */
struct frame {
	struct frame	*outer;
	unsigned int	level;
	unsigned int	at;
	unsigned int	taken;
};

/**
 * struct ring_case - a case
 * @name: its name
 * @nr_scenes: number of its scenes; of a random case, number of its seeds
 * @prepare: optional; makes the plan
 * @run: runs a scene, for step_explore()
 */
struct ring_case {
	const char	*name;
	unsigned int	nr_scenes;
	void		(*prepare)(void);
	void		(*run)(unsigned int scene);
};

/* scenes.c, random.c, aux.c: the last one has no name */
extern const struct ring_case scene_cases[], random_cases[], aux_cases[];

/* the writer that runs */
extern struct frame *step_now;
extern unsigned int step_interruptions;
extern bool step_done;
extern struct plan plan;
extern bool step_random;
extern char *data_area;
extern unsigned long data_used;
extern unsigned long step_ends, step_points;
extern unsigned long step_factor;

void step_init(void);
void step_case(const char *name);
unsigned int step_failures(void);
void step_explore(void (*run)(unsigned int scene), unsigned int scene);
void step_replay(const char *path);
void step_enter(struct frame *frame);
void step_leave(struct frame *frame);
bool step_choose(void);
void step_check_points(void (*run)(void));
unsigned int random_word(void);
unsigned int random_below(unsigned int limit);
void random_seed(unsigned long seed);
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* step.c, in assembly, and what it calls */
void ring_point(void);
void step_switch(void **from, void *to);
void point_hit(unsigned long at);

/* reader.c, world.c, random.c */
void world_init(void);
void look(void);
void interrupt(enum action action);
void random_point(void);

#endif /* RING_STEP_H */
