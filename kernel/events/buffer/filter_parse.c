// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters as user space writes them.
 *
 *	filter 0x1000/0x200@/usr/bin/app, start 0xffffffff81000000
 *
 * Words are separated by blanks, commas and newlines, as many as one likes.
 * Each filter is an action and a place, ADDRESS[/SIZE][@FILE]; there is no
 * blank in a place, nor in the name of a file. Without a file it is an address
 * in the kernel. "filter" traces only what is inside, so it needs a size;
 * whether the others can have one is for the driver to say.
 *
 * Owns the text, and finding the files that it names. Task context, may sleep.
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

/* The next word, which is cut off from what follows, or NULL. */
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

static int perf_filter_check_kernel(const struct perf_event *event)
{
	if (event->attr.exclude_kernel)
		return perf_refuse(-EINVAL, "filter",
				   "without a file it is for the kernel, which exclude_kernel leaves out");
	return 0;
}

static int perf_filter_find_file(const struct perf_event *event, const char *name,
				 struct perf_addr_filter *filter)
{
	int err;

	/* another address for each task that runs there */
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

/* ADDRESS[/SIZE][@FILE] */
static int perf_filter_parse_place(const struct perf_event *event, char *word,
				   struct perf_addr_filter *filter)
{
	char *range = strsep(&word, "@");
	int err = perf_filter_parse_range(range, filter);

	if (err)
		return err;
	if (!word)
		return perf_filter_check_kernel(event);
	return perf_filter_find_file(event, word, filter);
}

static int perf_filter_parse_one(const struct perf_event *event, char *action,
				 char *place, struct list_head *filters)
{
	struct perf_addr_filter *filter;
	int err;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return -ENOMEM;
	list_add_tail(&filter->entry, filters);

	err = perf_filter_parse_action(action, filter);
	if (err)
		return err;
	if (!place)
		return perf_refuse(-EINVAL, "filter", "'%s' of what address?", action);
	return perf_filter_parse_place(event, place, filter);
}

static int perf_filter_parse_all(const struct perf_event *event, char *text,
				 struct list_head *filters)
{
	unsigned int nr = 0;
	char *action;
	int err;

	while ((action = perf_filter_next_word(&text))) {
		if (nr++ == event->pmu->nr_addr_filters)
			return perf_refuse(-EOPNOTSUPP, "filter",
					   "PMU %s has no more than %u",
					   event->pmu->name,
					   event->pmu->nr_addr_filters);
		err = perf_filter_parse_one(event, action,
					    perf_filter_next_word(&text), filters);
		if (err)
			return err;
	}
	return 0;
}

/**
 * perf_filter_free_list() - free filters, and let go of their files
 * @filters: on no event; empty afterwards
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
 * perf_filter_parse() - make filters of a text
 * @event: that they are for; its PMU has filters
 * @text: see above; an empty one is an empty list
 * @filters: empty; result, also empty when something is wrong
 *
 * Return: 0; -EINVAL for what is no filter or contradicts the event;
 * -EOPNOTSUPP for too many, or a file without a task; what looking for the file
 * says; -ENOMEM.
 */
int perf_filter_parse(const struct perf_event *event, const char *text,
		      struct list_head *filters)
{
	char *copy __free(kfree) = kstrdup(text, GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	err = perf_filter_parse_all(event, copy, filters);
	if (err)
		perf_filter_free_list(filters);
	return err;
}
