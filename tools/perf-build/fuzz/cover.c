// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage of the kernel's code, with KCOV: an instance for each worker. An edge is a pair of
 * places that a worker reached one after the other.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/kcov.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

/* places of a worker in a case; later ones are not recorded */
#define PLACES		(1ul << 16)
#define EDGE_BITS	20

unsigned int nr_edges;
static uint64_t *areas[NR_WORKERS];
static unsigned char seen[1 << EDGE_BITS];

/* Returns false if the kernel has no KCOV. */
bool cover_begin(void)
{
	unsigned int i;
	int fd;

	if (access("/sys/kernel/debug/kcov", F_OK))
		return false;
	for (i = 0; i < NR_WORKERS; i++) {
		fd = open("/sys/kernel/debug/kcov", O_RDWR);
		if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, PLACES))
			err(1, "kcov");
		areas[i] = mmap(NULL, PLACES * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (areas[i] == MAP_FAILED || dup2(fd, KCOV_FD + i) < 0)
			err(1, "kcov");
		close(fd);
	}
	return true;
}

void cover_clear(void)
{
	unsigned int i;

	for (i = 0; i < NR_WORKERS && areas[i]; i++)
		areas[i][0] = 0;
}

/* Record what the calling thread reaches, until it exits. */
void cover_worker(unsigned int worker)
{
	if (areas[worker])
		ioctl(KCOV_FD + worker, KCOV_ENABLE, KCOV_TRACE_PC);
}

static bool is_new(uint64_t from, uint64_t to)
{
	uint64_t hash = (from * 0x9e3779b97f4a7c15 ^ to) * 0x9e3779b97f4a7c15;
	unsigned char *edge = &seen[hash >> (64 - EDGE_BITS)];
	bool new = !*edge;

	*edge = 1;
	nr_edges += new;
	return new;
}

/* Returns the number of edges that no earlier case had. */
unsigned int cover_collect(void)
{
	unsigned int i, new = 0;
	uint64_t at, nr, from;

	for (i = 0; i < NR_WORKERS && areas[i]; i++) {
		nr = __atomic_load_n(&areas[i][0], __ATOMIC_RELAXED);
		from = 0;
		for (at = 1; at <= nr && at < PLACES; at++) {
			new += is_new(from, areas[i][at]);
			from = areas[i][at];
		}
	}
	return new;
}
