// SPDX-License-Identifier: GPL-2.0
/*
 * A page of a caller's memory may be missing for as long as a program of the user likes. Meanwhile
 * other tasks can use the event, and other events of the same task.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

FIXTURE(missing)
{
	int fd;		/* an event */
	int faults;	/* the userfaultfd of the page */
	void *page;
	bool done;	/* the other thread has read the event */
};

FIXTURE_VARIANT(missing)
{
	unsigned long request;	/* an ioctl, or 0 for read() */
};

FIXTURE_VARIANT_ADD(missing, read) { .request = 0 };
FIXTURE_VARIANT_ADD(missing, period) { .request = PERF_EVENT_IOC_PERIOD };
FIXTURE_VARIANT_ADD(missing, id) { .request = PERF_EVENT_IOC_ID };
FIXTURE_VARIANT_ADD(missing, attributes) { .request = PERF_EVENT_IOC_MODIFY_ATTRIBUTES };
FIXTURE_VARIANT_ADD(missing, filter) { .request = PERF_EVENT_IOC_SET_FILTER };

FIXTURE_SETUP(missing)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	SKIP_STOCK_FAULT(true, "memory of user space is accessed with the context locked");
	self->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->faults < 0)
		SKIP(return, "no userfaultfd for this user");
	self->fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1000));
	ASSERT_LE(0, self->fd);
	self->page = map_fresh_pages(1);
	ASSERT_NE(NULL, self->page);
	range.range.start = (unsigned long)self->page;
	range.range.len = page_size;
	ASSERT_EQ(0, ioctl(self->faults, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(self->faults, UFFDIO_REGISTER, &range));
}

FIXTURE_TEARDOWN(missing)
{
	close(self->fd);
	close(self->faults);
}

struct call {
	const FIXTURE_DATA(missing) *self;
	unsigned long request;
};

static void *use_page(void *arg)
{
	const struct call *call = arg;

	if (call->request)
		ioctl(call->self->fd, call->request, call->self->page);
	else
		read(call->self->fd, call->self->page, sizeof(__u64));
	return NULL;
}

static void *read_event(void *arg)
{
	FIXTURE_DATA(missing) *self = arg;

	perf_count(self->fd);
	__atomic_store_n(&self->done, true, __ATOMIC_RELEASE);
	return NULL;
}

TEST_F(missing, others_do_not_wait)
{
	struct call call = { .self = self, .request = variant->request };
	struct uffdio_zeropage zero = {
		.range = { .start = (unsigned long)self->page, .len = page_size },
	};
	struct uffd_msg fault;
	pthread_t user, other;

	ASSERT_EQ(0, pthread_create(&user, NULL, use_page, &call));
	/* The thread is in the kernel from here on, and waits for the page. */
	ASSERT_EQ(sizeof(fault), read(self->faults, &fault, sizeof(fault)));
	ASSERT_EQ(UFFD_EVENT_PAGEFAULT, fault.event);
	ASSERT_EQ(0, pthread_create(&other, NULL, read_event, self));
	EXPECT_TRUE(COMES_TRUE(__atomic_load_n(&self->done, __ATOMIC_ACQUIRE)));
	ASSERT_EQ(0, ioctl(self->faults, UFFDIO_ZEROPAGE, &zero));
	pthread_join(user, NULL);
	pthread_join(other, NULL);
}

TEST_HARNESS_MAIN
