// SPDX-License-Identifier: GPL-2.0
/*
 * Read a buffer that wraps around and overflows, and account for each sample: the number
 * of page faults is the number of samples read plus the number of samples lost.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR)

/* The layout follows from SAMPLE_TYPE: the fields in the order of the header file. */
struct sample {
	struct perf_event_header header;
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u64 addr;
};

struct lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

union record {
	struct perf_event_header header;
	struct sample sample;
	struct lost lost;
	char bytes[65536];	/* header.size has 16 bits */
};

static struct perf_event_mmap_page *control;
static __u64 samples, lost, wrapped, last_time;

/* Copy a part of the data area. It may go on at the beginning. */
static void copy_out(void *to, __u64 from, __u64 length)
{
	const char *data = (const char *)control + control->data_offset;
	__u64 offset = from % control->data_size;
	__u64 first = control->data_size - offset;

	if (first > length)
		first = length;
	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, length - first);
	wrapped += first < length;
}

static void handle(const union record *record)
{
	switch (record->header.type) {
	case PERF_RECORD_SAMPLE:
		samples++;
		if (record->sample.pid != (__u32)getpid() ||
		    record->sample.time < last_time) {
			fprintf(stderr, "sample %llu is damaged\n", samples);
			exit(1);
		}
		last_time = record->sample.time;
		break;
	case PERF_RECORD_LOST:
		lost += record->lost.lost;
		break;
	default:
		break;		/* a reader skips what it does not know */
	}
}

static void drain(void)
{
	static union record record;
	/* Records before data_head are complete: read them only after it. */
	__u64 head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = control->data_tail;

	while (tail < head) {
		copy_out(&record.header, tail, sizeof(record.header));
		copy_out(&record, tail, record.header.size);
		handle(&record);
		tail += record.header.size;
	}
	/* The kernel may write over the records from here on: all reads are before it. */
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

/* Touch a page that is new each time. */
static void fault(__u64 times)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	while (times--) {
		*page = 1;
		madvise((void *)page, size, MADV_DONTNEED);
	}
	munmap((void *)page, size);
}

int main(void)
{
	struct perf_event_attr attr;
	struct {
		__u64 count;
		__u64 lost;
	} value;
	__u64 room;
	int fd, i;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.sample_type = SAMPLE_TYPE;
	attr.read_format = PERF_FORMAT_LOST;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	/* A single page of data: about a hundred samples, more if pages are large. */
	control = mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (control == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	room = control->data_size / sizeof(struct sample);
	for (i = 0; i < 10; i++) {
		fault(room / 2);
		drain();
	}
	printf("read in time: %llu samples, %llu lost, %llu in two pieces\n",
	       samples, lost, wrapped);

	fault(room * 5);
	drain();
	fault(1);	/* its sample follows the record of what was lost */
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain();

	if (read(fd, &value, sizeof(value)) != sizeof(value)) {
		perror("read");
		return 1;
	}
	printf("read too late: %llu samples, %llu lost\n", samples, lost);
	printf("%llu page faults, %llu lost\n", value.count, value.lost);
	return !wrapped || !lost || lost != value.lost ||
	       samples + lost != value.count;
}
