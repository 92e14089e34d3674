// SPDX-License-Identifier: GPL-2.0
/*
 * Run a BPF program at each overflow of an event. It decides which samples are written:
 * here samples of page faults at addresses of a given range. Needs CAP_BPF and
 * CAP_PERFMON.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES		60
#define WANTED		20

/* Load "return ctx->addr < limit". A compiler makes such programs of C, see libbpf. */
static int load(__u64 limit)
{
	const struct bpf_insn program[] = {
		/* r1 = ((struct bpf_perf_event_data *)r1)->addr */
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_1,
		  .off = offsetof(struct bpf_perf_event_data, addr) },
		/* r2 = limit, two instructions */
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_2,
		  .imm = (__u32)limit },
		{ .imm = limit >> 32 },
		/* r0 = 1; if (r1 < r2) return r0; r0 = 0; return r0 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JLT | BPF_X, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_2, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (unsigned long)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (unsigned long)"GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(void)
{
	struct perf_event_mmap_page *control;
	const struct perf_event_header *header;
	struct perf_event_attr attr;
	long page = sysconf(_SC_PAGESIZE);
	int fd, program, i, samples = 0;
	char *memory;
	__u64 head, tail, count;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_ADDR;	/* the program sees it as well */
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	control = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (control == MAP_FAILED || memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	program = load((unsigned long)memory + WANTED * page);
	if (program < 0) {
		perror("BPF_PROG_LOAD");
		return 1;
	}
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)) {
		perror("PERF_EVENT_IOC_SET_BPF");
		return 1;
	}
	close(program);		/* the event has a reference */

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	for (tail = 0; tail < head; tail += header->size) {
		header = (const void *)((char *)control + control->data_offset + tail);
		samples += header->type == PERF_RECORD_SAMPLE;
	}
	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	/* A sample that the program drops is still counted. */
	printf("%llu page faults, %d samples\n", count, samples);
	return samples < WANTED || count < samples + PAGES - WANTED;
}
