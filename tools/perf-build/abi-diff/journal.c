// SPDX-License-Identifier: GPL-2.0
/*
 * The line of a case: its number, the caller, and each call with its result.
 *
 * The text is in shared memory, so that it survives the death of the process.
 */
#include <errno.h>
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"

/**
 * struct journal - text that has not been printed yet
 * @used: bytes in use
 * @size: bytes available
 * @text: the text
 */
struct journal {
	size_t	used;
	size_t	size;
	char	text[];
};

static struct journal *journal;
/* print /proc/self/perf_event_refusal of refused calls; for a single case */
bool journal_reasons;

void journal_begin(size_t size)
{
	journal = mmap(NULL, sizeof(*journal) + size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (journal == MAP_FAILED)
		err(1, "memory");
	journal->size = size;
}

void journal_write(void)
{
	size_t done = 0;

	while (done < journal->used) {
		ssize_t bytes = write(STDOUT_FILENO, journal->text + done,
				      journal->used - done);

		if (bytes <= 0)
			err(1, "standard output");
		done += bytes;
	}
	journal->used = 0;
}

void say(const char *format, ...)
{
	size_t room = journal->size - journal->used;
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(journal->text + journal->used, room, format, list);
	va_end(list);
	if (length > 0 && (size_t)length < room)
		journal->used += length;
}

static void say_field(const char *name, uint64_t value)
{
	if (value)
		say(" %s=%#llx", name, (unsigned long long)value);
}

static void say_flags(uint64_t flags)
{
	const char *separator = " ";
	unsigned int i;

	for (i = 0; i < ATTR_FLAG_BITS; i++) {
		if (!(flags >> i & 1))
			continue;
		say("%s%s", separator, attr_flag_names[i]);
		separator = "|";
	}
}

static void say_attr(const struct attr_plan *plan)
{
	const struct perf_event_attr *attr = &plan->attr;

	if (plan->type)
		say("{%s", plan->type->name);
	else
		say("{type %#x", attr->type);
	if (plan->tracepoint)
		say(" %s", plan->tracepoint->name);
	say_field("config", attr->config);
	if (plan->upper)
		say(" of %s", plan->upper->name);
	if (plan->breakpoint)
		say(" at %c+%llu len %llu type %#x", plan->breakpoint,
		    (unsigned long long)attr->bp_addr, (unsigned long long)attr->bp_len,
		    attr->bp_type);
	if (plan->path)
		say(" '%s'", plan->path);
	if (!plan->breakpoint) {
		say_field("config1", attr->config1);
		say_field("config2", attr->config2);
	}
	say_field("config3", attr->config3);
	say_field(attr->freq ? "freq" : "period", attr->sample_period);
	say_field("sample_type", attr->sample_type);
	say_field("read_format", attr->read_format);
	say_flags(attr_flags(attr));
	say_field("wakeup", attr->wakeup_events);
	say_field("branch", attr->branch_sample_type);
	say_field("regs_user", attr->sample_regs_user);
	say_field("stack_user", attr->sample_stack_user);
	say_field("clockid", (uint32_t)attr->clockid);
	say_field("regs_intr", attr->sample_regs_intr);
	say_field("aux_watermark", attr->aux_watermark);
	say_field("max_stack", attr->sample_max_stack);
	say_field("reserved_2", attr->__reserved_2);
	say_field("aux_sample_size", attr->aux_sample_size);
	say_field("aux_action", attr->aux_action);
	say_field("sig_data", attr->sig_data);
	if (plan->size != sizeof(*attr))
		say(" size=%u%s", plan->size, plan->tail ? "+" : "");
	say("}%s", plan->unreadable ? "unreadable" : "");
}

static const char *other_name(int other)
{
	static const char *const names[] = {
		"e0", "e1", "e2", "e3", "-1", "closed", "/dev/null", "foreign", "-2",
	};

	return names[other];
}

static const char *ioctl_name(unsigned int cmd)
{
	static const struct {
		unsigned int	cmd;
		const char	*name;
	} names[] = {
		{ PERF_EVENT_IOC_ENABLE, "ENABLE" }, { PERF_EVENT_IOC_DISABLE, "DISABLE" },
		{ PERF_EVENT_IOC_REFRESH, "REFRESH" }, { PERF_EVENT_IOC_RESET, "RESET" },
		{ PERF_EVENT_IOC_PERIOD, "PERIOD" }, { PERF_EVENT_IOC_SET_OUTPUT, "SET_OUTPUT" },
		{ PERF_EVENT_IOC_SET_FILTER, "SET_FILTER" }, { PERF_EVENT_IOC_ID, "ID" },
		{ PERF_EVENT_IOC_SET_BPF, "SET_BPF" },
		{ PERF_EVENT_IOC_PAUSE_OUTPUT, "PAUSE_OUTPUT" },
		{ PERF_EVENT_IOC_QUERY_BPF, "QUERY_BPF" },
		{ PERF_EVENT_IOC_MODIFY_ATTRIBUTES, "MODIFY_ATTRIBUTES" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].cmd == cmd)
			return names[i].name;
	}
	return NULL;
}

static void say_ioctl(const struct step *step)
{
	if (ioctl_name(step->cmd))
		say("ioctl(e%u %s", step->slot, ioctl_name(step->cmd));
	else
		say("ioctl(e%u %#x", step->slot, step->cmd);
	if (step->cmd == PERF_EVENT_IOC_MODIFY_ATTRIBUTES)
		say_attr(&step->attr);
	else if (step->cmd == PERF_EVENT_IOC_SET_OUTPUT)
		say(" %s", other_name(step->other));
	else if (step->pointer == 't')
		say(" '%s'", step->text);
	else if (step->pointer == 'p')
		say(" program %llu", (unsigned long long)step->arg);
	else if (step->pointer == 'b')
		say(" bad pointer");
	else
		say(" %s%#llx", step->pointer ? "*" : "", (unsigned long long)step->arg);
	say(")");
}

static void say_open(const struct step *step)
{
	say("e%u=open(", step->slot);
	say_attr(&step->attr);
	say(" pid=%s cpu=%d group=%s flags=%#lx)", pid_names[step->pid], step->cpu,
	    other_name(step->other), step->flags);
}

void say_call(const struct step *step)
{
	say("; ");
	switch (step->call) {
	case CALL_OPEN:
		say_open(step);
		break;
	case CALL_IOCTL:
		say_ioctl(step);
		break;
	case CALL_READ:
		say("read(e%u %lu)", step->slot, step->length);
		break;
	case CALL_MMAP:
		say("mmap(e%u %lu pages prot=%d %s at %s%lu)", step->slot, step->length,
		    step->prot, step->private ? "private" : "shared",
		    step->aux ? "aux+" : "", step->page);
		break;
	case CALL_MUNMAP:
		say("munmap(e%u %lu)", step->slot, step->length);
		break;
	case CALL_POLL:
		say("poll(e%u)", step->slot);
		break;
	case CALL_PRCTL:
		say("prctl(%u %#llx)", step->cmd, (unsigned long long)step->arg);
		break;
	case CALL_WORK:
		say("work()");
		break;
	case CALL_CLOSE:
		say("close(e%u)", step->slot);
		break;
	case CALL_FORK:
		say("fork()");
		break;
	case CALL_END:
		say("end(doomed)");
		break;
	case CALL_EXEC:
		say("exec()");
		break;
	}
}

static void say_reason(void)
{
	FILE *file = fopen("/proc/thread-self/perf_event_refusal", "r");
	char reason[200];

	if (!file)
		return;
	if (fgets(reason, sizeof(reason), file)) {
		reason[strcspn(reason, "\n")] = 0;
		fprintf(stderr, "  %s\n", reason);
	}
	fclose(file);
}

/* Print a number, or the errno of a call that returned -1. */
void say_result(long result)
{
	const char *name = result < 0 ? strerrorname_np(errno) : NULL;

	if (result >= 0)
		say("=%ld", result);
	else if (name)
		say("=%s", name);
	else
		say("=errno %d", errno);
	if (result < 0 && journal_reasons)
		say_reason();
}

static void say_time(const char *name, uint64_t value)
{
	say(" %s%s", name, value ? "+" : "0");
}

/* Print the length and structure of a read, without counts and times. */
void say_read(const struct perf_event_attr *attr, const uint64_t *values, ssize_t bytes)
{
	uint64_t format = attr->read_format;
	unsigned int at = 0;

	if (bytes <= 0)
		return;
	if (format & PERF_FORMAT_GROUP)
		say(" nr=%llu", (unsigned long long)values[at++]);
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY)
		say(" dummy=%llu", (unsigned long long)values[at++]);
	else
		at++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		say_time("enabled", values[at++]);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		say_time("running", values[at++]);
	if (at == 3 && values[2] > values[1])
		say(" running longer than enabled");
}
