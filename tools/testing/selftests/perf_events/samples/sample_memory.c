// SPDX-License-Identifier: GPL-2.0
/*
 * Fields about memory: the address that faulted, its physical address (compared with
 * /proc/self/pagemap), the size of the page of the address and of the code; and the
 * control group of the task.
 */
#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define HUGE_SIZE	(2UL << 20)
#define MEMORY_FIELDS	(PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR |	\
			 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_IP |	\
			 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_TID)

/* After the fault, when there is a page. */
#define MINOR(_type, ...)						\
	PERF_SAMPLED(PAGE_FAULTS_MIN, _type, .exclude_kernel = 1, ##__VA_ARGS__)

/* Before the fault, when there may be no page. */
#define BEFORE(_type)							\
	PERF_SAMPLED(PAGE_FAULTS, _type, .exclude_kernel = 1)

/* The physical address of a fault in a resident page, or 0. */
static __u64 physical(const void *addr)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	unsigned long page = sysconf(_SC_PAGESIZE);
	__u64 entry = 0;

	addr = (void *)fault_address(addr);
	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry),
		  (unsigned long)addr / page * 8) != sizeof(entry))
		entry = 0;
	close(fd);
	if (!(entry >> 63))
		return 0;
	return (entry & ((1ULL << 55) - 1)) * page + (unsigned long)addr % page;
}

/* Check /proc/kpageflags for a huge page. */
static bool is_huge(const void *addr)
{
	__u64 pfn = physical(addr) / sysconf(_SC_PAGESIZE), flags = 0;
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (pread(fd, &flags, sizeof(flags), pfn * 8) != sizeof(flags))
		flags = 0;
	close(fd);
	/* KPF_HUGE, KPF_THP */
	return flags & (1ULL << 17 | 1ULL << 22);
}

/* Write to an address in a sample. The fields are in l->rec. */
static void sample_write(struct __test_metadata *_metadata,
			 struct perf_listener *l, volatile char *addr)
{
	ASSERT_EQ(0, perf_listen_self(l, MINOR(MEMORY_FIELDS)));
	ASSERT_EQ(0, perf_enable(l->fd));
	*addr = 1;
	ASSERT_EQ(0, perf_disable(l->fd));
	ASSERT_TRUE(perf_listen_of(l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(fault_address(addr), l->rec.addr);
	EXPECT_EQ(page_size, l->rec.code_page_size);
	EXPECT_EQ(0, perf_listen_end(l));
}

TEST(anonymous_memory)
{
	size_t page = sysconf(_SC_PAGESIZE), offset;
	char *pages = map_fresh_pages(20), *addr;
	struct perf_listener l;
	int i;

	ASSERT_NE(NULL, pages);
	for (i = 0; i < 20; i++) {
		offset = (i * 733) % page;
		addr = pages + i * page + offset;
		sample_write(_metadata, &l, addr);
		EXPECT_NE(0, l.rec.phys_addr);
		EXPECT_EQ(physical(addr), l.rec.phys_addr);
		EXPECT_EQ(page, l.rec.data_page_size);
	}
}

/* The first read of anonymous memory maps the page of zeroes, of which stock has no address. */
TEST(page_of_zeroes)
{
	volatile char *addr = map_fresh_pages(1);
	struct perf_listener l;

	if (perf_is_stock())
		SKIP(return, "no physical address of the page of zeroes");
	ASSERT_NE(NULL, addr);
	ASSERT_EQ(0, perf_listen_self(&l, MINOR(MEMORY_FIELDS)));
	ASSERT_EQ(0, perf_enable(l.fd));
	EXPECT_EQ(0, addr[5]);
	ASSERT_EQ(0, perf_disable(l.fd));
	ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(page_size, l.rec.data_page_size);
	EXPECT_NE(0, l.rec.phys_addr);
	EXPECT_EQ(physical((char *)addr + 5), l.rec.phys_addr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST(shared_file)
{
	int fd = memfd_create("memory", 0);
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_listener l;
	char *file;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 4 * page));
	file = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, file);
	sample_write(_metadata, &l, file + 2 * page + 5);
	EXPECT_NE(0, l.rec.phys_addr);
	EXPECT_EQ(physical(file + 2 * page + 5), l.rec.phys_addr);
	EXPECT_EQ(page, l.rec.data_page_size);
}

static char *map_aligned(size_t size, int prot)
{
	char *p = mmap(NULL, 2 * size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		return NULL;
	return (char *)(((unsigned long)p + size - 1) & ~(size - 1));
}

TEST(transparent_huge_page)
{
	char *huge = map_aligned(HUGE_SIZE, PROT_READ | PROT_WRITE);
	struct perf_listener l;
	char *addr = huge + 12345;

	ASSERT_NE(NULL, huge);
	if (madvise(huge, HUGE_SIZE, MADV_HUGEPAGE))
		SKIP(return, "no transparent huge pages");
	sample_write(_metadata, &l, addr);
	if (!is_huge(addr))
		SKIP(return, "no huge page was to be had");
	EXPECT_EQ(HUGE_SIZE, l.rec.data_page_size);
	EXPECT_EQ(physical(addr), l.rec.phys_addr);
}

TEST(hugetlb_page)
{
	static const char path[] = "/proc/sys/vm/nr_hugepages";
	struct perf_listener l;
	long before;
	char *huge;

	if (file_read_long(path, &before) || file_write_long(path, before + 2))
		SKIP(return, "no hugetlb");
	huge = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_HUGETLB | (21 << 26), -1, 0);
	if (huge == MAP_FAILED) {
		file_write_long(path, before);
		SKIP(return, "no huge page was to be had");
	}
	sample_write(_metadata, &l, huge + 54321);
	EXPECT_EQ(HUGE_SIZE, l.rec.data_page_size);
	EXPECT_NE(0, l.rec.phys_addr);
	EXPECT_EQ(physical(huge + 54321), l.rec.phys_addr);
	munmap(huge, HUGE_SIZE);
	file_write_long(path, before);
}

/* A store and a return, which can be copied anywhere. */
#if defined(__x86_64__)
static const unsigned char store_code[] = { 0xc6, 0x07, 0x01, 0xc3 };
#elif defined(__aarch64__)
static const unsigned char store_code[] = {
	0x00, 0x00, 0x00, 0x39, 0xc0, 0x03, 0x5f, 0xd6
};
#elif defined(__riscv)
static const unsigned int store_code[] = {
	0x00a50023,	/* sb a0, (a0) */
	0x00008067,	/* ret */
};
#elif defined(__powerpc64__)
static const unsigned int store_code[] = {
	0x98630000,	/* stb 3, 0(3) */
	0x4e800020,	/* blr */
};
#elif defined(__s390x__)
static const unsigned char store_code[] = {
	0x92, 0x01, 0x20, 0x00,	/* mvi 0(%r2), 1 */
	0x07, 0xfe,		/* br %r14 */
};
#endif

TEST(code_in_huge_page)
{
	char *huge = map_aligned(HUGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	struct perf_listener l;
	void (*store)(char *addr);
	char *page;

	ASSERT_NE(NULL, huge);
	store = (void *)(huge + 4096);
	if (madvise(huge, HUGE_SIZE, MADV_HUGEPAGE))
		SKIP(return, "no transparent huge pages");
	memcpy(huge + 4096, store_code, sizeof(store_code));
	__builtin___clear_cache(huge + 4096, huge + 4096 + sizeof(store_code));
	if (!is_huge(huge))
		SKIP(return, "no huge page was to be had");
	ASSERT_EQ(0, stay_resident());
	page = map_fresh_pages(1);
	ASSERT_EQ(0, perf_listen_self(&l, MINOR(MEMORY_FIELDS)));
	ASSERT_EQ(0, perf_enable(l.fd));
	store(page);
	ASSERT_EQ(0, perf_disable(l.fd));
	ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
	EXPECT_EQ((unsigned long)store, l.rec.ip);
	EXPECT_EQ(HUGE_SIZE, l.rec.code_page_size);
	EXPECT_EQ(page_size, l.rec.data_page_size);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* An address without a page has neither. The sample does not cause a page. */
TEST(no_page_there)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *pages = map_fresh_pages(2);
	struct perf_listener l;
	unsigned char vec = 1;
	int i;

	ASSERT_NE(NULL, pages);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, perf_listen_self(&l, BEFORE(MEMORY_FIELDS)));
		ASSERT_EQ(0, perf_enable(l.fd));
		pages[i * page + 17] = 1;
		ASSERT_EQ(0, perf_disable(l.fd));
		ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
		EXPECT_EQ(fault_address(pages + i * page + 17), l.rec.addr);
		EXPECT_EQ(0, l.rec.phys_addr);
		EXPECT_EQ(0, l.rec.data_page_size);
		EXPECT_EQ(0, perf_listen_end(&l));
		if (!i) {
			ASSERT_EQ(0, mincore(pages + page, page, &vec));
			EXPECT_EQ(0, vec & 1);
		}
	}
}

/* An event without an address does not have the address of an earlier sample. */
TEST(no_address)
{
	struct perf_listener l;
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&l, PERF_SAMPLED(CONTEXT_SWITCHES,
						       MEMORY_FIELDS)));
	ASSERT_EQ(0, perf_enable(l.fd));
	switch_out(2);
	ASSERT_EQ(0, perf_disable(l.fd));
	for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ(0, l.rec.addr);
		EXPECT_EQ(0, l.rec.phys_addr);
		EXPECT_EQ(0, l.rec.data_page_size);
		/* In the kernel: its pages may be larger, or not looked up. */
		EXPECT_TRUE(is_kernel_address(l.rec.ip));
		EXPECT_EQ(0, l.rec.code_page_size % 4096);
		EXPECT_EQ(0, l.rec.code_page_size & (l.rec.code_page_size - 1));
	}
	EXPECT_LE(2, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* Control groups */

static void check_cgroup(struct __test_metadata *_metadata,
			 struct perf_listener *l, __u64 want)
{
	int nr = 0;

	ASSERT_EQ(0, perf_enable(l->fd));
	fault_pages(2);
	ASSERT_EQ(0, perf_disable(l->fd));
	while (perf_listen_of(l, PERF_RECORD_SAMPLE)) {
		if (l->rec.tid != gettid())
			continue;
		EXPECT_EQ(want, l->rec.cgroup);
		nr++;
	}
	EXPECT_LE(2, nr);
}

static void follow_cgroups(struct __test_metadata *_metadata, pid_t pid,
			   int cpu)
{
	struct perf_event_attr attr = PERF_SAMPLED(PAGE_FAULTS,
		PERF_SAMPLE_CGROUP | PERF_SAMPLE_TID);
	char path[256], nested[280];
	struct perf_listener l;

	if (cgroup_make("perf_sample", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	snprintf(nested, sizeof(nested), "%s/nested", path);
	ASSERT_EQ(0, mkdir(nested, 0755));
	ASSERT_EQ(0, perf_listen(&l, attr, pid, cpu));
	check_cgroup(_metadata, &l, file_inode(CGROUPFS));
	ASSERT_EQ(0, cgroup_enter(path, getpid()));
	check_cgroup(_metadata, &l, file_inode(path));
	ASSERT_EQ(0, cgroup_enter(nested, getpid()));
	check_cgroup(_metadata, &l, file_inode(nested));
	ASSERT_EQ(0, cgroup_enter(CGROUPFS, getpid()));
	check_cgroup(_metadata, &l, file_inode(CGROUPFS));
	EXPECT_EQ(0, perf_listen_end(&l));
	EXPECT_EQ(0, cgroup_remove(nested));
	EXPECT_EQ(0, cgroup_remove(path));
}

TEST(cgroup_of_task)
{
	follow_cgroups(_metadata, 0, -1);
}

TEST(cgroup_on_cpu)
{
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	follow_cgroups(_metadata, -1, nth_cpu(0));
}

/*
 * A record's size has 16 bits. The largest stack takes what the other fields leave, and
 * the fields behind it are complete.
 */
TEST(largest_stack)
{
	const __u64 more[] = {
		0, PERF_SAMPLE_AUX, PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_AUX,
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_AUX | PERF_SAMPLE_IP |
		PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_PHYS_ADDR,
	};
	const struct perf_event_header *header;
	struct perf_rec rec;
	struct perf_buf buf;
	size_t i;
	int fd, n;

	for (i = 0; i < sizeof(more) / sizeof(*more); i++) {
		struct perf_event_attr attr =
			PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
				.sample_type = PERF_SAMPLE_STACK_USER | more[i],
				.sample_stack_user = 65528);

		fd = perf_open_self(attr);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_buf_map(&buf, fd, 128));
		ASSERT_EQ(0, stay_resident());
		perf_buf_touch(&buf);
		perf_fault(fd, 4);
		for (n = 0; (header = perf_buf_next(&buf)); n++) {
			EXPECT_EQ(PERF_RECORD_SAMPLE, header->type);
			EXPECT_TRUE(perf_rec_parse(&attr, header, &rec));
			EXPECT_LT(65536 - 1024 * 8, header->size);
			EXPECT_LT(0, rec.stack_size);
			EXPECT_EQ(0, rec.aux_size);
		}
		SKIP_STOCK_FAULT(n != 4, "samples that are too large are lost");
		EXPECT_EQ(4, n);
		perf_buf_unmap(&buf);
		close(fd);
	}
}

TEST_HARNESS_MAIN
