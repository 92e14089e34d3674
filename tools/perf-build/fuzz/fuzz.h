/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of calls on events, from several threads and processes at once.
 *
 * A program is a list of steps. Each step belongs to a worker: workers 0 and 1 are threads
 * of one process, 2 and 3 are threads of another one, 4 is a process that stays root. All of
 * them share one table of descriptors. A step waits until all steps before it are done,
 * unless it races. Attributes, random numbers, and the objects that calls refer to come from
 * abi-diff (attr.c, random.c, world.c there).
 *
 * generate.c makes programs and corpus.c changes them; text.c writes and reads them; case.c
 * has the processes that run one; the calls_*.c files have the calls; machine.c puts the
 * machine back to its normal state.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>

#include "../abi-diff/abi.h"

#define PROGRAM_STEPS		32
#define MAX_ARGS		6
#define NR_WORKERS		5
#define ROOT_WORKER		4
#define NR_PROCESSES		3
#define FUZZ_SLOTS		8
#define FUZZ_MAPS		8
/* probes of tracefs, and modules */
#define NR_PROBES		3
#define NR_MODULES		2

/* result of a step that no worker executed to its end */
#define NOT_RUN			0x7fffffff

/* Values of the argument pid above NR_PIDS are workers. */
#define PID_WORKER		NR_PIDS

enum kind {
	KIND_OPEN, KIND_IOCTL, KIND_OUTPUT, KIND_FILTER, KIND_BPF, KIND_MODIFY, KIND_READ,
	KIND_POLL, KIND_EPOLL, KIND_ASYNC, KIND_CLOSE, KIND_DUP, KIND_SEND, KIND_RECEIVE,
	KIND_MMAP, KIND_MUNMAP, KIND_MREMAP, KIND_MPROTECT, KIND_MADVISE, KIND_TOUCH,
	KIND_WORK, KIND_FORK, KIND_THREAD, KIND_EXEC, KIND_EXIT, KIND_END, KIND_SETID,
	KIND_PRCTL, KIND_PTRACE, KIND_SIGNAL, KIND_AFFINE, KIND_LOOK,
	KIND_CGROUP, KIND_HOTPLUG, KIND_PROBE, KIND_MODULE, KIND_SYSCTL,
	NR_KINDS,
};

/**
 * struct fuzz_step - one call
 * @kind: enum kind
 * @worker: the worker that makes the call
 * @races: the call does not wait for the steps before it
 * @args: arguments; their names are in kinds[]
 * @attr: attributes of KIND_OPEN and KIND_MODIFY
 */
struct fuzz_step {
	unsigned char		kind;
	unsigned char		worker;
	bool			races;
	int64_t			args[MAX_ARGS];
	struct attr_plan	attr;
};

/**
 * struct program - a case
 * @caller: user and perf_event_paranoid, a number for world_block()
 * @nr: number of steps
 * @steps: the calls
 */
struct program {
	uint64_t		caller;
	unsigned int		nr;
	struct fuzz_step	steps[PROGRAM_STEPS];
};

/**
 * struct kind_info - description of a kind of call
 * @name: name in the text of a program
 * @args: names of the arguments, separated by spaces
 * @weight: relative frequency
 * @has_attr: the call takes attributes
 * @run: makes the call in a worker; returns a negative value if it failed
 */
struct kind_info {
	const char	*name;
	const char	*args;
	unsigned char	weight;
	bool		has_attr;
	long		(*run)(const struct fuzz_step *step);
};

extern const struct kind_info kinds[NR_KINDS];

/**
 * struct shared - memory of all processes of a case, at the same address in each
 * @program: the program, without pointers to what differs between machines
 * @version: futex; changes when a step is done
 * @done: steps that are done
 * @slots: descriptors of events
 * @pids: targets by enum pid, and then the workers' tasks
 * @others: descriptors by enum other
 * @bpf: BPF programs
 * @sockets: two ends of a socket
 * @signals: signals that handlers received
 * @results: what the steps returned, or a negative errno; NOT_RUN: the worker was gone
 * @lengths: bytes of the mappings of each process; not exact if threads race
 * @tries: calls of each kind
 * @successes: calls of each kind that succeeded
 */
struct shared {
	struct program	program;
	uint32_t	version;
	unsigned char	done[PROGRAM_STEPS];
	int		slots[FUZZ_SLOTS];
	int		pids[NR_PIDS + NR_WORKERS];
	int		others[NR_OTHERS];
	int		bpf[NR_PROGRAMS];
	int		sockets[2];
	uint32_t	signals;
	int		results[PROGRAM_STEPS];
	uint64_t	lengths[NR_PROCESSES][FUZZ_MAPS];
	uint64_t	tries[NR_KINDS];
	uint64_t	successes[NR_KINDS];
};

/* case.c */
extern struct shared *shared;
extern __thread unsigned int this_worker;
void case_begin(void);
int case_run(const struct program *program);
void case_continue(unsigned int worker, unsigned int next);
void mark_done(unsigned int step);
unsigned int this_step(const struct fuzz_step *step);
void worker_gone(unsigned int worker);

/* generate.c */
void generate_program(struct program *program);
void generate_step(struct program *program, unsigned int at);
void insert_step(struct program *program, unsigned int at);
void drop_step(struct program *program, unsigned int at);

/* corpus.c */
void corpus_next(struct program *program);
void corpus_add(const struct program *program);
unsigned int corpus_size(void);

/* cover.c */
bool cover_begin(void);
void cover_clear(void);
void cover_worker(unsigned int worker);
unsigned int cover_collect(void);
extern unsigned int nr_edges;

/* text.c */
void step_write(FILE *file, const struct fuzz_step *step);
int program_write(const struct program *program, unsigned long number, const char *path);
unsigned int programs_read(struct program *programs, unsigned int most, const char *path);

/* machine.c */
void machine_begin(void);
void machine_restore(const struct program *program);
bool machine_reported(void);
void machine_set(const char *path, const char *text);
long machine_try(const char *path, const char *text);
long machine_probe(unsigned int probe, bool create);
long machine_module(unsigned int module, bool load);
int machine_probe_id(unsigned int probe);
extern const char *const machine_sysctls[];
extern const unsigned int nr_sysctls;
uint64_t watched_offset(void);

/* calls_task.c */
void work(unsigned int what, unsigned int times);

/* The functions of kinds[]. */
#define CALL(_name)	long call_##_name(const struct fuzz_step *step)
CALL(open); CALL(ioctl); CALL(output); CALL(filter); CALL(bpf); CALL(modify); CALL(read);
CALL(poll); CALL(epoll); CALL(async); CALL(close); CALL(dup); CALL(send); CALL(receive);
CALL(mmap); CALL(munmap); CALL(mremap); CALL(mprotect); CALL(madvise); CALL(touch);
CALL(work); CALL(fork); CALL(thread); CALL(exec); CALL(exit); CALL(end); CALL(setid);
CALL(prctl); CALL(ptrace); CALL(signal); CALL(affine); CALL(look);
CALL(cgroup); CALL(hotplug); CALL(probe); CALL(module); CALL(sysctl);

#endif /* FUZZ_H */
