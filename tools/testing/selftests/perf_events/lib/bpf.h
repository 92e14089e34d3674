/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs of a few instructions, without a compiler or a library for them.
 */
#ifndef PERF_TEST_BPF_H
#define PERF_TEST_BPF_H

#include <linux/bpf.h>

#define BPF_INSN(_code, _dst, _src, _off, _imm)				\
	((struct bpf_insn){ .code = (_code), .dst_reg = (_dst),		\
			    .src_reg = (_src), .off = (_off), .imm = (_imm) })
#define BPF_SET(_reg, _imm)						\
	BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_K, _reg, 0, 0, _imm)
#define BPF_COPY(_dst, _src)						\
	BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_X, _dst, _src, 0, 0)
#define BPF_ADD_IMM(_reg, _imm)						\
	BPF_INSN(BPF_ALU64 | BPF_ADD | BPF_K, _reg, 0, 0, _imm)
#define BPF_LOAD(_dst, _src, _off)					\
	BPF_INSN(BPF_LDX | BPF_MEM | BPF_DW, _dst, _src, _off, 0)
#define BPF_STORE(_dst, _src, _off)					\
	BPF_INSN(BPF_STX | BPF_MEM | BPF_DW, _dst, _src, _off, 0)
#define BPF_STORE_IMM(_dst, _off, _imm)					\
	BPF_INSN(BPF_ST | BPF_MEM | BPF_DW, _dst, 0, _off, _imm)
#define BPF_ATOMIC_ADD(_dst, _src, _off)				\
	BPF_INSN(BPF_STX | BPF_ATOMIC | BPF_DW, _dst, _src, _off, BPF_ADD)
#define BPF_HELPER(_id)							\
	BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##_id)
#define BPF_SKIP_IF_0(_reg, _count)					\
	BPF_INSN(BPF_JMP | BPF_JEQ | BPF_K, _reg, 0, _count, 0)
#define BPF_END_PROG							\
	BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* A map takes 64 bits: two instructions, of which the second has the upper half. */
#define BPF_MAP(_reg, _fd)						\
	BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, _reg, BPF_PSEUDO_MAP_FD, 0, _fd)
#define BPF_MAP_UPPER							\
	BPF_INSN(0, 0, 0, 0, 0)
/* Six instructions: r0 = the entry of a map, or 0. The key is put into the stack. */
#define BPF_LOOKUP(_map, _key, _slot)					\
	BPF_STORE_IMM(BPF_REG_10, _slot, _key),				\
	BPF_COPY(BPF_REG_2, BPF_REG_10),				\
	BPF_ADD_IMM(BPF_REG_2, _slot),					\
	BPF_MAP(BPF_REG_1, _map),					\
	BPF_MAP_UPPER,							\
	BPF_HELPER(map_lookup_elem)
/* Eight instructions: put a register into an entry of a map, if there is one. */
#define BPF_KEEP(_map, _key, _slot, _reg)				\
	BPF_LOOKUP(_map, _key, _slot),					\
	BPF_SKIP_IF_0(BPF_REG_0, 1),					\
	BPF_STORE(BPF_REG_0, _reg, 0)

int bpf_call(int cmd, union bpf_attr *attr);
int bpf_load(enum bpf_prog_type type, const struct bpf_insn *insn,
	     unsigned int nr, const char *name);
int bpf_load_counter(int map, enum bpf_prog_type type, int result);
int bpf_prog_info(int prog, struct bpf_prog_info *info);

int bpf_map_make(enum bpf_map_type type, unsigned int value_size,
		 unsigned int entries);
int bpf_map_set(int map, __u32 key, const void *value);
int bpf_map_drop(int map, __u32 key);
int bpf_map_read(int map, __u32 key, void *value);
__u64 bpf_map_get(int map, __u32 key);

#endif /* PERF_TEST_BPF_H */
