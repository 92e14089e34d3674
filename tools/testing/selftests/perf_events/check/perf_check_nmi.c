// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts of the PMU under load: two events that sample on each CPU. The kernel reports
 * an interrupt that no handler claims ("NMI received for unknown reason"), and an overflow
 * that was not handled appears as a period without a sample.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/perf_test.h"
#include "perf_check.h"

#define PERIOD		1000003ULL

/* The events of a CPU, and its number of samples and of lost ones. */
struct sampled {
	int		fds[2];
	struct perf_buf	buf[2];
	__u64		samples[2];
	__u64		lost[2];
};

static struct sampled *cpus[CHECK_CPUS];

/* Lines of the kernel's log about interrupts that no handler has claimed, or -1. */
static long unknown_interrupts(void)
{
	char line[512];
	long nr = 0;
	FILE *log;

	log = popen("dmesg 2>/dev/null", "r");
	if (!log)
		return -1;
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, "NMI received for unknown reason") ||
		    strstr(line, "Dazed and confused"))
			nr++;
	}
	return pclose(log) ? -1 : nr;
}

static int open_on(struct sampled *cpu, int nr)
{
	static const __u64 ids[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS };
	int i;

	for (i = 0; i < 2; i++) {
		struct perf_event_attr attr =
			PERF_ATTR(PERF_TYPE_HARDWARE, ids[i], .sample_period = PERIOD,
				  .sample_type = PERF_SAMPLE_CPU, .disabled = 1,
				  .read_format = PERF_FORMAT_LOST);

		cpu->fds[i] = perf_open(attr, -1, nr, -1);
		if (cpu->fds[i] < 0)
			return cpu->fds[i];
		if (perf_buf_map(&cpu->buf[i], cpu->fds[i], 64))
			return -ENOMEM;
	}
	return 0;
}

static void drain(void)
{
	int nr, i;

	for (nr = 0; nr < CHECK_CPUS; nr++) {
		for (i = 0; cpus[nr] && i < 2; i++) {
			while (perf_buf_next_of(&cpus[nr]->buf[i], PERF_RECORD_SAMPLE))
				cpus[nr]->samples[i]++;
		}
	}
}

/* Keep all CPUs busy in children. */
static void start_load(const struct options *options, pid_t *pids)
{
	for (int nr = 0; nr < options->nr_cpus; nr++) {
		pids[nr] = fork_child();
		if (!pids[nr]) {
			pin_to_cpu(options->cpus[nr]);
			for (;;)
				spin_and_call(100);
		}
	}
}

/* Each period that a count contains must be a sample, or counted as lost. */
static void judge(long unknown_before)
{
	__u64 periods = 0, samples = 0, missing = 0;
	long unknown = unknown_interrupts();
	int nr, i;

	for (nr = 0; nr < CHECK_CPUS; nr++) {
		for (i = 0; cpus[nr] && i < 2; i++) {
			struct perf_count_lost count = perf_counted(cpus[nr]->fds[i]);
			__u64 due = count.value / PERIOD;
			__u64 got = cpus[nr]->samples[i] + count.lost;

			periods += due;
			samples += got;
			/* a throttled event does not count, so none of its periods is missing */
			if (got + 1 < due)
				missing += due - got;
		}
	}
	result(missing || !samples ? FAIL : PASS, "interrupts handled",
	       "%llu periods, %llu samples, %llu missing", periods, samples, missing);
	if (unknown < 0)
		result(ABSENT, "interrupts claimed", "the kernel's log cannot be read");
	else
		result(unknown > unknown_before ? FAIL : PASS, "interrupts claimed",
		       "%ld unknown", unknown - unknown_before);
}

/**
 * check_interrupts() - Sample two events on each CPU under load
 * @options: For how long.
 */
void check_interrupts(const struct options *options)
{
	static pid_t pids[CHECK_CPUS];
	long unknown = unknown_interrupts();
	int nr, i, cpu, err = 0;

	for (nr = 0; nr < options->nr_cpus && !err; nr++) {
		cpu = options->cpus[nr];
		cpus[cpu] = calloc(1, sizeof(*cpus[cpu]));
		err = cpus[cpu] ? open_on(cpus[cpu], cpu) : -ENOMEM;
	}
	if (err) {
		result(ABSENT, "interrupts handled", "%s", perf_errname(err));
		return;
	}
	start_load(options, pids);
	for (nr = 0; nr < CHECK_CPUS; nr++) {
		for (i = 0; cpus[nr] && i < 2; i++)
			perf_enable(cpus[nr]->fds[i]);
	}
	for (i = 0; i < options->seconds * 20; i++) {
		sleep_ms(50);
		drain();
	}
	for (nr = 0; nr < CHECK_CPUS; nr++) {
		for (i = 0; cpus[nr] && i < 2; i++)
			perf_disable(cpus[nr]->fds[i]);
	}
	drain();
	for (i = 0; i < options->nr_cpus; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	judge(unknown);
}
