// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that a program reads itself, and events of other tasks. The instruction reads the
 * counter of the CPU that executes it. So the control page of a task's event offers the counter
 * only while the task's own program has the page mapped, and no other one. On x86 the permission,
 * too, is that program's alone. The others use read().
 */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user_access.h"

#define TURNS	500000

static bool is_offered(const struct perf_buf *buf)
{
	return buf->meta->cap_user_rdpmc && buf->meta->index;
}

/* A page that offers nothing, by each of its three fields. */
static bool is_withheld(const struct perf_buf *buf)
{
	return !buf->meta->cap_user_rdpmc && !buf->meta->index && !buf->meta->pmc_width;
}

/* A child that spins, reports that it does, and goes on until it is killed. */
static pid_t spinning_child(struct rounds *rounds)
{
	pid_t pid = fork_child();

	if (!pid) {
		for (;;) {
			spin(TURNS);
			rounds_add(rounds);
		}
	}
	return pid;
}

static bool stop_child(pid_t pid)
{
	return !kill(pid, SIGSTOP) && waitpid(pid, NULL, WUNTRACED) == pid && wait_off_cpu(pid);
}

FIXTURE(tasks)
{
	struct user_access access;
	struct perf_buf buf;
	struct rounds *rounds;
	pid_t pid;
	int fd;
};

FIXTURE_SETUP(tasks)
{
	int err = user_access_allow(&self->access);

	if (err == -ENODEV)
		SKIP(return, "no PMU with counters that programs read");
	ASSERT_EQ(0, err);
	self->rounds = rounds_shared();
}

FIXTURE_TEARDOWN_PARENT(tasks)
{
	user_access_restore(&self->access);
}

static struct perf_event_attr readable(const struct _test_data_tasks *self)
{
	return self->access.attr;
}

/* Open an event of this task, and map it. */
static int map_own(struct _test_data_tasks *self)
{
	self->fd = perf_open_self(readable(self));
	if (self->fd < 0)
		return self->fd;
	return perf_buf_map(&self->buf, self->fd, 0);
}

TEST_F(tasks, the_own_counter_is_offered)
{
	__u64 before, value, after;

	ASSERT_EQ(0, map_own(self));
	EXPECT_TRUE(is_offered(&self->buf));
	EXPECT_TRUE(permission_is(true));
	before = perf_count(self->fd);
	EXPECT_TRUE(read_self(self->buf.meta, &value));
	after = perf_count(self->fd);
	EXPECT_LE(before, value);
	EXPECT_LE(value, after);
}

/* The capability can be read before the event counts. */
TEST_F(tasks, an_own_event_that_is_off_has_the_capability)
{
	struct perf_event_attr attr = readable(self);

	attr.disabled = 1;
	self->fd = perf_open_self(attr);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_EQ(0, self->buf.meta->index);
	ASSERT_EQ(0, perf_enable(self->fd));
	EXPECT_TRUE(is_offered(&self->buf));
}

/*
 * The page offers nothing at any time: mapped before the event is enabled, and while the child
 * runs. read() returns what the child has done, and nothing of what others do. On arm64 the own
 * event permits to read registers, so a reader that follows a wrong page gets a value.
 */
TEST_F(tasks, the_counter_of_a_child_is_not)
{
	struct perf_event_attr attr = readable(self);
	__u64 before, value, wrong;
	int n;

	attr.disabled = 1;
	ASSERT_LE(0, perf_open_self(readable(self)));
	self->pid = spinning_child(self->rounds);
	ASSERT_LT(0, self->pid);
	self->fd = perf_open(attr, self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
	EXPECT_TRUE(is_withheld(&self->buf));
	ASSERT_EQ(0, perf_enable(self->fd));
	for (n = 0; n < 20; n++) {
		/* The first round may have begun before. */
		before = perf_count(self->fd);
		ASSERT_TRUE(rounds_pass(self->rounds, 2));
		ASSERT_TRUE(is_withheld(&self->buf));
		ASSERT_FALSE(read_self(self->buf.meta, &wrong));
		ASSERT_LT(before, perf_count(self->fd));
	}
	ASSERT_TRUE(stop_child(self->pid));
	EXPECT_TRUE(is_withheld(&self->buf));
	/* What the page has without a counter is the count. */
	EXPECT_FALSE(read_self(self->buf.meta, &wrong));
	value = perf_count(self->fd);
	EXPECT_EQ(value, wrong);
	spin(TURNS);
	EXPECT_EQ(value, perf_count(self->fd));
	EXPECT_TRUE(permission_is(false));
}

struct spinner {
	struct rounds *rounds;
	pid_t tid;
};

static void *spin_in_thread(void *arg)
{
	struct spinner *spinner = arg;

	spinner->tid = gettid();
	while (rounds_go_on(spinner->rounds)) {
		spin(TURNS / 100);
		rounds_add(spinner->rounds);
	}
	return NULL;
}

/*
 * It has the same address space, so the reader could be the counted task. There is an index while
 * the thread is on a CPU, perhaps this one.
 */
TEST_F(tasks, the_counter_of_another_thread_is_offered)
{
	struct spinner spinner = { .rounds = self->rounds };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, spin_in_thread, &spinner));
	ASSERT_TRUE(rounds_pass(self->rounds, 1));
	self->fd = perf_open(readable(self), spinner.tid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_TRUE(permission_is(true));
	rounds_stop(self->rounds);
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

#if defined(__x86_64__)
/* A reader that is bound to the CPU reads its counter. arm64 refuses such an event. */
TEST_F(tasks, the_counter_of_a_cpu_is_offered)
{
	int cpu = nth_cpu(0);
	__u64 before, value, after;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	self->fd = perf_open(readable(self), -1, cpu, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_TRUE(permission_is(true));
	before = perf_count(self->fd);
	ASSERT_TRUE(read_self(self->buf.meta, &value));
	after = perf_count(self->fd);
	EXPECT_LE(before, value);
	EXPECT_LE(value, after);
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_TRUE(permission_is(false));
}
#endif

/* A child counts as well, and has no mapping. The page still belongs to its parent. */
TEST_F(tasks, a_child_that_inherits_does_not_end_the_offer)
{
	struct perf_event_attr attr = readable(self);

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr.inherit = 1;
	self->fd = perf_open(attr, 0, nth_cpu(0), -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	self->pid = spinning_child(self->rounds);
	ASSERT_LT(0, self->pid);
	ASSERT_TRUE(rounds_pass(self->rounds, 2));
	EXPECT_TRUE(is_offered(&self->buf));
}

/* Steps of a child that maps the event of its own that the parent has opened. */
#define NOT_MAPPED	1
#define NOT_OFFERED	2
#define NOT_PERMITTED	4
#define NOT_READ	8
#define STILL_THERE	16
#define NOT_WITHHELD	32

static int use_own(struct perf_buf *buf, int fd)
{
	__u64 value, before;

	if (!is_offered(buf))
		return NOT_OFFERED;
	before = perf_count(fd);
	return !read_self(buf->meta, &value) || value <= before ? NOT_READ : 0;
}

/* While the owner has the event mapped, the task has the permission, but no offer. */
static int map_as_task(struct perf_buf *buf, int fd, bool owner_maps)
{
	int wrong;

	if (perf_buf_map(buf, fd, 0))
		return NOT_MAPPED;
	wrong = permission_is(true) ? 0 : NOT_PERMITTED;
	if (!owner_maps)
		return wrong | use_own(buf, fd);
	return is_withheld(buf) ? wrong : wrong | NOT_WITHHELD;
}

/*
 * The owner sends the event to the counted task. The permission is the task's alone. While the
 * owner has the event mapped as well, the page offers nothing. It does when the owner's mapping is
 * gone.
 */
static void send_to_child(struct _test_data_tasks *self, struct __test_metadata *_metadata,
			  bool owner_maps)
{
	struct gate checked = gate_new(), mapped = gate_new();
	int sock[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	self->pid = fork_child();
	if (!self->pid) {
		int fd = receive_fd(sock[1]);
		int wrong = map_as_task(&self->buf, fd, owner_maps);

		if (wrong & NOT_MAPPED)
			_exit(wrong);
		gate_open(&mapped);
		gate_wait(&checked);
		wrong |= use_own(&self->buf, fd);
		if (perf_buf_unmap(&self->buf))
			wrong |= STILL_THERE;
		/* A switch would write the page. */
		rounds_add(self->rounds);
		while (rounds_go_on(self->rounds))
			spin(100);
		if (!permission_is(false))
			wrong |= STILL_THERE;
		_exit(wrong);
	}
	self->fd = perf_open(readable(self), self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	if (owner_maps) {
		ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
		SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
		EXPECT_TRUE(is_withheld(&self->buf));
	}
	ASSERT_EQ(0, send_fd(sock[0], self->fd));
	gate_wait_for_child(&mapped);
	EXPECT_TRUE(permission_is(false));
	if (owner_maps) {
		EXPECT_TRUE(is_withheld(&self->buf));
		ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	}
	gate_open(&checked);
	EXPECT_TRUE(COMES_TRUE(atomic_load(&self->rounds->done)));
	/* Without the task's mapping there is no offer. */
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
	EXPECT_TRUE(is_withheld(&self->buf));
	rounds_stop(self->rounds);
	EXPECT_EQ(0, wait_status(self->pid));
	self->pid = 0;
}

TEST_F(tasks, a_task_that_gets_its_event_is_offered_the_counter)
{
	send_to_child(self, _metadata, false);
}

TEST_F(tasks, a_page_that_both_map_offers_nothing)
{
	send_to_child(self, _metadata, true);
}

/*
 * A mapping that fork() has copied is not the task's. The permission of the parent stays. While the
 * child has the mapping, the page offers nothing.
 */
TEST_F(tasks, a_copied_mapping_is_not_the_own)
{
	struct gate checked = gate_new(), unmapped = gate_new();
	pid_t pid;

	ASSERT_EQ(0, map_own(self));
	ASSERT_EQ(0, madvise(self->buf.meta, self->buf.length, MADV_DOFORK));
	pid = fork();
	if (!pid) {
		int wrong = is_withheld(&self->buf) ? 0 : NOT_WITHHELD;

		if (!permission_is(false))
			wrong |= STILL_THERE;
		gate_wait(&checked);
		if (perf_buf_unmap(&self->buf) || !permission_is(false))
			wrong |= STILL_THERE;
		gate_open(&unmapped);
		_exit(wrong);
	}
	SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(permission_is(true));
	gate_open(&checked);
	gate_wait_for_child(&unmapped);
	EXPECT_TRUE(is_offered(&self->buf));
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_TRUE(permission_is(true));
	EXPECT_TRUE(is_offered(&self->buf));
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_TRUE(permission_is(false));
}

/*
 * Two events of one task have one page. The task maps the one, another program the other. Neither
 * of them is offered a counter, also after the switches at the gate, which write the page.
 */
TEST_F(tasks, a_page_of_two_events_that_both_map_offers_nothing)
{
	struct gate mapped = gate_new(), checked = gate_new(), unmapped = gate_new();
	struct perf_buf other;
	int fd;

	ASSERT_EQ(0, map_own(self));
	fd = perf_open_self(readable(self));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	self->pid = fork_child();
	if (!self->pid) {
		int wrong = 0;

		if (perf_buf_map(&other, fd, 0))
			_exit(NOT_MAPPED);
		if (!is_withheld(&other))
			wrong = NOT_WITHHELD;
		gate_open(&mapped);
		gate_wait(&checked);
		if (!is_withheld(&other))
			wrong |= NOT_WITHHELD;
		if (perf_buf_unmap(&other))
			wrong |= STILL_THERE;
		gate_open(&unmapped);
		_exit(wrong);
	}
	gate_wait_for_child(&mapped);
	switch_out(2);
	SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(permission_is(true));
	gate_open(&checked);
	gate_wait_for_child(&unmapped);
	EXPECT_TRUE(is_offered(&self->buf));
	EXPECT_EQ(0, wait_status(self->pid));
	self->pid = 0;
}

/*
 * An event that shares the page of a software event is unmapped. Its program may not read its
 * counter any more.
 */
TEST_F(tasks, a_page_of_an_event_that_was_unmapped_offers_nothing)
{
	struct perf_buf other;
	int fd, n, offered = 0;

	fd = perf_open_self(PERF_SW(DUMMY));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&other, fd, 0));
	for (n = 0; n < 20; n++) {
		self->fd = perf_open_self(readable(self));
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
		ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
		/* A switch may have written the software event's after that. */
		offered += is_offered(&other);
		ASSERT_EQ(0, perf_buf_unmap(&self->buf));
		SKIP_STOCK_FAULT(!is_withheld(&other), "offers the counter of an unmapped event");
		EXPECT_TRUE(is_withheld(&other));
		close(self->fd);
	}
	EXPECT_LT(0, offered);
	ASSERT_EQ(0, perf_buf_unmap(&other));
	close(fd);
	self->fd = -1;
}

static char stack[64 * 1024] __attribute__((aligned(16)));

/* A process with the address space of its parent, until an exec. */
static int share_then_exec(void *go)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gate_wait(go);
	execl("/proc/self/exe", "wait", "--wait", NULL);
	_exit(94);
}

/* An exec closes the child's end. */
static bool wait_for_exec(struct gate *child)
{
	char c;

	close(child->wr);
	return !read(child->rd, &c, 1);
}

/*
 * An exec gives the task another address space. Its old one goes on in the parent, which has the
 * event mapped. The page does not offer the counter any more from the task's next switch on, which
 * the stop brings about. When the mapping goes, so does the permission.
 */
TEST_F(tasks, exec_ends_the_offer)
{
	struct gate go = gate_new(), child = gate_new();
	__u64 before;

	self->pid = clone(share_then_exec, stack + sizeof(stack), CLONE_VM | SIGCHLD, &go);
	ASSERT_LT(0, self->pid);
	self->fd = perf_open(readable(self), self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_TRUE(permission_is(true));
	gate_open(&go);
	ASSERT_TRUE(wait_for_exec(&child));
	/* The exec does not write the page, the switch does. */
	ASSERT_TRUE(stop_child(self->pid));
	SKIP_STOCK_FAULT(!is_withheld(&self->buf), "offers the counter of another CPU");
	EXPECT_TRUE(is_withheld(&self->buf));
	before = perf_count(self->fd);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(COMES_TRUE(perf_count(self->fd) > before));
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(permission_is(true));
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_TRUE(permission_is(false));
	/* Mapped again, it is another task's. */
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(permission_is(false));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--wait")) {
		for (;;)
			spin(TURNS);
	}
	return test_harness_run(argc, argv);
}
