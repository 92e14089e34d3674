// SPDX-License-Identifier: GPL-2.0
/*
 * A signal in the thread that writes to a variable, at the instruction that does it: the
 * attribute sigtrap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIPPED	4	/* the exit status of a kselftest that cannot run */

#define MARK 0x1234

static volatile long watched;
static volatile sig_atomic_t traps;
static void *volatile address;
static volatile unsigned long data;
static int fd;

/*
 * x86 traps behind the access. arm64 traps before it, so the access would trap again
 * after the handler: the handler must disable the event.
 */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	traps++;
	address = info->si_addr;
	/* si_perf_data, which older C libraries do not name, is the field behind it. */
	data = *(unsigned long *)(&info->si_addr + 1);
}

int main(void)
{
	struct sigaction action;
	struct perf_event_attr attr;
	int status;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, NULL);

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.sample_period = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;	/* sigtrap requires it: an exec resets handlers */
	attr.sig_data = MARK;		/* which event it was, for the handler */
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		/* ENOENT, or ENODEV: no debug registers */
		status = errno == ENOENT || errno == ENODEV ? SKIPPED : 1;
		perror("perf_event_open");
		return status;
	}

	watched = 1;
	watched = 2;			/* the event is disabled now */

	printf("%d trap, at the address of the variable: %s, with data 0x%lx\n",
	       (int)traps, address == &watched ? "yes" : "no", data);
	return traps != 1 || address != (void *)&watched || data != MARK;
}
