// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#include <sys/rseq.h>
#endif
#endif

#include "fault_memory.h"
#include "faults.h"
#include "perf_test.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define FAIL_NTH	"/proc/thread-self/fail-nth"

/* More allocations and copies than any action has. */
#define FAULT_MOST	4000
#define FAULT_ROUNDS	24

/*
 * Passes until a number is wrong: of copies, of failures that are survived, or of memory in use.
 * A fault is known by its number, and a slab cache that happens to need a page moves all faults
 * after it by one: a copy is passed over, or fails twice. What others allocate is once in use.
 */
#define FAULT_PASSES	3

/* Which allocations fail. */
enum pass { OBJECTS, PAGES, NR_PASSES };

static const char * const pass_names[NR_PASSES] = { "objects", "pages" };

/* Files of debugfs, and what they contain: by default, while objects fail, while pages do. */
static const struct {
	const char *file;
	const char *initial;
	const char *value[NR_PASSES];
} settings[] = {
	{ "failslab/ignore-gfp-wait", "Y", { "N", "Y" } },
	{ "fail_page_alloc/ignore-gfp-wait", "Y", { "Y", "N" } },
	{ "fail_page_alloc/ignore-gfp-highmem", "Y", { "Y", "N" } },
	{ "fail_page_alloc/min-order", "1", { "30", "0" } },
	/*
	 * A stack trace of each fault would be taken for a report of a problem. With PERF_TEST_SHOW
	 * in the environment there is one, and each try has a line.
	 */
	{ "failslab/verbose", "0", { "0", "0" } },
	{ "fail_page_alloc/verbose", "0", { "0", "0" } },
	{ "fail_usercopy/verbose", "0", { "0", "0" } },
};

#define NR_SETTINGS	(sizeof(settings) / sizeof((settings)[0]))

/* The file of this thread. */
static int fail_nth = -1;

/* What the tries of a row came to. */
static struct {
	int tries;
	int copies[NR_PASSES];
	int failed[NR_PASSES];
	int survived[NR_PASSES];
	char wrong[512];
	char account[256];
} seen;

__attribute__((format(printf, 1, 2)))
static void wrong(const char *fmt, ...)
{
	va_list args;

	/* the first one is reported */
	if (seen.wrong[0])
		return;
	va_start(args, fmt);
	vsnprintf(seen.wrong, sizeof(seen.wrong), fmt, args);
	va_end(args);
}

static int set_all(int pass)
{
	const char *value;
	char path[128];
	size_t i;
	int err = 0;

	for (i = 0; i < NR_SETTINGS && !err; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", settings[i].file);
		value = pass < 0 ? settings[i].initial : settings[i].value[pass];
		if (pass >= 0 && strstr(settings[i].file, "verbose") && getenv("PERF_TEST_SHOW"))
			value = "2";
		err = file_write(path, value);
	}
	return err;
}

/*
 * If the C library has registered an area for restartable sequences, the kernel writes there when
 * it resumes the thread. A fault of this copy, or of a page for it after fork, kills the thread.
 */
#ifdef RSEQ_SIG
static bool leave_restartable_sequences(void)
{
	static bool left;

	left = left || !__rseq_size ||
	       !syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset,
			sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
	return left;
}
#else
static bool leave_restartable_sequences(void)
{
	return true;
}
#endif

/**
 * fault_prepare() - Prepare for faults of the calling thread, and make it resident
 *
 * Return: NULL, or what is missing.
 */
const char *fault_prepare(void)
{
	static struct fault_memory memory;

	if (getuid())
		return "not root";
	if (fail_nth >= 0)
		close(fail_nth);
	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		return "CONFIG_FAULT_INJECTION";
	if (set_all(OBJECTS))
		return "CONFIG_FAULT_INJECTION_DEBUG_FS, or a kind of fault";
	if (fault_memory_read(&memory))
		return "CONFIG_SLUB_DEBUG, CONFIG_PERCPU_STATS or CONFIG_SMP";
	if (!leave_restartable_sequences())
		return "a way to unregister the area of rseq()";
	return stay_resident() ? "mlockall()" : NULL;
}

/**
 * fault_restore() - Undo fault_prepare()
 */
void fault_restore(void)
{
	set_all(-1);
	close(fail_nth);
	fail_nth = -1;
}

static void fault_arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		_exit(93);
}

/*
 * Return whether the fault has happened. Reading and writing the file are copies as well, and
 * one of them may get the fault.
 */
static bool fault_disarm(void)
{
	char text[16] = "";
	bool happened = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	return happened;
}

/* Try the action with the nth fault. Return whether there was one. */
static bool try_fault(const struct fault_row *row, enum pass pass, int n)
{
	int err = row->ready ? row->ready() : 0;
	bool happened;
	int got;

	if (err) {
		wrong("fault %d: preparations: %s", n, perf_errname(err));
		return false;
	}
	if (n)
		fault_arm(n);
	got = row->act();
	happened = n && fault_disarm();

	seen.tries++;
	if (getenv("PERF_TEST_SHOW"))
		printf("# %s: %s %d: %s%s\n", row->name, pass_names[pass], n,
		       got < 0 ? perf_errname(got) : "succeeds", happened ? "" : ", no fault");
	if (happened && got == -EFAULT)
		seen.copies[pass]++;
	else if (happened && got == -ENOMEM)
		seen.failed[pass]++;
	else if (got < 0 && got != row->end)
		wrong("%s of %s %d gives %s", happened ? "fault" : "no fault",
		      pass_names[pass], n, perf_errname(got));
	else if (row->end && got >= 0)
		wrong("fault of %s %d lets it succeed", pass_names[pass], n);
	else if (happened)
		seen.survived[pass]++;
	if (got >= 0 && row->undo)
		row->undo(got);
	if (row->clear)
		row->clear();
	return happened;
}

/* All faults of the action, one after the other. */
static void try_faults(const struct fault_row *row, enum pass pass)
{
	int n = 1;

	if (set_all(pass))
		wrong("the kinds of faults cannot be selected");
	while (!seen.wrong[0] && try_fault(row, pass, n))
		if (++n > FAULT_MOST)
			wrong("there is no end of faults");
}

/*
 * A new slab of objects that are charged to memory cgroups has a list of their owners, and does
 * without it if there is no memory. How many slabs are new depends on what ran before.
 */
#define NEW_SLABS	8

static bool has_memory_cgroups(void)
{
	char text[256];

	return file_read("/sys/fs/cgroup/cgroup.controllers", text, sizeof(text)) >= 0 &&
	       strstr(text, "memory");
}

/* The most failures of objects that the action of a row survives */
static int most_survived(const struct fault_row *row)
{
	int most = row->tolerated;

	if (most == FAULT_PER_CPU)
		most = sysconf(_SC_NPROCESSORS_CONF);
	return has_memory_cgroups() ? most + NEW_SLABS : most;
}

/* Describe what is wrong with the numbers of a pass. The text is empty if they are right. */
static void check_numbers(const struct fault_row *row, enum pass pass, char *text, size_t size)
{
	int most = most_survived(row);

	text[0] = '\0';
	if (seen.copies[pass] != row->copies)
		snprintf(text, size, "%d copies of %d fail with EFAULT while %s fail",
			 seen.copies[pass], row->copies, pass_names[pass]);
	else if (pass == OBJECTS && !seen.failed[pass] && !row->none)
		snprintf(text, size, "no allocation has failed");
	else if (pass == OBJECTS && seen.survived[pass] > most)
		snprintf(text, size, "%d failures of objects are survived, at most %d can be: %s",
			 seen.survived[pass], most, row->why ?: "none");
}

/* All faults of the action, until their numbers are right. */
static void count_faults(const struct fault_row *row, enum pass pass)
{
	char text[256] = "";

	for (int i = 0; i < FAULT_PASSES && !seen.wrong[0]; i++) {
		seen.copies[pass] = 0;
		seen.failed[pass] = 0;
		seen.survived[pass] = 0;
		try_faults(row, pass);
		check_numbers(row, pass, text, sizeof(text));
		if (!text[0])
			return;
	}
	wrong("%s", text);
}

/* All faults of the action, some times. Return whether memory is back, or what was leaked. */
static bool is_without_leak(const struct fault_row *row, int rounds, char *leak, size_t size)
{
	static struct fault_memory before;

	if (fault_memory_read(&before))
		wrong("the memory in use cannot be read");
	for (int i = 0; i < rounds && !seen.wrong[0]; i++) {
		try_faults(row, OBJECTS);
		try_faults(row, PAGES);
	}
	return seen.wrong[0] || fault_memory_is_back(&before, rounds, true, leak, size);
}

static void check_leaks(const struct fault_row *row)
{
	int rounds = row->rounds ?: FAULT_ROUNDS;
	char leak[128];

	for (int i = 0; i < FAULT_PASSES; i++)
		if (is_without_leak(row, rounds, leak, sizeof(leak)))
			return;
	wrong("%s in %d rounds", leak, rounds);
}

/**
 * fault_run() - Try an action with all faults, one at a time
 * @row: The action.
 *
 * Return: What was wrong, and empty if nothing was.
 */
const char *fault_run(const struct fault_row *row)
{
	enum pass pass;

	memset(&seen, 0, sizeof(seen));
	/* what the first call allocates for good, and what the library resolves */
	for (int i = 0; i < 2 && !seen.wrong[0]; i++)
		try_fault(row, OBJECTS, 0);
	for (pass = 0; pass < NR_PASSES; pass++)
		count_faults(row, pass);
	snprintf(seen.account, sizeof(seen.account),
		 "%s: %d copies; objects: %d failed, %d survived; pages: %d failed, %d survived",
		 row->name, seen.copies[OBJECTS], seen.failed[OBJECTS], seen.survived[OBJECTS],
		 seen.failed[PAGES], seen.survived[PAGES]);
	if (!seen.wrong[0])
		check_leaks(row);
	if (!seen.wrong[0] && row->works && !row->works())
		wrong("it does not work afterwards");
	if (row->finish)
		row->finish();
	return seen.wrong;
}

/**
 * fault_account() - Describe the faults of the last row
 *
 * Return: A line for the output.
 */
const char *fault_account(void)
{
	return seen.account;
}
