// SPDX-License-Identifier: GPL-2.0
/*
 * What only a machine with a PMU can show: whether events count what their names say,
 * whether each period is one overflow, and whether interrupts of the PMU get lost or go
 * unclaimed. perf-events-check runs this program and adds what a shell can read.
 *
 *	perf_check [--seconds N] [--hotplug] [CHECK...]
 *
 * Each line of the output is a result: PASS, FAIL or ABSENT (not on this machine), the name
 * of the check, and what was measured. The exit status is 1 if a check has failed.
 */
#include <getopt.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/perf_test.h"
#include "../lib/user_access.h"
#include "perf_check.h"

/* Loops of known length: turns, and instructions and branches of a turn. */
#define TURNS			4000000ULL
#define INSTRUCTIONS		2
#define BRANCHES		1

/* Counts may be larger by the instructions around two system calls, and by interrupts. */
#define MORE_PER_MILLE		1
#define MORE			2000

#define MAX_AT_ONCE		32

static int nr_failed;

/**
 * result() - Print the result of a check
 * @state: What to print first.
 * @name: The check.
 * @format: What was measured, for printf().
 */
void result(enum state state, const char *name, const char *format, ...)
{
	static const char *const states[] = { "PASS", "FAIL", "ABSENT" };
	va_list args;

	nr_failed += state == FAIL;
	printf("%s %s: ", states[state], name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Events of user mode: what the kernel executes in between is of no known length. */
static struct perf_event_attr user(__u32 type, __u64 config)
{
	return PERF_ATTR(type, config, .exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
			 .read_format = PERF_ALL_TIMES);
}

static struct perf_event_attr user_instructions(void)
{
	return user(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

static bool is_about(__u64 value, __u64 expected)
{
	return value >= expected && value <= expected + expected * MORE_PER_MILLE / 1000 + MORE;
}

/* The count of a loop. time_running shows whether it had a counter all the time. */
static struct perf_timed count_loop(int fd)
{
	perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	perf_enable(fd);
	spin(TURNS);
	perf_disable(fd);
	return perf_timed_count(fd);
}

/*
 * What a generic event must count in the loop: a range. An emulator counts other events than
 * these two at fixed rates, whatever the loop is.
 */
static const struct {
	const char	*name;
	__u64		id;
	__u64		least, most;
} generic[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, TURNS * INSTRUCTIONS,
	  TURNS * INSTRUCTIONS * (1000 + MORE_PER_MILLE) / 1000 + MORE },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, TURNS * BRANCHES,
	  TURNS * BRANCHES * (1000 + MORE_PER_MILLE) / 1000 + MORE },
	/* a loop needs a cycle a turn, or half of one, and not many more */
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, TURNS / 4, TURNS * 16 },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, TURNS / 16, TURNS * 64 },
	{ "bus-cycles", PERF_COUNT_HW_BUS_CYCLES, 1, TURNS * 16 },
	/* only the end of the loop is a surprise */
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 0, TURNS / 100 },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, 0, TURNS / 10 },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES, 0, TURNS / 10 },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0, TURNS * 16 },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0, TURNS * 16 },
};

static void check_generic(const struct options *options)
{
	struct perf_timed count;
	char name[64];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(generic); i++) {
		snprintf(name, sizeof(name), "count %s", generic[i].name);
		fd = perf_open_self(user(PERF_TYPE_HARDWARE, generic[i].id));
		if (fd < 0) {
			result(ABSENT, name, "%s", perf_errname(fd));
			continue;
		}
		count = count_loop(fd);
		close(fd);
		if (pmu_is_emulated() && generic[i].id > PERF_COUNT_HW_INSTRUCTIONS) {
			result(ABSENT, name, "%llu, at the rate of an emulated PMU", count.value);
			continue;
		}
		if (count.running != count.enabled || !count.running)
			result(FAIL, name, "no counter for %llu of %llu ns",
			       count.enabled - count.running, count.enabled);
		else
			result(count.value < generic[i].least || count.value > generic[i].most ?
			       FAIL : PASS, name, "%llu in a loop of %llu turns, %llu to %llu fit",
			       count.value, TURNS, generic[i].least, generic[i].most);
	}
}

/* As many pinned events as there are counters. Each must count the same loop. */
static void check_all_counters(const struct options *options)
{
	struct perf_event_attr attr = user_instructions();
	struct perf_timed count;
	int fds[MAX_AT_ONCE], nr, i, wrong = 0;

	attr.disabled = 0;
	attr.pinned = 1;
	for (nr = 0; nr < MAX_AT_ONCE; nr++) {
		fds[nr] = perf_open_self(attr);
		if (fds[nr] < 0)
			break;
		/* an event without a counter is in the error state: read() returns 0 */
		if (read(fds[nr], &count, sizeof(count)) <= 0) {
			close(fds[nr]);
			break;
		}
	}
	if (!nr) {
		result(ABSENT, "all counters", "%s", perf_errname(fds[0]));
		return;
	}
	for (i = 0; i < nr; i++)
		perf_ioctl(fds[i], PERF_EVENT_IOC_RESET, 0);
	spin(TURNS);
	for (i = 0; i < nr; i++) {
		count = perf_timed_count(fds[i]);
		/* The events are reset and read one by one, MORE instructions apart at most. */
		if (count.value + MORE < TURNS * INSTRUCTIONS ||
		    !is_about(count.value, TURNS * INSTRUCTIONS))
			wrong++;
	}
	perf_close_all(fds, nr);
	result(wrong ? FAIL : PASS, "all counters", "%d count instructions at once, %d wrongly",
	       nr, wrong);
}

/* Samples of a loop, and how many of them are in the kernel. */
struct overflows {
	__u64	samples, outside;
	bool	throttled;
};

/* Returns 0 or a negative errno. */
static int count_overflows(__u64 period, struct overflows *count)
{
	struct perf_event_attr attr = user_instructions();
	const struct perf_event_header *header;
	static struct perf_buf buf;
	struct perf_rec rec;
	int fd;

	*count = (struct overflows){ };
	attr.read_format = 0;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = perf_open_self(attr);
	if (fd < 0)
		return fd;
	if (perf_buf_map(&buf, fd, 64)) {
		close(fd);
		return -ENOMEM;
	}
	perf_enable(fd);
	spin(TURNS);
	perf_disable(fd);
	while ((header = perf_buf_next(&buf))) {
		count->throttled |= header->type == PERF_RECORD_THROTTLE;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		count->samples++;
		if (perf_rec_parse(&attr, header, &rec) && (__s64)rec.ip < 0)
			count->outside++;
	}
	perf_buf_unmap(&buf);
	close(fd);
	return 0;
}

/*
 * Each period of instructions is one sample. A throttled event does not count: then a longer
 * period is tried.
 */
static void check_overflow(const struct options *options)
{
	struct overflows count = { .throttled = true };
	__u64 due = 0, period;

	for (period = 50000; count.throttled && period < TURNS; period *= 4) {
		int err = count_overflows(period, &count);

		if (err) {
			result(ABSENT, "overflow", "%s", perf_errname(err));
			return;
		}
		due = TURNS * INSTRUCTIONS / period;
	}
	result(count.samples < due || count.samples > due + 1 || count.outside ? FAIL : PASS,
	       "overflow", "%llu samples of %llu periods, %llu in the kernel%s", count.samples, due,
	       count.outside, count.throttled ? ", throttled" : "");
}

#ifdef __x86_64__
static void check_rdpmc(const struct options *options)
{
	struct perf_event_attr attr = user_instructions();
	const struct perf_event_mmap_page *page;
	__u64 by_page = 0, by_call;
	bool read;
	int fd;

	attr.disabled = 0;
	attr.read_format = 0;
	fd = perf_open_self(attr);
	if (fd < 0) {
		result(ABSENT, "rdpmc", "%s", perf_errname(fd));
		return;
	}
	page = mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || !page->cap_user_rdpmc) {
		result(ABSENT, "rdpmc", "the control page does not allow it");
		close(fd);
		return;
	}
	spin(TURNS);
	read = read_self(page, &by_page);
	by_call = perf_count(fd);
	result(read && by_call >= by_page && by_call - by_page < MORE ? PASS : FAIL, "rdpmc",
	       "%llu, and %llu by read() right after it", by_page, by_call);
	munmap((void *)page, page_size);
	close(fd);
}
#else
static void check_rdpmc(const struct options *options)
{
	result(ABSENT, "rdpmc", "an instruction of x86");
}
#endif

/* A counter of a CPU that goes offline and comes back counts again. */
static void check_hotplug(const struct options *options)
{
	struct perf_event_attr attr = PERF_HW(CPU_CYCLES);
	int cpu = options->hotplug_cpu, fd;
	__u64 before, after;

	if (!options->hotplug || cpu <= 0 || cpu == options->cpus[0]) {
		result(ABSENT, "hotplug", options->hotplug ? "no CPU can go offline" :
		       "not requested");
		return;
	}
	if (cpu_set_online(cpu, false) || cpu_set_online(cpu, true)) {
		result(FAIL, "hotplug", "CPU %d does not go offline and online", cpu);
		return;
	}
	fd = perf_open(attr, -1, cpu, -1);
	if (fd < 0) {
		result(fd == -ENOENT ? ABSENT : FAIL, "hotplug", "%s", perf_errname(fd));
		return;
	}
	pin_to_cpu(cpu);
	before = perf_count(fd);
	spin(TURNS);
	after = perf_count(fd);
	pin_to_cpu(options->cpus[0]);
	close(fd);
	result(after - before >= TURNS / 4 ? PASS : FAIL, "hotplug",
	       "%llu cycles of a loop on CPU %d, which was offline", after - before, cpu);
}

/* The PMU does not have it. The kernel says why: a boot parameter may have switched it off. */
static void result_refused(const char *name, int err)
{
	char why[256] = "";

	file_read("/proc/self/perf_event_refusal", why, sizeof(why));
	why[strcspn(why, "\n")] = 0;
	result(ABSENT, name, "%s%s%s", perf_errname(err), *why ? ": " : "", why);
}

/* The highest precise_ip that the PMU accepts, and where its samples are. */
static void check_precise(const struct options *options)
{
	struct perf_event_attr attr = user_instructions();
	const struct perf_event_header *header;
	__u64 samples = 0, with = 0;
	struct perf_buf buf;
	int fd = -ENOENT, level;

	attr.read_format = 0;
	attr.sample_period = 100003;
	attr.sample_type = PERF_SAMPLE_IP;
	for (level = 3; level > 0 && fd < 0; level--) {
		attr.precise_ip = level;
		fd = perf_open_self(attr);
	}
	if (fd < 0) {
		result_refused("precise", fd);
		return;
	}
	if (perf_buf_map(&buf, fd, 8)) {
		result(FAIL, "precise", "the buffer cannot be mapped");
		close(fd);
		return;
	}
	perf_enable(fd);
	spin(TURNS);
	perf_disable(fd);
	while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
		samples++;
		with += !!(header->misc & PERF_RECORD_MISC_EXACT_IP);
	}
	perf_buf_unmap(&buf);
	close(fd);
	result(samples ? PASS : FAIL, "precise", "precise_ip %d: %llu samples, %llu exact",
	       attr.precise_ip, samples, with);
}

/* Branches of a loop: each entry has the loop's addresses, and none is in the kernel. */
static void check_branches(const struct options *options)
{
	struct perf_event_attr attr = user(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	const struct perf_event_header *header;
	__u64 entries = 0, kernel = 0, i;
	struct perf_buf buf;
	struct perf_rec rec;
	int fd;

	attr.read_format = 0;
	attr.sample_period = 100003;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	fd = perf_open_self(attr);
	if (fd < 0) {
		result_refused("branches", fd);
		return;
	}
	if (perf_buf_map(&buf, fd, 64)) {
		result(FAIL, "branches", "the buffer cannot be mapped");
		close(fd);
		return;
	}
	perf_enable(fd);
	spin(TURNS);
	perf_disable(fd);
	while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
		if (!perf_rec_parse(&attr, header, &rec))
			continue;
		entries += rec.nr_branches;
		for (i = 0; i < rec.nr_branches; i++)
			kernel += (__s64)rec.branches[i].from < 0 || (__s64)rec.branches[i].to < 0;
	}
	perf_buf_unmap(&buf);
	close(fd);
	result(entries && !kernel ? PASS : FAIL, "branches",
	       "%llu entries, %llu with an address of the kernel", entries, kernel);
}

static const struct {
	const char	*name;
	void		(*run)(const struct options *options);
} checks[] = {
	{ "generic", check_generic },
	{ "counters", check_all_counters },
	{ "overflow", check_overflow },
	{ "rdpmc", check_rdpmc },
	{ "precise", check_precise },
	{ "branches", check_branches },
	{ "energy", check_energy },
	{ "idle", check_idle },
	{ "nmi", check_interrupts },
	{ "hotplug", check_hotplug },
};

static bool is_requested(const char *name, char **requested)
{
	if (!*requested)
		return true;
	for (; *requested; requested++) {
		if (!strcmp(*requested, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "hotplug", no_argument, NULL, 'h' },
		{ },
	};
	static struct options options = { .seconds = 60 };
	size_t i;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) >= 0) {
		switch (c) {
		case 's':
			options.seconds = atoi(optarg);
			break;
		case 'h':
			options.hotplug = true;
			break;
		default:
			fprintf(stderr, "usage: perf_check [--seconds N] [--hotplug] [CHECK...]\n");
			return 2;
		}
	}
	options.nr_cpus = list_cpus(options.cpus, CHECK_CPUS);
	options.hotplug_cpu = hotplug_cpu();
	pin_to_cpu(options.cpus[0]);
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		if (is_requested(checks[i].name, argv + optind))
			checks[i].run(&options);
	}
	return nr_failed ? 1 : 0;
}
