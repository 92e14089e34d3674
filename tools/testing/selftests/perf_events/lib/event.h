/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open, control and read events.
 *
 * Calls that the kernel can refuse return a negative errno, so that a test can say
 * EXPECT_EQ(-EINVAL, perf_open(...)).
 */
#ifndef PERF_TEST_EVENT_H
#define PERF_TEST_EVENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/types.h>

#define PERF_ALL_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
			 PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * struct perf_timed - What read() returns with PERF_ALL_TIMES and nothing else
 * @value: The count.
 * @enabled: time_enabled in nanoseconds.
 * @running: time_running in nanoseconds.
 */
struct perf_timed {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

/**
 * struct perf_count_lost - What read() returns with PERF_FORMAT_LOST alone
 * @value: The count.
 * @lost: The number of lost records.
 */
struct perf_count_lost {
	__u64 value;
	__u64 lost;
};

/* Attributes of a counting event of any type. */
#define PERF_ATTR(_type, _config, ...)			\
	((struct perf_event_attr){			\
		.type = (_type),			\
		.size = sizeof(struct perf_event_attr),	\
		.config = (_config),			\
		##__VA_ARGS__				\
	})

/* Attributes of a software event: PERF_SW(DUMMY, .disabled = 1). */
#define PERF_SW(_name, ...) \
	PERF_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##_name, ##__VA_ARGS__)

/* The same with a sample for each occurrence, disabled. */
#define PERF_SAMPLED(_name, _type, ...)					\
	PERF_SW(_name, .sample_period = 1, .sample_type = (_type),	\
		.disabled = 1, ##__VA_ARGS__)

/*
 * An expectation of a table's row, which a failure names. With PERF_TEST_SHOW in the
 * environment each row is printed.
 */
#define EXPECT_ROW(_want, _got, _name) do {				\
	int __row = (_got);						\
									\
	if (getenv("PERF_TEST_SHOW"))					\
		TH_LOG("row: %s -> %s", (_name), perf_errname(__row));	\
	EXPECT_EQ((_want), __row) {					\
		TH_LOG("row: %s: got %s, expected %s", (_name),		\
		       perf_errname(__row), perf_errname(_want));	\
	}								\
} while (0)

/*
 * A fault that the stock kernel is known to have is skipped there, with the reason, by
 * the case that fails because of it.
 */
#define SKIP_STOCK_FAULT(_fault, _text) do {				\
	if ((_fault) && perf_is_stock())				\
		SKIP(return, "fault of the stock kernel: %s", _text);	\
} while (0)

/**
 * struct perf_limits - Limits of sampling
 * @rate: perf_event_max_sample_rate; 0 if it was not changed.
 * @percent: perf_cpu_time_max_percent.
 */
struct perf_limits {
	long rate;
	long percent;
};

bool perf_no_breakpoint(int err);
const char *perf_errname(int ret);
bool perf_is_stock(void);
bool refused_for(const char *field);

long perf_raw_open(void *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags);
int perf_open(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd);
int perf_open_self(struct perf_event_attr attr);
int perf_try(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
	     unsigned long flags);
int perf_try_self(struct perf_event_attr attr);

int perf_ioctl(int fd, unsigned long request, unsigned long arg);
int perf_enable(int fd);
int perf_disable(int fd);
int perf_enable_group(int fd);
int perf_disable_group(int fd);

__u64 perf_count(int fd);
struct perf_timed perf_timed_count(int fd);
struct perf_count_lost perf_counted(int fd);
__u64 perf_event_id(int fd);
int perf_poll(int fd, short events);
bool gets_its_turn(int fd);
bool all_take_turns(const int *fds, int nr);
void perf_close_all(const int *fds, int nr);

void perf_raise_sample_rate(void);
int perf_lift_limits(struct perf_limits *before);
void perf_restore_limits(const struct perf_limits *before);

#endif /* PERF_TEST_EVENT_H */
