/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated machine: one buffer, its events, its writers and its reader.
 *
 * world.c has the buffer and begins writers; writer.c is simulated code; reader.c has the reader,
 * and says what must hold; scenes.c, random.c and aux.c are the cases.
 */
#ifndef RING_H
#define RING_H

#include <kernel.h>

#include "kernel/events/output/aux_area.h"
#include "kernel/events/output/output.h"
#include "kernel/events/output/ring_buffer.h"
#include "step.h"

#define MAX_PAGES	4
#define FEW_WRITES	16
#define MANY_WRITES	8192
#define NR_WORDS	2048
#define POISON		0xee	/* what a buffer holds before it is written */

/*
 * OWN has no sample_id; CHILD is its child event; OTHER has a sample_id; SOURCE has the AUX area.
 */
enum { OWN, CHILD, OTHER, SOURCE, NR_EVENTS };

/* Records of which number have zeroes, modulo the number of functions that write words. */
#define ZERO_TURN	2

#define RUNNING		1	/* write::err before the writer has begun */

/**
 * struct write - a record that was written, or is to be
 * @event: index of the event
 * @size: its size in bytes; 0 for one that is too big for a header
 * @sample: it counts for attr.wakeup_events
 * @aux: its words are a piece of the AUX area
 * @piece: with @aux, the offset of that piece
 * @err: return value of perf_output_begin(), or RUNNING
 * @start: its offset in the data
 * @seen: the reader has found it
 * @from: rb->head before its writer began
 * @to: rb->head after its writer had ended
 */
struct write {
	unsigned int	event;
	unsigned int	size;
	bool		sample;
	bool		aux;
	unsigned long	piece;
	int		err;
	unsigned long	start;
	bool		seen;
	unsigned long	from;
	unsigned long	to;
};

/**
 * struct setting - what a buffer is like at the begin
 * @pages: number of data pages
 * @backward: see struct perf_buffer
 * @overwrite: see struct perf_buffer
 * @watermark: see struct perf_buffer
 * @wakeup_events: attr.wakeup_events of all events, 0 if they have attr.watermark
 * @head: rb->head
 * @used: number of bytes that the reader has not read
 * @since: number of bytes since the last wakeup
 * @lost: number of lost records not yet reported
 * @hostile: the reader stores anything to data_tail
 */
struct setting {
	unsigned int	pages;
	bool		backward;
	bool		overwrite;
	unsigned long	watermark;
	unsigned int	wakeup_events;
	unsigned long	head;
	unsigned long	used;
	unsigned long	since;
	unsigned long	lost;
	bool		hostile;
};

/* A buffer with room for the addresses of its pages. */
struct whole_buffer {
	struct perf_buffer	rb;
	void			*chunks[MAX_PAGES];
};

extern struct whole_buffer whole;
extern struct perf_event_mmap_page page;
extern struct perf_event events[NR_EVENTS];
extern struct setting setting;
extern struct write *writes;
extern unsigned int nr_writes;
/* what ACT_WRITE writes, by level */
extern struct write nested[MAX_LEVELS];

#define buffer	(whole.rb)

/* counted in world.c, for simulated code */
extern unsigned int nr_wakes, nr_disables;
extern unsigned long wake_head;

/* world.c */
extern const u64 *words;
void world_init(void);
void world_set_up(const struct setting *from, bool many);
int world_write(unsigned int event, unsigned int size, bool sample);
int world_write_aux(unsigned long piece, unsigned long bytes);
unsigned long world_failures(unsigned int event);

/* writer.c */
void ring_write(struct write *write, unsigned int number);

/* reader.c */
extern unsigned long expected_aux[3];
extern bool expects_aux, polls, polls_aux, checks_full, checks_newest;
extern unsigned long polled_head, polled_aux;
void reader_set_up(void);
void reader_empty(void);
void reader_read(unsigned long bytes);
void reader_poll(void);
void reader_hostile(void);
void rest(void);
unsigned long distance(unsigned long from, unsigned long to);

/* aux.c */
extern struct perf_aux_area area;
extern struct perf_output_handle aux_handle;
void aux_nested(void);

#endif /* RING_H */
