// SPDX-License-Identifier: GPL-2.0
/*
 * A program that samples itself: where does its CPU time go?
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAMPLES		300
#define PERIOD_NS	1000000
#define DATA_PAGES	8		/* a power of two; one more for control */

/* The linker defines where each section begins and ends. */
#define FUNCTION(name)							\
	extern const char __start_in_##name[], __stop_in_##name[];	\
	static __attribute__((noinline, section("in_" #name))) void name(void)

static inline __attribute__((always_inline)) void work(long rounds)
{
	while (rounds--)
		asm volatile("" : "+r" (rounds));
}

FUNCTION(short_work)
{
	work(100000);
}

FUNCTION(long_work)
{
	work(300000);
}

/* A sample with sample_type = PERF_SAMPLE_IP. */
struct sample {
	struct perf_event_header header;
	__u64 ip;
};

static int within(__u64 ip, const char *start, const char *stop)
{
	return ip >= (unsigned long)start && ip < (unsigned long)stop;
}

int main(void)
{
	int in_short = 0, in_long = 0, elsewhere = 0, fd;
	struct perf_event_mmap_page *control;
	struct perf_event_attr attr;
	const struct sample *sample;
	long page = sysconf(_SC_PAGESIZE);
	const char *data;
	__u64 head, tail;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	control = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (control == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	/* All samples fit into the buffer, so it is read only at the end. */
	do {
		short_work();
		long_work();
		head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	} while (head < SAMPLES * sizeof(struct sample));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	data = (const char *)control + control->data_offset;
	if (head > control->data_size)
		return 1;
	for (tail = 0; tail < head; tail += sample->header.size) {
		sample = (const void *)(data + tail);
		if (sample->header.type != PERF_RECORD_SAMPLE)
			continue;
		if (within(sample->ip, __start_in_short_work, __stop_in_short_work))
			in_short++;
		else if (within(sample->ip, __start_in_long_work, __stop_in_long_work))
			in_long++;
		else
			elsewhere++;
	}
	printf("short_work %d samples, long_work %d, elsewhere %d\n",
	       in_short, in_long, elsewhere);
	return !in_short || in_long < in_short;
}
