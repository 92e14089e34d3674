// SPDX-License-Identifier: GPL-2.0
/*
 * The reader, and what must hold whenever it looks and when no writer is active.
 */
#include "ring.h"

#define LOST_SIZE	24

/* The record of the AUX transaction that ends: offset, size and flags. */
ROLLED unsigned long expected_aux[3];
ROLLED bool expects_aux;
/* The reader waits in poll(2), for a record of the buffer or of a transaction. */
ROLLED bool polls, polls_aux;
/* What it saw when it was woken. */
ROLLED unsigned long polled_head, polled_aux;
/* A lost record must wake the reader. */
ROLLED bool checks_full;
/* The newest records must be whole, whatever nested writers have written. */
ROLLED bool checks_newest;

static ROLLED unsigned long begin_head, seen_head, rest_head, bad_head;
static ROLLED bool is_bad;
static ROLLED unsigned long begin_woken;
static ROLLED unsigned long aux_end;
static ROLLED unsigned long lost_seen;
static ROLLED unsigned int nr_rested, rest_wakes, empty_wakes;
static ROLLED unsigned int nr_samples, nr_unwoken;
static ROLLED bool lost_since;

unsigned long distance(unsigned long from, unsigned long to)
{
	return setting.backward ? from - to : to - from;
}

static bool reads_all(void)
{
	return !setting.overwrite && !setting.hostile;
}

static void *at_position(unsigned long pos)
{
	unsigned long start = pos & buffer.mask;

	return buffer.chunks[start >> PAGE_SHIFT] + offset_in_page(start);
}

static u64 word_at(unsigned long pos)
{
	return *(const u64 *)at_position(pos);
}

static struct perf_event_header header_at(unsigned long pos)
{
	return *(const struct perf_event_header *)at_position(pos);
}

void reader_set_up(void)
{
	begin_head = setting.head;
	seen_head = setting.head;
	rest_head = setting.head;
	begin_woken = local_read(&buffer.woken);
	polled_head = begin_woken;
}

static void check_sample_id(unsigned long pos, unsigned int number)
{
	u64 id = events[number == CHILD ? OWN : number].id;

	if (!events[number].sample_layout.id_size)
		return;
	if (word_at(pos) != ((u64)ring_task.pid << 32 | ring_task.tgid) ||
	    word_at(pos + 8) != RING_TIME || word_at(pos + 16) != id ||
	    word_at(pos + 24) != RING_CPU || word_at(pos + 32) != id)
		fail("the sample_id at %#lx is wrong", pos);
}

static void check_lost(unsigned long pos, const struct perf_event_header *header)
{
	u64 id = word_at(pos + 8), lost = word_at(pos + 16);
	unsigned int number = id - events[OWN].id;

	if (number >= NR_EVENTS || number == CHILD)
		fail("PERF_RECORD_LOST at %#lx has the id %llu", pos, id);
	if (header->size != LOST_SIZE + events[number].sample_layout.id_size)
		fail("PERF_RECORD_LOST at %#lx has the size %u", pos, header->size);
	if (!lost)
		fail("PERF_RECORD_LOST at %#lx has no lost records", pos);
	check_sample_id(pos + LOST_SIZE, number);
	lost_seen += lost;
}

static void check_write(unsigned long pos, const struct perf_event_header *header)
{
	u64 number = word_at(pos + 8);
	unsigned int i, nr, id_size;
	struct write *write;
	const u64 *from;
	u64 wanted;

	if (number >= nr_writes)
		fail("the record at %#lx is of no writer, but of %#llx", pos, number);
	write = &writes[number];
	if (write->err)
		fail("record %llu at %#lx was not begun", number, pos);
	if (header->size != write->size ||
	    header->type != (write->sample ? PERF_RECORD_SAMPLE : PERF_RECORD_COMM))
		fail("record %llu at %#lx has the wrong header", number, pos);
	if (write->start != (pos & buffer.mask))
		fail("record %llu is at %#lx and not where it was reserved", number, pos);
	if (write->seen && reads_all())
		fail("record %llu is there twice", number);
	write->seen = true;

	id_size = write->sample ? 0 : events[write->event].sample_layout.id_size;
	nr = (write->size - id_size) / sizeof(u64) - 2;
	from = words + number % (NR_WORDS / 2);
	pos += 2 * sizeof(u64);
	for (i = 0; i < nr; i++) {
		if (write->aux)
			wanted = words[((write->piece & area.mask) / sizeof(u64) + i) %
				       (perf_aux_bytes(&area) / sizeof(u64))];
		else
			wanted = number % 6 == ZERO_TURN ? 0 : from[i];
		if (word_at(pos + i * sizeof(u64)) != wanted)
			fail("record %llu is not whole: word %u of %u", number, i, nr);
	}
	if (!write->sample)
		check_sample_id(pos + nr * sizeof(u64), write->event);
}

static void check_aux(unsigned long pos, const struct perf_event_header *header)
{
	unsigned int i;

	if (!expects_aux)
		fail("PERF_RECORD_AUX at %#lx is one too many", pos);
	if (header->size != 32 + events[SOURCE].sample_layout.id_size)
		fail("PERF_RECORD_AUX at %#lx has the size %u", pos, header->size);
	for (i = 0; i < 3; i++) {
		if (word_at(pos + 8 + 8 * i) != expected_aux[i])
			fail("PERF_RECORD_AUX: number %u is %#llx and not %#lx", i,
			     word_at(pos + 8 + 8 * i), expected_aux[i]);
	}
	check_sample_id(pos + 32, SOURCE);
	expects_aux = false;
	aux_end = setting.backward ? pos : pos + header->size;
}

/* Returns the size of the record. If it has more than @most bytes, they are not all there. */
static unsigned long check_record(unsigned long pos, unsigned long most)
{
	struct perf_event_header header = header_at(pos);

	if (header.size < 16 || header.size % 8)
		fail("the record at %#lx has the size %u", pos, header.size);
	if (header.size > most)
		return header.size;
	if (header.misc)
		fail("the record at %#lx has misc %#x", pos, header.misc);
	switch (header.type) {
	case PERF_RECORD_LOST:
		check_lost(pos, &header);
		break;
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_COMM:
		check_write(pos, &header);
		break;
	case PERF_RECORD_AUX:
		check_aux(pos, &header);
		break;
	default:
		fail("the record at %#lx has the type %u", pos, header.type);
	}
	return header.size;
}

/* data_head has moved. */
static void published(unsigned long head)
{
	unsigned long new = distance(seen_head, head), done, size;
	unsigned long from = setting.backward ? head : seen_head;

	if (new > LONG_MAX)
		fail("data_head goes back, from %#lx to %#lx", seen_head, head);
	if (new > distance(seen_head, local_read(&buffer.head)))
		fail("data_head is %#lx, beyond all records", head);
	seen_head = head;
	if (!reads_all())
		return;
	for (done = 0; done < new; done += size) {
		size = check_record(from + done, new - done);
		if (size > new - done)
			fail("data_head %#lx is within the record at %#lx", head, from + done);
	}
}

/* The reader looks. */
void look(void)
{
	unsigned long head = READ_ONCE(page.data_head);

	if (head != seen_head)
		published(head);
	if (reads_all() && distance(page.data_tail, local_read(&buffer.head)) > buffer.mask)
		fail("records overwrite what the reader has not read");
}

/* The reader has read some bytes. They are not needed any more. */
void reader_read(unsigned long bytes)
{
	unsigned long tail = page.data_tail, done;

	for (done = 0; done < bytes; done += sizeof(u64)) {
		if (setting.backward)
			memset(at_position(tail - done - 8), POISON, sizeof(u64));
		else
			memset(at_position(tail + done), POISON, sizeof(u64));
	}
	WRITE_ONCE(page.data_tail, setting.backward ? tail - bytes : tail + bytes);
}

void reader_empty(void)
{
	look();
	if (setting.overwrite)
		return;
	empty_wakes = nr_wakes;
	lost_since = false;
	reader_read(distance(page.data_tail, seen_head));
}

/* A reader that is about to sleep in poll(2). */
void reader_poll(void)
{
	if (!atomic_xchg(&buffer.poll, 0))
		return;
	polled_head = page.data_head;
	polled_aux = page.aux_head;
}

void reader_hostile(void)
{
	unsigned long near = local_read(&buffer.head) - 4096 + random_below(8192);
	unsigned long any = (unsigned long)random_word() << 32 | random_word();

	WRITE_ONCE(page.data_tail, random_below(2) ? near : any);
}

static void check_counts(void)
{
	unsigned long failures = 0, lost = local_read(&buffer.lost), i;

	for (i = 0; i < NR_EVENTS; i++) {
		unsigned long wanted = world_failures(i), found = events[i].lost_samples.v;

		/* Only the buffer knows how often a record of a transaction had no room. */
		failures += i == SOURCE ? found : wanted;
		if (i != SOURCE && found != wanted)
			fail("event %lu has lost %lu records, PERF_FORMAT_LOST says %lu", i,
			     wanted, found);
	}
	if (reads_all() ? lost_seen + lost != setting.lost + failures
			: lost > setting.lost + failures)
		fail("%lu lost: PERF_RECORD_LOST says %lu, rb->lost says %lu",
		     setting.lost + failures, lost_seen, lost);
}

/* Position of the end of a record, in the order of writing. The first one that is possible. */
static unsigned long end_of(const struct write *write)
{
	if (setting.backward)
		return write->from - 1 - ((write->from - 1 - write->start) & buffer.mask);
	return write->from + ((write->start - write->from) & buffer.mask) + write->size;
}

static void check_writes(void)
{
	const struct perf_event_attr *attr = &events[OWN].attr;

	if (nr_wakes != rest_wakes)
		nr_unwoken = 0;
	for (; nr_rested < nr_writes; nr_rested++) {
		const struct write *write = &writes[nr_rested];

		if (write->err && write->err != (write->size ? -ENOSPC : -E2BIG))
			fail("record %u: error %d", nr_rested, write->err);
		if (!write->err && reads_all() && !write->seen)
			fail("record %u was never published", nr_rested);
		lost_since |= write->err == -ENOSPC;
		if (write->err || !write->sample)
			continue;
		nr_samples++;
		if (distance(wake_head, end_of(write)) - 1 < LONG_MAX)
			nr_unwoken++;
	}
	if (attr->wakeup_events && nr_unwoken >= attr->wakeup_events)
		fail("%u samples without a wakeup", nr_unwoken);
	if (checks_full && lost_since && nr_wakes == empty_wakes)
		fail("the buffer is full, and the reader was not woken");
}

static void check_wakes(void)
{
	unsigned long lag = distance(wake_head, local_read(&buffer.head)), most;

	if (lag > buffer.watermark)
		fail("%lu bytes without a wakeup, watermark %lu", lag, buffer.watermark);
	most = (distance(begin_woken, local_read(&buffer.head)) - 1) / buffer.watermark;
	/* Two outermost writers in turn may both wake, and a full buffer may. */
	most += step_interruptions + events[OWN].lost_samples.v + events[OTHER].lost_samples.v;
	if (events[OWN].attr.wakeup_events)
		most += nr_samples / events[OWN].attr.wakeup_events;
	if (!area.nr_pages && nr_wakes > most)
		fail("%u wakeups, %lu were earned", nr_wakes, most);
	if (!polls && nr_wakes != rest_wakes && !atomic_xchg(&buffer.poll, 0))
		fail("a wakeup without POLLIN");
	rest_wakes = nr_wakes;
}

/* A reader that sleeps in poll(2) has seen all that a wakeup was earned for, or finds POLLIN. */
static void check_polls(void)
{
	unsigned long unseen = distance(polled_head, local_read(&buffer.head));

	if (!nr_wakes && polls_aux)
		fail("no wakeup");
	if (atomic_read(&buffer.poll))
		return;
	if (!polls_aux && unseen > buffer.watermark)
		fail("the reader sleeps, and has not seen %lu bytes", unseen);
	if (polls_aux && (distance(aux_end, polled_head) > LONG_MAX || polled_aux != page.aux_head))
		fail("the reader sleeps: record at %#lx, aux_head %#llx, it saw %#lx and %#lx",
		     aux_end, page.aux_head, polled_head, polled_aux);
}

/* An overwritten buffer is read while there is no writer: all that is not overwritten is whole. */
static void check_overwritten(void)
{
	unsigned long head = local_read(&buffer.head), bytes = buffer.mask + 1;
	unsigned long most = distance(begin_head, head), done = 0;
	unsigned int i;

	/* What is broken then is the subject of the case "overwrite-nested" only. */
	if (distance(rest_head, head) > buffer.mask && !checks_newest) {
		is_bad = true;
		bad_head = head;
	}
	if (is_bad && distance(bad_head, head) <= buffer.mask)
		return;
	is_bad = false;
	if (most > bytes)
		most = bytes;
	while (setting.backward && done < most)
		done += check_record(head + done, most - done);
	for (i = nr_writes > bytes / 16 ? nr_writes - bytes / 16 : 0; i < nr_writes; i++) {
		unsigned long end = end_of(&writes[i]);
		unsigned long start = setting.backward ? end : end - writes[i].size;
		struct perf_event_header header = header_at(start);

		if (writes[i].err || setting.backward)
			continue;
		if (distance(start, head) > bytes)
			continue;
		if (word_at(start + 8) != i)
			fail("record %u is not at %#lx", i, start);
		check_write(start, &header);
	}
}

/* No writer is active. */
void rest(void)
{
	unsigned long head = local_read(&buffer.head);

	look();
	if (page.data_head != head)
		fail("data_head %#llx is not head %#lx at the end", page.data_head, head);
	if (buffer.open)
		fail("rb->open is set at the end");
	if (buffer.wake)
		fail("rb->wake is set at the end");
	if (ring_preempt)
		fail("the preemption count is %d", ring_preempt);
	check_counts();
	check_writes();
	check_wakes();
	if (polls)
		check_polls();
	if (setting.overwrite && !setting.hostile)
		check_overwritten();
	rest_head = head;
}
