// SPDX-License-Identifier: GPL-2.0
#include "listen.h"
#include "perf_test.h"

/**
 * perf_listen_pages() - Open an event and map its buffer
 * @l: The listener.
 * @attr: Attributes.
 * @pid: Task, 0 for the caller, -1 for any.
 * @cpu: CPU, -1 for any.
 * @pages: Data pages of the buffer.
 *
 * Return: 0, or a negative errno.
 */
int perf_listen_pages(struct perf_listener *l, struct perf_event_attr attr,
		      pid_t pid, int cpu, size_t pages)
{
	int ret;

	l->attr = attr;
	l->header = NULL;
	l->damaged = 0;
	l->fd = perf_open(attr, pid, cpu, -1);
	if (l->fd < 0)
		return l->fd;
	ret = perf_buf_map(&l->buf, l->fd, pages);
	if (ret)
		close(l->fd);
	return ret;
}

/**
 * perf_listen() - Open an event and map a buffer of PERF_LISTEN_PAGES
 * @l: The listener.
 * @attr: Attributes.
 * @pid: Task, 0 for the caller, -1 for any.
 * @cpu: CPU, -1 for any.
 *
 * Return: 0, or a negative errno.
 */
int perf_listen(struct perf_listener *l, struct perf_event_attr attr, pid_t pid,
		int cpu)
{
	return perf_listen_pages(l, attr, pid, cpu, PERF_LISTEN_PAGES);
}

/**
 * perf_listen_self() - Open an event of the calling thread and map its buffer
 * @l: The listener.
 * @attr: Attributes.
 *
 * Return: 0, or a negative errno.
 */
int perf_listen_self(struct perf_listener *l, struct perf_event_attr attr)
{
	return perf_listen(l, attr, 0, -1);
}

/**
 * perf_listen_next() - Read a record and parse it into @l->rec
 * @l: The listener.
 *
 * Return: False if all records were read.
 */
bool perf_listen_next(struct perf_listener *l)
{
	l->header = perf_buf_next(&l->buf);
	if (!l->header)
		return false;
	if (!perf_rec_parse(&l->attr, l->header, &l->rec))
		l->damaged++;
	return true;
}

/**
 * perf_listen_of() - Read records up to one of a type
 * @l: The listener.
 * @type: PERF_RECORD_*.
 *
 * Return: False if there is none.
 */
bool perf_listen_of(struct perf_listener *l, __u32 type)
{
	while (perf_listen_next(l))
		if (l->header->type == type)
			return true;
	return false;
}

/**
 * perf_listen_body() - Get what follows the header of the current record
 * @l: The listener.
 *
 * Return: The record's body.
 */
const void *perf_listen_body(const struct perf_listener *l)
{
	return l->header + 1;
}

/**
 * perf_listen_count() - Read all records and count the records of a type
 * @l: The listener.
 * @type: PERF_RECORD_*.
 *
 * Return: Their number.
 */
int perf_listen_count(struct perf_listener *l, __u32 type)
{
	int nr = 0;

	while (perf_listen_of(l, type))
		nr++;
	return nr;
}

/**
 * perf_listen_throttled() - Read all records, and look for records of throttling
 * @l: The listener.
 * @before: The event was throttled before these records.
 *
 * Return: Whether it is throttled after them.
 */
bool perf_listen_throttled(struct perf_listener *l, bool before)
{
	while (perf_listen_next(l)) {
		if (l->header->type == PERF_RECORD_THROTTLE)
			before = true;
		else if (l->header->type == PERF_RECORD_UNTHROTTLE)
			before = false;
	}
	return before;
}

/**
 * perf_listen_new_period() - Run until an event is throttled, and give it another period
 * @l: The listener of a sampling event that counts.
 * @period: The period, too long to throttle the event again.
 *
 * Return: 1 if that has ended throttling, 0 if not, -1 if the event is never throttled or the
 * period is refused.
 */
int perf_listen_new_period(struct perf_listener *l, __u64 period)
{
	bool throttled = false;
	int i;

	for (i = 0; i < PATIENCE_MS && !throttled; i++) {
		burn_cpu(NSEC_PER_MSEC);
		throttled = perf_listen_throttled(l, false);
	}
	if (!throttled || perf_ioctl(l->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period))
		return -1;
	return !perf_listen_throttled(l, true);
}

/**
 * perf_listen_end() - Unmap the buffer and close the event
 * @l: The listener.
 *
 * Return: The number of damaged records.
 */
int perf_listen_end(struct perf_listener *l)
{
	int bad = l->damaged + l->buf.bad;

	perf_buf_unmap(&l->buf);
	close(l->fd);
	return bad;
}
