// SPDX-License-Identifier: GPL-2.0
/*
 * The branches that the emulator records: branches of the code that the PMU has interrupted.
 *
 * Branches
 *	The code is decoded from the interrupted instruction on, as if it had just been executed.
 *	Every second conditional branch is taken. Indirect branches are followed if their target
 *	is in memory at a fixed address, returns if the walk has seen the call.
 * Calls
 *	The frame pointers of a program are followed. The call before a return address is decoded.
 *
 * Sources are real branch instructions, so software can decode them; targets are their real
 * targets.
 *
 * Context: NMI. Memory that is not mapped ends the walk.
 */
#include <linux/bitops.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "emulator.h"

/* Instructions that are decoded. */
#define WALK_STEPS	64
/* Calls of which the walk keeps the return addresses. */
#define WALK_CALLS	8

/**
 * struct emu_walk - a walk along branches
 * @ip: the next instruction
 * @ret: return addresses of the calls that were followed
 * @calls: their number
 * @conditional: number of conditional branches
 */
struct emu_walk {
	u64		ip;
	u64		ret[WALK_CALLS];
	unsigned int	calls;
	unsigned int	conditional;
};

static bool read_memory(void *to, u64 address, size_t size)
{
	const void *from = (void *)(unsigned long)address;

	if (address >= TASK_SIZE_MAX)
		return !copy_from_kernel_nofault(to, from, size);
	return !copy_from_user_nofault(to, (const void __user *)from, size);
}

static bool decode(struct insn *insn, u64 ip)
{
	u8 text[MAX_INSN_SIZE];

	return read_memory(text, ip, sizeof(text)) &&
	       !insn_decode(insn, text, sizeof(text),
			    IS_ENABLED(CONFIG_X86_64) ? INSN_MODE_64 : INSN_MODE_32);
}

/* Get the target of an indirect branch with an operand at a fixed address. */
static u64 indirect_target(const struct insn *insn, u64 next)
{
	u64 target;

	if (X86_MODRM_MOD(insn->modrm.value) || X86_MODRM_RM(insn->modrm.value) != 5)
		return 0;
	if (!read_memory(&target, next + insn->displacement.value, sizeof(target)))
		return 0;
	return target;
}

static u64 push_return(struct emu_walk *walk, u64 next, u64 target)
{
	if (walk->calls < WALK_CALLS)
		walk->ret[walk->calls++] = next;
	return target;
}

static u64 pop_return(struct emu_walk *walk)
{
	return walk->calls ? walk->ret[--walk->calls] : 0;
}

/* Group 5 of opcodes: indirect calls and jumps. Returns the class, 0: it is no branch. */
static u64 group_5(struct emu_walk *walk, const struct insn *insn, u64 next, u64 *target)
{
	switch (X86_MODRM_REG(insn->modrm.value)) {
	case 2:
		*target = indirect_target(insn, next);
		if (*target)
			push_return(walk, next, *target);
		return SDM_LBR_IND_CALL;
	case 4:
		*target = indirect_target(insn, next);
		return SDM_LBR_IND_JMP;
	}
	return 0;
}

/*
 * Returns the class of a branch, 0: it is no branch. A target of 0 is not known. A branch that is
 * not taken has the next instruction as target.
 */
static u64 branch_of(struct emu_walk *walk, const struct insn *insn, u64 next, u64 *target)
{
	u8 opcode = insn->opcode.bytes[0], second = insn->opcode.bytes[1];
	u64 relative = next + insn->immediate.value;

	if ((opcode & 0xf0) == 0x70 || (opcode == 0x0f && (second & 0xf0) == 0x80)) {
		*target = walk->conditional++ & 1 ? next : relative;
		return SDM_LBR_JCC;
	}
	*target = 0;
	switch (opcode) {
	case 0x0f:	/* system calls and returns from them */
		return second == 0x05 || second == 0x07 ? SDM_LBR_FAR : 0;
	case 0xe8:
		*target = push_return(walk, next, relative);
		return SDM_LBR_REL_CALL;
	case 0xe9:
	case 0xeb:
		*target = relative;
		return SDM_LBR_REL_JMP;
	case 0xc2:
	case 0xc3:
		*target = pop_return(walk);
		return SDM_LBR_RET;
	case 0xcf:
		return SDM_LBR_FAR;
	case 0xff:
		return group_5(walk, insn, next, target);
	}
	return 0;
}

/**
 * emu_walk_branches() - get the branches of code
 * @branches: output, the oldest first
 * @max: room for so many
 * @ip: address of the code
 *
 * Return: the number of branches.
 */
unsigned int emu_walk_branches(struct emu_branch *branches, unsigned int max, u64 ip)
{
	struct emu_walk walk = { .ip = ip };
	unsigned int step, nr = 0;
	struct insn insn;

	for (step = 0; step < WALK_STEPS && nr < max && decode(&insn, walk.ip); step++) {
		u64 next = walk.ip + insn.length, target;
		u64 class = branch_of(&walk, &insn, next, &target);

		if (class && !target)
			break;
		if (class && target != next)
			branches[nr++] = (struct emu_branch) {
				.from = walk.ip, .to = target, .class = class,
			};
		walk.ip = class ? target : next;
	}
	return nr;
}

/**
 * emu_walk_next() - get the instruction after another one, in memory
 * @ip: address of the other one
 *
 * Return: its address; @ip if that cannot be decoded.
 */
u64 emu_walk_next(u64 ip)
{
	struct insn insn;

	return decode(&insn, ip) ? ip + insn.length : ip;
}

/* Decode the call before a return address. */
static bool call_before(struct emu_branch *branch, u64 ret, u64 callee)
{
	static const u8 sizes[] = { 5, 2, 3, 6, 7, 4 };
	struct emu_walk walk = { };
	struct insn insn;
	unsigned int i;
	u64 target;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 from = ret - sizes[i];

		if (!decode(&insn, from) || insn.length != sizes[i])
			continue;
		branch->class = branch_of(&walk, &insn, ret, &target);
		if (!(branch->class & (SDM_LBR_REL_CALL | SDM_LBR_IND_CALL)))
			continue;
		branch->from = from;
		branch->to = target ?: callee;
		return true;
	}
	return false;
}

/**
 * emu_walk_calls() - get the calls of a program that have not returned
 * @branches: output, the latest first
 * @max: room for so many
 * @regs: its registers
 *
 * The target of an indirect call is not known: it is an address in the function.
 *
 * Return: the number of calls.
 */
unsigned int emu_walk_calls(struct emu_branch *branches, unsigned int max,
			    const struct pt_regs *regs)
{
	u64 fp = regs->bp, ip = regs->ip, frame[2];
	unsigned int nr = 0;

	while (nr < max && fp && read_memory(frame, fp, sizeof(frame))) {
		branches[nr] = (struct emu_branch) { };
		if (!call_before(&branches[nr], frame[1], ip))
			break;
		nr++;
		ip = frame[1];
		if (frame[0] <= fp)
			break;
		fp = frame[0];
	}
	return nr;
}
