// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer, its events, and the begin of writers.
 */
#include "ring.h"

ROLLED struct whole_buffer whole;
ROLLED struct perf_event_mmap_page page;
ROLLED struct perf_event events[NR_EVENTS];
ROLLED struct setting setting;
ROLLED struct write *writes;
ROLLED unsigned int nr_writes;
ROLLED struct write nested[MAX_LEVELS];
ROLLED int ring_preempt;
ROLLED unsigned int nr_wakes;
ROLLED unsigned int nr_disables;
ROLLED unsigned long wake_head;
static ROLLED unsigned long failures[NR_EVENTS];
static ROLLED struct write few_writes[FEW_WRITES];
static struct write many_writes[MANY_WRITES];

static u64 table[NR_WORDS];
const u64 *words = table;
static struct pmu pmu = { .name = "pmu" };
struct pid_namespace init_pid_ns;
struct task_struct ring_task = { .pid = 1234, .tgid = 1233 };

void ring_warn(const char *what)
{
	fail("warning: %s", what);
}

/* What simulated code calls. It has no points. */
void perf_wake_queue(struct perf_wake *wake, struct perf_event *event)
{
	nr_wakes++;
	wake_head = page.data_head;
}

void perf_wake_account(void)
{
}

void perf_event_disable_inatomic(struct perf_event *event)
{
	nr_disables++;
}

void perf_aux_put(struct perf_aux_area *area)
{
	area->refcount.v--;
}

void world_init(void)
{
	u64 word = 1;
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++) {
		word = word * 6364136223846793005ULL + 1442695040888963407ULL;
		table[i] = word;
	}
}

static void set_up_event(unsigned int number, const struct setting *from)
{
	struct perf_event *event = &events[number];

	event->group_leader = event;
	event->id = 1000 + number;
	event->ns = &init_pid_ns;
	event->pmu = &pmu;
	event->rb = &buffer;
	event->attr.watermark = !from->wakeup_events;
	event->attr.wakeup_events = from->wakeup_events;
	if (number < OTHER)
		return;
	event->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	event->sample_layout.id_size = 5 * sizeof(u64);
}

/**
 * world_set_up() - make the buffer
 * @from: what it is like
 * @many: there will be many writers, and no choices
 */
void world_set_up(const struct setting *from, bool many)
{
	unsigned long bytes = from->pages * PAGE_SIZE;
	unsigned int i;

	setting = *from;
	data_used = bytes;
	for (i = 0; i < from->pages; i++) {
		buffer.chunks[i] = data_area + 2 * i * PAGE_SIZE;
		memset(buffer.chunks[i], POISON, PAGE_SIZE);
	}
	for (i = 0; i < NR_EVENTS; i++)
		set_up_event(i, from);
	events[CHILD].parent = &events[OWN];
	events[CHILD].rb = NULL;
	buffer.user_page = &page;
	buffer.mask = bytes - 1;
	buffer.nr_pages = from->pages;
	buffer.chunk_shift = PAGE_SHIFT;
	buffer.overwrite = from->overwrite;
	buffer.backward = from->backward;
	buffer.watermark = from->watermark;
	local_set(&buffer.head, from->head);
	page.data_head = from->head;
	page.data_tail = from->backward ? from->head + from->used : from->head - from->used;
	local_set(&buffer.woken,
		  from->backward ? from->head + from->since : from->head - from->since);
	local_set(&buffer.lost, from->lost);
	page.data_size = bytes;
	wake_head = local_read(&buffer.woken);
	writes = many ? many_writes : few_writes;
	nr_writes = 0;
	reader_set_up();
}

unsigned long world_failures(unsigned int event)
{
	return failures[event];
}

static int run_writer(const struct write *what)
{
	unsigned int number = nr_writes++;
	struct write *write = &writes[number];
	struct frame frame;

	if (number == (writes == few_writes ? FEW_WRITES : MANY_WRITES))
		fail("the scene has too many writers");
	*write = *what;
	write->err = RUNNING;
	write->from = local_read(&buffer.head);
	look();
	step_enter(&frame);
	ring_write(write, number);
	step_leave(&frame);
	write->to = local_read(&buffer.head);
	if (write->err)
		failures[what->event == CHILD ? OWN : what->event]++;
	look();
	if (!frame.level)
		rest();
	return write->err;
}

/**
 * world_write() - run a writer
 * @event: index of the event
 * @size: size of the record
 * @sample: it is a sample
 *
 * Return: as perf_output_begin().
 */
int world_write(unsigned int event, unsigned int size, bool sample)
{
	return run_writer(&(struct write){ .event = event, .size = size, .sample = sample });
}

/**
 * world_write_aux() - run a writer of a sample with a piece of the AUX area
 * @piece: offset of the piece
 * @bytes: its size, not more than the size of the area
 *
 * Context: a transaction is open.
 * Return: as perf_output_begin().
 */
int world_write_aux(unsigned long piece, unsigned long bytes)
{
	return run_writer(&(struct write){ .event = OWN, .size = 16 + bytes, .sample = true,
					   .aux = true, .piece = piece });
}

/* Something happens at a point of the writer that runs. */
void interrupt(enum action action)
{
	const struct write *what = &nested[step_now->level];
	unsigned int i;

	if (action == ACT_READ || action == ACT_READ_WRITE)
		reader_empty();
	for (i = action == ACT_WRITE_THRICE ? 0 : 2; i < 3 && action <= ACT_WRITE_THRICE; i++)
		world_write(what->event, what->size, what->sample);
	if (action == ACT_WRITE_READ)
		reader_empty();
	if (action == ACT_POLL)
		reader_poll();
	if (action == ACT_AUX)
		aux_nested();
}
