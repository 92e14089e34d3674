// SPDX-License-Identifier: GPL-2.0
/*
 * The file behind an event's descriptor: lookup, poll(2), signals, close(2). read.c
 * implements read(2), ioctl.c implements ioctl(2).
 */
#include <linux/file.h>
#include <linux/poll.h>

#include "../base/event.h"
#include "../buffer/attach.h"
#include "../buffer/mmap.h"
#include "../lifetime/event.h"
#include "file.h"
#include "ioctl.h"
#include "read.h"

static int perf_release(struct inode *inode, struct file *file)
{
	/* NULL if perf_event_open(2) failed after it had created the file */
	if (file->private_data)
		perf_event_close(file->private_data);
	return 0;
}

/* It could not move with its PMU. An event in error that has a context can be enabled again. */
static bool perf_event_is_left_behind(struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR &&
	       !(READ_ONCE(event->attach_state) & PERF_ATTACH_CONTEXT);
}

/* Whether neither the event nor a child event will count any more. */
static bool perf_event_is_over(struct perf_event *event)
{
	if (perf_event_is_left_behind(event))
		return true;
	if (READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT)
		return false;
	/* pairs with perf_child_add_to_parent() */
	smp_mb();
	return !event->attr.inherit || list_empty_careful(&event->child_list);
}

static __poll_t perf_poll(struct file *file, poll_table *wait)
{
	struct perf_event *event = file->private_data;

	poll_wait(file, &event->waitq, wait);
	return perf_event_is_over(event) ? EPOLLHUP : perf_event_poll_output(event);
}

static int perf_fasync(int fd, struct file *file, int on)
{
	struct perf_event *event = file->private_data;

	guard(rwsem_write)(&file_inode(file)->i_rwsem);
	return fasync_helper(fd, file, on, &event->fasync);
}

const struct file_operations perf_event_fops = {
	.owner		= THIS_MODULE,
	.release	= perf_release,
	.read		= perf_event_read_file,
	.poll		= perf_poll,
	.unlocked_ioctl	= perf_event_ioctl,
	.compat_ioctl	= perf_event_compat_ioctl,
	.mmap		= perf_event_mmap_file,
	.fasync		= perf_fasync,
};

/**
 * perf_event_get() - the file of a descriptor, if it is an event
 * @fd: descriptor of current
 *
 * Return: the file, referenced, whose private_data is the event; ERR_PTR(-EBADF).
 */
struct file *perf_event_get(unsigned int fd)
{
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (!perf_event_of_file(file)) {
		fput(file);
		return ERR_PTR(-EBADF);
	}
	return file;
}

/**
 * perf_get_event() - the event behind an open file
 * @file: the file
 *
 * Return: the event, or ERR_PTR(-EINVAL).
 */
const struct perf_event *perf_get_event(struct file *file)
{
	return perf_event_of_file(file) ?: ERR_PTR(-EINVAL);
}
