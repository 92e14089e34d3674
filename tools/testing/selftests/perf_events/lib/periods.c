// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "listen.h"
#include "perf_test.h"
#include "periods.h"

/* What read() returns with the times and PERF_FORMAT_LOST. */
struct timed_lost {
	struct perf_timed timed;
	__u64 lost;
};

/**
 * perf_periods_of() - Count the periods and the samples of an event of this task
 * @periods: Output.
 * @attr: Attributes with a period.
 * @work: Makes the event occur; called PERF_PERIODS_ROUNDS times.
 * @lossy: Use a small buffer that is read only once, in the middle. Records of the event other
 *	than samples may be lost as well there, and are counted.
 *
 * Return: 0, or a negative errno.
 */
int perf_periods_of(struct perf_periods *periods, struct perf_event_attr attr,
		    void (*work)(void), bool lossy)
{
	struct timed_lost got;
	/* of the first call: the task is bound to one of them afterwards */
	static int cpus[2], nr_cpus;
	struct perf_listener l;
	int err, i;

	if (!nr_cpus)
		nr_cpus = list_cpus(cpus, 2);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	attr.read_format = PERF_ALL_TIMES | PERF_FORMAT_LOST;
	attr.disabled = 1;
	err = perf_listen_pages(&l, attr, 0, -1, lossy ? 1 : 64);
	if (err)
		return err;

	*periods = (struct perf_periods){};
	for (i = 0; i < PERF_PERIODS_ROUNDS; i++) {
		pin_to_cpu(cpus[i % nr_cpus]);
		if (i % 3 == 0)
			perf_enable(l.fd);
		work();
		if (i % 3 == 2)
			perf_disable(l.fd);
		if (!lossy || i == PERF_PERIODS_ROUNDS / 2)
			periods->samples += perf_listen_count(&l, PERF_RECORD_SAMPLE);
	}
	periods->samples += perf_listen_count(&l, PERF_RECORD_SAMPLE);

	if (read(l.fd, &got, sizeof(got)) != sizeof(got))
		memset(&got, 0xff, sizeof(got));
	periods->ended = got.timed.value / attr.sample_period;
	periods->lost = got.lost;
	periods->rotated = got.timed.running < got.timed.enabled;
	return perf_listen_end(&l) ? -EIO : 0;
}
