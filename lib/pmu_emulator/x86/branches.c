// SPDX-License-Identifier: GPL-2.0
/*
 * The emulator of records of branches: Intel's legacy ring and architectural records, AMD's LBRv2.
 *
 * The branches that are recorded come from branch_walk.c. They are filled in at the first read
 * after recording has stopped, so that recording costs nothing. In the mode of a call stack all
 * records are replaced by the frames of the interrupted program. While a test has a script, only
 * the test records branches.
 *
 * Every eighth branch is mispredicted. Cycles are 1 to 31. Counters in records show the source plus
 * the number of their event, modulo 4.
 *
 * Reports misuse: registers that change or are read while branches are recorded, modes that the
 * manuals do not define, recording that is enabled while it is frozen, and records of one task
 * that are read in another one.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, sections on last branch records; AMD64 Architecture Programmer's
 * Manual volume 2, "Last Branch Records".
 */
#include <linux/bitops.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include "emulator.h"

#define LBR_CLASSES	(SDM_LBR_JCC | SDM_LBR_REL_CALL | SDM_LBR_IND_CALL | SDM_LBR_RET |	\
			 SDM_LBR_IND_JMP | SDM_LBR_REL_JMP | SDM_LBR_FAR)
#define LBR_CTL_VALID	(SDM_LBR_CTL_EN | SDM_LBR_CTL_OS | SDM_LBR_CTL_USR |		\
			 SDM_LBR_CTL_CALL_STACK | SDM_LBR_CTL_JCC | SDM_LBR_CTL_REL_JMP |	\
			 SDM_LBR_CTL_IND_JMP | SDM_LBR_CTL_REL_CALL |			\
			 SDM_LBR_CTL_IND_CALL | SDM_LBR_CTL_RET | SDM_LBR_CTL_OTHER)

/* The instruction with which the kernel returns to user mode. */
static const u8 emu_iret[] = { 0x48, 0xcf };

static bool is_amd(void)
{
	return emu_machine->vendor == &emu_amd;
}

static bool is_arch(void)
{
	return !is_amd() && !emu_machine->lbr_format;
}

static bool is_legacy(void)
{
	return emu_machine->lbr_format;
}

static unsigned int depth(void)
{
	return emu_machine->lbr_depth;
}

static bool in_kernel(u64 address)
{
	return address >= TASK_SIZE_MAX;
}

/* IA32_LBR_CTL in the sense of LBR_SELECT: what is left out. */
static u64 suppressed(const struct emu_branches *br)
{
	static const struct {
		u64	ctl;
		u64	select;
	} map[] = {
		{ SDM_LBR_CTL_OS, SDM_LBR_CPL_EQ_0 },
		{ SDM_LBR_CTL_USR, SDM_LBR_CPL_NEQ_0 },
		{ SDM_LBR_CTL_JCC, SDM_LBR_JCC },
		{ SDM_LBR_CTL_REL_JMP, SDM_LBR_REL_JMP },
		{ SDM_LBR_CTL_IND_JMP, SDM_LBR_IND_JMP },
		{ SDM_LBR_CTL_REL_CALL, SDM_LBR_REL_CALL },
		{ SDM_LBR_CTL_IND_CALL, SDM_LBR_IND_CALL },
		{ SDM_LBR_CTL_RET, SDM_LBR_RET },
		{ SDM_LBR_CTL_OTHER, SDM_LBR_FAR },
	};
	u64 select = 0;
	unsigned int i;

	if (!is_arch())
		return br->select;
	for (i = 0; i < ARRAY_SIZE(map); i++) {
		if (!(br->ctl & map[i].ctl))
			select |= map[i].select;
	}
	if (br->ctl & SDM_LBR_CTL_CALL_STACK)
		select |= SDM_LBR_CALLSTACK;
	return select;
}

static bool is_call_stack(const struct emu_branches *br)
{
	return br->mode & SDM_LBR_CALLSTACK;
}

static u64 status_frozen(void)
{
	return is_amd() ? PPR_STATUS_LBR_FREEZE : SDM_STATUS_LBR_FRZ;
}

static bool is_enabled(const struct emu_cpu *cpu)
{
	if (is_amd())
		return cpu->branches.extn & APM_DBG_EXTN_LBR_V2;
	if (is_arch())
		return cpu->branches.ctl & SDM_LBR_CTL_EN;
	return cpu->debugctl & SDM_DEBUGCTL_LBR;
}

static void check_mode(const struct emu_cpu *cpu)
{
	u64 select = cpu->branches.mode;

	if (cpu->global_status & status_frozen())
		emu_misuse("branches are to be recorded while that is frozen");
	if (select & SDM_LBR_CALLSTACK &&
	    (select & LBR_CLASSES) != (SDM_LBR_JCC | SDM_LBR_IND_JMP | SDM_LBR_REL_JMP |
				       SDM_LBR_FAR))
		emu_misuse("a stack of calls with %#llx left out", select);
}

static void stopped(struct emu_branches *br)
{
	br->due = true;
	br->written = 0;
	if (br->task && br->task != current)
		br->mixed = true;
	br->task = current;
}

/**
 * emu_branches_update() - apply a change of a register that turns recording on or off
 * @cpu: this CPU's PMU
 */
void emu_branches_update(struct emu_cpu *cpu)
{
	struct emu_branches *br = &cpu->branches;
	bool enabled = depth() && is_enabled(cpu);
	bool frozen = cpu->global_status & status_frozen();

	if (br->recording == (enabled && !frozen))
		return;
	if (br->recording)
		stopped(br);
	br->recording = enabled && !frozen;
	if (!br->recording)
		return;
	br->mode = suppressed(br);
	check_mode(cpu);
}

/**
 * emu_branches_freeze() - freeze the records, if software has requested that
 * @cpu: this CPU's PMU, which is about to raise its interrupt
 */
void emu_branches_freeze(struct emu_cpu *cpu)
{
	if (!depth() || !(cpu->debugctl & SDM_DEBUGCTL_FREEZE_LBRS))
		return;
	if (!is_amd() && emu_machine->version < 4)
		cpu->debugctl &= ~SDM_DEBUGCTL_LBR;
	else if (cpu->branches.recording)
		cpu->global_status |= status_frozen();
	emu_branches_update(cpu);
}

/**
 * emu_branches_debugctl() - get the bits of IA32_DEBUGCTL that records of branches have
 *
 * Return: mask of bits.
 */
u64 emu_branches_debugctl(void)
{
	if (!depth())
		return 0;
	return is_amd() ? APM_DEBUGCTL_LBR | APM_DEBUGCTL_FREEZE_LBR :
			  SDM_DEBUGCTL_LBR | SDM_DEBUGCTL_FREEZE_LBRS;
}

static void clear_records(struct emu_branches *br)
{
	memset(br->from, 0, sizeof(br->from));
	memset(br->to, 0, sizeof(br->to));
	memset(br->info, 0, sizeof(br->info));
	br->due = false;
	br->mixed = false;
	br->task = NULL;
}

/* A return removes the call that was recorded last. */
static void pop(struct emu_branches *br)
{
	unsigned int last = depth() - 1;

	if (is_legacy()) {
		br->from[br->tos] = 0;
		br->to[br->tos] = 0;
		br->info[br->tos] = 0;
		br->tos = (br->tos - 1) & last;
		return;
	}
	memmove(&br->from[0], &br->from[1], last * sizeof(u64));
	memmove(&br->to[0], &br->to[1], last * sizeof(u64));
	memmove(&br->info[0], &br->info[1], last * sizeof(u64));
	br->from[last] = 0;
	br->to[last] = 0;
	br->info[last] = 0;
}

/* Returns the index of a new record. */
static unsigned int new_record(struct emu_branches *br)
{
	unsigned int last = depth() - 1;

	if (is_legacy()) {
		br->tos = (br->tos + 1) & last;
		return br->tos;
	}
	memmove(&br->from[1], &br->from[0], last * sizeof(u64));
	memmove(&br->to[1], &br->to[0], last * sizeof(u64));
	memmove(&br->info[1], &br->info[0], last * sizeof(u64));
	return 0;
}

/* Type of an architectural record. */
static u64 arch_type(u64 class)
{
	switch (class) {
	case SDM_LBR_JCC:
		return 0;
	case SDM_LBR_IND_JMP:
		return 1;
	case SDM_LBR_REL_JMP:
		return 2;
	case SDM_LBR_IND_CALL:
		return 3;
	case SDM_LBR_REL_CALL:
		return 4;
	case SDM_LBR_RET:
		return 5;
	}
	return 8;
}

static u64 flags_of(const struct emu_branch *branch)
{
	return (branch->mispredicted ? SDM_LBR_MISPRED : 0) |
	       (branch->in_tsx ? SDM_LBR_IN_TSX : 0) |
	       (branch->abort ? SDM_LBR_TSX_ABORT : 0);
}

/* How often events occurred since the record before. A pattern: a stated number modulo 4. */
static u64 logged(const struct emu_cpu *cpu, const struct emu_branch *branch)
{
	unsigned int idx;
	u64 info = 0;

	for (idx = 0; emu_machine->lbr_logged >> idx; idx++) {
		u64 select = cpu->select[idx], nr = branch->from + (select & SDM_SEL_EVENT);

		if (select & SDM_SEL_LBR_LOG && select & SDM_SEL_EN)
			info |= (nr & 3) << (SDM_LBR_INFO_LOGGED_SHIFT + 2 * idx);
	}
	return info;
}

static void write_record(struct emu_cpu *cpu, const struct emu_branch *branch)
{
	struct emu_branches *br = &cpu->branches;
	u64 address = GENMASK_ULL(SDM_LBR_ADDRESS_TOP, 0), flags = flags_of(branch);
	unsigned int i = new_record(br);
	u64 cycles = 1 + (branch->from >> 2) % 31;

	br->from[i] = branch->from;
	br->to[i] = branch->to;
	br->info[i] = flags | cycles;
	if (is_amd()) {
		br->from[i] = (branch->from & APM_LBR_ADDRESS) |
			      (branch->mispredicted ? APM_LBR_FROM_MISPRED : 0);
		br->to[i] = (branch->to & APM_LBR_ADDRESS) | APM_LBR_TO_VALID;
	} else if (is_arch()) {
		br->info[i] |= SDM_LBR_INFO_CYC_VALID |
			       arch_type(branch->class) << SDM_LBR_INFO_TYPE_SHIFT |
			       logged(cpu, branch);
	} else if (emu_machine->lbr_format == SDM_LBR_FMT_EIP_FLAGS) {
		br->from[i] = (branch->from & ~SDM_LBR_MISPRED) | (flags & SDM_LBR_MISPRED);
	} else if (emu_machine->lbr_format == SDM_LBR_FMT_EIP_TSX) {
		/* bits between the address and the flags continue the address */
		br->from[i] = flags | (branch->from & address) |
			      (branch->from & GENMASK_ULL(60, SDM_LBR_ADDRESS_TOP + 1));
	}
}

/**
 * emu_branches_push() - record a branch, if the registers say so
 * @cpu: this CPU's PMU
 * @branch: the branch
 *
 * The target decides the level.
 */
void emu_branches_push(struct emu_cpu *cpu, const struct emu_branch *branch)
{
	struct emu_branches *br = &cpu->branches;
	u64 select = br->mode;

	if (select & branch->class ||
	    select & (in_kernel(branch->to) ? SDM_LBR_CPL_EQ_0 : SDM_LBR_CPL_NEQ_0))
		return;
	if (is_call_stack(br) && branch->class == SDM_LBR_RET)
		pop(br);
	else
		write_record(cpu, branch);
}

static void push_all(struct emu_cpu *cpu, struct emu_branch *branches, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		branches[i].mispredicted = i % 8 == 7;
		emu_branches_push(cpu, &branches[i]);
	}
}

/* Returns the instruction that is reached last: the one behind the target of the last branch. */
static u64 push_walk(struct emu_cpu *cpu, u64 ip)
{
	struct emu_branch walk[EMU_WALK];
	unsigned int nr = emu_walk_branches(walk, EMU_WALK, ip);

	push_all(cpu, walk, nr);
	return nr ? emu_walk_next(walk[nr - 1].to) : ip;
}

/* The latest frame is the first of the walk, and is pushed last. */
static void push_calls(struct emu_cpu *cpu, const struct pt_regs *regs)
{
	struct emu_branch walk[EMU_WALK];
	unsigned int nr = emu_walk_calls(walk, EMU_WALK, regs);

	clear_records(&cpu->branches);
	while (nr--)
		emu_branches_push(cpu, &walk[nr]);
}

static void push_far(struct emu_cpu *cpu, u64 from, u64 to)
{
	struct emu_branch branch = { .from = from, .to = to, .class = SDM_LBR_FAR };

	emu_branches_push(cpu, &branch);
}

/* Registers of the context that the PMU has interrupted; NULL: the driver itself. */
static struct pt_regs *interrupted(const struct emu_cpu *cpu)
{
	return cpu->in_timer ? get_irq_regs() : NULL;
}

/* Fill in what was recorded since recording began. */
static void fill(struct emu_cpu *cpu)
{
	struct pt_regs *regs = interrupted(cpu), *user = NULL;
	u64 ip = (unsigned long)fill, user_ip = 0;

	if (regs && user_mode(regs))
		user = regs;
	else if (!(current->flags & PF_KTHREAD))
		user = task_pt_regs(current);
	if (regs && !user_mode(regs))
		ip = regs->ip;

	if (is_call_stack(&cpu->branches)) {
		if (user)
			push_calls(cpu, user);
		return;
	}
	if (user) {
		push_far(cpu, (unsigned long)emu_iret, user->ip);
		user_ip = push_walk(cpu, user->ip);
	}
	if (user && user == regs)
		return;
	if (user)
		push_far(cpu, user_ip, ip);
	push_walk(cpu, ip);
}

/* Before registers of records are read or written. */
static void settle(struct emu_cpu *cpu, bool read)
{
	struct emu_branches *br = &cpu->branches;

	if (br->recording) {
		emu_misuse("records of branches are %s while branches are recorded",
			   read ? "read" : "written");
		return;
	}
	if (!read)
		return;
	if (br->mixed)
		emu_misuse("records of branches of another task are read");
	if (br->due && !cpu->stage)
		fill(cpu);
	br->due = false;
}

/* Returns the register of a record, or NULL. */
static u64 *record_of(struct emu_branches *br, u32 msr, unsigned int *i)
{
	u32 from = is_arch() ? SDM_ARCH_LBR_FROM : SDM_LBR_FROM;
	u32 to = is_arch() ? SDM_ARCH_LBR_TO : SDM_LBR_TO;
	u32 info = is_arch() ? SDM_ARCH_LBR_INFO : SDM_LBR_INFO;

	if (is_amd()) {
		*i = (msr - APM_LBR_FROM) / 2;
		if (msr < APM_LBR_FROM || *i >= depth())
			return NULL;
		return (msr - APM_LBR_FROM) & 1 ? &br->to[*i] : &br->from[*i];
	}
	*i = msr - from;
	if (msr >= from && *i < depth())
		return &br->from[*i];
	*i = msr - to;
	if (msr >= to && *i < depth())
		return &br->to[*i];
	*i = msr - info;
	if (msr >= info && *i < depth() &&
	    (is_arch() || emu_machine->lbr_format == SDM_LBR_FMT_EIP_INFO ||
	     emu_machine->lbr_format == SDM_LBR_FMT_LIP_INFO))
		return &br->info[*i];
	return NULL;
}

/* Without transactions, Haswell's bits of transactions must continue the address. */
static bool from_is_valid(u64 value)
{
	u64 flags = SDM_LBR_IN_TSX | SDM_LBR_TSX_ABORT;
	bool negative = value & BIT_ULL(SDM_LBR_ADDRESS_TOP);

	if (emu_machine->lbr_format != SDM_LBR_FMT_EIP_TSX || emu_machine->tsx)
		return true;
	return (value & flags) == (negative ? flags : 0);
}

/**
 * emu_branches_read() - RDMSR of a register of branch records
 * @cpu: this CPU's PMU
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if there is no such register.
 */
int emu_branches_read(struct emu_cpu *cpu, u32 msr, u64 *value)
{
	struct emu_branches *br = &cpu->branches;
	unsigned int i;
	u64 *record;

	if (!depth())
		return -EIO;
	record = record_of(br, msr, &i);
	if (record) {
		settle(cpu, true);
		*value = *record;
	} else if (is_legacy() && msr == SDM_LBR_TOS) {
		settle(cpu, true);
		*value = br->tos;
	} else if ((is_legacy() && msr == SDM_LBR_SELECT) || (is_amd() && msr == APM_LBR_SELECT)) {
		*value = br->select;
	} else if (is_amd() && msr == APM_DBG_EXTN_CFG) {
		*value = br->extn;
	} else if (is_arch() && msr == SDM_ARCH_LBR_CTL) {
		*value = br->ctl;
	} else if (is_arch() && msr == SDM_ARCH_LBR_DEPTH) {
		*value = depth();
	} else {
		return -EIO;
	}
	return 0;
}

static int write_select(struct emu_cpu *cpu, u64 value)
{
	u64 valid = is_amd() ? APM_LBR_SELECT_VALID :
		    LBR_CLASSES | SDM_LBR_CPL_EQ_0 | SDM_LBR_CPL_NEQ_0 |
		    (emu_machine->lbr_stack ? SDM_LBR_CALLSTACK : 0);

	if (value & ~valid)
		return -EIO;
	settle(cpu, false);
	cpu->branches.select = value;
	return 0;
}

static int write_ctl(struct emu_cpu *cpu, u64 value)
{
	struct emu_branches *br = &cpu->branches;

	if (value & ~LBR_CTL_VALID)
		return -EIO;
	if (br->recording && value & SDM_LBR_CTL_EN && value != br->ctl)
		emu_misuse("what is recorded of branches changes while they are recorded");
	br->ctl = value;
	emu_branches_update(cpu);
	return 0;
}

/* Once all have been written, no record belongs to another task. */
static void note_written(struct emu_branches *br, unsigned int i)
{
	br->written |= BIT(i);
	if (br->written != GENMASK(depth() - 1, 0))
		return;
	br->mixed = false;
	br->task = NULL;
	br->due = false;
}

static int write_value(struct emu_cpu *cpu, u64 *record, unsigned int i, u64 value)
{
	struct emu_branches *br = &cpu->branches;

	if (record == &br->from[i] && !is_amd() && !from_is_valid(value))
		return -EIO;
	settle(cpu, false);
	*record = value;
	if (record == &br->from[i])
		note_written(br, i);
	return 0;
}

/**
 * emu_branches_write() - WRMSR of a register of branch records
 * @cpu: this CPU's PMU
 * @msr: MSR number
 * @value: new value
 *
 * Return: 0, -EIO if there is no such register, or the CPU would fault.
 */
int emu_branches_write(struct emu_cpu *cpu, u32 msr, u64 value)
{
	struct emu_branches *br = &cpu->branches;
	unsigned int i;
	u64 *record;

	if (!depth())
		return -EIO;
	record = record_of(br, msr, &i);
	if (record)
		return write_value(cpu, record, i, value);
	if ((is_legacy() && msr == SDM_LBR_SELECT) || (is_amd() && msr == APM_LBR_SELECT))
		return write_select(cpu, value);
	if (is_legacy() && msr == SDM_LBR_TOS) {
		if (value >= depth())
			return -EIO;
		settle(cpu, false);
		br->tos = value;
	} else if (is_amd() && msr == APM_DBG_EXTN_CFG) {
		if ((value ^ br->extn) & ~APM_DBG_EXTN_LBR_V2)
			emu_misuse("DBG_EXTN_CFG loses bits: %#llx", value ^ br->extn);
		br->extn = value;
		emu_branches_update(cpu);
	} else if (is_arch() && msr == SDM_ARCH_LBR_CTL) {
		return write_ctl(cpu, value);
	} else if (is_arch() && msr == SDM_ARCH_LBR_DEPTH) {
		if (value != depth())
			return -EIO;
		settle(cpu, false);
		clear_records(br);
	} else {
		return -EIO;
	}
	return 0;
}
