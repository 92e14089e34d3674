// SPDX-License-Identifier: GPL-2.0
/*
 * A generalised birthday problem. The range of ids has one block for each list. The list has the
 * sums of the hashes of all pairs of ids in its block. Lists are joined by twos: the result has the
 * sums of one element of each, if that is a multiple of a power of two. The power is larger in each
 * step, and the last step takes only sums that are 0. Each result is about as long as its lists,
 * but the last one has about twenty elements.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "forged_ids.h"

#define STEPS		3
#define LISTS		(1 << STEPS)
#define BLOCK		(FORGED_RANGE / LISTS)
#define BITS		16	/* that become 0 in a step, but in the last one all */
#define HEADS		(1 << BITS)

/* A sum of two numbers of lists of the step before, or of two ids of a block. */
struct sum {
	__u64 value;
	__u32 left, right;
};

struct list {
	struct sum *sums;
	size_t nr, max;
};

struct siphash {
	__u64 v[4];
};

static __u64 rotate(__u64 x, int by)
{
	return x << by | x >> (64 - by);
}

static void sip_rounds(struct siphash *s, int nr)
{
	__u64 *v = s->v;

	while (nr--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void sip_word(struct siphash *s, __u64 word)
{
	s->v[3] ^= word;
	sip_rounds(s, 2);
	s->v[0] ^= word;
}

/* SipHash-2-4 of eight bytes, with a zero key. */
static __u64 hash(__u64 id)
{
	struct siphash s = { {
		0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573,
	} };

	sip_word(&s, id);
	sip_word(&s, 8ULL << 56);
	s.v[2] ^= 0xff;
	sip_rounds(&s, 4);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

static bool add(struct list *list, __u64 value, __u32 left, __u32 right)
{
	struct sum *sums = list->sums;

	if (list->nr == list->max) {
		list->max = list->max ? 2 * list->max : HEADS;
		sums = realloc(sums, list->max * sizeof(*sums));
		if (!sums)
			return false;
		list->sums = sums;
	}
	sums[list->nr++] = (struct sum){ value, left, right };
	return true;
}

static bool add_pairs(struct list *list, __u64 from, __u64 less)
{
	__u64 hashes[BLOCK];
	__u32 i, j;

	for (i = 0; i < BLOCK; i++) {
		hashes[i] = hash(from + i);
		for (j = 0; j < i; j++) {
			if (!add(list, hashes[i] + hashes[j] - less, i, j))
				return false;
		}
	}
	return true;
}

/* The lower @shift bits of the sums are 0 already. */
static bool join(struct list *to, const struct list *left, const struct list *right, int shift,
		 __u64 mask)
{
	static __u32 heads[HEADS];	/* index + 1, 0 at the end */
	__u32 *next = calloc(right->nr + 1, sizeof(*next)), i, j, *head;
	__u64 value;
	bool good = next;

	for (i = 0; i < HEADS; i++)
		heads[i] = 0;
	for (i = 0; good && i < right->nr; i++) {
		head = &heads[right->sums[i].value >> shift & (HEADS - 1)];
		next[i] = *head;
		*head = i + 1;
	}
	for (i = 0; good && i < left->nr; i++) {
		for (j = heads[-left->sums[i].value >> shift & (HEADS - 1)]; j; j = next[j - 1]) {
			value = left->sums[i].value + right->sums[j - 1].value;
			if (!(value & mask) && !add(to, value, i, j - 1))
				good = false;
		}
	}
	free(next);
	return good;
}

/* The lists are a tree: lists[n] is joined from lists[2n] and lists[2n + 1]. */
static void find_ids(const struct list *lists, int n, __u32 index, __u64 from, __u64 *ids)
{
	const struct sum *sum = &lists[n].sums[index];

	if (n < LISTS) {
		find_ids(lists, 2 * n, sum->left, from, ids);
		find_ids(lists, 2 * n + 1, sum->right, from, ids);
		return;
	}
	n -= LISTS;
	/* ascending: the right one is lower */
	ids[2 * n] = from + n * BLOCK + sum->right;
	ids[2 * n + 1] = from + n * BLOCK + sum->left;
}

/* Return: false if there is not enough memory. */
static bool make_lists(struct list *lists, __u64 from, __u64 sum)
{
	int n, shift = 0;
	__u64 mask;

	for (n = 0; n < LISTS; n++) {
		if (!add_pairs(&lists[LISTS + n], from + n * BLOCK, n ? 0 : sum))
			return false;
	}
	for (n = LISTS - 1; n; n--) {
		mask = n == 1 ? ~0ULL : (1ULL << (shift + BITS)) - 1;
		if (!join(&lists[n], &lists[2 * n], &lists[2 * n + 1], shift, mask))
			return false;
		/* the last one of a step */
		if (!(n & (n - 1)))
			shift += BITS;
	}
	return true;
}

/**
 * forge_ids() - Find ids with a sum of their hashes, by SipHash-2-4 with a zero key
 * @from: They are not lower than that, but by less than FORGED_RANGE higher.
 * @sum: The sum, modulo 2^64.
 * @ids: Output, FORGED_IDS ids, ascending.
 *
 * Return: 0, -ENOMEM, or -ENOENT if no ids in the range were found with the sum.
 */
int forge_ids(__u64 from, __u64 sum, __u64 *ids)
{
	struct list lists[2 * LISTS] = {};
	int err = make_lists(lists, from, sum) ? 0 : -ENOMEM, n;

	if (!err && !lists[1].nr)
		err = -ENOENT;
	if (!err)
		find_ids(lists, 1, 0, from, ids);
	for (n = 0; n < 2 * LISTS; n++)
		free(lists[n].sums);
	return err;
}
