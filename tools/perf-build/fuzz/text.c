// SPDX-License-Identifier: GPL-2.0
/*
 * Programs as text. A line is a step: its worker, the name of the call, arguments by name. A
 * "~" behind the worker says that the step races. PMUs and tracepoints have their names,
 * because their numbers differ between machines.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* the words of perf_event_attr behind type and size, of 64 bits each */
static const char *const words[] = {
	"config", "sample_period", "sample_type", "read_format", "attr_flags", "wakeup+bp_type",
	"config1", "config2", "branch_sample_type", "sample_regs_user", "stack_user+clockid",
	"sample_regs_intr", "aux_watermark+max_stack", "aux_sample_size+action", "sig_data",
	"config3",
};
_Static_assert(sizeof(struct perf_event_attr) == 8 * (ARRAY_SIZE(words) + 1),
	       "perf_event_attr has members without a name here");

/* The paths that attr.c uses; a number stands for each. */
static const char *const paths[] = {
	uprobe_file, "ksys_sync", "no_such_function", "", "/", "/none",
};

static unsigned int path_number(const char *path)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!strcmp(paths[i], path))
			return i;
	}
	errx(1, "path %s is in no table", path);
}

static void write_attr(FILE *file, const struct attr_plan *plan)
{
	const uint64_t *values = (const uint64_t *)&plan->attr;
	unsigned int i;

	if (plan->type)
		fprintf(file, " type=%s", plan->type->name);
	else
		fprintf(file, " number=%u", plan->attr.type);
	fprintf(file, " size=%u", plan->size);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (values[i + 1])
			fprintf(file, " %s=%#" PRIx64, words[i], values[i + 1]);
	}
	if (plan->tracepoint)
		fprintf(file, " tracepoint=%s", plan->tracepoint->name);
	if (plan->upper)
		fprintf(file, " upper=%s", plan->upper->name);
	if (plan->path)
		fprintf(file, " path=%u", path_number(plan->path));
	if (plan->breakpoint)
		fprintf(file, " breakpoint=%c", plan->breakpoint);
	if (plan->tail)
		fprintf(file, " tail=1");
	if (plan->unreadable)
		fprintf(file, " unreadable=1");
}

/* Write a step as a line without its end. */
void step_write(FILE *file, const struct fuzz_step *step)
{
	const struct kind_info *info = &kinds[step->kind];
	char names[64], *name, *rest = names;
	unsigned int i = 0;

	fprintf(file, "%u%s %s", step->worker, step->races ? "~" : "", info->name);
	strcpy(names, info->args);
	while ((name = strsep(&rest, " ")) && *name)
		fprintf(file, " %s=%" PRId64, name, step->args[i++]);
	if (info->has_attr)
		write_attr(file, &step->attr);
}

/* Returns -1 if the file cannot be written. */
int program_write(const struct program *program, unsigned long number, const char *path)
{
	FILE *file = fopen(path, "w");
	unsigned int i;

	if (!file)
		return -1;
	fprintf(file, "program caller=%" PRIu64 " # case %lu, %s, perf_event_paranoid %d\n",
		program->caller, number, world_identity(program->caller),
		world_paranoid(program->caller));
	for (i = 0; i < program->nr; i++) {
		step_write(file, &program->steps[i]);
		fprintf(file, "\n");
	}
	return fclose(file);
}

static const struct pmu_type *find_type(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_pmu_types; i++) {
		if (!strcmp(pmu_types[i].name, name))
			return &pmu_types[i];
	}
	errx(1, "this machine has no PMU %s", name);
}

static const struct tracepoint *find_tracepoint(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_tracepoints; i++) {
		if (!strcmp(tracepoints[i].name, name))
			return &tracepoints[i];
	}
	errx(1, "tracepoint %s is in no table", name);
}

/* Returns false if no attribute has the name. */
static bool read_attr(struct attr_plan *plan, const char *name, const char *value)
{
	uint64_t *values = (uint64_t *)&plan->attr;
	uint64_t number = strtoull(value, NULL, 0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i], name)) {
			values[i + 1] = number;
			return true;
		}
	}
	if (!strcmp(name, "type"))
		plan->type = find_type(value);
	else if (!strcmp(name, "number"))
		plan->attr.type = number;
	else if (!strcmp(name, "size"))
		plan->attr.size = plan->size = number;
	else if (!strcmp(name, "tracepoint"))
		plan->tracepoint = find_tracepoint(value);
	else if (!strcmp(name, "upper"))
		plan->upper = find_type(value);
	else if (!strcmp(name, "path"))
		plan->path = paths[number % ARRAY_SIZE(paths)];
	else if (!strcmp(name, "breakpoint"))
		plan->breakpoint = value[0];
	else if (!strcmp(name, "tail"))
		plan->tail = number;
	else if (!strcmp(name, "unreadable"))
		plan->unreadable = number;
	else
		return false;
	return true;
}

/* Returns false if the call has no such argument. */
static bool read_arg(struct fuzz_step *step, const char *name, const char *value)
{
	char names[64], *known, *rest = names;
	unsigned int i;

	strcpy(names, kinds[step->kind].args);
	for (i = 0; (known = strsep(&rest, " ")); i++) {
		if (!strcmp(known, name)) {
			step->args[i] = strtoll(value, NULL, 0);
			return true;
		}
	}
	return kinds[step->kind].has_attr && read_attr(&step->attr, name, value);
}

static enum kind find_kind(const char *name)
{
	unsigned int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		if (!strcmp(kinds[kind].name, name))
			return kind;
	}
	errx(1, "call %s is unknown", name);
}

static void read_step(struct fuzz_step *step, char *line)
{
	char *word = strsep(&line, " \n"), *name;

	step->worker = (unsigned char)atoi(word);
	if (step->worker >= NR_WORKERS)
		errx(1, "worker %s is unknown", word);
	step->races = strchr(word, '~') != NULL;
	step->kind = find_kind(strsep(&line, " \n") ?: "");
	step->attr.size = sizeof(step->attr.attr);
	step->attr.attr.size = step->attr.size;
	while ((word = strsep(&line, " \n"))) {
		name = strsep(&word, "=");
		if (*name && (!word || !read_arg(step, name, word)))
			errx(1, "call %s has no argument %s", kinds[step->kind].name, name);
	}
}

/* Read the programs of a file, at most @most of them. Returns their number. */
unsigned int programs_read(struct program *programs, unsigned int most, const char *path)
{
	FILE *file = fopen(path, "r");
	struct program *program = NULL;
	unsigned int nr = 0;
	char line[2048];

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!strncmp(line, "program ", 8)) {
			if (nr == most)
				errx(1, "%s: more than %u programs", path, most);
			program = &programs[nr++];
			sscanf(line, "program caller=%" SCNu64, &program->caller);
			continue;
		}
		if (!program || program->nr == PROGRAM_STEPS)
			errx(1, "%s: a step outside of a program, or too many", path);
		read_step(&program->steps[program->nr++], line);
	}
	fclose(file);
	return nr;
}
