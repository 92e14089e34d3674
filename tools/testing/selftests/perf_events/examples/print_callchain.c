// SPDX-License-Identifier: GPL-2.0
/*
 * Which functions lead to a page fault? Prints the callchain of each sample. The kernel
 * follows frame pointers: build with -fno-omit-frame-pointer. Compilers still leave them
 * out of small functions that call no other; then their caller is missing in the chain.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A function in a section of its own: the linker defines where that begins and ends. */
#define FUNCTION(name)							\
	extern const char __start_in_##name[], __stop_in_##name[];	\
	static __attribute__((noinline, section("in_" #name)))		\
	void name(volatile char *memory)

/* Behind the last call of a function: otherwise it could become a jump. */
static inline void barrier(void)
{
	asm volatile("" : : : "memory");
}

static __attribute__((noinline)) void call_another(void)
{
	barrier();
}

FUNCTION(write_to)
{
	call_another();		/* so that it has a frame before and after the write */
	*memory = 1;
	call_another();
	barrier();
}

FUNCTION(caller)
{
	write_to(memory);
	barrier();
}

FUNCTION(callers_caller)
{
	caller(memory);
	barrier();
}

static const struct {
	const char *name, *start, *stop;
} functions[] = {
	{ "write_to", __start_in_write_to, __stop_in_write_to },
	{ "caller", __start_in_caller, __stop_in_caller },
	{ "callers_caller", __start_in_callers_caller, __stop_in_callers_caller },
};

#define NR (sizeof(functions) / sizeof(functions[0]))

/* A sample with sample_type = PERF_SAMPLE_CALLCHAIN. */
struct sample {
	struct perf_event_header header;
	__u64 nr;
	__u64 ips[];
};

/* Print the chain, the innermost function first. Returns how many are as expected. */
static unsigned int print(const struct sample *sample)
{
	unsigned int found = 0, i;
	__u64 ip;

	for (i = 0; i < sample->nr; i++) {
		ip = sample->ips[i];
		if (ip == PERF_CONTEXT_USER) {	/* a marker: user space begins */
			printf("user space:\n");
		} else if (found < NR && ip >= (unsigned long)functions[found].start &&
			   ip < (unsigned long)functions[found].stop) {
			printf("    %s()\n", functions[found].name);
			found++;
		}
	}
	return found;
}

int main(void)
{
	struct perf_event_mmap_page *control;
	struct perf_event_attr attr;
	const struct sample *sample;
	long page = sysconf(_SC_PAGESIZE);
	unsigned int found = 0;
	const char *data;
	__u64 head, tail;
	char *memory, other;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_callchain_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	control = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory = mmap(NULL, page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (control == MAP_FAILED || memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	callers_caller(&other);		/* now its code is in memory */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	callers_caller(memory);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	data = (const char *)control + control->data_offset;
	if (head > control->data_size)
		return 1;
	for (tail = 0; tail < head; tail += sample->header.size) {
		sample = (const void *)(data + tail);
		if (sample->header.type == PERF_RECORD_SAMPLE)
			found = print(sample);
	}
	return found != NR;
}
