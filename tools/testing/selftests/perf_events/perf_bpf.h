/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs of a few instructions, without a compiler or a library for them.
 */
#ifndef PERF_BPF_H
#define PERF_BPF_H

#include <linux/bpf.h>

#include "perf_util.h"

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
/* A map is 64 bits, of which the second instruction has the upper half. */
#define BPF_MAP(_reg, _fd)						\
	BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, _reg, BPF_PSEUDO_MAP_FD, 0, _fd)
#define BPF_MAP_UPPER							\
	BPF_INSN(0, 0, 0, 0, 0)

static inline int bpf_call(int cmd, union bpf_attr *attr)
{
	int ret = syscall(__NR_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static inline int bpf_load(enum bpf_prog_type type, const struct bpf_insn *insn,
			   unsigned int nr, const char *name)
{
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (unsigned long)insn,
		.insn_cnt = nr,
		.license = (unsigned long)"GPL",
	};
	int fd;

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	fd = bpf_call(BPF_PROG_LOAD, &attr);
	if (fd < 0 && getenv("PERF_TEST_SHOW")) {
		attr.log_buf = (unsigned long)log;
		attr.log_size = sizeof(log);
		attr.log_level = 1;
		bpf_call(BPF_PROG_LOAD, &attr);
		fprintf(stderr, "%s\n", log);
	}
	return fd;
}

/* An array or a map of that kind, with keys of 4 bytes. */
static inline int bpf_map_make(enum bpf_map_type type, unsigned int value_size,
			       unsigned int entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = 4,
		.value_size = value_size,
		.max_entries = entries,
	};

	return bpf_call(BPF_MAP_CREATE, &attr);
}

static inline int bpf_map_set(int map, __u32 key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return bpf_call(BPF_MAP_UPDATE_ELEM, &attr);
}

static inline int bpf_map_drop(int map, __u32 key)
{
	union bpf_attr attr = { .map_fd = map, .key = (unsigned long)&key };

	return bpf_call(BPF_MAP_DELETE_ELEM, &attr);
}

/* An element of 8 bytes; all ones if there is none. */
static inline __u64 bpf_map_get(int map, __u32 key)
{
	__u64 value = ~0ULL;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
	};

	bpf_call(BPF_MAP_LOOKUP_ELEM, &attr);
	return value;
}

static inline int bpf_prog_info(int prog, struct bpf_prog_info *info)
{
	union bpf_attr attr = {
		.info.bpf_fd = prog,
		.info.info_len = sizeof(*info),
		.info.info = (unsigned long)info,
	};

	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

#endif /* PERF_BPF_H */
