// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the cases: ring [CASE [SCENE [PATH]]]. PATH is as fail() prints it: the interruptions, each
 * as the level of the writer and the number of its instruction. Prints TAP.
 *
 * DEEP is a factor for what is random.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "step.h"

static unsigned int nr_results, nr_failed;

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void run_case(const struct ring_case *one, const char *scene)
{
	unsigned int first = scene ? atoi(scene) : 0, last = first + 1;
	double begin = seconds();
	bool good;

	step_case(one->name);
	if (one->prepare)
		one->prepare();
	if (!scene)
		last = one->nr_scenes * (step_random ? step_factor : 1);
	for (; first < last; first++)
		step_explore(one->run, first);
	good = step_ends && !step_failures();
	nr_results++;
	nr_failed += !good;
	printf("# %lu runs, %lu points, %.1f s; %u failures\n", step_ends, step_points,
	       seconds() - begin, step_failures());
	printf("%sok %u %s\n", good ? "" : "not ", nr_results, one->name);
}

int main(int argc, char **argv)
{
	static const struct ring_case *const all[] = {
		scene_cases, random_cases, aux_cases, NULL
	};
	const char *factor = getenv("DEEP");
	const struct ring_case *one;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (factor && atoi(factor) > 0)
		step_factor = atoi(factor);
	if (argc > 3)
		step_replay(argv[3]);
	world_init();
	step_init();
	for (i = 0; all[i]; i++) {
		for (one = all[i]; one->name; one++) {
			if (argc > 1 && strcmp(argv[1], one->name))
				continue;
			run_case(one, argc > 2 ? argv[2] : NULL);
		}
	}
	printf("1..%u\n", nr_results);
	return nr_failed || !nr_results;
}
