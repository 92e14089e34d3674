/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What nearly every perf_events selftest includes: the system's headers and the parts
 * of the library for opening events, small files, CPUs, tasks, loads and tries.
 */
#ifndef PERF_TEST_H
#define PERF_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "cpu.h"
#include "event.h"
#include "file.h"
#include "load.h"
#include "task.h"
#include "tries.h"

#endif /* PERF_TEST_H */
