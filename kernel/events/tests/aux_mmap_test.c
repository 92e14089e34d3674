// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of mapping AUX areas: which areas can be mapped, which memory they consist of, and
 * what happens when an area is unmapped while a trace source writes to it.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "../buffer/attach.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "aux_fake.h"
#include "../abi/file.h"

static void aux_life(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	atomic64_t *pinned = &current->mm->pinned_vm;

	KUNIT_EXPECT_EQ(test, t->nr_setup, 1);
	KUNIT_EXPECT_EQ(test, t->nr_pages, AUX_PAGES);
	KUNIT_EXPECT_FALSE(test, t->overwrite);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 0);
	/* the data may be unmapped first */
	fake_unmap(t, 0);
	KUNIT_EXPECT_NOT_NULL(test, fake_rb(t));
	KUNIT_EXPECT_PTR_EQ(test, fake_begin(t), (void *)t);
	fake_end(t, 8);
	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
	KUNIT_EXPECT_NULL(test, fake_rb(t));
	KUNIT_EXPECT_EQ(test, atomic64_read(pinned), 0);
	KUNIT_EXPECT_NULL(test, fake_begin(t));
}

static void aux_no_buffer(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, 0);

	memset(&t->handle, 0x5a, sizeof(t->handle));
	KUNIT_EXPECT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_NOT_NULL(test, t->handle.event);
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, AUX_PGOFF, AUX_PAGES), -EINVAL);

	fake_map_data(test, t);
	KUNIT_EXPECT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_NULL(test, t->handle.event);
}

static void aux_geometry(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, 0);
	struct perf_event_mmap_page *page;

	fake_map_data(test, t);
	page = fake_rb(t)->user_page;
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, AUX_PGOFF, AUX_PAGES), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, 3), -EINVAL);
	page->aux_size = AUX_BYTES;
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, AUX_PGOFF, 2 * AUX_PAGES), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, AUX_PGOFF + 1, AUX_PAGES), -EINVAL);
	page->aux_offset = DATA_PAGES << PAGE_SHIFT;
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, DATA_PAGES, AUX_PAGES), -EINVAL);
	KUNIT_EXPECT_EQ(test, t->nr_setup, 0);
}

static void aux_second_mapping(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_event_mmap_page *page = fake_rb(t)->user_page;
	long again = fake_map_area(t, PROT_READ, AUX_PAGES);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(again));
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, 2 * AUX_PAGES), -EINVAL);
	page->aux_offset = (AUX_PGOFF + 8) << PAGE_SHIFT;
	page->aux_size = AUX_BYTES;
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, AUX_PGOFF + 8, AUX_PAGES), -EINVAL);
	KUNIT_EXPECT_EQ(test, t->nr_setup, 1);

	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 0);
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	fake_end(t, 0);
	vm_munmap(again, AUX_BYTES);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
}

static void aux_setup_fails(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, 0);
	struct user_struct *user = current_user();
	long locked;

	fake_map_data(test, t);
	locked = atomic_long_read(&user->perf_mlock);
	t->refuses = true;
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, AUX_PAGES), -ENOMEM);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&user->perf_mlock), locked);
	KUNIT_EXPECT_NULL(test, fake_rb(t)->aux);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 0);

	t->refuses = false;
	fake_map(test, t, RW);
}

/*
 * A mapping that failed left the driver with a mapping, which permits programs to read counters.
 * Fails if perf_aux_mmap() or perf_data_mmap() calls perf_notify_pmu_mapped() in spite of an error.
 */
static void aux_cve_2025_38565_failed_map(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, 0);

	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, 0, 1 + 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, t->nr_mapped, 0);
	fake_map_data(test, t);
	KUNIT_EXPECT_EQ(test, t->nr_mapped, 1);
	KUNIT_EXPECT_EQ(test, fake_mmap(t, RW, 0, 1 + 2 * DATA_PAGES), -EINVAL);
	t->refuses = true;
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, AUX_PAGES), -ENOMEM);
	KUNIT_EXPECT_EQ(test, t->nr_mapped, 1);
	t->refuses = false;
	t->mapped[1] = fake_map_area(t, RW, AUX_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(t->mapped[1]));
	t->len[1] = AUX_BYTES;
	KUNIT_EXPECT_EQ(test, t->nr_mapped, 2);
	fake_unmap(t, 1);
	fake_unmap(t, 0);
	KUNIT_EXPECT_EQ(test, t->nr_mapped, 0);
}

/*
 * Sizes and offsets from 2 GiB on were truncated to 32 bits.
 * Fails if perf_rb_bytes() shifts the number of pages as an unsigned int.
 */
static void aux_cve_2025_40081_offset_beyond_2_gib(struct kunit *test)
{
	struct perf_buffer *rb = kunit_kzalloc(test, sizeof(*rb), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rb);
	rb->nr_pages = SZ_2G >> PAGE_SHIFT;
	KUNIT_EXPECT_EQ(test, perf_rb_bytes(rb), 2UL * SZ_1G);
	rb->nr_pages = 2 * (SZ_2G >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, perf_rb_bytes(rb), 4UL * SZ_1G);
}

/* Areas larger than memory, or with more pages than an int, fail without a warning. */
static void aux_cve_2023_52835_huge_area(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_PREFER_LARGE, 0);
	unsigned long pages = roundup_pow_of_two(totalram_pages());

	fake_map_data(test, t);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, pages), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, pages * 2), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, 1UL + INT_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, t->nr_setup, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&current->mm->pinned_vm), 0);
}

/* Number of pages from @first on that are adjacent in memory. */
static int aux_piece(struct fake_aux *t, int first)
{
	int n = 1;

	while (first + n < t->nr_pages &&
	       t->pages[first + n] == t->pages[first] + n * PAGE_SIZE)
		n++;
	return n;
}

/* What the driver of Intel PT reads: the order of the piece that begins with a page, or 0. */
static unsigned long aux_order(struct fake_aux *t, int first)
{
	struct page *page = virt_to_page(t->pages[first]);

	return PagePrivate(page) ? page_private(page) : 0;
}

static void aux_one_piece(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_NO_SG, 0);
	unsigned long too_many = 2UL << MAX_PAGE_ORDER;

	fake_map_data(test, t);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, PROT_READ, too_many), -ENOMEM);
	fake_unmap(t, 0);

	fake_map(test, t, PROT_READ);
	KUNIT_EXPECT_TRUE(test, t->overwrite);
	KUNIT_EXPECT_EQ(test, aux_piece(t, 0), AUX_PAGES);
	KUNIT_EXPECT_EQ(test, aux_order(t, 0), ilog2(AUX_PAGES));
	for (int i = 1; i < AUX_PAGES; i++)
		KUNIT_EXPECT_EQ(test, aux_order(t, i), 0);
}

/* Each piece tells its order. A page of a reader that outlives the area does not. */
static void aux_orders(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_PREFER_LARGE, 0);
	struct page *kept;
	int first = 0;

	fake_map(test, t, RW);
	for (; first < t->nr_pages; first += 1 << aux_order(t, first))
		for (int i = 1; i < 1 << aux_order(t, first); i++) {
			KUNIT_EXPECT_EQ(test, aux_order(t, first + i), 0);
			KUNIT_EXPECT_PTR_EQ(test, t->pages[first + i],
					    t->pages[first] + i * PAGE_SIZE);
		}
	KUNIT_EXPECT_EQ(test, first, t->nr_pages);

	kept = virt_to_page(t->pages[0]);
	get_page(kept);
	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
	KUNIT_EXPECT_FALSE(test, PagePrivate(kept));
	KUNIT_EXPECT_EQ(test, page_private(kept), 0);
	put_page(kept);
}

/* The reader is woken at the end of a piece, so a watermark is the end of one. */
static void aux_pieces_end_at_watermark(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_PREFER_LARGE, 6 * PAGE_SIZE);
	long area;

	fake_map_data(test, t);
	area = fake_map_area(t, RW, 64);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(area));
	for (int mark = 6; mark < t->nr_pages; mark += 6) {
		int first = 0;

		while (first < mark)
			first += 1 << aux_order(t, first);
		KUNIT_EXPECT_EQ(test, first, mark);
	}
	vm_munmap(area, 64 * PAGE_SIZE);
}

static void aux_large_pieces(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_NO_SG, 0);
	long area;

	fake_map_data(test, t);
	area = fake_map_area(t, RW, 64);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(area));
	KUNIT_EXPECT_GE(test, aux_piece(t, 0), 32);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)t->pages[0],
					   32 * PAGE_SIZE));
	vm_munmap(area, 64 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
}

/* Areas that are unmapped while a transaction is open */

static void aux_unmapped_while_on(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	perf_event_enable(t->event);
	t->written = 72;
	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_stops, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
	KUNIT_EXPECT_NULL(test, fake_rb(t)->aux);
	fake_expect_record(test, t, 0, 72, 0);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_NULL(test, fake_begin(t));

	/* the event writes to the next area when it is scheduled in again */
	perf_event_disable(t->event);
	t->len[1] = AUX_BYTES;
	t->mapped[1] = fake_map_area(t, RW, AUX_PAGES);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(t->mapped[1]));
	KUNIT_EXPECT_EQ(test, fake_head(t), 0);
	perf_event_enable(t->event);
	KUNIT_EXPECT_PTR_EQ(test, t->handle.event, t->event);
	perf_event_disable(t->event);
}

static void aux_file_closed_while_on(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	perf_event_enable(t->event);
	fake_unmap(t, 0);
	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_stops, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
}

/* the last resort against an event that never comes: two minutes, in units of 20 ms */
#define PATIENCE	6000

/* munmap(2) does not wait for a driver that writes; freeing the memory does. */
static void aux_held_after_unmap(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_buffer *rb = fake_rb(t);

	t->holds_on = true;
	perf_event_enable(t->event);
	fake_unmap(t, 1);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 0);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(&t->handle), (void *)t);
	KUNIT_EXPECT_EQ(test, fake_map_area(t, RW, AUX_PAGES), -EBUSY);

	fake_end(t, 8);
	for (int i = 0; i < PATIENCE && READ_ONCE(rb->aux); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);
	KUNIT_EXPECT_NULL(test, rb->aux);
	t->holds_on = false;
	perf_event_disable(t->event);
}

static void aux_output_taken_away(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_buffer *rb = fake_rb(t);

	perf_event_enable(t->event);
	t->written = 16;
	scoped_guard(mutex, &rb->mutex) {
		refcount_inc(&rb->refcount);
		perf_rb_detach(t->event, rb);
	}
	KUNIT_EXPECT_EQ(test, t->nr_stops, 1);
	KUNIT_EXPECT_EQ(test, rb->user_page->aux_head, 16);
	KUNIT_EXPECT_EQ(test, rb->user_page->data_head, sizeof(struct fake_record));
	scoped_guard(mutex, &rb->mutex)
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(t->event, rb));
	perf_rb_put(rb);
}

struct aux_child {
	int	cpu;
	bool	may_go;
};

/* The child runs on the event's CPU until may_go is set. */
static int aux_child_runs(void *arg)
{
	struct aux_child *child = arg;

	set_cpus_allowed_ptr(current, cpumask_of(child->cpu));
	while (!READ_ONCE(child->may_go))
		cond_resched();
	do_exit(0);
}

/* A child event writes to the area on another CPU when it is unmapped here. */
static void aux_unmapped_while_child_is_on(struct kunit *test)
{
	struct aux_child child = {
		.cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id()),
	};
	struct perf_event *writer;
	struct fake_aux *t;
	int status;
	pid_t pid;

	if (child.cpu >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	t = fake_make_inherited(test, child.cpu);
	fake_map(test, t, RW);
	pid = user_mode_thread(aux_child_runs, &child,
			       CLONE_VM | SIGCHLD);
	KUNIT_ASSERT_GT(test, pid, 0);

	/* the child may be preempted at any time, which ends the writing */
	writer = READ_ONCE(t->handle.event);
	for (int i = 0; i < PATIENCE && !writer; i++) {
		msleep(20);
		writer = READ_ONCE(t->handle.event);
	}
	KUNIT_EXPECT_NOT_NULL(test, writer);
	KUNIT_EXPECT_PTR_NE(test, writer, t->event);
	fake_unmap(t, 1);
	/* more than once if the child was preempted before */
	KUNIT_EXPECT_GE(test, t->nr_stops, 1);
	KUNIT_EXPECT_NULL(test, t->handle.event);
	KUNIT_EXPECT_EQ(test, t->nr_freed, 1);

	WRITE_ONCE(child.may_go, true);
	/* kernel_wait() needs SIGCHLD; the exit status is not used */
	kernel_wait(pid, &status);
}

/* A thread with its own address space, which maps the area of @file until may_go completes. */
struct aux_mapper {
	struct task_struct	*task;
	struct file		*file;
	long			mapped;
	struct completion	is_done, may_go;
};

static int aux_mapper_runs(void *arg)
{
	struct aux_mapper *mapper = arg;
	struct mm_struct *mm = mm_alloc();

	mapper->mapped = -ENOMEM;
	if (mm) {
		mm->task_size = TASK_SIZE;
		arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
		kthread_use_mm(mm);
		mapper->mapped = vm_mmap(mapper->file, 0, AUX_BYTES, RW, MAP_SHARED,
					 AUX_PGOFF << PAGE_SHIFT);
	}
	complete(&mapper->is_done);
	wait_for_completion(&mapper->may_go);
	if (mm) {
		kthread_unuse_mm(mm);
		mmput(mm);
	}
	return 0;
}

static void aux_mapper_begin(struct kunit *test, struct aux_mapper *mapper,
			     struct file *file)
{
	mapper->file = file;
	init_completion(&mapper->is_done);
	init_completion(&mapper->may_go);
	mapper->task = kthread_run(aux_mapper_runs, mapper, "perf_aux_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(mapper->task));
	get_task_struct(mapper->task);
}

static void aux_mapper_end(struct aux_mapper *mapper)
{
	complete(&mapper->may_go);
	kthread_stop_put(mapper->task);
}

/* Open another event that writes to the same buffer, with a file. */
static struct file *aux_open_another(struct kunit *test, struct fake_aux *t,
				     struct perf_event **event)
{
	struct perf_event_attr attr = {
		.type		= t->pmu.type,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct file *file;

	*event = perf_event_create_kernel_counter(&attr, t->event->cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, *event);
	file = anon_inode_getfile("[perf_event]", &perf_event_fops, *event, O_RDWR);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(*event, t->event), 0);
	return file;
}

/*
 * Caller must hold rb->mutex, so rb->aux_mutex must not be taken here. rb->aux is not freed
 * while its mappings wait for rb->mutex.
 */
static void aux_wait_for_mappings(struct perf_buffer *rb, unsigned int nr)
{
	struct perf_aux_area *aux;

	for (;;) {
		aux = READ_ONCE(rb->aux);
		if (aux && READ_ONCE(aux->nr_mappings) == nr)
			return;
		cond_resched();
	}
}

/* The first mapping of an area fails at the end, but a second one has succeeded meanwhile. */
static void aux_first_mapping_fails(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_buffer *rb = fake_rb(t);
	struct aux_mapper first, second;
	struct perf_event *another;
	struct file *file;

	file = aux_open_another(test, t, &another);
	perf_event_enable(t->event);
	fake_unmap(t, 1);
	KUNIT_EXPECT_NULL(test, t->handle.event);

	scoped_guard(mutex, &rb->mutex) {
		/* both threads wait for rb->mutex, to count their mappings of the buffer */
		aux_mapper_begin(test, &first, file);
		aux_wait_for_mappings(rb, 1);
		aux_mapper_begin(test, &second, t->file);
		aux_wait_for_mappings(rb, 2);
		perf_rb_detach(another, rb);
	}
	wait_for_completion(&first.is_done);
	wait_for_completion(&second.is_done);
	KUNIT_EXPECT_EQ(test, first.mapped, -EINVAL);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(second.mapped));
	KUNIT_EXPECT_PTR_EQ(test, t->handle.event, t->event);

	perf_event_disable(t->event);
	aux_mapper_end(&first);
	aux_mapper_end(&second);
	flush_delayed_fput();
	KUNIT_EXPECT_EQ(test, t->nr_freed, 2);
	__fput_sync(file);
}

static struct kunit_case aux_mmap_tests[] = {
	KUNIT_CASE(aux_life),
	KUNIT_CASE(aux_no_buffer),
	KUNIT_CASE(aux_geometry),
	KUNIT_CASE(aux_second_mapping),
	KUNIT_CASE(aux_first_mapping_fails),
	KUNIT_CASE(aux_setup_fails),
	KUNIT_CASE(aux_cve_2025_38565_failed_map),
	KUNIT_CASE(aux_cve_2025_40081_offset_beyond_2_gib),
	KUNIT_CASE(aux_cve_2023_52835_huge_area),
	KUNIT_CASE(aux_one_piece),
	KUNIT_CASE(aux_orders),
	KUNIT_CASE(aux_pieces_end_at_watermark),
	KUNIT_CASE(aux_large_pieces),
	KUNIT_CASE(aux_unmapped_while_on),
	KUNIT_CASE(aux_file_closed_while_on),
	KUNIT_CASE(aux_held_after_unmap),
	KUNIT_CASE(aux_output_taken_away),
	KUNIT_CASE(aux_unmapped_while_child_is_on),
	{}
};

static struct kunit_suite aux_mmap_suite = {
	.name		= "perf_aux_mmap",
	.init		= fake_aux_init,
	.exit		= fake_aux_exit,
	.test_cases	= aux_mmap_tests,
};

kunit_test_suite(aux_mmap_suite);
