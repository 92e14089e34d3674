/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Performance events: the ABI of perf_event_open(2), its file descriptors, and the
 * memory that is mapped from them.
 *
 *   1. What to count		type and config of struct perf_event_attr
 *   2. What to record		sample, branch and read formats
 *   3. Opening			struct perf_event_attr, flags of the system call
 *   4. Controlling		ioctl(2) on the descriptor
 *   5. The control page	first page of a mapping
 *   6. Records			header, record types and their payloads
 *   7. Decoding		values found inside samples
 *
 * All values have the endianness of the kernel, and the same layout for 32-bit and
 * 64-bit programs. Numbers are never reused. Structures grow only at their end. The
 * *_MAX values change when something is added.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_H
#define _UAPI_LINUX_PERF_EVENT_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <asm/byteorder.h>

/* ---- 1. What to count ---- */

/*
 * attr.type: the PMU. PMUs with a dynamic number show it in
 * /sys/bus/event_source/devices/<pmu>/type.
 */
enum perf_type_id {
	PERF_TYPE_HARDWARE	= 0,	/* config: enum perf_hw_id */
	PERF_TYPE_SOFTWARE	= 1,	/* config: enum perf_sw_ids */
	PERF_TYPE_TRACEPOINT	= 2,	/* config: id file of the tracepoint */
	PERF_TYPE_HW_CACHE	= 3,	/* config: cache | op << 8 | result << 16 */
	PERF_TYPE_RAW		= 4,	/* config: an event of the CPU's own list */
	PERF_TYPE_BREAKPOINT	= 5,	/* bp_type, bp_addr and bp_len */
	PERF_TYPE_MAX,
};

/*
 * On machines with several kinds of CPUs, the upper half of config is the type number
 * of the PMU for a HARDWARE or HW_CACHE event. With 0 the kernel chooses the PMU. The
 * lower half is the event.
 */
#define PERF_PMU_TYPE_SHIFT	32
#define PERF_HW_EVENT_MASK	0xffffffff

/* PERF_TYPE_HARDWARE: what nearly every CPU can count. */
enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES		= 0,
	PERF_COUNT_HW_INSTRUCTIONS		= 1,
	PERF_COUNT_HW_CACHE_REFERENCES		= 2,
	PERF_COUNT_HW_CACHE_MISSES		= 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS	= 4,
	PERF_COUNT_HW_BRANCH_MISSES		= 5,
	PERF_COUNT_HW_BUS_CYCLES		= 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND	= 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND	= 8,
	PERF_COUNT_HW_REF_CPU_CYCLES		= 9,
	PERF_COUNT_HW_MAX,
};

/* PERF_TYPE_HW_CACHE: the cache, the operation and its result. */
enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D		= 0,
	PERF_COUNT_HW_CACHE_L1I		= 1,
	PERF_COUNT_HW_CACHE_LL		= 2,	/* the last level */
	PERF_COUNT_HW_CACHE_DTLB	= 3,
	PERF_COUNT_HW_CACHE_ITLB	= 4,
	PERF_COUNT_HW_CACHE_BPU		= 5,	/* branch predictor */
	PERF_COUNT_HW_CACHE_NODE	= 6,	/* local memory */
	PERF_COUNT_HW_CACHE_MAX,
};

enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ	= 0,
	PERF_COUNT_HW_CACHE_OP_WRITE	= 1,
	PERF_COUNT_HW_CACHE_OP_PREFETCH	= 2,
	PERF_COUNT_HW_CACHE_OP_MAX,
};

enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS	= 0,
	PERF_COUNT_HW_CACHE_RESULT_MISS		= 1,
	PERF_COUNT_HW_CACHE_RESULT_MAX,
};

/* PERF_TYPE_SOFTWARE: events that the kernel counts. */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK		= 0,	/* nanoseconds, CPU's clock */
	PERF_COUNT_SW_TASK_CLOCK	= 1,	/* nanoseconds on a CPU */
	PERF_COUNT_SW_PAGE_FAULTS	= 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES	= 3,
	PERF_COUNT_SW_CPU_MIGRATIONS	= 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN	= 5,	/* solved without I/O */
	PERF_COUNT_SW_PAGE_FAULTS_MAJ	= 6,	/* had to wait for I/O */
	PERF_COUNT_SW_ALIGNMENT_FAULTS	= 7,
	PERF_COUNT_SW_EMULATION_FAULTS	= 8,
	PERF_COUNT_SW_DUMMY		= 9,	/* never counts, carries records */
	PERF_COUNT_SW_BPF_OUTPUT	= 10,	/* fed by bpf_perf_event_output() */
	PERF_COUNT_SW_CGROUP_SWITCHES	= 11,
	PERF_COUNT_SW_MAX,
};

/* ---- 2. What to record ---- */

/*
 * attr.sample_type: the fields of a PERF_RECORD_SAMPLE. They are written in the order
 * of section 6, which is not the order of the bits.
 */
enum perf_event_sample_format {
	PERF_SAMPLE_IP			= 1U << 0,
	PERF_SAMPLE_TID			= 1U << 1,
	PERF_SAMPLE_TIME		= 1U << 2,
	PERF_SAMPLE_ADDR		= 1U << 3,
	PERF_SAMPLE_READ		= 1U << 4,
	PERF_SAMPLE_CALLCHAIN		= 1U << 5,
	PERF_SAMPLE_ID			= 1U << 6,
	PERF_SAMPLE_CPU			= 1U << 7,
	PERF_SAMPLE_PERIOD		= 1U << 8,
	PERF_SAMPLE_STREAM_ID		= 1U << 9,
	PERF_SAMPLE_RAW			= 1U << 10,
	PERF_SAMPLE_BRANCH_STACK	= 1U << 11,
	PERF_SAMPLE_REGS_USER		= 1U << 12,
	PERF_SAMPLE_STACK_USER		= 1U << 13,
	PERF_SAMPLE_WEIGHT		= 1U << 14,
	PERF_SAMPLE_DATA_SRC		= 1U << 15,
	PERF_SAMPLE_IDENTIFIER		= 1U << 16,
	PERF_SAMPLE_TRANSACTION		= 1U << 17,
	PERF_SAMPLE_REGS_INTR		= 1U << 18,
	PERF_SAMPLE_PHYS_ADDR		= 1U << 19,
	PERF_SAMPLE_AUX			= 1U << 20,
	PERF_SAMPLE_CGROUP		= 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE	= 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE	= 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT	= 1U << 24,
	PERF_SAMPLE_MAX			= 1U << 25,
};

/* Two formats of the same field, of which at most one can be set. */
#define PERF_SAMPLE_WEIGHT_TYPE	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

/*
 * attr.branch_sample_type, with PERF_SAMPLE_BRANCH_STACK: privilege levels, then types
 * of branches, then fields of each branch. Without a privilege bit, the privilege levels
 * of the event apply.
 */
enum perf_branch_sample_type_shift {
	PERF_SAMPLE_BRANCH_USER_SHIFT		= 0,
	PERF_SAMPLE_BRANCH_KERNEL_SHIFT		= 1,
	PERF_SAMPLE_BRANCH_HV_SHIFT		= 2,
	PERF_SAMPLE_BRANCH_ANY_SHIFT		= 3,
	PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT	= 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT	= 5,
	PERF_SAMPLE_BRANCH_IND_CALL_SHIFT	= 6,
	PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT	= 7,	/* transaction aborts */
	PERF_SAMPLE_BRANCH_IN_TX_SHIFT		= 8,	/* inside a transaction */
	PERF_SAMPLE_BRANCH_NO_TX_SHIFT		= 9,	/* outside of any */
	PERF_SAMPLE_BRANCH_COND_SHIFT		= 10,
	PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT	= 11,	/* calls not yet returned */
	PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT	= 12,
	PERF_SAMPLE_BRANCH_CALL_SHIFT		= 13,	/* direct calls */
	PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT	= 14,	/* leave out mispred etc. */
	PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT	= 15,	/* leave out cycles */
	PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT	= 16,	/* fill in type */
	PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT	= 17,	/* hw_idx before the entries */
	PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT	= 18,	/* fill in priv */
	PERF_SAMPLE_BRANCH_COUNTERS_SHIFT	= 19,	/* counts behind the entries */
	PERF_SAMPLE_BRANCH_MAX_SHIFT
};

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER		= 1U << PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL	= 1U << PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV		= 1U << PERF_SAMPLE_BRANCH_HV_SHIFT,
	PERF_SAMPLE_BRANCH_ANY		= 1U << PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL	= 1U << PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN	= 1U << PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL	= 1U << PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX	= 1U << PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX	= 1U << PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX	= 1U << PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND		= 1U << PERF_SAMPLE_BRANCH_COND_SHIFT,
	PERF_SAMPLE_BRANCH_CALL_STACK	= 1U << PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP	= 1U << PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL		= 1U << PERF_SAMPLE_BRANCH_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_NO_FLAGS	= 1U << PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES	= 1U << PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,
	PERF_SAMPLE_BRANCH_TYPE_SAVE	= 1U << PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_HW_INDEX	= 1U << PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,
	PERF_SAMPLE_BRANCH_PRIV_SAVE	= 1U << PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_COUNTERS	= 1U << PERF_SAMPLE_BRANCH_COUNTERS_SHIFT,
	PERF_SAMPLE_BRANCH_MAX		= 1U << PERF_SAMPLE_BRANCH_MAX_SHIFT,
};

/* All the privilege bits of branch_sample_type. */
#define PERF_SAMPLE_BRANCH_PLM_ALL	(PERF_SAMPLE_BRANCH_USER |	\
					 PERF_SAMPLE_BRANCH_KERNEL |	\
					 PERF_SAMPLE_BRANCH_HV)

/*
 * attr.read_format: the values of read(2), PERF_RECORD_READ and PERF_SAMPLE_READ. Each
 * value is a __u64. Values in brackets exist if their bit is set.
 *
 *   one event:		value [enabled] [running] [id] [lost]
 *   PERF_FORMAT_GROUP:	nr [enabled] [running], then nr times value [id] [lost]
 *
 * If an event was multiplexed (running < enabled), the reader scales its value: value *
 * enabled / running. Times are in nanoseconds. "lost" is the number of samples of the
 * event for which the buffer had no room.
 */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED	= 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING	= 1U << 1,
	PERF_FORMAT_ID			= 1U << 2,
	PERF_FORMAT_GROUP		= 1U << 3,
	PERF_FORMAT_LOST		= 1U << 4,
	PERF_FORMAT_MAX			= 1U << 5,
};

/* ---- 3. Opening ---- */

/*
 * Sizes of the attr, which has grown. A program sets attr.size to the size that it
 * uses, and the kernel accepts each of these. Missing fields are 0.
 */
#define PERF_ATTR_SIZE_VER0	64	/* up to config1 */
#define PERF_ATTR_SIZE_VER1	72	/* config2 */
#define PERF_ATTR_SIZE_VER2	80	/* branch_sample_type */
#define PERF_ATTR_SIZE_VER3	96	/* sample_regs_user to clockid */
#define PERF_ATTR_SIZE_VER4	104	/* sample_regs_intr */
#define PERF_ATTR_SIZE_VER5	112	/* aux_watermark, sample_max_stack */
#define PERF_ATTR_SIZE_VER6	120	/* aux_sample_size, aux_action */
#define PERF_ATTR_SIZE_VER7	128	/* sig_data */
#define PERF_ATTR_SIZE_VER8	136	/* config3 */

/* Attributes of a new event. Unused fields must be 0. */
struct perf_event_attr {
	__u32	type;			/* enum perf_type_id, or a PMU's */
	__u32	size;			/* of this structure, as compiled */
	__u64	config;			/* which event; depends on type */

	union {
		__u64	sample_period;	/* events per sample; */
		__u64	sample_freq;	/* with freq: samples per second */
	};

	__u64	sample_type;		/* enum perf_event_sample_format */
	__u64	read_format;		/* enum perf_event_read_format */

	__u64	disabled : 1,		/* does not count until enabled */
		inherit : 1,		/* children of the task count too */
		pinned : 1,		/* always has a counter, or is in error */
		exclusive : 1,		/* shares the PMU with no other group */

		exclude_user : 1,	/* do not count in user mode, */
		exclude_kernel : 1,	/* in kernel mode, */
		exclude_hv : 1,		/* in the hypervisor, */
		exclude_idle : 1,	/* in the idle task */

		mmap : 1,		/* MMAP records of executable maps */
		comm : 1,		/* COMM records */
		freq : 1,		/* sample_freq, not sample_period */
		inherit_stat : 1,	/* inherited counts stay per task */
		enable_on_exec : 1,	/* the next exec enables it */
		task : 1,		/* FORK and EXIT records */
		watermark : 1,		/* wakeup_watermark, not _events */
		/*
		 * Distance of the sampled address from the instruction that
		 * caused the event. 0: any distance; 1: constant; 2: none if
		 * possible; 3: none, or the event is refused. See
		 * PERF_RECORD_MISC_EXACT_IP.
		 */
		precise_ip : 2,
		mmap_data : 1,		/* MMAP records of the other maps */
		sample_id_all : 1,	/* every record ends in a sample_id */

		exclude_host : 1,	/* do not count outside of guests, */
		exclude_guest : 1,	/* inside of guests */

		exclude_callchain_kernel : 1,	/* chains without kernel, */
		exclude_callchain_user : 1,	/* without user part */

		mmap2 : 1,		/* MMAP2 records in place of MMAP */
		comm_exec : 1,		/* COMM records of an exec are marked */
		use_clockid : 1,	/* times are of the clock clockid */
		context_switch : 1,	/* SWITCH records */
		write_backward : 1,	/* fill the buffer from its end */
		namespaces : 1,		/* NAMESPACES records */
		ksymbol : 1,		/* KSYMBOL records */
		bpf_event : 1,		/* BPF_EVENT records */
		aux_output : 1,		/* records go to the leader's AUX area */
		cgroup : 1,		/* CGROUP records */
		text_poke : 1,		/* TEXT_POKE records */
		build_id : 1,		/* MMAP2 records hold a build id */
		inherit_thread : 1,	/* inherited by threads only */
		remove_on_exec : 1,	/* an exec of the task removes it */
		sigtrap : 1,		/* overflow sends SIGTRAP to the task */
		__reserved_1 : 26;

	union {
		__u32	wakeup_events;		/* wake up after n samples, */
		__u32	wakeup_watermark;	/* or after n bytes */
	};

	__u32	bp_type;		/* HW_BREAKPOINT_*: read, write, execute */
	union {
		__u64	bp_addr;	/* breakpoint: address */
		__u64	kprobe_func;	/* kprobe: pointer to symbol's name, or 0 */
		__u64	uprobe_path;	/* uprobe: pointer to file's name */
		__u64	config1;	/* PMU: more of config */
	};
	union {
		__u64	bp_len;		/* breakpoint: bytes watched */
		__u64	kprobe_addr;	/* kprobe without symbol: address */
		__u64	probe_offset;	/* offset in the symbol or file */
		__u64	config2;	/* PMU: more of config */
	};
	__u64	branch_sample_type;	/* enum perf_branch_sample_type */

	__u64	sample_regs_user;	/* REGS_USER: mask, see asm/perf_regs.h */
	__u32	sample_stack_user;	/* STACK_USER: bytes, a multiple of 8 */
	__s32	clockid;		/* CLOCK_*, with use_clockid */
	__u64	sample_regs_intr;	/* REGS_INTR: mask of registers */

	__u32	aux_watermark;		/* bytes between two AUX records */
	__u16	sample_max_stack;	/* CALLCHAIN: entries; 0 is the limit */
	__u16	__reserved_2;
	__u32	aux_sample_size;	/* PERF_SAMPLE_AUX: bytes */

	union {
		__u32	aux_action;
		struct {
			__u32	aux_start_paused : 1,	/* AUX tracing starts paused; */
				aux_pause : 1,	/* an overflow of this pauses it; */
				aux_resume : 1,	/* an overflow of this resumes it */
				__reserved_3 : 29;
		};
	};

	__u64	sig_data;		/* sigtrap: siginfo's si_perf_data */
	__u64	config3;		/* PMU: more of config */
};

/* Flags of perf_event_open(2). */
#define PERF_FLAG_FD_NO_GROUP	(1UL << 0)	/* group_fd is for output only */
#define PERF_FLAG_FD_OUTPUT	(1UL << 1)	/* records go to group_fd's buffer */
#define PERF_FLAG_PID_CGROUP	(1UL << 2)	/* pid is a descriptor of a cgroup */
#define PERF_FLAG_FD_CLOEXEC	(1UL << 3)	/* as O_CLOEXEC */

/* ---- 4. Controlling ---- */

/* PERF_EVENT_IOC_QUERY_BPF: the BPF programs on the event's tracepoint. */
struct perf_event_query_bpf {
	__u32	ids_len;		/* in: number of elements of ids */
	__u32	prog_cnt;		/* out: number of programs */
	__u32	ids[];			/* out: the ids that fit */
};

#define PERF_EVENT_IOC_ENABLE		_IO('$', 0)
#define PERF_EVENT_IOC_DISABLE		_IO('$', 1)
#define PERF_EVENT_IOC_REFRESH		_IO('$', 2)	/* disable after n samples */
#define PERF_EVENT_IOC_RESET		_IO('$', 3)	/* count = 0; times stay */
#define PERF_EVENT_IOC_PERIOD		_IOW('$', 4, __u64)
#define PERF_EVENT_IOC_SET_OUTPUT	_IO('$', 5)	/* descriptor, or -1 */
#define PERF_EVENT_IOC_SET_FILTER	_IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID		_IOR('$', 7, __u64 *)
#define PERF_EVENT_IOC_SET_BPF		_IOW('$', 8, __u32)
#define PERF_EVENT_IOC_PAUSE_OUTPUT	_IOW('$', 9, __u32)
#define PERF_EVENT_IOC_QUERY_BPF	_IOWR('$', 10, struct perf_event_query_bpf *)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES _IOW('$', 11, struct perf_event_attr *)

/* Argument of ENABLE, DISABLE and RESET. */
enum perf_event_ioc_flags {
	PERF_IOC_FLAG_GROUP	= 1U << 0,	/* the whole group, not one event */
};

/* ---- 5. The control page ---- */

/*
 * A mapping of the descriptor is this page, followed by 2^n pages of records.
 *
 * The first part is for reading the counter without a system call. lock is odd while the
 * kernel writes. A reader repeats if lock was odd or has changed meanwhile:
 *
 *	again:
 *	seq = page->lock;
 *	barrier();
 *	... read index, offset, the times, and the counter itself ...
 *	barrier();
 *	if ((seq & 1) || page->lock != seq)
 *		goto again;
 *
 * With cap_user_rdpmc and index != 0 the event has hardware counter index - 1. The count
 * is offset plus the value of that counter, a signed number of pmc_width bits. With
 * index == 0 no counter can be read: use read(2). offset is the count at the last update.
 *
 * With cap_user_time the value tsc of the time stamp counter is converted to nanoseconds
 * since time_enabled and time_running were written (time_running advances only while
 * index != 0):
 *
 *	ns = time_offset + (tsc >> time_shift) * time_mult +
 *	     (((tsc & ((1 << time_shift) - 1)) * time_mult) >> time_shift)
 *
 * With cap_user_time_zero, time_zero instead of time_offset gives the time as in samples.
 * With cap_user_time_short the counter has less than 64 bits, and is first extended from
 * the last value that the kernel has read:
 *
 *	tsc = time_cycles + ((tsc - time_cycles) & time_mask)
 */
struct perf_event_mmap_page {
	__u32	version;		/* of this layout: 0 */
	__u32	compat_version;		/* oldest compatible layout */

	__u32	lock;			/* sequence number, odd while written */
	__u32	index;			/* hardware counter + 1, or 0 */
	__s64	offset;			/* to add to the counter */
	__u64	time_enabled;		/* nanoseconds, at the last update */
	__u64	time_running;
	union {
		__u64	capabilities;
		struct {
			/*
			 * Bit 0 had two meanings, and is always 0 now. Bit 1
			 * says that bits 2 and 3 are valid.
			 */
			__u64	cap_bit0 : 1,
				cap_bit0_is_deprecated : 1,
				cap_user_rdpmc : 1,
				cap_user_time : 1,
				cap_user_time_zero : 1,
				cap_user_time_short : 1,
				cap_____res : 58;
		};
	};
	__u16	pmc_width;		/* bits of the hardware counter */
	__u16	time_shift;
	__u32	time_mult;
	__u64	time_offset;
	__u64	time_zero;
	__u32	size;			/* of the part before __reserved */
	__u32	__reserved_1;
	__u64	time_cycles;
	__u64	time_mask;

	__u8	__reserved[116 * 8];	/* fills the first 1024 bytes */

	/*
	 * Second part: the ring buffer. data_head only increases. Records are at
	 * data_offset + (position % data_size). A reader loads data_head, then
	 * (after a read barrier) the records, and stores (after a full barrier)
	 * its position in data_tail. With a read-only mapping data_tail is
	 * ignored, and old records are overwritten.
	 */
	__u64	data_head;
	__u64	data_tail;
	__u64	data_offset;		/* of the records in the mapping */
	__u64	data_size;

	/*
	 * Third part: the AUX area, to which the hardware of a tracing PMU
	 * writes. The program sets aux_offset and aux_size, and then maps that
	 * range. aux_head and aux_tail are like data_head and data_tail.
	 */
	__u64	aux_head;
	__u64	aux_tail;
	__u64	aux_offset;
	__u64	aux_size;
};

/* ---- 6. Records ---- */

/*
 * Each record starts with this header. Its size is a multiple of 8.
 */
struct perf_event_header {
	__u32	type;			/* enum perf_event_type */
	__u16	misc;			/* PERF_RECORD_MISC_* */
	__u16	size;			/* with this header */
};

/* misc, low bits: where the CPU was. */
#define PERF_RECORD_MISC_CPUMODE_MASK		(7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN	(0 << 0)
#define PERF_RECORD_MISC_KERNEL			(1 << 0)
#define PERF_RECORD_MISC_USER			(2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR		(3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL		(4 << 0)
#define PERF_RECORD_MISC_GUEST_USER		(5 << 0)

/* misc, high bits: what they say depends on the record. */
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT	(1 << 12)	/* perf tool's own */
#define PERF_RECORD_MISC_MMAP_DATA		(1 << 13)	/* MMAP: not executable */
#define PERF_RECORD_MISC_COMM_EXEC		(1 << 13)	/* COMM: by exec */
#define PERF_RECORD_MISC_FORK_EXEC		(1 << 13)	/* FORK: perf tool's own */
#define PERF_RECORD_MISC_SWITCH_OUT		(1 << 13)	/* SWITCH: task leaves */
#define PERF_RECORD_MISC_EXACT_IP		(1 << 14)	/* SAMPLE: ip is exact */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT	(1 << 14)	/* SWITCH: task is preempted */
#define PERF_RECORD_MISC_MMAP_BUILD_ID		(1 << 14)	/* MMAP2: has a build id */
#define PERF_RECORD_MISC_EXT_RESERVED		(1 << 15)	/* for a longer header */

/*
 * The payloads. A field in brackets exists if its bit of sample_type, or its flag of the
 * attr, is set. Strings are padded with NULs to a multiple of 8, with at least one NUL.
 * "sample_id" is empty without attr.sample_id_all. Otherwise it has these fields, by
 * sample_type:
 *
 *	[u32 pid, tid] [u64 time] [u64 id] [u64 stream_id] [u32 cpu, 0]
 *	[u64 id (IDENTIFIER)]
 *
 * IDENTIFIER is at the end of all records but SAMPLE, and at the start of SAMPLE. A
 * reader can find the event of a record there before it has the layout.
 */
enum perf_event_type {
	/* u32 pid, tid; u64 addr, len, pgoff; char filename[]; sample_id */
	PERF_RECORD_MMAP		= 1,
	/* u64 id, lost; sample_id -- records that did not fit */
	PERF_RECORD_LOST		= 2,
	/* u32 pid, tid; char comm[]; sample_id */
	PERF_RECORD_COMM		= 3,
	/* u32 pid, ppid, tid, ptid; u64 time; sample_id */
	PERF_RECORD_EXIT		= 4,
	/* u64 time, id, stream_id; sample_id -- sampling stops, or resumes */
	PERF_RECORD_THROTTLE		= 5,
	PERF_RECORD_UNTHROTTLE		= 6,
	/* as EXIT */
	PERF_RECORD_FORK		= 7,
	/* u32 pid, tid; values by read_format; sample_id */
	PERF_RECORD_READ		= 8,
	/*
	 * IDENTIFIER	u64 id
	 * IP		u64 ip
	 * TID		u32 pid, tid
	 * TIME		u64 time
	 * ADDR		u64 addr
	 * ID		u64 id of the event that was opened
	 * STREAM_ID	u64 id of the event that counted, of a child event its own
	 * CPU		u32 cpu, 0
	 * PERIOD	u64 period
	 * READ		values by read_format
	 * CALLCHAIN	u64 nr, ips[nr]; see enum perf_callchain_context
	 * RAW		u32 size; u8 data[size]; together a multiple of 8
	 * BRANCH_STACK	u64 nr; [u64 hw_idx (HW_INDEX)]
	 *		struct perf_branch_entry entries[nr];
	 *		[u64 counters[nr] (COUNTERS)]
	 * REGS_USER	u64 abi; unless abi is NONE: u64 per bit of the mask
	 * STACK_USER	u64 size; if not 0: u8 data[size]; u64 dyn_size, the
	 *		part of data that is valid
	 * WEIGHT*	union perf_sample_weight
	 * DATA_SRC	union perf_mem_data_src
	 * TRANSACTION	u64 PERF_TXN_*
	 * REGS_INTR	as REGS_USER
	 * PHYS_ADDR	u64 physical address of addr
	 * CGROUP	u64 id
	 * DATA_PAGE_SIZE u64 bytes, of the page of addr
	 * CODE_PAGE_SIZE u64 bytes, of the page of ip
	 * AUX		u64 size; u8 data[size]
	 *
	 * The layout of RAW data is defined by its source. Tracepoints describe
	 * it in their format file.
	 */
	PERF_RECORD_SAMPLE		= 9,
	/*
	 * u32 pid, tid; u64 addr, len, pgoff; file; u32 prot, flags;
	 * char filename[]; sample_id
	 * file: u32 maj, min; u64 ino, ino_generation, or with MMAP_BUILD_ID
	 *       u8 build_id_size, 0; u16 0; u8 build_id[20]
	 */
	PERF_RECORD_MMAP2		= 10,
	/* u64 offset, size, flags (PERF_AUX_FLAG_*); sample_id */
	PERF_RECORD_AUX			= 11,
	/* u32 pid, tid; sample_id */
	PERF_RECORD_ITRACE_START	= 12,
	/* u64 lost; sample_id -- samples that the hardware dropped */
	PERF_RECORD_LOST_SAMPLES	= 13,
	/* sample_id -- the task of the event is scheduled in or out */
	PERF_RECORD_SWITCH		= 14,
	/* u32 pid, tid; sample_id -- for CPU events, with the other task */
	PERF_RECORD_SWITCH_CPU_WIDE	= 15,
	/* u32 pid, tid; u64 nr; struct perf_ns_link_info [nr]; sample_id */
	PERF_RECORD_NAMESPACES		= 16,
	/*
	 * u64 addr; u32 len; u16 type (enum perf_record_ksymbol_type),
	 * flags; char name[]; sample_id
	 */
	PERF_RECORD_KSYMBOL		= 17,
	/* u16 type (enum perf_bpf_event_type), flags; u32 id; u8 tag[8]; sample_id */
	PERF_RECORD_BPF_EVENT		= 18,
	/* u64 id; char path[]; sample_id */
	PERF_RECORD_CGROUP		= 19,
	/*
	 * u64 addr; u16 old_len, new_len; u8 old[old_len], new[new_len], padded
	 * to a multiple of 8; sample_id
	 */
	PERF_RECORD_TEXT_POKE		= 20,
	/* u64 hw_id; sample_id -- identifies the event in AUX data */
	PERF_RECORD_AUX_OUTPUT_HW_ID	= 21,
	PERF_RECORD_MAX,
};

/* PERF_RECORD_NAMESPACES: indices of namespaces, and their identification. */
struct perf_ns_link_info {
	__u64	dev;
	__u64	ino;
};

enum {
	NET_NS_INDEX	= 0,
	UTS_NS_INDEX	= 1,
	IPC_NS_INDEX	= 2,
	PID_NS_INDEX	= 3,
	USER_NS_INDEX	= 4,
	MNT_NS_INDEX	= 5,
	CGROUP_NS_INDEX	= 6,
	NR_NAMESPACES,
};

/* PERF_RECORD_KSYMBOL */
enum perf_record_ksymbol_type {
	PERF_RECORD_KSYMBOL_TYPE_UNKNOWN	= 0,
	PERF_RECORD_KSYMBOL_TYPE_BPF		= 1,
	PERF_RECORD_KSYMBOL_TYPE_OOL		= 2,	/* kprobe and ftrace code */
	PERF_RECORD_KSYMBOL_TYPE_MAX
};

#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER	(1 << 0)	/* removed, not added */

/* PERF_RECORD_BPF_EVENT */
enum perf_bpf_event_type {
	PERF_BPF_EVENT_UNKNOWN		= 0,
	PERF_BPF_EVENT_PROG_LOAD	= 1,
	PERF_BPF_EVENT_PROG_UNLOAD	= 2,
	PERF_BPF_EVENT_MAX,
};

/* PERF_RECORD_AUX */
#define PERF_AUX_FLAG_TRUNCATED			0x01	/* AUX area was full */
#define PERF_AUX_FLAG_OVERWRITE			0x02	/* size bytes before offset */
#define PERF_AUX_FLAG_PARTIAL			0x04	/* with holes */
#define PERF_AUX_FLAG_COLLISION			0x08	/* samples overlapped */
#define PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK	0xff00	/* the PMU defines it: */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT 0x0000	/* formatter frames */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW	0x0100	/* the source's own */

/* ---- 7. Decoding ---- */

/* PERF_SAMPLE_CALLCHAIN: default limits, which sysctls can change. */
#define PERF_MAX_STACK_DEPTH		127
#define PERF_MAX_CONTEXTS_PER_STACK	8

/* Markers in a call chain: the context of the addresses that follow. */
enum perf_callchain_context {
	PERF_CONTEXT_HV			= (__u64)-32,
	PERF_CONTEXT_KERNEL		= (__u64)-128,
	PERF_CONTEXT_USER		= (__u64)-512,
	PERF_CONTEXT_GUEST		= (__u64)-2048,
	PERF_CONTEXT_GUEST_KERNEL	= (__u64)-2176,
	PERF_CONTEXT_GUEST_USER		= (__u64)-2560,
	PERF_CONTEXT_MAX		= (__u64)-4095,
};

/* PERF_SAMPLE_REGS_USER and _INTR: ABI of the registers. */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE	= 0,
	PERF_SAMPLE_REGS_ABI_32		= 1,
	PERF_SAMPLE_REGS_ABI_64		= 2,
};

/* PERF_SAMPLE_TRANSACTION: type in the lower half, abort code in the upper half. */
enum {
	PERF_TXN_ELISION	= (1 << 0),	/* began as lock elision */
	PERF_TXN_TRANSACTION	= (1 << 1),	/* began as a transaction */
	PERF_TXN_SYNC		= (1 << 2),	/* caused by the instruction */
	PERF_TXN_ASYNC		= (1 << 3),	/* not caused by the instruction */
	PERF_TXN_RETRY		= (1 << 4),	/* may succeed next time */
	PERF_TXN_CONFLICT	= (1 << 5),	/* with another CPU */
	PERF_TXN_CAPACITY_WRITE	= (1 << 6),	/* wrote too much, */
	PERF_TXN_CAPACITY_READ	= (1 << 7),	/* read too much */
	PERF_TXN_MAX		= (1 << 8),
	PERF_TXN_ABORT_MASK	= (0xffffffffULL << 32),
	PERF_TXN_ABORT_SHIFT	= 32,
};

/*
 * PERF_SAMPLE_WEIGHT writes full, PERF_SAMPLE_WEIGHT_STRUCT the other members. The PMU
 * defines their meaning. Most PMUs write latencies.
 */
union perf_sample_weight {
	__u64	full;
#if defined(__LITTLE_ENDIAN_BITFIELD)
	struct {
		__u32	var1_dw;
		__u16	var2_w;
		__u16	var3_w;
	};
#elif defined(__BIG_ENDIAN_BITFIELD)
	struct {
		__u16	var3_w;
		__u16	var2_w;
		__u32	var1_dw;
	};
#else
# error "Unknown endianness"
#endif
};

/* PERF_SAMPLE_BRANCH_STACK: a taken branch. The latest branch is first. */
struct perf_branch_entry {
	__u64	from;
	__u64	to;
	__u64	mispred : 1,		/* both 0: not known */
		predicted : 1,
		in_tx : 1,
		abort : 1,		/* end of a transaction that failed */
		cycles : 16,		/* since the previous entry, 0: unknown */
		type : 4,		/* PERF_BR_* */
		spec : 2,		/* PERF_BR_SPEC_* */
		new_type : 4,		/* PERF_BR_NEW_*, if type is EXTEND_ABI */
		priv : 3,		/* PERF_BR_PRIV_* */
		reserved : 31;
};

/* Number of bits after "to" that are in use. */
#define PERF_BRANCH_ENTRY_INFO_BITS_MAX	33

enum {
	PERF_BR_UNKNOWN		= 0,
	PERF_BR_COND		= 1,	/* conditional */
	PERF_BR_UNCOND		= 2,	/* unconditional */
	PERF_BR_IND		= 3,	/* indirect */
	PERF_BR_CALL		= 4,
	PERF_BR_IND_CALL	= 5,
	PERF_BR_RET		= 6,
	PERF_BR_SYSCALL		= 7,
	PERF_BR_SYSRET		= 8,
	PERF_BR_COND_CALL	= 9,
	PERF_BR_COND_RET	= 10,
	PERF_BR_ERET		= 11,	/* from an exception */
	PERF_BR_IRQ		= 12,
	PERF_BR_SERROR		= 13,	/* system error */
	PERF_BR_NO_TX		= 14,	/* outside of transactions */
	PERF_BR_EXTEND_ABI	= 15,	/* see new_type */
	PERF_BR_MAX,
};

enum {
	PERF_BR_NEW_FAULT_ALGN	= 0,
	PERF_BR_NEW_FAULT_DATA	= 1,
	PERF_BR_NEW_FAULT_INST	= 2,
	PERF_BR_NEW_ARCH_1	= 3,	/* free for each architecture */
	PERF_BR_NEW_ARCH_2	= 4,
	PERF_BR_NEW_ARCH_3	= 5,
	PERF_BR_NEW_ARCH_4	= 6,
	PERF_BR_NEW_ARCH_5	= 7,
	PERF_BR_NEW_MAX,
};

#define PERF_BR_ARM64_FIQ		PERF_BR_NEW_ARCH_1
#define PERF_BR_ARM64_DEBUG_HALT	PERF_BR_NEW_ARCH_2
#define PERF_BR_ARM64_DEBUG_EXIT	PERF_BR_NEW_ARCH_3
#define PERF_BR_ARM64_DEBUG_INST	PERF_BR_NEW_ARCH_4
#define PERF_BR_ARM64_DEBUG_DATA	PERF_BR_NEW_ARCH_5

enum {
	PERF_BR_SPEC_NA			= 0,	/* not known */
	PERF_BR_SPEC_WRONG_PATH		= 1,	/* speculative, wrong */
	PERF_BR_NON_SPEC_CORRECT_PATH	= 2,	/* not speculative */
	PERF_BR_SPEC_CORRECT_PATH	= 3,	/* speculative, correct */
	PERF_BR_SPEC_MAX,
};

enum {
	PERF_BR_PRIV_UNKNOWN	= 0,
	PERF_BR_PRIV_USER	= 1,
	PERF_BR_PRIV_KERNEL	= 2,
	PERF_BR_PRIV_HV		= 3,
};

/*
 * PERF_SAMPLE_DATA_SRC: the source of the data of a memory access. mem_lvl_num and
 * mem_hops are numbers, the other fields are bit masks. NA means that the PMU has no
 * information. mem_lvl is the older form of mem_lvl_num, mem_remote and mem_hops.
 */
union perf_mem_data_src {
	__u64	val;
	struct {
#if defined(__LITTLE_ENDIAN_BITFIELD)
		__u64	mem_op : 5,
			mem_lvl : 14,
			mem_snoop : 5,
			mem_lock : 2,
			mem_dtlb : 7,
			mem_lvl_num : 4,
			mem_remote : 1,
			mem_snoopx : 2,
			mem_blk : 3,
			mem_hops : 3,
			mem_rsvd : 18;
#elif defined(__BIG_ENDIAN_BITFIELD)
		__u64	mem_rsvd : 18,
			mem_hops : 3,
			mem_blk : 3,
			mem_snoopx : 2,
			mem_remote : 1,
			mem_lvl_num : 4,
			mem_dtlb : 7,
			mem_lock : 2,
			mem_snoop : 5,
			mem_lvl : 14,
			mem_op : 5;
#else
# error "Unknown endianness"
#endif
	};
};

/* Value of a field: PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L1) | ... */
#define PERF_MEM_S(a, s)	(((__u64)PERF_MEM_##a##_##s) << PERF_MEM_##a##_SHIFT)

#define PERF_MEM_OP_SHIFT		0
#define PERF_MEM_OP_NA			0x01
#define PERF_MEM_OP_LOAD		0x02
#define PERF_MEM_OP_STORE		0x04
#define PERF_MEM_OP_PFETCH		0x08
#define PERF_MEM_OP_EXEC		0x10

#define PERF_MEM_LVL_SHIFT		5
#define PERF_MEM_LVL_NA			0x01
#define PERF_MEM_LVL_HIT		0x02	/* qualifies the level below */
#define PERF_MEM_LVL_MISS		0x04	/* same */
#define PERF_MEM_LVL_L1			0x08
#define PERF_MEM_LVL_LFB		0x10	/* line fill buffer */
#define PERF_MEM_LVL_L2			0x20
#define PERF_MEM_LVL_L3			0x40
#define PERF_MEM_LVL_LOC_RAM		0x80
#define PERF_MEM_LVL_REM_RAM1		0x100	/* one hop away, */
#define PERF_MEM_LVL_REM_RAM2		0x200	/* two hops away */
#define PERF_MEM_LVL_REM_CCE1		0x400	/* cache, one hop away, */
#define PERF_MEM_LVL_REM_CCE2		0x800	/* two hops away */
#define PERF_MEM_LVL_IO			0x1000
#define PERF_MEM_LVL_UNC		0x2000	/* not cached */

#define PERF_MEM_SNOOP_SHIFT		19
#define PERF_MEM_SNOOP_NA		0x01
#define PERF_MEM_SNOOP_NONE		0x02
#define PERF_MEM_SNOOP_HIT		0x04
#define PERF_MEM_SNOOP_MISS		0x08
#define PERF_MEM_SNOOP_HITM		0x10	/* hit a modified line */

#define PERF_MEM_LOCK_SHIFT		24
#define PERF_MEM_LOCK_NA		0x01
#define PERF_MEM_LOCK_LOCKED		0x02

#define PERF_MEM_TLB_SHIFT		26
#define PERF_MEM_TLB_NA			0x01
#define PERF_MEM_TLB_HIT		0x02	/* qualifies the level below */
#define PERF_MEM_TLB_MISS		0x04	/* same */
#define PERF_MEM_TLB_L1			0x08
#define PERF_MEM_TLB_L2			0x10
#define PERF_MEM_TLB_WK			0x20	/* hardware's walker */
#define PERF_MEM_TLB_OS			0x40	/* the kernel's fault handler */

#define PERF_MEM_LVLNUM_SHIFT		33
#define PERF_MEM_LVLNUM_L1		0x01
#define PERF_MEM_LVLNUM_L2		0x02
#define PERF_MEM_LVLNUM_L3		0x03
#define PERF_MEM_LVLNUM_L4		0x04
#define PERF_MEM_LVLNUM_L2_MHB		0x05	/* L2 miss handling buffer */
#define PERF_MEM_LVLNUM_MSC		0x06	/* memory-side cache */
#define PERF_MEM_LVLNUM_UNC		0x08	/* not cached */
#define PERF_MEM_LVLNUM_CXL		0x09
#define PERF_MEM_LVLNUM_IO		0x0a
#define PERF_MEM_LVLNUM_ANY_CACHE	0x0b
#define PERF_MEM_LVLNUM_LFB		0x0c	/* line fill buffer */
#define PERF_MEM_LVLNUM_RAM		0x0d
#define PERF_MEM_LVLNUM_PMEM		0x0e	/* persistent memory */
#define PERF_MEM_LVLNUM_NA		0x0f

#define PERF_MEM_REMOTE_SHIFT		37
#define PERF_MEM_REMOTE_REMOTE		0x01
#define PERF_MEM_SNOOPX_SHIFT		38
#define PERF_MEM_SNOOPX_FWD		0x01	/* another cache forwarded it, */
#define PERF_MEM_SNOOPX_PEER		0x02	/* a peer transferred it */

#define PERF_MEM_BLK_SHIFT		40
#define PERF_MEM_BLK_NA			0x01
#define PERF_MEM_BLK_DATA		0x02	/* waited for earlier data, */
#define PERF_MEM_BLK_ADDR		0x04	/* for an earlier address */

#define PERF_MEM_HOPS_SHIFT		43
#define PERF_MEM_HOPS_0			0x01	/* other core, same node */
#define PERF_MEM_HOPS_1			0x02	/* other node, same socket */
#define PERF_MEM_HOPS_2			0x03	/* other socket, same board */
#define PERF_MEM_HOPS_3			0x04	/* other board */

#endif /* _UAPI_LINUX_PERF_EVENT_H */
