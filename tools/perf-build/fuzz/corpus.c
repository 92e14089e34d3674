// SPDX-License-Identifier: GPL-2.0
/* Programs that reached new code, and their mutations. */
#include <string.h>

#include "fuzz.h"

#define MAX_CORPUS	1024

static struct program corpus[MAX_CORPUS];
static unsigned int nr_corpus;

unsigned int corpus_size(void)
{
	return nr_corpus;
}

/* A full corpus loses a random program. */
void corpus_add(const struct program *program)
{
	unsigned int at = nr_corpus < MAX_CORPUS ? nr_corpus++ : random_below(MAX_CORPUS);

	corpus[at] = *program;
}

/* The first steps of a program, and the last ones of another. */
static void splice(struct program *program)
{
	const struct program *other = &corpus[random_below(nr_corpus)];
	unsigned int first = random_below(program->nr) + 1, from = random_below(other->nr);
	unsigned int nr = other->nr - from;

	if (nr > PROGRAM_STEPS - first)
		nr = PROGRAM_STEPS - first;
	memcpy(&program->steps[first], &other->steps[from], nr * sizeof(other->steps[0]));
	program->nr = first + nr;
}

static void repeat_step(struct program *program)
{
	unsigned int from = random_below(program->nr), to = random_below(program->nr + 1);
	struct fuzz_step step = program->steps[from];

	if (program->nr == PROGRAM_STEPS)
		return;
	insert_step(program, to);
	program->steps[to] = step;
	program->steps[to].races = random_percent(50);
}

static void change_order(struct program *program)
{
	struct fuzz_step *step = &program->steps[random_below(program->nr)];

	if (random_percent(50))
		step->races = !step->races;
	else if (step->worker != ROOT_WORKER)
		step->worker = random_below(ROOT_WORKER);
}

static void mutate(struct program *program)
{
	unsigned int at = random_below(program->nr);

	switch (random_below(7)) {
	case 0:
	case 1:
		if (program->nr == PROGRAM_STEPS)
			return;
		insert_step(program, at + 1);
		generate_step(program, at + 1);
		break;
	case 2:
		if (program->nr > 1)
			drop_step(program, at);
		break;
	case 3:
		generate_step(program, at);
		break;
	case 4:
		splice(program);
		break;
	case 5:
		repeat_step(program);
		break;
	default:
		change_order(program);
	}
}

/* The next program to run: a new one, or some mutations of a known one. */
void corpus_next(struct program *program)
{
	if (!nr_corpus || random_percent(30)) {
		generate_program(program);
		return;
	}
	*program = corpus[random_below(nr_corpus)];
	do {
		mutate(program);
	} while (random_percent(60));
}
