/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctl(2) on an event's descriptor.
 */
#ifndef _KERNEL_EVENTS_IOCTL_H
#define _KERNEL_EVENTS_IOCTL_H

struct file;

long perf_event_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long perf_event_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#else
#define perf_event_compat_ioctl NULL
#endif

#endif /* _KERNEL_EVENTS_IOCTL_H */
