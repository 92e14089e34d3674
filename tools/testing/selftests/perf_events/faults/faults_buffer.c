// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, AUX areas, filters, BPF programs and other requests on an event, with each
 * allocation and each copy failing in turn. Afterwards the event counts, and the buffer has
 * records.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/bpf.h"
#include "../lib/buffer.h"
#include "../lib/fake_pmu.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"
#include "fault_rows.h"

#define DATA_PAGES	16
#define AUX_PAGES	16

/* Users with no other processes. */
#define USER		54323

/* What the rows use, opened by ready(), closed by clear(). */
static struct {
	int fd;
	int other;
	void *area;
	long mlock_kb;
	struct perf_event_mmap_page *meta;
} use = { .fd = -1, .other = -1 };

static volatile long watched;

static size_t bytes(size_t pages)
{
	return pages * sysconf(_SC_PAGESIZE);
}

/* The result is 0, or a negative errno; the mapping is use.area. */
static int map_at(size_t pages, size_t offset)
{
	use.area = mmap(NULL, bytes(pages), PROT_READ | PROT_WRITE, MAP_SHARED, use.fd,
			bytes(offset));
	return use.area == MAP_FAILED ? -errno : 0;
}

static int ready_event(struct perf_event_attr attr)
{
	use.fd = perf_open_self(attr);
	return use.fd < 0 ? use.fd : 0;
}

static void close_event(void)
{
	close(use.fd);
	use.fd = -1;
}

/* Buffers */

static int ready_sampled(void)
{
	return ready_event(PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_IP));
}

static int map_data(void)
{
	return map_at(1 + DATA_PAGES, 0);
}

static void unmap_data(int result)
{
	munmap(use.area, bytes(1 + DATA_PAGES));
}

static bool buffer_works(void)
{
	struct perf_buf buf;
	bool right;

	if (ready_sampled())
		return false;
	right = !perf_buf_map(&buf, use.fd, DATA_PAGES) && perf_buf_works(&buf, use.fd);
	perf_buf_unmap(&buf);
	close_event();
	return right;
}

FAULT_ROW(buffer, .ready = ready_sampled, .act = map_data, .undo = unmap_data,
	  .clear = close_event, .works = buffer_works);

/* A second mapping of the same buffer allocates no buffer. */
static int ready_mapped(void)
{
	int err = ready_sampled();

	if (!err)
		err = map_data();
	use.meta = use.area;
	return err;
}

static void close_mapped(void)
{
	munmap(use.meta, bytes(1 + DATA_PAGES));
	close_event();
}

FAULT_ROW(buffer_again, .ready = ready_mapped, .act = map_data, .undo = unmap_data,
	  .clear = close_mapped);

/* A quarter of the mapping: a mapping of a buffer is not split. */
static int unmap_quarter(void)
{
	return munmap((char *)use.meta + bytes(1 + DATA_PAGES / 2), bytes(DATA_PAGES / 4)) ?
	       -errno : 0;
}

FAULT_ROW(unmap_part, .ready = ready_mapped, .act = unmap_quarter, .clear = close_mapped,
	  .end = -EINVAL, .none = true);

/*
 * A user may map one buffer and no more. A failure that kept what it has accounted would leave
 * no room for the next one. The capabilities of root are not effective meanwhile.
 */
static int ready_limited(void)
{
	int err = ready_event(PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_IP, .exclude_kernel = 1));
	struct rlimit limit = { 0, 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (err)
		return err;
	if (!use.mlock_kb) {
		err = file_read_long(MLOCK_KB, &use.mlock_kb);
		if (err)
			return err;
		getrlimit(RLIMIT_MEMLOCK, &limit);
		limit.rlim_cur = 0;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	/* pages per CPU, rounded up: one buffer fits, and two do not */
	file_write_long(MLOCK_KB, (1 + DATA_PAGES + cpus - 1) / cpus * bytes(1) / 1024);
	return setresuid(USER, USER, 0) ? -errno : 0;
}

static void close_limited(void)
{
	if (setresuid(0, 0, 0))
		_exit(92);
	file_write_long(MLOCK_KB, use.mlock_kb);
	close_event();
}

static bool limit_is_right(void)
{
	bool right;
	void *first;

	/* opened by root: at Debian's level 3 users open none */
	use.other = perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
	if (use.other < 0 || ready_limited())
		return false;
	right = !map_data();
	first = use.area;
	right = right && mmap(NULL, bytes(1 + DATA_PAGES), PROT_READ | PROT_WRITE, MAP_SHARED,
			      use.other, 0) == MAP_FAILED && errno == EPERM;
	munmap(first, bytes(1 + DATA_PAGES));
	close(use.other);
	close_limited();
	return right;
}

FAULT_ROW(buffer_at_the_limit, .ready = ready_limited, .act = map_data, .undo = unmap_data,
	  .clear = close_limited, .works = limit_is_right);

/* AUX areas */

static const char *missing_trace(void)
{
	return pmu_type("fake_trace") < 0 ? "no PMU fake_trace" : NULL;
}

static int ready_trace(void)
{
	int err;

	pin_to_cpu(nth_cpu(0));
	use.fd = perf_open(PERF_ATTR(pmu_type("fake_trace"), 0, .disabled = 1), -1,
			   nth_cpu(0), -1);
	err = use.fd < 0 ? use.fd : map_data();
	if (err)
		return err;
	use.meta = use.area;
	use.meta->aux_offset = bytes(1 + DATA_PAGES);
	use.meta->aux_size = bytes(AUX_PAGES);
	return 0;
}

static int map_aux(void)
{
	return map_at(AUX_PAGES, 1 + DATA_PAGES);
}

static void unmap_aux(int result)
{
	munmap(use.area, bytes(AUX_PAGES));
}

static bool aux_works(void)
{
	bool right;

	if (ready_trace())
		return false;
	right = !map_aux() && !perf_enable(use.fd) &&
		!file_write_long(FAKE_DEBUGFS "/fake_trace/write", 1000) &&
		!perf_disable(use.fd) && use.meta->aux_head == 1000 &&
		((unsigned char *)use.area)[999] == 999 % 251;
	unmap_aux(0);
	close_mapped();
	return right;
}

FAULT_ROW(aux_area, .missing = missing_trace, .ready = ready_trace, .act = map_aux,
	  .undo = unmap_aux, .clear = close_mapped, .works = aux_works);

/* Output to the buffer of another event */

static int ready_output(void)
{
	int err = ready_mapped();

	use.other = perf_open_self(PERF_SW(DUMMY));
	return err ?: use.other < 0 ? use.other : 0;
}

static int set_output(void)
{
	return perf_ioctl(use.other, PERF_EVENT_IOC_SET_OUTPUT, use.fd);
}

static void close_output(void)
{
	close(use.other);
	close_mapped();
}

FAULT_ROW(output, .ready = ready_output, .act = set_output, .clear = close_output,
	  .none = true);

/* Filters */

static const char *missing_tracepoint(void)
{
	return tracepoint_id("task/task_rename") < 0 ? "no tracepoints" : NULL;
}

static int ready_tracepoint(void)
{
	return ready_event(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename")));
}

static int set_filter(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_SET_FILTER,
			  (unsigned long)"newcomm == \"faults\"");
}

static bool filter_works(void)
{
	bool right;

	if (ready_tracepoint() || set_filter())
		return false;
	for (int i = 0; i < 10; i++)
		prctl(PR_SET_NAME, i % 2 ? "others" : "faults");
	right = perf_count(use.fd) == 5;
	close_event();
	return right;
}

FAULT_ROW(filter_of_tracepoint, .missing = missing_tracepoint, .ready = ready_tracepoint,
	  .act = set_filter, .clear = close_event, .copies = 1, .works = filter_works);

static int ready_ranges(void)
{
	return ready_event(PERF_ATTR(pmu_type("fake_trace"), 0, .disabled = 1));
}

static int set_ranges(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_SET_FILTER,
			  (unsigned long)"filter 0x1000/0x200,start 0x5000");
}

static bool ranges_work(void)
{
	bool right;

	if (ready_ranges())
		return false;
	right = !set_ranges() && !perf_enable(use.fd) && !perf_disable(use.fd);
	close_event();
	return right;
}

FAULT_ROW(address_filters, .missing = missing_trace, .ready = ready_ranges,
	  .act = set_ranges, .clear = close_event, .copies = 1, .works = ranges_work);

static int set_file_range(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_SET_FILTER,
			  (unsigned long)"filter 0x10/0x20@/proc/self/exe");
}

FAULT_ROW(address_filter_of_file, .missing = missing_trace, .ready = ready_ranges,
	  .act = set_file_range, .clear = close_event, .copies = 1);

/* BPF programs */

static const struct bpf_insn returns_1[] = {
	BPF_SET(BPF_REG_0, 1),
	BPF_END_PROG,
};

static int load_program(enum bpf_prog_type type)
{
	static int progs[2] = { -1, -1 };
	int *prog = &progs[type == BPF_PROG_TYPE_TRACEPOINT];

	if (*prog < 0)
		*prog = bpf_load(type, returns_1, 2, "returns_1");
	return *prog;
}

static int ready_bpf_tracepoint(void)
{
	use.other = load_program(BPF_PROG_TYPE_TRACEPOINT);
	return use.other < 0 ? use.other : ready_tracepoint();
}

static int set_bpf(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_SET_BPF, use.other);
}

FAULT_ROW(bpf_of_tracepoint, .missing = missing_tracepoint, .ready = ready_bpf_tracepoint,
	  .act = set_bpf, .clear = close_event);

static int ready_bpf_sampled(void)
{
	use.other = load_program(BPF_PROG_TYPE_PERF_EVENT);
	return use.other < 0 ? use.other : ready_sampled();
}

FAULT_ROW(bpf_of_samples, .ready = ready_bpf_sampled, .act = set_bpf, .clear = close_event,
	  .none = true);

static int ready_query(void)
{
	int err = ready_bpf_tracepoint();

	return err ?: set_bpf();
}

static struct {
	struct perf_event_query_bpf head;
	__u32 ids[4];
} query;

static int query_bpf(void)
{
	query.head.ids_len = 4;
	return perf_ioctl(use.fd, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)&query);
}

/* The head is read. The number and the identifiers are written. */
FAULT_ROW(query_of_bpf, .missing = missing_tracepoint, .ready = ready_query, .act = query_bpf,
	  .clear = close_event, .copies = 3);

/* Requests with a number, or attributes */

static int set_period(void)
{
	static __u64 period = 7;

	return perf_ioctl(use.fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

FAULT_ROW(period, .ready = ready_sampled, .act = set_period, .clear = close_event,
	  .copies = 1, .none = true, .works = buffer_works);

static __u64 identifier;

static int get_identifier(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_ID, (unsigned long)&identifier);
}

FAULT_ROW(identifier_of_event, .ready = ready_sampled, .act = get_identifier,
	  .clear = close_event, .copies = 1, .none = true);

static struct perf_event_attr breakpoint(void)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
			 .bp_addr = (unsigned long)&watched, .bp_len = sizeof(watched),
			 .exclude_kernel = 1);
}

static const char *missing_breakpoint(void)
{
	return perf_try_self(breakpoint()) ? "no breakpoints" : NULL;
}

static struct perf_event_attr changed;

static int ready_breakpoint(void)
{
	changed = breakpoint();
	changed.bp_type = HW_BREAKPOINT_RW;
	return ready_event(breakpoint());
}

static int modify(void)
{
	return perf_ioctl(use.fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&changed);
}

static bool breakpoint_works(void)
{
	bool right;

	if (ready_breakpoint())
		return false;
	right = !modify();
	for (int i = 0; i < 10; i++)
		watched = i;
	right = right && perf_count(use.fd) == 10;
	close_event();
	return right;
}

FAULT_ROW(attributes_of_breakpoint, .missing = missing_breakpoint, .ready = ready_breakpoint,
	  .act = modify, .clear = close_event, .copies = 1, .none = true,
	  .works = breakpoint_works);

/* read() */

#define MEMBERS	40

/* x86 copies word by word, where no faults are injected. */
#ifdef __x86_64__
#define READ_COPIES	0
#else
#define READ_COPIES	1
#endif

static int members[MEMBERS];

static int ready_group(void)
{
	int i, err = 0;

	for (i = 0; i < MEMBERS; i++) {
		members[i] = perf_open(PERF_SW(PAGE_FAULTS, .read_format = PERF_FORMAT_GROUP |
					       PERF_FORMAT_ID | PERF_FORMAT_LOST), 0, -1,
				       i ? members[0] : -1);
		if (members[i] < 0)
			err = members[i];
	}
	use.fd = members[0];
	return err;
}

static void close_group(void)
{
	perf_close_all(members, MEMBERS);
}

static int read_group(void)
{
	static __u64 values[1 + 3 * MEMBERS];
	ssize_t len = read(use.fd, values, sizeof(values));

	if (len < 0)
		return -errno;
	return len == sizeof(values) && values[0] == MEMBERS ? 0 : -EIO;
}

FAULT_ROW(read_of_group, .ready = ready_group, .act = read_group, .clear = close_group,
	  .copies = READ_COPIES, .rounds = 8);

static int read_one(void)
{
	static __u64 value;

	return read(use.fd, &value, sizeof(value)) == sizeof(value) ? 0 : -errno;
}

FAULT_ROW(read_of_event, .ready = ready_sampled, .act = read_one, .clear = close_event,
	  .copies = READ_COPIES, .none = true);

TEST_HARNESS_MAIN
