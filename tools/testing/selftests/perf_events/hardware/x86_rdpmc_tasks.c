// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC and events of other tasks. The instruction reads the counter of the CPU that executes it.
 * So the control page of a task's event offers the counter only while the task's own program has
 * it mapped, and no other one. Only the own program gets the permission. The others use read().
 */
#include <pthread.h>
#include <setjmp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/rdpmc.h"

#ifdef __x86_64__

#define TURNS	500000

static struct perf_event_attr instructions(void)
{
	return PERF_HW(INSTRUCTIONS, .exclude_kernel = 1);
}

static bool is_offered(const struct perf_buf *buf)
{
	return buf->meta->cap_user_rdpmc && buf->meta->index;
}

/* A page that offers nothing, by each of its three fields. */
static bool is_withheld(const struct perf_buf *buf)
{
	return !buf->meta->cap_user_rdpmc && !buf->meta->index && !buf->meta->pmc_width;
}

static sigjmp_buf rdpmc_trap;

static void leave_rdpmc(int number)
{
	siglongjmp(rdpmc_trap, number);
}

/* A CPU checks the permission when it loads another address space. */
static void load_address_space(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static bool executes_rdpmc(void)
{
	if (sigsetjmp(rdpmc_trap, 1))
		return false;
	rdpmc(0);
	return true;
}

/* Has this process the permission to read a counter? */
static bool is_permitted(void)
{
	bool permitted;

	load_address_space();
	signal(SIGSEGV, leave_rdpmc);
	signal(SIGILL, leave_rdpmc);
	permitted = executes_rdpmc();
	signal(SIGSEGV, SIG_DFL);
	signal(SIGILL, SIG_DFL);
	return permitted;
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

FIXTURE(tasks)
{
	struct perf_buf buf;
	struct rounds *rounds;
	pid_t pid;
	int fd;
};

FIXTURE_SETUP(tasks)
{
	if (perf_try_self(instructions()) == -ENOENT)
		SKIP(return, "no core PMU");
	ASSERT_EQ(0, file_write(rdpmc_file(), "1"));
	/* A generic event counts on one kind of cores. */
	if (pmu_type("cpu") < 0)
		ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	self->rounds = rounds_shared();
}

FIXTURE_TEARDOWN(tasks)
{
	if (self->pid > 0)
		kill_child(self->pid);
}

TEST_F(tasks, the_own_counter_is_offered)
{
	__u64 value;

	self->fd = perf_open_self(instructions());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_TRUE(is_offered(&self->buf));
	EXPECT_TRUE(is_permitted());
	EXPECT_TRUE(read_by_page(self->buf.meta, &value));
}

/* The capability can be read before the event counts. */
TEST_F(tasks, an_own_event_that_is_off_has_the_capability)
{
	struct perf_event_attr attr = instructions();

	attr.disabled = 1;
	self->fd = perf_open_self(attr);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_EQ(0, self->buf.meta->index);
	ASSERT_EQ(0, perf_enable(self->fd));
	EXPECT_TRUE(is_offered(&self->buf));
}

static bool stop_child(pid_t pid)
{
	return !kill(pid, SIGSTOP) && waitpid(pid, NULL, WUNTRACED) == pid && wait_off_cpu(pid);
}

/*
 * The page offers nothing at any time. read() returns what the child has done, and nothing of what
 * others do.
 */
TEST_F(tasks, the_counter_of_a_child_is_not)
{
	__u64 before, value, wrong;
	int n;

	self->pid = spinning_child(self->rounds);
	ASSERT_LT(0, self->pid);
	self->fd = perf_open(instructions(), self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	for (n = 0; n < 20; n++) {
		/* The first round may have begun before. */
		before = perf_count(self->fd);
		ASSERT_TRUE(rounds_pass(self->rounds, 2));
		ASSERT_TRUE(is_withheld(&self->buf));
		ASSERT_FALSE(read_by_page(self->buf.meta, &wrong));
		ASSERT_LT(before, perf_count(self->fd));
	}
	ASSERT_TRUE(stop_child(self->pid));
	value = perf_count(self->fd);
	spin(TURNS);
	EXPECT_EQ(value, perf_count(self->fd));
	EXPECT_FALSE(is_permitted());
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
	self->fd = perf_open(instructions(), spinner.tid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_TRUE(is_permitted());
	rounds_stop(self->rounds);
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

/* A reader that is bound to the CPU reads its counter. */
TEST_F(tasks, the_counter_of_a_cpu_is_offered)
{
	int cpu = nth_cpu(0);
	__u64 before, value, after;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	self->fd = perf_open(instructions(), -1, cpu, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_TRUE(is_permitted());
	before = perf_count(self->fd);
	ASSERT_TRUE(read_by_page(self->buf.meta, &value));
	after = perf_count(self->fd);
	EXPECT_LE(before, value);
	EXPECT_LE(value, after);
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_FALSE(is_permitted());
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
	return !read_by_page(buf->meta, &value) || value <= before ? NOT_READ : 0;
}

/* While the owner has the event mapped, the task has the permission, but no offer. */
static int map_own(struct perf_buf *buf, int fd, bool owner_maps)
{
	int wrong;

	if (perf_buf_map(buf, fd, 0))
		return NOT_MAPPED;
	wrong = is_permitted() ? 0 : NOT_PERMITTED;
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
		int wrong = map_own(&self->buf, fd, owner_maps);

		gate_open(&mapped);
		gate_wait(&checked);
		wrong |= use_own(&self->buf, fd);
		if (perf_buf_unmap(&self->buf))
			wrong |= STILL_THERE;
		/* A switch would write the page. */
		rounds_add(self->rounds);
		while (rounds_go_on(self->rounds))
			spin(100);
		if (is_permitted())
			wrong |= STILL_THERE;
		_exit(wrong);
	}
	self->fd = perf_open(instructions(), self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	if (owner_maps) {
		ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
		EXPECT_TRUE(is_withheld(&self->buf));
	}
	ASSERT_EQ(0, send_fd(sock[0], self->fd));
	gate_wait_for_child(&mapped);
	EXPECT_FALSE(is_permitted());
	if (owner_maps) {
		EXPECT_TRUE(is_withheld(&self->buf));
		ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	}
	gate_open(&checked);
	EXPECT_TRUE(COMES_TRUE(atomic_load(&self->rounds->done)));
	/* Without the task's mapping there is no offer. */
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
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

	self->fd = perf_open_self(instructions());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	ASSERT_EQ(0, madvise(self->buf.meta, self->buf.length, MADV_DOFORK));
	pid = fork();
	if (!pid) {
		int wrong = is_permitted();

		if (!is_withheld(&self->buf))
			wrong |= 2;
		gate_wait(&checked);
		if (perf_buf_unmap(&self->buf) || is_permitted())
			wrong |= 4;
		gate_open(&unmapped);
		_exit(wrong);
	}
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(is_permitted());
	gate_open(&checked);
	gate_wait_for_child(&unmapped);
	EXPECT_TRUE(is_offered(&self->buf));
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_TRUE(is_permitted());
	EXPECT_TRUE(is_offered(&self->buf));
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_FALSE(is_permitted());
}

/*
 * Two events of one task have one page. The task maps the one, another program the other. Neither
 * of them is offered a counter, also after the switches, which write the page.
 */
TEST_F(tasks, a_page_of_two_events_that_both_map_offers_nothing)
{
	struct gate mapped = gate_new(), checked = gate_new(), unmapped = gate_new();
	struct perf_buf other;
	int fd;

	self->fd = perf_open_self(instructions());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	fd = perf_open_self(instructions());
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
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(is_permitted());
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
		self->fd = perf_open_self(instructions());
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
		ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
		/* A switch may have written the software event's after that. */
		offered += is_offered(&other);
		ASSERT_EQ(0, perf_buf_unmap(&self->buf));
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
	self->fd = perf_open(instructions(), self->pid, -1, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_TRUE(is_permitted());
	gate_open(&go);
	ASSERT_TRUE(wait_for_exec(&child));
	/* The exec does not write the page, the switch does. */
	ASSERT_TRUE(stop_child(self->pid));
	EXPECT_TRUE(is_withheld(&self->buf));
	before = perf_count(self->fd);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(COMES_TRUE(perf_count(self->fd) > before));
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_TRUE(is_permitted());
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_FALSE(is_permitted());
	/* Mapped again, it is another task's. */
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_TRUE(is_withheld(&self->buf));
	EXPECT_FALSE(is_permitted());
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--wait")) {
		for (;;)
			spin(TURNS);
	}
	return test_harness_run(argc, argv);
}

#else /* !__x86_64__ */

TEST(rdpmc)
{
	SKIP(return, "x86 only");
}

TEST_HARNESS_MAIN

#endif
