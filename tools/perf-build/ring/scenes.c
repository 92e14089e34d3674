// SPDX-License-Identifier: GPL-2.0
/*
 * Cases with a small number of writers, interrupted at each instruction.
 */
#include "ring.h"

/* A record that begins so many bytes before the end of a page lies over that end. */
#define BEFORE_END	40

/* Take a digit of @scene; it becomes the rest. */
static unsigned int digit(unsigned int *scene, unsigned int base)
{
	unsigned int value = *scene % base;

	*scene /= base;
	return value;
}

/* The buffer has room for @room bytes, and for 7 more, which are of no use. */
static void set_room(struct setting *to, unsigned long room)
{
	to->used = to->pages * PAGE_SIZE - 8 - room;
}

/* Let a writer be interrupted; then the reader empties the buffer, and another one writes. */
static void run_writer(unsigned int event, unsigned int size, bool sample)
{
	world_write(event, size, sample);
	step_done = true;
	reader_empty();
	rest();
	world_write(OTHER, 64, false);
	world_write(CHILD, 32, true);
	world_write(OWN, 48, true);
}

/* "single": one interruption, in all combinations of a setting, with these */
static const unsigned int rooms[] = {
	4088, 0, 40, 48, 64, 64 + 40, 64 + 48, 24 + 64, 24 + 48, 24 + 64 + 48, 64 + 64 + 64,
};

static const unsigned int watermarks[] = { 8, 63, 64, 2048 };

#define NR_SINGLE (2 * 2 * 2 * ARRAY_SIZE(rooms) * ARRAY_SIZE(watermarks) * 3 * 2 * 3)

static void prepare_single(void)
{
	plan.levels = 1;
	plan.each = 1;
}

static void run_single(unsigned int scene)
{
	unsigned int left = scene;
	struct setting from = { };
	static const enum action actions[] = { ACT_WRITE, ACT_READ_WRITE, ACT_WRITE_READ };

	from.backward = digit(&left, 2);
	from.overwrite = digit(&left, 2);
	from.pages = 1 + digit(&left, 2);
	set_room(&from, rooms[digit(&left, ARRAY_SIZE(rooms))]);
	from.watermark = watermarks[digit(&left, ARRAY_SIZE(watermarks))];
	from.since = min(from.watermark, 8UL);
	from.wakeup_events = digit(&left, 3);
	from.lost = 3 * digit(&left, 2);
	plan.action[0] = actions[digit(&left, 3)];
	/* over the end of a page, of the buffer, and of the counter */
	from.head = scene / 5 % 2 ? 0UL - BEFORE_END : 7 * PAGE_SIZE - BEFORE_END;
	if (from.backward)
		from.head += 2 * BEFORE_END;
	world_set_up(&from, false);
	nested[0] = (struct write){ .event = scene % 7 % 3, .size = 48, .sample = true };
	if (scene % 4 == 1)
		nested[0] = (struct write){ .event = OTHER, .size = 64 };
	run_writer(scene % 3, 64, scene % 2 || from.wakeup_events);
}

/* "two-deep", "pairs" and others: the scenes that differ in what code they reach */
static const struct setting few[] = {
	{ .pages = 1, .watermark = 2048, .head = 4096 },
	{ .pages = 1, .watermark = 64, .lost = 3, .used = 4096 - 8 - 24 - 64 - 48, .head = 4096 },
	{ .pages = 2, .watermark = 64, .backward = true, .head = 40, .wakeup_events = 2 },
	{ .pages = 1, .watermark = 8, .used = 4096 - 8 - 64 - 40, .head = 8192 - 40 },
	{ .pages = 1, .watermark = 64, .overwrite = true, .head = 0UL - 40, .wakeup_events = 1 },
	{ .pages = 1, .watermark = 24, .lost = 1, .backward = true, .used = 4096 - 8 - 24 - 64,
	  .head = 8192 + 24 },
};

static void set_up_few(unsigned int scene)
{
	world_set_up(&few[scene], false);
	nested[0] = (struct write){ .event = OWN, .size = 48, .sample = true };
	nested[1] = (struct write){ .event = OTHER, .size = 56 };
	nested[2] = (struct write){ .event = CHILD, .size = 16, .sample = true };
	if (scene == 1)
		nested[0] = (struct write){ .event = OTHER, .size = 56 };
}

static void run_few(unsigned int scene)
{
	set_up_few(scene);
	run_writer(OWN, 64, true);
}

static void prepare_two_deep(void)
{
	plan.levels = 2;
	plan.each = 1;
	plan.watch = true;
}

static void prepare_three_deep(void)
{
	plan.levels = 3;
	plan.each = 1;
	plan.one_in = max(6 / step_factor, 2UL);
}

/* The second round of perf_rb_publish() is seen by a reader that watches only. */
static void prepare_pairs(void)
{
	plan.levels = 1;
	plan.each = 2;
	plan.watch = true;
}

/* The reader moves data_tail at one instruction, a writer interrupts at another. */
static void run_reader(unsigned int scene)
{
	static const unsigned int full[] = { 1, 3, 5 };

	plan.action[0] = scene % 2 ? ACT_READ : ACT_WRITE;
	plan.action[1] = scene % 2 ? ACT_WRITE : ACT_READ;
	run_few(full[scene / 2]);
}

/* A reader that is about to sleep in poll(2) looks at one instruction, a writer interrupts. */
static void run_poll(unsigned int scene)
{
	plan.action[0] = scene % 2 ? ACT_POLL : ACT_WRITE;
	plan.action[1] = scene % 2 ? ACT_WRITE : ACT_POLL;
	set_up_few(scene / 2);
	polls = true;
	world_write(OWN, 64, true);
}

/*
 * "watermark-backlog": a long time after the last record that was smaller than the watermark,
 * rb->woken is nearly the half of all positions behind. Each record wakes.
 */
static void run_backlog(unsigned int scene)
{
	struct setting from = {
		.pages = 1, .watermark = 1, .head = 4096, .since = LONG_MAX - 200,
		.backward = scene,
	};
	unsigned int i;

	world_set_up(&from, false);
	for (i = 0; i < 10; i++)
		world_write(OWN, 64, true);
}

/*
 * "overwrite-nested": within one record others write more than the buffer has. The reader finds
 * no broken record afterwards.
 */
static void run_overwrite_nested(unsigned int scene)
{
	struct setting from = {
		.pages = 1, .watermark = 2048, .overwrite = true, .backward = !(scene % 2),
		.head = 4096,
	};
	unsigned int i;

	world_set_up(&from, false);
	checks_newest = true;
	nested[0] = (struct write){ .event = OWN, .size = 1400, .sample = true };
	step_done = true;
	for (i = 0; i < 5; i++)
		world_write(OWN, 1000, true);
	step_done = false;
	world_write(OWN, 200, true);
}

static void prepare_overwrite_nested(void)
{
	prepare_single();
	plan.action[0] = ACT_WRITE_THRICE;
}

/* "full-buffer": the buffer is full before the watermark is exceeded. */
static void run_full(unsigned int scene)
{
	static const struct { unsigned int watermark, size; } fulls[] = {
		{ 4096, 64 }, { 4090, 64 }, { 2048, 2048 }, { 4095, 1024 },
	};
	struct setting from = {
		.pages = 1, .head = 4096, .backward = scene / 4,
		.watermark = fulls[scene % 4].watermark,
	};
	unsigned int i;

	world_set_up(&from, true);
	checks_full = true;
	for (i = 0; i < 4096; i += fulls[scene % 4].size)
		world_write(OWN, fulls[scene % 4].size, true);
}

/* "points": short and long records, a full buffer and LOST, with the trap flag */
static void write_ten(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		world_write(i % 3, i == 7 ? 8000 : 56 + 8 * i, i % 2);
}

static void run_points(unsigned int scene)
{
	struct setting from = {
		.pages = 1, .watermark = 64, .lost = 1, .backward = scene, .head = 8192 - 40,
	};

	world_set_up(&from, false);
	step_done = true;
	step_check_points(write_ten);
}

const struct ring_case scene_cases[] = {
	{ "points", 2, NULL, run_points },
	{ "single", NR_SINGLE, prepare_single, run_single },
	{ "two-deep", ARRAY_SIZE(few), prepare_two_deep, run_few },
	{ "three-deep", ARRAY_SIZE(few), prepare_three_deep, run_few },
	{ "pairs", ARRAY_SIZE(few), prepare_pairs, run_few },
	{ "pairs-with-reader", 6, prepare_pairs, run_reader },
	{ "poll", 2 * ARRAY_SIZE(few), prepare_pairs, run_poll },
	{ "watermark-backlog", 2, NULL, run_backlog },
	{ "overwrite-nested", 2, prepare_overwrite_nested, run_overwrite_nested },
	{ "full-buffer", 8, NULL, run_full },
	{ }
};
