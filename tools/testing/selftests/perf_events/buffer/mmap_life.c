// SPDX-License-Identifier: GPL-2.0
/*
 * A mapped buffer: how it can be accessed, the effect of mprotect(), mremap(),
 * madvise() and of unmapping a part, and its lifetime.
 */
#include <setjmp.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define RW	(PROT_READ | PROT_WRITE)

static struct perf_event_attr faults(void)
{
	return PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
		       .sample_type = PERF_SAMPLE_ADDR);
}

/* Returns the signal that an access raises, or 0. */
static sigjmp_buf after_fault;

static void leave_access(int sig)
{
	siglongjmp(after_fault, sig);
}

static int access_signal(void *where, bool write)
{
	volatile char *c = where;
	int sig;

	signal(SIGSEGV, leave_access);
	signal(SIGBUS, leave_access);
	sig = sigsetjmp(after_fault, 1);
	if (!sig) {
		if (write)
			*c = 0;
		else
			(void)*c;
	}
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	return sig;
}

static int perf_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	if (!maps)
		return -1;
	while (fgets(line, sizeof(line), maps))
		n += !!strstr(line, "[perf_event]");
	fclose(maps);
	return n;
}

FIXTURE(mapped)
{
	int fd;
	struct perf_buf buf;
	char *at;
	size_t length;
};

FIXTURE_SETUP(mapped)
{
	self->fd = perf_open_self(faults());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 8));
	self->at = (char *)self->buf.meta;
	self->length = self->buf.length;
}

FIXTURE_TEARDOWN(mapped)
{
}

/* Access */

TEST_F(mapped, access)
{
	struct perf_buf *buf = &self->buf;

	EXPECT_EQ(0, access_signal(buf->meta, false));
	EXPECT_EQ(0, access_signal(&buf->meta->data_tail, true));
	EXPECT_EQ(0, access_signal(buf->data, false));
	EXPECT_EQ(0, access_signal(buf->data + 7 * page_size, false));
	/* Records cannot be written. */
	EXPECT_EQ(SIGBUS, access_signal(buf->data, true));
	EXPECT_EQ(SIGBUS, access_signal(buf->data + 7 * page_size, true));
	EXPECT_TRUE(perf_buf_works(buf, self->fd));
}

TEST(access_read_only)
{
	int fd = perf_open_self(faults());
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map_prot(&buf, fd, 8, PROT_READ));
	EXPECT_EQ(0, access_signal(buf.meta, false));
	EXPECT_EQ(0, access_signal(buf.data, false));
	EXPECT_EQ(SIGSEGV, access_signal(buf.meta, true));
	EXPECT_EQ(SIGSEGV, access_signal(buf.data, true));
	/* The same pages as in the writable mapping. */
	ASSERT_EQ(0, mprotect(buf.meta, buf.length, RW));
	EXPECT_EQ(0, access_signal(&buf.meta->data_tail, true));
	EXPECT_EQ(SIGBUS, access_signal(buf.data, true));
	ASSERT_EQ(0, mprotect(buf.meta, buf.length, PROT_NONE));
	EXPECT_EQ(SIGSEGV, access_signal(buf.meta, false));
	ASSERT_EQ(0, mprotect(buf.meta, buf.length, PROT_READ));
	EXPECT_TRUE(perf_buf_works(&buf, fd));
}

/* The kernel cannot write there on behalf of the user, either. */
TEST_F(mapped, kernel_writes_for_user)
{
	int zero = open("/dev/zero", O_RDONLY);

	ASSERT_LE(0, zero);
	EXPECT_EQ(8, read(zero, &self->buf.meta->data_tail, 8));
	EXPECT_EQ(-1, read(zero, self->buf.data, 8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
}

/* Lifetime */

TEST_F(mapped, fd_closed_first)
{
	stay_resident();
	perf_buf_touch(&self->buf);
	perf_fault(self->fd, 3);
	close(self->fd);
	EXPECT_EQ(3, perf_buf_count(&self->buf));
	EXPECT_EQ(8 * page_size, self->buf.meta->data_size);
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
}

/* The mapping holds the event, and the event stays enabled. */
TEST(fd_closed_while_enabled)
{
	struct perf_event_attr attr = faults();
	struct perf_buf buf;
	int fd;

	attr.disabled = 0;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
	close(fd);
	stay_resident();
	perf_buf_touch(&buf);
	perf_buf_drop(&buf);
	fault_pages(3);
	EXPECT_EQ(3, perf_buf_count(&buf));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

TEST_F(mapped, unmapped_first)
{
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(SIGSEGV, access_signal(self->at, false));
	/* The event counts, and has no buffer. */
	perf_fault(self->fd, 4);
	EXPECT_LE(4, perf_count(self->fd));
	EXPECT_EQ(POLLHUP, perf_poll(self->fd, POLLIN));
	EXPECT_EQ(0, close(self->fd));
}

TEST_F(mapped, not_inherited_by_fork)
{
	pid_t child;

	EXPECT_EQ(1, perf_mappings());
	child = fork_child();
	if (child == 0) {
		if (perf_mappings() != 0)
			_exit(1);
		if (access_signal(self->at, false) != SIGSEGV)
			_exit(2);
		if (perf_try_pages(self->fd, 5) != -EINVAL)
			_exit(3);
		/* The child can map the event. */
		if (perf_try_pages(self->fd, 9))
			_exit(4);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(child));
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 5));
}

TEST_F(mapped, inherited_by_fork_on_demand)
{
	struct gate done = gate_new(), go = gate_new();
	pid_t child;

	ASSERT_EQ(0, madvise(self->at, self->buf.length, MADV_DOFORK));
	child = fork_child();
	if (child == 0) {
		if (perf_mappings() != 1)
			_exit(1);
		gate_open(&done);
		gate_wait(&go);
		/*
		 * The parent's mapping is gone, the child's holds the buffer. The child
		 * has read no record.
		 */
		if (perf_buf_count(&self->buf) != 6)
			_exit(2);
		if (perf_try_pages(self->fd, 5) != -EINVAL)
			_exit(3);
		if (perf_buf_unmap(&self->buf))
			_exit(4);
		_exit(perf_try_pages(self->fd, 5) ? 5 : 0);
	}
	gate_wait(&done);
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
	perf_buf_touch(&self->buf);
	perf_fault(self->fd, 3);
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 5));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

/* A buffer is mapped whole or not at all. */

static void check_whole(struct __test_metadata *_metadata, int fd,
			struct perf_buf *buf, const char *what)
{
	EXPECT_EQ(1, perf_mappings()) {
		TH_LOG("after %s", what);
	}
	EXPECT_TRUE(perf_buf_works(buf, fd)) {
		TH_LOG("after %s", what);
	}
}

static int unmap_part(char *at, int first, int pages)
{
	return munmap(at + first * page_size, pages * page_size) ? -errno : 0;
}

TEST_F(mapped, unmap_part)
{
	struct perf_buf *buf = &self->buf;

	EXPECT_EQ(-EINVAL, unmap_part(self->at, 0, 1));
	EXPECT_EQ(-EINVAL, unmap_part(self->at, 0, 8));
	check_whole(_metadata, self->fd, buf, "the first pages");
	EXPECT_EQ(-EINVAL, unmap_part(self->at, 8, 1));
	EXPECT_EQ(-EINVAL, unmap_part(self->at, 1, 8));
	check_whole(_metadata, self->fd, buf, "the last pages");
	EXPECT_EQ(-EINVAL, unmap_part(self->at, 4, 1));
	EXPECT_EQ(-EINVAL, unmap_part(self->at, 1, 7));
	check_whole(_metadata, self->fd, buf, "a hole in the middle");
	EXPECT_EQ(0, unmap_part(self->at, 0, 9));
	EXPECT_EQ(0, perf_mappings());
	EXPECT_EQ(0, perf_try_pages(self->fd, 3));
}

/* Unmapped together with the mappings below and above. */
TEST(unmap_with_neighbours)
{
	int fd = perf_open_self(faults());
	struct perf_buf buf;
	char *area;
	void *p;

	ASSERT_LE(0, fd);
	area = mmap(NULL, 20 * page_size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, area);
	p = mmap(area + 4 * page_size, 9 * page_size, RW,
		 MAP_SHARED | MAP_FIXED, fd, 0);
	ASSERT_EQ(area + 4 * page_size, p);
	EXPECT_EQ(0, perf_buf_map(&buf, fd, 8));
	EXPECT_EQ(-EINVAL, unmap_part(area, 0, 8));
	EXPECT_EQ(-EINVAL, unmap_part(area, 8, 12));
	EXPECT_EQ(0, access_signal(area + 4 * page_size, false));
	EXPECT_EQ(0, unmap_part(area, 0, 20));
	EXPECT_EQ(SIGSEGV, access_signal(area + 4 * page_size, false));
	check_whole(_metadata, fd, &buf, "the other mapping");
}

static int map_over(char *at, int first, int pages)
{
	void *p = mmap(at + first * page_size, pages * page_size, RW,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return p == MAP_FAILED ? -errno : 0;
}

TEST_F(mapped, map_over)
{
	EXPECT_EQ(-EINVAL, map_over(self->at, 0, 1));
	EXPECT_EQ(-EINVAL, map_over(self->at, 4, 1));
	EXPECT_EQ(-EINVAL, map_over(self->at, 8, 1));
	check_whole(_metadata, self->fd, &self->buf, "mapping over a part");
	EXPECT_EQ(0, map_over(self->at, 0, 9));
	EXPECT_EQ(0, perf_mappings());
	EXPECT_EQ(POLLHUP, perf_poll(self->fd, POLLIN));
	EXPECT_EQ(0, perf_try_pages(self->fd, 3));
}

/* Map the event's own buffer over itself. */
TEST_F(mapped, map_over_by_itself)
{
	void *p = mmap(self->at, self->length, RW, MAP_SHARED | MAP_FIXED,
		       self->fd, 0);

	ASSERT_EQ(self->at, p);
	check_whole(_metadata, self->fd, &self->buf, "mapping it over itself");
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 5));
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

static int protect(char *at, int first, int pages, int prot)
{
	return mprotect(at + first * page_size, pages * page_size, prot) ?
		-errno : 0;
}

TEST_F(mapped, protect_part)
{
	EXPECT_EQ(-EINVAL, protect(self->at, 0, 1, PROT_READ));
	EXPECT_EQ(-EINVAL, protect(self->at, 1, 8, PROT_READ));
	EXPECT_EQ(-EINVAL, protect(self->at, 4, 1, PROT_NONE));
	check_whole(_metadata, self->fd, &self->buf, "protecting a part");
	EXPECT_EQ(0, protect(self->at, 0, 9, PROT_READ));
	EXPECT_EQ(0, protect(self->at, 0, 9, RW));
	check_whole(_metadata, self->fd, &self->buf, "protecting all");
}

static int remap(char **at, size_t from, size_t to, int flags, void *where)
{
	void *p = mremap(*at, from, to, flags, where);

	if (p == MAP_FAILED)
		return -errno;
	*at = p;
	return 0;
}

TEST_F(mapped, remap)
{
	const int move = MREMAP_MAYMOVE | MREMAP_FIXED;
	size_t len = self->length;
	char *at = self->at, *room;

	room = mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	ASSERT_NE(MAP_FAILED, room);
	EXPECT_EQ(0, remap(&at, len, len, MREMAP_MAYMOVE, NULL));
	EXPECT_EQ(-EFAULT, remap(&at, len, 17 * page_size, MREMAP_MAYMOVE,
				 NULL));
	EXPECT_EQ(-EFAULT, remap(&at, len, len + page_size, 0, NULL));
	EXPECT_EQ(-EINVAL, remap(&at, len, 5 * page_size, 0, NULL));
	EXPECT_EQ(-EINVAL, remap(&at, len, len,
				 move | MREMAP_DONTUNMAP, room));
	ASSERT_EQ(self->at, at);
	check_whole(_metadata, self->fd, &self->buf, "refused remapping");
	/* A part of the mapping cannot move. */
	EXPECT_NE(0, remap(&at, page_size, page_size, move, room));
	check_whole(_metadata, self->fd, &self->buf, "moving a piece");
	ASSERT_EQ(0, remap(&at, len, len, move, room));
	ASSERT_EQ(room, at);
	EXPECT_EQ(SIGSEGV, access_signal(self->at, false));
	self->buf.meta = (void *)at;
	self->buf.data = (void *)(at + page_size);
	check_whole(_metadata, self->fd, &self->buf, "moving it");
	EXPECT_EQ(SIGBUS, access_signal(self->buf.data, true));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 5));
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

/* mremap() with an old size of 0 does not give a second mapping. */
TEST_F(mapped, remap_twice)
{
	char *at = self->at;

	EXPECT_GT(0, remap(&at, 0, self->length, MREMAP_MAYMOVE, NULL));
	check_whole(_metadata, self->fd, &self->buf, "remapping nothing");
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

/* madvise() does not lose records. */
TEST_F(mapped, advise)
{
	const struct {
		int advice;
		int ret;
	} rows[] = {
		{ MADV_DONTNEED, 0 },
		{ MADV_WILLNEED, 0 },
		{ MADV_COLD, 0 },
		{ MADV_PAGEOUT, 0 },
		{ MADV_POPULATE_READ, 0 },
		{ MADV_POPULATE_WRITE, -EFAULT },
		{ MADV_REMOVE, -ENODEV },
		{ MADV_FREE, -EINVAL },
		{ MADV_DODUMP, -EINVAL },
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		stay_resident();
		perf_buf_touch(&self->buf);
		perf_fault(self->fd, 3);
		ret = madvise(self->at, self->length, rows[i].advice);
		EXPECT_EQ(rows[i].ret, ret ? -errno : 0) {
			TH_LOG("row %zu", i);
		}
		EXPECT_EQ(3, perf_buf_count(&self->buf));
		check_whole(_metadata, self->fd, &self->buf, "advice");
	}
	EXPECT_EQ(-1, madvise(self->at + page_size, page_size,
			      MADV_SEQUENTIAL));
	check_whole(_metadata, self->fd, &self->buf, "advice on a part");
}

/* The number of function call interrupts of a CPU, or -1. */
static long calls_of(int cpu)
{
	char line[4096], *at;
	FILE *file = fopen("/proc/interrupts", "r");
	long calls = -1;
	int column, i;

	/* The first line names the columns' CPUs. */
	if (!file || !fgets(line, sizeof(line), file))
		return -1;
	for (column = 0, at = strtok(line, " \n"); at; at = strtok(NULL, " \n")) {
		if (!strncmp(at, "CPU", 3) && atoi(at + 3) == cpu)
			break;
		column++;
	}
	while (calls < 0 && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "Function call interrupts"))
			continue;
		at = strchr(line, ':') + 1;
		for (i = 0; i <= column; i++)
			calls = strtol(at, &at, 10);
	}
	fclose(file);
	return calls;
}

#define MAPPINGS	200

/* The number of interrupts of another CPU that mapping and unmapping cause. */
static long calls_of_mappings(int fd, int cpu)
{
	long before = calls_of(cpu);
	int i;

	for (i = 0; i < MAPPINGS; i++)
		if (perf_try_pages(fd, 2))
			return -1;
	return calls_of(cpu) - before;
}

/* Others may interrupt it as well, but not as often in each try. */
static bool leaves_alone(int fd, int cpu)
{
	long calls = calls_of_mappings(fd, cpu);

	return calls >= 0 && calls < MAPPINGS / 2;
}

/*
 * Another CPU is not interrupted for a mapping if the page does not show its counters.
 */
TEST(no_interrupt_of_other_cpu)
{
	const struct perf_event_attr attrs[] = {
		PERF_SW(DUMMY), PERF_SW(PAGE_FAULTS), PERF_SW(CPU_CLOCK),
	};
	int here = nth_cpu(0), there = nth_cpu(1), fd;
	struct gate started = gate_new();
	pid_t child;
	size_t i;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	if (calls_of(there) < 0)
		SKIP(return, "/proc/interrupts has no function calls");
	ASSERT_EQ(0, pin_to_cpu(here));
	child = fork_child();
	if (child == 0) {
		pin_to_cpu(there);
		gate_open(&started);
		for (;;)
			;
	}
	gate_wait(&started);
	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		fd = perf_open(attrs[i], -1, there, -1);
		ASSERT_LE(0, fd);
		ASSERT_LE(0, calls_of(there));
		EXPECT_TRUE(IN_SOME_TRY(10, leaves_alone(fd, there)));
		close(fd);
		fd = perf_open(attrs[i], child, -1, -1);
		ASSERT_LE(0, fd);
		EXPECT_TRUE(IN_SOME_TRY(10, leaves_alone(fd, there)));
		close(fd);
	}
	kill_child(child);
}

/* The times are right before the event's CPU has scheduled the event. */
TEST(times_of_other_cpu)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd;
	struct perf_timed now;
	struct perf_buf buf;
	__u64 enabled;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(here));
	fd = perf_open(PERF_SW(DUMMY, .read_format = PERF_ALL_TIMES), -1, there, -1);
	ASSERT_LE(0, fd);
	burn_cpu(NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	enabled = buf.meta->time_enabled;
	now = perf_timed_count(fd);
	EXPECT_LT(0, enabled);
	EXPECT_GE(now.enabled, enabled);
	EXPECT_TRUE(COMES_TRUE(!(__atomic_load_n(&buf.meta->lock, __ATOMIC_RELAXED) % 2)));
}

TEST_HARNESS_MAIN
