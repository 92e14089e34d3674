/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware events: whether there is a PMU, and loads with a known number of instructions.
 */
#ifndef PERF_TEST_HARDWARE_H
#define PERF_TEST_HARDWARE_H

#include <stdbool.h>
#include <linux/perf_event.h>

#include "event.h"
#include "pmu.h"
#include "x86_emulator.h"

#define PERF_HW(_name, ...) \
	PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_##_name, ##__VA_ARGS__)

#define HW_CYCLES(...)	PERF_HW(CPU_CYCLES, ##__VA_ARGS__)

#define PERF_RAW(_config, ...)	PERF_ATTR(PERF_TYPE_RAW, _config, ##__VA_ARGS__)

/* attr.config1 of a PMUv3: a counter of 64 bits, one that programs read */
#define PMUV3_LONG	0x1ULL
#define PMUV3_RDPMC	0x2ULL

/*
 * Number of tries to get counts that instructions_fit() accepts. If counters are enabled one
 * by one, only the first one counts what happens in between.
 */
#define FIT_TRIES	20

/**
 * spin() - Execute two instructions a turn, in user mode
 * @turns: Number of turns.
 */
static inline void spin(unsigned long turns)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#elif defined(__x86_64__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__riscv)
	asm volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(turns));
#elif defined(__powerpc__)
	asm volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+r"(turns) : : "cr0", "xer");
#else
	while (turns--)
		asm volatile("" : : : "memory");
#endif
}

void spin_and_call(int calls);
int stay_where_it_counts(struct perf_event_attr attr);

const char *no_pmu(void);
const char *no_instructions(void);
bool pmu_is_emulated(void);
bool instructions_fit(__u64 cycles, __u64 instructions);

#endif /* PERF_TEST_HARDWARE_H */
