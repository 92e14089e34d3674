// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing the text of address filters.
 *
 *	filter 0x1000/0x200@/usr/bin/app, start 0xffffffff81000000
 *
 * Words are separated by any number of blanks, tabs, commas and newlines. Each filter is an
 * action and a place, ADDRESS[/SIZE][@FILE]. A place, and so the name of a file, cannot contain
 * a separator. Without a file, the place is a kernel address. "filter" traces only the given
 * range, so it needs a size. Whether "start" and "stop" can have a size depends on the driver.
 *
 * This file parses the text, and looks up the files that it names.
 *
 * Context: task, may sleep.
 */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/perf_refusal.h>

#include "filter.h"

#define PERF_FILTER_SEPARATORS	" \t\n,"

struct perf_filter_word {
	const char			*name;
	enum perf_addr_filter_action_t	action;
};

static const struct perf_filter_word perf_filter_words[] = {
	{ "filter",	PERF_ADDR_FILTER_ACTION_FILTER },
	{ "start",	PERF_ADDR_FILTER_ACTION_START },
	{ "stop",	PERF_ADDR_FILTER_ACTION_STOP },
};

/* Return the next word, NUL-terminated, or NULL. Advances @text. */
static char *perf_filter_next_word(char **text)
{
	char *word;

	do {
		word = strsep(text, PERF_FILTER_SEPARATORS);
	} while (word && !*word);
	return word;
}

static int perf_filter_parse_action(const char *word,
				    struct perf_addr_filter *filter)
{
	for (int i = 0; i < ARRAY_SIZE(perf_filter_words); i++) {
		if (strcmp(word, perf_filter_words[i].name))
			continue;
		filter->action = perf_filter_words[i].action;
		return 0;
	}
	return perf_refuse(-EINVAL, "filter",
			   "'%.40s' is not one of filter, start, stop", word);
}

/* ADDRESS[/SIZE] */
static int perf_filter_parse_range(char *word, struct perf_addr_filter *filter)
{
	char *address = strsep(&word, "/");

	if (kstrtoul(address, 0, &filter->offset))
		return perf_refuse(-EINVAL, "filter", "'%.40s' is not an address",
				   address);
	if (word && kstrtoul(word, 0, &filter->size))
		return perf_refuse(-EINVAL, "filter", "'%.40s' is not a size", word);
	if (filter->size && filter->offset + (filter->size - 1) < filter->offset)
		return perf_refuse(-EINVAL, "filter",
				   "%#lx bytes at %#lx do not fit into the address space",
				   filter->size, filter->offset);
	if (filter->action == PERF_ADDR_FILTER_ACTION_FILTER && !filter->size)
		return perf_refuse(-EINVAL, "filter", "needs a size, at %#lx",
				   filter->offset);
	return 0;
}

static int perf_filter_find_file(const struct perf_event *event, const char *name,
				 struct perf_addr_filter *filter)
{
	int err;

	/* On a CPU, each task could have mapped the file at another address. */
	if (!(event->attach_state & PERF_ATTACH_TASK))
		return perf_refuse(-EOPNOTSUPP, "filter",
				   "in a file only for a task, not for a CPU");
	err = kern_path(name, LOOKUP_FOLLOW, &filter->path);
	if (err)
		return perf_refuse(err, "filter", "cannot find '%.120s'", name);
	if (!d_is_reg(filter->path.dentry))
		return perf_refuse(-EINVAL, "filter", "'%.120s' is not a file", name);
	return 0;
}

/* @place: ADDRESS[/SIZE][@FILE], or NULL if the text ends before it */
static int perf_filter_parse_one(const struct perf_event *event, char *action,
				 char *place, struct list_head *filters)
{
	struct perf_addr_filter *filter;
	char *range;
	int err;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return -ENOMEM;
	list_add_tail(&filter->entry, filters);

	err = perf_filter_parse_action(action, filter);
	if (err)
		return err;
	if (!place)
		return perf_refuse(-EINVAL, "filter", "'%s' of what address?", action);
	range = strsep(&place, "@");
	err = perf_filter_parse_range(range, filter);
	if (err)
		return err;
	if (place)
		return perf_filter_find_file(event, place, filter);
	if (event->attr.exclude_kernel)
		return perf_refuse(-EINVAL, "filter",
				   "without a file it is for the kernel, which exclude_kernel leaves out");
	return 0;
}

/**
 * perf_filter_free_list() - free filters, and drop the references to their files
 * @filters: a list that no event uses; empty afterwards
 *
 * Context: task, may sleep.
 */
void perf_filter_free_list(struct list_head *filters)
{
	struct perf_addr_filter *filter, *next;

	list_for_each_entry_safe(filter, next, filters, entry) {
		list_del(&filter->entry);
		path_put(&filter->path);
		kfree(filter);
	}
}

/**
 * perf_filter_parse() - parse the text of address filters
 * @event: the event; its PMU has address filters
 * @text: the text, see the top of this file; an empty text gives an empty list
 * @filters: an empty list; receives the filters, stays empty on an error
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL for a syntax error, or a filter that contradicts the event; -EOPNOTSUPP
 * for too many filters, or a file without a task; an error of kern_path(); -ENOMEM.
 */
int perf_filter_parse(const struct perf_event *event, const char *text,
		      struct list_head *filters)
{
	char *copy __free(kfree) = kstrdup(text, GFP_KERNEL);
	char *action, *rest = copy;
	unsigned int nr = 0;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	while (!err && (action = perf_filter_next_word(&rest))) {
		if (nr++ == event->pmu->nr_addr_filters)
			err = perf_refuse(-EOPNOTSUPP, "filter", "PMU %s has no more than %u",
					  event->pmu->name, event->pmu->nr_addr_filters);
		else
			err = perf_filter_parse_one(event, action,
						    perf_filter_next_word(&rest), filters);
	}
	if (err)
		perf_filter_free_list(filters);
	return err;
}
