/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, kernel symbols, and where probes are.
 */
#ifndef PERF_TEST_TRACING_H
#define PERF_TEST_TRACING_H

#include <stdbool.h>
#include <linux/types.h>

#define TRACEFS	"/sys/kernel/tracing"

/* The name of the function that is a system call. */
#if defined(__x86_64__)
#define SYSCALL_SYMBOL(_name)	"__x64_sys_" #_name
#elif defined(__aarch64__)
#define SYSCALL_SYMBOL(_name)	"__arm64_sys_" #_name
#elif defined(__riscv)
#define SYSCALL_SYMBOL(_name)	"__riscv_sys_" #_name
#elif defined(__s390x__)
#define SYSCALL_SYMBOL(_name)	"__s390x_sys_" #_name
#else
#define SYSCALL_SYMBOL(_name)	"sys_" #_name
#endif

long tracepoint_id(const char *name);
int tracepoint_field(const char *name, const char *field, int *offset,
		     int *size);
__u64 kernel_symbol(const char *name);
unsigned long file_offset(const void *code);
bool is_kernel_address(__u64 addr);

#endif /* PERF_TEST_TRACING_H */
