/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Try something a few times until it succeeds, and print how many tries were needed. Of waiting
 * for something that is under way, see COMES_TRUE() and BURNS_UNTIL().
 */
#ifndef PERF_TEST_TRIES_H
#define PERF_TEST_TRIES_H

#include <stdbool.h>

/*
 * Evaluate a condition until it is true, @_limit times at most. The result is false if it never
 * is. The output names the running test, without the variant of its fixture.
 */
#define IN_SOME_TRY(_limit, _what) ({					\
	const int __limit = (_limit);					\
	bool __good = false;						\
	int __try = 0;							\
									\
	while (!__good && __try < __limit) {				\
		__good = (_what);					\
		__try++;						\
	}								\
	show_tries(_metadata->fixture->name, _metadata->name, __try, __limit); \
	__good;								\
})

void show_tries(const char *fixture, const char *test, int nr, int limit);

#endif /* PERF_TEST_TRIES_H */
