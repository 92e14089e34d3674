// SPDX-License-Identifier: GPL-2.0
#include "bpf.h"
#include "perf_test.h"

/**
 * bpf_call() - Call bpf()
 * @cmd: BPF_*.
 * @attr: Argument of the command.
 *
 * Return: What the command returns, or a negative errno.
 */
int bpf_call(int cmd, union bpf_attr *attr)
{
	int ret = syscall(__NR_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/**
 * bpf_load() - Load a program
 * @type: Type of the program.
 * @insn: Instructions.
 * @nr: Number of instructions.
 * @name: Name of the program.
 *
 * With PERF_TEST_SHOW in the environment the verifier's log of a program that was
 * refused is printed.
 *
 * Return: A file descriptor, or a negative errno.
 */
int bpf_load(enum bpf_prog_type type, const struct bpf_insn *insn,
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

/**
 * bpf_load_counter() - Load a program that counts its runs
 * @map: A map of numbers of 8 bytes; the first one is the number of runs.
 * @type: Type of the program.
 * @result: What it returns.
 *
 * Return: A file descriptor, or a negative errno.
 */
int bpf_load_counter(int map, enum bpf_prog_type type, int result)
{
	const struct bpf_insn insns[] = {
		BPF_LOOKUP(map, 0, -8),
		BPF_SKIP_IF_0(BPF_REG_0, 2),
		BPF_SET(BPF_REG_1, 1),
		BPF_ATOMIC_ADD(BPF_REG_0, BPF_REG_1, 0),
		BPF_SET(BPF_REG_0, result),
		BPF_END_PROG,
	};

	return bpf_load(type, insns, sizeof(insns) / sizeof(*insns), "counter");
}

/**
 * bpf_prog_info() - Get information on a program
 * @prog: The program.
 * @info: Where it goes.
 *
 * Return: 0, or a negative errno.
 */
int bpf_prog_info(int prog, struct bpf_prog_info *info)
{
	union bpf_attr attr = {
		.info.bpf_fd = prog,
		.info.info_len = sizeof(*info),
		.info.info = (unsigned long)info,
	};

	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/**
 * bpf_map_make() - Make a map with keys of 4 bytes
 * @type: Type of the map.
 * @value_size: Bytes of a value.
 * @entries: Number of entries.
 *
 * Return: A file descriptor, or a negative errno.
 */
int bpf_map_make(enum bpf_map_type type, unsigned int value_size,
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

/**
 * bpf_map_set() - Set an entry of a map
 * @map: The map.
 * @key: Key of the entry.
 * @value: The value.
 *
 * Return: 0, or a negative errno.
 */
int bpf_map_set(int map, __u32 key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return bpf_call(BPF_MAP_UPDATE_ELEM, &attr);
}

/**
 * bpf_map_drop() - Delete an entry of a map
 * @map: The map.
 * @key: Key of the entry.
 *
 * Return: 0, or a negative errno.
 */
int bpf_map_drop(int map, __u32 key)
{
	union bpf_attr attr = { .map_fd = map, .key = (unsigned long)&key };

	return bpf_call(BPF_MAP_DELETE_ELEM, &attr);
}

/**
 * bpf_map_read() - Read an entry
 * @map: The map.
 * @key: Key of the entry.
 * @value: Room for the value.
 *
 * Return: 0, or a negative errno.
 */
int bpf_map_read(int map, __u32 key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return bpf_call(BPF_MAP_LOOKUP_ELEM, &attr);
}

/**
 * bpf_map_get() - Read an entry of 8 bytes
 * @map: The map.
 * @key: Key of the entry.
 *
 * Return: The value, or all ones if there is none.
 */
__u64 bpf_map_get(int map, __u32 key)
{
	__u64 value = ~0ULL;

	bpf_map_read(map, key, &value);
	return value;
}
