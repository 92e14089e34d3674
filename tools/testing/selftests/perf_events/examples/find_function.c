// SPDX-License-Identifier: GPL-2.0
/*
 * Where in which file is the instruction pointer of another program's sample? Samples have
 * addresses; MMAP2 records say which file is mapped there. The place in the file is what
 * symbol tables and "addr2line" need, wherever the program was loaded.
 *
 * Usage: find_function [COMMAND...]. Without a command it samples itself, as another process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA_PAGES	64		/* a power of two; one more for control */
#define RECORD_MAX	4096		/* bytes of the largest record, of a long file name */
#define PERIOD_NS	1000000
#define MAPPINGS_MAX	64
#define PLACES_MAX	256
#define ROUNDS		100000000L

/* The linker defines where the section begins and ends. */
extern const char __start_in_loop[], __stop_in_loop[];

static __attribute__((noinline, section("in_loop"))) void loop(long rounds)
{
	while (rounds--)
		asm volatile("" : "+r" (rounds));
}

/* sample_type = PERF_SAMPLE_IP */
struct sample {
	struct perf_event_header header;
	__u64 ip;
};

struct mmap2 {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	__u32 maj, min;
	__u64 ino, ino_generation;
	__u32 prot, flags;
	char filename[];
};

static const struct mmap2 *mappings[MAPPINGS_MAX];
static int nr_mappings;

/* A later mapping can replace an earlier one. */
static const struct mmap2 *find(__u64 ip)
{
	int i;

	for (i = nr_mappings - 1; i >= 0; i--)
		if (ip - mappings[i]->addr < mappings[i]->len)
			return mappings[i];
	return NULL;
}

/* A place in a file, and its samples */
static struct place {
	const char *file;
	__u64 offset;
	int samples;
} places[PLACES_MAX];
static int nr_places;

static void count(__u64 ip)
{
	const struct mmap2 *mapping = find(ip);
	const char *file = mapping ? mapping->filename : "unknown";
	__u64 offset = mapping ? ip - mapping->addr + mapping->pgoff : ip;
	int i;

	for (i = 0; i < nr_places; i++)
		if (places[i].offset == offset && !strcmp(places[i].file, file))
			break;
	if (i == PLACES_MAX)
		return;
	if (i == nr_places)
		places[nr_places++] = (struct place){ .file = file, .offset = offset };
	places[i].samples++;
}

static int open_sampled(pid_t pid)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.mmap = 1;		/* of code */
	attr.mmap2 = 1;
	attr.exclude_kernel = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Executes the command when a byte comes from the parent. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t child;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	child = fork();
	if (child == 0) {
		/* so that the read ends with the parent */
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	*go = ends[1];
	return child;
}

int main(int argc, char **argv)
{
	char *itself[] = { "/proc/self/exe", "loop", NULL };
	long page = sysconf(_SC_PAGESIZE);
	const struct perf_event_header *header;
	const struct place *hot = places;
	struct perf_event_mmap_page *control;
	int fd, go = -1, i, nr = 0;
	const char *data;
	__u64 head, tail;
	pid_t child;

	if (argc == 2 && !strcmp(argv[1], "loop")) {
		loop(ROUNDS);
		return 0;
	}
	child = start(argc > 1 ? argv + 1 : itself, &go);
	if (child < 0) {
		perror("fork");
		return 1;
	}
	fd = open_sampled(child);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	control = mmap(NULL, (1 + DATA_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED || write(go, "", 1) != 1) {
		perror("mmap");
		return 1;
	}
	waitpid(child, NULL, 0);

	/* Nothing was read before: no record is split, and those that did not fit are lost. */
	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	data = (const char *)control + control->data_offset;
	if (head + RECORD_MAX > control->data_size)
		fprintf(stderr, "the buffer is full: later samples are missing\n");
	for (tail = 0; tail < head; tail += header->size) {
		header = (const void *)(data + tail);
		if (header->type == PERF_RECORD_MMAP2 && nr_mappings < MAPPINGS_MAX) {
			mappings[nr_mappings++] = (const void *)header;
		} else if (header->type == PERF_RECORD_SAMPLE) {
			count(((const struct sample *)header)->ip);
			nr++;
		}
	}
	for (i = 1; i < nr_places; i++)
		if (places[i].samples > hot->samples)
			hot = &places[i];
	if (!nr) {
		fprintf(stderr, "there are no samples\n");
		return 1;
	}
	printf("most of %d samples: %d at offset %#llx of %s\n", nr, hot->samples, hot->offset,
	       strrchr(hot->file, '/') ?: hot->file);
	/* An address and its offset in the file differ by whole pages. */
	return argc < 2 && ((hot->offset - (unsigned long)__start_in_loop) & (page - 1)) >=
			   (unsigned long)(__stop_in_loop - __start_in_loop);
}
