/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same pseudo-random calls on any kernel, and their results.
 *
 * A case is a few calls on a few events. It is generated only from the seed and the number
 * of the case (generator.c, attr.c), so that two kernels execute the same calls. calls.c
 * executes the calls, world.c has the objects that they refer to, and journal.c writes one
 * line per case: every call and its result, without anything that differs from run to run.
 * The fuzzer (../fuzz) uses attr.c, random.c and world.c as well.
 */
#ifndef ABI_H
#define ABI_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* maximum of events, and of calls, of a case */
#define MAX_SLOTS		4
#define MAX_STEPS		12
/* percent of odd attributes in cases of a single open, and in all other cases */
#define ODD			24
#define ODD_IN_SEQUENCE		6
/* number of cases with the same caller and perf_event_paranoid */
#define BLOCK			100
/* CPUs of the machine: the first two are online, the last one is not if there is hotplug */
#define CPU_OFFLINE		3

/* Number of flag bits of perf_event_attr after read_format. */
#define ATTR_FLAG_BITS		41

/**
 * enum call - kind of a step
 * @CALL_OPEN: perf_event_open()
 * @CALL_IOCTL: ioctl() on an event
 * @CALL_READ: read() of an event
 * @CALL_MMAP: mmap() of an event
 * @CALL_MUNMAP: munmap() of the last mapping of the event
 * @CALL_POLL: poll() of an event
 * @CALL_PRCTL: prctl() on all events of the task
 * @CALL_WORK: a known number of occurrences of events, then a look at the records
 * @CALL_CLOSE: close() of an event
 * @CALL_FORK: a child that works, and exits
 * @CALL_END: the case's own child, PID_DOOMED, exits
 * @CALL_EXEC: execve(), after which all events are read; last step of its case
 */
enum call {
	CALL_OPEN,
	CALL_IOCTL,
	CALL_READ,
	CALL_MMAP,
	CALL_MUNMAP,
	CALL_POLL,
	CALL_PRCTL,
	CALL_WORK,
	CALL_CLOSE,
	CALL_FORK,
	CALL_END,
	CALL_EXEC,
};

/**
 * enum pid - value of the argument pid of perf_event_open()
 * @PID_SELF: 0
 * @PID_OWN_NUMBER: getpid()
 * @PID_CHILD: a child of the caller
 * @PID_DOOMED: a task that is killed within the case
 * @PID_ROOTS: a task of root
 * @PID_USERS: a task of an ordinary user
 * @PID_ZOMBIE: a task that has exited and was not waited for
 * @PID_GONE: the number of a task that no longer exists
 * @PID_ALL: -1
 * @PID_NEGATIVE: -2
 * @PID_CGROUP_ROOT: the directory of the root cgroup
 * @PID_CGROUP_BELOW: the directory of a cgroup below the root cgroup
 * @PID_NOT_CGROUP: a descriptor of another file
 * @PID_CLOSED_FD: a number that is no open descriptor
 * @NR_PIDS: number of values
 */
enum pid {
	PID_SELF,
	PID_OWN_NUMBER,
	PID_CHILD,
	PID_DOOMED,
	PID_ROOTS,
	PID_USERS,
	PID_ZOMBIE,
	PID_GONE,
	PID_ALL,
	PID_NEGATIVE,
	PID_CGROUP_ROOT,
	PID_CGROUP_BELOW,
	PID_NOT_CGROUP,
	PID_CLOSED_FD,
	NR_PIDS,
};

/**
 * enum other - a second descriptor of a call
 * @OTHER_NONE: -1
 * @OTHER_CLOSED: a number that is no open descriptor
 * @OTHER_NO_EVENT: a descriptor of another file
 * @OTHER_FOREIGN: an event that was opened outside of the case
 * @OTHER_NEGATIVE: -2
 * @NR_OTHERS: end of the values
 *
 * A value below MAX_SLOTS is an event of the case.
 */
enum other {
	OTHER_NONE = MAX_SLOTS,
	OTHER_CLOSED,
	OTHER_NO_EVENT,
	OTHER_FOREIGN,
	OTHER_NEGATIVE,
	NR_OTHERS,
};

/**
 * struct pmu_type - a value of perf_event_attr::type
 * @name: name in sysfs and in the output
 * @type: the number
 */
struct pmu_type {
	const char	*name;
	uint32_t	type;
};

/**
 * struct tracepoint - a value of perf_event_attr::config
 * @name: group:event
 * @id: the number
 */
struct tracepoint {
	const char	*name;
	uint64_t	id;
};

/**
 * struct attr_plan - attributes, with the members that have other values on other machines
 * @attr: all members that are not described by the other fields
 * @size: number of bytes that are passed
 * @tail: a byte behind @attr is set
 * @unreadable: the pointer is invalid
 * @type: the PMU; NULL: attr.type has the value
 * @tracepoint: attr.config; NULL: attr.config has the value
 * @upper: PMU for the upper half of attr.config; or NULL
 * @path: target of the pointer attr.config1; NULL: attr.config1 has the value
 * @breakpoint: attr.bp_addr: 'v' a variable, 'f' a function, 'k' a kernel address;
 * 	or 0
 */
struct attr_plan {
	struct perf_event_attr		attr;
	uint32_t			size;
	bool				tail;
	bool				unreadable;
	const struct pmu_type		*type;
	const struct tracepoint		*tracepoint;
	const struct pmu_type		*upper;
	const char			*path;
	char				breakpoint;
};

/**
 * struct step - one call
 * @call: kind of the call
 * @slot: the event that it opens or acts on
 * @attr: attributes, if the call has any
 * @pid: target task
 * @cpu: target CPU
 * @other: group_fd, or the argument of SET_OUTPUT
 * @flags: flags of perf_event_open()
 * @cmd: command of ioctl() or prctl()
 * @arg: argument of @cmd
 * @pointer: @arg is passed by reference: 'v' a valid pointer, 'b' an invalid one;
 * 	'p': it is the number of a BPF program in world.c; or 0
 * @text: text that @arg points to instead
 * @length: bytes to read, or pages to map
 * @page: offset of a mapping
 * @prot: protection of a mapping
 * @private: MAP_PRIVATE
 * @aux: map an AUX area instead of the buffer
 */
struct step {
	enum call		call;
	unsigned int		slot;
	struct attr_plan	attr;
	enum pid		pid;
	int			cpu;
	int			other;
	unsigned long		flags;
	unsigned int		cmd;
	uint64_t		arg;
	char			pointer;
	const char		*text;
	unsigned long		length;
	unsigned long		page;
	int			prot;
	bool			private;
	bool			aux;
};

/**
 * struct plan - a case
 * @nr: number of steps
 * @steps: the calls
 */
struct plan {
	unsigned int	nr;
	struct step	steps[MAX_STEPS];
};

/* random.c: the random numbers of a case */
void random_start(uint64_t seed, uint64_t number);
uint64_t random_u64(void);
unsigned int random_below(unsigned int n);
bool random_percent(unsigned int percent);
#define random_of(array)	((array)[random_below(ARRAY_SIZE(array))])

/* generator.c and attr.c */
void plan_case(struct plan *plan, uint64_t seed, uint64_t number);
void plan_attr(struct attr_plan *plan, unsigned int odd);
void plan_bad_attr(struct attr_plan *plan, const struct attr_plan *opened);
void plan_aux(struct attr_plan *plan);
extern const char *const attr_flag_names[ATTR_FLAG_BITS];
uint64_t attr_flags(const struct perf_event_attr *attr);
void attr_set_flags(struct perf_event_attr *attr, uint64_t flags);

/* world.c */
extern struct pmu_type pmu_types[];
extern unsigned int nr_pmu_types;
extern struct tracepoint tracepoints[];
extern const unsigned int nr_tracepoints;
extern const char uprobe_file[];
extern volatile uint64_t watched_variable;
void watched_function(void);
void world_find(const char *pmus);
void world_begin(void);
void world_end(void);
void world_open_foreign(uint64_t number);
void world_close_foreign(void);
void world_block(uint64_t number);
void world_case(uint64_t number);
const char *world_identity(uint64_t number);
int world_paranoid(uint64_t number);
pid_t world_doom(void);
void world_end_doomed(void);
int world_pid(enum pid pid);
int world_fd(int other);
#define NR_PROGRAMS		3
int world_program(unsigned int program);
extern const char *const pid_names[NR_PIDS];

/* calls.c */
void run_case(const struct plan *plan);
void run_after_exec(char **slots);
extern int slot_fds[MAX_SLOTS];

/* buffer.c: mappings and their records */
long buffer_map(const struct step *step);
long buffer_unmap(const struct step *step);
void buffers_end(void);
void buffers_show_records(void);

/* journal.c: the line of a case */
extern bool journal_reasons;
void journal_begin(size_t size);
void journal_write(void);
__attribute__((format(printf, 1, 2)))
void say(const char *format, ...);
void say_call(const struct step *step);
void say_result(long result);
void say_read(const struct perf_event_attr *attr, const uint64_t *values, ssize_t bytes);

#endif /* ABI_H */
