/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make each allocation of a call and each copy from or to user space fail in turn, and check
 * what such calls leave behind. The kernel needs CONFIG_FAULT_INJECTION, FAILSLAB,
 * FAIL_PAGE_ALLOC, FAULT_INJECTION_USERCOPY, FAULT_INJECTION_DEBUG_FS and SLUB_DEBUG.
 *
 *	static const struct fault_row row = {
 *		.name = "open", .act = open_event, .undo = close_event, .copies = 1,
 *	};
 *
 *	SKIP_WITHOUT_FAULTS();
 *	EXPECT_FAULTS(&row);
 *
 * A row is tried with n = 1, 2, 3 and so on: the nth allocation or copy of its action fails,
 * until the action ends before the nth one. In one pass objects of slab caches fail, in another
 * pass pages. Copies fail in both.
 */
#ifndef PERF_TEST_FAULTS_H
#define PERF_TEST_FAULTS_H

#include <stdbool.h>

/**
 * struct fault_row - An action, and what its failures must look like
 * @name: For the output.
 * @missing: What the machine lacks for the action, or NULL. NULL: nothing is needed.
 * @ready: Called before each try, without faults; 0, or a negative errno. NULL: nothing.
 * @act: The action; its result is at least 0, or a negative errno. Pages that it touches in user
 *	space must be resident.
 * @undo: Called after an action that succeeded, with its result. NULL: nothing.
 * @clear: Called after each try. NULL: nothing.
 * @works: Called at the end: whether what the action makes can be used. NULL: not tested.
 * @end: The result without faults if the action is refused, or 0.
 * @none: No allocation need fail with ENOMEM.
 * @copies: Number of copies that fail with EFAULT.
 * @tolerated: The most failures of objects that the action survives, or FAULT_PER_CPU.
 * @why: What these are; needed if @tolerated is not 0.
 * @finish: Called at the end in any case. NULL: nothing.
 * @rounds: How often all faults are repeated to find leaks; 0 for the default.
 */
struct fault_row {
	const char *name;
	const char *(*missing)(void);
	int (*ready)(void);
	int (*act)(void);
	void (*undo)(int result);
	void (*clear)(void);
	bool (*works)(void);
	int end;
	bool none;
	int copies;
	int tolerated;
	const char *why;
	void (*finish)(void);
	int rounds;
};

/* As many as there are possible CPUs */
#define FAULT_PER_CPU	(-1)

#define SKIP_WITHOUT_FAULTS() do {					\
	const char *__no = fault_prepare();				\
									\
	if (__no)							\
		SKIP(return, "no faults on purpose: %s", __no);		\
} while (0)

#define EXPECT_FAULTS(_row) do {					\
	const char *__text = fault_run(_row);				\
									\
	EXPECT_STREQ("", __text);					\
	TH_LOG("%s", fault_account());					\
} while (0)

const char *fault_prepare(void);
void fault_restore(void);
const char *fault_run(const struct fault_row *row);
const char *fault_account(void);

#endif /* PERF_TEST_FAULTS_H */
