// SPDX-License-Identifier: GPL-2.0
/*
 * Cases with transactions of an AUX area.
 */
#include "ring.h"

#define NR_SEEDS	4000
#define NR_TRANSACTIONS	60
#define DATA		((void *)0x1234)

ROLLED struct perf_aux_area area;
ROLLED struct perf_output_handle aux_handle;
/* What the area has are the words of records. */
static void *area_pages[NR_WORDS * sizeof(u64) / PAGE_SIZE];

static void set_up_area(unsigned int pages, unsigned long watermark, unsigned long head)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		area_pages[i] = (void *)words + i * PAGE_SIZE;
	area.pages = area_pages;
	area.mask = pages * PAGE_SIZE - 1;
	area.nr_pages = pages;
	area.watermark = watermark;
	area.overwrite = !watermark;
	area.data = DATA;
	area.head = head;
	area.wakeup = head + watermark;
	area.rb = &buffer;
	area.nr_mappings = 1;
	area.refcount.v = 1;
	buffer.aux = &area;
	page.aux_head = head;
	page.aux_tail = head;
	polled_aux = head;
}

static void begin_transaction(u64 flags)
{
	bool done = step_done;

	step_done = true;
	if (perf_aux_output_begin(&aux_handle, &events[SOURCE]) != DATA)
		fail("no transaction begins");
	perf_aux_output_flag(&aux_handle, flags);
	step_done = done;
}

static void expect(unsigned long offset, unsigned long size, unsigned long flags)
{
	expected_aux[0] = offset;
	expected_aux[1] = size;
	expected_aux[2] = flags;
	expects_aux = true;
}

static void end_transaction(unsigned long size, unsigned long flags)
{
	struct frame frame;

	if (size || flags & ~PERF_AUX_FLAG_OVERWRITE)
		expect(aux_handle.head, size, flags);
	step_enter(&frame);
	perf_aux_output_end(&aux_handle, size);
	step_leave(&frame);
	if (!frame.level)
		rest();
}

/* At a point of another writer: the transaction ends, in an NMI. The reader must be woken. */
void aux_nested(void)
{
	polls = true;
	polls_aux = true;
	end_transaction(600, aux_handle.aux_flags);
}

/*
 * "aux-wakeup": a reader that waits in poll(2) is woken by the end of a transaction, whenever it
 * looks for POLLIN while the transaction ends. It must not sleep again without the record.
 */
static void run_wakeup(unsigned int scene)
{
	struct setting from = { .pages = 1, .watermark = 2048, .head = 4096 };
	u64 flags = scene % 2 ? PERF_AUX_FLAG_TRUNCATED : 0;

	from.backward = scene / 2 % 2;
	world_set_up(&from, false);
	set_up_area(1, 512, 0UL - 256);
	begin_transaction(flags);
	polls = true;
	polls_aux = true;
	end_transaction(600, flags);
	if (expects_aux)
		fail("there is no record");
}

static void prepare_wakeup(void)
{
	plan.levels = 1;
	plan.each = 1;
	plan.action[0] = ACT_POLL;
}

/* "aux-in-record": a transaction ends while a record of the same buffer is open. */
static void run_in_record(unsigned int scene)
{
	struct setting from = { .pages = 1, .watermark = 2048, .head = 4096 };

	from.backward = scene / 2 % 2;
	world_set_up(&from, false);
	set_up_area(1, 512, 0UL - 256);
	begin_transaction(scene % 2 ? PERF_AUX_FLAG_TRUNCATED : 0);
	world_write(OWN, 64, true);
}

static void prepare_in_record(void)
{
	plan.levels = 1;
	plan.each = 2;
	plan.action[0] = ACT_AUX;
	plan.action[1] = ACT_POLL;
}

/* The position of an honest reader is within what was written. */
static void move_tail(bool hostile)
{
	unsigned long any = (unsigned long)random_word() << 32 | random_word();

	if (!hostile)
		page.aux_tail += random_below(area.head - page.aux_tail + 1);
	else
		page.aux_tail = random_below(2) ? any : area.head - 8192 + random_below(16384);
}

static unsigned long wanted_room(void)
{
	unsigned long bytes = area.mask + 1, used = area.head - page.aux_tail;

	if (used >= bytes)
		return 0;
	return bytes - used - 1;
}

static void check_wakeup(void)
{
	if (!area.overwrite && area.wakeup - area.head - 1 >= area.watermark)
		fail("the next wakeup is at %#lx, aux_head is %#lx, watermark %lu", area.wakeup,
		     area.head, area.watermark);
}

/* A transaction that must not begin, because another one is open. */
static void begin_second(void)
{
	struct perf_output_handle other = { .event = &events[OWN] };

	if (random_below(2)) {
		if (perf_aux_output_begin(&aux_handle, &events[SOURCE]) || !aux_handle.event)
			fail("the open transaction is begun again");
		return;
	}
	if (perf_aux_output_begin(&other, &events[SOURCE]) || other.event)
		fail("a second transaction begins");
	if (perf_aux_output_skip(&other, 0) != -ENOSPC)
		fail("a closed handle can be used");
}

static void skip(void)
{
	unsigned long before = area.head, size = random_below(aux_handle.size + 2);
	unsigned int wakes = nr_wakes;
	bool crosses = !area.overwrite && (long)(before + size - area.wakeup) >= 0;
	int wanted = size > aux_handle.size ? -ENOSPC : 0;

	if (perf_aux_output_skip(&aux_handle, size) != wanted)
		fail("%lu bytes skipped, not %d", size, wanted);
	if (wanted || area.overwrite)
		return;
	if (area.head != before + size || aux_handle.head != area.head ||
	    page.aux_head != area.head)
		fail("%lu bytes skipped, and aux_head is %#llx", size, page.aux_head);
	if (crosses && nr_wakes == wakes)
		fail("no wakeup at the watermark");
	if (aux_handle.wakeup != area.wakeup)
		fail("the handle's wakeup is wrong");
	check_wakeup();
}

/* How much the source says it has written. */
static unsigned long any_written(void)
{
	if (area.overwrite)
		return random_below(area.mask + 2);
	switch (random_below(8)) {
	case 0:
		return aux_handle.size + 1;
	case 1:
		return area.mask + 2 + random_below(1000);
	case 2:
		return 0UL - random_below(1000) - 1;
	case 3:
		return 0;
	}
	return random_below(aux_handle.size + 1);
}

static u64 any_flags(void)
{
	static const u64 flags[] = {
		0, 0, 0, PERF_AUX_FLAG_TRUNCATED, PERF_AUX_FLAG_PARTIAL, PERF_AUX_FLAG_COLLISION,
	};

	return flags[random_below(ARRAY_SIZE(flags))];
}

static void end_any(void)
{
	unsigned long size = any_written(), told = size, start = area.head, lost;
	unsigned int wakes = nr_wakes, disables = nr_disables;
	unsigned long wakeup = area.wakeup;
	u64 flags = any_flags();
	struct frame frame;
	bool crosses;

	perf_aux_output_flag(&aux_handle, flags);
	if (area.overwrite) {
		flags |= PERF_AUX_FLAG_OVERWRITE;
		start = random_word();
		aux_handle.head = start;
	} else if (size > area.mask + 1) {
		flags |= PERF_AUX_FLAG_PARTIAL;
		size = 0;
	}
	lost = events[SOURCE].lost_samples.v;
	if (size || flags & ~(u64)PERF_AUX_FLAG_OVERWRITE)
		expect(start, size, flags);
	step_enter(&frame);
	perf_aux_output_end(&aux_handle, told);
	step_leave(&frame);
	rest();
	if (expects_aux && events[SOURCE].lost_samples.v == lost)
		fail("no record for %lu bytes, flags %#llx", size, flags);
	expects_aux = false;
	if (page.aux_head != (area.overwrite ? start : start + size))
		fail("aux_head is %#llx, from %#lx on %lu bytes were written", page.aux_head, start,
		     size);
	crosses = !area.overwrite && (long)(area.head - wakeup) >= 0;
	if ((crosses || flags & PERF_AUX_FLAG_TRUNCATED) && nr_wakes == wakes)
		fail("no wakeup");
	if (nr_disables - disables != !!(flags & PERF_AUX_FLAG_TRUNCATED))
		fail("disabled %u times", nr_disables - disables);
	if (aux_handle.aux_flags != flags)
		fail("aux_flags are %#llx", aux_handle.aux_flags);
	check_wakeup();
}

static void run_transaction(bool hostile)
{
	unsigned long room = wanted_room(), bytes = area.mask + 1;
	unsigned int disables = nr_disables, wakes = nr_wakes;
	void *data = perf_aux_output_begin(&aux_handle, &events[SOURCE]);

	if (!area.overwrite && !room) {
		if (data || aux_handle.event || area.handle || area.refcount.v != 1)
			fail("a transaction without room");
		if (nr_disables != disables + 1 || nr_wakes == wakes)
			fail("no room, and no wakeup or not disabled");
		return;
	}
	if (data != DATA || aux_handle.event != &events[SOURCE] || area.handle != &aux_handle ||
	    area.refcount.v != 2)
		fail("no transaction with room for %lu", room);
	if (perf_get_aux(&aux_handle) != DATA)
		fail("perf_get_aux() is wrong");
	if (aux_handle.head != area.head || aux_handle.size != (area.overwrite ? 0 : room) ||
	    (!area.overwrite && aux_handle.wakeup != area.wakeup))
		fail("the handle has head %#lx, size %#lx and wakeup %#lx, the room is %#lx",
		     aux_handle.head, aux_handle.size, aux_handle.wakeup, room);
	if (!random_below(4))
		begin_second();
	if (!random_below(4))
		world_write_aux(8 * random_below(NR_WORDS), 8 + 8 * random_below(bytes / 8));
	if (!random_below(4))
		skip();
	end_any();
	if (aux_handle.event || area.handle || area.refcount.v != 1)
		fail("the transaction is not closed");
	perf_aux_output_end(&aux_handle, 1);
	if (!hostile && !area.overwrite && area.head - page.aux_tail > area.mask + 1)
		fail("%#llx bytes in the area", area.head - page.aux_tail);
}

static void run_aux(unsigned int scene)
{
	struct setting from = { .head = 4096 };
	unsigned int i, pages;
	bool hostile;

	random_seed(scene);
	from.pages = 1 << random_below(3);
	from.watermark = 1 + random_below(2048);
	from.backward = random_below(2);
	world_set_up(&from, true);
	pages = 1 << random_below(3);
	set_up_area(pages, random_below(3) ? 1 + random_below(pages * PAGE_SIZE / 2) : 0,
		    random_below(2) ? random_word() : -random_below(20000) * 1UL);
	hostile = random_below(2);
	for (i = 0; i < NR_TRANSACTIONS; i++) {
		move_tail(hostile);
		run_transaction(hostile);
		if (random_below(4))
			reader_empty();
	}
}

/* "points-aux": the functions of a transaction, with the trap flag */
static void transact(void)
{
	if (perf_aux_output_begin(&aux_handle, &events[SOURCE]) != DATA)
		fail("no transaction begins");
	world_write_aux(PAGE_SIZE - 64, 128);
	if (perf_aux_output_skip(&aux_handle, 8))
		fail("nothing is skipped");
	perf_aux_output_flag(&aux_handle, PERF_AUX_FLAG_TRUNCATED);
	expect(area.head, 600, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(&aux_handle, 600);
	page.aux_tail = area.head - area.mask;
	if (perf_aux_output_begin(&aux_handle, &events[SOURCE]))
		fail("a transaction without room");
}

static void run_points(unsigned int scene)
{
	struct setting from = { .pages = 1, .watermark = 2048, .head = 4096 };

	world_set_up(&from, false);
	set_up_area(1, 512, 0UL - 256);
	step_done = true;
	step_check_points(transact);
}

static void prepare_aux(void)
{
	step_random = true;
}

const struct ring_case aux_cases[] = {
	{ "points-aux", 1, NULL, run_points },
	{ "aux", NR_SEEDS, prepare_aux, run_aux },
	{ "aux-wakeup", 4, prepare_wakeup, run_wakeup },
	{ "aux-in-record", 4, prepare_in_record, run_in_record },
	{ }
};
