// SPDX-License-Identifier: GPL-2.0
/*
 * Cases with many writers, interrupted at random.
 */
#include "ring.h"

#define NR_SEEDS	10000

/* The buffer is paused and resumed at any time. */
static ROLLED bool pauses;

/* Mostly small records, and some that are larger than the buffer. */
static unsigned int any_size(unsigned int event)
{
	switch (random_below(12)) {
	case 0:
		return 56 + 8 * random_below(970);
	case 1:
	case 2:
		return 56 + 8 * random_below(100);
	case 3:
		return random_below(4) ? 64 : 0;
	}
	return event == OTHER ? 56 + 8 * random_below(8) : 16 + 8 * random_below(16);
}

static void write_any(void)
{
	unsigned int event = random_below(3);
	bool sample = random_below(2);
	unsigned int size = any_size(event);

	if (nr_writes < MANY_WRITES)
		world_write(event, size, sample);
}

static void read_some(void)
{
	unsigned long unread;

	if (setting.overwrite)
		return;
	look();
	if (setting.hostile) {
		reader_hostile();
		return;
	}
	if (random_below(2)) {
		reader_empty();
		return;
	}
	unread = distance(page.data_tail, page.data_head);
	if (unread)
		reader_read(8 * random_below(unread / 8 + 1));
}

/* Something may happen before the next instruction of the writer that runs. */
void random_point(void)
{
	switch (random_below(10)) {
	case 0:
		if (pauses)
			WRITE_ONCE(buffer.paused, !buffer.paused);
		break;
	case 1:
	case 2:
	case 3:
		read_some();
		break;
	default:
		if (step_now->level < MAX_LEVELS - 1)
			write_any();
	}
}

static void run_random(unsigned int scene)
{
	struct setting from = { };
	unsigned int i, nr;

	random_seed(scene);
	from.pages = 1 << random_below(3);
	from.backward = random_below(2);
	from.overwrite = !random_below(4);
	from.hostile = !random_below(4);
	from.watermark = 1 + random_below(random_below(2) ? 200 : from.pages * PAGE_SIZE / 2);
	from.wakeup_events = random_below(4);
	from.head = random_below(2) ? 8UL * random_below(1 << 20)
				    : -8UL * random_below(from.pages * 1000);
	from.lost = random_below(4) ? 0 : random_below(1000);
	world_set_up(&from, true);
	pauses = random_below(2);
	nr = 20 + random_below(101);
	for (i = 0; i < nr; i++) {
		write_any();
		if (!random_below(4))
			read_some();
		if (buffer.paused && random_below(2))
			WRITE_ONCE(buffer.paused, false);
	}
}

static void prepare_random(void)
{
	step_random = true;
}

const struct ring_case random_cases[] = {
	{ "random", NR_SEEDS, prepare_random, run_random },
	{ }
};
