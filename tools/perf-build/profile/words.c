// SPDX-License-Identifier: GPL-2.0
/*
 * A program to profile: count the words in the files of a folder, with several threads, and
 * print the most frequent words.
 *
 * "make profile" looks for the names of these functions in the flame graph. The functions
 * are compiled with frame pointers and without inlining, and are split so that the graph
 * shows the work: the kernel reads files, this program splits text and looks words up, and
 * the first thread sorts at the end. The C library has no frame pointers, so its callers
 * would be missing in a callchain: the inner loops do not call it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FILES	20000
#define MAX_THREADS	64
#define SLOTS		(64 * 1024)
#define TEXT		(1024 * 1024)
#define CHUNK		(64 * 1024)
#define MAX_WORD	40

struct word {
	unsigned long count;
	const char *text;
};

/* The counts of one thread: a hash table, and the text of its words. */
struct table {
	struct word *slots;
	char *text;
	size_t used;
	int nr;
	pthread_t thread;
};

static char *files[MAX_FILES];
static int nr_files, next_file;
static struct table tables[MAX_THREADS];

/* The lower case of each letter; 0 for other characters. */
static char letters[256];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *fresh_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void make_table(struct table *table)
{
	table->slots = fresh_memory(SLOTS * sizeof(*table->slots));
	table->text = fresh_memory(TEXT);
	table->used = 0;
	table->nr = 0;
}

static int same_word(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static unsigned int hash_word(const char *word)
{
	unsigned int hash = 2166136261u;

	for (; *word; word++)
		hash = (hash ^ (unsigned char)*word) * 16777619u;
	return hash;
}

static const char *keep_text(struct table *table, const char *word)
{
	size_t len = strlen(word) + 1;
	char *text = table->text + table->used;

	if (table->used + len > TEXT || ++table->nr > SLOTS / 2) {
		fprintf(stderr, "words: too many words\n");
		exit(1);
	}
	table->used += len;
	return memcpy(text, word, len);
}

static void add_word(struct table *table, const char *word, unsigned long count)
{
	unsigned int slot = hash_word(word) % SLOTS;

	while (table->slots[slot].text && !same_word(table->slots[slot].text, word))
		slot = (slot + 1) % SLOTS;
	if (!table->slots[slot].text)
		table->slots[slot].text = keep_text(table, word);
	table->slots[slot].count += count;
}

/* A word at the end of a chunk may be cut, and then counts as two words. */
static void split_words(struct table *table, const char *p, const char *end)
{
	char word[MAX_WORD], letter;

	while (p < end) {
		size_t len = 0;

		for (; p < end && len < MAX_WORD - 1; p++) {
			letter = letters[(unsigned char)*p];
			if (!letter)
				break;
			word[len++] = letter;
		}
		word[len] = '\0';
		if (len)
			add_word(table, word, 1);
		else
			p++;
	}
}

static ssize_t read_chunk(int fd, char *chunk)
{
	ssize_t len = read(fd, chunk, CHUNK);

	if (len < 0)
		die("read");
	return len;
}

static void count_file(struct table *table, const char *path, char *chunk)
{
	int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return;
	while ((len = read_chunk(fd, chunk)))
		split_words(table, chunk, chunk + len);
	close(fd);
}

static void *count_files(void *data)
{
	struct table *table = data;
	char *chunk = fresh_memory(CHUNK);
	int i;

	pthread_setname_np(pthread_self(), "words-counter");
	make_table(table);
	while ((i = __atomic_fetch_add(&next_file, 1, __ATOMIC_RELAXED)) < nr_files)
		count_file(table, files[i], chunk);
	return NULL;
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_F && nr_files < MAX_FILES)
		files[nr_files++] = strdup(path);
	return 0;
}

static void find_files(const char *folder)
{
	if (nftw(folder, add_file, 16, FTW_PHYS))
		die(folder);
}

static void merge_table(struct table *into, const struct table *table)
{
	for (int i = 0; i < SLOTS; i++)
		if (table->slots[i].text)
			add_word(into, table->slots[i].text, table->slots[i].count);
}

static int comes_before(const struct word *a, const struct word *b)
{
	return a->count != b->count ? a->count > b->count : strcmp(a->text, b->text) < 0;
}

static void sort_words(struct word *words, struct word *scratch, int nr)
{
	int half = nr / 2, a = 0, b = half;

	if (nr < 2)
		return;
	sort_words(words, scratch, half);
	sort_words(words + half, scratch, nr - half);
	for (int i = 0; i < nr; i++) {
		if (b == nr || (a < half && comes_before(&words[a], &words[b])))
			scratch[i] = words[a++];
		else
			scratch[i] = words[b++];
	}
	memcpy(words, scratch, nr * sizeof(*words));
}

static void print_words(struct table *all)
{
	struct word *scratch = fresh_memory(SLOTS * sizeof(*scratch));
	int nr = 0;

	for (int i = 0; i < SLOTS; i++)
		if (all->slots[i].text)
			all->slots[nr++] = all->slots[i];
	sort_words(all->slots, scratch, nr);
	printf("%d files, %d words; the most frequent:", nr_files, nr);
	for (int i = 0; i < nr && i < 5; i++)
		printf(" %s (%lu)", all->slots[i].text, all->slots[i].count);
	printf("\n");
}

int main(int argc, char **argv)
{
	int nr_threads = argc > 2 ? atoi(argv[1]) : 0;
	struct table all;

	if (nr_threads < 1 || nr_threads > MAX_THREADS) {
		fprintf(stderr, "usage: words THREADS FOLDER...\n");
		return 2;
	}
	for (int i = 0; i < 256; i++)
		letters[i] = isalpha(i) ? tolower(i) : 0;
	for (int i = 2; i < argc; i++)
		find_files(argv[i]);
	for (int i = 0; i < nr_threads; i++)
		if (pthread_create(&tables[i].thread, NULL, count_files, &tables[i]))
			die("pthread_create");
	make_table(&all);
	for (int i = 0; i < nr_threads; i++) {
		pthread_join(tables[i].thread, NULL);
		merge_table(&all, &tables[i]);
	}
	print_words(&all);
	return 0;
}
